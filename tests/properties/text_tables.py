"""The text of tables of one profile: top, stacks, tree, peek and list."""
import math
import os
import re
from fractions import Fraction

import numerals
from numerals import fixed, is_nothing
from text_lines import VALUE, escaped, flat_or_dash, split

# --- top and stacks -------------------------------------------------------------------------------


def flat_of_rest(t, flat):
    """The span of the sum of the hidden rows; None if JSON does not have them."""
    spans = [fixed(flat(row)) for row in t.report['rows'][t.shown.limit:]]
    return None if t.shown.json_limit else tuple(map(sum, zip(*spans))) if spans else (0, 0)


def top(t):
    uncertain, wide = t.is_uncertain(), t.shown.spread
    total = t.stacks()[t.metric]['estimate']
    t.header()
    t.title(('flat', 13), ('  flat%   sum% ', 0), ('cum', 13), ('   cum%', 0), *t.error_title('cum' if t.shown.cum else 'flat'),
            *([('spread', 14), ('p', 9)] if wide else []), t.by())
    low = high = Fraction(0)
    for i, row in enumerate(t.rows()):
        flat, cum, what = row['flat'][t.metric], row['cum'][t.metric], f'row {i}'
        *cells, name = split(t.line(), 13, 6, 6, 13, 6, *t.error_columns(), *[13, 8] * wide)
        span = fixed(flat['estimate'])
        low, high = low + span[0], high + span[1]
        t.share(f'{what}, flat%', cells[1], flat['estimate'], total)
        t.share_of(f'{what}, sum%', cells[2], (low, high), total)
        t.share(f'{what}, cum%', cells[4], cum['estimate'], total)
        top_values(t, i, row, cells)
        if wide:
            t.double(f'{what}, spread', cells[-2], row['spread']['sd'])
            t.chance(f'{what}, p', cells[-1], row['spread']['p'])
        t.same(f'{what}, space', name[:1], ' ')
        t.name(f'{what}, name', name[1:], row['name'], i)
    left = t.total_left()
    if wide:
        outliers(t)
        holders(t)
    t.rest(t.report['by'], (left[0] - high, left[1] - low))
    t.marks_note()


def top_values(t, i, row, cells):
    """Compare flat and cum, and the interval of the one by which rows are sorted."""
    flat, cum, what = row['flat'][t.metric], row['cum'][t.metric], f'row {i}'
    if t.is_uncertain() and t.shown.cum:
        surer = t.shown.surer['rows'][i]['cum'][t.metric]
        t.error(f'{what}, cum', cells[3], cells[5], cum, t.of_few(cum, surer))
        t.beside(f'{what}, flat', cells[0], flat['estimate'], cells[3], cum['estimate'])
    elif t.is_uncertain():
        t.error(f'{what}, flat', cells[0], cells[5], flat, t.flagged(row))
        t.beside(f'{what}, cum', cells[3], cum['estimate'], cells[0], flat['estimate'])
    else:
        t.value(f'{what}, flat', cells[0].strip(), flat['estimate'])
        t.value(f'{what}, cum', cells[3].strip(), cum['estimate'])


def outliers(t):
    t.sentence('note', 'note-spread')
    rows = t.report['outliers']
    for i, row in enumerate(rows[:10]):
        start = ' ' * 12 if i else 'stands out: '
        found = t.match('outlier', rf'spread-row-stands-out: {start} ({VALUE}) ({VALUE}) (\S+)  (.*)', row)
        if found:
            t.value('outlier', found[1], row['value'])
            t.double('others', found[2], row['others'])
            t.chance('outlier, p', found[3], row['p'])
            t.same('outlier', found[4], escaped(row['input']))
    if len(rows) > 10:
        t.sentence('outliers', f'            spread-more: {len(rows) - 10}')


def holders(t):
    """The lines about inputs that hold most of a row, or stand out in one."""
    for row in t.report['holders'][:5]:
        found = t.match('holder', r'(.*) spread-holds: (\d+) (\d+) (\d+)', row)
        if found:
            t.same('holder', found[1], f'{escaped(row["name"])}: {escaped(row["holder"])}')
            for text, key in zip(found.groups()[1:], ('share', 'share_low', 'of_rest')):
                # JSON has four digits of the lower end.
                t.number(f'holder, {key}', text, row[key], abs(int(text) - 100 * Fraction(row[key])) <= Fraction('.506'))
    for row in t.report['row_outliers'][:5]:
        found = t.match('row outlier', rf'(.*) spread-stands-out: ({VALUE}) ({VALUE}) (\S+)', row)
        if found:
            t.same('row outlier', found[1], f'{escaped(row["name"])}: {escaped(row["holder"])}')
            t.double('row outlier', found[2], row['value'])
            t.double('others', found[3], row['others'])
            t.chance('row outlier, p', found[4], row['p'])


def size_in_words(size):
    """A size as it is, in the largest unit in which it has no more than two decimals."""
    for power, unit in reversed(list(enumerate(['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB']))):
        scaled = Fraction(size * 100, 1024 ** power)
        if scaled.denominator == 1 and scaled >= 100:
            return f'{size:,} B' if power == 0 else f'{float(scaled) / 100:.15g} {unit}'


def in_words(part):
    if part['size'] is None:
        return 'mixed sizes'
    count = math.floor(Fraction(part['objects']) + Fraction(1, 2))
    return f'{"~" * part["is_likely"]}{f"{count:,}" if count else "<1"} x {size_in_words(int(part["size"]))}'


def sizes_of(t, what, parts):
    """The three largest, or all where there are four."""
    if any(part['size'] is not None for part in parts):
        shown = [in_words(part) for part in parts[:4 if len(parts) == 4 else 3]]
        shown += [f'{len(parts) - 3} more sizes'] * (len(parts) > 4)
        t.count(what, t.line(), ' ' * 5 + ' + '.join(shown))


def stacks(t):
    uncertain = t.is_uncertain()
    total = t.stacks()[t.metric]['estimate']
    t.header()
    low, high = t.total_left()
    for i, row in enumerate(t.rows()):
        number, what = row['value'][t.metric], f'stack {i}'
        value, share, *error, rest = split(t.line(), 13, 6, *t.error_columns())
        t.share(f'{what}, %', share, number['estimate'], total)
        if uncertain:
            t.error(what, value, error[0], number, t.flagged(row))
        else:
            t.value(what, value.strip(), number['estimate'])
        once = 'seen once ' if uncertain and 'seen-once' in row['flags'] else ''
        t.count(what, rest[:len(once) + 1], f'{once} ')
        t.name(what, rest[len(once) + 1:], row['frames'][0])
        for frame in row['frames'][1:] + ['[truncated]'] * row['truncated']:
            line = t.line()
            t.same(what, line[:22], ' ' * 22)
            t.name(what, line[22:], frame)
        sizes_of(t, what, row['sizes'])
        t.same(what, t.line(), '')
        span = fixed(number['estimate'])
        low, high = low - span[1], high - span[0]
    t.rest('stack', (low, high))
    t.facts()


# --- tree, peek and list --------------------------------------------------------------------------


def surer_rows(t):
    return t.shown.surer['rows'] if t.shown.surer else t.report['rows']


def steps_of(rows):
    """The indentation of each node of a tree, which increases where a node has several children."""
    children = {}
    for row in rows:
        children[row['parent']] = children.get(row['parent'], 0) + 1
    steps = []
    for row in rows:
        above = 0 if row['parent'] is None else steps[int(row['parent'])]
        steps.append(above + (children[row['parent']] > 1))
    return steps


def lines_of(t, rows):
    """The nodes of each line: frames of one value below one another, without the program's own."""
    lines, line_of, inverted = [], {}, rows and rows[0]['flat'] is None
    for i, row in enumerate(rows):
        parent = None if row['parent'] is None else int(row['parent'])
        above = rows[parent] if parent is not None else {'class': None}
        allocates = above.get('parent') is None if inverted else not is_nothing(row['flat'] or '0.000')
        if (t.report['frames'] in ('no-std', 'no-libs') and not allocates and
                (not {above['class'], row['class']} & {'own', 'generated', 'none', None} or
                 above.get('name') == row['name']) and
                above['cum']['estimate'] == row['cum']['estimate']):
            lines[line_of[parent]].append(i)
        else:
            lines.append([i])
        line_of[i] = next(n for n in range(len(lines) - 1, -1, -1) if lines[n][-1] == i)
    return fold_recursion(t, rows, lines)


def fold_recursion(t, rows, lines):
    """The lines with calls of a function to itself on one, where the callers have no other child that is shown."""
    children, folded = {}, []
    for row in rows:
        children[row['parent']] = children.get(row['parent'], 0) + 1
    inverted = rows and rows[0]['flat'] is None
    for line in lines:
        head, before = rows[line[0]], folded[-1] if folded else None
        above = rows[before[-1]] if before else None
        is_below = (t.report['frames'] in ('no-std', 'no-libs') and before and head['parent'] is not None and
                    int(head['parent']) == before[-1] and children[head['parent']] == 1 and
                    len({rows[i]['name'] for i in before + line}) == 1)
        allocates = is_below and (int(head['depth']) == 1 if inverted else
                                  not is_nothing(above['flat']) or not is_nothing(head['flat']))
        if is_below and not allocates:
            before += line
        else:
            folded.append(line)
    return folded


def drawn_name(t, what, rows, name):
    """The name of the nodes in one line."""
    if len(rows) == 1:
        t.name(f'{what}, name', name, rows[0]['name'])
        return
    if len({row['name'] for row in rows}) == 1:  # a function that calls itself
        found = re.fullmatch(rf'(.+) tree-recursion(?:-ends|-short)?: (\d+)(?: ({VALUE}))?', name)
        first, last = (row['cum']['estimate'] for row in (rows[0], rows[-1]))
        t.same(f'{what}, innermost', bool(found and found[3]), first != last)
        if found and found[3]:
            t.value(f'{what}, innermost', found[3], last)
        t.count(f'{what}, recursion', found and found[2], str(len(rows)))
        t.name(f'{what}, name', found[1] if found else name, rows[0]['name'])
        return
    found = re.fullmatch(r'(.+) … (?:(.+), )?(\d+) frames', name)
    t.count(f'{what}, run', found and found[3], str(len(rows)))
    common = re.split('[<( {]', os.path.commonprefix([row['name'] for row in rows]))[0]
    if found and '::' in common[1:]:
        t.same(f'{what}, run', found[1], escaped(common.rpartition('::')[0]))
    elif found and found[2]:
        t.same(f'{what}, run', found.groups()[:2], tuple(escaped(rows[i]['name']) for i in (0, -1)))


def tree(t):
    uncertain, all_rows = t.is_uncertain(), t.report['rows']
    lines = lines_of(t, all_rows)
    steps_of_rows, rows = steps_of(all_rows), [all_rows[line[0]] for line in lines]
    has_flat = not any(row['flat'] is None for row in rows)
    total = t.stacks()[t.metric]['estimate']
    surer = [surer_rows(t)[line[0]] for line in lines]
    t.header()
    t.title(('cum', 11), ('   cum%', 0), *t.error_title('cum'), *[('flat', 12)] * has_flat, t.by())
    for line, row, other in zip(lines, rows, surer):
        what, steps = f'node {line[0]}', steps_of_rows[line[0]]
        *cells, drawn = split(t.line(), 11, 6, *t.error_columns(), *[11] * has_flat)
        t.share(f'{what}, cum%', cells[1], row['cum']['estimate'], total)
        if uncertain:
            t.error(what, cells[0], cells[2], row['cum'], t.of_few(row['cum'], other['cum']))
        else:
            t.value(f'{what}, cum', cells[0].strip(), row['cum']['estimate'])
        if has_flat:
            flat_or_dash(t, f'{what}, flat', cells[-1], row['flat'], cells[0], row['cum'])
        mark = r' (?:[│├└ ] )*' if steps <= 8 else rf' \[{steps}\] (?:├ )?'
        t.numbers += steps > 8
        before = re.match(mark, drawn)
        t.same(f'{what}, steps', before is not None, True)
        before = before[0] if before else ''
        drawn_name(t, what, [all_rows[i] for i in line], drawn[len(before):])
        for i in line[1:]:
            if all_rows[i]['name'] != row['name'] or all_rows[i]['cum']['estimate'] == row['cum']['estimate']:
                t.same(f'node {i}', all_rows[i]['cum'], row['cum'])
        if steps <= 8:
            t.same(f'{what}, steps', len(before) - 1, 2 * steps)
    hidden_nodes(t, all_rows)
    t.marks_note()


def hidden_nodes(t, rows):
    """Compare the number of hidden nodes, and their value: the rest of the total, or the largest value."""
    hidden, total = int(t.report['hidden']), t.stacks()[t.metric]['estimate']
    if not hidden:
        return
    found = t.match('hidden', rf'nodes-left: ([\d,]+) s? (?:nodes-left-none-above: ({VALUE})|({VALUE})(?: objects?)? '
                              r'\((\S+)\))(?: \(cut-by-limit)?(?:   .*)?', hidden)
    if found:
        t.count('hidden', found[1], f'{hidden:,}')
    if found and found[3]:
        left, shown = t.total_left(), [fixed(row['flat']) for row in rows]
        span = (left[0] - sum(high for _, high in shown), left[1] - sum(low for low, _ in shown))
        t.number('hidden', found[3], span,
                 numerals.is_value_of(found[3], span, t.is_space, t.shown.unit))
        t.share_of('hidden', found[4], span, total)


def neighbors(t, row, surer, key, whole):
    group, first, last = row[key], *('├┌' if key == 'callers' else '├└')
    shown = group[:t.shown.limit or None]
    for i, (neighbor, other) in enumerate(zip(shown, surer[key])):
        what = f'{row["name"]}, {key} {i}'
        is_end = i == 0 if key == 'callers' else i + 1 == len(group)
        line = t.line()
        t.same(what, line[:21], ' ' * 21)
        value, of_total, share, *error, name = split(line[21:], 13, 6, 6, *t.error_columns())
        t.share(f'{what}, %', of_total, neighbor['value']['estimate'], t.stacks()[t.metric]['estimate'])
        t.share(f'{what}, of it', share, neighbor['value']['estimate'], whole)
        if error:
            t.error(what, value, error[0], neighbor['value'],
                    t.of_few(neighbor['value'], other['value']))
        else:
            t.value(what, value.strip(), neighbor['value']['estimate'])
        t.same(what, name[:3], f' {last if is_end else first} ')
        t.name(what, name[3:], neighbor['name'])
    if len(shown) < len(group):
        found = t.match(row['name'], rf' {{21}}calls-left: {len(group) - len(shown)} ({VALUE})', group[len(shown)])
        if found:
            t.value(row['name'], found[1], group[len(shown)]['value']['estimate'])


def peek(t):
    uncertain = t.is_uncertain()
    total = t.stacks()[t.metric]['estimate']
    t.header()
    t.title(('flat', 13), ('  flat% ', 0), ('cum', 13), ('   cum%', 0), ('  of it', 0), *t.error_title('cum'),
            t.by())
    for row, surer in zip(t.rows(), surer_rows(t)):
        flat, cum, what = row['flat'], row['cum'], row['name']
        t.same(what, t.line(), '')
        neighbors(t, row, surer, 'callers', cum['estimate'])
        *cells, name = split(t.line(), 13, 6, 13, 6, 6, *t.error_columns())
        t.same(f'{what}, of it', cells.pop(4).strip(), '')
        t.share(f'{what}, flat%', cells[1], flat['estimate'], total)
        t.share(f'{what}, cum%', cells[3], cum['estimate'], total)
        t.beside(f'{what}, flat', cells[0], flat['estimate'], cells[2], cum['estimate'])
        if uncertain:
            t.error(what, cells[2], cells[4], cum, t.of_few(cum, surer['cum']))
        else:
            t.value(f'{what}, cum', cells[2].strip(), cum['estimate'])
        t.same(what, name[:1], ' ')
        t.name(what, name[1:], row['name'])
        neighbors(t, row, surer, 'callees', cum['estimate'])
    t.same('end', t.line(), '')
    t.rest(t.report['by'], flat_of_rest(t, lambda row: row['flat']['estimate']))
    t.marks_note()


def listed_lines(t, function, surer):
    """The lines of one function, and those around them that hold nothing."""
    uncertain, lines, before = t.is_uncertain(), list(zip(function['lines'], surer['lines'])), None
    while t.at < len(t.lines) and t.lines[t.at] != '':
        *cells, rest = split(t.line(), 11, 11, *t.error_columns())
        shown, text = rest[:7].strip(), rest[7:].removeprefix('  ')
        if not ''.join(cells).strip():
            if shown == '…':
                before = None
                continue
            t.count('number of a line', shown, shown if before is None else str(before + 1))
            before = int(shown)
            if lines and lines[0][0]['line'] and int(lines[0][0]['line']) <= before:
                t.wrong('line without its values', shown, lines[0][0])
            continue
        if not lines:
            t.wrong('line', rest, 'no more')
            continue
        line, other = lines.pop(0)
        what = f'{function["name"]}, line {line["line"]}'
        t.count(what, shown, line['line'] or '?')
        before = int(line['line']) if line['line'] else None
        flat_or_dash(t, f'{what}, flat', cells[0], line['flat'], cells[1], line['cum'])
        if uncertain and not is_nothing(line['cum']['estimate']):
            t.error(what, cells[1], cells[2], line['cum'], t.of_few(line['cum'], other['cum']))
        else:
            flat_or_dash(t, f'{what}, cum', cells[1], line['cum']['estimate'])
            t.same(what, ''.join(cells[2:]).strip(), '')
        if '\t' not in (line['text'] or ''):
            t.same(what, text, escaped(line['text'] or ''))
    t.same(function['name'], lines, [])


VERSIONS = {'newer': 'source-newer', 'differs': 'source-differs'}


def listing(t):
    total = t.stacks()[t.metric]['estimate']
    t.header()
    t.title(('flat', 11), ('cum', 12), *t.error_title('cum'), ('  line', 0))
    files = set()
    for row, surer in zip(t.rows(), surer_rows(t)):
        t.same('before', t.line(), '')
        name, file = escaped(row['name']), escaped(row['file'] or 'an unknown file')
        found = t.match('function', rf'{re.escape(name)} in {re.escape(file)}: ({VALUE}) flat, '
                                    rf'({VALUE}) cum \(share-of-total: (\S+)', row)
        if found:
            t.value(f'{name}, flat', found[1], row['flat'])
            t.value(f'{name}, cum', found[2], row['cum']['estimate'])
            t.share(f'{name}, share', found[3], row['cum']['estimate'], total)
        if row['source'] in VERSIONS and row['file'] not in files:
            t.sentence('version', VERSIONS[row['source']])
        if row['source'] is None and row['file'] not in files and t.next_is('no-source: '):
            t.line()
        files.add(row['file'])
        if row['source'] is None:
            t.same(name, [line['text'] for line in row['lines']], [None] * len(row['lines']))
        listed_lines(t, row, surer)
    t.same('end', t.line(), '')
    t.rest('function', flat_of_rest(t, lambda row: row['flat']))
    t.marks_note()

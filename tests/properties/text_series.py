"""The text of diff, trend and info."""
import re
from decimal import Decimal
from fractions import Fraction

import numerals
from numerals import fixed, is_nothing
from text_lines import (CANNOT, CLOSED, FITTED, INTERVAL, OF_SAMPLING, VALUE, Text, escaped,
                        flat_or_dash, split)
from text_tables import listing, peek, stacks, top, tree

# --- diff and trend -------------------------------------------------------------------------------


def signed(t, what, text, number):
    t.number(what, text.strip(), number,
             numerals.is_change(text.strip(), number, t.is_space, t.shown.unit))


def p_behind(t, what, text, p, which='p'):
    """", p 0.0123" after a sentence."""
    start = f', {which} '
    if p is None:
        t.same(what, text, '')
    else:
        t.number(what, text, p, text.startswith(start) and numerals.is_chance(text[len(start):], p))


def side(t, label, number):
    found = t.match(label, rf'{label:9}  ({VALUE}){INTERVAL}', number)
    if found:
        t.in_header(label, found.groups(), number, t.is_space, number['low'] is not None, False)


def verdict(t):
    """The number of rows that are known to have changed, if JSON has all rows; nothing if there is no change."""
    rows, p = t.report['rows'], t.report['total']['p']
    tested = sum(row['p'] is not None for row in rows)
    significant, new, gone = (sum(row['significant'] for row in rows),
                              *(sum(row['status'] == status for row in rows) for status in ('new', 'gone')))
    is_of_sampling = t.report['test'] in OF_SAMPLING
    sure = 'beyond sampling error' if is_of_sampling else 'significant'
    changed = 'changed beyond sampling error' if is_of_sampling else 'changed significantly'
    is_sure = p is not None and Decimal(p) < 1 - Decimal(t.percent) / 100
    whole = 'is not tested' if p is None else f'is {sure}' if is_sure else 'may be chance'
    of_rows = f'{significant or "none"} of {tested} rows tested {changed}' if tested else 'no row is tested'
    if t.report['test'] == 'none' or all(row['status'] == 'same' for row in rows):
        return
    if t.shown.json_limit:
        t.match('verdict', rf'verdict    the whole change {whole}; '
                rf'(\w+ of \d+ rows tested {changed}|no row is tested); \d+ new, \d+ gone', whole)
    else:
        t.sentence('verdict', f'verdict    the whole change {whole}; {of_rows}; {new} new, {gone} gone')


def diff_header(t):
    total, base, new = t.report['total'], t.report['base'], t.report['new']
    t.inputs(base['periods'] + new['periods'],
             f'{int(base["used"]):,} base, {int(new["used"]):,} new')
    side(t, 'base', total['base'])
    side(t, 'new', total['new'])
    found = t.match('change', rf'change     ({VALUE})(.*)', total['delta'])
    if found:
        delta = total['delta']['estimate']
        # Zero has no sign here.
        change = found[1].removeprefix('+') if is_nothing(delta) else found[1]
        t.number('change', change, delta,
                 numerals.is_change(change, delta, t.is_space, t.shown.unit) and found[1][0] in '+-')
        p_behind(t, 'change', found[2], total['p'], '2-sided p')
    verdict(t)
    if t.report['test'] != 'none':
        t.test()
    if t.report['test'] in OF_SAMPLING:
        t.sentence('not known', 'not known  what differs between processes by itself: three dumps or more would tell')
    detectable(t)
    if 'shared_processes' in t.report:
        shared = int(t.report['shared_processes'])
        t.sentence('shared', f'the same   {shared} process{" is" if shared == 1 else "es are"} on both sides: p is an upper limit')
    text = t.filters()
    if text is not None:
        left = t.report['filtered']
        found = re.fullmatch(rf'({VALUE}) of base, ({VALUE}) of new(.*)', text)
        t.same('left', found is not None, True)
        if found:
            t.value('left of base', found[1], left['base']['estimate'])
            t.value('left of new', found[2], left['new']['estimate'])
            p_behind(t, 'left', found[3], left['p'], '2-sided p')
    t.warnings()
    t.same('header', t.line(), '')


SCALES = {'B': 1, 'KiB': 2 ** 10, 'MiB': 2 ** 20, 'GiB': 2 ** 30, 'TiB': 2 ** 40}


def detectable(t):
    """The line about what a comparison that found nothing could have found.  JSON has four digits of it."""
    wanted = t.report.get('detectable')
    if wanted is None:
        return
    less = ' or less' if wanted['is_at_most'] else ''
    alone = ', with sampling error only; differences between processes add to it' if wanted['sampling_error_only'] else ''
    found = t.match('finds', r'finds      in 4 of 5 such comparisons a change of the total by (\S+)(?: (B|[KMGT]iB))?'
                    rf'(?: \((\S+)%\))?{less}{alone}', wanted)
    if found:
        share = None if wanted['share'] is None else 100 * Decimal(str(wanted['share']))
        t.number('finds', found[1], wanted['change'],
                 is_rounded(found[1], SCALES[found[2] or 'B'], Decimal(str(wanted['change']))))
        t.number('finds, share', found[3], share, (found[3] is None) == (share is None) and (
            share is None or is_rounded(found[3], 1, share)))


def is_rounded(text, scale, number):
    """Whether a text and a number of four digits can be one number, rounded twice."""
    digits = text.replace(',', '')
    step = Decimal(1).scaleb(-len(digits.partition('.')[2])) * scale
    return abs(Decimal(digits) * scale - number) < (step + Decimal(1).scaleb(number.adjusted() - 3)) / 2


def apart(first, last):
    """The span that a difference lies in."""
    low, high = fixed(first), fixed(last)
    return high[0] - low[1], high[1] - low[0]


def change_of(row):
    """The span of a change, which may be too small for JSON."""
    delta = row['delta']['estimate']
    return (-Fraction(1, 2000), Fraction(1, 2000)) if is_nothing(delta) else fixed(delta)


def mark_notes(t, first, second):
    """The notes about marks, with the number of rows if JSON has all of them."""
    if t.report['test'] in OF_SAMPLING:
        first, second = f'{first}, sampling', f'{second}, sampling'
    t.sentence('note', CLOSED[first].format('' if t.is_space else ' or objects of mixed sizes'))
    one_in = f'{100 / (100 - Decimal(t.percent)):.6g}'
    tested = sum(row['p'] is not None for row in t.report['rows'])
    if t.shown.json_limit:
        found = re.fullmatch(re.escape(CLOSED[second]).replace('\\{\\}', '([\\d,.]+(?: rows?)?)'), t.line())
        has_share = CLOSED[second].count('{}') > 1
        t.same('note', bool(found) and (not has_share or found[2] == one_in), True)
    else:
        t.sentence('note', CLOSED[second].format(f'{tested:,} row{"s" * (tested != 1)}', one_in))


def diff(t):
    tested = t.report['test'] != 'none'
    diff_header(t)
    is_same = all(is_nothing(row['delta']['estimate']) for row in t.report['rows'])
    if is_same and (not t.shown.json_limit or t.next_is('no change')):
        t.sentence('no change', f'no change: every {t.report["by"]} holds what it held')
        return
    t.title(('base', 13), ('new', 14), ('change', 14), ('of base', 9),
            *[('from', 14), ('to', 14), ('2-sided p', 10), (' ', 1)] * tested, t.by())
    for i, row in enumerate(t.rows()):
        what = f'row {i}'
        base, new, change, *rest, name = split(t.line(), 13, 13, 22, *[13, 13, 10] * tested)
        flat_or_dash(t, f'{what}, base', base, row['base']['estimate'])
        flat_or_dash(t, f'{what}, new', new, row['new']['estimate'])
        delta = row['delta']['estimate']
        change, share = re.fullmatch(r' *(.*?) *([-+][\d.]+%|-)', change).groups()
        signed(t, f'{what}, change', change, delta)
        t.number(f'{what}, of base', share, delta, numerals.is_growth(
            share, delta, t.report['total']['base']['estimate']))
        if tested:
            for key, text in zip(('low', 'high'), rest):
                number = row['delta'][key]
                t.number(f'{what}, {key}', text.strip(), number,
                         text.strip() == '-' if number is None else
                         numerals.is_end(text.strip(), number, t.is_space, t.shown.unit))
            t.chance(f'{what}, p', rest[2][:-1], row['p'])
            t.count(f'{what}, mark', rest[2][-1], '*' if row['significant'] else ' ')
        is_one_sided = is_nothing(row['base']['estimate']) or is_nothing(row['new']['estimate'])
        word = f'{row["status"]}: ' if is_one_sided and row['status'] in ('new', 'gone') else ''
        t.count(f'{what}, word', name[:len(word) + 1], f' {word}')
        t.name(f'{what}, name', name[len(word) + 1:], row['name'], i)
    t.more(change_of)
    if tested:
        t.sentence('note', CLOSED['ends'].format(t.percent))
        mark_notes(t, 'two-sided', 'mark')


def slope(t, what, text, number, unit, digits=9):
    t.number(what, text.strip(), number,
             numerals.is_slope(text.strip(), number, t.is_space, unit, digits))


SECONDS = {'second': 1, 'minute': 60, 'hour': 3600, 'day': 86400}


def trend_total(t, text, total):
    """The text after the slope: the slope per day, its lower bound, or that only sampling was tested."""
    per = t.report['total']['per']
    if per == 'hour':
        found = re.match(rf', ({VALUE}) per day', text)
        t.same('slope, per day', bool(found), True)
        if found:
            slope(t, 'slope, per day', found[1], total['per_day'], t.shown.unit)
            text = text[found.end():]
    if total['p'] is not None:
        found = re.fullmatch(rf', at least ({VALUE}|-) per {per}(, p growth .*), shape (.*)', text)
        t.same('slope, at least', bool(found), True)
        if found:
            slope(t, 'slope, at least', found[1], total['at_least'], t.shown.unit, 4)
            p_behind(t, 'slope', found[2], total['p'], 'p growth')
            t.same('shape', found[3], total['shape'])
    else:
        p_behind(t, 'slope, sampling', text, total['p_sampling'], 'p sampling')


def trend_header(t):
    total, inputs, hours = t.report['total'], t.report['inputs'], t.report['hours']
    per = total['per']
    long = '' if hours is None else f'{float(hours) * 3600 / SECONDS[per]:.3g}'
    over = long and f' over {long} {per}' + 's' * (long != '1')
    t.inputs(inputs['periods'], f'{inputs["used"]} dumps{over}')
    for key in ('first', 'last'):
        found = t.match(key, rf'{key:9}  ({VALUE})', total[key])
        if found:
            t.value(key, found[1], total[key])
    found = t.match('slope', rf'slope      ({VALUE}) per (\w+)(.*)', total)
    if found:
        slope(t, 'slope', found[1], total['slope'], t.shown.unit)
        t.same('slope', found[2], per)
        trend_total(t, found[3], total)
    if t.report['test'] != 'none':
        t.test('; ' + FITTED[t.report['variance_tested']])
    span = f'{inputs["used"]} dumps, times not known' if hours is None else over[6:]
    t.same('span', t.line(), f'span       {span}; {CANNOT}')
    text = t.filters()
    if text is not None:
        found = re.fullmatch(rf'({VALUE}) of the first, ({VALUE}) of the last', text)
        t.same('left', found is not None, True)
        if found:
            t.value('left of the first', found[1], t.report['filtered']['first'])
            t.value('left of the last', found[2], t.report['filtered']['last'])
    detectable(t)
    t.warnings()
    t.same('header', t.line(), '')


def trend_row(t, what, row, cells):
    """The cells between slope and tau."""
    if t.report['variance_tested']:
        least, chance, shape = cells
        slope(t, f'{what}, at least', least, row['at_least'], t.shown.unit, 4)
        t.chance(f'{what}, p', chance[:-1], row['p'])
        t.count(f'{what}, mark', chance[-1], '*' if row['significant'] else ' ')
        t.count(f'{what}, shape', shape.strip(), row['shape'])
    elif t.report['test'] != 'none':
        t.chance(f'{what}, p sampling', cells[0], row['p_sampling'])
        t.same(f'{what}, p', row['p'], None)


def trend(t):
    told, tested, unit = t.report['variance_tested'], t.report['test'] != 'none', t.shown.unit
    steps = int(t.report['inputs']['used']) - 1
    trend_header(t)
    per = f'slope/{t.report["total"]["per"]}'
    t.title(('first', 13), ('last', 14), (per, 14),
            *[('grows by at least', 18), ('p growth', 9), (' ', 1), ('shape', 9)] * told,
            *[('p sampling', 11)] * (tested and not told), ('tau', 7), ('grew', 11), t.by())
    for i, row in enumerate(t.rows()):
        what = f'row {i}'
        first, last, per, *rest, tau, grew, name = split(
            t.line(), 13, 13, 13, *[17, 9, 8] * told, *[10] * (tested and not told), 6, 10)
        t.value(f'{what}, first', first.strip(), row['first'])
        t.value(f'{what}, last', last.strip(), row['last'])
        slope(t, f'{what}, slope', per, row['slope'], unit)
        trend_row(t, what, row, rest)
        t.number(f'{what}, tau', tau.strip(), row['tau'], numerals.is_tau(tau.strip(), row['tau']))
        t.count(f'{what}, grew', grew.strip(), f'{row["grew"]}/{steps}')
        t.same(f'{what}, space', name[:1], ' ')
        t.name(f'{what}, name', name[1:], row['name'], i)
    t.more(lambda row: apart(row['first'], row['last']))
    if told:
        mark_notes(t, 'growth', 'grows')
        while t.at < len(t.lines) and re.search(' grows since .* per | rose in each of the last ', t.lines[t.at]):
            t.at += 1
        t.same('note', t.line(), CLOSED['one-sided'])
    elif tested:
        t.same('note', t.line(), CLOSED['sampling'])
    t.same('note', t.line(), CLOSED['tau'])


# --- info -----------------------------------------------------------------------------------------

FAULTS = {'malformed line%s': 'malformed', 'indented line%s of an unknown kind': 'unknown',
          'count%s that had wrapped around': 'wrapped',
          'overlapping row%s in the memory map': 'overlaps'}


def plural(count):
    return '' if count == '1' else 's'


def counted(count, word):
    """"2 addresses"."""
    return f'{count} {word}{"e" if word.endswith("ss") and count != "1" else ""}{plural(count)}'


def fields(t):
    """[(name, text)] of the lines below a title."""
    found = []
    while t.next_is('  '):
        line = t.line()
        found.append((line[2:14].strip(), line[15:]))
    return found


def info_input(t, row):
    t.same('input', t.line(), 'input ' + escaped(row['name']))
    got = fields(t)
    if 'total' not in row:
        return
    what, found = row['name'], dict(got)
    t.same(what, found.get('moment', row['moment']), row['moment'])
    t.same(what, found['format'], row['format'])
    period = re.match(r'every (\d+) bytes|(every allocation)|(no sample period)', found['sampling'])
    t.count(f'{what}, period', period and (period[1] or ('1' if period[2] else '0')), row['period'])
    apart = f' ({row["unmapped_addresses"]} in no mapping)'
    words = ('stack', 'thread', 'mapped file', 'distinct address')
    contents = re.fullmatch(r'(\d+) \D+, (\d+) \D+, \d+ \D+, (\d+) [a-z ]*[a-z](.*)', found['contents'])
    for part, word in zip(found['contents'].partition(' (')[0].split(', '), words, strict=True):
        t.same(what, part, counted(part.partition(' ')[0], word))
    for i, key in enumerate(('stacks', 'threads', 'addresses'), 1):
        t.count(f'{what}, {key}', contents and contents[i], row[key])
    t.count(f'{what}, unplaced', contents and contents[4],
            apart if row['unmapped_addresses'] != '0' else '')
    size, lines = re.fullmatch(r'(.*?)(?: in (.*))?', found['size']).groups()
    t.count(f'{what}, bytes', size, counted(row['bytes'], 'byte'))
    t.same(f'{what}, lines', lines, lines and counted(lines.partition(' ')[0], 'line'))
    for key, name in (('inuse', 'in use'), ('alloc', 'allocated')):
        info_sum(t, what, found.get(name), row['total'][f'{key}-space'],
                 row['total'][f'{key}-objects'])
    info_header(t, what, found['header'], row)
    info_sizes(t, what, found.get('sizes', ''), row['sizes'])
    listed = re.match(r'\d+', found.get('listed', '0'))[0]
    t.count(f'{what}, listed', listed, row['listed'])
    passed = dict.fromkeys(FAULTS.values(), '0')
    for name, text in got:
        if name == 'passed over':
            count, _, kind = text.partition(', the first')[0].partition(' ')
            passed[{kinds % plural(count): key for kinds, key in FAULTS.items()}[kind]] = count
    for key, count in row['skipped_lines'].items():
        t.count(f'{what}, {key}', passed[key], count)


KNOWN = {'unique': 'of known sizes', 'several': 'of likely sizes',
         'none': 'of mixed sizes'}


def info_sizes(t, what, text, sizes):
    """Compare how far the sizes of objects are known."""
    wanted = [(words, sizes[key]) for key, words in KNOWN.items() if sizes[key]['stacks'] != '0']
    parts = text.split('; ') if text else []
    t.same(f'{what}, sizes', len(parts), len(wanted))
    for part, (words, of) in zip(parts, wanted):
        stacks, size, known = part.split(', ')
        t.count(f'{what}, sizes', stacks, counted(of['stacks'], 'stack'))
        t.number(f'{what}, sizes', size, of, numerals.is_value(size, of['bytes'], True, 'auto'))
        t.same(f'{what}, sizes', known, words)


def info_header(t, what, text, row):
    """Whether the header is taken for the total, and the sum of the stacks in use if that is another number."""
    said = re.search(rf'(?:, ({VALUE}),)? and is taken$', text)
    t.same(f'{what}, header', bool(said), 'stacks_total' in row)
    sums = [row.get(key, row['total'])['inuse-space'] for key in ('total', 'stacks_total')]
    t.same(f'{what}, header', bool(said and said[1]), sums[0] != sums[1])
    if said and said[1]:
        t.number(f'{what}, header', said[1], sums[1], numerals.is_value(said[1], sums[1], True, 'auto'))


def info_sum(t, what, text, space, objects):
    if space is None:
        t.same(what, text, None)
        return
    size, _, count = (text or '').partition('   ')
    t.number(what, size, space, numerals.is_value(size, space, True, 'auto'))
    if objects is None:
        t.same(what, count, '')
    else:
        count, _, word = count.partition(' ')
        t.same(what, word, f'object{plural(count)}')
        t.number(what, count, objects, numerals.is_value(count, objects, False, 'auto'))


def returns_of(counts):
    if counts is None:
        return None
    checked = counts['checked']
    return (f'{checked - counts["not_after_call"]} of {checked} return '
            f'address{"es follow" if checked > 1 else " follows"} a call')


def info_process(t, row):
    t.same('process', t.line(), f'process {row["key"] or "-"}')
    found = dict(fields(t))
    what = f'process {row["key"]}'
    t.count(f'{what}, pid', found.get('pid'), row['pid'])
    t.count(f'{what}, dumps', found['dumps'], row['dumps'])
    t.same(what, found['known by'], row['identified_by'])
    t.same(what, found.get('in order of'), row['order'])
    used = escaped(row['used']) + ', ' + row['why'] if row['why'] else None
    t.same(what, found.get('used'), used)


def info_diagnostic(t, row):
    what = f'diagnostic {row["kind"]}'
    t.same('diagnostic', t.line(), what)
    (_, inputs), *named = fields(t)
    t.count(f'{what}, inputs', inputs, row['inputs'])
    t.same(what, [text for _, text in named],
           [' '.join([each['identity'], *([escaped(each['name'])] if each['name'] else [])]) for each in row['named']])


def info(t):
    while not t.next_is('input '):  # the screen, which has no more than these facts
        t.line()
    for row in t.report['inputs']:
        info_input(t, row)
    for row in t.report['processes']:
        info_process(t, row)
    for row in t.report.get('diagnostics', []):
        info_diagnostic(t, row)
    for row in t.report['modules']:
        deleted = ' (deleted)' if row['deleted'] else ''
        t.same('module', t.line(), 'module ' + escaped(row['path']) + deleted)
        found = dict(fields(t))
        t.count(f'{row["path"]}, frames', found['frames'], row['frames'])
        if row['path'] == '[jit]':  # it has no file
            continue
        for name, key in (('build id', 'build_id'), ('symbols', 'symbols'),
                          ('from', 'symbols_from'), ('note', 'note')):
            t.same(row['path'], found.get(name), row[key])
        t.same(row['path'], found.get('returns'), returns_of(row['return_addresses']))
    if t.next_is('memory'):
        t.line()
        fields(t)
    for metric in ('inuse-space', 'inuse-objects', 'alloc-space', 'alloc-objects'):
        number = t.report['total'][metric]
        t.sentence('total', f'total {metric} {"-" if number is None else number}')
        if number is not None and metric.endswith('space') and 'stacks_total' in t.report:
            t.sentence('stacks', f'stacks {metric} {t.report["stacks_total"][metric]}')
    for metric, parts in t.report.get('error', {}).items():
        whole = float(t.report.get('stacks_total', t.report['total'])[metric])
        ends = [float(parts[part][end]) / whole * 100 - 100 for part in ('sampling', 'rounding') for end in ('low', 'high')]
        found = t.match('error', rf'error {metric} (\S+)% to (\S+)% by sampling, (\S+)% to (\S+)% by rounding and unknown '
                        'sizes', parts)
        for text, end in zip(found.groups() if found else (), ends):
            least, most = (float(f'{end + off:.3g}') for off in (-1e-6, 1e-6))
            t.number('error', text, f'{end:+.3g}', least <= float(text) <= most)
    finer = t.report.get('finer_period')
    if finer:
        found = next(filter(None, (re.fullmatch(
            r'advice the error of inuse-space is (\d+)%; a sample period of (\S+) (\w+) leaves about (\d+)%: hprof-agg plan',
            line) for line in t.lines)), None)
        t.same('advice', found is not None, True)
        for text, key in ((found[1], 'half_width'), (found[4], 'half_width_then')) if found else ():
            t.number('advice', text, finer[key], abs(Decimal(text) / 100 - Decimal(str(finer[key]))) <= Decimal('0.0051'))
        if found:
            t.count('advice', str(int(found[2]) * SCALES[found[3]]), finer['period'])


KINDS = {'top': top, 'stacks': stacks, 'tree': tree, 'peek': peek, 'list': listing, 'diff': diff,
         'trend': trend, 'info': info}


def compare_text(report, text, shown):
    """Compare all lines of a report: each number is JSON's, written for people."""
    t = Text(report, text, shown)
    try:
        KINDS[t.kind](t)
    except (ValueError, IndexError, KeyError, TypeError, AttributeError) as error:
        t.faults.append(f'{error!r} at line {t.at}: {t.lines[t.at - 1]!r}')
        return t
    if t.kind not in ('stacks', 'info') and not t.lines[t.at - 1].startswith('no change: '):
        t.charges()
    return t.done()

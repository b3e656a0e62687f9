"""The text of diff, trend and info."""
import re
from decimal import Decimal
from fractions import Fraction

import numerals
from agreeing import TIME_PATTERN
from numerals import fixed, is_nothing
from text_lines import INTERVAL, OF_SAMPLING, VALUE, Text, escaped, flat_or_dash, split
from text_tables import listing, peek, stacks, top, tree

# --- diff and trend -------------------------------------------------------------------------------


def signed(t, what, text, number):
    t.number(what, text.strip(), number,
             numerals.is_change(text.strip(), number, t.is_space, t.shown.unit))


def p_said(t, what, text, p):
    """"p = 0.0123" or "p < 0.0001" in a sentence."""
    found = re.fullmatch(r'p ([=<]) ([\d.]+)', text or '')
    t.number(what, text, p, bool(found) and p is not None and
             numerals.is_chance(found[1].replace('=', '') + found[2], p))


COURSE = rf'({VALUE}) → ({VALUE})'
NOUNS = {'inuse-space': 'in use', 'inuse-objects': 'objects in use', 'alloc-space': 'allocated',
         'alloc-objects': 'objects allocated'}


def course(t, what, first, last, numbers):
    """Two values, the first one without its unit if both have the same."""
    unit = last.partition(' ')[2]
    whole = f'{first} {unit}' if unit and ' ' not in first else first
    t.same(f'{what}, unit', unit != '' and first.partition(' ')[2] == unit, False)
    for text, number in zip((whole, last), numbers):
        t.value(what, text, number)


def side(t, label, number):
    found = t.match(label, rf'{label:9}  ({VALUE}){INTERVAL}', number)
    if found:
        t.in_header(label, found.groups(), number, t.is_space, number['low'] is not None, False)


def is_sure(t):
    p = t.report['total']['p']
    return p is not None and Decimal(p) < 1 - Decimal(t.percent) / 100


def verdict(t):
    """The verdict on the total, by its p-value and the test."""
    if t.report['total']['p'] is None:
        return 'verdict-untested'
    return {(False, True): 'verdict-significant', (True, True): 'verdict-sampling', (False, False): 'verdict-chance',
            (True, False): 'verdict-noise'}[t.report['test'] in OF_SAMPLING, is_sure(t)]


def is_same(t):
    """Whether no row changed."""
    return all(row['status'] == 'same' for row in t.report['rows']) and (
        not t.shown.json_limit or any(re.fullmatch('(no-change|no-row-changed): .*', line) for line in t.lines))


def answer(t):
    """The first line without what it says about files that are skipped, and functions that are not compared."""
    line = t.line()
    found = re.search(r'; [^;]*headline-open$', line)
    line = line[:found.start()] if found else line
    if not found and 'headline-open' in t.lines[t.at]:  # it had no room
        found = re.match(r'.*?headline-open(?!-)(: |$)', t.lines[t.at])
        t.lines[t.at] = t.lines[t.at][found.end():].replace('  changed ', '  tested changed ', 1)
        t.at += found[1] == ''
    if found:
        codes = {one['code'] for one in t.report['warnings']}
        t.same('open', bool(codes & {'open-module', 'open-unmatched'}), True)
    inputs = [t.report[side] for side in (('base', 'new') if t.kind == 'diff' else ('inputs',))]
    skipped, used = (sum(int(side[key]) for side in inputs) for key in ('skipped', 'used'))
    found = re.search(r'(headline-truncated|headline-some-truncated: \d+ s?)?(headline-skipped: (?: \(|, ) ?(\d+) (\d+) ?)?\)', line)
    t.same('skipped', int(found and found[3] or 0), skipped)
    if found and found[4]:
        t.same('skipped of', int(found[4]) >= skipped + used, True)
    return line.replace(found[0], '') if found and (found[1] or found[2]) else line


def diff_answer(t):
    total, line, metric = t.report['total'], answer(t), NOUNS.get(t.metric, t.metric)
    delta = total['delta']
    numbers = total['base']['estimate'], total['new']['estimate']
    is_mean = max(int(t.report[name]['used']) for name in ('base', 'new')) > 1
    found = re.fullmatch(rf'([-+]?\S+(?: [KMGTPE]?i?B)?(?: ± {VALUE}| \((?:[^()]* … [^()]*|\?)\))?): {"mean " * is_mean}{COURSE} '
                         rf'{re.escape(metric)}(?:, (verdict-[a-z]+?)(?:(p .*)\))?)?', line)
    if not found:
        t.wrong('answer', line, total)
        return
    t.number('change', found[1], delta, numerals.is_change_said(
        found[1], delta['estimate'], delta['low'], delta['high'], t.is_space, t.shown.unit))
    course(t, 'total', found[2], found[3], numbers)
    t.same('verdict', found[4], None if t.report['test'] == 'none' else verdict(t))
    if found[5] or total['p'] is not None and t.report['test'] != 'none':
        p_said(t, 'total', found[5], total['p'])


def sources(t, pattern=''):
    """Pass over the sentences that say which dumps were used, before a text or in a line of their own."""
    line = t.lines[t.at]
    if line == '' or line.startswith(('filters ', 'warning: ', 'note: ', 'spread-')):
        return
    found = re.search(pattern, line) if pattern else None
    if found and found.start() > 0:
        t.lines[t.at] = line[found.start():]
    elif not found:
        t.at += 1


def diff_rows(t):
    """The line about rows that changed, are new or gone; exact if JSON has all rows."""
    rows, by = t.report['rows'], t.report['by']
    tested = sum(row['p'] is not None for row in rows)
    significant, new, gone = (sum(row['significant'] for row in rows),
                              *(sum(row['status'] == status for row in rows) for status in ('new', 'gone')))
    changed = 'changed beyond sampling error' if t.report['test'] in OF_SAMPLING else 'changed significantly'
    plural = '' if tested == 1 else 'es' if by.endswith('s') else 's'
    more = f', verdict-new: {new}' * (new > 0) + f', verdict-gone: {gone}' * (gone > 0)
    pattern = (rf'(verdict-no-rows: {by}|verdict-(none:|rows: \d+) \d+ {by} (e?s)? (?: tested)? {changed})'
               r'(, verdict-new: \d+)?(, verdict-gone: \d+)?')
    sources(t, f'{pattern}$')
    if t.shown.json_limit:
        t.match('rows', pattern, rows)
    elif tested:
        code = f'verdict-rows: {significant}' if significant else 'verdict-none:'
        is_tested = ' tested'  # which answer() puts back where "compared in part" precedes it
        t.sentence('rows', f'{code} {tested} {by} {plural} {is_tested} {changed}{more}')
    else:
        t.sentence('rows', f'verdict-no-rows: {by}{more}')


def few_warnings(t, wanted=''):
    """At most three warnings, which may be shorter than JSON's, and how many more there are; one of them is `wanted`."""
    first = t.at
    while re.match(r'(warning|note|more-warnings): ', t.lines[t.at]):
        t.at += 1
    shown = t.lines[first:t.at]
    t.same('warnings', sum(line.startswith('warning: ') for line in shown) <= 3 and len(shown) <= 5, True)
    t.same('warnings', wanted in ['', *shown] or len(shown) > 3, True)
    t.same('warnings', [] if [one['text'] for one in t.report['warnings']] else [line for line in shown if line.startswith('warning: ') and line != wanted], [])


def diff_header(t):
    total = t.report['total']
    if is_same(t) and t.next_is('no-change'):
        found = t.match('answer', rf'no-change: ({VALUE}) {re.escape(NOUNS.get(t.metric, t.metric))}', total)
        if found:
            t.value('total', found[1], total['new']['estimate'])
            t.same('total', total['base']['estimate'], total['new']['estimate'])
    else:
        diff_answer(t)
        if t.report['test'] != 'none' and not is_same(t):
            diff_rows(t)
    sources(t)
    text = t.filters()
    if text is not None:
        left = t.report['filtered']
        found = re.fullmatch(rf'({VALUE}) of base, ({VALUE}) of new(?:, (p .*))?', text)
        t.same('left', found is not None, True)
        if found:
            t.value('left of base', found[1], left['base']['estimate'])
            t.value('left of new', found[2], left['new']['estimate'])
            if left['p'] is None:
                t.same('left', found[3], None)
            else:
                p_said(t, 'left', found[3], left['p'])
    few_warnings(t, '' if t.report['test'] not in OF_SAMPLING else
                 'warning: spread-not-known' if t.report['test'] == 'independent' else 'warning: spread-unknown')
    if not t.lines[0].startswith('no-change: '):  # otherwise nothing follows
        t.same('header', t.line(), '')


SCALES = {'B': 1, 'KiB': 2 ** 10, 'MiB': 2 ** 20, 'GiB': 2 ** 30, 'TiB': 2 ** 40}


def moved(t):
    """The note about memory that folding attributed to callers, unless there are three notes already."""
    total = t.report['total']['new']['estimate'] if t.kind == 'diff' else t.report['total']['last']
    share = Fraction(t.report['attributed_to_callers']) / Fraction(total) if Fraction(total) > 0 else 0
    notes = [line for line in '\n'.join(t.lines).partition('\n\n')[2].split('\n')
             if re.match(r'… |mark-|legend-|note-|detectable', line)]
    if share < Fraction(1, 20) or len(notes) > 2:
        return
    found = t.match('moved', r'moved: (\d+) [a-z, -]+ moved-to-callers: (?:its|their)', t.report['attributed_to_callers'])
    if found:
        t.number('moved, share', found[1], t.report['attributed_to_callers'], abs(int(found[1]) - share * 100) <= Fraction(501, 1000))


def detectable(t):
    """The line about what a comparison that found nothing could have found.  JSON has four digits of it."""
    wanted = t.report.get('detectable')
    if wanted is None:
        return
    less = 'detectable-or-less' if wanted['is_at_most'] else ''
    alone = 'detectable-by-sampling' if wanted['sampling_error_only'] else ''
    code, whole = ('detectable', 'of-base') if t.kind == 'diff' else ('detectable-growth', 'of-mean')
    if wanted['change'] is None:
        t.sentence('too few', 'detectable-too-few: 10')
        return
    found = t.match('detectable', rf'{code}: ([\d.,]+)(?: (B|[KMGT]iB))?(?: \(share-(of|times): (\S+) {whole})?{less}{alone}', wanted)
    if found:
        part = None if wanted['share'] is None else Decimal(wanted['share'])
        share = None if part is None else part * (100 if found[3] == 'of' else 1)
        t.same('detectable, unit', found[3], part if part is None else 'of' if part < 10 else 'times')
        t.number('detectable', found[1], wanted['change'],
                 is_rounded(found[1], SCALES[found[2] or 'B'], Decimal(wanted['change'])))
        t.number('detectable, share', found[4], share, (found[4] is None) == (share is None) and (
            share is None or is_rounded(found[4], 1, share)))


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


def marks(t):
    """The explanation of marks, if shown rows have any."""
    rows, is_diff = t.shown_changes(), t.kind == 'diff'
    rate = f'{100 - Decimal(t.percent):.6g}' if t.percent else ''
    found = ''
    if any(row['significant'] for row in rows):
        found += ('mark-sampling' if t.report['test'] in OF_SAMPLING else
                  f'mark-significant: {"significant" if is_diff else "steady growth"} {rate}')
    if t.report['test'] != 'none' and (is_diff or t.report['variance_tested']) and any(row['p'] is None for row in rows):
        found += 'mark-untested: ' + '; ' * bool(found)
    if is_diff and t.report['test'] != 'none' and any(
            (row['p'] is not None or row['base']['low'] is not None or row['new']['low'] is not None)  # else it is "-"
            and None in (row['delta']['low'], row['delta']['high']) for row in rows):
        found += 'mark-open: ' + '; ' * bool(found)
    if any(re.search(r'@0x[0-9a-f]', line) for line in t.lines[:t.at] if not line.startswith(('next', 'filter'))):
        found += '; ' * bool(found) + 'legend-offset'
    return found


def diff(t):
    tested = t.report['test'] != 'none'
    diff_header(t)
    if is_same(t):
        if not t.lines[0].startswith('no-change: '):
            t.sentence('no row', f'no-row-changed: {t.report["by"]}')
        t.has_table = False
        return
    t.title(('base', 13), ('new', 14), ('change', 14), *[(f'{t.percent}% CI', 21), ('p', 9), (' ', 1)] * tested, t.by())
    for i, row in enumerate(t.shown_changes()):
        what = f'row {i}'
        base, new, change, *rest, name = split_change(t.line(), tested)
        flat_or_dash(t, f'{what}, base', base, row['base']['estimate'])
        flat_or_dash(t, f'{what}, new', new, row['new']['estimate'])
        delta = row['delta']
        signed(t, f'{what}, change', change, delta['estimate'])
        if tested:
            interval, p = rest
            t.number(f'{what}, interval', interval.strip(), delta, numerals.is_change_interval(
                interval.strip(), delta['estimate'], delta['low'], delta['high'], t.is_space, t.shown.unit))
            t.chance(f'{what}, p', p[:-1], row['p'])
            t.count(f'{what}, mark', p[-1], '*' if row['significant'] else ' ')
        is_one_sided = is_nothing(row['base']['estimate']) or is_nothing(row['new']['estimate'])
        word = f'{row["status"]}: ' if is_one_sided and row['status'] in ('new', 'gone') else ''
        t.count(f'{what}, word', name[:len(word) + 1], f' {word}')
        t.name(f'{what}, name', name[len(word) + 1:], row['name'], i)
    t.more(change_of, marks(t))
    detectable(t)


def split_change(line, tested):
    """base, new, change, and if changes were tested their intervals and p with its mark; then the name."""
    base, new, change, rest = split(line, 13, 13, 13)
    if not tested:
        return base, new, change, rest
    found = re.match(r'( *(?:\S+ … \S+(?: [KMGTPE]?i?B)?(?= )|[-?]?)) +(<?[\d.]+|-)([* ])', rest)
    return base, new, change, found[1], found[2] + found[3], rest[found.end() + 1:]


def slope(t, what, text, number, unit, digits=9):
    t.number(what, text.strip(), number,
             numerals.is_slope(text.strip(), number, t.is_space, unit, digits))


SECONDS = {'second': 1, 'minute': 60, 'hour': 3600, 'day': 86400}
WORDS = {'none': '-', 'levelled': 'plateau'}


def file_of(path):
    """The file's own name, as a screen shows it."""
    return escaped(path.rpartition('/')[2])


def time_of(path):
    """The time of a dump, which is its number in the file name."""
    return int(re.search(TIME_PATTERN, path)[1])


def trend_growth(t, text):
    """"+6.0 MiB per dump, at least +2.8 MiB; 13.1 → 70.8 MiB in 10 dumps, p = 0.01"."""
    total = t.report['total']
    found = re.fullmatch(rf'({VALUE}) per {total["per"]}(?:, at least ({VALUE}))?; {COURSE} in (\d+) dumps, (p .*)', text)
    t.same('answer', bool(found), True)
    if found:
        slope(t, 'slope', found[1], total['slope'], t.shown.unit)
        t.same('at least', found[2] is not None, float(total['at_least'] or 0) > 0)
        if found[2]:
            slope(t, 'at least', found[2], total['at_least'], t.shown.unit, 4)
        course(t, 'total', found[3], found[4], (total['first'], total['last']))
        t.count('dumps', found[5], t.report['inputs']['used'])
        p_said(t, 'total', found[6], total['p'])


def step_share(total):
    """Which part of the growth is the largest step, if the shape is a step; else 0."""
    values = list(map(float, total['values']))
    rise, growth = max(b - a for a, b in zip(values, values[1:])), float(total['last']) - float(total['first'])
    return rise / growth if total['shape'] == 'step' and growth > 0 else 0


def rows_growing(t, line):
    """Rows grow steadily although the total does not, which may have grown in one step."""
    total, by, dumps = t.report['total'], t.report['by'], t.report['inputs']['used']
    is_step = step_share(total) >= .8
    found = re.fullmatch(rf'trend-rows-growing: (\d+) {by} (?:e?s)? {" in one step" * is_step} ' + COURSE + rf' in {dumps} dumps \((p .*)\)', line)
    t.same('answer', bool(found), True)
    if not found:
        return
    if not t.shown.json_limit:
        t.count('growing rows', found[1], str(sum(row['significant'] for row in t.report['rows'])))
    course(t, 'total', found[2], found[3], (total['first'], total['last']))
    p_said(t, 'total', found[4], total['p'])


def trend_answer(t):
    total, line, dumps = t.report['total'], answer(t), t.report['inputs']['used']
    if total['significant']:
        start = f'trend-since {file_of(total["onset"]["dump"])}: ' if total['shape'] == 'since' else 'trend-growing '
        t.same('answer', line.startswith(start), True)
        trend_growth(t, line.removeprefix(start))
        return
    grows = any(row['significant'] for row in t.report['rows']) and t.report['processes']['count'] == 1
    if line.startswith('trend-rows-growing: ') or grows:
        rows_growing(t, line)
        return
    few = f'trend-few-dumps: {dumps} 8 '
    word = WORDS.get(total['shape'], total['shape'])
    shape = f' ( {word} )' if word in ('plateau', 'cycle') else '  '
    untested = ('', rf' in {dumps} dumps; trend-untested')
    before, after = (
        untested if t.report['test'] == 'none' else
        (few if int(dumps) < 8 else 'trend-one-time ', '') if not t.report['variance_tested'] else
        untested if total['p'] is None else
        ('trend-step ' if step_share(total) >= .8 else 'trend-mostly ',
         rf' in {dumps} dumps; trend-no-more(p .*)\)') if step_share(total) > .5 else
        (f'trend-unsteady: {shape} ', rf' in {dumps} dumps, (p .*)'))
    found = re.fullmatch(re.escape(before) + COURSE + after, line)
    if not found:
        t.wrong('answer', line, total)
        return
    course(t, 'total', found[1], found[2], (total['first'], total['last']))
    if found.re.groups > 2:
        p_said(t, 'total', found[3], total['p'])


def rows_that_grow(t, text):
    """How many of the tested rows grow steadily, and the one that grows most: "f, +1.0 MiB per dump"."""
    rows, by, per = t.report['rows'], t.report['by'], t.report['total']['per']
    grow, tested = sum(row['significant'] for row in rows), sum(row['p'] is not None for row in rows)
    plural = '' if tested == 1 else 'es' if by.endswith('s') else 's'
    found = re.fullmatch(rf'no-row-tested: {by}|no-row-grows: {by} (\d+)|'
                         rf'rows-grow: (\d+) (\d+) {by} (?:e?s)? (s?)(?:: |, most )(.*), ({VALUE}) per {per}', text)
    t.same('rows that grow', bool(found), True)
    if not found or t.shown.json_limit:
        return
    if grow == 0:
        t.count('rows that grow', text, f'no-row-grows: {by} {tested}' if tested else f'no-row-tested: {by}')
    else:
        said = f'{grow} of {tested} {by}{plural} grow{"s: " if grow == 1 else " steadily"}'
        t.same('rows that grow', (found[2], found[3], found[4] == 's'), (str(grow), str(tested), grow == 1))
        slope(t, said, found[6], rows[0]['slope'], t.shown.unit)


def trend_second(t):
    """The line about rows and dumps, of parts that are there or not."""
    total, hours, per = t.report['total'], t.report['hours'], t.report['total']['per']
    is_since = total['significant'] and total['shape'] == 'since'
    thread = t.report.get('thread')
    if not (is_since or t.report['variance_tested'] or hours is not None or t.next_is('exit-left-out') or thread):
        return
    parts = re.sub('(times-unknown|exit-left-out): (; )?', r'\2\1', t.line()).split('; ')
    if thread:
        t.same('thread', parts.pop(0), f'source-thread {escaped(thread)}')
    if is_since:
        found = re.fullmatch(rf'total-since: ({VALUE}) ({VALUE})', parts.pop(0))
        t.same('since', bool(found), True)
        for text, key, digits in zip(found.groups() if found else (), ('growth', 'at_least'), (9, 4)):
            slope(t, f'since, {key}', text, total['onset'][key], t.shown.unit, digits)
        if total['onset']['from'] != total['onset']['to']:
            t.same('began', parts.pop(0), f'total-began {file_of(total["onset"]["from"])} and {file_of(total["onset"]["to"])}')
    elif t.report['variance_tested']:
        if step_share(total) > .5:
            found = re.fullmatch(rf'total-step: ({VALUE}) (\S+?)(?:, total-step-time: (\S+) {per} s?)?', parts.pop(0))
            values = list(map(Decimal, total['values']))
            slope(t, 'step', found and found[1] or '', str(max(b - a for a, b in zip(values, values[1:]))), t.shown.unit, 6)
            t.same('step', found and found[2], file_of(total['step']['dump']))
            t.same('step, time', bool(found and found[3]), hours is not None)
            if found and found[3]:
                since = (float(total['step']['time']) - time_of(t.shown.dumps[0])) / SECONDS[per]
                t.count('step, time', found[3], f'{since:.3g}')
        rows_that_grow(t, parts.pop(0))
    if hours is not None:
        long = f'{float(hours) * 3600 / SECONDS[per]:.3g}'
        t.same('span', parts.pop(0), f'{t.report["inputs"]["used"]} dumps span {long} {per}{"s" * (long != "1")}')
    elif total['significant']:
        t.same('times', parts.pop(0), 'times-unknown')
    t.same('exit dump', parts in ([], ['exit-left-out']), True)


def trend_header(t):
    trend_answer(t)
    trend_second(t)
    text = t.filters()
    if text is not None:
        found = re.fullmatch(rf'({VALUE}) of the first, ({VALUE}) of the last', text)
        t.same('left', found is not None, True)
        if found:
            t.value('left of the first', found[1], t.report['filtered']['first'])
            t.value('left of the last', found[2], t.report['filtered']['last'])
    few_warnings(t)
    t.same('header', t.line(), '')


def trend_row(t, what, row, cells):
    """The cells between the slope and the series."""
    least, chance, shape = cells
    if float(row['at_least'] or 0) > 0:
        slope(t, f'{what}, at least', least, row['at_least'], t.shown.unit, 4)
    else:
        t.count(f'{what}, at least', least.strip(), '-')
    t.chance(f'{what}, p', chance[:-1], row['p'])
    t.count(f'{what}, mark', chance[-1], '*' if row['significant'] else ' ')
    if row['shape'] in ('since', 'step'):
        dump = row['onset' if row['shape'] == 'since' else 'step']['dump']
        t.count(f'{what}, shape', shape.strip(), f'{row["shape"]} {t.shown.dumps.index(dump) + 1}')
    else:
        t.same(f'{what}, shape', shape.strip(), WORDS.get(row['shape'], row['shape']))


def drawn(values):
    """The series as a line: means of equal runs of at most 16, in eighths of the largest."""
    run = -(-len(values) // 16)
    means = [sum(map(Fraction, values[i:i + run])) / len(values[i:i + run]) for i in range(0, len(values), run)]
    most = max(*means, 0) if len(means) > 1 else means[0]
    return [max(min(-(-mean * 8 // most) - 1, 7), 0) if most > 0 else 0 for mean in means]


def is_drawn(text, values):
    """Whether a text is the line of a series; JSON rounds the values, which may move a cell by one."""
    levels = drawn(values)
    return len(text) == len(levels) and all(abs('▁▂▃▄▅▆▇█'.find(c) - level) <= 1 and c in '▁▂▃▄▅▆▇█'
                                            for c, level in zip(text, levels))


def trend(t):
    told, unit, dumps = t.report['variance_tested'], t.shown.unit, t.report['inputs']['used']
    labels = {}
    trend_header(t)
    per = f'per {t.report["total"]["per"]}'
    t.title(('last', 13), (per, 14), *[('at least', 14), ('p', 9), (' ', 1), ('shape', 9)] * told,
            (f'{dumps} dumps', 17), t.by())
    for i, row in enumerate(t.shown_changes()):
        what = f'row {i}'
        last, per, *rest, series, name = split(t.line(), 13, 13, *[13, -8, 8] * told, 16)
        t.value(f'{what}, last', last.strip(), row['last'])
        slope(t, f'{what}, slope', per, row['slope'], unit)
        if told:
            trend_row(t, what, row, rest)
            labels.setdefault(row['shape'], rest[-1].strip())
        t.same(f'{what}, series', is_drawn(series.strip(), row['values']), True)
        t.same(f'{what}, space', name[:1], ' ')
        t.name(f'{what}, name', name[1:], row['name'], i)
    t.more(lambda row: apart(row['first'], row['last']), marks(t))
    shown = t.shown_changes()
    notes = f'note-bound: {t.percent}' * (told and any(float(row['at_least'] or 0) > 0 for row in shown))
    for shape, key in (('since', 'onset'), ('step', 'step')):  # the first row of each is explained
        first = next((row for row in shown if told and row['shape'] == shape), None)
        notes += f'note-{shape}: {"; " * bool(notes)} {labels[shape]} {file_of(first[key]["dump"])}' if first else ''
    notes += f'note-cycle: {"; " * bool(notes)} {int(dumps) // 2}' * any(row['significant'] for row in shown)
    if notes:
        t.sentence('note', notes)
    detectable(t)


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


def overview_binaries(t):
    """The rows of binaries with a problem, and how many others there are."""
    files = [row for row in t.report['modules'] if row['path'].startswith('/') and row['frames'] != '0']
    shown = 0
    while not t.next_is('input '):
        line = t.line()
        row = re.fullmatch(r' *(\d+) +\S.*?  (\S.*)', line)
        good = re.match(r'(?:info-good-files: )? (\d+) (?:y has|ies have)', line)
        if row:
            end = row[2].partition('…')[2] or row[2]
            t.same('frames of a binary', row[1] in [one['frames'] for one in files if escaped(one['path']).endswith(end)], True)
            shown += 1
        if good:
            t.count('binaries', str(int(good[1]) + shown), str(len(files)))


def overview(t):
    """The screen of info, before the facts."""
    inputs = t.report['inputs']
    dumps = [row for row in inputs if row['status'] != 'ignored']
    head = t.match('dumps', r'(\d+) dumps?(?: of (\d+) process(?:es)?)?, (.*)', len(dumps))
    period = re.search(r'sample period (\S+ [KMG]?i?B)', head[3] if head else '')
    if not head or len(inputs) > 20:  # an aggregate file of many dumps, or only inputs with a problem
        while not t.next_is('input '):
            t.line()
        return
    t.count('dumps', head[1], str(len(dumps)))
    if head[2]:
        t.count('processes', head[2], str(len(t.report['processes'])))
    for row in dumps:
        if row['status'] == 'used' and 'format' in row and len({one.get('format') for one in dumps}) == 1:
            t.same('format', row['format'] in head[3], True)
        if period and row.get('period'):
            number, unit = period[1].split()
            t.number('period', period[1], row['period'],
                     abs(Decimal(number) * SCALES[unit] - int(row['period'])) <= SCALES[unit] // 200)
    rows = iter(inputs)
    while not t.next_is(' frames') and not t.next_is('input ') and not t.next_is('info-good-files'):
        line = t.line()
        row = re.fullmatch(r' +(?:(\S+ [KMGT]?i?B|-) +)?(?:(\d+) +)?(used|other dump|damaged|skipped|repeated|ignored|too new|replaced)  (\S.*)', line)
        if not row:
            continue
        wanted = next(rows)
        t.same('name of an input', escaped(wanted['name']).endswith(row[4].partition('…')[2] or row[4]), True)
        if row[2]:
            t.count('stacks of an input', row[2], wanted['stacks'])
        if row[1] and row[1] != '-':
            size = wanted['total']['inuse-space'] or wanted['total']['alloc-space']
            t.number('bytes of an input', row[1], size, numerals.is_value(row[1], size, True, 'auto'))
    overview_binaries(t)


def info(t):
    overview(t)
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
            r'info-finer-period: (\d+) (\S+) (\w+) (\d+)',
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
    if t.kind in ('diff', 'trend') and t.has_table:
        moved(t)
    elif t.kind not in ('stacks', 'info') and t.has_table:
        t.charges()
    return t.done()

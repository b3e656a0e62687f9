#!/usr/bin/env python3
"""In a difference of two profiles, positive values grew and negative ones shrank, in every format: grew minus shrank
is the sum of the profile.  Formats with signs keep them.

The expected numbers come from the protobuf only, stack by stack.
"""
import collections
import csv
import io
import json
import pathlib
import re

from harness import METRICS, Tests, scratch
from html_reader import Document, Report, data_of
from sign_reader import Signs, by_leaf, faults_of, net, read, totals
from svg_reader import boxes_of, parse

t = Tests(is_coded=True)
PROFILES = sorted((t.testdata / 'differences').glob('*.pb.gz'))


def each(function):
    """The faults of a function for each profile and metric."""
    return [f'{path.name} {metric} {fault}' for path in PROFILES for metric, signs in read(path).items()
            for fault in function(path, metric, signs, [f'--metric={metric}', '-q', path])]


# --- formats ------------------------------------------------------------------------------


def has_both_signs():
    counts = [totals(signs) for path in PROFILES for signs in read(path).values()]
    return [] if any(s.grew and s.shrank for s in counts) and any(s.shrank > s.grew for s in counts) \
        else [f'{counts}']


def folded(path, metric, signs, args):
    lines = t.ok('diff', '-fdifffolded', '--names=full', '--frames=all', *args).out.splitlines()
    got = {}
    for line in lines:
        names, shrank, grew = line.rsplit(' ', 2)
        got[tuple(names.split(';'))] = Signs(int(grew), int(shrank))
    want = {stack: s for stack, s in signs.items() if s.grew or s.shrank}
    # A merge's estimates of objects are not integers.
    return [fault for stack in {*got, *want} for fault in
            faults_of(got.get(stack, (0, 0)), want.get(stack, (0, 0)), stack, 1)] + \
        faults_of(totals(got), totals(want), 'in all', 1 if 'space' in metric else len(want))


def tables(path, metric, signs, args):
    faults, want, room = [], totals(signs), 1 if 'space' in metric else len(signs)
    for command in 'top', 'diff':
        report = json.loads(t.ok(command, '-fjson', '-n0', *args).out)
        cells = [report['total'], *report['rows']]
        for cell in cells:
            shrank, grew, delta = (cell[key]['estimate'] for key in ('shrank', 'grew', 'delta'))
            if grew - shrank != delta or cell.keys() & {'base', 'new', 'p', 'q'} or \
                    cell['status'] != ('grew' if delta > 0 else 'shrank' if delta else 'same'):
                faults.append(f'{command}: {cell}')
            ends = [cell[key][end] for key in ('shrank', 'grew', 'delta') for end in ('low', 'high')]
            faults += [f'{command}: {cell}'] if any(end is not None for end in ends) else []
        sums = Signs(*(sum(row[key]['estimate'] for row in report['rows']) for key in ('grew', 'shrank')))
        both = Signs(*(report['total'][key]['estimate'] for key in ('grew', 'shrank')))
        faults += faults_of(sums, want, f'{command} rows', room) + faults_of(both, want, command, room)
        table = csv.DictReader(io.StringIO(t.ok(command, '-ftsv', '-n0', *args).out), delimiter='\t')
        sums = Signs(*(sum(column) for column in zip(*((float(r['grew']), float(r['shrank'])) for r in table))))
        faults += faults_of(sums, want, f'{command} as tsv', room)
        text = t.ok(command, '--unit=B', *args).out
        said = {key: int(value.replace(',', '')) for key, value in
                re.findall(r'^(grew|shrank|change) +([-+]?[\d,]+)', text, re.M)}
        faults += faults_of((said['grew'], said['shrank']), want, f'{command} as text', room)
        faults += [text] if re.search(r'\d%', text) or '2-sided' in text or ' new:' in text else []
    return faults


def pictures(path, metric, signs, args):
    faults, want = [], totals(signs)
    drawn = {t.ok(command, '-fsvg', *args).out_bytes for command in ('top', 'diff', 'merge')}
    faults += [] if len(drawn) == 1 else ['top, diff and merge draw several pictures']
    for command in 'top', 'diff':
        root = parse(t.ok(command, '-fsvg', '--unit=B', *args).out_bytes)
        box = boxes_of(root)[0]
        grew, shrank, delta = (int(number.replace(',', '')) for number in re.fullmatch(
            r'grew ([\d,]+)(?: B)?, shrank ([\d,]+)(?: B)?: ([-+]?[\d,]+)(?: B)?',
            box.lines[0]).groups())
        faults += faults_of((grew, shrank), want, command, 1 if 'space' in metric else len(signs))
        faults += [f'{command}: {box.lines}'] if abs(grew - shrank - delta) > 1 else []
        text = ' '.join(element.text or '' for element in root.iter())
        faults += [f'{command} says chance'] if 'chance' in text or ' before' in text else []
    return faults


def pages(path, metric, signs, args):
    """The table that needs no script, the data of all stacks, and the summary have both; no one speaks of a base."""
    room, want = 1 if 'space' in metric else len(signs), totals(signs)
    drawn = {t.ok(command, '-fhtml', '--unit=B', '-n0', '--frames=all', *args).out_bytes for command in ('top', 'diff')}
    page = min(drawn)
    document, report = Document(page.decode()), Report(data_of(page))
    faults = [] if len(drawn) == 1 else ['top and diff write several pages']
    rows = {name: row[metric] for (name, _), row in report.changes('all').items() if metric in row}
    faults += [f'{name}: {ends}' for name, row in rows.items() for ends in row if ends[1:] != (None, None)]
    for name, want_of in by_leaf(signs).items():
        shrank, grew = (side[0] for side in rows.get(name, ((0,), (0,))))
        faults += faults_of((grew, shrank), want_of, name, room)
    comparison = report.data['comparison']
    held = [comparison['total'][key]['estimate'] for key in ('new', 'base', 'delta')]
    faults += faults_of(held[:2], want, 'total', room) + ([] if held[0] - held[1] == held[2] else [f'{held}'])
    faults += [] if comparison['sides'] == ['shrank', 'grew'] else [f'{comparison["sides"]}']
    faults += [f'{key} has p' for key in ('flat', 'cum', 'boxes') if any(p is not None for p in comparison[key]['p'])]
    cells = {key: [float(cell['text'].replace(',', '').replace(' B', '').replace('-', '0')) for cell in document.all('td')
                   if cell['attrs'].get('data-key') == key] for key in ('new', 'base')}
    faults += faults_of([sum(cells[key]) for key in ('new', 'base')], want, 'table', len(signs))
    heads = [cell['text'] for cell in document.all('th') if cell['attrs'].get('scope') == 'col']
    faults += [] if heads[1:5] == ['shrank', 'grew', 'change', 'status'] else [f'{heads}']
    summary = json.loads(document.by_id('summary')['text'])
    faults += faults_of([summary['total'][key]['estimate'] for key in ('grew', 'shrank')], want, 'summary', room)
    faults += [f'{row.keys()}' for row in summary['rows'] if not row.keys() >= {'shrank', 'grew', 'delta'} or 'p' in row]
    said = ' '.join(element['text'] for element in document.elements if element['tag'] in ('header', 'main'))
    return faults + [word for word in ('chance', '2-sided', '\u2192', 'untested', ' new ') if word in said]


def others(path, metric, signs, args):
    """Other formats have one number for each named stack: growth minus shrinkage."""
    want, room = totals(net(signs)), 1 + len(signs)
    profiles = json.loads(t.ok('diff', '-fspeedscope', '--names=full', '--frames=all', *args).out)['profiles']
    got = [sum(one['weights']) for one in profiles]
    faults = [] if [one['name'] for one in profiles] == ['grew', 'shrank'] else ['names of profiles']
    faults += faults_of(got, want, 'speedscope', room)
    text = t.ok('diff', '-fcallgrind', '--frames=all', *args).out
    events, sums = re.search('^events: (.*)$', text, re.M)[1], re.search('^summary: (.*)$', text, re.M)[1]
    faults += [] if events == 'Grew Shrank' else [events]
    got = [int(number) for number in sums.split()]
    return faults + ([] if abs(got[0] - got[1] - (want.grew - want.shrank)) <= room else [f'callgrind: {got}'])


def only_grown(path, metric, signs, args):
    """--only=grown in formats that have no negative numbers, and refuse a difference without it."""
    def run(format, *more):
        return t.run('merge', f'-f{format}', '--only=grown', *more, *args)
    want, room, faults = totals(signs).grew, 1 + len(signs), []
    if want == 0:
        return []
    lines = run('folded', '--frames=all', '--names=full').out.splitlines()
    got = {tuple(line.rsplit(' ', 1)[0].split(';')): int(line.rsplit(' ', 1)[1]) for line in lines}
    faults += [f'{stack}: {got.get(stack, 0)}, not {s.grew}' for stack, s in signs.items()
               if abs(got.get(stack, 0) - s.grew) > 1]
    profile = json.loads(run('speedscope').out)['profiles'][0]
    faults += [] if abs(sum(profile['weights']) - want) <= room else ['speedscope']
    text = run('callgrind').out
    sums = dict(zip(re.search('^events: (.*)$', text, re.M)[1].split(),
                    map(int, re.search('^summary: (.*)$', text, re.M)[1].split())))
    event = ''.join(part.title() for part in metric.replace('space', 'bytes').split('-'))
    faults += [] if abs(sums[event] - want) <= room else [f'callgrind: {sums}']
    key = {'inuse-space': 'eb', 'inuse-objects': 'ebk', 'alloc-space': 'tb', 'alloc-objects': 'tbk'}[metric]
    got = sum(point[key] for point in json.loads(run('dhat').out)['pps'])
    faults += [] if abs(got - want) <= room else [f'dhat: {got}, not {want}']
    faults += [] if run('dot').code == 0 else ['dot']
    for format in 'folded', 'callgrind', 'speedscope', 'dhat', 'dot':
        refused = t.run('merge', f'-f{format}', *args)
        if any(s.shrank for s in signs.values()) and refused.code != 5 or '--only=grown' not in refused.err:
            faults.append(f'{format}: {refused.code}: {refused.err}')
    return faults


def only_for_some():
    faults = []
    for format in 'text', 'json', 'tsv', 'markdown', 'svg', 'html', 'pprof':
        refused = t.run('top', f'-f{format}', '--only=grown', PROFILES[0])
        faults += [] if refused.code == 2 and not refused.out else [f'{format}: {refused.code}']
    plain, same = (t.ok('folded', '-q', '--no-symbols', *only, t.testdata / 'golden' / 'procs1.heap').out
                   for only in ((), ('--only=grown',)))
    return faults + ([] if plain == same else ['a dump is changed'])


# --- signs that are kept --------------------------------------------------------------------


def rows_of(*args):
    report = json.loads(t.ok('top', '-fjson', '-n0', '-q', *args).out)
    return report['total'], report['rows']


def merged():
    faults = []
    with scratch() as name:
        folder = pathlib.Path(name)
        for path in PROFILES:
            for end in 'pb.gz', 'hpa':
                out = folder / f'{path.name}.{end}'
                t.ok('merge', '-q', '-o', out, path)
                faults += [f'{out.name} {metric}' for metric in METRICS
                           if rows_of(f'--metric={metric}', out) != rows_of(f'--metric={metric}', path)]
            out = folder / 'diff.pb.gz'
            t.ok('diff', '-q', '-o', out, path)
            faults += [] if out.read_bytes() == (folder / f'{path.name}.pb.gz').read_bytes() else [out.name]
    return faults


def added():
    """A stack that grew in one profile and shrank in the other has the difference, in any order and through partials."""
    faults = []
    with scratch() as name:
        folder = pathlib.Path(name)
        both = [rows_of(*order) for order in (PROFILES, PROFILES[::-1])]
        for number, order in enumerate((PROFILES, PROFILES[::-1])):
            t.ok('merge', '-q', '-o', folder / f'{number}.hpa', *order)
            both.append(rows_of(folder / f'{number}.hpa'))
        for path in PROFILES:
            t.ok('merge', '-q', '-o', folder / f'{path.name}.hpa', path)
        both.append(rows_of(*sorted(folder.glob('*.gz.hpa'))))
        digests = {t.ok('digest', folder / f'{n}.hpa').out.split()[0] for n in (0, 1)}
        faults += [] if len(digests) == 1 else [f'{digests}']
        faults += [f'{i}' for i, rows in enumerate(both) if rows != both[0]]
        want = sum(totals(read(path)['inuse-space']).grew - totals(read(path)['inuse-space']).shrank
                   for path in PROFILES)
        faults += [] if both[0][0]['delta']['estimate'] == want else [f'{both[0][0]}, not {want}']
    return faults


def nothing_left():
    """If filters leave no change, no change is shown, and no memory of functions."""
    texts = [t.ok('diff', '--ignore=main', path).out for path in PROFILES]
    return [] if all(text.endswith('\n\nno-difference\n') for text in texts) else texts


def redacted():
    faults = []
    for path in PROFILES:
        plain, hidden = rows_of(path), rows_of('--redact', path)
        numbers = [sorted((row['grew']['estimate'], row['shrank']['estimate']) for row in rows)
                   for _, rows in (plain, hidden)]
        faults += [] if plain[0] == hidden[0] and numbers[0] == numbers[1] else [path.name]
    return faults


t.check('the profiles have both signs', has_both_signs)
t.check('difffolded has both numbers of each stack', lambda: each(folded))
t.check('D1: tables have growth and shrinkage, and neither shares nor intervals', lambda: each(tables))
t.check('a flame graph has growth and shrinkage', lambda: each(pictures))
t.check('D4: a page has growth and shrinkage', lambda: each(pages))
t.check('speedscope and callgrind have growth and shrinkage', lambda: each(others))
t.check('D3: --only=grown writes the growth only', lambda: each(only_grown))
t.check('other formats reject --only, and other profiles do not change', only_for_some)
t.check('merge keeps signs in pprof and aggregate files', merged)
t.check('differences add up, in any order', added)
t.check('an empty difference is reported', nothing_left)
t.check('a redacted difference has the same numbers', redacted)
t.done()

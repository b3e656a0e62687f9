#!/usr/bin/env python3
"""In a difference of two profiles, positive values grew and negative ones shrank, in every format: grew minus shrank
is the sum of the profile.  Formats with signs keep them.

The expected numbers come from the protobuf only, stack by stack.
"""
import collections
import csv
import gzip
import io
import json
import pathlib
import re

from harness import METRICS, Tests, scratch
from profile_reader import fields
from svg_reader import boxes_of, parse

t = Tests()
PROFILES = sorted((t.testdata / 'differences').glob('*.pb.gz'))
Signs = collections.namedtuple('Signs', 'grew shrank')


def packed(values):
    """The numbers of a field, which may be separate or packed."""
    for value in values:
        for _, number in fields(b''.join(b'\x00' + byte for byte in split(value))) \
                if isinstance(value, bytes) else [(0, value)]:
            yield number


def split(data):
    """The numbers of a packed field, as bytes."""
    begin = 0
    for end, byte in enumerate(data, 1):
        if byte < 128:
            yield data[begin:end]
            begin = end


def several(data):
    found = collections.defaultdict(list)
    for field, value in fields(data):
        found[field].append(value)
    return found


def read(path):
    """{metric: {names from the root: (growth, shrinkage)}}, added up by stacks of addresses."""
    profile = several(gzip.decompress(path.read_bytes()))
    texts = [text.decode() for text in profile[6]]
    kinds = [texts[dict(fields(kind))[1]].replace('_', '-') for kind in profile[1]]
    name_of = {dict(fields(one))[1]: texts[dict(fields(one))[2]] for one in profile[5]}
    calls = {}
    for location in map(several, profile[4]):
        calls[location[1][0]] = [name_of[dict(fields(line))[1]] for line in location[4]]
    sums = collections.defaultdict(collections.Counter)
    for sample in map(several, profile[2]):
        stack = tuple(packed(sample[1]))
        for kind, value in zip(kinds, packed(sample[2])):
            sums[kind][stack] += value - (value >> 63 << 64)
    found = {kind: {} for kind in kinds}
    for kind, stacks in sums.items():
        for stack, value in stacks.items():
            path = tuple(name for place in reversed(stack) for name in reversed(calls[place]))
            grew, shrank = found[kind].get(path, (0, 0))
            found[kind][path] = Signs(grew + max(value, 0), shrank + max(-value, 0))
    return found


def totals(signs):
    return Signs(sum(s.grew for s in signs.values()), sum(s.shrank for s in signs.values()))


def faults_of(got, want, where, room):
    """A fault unless all numbers agree within `room` bytes or objects."""
    return [f'{where}: {got}, not {want}'] if any(
        abs(a - b) > room for a, b in zip((*got, got[0] - got[1]), (*want, want[0] - want[1]))) else []


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
    lines = t.ok('diff', '-fdifffolded', '--full-names', '--frames=raw', *args).out.splitlines()
    got = {}
    for line in lines:
        names, shrank, grew = line.rsplit(' ', 2)
        got[tuple(names.split(';'))] = Signs(int(grew), int(shrank))
    want = {stack: s for stack, s in signs.items() if s.grew or s.shrank}
    # A merge's estimates of objects are no whole numbers.
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


def others(path, metric, signs, args):
    """Other formats have one number for each named stack: growth minus shrinkage."""
    net = collections.Counter()
    for stack, s in signs.items():
        net[stack] += s.grew - s.shrank
    want = Signs(sum(v for v in net.values() if v > 0), -sum(v for v in net.values() if v < 0))
    room = 1 + len(net)
    profiles = json.loads(t.ok('diff', '-fspeedscope', '--full-names', '--frames=raw', *args).out)['profiles']
    got = [sum(one['weights']) for one in profiles]
    faults = [] if [one['name'] for one in profiles] == ['grew', 'shrank'] else ['names of profiles']
    faults += faults_of(got, want, 'speedscope', room)
    text = t.ok('diff', '-fcallgrind', '--frames=raw', *args).out
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
    lines = run('folded', '--frames=raw', '--full-names').out.splitlines()
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
t.check('D1: tables have both, and neither shares nor intervals', lambda: each(tables))
t.check('a flame graph has both', lambda: each(pictures))
t.check('speedscope and callgrind have both', lambda: each(others))
t.check('D3: with --only=grown what grew is written', lambda: each(only_grown))
t.check('other formats take no --only, and what is no difference is as it was', only_for_some)
t.check('merge keeps signs, as pprof and as a partial', merged)
t.check('differences add up, in any order', added)
t.check('a redacted difference has the same numbers', redacted)
t.done()

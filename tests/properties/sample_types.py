#!/usr/bin/env python3
"""Sample types beside the metrics: fleets of pprof profiles whose values are known are added up,
shown and written to the unit, in whatever order they come.
"""
import collections
import csv
import gzip
import io
import json
import pathlib
import random

from harness import Tests, scratch
from profile_reader import fields
from profile_writer import Profile, number

t = Tests()
FUNCTIONS = [f'f{i}' for i in range(8)]
# Each with the place that it has in a sample; of some inputs one is missing.
TYPES = [('inuse_objects', 'count'), ('inuse_space', 'bytes'), ('resident_space', 'bytes'),
         ('delay', 'nanoseconds'), ('age', 'count'), ('age', 'seconds')]
NAMES = ['resident_space', 'delay', 'age/count', 'age/seconds']
KINDS = dict(zip(NAMES, TYPES[2:]))


class Fleet:
    """Inputs, each a Counter of {(stack, label): value} for each type that it has."""

    def __init__(self, folder, seed, count=6, least=0):
        self.random, self.inputs, self.paths = random.Random(seed), [], []
        for i in range(count):
            types = [kind for k, kind in enumerate(TYPES) if (i + k) % 4 != 3 or k < 2]
            values = {kind: collections.Counter() for kind in types}
            profile = Profile(types)
            places = {name: profile.location(0, 0, [(name, 'x.c', 1)]) for name in FUNCTIONS}
            for _ in range(self.random.randrange(3, 30)):
                stack = tuple(self.random.sample(FUNCTIONS, self.random.randrange(1, 4)))
                label = self.random.choice(['', 'hot', 'cold'])
                numbers = [self.random.choice([0, 1, 3, self.random.randrange(least, 1 << 40)])
                           for _ in types]
                profile.sample([places[name] for name in stack], numbers,
                               labels=[('access', label)] if label else [])
                for kind, value in zip(types, numbers):
                    values[kind][stack, label] += value
            self.inputs.append(values)
            self.paths.append(pathlib.Path(folder, f'{i}.pb'))
            self.paths[-1].write_bytes(profile.bytes())

    def sums(self, kind, inputs=None):
        sums = collections.Counter()
        for values in inputs or self.inputs:
            sums.update(values.get(kind, {}))  # unlike +, this keeps negative values
        return sums


def decoded(path):
    """{kind: {(stack, label): value}}, and the comments of a profile of such a fleet."""
    plain = gzip.decompress(pathlib.Path(path).read_bytes())
    parts = collections.defaultdict(list)
    for field, value in fields(plain):
        parts[field].append(value)
    texts = [text.decode() for text in parts[6]]
    kinds = [tuple(texts[n] for _, n in fields(kind)) for kind in parts[1]]
    functions = {dict(fields(f))[1]: texts[dict(fields(f))[2]] for f in parts[5]}
    places = {dict(fields(p))[1]: functions[dict(fields(dict(fields(p))[4]))[1]] for p in parts[4]}
    found = {kind: collections.Counter() for kind in kinds}
    for sample in parts[2]:
        of = collections.defaultdict(list)
        for field, value in fields(sample):
            of[field].append(value)
        stack = tuple(places[n] for n in packed(of[1][0]))
        labels = [{texts[label[1]]: texts[label.get(2, 0)]} for label in map(dict, map(fields, of[3]))]
        label = next((label['access'] for label in labels if 'access' in label), '')
        for kind, value in zip(kinds, packed(of[2][0])):
            found[kind][stack, label] += value - (value >> 63 << 64)
    return found, [texts[n] for n in packed(parts[13][0])]


def packed(data):
    """The numbers of a packed field."""
    found, shift, value = [], 0, 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            found.append(value)
            shift = value = 0
    return found


def nonzero(counter):
    return {key: value for key, value in counter.items() if value}


def rows(*args):
    out = t.ok('top', '-ftsv', '-n0', '-q', *args).out
    return {row['name']: (float(row['flat']), float(row['cum'])) for row in
            csv.DictReader(io.StringIO(out), delimiter='\t', quoting=csv.QUOTE_NONE)}


def changes(*args):
    """{function: growth minus shrinkage}"""
    out = t.ok('top', '-ftsv', '-n0', '-q', *args).out
    return {row['name']: float(row['grew']) - float(row['shrank']) for row in
            csv.DictReader(io.StringIO(out), delimiter='\t', quoting=csv.QUOTE_NONE)}


def table_of(sums):
    """{function: (flat, cum)}"""
    found = collections.defaultdict(lambda: [0, 0])
    for (stack, _), value in sums.items():
        found[stack[0]][0] += value
        for name in set(stack):
            found[name][1] += value
    return {name: tuple(row) for name, row in found.items()}


def tables(folder):
    fleet, faults = Fleet(folder, 1), []
    for name in NAMES:
        wanted = table_of(fleet.sums(KINDS[name]))
        got = rows(f'--metric={name}', *fleet.paths)
        faults += [f'{name} {function}: {got.get(function)}, not {row}'
                   for function, row in wanted.items() if got.get(function, (0, 0)) != row]
    return faults


def totals(folder):
    fleet = Fleet(folder, 2)
    value = json.loads(t.ok('info', '-fjson', '-q', *fleet.paths).out)
    faults = [] if value['sample_types'] == {
        name: sum(fleet.sums(KINDS[name]).values()) for name in NAMES} else [f"{value['sample_types']}"]
    for told, values in zip(value['inputs'], fleet.inputs):
        wanted = {name: sum(values[KINDS[name]].values()) for name in NAMES if KINDS[name] in values}
        faults += [] if told.get('sample_types', {}) == wanted else [f'{told}, not {wanted}']
    return faults


def stacks(folder):
    fleet, faults = Fleet(folder, 3), []
    for name in NAMES:
        wanted = collections.Counter()
        for (stack, _), value in fleet.sums(KINDS[name]).items():
            wanted[stack[::-1]] += value
        got = {tuple(frames): value for frames, value in
               t.ok('merge', '-q', '-ffolded', f'--metric={name}', *fleet.paths).folded()}
        faults += [] if nonzero(wanted) == got else [f'{name}: other stacks']
    return faults


def written(folder):
    """All types of all inputs, by stack and label; also merged in two steps."""
    fleet, faults = Fleet(folder, 4), []
    parts = [pathlib.Path(folder, f'part{i}.pb.gz') for i in range(3)]
    whole = pathlib.Path(folder, 'whole.pb.gz')
    for part, inputs in zip(parts, (fleet.paths[:2], fleet.paths[2:3], fleet.paths[3:])):
        t.ok('merge', '-q', '-o', part, *inputs)
    for inputs in (fleet.paths, parts):
        t.ok('merge', '-q', '-o', whole, *inputs)
        got, comments = decoded(whole)
        faults += [f'{kind}: other samples' for kind in TYPES
                   if nonzero(got.get(kind, {})) != nonzero(fleet.sums(kind))]
        faults += [] if len(comments) == len(set(comments)) else [f'{comments}']
        faults += [] if sum(c.startswith('made by') for c in comments) == 1 else [f'{comments}']
    return faults


def written_apart(folder):
    """As inputs, as the dumps of a series and as sides of a difference."""
    fleet, faults = Fleet(folder, 12, 4), []
    out = pathlib.Path(folder, 'out.pb.gz')
    for options in (('merge', '--by=input'), ('merge', '--timeline'), ('merge', '--jobs=3')):
        t.ok(*options, '-q', '-o', out, *fleet.paths)
        got, _ = decoded(out)
        faults += [f'{options} {kind}: other samples' for kind in TYPES
                   if nonzero(got[kind]) != nonzero(fleet.sums(kind))]
    t.ok('diff', '-q', '-o', out, fleet.paths[0], fleet.paths[1])
    got, _ = decoded(out)
    for kind in TYPES:
        wanted = collections.Counter(fleet.inputs[1].get(kind, {}))
        wanted.subtract(fleet.inputs[0].get(kind, {}))
        faults += [] if nonzero(got[kind]) == nonzero(wanted) else [f'diff {kind}: other samples']
    return faults


def order(folder):
    fleet, faults = Fleet(folder, 5, 12), []
    reports = [('top', f'--metric={name}', f'-f{form}') for name in NAMES[:2]
               for form in t.formats_of('top')]
    reports += [('merge', '-q'), ('merge', '-q', '--by=input'), ('info', '-fjson'),
                ('tree', '-n0', '--metric=delay'), ('stacks', '-fjson', '--metric=age/seconds'),
                ('top', '-n0', '--by=label:access', '--metric=delay')]
    for report in reports:
        outs = set()
        for seed, jobs in ((0, 1), (1, 2), (2, 5)):
            paths = list(fleet.paths)
            random.Random(seed).shuffle(paths)
            outs.add(t.ok(*report, '-q', f'--jobs={jobs}', *paths).out_bytes)
        faults += [] if len(outs) == 1 else [f'{report}: {len(outs)} different']
    return faults


def compared(folder):
    """Compare single inputs of each side, and means of several, for a type that all inputs have."""
    fleet, faults = Fleet(folder, 6, 8), []
    kind = KINDS['delay']
    having = [i for i, values in enumerate(fleet.inputs) if kind in values]
    for before, after in ((having[:1], having[1:2]), (having[:2], having[2:])):
        means = [collections.Counter(), collections.Counter()]
        for mean, side in zip(means, (before, after)):
            for function, (flat, _) in table_of(fleet.sums(
                    kind, [fleet.inputs[i] for i in side])).items():
                mean[function] = flat / len(side)
        value = json.loads(t.ok('diff', '-fjson', '-n0', '-q', '--metric=delay',
                                *(fleet.paths[i] for i in before), '--to',
                                *(fleet.paths[i] for i in after)).out)
        for row in value['rows']:
            got = row['base']['estimate'], row['new']['estimate']
            wanted = tuple(mean[row['name']] for mean in means)
            if any(abs(a - b) > 0.01 for a, b in zip(got, wanted)):
                faults.append(f"{row['name']}: {got}, not {wanted}")
        if value['metric'] != 'delay' or value['estimator'] != 'none' or not value['rows']:
            faults.append(f"{value['metric']} by {value['estimator']}")
    lacks = next(path for path, values in zip(fleet.paths, fleet.inputs) if kind not in values)
    refused = t.run('diff', '-q', '--metric=delay', fleet.paths[having[0]], lacks, is_coded=True)
    if 'accum-missing: delay' not in refused.err or refused.code == 0:
        faults.append(refused.err)
    return faults


def apart(folder):
    """Input by input, and label by label."""
    fleet = Fleet(folder, 7)
    kind = KINDS['resident_space']
    got = rows('--by=input', '--metric=resident_space', *fleet.paths)
    faults = [f'{path.name}: {got[str(path)]}' for path, values in zip(fleet.paths, fleet.inputs)
              if got[str(path)][0] != sum(values.get(kind, {}).values())]
    got = rows('--by=label:access', '--metric=resident_space', *fleet.paths)
    wanted = collections.Counter()
    for (_, label), value in fleet.sums(kind).items():
        wanted[label] += value
    return faults + [f'{label}: {got}' for label in ('hot', 'cold') if got[label][0] != wanted[label]]


def uncertain(folder):
    """The scaling is unknown: there is no interval, and the head says so."""
    fleet = Fleet(folder, 8)
    value = json.loads(t.ok('top', '-fjson', '-q', '--metric=resident_space', *fleet.paths).out)
    estimates = [value['total'], *(row['flat'] for row in value['rows'])]
    faults = [f'{estimate}' for estimate in estimates if list(estimate) != ['resident_space'] or
              estimate['resident_space']['low'] is not None or
              estimate['resident_space']['high'] is not None]
    head = t.codes('top', '-q', '-v', '--metric=resident_space', *fleet.paths).out
    having = sum(KINDS['resident_space'] in values for values in fleet.inputs)
    wanted = (f'metric     resident_space in {having} of 6 inputs, unit-unscaled\n')
    return faults + ([] if wanted in head and '±' not in head else [head])


def names(folder):
    fleet, faults = Fleet(folder, 9), []
    known = 'inuse-space, inuse-objects, age/count, age/seconds, delay, resident_space'
    for name in ('nothing', 'age', 'delay/count', 'resident-space', 'resident_space/'):
        refused = t.run('top', '-q', f'--metric={name}', *fleet.paths, is_coded=True)
        if f'metric-unknown: {name} {known}' not in refused.err or refused.code != 5:
            faults.append(f'{name}: {refused.code} {refused.err}')
    same = [t.ok('top', '-q', f'--metric={name}', *fleet.paths).out
            for name in ('inuse-objects', 'inuse_objects')]
    return faults + ([] if same[0] == same[1] else ['inuse_objects is another'])


def largest(folder):
    """--max-samples keeps the samples with the largest values."""
    fleet = Fleet(folder, 10)
    out = pathlib.Path(folder, 'out.pb.gz')
    t.ok('merge', '-q', '--max-samples=5', '--metric=delay', '-o', out, *fleet.paths)
    plain = gzip.decompress(out.read_bytes())
    parts = [value for field, value in fields(plain) if field == 2]
    texts = [value.decode() for field, value in fields(plain) if field == 6]
    kinds = [texts[dict(fields(value))[1]] for field, value in fields(plain) if field == 1]
    got = sorted(packed(dict(fields(part))[2])[kinds.index('delay')] for part in parts)
    sums = fleet.sums(KINDS['delay'])
    wanted = sorted(sums.values())[-4:]
    wanted = sorted([*wanted, sum(sums.values()) - sum(wanted)])
    shown = texts[next(value for field, value in fields(plain) if field == 14)]
    return [] if (got, shown) == (wanted, 'delay') else [f'{got}, not {wanted}; {shown}']


def negative(folder):
    """Values below zero are of a difference: formats that have none refuse them."""
    fleet, faults = Fleet(folder, 11, 2, -(1 << 40)), []
    wanted = table_of(fleet.sums(KINDS['delay']))
    for cum in (False, True):
        got = changes('--metric=delay', *['--cum'] * cum, *fleet.paths)
        faults += [f'{name}: {got.get(name)}' for name, row in wanted.items()
                   if row[cum] != got.get(name, 0)]
    refused = t.run('merge', '-q', '-fcallgrind', '--metric=delay', *fleet.paths, is_coded=True)
    return faults + ([] if 'no-negative-numbers' in refused.err else [refused.err])


def limits(folder):
    """Too many types, or two of one name and unit, or nothing of memory."""
    faults = []
    for types, wanted in (
            ([('space', 'bytes')] + [(f't{i}', 'count') for i in range(256)], 'pprof-many-types: 256'),
            ([('space', 'bytes'), ('a', 'kB'), ('a', 'bytes')], 'damaged-pprof-type-twice'),
            ([('a', 'count'), ('space', 'bytes'), ('a', 'count')], 'damaged-pprof-type-twice'),
            ([('samples', 'count'), ('cpu', 'nanoseconds')], 'pprof-not-heap: cpu ')):
        p = Profile(types)
        p.sample([p.location(0, 0, [('f', '', 0)])], [1] * len(types))
        path = pathlib.Path(folder, 'x.pb')
        path.write_bytes(p.bytes())
        refused = t.run('top', '-q', path, is_coded=True)
        faults += [] if wanted in refused.err and refused.code != 0 else [f'{wanted}: {refused.err}']
    p = Profile([('space', 'bytes'), *((f't{i}', 'count') for i in range(255))])
    p.sample([p.location(0, 0, [('f', '', 0)])], range(256))
    path.write_bytes(p.bytes())
    last = t.ok('info', '-fjson', '-q', path).out
    return faults + ([] if json.loads(last)['sample_types']['t254'] == 255 else ['not 256 types'])


def of_one_name(folder):
    """If several types are the same metric, the one with Go's name is used, and the others are kept."""
    p = Profile([('space', 'bytes'), ('inuse_space', 'kB'), ('heap-space', 'bytes')])
    p.head.append(number(14, p.text('heap-space')))
    p.sample([p.location(0, 0, [('f', '', 0)])], [5, 7, 11])
    path, out = pathlib.Path(folder, 'x.pb'), pathlib.Path(folder, 'y.pb.gz')
    path.write_bytes(p.bytes())
    told = []
    for source in (path, out):
        value = json.loads(t.ok('info', '-fjson', '-q', source if told else path).out)
        told.append((value['total']['inuse-space'], value['sample_types']))
        t.ok('merge', '-q', '-o', out, path)
    return [] if told == [(7 * 1024, {'heap-space': 11, 'space': 5})] * 2 else [f'{told}']


for what, test in (
        ('a table of a type has its sums', tables), ('info tells what each input has', totals),
        ('folded stacks have its sums', stacks), ('a merge has all types of each stack and label', written),
        ('inputs, dumps and sides have theirs', written_apart),
        ('no order and no thread changes a byte', order), ('sides are compared', compared),
        ('inputs and labels are apart', apart), ('nothing is said of their errors', uncertain),
        ('a wrong name is answered with those that there are', names),
        ('the largest of a type are kept', largest), ('values may be below zero', negative),
        ('what is refused', limits), ('two types that are one metric', of_one_name)):
    with scratch() as directory:
        t.check(what, lambda test=test, directory=directory: test(directory))
t.done()

#!/usr/bin/env python3
"""Compares the variance between dumps that partials record with fleets whose variance between hosts is known.

For each seed there are two fleets of a thousand dumps and a third that holds more, each in a partial that lists no
dumps individually.  The recorded variance is the one they were made with; Welch's test of two equal fleets rejects as
often as it promises, and finds growth nearly as often as a test that sees each dump.  In a simulated fleet, 64 groups
of dumps give nearly the same result as its dumps.

usage: replicates.py BINARY TESTDATA HPROF_SIM [SEEDS [DUMPS]]

SEEDS (50) of DUMPS (1,000) a side.
"""
import io
import json
import math
import pathlib
import random
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from harness import Tests, scratch  # noqa: E402

SEEDS, DUMPS = (int(word) for word in (sys.argv[4:] + ['50', '1000'][len(sys.argv[4:]):]))
PERIOD, SIZE, STACKS = 524288, 65536, 3
SHAPE, MEAN = 4, 10  # of the gamma distribution of the expected samples of a stack in a host
P = -math.expm1(SIZE * math.log1p(-1 / PERIOD))
BYTES = SIZE / P  # that a sample represents
BETWEEN = MEAN * MEAN / SHAPE  # variance between hosts of the expected samples, in samples^2, equal in all stacks
ALL = STACKS * MEAN + STACKS ** 2 * BETWEEN  # variance of the samples of a dump
t = Tests()


def poisson(r, mean):
    n, left = 0, math.exp(-mean)
    x = r.random()
    while x > left:
        x *= r.random()
        n += 1
    return n


def header(name, size):
    """The header of a member of an archive."""
    head = bytearray(512)
    for at, text in ((0, name), (100, '0000644\0' + '0000000\0' * 2 + f'{size:011o}\0' + '0' * 11 + '\0' + ' ' * 8 + '0'),
                     (257, 'ustar\00000')):
        head[at:at + len(text)] = text.encode()
    head[148:156] = b'%06o\0 ' % sum(head)
    return head


def dump(counts, base):
    """A dump as jemalloc writes it with prof_unbias:false; the stacks have a common root."""
    lines = ''.join(f'@ {base + 0x100 + 16 * i:#x} {base + 0x80:#x}\n  t*: {n}: {n * SIZE} [0: 0]\n'
                    for i, n in enumerate(counts) if n)
    return (f'heap_v2/{PERIOD}\n  t*: {sum(counts)}: {sum(counts) * SIZE} [0: 0]\n{lines}\nMAPPED_LIBRARIES:\n'
            f'{base:x}-{base + 0x1000:x} r-xp 00000000 08:01 77 /opt/app\n').encode()


def fleet(r, dumps, more=0):
    """An archive of dumps, and the samples of each."""
    tar, samples = io.BytesIO(), []
    for i in range(dumps):
        expected = r.gammavariate(SHAPE, MEAN / SHAPE) + more
        counts = [poisson(r, expected) for _ in range(STACKS)]
        text = dump(counts, 0x550000000000 + (r.getrandbits(28) << 12))
        tar.write(header(f'app.{1000 + i}.0.i0.heap', len(text)) + text + bytes(-len(text) % 512))
        samples.append(sum(counts))
    return tar.getvalue() + bytes(1024), samples


def partial(path, tar):
    t.ok('merge', '-q', '-j1', '-o', path, '--tar=-', stdin=tar)
    return path


def spread(*inputs, **more):
    """The variance between dumps beyond sampling, by function with its callees, in samples^2."""
    rows = json.loads(t.ok('top', '--no-symbols', '-q', '--columns=spread', '--sort=cum', '-f', 'json', *inputs, **more).out)['rows']
    return {row['name']: row['spread']['sd'] ** 2 / BYTES ** 2 for row in rows}


def change(*sides):
    found = json.loads(t.ok('diff', '--no-symbols', '-q', '-f', 'json', *sides).out)
    if (found['test'], found['base']['groups'], found['new']['groups']) != ('fleets', 64, 64):
        raise AssertionError(f'{found["test"]}')
    return found['total']['p']


def welch(a, b):
    """The p-value of Welch's test by all dumps; their number is so large that t is normal."""
    variance = statistics.variance(a) / len(a) + statistics.variance(b) / len(b)
    return math.erfc(abs(statistics.fmean(a) - statistics.fmean(b)) / math.sqrt(2 * variance))


def one(seed):
    r, dumps = random.Random(seed), DUMPS
    more = 4 * math.sqrt(2 * ALL / dumps) / STACKS
    with scratch() as folder:
        paths, samples = [], []
        for name, shift in (('base', 0), ('alike', 0), ('grew', more)):
            tar, own = fleet(r, dumps, shift)
            paths.append(partial(pathlib.Path(folder, f'{name}.hpa'), tar))
            samples.append(own)
        found = spread(paths[0])
        return {'sds': [found['app+0x80'], found['app+0x100']], 'null': change(*paths[:2]),
                'grew': change(paths[0], paths[2]), 'all': welch(samples[0], samples[2])}


def coverage():
    faults = []
    runs = list(map(one, range(SEEDS)))
    # The variance due to sampling is subtracted: each sample adds 1 - p of the bytes that it represents.
    sampling = MEAN * (1 - P)
    for i, (name, want) in enumerate((('all stacks', ALL - STACKS * sampling), ('a stack', MEAN + BETWEEN - sampling))):
        found = [run['sds'][i] for run in runs]
        z = (statistics.fmean(found) - want) / (statistics.stdev(found) / math.sqrt(len(found)))
        relative = statistics.stdev(found) / statistics.fmean(found)
        told.append(f'{name}: s^2 {statistics.fmean(found) / want:.4f} of what it is (z {z:+.1f}), sd {relative:.3f}')
        if abs(z) >= 4 or not 0.1 < relative < 0.3:
            faults.append(told[-1])
    rejected = sum(run['null'] < 0.05 for run in runs)
    grew, of_all = sum(run['grew'] < 0.05 for run in runs), sum(run['all'] < 0.05 for run in runs)
    told.append(f'of {SEEDS} alike {rejected} are rejected, of those that grew {grew}, {of_all} by all dumps')
    if rejected > SEEDS * 0.05 + 3 * math.sqrt(SEEDS * 0.05 * 0.95) or grew < 0.9 * of_all or of_all < SEEDS / 2:
        faults.append(told[-1])
    return faults or '; '.join(told)


def rows_of(*inputs, **more):
    options = ('--no-symbols', '-q', '--columns=spread', '--keep-unmapped', '-n0', '-f', 'json')
    return json.loads(t.ok('top', *options, *inputs, **more).out)


def as_dumps():
    """s^2 has the sd of a variance of 64 groups, and where few dumps hold most of a row, of how many dumps
    these groups have by accident; the part that sampling adds is nearly certain."""
    faults, tested, far = [], 0, 0
    with scratch() as folder:
        tar = subprocess.run([SIM, 'fleet', '7', '0', '2000'], stdout=subprocess.PIPE, check=True).stdout
        path = pathlib.Path(folder, 'all.hpa')
        t.ok('merge', '-q', '--keep-unmapped', '-o', path, '--tar=-', stdin=tar)
        want, got = rows_of('--tar=-', stdin=tar), rows_of(path)
        hosts = want['inputs']['used']
        relative = math.sqrt(2 / 63 + 64 / hosts)
        for key in ('total', 'unsampled'):
            if want[key] != got[key]:
                faults.append(f'{key}: {want[key]} {got[key]}')
        if [row['name'] for row in want['rows']] != [row['name'] for row in got['rows']]:
            return faults + ['other rows']
        for of_dumps, of_groups in zip(want['rows'], got['rows']):
            spreads = [row.pop('spread') for row in (of_dumps, of_groups)]
            if of_dumps != of_groups or abs(spreads[0]['mean'] - spreads[1]['mean']) > 1e-6 * abs(spreads[0]['mean']):
                faults.append(f'{of_dumps} {of_groups}')
            if (of_dumps['effective_samples'] or 0) >= 5:
                flat = of_dumps['flat']['inuse-space']
                sampling = ((flat['high'] - flat['low']) / 2 / 1.96) ** 2 / hosts
                squares = [one['sd'] ** 2 for one in spreads]
                tested += 1
                far += abs(squares[0] - squares[1]) > 3 * relative * (squares[0] + sampling)
        if (got['spread_groups'], len(got['quantiles'])) != (64, 5) or tested < 200 or far > 0.01 * tested:
            faults.append(f'{far} of {tested} rows are far off')
        ends = [{row['input']: (row['value'], row['others']) for row in each['outliers']} for each in (want, got)]
        # Of single dumps in groups, the file has no totals of headers: sums of stacks are rounded once a stack.
        if not ends[0] or any(abs(a - b) > 1e-3 * a for name, values in list(ends[0].items())[:3]
                              for a, b in zip(values, ends[1].get(name, (0, 0)))):
            faults.append(f'{ends[0]} {ends[1]}')
    return faults or f'{tested} rows of {hosts} dumps, {far} far off'


SIM = sys.argv[3]
told = []
t.check('groups of dumps record the same variance as the dumps', as_dumps)
t.check(f'{SEEDS} fleets: the recorded variance is the known one', coverage)
t.done()

#!/usr/bin/env python3
"""Dumps that list their objects one by one, as ClickHouse's jemalloc does: memory in use is estimated from the sizes
in the list, for any form of the counts, and the interval is that of objects of known sizes."""
import json
import math
import pathlib
import random
import re

from harness import METRICS, Tests, near, scratch

PERIOD = 4096
CLASSES = [16, 48, 64, 128, 320, 1024, 4096, 5120, 16384, 65536]
SLABS = 'frag_util: 0 3 64 4096 64 1 10 500 2\n'
MAPS = '\nMAPPED_LIBRARIES:\n10000000-20000000 r-xp 00000000 08:01 5 /srv/lib/app\n'
t = Tests(is_coded=True)


def probability(size):
    return -math.expm1(size * math.log1p(-1 / PERIOD))


def rewritten(sizes):
    """The numbers that jemalloc prints with prof_unbias:true (prof_data.c)."""
    if not sizes:
        return 0, 0
    usual = [1 - math.exp(-size / PERIOD) for size in sizes]
    objects = sum(round(8 / p) for p in usual) / 8
    space = sum(round(size / p) for size, p in zip(sizes, usual))
    q = 1 - math.exp(-space / objects / PERIOD)
    return round(objects * q), round(space * q)


def raw(sizes):
    return len(sizes), sum(sizes)


def lines(sizes):
    return ''.join(f'  f: {1000 + i} {size - 7} {size} 3 0 {i % 3}\n' for i, size in enumerate(sizes))


def dump(stacks, counts, listed):
    total = [counts(sizes) for sizes in stacks]
    head = counts([size for sizes in stacks for size in sizes])
    text = f'heap_v2/{PERIOD}\n  t*: {head[0]}: {head[1]} [0: 0]\n'
    for i, (count, sizes) in enumerate(zip(total, stacks)):
        text += f'@ {0x10000100 + 16 * i:#x} 0x10000010\n  t*: {count[0]}: {count[1]} [0: 0]\n'
        text += lines(sizes) if listed(i) else ''
    return (text + SLABS + MAPS).encode()


def run(content):
    with scratch() as folder:
        path = pathlib.Path(folder) / 'a.heap'
        path.write_bytes(content)
        report = json.loads(t.ok('top', '--no-symbols', '-n0', '--by=address', '--format=json', path).out)
        return report, t.ok('info', '-v', '--no-symbols', path)


def leaves(report, metric='inuse-space'):
    rows = [row['flat'][metric] for row in sorted(report['rows'], key=lambda row: row['name'])]
    return [row for row in rows if row['estimate']]


def flats(report):
    return [row['estimate'] for row in leaves(report)]


def stacks_of(seed):
    r = random.Random(seed)
    return [[r.choice(CLASSES) for _ in range(r.randint(1, 40))] for _ in range(30)]


def sums(stacks):
    return [math.fsum(size / probability(size) for size in sizes) for sizes in stacks]


def estimates(counts):
    faults = []
    for seed in range(10):
        stacks = stacks_of(seed)
        got, info = run(dump(stacks, counts, lambda i: True))
        if not all(near(a, b, 1e-9, 0.001) for a, b in zip(flats(got), sums(stacks), strict=True)):
            faults.append(f'{flats(got)}, not {sums(stacks)}')
        objects = math.fsum(1 / probability(size) for sizes in stacks for size in sizes)
        if not near(info.totals()['inuse-objects'], objects, 1e-9, 0.001):
            faults.append(f'{info.totals()}, not {objects} objects')
        if any(row['low'] is None for row in leaves(got, 'inuse-objects')):
            faults.append('no interval of objects whose sizes are known')
    return faults


def clickhouse():
    """Objects of 4,698,112 bytes, which the counts take for 5 MiB; the header is made of counts."""
    path = t.formats / 'jemalloc-clickhouse.heap'
    text = path.read_text()
    period = int(re.match(r'heap_v2/(\d+)', text)[1])
    sizes = [int(size) for size in re.findall(r'^  f: \d+ \d+ (\d+)', text, re.M)]
    rate = math.log1p(-1 / period)
    want = math.fsum(size / -math.expm1(size * rate) for size in sizes)
    info = t.ok('info', '-v', '--no-symbols', path)
    faults = [] if near(info.totals()['inuse-space'], want, 1e-9) else [f'{info.totals()}, not {want}']
    if 'total-agrees' not in info.out or 'warning' in info.out + info.err or 4698112 not in sizes:
        faults.append(info.out + info.err)
    return faults


def some_are_listed():
    """The other stacks are as they would be without any list."""
    stacks = stacks_of(1)
    with_list = flats(run(dump(stacks, rewritten, lambda i: i % 2 == 0))[0])
    without = flats(run(dump(stacks, rewritten, lambda i: False))[0])
    want = [b if i % 2 else a for i, (a, b) in enumerate(zip(sums(stacks), without))]
    return [f'{a}, not {b}' for a, b in zip(with_list, want, strict=True)
            if not near(a, b, 1e-9, 0.001)]


def tells_what_is_listed():
    stacks = stacks_of(2)
    info = run(dump(stacks, rewritten, lambda i: True))[1].out
    wanted = (f'{sum(map(len, stacks))} sampled objects with their sizes',
              '40.0 KiB, of which 8.8 KiB unused')
    return [f'no {text!r} in {info}' for text in wanted if text not in info]


def damaged_line(old, new):
    """A malformed line is reported with its number, and its stack is treated as one without a list."""
    stacks = stacks_of(3)
    content = re.sub(old, new, dump(stacks, rewritten, lambda i: i == 0), count=1)
    without = flats(run(dump(stacks, rewritten, lambda i: False))[0])
    report, info = run(content)
    faults = [] if flats(report) == without else [f'{flats(report)}, not {without}']
    return faults + ([] if re.search(r'/a\.heap :5 input-malformed:  1 ', info.out)
                     else [info.out])


def total_of_threads(path, metric, *options):
    """The total of all stacks, and the sum of the rows of threads."""
    def report(*more):
        return json.loads(t.ok('top', '--no-symbols', '-n0', '-fjson', f'--metric={metric}',
                               *options, *more, path).out)
    rows = report('--by=thread')['rows']
    return (report()['total'][metric]['estimate'],
            math.fsum(row['flat'][metric]['estimate'] for row in rows),
            sorted(row['name'] for row in rows))


THREADS = '  t1: 1: 80 [5: 400]\n  t2: 2: 160 [4: 320]\n'


def by_thread(period, lines, *options):
    text = (f'heap_v2/{period}\n  t*: 3: 240 [9: 720]\n@ 0x10000100 0x10000010\n'
            f'  t*: 3: 240 [9: 720]\n{lines}'
            '  f: 1 80 80 3 0 1\n  f: 1 80 80 3 0 2\n  f: 1 80 80 3 0 2\n' + MAPS)
    faults = []
    with scratch() as folder:
        path = pathlib.Path(folder) / 'a.heap'
        path.write_text(text)
        for metric in METRICS:
            whole, parts, names = total_of_threads(path, metric, *options)
            if whole == 0 or not near(whole, parts, 0, 0.0025):
                faults.append(f'{metric}: {parts}, not {whole}')
            if names != ['t1', 't2'] and lines:
                faults.append(f'{metric}: {names}')
    return faults


t.check('estimates use listed sizes next to rewritten counts',
        lambda: estimates(rewritten))
t.check('estimates use listed sizes in a dump of ClickHouse, and its header is compared', clickhouse)
t.check('estimates use listed sizes next to raw counts', lambda: estimates(raw))
t.check('the list of one stack is not used for another', some_are_listed)
t.check('info reports the listed sizes', tells_what_is_listed)
t.check('a list with a damaged line is ignored',
        lambda: damaged_line(rb'  f: 1000 ', rb'  f: -1000 '))
for size in (0, 1 << 62, (1 << 64) - 1):
    t.check(f'a list with an object of {size} bytes is ignored',
            lambda: damaged_line(rb'  f: (\d+ \d+) \d+', rb'  f: \1 %d' % size))
for name, arguments in (('', (PERIOD, THREADS)),
                        (', with --estimator=none', (PERIOD, THREADS, '--estimator=none')),
                        (', with --estimator=jeprof', (PERIOD, THREADS, '--estimator=jeprof')),
                        (', without a period', (0, THREADS)), (', without lines', (PERIOD, ''))):
    t.check(f'threads have the numbers of their stacks{name}', lambda: by_thread(*arguments))
t.done()

#!/usr/bin/env python3
"""The totals are right: with --estimator=jeprof to 1e-9 those of an independent program,
otherwise within what the rounding in a dump allows; dumps that sampled everything, exactly.
"""
import math
import re

from harness import METRICS, Dump, Tests, expected_totals, near, read_text, unbias

t = Tests()
ROWS = list(expected_totals(t.formats))
JEMALLOC = [row for row in ROWS if row['kind'].endswith('jemalloc')]
CLASSIC = [row for row in ROWS if row['kind'].startswith('tcmalloc:')]


def want(row, metric):
    """None where info is to print "-": no allocation totals in the dump."""
    value = row['totals'][metric]
    no_alloc = metric.startswith('alloc') and row['totals']['alloc-objects'] == 0
    return None if no_alloc else value


def compare(row, got, relative):
    # Both sides are printed with three decimals.
    return [f'{row["file"]}: {metric} {got[metric]}, expected {want(row, metric)}'
            for metric in METRICS
            if not near(got[metric], want(row, metric), relative, 0.001)]


def compat(row):
    return compare(row, t.totals('--estimator=jeprof', t.formats / row['file']), 1e-9)


def rounding_bounds(dump, offset):
    """The range of objects and bytes that the lines of a dump may represent, given that jemalloc rounded both counts
    of each to an integer (and, before, 8/p: objects up to 5 %)."""
    objects, space = [], []
    for stack in dump.stacks:
        n, size = stack[offset:offset + 2]
        if n == 0:
            continue
        corners = [unbias(n + dn, max(size + ds, 0), dump.period)
                   for dn in (-0.5, 0.5) for ds in (-0.5, 0.5) if size + ds > 0]
        objects.append([min(c for c, _ in corners) * 0.95, max(c for c, _ in corners) * 1.05])
        space.append([min(b for _, b in corners), max(b for _, b in corners)])
    return [[math.fsum(low for low, _ in values), math.fsum(high for _, high in values)]
            for values in (objects, space)]


def default(row):
    path = t.formats / row['file']
    got = t.totals(path)
    dump = Dump(path)
    if dump.period == 1:
        return compare(row, got, 0)
    faults = []
    for offset in (0, 2):
        for i, metric in enumerate(METRICS[offset:offset + 2]):
            expected = want(row, metric)
            if expected is None or got[metric] is None:
                if got[metric] is not expected:
                    faults.append(f'{row["file"]}: {metric} {got[metric]}, not {expected}')
                continue
            if dump.unbiased_when_written:
                low, high = rounding_bounds(dump, offset)[i]
                # One size a stack: bytes are at most 0.67 % off.
                low = min(low, expected * 0.9933)
                high = max(high, expected * 1.0067)
            elif i == 0:
                low, high = expected * (1 - 1e-5), math.inf
            else:
                # Raw counts: a finer split is never lower, and never 29.85 % higher.
                low, high = expected * (1 - 1e-5), expected * 1.29844
            if not low <= got[metric] <= high:
                faults.append(f'{row["file"]}: {metric} {got[metric]} is not in '
                              f'[{low:.3f}, {high:.3f}]')
    return faults


CLASSIC_LINE = re.compile(r'\s*(\d+): +(\d+) \[ *(\d+): +(\d+)\] @')


def per_line(path, period):
    """The four totals if each line is unbiased separately."""
    sums = {metric: [] for metric in METRICS}
    for line in read_text(path).splitlines()[1:]:
        counts = CLASSIC_LINE.match(line)
        for offset in (0, 2) if counts else ():
            n, size = map(int, counts.groups()[offset:offset + 2])
            objects, space = unbias(n, size, period)
            sums[METRICS[offset]].append(objects)
            sums[METRICS[offset + 1]].append(space)
    return {metric: math.fsum(values) for metric, values in sums.items()}


def classic_default(row):
    path = t.formats / row['file']
    kind, period = row['kind'].removeprefix('tcmalloc:'), float(row['period'])
    if kind in ('heapprofile', 'growth'):
        return compare(row, t.totals(path), 0)
    wanted = dict(row, totals=per_line(path, period))
    if 'jemalloc' in row['file']:
        # 1 - (1 - 1/R)^S there.
        return compare(wanted, t.totals(path), 1e-4)
    if kind == 'heap_v2':
        wanted['totals'].update({'alloc-objects': 0, 'alloc-space': 0})  # not in the input
    return compare(wanted, t.totals(path), 1e-9)


def exactly(name, options):
    got = t.totals(*options, t.formats / name)
    return [f'{name} {options}: {metric} {got[metric]}, expected {number}'
            for metric, number in (('inuse-objects', 143525), ('inuse-space', 46627456))
            if got[metric] != number]


t.check(f'compat: the four totals of {len(JEMALLOC)} jemalloc dumps are right to 1e-9',
        lambda: t.in_parallel(compat, JEMALLOC))
t.check(f'default: the totals of {len(JEMALLOC)} jemalloc dumps are right within rounding',
        lambda: t.in_parallel(default, JEMALLOC))
t.check(f'compat: the four totals of {len(CLASSIC)} classic profiles are right to 1e-9',
        lambda: t.in_parallel(compat, CLASSIC))
t.check(f'default: the totals of {len(CLASSIC)} classic profiles are right line by line',
        lambda: t.in_parallel(classic_default, CLASSIC))
for name in ('jemalloc-lg0.heap', 'jemalloc-lg0-accum.heap'):
    for options in ([], ['--estimator=jeprof']):
        t.check(f'{name} {" ".join(options)}: the totals are exactly 143525 objects and 46627456 bytes',
                lambda: exactly(name, options))
t.done()

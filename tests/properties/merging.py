#!/usr/bin/env python3
"""Four processes of one PIE add up: totals are sums, functions meet under their names, and
neither order nor threads nor packing changes a byte.

usage: merging.py BINARY TESTDATA [--sample]

--sample takes every sixth order of the inputs.
"""
import collections
import gzip
import itertools
import pathlib
import re
import sys

from harness import METRICS, Tests, near, scratch

t = Tests()
STEP = 6 if '--sample' in sys.argv else 1
PROCS = sorted((t.formats / 'procs').glob('*.heap'))
REPORTS = (('top', '-n0', '--unit=B', f'--symbol-dir={t.root}'),
           ('top', '-n0', '--unit=B', '--metric=alloc-space', '--no-symbols', '--by=address'),
           ('merge', '--format=folded', f'--symbol-dir={t.root}'),
           ('stacks', '--no-symbols'))


def sums(*options):
    parts = [t.totals(*options, path) for path in PROCS]
    whole = t.totals(*options, *PROCS)
    return [f'{metric}: {whole[metric]}, but the sum is {sum(p[metric] for p in parts)}'
            for metric in METRICS
            if not near(whole[metric], sum(p[metric] for p in parts), 0, 0.0025)]


def names(metric, expected):
    rows = t.table(f'--metric={metric}', f'--symbol-dir={t.root}', *PROCS).rows()
    count = collections.Counter(name for _, _, name in rows)
    faults = [f'{name} appears {n} times' for name, n in count.items() if n > 1]
    faults += [f'{name} is missing' for name in expected if count[name] != 1]
    faults += [f'not named: {name}' for name in count
               if re.search(r'alloc_c|^(0x)?[0-9a-f]+$', name)]
    return faults


def same(report, variants):
    """All variants, which are lists of inputs and options, give the same bytes as the first one."""
    first = None
    faults = []
    for variant, stdin in variants:
        out = t.ok(*report, *variant, stdin=stdin).out_bytes
        first = out if first is None else first
        if out != first:
            faults.append(f'{" ".join(map(str, report))}: other bytes for '
                          + ' '.join(pathlib.Path(str(v)).name for v in variant))
    return faults


def packed(directory):
    """Write the dumps, also compressed, under names that do not show that a dump was made at exit, like standard
    input."""
    plain, files = [], []
    for number, path in enumerate(PROCS):
        plain.append(pathlib.Path(directory, f'{number}.heap'))
        plain[-1].write_bytes(path.read_bytes())
        files.append(pathlib.Path(directory, f'{number}.heap.gz'))
        files[-1].write_bytes(gzip.compress(path.read_bytes()))
    return [(plain, None), (files, None), ([files[0], plain[1], files[2], plain[3]], None),
            (['-', *plain[1:]], plain[0].read_bytes()), ([*plain[:3], '-'], files[3].read_bytes())]


def subsets():
    """Merging is associative: partial results add up to the whole, line by line."""
    whole = collections.Counter()
    for path in PROCS:
        for frames, value in t.ok('merge', '-ffolded', '--no-symbols', path).folded():
            whole[tuple(frames)] += value
    merged = {tuple(frames): value for frames, value in
              t.ok('merge', '-ffolded', '--no-symbols', *PROCS).folded()}
    # A stack in k dumps was rounded k times before.
    return [f'{";".join(key)}: {merged.get(key)} instead of about {value}'
            for key, value in whole.items() if abs(merged.get(key, 0) - value) > 6]


t.check('four processes: the merged totals are the sums', lambda: sums())
t.check('four processes: the merged totals are the sums with --estimator=jeprof', lambda: sums('--estimator=jeprof'))
t.check('four processes: the merged totals are the sums with --estimator=none', lambda: sums('--estimator=none'))
HELD = ['leaf_small', 'leaf_big', 'leaf_mixed', 'leaf_realloc', 'recurse', 'worker', 'main',
        'inlined_alloc']
t.check('in use, each function of the program appears once by name',
        lambda: names('inuse-space', HELD))
t.check('allocated, each function of the program appears once by name',
        lambda: names('alloc-space', HELD))
t.check('each merged stack is the sum of the stacks of the inputs', subsets)
for report in REPORTS:
    title = ' '.join(a for a in report if not a.startswith('--symbol-dir'))
    orders = list(itertools.permutations(PROCS))[::STEP]
    t.check(f'{title}: {len(orders)} orders of the inputs give one output',
            lambda: same(report, [(order, None) for order in orders]))
    t.check(f'{title}: -j1 ... -j8 give one output',
            lambda: same(report, [([f'-j{j}', *PROCS], None) for j in range(1, 9)]))
    with scratch() as directory:
        t.check(f'{title}: plain files, gzip and standard input give one output',
                lambda: same(report, packed(directory)))
t.done()

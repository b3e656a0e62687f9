#!/usr/bin/env python3
"""Compares estimates and intervals with --large-sizes=pages with the truth: jemalloc has rounded large objects up to
pages only, but unbiased by size class.

usage: pages.py BINARY TESTDATA [--full] [--dumps=N] [--seed=N] [--jobs=N]

Even sizes: the mean estimate differs from the truth by at most 2 %.  Powers of two, and one size at either end of its
class: the interval holds the truth.  By itself it takes some seconds; 200 dumps a cell, some minutes:

    pages.py BINARY TESTDATA --full
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from harness import Tests  # noqa: E402
from workloads import K, M, PAGE, TOTAL, bytes_of, dump_text, of_sizes  # noqa: E402

PERIODS = 64 * K, 512 * K, 4 * M
SAMPLED = 1200  # objects of a dump, about
FEW = 20  # stacks of many sampled objects; else most have one or two


def expected(size, period):
    return 1 - (1 - 1 / period) ** size


def spread(sizes, period, stacks):
    """Distribute objects over stacks: an equal number of each size, so that about SAMPLED objects are sampled in all."""
    count = SAMPLED / sum(expected(size, period) for size in sizes)
    holds = [{} for _ in range(stacks)]
    for i in range(int(count * len(sizes))):
        held, size = holds[i % stacks], sizes[i * 7919 % len(sizes)]
        held[size] = held.get(size, 0) + 1
    return of_sizes(period, holds)


def even(low, high):
    return range((low * K + PAGE - 1) // PAGE * PAGE, high * K + 1, PAGE)


def cells():
    """{name: (sizes, period, stacks, is the mean asked for)}"""
    found = {}
    for period in PERIODS:
        for stacks in (FEW, SAMPLED):
            for low, high in ((33, 160), (33, 633)):
                found[f'{low} to {high} KiB at {period // K} KiB in {stacks} stacks'] = \
                    even(low, high), period, stacks, True
        found[f'powers of two at {period // K} KiB'] = [64 * K, 128 * K, 256 * K, 512 * K], period, FEW, False
        for size in (36, 40, 132, 160, 516, 640):
            found[f'{size} KiB at {period // K} KiB'] = [size * K], period, FEW, False
    return found


def estimate_of(workload, rng, path):
    path.write_text(dump_text(workload, workload.sample(rng), True), encoding='ascii')
    done = subprocess.run([OPTIONS.binary, 'top', '--format=json', '--no-symbols', '-j1', '-q',
                           '--large-sizes=pages', path], capture_output=True, check=True)
    return json.loads(done.stdout)['total']['inuse-space']


def measure(name):
    """(mean estimate / truth, its standard error, share of intervals that hold the truth)"""
    sizes, period, stacks, _ = cells()[name]
    workload, rng = spread(sizes, period, stacks), random.Random(f'{OPTIONS.seed} {name}')
    truth, ratios, held = bytes_of(workload.truth['inuse'][TOTAL]), [], 0
    with tempfile.TemporaryDirectory(prefix='hprof-agg-') as folder:
        for _ in range(OPTIONS.dumps):
            told = estimate_of(workload, rng, pathlib.Path(folder) / 'app.heap')
            ratios.append(told['estimate'] / truth)
            held += told['low'] <= truth <= told['high']
    count, mean = len(ratios), sum(ratios) / len(ratios)
    error = (sum((ratio - mean) ** 2 for ratio in ratios) / (count - 1) / count) ** .5
    return mean, error, held / count


def faults_of(name, figures):
    mean, error, held = figures
    is_mean = cells()[name][3]
    if is_mean and abs(mean - 1) > .02 + (0 if OPTIONS.full else 2 * error):
        yield f'{name}: the mean is {mean:.3f} ± {error:.3f} of the truth'
    if OPTIONS.full and is_mean and error > .005:
        yield f'{name}: {error:.4f} is too large an error to tell'
    if held < (.94 if OPTIONS.full else .6):
        yield f'{name}: {held:.3f} of the intervals hold the truth'


def check():
    faults = []
    with concurrent.futures.ProcessPoolExecutor(OPTIONS.jobs) as pool:
        for name, figures in zip(cells(), pool.map(measure, cells())):
            if OPTIONS.full:
                print('{}: {:.3f} ± {:.4f}, held {:.3f}'.format(name, *figures), flush=True)
            faults += faults_of(name, figures)
    return faults or f'{len(cells())} cells of {OPTIONS.dumps} dumps'


def parsed():
    parser = argparse.ArgumentParser()
    parser.add_argument('binary', type=os.path.abspath)
    parser.add_argument('testdata')
    parser.add_argument('--full', action='store_true')
    for name, value in (('dumps', None), ('seed', 1), ('jobs', 2)):
        parser.add_argument(f'--{name}', type=int, default=value)
    options = parser.parse_args()
    options.dumps = options.dumps or (200 if options.full else 12)
    return options


OPTIONS = parsed()
if __name__ == '__main__':
    t = Tests()
    t.check('estimates of large sizes that may be pages are close to the truth', check)
    t.done()

#!/usr/bin/env python3
"""Tests the reported numbers for stacks that were never sampled, and for the first rows where most stacks were not
sampled.

usage: unseen.py BINARY TESTDATA [DUMPS]

DUMPS (40) are read of each workload.  600 take some minutes.
"""
import json
import math
import pathlib
import random
import re
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent / 'properties'))
import workloads  # noqa: E402
from harness import Tests, scratch  # noqa: E402
from intervals import interval, variance_of  # noqa: E402
from workloads import TOTAL, WORKLOADS, Stack, Workload, bytes_of, in_bytes, of_sizes  # noqa: E402

PERIOD, MISS = 64 << 10, 0.05
EQUAL = ((200, 4), (1000, 5), (60, 3.5))  # stacks, and periods that each holds


class Dumps:
    """The dumps of a workload: (true bytes by name, names that have samples, reports)."""

    def __init__(self, folder, name, workload, options=('-n1',)):
        self.workload, self.options = workload, options
        self.truth = {row: bytes_of(counts)
                      for row, counts in workload.truth['inuse'].items()}
        rng = random.Random(f'unseen {name}')
        self.paths, self.seen = [], []
        for i in range(DUMPS):
            samples = workload.sample(rng)
            path = pathlib.Path(folder, f'{name}-{i}.heap')
            path.write_text(workloads.dump_text(workload, samples, i % 2 == 0), encoding='ascii')
            self.paths.append(path)
            self.seen.append(set(samples.sums('inuse')))

    def told(self):
        return t.in_parallel(lambda path: [json.loads(t.ok(
            'top', '--format=json', '--no-symbols', *self.options, path).out)], self.paths)


# --- any one stack ----------------------------------------------------------------------


def most_in_one(total):
    """x with (T/x) e^(-x/R) = MISS, by halving."""
    low, high = 0.0, 100.0
    while high - low > 1e-9:
        x = (low + high) / 2
        low, high = (x, high) if total / PERIOD / x * math.exp(-x) > MISS else (low, x)
    return low * PERIOD


def any_one(folder, stacks, held):
    dumps = Dumps(folder, f'{stacks}x{held}', of_sizes(
        PERIOD, [in_bytes(64, held * PERIOD)] * stacks))
    leaves = [name for name in dumps.truth if name != TOTAL and dumps.truth[name] < 2 * held * PERIOD]
    formula = most_in_one(dumps.truth[TOTAL])
    true, ratios = 0, []
    for seen, report in zip(dumps.seen, dumps.told()):
        told = report['unsampled']['stack']
        missed = max((dumps.truth[name] for name in leaves if name not in seen), default=0)
        true += missed <= told * (1 + 1e-8)
        ratios.append(told / formula)
    faults = []
    if true < (1 - MISS) * DUMPS:
        faults.append(f'true in {true} of {DUMPS} dumps')
    if max(ratios) > 1.15:
        faults.append(f'{max(ratios):.3f} times what follows from the true total')
    return faults or (f'true in {true} of {DUMPS}, {min(ratios):.3f} ... {max(ratios):.3f} of '
                      f'{formula / PERIOD:.1f} R')


# --- the first row ----------------------------------------------------------------------

SIZE = 64


def leaves_of(held):
    """A workload of stacks that hold these numbers of periods."""
    return Workload(PERIOD, [Stack(i, i // 1000, in_bytes(SIZE, share * PERIOD))
                             for i, share in enumerate(held)])


def unequal(count, draw):
    rng = random.Random(3)
    return leaves_of([max(draw(rng), SIZE / PERIOD) for _ in range(count)])


SELECTED = {
    'dust': WORKLOADS['dust'],
    '20,000 stacks of a twentieth of R': lambda: leaves_of([.05] * 20000),
    '3,000 stacks of half of R': lambda: leaves_of([.5] * 3000),
    '500 stacks of R': lambda: leaves_of([1] * 500),
    'log-normal stacks': lambda: unequal(4000, lambda rng: rng.lognormvariate(-2, 1.3)),
    'Pareto stacks': lambda: unequal(6000, lambda rng: .02 * rng.paretovariate(1.2)),
}


def first_row(folder, name):
    dumps = Dumps(folder, name.replace(' ', '-'), SELECTED[name]())
    hits, usual, ratios, faults = 0, 0, [], []
    for report in dumps.told():
        row, = report['rows']
        told, true = row['flat']['inuse-space'], dumps.truth[row['name']]
        hits += told['low'] <= true <= told['high']
        period = report['inputs']['periods'][0]
        low, high = interval(told['estimate'], variance_of(told['estimate'], SIZE, period), period,
                             MISS, told['estimate'], 0)
        usual += low <= true <= high
        ratios.append((told['high'] - told['low']) / (high - low))
        if not report['unsampled']['rows_overestimated']:
            faults.append('nothing is told of it')
    if hits < .93 * DUMPS:
        faults.append(f'in {hits} of {DUMPS} intervals')
    if max(ratios) > 1.6:
        faults.append(f'{max(ratios):.2f} times as wide as of any one row')
    return faults or (f'in {hits} of {DUMPS} intervals, {usual} if it were any one; at most '
                      f'{max(ratios):.2f} times as wide')


def usual_rows(folder):
    """If most of the memory was sampled, there is no note, and intervals are those of any row."""
    faults = []
    for report in Dumps(folder, 'zipf', WORKLOADS['zipf'](), ('-n0',)).told():
        if report['unsampled']['rows_overestimated']:
            faults.append('zipf: it is told that rows are too high')
    return faults


def sentence(folder):
    texts = [t.ok('top', '--no-symbols', Dumps(folder, name, WORKLOADS[name]()).paths[0]).out
             for name in ('dust', 'zipf')]
    return [f'{text[:400]}' for text, is_told in zip(texts, (True, False))
            if (re.search(r'^warning: about \d+% is in stacks without a sample. Shown rows include it and are too high', text, re.M) is not None) != is_told]


def main():
    with scratch() as folder:
        for stacks, held in EQUAL:
            t.check(f'{stacks} stacks of {held} R: no unsampled stack exceeds the reported bound',
                    lambda: any_one(folder, stacks, held))
        for name in SELECTED:
            t.check(f'{name}: the interval of the first row contains the truth',
                    lambda: first_row(folder, name))
        t.check('zipf: rows are not reported as overestimated', lambda: usual_rows(folder))
        t.check('the text says that rows are too high only if most memory is unsampled', lambda: sentence(folder))
    t.done()


DUMPS = int(sys.argv[3]) if len(sys.argv) > 3 else 40
t = Tests()
main()

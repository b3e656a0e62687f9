#!/usr/bin/env python3
"""Is what is told of stacks that were never sampled true, and of the rows that stand first where
most were not?

usage: unseen.py BINARY TESTDATA [DUMPS]

DUMPS of each workload (40).  600 take some minutes.
"""
import json
import math
import pathlib
import random
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent / 'properties'))
import workloads  # noqa: E402
from harness import Tests, scratch  # noqa: E402
from workloads import TOTAL, bytes_of, in_bytes, of_sizes  # noqa: E402

PERIOD, MISS = 64 << 10, 0.05
EQUAL = ((200, 4), (1000, 5), (60, 3.5))  # stacks, and periods that each holds


class Dumps:
    """Of a workload: (true bytes by name, names that have samples, what is told)."""

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


def standard_errors(share, level):
    """How far a share of DUMPS may be below its level."""
    return share >= level - 4 * math.sqrt(level * (1 - level) / DUMPS)


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
        told = report['unseen']['stack']
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


def main():
    with scratch() as folder:
        for stacks, held in EQUAL:
            t.check(f'{stacks} stacks of {held} R: no stack that was missed holds more than told',
                    lambda: any_one(folder, stacks, held))
    t.done()


DUMPS = int(sys.argv[3]) if len(sys.argv) > 3 else 40
t = Tests()
main()

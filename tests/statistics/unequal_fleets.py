#!/usr/bin/env python3
"""Tests `diff` of at least three processes in all with an independent sampler: random differences of processes are
not called changes, and true changes are found and lie in their intervals, with any number of processes on a side.

usage: unequal_fleets.py BINARY TESTDATA [--sample | --full] [SEED]

A table is 20 rows of .1 to 200 samples, or of 40, and their sum: each row of a process is off by a factor of its own and
one that all rows of the process share, both log-normal.  Many tables stand in a dump, each below a caller of its own,
whose row is the table's total; what is marked in a table follows from its own p-values.  --full is 4,000 tables of each
kind, in half an hour of two cores; else 400.
"""
import json
import math
import pathlib
import random
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from harness import Tests, scratch  # noqa: E402

R, SIZE = 65536, 64
ROWS, TOGETHER = 20, 100  # rows of a table, tables of a dump
TABLES = 4000 if '--full' in sys.argv else 400
SEEDS = [word for word in sys.argv[3:] if not word.startswith('-')]
SEED = SEEDS[0] if SEEDS else '1'
COMMON, OF_ALL = .2, .3  # cv of the factor that rows of a process share, and of all
LEAF, CALLER = 0x400000, 0x40000000
P = -math.expm1(SIZE * math.log1p(-1 / R))
T = 3.5  # standard errors, as many kinds are looked at


# --- dumps ----------------------------------------------------------------------------------


def poisson(mean):
    """A Poisson number of samples; large means are halved by the gaps that fill a part (Devroye, X.3)."""
    count = 0
    while mean > 30:
        step = int(mean * .875)
        filled = rng.gammavariate(step, 1)
        if filled > mean:
            place = mean / filled
            return count + sum(rng.random() < place for _ in range(step - 1))
        count, mean = count + step, mean - filled
    left = math.exp(-mean)
    product = rng.random()
    while product > left:
        count += 1
        product *= rng.random()
    return count


def factor(cv):
    sigma = math.sqrt(math.log1p(cv * cv))
    return math.exp(sigma * rng.gauss(0, 1) - sigma * sigma / 2)


def means_of(kind):
    """Samples that each row of a table has on average."""
    if kind.samples:
        return [kind.samples] * ROWS
    return [.1 * 2000 ** (i / (ROWS - 1)) for i in range(ROWS)]


def write(path, process, tables):
    """Raw: `tables` are samples of each row."""
    lines = [f'heap_v2/{R}']
    count = sum(map(sum, tables))
    lines.append(f'  t*: {count}: {count * SIZE} [0: 0]')
    for i, table in enumerate(tables):
        for j, n in enumerate(table):
            if n:
                lines += [f'@ {LEAF + 16 * (ROWS * i + j):#x} {CALLER + 16 * i:#x}',
                          f'  t*: {n}: {n * SIZE} [0: 0]']
    vdso = 0x7f0000000000 + 0x10000 * process
    lines += ['', 'MAPPED_LIBRARIES:', f'{vdso:x}-{vdso + 0x2000:x} r-xp 0 00:00 0 [vdso]', '']
    path.write_text('\n'.join(lines), encoding='ascii')
    return path


class Kind:
    """Number of processes on each side; samples of a row, or 0 for .1 to 200; the excess of each side; cv of the
    total on each side; whether the base is merged to one profile."""

    def __init__(self, base, new, samples=0, times=(1, 1), cv=(OF_ALL, OF_ALL), is_merged=False):
        self.hosts, self.samples, self.times, self.cv, self.is_merged = (base, new), samples, times, cv, is_merged

    def __str__(self):
        return (f'{self.hosts[0]}{" merged" * self.is_merged} v {self.hosts[1]}, {self.samples or ".1 to 200"} samples, '
                f'{self.times[0]:g} : {self.times[1]:g}' +
                (f', cv {self.cv[0]:g} and {self.cv[1]:g}' if self.cv != (OF_ALL, OF_ALL) else ''))

    def draw(self, folder):
        sides, means = ([], []), means_of(self)
        for side in (0, 1):
            own = math.sqrt((1 + self.cv[side] ** 2) / (1 + COMMON ** 2) - 1)
            for host in range(self.hosts[side]):
                tables = []
                for _ in range(TOGETHER):
                    common = factor(COMMON) * self.times[side]
                    tables.append([poisson(mean * common * factor(own)) for mean in means])
                sides[side].append(write(folder / f'{side}.{host}', 1000 * side + host + 1, tables))
        if self.is_merged:
            return [t.merged(folder / 'base.pb.gz', sides[0], '--no-symbols', '--keep-unmapped')], sides[1]
        return sides

    def truth(self, samples):
        return samples * SIZE / P * (self.times[1] - self.times[0])


# --- results of hprof-agg --------------------------------------------------------------------


def told(sides):
    """{address: row}, each with its test."""
    done = t.ok('diff', '-q', '-fjson', '-n0', '--cum', '--no-symbols', '--keep-unmapped', '--by=address',
                *sides[0], '--to', *sides[1], timeout=3600)  # also on a busy machine
    report = json.loads(done.out)
    expected = 'one-against-several' if 1 in map(len, sides) else 'fleets'
    assert report['test'] == expected, report['test']
    return {int(row['name'].rpartition('0x')[2], 16): row for row in report['rows']}


def adjusted(ps):
    """The smallest adjusted p-value by Benjamini and Hochberg."""
    tested = sorted(p for p in ps if p is not None)
    return min((p * len(tested) / (i + 1) for i, p in enumerate(tested)), default=1)


class Figures:
    def __init__(self):
        self.total = self.marked = self.tables = self.rows = self.small = self.held = self.all = 0
        self.faults = []

    def add_table(self, kind, total, rows):
        self.tables += 1
        self.total += total['p'] is not None and total['p'] <= .05
        self.marked += adjusted([row['p'] for row in rows]) < .05
        for row in rows:
            self.add_row(row)
        for mean, row in zip(means_of(kind), rows):
            self.all += 1
            low, high = ends_of(row)
            self.held += low <= kind.truth(mean) <= high

    def add_row(self, row):
        if row['p'] is None:
            return
        self.rows += 1
        self.small += row['p'] <= .05
        low, high = ends_of(row)
        if (low > 0 or high < 0) != (row['p'] < .05):
            self.faults.append(f'p {row["p"]} beside {low} to {high}')

    def shares(self):
        return (self.total / self.tables, self.marked / self.tables, self.small / max(self.rows, 1),
                self.held / max(self.all, 1))


def ends_of(row):
    """The ends of the interval of a change; one that too few processes leave open is infinite."""
    low, high = row['delta']['low'], row['delta']['high']
    return -math.inf if low is None else low, math.inf if high is None else high


NOTHING = {'p': None, 'delta': {'low': None, 'high': None}}


def figures_of(kind):
    figures = Figures()
    for _ in range(max(TABLES // TOGETHER, 1)):
        with scratch() as folder:
            rows = told(kind.draw(pathlib.Path(folder)))
        for i in range(TOGETHER):
            figures.add_table(kind, rows.get(CALLER + 16 * i, NOTHING),
                              [rows.get(LEAF + 16 * (ROWS * i + j), NOTHING) for j in range(ROWS)])
    return figures


def above(share, most):
    return share > most + T * math.sqrt(most * (1 - most) / TABLES)


def is_silent(kind):
    figures = figures_of(kind)
    total, marked, small, held = figures.shares()
    faults = figures.faults
    if above(total, .065):
        faults.append(f'p of the total <= .05 in {total:.4f}')
    if above(marked, .06):
        faults.append(f'a row is marked in {marked:.4f}')
    if held < .93:
        faults.append(f'the interval holds no change in {held:.4f}')
    return faults or (f'{figures.tables} tables, p of the total <= .05 in {total:.4f}, a mark in {marked:.4f}; p of a '
                      f'row <= .05 in {small:.4f}, no change held in {held:.4f}')


def is_calm(kind):
    """Nothing is exact there: .05 by the study of the method."""
    figures = figures_of(kind)
    _, _, small, held = figures.shares()
    faults = figures.faults
    if small > .08:
        faults.append(f'p of a row <= .05 in {small:.4f}')
    return faults or f'p of a row <= .05 in {small:.4f}, no change held in {held:.4f}'


def is_found(kind, least):
    figures = figures_of(kind)
    _, _, small, held = figures.shares()
    faults = figures.faults
    if above(least, small):
        faults.append(f'found in {small:.4f}')
    if held < .93:
        faults.append(f'the interval holds the change in {held:.4f}')
    return faults or f'{figures.rows} rows, found in {small:.4f}, held in {held:.4f}'


SAME = (Kind(12, 5, is_merged=True), Kind(1, 2), Kind(1, 3), Kind(1, 5), Kind(2, 3), Kind(2, 20), Kind(3, 12), Kind(12, 3), Kind(5, 5))
NOISY = (Kind(2, 20, 40, cv=(.6, .3)), Kind(3, 12, 40, cv=(.6, .3)))
# (kind, the least share that is found at p <= .05); an interval of its own for halves
CHANGED = ((Kind(1, 5, 40, (3, 1)), .45), (Kind(2, 20, 40, (2, 1)), .25), (Kind(2, 20, 40, (3, 1)), .44),
           (Kind(3, 12, 40, (3, 1)), .78), (Kind(3, 12, 40, (1, 2)), .42), (Kind(5, 5, 40, (1, 2)), .65),
           (Kind(1, 2, 40, (1, 2)), 0), (Kind(1, 5, 40, (2, 1)), 0), (Kind(20, 2, 40, (1, 2)), 0),
           (Kind(20, 2, 40, (2, 1)), 0))

rng = random.Random(SEED)
t = Tests()
for same in SAME:
    t.check(f'V1: {same}: random differences between processes are not called changes', lambda: is_silent(same))
for noisy in NOISY:
    t.check(f'V2: {noisy}: a few noisy processes against many are not called changed', lambda: is_calm(noisy))
for changed, share in CHANGED:
    t.check(f'V3: {changed}: a true change is found and is in its interval', lambda: is_found(changed, share))
t.done()

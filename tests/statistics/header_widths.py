#!/usr/bin/env python3
"""How narrow the intervals of totals of rewritten dumps can be, of one and merged: for three workloads, and for one whose
stacks mix 32 bytes and 2 MiB.

usage: header_widths.py BINARY TESTDATA [--full]        (--full: the table, some minutes)

The header of a dump is rounded, so that it shows the total to +-R/2 and no better.  The bounds of N dumps add up, since
the dumps of a program may all be rounded in the same direction.  Sampling needs a width of about 3.92 R sqrt(N n), for n
samples a dump: relative to that, the bounds have the width .255 sqrt(N / n).  The rest of the width is within the limit
that the statistics ask for; where sizes within stacks differ little, the whole is with ten times the samples.

For a stack that mixes sizes there is a twin: samples of objects of nearly one size that print the same line.  The
variance of the twin is larger, and the interval has to be wide enough for it.
"""
import argparse
import math
import os
import pathlib
import random
import statistics
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / 'properties')]
import coverage_workloads  # noqa: E402
import workloads  # noqa: E402
from cells import Z, estimate_of, ideal_width, width_of  # noqa: E402
from harness import Tests  # noqa: E402
from workloads import TOTAL  # noqa: E402

MERGED = (1, 10, 100)
LIMITS = {'lognormal': (1.05, 1.06, 1.08), 'zipf': (1.15, 1.15, 1.18), 'pareto': (1.10, 1.12, 1.15)}
CHANCE = .01  # widths of a few sets are off by that
MIXED = {'bimodal': 1.45, 'zipf': 1.15}  # the widths asked for


def scaled(name, times):
    """The workload with so many times the objects in each stack."""
    workload = workloads.ALL[name]()
    stacks = [workloads.Stack(0, 0, {size: times * count for size, count in stack.holds[0].items()})
              for stack in workload.stacks]
    for own, stack in zip(stacks, workload.stacks):
        own.leaf, own.middle = stack.leaf, stack.middle
    return workloads.Workload(workload.period, stacks, workload.threads)


def write(workload, samples, path, rng):
    base = rng.randrange(workloads.BASE, workloads.BASE + (1 << 40), workloads.PAGE)
    path.write_text(workloads.dump_text(workload, samples, True, base), encoding='ascii')
    return path


def widths(paths, period, counts):
    """The width of a total, that without the bounds for sizes and headers, and that of per-object data."""
    told = coverage_workloads.report_of(paths, 95, ())['total']['inuse-space']
    errors = coverage_workloads.errors_of(paths, (), ('inuse',))['inuse']
    rest = width_of(errors['estimate'], errors['variance'], errors['certain'], period)
    return told['high'] - told['low'], rest, ideal_width(counts, period)


# --- bounds of headers ------------------------------------------------------------------


def cell(name, times, merged, sets):
    """Mean (width, rest, bounds of the headers, samples a dump) of sets of dumps, the first three of ideal widths."""
    workload, rng, figures = scaled(name, times), random.Random(f'{name} {times} {merged}'), []
    for _ in range(sets):
        with tempfile.TemporaryDirectory(dir=coverage_workloads.OPTIONS.scratch) as folder:
            counts, paths = {}, []
            for i in range(merged):
                samples = workload.sample(rng)
                paths.append(write(workload, samples, pathlib.Path(folder, f'{i}.heap'), rng))
                workloads.add(counts, samples.sums('inuse')[TOTAL])
            width, rest, ideal = widths(paths, workload.period, counts)
        figures.append((width / ideal, rest / ideal, merged * workload.period / ideal, sum(counts.values()) / merged))
    return [statistics.fmean(column) for column in zip(*figures)]


def bounds(name, times):
    faults, shown = [], []
    for merged, limit in zip(MERGED[:None if OPTIONS.full else 2], LIMITS[name]):
        width, rest, linear, samples = cell(name, times, merged, 60 // merged + 2 if OPTIONS.full else 1)
        shown.append(f'x{merged}: {width:.3f} = {rest:.3f} + {width - rest:.3f} (bounds {linear:.3f}, .255 sqrt(N / n) '
                     f'{.255 * math.sqrt(merged / samples):.3f}, asked {limit})')
        chance = CHANCE if OPTIONS.full else .05
        if width - rest > linear + chance:
            faults.append(f'{shown[-1]}: wider than the bounds of the headers')
        if rest > limit + chance or times > 1 and width > limit + chance:
            faults.append(f'{shown[-1]}: wider than asked')
    return faults or f'{samples:.0f} samples a dump; ' + '; '.join(shown)


# --- twins ------------------------------------------------------------------------------


def line_of(counts, period):
    return workloads.written(workloads.pair_of(counts, period, True), period, True)


def twin_of(counts, period, rng):
    """Samples of objects near the mean size that print the same line; None if none are found."""
    wanted = line_of(counts, period)
    count, mean = wanted[0], wanted[1] / wanted[0]
    chances = {size: -1 / math.expm1(-size / period) for size in workloads.CLASSES if mean / 4 < size < 4 * mean}
    near, all_chances = list(chances), -count / math.expm1(-mean / period)
    for _ in range(50000 if mean < period / 4 and len(counts) > 1 else 0):
        sizes = rng.choices(near, k=count - 1)
        left = all_chances - sum(chances[size] for size in sizes)
        if not chances[near[-1]] / 2 < left < 2 * chances[near[0]]:
            continue
        sizes.append(min(near, key=lambda size: abs(chances[size] - left)))
        found = {size: sizes.count(size) for size in sizes}
        if line_of(found, period) == wanted:
            return found
    return None


def twins(name):
    """Dumps of a workload, and others of twins with the same lines."""
    workload, rng, figures = workloads.ALL[name](), random.Random(1), []
    missing = stacks = headers = 0
    for _ in range({'bimodal': 20, 'zipf': 2}[name] if OPTIONS.full else 1):
        samples, twin = workload.sample(rng), workloads.Samples(workload)
        for index, threads in samples.stacks.items():
            live = threads[0][0]
            other = twin_of(live, workload.period, rng)
            missing, stacks = missing + (other is None and len(live) > 1), stacks + (len(live) > 1)
            twin.stacks[index] = {0: (other or live, {})}
        with tempfile.TemporaryDirectory(dir=coverage_workloads.OPTIONS.scratch) as folder:
            paths = [write(workload, one, pathlib.Path(folder, f'{i}.heap'), random.Random(1))
                     for i, one in enumerate((samples, twin))]
            lines = [path.read_text(encoding='ascii').splitlines() for path in paths]
            headers += sum(a != b for a, b in zip(*lines))  # two lines of the header may differ
            sums = [one.sums('inuse')[TOTAL] for one in (samples, twin)]
            (width, _, ideal), (twin_width, _, twin_ideal) = (
                widths([path], workload.period, counts) for path, counts in zip(paths, sums))
        errors = [math.sqrt(estimate_of(counts, workload.period)[1]) for counts in sums]
        figures.append((width / ideal, twin_width / twin_ideal, twin_ideal / ideal, errors[1] / errors[0], width / twin_width))
    means = [statistics.fmean(column) for column in zip(*figures)]
    held = 2 * statistics.NormalDist().cdf(Z * MIXED[name] / means[2]) - 1
    faults = [f'{missing} of {stacks} stacks have no twin'] * (name == 'bimodal' and missing > stacks / 20)
    faults += [f'{headers} lines differ'] * (headers > 2 * len(figures))
    faults += [f'the interval of the twin is {means[1]:.3f} of the ideal'] * (not .97 < means[1] < 1.06)
    return faults or (f'width {means[0]:.3f}, of the twin {means[1]:.3f}; the twin needs {means[2]:.3f} (error x {means[3]:.3f}); '
                      f'both intervals are equal to {means[4]:.4f}; a width of {MIXED[name]} would hold the truth of the twin in {held:.3f}; '
                      f'{missing} of {stacks} stacks of several sizes without a twin')


def parsed():
    parser = argparse.ArgumentParser()
    parser.add_argument('binary', type=os.path.abspath)
    parser.add_argument('testdata')
    parser.add_argument('--full', action='store_true')
    options = parser.parse_args()
    options.scratch = '/dev/shm' if os.access('/dev/shm', os.W_OK) else None
    return options


OPTIONS = coverage_workloads.OPTIONS = parsed()
t = Tests()
for workload_name in LIMITS:
    for factor in (1, 10) if OPTIONS.full and workload_name not in MIXED else (1,):
        t.check(f'{workload_name}, {factor} times the samples: the width is that asked for and the bounds of headers',
                lambda: bounds(workload_name, factor))
for workload_name in MIXED if OPTIONS.full else ('bimodal',):
    t.check(f'{workload_name}: a heap of nearly equal objects prints the same lines, and needs the width',
            lambda: twins(workload_name))
t.done()

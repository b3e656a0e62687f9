#!/usr/bin/env python3
"""Tests that the intervals of hprof-agg contain the truth as often as they promise, and are no wider than the sampled
objects require.  Each process of a simulated fleet is one dump, which is read separately.  Its JSON is compared with
the truth of the simulator, which the intervals of each stack and of the total must contain in at least 95 % of the
dumps, and with the size of every sampled object, from which the same intervals follow directly.

usage: coverage.py BINARY TESTDATA HPROF_SIM [DUMPS [WORKLOAD...]]

DUMPS (100) are read of each workload; with 1,000 it takes some minutes.
"""
import functools
import json
import math
import os
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from harness import Tests, scratch  # noqa: E402
from intervals import certain, gamma_quantile, interval, variance_of  # noqa: E402

WORKLOADS = ('tiny', 'r-size', 'mix', 'pareto', 'periodic', 'victim', 'churn', 'pair', 'large',
             'huge', 'spread', 'few')
ALPHA = 0.05
Z = 1.6448536269514722  # one-sided

# Limits of the mean widths, as multiples of those from the sampled objects.  For objects of one size the dump
# contains everything.  Unbiased numbers of mixed sizes are rounded; raw ones sometimes also fit objects of one size,
# and are read as such.  Intervals of bytes are wider than the samples require, because of other sizes that print the
# same.
ONE_SIZE, ROUNDED, RAW = (0.9999, 1.15), (0.94, 1.15), (0.94, 1.001)

QUANTILES = (  # shape, at 0.025 and of the shape one higher at 0.975
    (1, 0.02531780798, 5.571643391), (2, 0.2422092785, 7.224687668),
    (3, 0.6186721229, 8.76727307), (10, 4.795388696, 18.39035604),
    (100, 81.36399125, 121.6267938))


# --- what follows from the samples ------------------------------------------------------


class Measure:
    """Sums over objects: estimated bytes, largest possible bytes, a bound of the variance, and certain bytes."""

    def __init__(self, estimate=0.0, highest=0.0, variance=0.0, sure=0.0):
        self.of = estimate, highest, variance, sure

    def __add__(self, other):
        return Measure(*map(sum, zip(self.of, other.of)))

    def in_objects(self, size):
        estimate, highest, variance, sure = self.of
        return Measure(estimate / size, highest / size, variance / size ** 2, sure / size)

    def width(self, max_weight):
        low, high = ends_of(max_weight, *self.of)
        return high - low


@functools.lru_cache(maxsize=100000)
def ends_of(max_weight, estimate, highest, variance, sure):
    return interval(estimate, variance, max_weight, ALPHA, highest, sure)


def probability(size, period):
    return -math.expm1(size * math.log1p(-1 / period))


def measure(sizes, period, raw):
    """The measure of the samples of one stack."""
    count, total = len(sizes), sum(sizes)
    if count == 0:
        return Measure()
    weights = [1 / probability(size, period) for size in sizes]
    estimate = sum(weight * size for weight, size in zip(weights, sizes))
    mean = estimate / sum(weights)
    if len(set(sizes)) == 1:
        beyond_them = sum(weight * weight * size * size - weight * size * size for weight, size in zip(weights, sizes))
        return Measure(estimate, estimate, beyond_them, total)
    if raw:
        mean = total / count
        return Measure(total / -math.expm1(-mean / period), count * period + total,
                       count * period ** 2, total)
    sampled = -math.expm1(-mean / period)
    variance = variance_of(estimate, mean, period) + period ** 2 / 12
    return Measure(estimate, estimate, variance,
                   certain(round(sum(weights) * sampled), estimate * sampled, period))


def beyond(size, period):
    """The bytes that one sampled object represents in addition to its own."""
    return size / probability(size, period) - size


def unseen(stacks, period):
    """Good and Turing's estimate of the bytes in stacks without samples, and its upper end."""
    estimate = variance = 0.0
    for sizes in stacks:
        parts = [beyond(size, period) for size in sizes]
        if len(sizes) == 1:
            estimate += parts[0]
            variance += parts[0] * (parts[0] + sizes[0])
        elif len(sizes) == 2:
            variance += 2 * parts[0] * parts[1]
    return estimate, estimate + period + Z * math.sqrt(variance + 2 * period ** 2)


# --- reports of hprof-agg --------------------------------------------------------------


def leaf(stack):
    frame = stack['frames'][0]
    return f'{os.path.basename(frame["module"])}+{frame["offset"]:#x}'


def ends(number, metric):
    """The ends of an interval; NaN, which contain nothing, if there is no interval."""
    ends_ = number[metric]['low'], number[metric]['high']
    return (math.nan, math.nan) if None in ends_ else ends_


def told_of(path):
    report = json.loads(t.ok('top', '--format=json', '--by=address', '--no-symbols', '-n0', path).out)
    return report, {row['name']: row['flat'] for row in report['rows']}


def holds(range_, value):
    """Whether the range contains the value, to the nine printed digits."""
    return range_[0] * (1 - 1e-8) <= value <= range_[1] * (1 + 1e-8)


class Tally:
    """Shares of dumps, or sums of widths, by stack."""

    def __init__(self):
        self.of = {}

    def add(self, name, value, weight=1):
        sums = self.of.setdefault(name, [0, 0])
        sums[0] += value
        sums[1] += weight

    def outside(self, limits):
        """The names whose ratio is outside of limits(name, weight)."""
        faults, ratios = [], []
        for name, (value, weight) in self.of.items():
            ratio, (low, high) = value / weight, limits(name, weight)
            ratios.append(ratio)
            if not low <= ratio <= high:
                faults.append(f'{name}: {ratio:.4f} is not in {low:.4f} ... {high:.4f}')
        return faults or f'{min(ratios):.4f} ... {max(ratios):.4f}'

    def too_rare(self):
        return self.outside(lambda name, dumps: (
            1 - ALPHA - 6 * math.sqrt(ALPHA * (1 - ALPHA) / dumps), 1))


class Fleet:
    """The dumps of a workload, each read separately."""

    def __init__(self, directory, workload, raw):
        self.raw, self.directory = raw, pathlib.Path(directory)
        subprocess.run([SIM, 'generate', f'--workload={workload}', f'--processes={DUMPS}',
                        '--samples', *['--raw'] * raw, directory], check=True)
        truth, self.samples = (json.loads((self.directory / name).read_text(encoding='utf-8'))
                               for name in ('truth.json', 'samples.json'))
        self.period, self.stacks = truth['period'], truth['stacks']
        self.sizes = [{size for stacks in self.samples.values() for size in stacks[i]}
                      for i in range(len(self.stacks))]
        self.bytes, self.objects, self.unseen, self.widths = (Tally() for _ in range(4))
        told = t.in_parallel(lambda dump: [told_of(self.directory / dump)], self.samples)
        for dump, (report, rows) in zip(self.samples, told):
            self.add(dump, report, rows)

    def add(self, dump, report, rows):
        sampled = self.samples[dump]
        for i, stack in enumerate(self.stacks):
            if stack['live_bytes'] > 0:
                self.add_stack(stack, self.sizes[i], sampled[i], rows.get(leaf(stack)), report)
        self.add_total(sampled, report['total'])
        self.add_unseen(sampled, report['unsampled'])

    def add_stack(self, stack, sizes, sampled, row, report):
        name, nothing = stack['name'], -math.log(ALPHA / 2) * self.period
        # A stack that is not in the dump may hold as much as the smallest count that is in it.
        space = ends(row, 'inuse-space') if sampled else (0, nothing)
        self.bytes.add(name, holds(space, stack['live_bytes']))
        if sampled:
            spec = measure(sampled, self.period, self.raw)
            self.widths.add(name, space[1] - space[0], spec.width(self.period))
        self.unseen.add(name, sampled != [] or stack['live_bytes'] <= report['unsampled']['stack'])
        if len(sizes) == 1:
            size, = sizes
            objects = ends(row, 'inuse-objects') if sampled else (0, nothing / size)
            self.objects.add(name, holds(objects, stack['live_objects']))
            if sampled:
                self.widths.add(f'objects of {name}', objects[1] - objects[0],
                                spec.in_objects(size).width(1 / probability(size, self.period)))

    def add_total(self, sampled, told):
        low, high = ends(told, 'inuse-space')
        self.bytes.add('total', holds((low, high), self.total('live_bytes')))
        spec = sum((measure(sizes, self.period, self.raw) for sizes in sampled), Measure())
        self.widths.add('total', high - low, spec.width(self.period))
        # The number of objects of a size without a sample cannot be known.
        seen = {size for sizes in sampled for size in sizes}
        if seen == set().union(*self.sizes) and all(len(sizes) < 2 for sizes in self.sizes):
            objects = ends(told, 'inuse-objects')
            self.objects.add('total', holds(objects, self.total('live_objects')))

    def total(self, what):
        return sum(stack[what] for stack in self.stacks)

    def add_unseen(self, sampled, told):
        truth = sum(stack['live_bytes'] for stack, sizes in zip(self.stacks, sampled)
                    if not sizes)
        estimate, highest = unseen(sampled, self.period)
        self.unseen.add('all stacks', truth <= told['high'])
        self.widths.add('unseen', told['high'] - told['estimate'], highest - estimate)

    def limits(self, name, _):
        """The limits of the widths for a stack, for the total or for unsampled stacks."""
        is_mixed = any(len(sizes) > 1 for stack, sizes in zip(self.stacks, self.sizes)
                       if name in ('total', 'unseen', stack['name']))
        return ONE_SIZE if not is_mixed else RAW if self.raw else ROUNDED

    def check(self, what):
        t.check(f'{what}: intervals contain the true bytes', self.bytes.too_rare)
        if self.objects.of:
            t.check(f'{what}: intervals contain the true objects of one size', self.objects.too_rare)
        t.check(f'{what}: unsampled memory is below the reported bound', self.unseen.too_rare)
        t.check(f'{what}: intervals are no wider than the samples require',
                lambda: self.widths.outside(self.limits))


def quantiles():
    for shape, low, high in QUANTILES:
        if not math.isclose(gamma_quantile(shape, lower=0.025), low, rel_tol=1e-9):
            yield f'{gamma_quantile(shape, lower=0.025)} for {low}'
        if not math.isclose(gamma_quantile(shape + 1, upper=0.025), high, rel_tol=1e-9):
            yield f'{gamma_quantile(shape + 1, upper=0.025)} for {high}'


def main():
    t.check('the quantiles of this test are the documented ones', quantiles)
    with scratch() as directory:
        for workload in sys.argv[5:] or WORKLOADS:
            for raw in (False, True):
                name = workload + (' as raw numbers' if raw else '')
                Fleet(os.path.join(directory, name), workload, raw).check(
                    f'{DUMPS} dumps of {name}')
    t.done()


SIM = os.path.abspath(sys.argv[3])
DUMPS = int(sys.argv[4]) if len(sys.argv) > 4 else 100
t = Tests()
main()

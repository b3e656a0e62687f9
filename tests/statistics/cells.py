"""Figures of a workload of workloads.py: the reports of hprof-agg for its dumps, single or merged, compared with the
truth and with the sampled objects.
"""
import collections
import functools
import math
import statistics

from intervals import gamma_quantile
from workloads import TOTAL, bytes_of

LEVELS = (95, 99)
READINGS = ('unique', 'several', 'none')
Z = 1.959963984540054


# --- what follows from the samples ------------------------------------------------------


@functools.lru_cache(maxsize=None)
def quantile(shape, is_upper):
    """The quantile of the gamma distribution with that shape, at .025 or .975."""
    if shape < 3000:
        return gamma_quantile(shape, **({'upper': .025} if is_upper else {'lower': .025}))
    z = Z if is_upper else -Z
    return (shape + math.sqrt(shape) * z + (z * z - 1) / 3
            + (z ** 3 - 7 * z) / (36 * math.sqrt(shape)))


def estimate_of(counts, period):
    """The estimate of Horvitz and Thompson when the size of each sampled object is known, and
    its estimated variance."""
    total = variance = 0.0
    for size, count in counts.items():
        weight = size / -math.expm1(size * math.log1p(-1 / period))
        total += count * weight
        variance += count * weight * (weight - size)
    return total, variance


def width_of(total, variance, certain, period):
    """The width of the interval of Fay and Feuer."""
    low = total
    if total == 0:
        return -period * math.log(.025)
    if variance > 0 and total ** 2 / variance < 1e12:
        low = max(certain, variance / total * quantile(total ** 2 / variance, False))
    total, variance = total + period, variance + period ** 2
    return variance / total * quantile(total ** 2 / variance, True) - low


def ideal_width(counts, period):
    return width_of(*estimate_of(counts, period), bytes_of(counts), period)


# --- shares -----------------------------------------------------------------------------


def mean_of(values):
    """The mean and its standard error."""
    return (statistics.fmean(values),
            statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.inf)


def errors_off(hits, level, trials):
    """The number of standard errors by which `hits` is above the nominal share: the quantile of a normal distribution
    at the probability of at most that many hits."""
    nominal = level / 100
    spread = math.sqrt(trials * nominal * (1 - nominal))
    if trials > 100000:
        return (hits - nominal * trials) / spread
    misses, term, tail = trials - hits, trials * math.log(nominal), 0.0
    for k in range(misses):  # fewer misses than that
        tail += math.exp(term)
        term += math.log((trials - k) / (k + 1) * (1 - nominal) / nominal)
    left = max(1 - tail, 1e-15)
    return 8.0 if left > 1 - 1e-15 else statistics.NormalDist().inv_cdf(left)


def holds(number, truth):
    """Whether the interval contains the truth, to the nine printed digits.  A missing end is never wrong."""
    low, high = number['low'], number['high']
    return ((low is None or low * (1 - 1e-8) <= truth)
            and (high is None or truth <= high * (1 + 1e-8)))


# --- cells ------------------------------------------------------------------------------


class Cell:
    """Sums over the reports of a workload, each with the same number of merged dumps."""

    def __init__(self, workload, metric, merged):
        self.metric, self.merged, self.period = metric, merged, workload.period
        self.sizes = workload.truth[metric]
        self.truth = {name: bytes_of(counts) * merged for name, counts in self.sizes.items()}
        self.reports = 0
        self.total = collections.Counter()      # level: reports whose interval contains the truth
        self.functions = collections.Counter()  # (name, level): the same, where there is a row
        self.present = collections.Counter()    # (name, level): reports with a row
        self.samples = collections.Counter()
        self.biases, self.shifts = [], []       # from the truth, from the sampled objects
        self.told = self.ideal = self.hull = 0.0
        self.outside = 0                        # reports whose bounds of sizes are wrong
        self.rows = collections.Counter()       # rows of leaves, and numbers of right ones
        self.bytes = collections.Counter()      # bytes by how their sizes are known
        self.first = []                         # whether the interval of the first row contains the truth

    def add(self, reports, sampled, errors):
        """Add the report of each level, the sampled objects, and the total with its errors."""
        self.reports += 1
        total = {level: report['total'][f'{self.metric}-space']
                 for level, report in reports.items()}
        counts = sampled.get(TOTAL, {})
        estimate, _ = estimate_of(counts, self.period)
        self.biases.append(total[95]['estimate'] / self.truth[TOTAL] - 1)
        self.shifts.append((total[95]['estimate'] - estimate) / self.truth[TOTAL])
        if sum(counts.values()) >= 10:
            width = total[95]['high'] - total[95]['low']
            self.told += width
            self.ideal += ideal_width(counts, self.period)
            self.hull += width - width_of(errors['estimate'], errors['variance'],
                                          errors['certain'], self.period)
        self.outside += not (-errors.get('excess', math.inf) - 2
                             <= estimate - errors['estimate'] <= errors['hidden'] + 2)
        self.samples.update({name: sum(held.values()) for name, held in sampled.items()})
        for level, report in reports.items():
            self.total[level] += holds(total[level], self.truth[TOTAL])
            self.add_functions(level, report)
        first = next((row for row in reports[95]['rows'] if row['name'] in self.truth), None)
        if first:
            self.first.append(holds(first['cum'][f'{self.metric}-space'],
                                    self.truth[first['name']]))
        for row in reports[95]['rows']:
            if sampled.get(row['name']) and row['flat'][f'{self.metric}-space']['estimate']:
                self.add_leaf(row, sampled[row['name']])

    def add_functions(self, level, report):
        for row in report['rows']:
            name = row['name']
            if name in self.truth:
                self.present[name, level] += 1
                self.functions[name, level] += holds(row['cum'][f'{self.metric}-space'],
                                                     self.truth[name])

    def add_leaf(self, row, sampled):
        space, objects = (row['flat'][f'{self.metric}-{what}'] for what in ('space', 'objects'))
        truth = self.merged * sum(self.sizes[row['name']][size] for size in sampled)
        self.rows['all'] += 1
        self.rows['right'] += holds(objects, truth)
        self.rows['both'] += None not in (objects['low'], objects['high'])
        readings = readings_of(row) if self.metric == 'inuse' else {}
        for reading, share in readings.items():
            self.rows[reading] += share
            self.bytes[reading] += share * space['estimate']
        if readings.get('unique') == 1:
            estimate, _ = estimate_of(sampled, self.period)
            self.rows['wrong'] += not math.isclose(space['estimate'], estimate,
                                                   rel_tol=1e-6, abs_tol=1)

    def held(self, name, level):
        """The number of reports whose interval contains the true value of a function.  If there is no row, the upper
        end is that of a sum of nothing."""
        nothing = -math.log((1 - level / 100) / 2) * self.period
        absent = self.reports - self.present[name, level]
        return self.functions[name, level] + absent * (self.truth[name] <= nothing)

    def figures(self):
        names = [name for name in self.truth if name != TOTAL]
        often = [name for name in names if self.samples[name] >= 3 * self.reports]
        trials = self.reports * len(names)
        held = {level: sum(self.held(name, level) for name in names) for level in LEVELS}
        found = {
            'reports': self.reports, 'samples': self.samples[TOTAL] / self.reports,
            'functions': trials, 'first': statistics.fmean(self.first or [1]),
            'outside': self.outside,
            'rows': dict(self.rows), 'bytes': dict(self.bytes),
            'width': self.told / self.ideal if self.ideal else None,
            'hull': self.hull / self.ideal if self.ideal else None}
        for level in LEVELS:
            found[f'total{level}'] = self.total[level] / self.reports
            found[f'total{level}_z'] = errors_off(self.total[level], level, self.reports)
            found[f'pooled{level}'] = held[level] / trials
            found[f'pooled{level}_z'] = errors_off(held[level], level, trials)
            found[f'worst{level}_z'] = min(
                (errors_off(self.held(name, level), level, self.reports) for name in often),
                default=None)
        found['bias'], found['bias_se'] = mean_of(self.biases)
        found['shift'], found['shift_se'] = mean_of(self.shifts)
        return found


def readings_of(row):
    """The share of a row's stacks by how their sizes are known: {unique, several, none: share}."""
    counts = {reading: (row.get('sizes') or {}).get(reading) or 0 for reading in READINGS}
    total = sum(counts.values())
    return {reading: count / total for reading, count in counts.items()} if total else {}

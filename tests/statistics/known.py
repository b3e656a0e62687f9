#!/usr/bin/env python3
"""Dumps of known heaps that were once reported wrongly.  The intervals have to contain the truth, and must not be
more than three times as wide as they would be if the sizes of all sampled objects were known.  Many raw objects of
several sizes are an exception: n objects of b bytes represent at most n R + b bytes, and at least those for their
mean size.

usage: known.py BINARY TESTDATA
"""
import itertools
import json
import math
import pathlib
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from cells import estimate_of, holds, ideal_width  # noqa: E402
from harness import Tests  # noqa: E402
from workloads import add, pair_of, written  # noqa: E402

K, M = 1 << 10, 1 << 20
UNITS = {'B': 1, 'KiB': K, 'MiB': M, 'GiB': K * M}
WIDEST = 3
NEAR = {32 * K: 2, 64 * K: 1, 96 * K: 1, 128 * K: 1, 192 * K: 1}  # objects of each size in each stack


class Known:
    """The report of hprof-agg for one of the dumps."""

    def __init__(self, name):
        self.path = t.testdata / 'truth' / f'{name}.heap'
        self.report = json.loads(t.ok('top', '--format=json', '--no-symbols', '-n0', '-q',
                                      self.path).out)
        self.period, = self.report['inputs']['periods']
        self.total = self.report['total']
        self.leaves = {row['name']: row['flat'] for row in self.report['rows']
                       if row['flat']['inuse-space']['estimate']}

    def text(self, *options):
        return t.ok('top', '-v', '--no-symbols', '--unit=B', *options, self.path).out

    def wrong(self, told, truth, sampled, what='total', left_open=0):
        """Faults of an interval of bytes."""
        if not holds(told, truth):
            yield f'{what}: {truth} is not in {told["low"]} ... {told["high"]}'
        width, ideal = told['high'] - told['low'], ideal_width(sampled, self.period)
        if width - left_open > WIDEST * ideal:
            yield f'{what}: {width / ideal:.2f} times as wide as the samples ask for'

    def called_wrong(self):
        """The header of each of these agrees with its stacks."""
        yield from (warning for warning in [one['text'] for one in self.report['warnings']] if 'damaged' in warning)
        told = t.ok('info', '-v', '--no-symbols', self.path).out
        if 'contradicts' in told:
            yield 'its header is said to contradict its stacks'
        if re.search(r'prof_unbias:(\w+)', told)[1] != str(self.is_rewritten()).lower():
            yield 'it is taken for the other kind'

    def is_rewritten(self):
        return self.path.stem in ('two-of-many', 'huge-and-tiny', 'near-the-interval')


# --- the dumps --------------------------------------------------------------------------


def two_of_many():
    """Two objects of 128 KiB were sampled, and none of the 1000 of 16 bytes."""
    told, sampled = Known('two-of-many'), {128 * K: 2}
    yield from told.wrong(told.total['inuse-space'], 256 * K + 16000, sampled)
    count = told.total['inuse-objects']
    if not holds(count, 2):
        yield f'objects of that size: 2 are not in {count["low"]} ... {count["high"]}'


def two_of_many_in_words():
    """The number of objects has no upper end, except for the sizes that were sampled."""
    text = Known('two-of-many').text()
    count = re.search(r'^in use   .* objects?\b(.*)', text, re.M)[1]
    if re.search('[±…]', count) and 'sizes seen' not in text:
        yield f'a bound for objects of any size: {count}'


def huge_and_tiny():
    told = Known('huge-and-tiny')
    yield from told.wrong(told.total['inuse-space'], 256 * M + 8 * 5 * M, {256 * M: 1, 16: 80})
    for name, numbers in told.leaves.items():
        truth, size, count = (256 * M, 256 * M, 1) if name == 'app+0x1020' else (5 * M, 16, 10)
        yield from told.wrong(numbers['inuse-space'], truth, {size: count}, name)
        if not holds(numbers['inuse-objects'], truth / size):
            yield f'objects of {name}: {truth / size} are not in {numbers["inuse-objects"]}'


def near_the_interval():
    told = Known('near-the-interval')
    sampled = total_of(near_sizes(*counts[:2]) for _, counts in stacks_of(told.path))
    truth = sum(size * count for size, count in NEAR.items())
    yield from told.wrong(told.total['inuse-space'], 100 * truth, sampled)


def near_sizes(count, total):
    """The number of objects of each of the six sizes in a line."""
    for taken in itertools.product(*(range(most + 1) for most in NEAR.values())):
        counts = {size: times for size, times in zip(NEAR, taken) if times}
        if written(pair_of(counts, 64 * K, True), 64 * K, True) == (count, total):
            return counts
    raise AssertionError(f'{count}: {total} is none of these')


def equal_stacks():
    told, missed = Known('equal-stacks'), 0
    yield from told.wrong(told.total['inuse-space'], 200 * 256 * K, {64: 794})
    for name, (count, *_) in stacks_of(told.path):
        faults = list(told.wrong(told.leaves[name]['inuse-space'], 256 * K, {64: count}, name))
        missed += any('is not in' in fault for fault in faults)
        yield from (fault for fault in faults if 'times as wide' in fault)
    if missed > 20:  # 10 are to be expected
        yield f'{missed} of 200 stacks are not in their intervals'


def equal_stacks_unseen():
    """Three of 256 KiB were never sampled.  The most that any one holds, x, is such that as many
    stacks of x as the total may hold leave one without samples in one of twenty dumps."""
    told = Known('equal-stacks')
    bound, most = told.report['unsampled']['stack'], told.total['inuse-space']['high']
    expected = most / bound * math.exp(-bound / told.period)
    if bound < 256 * K:
        yield f'at most {bound} in one, but each holds {256 * K}'
    if not 0.045 < expected < 0.0505:
        yield f'{expected:.4f} stacks of {bound} never sampled'


def churn():
    """The estimate of allocated memory is 1464 MiB, rounded to MiB."""
    told = Known('churn')
    lines = [counts[2:] for _, counts in stacks_of(told.path)]
    yield from told.wrong(told.total['alloc-space'], 1464 * M,
                          total_of(churn_sizes(*line) for line in lines),
                          left_open=left_open(lines, told.period))


def churn_in_use():
    """The estimate of live memory depends on the sampled live objects only."""
    told = Known('churn')
    lines = [counts[:2] for _, counts in stacks_of(told.path)]
    sampled = total_of(churn_sizes(*line) for line in lines)
    estimate, _ = estimate_of(sampled, told.period)
    yield from told.wrong(told.total['inuse-space'], estimate, sampled,
                          left_open=left_open(lines, told.period))


def left_open(lines, period):
    return sum(count * period + total + total / math.expm1(-total / count / period)
               for count, total in lines if count > 1)


def churn_sizes(count, total):
    """The number of objects of each size in a line: there is one solution with few of 1 MiB."""
    for large in range(count + 1):
        medium, rest = divmod(total - large * M - (count - large) * 64, 4 * K - 64)
        if rest == 0 and 0 <= medium <= count - large:
            return {64: count - large - medium, 4 * K: medium, M: large}
    raise AssertionError(f'{count}: {total} is none of these')


def churn_in_words():
    """The interval that text shows."""
    line = re.search(r'^allocated .*', Known('churn').text('--metric=alloc-space'), re.M)[0]
    numbers = [float(number.replace(',', '')) * UNITS[unit]
               for number, unit in re.findall(r'([\d,.]+) ([KMG]?i?B)\b', line)]
    if '±' in line:
        numbers = [numbers[0] - numbers[1], numbers[0] + numbers[1]]
    if not min(numbers) <= 1464 * M <= max(numbers):
        yield f'{1464 * M} is not in: {line}'


# --- what was sampled in them -----------------------------------------------------------


def stacks_of(path):
    """(name of the leaf, the four counts) of each."""
    text = path.read_text(encoding='ascii')
    for leaf, *counts in re.findall(
            r'@ 0x555555(\S+) .*\n  t\*: (\d+): (\d+) \[(\d+): (\d+)\]', text):
        yield f'app+{int(leaf, 16):#x}', tuple(map(int, counts))


def total_of(all_counts):
    total = {}
    for counts in all_counts:
        add(total, counts)
    return total


t = Tests()
for check, what in (
        (two_of_many, 'two sampled objects of 128 KiB and 1000 unsampled ones of 16 bytes are in the intervals'),
        (two_of_many_in_words, 'the number of objects is described as for the sizes seen'),
        (huge_and_tiny, '256 MiB and objects of 16 bytes are in their intervals'),
        (near_the_interval, 'rewritten stacks of six objects near the period are in their intervals'),
        (equal_stacks, '200 equal stacks are in their intervals'),
        (equal_stacks_unseen, 'the bound for any unsampled stack contains the truth'),
        (churn, 'raw allocated bytes of three sizes are in their intervals'),
        (churn_in_use, 'raw bytes in use of three sizes are in their intervals'),
        (churn_in_words, 'the text shows raw allocated bytes within their interval')):
    t.check(what, check)
for dump in ('two-of-many', 'huge-and-tiny', 'near-the-interval', 'equal-stacks', 'churn'):
    t.check(f'{dump} is recognized as its own kind', Known(dump).called_wrong)
t.done()

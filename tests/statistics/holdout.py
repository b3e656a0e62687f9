#!/usr/bin/env python3
"""Do estimates and their 95 % intervals keep their promise under real jemalloc?  Programs whose truth is known run
many times, each time with other random samples.  The estimates of hprof-agg from their dumps are compared with the
truth: they have no bias, intervals contain the truth as often as promised, and the kind of a dump is never wrong.

The interval is computed from the estimates of hprof-agg by docs/explanation/statistics.md.  Its lower end may be
raised to the bytes that are certainly alive.  The truth is never below these, so coverage does not change.  Raw dumps of stacks with objects
of several sizes are estimated too low, by a part of at most 0.2298.

usage: holdout.py BINARY TESTDATA [--full]

Half of the runs; with --full all of them.
"""
import collections
import concurrent.futures
import functools
import math
import os
import pathlib
import re
import statistics
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'properties'))
import jemalloc  # noqa: E402
from harness import IS_FULL, JOBS, Tests, scratch  # noqa: E402
from intervals import gamma_p, variance_of  # noqa: E402

RUNS, PERIODS, MOMENTS = 304 if IS_FULL else 152, (12, 13, 14, 15), (1, 2)
PYTHON_RUNS, PYTHON_PERIOD = 40 if IS_FULL else 20, 15
ALPHA = 0.05
LARGEST_BIAS = 0.2298
KINDS = {True: '(prof_unbias:true)', False: '(prof_unbias:false)'}

# --- estimates and intervals ------------------------------------------------------------

# For one or more stacks: estimated bytes, the largest bytes by Jensen's inequality, a bound of the variance.
Estimate = collections.namedtuple('Estimate', 'bytes high variance')


def add(estimates):
    return Estimate(*map(math.fsum, zip(Estimate(0, 0, 0), *estimates)))


@functools.lru_cache(maxsize=None)
def covers(estimate, period, truth):
    """Whether the truth is between L and U.  Each end is a quantile of a gamma distribution, so that the probability
    at the truth decides."""
    size, high, variance = estimate
    above_low = size == 0 or variance == 0 or \
        gamma_p(size ** 2 / variance, truth * size / variance)[0] >= ALPHA / 2
    high, variance = high + period, variance + period ** 2
    below_high = gamma_p(high ** 2 / variance, truth * high / variance)[1] >= ALPHA / 2
    return above_low and below_high


def is_class(size):
    step = max(16, 1 << max(0, (size - 1).bit_length() - 3))
    return size == 8 or size % step == 0


class Dump:
    """The report of hprof-agg for a dump."""

    def __init__(self, path, unbias, period):
        info = t.ok('info', '-v', '--no-symbols', path)
        self.period, self.unbias = period, unbias
        self.total = info.totals()['inuse-space']
        self.kind_is_right = (KINDS[unbias] in info.out and KINDS[not unbias] not in info.out
                              and f'every {period} bytes' in info.out)
        columns = [stacks_of(path, *options) for options in (
            ['--metric=inuse-space'], ['--metric=inuse-objects'],
            ['--metric=inuse-space', '--estimator=none'], ['--metric=inuse-objects', '--estimator=none'])]
        self.stacks = {stack: tuple(column.get(stack, 0) for column in columns)
                       for stack in columns[0]}

    def estimate(self, stack):
        size, objects, sampled_size, sampled = self.stacks[stack]
        if size == 0 or objects == 0:
            return Estimate(size, size, 0)
        variance = variance_of(size, size / objects, self.period)
        if self.unbias:
            # Rounding of the printed count; a count of one object is none of several sizes.
            return Estimate(size, size, variance + (self.period ** 2 / 12 if sampled > 1 else 0))
        if sampled_size % sampled == 0 and is_class(sampled_size // sampled):
            return Estimate(size, size, variance)
        return Estimate(size, sampled * self.period + sampled_size, sampled * self.period ** 2)

    def out_of_bounds(self):
        """Raw stacks whose estimate is less than their samples, or more than any sizes give."""
        return [] if self.unbias else [
            f'{size} bytes for {sampled} samples of {sampled_size} bytes, period {self.period}'
            for size, _, sampled_size, sampled in self.stacks.values()
            if not sampled_size - 1 <= size <= sampled * self.period + sampled_size + 1]


def stacks_of(path, *options):
    shown = t.ok('stacks', '--no-symbols', '--by=address', '--format=folded', *options, path)
    return {tuple(stack): value for stack, value in shown.folded()}


# --- judgement --------------------------------------------------------------------------

# The result of one estimate for a kind of dump, with the truth and the true variance.
Outcome = collections.namedtuple('Outcome', 'unbias truth variance estimate covered')


def threshold(count):
    return 0.95 - 6 * math.sqrt(0.0475 / count)


def coverage(outcomes):
    return sum(outcome.covered for outcome in outcomes) / len(outcomes)


def z_of(outcomes):
    """The mean error in standard errors."""
    return math.fsum(o.estimate - o.truth for o in outcomes) / \
        math.sqrt(math.fsum(o.variance for o in outcomes))


def judge(outcomes, mixed):
    """Faults, or a sentence on what was proved.  `mixed` is the share of the truth in stacks of several sizes."""
    faults, proved = [], []
    for unbias in (True, False):
        some = [outcome for outcome in outcomes if outcome.unbias == unbias]
        z = z_of(some)
        # The largest decrease of z because raw numbers of several sizes are estimated too low.
        low = math.fsum(o.truth for o in some) * mixed * LARGEST_BIAS / \
            math.sqrt(math.fsum(o.variance for o in some)) if not unbias else 0
        proved.append(f'{KINDS[unbias]} z = {z:+.2f}')
        if not -6 - low < z < 6:
            faults.append(f'{proved[-1]}, not within -{6 + low:.2f} and 6')
    share = coverage(outcomes)
    proved.append(f'coverage {share:.3f}')
    if share < threshold(len(outcomes)):
        faults.append(f'{proved[-1]} < {threshold(len(outcomes)):.3f} of {len(outcomes)}')
    return faults or ', '.join(proved)


# --- a program that knows its own memory ------------------------------------------------


def run_program(program, directory, name, lg, lg_prof_sample, unbias):
    """{function: [(size, [objects at each moment])]} and the paths of the dumps."""
    prefix = os.path.join(directory, name)
    told = jemalloc.run([program, str(lg), prefix], lg_prof_sample=lg_prof_sample,
                        prof_unbias=unbias)
    truth = {}
    for function, *numbers in re.findall(r'^truth (\w+) (\d+) (\d+) (\d+)$', told, re.M):
        size, *objects = map(int, numbers)
        truth.setdefault(function, []).append((size, objects))
    return truth, [f'{prefix}.{moment}' for moment in MOMENTS]


def functions_by_address(path):
    rows = t.table('--by=address', path).rows()
    return dict(re.match(r'(\S+) (alloc_\w+)', name).groups()
                for _, _, name in rows if ' alloc_' in name)


def bytes_of(kinds, moment):
    """The bytes at a moment of objects [(size, [number at each moment])]."""
    return sum(size * numbers[moment] for size, numbers in kinds)


def variance_in(kinds, moment, period):
    """The true variance of the estimate over random samples."""
    probabilities = [(size, numbers[moment], -math.expm1(size * math.log1p(-1 / period)))
               for size, numbers in kinds]
    return sum(size ** 2 * number * (1 - p) / p for size, number, p in probabilities)


class Program:
    def __init__(self, directory):
        self.directory = directory
        self.path = jemalloc.compile_program(HERE / 'holdout_alloc.c', directory)
        self.names, self.faults = {}, []
        for lg in PERIODS:
            self.rest = self.learn(lg)

    def learn(self, lg):
        """With a period of 1 the dump is the truth, also for memory of libraries, whose stacks count as single
        objects."""
        truth, dumps = run_program(self.path, self.directory, f'all{lg}', lg, 0, False)
        self.names.update(functions_by_address(dumps[0]))
        rest = []
        for moment, path in enumerate(dumps):
            sizes = collections.Counter()
            for stack, size in stacks_of(path).items():
                name = self.names.get(stack[-1])
                sizes[name] += size
                if name is None:
                    rest.append((size, [int(moment == i) for i in range(len(dumps))]))
            self.faults += [f'{name}: {sizes[name]} bytes, {kinds} told'
                            for name, kinds in truth.items()
                            if sizes[name] != bytes_of(kinds, moment)]
        return rest

    def run(self, number):
        """The truth; [((name, moment), outcome)] of each function and the total; the dumps."""
        lg, unbias = PERIODS[number // 2 % len(PERIODS)], number % 2 == 0
        truth, paths = run_program(self.path, self.directory, f'run{number}', lg, lg, unbias)
        truth['all'] = [kind for kinds in [*truth.values(), self.rest] for kind in kinds]
        outcomes, dumps = [], []
        for moment, path in enumerate(paths):
            dump = Dump(path, unbias, 1 << lg)
            os.unlink(path)
            dumps.append(dump)
            estimates = collections.defaultdict(list)
            for stack in dump.stacks:
                estimates[self.names.get(stack[-1])].append(dump.estimate(stack))
                estimates['all'].append(dump.estimate(stack))
            for name, kinds in truth.items():
                size, estimate = bytes_of(kinds, moment), add(estimates[name])
                outcomes.append(((name, moment), Outcome(
                    unbias, size, variance_in(kinds, moment, 1 << lg),
                    dump.total if name == 'all' else estimate.bytes,
                    covers(estimate, 1 << lg, size))))
        return truth, outcomes, dumps


def share_of_mixed(truth, name, moment):
    if name != 'all':
        return len(truth[name]) > 1
    mixed = [kind for kinds in truth.values() if len(kinds) == 2 for kind in kinds]
    return bytes_of(mixed, moment) / bytes_of(truth['all'], moment)


def check_dumps(what, dumps):
    wrong = sum(not dump.kind_is_right for dump in dumps)
    t.check(f'{what}: the kind and the period of {len(dumps)} dumps',
            [f'{wrong} are wrong'] if wrong else [])
    t.check(f'{what}: every estimate of a raw stack is within the bounds for all sizes',
            [fault for dump in dumps for fault in dump.out_of_bounds()])


def test_program(directory):
    program = Program(directory)
    t.check('with a period of 1, each function has the bytes that the program counted', program.faults)
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        results = list(pool.map(program.run, range(RUNS)))
    table = collections.defaultdict(list)
    for _, outcomes, _ in results:
        for key, outcome in outcomes:
            table[key].append(outcome)
    for (name, moment), outcomes in table.items():
        t.check(f'{name} at moment {moment + 1}, {len(outcomes)} runs',
                judge(outcomes, share_of_mixed(results[0][0], name, moment)))
    check_dumps('the program', [dump for _, _, dumps in results for dump in dumps])


# --- CPython ----------------------------------------------------------------------------


def run_python(path, lg, unbias):
    jemalloc.run([sys.executable, '-s', '-S', '-B', str(HERE / 'holdout_workload.py'), path],
                 {'PYTHONMALLOC': 'malloc', 'PYTHONHASHSEED': '0'},
                 lg_prof_sample=lg, prof_unbias=unbias)
    return path


def group_of(truth, period):
    return '10 R and more' if truth >= 10 * period else \
        'R to 10 R' if truth >= period else 'less than R'


def hold_against(truth, number, directory):
    """[(size of the truth, covered)] of each stack and of the total; its relative error; the
    part that is in stacks the truth does not have; the dump."""
    period, unbias = 1 << PYTHON_PERIOD, number % 2 == 0
    path = run_python(os.path.join(directory, f'python{number}'), PYTHON_PERIOD, unbias)
    dump = Dump(path, unbias, period)
    os.unlink(path)
    everything, total = sum(truth.values()), add(map(dump.estimate, dump.stacks))
    covered = [(group_of(size, period), covers(
        dump.estimate(stack) if stack in dump.stacks else Estimate(0, 0, 0), period, size))
        for stack, size in truth.items()]
    covered.append(('all of it', covers(total, period, everything)))
    unknown = sum(values[0] for stack, values in dump.stacks.items() if stack not in truth)
    return covered, dump.total / everything - 1, unknown / everything, dump


def judge_errors(errors, lowest):
    """Relative errors of the total: is their mean 0, or as low as -lowest?"""
    error = statistics.stdev(errors) / math.sqrt(len(errors))
    mean = statistics.fmean(errors)
    shown = f'mean error {100 * mean:+.2f} %, z = {mean / error:+.2f}'
    return shown if -6 * error - lowest < mean < 6 * error else [shown]


def test_python(directory):
    dumps = [run_python(os.path.join(directory, f'truth{i}'), 0, False) for i in range(2)]
    truth, again = map(stacks_of, dumps)
    # Addresses are hashed, so that a few sizes depend on where things are.
    total, change = sum(truth.values()), sum(
        abs(truth.get(stack, 0) - again.get(stack, 0)) for stack in {*truth, *again})
    t.check(f'CPython: a second run differs in {change} of {total} bytes',
            ['that is too much to know the truth'] if change > 1e-3 * total else [])
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        results = list(pool.map(lambda i: hold_against(truth, i, directory),
                                range(PYTHON_RUNS)))
    for unbias in (True, False):
        errors = [result[1] for result in results[0 if unbias else 1::2]]
        t.check(f'CPython, {len(errors)} dumps {KINDS[unbias]}: the total',
                judge_errors(errors, 0 if unbias else LARGEST_BIAS))
    groups = collections.defaultdict(list)
    for result in results:
        for group, covered in result[0]:
            groups[group].append(covered)
    for group, covered in groups.items():
        share, least = sum(covered) / len(covered), threshold(len(covered))
        t.check(f'CPython, {group}: {len(covered)} intervals, coverage {share:.4f}',
                [f'less than {least:.4f}'] if share < least else [])
    unknown = statistics.fmean(result[2] for result in results)
    t.check(f'CPython: {100 * unknown:.3f} % of the bytes are in stacks without known truth',
            ['too much'] if unknown > 0.01 else [])
    check_dumps('CPython', [result[3] for result in results])


def addresses_are_random():
    no_randomize = 0x40000  # ADDR_NO_RANDOMIZE of personality(2)
    return (int(pathlib.Path('/proc/sys/kernel/randomize_va_space').read_text()) > 0 and
            not int(pathlib.Path('/proc/self/personality').read_text(), 16) & no_randomize)


def main():
    if not addresses_are_random():
        # jemalloc seeds its random numbers with addresses.
        print('1..0 # SKIP no address randomization: all runs would have the same samples')
        return
    with scratch() as directory:
        test_program(directory)
        test_python(directory)
    t.done()


t = Tests(is_of_machine=True)
jemalloc.shared_object()
main()

#!/usr/bin/env python3
"""Dumps made here and now: a program that knows its own live memory runs under Debian's libjemalloc, and the
estimates of hprof-agg per function and in total have to be within the 99.9999 % interval of
docs/explanation/statistics.md; names and lines have to be right.

The estimate of n sampled objects of one size S is n S/p, so n, and with it the interval,
follows from the estimate itself.

usage: live.py BINARY TESTDATA
"""
import glob
import os
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from harness import Tests, scratch  # noqa: E402
from intervals import interval, variance_of  # noqa: E402

SOURCE = pathlib.Path(__file__).resolve().parent / 'live_alloc.c'
PERIODS = (12, 15, 17, 19)
RUNS = 3
ALPHA = 1e-6


class Truth:
    def __init__(self, text):
        self.sites = {}
        for name, *numbers in re.findall(r'^truth (\w+) (\d+) (\d+) (\d+) (\d+)$', text, re.M):
            self.sites[name] = dict(zip(('size', 'live', 'all', 'line'), map(int, numbers)))
        if len(self.sites) < 10:
            raise AssertionError(f'the program told {text!r}')


def find_jemalloc():
    found = glob.glob('/usr/lib/*/libjemalloc.so.2') + glob.glob('/usr/lib*/libjemalloc.so.2')
    return found[0] if found else None


def compile_program(directory):
    program = os.path.join(directory, 'live_alloc')
    subprocess.run([os.environ.get('CC') or 'cc', '-std=gnu11', '-O1', '-g', '-pthread', '-o',
                    program, str(SOURCE)], check=True)
    return program


def make_dump(program, directory, name, lg, unbias):
    """Run the program; its truth and the path of its dump."""
    prefix = os.path.join(directory, name)
    conf = (f'prof:true,prof_final:true,prof_accum:true,lg_prof_sample:{lg},'
            f'prof_prefix:{prefix},prof_unbias:{"true" if unbias else "false"}')
    done = subprocess.run([program], check=True, capture_output=True, text=True,
                          env={'LD_PRELOAD': JEMALLOC, 'MALLOC_CONF': conf, 'PATH': '/bin'})
    dumps = glob.glob(glob.escape(prefix) + '.*.f.heap')
    if len(dumps) != 1:
        raise AssertionError(f'{name}: {len(dumps)} dumps: {done.stderr}')
    return Truth(done.stdout), dumps[0]


def estimates(metric, dumps):
    """{function: flat value}."""
    rows = t.table('--by=function', f'--metric={metric}', *dumps).rows()
    return {name: flat for flat, _, name in rows}


def judge(runs, metric, which):
    """Faults of the estimates of one or more runs: [(truth, dump, period)]."""
    shown = estimates(metric, [dump for _, dump, _ in runs])
    biggest = max(period for _, _, period in runs)
    faults = []
    sum_estimate = sum_variance = sum_truth = 0.0
    for name, first in runs[0][0].sites.items():
        truth = sum(run[0].sites[name]['size'] * run[0].sites[name][which] for run in runs)
        estimate = shown.get(name, 0)
        # The truth is divided among the periods; the same is done here, because the variance is linear in the
        # estimate.
        variance = sum(variance_of(estimate / len(runs), first['size'], period)
                       for _, _, period in runs)
        low, high = interval(estimate, variance, biggest, ALPHA)
        # The table's numbers are integers, and jemalloc's counts too.
        if not low * 0.9999 - 1 <= truth <= high * 1.0001 + 1:
            faults.append(f'{metric} of {name}: {estimate}, interval [{low:.0f}, {high:.0f}], '
                          f'truth {truth}')
        sum_estimate += estimate
        sum_variance += variance
        sum_truth += truth
    low, high = interval(sum_estimate, sum_variance, biggest, ALPHA)
    if not low * 0.9999 - 1 <= sum_truth <= high * 1.0001 + 1:
        faults.append(f'{metric} of all: {sum_estimate}, interval [{low:.0f}, {high:.0f}], '
                      f'truth {sum_truth}')
    allowed = set(runs[0][0].sites)
    other = {name: flat for name, flat in shown.items() if flat and name not in allowed}
    # libc and the loader have a few pages; one sample of them has as many bytes as the sample period.
    if sum(other.values()) > len(runs) * (1 << 20) + 6 * biggest:
        faults.append(f'{metric}: too much in other functions: {other}')
    return faults, sum_estimate / sum_truth - 1


def objects(runs):
    """Object counts agree with the bytes: each function has one size."""
    dumps = [dump for _, dump, _ in runs]
    count, size = estimates('inuse-objects', dumps), estimates('inuse-space', dumps)
    return [f'{name}: {size[name]} bytes in {count.get(name)} objects of {site["size"]}'
            for name, site in runs[0][0].sites.items()
            if size.get(name) and abs(count.get(name, 0) * site['size'] - size[name]) >
            site['size'] * len(runs) + size[name] * 1e-3]


def lines(truth, dump):
    rows = t.table('--by=line', dump).rows()
    seen = [name for flat, _, name in rows if flat]
    return [f'{name}: no row with {SOURCE.name}:{site["line"]}: {seen[:12]}'
            for name, site in truth.sites.items()
            if site['live'] and site['size'] >= 16384 and
            not any(f'{SOURCE.name}:{site["line"]}' in row for row in seen)]


def both_metrics(runs):
    faults, error = judge(runs, 'inuse-space', 'live')
    more, alloc_error = judge(runs, 'alloc-space', 'all')
    return (faults + more + objects(runs) or
            f'in use {100 * error:+.2f} % of the truth, allocated {100 * alloc_error:+.2f} %')


def main():
    everything = []
    with scratch() as directory:
        program = compile_program(directory)
        for unbias in (True, False):
            for lg in PERIODS:
                runs = []
                for i in range(RUNS):
                    truth, dump = make_dump(program, directory, f'lg{lg}-{unbias}-{i}', lg, unbias)
                    runs.append((truth, dump, 1 << lg))
                    t.check(f'lg_prof_sample:{lg},prof_unbias:{str(unbias).lower()}, run {i + 1}: '
                            f'{len(truth.sites)} functions and the total within their intervals',
                            lambda: both_metrics(runs[-1:]))
                everything.append(runs)
        for runs in everything:
            t.check(f'{RUNS} processes with period {runs[0][2]} merged', lambda: both_metrics(runs))
        truth, dump, _ = everything[0][0]
        t.check('each function is shown with its line', lambda: lines(truth, dump))
    t.done()


t = Tests(is_of_machine=True)
JEMALLOC = find_jemalloc()
if JEMALLOC is None:
    print('1..0 # SKIP no libjemalloc.so.2 (Debian: libjemalloc2)')
    sys.exit(0)
main()

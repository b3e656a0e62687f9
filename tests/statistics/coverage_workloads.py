#!/usr/bin/env python3
"""Compares the reports of hprof-agg for the workloads of workloads.py with the truth: for one dump and for ten merged
ones, with raw and unbiased numbers.

usage: coverage_workloads.py BINARY TESTDATA [--full] [--dumps=N] [--sets=N] [--hundreds=N]
                             [--seed=N] [--only=NAME,...] [--jobs=N] [--save=FILE]

By default it takes some seconds, and finds large errors only.  The full test, with a table of the figures, uses 600
dumps a cell, 60 merged sets of ten, and for two workloads 200 sets of a hundred; it takes some minutes of two CPUs:

    coverage_workloads.py BINARY TESTDATA --full

Columns: how often the intervals of the total and of functions contain the truth, at 95 and at 99 %, in percent; the
worst function of three samples or more, in standard errors from nominal, and how often the interval of the first row
contains the truth; the bias of the total, in percent, and its error; the difference from the estimate that all
sampled objects would give, which is unbiased, and the error of this; the mean width of the total's interval, relative
to the one that all sampled objects would give, and the part of it that is due to unknown sizes; how often the number
of objects of the sampled sizes is in its interval, by row, and in how many rows both ends exist; the share of bytes
whose sizes are known, and the number of rows whose sizes are wrongly called known.
"""
import argparse
import concurrent.futures
import gzip
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
import asked  # noqa: E402
import workloads  # noqa: E402
from asked import share_of  # noqa: E402
from cells import LEVELS, READINGS, Cell  # noqa: E402
from error_columns import errors_in, pprof_samples  # noqa: E402
from harness import Tests  # noqa: E402
from workloads import ALL, BASE, LEAVES_OF_TWO, PAGE  # noqa: E402

SMALL = {'dumps': 20, 'sets': 2, 'hundreds': 0}
FULL = {'dumps': 600, 'sets': 60, 'hundreds': 200}


# --- runs -------------------------------------------------------------------------------


def run(*arguments):
    done = subprocess.run([OPTIONS.binary, *arguments], capture_output=True, check=False)
    if done.returncode:
        raise AssertionError(f'{arguments} ended with {done.returncode}: {done.stderr.decode()}')
    return done.stdout


def report_of(paths, level, options):
    return json.loads(run('top', '--dumps=sum', '--format=json', '--no-symbols', '-n0', '-j1', '-q',
                          f'--confidence={level}', *options, *paths))


def errors_of(paths, options, metrics):
    """{metric: {name: bytes}} of all dumps together: the estimate, its variance and other errors."""
    profile = gzip.decompress(run('top', '--dumps=sum', '--format=pprof', '--with-error', '--max-samples=1',
                                  '--no-symbols', '-j1', '-q', *options, *paths))
    total = {}
    for _, values in pprof_samples(profile):
        workloads.add(total, values)
    return {metric: errors_in(total, metric) for metric in metrics}


def summed(samples):
    found = {}
    for sums in samples:
        for name, counts in sums.items():
            workloads.add(found.setdefault(name, {}), counts)
    return found


class Folder:
    """Writes dumps of a workload one after the other, and keeps the sampled objects of each."""

    def __init__(self, name, rewritten, folder):
        self.workload, self.folder = ALL[name](), folder
        self.rewritten = rewritten
        self.rng = random.Random(f'{OPTIONS.seed} {name} {rewritten}')
        self.written = 0

    def next(self):
        samples = self.workload.sample(self.rng)
        base = self.rng.randrange(BASE, BASE + (1 << 40), PAGE)
        path = os.path.join(self.folder, f'{self.written}.heap')
        text = workloads.dump_text(self.workload, samples, self.rewritten, base)
        pathlib.Path(path).write_text(text, encoding='ascii')
        self.written += 1
        return path, {metric: samples.sums(metric) for metric in self.workload.metrics}

    def remove(self):
        """Remove the files written so far."""
        for path in pathlib.Path(self.folder).iterdir():
            path.unlink()


def measure(task):
    """{(metric, dumps merged): figures} of a workload.  Sets share no dump."""
    name, rewritten, options = task
    of_hundred = rewritten and name in LEAVES_OF_TWO
    plan = {1: OPTIONS.dumps, 10: OPTIONS.sets, 100: OPTIONS.hundreds * of_hundred}
    plan = {merged: sets for merged, sets in plan.items() if sets}
    with tempfile.TemporaryDirectory(prefix='hprof-agg-', dir=OPTIONS.scratch) as folder:
        dumps = Folder(name, rewritten, folder)
        metrics = dumps.workload.metrics
        cells = {(metric, merged): Cell(dumps.workload, metric, merged)
                 for metric in metrics for merged in plan}
        waiting = {merged: [] for merged in plan}
        while any(dumps.written < merged * sets for merged, sets in plan.items()):
            dump = dumps.next()
            for merged, group in waiting.items():
                group.append(dump)
                if len(group) < merged:
                    continue
                if dumps.written > merged * plan[merged]:
                    group.clear()
                    continue
                paths = [path for path, _ in group]
                reports = {level: report_of(paths, level, options) for level in LEVELS}
                errors = errors_of(paths, options, metrics)
                for metric in metrics:
                    cells[metric, merged].add(
                        reports, summed(sums[metric] for _, sums in group), errors[metric])
                group.clear()
            if dumps.written % max(plan) == 0:
                dumps.remove()
    return {key: cell.figures() for key, cell in cells.items()}


def measure_all(names):
    """{'workload kind metric merged': figures}"""
    tasks = [(name, rewritten, ()) for name in names for rewritten in (False, True)]
    if 'pages' in names:
        tasks += [('pages', rewritten, ('--large-sizes=pages',)) for rewritten in (False, True)]
    found = {}
    with concurrent.futures.ProcessPoolExecutor(OPTIONS.jobs) as pool:
        for task, cells in zip(tasks, pool.map(measure, tasks)):
            name, rewritten, options = task
            for (metric, merged), figures in cells.items():
                kind = 'rewritten' if rewritten else 'raw'
                key = f'{name}{"*" if options else ""} {kind} {metric} {merged}'
                found[key] = figures
                if OPTIONS.full:
                    print(line_of(key, figures), flush=True)
    return found


# --- the table --------------------------------------------------------------------------


def percent(share, digits=1):
    return '-' if share is None else f'{100 * share:.{digits}f}'


def line_of(key, figures):
    name, kind, metric, merged = key.split()
    worst = [figures[f'worst{level}_z'] for level in LEVELS if figures[f'worst{level}_z']]
    rows, known = figures['rows'], figures['bytes']
    widths = figures['width'], figures['hull']
    return ' '.join([
        f'{name:<10} {kind:<9} {metric:<5} {merged:>3} {figures["reports"]:>4}'
        f' {figures["samples"]:>8.1f}',
        *(f'{percent(figures[f"{what}{level}"]):>6}' for what in ('total', 'pooled')
          for level in LEVELS),
        f'{min(worst):>6.1f}' if worst else f'{"-":>6}', f'{percent(figures["first"]):>6}',
        *(f'{percent(figures[what], 2):>7} {percent(figures[what + "_se"], 2):>5}'
          for what in ('bias', 'shift')),
        *(f'{"-":>6}' if width is None else f'{width:>6.3f}' for width in widths),
        *(f'{percent(share_of(rows, what)):>6}' for what in ('right', 'both')),
        '/'.join(percent(known.get(reading, 0) / sum(known.values()), 0)
                 for reading in READINGS) + f' {rows.get("wrong", 0)}' if known else '-'])


HEAD = (f'{"workload":<10} {"kind":<9} {"what":<5} {"of":>3} {"n":>4} {"samples":>8} {"tot95":>6}'
        f' {"tot99":>6} {"fun95":>6} {"fun99":>6} {"worst":>6} {"first":>6} {"bias%":>7} {"se":>5}'
        f' {"shift%":>7} {"se":>5} {"width":>6} {"count":>6} {"both":>6} unique/several/none wrong')


def parsed():
    parser = argparse.ArgumentParser()
    parser.add_argument('binary', type=os.path.abspath)
    parser.add_argument('testdata')
    parser.add_argument('--full', action='store_true')
    for name in SMALL:
        parser.add_argument(f'--{name}', type=int)
    for name, value in (('seed', 1), ('jobs', 2)):
        parser.add_argument(f'--{name}', type=int, default=value)
    for name in ('only', 'save'):
        parser.add_argument(f'--{name}')
    options = parser.parse_args()
    for name, value in (FULL if options.full else SMALL).items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    options.scratch = '/dev/shm' if os.access('/dev/shm', os.W_OK) else None
    return options


def main():
    names = OPTIONS.only.split(',') if OPTIONS.only else list(ALL)
    if OPTIONS.full:
        print(f'seed {OPTIONS.seed}', HEAD, sep='\n')
    cells = measure_all(names)
    if OPTIONS.save:
        pathlib.Path(OPTIONS.save).write_text(json.dumps(cells, indent=1), encoding='utf-8')
    t = Tests()
    checked = asked.Cells(cells, asked.FULL if OPTIONS.full else asked.SMALL)
    for check, what in asked.CHECKS:
        t.check(what, lambda check=check: check(checked))
    t.done()


if __name__ == '__main__':
    OPTIONS = parsed()
    main()

#!/usr/bin/env python3
"""Do the intervals that hprof-agg tells hold the truth as often as they promise?  Each process
of a simulated fleet is one dump, read by itself, and its JSON is held against the truth: each
stack and the total have to be inside of their interval in 95 % of the dumps, or more.

usage: coverage.py BINARY TESTDATA HPROF_SIM [DUMPS]

DUMPS (150) of each workload; 1,000 take some minutes.
"""
import json
import math
import os
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from harness import Tests, scratch  # noqa: E402

WORKLOADS = ('tiny', 'r-size', 'mix', 'pareto', 'periodic', 'victim', 'churn', 'pair', 'large')


def leaf(stack):
    frame = stack['frames'][0]
    return f'{os.path.basename(frame["module"])}+{frame["offset"]:#x}'


def ends(number, metric='inuse-space'):
    return number[metric]['low'], number[metric]['high']


def check(directory, workload, raw):
    options = ['--raw'] if raw else []
    subprocess.run([SIM, 'generate', f'--workload={workload}', f'--processes={DUMPS}',
                    *options, directory], check=True)
    truth = json.loads(pathlib.Path(directory, 'truth.json').read_text(encoding='utf-8'))
    wanted = {leaf(stack): stack['live_bytes'] for stack in truth['stacks']}
    inside = dict.fromkeys([*wanted, 'total'], 0)
    for path in pathlib.Path(directory).glob('*.heap'):
        told = json.loads(t.ok('top', '--format=json', '--by=address', '--no-symbols', '-n0',
                               path, env={'HPROF_AGG_OPTS': ''}).out)
        rows = {row['name']: ends(row['flat']) for row in told['rows']}
        for name, value in wanted.items():
            # What is not in the dump may hold as much as the smallest count that is.
            low, high = rows.get(name, (0, -math.log(0.025) * truth['period']))
            inside[name] += low - 1 <= value <= high + 1
        low, high = ends(told['total'])
        inside['total'] += low - 1 <= sum(wanted.values()) <= high + 1
    least = 0.95 - 6 * math.sqrt(0.95 * 0.05 / DUMPS)
    shares = {name: count / DUMPS for name, count in inside.items()}
    faults = [f'{name}: {share:.3f}, less than {least:.3f}'
              for name, share in shares.items() if share < least]
    return faults or f'{min(shares.values()):.3f} ... {max(shares.values()):.3f}'


def main():
    with scratch() as directory:
        for workload in WORKLOADS:
            for raw in (False, True):
                name = workload + (' as raw numbers' if raw else '')
                t.check(f'{DUMPS} dumps of {name}',
                        lambda: check(os.path.join(directory, name), workload, raw))
    t.done()


SIM = os.path.abspath(sys.argv[3])
DUMPS = int(sys.argv[4]) if len(sys.argv) > 4 else 150
t = Tests()
main()

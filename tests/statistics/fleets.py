#!/usr/bin/env python3
"""Simulated fleets, whose truth is known, through the whole of hprof-agg: dumps of processes
that are loaded at addresses of their own are merged stack by stack, and the sums have to be
the truth, to within six standard errors.

The last tests are the example of jemalloc's PROFILING_INTERNALS.md: a stack of 10^6 objects of
8 bytes and one of a single object of 8 MiB, sampled every MiB.  Unbiased dump by dump the
first comes out right whatever the number of machines; unbiased after summing it vanishes.

usage: fleets.py BINARY TESTDATA HPROF_SIM [MACHINES]

MACHINES (2,000) of the example; 10^6 take some minutes and 4 GB of disk.
"""
import json
import math
import os
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from harness import Dump, Tests, near, scratch  # noqa: E402

WORKLOADS = ('tiny', 'r-size', 'mix', 'pareto', 'periodic', 'victim', 'churn', 'pair', 'large')
PROCESSES = 60


def generate(directory, *options):
    subprocess.run([SIM, 'generate', *options, directory], check=True)
    with open(os.path.join(directory, 'truth.json'), encoding='utf-8') as file:
        return json.load(file)


def dumps_of(directory):
    return sorted(str(path) for path in pathlib.Path(directory).glob('*.heap'))


def merged(directory, metric):
    """{(module, offset) of the leaf: value} of all dumps of a folder."""
    listed = '\n'.join(dumps_of(directory)).encode()
    rows = t.table('--files-from=-', '--by=address', '--no-symbols',
                   f'--metric={metric}', stdin=listed, timeout=1200).rows()
    return {name: flat for flat, _, name in rows if flat}


def leaf(stack):
    frame = stack['frames'][0]
    return f'{os.path.basename(frame["module"])}+{frame["offset"]:#x}'


def sizes_of(stack):
    """The mean size of a stack; each stack has one size, except in the workload pareto."""
    return stack['live_bytes'] / stack['live_objects'] if stack['live_objects'] else 0


def faults_of(truth, values, metric):
    """The values that are more than six standard errors off.  The variance of an estimate is at most that of objects
    of the size with the largest variance."""
    for stack in truth['stacks']:
        count = stack['live_objects'] * truth['processes']
        size, period = sizes_of(stack), truth['period']
        wanted = count if metric.endswith('objects') else count * size
        got = values.get(leaf(stack), 0)
        if count == 0:
            if got:
                yield f'{stack["name"]}: {got}, but nothing is alive'
            continue
        mixed = truth['workload'] == 'pareto'
        t_ = min(size / period, 1.5936)
        error = math.sqrt(count * (t_ * t_ / math.expm1(t_))) * period
        if metric.endswith('objects'):
            error /= size
        if mixed and metric.endswith('objects'):
            continue  # the error of counts of mixed sizes is not known
        slack = 0.01 * wanted if mixed else 1  # integers are printed
        if abs(got - wanted) > 6 * error + slack:
            yield f'{stack["name"]}: {got}, true {wanted}, {(got - wanted) / error:.1f} errors'


def check_workload(directory, workload, *options):
    truth = generate(directory, f'--workload={workload}', f'--processes={PROCESSES}', *options)
    faults = []
    for metric in ('inuse-space', 'inuse-objects'):
        values = merged(directory, metric)
        faults += faults_of(truth, values, metric)
        if len(values) > len(truth['stacks']):
            faults.append(f'{len(values)} rows for {len(truth["stacks"])} stacks: {values}')
    return faults or f'{len(truth["stacks"])} stacks'


def check_repeats(one, two):
    options = ('--workload=mix', '--processes=5', '--threads=3', '--accum', '--seed=7')
    generate(one, *options)
    generate(two, *options)
    a = [pathlib.Path(path).read_bytes() for path in dumps_of(one)]
    b = [pathlib.Path(path).read_bytes() for path in dumps_of(two)]
    if a != b:
        return ['the same seed gave other dumps']
    if len(set(a)) != 5:
        return ['processes are alike']
    return None


# --- the two stacks -----------------------------------------------------------------------

def raw_sums(dumps):
    """{size of the objects of a stack: [objects, bytes]} over all dumps, as sampled."""
    sums = {}
    for path in dumps:
        for counts in Dump(path).stacks:
            size = counts[1] // counts[0] if counts[0] else 0
            entry = sums.setdefault(size, [0, 0])
            entry[0] += counts[0]
            entry[1] += counts[1]
    return sums


def check_two_stacks(directory, machines):
    truth = generate(directory, '--workload=two-stack', f'--processes={machines}', '--raw')
    values = merged(directory, 'inuse-space')
    small, large = truth['stacks']
    faults = list(faults_of(truth, values, 'inuse-space'))
    faults += faults_of(truth, merged(directory, 'inuse-objects'), 'inuse-objects')
    listed = '\n'.join(dumps_of(directory)).encode()
    folded = t.ok('merge', '--format=folded', '--files-from=-', '--by=address', '--no-symbols',
                  stdin=listed, timeout=1200).folded()
    # folded rounds so that its lines add up to the total
    if any(abs(value - values[stack[-1]]) > 1 for stack, value in folded):
        faults.append(f'merge tells {folded}, top {values}')
    # The result of adding up first, from the same dumps.
    objects, size = raw_sums(dumps_of(directory))[8]
    period, true_bytes = truth['period'], small['live_bytes'] * machines
    from_sum = size / -math.expm1(-size / period)
    if machines > 100 and not from_sum < 0.01 * true_bytes:
        faults.append(f'p from summed bytes: {from_sum} of {true_bytes}')
    return faults or (
        f'{machines} machines: small {values[leaf(small)]:.4g} of {true_bytes:.4g} bytes, '
        f'large {values[leaf(large)]:.4g} of {large["live_bytes"] * machines:.4g}; '
        f'summed before unbiasing the small ones are {from_sum:.4g}, {objects} samples')


def check_one_machine(directory):
    """Eight samples of the small stack and the large object, as in the example."""
    text = ('0 8 live 0x7f0000002000 0x550000001000\n' * 8 +
            '0 8388608 live 0x7f0000003000 0x550000001000\n')
    path = os.path.join(directory, 'one.heap')
    with open(path, 'w', encoding='utf-8') as out:
        subprocess.run([SIM, 'replay', '--period=1M', '--raw'], input=text, text=True,
                       stdout=out, check=True)
    with open(path, 'a', encoding='utf-8') as out:
        out.write('\nMAPPED_LIBRARIES:\n')
    rows = {name: flat for flat, _, name in
            t.table('--by=address', '--no-symbols', path).rows() if flat}
    small, large = sorted(rows.values())
    objects = t.totals(path)['inuse-objects']
    faults = [] if near(small, 8.39e6, 1e-3) and near(large, 8.39e6, 1e-3) else [str(rows)]
    if not near(objects, 1.05e6, 2e-3):
        faults.append(f'{objects} objects')
    return faults or f'{small} and {large} bytes, {objects:.0f} objects'


def main():
    with scratch() as directory:
        def folder(name):
            return os.path.join(directory, name)

        for workload in WORKLOADS:
            for options in ((), ('--raw',), ('--threads=4',)):
                name = ' '.join((workload, *options))
                t.check(f'{PROCESSES} processes of {name}',
                        lambda: check_workload(folder(re.sub(r'\W', '-', name)), workload,
                                               *options))
        t.check('the same seed gives the same bytes', lambda: check_repeats(folder('a'), folder('b')))
        t.check('two stacks on one machine have their true sums', lambda: check_one_machine(directory))
        machines = int(sys.argv[4]) if len(sys.argv) > 4 else 2000
        t.check('two stacks on many machines have their true sums',
                lambda: check_two_stacks(folder('two'), machines))
    t.done()


SIM = os.path.abspath(sys.argv[3])
t = Tests()
main()

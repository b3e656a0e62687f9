#!/usr/bin/env python3
"""The widths that plan predicts from one dump, compared with those of dumps that were sampled at the planned period.

With HPROF_SIM, the variance of sampling over that of the best probabilities is compared with the sampler's own
evaluation, for two workloads, or with five WORKLOADS or more for five.

usage: widths.py BINARY TESTDATA [WORKLOADS [DUMPS [HPROF_SIM]]]    (20 workloads, 7 dumps at each of 7 periods)

Some workloads are real: every allocation of their process was sampled (lg_prof_sample:0).  Rows that rest on fewer
than 100 samples are rough, and left out.
"""
import json
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile

BINARY, TESTDATA = sys.argv[1], pathlib.Path(sys.argv[2])
WORKLOADS = int(sys.argv[3]) if len(sys.argv) > 3 else 20
DUMPS = int(sys.argv[4]) if len(sys.argv) > 4 else 7
OWN = 14  # log2 of the period that plans are made from
PERIODS = range(13, 20)
SIM = sys.argv[5] if len(sys.argv) > 5 else None
SIMULATED = 'mix', 'pareto', 'large', 'huge', 'spread'  # no object is freed: the best probabilities depend on sizes alone
REAL = ('jemalloc-lg0-accum.heap', 'jemalloc-lg0.heap')


def drawn(rng, objects, p):
    """The number of `objects` that are sampled with probability p."""
    if objects < 50:
        return sum(rng.random() < p for _ in range(objects))
    mean = objects * p
    if mean < 30:
        count, left = 0, rng.expovariate(1)
        while left < mean:
            count, left = count + 1, left + rng.expovariate(1)
        return count
    return max(0, min(objects, round(rng.gauss(mean, math.sqrt(mean * (1 - p))))))


def write(path, heap, period, rng):
    """Write the samples of a heap {(stack, size): objects}, as a line of gperftools for each."""
    lines = []
    for (stack, size), objects in heap.items():
        line = f'{1:6d}: {size:8d} [{1:6d}: {size:8d}] @ {0x401000 + 16 * stack:#x} 0x402000\n'
        lines += [line] * drawn(rng, objects, -math.expm1(-size / period))
    total = sum(int(line.split()[1]) for line in lines)
    path.write_text(f'heap profile: {len(lines):6d}: {total:8d} [{len(lines):6d}: {total:8d}] @ heap_v2/{period}\n' +
                    ''.join(lines) + '\nMAPPED_LIBRARIES:\n00400000-00500000 r-xp 00000000 08:01 7 /srv/app\n')
    return path


def real(name):
    """The heap of a process that sampled everything; each stack has objects of its mean size."""
    text = (TESTDATA / 'formats' / name).read_text(errors='replace')
    heap = {}
    for i, (objects, size) in enumerate(re.findall(r'^@.*\n  t\*: (\d+): (\d+)', text, re.M)):
        if int(objects) > 0:
            heap[i, int(size) // int(objects)] = int(objects)
    return heap


def made(rng):
    """Ten stacks of one to four sizes each, of 1 to 16 MiB."""
    sizes = [1 << log for log in range(4, 22)]
    return {(stack, size): max(1, int(rng.uniform(1, 16) * (1 << 20) / size))
            for stack in range(10) for size in rng.sample(sizes, rng.randint(1, 4))}


def ask(*words):
    done = subprocess.run([BINARY, words[0], '-q', '--no-symbols', '-fjson', *map(str, words[1:])], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def half(estimate):
    return (estimate['high'] - estimate['low']) / 2


def widths_of(path):
    """Half-widths in bytes of the total and of all rows."""
    top = ask('top', path)
    rows = {row['name']: half(row['flat']['inuse-space']) for row in top['rows']}
    return {None: half(top['total']['inuse-space']), **rows}


def errors_of(number, folder):
    rng = random.Random(number)
    heap = real(REAL[number]) if number < len(REAL) else made(rng)
    plan = ask('plan', write(folder / 'own.heap', heap, 1 << OWN, rng))
    names = [None] + [row['name'] for row in plan['first']]
    held = [plan['total']['inuse-space']['estimate']] + [row['bytes'] for row in plan['first']]
    errors = {'total': [], 'rows': []}
    for log in PERIODS:
        row = next(row for row in plan['rows'] if row['period'] == 1 << log)
        found = [widths_of(write(folder / 'other.heap', heap, 1 << log, rng)) for _ in range(DUMPS)]
        for name, size, cell in zip(names, held, [row['total']] + row['first']):
            mean = sum(one.get(name, 0) for one in found) / DUMPS
            if not cell['rough'] and mean > 0 and cell['half_width'] > 1e-4:
                errors['rows' if name else 'total'].append(cell['half_width'] * size / mean - 1)
    return errors


def ratio_of(workload, folder):
    """The ratio of variances that plan prints for eight dumps, over that of the methods' evaluation."""
    out = subprocess.run([SIM, 'evaluate', f'--workload={workload}', '--streams=2', '--json'], capture_output=True, check=False)
    theory = {row['method']: row['total']['bytes']['theory'] for row in json.loads(out.stdout)['rows']}
    subprocess.run([SIM, 'generate', f'--workload={workload}', '--processes=8', str(folder)], check=True)
    out = subprocess.run([BINARY, 'plan', '-q', '--no-symbols', '-fjson', *sorted(map(str, folder.glob('*.heap')))],
                         capture_output=True, check=True)
    return json.loads(out.stdout)['variance_ratio'] / (theory['geometric'] / theory['optimal']) ** 2


def check_ratios():
    ratios = {}
    for workload in SIMULATED if WORKLOADS >= 5 else SIMULATED[:2]:
        with tempfile.TemporaryDirectory() as folder:
            ratios[workload] = ratio_of(workload, pathlib.Path(folder))
    is_good = all(abs(ratio - 1) <= 0.03 for ratio in ratios.values())
    text = ', '.join(f'{name} {ratio:.3f}' for name, ratio in ratios.items())
    print(f'{"" if is_good else "not "}ok 3 - the ratio of variances is that of the evaluation: {text}', flush=True)
    return not is_good


def main():
    errors = {'total': [], 'rows': []}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(WORKLOADS):
            for what, some in errors_of(number, pathlib.Path(folder)).items():
                errors[what] += some
    faults = 0
    for i, (what, some) in enumerate(errors.items(), 1):
        near = sum(abs(error) <= 0.1 for error in some) / len(some)
        median = sorted(some)[len(some) // 2]
        least = 0.95 if WORKLOADS >= 20 else 0.85
        is_good = near >= least and abs(median) <= (0.02 if WORKLOADS >= 20 else 0.04)
        faults += not is_good
        print(f'{"" if is_good else "not "}ok {i} - {what}: {len(some)} widths, {near:.3f} within 10 %, median error '
              f'{median:+.3f}', flush=True)
    faults += check_ratios() if SIM else 0
    print(f'1..{len(errors) + (SIM is not None)}')
    sys.exit(faults > 0)


main()

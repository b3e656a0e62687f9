#!/usr/bin/env python3
"""Dumps whose sizes are decoded, of the workloads of workloads.py, with raw and unbiased numbers.  Each report of all
dumps has the same bytes in any order and with any number of threads, and from other builds: those of
HPROF_AGG_BUILDS, separated by colons, and those given as COMMAND, which may be for another machine.  Compressed
output is compared unpacked.

usage: same_bytes.py BINARY TESTDATA [--dumps=N] [--orders=N] [COMMAND...]

By default it takes some seconds.  A thousand dumps in a hundred orders, and builds that an emulator runs:

    same_bytes.py BINARY TESTDATA --dumps=1000 --orders=100 clang/hprof-agg \\
        'qemu-aarch64 -L ROOT arm64/hprof-agg' 'qemu-s390x -L ROOT s390x/hprof-agg'
"""
import argparse
import hashlib
import os
import pathlib
import random
import shlex
import subprocess
import sys

sys.dont_write_bytecode = True
TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / 'properties'), str(TESTS / 'interop')]
import hpa_reader  # noqa: E402
from harness import Tests, scratch, unpacked  # noqa: E402
from workloads import ALL, BASE, PAGE, dump_text  # noqa: E402

NAMES = ('mixnearR', 'anynearR', 'aroundR', '16B+2R', 'lognormal', 'pareto', 'bimodal', 'own2',
         'pages', 'churnmix')
# `trend` is of dumps in the order of time.
REPORTS = (('top', '-n0', '--format=json'), ('top', '-n0'), ('top', '-n0', '--metric=inuse-objects'),
           ('stacks', '--format=json'), ('tree', '-n0', '--format=json'),
           ('merge', '--format=pprof', '--with-error'), ('merge', '--format=callgrind'), ('merge', '--format=hpa'),
           ('info', '--format=json'), ('diff', '-n0', '--format=json'))


def write(folder, count):
    """{is rewritten: paths}; a program loaded elsewhere each time."""
    rng = random.Random(16)
    paths = {False: [], True: []}
    for number in range(count):
        rewritten, name = number % 2 == 1, NAMES[number // 2 % len(NAMES)]
        workload = WORKLOADS.setdefault(name, ALL[name]())
        base = rng.randrange(BASE, BASE + (1 << 40), PAGE)
        path = pathlib.Path(folder) / f'{number}.heap'
        path.write_text(dump_text(workload, workload.sample(rng), rewritten, base),
                        encoding='ascii')
        paths[rewritten].append(path)
    return paths


def digest(command, report, paths, threads=1):
    if report[0] == 'diff':  # the order has no effect on it
        paths = sorted(paths)
        paths = [*paths[::2], '--to', *paths[1::2]]
    done = subprocess.run([*command, *report, '--no-symbols', '-q', f'-j{threads}', *map(str, paths)],
                          capture_output=True, stdin=subprocess.DEVNULL, check=False)
    if done.returncode or not done.stdout:
        raise AssertionError(f'{command} {report} ended with {done.returncode}: '
                             f'{done.stderr.decode()[:500]}')
    if '--format=hpa' in report:
        return content(command, done.stdout)
    return hashlib.sha256(unpacked(done.stdout)).hexdigest()


def content(command, partial):
    """The digest of a partial's content, as the program that wrote it and a second reader find it; zstd may pack
    it otherwise."""
    told = subprocess.run([*command, 'digest', '-'], input=partial, capture_output=True, check=True).stdout.split()[0]
    sha = hashlib.sha256()
    for section, flags, raw in hpa_reader.blocks(partial):
        sha.update(section.to_bytes(2, 'little') + raw if section and not flags & 2 else b'')
    if sha.hexdigest() != told.decode():
        raise AssertionError(f'{command} tells {told}, not {sha.hexdigest()}')
    return sha.hexdigest()


def orders(report, paths, first):
    rng = random.Random(17)
    for number in range(OPTIONS.orders):
        turned = list(paths)
        rng.shuffle(turned)
        threads = rng.randint(1, 8)
        if digest([t.binary], report, turned, threads) != first:
            yield f'order {number}, {threads} threads: other bytes'


def builds(report, paths, first):
    for command in COMMANDS:
        if digest(command, report, paths) != first:
            yield f'{shlex.join(command)}: other bytes'


def parsed():
    parser = argparse.ArgumentParser()
    parser.add_argument('binary')
    parser.add_argument('testdata')
    parser.add_argument('commands', nargs='*')
    parser.add_argument('--dumps', type=int, default=40)
    parser.add_argument('--orders', type=int, default=3)
    return parser.parse_intermixed_args()


OPTIONS = parsed()
WORKLOADS = {}
COMMANDS = [[path] for path in os.environ.get('HPROF_AGG_BUILDS', '').split(':')
            if os.path.exists(path)]
COMMANDS += map(shlex.split, OPTIONS.commands)
t = Tests()
with scratch() as directory:
    for is_rewritten, dumps in write(directory, OPTIONS.dumps).items():
        kind = f'{len(dumps)} {"rewritten" if is_rewritten else "raw"} dumps'
        for asked in REPORTS:
            once = digest([t.binary], asked, dumps)
            what = f'{" ".join(asked)} of {kind}'
            if asked[0] != 'info':  # info lists inputs in the given order
                t.check(f'{what}: the same bytes in {OPTIONS.orders} orders',
                        lambda: list(orders(asked, dumps, once)))
            if COMMANDS:
                t.check(f'{what}: the same bytes from {len(COMMANDS)} other builds',
                        lambda: list(builds(asked, dumps, once)))
t.done()

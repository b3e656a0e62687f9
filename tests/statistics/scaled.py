#!/usr/bin/env python3
"""Profiles whose writer has unsampled them itself, of known heaps: the intervals have to contain the truth.  Go
truncates each number to an integer and records sizes; others scale raw numbers of jemalloc by the mean size of a
stack, and record no sizes.

usage: scaled.py BINARY TESTDATA [--full] [--programs=N] [--dumps=N] [--sets=N] [--seed=N]

It takes some seconds by default; with --full, some minutes, for 1,000 programs of Go, and 200 dumps and 40 sets of
ten of each other kind.  Its arithmetic is independent of src/calc.
"""
import argparse
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from cells import errors_off, holds  # noqa: E402
from harness import Tests  # noqa: E402
from profile_writer import Profile  # noqa: E402
from workloads import bimodal, bytes_of, churnmix, sampled  # noqa: E402

SMALL = {'programs': 80, 'dumps': 12, 'sets': 3}
FULL = {'programs': 1000, 'dumps': 200, 'sets': 40}
GO = (('inuse_objects', 'count'), ('inuse_space', 'bytes'))
WHOLE = (1 << 64) - 1


def report_of(*paths):
    done = subprocess.run([OPTIONS.binary, 'top', '--dumps=sum', '--format=json', '--no-symbols',
                           '-n0', '-j1', '-q', *paths], capture_output=True, check=True)
    return json.loads(done.stdout)


# --- Go ---------------------------------------------------------------------------------


def go_profile(period, sites):
    """[(sampled objects, their size)] as the runtime writes them."""
    profile = Profile(GO, period)
    for i, (n, size) in enumerate(sites):
        place = profile.location(0x1000 + i, 0, [(f'main.site{i}', 'main.go', 1)])
        root = profile.location(0x900, 0, [('runtime.main', 'proc.go', 1)])
        scale = 1 / -math.expm1(-size / period)
        profile.sample([place, root], [int(n * scale), int(n * size * scale)], size)
    return profile.bytes()


def draw_site(rng, period):
    """(size, objects), such that about one to thirty objects are sampled."""
    size = 8 * max(1, int(math.exp(rng.uniform(math.log(.02), math.log(4))) * period / 8))
    wanted = math.exp(rng.uniform(math.log(.7), math.log(30)))
    return size, max(1, round(wanted / -math.expm1(-size / period)))


def go_programs():
    """How often the interval of a program's single row contains the truth, in bytes and in objects."""
    rng, seen = random.Random(f'{OPTIONS.seed} go'), {'inuse-space': [0, 0], 'inuse-objects': [0, 0]}
    with tempfile.TemporaryDirectory(prefix='hprof-agg-', dir=OPTIONS.scratch) as folder:
        path = os.path.join(folder, 'go.pb')
        trials = 0
        while trials < OPTIONS.programs:
            period = rng.choice((65536, 524288))
            size, objects = draw_site(rng, period)
            n = sum(1 for _ in sampled(rng, objects, size, period))
            if n == 0:
                continue  # it has no row
            trials += 1
            pathlib.Path(path).write_bytes(go_profile(period, [(n, size)]))
            report = report_of(path)
            row, = (row for row in report['rows'] if row['name'] == 'main.site0')
            for metric, truth in (('inuse-space', size * objects), ('inuse-objects', objects)):
                for place, told in enumerate((row['flat'], report['total'])):
                    seen[metric][place] += holds(told[metric], truth)
    told = ', '.join(f'{metric} {hits / trials:.3f}' for metric, (hits, _) in seen.items())
    low = [f'{metric}: {hits} of {trials}' for metric, both in seen.items() for hits in both
           if (hits < .93 * trials if OPTIONS.full else errors_off(hits, 93, trials) < -4)]
    return low or f'{trials} programs: {told}'


def go_certain():
    """The certain part is the bytes of the sampled objects; for a single sample, nothing else is certain."""
    rng = random.Random(f'{OPTIONS.seed} certain')
    with tempfile.TemporaryDirectory(prefix='hprof-agg-', dir=OPTIONS.scratch) as folder:
        path = os.path.join(folder, 'go.pb')
        for period in (65536, 524288):
            sites = []
            for _ in range(40):
                size, objects = draw_site(rng, period)
                n = sum(1 for _ in sampled(rng, objects, size, period))
                sites += [(n, size, objects)] * (n > 0)
            pathlib.Path(path).write_bytes(go_profile(period, [site[:2] for site in sites]))
            rows = {row['name']: row['flat'] for row in report_of(path)['rows']}
            for i, (n, size, objects) in enumerate(sites):
                low = rows[f'main.site{i}']['inuse-space']['low'] * (1 + 1e-9)
                if low < n * size or (n == 1 and low > max(size, period / 32) * (1 + 2e-9)):
                    yield f'{n} of {objects} objects of {size}: {low}'


def go_and_others():
    """If one line has other arithmetic than Go's, only one object is certain for each line."""
    with tempfile.TemporaryDirectory(prefix='hprof-agg-', dir=OPTIONS.scratch) as folder:
        path = os.path.join(folder, 'go.pb')
        for last in (7, 7.5):
            sites = [(10, 1 << 20), (last, 70000)]
            pathlib.Path(path).write_bytes(go_profile(65536, sites))
            rows = {row['name']: row['flat'] for row in report_of(path)['rows']}
            low = rows['main.site0']['inuse-space']['low']
            if (low == 10 << 20) != (last == 7):
                yield f'{last} objects beside it: of ten of 1 MiB {low} bytes are certain'


# --- scaled by mean sizes ---------------------------------------------------------------


def means_profile(workload, samples, has_counts):
    """Raw numbers of each stack, divided by the chance of its mean size."""
    period = workload.period
    profile = Profile(GO if has_counts else GO[1:], period)
    mapping = profile.mapping('/none/app', 0, WHOLE)
    for index, threads in samples.stacks.items():
        live = {}
        for holds_of_thread, _ in threads.values():
            for size, count in holds_of_thread.items():
                live[size] = live.get(size, 0) + count
        n, held = sum(live.values()), bytes_of(live)
        if n:
            scale = 1 / -math.expm1(-held / n / period)
            values = [int(n * scale)] * has_counts + [int(held * scale)]
            profile.sample([profile.location(workload.stacks[index].leaf, mapping)], values)
    return profile.bytes()


def means(name, make, has_counts):
    """How often the interval of the total contains the truth, for one such profile and for ten."""
    workload = make()
    truth = bytes_of(workload.truth['inuse']['total'])
    rng = random.Random(f'{OPTIONS.seed} {name} {has_counts}')
    counts = {1: [0, OPTIONS.dumps], 10: [0, OPTIONS.sets]}
    with tempfile.TemporaryDirectory(prefix='hprof-agg-', dir=OPTIONS.scratch) as folder:
        for merged, tally in counts.items():
            for _ in range(tally[1]):
                paths = [os.path.join(folder, f'{i}.pb') for i in range(merged)]
                for path in paths:
                    samples = workload.sample(rng)
                    pathlib.Path(path).write_bytes(means_profile(workload, samples, has_counts))
                told = report_of(*paths)['total']['inuse-space']
                tally[0] += holds(told, merged * truth)
    low = [f'{merged} merged: {hits} of {trials}' for merged, (hits, trials) in counts.items()
           if (hits < .94 * trials if OPTIONS.full else errors_off(hits, 94, trials) < -3)]
    return low or ', '.join(f'{merged} merged {hits / trials:.3f}'
                            for merged, (hits, trials) in counts.items())


def parsed():
    parser = argparse.ArgumentParser()
    parser.add_argument('binary', type=os.path.abspath)
    parser.add_argument('testdata')
    parser.add_argument('--full', action='store_true')
    for name in SMALL:
        parser.add_argument(f'--{name}', type=int)
    parser.add_argument('--seed', type=int, default=1)
    options, _ = parser.parse_known_args()
    for name, value in (FULL if options.full else SMALL).items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    options.scratch = '/dev/shm' if os.access('/dev/shm', os.W_OK) else None
    return options


def main():
    t = Tests()
    t.check('the interval of one row of a Go program contains the truth', go_programs)
    t.check('exactly the objects that Go sampled are certain', lambda: list(go_certain()))
    t.check('a line that Go did not write makes all lines uncertain', lambda: list(go_and_others()))
    for name, make in (('bimodal', bimodal), ('churnmix', churnmix)):
        for has_counts in (True, False):
            t.check(f'{name}, raw numbers scaled by mean sizes, {"with" if has_counts else "without"} counts',
                    lambda name=name, make=make, has_counts=has_counts: means(name, make, has_counts))
    t.done()


if __name__ == '__main__':
    OPTIONS = parsed()
    main()

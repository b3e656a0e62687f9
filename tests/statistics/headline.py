#!/usr/bin/env python3
"""Tests that the first line of `top` names no function that only sampling brought to its place.

Two functions of a simulated program hold the same memory, and ten others hold a tenth of that each. Sampled objects are
drawn as jemalloc draws them, and hprof-sim writes the dump. The first line may name both functions or none. It names one
alone in at most 5 % of the dumps. If one function holds twice as much, and there are enough samples, it is named.

usage: headline.py BINARY TESTDATA HPROF_SIM [PAIRS]

PAIRS (20) dumps of each setting; 200 take half a minute.
"""
import math
import pathlib
import random
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from harness import Tests, scratch  # noqa: E402

t = Tests()
SIM = sys.argv[3]
PAIRS = int(sys.argv[4]) if len(sys.argv) > 4 else 20
PERIOD = 1 << 19
MOST = .05
# Size of an object, and objects of each of the two functions: samples a function, on average, in the comment.
SETTINGS = [(64, 80000), (1024, 15000), (16384, 1000), (131072, 400), (4 << 20, 60), (512, 1 << 20)]  # 10 30 31 88 60 1023
ROWS = {'0x401000': 10, '0x402000': 10, **{f'0x{0x403000 + 0x1000 * i:x}': 1 for i in range(10)}}


def sampled(rng, size, objects):
    """The number of sampled objects; those that are not are skipped by a geometric gap."""
    rate, count, at = size / PERIOD, 0, 0
    while True:
        at += 1 + int(rng.expovariate(1) / rate)
        if at > objects:
            return count
        count += 1


def headline(rng, folder, size, objects, factor=1):
    """The functions of the pair that the first line names."""
    lines = []
    for name, tenths in ROWS.items():
        times = factor if name == '0x401000' else 1
        lines += [f'0 {size} live {name} 0x400100\n'] * sampled(rng, size, objects * tenths * times // 10)
    rng.shuffle(lines)
    path = folder / 'app.heap'
    with open(path, 'w', encoding='utf-8') as out:
        subprocess.run([SIM, 'replay', f'--period={PERIOD}', '--raw'], input='thread 0 running main\n' + ''.join(lines),
                       text=True, stdout=out, check=True)
        out.write('400000-500000 r-xp 00000000 08:01 7 /srv/app\n')
    first = t.ok('top', '-q', '--no-symbols', path).out.partition('\n')[0]
    return {int(name, 16) for name in re.findall(r'(?:app[+@]|\b)0x([0-9a-f]+)', first)}


def alone(size, objects):
    rng, names = random.Random(f'{size} {objects}'), []
    with scratch() as folder:
        for _ in range(PAIRS):
            names.append(headline(rng, pathlib.Path(folder), size, objects))
    of_pair = [found & {0x1000, 0x2000, 0x401000, 0x402000} for found in names]
    one, both = sum(len(found) == 1 for found in of_pair), sum(len(found) == 2 for found in of_pair)
    # More than this has a chance below one in a thousand if the rate is 5 %.
    most = MOST * PAIRS + (0 if PAIRS >= 200 else 3.1 * math.sqrt(PAIRS * MOST * (1 - MOST)))
    found = f'{objects * -math.expm1(-size / PERIOD):.0f} samples: {one} of {PAIRS} name one alone, {both} both'
    return [found] if one > most else found


def twice_as_much():
    rng = random.Random(1)
    with scratch() as folder:
        names = [headline(rng, pathlib.Path(folder), 512, 1 << 20, 2) for _ in range(5)]
    return [f'{found}' for found in names if len(found) != 1]


for size, objects in SETTINGS:
    t.check(f'two functions with equal memory in objects of {size} bytes: one alone is named in at most 5 %',
            lambda: alone(size, objects))
t.check('a function with twice the memory is named', twice_as_much)
t.done()

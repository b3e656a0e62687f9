#!/usr/bin/env python3
"""Write a dump of any number of stacks, for measurements.  The program has 20,000 places that call one another at
random, in the same way every time.  Or write a series of such dumps, in which a tenth of the stacks change from each
dump to the next.

usage: large.py STACKS > DUMP
       large.py STACKS DUMPS FOLDER
"""
import pathlib
import random
import sys

MAP = '\nMAPPED_LIBRARIES:\n00400000-00500000 r-xp 00000000 fe:01 12 /srv/none/server\n'
TOTAL = 'heap_v2/4096\n  t*: 0: 0 [0: 0]\n  t0: 0: 0 [0: 0]\n'
chance = random.Random(7)


def path_after(path):
    """A path that shares most of its frames with the one before."""
    path = path[:chance.randrange(max(len(path) - 12, 0), len(path) + 1)]
    while len(path) < 12 or (len(path) < 90 and chance.random() < 0.93):
        path.append(0x400000 + 16 * int(20000 * chance.random() ** 2))
    return path


def held():
    count = 1 + int(chance.expovariate(0.5))
    return count, count * 16 * (1 + int(chance.expovariate(0.002)))


def dump_of(paths, values):
    lines = [f'@ {" ".join(f"{address:#x}" for address in reversed(path))}\n  t*: {count}: {size} [0: 0]\n'
             f'  t0: {count}: {size} [0: 0]\n' for path, (count, size) in zip(paths, values)]
    return TOTAL + ''.join(lines) + MAP


all_paths, all_values = [[]], []
for _ in range(int(sys.argv[1])):
    all_paths.append(path_after(all_paths[-1]))
    all_values.append(held())
if len(sys.argv) == 2:
    sys.stdout.write(dump_of(all_paths[1:], all_values))
for number in range(int(sys.argv[2]) if len(sys.argv) > 2 else 0):
    (pathlib.Path(sys.argv[3]) / f'large.1.{number}.i{number}.heap').write_text(dump_of(all_paths[1:], all_values), encoding='ascii')
    all_values = [held() if chance.random() < 0.1 else value for value in all_values]

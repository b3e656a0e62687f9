#!/usr/bin/env python3
"""A dump with as many stacks as wanted, of a program with 20,000 places that call one another at random, always in
the same way: for measuring.

usage: large.py STACKS > DUMP
"""
import random
import sys

stacks = int(sys.argv[1])
chance = random.Random(7)
path, lines = [], []
for _ in range(stacks):
    # Most of a stack is that of the one before.
    del path[chance.randrange(max(len(path) - 12, 0), len(path) + 1):]
    while len(path) < 12 or (len(path) < 90 and chance.random() < 0.93):
        path.append(0x400000 + 16 * int(20000 * chance.random() ** 2))
    count = 1 + int(chance.expovariate(0.5))
    size = count * 16 * (1 + int(chance.expovariate(0.002)))
    lines.append(f'@ {" ".join(f"{address:#x}" for address in reversed(path))}\n  t*: {count}: {size} [0: 0]\n')
    lines.append(f'  t0: {count}: {size} [0: 0]\n')
total = 'heap_v2/4096\n  t*: 0: 0 [0: 0]\n  t0: 0: 0 [0: 0]\n'
sys.stdout.write(total + ''.join(lines) + '\nMAPPED_LIBRARIES:\n'
                 '00400000-00500000 r-xp 00000000 fe:01 12 /srv/none/server\n')

#!/usr/bin/env python3
"""For stacks whose objects have very different sizes, the bounds of the surviving share hold as often as they
promise.  The truth is the live share of all objects allocated between two dumps; the dumps have unbiased and raw
numbers.

usage: lifetime_mixes.py BINARY TESTDATA [STACKS]
By hand with STACKS=4000: each bound of each cell holds in .935 or more."""
import json
import math
import pathlib
import random
import sys

from harness import Tests, scratch

t = Tests()
STACKS = int(sys.argv[3]) if len(sys.argv) > 3 else 150
R = 1 << 19
MAPS = '\nMAPPED_LIBRARIES:\n10000000-20000000 r-xp 00000000 08:01 5 /srv/lib/app\n'

# Sizes; number of allocated objects of each; live share of these; number of older live objects, half of them freed.
CELLS = {
    'one size': ([96], [3_000_000], [.02], [200_000]),
    'small ones live': ([16, 2 * R], [2_000_000, 60], [.1, 0], [0, 0]),
    'large ones live': ([96, 5 * R], [1_000_000, 20], [0, .05], [0, 0]),
    'all alike': ([16, 2 * R], [2_000_000, 60], [.3, .3], [1_000_000, 30]),
    'many sizes': ([16, 96, 512, 4096, 32768, 262144, R, 4 * R], [500_000, 90_000, 20_000, 3000, 400, 60, 20, 5],
                   [.2] * 4 + [0] * 4, [0] * 8),
    'many samples': ([32, 2 << 20], [20_000_000, 300], [.8, 0], [0, 0]),
    'many, and some before': ([64, 131072, R, 2 * R], [5_000_000, 2000, 300, 100], [.5, 0, 0, 0], [1_000_000, 0, 0, 0]),
    'kept': ([96, 262144, 2 * R], [300_000, 200, 50], [.9] * 3, [0] * 3),
}


def chance(size):
    return -math.expm1(-size / R)


def rewritten(sampled):
    """The numbers that jemalloc prints with prof_unbias:true (prof_data.c)."""
    objects = sum(n * round(8 / chance(size)) for size, n in sampled) / 8
    space = sum(n * round(size / chance(size)) for size, n in sampled)
    q = chance(space / objects) if objects else 0
    return math.floor(objects * q + .5), math.floor(space * q + .5)


def raw(sampled):
    return sum(n for _, n in sampled), sum(size * n for size, n in sampled)


def sample(rng, objects, p):
    """The number of sampled objects: binomial, or normal if the number is large."""
    if objects * p * (1 - p) > 200:
        return round(rng.gauss(objects * p, math.sqrt(objects * p * (1 - p))))
    sampled = at = 0
    while p < 1:
        at += int(math.log(1 - rng.random()) / math.log1p(-p)) + 1
        if at > objects:
            return sampled
        sampled += 1
    return objects


def draw(rng, sizes, made, lives, before):
    """The memory in use and allocated at two dumps, as (size, sampled), and the truth."""
    dumps = [[], [], [], []]
    for size, n, share, old in zip(sizes, made, lives, before):
        kept = round(n * share)
        stays, goes, new, dead = (sample(rng, m, chance(size)) for m in (old // 2, old - old // 2, kept, n - kept))
        for dump, count in zip(dumps, (stays + goes, stays + goes, stays + new, stays + goes + new + dead)):
            dump.append((size, count))
    return dumps, sum(size * round(n * share) for size, n, share in zip(sizes, made, lives)) / sum(
        size * n for size, n in zip(sizes, made))


def write(path, lines):
    total = [sum(column) for column in zip(*lines)]
    path.write_text(f'heap_v2/{R}\n  t*: {total[0]}: {total[1]} [{total[2]}: {total[3]}]\n' + ''.join(
        f'@ {0x10000100 + 16 * i:#x} 0x10000010\n  t*: {n}: {space} [{made}: {in_all}]\n'
        for i, (n, space, made, in_all) in enumerate(lines) if made) + MAPS)


def ends_hold(cell, counted):
    rng = random.Random(25)
    drawn = [draw(rng, *cell) for _ in range(STACKS)]
    with scratch() as folder:
        paths = [pathlib.Path(folder, f'app.7.{i}.i{i}.heap') for i in (0, 1)]
        for path, at in zip(paths, (0, 2)):
            write(path, [(*counted(dumps[at]), *counted(dumps[at + 1])) for dumps, _ in drawn])
        rows = json.loads(t.ok('lifetime', '--no-symbols', '-fjson', '-n0', '--by=address', *paths).out)['rows']
    told = {int(row['name'].partition('@0x')[2], 16): (row['alive_at_least'], row['alive_at_most']) for row in rows}
    ends = [(*told[0x100 + 16 * i], truth) for i, (_, truth) in enumerate(drawn)]
    least = .935 - 3 * math.sqrt(.05 * .95 / STACKS) * (STACKS < 4000)
    held = [sum(low <= truth * 1.0001 for low, _, truth in ends) / STACKS,
            sum(high >= truth * .9999 for _, high, truth in ends) / STACKS]
    if min(held) < least:
        return [f'low {held[0]:.3f}, high {held[1]:.3f} of {STACKS}']
    return f'low {held[0]:.3f}, high {held[1]:.3f}'


for name, numbers in CELLS.items():
    for counted in (rewritten, raw):
        t.check(f'{name}, {counted.__name__}', lambda numbers=numbers, counted=counted: ends_hold(numbers, counted))
t.done()

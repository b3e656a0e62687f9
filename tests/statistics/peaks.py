#!/usr/bin/env python3
"""A dump that is chosen as the largest has estimates that are too large.  For a process whose heap keeps its size
while all of it is replaced, the intervals of the fullest dump contain the truth as often as they promise; those of
only the same dump, without knowledge of the choice, do not.

usage: peaks.py BINARY TESTDATA [SERIES]
"""
import json
import math
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from harness import Tests, scratch  # noqa: E402

SERIES = int(sys.argv.pop(3)) if len(sys.argv) > 3 else 60
PERIOD = 65536
SIZES = (4096, 20480)       # sizes of the objects of two stacks
SAMPLES = 150               # expected for each stack
t = Tests()


def sampled(random_, size):
    """The number of sampled objects."""
    p = -math.expm1(-size / PERIOD)
    count = round(SAMPLES / p)
    mean, sd = count * p, math.sqrt(count * p * (1 - p))
    return max(0, round(random_.gauss(mean, sd))), count * size


def write(path, random_):
    truth, lines, objects, bytes_ = [], '', 0, 0
    for i, size in enumerate(SIZES):
        count, held = sampled(random_, size)
        truth.append(held)
        lines += f'@ 0x{0x401000 + i * 16:x}\n  t*: {count}: {count * size} [0: 0]\n'
        objects, bytes_ = objects + count, bytes_ + count * size
    path.write_text(f'heap_v2/{PERIOD}\n  t*: {objects}: {bytes_} [0: 0]\n{lines}\nMAPPED_LIBRARIES:\n'
                    '00400000-00500000 r-xp 00000000 fe:00 7 /srv/app\n'
                    '7f30b314c000-7f30b314e000 r-xp 0 00:00 0 [vdso]\n')
    return truth


def holds(interval, truth):
    return interval['low'] <= truth <= interval['high']


def coverage(dumps):
    """How often the intervals of the total and of the rows contain the truth: for the peak, and for the same dump as
    if it had not been chosen."""
    random_ = random.Random(dumps)
    found = {'peak': [0, 0], 'alone': [0, 0]}
    with scratch() as folder:
        for _ in range(SERIES):
            paths = [pathlib.Path(folder, f'app.7.{i}.i{i}.heap') for i in range(dumps)]
            truth = [write(path, random_) for path in paths][0]
            report = t.ok('info', '--no-symbols', '-fjson', '--dumps=peak', *paths).out
            fullest = json.loads(report)['processes'][0]['used']
            for name, args in (('peak', ['--dumps=peak', *paths]), ('alone', [fullest])):
                got = json.loads(t.ok('top', '-q', '--no-symbols', '-fjson', *args).out)
                found[name][0] += holds(got['total']['inuse-space'], sum(truth))
                rows = {row['name'][-4:]: row['flat']['inuse-space'] for row in got['rows']}
                found[name][1] += sum(holds(rows[f'{0x1000 + 16 * i:x}'], truth[i]) for i in (0, 1)) / 2
    return {name: [count / SERIES for count in counts] for name, counts in found.items()}


def check(dumps, least, most_alone):
    shares = coverage(dumps)
    faults = [f'{name} holds in {share:.3f}' for name, share in zip(('the total', 'a row'), shares['peak'])
              if share < least]
    faults += [f"alone it holds in {shares['alone'][0]:.3f}"] * (shares['alone'][0] > most_alone)
    return faults or (f"total {shares['peak'][0]:.3f}, rows {shares['peak'][1]:.3f}; not allowing for the choice "
                      f"{shares['alone'][0]:.3f}, {shares['alone'][1]:.3f}")


t.check('intervals of the largest of 17 dumps contain the truth', lambda: check(17, .93, .85))
t.check('intervals of the largest of 60 dumps contain the truth', lambda: check(60, .93, .6))
t.done()

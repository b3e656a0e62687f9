#!/usr/bin/env python3
"""Compares the survival curve and its interval with R's package survival: with and without weights, ties and batches.

usage: survival.py BINARY TESTDATA SURVIVAL_CURVE [PYTHON]   (one whose packages lifelines is among, of the curve alone)
"""
import math
import pathlib
import random
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'properties'))
from harness import Tests  # noqa: E402

LIFELINES = """
import sys, warnings
from lifelines import KaplanMeierFitter
warnings.simplefilter('ignore')  # of weights that are no counts
rows = [list(map(float, line.split())) for line in sys.stdin]
time, weight, over = zip(*(row[:3] for row in rows))
curve = KaplanMeierFitter().fit(time, over, weights=weight).survival_function_
for at, alive in zip(curve.index, curve.iloc[:, 0]):
    if at in {t for t, o in zip(time, over) if o} and alive > 1e-12:
        print(repr(float(at)), repr(float(alive)))
"""
# (what, objects, tick, weighted, tied to a batch by their tick, share that is censored)
CASES = [('each of its own', 400, 0, False, False, .4), ('none censored', 60, 0, False, False, 0),
         ('nearly all censored', 300, 0, False, False, .95), ('in ticks', 500, .05, False, False, .4),
         ('weighted', 400, 0, True, False, .4), ('weighted, in ticks', 500, .05, True, False, .4),
         ('weighted, of ticks that are batches', 500, .05, True, True, .4),
         ('two', 2, 0, True, False, 0), ('of weights far apart', 300, .01, True, True, .2)]


def lives(seed, objects, tick, weighted, batched, censored):
    rng = random.Random(seed)
    rows = []
    for number in range(objects):
        time = rng.expovariate(1)
        time = math.ceil(time / tick) * tick if tick else time
        over = rng.random() >= censored
        size = rng.choice((16, 48, 128, 1024, 65536))
        weight = -1 / math.expm1(-size / 4096) if weighted else 1
        batch = round(time / tick) * 4 + number % 2 if batched and over else 10**6 + number
        rows.append((time, weight, over, batch))
    names = {batch: number for number, batch in enumerate(sorted({row[3] for row in rows}))}
    return ''.join(f'{time!r} {weight!r} {over:d} {names[batch]}\n' for time, weight, over, batch in rows)


def curve(command, text):
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True, timeout=300)
    return [tuple(map(float, line.split())) for line in done.stdout.splitlines()]


def compare(seed, case, command):
    text = lives(seed, *case)
    ours = [step for step in curve([CURVE], text) if step[1] > 1e-12]
    theirs = curve(command, text)
    faults = [] if ours and len(ours) == len(theirs) else [f'{len(ours)} steps, {len(theirs)} of theirs']
    for mine, other in zip(ours, theirs):
        off = max(abs(a - b) for a, b in zip(mine, other))
        faults += [] if off <= 1e-9 else [f'{mine}, theirs {other}']
    return faults


t = Tests()
CURVE = sys.argv[3]
PEERS = {"R's survival": ['Rscript', '--vanilla', str(HERE / 'survival.R')]}
if len(sys.argv) > 4:
    PEERS['lifelines'] = [sys.argv[4], '-c', LIFELINES]
for peer, command in PEERS.items():
    for number, (what, *case) in enumerate(CASES):
        t.check(f'the curves of {peer} and ours are equal to 1e-9: {what}', lambda: compare(number, case, command))
t.done()

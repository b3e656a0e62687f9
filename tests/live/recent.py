#!/usr/bin/env python3
"""Runs objects whose lifetimes are known under jemalloc.  The intervals that lifetime finds from its prof_recent must
contain the times after which half of the objects, nine of ten objects, and half of the bytes are freed; a quantile
that is not reached must not be shown.

usage: recent.py BINARY TESTDATA [PROCESSES [LIBJEMALLOC [SECONDS]]]   (of ten runs each: 2, by hand 10; a second takes
SECONDS of the machine's clock, else none)

By the machine's clock, objects are allocated and freed late when other programs use the machine: the program measures
the delays, and the expected times are later by these.
"""
import json
import math
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'properties'))
import jemalloc  # noqa: E402
from harness import Tests, scratch  # noqa: E402

GROUPS, UNITS = 10, (.1, 1, 10)
KEYS = 'median', 'p90', 'median_of_bytes'
TICK = .0041  # includes adjustments of the clock
SMALL = .8 * 256 / (.8 * 256 + .2 * 4096)  # share of all bytes in objects of 256
# Expected lifetimes of each distribution, in units: of half of the objects, of nine of ten, and of half of the bytes.
WAYS = {'exponential': (math.log(2), math.log(10), math.log(2)), 'fixed': (1, 1, 1),
        'bimodal': (.05 + .1 * .5 / .8, 1 + 2 * .5, 1 + 2 * (.5 - SMALL) / (1 - SMALL)), 'never': None}


def quantiles(lives):
    """The times after which half of the objects, nine of ten, and half of the bytes are freed, of (seconds, size, is
    it freed)."""
    found = {}
    for keys, of_bytes in ((KEYS[:2], False), (KEYS[2:], True)):
        at_risk = sum(size if of_bytes else 1 for _, size, _ in lives)
        alive = 1
        for seconds, size, died in sorted(lives, key=lambda life: (life[0], not life[2])):
            weight = size if of_bytes else 1
            alive *= 1 - weight / at_risk if died else 1
            at_risk -= weight
            for key in keys:
                if alive <= (.1 if key == 'p90' else .5):
                    found.setdefault(key, seconds)
    return found


def later(stem):
    """{(way, unit): {key: seconds}} that objects died later than they were to, by the program's own measure."""
    objects, late = {}, {}
    for site, size, *times in map(str.split, pathlib.Path(f'{stem}.lives').read_text().splitlines()):
        objects.setdefault(divmod(int(site) // 100, len(WAYS)), []).append((int(size), *map(float, times)))
    ends = [max(time for of in objects.values() for one in of for time in one[i:i + 2] if time < math.inf) for i in (1, 3)]
    for (unit, way), of in objects.items():
        planned, real = (quantiles([(min(one[i + 1], end) - one[i], one[0], one[i + 1] < math.inf) for one in of])
                         for i, end in zip((1, 3), ends))
        late[list(WAYS)[way], UNITS[unit]] = {key: real.get(key, math.inf) - planned[key] for key in planned}
    return late


def rows_of(seed):
    """The row of each site, by its number; and how much later than planned objects died."""
    stem = FOLDER / f'run{seed}'
    subprocess.run([PROGRAM, stem, str(GROUPS), str(seed + 1), *sys.argv[5:6]], check=True, timeout=3600,
                   env={'LD_PRELOAD': JEMALLOC, 'PATH': '/bin',
                        'MALLOC_CONF': 'prof:true,prof_recent_alloc_max:-1,lg_prof_sample:10'})
    report = json.loads(t.ok('lifetime', '-q', '-n0', '-fjson', f'--recent={stem}.json', f'{stem}.heap').out)
    sites = {int(found[1]): row for row in report['rows'] if (found := re.fullmatch(r'site_(\d+)', row['name']))}
    late = later(stem) if MACHINE else {}
    for ending in 'json', 'heap', 'lives':
        pathlib.Path(f'{stem}.{ending}').unlink(missing_ok=True)
    return sites, late


def holds(row, key, time):
    """Whether the interval contains the time, up to the resolution of the clock."""
    low, high = row[f'{key}_low'], row[f'{key}_high']
    if time == math.inf:
        return high is None
    return low is not None and low - TICK <= time and (high is None or time <= high + TICK)


def judge():
    """{(way, unit, key): [whether the interval of each run holds]}; rows of objects that are never freed separately."""
    cells, kept = {}, []
    for seed in range(PROCESSES):
        rows, late = rows_of(seed)
        for number, row in rows.items():
            unit, way = UNITS[(number - 1000) // 400], list(WAYS)[(number - 1000) // 100 % 4]
            if WAYS[way] is None:
                kept.append(row)
                continue
            for key, time in zip(KEYS, WAYS[way]):
                cells.setdefault((way, unit, key), []).append(holds(row, key, time * unit * PACE + late.get((way, unit), {}).get(key, 0)))
    return cells, kept


def least(runs):
    """The least number of intervals that hold, out of `runs` with probability .93: fewer occur once in ten million
    times, since jemalloc draws new random numbers each time."""
    runs, missed, more = round(runs), 0, 1.
    while more > 1e-7:
        ways = math.lgamma(runs + 1) - math.lgamma(missed + 1) - math.lgamma(runs - missed + 1)
        more -= math.exp(ways + missed * math.log(.07) + (runs - missed) * math.log(.93))
        missed += 1
    return (runs - missed + 1) / runs


def coverage():
    faults = []
    for cell, held in CELLS.items():
        print('# {} of {} s, {}:'.format(*cell), f'{sum(held)} of {len(held)}')
        faults += [] if sum(held) / len(held) >= least(len(held)) else [f'{cell}: {sum(held)} of {len(held)}']
    every = [one for held in CELLS.values() for one in held]
    if len(CELLS) != 9 * len(KEYS) or sum(every) / len(every) < least(len(every) / len(KEYS)):
        faults.append(f'{sum(every)} of {len(every)} in {len(CELLS)}')
    return faults or f'{sum(every) / len(every):.3f} of {len(every)}'


def never():
    wrong = [row for row in KEPT if any(row[f'{key}_seconds'] is not None for key in KEYS) or row['live'] != row['sampled']]
    return wrong or ([] if len(KEPT) == PROCESSES * GROUPS * len(UNITS) else [f'{len(KEPT)} rows'])


t = Tests(is_of_machine=True)
PROCESSES = int(sys.argv[3]) if len(sys.argv) > 3 else 2
JEMALLOC = sys.argv[4] if len(sys.argv) > 4 else jemalloc.shared_object()
MACHINE = len(sys.argv) > 5
PACE = float(sys.argv[5]) if MACHINE else 1
with scratch() as scratched:
    FOLDER = pathlib.Path(scratched)
    PROGRAM = jemalloc.compile_program(HERE / 'recent_alloc.c', FOLDER, '-rdynamic', '-Wl,--no-as-needed', '-lm')
    CELLS, KEPT = judge()
t.check('the intervals contain the quantiles of known lifetimes', coverage)
t.check('objects that are never freed have no quantile', never)
t.done()

#!/usr/bin/env python3
"""Tests `diff` with an independent sampler, which shares no code with the program.  Some stacks stay the same and
some grow, in dumps of two processes, of one process, and of fleets, with raw and unbiased numbers.  Each row is a
pair: its interval excludes 0 exactly if p < 1 - confidence, contains the true change as often as it promises, and
excludes 0 for marked rows; unchanged rows have small p-values no more often than p says.

usage: differences.py BINARY TESTDATA [ROWS [SEED]]

ROWS (2,000) are tested of each kind; 20,000 take some minutes:

    python3 -B tests/statistics/differences.py build/src/hprof-agg testdata 20000 2
"""
import json
import math
import pathlib
import random
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from harness import Tests, scratch  # noqa: E402

R = 65536
ROWS = int(sys.argv[3]) if len(sys.argv) > 3 else 2000
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 1
LEVELS = (90, 95, 99)
SMALL, LARGE, MIXED = (64,), (4 * R,), (64, 4 * R)  # sizes of a stack's objects, equal bytes of each

# --- what a sampler writes ------------------------------------------------------------------


def probability(size):
    """The probability that an object is sampled: an independent draw for each byte."""
    return -math.expm1(size * math.log1p(-1 / R))


def binomial(n, p):
    """Splitting at a middle one in order, whose place is a beta number (Devroye, X.4.3)."""
    count = 0
    while n > 20:
        middle = n // 2 + 1
        place = rng.betavariate(middle, n + 1 - middle)
        if place <= p:
            count, n, p = count + middle, n - middle, (p - place) / (1 - place)
        else:
            n, p = middle - 1, p / place
    return count + sum(rng.random() < p for _ in range(n))


def sample(sizes, bytes_in_all):
    """{size: number of sampled objects}, for stacks that hold `bytes_in_all` bytes."""
    return {size: binomial(round(bytes_in_all / len(sizes) / size), probability(size))
            for size in sizes}


def added(*samples):
    return {size: sum(s.get(size, 0) for s in samples) for size in {k for s in samples for k in s}}


def rewritten(objects, weight):
    """The numbers that jemalloc prints with prof_unbias."""
    if objects == 0:
        return 0, 0
    q = -math.expm1(-weight / objects / R)
    return round(objects * q), round(weight * q)


def kept(sample, raw):
    """(objects, bytes) as the sampler adds them up."""
    if raw:
        return sum(sample.values()), sum(n * size for size, n in sample.items())
    return (sum(n * round(8 / probability(size)) for size, n in sample.items()) / 8,
            sum(n * round(size / probability(size)) for size, n in sample.items()))


def column(numbers, raw):
    objects, weight = numbers if raw else rewritten(*numbers)
    return f'{objects}: {weight}'


def write(path, stacks, process, raw):
    """`stacks` are (sampled and alive, sampled ever or None); a process is known by its maps."""
    alive = [kept(now, raw) for now, _ in stacks]
    ever = [kept(past, raw) if past is not None else (0, 0) for _, past in stacks]

    def line(now, past):
        return f'  t*: {column(now, raw)} [{column(past, raw)}]'
    lines = [f'heap_v2/{R}', line(*(tuple(map(sum, zip(*of))) for of in (alive, ever)))]
    for i, (now, past) in enumerate(zip(alive, ever)):
        if now[0] or past[0]:
            lines += [f'@ {0x400000 + 16 * i:#x}', line(now, past)]
    vdso = 0x7f0000000000 + 0x10000 * process
    lines += ['', 'MAPPED_LIBRARIES:', f'{vdso:x}-{vdso + 0x2000:x} r-xp 0 00:00 0 [vdso]', '']
    path.write_text('\n'.join(lines), encoding='ascii')
    return path


# --- kinds of pairs -------------------------------------------------------------------------


class Pairs:
    """Dumps of two processes: the memory of a stack before and after, in units of R."""
    test, hosts = 'independent', 1

    def __init__(self, before, after, sizes=SMALL, sizes_after=None):
        self.held = (before, sizes), (after, sizes_after or sizes)

    def truth(self):
        """The true change, for whole numbers of objects."""
        before, after = (sum(round(rs * R / len(sizes) / size) * size for size in sizes)
                         for rs, sizes in self.held)
        return after - before

    def draw(self, folder, raw):
        dumps = [[(sample(sizes, rs * R), None) for _ in range(ROWS)] for rs, sizes in self.held]
        return [[write(folder / f'{i}', dump, i, raw)] for i, dump in enumerate(dumps)]


class Process(Pairs):
    """Dumps of one process: memory in both dumps, freed memory, new memory, and memory that lives only between the
    dumps."""

    def __init__(self, kept_, freed, fresh, between=0, accum=False):
        super().__init__(freed, fresh)
        self.lives, self.accum = (kept_, freed, fresh, between), accum
        self.test = 'process-accum' if accum else 'process'

    def draw(self, folder, raw):
        dumps = [], []
        for _ in range(ROWS):
            both, freed, fresh, between = (sample(SMALL, rs * R) for rs in self.lives)
            before, after = added(both, freed), added(both, fresh)
            dumps[0].append((before, before if self.accum else None))
            dumps[1].append((after, added(before, fresh, between) if self.accum else None))
        return [[write(folder / f'{i}', dump, 0, raw)] for i, dump in enumerate(dumps)]


class Fleets(Pairs):
    """Several processes on each side, whose memory differs at random."""
    test = 'fleets'

    def __init__(self, hosts, before, after, cv):
        super().__init__(before, after)
        self.hosts, self.sigma = hosts, math.sqrt(math.log1p(cv * cv))

    def draw(self, folder, raw):
        def held(mean):
            return mean * R * math.exp(self.sigma * rng.gauss(0, 1) - self.sigma ** 2 / 2)
        return [[write(folder / f'{side}.{host}',
                       [(sample(SMALL, held(mean)), None) for _ in range(ROWS)],
                       100 * side + host, raw)
                 for host in range(self.hosts)]
                for side, (mean, _) in enumerate(self.held)]


# Growth that is found in 80 % of cases at a one-sided p of .05, a two-sided one of .10: the conditional test, which
# no other test surpasses, has this power for it.
POWER, SAME = 0.8, None
KINDS = (
    ('3R', Pairs(3, 3), SAME), ('10R', Pairs(10, 10), SAME), ('100R', Pairs(100, 100), SAME),
    ('20 of 4R', Pairs(80, 80, LARGE), SAME), ('mixed sizes', Pairs(40, 40, MIXED), SAME),
    ('small to large', Pairs(40, 40, SMALL, LARGE), SAME),
    ('20R to 39.5R', Pairs(20, 39.5), POWER), ('100R to 138.7R', Pairs(100, 138.7), POWER),
    ('mixed sizes that double', Pairs(40, 80, MIXED), None),
    ('one process', Process(45, 5, 5), SAME), ('one process, all new', Process(0, 50, 50), SAME),
    ('prof_accum', Process(45, 5, 5, 0, True), SAME),
    ('prof_accum, short lives', Process(40, 10, 10, 20, True), SAME),
    ('prof_accum, a leak', Process(50, 0, 10, 0, True), None),
    ('fleets', Fleets(5, 10, 10, 0), SAME), ('fleets that vary', Fleets(5, 10, 10, 0.5), SAME),
    ('fleets that double', Fleets(8, 10, 20, 0.5), None),
)

# --- results of hprof-agg -------------------------------------------------------------------


def rows_of(sides, percent, test):
    # 16 dumps of 20,000 rows take minutes where the machine has more urgent work.
    done = t.ok('diff', '-q', '-fjson', '-n0', '--no-symbols', '--keep-unmapped',
                f'--confidence={percent}', *sides[0], '--to', *sides[1], timeout=3600)
    report = json.loads(done.out)
    assert report['test'] == test, report['test']
    return report['rows']


def contradictions(rows, percent):
    """Rows whose interval, p-value and mark contradict one another."""
    level = 1 - percent / 100
    for row in rows:
        low, high, p = row['delta']['low'], row['delta']['high'], row['p']
        excludes = low > 0 or high < 0
        if p is not None and excludes != (p < level):
            yield f'{percent} %: p {p} beside {low} to {high}'
        if row['significant'] and not (excludes and p <= row['q'] < level):
            yield f'{percent} %: marked, p {p}, q {row["q"]}, {low} to {high}'
        if row['base']['estimate'] == row['new']['estimate'] and p not in (1, None):
            yield f'{percent} %: equal, and p {p}'


def order_of(rows):
    """The right order of rows: marked ones first, then by the size of the change."""
    return sorted(rows, key=lambda row: (not row['significant'], -abs(row['delta']['estimate'])))


def examine(kind, power, raw, folder):
    sides, truth, faults = kind.draw(folder, raw), kind.truth(), []
    told = {percent: rows_of(sides, percent, kind.test) for percent in LEVELS}
    for percent, rows in told.items():
        faults += contradictions(rows, percent)
        if [row['delta'] for row in rows] != [row['delta'] for row in order_of(rows)]:
            faults.append(f'{percent} %: not in order')
    rows = told[95]
    tested = [row for row in rows if row['p'] is not None]
    held = share(row['delta']['low'] <= truth <= row['delta']['high'] for row in rows)
    small = share(row['p'] <= 0.05 for row in tested)
    found = share(row['p'] <= 0.1 and row['delta']['estimate'] > 0 for row in tested)
    if held < 0.94:
        faults.append(f'the interval holds the change in {held:.4f}')
    if truth == 0 and small > 0.055:
        faults.append(f'p <= .05 in {small:.4f} of what has not changed')
    if power is not None and abs(found - power) > 0.03:
        faults.append(f'growth is found in {found:.4f}')
    return faults or (f'{len(rows)} rows, held {held:.4f}, p <= .05 in {small:.4f}, grown at '
                      f'p <= .1 in {found:.4f}')


def share(truths):
    truths = list(truths)
    return sum(truths) / max(len(truths), 1)


t = Tests()
for number, (name, pairs, wanted) in enumerate(KINDS):
    for is_raw in (False, True):
        rng = random.Random(1000 * SEED + 2 * number + is_raw)
        with scratch() as directory:
            t.check(f'{name}, {"raw" if is_raw else "rewritten"}',
                    lambda: examine(pairs, wanted, is_raw, pathlib.Path(directory)))
t.done()

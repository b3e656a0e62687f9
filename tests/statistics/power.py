#!/usr/bin/env python3
"""How often diff and trend find a change of the size that plan, or the report itself, says is found in 4 of 5.

usage: power.py BINARY TESTDATA [RUNS [SETTING...]]    (default 500 runs at each setting; as a test 16 at one)

For each setting this prints two rates: of changes of the planned size, and of changes of the size that the line of the
same comparison without a change says.
"""
import concurrent.futures
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

BINARY, RUNS = sys.argv[1], int(sys.argv[3]) if len(sys.argv) > 3 else 500
PERIOD = 1 << 16
# Bytes in use by size of the objects; of equal sizes, so that each line shows its size.
HEAP = {64: 12 << 20, 1024: 12 << 20, 8192: 12 << 20, 32768: 12 << 20, 65536: 12 << 20}
TOTAL = sum(HEAP.values())


def poisson(rng, mean):
    if mean > 400:
        return max(0, round(rng.gauss(mean, math.sqrt(mean))))
    count, left = 0, rng.expovariate(1)
    while left < mean:
        count, left = count + 1, left + rng.expovariate(1)
    return count


def draw(rng, size, objects):
    """The number of samples of so many objects of a size."""
    p = -math.expm1(-size / PERIOD)
    if p < 0.05:
        return poisson(rng, objects * p)
    if objects < 100:
        return sum(rng.random() < p for _ in range(objects))
    return min(objects, max(0, round(rng.gauss(objects * p, math.sqrt(objects * p * (1 - p))))))


def objects_of(share):
    return {size: round(max(share, 0) * held / size) for size, held in HEAP.items()}


def sample(rng, share):
    """Numbers of samples, by size, of a heap that is `share` of HEAP."""
    return {size: draw(rng, size, objects) for size, objects in objects_of(share).items()}


def add(*samples):
    return {size: sum(one[size] for one in samples) for size in HEAP}


def write(path, live, made=None, base=0x400000):
    made = made or {size: 0 for size in HEAP}
    lines, total = [], [0, 0, 0, 0]
    for i, size in enumerate(HEAP):
        row = [live[size], live[size] * size, made[size], made[size] * size]
        total = [a + b for a, b in zip(total, row)]
        lines.append(f'@ {base + 0x1000 + 16 * i:#x} {base + 0x2000:#x}\n  t*: {row[0]}: {row[1]} [{row[2]}: {row[3]}]\n')
    path.write_text(f'heap_v2/{PERIOD}\n  t*: {total[0]}: {total[1]} [{total[2]}: {total[3]}]\n' + ''.join(lines) +
                    f'\nMAPPED_LIBRARIES:\n{base:08x}-{base + 0x100000:08x} r-xp 00000000 08:01 7 /srv/app\n')
    return path


def ask(*words):
    done = subprocess.run([BINARY, words[0], '-q', '--no-symbols', '-fjson', '-n1', *map(str, words[1:])]
                          if words[0] != 'plan' else [BINARY, 'plan', '-q', '--no-symbols', '-fjson', *map(str, words[1:])],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def row_of(plan):
    return next(row for row in plan['rows'] if row['period'] == PERIOD)


class Pair:
    """Two dumps of one process.  With prof_accum a tenth of the memory is replaced in between, else all of it."""

    def __init__(self, lives):
        self.lives = lives

    def dumps(self, rng, folder, change):
        paths = [folder / f'app.7.{i}.i{i}.heap' for i in (1, 2)]
        if not self.lives:
            return [write(path, sample(rng, 1 + add)) for path, add in zip(paths, (0, change))]
        kept, gone, new, more = (sample(rng, share) for share in (0.9, 0.1, 0.1, change))
        write(paths[0], add(kept, gone), add(kept, gone))
        return [paths[0], write(paths[1], add(kept, new, more), add(kept, gone, new, more))]

    def plan(self, rng, folder):
        paths = self.dumps(rng, folder, 0)
        return row_of(ask('plan', *(paths if self.lives else paths[:1])))['total']['changes'][0]

    def compare(self, rng, folder, change):
        return ask('diff', *self.dumps(rng, folder, change))


class Sides:
    """Several processes on each side, whose memory differs by a factor."""

    def __init__(self, count, cv, planned=None):
        self.count, self.cv, self.planned = count, cv, planned or max(count, 3)

    def dumps(self, rng, folder, change, first, count):
        sigma = math.sqrt(math.log1p(self.cv ** 2))
        return [write(folder / f'app.{pid}.0.f.heap',
                      sample(rng, (1 + change) * math.exp(rng.gauss(0, sigma) - sigma * sigma / 2)),
                      base=0x400000 + pid * 0x200000)
                for pid in range(first, first + count)]

    def plan(self, rng, folder):
        plan = ask('plan', *self.dumps(rng, folder, 0, 1, self.planned))
        return row_of(plan)['total']['changes'][plan['sides'].index(self.count)]

    def compare(self, rng, folder, change):
        return ask('diff', *self.dumps(rng, folder, 0, 1, self.count), '--to',
                   *self.dumps(rng, folder, change, 100, self.count))


class Series:
    """Dumps of a process whose memory varies around a line."""

    def __init__(self, count, residual):
        self.count, self.residual = count, residual

    def dumps(self, rng, folder, change, count):
        held, grown, paths = sample(rng, 0.8), {size: 0 for size in HEAP}, []
        for i in range(count):
            before, now = (objects_of(change * max(step, 0) / (count - 1)) for step in (i - 1, i))
            grown = add(grown, {size: draw(rng, size, now[size] - before[size]) for size in HEAP})
            floating = sample(rng, 0.2 + rng.gauss(0, self.residual))
            paths.append(write(folder / f'app.7.{i}.i{i}.heap', add(held, grown, floating)))
        return paths

    def plan(self, rng, folder):
        plan = ask('plan', *self.dumps(rng, folder, 0, 24))
        return row_of(plan)['trends'][plan['series'].index(self.count)]

    def compare(self, rng, folder, change):
        return ask('trend', *self.dumps(rng, folder, change, self.count))


SETTINGS = {'pair': Pair(False), 'pair-accum': Pair(True),
            **{f'sides-{n}-{cv}': Sides(n, cv) for n in (3, 8) for cv in (0, 0.1, 0.3)},
            **{f'series-{n}-{residual}': Series(n, residual) for n in (8, 24, 100) for residual in (0, 0.02, 0.05)}}


def run(name, number):
    """Plan, and compare with a change of the planned size; compare without one, and with one of the size of its line."""
    setting, rng = SETTINGS[name], random.Random(f'{name} {number}')
    with tempfile.TemporaryDirectory() as text:
        folder = pathlib.Path(text)
        planned = setting.plan(rng, folder)
        for path in folder.iterdir():
            path.unlink()
        by_plan = setting.compare(rng, folder, planned)['total']['significant']
        before = (setting.compare(rng, folder, 0).get('detectable') or {}).get('change')
        by_line = before and setting.compare(rng, folder, before / TOTAL)['total']['significant']
        return planned, by_plan, by_line


def main():
    names = sys.argv[4:] or SETTINGS
    allowed = 0.06 + 3 * math.sqrt(0.16 / RUNS)  # 6 points, and three standard errors
    faults, rates = {}, ([], [])
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name in names:
            found = list(pool.map(lambda i, name=name: run(name, i), range(RUNS)))
            plan = sum(one[1] for one in found) / RUNS
            lines = [one[2] for one in found if one[2] is not None]
            line = sum(lines) / len(lines)
            size = sorted(one[0] for one in found)[RUNS // 2]
            print(f'# {name}: planned {size:.1%}, found {plan:.3f}; by the line {line:.3f}', flush=True)
            rates[0].append(plan)
            rates[1].append(line)
            faults[name] = [rate for rate in (plan, line) if abs(rate - 0.8) > allowed]
    mean = [sum(of) / len(of) for of in rates]
    print(f'# mean: planned {mean[0]:.3f}; by the line {mean[1]:.3f}')
    allowed = 0.02 + 3 * math.sqrt(0.16 / RUNS / len(faults))  # 2 points
    if len(faults) > 1:
        faults['mean'] = [rate for rate in mean if abs(rate - 0.8) > allowed]
    for i, (name, wrong) in enumerate(faults.items(), 1):
        print(f'{"not " if wrong else ""}ok {i} - {name}: found in 4 of 5')
    print(f'1..{len(faults)}')
    sys.exit(any(faults.values()))


main()

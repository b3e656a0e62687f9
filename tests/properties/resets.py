#!/usr/bin/env python3
"""prof.reset between dumps of a process: found where the dumps show it, never where they do not, and nothing that may
still be held is called gone.  Series are simulated as jemalloc with prof_accum writes them, rewritten or raw."""
import json
import math
import pathlib
import random
import re
import sys

from harness import IS_SAMPLE, Tests, scratch

RUNS = int(sys.argv.pop(3)) if len(sys.argv) > 3 and sys.argv[3].isdigit() else 20 if IS_SAMPLE else 100
t = Tests(is_coded=True)
REAL = t.testdata / 'resets'
PERIOD = 524288
CLASSES = [8, 16, 32, 48, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096, 8192, 16384, 65536, 262144, 1048576, 4194304]
MARKS = ('reset-between', 'reset-or-order', 'dumps-in-other-order')


def share_sampled(size, period):
    return -math.expm1(-size / period)


class Counts:
    """Sampled objects by size."""

    def __init__(self):
        self.of = {}

    def add(self, size, count):
        self.of[size] = self.of.get(size, 0) + count

    def printed(self, period, is_raw):
        count = sum(self.of.values())
        if is_raw or count == 0:
            return count, sum(size * n for size, n in self.of.items())
        objects = sum(n * round(8 / share_sampled(size, period)) / 8 for size, n in self.of.items())
        total = sum(n * round(size / share_sampled(size, period)) for size, n in self.of.items())
        share = share_sampled(total / objects, period)
        return round(objects * share), round(total * share)


class Process:
    """A process with some stacks that allocate objects of some sizes, and free some of them."""

    def __init__(self, seed, stacks=12, samples=4, sizes=None):
        self.random = rng = random.Random(seed)
        self.period, self.is_raw = rng.choice((4096, PERIOD)), rng.random() < .5
        self.samples, self.base = samples, 0x7f0000000000 + rng.randrange(1 << 30) * 4096
        self.sizes = [rng.choices(CLASSES, k=sizes or rng.randrange(1, 41)) for _ in range(stacks)]
        self.live = [Counts() for _ in range(stacks)]
        self.made = [Counts() for _ in range(stacks)]

    def run(self):
        for live, made, sizes in zip(self.live, self.made, self.sizes):
            for size in list(live.of):
                live.of[size] -= sum(self.random.random() < .3 for _ in range(live.of[size]))
                live.of[size] or live.of.pop(size)
            for _ in range(self.random.randrange(2 * self.samples + 1)):
                size = self.random.choice(sizes)
                live.add(size, 1)
                made.add(size, 1)

    def reset(self, period=None):
        self.period = period or self.period
        self.live = [Counts() for _ in self.live]
        self.made = [Counts() for _ in self.made]

    def text(self):
        lines, sums = [], [0, 0, 0, 0]
        for i, (live, made) in enumerate(zip(self.live, self.made)):
            numbers = [*live.printed(self.period, self.is_raw), *made.printed(self.period, self.is_raw)]
            if numbers[2]:
                sums = [a + b for a, b in zip(sums, numbers)]
                counts = '{}: {} [{}: {}]'.format(*numbers)
                lines.append(f'@ {0x400100 + 16 * i:#x} 0x400900\n  t*: {counts}\n  t0: {counts}\n')
        total = '{}: {} [{}: {}]'.format(*sums)
        return (f'heap_v2/{self.period}\n  t*: {total}\n  t0: {total}\n' + ''.join(lines) + '\nMAPPED_LIBRARIES:\n'
                '00400000-00500000 r-xp 00000000 fe:00 1 /srv/app\n'
                f'{self.base:x}-{self.base + 8192:x} r-xp 00000000 00:00 0 [vdso]\n')


def write(folder, number, text, pid=77):
    path = pathlib.Path(folder, f'app.{pid}.{number}.i{number}.heap')
    path.write_text(text)
    return path


def asked(command, *inputs, options=()):
    result = t.run(command, '--format=json', '--no-symbols', *options, *inputs)
    return result, json.loads(result.out) if result.out else {'warnings': [], 'rows': []}


def marks(report):
    return [one['text'] for one in report['warnings'] if one['code'] in MARKS]


# --- where there is none -----------------------------------------------------------------------------

def healthy():
    """No reset is found in ten dumps in any order, with a truncated one, or with two numbers swapped."""
    def check(seed):
        process = Process(seed, stacks=random.Random(seed).randrange(1, 40))
        with scratch() as folder:
            texts, made = [], []
            for _ in range(10):
                process.run()
                texts.append(process.text())
                made.append([counts.printed(process.period, process.is_raw)[0] for counts in process.made])
            paths = [write(folder, i, text) for i, text in enumerate(texts)]
            result, found = asked('trend', *random.Random(seed).sample(paths, 10))
            faults = [f'{seed}: {result.code} {marks(found)}'] * (result.code != 0 or marks(found) != [])
            diff, compared = asked('diff', paths[2], paths[7])
            faults += [f'{seed}: diff: {marks(compared)}'] * (diff.code != 0 or marks(compared) != [])
            lives, report = asked('lifetime', *paths)
            faults += [f'{seed}: lifetime: {lives.err}'] * (lives.code != 0)
            if made[4] != made[5]:  # otherwise their order is unknown
                write(folder, 4, texts[5])
                write(folder, 5, texts[4])
                swapped, told = asked('trend', *paths)
                for row in told['rows'] + found['rows']:
                    row.pop('step')  # it names a file
                faults += [f'{seed}: swapped: {marks(told)}'] * (
                    told['rows'] != found['rows'] or len(marks(told)) != 1 or 'prof.reset' in marks(told)[0])
            return faults
    return t.in_parallel(check, range(RUNS))


def forks():
    """Processes with one map and other ids are not one that was reset."""
    first, second = Process(1), Process(1)
    second.random = random.Random(2)
    with scratch() as folder:
        for process in (first, second):
            process.run()
            process.run()
        paths = write(folder, 0, first.text(), 77), write(folder, 0, second.text(), 78)
        _, found = asked('diff', *paths)
        return [f'{marks(found)}'] * (marks(found) != [])


def of_others():
    """gperftools' counts fall where memory is freed, and its full dumps lose their last stacks."""
    faults = []
    with scratch() as folder:
        for a, b in ((1000, 400), (400, 1000)):
            for i, objects in enumerate((a, b)):
                line = f'{objects:6}: {objects * 64:8} [{objects:6}: {objects * 64:8}] @'
                pathlib.Path(folder, f'app.000{i}.heap').write_text(
                    f'heap profile: {line} heap_v2/4096\n {line} 0x400100 0x400200\n {1400 - objects:6}: '
                    f'{64 * (1400 - objects):8} [{1400 - objects:6}: {64 * (1400 - objects):8}] @ 0x400300\n'
                    '\nMAPPED_LIBRARIES:\n55d000400000-55d000500000 r-xp 00000000 fe:00 1 /srv/app\n')
            _, found = asked('diff', f'{folder}/app.0000.heap', f'{folder}/app.0001.heap')
            faults += [f'{marks(found)}'] * (marks(found) != [])
        for i, made in enumerate(((500, 600, 700), (900, 800))):  # the last stack has no room any more
            lines = [f'{n // 2:6}: {n * 32:8} [{n:6}: {n * 64:8}] @' for n in (*made, sum(made))]
            stacks = ''.join(f' {line} {0x400100 + 256 * k:#x}\n' for k, line in enumerate(lines[:-1]))
            pathlib.Path(folder, f'full.000{i}.heap').write_text(
                f'heap profile: {lines[-1]} heapprofile\n{stacks}\nMAPPED_LIBRARIES:\n'
                '55d000400000-55d000500000 r-xp 00000000 fe:00 1 /srv/app\n')
        _, found = asked('diff', f'{folder}/full.0000.heap', f'{folder}/full.0001.heap')
        faults += [f'full: {marks(found)}'] * (marks(found) != [])
    return faults


# --- where there is one -------------------------------------------------------------------------------

def found_ones():
    """A reset is found in .99 of pairs at one period, and in all at two periods; memory that fell is neither tested
    nor called gone."""
    missed, faults = [], []
    def check(seed):
        process, other = Process(seed, sizes=4), random.Random(seed).random() < .3
        with scratch() as folder:
            process.run()
            before = write(folder, 0, process.text())
            process.reset(65536 if other else None)
            process.run()
            after = write(folder, 1, process.text())
            result, found = asked('diff', before, after)
            told = [text for text in marks(found) if text.startswith('reset-between')]
            if not told:
                missed.append(seed)
                return [f'{seed}: another period is not told'] * other
            wrong = [row for row in found['rows'] if row['status'] in ('gone', 'shrank')]
            lives = t.run('lifetime', '--no-symbols', before, after)
            return [f'{seed}: {result.code}'] * (result.code != 0) + [f'{seed}: {wrong}'] * (wrong != []) + \
                [f'{seed}: lifetime {lives.code}'] * (lives.code != 5 or 'reset-between' not in lives.err)
    faults = t.in_parallel(check, range(RUNS))
    return faults + [f'{len(missed)} of {RUNS} are not found'] * (len(missed) > max(1, RUNS // 100))


def real_ones():
    faults = []
    pairs = (('r.0', 'r.1', 'reset-between'), ('accum-b', 'accum-c', 'reset-between'),
             ('c', 'd', 'samples-of-two-equal'), ('accum-a', 'accum-b', None))
    for before, after, wanted in pairs:
        _, found = asked('diff', *(REAL / f'reset-{name}.heap' for name in (before, after)))
        told = [text for text in [one['text'] for one in found['warnings']] if re.match('samples-|pair-warning: .*sample-twice|reset-', text)]
        if (len(told), wanted is None or wanted in told[0]) != (wanted is not None, True):
            faults.append(f'{before}, {after}: {told}')
        faults += [f'{before}, {after}: {row}' for row in found['rows'] if row['status'] == 'gone' and wanted]
    series = [REAL / f'reset-accum-{name}.heap' for name in 'abce']
    lives = t.run('lifetime', '--no-symbols', *series)
    faults += [f'lifetime: {lives.code} {lives.err}'] * (lives.code != 5 or 'reset-between' not in lives.err)
    _, trend = asked('trend', *series)
    _, rest = asked('trend', *series[2:])
    faults += ['trend: not the dumps since the last reset'] * (trend['rows'] != rest['rows'] or not marks(trend))
    return faults


def lifetimes_of_partials():
    """A partial keeps no counts, but what stacks have allocated: lifetimes are refused if that fell by more than rounding
    can explain, and no series that is healthy is refused.  No number is below zero."""
    def check(seed):
        process, faults = Process(seed, stacks=random.Random(seed).randrange(1, 40)), []
        with scratch() as folder:
            paths = []
            for i in range(8):
                process.run()
                paths.append(write(folder, i, process.text()))
            partial = t.merged(pathlib.Path(folder, 'healthy.hpa'), paths, '--dumps=each')
            lives = t.run('lifetime', '--no-symbols', partial)
            faults += [f'{seed}: {lives.code} {lives.err}'] * (lives.code != 0)
            process.reset()
            process.run()
            paths.append(write(folder, 8, process.text()))
            partial = t.merged(pathlib.Path(folder, 'reset.hpa'), paths, '--dumps=each')
            lives, found = asked('lifetime', partial)
            turned = t.merged(pathlib.Path(folder, 'turned.hpa'), paths[::-1], '--dumps=each')
            faults += [f'{seed}: two digests'] * (t.digest(partial) != t.digest(turned))
            told = 'allocated-fell: ' in lives.err and 'app.77.7.i7.heap ' in lives.err
            faults += [f'{seed}: {lives.code} {lives.err}'] * (lives.code not in (0, 5) or (lives.code == 5) != told)
            faults += [f'{seed}: {row}' for row in found['rows'] if row['allocated'] < 0]
            return faults + [''] * (lives.code == 0)
    faults = t.in_parallel(check, range(RUNS))
    missed = faults.count('')
    return [fault for fault in faults if fault] + [f'{missed} of {RUNS} are not found'] * (missed > RUNS // 20)


def in_other_reports():
    """Allocated memory is not called gone, either.  A partial keeps periods, but no counts: it shows the periods, and
    nothing about counts."""
    process, faults = Process(5, sizes=4, samples=20), []
    with scratch() as folder:
        process.run()
        before = write(folder, 0, process.text())
        process.reset()
        process.run()
        after = write(folder, 1, process.text())
        for metric in ('inuse-space', 'alloc-space', 'alloc-objects'):
            _, found = asked('diff', before, after, options=[f'--metric={metric}'])
            fell = {row['status'] for row in found['rows'] if row['delta']['estimate'] < 0}
            faults += [f'{metric}: {fell}'] * (fell != {'untested'} or not marks(found))
        for pair, count in (((before, after), 0), ([REAL / f'reset-r.{i}.heap' for i in (0, 1)], 1)):
            partials = [t.merged(pathlib.Path(folder, f'{count}{i}.hpa'), [path]) for i, path in enumerate(pair)]
            _, found = asked('diff', *partials)
            faults += [f'partials: {marks(found)}'] * (len(marks(found)) != count)
        return faults


def gates():
    """Growth decides the gate; if it is unknown, there is no verdict."""
    pair = [REAL / f'reset-{name}.heap' for name in ('accum-b', 'accum-c')]
    grown = t.run('diff', '--no-symbols', '--fail-if=growth>0.1%', REAL / 'reset-r.0.heap', REAL / 'reset-r.1.heap')
    none = t.run('diff', '--no-symbols', '--fail-if=growth>500%', *pair)
    return [f'{grown.code}, {none.code}: {none.err}'] * ((grown.code, none.code) != (1, 8))


t.check('V4, V5: no resets are found in healthy series, also with two swapped numbers', healthy)
t.check('no resets are found between forks', forks)
t.check('V6: no resets are found in counts of other allocators', of_others)
t.check('resets are found by counts and by period, nothing is shown as freed, and lifetimes are rejected', found_ones)
t.check('real resets and equal samples are recognized', real_ones)
t.check('V14: lifetimes of aggregate files are rejected, or have no number below zero', lifetimes_of_partials)
t.check('V7: allocated bytes are not called freed, and an aggregate file shows its periods only', in_other_reports)
t.check('a gate ends with 1 if growth is found, and with 8 if it is unknown', gates)
t.done()

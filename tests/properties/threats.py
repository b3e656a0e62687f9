#!/usr/bin/env python3
"""Tests the requirements on inputs, row by row of tests/threats.tsv; the number of a row
precedes each title. Other tests have numbers, too: grep for R17 ... R36 in tests/.
"""
import gzip
import json
import os
import pathlib
import pty
import random
import re
import subprocess
import threading
import time
import tty

from harness import Tests, near, scratch

t = Tests(is_coded=True)
GOOD = t.formats / 'jemalloc-lg0-accum.heap'
OTHER = t.formats / 'jemalloc-opnew.heap'
CONTENT = GOOD.read_bytes()
MAPS = b'\nMAPPED_LIBRARIES:\n5000-6000 r-xp 00000000 fe:00 1 /bin/x\n'
BASE = 0x5000


def jemalloc(counts, period=b'524288', total=b'1: 64 [0: 0]', maps=MAPS):
    """A dump of one stack for each of the texts in `counts`."""
    stacks = b''.join(b'@ 0x%x\n  t*: %s\n' % (BASE + 16 * i, text)
                      for i, text in enumerate(counts, 1))
    return b'heap_v2/%s\n  t*: %s\n%s%s' % (period, total, stacks, maps)


def classic(counts, kind=b'heapprofile', total=b'1: 64 [1: 64]'):
    stacks = b''.join(b'%s @ 0x%x\n' % (text, BASE + 16 * i) for i, text in enumerate(counts, 1))
    return b'heap profile: %s @ %s\n%s%s' % (total, kind, stacks, MAPS)


def info(content, *options):
    with scratch() as folder:
        path = pathlib.Path(folder, 'dump')
        path.write_bytes(content)
        return t.run('info', '-v', '--no-symbols', *options, path)


def judged(result, code, says=None, **totals):
    """Faults unless it ended with `code` and said so; totals are exact, by their decimals."""
    told = result.out + result.err
    faults = []
    if result.code != code or (says and says not in told):
        faults.append(f'ended with {result.code}, not {code} with {says!r}: {told[-400:]!r}')
    for metric, value in totals.items():
        name = metric.replace('_', '-')
        if f'total {name} {value}.000\n' not in result.out:
            faults.append(f'no total {name} of {value}: {result.out[-300:]!r}')
    return faults


def table(rows):
    return [fault for content, options, expected in rows
            for fault in judged(info(content, *options), *expected[:2],
                                **(expected[2] if len(expected) > 2 else {}))]


# --- R18, R19: how bytes come ---------------------------------------------------------------


def feed(descriptor, content, piece):
    for at in range(0, len(content), piece):
        os.write(descriptor, content[at:at + piece])
    os.close(descriptor)


def pieces(size, content, blocking):
    """The report on content that a pipe delivers in pieces of this size."""
    reader, writer = os.pipe()
    os.set_blocking(reader, blocking)
    process = subprocess.Popen([t.binary, 'info', '-v', '--no-symbols', '-'], stdin=reader,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    feeder = threading.Thread(target=feed, args=(writer, content, size))
    feeder.start()
    out = process.communicate()[0]
    feeder.join()
    os.close(reader)
    return out


def short_reads():
    want = pieces(len(CONTENT), CONTENT, True)
    faults = [] if b'total inuse-objects 143525.000' in want else ['no report']
    for content in (CONTENT, gzip.compress(CONTENT, mtime=0)):
        faults += [f'{len(content)} bytes in pieces of {size}'
                   for size in (1, 7, 511, 513) for blocking in (True, False)
                   if pieces(size, content, blocking) != want]
    return faults


def fails_behind(content):
    """Standard input that delivers `content` and then an I/O error."""
    master, slave = pty.openpty()
    tty.setraw(slave)
    feeder = threading.Thread(target=feed, args=(slave, content, 500))
    feeder.start()
    process = subprocess.Popen(
        t.command('info', '-v', '--no-symbols', '--max-skipped=1', '--damaged=use', OTHER, '-'),
        stdin=master, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    out, err = process.communicate()
    feeder.join()
    os.close(master)
    return process.returncode, out, err


def read_errors():
    other = [line for line in t.run('info', '-v', '--no-symbols', OTHER).out.splitlines()
             if line.startswith('total')]
    faults = []
    packed = gzip.compress(CONTENT, mtime=0)
    cut = [CONTENT[:size] for size in (1, 100, 1000, 4000, len(CONTENT) - 1, len(CONTENT))]
    for content in cut + [packed[:size] for size in (3, 1000, len(packed))]:
        code, out, err = fails_behind(content)
        totals = [line for line in out.splitlines() if line.startswith('total')]
        if code != 3 or totals != other or 'input-not-read: Input/output error' not in err:
            faults.append(f'behind {len(content)} bytes: {code} {err!r} {totals}')
    return faults


# --- R22: a dump that is being written ---------------------------------------------------------


def growing():
    """An input that grows is read completely and correctly, or its truncation is reported, at any size."""
    with scratch() as folder:
        path = pathlib.Path(folder, 'dump')
        path.write_bytes(b'')
        done = threading.Event()

        def write():
            while not done.is_set():
                with open(path, 'wb', buffering=0) as file:
                    for at in range(0, len(CONTENT), 690):
                        file.write(CONTENT[at:at + 690])
                        done.wait(0.001)
                done.wait(0.02)
        writer = threading.Thread(target=write)
        writer.start()
        runs = [t.run('info', '-v', '--no-symbols', path) for _ in range(200)]
        done.set()
        writer.join()
    wrong = [run for run in runs if not (
        run.code == 0 and 'total inuse-objects 143525.000' in run.out or
        run.code == 5 and 'dump' in run.err)]
    refused = sum(run.code == 5 for run in runs)
    return [f'ended with {run.code}: {run.err} {run.out[-200:]}' for run in wrong] or (
        f'{refused} of 200 refused' if refused else ['never read while it was incomplete'])


def young():
    """With --min-age a recently written input is skipped, and reported; the others are complete."""
    left_out = 'inputs-young: 1 2'
    alone = t.ok('top', '-fjson', '--no-symbols', GOOD)
    faults = []
    with scratch() as folder:
        path, old = pathlib.Path(folder, 'dump'), pathlib.Path(folder, 'old')
        path.write_bytes(OTHER.read_bytes())
        old.write_bytes(GOOD.read_bytes())
        os.utime(old, (0, 0))  # GOOD is young in a fresh checkout
        for age, is_left_out in (0, True), (-3600, True), (50, True), (70, False):
            os.utime(path, (time.time() - age,) * 2)
            both = t.run('top', '-fjson', '--no-symbols', '--min-age=60', old, path)
            single = t.run('top', '--no-symbols', '--min-age=60', path)
            report = json.loads(both.out)
            same = report['total'] == json.loads(alone.out)['total']
            if both.code != 0 or (left_out in both.err) != is_left_out or same != is_left_out or (
                    report['inputs']['reasons'] != ({'too_recent': 1} if is_left_out else {})):
                faults.append(f'{age} s: {both.code} {both.err!r} {report["inputs"]}')
            if single.code != (5 if is_left_out else 0):
                faults.append(f'{age} s, alone: {single.code} {single.err!r}')
        fed = t.run('info', '-v', '--no-symbols', '--min-age=60', '-', stdin=OTHER.read_bytes())
        if fed.code != 0:
            faults.append(f'standard input: {fed.code} {fed.err!r}')
    return faults


# --- R25: large numbers -----------------------------------------------------------------------

HALF = 2**61
MOST = 2**62 - 1  # larger numbers are counters that went below zero


def pair(number):
    return b'%d: %d [%d: %d]' % ((number,) * 4)


def large_numbers():
    raw = ['--estimator=none']
    twice = [(make([pair(n)] * 2, total=pair(2 * n)), raw,
              (0, None, {metric: 2 * n for metric in ('inuse_space', 'inuse_objects',
                                                      'alloc_space', 'alloc_objects')}))
             for make in (jemalloc, classic) for n in (HALF, MOST)]
    wrapped = [(make([pair(n)] * 2), raw, (0, 'input-wrapped', {
        'inuse_space': 0})) for make in (jemalloc, classic) for n in (MOST + 1, 2**63 - 1, 2**64 - 1)]
    beyond = [(make([pair(n)]), raw, (5, f'{make.__name__}-number-too-large'))
              for make in (jemalloc, classic) for n in (2**64, 10**30, 10**1000)]
    return table(twice + wrapped + beyond)


def large_sums():
    """The sums of 20 dumps exceed 64 bits: they are exact, or refused where the format has no room."""
    total = 20 * 3 * MOST
    with scratch() as folder:
        paths = []
        for i in range(20):
            paths.append(pathlib.Path(folder, f'{i}.heap'))
            paths[-1].write_bytes(classic([pair(MOST)] * 3, total=pair(3 * MOST))
                                  + b'%x-%x r-xp 0 0:0 1 /l\n' % (0x70000 + i * 4096, 0x71000 + i * 4096))
        result = t.run('info', '-v', '--no-symbols', *paths)
        faults = judged(result, 0, None, inuse_space=total, alloc_objects=total)
        whole = t.ok('merge', '--format=folded', '--no-symbols', *paths).folded()
        if sum(value for _, value in whole) != total:
            faults.append(f'folded: {whole}')
        rows = json.loads(t.ok('top', '--confidence=none', '--format=json', '--no-symbols', *paths).out)
        got = rows['total']['inuse-space']['estimate']
        if not near(float(got), float(total)):
            faults.append(f'JSON: {got}')
        faults += judged(t.run('merge', '--no-symbols', '-o', pathlib.Path(folder, 'x.pb'), *paths),
                         6, 'Value too large')
        return faults


def beyond_readers():
    """If the readers of a format hold fewer bits, a warning says so, on standard error and in the format itself."""
    most = {'json': 2**53, 'speedscope': 2**53, 'firefox': 2**53, 'dhat': 2**53,
            'html': 2**53, 'benchmark': 2**53, 'callgrind': 2**63 - 1, 'folded': 2**63 - 1, 'pprof': 2**63 - 1}
    faults = []
    with scratch() as folder:
        path = pathlib.Path(folder, 'x.heap')
        for name, limit in most.items():
            command = 'top' if name in ('json', 'html', 'benchmark') else 'merge'
            for total in (limit, limit + 4):
                parts = [total // 4] * 3 + [total - total // 4 * 3]
                path.write_bytes(jemalloc([pair(n) for n in parts], total=pair(total)))
                result = t.run(command, '--no-symbols', '--estimator=none', f'-f{name}', path)
                packed = gzip.decompress(result.out_bytes) if name == 'pprof' else result.out_bytes
                told = 'numbers-over-2-' in result.err, b'numbers-over-2-' in packed
                want = (total > limit, total > limit and name not in ('folded', 'benchmark'))
                if result.code or told != want:
                    faults.append(f'{name} of {total}: {told}, not {want}; {result.code} {result.err}')
    return faults


# --- R26, R27, R28: numbers that cannot be, rates, lines ---------------------------------------------


def odd_counts():
    damaged = 'counts-contradict'
    below = 'input-wrapped:  1'
    return table([
        (jemalloc([b'0: 64 [0: 0]']), [], (5, damaged)),
        (jemalloc([b'1: 0 [0: 0]']), [], (5, damaged)),
        (jemalloc([b'0: 0 [0: 64]']), [], (5, damaged)),
        (jemalloc([b'0: 0 [1: 0]']), [], (5, damaged)),
        (jemalloc([b'0: 0 [0: 0]']), [], (0, None, {'inuse_space': 0})),
        (jemalloc([b'-1: 64 [0: 0]', b'1: 64 [0: 0]']), ['--estimator=none'],
         (0, below, {'inuse_space': 64})),
        (classic([b'0: 64 [0: 0]']), [], (5, 'classic-bytes-without-objects')),
        (classic([b'0: 0 [0: 64]']), [], (5, 'classic-bytes-without-objects')),
        (classic([b'3: 0 [3: 0]']), [], (0, None, {'inuse_objects': 3, 'inuse_space': 0})),
        (classic([b'1: -64 [1: 64]', b'1: 64 [1: 64]']), [],
         (0, below, {'inuse_space': 64, 'alloc_space': 128})),
        (classic([b'1: -64 [1: 64]']), [], (0, 'total-not-compared')),
        (classic([b'1: 64 [1: 64]'], total=b'1: -64 [1: 64]'), ['--damaged=reject'],
         (0, 'total-not-compared', {'inuse_space': 64})),
        (classic([b'1: 64 [1: 64]'], total=b'1: 64 [-1: 64]'), [],
         (0, 'total-not-compared', {'inuse_space': 64})),
        (jemalloc([b'1: 64 [0: 0]'], total=b'18446744073709551615: 64 [0: 0]'), ['--estimator=none'],
         (0, 'total-not-compared', {'inuse_space': 64})),
    ])


def rates():
    counts = [b'2: 128 [0: 0]']
    raw = {'inuse_space': 128, 'inuse_objects': 2}
    untold = 'input-without-period'
    rows = [
        (jemalloc(counts, b'0'), [], (0, untold, raw)),
        (jemalloc(counts, b'1'), [], (0, None, raw)),
        (jemalloc(counts, b''), [], (5, 'sample-period-expected: number-expected')),
        (jemalloc(counts, b'%d' % 2**64), [], (5, 'sample-period-expected: number-too-large')),
        (classic(counts, b'heap_v2'), [], (0, untold, raw)),
        (classic(counts, b'heap_v2/0'), [], (0, untold, raw)),
        (classic(counts, b'heap/1'), [], (0, untold, raw)),
    ] + [(make(counts, **{name: b'%s%d' % (front, rate)}), [], (7, 'dump-numbers-too-large'))
         for make, name, front in ((jemalloc, 'period', b''), (classic, 'kind', b'heap_v2/'))
         for rate in (2**62, 2**64 - 1)]
    return table(rows)


def mixed_rates():
    """Each dump by its own rate."""
    dumps = [jemalloc([b'5: 320000 [0: 0]'], b'%d' % rate) for rate in (1, 2**17, 2**19)]
    with scratch() as folder:
        paths = [pathlib.Path(folder, f'{i}.heap') for i in range(len(dumps))]
        for path, content in zip(paths, dumps):
            path.write_bytes(content)
        whole = t.totals(*paths)
        parts = [t.totals(path) for path in paths]
    want = sum(part['inuse-space'] for part in parts)
    if len({part['inuse-space'] for part in parts}) != 3:
        return [f'the rates make no difference: {parts}']
    return [] if near(whole['inuse-space'], want) else [f'{whole} instead of {want}']


def odd_lines():
    counts = [b'1: 64 [0: 0]', b'2: 128 [0: 0]']
    good, leak = jemalloc(counts), b'<jemalloc>: Leak approximation summary: ~1 byte\n'
    raw, told = {'inuse_space': 192}, 'input-malformed:  1'
    rows = [(good.replace(b'\nMAPPED', leak + b'\nMAPPED'), told),
            (good.replace(b'@ 0x5020', leak + b'@ 0x5020'), told),
            (leak + good, None),
            (good.replace(b'@ 0x5010\n', b'@\n'), None),
            (good.replace(b'/bin/x\n', b'/bin/x\nnonsense\n'), told)]
    return table([(content, ['--estimator=none'], (0, says, raw)) for content, says in rows] +
                 [(content, ['--damaged=reject'], (5, 'expected')) for content, says in rows if says])


def mutated_lines():
    """A line that does not match the format is reported with its number; the others are used."""
    r = random.Random(1)
    lines = CONTENT.split(b'\n')
    last = lines.index(b'MAPPED_LIBRARIES:')
    at = [i for i in range(last) if lines[i].startswith(b'@')]
    faults = []
    for i in r.sample(at, min(12, len(at))):
        changed = lines[:i] + [b'x' + lines[i][1:]] + lines[i + 1:]
        result = info(b'\n'.join(changed))
        if result.code not in (0, 5) or not re.search(f'dump ?:{i + 1}\\b', result.out + result.err):
            faults.append(f'line {i + 1}: {result.code} {result.err}')
    return faults


# --- R31: depth ---------------------------------------------------------------------------------

def deep_stacks():
    """Stacks with the largest number of frames, and with one more, in several spellings; nothing of the larger one is
    kept."""
    rows, says = [], 'line 3: stack-too-deep'
    for frame in (b' 0x5010', b' 5010'):
        for count, expected in ((65536, (0, None, {'inuse_space': 128})), (65537, (7, says))):
            deep = frame * count + b'\n'
            rows += [(jemalloc([b'1: 64 [0: 0]'] * 2).replace(b' 0x5010\n', deep),
                      ['--estimator=none'], expected),
                     (classic([b'1: 64 [1: 64]'] * 2, total=b'2: 128 [2: 128]')
                      .replace(b' 0x5020\n', deep),
                      ['--damaged=use'], expected)]
    return table(rows)


# --- R32: memory maps ---------------------------------------------------------------------------

def placed(maps, *words):
    """The place of the first stack with such a map, and the messages of info."""
    content = jemalloc([b'1: 64 [0: 0]'], maps=b'\nMAPPED_LIBRARIES:\n' + b'\n'.join(maps) + b'\n')
    with scratch() as folder:
        path = pathlib.Path(folder, 'dump')
        path.write_bytes(content)
        (frames, _), = t.ok('merge', '--format=folded', '--no-symbols', path).folded()
    told = info(content).out
    return [] if frames == [words[0]] and all(w in told for w in words[1:]) else [
        f'{maps}: {frames}, not {words}: {told}']


def odd_maps():
    row = b'%x-%x r-xp 00000000 fe:00 1 %s'
    x = row % (0x5000, 0x6000, b'/x')
    at = '@0x10'  # maps of 32 bits say no more
    malformed = 'input-malformed:  1'
    return sum([
        placed([x, row % (0x5010, 0x7000, b'/y')], 'x' + at, 'input-overlaps'),
        placed([row % (0x5000, 0x5009, b'/y'), row % (0x500a, 0x6000, b'/x')], 'x@0x6'),
        placed([row % (0x7000, 0x8000, b'/y'), x], 'x' + at),
        placed([row % (0x6000, 0x5000, b'/y'), x], 'x' + at, malformed),
        placed([row % (0x5000, 0x5000, b'/y'), x], 'x' + at, malformed),
        placed([b'5000-6000 r-xp ffffffffffffffff fe:00 1 /y', x], 'x' + at, malformed),
        placed([b'5000-16000000000000000 r-xp 0 fe:00 1 /y', x], 'x' + at, malformed),
        placed([row % (0x5000, 2**64 - 1, b'/x')], 'x+0x5010'),
        placed([row % (0x5000, 0x6000, b'/a b (deleted)')], 'a b' + at),
        placed([row % (0x5000, 0x6000, b'/a\\012b')], 'a\\012b' + at),
        placed([row % (0x5000, 0x6000, b'/\xff\x1b[1m')], '\\xFF [1m' + at, 'module /\\xFF\\x1B[1m'),
    ], [])


# --- R36: the environment --------------------------------------------------------------------------


def many_names():
    """More inputs than a process may have open files, and than fit on a command line."""
    with scratch() as folder:
        path = pathlib.Path(folder, 'list')
        path.write_text(f'{GOOD}\n' * 20000)
        small = subprocess.run(
            ['sh', '-c', 'ulimit -n 16; exec "$@"', '-', t.binary, 'info', '-v', '--no-symbols',
             '--on-duplicate=skip', f'--files-from={path}'], capture_output=True, text=True, check=False)
    good = small.returncode == 0 and 'total inuse-objects 143525.000' in small.stdout
    return [] if good else [small.stderr[-300:]]


t.check('R18: pieces of any size from any pipe give one report', short_reads)
t.check('R19: an input that ends in an I/O error is not used', read_errors)
t.check('R22: a dump that is being written is complete and right, or rejected', growing)
t.check('R22, F15: --min-age skips files that were just written', young)
t.check('R25: numbers up to 2^62 add up, larger ones are reported, and those from 2^64 on rejected', large_numbers)
t.check('R25: numbers that readers of a format cannot hold are reported', beyond_readers)
t.check('R25: sums beyond 64 bits are exact, or rejected if the format has no room', large_sums)
t.check('R26: impossible counts are reported', odd_counts)
t.check('R27: rates of zero, one and unreasonable size are handled', rates)
t.check('R27: three rates in one merge give the right sums', mixed_rates)
t.check('R28: unknown lines are reported, and are an error with --damaged=reject', odd_lines)
t.check('R28: a malformed stack is reported with its line', mutated_lines)
t.check('R31: a stack of 65,536 frames is read, and one of 65,537 is rejected', deep_stacks)
t.check('R32: overlapping, unsorted and wrapping maps with odd paths are read', odd_maps)
t.check('R36: 20,000 inputs are read with 16 open files', many_names)
t.done()

#!/usr/bin/env python3
"""In a container of its own the program ends with a report, or with status 7 and a sentence, and is never killed; if
memory is enough for a run without limits, it is not refused.

By hand, as root, some minutes: a real group of the kernel's memory controller, below the one that
this script is in, v1 or v2.

usage: containers.py BINARY TESTDATA [RUNS]
"""
import contextlib
import os
import pathlib
import struct
import subprocess
import sys
import zlib

import big_inputs
from harness import Tests, scratch

t = Tests()
HERE = pathlib.Path(__file__).resolve().parent
RUNS = int(sys.argv[3]) if len(sys.argv) > 3 else 50
MIB = 1 << 20
LIMIT = 200 * MIB
SENTENCE = ', of this container. Use --max-memory'


def own_group():
    """The folder of this process' group, and the name of its limit."""
    mounts = [line.split(' ') for line in open('/proc/self/mountinfo', encoding='utf-8')]
    for line in open('/proc/self/cgroup', encoding='utf-8'):
        _, controllers, path = line.rstrip('\n').split(':', 2)
        for words in mounts:
            kind, _, options = words[words.index('-') + 1:]
            is_v1 = 'memory' in controllers.split(',') and kind == 'cgroup' and \
                'memory' in options.strip().split(',')
            is_v2 = controllers == '' and kind == 'cgroup2'
            folder = pathlib.Path(words[4] + path.removeprefix(words[3].rstrip('/')))
            if is_v1:
                return folder, 'memory.limit_in_bytes'
            if is_v2 and 'memory' in (folder / 'cgroup.controllers').read_text():
                return folder, 'memory.max'
    raise SystemExit('no memory controller')


PARENT, LIMIT_FILE = own_group()


@contextlib.contextmanager
def group(limit):
    folder = PARENT / f'hprof-agg-{os.getpid()}'
    folder.mkdir()
    try:
        (folder / LIMIT_FILE).write_text(str(limit))
        yield folder
    finally:
        folder.rmdir()


def run(folder, *args):
    """Run the program in a group, or in the current one if it is None: (status, output, errors, peak in bytes)."""
    def enter():
        if folder:
            (folder / 'cgroup.procs').write_text(str(os.getpid()))
    with scratch() as place:
        report = pathlib.Path(place, 'report')
        done = subprocess.run(
            [sys.executable, '-S', HERE / 'peak_memory.py', report, *t.command(*args)],
            capture_output=True, preexec_fn=enter, check=False)
        code, peak, _ = report.read_text().split()
    return int(code), done.stdout, done.stderr.decode(), int(peak) * 1024


def with_strings(folder, content, packs=False):
    """A dump, and its program with content(its own) as section .debug_str."""
    binary = bytearray((t.root / 'srv/corpus/formats/alloc_c').read_bytes())
    start, count, names = (struct.unpack_from('<Q', binary, 0x28)[0],
                           *struct.unpack_from('<HH', binary, 0x3c))
    table = struct.unpack_from('<Q', binary, start + 64 * names + 24)[0]
    for i in range(count):
        at = start + 64 * i
        name = binary[table + struct.unpack_from('<I', binary, at)[0]:].partition(b'\0')[0]
        if name == b'.debug_str':
            flags, = struct.unpack_from('<Q', binary, at + 8)
            offset, size = struct.unpack_from('<QQ', binary, at + 24)
            section = content(bytes(binary[offset:offset + size]))
            struct.pack_into('<Q', binary, at + 8, flags | 0x800 * packs)
            struct.pack_into('<QQ', binary, at + 24, len(binary), len(section))
    path = folder / 'srv/corpus/formats/alloc_c'
    path.parent.mkdir(parents=True)
    path.write_bytes(binary + section)
    return [f'--symbol-dir={folder}', t.testdata / 'golden' / 'procs1.heap']


def bomb(folder):
    """A binary with 1.9 GiB of strings in a section of 2 MiB."""
    size = 1900 * MIB
    packer = zlib.compressobj(9)
    return with_strings(folder, lambda _: struct.pack('<IIQQ', 1, 0, size, 1) + b''.join(
        packer.compress(bytes(MIB)) for _ in range(size // MIB)) + packer.flush(), True)


def large_binary(folder):
    """A binary of 600 MB, all of it in a section that is read, gives the same names as the small one."""
    args = with_strings(folder, lambda own: own + b'name of nothing\0' * (600 * MIB // 16))
    _, small, _, _ = run(None, 'top', f'--symbol-dir={t.root}', args[1])
    faults = [] if b'leaf_mixed' in small else ['the small one has no names']
    for how in 'off', 'require':
        code, out, err, _ = run(None, 'top', f'--sandbox={how}', '--max-memory=1GiB', *args)
        if (code, out) != (0, small):
            faults.append(f'--sandbox={how}: {code} {err} {out[:300]}')
    return faults


def ends_well(limit, *args):
    """RUNS times: 0, or 7 and whose limit it is."""
    codes = {}
    with group(limit) as folder:
        for _ in range(RUNS):
            code, out, err, _ = run(folder, *args)
            codes[code] = codes.get(code, 0) + 1
            if not (code == 0 and out or code == 7 and not out and SENTENCE in err):
                return [f'ended with {code}: {len(out)} bytes, {err[-300:]!r}']
    return ', '.join(f'{count} times {code}' for code, count in sorted(codes.items()))


def write(folder, name, pieces):
    path = folder / name
    with open(path, 'wb') as file:
        for piece in pieces:
            file.write(piece)
    return path


def is_enough(path):
    """1.15 times the peak of a run without limits is enough for the same report."""
    faults, told = [], []
    code, whole, _, peak = run(None, 'top', '--no-symbols', '--max-memory=none', path)
    limit = int(peak * 1.15)
    other = run(None, 'top', '--no-symbols', f'--max-memory={limit}', path)
    if code or other[:2] != (0, whole):
        faults.append(f'--max-memory of {limit / MIB:.0f} MiB: {other[0]} {other[2]}')
    told.append(f'{path.stat().st_size / MIB:.0f} MB take {peak / MIB:.0f}')
    if limit - 4 * MIB > peak:
        with group(limit) as folder:
            code, out, err, _ = run(folder, 'top', '--no-symbols', path)
            if (code, out) != (0, whole):
                faults.append(f'a group of {limit / MIB:.0f} MiB: {code} {err}')
        told.append('also as a group')
    return faults or ', '.join(told)


with scratch() as place:
    place = pathlib.Path(place)
    large = write(place, 'large.heap', big_inputs.stacks(500000))
    small = write(place, 'small.heap', big_inputs.stacks(40000))
    for size in 30, 60, 200:
        for args in (['top', '--no-symbols', large], ['merge', '--no-symbols', '-fhpa', large],
                     ['top', small], ['merge', small], ['top', *bomb(place / f'bomb{size}')]):
            what = ' '.join(getattr(word, 'name', word) for word in args
                            if '--symbol-dir' not in str(word))
            t.check(f'R35: {RUNS} runs in a group of {size} MiB: {what}',
                    lambda: ends_well(size * MIB, *args))
    t.check('R35: a binary of 600 MB is read within 1 GiB, confined and not', lambda: large_binary(place / 'large'))
    for count in (2, 4, 10, 20, 40, 80, 120, 200, 300, 400, 600, 800):
        path = write(place, 'some.heap', big_inputs.stacks(count * 1000))
        t.check(f'R35: 15 % more memory than a run uses is enough: {count},000 stacks',
                lambda: is_enough(path))
t.done()

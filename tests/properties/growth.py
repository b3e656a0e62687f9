#!/usr/bin/env python3
"""Twice the stacks take at most 2.1 times the instructions, whatever the command and the format; stacks
that are deep and have nothing in common take time and memory by their bytes, not by the nodes of their tree;
and a dump that is made to be slow takes at most three times the instructions of a usual one.

usage: growth.py BINARY TESTDATA [STACKS]

Every command once, and every format once; with STACKS, by hand, all formats of all commands, at this size.
Instructions are counted by Valgrind's callgrind: times on a machine that does other things are no test.
"""
import gzip
import os
import pathlib
import random
import re
import struct
import subprocess
import sys

from harness import Tests, scratch

HERE = pathlib.Path(__file__).resolve().parent
STACKS = 600
DEPTH = 12
MOST = 2.1
BYTES = 20  # of memory, for each of a dump
SECONDS = 2  # for each 10 MB
DAMAGED = 5  # exit status
WORST = 3  # times a usual dump, by the byte
WORST_FRAMES = 15  # of frames that are all new each is named, and sorted as a row
OTHERS = {  # of the command line: what commands need beside an input
    'peek': ['.'],
    'list': None,  # sources
    'manifest': None,  # lists, no stacks
    'digest': None,
    'diff': 2,
    'trend': 2,
    'lifetime': None,  # what was allocated
}

t = Tests()


def dump(stacks, depth, addresses, seed):
    """Half of them allocate on one of ten ways from the root on, half share nothing but by chance."""
    rng = random.Random(seed)
    frames = [0x400000 + 16 * i for i in range(addresses)]
    ways = [[rng.choice(frames) for _ in range(depth // 2)] for _ in range(10)]
    lines = [f'heap_v2/524288\n  t*: {stacks}: {stacks * 1024} [0: 0]\n']
    for i in range(stacks):
        way = rng.choice(ways) if i % 2 else [rng.choice(frames) for _ in range(depth // 2)]
        stack = [rng.choice(frames) for _ in range(depth - len(way))] + way
        lines.append(f'@ {" ".join(map(hex, stack))}\n  t*: 1: 1024 [0: 0]\n')
    return (''.join(lines) + '\nMAPPED_LIBRARIES:\n'
            '00400000-40000000 r-xp 00000000 fe:00 4711   /srv/app\n')


def instructions(*command, ends=0):
    done = subprocess.run(['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null', t.binary, *command],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    found = re.search(r'Collected : (\d+)', done.stderr)
    if done.returncode != ends or not found:
        raise AssertionError(f'{command} ended with {done.returncode}: {done.stderr[-500:]}')
    return int(found[1])


def arguments(command, name, paths):
    """Of one input, or of a comparison's two."""
    needs = OTHERS.get(command, [])
    inputs = [paths[0], *(['--to'] if command == 'diff' else []), paths[1]] if needs == 2 else [paths[0]]
    return [command, '--no-symbols', '-q', '-j1', f'--format={name}', *(needs if needs != 2 else []), *inputs]


def cases(every):
    """(command, format)"""
    known = set()
    for command in t.reports():
        if OTHERS.get(command, []) is None:
            continue
        for name in t.formats_of(command):
            if every or command not in known or name not in known:
                known |= {command, name}
                yield command, name


def growth(command, name, files, start):
    once, twice = (instructions(*arguments(command, name, paths)) - start for paths in files)
    return [] if twice <= MOST * once else [f'{twice / once:.2f} times as many instructions: {once} and {twice}']


def grow(folder, stacks, every):
    files = []
    for count in (stacks, 2 * stacks):
        paths = [str(pathlib.Path(folder, f'{side}.{count}.heap')) for side in (0, 1)]
        for side, path in enumerate(paths):
            pathlib.Path(path).write_text(dump(count, DEPTH, 20 * stacks, side), encoding='ascii')
        files.append(paths)
    small = pathlib.Path(folder, 'small.heap')
    small.write_text(dump(1, DEPTH, 20, 0), encoding='ascii')
    start = instructions(*arguments('top', 'text', [str(small)]))
    for command, name in cases(every):
        t.check(f'twice the stacks are at most {MOST} times the work: {command} --format={name}',
                lambda command=command, name=name: growth(command, name, files, start))


def deep(folder, *command):
    """1,000 frames a stack, hardly two of them together twice.  A time that is too long is
    taken once more: others use the machine, too."""
    faults = deep_once(folder, command)
    return deep_once(folder, command) if faults else []


def deep_once(folder, command):
    path, report = (pathlib.Path(folder, name) for name in ('deep.heap', 'report'))
    if not path.exists():
        path.write_text(dump(500, 1000, 100000, 3), encoding='ascii')
    size = path.stat().st_size
    done = subprocess.run([sys.executable, '-S', HERE / 'peak_memory.py', report, t.binary, *command,
                           '--no-symbols', '-q', '-j1', path], stdout=subprocess.DEVNULL, check=True)
    code, memory, seconds = report.read_text(encoding='ascii').split()
    faults = [] if done.returncode == 0 and code == '0' else [f'ended with {code}']
    if int(memory) * 1024 > BYTES * size:
        faults.append(f'{int(memory) * 1024 / size:.1f} bytes of memory for each of the dump')
    if float(seconds) > SECONDS * size / 1e7:
        faults.append(f'{float(seconds):.2f} s for {size / 1e6:.1f} MB')
    return faults


# --- worst cases ----------------------------------------------------------------------------


def dump_of(stacks, depth, draw, period=524288, rows=None):
    body = ''.join(f'@ {" ".join(hex(draw()) for _ in range(depth))}\n  t*: 1: 1024 [0: 0]\n' for _ in range(stacks))
    rows = rows or ['400000-7f0000000000 r-xp 00000000 fe:00 4711   /srv/app']
    return (f'heap_v2/{period}\n  t*: {stacks}: {stacks * 1024} [0: 0]\n{body}\nMAPPED_LIBRARIES:\n' +
            '\n'.join(rows) + '\n')


def worst_cases():
    """{name: (dumps, how many times a usual one's instructions, by the byte)}, the usual one first, of which none
    are asked."""
    rng = random.Random(1)
    usual = [0x55d1c3a00000 + 16 * i for i in range(400)]
    lengths = [(1 << 4 * digits) + 0x400000 + 16 * i for digits in range(6, 12) for i in range(70)]
    fresh = iter(range(0x55d1c3a00000, 1 << 60, 16))
    rows = [f'{0x10000000 + i * 0x3000:x}-{0x10000000 + i * 0x3000 + 0x2000:x} r-xp 00000000 fe:00 {i} '
            f'/srv/l{i % 50}.so' for i in range(4000)]
    return {
        'usual': ([dump_of(400, 30, lambda: rng.choice(usual))], None),
        'tokens of other lengths': ([dump_of(400, 30, lambda: rng.choice(lengths))], WORST),
        'stacks of 1,000 frames': ([dump_of(12, 1000, lambda: rng.choice(usual))], WORST),
        'rows of the map alone': ([dump_of(1, 30, lambda: rng.choice(usual), rows=rows)], WORST),
        'no frame twice': ([dump_of(400, 30, lambda: next(fresh))], WORST_FRAMES),
    }


def worst_dumps(periods):
    """Of a few stacks each."""
    rng = random.Random(2)
    usual = [0x55d1c3a00000 + 16 * i for i in range(400)]
    return [dump_of(20, 30, lambda: rng.choice(usual), period=periods[i % len(periods)]) for i in range(20)]


def cost(folder, dumps):
    """Instructions a byte, without those of the start."""
    paths, size = [], 0
    for i, text in enumerate(dumps):
        paths.append(str(pathlib.Path(folder, f'worst.{i}.heap')))
        pathlib.Path(paths[-1]).write_text(text, encoding='ascii')
        size += len(text)
    return (instructions('top', '--no-symbols', '-q', '-j1', *paths) - cost.start) / size


def worst(folder):
    small = pathlib.Path(folder, 'one.heap')
    small.write_text(dump_of(1, 3, lambda: 0x55d1c3a00000), encoding='ascii')
    cost.start = instructions('top', '--no-symbols', '-q', '-j1', str(small))
    usual = None
    for name, (dumps, most) in worst_cases().items():
        found = cost(folder, dumps)
        if most is None:
            usual = found
            continue
        t.check(f'at most {most} times the work of a usual dump, by the byte: {name}',
                lambda found=found, usual=usual, most=most:
                [] if found <= most * usual else [f'{found / usual:.2f} times: {found:.1f} instructions a byte'])
    one, mixed = (cost(folder, worst_dumps(periods)) for periods in ([524288], [524288, 65536, 4096, 1000003]))
    t.check(f'at most {WORST} times the work of dumps of one period: dumps of mixed ones',
            lambda: [] if mixed <= WORST * one else [f'{mixed / one:.2f} times'])


def many(folder, count):
    """Dumps of one stack each."""
    paths = []
    for i in range(count):
        address = 0x55d1c3a00000 + 16 * i
        paths.append(str(pathlib.Path(folder, f'many.{i}.heap')))
        pathlib.Path(paths[-1]).write_text(dump_of(1, 3, lambda address=address: address), encoding='ascii')
    return instructions('top', '--no-symbols', '-q', '-j1', *paths) - cost.start


def lies(folder, size):
    """A gzip member that says that it is of so many bytes: it is damaged, and costs no more than one that is
    not."""
    rng = random.Random(4)
    path = pathlib.Path(folder, 'lies.heap.gz')
    honest = gzip.compress(dump_of(400, 30, lambda: 0x55d1c3a00000 + 16 * rng.randrange(400)).encode(), mtime=0)
    path.write_bytes(honest)
    usual = instructions('top', '--no-symbols', '-q', '-j1', str(path))
    path.write_bytes(honest[:-4] + struct.pack('<I', size))
    found = instructions('top', '--no-symbols', '-q', '-j1', str(path), ends=DAMAGED)
    return [] if found <= WORST * usual else [f'{found / usual:.2f} times: {found} and {usual}']


def worst_files(folder):
    once, twice = (many(folder, count) for count in (50, 100))
    t.check(f'twice the dumps of one stack are at most {MOST} times the work',
            lambda: [] if twice <= MOST * once else [f'{twice / once:.2f} times: {once} and {twice}'])
    for size in (0, 1, 4 << 20, 0xffffffff):
        t.check(f'at most {WORST} times the work of an honest one: a gzip member that claims {size} bytes',
                lambda size=size: lies(folder, size))


def main():
    stacks = int(sys.argv[3]) if len(sys.argv) > 3 else STACKS
    os.environ.pop('MALLOC_PERTURB_', None)  # meson's, which touches what is never used
    with scratch() as folder:
        for command in (('tree',), ('peek', '.'), ('merge', '--format=callgrind')):
            t.check(f'F14: deep stacks of nothing in common: {SECONDS} s for 10 MB, {BYTES} bytes for each: '
                    f'{" ".join(command)}', lambda command=command: deep(folder, *command))
        grow(folder, stacks, len(sys.argv) > 3)
        worst(folder)
        worst_files(folder)
    t.done()


if __name__ == '__main__':
    main()

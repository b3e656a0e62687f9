#!/usr/bin/env python3
"""Twice the stacks, or the dumps, take at most 2.1 times the instructions and 2.05 times the memory, for every
command and format.  Deep stacks that have nothing in common take time and memory in proportion to their bytes, not to
the nodes of their tree.  A dump that is made to be slow takes at most three times the instructions of a usual one.

usage: growth.py BINARY TESTDATA [STACKS [DUMPS [REGEX]]]

Tests every command once, and every format once.  With STACKS (of 130 bytes) and DUMPS it only measures growth from
these numbers on, in all formats, or in those whose command and format match REGEX.  Instructions are counted by QEMU:
times would depend on the load of the machine, and Valgrind takes ten times as long.
"""
import functools
import gzip
import os
import pathlib
import platform
import random
import re
import statistics
import struct
import subprocess
import sys

import big_inputs
from harness import Tests, scratch
from profile_writer import Profile

HERE = pathlib.Path(__file__).resolve().parent
STACKS = 600
STACKS_IN_MEMORY = 20000  # the memory of the start is a small part of theirs
LARGE = {('tree', 'json'): 80000, ('top', 'svg'): 160000}  # stacks; twice as many do not fit into freed memory
DUMPS = 40
DEPTH = 12
FRAMES = 12000
FUNCTIONS = 500
MOST = 2.1
MOST_MEMORY = 2.05
BYTES = 20  # bytes of memory for each byte of a dump
INSTRUCTIONS = 500  # for each byte: 2 s for 10 MB where 2.5 take a nanosecond
DAMAGED = 5  # exit status
WORST = 4  # times a usual dump, by the byte: 3.7 at most was measured; a usual one has few rows and became cheaper
ARCHIVE = 1.2
DRAWS = 3
OTHERS = {  # additional arguments that commands need
    'peek': ['.'],
    'list': ['.'],
    'manifest': None,  # lists, no stacks
    'digest': None,
    'diff': 2,
    'trend': 2,
    'lifetime': 2,
}
KINDS = {'list': 'named', 'lifetime': 'allocated'}  # kinds of dumps that a command needs, if not those of live memory

t = Tests()
counter = []  # the command that counts the instructions of the command after it


def stacks_of(count, depth, frames, seed):
    """Half of the stacks allocate on one of ten paths from the root, the other half have nothing in common except by
    chance."""
    rng = random.Random(seed)
    ways = [[rng.choice(frames) for _ in range(depth // 2)] for _ in range(10)]
    for i in range(count):
        way = rng.choice(ways) if i % 2 else [rng.choice(frames) for _ in range(depth // 2)]
        yield [rng.choice(frames) for _ in range(depth - len(way))] + way


def dump(stacks, depth, addresses, seed, allocated=0):
    """A dump with one live object, and `allocated` allocated ones, in each stack."""
    frames = [hex(0x400000 + 16 * i) for i in range(addresses)]
    lines = [f'heap_v2/524288\n  t*: {stacks}: {stacks * 1024} [{stacks * allocated}: {stacks * allocated * 1024}]\n']
    for stack in stacks_of(stacks, depth, frames, seed):
        lines.append(f'@ {" ".join(stack)}\n  t*: 1: 1024 [{allocated}: {allocated * 1024}]\n')
    return (''.join(lines) + '\nMAPPED_LIBRARIES:\n'
            '00400000-40000000 r-xp 00000000 fe:00 4711   /srv/app\n')


def named(folder, stacks, depth, functions, seed):
    """A pprof profile whose functions are in a source, which is made."""
    source = made(folder, 'source.c', 'x\n' * 5 * FUNCTIONS)
    profile = Profile()
    mapping = profile.mapping('/srv/app', 0x400000, 0x40000000)
    frames = [profile.location(0x400000 + 16 * i, mapping, [(f'f{i}', source, 5 * i + 1)]) for i in range(functions)]
    for stack in stacks_of(stacks, depth, frames, seed):
        profile.sample(stack, (1, 1024))
    return profile.bytes()


def instructions(*command, ends=0):
    done = subprocess.run([*counter, *t.command(*command)],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    found = re.search(r'Collected : (\d+)', done.stderr)
    if done.returncode != ends or not found:
        raise AssertionError(f'{command} ended with {done.returncode}: {done.stderr[-500:]}')
    return int(found[1])


def count_by_qemu(folder):
    plugin = pathlib.Path(folder, 'count_instructions.so')
    subprocess.run(['cc', '-O2', '-fPIC', '-shared', '-o', plugin, HERE / 'count_instructions.c'], check=True)
    counter[:] = [f'qemu-{platform.machine()}', '-plugin', plugin]


def arguments(command, name, paths):
    """The arguments for all paths; two paths are the two sides if the command compares, else only the first is used."""
    needs = OTHERS.get(command, [])
    halves = [*paths[:len(paths) // 2], *(['--to'] if command == 'diff' else []), *paths[len(paths) // 2:]]
    inputs = halves if needs == 2 else paths[:1] if len(paths) == 2 else paths
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


def times(what, once, twice, most):
    return [] if twice <= most * once else [f'{twice / once:.2f} times the {what}: {once} and {twice}']


def work(case, files, start):
    once, twice = (instructions(*arguments(*case, paths)) - start for paths in files)
    return times('instructions', once, twice, MOST) or f'{twice / once:.2f} of {once / 1e6:.0f} million'


def peak(report, *command):
    """Status, and bytes of memory."""
    subprocess.run([sys.executable, '-S', HERE / 'peak_memory.py', report, *t.command(*command)],
                   stdout=subprocess.DEVNULL, check=True)
    code, memory, _ = report.read_text(encoding='ascii').split()
    return int(code), int(memory) * 1024


def memory(case, files, folder):
    once, twice = (peak(pathlib.Path(folder, 'report'), *arguments(*case, paths)) for paths in files)
    if once[0] or twice[0]:
        return [f'ended with {once[0]} and {twice[0]}']
    return times('memory', once[1], twice[1], MOST_MEMORY) or f'{twice[1] / once[1]:.2f} of {once[1] / 1e6:.0f} MB'


def made(folder, name, text):
    path = pathlib.Path(folder, name)
    path.write_text(text, encoding='ascii')
    return str(path)


def profile_of(folder, kind, name, stacks, addresses, seed):
    path = pathlib.Path(folder, f'{kind}.{name}')
    if kind == 'named':
        path.write_bytes(named(folder, stacks, DEPTH, min(addresses, FUNCTIONS), seed))
    else:
        # The allocated numbers rise from dump to dump; otherwise a reset would be found.
        is_live = kind != 'allocated'
        path.write_text(dump(stacks, DEPTH, addresses, seed if is_live else 0, 0 if is_live else 2 + seed), encoding='ascii')
    return str(path)


@functools.cache
def pairs(folder, kind, stacks):
    """Two dumps of `stacks` stacks each, and two of twice as many."""
    return [[profile_of(folder, kind, f'{side}.{count}', count, FRAMES, side) for side in (0, 1)]
            for count in (stacks, 2 * stacks)]


@functools.cache
def many_dumps(folder, kind, dumps):
    """`dumps` dumps of 8 stacks each, with four that are in no other dump; and twice as many dumps."""
    paths = [profile_of(folder, kind, f'dump.{i}', 8, 300, i) for i in range(2 * dumps)]
    return [paths[:dumps], paths]


def grow(folder, stacks, stacks_in_memory, dumps, chosen):
    start = instructions(*arguments('top', 'text', [made(folder, 'small.heap', dump(1, DEPTH, 20, 0))]))
    for case in chosen:
        name, kind = f'{case[0]} --format={case[1]}', KINDS.get(case[0], 'live')
        t.check(f'twice the stacks are at most {MOST} times the work: {name}',
                lambda case=case, kind=kind: work(case, pairs(folder, kind, stacks), start))
        t.check(f'twice the stacks are at most {MOST_MEMORY} times the memory: {name}',
                lambda case=case, kind=kind: memory(case, pairs(folder, kind, stacks_in_memory), folder))
    for command in dict.fromkeys(command for command, _ in chosen):
        case, files = (command, t.formats_of(command)[0]), many_dumps(folder, KINDS.get(command, 'live'), dumps)
        t.check(f'twice the dumps are at most {MOST} times the work: {command}',
                lambda case=case, files=files: work(case, files, start))
        if dumps > DUMPS:
            t.check(f'twice the dumps are at most {MOST_MEMORY} times the memory: {command}',
                    lambda case=case, files=files: memory(case, files, folder))


def deep(folder, *command):
    """1,000 frames a stack, hardly two of them together twice: memory of 500 stacks, instructions of 50."""
    options = (*command, '--no-symbols', '-q', '-j1')
    many, few = made(folder, 'many.heap', dump(500, 1000, 100000, 3)), made(folder, 'few.heap', dump(50, 1000, 10000, 3))
    code, taken = peak(pathlib.Path(folder, 'report'), *options, many)
    size, work = pathlib.Path(many).stat().st_size, instructions(*options, few) / pathlib.Path(few).stat().st_size
    faults = [] if code == 0 else [f'ended with {code}']
    if taken > BYTES * size:
        faults.append(f'{taken / size:.1f} bytes of memory for each of the dump')
    if work > INSTRUCTIONS:
        faults.append(f'{work:.0f} instructions for each byte')
    return faults or f'{work:.0f} instructions and {taken / size:.1f} bytes'


# --- worst cases ----------------------------------------------------------------------------


def cost(folder, dumps):
    """Instructions a byte, without those of the start.  One key of the hashes in some hundred takes 5 % more."""
    paths, size = [], 0
    for i, text in enumerate(dumps):
        paths.append(str(pathlib.Path(folder, f'worst.{i}.heap')))
        pathlib.Path(paths[-1]).write_text(text, encoding='ascii')
        size += len(text)
    counts = [instructions('top', '--no-symbols', '-q', '-j1', *paths) for _ in range(DRAWS)]
    return (statistics.median(counts) - cost.start) / size


def worst(folder):
    small = pathlib.Path(folder, 'one.heap')
    small.write_text(big_inputs.dump_of(1, 3, lambda: 0x55d1c3a00000), encoding='ascii')
    cost.start = instructions('top', '--no-symbols', '-q', '-j1', str(small))
    texts = big_inputs.worst_cases()
    usual = cost(folder, [texts.pop('usual')])
    for name, text in texts.items():
        found = cost(folder, [text])
        t.check(f'per byte, at most {WORST} times the work of a usual dump: {name}',
                lambda found=found, usual=usual:
                [] if found <= WORST * usual else [f'{found / usual:.2f} times: {found:.1f} instructions a byte'])
    one, mixed = (cost(folder, big_inputs.worst_dumps(20, periods)) for periods in ([524288], big_inputs.MIXED_PERIODS))
    t.check(f'dumps of mixed periods take at most {WORST} times the work of one period',
            lambda: [] if mixed <= WORST * one else [f'{mixed / one:.2f} times'])


def many(folder, count):
    """Dumps of one stack each."""
    paths = []
    for i in range(count):
        address = 0x55d1c3a00000 + 16 * i
        paths.append(str(pathlib.Path(folder, f'many.{i}.heap')))
        pathlib.Path(paths[-1]).write_text(big_inputs.dump_of(1, 3, lambda address=address: address), encoding='ascii')
    return instructions('top', '--no-symbols', '-q', '-j1', *paths) - cost.start


def lies(folder, size):
    """A gzip member whose size field is wrong is reported as damaged, and costs no more than a right one."""
    rng = random.Random(4)
    path = pathlib.Path(folder, 'lies.heap.gz')
    text = big_inputs.dump_of(400, 30, lambda: 0x55d1c3a00000 + 16 * rng.randrange(400))
    honest = gzip.compress(text.encode(), mtime=0)
    path.write_bytes(honest)
    usual = instructions('top', '--no-symbols', '-q', '-j1', str(path))
    path.write_bytes(honest[:-4] + struct.pack('<I', size))
    found = instructions('top', '--no-symbols', '-q', '-j1', str(path), ends=DAMAGED)
    return [] if found <= WORST * usual else [f'{found / usual:.2f} times: {found} and {usual}']


def archive(folder):
    """An archive with the older dumps of each process first costs little more than its files."""
    paths = [pathlib.Path(folder, f'app.{pid}.{number}.i{number}.heap') for pid in range(6) for number in range(2)]
    for i, path in enumerate(paths):
        path.write_text(dump(150, DEPTH, 300, i).replace('/srv/app', f'/srv/app{i // 2}'), encoding='ascii')
    tar = pathlib.Path(folder, 'all.tar')
    subprocess.run(['tar', 'cf', tar, '-C', folder, *(path.name for path in paths)], check=True)
    files = instructions('merge', '--no-symbols', '-q', '-j1', '-fhpa', '-o-', *map(str, paths))
    members = instructions('merge', '--no-symbols', '-q', '-j1', '-fhpa', '-o-', f'--tar={tar}')
    return times('instructions', files, members, ARCHIVE) or f'{members / files:.2f} times'


def worst_files(folder):
    once, twice = (many(folder, count) for count in (50, 100))
    t.check(f'twice the dumps of one stack are at most {MOST} times the work',
            lambda: [] if twice <= MOST * once else [f'{twice / once:.2f} times: {once} and {twice}'])
    t.check(f'an archive takes at most {ARCHIVE} times the work of its files', lambda: archive(folder))
    for size in (0, 1, 4 << 20, 0xffffffff):
        t.check(f'a gzip member that claims {size} bytes takes at most {WORST} times the usual work',
                lambda size=size: lies(folder, size))


def main():
    os.environ.pop('MALLOC_PERTURB_', None)  # set by meson; it would touch unused memory
    numbers = [int(word) for word in sys.argv[3:5]]
    with scratch() as folder:
        count_by_qemu(folder)
        if numbers:
            pattern = sys.argv[5] if len(sys.argv) > 5 else ''
            chosen = [case for case in cases(True) if re.search(pattern, ' '.join(case))]
            grow(folder, numbers[0], numbers[0], (*numbers, DUMPS)[1], chosen)
            t.done()
        for command in (('tree',), ('peek', '.'), ('merge', '--format=callgrind')):
            t.check(f'F14: deep stacks without common frames take {INSTRUCTIONS} instructions and {BYTES} bytes each: '
                    f'{" ".join(command)}', lambda command=command: deep(folder, *command))
        grow(folder, STACKS, STACKS_IN_MEMORY, DUMPS, list(cases(False)))
        for case, stacks in LARGE.items():
            t.check(f'twice {stacks} stacks are at most {MOST_MEMORY} times the memory: {case[0]} --format={case[1]}',
                    lambda case=case, stacks=stacks: memory(case, pairs(folder, 'live', stacks), folder))
        worst(folder)
        worst_files(folder)
    t.done()


if __name__ == '__main__':
    main()

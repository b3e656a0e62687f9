#!/usr/bin/env python3
"""Make a large jemalloc dump whose frames lie in a program with debug information, so that
naming them is real work.  The same seed gives the same program source and the same dump.

usage: make_dump.py DIRECTORY [STACKS [SEED]]

Writes DIRECTORY/program.cc, DIRECTORY/program (compiled with $CXX or c++) and
DIRECTORY/dump.heap, and prints what the dump is like.
"""
import bisect
import math
import os
import random
import re
import struct
import subprocess
import sys

PERIOD = 524288
FUNCTIONS = 4000
PROGRAM_BASE = 0x55D1C3A00000
LIBRARY_BASE = 0x7F3A5B200000
DEPTH_MAX = 128
SIZES = [(16, 8), (32, 10), (48, 12), (64, 10), (128, 8), (256, 6), (512, 5), (1024, 5), (4096, 6),
         (16384, 4), (65536, 3), (262144, 2), (1048576, 2), (8388608, 1)]


def program_source(rng):
    """C++ with the kinds of names that programs have, small inlined calls, many files' worth
    of functions; nothing of it is ever run."""
    out = ['extern "C" void *malloc(unsigned long);',
           'extern "C" int puts(const char *);',
           'template <class T> struct Node { T value; Node *next; };',
           'template <class K, class V> struct Table {',
           '  static inline __attribute__((always_inline)) void *grow(unsigned long n)',
           '  { return malloc(n * sizeof(Node<V>) + sizeof(K)); }',
           '};']
    for i in range(FUNCTIONS):
        out.append(f'namespace part{i // 100} {{ struct Type{i} {{ int field[{1 + i % 7}]; '
                   f'void work(unsigned long n, const Type{i} *other); }}; }}')
    for i in range(FUNCTIONS):
        # Calls go anywhere: only the return addresses matter.
        calls = [rng.randrange(FUNCTIONS) for _ in range(4)]
        body = ''.join(
            f'  if (n & {1 << k}) part{c // 100}::Type{c}().work(n + {k}, nullptr);\n'
            for k, c in enumerate(calls))
        out.append(f'namespace part{i // 100} {{\n'
                   f'static inline __attribute__((always_inline)) void *get{i}(unsigned long n) '
                   f'{{\n  return Table<Type{i}, Node<long>>::grow(n);\n}}\n'
                   f'void Type{i}::work(unsigned long n, const Type{i} *other) {{\n'
                   f'  if (!other) field[0] = get{i}(n) != nullptr;\n{body}'
                   f'  asm volatile("" ::: "memory");\n}}\n}}')
    out.append('int main() { part0::Type0().work(0, nullptr); return 0; }\n')
    return '\n'.join(out)


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def compile_program(directory, rng):
    source = os.path.join(directory, 'program.cc')
    program = os.path.join(directory, 'program')
    with open(source, 'w', encoding='utf-8') as file:
        file.write(program_source(rng))
    subprocess.run([os.environ.get('CXX') or 'c++', '-O1', '-g', '-fPIE', '-pie', '-o', program,
                    source], check=True)
    return program


def return_addresses(binary):
    """The addresses after calls in a binary, from its disassembly: (all, those after calls of malloc)."""
    every, malloc = [], []
    wanted = None
    with subprocess.Popen(['objdump', '-d', '--no-show-raw-insn', binary], text=True,
                          stdout=subprocess.PIPE) as disassembly:
        for line in disassembly.stdout:
            match = re.match(r' +([0-9a-f]+):\t(\S+)\s*(.*)', line)
            if not match:
                wanted = None
                continue
            if wanted is not None:
                wanted.append(int(match[1], 16))
            wanted = None
            if match[2].startswith('call'):
                wanted = malloc if '<malloc@' in match[3] else every
    return every, malloc


def segments(binary):
    """(offset, address, size, flags) of each segment that a loader maps."""
    found = []
    for line in run('readelf', '-lW', binary).splitlines():
        match = re.match(r' +LOAD +0x(\w+) 0x(\w+) 0x\w+ 0x(\w+) 0x\w+ ([R ][W ][E ])', line)
        if match:
            found.append((*[int(x, 16) for x in match.groups()[:3]], match[4]))
    return found


def map_rows(binary, base, inode):
    rows = []
    for offset, address, size, flags in segments(binary):
        start = (base + address) & ~0xFFF
        end = (base + address + size + 0xFFF) & ~0xFFF
        mode = ('r' if 'R' in flags else '-') + ('w' if 'W' in flags else '-') + \
            ('x' if 'E' in flags else '-') + 'p'
        rows.append((start, f'{start:x}-{end:x} {mode} {offset & ~0xFFF:08x} fe:00 {inode}'.ljust(73)
                     + os.path.realpath(binary)))
    return rows


def zipf(rng, items, exponent):
    """A function that draws from the items, the first ones more often."""
    total, sums = 0.0, []
    for rank in range(1, len(items) + 1):
        total += rank ** -exponent
        sums.append(total)
    return lambda: items[bisect.bisect_left(sums, rng.random() * total)]


def find_library():
    """The leaf frames of every jemalloc dump are jemalloc's own."""
    for folder in ('/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/lib'):
        if os.path.exists(f'{folder}/libjemalloc.so.2'):
            return f'{folder}/libjemalloc.so.2'
    sys.exit('no libjemalloc.so.2 (Debian: libjemalloc2)')


class Shape:
    """Draws stacks: from an allocation up through callers that are mostly the same few, then
    down a way from main() that many stacks share."""

    def __init__(self, rng, program, library):
        every, malloc = return_addresses(program)
        addresses = [PROGRAM_BASE + a for a in every]
        rng.shuffle(addresses)
        self.rng = rng
        self.leaf = zipf(rng, rng.sample([PROGRAM_BASE + a for a in malloc], 900), 0.8)
        frames = addresses[:13000]
        anywhere = zipf(rng, frames, 0.4)
        self.callers = {}
        self.anywhere = anywhere
        inside = [LIBRARY_BASE + a for a in return_addresses(library)[0][:4000]]
        self.own = [rng.sample(inside, 4) for _ in range(3)]
        ways = [[anywhere() for _ in range(rng.randrange(6, 26))] for _ in range(400)]
        self.any_way = zipf(rng, ways, 1.3)
        self.ways = {}  # usually an allocating function has a single caller
        self.root = addresses[13001:13003]

    def caller(self, address):
        choices = self.callers.get(address)
        if choices is None:
            choices = self.callers[address] = [self.anywhere() for _ in range(3)]
        draw = self.rng.random()
        return choices[0 if draw < 0.9 else 1 if draw < 0.97 else 2]

    def way(self, leaf):
        if self.rng.random() < 0.2:
            return self.any_way()
        return self.ways.setdefault(leaf, self.any_way())

    def draw(self):
        depth = min(DEPTH_MAX, max(8, int(self.rng.lognormvariate(math.log(31), 0.44))))
        stack = list(self.own[0 if self.rng.random() < 0.8 else self.rng.randrange(3)])
        stack.append(self.leaf())
        way = self.way(stack[-1])
        while len(stack) < depth - len(way) - 2:
            stack.append(self.caller(stack[-1]))
        return tuple((stack + way + self.root)[:DEPTH_MAX])


def unbiased(n, size):
    """jemalloc's sums for n objects of one size: an eighth of an object is its grain."""
    p = -math.expm1(-size / PERIOD)
    return n * round(8 / p) / 8, n * round(size / p)


def printed(objects, space):
    """The numbers that jemalloc prints for its sums: see prof_do_unbias."""
    if not objects:
        return 0, 0
    mean = space / objects
    y = space * -math.expm1(-mean / PERIOD)
    return round(y / mean), round(y)


def write_dump(path, rng, stacks, maps):
    """Returns the number of bytes of all stack lines."""
    sizes = [size for size, weight in SIZES for _ in range(weight)]
    lines, totals = [], [0.0] * 4
    for stack in stacks:
        size = rng.choice(sizes)
        made = 1 + int(rng.expovariate(1.0)) ** 2
        held = made if rng.random() < 0.7 else rng.randrange(made + 1)
        values = (*unbiased(held, size), *unbiased(made, size))
        totals = [a + b for a, b in zip(totals, values)]
        n, b = printed(*values[:2])
        m, a = printed(*values[2:])
        lines.append('@ ' + ' '.join(f'{frame:#x}' for frame in stack) +
                     f'\n  t*: {n}: {b} [{m}: {a}]\n  t0: {n}: {b} [{m}: {a}]\n')
    n, b = printed(*totals[:2])
    m, a = printed(*totals[2:])
    with open(path, 'w', encoding='ascii') as file:
        file.write(f'heap_v2/{PERIOD}\n  t*: {n}: {b} [{m}: {a}]\n  t0: {n}: {b} [{m}: {a}]\n')
        file.writelines(lines)
        file.write('\nMAPPED_LIBRARIES:\n' + '\n'.join(row for _, row in sorted(maps)) + '\n')


def describe(path, stacks):
    depths = sorted(map(len, stacks))
    frames = sum(depths)
    leaf = root = 0
    for a, b in zip(stacks, stacks[1:]):
        n = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
        leaf += n
        root += next((i for i, (x, y) in enumerate(zip(a[:n - 1:-1], b[:n - 1:-1])) if x != y),
                     min(len(a), len(b)) - n)
    print(f'{path}: {os.path.getsize(path) / 1e6:.1f} MB, {len(stacks)} stacks, depth '
          f'{depths[len(depths) // 2]}/{depths[len(depths) * 9 // 10]}/{depths[-1]} '
          f'(p50/p90/max), {len({f for s in stacks for f in s})} distinct addresses; shared with '
          f'the stack before: {100 * leaf / frames:.0f} % at the leaf, '
          f'{100 * root / frames:.0f} % at the root')


def main(directory, count=100000, seed=1):
    rng = random.Random(int(seed))
    program = compile_program(directory, rng)
    library = find_library()
    shape = Shape(rng, program, library)
    stacks = set()
    while len(stacks) < int(count):
        stacks.add(shape.draw())
    # jemalloc's order: memcmp() of the addresses, leaf first.
    stacks = sorted(stacks, key=lambda s: struct.pack(f'<{len(s)}Q', *s))
    path = os.path.join(directory, 'dump.heap')
    write_dump(path, rng, stacks, map_rows(program, PROGRAM_BASE, 4711) +
               map_rows(library, LIBRARY_BASE, 4712))
    describe(path, stacks)


if __name__ == '__main__':
    main(*sys.argv[1:])

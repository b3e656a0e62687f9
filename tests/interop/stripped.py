#!/usr/bin/env python3
"""Names of stripped programs: the symbols in .gnu_debugdata, as Fedora packs them, those of .dynsym that Go's
linker numbers its own way, and what is damaged or too large, which costs the names of that module alone.
Symbols of the whole program, as nm tells them, are what is expected; the sandbox changes none.

usage: stripped.py BINARY TESTDATA instrumented|whole
"""
import lzma
import json
import pathlib
import random
import re
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
import binaries  # noqa: E402
from harness import Tests, scratch  # noqa: E402

t = Tests()
BASE = 0x555500000000
CONFINED = 'auto' if sys.argv[3] == 'instrumented' else 'require'
SOURCE = '''
#include <stdlib.h>
__attribute__((noinline)) int work(int n) { __asm__ volatile(""); return n * 3; }
''' + ''.join(f'''
{"" if i % 4 == 0 else "static "}__attribute__((noinline)) int f{i}(int n) {{
    return n ? work(n) * {i + 3} + work(n >> 1) : 0; }}
''' for i in range(40)) + 'int main(int argc, char **argv) { (void)argv; return ' + ' + '.join(
    f'f{i}(argc)' for i in range(40)) + '; }\n'


def build(folder):
    """A program and the same stripped, which exports every fourth function."""
    path = folder / 'app.c'
    path.write_text(SOURCE)
    binaries.run(binaries.compiler('CC'), '-O1', '-w', '-rdynamic', '-Wl,--build-id=none', '-o', folder / 'whole', path)
    binaries.run('objcopy', '--strip-all', folder / 'whole', folder / 'bare')
    return folder / 'whole'


def heap(program, folder, calls=None):
    rows, _ = binaries.rows(program, '/srv/app', BASE)
    found = calls or sorted(set(binaries.returns(program)))
    path = folder / 'app.heap'
    path.write_text(binaries.heap([[BASE + call] for call in found], rows))
    return path


def rows_of(binary, dump, *more):
    """Names of rows and what `info` says of the module."""
    option = f'--path-map=/srv/app={binary}'
    told = []
    for mode in (CONFINED, 'off'):
        names = t.ok('folded', '-q', '--frames=all', f'--sandbox={mode}', option, *more, dump).out
        info = t.ok('info', '-q', '-fjson', f'--sandbox={mode}', option, *more, dump).out
        told.append((sorted(line.rsplit(' ', 1)[0] for line in names.splitlines()), json.loads(info)['modules'][0]))
    if told[0] != told[1]:
        raise AssertionError(f'the sandbox changes it: {told}')
    return told[0]


def mini(folder, whole, **options):
    """As find-debuginfo makes it: what .dynsym has not, less all but the symbols."""
    def names(*flags):
        out = subprocess.run(['nm', *flags, '--defined-only', '-f', 'posix', str(whole)], check=True,
                             capture_output=True, text=True).stdout
        return {line.split()[0] for line in out.splitlines() if line.split()[1] in 'tT'}
    keep = folder / 'keep'
    keep.write_text('\n'.join(sorted(names() - names('-D'))))
    binaries.run('objcopy', '--only-keep-debug', whole, folder / 'mini.debug')
    binaries.run('objcopy', '-S', '--remove-section=.comment', f'--keep-symbols={keep}', folder / 'mini.debug',
                 folder / 'mini')
    return lzma.compress((folder / 'mini').read_bytes(), **options)


def with_section(folder, packed, name='mini-app'):
    (folder / 'packed.xz').write_bytes(packed)
    binaries.run('objcopy', f'--add-section=.gnu_debugdata={folder / "packed.xz"}', folder / 'bare', folder / name)
    return folder / name


def debugdata(folder, whole):
    """All functions have their names; without the section those that are exported do."""
    dump = heap(whole, folder)
    want, all_rows = rows_of(whole, dump)
    got, row = rows_of(with_section(folder, mini(folder, whole)), dump)
    few, _ = rows_of(folder / 'bare', dump)
    faults = [] if got == want and row['symbols'] == 'function names only' and row['note'] is None else \
        [f'{set(want) ^ set(got)} {row}']
    nameless = sum(name.startswith('app+0x') for name in few)
    return faults + ([] if nameless > 20 and not any(name.startswith('app+0x') for name in want) else
                     [f'{nameless} are nameless without it {all_rows}'])


def hostile(folder, whole):
    """What cannot be read is told, and costs what only it would name."""
    good, dump = mini(folder, whole), heap(whole, folder)
    few, _ = rows_of(folder / 'bare', dump)
    large = [{'id': lzma.FILTER_LZMA2, 'dict_size': 1 << 30}]
    cases = {'nothing': b'\0' * 64, 'half': good[:len(good) // 2], 'no ELF file': lzma.compress(b'x' * 5000),
             'a bomb': lzma.compress(b'\x7fELF' + b'\0' * (96 << 20)),
             'more than 64 times': lzma.compress((folder / 'mini').read_bytes() + b'\0' * (2 << 20)),
             'a dictionary of 1 GiB': mini(folder, whole, filters=large)}
    faults = []
    for what, packed in cases.items():
        got, row = rows_of(with_section(folder, packed), dump)
        if got != few or 'its .gnu_debugdata is damaged' not in (row['note'] or ''):
            faults.append(f'{what}: {row} {set(got) ^ set(few)}')
    return faults


def mutated(folder, whole, count):
    """Damaged files within: names or none, and no crash of anybody but the child."""
    chosen, dump, faults = random.Random(5), heap(whole, folder), []
    mini(folder, whole)
    content = (folder / 'mini').read_bytes()
    for i in range(count):
        mutant = bytearray(content)
        for _ in range(2 ** chosen.randrange(8)):
            mutant[chosen.randrange(len(mutant))] = chosen.randrange(256)
        path = with_section(folder, lzma.compress(bytes(mutant)))
        done = t.run('folded', '-q', f'--path-map=/srv/app={path}', dump)
        if done.code != 0 or 'Sanitizer' in done.err or 'runtime error' in done.err:
            faults.append(f'{i}: {done.code} {done.err[-300:]}')
    return faults


def sections(data):
    """(name, offset, size, entry size) of each section of a 64-bit little-endian file."""
    at, = struct.unpack_from('<Q', data, 40)
    size, count, names = struct.unpack_from('<HHH', data, 58)
    rows = [struct.unpack_from('<IIQQQQIIQQ', data, at + i * size) for i in range(count)]
    for row in rows:
        start = rows[names][4] + row[0]
        yield data[start:data.index(b'\0', start)].decode(), row[4], row[5], row[9]


def as_go(folder, whole):
    """Functions numbered with the first section, which has no code."""
    data = bytearray((folder / 'bare').read_bytes())
    changed = 0
    for name, at, size, entry in sections(data):
        for i in range(at, at + size, entry) if name == '.dynsym' else ():
            info, shndx = struct.unpack_from('<BxH', data, i + 4)
            if info & 15 == 2 and shndx:
                struct.pack_into('<H', data, i + 6, 1)
                changed += 1
    path = folder / 'as-go'
    path.write_bytes(data)
    dump = heap(whole, folder)
    (want, _), (got, row) = rows_of(folder / 'bare', dump), rows_of(path, dump)
    return [] if got == want and changed > 5 and re.search('function names', row['symbols']) else \
        [f'{changed}: {set(want) ^ set(got)} {row}']


def main():
    count = int(sys.argv[4]) if len(sys.argv) > 4 else 40
    with scratch() as folder:
        folder = pathlib.Path(folder)
        whole = build(folder)
        t.check('symbols that are packed in .gnu_debugdata', lambda: debugdata(folder, whole))
        t.check('what cannot be unpacked', lambda: hostile(folder, whole))
        t.check(f'{count} damaged files within', lambda: mutated(folder, whole, count))
        t.check("functions as Go's linker numbers them", lambda: as_go(folder, whole))
    t.done()


main()

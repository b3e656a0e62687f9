#!/usr/bin/env python3
"""Tests the names of stripped programs: symbols in .gnu_debugdata, as Fedora packs them; those in .dynsym, which Go's
linker numbers differently; and functions without a name, which .eh_frame delimits.  Damaged or too large sections
cost the names of their module only.  jemalloc in a program is recognized.  Expected are the symbols that nm prints for the whole program; the sandbox
changes none.

usage: stripped.py BINARY TESTDATA instrumented|whole
"""
import functools
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
MODES = ['auto'] if sys.argv[3] == 'instrumented' else ['require', 'off']  # without the system call filter these are the same
SOURCE = '''
#include <stdlib.h>
#ifdef BANNER
const char banner[] = BANNER;
#endif
__attribute__((noinline)) int work(int n) { __asm__ volatile(""); return n * 3; }
__attribute__((cold, noinline)) static int rare(int n) { return n ? work(n) : 0; }
static __attribute__((noinline)) int often(int n) {
    if (__builtin_expect(n == 7, 0)) { n += rare(n); n *= rare(n + 1); }
    return work(n) + 1; }
''' + ''.join(f'''
{"" if i % 4 == 0 else "static "}__attribute__((noinline)) int f{i}(int n) {{
    return n ? often(n) * {i + 3} + work(n >> 1) : 0; }}
''' for i in range(40)) + 'int main(int argc, char **argv) { (void)argv; return ' + ' + '.join(
    f'f{i}(argc)' for i in range(40)) + '; }\n'


def build(folder, *flags):
    """A program and the same stripped, which exports every fourth function."""
    folder.mkdir(exist_ok=True)
    path = folder / 'app.c'
    path.write_text(SOURCE)
    binaries.run(binaries.compiler('CC'), '-O2', '-fno-inline', '-w', '-rdynamic', *flags, '-o', folder / 'whole', path)
    binaries.run('objcopy', '--strip-all', folder / 'whole', folder / 'bare')
    return folder / 'whole'


def heap(program, folder, calls=None, mapped='/srv/app'):
    rows, _ = binaries.rows(program, mapped, BASE)
    found = calls or sorted(set(binaries.returns(program)))
    path = folder / 'app.heap'
    stacks = [[BASE + call] for call in found]
    stacks.append([BASE + call for call in (*found, found[0])])  # all of its addresses except the last are return addresses
    path.write_text(binaries.heap(stacks, rows))
    return path


def rows_of(binary, dump, *more):
    """(names of rows, the entry of `info` for the module)"""
    option = f'--path-map=/srv/app={binary}'
    told = []
    for mode in MODES:
        names = t.ok('folded', '-q', '--frames=no-alloc', f'--sandbox={mode}', option, *more, dump).out
        info = t.ok('info', '-q', '-fjson', f'--sandbox={mode}', option, *more, dump).out
        lines = [line.rsplit(' ', 1)[0] for line in names.splitlines()]
        told.append((sorted(line for line in lines if ';' not in line), json.loads(info)['modules'][0]))
    if told[0] != told[-1]:
        raise AssertionError(f'the sandbox changes it: {told}')
    return told[0]


def mini(folder, whole, **options):
    """.gnu_debugdata as find-debuginfo makes it: the symbols that are not in .dynsym, and little else."""
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
    """All functions have their names; without the section only the exported ones do."""
    dump = heap(whole, folder)
    want, all_rows = rows_of(whole, dump)
    got, row = rows_of(with_section(folder, mini(folder, whole)), dump)
    few, _ = rows_of(folder / 'bare', dump)
    faults = [] if got == want and row['symbols'] == 'function names only' and row['note'] is None else \
        [f'{set(want) ^ set(got)} {row}']
    nameless = sum(name.startswith('app+0x') for name in few)
    return faults + ([] if nameless > 15 and not any(name.startswith('app+0x') for name in want) else
                     [f'{nameless} are nameless without it {all_rows}'])


def hostile(folder, whole):
    """An unreadable section is reported, and costs only the names that it would give."""
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


# --- where functions begin ----------------------------------------------------------------


@functools.lru_cache(maxsize=None)
def functions(whole):
    """(start, end, name) of each function, as printed by nm."""
    out = subprocess.run(['nm', '-S', '--defined-only', str(whole)], check=True, capture_output=True, text=True).stdout
    rows = [line.split() for line in out.splitlines()]
    return sorted((int(row[0], 16), int(row[0], 16) + int(row[1], 16), row[3])
                  for row in rows if len(row) == 4 and row[2] in 'tTwW')


@functools.lru_cache(maxsize=None)
def exported(whole):
    out = subprocess.run(['nm', '-D', '--defined-only', str(whole)], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1] for line in out.splitlines()}


def offset_of(loads, address):
    return next(address - start + offset for _, offset, start, size in loads if start <= address < start + size)


def wanted(whole, calls, names):
    """The row of each call: its function's name, or where that begins in the file."""
    rows, loads = set(), list(binaries.loads(whole))
    for call in calls:
        start, _, name = next(row for row in functions(whole) if row[0] <= call - 1 < row[1])
        rows.add(name if name in names else f'app+0x{offset_of(loads, start):x}')
    return sorted(rows)


def known_calls(whole):
    """The calls in functions that nm knows."""
    known = functions(whole)
    return [call for call in sorted(set(binaries.returns(whole)))
            if any(start <= call - 1 < end for start, end, _ in known)]


def begins(folder, whole, file=None):
    """There is a row for each function and for each part that the compiler has moved elsewhere (.cold); `info` counts
    them."""
    known, calls = functions(whole), known_calls(whole)
    want = wanted(whole, calls, exported(whole))
    dump = heap(whole, folder, calls)
    got, row = rows_of(file or folder / 'bare', dump)
    screens = [t.ok('info', '-q', f'--path-map=/srv/app={path}', dump).out for path in (file or folder / 'bare', whole)]
    if ['some without names' in screen for screen in screens] != [True, False]:
        return screens
    nameless = [name for name in want if '+0x' in name]
    told = re.search(r'(\d+) addresses of (\d+) functions known by where they begin', row['note'] or '')
    addresses = sum(next(r[2] for r in known if r[0] <= c - 1 < r[1]) not in exported(whole) for c in calls)
    cold = any(name.endswith('.cold') for _, _, name in known)
    return [] if got == want and told and (int(told[1]), int(told[2])) == (addresses, len(nameless)) and \
        len(nameless) > 25 and cold else [f'{sorted(set(got) ^ set(want))} {row} {addresses} {len(nameless)} {cold}']


def changed(folder, whole, section, change):
    data = bytearray((folder / 'bare').read_bytes())
    at, size = next((at, size) for name, at, size, _ in sections(data) if name == section)
    data[at:at + size] = change(bytearray(data[at:at + size]))
    path = folder / 'changed'
    path.write_bytes(data)
    path.chmod(0o755)
    return path


def without_index(folder, whole):
    """Without the usual index, or with an unsorted one, all entries are read, with the same result."""
    def other(index):
        return b'\2' + index[1:]

    def turned(index):
        count = struct.unpack_from('<I', index, 8)[0]
        rows = [index[12 + 8 * i:20 + 8 * i] for i in range(count)]
        return index[:12] + b''.join(rows[::-1]) + index[12 + 8 * count:]

    return [fault for change in (other, turned)
            for fault in begins(folder, whole, changed(folder, whole, '.eh_frame_hdr', change))]


def untrusted(folder, whole):
    """If return addresses follow no call, or one is in a stub of .plt without a caller that explains it, rows are
    addresses."""
    calls = known_calls(whole)
    got, row = rows_of(folder / 'bare', heap(whole, folder, [*calls, calls[0] + 1, calls[1] + 1]))
    starts = {name for name in wanted(whole, calls, exported(whole)) if '+0x' in name}
    faults = [] if starts and not starts & set(got) and 'known by where' not in (row['note'] or '') else [str(row)]
    at = next(offset for name, offset, size, _ in sections((folder / 'bare').read_bytes()) if name == '.plt') + 21
    got, row = rows_of(folder / 'bare', heap(whole, folder, [*calls, at]))
    return faults + ([] if f'app+0x{at:x}' in got and not starts & set(got) else [f'.plt: {at:x} {got}'])


def damaged(folder, whole, count):
    """Damaged tables cause no crash and no endless loop, and the names of symbols stay."""
    chosen, faults = random.Random(9), []
    dump, names = heap(whole, folder), exported(whole)
    want = set(rows_of(folder / 'bare', dump)[0]) & names
    for i in range(count):
        def turn(content):
            for _ in range(2 ** chosen.randrange(10)):
                content[chosen.randrange(len(content))] = chosen.choice((0, 1, 0x7f, 0x80, 0xff, chosen.randrange(256)))
            return content
        path = changed(folder, whole, chosen.choice(('.eh_frame', '.eh_frame_hdr')), turn)
        done = t.run('folded', '-q', '--frames=no-alloc', f'--path-map=/srv/app={path}', dump)
        got = {name for line in done.out.splitlines() for name in line.rsplit(' ', 1)[0].split(';')}
        if done.code != 0 or want - got or 'Sanitizer' in done.err or 'runtime error' in done.err:
            faults.append(f'{i}: {done.code} {want - got} {done.err[-300:]}')
    return faults


def two_builds(folder, whole):
    """Rows of two builds never meet: the build id is in the name, or without one they are addresses."""
    faults = []
    for flag in ('sha1', 'none'):
        pair = [(folder / f'{flag}-{i}', build(folder / f'{flag}-{i}', f'-Wl,--build-id={flag}', *more))
                for i, more in enumerate(((), ('-Wl,--section-start=.text=0x8000',)))]
        dumps = [heap(program, at, mapped=f'/srv/{at.name}/app') for at, program in pair]
        maps = [f'--path-map=/srv/{at.name}/app={at / "bare"}' for at, _ in pair]
        got = [[line.rsplit(' ', 1)[0] for line in t.ok('folded', '-q', '--frames=no-alloc', *maps, *each).out.splitlines()
                if ';' not in line] for each in (dumps[:1], dumps)]
        starts = [{name for name in wanted(program, known_calls(program), exported(program)) if '+0x' in name}
                  for _, program in pair]
        marked = [name for name in got[1] if re.match(r'app\([0-9a-f]{12}\)\+0x', name)]
        if len(starts[0]) < 25 or not starts[0] <= set(got[0]) or (starts[0] | starts[1]) & set(got[1]) or \
                len(marked) != (len(starts[0]) + len(starts[1]) if flag == 'sha1' else 0):
            faults.append(f'{flag}: {len(marked)} {[len(each) for each in starts]} {sorted(got[1])}')
    return faults


def jemalloc_inside(folder):
    """The hint about an allocator without names says so if the binary has jemalloc's texts, and only then."""
    faults = []
    for i, banner in enumerate(('<jemalloc> ', '<jemalloc>: ')):
        whole = build(folder / f'banner{i}', f'-DBANNER="{banner}"')
        symbols = subprocess.run(['nm', '-S', str(whole)], check=True, capture_output=True, text=True).stdout
        ranges = {line.split()[-1]: (int(line.split()[0], 16), int(line.split()[1], 16))
                  for line in symbols.splitlines() if re.search(r' (often|f\d+)$', line)}
        found = binaries.returns(whole)
        inside = {name: next((call for call in found if at < call < at + size), None)
                  for name, (at, size) in ranges.items()}
        leaf = inside.pop('often')
        rows, _ = binaries.rows(whole, '/srv/app', BASE)
        dump = folder / f'banner{i}' / 'app.heap'
        dump.write_text(binaries.heap([[BASE + leaf, BASE + call] for call in inside.values() if call], rows))
        out = t.codes('top', '-v', f'--path-map=/srv/app={folder / f"banner{i}" / "bare"}', dump).out
        if 'allocated-inside: 100' not in out or ('has-jemalloc' in out) != (i == 1):
            faults.append(f'{banner!r}: {out[-400:]}')
    return faults


def main():
    count = int(sys.argv[4]) if len(sys.argv) > 4 else 12 if sys.argv[3] == 'instrumented' else 40
    with scratch() as folder:
        folder = pathlib.Path(folder)
        whole = build(folder, '-Wl,--build-id=none')
        t.check('symbols in .gnu_debugdata are used', lambda: debugdata(folder, whole))
        t.check('damaged .gnu_debugdata is reported', lambda: hostile(folder, whole))
        t.check(f'{count} damaged files in .gnu_debugdata do no harm', lambda: mutated(folder, whole, count))
        t.check('the beginnings of functions are found', lambda: begins(folder, whole))
        t.check('functions are found without a sorted index', lambda: without_index(folder, whole))
        t.check('addresses of another build and of stubs get no name', lambda: untrusted(folder, whole))
        t.check('two builds stay separate', lambda: two_builds(folder, whole))
        t.check(f'{count} damaged tables do no harm', lambda: damaged(folder, whole, count))
        t.check("functions in the numbering of Go's linker are found", lambda: as_go(folder, whole))
        t.check("a program with jemalloc's texts is recognized", lambda: jemalloc_inside(folder))
    t.done()


main()

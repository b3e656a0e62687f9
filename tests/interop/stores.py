#!/usr/bin/env python3
"""Tests the places where the files of a module may be: each path in a store by build id, with the binary or without
it, a folder with all files, and a debug file instead of the binary.  The names are those that the binary gives, or
there are none; with the sandbox and without it.

usage: stores.py BINARY TESTDATA instrumented|whole
"""
import functools
import json
import pathlib
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
import binaries  # noqa: E402
from harness import Tests, scratch  # noqa: E402
from profile_writer import Profile  # noqa: E402

t = Tests()
BASE = 0x555500000000
TREES = ('.build-id', 'usr/lib/debug/.build-id', 'usr/lib/.build-id')
LAYOUTS = [f'{tree}/{{0}}/{{1}}{end}' for tree in TREES for end in ('.debug', '')]
LAYOUTS += ['{0}{1}.debug', '{0}{1}', '{0}{1}/debuginfo', '{0}{1}/app']
SOURCE = '''
__attribute__((noinline)) int work(int n) { __asm__ volatile(""); return n * 3; }
static inline __attribute__((always_inline)) int inner(int n) { return work(n) + work(n + %d); }
''' + ''.join(f'''
__attribute__((noinline)) int f{i}(int n) {{ return n ? inner(n) * {i + 3} + work(n >> 1) : 0; }}
''' for i in range(20)) + '''
int main(int argc, char **argv) { (void)argv; return ''' + ' + '.join(f'f{i}(argc)' for i in range(20)) + '; }\n'
CONFINED = 'auto' if sys.argv[3] == 'instrumented' else 'require'
MODES = (CONFINED, 'off')[:1 if CONFINED == 'auto' else 2]  # without the system call filter both are the same


class Build:
    """A program with debug information, the same without, and its debug file."""

    def __init__(self, folder, name, *flags, step=1, compiler=None):
        self.folder = pathlib.Path(folder, name)
        self.folder.mkdir()
        (self.folder / 'app.c').write_text(SOURCE % step)
        command = [compiler or binaries.compiler('CC'), '-O1', '-g', '-w', '-Wl,--build-id=sha1', *flags, '-o', 'app', 'app.c']
        subprocess.run(command, cwd=self.folder, check=True, stdin=subprocess.DEVNULL)
        self.program, self.debug = self.folder / 'app', self.folder / 'app.debug'
        self.bare = self.folder / 'bare'
        binaries.run('objcopy', '--only-keep-debug', self.program, self.debug)
        binaries.run('objcopy', '--strip-all', f'--add-gnu-debuglink={self.debug}', self.program, self.bare)
        notes = subprocess.run(['readelf', '-n', str(self.program)], check=True, capture_output=True, text=True).stdout
        told = re.search(r'Build ID: (\w+)', notes)
        self.id = told[1] if told else ''

    @functools.cached_property
    def calls(self):
        return sorted(set(binaries.returns(self.program)))

    def profile(self, build_id):
        """A pprof profile, which contains the build id, of a program that does not exist here."""
        rows, _ = binaries.rows(self.program, '/srv/app', base_of(self.program))
        row = next(row.split() for row in rows if 'x' in row.split()[1])
        start, limit = (int(word, 16) for word in row[0].split('-'))
        p = Profile()
        app = p.mapping('/srv/app', start, limit, int(row[2], 16), build_id)
        calls = [base_of(self.program) + call - 1 for call in self.calls]
        for i in range(0, len(calls) - 2, 3):
            p.sample([p.location(address, app, ()) for address in calls[i:i + 3]], [1, 64], 64)
        path = self.folder / 'told.pb'
        path.write_bytes(p.bytes())
        return path

    def heap(self, name='app.heap', change=lambda rows: rows):
        """A jemalloc dump, which contains no build id."""
        rows, _ = binaries.rows(self.program, '/srv/app', base_of(self.program))
        calls = [base_of(self.program) + call for call in self.calls]
        path = self.folder / name
        path.write_text(binaries.heap([calls[i:i + 3] for i in range(0, len(calls), 3)], change(rows)))
        return path


@functools.lru_cache(maxsize=None)
def base_of(program):
    """The offset that is added to the addresses of a program."""
    return BASE if subprocess.run(['readelf', '-h', str(program)], check=True, capture_output=True,
                                  text=True).stdout.find('EXEC') < 0 else 0


def names(*arguments, modes=MODES):
    """Stacks with functions and lines, without their bytes; they are the same with the sandbox and without."""
    told = [re.sub(r' \d+$', '', t.ok('folded', '-q', '--by=line', f'--sandbox={mode}', *arguments).out, flags=re.M)
            for mode in modes]
    return told[0] if told[0] == told[-1] else f'the sandbox changes them: {told}'


def module(*arguments):
    return json.loads(t.ok('info', '-q', '-fjson', *arguments).out)['modules'][0]


def has_none(text):
    return bool(text) and 'f1 ' not in text and re.search('app[+@]0x', text) is not None


def put(root, layout, build_id, file):
    place = root / layout.format(build_id[:2], build_id[2:])
    shutil.rmtree(root, ignore_errors=True)
    place.parent.mkdir(parents=True)
    shutil.copy(file, place)
    return f'--symbol-dir={root}'


def store(folder, build, other, layout):
    """The names are found by the id in either case, from a debug file and from the binary; none are found by another
    id, by an invalid id, or from a file whose id differs from its place."""
    want = names(f'--path-map=/srv={build.folder}', build.profile(build.id))
    faults, root = [], folder / 'root'
    for file in (build.debug, build.program):
        option = put(root, layout, build.id, file)
        for told in (build.id, build.id.upper())[:1 if file == build.program else 2]:
            got = names(option, build.profile(told), modes=MODES[:2 if layout == LAYOUTS[0] else 1])
            faults += [] if got == want and 'inner app.c' not in got and '/app.c:3' in got else \
                [f'{layout} {file.name} {told}: {got[:300]} {module(option, build.profile(told))}']
        none = (build.id[::-1], f'x/../{build.id}', f'{build.id[:2]}/{build.id[2:]}', build.id[:6], '')
        for told in () if file == build.program else none if layout == LAYOUTS[0] else none[:2]:
            got = names(option, build.profile(told), modes=[CONFINED])
            faults += [] if has_none(got) else [f'{layout} {file.name} by {told!r}: {got[:300]}']
        wrong = put(root, layout, build.id, other.debug if file == build.debug else other.program)
        row = module(wrong, build.profile(build.id))
        got = names(wrong, build.profile(build.id), modes=[CONFINED])
        faults += [] if has_none(got) and 'another build' in row['symbols'] and other.id in row['note'] else \
            [f'{layout}: another build: {got[:300]} {row}']
    return faults


def beside_binary(folder, build, layout):
    """The binary is there, stripped, and its debug file in the store."""
    want = names(f'--path-map=/srv={build.folder}', build.heap())
    bare = folder / 'bare'
    bare.mkdir(exist_ok=True)
    shutil.copy(build.bare, bare / 'app')
    option = put(folder / 'root', layout, build.id, build.debug)
    got = names(option, f'--path-map=/srv={bare}', build.heap(), modes=[CONFINED])
    none = names(f'--path-map=/srv={bare}', build.heap(), modes=[CONFINED])
    return ([] if got == want else [f'{layout}: {got[:300]}']) + ([] if has_none(none) else [none])


def fleet(folder, build):
    """A pod merges its dumps with names left for later; elsewhere the store is available, but no binary."""
    pod, root = folder / 'pod.pb.gz', folder / 'root'
    option = f'--path-map=/srv={build.folder}'
    pod.write_bytes(t.ok('merge', '-fpprof', f'--path-map=/srv/app={build.bare}', build.heap()).out_bytes)
    want = names(option, build.heap())
    plain = folder / 'plain.pb'
    data = build.profile(build.id)
    plain.write_bytes(data.read_bytes())
    merged = folder / 'merged.hpa'
    merged.write_bytes(t.ok('merge', '-fhpa', '--no-symbols', plain, timeout=60).out_bytes)
    stored = put(root, LAYOUTS[2], build.id, build.debug)
    faults = [] if names(stored, pod) == want else [f'{names(stored, pod)[:300]} {module(stored, pod)}']
    return faults + ([] if names(stored, merged) == names(option, plain) else ['of a partial'])


def in_place(folder, build):
    """A debug file instead of the binary gives the names.  `info` says that only the calls listed by GCC were
    compared, not the code."""
    want = names(f'--path-map=/srv={build.folder}', build.heap())
    faults = []
    for at, option in (('a path', f'--path-map=/srv/app={build.debug}'),
                       ('a flat folder', put(folder / 'root', 'app', 'xxxx', build.debug))):
        got, row = names(option, build.heap()), module(option, build.heap())
        counts = row['return_addresses']
        is_compared = 'calls that it lists' in row['note'] and counts and counts['checked'] > 20 and not counts['not_after_call']
        is_not = 'not compared by code' in row['note'] and not counts
        has_lists = 'clang' not in binaries.compiler('CC') and row['address_kind'] == 'elf'
        if got != want or not (is_compared if has_lists else is_not):
            faults.append(f'{at}: {got[:300]} {row}')
    # If the binary is available, too, its code is compared.
    row = module(f'--symbol-dir={folder / "root"}', f'--path-map=/srv={build.folder}', build.heap())
    faults += [] if row['return_addresses']['checked'] > 20 and not row['note'] else [str(row)]
    return faults


def not_in_place(folder, build, other):
    """Rows that are not the segments, by number or size: refused, and said so."""
    def is_code(row):
        return ' r-xp ' in row

    def longer(rows):
        return [re.sub(r'-(\w+) ', lambda m: f'-{int(m[1], 16) + 4096:x} ', row, count=1) if is_code(row) else row
                for row in rows]

    def two(rows):
        last = int(rows[-1].split()[0].split('-')[1], 16)
        return [*rows, f'{last:x}-{last + 4096:x} r-xp 00900000 fe:00 7 /srv/app']

    def hole(rows):
        found = next(row for row in rows if is_code(row))
        last = int(found.split()[0].split('-')[1], 16)
        cut = re.sub(r'-\w+ ', f'-{last - 4096:x} ', found, count=1)
        return [cut if row == found else row for row in rows] + [f'{last - 4096:x}-{last:x} r-xp 00000000 00:00 0']

    faults, option = [], f'--path-map=/srv/app={build.debug}'
    for change in (longer, two, hole):
        dump = build.heap(f'{change.__name__}.heap', change)
        got, row = names(option, dump), module(option, dump)
        if not has_none(got) or 'no file there has the layout' not in row['note']:
            faults.append(f'{change.__name__}: {got[:300]} {row}')
    row = module(f'--path-map=/srv/app={other.folder / "app.c"}', build.heap())
    return faults + ([] if row['symbols'].find('function') < 0 else [str(row)])


def flat(folder, build, other):
    """A file is found by the name in a debug link, and by the module's name; files that do not fit are skipped."""
    root, bare = folder / 'flat', folder / 'bare-flat'
    faults = []
    want = names(f'--path-map=/srv={build.folder}', build.heap())
    bare.mkdir(exist_ok=True)
    shutil.copy(build.bare, bare / 'app')
    for what, name, file, fits in (('debug link', 'app.debug', build.debug, True),
                                   ('name', 'app', build.debug, bool(build.id)),
                                   ('whole', 'app', build.program, True),
                                   ('another', 'app.debug', other.debug, False),
                                   ('another whole', 'app', other.program, False)):
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir()
        shutil.copy(file, root / name)
        got = names(f'--symbol-dir={root}', f'--path-map=/srv={bare}', build.heap())
        if (got == want) != fits or (not fits and not has_none(got)):
            faults.append(f'{what}: {got[:300]}')
    shutil.copy(build.debug, root / 'app.debug')
    with open(root / 'app.debug', 'ab') as file:
        file.write(b'x')
    got = names(f'--symbol-dir={root}', f'--path-map=/srv={bare}', build.heap())
    fits = bool(build.id)  # otherwise its CRC decides
    return faults + ([] if (got == want) == fits else [f'changed: {got[:300]}'])


def split_build(folder, name, compiler, *flags):
    build = Build(folder, name, '-gsplit-dwarf', *flags, compiler=compiler)
    return build, next(build.folder.glob('*.dwo'))


def split_elsewhere(folder, build, dwo, other):
    """The .dwo file is next to the binary, below its folder of compilation, or with all others: in a sysroot."""
    want = names(f'--path-map=/srv={build.folder}', build.heap(), modes=['off'])
    faults = [] if ';inner ' in want else [want[:300]]
    root, away, bare = folder / 'split-root', folder / 'away', folder / 'split-bare'
    bare.mkdir()
    shutil.copy(build.program, bare / 'app')
    dwo.rename(away)
    for what, place, option in (
            ('beside', 'srv/' + dwo.name, ''), ('where it was compiled', str(dwo)[1:], f'--path-map=/srv={bare}'),
            ('flat', dwo.name, f'--path-map=/srv={bare}'), ('another first', '', f'--path-map=/srv={bare}')):
        shutil.rmtree(root, ignore_errors=True)
        for at, file in ((place or dwo.name, away), ('srv/app', build.program)):
            if what == 'beside' or at != 'srv/app':
                (root / at).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, root / at)
        if what == 'another first':
            shutil.copy(other, bare / dwo.name)
        arguments = [word for word in (f'--symbol-dir={root}', option, build.heap()) if word]
        got = names(*arguments)
        faults += [] if got == want else [f'{what}: {got[:300]} {module(*arguments)}']
    away.rename(dwo)
    shutil.rmtree(root)
    shutil.copytree(bare, root / 'srv')
    row = module(f'--symbol-dir={root}', '--symbol-dir-only', build.heap())
    return faults + ([] if row['lacks_inlines'] and '(.dwo) is missing' in row['note'] else [str(row)])


def is_told(*arguments, why):
    """The message is on the screen, without folders, and whole in reports with -v and in JSON, and on standard error for
    formats without a place for it, with the share of the bytes."""
    wanted = re.compile(r'/srv/app: inlined calls or lines are missing for (\d+\.\d)% of the bytes: ' + why)
    short = re.compile(wanted.pattern.replace('/srv/', '^warning: ').replace(r'/\S*', ''), re.M)
    texts = {'text': t.ok('top', '-v', *arguments).out, 'info': t.ok('info', '-v', *arguments).out,
             'json': t.ok('top', '-fjson', *arguments).out, 'stderr': t.ok('folded', *arguments).err}
    screens = {f'screen of {report}': t.ok(report, *arguments).out for report in ('top', 'info')}
    found = {name: wanted.search(text) for name, text in texts.items()}
    found.update((name, short.search(text)) for name, text in screens.items())
    texts.update(screens)
    faults = [f'{name}: {texts[name][:600]}' for name, match in found.items() if not match]
    shares = {match[1] for match in found.values() if match}
    return faults + ([] if shares == {'100.0'} else [f'of the bytes: {shares}'])


def split_gone(folder, build, dwo):
    dwo.rename(folder / 'gone')
    faults = is_told(f'--path-map=/srv={build.folder}', build.heap(), why=r'a file of split debug.*\(\.dwo\) is missing')
    (folder / 'gone').rename(dwo)
    return faults


def split_package(folder, build, dwo):
    """The package is found next to the binary, or in a folder of symbols."""
    want = names(f'--path-map=/srv={build.folder}', build.heap(), modes=['off'])
    package = folder / 'made.dwp'
    binaries.run('llvm-dwp', dwo, '-o', package)
    dwo.rename(folder / 'gone')
    faults = []
    for place in (build.folder / 'app.dwp', folder / 'packages' / f'{build.id}.dwp', folder / 'packages' / 'app.dwp'):
        place.parent.mkdir(exist_ok=True)
        shutil.copy(package, place)
        options = [f'--path-map=/srv={build.folder}', f'--symbol-dir={place.parent}', build.heap()]
        faults += [] if names(*options) == want else [f'{place.name}: {module(*options)}']
        place.unlink()
    (folder / 'gone').rename(dwo)
    return faults


def over_memory(folder, build):
    """Sections that claim more than the memory limit are skipped; with more memory they are read."""
    claim = folder / 'claim'
    claim.write_bytes(b'ZLIB' + (150 << 20).to_bytes(8, 'big') + bytes(1 << 18))
    root = folder / 'claims' / 'srv'
    root.mkdir(parents=True)
    binaries.run('objcopy', '--add-section', f'.zdebug_types={claim}', build.program, root / 'app')
    options = [f'--path-map=/srv={root}', build.heap()]
    faults = is_told('--max-memory=64MiB', '--path-map=/srv=' + str(root), build.heap(),
                     why=r'/\S*app: its debug information needs 150\.\d MiB unpacked.*--max-memory')
    row = module('--max-memory=1GiB', *options)
    return faults + ([] if 'its .debug_types is not what it was compressed from' in row['note'] else [str(row)])


def main():
    with scratch() as folder:
        folder = pathlib.Path(folder)
        builds = [Build(folder, 'usual'), Build(folder, 'fixed', '-no-pie')]
        if shutil.which('ld.lld'):
            builds.append(Build(folder, 'lld', '-fuse-ld=lld'))
        other = Build(folder, 'other', '-O2', step=2)
        for build in builds:
            name = build.folder.name
            for layout in LAYOUTS if build == builds[-1] else LAYOUTS[:1]:
                t.check(f'{name}: debug file in a store with {layout.format("xx", "yyyy")}, without the binary',
                        lambda b=build, at=layout: store(folder, b, other, at))
            t.check(f'{name}: debug file in a store, with the binary', lambda b=build: [
                fault for layout in LAYOUTS for fault in beside_binary(folder, b, layout)])
            t.check(f'{name}: a profile merged in a pod gets its names from a store without the binary',
                    lambda b=build: fleet(folder, b))
            t.check(f'{name}: a debug file replaces the binary', lambda b=build: in_place(folder, b))
            t.check(f'{name}: a debug file is rejected if its segments are not those of the map',
                    lambda b=build: not_in_place(folder, b, other))
        t.check('one folder with all files', lambda: flat(folder, builds[0], other))
        bare = Build(folder, 'no-id', '-Wl,--build-id=none')
        t.check('one folder with all files, matched by CRC', lambda: flat(folder, bare, Build(
            folder, 'no-id-other', '-Wl,--build-id=none', '-O2', step=2)))
        split, dwo = split_build(folder, 'split', None)
        t.check('missing split DWARF is reported', lambda: split_gone(folder, split, dwo))
        if CONFINED == 'require':
            t.check('sections too large for memory are reported', lambda: over_memory(folder, builds[0]))
            other_dwo = split_build(folder, 'split-other', None, '-O2')[1]
            t.check('split DWARF is found in a sysroot', lambda: split_elsewhere(folder, split, dwo, other_dwo))
            if shutil.which('llvm-dwp') and shutil.which('clang'):
                packed = split_build(folder, 'packed', 'clang', '-gdwarf-5')
                t.check('a package of split DWARF is used', lambda: split_package(folder, *packed))
        if shutil.which('ld.lld'):
            code = [(offset, address) for flags, offset, address, _ in binaries.loads(builds[-1].program) if flags & 1]
            t.check('one program has code whose address differs from its offset',
                    [] if any(offset != address for offset, address in code) else [f'{code}'])
    t.done()


main()

#!/usr/bin/env python3
"""Programs compiled here and now: list finds their sources at the path in the debug information, then below
--source-dir, reports each missing source once, and reports sources of another version.

usage: sources.py BINARY TESTDATA
"""
import glob
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from harness import Tests, scratch  # noqa: E402

PROGRAM = '''#include <cstdlib>
struct Leaky {};
template <typename T> struct Box { static void *make(std::size_t n); };
template <typename T> __attribute__((noinline)) void *Box<T>::make(std::size_t n) {
    return std::malloc(n); // of a box
}
__attribute__((noinline)) void *take(Leaky *, std::size_t n) {
    return std::malloc(n); // of what was taken
}
#line 1 "/etc/passwd"
__attribute__((noinline)) void *secret(std::size_t n) { return std::malloc(n); }
#line 13 "PATH"
void *volatile kept[3];
int main() {
    kept[0] = Box<Leaky>::make(100000);
    kept[1] = take(nullptr, 200000);
    kept[2] = secret(400000);
}
'''
# clang knows no MD5 of files with a #line directive, as headers of libstdc++ have for clang 14; then it writes none.
UNDIRECTED = ''.join(line for line in PROGRAM.splitlines(True) if not line.startswith('#line')).replace(
    '#include <cstdlib>', 'extern "C" void *malloc(unsigned long); '
    'namespace std { using ::malloc; typedef unsigned long size_t; }')
NEWER = 'the source is newer than the binary: lines may have moved'
DIFFERS = 'the source differs from the one that was compiled: lines may have moved'
COMPILER = os.environ.get('CXX') or 'c++'


class Program:
    """A source, its program, and a dump of it."""

    def __init__(self, folder, *options, path=None, compiler=COMPILER, program=PROGRAM):
        self.source = folder / 'src' / 'a.cc'
        self.source.parent.mkdir(parents=True)
        self.source.write_text(program.replace('PATH', path or str(self.source)), encoding='ascii')
        self.binary = folder / 'program'
        subprocess.run([compiler, '-g', '-O1', *options, '-o', self.binary,
                        'src/a.cc' if path else self.source], check=True, cwd=folder)
        prefix = folder / 'heap'
        subprocess.run([self.binary], check=True, env={
            'LD_PRELOAD': JEMALLOC,
            'MALLOC_CONF': f'prof:true,prof_final:true,lg_prof_sample:0,prof_prefix:{prefix}'})
        self.dump = glob.glob(f'{glob.escape(str(prefix))}.*.f.heap')[0]

    def list(self, *args):
        """{name: its row}, and the text."""
        report = json.loads(t.ok('list', '-q', '-fjson', *args, self.dump).out)
        return {row['name']: row for row in report['rows']}, t.ok('list', '-q', *args, self.dump).out


def versions_of(rows):
    return {row['source'] for row in rows.values()}


def texts(rows, name):
    return [line['text'] for key, row in rows.items() if name in key for line in row['lines']]


def where_dwarf_says(folder):
    """Sources are found with any kind of linking, and after the program was copied elsewhere."""
    faults = []
    for kind, options in (('pie', ('-fPIE', '-pie')), ('fixed', ('-no-pie',))):
        program = Program(folder / kind, *options)
        rows, text = program.list('take')
        if texts(rows, 'take') != ['    return std::malloc(n); // of what was taken']:
            faults.append(f'{kind}: {text}')
        (folder / kind / 'copy').mkdir()
        shutil.move(program.binary, folder / kind / 'copy' / 'program')
        rows, text = program.list('take', f'--path-map={folder / kind}/={folder / kind}/copy/')
        if not any(texts(rows, 'take')) or rows and not versions_of(rows) <= {'unchecked', 'same'}:
            faults.append(f'{kind}, copied: {text}')
    return faults


def relative(folder):
    """A path that is relative to nothing that is known is looked for only below --source-dir."""
    program = Program(folder / 'relative', f'-ffile-prefix-map={folder}/relative=.', path='./src/a.cc')
    rows, text = program.list('take')
    faults = [] if not any(texts(rows, 'take')) and text.count('no source: ') == 1 and (
        'a relative path; --source-dir=DIR looks below DIR' in text) else [text]
    rows, text = program.list('take', f'--source-dir={folder}/relative')
    return faults + ([] if any(texts(rows, 'take')) and 'no source' not in text else [text])


def own_names(folder):
    """Template arguments and parameters are not shown, except to distinguish overloads."""
    program = Program(folder / 'names')
    faults = []
    for pattern, found in (('Leaky', []), ('^Box::make', ['Box<Leaky>::make']), ('make$', ['Box<Leaky>::make']),
                           ('Box::make[(]unsigned', ['Box<Leaky>::make']), ('size_t|unsigned|void', []),
                           ('^take', ['take']), ('take[(]Leaky', ['take'])):
        got = t.run('list', '-q', '-fjson', pattern, program.dump)
        names = [row['name'] for row in json.loads(got.out)['rows']] if got.code == 0 else []
        if len(names) != len(found) or not all(want in name for want, name in zip(found, names)):
            faults.append(f'{pattern}: {names or got.err}')
    return faults


def missing_once(folder):
    program = Program(folder / 'missing')
    program.source.unlink()
    text = program.list('make|take|^main|secret')[1]
    lines = re.findall(r'^.* in (\S+): .*\nno source: (.*)$', text, re.M)
    wanted = [(str(program.source), 'not found; --source-dir=DIR looks below DIR'),
              ('/etc/passwd', 'not called like a source; --source-dir=DIR looks below DIR')]
    return [] if sorted(lines) == sorted(wanted) and text.count('no source: ') == len(lines) else [text]


def not_what_is_no_source(folder):
    program = Program(folder / 'secret')
    text = program.list('secret')[1]
    first = pathlib.Path('/etc/passwd').read_text(encoding='utf-8').splitlines()[0]
    return [text] if first in text or 'not called like a source' not in text else []


def versions(folder):
    """Without an MD5, a source is reported if it was written after the binary, and no other."""
    program = Program(folder / 'versions', '-gdwarf-4')
    rows, text = program.list('take')
    faults = [] if NEWER not in text and versions_of(rows) == {'unchecked'} else [text]
    later = program.binary.stat().st_mtime + 60
    os.utime(program.source, (later, later))
    rows, text = program.list('take|make')
    faults += [] if text.count(NEWER) == 1 and versions_of(rows) == {'newer'} else [text]
    below = folder / 'versions' / 'below'
    below.mkdir()
    shutil.move(program.source, below / 'a.cc')
    text = program.list('take', f'--source-dir={below}')[1]
    return faults + ([] if NEWER in text and 'of what was taken' in text else [text])


def edit(source):
    """Change the contents of a source, but not its size and time."""
    before = source.stat()
    text = source.read_text(encoding='ascii')
    source.write_text(text.replace('// of what was taken', '// of what was moved'), encoding='ascii')
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = source.stat()
    assert (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    assert source.read_text(encoding='ascii') != text


def digests(folder):
    """With an MD5, which clang writes, a source is reported if its MD5 differs, with any time, and no other."""
    faults = []
    for name, options in (('plain', ()), ('compressed', ('-gz=zlib',)), ('split', ('-gsplit-dwarf',)),
                          ('wide', ('-gdwarf64',))):
        program = Program(folder / f'digests-{name}', '-gdwarf-5', *options, compiler=CLANG, program=UNDIRECTED)
        later = program.binary.stat().st_mtime + 60
        for touched in (False, True):
            if touched:
                os.utime(program.source, (later, later))
            rows, text = program.list('take|make')
            faults += [] if 'source ' not in text and versions_of(rows) == {'same'} else [f'{name}: {text}']
        edit(program.source)
        rows, text = program.list('take|make')
        faults += [] if text.count(DIFFERS) == 1 and versions_of(rows) == {'differs'} else [f'{name}: {text}']
        faults += [] if NEWER not in text and 'of what was moved' in text else [f'{name}: {text}']
    return faults


def no_digests(folder):
    """DWARF 4 and gcc record no digest: whether a source of the same time is the right version is unknown."""
    faults = []
    for name, compiler, options in (('clang-4', CLANG, ['-gdwarf-4']), ('gcc', shutil.which('g++'), [])):
        program = Program(folder / f'no-digests-{name}', *options, compiler=compiler,
                          program=UNDIRECTED) if compiler else None
        if program:
            edit(program.source)
            rows, text = program.list('take|make')
            faults += [] if 'source ' not in text and versions_of(rows) == {'unchecked'} else [f'{name}: {text}']
    return faults


t = Tests(is_of_machine=True)
FOUND = glob.glob('/usr/lib/*/libjemalloc.so.2') + glob.glob('/usr/lib*/libjemalloc.so.2')
if not FOUND or not shutil.which(os.environ.get('CXX') or 'c++'):
    print('1..0 # SKIP no libjemalloc.so.2, or no compiler')
    sys.exit(0)
JEMALLOC = FOUND[0]
CLANG = shutil.which('clang++')
with scratch() as name:
    FOLDER = pathlib.Path(name)
    for title, check in (('a source is found at the path of the debug information', where_dwarf_says),
                         ('a source with a relative path is found below --source-dir', relative),
                         ('functions are picked by their own names', own_names),
                         ('each missing source is reported once', missing_once),
                         ('R04: a file that a binary names is read only if it is named like a source',
                          not_what_is_no_source),
                         ('a source of another version is reported', versions),
                         *[('a source that differs from the compiled one is reported, by its MD5', digests),
                           ('without an MD5, no source is reported as different', no_digests)][:2 if CLANG else 0]):
        t.check(title, lambda: check(FOLDER))
t.done()

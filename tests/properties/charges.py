#!/usr/bin/env python3
"""Tests the notes below a table about memory that folding moved or could move, and that a gate does not depend on the
format.  Profiles are written here: name, file and module of each frame are known."""
import json
import pathlib
import re

from harness import Tests, scratch
from profile_writer import Profile

t = Tests(is_coded=True)
MIB = 1 << 20
APP, LIBC = '/srv/app', '/usr/lib/x86_64-linux-gnu/libc.so.6'
CXX, CARGO = '/usr/include/c++/12/bits/stl_vector.h', '/root/.cargo/registry/src/x-1/{}-1.0/src/lib.rs'
VECTOR = ('std::vector<int>::push_back(int&&)', CXX, 7)
MAIN = ('main', '/srv/app/main.cc', 9)


def own(name):
    return name, '/srv/app/app.cc', 3


def profile(name, *stacks):
    """The path of one of (MiB, frames leaf first), each a line, or None of a nameless frame."""
    p = Profile()
    app = p.mapping(APP, 0x400000, 0x800000)
    for i, (size, *frames) in enumerate(stacks):
        p.sample([p.location(0x400000 + 0x1000 * (i + 1) + k, app, [frame] if frame else [])
                  for k, frame in enumerate(frames)], [size, size * MIB], MIB)
    path = pathlib.Path(FOLDER, f'{name}.pb')
    path.write_bytes(p.bytes())
    return path


def last_lines(*args):
    """The lines below the notes on the columns of a table."""
    text = t.ok(*args[:1], '-q', '-v', '--names=short', '--no-symbols', *args[1:]).out
    text = re.sub('^(next: |if-).*', '', text, flags=re.M)
    return [line for line in text.splitlines() if re.match(
        r'.*(--frames=|--wrapper=|source-files-known|charged|allocated-inside)', line)]


def says(wanted, *args):
    got = last_lines(*args)
    return [] if got == wanted else [f'{got} instead of {wanted}']


def moved():
    few = profile('few', (199, own('f'), MAIN), (1, VECTOR, own('g'), MAIN))
    many = profile('many', (30, own('f'), MAIN), (70, VECTOR, own('g'), MAIN),
                   (20, ('xmalloc', '/srv/app/x.c', 1), own('h'), MAIN))
    both = 'charged: 90.0 MiB  75 malloc wrappers and the standard library charged-to-callers: --frames=no-alloc '
    return (says([], 'top', few) + says([both], 'top', many) + says([both], 'tree', many) +
            says([both], 'peek', '^f', many) + says([], 'top', '--frames=no-alloc', many) +
            says([], 'top', '--frames=all', many) + says([], 'top', '--by=module', many) +
            says([both.replace('90.0 MiB  75 malloc wrappers and', '70.0 MiB  58')], 'top', '--ignore=^h', many) +
            says([both], 'diff', few, many) + says([], 'diff', many, few))


def moved_of_series():
    """For several processes, the note is about the last dump of each."""
    series = [sorted((t.testdata / 'real').glob(f'{name}_*')) for name in ('redis', 'dbbench')]
    alone, together = ([json.loads(t.ok('trend', '-q', '--no-symbols', '-fjson', *dumps).out)['attributed_to_callers']
                        for dumps in some] for some in (series, [series[0] + series[1]]))
    return [] if min(alone) > 0 and abs(sum(alone) - together[0]) < .01 else [f'{alone}: {together}']


def unknown():
    """Addresses in no module, and placeholders for frames, are never folded, and no allocations of others are
    attributed to them; a stack with no other frames keeps the frame that allocated."""
    p = Profile()
    app = p.mapping(APP, 0x400000, 0x800000)
    push, base = p.location(0x400010, app, [VECTOR]), p.location(0x400020, app, [
        ('std::_Vector_base<int>::_M_allocate(unsigned long)', CXX, 3)])
    lost, main = p.location(0xdead0000), p.location(0x400030, app, [MAIN])
    gap, start = (p.location(0x400040 + i, app, [(name, '', 0)])
                  for i, name in enumerate(('[unknown]', '_start')))
    for i, stack in enumerate(([base, push, lost, main], [push, gap, main], [lost, main],
                               [base, push, start], [push, main, start])):
        p.sample(stack, [1 << i, MIB << i], MIB)
    path = pathlib.Path(FOLDER, 'unknown.pb')
    path.write_bytes(p.bytes())
    rows = [line.split('\t') for line in
            t.ok('top', '-q', '--no-symbols', '-ftsv', '--confidence=none', path).out.splitlines()]
    at = {title: i for i, title in enumerate(rows[0])}
    got = {(row[at['name']], row[at['class']]):
           (float(row[at['flat']]) / MIB, float(row[at['cum']]) / MIB) for row in rows[1:]}
    wanted = {('main', 'own'): (16, 23), ('[unmapped]', 'none'): (4, 5), ('[unknown]', 'none'): (0, 2),
              (VECTOR[0], 'standard'): (2, 2),
              ('std::_Vector_base<int>::_M_allocate(unsigned long)', 'standard'): (9, 9)}
    return [] if got == wanted else [f'{got} instead of {wanted}']


def go():
    path = profile('go', (9, ('encoding/json.Marshal', '/usr/local/go/src/encoding/json/e.go', 1),
                          ('main.leak', '/srv/app/main.go', 3)))
    return says(['charged: 9.0 MiB  100 the standard library charged-to-callers: --frames=no-alloc , as go tool pprof does'],
                'top', path)


def library(name, crate):
    return name, CARGO.format(crate), 5


def libraries():
    """Proposed where it helps: two closures, not where one function is all that is left."""
    push = ('alloc::raw_vec::RawVec<T>::grow', '/rustc/90b35a623/library/alloc/src/raw_vec.rs', 2)
    alloc = ('__rust_alloc', '', 0)
    rust = profile(
        'rust', (46, alloc, push, library('serde_json::value::to_value', 'serde_json'),
                 own('leaky::serve::{{closure}}'), own('leaky::main')),
        (46, alloc, library('serde_json::Map::insert', 'serde_json'),
         own('leaky::serve::{{closure}}::{{closure}}'), own('leaky::main')),
        (8, alloc, push, own('leaky::main')))
    one = profile('one', (90, library('llvm::f', 'llvm'), own('cc1_main')), (10, own('f'), MAIN))
    proposal = 'charged-to-libraries: 92'
    got = last_lines('top', rust)
    faults = [] if got[-1] == proposal else [str(got)]
    faults += [] if 'libraries' not in ''.join(last_lines('top', one)) else ['proposed for one']
    text = t.ok('top', '-q', '--no-symbols', '--frames=no-libs', rust).out
    shares = re.findall(r'MiB +([\d.]+)% .* (leaky::\S+)$', text, re.M)
    wanted = [('46.0', 'leaky::serve::{{closure}}'),
              ('46.0', 'leaky::serve::{{closure}}::{{closure}}'), ('8.0', 'leaky::main')]
    return faults + ([] if shares == wanted else [f'{shares}']) + [
        line for line in last_lines('top', '--frames=no-libs', rust) if 'frames=own' in line]


def first_rows():
    """In real programs, the first rows are those of the leak."""
    faults = []
    for name, options, wanted in (
            (t.testdata / 'frames/server.pb.gz', (), [
                ('69.5', r'Req\* Leaky<Req>::make<.*'), ('26.3', 'plugin_work'), ('3.6', r'handle\(int\)')]),
            (t.testdata / 'frames/service.pb.gz', (), [('99.5', r'main\.leak')]),
            (t.formats / 'jemalloc-cxx.heap', (f'--symbol-dir={t.root}',), [
                ('21.8', r'Box<std::pair<int, double> >::grow\(int\)'), ('16.2', r'over\(int\)'),
                ('14.5', r'over\(char const\*, int\)')])):
        text = t.ok('top', '-q', '--names=full', *options, name).out.partition('flat%')[2]
        rows = re.findall(r'^ +\S+ \S+ +([\d.]+)% .*?  ([^\s±….\d!*].*)$', text, re.M)
        for (share, function), (wanted_share, pattern) in zip(rows, wanted):
            if share != wanted_share or not re.fullmatch(pattern, function):
                faults.append(f'{name.name}: {share}% {function} instead of {wanted_share}% {pattern}')
        faults += [] if len(rows) >= len(wanted) else [f'{name.name}: {rows}']
    return faults


def suspects():
    def hint(name, pattern=None):
        return [f'allocated-inside: 70 {pattern if name[-1] == ")" else name}: "peek {pattern or name}" shows its callers, '
                f'--wrapper={pattern or name} attributes it to them']
    faults = []
    for name, pattern in (('my_pool_alloc', None), ('get_buffer', None), ('Pool::newItem(int)',
                                                                           'Pool::newItem')):
        path = profile('suspect', (70, own(name), MAIN), (30, own('f'), MAIN))
        faults += says(hint(name, pattern), 'top', path) + says([], 'top', '--frames=no-alloc', path)
        if f'--wrapper={pattern or name}' not in hint(name, pattern)[0]:
            faults.append(name)
        rows = t.ok('top', '-q', '--no-symbols', '-ftsv', f'--wrapper={pattern or name}', path).out
        faults += [] if name not in rows and '\tmain\t' in rows else [rows]
    path = profile('nameless', (70, None, MAIN), (30, own('f'), MAIN))
    faults += says(hint('app@0x1001', "'app@0x1001'"), 'top', path)
    rows = t.ok('top', '-q', '--no-symbols', '-ftsv', '--wrapper=app@0x1001', path).out
    faults += [] if 'app@0x1001' not in rows else [rows]
    path = profile('less', (20, own('my_alloc'), MAIN), *((9, own(f'f{i}'), MAIN) for i in range(9)))
    faults += says([], 'top', path)
    return faults + says([], 'top', profile('other', (70, own('f'), MAIN), (30, own('g'), MAIN)))


def files():
    """There is a note if other builds lack source files, but not for a single build."""
    known = profile('known', (50, own('f'), MAIN), (50, own('g'), MAIN))
    bare, p = pathlib.Path(FOLDER, 'bare.pb'), Profile()
    other = p.mapping('/srv/other', 0x400000, 0x800000)
    p.sample([p.location(0x400010, other, [('f', '', 0)])], [100, 100 * MIB], MIB)
    bare.write_bytes(p.bytes())
    line = 'source-files-known: 100 0'
    half = profile('half', (90, own('f'), MAIN), (10, own('g'), MAIN))
    return says([line], 'diff', known, bare) + says([], 'diff', known, half)


def gates():
    """Memory that grew in one function and shrank in another passed through one function of the standard library."""
    base = profile('base', (1, VECTOR, own('cache'), MAIN), (11, VECTOR, own('buffer'), MAIN))
    new = profile('new', (11, VECTOR, own('cache'), MAIN), (1, VECTOR, own('buffer'), MAIN))
    faults = []
    for f in t.formats_of('diff'):
        for options, code in (((), 1), (('--frames=no-std',), 1), (('--frames=no-alloc',), 0)):
            out = pathlib.Path(FOLDER, 'out')
            got = t.run('diff', '-q', '--no-symbols', f'-f{f}', *options, '--fail-if=growth>5MiB', '-o',
                        out, base, new)
            faults += [] if got.code == code else [f'{f} {options}: {got.code}, {got.err}']
    return faults


with scratch() as FOLDER:
    t.check('a note below the table has the moved bytes if they exceed 1%', moved)
    t.check('for several series, the note has the moved bytes of their last dumps', moved_of_series)
    t.check('no bytes are attributed to frames of unknown origin, and no stack becomes empty', unknown)
    t.check('a note about Go names --frames=no-alloc', go)
    t.check('--frames=no-libs is proposed if libraries hold much and more than one row would remain',
            libraries)
    t.check('the first rows of real programs name the functions that hold memory', first_rows)
    t.check('--wrapper is proposed for a likely wrapper, and has the proposed effect', suspects)
    t.check('a diff reports sides with different shares of known source files', files)
    t.check('--fail-if has the same exit status in all formats, that of --frames=no-std', gates)
t.done()

#!/usr/bin/env python3
"""A static program without elfutils and libiberty reads, merges and reports as the other does, with the names
that dumps embed, and says in one sentence where it has none.  It is built without any of their headers.

usage: without_elfutils.py BINARY TESTDATA SOURCE_ROOT MESON
"""
import copy
import os
import pathlib
import re
import subprocess
import sys

from harness import Tests, scratch

HEADERS = ('libelf.h', 'gelf.h', 'dwarf.h', 'elfutils/libdw.h', 'libiberty/demangle.h')
SENTENCE = 'this program was built without elfutils, which reads binaries'


def built(folder):
    """Build the program, with headers of the library that fail if they are included."""
    folder = pathlib.Path(folder)
    for header in HEADERS:
        path = folder / 'include' / header
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('#error "it is not there"\n')
    subprocess.run([sys.argv[4], 'setup', folder / 'build', sys.argv[3], '--buildtype=plain', '-Dsymbolize=disabled',
                    '-Diberty=disabled', '-Dstatic=true', '-Dsampler=disabled', f'-Dc_args=-I{folder / "include"}'],
                   stdout=subprocess.DEVNULL, check=True)
    subprocess.run(['ninja', '-C', folder / 'build', 'src/hprof-agg'], stdout=subprocess.DEVNULL, check=True)
    return folder / 'build' / 'src' / 'hprof-agg'


def needs_nothing():
    linked = subprocess.run(['ldd', small.binary], capture_output=True, text=True, check=False)
    program = pathlib.Path(small.binary).read_bytes()
    found = [name for name in (b'dwarf_getsrc', b'elf_begin', b'cplus_demangle') if name in program]
    faults = [f'{name} is in it' for name in found]
    return faults + ([] if 'not a dynamic executable' in linked.stdout + linked.stderr else [linked.stdout])


def features():
    told = {program: program.ok('version', '--build-options').out for program in (t, small)}
    yes, no = ('symbols {0}\ndemangling {0}\nxz {0}\nzstd yes\nstatistics yes\nsandbox yes\n'.format(word) for word in ('yes', 'no'))
    return [] if told == {t: yes, small: no} else [f'{list(told.values())}']


def same(*args, **more):
    """Both programs write the same."""
    want, got = t.run(*args, **more), small.run(*args, **more)
    return [] if (want.code, want.out_bytes, want.err) == (got.code, got.out_bytes, got.err) else [
        f'{want}: {want.code} {got.code}: {want.err[:200]} | {got.err[:200]}']


def reports():
    """Reports of dumps and of a partial, with names that dumps embed."""
    with scratch() as folder:
        partial = pathlib.Path(folder, 'x.hpa')
        jobs = []
        for inputs in (sorted((t.formats / 'procs').glob('*.heap')), EMBEDDED):
            digests = []
            for program in (t, small):
                program.ok('merge', '-q', '-o', partial, *inputs)
                digests.append(program.ok('digest', partial).out)
            if len(set(digests)) != 1:
                return [f'{digests}']
            saved = partial.rename(partial.with_name(f'{len(jobs)}.hpa'))
            jobs += [[command, '--no-symbols', '-f', each, *(['.'] if 'REGEX' in usage else []), *what]
                     for command, usage in t.reports().items() if 'BASE' not in usage and command not in ('manifest', 'digest')
                     for each in t.formats_of(command) if each != 'hpa' for what in (inputs, [saved])]
        return t.in_parallel(lambda job: same(*job), jobs) or f'{len(jobs)} reports'


def names():
    """Without a reader of binaries, embedded names are still shown, and one sentence gives the reason for missing
    ones."""
    faults = []
    result = small.ok('top', '-ftsv', t.formats / 'go-protobuf.pb.gz')
    if SENTENCE in result.err or 'main.' not in result.out:
        faults.append(f'embedded names: {result.err}')
    for command in ('top', 'tree', 'stacks', 'peek'):
        result = small.ok(command, f'--symbol-dir={t.root}', *(['.'] if command == 'peek' else []),
                          t.formats / 'jemalloc-cxx.heap')
        if result.out.count(SENTENCE) != 1 or 'alloc_cxx+0x' not in result.out:
            faults.append(f'{command}: {result.out[:400]}')
    told = small.ok('info', t.formats / 'jemalloc-cxx.heap').out
    return faults if re.search(SENTENCE, told) else [*faults, told]


t = Tests()
EMBEDDED = [t.formats / 'go-protobuf.pb.gz', t.formats / 'jeprof-raw-symbolized.heap', t.testdata / 'pprof' / 'tcmalloc-heap.pb']
with scratch() as scratched:
    small = copy.copy(t)
    small.binary = os.fspath(built(scratched))
    t.check('the program needs no library, and contains nothing of elfutils', needs_nothing)
    t.check('the program reports what it was built without', features)
    t.check('the program reads, merges and reports like the full build', reports)
    t.check('the program shows embedded names, and reports why others are missing', names)
t.done()

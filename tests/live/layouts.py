#!/usr/bin/env python3
"""With any layout by a linker, and after patchelf, the rows of a file in the memory map are recognized as one image
of it: each function that allocates has its name and its bytes, and its address is the one that addr2line takes.

usage: layouts.py BINARY TESTDATA
"""
import glob
import json
import os
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from harness import Tests, scratch  # noqa: E402

t = Tests(is_of_machine=True)
JEMALLOC = (glob.glob('/usr/lib/*/libjemalloc.so.2') + [None])[0]
LIBRARY = '''
#include <stdlib.h>
volatile char zeros[1 + %(zeros)d];
static void *kept;
__attribute__((noinline)) int %(name)s(void) { kept = malloc(%(size)d); return kept && !zeros[0]; }
'''
PROGRAM = '''
#include <dlfcn.h>
#include <stdlib.h>
volatile char zeros[1 + %(zeros)d];
static void *kept;
__attribute__((noinline)) static int from_program(void) {
    kept = malloc(50000);
    return kept && !zeros[0];
}
int main(int argc, char **argv) {
    int good = from_program();
    for (int i = 1; i + 1 < argc; i += 2) {
        void *library = dlopen(argv[i], RTLD_NOW);
        int (*function)(void) = library ? (int (*)(void))dlsym(library, argv[i + 1]) : NULL;
        good &= function && function();
    }
    return !good;
}
'''
# Values of the option -z.  Linkers before 2018 laid out files as OLD does.
OLD = ('noseparate-code', 'max-page-size=0x200000', 'common-page-size=0x1000')
FLAGS = {
    'plain': (), 'joined': ('noseparate-code',), 'old': OLD, 'bare': ('norelro',), 'now': ('now',),
    'apart': ('separate-code', 'max-page-size=0x200000'), 'wide': ('max-page-size=0x10000',),
}
LINKERS = ('bfd', 'gold', 'lld')
ZEROS = 20 << 20  # bytes of .bss


def build(folder, name, text, linker, flags, *more):
    source, binary = pathlib.Path(folder, f'{name}.c'), pathlib.Path(folder, name)
    source.write_text(text)
    subprocess.run([os.environ.get('CC') or 'cc', '-O1', '-g', '-o', binary, source,
                    f'-fuse-ld={linker}', *(f'-Wl,-z,{flag}' for flag in flags), *more], check=True)
    return binary


def variants():
    """(name, linker, flags, bytes of .bss, whether patchelf adds a segment)"""
    for linker in LINKERS:
        for name, flags in FLAGS.items():
            if linker != 'gold' or not any('separate' in flag for flag in flags):  # unknown to it
                yield f'{linker}_{name}', linker, flags, 0, False
        yield f'{linker}_patched', linker, (), ZEROS, True
        if linker != 'gold':
            yield f'{linker}_old_patched', linker, OLD, ZEROS, True


def patch(binary):
    path = '/nowhere/' + '/'.join(map(str, range(1000)))
    subprocess.run(['patchelf', '--force-rpath', '--set-rpath', path, binary], check=True)


def build_libraries(folder):
    """(path, function, bytes that it allocates)"""
    for i, (name, linker, flags, zeros, is_patched) in enumerate(variants()):
        size = 1024 * (16 + i)
        text = LIBRARY % {'name': f'from_{name}', 'size': size, 'zeros': zeros}
        binary = build(folder, f'{name}.so', text, linker, flags, '-shared', '-fPIC')
        if is_patched:
            patch(binary)
        yield binary, f'from_{name}', size


def dump_of(folder, program, libraries):
    words = [word for path, function, _ in libraries for word in (path, function)]
    prefix = pathlib.Path(folder, f'{program.name}.dump')
    conf = f'prof:true,prof_final:true,lg_prof_sample:0,prof_prefix:{prefix}'
    subprocess.run([program, *words], check=True,
                   env={'LD_PRELOAD': JEMALLOC, 'MALLOC_CONF': conf, 'PATH': '/bin'})
    return glob.glob(glob.escape(str(prefix)) + '.*.heap')[0]


def wrong_addresses(report, files):
    """The rows "NAME+0xADDRESS FUNCTION ..." for which addr2line has a different function."""
    found = {}
    for row in json.loads(report.out)['rows']:
        place = re.match(r'([^+@ ]+)([+@])0x([0-9a-f]+) (\w+) ', row['name'])
        if place and place[1] in files:
            found.setdefault(place[1], []).append(place.groups()[1:])
    faults = [f'{name}: no address' for name in files if name not in found]
    for name, places in found.items():
        out = subprocess.run(['addr2line', '-f', '-e', files[name], *(address for _, address, _ in places)],
                             check=True, capture_output=True, text=True).stdout.splitlines()[::2]
        faults += [f'{name}{sign}0x{address} is {function}, addr2line says {said}'
                   for (sign, address, function), said in zip(places, out) if said != function or sign != '+']
    return faults


def faults_of(folder, libraries, kind, variant):
    name, linker, flags, zeros, is_patched = variant
    more = [f'-{kind}', '-fPIE' if kind == 'pie' else '-fno-pie']
    program = build(folder, f'{kind}_{name}', PROGRAM % {'zeros': zeros}, linker, flags, *more)
    if is_patched:
        patch(program)
    path = dump_of(folder, program, libraries)
    report = t.ok('top', '-n0', '-fjson', '--metric=inuse-space', path)
    flat = {row['name']: row['flat']['inuse-space']['estimate']
            for row in json.loads(report.out)['rows']}
    faults = [f'{function}: {flat.get(function)}, not {size}'
              for _, function, size in [*libraries, (None, 'from_program', 50000)]
              if not size <= (flat.get(function) or 0) <= 1.25 * size]
    files = {file.name: file for file in (program, *(library for library, _, _ in libraries[:: 1 if name == 'bfd_plain' else 99]))}
    faults += wrong_addresses(t.ok('top', '-n0', '-fjson', '--by=address', path), files)
    return faults + ([report.err] if 'another build' in report.err else [])


def main():
    with scratch() as folder:
        libraries = list(build_libraries(folder))
        for variant in variants():
            for kind in ('pie', 'no-pie'):
                t.check(f'a program, {kind} {variant[0]}, and {len(libraries)} libraries',
                        lambda: faults_of(folder, libraries, kind, variant))


main()
t.done()

#!/usr/bin/env python3
"""The programs of examples/ build against the installed library with the flags of pkg-config only, as C and as C++,
and find the same as the command line.

    usage: examples.py BINARY TESTDATA EXAMPLES BUILD MESON... [--full]
"""
import json
import math
import os
import pathlib
import subprocess
import sys

from harness import IS_FULL, Tests, scratch
from rooted import gone

t = Tests()
EXAMPLES, BUILD = pathlib.Path(sys.argv[3]), sys.argv[4]
MESON = [word for word in sys.argv[5:] if word != '--full']
MOST_LINES = 60
WARNINGS = ['-std=c11', '-Wall', '-Wextra', '-Wpedantic', '-Werror']
PLACES = ['bin/hprof-agg', 'bin/hprof-sim', 'include/hprof-agg/formats.h', 'include/hprof-agg/hprof-agg.h',
          'include/hprof-agg/profile.h', 'include/hprof-agg/rows.h', 'share/man/man1/hprof-agg.1',
          'bin/hprof-jeprof', 'share/man/man1/hprof-jeprof.1',
          'share/bash-completion/completions/hprof-agg', 'share/zsh/site-functions/_hprof-agg',
          'share/fish/vendor_completions.d/hprof-agg.fish', 'share/licenses/hprof-agg/LICENSE',
          'share/hprof-agg/hprof-agg.schema.json', 'share/hprof-agg/docs/tutorial.md',
          'share/hprof-agg/docs/howto/regression-ci.md', 'share/hprof-agg/fleet/duckdb.sql',
          'share/man/man1/hprof-agg-rows.1']
# With --full the first as users of an archive for link-time optimization have it, which takes half a minute.
COMPILERS = {
    'cc': ['cc', *([] if IS_FULL else ['-fno-lto']), *WARNINGS],
    'c++': ['c++', '-fno-lto', '-x', 'c++', '-std=c++11', *WARNINGS[1:]],
    'clang': ['clang', *WARNINGS],
    'asan': ['cc', '-fno-lto', '-g', '-fsanitize=address,undefined', '-fno-sanitize-recover=all', *WARNINGS],
}


def called(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f'{command} ended with {done.returncode}: {done.stdout}{done.stderr}')
    return done.stdout


# --- building -----------------------------------------------------------------------------------


def install(folder):
    """The environment of a user of the installation below the folder."""
    called([*MESON, 'install', '--no-rebuild', '-C', BUILD, '--destdir', folder])
    found = list(pathlib.Path(folder).rglob('hprof-agg.pc'))
    if len(found) != 1:
        raise AssertionError(f'{len(found)} hprof-agg.pc are installed')
    return {**os.environ, 'PKG_CONFIG_PATH': str(found[0].parent),
            'LD_LIBRARY_PATH': str(found[0].parent.parent)}


def check_places():
    """All installed files are in the usual places."""
    found = [path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob('*')]
    for place in PLACES:
        if not any(path.endswith('/' + place) for path in found):
            yield f'{place} is not installed'


def build(name, compiler, folder, environment):
    flags = called(['pkg-config', '--cflags', '--libs', 'hprof-agg'], env=environment).split()
    if not any(flag.startswith(f'-I{folder}') for flag in flags):
        raise AssertionError(f'{flags} are not of what was installed in {folder}')
    language = COMPILERS[compiler] + [str(EXAMPLES / f'{name}.c')]
    language += ['-x', 'none'] if '-x' in language else []
    once_more = [] if name == 'growth' or compiler == 'clang' else ['-fno-lto']
    called([*language, *flags, *once_more, '-o', folder / f'{name}-{compiler}'], env=environment)


# --- running ------------------------------------------------------------------------------------


def run(name, inputs):
    """The output of the example, which must be the same with each compiler."""
    told = {compiler: called([FOLDER / f'{name}-{compiler}', *map(str, inputs)], env=ENVIRONMENT)
            for compiler in COMPILERS}
    if len(set(told.values())) != 1:
        raise AssertionError(f'{name} says {told}')
    return told['cc']


def ask(*args):
    return json.loads(t.ok(*args, '-q', '-fjson').out)


def alike(text, told):
    """An estimate of nine digits, and the same to three decimals."""
    return math.isclose(float(text), told, rel_tol=5e-9, abs_tol=0.00051)


def digits(value, count):
    return f'{math.nan if value is None else float(value):.{count}g}'


def check_growth(inputs):
    rows = ask('diff', *inputs)['rows']
    rows.sort(key=lambda row: -abs(row['delta']['estimate']))  # equal ones keep their order
    got = [line.split('\t') for line in run('growth', inputs).splitlines()]
    if len(got) != 5:
        yield f'{inputs}: {len(got)} rows'
    for (change, low, high, p, name), row in zip(got, rows):
        delta = row['delta']
        if (not alike(change, delta['estimate']) or name != row['name'] or
                (low, high) != (digits(delta['low'], 9), digits(delta['high'], 9)) or
                digits(p, 4) != digits(row['p'], 4)):
            yield f'{inputs}: {change} {low} {high} {p} {name}, not {row}'


def call_of(function, file, line, module, offset):
    """A call as `stacks --by=address` shows it."""
    place = f'{os.path.basename(module)}+{int(offset, 0) + 1:#x}'
    name = '' if function == place else f' {function}'
    return (place + name if module else function) + (file and f' {file}:{line}')


def stacks_of(text):
    """{(calls from the leaf on): bytes}"""
    stacks = {}
    for stack in text.replace('\n\t', '\t').splitlines():
        size, *rest = stack.split('\t')
        calls = tuple(call_of(*rest[i:i + 5]) for i in range(0, len(rest), 5))
        if calls in stacks:
            raise AssertionError(f'{calls} is there twice')
        stacks[calls] = size
    return stacks


def check_walk(inputs):
    rows = ask('stacks', '--by=address', *inputs)['rows']
    wanted = {(*row['frames'], *['[truncated]'] * row['truncated']):
              row['value']['inuse-space']['estimate'] for row in rows}
    got = stacks_of(run('walk', inputs))
    for stack in wanted.keys() ^ got.keys():
        yield f'{inputs}: only {"walk" if stack in got else "stacks"} has {stack}'
    for stack in wanted.keys() & got.keys():
        if not alike(got[stack], wanted[stack]):
            yield f'{inputs}: {stack} has {got[stack]}, not {wanted[stack]}'


def check_refusals():
    cut = FOLDER / 'cut.heap'
    cut.write_bytes((t.testdata / 'golden' / 'procs1.heap').read_bytes()[:3000])
    for compiler in COMPILERS:
        for command in (['growth'], ['growth', cut, cut], ['walk'], ['walk', cut]):
            program = FOLDER / f'{command[0]}-{compiler}'
            done = subprocess.run([program, *command[1:]], capture_output=True, text=True,
                                  check=False, env=ENVIRONMENT)
            if done.returncode != 1 or done.stdout or done.stderr.count('\n') != 1:
                yield f'{compiler}: {command} ended with {done.returncode}: {done.stderr}'


# --- all of it ----------------------------------------------------------------------------------


def names():
    """A profile with names, lines and inlined calls, and its dumps."""
    dumps = [gone(t.testdata / 'golden') / name for name in ('procs1.heap', 'cxx.heap')]
    named = FOLDER / 'named.pb.gz'
    t.ok('merge', '-q', f'--symbol-dir={t.root}', '-o', named, *dumps)
    return [named]


def main():
    real, golden = gone(t.real), gone(t.testdata / 'golden')  # the library looks for binaries where they were mapped
    series = golden / 'series'
    t.check(f'examples have at most {MOST_LINES} lines', (
        f'{path} has more' for path in EXAMPLES.glob('*.c')
        if len(path.read_text().splitlines()) > MOST_LINES))
    t.check('manual, completions, licence, schema are installed in their places', check_places())
    for name in ('growth', 'walk'):
        for compiler, command in COMPILERS.items():
            t.check(f'{name} builds against the installed library by {" ".join(command)}',
                    lambda n=name, c=compiler: build(n, c, FOLDER, ENVIRONMENT))
    pairs = {'two processes': sorted(golden.glob('procs[14].heap')),
             'a series': sorted(series.iterdir())[::5],
             'a program': sorted(real.glob('redis*.i[09].heap.gz')),
             'another': sorted(real.glob('mariadbd*.i*.heap.gz'))[::2]}
    for name, pair in pairs.items():
        t.check(f'growth finds the five rows of diff: {name}', check_growth(pair))
    inputs = {'a dump': pairs['two processes'][:1], 'four processes': sorted(golden.glob('p*.heap')),
              'names and inlined calls': names(), 'a cut off backtrace': real.glob('clang*.gz'),
              'calls in no mapping': real.glob('node*.gz')}
    for name, paths in inputs.items():
        t.check(f'walk finds each stack of {name}', check_walk(list(paths)))
    t.check('examples report an error in one line and end with 1', check_refusals())
    t.done()


with scratch() as scratch_folder:
    FOLDER = pathlib.Path(scratch_folder)
    ENVIRONMENT = install(FOLDER)
    main()

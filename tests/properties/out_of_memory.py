#!/usr/bin/env python3
"""R35: if any allocation fails, alone or with all after it, the program says so, writes no report and ends with
status 70; or it does not need that memory, and the report is complete.

The same holds for symbolization in the parent; if the child that reads binaries fails, the report is complete, or
says that memory ran out.

usage: out_of_memory.py BINARY TESTDATA FAIL_ALLOC_LIBRARY [--full | STEP [DUMP...]]

Each allocation fails in one of the two ways; with --full in both.

With STEP only symbolization is tested: 1 is for every allocation of the child; DUMPs replace those of TESTDATA.
"""
import gzip
import pathlib
import subprocess
import sys

from harness import Tests, every, scratch

t = Tests()
LIBRARY = sys.argv[3]
STEP = int(sys.argv[4]) if sys.argv[4:] and sys.argv[4] != '--full' else 0
SENTENCE = 'hprof-agg: out of memory'
DUMP = t.formats / 'jemalloc-lg0-accum.heap'
CASES = [
    ['top', DUMP],
    ['info', t.formats / 'jemalloc-cxx.heap', t.formats / 'jemalloc-opnew.heap'],
    ['top', t.formats / 'jemalloc-lg0-accum.heap.zst'],
    ['top', t.real / 'git_gc_lg13.12631.0.f.heap.gz'],
    ['stacks', t.formats / 'go-protobuf.pb.gz'],
    ['top', t.formats / 'go-text.heap'],
    ['top', t.formats / 'jeprof-raw-symbolized.heap'],
    ['merge', '--format=folded', t.formats / 'gperftools-heap_v2.heap'],
    ['merge', '--format=pprof', '-o', '/dev/stdout', DUMP],
    ['diff', '--format=json', t.formats / 'jemalloc-cxx.heap', t.formats / 'jemalloc-opnew.heap'],
    ['account', '-q', f'--stats={t.testdata.parent / "tests/fuzz/seeds/account/frag.json"}',
     t.testdata / 'account' / 'frag.heap'],
    ['trend', *sorted((t.formats / 'series').glob('*.heap'))],
]


def run(case, **environment):
    return t.run(case[0], '--no-symbols', '-j1', *case[1:],
                 env={'LD_PRELOAD': LIBRARY, **environment})


def count(case):
    """(number of allocations, report) of a command."""
    with scratch() as folder:
        path = pathlib.Path(folder, 'count')
        result = run(case, FAIL_ALLOC_COUNT=str(path))
        return int(path.read_text().split()[0]), result.out_bytes


def failing(case, which, whole):
    result = run(case, FAIL_ALLOC=which)
    good = (result.code == 70 and SENTENCE in result.err and not result.out_bytes or
            result.code == 0 and result.out_bytes == whole)
    return [] if good else [f'{which}: ended with {result.code}: {result.err[:200]!r}, '
                            f'{len(result.out_bytes)} bytes']


def each(case):
    allocations, whole = count(case)
    if allocations < 20 or not whole:
        return [f'only {allocations} allocations, {len(whole)} bytes']
    which = [f'{n}{more}' for n in range(1, allocations + 1) for more in every(2, ('', '+'), n)]
    return t.in_parallel(lambda each: failing(case, each, whole), which) or (
        f'{allocations} allocations')


def named(case, **more):
    return t.run(*case, f'--symbol-dir={t.root}', '-j1', **more)


def told(result, whole):
    """Whether nothing is lost without a word."""
    words = result.out + result.err
    is_said = 'memory ran out' in words or 'Use a larger --max-memory' in words
    return (result.code == 0 and (result.out_bytes == whole or is_said) or
            result.code in (7, 70) and not result.out_bytes and 'memory' in result.err)


def each_named(case, variable):
    """Every STEP-th allocation fails, alone or with all after it; the first ones more often, which open a file."""
    with scratch() as folder:
        path = pathlib.Path(folder, 'count')
        whole = named(case, env={'LD_PRELOAD': LIBRARY, 'FAIL_ALLOC_COUNT': str(path)}).out_bytes
        count = int(path.read_text().split()[variable == 'FAIL_ALLOC_CHILD'])
    numbers = [*range(1, count + 1, STEP)] if STEP else [*range(1, 1000, 41), *range(1000, count + 1, 397)]
    which = [f'{n}{more}' for n in numbers for more in ('', '+')]
    results = t.in_parallel(
        lambda n: [(n, named(case, env={'LD_PRELOAD': LIBRARY, variable: n}))], which)
    lost = sum('memory ran out' in result.out + result.err for _, result in results)
    ended = sum(result.code != 0 for _, result in results)
    return [f'{n}: {result.code} {result.err[:200]}' for n, result in results if not told(result, whole)] or (
        f'{lost} of {len(which)} told, {ended} ended, of {count} allocations' if lost + ended else ['none failed'])


def each_limit(case):
    """119 limits, by hand, or every fourth of them."""
    whole = named(case).out_bytes
    limits = range(1_000_000, 40_000_000, 330_000 if STEP else 4 * 330_000)
    results = t.in_parallel(lambda limit: [(limit, named([*case, f'--max-memory={limit}']))], limits)
    lost = sum('memory ran out' in result.out + result.err for _, result in results)
    return [f'{limit}: {result.code} {result.err[:200]}' for limit, result in results if not told(result, whole)] or (
        f'{lost} of {len(limits)} told' if lost else ['none was too low'])


def packed(folder):
    """A text of several windows, for which the decompressors need memory of their own."""
    rows = (f'{i:x}000-{i:x}fff r-xp 00000000 00:00 0 /srv/lib/{i}\n' for i in range(1, 10000))
    text = DUMP.read_bytes() + ''.join(rows).encode()
    for name, pack in ('large.gz', gzip.compress), ('large.zst', zstd):
        path = pathlib.Path(folder, name)
        path.write_bytes(pack(text))
        yield ['top', path]


def zstd(content):
    return subprocess.run(['zstd', '-qc'], input=content, check=True, capture_output=True).stdout


with scratch() as large:
    for case in [*CASES, *packed(large)] if not STEP else []:
        words = ' '.join(word.name if isinstance(word, pathlib.Path) else word for word in case)
        t.check(f'R35: {words}', lambda: each(case))
    mangled = pathlib.Path(large, 'mangled.pb.gz')
    t.ok('merge', '-o', mangled, t.formats / 'jemalloc-cxx.heap', f'--symbol-dir={t.root}')
    own = [t.formats / name for name in ('jemalloc-cxx.heap', 'jemalloc-lg0.heap')]
    for dump in sys.argv[5:] or [*own, mangled]:
        named_case = ['top', '-n0', '--frames=all', dump]
        name = pathlib.Path(dump).name
        t.check(f'R35, F2: an allocation that fails in the child loses no name silently: {name}',
                lambda: each_named(named_case, 'FAIL_ALLOC_CHILD'))
        t.check(f'R35, F2: an allocation that fails in the parent loses no name silently: {name}',
                lambda: each_named(named_case, 'FAIL_ALLOC'))
        t.check(f'R35, F2: a memory limit loses no name silently: {name}', lambda: each_limit(named_case))
t.done()

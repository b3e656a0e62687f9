#!/usr/bin/env python3
"""R35: whichever allocation fails, alone or with all behind it, the program says so, writes no
report and ends with 70; or it did not need that memory, and the report is whole.

usage: out_of_memory.py BINARY TESTDATA FAIL_ALLOC_LIBRARY
"""
import gzip
import pathlib
import subprocess
import sys

from harness import Tests, scratch

t = Tests()
LIBRARY = sys.argv[3]
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
    ['trend', *sorted((t.formats / 'series').glob('*.heap'))],
]


def run(case, **environment):
    return t.run(case[0], '--no-symbols', '-j1', *case[1:],
                 env={'LD_PRELOAD': LIBRARY, **environment})


def count(case):
    """How many allocations it makes, and its report."""
    with scratch() as folder:
        path = pathlib.Path(folder, 'count')
        result = run(case, FAIL_ALLOC_COUNT=str(path))
        return int(path.read_text()), result.out_bytes


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
    which = [f'{n}{more}' for n in range(1, allocations + 1) for more in ('', '+')]
    return t.in_parallel(lambda each: failing(case, each, whole), which) or (
        f'{allocations} allocations')


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
    for case in [*CASES, *packed(large)]:
        words = ' '.join(word.name if isinstance(word, pathlib.Path) else word for word in case)
        t.check(f'R35: {words}', lambda: each(case))
t.done()

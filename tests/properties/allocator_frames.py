#!/usr/bin/env python3
"""No frame of an allocator is shown as the one that allocates; C++ names are whole; inlined
calls are listed.
"""
import re

from harness import Tests

t = Tests()
ALLOCATOR = re.compile(
    r'operator new|operator delete|fallbackNewImpl|newImpl|malloc_usable_size|mallctl|'
    r'^(void\* )?(je_|_rjem_)?(malloc|calloc|realloc|memalign|posix_memalign|aligned_alloc|'
    r'mallocx|imalloc|imalloc_body|fallback_impl|malloc_default|je_malloc_default|'
    r'prof_backtrace_impl|prof_tctx_create|prof_alloc_prep|do_rallocx)$|'
    r'je_prof_|prof_backtrace|libjemalloc|libtcmalloc|__new_allocator|new_allocator<|'
    r'std::allocator<[^ ]*>::allocate|allocator_traits<.*>::allocate')
DUMPS = ('jemalloc-cxx.heap', 'jemalloc-opnew.heap', 'jemalloc-dev-opnew.heap',
         'jemalloc-default-lg19.heap', 'jemalloc-dev-c-sysname.heap')
CXX_NAMES = (
    '(anonymous namespace)::anon_alloc(unsigned long)',
    '(anonymous namespace)::Hidden::go(int) const',
    'over(int)',
    'over(char const*, int)',
    'Box<std::pair<int, double> >::grow(int)',
    'Box<char>::grow(int)',
    'MyTCMallocWrapper::get(unsigned long)',
    'rec(int)',
    'main')


def rows(dump, *options):
    return t.table('--names=full', f'--symbol-dir={t.root}', *options, t.formats / dump).rows()


def no_allocator(dump):
    faults = []
    for metric in ('inuse-space', 'inuse-objects'):
        for options in ([], ['--no-inlines'], ['--by=module'], ['--by=line']):
            faults += [f'{" ".join(options)} {metric}: flat {flat} in {name}'
                       for flat, _, name in rows(dump, f'--metric={metric}', *options)
                       if flat > 0 and ALLOCATOR.search(name)]
    return faults


def full_names():
    shown = {name for _, _, name in rows('jemalloc-cxx.heap')}
    faults = [f'{name!r} is missing' for name in CXX_NAMES if name not in shown]
    faults += [f'not demangled: {name}' for name in shown if re.search(r'\b_Z|\b_R[NIvC]', name)]
    faults += [f'cut short: {name}' for name in shown
               if name.count('(') != name.count(')') or name.count('<') != name.count('>')]
    return faults + ([f'shown: {sorted(shown)}'] if faults else [])


def inlined(dump, inner, outer):
    """A frame `inner` sits on a frame `outer` and goes away with --no-inlines."""
    def pairs(*options):
        return {pair for frames, _ in
                t.ok('merge', '--format=folded', '--names=full', f'--symbol-dir={t.root}',
                     *options, t.formats / dump).folded()
                for pair in zip(frames, frames[1:])}
    with_inlines, without = pairs(), pairs('--no-inlines')
    faults = []
    if not any(re.search(outer, a) and re.search(inner, b) for a, b in with_inlines):
        faults.append(f'no {inner} in {outer}: {sorted(with_inlines)[:10]}')
    if any(re.search(inner, b) for _, b in without):
        faults.append(f'{inner} is there in spite of --no-inlines')
    return faults


def all_frames(dump):
    shown = {name for _, _, name in rows(dump, '--frames=all')}
    return [] if any(ALLOCATOR.search(name) for name in shown) else [f'only {sorted(shown)}']


for dump in DUMPS:
    t.check(f'{dump}: no frame of an allocator has a flat value', lambda: no_allocator(dump))
for dump in DUMPS[:3]:
    t.check(f'{dump}: --frames=all shows the allocator', lambda: all_frames(dump))
t.check('jemalloc-cxx.heap: C++ names are complete', full_names)
t.check('jemalloc-default-lg19.heap: an inlined C function is listed',
        lambda: inlined('jemalloc-default-lg19.heap', r'^inlined_alloc', r'^leaf_small'))
t.check('jemalloc-cxx.heap: inlined C++ functions are listed',
        lambda: inlined('jemalloc-cxx.heap', r'^std::vector<char.*::push_back',
                        r'^Box<char>::grow'))
t.done()

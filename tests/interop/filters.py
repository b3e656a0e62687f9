#!/usr/bin/env python3
"""Filters are pprof's: `go tool pprof` with the same filters gives the same result on our profile, by function and by
stack, and the same total.

usage: filters.py BINARY TESTDATA
"""
import collections
import pathlib
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from harness import Tests, scratch  # noqa: E402
from pprof_tool import pprof, top_of  # noqa: E402
from profile_proto import Profile  # noqa: E402

t = Tests()
# The raw numbers of the dumps are integers: nothing is rounded.
OPTIONS = (f'--symbol-dir={t.root}', '--estimator=none', '--frames=all')
CXX = [t.testdata / 'golden' / 'cxx.heap']
PROCS = sorted((t.testdata / 'golden').glob('procs*.heap'))
GO = [t.formats / 'go-protobuf.pb.gz']
REDIS = [t.real / 'redis_lg13.27533.13.f.heap.gz']
CASES = [
    (CXX, ['--focus=over']),
    (CXX, ['--focus=lambda|rec', '--ignore=over']),
    (CXX, ['--focus=libstdc']),
    (CXX, ['--ignore=main::']),
    (CXX, ['--hide=std::|libc']),
    (CXX, ['--show=over|rec|Box']),
    (CXX, ['--show-from=rec|Box']),
    (CXX, ['--show-from=push_back']),
    (CXX, ['--focus=over', '--hide=over', '--show-from=main']),
    (CXX, ['--show=std::', '--hide=basic_string', '--ignore=Box']),
    (CXX, ['--focus=stl_vector[.]h']),
    (PROCS, ['--focus=inlined']),
    (PROCS, ['--hide=inlined_alloc']),
    (PROCS, ['--show-from=leaf|inlined', '--ignore=realloc']),
    (PROCS, ['--show=alloc_c[.]c']),
    (GO, ['--focus=main[.]']),
    (GO, ['--hide=runtime[.]']),
    (GO, ['--show-from=main[.]main', '--ignore=mutex']),
    (REDIS, ['--ignore=libc']),
    (REDIS, ['--hide=redis']),
]


def write(folder, name, *args):
    path = pathlib.Path(folder) / f'{name}.pb.gz'
    t.ok('merge', '-q', '-o', path, '--names=full', *OPTIONS, *args)
    return path


def theirs(args):
    return [arg.replace('--', '-').replace('show-from', 'show_from') for arg in args]


def is_named(name):
    return not re.search(r'^0x|[+@]0x[0-9a-f]+$', name)


def top(folder, inputs, filters):
    """Flat and cum of every function, the sum of those without a name, and the total."""
    path = write(folder, 'all', *inputs)
    shown, total = top_of(pprof('-top', '-unit=bytes', *theirs(filters), path, folder=folder))
    rows = t.table('--names=full', *OPTIONS, *filters, *inputs).rows()
    ours = {name: (flat, cum) for flat, cum, name in rows if is_named(name) and cum}
    faults = [f'{name}: {shown.get(name)} instead of {values}' for name, values in ours.items()
              if shown.get(name) != values]
    faults += [f'{name}: we have no such function' for name in shown
               if name not in ours and not re.search(r'^\[|^0{4}|^<', name)]
    if sum(flat for flat, _ in shown.values()) != sum(flat for flat, _, _ in rows):
        faults.append(f'{shown} are not as much as {rows}')
    if total != t.totals('--estimator=none', *inputs)['inuse-space']:
        faults.append(f'total {total}')
    return faults + ([] if rows else ['nothing is left to compare'])


def samples(profile):
    sums = collections.Counter()
    for sample in profile.samples:
        sums[tuple(profile.names(sample))] += sample.values[-1]
    return {names: value for names, value in sums.items() if value}


def stacks(folder, inputs, filters):
    """Stack by stack: pprof filters our profile, we filter the dumps."""
    filtered = pathlib.Path(folder) / 'filtered.pb.gz'
    pprof('-proto', f'-output={filtered}', *theirs(filters), write(folder, 'all', *inputs),
          folder=folder)
    want = samples(Profile(filtered))
    got = samples(Profile(write(folder, 'ours', *filters, *inputs)))
    return [f'{names}: {got.get(names)} instead of {want.get(names)}'
            for names in want.keys() | got.keys() if want.get(names) != got.get(names)]


with scratch() as scratch_folder:
    for inputs, filters in CASES:
        more = (scratch_folder, inputs, filters)
        what = f'{inputs[0].name} {" ".join(filters)}'
        t.check(f'{what}: functions have the values of pprof', lambda: top(*more))
        t.check(f'{what}: stacks have the values of pprof', lambda: stacks(*more))
t.done()

#!/usr/bin/env python3
"""Profiles that others wrote, read and written again, stay the same: the same values of the same stacks, with the
same labels, mappings and inlined calls, as protoc decodes both sides.

usage: readback.py BINARY TESTDATA [PEERS]

With PEERS, the folder that ./check --peers makes, also profiles of jemalloc_pprof, a crate for Rust.
"""
import collections
import gzip
import os
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from harness import Tests, near, scratch  # noqa: E402
import profile_writer  # noqa: E402
from profile_proto import Profile, run_go  # noqa: E402

t = Tests()
OURS = {'objects': 'inuse_objects', 'space': 'inuse_space'}
SYMBOLS = f'--symbol-dir={t.root}'


def frame_of(profile, location):
    """A frame in no mapping is written with the name [unmapped], which is no function's."""
    file, build_id, offset, lines = profile.frame(location)
    is_nowhere = not file and [line[0] for line in lines] == ['[unmapped]']
    return file, build_id, offset, () if is_nowhere else lines


def content(profile):
    """{(frames, labels): values by sample type}, without samples whose values are all 0."""
    sums = collections.defaultdict(collections.Counter)
    for sample in profile.samples:
        key = tuple(frame_of(profile, location) for location in sample.locations), tuple(sorted(sample.all_labels))
        for kind, value in zip(profile.sample_types, sample.values):
            sums[key][OURS.get(kind, kind)] += value
    found = {}
    for key, values in sums.items():
        values = {kind: value for kind, value in values.items()
                  if value and kind.startswith(('inuse', 'alloc'))}
        if values:
            found[key] = values
    return found


def lines_of(profile):
    """The number of samples for each stack with its labels."""
    return collections.Counter((tuple(frame_of(profile, location) for location in sample.locations), tuple(sorted(sample.all_labels)))
                               for sample in profile.samples)


def is_kept(key, want, got, lines):
    """Whether the numbers are preserved.  Go and pprof truncate the objects of each line to integers; we find them
    more exactly from bytes and object size."""
    has_size = any(label[0] == 'bytes' for label in key[1])
    return got is not None and got.keys() == want.keys() and all(
        got[kind] == value or (has_size and kind.endswith('objects') and 0 <= got[kind] - value <= lines)
        for kind, value in want.items())


def compare(theirs, folder):
    out = pathlib.Path(folder) / 'again.pb.gz'
    t.ok('merge', '-q', '--no-symbols', '--keep-unmapped', '--frames=all', '--names=full', '-o', out, theirs)
    want, got = Profile(theirs), Profile(out)
    a, b, lines = content(want), content(got), lines_of(want)
    faults = [f'{key}: {b.get(key)}, not {values}' for key, values in a.items()
              if not is_kept(key, values, b.get(key), lines[key])]
    faults += [f'{key}: not theirs' for key in b if key not in a]
    faults += [] if (got.period, got.period_type) == (want.period, want.period_type) else \
        [f'period {got.period} of {got.period_type}, not {want.period} of {want.period_type}']
    calls = sum(len(frame[3]) > 1 for frames, _ in a for frame in frames)
    labels = sum(bool(labels) for _, labels in a)
    return faults or (f'{len(a)} stacks, {labels} with labels, {calls} frames with inlined calls, '
                      f'{len({frame[:2] for frames, _ in a for frame in frames})} files')


def by_pprof(folder, *args):
    """The profile as text that google/pprof makes of the inputs."""
    out = pathlib.Path(folder) / 'theirs.pb.gz'
    subprocess.run(['go', 'tool', 'pprof', '-proto', f'-output={out}', *map(str, args)],
                   check=True, capture_output=True, cwd=folder, timeout=120,
                   env={**os.environ, 'PPROF_TMPDIR': folder})
    return out


def read_back(make, *args):
    with scratch() as folder:
        return compare(make(folder, *args), folder)


def ours(folder, *args):
    out = pathlib.Path(folder) / 'ours.pb.gz'
    t.ok('merge', '-q', '--names=full', '-o', out, *args)
    return out


def tcmalloc(folder):
    """The fields that google/tcmalloc's profile_builder.cc fills in, with its names."""
    p = profile_writer.Profile((('objects', 'count'), ('space', 'bytes')), period=2097152)
    p.parts += [profile_writer.number(7, p.text('(tcmalloc::.*|TCMallocInternalNew)')),
                profile_writer.number(14, p.text('space')), profile_writer.number(9, 10**18)]
    program = p.mapping('/srv/none/server', 0x400000, 0x800000, 0x1000, 'ab12' * 10)
    library = p.mapping('/srv/none/lib.so', 0x7f0000000000, 0x7f0000100000, 0, 'cd34' * 10)
    frames = [p.location(0x401000 + 16 * i, program) for i in range(6)]
    frames += [p.location(0x7f0000000800 + 16 * i, library) for i in range(4)]
    for i in range(40):
        stack = [frames[i * k % len(frames)] for k in (1, 3, 7)]
        size = 64 << i % 5
        p.sample(stack, [1000 + i, (1000 + i) * size], labels=[
            ('bytes', (size, 'bytes')), ('request', (size - 7, 'bytes')),
            ('alignment', (0, 'bytes')), ('sampled_resident_bytes', (4096, 'bytes')),
            ('access_allocated', 'hot' if i % 2 else 'cold')])
    out = pathlib.Path(folder) / 'tcmalloc.pb.gz'

    out.write_bytes(gzip.compress(p.bytes()))
    return out


def compare_file(path):
    with scratch() as folder:
        return compare(path, folder)


def go_alone():
    with scratch() as folder:
        return compare(run_go(folder)[0], folder)


def without_type_arguments(name):
    """The name as Go writes it into text, where the type arguments of a function are "..."."""
    start, depth = name.find('['), 0
    for i in range(max(start, 0), len(name)):
        depth += {'[': 1, ']': -1}.get(name[i], 0)
        if depth == 0 and i > start >= 0:
            return f'{name[:start]}[...]{name[i + 1:]}'
    return name


def by_line(path):
    """{function and line: [flat, cum]}"""
    table = collections.defaultdict(lambda: [0, 0])
    for flat, cum, name in t.table('--by=line', '--no-symbols', path).rows():
        row = table[without_type_arguments(name)]
        row[0], row[1] = row[0] + flat, row[1] + cum
    return {name: row for name, row in table.items() if row[1] > 0}


def go_both():
    """/debug/pprof/heap and /debug/pprof/heap?debug=1 of one moment."""
    with scratch() as folder:
        proto, text = run_go(folder)
        faults, totals = [], [t.totals(path) for path in (proto, text)]
        lines = len(Profile(proto).samples)
        for metric, value in totals[0].items():
            # In protobuf each line is truncated to integers.
            if not -0.001 <= totals[1][metric] - value <= lines:
                faults.append(f'{metric}: {value} and {totals[1][metric]}')
        tables = [by_line(path) for path in (proto, text)]
        for name in tables[0].keys() | tables[1].keys():
            a, b = (table.get(name, (0, 0)) for table in tables)
            if any(abs(x - y) > lines for x, y in zip(a, b)):
                faults.append(f'{name}: {a} and {b}')
        named = [name for name in tables[0] if 'goheap.go:' in name]
        return faults or f'{len(tables[0])} lines of code, {len(named)} of them of the program'


def jemalloc_pprof(peers):
    """A profile of jemalloc_pprof is read back, and compared with the dump that it was made from."""
    program = pathlib.Path(peers).resolve() / 'jemalloc_pprof' / 'release' / 'writes-pprof'
    with scratch() as folder:
        proto, dump = (pathlib.Path(folder) / name for name in ('rust.pb.gz', 'rust.heap'))
        subprocess.run([program, proto, dump], check=True)
        found = compare(proto, folder)
        if not isinstance(found, str):
            return found
        # It truncates the bytes of each stack, and its dump is written after its profile.
        theirs, ours_ = (t.totals(*args)['inuse-space'] for args in
                         ((proto,), ('--estimator=jeprof', dump)))
        if not near(theirs, ours_, 0.01):
            return [f'{theirs} bytes, and {ours_} in the dump']
        info = t.ok('info', '-v', '--no-symbols', proto).out
        return found if 'written by   jemalloc_pprof' in info else [info]


if len(sys.argv) > 3:
    t.check('a profile of jemalloc_pprof is unchanged', lambda: jemalloc_pprof(sys.argv[3]))
    t.done()
for name in ('gperftools-heap_v2', 'gperftools-heapprofile', 'gperftools-growth', 'go-text',
             'jemalloc36-lg14-accum_false'):
    t.check(f'a profile that go tool pprof made of {name} is unchanged', lambda name=name: read_back(
        by_pprof, '-symbolize=none', t.formats / f'{name}.heap'))
t.check('go tool pprof of gperftools-heapprofile with the names of the program', lambda: read_back(
    by_pprof, '-symbolize=local', t.formats / 'alloc_c',
    t.formats / 'gperftools-heapprofile.heap'))
t.check('our profile with inlined calls is unchanged', lambda: read_back(
    ours, SYMBOLS, *sorted((t.testdata / 'golden').glob('procs*.heap'))))
t.check('our profile of C++ with all frames is unchanged', lambda: read_back(
    ours, SYMBOLS, '--frames=all', t.testdata / 'golden' / 'cxx.heap'))
t.check('our profile by thread is unchanged', lambda: read_back(
    ours, '--by=thread', '--no-symbols', t.formats / 'jemalloc-threadname.heap'))
t.check('our profile of a server is unchanged', lambda: read_back(
    ours, '--no-symbols', t.real / 'redis_lg13.27533.13.f.heap.gz'))
t.check('a profile of tcmalloc is unchanged', lambda: compare_file(t.formats / 'tcmalloc.pb.gz'))
t.check('a profile with all fields of tcmalloc is unchanged', lambda: read_back(tcmalloc))
t.check('a profile of Go over HTTP is unchanged', go_alone)
t.check('Go over HTTP: the protobuf and text profiles agree', go_both)
t.done()

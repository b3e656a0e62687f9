#!/usr/bin/env python3
"""Reads our profiles with pprof, which has to show our totals per function and stack, and with protoc and
google/pprof's own profile.proto, which has to find our frames.

usage: pprof.py BINARY TESTDATA [PPROF], by default `go tool pprof`
"""
import json
import collections
import gzip
import pathlib
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
import generated_code  # noqa: E402
from harness import Tests, hostile_dump, scratch  # noqa: E402
from pprof_tool import pprof, top_of, write_with  # noqa: E402
from profile_proto import Profile, canonical  # noqa: E402

READS = {'pprof': 'pprof and protoc'}
t = Tests()
write = write_with(t)
SYMBOLS = f'--symbol-dir={t.root}'
PROCS = sorted((t.testdata / 'golden').glob('procs*.heap'))
CXX = t.testdata / 'golden' / 'cxx.heap'
SERIES = sorted((t.formats / 'series').glob('*.heap'))
# Name, options, inputs.
CASES = [
    ('C with inlined calls, two processes', (SYMBOLS,), PROCS),
    ('C++', (SYMBOLS,), [CXX]),
    ('C++ with all frames', (SYMBOLS, '--frames=all'), [CXX]),
    ('C++ without inlined calls', (SYMBOLS, '--no-inlines'), [CXX]),
    ('jeprof\'s numbers', (SYMBOLS, '--estimator=jeprof'), PROCS),
    ('stacks that were cut off', ('--no-symbols',),
     [t.real / 'clang_json_lg17.21618.0.f.heap.gz']),
    ('a server', ('--no-symbols',), [t.real / 'redis_lg13.27533.13.f.heap.gz']),
]


def metrics_of(profile):
    return [kind.replace('_', '-') for kind in profile.sample_types]


# Each value of a stack is off by less than one.
def compare_top(theirs, total, ours, stacks):
    own = {name: (flat, cum) for flat, cum, name in ours
           if not re.search(r'^0x|[+@]0x[0-9a-f]+$', name)}
    faults = [] if own else ['no function has a name']
    if abs(total - sum(flat for flat, _, _ in ours)) > len(ours):
        faults.append(f'total {total}')
    faults += [f'{name}: {theirs.get(name)} instead of {values}'
               for name, values in own.items()
               if name not in theirs or
               any(abs(a - b) > stacks for a, b in zip(theirs[name], values))]
    faults += [f'{name}: we have no such function' for name in theirs
               if name not in own and not re.fullmatch(r'\[.*\]', name)]
    return faults


def top(options, inputs, folder):
    options = ['--names=full', *options]  # pprof adds up rows of the same name
    path = write(folder, 'top', *options, *inputs)
    profile = Profile(path)
    faults = []
    for kind in profile.sample_types:
        metric = kind.replace('_', '-')
        unit = ['-unit=bytes'] if metric.endswith('space') else []
        theirs, total = top_of(pprof('-top', *unit, f'-sample_index={kind}', path, folder=folder))
        ours = t.table(f'--metric={metric}', *options, *inputs).rows()
        faults += [f'{kind}: {fault}' for fault in
                   compare_top(theirs, total, ours, len(profile.samples))]
    return faults


def totals(options, inputs, folder):
    """Printed to the whole unit: parts have to add up to exactly that."""
    profile = Profile(write(folder, 'totals', *options, *inputs))
    exact = t.totals(*(o for o in options if o == '--estimator=jeprof'), *inputs)
    sums = [sum(values) for values in zip(*(sample.values for sample in profile.samples))]
    faults = [f'{metric}: {sums[i]} instead of {exact[metric]}'
              for i, metric in enumerate(metrics_of(profile))
              if abs(sums[i] - exact[metric]) > 0.501]
    known = [m for m in ('alloc-objects', 'alloc-space', 'inuse-objects', 'inuse-space')
             if exact[m] is not None]
    return faults + ([] if metrics_of(profile) == known else [f'{metrics_of(profile)}'])


def stacks(options, inputs, folder):
    profile = Profile(write(folder, 'stacks', *options, *inputs))
    faults = []
    for i, metric in enumerate(metrics_of(profile)):
        theirs, merged = collections.Counter(), collections.Counter()
        for sample in profile.samples:
            key = tuple(reversed(profile.names(sample)))
            theirs[key] += sample.values[i]
            merged[key] += 1
        ours = collections.Counter()
        for frames, value in t.ok('merge', '-ffolded', f'--metric={metric}', *options,
                                  *inputs).folded():
            ours[tuple(frames)] += value
        faults += [f'{metric} {";".join(key)}: {theirs[key]} instead of {ours[key]}'
                   for key in theirs.keys() | ours.keys()
                   if abs(theirs[key] - ours[key]) > merged[key] + 1]
        if not any(ours.values()):
            faults.append(f'{metric}: nothing to compare')
    return faults


TRACE = re.compile(r'^ +(\d+)B? {3}(.*)$')


def traces(folder):
    """-traces shows each stack that pprof has read."""
    path = write(folder, 'traces', SYMBOLS, *PROCS)
    profile = Profile(path)
    shown = []
    for block in re.split(r'^-+\+-+$', pprof('-traces', '-unit=bytes', path, folder=folder), flags=re.M)[1:]:
        lines = block.strip('\n').splitlines()
        if lines:
            first = TRACE.match(lines[0])
            names = [first[2], *(line.strip() for line in lines[1:])]
            shown.append((int(first[1]), [n.replace(' (inline)', '') for n in names]))
    named = [(value, names) for value, names in shown
             if not any(re.search(r'^\[|^0{4}|^<', name) for name in names)]
    wanted = [(sample.values[-1], profile.names(sample)) for sample in profile.samples]
    faults = [f'{value} {names}: not ours' for value, names in named
              if (value, names) not in wanted]
    if sorted(value for value, _ in shown) != sorted(v for v, _ in wanted if v):
        faults.append(f'{sorted(value for value, _ in shown)}: not our values')
    return faults


def merging(folder):
    """The profile that pprof merges from two of ours equals our profile of both inputs."""
    parts = [write(folder, f'part{i}', SYMBOLS, path) for i, path in enumerate(PROCS)]
    theirs, total = top_of(pprof('-top', '-unit=bytes', *parts, folder=folder))
    return compare_top(theirs, total, t.table(SYMBOLS, *PROCS).rows(), 20)


def canonical_encoding(options, inputs, folder):
    path = write(folder, 'canonical', *options, *inputs)
    plain = gzip.decompress(path.read_bytes())
    return [] if canonical(plain) == plain else ['protoc writes it in another way']


def names_are_whole(folder):
    """pprof truncates names that it takes for mangled at the first ( or <."""
    path = write(folder, 'names', '--names=full', SYMBOLS, CXX)
    theirs, _ = top_of(pprof('-top', '-unit=bytes', path, folder=folder))
    return [] if any('<' in name and '(' in name for name in theirs) else [f'{sorted(theirs)}']


def boxes_are_short(folder):
    """pprof lists and draws the names of our table; -raw also has the linkage names."""
    path = write(folder, 'short', SYMBOLS, CXX)
    theirs, _ = top_of(pprof('-top', '-unit=bytes', path, folder=folder))
    report = t.ok('top', '-q', '-fjson', '--frames=no-alloc', '--names=short', SYMBOLS, CXX).out
    ours = {row['name'] for row in json.loads(report)['rows']}
    faults = [name for name in theirs if name[0] != '[' and (name not in ours or len(name) > 60)]
    drawn = re.findall(r'^N\d+ \[label="(.*?)\\n\d', pprof('-dot', '-nodefraction=0', path, folder=folder),
                       re.M)
    boxes = {re.sub(r'\\n', '::', name) for name in drawn}
    faults += [f'a box of {name}' for name in boxes if re.search(r'<[^…]|\(\w+ ?[,*&)]', name)]
    raw = pprof('-raw', path, folder=folder)
    grown = re.search(r'Box<…>::grow /srv\S*/alloc_cxx\.cc:\d+(?::0)? s=([1-9]\d*)\(_ZN3BoxIcE4growEi\)', raw)
    faults += [] if grown else [raw]
    return faults + ([] if len(boxes) > 10 and 'over' in theirs else [f'{boxes} {theirs}'])


def facts(folder):
    path = write(folder, 'facts', SYMBOLS, '--metric=inuse-objects', *PROCS)
    profile, raw = Profile(path), pprof('-raw', path, folder=folder)
    program = profile.mappings[0]
    wanted = {
        'default': (profile.default_sample_type, 'inuse_objects'),
        'period type': (profile.period_type, ('space', 'bytes')),
        'period': (profile.period, 131072),
        'time and duration': (profile.time, None),
        'program': (program.filename.rpartition('/')[2], 'alloc_c'),
        'build id': (bool(re.fullmatch('[0-9a-f]{40}', program.build_id)), True),
        'flags': (program.flags, 4),
        'flags without symbols': (profile.mappings[1].flags, 0),
        'estimator': (any('estimator: unbiased' in c for c in profile.comments), True),
        'no warning of sizes that are known': (any('more than 32 KiB' in c for c in profile.comments), False),
        'addresses in their mappings': (profile.stray_addresses(), []),
        'as pprof reads the period': ('Period: 131072' in raw, True),
        'as pprof reads the flags': ('[FN][FL][LN][IN]' in raw, True),
    }
    return [f'{what}: {got} instead of {want}' for what, (got, want) in wanted.items()
            if got != want]


def by_time(profile):
    """{timestamp: its samples, as names and values}."""
    dumps = collections.defaultdict(list)
    for sample in profile.samples:
        number, unit = sample.labels['timestamp']
        if unit != 'nanoseconds':
            raise AssertionError(unit)
        dumps[number].append((profile.names(sample), sample.values))
    return dumps


def timeline(folder, options, times):
    """Each dump of a timeline equals the profile of only this dump."""
    found = by_time(Profile(write(folder, 'timeline', '--timeline', '--no-symbols', *options,
                                  *SERIES)))
    faults = [] if list(found) == times else [f'{list(found)} instead of {times}']
    for path, time in zip(SERIES, times):
        alone = Profile(write(folder, 'alone', '--no-symbols', path))
        samples = [(alone.names(sample), sample.values) for sample in alone.samples]
        if found[time] != samples:
            faults.append(f'{path.name}: other samples')
    return faults


def one_of_a_timeline(folder):
    """pprof can select one dump of a timeline by its label."""
    path = write(folder, 'focus', '--timeline', '--no-symbols', *SERIES)
    sums = collections.Counter()
    for sample in Profile(path).samples:
        sums[sample.labels['timestamp'][0]] += sample.values[-1]
    faults = []
    for time, total in sums.items():
        text = pprof('-top', '-unit=bytes', f'-tagfocus=timestamp={time}ns', path, folder=folder)
        shown = int(re.search(r'nodes accounting for (\d+)B', text)[1])
        if shown != total:
            faults.append(f'{time}: {shown} instead of {total}')
    return faults


def first_time(folder):
    """The time is the first one, as in profiles that pprof merges."""
    pattern = r'--time-from=\.(\d+)\.[if]\d*\.heap'
    time = Profile(write(folder, 'time', '--no-symbols', '--dumps=sum', pattern, *SERIES[2:])).time
    return [] if time == 2 * 10**9 else [f'{time}']


def further_types(folder):
    """pprof shows tcmalloc's types of two profiles as we do."""
    inputs, faults = sorted((t.testdata / 'pprof').glob('tcmalloc*.pb')), []
    path = write(folder, 'types', *inputs)
    kinds = Profile(path).sample_types
    for kind in kinds[2:]:
        theirs, total = top_of(pprof('-top', *(['-unit=bytes'] if 'space' in kind else []),
                                     f'-sample_index={kind}', path, folder=folder))
        faults += [f'{kind}: {fault}' for fault in compare_top(
            theirs, total, t.table(f'--metric={kind}', '--no-symbols', *inputs).rows(), 0)]
    return faults if len(kinds) == 8 else [f'{kinds}']


def hostile_names(folder):
    path = write(folder, 'hostile', '--no-symbols', hostile_dump(t, folder))
    names = [mapping.filename for mapping in Profile(path).mappings]
    want = '/srv/"\\</script>;\x1b[31m\x07\\xFF\u202e\'#'
    return [] if want in names else names


def period_of_estimators(folder):
    profile = Profile(write(folder, 'none', SYMBOLS, '--estimator=none', *PROCS))
    return [] if any('estimator: none' in c for c in profile.comments) else profile.comments


def names_by_pprof(path):
    """Names in the rows of pprof for a dump, with the binaries of this machine."""
    text = pprof('-top', '-symbolize=local', generated_code.as_classic(path), folder=path.parent)
    return {line.split(None, 5)[5] for line in text.split('flat%')[1].splitlines()[1:]}


with scratch() as scratch_folder:
    for name, options, inputs in CASES:
        more = (options, inputs, scratch_folder)
        if SYMBOLS in options:
            t.check(f'{name}: pprof has our functions', lambda: top(*more))
        t.check(f'{name}: samples add up to our totals', lambda: totals(*more))
        t.check(f'{name}: stacks are those of the folded format', lambda: stacks(*more))
        t.check(f'{name}: protoc writes the same bytes', lambda: canonical_encoding(*more))
    t.check('-traces shows our stacks', lambda: traces(scratch_folder))
    t.check('pprof merges our profiles as we do', lambda: merging(scratch_folder))
    t.check('C++ names stay complete', lambda: names_are_whole(scratch_folder))
    t.check('C++: boxes have short names', lambda: boxes_are_short(scratch_folder))
    t.check('period, mappings and comments are right', lambda: facts(scratch_folder))
    t.check('a timeline without times has its dumps in order', lambda: timeline(
        scratch_folder, (), [(i + 1) * 10**9 for i in range(len(SERIES))]))
    t.check('a timeline with times has its dumps at these times', lambda: timeline(
        scratch_folder, [r'--time-from=\.(\d+)\.[if]\d*\.heap'],
        [i * 10**9 for i in range(len(SERIES))]))
    t.check('pprof finds the dumps of a timeline', lambda: one_of_a_timeline(scratch_folder))
    t.check('the time is that of the first dump', lambda: first_time(scratch_folder))
    t.check('other sample types are kept with the metrics', lambda: further_types(scratch_folder))
    t.check('hostile names are escaped', lambda: hostile_names(scratch_folder))
    t.check('pprof names no generated code, whose perf map is beside the dump', lambda: [
        *generated_code.named_by(t, pathlib.Path(scratch_folder), names_by_pprof)])
    t.check('a profile without unsampling has a comment that says so', lambda: period_of_estimators(scratch_folder))
t.done()

#!/usr/bin/env python3
"""google/pprof's own heap profiles of the old text form give the values that its tests expect:
each has a file .string beside it, in Debian's package of its sources.

usage: pprof_legacy.py BINARY TESTDATA
"""
import collections
import pathlib
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from harness import Tests, scratch  # noqa: E402
from profile_proto import Profile  # noqa: E402

t = Tests()
FOLDER = pathlib.Path('/usr/share/gocode/src/github.com/google/pprof/profile/testdata')
FOUR_GIB = 1 << 32
METRICS = {'objects': 'inuse_objects', 'space': 'inuse_space'}


class Golden:
    """The expected result of pprof's parser for a file: samples, with several lines for each stack."""

    def __init__(self, path):
        parts = re.split(r'^(Samples:|Locations|Mappings)$', path.read_text(), flags=re.M)
        samples, locations, mappings = parts[2], parts[4], parts[6]
        self.period = int(re.search(r'^Period: (\d+)', parts[0], re.M)[1])
        types, *rows = [line for line in samples.strip('\n').splitlines()
                        if not line.startswith(' ' * 16)]
        self.types = [METRICS.get(kind, kind) for kind in re.findall(r'(\w+)/\w+', types)]
        starts = {int(n): (int(start, 16), int(offset, 16), name.rpartition('/')[2],
                          name.startswith('/'))
                  for n, start, offset, name in
                  re.findall(r'^(\d+): 0x(\w+)/0x\w+/0x(\w+) (\S*)', mappings, re.M)}
        most = max((int(limit, 16) for limit in re.findall(r'^\d+: 0x\w+/0x(\w+)/', mappings, re.M)), default=0)
        places = {}
        for n, address, mapping in re.findall(r'^ *(\d+): 0x(\w+) M=(\d+)', locations, re.M):
            start, offset, name, is_path = starts[int(mapping)]
            # A program that is linked to low addresses has those of the ELF file; a name without a path is of no file.
            is_linked_there = start < FOUR_GIB < most and is_path
            place = int(address, 16) - (0 if is_linked_there else start) + offset + 1
            places[int(n)] = f'{name}+{place:#x}' if name else f'{place:#x}'
        self.values = collections.defaultdict(list)
        for row in rows:
            values, _, stack = row.partition(':')
            key = tuple(places[int(n)] for n in stack.split())
            self.values[key].append([int(value) for value in values.split()])


def compare(name):
    golden = Golden(FOLDER / f'{name}.string')
    with scratch() as folder:
        path = pathlib.Path(folder) / 'merged.pb.gz'
        # gobench.heap was truncated by its authors, which is not tested here.
        done = t.run('merge', '--no-symbols', '--frames=all', '--damaged=use', '-q', '-o', path, FOLDER / name)
        if done.code not in (0, 3):
            return [f'{done.code} {done.err}']
        profile = Profile(path)
    ours = collections.Counter()
    columns = [profile.sample_types.index(kind) for kind in golden.types]
    for sample in profile.samples:
        key = tuple(profile.names(sample))
        for i, column in enumerate(columns):
            ours[key, i] += sample.values[column]
    faults = [] if profile.period == golden.period else [f'period {profile.period}']
    for key, lines in golden.values.items():
        if key == ():
            key = ('[empty stack]',)
        for i, kind in enumerate(golden.types):
            # pprof truncates each line to integers, while we round the sum.
            low = sum(line[i] for line in lines)
            if not low - 1 <= ours.pop((key, i), 0) <= low + len(lines) + 1:
                faults.append(f'{kind} of {key}: {low}')
    faults += [f'no such stack: {key}' for (key, _), value in ours.items() if value]
    return faults or f'{sum(map(len, golden.values.values()))} lines of {golden.types}'


for name in ('cppbench.heap', 'cppbench.growth', 'gobench.heap'):
    t.check(f'{name} has the values that pprof expects', lambda name=name: compare(name))
t.check('java.heap, a Java profile, is rejected with the reason', lambda: [
    fault for fault in [t.run('top', FOLDER / 'java.heap')]
    if fault.code != 5 or 'of a Java program' not in fault.err])
t.done()

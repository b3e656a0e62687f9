#!/usr/bin/env python3
"""A profile of another program that we merge alone stays the same: each field that protoc finds in the original is
also in ours, except those that the manual lists.

usage: roundtrip.py BINARY TESTDATA [PEERS]

With PEERS, the folder that ./check --peers makes, the current output of jemalloc_pprof is tested, too.
"""
import collections
import gzip
import os
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from harness import Tests, scratch  # noqa: E402
from profile_proto import parse, protoc, run_go  # noqa: E402

t = Tests()
FILES = t.testdata / 'pprof'
METRICS = {'objects': 'inuse_objects', 'space': 'inuse_space'}  # as documented in the manual
UNITS = {'kilobytes': 1024}
DOC_URL = bytes((15 << 3, 31))  # which Debian 12's profile.proto does not know
FIELDS = {
    'profile': {'15', 'sample_type', 'sample', 'mapping', 'location', 'function', 'string_table',
                'drop_frames', 'keep_frames', 'time_nanos', 'duration_nanos', 'period_type',
                'period', 'comment', 'default_sample_type', 'doc_url'},
    'sample': {'location_id', 'value', 'label'},
    'label': {'key', 'str', 'num', 'num_unit'},
    'mapping': {'id', 'memory_start', 'memory_limit', 'file_offset', 'filename', 'build_id',
                'has_functions', 'has_filenames', 'has_line_numbers', 'has_inline_frames'},
    'location': {'id', 'mapping_id', 'address', 'line'},
    'line': {'function_id', 'line'},
    'function': {'id', 'name', 'system_name', 'filename', 'start_line'},
}
FLAGS = ('has_functions', 'has_filenames', 'has_line_numbers', 'has_inline_frames')


class Facts:
    """The contents of a profile, without ids and order."""

    def __init__(self, data):
        self.m = parse(iter(protoc('decode', data).decode().splitlines()))
        self.strings = self.m['string_table']
        self.strange = []
        self.know('profile', self.m)
        self.mappings = self.table('mapping')
        self.functions = self.table('function')
        self.locations = self.table('location')
        self.found = self.find_flags()

    def find_flags(self):
        """The flags of each mapping that its locations imply; we set these where the original has no flags."""
        found = collections.defaultdict(lambda: (0, 0, 0, 0))
        for location in self.locations.values():
            calls = [self.call(line) for line in location.get('line', [])]
            has = (any(call[0] for call in calls), any(call[2] for call in calls),
                   any(call[4] for call in calls), len(calls) > 1)
            number = location.get('mapping_id', [0])[0]
            found[number] = tuple(int(a or b) for a, b in zip(found[number], has))
        return found

    def know(self, kind, message):
        self.strange += [f'{kind}.{key}' for key in message.keys() - FIELDS[kind]]

    def table(self, kind):
        for message in self.m.get(kind, []):
            self.know(kind, message)
        return {message['id'][0]: message for message in self.m.get(kind, [])}

    def text(self, message, key):
        return self.strings[message.get(key, [0])[0]]

    def kind(self, message):
        """(type, unit, factor of the values)"""
        name, unit = self.text(message, 'type'), self.text(message, 'unit')
        name = METRICS.get(name, name)
        return name, 'bytes' if unit in UNITS else unit, UNITS.get(unit, 1)

    def call(self, line):
        self.know('line', line)
        function = self.functions.get(line.get('function_id', [0])[0], {})
        name, system = self.text(function, 'name'), self.text(function, 'system_name')
        return (name, '' if system == name else system, self.text(function, 'filename'),
                function.get('start_line', [0])[0], line.get('line', [0])[0])

    def frame(self, number):
        location = self.locations[number]
        mapping = self.mappings.get(location.get('mapping_id', [0])[0], {})
        start, offset = (mapping.get(key, [0])[0] for key in ('memory_start', 'file_offset'))
        where = self.text(mapping, 'filename'), self.text(mapping, 'build_id')
        flags = tuple(mapping.get(flag, [0])[0] for flag in FLAGS)
        flags = flags if any(flags) else self.found[location.get('mapping_id', [0])[0]]
        address = location.get('address', [0])[0] - start + offset
        return where + (flags, address, tuple(map(self.call, location.get('line', []))))

    def label(self, label):
        self.know('label', label)
        return (*(self.text(label, key) for key in ('key', 'str', 'num_unit')),
                label.get('num', [0])[0])

    def samples(self):
        kinds = [self.kind(kind) for kind in self.m['sample_type']]
        sums = collections.defaultdict(collections.Counter)
        for sample in self.m.get('sample', []):
            self.know('sample', sample)
            key = (tuple(map(self.frame, sample.get('location_id', []))),
                   tuple(sorted({self.label(label) for label in sample.get('label', [])})))
            for (name, unit, times), value in zip(kinds, sample['value']):
                sums[key][name, unit] += value * times
        return {key: {kind: value for kind, value in values.items() if value}
                for key, values in sums.items() if any(values.values())}

    def heads(self):
        period = self.m.get('period_type', [{}])[0]
        return {
            'sample types': sorted(self.kind(kind)[:2] for kind in self.m['sample_type']),
            'default type': METRICS.get(self.text(self.m, 'default_sample_type'),
                                        self.text(self.m, 'default_sample_type')),
            'period type': (self.text(period, 'type'), self.text(period, 'unit')),
            **{key: self.m.get(key, [0])[0] for key in ('period', 'time_nanos', 'duration_nanos')},
            **{key: self.text(self.m, key) for key in ('drop_frames', 'keep_frames')},
            'doc_url': self.text(self.m, 'doc_url') or self.text(self.m, '15'),
        }

    def comments(self):
        return [self.strings[number] for number in self.m.get('comment', [])]


def encode(text):
    """A text, and the field that has no name there."""
    return protoc('encode', text.encode()) + (DOC_URL if 'example.' in text else b'')


def merged(*inputs):
    with scratch() as folder:
        out = pathlib.Path(folder) / 'again.pb.gz'
        t.ok('merge', '-q', '--no-symbols', '--keep-unmapped', '--frames=all', '--names=full', '--dumps=sum',
             '-o', out, *inputs)
        return Facts(gzip.decompress(out.read_bytes()))


def is_kept(key, wanted, got):
    """Whether the numbers are preserved.  Go truncates the number of objects to an integer, while we find it more
    exactly from their size; the objects of all samples are rounded together."""
    has_size = any(label[0] == 'bytes' for label in key[-1])
    return got is not None and all(
        got.get(kind) == value or (has_size and kind[1] == 'count' and 0 <= got[kind] - value <= 1)
        for kind, value in wanted.items()) and got.keys() == wanted.keys()


def differences(wanted, got, adds=()):
    """The differences; `adds` lists the fields that the manual says we add to files without them."""
    a, b = wanted.samples(), got.samples()
    faults = [f'{key}: {b.get(key)}, not {values}' for key, values in a.items()
              if not is_kept(key, values, b.get(key))]
    faults += [f'{key}: not theirs' for key in b.keys() - a.keys()]
    heads = got.heads()
    faults += [f'{what}: {heads[what]}, not {value}' for what, value in wanted.heads().items()
               if heads[what] != value and not (what in adds and not any(value))]
    known = wanted.comments()
    if got.comments()[:len(known)] != known:
        faults.append(f'{got.comments()}: not the comments {known}')
    if not got.comments()[len(known)].startswith('made by hprof-agg '):
        faults.append(f'{got.comments()}: more than ours are added')
    faults += [f'{field}: a field that nobody looks at' for field in wanted.strange + got.strange]
    return faults


def lasting(facts):
    """The comments that do not name inputs."""
    return sorted(comment for comment in facts.comments()
                  if ' warns: ' not in comment and not comment.startswith('inputs: '))


def again(path):
    """(a file, encoded by protoc if it is a text; the profile that we make of it)"""
    data = path.read_bytes()
    data = (encode(data.decode()) if path.suffix == '.txt' else
            gzip.decompress(data) if path.suffix == '.gz' else data)
    with scratch() as folder:
        plain = pathlib.Path(folder) / 'theirs.pb'
        plain.write_bytes(data)
        wanted, got = Facts(data), merged(plain)
        faults = differences(wanted, got, {'default type', 'period type'})
        out = pathlib.Path(folder) / 'once.pb.gz'
        t.ok('merge', '-q', '--no-symbols', '--keep-unmapped', '--frames=all', '--names=full', '-o', out, plain)
        twice = merged(out)
        if (twice.samples(), twice.heads()) != (got.samples(), got.heads()):
            faults.append('merged once more it is another')
        if lasting(twice) != lasting(got) or len(twice.comments()) != len(got.comments()):
            faults.append(f'merged once more the comments are {twice.comments()}')
    return faults or (f'{len(wanted.samples())} samples of {len(wanted.m["sample_type"])} types, '
                      f'{len(wanted.comments())} comments')


def by_pprof():
    """A dump of gperftools, as google/pprof converts it."""
    with scratch() as folder:
        out = pathlib.Path(folder) / 'theirs.pb.gz'
        subprocess.run(['go', 'tool', 'pprof', '-proto', '-symbolize=none', f'-output={out}',
                        str(t.formats / 'gperftools-heapprofile.heap')], check=True, timeout=120,
                       capture_output=True, cwd=folder, env={**os.environ, 'PPROF_TMPDIR': folder})
        return again(out)


def by_go():
    with scratch() as folder:
        return again(run_go(folder)[0])


def by_jemalloc_pprof(peers):
    program = pathlib.Path(peers).resolve() / 'jemalloc_pprof' / 'release' / 'writes-pprof'
    with scratch() as folder:
        paths = [pathlib.Path(folder) / name for name in ('rust.pb.gz', 'rust.heap')]
        subprocess.run([program, *paths], check=True)
        return again(paths[0])


def each_field():
    """A file without one of the fields is another: nothing is compared in vain."""
    text = (FILES / 'everything.txt').read_text()
    got = merged_text(text)
    faults = []
    for field, other in (
            ('drop_frames:26', ''), ('keep_frames:27', ''), ('time_nanos:17', 'time_nanos:16'),
            ('duration_nanos:6', 'duration_nanos:7'), ('type:28', 'type:3'), ('period:5', 'period:6'),
            ('comment:30', ''), ('default_sample_type:7', 'default_sample_type:5'), ('example.org', 'example.com'),
            ('value:300', 'value:299'), ('value:-5', 'value:5'), ('value:41', 'value:40'),
            ('num:-64 num_unit:4', 'num:-64'), ('str:10 num:3', 'str:10'), ('num:64}', 'num:65}'),
            ('num_unit:13', ''), ('build_id:15', ''), ('has_functions:true has_line', 'has_line'),
            ('has_inline_frames:true', ''), ('start_line:5', ''), ('line:70', 'line:71'),
            ('system_name:20', ''), ('filename:25', ''), ('unit:6', 'unit:4'), ('unit:8', 'unit:4')):
        if field not in text:
            faults.append(f'{field}: not there')
        elif not differences(Facts(encode(text.replace(field, other, 1))), got):
            faults.append(f'{field}: nothing sees that it is gone')
    return faults


def merged_text(text):
    with scratch() as folder:
        path = pathlib.Path(folder) / 'theirs.pb'
        path.write_bytes(encode(text))
        return merged(path)


def two():
    """Two files with different fields: all of them are kept, in any order."""
    text = (FILES / 'everything.txt').read_text()
    other = text.replace('malloc)', 'realloc)').replace('calloc', 'xcalloc')
    other = other.replace('.org/profile', '.org/other').replace('a second comment', 'a third')
    other = other.replace('time_nanos:17', 'time_nanos:16').replace(
        'default_sample_type:7', 'default_sample_type:3').replace('allocated_bytes', 'bytes_sampled')
    with scratch() as folder:
        paths = [pathlib.Path(folder) / name for name in ('a.pb', 'b.pb')]
        for path, content in zip(paths, (text, other)):
            path.write_bytes(encode(content))
        outs = [pathlib.Path(folder) / name for name in ('ab.pb.gz', 'ba.pb.gz')]
        for out, inputs in zip(outs, (paths, paths[::-1])):
            t.ok('merge', '-q', '--no-symbols', '--keep-unmapped', '--names=full', '--dumps=sum', '-o', out, *inputs)
        faults = [] if outs[0].read_bytes() == outs[1].read_bytes() else ['another order, others bytes']
        got = Facts(gzip.decompress(outs[0].read_bytes()))
        more = merged(outs[0], paths[0])
        if [more.heads()[key] for key in ('drop_frames', 'keep_frames', 'doc_url')] != [
                got.heads()[key] for key in ('drop_frames', 'keep_frames', 'doc_url')]:
            faults.append(f'merged with one of them again: {more.heads()}')
        if set(lasting(more)) ^ set(lasting(got)):
            faults.append(f'merged with one of them again: {more.comments()}')
    heads = got.heads()
    wanted = {
        'drop_frames': '(?:(operator new|malloc))|(?:(operator new|realloc))',
        'keep_frames': '(?:calloc)|(?:xcalloc)', 'doc_url': 'https://example.org/other',
        'time_nanos': 1600000000123456789, 'duration_nanos': 120000000002,
        'default type': 'inuse_space', 'period type': ('space', 'bytes'), 'period': 524288,
    }
    faults += [f'{what}: {heads[what]}, not {value}' for what, value in wanted.items()
               if heads[what] != value]
    comments = ['second, though first', 'a second comment', 'a third',
                'doc_url: https://example.org/profile']
    if sorted(got.comments()[:4]) != sorted(comments):
        faults.append(f'{got.comments()}')
    once = merged_text(text).samples()
    double = {key: {kind: 2 * value for kind, value in values.items()} for key, values in once.items()}
    return faults + ([] if got.samples() == double else ['not the sum of both'])


if len(sys.argv) > 3:
    t.check('a profile of jemalloc_pprof keeps its fields', lambda: by_jemalloc_pprof(sys.argv[3]))
    t.done()
for name in ('tcmalloc-heap.txt', 'tcmalloc-lifetimes.txt', 'everything.txt', 'node.pb', 'rust.pb'):
    t.check(name, lambda name=name: again(FILES / name))
for name in ('tcmalloc.pb.gz', 'go-protobuf.pb.gz'):
    t.check(name, lambda name=name: again(t.formats / name))
t.check('a dump of gperftools from go tool pprof keeps its fields', by_pprof)
t.check('a profile of a Go program keeps its fields', by_go)
t.check('the test compares every field', each_field)
t.check('two profiles with different fields are merged', two)
t.done()

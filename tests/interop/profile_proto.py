"""pprof profiles as protoc reads them with google/pprof's own schema."""
import ast
import gzip
import os
import pathlib
import re
import subprocess

FOLDERS = ('/usr/share/gocode/src/github.com/google/pprof/proto',)


def protoc(what, data):
    folder = next(f for f in FOLDERS if pathlib.Path(f, 'profile.proto').exists())
    return subprocess.run(
        ['protoc', f'--{what}=perftools.profiles.Profile', f'--proto_path={folder}',
         'profile.proto'], input=data, capture_output=True, check=True).stdout


def canonical(data):
    return protoc('encode', protoc('decode', data))


def parse(lines):
    """Text format: {field: [values and messages]}."""
    message = {}
    for line in lines:
        line = line.strip()
        if line == '}':
            break
        if line.endswith('{'):
            message.setdefault(line[:-2], []).append(parse(lines))
        else:
            key, _, value = line.partition(': ')
            if value.startswith('"'):
                text = ast.literal_eval('b' + re.sub(r'\\([?])', r'\1', value)).decode()
                message.setdefault(key, []).append(text)
            else:
                message.setdefault(key, []).append(
                    {'true': 1, 'false': 0}[value] if value in ('true', 'false') else int(value))
    return message


class Mapping:
    def __init__(self, message, strings):
        self.start, self.limit, self.offset = (
            message.get(key, [0])[0] for key in ('memory_start', 'memory_limit', 'file_offset'))
        self.filename = strings[message.get('filename', [0])[0]]
        self.build_id = strings[message.get('build_id', [0])[0]]
        self.flags = sum(message.get(key, [0])[0] for key in message if key.startswith('has_'))


class Sample:
    def __init__(self, message, strings):
        self.locations, self.values = message.get('location_id', []), message['value']
        self.labels = {
            strings[label['key'][0]]: strings[label['str'][0]] if 'str' in label else
            (label.get('num', [0])[0], strings[label.get('num_unit', [0])[0]])
            for label in message.get('label', [])}
        self.all_labels = [
            (strings[label['key'][0]], strings[label.get('str', [0])[0]],
             label.get('num', [0])[0], strings[label.get('num_unit', [0])[0]])
            for label in message.get('label', [])]


class Profile:
    def __init__(self, path):
        message = parse(iter(protoc('decode', gzip.decompress(
            pathlib.Path(path).read_bytes())).decode().splitlines()))
        strings = message['string_table']

        def kind(value):
            return strings[value['type'][0]], strings[value['unit'][0]]

        self.sample_types = [kind(value)[0] for value in message['sample_type']]
        self.samples = [Sample(sample, strings) for sample in message['sample']]
        self.mappings = [Mapping(m, strings) for m in message.get('mapping', [])]
        self.mapping_of = dict(zip((m['id'][0] for m in message.get('mapping', [])),
                                   self.mappings))
        self.function_of = {m['id'][0]: tuple(strings[m.get(key, [0])[0]] for key in
                                              ('name', 'system_name', 'filename'))
                            for m in message.get('function', [])}
        self.locations = {m['id'][0]: m for m in message.get('location', [])}
        self.functions = {m['id'][0]: strings[m.get('name', [0])[0]]
                          for m in message.get('function', [])}
        self.system_names = {strings[m.get('name', [0])[0]]: strings[m.get('system_name', [0])[0]]
                             for m in message.get('function', [])}
        self.default_sample_type = strings[message.get('default_sample_type', [0])[0]]
        self.period_type = kind(message['period_type'][0])
        self.period = message.get('period', [0])[0]
        self.time = message.get('time_nanos', message.get('duration_nanos', [None]))[0]
        self.comments = [strings[i] for i in message.get('comment', [])]
        if strings[0] != '':
            raise AssertionError('the first string is not ""')

    def names(self, sample):
        """Functions, leaf first; places without one as hprof-agg calls them."""
        names = []
        for location in map(self.locations.get, sample.locations):
            lines = [self.functions[line['function_id'][0]] for line in location.get('line', [])]
            names += lines or [self.place(location)]
        return names

    def calls(self, location):
        """Innermost first: (function, as the linker knows it, file, line)."""
        calls = []
        for line in location.get('line', []):
            number = line.get('function_id', [0])[0]
            function = self.function_of.get(number, ('', '', ''))
            name, system, file = function
            calls.append((name or system, system or name, file, line.get('line', [0])[0]))
        return tuple(calls)

    def frame(self, number):
        """A location, independent of where its file is mapped: file, build, offset in the file, and calls."""
        location = self.locations[number]
        address, mapping = (location.get(key, [0])[0] for key in ('address', 'mapping_id'))
        address = 0 if address == (1 << 64) - 1 else address  # pprof's of the address 0
        where = ('', '', address)
        if mapping:
            of = self.mapping_of[mapping]
            where = (of.filename, of.build_id, address - of.start + of.offset)
        return where + (self.calls(location),)

    def place(self, location):
        offset = location.get('address', [0])[0] + 1
        number = location.get('mapping_id', [0])[0]
        module = self.mappings[number - 1].filename.rpartition('/')[2] + '+' if number else ''
        return f'{module}{offset:#x}'

    def stray_addresses(self):
        """The addresses outside of their mappings, or in mappings that start at another offset of the file."""
        found = []
        for location in self.locations.values():
            number = location.get('mapping_id', [0])[0]
            if number:
                mapping = self.mappings[number - 1]
                if not mapping.start <= location['address'][0] < mapping.limit:
                    found.append(location)
        return found


def run_go(folder):
    """The profiles that goheap.go writes of itself, as protobuf and as text."""
    program = pathlib.Path(folder) / 'goheap'
    source = pathlib.Path(__file__).resolve().parent / 'goheap.go'
    subprocess.run(['go', 'build', '-o', program, source], check=True, capture_output=True, cwd=folder,
                   env={**os.environ, 'GOFLAGS': '-mod=mod', 'GO111MODULE': 'off'})
    paths = [pathlib.Path(folder) / name for name in ('go.pb.gz', 'go.txt')]
    subprocess.run([program, *paths], check=True)
    return paths

#!/usr/bin/env python3
"""A second reader of partials, after man/hpa.5 alone: checks what can be checked, prints sums.

usage: hpa_reader.py FILE.hpa...
"""
import ctypes
import hashlib
import pathlib
import struct
import sys

MAGIC = b'\x89HPA\r\n\x1a\n'
SECTIONS = ('end parameters strings modules frames symbols labels annotations groups skipped totals stacks types '
            'type_sums replicates identities dumps history type_history names').split()
METRICS = ('inuse-space', 'inuse-objects', 'alloc-space', 'alloc-objects')
ERROR = 's s u u u u u d u u u u'.split()
KEYS = 6
SUMS = ['s'] * 5 + ['u', 's'] * 3 + ['u'] * 17
OWN = 24
zstd, xxhash = ctypes.CDLL('libzstd.so.1'), ctypes.CDLL('libxxhash.so.0')
zstd.ZSTD_decompress.restype = zstd.ZSTD_compress.restype = ctypes.c_size_t
xxhash.XXH3_64bits.restype = xxhash.XXH3_64bits_withSeed.restype = ctypes.c_uint64


def need(holds, what):
    if not holds:
        raise ValueError(what)


def checksum(head, frame):
    seed = xxhash.XXH3_64bits(head, ctypes.c_size_t(len(head)))
    return xxhash.XXH3_64bits_withSeed(frame, ctypes.c_size_t(len(frame)), ctypes.c_uint64(seed))


class Row:
    def __init__(self, data):
        self.data, self.at = data, 0

    def more(self):
        return self.at < len(self.data)

    def u(self):
        start = self.at
        while self.data[self.at] & 128:
            self.at += 1
        self.at += 1
        return sum((byte & 127) << 7 * i for i, byte in enumerate(self.data[start:self.at]))

    def s(self):
        number = self.u()
        return number >> 1 ^ -(number & 1)

    def bytes(self, size):
        self.at += size
        return self.data[self.at - size:self.at]

    def d(self):
        return struct.unpack('<d', self.bytes(8))[0]

    def text(self):
        return self.bytes(self.u())

    def all(self, kinds):
        return [getattr(self, kind)() for kind in kinds]


def blocks(data):
    """(section, flags, raw) of each; the last is the end, which is checked."""
    need(data[:8] == MAGIC, 'not a partial')
    sha, at, count = hashlib.sha256(), 12, 0
    while True:
        start, head = at, data[at:at + 12]
        section, flags, raw_size, packed = struct.unpack('<HHII', head)
        frame, (total,) = data[at + 12:at + 12 + packed], struct.unpack_from('<Q', data, at + 12 + packed)
        need(checksum(head, frame) == total, f'checksum of block {count + 1}')
        out = ctypes.create_string_buffer(raw_size)
        need(zstd.ZSTD_decompress(out, ctypes.c_size_t(raw_size), frame, ctypes.c_size_t(packed)) == raw_size, 'zstd')
        at += 12 + packed + 8
        yield section, flags, out.raw
        if section == 0:
            need(out.raw == struct.pack('<QQ', count, start) + sha.digest() + data[8:12], 'the end')
            return need(at == len(data), 'something follows the end')
        count += 1
        if not flags & 2:
            sha.update(head[:2] + out.raw)


PLAIN = {
    'modules': lambda row: (row.all('u' * 10), [row.all('uuu') for _ in range(row.u())]),
    'symbols': lambda row: (row.all('uu'), row.all('u' * 6 * row.u())),
    'labels': lambda row: [row.all('uuuus') for _ in range(row.u())],
    'annotations': lambda row: row.all('uu' if row.u() else 'uuu'),
    'skipped': lambda row: row.all('uu'),
    'totals': lambda row: (row.u(), row.all(ERROR), row.all(ERROR)),
    'types': lambda row: row.all('uuu'),
    'type_history': lambda row: row.all('uuu')[2] and row.s(),
    'names': lambda row: row.all(['u', 'text', 'text', 'd'] if row.data[row.at] else
                                 ['u', 'text', 'text', 'd', 'u', 'u', 'u', 'text']),
}


class Partial:
    def __init__(self, data):
        self.parameters, self.strings, self.frames, self.stacks, self.history = {}, [b''], [], [], {}
        self.groups, self.dumps, self.identities, self.type_sums = [], [], [], []
        for name in PLAIN:
            setattr(self, name, [])
        last = place = 0
        for section, _, raw in blocks(data):
            need(section == 0 or section >= last, 'order of sections')
            self.place, last = [0, 0] if section != last else place, section
            row = Row(raw)
            while section and row.more():
                name = SECTIONS[section]
                getattr(self, name).append(PLAIN[name](row)) if name in PLAIN else getattr(self, 'read_' + name)(row)
            place = self.place

    def read_parameters(self, row):
        name = row.text().decode()
        self.parameters[name] = row.u()

    def read_strings(self, row):
        text = row.text()
        need(self.strings[-1] < text, 'order of strings')
        self.strings.append(text)

    def read_frames(self, row):
        on, distance, leaf = row.all('uuu')
        self.place = [self.place[0] + on, distance + (0 if on else self.place[1])]
        need(not self.frames or (*self.place,) > self.frames[-1][:2], 'order of frames')
        self.frames.append((*self.place, leaf))

    def read_groups(self, row):
        status, _, keys = row.u(), row.u(), row.all('u' * KEYS)
        labels, dumps = row.all('uu' * row.u()), row.u()
        self.groups.append((dumps, status, keys, labels, row.all(SUMS)))

    def read_stacks(self, row):
        columns = [Row(row.text()) for _ in range(2 + 4 + 2 * len(ERROR) + 2)]
        key, frames, path = columns[0], columns[1], []
        while key.more():
            labels, shared, more = key.all('uuu')
            near = path[shared] if shared < len(path) else 0
            path = path[:shared] + [frames.s() + (0 if i else near) for i in range(more)]
            need(labels <= len(self.labels) and all(0 <= i < len(self.frames) for i in path), 'numbers of a key')
            need(not self.stacks or (labels, path) > self.stacks[-1][0], 'order of stacks')
            values = [column.s() for column in columns[2:6]]
            errors = [[getattr(column, kind)() for column, kind in zip(columns[start:], ERROR)]
                      for start in (6, 6 + len(ERROR))]
            sizes = [self.parts(column, values[2 * i:2 * i + 2]) for i, column in enumerate(columns[-2:])]
            self.stacks.append(((labels, path), values, errors, sizes))
        need(not any(column.more() for column in columns), 'lengths of columns')

    @staticmethod
    def parts(column, whole):
        parts = {}
        for _ in range(column.u() // 2):
            size, flags = column.u(), column.u()
            parts[size] = whole if flags & 2 else column.all('ss')[::-1] + column.all(ERROR)
        return parts

    def read_type_sums(self, row):
        on, stack = row.u(), row.u()
        self.place = [self.place[0] + on, stack + (0 if on else self.place[1])]
        self.type_sums.append((*self.place, row.s()))

    def read_identities(self, row):
        this = struct.unpack('<QQH', row.bytes(18))
        need(not self.identities or this >= self.identities[-1], 'order of identities')
        self.identities.append(this)

    def read_dumps(self, row):
        status, _, fields = row.u(), row.u(), row.all('u' * KEYS + ''.join(SUMS) + 'u' * OWN)
        row.all('uuu')
        labels, _ = row.all('uu' * row.u()), row.all('uu')
        while row.u():
            row.u()
        self.dumps.append((status, fields, labels))

    def read_history(self, row):
        on, stack = row.u(), row.u()
        begins = on or not self.history
        self.place = [self.place[0] + on, stack + (0 if begins else self.place[1])]
        parts, values = row.u(), [0] * 4
        for column in (0, 1):
            values[2 * column:2 * column + 2] = row.all('ss') if parts >> column & 1 else (0, 0)
            row.all(ERROR if parts >> column & 4 else ())
        self.history.setdefault(self.place[0], []).append((self.place[1], values))

    def sums(self):
        return [sum(values[i] for _, values, _, _ in self.stacks) for i in range(4)]


if __name__ == '__main__':
    for name in sys.argv[1:]:
        read = Partial(pathlib.Path(name).read_bytes())
        print(f'{name}: {sum(group[0] for group in read.groups)} dumps, {len(read.stacks)} stacks')
        for metric, whole, bits in zip(METRICS, read.sums(), (20, 32, 20, 32)):
            print(f'  {metric} {whole / 2 ** bits:.6f}')

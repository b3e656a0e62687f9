#!/usr/bin/env python3
"""A second reader of partials, FILE.hpa..., written after man/hpa.5 only: checks the file and prints sums."""
import ctypes
import hashlib
import struct
import sys

SECTIONS = ('end parameters strings modules frames symbols labels annotations groups skipped totals types stacks '
            'type_sums identities dumps history type_history names distribution extreme_names diagnostics '
            'file_names contents').split()
METRICS = {'inuse-space': 20, 'inuse-objects': 32, 'alloc-space': 20, 'alloc-objects': 32}  # bits of fractions
SAMPLES, PERIOD, FLAGS, OBJECTS, BYTES, WEIGHT, VARIANCE, NUMBERS, WRAP, KEYS, OWN = *range(7), 14, 2 ** 128 - 1, 6, 24
ERROR, SUMS = 's s u u u u u d u u u u'.split(), ['s'] * 5 + ['u', 's'] * 3 + ['u'] * 17
zstd, xxhash = ctypes.CDLL('libzstd.so.1'), ctypes.CDLL('libxxhash.so.0')
zstd.ZSTD_decompress.restype = zstd.ZSTD_compress.restype = ctypes.c_size_t
xxhash.XXH3_64bits.restype = xxhash.XXH3_64bits_withSeed.restype = ctypes.c_uint64


def need(holds, what):
    if not holds:
        raise ValueError(what)


def checksum(head, frame):
    seed = ctypes.c_uint64(xxhash.XXH3_64bits(head, ctypes.c_size_t(len(head))))
    return xxhash.XXH3_64bits_withSeed(frame, ctypes.c_size_t(len(frame)), seed)


class Row:
    def __init__(self, data):
        self.data, self.at = data, 0

    def __bool__(self):
        return self.at < len(self.data)

    def bytes(self, size):
        self.at += size
        return self.data[self.at - size:self.at]

    def u(self):
        return byte if (byte := self.bytes(1)[0]) < 128 else byte - 128 + (self.u() << 7)

    def s(self):
        return (number := self.u()) >> 1 ^ -(number & 1)

    def text(self):
        return self.bytes(self.u())

    def all(self, kinds):
        return [self.bytes(8) if kind == 'd' else getattr(self, kind)() for kind in kinds]

    def spaced(self, kind, at=0):
        return {(at := at + self.u()): getattr(self, kind)() for _ in range(self.u())}


def blocks(data):
    """(section, flags, raw) of each; the last is the end, which is checked."""
    need(data[:8] == b'\x89HPA\r\n\x1a\n', 'not a partial')
    sha, at, count, section = hashlib.sha256(), 12, 0, 1
    while section:
        start, (section, flags, size, packed) = at, struct.unpack('<HHII', head := data[at:at + 12])
        frame, at, count = data[at + 12:at + 12 + packed], at + 20 + packed, count + 1
        need(struct.pack('<Q', checksum(head, frame)) == data[at - 8:at], f'checksum of block {count}')
        out = ctypes.create_string_buffer(size)
        need(zstd.ZSTD_decompress(out, ctypes.c_size_t(size), frame, ctypes.c_size_t(packed)) == size, 'zstd')
        yield section, flags, out.raw
        need(section or out.raw + data[at:] == struct.pack('<QQ', count - 1, start) + sha.digest() + data[8:12], 'the end')
        sha.update(b'' if flags & 2 else head[:2] + out.raw)


def processes_of(row):  # lines of a merged profile; how large sizes were read; and the gain by the header
    lines, follows = [], (bits := row.u()) % 2
    while follows:
        lines.append(row.u())
        follows = row.u()
    return lines, row.all('s' * 6 * (bits >> 3 & 1))


def group_of(row):
    of = row.all('u' * (2 + KEYS)), row.all('uu' * row.u()), row.u(), row.all(SUMS)
    return (*of, row.all('s' * 6 * (of[0][1] >> 13 & 1)))


PLAIN = {
    'strings': lambda row: row.text(), 'modules': lambda row: (row.all('u' * 11), [row.all('uuuu') for _ in range(row.u())]),
    'parameters': lambda row: (row.text().decode(), row.u()), 'type_history': lambda row: row.all('uuu')[2] and row.s(),
    'extreme_names': lambda row: (row.bytes(10), row.text(), row.text()), 'skipped': lambda row: row.all('uu'),
    'symbols': lambda row: (row.all('uu'), row.all('u' * 6 * row.u())), 'type_sums': lambda row: row.all('uus'),
    'annotations': lambda row: row.all('uu' if row.u() else 'uuu'), 'totals': lambda row: (row.u(), row.all(ERROR * 2)),
    'identities': lambda row: struct.unpack('<QQH', row.bytes(18)), 'types': lambda row: row.all('uuu'),
    'contents': lambda row: struct.unpack('<QI', row.bytes(12)),
    'labels': lambda row: [row.all('uuuus') for _ in range(row.u())],
    'diagnostics': lambda row: (row.all('uu'), [row.bytes(10) for _ in range(row.u())]),
    'groups': group_of,
    'dumps': lambda row: (row.all(['u'] * (2 + KEYS) + SUMS + ['u'] * (OWN + 3)), row.all('uu' * row.u()), row.all('uu'),
                          processes_of(row)),
    'names': lambda row: row.all(['u', 'text', 'text', 'd'] + ['u', 'u', 'u', 'text'] * (row.data[row.at] == 0)),
    'distribution': lambda row: (row.all('uu' * row.u()), row.spaced('u'), [(row.u(), row.spaced('u'), *(
        [(row.s(), row.bytes(10), row.u()) for _ in range(row.u())] for _ in (0, 1))) for _ in (0, 1)]),
}


class Block:  # of stacks: its columns, and the facts found in it
    def __init__(self, row):
        self.columns = [Row(row.text()) for _ in range(16 + 2 * NUMBERS)]
        self.path, self.modules, self.met, self.units, self.period, self.flags, self.in_use = [], [], {}, {}, 0, 0, {}

    def key(self, frames_of):
        labels, shared, further = (column.u() for column in self.columns[:3])
        self.path = self.path[:shared]
        for _ in range(further):
            found = self.modules.pop(code) if (code := self.columns[3].u()) < 8 else code - 8
            self.modules = [found, *self.modules][:8]
            frames, (few, low, high) = frames_of[self.modules[0]], self.columns[4:7]
            self.path.append(frames[few.bytes(1)[0] if len(frames) <= 256 else low.bytes(1)[0] + 256 * high.u()])
        return labels, self.path

    def part(self):
        size, marks, k = self.columns[8].u(), self.columns[9].u(), []

        def add(*expected):
            for each in expected:
                column = self.columns[11 + len(k) + (0 if size else NUMBERS)]
                k.append(each + (column.s() if marks >> 2 + len(k) & 1 else 0) & WRAP)

        if marks == 2:
            return size, self.in_use[size]
        add(0, self.period)
        if size:
            n, of = k[SAMPLES], (met := self.met.get((size, k[PERIOD]), [0] * NUMBERS))[SAMPLES]
            like = [each if n == of else (each * n + of // 2) // of & WRAP if of else 0 for each in met]
            add(0, like[OBJECTS])
            add(like[BYTES] if of and k[OBJECTS] == like[OBJECTS] else (k[OBJECTS] * size + 2048 & WRAP) >> 12)
            add(met[WEIGHT], like[VARIANCE])
            is_like = of and k[VARIANCE] == like[VARIANCE]
            add(like[7] if is_like else ((k[VARIANCE] << 20) + size ** 2 // 2 & WRAP) // size ** 2, n * size & WRAP, 0, 0)
            self.met[size, k[PERIOD]] = k if n >= of else met
            bytes_, samples = self.units.get(size, (0, 0))
            if n and k[BYTES] and (not samples or k[BYTES] * samples & WRAP < bytes_ * n & WRAP):
                self.units[size] = k[BYTES], n
        else:
            add(self.flags, 0, 0)
            weight, = struct.unpack('<Q', struct.pack('<d', (k[OBJECTS] - (k[OBJECTS] >> 127 << 128)) / 2 ** 32))
            add(weight, 0, (k[OBJECTS] ** 2 + 2 ** 43 & WRAP) >> 44, 0, 0)
            add(k[-1] * (k[FLAGS] & 1))
        self.period, self.flags = k[PERIOD], self.flags if size else k[FLAGS]
        add(*(i == (marks & 1 if size else 2) for i in range(3)))
        return size, k

    def numbers(self):  # of a stack in one column, and of its parts by size
        head = self.columns[7].u()
        self.in_use = parts = dict(self.part() for _ in range(head >> 2))
        whole, marks = [0] * NUMBERS, self.columns[10].u() if head & 1 else 0
        for k in parts.values():
            whole = [a | b if i == FLAGS else max(a, b) if i in (PERIOD, WEIGHT) else a + b for i, a, b in zip(range(14), whole, k)]
        return [each + (self.columns[10].s() if marks >> i & 1 else 0) & WRAP for i, each in enumerate(whole)], parts

    def sums(self, bytes_, parts, before):  # of groups of dumps
        head, at, rounded = self.columns[39].u(), 0, (abs(bytes_) + 2 ** 19 >> 20) * (-1) ** (bytes_ < 0)
        groups = [at := at + self.columns[40].u() for _ in range(head - 1)] if head else list(before)
        unit, n = self.units.get(next(filter(None, parts), 0), (0, 0))
        found = {group: ((self.columns[41].u() * unit + (n << 19) & WRAP) // (n << 20) if n else 0) + self.columns[42].s()
                 for group in groups[:-1]}
        return {**found, **{group: rounded - sum(found.values()) + self.columns[43].s() for group in groups[-1:]}}


class Partial:
    def __init__(self, data):
        self.frames, self.stacks, self.replicates, self.history, self.frames_of, last = [], [], [], {}, {}, 0
        vars(self).update({name: [] for name in PLAIN})
        for section, _, raw in blocks(data):
            need(section == 0 or section >= last, 'order of sections')
            self.place, last, row, name = self.place if section == last else (0, 0), section, Row(raw), SECTIONS[section]
            while section and row:
                getattr(self, name).append(PLAIN[name](row)) if name in PLAIN else getattr(self, 'read_' + name)(row)
        for table in (self.strings, self.frames, [stack[0] for stack in self.stacks], self.identities):
            need(table == sorted(table), 'order of a table')

    def move(self, on, distance, begins=False):
        self.place = (self.place[0] + on, distance + (0 if on or begins else self.place[1]))
        return self.place

    def read_frames(self, row):
        columns = [Row(row.text()) for _ in range(3)]
        while any(columns):
            on, distance, leaf = (column.u() for column in columns)
            self.frames_of.setdefault(self.move(on, distance)[0], []).append(len(self.frames))
            self.frames.append((*self.place, leaf))

    def read_stacks(self, row):
        block = Block(row)
        while block.columns[0]:
            key, (wholes, parts) = block.key(self.frames_of), zip(block.numbers(), block.numbers())
            need(key[0] <= len(self.labels) and all(i < len(self.frames) for i in key[1]), 'numbers of a key')
            values = [whole[i] - (whole[i] >> 127 << 128) for whole in wholes for i in (BYTES, OBJECTS)]
            self.stacks.append((key, values, wholes, parts))
            if block.columns[39]:
                self.replicates.append((in_use := block.sums(values[0], parts[0], {}), block.sums(values[2], parts[1], in_use)))
        need(not any(block.columns), 'lengths of columns')

    def read_history(self, row):
        (dump, stack), parts, values = self.move(row.u(), row.u(), not self.history), row.u(), []
        for i in (0, 1):
            values += (row.all('ss') if parts >> i & 1 else [0, 0]) + row.all(ERROR * (parts >> i + 2 & 1))[:0]
        self.history.setdefault(dump, []).append((stack, values))

    def sums(self):
        return [sum(values[i] for _, values, _, _ in self.stacks) for i in range(4)]


class Digest(ctypes.Structure):
    _fields_ = [('low', ctypes.c_uint64), ('high', ctypes.c_uint64)]


xxhash.XXH3_128bits.restype = Digest


def stack_id(read, path):
    """The id of a stack of a partial that was read, from its path of frames, computed after man/hpa.5."""
    def hashed(data):
        found = xxhash.XXH3_128bits(data, ctypes.c_size_t(len(data)))
        return struct.pack('>QQ', found.high, found.low)

    data = b''
    for module, offset, _ in (read.frames[i] for i in path):
        fields, extents = read.modules[module - 1] if module else ([0] * 10, [])
        name = read.strings[(fields[2] or fields[1]) - 1] if module else b''
        data += hashed(name + b'\0' + b''.join(struct.pack('<QQ', *extent[:2]) for extent in extents))
        data += struct.pack('<Q', offset)
    return hashed(data)[:8].hex()


if __name__ == '__main__':
    for name in sys.argv[1:]:
        read = Partial(open(name, 'rb').read())
        print(f'{name}: {sum(group[2] for group in read.groups)} dumps, {len(read.stacks)} stacks',
              *(f'  {metric} {whole / 2 ** METRICS[metric]:.6f}' for metric, whole in zip(METRICS, read.sums())), sep='\n')

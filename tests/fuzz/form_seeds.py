#!/usr/bin/env python3
"""Make the seeds of ELF files whose unit has a function for each DWARF form, or check that they are up to
date.

usage: form_seeds.py [--update]

The addresses of each function follow an attribute of one form, or have a form of their own, or follow the
reference to a sibling.  A reader that takes the wrong size for one of these forms finds other functions after
it.  With --update the seeds are written.
"""
import pathlib
import struct
import sys

SEEDS = pathlib.Path(__file__).resolve().parent / 'seeds' / 'elf'
TEXT, FUNCTION = 128, 16  # where code begins in the file and in memory, bytes of a function
UNIT, SUBPROGRAM, PARAMETER = 0x11, 0x2e, 0x05
SIBLING, LOW, HIGH, ADDRESSES, OTHER = 0x01, 0x11, 0x12, 0x73, 0x2001
ADDRESS, DATA4, PLACE = 0x01, 0x06, 0x17

WIDTHS = {1: (0x0b, 0x0c, 0x11, 0x25, 0x29), 2: (0x05, 0x12, 0x26, 0x2a), 3: (0x27, 0x2b), 4: (0x06, 0x13, 0x1c, 0x28, 0x2c),
          8: (0x01, 0x07, 0x14, 0x20, 0x24), 16: (0x1e,), 0: (0x19, 0x21)}
NUMBERS = (0x0d, 0x0f, 0x15, 0x1a, 0x1b, 0x22, 0x23, 0x1f01, 0x1f02)  # of as many bytes as they need
COUNTED = {0x08: b'\x7f\x7f\0', 0x0a: b'\3', 0x03: b'\3\0', 0x04: b'\3\0\0\0', 0x09: b'\x83\0', 0x18: b'\3'}
PLACES = (0x0e, 0x17, 0x1d, 0x1f, 0x1f20, 0x1f21)  # in sections
REFERENCE, CONSTANT = 0x10, 0x21
SIZES = {0x0b: 1, 0x05: 2, 0x06: 4, 0x07: 8, 0x0f: 1}
INDICES = {0x1b: 1, 0x29: 1, 0x2a: 2, 0x2b: 3, 0x2c: 4}
SIBLINGS = {0x11: 1, 0x12: 2, 0x13: 4, 0x14: 8, 0x15: 2}


def leb128(value):
    return bytes([value]) if value < 0x80 else bytes([value & 0x7f | 0x80]) + leb128(value >> 7)


class Unit:
    def __init__(self, version, offset_size):
        self.version, self.offset_size = version, offset_size
        self.abbreviations, self.content, self.codes, self.functions = b'', bytearray(), 0, 0
        self.head = struct.pack('<H', version)
        abbreviations, address = bytes(offset_size), b'\x08'
        self.head += b'\1' + address + abbreviations if version == 5 else abbreviations + address

    def entry(self, tag, attributes, *values, children=False):
        self.codes += 1
        self.abbreviations += leb128(self.codes) + leb128(tag) + bytes([children])
        for name, form in attributes:
            self.abbreviations += leb128(name) + leb128(form) + (b'\5' if form == CONSTANT else b'')
        self.abbreviations += b'\0\0'
        self.content += leb128(self.codes) + b''.join(values)

    def next_function(self):
        self.functions += 1
        return TEXT + FUNCTION * (self.functions - 1)

    def function(self, form, value, name=OTHER, **options):
        self.entry(SUBPROGRAM, [(name, form), (LOW, ADDRESS), (HIGH, DATA4)], value,
                   struct.pack('<QI', self.next_function(), FUNCTION), **options)

    def add_siblings(self):
        for form, size in SIBLINGS.items():
            self.function(form, bytes(size), SIBLING, children=True)
            place = len(self.content) - 12 - size
            self.entry(PARAMETER, [(OTHER, DATA4)], b'\x95' * 4)
            self.content += b'\0'
            behind = (12 if self.offset_size == 8 else 4) + len(self.head) + len(self.content)
            self.content[place:place + size] = bytes([behind & 0x7f | 0x80, behind >> 7]) if form == 0x15 \
                else behind.to_bytes(size, 'little')

    def add_others(self):
        for size, forms in WIDTHS.items():
            for form in forms:
                self.function(form, b'\x91' * size)
        for form in NUMBERS:
            self.function(form, b'\x91\x92\3')
        for form, begin in COUNTED.items():
            self.function(form, begin + b'\x93' * (3 if form != 0x08 else 0))
        for form in PLACES:
            self.function(form, b'\x94' * self.offset_size)
        self.function(REFERENCE, b'\x96' * (8 if self.version == 2 else self.offset_size))

    def add_addresses(self):
        for form, size in SIZES.items():
            self.entry(SUBPROGRAM, [(LOW, ADDRESS), (HIGH, form)], struct.pack('<Q', self.next_function()),
                       FUNCTION.to_bytes(size, 'little'))
        low = self.next_function()
        self.entry(SUBPROGRAM, [(LOW, ADDRESS), (HIGH, ADDRESS)], struct.pack('<QQ', low, low + FUNCTION))
        for form, size in INDICES.items() if self.version == 5 else ():
            self.entry(SUBPROGRAM, [(LOW, form), (HIGH, DATA4)],
                       ((self.next_function() - TEXT) // FUNCTION).to_bytes(size, 'little'), struct.pack('<I', FUNCTION))

    def sections(self):
        is_new, is_long = self.version == 5, self.offset_size == 8
        self.entry(UNIT, [(LOW, ADDRESS), (HIGH, ADDRESS)] + [(ADDRESSES, PLACE)] * is_new, bytes(16),
                   (16 if is_long else 8).to_bytes(self.offset_size, 'little') * is_new, children=True)
        limits = len(self.content) - 16 - self.offset_size * is_new
        self.add_siblings()
        self.add_others()
        self.add_addresses()
        self.content += b'\0'
        struct.pack_into('<QQ', self.content, limits, TEXT, TEXT + FUNCTION * self.functions)
        addresses = struct.pack(f'<{self.functions}Q', *(TEXT + FUNCTION * i for i in range(self.functions)))
        return {'.text': bytes(FUNCTION * self.functions), '.debug_info': self.long(self.head + self.content),
                '.debug_abbrev': self.abbreviations + b'\0', '.debug_addr': self.long(b'\5\0\x08\0' + addresses)}

    def long(self, content):
        return (b'\xff' * 4 + struct.pack('<Q', len(content)) if self.offset_size == 8 else struct.pack('<I', len(content))) + content


def elf(sections):
    names, headers, content = b'\0', bytes(64), b''
    for name, each in (*sections.items(), ('.shstrtab', None)):
        at, names = len(names), names + name.encode() + b'\0'
        each = names if each is None else each
        is_text = name == '.text'
        headers += struct.pack('<IIQQQQIIQQ', at, 3 if name == '.shstrtab' else 1, 6 * is_text, TEXT * is_text,
                               TEXT + len(content), len(each), 0, 0, 1, 0)
        content += each
    size = TEXT + len(content)
    head = b'\x7fELF\2\1\1'.ljust(16, b'\0') + struct.pack('<HHIQQQIHHHHHH', 3, 62, 1, 0, 64, size, 0, 64, 56, 1, 64,
                                                         len(headers) // 64, len(headers) // 64 - 1)
    segment = struct.pack('<IIQQQQQQ', 1, 5, 0, 0, 0, size, size, 4096)
    return (head + segment).ljust(TEXT, b'\0') + content + headers


def main():
    faults = []
    for version, offset_size in ((2, 4), (4, 4), (5, 4), (5, 8)):
        path = SEEDS / f'forms{version}{"-64" if offset_size == 8 else ""}'
        made = elf(Unit(version, offset_size).sections())
        if '--update' in sys.argv:
            path.write_bytes(made)
        elif path.read_bytes() != made:
            faults.append(f'{path.name} is another; --update makes it anew')
    print('\n'.join(faults))
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())

"""Programs that tests build, and dumps of their addresses that they write themselves."""
import os
import pathlib
import re
import struct
import subprocess

PAGE = 4096


def loads(path):
    """(flags, offset, address, size in the file) of each segment of a 64-bit little-endian file."""
    data = pathlib.Path(path).read_bytes()
    at, size, count = (struct.unpack_from('<Q', data, 32)[0], *struct.unpack_from('<HH', data, 54))
    for i in range(count):
        kind, flags, offset, address, _, filled = struct.unpack_from('<IIQQQQ', data, at + i * size)
        if kind == 1:
            yield flags, offset, address, filled


def rows(path, mapped, base, mark='', file='fe:00 7'):
    """The rows of the memory map of a file at a base, and where offset 0 of its code would be."""
    text, start = [], None
    for flags, offset, address, size in loads(path):
        first, last = address // PAGE * PAGE, -(-(address + size) // PAGE) * PAGE
        letters = ('r' if flags & 4 else '-') + ('w' if flags & 2 else '-') + ('x' if flags & 1 else '-')
        text.append(f'{base + first:x}-{base + last:x} {letters}p {offset // PAGE * PAGE:08x} {file} '
                    f'{mapped}{mark}')
        if flags & 1:
            start = base + address - offset
    return text, start


def heap(stacks, maps, size=64):
    """A jemalloc dump: stacks of addresses, leaf first, of an object each."""
    lines = ['heap_v2/524288', f'  t*: {len(stacks)}: {size * len(stacks)} [0: 0]']
    for stack in stacks:
        lines += ['@ ' + ' '.join(map(hex, stack)), f'  t*: 1: {size} [0: 0]']
    return '\n'.join([*lines, '', 'MAPPED_LIBRARIES:', *maps, ''])


CALL = re.compile(r'^\s*([0-9a-f]+):\t((?:[0-9a-f]{2,8} )+)\s*\t(?:\w+ )?(call|bl|blr)\b')


def returns(path):
    """The addresses that calls of a file return to, in its own addresses, as objdump has them."""
    out = subprocess.run(['objdump', '-d', '-w', '-j', '.text', str(path)], check=True,
                         capture_output=True, text=True).stdout
    found = []
    for line in out.splitlines():
        call = CALL.match(line)
        if call:
            found.append(int(call[1], 16) + len(call[2].replace(' ', '')) // 2)
    return found


def run(*command):
    subprocess.run([str(word) for word in command], check=True, stdin=subprocess.DEVNULL)


def compiler(name):
    """The compiler named by CC or CXX, or the usual one."""
    return os.environ.get(name) or {'CC': 'cc', 'CXX': 'c++'}[name]

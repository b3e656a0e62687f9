#!/usr/bin/env python3
"""Symbolization takes at most twice the work if a file has twice as many parts that could be read repeatedly: rows of
a line program that all units share, units that share it, siblings, and siblings that point to themselves.  Only a part
of a large mapped file is in memory at a time.

usage: symbol_growth.py BINARY TESTDATA

Instructions are counted by Valgrind's callgrind, of all processes, less those for a nearly empty file.
"""
import pathlib
import re
import subprocess
import sys

from harness import Tests, scratch

MOST = 2.1
UNITS, ROWS, SIBLINGS = 32, 12000, 12000
FUNCTION, RETURN = 16, 5  # bytes of code, one function a unit, and of its call
LARGE, IN_MEMORY = 160, 64  # MiB of entries, 1 in a unit; and of memory
HERE = pathlib.Path(__file__).resolve().parent
t = Tests()

ABBREVIATIONS = '''
    .section .debug_abbrev
    .uleb128 1, 0x11; .byte 1       # compile unit: low_pc, high_pc, stmt_list
    .uleb128 0x11, 0x01, 0x12, 0x06, 0x10, 0x17, 0, 0
    .uleb128 2, 0x2e; .byte 0       # subprogram: name, low_pc, high_pc
    .uleb128 0x03, 0x08, 0x11, 0x01, 0x12, 0x06, 0, 0
    .uleb128 3, 0x16; .byte 0       # typedef: name
    .uleb128 0x03, 0x08, 0, 0
    .uleb128 4, 0x13; .byte 1       # structure: sibling, name
    .uleb128 0x01, 0x13, 0x03, 0x08, 0, 0
    .byte 0
'''


def line_program(rows):
    """One sequence over all functions, with `rows` rows at each address except the last."""
    opcodes = '\n'.join(f'    .byte 1\n    .byte 3\n    .sleb128 {1 if i % 2 else -1}' for i in range(rows))
    return f'''
    .section .debug_line
    .long 9f - 8f
8:  .short 4
    .long 7f - 6f
6:  .byte 1, 1, 1, -5, 14, 10
    .byte 0, 1, 1, 1, 1, 0, 0, 0, 1
    .byte 0
    .asciz "a.c"
    .byte 0, 0, 0, 0
7:  .byte 0, 9, 2
    .quad code
    .byte 3
    .sleb128 100
{opcodes}
    .byte 1
    .byte 2
    .uleb128 end - code
    .byte 0, 1, 1
9:
'''


def unit(number, siblings):
    return f'''
    .section .debug_info
    .long 2f - 1f
1:  .short 4
    .long 0
    .byte 8
    .uleb128 1
    .quad code + {FUNCTION * number}
    .long {FUNCTION}
    .long 0
{siblings}
    .uleb128 2
    .asciz "function_{number}"
    .quad code + {FUNCTION * number}
    .long {FUNCTION}
    .byte 0
2:
'''


def plain(count):
    return '    .uleb128 3\n    .asciz "t"\n' * count


def looping(count):
    """Each entry claims that the entry after its children is itself."""
    return '\n'.join(f'3:  .uleb128 4\n    .long 3b - 1b + 4\n    .asciz "s"\n{plain(1)}    .byte 0' for _ in range(count))


def made(folder, name, units=1, rows=1, siblings=''):
    """A dump of a program, one stack for each unit."""
    source, program = folder / f'{name}.s', folder / name
    call = f'    .byte 0xe8, 0, 0, 0, 0\n    .skip {FUNCTION - RETURN}, 0x90\n'  # to the code after it
    code = f'    .text\n    .globl _start\n_start:\ncode:\n{call * units}end:\n'
    source.write_text(code + ABBREVIATIONS + line_program(rows) + ''.join(unit(i, siblings) for i in range(units)))
    subprocess.run(['cc', '-nostdlib', '-static', '-Wl,-Ttext=0x401000', '-Wl,--build-id=none', '-o', program, source], check=True)
    stacks = ''.join(f'@ {0x401000 + FUNCTION * i + RETURN:#x}\n  t*: 1: 1024 [0: 0]\n' for i in range(units))
    total = f'heap_v2/1\n  t*: {units}: {1024 * units} [0: 0]\n'
    dump = folder / f'{name}.heap'
    dump.write_text(f'{total}{stacks}\nMAPPED_LIBRARIES:\n00400000-00401000 r--p 00000000 fe:00 7 {program}\n'
                    f'00401000-00402000 r-xp 00001000 fe:00 7 {program}\n')
    return dump


def instructions(dump, units):
    """The instructions of all processes; each function needs its name and its line, except one that siblings hide."""
    command = ['merge', '-q', '-ffolded', '--by=line', dump]
    done = subprocess.run(['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null', '--trace-children=yes', t.binary, *command],
                          capture_output=True, text=True, check=True)
    names = re.findall(r'^(?:function_\d+|_start) \S*a\.c:\d+ \d+$', done.stdout, re.M)
    if len(names) != units:
        raise AssertionError(f'{len(names)} of {units} names: {done.stdout[:300]} {done.stderr[-300:]}')
    return sum(map(int, re.findall(r'Collected : (\d+)', done.stderr)))


def doubled(folder, name, once, twice):
    start = instructions(made(folder, 'nothing'), 1)
    work = [instructions(made(folder, f'{name}{i}', **what), what.get('units', 1)) - start for i, what in enumerate((once, twice))]
    return f'{work[1] / work[0]:.2f} of {work[0] / 1e6:.1f} million' if work[1] <= MOST * work[0] else [f'{work}']


def resident(folder):
    """The memory of the process that reads the file, which has to walk all of it."""
    name = '    .uleb128 3\n    .fill 1 << 20, 1, 0x74\n    .byte 0\n'
    dump, report = made(folder, 'large', units=LARGE, siblings=name), folder / 'report'
    subprocess.run([sys.executable, '-S', HERE / 'peak_memory.py', report, t.binary, 'merge', '-q', '-ffolded', '-o', folder / 'out', dump], check=True)
    code, taken, _ = report.read_text(encoding='ascii').split()
    names = (folder / 'out').read_text().count('function_')
    faults = [] if code == '0' and names == LARGE else [f'ended with {code}: {names} of {LARGE} names']
    faults += [] if int(taken) < IN_MEMORY << 10 else [f'{int(taken) >> 10} MiB']
    return faults or f'{int(taken) >> 10} MiB of {LARGE}'


with scratch() as scratched:
    FOLDER = pathlib.Path(scratched)
    CASES = {
        'rows of a line program that units share': ({'units': UNITS, 'rows': ROWS}, {'units': UNITS, 'rows': 2 * ROWS}),
        'rows, and units that share them': ({'units': UNITS, 'rows': ROWS}, {'units': 2 * UNITS, 'rows': 2 * ROWS}),
        'siblings': ({'siblings': plain(SIBLINGS)}, {'siblings': plain(2 * SIBLINGS)}),
        'siblings that point to themselves': ({'siblings': looping(SIBLINGS)}, {'siblings': looping(2 * SIBLINGS)}),
    }
    for number, (what, (first, second)) in enumerate(CASES.items()):
        t.check(f'twice as many take at most {MOST} times the work: {what}',
                lambda number=number, first=first, second=second: doubled(FOLDER, f'case{number}.', first, second))
    t.check(f'at most {IN_MEMORY} of {LARGE} MiB of entries are in memory', lambda: resident(FOLDER))

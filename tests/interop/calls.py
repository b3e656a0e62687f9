#!/usr/bin/env python3
"""Tests the rules by which the instruction before a return address is recognized as a call.  For six machines they
are compared with llvm-objdump, on code that clang makes.  In a dump whose addresses all follow calls, none fails; of
addresses that follow other instructions, nearly all do.

usage: calls.py BINARY TESTDATA
"""
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from harness import Tests, scratch  # noqa: E402

t = Tests()
TEXT = 0x1000  # offset of the code in the file and in memory
START = 0x7f0000000000
MORE = 8  # files of generated functions

SOURCE = '''
struct table { long pad[%(pad)d]; int (*of[40])(int, int); };
extern int plain(int), (*pointer)(int), (**vector)(int);
extern struct table *table, tables[];
'''
FUNCTION = '''
int f%(n)d(int a, int b) {
    int sum = plain(a + %(n)d) * b;
    for (int i = 0; i < b; i++) {
        sum += tables[a].of[(i + %(n)d) %% 40](i, sum) + table->of[%(m)d](sum, a * %(n)d);
        sum ^= (sum >> 3) * plain(sum) + vector[i & 7](i) / (a | 1);
    }
    return sum %% 7 ? pointer(sum) - f%(k)d(a, sum & 1) : sum + %(n)d;
}
'''


class Machine:
    """The properties of a machine, apart from its instructions."""

    def __init__(self, target, number, calls, assembler, signal, **more):
        self.target, self.number, self.calls, self.assembler = target, number, calls, assembler
        self.signal = signal
        self.bits, self.order, self.flags, self.plain = 64, '<', (), ()
        self.by_chance = 0.0  # share of other instructions that look like calls
        self.__dict__.update(more)

    def elf(self, code):
        """A library with only that code."""
        wide = self.bits == 64
        end, pages = TEXT + len(code), 0x1000
        ident = b'\x7fELF' + bytes([2 if wide else 1, 1 if self.order == '<' else 2, 1]) + bytes(9)
        head = struct.pack(self.order + ('HHIQQQIHHHHHH' if wide else 'HHIIIIIHHHHHH'), 3, self.number,
                           1, 0, 64 if wide else 52, 0, 0, 64 if wide else 52, 56 if wide else 32, 1,
                           0, 0, 0)
        words = ((1, 5, TEXT, TEXT, TEXT, len(code), len(code), pages) if wide else
                 (1, TEXT, TEXT, TEXT, len(code), len(code), 5, pages))
        segment = struct.pack(self.order + ('IIQQQQQQ' if wide else 'IIIIIIII'), *words)
        return (ident + head + segment).ljust(TEXT, b'\0') + code[:end]


X86 = '''
call *%(a)s ; call *(%(a)s) ; call *8(%(a)s) ; call *0x1234(%(a)s) ; call *-0x1234(%(b)s)
call *(%(a)s,%(b)s,8) ; call *8(%(a)s,%(b)s,4) ; call *0x1234(%(a)s,%(b)s) ; call *(,%(b)s,8)
call *(%(s)s) ; call *0x20(%(s)s) ; call *(%(f)s) ; call *0x1234 ; call 1f
1: call *%%gs:0x10
'''
X86_64 = X86 % {'a': '%rax', 'b': '%rbx', 's': '%rsp', 'f': '%rbp'} + '''
call *%r12 ; call *(%r12) ; call *(%r13) ; call *16(%r12) ; call *(%r13,%r14,2)
call *0x1234(%rip) ; notrack call *%rax ; call *%fs:0x28
'''
MACHINES = [
    Machine('x86_64-linux-gnu', 62, r'callq?$', X86_64,
            ['mov $15,%rax ; syscall', 'mov $15,%eax ; syscall'], by_chance=.03),
    Machine('i386-linux-gnu', 3, r'calll?$',
            X86 % {'a': '%eax', 'b': '%ebx', 's': '%esp', 'f': '%ebp'},
            ['mov $173,%eax ; int $0x80', 'pop %eax ; mov $119,%eax ; int $0x80'],
            bits=32, by_chance=.03),
    Machine('aarch64-linux-gnu', 183, r'bl(r(a[ab]z?)?)?$',
            '.arch armv8.3-a+pauth\nbl . ; blr x3 ; blraa x3, x4 ; blrab x5, sp ; blraaz x9 ; blrabz x30',
            ['mov x8, #139 ; svc #0'], plain=('--mattr=+v8.3a',)),
    Machine('riscv64-linux-gnu', 243, r'(c\.jalr$|jalr?\s+(ra|t0),)',
            'jal ra, . ; jal t0, . ; jalr ra, 8(t1) ; jalr t0, 0(t2) ; c.jalr a0 ; c.jalr t6',
            ['li a7, 139 ; ecall'], flags=('-march=rv64gc',), plain=('-M', 'no-aliases'), by_chance=.01),
    Machine('s390x-linux-gnu', 22, r'(brasl|bras|basr|bas)\s+%r14,',
            'brasl %r14, . ; bras %r14, . ; basr %r14, %r1 ; bas %r14, 0x123(%r3)',
            ['svc 173', 'svc 119'], order='>', by_chance=.01),
    Machine('powerpc64le-linux-gnu', 21, r'(bl|bcl|bctrl|blrl|b\w+lrl|b\w+ctrl)$',
            'bl . ; bctrl ; blrl ; bcl 20, 31, .+4 ; beqctrl',
            ['li 0, 172 ; sc', 'addi 1, 1, 128 ; li 0, 172 ; sc'],
            flags=('-mcpu=power8',)),
    Machine('powerpc64-linux-gnu', 21, r'(bl|bcl|bctrl|blrl|b\w+lrl|b\w+ctrl)$',
            'bl . ; bctrl ; blrl', ['li 0, 172 ; sc'], order='>'),
]


def tool(name):
    """llvm-objdump, or llvm-objdump-14."""
    found = shutil.which(name) or next(
        (shutil.which(f'{name}-{n}') for n in range(30, 10, -1) if shutil.which(f'{name}-{n}')), None)
    if not found:
        raise AssertionError(f'no {name}: Debian has it in llvm')
    return found


def clang(machine, folder, name, text, *flags):
    source, built = pathlib.Path(folder, name), pathlib.Path(folder, name).with_suffix('.o')
    source.write_text(text)
    subprocess.run(['clang', f'--target={machine.target}', '-c', '-o', built, source, '-w',
                    *machine.flags, *flags], check=True, stdin=subprocess.DEVNULL)
    return built


def disassemble(machine, built):
    """[(address, bytes, text)] and the code of .text."""
    out = subprocess.run([tool('llvm-objdump'), '-d', '-j', '.text', *machine.plain, built],
                         check=True, capture_output=True, text=True).stdout
    rows = re.findall(r'^\s*([0-9a-f]+):\s+((?:[0-9a-f]{2,8} ?)+)\s+(\S.*)$', out, re.M)
    code = pathlib.Path(f'{built}.text')
    subprocess.run([tool('llvm-objcopy'), '-O', 'binary', '-j', '.text', built, code], check=True)
    size = [len(re.sub(r'\s', '', hexes)) // 2 for _, hexes, _ in rows]
    return [(int(at, 16), n, ' '.join(text.split())) for (at, _, text), n in zip(rows, size)], \
        code.read_bytes()


def dump(folder, name, stacks, size):
    """Write a dump of stacks, leaf first, of offsets in the code.  Each stack ends with an address outside of it."""
    end = START + (size + 4095) // 4096 * 4096
    lines = ['heap_v2/524288', f'  t*: {len(stacks)}: {64 * len(stacks)} [0: 0]']
    for stack in stacks:
        lines += ['@ ' + ' '.join(hex(START + offset) for offset in stack) + ' 0x10', '  t*: 1: 64 [0: 0]']
    lines += ['', 'MAPPED_LIBRARIES:',
              f'{START:x}-{end:x} r-xp {TEXT:08x} fe:00 7 /srv/code/{name}', '']
    path = pathlib.Path(folder, f'{name}.heap')
    path.write_text('\n'.join(lines))
    return path


def counts(folder, name, stacks, size):
    """(checked, failed)"""
    path = dump(folder, name, stacks, size)
    report = json.loads(t.ok('info', '-fjson', f'--path-map=/srv/code={folder}', path).out)
    found = report['modules'][0]
    returns = found['return_addresses'] or {'checked': 0, 'not_after_call': 0}
    return returns['checked'], returns['not_after_call'], found


def sources():
    for i in range(MORE):
        yield f'c{i}.c', SOURCE % {'pad': [0, 3, 40, 600][i % 4]} + ''.join(
            FUNCTION % {'n': n, 'm': (n * 7) % 40, 'k': max(n - 1, 0)} for n in range(40)), \
            f'-O{i % 3 + (i % 3 > 0)}', *(('-fPIC',) if i > 3 else ())


def judge(machine, folder, name, rows, code):
    ends = {at + size: re.match(machine.calls, text) or re.match(machine.calls, text.split()[0])
            for at, size, text in rows}
    behind = sorted(at for at, is_call in ends.items() if is_call)
    others = sorted(at for at, is_call in ends.items() if not is_call)
    pathlib.Path(folder, name).write_bytes(machine.elf(code))
    faults = []
    checked, failed, _ = counts(folder, name, [behind[i:i + 100] for i in range(0, len(behind), 100)],
                                len(code))
    if (checked, failed) != (len(behind), 0) or not behind:
        faults.append(f'{machine.target} {name}: of {len(behind)} calls {checked} are seen, and '
                      f'{failed} are none')
    checked, failed, _ = counts(folder, name, [others[i:i + 100] for i in range(0, len(others), 100)],
                                len(code))
    if checked != len(others) or failed < len(others) * (1 - machine.by_chance):
        faults.append(f'{machine.target} {name}: of {len(others)} other instructions {checked} are '
                      f'seen, and {checked - failed} are calls')
    return faults, len(behind), len(others)


def compiled(machine, folder):
    faults, calls, others = [], 0, 0
    for name, text, *flags in sources():
        rows, code = disassemble(machine, clang(machine, folder, name, text, *flags))
        more, behind, other = judge(machine, folder, name[:-2], rows, code)
        faults, calls, others = faults + more, calls + behind, others + other
    return faults or f'{calls} calls, {others} other instructions'


def assembled(machine, folder):
    """Each form of a call that the machine has."""
    text = '\n'.join(line for part in machine.assembler.split(' ; ') for line in part.split('\n'))
    nops = '\nnop' * 200  # if a fifth of the places follow calls, nothing is compared
    rows, code = disassemble(machine, clang(machine, folder, 'forms.s', f'.text\n{text}{nops}\n'))
    calls = [text for _, _, text in rows[:-200]]
    faults, behind, _ = judge(machine, folder, 'forms', rows, code)
    return faults + ([] if behind == len(calls) else
                     [f'{behind} of {len(calls)} are calls: {calls}']) or f'{behind} forms'


def interrupted(machine, folder):
    """The address to which a signal handler returns, and the interrupted address, are not checked."""
    faults = []
    call = {62: 'call 1f\n1:', 3: 'call 1f\n1:', 183: 'bl .'}.get(
        machine.number, machine.assembler.split(' ; ')[0])
    for signal in machine.signal:
        text = f'.text\n{call}\nnop\nnop\nnop\nnop\n{signal}\nnop\nnop\nnop\n'
        rows, code = disassemble(machine, clang(machine, folder, 'signal.s', text.replace(' ; ', '\n')))
        pathlib.Path(folder, 'signal').write_bytes(machine.elf(code))
        behind, gap = rows[0][0] + rows[0][1], rows[4][0]
        lands = rows[5][0]  # after four other instructions
        odd = len(code) - rows[-1][1]
        for stack, wanted in (([behind, lands, odd, behind], (1, 0)),
                              ([behind, gap, odd, behind], (3, 2))):
            checked, failed, _ = counts(folder, 'signal', [stack], len(code))
            if (checked, failed) != wanted:
                faults.append(f'{signal}: {(checked, failed)}, not {wanted}')
    return faults


def unknown(folder):
    machine = Machine('none', 8, '', '', [])  # MIPS
    pathlib.Path(folder, 'mips').write_bytes(machine.elf(bytes(4096)))
    _, _, found = counts(folder, 'mips', [[0x100, 0x200, 0x300]], 4096)
    text = t.ok('info', '-v', f'--path-map=/srv/code={folder}', pathlib.Path(folder, 'mips.heap')).out
    return [] if (found['return_addresses'] is None and 'not checked: there are no rules' in text and
                  'another build' not in text) else [f'{found} {text}']


def main():
    with scratch() as base:
        for machine in MACHINES:
            folder = os.path.join(base, machine.target)
            os.mkdir(folder)
            for what, function in (('compiled code', compiled), ('each form of a call', assembled),
                                   ('frames around a signal', interrupted)):
                t.check(f'{machine.target}: {what}', lambda: function(machine, folder))
        t.check('an unknown machine is not checked, and the report says so', lambda: unknown(base))
    t.done()


main()

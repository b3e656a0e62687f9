#!/usr/bin/env python3
"""inferno has to draw our folded stacks: every function as wide as our values are, and inferno-diff-folded has to
make our own difffolded of two dumps.

usage: inferno.py BINARY TESTDATA PEERS

PEERS is the folder that ./check --peers makes.
"""
import bisect
import collections
import html
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from harness import Tests, hostile_dump, scratch  # noqa: E402
from reports import cases, compare, difference, reference, stack_sums  # noqa: E402
from sign_reader import read  # noqa: E402

READS = {'folded': 'inferno', 'difffolded': 'inferno'}
t = Tests()
PROGRAMS = pathlib.Path(sys.argv[3]).resolve() / 'inferno' / 'bin'
SYMBOLS = f'--symbol-dir={t.root}'
GOLDEN = t.testdata / 'golden'
FRAME = re.compile(r'<title>(.*?) \(([\d,]+) bytes, [\d.]+%(?:; ([+-]?[\d.]+)%)?\)</title>\s*'
                   r'<rect [^>]*y="(\d+)"[^>]*fg:x="(\d+)" fg:w="(\d+)"/>', re.S)


def inferno(program, *args, text=None):
    done = subprocess.run([PROGRAMS / f'inferno-{program}', *args], input=text or b'',
                          capture_output=True, check=True)
    if b'WARN' in done.stderr or b'ERROR' in done.stderr:
        raise AssertionError(f'inferno complains: {done.stderr.decode()[:500]}')
    return done.stdout.decode()


def frames(folded):
    """Every frame that is drawn, as (level from the root, x, width, name, change in percent)."""
    svg = inferno('flamegraph', '--countname=bytes', '--minwidth=0', text=folded)
    drawn = [(-int(y) // 16, int(x), int(width), html.unescape(name), float(change or 0))
             for name, value, change, y, x, width in FRAME.findall(svg)
             if int(value.replace(',', '')) == int(width)]
    if len(drawn) != svg.count('<title>') or not drawn:
        raise AssertionError(f'{svg.count("<title>")} frames, {len(drawn)} understood')
    return sorted(drawn)


def stacks(drawn):
    """{names from the root: [own value without callees, change]}; the first frame is the total."""
    levels, found = collections.defaultdict(list), {}
    for level, x, width, name, change in drawn:
        names = ()
        if levels[level - 1]:
            callers = levels[level - 1]
            caller = callers[bisect.bisect_right(callers, x, key=lambda frame: frame[0]) - 1][1]
            names = (*caller, name)
            found[caller][0] -= width
        levels[level].append((x, names))
        found[names] = [width, change]
    return found


def sums(drawn):
    return stack_sums((names, value) for names, (value, _) in stacks(drawn).items() if value)


def draws(*args):
    faults = []
    for metric, wanted in reference(t, *args).items():
        folded = t.ok('folded', '-q', '--names=full', f'--metric={metric}', *args).out_bytes
        faults += [f'{metric}: {fault}' for fault in compare(sums(frames(folded)), wanted)]
    return faults


def draws_difference(options, base, new):
    return draws_changes(difference(t, options, base, new)[1], *options, *base, '--to', *new)


def draws_signs(delta):
    """For a difference of two profiles: as wide as what grew, with what shrank before it."""
    signs = read(delta)['inuse-space']
    return draws_changes(stack_sums((stack, s.grew) for stack, s in signs.items() if s.grew), '--frames=all', delta)


def draws_changes(wanted, *args):
    out = t.ok('diff', '-q', '--names=full', '-fdifffolded', *args)
    drawn = frames(out.out_bytes)
    faults, found = compare(sums(drawn), wanted), stacks(drawn)
    lines = [line.rsplit(' ', 2) for line in out.out.splitlines()]
    total = sum(int(after) for _, _, after in lines)
    for names, before, after in lines:
        change = (int(after) - int(before)) / total * 100
        shown = found[tuple(names.split(';'))][1] if int(after) else change
        if abs(change - shown) > 0.0051:
            faults.append(f'{names}: shown as changed by {shown} %, not {change}')
    return faults


def is_theirs(folder):
    """inferno-diff-folded writes the same lines as we do for the same two files, in another order."""
    paths = []
    for number in (1, 4):
        paths.append(pathlib.Path(folder) / f'{number}.folded')
        t.ok('folded', '-q', SYMBOLS, '-o', paths[-1], GOLDEN / f'procs{number}.heap')
    theirs = inferno('diff-folded', *paths)
    ours = t.ok('diff', '-q', '-fdifffolded', SYMBOLS, GOLDEN / 'procs1.heap',
                GOLDEN / 'procs4.heap').out
    return [] if sorted(theirs.splitlines()) == sorted(ours.splitlines()) else [theirs, ours]


def hostile(folder):
    """R13: one frame, whose name begins no other and ends no line."""
    path = hostile_dump(t, folder, b'/srv/a;b 12\t"<x>&\x1b')
    drawn = frames(t.ok('folded', '-q', '--no-symbols', path).out_bytes)
    names = {name for _, _, _, name, _ in drawn}
    return [] if 'a:b 12 "<x>& +0x1300' in names else [f'{names}']


with scratch() as scratch_folder:
    for what, options, inputs in cases(t):
        t.check(f'{what}: inferno draws our values', lambda: draws(*options, *inputs))
    t.check('a diff: inferno draws the values and the direction of changes',
            lambda: draws_difference((SYMBOLS,), [GOLDEN / 'procs1.heap'],
                                     [GOLDEN / 'procs4.heap']))
    t.check('a diff: inferno-diff-folded makes the same file', lambda: is_theirs(scratch_folder))
    for delta in sorted((t.testdata / 'differences').glob('*.pb.gz')):
        t.check(f'{delta.name}: inferno draws both sides of a difference', lambda: draws_signs(delta))
    t.check('R13: a hostile name is one frame', lambda: hostile(scratch_folder))
t.done()

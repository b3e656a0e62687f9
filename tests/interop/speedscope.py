#!/usr/bin/env python3
"""speedscope itself, in a browser, has to show our values of each function, in its own format and in folded stacks;
and our files have to match its schema.

usage: speedscope.py BINARY TESTDATA PEERS

PEERS is the folder that ./check --peers makes.
"""
import json
import pathlib
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from harness import Tests, hostile_dump, scratch  # noqa: E402
from peers import Node  # noqa: E402
from reports import cases, difference, reference  # noqa: E402
from sign_reader import by_leaf, net, read  # noqa: E402

READS = {'speedscope': 'speedscope', 'folded': 'speedscope'}
t = Tests()
node = Node(sys.argv[3])
SYMBOLS = f'--symbol-dir={t.root}'
GOLDEN = t.testdata / 'golden'
DELTAS = sorted((t.testdata / 'differences').glob('*.pb.gz'))
UNITS = {'': 1, 'B': 1, 'KB': 1 << 10, 'MB': 1 << 20, 'GB': 1 << 30}
# Cases with few functions: rows that are out of sight would have to be scrolled to.
SHOWN = [case for case in cases(t) if case[0].startswith(('C', 'every', 'clang_json', 'git_blame',
                                                          'redis_lg13.27533.13'))]


def write(folder, name, *args):
    path = pathlib.Path(folder) / name
    t.ok(*args, '-q', '--names=full', '-o', path)  # it shows one row for each name
    return path


def show(*paths):
    return json.loads(node.run('browser.js', 'speedscope', *paths))


def number(text):
    """The shown value, and its rounding error."""
    value, unit = re.match(r'([\d.,]+) ?(\w*) \(', text).groups()
    digits = len(value.partition('.')[2])
    return float(value.replace(',', '')) * UNITS[unit], UNITS[unit] * 0.501 / 10 ** digits


def is_shown(cell, share, wanted, total, stacks):
    """Whether the number is as expected, and so is the bar after it, whose percentage has six digits or decimals."""
    value, slack = number(cell)
    exact = share / 100 * total
    return abs(value - wanted) <= slack + stacks and \
        abs(exact - wanted) <= 1e-5 * exact + 1e-8 * total + stacks


def compare(rows, wanted):
    faults = [] if rows else ['no rows']
    for cum, flat, name, shares in rows:
        if name != '[truncated]' and not (
                is_shown(cum, shares[0], wanted.cum[name], wanted.total, wanted.cum_stacks[name]) and
                is_shown(flat, shares[1], wanted.flat[name], wanted.total,
                         wanted.flat_stacks[name])):
            faults.append(f'{name}: {flat}, {cum} instead of {wanted.flat[name]}, {wanted.cum[name]}')
    there = {row[2] for row in rows}
    return faults + [f'{name}: is not there' for name, cum in wanted.cum.items()
                     if name not in there and cum > wanted.cum_stacks[name]]


def shows(profiles, *args):
    wanted = reference(t, *args)
    if [profile['name'] for profile in profiles] != [m for m in (
            'inuse-space', 'inuse-objects', 'alloc-space', 'alloc-objects') if m in wanted]:
        return [f'{[profile["name"] for profile in profiles]}']
    return [f'{profile["name"]}: {fault}' for profile in profiles
            for fault in compare(profile['rows'], wanted[profile['name']])]


def shows_folded(folder):
    path = write(folder, 'x.collapsedstack.txt', 'folded', SYMBOLS, GOLDEN / 'cxx.heap')
    return compare(show(path)[0][0]['rows'], reference(t, SYMBOLS, GOLDEN / 'cxx.heap')['inuse-space'])


def shows_difference(folder, old, new):
    path = write(folder, 'd.speedscope.json', 'diff', SYMBOLS, old, new)
    base, now = difference(t, (SYMBOLS,), [old], [new])
    grew, shrank = ({row[2]: number(row[1]) for row in profile['rows']}
                    for profile in show(path)[0])
    faults = [] if grew or shrank else ['nothing is shown']
    for name in grew.keys() | shrank.keys():
        up, slack_up = grew.get(name, (0, 0))
        down, slack_down = shrank.get(name, (0, 0))
        change = now.flat[name] - base.flat[name]
        if abs(up - down - change) > slack_up + slack_down + 2 * now.flat_stacks[name]:
            faults.append(f'{name}: {up} - {down} instead of {change}')
    return faults


def shows_signs(folder, delta):
    """For a difference of two profiles, growth and shrinkage of each function."""
    path = write(folder, 'signs.speedscope.json', 'diff', '--frames=all', delta)
    signs = net(read(delta)['inuse-space'])
    shown = [{row[2]: number(row[1]) for row in profile['rows']} for profile in show(path)[0]]
    faults = []
    for name, want in by_leaf(signs).items():
        for rows, value, side in zip(shown, want, want._fields, strict=True):
            got, slack = rows.get(name, (0, 0))
            if abs(got - value) > slack + sum(stack[-1] == name for stack in signs):
                faults.append(f'{name}: {side} by {got} instead of {value}')
    return faults + ([] if all(shown) else ['a side is empty'])


def allowed(folder):
    paths = [write(folder, f'{number}.speedscope.json', 'merge', *options, *inputs)
             for number, (_, options, inputs) in enumerate(cases(t))]
    paths.append(write(folder, 'd.speedscope.json', 'diff', SYMBOLS, GOLDEN / 'procs1.heap',
                       GOLDEN / 'procs4.heap'))
    node.run('schema.js', node.modules / 'speedscope' / 'dist' / 'release' / 'file-format-schema.json',
             *paths)
    return f'{len(paths)} files'


def hostile(folder):
    """R12, R13: it is shown, and nothing in it runs."""
    name = b'/srv/"><img src=x onerror=alert(1)><script>alert(2)<\\x1b'
    path = write(folder, 'h.speedscope.json', 'merge', '--no-symbols', hostile_dump(t, folder, name))
    names = {row[2] for row in show(path)[0][0]['rows']}
    wanted = '"><img src=x onerror=alert(1)><script>alert(2)<\\x1b+0x1300'
    return [] if wanted in names else [f'{names}']


with scratch() as scratch_folder:
    t.check('speedscope\'s schema allows what we write', lambda: allowed(scratch_folder))
    files = [write(scratch_folder, f's{i}.speedscope.json', 'merge', *options, *inputs)
             for i, (_, options, inputs) in enumerate(SHOWN)]
    for profiles_of_file, (what, options, inputs) in zip(show(*files), SHOWN, strict=True):
        t.check(f'{what}: speedscope shows our values',
                lambda: shows(profiles_of_file, *options, *inputs))
    t.check('folded stacks: speedscope shows our values', lambda: shows_folded(scratch_folder))
    t.check('a diff: speedscope shows what grew and what shrank',
            lambda: shows_difference(scratch_folder, GOLDEN / 'procs1.heap', GOLDEN / 'procs4.heap'))
    for delta in DELTAS:
        t.check(f'{delta.name}: speedscope shows both sides of a difference', lambda: shows_signs(scratch_folder, delta))
    t.check('R12: a hostile name is shown as text', lambda: hostile(scratch_folder))
t.done()

#!/usr/bin/env python3
"""Trees have the numbers of stacks, from both ends and at any depth, and hide the smallest nodes."""
import collections
import json
import re

from harness import Tests, near, scratch

t = Tests()
PROCS = sorted((t.testdata / 'golden').glob('procs*.heap'))
CXX = [t.testdata / 'golden' / 'cxx.heap']
CUT = [t.real / 'clang_json_lg17.21618.0.f.heap.gz']
WHOLE = (f'--symbol-dir={t.root}', '--estimator=none')


def tree_of(*args):
    """Rows with their full path."""
    report = json.loads(t.ok('tree', '-q', '-fjson', '--frames=no-alloc', *args).out)
    for row in report['rows']:
        above = () if row['parent'] is None else report['rows'][row['parent']]['path']
        row['path'] = (*above, row['name'])
    return report


def expected(*args):
    """{path from the root: [cum, flat]}, and the same from the leaves."""
    down, up = (collections.defaultdict(lambda: [0, 0]) for _ in range(2))
    for frames, value in t.ok('folded', '-q', '--names=full', *args).folded():
        for sums, path in ((down, frames), (up, frames[::-1])):
            for i in range(len(path)):
                sums[tuple(path[:i + 1])][0] += value
            sums[tuple(path)][1] += value
    return down, up


def whole(inputs, options):
    faults = []
    for want, more in zip(expected(*WHOLE, *options, *inputs), ((), ('--invert',))):
        report = tree_of(*WHOLE, *options, *more, *inputs)
        got = {row['path']: row for row in report['rows']}
        faults += [f'{path}: {got.get(path)} instead of {values}' for path, values in want.items()
                   if path not in got or round(got[path]['cum']['estimate']) != values[0] or
                   (not more and round(got[path]['flat']) != values[1])]
        faults += [f'{path}: no such stack' for path in got if path not in want]
        faults += [f'{row["path"]}: depth {row["depth"]}' for row in report['rows']
                   if len(row['path']) != row['depth'] + 1]
    return faults


def order(inputs):
    """Each row comes after its parent and before the next sibling of the parent; siblings are in order of size."""
    faults, rows = [], tree_of(*WHOLE, *inputs)['rows']
    for before, row in zip(rows, rows[1:]):
        if row['depth'] > before['depth'] and row['parent'] != rows.index(before):
            faults.append(f'{row["path"]} is not below {before["path"]}')
    by_parent = collections.defaultdict(list)
    for row in rows:
        by_parent[row['parent']].append((-row['cum']['estimate'], row['name'].encode()))
    return faults + [f'{children}' for children in by_parent.values()
                     if children != sorted(children)]


def limits(inputs):
    everything = tree_of(*WHOLE, *inputs)['rows']
    faults = []
    for limit in (1, 2, 7, 20):
        report = tree_of(*WHOLE, f'--limit={limit}', *inputs)
        shown = [row['cum']['estimate'] for row in report['rows']]
        largest = sorted((row['cum']['estimate'] for row in everything), reverse=True)[:limit]
        if sorted(shown, reverse=True) != largest or report['hidden'] + limit != len(everything):
            faults.append(f'{limit}: {shown}, {report["hidden"]} hidden')
    total = sum(row['cum']['estimate'] for row in everything if row['parent'] is None)
    got = [row['path'] for row in tree_of(*WHOLE, '--min-share=10%', *inputs)['rows']]
    want = [row['path'] for row in everything if row['cum']['estimate'] >= total / 10]
    return faults + ([] if got == want else [f'{got} instead of {want}'])


def intervals():
    """A node is as sure as the function whose only stacks it has."""
    args = (f'--symbol-dir={t.root}', '-q', '-fjson', '-n0', *CXX)
    top = {row['name']: row['cum']['inuse-space']
           for row in json.loads(t.ok('top', *args).out)['rows']}
    rows = json.loads(t.ok('tree', *args).out)['rows']
    names = collections.Counter(row['name'] for row in rows)
    own = [(row['name'], row['cum']) for row in rows if names[row['name']] == 1]
    faults = [] if any(cum['low'] < cum['high'] for _, cum in own) else ['nothing is open']
    return faults + [f'{name}: {cum} instead of {top[name]}' for name, cum in own
                     if not all(near(cum[key], top[name][key]) for key in ('estimate', 'low', 'high'))]


def dump_of(folder, name, stacks, symbols=''):
    """A dump in which every allocation was sampled, of stacks of return addresses."""
    path = f'{folder}/{name}.heap'
    with open(path, 'w', encoding='utf-8') as out:
        total = sum(value for _, value in stacks)
        out.write(f'--- symbol\nbinary=/x\n{symbols}---\n--- heap\nheap_v2/1\n'
                  f'  t*: {len(stacks)}: {total} [0: 0]\n')
        for frames, value in stacks:
            out.write(f'@ {" ".join(map(hex, frames))}\n  t*: 1: {value} [0: 0]\n')
        out.write('\nMAPPED_LIBRARIES:\n00000000-01000000 r-xp 00000000 00:00 1 /x\n')
    return path


SYMBOLS = ('0x0000000000000010 main\n0x0000000000000020 rec\n0x0000000000000030 leaf\n')
DEPTH = 65_530  # nearly as many frames as a stack may have


def deep(folder):
    """Recursion of any depth is neither a crash nor lines without end."""
    stack = [0x31] + [0x21] * DEPTH + [0x11]
    path = dump_of(folder, 'deep', [(stack, 8), (stack[1:], 16)], SYMBOLS)
    faults = []
    for more in ((), ('--invert',)):
        rows = json.loads(t.ok('tree', '-fjson', '-q', '--frames=no-alloc', *more, path).out)['rows']
        want = DEPTH + 2 if not more else 2 * DEPTH + 3
        if len(rows) != want or max(row['depth'] for row in rows) != DEPTH + 1:
            faults.append(f'{more}: {len(rows)} rows')
        text = t.ok('tree', '-n0', '--frames=no-alloc', *more, path).out
        longest = max(map(len, text.splitlines()[6:]))
        if longest > 80 or text.count('rec\n') < DEPTH:
            faults.append(f'{more}: a line of {longest} columns')
    return faults


def ragged(folder):
    """A branch at every step: the drawing stops to go to the right."""
    stacks = [([0x31] + [0x21] * n + [0x11], 1 << n) for n in range(40)]
    text = t.ok('tree', '-n0', dump_of(folder, 'ragged', stacks, SYMBOLS)).out
    lines = [line for line in text.splitlines() if re.search(r'(rec|leaf|main)$', line)]
    faults = [] if len(lines) == 40 + 40 and max(map(len, lines)) <= 80 else [text]
    return faults + ([] if any('[39] ' in line for line in lines) else ['no step 39'])


def recursion(folder):
    """Where a function recurs, the memory of it and its callees is counted once."""
    path = dump_of(folder, 'recursion', [([0x31, 0x21, 0x21, 0x21, 0x11], 8),
                                         ([0x21, 0x31, 0x21, 0x31, 0x11], 16)], SYMBOLS)
    rows = {row[2]: row[:2]
            for row in t.table('--estimator=none', path).rows()}
    faults = [] if rows == {'leaf': (8, 24), 'rec': (16, 24), 'main': (0, 24)} else [f'{rows}']
    report = json.loads(t.ok('diff', '-q', '-fjson', '--estimator=none', '--cum', path, '--to',
                             dump_of(folder, 'other', [([0x21, 0x21, 0x11], 4)], SYMBOLS)).out)
    found = {row['name']: (row['base']['estimate'], row['new']['estimate'])
             for row in report['rows']}
    if found != {'leaf': (24, 0), 'rec': (24, 4), 'main': (24, 4)}:
        faults.append(f'{found}')
    for row in tree_of('--estimator=none', path)['rows']:
        if row['cum']['estimate'] > 24:
            faults.append(f'{row}')
    return faults


for data in (CXX, PROCS, CUT):
    name = data[0].name
    more = ('--no-symbols',) if data == CUT else ()
    t.check(f'{name}: every node has the sum of its stacks', lambda: whole(data, more))
    t.check(f'{name}: children are in order', lambda: order(data))
    t.check(f'{name}: limits keep the largest nodes', lambda: limits(data))
t.check('filters change trees as they change stacks',
        lambda: whole(CXX, ('--focus=^over', '--show-from=^main')))
t.check('nodes have the intervals of functions', intervals)
with scratch() as scratch_folder:
    t.check('recursion of the maximum depth is shown', lambda: deep(scratch_folder))
    t.check('lines do not grow with the depth', lambda: ragged(scratch_folder))
    t.check('recursion is counted once', lambda: recursion(scratch_folder))
t.done()

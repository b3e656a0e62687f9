#!/usr/bin/env python3
"""A flame graph shows the numbers of `stacks`: each path of calls has a box on that of its caller, as wide as its
memory, with the interval of `tree`; boxes that are too small are merged and counted.  For a diff it shows the sums of
`difffolded`.  It is XML, in which hostile names are plain text, and its size has a bound.

usage: pictures.py BINARY TESTDATA [STACKS]

STACKS is the number of stacks for which the time of a picture is printed: 100000, by hand.
"""
import collections
import gzip
import json
import pathlib
import random
import re
import sys
import time

from harness import IS_SAMPLE, Tests, hostile_dump, scratch
from profile_writer import Profile
from svg_reader import HOSTILE, NS, boxes_of, escaped, hostile_profile, parse, strange

STACKS = next((int(word) for word in sys.argv[3:] if word.isdigit()), 3000 if IS_SAMPLE else 30000)
t = Tests()
GOLDEN = t.testdata / 'golden'
SYMBOLS = f'--symbol-dir={t.root}'
INNER = 1180  # points that the first box is wide
BYTES = r'(-?[\d,]+) B'


def number(text):
    return int(text.replace(',', ''))


def picture(*args):
    """(the root, the boxes from the lowest on, texts of the head) of a report as SVG."""
    root = parse(t.ok(*args, '-q', '-fsvg', '--unit=B', '--names=full').out_bytes)
    return root, boxes_of(root), [text.text for text in root.findall(f'{NS}text')]


def paths_of(boxes):
    """{names from the root: the boxes}, and the boxes that lie on no other box."""
    found, faults, below = {}, [], {}
    for box in boxes:
        under = [(path, other) for path, other in below.get(box.top + 16, ())
                 if other.left - 0.011 <= box.left and box.right <= other.right + 0.011]
        if len(under) != (box.name != 'all' or box.top != boxes[0].top):
            faults.append(f'{box.name} at {box.left} lies on {len(under)} boxes')
            continue
        path = (*under[0][0], box.name) if under else ()
        below.setdefault(box.top, []).append((path, box))
        found.setdefault(path, []).append(box)
    return found, faults


def name_of(text):
    """A name as a title has it, which has no line breaks in it."""
    return text.replace('\n', '\\x0A')


def held_by(stacks):
    """{names from the root: sum of the stacks that begin with them}."""
    held = collections.Counter()
    for names, value in stacks:
        for depth in range(len(names) + 1):
            held[tuple(names[:depth])] += value
    return held


def stacks_of(*args):
    rows = json.loads(t.ok('stacks', '-q', '-n0', '-fjson', '--frames=no-std', *args).out_bytes)['rows']
    return [(['[truncated]'] * row['truncated'] + [name_of(name) for name in reversed(row['frames'])],
             row['value']['inuse-space']['estimate']) for row in rows]


def least_of(head):
    return next(number(re.search(rf'boxes of less than {BYTES}', text)[1]) for text in head if 'merged' in text)


def small(held, path, least):
    """The boxes that are merged on a path: their number, and the sum of their values."""
    children = [value for other, value in held.items()
                if len(other) == len(path) + 1 and other[:-1] == path and 0 <= value < least - 1]
    return len(children), sum(children)


def shows(*args):
    _, boxes, head = picture('top', *args)
    held, least = held_by(stacks_of(*args)), least_of(head)
    total = held[()]
    found, faults = paths_of(boxes)
    for path, those in found.items():
        if re.fullmatch(r'\d+ smaller', path[-1] if path else ''):
            wanted = small(held, path[:-1], least)
            if int(path[-1].split()[0]) != wanted[0]:
                faults.append(f'{path}: not {wanted[0]}')
            value = wanted[1]
        else:
            value = held.get(path, -1)
        shown = sum(number(re.match(BYTES, box.lines[0])[1]) for box in those)
        width = sum(box.right - box.left for box in those)
        if abs(shown - value) > 1 + 0.501 * len(those) or abs(width - value / total * INNER) > 0.02 * len(those):
            faults.append(f'{path}: {shown} in {width} points, not {value} of {total}')
    faults += [f'{path}: {value} has no box' for path, value in held.items()
               if value >= least + 2 and path not in found]
    if abs(least - total / 1000) > 1:
        faults.append(f'{least} is not 1/1000 of {total}')
    return faults if faults else f'{len(boxes)} boxes'


def holds(text, low, high, value):
    """Whether an interval as it is written holds another, and is no wider than rounding makes it."""
    half = re.match(rf'± {BYTES}', text)
    ends = re.match(rf'\(([\d,]+) … {BYTES}\)', text)
    if half:
        return number(half[1]) - 2 <= max(high - value, value - low) <= number(half[1]) + 1
    return ends and number(ends[1]) <= low <= number(ends[1]) + 1 and \
        number(ends[2]) - 1 <= high <= number(ends[2])


def intervals():
    args = (SYMBOLS, GOLDEN / 'cxx.heap')
    _, boxes, _ = picture('top', *args)
    found, faults = paths_of(boxes)
    paths, seen = [], 0
    for row in json.loads(t.ok('tree', '-q', '-n0', '-fjson', '--frames=no-std', *args).out_bytes)['rows']:
        path = (*(paths[row['parent']] if row['parent'] is not None else ()), name_of(row['name']))
        paths.append(path)
        cum = row['cum']
        for box in found.get(path, []):
            open_part = box.lines[0].partition(' B ')[2]
            seen += 1
            if cum['low'] < cum['high'] and not holds(open_part, cum['low'], cum['high'], cum['estimate']):
                faults.append(f'{path}: {box.lines[0]}, not {cum}')
            if box.lines[1] != row['class']:
                faults.append(f'{path}: {box.lines[1]}, not {row["class"]}')
    return faults if faults or seen < 5 else f'{seen} boxes'


# --- a comparison -------------------------------------------------------------------------


def widths_of(before, after, least):
    """{path: width in bytes} of the drawn boxes; a box is at least as wide as those on it."""
    children, widths = collections.defaultdict(list), {}
    for path in before.keys() | after.keys():
        if path:
            children[path[:-1]].append(path)
    for path in sorted(children.keys() | before.keys() | after.keys(), key=len, reverse=True):
        kept = [child for child in children[path] if max(before[child], after[child]) >= least]
        rest = [child for child in children[path] if child not in kept]
        own = [side[path] - sum(side[child] for child in children[path]) for side in (before, after)]
        merged = [sum(side[child] for child in rest) for side in (before, after)]
        widths[path] = max(own) + max(merged) + sum(widths[child] for child in kept)
    return widths


def differs(*args):
    _, boxes, head = picture('diff', *args)
    lines = t.ok('diff', '-q', '-fdifffolded', '--frames=no-std', '--names=full', *args).out.splitlines()
    sides = [held_by((stack.split(';'), float(values[side])) for stack, *values in
                     (line.rsplit(' ', 2) for line in lines)) for side in (0, 1)]
    least = least_of(head)
    widths = widths_of(*sides, least)
    found, faults = paths_of(boxes)
    kinds = collections.Counter()
    for path, (box, *more) in found.items():
        if more or re.fullmatch(r'\d+ smaller', box.name):
            continue
        before, after = (side[path] for side in sides)
        shown = [number(text) for text in re.match(rf'{BYTES} before, {BYTES} after: ', box.lines[0]).groups()]
        width = widths[path] / widths[()] * INNER
        if abs(shown[0] - before) > 3 or abs(shown[1] - after) > 3 or abs(box.right - box.left - width) > 0.05:
            faults.append(f'{path}: {shown} in {box.right - box.left}, not {before}, {after} in {width}')
        red, _, blue = (int(box.fill[i:i + 2], 16) for i in (1, 3, 5))
        color = (red > blue) - (red < blue)
        kinds[color, box.is_hatched, 'significant' in box.lines[0]] += 1
        if color != (shown[1] > shown[0]) - (shown[1] < shown[0]) or box.is_hatched != (shown[1] == 0):
            faults.append(f'{path}: {shown} in {box.fill}, {"hatched" if box.is_hatched else "plain"}')
    faults += [f'{path} has no box' for path in widths if max(sides[0][path], sides[1][path]) >= least + 3
               and path not in found]
    return faults if faults else f'{len(boxes)} boxes, {len(kinds)} kinds of them'


def tested(*args):
    """A function that is called in only one way has the p-value of `diff --cum`."""
    _, boxes, _ = picture('diff', *args)
    rows = {row['name']: row for row in json.loads(
        t.ok('diff', '-q', '-n0', '-fjson', '--cum', *args).out_bytes)['rows']}
    lines = t.ok('diff', '-q', '-fdifffolded', '--frames=no-std', '--names=full', *args).out.splitlines()
    ways = collections.defaultdict(set)
    for names in (line.rsplit(' ', 2)[0].split(';') for line in lines):
        for depth, name in enumerate(names):
            ways[name].add(tuple(names[:depth]))
    seen, faults = 0, []
    for box in boxes:
        row, shown = rows.get(box.name), re.search(r'2-sided p (<?)([\d.]+)', box.lines[0])
        if row and len(ways[box.name]) == 1 and (row['p'] is not None) != bool(shown):
            faults.append(f'{box.name}: {box.lines}, not p {row["p"]}')
        elif row and len(ways[box.name]) == 1 and shown:
            seen += 1
            p = float(shown[2])
            if not (row['p'] < p if shown[1] else abs(row['p'] - p) <= 0.06 * p):
                faults.append(f'{box.name}: {box.lines}, not p {row["p"]}')
    return faults if faults or not seen else f'{seen} boxes'


# --- bad names and many stacks ------------------------------------------------------------

def hostile(folder):
    root, boxes, _ = picture('top', hostile_profile(folder))
    titles = {box.name for box in boxes}
    texts = {box.texts[0] for box in boxes}
    faults = list(strange(root)) + [f'{name!r} has no box: {titles}, {texts}' for name in map(escaped, HOSTILE)
                                    if name not in titles or name not in texts]
    root, _, _ = picture('top', '--no-symbols', hostile_dump(t, folder))
    return faults + list(strange(root))


def many(folder):
    """Stacks of 30 frames and more with names of 400 characters, which begin in one of 900 ways, some of them rare:
    more boxes hold at least 1/1000 than may be written."""
    dice, p, path = random.Random(20), Profile(), pathlib.Path(folder) / 'many.pb.gz'
    names = [p.location(0x1000 + i, 0, [(f'name_{i}_' + 'x' * 400, 'x.c', 1)]) for i in range(2000)]
    for _ in range(STACKS):
        way = int(900 ** dice.random())
        stack = [names[(way * level) % 1999] for level in range(1, 31)]
        stack += [names[dice.randrange(2000)] for _ in range(dice.randrange(10))]
        p.sample(stack[::-1], [1, 1 << 20], 1 << 20)
    path.write_bytes(gzip.compress(p.bytes(), 1))
    started = time.monotonic()
    text = t.ok('top', '-q', '-o', pathlib.Path(folder) / 'plain.txt', path)
    plain = time.monotonic() - started
    started = time.monotonic()
    text = t.ok('top', '-q', '-fsvg', path).out_bytes
    took = time.monotonic() - started
    boxes = len(boxes_of(parse(text)))
    said = f'{boxes} boxes, {len(text)} bytes, {took:.2f} s, {plain:.2f} s of a table'
    return said if len(text) < 2_000_000 and boxes > 1000 else [said]


for what, *arguments in (
        ('golden', SYMBOLS, GOLDEN / 'cxx.heap'),
        ('processes', SYMBOLS, *(GOLDEN / f'procs{i}.heap' for i in (1, 2, 3, 4))),
        ('inlined', t.testdata / 'frames' / 'server.pb.gz'),
        *((path.name.partition('.')[0], '--no-symbols', path) for path in
          map(t.real.joinpath, ('clang_json_lg17.21618.0.f.heap.gz', 'python_lg12.26874.0.f.heap.gz',
                                'git_blame_lg12.12935.0.f.heap.gz')))):
    t.check(f'{what}: boxes have the bytes of their stacks', lambda: shows(*arguments))
t.check('intervals and classes are those of the tree', intervals)
for what, *arguments in (
        ('two processes', SYMBOLS, GOLDEN / 'procs1.heap', GOLDEN / 'procs4.heap'),
        ('one process', '--no-symbols', t.real / 'dbbench_lg15.18185.3.i3.heap.gz',
         t.real / 'dbbench_lg15.18185.12.i12.heap.gz')):
    t.check(f'{what}: boxes have the bytes of both sides', lambda: differs(*arguments))
    t.check(f'{what}: p is that of diff', lambda: tested(*arguments))
with scratch() as scratch_folder:
    t.check('R12: thirty hostile names are only names', lambda: hostile(scratch_folder))
    t.check('a picture of many stacks is small', lambda: many(scratch_folder))
t.done()

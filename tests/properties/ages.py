#!/usr/bin/env python3
"""Tests rows of ages: each is the estimate of its listed objects, weighted by their sampling probability.  The rows
add up to the total, in any order, on any number of threads, and together with dumps and partials that have no ages.
The memory older than a given age, and the median age of each function, follow from the same objects."""
import collections
import itertools
import json
import math
import pathlib
import random

from harness import Tests, near, scratch

t = Tests(is_coded=True)
PERIOD = 4096
SIZES = [16, 48, 128, 1024, 5120, 65536]
MAPS = '\nMAPPED_LIBRARIES:\n10000000-20000000 r-xp 00000000 08:01 5 /srv/lib/app\n'
ENDS = [0, .001, .01, .1, *(2.0 ** i for i in range(28)), None]  # seconds
UNTOLD = '[age unknown]'


def weight(size):
    return -1 / math.expm1(size * math.log1p(-1 / PERIOD))


def objects_of(seed):
    """(stack, age in ns, size): every range has some, and both its ends are met."""
    rng = random.Random(seed)
    met = [round(end * 1e9) - less for end in ENDS[1:-1] for less in (0, 1)]
    ages = [0, 2**64 - 1, *met, *(int(10 ** rng.uniform(0, 18.5)) for _ in range(200))]
    return [(rng.randrange(4), age, rng.choice(SIZES)) for age in ages]


def dump(objects, lists=lambda stack: True, accumulated='0: 0'):
    stacks = collections.defaultdict(list)
    for stack, age, size in objects:
        stacks[stack].append((age, size))
    text = f'heap_v2/{PERIOD}\n  t*: {len(objects)}: {sum(o[2] for o in objects)} [{accumulated}]\n'
    for stack, members in sorted(stacks.items()):
        text += (f'@ {0x10000100 + 16 * stack:#x} 0x10000010\n'
                 f'  t*: {len(members)}: {sum(size for _, size in members)} [{accumulated}]\n')
        text += ''.join(f'  f: {age} {size} {size} 3 0 1\n' for age, size in members) if lists(stack) else ''
    return text + MAPS


def want_of(objects):
    """Bytes and objects of each range, by its lower end."""
    sums = collections.defaultdict(lambda: [0, 0])
    for _, age, size in objects:
        low = max(end for end in ENDS[:-1] if round(end * 1e9) <= age)
        sums[low][0] += size * weight(size)
        sums[low][1] += weight(size)
    return sums


def report(*args):
    return json.loads(t.ok('top', '--no-symbols', '-n0', '--by=age', '--format=json', *args).out)


def rows_of(told):
    return {row['age_from']: (row['flat']['inuse-space']['estimate'], row['flat']['inuse-objects']['estimate'])
            for row in told['rows']}


def differ(told, want, rounding=.01):
    rows = rows_of(told)
    faults = [f'{end}: {row}, not {sums}' for end, row, sums in
              ((end, rows.get(end, (0, 0)), want.get(end, (0, 0))) for end in {*rows, *want})
              if not all(near(a, b, 1e-8, rounding) for a, b in zip(row, sums))]
    total = math.fsum(row[0] for row in rows.values())
    if not near(total, told['total']['inuse-space']['estimate'], 1e-9, rounding):
        faults.append(f'rows give {total}, the total is {told["total"]}')
    return faults


def write(folder, name, text):
    path = pathlib.Path(folder) / name
    path.write_text(text)
    return path


def stand_for_their_objects():
    faults = []
    for seed in range(4):
        objects = objects_of(seed)
        with scratch() as folder:
            told = report(write(folder, 'a.heap', dump(objects)))
        faults += differ(told, want_of(objects))
        names = {row['age_from']: row['age_to'] for row in told['rows']}
        if names != dict(itertools.pairwise(ENDS)):
            faults.append(f'ranges {names}')
    return faults


def are_the_same_in_any_order():
    with scratch() as folder:
        paths = [write(folder, f'{i}.heap', dump(objects_of(10 + i), lambda stack, i=i: i != 3 or stack > 1))
                 for i in range(6)]
        want = {}
        for seed in range(8):
            given = random.Random(seed).sample(paths, len(paths))
            for more in ((), ('-fjson',), ('-ftsv', '--sort=name')):
                out = t.ok('top', '--no-symbols', '--by=age', '-n0', '-q', f'-j{1 + seed % 3}', *more, *given).out
                if want.setdefault(more, out) != out:
                    yield f'order {seed} gives another report: {out}'


def what_tells_none_is_a_row(write_other):
    """`write_other` makes an input without ages from a dump; its memory has a row of its own."""
    objects, others = objects_of(20), objects_of(21)
    with scratch() as folder:
        path = write(folder, 'a.heap', dump(objects))
        told = report(path, write_other(folder, dump(others, lambda stack: False), dump(others)))
    rows = {row['name']: row['flat']['inuse-space']['estimate'] for row in told['rows']}
    ages = {end: row for end, row in rows_of(told).items() if end is not None}
    faults = differ(told | {'rows': [row for row in told['rows'] if row['name'] != UNTOLD], 'total': {
        'inuse-space': {'estimate': math.fsum(row[0] for row in ages.values())}}}, want_of(objects))
    total = told['total']['inuse-space']['estimate']
    if not rows.get(UNTOLD) or not near(math.fsum(rows.values()), total, 1e-9, .01):
        faults.append(f'{rows}, of {total}')
    return faults


def without_list(folder, unlisted, listed):
    return write(folder, 'b.heap', unlisted)


def as_partial(folder, unlisted, listed):
    path = pathlib.Path(folder) / 'b.hpa'
    t.ok('merge', '--no-symbols', '-fhpa', '-o', path, write(folder, 'b.heap', listed))
    return path


def what_was_allocated_has_none():
    """Allocated memory has no ages in JSON, which has all metrics."""
    with scratch() as folder:
        told = report(write(folder, 'a.heap', dump(objects_of(30), accumulated='900: 90000')))
    rows = {row['name']: row['flat']['alloc-space']['estimate'] for row in told['rows']}
    total = told['total']['alloc-space']['estimate']
    return [] if total > 0 and near(rows.pop(UNTOLD, 0), total, 1e-9, .01) and not any(rows.values()) else [
        f'{rows}, of {total}']


def threads_have_their_own():
    text = (f'heap_v2/{PERIOD}\n  t*: 2: 160 [0: 0]\n@ 0x10000100 0x10000010\n  t*: 2: 160 [0: 0]\n'
            '  t1: 1: 80 [0: 0]\n  t2: 1: 80 [0: 0]\n  f: 5000000000 80 80 3 0 1\n  f: 1 80 80 3 0 2\n' + MAPS)
    with scratch() as folder:
        path = write(folder, 'a.heap', text)
        told = [[row['name'] for row in report(f'--thread={thread}', path)['rows']] for thread in ('t1', 't2')]
    return [] if told == [['4 s to 8 s'], ['below 1 ms']] else [f'{told}']


def what_is_older():
    """Ends count; other dumps have nothing there."""
    faults = []
    objects = objects_of(40)
    with scratch() as folder:
        path, other = write(folder, 'a.heap', dump(objects, accumulated='900: 90000')), \
            write(folder, 'b.heap', dump(objects_of(41), lambda stack: False))
        for age, text in ((10**7, '10ms'), (10**9, '1s'), (6 * 10**10, '1min'), (3600 * 10**9, '1h'), (86400 * 10**9, '1d')):
            told = json.loads(t.ok('top', '--no-symbols', '-n0', '-fjson', f'--older-than={text}', path, other).out)
            want = collections.Counter()
            for stack, old, size in objects:
                want[f'app@{0x100 + 16 * stack:#x}'] += size * weight(size) * (old >= age)
            rows = {row['name']: row['flat']['inuse-space']['estimate'] for row in told['rows']}
            faults += [f'{text}: {name}: {rows.get(name, 0)}, not {sums}' for name, sums in want.items()
                       if not near(rows.get(name, 0), sums, 1e-9, .01)]
            total = told['total']['inuse-space']['estimate']
            if not near(total, math.fsum(want.values()), 1e-9, .01) or told['total']['alloc-space']:
                faults.append(f'{text}: {told["total"]}')
            if told['older_than'] != age / 1e9 or 'some-without-ages' not in [one['code'] for one in told['warnings']]:
                faults.append(f'{told["older_than"]}, {told["warnings"]}')
            ranged = report(f'--older-than={text}', path)
            faults += differ(ranged, want_of([o for o in objects if o[1] >= age]))
        empty = t.run('top', '--no-symbols', '--older-than=1s', other)
        alloc = t.run('top', '--no-symbols', '--older-than=1s', '--metric=alloc-space', path)
        for more in ((), ('--by=age',), ('--columns=age',)):
            none = t.run('top', '--no-symbols', '--older-than=10000d', *more, path)
            faults += [] if none.code == 0 else [f'nothing is so old, {more}: {none.err}']
        none = t.run('top', '--no-symbols', '--older-than=10000d', '--thread=t0', path)
        if none.code != 5 or 'nothing-of-thread: t0  with objects so old' not in none.err:
            faults.append(f'{none.code}: {none.err}')
    return faults + [f'{ended.code}: {ended.err}' for ended in (empty, alloc) if ended.code != 5]


def many_that_list():
    """More dumps than are kept individually."""
    with scratch() as folder:
        for i in range(300):
            write(folder, f'{i}.heap', dump(objects_of(70)).replace(MAPS, f'{MAPS}7ffc{i:04x}0000-7ffc{i:04x}1000 r-xp 00000000 00:00 0 [vdso]\n'))
        told = json.loads(t.ok('top', '--no-symbols', '-fjson', '--older-than=1s', folder).out)
    return [] if told['inputs']['used'] == 300 and 'some-without-ages' not in [
        one['code'] for one in told['warnings']] else [f'{told["inputs"]}, {told["warnings"]}']


def medians():
    """Medians by bytes and by objects, also if only some objects are listed."""
    faults = []
    for seed, lists in ((50, lambda stack: True), (51, lambda stack: stack != 2)):
        objects = objects_of(seed)
        with scratch() as folder:
            paths = [write(folder, 'a.heap', dump(objects)), write(folder, 'b.heap', dump(objects_of(seed + 9), lists))]
            for metric, of in (('inuse-space', lambda size: size * weight(size)), ('inuse-objects', weight)):
                told = json.loads(t.ok('top', '--no-symbols', '-n0', '-fjson', '--columns=age', f'--metric={metric}', *paths).out)
                for row in told['rows']:
                    listed = sorted((old, of(size)) for dump_objects, is_in in ((objects, lambda s: True), (objects_of(seed + 9), lists))
                                    for stack, old, size in dump_objects if is_in(stack) and row['name'] == f'app@{0x100 + 16 * stack:#x}')
                    if not listed:
                        faults += [f'{row}'] if row['median_age'] else []
                        continue
                    sums = list(itertools.accumulate(weight for _, weight in listed))
                    middle = next(old for (old, _), so_far in zip(listed, sums) if so_far >= sums[-1] / 2)
                    share = sums[-1] / row['flat'][metric]['estimate']
                    is_in = row['median_age_from'] * 1e9 - 1 <= middle < (row['median_age_to'] or math.inf) * 1e9
                    if not is_in or not near(row['age_known_share'], share, 1e-3):
                        faults.append(f'{row["name"]}, {metric}: {middle}, {share}, not {row}')
    return faults


def filters_leave_the_same():
    """Ages are kept for all stacks together, or for each stack; without filters this gives the same report."""
    with scratch() as folder:
        path = write(folder, 'a.heap', dump(objects_of(60)))
        all_rows, filtered, one = (rows_of(report(*more, path)) for more in ((), ('--focus=app',), ('--focus=0x110',)))
    own = want_of([o for o in objects_of(60) if o[0] == 1])
    return ([] if all_rows == filtered and len(all_rows) > 20 else [f'{all_rows}, {filtered}']) + [
        f'{end}: {one.get(end)}, not {sums}' for end, sums in own.items() if not near(one.get(end, (0,))[0], sums[0], 1e-8, .01)]


t.check('a row of ages has the objects of its range', stand_for_their_objects)
t.check('rows of ages are the same in any order of inputs', are_the_same_in_any_order)
t.check('a dump without a list has no age', lambda: what_tells_none_is_a_row(without_list))
t.check('an aggregate file has no age', lambda: what_tells_none_is_a_row(as_partial))
t.check('allocated bytes have no age', what_was_allocated_has_none)
t.check('the ages of a thread are its own', threads_have_their_own)
t.check('--older-than reads objects of this age and older ones', what_is_older)
t.check('300 dumps with lists are all reported to have lists', many_that_list)
t.check('--columns=age has the median of each function', medians)
t.check('rows of ages are the same with and without filters', filters_leave_the_same)
t.done()

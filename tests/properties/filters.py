#!/usr/bin/env python3
"""Filters mean the same in every command and format; totals stay those of everything.

The expected result is computed here, in a few lines, from the stacks of a report without filters.

usage: filters.py BINARY TESTDATA [--sample]

--sample takes every third set of filters, and every fifth dump of those that no filter changes.
"""
import collections
import json
import re

from harness import IS_SAMPLE, Tests, scratch
from profile_writer import Profile

t = Tests()
PROCS = sorted((t.testdata / 'golden').glob('procs*.heap'))
CXX = t.testdata / 'golden' / 'cxx.heap'
SERIES = sorted(path for path in (t.testdata / 'golden' / 'series').glob('*.heap') if '.f.' not in path.name)  # no exit dump
# The raw numbers of the dumps are integers: nothing is rounded.
WHOLE = (f'--symbol-dir={t.root}', '--estimator=none', '--names=full')
SYMBOLS = f'--symbol-dir={t.root}'
# Patterns that begin with ^ and a letter match functions only: files and modules begin with /.
CASES = [
    (CXX, [('focus', '^over')]),
    (CXX, [('focus', '^over'), ('focus', '^rec')]),
    (CXX, [('ignore', '^over'), ('ignore', '^rec')]),
    (CXX, [('hide', '^std::')]),
    (CXX, [('show', '^over|^rec|^main')]),
    (CXX, [('show-from', '^rec|^Box')]),
    (CXX, [('focus', '^rec'), ('hide', '^rec'), ('show-from', '^main')]),
    (PROCS[0], [('focus', '^inlined_alloc')]),
    (PROCS[0], [('ignore', '^leaf_')]),
]


NOTHING = (5, 'hprof-agg: filters-leave-nothing\n')


def options(filters):
    return [f'--{rule}={pattern}' for rule, pattern in filters]


def stacks_of(*args):
    """{frames from the leaf: value}"""
    sums = collections.Counter()
    result = t.run('folded', '-q', *WHOLE, *args, is_coded=True)
    if result.code != 0 and (result.code, result.err) != NOTHING:
        raise AssertionError(f'{result} ended with {result.code}: {result.err}')
    for frames, value in result.folded():
        sums[tuple(reversed(frames))] += value
    return sums


def untyped(name):
    """The name without the return type of a template: the text up to the last space outside of brackets before the
    parameters."""
    depth = begin = 0
    for i, c in enumerate(name):
        if depth == 0 and c == '(' and not name.startswith('(anonymous', i):
            return name[begin:]
        depth += (c in '<([{') - (c in '>)]}')
        begin = i + 1 if c == ' ' and depth == 0 else begin
    return name


def expected(stacks, filters):
    def matches(rule, name):
        return any(re.search(p, untyped(name)) for r, p in filters if r == rule)

    rules = {rule for rule, _ in filters}
    left = collections.Counter()
    for frames, value in stacks.items():
        if any(matches('ignore', f) for f in frames) or (
                'focus' in rules and not any(matches('focus', f) for f in frames)):
            continue
        shown = [f for f in frames if not matches('hide', f) and
                 ('show' not in rules or matches('show', f))]
        if 'show-from' in rules:
            while shown and not matches('show-from', shown[-1]):
                shown.pop()
        if shown:
            left[tuple(shown)] += value
    return left


def compare(got, want):
    return [f'{key}: {got.get(key)} instead of {want.get(key)}'
            for key in got.keys() | want.keys() if got.get(key, 0) != want.get(key, 0)]


def sums_of(stacks):
    """{function: [flat, cum]}"""
    sums = collections.defaultdict(lambda: [0, 0])
    for frames, value in stacks.items():
        sums[frames[0]][0] += value
        for name in set(frames):
            sums[name][1] += value
    return dict(sums)


def folded(path, filters):
    want = expected(stacks_of(path), filters)
    return compare(stacks_of(*options(filters), path), want) + ([] if want else ['all is gone'])


def top(path, filters):
    everything = stacks_of(path)
    want = sums_of(expected(everything, filters))
    report = t.table(*WHOLE, *options(filters), path)
    got = {name: [flat, cum] for flat, cum, name in report.rows()}
    left = sum(flat for flat, _ in want.values())
    share = 100 * left / sum(everything.values())
    line = re.search(r'^(--.*) leaves? .* of .* \(([\d.]+)%\)', report.out, re.M)
    if not line or line[1] != ' '.join(options(filters)) or abs(float(line[2]) - share) > 0.051:
        return [f'{share}: {report.out}']
    return compare(got, want)


def stacks(path, filters):
    want = expected(stacks_of(path), filters)
    got = json.loads(t.ok('stacks', '-q', '-fjson', *WHOLE, *options(filters), path).out)
    rows = {tuple(row['frames']): round(row['value']['inuse-space']['estimate'])
            for row in got['rows']}
    total = round(got['total']['inuse-space']['estimate'])
    left = round(got['filtered']['inuse-space']['estimate'])
    faults = [] if total == sum(stacks_of(path).values()) else [f'total {total}']
    faults += [] if left == sum(want.values()) else [f'left {left}']
    faults += [] if [(f['rule'], f['pattern']) for f in got['filters']] == filters else [
        f'{got["filters"]}']
    return faults + compare(rows, want)


def firefox(path, filters):
    want = sums_of(expected(stacks_of(path), filters))
    profile = json.loads(t.ok('merge', '-q', '-ffirefox', *WHOLE, *options(filters), path).out)
    shared = profile['shared']
    functions = [shared['stringArray'][n] for n in shared['funcTable']['name']]
    table = shared['stackTable']
    names = [functions[shared['frameTable']['func'][f]] for f in table['frame']]
    got = collections.defaultdict(lambda: [0, 0])
    samples = profile['threads'][0]['samples']
    for stack, weight in zip(samples['stack'], samples['weight']):
        got[names[stack]][0] += weight
        on_stack = set()
        while stack is not None:
            on_stack.add(names[stack])
            stack = table['prefix'][stack]
        for name in on_stack:
            got[name][1] += weight
    return compare(dict(got), want)


def diff(filters, more=()):
    before, after = (sums_of(expected(stacks_of(p), filters)) for p in (PROCS[0], PROCS[3]))
    got = json.loads(t.ok('diff', '-q', '-fjson', '-n0', '--cum', '--frames=no-alloc', *WHOLE, *more,
                          *options(filters), PROCS[0], PROCS[3]).out)
    rows = {row['name']: [round(row[side]['estimate']) for side in ('base', 'new')]
            for row in got['rows']}
    want = {name: [before.get(name, [0, 0])[1], after.get(name, [0, 0])[1]]
            for name in before.keys() | after.keys()}
    left = [round(got['filtered'][side]['estimate']) for side in ('base', 'new')]
    sums = [sum(flat for flat, _ in side.values()) for side in (before, after)]
    total = round(got['total']['base']['estimate'])
    faults = [] if left == sums else [f'left {left} instead of {sums}']
    faults += [] if total == sum(stacks_of(PROCS[0]).values()) else [f'total {total}']
    return faults + compare({k: v for k, v in rows.items() if any(v)},
                            {k: v for k, v in want.items() if any(v)})


def trend(filters):
    first, last = (sums_of(expected(stacks_of(p), filters)) for p in (SERIES[0], SERIES[-1]))
    got = json.loads(t.ok('trend', '-q', '-fjson', '-n0', *WHOLE, *options(filters),
                          *SERIES).out)
    rows = {row['name']: [round(row['first']), round(row['last'])] for row in got['rows']}
    want = {name: [first.get(name, [0, 0])[0], last.get(name, [0, 0])[0]]
            for name in first.keys() | last.keys()}
    left = [round(got['filtered'][end]) for end in ('first', 'last')]
    sums = [sum(flat for flat, _ in side.values()) for side in (first, last)]
    faults = [] if left == sums else [f'left {left} instead of {sums}']
    return faults + compare({k: v for k, v in rows.items() if any(v)},
                            {k: v for k, v in want.items() if any(v)})


def by_input(filters):
    rows = t.table('--by=input', *WHOLE, *options(filters), *PROCS).rows()
    want = {str(p): sum(expected(stacks_of(p), filters).values()) for p in PROCS}
    return compare({name: flat for flat, _, name in rows},
                   {name: value for name, value in want.items() if value})


def other_rows():
    """Filters match functions, even if the rows are something else."""
    wanted = sum(expected(stacks_of(CXX), [('focus', '^over')]).values())
    return [f'{by}: {rows}' for by in ('line', 'file', 'module', 'address')
            for rows in [t.table(f'--by={by}', *WHOLE, '--focus=^over', CXX).rows()]
            if sum(row[0] for row in rows) != wanted]


def files_and_modules():
    all_of = sum(stacks_of(CXX).values())
    in_file = sum(stacks_of('--focus=alloc_cxx[.]cc$', CXX).values())
    in_module = sum(stacks_of('--focus=/alloc_cxx$', CXX).values())
    faults = [] if 0 < in_file <= in_module <= all_of else [f'{in_file} {in_module} {all_of}']
    return faults + ([] if not stacks_of('--focus=alloc_cxy', CXX) else ['matches anything'])


def offsets():
    """Digits of an offset are no part of a name unless it is asked for."""
    name = next(f for frames in stacks_of(CXX) for f in frames if f.startswith('libc.so.6+0x'))
    digits = name.rpartition('+0x')[2]
    faults = [] if not stacks_of(f'--focus={digits}$', CXX) else ['matches without 0x']
    got = stacks_of(f'--focus=0x{digits}$', CXX)
    want = {frames: value for frames, value in stacks_of(CXX).items() if name in frames}
    return faults + compare(got, want) + ([] if want else ['nothing there'])


def cut_off_stacks():
    """[truncated] is a name like others, and goes where stacks are shown from elsewhere."""
    path = t.real / 'clang_json_lg17.21618.0.f.heap.gz'

    def with_mark(*filters):
        stacks = t.ok('folded', '-q', '--no-symbols', *filters, path).folded()
        return [frames[0] == '[truncated]' for frames, _ in stacks]

    faults = [] if any(with_mark()) and not all(with_mark()) else ['no such stacks']
    faults += [] if all(with_mark(r'--focus=\[truncated')) else ['focus']
    faults += [] if not any(with_mark(r'--ignore=\[truncated')) else ['ignore']
    shown = with_mark('--show-from=clang')
    return faults + ([] if shown and not any(shown) else ['show-from'])


def intervals():
    """The total that focus leaves equals the function's cum, with the same error."""
    rows = json.loads(t.ok('top', '-q', '-fjson', '--confidence=90', SYMBOLS, CXX).out)['rows']
    wanted = next(row['cum'] for row in rows if row['name'] == 'over(char const*, int)')
    left = json.loads(t.ok('top', '-q', '-fjson', '--confidence=90', SYMBOLS, CXX,
                           r'--focus=^over\(char').out)['filtered']
    known = wanted['inuse-space']['low'] < wanted['inuse-space']['high']
    return [] if left == wanted and known else [f'{left} instead of {wanted}']


def gate():
    """--fail-if tests the rows that filters leave, as shares of the total."""
    args = ('diff', '-q', SYMBOLS, '--fail-if=growth>20%', PROCS[0], PROCS[3])
    codes = {more: t.run(*args, *more).code
             for more in ((), ('--focus=^leaf_big',), ('--focus=^leaf_realloc',))}
    return [] if list(codes.values()) == [1, 1, 0] else [f'{codes}']


def too_many_steps(folder):
    path = f'{folder}/long.heap'
    with open(path, 'w', encoding='utf-8') as out:
        out.write(f'--- symbol\nbinary=/x\n0x0000000000000010 {"a" * 60}\n---\n--- heap\n'
                  'heap_v2/1\n  t*: 1: 8 [0: 0]\n@ 0x11\n  t*: 1: 8 [0: 0]\n\n'
                  'MAPPED_LIBRARIES:\n00000000-00001000 r-xp 00000000 00:00 1 /x\n')
    faults = [] if 'a' * 60 in t.ok('top', path).out else ['no such name']
    result = t.run('top', '--focus=^(a|aa)+[bc]', path, is_coded=True)
    told = 'pattern-many-steps: ^(a|aa)+[bc]\n' in result.err
    return faults + ([] if result.code == 7 and told and not result.out else [
        f'{result.code}: {result.err}'])


def long_names(folder):
    """Long names would make patterns slow: each pattern is matched with the first 16 KiB only, and a warning says so
    once.  A match before that place is found, one after it is not."""
    name = 'a' * 16000 + 'before' + 'a' * 84000 + 'after' + ' ::c'
    path = f'{folder}/long.pb'
    profile = Profile()
    profile.sample([profile.location(4096, calls=[(name, '', 0)])], [1, 1 << 20])
    with open(path, 'wb') as out:
        out.write(profile.bytes())
    with open(f'{folder}/rules', 'w', encoding='utf-8') as out:
        out.write(r'wrapper	name	\w++::c' + '\n')
    # Each takes seconds under the sanitizers, and (?:\w)*+ half a minute.
    said = re.compile('(long-names-cut|names-over-16-kib): 1 ')
    faults = []
    for args in (['top', r'--focus=\w+::c'], ['top', r'--ignore=\w++::c'], ['tree', r'--hide=(?>\w+)::c'],
                 ['stacks', r'--show=\w+::c'], ['top', r'--wrapper=(?:\w)*+::c'], ['peek', r'\w++::c'],
                 ['list', r'\w++::c'], ['top', f'--frame-rules={folder}/rules'], ['folded', r'--show-from=\w++::c'],
                 ['jeprof', '--text', r'--focus=\w++::c'], ['jeprof', r'--list=\w+::c'])[::5 if IS_SAMPLE else 1]:
        result = t.run(*args, path, is_coded=True)
        warned = len(said.findall(result.out + result.err))
        if result.code not in (0, 1, 5) or warned != 1:
            faults.append(f'{args} ended with {result.code}, and warned {warned} times: {result.err}')
    for pattern, code in (('before', 0), ('after', 5), ('^a+before', 0)):
        result = t.run('top', f'--focus={pattern}', path, is_coded=True)
        if result.code != code or not said.search(result.out + result.err):
            faults.append(f'{pattern}: {result.code}, {result.err}')
    plain = t.codes('top', path)
    return faults + ([] if not said.search(plain.out + plain.err) else ['no pattern was given'])


def nothing_is_left_out(path):
    """A filter that no stack is asked by: frames without names are called, and folded, as without it."""
    faults = []
    for option in ('--by=function', '--by=line', '--by=address', '--frames=all'):
        args = ('folded', '-q', '--no-symbols', option)
        plain, filtered = (t.ok(*args, *more, path).out for more in ((), ('--ignore=no such function',)))
        if plain != filtered or '+0x' not in plain:
            faults.append(f'{option}: {plain[:200]} and {filtered[:200]}')
    return faults


def nothing_left():
    result = t.run('top', '-q', *WHOLE, '--focus=no such function', CXX, is_coded=True)
    return [] if (result.code, result.err) == NOTHING and not result.out \
        else [f'{result.code}: {result.out}{result.err}']


for case in CASES[::3 if IS_SAMPLE else 1]:
    shown = f'{case[0].name} {" ".join(options(case[1]))}'
    for report in (folded, top, stacks, firefox):
        t.check(f'{report.__name__}: {shown}', lambda: report(*case))
for case in ([('focus', '^leaf_')], [('hide', '^leaf_')], [('show-from', '^leaf|^inlined')]):
    t.check(f'diff: {" ".join(options(case))}', lambda: diff(case))
    t.check(f'trend: {" ".join(options(case))}', lambda: trend(case))
    t.check(f'rows of inputs: {" ".join(options(case))}', lambda: by_input(case))
for dump in (CXX, *PROCS, *sorted((t.testdata / 'real').glob('*.f.heap.gz')))[::5 if IS_SAMPLE else 1]:
    t.check(f'a filter that drops nothing changes no name: {dump.name}', lambda: nothing_is_left_out(dump))
t.check('filters match functions, whatever rows represent', other_rows)
t.check('files and modules can be matched', files_and_modules)
t.check('offsets are matched only on request', offsets)
t.check('truncated stacks can be matched', cut_off_stacks)
t.check('intervals are those of the remaining stacks', intervals)
t.check('--fail-if uses the remaining stacks', gate)
t.check('filters that drop everything write no report', nothing_left)
with scratch() as scratch_folder:
    t.check('a pattern that backtracks without end is rejected',
            lambda: too_many_steps(scratch_folder))
    t.check('H3: patterns match the first 16 KiB of a name, in every option', lambda: long_names(scratch_folder))
t.done()

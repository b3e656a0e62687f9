#!/usr/bin/env python3
"""callgrind_annotate has to show our total and, our values of each function, with and without its callees, and must
print no warning.

usage: callgrind.py BINARY TESTDATA
"""
import collections
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from harness import Tests, scratch  # noqa: E402
from profile_writer import Profile  # noqa: E402
from sign_reader import by_leaf, faults_of, read, totals  # noqa: E402
from reports import Callgrind, Sums, cases, compare, difference, hostile_dump, reference  # noqa: E402

READS = {'callgrind': 'callgrind_annotate'}
t = Tests()
EVENTS = {'inuse-space': 'InuseBytes', 'inuse-objects': 'InuseObjects',
          'alloc-space': 'AllocBytes', 'alloc-objects': 'AllocObjects'}
ROW = re.compile(r' *([\d,.]+)  (.*)$')


def annotate(path, event, inclusive):
    """(total, {row: number}); each row is a file, a function and an object, as printed by callgrind_annotate."""
    done = subprocess.run(
        ['callgrind_annotate', '--threshold=100', '--auto=no', '--show-percs=no',
         f'--inclusive={inclusive}', f'--show={event}', f'--sort={event}', path],
        capture_output=True, text=True, errors='replace', check=True)
    if done.stderr:
        raise AssertionError(f'callgrind_annotate complains: {done.stderr[:500]}')
    if re.search(r'\(calculated\)', done.stdout):
        raise AssertionError('no summary was found')
    total = re.search(r'^ *([\d,.]+) +PROGRAM TOTALS', done.stdout, re.M)
    table = done.stdout.partition(':function\n')[2].partition('\n')[2]
    rows = collections.Counter()
    for line in table.splitlines():
        row = ROW.match(line)
        if row:
            rows[row[2]] += number(row[1])
    return number(total[1]), rows


def number(text):
    return 0 if text == '.' else int(text.replace(',', ''))


def sums(path, event):
    """The sums that are shown, and the names that belong to exactly one function."""
    graph = Callgrind(path.read_text())
    shown, count = Sums(), collections.Counter()
    shown.total, flat = annotate(path, event, 'no')
    _, inclusive = annotate(path, event, 'yes')
    for module, file, name in set(graph.keys.values()):
        row = f'{file}:{name} [{module}]'
        plain = re.sub(r"'\d+$", '', name)
        shown.flat[plain] += flat.pop(row, 0)
        if plain == name:
            shown.cum[plain] += inclusive[row]
            count[plain] += 1
    if flat:
        raise AssertionError(f'rows that are not ours: {flat}')
    return shown, {name for name in count if count[name] == 1}


def write(folder, *args):
    path = pathlib.Path(folder) / 'callgrind.out.test'
    t.ok(*args, '-q', '-o', path)
    return path


def shows(folder, *args):
    path, faults = write(folder, 'merge', *args), []
    for metric, wanted in reference(t, *args).items():
        got, single = sums(path, EVENTS[metric])
        faults += [f'{metric}: {fault}' for fault in compare(got, wanted, single)]
    return faults


def shows_difference(folder, options, base, new):
    path = write(folder, 'diff', *options, *base, '--to', *new)
    faults = []
    for event, wanted in zip(('Old', 'New'), difference(t, options, base, new)):
        got, single = sums(path, event)
        faults += [f'{event}: {fault}' for fault in compare(got, wanted, single)]
    return faults


def shows_signs(folder, delta):
    """For a difference of two profiles, growth and shrinkage: within one byte for each stack."""
    faults = []
    for metric, signs in read(delta).items():
        path = write(folder, 'diff', '--frames=all', f'--metric={metric}', delta)
        (grew, _), (shrank, _) = (sums(path, event) for event in ('Grew', 'Shrank'))
        faults += faults_of((grew.total, shrank.total), totals(signs), metric, len(signs))
        for name, want in by_leaf(signs).items():
            stacks = sum(stack[-1] == name for stack in signs)
            faults += faults_of((grew.flat[name], shrank.flat[name]), want, f'{metric}, {name}', stacks)
    return faults


def hostile(folder):
    """R13: one row, with its name in one line."""
    path = write(folder, 'merge', '--no-symbols', hostile_dump(t, folder, b'/srv/fn=(1)\tx\x1b'))
    got, _ = sums(path, 'InuseBytes')
    total = t.totals(pathlib.Path(folder) / 'hostile.heap')['inuse-space']
    return [] if abs(sum(got.flat.values()) - total) < 1 else [f'{got.flat} instead of {total}']


def cycles(text):
    """Sets of functions that call one another in a circle, each with a file, a module and a name.  KCachegrind would
    draw each set as one function."""
    graph, calls, here = Callgrind(text), collections.defaultdict(set), None
    for kind, number in re.findall(r'^(c?fn)=\((\d+)\)', text, re.M):
        if kind == 'fn':
            here = graph.keys[number]
        else:
            calls[here].add(graph.keys[number])

    def reached(function):
        seen, left = set(), [function]
        while left:
            new = calls[left.pop()] - seen
            seen |= new
            left += new
        return seen
    return {function[-1] for function in list(calls) if function in reached(function)}


def no_more_cycles(folder):
    """Overloads that call one another through others are no circle; by short names they would be."""
    p, path = Profile(), pathlib.Path(folder) / 'overloads.pb'
    app = p.mapping('/srv/none/app', 0x400000, 0x500000)
    stack = [p.location(0x400100 + 16 * i, app, [(name, 'a.cc', i + 1)]) for i, name in enumerate(
        ('leaf', 'T<int>::f(int)', 'g', 'T<char>::f(char)', 'main'))]
    p.sample(stack, [1, 100])
    path.write_bytes(p.bytes())
    full, short = (cycles(write(folder, 'merge', '--no-symbols', *names, path).read_text())
                   for names in ([], ['--names=short']))
    faults = [] if (full, short) == (set(), {'T<…>::f', 'g'}) else [f'{full}, {short}']
    cxx = t.testdata / 'golden' / 'cxx.heap'
    graph = write(folder, 'merge', f'--symbol-dir={t.root}', cxx).read_text()
    names = Callgrind(graph).names['fn'].values()
    faults += [] if {'over(int)', 'over(char const*, int)'} <= {*names} else [f'{names}']
    return faults + [f'cxx.heap: {name}' for name in cycles(graph)]


SHOWN = ('C', 'every allocation', 'clang_json', 'mt64', 'redis_lg13.27533.13', 'node')
with scratch() as scratch_folder:
    for what, options, inputs in cases(t):
        if what.startswith(SHOWN):
            t.check(f'{what}: callgrind_annotate shows our values',
                    lambda: shows(scratch_folder, *options, *inputs))
    t.check('C++ without inlined calls: callgrind_annotate shows our values',
            lambda: shows(scratch_folder, f'--symbol-dir={t.root}', '--no-inlines',
                          t.testdata / 'golden' / 'cxx.heap'))
    t.check('short names add no cycle to those of full names', lambda: no_more_cycles(scratch_folder))
    t.check('a diff: callgrind_annotate shows both sides',
            lambda: shows_difference(scratch_folder, (f'--symbol-dir={t.root}',),
                                     [t.testdata / 'golden' / 'procs1.heap'],
                                     [t.testdata / 'golden' / 'procs4.heap']))
    for delta in sorted((t.testdata / 'differences').glob('*.pb.gz')):
        t.check(f'{delta.name}: callgrind_annotate shows both sides of a difference', lambda: shows_signs(scratch_folder, delta))
    t.check('R13: a hostile name stays one name', lambda: hostile(scratch_folder))
t.done()

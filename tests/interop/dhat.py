#!/usr/bin/env python3
"""Valgrind's own viewer of DHAT's files has to show our totals and our stacks, and the Firefox
Profiler, which reads them too, our values of each function.

usage: dhat.py BINARY TESTDATA PEERS

PEERS is the folder that ./check --peers makes.
"""
import collections
import json
import pathlib
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from harness import Tests, hostile_dump, scratch  # noqa: E402
from peers import FirefoxProfiler, Node  # noqa: E402
from reports import Sums, cases, compare, reference  # noqa: E402

READS = {'dhat': 'Valgrind and the Firefox Profiler'}
t = Tests()
node = Node(sys.argv[3])
VIEWER = '/usr/libexec/valgrind/dh_view.html'
KINDS = (('Total', 'alloc-space', 'alloc-objects'), ('At t-end', 'inuse-space', 'inuse-objects'))


def write(folder, *args):
    path = pathlib.Path(folder) / 'x.dhat.json'
    t.ok('merge', '-q', '-o', path, *args)
    return path


def view(path):
    return json.loads(node.run('browser.js', 'dhat', VIEWER, path))[0]


def number(text):
    return int(text.replace(',', ''))


def nodes(text):
    """({kind: (bytes, blocks)}, frames from the leaf, whether it is a stack) of each that is shown."""
    plain = re.sub(r'^[ │├└─▼▶]+', '', text, flags=re.M)
    for block in re.split(r'^PP (?=[\d.]+/)', plain, flags=re.M)[1:]:
        values = {kind: (number(found), number(blocks)) for kind, found, blocks in
                  re.findall(r'^(Total|At t-end): +([\d,]+) bytes .*? in ([\d,]+) blocks', block,
                             re.M)}
        frames = re.findall(r'^[#^]\d+: 0x[0-9a-f]+: (.*) \(.*\)$', block, re.M)
        if 'Allocated at' in block:
            yield values, frames, re.search(r'^Max: ', block, re.M) is not None


def stacks_of(path):
    """{frames from the leaf: counts of its stacks}, read from the file itself."""
    report, found = json.loads(path.read_bytes()), collections.defaultdict(list)
    for point in report['pps']:
        names = tuple(re.match(r'0x[0-9a-f]+: (.*) \(.*\)$', report['ftbl'][frame])[1]
                      for frame in point['fs'])
        found[names].append({'Total': (point['tb'], point['tbk']),
                             'At t-end': (point['eb'], point['ebk'])})
    return found


def is_viewed(folder, *args):
    path, wanted = write(folder, *args), reference(t, *args)
    shown = list(nodes(view(path)))
    faults = [] if any(is_stack for _, _, is_stack in shown) else ['no stack is shown']
    for kind, *metrics in KINDS:
        for value, metric in zip(shown[0][0][kind], metrics):
            total = wanted[metric if metric in wanted else metric.replace('alloc', 'inuse')].total
            if abs(value - total) > 0.501:
                faults.append(f'{kind}: {value} instead of {total}')
    known = stacks_of(path)
    return faults + [f'{frames}: {values} instead of {known[tuple(frames)]}'
                     for values, frames, is_stack in shown
                     if is_stack and values not in known[tuple(frames)]]


def has_functions(folder, *args):
    wanted, faults = reference(t, *args), []
    with FirefoxProfiler(node, write(folder, *args)) as profiler:
        for thread, metric in (('t-0', 'alloc-space'), ('t-3', 'inuse-space')):
            got, count = Sums(), collections.Counter()
            for name, flat, cum in profiler.rows(thread):
                if name == 'heap profile':  # represents the command, above all roots
                    got.total = cum
                else:
                    got.flat[name] += flat
                    got.cum[name] += cum
                    count[name] += 1
            single = {name for name in count if count[name] == 1}
            faults += [f'{metric}: {fault}' for fault in
                       compare(got, wanted[metric if metric in wanted else 'inuse-space'], single)]
    return faults


def hostile(folder):
    """R12: it is shown, and nothing in it runs."""
    name = b'/srv/"><img src=x onerror=alert(1)><script>alert(2)<\\x1b'
    shown = view(write(folder, '--no-symbols', hostile_dump(t, folder, name)))
    wanted = '"><img src=x onerror=alert(1)><script>alert(2)<\\x1b+0x1300'
    return [] if wanted in shown else [shown]


SHOWN = ('C', 'every', 'clang_json', 'redis_lg13.27533.13')
with scratch() as scratch_folder:
    for what, options, inputs in cases(t):
        if what.startswith(SHOWN):
            t.check(f'{what}: dh_view.html has our totals and stacks',
                    lambda: is_viewed(scratch_folder, *options, *inputs))
            t.check(f'{what}: profiler-cli has our functions',
                    lambda: has_functions(scratch_folder, *options, *inputs))
    t.check('R12: a hostile name is shown as text', lambda: hostile(scratch_folder))
t.done()

#!/usr/bin/env python3
"""Callers and callees are those of `go tool pprof -peek`, with the same values.

usage: neighbors.py BINARY TESTDATA
"""
import json
import pathlib
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from harness import Tests, scratch  # noqa: E402
from pprof_tool import pprof, write_with  # noqa: E402

t = Tests()
write = write_with(t)
# The raw numbers of the dumps are integers: nothing is rounded.
OPTIONS = (f'--symbol-dir={t.root}', '--estimator=none')
GOLDEN = t.testdata / 'golden'
CASES = [
    # Functions are found by their own names, unless the pattern has a '<': then by the whole name, as by pprof.
    ([GOLDEN / 'cxx.heap'], 'over|rec|main|<main', ()),
    ([GOLDEN / 'cxx.heap'], '^(over|rec|main)', ()),
    ([GOLDEN / 'cxx.heap'], 'push_back|operator', ('--focus=Box',)),
    (sorted(GOLDEN.glob('procs*.heap')), '^recurse$|inlined', ()),
    (sorted(GOLDEN.glob('procs*.heap')), 'leaf|worker', ('--ignore=realloc',)),
    ([t.formats / 'go-protobuf.pb.gz'], 'main[.]', ()),
]
CENTER = re.compile(r'^ *(\d+)B? +[\d.e-]+% +[\d.e-]+% +(\d+)B? +[\d.e-]+% +\| (.*)$')
BESIDE = re.compile(r'^ *(\d+)B? +[\d.e-]+% \|   (.*?)(?: \((?:partial-)?inline\))?$')


def clean(name):
    return re.sub(r' \((partial-)?inline\)$', '', name)


def is_named(name):
    return not re.search(r'^\[|^0x|[+@]0x[0-9a-f]+$', name)


def theirs(text):
    """{function: [flat, cum, {caller: value}, {callee: value}]}"""
    found = {}
    for block in re.split(r'^-+\+-+$', text, flags=re.M):
        beside, center = [{}, {}], None
        for line in block.splitlines():
            match = CENTER.match(line)
            if match:
                center = match
            elif BESIDE.match(line):
                value, name = BESIDE.match(line).groups()
                beside[center is not None][clean(name)] = int(value)
        if center:
            found[clean(center[3])] = [int(center[1]), int(center[2]), *beside]
    return found


def value_of(number):
    return round(number['estimate'])


def ours(report):
    return {row['name']: [value_of(row['flat']), value_of(row['cum']),
                          *({one['name']: value_of(one['value']) for one in row[group]}
                            for group in ('callers', 'callees'))]
            for row in report['rows']}


def named(areas):
    return {name: [flat, cum, *({k: v for k, v in beside.items() if is_named(k) and v}
                                for beside in (callers, callees))]
            for name, (flat, cum, callers, callees) in areas.items() if is_named(name) and cum}


def compare(folder, inputs, pattern, filters):
    path = write(folder, 'all', '--names=full', *OPTIONS, *inputs)
    shown = pprof(f'-peek={pattern}', '-unit=bytes', *(f.replace('--', '-') for f in filters),
                  path, folder=folder)
    want = named(theirs(shown))
    report = json.loads(t.ok('peek', '-q', '-fjson', '--frames=no-alloc', *OPTIONS, *filters, pattern, *inputs).out)
    got = named(ours(report))
    return [f'{name}: {got.get(name)} instead of {want.get(name)}'
            for name in want.keys() | got.keys() if want.get(name) != got.get(name)] + (
                [] if any(callers or callees for _, _, callers, callees in got.values())
                else ['nothing to compare'])


with scratch() as scratch_folder:
    for case in CASES:
        t.check(f'{case[0][0].name} {case[1]} {" ".join(case[2])}: callers and callees are those of pprof',
                lambda: compare(scratch_folder, *case))
t.done()

#!/usr/bin/env python3
"""Annotated source is that of `go tool pprof -list`: the same lines with the same values.

usage: listing.py BINARY TESTDATA
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
OPTIONS = (f'--symbol-dir={t.root}', '--estimator=none', '--frames=no-alloc')
GOLDEN = t.testdata / 'golden'
CASES = [
    (sorted(GOLDEN.glob('procs*.heap')), 'leaf|worker|recurse|main'),
    ([GOLDEN / 'cxx.heap'], 'over|rec[(]|main$|Hidden'),
]
LINE = re.compile(r'^ *([\d.]+)B? +([\d.]+)B? +(\d+):(.*)$')


def theirs(text):
    """{function: {line: (flat, cum, source)}}"""
    found = {}
    for block in text.split('ROUTINE ======================== ')[1:]:
        lines = [LINE.match(line) for line in block.splitlines()]
        found[block.splitlines()[0].partition(' in alloc_c')[0]] = {
            int(m[3]): (int(m[1].strip('.') or 0), int(m[2].strip('.') or 0), m[4])
            for m in lines if m and m[2] != '.'}
    return found


def compare(folder, inputs, pattern):
    formats = t.formats
    want = theirs(pprof(f'-list={pattern}', '-unit=bytes', '-trim_path=/srv/corpus/formats',
                        f'-source_path={formats}', write(folder, 'all', '--names=full', *OPTIONS, *inputs),
                        folder=folder))
    report = json.loads(t.ok('list', '-q', '-fjson', f'--source-dir={formats}', *OPTIONS, pattern,
                             *inputs).out)
    got = {row['name']: {line['line']: (round(line['flat']), round(line['cum']['estimate']),
                                        line['text']) for line in row['lines']
                         if line['cum']['estimate']}
           for row in report['rows'] if row['file'].startswith('/srv/')}
    got = {name: lines for name, lines in got.items() if lines}
    return [f'{name}: {got.get(name)} instead of {want.get(name)}'
            for name in want.keys() | got.keys() if want.get(name) != got.get(name)] + (
                [] if len(got) > 2 else [f'{got}'])


with scratch() as scratch_folder:
    for case in CASES:
        t.check(f'{case[0][0].name} {case[1]}: lines and values are those of pprof',
                lambda: compare(scratch_folder, *case))
t.done()

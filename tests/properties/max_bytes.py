#!/usr/bin/env python3
"""--max-bytes: limits the bytes of a report, which has as many of the first rows as there is room for; it is valid,
and says how many rows are missing."""
import json
import os
import re

import jsonschema

from harness import Tests, scratch

t = Tests(is_coded=True)
SCHEMA = jsonschema.Draft7Validator(
    json.loads((t.testdata.parent / 'schema' / 'hprof-agg.schema.json').read_text()))
GOLDEN = t.testdata / 'golden'
SYMBOLS = f'--symbol-dir={t.root}'
MANY = t.real / 'python_lg12.26874.0.f.heap.gz'
REPORTS = {
    'top': ('top', '--no-symbols', MANY),
    'tree': ('tree', '--no-symbols', MANY),
    'inverted tree': ('tree', '--invert', '--no-symbols', MANY),
    'peek': ('peek', '.', SYMBOLS, GOLDEN / 'cxx.heap'),
    'stacks': ('stacks', SYMBOLS, GOLDEN / 'cxx.heap'),
    'list': ('list', '.', SYMBOLS, GOLDEN / 'cxx.heap'),
    'diff': ('diff', SYMBOLS, GOLDEN / 'procs1.heap', GOLDEN / 'cxx.heap'),
    'trend': ('trend', '--no-symbols', *sorted((t.formats / 'series').glob('*.heap'))),
}
FORMATS = ('text', 'markdown', 'json', 'tsv', 'benchmark')


def write(args, form, *more):
    return t.run(*args, '-n0', f'--format={form}', *more)


def rows_of(form, out):
    """The part that has to be the beginning of the same part of the whole report; None: the last line shows it."""
    if form == 'json':
        return json.loads(out)['rows']
    if form == 'benchmark':
        return json.loads(out)
    return out.decode().splitlines() if form == 'tsv' else None


def left_out(form, result, rows, whole):
    """The number of missing rows that a report states; for text, whether it says that rows are missing."""
    size = result.args[-1].partition('=')[2]
    if form == 'json':
        told = json.loads(result.out_bytes).get('cut', {'excluded': 0, 'rows': len(rows)})
        return told['excluded'] if told['rows'] == len(rows) else -1
    if rows is None:
        return f'cut-by-bytes: {size}' in result.out
    count = len(whole) - len(rows)
    is_said = re.search(rf'rows-cut: {count} (\D+ )?{size}$', result.err, re.M)
    return count if is_said or count == 0 else -1


def faults_of(args, form, size, whole):
    result = write(args, form, f'--max-bytes={size}')
    out, all_rows = result.out_bytes, rows_of(form, whole)
    if result.code == 7:
        return [] if not out and size < len(whole) and 'report-too-long: ' in result.err else [f'{size}: {result.err}']
    if result.code != 0 or len(out) > size:
        return [f'{size}: status {result.code}, {len(out)} bytes']
    rows = rows_of(form, out)
    faults = [f'{size}: {error.message}' for error in SCHEMA.iter_errors(json.loads(out))] if form == 'json' else []
    if rows is not None and rows != all_rows[:len(rows)]:
        faults.append(f'{size}: other rows than the first {len(rows)}')
    told = left_out(form, result, rows, all_rows)
    missing = len(out) < len(whole) if rows is None else len(all_rows) - len(rows)
    return faults + ([] if told == missing else [f'{size}: {missing} missing, {told} told'])


def bounded(what, form):
    args = REPORTS[what]
    whole = write(args, form)
    if whole.code == 2 and 'format-not-of-command: ' in whole.err:
        return None
    whole, faults, written = whole.out_bytes, [], []
    for size in (40, 300, len(whole) // 5, len(whole) // 2, len(whole) - 1, len(whole), 10 * len(whole)):
        faults += faults_of(args, form, size, whole)
        written.append(write(args, form, f'--max-bytes={size}').out_bytes)
    faults += [] if written[-1] == written[-2] == whole else ['what fits is cut']
    faults += [] if 0 < len(written[-3]) < len(whole) else ['what does not fit is not cut']
    return faults or f'{len(whole)} bytes, and six times less'


for report in REPORTS:
    for name in FORMATS:
        found = bounded(report, name)
        if found is not None:
            t.check(f'{report} as {name}', found if isinstance(found, list) else [])


def greedy():
    """If all rows have the same length, there is no room for one more."""
    args = ('top', '--no-symbols', '--confidence=none', '--quiet', MANY)
    whole = write(args, 'tsv').out_bytes.decode().splitlines(keepends=True)
    faults = []
    for size in range(2000, 2400, 37):
        lines = write(args, 'tsv', f'--max-bytes={size}').out.splitlines(keepends=True)
        if len(''.join(lines)) + len(whole[len(lines)]) <= size:
            faults.append(f'{size}: {len(lines)} lines, and there was room for one more')
    return faults


def gate():
    """Rows that are not shown are also tested by a gate."""
    args = ('diff', SYMBOLS, '--fail-if=growth>1000', GOLDEN / 'procs1.heap', GOLDEN / 'procs4.heap')
    whole, cut = t.run(*args), t.run(*args, '--max-bytes=1200')
    return [] if whole.code == cut.code == 1 and whole.err == cut.err else [f'{whole.err} {cut.err}']


def files():
    """If a report does not fit, no file remains."""
    with scratch() as folder:
        result = t.run('top', '--max-bytes=20', '-o', f'{folder}/x.json', GOLDEN / 'cxx.heap')
        return [] if result.code == 7 and os.listdir(folder) == [] else [f'{result.code}: {os.listdir(folder)}']


t.check('--max-bytes keeps all rows that fit', greedy)
t.check('--fail-if looks at all rows', gate)
t.check('too few bytes end with status 7 and no file', files)
t.check('other formats reject --max-bytes before they read', [f'{form}: {result.err}' for form in ('svg', 'html', 'dot')
                                                     for result in [t.run('top', f'-f{form}', '--max-bytes=9', 'nowhere')]
                                                     if result.code != 2 or 'option-goes-with-format: ' not in result.err])
t.done()

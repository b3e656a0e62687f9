#!/usr/bin/env python3
"""Tab-separated tables have the cells that JSON has, and any name in a cell of its own."""
import csv
import io
import json
import re

from harness import Tests, scratch
from reports import hostile_dump

t = Tests()
GOLDEN = t.testdata / 'golden'
PROCS = sorted(GOLDEN.glob('procs*.heap'))
SERIES = sorted((t.formats / 'series').glob('*.heap'))
SYMBOLS = f'--symbol-dir={t.root}'


def rows_of(text):
    """The rows of TSV, by a reader that does not know quotes."""
    return list(csv.DictReader(io.StringIO(text), delimiter='\t', quoting=csv.QUOTE_NONE))


def tsv(*args):
    return rows_of(t.ok(*args, '-q', '-ftsv').out)


def as_json(*args):
    report = json.loads(t.ok(*args, '-q', '-fjson').out_bytes, parse_float=str, parse_int=str)
    return report['rows'], report['metric']


def text(value):
    return '' if value is None else str(value)


def is_same(cell, value):
    """Whether a cell equals the number of JSON; both have three decimals."""
    return cell == text(value)


def unescape(cell):
    plain = {'t': '\t', 'n': '\n', '\\': '\\'}
    return re.sub(r'\\(?:([tn\\])|x(..)|u\{(\w+)\})',
                  lambda m: plain[m[1]] if m[1] else chr(int(m[2] or m[3], 16)), cell)


def differences(cells, wanted, number):
    return [f'row {number}, {title}: {cells[title]!r} instead of {value!r}'
            for title, value in wanted.items() if not is_same(cells[title], value)]


def ranges(titles_and_numbers):
    """{title: cell} of numbers with their intervals."""
    return {f'{title}{end}': number[key] for title, number in titles_and_numbers
            for end, key in (('', 'estimate'), ('_low', 'low'), ('_high', 'high'))}


def top(*args):
    rows, metric = as_json('top', '-n0', *args)
    faults = [] if rows else ['no rows']
    for number, (cells, row) in enumerate(zip(tsv('top', '-n0', *args), rows, strict=True)):
        wanted = ranges((('flat', row['flat'][metric]), ('cum', row['cum'][metric])))
        wanted['effective_samples'] = row['effective_samples']
        wanted['flags'] = ','.join(row['flags'])
        if 'spread' in row:
            wanted.update({f'spread_{key}': value for key, value in row['spread'].items()})
        faults += differences(cells, wanted, number)
        faults += [] if unescape(cells['name']) == row['name'] else [f'{cells["name"]}']
    return faults


def beginnings(*args):
    """A few rows are selected from all, many are sorted: both methods give the first of all rows."""
    whole = tsv('top', '-n0', *args)
    faults = [] if len(whole) > 201 else [f'{len(whole)} rows']
    for limit in (1, 2, 49, 200, 201):
        rows = tsv('top', f'-n{limit}', *args)
        if rows != whole[:limit]:
            faults.append(f'-n{limit}: {len(rows)} other rows')
    return faults


def stacks(*args):
    rows, metric = as_json('stacks', '-n0', *args)
    rows = [row for row in rows if row['value'][metric]['estimate'] != '0.000']
    faults = [] if rows else ['no rows']
    for number, (cells, row) in enumerate(zip(tsv('stacks', '-n0', *args), rows, strict=True)):
        wanted = ranges((('value', row['value'][metric]),))
        wanted['effective_samples'] = row['effective_samples']
        wanted['flags'] = ','.join(row['flags'])
        frames = (['[truncated]'] if row['truncated'] else []) + row['frames'][::-1]
        faults += differences(cells, wanted, number)
        names = [name.replace('\\;', ';') for name in re.split(r'(?<!\\);', cells['stack'])]
        faults += [] if names == frames else [f'{names} instead of {frames}']
    return faults


def diff(*args):
    rows, _ = as_json('diff', '-n0', *args)
    faults = [] if rows else ['no rows']
    for number, (cells, row) in enumerate(zip(tsv('diff', '-n0', *args), rows, strict=True)):
        wanted = ranges((key, row[key]) for key in ('base', 'new', 'delta'))
        wanted.update({key: row[key] for key in ('p', 'p_sides', 'q', 'p_if_nothing_freed', 'status')})
        wanted['significant'] = 'yes' if row['significant'] else 'no'
        faults += differences(cells, wanted, number)
    return faults


def trend(*args):
    rows, _ = as_json('trend', '-n0', *args)
    faults = [] if rows else ['no rows']
    for number, (cells, row) in enumerate(zip(tsv('trend', '-n0', *args), rows, strict=True)):
        wanted = {key: row[key] for key in ('first', 'last', 'slope', 'at_least', 'per', 'per_day',
                                            'p', 'p_sides', 'p_sampling', 'q', 'shape', 'tau', 'grew')}
        wanted['significant'] = 'yes' if row['significant'] else 'no'
        wanted['values'] = ','.join(row['values'])
        faults += differences(cells, wanted, number)
    return faults


def places():
    """A column has a value if all frames of a row agree, and is empty if they do not."""
    source = '/srv/corpus/formats/alloc_c.c'
    rows = {row['name']: row for row in tsv('top', '--frames=no-alloc', '--by=function', SYMBOLS, *PROCS)}
    one = rows['leaf_mixed']
    faults = [f'{key}: {one[key]}' for key, value in (
        ('function', 'leaf_mixed'), ('module', '/srv/corpus/formats/alloc_c'), ('file', source),
        ('line', '21')) if one[key] != value]
    if rows['main']['line'] != '' or rows['main']['file'] != source:
        faults.append(f'main has several lines, not {rows["main"]["line"]}')
    bare = rows['libc.so.6+0x27305']
    if bare['function'] or bare['line'] or not bare['module'].endswith('/libc.so.6'):
        faults.append(f'{bare}')
    by_module = tsv('top', '--by=module', SYMBOLS, *PROCS)
    if not all(row['module'] == row['name'] and row['line'] == '' for row in by_module):
        faults.append('by module')
    return faults


def hostile():
    name = b'=1+1\t"\\;\n\x1b[31m\xe2\x80\xae\xff'
    with scratch() as folder:
        out = t.ok('stacks', '-q', '-ftsv', '--no-symbols', '--by=module',
                   hostile_dump(t, folder, name)).out_bytes
    faults = [f'byte {byte}' for byte in set(out) if byte < 0x20 and byte not in (9, 10)]
    wanted = b'\\x3D1+1\\t"\\\\\\;'
    return faults + ([] if wanted in out else [f'{out}'])


for what, args in (('C', (SYMBOLS, *PROCS)), ('C++ by line', ('--by=line', SYMBOLS, GOLDEN / 'cxx.heap')),
                   ('allocated objects', ('--metric=alloc-objects', SYMBOLS, *PROCS)),
                   ('how processes differ', ('--columns=spread', SYMBOLS, *PROCS)),
                   ('by input', ('--by=input', *PROCS)),
                   ('without errors', ('--confidence=none', SYMBOLS, *PROCS))):
    t.check(f'top, {what}: the cells are those of JSON', lambda: top(*args))
CLANG = t.real / 'clang_json_lg17.21618.0.f.heap.gz'
for what, words in (('flat', ()), ('cum', ('--cum',)), ('name', ('--sort=name',)),
                    ('objects by address', ('--by=address', '--metric=inuse-objects'))):
    t.check(f'top by {what}: the rows within a limit are the first of all',
            lambda: beginnings('--no-symbols', *words, CLANG))
for what, args in (('C', (SYMBOLS, *PROCS)),
                   ('cut off', ('--no-symbols', CLANG))):
    t.check(f'stacks, {what}: the cells are those of JSON', lambda: stacks(*args))
t.check('diff: the cells are those of JSON', lambda: diff(SYMBOLS, PROCS[0], PROCS[3]))
t.check('trend: the cells are those of JSON', lambda: trend(SYMBOLS, *SERIES))
t.check('rows have their function, module, file and line', places)
t.check('R11, R13: hostile names stay in their cells', hostile)
t.done()

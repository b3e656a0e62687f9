#!/usr/bin/env python3
"""An HTML report has the numbers of the command line.  Its data follows its schema; folded, filtered and added up in
Python by the rules of schema/html.md, it gives every row of `top --format=json`.  The part that is readable without a
script is well-formed and has the same numbers; no name ends an element.

usage: html_report.py BINARY TESTDATA [DUMPS...]
"""
import base64
import collections
import gzip
import hashlib
import json
import pathlib
import random
import re
import sys

import jsonschema

from harness import Tests, near, scratch
from html_reader import KEYS, Document, Report, data_of
from profile_writer import Profile, message, number
from svg_reader import HOSTILE, hostile_profile

t = Tests(is_coded=True)
GOLDEN = t.testdata / 'golden'
SCHEMA = jsonschema.Draft7Validator(
    json.loads((t.testdata.parent / 'schema' / 'html.schema.json').read_text(encoding='utf-8')))
SUMMARY = jsonschema.Draft7Validator({**SCHEMA.schema, '$ref': '#/definitions/summary'})
SYMBOLS = f'--symbol-dir={t.root}'
NO_SYMBOLS = '--no-symbols'
CXX = GOLDEN / 'cxx.heap'
PROCS = sorted(GOLDEN.glob('procs*.heap'))
CLANG = t.real / 'clang_json_lg17.21618.0.f.heap.gz'
PYTHON = t.real / 'python_lg12.26874.0.f.heap.gz'
ROCKSDB = t.real / 'dbbench_lg15.18185.13.f.heap.gz'

# Filters for the page and for the command line.
FILTERS = [{}, {'focus': 'a'}, {'ignore': 'lib'}, {'focus': '^main$|start'}, {'focus': 'e', 'ignore': '[xy]'},
           {'ignore': r'\.so'}, {'focus': 'nothing matches this'}, {'ignore': '::'},
           {'ignore': 'truncated'}]


READ = [('--older-than=0.001s', 'jemalloc-clickhouse.heap'), ('--thread=worker 0', 'jemalloc-threadname.heap')]


def page_of(*args, **options):
    return t.ok('top', '-q', '-fhtml', *args, **options).out_bytes


def table_of(*args):
    """The rows of the command, as Report.table() has them; None if there is nothing to report."""
    run = t.run('top', '-q', '-fjson', '-n0', '--names=full', *args, is_coded=True)
    if run.code != 0:
        return None if 'filters-leave-nothing' in run.err else str(run)
    return {(row['name'], row['class']):
            {metric: tuple((cell['estimate'], cell['low'], cell['high']) for cell in (row['flat'][metric], row['cum'][metric]))
             for metric in row['flat'] if row['flat'][metric]} for row in json.loads(run.out_bytes)['rows']}


def same_cell(ours, theirs):
    """Compare numbers; those of the command line have three decimals."""
    return near(ours[0], theirs[0], 1e-9, 6e-4) and all(near(a, b, 1e-6, 6e-4) for a, b in zip(ours[1:], theirs[1:]))


def differences(ours, theirs):
    if theirs is None or isinstance(theirs, str):
        return [f'{len(ours)} rows, not {theirs}'] if ours or theirs else []
    faults = [f'{row} is in one alone' for row in ours.keys() ^ theirs.keys()]
    for row in ours.keys() & theirs.keys():
        faults += [f'{row} {metric}: {ours[row][metric]}, not {cells}' for metric, cells in theirs[row].items()
                   if not all(map(same_cell, ours[row][metric], cells))]
    return faults


def options_of(asked):
    return [f'--{rule}={pattern}' for rule, pattern in asked.items()]


def agrees(report, inputs, options=()):
    """Compare three views with nine filters, by flat and by cum."""
    cells = 0
    for view in ('no-std', 'no-libs', 'no-alloc'):
        for number, asked in enumerate(FILTERS):
            sort = 'cum' if number % 2 else 'flat'
            theirs = table_of(f'--frames={view}', f'--sort={sort}', *options_of(asked), *options, *inputs)
            ours = report.table(view, sort=sort, **asked)
            faults = differences(ours, theirs)
            if faults:
                return [f'{view} {asked} {sort}: {fault}' for fault in faults]
            cells += sum(2 * len(row) for row in ours.values())
    return f'{cells} estimates with their intervals'


def filtered(inputs, options, view='no-std'):
    """Filters of the command are in the data."""
    report = Report(data_of(page_of(*options, *inputs)))
    return differences(report.table(), table_of(*options, *inputs))


# --- comparisons ---------------------------------------------------------------------------


def diff_of(*args):
    return t.ok('diff', '-q', '-fhtml', *args).out_bytes


def changes_of(*args):
    """({row: (base, new)}, {row: (low, high, p, q, significant)}, the row's change) of a diff as JSON."""
    run = t.run('diff', '-q', '-fjson', '-n0', '--names=full', *args)
    if run.code != 0:
        return ({}, {}, {}) if 'filters-leave-nothing' in run.err else str(run)
    rows = {(row['name'], row['class']): row for row in json.loads(run.out_bytes)['rows']}
    values = {key: tuple((row[side]['estimate'], row[side]['low'], row[side]['high']) for side in ('base', 'new'))
              for key, row in rows.items()}
    tested = {key: [row['delta']['low'], row['delta']['high'], row['p'], row['q'], int(row['significant'])]
              for key, row in rows.items()}
    return values, tested, {key: row['delta']['estimate'] for key, row in rows.items()}


def compared(report, metric, what, theirs):
    if isinstance(theirs, str):
        return [theirs]
    values, _, changes = theirs
    ours = {key: row[metric] for key, row in what.items() if metric in row}
    faults = [f'{row} is in one alone' for row in ours.keys() ^ values.keys()]
    for row in ours.keys() & values.keys():
        faults += [f'{row}: {a}, not {b}' for a, b in zip(ours[row], values[row]) if not same_cell(a, b)]
        delta = ours[row][1][0] - ours[row][0][0]
        faults += [] if abs(delta - changes[row]) <= 1e-9 * ours[row][1][0] + 2e-3 else [f'{row}: {delta}, not {changes[row]}']
    return faults


def diff_agrees(report, inputs, options=()):
    """Compare three views with six filters, by flat and by cum; and numbers that only the command computes for its
    own view."""
    cells = 0
    for view in ('no-std', 'no-libs', 'no-alloc'):
        for number, asked in enumerate(FILTERS[:6]):
            sort = 'cum' if number % 2 else 'flat'
            theirs = changes_of(f'--frames={view}', *(['--cum'] if sort == 'cum' else []), *options_of(asked), *options, *inputs)
            ours = report.changes(view, sort=sort, **asked)
            faults = compared(report, report.data['metrics'][report.data['metric']]['name'], ours, theirs)
            if faults:
                return [f'{view} {asked} {sort}: {fault}' for fault in faults]
            cells += 2 * len(ours)
    for metric in ('inuse-objects', 'inuse-space'):  # both metrics, with either as the requested one
        faults = compared(report, metric, report.changes(), changes_of(*options, f'--metric={metric}', *inputs))
        if faults:
            return [f'{metric}: {fault}' for fault in faults]
    for sort in ('flat', 'cum'):
        theirs = changes_of(*(['--cum'] if sort == 'cum' else []), *options, *inputs)[1]
        ours = report.tested(sort)
        faults = [f'{sort}: {key}: {ours.get(key)}, not {theirs.get(key)}' for key in ours.keys() | theirs.keys()
                  if key not in ours or key not in theirs or
                  not all(near(a, b, 1e-6, 1e-9) for a, b in zip(ours[key], theirs[key]))]
        if faults:
            return faults
    return f'{cells} sides with their intervals'


def boxes_agree(report):
    """Boxes of the flame graph that are the only ones of their function have the interval of the function."""
    names, frames, counts = report.data['names'], report.data['frames']['name'], {}
    folds = report.data['views'][report.data['view']]
    held = {}
    for path, sums in report.stacks():
        shown = tuple(frames[frame] for frame in reversed(report.shown(path, folds)))
        if report.data['truncated'] in path:
            shown = (frames[report.data['truncated']],) + shown
        for depth in range(1, len(shown) + 1):
            held.setdefault(shown[depth - 1], set()).add(shown[:depth])
    boxes, tested = report.boxes(), report.tested('cum')
    faults = []
    for path, numbers in boxes.items():
        key = report.string(names['text'][path[-1]]), (report.data['classes'] + [None])[names['class'][path[-1]]]
        if path not in held.get(path[-1], ()):
            faults.append(f'{path} is no call')
        elif len(held[path[-1]]) == 1 and key in tested:
            counts[path] = 1
            if not all(near(a, b, 1e-6, 1e-9) for a, b in zip(numbers[:2], tested[key][:2])):
                faults.append(f'{key}: {numbers}, not {tested[key]}')
    return faults + ([] if counts else ['no box is compared']) or f'{len(counts)} of {len(boxes)} boxes'


def without_nothing(rows, is_nothing):
    """The rows of a page: those at the end that hold nothing or have not changed are counted only."""
    while len(rows) > 1 and is_nothing(rows[-1]):
        rows = rows[:-1]
    return rows


def diff_rows(document, report, inputs, options):
    """The static table has the rows of the text report, in its order; their texts agree with JSON."""
    heads = [cell['text'] for cell in document.all('th') if cell['attrs'].get('scope') == 'row']
    theirs = json.loads(t.ok('diff', '-q', '-fjson', '-n15', '--names=short', *options, *inputs).out_bytes)['rows']
    theirs = without_nothing(theirs, lambda row: row['status'] == 'same')
    faults = [] if heads == [row['name'] for row in theirs] else [f'{heads[:5]}, not {[row["name"] for row in theirs][:5]}']
    statuses = [cell['text'] for cell in document.all('td') if cell['attrs'].get('data-key') == 'status']
    faults += [] if statuses == [row['status'] for row in theirs] else [f'{statuses[:5]}']
    marks = [cell['text'].endswith('*') for cell in document.all('td') if cell['attrs'].get('data-key') == 'p']
    return faults + ([] if marks == [row['significant'] for row in theirs] else ['other marks'])


def diff_summary(page, inputs, options):
    text = re.search(rb'<script id="summary" type="application/json">(.*?)</script>', page, re.S)[1].decode('utf-8')
    summary = json.loads(text)
    theirs = json.loads(t.ok('diff', '-q', '-fjson', '-n15', '--names=short', *options, *inputs).out_bytes)
    wanted = [{key: row[key] for key in ('name', 'class', 'base', 'new', 'delta', 'p')} for row in theirs['rows']]
    faults = [f'{"/".join(map(str, error.path))}: {error.message[:200]}' for error in SUMMARY.iter_errors(summary)]
    faults += [] if summary['rows'] == wanted[:len(summary['rows'])] and summary['rows'] else ['other rows']
    return faults + ([] if all(summary['total'][key] == theirs['total'][key] for key in summary['total']) else ['another total'])


def all_of_diff(what, inputs, options):
    page = diff_of(*options, *inputs)
    data = data_of(page)
    document, report = Document(page.decode('utf-8')), Report(data)
    t.check(f'diff, {what}: the data matches the schema',
            lambda: [f'{"/".join(map(str, error.path))}: {error.message[:200]}' for error in SCHEMA.iter_errors(data)] +
            ([] if in_order(list(SCHEMA.schema['definitions']['top']['properties']), data) else ['in another order']))
    t.check(f'diff, {what}: the numbers are the command line\'s', lambda: diff_agrees(report, inputs, options))
    t.check(f'diff, {what}: boxes have the changes of their functions', lambda: boxes_agree(report))
    t.check(f'diff, {what}: the document is well-formed', lambda: well_formed(page, document))
    t.check(f'diff, {what}: the policy allows only the parts of the page', lambda: policy_holds(page, document))
    t.check(f'diff, {what}: the table is the text report\'s', lambda: diff_rows(document, report, inputs, options))
    t.check(f'diff, {what}: the summary has the first rows', lambda: diff_summary(page, inputs, options))
    t.check(f'diff, {what}: the tree has the numbers of the data', lambda: tree_adds_up(document, report))


# --- the document --------------------------------------------------------------------------


def policy_holds(page, document):
    """The page has one script and one style, with the digests in the policy, and loads nothing from elsewhere."""
    metas = [meta['attrs'] for meta in document.all('meta')]
    policy = next(meta['content'] for meta in metas if 'http-equiv' in meta)
    scripts = [script for script in document.all('script') if 'id' not in script['attrs']]
    faults = [] if len(scripts) == 1 and len(document.all('style')) == 1 else ['not one script and one style']
    for kind, element in (('script', scripts[0]), ('style', document.all('style')[0])):
        digest = base64.b64encode(hashlib.sha256(element['text'].encode()).digest()).decode()
        faults += [] if f"{kind}-src 'sha256-{digest}'" in policy else [f'the policy has another digest of the {kind}']
    wanted = ["default-src 'none'", "base-uri 'none'", "form-action 'none'", 'img-src data:']
    faults += [f'the policy has no {rule}' for rule in wanted if rule not in policy]
    for element in document.elements:
        faults += [f'<{element["tag"]} {name}>' for name in element['attrs']
                   if name.startswith('on') or name in ('src', 'href', 'style', 'action', 'srcdoc')]
    return faults + ([] if page.count(b'<script') == 3 else ['not a script, a summary and data'])


def well_formed(page, document):
    ids = [element['attrs']['id'] for element in document.elements if 'id' in element['attrs']]
    faults = document.faults + ([] if len(set(ids)) == len(ids) else ['an id twice'])
    faults += [f'<{element["tag"]}> is strange' for element in document.elements if element['tag'] not in
               'html head meta title style body header h1 p ul li main div section h2 table thead tbody tr th td '
               'details summary script nav strong canvas svg ol input'.split()]
    faults += [f'no #{name}' for name in 'title sentence facts tools search result filters rows table rest notes charges flames calls tree data'.split()
               if name not in ids]
    return faults + ([] if document.comments == 0 else ['comments'])


def same_rows(document, report, inputs, options):
    """The static table begins with the rows of the text report, and each row has the number of its name.  If two rows
    had the same name, both get longer names."""
    rows = [row for row in document.all('tr') if 'data-name' in row['attrs']]
    heads = [cell['text'] for cell in document.all('th') if cell['attrs'].get('scope') == 'row']
    theirs = json.loads(t.ok('top', '-q', '-fjson', '-n15', '--names=short', *options, *inputs).out_bytes)['rows']
    theirs = without_nothing(theirs, lambda row: all(
        not cell or cell['estimate'] == 0 for cell in row['cum' if '--cum' in options else 'flat'].values()))
    names = report.data['names']
    alike = collections.Counter(map(report.string, report.data['functions']['short']))
    faults = [f'{len(heads)} rows, not {len(theirs)}'] if len(heads) != len(theirs) else []
    faults += [f'{head}, not {row["name"]}' for head, row in zip(heads, theirs)
               if head != row["name"] and alike[row["name"]] < 2]
    faults += [f'{count} are {name}' for name, count in collections.Counter(names['short']).items() if count > 1]
    for head, row in zip(heads, rows):
        name = report.string(names['short'][int(row['attrs']['data-name'])])
        faults += [] if name == head else [f'data-name of {head} is {name}']
    return faults


def tree_adds_up(document, report):
    """Every call of the tree is in the data, under its caller, at most a hundred of them."""
    nodes = [element for element in document.elements if element['tag'] in ('details', 'p') and
             'data-name' in element['attrs']]
    if not 0 < len(nodes) <= 100:
        return [f'{len(nodes)} nodes']
    known, names = set(), report.data['frames']['name']
    folds = report.data['views'][report.data['view']]
    for path, _ in report.stacks():
        shown = tuple(names[frame] for frame in reversed(report.shown(path, folds)))
        truncated = (names[report.data['truncated']],) if report.data['truncated'] in path else ()
        known.update((truncated + shown)[:i + 1] for i in range(len(truncated + shown)))
    path, faults = [], []
    for node in nodes:
        path = [(depth, name) for depth, name in path if depth < node['depth']]
        path.append((node['depth'], int(node['attrs']['data-name'])))
        if tuple(name for _, name in path) not in known:
            faults.append(f'{path} is no way from a root')
    return faults


def summary_holds(page, inputs, options):
    """The first rows of the command line, of at most 8,000 bytes, and no fewer than there is room for."""
    text = re.search(rb'<script id="summary" type="application/json">(.*?)</script>', page, re.S)[1].decode('utf-8')
    summary = json.loads(text)
    plain = text.replace('\\u003c', '<').replace('\\u003e', '>').replace('\\u0026', '&')
    theirs = json.loads(t.ok('top', '-q', '-fjson', '-n15', '--names=short', *options, *inputs).out_bytes)

    def ends(numbers):
        return {key: number for key, number in numbers[theirs['metric']].items() if key not in ('sampling', 'rounding')}

    rows = [{'name': row['name'], 'class': row['class'], 'flat': ends(row['flat']), 'cum': ends(row['cum'])}
            for row in theirs['rows']]
    faults = [f'{"/".join(map(str, error.path))}: {error.message[:200]}' for error in SUMMARY.iter_errors(summary)]
    faults += [] if summary['rows'] == rows[:len(summary['rows'])] else ['other rows']
    faults += [] if summary['total'] == ends(theirs['total']) else ['another total']
    size, next_row = len(plain.encode()) - 4, rows[len(summary['rows']):][:1]
    if size > 8000 or (next_row and size + len(json.dumps(next_row[0], ensure_ascii=False).encode()) + 40 < 8000):
        faults.append(f'{len(summary["rows"])} rows of {len(rows)} in {size} bytes')
    return faults or f'{len(summary["rows"])} rows of {len(rows)}'


# --- series --------------------------------------------------------------------------------


def trend_of(*args):
    return t.ok('trend', '-q', '-fhtml', *args).out_bytes


def rows_of_trend(*args, full='--names=full'):
    return json.loads(t.ok('trend', '-q', '-fjson', '-n0', full, *args).out_bytes)


def values_agree(report, inputs, options):
    """The values of each row in each dump, by flat and by cum, and the growth of all rows."""
    options = [option for option in options if option != '--cum']
    kind, series, faults = report.data['metrics'][report.data['metric']]['kind'], report.data['series'], []
    position = KEYS.index(kind)
    held = [report.rows()[0] for report in report.dumps()]
    for by_cum in (0, 1):
        theirs = rows_of_trend(*options, *(['--cum'] if by_cum else []), *inputs)
        for process in series['processes']:
            mine = {(row['name'], row['class']): row for row in theirs['rows'] if row.get('process', process['name']) == process['name']}
            rises = process['cum' if by_cum else 'flat']
            told = {report.key(name): numbers for name, *numbers in zip(*(rises[key] for key in ('name', *RISE)))}
            faults += [f'{key} is in one alone' for key in told.keys() ^ mine.keys()]
            for key, row in mine.items():
                name = report.numbers()[key]
                ours = [rows[name][by_cum][0].of[position] for rows in held[process['first']:process['first'] + process['count']]]
                faults += [f'{key}: {a}, not {b}' for a, b in zip(ours, row['values'], strict=True) if not near(a, b, 1e-8, 6e-4)]
                wanted = [row[JSON_KEY.get(key, key)] for key in RISE]
                wanted[RISE.index('shape')] = series['shapes'].index({'none': '-', 'levelled': 'plateau'}.get(row['shape'], row['shape']))
                faults += [] if told[key] == wanted else [f'{key}: {told[key]}, not {wanted}']
        total, is_own = series['processes'][series['process']]['total'], not by_cum
        if is_own and [total[key] for key in ('slope', 'least', 'p')] != [theirs['total'][key] for key in ('slope', 'at_least', 'p')]:
            faults.append('another total')
    return faults or f'{len(held)} dumps of {len(told)} rows'


RISE = ('slope', 'least', 'p', 'sampling', 'q', 'shape', 'significant')
JSON_KEY = {'least': 'at_least', 'sampling': 'p_sampling'}


def trend_summary(page, inputs, options):
    text = re.search(rb'<script id="summary" type="application/json">(.*?)</script>', page, re.S)[1].decode('utf-8')
    summary = json.loads(text)
    theirs = rows_of_trend(*options, *inputs, full='--names=short')
    faults = [f'{"/".join(map(str, error.path))}: {error.message[:200]}' for error in SUMMARY.iter_errors(summary)]
    keys = ('first', 'last', 'slope', 'at_least', 'per', 'p', 'shape', 'significant')
    wanted = [[row[key] for key in ('name', 'class', *keys)] for row in theirs['rows'][:15]]
    ours = [[row[key] for key in ('name', 'class', *keys)] for row in summary['rows']]
    faults += [] if ours == wanted[:len(ours)] and ours else ['other rows']
    return faults + ([] if [summary['total'][key] for key in keys] == [theirs['total'][key] for key in keys] else ['another total'])


def trend_rows(document, report, inputs, options):
    """The static table has the rows of the command line, in its order."""
    theirs = without_nothing(rows_of_trend('-n15', *options, *inputs)['rows'][:15], lambda row: row['first'] == row['last'])
    rows = [element for element in document.all('tr') if 'data-name' in element['attrs']]
    ours = [report.key(int(row['attrs']['data-name'])) for row in rows]
    faults = [] if ours == [(row['name'], row['class']) for row in theirs] else [f'{ours[:3]}, not {theirs[:1]}']
    for key, wanted in (('shape', 'shape'), ('process', 'process')):
        cells = [cell['text'] for cell in document.all('td') if cell['attrs'].get('data-key') == key]
        words = {'none': '-', 'levelled': 'plateau'} if key == 'shape' else {}
        faults += [] if not cells or cells == [words.get(row[wanted], row[wanted]) for row in theirs] else [f'other cells of {key}']
    lines = [cell['text'] for cell in document.all('td') if cell['attrs'].get('data-key') == 'line']
    return faults + ([] if list(map(len, lines)) == [min(20, len(row['values'])) for row in theirs] else ['other lines'])


def all_of_trend(what, inputs, options):
    page = trend_of(*options, *inputs)
    data = data_of(page)
    document, report = Document(page.decode('utf-8')), Report(data)
    t.check(f'trend of {what}: the data matches the schema',
            lambda: [f'{"/".join(map(str, error.path))}: {error.message[:200]}' for error in SCHEMA.iter_errors(data)] +
            ([] if in_order(list(SCHEMA.schema['definitions']['top']['properties']), data) else ['in another order']))
    t.check(f'trend of {what}: the document is well-formed', lambda: well_formed(page, document) + policy_holds(page, document))
    t.check(f'trend of {what}: the table is the command line\'s', lambda: trend_rows(document, report, inputs, options))
    t.check(f'trend of {what}: the summary has the first rows', lambda: trend_summary(page, inputs, options))
    t.check(f'trend of {what}: the tree has the numbers of the data', lambda: tree_adds_up(document, Report(data)))
    t.check(f'trend of {what}: two orders give the same bytes',
            lambda: [] if page == trend_of('-j1', *options, *inputs[::-1]) else ['they differ'])
    t.check(f'trend of {what}: the numbers are the command line\'s', lambda: values_agree(report, inputs, options))


def in_order(keys, value):
    return list(value) == keys


def inert(page, document, report):
    """Thirty hostile names: none of their bytes acts as markup, all are unchanged in the data, and the static part
    shows them as text."""
    faults = policy_holds(page, document) + well_formed(page, document)
    strings = set(report.data['strings'])
    faults += [f'{name!r} is not in the data' for name in HOSTILE
               if name not in strings and name.replace('\ufffe', '\ufffd') not in strings]
    unsafe = re.compile('[\x00-\x09\x0b-\x1f\x7f\x80-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]')
    shown = ''.join(element['text'] for element in document.elements if element['attrs'].get('id') in ('head', 'main'))
    faults += [f'{found!r} is shown as it is' for found in set(unsafe.findall(shown))]
    body = page[page.index(b'<script id="data"'):]
    faults += [] if body.count(b'<') == 4 else ['markup in the data']
    return faults


PIECES = [*'<>&"\'`\\/-!=;:{}[]()$%#?*+ \t\n\r\0\x1b\x7f\x85\u200f\u2028\u2029\u202e\u2066\ufeff\uffff\U0001f4a3aZ09é',
          '</script', '<script>', '<!--', '-->', ']]>', '</style>', '&lt;', 'javascript:', 'onerror=', '\\u003c', '${', '</title>']


def random_names(folder):
    """10,000 names of functions and files, as many as there are samples."""
    rng, p = random.Random(21), Profile()
    names = sorted({''.join(rng.choices(PIECES, k=rng.randint(3, 12))) for _ in range(10500)})[:10000]
    rng.shuffle(names)
    p.texts += names
    for i, name in enumerate(names):
        p.sample([random_location(p, len(p.texts) - len(names) + i, 0x1000 + 16 * i)], [1, 1 << 20], 1 << 20)
    path = pathlib.Path(folder) / 'random.pb.gz'
    path.write_bytes(gzip.compress(p.bytes()))
    return path, names


def random_location(p, text, address):
    """One whose function and file are the same text, by its number."""
    function, location = p.new_id(), p.new_id()
    p.parts.append(message(5, number(1, function), number(2, text), number(4, text)))
    p.parts.append(message(4, number(1, location), number(3, address), message(4, number(1, function), number(2, 1))))
    return location


def nothing_random(folder):
    path, names = random_names(folder)
    page = page_of(NO_SYMBOLS, '-n0', path)
    document, report = Document(page.decode('utf-8')), Report(data_of(page))
    strings = set(report.data['strings'])
    lost = [name for name in names if name not in strings]
    return policy_holds(page, document) + well_formed(page, document) + [f'{name!r} is lost' for name in lost] + \
        ([] if len(document.all('tr')) == 10001 else [f'{len(document.all("tr"))} rows'])


# --- stacks that fold strangely -------------------------------------------------------------

# Addresses in an allocator, the C library, the program, another library, and nowhere.
MODULES = {'j': ('/usr/lib/libjemalloc.so.2', 0x10000000), 'c': ('/usr/lib/libc.so.6', 0x20000000),
           'a': ('/srv/app', 0x30000000), 'l': ('/usr/lib/libz.so.1', 0x40000000), '?': (None, 0x90000000)}
STACKS = ['j?a', 'jc?a', 'j', 'jj', 'c', 'cc', 'jc', '', '?', '??', '?ca', 'jca', 'jcla', 'jlca', 'aja', 'jaaca',
          'jc' + 'a' * 126, 'j' * 128, 'c' * 128, '?' * 128, 'jcl' + 'al' * 63 + 'c', 'j?c?a', 'lcl', 'jl']


def strange_dump(folder):
    lines, objects = ['heap_v2/4096', '  t*: {0}: {1} [0: 0]', '  t0: {0}: {1} [0: 0]'], 0
    for number, stack in enumerate(STACKS, 1):
        frames = ' '.join(hex(MODULES[kind][1] + 0x1000 + 16 * (i % 5)) for i, kind in enumerate(stack))
        counts = f'{number}: {160 * number} [0: 0]'
        lines += [f'@ {frames}'.rstrip(), f'  t*: {counts}', f'  t0: {counts}']
        objects += number
    lines += ['', 'MAPPED_LIBRARIES:'] + [f'{at:x}-{at + 0x100000:x} r-xp 00000000 08:01 1 {path}'
                                          for path, at in MODULES.values() if path]
    path = pathlib.Path(folder) / 'strange.heap'
    path.write_text('\n'.join(lines).format(objects, 160 * objects) + '\n', encoding='utf-8')
    return path


# --- all -----------------------------------------------------------------------------------


def all_of(what, inputs, options):
    page = page_of(*options, *inputs)
    data = data_of(page)
    document, report = Document(page.decode('utf-8')), Report(data)
    t.check(f'{what}: the data matches the schema',
            lambda: [f'{"/".join(map(str, error.path))}: {error.message[:200]}' for error in SCHEMA.iter_errors(data)] +
            ([] if in_order(list(SCHEMA.schema['definitions']['top']['properties']), data) else ['in another order']))
    t.check(f'{what}: the numbers are the command line\'s', lambda: agrees(report, inputs, options))
    t.check(f'{what}: the document is well-formed', lambda: well_formed(page, document))
    t.check(f'{what}: the policy allows only the parts of the page', lambda: policy_holds(page, document))
    t.check(f'{what}: the table is the text report\'s', lambda: same_rows(document, report, inputs, options))
    t.check(f'{what}: the summary has the first rows', lambda: summary_holds(page, inputs, options))
    t.check(f'{what}: the tree has the numbers of the data', lambda: tree_adds_up(document, report))


if len(sys.argv) > 3:
    for dump in sys.argv[3:]:
        all_of(pathlib.Path(dump).name, [dump], [NO_SYMBOLS])
    t.done()

all_of('C++', [CXX], [SYMBOLS])
all_of('several processes', PROCS, [SYMBOLS])
all_of('clang', [CLANG], [NO_SYMBOLS])
all_of('RocksDB', [ROCKSDB], [NO_SYMBOLS])
all_of('Go', [t.formats / 'go-protobuf.pb.gz'], [NO_SYMBOLS])
all_of('exact', [t.formats / 'jemalloc-lg0-accum.heap'], [NO_SYMBOLS])
for each in ('--hide=^std::', '--show=alloc', '--show-from=main', '--by=line', '--by=file', '--by=module', '--by=address',
             '--no-inlines', '--confidence=none', '--confidence=99', '--metric=inuse-objects', '--frames=no-libs', '--frames=no-alloc',
             '--frames=all', '--cum', '--sort=name', '--wrapper=leaf', '--estimator=none'):
    t.check(f'{each}: the data has the remaining stacks only', lambda: filtered([CXX], [SYMBOLS, each]))
t.check('the data names the options for objects and threads', lambda: [] if [
    data_of(page_of(NO_SYMBOLS, option, t.formats / name))['read'] for option, name in READ] == [[option] for option, _ in READ] else READ)
t.check('a page of a pprof sample type has the right numbers',
        lambda: filtered([t.testdata / 'pprof' / 'tcmalloc-heap.pb'],
                                                   [NO_SYMBOLS, '--metric=resident_space']))
with scratch() as scratch_folder:
    all_of('strange stacks', [strange_dump(scratch_folder)], [NO_SYMBOLS])
    for each in ('--hide=libc', '--show=app', '--show-from=libz', '--focus=truncated', '--ignore=truncated', '--show=.',
                 '--show=libjemalloc', '--hide=unmapped|truncated', '--keep-unmapped'):
        t.check(f'strange stacks with {each} have the right numbers',
                lambda: filtered([strange_dump(scratch_folder)], [NO_SYMBOLS, each]))
    hostile = hostile_profile(scratch_folder)
    hostile_page = page_of(NO_SYMBOLS, hostile)
    t.check('R12: thirty hostile names do nothing', lambda: inert(
        hostile_page, Document(hostile_page.decode('utf-8')), Report(data_of(hostile_page))))
    hostile_diff = diff_of(NO_SYMBOLS, PROCS[0], hostile)
    t.check('thirty hostile names do nothing in a diff', lambda: inert(
        hostile_diff, Document(hostile_diff.decode('utf-8')), Report(data_of(hostile_diff))))
    again = pathlib.Path(scratch_folder) / 'again.pb.gz'
    again.write_bytes(gzip.compress(gzip.decompress(hostile.read_bytes()) + number(9, 10 ** 18)))
    hostile_trend = trend_of(NO_SYMBOLS, hostile, again)
    t.check('thirty hostile names do nothing in a trend', lambda: inert(
        hostile_trend, Document(hostile_trend.decode('utf-8')), Report(data_of(hostile_trend))))
    t.check('10,000 random names do nothing', lambda: nothing_random(scratch_folder))
    called = pathlib.Path(scratch_folder) / '"><script>alert(1)<!--\u202e.heap'
    called.write_bytes(CXX.read_bytes())
    called_page = page_of(NO_SYMBOLS, called)
    t.check('a hostile name of an input does nothing',
            lambda: policy_holds(called_page, Document(called_page.decode('utf-8'))) +
            ([] if '\u202e' not in called_page.decode('utf-8') else ['it turns the text']))
all_of_diff('one process', [t.testdata / 'processes' / 'cx.7.heap.gz', t.testdata / 'processes' / 'cx.9.heap.gz'], [NO_SYMBOLS])
all_of_diff('RocksDB', [ROCKSDB.with_name('dbbench_lg15.18185.3.i3.heap.gz'), ROCKSDB.with_name('dbbench_lg15.18185.12.i12.heap.gz')],
            [NO_SYMBOLS])
all_of_diff('redis', [t.real / 'redis_lg13.27533.2.i2.heap.gz', t.real / 'redis_lg13.27533.9.i9.heap.gz'], [NO_SYMBOLS])
all_of_diff('fleets', [*PROCS[:2], '--to', *PROCS[2:]], [SYMBOLS])
all_of_diff('Go', [t.testdata / 'processes' / 't.1.pb.gz', t.testdata / 'processes' / 't.3.pb.gz'], [NO_SYMBOLS])
all_of_diff('objects', [t.testdata / 'processes' / 'cx.7.heap.gz', t.testdata / 'processes' / 'cx.9.heap.gz'],
            [NO_SYMBOLS, '--metric=inuse-objects'])
all_of_trend('redis', sorted(t.real.glob('redis_lg13.*')), [NO_SYMBOLS])
all_of_trend('RocksDB', sorted(t.real.glob('dbbench_lg15.*')), [NO_SYMBOLS, r'--time-from=\.(\d+)\.[if]\d*\.heap'])
all_of_trend('three dumps', sorted((t.testdata / 'processes').glob('cx.*')), [NO_SYMBOLS])
all_of_trend('objects', sorted((t.testdata / 'processes').glob('cx.*')), [NO_SYMBOLS, '--metric=inuse-objects', '--cum'])
all_of_trend('two processes', [*sorted(t.real.glob('redis_lg13.*')), *sorted(t.real.glob('mariadbd_lg14.*'))], [NO_SYMBOLS])
t.check('a diff by cum has the rows of the command', lambda: diff_rows(
    Document(diff_of('--cum', SYMBOLS, PROCS[0], PROCS[1]).decode('utf-8')), None, PROCS[:2], [SYMBOLS, '--cum']))
t.check('C++: functions of one name are distinguished as in the text report', lambda: [] if
        {'over(int)', 'over(char const*, int)'} <= set(Report(data_of(page_of(SYMBOLS, CXX))).short_names()) else ['they are not'])
def names_button():
    """Folded frames are shown by an option of the command, and by a button of a page."""
    dump = t.formats / 'jemalloc-cxx.heap'
    page, text = page_of(NO_SYMBOLS, dump).decode(), t.ok('top', '-v', NO_SYMBOLS, dump).out
    return [what for what, holds in (('the page', 'charged-to-callers: Frames no-alloc ' in page and 'charged-to-callers: --' not in page),
                                     ('the text', 'charged-to-callers: --frames=no-alloc ' in text)) if not holds]


t.check('the hint about folded frames names the button of the page', names_button)
t.check('two orders give the same bytes',
        lambda: [] if page_of(SYMBOLS, *PROCS) == page_of(SYMBOLS, '-j1', *PROCS[::-1])
        else ['they differ'])
t.done()

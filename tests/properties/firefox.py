#!/usr/bin/env python3
"""Firefox profiles are consistent, have the numbers of `top`, and their timelines add up."""
import collections
import json

from harness import METRICS, Tests, hostile_dump, scratch

t = Tests(is_coded=True)
PROCS = sorted((t.testdata / 'golden').glob('procs*.heap'))
CXX = t.testdata / 'golden' / 'cxx.heap'
SERIES = sorted((t.formats / 'series').glob('*.heap'))
SYMBOLS = f'--symbol-dir={t.root}'


def load(*args):
    return json.loads(t.ok('merge', '-q', '-ffirefox', *args).out_bytes)


def tables(profile):
    """(name, {column: rows}) of each."""
    shared = profile['shared']
    for name in ('stackTable', 'frameTable', 'funcTable', 'resourceTable', 'nativeSymbols',
                 'sources'):
        yield name, shared[name]
    for thread in profile['threads']:
        yield thread['name'], thread['samples']
    for counter in profile['counters']:
        yield counter['name'], counter['samples']


def references(profile):
    """(name, number, size of the table) of each reference."""
    shared = profile['shared']
    length = {name: shared[name]['length'] for name in shared if name != 'stringArray'}
    length['stringArray'] = len(shared['stringArray'])
    for table, column, target in (
            ('stackTable', 'frame', 'frameTable'), ('frameTable', 'func', 'funcTable'),
            ('funcTable', 'name', 'stringArray'), ('funcTable', 'resource', 'resourceTable'),
            ('funcTable', 'source', 'sources'), ('resourceTable', 'name', 'stringArray'),
            ('sources', 'filename', 'stringArray')):
        for number in shared[table][column]:
            if number not in (None, -1):
                yield f'{table}.{column}', number, length[target]
    for row, prefix in enumerate(shared['stackTable']['prefix']):
        if prefix is not None:
            yield 'stackTable.prefix', prefix, row
    for thread in profile['threads']:
        for number in thread['samples']['stack']:
            yield thread['name'], number, length['stackTable']


def shape(*args):
    profile = load(*args)
    faults = []
    for name, table in tables(profile):
        faults += [f'{name}.{column}: {len(rows)} rows instead of {table["length"]}'
                   for column, rows in table.items()
                   if isinstance(rows, list) and len(rows) != table['length']]
    faults += [f'{what}: {number} of {count}' for what, number, count in references(profile)
               if not 0 <= number < count]
    table = profile['shared']['stackTable']
    nodes = list(zip(table['frame'], table['prefix']))
    if len(set(nodes)) != len(nodes):
        faults.append('a stack is in its table twice')
    if len({thread['tid'] for thread in profile['threads']}) != len(profile['threads']):
        faults.append('two threads of one number')
    for thread in profile['threads']:
        times = thread['samples']['time']
        if times != sorted(times) or not times or times[0] != 0:
            faults.append(f'{thread["name"]}: times {times}')
    return faults


def functions_of(profile, stack):
    """The names along a stack, leaf first."""
    shared = profile['shared']
    names = []
    while stack is not None:
        function = shared['frameTable']['func'][shared['stackTable']['frame'][stack]]
        names.append(shared['stringArray'][shared['funcTable']['name'][function]])
        stack = shared['stackTable']['prefix'][stack]
    return names


def sums_of(profile, thread, until=None):
    """{stack of names: value} of the samples up to a time."""
    sums = collections.Counter()
    samples = thread['samples']
    for stack, time, weight in zip(samples['stack'], samples['time'], samples['weight']):
        if until is None or time <= until:
            sums[';'.join(reversed(functions_of(profile, stack)))] += weight
    return +sums


def functions(*args):
    profile = load(*args)
    faults = []
    for thread in profile['threads']:
        flat, cum = collections.Counter(), collections.Counter()
        for stack, value in sums_of(profile, thread).items():
            names = stack.split(';')
            flat[names[-1]] += value
            for name in set(names):
                cum[name] += value
        rows = t.table('--names=full', f'--metric={thread["name"]}', *args).rows()
        slack = thread['samples']['length']
        faults += [f'{thread["name"]} {name}: {flat[name]}, {cum[name]} instead of {f}, {c}'
                   for f, c, name in rows
                   if abs(flat[name] - f) > slack or abs(cum[name] - c) > slack]
        if abs(sum(flat.values()) - t.totals(*args[1:])[thread['name']]) > 0.501:
            faults.append(f'{thread["name"]}: total {sum(flat.values())}')
    wanted = [m for m, total in t.totals(*args[1:]).items() if total is not None]
    if sorted(thread['name'] for thread in profile['threads']) != sorted(wanted):
        faults.append('not the metrics that are known')
    return faults


def timeline(*options, times):
    """The sum of all samples up to a time is the dump of that time."""
    profile = load('--timeline', '--no-symbols', *options, *SERIES)
    faults = []
    for path, time in zip(SERIES, times):
        alone = load('--no-symbols', path)
        for thread, one in zip(profile['threads'], alone['threads']):
            if sums_of(profile, thread, time) != sums_of(alone, one):
                faults.append(f'{path.name}: other {thread["name"]}')
    counter = profile['counters'][0]['samples']
    held = [t.totals(path)['inuse-space'] for path in SERIES]
    drawn = [sum(counter['count'][:i + 1]) for i in range(len(SERIES))]
    if counter['time'] != times or any(abs(a - b) > 0.501 for a, b in zip(held, drawn)):
        faults.append(f'the counter has {drawn} at {counter["time"]}')
    return faults


def first_metric():
    threads = load('--no-symbols', '--metric=alloc-objects', *PROCS)['threads']
    names = [thread['name'] for thread in threads]
    return [] if names[0] == 'alloc-objects' and set(names) == set(METRICS) else names


def start():
    pattern = r'--time-from=\.(\d+)\.[if]\d*\.heap'
    meta = load('--timeline', '--no-symbols', pattern, *SERIES[2:])['meta']
    return [] if meta['startTime'] == 2000 else [f'{meta["startTime"]}']


def notes():
    meta = load('--estimator=none', '--no-symbols', *PROCS)['meta']
    values = [entry['value'] for entry in meta['extra'][0]['entries']]
    return [] if any('note-estimator-none' in value for value in values) else values


def hostile_names():
    with scratch() as folder:
        done = t.ok('merge', '-q', '-ffirefox', '--no-symbols', hostile_dump(t, folder))
    names = json.loads(done.out_bytes.decode('utf-8', 'strict'))['shared']['stringArray']
    faults = [f'byte {byte}' for byte in set(done.out_bytes) if byte < 0x20 and byte != 10]
    if 'script>;\x1b[31m\x07\ufffd\u202e\'#' not in names:
        faults.append(f'{names}')
    return faults


for what, arguments in (('C', (SYMBOLS, *PROCS)), ('C++', (SYMBOLS, CXX)),
                        ('a series', ('--timeline', SYMBOLS, *SERIES))):
    t.check(f'{what}: tables are consistent', lambda: shape(*arguments))
for what, arguments in (('C', (SYMBOLS, *PROCS)), ('C++', (SYMBOLS, CXX)),
                        ('a server', ('--no-symbols', t.real / 'redis_lg13.27533.13.f.heap.gz'))):
    t.check(f'{what}: functions have the values of top', lambda: functions(*arguments))
t.check('a timeline without times adds up',
        lambda: timeline(times=[i * 1000 for i in range(len(SERIES))]))
t.check('a timeline with times adds up',
        lambda: timeline(r'--time-from=(\d)\.[if]\d*\.heap',
                         times=[i * 1000 for i in range(len(SERIES))]))
t.check('a timeline starts when its first dump was made', start)
t.check('the requested metric comes first', first_metric)
t.check('the notes name the options of the numbers', notes)
t.check('hostile names are only names', hostile_names)
t.done()

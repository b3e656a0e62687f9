#!/usr/bin/env python3
"""Rows of threads are the estimates of the lines of the threads, by name if they have one; so are the labels in pprof
profiles, and --thread."""
import collections
import gzip
import json
import math
import pathlib
import re
import sys

from harness import Tests, near, read_text, scratch, unbias

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'interop'))
import profile_proto  # noqa: E402

t = Tests()
DUMPS = sorted([*t.formats.glob('jemalloc-*.heap'), *t.formats.glob('procs/*.heap'),
                *t.real.glob('mt64*'), *t.real.glob('mariadbd*'), *t.real.glob('redis*f.heap.gz')])
LINE = re.compile(r'  t(\d+): (\d+): (\d+) \[(\d+): (\d+)\](?: (.*))?$')


def threads_of(path):
    """Sums by jeprof's formula: {name or tN: [objects and bytes in use, the same allocated]}, and {number: name}."""
    names, lines, in_stack, period = {}, collections.defaultdict(list), False, 0
    for line in read_text(path).split('\n'):
        found = LINE.match(line)
        if line.startswith('MAPPED_LIBRARIES:'):
            break
        if line.startswith('heap_v2/'):
            period = int(line[8:])
        elif line.startswith('@'):
            in_stack = True
        elif found and in_stack:
            lines[int(found[1])].append([int(found[i]) for i in range(2, 6)])
        elif found and found[6]:
            names[int(found[1])] = found[6]
    sums = collections.defaultdict(lambda: [0.0] * 4)
    for number, counts in lines.items():
        parts = [(*unbias(c[0], c[1], period), *unbias(c[2], c[3], period)) for c in counts]
        row = sums[names.get(number, f't{number}')]
        for i in range(4):
            row[i] += math.fsum(part[i] for part in parts)
    return sums, names


def report_of(*args):
    report = json.loads(t.ok('top', '-n0', '-fjson', '--by=thread', '--no-symbols',
                             '--estimator=jeprof', *args).out)
    return {row['name']: row['flat'] for row in report['rows']}


METRICS = ('inuse-objects', 'inuse-space', 'alloc-objects', 'alloc-space')


def compare(title, rows, sums):
    faults = [f'{title}: {sorted(rows)}, not {sorted(sums)}'] if set(rows) != set(sums) else []
    for name in set(rows) & set(sums):
        for metric, want in zip(METRICS, sums[name]):
            cell = rows[name][metric]
            if cell is not None and not near(cell['estimate'], want, 1e-9, 0.001):
                faults.append(f'{title}: {name} {metric}: {cell["estimate"]}, not {want}')
    return faults


def alone(path):
    return compare(path.name, report_of('--damaged=use', path), threads_of(path)[0])


def together():
    """Threads of the same name are one row, over all processes."""
    paths = [path for path in DUMPS if 'thread' in path.name and 'newline' not in path.name]
    sums = collections.defaultdict(lambda: [0.0] * 4)
    for path in paths:
        for name, values in threads_of(path)[0].items():
            sums[name] = [a + b for a, b in zip(sums[name], values)]
    faults = [] if any(' ' in name for name in sums) else ['no name has a space']
    return faults + compare('all', report_of(*paths), sums)


def one_thread():
    path = t.formats / 'jemalloc-threadname.heap'
    sums, names = threads_of(path)
    faults = []
    for number in range(4):
        name = names.get(number, f't{number}')
        for asked in {name, str(number), f't{number}'}:
            out = t.ok('stacks', '-fjson', '--no-symbols', '--estimator=jeprof',
                       f'--thread={asked}', path).out
            got = json.loads(out)['total']['inuse-space']['estimate']
            if not near(got, sums[name][1], 1e-9, 0.001):
                faults.append(f'{asked}: {got}, not {sums[name][1]}')
    wrong = t.run('top', '--thread=worker', path, is_coded=True)
    return faults + ([] if wrong.code == 5 and 'nothing-of-thread: worker ' in wrong.err
                     else [f'{wrong.code}: {wrong.err}'])


def labels():
    """merge --by=thread labels the samples, and its output can be read again."""
    path = t.formats / 'jemalloc-threadname.heap'
    sums, names = threads_of(path)
    with scratch() as folder:
        out = pathlib.Path(folder) / 'out.pb.gz'
        t.ok('merge', '-q', '--by=thread', '--no-symbols', '--estimator=jeprof', '-o', out, path)
        again = {name: round(row['inuse-space']['estimate'])
                 for name, row in report_of(out).items()}
        found = collections.Counter()
        for sample in profile_proto.Profile(out).samples:
            of = {key: text for key, text, _, _ in sample.all_labels}
            if of.get('thread', '') != names.get(int(of['thread_id']), ''):
                return [f'{of}']
            found[of.get('thread', 't' + of['thread_id'])] += sample.values[-1]
    return [f'{name}: {found[name]} and {again[name]}, not {sums[name][1]}' for name in sums
            if abs(found[name] - sums[name][1]) > 2 or found[name] != again[name]]


def no_labels():
    path = t.formats / 'jemalloc-threadname.heap'
    with scratch() as folder:
        out = pathlib.Path(folder) / 'out.pb.gz'
        t.ok('merge', '-q', '--no-symbols', '-o', out, path)
        return [f'{s.all_labels}' for s in profile_proto.Profile(out).samples if s.all_labels]


def no_threads():
    result = t.run('top', '--by=thread', t.formats / 'go-text.heap', is_coded=True)
    return [] if result.code == 5 and 'no-input-has: threads' in result.err \
        else [f'{result.code}: {result.err}']


def told_alone():
    """Memory that --thread excludes is in no total, and the report says so."""
    dump = t.testdata / 'golden' / 'procs1.heap'
    other = t.testdata / 'golden' / 'procs4.heap'
    faults = []
    for report in (('top',), ('stacks',), ('tree',), ('peek', '.'), ('list', '.'), ('diff', other),
                   ('trend', other)):
        for thread in ((), ('--thread=alloc_c',)):
            args = (*report, *thread, f'--symbol-dir={t.root}', dump)
            out = t.codes(*args).out
            if ('read-thread alloc_c: read-thread-totals' in out or 'source-thread alloc_c' in out) != bool(thread):
                faults.append(f'{args}: {out[:500]}')
            value = json.loads(t.ok(*args, '-q', '-fjson').out).get('thread')
            if value != ('alloc_c' if thread else None):
                faults.append(f'{args}: {value}')
    for name in ('callgrind', 'speedscope', 'dhat', 'firefox'):
        out = t.ok(name, '-q', '--no-symbols', '--thread=alloc_c', dump).out
        faults += [] if 'read: only --thread=alloc_c' in out else [out[:500]]
    out = gzip.decompress(t.ok('pprof', '-q', '--no-symbols', '--thread=alloc_c', dump).out_bytes)
    faults += [] if b'read: only --thread=alloc_c' in out else ['pprof has no comment']
    out = t.ok('dot', '-q', '--no-symbols', '--thread=alloc_c', dump).out
    return faults + ([] if 'in use: 19.3 MiB of thread alloc_c' in out else [out[:500]])


def no_rows_of_none():
    """A dump without the thread has no row of no thread."""
    dumps = [t.testdata / 'golden' / f'procs{i}.heap' for i in (1, 4)]
    rows = report_of('--thread=worker 2', *dumps)
    return [] if list(rows) == ['worker 2'] else [f'{list(rows)}']


t.check(f'{len(DUMPS)} dumps: each row is the sum of the lines of its threads',
        lambda: t.in_parallel(alone, DUMPS))
t.check('threads of one name are one row, across processes', together)
t.check('--thread takes a name or a number', one_thread)
t.check('every report names the selected thread', told_alone)
t.check('an input without the thread has no row', no_rows_of_none)
t.check('merge --by=thread labels the samples', labels)
t.check('merge without --by=thread does not label the samples', no_labels)
t.check('dumps without threads are reported', no_threads)
t.done()

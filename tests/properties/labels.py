#!/usr/bin/env python3
"""Labels of pprof's samples: kept apart, added up by, written again; and values below zero."""
import collections
import gzip
import json
import pathlib
import random
import re
import sys

from harness import Tests, scratch
from profile_writer import Profile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'interop'))
import profile_proto  # noqa: E402

t = Tests(is_coded=True)
HOSTILE = '</script>\x1b[31m \u202e"\\\''
VALUES = {
    'tenant': ['a', 'b', 'b b', HOSTILE],
    'size': [(0, 'bytes'), (4096, 'bytes'), (-7, 'bytes'), ((1 << 63) - 1, 'bytes')],
    'shard': [1, 2, -3],
}


def shown(value):
    if isinstance(value, tuple):
        return f'{value[0]} {value[1]}'
    return str(value)


def make(seed):
    """A profile, and its samples as (function, bytes, labels)."""
    r = random.Random(seed)
    p = Profile(packed=r.random() < .5)
    functions = {name: p.location(0, 0, [(name, '', 0)]) for name in 'fgh'}
    samples = []
    for _ in range(60):
        labels = [(key, r.choice(values)) for key, values in VALUES.items() if r.random() < .7]
        if r.random() < .2:
            labels.append(('tenant', 'second'))
        r.shuffle(labels)
        name, size = r.choice('fgh'), r.randint(1, 1000)
        p.sample([functions[name]], [1, size], labels=labels)
        samples.append((name, size, labels))
    return p.bytes(seed), samples


def with_files(contents, function):
    with scratch() as folder:
        paths = [pathlib.Path(folder) / f'in{i}' for i in range(len(contents))]
        for path, content in zip(paths, contents):
            path.write_bytes(content)
        return function(paths, pathlib.Path(folder) / 'out.pb.gz')


def by_label(key, *paths, more=()):
    report = json.loads(t.ok('top', '-n0', '-fjson', '--no-symbols', f'--by=label:{key}', *more,
                             *paths).out)
    return {row['name']: round(row['flat']['inuse-space']['estimate']) for row in report['rows']}


def escaped(text):
    return text.replace('\x1b', '\\x1B').replace('\u202e', '\\u{202E}')


def sums_of(samples, key):
    """A sample with several values of a key counts for all of them together."""
    sums = collections.Counter()
    for _, size, labels in samples:
        texts = sorted({shown(value) for name, value in labels if name == key})
        sums[', '.join(texts) or '[no label]'] += size
    return dict(sums)


def rows():
    faults = []
    for seed in range(6):
        content, samples = make(seed)
        for key in VALUES:
            got = with_files([content], lambda paths, _: by_label(key, *paths))
            want = {escaped(name): size for name, size in sums_of(samples, key).items()}
            if {escaped(name): size for name, size in got.items()} != want:
                faults.append(f'{seed} {key}: {got}, not {want}')
    return faults


def decoded(path):
    profile = profile_proto.Profile(path)
    samples = collections.Counter()
    for sample in profile.samples:
        samples[tuple(profile.names(sample)), tuple(sorted(sample.all_labels))] += \
            sample.values[-1]
    return samples


def expected(samples):
    sums = collections.Counter()
    for name, size, labels in samples:
        texts = {(key, value, 0, '') if isinstance(value, str) else
                 (key, '', *(value if isinstance(value, tuple) else (value, '')))
                 for key, value in labels}
        sums[(name,), tuple(sorted(texts))] += size
    return sums


def written():
    """merge writes the labels that it read, of one and of several inputs, twice over."""
    faults = []
    contents, samples = zip(*map(make, range(3)))
    for first, last in ((0, 1), (0, 3)):
        want = expected([sample for part in samples[first:last] for sample in part])

        def roundtrip(paths, out):
            t.ok('merge', '-q', '-o', out, *paths)
            once = decoded(out)
            again = out.with_suffix('.again.pb.gz')
            t.ok('merge', '-q', '-o', again, out)
            return [f'{got - want} and {want - got}' for got in (once, decoded(again))
                    if got != want]

        faults += with_files(contents[first:last], roundtrip)
    return faults


def order():
    """The bytes are the same in any order of samples, labels and inputs, with any number of threads."""
    contents = [make(seed)[0] for seed in range(8)]

    def merge(paths, out):
        t.ok('merge', '-q', '-o', out, *paths)
        return gzip.decompress(out.read_bytes())

    want = with_files(contents, merge)
    r = random.Random(5)
    faults = []
    for i in range(12):
        r.shuffle(contents)
        jobs = f'-j{1 + i % 4}'
        if with_files(contents, lambda paths, out: merge([jobs, *paths], out)) != want:
            faults.append(f'{jobs}: other bytes')
    return faults


def not_kept():
    """Without a request for labels they are not kept: stacks that differ only in labels are one."""
    content, _ = make(1)
    out = with_files([content], lambda paths, _: t.ok('top', '-v', '--no-symbols', *paths).out)
    return [] if ' 3 stacks ' in out else [out]


def inputs_have_labels_too():
    """A sample's own label counts before that of its input."""
    content, samples = make(2)

    def read(paths, _):
        return by_label('tenant', *paths, more=['--label-from=in(?<tenant>[0-9])'])

    got = with_files([content], read)
    want = sums_of(samples, 'tenant')
    want['0'] = want.pop('[no label]')
    return [] if {escaped(k): v for k, v in got.items()} == \
        {escaped(k): v for k, v in want.items()} else [f'{got}, not {want}']


def threads():
    """Other writers use "thread", "thread_id" or both; Datadog "thread name" and "thread id"."""
    p = Profile()
    f = p.location(0, 0, [('f', '', 0)])
    p.sample([f], [1, 1], labels=[('thread', 'io'), ('thread_id', 7)])
    p.sample([f], [1, 2], labels=[('thread_id', 8)])
    p.sample([f], [1, 4], labels=[('thread_id', '9')])
    p.sample([f], [1, 8])
    p.sample([f], [1, 16], labels=[('thread name', 'main'), ('thread id', '70')])
    p.sample([f], [1, 32], labels=[('thread id', 71)])

    def read(paths, _):
        report = json.loads(t.ok('top', '-fjson', '--by=thread', *paths).out)
        found = {row['name']: row['flat']['inuse-space']['estimate'] for row in report['rows']}
        for thread in ('io', '7', 't7', '8', 't8', 't9', '9', 'main', '70', 't71'):
            report = t.ok('top', '-fjson', '--no-symbols', f'--thread={thread}', *paths).out
            found[thread, 'alone'] = json.loads(report)['total']['inuse-space']['estimate']
        return found

    got = with_files([p.bytes()], read)
    want = {'io': 1, 't8': 2, 't9': 4, '[no thread]': 8, ('io', 'alone'): 1, ('7', 'alone'): 1,
            ('t7', 'alone'): 1, ('8', 'alone'): 2, ('t8', 'alone'): 2, ('t9', 'alone'): 4,
            ('9', 'alone'): 4, 'main': 16, ('main', 'alone'): 16, ('70', 'alone'): 16, 't71': 32,
            ('t71', 'alone'): 32}
    return [] if got == want else [f'{got}, not {want}']


def skipped_difference():
    p = Profile(period=1 << 61)
    f = p.location(0, 0, [('f', '', 0)])
    p.sample([f], [-1, -100])
    p.sample([f], [1 << 62, 1 << 62])  # a number beyond all reason
    dump = t.formats / 'jemalloc-default-lg19.heap'
    with scratch() as folder:
        path = pathlib.Path(folder) / 'change.pb'
        path.write_bytes(p.bytes())

        def rows(*paths):
            run = t.run('top', '-n0', '-fjson', '--no-symbols', '--max-skipped=1', *paths)
            return run.code, json.loads(run.out)['rows']
        want, got = rows(dump), rows(dump, path)
    faults = [] if any(row['flat']['inuse-space']['low'] is not None for row in want[1]) \
        else ['no interval in the dump alone']
    return faults + ([] if got == (3, want[1]) else [f'{got[0]}: {got[1][:2]}'])


def difference():
    """A difference as `pprof -diff_base` writes it: signed, with a warning and without errors."""
    p = Profile()
    f, g = (p.location(0, 0, [(name, '', 0)]) for name in 'fg')
    p.sample([f], [3, 300], 100)
    p.sample([f], [-1, -100], 100, labels=[('pprof::base', 'true')])
    p.sample([g], [-2, -(1 << 40)], labels=[('pprof::base', 'true')])

    def read(paths, out):
        def top(metric):
            report = json.loads(t.ok('top', '-n0', '-fjson', '--no-symbols', f'--metric={metric}',
                                     *paths).out)
            return report, {row['name']: row for row in report['rows']}
        (report, sizes), (_, counts) = top('inuse-space'), top('inuse-objects')
        faults = [f'{name}: {sizes[name]}, {counts[name]}' for name, objects, size in
                  (('f', 2, 200), ('g', -2, -(1 << 40)))
                  if sizes[name]['delta'] != {'estimate': size, 'low': None, 'high': None}
                  or counts[name]['delta']['estimate'] != objects
                  or sizes[name]['grew']['estimate'] != max(size, 0)
                  or sizes[name]['shrank']['estimate'] != max(-size, 0)]
        if not any(re.search(r' input-negative:  4 ', one['text']) for one in report['warnings']):
            faults.append(f'{report["warnings"]}')
        total = t.totals(*paths)['inuse-space']
        faults += [] if total == 200 - (1 << 40) else [f'{total}']
        t.ok('merge', '-q', '-o', out, *paths)
        base = 'pprof::base', 'true', 0, ''
        want = collections.Counter({(('f',), (('bytes', '', 100, ''),)): 300})
        want[('f',), (('bytes', '', 100, ''), base)] = -100
        want[('g',), (base,)] = -(1 << 40)
        return faults + ([] if decoded(out) == want else [f'{decoded(out)}'])

    return with_files([p.bytes()], read)


def system_names():
    p = Profile()
    p.sample([p.location(0, 0, [('f(int)', 'f.cc', 3, '_Z1fi')])], [1, 8])
    p.sample([p.location(0, 0, [('', 'g.cc', 3, '_Z1gv')])], [1, 8])

    def read(paths, out):
        t.ok('merge', '-q', '-o', out, *paths)
        return profile_proto.Profile(out).system_names

    got = with_files([p.bytes()], read)
    want = {'f': '_Z1fi', 'g': '_Z1gv'}
    return [] if got == want else [f'{got}, not {want}']


t.check('rows by label are those of the samples', rows)
t.check('merge writes the labels that it read', written)
t.check('any order gives the same bytes', order)
t.check('labels are kept only on request', not_kept)
t.check('labels of inputs and of samples are combined', inputs_have_labels_too)
t.check('threads of other profilers are read', threads)
t.check('values below zero are kept', difference)
t.check('values below zero in a skipped profile do not affect the intervals of others',
        skipped_difference)
t.check('the names of the linker are kept', system_names)
t.done()

#!/usr/bin/env python3
"""Tests lifetime on series of real processes with a known history, and the inputs that it refuses.

redis has a stack that allocated a GiB and holds nothing at the end, and one that kept its memory and allocated
nothing. mariadbd has two dumps, which are too few for any turnover."""
import collections
import gzip
import json
import math
import pathlib
import random
import re

from harness import Tests, scratch

t = Tests(is_coded=True)
REDIS = [t.real / f'redis_lg13.27533.{i}.i{i}.heap.gz' for i in range(13)]
MARIADBD = [t.real / f'mariadbd_lg14.15432.{i}.i{i}.heap.gz' for i in (6, 12)]
RECENT = t.testdata / 'account/frag.recent.json.gz'
FRAG = t.testdata / 'account/frag.heap'
SERIES = sorted((t.formats / 'series').glob('*.heap'))


def rows(*args):
    return json.loads(t.ok('lifetime', '--no-symbols', '-fjson', '--by=address', '--cum', *args).out)['rows']


def temporary():
    """979 MiB allocated, nothing of it live; nothing in the last gap: no turnover."""
    faults = []
    found = [row for row in rows(*REDIS[3:]) if abs(row['allocated'] / 2**20 - 979.2) < .1]
    for row in found:
        alone = 1 - .05 ** (1 / row['samples'])  # none of this number of samples survives
        if not (abs(row['alive_at_most'] / alone - 1) < 1e-3 and row['alive_at_most'] < 1e-4
                and row['alive_at_least'] == 0 and row['verdict'] == 'temporary'):
            faults.append(row)
        if row['turnover'] is not None or row['no_turnover'] != 'pauses':
            faults.append(row)
    return faults or ([] if found else ['there is no such stack'])


def kept():
    """7.44 MiB held from the first dump to i10; nothing was allocated in any of the eight gaps."""
    found = [row for row in rows('--focus=redis', *REDIS[2:11])
             if abs(row['live'] / 2**20 - 7.44) < .02 and row['allocated'] < 1000]
    wrong = [row for row in found if row['no_turnover'] != 'pauses' or row['turnover'] is not None
             or row['alive_at_most'] is not None or row['verdict'] != '']
    return wrong or ([] if found else ['there is no such stack'])


def few():
    """Two dumps give no turnover, whatever they contain."""
    faults = []
    for files in REDIS[3:10:6], MARIADBD:
        found = rows(*files)
        faults += [row for row in found if row['no_turnover'] != 'few-dumps' or row['turnover'] is not None]
        faults += [] if found else [f'no rows of {files}']
    return faults


def words():
    """For dumps, no text uses the word lifetime, except to say that a number is none."""
    allowed = ('however long objects live', 'whatever lifetimes are', 'no lifetime;', 'mean lifetime can be many times this')
    faults = []
    for command in ['-ftext'], ['-fmarkdown'], ['-ftsv']:
        said = t.ok('lifetime', '--no-symbols', *command, *REDIS[3:]).out.replace('hprof-agg lifetime', '')
        for sentence in allowed:
            said = said.replace(sentence, '')
        faults += [f'{command}: {line}' for line in said.splitlines() if re.search('lifetime|live[sd]? (for|on)', line)]
    return faults


def ends():
    """Bytes that are live for certain and may be: ends are in order, verdicts follow from them alone."""
    faults = []
    for files in REDIS, REDIS[3:], REDIS[::6]:
        for row in rows(*files):
            low, high = row['alive_at_least'], row['alive_at_most']
            if low is None:
                faults += [row] if row['allocated'] > 0 and row['samples'] else []
                continue
            expected = 'temporary' if high <= .01 else 'kept' if low > .5 else ''
            if not 0 <= low <= high <= 1 or row['verdict'] != expected:
                faults.append(row)
            if (row['turnover'] is None) == (row['no_turnover'] == ''):
                faults.append(row)
    return faults


def seconds():
    """The lifetime in seconds is the time in which the process allocates a turnover."""
    dumps = [t.real / f'redis_lg13.27533.{i}.i{i}.heap.gz' for i in range(3, 13)]
    found = [row for row in rows(r'--time-from=27533\.(\d+)\.', *dumps) if row['turnover'] is not None]
    report = json.loads(t.ok('lifetime', '--no-symbols', '-fjson', r'--time-from=27533\.(\d+)\.', *dumps).out)
    total, span = report['total']['allocated'], report['seconds']
    wrong = [row for row in found if abs(row['turnover_seconds'] - row['turnover'] * span / total) > 1e-3 * span]
    return wrong or ([] if found and span == 9 else [f'{len(found)} rows, {span} seconds'])


def refusals():
    faults = []
    for code, words, args in (
            (5, 'lifetimes-need-dumps', [REDIS[0]]),
            (5, 'prof_accum', SERIES[:2]),
            (5, 'lifetimes-of-several', [REDIS[0], REDIS[3], *sorted(t.real.glob('mariadbd*'))[:2]]),
            (5, 'lifetimes-of-several', [REDIS[0], MARIADBD[1]]),
            (2, 'option-not-of-command: lifetime metric', ['--metric=alloc-space', *REDIS[:2]]),
            (2, 'option-not-of-command: lifetime estimator', ['--estimator=none', *REDIS[:2]]),
            (2, 'lifetimes-sampled', ['--confidence=none', *REDIS[:2]]),
            (2, 'rows-not-of-format: lifetime', ['--by=thread', *REDIS[:2]])):
        ended = t.run('lifetime', '--no-symbols', *args)
        if ended.code != code or words not in ended.err or ended.err.count('\n') > 2:
            faults.append(f'{ended}: {ended.code}, {ended.err}')
    return faults


def product_limit(records, period, of_bytes):
    """S at each time of death, by the definition, of (nanoseconds, whether it died, size)."""
    def weight(size):
        return (size if of_bytes else 1) / -math.expm1(-size / period)
    alive, steps = 1, []
    for time in sorted({time for time, died, _ in records if died}):
        risk = sum(weight(size) for lived, _, size in records if lived >= time)
        alive *= 1 - sum(weight(size) for lived, died, size in records if died and lived == time) / risk
        steps.append((time / 1e9, alive))
    return steps


def recent():
    """Medians are those of the product limit, by objects and by bytes; live, freed and ticks are counted."""
    data = json.loads(gzip.decompress(RECENT.read_bytes()))
    latest = max(max(r['alloc_time'], r.get('dalloc_time', 0)) for r in data['recent_alloc'])
    records = [(r.get('dalloc_time', latest) - r['alloc_time'], 'dalloc_time' in r, r['usize'])
               for r in data['recent_alloc']]
    total = json.loads(t.ok('lifetime', '--no-symbols', '-fjson', f'--recent={RECENT}', FRAG).out)['total']
    faults = [] if total['live'] == sum(not died for _, died, _ in records) == 372 else [total['live']]
    for key, share, of_bytes in ('median', .5, False), ('p90', .9, False), ('median_of_bytes', .5, True):
        reached = [time for time, alive in product_limit(records, 4096, of_bytes) if alive <= 1 - share]
        found = total[f'{key}_seconds']
        if (found is None) != (not reached) or (reached and abs(found / reached[0] - 1) > 1e-3):
            faults.append(f'{key}: {found}, {reached[:1]}')
    return faults


def of_a_map():
    """The rows are those of the dump that has the same map; a file that is no map of the process is refused."""
    _, _, rows = FRAG.read_bytes().partition(b'MAPPED_LIBRARIES:\n')
    moved = rows.replace(b'7ff5', b'1ff5').replace(b'55b3', b'15b3')
    faults = []
    with scratch() as folder:
        maps = pathlib.Path(folder) / 'app.maps'

        def told(*args):
            return json.loads(t.ok('lifetime', '--no-symbols', '-fjson', f'--recent={RECENT}', *args).out)

        for packed in (rows, gzip.compress(rows)):
            maps.write_bytes(packed)
            if [told(maps)[key] for key in ('rows', 'total')] != [told(FRAG)[key] for key in ('rows', 'total')]:
                faults.append('other rows than beside the dump')
        for words, content in (('recent-of-other-process', moved), ('not-a-profile-but-text', b'7ff5-7ff6 r-xp\n'), ('empty', b''),
                               ('not-a-profile-but-text', b'7ff5\n' + rows)):
            maps.write_bytes(content)
            ended = t.run('lifetime', '--no-symbols', f'--recent={RECENT}', maps)
            if ended.code != 5 or words not in ended.err:
                faults.append(f'{words}: {ended.code}, {ended.err}')
        maps.write_bytes(rows)
        ended = t.run('top', '--no-symbols', maps)
        faults += [] if ended.code == 5 and 'file-maps' in ended.err else [f'top: {ended.code}, {ended.err}']
    return faults


def pairs():
    """With random records: the two most frequent stacks of a row, and the largest batch of frees."""
    data = json.loads(gzip.decompress(RECENT.read_bytes()))
    freed = next(r['dalloc_trace'] for r in data['recent_alloc'] if 'dalloc_trace' in r)
    traces = [data['recent_alloc'][0]['alloc_trace'], freed, data['recent_alloc'][0]['alloc_trace'][2:], freed[1:]]
    names, faults = {}, []
    for seed in range(6):
        rng = random.Random(seed)
        records = []
        for _ in range(60):
            dies, born = rng.random() < .7, 4000000 * rng.randrange(3, 9)
            records.append({'size': 90, 'usize': 96, 'released': dies, 'alloc_thread_uid': 0, 'alloc_time': born,
                            'alloc_trace': rng.choice(traces)} | ({
                                'dalloc_thread_uid': 0, 'dalloc_time': born + 4000000 * rng.randrange(-1, 3),
                                'dalloc_trace': rng.choice(traces)} if dies else {}))
        dead = [r for r in records if r['released']]
        counted = collections.Counter((tuple(r['alloc_trace']), tuple(r['dalloc_trace'])) for r in dead)
        batches = collections.Counter((tuple(r['dalloc_trace']), r['dalloc_time']) for r in dead if r['dalloc_time'] >= r['alloc_time'])
        with scratch() as folder:
            path = pathlib.Path(folder) / 'a.json'
            path.write_text(json.dumps(data | {'recent_alloc': records}))
            args = ('lifetime', '--no-symbols', '--frames=all', '--by=address', f'--recent={path}', FRAG)
            told, text = json.loads(t.ok(*args, '-fjson').out)['total'], t.ok(*args, '--pairs', '-n0').out
        most = max(counted.values())
        if (told['pair'], told['largest_batch'], told['batches']) != (most, max(batches.values()), len(batches)):
            faults.append(f'{seed}: {told}, not {most}, {max(batches.values())}, {len(batches)}')
        first = {(names.setdefault(told['alloc_stack'], a), names.setdefault(told['free_stack'], f)) == (a, f)
                 and told['alloc_stack'].count(';') + 1 == len(a) and told['free_stack'].count(';') + 1 == len(f)
                 for (a, f), count in counted.items() if count == most}
        faults += [] if True in first else [f'{seed}: {told}']
        faults += [] if re.search(rf'^ +{most:,} of [\d,]+ were allocated by', text, re.M) else [f'{seed}: no {most}']
        for below in (*told['alloc_stack'].split(';'), *told['free_stack'].split(';')):
            faults += [] if below in text.partition('and freed by')[2] else [f'{seed}: no {below}']
    return faults


def recent_refusals():
    """Refuses files that are truncated, of another kind, of another process or period, or without a map."""
    text = gzip.decompress(RECENT.read_bytes()).decode()
    faults = []
    with scratch() as folder:
        bad, dump = pathlib.Path(folder) / 'bad.json', pathlib.Path(folder) / 'a.heap'
        dump.write_bytes(FRAG.read_bytes().split(b'MAPPED_LIBRARIES')[0] + b'MAPPED_LIBRARIES:\n')
        for code, words, content, args in (
                (5, 'json-cut', text[:1000], [FRAG]),
                (5, 'JSON of something else', '{}', [FRAG]),
                (5, 'recent-period-differs: 8192 ', text.replace('"sample_interval":4096', '"sample_interval":8192'), [FRAG]),
                (5, 'recent-of-other-process', text.replace('0x7ff5', '0x1ff5').replace('0x55b3', '0x15b3'), [FRAG]),
                (5, 'recent-needs-map', text, [dump]),
                (5, 'No such file', None, [FRAG]),
                (2, 'recent-stdin', text, ['-']),
                (2, 'recent-of-one-dump', text, [FRAG, REDIS[0]])):
            bad.unlink(missing_ok=True)
            if content is not None:
                bad.write_text(content)
            ended = t.run('lifetime', '--no-symbols', f'--recent={bad}', *args)
            if ended.code != code or words not in ended.err or ended.err.count('\n') != 1:
                faults.append(f'{words}: {ended.code}, {ended.err}')
    return faults


t.check('lifetime: objects that were allocated and freed are temporary', temporary)
t.check('lifetime: stacks that allocated nothing in the window have no turnover', kept)
t.check('lifetime: two dumps give no turnover', few)
t.check('lifetime: reports of dumps do not use the word lifetime', words)
t.check('lifetime: bounds, verdicts and reasons agree', ends)
t.check('lifetime: seconds are those of the process', seconds)
t.check('lifetime: unsuitable inputs are rejected', refusals)
t.check('lifetime: the curve of prof_recent is the product limit', recent)
t.check('lifetime: allocating and freeing stacks are shown in pairs', pairs)
t.check('lifetime: a memory map replaces a dump', of_a_map)
t.check('lifetime: unsuitable files of prof_recent are rejected', recent_refusals)
t.done()

#!/usr/bin/env python3
"""What lifetime says of series of real processes whose courses are known, and what it refuses.

Of redis: a stack that allocated a GiB and holds nothing in the end, and one that held what it had while it
allocated nothing.  Of mariadbd: two dumps, which are too few for any turnover."""
import json

from harness import Tests

t = Tests()
REDIS = [t.real / f'redis_lg13.27533.{i}.i{i}.heap.gz' for i in range(13)]
SERIES = sorted((t.formats / 'series').glob('*.heap'))


def rows(*args):
    return json.loads(t.ok('lifetime', '--no-symbols', '-fjson', '--by=address', '--cum', *args).out)['rows']


def temporary():
    """979 MiB allocated, nothing of it live; nothing in the last gap: no turnover."""
    faults = []
    found = [row for row in rows(*REDIS[3:]) if abs(row['allocated'] / 2**20 - 979.2) < .1]
    for row in found:
        alone = 1 - .05 ** (1 / row['samples'])  # nothing of so many samples
        if not (abs(row['alive_at_most'] / alone - 1) < 1e-3 and row['alive_at_most'] < 1e-4
                and row['alive_at_least'] == 0 and row['verdict'] == 'temporary'):
            faults.append(row)
        if row['turnover'] is not None or row['no_turnover'] != 'pauses':
            faults.append(row)
    return faults or ([] if found else ['there is no such stack'])


def kept():
    """7.44 MiB held from the first dump to i10; of eight gaps nothing was allocated in any."""
    found = [row for row in rows('--focus=redis', *REDIS[2:11])
             if abs(row['live'] / 2**20 - 7.44) < .02 and row['allocated'] < 1000]
    wrong = [row for row in found if row['no_turnover'] != 'pauses' or row['turnover'] is not None
             or row['alive_at_most'] is not None or row['verdict'] != '']
    return wrong or ([] if found else ['there is no such stack'])


def few():
    """Whatever two dumps say, it is no turnover."""
    wrong = [row for row in rows(*REDIS[3:10:6]) if row['no_turnover'] != 'few-dumps' or row['turnover'] is not None]
    return wrong


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
    """As long as the process takes to allocate a turnover."""
    dumps = [t.real / f'redis_lg13.27533.{i}.i{i}.heap.gz' for i in range(3, 13)]
    found = [row for row in rows(r'--time-from=27533\.(\d+)\.', *dumps) if row['turnover'] is not None]
    report = json.loads(t.ok('lifetime', '--no-symbols', '-fjson', r'--time-from=27533\.(\d+)\.', *dumps).out)
    total, span = report['total']['allocated'], report['seconds']
    wrong = [row for row in found if abs(row['turnover_seconds'] - row['turnover'] * span / total) > 1e-3 * span]
    return wrong or ([] if found and span == 9 else [f'{len(found)} rows, {span} seconds'])


def refusals():
    faults = []
    for code, words, args in (
            (5, 'two dumps', [REDIS[0]]),
            (5, 'prof_accum', SERIES[:2]),
            (5, 'of one process', [REDIS[0], REDIS[3], *sorted(t.real.glob('mariadbd*'))[:2]]),
            (2, '--metric', ['--metric=alloc-space', *REDIS[:2]]),
            (2, '--no-unbias', ['--no-unbias', *REDIS[:2]]),
            (2, '--no-error', ['--no-error', *REDIS[:2]]),
            (2, 'rows of', ['--by=thread', *REDIS[:2]])):
        ended = t.run('lifetime', '--no-symbols', *args)
        if ended.code != code or words not in ended.err or ended.err.count('\n') > 2:
            faults.append(f'{ended}: {ended.code}, {ended.err}')
    return faults


t.check('lifetime: what was allocated and is gone', temporary)
t.check('lifetime: what is held and was not allocated in the window', kept)
t.check('lifetime: two dumps tell no turnover', few)
t.check('lifetime: ends, verdicts and reasons agree', ends)
t.check('lifetime: seconds are those of the process', seconds)
t.check('lifetime: what it refuses', refusals)
t.done()

#!/usr/bin/env python3
"""Every format has the values of `top`, function by function, of every real dump and of corpus
programs with symbols: what a stack's leaf has is flat, what passes a function is cum, flat adds up
to the total, which is that of the dump, and nothing is more than it."""
import json
import re

from harness import Tests
from reports import Callgrind, cases, compare, difference, reference, stack_sums

t = Tests()
METRICS_IN_ORDER = ('inuse-space', 'inuse-objects', 'alloc-space', 'alloc-objects')


def folded(wanted, *args):
    faults = []
    for metric, sums in wanted.items():
        out = t.ok('folded', '-q', '--names=full', f'--metric={metric}', *args)
        faults += [f'{metric}: {fault}' for fault in compare(stack_sums(out.folded()), sums)]
    return faults


EVENTS = {'inuse-space': 'InuseBytes', 'inuse-objects': 'InuseObjects',
          'alloc-space': 'AllocBytes', 'alloc-objects': 'AllocObjects'}


def callgrind(wanted, *args):
    graph = Callgrind(t.ok('callgrind', '-q', *args).out)
    faults = graph.faults
    if sorted(graph.events) != sorted(EVENTS[metric] for metric in wanted):
        faults.append(f'{graph.events}')
    for metric, sums in wanted.items():
        got, single = graph.sums(EVENTS[metric])
        faults += [f'{metric}: {fault}' for fault in compare(got, sums, single)]
    return faults


def is_tree(samples):
    """Whether stacks with equal beginnings are adjacent, so that a drawing from left to right has each box in one
    piece."""
    begun = set()
    for before, sample in zip([[]] + samples, samples):
        for depth in range(1, len(sample) + 1):
            prefix = tuple(sample[:depth])
            if prefix in begun and before[:depth] != sample[:depth]:
                return False
            begun.add(prefix)
    return True


def speedscope_sums(report):
    """{name of a profile: its Sums}, and what is wrong with the file."""
    frames, found, faults = report['shared']['frames'], {}, []
    if len({json.dumps(frame) for frame in frames}) != len(frames):
        faults.append('a frame is there twice')
    for profile in report['profiles']:
        weights = profile['weights']
        stacks = zip(profile['samples'], weights, strict=True)
        found[profile['name']] = stack_sums(
            ([frames[i]['name'] for i in sample], weight) for sample, weight in stacks)
        if 0 in weights or profile['endValue'] != sum(weights):
            faults.append(f'{profile["name"]}: weights {weights[:9]} up to {profile["endValue"]}')
        faults += [] if is_tree(profile['samples']) else [f'{profile["name"]}: no order of a tree']
    return found, faults


def speedscope(wanted, *args):
    found, faults = speedscope_sums(json.loads(t.ok('speedscope', '-q', '--names=full', *args).out_bytes))
    if list(found) != [metric for metric in METRICS_IN_ORDER if metric in wanted]:
        faults.append(f'profiles: {list(found)}')
    for metric, sums in wanted.items():
        faults += [f'{metric}: {fault}' for fault in compare(found[metric], sums)]
    return faults


POINT_KEYS = {'inuse-space': 'eb', 'inuse-objects': 'ebk', 'alloc-space': 'tb', 'alloc-objects': 'tbk'}


def dhat(wanted, *args):
    report = json.loads(t.ok('dhat', '-q', *args).out_bytes)
    names = [re.fullmatch(r'0x[0-9a-f]+: (.*) \(.*\)|\[root\]', frame)[1] for frame in report['ftbl']]
    used = {frame for point in report['pps'] for frame in point['fs']}
    faults = [] if used == set(range(1, len(names))) else ['frames that are in no stack']
    if len({tuple(point['fs']) for point in report['pps']}) != len(report['pps']):
        faults.append('a stack is there twice')
    for metric, sums in wanted.items():
        got = stack_sums(([names[frame] for frame in reversed(point['fs'])],
                          point[POINT_KEYS[metric]]) for point in report['pps'])
        faults += [f'{metric}: {fault}' for fault in compare(got, sums)]
    return faults


def speedscope_difference(base, new, *args):
    found, faults = speedscope_sums(json.loads(t.ok('diff', '-q', '-fspeedscope', *args).out_bytes))
    grew, shrank = found['grew'], found['shrank']
    for kind in ('flat', 'cum'):
        old, now = getattr(base, kind), getattr(new, kind)
        for name in old | now:
            change = getattr(grew, kind)[name] - getattr(shrank, kind)[name]
            if abs(change - (now[name] - old[name])) > 2 * base.cum_stacks[name]:
                faults.append(f'{name}: {kind} {change} instead of {now[name] - old[name]}')
    if abs(grew.total - shrank.total - (new.total - base.total)) > 1.01:
        faults.append(f'total {grew.total} - {shrank.total}')
    return faults


def callgrind_difference(base, new, *args):
    graph = Callgrind(t.ok('diff', '-q', '-fcallgrind', *args).out)
    faults = graph.faults
    got = {event: graph.sums(event) for event in ('New', 'Old', 'Grew', 'Shrank')}
    for event, sums in (('Old', base), ('New', new)):
        faults += [f'{event}: {fault}' for fault in compare(*got[event][:1], sums, got[event][1])]
    for name in graph.sums('New')[0].cum:
        for kind in ('flat', 'cum'):
            New, Old, Grew, Shrank = (getattr(sums, kind)[name] for sums, _ in got.values())
            if New - Old != Grew - Shrank or (Grew == 0 and New > Old):
                faults.append(f'{name}: {kind} {Old} to {New}, but grew by {Grew} - {Shrank}')
    return faults


FORMATS = {'folded': folded, 'callgrind': callgrind, 'speedscope': speedscope,
           'dhat': dhat}

for what, options, inputs in cases(t):
    exact = reference(t, *options, *inputs)
    for name, test in FORMATS.items():
        t.check(f'{name}, {what}: flat, cum and total', lambda: test(exact, *options, *inputs))

def difffolded(base, new, *args):
    lines = [line.rsplit(' ', 2) for line in t.ok('diff', '-q', '-fdifffolded', *args).out.splitlines()]
    faults = [] if len({stack for stack, _, _ in lines}) == len(lines) else ['a stack has two lines']
    for column, sums in ((1, base), (2, new)):
        stacks = ((line[0].split(';'), int(line[column])) for line in lines)
        faults += [f'column {column}: {fault}' for fault in compare(stack_sums(stacks), sums)]
    return faults


DIFFERENCES = {'callgrind': callgrind_difference, 'difffolded': difffolded,
               'speedscope': speedscope_difference}
GOLDEN = t.testdata / 'golden'
REDIS = sorted(t.real.glob('redis*.gz'))
for what, options, base, new in (
        ('two processes', (f'--symbol-dir={t.root}',), [GOLDEN / 'procs1.heap'],
         [GOLDEN / 'procs4.heap']),
        ('what has shrunk', (f'--symbol-dir={t.root}',), [GOLDEN / 'procs4.heap'],
         [GOLDEN / 'procs1.heap']),
        ('filtered', (f'--symbol-dir={t.root}', '--focus=leaf', '--hide=^main$'),
         [GOLDEN / 'procs1.heap'], [GOLDEN / 'procs4.heap']),
        ('averages', ('--no-symbols', '--dumps=sum'), REDIS[:3], REDIS[-2:])):
    sides = difference(t, options, base, new)
    for name, test in DIFFERENCES.items():
        t.check(f'{name} of a diff, {what}: both sides, and what has changed',
                lambda: test(*sides, *options, *base, '--to', *new))
t.done()

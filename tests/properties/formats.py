#!/usr/bin/env python3
"""Every format has the values of `top`, function by function, of every real dump and of corpus
programs with symbols: what a stack's leaf has is flat, what passes a function is cum, flat adds up
to the total, which is that of the dump, and nothing is more than it."""
from harness import Tests
from reports import Callgrind, cases, compare, difference, reference, stack_sums

t = Tests()


def folded(wanted, *args):
    faults = []
    for metric, sums in wanted.items():
        out = t.ok('folded', '-q', f'--metric={metric}', *args)
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


FORMATS = {'folded': folded, 'callgrind': callgrind}

for what, options, inputs in cases(t):
    exact = reference(t, *options, *inputs)
    for name, test in FORMATS.items():
        t.check(f'{name}, {what}: flat, cum and total', lambda: test(exact, *options, *inputs))

DIFFERENCES = {'callgrind': callgrind_difference}
GOLDEN = t.testdata / 'golden'
REDIS = sorted(t.real.glob('redis*.gz'))
for what, options, base, new in (
        ('two processes', (f'--symbol-dir={t.root}',), [GOLDEN / 'procs1.heap'],
         [GOLDEN / 'procs4.heap']),
        ('what has shrunk', (f'--symbol-dir={t.root}',), [GOLDEN / 'procs4.heap'],
         [GOLDEN / 'procs1.heap']),
        ('averages', ('--no-symbols',), REDIS[:3], REDIS[-2:])):
    sides = difference(t, options, base, new)
    for name, test in DIFFERENCES.items():
        t.check(f'{name} of a diff, {what}: both sides, and what has changed',
                lambda: test(*sides, *options, *base, '--to', *new))
t.done()

#!/usr/bin/env python3
"""Dumps of real programs: in every report the flat values add up to the total, none is
above it, and with --estimator=jeprof the totals are those of another program to 1e-9.
"""
from harness import METRICS, Dump, Tests, near

t = Tests()
FILES = sorted(t.real.glob('*.gz'))


def compat(path):
    want = Dump(path).jeprof_totals()
    got = t.totals('--estimator=jeprof', path)
    return [f'{path.name}: {metric} {got[metric]}, expected {want[metric]:.3f}'
            for metric in METRICS
            if not near(got[metric] or 0.0, want[metric], 1e-9, 0.001)]


def tables(path):
    totals = t.totals(path)
    faults = []
    for metric in METRICS:
        total = totals[metric]
        rows = t.table('--no-symbols', f'--metric={metric}', path).rows() if total else []
        flat = sum(row[0] for row in rows)
        # Each row is rounded separately.
        if abs(flat - (total or 0)) > len(rows) / 2 + 1:
            faults.append(f'{path.name}: {metric}: flat values give {flat}, total {total}')
        faults += [f'{path.name}: {metric}: {name} has cum {cum}, flat {own}, total {total}'
                   for own, cum, name in rows if not own <= cum <= total + 0.5]
    return faults


def folded(path):
    totals = t.totals(path)
    faults = []
    for metric in METRICS:
        total = totals[metric]
        if not total:
            continue
        stacks = t.ok('merge', '--format=folded', '--no-symbols', f'--metric={metric}',
                      path).folded()
        value = sum(number for _, number in stacks)
        if abs(value - total) > 0.5005:
            faults.append(f'{path.name}: {metric}: stacks give {value}, total {total}')
    return faults


def merged():
    parts = [t.totals(path) for path in FILES]
    whole = t.totals('--dumps=sum', *FILES)
    return [f'{metric}: {whole[metric]}, the sum of the parts is {want}'
            for metric in METRICS
            for want in [sum(part[metric] or 0 for part in parts)]
            if not near(whole[metric], want, 1e-12, 0.001 * len(FILES))]


title = f'{len(FILES)} dumps of real programs, 4 metrics: '
t.check(title + 'totals with --estimator=jeprof to 1e-9', lambda: t.in_parallel(compat, FILES))
t.check(title + 'flat adds up to the total, cum is never above it',
        lambda: t.in_parallel(tables, FILES))
t.check(title + 'folded stacks add up to the rounded total',
        lambda: t.in_parallel(folded, FILES))
t.check(f'the totals of all {len(FILES)} dumps merged are the sums', merged)
t.done()

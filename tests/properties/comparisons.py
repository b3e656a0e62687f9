#!/usr/bin/env python3
"""Tests diff, trend, --columns=spread and --fail-if on inputs with missing information."""
import json
from pathlib import Path
import re

from harness import Tests, scratch
from profile_writer import Profile

t = Tests(is_coded=True)
BYTES = (('inuse_space', 'bytes'),)
BOTH = (('inuse_objects', 'count'), ('inuse_space', 'bytes'))
ALLOC = (('alloc_objects', 'count'), ('alloc_space', 'bytes'))


def run(*args):
    return t.run(*args, '--no-symbols')


def report(*args):
    return json.loads(run(*args, '-fjson').out)


def profile(path, types, *values, period=1024):
    p = Profile(types, period)
    app = p.mapping('/srv/app', 0x400000, 0x600000)
    if values:
        p.sample([p.location(0x401000, app, [('main', 'main.c', 10)])], values)
    path.write_bytes(p.bytes())
    return path


def untold_is_not_zero():
    faults = []
    with scratch() as folder:
        folder = Path(folder)
        space = profile(folder / 'space', BYTES, 50_000_000)
        both = profile(folder / 'both', BOTH, 50_000, 50_000_000)
        alloc = profile(folder / 'alloc', ALLOC, 50_000, 50_000_000)
        off = t.formats / 'gperftools-heap_v2-nosampling.heap'
        plain, accum = t.formats / 'jemalloc-lg0.heap', t.formats / 'jemalloc-lg0-accum.heap'
        for metric, without, other, what in (
                ('inuse-objects', space, both, 'how many objects there are'),
                ('inuse-space', alloc, both, 'what is in use'),
                ('alloc-space', plain, accum, 'what was allocated and freed (prof_accum)'),
                ('inuse-space', off, plain, 'anything, not even a sample period')):
            for command in ('diff', 'trend'):
                for paths in ((without, other), (other, without)):
                    got = run(command, f'--metric={metric}', '--fail-if=growth>1', *paths)
                    sentence = f'{without}: accum-missing: {what}\n'
                    if got.code != 5 or got.out or not got.err.endswith(sentence):
                        faults.append(f'{got}: {got.code}, {got.out}{got.err}')
        told = run('diff', '--metric=inuse-space', space, both)
        faults += [] if told.code == 0 else [f'{told}: {told.err}']
    return faults


def nothing_sampled_is_told():
    with scratch() as folder:
        empty = profile(Path(folder) / 'empty', BOTH)
        both = profile(Path(folder) / 'both', BOTH, 50_000, 50_000_000)
        got = report('diff', empty, both)
    return [] if got['total']['base']['estimate'] == 0 else [str(got['total'])]


def objects_that_no_input_tells():
    with scratch() as folder:
        space = profile(Path(folder) / 'space', BYTES, 50_000_000)
        both = profile(Path(folder) / 'both', BOTH, 50_000, 50_000_000)
        alone = run('top', '--metric=inuse-objects', space)
        summed = run('top', '--metric=inuse-objects', space, both)
    if alone.code != 5 or alone.out or 'no-objects-known' not in alone.err:
        return [f'{alone.code}: {alone.out}{alone.err}']
    return [] if summed.code == 0 and ' 50,000 ' in summed.out else [summed.out + summed.err]


def differences_are_no_sides():
    """The inputs of a difference of two profiles are unknown."""
    base, new = (t.testdata / 'golden' / f'procs{n}.heap' for n in (1, 4))
    faults = []
    with scratch() as folder:
        difference = Path(folder) / 'difference.pb.gz'
        run('diff', base, new, '-o', difference)
        for args in (['diff', difference, new], ['diff', base, difference],
                     ['diff', difference, difference, '--on-duplicate=count'],
                     ['diff', '--fail-if=growth>5%', difference], ['top', '--columns=spread', difference],
                     ['diff', '--fail-if=growth>1', difference], ['top', difference, base],
                     ['trend', difference, difference, '--on-duplicate=count'],
                     ['lifetime', difference], ['top', '--by=input', difference],
                     ['top', '--by=size', difference], ['tree', '--min-share=1', difference],
                     ['merge', '--timeline', '-ffirefox', difference]):
            got = run(*args)
            if got.code != 5 or got.out or not re.search('signs-no-|difference', got.err):
                faults.append(f'{args}: {got.code}: {got.out[:99]}{got.err}')
        plain = run('diff', base)
    return faults + ([] if plain.code == 2 else [f'{plain.code}: {plain.err}'])


def spreads_of(*args):
    rows = [row['spread'] for row in report('top', '--columns=spread', *args)['rows']]
    text = run('top', '-q', '--columns=spread', '-n0', *args).out.partition('\n\n')[2]
    shown = [line.split() for line in text.splitlines()[1:] if line[0] in ' -']
    return {row['sd'] is None for row in rows}, {row['p'] is None for row in rows}, shown


def spread_that_is_not_known():
    one, two = (t.testdata / 'golden' / f'procs{n}.heap' for n in (1, 4))
    faults = []
    for args in ([one], [one, two, '--estimator=none']):
        sd, p, shown = spreads_of(*args)
        dashes = [row[-3:-1] == ['-', '-'] for row in shown]
        if (sd, p) != ({True}, {True}) or not dashes or not all(dashes):
            faults.append(f'{args}: {sd}, {p}, {shown}')
    for args in ([one, two], [one, two, '--confidence=none']):
        sd, p, _ = spreads_of(*args)
        if False not in sd or False not in p:
            faults.append(f'{args}: {sd}, {p}')
    return faults


def dump(path, objects, size, maps=''):
    path.write_text(f'heap_v2/524288\n  t*: {objects}: {objects * size} [0: 0]\n@ 0x401000\n'
                    f'  t*: {objects}: {objects * size} [0: 0]\n\nMAPPED_LIBRARIES:\n{maps}')
    return path


def what_cannot_be_used_is_on_no_side():
    """Unusable inputs of both sides must not share the memory of their reason."""
    with scratch() as folder:
        folder = Path(folder)
        huge = [folder / 'huge1', folder / 'huge2']
        for path in huge:  # raw, and of many small objects
            path.write_text('heap_v2/524288\n  t*: 1: 64 [0: 0]\n@ 0x1\n  t*: 1: 64 [0: 0]\n@ 0x2\n'
                            f'  t*: {4 * 10**18}: {4 * 10**18} [0: 0]\n\nMAPPED_LIBRARIES:\n')
        good = [dump(folder / f'good{i}', 7 + i, 4096) for i in (1, 2, 3)]
        info = run('info', '--max-skipped=5', '--on-duplicate=skip', *huge, good[0])
        diff = run('diff', '--max-skipped=5', huge[0], good[0], '--to', huge[0], *good[1:])
    faults = [] if info.code == 3 and info.out.count('dump-numbers-too-large') == 2 else [f'{info.code}: {info.out}']
    return faults + ([] if diff.code == 3 and 'change ' in diff.out else [f'{diff.code}: {diff.err}'])


def bytes_alone_have_errors():
    with scratch() as folder:
        inuse = profile(Path(folder) / 'inuse', BYTES, 7_000_000, period=524288)
        alloc = profile(Path(folder) / 'alloc', ALLOC[1:], 7_000_000, period=524288)
        rows = [report('top', f'--metric={metric}', path)['rows'][0]['flat'][metric]
                for metric, path in (('inuse-space', inuse), ('alloc-space', alloc))]
    return [] if rows[0] == rows[1] and rows[0]['low'] < 7_000_000 else [f'{rows}']


def objects_of_mixed_sizes_have_no_p():
    """In a trend as in a difference."""
    paths = sorted(t.real.glob('redis_lg13.27533.[14].i[14].heap.gz'))
    diff, trend = (report(command, '--metric=inuse-objects', '--limit=0', *paths)
                   for command in ('diff', 'trend'))
    unknown = {row['name'] for row in diff['rows'] if row['p'] is None}
    tested = {row['name'] for row in trend['rows'] if row['p_sampling'] is not None}
    faults = [f'{name}: p' for name in sorted(unknown & tested)]
    faults += [f"total: {trend['total']}"] if trend['total']['p_sampling'] is not None else []
    return faults or f'{len(unknown)} rows without, {len(tested)} with p' if unknown and tested else [
        f'{len(unknown)} and {len(tested)} rows']


VDSO = '400000-500000 r-xp 00000000 fe:00 7 /srv/app\n7ffc12345000-7ffc12347000 r-xp 0 00:00 0 [vdso]\n'


def processes_by_names_where_maps_are_silent():
    faults = []
    with scratch() as folder:
        folder = Path(folder)
        silent, other, nameless = (dump(folder / name, objects, 4096) for name, objects in (
            ('app.7.2.i2.heap', 9), ('app.8.0.f.heap', 10), ('a.heap', 11)))
        mapped = dump(folder / 'app.7.1.i1.heap', 5, 8192, VDSO)
        again = dump(folder / 'app.7.0.f.heap', 6, 8192, VDSO.replace('7ffc1', '7ffc2'))
        for args, sentence, is_told in (
                (('merge', '-ffolded', mapped, silent), 'moment-sum:  2 1 moment-of-one: one-by-name', True),
                (('merge', '-ffolded', '--dumps=sum', mapped, silent), 'dumps-by-name', True),
                (('merge', '-ffolded', mapped, again), 'moment-sum', False),
                (('trend', nameless, silent, other), 'growth-of-two-processes', True),
                (('trend', mapped, silent), 'growth-of-two-processes', False)):
            got = run(*args)
            if (sentence in got.out + got.err) != is_told:
                faults.append(f'{args}: {got.code} {got.out}{got.err}')
    return faults


t.check('unusable inputs are on no side of a diff', what_cannot_be_used_is_on_no_side)
t.check('allocated bytes without objects have errors', bytes_alone_have_errors)
t.check('objects of mixed sizes have no p in any comparison', objects_of_mixed_sizes_have_no_p)
t.check('names distinguish processes if maps do not', processes_by_names_where_maps_are_silent)
t.check('missing metrics of an input are rejected, not compared as zero', untold_is_not_zero)
t.check('an input without samples has zero bytes in use', nothing_sampled_is_told)
t.check('unknown objects are not shown as a table of zeros', objects_that_no_input_tells)
t.check('D2: a difference of two profiles is rejected as a side, in a series and by conditions',
        differences_are_no_sides)
t.check('a spread is shown for several inputs with known errors',
        spread_that_is_not_known)
t.done()

#!/usr/bin/env python3
"""What diff, trend, --spread and --fail-if say of inputs of which not all is known."""
import json
from pathlib import Path

from harness import Tests, scratch
from profile_writer import Profile

t = Tests()
BYTES = (('inuse_space', 'bytes'),)
BOTH = (('inuse_objects', 'count'), ('inuse_space', 'bytes'))
ALLOC = (('alloc_objects', 'count'), ('alloc_space', 'bytes'))


def run(*args):
    return t.run(*args, '--no-symbols', env={'HPROF_AGG_OPTS': ''})


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
                    sentence = f'{without}: cannot be compared: it does not tell {what}\n'
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
    if alone.code != 5 or alone.out or 'tells how many objects there are' not in alone.err:
        return [f'{alone.code}: {alone.out}{alone.err}']
    return [] if summed.code == 0 and ' 50,000 ' in summed.out else [summed.out + summed.err]


def differences_have_no_chances():
    with scratch() as folder:
        base, new = (t.testdata / 'golden' / f'procs{n}.heap' for n in (1, 4))
        difference = Path(folder) / 'difference.pb.gz'
        run('diff', base, new, '-o', difference)
        got = run('diff', '--fail-if=growth>5%,p<0.01', difference, new)
        plain = run('diff', '--fail-if=growth>5%', difference, new)
    if got.code != 5 or got.out or 'there is no p' not in got.err:
        return [f'{got.code}: {got.out}{got.err}']
    return [] if plain.code == 1 else [f'{plain.code}: {plain.out}{plain.err}']


def below_zero_has_no_shares():
    base, new = (t.testdata / 'golden' / f'procs{n}.heap' for n in (1, 4))
    with scratch() as folder:
        difference = Path(folder) / 'difference.pb.gz'
        run('diff', new, base, '-o', difference)
        grown = run('diff', '-q', '-n0', '--fail-if=growth>5%', difference, base)
        # The base is less than nothing, of which 5 % would be less than a fall.
        fallen = run('diff', '-q', '--fail-if=growth>5%', '--focus=0x1253', difference, difference)
    rows = [line for line in grown.out.splitlines() if line.endswith(('alloc_c+0x1300', 'alloc_c+0x1253'))]
    faults = [] if len(rows) == 2 and not any('%' in row for row in rows) else [grown.out]
    faults += [] if grown.code == 1 else [f'{grown.code}: {grown.err}']
    return faults + ([] if fallen.code == 0 else [f'{fallen.code}: {fallen.out}{fallen.err}'])


def spreads_of(*args):
    rows = [row['spread'] for row in report('top', '--spread', *args)['rows']]
    text = run('top', '-q', '--spread', '-n0', *args).out.partition('\n\n')[2]
    shown = [line.split() for line in text.splitlines()[1:] if line[0] in ' -']
    return {row['sd'] is None for row in rows}, {row['p'] is None for row in rows}, shown


def spread_that_is_not_known():
    one, two = (t.testdata / 'golden' / f'procs{n}.heap' for n in (1, 4))
    faults = []
    with scratch() as folder:
        difference = Path(folder) / 'difference.pb.gz'
        run('diff', two, one, '-o', difference)
        for args in ([one], [difference, one, two], [one, two, '--no-unbias']):
            sd, p, shown = spreads_of(*args)
            dashes = [row[-3:-1] == ['-', '-'] for row in shown]
            if (sd, p) != ({True}, {True}) or not dashes or not all(dashes):
                faults.append(f'{args}: {sd}, {p}, {shown}')
    for args in ([one, two], [one, two, '--no-error']):
        sd, p, _ = spreads_of(*args)
        if sd != {False} or False not in p:
            faults.append(f'{args}: {sd}, {p}')
    return faults


t.check('what an input does not tell is refused, not compared as zero', untold_is_not_zero)
t.check('an input of which nothing was sampled has next to nothing', nothing_sampled_is_told)
t.check('objects that no input tells are not a table of zeros', objects_that_no_input_tells)
t.check('a condition on p is refused where a difference of profiles has none',
        differences_have_no_chances)
t.check('of a base below zero there are no shares, and nothing stays below them',
        below_zero_has_no_shares)
t.check('a spread is shown where there are several inputs whose errors are known',
        spread_that_is_not_known)
t.done()

#!/usr/bin/env python3
"""Folding only moves memory between functions: with any folding, all rows add up to the same, functions that stay
keep their memory, and an independent implementation of folding over raw stacks finds the same rows.

    usage: frames.py BINARY TESTDATA [OPTIONS] [DUMPS OR FOLDERS]

Dumps or folders replace those of TESTDATA; options such as --symbol-dir=/ and --path-map=OLD=NEW are passed on.
"""
import functools
import json
import os
import pathlib
import random
import re
import sys
from collections import defaultdict
from decimal import DefaultContext, Decimal, Inexact, setcontext

from frame_classes import FOLDED, bare, class_of, left_of
from harness import JOBS, Tests, scratch
from pattern_texts import texts
from profile_writer import Profile

# All sums must be exact, else they raise an exception.
DefaultContext.prec, DefaultContext.traps[Inexact] = 100, True
setcontext(DefaultContext)

t = Tests()
OPTIONS = [word for word in sys.argv[3:] if word.startswith('--')]
GIVEN = [pathlib.Path(word) for word in sys.argv[3:] if not word.startswith('--')]
VIEWS = ('all', 'no-alloc', 'no-std', 'no-libs')
METRIC = 'inuse-space'
SYMBOLS = [f'--symbol-dir={t.root}', '--keep-unmapped', *OPTIONS]


def is_dump(path):
    if path.suffix not in ('.heap', '.gz', '.zst'):
        return False
    told = t.run('info', '-q', '--no-symbols', '-fjson', path)
    total = json.loads(told.out_bytes)['total'][METRIC] if told.code == 0 else None
    return bool(total)


def dumps():
    if GIVEN:
        files = [path for given in GIVEN
                 for path in (given.rglob('*') if given.is_dir() else [given])]
    else:  # one dump of each program
        files = [*t.formats.glob('*.heap'), *t.formats.glob('*.gz'),
                 *(t.testdata / 'golden').glob('*.heap')]
        files += {path.name.partition('.')[0]: path for path in sorted(t.real.glob('*.gz'))}.values()
    return sorted(path for path in files if path.is_file() and is_dump(path))


def load(command, *args):
    return json.loads(t.ok(command, '-q', '-j1', '-fjson', '-n0', *SYMBOLS, *args).out_bytes,
                      parse_float=Decimal, parse_int=Decimal)


@functools.lru_cache(None)
def top(which, dump, *args):
    """{(name, class): (flat, cum)}."""
    rows = load('top', f'--frames={which}', *args, dump)['rows']
    found = {(row['name'], row['class']): (row['flat'][METRIC], row['cum'][METRIC]) for row in rows}
    if len(found) != len(rows):
        raise AssertionError(f'{dump}, {which}: two rows of one name and class')
    return found


# --- what folding keeps ---------------------------------------------------------------------------


def same_sums(views):
    """Sums of raw samples, which are integers, so that they are exact."""
    sums = {which: sum(flat['estimate'] for flat, _ in rows.values())
            for which, rows in views.items()}
    return [] if len(set(sums.values())) == 1 else [f'flat adds up to {sums}']


def same_functions(views, folded_more, folded_less):
    """Frames that are not folded keep all that they held, and have at least as much flat."""
    faults = []
    for key, (flat, cum) in views[folded_less].items():
        if key[1] in FOLDED[folded_more]:
            continue
        other = views[folded_more].get(key)
        if not other:
            faults.append(f'{key} is not in {folded_more}')
        elif other[1] != cum:
            faults.append(f'{key}: cum {other[1]} in {folded_more}, {cum} in {folded_less}')
        elif other[0]['estimate'] < flat['estimate']:
            faults.append(f'{key}: flat {other[0]} in {folded_more}, {flat} in {folded_less}')
    return faults


def invariants(dump):
    raw = {which: top(which, dump, '--estimator=none', '--confidence=none') for which in ('all', 'no-std', 'no-libs')}
    # By name, no end of an interval is lowered for rows that were chosen by their size.
    views = {which: top(which, dump, '--sort=name') for which in VIEWS}
    pairs = [(more, less) for i, less in enumerate(VIEWS)
             for more in VIEWS[i + 1:]]
    return same_sums(raw) + [fault for pair in pairs for fault in same_functions(views, *pair)]


def same_from_pprof(dump):
    """A frame has the same class in a dump and in its merged profile."""
    with scratch() as folder:
        merged = pathlib.Path(folder, 'x.pb.gz')
        t.ok('merge', '-q', '--frames=all', *SYMBOLS, '-o', merged, dump)
        classes = {place['name']: place['class'] for place in load(
            'stacks', '--frames=all', '--by=line', dump)['names']}
        again = {place['name']: place['class'] for place in load(
            'stacks', '--frames=all', '--by=line', '--no-symbols', merged)['names']}
    return [f'{name}: {classes.get(name)}, from pprof {again[name]}' for name in again
            if name in classes and again[name] != classes[name]] + (
        [] if set(again) & set(classes) else ['no frame is in both'])


# --- a fold of its own ----------------------------------------------------------------------------


def own_classes(report):
    """{(name, class of the program): (row, class)} by the rules written anew."""
    found, faults = {}, []
    for place in report['names']:
        own = class_of(place['function'] or '', place['file'] or '', place['module'] or '')
        if place['name'] in ('[empty stack]', '[truncated]'):
            own = 'none'
        found[place['name'], place['class']] = (place['function'] or place['name'].rpartition(' ')[2], own)
        if own != place['class']:
            faults.append(f'{place} is {own}')
    return found, faults


def folded(report, classes, which):
    rows = defaultdict(lambda: [0, 0])
    for row in report['rows']:
        keys = [classes[key] for key in zip(row['frames'], row['classes'], strict=True)]
        left = left_of([own for _, own in keys], which)
        value = row['value'][METRIC]['estimate']
        rows[keys[left[0]]][0] += value
        for key in {keys[i] for i in left}:
            rows[key][1] += value
    return rows


def same_fold(dump):
    report = load('stacks', '--frames=all', '--by=address', '--confidence=none', dump)
    classes, faults = own_classes(report)
    most = Decimal(len(report['rows']) + 1) / 1000  # of what was rounded to three decimals
    for which in VIEWS:
        rows, mine = top(which, dump, '--sort=name'), folded(report, classes, which)
        faults += [f'{which}: {key} is on one side only' for key in set(rows) ^ set(mine)]
        for key in set(rows) & set(mine):
            numbers = [number['estimate'] for number in rows[key]]
            if any(abs(a - b) > most for a, b in zip(numbers, mine[key], strict=True)):
                faults.append(f'{which}: {key}: {numbers}, folded anew {mine[key]}')
    return faults


# --- the rules that are printed -------------------------------------------------------------------


def first_rule(rules, name, file):
    looked_at = {'name': bare(name), 'full name': name, 'file': file, 'name without file': '' if file else bare(name)}
    for makes, field, pattern in rules:
        if looked_at.get(field) and re.search(pattern, looked_at[field]):
            return makes
    return 'own'


def same_rules():
    """Each text that matches the pattern of a rule gets the class of the first matching rule."""
    lines = t.ok('help', 'frame-rules').out.splitlines()
    rules = [tuple(line.split('\t')) for line in lines if '\t' in line and line[0] != '#']
    r, calls = random.Random(7), set()
    for _, field, pattern in rules:
        for text in texts(pattern, 300, r) if 'module' not in field and pattern else ():
            calls.add(('main', text) if field == 'file' else (text, ''))
    profile = Profile()
    for name, file in sorted(calls):
        profile.sample([profile.location(calls=[(name, file, 1)])], [1, 64])
    with scratch() as folder:
        path = pathlib.Path(folder, 'rules.pb')
        path.write_bytes(profile.bytes())
        names = load('stacks', '--frames=all', '--by=line', '--no-symbols', path)['names']
    found = {(place['function'], place['file'] or ''): place['class'] for place in names}
    return [f'{call}: {found.get(call)}, by the rules {first_rule(rules, *call)}' for call in sorted(calls)
            if found.get(call) != first_rule(rules, *call)] or f'{len(rules)} rules, {len(calls)} texts'


def rule_of_a_place():
    """A rule for one frame does not apply to other nameless frames of its module."""
    with scratch() as folder:
        path = pathlib.Path(folder, 'rules')
        path.write_text('wrapper\tname\t^alloc_c[+]0x1253$\n', encoding='ascii')
        args = ('stacks', '--frames=all', '--no-symbols', t.testdata / 'golden' / 'procs1.heap')
        before, found = ({place['name']: place['class'] for place in load(*args, *more)['names']}
                         for more in ((), (f'--frame-rules={path}',)))
    return [] if found == before | {'alloc_c+0x1253': 'wrapper'} and found != before else [f'{before} and {found}']


# --- pairs ----------------------------------------------------------------------------------------


def same_changes(*sides):
    """The cum, interval and p-value of rows that stay are those of `all`."""
    def rows(which):
        found = load('diff', '--cum', f'--frames={which}', *sides)['rows']
        return {(row['name'], row['class']):
                [row[key] for key in ('base', 'new', 'delta', 'p', 'p_if_nothing_freed')]
                for row in found}
    code, everything = rows('no-std'), rows('no-alloc')
    faults = [f'{key}: {code.get(key)} in code, {row} in all' for key, row in everything.items()
              if key[1] not in FOLDED['no-std'] and code.get(key) != row]
    return faults or ([] if len(code) < len(everything) else ['nothing is folded'])


ALL = dumps()
print(f'# {len(ALL)} dumps, {JOBS} at a time')


def all_of(test):
    def one(dump):
        try:
            return [f'{os.path.relpath(dump, t.testdata)}: {fault}' for fault in test(dump)]
        except Exception as error:
            return [f'{dump}: {error!r}'[:2000]]
    faults = t.in_parallel(one, ALL)
    return faults or f'{len(ALL)} dumps'


t.check('folding changes neither sums nor cum of the remaining rows',
        lambda: all_of(invariants))
t.check('a frame has the same class in a dump and in its merged profile',
        lambda: all_of(same_from_pprof))
t.check('an independent implementation of folding finds the same rows', lambda: all_of(same_fold))
if not GIVEN:
    t.check('the printed rules are those in use', same_rules)
    t.check('a rule by name applies to one place of a module only', rule_of_a_place)
    GOLDEN, SERIES = t.testdata / 'golden', sorted((t.testdata / 'golden/series').glob('*.heap'))
    t.check('folding does not change cum, its interval and p in a diff of two programs',
            lambda: same_changes(GOLDEN / 'procs1.heap', GOLDEN / 'cxx.heap'))
    t.check('folding does not change cum, its interval and p in a diff of one process',
            lambda: same_changes(SERIES[0], SERIES[-1]))
t.done()

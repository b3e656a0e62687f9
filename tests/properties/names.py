#!/usr/bin/env python3
"""Names that an input itself contains are used if there is no binary, and only then."""
import re

from harness import Tests, read_text, scratch

t = Tests(is_coded=True)
SYMBOLIZED = t.formats / 'jeprof-raw-symbolized.heap'
GO = t.formats / 'go-text.heap'
TEXT = read_text(SYMBOLIZED)
SECTION, DUMP = TEXT.split('---\n--- heap\n', 1)
NAMES = dict(re.findall(r'^(0x[0-9a-f]+) (.*)$', SECTION, re.M))


def frames(*args):
    """The names in the folded stacks."""
    return {frame for stack, _ in t.ok('folded', '--names=full', *args).folded() for frame in stack}


def with_input(text, function):
    with scratch() as directory:
        path = f'{directory}/input'
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
        return function(path)


def all_are_used():
    told = {name for key, name in NAMES.items() if name != key}
    got = frames('--no-symbols', '--frames=all', SYMBOLIZED)
    named = {name for name in got if '+0x' not in name and not name.startswith('[')}
    if named != told or not told:
        return [f'named {sorted(named)}, told {sorted(told)}']
    return f'{len(told)} names'


def numbers_are_those_of_the_dump():
    plain = with_input(DUMP, lambda path: t.totals(path))
    return [] if t.totals(SYMBOLIZED) == plain else ['the section changed the totals']


def binary_is_better():
    table = t.ok('top', '--by=line', f'--symbol-dir={t.root}', SYMBOLIZED).out
    if not re.search(r' leaf_mixed \S*alloc_c\.c:21$', table, re.M):
        return [table]
    return []


def inlined_calls():
    key = next(key for key, name in NAMES.items() if name == 'leaf_big')
    text = TEXT.replace(f'{key} leaf_big', f'{key} outer--Iter::operator--(int)--inner')
    stacks = with_input(text, lambda path: t.ok('folded', '--no-symbols', '--names=full', path).out)
    wanted = ';outer;Iter::operator--(int);inner '
    return [] if wanted in stacks else [stacks]


def different_names():
    other = TEXT.replace('leaf_big', 'leaf_other').replace('t*: 5:', 't*: 6:')
    def both(path):
        runs = [t.run('top', '--no-symbols', '--dumps=sum', *options, *inputs)
                for inputs in ((SYMBOLIZED, path), (path, SYMBOLIZED))
                for options in (['-j1'], ['-j2'])]
        faults = [str(run) for run in runs if run.code != 0 or run.out != runs[0].out]
        if 'addresses-disputed' not in runs[0].out:
            faults.append(f'no warning: {runs[0].out}')
        if 'leaf_big' not in runs[0].out or 'leaf_other' in runs[0].out:
            faults.append('not the name that is first in byte order')
        return faults
    return with_input(other, both)


def classic_dump_behind_names():
    growth = read_text(t.formats / 'gperftools-growth.heap')
    address = re.search(r'@ 0x\w+ 0x\w+ (0x\w+)', growth)[1]
    text = f'--- symbol\nbinary=/x\n{int(address, 16) - 1:#018x} grower\n---\n--- growth\n'
    got = with_input(text + growth, lambda path: frames('--no-symbols', '--frames=all', path))
    return [] if 'grower' in got else [str(got)]


def cut_section():
    def cut(size):
        def check(path):
            run = t.run('top', '--no-symbols', path)
            return [] if run.code == 5 and not run.out else [f'cut at {size}: {run.code}']
        return with_input(TEXT[:size], check)
    return t.in_parallel(cut, range(11, len(SECTION) + 40, 37))


def go_text():
    table = t.ok('top', '--by=line', '--no-symbols', GO).out
    got = frames('--no-symbols', GO)
    faults = []
    if not re.search(r' main\.leaf go_alloc/go_alloc\.go:15$', table, re.M):
        faults.append(table)
    if any(name.startswith('0x') for name in got) or 'runtime.main' not in got:
        faults.append(str(got))
    if 'warning' in table:
        faults.append(table)
    return faults


t.check('a symbolized dump: every embedded name is used', all_are_used)
t.check('a symbolized dump has the numbers of the dump', numbers_are_those_of_the_dump)
t.check('names of an available binary replace embedded names', binary_is_better)
t.check('"outer--inner" is read as inlined calls, except in an operator', inlined_calls)
t.check('two inputs with different names give one warning in any order', different_names)
t.check('names before a growth profile are used', classic_dump_behind_names)
t.check('a truncated section of names is rejected', cut_section)
t.check('Go text has functions, files and lines, but no frames that Go hides', go_text)
t.done()

#!/usr/bin/env python3
"""--short-names means the same in every command and format, and rows stay those of full names."""
import gzip
import json
import re

from harness import Tests
from profile_reader import fields

t = Tests()
CXX = t.testdata / 'golden' / 'cxx.heap'
SYMBOLS = f'--symbol-dir={t.root}'


def run(command, *args):
    return t.ok(command, '-q', '--frames=all', SYMBOLS, *args, CXX).out


def rows(*more):
    return t.table(SYMBOLS, '--no-unbias', *more, CXX).rows()


def known(names):
    return {name for name in names if '+0x' not in name}


SHORT = known(row[2] for row in rows('--short-names'))
NAMED = known(row[2] for row in rows('--short-names', '--frames=raw'))  # by the pattern .
FULL = known(row[2] for row in rows())


def difference(names, wanted):
    names = known(names)
    return [f'{name}: only here' for name in names - wanted] + [
        f'{name}: not here' for name in wanted - names]


def json_of(command, *args):
    return json.loads(run(command, '-n0', '-fjson', '--short-names', *args))


def folded():
    return {name for line in run('folded', '--short-names').splitlines()
            for name in line.rpartition(' ')[0].split(';')}


def firefox():
    shared = json.loads(run('firefox', '--short-names'))['shared']
    return {shared['stringArray'][number] for number in shared['funcTable']['name']}


def speedscope():
    return {frame['name'] for frame in
            json.loads(run('speedscope', '--short-names'))['shared']['frames']}


def callgrind():
    return set(re.findall(r'^c?fn=\(\d+\) (.*)$', run('callgrind', '--short-names'), re.M))


def pprof():
    done = t.ok('pprof', '-q', SYMBOLS, '--short-names', CXX)
    profile = list(fields(gzip.decompress(done.out_bytes)))
    strings = [value.decode() for number, value in profile if number == 6]
    return {strings[dict(fields(value))[2]] for number, value in profile if number == 5}


def dhat():
    table = json.loads(run('dhat', '--short-names'))['ftbl']
    return {re.match(r'0x[0-9A-Fa-f]+: (.*) \((in )?[^()]*\)$', name)[1] for name in table[1:]}


def tsv():
    lines = run('top', '-ftsv', '--short-names', '-n0').splitlines()
    column = lines[0].split('\t').index('function')
    shown = {line.split('\t')[column] for line in lines[1:]} - {''}
    names = {line.split('\t')[column - 1] for line in lines[1:]}
    return shown if shown == known(names) else names | shown


REPORTS = {
    'top as json': lambda: {row['name'] for row in json_of('top')['rows']},
    'stacks': lambda: {f for row in json_of('stacks')['rows'] for f in row['frames']},
    'tree': lambda: {row['name'] for row in json_of('tree')['rows']},
    'peek': lambda: {row['name'] for row in json_of('peek', '.')['rows']},
    'list': lambda: {row['name'] for row in json_of('list', '.')['rows']},
    'top as tsv': tsv,
    'folded': folded, 'firefox': firefox, 'speedscope': speedscope, 'callgrind': callgrind,
    'pprof': pprof, 'dhat': dhat,
}


def apart():
    """Functions of one short name stay rows of their own, with the values of the full names."""
    short, full = ([(flat, cum) for flat, cum, _ in sorted(rows(*more), reverse=True)]
                   for more in (['--short-names'], []))
    names = [name for _, _, name in rows('--short-names')]
    return ([] if sorted(short) == sorted(full) else ['other values']) + (
        [] if names.count('over') == 2 else ['nothing of one short name'])


def default():
    faults = [] if FULL == known(row[2] for row in rows('--short-names', '--full-names')) else [
        'not undone']
    faults += [] if any('<' in name and '(' in name for name in FULL) else ['nothing to shorten']
    return faults + [name for name in SHORT if re.search(r'<(?!lambda|…)|\((?!anonymous|\))', name)]


for report, names in REPORTS.items():
    t.check(f'{report}: short names', lambda: difference(
        names(), NAMED if report in ('peek', 'list') else SHORT))
t.check('rows are those of the full names', apart)
t.check('full names are the default, and may be asked for', default)
t.check('filters and patterns look at full names', lambda: [] if json_of(
    'peek', r'over\(int\)')['rows'] else ['no match'])
t.done()

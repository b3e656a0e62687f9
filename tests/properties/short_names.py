#!/usr/bin/env python3
"""--names=short means the same in every command and format, and rows stay those of full names."""
import gzip
import json
import pathlib
import re

from harness import Tests, scratch
from profile_reader import fields
from profile_writer import Profile

t = Tests()
CXX = t.testdata / 'golden' / 'cxx.heap'
SYMBOLS = f'--symbol-dir={t.root}'


def run(command, *args):
    return t.ok(command, '-q', '--frames=no-alloc', SYMBOLS, *args, CXX).out


def rows(*more):
    return t.table(SYMBOLS, '--estimator=none', *more, CXX).rows()


def known(names):
    return {name for name in names if '+0x' not in name and not name.startswith('[')}


def names_of(*more):
    """The names in JSON; text distinguishes equal ones."""
    report = json.loads(t.ok('top', '-q', '-n0', '-fjson', SYMBOLS, '--names=short', *more, CXX).out)
    return [row['name'] for row in report['rows']]


SHORT = known(names_of('--frames=no-alloc'))
TOLD = known(row[2] for row in rows('--names=short'))  # apart
NAMED = known(names_of('--frames=all'))  # for all rows, by the pattern "."
FULL = known(row[2] for row in rows('--names=full'))


def difference(names, wanted):
    names = known(names)
    return [f'{name}: only here' for name in names - wanted] + [
        f'{name}: not here' for name in wanted - names]


def json_of(command, *args):
    return json.loads(run(command, '-n0', '-fjson', '--names=short', *args))


def folded():
    return {name for line in run('folded', '--names=short').splitlines()
            for name in line.rpartition(' ')[0].split(';')}


def firefox():
    shared = json.loads(run('firefox', '--names=short'))['shared']
    return {shared['stringArray'][number] for number in shared['funcTable']['name']}


def speedscope():
    return {frame['name'] for frame in
            json.loads(run('speedscope', '--names=short'))['shared']['frames']}


def callgrind():
    return set(re.findall(r'^c?fn=\(\d+\) (.*)$', run('callgrind', '--names=short'), re.M))


def pprof():
    done = t.ok('pprof', '-q', SYMBOLS, '--names=short', CXX)
    profile = list(fields(gzip.decompress(done.out_bytes)))
    strings = [value.decode() for number, value in profile if number == 6]
    return {strings[dict(fields(value))[2]] for number, value in profile if number == 5}


def dhat():
    table = json.loads(run('dhat', '--names=short'))['ftbl']
    return {re.match(r'0x[0-9A-Fa-f]+: (.*) \((in )?[^()]*\)$', name)[1] for name in table[1:]}


def tsv():
    lines = run('top', '-ftsv', '--names=short', '-n0').splitlines()
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
                   for more in (['--names=short'], ['--names=full']))
    names = names_of('--frames=no-alloc')
    told = [name for _, _, name in rows('--names=short')]
    return ([] if sorted(short) == sorted(full) else ['other values']) + (
        [] if names.count('over') == 2 and len(set(told)) == len(told) else ['nothing of one short name'])


def boxes():
    """No two boxes of a graph have the same name, with any kind of rows."""
    faults = []
    for more in ([], ['--names=full'], ['--by=line'], ['--by=address']):
        out = run('top', '-n0', '-fdot', '--frames=all', *more)
        names = re.findall(r'^N\d+ \[label="(.*?)\\n[\d.,]+ ?(?:[KMG]i)?B \(', out, re.M)
        faults += [f'{more}: {name}' for name in sorted(set(names)) if names.count(name) > 1]
        faults += [] if len(names) == out.count('fillcolor=') > 9 else [f'{more}: {len(names)} boxes']
    found = re.findall(r'label="(over.*?)\\n', run('top', '-n0', '-fdot'))
    return faults + ([] if sorted(found) == ['over(char const*, int)', 'over(int)'] else [f'{found}'])


def default():
    """Names are short where people read them, and full where programs distinguish functions by name; -v is for
    people."""
    faults = [] if any('<' in name and '(' in name for name in FULL) else ['nothing to shorten']
    faults += [name for name in SHORT if re.search(r'<(?!lambda|…)|\((?!anonymous|\))', name)]
    for args, wanted in (([], TOLD), (['--names=short', '--names=full'], FULL),
                         (['--names=full', '--names=short'], TOLD), (['-v'], FULL),
                         (['-v', '--names=short'], TOLD)):
        faults += [f'{args}: {name}' for name in difference((row[2] for row in rows(*args)), wanted)]
    defaults = {format: t.ok('merge', '-q', SYMBOLS, f'-f{format}', CXX).out_bytes for format in
                ('folded', 'speedscope', 'pprof', 'callgrind', 'dhat', 'firefox')}
    defaults |= {format: t.ok('top', '-q', SYMBOLS, f'-f{format}', CXX).out_bytes
                 for format in ('json', 'tsv', 'dot')}
    for format, out in defaults.items():
        command = 'merge' if format in list(defaults)[:6] else 'top'
        style = 'short' if format in ('folded', 'speedscope', 'pprof', 'dot') else 'full'
        if out != t.ok(command, '-q', SYMBOLS, f'-f{format}', f'--names={style}', CXX).out_bytes:
            faults.append(f'{format} is not {style}')
    return faults


def folded_lines():
    """Stacks that differ only in the omitted parts of names become one line, in the order of names."""
    lines = [line.rpartition(' ') for line in run('folded').splitlines()]
    full = [line.rpartition(' ') for line in run('folded', '--names=full').splitlines()]
    stacks = [stack.split(';') for stack, _, _ in lines]
    faults = [] if len({*map(tuple, stacks)}) == len(stacks) < len(full) else [f'{len(full)} lines']
    faults += [] if stacks == sorted(stacks) else ['no order']
    return faults + ([] if sum(int(n) for *_, n in lines) == sum(int(n) for *_, n in full) else
                     ['other sums'])


FILTERS = {
    '^std::vector<.*push_back': 'the full name without its end',
    '^std::vector<…>::push_back$': 'what is shown',
    '^over\\(char const\\*, int\\)$': 'parameters',
    '^apply<main::': 'the full name behind the type that is returned',
    '^void |^std::pair<int, double>& ': None,
}


def filters():
    faults = []
    for pattern, what in FILTERS.items():
        left = t.run('top', '-q', '--frames=no-alloc', SYMBOLS, f'--focus={pattern}', CXX)
        if left.code != (0 if what else 5):
            faults.append(f'{pattern}, {what}: {left.code} {left.err}')
    return faults


# --- merged profiles ------------------------------------------------------------------------------

def table(*args):
    """The sorted list of [name and place of a row, its values]."""
    done = t.run('top', '-q', '-n0', '-fjson', '--confidence=none', *args)
    if done.code == 5:  # there are only other sample types
        return []
    rows = json.loads(done.out)['rows']
    return sorted(([str(row.get(key)) for key in ('name', 'module', 'file', 'line', 'class')],
                   [row[kind]['inuse-space']['estimate'] for kind in ('flat', 'cum')])
                  for row in rows)


def other_rows(wanted, got):
    """A pprof profile has integer bytes for each stack."""
    if [place for place, _ in wanted] != [place for place, _ in got]:
        return [f'{row}' for row in wanted if row[0] not in [place for place, _ in got]] or ['more']
    return [f'{place}: {b} instead of {a}' for (place, a), (_, b) in zip(wanted, got)
            if any(abs(x - y) > 99 for x, y in zip(a, b))]


ANONYMOUS = '(anonymous namespace)'


def functions_of(path):
    """{(name, system name)}"""
    profile = list(fields(gzip.decompress(path.read_bytes())))
    strings = [value.decode() for number, value in profile if number == 6]
    parts = [dict(fields(value)) for number, value in profile if number == 5]
    return {(strings[part[2]], strings[part.get(3, 0)]) for part in parts}


def same_rows(path, *symbols):
    """`top` of a merged profile has the rows of the inputs, also if it was merged twice."""
    faults = []
    with scratch() as directory:
        once, twice = (pathlib.Path(directory, f'{n}.pb.gz') for n in 'ab')
        for names in ([], ['--names=full'], ['--names=short']):
            t.ok('merge', '-q', *symbols, *names, '-o', once, path)
            t.ok('merge', '-q', '--no-symbols', *names, '-o', twice, once)
            functions = functions_of(once)
            faults += [f'{pair}: equal' for pair in functions if pair[0] == pair[1]]
            if not names:
                faults += [f'{pair}: not short' for pair in functions
                           if re.search(r'\w<(?!…)|\(\w+ ', pair[0].replace(ANONYMOUS, ''))]
            for by in ('function', 'line', 'file'):
                wanted = table(f'--by={by}', '--frames=no-alloc', *symbols, path)
                for merged in (once, twice):
                    got = table(f'--by={by}', '--frames=no-alloc', '--no-symbols', merged)
                    faults += [f'{names} --by={by}: {fault}' for fault in other_rows(wanted, got)]
    return faults


def merged_rows():
    paths = [(CXX, SYMBOLS)] + [(path, '--no-symbols') for folder in ('pprof', 'frames', 'processes')
                                for path in sorted((t.testdata / folder).glob('*.pb*'))]
    return [f'{path}: {fault}' for path, symbols in paths + [(t.formats / 'go-protobuf.pb.gz',
                                                              '--no-symbols')]
            for fault in same_rows(path, symbols)[:3]]


# Names from other tools: (name, system name) -> the full name.
FOREIGN = {
    ('main.main', 'main.main'): 'main.main',
    ('net/http.(*T[go.shape.int]).Do', 'net/http.(*T[go.shape.int]).Do'):
        'net/http.(*T[go.shape.int]).Do',
    ('ns::f(int)', ''): 'ns::f(int)',
    ('ns::g(int)', '7'): 'ns::g(int)',
    ('g', '_ZN2ns1gIiEEvT_'): 'void ns::g<int>(int)',
    ('_ZN2ns1hEv', '_ZN2ns1hEv'): 'ns::h()',
    ('x', '_Zgarbage'): 'x',
    ('a::T::m', '_RNvXs_C1aNtB4_1TNtB4_1B1m'): '<a::T as a::B>::m',
    ('make', 'make<Req>'): 'make<Req>',
    ('made', 'make<Req>'): 'made',
    ('', 'nameless'): 'nameless',
    ('', '_Z1iv'): 'i()',
    ('long', '_Z' + '9' * 100000): 'long',
    ('deep', '_Z1f' + 'P' * 300 + 'i'): 'f(int' + '*' * 300 + ')',
}


def foreign():
    with scratch() as directory:
        path = pathlib.Path(directory, 'foreign.pb')
        profile = Profile()
        app = profile.mapping('/srv/none/app', 0x400000, 0x500000)
        for i, (name, system) in enumerate(FOREIGN):
            place = profile.location(0x400100 + 16 * i, app, [(name, 'a.c', i + 1, system)])
            profile.sample([place], [1, 1000 + i])
        path.write_bytes(profile.bytes())
        got = {row['name'] for row in json.loads(t.ok(
            'top', '-q', '-n0', '-fjson', '--frames=all', '--no-symbols', path).out)['rows']}
        faults = [f'{name[:99]}: missing' for name in {*FOREIGN.values()} - got]
        faults += [f'{name[:99]}: not told' for name in got - {*FOREIGN.values()}]
        return faults + same_rows(path, '--no-symbols')


for report, names in REPORTS.items():
    t.check(f'{report}: short names', lambda: difference(
        names(), NAMED if report in ('peek', 'list') else SHORT))
t.check('rows are those of the full names', apart)
t.check('no two boxes of a graph have the same name', boxes)
t.check('names are short for people and full for programs by default', default)
t.check('folded: stacks of the same names are one line', folded_lines)
t.check('filters match short and full names, but not return types', filters)
t.check('patterns of peek match full names', lambda: [] if json_of(
    'peek', r'over\(int\)')['rows'] else ['no match'])
t.check('a merged profile has the rows of its inputs', merged_rows)
t.check("names in profiles of other programs are shortened", foreign)
t.done()

#!/usr/bin/env python3
"""Tests `next` of JSON: each command runs, with the inputs appended, and gives the answer that it promises."""
import gzip
import json
import pathlib

from harness import Tests, scratch
from profile_writer import Profile

t = Tests()
GOLDEN = t.testdata / 'golden'
CXX = (f'--symbol-dir={t.root}', GOLDEN / 'cxx.heap')
SIDES = (f'--symbol-dir={t.root}', GOLDEN / 'procs1.heap', '--to', GOLDEN / 'procs4.heap')
SERIES = (f'--symbol-dir={t.root}', *sorted((GOLDEN / 'series').glob('*.heap')))
REPORTS = [
    (('top',), CXX), (('top', '--cum', '--frames=no-alloc'), CXX), (('top', '--by=line'), CXX),
    (('top', '--by=file'), CXX), (('top', '--by=module'), CXX), (('top', '--by=address'), CXX),
    (('top', '--by=size'), CXX), (('top', '--by=thread'), CXX), (('top', '--by=input'), SERIES),
    (('top', '--metric=inuse-objects', '--focus=push_back', '--hide=grow'), CXX),
    (('top', '--alloc_space', '--ignore=leaf_big'), (CXX[0], GOLDEN / 'procs4.heap')),
    (('top', '--wrapper=grow', '--own=cxx', '--no-inlines'), CXX), (('top', '--thread=worker 0'), (CXX[0], GOLDEN / 'procs1.heap')), (('top', '--no-symbols'), CXX[1:]),
    (('top', '--older-than=0.01s'), ('--no-symbols', t.formats / 'jemalloc-clickhouse.heap')),
    (('top', '--metric=resident_space'), (t.testdata / 'pprof' / 'tcmalloc-heap.pb',)),
    (('stacks',), CXX), (('stacks', '--no-symbols'), CXX[1:]), (('tree',), CXX), (('tree', '--invert'), CXX),
    (('peek', 'push_back'), CXX), (('list', 'grow'), CXX), (('peek', 'leaf', '--focus=main'), (CXX[0], *SERIES[1:])),
    (('diff',), SIDES), (('diff', '--cum', '--by=line'), SIDES), (('diff', '--focus=leaf'), SIDES),
    (('trend',), SERIES), (('trend', '--cum'), SERIES), (('info',), CXX),
]
CARRIED = ('--wrapper=', '--own=', '--no-inlines', '--focus=', '--ignore=', '--hide=', '--thread=', '--older-than=')
HOSTILE = ['a\\Eb', '\\E', '\\Q(', '^$.*[x', "a'b\"c", 'a\\', 'f(int)::{lambda()#1}::operator()() const', 'a b', '-x', '#',
           'tab\there', '\u202egpj', 'void std::f<int>(int)', '名前']


def first_name(report):
    """The name of the first row; for a stack that of its leaf."""
    row = report['rows'][0]
    return row['frames'][0] if 'frames' in row else row['name']


def answered(argv, rows, name):
    """Whether the output of a command is about that name."""
    names = [row['name'] if 'name' in row else row['frames'] for row in rows]
    if argv[1] == 'peek':
        return names == [name]
    if argv[1] == 'list':  # overloads of one name, without their parameters
        return len(names) > 0
    if argv[1] == 'stacks' and any(word.startswith('--focus') for word in argv):
        return len(names) > 0 and all(name in frames for frames in names)
    return len(names) > 0


def run_all(command, inputs):
    report = json.loads(t.ok(*command, '-q', '-fjson', *inputs).out_bytes)
    if command[0] == 'info':
        return ['info has them'] if 'next' in report else 'none'
    least = 0 if {'--cum', '--by=line'} <= set(command) else 1
    faults = [] if least <= len(report['next']) <= 3 else [f'{len(report["next"])} commands']
    for ask in report['next']:
        argv = ask['argv']
        wanted = first_name(report)
        options = ['-fjson', '-q', *(['--no-symbols'] if '--no-symbols' in command else [])]
        done = t.run(*argv[1:], *options, *inputs)
        if argv[0] != 'hprof-agg' or done.code != 0:
            faults.append(f'{argv}: status {done.code}: {done.err}')
            continue
        told = json.loads(done.out_bytes)
        if argv[1] != 'info' and told.get('thread') != report.get('thread'):
            faults.append(f'{argv}: of thread {told.get("thread")}, not {report.get("thread")}')
        lost = [word for word in command if word.startswith(CARRIED) and word not in argv]
        if argv[1] != 'info' and lost:
            faults.append(f'{argv} lacks {lost}')
        rows = told.get('rows', [{'name': ''}])
        by_function = report['by'] == 'function' and argv[1] in ('peek', 'list', 'stacks')
        if by_function and not answered(argv, rows, wanted):
            faults.append(f'{argv}: {[row.get("name") for row in rows][:3]} instead of {wanted!r}')
    return faults or f'{[ask["argv"][1] for ask in report["next"]]}'


for words, files in REPORTS:
    t.check(' '.join(words), lambda: run_all(words, files))


def hostile(name):
    with scratch() as folder:
        p, path = Profile(), pathlib.Path(folder) / 'x.pb.gz'
        other = p.location(0x2000, 0, [('other', 'x.c', 1)])
        p.sample([p.location(0x1000, 0, [(name, 'x.c', 1)]), other], [1, 1 << 20], 1 << 20)
        p.sample([p.location(0x3000, 0, [(name + 'z', 'x.c', 1)]), other], [1, 1 << 19], 1 << 20)
        path.write_bytes(gzip.compress(p.bytes()))
        return run_all(('top', '--frames=all'), (path,))


for text in HOSTILE:
    t.check(f'suggested commands quote a function called {text!r}', lambda: hostile(text))


def same_bytes():
    """The name of the file is not part of the report: a dump and its copy under another name give the same bytes."""
    with scratch() as folder:
        copy = pathlib.Path(folder) / 'other.heap'
        copy.write_bytes((GOLDEN / 'cxx.heap').read_bytes())
        outs = {t.ok('top', '-q', '-fjson', CXX[0], path).out_bytes for path in (CXX[1], copy)}
    return [] if len(outs) == 1 else ['the bytes differ']


t.check('no report contains the name of an input', same_bytes)
t.done()

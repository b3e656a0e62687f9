#!/usr/bin/env python3
"""The Firefox Profiler, through its own profiler-cli, has to show our values per function, and in a timeline the
changes within a range.

usage: firefox.py BINARY TESTDATA PEERS

PEERS is a folder with what package.json next to this file asks for; ./check --peers makes it.
"""
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from harness import Tests, scratch  # noqa: E402
from peers import FirefoxProfiler, Node  # noqa: E402
from sign_reader import by_leaf, read  # noqa: E402

READS = {'firefox': 'the Firefox Profiler'}
t = Tests()
node = Node(sys.argv[3])
SYMBOLS = f'--symbol-dir={t.root}'
PROCS = sorted((t.testdata / 'golden').glob('procs*.heap'))
CXX = t.testdata / 'golden' / 'cxx.heap'
SERIES = sorted((t.formats / 'series').glob('*.heap'))


def open_profile(folder, *args):
    path = pathlib.Path(folder) / 'x.firefox.json'
    t.ok('merge', '-q', '-o', path, *args)
    return FirefoxProfiler(node, path)


def compare(theirs, rows, slack):
    own = {name: (flat, cum) for flat, cum, name in rows if cum > slack}
    return [f'{name}: {theirs.get(name)} instead of {values}' for name, values in own.items()
            if name not in theirs or any(abs(a - b) > slack for a, b in zip(theirs[name], values))]


def functions(folder, *args):
    faults = []
    with open_profile(folder, *args) as session:
        for number, metric in enumerate(('inuse-space', 'inuse-objects')):
            rows = t.table('--names=full', f'--metric={metric}', *args).rows()
            faults += [f'{metric}: {fault}' for fault in
                       compare(session.functions(f't-{number}'), rows, 50)]
    return faults


def signs(folder, delta):
    """For a difference of two profiles, the growth of each function, below zero if it shrank."""
    wanted = by_leaf(read(delta)['inuse-space'])
    with open_profile(folder, '--names=full', delta) as session:
        shown = session.functions('t-0')
    faults = [f'{name}: {shown.get(name)} instead of {s.grew} - {s.shrank}' for name, s in wanted.items()
              if s != (0, 0) and abs(shown.get(name, (0,))[0] - (s.grew - s.shrank)) > 50]
    return faults + ([] if any(s.shrank for s in wanted.values()) else ['nothing has shrunk'])


def timeline(folder):
    """The profile shows the last dump as one; after the third dump it shows the changes since then."""
    def flat(path):
        return {name: flat for flat, _, name in
                t.table('--names=full', SYMBOLS, path).rows()}

    with open_profile(folder, '--timeline', SYMBOLS, *SERIES) as session:
        last, third = flat(SERIES[-1]), flat(SERIES[2])
        whole = session.functions('t-0')
        session.ask('zoom', 'push', '2.5,5.001')
        since = session.functions('t-0')
        counters = session.ask('profile', 'info')
    faults = [f'{name}: {whole.get(name)} instead of {value}' for name, value in last.items()
              if value > 50 and abs(whole[name][0] - value) > 50]
    faults += [f'{name}: {since.get(name)} instead of a change by {value - third.get(name, 0)}'
               for name, value in last.items()
               if abs(since.get(name, (0,))[0] - (value - third.get(name, 0))) > 50]
    return faults + ([] if 'Memory' in counters else ['no counter of memory'])


with scratch() as scratch_folder:
    t.check('C: profiler-cli has our functions', lambda: functions(scratch_folder, SYMBOLS, *PROCS))
    t.check('C++: profiler-cli has our functions', lambda: functions(scratch_folder, SYMBOLS, CXX))
    for path in sorted((t.testdata / 'differences').glob('*.pb.gz')):
        t.check(f'{path.name}: profiler-cli shows growth and shrinkage', lambda: signs(scratch_folder, path))
    t.check('a timeline has the values and changes of each dump', lambda: timeline(scratch_folder))
t.done()

#!/usr/bin/env python3
"""The Firefox Profiler, through its own profiler-cli, has to show our values per function, and
in a timeline what changed within a range.

usage: firefox.py BINARY TESTDATA PEERS

PEERS is a folder with what package.json beside this file asks for; ./check --peers makes it.
"""
import json
import os
import pathlib
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from harness import Tests, scratch  # noqa: E402

t = Tests()
MODULES = pathlib.Path(sys.argv[3]).resolve() / 'node_modules'
SYMBOLS = f'--symbol-dir={t.root}'
PROCS = sorted((t.testdata / 'golden').glob('procs*.heap'))
CXX = t.testdata / 'golden' / 'cxx.heap'
SERIES = sorted((t.formats / 'series').glob('*.heap'))


class Session:
    """A profile that is open in profiler-cli."""

    def __init__(self, folder, *args):
        self.folder = folder
        path = pathlib.Path(folder) / 'x.firefox.json'
        t.ok('merge', '-q', '-o', path, *args)
        self.run('load', path)
        for _ in range(60):  # it may go on loading after that
            if self.run('thread', 'list').returncode == 0:
                break
            time.sleep(0.5)

    def run(self, *args):
        node = next(MODULES.glob('node-linux-*/bin/node'))
        return subprocess.run(
            [node, MODULES / '.bin' / 'profiler-cli', *args, '--session', 'test'],
            capture_output=True, check=False, cwd=self.folder, stdin=subprocess.DEVNULL,
            env={**os.environ, 'PROFILER_CLI_SESSION_DIR': self.folder,
                 'PATH': f'{node.parent}:{os.environ["PATH"]}'}, timeout=60)

    def ask(self, *args):
        done = self.run(*args)
        if done.returncode != 0:
            raise AssertionError(f'profiler-cli {args}: {done.stderr.decode()}')
        return done.stdout.decode()

    def functions(self, thread):
        """{name: (self, total)}"""
        self.ask('thread', 'select', thread)
        return {row['name']: (row['selfSamples'], row['totalSamples'])
                for row in json.loads(self.ask('thread', 'functions', '--json'))['functions']}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.run('stop')


def compare(theirs, rows, slack):
    own = {name: (flat, cum) for flat, cum, name in rows if cum > slack}
    return [f'{name}: {theirs.get(name)} instead of {values}' for name, values in own.items()
            if name not in theirs or any(abs(a - b) > slack for a, b in zip(theirs[name], values))]


def functions(folder, *args):
    faults = []
    with Session(folder, *args) as session:
        for number, metric in enumerate(('inuse-space', 'inuse-objects')):
            rows = t.ok('top', '-n0', '--unit=B', f'--metric={metric}', *args).rows()
            faults += [f'{metric}: {fault}' for fault in
                       compare(session.functions(f't-{number}'), rows, 50)]
    return faults


def timeline(folder):
    """The last dump as a whole; behind the third, what has changed since."""
    def flat(path):
        return {name: flat for flat, _, name in
                t.ok('top', '-n0', '--unit=B', SYMBOLS, path).rows()}

    with Session(folder, '--timeline', SYMBOLS, *SERIES) as session:
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
    t.check('a timeline: what there is, and what changed', lambda: timeline(scratch_folder))
t.done()

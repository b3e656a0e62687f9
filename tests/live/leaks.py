#!/usr/bin/env python3
"""Programs that leak, under jemalloc: `trend` and `diff` list the leaks first, and call nothing else significant.

usage: leaks.py BINARY TESTDATA
"""
import glob
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import time

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'properties'))
import jemalloc  # noqa: E402
from harness import Tests, scratch  # noqa: E402

DUMPS = 24

# The live objects grow by 2,000 a step; the same number is allocated and freed.  The dumps are made when only the
# live ones exist.
PYTHON = '''
import ctypes
mallctl = ctypes.CDLL(None).mallctl
def churn():
    table = {i: str(i) * 3 for i in range(5000)}
    return sum(len(text) for text in table.values())
def dump(n):
    name = ctypes.c_char_p(b"PREFIX.%d.heap" % n)
    if mallctl(b"prof.dump", None, None, ctypes.byref(name), ctypes.c_size_t(8)):
        raise SystemExit("no dump")
base = [bytearray(1000) for _ in range(3000)]
kept = []
for _ in range(30):
    churn()
for step in range(DUMPS):
    dump(step)
    churn()
    kept += [b"x" * (100 + i % 50) for i in range(LEAK)]
'''


def by_number(pattern):
    return sorted(glob.glob(pattern), key=lambda path: int(re.search(r'\.(\d+)\.', path)[1]))


def rows(command, *arguments):
    report = json.loads(t.ok(command, '--format=json', *arguments).out)
    return report, [row['name'] for row in report['rows'] if row['significant']]


def growth_of(row):
    return row['delta']['estimate'] if 'delta' in row else row['last'] - row['first']


def python_dumps(directory, name, leak, accum):
    prefix = directory / name
    source = PYTHON.replace('PREFIX', str(prefix)).replace('DUMPS', str(DUMPS))
    jemalloc.run([sys.executable, '-S', '-c', source.replace('LEAK', str(leak))],
                 {'PYTHONMALLOC': 'malloc', 'PYTHONHASHSEED': '0'}, lg_prof_sample=12,
                 prof_accum=accum)
    return by_number(f'{prefix}.*.heap')


def python_leaks(directory, accum):
    dumps = python_dumps(directory, f'leak-{accum}', 2000, accum)
    faults = [] if len(dumps) == DUMPS else [f'{len(dumps)} dumps']
    for command, arguments in (('trend', dumps), ('diff', [dumps[0], dumps[-1]])):
        report, significant = rows(command, *arguments)
        if not significant or significant[0] != report['rows'][0]['name']:
            faults.append(f'{command}: first is {report["rows"][0]}')
        # The objects, and the list that they are in: a twentieth of them.  Names depend on the build.
        growth = {row['name']: growth_of(row) for row in report['rows']}
        small = [name for name in significant if growth[name] < growth_of(report['total']) / 100]
        if len(significant) > 2 or small:
            faults.append(f'{command}: {significant} are significant')
        # For a series the p-value is limited by its four parts, because memory may also rise and fall.
        sampling, most = report['total'].get('p_sampling', report['total']['p']), {'trend': 1e-3}
        if sampling > 1e-6 or report['total']['p'] > most.get(command, 1e-6):
            faults.append(f'{command}: the total has p {report["total"]["p"]}')
    return faults


def python_stays(directory):
    faults = []
    dumps = python_dumps(directory, 'steady', 0, True)
    for command, arguments in (('trend', dumps), ('diff', [dumps[0], dumps[-1]])):
        report, significant = rows(command, *arguments)
        if significant or report['total']['significant']:
            faults.append(f'{command}: {significant} are significant')
    return faults


class Redis:
    """A server that writes a dump each 4 MiB that it allocates."""

    def __init__(self, directory):
        self.path = str(directory / 'redis.sock')
        conf = f'prof:true,prof_accum:true,lg_prof_sample:13,lg_prof_interval:22,prof_prefix:{directory}/redis'
        self.server = subprocess.Popen(
            ['redis-server', '--port', '0', '--unixsocket', self.path, '--save', '',
             '--activerehashing', 'no', '--hz', '1', '--dir', str(directory)],
            env={'PATH': os.environ['PATH'], 'LD_PRELOAD': jemalloc.shared_object(), 'MALLOC_CONF': conf},
            stdout=subprocess.DEVNULL)
        deadline = time.time() + 60
        while not os.path.exists(self.path) and time.time() < deadline:
            time.sleep(0.05)
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(self.path)
        self.replies = self.socket.makefile('rb')

    def ask(self, requests):
        """Send all, then read a line for each."""
        self.socket.sendall(b''.join(requests))
        for _ in requests:
            if not self.replies.readline().startswith((b'+', b':')):
                raise AssertionError('redis does not say OK')

    def stop(self):
        self.socket.sendall(b'SHUTDOWN NOSAVE\r\n')
        if self.server.wait(60) != 0:
            raise AssertionError('redis did not end well')


def redis_grows(directory):
    redis = Redis(directory)
    for batch in range(10000):  # small, so that the server's buffers are, whenever it is dumped
        redis.ask([b'SET key:%d %s\r\n' % (10 * batch + n, b'v' * 300) for n in range(10)])
    redis.stop()
    dumps = sorted(glob.glob(f'{directory}/redis.*.heap'),
                   key=lambda path: int(re.search(r'\.(\d+)\.[if]', path)[1]))
    dumps = [path for path in dumps if '.f.heap' not in path][2:]  # started, and not yet ending
    faults = [] if len(dumps) >= 6 else [f'{len(dumps)} dumps']
    for command, arguments in (('trend', dumps), ('diff', [dumps[0], dumps[-1]])):
        report, significant = rows(command, '--by=address', *arguments)
        first = report['rows'][0]
        growth = {row['name']: growth_of(row) for row in report['rows']}
        if not significant or growth[first['name']] != max(growth.values()):
            faults.append(f'{command}: first is {first["name"]}, grown by {growth}')
        # Keys, values and the tables they are in grow; all else is at most noise.
        small = [name for name in significant if growth[name] < sum(growth.values()) / 200]
        if small:
            faults.append(f'{command}: {small} are significant')
    return faults


t = Tests(is_of_machine=True)
with scratch() as folder:
    folder = pathlib.Path(folder)
    for with_accum in (True, False):
        t.check(f'a growing list in CPython is found, prof_accum:{with_accum}',
                lambda: python_leaks(folder, with_accum))
    t.check('CPython with constant memory has no significant growth', lambda: python_stays(folder))
    if shutil.which('redis-server'):
        t.check('redis with more and more keys', lambda: redis_grows(folder))
    else:
        t.check('redis with more and more keys', lambda: ['there is no redis-server'])
t.done()

#!/usr/bin/env python3
"""Processes made here and now under Debian's libjemalloc: a redis whose series of dumps is read as
its newest, forks of python, nginx with its workers, hundreds of git and bash, and runs without
randomization.

usage: processes.py BINARY TESTDATA
"""
import glob
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from harness import Tests, scratch  # noqa: E402

t = Tests(is_of_machine=True)
TOP = ('top', '--no-symbols', '-n0')
FOUND = glob.glob('/usr/lib/*/libjemalloc.so.2') + glob.glob('/usr/lib*/libjemalloc.so.2')
if not FOUND:
    raise SystemExit('no libjemalloc.so.2: apt-get install libjemalloc2')


def environment(folder, prefix, **options):
    conf = {'prof': 'true', 'prof_final': 'true', 'prof_accum': 'true', 'lg_prof_sample': 12,
            'prof_prefix': f'{folder}/{prefix}', **options}
    return {**os.environ, 'LD_PRELOAD': FOUND[0], 'PYTHONMALLOC': 'malloc', 'GIT_PAGER': 'cat',
            'MALLOC_CONF': ','.join(f'{key}:{value}' for key, value in conf.items())}


def sequence(path):
    return int(pathlib.Path(path).name.split('.')[2])


def inuse(*args):
    return json.loads(t.ok('top', '-q', '--no-symbols', '-fjson', *args).out)['total']['inuse-space']['estimate']


def info(*args):
    return json.loads(t.ok('info', '-q', '--no-symbols', '-fjson', *args).out)


def command(connection, *words):
    connection.sendall(b'*%d\r\n' % len(words) + b''.join(
        b'$%d\r\n%s\r\n' % (len(word), word) for word in words))


def redis_dumps(folder):
    """17 of one process, the last when it ends."""
    path = f'{folder}/socket'
    server = subprocess.Popen(
        ['redis-server', '--port', '0', '--unixsocket', path, '--save', '', '--dir', folder,
         '--loglevel', 'warning'], env=environment(folder, 'redis', lg_prof_interval=21),
        stdout=subprocess.DEVNULL)
    connection = socket.socket(socket.AF_UNIX)
    for _ in range(200):
        if os.path.exists(path):
            break
        time.sleep(.05)
    connection.connect(path)
    for i in range(100000):
        command(connection, b'SET', b'key:%d' % (i % 20000), b'x' * (40 + i % 900))
        connection.recv(64)
        if i % 50 == 0 and len(glob.glob(f'{folder}/redis.*.heap')) >= 16:
            break
    command(connection, b'SHUTDOWN', b'NOSAVE')
    server.wait(timeout=60)
    found = sorted(glob.glob(f'{folder}/redis.*.heap'), key=sequence)
    return found[:16] + found[-1:]


def table_of(text):
    """The rows of a report."""
    return re.findall(r'^ +[\d.]+ [KMG]?i?B .*$', text, re.M)


def redis_is_one_process():
    with scratch() as folder:
        dumps = redis_dumps(folder)
        if len(dumps) != 17 or not dumps[-1].endswith('.f.heap'):
            return [f'{len(dumps)} dumps: {dumps[-1:]}']
        newest = dumps[-2]
        label = newest.split('.')[-2]
        got, want = t.ok(*TOP, *dumps).out, t.ok(*TOP, newest).out
        facts = t.ok(*TOP, '-v', *dumps).out
        faults = [facts] * (f'\n17 dumps of 1 process: {label}, the newest before its exit' not in facts)
        faults += [got] * (f'{os.path.basename(newest)}: latest of 17 dumps of one process before it exited\n' not in got)
        faults += ['other rows'] * (table_of(got) != table_of(want) or not table_of(want))
        faults += ['another order'] * (t.ok(*TOP, *dumps[::-1]).out != got)
        values = [inuse(path) for path in dumps]
        faults += ['the sum'] * (abs(inuse('--dumps=sum', *dumps) - sum(values)) > 1)
        faults += ['the peak'] * (inuse('--dumps=peak', '--confidence=none', *dumps) != max(values))
        faults += ['the final one'] * (inuse('--dumps=exit', *dumps) != values[-1])
        return faults


def sums_of_forks(dumps, families):
    """Every process counts, none is refused."""
    report = info(*dumps)
    faults = [f"{len(report['processes'])} processes of {len(dumps)}"] * (len(report['processes']) != len(dumps))
    want = sum(row['total']['inuse-space'] or 0 for row in report['inputs'])
    said = t.ok(*TOP, *dumps).out
    faults += [f'{inuse(*dumps)} instead of {want}'] * (abs(inuse(*dumps) - want) > 1)
    forks = re.search(r'(\d+) processes forked from (one|several)', said)
    if families:
        faults += [said[:600]] * (not forks or (forks[2] == 'one') != (families == 1))
    return faults or f'{len(dumps)} processes, {forks[1] if forks else 0} of them forks'


def forks_of_python():
    program = ('import os\nkept = [b"x" * 1000 for _ in range(5000)]\n'
               'for i in range(4):\n    if os.fork() == 0:\n        mine = [b"y" * 500 for _ in range(i * 1000)]\n'
               '        raise SystemExit\nfor i in range(4):\n    os.wait()\n')
    with scratch() as folder:
        python = os.path.realpath(shutil.which('python3', path='/usr/bin:/bin') or sys.executable)
        subprocess.run([python, '-S', '-c', program], env=environment(folder, 'py'), check=True)
        dumps = glob.glob(f'{folder}/py.*.heap')
        return sums_of_forks(dumps, 1) if len(dumps) == 5 else [f'{len(dumps)} dumps']


def workers_of_nginx():
    with scratch() as folder:
        pathlib.Path(folder, 'conf').write_text(
            f'daemon off;\nuser root;\nworker_processes 3;\npid {folder}/pid;\nerror_log {folder}/log;\n'
            'events {}\nhttp { access_log off;\n'
            f'server {{ listen unix:{folder}/socket; location / {{ return 200 "here"; }} }} }}\n')
        program = shutil.which('nginx', path=os.environ['PATH'] + ':/usr/sbin')
        server = subprocess.Popen([program, '-p', folder, '-e', f'{folder}/log', '-c', f'{folder}/conf'],
                                  env=environment(folder, 'nginx'), stderr=subprocess.DEVNULL)
        for _ in range(200):
            if os.path.exists(f'{folder}/pid') and os.path.exists(f'{folder}/socket'):
                break
            time.sleep(.05)
        for _ in range(30):
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(f'{folder}/socket')
                connection.sendall(b'GET / HTTP/1.0\r\n\r\n')
                connection.recv(4096)
        server.send_signal(signal.SIGQUIT)
        server.wait(timeout=60)
        dumps = glob.glob(f'{folder}/nginx.*.heap')
        if len(dumps) != 4:
            return [f'{len(dumps)} dumps: {pathlib.Path(folder, "log").read_text()}']
        rows = json.loads(t.ok('top', '-q', '--no-symbols', '-fjson', '--by=program', *dumps).out)['rows']
        faults = [str(rows)] * ([pathlib.Path(row['name']).name for row in rows] != ['nginx'])
        return faults or sums_of_forks(dumps, 1)


def many_of_git_and_bash():
    script = 'for i in $(seq 105); do (echo $i; git --version) | cat; done >/dev/null'
    with scratch() as folder:
        subprocess.run(['bash', '-c', script], env=environment(folder, 'p'), check=True)
        dumps = glob.glob(f'{folder}/p.*.heap')
        return sums_of_forks(dumps, None) if len(dumps) > 200 else [f'{len(dumps)} dumps']


def without_randomization():
    """The first dumps of all runs are equal, and their maps do not distinguish the processes."""
    with scratch() as folder:
        for _ in range(2):
            done = subprocess.run(['setarch', '-R', 'git', '--version'], env=environment(folder, 'g'),
                                  capture_output=True, text=True, check=False)
            if done.returncode != 0:
                return [f'setarch -R: {done.stderr}']
        dumps = sorted(glob.glob(f'{folder}/g.*.heap'))
        report, out = info(*dumps), t.ok(*TOP, '-v', *dumps).out
        faults = [str(report['processes'])] * (
            [(process['key'], process['dumps']) for process in report['processes']] != [(None, 1)] * len(dumps))
        faults += [out[:500]] * (f'\n{len(dumps)} inputs' not in f'\n{out}' or 'forked' in out)
        moved = os.path.join(folder, 'g.1.7.m7.heap')
        shutil.copy(dumps[0], moved)
        again = os.path.join(folder, 'g.1.8.m8.heap')
        shutil.copy(dumps[0], again)
        out = t.ok(*TOP, '-v', moved, again).out
        return faults + [out[:300]] * ('2 dumps of 1 process by name alone: m8' not in out)


t.check('17 dumps of one redis: the report is that of its newest dump before the exit', redis_is_one_process)
t.check('python with four children: every process is used', forks_of_python)
t.check('nginx with three workers: every process is used, as one program', workers_of_nginx)
t.check('hundreds of git and bash processes: every process is used', many_of_git_and_bash)
t.check('without address randomization, file names identify processes', without_randomization)
t.done()

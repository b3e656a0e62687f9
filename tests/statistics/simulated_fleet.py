#!/usr/bin/env python3
"""Tests `hprof-sim fleet`, a fleet that is never stored.  Its archive is the same from every build and agrees with
--expected, and hprof-agg finds these sums, processes and true values in it.

usage: simulated_fleet.py BINARY TESTDATA HPROF_SIM [DUMPS [TASKS]]

With DUMPS (10^6 take some minutes, and no disk) it tests only their sums, by TASKS (20) tasks one after the other,
and prints the cost of these and of the last merge: wall and CPU seconds, bytes, peak memory.
"""
import hashlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from harness import METRICS, Tests, scratch  # noqa: E402

SEED, DUMPS = 1, 1000
HOST = 16  # dumps of one, numbered on
DIGEST = '17d34c9c76cbc8268aaad7b700715fee031cf9623f72c583366ece3113fd19db'  # digest of the archive of 1,000 dumps
SUMS = ('live_objects', 'live_bytes', 'ever_objects', 'ever_bytes')  # in the order of METRICS


def fleet(*arguments):
    return subprocess.run([SIM, 'fleet', *map(str, arguments)], check=True,
                          capture_output=True).stdout


def expected(*arguments):
    return json.loads(fleet('--expected', *arguments))


def members(archive):
    """{path: text}; no path twice."""
    found = {}
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for member in tar:
            if member.name in found:
                raise AssertionError(f'{member.name} is there twice')
            found[member.name] = tar.extractfile(member).read().decode()
    return found


def lines_of(texts):
    """The sums of the t* lines of stacks."""
    total = [0] * 4
    for text in texts:
        for line in re.findall(r'^@.*\n  t\*: (\d+): (\d+) \[(\d+): (\d+)\]$', text, re.M):
            total = [a + int(b) for a, b in zip(total, line)]
    return dict(zip(SUMS, total))


def same_bytes():
    found = hashlib.sha256(ARCHIVE).hexdigest()
    return [] if found == DIGEST else [f'the digest is {found}']


def ranges():
    """A dump is the same in any range of dumps that is requested."""
    parts = [members(fleet(SEED, first, 137)) for first in range(0, 959, 137)]
    whole = {name: text for part in parts for name, text in part.items()}
    kept = {name: FILES[name] for name in whole if name in FILES}
    faults = [] if whole == kept and len(whole) == 959 else ['a dump differs between ranges']
    other = fleet(SEED + 1, 0, 10)
    return faults + (['another seed has the same dumps'] if other in ARCHIVE else [])


def second_reader():
    faults = []
    if lines_of(FILES.values()) != EXPECTED['all']['lines']:
        faults.append(f'{lines_of(FILES.values())} is not {EXPECTED["all"]["lines"]}')
    for what, found in (('dumps', len(FILES)), ('bytes', len(ARCHIVE)),
                        ('ended', sum('.f.heap' in name for name in FILES))):
        if found != EXPECTED[what]:
            faults.append(f'{what}: {found}, expected {EXPECTED[what]}')
    return faults


def totals(archive, *options):
    """The totals of each metric, with their ends, and the processes."""
    out = t.ok('top', '--no-symbols', '-q', '-fjson', '-n1', '--tar=-', *options,
               stdin=archive).out
    report = json.loads(out)
    return report['total'], report['processes']


def sums_of(archive, sums, *options):
    found = totals(archive, '--estimator=none', *options)[0]
    return [f'{metric} {" ".join(options)}: {found[metric]["estimate"]:.0f}, expected {sums[name]}'
            for metric, name in zip(METRICS, SUMS) if found[metric]['estimate'] != sums[name]]


def added_up():
    return (sums_of(ARCHIVE, EXPECTED['all']['lines'], '--dumps=sum')
            + sums_of(ARCHIVE, EXPECTED['last']['lines']))


def processes():
    found = totals(ARCHIVE)[1]
    faults = [f'{what}: {found[name]}, expected {wanted}'
              for what, name, wanted in (('processes', 'count', EXPECTED['processes']),
                                         ('dumps', 'dumps', DUMPS), ('nothing tells', 'unidentified', 0))
              if found[name] != wanted]
    return faults + ([] if EXPECTED['forks'] and EXPECTED['ended'] else ['no forks, or no exits'])


def far_off(found, sums, what):
    """By more than 2.5 half widths of 95 %, that is 4.9 standard errors."""
    faults = []
    for metric, name in zip(METRICS, SUMS):
        if 'objects' in metric:
            continue  # mixed sizes: the interval has one bound
        cell, true = found[metric], sums['truth'][name]
        side = cell['high'] if true > cell['estimate'] else cell['low']
        if abs(true - cell['estimate']) > 2.5 * abs(side - cell['estimate']):
            faults.append(f'{what} {metric}: {cell}, but true is {true}')
    return faults


def truth():
    return (far_off(totals(ARCHIVE)[0], EXPECTED['last'], 'last')
            + far_off(totals(ARCHIVE, '--dumps=sum')[0], EXPECTED['all'], 'sum'))


def kinds():
    """The features that make the fleet difficult are present."""
    def count(pattern):
        return sum(re.search(pattern, text, re.M) is not None for text in FILES.values())

    texts = list(FILES.values())
    found = {
        'private builds': count(r' /home/build-'), 'names of 300 bytes': count(r' /\S{299,}$'),
        'recursion': count(r'( 0x[0-9a-f]+)\1\1\1'), 'JIT': count(r' 0x3a[0-9a-f]{10} '),
        'names of threads': count(r'\] worker$'), 'two threads': count(r'^  t\*.*\n  t.*\n  t'),
        'equal dumps': len(texts) - len(set(texts)),
        'long names': sum(len(name) > 255 for name in FILES),
        'older dumps': sum('.1.i1.' in name for name in FILES),
    }
    periods = {re.match(r'heap_v2/(\d+)', text)[1] for text in texts}
    faults = [f'none: {what}' for what, number in found.items() if number == 0]
    share = found['private builds'] / len(texts)
    if not 0.03 < share < 0.08 or len(periods) < 4:
        faults.append(f'{share:.1%} private builds, {len(periods)} periods')
    return faults


def shared():
    """With --shared, stacks are repeated: ten times as many dumps have fewer than twice as many stacks."""
    def stacks(dumps):
        out = t.ok('top', '--no-symbols', '--estimator=none', '-n1', '-q', '--tar=-', '-fjson',
                   stdin=fleet('--shared', SEED, 0, dumps)).out
        return json.loads(out)['inputs']['stacks']

    few, many = stacks(400), stacks(4000)
    return [f'{few} and {many} stacks'] if many > 6 * few else []


def size():
    """The size of a partial without 32 bytes a dump, 12 of them for the digest that finds equal dumps: for 10,000 dumps it is 43.5 B a stack; the requirement is 45."""
    with scratch() as folder:
        partial = pathlib.Path(folder, 'all.hpa')
        t.ok('merge', '-q', '--tar=-', '-o', partial, stdin=ARCHIVE)
        stacks = json.loads(t.ok('top', '--no-symbols', '-q', '-fjson', '-n1', partial).out)['inputs']['stacks']
        each = (partial.stat().st_size - 32 * DUMPS) / stacks
        return [f'{each:.2f} bytes'] if each > 44 else f'{each:.2f} B a stack'


class Cost:
    """The cost of child processes, each with its own peak."""

    def __init__(self):
        self.start, self.cpu, self.peak = time.monotonic(), 0.0, 0

    def run(self, *command, stdin=None):
        child = subprocess.Popen(list(map(str, command)), stdin=stdin)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.cpu += usage.ru_utime + usage.ru_stime
        self.peak = max(self.peak, usage.ru_maxrss / 1024)
        if child.returncode:
            raise AssertionError(f'{command}: status {child.returncode}')

    def __str__(self):
        return (f'wall {time.monotonic() - self.start:.1f} s, CPU {self.cpu:.1f} s, '
                f'peak {self.peak:.0f} MiB')


def by_tasks(dumps, tasks, *options):
    """Each task reads its part of the fleet from a pipe; one merge adds up their outputs."""
    sums = expected(SEED, 0, dumps)
    suffix = '.hpa' if 'hpa' in t.ok('help', 'merge').out else '.pb.gz'
    with scratch() as folder:
        parts = [pathlib.Path(folder, f'{task}{suffix}') for task in range(tasks)]
        whole = pathlib.Path(folder, f'all{suffix}')
        cost = Cost()
        for task, part in enumerate(parts):
            # Processes are not divided: all of a host is in one task.
            first, end = (HOST * (dumps * i // tasks // HOST) for i in (task, task + 1))
            end = dumps if task + 1 == tasks else end
            with subprocess.Popen([SIM, 'fleet', str(SEED), str(first), str(end - first)],
                                  stdout=subprocess.PIPE) as source:
                cost.run(t.binary, 'merge', *options, '--no-symbols', '-q', '--tar=-', '-o', part,
                         stdin=source.stdout)
                source.stdout.close()
        print(f'# map {dumps} dumps, {sums["bytes"]} bytes, by {tasks} tasks: {cost}; '
              f'{sum(part.stat().st_size for part in parts)} bytes of {suffix}', flush=True)
        cost = Cost()
        cost.run(t.binary, 'merge', *options, '--no-symbols', '-q', *parts, '-o', whole)
        print(f'# reduce: {cost}; {whole.stat().st_size} bytes', flush=True)
        out = t.ok('top', '--no-symbols', '-q', '-fjson', '-n1', *options, whole, timeout=3600).out
    return sums, json.loads(out)


def exact(dumps, tasks):
    sums, report = by_tasks(dumps, tasks, '--estimator=none')
    print(f'# {report["inputs"]["stacks"]} stacks')
    return [f'{metric}: {report["total"][metric]["estimate"]:.0f}, expected {sums["last"]["lines"][name]}'
            for metric, name in zip(METRICS, SUMS)
            if report['total'][metric]['estimate'] != sums['last']['lines'][name]]


def estimated(dumps, tasks):
    sums, report = by_tasks(dumps, tasks)
    return far_off(report['total'], sums['last'], 'last')


t = Tests()
SIM = sys.argv[3]
if len(sys.argv) > 4:
    MANY, TASKS = int(sys.argv[4]), int(sys.argv[5]) if len(sys.argv) > 5 else 20
    t.check(f'{MANY} dumps, never stored, add up exactly', lambda: exact(MANY, TASKS))
    t.check(f'{MANY} dumps, never stored, have estimates close to the truth', lambda: estimated(MANY, TASKS))
    t.done()
ARCHIVE = fleet(SEED, 0, DUMPS)
FILES = members(ARCHIVE)
EXPECTED = expected(SEED, 0, DUMPS)
t.check('the archive has the same bytes in every build', same_bytes)
t.check('a dump is the same in every range, and differs with another seed', ranges)
t.check('another reader finds the expected sums', second_reader)
t.check('hprof-agg finds the expected sums of all dumps and of the newest ones', added_up)
t.check('hprof-agg finds the processes', processes)
t.check('the estimates of hprof-agg are close to the truth', truth)
t.check('the fleet has private builds, recursion, JIT code, forks and long names', kinds)
t.check('an aggregate file takes at most 44 B per distinct stack and 32 B per dump', size)
t.check('with --shared the number of stacks is bounded', shared)
t.check('20,000 dumps, by four tasks, add up exactly', lambda: exact(20000, 4))
t.done()

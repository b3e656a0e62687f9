#!/usr/bin/env python3
"""`hprof-sim fleet`, the fleet that is never stored: the archive it writes is the same in every
build, says what --expected says of it, and hprof-agg finds these sums, processes and truth in it.

usage: simulated_fleet.py BINARY TESTDATA HPROF_SIM [DUMPS]

With DUMPS (10^6 take some minutes, no disk) only the sums of so many, and what it took:
wall and CPU seconds of both programs, bytes, peak memory.
"""
import hashlib
import io
import json
import math
import pathlib
import re
import resource
import subprocess
import sys
import tarfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from harness import METRICS, Tests, scratch  # noqa: E402

SEED, DUMPS = 1, 1000
DIGEST = '17d34c9c76cbc8268aaad7b700715fee031cf9623f72c583366ece3113fd19db'  # of the archive of 1,000 dumps
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
    """A dump is the same whatever range it is asked for in."""
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
    found = totals(archive, '--no-unbias', *options)[0]
    return [f'{metric} {" ".join(options)}: {found[metric]["estimate"]:.0f}, expected {sums[name]}'
            for metric, name in zip(METRICS, SUMS) if found[metric]['estimate'] != sums[name]]


def added_up():
    return (sums_of(ARCHIVE, EXPECTED['all']['lines'], '--snapshots=sum')
            + sums_of(ARCHIVE, EXPECTED['last']['lines']))


def processes():
    found = totals(ARCHIVE)[1]
    faults = [f'{what}: {found[name]}, expected {wanted}'
              for what, name, wanted in (('processes', 'count', EXPECTED['processes']),
                                         ('dumps', 'dumps', DUMPS), ('nothing tells', 'untold', 0))
              if found[name] != wanted]
    return faults + ([] if EXPECTED['forks'] and EXPECTED['ended'] else ['no forks, or no exits'])


def truth():
    """Off by at most 2.5 half widths of 95 %, that is 4.9 standard errors."""
    faults = []
    for snapshots, which in (('last', 'last'), ('sum', 'all')):
        found = totals(ARCHIVE, f'--snapshots={snapshots}')[0]
        for metric, name in zip(METRICS, SUMS):
            if 'objects' in metric:
                continue  # of mixed sizes: the interval has one end
            cell, true = found[metric], EXPECTED[which]['truth'][name]
            side = cell['high'] if true > cell['estimate'] else cell['low']
            if abs(true - cell['estimate']) > 2.5 * abs(side - cell['estimate']):
                faults.append(f'{snapshots} {metric}: {cell}, but true is {true}')
    return faults


def kinds():
    """What makes it a hard fleet is there."""
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
    """With --shared stacks come again: ten times the dumps have not twice the stacks."""
    def stacks(dumps):
        out = t.ok('top', '--no-symbols', '--no-unbias', '-n1', '-q', '--tar=-', '-fjson',
                   stdin=fleet('--shared', SEED, 0, dumps)).out
        return json.loads(out)['inputs']['stacks']

    few, many = stacks(400), stacks(4000)
    return [f'{few} and {many} stacks'] if many > 6 * few else []


def by_hand(dumps):
    """One pipe from generator to `merge`; what the children took is what getrusage says."""
    sums = expected(SEED, 0, dumps)
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    with scratch() as folder:
        out = pathlib.Path(folder, 'fleet.pb.gz')
        with subprocess.Popen([SIM, 'fleet', str(SEED), '0', str(dumps)],
                              stdout=subprocess.PIPE) as source:
            subprocess.run([t.binary, 'merge', '--no-unbias', '--no-symbols', '-q', '--tar=-',
                            '-o', out], stdin=source.stdout, check=True)
            source.stdout.close()
        wall, size = time.monotonic() - start, out.stat().st_size
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found = t.totals('--no-unbias', out, timeout=3600)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f'# {dumps} dumps, {sums["bytes"]} bytes: wall {wall:.1f} s, CPU {cpu:.1f} s, '
          f'peak {after.ru_maxrss / 1024:.0f} MiB, profile {size} bytes')
    return [f'{metric}: {found[metric]}, expected {sums["last"]["lines"][name]}'
            for metric, name in zip(METRICS, SUMS) if found[metric] != sums['last']['lines'][name]]


t = Tests()
SIM = sys.argv[3]
if len(sys.argv) > 4:
    t.check(f'{sys.argv[4]} dumps, never stored, add up', lambda: by_hand(int(sys.argv[4])))
    t.done()
ARCHIVE = fleet(SEED, 0, DUMPS)
FILES = members(ARCHIVE)
EXPECTED = expected(SEED, 0, DUMPS)
t.check('the archive has the same bytes in every build', same_bytes)
t.check('a dump is the same in every range, and another with another seed', ranges)
t.check('another reader finds the expected sums', second_reader)
t.check('hprof-agg finds the expected sums, of all dumps and of the newest', added_up)
t.check('hprof-agg finds the processes', processes)
t.check('hprof-agg estimates the truth', truth)
t.check('private builds, recursion, JIT, forks, long names are among them', kinds)
t.check('with --shared the number of stacks is bounded', shared)
t.done()

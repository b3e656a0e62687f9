#!/usr/bin/env python3
"""Recordings of native allocations of a JVM, which contrib/jfr/jfr-native-memory turns into folded stacks: sums are
those of the program that was recorded (testdata/jfr/Alloc.java), and hprof-agg shows them unchanged.
"""
import collections
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from harness import IS_SAMPLE, Tests, scratch

t = Tests()
JFR = t.testdata / 'jfr'
SCRIPT = pathlib.Path(__file__).resolve().parents[2] / 'contrib/jfr/jfr-native-memory'
MIB = 1 << 20
PERIOD = 512 << 10


def printed(name):
    return gzip.decompress((JFR / f'{name}.json.gz').read_bytes())


def convert(text, *options):
    """What the script writes of a printed recording: status, folded stacks, message."""
    done = subprocess.run([sys.executable, SCRIPT, *options], input=text, capture_output=True, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def folded(name, *options):
    """The bytes of each stack."""
    status, out, err = convert(printed(name), *options)
    assert status == 0, err
    return {stack: int(value) for stack, _, value in (line.rpartition(' ') for line in out.splitlines())}


def of_site(stacks, site):
    """The bytes that a method of the recorded program allocated."""
    return sum(value for stack, value in stacks.items() if f';Alloc.{site};' in stack)


def sites():
    stacks = folded('sites', f'--interval={PERIOD}')
    true = {'small': 40000 * 5600, 'large': 100 * MIB}
    faults = [f'{site}: {of_site(stacks, site)} for {value}' for site, value in true.items()
              if abs(of_site(stacks, site) / value - 1) > .01]
    total = sum(stacks.values()) / sum(true.values()) - 1
    return faults + ([f'total off by {total}'] if abs(total) > .01 else [])


def loop():
    """A place that allocates in a fixed pattern has all samples of another: docs/howto/jvm-native-memory.md says so."""
    stacks = folded('loop', f'--interval={PERIOD}')
    found = of_site(stacks, 'first'), of_site(stacks, 'three')
    return [] if sorted(found) == [0, 390 * PERIOD] else [f'{found}: bytes where 48.8 and 146.5 MiB are right']


def every_allocation():
    """With an interval of 1 the values are those of async-profiler's own converter, stack for stack."""
    hooks = {frame['method']['name'] for event in json.loads(printed('few'))['recording']['events']
             if event['values'].get('stackTrace') for frame in event['values']['stackTrace']['frames']
             if (frame['method']['type']['name'] or '').startswith('libasyncProfiler')}
    theirs, ours = collections.Counter(), collections.Counter()
    for line in (JFR / 'few.collapsed').read_text().splitlines():
        stack, _, value = line.rpartition(' ')
        names = [re.sub(r'_\[.\]$', '', name).replace('/', '.') for name in stack.split(';')]
        theirs[';'.join(name for name in names if name not in hooks)] += int(value)
    for stack, value in folded('few', '--interval=1').items():
        ours[stack.replace('[profiler]', '')] += value
    assert len(theirs) > 20
    return [f'{stack}: {ours[stack]}, {theirs[stack]}' for stack in ours | theirs if ours[stack] != theirs[stack]]


def live():
    grown = sum(-(-(20000 + i) // 8) * 8 for i in range(1, 30, 3))  # a JVM rounds sizes to 8 bytes
    faults = []
    for name, times in ('few', 1), ('chunks', 2):
        stacks = folded(name, '--interval=1', '--live')
        true = {'small': 10 * 5600 * times, 'grown': grown * times, 'large': 5 * MIB * times, 'before': 0}
        faults += [f'{name}: {site} has {of_site(stacks, site)}, {value} is right'
                   for site, value in true.items() if of_site(stacks, site) != value]
        everything = folded(name, '--interval=1')
        faults += [] if of_site(everything, 'small') == 30 * 5600 * times else [f'{name}: all of small']
    faults += [] if convert(printed('sites'), '--live')[0] == 1 else ['a recording without frees has --live']
    return faults


def event(kind, **values):
    stack = {'frames': [{'method': {'type': {'name': 'a/B'}, 'name': 'c'}, 'type': 'Interpreted'}]}
    return {'type': kind, 'values': {'startTime': '2026-01-01T00:00:00Z', 'stackTrace': stack, **values}}


def of_events(*events):
    return json.dumps({'recording': {'events': events}}).encode()


def rules():
    """The interval that a recording has is used; Datadog's events have weights; frees are sorted by time."""
    sample = event('profiler.Malloc', size=100, address=1)
    setting = event('jdk.ActiveSetting', name='nativemem', value='4096')
    weighed = event('datadog.NativeMemoryAllocation', size=100, weight=2.5)
    early = event('profiler.Free', address=1, startTime='2025-12-31T23:59:59.999999999Z')
    late = event('profiler.Free', address=1, startTime='2026-01-01T00:00:00.0000001Z')
    for events, options, wanted in (([sample, setting], [], 'a.B.c 4096\n'), ([sample], ['--interval=5000'], 'a.B.c 5000\n'),
                                    ([sample, sample], ['--interval=1'], 'a.B.c 200\n'), ([weighed], [], 'a.B.c 250\n'),
                                    ([sample, early], ['--interval=1', '--live'], 'a.B.c 100\n'),
                                    ([late, sample], ['--interval=1', '--live'], ''),
                                    ([sample], [], None), ([weighed], ['--live'], None)):
        status, out, err = convert(of_events(*events), *options)
        assert (status, out) == ((0, wanted) if wanted is not None else (1, '')), (events, options, out, err)


def cut():
    text = printed('few')
    for size in (0, 1, len(text) // 3, len(text) // 2, len(text) - 30):
        status, out, err = convert(text[:size], '--interval=1')
        line = f'line {text[:size].count(10) + 1}:'.encode().decode()
        if status != 1 or out or line not in err:
            return [f'{size} bytes: status {status}, {len(out)} bytes, {err}, not {line}']
    return []


def memory():
    """100 MB of printed events take at most 100 MB; a sample is of 10 MB and 50 MB."""
    size, most = (10, 50) if IS_SAMPLE else (100, 100)
    events = json.dumps(json.loads(printed('few'))['recording']['events'], indent=2)[1:-1].encode()
    with tempfile.TemporaryFile() as out:
        with subprocess.Popen([sys.executable, SCRIPT, '--live', '--interval=1'], stdin=subprocess.PIPE, stdout=out) as run:
            run.stdin.write(b'{"recording": {"events": [')
            for i in range(size * 10**6 // len(events) + 1):
                run.stdin.write((b',' if i else b'') + events)
            run.stdin.write(b']}}')
            run.stdin.close()
            _, status, usage = os.wait4(run.pid, 0)
            run.returncode = os.waitstatus_to_exitcode(status)
    assert run.returncode == 0
    return [f'{usage.ru_maxrss} KiB'] if usage.ru_maxrss * 1024 > most * 10**6 else f'{usage.ru_maxrss >> 10} MiB'


def read(folder):
    """hprof-agg shows the sums unchanged, and names a recording that was not converted."""
    (folder / 'a.folded').write_text(convert(printed('sites'), f'--interval={PERIOD}')[1])
    report = json.loads(t.ok('top', '-fjson', '--show=^Alloc', folder / 'a.folded').out)
    flat = {row['name']: row['flat']['inuse-space'] for row in report['rows']}
    assert flat['Alloc.large'] == {'estimate': 100 * MIB, 'low': None, 'high': None}, flat
    refused = t.run('top', JFR / 'sites.jfr', is_coded=True)
    return [] if refused.code == 5 and 'file-jfr' in refused.err else [refused.err]


for what, test in (('each site and the total are within 1 %', sites),
                   ('a fixed pattern hides a place, and doubles another', loop),
                   ("with interval 1 the values are async-profiler's", every_allocation),
                   ('--live pairs frees, also those of realloc, of before and of another chunk', live),
                   ('intervals, weights and times are used', rules),
                   ('a truncated recording is refused with its line', cut),
                   ('memory is bounded', memory)):
    t.check(what, test)
with scratch() as directory:
    t.check('hprof-agg shows the sums unchanged', lambda: read(pathlib.Path(directory)))
t.done()

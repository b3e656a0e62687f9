#!/usr/bin/env python3
"""R37: whatever signal that can be caught ends a run, and whenever: the target is the old file or the
whole new one, no temporary is left, and the status is the signal's.  So it is with and without files that
have no name.  After SIGKILL a temporary is left only where there are no such files, or between two calls.

usage: signals.py BINARY TESTDATA [MOMENTS]      (of each signal; 200 by hand)
"""
import os
import pathlib
import random
import resource
import signal
import subprocess
import sys
import time

import nameless
from harness import Tests, scratch

t = Tests()
MOMENTS = int(sys.argv[3]) if len(sys.argv) > 3 else 6
KILLS = max(MOMENTS, 20)
NAMES = 'HUP INT QUIT TERM ALRM VTALRM PROF USR1 USR2 XCPU SEGV BUS FPE ILL ABRT SYS'.split()
# Sanitizers have handlers of faults themselves.
OFF = ':'.join(f'handle_{name}=0' for name in 'segv sigbus sigfpe sigill sigtrap abort'.split())
ENVIRONMENT = {**os.environ, **{f'{name}_OPTIONS': f"{os.environ.get(name + '_OPTIONS', '')}:{OFF}"
                                for name in ('ASAN', 'UBSAN', 'TSAN')}}
DUMPS = sorted((t.testdata / 'formats' / 'procs').glob('*.heap'))
COMMAND = t.command('merge', '-ffolded', f'--symbol-dir={t.root}', '-j2', '-o', 'out', *DUMPS)


def prepare(has_nameless):
    for name in NAMES:
        signal.signal(getattr(signal, 'SIG' + name), signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not has_nameless:
        nameless.deny()


def start(folder, has_nameless=True):
    (folder / 'out').write_text('old\n')
    (folder / 'out').chmod(0o640)
    return subprocess.Popen(COMMAND, cwd=folder, preexec_fn=lambda: prepare(has_nameless), env=ENVIRONMENT,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def whole(folder):
    """The report, and how many seconds it takes."""
    begin = time.monotonic()
    assert start(folder).wait() == 0
    return (folder / 'out').read_text(), time.monotonic() - begin


ENDED = {}  # signal: how many runs ended by it


def interrupted(number):
    """The faults after one signal at each moment."""
    r = random.Random(number)
    faults, ended = [], 0
    with scratch() as name:
        folder = pathlib.Path(name)
        report, seconds = whole(folder)
        for i in range(MOMENTS):
            process = start(folder, i % 2 == 0)
            moment = r.uniform(0, seconds * 1.1)
            time.sleep(moment)
            process.send_signal(number)
            code = process.wait()
            text, names = (folder / 'out').read_text(), os.listdir(folder)
            ended += code == -number
            if code not in (0, -number) or names != ['out'] or \
                    text != 'old\n' and text != report or code == 0 and text != report:
                faults.append(f'after {moment:.4f} s: ended with {code}, {names}, {len(text)} bytes')
                (folder / 'out').write_text('old\n')
                for left in folder.glob('.hprof*'):
                    left.unlink()
    ENDED[number] = ended
    return faults or f'{ended} of {MOMENTS} ended by it'


def killed(has_nameless):
    """SIGKILL at random moments; how many temporaries are left."""
    r = random.Random(signal.SIGKILL)
    faults, ended, most = [], 0, 2 if has_nameless else KILLS
    with scratch() as name:
        folder = pathlib.Path(name)
        if has_nameless and not nameless.works_in(folder):
            return 'not here: the file system has no files without a name'
        report, seconds = whole(folder)
        for _ in range(KILLS):
            process = start(folder, has_nameless)
            time.sleep(r.uniform(0, seconds * 1.1))
            process.kill()
            code = process.wait()
            text, mode = (folder / 'out').read_text(), (folder / 'out').stat().st_mode & 0o777
            ended += code == -signal.SIGKILL
            if code not in (0, -signal.SIGKILL) or mode != 0o640 or text not in ('old\n', report) or \
                    code == 0 and text != report:
                faults.append(f'ended with {code}, {mode:o}, {len(text)} bytes')
        left = len(os.listdir(folder)) - 1
    faults += [] if left <= most else [f'{left} temporaries are left']
    return faults or f'{ended} of {KILLS} ended by it, {left} temporaries left'


def too_large():
    """ulimit -f ends a write with an error, not the program with a signal."""
    with scratch() as name:
        folder = pathlib.Path(name)
        (folder / 'out').write_text('old\n')
        done = subprocess.run(
            ['sh', '-c', 'ulimit -f 1; exec "$@"', 'sh', t.binary, 'merge', '-fcallgrind', '--no-symbols',
             '-o', 'out', t.formats / 'jemalloc-lg0.heap'], cwd=folder, capture_output=True,
            preexec_fn=lambda: signal.signal(signal.SIGXFSZ, signal.SIG_DFL), check=False)
        good = done.returncode == 6 and b'File too large' in done.stderr and \
            os.listdir(folder) == ['out'] and (folder / 'out').read_text() == 'old\n'
        return [] if good else [f'{done.returncode} {done.stderr!r} {os.listdir(folder)}']


for signal_name in NAMES:
    t.check(f'R37: SIG{signal_name} at {MOMENTS} times leaves the old file or the complete new one',
            lambda: interrupted(getattr(signal, 'SIG' + signal_name)))
t.check(f'R37: SIGKILL at {KILLS} times leaves only the old file or the complete new one', lambda: killed(True))
t.check(f'R37: SIGKILL at {KILLS} times is safe if nameless files are not supported', lambda: killed(False))
t.check('R37: signals arrived during the runs',
        lambda: [] if len([n for n in ENDED.values() if n]) > len(NAMES) / 2 else [str(ENDED)])
t.check('R16: ulimit -f ends with 6 and leaves the old file', too_large)
t.done()

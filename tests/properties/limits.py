#!/usr/bin/env python3
"""Inputs that ask for more than is reasonable are refused early, and take little memory; those that are merely large
are read.  bench/limits measures the times.
"""
import gzip
import json
import pathlib
import re
import subprocess
import sys
import threading

import big_inputs
from harness import Tests, scratch
from rooted import gone

t = Tests()
HERE = pathlib.Path(__file__).resolve().parent
LINE = 'a line of more than 16 MiB'


def communicate(process):
    """Popen.communicate() while another thread writes the input."""
    errors = []
    reader = threading.Thread(target=lambda: errors.append(process.stderr.read()))
    reader.start()
    out = process.stdout.read()
    reader.join()
    process.wait()
    return out, errors[0]


class Run:
    """A run of `info`, or another command, on an input: its messages, and its peak memory in MiB."""

    def __init__(self, *args, pieces=(), command='info'):
        self.fed = 0
        with scratch() as folder:
            report = pathlib.Path(folder, 'report')
            process = subprocess.Popen(
                [sys.executable, '-S', HERE / 'peak_memory.py', report,
                 *t.command(command, *['-v'] * (command == 'info'), '--no-symbols', *args)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            feeder = threading.Thread(target=self.feed, args=(process.stdin, pieces))
            feeder.start()
            self.out, self.err = (text.decode('utf-8', 'surrogateescape') for text in communicate(process))
            feeder.join()
            code, memory, _ = report.read_text().split()
        self.code, self.memory = int(code), int(memory) / 1024

    def feed(self, pipe, pieces):
        try:
            for piece in pieces:
                self.fed += pipe.write(piece)
            pipe.close()
        except BrokenPipeError:
            pass

    def faults(self, code, says, memory):
        faults = []
        if self.code != code or says not in self.err + self.out:
            faults.append(f'ended with {self.code}, without {says!r}: {self.err[:300]!r}')
        if self.memory > memory:
            faults.append(f'took {self.memory:.0f} MiB, more than {memory}')
        return faults


def bomb(content):
    with scratch() as folder:
        path = pathlib.Path(folder, 'bomb.gz')
        path.write_bytes(content)
        return Run(path).faults(7, '--max-input-size=SIZE allows more', 100)


def bomb_by_request(content, size):
    """With a limit that the user sets, it unpacks up to the limit, and no further."""
    with scratch() as folder:
        path = pathlib.Path(folder, 'bomb.gz')
        path.write_bytes(content)
        limit = 100 << 20
        faults = Run('--max-input-size=100MiB', path).faults(7, f'more than {limit} bytes', 250)
        plain = pathlib.Path(folder, 'plain')
        plain.write_bytes(big_inputs.HEAD + big_inputs.STACK + big_inputs.MAPS)
        faults += Run('--max-input-size=50B', plain).faults(7, 'more than 50 bytes', 50)
        return faults + ([] if size > limit else [f'no bomb: {size} bytes'])


def archive_bomb():
    with scratch() as folder:
        path = pathlib.Path(folder, 'bomb.tgz')
        path.write_bytes(big_inputs.archive_bomb())
        return Run(f'--tar={path}').faults(7, '--max-input-size=SIZE allows more', 100)


def alike():
    content = big_inputs.archive_of_equals()
    packed = gzip.compress(content, 9, mtime=0)
    with scratch() as folder:
        path = pathlib.Path(folder, 'alike.tgz')
        path.write_bytes(packed)
        run = Run('--estimator=none', f'--tar={path}')
    space = sum(64 + i for i in range(800))
    faults = run.faults(0, f'total inuse-space {space}.000', 100)
    if len(content) < 40 << 20 or len(content) < 250 * len(packed):
        faults.append(f'no test: {len(packed)} of {len(content)} bytes')
    return faults


def endless(before, unit):
    def pieces():
        yield before
        yield from big_inputs.repeated(unit, 1 << 30)
    run = Run('-', pieces=pieces())
    faults = run.faults(7, LINE, 100)
    if run.fed > 80 << 20:
        faults.append(f'{run.fed} bytes were read before it was refused')
    return faults


def large(pieces, says, space, per_byte):
    """The input is read, its total is `space`, and the memory is proportional to its contents."""
    run = Run('--estimator=none', '-', pieces=pieces)
    size = run.fed / (1 << 20)
    faults = run.faults(0, says, per_byte * size + 50)
    total = re.search(r'total inuse-space +(\d+)', run.out)
    if not total or int(total[1]) != space:
        faults.append(f'total {total and total[1]}, not {space}: {run.out[-300:]!r}')
    return faults or f'{size:.0f} MiB'


def unlimited(out):
    """The report of `info -v` without the lines about the limit of memory."""
    return re.sub(r'(?m)^memory\n  limit .*\n', '', out)


def memory():
    """Within --max-memory there is the whole report, or none and a sentence that says at which input it stopped."""
    with scratch() as folder:
        path = pathlib.Path(folder, 'large.heap')
        path.write_bytes(b''.join(big_inputs.hashed_apart()))
        whole = Run('-j4', path)
        codes, faults = [], []
        for size in range(1, 200, 10):
            run = Run('-j4', f'--max-memory={size}MiB', path)
            says = f'--max-memory is too small, while reading {path}\n'
            codes.append(run.code)
            limit = f'\n  limit        {size}.0 MiB, by --max-memory\n'
            is_whole = unlimited(run.out) == unlimited(whole.out) and limit in run.out
            if run.code == 0 and not is_whole or (
                    run.code != 0 and (run.out or says != run.err.removeprefix('hprof-agg: '))):
                faults.append(f'{size} MiB: {run.code} {run.err[:200]!r}')
            if run.memory > size + 20:  # includes the pages of programs and libraries
                faults.append(f'{size} MiB: took {run.memory:.0f}')
    if codes != sorted(codes, reverse=True) or set(codes) != {0, 7}:
        faults.append(f'ended with {codes}')
    return faults


def memory_enough():
    """Unused capacity of arrays is counted as memory, so there must be little of it."""
    faults, shares = [], []
    with scratch() as folder:
        path = pathlib.Path(folder, 'large.heap')
        path.write_bytes(b''.join(big_inputs.stacks(70000)))
        for args in (['top'], ['top', '-fhtml'], ['stacks'], ['merge', '-ffolded'], ['merge', '-fpprof']):
            whole = Run(*args[1:], '--max-memory=none', path, command=args[0])
            shares.append(f'{whole.memory:.0f} MiB')
            limit = int(whole.memory * 1.15 * (1 << 20))
            run = Run(*args[1:], f'--max-memory={limit}', path, command=args[0])
            if (whole.code, run.code) != (0, 0) or run.out != whole.out:
                faults.append(f'{args} takes {whole.memory:.0f} MiB, within {limit >> 20}: {run.code} {run.err[:200]}')
    return faults or ', '.join(shares)


def memory_of_jeprof():
    """The message of jeprof names an option that jeprof accepts."""
    got = t.run('jeprof', '--text', '--max-memory=1MiB', gone(t.formats / 'jemalloc-lg0.heap'))
    says = '--max-memory is too small'
    return [] if (got.code, got.out) == (7, '') and says in got.err else [f'{got.code} {got.err}']


def memory_for_names():
    """A symbolizer without memory costs the names, and a message says so."""
    args = ['top', '-fjson', f'--symbol-dir={t.root}', t.testdata / 'golden' / 'procs1.heap']
    whole = t.ok(*args)
    starved = t.run(*args, '--max-memory=14MiB')  # demangling takes a stack of 16
    told = 'no symbols for /srv/corpus/formats/alloc_c (99.3% of memory): memory ran out while it was read'
    faults = [] if told not in whole.out + whole.err else ['told without a limit']
    if starved.code != 0 or told not in starved.out + starved.err:
        faults.append(f'ended with {starved.code}: {starved.err!r}')
    if json.loads(starved.out)['total'] != json.loads(whole.out)['total']:
        faults.append('another total')
    return faults


for name, content, size in big_inputs.bombs():
    t.check(f'R07: {len(content) >> 20} MiB of gzip that contain {size >> 30} GiB are rejected: {name}',
            lambda: bomb(content))
t.check('R07: --max-input-size sets another limit', lambda: bomb_by_request(content, size))
t.check('R07: a bomb in a tar archive is rejected', archive_bomb)
t.check('R07: many similar dumps in a tar archive are not rejected as a bomb', alike)
for name, (before, unit) in big_inputs.endless_lines().items():
    t.check(f'R31: a line of 1 GiB is rejected: {name}', lambda: endless(before, unit))
MILLION = 1000000
t.check('R31: a map of a million rows is read', lambda: large(
    big_inputs.maps(), 'module /srv/lib/l2.so', 64, 4))
t.check('R31, R32: a map of a million overlapping rows in reverse order is read', lambda: large(
    big_inputs.maps_backwards(), '500000 overlapping rows', 64, 4))
t.check('R31: a path at 100,000 offsets is read', lambda: large(
    big_inputs.one_path(), '100000 mapped files', 64 * 100000, 25))
t.check('R31: a million threads are read', lambda: large(
    big_inputs.threads(), 'threads', 64 * MILLION, 4))
t.check('R31: stacks of 65,536 frames are read', lambda: large(
    big_inputs.deep(65536), 'stacks', 64 * 11, 25))
t.check('R31: stacks of 300,000 frames are rejected', lambda: Run(
    '-', pieces=big_inputs.deep(300000)).faults(7, ':3: a stack of more than 65,536 frames', 50))
t.check('R31: a million comments without a frame are read', lambda: large(
    big_inputs.comments(), 'contents', 64, 4))
t.check('R30: a million addresses with equal low bits are read', lambda: large(
    big_inputs.hashed_alike(), 'stacks', 64 * 10000, 12))
t.check('R35: any --max-memory is kept', memory)
t.check('R35: 15 % more memory than a run uses is enough', memory_enough)
t.check('R35: --max-memory is kept by jeprof', memory_of_jeprof)
t.check('R35, F2: the symbolizer keeps to --max-memory too', memory_for_names)
t.done()

#!/usr/bin/env python3
"""Real jemalloc reports each of its sampling decisions; `hprof-sim replay` makes the dump of the same decisions,
which has to equal jemalloc's own, byte by byte.  For both dumps, hprof-agg has to estimate n/p objects and n S/p
bytes for each stack that holds n samples of one size.

usage: replay.py BINARY TESTDATA SIM [--full]

One run of each setting; with --full three.
"""
import itertools
import json
import math
import os
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
import jemalloc  # noqa: E402
from harness import IS_FULL, Tests, scratch  # noqa: E402

SOURCE = pathlib.Path(__file__).resolve().parent / 'replay_alloc.c'
PERIODS = (0, 6, 12, 15, 19)
RUNS = 3 if IS_FULL else 1
MAP = b'MAPPED_LIBRARIES:\n'


class Replay:
    """One run of the program: jemalloc's decisions, its dump, and our dump of the same decisions."""

    def __init__(self, program, directory, lg, unbias, accum):
        told, self.real, self.ours = (os.path.join(directory, name)
                                      for name in ('told.json', 'real.heap', 'ours.heap'))
        jemalloc.run([program, told, self.real], lg_prof_sample=lg, prof_unbias=unbias,
                     prof_accum=accum, prof_recent_alloc_max=-1)
        with open(told, encoding='ascii') as file:
            self.samples = json.load(file)['recent_alloc']
        command = [SIM, 'replay', f'--period={1 << lg}', *['--accum'][:accum],
                   *['--raw'][:not unbias]]
        with open(self.ours, 'wb') as file:
            subprocess.run(command, input=self.decisions().encode(), stdout=file, check=True)

    def decisions(self):
        lines, names = [], {0: ''}  # 0 is the main thread
        for sample in self.samples:
            uid = sample['alloc_thread_uid']
            names[uid] = sample.get('alloc_thread_name', '')
            state = 'freed' if sample['released'] else 'live'
            lines.append(' '.join([str(uid), str(sample['usize']), state,
                                   *sample['alloc_trace']]))
        threads = []
        for uid, name in names.items():
            state = 'running' if uid == 0 or name.startswith('stays') else 'ended'
            threads.append(f'thread {uid} {state}{" " if name else ""}{name}')
        return '\n'.join(threads + lines) + '\n'

    def texts(self):
        """The part before the map in both dumps."""
        texts = []
        for path in (self.real, self.ours):
            text, heading, _ = pathlib.Path(path).read_bytes().partition(MAP)
            if not heading:
                raise AssertionError(f'{path}: no map')
            texts.append(text)
        return texts

    def single_sizes(self):
        """{stack, root first: (live samples, size)} of the stacks with one size in each."""
        stacks = {}
        for sample in self.samples:
            if not sample['released']:
                stacks.setdefault(tuple(reversed(sample['alloc_trace'])), []).append(
                    sample['usize'])
        return {stack: (len(sizes), sizes[0]) for stack, sizes in stacks.items()
                if len(set(sizes)) == 1}


def differences(run):
    real, ours = run.texts()
    pairs = itertools.zip_longest(real.splitlines(True), ours.splitlines(True))
    return [f'line {number}: jemalloc writes {a!r}, we write {b!r}'
            for number, (a, b) in enumerate(pairs, 1) if a != b]


def module_offsets(path):
    """A function from an absolute address to its name in the tool."""
    text = pathlib.Path(path).read_bytes().partition(MAP)[2].decode()
    spans, bases = [], {}
    for low, high, name in re.findall(r'^(\w+)-(\w+) .{4} \w+ \S+ \d+ +(/.*)$', text, re.M):
        bases.setdefault(name, int(low, 16))
        spans.append((int(low, 16), int(high, 16), name))

    def name_of(address):
        for low, high, name in spans:
            if low <= address < high:
                return f'{os.path.basename(name)}+{address - bases[name]:#x}'
        return f'{address:#x}'
    return name_of


def estimates(path, metric):
    """{stack, root first: value}"""
    shown = t.ok('stacks', '--frames=all', '--no-symbols', '--by=address', '--format=folded',
                 f'--metric={metric}', path).folded()
    return {tuple(stack): value for stack, value in shown}


def misjudged(path, stacks, period):
    objects, size = estimates(path, 'inuse-objects'), estimates(path, 'inuse-space')
    name_of = module_offsets(path)
    for stack, (samples, usize) in stacks.items():
        p = -math.expm1(usize * math.log1p(-1 / period)) if period > 1 else 1
        key = tuple(name_of(int(frame, 16)) for frame in stack)
        for found, true in ((objects.get(key), samples / p),
                            (size.get(key), samples * usize / p)):
            # The report is in whole numbers that add up to the rounded total.
            if found is None or abs(found - true) > 1 + 1e-9 * true:
                yield f'{path}: {samples} of {usize} bytes: {found} instead of {true}'


def main():
    lines = stacks = 0
    with scratch() as directory:
        program = jemalloc.compile_program(SOURCE, directory)
        for unbias, accum, lg in itertools.product((True, False), (True, False), PERIODS):
            different, wrong, line_count, stack_count = [], [], 0, 0
            for _ in range(RUNS):
                run = Replay(program, directory, lg, unbias, accum)
                single = run.single_sizes()
                different += differences(run)
                line_count += run.texts()[0].count(b'\n')
                stack_count += 2 * len(single)
                for path in (run.real, run.ours):
                    wrong += misjudged(path, single, 1 << lg)
            what = (f'lg_prof_sample:{lg},prof_unbias:{str(unbias).lower()},'
                    f'prof_accum:{str(accum).lower()}')
            t.check(f'{what}: {line_count} lines are jemalloc\'s',
                    different or [] if line_count else ['no lines'])
            t.check(f'{what}: the samples of {stack_count} stacks of one size each are recovered',
                    wrong or [] if stack_count else ['no stacks'])
            lines += line_count
            stacks += stack_count
    print(f'# {lines} lines compared, {stacks} stacks of one size')
    t.done()


t = Tests()
SIM = os.path.abspath(sys.argv[3])
main()

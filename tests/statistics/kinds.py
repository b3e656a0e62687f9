#!/usr/bin/env python3
"""Tests that dumps of jemalloc are recognized.  Complete dumps, raw and unbiased, are called neither damaged nor of
the wrong kind. Damaged ones are reported if their total differs from the sum of the stacks by more than rounding
explains.

usage: kinds.py BINARY TESTDATA [HEALTHY [DAMAGED [REAL [SEED]]]]

HEALTHY dumps of each workload and kind (2), DAMAGED ones in all (136), and REAL dumps of each sampling rate, kind and
program under Debian's jemalloc (1); each test prints its figures.  SEED, a word, makes other dumps.  The full test,
which takes some minutes, is `kinds.py BINARY TESTDATA 50 544 17`.

The tolerance is computed here independently: the bytes of each line by jeprof's formula, for the printed objects and
for half an object less or more.
"""
import collections
import functools
import glob
import json
import math
import os
import pathlib
import random
import re
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent / 'properties'))
import jemalloc  # noqa: E402
import workloads  # noqa: E402
from harness import Tests, scratch  # noqa: E402
from workloads import CLASSES, WORKLOADS, weights_of, written  # noqa: E402

COUNTS = re.compile(r' *t(\*|\d+): (\d+): (\d+) \[(\d+): (\d+)\]')
TOGETHER = 100  # dumps of one run
LG_SAMPLES = (12, 16, 19)
PYTHON = ('import json, re, collections\n'
          'class Node:\n    def __init__(self, n): self.text, self.next = "x" * (n % 700), [n] * (n % 50)\n'
          'def nodes(n): return [Node(i) for i in range(n)]\n'
          'kept = nodes(%d), {str(i): bytearray(i * 7 % 90000) for i in range(900)}\n'
          'text = json.dumps({str(i): list(range(i % 60)) for i in range(2000)})\n'
          'kept += json.loads(text), collections.Counter(text)\n')


# --- dumps as text ----------------------------------------------------------------------


class Parts:
    """The parts of a dump: header lines, stacks of lines each, and the rest."""

    def __init__(self, text):
        body, mark, self.maps = text.partition('\nMAPPED_LIBRARIES:')
        head, *stacks = body.split('@ ')
        self.maps = mark + self.maps
        self.head, self.stacks = head, ['@ ' + stack for stack in stacks]

    def text(self):
        return self.head + ''.join(self.stacks) + self.maps

    def is_telling(self):
        return len(self.stacks) > 1


def numbers(lines, who='*'):
    """[inuse objects, bytes, alloc objects, bytes] of the first line of `who`."""
    return next(list(map(int, found.groups()[1:])) for found in COUNTS.finditer(lines)
                if found[1] == who)


def remove_stack(text, rng, _):
    parts = Parts(text)
    del parts.stacks[rng.randrange(len(parts.stacks))]
    return parts.text()


def change_digit(text, rng, _):
    """Change a digit of any number in a line of counts; a first digit does not become zero."""
    line = rng.choice(list(COUNTS.finditer(text)))
    at = rng.choice([i for i in range(line.start(2), line.end()) if text[i].isdigit()])
    other = rng.choice([digit for digit in '123456789' if digit != text[at]])
    return text[:at] + other + text[at + 1:]


def join(text, rng, other):
    parts, more = Parts(text), Parts(other)
    if rng.random() < .5:
        return text + other
    parts.stacks[-1] += '' if parts.stacks[-1].endswith('\n') else '\n'
    parts.stacks += more.stacks
    return parts.text()


def cut(text, rng, _):
    """Truncate between the first and the last stack, in a line or after a stack.  The memory map may follow, as when
    a writer ran out of space and continued."""
    parts = Parts(text)
    kept = parts.stacks[:rng.randrange(1, len(parts.stacks))]
    if rng.random() < .5:
        return parts.head + ''.join(kept) + parts.maps
    return (parts.head + ''.join(kept))[:-rng.randrange(1, 9)]


DAMAGES = {'a stack removed': remove_stack, 'a digit changed': change_digit,
           'two dumps joined': join, 'cut in the middle': cut}


# --- what rounding explains -------------------------------------------------------------


def inverted(objects, total, period):
    if objects <= 0 or total <= 0:
        return max(total, 0)
    return total / -math.expm1(-total / objects / period)


@functools.lru_cache(maxsize=None)
def one_size(objects, total, period):
    """(n, bytes as jemalloc keeps them) if a line is that of n objects of one class."""
    at = max(0, min(len(CLASSES) - 1, sum(size <= total // objects for size in CLASSES) - 1))
    for size in CLASSES[max(0, at - 2):at + 3]:
        eighths, weight = weights_of(size, period)
        printed = eighths / 8 * -math.expm1(-weight / (eighths / 8) / period)
        for n in range(max(1, int((objects - .5) / printed)), int((objects + .5) / printed) + 2):
            if written((n * eighths, n * weight), period, True) == (objects, total):
                return n, n * weight
    return None


@functools.lru_cache(maxsize=None)
def reach(objects, total, period):
    """The largest change of the bytes because the objects are rounded."""
    middle = inverted(objects, total, period)
    return max(middle - inverted(objects - .5, total, period),
               inverted(objects + .5, total + .5, period) - middle)


def balance(text):
    """For an unbiased dump: the difference of its total and the sum of the stacks, the part that rounding explains,
    and the total, in bytes in use."""
    parts = Parts(text)
    period = int(parts.head.split('\n', 1)[0].split('/')[1])
    objects, total = numbers(parts.head)[:2]
    left, allowed, once = inverted(objects, total, period), reach(objects, total, period), 0
    for stack in parts.stacks:
        objects, total = numbers(stack)[:2]
        if objects == 0:
            continue
        found = one_size(objects, total, period)
        left -= found[1] if found else inverted(objects, total, period)
        if found is None:
            allowed += reach(objects, total, period)
        elif found[0] > 1:
            once = max(once, reach(objects, total, period))
    return abs(left), allowed + once, inverted(*numbers(parts.head)[:2], period)


def is_off(text, is_rewritten):
    """Whether it is farther off than rounding explains; a part in a million is for arithmetic."""
    try:
        if is_rewritten:
            gap, allowed, total = balance(text)
            return gap > allowed + 1e-6 * total
        parts = Parts(text)
        sums = [sum(column) for column in zip(*map(numbers, parts.stacks))]
        return sums != numbers(parts.head)
    except StopIteration:  # a line of counts is truncated
        return True


# --- what hprof-agg says ----------------------------------------------------------------


def judge(paths):
    """{path: (kind, whether it is called damaged)} of dumps, each read separately."""
    told = {}
    for first in range(0, len(paths), TOGETHER):
        some = paths[first:first + TOGETHER]
        done = t.run('info', '--format=json', '--no-symbols', '-j2', '--max-skipped=100%',
                     '--on-duplicate=skip', '--damaged=use', *some)
        for found in json.loads(done.out)['inputs']:
            told[found['name']] = (found.get('sampling'), found['status'] != 'used' or
                                   found['header'] == 'contradicts' or found.get('inconsistent_stacks', 0) > 0 or
                                   found['skipped_lines']['malformed'] > 0)
    return told


def write(folder, name, text):
    path = os.path.join(folder, name + '.heap')
    pathlib.Path(path).write_text(text, encoding='utf-8')
    return path


def looks_raw(text):
    """Whether the numbers of all stacks could also be raw ones."""
    return not any(numbers(stack)[1] % 8 or numbers(stack)[3] % 8 for stack in Parts(text).stacks)


def wrong_kind(text, is_rewritten, kind):
    if kind == 'empty':
        return '@ ' in text
    if is_rewritten and kind != 'unbiased':  # then both kinds have to read the same
        period = int(text.split('\n', 1)[0].split('/')[1])
        return not looks_raw(text) or any(
            one_size(*numbers(stack)[i:i + 2], period) is None
            for stack in Parts(text).stacks for i in (0, 2) if numbers(stack)[i])
    return not is_rewritten and kind not in ('raw', 'unbiased' if one_line(text) else 'raw')


def one_line(text):
    return len(Parts(text).stacks) <= 1


# --- tests ------------------------------------------------------------------------------


def faults_of(dumps):
    """dumps: {path: (text, is rewritten)}, all of them complete."""
    told, faults, shares = judge(list(dumps)), [], []
    for path, (text, is_rewritten) in dumps.items():
        kind, is_damaged = told[path]
        name = os.path.basename(path)
        if is_damaged:
            faults.append(f'{name} is called damaged')
        if wrong_kind(text, is_rewritten, kind):
            faults.append(f'{name} is called {kind}')
        if is_rewritten and numbers(text)[1] > 0:
            gap, allowed, total = balance(text)
            shares.append((allowed / total, gap / allowed if allowed else 0))
    if faults or not shares:
        return faults or f'{len(dumps)} dumps'
    return (f'{len(dumps)} dumps, tolerance {100 * sum(a for a, _ in shares) / len(shares):.2f} % '
            f'of the total, at most {max(b for _, b in shares):.2f} of it used')


def sampled(name, count):
    """Texts of a workload's dumps, [(text, is rewritten)]."""
    workload = WORKLOADS[name]()
    rng = random.Random(f'kinds {name}{SEED}')
    return [(workloads.dump_text(workload, workload.sample(rng), is_rewritten,
                                 workloads.BASE + workloads.PAGE * rng.randrange(1 << 24)),
             is_rewritten) for _ in range(count) for is_rewritten in (False, True)]


def of_workload(folder, name):
    return faults_of({write(folder, f'{name}-{i}', text): (text, is_rewritten)
                      for i, (text, is_rewritten) in enumerate(sampled(name, HEALTHY))})


def damaged(folder):
    """[(path, text, damage, is rewritten)], of all workloads in turn."""
    rng, made = random.Random(f'damaged{SEED}'), []
    per_workload = -(-DAMAGED // len(WORKLOADS) // len(DAMAGES))
    for name in WORKLOADS:
        texts = [dump for dump in sampled(name, max(4, per_workload))
                 if Parts(dump[0]).is_telling()]
        for i in range(per_workload):
            for what, damage in DAMAGES.items():
                text, is_rewritten = rng.choice(texts)
                other = rng.choice([other for other, kind in texts if kind == is_rewritten])
                text = damage(text, rng, other)
                path = write(folder, f'{name}-{what.replace(" ", "-")}-{i}', text)
                made.append((path, text, what, is_rewritten))
    return made


def are_told(folder):
    made = damaged(folder)
    told = judge([path for path, *_ in made])
    faults, found, off = [], collections.Counter(), 0
    for path, text, what, is_rewritten in made:
        is_told = told[path][1]
        found[what] += is_told
        if is_off(text, is_rewritten):
            off += 1
            if not is_told:
                faults.append(f'{os.path.basename(path)}: nothing is told')
    of_each = len(made) / len(DAMAGES)
    shares = ', '.join(f'{100 * found[what] / of_each:.0f} % with {what}' for what in DAMAGES)
    if found.total() < LEAST * len(made):
        faults.append(f'only {found.total()} of {len(made)}: {shares}')
    return faults or (f'{off} of {len(made)} are farther off, and all are told; of all '
                      f'{100 * found.total() / len(made):.1f} %: {shares}')


def real(folder, program, accum):
    dumps = {}
    for lg in LG_SAMPLES:
        for is_rewritten in (False, True):
            for i in range(REAL):
                prefix = os.path.join(folder, f'{len(dumps)}-{accum}-{os.path.basename(program[0])}')
                command = [part.replace('%d', str(500 + 400 * i)) for part in program]
                jemalloc.run(command, {'PYTHONMALLOC': 'malloc'}, prof_final=True,
                             prof_accum=accum, lg_prof_sample=lg, prof_unbias=is_rewritten,
                             prof_prefix=prefix)
                path, = glob.glob(glob.escape(prefix) + '.*.f.heap')
                text = pathlib.Path(path).read_text(encoding='utf-8', errors='surrogateescape')
                dumps[path] = text, is_rewritten
    return faults_of(dumps)


def main():
    with scratch() as folder:
        for name in WORKLOADS:
            t.check(f'{name}: complete dumps are called neither damaged nor of another kind',
                    lambda: of_workload(folder, name))
        t.check('damage that rounding does not explain is reported',
                lambda: are_told(folder))
        allocates = jemalloc.compile_program(HERE.parent / 'live' / 'live_alloc.c', folder)
        for program in ([allocates], [sys.executable, '-S', '-c', PYTHON]):
            for accum in (False, True):
                t.check(f'{os.path.basename(program[0])} under jemalloc, prof_accum:{accum}: called '
                        'neither damaged nor of another kind', lambda: real(folder, program, accum))
    t.done()


HEALTHY, DAMAGED, REAL = (*map(int, sys.argv[3:6]), *(2, 136, 1)[len(sys.argv) - 3:])
SEED = ''.join(sys.argv[6:])
LEAST = 0.9  # share of all damaged dumps that must be reported
t = Tests()
main()

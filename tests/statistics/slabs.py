#!/usr/bin/env python3
"""Tests account on slabs whose holders are known: classes and their free bytes are those of the allocator, stacks are
shown with their live memory and no free memory is attributed to them, and a stack is named only if it does keep the
slabs.

usage: slabs.py BINARY TESTDATA HPROF_SIM [PROCESSES]   (10; by hand 300)
"""
import json
import math
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from harness import Tests, scratch  # noqa: E402

t = Tests()
SIM = sys.argv[3]
PROCESSES = int(sys.argv[4]) if len(sys.argv) > 4 else 10
PERIODS = 4096, 65536
UNKNOWN = 'which of them keeps the slabs cannot be known from a dump'


class Process:
    def __init__(self, item):
        seed, period = item
        with scratch() as folder:
            subprocess.run([SIM, 'slabs', f'--seed={seed}', f'--period={period}', folder], check=True)
            self.truth = json.loads(pathlib.Path(folder, 'truth.json').read_text())
            files = [f'--stats={folder}/slabs.json', *pathlib.Path(folder).glob('*.heap')]
            self.books, self.waste = (json.loads(t.ok('account', '-q', '--no-symbols', '-n0', '-fjson', *how, *files).out)['rows']
                                      for how in ([], ['--waste']))
            self.text = t.ok('account', '-q', '--no-symbols', '--waste', '-n0', *files).out

    def rows_of(self, size):
        """The row of a class, and those of its stacks by name."""
        number, row = next((n, row) for n, row in enumerate(self.waste) if row['size'] == size)
        return row, {other['name'].partition(' < ')[0]: other for other in self.waste if other['parent'] == number}


def name_of(holder):
    leaf = holder['frames'][0]
    return f'{leaf["module"].rpartition("/")[2]}+{leaf["offset"]:#x}'


def books(process):
    rows = {row['name']: row['bytes'] for row in process.books}
    program = rows["objects by malloc_stats"]
    faults = [] if program['low'] == program['high'] == process.truth['bytes'] else [f'{program}: {process.truth["bytes"]}']
    return faults + [f'{name}: {row}' for name, row in rows.items() if 'balance' in name]


def classes(process):
    faults = []
    for told in process.truth['classes']:
        row, _ = process.rows_of(told['size'])
        faults += [f'{row}, {told["free"]} free' for key, name in (('free', 'free'), ('slabs', 'slabs'), ('nonfull_slabs', 'nonfull'),
                                                                  ('objects', 'objects')) if row[key] != told[name]]
    order = [row['free'] for row in process.waste if row['parent'] is None]
    return faults + ([] if order == sorted(order, reverse=True) else [f'{order}'])


def blame(process):
    """The named stack keeps nearly all slabs; no free bytes are attributed to stacks."""
    faults = [f'{row}' for row in process.waste if row['parent'] is not None and (row['free'] is not None or row['note'])]
    for told in process.truth['classes']:
        row, _ = process.rows_of(told['size'])
        named = [holder for holder in told['holders'] if f'almost only {name_of(holder)} <' in row['note']]
        faults += [f'{holder["name"]} is named' for holder in named if holder['held'] < .95 * told['free']]
    return faults


def known_holders():
    """A single holder is named, and only there; otherwise the report says that the holder cannot be known."""
    faults = []
    for process in PROCESSES_OF[4096]:
        for told in process.truth['classes']:
            row, _ = process.rows_of(told['size'])
            alone = told['holders'][0]['name'] == 'alone'
            faults += [] if ('almost only' in row['note']) == alone and (UNKNOWN in row['note']) != alone else [f'{row["note"]}']
        faults += [] if UNKNOWN in process.text else [process.text]
    return faults


def disagree():
    """Some have 32 times what another has, which keeps 32 times as much: the truth, and what is shown of it."""
    faults, least = [], math.inf
    for process in PROCESSES_OF[4096]:
        told = process.truth['classes'][0]
        many, few = told['holders']
        least = min(least, few['held'] / many['held'])
        _, rows = process.rows_of(told['size'])
        shares = [rows[name_of(holder)]['share'] for holder in (many, few)]
        faults += [] if many['live'] == 32 * few['live'] and few['held'] > 32 * many['held'] else [f'{told}']
        faults += [] if 20 < shares[0] / shares[1] < 50 else [f'{shares}']
    return faults or f'32 to 1 live, 1 to {least:.0f} or more held'


def live():
    held = runs = 0
    for process in [process for processes in PROCESSES_OF.values() for process in processes]:
        for told in process.truth['classes']:
            _, rows = process.rows_of(told['size'])
            for holder in told['holders']:
                row = rows.get(name_of(holder))
                if row:
                    runs += 1
                    held += row['live']['low'] <= holder['live'] * told['size'] <= row['live']['high']
    least = .95 - 3 * math.sqrt(.95 * .05 / runs)
    return f'{held / runs:.3f} of {runs}' if held / runs >= least else [f'{held} of {runs}']


def of_all(check):
    return lambda: [fault for processes in PROCESSES_OF.values() for process in processes for fault in check(process)]


PROCESSES_OF = {period: t.in_parallel(lambda item: [Process(item)], [(seed, period) for seed in range(PROCESSES)])
                for period in PERIODS}
t.check('statistics equal the memory of the program to the byte', of_all(books))
t.check('size classes and their free bytes are those of the slabs', of_all(classes))
t.check('a named stack does keep the slabs, and no stack is blamed for free memory', of_all(blame))
t.check('a single holder is named, and two possible holders are reported as unknown', known_holders)
t.check('a stack with much live memory and another that keeps the slabs are distinguished', disagree)
t.check('intervals of live memory contain the truth', live)
t.done()

#!/usr/bin/env python3
"""Runs programs that know how much memory they hold, under jemalloc.  The allocator's statistics add up to the byte,
and contain what the program counted itself; the kernel's add up to Rss; bounds hold; and no function is blamed for
slabs that another one keeps.

usage: account.py BINARY TESTDATA [LIBJEMALLOC]   (Debian's, or one of 5.3.1 or later)
"""
import json
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'properties'))
import jemalloc  # noqa: E402
from harness import Tests, scratch  # noqa: E402

POOL = 81920  # of libstdc++, which Debian's jemalloc is linked with, and others are not
SLACK = 512 << 10  # where sizes follow from bins: 5 times the spread of 200 runs of `mix`, 105 KB
MIB = 1 << 20
REST = '[the books do not balance]'
# (what, threads, options)
RUNS = [('mix', 1, 'lg_prof_sample:12'), ('mix', 1, 'lg_prof_sample:15,narenas:1'), ('mix', 8, 'lg_prof_sample:12'),
        ('mix', 8, 'lg_prof_sample:12,prof_stats:true'), ('mix', 8, 'lg_prof_sample:19,narenas:2,prof_stats:true'),
        ('huge', 2, 'lg_prof_sample:15'), ('fork', 2, 'lg_prof_sample:15,prof_stats:true')]


class Run:
    def __init__(self, number, what, threads, options):
        self.stem = FOLDER / f'run{number}'
        done = subprocess.run([PROGRAM, self.stem, what, str(threads)], check=True, capture_output=True, text=True,
                              env={'LD_PRELOAD': JEMALLOC, 'PATH': '/bin',
                                   'MALLOC_CONF': f'prof:true,prof_accum:true,{options}'})
        self.truth = int(done.stdout.split()[0])
        self.title = f'{what} of {threads} threads with {options}'

    def files(self, *endings, stem=None):
        return [f'{stem or self.stem}.{ending}' for ending in endings or ('heap', 'json', 'smaps')]

    def report(self, *options, stem=None):
        return json.loads(t.ok('account', '-q', '-fjson', *options, *self.files(stem=stem)).out)['rows']


def adds_up(rows):
    """The parts of each row add up to the row, without a remainder."""
    faults = []
    for number, row in enumerate(rows):
        parts = [part['bytes']['estimate'] for part in rows if part['parent'] == number and part['adds']]
        if parts and sum(parts) != row['bytes']['estimate']:
            faults.append(f'{row["name"]}: {row["bytes"]["estimate"]} of {sum(parts)}')
    return faults + [f'{REST}: {row["bytes"]["estimate"]}' for row in rows if row['name'] == REST]


def named(rows):
    return {row['name']: row['bytes']['estimate'] for row in rows}


def books(run, stem=None):
    rows = run.report(stem=stem)
    of = named(rows)
    faults = adds_up(rows)
    # If the dump does not show the sizes of samples, the estimate is within both bounds.  If few samples leave the
    # bounds open, there are none, and the estimate still has to be right.
    ends = next(row['bytes'] for row in rows if row['name'] == "objects by malloc_stats")
    held, slack = run.truth + POOL, POOL + 0.01 * run.truth
    note = next(row['note'] for row in rows if row['name'] == 'profiler: extra size of sampled objects')
    if ends['low'] is None:
        faults += [] if ends['high'] is None and 'without any doubt' in note else [f'{ends}: {note}']
    elif not (ends['low'] - slack <= held <= ends['high'] + slack):
        faults.append(f'{held} is not in {ends}')
    off = ends['estimate'] - held
    faults += [] if abs(off) <= SLACK + slack else [f'off by {off} of {held}']
    if 'prof_stats' in run.title and ends['low'] != ends['high']:
        faults.append(f'{ends}, though samples are told')
    if not 0 <= of['rounding of base'] < 65536:
        faults.append(f'base is rounded up by {of["rounding of base"]}')
    text = pathlib.Path(run.files('smaps', stem=stem)[0]).read_text()
    rss = 1024 * sum(map(int, re.findall(r'^Rss: *(\d+) kB$', text, re.M)))
    return faults + ([] if of['Rss'] == rss else [f'Rss is {rss}, and not {of["Rss"]}'])


def exact():
    """If samples are counted by size, the program's own objects are found exactly, except for those of the C library."""
    faults, worst = [], 0
    for run in (run for run in ALL if 'prof_stats' in run.title):
        for stem in [run.stem, *([f'{run.stem}-child'] if 'fork' in run.title else [])]:
            off = named(run.report(stem=stem))["objects by malloc_stats"] - run.truth
            worst = max(worst, off)
            faults += [] if 0 <= off < POOL + (16 << 10) else [f'{run.title}: off by {off}']
    return faults or f'off by {worst:.0f} bytes at most'


def forks():
    """The newest counts, as a process is known by its map; or both, which hold the same."""
    run = next(run for run in ALL if run.title.startswith('fork'))
    files = [*run.files(), *run.files(stem=f'{run.stem}-child')]
    said = json.loads(t.ok('account', '-q', '-fjson', *files).out)['processes']['messages']
    both = json.loads(t.ok('account', '-q', '-fjson', '--dumps=sum', *files).out)
    alone = json.loads(t.ok('account', '-q', '-fjson', *run.files()).out)
    faults = [] if any('forks look the same' in sentence for sentence in said) else [f'{said}']
    faults += [] if any('from before a fork is in each' in warning for warning in [one['text'] for one in both['warnings']]) else [f'{both["warnings"]}']
    ratio = named(both['rows'])['allocated'] / named(alone['rows'])['allocated']
    return faults + ([] if 1.9 < ratio < 2.1 else [f'{ratio}'])


def untouched():
    run = next(run for run in ALL if run.title.startswith('huge'))
    bound, truth = named(run.report())['counted resident by jemalloc, not in RSS, at least'], 6 * 37 * MIB
    return f'{bound / truth:.3f} of the truth' if bound >= 0.9 * truth else [f'{bound} of {truth}']


def beside():
    """Memory outside of jemalloc changes no row of its statistics, and has a lower bound."""
    faults, told = [], []
    for lg in (15, 19):
        run = Run(f'beside{lg}', 'beside', 1, f'lg_prof_sample:{lg}')
        alone = Run(f'alone{lg}', 'mix', 1, f'lg_prof_sample:{lg}')
        rows, others = run.report(), alone.report()
        faults += adds_up(rows) + books(run)
        of, without = named(rows), named(others)
        name = "objects by malloc_stats"
        faults += [] if abs(of[name] - without[name]) < 256 << 10 else [f'{of[name]} beside, {without[name]} alone']
        bound, truth = of["anonymous, not of jemalloc, at least"], 56 * MIB
        told.append(f'{bound / truth:.2f}')
        faults += [] if 0.6 * truth <= bound <= truth + 2 * MIB else [f'lg {lg}: {bound} of {truth}']
    return faults or f'bounds are {" and ".join(told)} of the truth'


def waste(what, size, least, most):
    """The class is first, to the byte, with both holders; and neither is blamed."""
    run = Run(what, what, 1, 'lg_prof_sample:12')
    rows = run.report('--waste')
    stats = json.loads(pathlib.Path(run.files('json')[0]).read_text())['jemalloc']
    arena = stats['stats.arenas'].get('merged') or stats['stats.arenas']['0']
    free = {c['size']: b['curslabs'] * c['slab_size'] - b['curregs'] * c['size']
            for c, b in zip(stats['arenas']['bin'], arena['bins'])}
    of = named(run.report())
    off = of["objects by malloc_stats"] - run.truth
    first, holders = rows[0], [row for row in rows if row['parent'] == 0]
    faults = [] if abs(off) <= (256 << 10) + 0.01 * run.truth else [f'off by {off} of {run.truth}']
    faults += [] if first['size'] == size and first['free'] == free[size] else [f'{first}']
    faults += [] if least <= first['free'] <= most else [f'{first["free"]} are free']
    functions = sorted(row['name'].split(' < ')[0] for row in holders)
    faults += [] if functions == ['site_a', 'site_b'] else [f'{functions}']
    text = t.ok('account', '--waste', '-q', *run.files()).out
    wanted = 'which of them keeps the slabs cannot be known from a dump'
    lines = [line for line in text.splitlines() if 'site_' in line]
    faults += [] if f'\n{size} B: {wanted}\n' in text and 'almost only' not in text else [text]
    # No free memory is attributed to stacks.
    faults += [f'{row}' for row in holders if row['free'] is not None or row['note']]
    return faults + ([] if len(lines) == 2 else [text])


t = Tests(is_of_machine=True)
JEMALLOC = sys.argv[3] if len(sys.argv) > 3 else jemalloc.shared_object()
with scratch() as scratched:
    FOLDER = pathlib.Path(scratched)
    PROGRAM = jemalloc.compile_program(HERE / 'account_alloc.c', FOLDER)
    ALL = [Run(number, *run) for number, run in enumerate(RUNS)]
    for each in ALL:
        t.check(f'statistics add up: {each.title}', lambda: books(each))
    t.check('memory in use is exact to the byte where samples are listed', exact)
    t.check('a fork holds the same objects, and the report says so', forks)
    t.check('at least 90 % of untouched memory is found', untouched)
    t.check("memory outside of jemalloc is bounded", beside)
    t.check('slabs that many and few objects keep: neither stack is blamed',
            lambda: waste('mult', 128, 10 * MIB, 13 * MIB))
    t.check('slabs that few objects keep: neither stack is blamed', lambda: waste('frag', 96, 10 * MIB, 17 * MIB))
t.done()

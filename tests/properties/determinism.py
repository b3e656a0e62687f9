#!/usr/bin/env python3
"""The same inputs give the same bytes: with any locale, width of the terminal, number of threads, order, time,
compiler, and with huge pages or without.

Each report is made in a third of the environments; with --full in all of them.

usage: determinism.py BINARY TESTDATA [--full]

The environment's HPROF_AGG_BUILDS lists other binaries, separated by colons, to compare with.  Compressed output is
compared unpacked, since they may compress with another library.
"""
import ctypes
import os
import subprocess

from harness import Tests, every, unpacked
from rooted import rooted

t = Tests()
PROCS = sorted((t.formats / 'procs').glob('*.heap'))
REAL = sorted(t.real.glob('*.gz'))
THREADED = sorted([*t.real.glob('mt64*.gz'), *t.real.glob('mariadbd*.gz'),
                   t.formats / 'jemalloc-threadname.heap',
                   t.formats / 'jemalloc-systhreadname.heap'])
REDIS = sorted(t.real.glob('redis*.gz'))
# The known sizes of one dump are not used to read other dumps.
SAMPLERS = [*(t.formats / f'{name}.heap' for name in ('jemalloc-nounbias', 'jemalloc36-lg14-accum_false', 'go-text',
                                                      'gperftools-heap_v2')), REDIS[0]]
REPORTS = [('top', f'--symbol-dir={t.root}', *PROCS),
           ('top', '-n0', '--by=line', '--metric=alloc-objects', f'--symbol-dir={t.root}', *PROCS),
           ('stacks', f'--symbol-dir={t.root}', t.formats / 'jemalloc-cxx.heap'),
           ('list', '-n0', '.', f'--symbol-dir={t.root}', f'--source-dir={t.formats}', *PROCS),
           ('peek', '-n0', '.', f'--symbol-dir={t.root}', *PROCS),
           ('tree', '-n0', f'--symbol-dir={t.root}', *PROCS),
           ('tree', '-n90', '--invert', '-fjson', '--focus=e', '--hide=lib', '--no-symbols', *REAL),
           ('merge', '--format=folded', '--no-symbols', *REAL),
           ('merge', '--format=pprof', f'--symbol-dir={t.root}', *PROCS),
           ('merge', '--format=callgrind', f'--symbol-dir={t.root}', *PROCS),
           ('merge', '--format=speedscope', '--no-symbols', *REAL),
           ('merge', '--format=dhat', '--no-symbols', *REAL),
           ('top', '-n0', '--format=dot', '--no-symbols', *REAL),
           ('diff', '--format=difffolded', '--no-symbols', *REDIS[:3], '--to', *REDIS[3:]),
           ('top', '--format=tsv', f'--symbol-dir={t.root}', *PROCS),
           ('merge', '--timeline', '--format=pprof', '--no-symbols', *REDIS),
           ('merge', '--timeline', '--format=firefox', '--no-symbols', *REDIS),
           ('top', '-n0', '--no-symbols', '--by=address', *REAL),
           ('top', '-n0', '--no-symbols', '--by=module', '--estimator=jeprof', *REAL),
           ('merge', '--by=thread', '--format=pprof', '--no-symbols', *THREADED),
           ('top', '-n0', '--by=thread', '--no-symbols', *THREADED),
           ('diff', '-n0', '-fjson', '--no-symbols', REDIS[0], REDIS[-1]),
           ('trend', '-n0', '-fjson', '--no-symbols', '--cum', *REDIS),
           ('lifetime', '-n0', '-fjson', '--no-symbols', '--cum', *REDIS),
           ('stacks', '-n0', '--dumps=sum', '--large-sizes=pages', '-ftsv', '--no-symbols', *SAMPLERS),
           ('info', '--no-symbols', *REAL),
           ('account', '-fjson', '--no-symbols', *sorted((t.testdata / 'account').glob('jemalloc-*')))]
# Reports of commands that are in none of the lists above.
REPORTS += [(name, *['.'] * takes.startswith('REGEX '), '--no-symbols', *PROCS[:2])
            for name, takes in t.reports().items() if name not in {report[0] for report in REPORTS}]
REPORTS += [(next(command for command in t.reports() if name in t.formats_of(command)),
             f'--format={name}', '--no-symbols', *PROCS[:2])
            for name in t.formats_of() if not any(word in (f'-f{name}', f'--format={name}')
                                                  for report in REPORTS for word in report)]
ENVIRONMENTS = [{'LC_ALL': locale} for locale in
                ('C', 'C.UTF-8', 'POSIX', 'en_US.UTF-8', 'de_DE.UTF-8', 'tr_TR.UTF-8')]
ENVIRONMENTS += [{'COLUMNS': '40'}, {'TERM': 'xterm-256color'}, {'NO_COLOR': '1'},
                 {'TZ': 'Asia/Kathmandu'}, {'MALLOC_PERTURB_': '165'}, {'HOME': '/nowhere'},
                 {'GLIBC_TUNABLES': 'glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F'},
                 {'GLIBC_TUNABLES': 'glibc.malloc.hugetlb=1'}]
PR_SET_THP_DISABLE = 41


def title(report):
    return ' '.join(str(a) for a in report[:6]
                    if not str(a).startswith(('--symbol-dir', '/'))) + f' ({len(report)} words)'


def run(report, *more, **how):
    return t.ok(*report, *more, **how)


def without_huge_pages():
    if ctypes.CDLL(None).prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) != 0:
        raise OSError('huge pages could not be switched off')


def differences(report, variants):
    first = run(report).out_bytes
    return t.in_parallel(
        lambda variant: [] if variant[1]().out_bytes == first else [f'{variant[0]}: other bytes'],
        variants)


def builds(report, binaries):
    first = unpacked(run(report).out_bytes)
    faults = []
    for binary in binaries:
        done = subprocess.run([binary, *rooted(report)], capture_output=True,
                              stdin=subprocess.DEVNULL, check=False)
        if done.returncode != 0 or unpacked(done.stdout) != first:
            faults.append(f'{binary}: other bytes, or status {done.returncode}')
    return faults


for number, report in enumerate(REPORTS):
    environments = [(str(e), lambda e=e: run(report, env=e)) for e in every(3, ENVIRONMENTS, number)]
    jobs = [(f'-j{j}', lambda j=j: run(report, f'-j{j}')) for j in every(2, (1, 2, 3, 8), number)]
    again = every(3, [('once more', lambda: run(report))] * 3)
    small = [('without huge pages', lambda: run(report, preexec_fn=without_huge_pages))]
    t.check(f'{title(report)}: one output in {len(environments)} environments, with {len(jobs)} numbers '
            'of threads, without huge pages, and time after time',
            lambda: differences(report, environments + jobs + small + again))
    if report[0] not in ('info', 'diff'):
        start = next(i for i, word in enumerate(report) if not isinstance(word, str))
        turned = (*report[:start], *reversed(report[start:]))
        t.check(f'{title(report)}: one output whatever the order',
                lambda: differences(report, [('reversed', lambda: run(turned))]))

BUILDS = [b for b in os.environ.get('HPROF_AGG_BUILDS', '').split(':')
          if b and os.path.exists(b) and not os.path.samefile(b, t.binary)]
for report in REPORTS:
    if BUILDS:
        t.check(f'{title(report)}: {len(BUILDS)} other builds write the same',
                lambda: builds(report, BUILDS))
t.done()

#!/usr/bin/env python3
"""`manifest` chooses by names the dumps that `merge` chooses by memory maps.  With any number of lists, each used
dump is in one of them, together with the others of its process.

usage: manifest.py BINARY TESTDATA HPROF_SIM
"""
import collections
import pathlib
import subprocess
import sys

from harness import METRICS, Tests, scratch

DUMPS = 600


def read_lists(folder, prefix):
    return {path.name: path.read_text().splitlines() for path in pathlib.Path(folder).glob(prefix + '*')}


def cut(shards, *options):
    """{name of a list: paths}."""
    prefix = f'{shards}{"".join(options)}.'
    t.ok('manifest', f'--tasks={shards}', *options, '-o', prefix, '--files-from=-',
         stdin='\n'.join(PATHS).encode(), cwd=FOLDER)
    return read_lists(FOLDER, prefix)


def as_merge(snapshots):
    listed = sorted(path for paths in cut(7, f'--dumps={snapshots}').values() for path in paths)
    used = t.ok('info', '--used', '--no-symbols', '-q', f'--dumps={snapshots}',
                '--files-from=-', stdin='\n'.join(PATHS).encode(), cwd=FOLDER).out.splitlines()
    return [f'{len(listed)} listed, {len(used)} used'] if listed != sorted(used) else []


def cuts():
    faults = []
    whole = None
    for shards in (1, 2, 7, 64, 1000):
        lists = cut(shards, '--dumps=sum')
        paths = sorted(path for paths in lists.values() for path in paths)
        where = collections.defaultdict(set)
        for name, inside in lists.items():
            for path in inside:
                where['.'.join(path.split('.')[:-3])].add(name)
        faults += [f'{shards}: {stem} is in {len(names)} lists'
                   for stem, names in where.items() if len(names) > 1]
        whole = whole or paths
        if paths != whole or len(paths) != DUMPS:
            faults.append(f'{shards}: {len(paths)} of {DUMPS} paths')
        largest = max(map(len, lists.values()))
        if len(lists) > shards or largest > 3 * DUMPS / shards + 12:
            faults.append(f'{shards}: {len(lists)} lists, of {largest} paths at most')
    return faults


def sums():
    """Lists that are read one by one add up to the total."""
    found = dict.fromkeys(METRICS, 0)
    for paths in cut(5).values():
        part = t.totals('--estimator=none', '-q', '--files-from=-', stdin='\n'.join(paths).encode(),
                        cwd=FOLDER)
        for metric in METRICS:
            found[metric] += part[metric] or 0
    whole = t.totals('--estimator=none', '-q', '--files-from=-', '--dumps=latest',
                     stdin='\n'.join(PATHS).encode(), cwd=FOLDER)
    return [f'{found}, but the whole is {whole}'] if found != whole else []


def digests():
    """The merged partials of the lists have the same content as one command that reads all dumps and chooses by
    itself."""
    def merged(name, *inputs):
        t.ok('merge', '-q', '--no-symbols', '-o', name, *inputs, cwd=FOLDER)
        return t.ok('digest', name, cwd=FOLDER).out.split()[0]

    faults, listed = [], sorted(path for paths in cut(1).values() for path in paths)
    whole = merged('listed.hpa', *listed)
    for shards in (3, 40):
        parts = []
        for name in cut(shards):
            merged(f'{name}.hpa', f'--files-from={name}')
            parts.append(f'{name}.hpa')
        if merged('joined.hpa', *parts) != whole:
            faults.append(f'{shards} lists: another digest')
    return faults


def reads_none():
    """The dumps need not be there."""
    with scratch() as elsewhere:
        t.ok('manifest', '--tasks=7', '-o', '7.', '--files-from=-', stdin='\n'.join(PATHS).encode(), cwd=elsewhere)
        return [] if read_lists(elsewhere, '7.') == cut(7) else ['other lists where the dumps are not']


t = Tests()
with scratch() as FOLDER:
    tar = subprocess.run([sys.argv[3], 'fleet', '3', '0', str(DUMPS)], check=True,
                         capture_output=True).stdout
    subprocess.run(['tar', 'x', '-C', FOLDER], input=tar, check=True)
    PATHS = sorted(str(path.relative_to(FOLDER)) for path in pathlib.Path(FOLDER).rglob('*.heap'))
    for SNAPSHOTS in ('latest', 'exit'):
        t.check(f'names select the same dumps as memory maps: {SNAPSHOTS}',
                lambda: as_merge(SNAPSHOTS))
    t.check('each dump is in one list, together with those of its process', cuts)
    t.check('the used dumps of the lists add up to those of all dumps', sums)
    t.check('aggregate files of the lists give one digest', digests)
    t.check('no dump is read', reads_none)
t.done()

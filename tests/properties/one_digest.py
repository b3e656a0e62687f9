#!/usr/bin/env python3
"""The dumps of one simulated fleet always give the same digest, by any build and any way of merging: in one command,
in 1, 7 and 64 lists, in random trees of the 64, shuffled, with one thread and with eight, in four shards that are
joined, with too little memory for the stacks, from a pipe and from an archive.

usage: one_digest.py BINARY TESTDATA HPROF-SIM [DUMPS [TREES]] [COMMAND...]

DUMPS (1000) are those of `hprof-sim fleet 1 0 DUMPS`, TREES (5) are random ones.  COMMANDs are other builds, which
merge the dumps, and the partials of 64 lists; so are those of HPROF_AGG_BUILDS, divided by colons.
"""
import os
import pathlib
import random
import shlex
import subprocess
import sys
import tarfile

from harness import Tests, scratch

GOLDEN = {  # by number of dumps
    1000: '1aeba78b4b8806ed4e86efd4e72c64e8093afbabdf13f7b28f5a8a6ac931436f',
    10000: '3912c25a8c4458e16c82a594da1180a7a4cbfe22c943874d542af2e17edfc678',
}

t = Tests()
merged, digest = t.merged, t.digest
SIM = os.path.abspath(sys.argv[3])
WORDS = sys.argv[4:]
DUMPS, TREES = ([int(word) for word in WORDS if word.isdigit()] + [1000, 5][sum(map(str.isdigit, WORDS)):])[:2]
BUILDS = [shlex.split(word) for word in WORDS if not word.isdigit()]
BUILDS += [[path] for path in os.environ.get('HPROF_AGG_BUILDS', '').split(':') if path]
LIMIT = f'--max-memory={21 + DUMPS // 200}MiB'  # records of dumps take some, stacks have to take more


def fleet(folder):
    """The archive, and its members as files."""
    archive = pathlib.Path(folder, 'fleet.tar')
    with open(archive, 'wb') as out:
        subprocess.run([SIM, 'fleet', '1', '0', str(DUMPS)], stdout=out, check=True)
    with tarfile.open(archive) as tar:
        tar.extractall(folder)
        return archive, [pathlib.Path(folder, name) for name in tar.getnames()]


def partials(folder, paths, lists, *options):
    """The partials of all lists that have dumps; all dumps of a process are in one list."""
    t.ok('manifest', '-q', f'--tasks={lists}', '--dumps=sum', '--files-from=-', '-o', folder / f'{lists}.',
         stdin=b'\n'.join(map(os.fsencode, paths)))
    made, found = [], sorted(path for path in folder.glob(f'{lists}.*') if path.suffix != '.hpa' and path.read_bytes())
    for path in found:
        made.append(merged(f'{path}{"".join(options).replace("/", "-")}.hpa', [], f'--files-from={path}', *options))
    return made


def tree(folder, parts, r, name):
    """The parts merged in some order, some at a time."""
    parts = list(parts)
    step = 0
    while len(parts) > 1:
        r.shuffle(parts)
        size, step = r.randint(2, 9), step + 1
        parts = parts[size:] + [merged(folder / f'{name}-{step}.hpa', parts[:size])]
    return parts[0]


class Fleet:
    def __init__(self, folder):
        self.folder, self.r = pathlib.Path(folder), random.Random(DUMPS)
        self.archive, self.paths = fleet(folder)
        self.want = digest(merged(self.folder / 'whole.hpa', [], f'--tar={self.archive}'))
        self.lists = {lists: partials(self.folder, self.paths, lists) for lists in (1, 7, 64)}

    def differ(self, name, path):
        return [] if digest(path) == self.want else [f'{name}: {digest(path)}']

    def merged(self, name, inputs, *options):
        return self.differ(name, merged(self.folder / 'out.hpa', inputs, *options))

    def known(self):
        return [] if GOLDEN.get(DUMPS, self.want) == self.want else [self.want]

    def cut(self):
        faults = []
        for lists, parts in self.lists.items():
            faults += self.merged(f'{lists} lists', parts) + self.merged(f'{lists} lists, -j8', parts[::-1], '-j8')
        return faults

    def trees(self):
        return [fault for i in range(TREES)
                for fault in self.differ(f'tree {i}', tree(self.folder, self.lists[64], self.r, f'tree{i}'))]

    def shuffled(self):
        faults = []
        for jobs in ('-j1', '-j8'):
            self.r.shuffle(self.paths)
            faults += self.merged(jobs, self.paths, jobs)
        return faults

    def shards(self):
        each = [merged(self.folder / f'shard{i}.hpa', self.lists[7], f'--shard={i}/4') for i in range(4)]
        return self.merged('joined', each) + self.merged('joined in little memory', each, LIMIT)

    def little_memory(self):
        return (self.merged('dumps', self.paths, LIMIT, '-j1') + self.merged('an archive', [], f'--tar={self.archive}', LIMIT)
                + self.merged('partials', self.lists[64], LIMIT))

    def pipes(self):
        faults = []
        for name, options, given in (('dumps', ['--tar=-'], self.archive), ('a partial', ['-', *self.lists[7][1:]], self.lists[7][0])):
            with open(given, 'rb') as stdin:
                out = subprocess.run([t.binary, 'merge', '-q', '-f', 'hpa', *options], stdin=stdin, stdout=subprocess.PIPE, check=True).stdout
            path = self.folder / 'out.hpa'
            path.write_bytes(out)
            faults += self.differ(name, path)
        return faults

    def builds(self):
        faults = []
        for command in BUILDS:
            for name, inputs in (('dumps', [f'--tar={self.archive}']), ('partials', self.lists[64])):
                out = self.folder / 'out.hpa'
                subprocess.run([*command, 'merge', '-q', '-o', out, *inputs], check=True)
                faults += self.differ(f'{command}, {name}', out)
        return faults


with scratch() as at:
    f = Fleet(at)
    t.check(f'{DUMPS} dumps have their known digest', f.known)
    t.check('dumps in 1, 7 and 64 lists give one digest', f.cut)
    t.check(f'dumps in {TREES} random trees give one digest', f.trees)
    t.check('any order and one or eight threads give one digest', f.shuffled)
    t.check('joined shards give one digest', f.shards)
    t.check('stacks that do not fit into memory give one digest', f.little_memory)
    t.check('dumps from pipes give one digest', f.pipes)
    if BUILDS:
        t.check(f'{len(BUILDS)} other builds give one digest', f.builds)
t.done()

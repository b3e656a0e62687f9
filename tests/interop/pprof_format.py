#!/usr/bin/env python3
"""Reads our profiles with the npm package pprof-format, which JavaScript tools use for pprof profiles.  It has to
find the same as protoc, and the same again after it has written the profile itself.

usage: pprof_format.py BINARY TESTDATA PEERS
"""
import json
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from harness import Tests, hostile_dump, scratch  # noqa: E402
from profile_proto import Profile  # noqa: E402

READS = {'pprof': 'pprof-format'}
t = Tests()
MODULES = pathlib.Path(sys.argv[3]).resolve() / 'node_modules'
SCRIPT = pathlib.Path(__file__).resolve().with_suffix('.mjs')
SYMBOLS = f'--symbol-dir={t.root}'
PROCS = sorted((t.testdata / 'golden').glob('procs*.heap'))
SERIES = sorted((t.formats / 'series').glob('*.heap'))


def read(path):
    node = next(MODULES.glob('node-linux-*/bin/node'))
    return json.loads(subprocess.run([node, SCRIPT, MODULES, path], capture_output=True,
                                     check=True, timeout=60).stdout)


def label(key, value):
    return [key, value, '0'] if isinstance(value, str) else [key, '', str(value[0])]


def as_protoc_does(folder, command, *args):
    path = pathlib.Path(folder) / 'x.pb.gz'
    t.ok(command, '-q', '-o', path, *args)
    once, twice = read(path)
    profile = Profile(path)
    wanted = [{'names': [name for name in profile.names(sample) if not re.search('[+@]0x', name)],
               # It reads negative numbers as unsigned, as they are in the encoding.
               'values': [str(value % 2**64) for value in sample.values],
               'labels': [label(*item) for item in sample.labels.items()]}
              for sample in profile.samples]
    faults = [] if once == twice else ['it writes another profile']
    faults += [] if [kind for kind, _ in once['types']] == profile.sample_types else once['types']
    faults += [f'{a} instead of {b}' for a, b in zip(once['samples'], wanted) if a != b]
    faults += [] if len(once['samples']) == len(wanted) > 0 else ['other samples']
    faults += [] if once['comments'] == profile.comments else once['comments']
    files = [[m.filename, m.build_id] for m in profile.mappings]
    return faults + ([] if once['mappings'] == files else once['mappings'])


with scratch() as scratch_folder:
    for what, args in (
            ('symbols', ('merge', SYMBOLS, *PROCS)),
            ('errors and inputs', ('merge', '--with-error', '--by=input', SYMBOLS, *PROCS)),
            ('a timeline', ('merge', '--timeline', '--no-symbols', *SERIES)),
            ('further sample types', ('merge', *sorted((t.testdata / 'pprof').glob('tcmalloc*.pb')))),
            ('a difference', ('diff', '--no-symbols', SERIES[0], SERIES[-1])),
            ('hostile names', ('merge', '--no-symbols', hostile_dump(t, scratch_folder)))):
        t.check(f'pprof-format reads {what}', lambda: as_protoc_does(scratch_folder, *args))
t.done()

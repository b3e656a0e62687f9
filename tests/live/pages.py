#!/usr/bin/env python3
"""Real programs of jemalloc 5.3.0 and 5.3.1, linked statically and stripped: the bytes of their large objects are
within the interval of the total, and the report shows which of them has pages.

usage: pages.py BINARY TESTDATA [--runs=N] [--keep=FOLDER]       (by hand: cargo gets and builds jemalloc, some minutes)
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'properties'))
from harness import Tests  # noqa: E402

OPTIONS = dict(option[2:].split('=') for option in sys.argv[3:])
RUNS = int(OPTIONS.get('runs', 20))
VERSIONS = {'0.6.1': ('5.3.0', 'classes'), '0.7.1': ('5.3.1', 'pages')}  # of the crate tikv-jemalloc-sys
CONF = {'_RJEM_MALLOC_CONF': 'prof:true,prof_active:true,lg_prof_sample:16'}


def build(version, folder):
    crate = folder / version
    if not crate.exists():
        shutil.copytree(HERE / 'pages', crate)
    manifest = (HERE / 'pages' / 'Cargo.toml').read_text(encoding='utf-8')
    (crate / 'Cargo.toml').write_text(manifest.replace('=0.7.1', f'={version}'), encoding='utf-8')
    flags = {'RUSTFLAGS': '-C target-feature=+crt-static -C force-frame-pointers'}
    subprocess.run(['cargo', 'build', '-q', '--release', '--target', 'x86_64-unknown-linux-gnu'], cwd=crate,
                   env={**os.environ, **flags}, check=True)
    return crate / 'target/x86_64-unknown-linux-gnu/release/pages'


def runs_of(program, sizes, folder):
    """(sentences on faults, number of runs whose interval contained the truth, ratios)"""
    faults, held, ratios = [], 0, []
    for seed in range(1, RUNS + 1):
        dump = folder / f'{program.parts[-5]}-{seed}.heap'
        done = subprocess.run([program, str(seed), dump], env={**os.environ, **CONF}, capture_output=True, check=True)
        truth = int(done.stdout)
        top, info = (json.loads(t.ok(command, '-q', '--format=json', dump).out) for command in ('top', 'info'))
        total = top['total']['inuse-space']
        held += total['low'] <= truth <= total['high']
        ratios.append(total['estimate'] / truth)
        if info['inputs'][0]['large_sizes'] != sizes:
            faults.append(f'{dump.name}: {info["inputs"][0]["large_sizes"]}')
        if any('--large-sizes' in warning for warning in [one['text'] for one in top['warnings']] + [one['text'] for one in info['warnings']]):
            faults.append(f'{dump.name}: {top["warnings"]}')
    if held < .85 * RUNS:
        faults.append(f'{held} of {RUNS} intervals hold the truth')
    return faults or f'{held} of {RUNS} intervals hold the truth, of which the mean estimate is {sum(ratios) / RUNS:.3f}'


t = Tests(is_of_machine=True)
with tempfile.TemporaryDirectory(prefix='hprof-agg-') as scratch:
    place = pathlib.Path(OPTIONS.get('keep', scratch))
    for crate_version, (jemalloc, kind) in VERSIONS.items():
        built = build(crate_version, place)
        t.check(f'jemalloc {jemalloc}: large objects are within the interval',
                lambda built=built, kind=kind: runs_of(built, kind, place))
t.done()

#!/usr/bin/env python3
"""A dump truncated at any byte is complete or reported, never silently short.

./check tries every third byte, and every 13th under the sanitizers; --every tries all.
"""
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys

from harness import IS_SAMPLE, Tests, scratch

t = Tests(is_coded=True)
WHOLE = t.formats / 'jemalloc-lg0-accum.heap'
OTHER = t.formats / 'jemalloc-opnew.heap'
BATCH = 500
STEP = 1 if '--every' in sys.argv else 13 if IS_SAMPLE else 3


def cut_all(directory, content):
    """Write content[:n] for every n that is tried; the names, whose number is n."""
    for n in range(0, len(content), STEP):
        pathlib.Path(directory, f'cut-{n:06}').write_bytes(content[:n])
    return sorted(os.listdir(directory))


def named_in(text):
    return set(re.findall(r'cut-\d{6}', text))


def reported(directory, names, other):
    """Faults unless every one of the files is skipped and named, and none counted."""
    faults = []
    for start in range(0, len(names), BATCH):
        batch = names[start:start + BATCH]
        result = t.run('info', '-v', '--no-symbols', '--max-skipped=100%', OTHER, *batch,
                       cwd=directory)
        if result.code != 3:
            faults.append(f'{batch[0]} ...: ended with {result.code} instead of 3: '
                          f'{result.err[-300:]}')
            continue
        if result.totals() != other:
            faults.append(f'{batch[0]} ...: a cut file was counted')
        faults += [f'{name} is not mentioned'
                   for name in batch if name not in named_in(result.out + result.err)]
    return faults


def complete_or_reported(directory, name, whole):
    """Check a single truncated file."""
    result = t.run('info', '-v', '--no-symbols', name, cwd=directory)
    if result.code == 0:
        if result.totals() != whole:
            return [f'{name}: silently short: {result.totals()}']
        return []
    if result.code != 5 or name not in result.err:
        return [f'{name}: ended with {result.code}: {result.err.strip()[:200]}']
    return []


def plain():
    content = WHOLE.read_bytes()
    whole, other = t.totals(WHOLE), t.totals(OTHER)
    with scratch() as directory:
        names = cut_all(directory, content)
        # A last line without its newline can never be known to be complete.
        ends = {int(name[4:]) for name in names if content[:int(name[4:])].endswith(b'\n')}
        inside = [name for name in names if int(name[4:]) not in ends]
        faults = reported(directory, inside, other)
        faults += t.in_parallel(lambda n: complete_or_reported(directory, f'cut-{n:06}', whole),
                                sorted(ends))
        complete = [n for n in sorted(ends)
                    if t.run('info', '-v', '--no-symbols', f'cut-{n:06}', cwd=directory).code == 0]
        # All stacks are there, by the numbers in the header: the dump is used, but lacks its map.
        for n in (n for n in complete if n < content.index(b'MAPPED_LIBRARIES:')):
            report = json.loads(t.ok('info', '-q', '-v', '--no-symbols', '-fjson', f'cut-{n:06}', cwd=directory).out)
            if not 'no-map' in [one['code'] for one in report['warnings']]:
                faults.append(f'taken for whole without its map: {n} bytes: {report["warnings"]}')
    return faults or (f'{len(names)} cuts, {len(complete)} complete (all in the map '
                      f'section), the others reported')


def other_text(path):
    """Truncation in a line is reported; between two lines it is reported, or nothing is missing."""
    content, whole, other = path.read_bytes(), t.totals(path), t.totals(OTHER)
    with scratch() as directory:
        names = cut_all(directory, content)
        ends = {int(name[4:]) for name in names if content[:int(name[4:])].endswith(b'\n')}
        inside = [name for name in names if int(name[4:]) not in ends]
        faults = reported(directory, inside, other)
        faults += t.in_parallel(lambda n: complete_or_reported(directory, f'cut-{n:06}', whole),
                                sorted(ends))
    return faults or f'{len(names)} cuts'


def zstd():
    content, other = WHOLE.with_suffix('.heap.zst').read_bytes(), t.totals(OTHER)
    with scratch() as directory:
        names = cut_all(directory, content)
        faults = reported(directory, names, other)
    return faults or f'{len(names)} cuts, all reported'


def packed():
    content = gzip.compress(WHOLE.read_bytes(), mtime=0)
    other = t.totals(OTHER)
    with scratch() as directory:
        names = cut_all(directory, content)
        faults = reported(directory, names, other)
    return faults or f'{len(names)} cuts, all reported'


def members():
    """A gzip file of two members, truncated between them."""
    content = WHOLE.read_bytes()
    whole = t.totals(WHOLE)
    faults = []
    with scratch() as directory:
        path = pathlib.Path(directory, 'cut-000000')
        for n in range(0, len(content), 971 if IS_SAMPLE else 97):
            first = gzip.compress(content[:n], mtime=0)
            path.write_bytes(first)
            faults += complete_or_reported(directory, path.name, whole)
            path.write_bytes(first + gzip.compress(content[n:], mtime=0))
            if t.totals(path) != whole:
                faults.append(f'two members, split at {n}: {t.totals(path)}')
    return faults


def kept():
    """--damaged=use uses the existing part and says so."""
    content = WHOLE.read_bytes()
    with scratch() as directory:
        path = pathlib.Path(directory, 'cut-000000')
        path.write_bytes(content[:content.index(b'MAPPED_LIBRARIES:')])
        result = t.run('info', '-v', '--no-symbols', '--damaged=use', path)
    if result.code != 0 or 'cut-000000' not in result.err + result.out:
        return [f'ended with {result.code}: {result.err}']
    return [] if result.totals() == t.totals(WHOLE) else [f'{result.totals()}']


def kept_packed():
    """For a truncated gzip or zstd file, --damaged=use uses the same part as for the text that can be unpacked."""
    lines = b''.join(b'@ 0x%x\n  t*: 1: %d [0: 0]\n' % (4096 + 16 * i, 8 * (1 + i * i % 997))
                     for i in range(60000))  # the lines span several windows
    long = b'heap_v2/1\n  t*: 1: 8 [0: 0]\n' + lines + b'MAPPED_LIBRARIES:\n'
    faults = []
    for content in (WHOLE.read_bytes(), long):
        for tool in ('gzip', 'zstd'):
            packed = subprocess.run([tool, '-qc'], input=content, check=True,
                                    capture_output=True).stdout
            for share in (0.3, 0.6, 0.9):
                faults += kept_as_unpacked(tool, packed[:int(len(packed) * share)])
    return faults


def kept_as_unpacked(tool, packed):
    out = subprocess.run([tool, '-dqc'], input=packed, capture_output=True, check=False).stdout
    plain, cut = (t.run('info', '-v', '--no-symbols', '--damaged=use', '-', stdin=content)
                  for content in (out, packed))
    refused = t.run('info', '-v', '--no-symbols', '-', stdin=packed)
    if refused.code != 5 or f'damaged-{tool}' not in refused.err:
        return [f'{tool}, {len(packed)} bytes: {refused.code} {refused.err}']
    if b'\n@' not in out:  # it ends within the header
        return [] if cut.code == plain.code else [f'{cut.err}{plain.err}']
    line = out.count(b'\n') + (not out.endswith(b'\n'))
    if not re.search(rf'standard input ?:{line}:? input-damaged', cut.err + cut.out):
        return [f'{tool}, {len(packed)} bytes: no damage in line {line}: {cut.err}{cut.out}']
    return [] if cut.totals() == plain.totals() else [f'{cut.totals()}, not {plain.totals()}']


def messages_kept():
    """A truncated message is ignored."""
    content = (t.formats / 'go-protobuf.pb.gz').read_bytes()
    with scratch() as directory:
        path = pathlib.Path(directory, 'cut-000000')
        faults = []
        for size in (len(content) // 2, len(content) - 1):
            path.write_bytes(content[:size])
            result = t.run('info', '-v', '--no-symbols', '--damaged=use', path)
            if result.code != 5 or 'damaged-gzip: it ends too early' not in result.err:
                faults.append(f'{size} bytes: {result.code} {result.err}')
    return faults


t.check('R20: a dump cut anywhere is complete or reported', plain)
t.check('R20: a gzip file cut anywhere is complete or reported', packed)
t.check('R20: a zstd file cut anywhere is complete or reported', zstd)
for name in ('gperftools-heapprofile', 'gperftools-heap_v2', 'jemalloc36-lg14-accum_false',
             'go-text', 'jeprof-raw-symbolized'):
    t.check(f'R20: cut anywhere, complete or reported: {name}', lambda: other_text(t.formats / f'{name}.heap'))
t.check('R20: a gzip file cut between its members is complete or reported', members)
t.check('R20: --damaged=use uses a dump without its map', kept)
t.check('R20: --damaged=use uses the readable part of a truncated gzip or zstd file', kept_packed)
t.check('R20: --damaged=use uses nothing of a truncated pprof profile', messages_kept)
t.done()

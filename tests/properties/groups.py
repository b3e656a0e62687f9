#!/usr/bin/env python3
"""Rows of programs, the main executable of each memory map, wherever it lies in it; of processes;
and the same in pprof profiles."""
import collections
import json
import pathlib
import sys

from harness import Tests, scratch
from profile_writer import Profile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'interop'))

t = Tests(is_coded=True)

# --- where the main executable lies ---------------------------------------------------------


def row(start, path, permissions='r-xp', offset=0):
    return f'{start:x}-{start + 0x1000:x} {permissions} {offset:08x} 08:01 77 {path}\n'


def dump(rows, size=4096):
    """A dump of one stack, at the first address of the map."""
    return (f'heap_v2/1\n  t*: 1: {size} [0: 0]\n  t0: 1: {size} [0: 0]\n@ 0x7f0000000010\n'
            f'  t*: 1: {size} [0: 0]\n  t0: 1: {size} [0: 0]\n\nMAPPED_LIBRARIES:\n' + ''.join(rows)).encode()


LIBC = row(0x7f0000000000, '/lib/libc.so.6')
STACK = row(0x7ffd00000000, '[stack]', 'rw-p')
MAPS = {
    'placed anywhere': [row(0x55d000000000, '/opt/main'), LIBC, STACK],
    'placed anywhere on arm64': [row(0xaaaad0000000, '/opt/main'), row(0xffff80000000, '/lib/libc.so.6')],
    'linked to an address': [row(0x400000, '/opt/main'), LIBC],
    'of which the text is in huge pages': [
        row(0x55d000000000, '/opt/main', 'r--p'), row(0x55d000200000, ''),
        row(0x55d000400000, '/opt/main', 'rw-p'), row(0x55d001000000, '[heap]', 'rw-p'), LIBC],
    'of which the text is in huge pages, without a heap': [
        row(0x55d000000000, '/opt/main', 'r--p'), row(0x55d000200000, ''), LIBC],
    'above libraries, as with ulimit -s unlimited': [
        row(0x2aaaaaaab000, '/lib/ld.so'), row(0x2aaaab000000, '/lib/libc.so.6'),
        row(0x555555554000, '/opt/main'), STACK],
    'above libraries, linked to an address, with a heap': [
        row(0x10000, '/lib/odd.so'), row(0x400000, '/opt/main'), row(0x1400000, '[heap]', 'rw-p'), LIBC],
    'above memory that code is written to': [
        row(0x40000000, '/memfd:doublemapper (deleted)', 'rwxs'), row(0x41000000, '/dev/zero', 'rw-s'),
        row(0x55d000000000, '/opt/main'), LIBC],
    'above data that lies lowest': [row(0x10000, '/usr/share/data', 'r--p'), row(0x400000, '/opt/main'), LIBC],
    'that was deleted': [row(0x55d000000000, '/opt/main (deleted)'), LIBC],
}


def rows_of(*args, command=('top', '--by=program')):
    report = json.loads(t.ok(*command, '-q', '-n0', '-fjson', '--no-symbols', *args).out)
    return {one['name']: round(one['flat']['inuse-space']['estimate']) for one in report['rows']}


def places():
    faults = []
    with scratch() as folder:
        for what, rows in MAPS.items():
            path = pathlib.Path(folder, 'one.heap')
            path.write_bytes(dump(rows))
            found = rows_of(path)
            faults += [] if found == {'/opt/main': 4096} else [f'{what}: {found}']
    return faults


def unknown():
    """Inputs without a map, and merged profiles of several programs, belong to no particular program."""
    faults = []
    with scratch() as folder:
        paths = [pathlib.Path(folder, f'{i}.heap') for i in range(3)]
        for i, rows in enumerate((MAPS['placed anywhere'], MAPS['linked to an address'], [])):
            paths[i].write_bytes(dump(rows, 4096 << i))
        found = rows_of(*paths)
        faults += [] if found == {'/opt/main': 12288, '[unknown program]': 16384} else [f'{found}']
        merged = pathlib.Path(folder, 'merged.pb.gz')
        t.ok('merge', '-q', '--no-symbols', '-o', merged, *paths)
        result = t.run('top', '--by=program', '--no-symbols', merged)
        if result.code != 5 or 'no-input-has: a memory map' not in result.err:
            faults.append(f'{result.code}: {result.err}')
    return faults


def of_pprof():
    """By convention the first mapping."""
    p = Profile()
    first, second = p.mapping('/opt/main', 0x7f00, 0x8f00), p.mapping('/lib/libc.so.6', 0x1000, 0x2000)
    p.sample([p.location(0x1010, second), p.location(0x7f10, first)], [1, 8192])
    with scratch() as folder:
        path = pathlib.Path(folder, 'x.pb.gz')
        path.write_bytes(p.bytes())
        found = rows_of(path)
    return [] if found == {'/opt/main': 8192} else [f'{found}']


def foreign_labels():
    """Samples of another writer have labels with the names of properties of inputs."""
    p = Profile()
    main = p.mapping('/opt/main', 0x7f00, 0x8f00)
    labels = [('program', 'billing'), ('process', 'worker 7')]
    p.sample([p.location(0x7f10, main)], [1, 8192], labels=labels)
    with scratch() as folder:
        path = pathlib.Path(folder, 'x.pb.gz')
        path.write_bytes(p.bytes())
        found = {by: rows_of(path, command=('top', f'--by={by}')) for by in ('program', 'process', 'label:process')}
    want = {'program': {'/opt/main': 8192}, 'process': {str(path): 8192}, 'label:process': {'worker 7': 8192}}
    return [] if found == want else [f'{found}, not {want}']


# --- real programs --------------------------------------------------------------------------

REAL = {'/usr/bin/git': 'git_*', '/usr/bin/gdb': 'gdb_*', '/usr/bin/python3.11': '*python*',
        '/usr/bin/x86_64-linux-gnu-nm': 'perl_*13306*', '/usr/sbin/mariadbd': 'mariadbd*.f.*'}


def real():
    want, paths = collections.Counter(), []
    for program, pattern in REAL.items():
        found = sorted(t.real.glob(pattern))
        paths += found
        for path in found:
            want[program] += t.totals(path)['inuse-space']
    faults = []
    for order in (paths, paths[::-1]):
        found = rows_of(*order)
        if set(found) != set(want) or any(abs(found[name] - want[name]) > len(paths) for name in found):
            faults.append(f'{found}, not {dict(want)}')
    return faults


def merged():
    """A profile with separate programs keeps them separate when it is merged with others."""
    some, other = sorted(t.real.glob('git_*')), sorted(t.real.glob('*python*'))
    with scratch() as folder:
        first, second = (pathlib.Path(folder, f'{i}.pb.gz') for i in range(2))
        t.ok('merge', '-q', '--no-symbols', '--by=program', '-o', first, *some)
        t.ok('merge', '-q', '--no-symbols', '--by=program', '-o', second, first, *other)
        want, found = rows_of(*some, *other), rows_of(second)
    if set(found) != set(want) or any(abs(found[name] - want[name]) > 1e-6 * want[name] for name in found):
        return [f'{found}, not {want}']
    return f'{found}'


def processes():
    """A row for each, called after one of its dumps, and all of it."""
    redis, perl = sorted(t.real.glob('redis*')), sorted(t.real.glob('perl*'))
    by_process = ('top', '--by=process')
    found = rows_of(*redis, *perl, command=by_process)
    whole = t.totals(*redis, *perl)['inuse-space']
    mine = {name for name in found if pathlib.Path(name) in redis}
    faults = [] if len(found) == 1 + len(perl) and len(mine) == 1 else [f'{list(found)}']
    faults += [] if abs(sum(found.values()) - whole) <= len(found) else [f'{sum(found.values())}, not {whole}']
    faults += [] if found == rows_of(*perl, *redis[::-1], command=by_process) else ['in another order other rows']
    with scratch() as folder:
        merged = pathlib.Path(folder, 'x.pb.gz')
        t.ok('merge', '-q', '--no-symbols', '--by=process', '-o', merged, *redis, *perl)
        again = rows_of(merged, command=by_process)
    close = again.keys() == found.keys() and all(abs(again[name] - found[name]) <= 1 for name in found)
    return faults + ([] if close else [f'{again}, not {found}'])


t.check('the main executable is found in any directory', places)
t.check('inputs without a single program are in a row of their own', unknown)
t.check('the main executable of a pprof profile is found', of_pprof)
t.check('labels of samples that another program wrote name no program and no process', foreign_labels)
t.check('real programs are grouped by their executable', real)
t.check('merged profiles keep their programs', merged)
t.check('rows by process are the processes of the inputs', processes)
t.done()

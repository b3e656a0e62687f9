#!/usr/bin/env python3
"""Valid inputs that lack parts which others have, or that name them differently."""
import json
import os
import re
import threading

from harness import Tests, scratch
from profile_writer import Profile

t = Tests(is_coded=True)
HEALTHY = t.testdata / 'healthy'
REAL = t.formats / 'jemalloc-default-lg19.heap'
MAP_MARK = '\nMAPPED_LIBRARIES:\n'


def report(*args):
    result = t.run('top', '--format=json', '--no-symbols', *args)
    return json.loads(result.out) if result.code == 0 else result


def expect(found, **wanted):
    return [f'{name}: {found.get(name)}, not {value}' for name, value in wanted.items()
            if found.get(name) != value]


# --- gperftools with HEAP_PROFILE_MMAP ------------------------------------------------------------

def regions():
    path = HEALTHY / 'gperftools-mmap.heap'
    faults = expect(t.totals(path), **{'inuse-space': 536870912 + 524288 + 1000, 'inuse-objects': None,
                                       'alloc-space': 536875008 + 1048576 + 1000, 'alloc-objects': 13})
    info = t.ok('info', '-v', '--no-symbols', path)
    if 'total-agrees' not in info.out or 'header-contradicts' in info.out:
        faults.append('its total is that of its stacks, and is not taken for it')
    result = t.run('top', '--metric=inuse-objects', path)
    return faults + [f'objects: {result.code}'] * (result.code != 5)


def classic(*lines):
    total = 'heap profile:      1:      100 [      1:      100] @ heapprofile\n'
    return total + '\n'.join(lines) + MAP_MARK + '400000-500000 r-xp 00000000 00:00 0 /bin/a\n'


def no_regions():
    """More in use than was ever allocated is impossible, and jemalloc has no regions."""
    faults = []
    with scratch() as folder:
        path = f'{folder}/dump'
        for line in ('     0:      100 [     0:        0] @ 0x400100', '     0:      100 [     1:       50] @ 0x400100',
                     '0: 100 [1: 100] @ 0x400100'):
            text = classic(line)
            with open(path, 'w') as file:
                file.write(text if line[0] == ' ' else re.sub(' +', ' ', text))
            result = t.run('top', path)
            if result.code != 5 or 'classic-bytes-without-objects' not in result.err:
                faults.append(f'{line}: {result.code} {result.err}')
    return faults


# --- dumps without a memory map ---------------------------------------------------------------------

def parts():
    head, _, rows = REAL.read_text().partition(MAP_MARK)
    return head, rows


def without_map():
    head, rows = parts()
    faults = []
    with scratch() as folder:
        bare, own, other = f'{folder}/app.7.0.i0.heap', f'{folder}/map', f'{folder}/app.8.0.i0.heap'
        open(bare, 'w').write(head)
        open(own, 'w').write(rows)
        whole = report(REAL)
        found = report(bare)
        faults += expect(found['total'], **whole['total'])
        codes = [one['code'] for one in found['warnings']]
        if 'no-map' not in codes or 'addresses-unmapped' in codes:
            faults.append(f"warnings: {found['warnings']}")
        if not all(row['name'].startswith('0x') for row in found['rows']):
            faults.append('names without a map')
        for source in (own, REAL):
            lent = report(f'--maps={source}', bare)
            if lent['rows'] != whole['rows']:
                faults.append(f'the map of {source} gives other rows')
        open(other, 'w').write(head.replace(': 1: ', ': 1:  '))
        two = t.run('top', f'--maps={own}', bare, other)
        if two.code != 2 or 'maps-of-two' not in two.err:
            faults.append(f'two processes: {two.code} {two.err}')
    return faults


def cut_dumps():
    """A dump that is truncated at a line before its map is complete if its totals agree; a report with less says so."""
    head, _ = parts()
    lines = head.splitlines(keepends=True)
    faults, whole = [], report(REAL)['total']
    with scratch() as folder:
        path = f'{folder}/dump'
        for count in range(1, len(lines) + 1):
            open(path, 'w').write(''.join(lines[:count]))
            found = report(path)
            if isinstance(found, dict) and found['total'] != whole:
                faults.append(f'{count} lines: {found["total"]} as if it were whole')
            open(path, 'a').write('  t')
            if t.run('top', path).code != 5:
                faults.append(f'{count} lines and a half are read')
    return faults


def map_of_fifo():
    head, rows = parts()
    with scratch() as folder:
        bare, fifo = f'{folder}/dump', f'{folder}/fifo'
        open(bare, 'w').write(head)
        os.mkfifo(fifo)
        refused = t.run('top', f'--maps={fifo}', bare)
        writer = threading.Thread(target=lambda: open(fifo, 'w').write(rows))
        writer.start()
        waited = t.run('top', '--format=json', '--no-symbols', '--wait', f'--maps={fifo}', bare)
        writer.join()
        cut = t.run('top', f'--maps={bare}', bare)
        faults = [f'without --wait: {refused.code}'] * (refused.code == 0)
        if waited.code or json.loads(waited.out)['rows'] != report(REAL)['rows']:
            faults.append(f'with --wait: {waited.code} {waited.err}')
        return faults + [f'a map that is none: {cut.code}'] * (cut.code != 5)


# --- sample types ---------------------------------------------------------------------------------

def android():
    return expect(t.totals(HEALTHY / 'heapprofd.pb'), **{
        'inuse-space': 6000000, 'inuse-objects': 1050, 'alloc-space': 10500000, 'alloc-objects': 1590})


def one_type():
    path = HEALTHY / 'one-type.pb'
    found = report(path)
    faults = expect(found, metric='nativemem')
    asked = t.run('top', '--metric=inuse-space', path)
    if asked.code != 5:
        faults.append(f'what is in use: {asked.code}')
    stacks = t.ok('folded', path).out
    return faults + [f'folded: {stacks}'] * (stacks != 'a.b.C.leak;Java_x 77777\n')


def with_types(*types):
    p = Profile(types=types)
    app = p.mapping('/srv/none/app', 0x400000, 0x500000)
    p.sample([p.location(0x400100, app)], [7 for _ in types], 0)
    return p.bytes()


def lifetimes():
    faults = []
    with scratch() as folder:
        path = f'{folder}/p.pb'
        for name in ('allocations', 'deallocations'):
            open(path, 'wb').write(with_types((name, 'count'), ('space', 'bytes'), ('objects', 'count')))
            faults += expect(t.totals(path), **{'inuse-space': None, 'inuse-objects': None})
            result = t.run('top', path)
            if result.code != 5 or 'space' not in result.err:
                faults.append(f'{name}: {result.code} {result.err}')
        open(path, 'wb').write(with_types(('objects', 'count'), ('space', 'bytes')))
        faults += expect(t.totals(path), **{'inuse-space': 7, 'inuse-objects': 7})
    return faults


def writers():
    head = 'heap profile:      2:      200 [%s] @ heap_v2/4096\n     2:      200 [%s] @ 0x400100\n'
    end = MAP_MARK + '400000-500000 r-xp 00000000 00:00 0 /bin/a\n'
    faults = []
    with scratch() as folder:
        path = f'{folder}/dump'
        for told, writer in (('     2:      200', 'gperftools'), ('     0: 0', None)):
            open(path, 'w').write(head % (told, told) + end)
            info = t.ok('info', '-v', '--no-symbols', path).out
            found = re.search('written by +(.*)', info)
            if (found and found[1]) != writer or 'one size a line' not in info:
                faults.append(f'{told}: {info}')
    return faults


t.check('gperftools with mmap: bytes are used, objects are not', regions)
t.check('bytes without objects in other dumps are damage', no_regions)
t.check('a dump without a map has the same numbers by address, and names with a given map', without_map)
t.check('a dump truncated at a line is read if its totals are complete', cut_dumps)
t.check('a map in a FIFO is awaited only with --wait, and a malformed map is rejected', map_of_fifo)
t.check("Android's heapprofd: unreleased is in use, total is allocated", android)
t.check('a single sample type is measured under its own name', one_type)
t.check("space next to allocations and deallocations is not read as in use", lifetimes)
t.check('a padded sample with different pairs is not read as gperftools', writers)
t.done()

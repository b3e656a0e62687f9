#!/usr/bin/env python3
"""Tests which dumps belong to one process, and which of them is used: a test for each row of the tables that decide
it, random fleets with a known truth, and reports, which are those of the chosen dump.

usage: processes.py BINARY TESTDATA [FLEETS]
"""
import gzip
import io
import json
import os
import pathlib
import random
import re
import shutil
import sys
import tarfile

from harness import Tests, scratch, without_next
from profile_reader import fields

FLEETS = int(sys.argv.pop(3)) if len(sys.argv) > 3 else 200
t = Tests()
PROCESSES = t.testdata / 'processes'
TOP = ('top', '-v', '--no-symbols', '-n0')


def real(pattern):
    return sorted(t.real.glob(pattern), key=lambda path: int(path.name.split('.')[2]))


REDIS, MARIADB, DBBENCH = (real(f'{name}*') for name in ('redis', 'mariadbd', 'dbbench'))
PY = sorted(PROCESSES.glob('py.*'))
CX = sorted(PROCESSES.glob('cx.*'))
GO = sorted(PROCESSES.glob('t.*'))
FLEET = sorted((PROCESSES / 'fleet').glob('*'))


def content(path):
    bytes_ = path.read_bytes()
    return gzip.decompress(bytes_) if path.suffix == '.gz' and '.pb' not in path.suffixes else bytes_


def dump(objects=5, vdso=None, stack=None, program='/srv/app', has_map=True, start=0x400000):
    """A dump of jemalloc; without vdso and stack nothing in its map is random."""
    text = (f'heap_v2/4096\n  t*: {objects}: {objects * 8192} [0: 0]\n@ 0x401000\n'
            f'  t*: {objects}: {objects * 8192} [0: 0]\n')
    if has_map:
        text += f'\nMAPPED_LIBRARIES:\n{start:x}-{start + 0x100000:x} r-xp 00000000 fe:00 7 {program}\n'
        text += f'{vdso:x}-{vdso + 0x2000:x} r-xp 0 00:00 0 [vdso]\n' if vdso else ''
        text += f'{stack - 0x21000:x}-{stack:x} rw-p 0 00:00 0 [stack]\n' if stack else ''
    return text.encode()


class Folder:
    """Files by name, some in folders of their own; the paths are those of dumps."""

    def __init__(self, folder, files):
        self.paths = []
        for name, bytes_ in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(bytes_)
            self.paths += [path] * (path.name != 'facts.json')


def shared(out):
    """What the report of a series, with codes, has in common with that of the dump that is used."""
    out = re.sub(r'(?m)^(source|moment|next)\b.*\n', '', out)
    return re.sub(r'(?m)^note: (exit-dumps)', r'\1', out)


def selection(out):
    """The lines about the selection of dumps of a report with codes and -v."""
    return re.findall(r'(?m)^moment-.*', out)


def info(*args, **options):
    return json.loads(t.ok('info', '--no-symbols', '-fjson', *args, **options).out)


def processes(*args, **options):
    """Sets of names: the inputs of each process."""
    report = info(*args, **options)
    found = [set() for _ in report['processes']]
    for row in report['inputs']:
        if 'process' in row:
            found[row['process']].add(os.path.basename(row['name']))
    return report, sorted(map(sorted, found))


def inuse(*args, command='top', **options):
    return json.loads(t.ok(command, '--no-symbols', '-fjson', '-n0', *args,
                           **options).out)['total']['inuse-space']['estimate']


def row(files, want, said=(), unsaid=(), used=None, args=(), code=0):
    """Check that the files belong to the processes `want`, and that the text of top contains `said`."""
    with scratch() as folder:
        made = Folder(folder, files)
        faults = []
        report, found = processes(*args, *made.paths)
        if found != sorted(map(sorted, want)):
            faults.append(f'{found} instead of {want}')
        got = t.run(*TOP, *args, *made.paths, is_coded=True)
        faults += [f'ended with {got.code}: {got.err}'] * (got.code != code)
        faults += [f'does not say {sentence!r}: {got.out[:900]}' for sentence in said if
                   sentence not in got.out]
        faults += [f'says {sentence!r}: {got.out[:900]}' for sentence in unsaid if sentence in got.out]
        if used is not None:
            names = sorted(os.path.basename(process['used']) for process in report['processes'])
            faults += [f'{names} are used'] * (names != sorted(used))
        other = t.run(*TOP, *args, *reversed(made.paths), is_coded=True)
        faults += ['the order of inputs matters'] * (other.out != got.out)
        return faults


V, S = 0x7f30b314c000, 0x7fff2dd4c000
V2, S2 = V + 0x5000000, S - 0x3000000
FIXED = {'vdso': 0x7ffff7fc1000, 'stack': 0x7ffffffff000}  # setarch -R

# --- the first table --------------------------------------------------------------------------

t.check('equal maps without names are one process, by maps only', lambda: row(
    {'a.heap': dump(5, V, S), 'b.heap': dump(6, V, S)}, [{'a.heap', 'b.heap'}],
    ['moment-sum:  2 1 moment-of-one: one-by-map ']))
t.check('equal maps and pids in two folders are one process', lambda: row(
    {'x/app.7.0.i0.heap': dump(5, V, S), 'y/app.7.1.i1.heap': dump(6, V, S)},
    [{'app.7.0.i0.heap', 'app.7.1.i1.heap'}], ['moment-sum:  2 1 moment-of-one:  i1 newest'], ['one-by-map']))
t.check('equal maps with one pid and a renamed dump are one process', lambda: row(
    {'app.7.0.i0.heap': dump(5, V, S), 'renamed.heap': dump(6, V, S)},
    [{'app.7.0.i0.heap', 'renamed.heap'}], ['moment-sum:  2 1 ']))
t.check('equal maps with other pids are forks, and every fork is used', lambda: row(
    {'app.7.0.i0.heap': dump(5, V, S), 'app.8.1.i1.heap': dump(6, V, S), 'app.8.2.i2.heap': dump(7, V, S)},
    [{'app.7.0.i0.heap'}, {'app.8.1.i1.heap', 'app.8.2.i2.heap'}],
    ['forks-counted: 2 one\n', 'moment-sum:  3 2 es']))
t.check('a chain that would join two pids is separated', lambda: row(
    {'app.7.0.i0.heap': dump(5, V, S), 'app.8.1.i1.heap': dump(6, V, S), 'a.heap': dump(7, V, S)},
    [{'app.7.0.i0.heap'}, {'app.8.1.i1.heap'}, {'a.heap'}]))
t.check('other maps with pid 1 of two containers in one folder are two processes', lambda: row(
    {'app.1.0.i0.heap': dump(5, V, S), 'app.1.1.i1.heap': dump(6, V2, S2)},
    [{'app.1.0.i0.heap'}, {'app.1.1.i1.heap'}], unsaid=['moment-sum', 'forks-counted']))
t.check('other maps with pid 1 in two folders are two processes', lambda: row(
    {'x/app.1.0.i0.heap': dump(5, V, S), 'y/app.1.0.i0.heap': dump(6, V2, S2)},
    [{'app.1.0.i0.heap'}] * 2))
t.check('without randomization, one name is one process', lambda: row(
    {'app.7.0.i0.heap': dump(5, **FIXED), 'app.7.1.i1.heap': dump(6, **FIXED)},
    [{'app.7.0.i0.heap', 'app.7.1.i1.heap'}], ['one-by-name']))
t.check('without randomization, equal first dumps of two pids are both used, with one message', lambda: row(
    {'app.7.0.f.heap': dump(5, **FIXED), 'app.8.0.f.heap': dump(5, **FIXED)},
    [{'app.7.0.f.heap'}, {'app.8.0.f.heap'}], ['samples-equal', '2 inputs'], ['forks-counted']))
t.check('one name without maps is one process, but equal numbers are not', lambda: row(
    {'app.7.0.i0.heap': dump(5, has_map=False), 'app.7.1.i1.heap': dump(6, has_map=False)},
    [{'app.7.0.i0.heap', 'app.7.1.i1.heap'}], ['one-by-name'], args=('--damaged=use',)) or row(
    {'app.7.0.i0.heap': dump(5, **FIXED), 'app.7.0.m0.heap': dump(6, **FIXED)},
    [{'app.7.0.i0.heap'}, {'app.7.0.m0.heap'}],
    ['maybe-one-process: 2\n']))
t.check('a missing map and different programs are two processes', lambda: row(
    {'app.7.0.i0.heap': dump(5, V, S, program='/srv/one'), 'app.7.1.i1.heap': dump(6, program='/srv/two')},
    [{'app.7.0.i0.heap'}, {'app.7.1.i1.heap'}], unsaid=['maybe-']))
t.check('without maps, another prefix, pid or folder is another process', lambda: row(
    {'app.7.0.i0.heap': dump(5), 'bpp.7.1.i1.heap': dump(6), 'app.8.2.i2.heap': dump(7), 'x/app.7.3.i3.heap': dump(8)},
    [{'app.7.0.i0.heap'}, {'bpp.7.1.i1.heap'}, {'app.8.2.i2.heap'}, {'app.7.3.i3.heap'}], unsaid=['maybe-']))
t.check('without maps and names, processes are unknown and every dump is used', lambda: row(
    {'a.heap': dump(5), 'b.heap': dump(6)}, [{'a.heap'}, {'b.heap'}],
    ['maybe-one-process: 2\n']))
t.check('dates and addresses in names are not read as pids', lambda: row(
    {'app.2026.11.20.heap': dump(5), 'app.2026.11.21.heap': dump(6), 'h.192.168.1.7.heap': dump(7)},
    [{'app.2026.11.20.heap'}, {'app.2026.11.21.heap'}, {'h.192.168.1.7.heap'}], ['maybe-one-process: 3\n']))
t.check('32-bit addresses are never random', lambda: row(
    {'a.heap': dump(5, 0xf7f00000, 0xffe00000), 'b.heap': dump(6, 0xf7f00000, 0xffe00000)},
    [{'a.heap'}, {'b.heap'}], ['maybe-one-process: ']))
t.check('code that was moved to huge pages changes nothing', lambda: row(
    {'a.7.0.i0.heap': dump(5, V, S), 'a.7.1.i1.heap': dump(6, V, S).replace(b' 7 /srv/app', b' 0 ')},
    [{'a.7.0.i0.heap', 'a.7.1.i1.heap'}]))
t.check('a binary that was deleted in between changes nothing', lambda: row(
    {'a.7.0.i0.heap': dump(5, V, S), 'a.7.1.i1.heap': dump(6, V, S).replace(b'/srv/app', b'/srv/app (deleted)')},
    [{'a.7.0.i0.heap', 'a.7.1.i1.heap'}]))
t.check('a namespace in the prefix is recognized', lambda: row(
    {'a.4026531836.7.0.i0.heap': dump(5, **FIXED), 'a.4026531836.7.1.i1.heap': dump(6, **FIXED),
     'a.4026531999.7.2.i2.heap': dump(7, **FIXED)},
    [{'a.4026531836.7.0.i0.heap', 'a.4026531836.7.1.i1.heap'}, {'a.4026531999.7.2.i2.heap'}]))



def captured(name, bytes_, start=1, host='web1', boot='b', at=0, text=None):
    """The files of a set of the capture: a dump, and facts about its process."""
    program, pid, number, _ = name.split('.', 3)
    known = {'version': 1, 'program': program, 'pid': int(pid), 'start': start, 'parent': 0, 'host': host, 'boot': boot,
             'time_ns': (1_700_000_000 + at) * 10**9}
    return {f'{program}.{pid}.{host}{boot}{start}.{number}M/{name}': bytes_,
            f'{program}.{pid}.{host}{boot}{start}.{number}M/facts.json': (text or json.dumps(known)).encode()}


def sets_of_one():
    """Sets are of one process if host, boot, process id and start are equal, whatever the maps do not show."""
    first, same = ('app.1.0.m0.heap', 'app.1.1.m1.heap')
    faults = []
    for other in ({'start': 2}, {'host': 'web2'}, {'boot': 'c'}):
        for shown in ({'vdso': V, 'stack': S}, FIXED, {'has_map': True}):
            faults += row({**captured(first, dump(5, **shown)), **captured(same, dump(6, **shown)),
                           **captured('app.1.1.m2.heap', dump(7, **shown), **other)},
                          [{first, same}, {'app.1.1.m2.heap'}], ['moment-'], ['one-by-name', 'one-by-map', 'maybe-'],
                          used=[same, 'app.1.1.m2.heap'])
    # A child of fork() that has the process id of one that ended; damaged facts, and those of another process id.
    for text in ('{"version": 1, "pid": 1', '[]', '{"version": 1, "pid": 2, "start": 9, "host": "h", "boot": "b"}', '\0'):
        faults += row({**captured(first, dump(5, V, S)), **captured(same, dump(6, V, S), start=2, text=text)},
                      [{first, same}])
    return faults


t.check('sets are dumps of one process by host, boot, process id and start', sets_of_one)


def labels_differ():
    with scratch() as folder:
        made = Folder(folder, {'h1/app.7.0.i0.heap': dump(5, V, S), 'h2/app.7.1.i1.heap': dump(6, V, S)})
        by = ('--by=label:host', '--label-from=/(?<host>h[0-9])/')
        out = json.loads(t.ok('top', '--no-symbols', '-fjson', *by, *made.paths).out)
        alone = [inuse(path) for path in made.paths]
        return [] if sorted(row['flat']['inuse-space']['estimate'] for row in out['rows']) == alone else [str(out)]


t.check('different labels are different processes', labels_differ)


def forks_of_python():
    return row({path.name: path.read_bytes() for path in PY}, [{path.name} for path in PY],
               ['forks-counted: 5 one\n', 'samples-equal', '5 inputs'])


t.check('idle forks of a real program have equal dumps, and all are used', forks_of_python)
t.check('the master and the worker of nginx are two processes', lambda: row(
    {path.name: path.read_bytes() for path in PROCESSES.glob('n.*')},
    [{path.name} for path in PROCESSES.glob('n.*')], ['forks-counted: 2 one\n']))
t.check('dumps of Go are identified by [vdso], the newest by its time', lambda: row(
    {path.name: path.read_bytes() for path in GO}, [{path.name for path in GO}],
    ['moment-sum:  3 1 moment-of-one: one-by-map t.3.pb.gz newest;'],
    used=[GO[-1].name]))


def pprof_without_maps():
    """Profiles without the parts that a writer may omit: field 3 of the profile, and field 2 of its locations."""
    def number(value):
        return bytes([value & 127 | 128]) + number(value >> 7) if value > 127 else bytes([value])

    def without(text, field):
        out, at = b'', 0

        def varint(at):
            value = shift = 0
            while True:
                value |= (text[at] & 127) << shift
                shift, at = shift + 7, at + 1
                if not text[at - 1] & 128:
                    return value, at
        while at < len(text):
            start, (key, at) = at, varint(at)
            size, at = varint(at) if key & 7 in (0, 2) else (8, at)
            at += size if key & 7 in (1, 2) else 0
            if key == 4 << 3 | 2 and field == 3:
                location = without(text[at - size:at], 2)
                out += number(key) + number(len(location)) + location
            elif key >> 3 != field:
                out += text[start:at]
        return out
    return row({path.name[:-3]: without(gzip.decompress(path.read_bytes()), 3) for path in GO[:2]},
               [{path.name[:-3]} for path in GO[:2]], ['maybe-one-process: 2\n'])


t.check('pprof profiles without maps have unknown processes, and each is used', pprof_without_maps)


def gperftools_forks():
    """A forked child continues the numbers; with a new start its name contains a pid."""
    text = (t.formats / 'gperftools-heapprofile.heap').read_bytes()
    files = {f'hp.{i:04}.heap': text.replace(b'heap profile:  ', b'heap profile:   ' if i % 2 else b'heap profile:  ')
             + b'\n' * i for i in range(1, 4)}
    return row(files, [set(files)], ['moment-sum:  3 1 moment-of-one: one-by-map hp.0003.heap newest '
                                     'moment-newest-by: ']) + row(
        {'hp.0001.heap': text, 'hp_77.0001.heap': text + b'\n', 'hp_78.0001.heap': text + b'\n\n'},
        [{'hp.0001.heap'}, {'hp_77.0001.heap'}, {'hp_78.0001.heap'}], ['forks-counted: 2 '])


t.check('gperftools: a series without pids and forks with pids are recognized', gperftools_forks)

# --- equal dumps --------------------------------------------------------------------------------


def equal_dumps():
    faults = []
    with scratch() as folder:
        same = dump(5, V, S)
        made = Folder(folder, {'app.7.0.i0.heap': same, 'app.7.1.i1.heap': same, 'hp.0001.heap': same,
                               'hp.0002.heap': same, 'copy.heap': same, 'x/app.7.0.i0.heap': same,
                               'app.8.0.i0.heap': same})
        first, second, hp1, hp2, copy, elsewhere, fork = made.paths
        link = pathlib.Path(folder, 'app.9.9.f.heap')
        os.link(first, link)
        for paths, code in (((first, second), 0), ((hp1, hp2), 0), ((first, fork), 0), ((first, copy), 4),
                            ((first, elsewhere), 4), ((first, first), 4), ((first, link), 4)):
            got = t.run(*TOP, *paths)
            faults += [f'{[path.name for path in paths]}: {got.code}, {got.err}'] * (got.code != code)
            other = t.run(*TOP, *reversed(paths))
            faults += [f'{[path.name for path in paths]}: another order'] * (other.code != code)
        want = t.codes(*TOP, first).out
        for paths in ((first, copy), (copy, first), (first, link), (first, elsewhere)):
            got = t.codes(*TOP, '--on-duplicate=skip', *paths).out
            rest = re.sub(r'(?m)^warning: inputs-repeated: 1 2\n', '', got)
            faults += [f'--on-duplicate=skip {paths}: {got}'] * (shared(rest) != shared(want))
        both = t.codes(*TOP, first, fork).out
        faults += [both] * ('2 inputs' not in both or 'samples-equal' not in both)
    return faults


t.check('equal dumps are two times, two processes, or a repeated input', equal_dumps)

# --- which counts ---------------------------------------------------------------------------------


def report_of_the_chosen(paths, chosen, *args):
    got, want = t.codes(*TOP, *args, *paths).out, t.codes(*TOP, *args, chosen).out
    chosen_by = selection(got)
    good = len(chosen_by) == 1 and chosen_by[0].startswith(f'moment-sum:  {len(paths)} 1 ')
    return [] if shared(got) == shared(want) and good else [f'{got[:1500]}\ninstead of\n{want[:1500]}']


def chosen_is_all_that_is_seen():
    faults = []
    for paths, last, peak in ((REDIS, 12, 12), (MARIADB, 12, None), (DBBENCH, 12, 3)):
        at = {int(path.name.split('.')[2]): path for path in paths}
        faults += report_of_the_chosen(paths, at[last])
        faults += report_of_the_chosen(paths, at[last], '--metric=inuse-objects', '-j1')
        faults += report_of_the_chosen(paths, at[13], '--metric=alloc-space')
        faults += report_of_the_chosen(paths, at[13], '--dumps=exit')
        if peak is not None:
            value = inuse('--dumps=peak', '--confidence=none', *paths)
            faults += [f'{paths[0]}: peak {value}'] * (value != max(inuse(path) for path in paths))
    return faults


t.check('V8: the report of a series equals that of the used dump, to the byte', chosen_is_all_that_is_seen)


def peak_is_an_interval():
    """The largest of several values is too high: each report shows the interval that allows for the choice instead."""
    faults = []
    value, peak = max(inuse(path) for path in DBBENCH), ('--no-symbols', '--dumps=peak', *DBBENCH)
    for command in (('top',), ('tree',), ('peek', '.')):
        report = json.loads(t.ok(*command, '-fjson', *peak).out)
        total = report['total']['inuse-space']
        rows = [cell for row in report['rows'] for cells in (row.get('flat'), row.get('cum'))
                if isinstance(cells, dict) for cell in ([cells] if 'low' in cells else cells.values()) if cell]
        faults += [f'{command}: {total}'] * (total['estimate'] is not None or not total['low'] <= value <= total['high'])
        faults += [f'{command}: {cell}' for cell in rows
                   if (cell['estimate'] is None) != (cell['low'] is not None and cell['low'] != cell['high'])]
    table = t.ok('top', '-ftsv', *peak).out.splitlines()[1:]
    faults += [f'{line}' for line in table if line.split('\t')[0] != '' or not line.split('\t')[1]]
    lines = t.ok('top', '-v', '--unit=B', *peak).out.splitlines()
    said = [lines[0], *(line for line in lines if line.startswith('in use'))]
    good = len(said) == 2 and not any(str(round(value)) in line or '±' in line for line in said)
    return faults if good else [*faults, *said]


t.check('V11: intervals of the largest dump are shown, not values', peak_is_an_interval)


def every_command():
    """In every report: the numbers of the newest dump except the exit dump, and a message about the selection."""
    faults = []
    for command, *more in (('tree',), ('stacks', '-n9'), ('peek', '.'), ('merge', '-ffolded'), ('list', 'x'),
                           ('top', '--by=thread'), ('top', '--columns=spread'), ('callgrind',), ('stacks', '-fjson'),
                           ('top', '-ftsv'), ('diff', '-ftsv'), ('diff',)):
        base = [MARIADB[0], '--to'] if command == 'diff' else []
        args = [command, *more, '--no-symbols'] if command != 'peek' else [command, *more, '--no-symbols', '-n3']
        got, want = (t.run(*args, *base, *paths, is_coded=True) for paths in (DBBENCH, [DBBENCH[-2]]))

        def told(run):
            out = re.sub(r'(?m)^.*moment-sum: .*6 1 .*\n|^(source-of-one|next): .*\n', '', run.out)
            out = re.sub(r'(?m)^new: source-of-one: [^;]*; (source-fuller[^;]*; )?', '', out)
            out = re.sub(r'(?m)^ "processes".*\n|^(desc: |# )?inputs?: .*\n', '', out)
            return run.code, re.sub(r'"messages".*|inputs: \d+ used of \d+', '', out)
        faults += [f'{args}: {told(got)[1][:400]} instead of {told(want)[1][:400]}'] * (told(got) != told(want))
        said = got.out + got.err
        names_it = re.search('moment-sum: .*6 1 |source-of-one: .*i12.heap.gz latest 6 ', said)
        faults += [f'{args}: not said: {said[:300]}'] * (not names_it and got.code == 0)
    return faults


t.check('every command and format has the default selection, and names it', every_command)


def first_lines():
    faults = []
    for paths, args, want in (
            (MARIADB, (), 'moment-sum:  4 1 moment-of-one:  i12 newest moment-before-exit (moment-bytes: f 131.1 KiB); --dumps='),
            (DBBENCH, (), ' i12 newest moment-before-exit (moment-bytes: f 8.0 MiB; fullest moment-bytes: i3 84.1 MiB); '
             '--dumps=exit|peak|each|sum'),
            (DBBENCH, ('--dumps=exit',), ' f newest (fullest moment-bytes: i3 84.1 MiB); --dumps=latest|peak'),
            (DBBENCH, ('--dumps=peak',), ' i3 fullest moment-peak-of: 6'),
            (CX, (), ' cx.9.heap.gz newest moment-newest-by: number in the name'),
            (FLEET, (), 'moment-sum:  8 4 es: moment-of-each: newest ; moment-count: 4 moment-by-map; '
             'moment-count: 4 by the number in the name')):
        out = '\n'.join(selection(t.codes(*TOP, *args, *paths).out))
        faults += [f'{out!r}, not {want!r}'] * (want not in out)
    for paths in ([MARIADB[0], REDIS[0]], REDIS[:1]):
        out = t.codes(*TOP, *paths).out
        faults += [out[:200]] * ('moment-sum' in out or 'source-of' in out or f'\n{len(paths)} input' not in out)
    said = t.codes('folded', '--no-symbols', *REDIS).err
    faults += [said] * (not said.startswith('hprof-agg: moment-sum:  14 1 moment-of-one:  i12 '))
    faults += [t.ok('folded', '-q', '--no-symbols', *REDIS).err]
    return [fault for fault in faults if fault]


t.check('the selection of dumps is reported', first_lines)


def newest_by():
    faults = []
    with scratch() as folder:
        made = Folder(folder, {name: dump(i + 5, V, S) for i, name in enumerate(
            ('d.10.31.heap', 'd.11.01.heap', 'd.11.02.heap'))})
        for i, path in enumerate(made.paths):
            os.utime(path, (1000 - i, 1000 - i))
        faults += report_of_the_chosen(made.paths, made.paths[0])
        faults += [] if ' d.10.31.heap newest moment-newest-by: file time' in t.codes(*TOP, *made.paths).out else ['not by file time']
        for path in made.paths:
            os.utime(path, (1000, 1000))
        out = t.codes(*TOP, *made.paths).out
        faults += [] if ' d.11.02.heap newest moment-newest-by: name' in out else [out[:200]]
        with tarfile.open(f'{folder}/a.tar', 'w') as tar:
            for i, path in enumerate(made.paths):
                entry = tar.gettarinfo(path, path.name)
                entry.mtime = 2000 + i % 2
                tar.addfile(entry, io.BytesIO(path.read_bytes()))
        out = t.codes(*TOP, f'--tar={folder}/a.tar').out
        faults += [] if ' newest moment-newest-by: name' in out else [f'members: {out[:200]}']
    return faults


t.check('the newest dump is found by the time of files and members, then by name', newest_by)


def counters_reset():
    def accumulated(objects):
        return dump(5, V, S).replace(b'[0: 0]', f'[{objects}: {objects * 8192}]'.encode())
    with scratch() as folder:
        made = Folder(folder, {f'a.7.{i}.i{i}.heap': accumulated(n) for i, n in enumerate((9, 99, 6))})
        out = t.codes(*TOP, '--metric=alloc-space', *made.paths).out
        calm = t.codes(*TOP, *made.paths).out
        return [out[:300]] * (' i2 newest, moment-reset' not in out) + [calm] * ('reset' in calm)


t.check('counters that were reset are reported', counters_reset)


def sums_and_rows():
    faults = []
    parts = [inuse(path) for path in DBBENCH]
    whole = inuse('--dumps=sum', *DBBENCH)
    faults += [f'sum {whole}'] * (abs(whole - sum(parts)) > 1)
    said = t.codes(*TOP, '--dumps=sum', *DBBENCH).out
    faults += [said[:300]] * ('dumps-by-map' not in said or '6 inputs' not in said)
    for args in (('--dumps=each',), ('--by=input',)):
        report = json.loads(t.ok('top', '--no-symbols', '-fjson', '-n0', *args, *DBBENCH).out)
        rows = sorted(row['flat']['inuse-space']['estimate'] for row in report['rows'])
        faults += [f'{args}: {rows}'] * (rows != sorted(parts))
        faults += [f"{args}: {report['total']}"] * any(report['total'].values())
        text = t.codes('top', '-v', '--no-symbols', *args, *DBBENCH).out
        faults += [text] * ('\nin use ' in text or 'flat%' in text or 'moment-sum:  6 1 : moment-each' not in text)
    for args, code in ((('tree', '--dumps=each'), 2), (('top', '--dumps=each', '--by=module'), 2),
                       (('trend', '--dumps=latest'), 2), (('merge', '--timeline', '--dumps=sum'), 2),
                       (('diff', '--dumps=peak'), 2), (('top', '--by=input', '--dumps=exit'), 0)):
        got = t.run(*args, '--no-symbols', *DBBENCH[:2])
        faults += [f'{args}: {got.code} {got.err}'] * (got.code != code)
    return faults


t.check('--dumps=sum adds up, each gives rows without a total, and others are rejected', sums_and_rows)


def several_processes():
    """Four processes of five dumps each; each is the series of a real process, moved to other addresses."""
    faults = []
    with scratch() as folder:
        files = {}
        for process in range(4):
            for i, path in enumerate(REDIS[:5]):
                text = content(path).replace(b'7f30b314c000', b'7f3%db314c000' % process)
                files[f'p{process}.{100 + process}.{i}.i{i}.heap'] = text
        made = Folder(folder, files)
        out = t.codes(*TOP, *made.paths).out
        faults += [out[:200]] * ('\nmoment-sum:  20 4 es: moment-of-each: newest )' not in out)
        faults += [out[:300]] * ('\n4 inputs' not in out)
        want = sum(inuse(path) for path in made.paths[4::5])
        faults += [f'{inuse(*made.paths)} instead of {want}'] * (abs(inuse(*made.paths) - want) > 1)
        report = info(*made.paths)
        faults += [str(report['processes'])] * ([p['dumps'] for p in report['processes']] != [5] * 4)
        moments = [row['moment'] for row in report['inputs']]
        faults += [str(moments)] * (moments != (['an earlier moment'] * 4 + ['used']) * 4)
    return faults


t.check('the newest dumps of four processes with five dumps are used', several_processes)


def sides_of_a_diff():
    """Each side is treated separately; a process may be on both, and a side of a single dump uses it, even an exit
    dump."""
    got = t.codes('diff', '-v', '--no-symbols', *DBBENCH[:3], '--to', *DBBENCH[3:]).out
    want = t.codes('diff', '-v', '--no-symbols', DBBENCH[2], DBBENCH[4]).out
    base, new = selection(got)
    second = re.compile(r'(?m)^base: source-of-one: \S+i6\.heap\.gz latest 3 [^;]*; source-fuller: 84.1 MiB; '
                        r'new: source-of-one: \S+i12\.heap\.gz latest 3 [^;]*; ')
    faults = [got[:2000]] * (not base.startswith('moment-sum: base:  3 1 moment-of-one:  i6 ') or
                             not new.startswith('moment-sum: new:  3 1 moment-of-one:  i12 ') or
                             got.count('source-of-one') != 2 or shared(second.sub('', got)) != shared(want))
    exit_dump = t.codes('diff', '-v', '--no-symbols', DBBENCH[0], DBBENCH[5]).out
    return faults + [exit_dump] * ('\n1 base, 1 new' not in exit_dump or
                                   '\nnew: exit-dumps-hide: it; ' not in exit_dump)


t.check('each side of a diff has its own selection', sides_of_a_diff)



def a_timeline_each():
    """A series a process: by its label in pprof, as a process in a Firefox profile."""
    faults = []
    with scratch() as folder:
        path = f'{folder}/t.pb.gz'
        t.ok('merge', '--timeline', '--no-symbols', '-o', path, *REDIS[:3], *MARIADB[:2])
        sums, profile = {}, list(fields(gzip.decompress(pathlib.Path(path).read_bytes())))
        strings = [value.decode() for number, value in profile if number == 6]
        types = [strings[dict(fields(value))[1]] for number, value in profile if number == 1]
        for sample in (list(fields(value)) for number, value in profile if number == 2):
            labels = {strings[label[1]]: strings[label[2]] if 2 in label else label[3] for label in (
                dict(fields(value)) for number, value in sample if number == 3)}
            key = labels['process'], labels['timestamp']
            numbers = [value for number, value in fields(b''.join(
                b'\x08' + part for part in re.findall(rb'[\x80-\xff]*[\x00-\x7f]', dict(sample)[2])))]
            sums[key] = sums.get(key, 0) + numbers[types.index('inuse_space')]
        want = {('pid 27533', (i + 1) * 10**9): inuse(path) for i, path in enumerate(REDIS[:3])}
        want.update({('pid 15432', (i + 1) * 10**9): inuse(path) for i, path in enumerate(MARIADB[:2])})
        faults += [f'{sums}: not {want}'] * (sums.keys() != want.keys() or any(
            abs(sums[key] - want[key]) > 1 for key in want))
        out = json.loads(t.ok('merge', '--timeline', '-ffirefox', '--no-symbols', *REDIS[:3], *MARIADB[:2]).out)
        ends = sorted(sum(counter['samples']['count']) for counter in out['counters'])
        faults += [f'firefox: {ends}'] * any(abs(end - inuse(path)) > 1 for end, path in zip(
            ends, sorted((REDIS[2], MARIADB[1]), key=inuse), strict=True))
        faults += [str({thread['pid'] for thread in out['threads']})] * (
            {thread['pid'] for thread in out['threads']} != {'1', '2'})
    return faults


t.check('a timeline has a series for each process', a_timeline_each)

# --- ways of reading --------------------------------------------------------------------------------


def screen(*words, **more):
    """A screen without the suggested command, which names the inputs."""
    return without_next(t.ok(*TOP, *words, **more).out_bytes)


def ways_of_reading():
    """Renamed, compressed, archived, by pipes: the same report."""
    faults = []
    with scratch() as folder:
        plain = Folder(folder, {path.name[:-3]: content(path) for path in DBBENCH}).paths
        want = screen(*plain)
        rows = shared(t.codes(*TOP, *plain).out)
        for order in (plain[::-1], plain[3:] + plain[:3]):
            for jobs in ('-j1', '-j3'):
                faults += [f'{jobs}: another order'] * (screen(jobs, *order) != want)
        faults += ['compressed'] * (shared(t.codes(*TOP, *DBBENCH).out) != rows)
        respelled = [f'{path.parent}/./../{path.parent.name}/{path.name}' for path in plain]
        faults += ['respelled'] * (screen(*respelled) != want)
        archive = pathlib.Path(folder, 'all.tar')
        with tarfile.open(archive, 'w') as tar:
            for path in sorted(plain):
                tar.add(path, path.name)
        faults += ['archived'] * (screen(f'--tar={archive}') != want)
        faults += ['archived, by a pipe'] * (screen('--tar=-', stdin=archive.read_bytes()) != want)
        faults += ['archived and compressed'] * (
            screen('--tar=-', stdin=gzip.compress(archive.read_bytes())) != want)
        for name in (plain[-1], plain[-2]):
            rest = [path for path in plain if path != name]
            got = t.ok(*TOP, '-', *rest, stdin=name.read_bytes()).out
            faults += [] if got.partition('function\n')[2] else [got[:300]]
        # A used dump that comes through a pipe is not lost.
        made = Folder(folder, {'a.7.1.i1.heap': dump(6, V, S), 'a.7.2.i2.heap': dump(7, V, S)}).paths
        got = inuse('-', *made, stdin=dump(5, V2, S2))
        faults += [f'standard input: {got}'] * (abs(got - inuse(made[1]) - inuse('-', stdin=dump(5, V2, S2))) > 1)
        renamed = [shutil.copy(path, f'{folder}/moment-{i}.heap') for i, path in enumerate(sorted(
            plain[:-1], key=lambda path: int(path.name.split('.')[2])))]
        for path in plain:
            path.unlink()
        got = t.codes(*TOP, *renamed).out
        faults += [f'renamed: {got}'] * (' moment-4.heap newest moment-newest-by: number ' not in got)
        faults += ['renamed: other rows'] * (shared(got) != rows)
    return faults


t.check('renamed, compressed, archived and piped dumps give the same result in any order', ways_of_reading)


def damaged_newest():
    """A complete dump of the process is used instead of a truncated one, and that is reported."""
    with scratch() as folder:
        made = Folder(folder, {'a.7.0.i0.heap': dump(5, V, S), 'a.7.1.i1.heap': dump(6, V, S)[:60]}).paths
        refused = t.run(*TOP, *made, is_coded=True)
        got = t.run(*TOP, '--max-skipped=1', *made)
        return [str(refused.code)] * (refused.code != 3 or 'replaced-by: ' not in refused.out) + [got.out] * (
            got.code != 3 or abs(inuse(made[0]) - json.loads(t.run(
                'top', '-fjson', '--no-symbols', '--max-skipped=1', *made).out)['total']['inuse-space']['estimate']) > 1)


t.check('a damaged dump is not used for its process', damaged_newest)

# --- fleets whose truth is known ---------------------------------------------------------------------


class Process:
    def __init__(self, random_, pid, vdso=None, stack=None, prefix='app', folder='.', program='/srv/app', number=0):
        self.random, self.pid, self.prefix, self.folder, self.program = random_, pid, prefix, folder, program
        self.vdso = vdso or 0x7f0000000000 + random_.randrange(1 << 30) * 4096
        self.stack = stack or 0x7ff000000000 + random_.randrange(1 << 20) * 4096
        self.number = number

    def dump(self, fleet, has_map, is_strict):
        fleet.objects += 1
        name = f'{self.prefix}.{self.pid}.{self.number}.i{self.number}.heap' if is_strict else (
            f'd{fleet.objects}.heap')
        path = f'{self.folder}/{name}'
        while path in fleet.files:
            path = path.replace('.heap', 'x.heap') if not is_strict else f'more{fleet.objects}/{name}'
        random_map = {'vdso': self.vdso, 'stack': self.stack} if has_map else FIXED
        fleet.files[path] = dump(fleet.objects, program=self.program, **random_map)
        self.number += 1

    def fork(self, pid):
        return Process(self.random, pid, self.vdso, self.stack, self.prefix, self.folder, self.program, self.number)


class Fleet:
    """A fleet of some processes with some dumps each: forks, restarts with reused pids, containers."""

    def __init__(self, seed):
        self.random, self.files, self.objects = random.Random(seed), {}, 0
        self.processes, self.told = 0, True
        for _ in range(self.random.randrange(1, 5)):
            self.add()

    def add(self):
        r = self.random
        has_map, is_strict = r.random() < .7, r.random() < .7
        kind = r.choice(['plain', 'fork', 'restart', 'container'])
        first = Process(r, 1 if kind == 'container' else r.randrange(2, 30000), folder=f'f{r.randrange(3)}',
                        prefix=r.choice(['app', 'srv']))
        family = [first]
        if kind == 'fork':
            first.dump(self, has_map, is_strict)
            family.append(first.fork(r.randrange(30000, 60000)))
        elif kind in ('restart', 'container'):
            family.append(Process(r, first.pid, prefix=first.prefix,
                                  folder=first.folder if kind == 'restart' else 'other'))
        for process in family:
            for _ in range(r.randrange(1, 4)):
                process.dump(self, has_map, is_strict)
        self.processes += len(family)
        # The rules that say so: forks recognized only by maps, and reused pids if only names show it.
        self.told &= not (kind == 'fork' and has_map and not is_strict)
        self.told &= not (kind in ('restart', 'container') and not has_map and is_strict)


def fleets():
    faults, fewer, exact = [], 0, 0
    for seed in range(FLEETS):
        fleet = Fleet(seed)
        with scratch() as folder:
            made = Folder(folder, fleet.files)
            report, found = processes(*made.paths)
            said = t.codes(*TOP, *made.paths).out
            screen = t.codes('top', '--no-symbols', *made.paths).out
            order = made.paths[:]
            fleet.random.shuffle(order)
            faults += [f'{seed}: order'] * (t.codes(*TOP, *order).out != said)
        says_so = re.search('moment-by-map|one-by-map|moment-by-name|one-by-name', said) and re.search(
            'source-by-map|source-by-name|source-maps-only|source-names-only', screen)
        if len(found) < fleet.processes:
            fewer += 1
            faults += [f'{seed}: {len(found)} of {fleet.processes} processes: {found}'] * (
                fleet.told or not says_so)
        exact += len(found) == fleet.processes
    return faults or f'{FLEETS} fleets, {exact} exactly as they were, {fewer} with fewer, where that is said'


t.check('the number of known processes is found', fleets)
t.done()

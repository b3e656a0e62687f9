#!/usr/bin/env python3
"""Dumps as rows for SQL: the same dump gives the same lines in every batch, the same dumps the same files; the columns
are those of schema/rows.tsv; totals are those of info; and what cannot be read by an engine is not written.

usage: rows.py BINARY TESTDATA [--sample]
"""
import collections
import ctypes
import gzip
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

from fleets import Process, fleet
from harness import HOSTILE, IS_SAMPLE, Tests, hostile_dump, near, scratch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'interop'))
import hpa_reader  # noqa: E402

t = Tests()
ROOT = pathlib.Path(__file__).resolve().parents[2]
COLUMNS = collections.defaultdict(dict)
for line in (ROOT / 'schema' / 'rows.tsv').read_text().splitlines():
    if not line.startswith('#'):
        table, column, kind, _ = line.split('\t')
        COLUMNS[table][column] = kind
TABLES = tuple(COLUMNS)
LABELS = r'/(?<folder>[^/]+)/(?<name>[a-z]+)[.-]'


def batch(folder, inputs, *options, packing='ndjson'):
    """Write a batch; the folder."""
    t.ok('rows', '-q', '-o', folder, f'--format={packing}', *options, *inputs)
    return pathlib.Path(folder)


def lines(folder, table):
    """All lines of a table, sorted."""
    return sorted(line for path in pathlib.Path(folder, table).iterdir()
                  for line in path.read_bytes().splitlines(True))


def table(folder, name):
    return [json.loads(line) for line in lines(folder, name)]


def files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in pathlib.Path(folder).rglob('*')
            if path.is_file()}


def dumps_of(folder, seed=1):
    return [path for own in fleet(folder, seed, 524288) for path in own]


# --- the same rows -----------------------------------------------------------------------


def one_result():
    faults = []
    with scratch() as folder:
        inputs, r = dumps_of(folder), random.Random(5)
        whole = files(batch(f'{folder}/whole', inputs))
        if len(whole) != 4:
            faults.append(f'files {sorted(whole)}')
        for jobs in (1, 4):
            r.shuffle(inputs)
            if files(batch(f'{folder}/order{jobs}', inputs, f'-j{jobs}')) != whole:
                faults.append(f'another order and {jobs} threads give other files')
        for count in (4, 16):
            for i in range(count):
                batch(f'{folder}/split{count}', inputs[i::count])
            for name in TABLES:
                once = sorted(set(lines(f'{folder}/split{count}', name)))
                if once != lines(f'{folder}/whole', name):
                    faults.append(f'{name} of {count} tasks differ')
        partials = sorted(pathlib.Path(folder, 'whole', 'partials').iterdir())
        if t.digest(partials[0]) != t.digest(t.merged(f'{folder}/m.hpa', inputs)):
            faults.append('the aggregate file is not that of merge')
    return faults


def packed():
    with scratch() as folder:
        inputs = dumps_of(folder)[:3]
        plain = batch(f'{folder}/plain', inputs)
        gz = batch(f'{folder}/gz', inputs, packing='ndjson.gz')
        zst = batch(f'{folder}/zst', inputs, packing='ndjson.zst')
        faults = []
        for name in TABLES:
            text = next((plain / name).iterdir()).read_bytes()
            if gzip.decompress(next((gz / name).iterdir()).read_bytes()) != text:
                faults.append(f'{name}: gzip')
            packed = next((zst / name).iterdir())
            room = ctypes.create_string_buffer(len(text))
            size = hpa_reader.zstd.ZSTD_decompress(room, ctypes.c_size_t(len(text)), packed.read_bytes(),
                                                   ctypes.c_size_t(packed.stat().st_size))
            if size != len(text) or room.raw != text:
                faults.append(f'{name}: zstd')
        if t.run('rows', '-o', f'{folder}/x', '--format=tsv', *inputs).code != 2:
            faults.append('tsv is not refused')
    return faults


def every_dump():
    """Each dump has its rows, although the aggregate file has one of each process, also where the dump that is used
    was not read first."""
    faults = []
    with scratch() as folder:
        r = random.Random(9)
        process = Process(r, 31)
        inputs = []
        # The names say nothing on the order, and what is read first is not the newest.
        for i, name in enumerate(('b', 'a', 'c')):
            path = pathlib.Path(folder, f'{name}.txt')
            path.write_text(process.dump(r, 524288))
            inputs.append(path)
            os.utime(path, (1000 + 100 * (i == 1), 1000 + 100 * (i == 1)))
        batch(f'{folder}/all', inputs)
        alone = collections.Counter()
        for i, path in enumerate(inputs):
            batch(f'{folder}/{i}', [path])
            alone.update(lines(f'{folder}/{i}', 'rows'))
        if sorted(alone) != lines(f'{folder}/all', 'rows'):
            faults.append('rows of all dumps differ from those of each')
        rows, stacks = table(f'{folder}/all', 'rows'), table(f'{folder}/all', 'stacks')
        if {row['stack'] for row in rows} != {stack['stack'] for stack in stacks}:
            faults.append('stacks are not those of the rows')
    return faults


# --- the right rows ----------------------------------------------------------------------


def columns():
    faults = []
    python = {'id': str, 'text': str, 'int': int, 'real': float, 'bool': bool, 'map': dict, 'texts': list, 'ints': list}
    with scratch() as folder:
        inputs = [t.formats / name for name in ('jemalloc-lg0-accum.heap', 'jemalloc-default-lg19.heap',
                                                'go-protobuf.pb.gz', 'gperftools-growth.heap')]
        batch(f'{folder}/o', inputs, rf'--label-from={LABELS}')
        for name in TABLES:
            text = b''.join(lines(f'{folder}/o', name)).decode()
            for row in map(json.loads, text.splitlines()):
                if list(row) != list(COLUMNS[name]):
                    faults.append(f'{name} has {list(row)}')
                wrong = [f'{name}.{key}: {value!r}' for key, value in row.items() if value is not None and
                         type(value) is not python[COLUMNS[name][key]]]
                wrong += [f'{name}.{key}: {value!r}' for key, value in row.items() if COLUMNS[name][key] == 'id' and
                          not re.fullmatch('[0-9a-f]{16}', value)]
                faults += wrong
    return faults


def totals():
    """The totals of a dump are those of info, header line included; its rows add up to its stacks."""
    faults = []
    names = ['jemalloc-lg0-accum.heap', 'jemalloc-default-lg19.heap', 'go-protobuf.pb.gz', 'gperftools-heap_v2.heap']
    with scratch() as folder:
        for name in names[:2] if IS_SAMPLE else names:
            out = batch(f'{folder}/{name}', [t.formats / name])
            dump, = table(out, 'dumps')
            rows = table(out, 'rows')
            info = json.loads(t.ok('info', '-f', 'json', '--no-symbols', t.formats / name).out)['total']
            top = json.loads(t.ok('top', '-f', 'json', '--no-symbols', t.formats / name).out)['total']
            for metric, key in (('inuse-space', 'inuse_bytes'), ('alloc-space', 'alloc_bytes'),
                                ('inuse-objects', 'inuse_objects')):
                true = info[metric] and info[metric]['estimate'] if isinstance(info.get(metric), dict) else None
                true = top[metric]['estimate'] if true is None and top.get(metric) else true
                if (dump[key] is None) != (true is None) or (true is not None and abs(dump[key] - true) > max(
                        .5, 1e-6 * true)):
                    faults.append(f'{name}: {key} {dump[key]}, not {true}')
                summed = sum(row[key] or 0 for row in rows)
                if true and not near(summed, true, 1e-2, len(rows)):
                    faults.append(f'{name}: rows add up to {summed}, not {true}')
            count = json.loads(t.ok('stacks', '-f', 'json', '--no-symbols', t.formats / name).out)['inputs']['stacks']
            if len({row['stack'] for row in rows}) != count:
                faults.append(f'{name}: {len(rows)} stacks, not {count}')
    return faults


def stack_ids():
    """Ids of stacks are pinned: another program computes them from the aggregate file, as hpa(5) says."""
    with scratch() as folder:
        out = batch(f'{folder}/o', sorted((t.formats / 'procs').glob('*.heap')))
        read = hpa_reader.Partial(next((out / 'partials').iterdir()).read_bytes())
        mine = {hpa_reader.stack_id(read, key[1]) for key, *_ in read.stacks}
        rows = {row['stack'] for row in table(out, 'rows')}
        return f'{len(rows)} stacks' if mine == rows else [f'{len(mine - rows)} of {len(mine)} differ']


def names_later():
    """--add-names replaces tables of stacks by one with names, can be repeated, and leaves what it has not read."""
    faults = []
    with scratch() as folder:
        inputs = sorted((t.testdata / 'golden').glob('procs?.heap'))
        for path in inputs[:3]:
            batch(f'{folder}/o', [path])
        stacks = pathlib.Path(folder, 'o', 'stacks')
        before = {row['stack']: row for row in table(f'{folder}/o', 'stacks')}
        other = stacks / '0000000000000000.ndjson'
        other.write_text('{"stack":"0000000000000001","names":"0000000000000001"}\n')
        broken = stacks / '0000000000000002.ndjson'
        broken.write_text(f'{{"stack":"{min(before)}')

        def add(*options):
            t.ok('rows', '-q', '--add-names', '-o', f'{folder}/o', '--format=ndjson', f'--symbol-dir={t.root}', *options)
            new = set(stacks.iterdir()) - {other, broken}
            if len(new) != 1:
                faults.append(f'{len(new)} files after {options}')
            return {row['stack']: row for path in new for row in map(json.loads, path.read_text().splitlines())}

        after, short, again = add(), add('--names=short'), add()
        if set(after) != set(before) or after != again:
            faults.append('other stacks than before')
        if not any(row['leaf'] == 'leaf_mixed' and row['named'] >= 2 for row in after.values()):
            faults.append(f'no names: {sorted(row["leaf"] for row in after.values())}')
        for key, row in after.items():
            if row['names'] != short[key]['names'] or (row['named'] > 0) == (row['names'] == before[key]['names']):
                faults.append(f'digest of names of {key}')
        if not other.exists() or not broken.exists():
            faults.append('a table that was not read is gone')
        if t.run('rows', '--add-names', '-o', f'{folder}/none').code == 0:
            faults.append('an empty folder')
    return faults


# --- texts -------------------------------------------------------------------------------


def texts():
    """Every file is UTF-8 without NUL, whatever names the dumps have."""
    faults = []
    name = b'/srv/a\tb"c\\d,[e]\xff\xfe{f}\x01'
    with scratch() as folder:
        for i, program in enumerate((HOSTILE, name)):
            out = batch(f'{folder}/{i}', [hostile_dump(t, folder, program)])
            for path in files(out):
                if path.endswith('ndjson'):
                    text = pathlib.Path(out, path).read_bytes().decode()
                    faults += [f'{path} has a control character'] if re.search('[\0-\x09\x0b-\x1f]', text) else []
            modules = {module for row in table(out, 'stacks') for module in row['modules'] if module}
            wanted = program.decode('utf-8', 'backslashreplace')
            if i == 1 and wanted not in modules:
                faults.append(f'{sorted(modules)} without {wanted!r}')
    return faults


def redaction():
    faults = []
    with scratch() as folder:
        inputs = dumps_of(folder)[:4]
        key = pathlib.Path(folder, 'key')
        key.write_bytes(b'k' * 16)
        made = [batch(f'{folder}/{i}', inputs, f'--redact-key={key}', '--redact') for i in range(2)]
        if files(made[0]) != files(made[1]):
            faults.append('the same key gives other names')
        if list((made[0] / 'partials').iterdir()):
            faults.append('there is an aggregate file with the names')
        text = b''.join(content for content in files(made[0]).values())
        for word in (b'/opt/app', str(folder).encode(), b'app.4711'):
            faults += [f'{word} is shown'] if word in text else []
        plain = batch(f'{folder}/plain', inputs)
        shared = {row['stack'] for row in table(plain, 'rows')} & {row['stack'] for row in table(made[0], 'rows')}
        faults += ['ids of stacks are those of the paths'] if shared else []
        if {row['stack'] for row in table(made[0], 'rows')} != {row['stack'] for row in table(made[0], 'stacks')}:
            faults.append('redacted rows and stacks do not join')
    return faults


# --- refusals and failures ---------------------------------------------------------------


def refused():
    faults = []
    with scratch() as folder:
        inputs = dumps_of(folder)[:4]
        hpa = t.merged(f'{folder}/x.hpa', inputs)
        merged = f'{folder}/x.pb.gz'
        t.ok('merge', '-q', '--no-symbols', '-o', merged, *inputs)
        for name, path, code, status in (('partial', hpa, 'rows-of-aggregate', 2),
                                         ('merged profile', merged, 'rows-of-merged', 5),
                                         ('same dump', inputs[0], 'duplicate', 4)):
            out = pathlib.Path(folder, 'o')
            done = t.run('rows', '-q', '-o', out, inputs[0], path, is_coded=True)
            if done.code != status or code not in done.err:
                faults.append(f'{name}: {done.code} {done.err.strip()}')
            faults += [f'{name}: {files(out)} is left'] if files(out) else []
        text = inputs[1].read_text()
        inputs[1].write_text(text[:len(text) // 2])
        done = t.run('rows', '-q', '-o', f'{folder}/s', '--format=ndjson', '--max-skipped=1', *inputs)
        if done.code != 3 or len(table(f'{folder}/s', 'dumps')) != 3:
            faults.append(f'a skipped dump: {done.code} {done.err}')
    return faults


def interrupted():
    """However the program ends, each file is whole or absent, and dumps.ndjson is there only with the others."""
    faults = []
    with scratch() as folder:
        inputs = dumps_of(folder)
        whole = files(batch(f'{folder}/whole', inputs))
        begin = time.monotonic()
        batch(f'{folder}/timed', inputs)
        length = time.monotonic() - begin
        for i in range(8 if IS_SAMPLE else 50):
            out = f'{folder}/out'
            process = subprocess.Popen(t.command('rows', '-q', '-o', out, '--format=ndjson', *inputs))
            time.sleep(length * i / 40)
            process.send_signal(signal.SIGKILL)
            process.wait()
            left = {name: content for name, content in files(out).items() if not pathlib.Path(name).name.startswith('.')}
            faults += [f'kill {i}: {name} is torn' for name, content in left.items() if whole.get(name) != content]
            has_dumps = any(name.startswith('dumps/') for name in left)
            if has_dumps and len(left) != len(whole):
                faults.append(f'kill {i}: dumps without {set(whole) - set(left)}')
            shutil.rmtree(out, ignore_errors=True)
    return faults


def full_disk():
    """A file that cannot be written: status 6, and nothing but whole files."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    with scratch() as folder:
        inputs = dumps_of(folder)
        whole = files(batch(f'{folder}/whole', inputs))
        done = t.run('rows', '-q', '-o', f'{folder}/out', '--format=ndjson', *inputs, preexec_fn=limit)
        left = files(f'{folder}/out')
        faults = [f'{name} is torn' for name, content in left.items() if whole.get(name) != content]
        faults += [f'status {done.code}'] if done.code != 6 else []
        return faults + [f'{name} is there' for name in left if name.startswith('dumps')]


def links():
    """A symbolic link in the place of a file is replaced, and what it points to stays."""
    with scratch() as folder:
        inputs = dumps_of(folder)[:2]
        out = batch(f'{folder}/out', inputs)
        path = next((out / 'rows').iterdir())
        victim = pathlib.Path(folder, 'victim')
        victim.write_text('kept')
        content = path.read_bytes()
        path.unlink()
        path.symlink_to(victim)
        batch(out, inputs)
        good = victim.read_text() == 'kept' and not path.is_symlink() and path.read_bytes() == content
        return [] if good else ['the link was followed']


def together():
    """Two equal tasks at once."""
    with scratch() as folder:
        inputs = dumps_of(folder)
        whole = files(batch(f'{folder}/whole', inputs))
        command = t.command('rows', '-q', '-o', f'{folder}/out', '--format=ndjson', *inputs)
        tasks = [subprocess.Popen(command) for _ in range(2)]
        codes = [task.wait() for task in tasks]
        return [] if codes == [0, 0] and files(f'{folder}/out') == whole else [f'status {codes}']


t.check('the same dumps give the same files, the same dump the same lines', one_result)
t.check('tables are packed by gzip and zstd', packed)
t.check('every dump has rows', every_dump)
t.check('columns and types are those of the list', columns)
t.check('totals are those of info', totals)
t.check('another program computes the ids of stacks', stack_ids)
t.check('names are added later', names_later)
t.check('texts are UTF-8', texts)
t.check('names, and ids made of them, are redacted', redaction)
t.check('inputs that are no single dumps are refused', refused)
t.check('killed at any time, files are whole or absent', interrupted)
t.check('with a full disk, files are whole or absent', full_disk)
t.check('symbolic links are replaced', links)
t.check('two equal tasks at once', together)
t.done()

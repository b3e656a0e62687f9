#!/usr/bin/env python3
"""Every JSON report matches the schema, with its keys in the same order; the schema refuses anything else."""
import copy
import json
import os
import pathlib
import re

import jsonschema

from harness import Tests, hostile_dump, scratch

t = Tests()
DIFFERENCES = t.testdata / 'differences'
SCHEMA = json.loads((t.testdata.parent / 'schema' / 'hprof-agg.schema.json').read_text())
KINDS = [SCHEMA['definitions'][kind['$ref'].rpartition('/')[2]] for kind in SCHEMA['oneOf']]
VALIDATORS = {kind['properties']['schema']['const']: jsonschema.Draft7Validator({**kind, 'definitions': SCHEMA['definitions']})
              for kind in KINDS}
GOLDEN = t.testdata / 'golden'
PROCS = sorted(GOLDEN.glob('procs*.heap'))
SERIES = sorted((t.formats / 'series').glob('*.heap'))
REDIS = sorted(t.real.glob('redis*.gz'))
SYMBOLS = f'--symbol-dir={t.root}'
CXX = GOLDEN / 'cxx.heap'
ACCOUNT = t.testdata / 'account'
TCMALLOC = t.testdata / 'pprof' / 'tcmalloc-heap.pb'
LIFETIMES = t.testdata / 'pprof' / 'tcmalloc-lifetimes.pb'

REPORTS = [
    ('top', SYMBOLS, *PROCS),
    ('top', SYMBOLS, '--columns=spread', *PROCS),
    ('top', SYMBOLS, '--by=input', *PROCS),
    ('top', SYMBOLS, '--by=thread', *PROCS),
    ('top', '--confidence=none', '--no-symbols', *PROCS),
    ('top', '--estimator=none', '--metric=alloc-objects', '--no-symbols', PROCS[0]),
    ('top', '--estimator=jeprof', '--by=address', '--cum', SYMBOLS, CXX),
    ('top', SYMBOLS, '--focus=vector', '--hide=^std::', CXX),
    ('top', '--no-symbols', t.formats / 'jemalloc-lg0-accum.heap'),
    ('top', '--no-symbols', t.formats / 'gperftools-growth.heap'),
    ('stacks', SYMBOLS, CXX),
    ('stacks', SYMBOLS, '--focus=vector', CXX),
    ('stacks', '--no-symbols', t.real / 'clang_json_lg17.21618.0.f.heap.gz'),
    ('tree', SYMBOLS, CXX),
    ('tree', SYMBOLS, '--invert', '--focus=vector', CXX),
    ('peek', 'leaf', SYMBOLS, *PROCS),
    ('peek', 'push_back', SYMBOLS, '--ignore=grow', CXX),
    ('list', 'leaf|main', SYMBOLS, f'--source-dir={t.formats}', *PROCS),
    ('list', 'main', '--confidence=none', SYMBOLS, CXX),
    ('diff', SYMBOLS, PROCS[0], PROCS[3]),
    ('diff', SYMBOLS, SERIES[0], SERIES[-1]),
    ('diff', '--no-symbols', *REDIS[:3], '--to', *REDIS[3:]),
    ('diff', '--confidence=none', SYMBOLS, '--focus=leaf', PROCS[0], PROCS[3]),
    ('diff', '--focus=main', DIFFERENCES / 'delta.pb.gz'),
    ('top', '--cum', '--by=line', DIFFERENCES / 'leak.pb.gz'),
    ('trend', SYMBOLS, *SERIES),
    ('trend', SYMBOLS, r'--time-from=(\d)\.[if]\d*\.heap', '--cum', *SERIES),
    ('trend', '--confidence=none', '--focus=leaf', SYMBOLS, *SERIES[:2]),
    ('lifetime', '--no-symbols', r'--time-from=27533\.(\d+)\.', *REDIS),
    ('lifetime', '--no-symbols', '--cum', '--focus=redis', *REDIS),
    ('lifetime', '--no-symbols', f'--recent={ACCOUNT}/frag.recent.json.gz', ACCOUNT / 'frag.heap'),
    ('info', SYMBOLS, *PROCS),
    ('info', '--no-symbols', t.formats / 'go-protobuf.pb.gz', t.formats / 'go-text.heap'),
    ('info', '--on-duplicate=skip', PROCS[0], PROCS[0]),
    ('info', '--no-symbols', t.formats / 'gperftools-growth.heap'),
    *((command, '--thread=alloc_c', SYMBOLS, PROCS[0], PROCS[3])
      for command in ('top', 'stacks', 'tree', 'diff', 'trend')),
    *((command, 'main', '--thread=alloc_c', SYMBOLS, PROCS[0]) for command in ('peek', 'list')),
    *((command, '--metric=resident_space', TCMALLOC) for command in ('top', 'stacks', 'tree')),
    ('peek', 'leaf', '--metric=swapped_space', TCMALLOC),
    ('top', '--max-bytes=3000', '--no-symbols', CXX),
    ('top', '--no-symbols', '--by=age', t.formats / 'jemalloc-clickhouse.heap', PROCS[0]),
    ('top', '--no-symbols', '--columns=age', '--columns=sizes', t.formats / 'jemalloc-clickhouse.heap', PROCS[0]),
    *((command, '--no-symbols', '--older-than=10ms', t.formats / 'jemalloc-clickhouse.heap')
      for command in ('top', 'stacks', 'tree')),
    ('plan', SYMBOLS, *PROCS),
    ('plan', '--no-symbols', r'--time-from=27533\.(\d+)\.', *REDIS),
    ('info', TCMALLOC, LIFETIMES),
    ('account', '--no-symbols', f'--stats={ACCOUNT / "frag.json"}', f'--smaps={ACCOUNT / "frag.smaps_rollup"}',
     ACCOUNT / 'frag.heap'),
    ('stacks', SYMBOLS, '--label-from=procs(?<number>.)', '--by=label:number', f'--groups={GOLDEN / "groups"}', *PROCS),
    ('account', '--no-symbols', *sorted(ACCOUNT.glob('jemalloc-5.3.?.*'))),
    ('account', '--waste', '--no-symbols', f'--stats={ACCOUNT / "frag.json"}', ACCOUNT / 'frag.heap'),
    ('top', SYMBOLS, '--label-from=procs(?<number>.)', '--by=label:number', *PROCS),
    ('top', '--no-symbols', '--by=size', *PROCS),
]


def title(report):
    return ' '.join(pathlib.Path(str(word)).name for word in report if 'symbol' not in str(word))[:70]


def load(report):
    return json.loads(t.ok(*report[:1], '-q', '-fjson', *report[1:]).out_bytes)


def definition(schema):
    return SCHEMA['definitions'][schema['$ref'].rpartition('/')[2]] if '$ref' in schema else schema


def disorder(value, schema, where):
    """Keys that are not in the order of the schema, also within."""
    schema = definition(schema)
    for choice in schema.get('anyOf', []):
        if value is not None and choice.get('type') != 'null':
            if jsonschema.Draft7Validator({**choice, 'definitions': SCHEMA['definitions']}).is_valid(value):
                return disorder(value, choice, where)
    if isinstance(value, list):
        return [fault for item in value for fault in disorder(item, schema.get('items', {}), where)]
    if not isinstance(value, dict) or 'properties' not in schema:
        return []
    order = [key for key in schema['properties'] if key in value]
    faults = [] if order == list(value) else [f'{where}: {list(value)} instead of {order}']
    return faults + [fault for key in value for fault in
                     disorder(value[key], schema['properties'][key], f'{where}.{key}')]


def is_valid(value):
    """Validate by the schema of its kind only: each kind requires a different `schema` (see `apart`), so that no
    other can match."""
    return value.get('schema') in VALIDATORS and VALIDATORS[value['schema']].is_valid(value)


def apart():
    """Each kind demands a `schema` of its own."""
    demanding = [kind for kind in KINDS if 'schema' in kind['required']]
    return [] if len(VALIDATORS) == len(KINDS) == len(demanding) > 1 else [f'{list(VALIDATORS)}']


def faults_of(report):
    kind = 'differences' if DIFFERENCES in getattr(report[-1], 'parents', ()) else report[0]
    value, version = load(report), 2 if kind in ('info', 'differences') else 3
    faults = [f'{error.json_path}: {error.message[:300]}' for error in
              VALIDATORS[f'hprof-agg.{kind}/{version}'].iter_errors(value)]
    if value['schema'] != f'hprof-agg.{kind}/{version}' or (kind != 'info' and not value['rows']):
        faults.append('another schema, or nothing to look at')
    return faults + disorder(value, {'$ref': kind}, kind)[:5]


def changed(value):
    """(description, a copy with one fault) for each key, also within the first element of a list."""
    def places(part, path):
        if isinstance(part, dict):
            yield path
            for key in part:
                yield from places(part[key], (*path, key))
        elif isinstance(part, list) and part:
            yield from places(part[0], (*path, 0))

    for path in places(value, ()):
        for key in [*copy.copy(reach(value, path)), None]:
            other = copy.deepcopy(value)
            part = reach(other, path)
            if key is None:
                part['more'] = 1
            else:
                del part[key]
            yield (*path, key), other


def reach(value, path):
    for key in path:
        value = value[key]
    return value


OPTIONAL = {'spread', 'outliers', 'thread', 'filters', 'filtered', 'skipped_inputs', 'cut', 'not_compared', 'holders', 'row_outliers',
            'of', 'large_sizes', 'stacks_total', 'sampling', 'rounding', 'error'}


def refuses():
    faults, count = [], 0
    for report in (REPORTS[1], REPORTS[10], REPORTS[13], REPORTS[15], REPORTS[17], REPORTS[19], REPORTS[23],
                   REPORTS[26], REPORTS[-4], REPORTS[-3]):
        value = load(report)
        for what, other in changed(value):
            if what[-1] not in OPTIONAL:
                count += 1
                faults += [] if not is_valid(other) else [f'{report[0]}: {what}']
        other = {**value, 'schema': value['schema'][:-1] + '9'}
        faults += [] if not is_valid(other) else [f'{report[0]}: version 9']
    return faults or f'{count} changes'


def every_command():
    """A command that writes JSON has a part of the schema."""
    completions = (t.testdata.parent / 'completions' / 'hprof-agg.bash').read_text()
    commands = re.search(r"kind=word words='(top [^']*)'", completions)[1].split()
    writes = [command for command in commands if not re.search(
        'format-not-of-command|rows-format', t.run(command, '-fjson', '--no-symbols', 'x', PROCS[0], is_coded=True).err)]
    pages = {word: t.run('help', word).out for word in writes}
    wanted = {word for word, page in pages.items()
              if page.startswith(f'Usage: hprof-agg {word}') and '--format=' in page}
    tested = {report[0] for report in REPORTS} | {'doctor'}  # see doctor()
    faults = [f'{command}: no report of it is looked at' for command in wanted - tested]
    return faults + [f'{command}: not in the schema' for command in tested if
                     {'$ref': f'#/definitions/{command}'} not in SCHEMA['oneOf']]


def doctor():
    faults = []
    for subject in (PROCS[0], PROCS[0].parent, t.binary, os.getpid()):
        value = json.loads(t.run('doctor', '--format=json', subject).out_bytes)
        faults += [f'{subject}: {error.message}' for error in VALIDATORS['hprof-agg.doctor/1'].iter_errors(value)]
        faults += [] if value['findings'] else [f'{subject}: no findings']
    return faults


def skipped():
    """Unusable inputs are reported, too."""
    with scratch() as folder:
        path = pathlib.Path(folder) / 'x.heap'
        path.write_bytes(PROCS[0].read_bytes()[:700])
        result = t.run('info', '-q', '-fjson', '--max-skipped=1', '--no-symbols', path, PROCS[1])
    value = json.loads(result.out_bytes)
    faults = [] if is_valid(value) else ['not of the schema']
    status = [(i['status'], i['reason'] is None) for i in value['inputs']]
    return faults + ([] if sorted(status) == [('skipped', False), ('used', True)] else [f'{status}'])


def reasons():
    """Inputs that are not used are reported as the number of each kind."""
    with scratch() as folder:
        path = pathlib.Path(folder)
        (path / 'cut').write_bytes(PROCS[0].read_bytes()[:700])
        (path / 'java').write_bytes(b'JAVA PROFILE 1.0.2\0')
        (path / 'large').write_bytes(PROCS[2].read_bytes() + b'\n' * 200000)
        (path / 'elf').write_bytes(pathlib.Path(t.binary).read_bytes()[:5000])
        inputs = [*(path / name for name in ('cut', 'java', 'large', 'elf', 'no1', 'no2')),
                  PROCS[1], PROCS[1]]
        options = ('-q', '-fjson', '--max-skipped=9', '--on-duplicate=skip', '--no-symbols',
                   '--max-input-size=100KiB')
        top = json.loads(t.run('top', *options, *inputs).out_bytes)
        diff = json.loads(t.run('diff', *options, *inputs, '--to', PROCS[3]).out_bytes)
    wanted = {'unreadable': 2, 'malformed': 1, 'unsupported': 1, 'limit': 1, 'repeated': 1,
              'program': 1}
    faults = [f'{told}' for told in (top['inputs'], diff['base'])
              if told['reasons'] != wanted or told['skipped'] != 7]
    return faults + ([] if diff['new']['reasons'] == {} else [f"{diff['new']}"]) + [
        'not of the schema' for report in (top, diff) if not is_valid(report)]


def key_of_label():
    value = load(REPORTS[-2])
    return [] if (value['by'], value['label']) == ('label', 'number') else [f'{value}'[:200]]


def hostile():
    with scratch() as folder:
        path = hostile_dump(t, folder)
        outs = [t.ok(command, '-q', '-fjson', '--no-symbols', path).out_bytes
                for command in ('top', 'stacks', 'tree', 'info')]
        outs.append(t.ok('diff', '-q', '-fjson', '--no-symbols', path, PROCS[3]).out_bytes)
    faults = [f'byte {byte}' for out in outs for byte in set(out) if byte < 0x20 and byte != 10]
    faults += [] if all(is_valid(json.loads(out.decode('utf-8', 'strict')))
                        for out in outs) else ['not of the schema']
    wanted = 'script>;\\u001b[31m\\u0007\\ufffd\\u202e\'#'.encode()
    return faults + [f'{out[:200]}' for out in outs if wanted not in out]


def groups_of_dumps():
    """A partial that lists no dumps individually, with and without filters."""
    faults = []
    with scratch() as folder:
        listed, partial = [], pathlib.Path(folder, 'all.hpa')
        for i in range(260):
            listed.append(f'{folder}/{i}.heap')
            pathlib.Path(listed[-1]).write_text(PROCS[0].read_text().replace('t0: ', f't{i}: '))
        t.ok('merge', '-q', '-o', partial, '--files-from=-', '--dumps=sum', stdin='\n'.join(listed).encode())
        for kind, *args in (('top', '--columns=spread'), ('top', '--columns=spread', '--focus=.'), ('diff', partial)):
            value = json.loads(t.ok(kind, '-fjson', '--no-symbols', *args, partial).out)
            told = value['base']['groups'] if kind == 'diff' else value['spread_groups']
            if not 1 <= told <= 64 or not is_valid(value):
                faults.append(f'{args}: {told}, not of the schema')
            if kind == 'diff' and value['test'] != 'sampling':
                faults.append(f'{told} group does not tell how groups differ: {value["test"]}')
            faults += disorder(value, {'$ref': kind}, kind)[:5]
    return faults


jsonschema.Draft7Validator.check_schema(SCHEMA)
for each in REPORTS:
    t.check(f'{title(each)}: the report matches the schema, in its order', lambda: faults_of(each))
t.check('the first key distinguishes the kinds of reports', apart)
t.check('the schema rejects additional and missing keys and other versions', refuses)
t.check('every command that writes JSON is tested', every_command)
t.check('doctor matches the schema', doctor)
t.check('info: unusable inputs match the schema', skipped)
t.check('info: groups of dumps match the schema', groups_of_dumps)
t.check('reasons for unused inputs have their counts', reasons)
t.check('rows by label name the key', key_of_label)
t.check('R11: hostile names are escaped', hostile)
t.done()

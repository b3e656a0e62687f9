#!/usr/bin/env python3
"""Shards: the stacks of partials are divided by a hash of texts and merged shard by shard; when the shards are
joined, they give the same bytes.  An incomplete set is reported first, and shards that do not belong together are
refused.

usage: shards.py BINARY TESTDATA [DUMPS]

DUMPS (300) is the number of dumps in the largest fleet.
"""
import json
import math
import pathlib
import random
import sys

from fleets import Process
from harness import Tests, scratch, without_next

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'interop'))
import hpa_reader  # noqa: E402

t = Tests(is_coded=True)
merge, merged, digest = t.merge, t.merged, t.digest
DUMPS = next((int(word) for word in sys.argv[3:] if word.isdigit()), 300)
PPROF = [t.formats / name for name in ('go-protobuf.pb.gz', 'tcmalloc.pb.gz')]


def dumps_of(folder, count):
    r = random.Random(count)
    paths = []
    for number in range(count):
        process = Process(r, 1000 + number)
        path = pathlib.Path(folder, process.name(0, 'i0'))
        path.write_text(process.dump(r, (1, 524288)[number % 3 == 0]))
        paths.append(path)
    return paths


def cut(folder, name, inputs, shards):
    return [merged(pathlib.Path(folder, f'{name}-{i}of{shards}.hpa'), inputs, f'--shard={i}/{shards}')
            for i in range(shards)]


def one_digest(inputs, shards, tasks=3):
    """Tasks that have each read some, merged shard by shard, then joined: at once, and two by two."""
    faults, r = [], random.Random(shards)
    with scratch() as folder:
        inputs = inputs if isinstance(inputs, list) else dumps_of(folder, inputs)
        whole = merged(pathlib.Path(folder, 'whole.hpa'), inputs)
        parts = [cut(folder, f'task{i}', inputs[i::tasks], shards) for i in range(tasks)]
        each = [merged(pathlib.Path(folder, f'shard{i}.hpa'), [task[i] for task in parts]) for i in range(shards)]
        of_whole = cut(folder, 'whole', [whole], shards)
        if [digest(path) for path in each] != [digest(path) for path in of_whole]:
            faults.append('shards of tasks are not those of the whole')
        r.shuffle(each)
        halves = [merged(pathlib.Path(folder, f'half{i}.hpa'), each[i::2]) for i in (0, 1)]
        for name, join in (('at once', each), ('halves', halves), ('sets', [path for task in parts for path in task])):
            for threads in (1, 8):
                out = merged(pathlib.Path(folder, 'joined.hpa'), join, f'-j{threads}')
                if digest(out) != digest(whole):
                    faults.append(f'{name}, -j{threads}: another digest')
        sizes = [len(hpa_reader.Partial(path.read_bytes()).stacks) for path in each]
        if sum(sizes) != len(hpa_reader.Partial(whole.read_bytes()).stacks) or max(sizes) == sum(sizes):
            faults.append(f'stacks of shards: {sizes}')
        for report in (['top', '--by=input'], ['stacks'], ['merge', '-fpprof'], ['info']):
            want, got = (t.run(*report, '--no-symbols', *given) for given in ([whole], each))
            if len(inputs) <= 256 and (want.code, without_next(want.out_bytes)) != (got.code, without_next(got.out_bytes)):
                faults.append(f'{report}: {want.code} {got.code} {got.err}')
        return faults or f'{sizes}'


def shard_of(read, path, shards):
    return int(hpa_reader.stack_id(read, path), 16) % shards


def by_texts():
    faults = []
    with scratch() as folder:
        inputs = sorted((t.formats / 'procs').glob('*.heap')) + sorted(t.formats.glob('jemalloc-*.heap'))[:2]
        for i, path in enumerate(cut(folder, 'some', inputs, 5)):
            read = hpa_reader.Partial(path.read_bytes())
            found = {shard_of(read, key[1], 5) for key, *_ in read.stacks}
            if found - {i} or dict(read.parameters)['shard'] != 1 << i:
                faults.append(f'{i}: {found} {read.parameters}')
    return faults


def not_all():
    faults = []
    with scratch() as folder:
        inputs = dumps_of(folder, 12)
        shards = cut(folder, 'some', inputs, 4)
        for given, said in (([0], 'shard 0 moment-shard: 4 '), ([3, 1], 'shards 1, 3 moment-shard: 4 ')):
            paths = [shards[i] for i in given]
            for command in ('top', 'stacks', 'tree', 'info', 'merge'):
                words = [command, '--no-symbols', *(['-fcallgrind'] if command == 'merge' else [])]
                out = t.ok(*words, *paths).out
                if said not in (out if command == 'merge' else ' '.join(out.split('\n')[:2])):
                    faults.append(f'{command}: {out[:90]}')
            report = json.loads(t.ok('top', '--no-symbols', '-fjson', *paths).out)
            if report.get('shards') != {'count': 4, 'present': sorted(given)}:
                faults.append(f'json: {report.get("shards")}')
            for metric, total in report['total'].items():
                if total and not total.get('low', 0) <= total['estimate'] <= (total.get('high') or math.inf):
                    faults.append(f'shards {given}: {metric} is outside its interval: {total}')
        whole = t.ok('top', '--no-symbols', *shards).out
        if 'moment-shard' in whole or 'shards' in json.loads(t.ok('top', '-fjson', '--no-symbols', *shards).out):
            faults.append(f'all are not whole: {whole[:90]}')
    return faults


def refusals():
    faults = []
    with scratch() as folder:
        inputs = dumps_of(folder, 8)
        a, b = cut(folder, 'a', inputs[:4], 2), cut(folder, 'b', inputs[4:], 2)
        overlapping, thirds = cut(folder, 'o', inputs[2:6], 2), cut(folder, 'a', inputs[:4], 3)
        nobody = merged(pathlib.Path(folder, 'nobody.hpa'), inputs[:4], '--no-input-ids')
        cases = [
            ('twice', [a[0], a[0]], [], 4, 'shard-twice: 0 2 '), ('other n', [a[0], thirds[1]], [], 4, 'partials-differ: shards '),
            ('overlap', [a[0], overlapping[0]], [], 4, 'partials-overlap: 2 dumps are '), ('dumps', [a[0], inputs[7]], [], 4, 'partials-differ: shards 2 the dumps beside it '),
            ('other shards', [a[0], a[1], b[0]], [], 4, 'shard-differs: 1 2 '), ('not the same', [a[0], b[1]], [], 4, 'shard-differs: 0 2 '),
            ('cut again', [a[0]], ['--shard=0/2'], 2, 'partial-cut-already'), ('no number', inputs, ['--shard=2/2'], 2, 'shard-number: shard 64 2/2'),
            ('nobody known', inputs, ['--shard=0/2', '--no-input-ids'], 2, 'shard-no-input-ids'),
            ('none beside others', [nobody, inputs[7]], ['--shard=0/2'], 2, 'shards-without-ids'),
            ('too many', inputs, ['--shard=0/65'], 2, 'shard-number: '), ('half a word', inputs, ['--shard=1'], 2, 'shard-number: '),
            ('two sets', [*a, *b], [], 0, ''), ('the whole again', a, ['--shard=1/3'], 0, ''),
        ]
        for what, given, options, code, why in cases:
            out = pathlib.Path(folder, 'out.hpa')
            out.unlink(missing_ok=True)
            result = merge(out, given, *options)
            named = code != 4 or any(path.name in result.err for path in given)
            if result.code != code or why not in result.err or not named or out.exists() != (code == 0):
                faults.append(f'{what}: {result.code} {result.err}')
        result = t.run('merge', '-q', '-fpprof', '--shard=0/2', *inputs)
        if result.code != 2 or 'hpa' not in result.err:
            faults.append(f'of another format: {result.code} {result.err}')
    return faults


t.check('joined shards of few dumps and of their histories give one digest', lambda: one_digest(40, 4))
t.check('joined shards of pprof profiles and their sample types give one digest', lambda: one_digest(PPROF, 3, 2))
t.check(f'joined shards of {DUMPS} dumps give one digest', lambda: one_digest(DUMPS, 7))
t.check('the texts of a stack determine its shard', by_texts)
t.check('an incomplete set of shards is reported above the table', not_all)
t.check('shards that do not belong together are rejected', refusals)
t.done()

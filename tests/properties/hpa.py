#!/usr/bin/env python3
"""Tests partials: dumps merged in any order and any number of steps give the same bytes; the reports are those of the
dumps; inputs that cannot be added, or are damaged, are refused.

usage: hpa.py BINARY TESTDATA [DUMPS] [--sample | --full]

DUMPS (600) is the number of dumps in the largest fleet.  A sample skips the fleets, the reports of series and two thirds of the options;
--full takes all options, not half of them.
"""
import json
import math
import pathlib
import random
import re
import struct
import subprocess
import sys
import tarfile
import tempfile

from fleets import Process, fleet
from harness import IS_SAMPLE, Tests, every, scratch, without_next

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'interop'))
import hpa_reader  # noqa: E402

t = Tests()
merge, merged, digest = t.merge, t.merged, t.digest
LIMIT = [] if IS_SAMPLE else ['--max-memory=64MiB']  # too little for the sanitizers
DUMPS = next((int(word) for word in sys.argv[3:] if word.isdigit()), 600)
HISTORY = 256
REAL = sorted((t.testdata / 'real').glob('redis*.heap.gz'))
SERIES = sorted((t.formats / 'series').glob('*.heap'))
PROCS = sorted((t.formats / 'procs').glob('*.heap'))


def fleet_of(folder, count, seed=1):
    """Lists of paths, one of each process: every tenth has three dumps, every fiftieth an idle fork."""
    r, found = random.Random(seed), []
    while sum(map(len, found)) < count:
        number = len(found)
        process = Process(r, 1000 + number, prefix=('api', 'web')[number % 2])
        own = []
        for i in range(3 if number % 10 == 0 else 1):
            path = pathlib.Path(folder, process.name(i, f'i{i}'))
            path.write_text(process.dump(r, (1, 524288)[number % 3 == 0]))
            own.append(path)
        found.append(own)
        if number % 50 == 7:
            fork = pathlib.Path(folder, process.fork(900000 + number).name(0, 'i0'))
            fork.write_text(own[0].read_text())
            found.append([fork])
    return found


# --- one digest -----------------------------------------------------------------------------


def tree(folder, parts, r, name):
    """The parts merged in some order, some at a time."""
    parts = list(parts)
    for step in range(len(parts)):
        if len(parts) == 1:
            break
        r.shuffle(parts)
        size = r.randint(2, max(2, min(9, len(parts))))
        out = pathlib.Path(folder, f'{name}-{step}.hpa')
        parts = parts[size:] + [merged(out, parts[:size], f'-j{r.choice((1, 2, 8))}')]
    return parts[0]


def one_digest(count, trees):
    faults = []
    with scratch() as folder:
        processes = fleet_of(folder, count)
        every = [path for own in processes for path in own]
        whole = merged(pathlib.Path(folder, 'whole.hpa'), every)
        want, read = digest(whole), hpa_reader.Partial(whole.read_bytes())
        r = random.Random(count)
        for lists in (1, 7, 64):
            bags = [[] for _ in range(lists)]
            for own in processes:
                r.choice(bags).extend(own)
            parts = []
            for i, bag in enumerate(bags):
                r.shuffle(bag)
                if bag:
                    parts.append(merged(pathlib.Path(folder, f'{lists}-{i}.hpa'), bag, f'-j{r.choice((1, 8))}'))
            for i in range(trees):
                last = tree(folder, parts, r, f'{lists}-tree{i}')
                if digest(last) != want:
                    faults.append(f'{lists} lists, tree {i}: another digest')
        if count <= HISTORY and (len(read.dumps) != count or not read.names):
            faults.append(f'{len(read.dumps)} dumps are told of, not {count}')
        if count > HISTORY and (read.dumps or read.history or read.names):
            faults.append('too many dumps are told of one by one')
        return faults or f'{want[:16]}, {len(read.stacks)} stacks in {whole.stat().st_size} B'


def from_elsewhere():
    """The same result is read from a pipe and from an archive, also together with dumps."""
    with scratch() as folder:
        processes = fleet_of(folder, 60)
        every = [path for own in processes for path in own]
        want = digest(merged(pathlib.Path(folder, 'whole.hpa'), every))
        half = len(processes) // 2
        parts = [merged(pathlib.Path(folder, f'{i}.hpa'), [path for own in some for path in own])
                 for i, some in enumerate((processes[:half], processes[half:]))]
        archive = pathlib.Path(folder, 'parts.tar')
        with tarfile.open(archive, 'w') as tar:
            for part in parts:
                tar.add(part, part.name)
        out = pathlib.Path(folder, 'out.hpa')
        rest = [path for own in processes[half:] for path in own]
        found = {'a pipe': merge(out, ['-', parts[1]], stdin=parts[0].read_bytes()).code or digest(out),
                 'an archive': merge(out, [], f'--tar={archive}').code or digest(out),
                 'with dumps': merge(out, [parts[0], *rest]).code or digest(out)}
        stdout = t.ok('merge', '-q', '-f', 'hpa', *parts).out_bytes
        out.write_bytes(stdout)
        found['to standard output'] = digest(out)
        return [f'{name}: {code}' for name, code in found.items() if code != want]


def archived(path, dumps):
    with tarfile.open(path, 'w') as tar:
        for dump in dumps:
            tar.add(dump, dump.name)
    return path


def older_first():
    """In an archive, older dumps may be added before the newest one is found: they have no effect on the result, and
    the written partial can be read and merged again."""
    faults = []
    with scratch() as folder:
        r, process = random.Random(3), Process(random.Random(9), 41)
        dumps = [pathlib.Path(folder, process.name(i, f'i{i}')) for i in range(2)]
        for dump in dumps:
            dump.write_text(process.dump(r))
        want = merged(pathlib.Path(folder, 'want.hpa'), dumps)
        for name, order in (('older first', dumps), ('newest first', dumps[::-1])):
            archive, out = archived(pathlib.Path(folder, 'two.tar'), order), pathlib.Path(folder, 'out.hpa')
            again, from_pipe = pathlib.Path(folder, 'again.hpa'), pathlib.Path(folder, 'pipe.hpa')
            codes = [merge(out, [], f'--tar={archive}').code, merge(again, [out]).code, t.run('top', out).code,
                     merge(from_pipe, [], '--tar=-', stdin=archive.read_bytes()).code]
            if any(codes) or {digest(path) for path in (out, again, from_pipe)} != {digest(want)}:
                faults.append(f'{name}: {codes}')
            if hpa_reader.Partial(again.read_bytes()).dumps != hpa_reader.Partial(want.read_bytes()).dumps:
                faults.append(f'{name}: other dumps')
    return faults


def archives(count, tasks=6):
    """Archives of complete processes, their dumps in any order, some with frames in no mapping."""
    faults = []
    with scratch() as folder:
        r, processes = random.Random(count), fleet_of(folder, count)
        for own in processes[::7]:
            for dump in own:
                dump.write_text(dump.read_text().replace('@ ', f'@ {r.randrange(0x10000, 0x20000):#x} ', 1))
        want = digest(merged(pathlib.Path(folder, 'whole.hpa'), [path for own in processes for path in own]))
        for threads in (1, 2, 8):
            bags = [[] for _ in range(tasks)]
            for own in processes:
                r.choice(bags).extend(own)
            for kind in ('files', 'pipes'):
                parts = []
                for i, bag in enumerate(bags):
                    r.shuffle(bag)
                    archive, part = archived(pathlib.Path(folder, f'{i}.tar'), bag), pathlib.Path(folder, f'{i}.hpa')
                    result = merge(part, [], f'-j{threads}', f'--tar={archive}') if kind == 'files' else merge(
                        part, [], f'-j{threads}', '--tar=-', stdin=archive.read_bytes())
                    parts.append(part)
                    faults += [f'-j{threads}, {kind}: {result.code} {result.err}'] if result.code else []
                joined = pathlib.Path(folder, 'joined.hpa')
                code = merge(joined, parts, f'-j{threads}').code
                if code or digest(joined) != want:
                    faults.append(f'-j{threads}, {kind}: {code or "another digest"}')
    return faults or want[:16]


def read_again():
    """The fullest dump of a process may be found after another one was added; then it is read once more.  The names
    of the dumps of a partial stay the same."""
    with scratch() as folder:
        first = pathlib.Path(folder, 'first.heap')
        first.write_bytes(PROCS[0].read_bytes())
        partial = merged(pathlib.Path(folder, 'one.hpa'), [first], '--dumps=peak')
        dumps = [pathlib.Path(folder, f'd{i}') for i in range(3)]  # the last by name is read first
        for path, dump in zip(dumps, reversed(SERIES[:3])):
            path.write_bytes(dump.read_bytes())
        want = merged(pathlib.Path(folder, 'want.hpa'), [first, *dumps], '--dumps=peak')
        out = merged(pathlib.Path(folder, 'all.hpa'), [partial, *dumps], '--dumps=peak')
        names = re.findall('^input (.*)', t.ok('info', '-v', '--no-symbols', out).out, re.M)
        faults = [] if digest(out) == digest(want) else ['it is not the same as of dumps alone']
    return faults + ([] if names == sorted(map(str, [first, *dumps])) else [f'{names}'])


def in_no_mapping():
    """Frames of JIT compilers are one frame, the same in all processes, unless their addresses are asked for."""
    faults = []
    with scratch() as folder:
        jitted = []
        for i, own in enumerate(fleet_of(folder, 6)[:4]):
            own[0].write_text(own[0].read_text().replace('@ ', f'@ {0x10000 + 16 * i:#x} {0x20000 + 16 * i:#x} '))
            jitted.append(own[0])
        for how, wanted in (([], {0}), (['--keep-unmapped'], {0x10000 + 16 * i for i in range(4)} | {
                0x20000 + 16 * i for i in range(4)})):
            parts = [merged(pathlib.Path(folder, f'{i}.hpa'), [path], *how) for i, path in enumerate(jitted)]
            whole = merged(pathlib.Path(folder, 'whole.hpa'), jitted, *how)
            read = hpa_reader.Partial(whole.read_bytes())
            found = {offset for module, offset, _ in read.frames if module == 0}
            if found != wanted or dict(read.parameters)['unmapped'] != len(how):
                faults.append(f'{how}: {found} {read.parameters}')
            if digest(merged(pathlib.Path(folder, 'parts.hpa'), parts, *how)) != digest(whole):
                faults.append(f'{how}: in parts another digest')
            result = t.run('top', '--no-symbols', '--by=address', '-ftsv', whole, is_coded=True)
            if result.code != (0 if how else 2) or ('partial-without-unmapped' in result.err) != (not how):
                faults.append(f'{how}: {result.code} {result.err}')
    return faults


# --- reports --------------------------------------------------------------------------------

OPTIONS = {'metric': ['--metric=alloc-space'], 'line': ['--by=line'], 'size': ['--by=size'], 'input': ['--by=input'],
           'spread': ['--columns=spread'], 'time': ['--time-from=mtime'], 'address': ['--by=address']}


def same_reports(inputs, *how, options=OPTIONS):
    """Compare every report in every format, without options and with each option, except those that are refused for
    both; for inputs of single dumps, only reports of single dumps."""
    how = list(how)
    def compare(job):
        command, each, more, partial = job
        args = [command, '--no-symbols', '-f', each, *more, *(['.'] if 'REGEX' in usages[command] else [])]
        own = [] if command in ('trend', 'lifetime', 'info') or how == ['--dumps=each'] else how
        want, got = t.run(*args, *own, *inputs, is_coded=True), t.run(*args, partial, is_coded=True)
        if got.code == 2 and (want.code == 2 or 'partial-of-each-dump' in got.err):
            refused.append(args)
            return []
        is_same = (want.code, without_next(want.out_bytes), want.err) == (got.code, without_next(got.out_bytes), got.err)
        return [] if is_same else [
            f'{" ".join(args)}: {want.code} {got.code} {want.err[:99]} {got.err[:99]}']

    refused, usages = [], t.reports()
    with scratch() as folder:
        partial = merged(pathlib.Path(folder, 'all.hpa'), inputs, *how)
        jobs = [(command, each, more, partial) for command in usages if 'BASE' not in usages[command] for each in t.formats_of(command)
                if each != 'hpa' for more in [[], *(list(options.values())[::3] if IS_SAMPLE else every(2, options.values()))]]
        faults = t.in_parallel(compare, jobs)
        for command in ('trend', 'info') if how == ['--dumps=each'] else ('top', 'stacks', 'merge', 'info'):
            if [command, '--no-symbols', '-f', t.formats_of(command)[0]] in refused:
                faults.append(f'{command} is refused')
        return faults or f'{len(jobs) - len(refused)} reports of {len(inputs)} dumps, {len(refused)} refused'


def sides():
    """A diff of two partials is that of their dumps."""
    faults = []
    with scratch() as folder:
        before = merged(pathlib.Path(folder, 'a.hpa'), REAL[:1])
        after = merged(pathlib.Path(folder, 'b.hpa'), REAL[-2:-1])
        for each in t.formats_of('diff'):
            want = t.run('diff', '--no-symbols', '-f', each, REAL[0], REAL[-2])
            got = t.run('diff', '--no-symbols', '-f', each, before, after)
            if (want.code, want.out_bytes) != (got.code, got.out_bytes):
                faults.append(f'{each}: {want.code} {got.code} {got.err}')
    return faults


def beyond_history():
    """With more dumps, totals, intervals and unsampled memory are the same; reports that need each dump are refused
    by name."""
    faults = []
    with scratch() as folder:
        every = [path for own in fleet_of(folder, HISTORY + 44) for path in own]
        for path in every[::3]:
            path.write_text(path.read_text().replace('  t0: ', '  t7: '))
        partial = merged(pathlib.Path(folder, 'all.hpa'), every)
        for command, *rest in (('top', '-f', 'tsv', '-n0'), ('top', '-f', 'tsv', '-n0', '--by=size'), ('stacks', '-f', 'tsv'),
                               ('merge', '-f', 'folded'), ('tree', '-f', 'json')):
            want, got = (t.ok(command, '--no-symbols', '-q', *rest, *inputs) for inputs in (every, [partial]))
            rows = [[line for line in result.out.splitlines() if not line.startswith('#')] for result in (want, got)]
            if command == 'tree':
                rows = [result.out.partition('"rows"')[2].partition('"warnings"')[0] for result in (want, got)]
            if rows[0] != rows[1]:
                faults.append(f'{command} {rest}: others')
        apart = merged(pathlib.Path(folder, 'apart.hpa'), every, '--by=thread')
        want, got = (t.ok('top', '--no-symbols', '-q', '-ftsv', '--by=thread', *inputs) for inputs in (every, [apart]))
        if want.out != got.out or want.out.count('\n') < 3:
            faults.append(f'by thread: {want.out[:400]}, not {got.out[:400]}')
        heads = [[line for line in t.ok('top', '-v', '--no-symbols', *inputs).out.splitlines()
                  if line.startswith(('in use', 'allocated', 'of which'))] for inputs in (every, [partial])]
        if heads[0] != heads[1] or len(heads[0]) < 2:
            faults.append(f'{heads}')
        used = len(every) - 2 * sum(1 for path in every if path.name.endswith('.2.i2.heap'))
        if f'{used} inputs' not in t.ok('top', '-v', partial).out:
            faults.append(f'not {used} inputs')
        for args in (('top', '--columns=spread', '--metric=inuse-objects'), ('top', '--by=program'), ('trend',),
                     ('diff', '--metric=inuse-objects', partial)):
            result = t.run(args[0], '--no-symbols', *args[1:], partial, is_coded=True)
            if result.code != 2 or 'dumps-not-one-by-one' not in result.err and 'partial-of' not in result.err:
                faults.append(f'{args}: {result.code} {result.err}')
        for args, said in ((('top', '--columns=spread'), r'spread     from 6\d groups of dumps'),
                           (('top', '--columns=spread', '--focus=app'), 'spread-not-known-filtered'),
                           (('diff', partial), r'of base from 6\d groups of dumps, of new from 6\d groups')):
            if not re.search(said, t.codes(args[0], '-v', '--no-symbols', *args[1:], partial).out):
                faults.append(f'{args}: does not say {said}')
        filtered = json.loads(t.ok('top', '--no-symbols', '--columns=spread', '--focus=app', '-fjson', partial).out)
        if filtered['outliers'] is not None or filtered['quantiles']:
            faults.append('outliers are told under filters')
    return faults


def sums_of_groups(read):
    return [(sum(dumps.get(i, 0) for _, dumps, _ in read.distribution),
             *(sum(sums[k].get(i, 0) for sums in read.replicates) for k in (0, 1))) for i in range(64)]


def groups_of_dumps():
    """Sums of 64 groups, chosen by identities, equal those that a second reader adds up from each dump.  In a
    comparison, a side of few dumps is divided into groups like a partial."""
    faults = []
    with scratch() as folder:
        processes = fleet_of(folder, HISTORY + 60, seed=9)
        every = [path for own in processes for path in own]
        all_, half = pathlib.Path(folder, 'all.hpa'), len(processes) // 2
        read = hpa_reader.Partial(merged(all_, every).read_bytes())
        parts = [[path for own in some for path in own] for some in (processes[:half], processes[half:])]
        want = [[0, 0, 0] for _ in range(64)]
        for i, paths in enumerate(parts):
            one = hpa_reader.Partial(merged(pathlib.Path(folder, f'{i}.hpa'), paths).read_bytes())
            if one.replicates or one.distribution:
                faults.append('few dumps are told of in groups')
            for number, (process, low, _) in enumerate(one.identities):
                if one.dumps[number][0][0] > 1:
                    continue  # an older one of its process
                group = (process or low) % 64
                want[group][0] += 1
                for _, values in one.history.get(number, ()):
                    for k in (0, 1):
                        want[group][1 + k] += (values[2 * k] + (1 << 19)) >> 20
        if [list(sums) for sums in sums_of_groups(read)] != want:
            faults.append('other sums')
        dumps = sum(sums[0] for sums in want)
        for _, _, totals in read.distribution:
            none, buckets, largest, smallest = totals[0]
            if none + sum(buckets.values()) != dumps or len(largest) != 32 or len(smallest) != 32:
                faults.append('totals are of other dumps')
            for total, _, _ in largest + smallest:
                number = math.floor(16 * math.log2(total))
                if number not in buckets or not 2 ** (number / 16) <= total < 2 ** ((number + 1) / 16):
                    faults.append(f'{total} is in no bucket')
        if [name[0] for name in read.extreme_names] != sorted(
                {end[1] for _, _, totals in read.distribution for ends in totals for end in ends[2] + ends[3]} |
                {id_ for _, ids in read.diagnostics for id_ in ids},
                key=lambda id_: (id_[7::-1], id_[:7:-1])):
            faults.append('names of others')
        found = [json.loads(t.ok('diff', '--no-symbols', '-fjson', '-n0', side, all_).out) for side in (
            pathlib.Path(folder, '0.hpa'), all_)]
        if [each['base'].get('groups') for each in found] != [None, 64] or any(each['test'] != 'fleets' for each in found):
            faults.append('groups of a side that is told of one by one')
    return faults or f'{dumps} dumps'


def info_of_older():
    """For dumps that are not used, info shows the same as for all; modules have the frames of the used ones."""
    faults = []
    with scratch() as folder:
        for name, inputs in (('series', SERIES), ('redis', REAL[:4])):
            partial = merged(pathlib.Path(folder, f'{name}.hpa'), inputs)
            for each in ('text', 'json'):
                want, got = (re.sub(r'frames +\d+|\d+ of \d+ return addresses', '', t.ok('info', '-v', '--no-symbols', '-f', each, *some).out)
                             for some in (inputs, [partial]))
                want, got = (re.sub(r'"(frames|returns|calls|checked|unverified|modules)": [^\n]*', '', text) for text in (want, got))
                if want != got or 'an earlier moment' not in want:
                    faults.append(f'{name}, {each}: {[pair for pair in zip(want.splitlines(), got.splitlines()) if pair[0] != pair[1]][:2]}')
    return faults


# --- refusals -------------------------------------------------------------------------------


def edited(data, edit):
    """The partial with other raw bytes, and with matching checksums and digest, as a forger could make it."""
    import ctypes
    import hashlib
    out, sha, count, made = bytearray(data[:12]), hashlib.sha256(), 0, {}
    for section, flags, raw in hpa_reader.blocks(data):
        start = len(out)
        if section == 0:
            raw = struct.pack('<QQ', count, start) + sha.digest() + data[8:12]
        for section, flags, raw in edit(section, flags, raw):
            if (section, flags, raw) not in made:
                room = ctypes.create_string_buffer(len(raw) + 1000)
                size = hpa_reader.zstd.ZSTD_compress(room, ctypes.c_size_t(len(room)), raw, ctypes.c_size_t(len(raw)), 1)
                head = struct.pack('<HHII', section, flags, len(raw), size)
                frame = room.raw[:size]
                made[section, flags, raw] = head + frame + struct.pack('<Q', hpa_reader.checksum(head, frame))
            out += made[section, flags, raw]
            count += section > 0
            if not flags & 2:
                sha.update(struct.pack('<H', section) + raw)
    return bytes(out)


def refusals():
    faults = []
    with scratch() as folder:
        first, second = Process(random.Random(1), 41), Process(random.Random(2), 42)
        paths = {}
        for name, process, i in (('a0', first, 0), ('a1', first, 1), ('b', second, 0)):
            paths[name] = pathlib.Path(folder, process.name(i, f'i{i}'))
            paths[name].write_text(process.dump(random.Random(i)))
        part = {name: merged(pathlib.Path(folder, f'{name}.hpa'), [path]) for name, path in paths.items()}
        part['ab'] = merged(pathlib.Path(folder, 'ab.hpa'), [paths['a0'], paths['b']])
        part['labels'] = merged(pathlib.Path(folder, 'l.hpa'), [paths['b']], '--label-from=(?<x>app)')
        part['threads'] = merged(pathlib.Path(folder, 't.hpa'), [paths['b']], '--by=thread')
        for name, snapshots in (('s0', 'sum'), ('s1', 'sum'), ('e1', 'each')):
            part[name] = merged(pathlib.Path(folder, f'{name}.hpa'), [paths['a' + name[1]]], f'--dumps={snapshots}')
        other = edited(part['b'].read_bytes(), lambda section, flags, raw: [(section, flags, raw.replace(
            b'\x09estimator\x01', b'\x09estimator\x02'))])
        part['estimator'] = pathlib.Path(folder, 'estimator.hpa')
        part['estimator'].write_bytes(other)
        cases = [
            ('overlap', ['a0', 'ab'], 4, 'partials-overlap: 1 dump is '), ('itself', ['b', 'b'], 4, 'partials-overlap: 1 dump is '),
            ('a process', ['a0', 'a1'], 4, 'partials-overlap: 1 process is '), ('a process that is summed', ['s0', 's1'], 0, ''),
            ('snapshots', ['s0', 'b'], 4, 'partials-differ: --dumps '), ('labels', ['labels', 'a0'], 4, 'partials-differ: labels '),
            ('threads', ['threads', 'a0'], 4, 'partials-differ: threads '), ('estimator', ['estimator', 'a0'], 4, 'partials-differ: estimator '),
        ]
        for what, names, code, why in cases:
            out = pathlib.Path(folder, f'{what}.out.hpa')
            result = merge(out, [part[name] for name in names], is_coded=True)
            named = sum(part[name].name in result.err for name in names) or code == 0
            if result.code != code or why not in result.err or not named or out.exists() != (code == 0):
                faults.append(f'{what}: {result.code} {result.err}')
        result = merge(out, [part['a0'], paths['a1']])
        if result.code != 4:
            faults.append(f'a dump of its process beside a partial: {result.code} {result.err}')
        if t.run('top', part['estimator']).code != 0:
            faults.append('of another estimator nothing is reported')
        if t.run('merge', '--focus=x', '-o', out, paths['b']).code != 2:
            faults.append('filters are not refused')
        together = merged(pathlib.Path(folder, 'both.hpa'), [paths['a0'], paths['a1']])
        if digest(together) == digest(part['s0']):
            faults.append('chosen and summed are one')
    return faults


# Parameters of a partial, and an option that changes each: other options do not change the partial.
MADE = {'method': '--estimator=none', 'large-sizes': '--large-sizes=pages', 'snapshots': '--dumps=peak',
        'column': '--metric=alloc-space', 'labels': '--label-from=(?<x>web)', 'threads': '--by=thread',
        'thread': '--thread=0', 'unmapped': '--keep-unmapped'}


def made_otherwise():
    """Each parameter that a partial has, by an option and by a forger: named, with both partials."""
    faults = []
    with scratch() as folder:
        dumps = [own[0] for own in fleet_of(folder, 6)]
        one = merged(pathlib.Path(folder, 'one.hpa'), dumps[:1])
        other = merged(pathlib.Path(folder, 'other.hpa'), dumps[1:2])
        out = pathlib.Path(folder, 'out.hpa')
        parameters = dict(hpa_reader.Partial(one.read_bytes()).parameters)
        faults += [f'{name} is no parameter' for name in MADE.keys() - parameters.keys()]
        for name, value in parameters.items():
            if name == 'shard':  # a single file has no other shard
                continue
            row = bytes([len(name)]) + name.encode()
            parts = {'forged': pathlib.Path(folder, 'forged.hpa')}
            parts['forged'].write_bytes(edited(other.read_bytes(), lambda section, flags, raw: [
                (section, flags, raw.replace(row + put(value), row + put(value + 1)) if section == 1 else raw)]))
            if name in MADE:
                parts['made'] = merged(pathlib.Path(folder, 'made.hpa'), dumps[1:2], MADE[name])
            for how, part in parts.items():
                result = merge(out, [one, part], is_coded=True)
                said = [f'partials-differ: {"--dumps" if name == "snapshots" else name} ', 'one.hpa', part.name]
                if result.code != 4 or not all(words in result.err for words in said) or out.exists():
                    faults.append(f'{name}, {how}: {result.code} {result.err}')
    return faults or f'{len(parameters)} parameters, {len(MADE)} of options'


def of_one_thread():
    """A partial of one thread says so in its reports, which are those of the dumps, and in the result of merging it."""
    faults = []
    with scratch() as folder:
        dumps = [own[0] for own in fleet_of(folder, 6, seed=3)]
        one, out = merged(pathlib.Path(folder, 'one.hpa'), dumps, '--thread=0'), pathlib.Path(folder, 'out.hpa')
        parts = [merged(pathlib.Path(folder, f'{i}.hpa'), dumps[i::2], '--thread=0') for i in (0, 1)]
        parts = [merged(pathlib.Path(folder, f'{i}.again.hpa'), [part]) for i, part in enumerate(parts)]
        if digest(merged(out, parts)) != digest(one) or digest(merged(out, [parts[0], *dumps[1::2]], '--thread=0')) != digest(one):
            faults.append('another content')
        for command in (('top', '-n0'), ('top', '-n0', '-fjson'), ('stacks', '-ftsv'), ('tree',)):
            told = {without_next(t.codes(*command, '--no-symbols', '-q', *given).out_bytes).decode() for given in (['--thread=0', *dumps], [one], ['--thread=0', one])}
            if len(told) != 1 or (command == ('top', '-n0') and 'source-thread 0' not in min(told)):
                faults.append(f'{command}: {told}')
        dumps[0].write_text(dumps[0].read_text().replace('  t0:', '  t1:'))
        other = merged(pathlib.Path(folder, 'other.hpa'), dumps[:1], '--thread=1')
        for code, why, words in (
                (2, 'partial-of-one-thread', ['top', '--thread=1', one]), (4, 'partials-differ: thread ', ['merge', '-o', out, parts[1], other]),
                (4, 'partials-differ: thread ', ['merge', '-o', out, parts[0], *dumps[1::2]]),
                (4, 'partials-differ: thread ', ['merge', '-o', out, '--thread=1', parts[0], *dumps[1::2]])):
            result = t.run(*words, is_coded=True)
            if result.code != code or why not in result.err:
                faults.append(f'{words}: {result.code} {result.err}')
    return faults


def in_two():
    """Dumps in two partials are named, at most three of them; idle forks may be in both, and are only counted."""
    faults = []
    with scratch() as folder:
        processes = fleet_of(folder, 60)
        first = [own[0] for own in processes if len(own) == 1 and 'api.9' not in own[0].name and 'web.9' not in own[0].name]
        names = [path.name for path in first]
        whole = merged(pathlib.Path(folder, 'whole.hpa'), first)
        out = pathlib.Path(folder, 'out.hpa')
        for count in (1, 2, 3, 9):
            part = merged(pathlib.Path(folder, f'{count}.hpa'), first[:count])
            result = merge(out, [part, whole], is_coded=True)
            told = sum(name in result.err for name in names[:count])
            said = f'partials-overlap: {count} dump{" is" if count == 1 else "s are"} '
            if result.code != 4 or said not in result.err or told != min(count, 3) or ('...' in result.err) != (count > 3):
                faults.append(f'{count}: {result.code} {result.err}')
        parts = [merged(pathlib.Path(folder, f'in{i}.hpa'), first[i:i + 4]) for i in range(6)]
        said = {merge(out, order, f'-j{jobs}').err for jobs in (1, 2, 8) for order in (parts, parts[::-1], parts[3:] + parts[:3])}
        faults += [f'said in several ways: {said}'] if len(said) != 1 else []
        several = next(own for own in processes if len(own) == 3)
        parts = [merged(pathlib.Path(folder, f'of{i}.hpa'), [dump]) for i, dump in enumerate(several)]
        result = merge(out, parts, is_coded=True)
        if result.code != 4 or 'partials-overlap: 2 processes are ' not in result.err or sum(own.name in result.err for own in several) != 2:
            faults.append(f'a process in three: {result.code} {result.err}')
        together = digest(merged(out, several))
        if together in map(digest, parts):
            faults.append('older dumps leave no trace')
        fork = next(own[0] for own in processes if own[0].name.split('.')[1].startswith('900'))
        twin = next(path for path in first if path.read_text() == fork.read_text())
        parts = [merged(pathlib.Path(folder, f'fork{i}.hpa'), [path]) for i, path in enumerate((fork, twin))]
        both = merged(pathlib.Path(folder, 'both.hpa'), [fork, twin])
        if merge(out, parts).code or digest(out) != digest(both) or '2 inputs' not in t.ok('top', '-v', '--no-symbols', out).out:
            faults.append('an idle fork is not counted')
    return faults


def label_sets():
    """A merge warns of many sets of labels long before there are too many, and refuses those."""
    faults = []
    with scratch() as folder:
        listed, out = [], pathlib.Path(folder, 'out.hpa')
        for i in range(4097):
            listed.append(pathlib.Path(folder, f'{i}.heap'))
            listed[-1].write_text(f'heap_v2/1\n  t*: {i + 1}: 8 [0: 0]\n@ 0x1234\n  t*: {i + 1}: 8 [0: 0]\n'
                                  '\nMAPPED_LIBRARIES:\n1000-2000 r-xp 00000000 08:01 77 /opt/app\n')
        for count, code, warns in ((1023, 0, False), (1024, 0, True), (4096, 0, True), (4097, 7, False)):
            out.unlink(missing_ok=True)
            result = t.run('merge', '--files-from=-', '--label-from=(?<host>[0-9]*)[.]heap$', '-o', out, is_coded=True,
                           stdin='\n'.join(map(str, listed[:count])).encode())
            if result.code != code or ('warning: ' in result.err) != warns or out.exists() != (code == 0):
                faults.append(f'{count}: {result.code} {result.err[:300]}')
            elif code == 7 and 'labels-too-many: 4097 4096 host 4097' not in result.err:
                faults.append(result.err)
            elif code == 0 and len(hpa_reader.Partial(out.read_bytes()).distribution) != count:
                faults.append(f'{count}: other label sets')
    return faults


# --- damage ---------------------------------------------------------------------------------


def damage():
    """1,000 truncations and 1,000 changes of a small partial, 100 of each under sanitizers; unit tests try all
    places."""
    r, faults = random.Random(5), []
    with scratch() as folder:
        small = merged(pathlib.Path(folder, 'small.hpa'), PROCS[:1]).read_bytes()
        good = merged(pathlib.Path(folder, 'good.hpa'), PROCS[1:2])

        def try_one(i):
            bad = bytearray(small)
            if i % 2:
                bad = bad[:r.randrange(8, len(bad))]
            else:
                bad[r.randrange(8, len(bad))] ^= 1 << r.randrange(8)
            path, out = pathlib.Path(folder, f'{i}.hpa'), pathlib.Path(folder, f'{i}.out.hpa')
            path.write_bytes(bad)
            found = [merge(out, [good, path], '--max-skipped=100%').code, t.run('digest', path).code]
            return [] if found == [5, 5] and not out.exists() else [f'{i}: {found}']

        faults += t.in_parallel(try_one, range(2000 if LIMIT else 200))
    return faults


def packed_damage():
    """With many dumps, the stacks are examined when they are merged: damage is found then, and reported with the
    name."""
    faults, r = [], random.Random(4)
    with scratch() as folder:
        many = [path for own in fleet_of(folder, HISTORY + 20) for path in own]
        whole = merged(pathlib.Path(folder, 'whole.hpa'), many, '--dumps=sum').read_bytes()

        def flipped(section, flags, raw):
            if section != 12:
                return [(section, flags, raw)]
            bad = bytearray(raw)
            bad[r.randrange(len(bad))] ^= 1 << r.randrange(8)
            return [(section, flags, bytes(bad))]

        def twice(section, flags, raw):
            return [(section, flags, raw)] * (1 + (section == 12))
        cases = [('twice', edited(whole, twice))] + [(f'{i}', edited(whole, flipped)) for i in range(40 if IS_SAMPLE else 150)]

        def try_one(case):
            name, bad = case
            path, out = pathlib.Path(folder, f'bad.{name}.hpa'), pathlib.Path(folder, f'out.{name}.hpa')
            path.write_bytes(bad)
            result, table = merge(out, [path], is_coded=True), t.run('top', '-n0', '--no-symbols', '--format=json', path)
            if result.code not in (0, 5, 7) or (result.code > 0) == out.exists():
                return [f'{name}: {result.code} {result.err[:200]}']
            if result.code == 5 and (path.name not in result.err or not result.err.endswith(' 12\n') or result.err.count('\n') != 1):
                return [f'{name}: {result.err[:200]}']
            if result.code == 0 and (table.code != 0 or t.totals(out) != t.totals(path)):
                return [f'{name}: other totals, {table.code}']
            return []

        faults += t.in_parallel(try_one, cases)
        if 'stack-order' not in merge(pathlib.Path(folder, 'x.hpa'), [pathlib.Path(folder, 'bad.twice.hpa')], is_coded=True).err:
            faults.append('stacks that stand there twice are merged')
    return faults


def put(number):
    out = b''
    while number >= 128:
        out, number = out + bytes([number & 127 | 128]), number >> 7
    return out + bytes([number])


def block(section, flags, raw, frame):
    """A block with the given header, and its right checksum."""
    head = struct.pack('<HHII', section, flags, raw, len(frame))
    return head + frame + struct.pack('<Q', hpa_reader.checksum(head, frame))


def bombs(small):
    """Blocks after the parameters of a partial, whose frames unpack to more than allowed, or claim to do so."""
    import ctypes
    size = 1 << 28
    room = ctypes.create_string_buffer(1 << 20)
    frame = room.raw[:hpa_reader.zstd.ZSTD_compress(room, ctypes.c_size_t(len(room)), bytes(size), ctypes.c_size_t(size), 1)]
    first = 12 + 12 + struct.unpack_from('<I', small, 20)[0] + 8
    end = small[first:]
    magic, window = b'\x28\xb5\x2f\xfd', bytes([21 << 3])
    says = magic + b'\xc0\x78' + struct.pack('<Q', 1 << 60) + b'\x01\0\0'  # a content of 2^60 bytes
    wide = magic + b'\x00' + bytes([31 - 10 << 3]) + b'\x01\0\0'  # a window of 2 GiB
    return {'a frame of 256 MiB in a block of 1 MiB': small[:first] + block(2, 0, 1 << 20, frame) + end,
            'a block of 256 MiB': small[:first] + block(2, 0, size, frame) + end,
            'a block of 4 GiB': small[:first] + block(2, 0, (1 << 32) - 1, frame) + end,
            'a frame that says 2^60 bytes': small[:first] + block(2, 0, 1 << 20, says) + end,
            'a frame whose window is 2 GiB': small[:first] + block(2, 0, 1 << 20, wide) + end,
            'a packed block of 4 GiB': small[:first] + struct.pack('<HHII', 2, 0, 1 << 20, (1 << 32) - 1) + frame,
            'a frame without an end': small[:first] + block(2, 0, 100, magic + b'\0' + window + b'\0\0\0') + end}


def peak_of(*args):
    """(status, MiB of the largest resident set) of the program only."""
    script = pathlib.Path(__file__).with_name('peak_memory.py')
    with tempfile.NamedTemporaryFile('r', encoding='ascii') as report:
        subprocess.run([sys.executable, '-S', script, report.name, *t.command(*args)], check=True,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        code, peak, _ = report.read().split()
    return int(code), int(peak) / 1024


def claims():
    """A valid file that claims a large size takes little memory."""
    faults = []
    with scratch() as folder:
        small = merged(pathlib.Path(folder, 'small.hpa'), PROCS[:1]).read_bytes()

        def instead(wanted, *rows):
            return lambda section, flags, raw: [(section, flags, row) for row in rows] if section == wanted else [
                (section, flags, raw)]

        def behind(wanted, blocks):
            return lambda section, flags, raw: [(section, flags, raw), *(blocks if section == wanted else [])]

        def columns(some):
            return b''.join(put(len(some.get(i, b''))) + some.get(i, b'') for i in range(14 + 2 * hpa_reader.NUMBERS))

        cases = {
            '2^60 dumps in a group': edited(small, lambda s, f, raw: [(s, f, put(0) + put(0) + raw[2:9] + put(1 << 60)
                                                                      if s == 8 else raw)]),
            '2^60 frames of a stack': edited(small, instead(12, columns({0: put(0), 1: put(0), 2: put(1 << 60)}))),
            '2^60 parts of a stack': edited(small, instead(12, columns({0: put(0), 1: put(0), 2: put(0), 6: put(1 << 62)}))),
            '2^60 extents': edited(small, instead(3, put(1) + b'\0' * 9 + put(1 << 60))),
            '2^60 lines of symbols': edited(small, behind(4, [(5, 1, b'\0\0' + put(1 << 60))])),
            'a million sections': edited(small, behind(12, [(500, 0, b'x')] * 10 ** 6)),
            'zeros': edited(small, behind(12, [(500, 0, b'\0' * (1 << 20))] * 300)),
        }
        cases['2^60 stacks'] = edited(small, instead(16, b'\0' + put(1 << 60) + b'\1\2\2'))
        cases['2^60 bytes of a column'] = edited(small, instead(12, put(1 << 60)))
        cases['2^60 pairs of a set'] = edited(small, behind(4, [(6, 1, put(1 << 60))]))
        cases['a text of 2^60 bytes'] = edited(small, instead(2, put(1 << 60) + b'x'))
        sound, most = ('a million sections', 'zeros'), 0
        for name, data in {**cases, **bombs(small)}.items():
            path = pathlib.Path(folder, 'claim.hpa')
            path.write_bytes(data)
            result = t.run('top', *LIMIT, path)
            want = (0,) if name in sound else (5, 7)
            lost = (5,) if name in sound else want  # a merge would lose sections that it does not know
            if result.code not in want or 'allocate' in result.err:
                faults.append(f'{name}: {result.code} {result.err[:200]}')
            code, peak = peak_of('merge', '-q', '-o', pathlib.Path(folder, 'out.hpa'), path)
            most = max(most, peak)
            if code not in lost or (LIMIT and peak > 64):
                faults.append(f'{name}: merged with {code}, {peak:.0f} MiB')
            if name not in sound and pathlib.Path(folder, 'out.hpa').exists():
                faults.append(f'{name}: something was merged')
            pathlib.Path(folder, 'out.hpa').unlink(missing_ok=True)
        required = pathlib.Path(folder, 'required.hpa')
        required.write_bytes(edited(small, behind(12, [(500, 1, b'x')])))
        if t.run('top', required).code != 5:
            faults.append('a section that must be known is passed over')
    return faults or f'{len(cases) + len(bombs(small))} claims, at most {most:.0f} MiB'


# --- what partials must not hide ------------------------------------------------------------

def renamed():
    """A2: equal bytes are one dump, unless both names have a process id and these differ; in partials of any size."""
    faults = []
    for count in (20, HISTORY + 20):
        with scratch() as folder:
            paths = [path for own in fleet_of(folder, count) for path in own]
            whole = merged(pathlib.Path(folder, 'whole.hpa'), paths, '--dumps=latest')
            plain = pathlib.Path(folder, 'renamed.heap')
            used = next(path for path in paths if re.search(r'[.]10[0-9][1-9][.]', path.name))
            plain.write_bytes(used.read_bytes())
            other = pathlib.Path(folder, re.sub(r'[.][0-9]+[.]', '.777777.', used.name, count=1))
            other.write_bytes(used.read_bytes())
            parts = {path: merged(pathlib.Path(folder, path.name + '.hpa'), [path]) for path in (plain, other)}
            for again, code in ((plain, 4), (parts[plain], 4), (other, 0), (parts[other], 0)):
                result = merge(pathlib.Path(folder, 'out.hpa'), [whole, again])
                if result.code != code or (code and plain.name not in result.err and used.name not in result.err):
                    faults.append(f'{count} dumps and {again.name}: {result.code} {result.err}')
    return faults


def overlap_named():
    """B4: dumps that are in two partials are named by path; where no path is known, by the partial."""
    with scratch() as folder:
        paths = [path for own in fleet_of(folder, HISTORY + 30) for path in own[:1]]
        first = merged(pathlib.Path(folder, 'first.hpa'), paths)
        second = merged(pathlib.Path(folder, 'second.hpa'), paths)
        result = merge(pathlib.Path(folder, 'out.hpa'), [first, second])
        faults = [] if result.code == 4 and not re.search(r'\b[0-9a-f]{16}\b', result.err) else [result.err]
        result = merge(pathlib.Path(folder, 'out.hpa'), [first, paths[40]])
        return faults + ([] if result.code == 4 and str(paths[40]) in result.err else [result.err])


def skipped_before():
    """B1: a partial of which inputs were skipped is read with a warning and status 3; --max-skipped judges these, too."""
    faults = []
    with scratch() as folder:
        paths = [path for own in fleet_of(folder, 12) for path in own[:1]]
        bad = pathlib.Path(folder, 'bad.heap')
        bad.write_bytes(paths[0].read_bytes()[:200])
        part, out = pathlib.Path(folder, 'part.hpa'), pathlib.Path(folder, 'out.hpa')
        if merge(part, [bad, *paths], '--max-skipped=1').code != 3:
            faults.append('nothing was skipped')
        for command in (['top'], ['info'], ['tree'], ['merge', '-o', out], ['diff', part], ['stacks', '-fjson']):
            result = t.run(*command, part, is_coded=True)
            if result.code != 3 or 'inputs-skipped' not in result.out + result.err:
                faults.append(f'{command[0]}: {result.code} {result.err}')
        for limit, code in (('0', 5), ('1', 3), ('1%', 5), ('50%', 3)):
            result = t.run('top', f'--max-skipped={limit}', part)
            faults += [] if result.code == code else [f'{limit}: {result.code} {result.err}']
    return faults


def later_sections():
    """B6: a section of a later version is named by reports, and a merge, which would lose it, is refused."""
    with scratch() as folder:
        small = merged(pathlib.Path(folder, 'small.hpa'), [PROCS[0]]).read_bytes()
        later = pathlib.Path(folder, 'later.hpa')
        later.write_bytes(edited(small, lambda section, flags, raw: [(section, flags, raw), *([(77, 2, b'x')] * (section == 12))]))
        report = t.codes('top', later)
        faults = [] if 'partial-section-unknown: later.hpa 77' in report.out else [report.out[:300]]
        result = t.run('merge', '-o', pathlib.Path(folder, 'out.hpa'), later, is_coded=True)
        return faults + ([] if result.code == 5 and 'partial-section-lost: 77' in result.err else [result.err])


def of_files():
    """B8: info of a partial of many dumps is one block, with its labels.  Rows by input are one for each such partial,
    and rows by label one for each value if each partial has one value: the same as those of the dumps."""
    faults = []
    with scratch() as folder:
        paths, sides = [own[0] for own in fleet_of(folder, 3 * HISTORY)], []
        label = '--label-from=(?<prefix>api|web)[.]'
        for prefix in ('api', 'web'):
            of_prefix = [path for path in paths if path.name.startswith(prefix)]
            sides.append(merged(pathlib.Path(folder, f'{prefix}.hpa'), of_prefix[:HISTORY + 1], label))
        both = merged(pathlib.Path(folder, 'both.hpa'), sides)
        used = [path for prefix in ('api', 'web') for path in [q for q in paths if q.name.startswith(prefix)][:HISTORY + 1]]
        lists = pathlib.Path(folder, 'list')
        lists.write_text('\n'.join(map(str, used)))

        def rows(*words):
            report = json.loads(t.ok('top', '-q', '-fjson', '-n0', '--no-symbols', *words).out)
            return {row['name']: row['flat']['inuse-space'] for row in report['rows']}

        of_dumps = rows('--by=label:prefix', label, f'--files-from={lists}')
        if rows('--by=label:prefix', *sides) != of_dumps or len(of_dumps) != 2:
            faults.append(f'by label: {rows("--by=label:prefix", *sides)} for {of_dumps}')
        by_input = rows('--by=input', *sides)
        if {pathlib.Path(name).stem: value for name, value in by_input.items()} != of_dumps:
            faults.append(f'by input: {by_input}')
        if t.run('top', '--by=label:prefix', both).code != 2:
            faults.append('rows of a label with two values in one file')
        screen = t.ok('info', both).out
        if f'aggregate file of {2 * HISTORY + 2} dumps' not in screen or screen.count('both.hpa') != 1:
            faults.append(screen[:600])
        info = t.ok('info', '-v', both).out
        blocks = re.findall(r'^input .*$', info, re.M)
        if len(blocks) != 1 or f'aggregate file of {2 * HISTORY + 2} dumps' not in info or 'prefix (2 values)' not in info:
            faults.append(info[:600])
        report = json.loads(t.ok('info', '-fjson', both).out)
        if report.get('labels') != [{'key': 'prefix', 'values': 2}] or \
                'labels' in json.loads(t.ok('info', '-fjson', used[0]).out):
            faults.append(f'labels {report.get("labels")} in JSON')
    return faults


# --- a second reader ------------------------------------------------------------------------


def second_reader():
    """The second reader finds our totals, and all sections agree with one another."""
    faults = []
    with scratch() as folder:
        many = [path for own in fleet(folder, 3, 524288) for path in own]
        for name, inputs, how in (('real', REAL + PROCS, '--dumps=latest'), ('formats', PROCS + SERIES, '--dumps=latest'),
                                  ('fleet', many, '--dumps=latest')):
            path = merged(pathlib.Path(folder, f'{name}.hpa'), inputs, how)
            read = hpa_reader.Partial(path.read_bytes())
            sums = read.sums()
            totals = t.ok('info', '-v', '--no-symbols', path).totals('total')
            shown = [totals['inuse-space'], totals['inuse-objects'], totals['alloc-space'], totals['alloc-objects']]
            by_headers = [sum(group[4][i] for group in read.groups if group[4]) for i in (0, 3)]
            gains = (by_headers[0], 0, by_headers[1], 0)
            for total, sum_, gain, bits in zip(shown, sums, gains, (20, 32, 20, 32)):
                if total is not None and abs(total - sum_ / 2 ** bits - gain) > 0.001:
                    faults.append(f'{name}: {total} is not {sum_ / 2 ** bits} + {gain}')
            groups = [sum(group[3][i] for group in read.groups) for i in range(4)]
            counted = sum(group[2] for group in read.groups) + sum(count for _, count in read.skipped)
            if groups != sums or counted != len(inputs) or len(read.identities) != len(inputs):
                faults.append(f'{name}: groups hold {groups}, stacks {sums}')
            seen = {}
            for rows in read.history.values():
                for stack, values in rows:
                    seen[stack] = [a + b for a, b in zip(seen.get(stack, [0] * 4), values)]
            if [seen.get(i, [0] * 4) for i in range(len(read.stacks))] != [values for _, values, _, _ in read.stacks]:
                faults.append(f'{name}: what dumps added is not what stacks hold')
            for _, values, _, sizes in read.stacks:
                for i in (0, 1):
                    parts = [sum(part[k] for part in sizes[i].values()) & hpa_reader.WRAP
                             for k in (hpa_reader.BYTES, hpa_reader.OBJECTS)]
                    if sizes[i] and parts != [value & hpa_reader.WRAP for value in values[2 * i:2 * i + 2]]:
                        faults.append(f'{name}: parts by size are not the whole')
    return faults


def by_id(id_):
    return id_[7::-1], id_[:7:-1]


def diagnostics():
    """For each kind of diagnostic, the partial has the number of dumps and the three smallest identities, in any
    order of merging, and whether or not dumps are listed individually; info names them."""
    faults, r = [], random.Random(5)
    kinds = {'malformed': ('\nMAPPED', '\n  nonsense\nMAPPED'), 'unknown': ('\nMAPPED', '\n  t9: nonsense\nMAPPED'),
             'no-period': ('heap_v2/524288', 'heap_v2/0')}
    # Several dumps of some processes, but only one of each is used.
    for count in (40,) if IS_SAMPLE else (40, HISTORY + 100):
        with scratch() as folder:
            paths, want, names = [path for own in fleet_of(folder, count, seed=11) for path in own[-1:]], {}, {}
            for path in r.sample(paths, 15):
                old, new = r.choice(list(kinds.values()))
                path.write_text(path.read_text().replace(old, new, 1))
            for i, path in enumerate(paths):
                out = pathlib.Path(folder, 'one.hpa')
                if merge(out, [path], '--max-skipped=1').code != 0:
                    continue
                one = hpa_reader.Partial(out.read_bytes())
                id_ = struct.pack('<QH', *one.identities[0][1:])
                names[id_] = str(path)
                for (kind, inputs), ids in one.diagnostics:
                    want.setdefault(kind, []).append(id_)
                    if inputs != 1 or ids != [id_]:
                        faults.append(f'{path.name}: {one.diagnostics}')
            want = [([kind, len(ids)], sorted(ids, key=by_id)[:3]) for kind, ids in sorted(want.items())]
            r.shuffle(paths)
            cuts = [paths[i::5] for i in range(5)]
            parts = [merged(pathlib.Path(folder, f'{i}.hpa'), cut) for i, cut in enumerate(cuts)]
            last = tree(folder, parts, r, 'tree')
            read = hpa_reader.Partial(last.read_bytes())
            if read.diagnostics != want or len(want) < 3 or (count > HISTORY) != (read.dumps == []):
                faults.append(f'{count}: {read.diagnostics}, not {want}')
            infos = [t.ok('info', '-q', '--no-symbols', '-fjson', *given).out for given in ([last], paths)]
            told = [json.loads(info)['diagnostics'] for info in infos]
            named = [[each['name'] for each in kind['named']] for kind in told[0]]
            if told[0] != told[1] or named != [[names[id_] for id_ in ids] for _, ids in want]:
                faults.append(f'{count}: info {told}')
            bare = hpa_reader.Partial(merged(pathlib.Path(folder, 'bare.hpa'), paths, '--no-input-ids').read_bytes())
            if bare.diagnostics != [(kind, []) for kind, _ in want]:
                faults.append(f'{count}: without identities {bare.diagnostics}')
    return faults or f'{len(want)} kinds'


# If a digest changes, sums have changed: raise HP_PARTIAL_ESTIMATOR, which prevents adding them to older sums.
GOLDEN = {'real': '460a1f80afc84f96138562a36227f68deac0e9f5b070733bee333d2d406ad0c7',
          'formats': 'd567a04b12cb07ba5f09e300029c2fb116c526193663d568cd0d3cce7603947b'}


def golden():
    """The digests of dumps that never change, by any compiler, on any machine."""
    faults = []
    with scratch() as folder:
        for name, inputs in (('real', REAL), ('formats', sorted(t.formats.glob('*.heap')))):
            out = merged(pathlib.Path(folder, f'{name}.hpa'), inputs, '--on-duplicate=skip')
            if digest(out) != GOLDEN[name]:
                faults.append(f'{name}: {digest(out)}')
    return faults


t.check('dumps have their known digests', golden)
if not IS_SAMPLE:
    for count in (HISTORY // 2, DUMPS):
        t.check(f'{count} dumps merged in lists and trees give one digest', lambda: one_digest(count, 2))
    t.check('200 dumps in archives by process give one digest', lambda: archives(200))
    t.check('reports of a series from an aggregate file are those of its dumps',
            lambda: same_reports(SERIES, '--dumps=each'))
    t.check('reports of a real server from an aggregate file are those of its dumps',
            lambda: same_reports(REAL[:4], '--dumps=sum'))
    t.check('reports of more dumps than are listed individually are those of the dumps', beyond_history)
    t.check('groups of dumps have the numbers of their dumps', groups_of_dumps)
t.check('aggregate files are read from pipes and archives, and together with dumps', from_elsewhere)
t.check('an archive gives the same result with older or newer dumps first', older_first)
t.check('H1: dumps of an aggregate file keep their names if other dumps are read again', read_again)
t.check('archives of more dumps than are listed individually give one digest', lambda: archives(HISTORY + 44))
t.check('frames outside mapped files have no addresses without --keep-unmapped', in_no_mapping)
t.check('reports of processes from aggregate files are those of their dumps', lambda: same_reports(PROCS))
t.check('a diff of two aggregate files is that of their dumps', sides)
t.check('messages about dumps are counted by kind', diagnostics)
t.check('info about older dumps is that of all dumps', info_of_older)
t.check('aggregate files that cannot be added are rejected by name', refusals)
t.check('aggregate files made with other options are rejected by name', made_otherwise)
t.check('an aggregate file of one thread has the numbers of the thread', of_one_thread)
t.check('a dump in two aggregate files is rejected by name, and an idle fork is not', in_two)
t.check('equal bytes are one dump, unless both names have different process ids', renamed)
t.check('dumps in two aggregate files are named by path, or by the file', overlap_named)
t.check('inputs that were skipped in a merge are a warning in every report', skipped_before)
t.check('info is one block, and rows by input and label are of files', of_files)
t.check('a section of a later version is named, and not lost', later_sections)
t.check('sets of labels have a limit, and a warning comes long before it', label_sets)
t.check('R34: a damaged aggregate file is rejected, and nothing is merged', damage)
t.check('damaged stacks of many dumps are found when they are merged', packed_damage)
t.check('a file that claims large sizes gets little memory', claims)
t.check('an independent reader finds the same numbers', second_reader)
t.done()

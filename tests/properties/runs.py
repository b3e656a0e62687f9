#!/usr/bin/env python3
"""Stacks that do not fit in memory are written to a file next to the output and merged at the end.  The result has
the same bytes as in memory alone: for dumps, for partials, with many runs, and on standard output.

usage: runs.py BINARY TESTDATA HPROF-SIM [DUMPS] [--full]

DUMPS (40) is the number of dumps, each of 3,000 stacks that no other has: 500 take more than 1 GiB in memory, and
less than 64 MiB with a file.  With --full 1,000 aggregate files of one dump each are merged instead of 300.
"""
import io
import os
import pathlib
import random
import resource
import subprocess
import sys
import tarfile

from harness import IS_FULL, Tests, scratch

t = Tests()
SIM = os.path.abspath(sys.argv[3])
DUMPS = next((int(word) for word in sys.argv[4:] if word.isdigit()), 40)
HISTORY = 256  # dumps that are listed individually


def merge(out, inputs, *options, **more):
    return t.run('merge', '-q', '-f', 'hpa', '-o', out, *options, *inputs, **more)


def merged(out, inputs, *options):
    result = merge(out, inputs, *options)
    if result.code:
        raise AssertionError(f'{result.code} {result.err}')
    return pathlib.Path(out)


def dump(number, stacks, seed, period=524288):
    """A dump of a process: `stacks` stacks out of 2,000 frames, which depend on the seed."""
    r = random.Random(seed)
    text, base = [], 0x550000000000 + (number << 24)
    for _ in range(stacks):
        size, objects = r.choice((16, 48, 4096, 1 << 20)), r.randint(1, 9) + number % 3
        frames = ' '.join(f'{base + 16 * r.randint(1, 2000):#x}' for _ in range(8))
        counts = f'{objects}: {objects * size} [{objects + 1}: {(objects + 1) * size}]'
        text.append(f'@ {frames}\n  t*: {counts}\n')
    return (f'heap_v2/{period}\n  t*: 0: 0 [0: 0]\n{"".join(text)}\nMAPPED_LIBRARIES:\n'
            f'{base:x}-{base + 0x10000:x} r-xp 00000000 08:01 77 /opt/app\n')


def unlike(folder, count, stacks=3000):
    paths = [pathlib.Path(folder, f'app.{1000 + i}.0.i0.heap') for i in range(count)]
    for i, path in enumerate(paths):
        path.write_text(dump(i, stacks, i))
    return paths


# A process begins with the peak of the one that started it: a small one has to.
PEAK = """import resource, subprocess, sys
code = subprocess.call(sys.argv[1:], stderr=subprocess.DEVNULL)
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"""


def peak(*args):
    """The peak of resident memory in MiB; the command has to succeed."""
    words = [sys.executable, '-c', PEAK, *t.command(*args)]
    code, kilobytes = map(int, subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout.split())
    if code:
        raise AssertionError(f'{args}: {code}')
    return kilobytes / 1024


def fleet(folder, count):
    tar = subprocess.run([SIM, 'fleet', '1', '0', str(count)], capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(tar)) as archive:
        archive.extractall(folder)
    return sorted(pathlib.Path(folder).rglob('*.heap'))


def leftovers(folder):
    return [f'{path} is left' for path in pathlib.Path(folder).glob('.hprof-agg*')]


def is_same(name, result, out, whole):
    same = result.code == 0 and (out.read_bytes() if out else result.out_bytes) == whole.read_bytes()
    return [] if same else [f'{name}: {result.code} {result.err[:200] or "other bytes"}']


def spilled(count, stacks, limit):
    """The bytes of a merge in memory, if memory is not enough."""
    faults = []
    with scratch() as folder:
        paths, out, whole = unlike(folder, count, stacks), pathlib.Path(folder, 'out.hpa'), pathlib.Path(folder, 'whole.hpa')
        needs = peak('merge', '-q', '-o', whole, *paths)
        if merge('x.pb.gz', paths, '-f', 'pprof', '-j1', f'--max-memory={limit}', cwd=folder).code != 7:
            faults.append(f'{limit} do')
        for more in (['-j1'], ['-j8'], ['-j2', '--dumps=latest']):
            faults += is_same(more, merge(out, paths[::-1], f'--max-memory={limit}', *more), out, whole)
        takes = peak('merge', '-q', '-o', out, f'--max-memory={limit}', *paths)
        third = merged(pathlib.Path(folder, 'third.hpa'), paths, '--shard=1/3')
        faults += is_same('a shard', merge(out, paths, '--shard=1/3', f'--max-memory={limit}'), out, third)
        if count <= 100:  # more would take too much memory, packed
            faults += is_same('standard output', merge('-', paths, f'--max-memory={limit}'), None, whole)
        few = merged(pathlib.Path(folder, 'few.hpa'), paths[::8])
        faults += is_same('beside a partial', merge(out, [few, *(path for i, path in enumerate(paths) if i % 8)], f'--max-memory={limit}'), out, whole)
        if count > HISTORY:  # a partial that is larger than memory
            faults += is_same('again', merge(out, [whole], f'--max-memory={limit}'), out, whole)
        return faults + leftovers(folder) or f'{takes:.0f} MiB, not {needs:.0f}'


def shared(count, limit):
    """A stack that is in many runs, of groups of dumps and with labels, becomes one again."""
    faults = []
    with scratch() as folder:
        paths, out = fleet(folder, count), pathlib.Path(folder, 'out.hpa')
        for some in (paths, paths[:HISTORY - 20]):
            for how in ([], ['--by=thread'], ['--no-input-ids', '--dumps=sum'], ['--keep-unmapped']):
                whole = merged(pathlib.Path(folder, 'whole.hpa'), some, *how)
                faults += is_same(f'{len(some)} {how}', merge(out, some, '-j1', *how, f'--max-memory={limit}'), out, whole)
                if '--no-input-ids' not in how:
                    cut = [merged(pathlib.Path(folder, f'{i}.hpa'), some, *how, f'--shard={i}/3') for i in range(3)]
                    faults += is_same(f'{len(some)} {how} joined', merge(out, cut, f'--max-memory={limit}'), out, whole)
                parts = [merged(pathlib.Path(folder, f'{i}.hpa'), some[i::4], '--dumps=sum', *how) for i in range(4)]
                whole = merged(pathlib.Path(folder, 'whole.hpa'), parts, *how)
                result = merge(out, parts, *how, f'--max-memory={limit}')
                faults += is_same(f'{len(some)} {how} in parts', result, out, whole)
            for inputs in (some, parts):
                whole = merged(pathlib.Path(folder, 'whole.hpa'), inputs, *how, '--shard=1/3')
                result = merge(out, inputs, '-j1', *how, '--shard=1/3', f'--max-memory={limit}')
                faults += is_same(f'{len(some)} in a shard', result, out, whole)
        return faults + leftovers(folder)


def joined(count, stacks, limit):
    """Shards of two tasks each that do not fit into memory together are joined, or stay one of them."""
    faults = []
    with scratch() as folder:
        paths, out, whole = unlike(folder, count, stacks), pathlib.Path(folder, 'out.hpa'), pathlib.Path(folder, 'whole.hpa')
        merged(whole, paths)
        parts = [merged(pathlib.Path(folder, f'{task}-{i}.hpa'), paths[task::2], f'--shard={i}/6')
                 for task in range(2) for i in range(6)]
        if merge('x.pb.gz', parts, '-f', 'pprof', '-j1', f'--max-memory={limit}', cwd=folder).code != 7:
            faults.append(f'{limit} do')
        for jobs in ('-j1', '-j4'):
            faults += is_same(jobs, merge(out, parts, f'--max-memory={limit}', jobs), out, whole)
        each = [merged(pathlib.Path(folder, f'{i}.hpa'), parts[i::6], f'--max-memory={limit}') for i in range(6)]
        faults += is_same('twice', merge(out, each[::-1], f'--max-memory={limit}'), out, whole)
        some = merged(pathlib.Path(folder, 'some.hpa'), parts[1::3])
        faults += is_same('not all', merge(out, parts[1::3], f'--max-memory={limit}'), out, some)
        return faults + leftovers(folder)


def without_room(limit):
    """If the file of runs cannot grow, the status is 6 with a sentence that says so; no file remains, and existing
    ones are not touched: in the first run, with several threads, and while runs of dumps or of a partial are merged."""
    faults = []
    with scratch() as folder:
        paths, out = unlike(folder, HISTORY + 20, 600), pathlib.Path(folder, 'out.hpa')
        whole = merged(pathlib.Path(folder, 'whole.hpa'), paths)
        sizes = (0, 4096, 1 << 17, whole.stat().st_size - 1)
        for inputs in (paths, [whole]):
            for size, jobs in zip(sizes, ('-j1', '-j4') * 2):
                out.write_text('before')
                result = merge(out, inputs, f'--max-memory={limit}', jobs, is_coded=True, preexec_fn=lambda: resource.setrlimit(
                    resource.RLIMIT_FSIZE, (size, size)))
                said = f'{folder}/: spill-failed: write: File too large' in result.err
                if result.code != 6 or result.err.count('\n') != 1 or (size <= 1 << 17 and not said):
                    faults.append(f'{len(inputs)} inputs, {size} bytes, {jobs}: {result.code} {result.err[:200]}')
                if out.read_bytes() != b'before':
                    faults.append('the output was touched')
        faults += is_same('with room', merge(out, paths, f'--max-memory={limit}'), out, whole)
        return faults + leftovers(folder)


def chosen_again(limit):
    """Dumps that were added, but are not used in the end, leave nothing in the written output."""
    faults = []
    with scratch() as folder:
        old = [(f'app.{1000 + i}.0.i0.heap', dump(i, 3000, i)) for i in range(12)]
        new = [(f'app.{1000 + i}.1.i1.heap', dump(i, 3000, 100 + i)) for i in range(12)]
        archives = []
        for name, members in (('older', old + new), ('newer', new + old)):
            archives.append(pathlib.Path(folder, f'{name}.tar'))
            with tarfile.open(archives[-1], 'w') as tar:
                for path, text in members:
                    info = tarfile.TarInfo(path)
                    info.size = len(text)
                    tar.addfile(info, io.BytesIO(text.encode()))
        whole, out = merged(pathlib.Path(folder, 'whole.hpa'), [], f'--tar={archives[1]}'), pathlib.Path(folder, 'out.hpa')
        for archive in archives:
            result = merge(out, [], f'--tar={archive}', f'--max-memory={limit}', '-j1')
            if result.code or t.ok('digest', out).out.split()[0] != t.ok('digest', whole).out.split()[0]:
                faults.append(f'{archive.name}: {result.code} {result.err[:200] or "another digest"}')
        return faults


def reduces(count):
    """The cost of merging 64 partials is compared with that of 8 partials of the same dumps."""
    with scratch() as folder:
        takes = {}

        def make(part):
            parts, i = part
            path, first = pathlib.Path(folder, f'{parts}.{i}.hpa'), i * count * 64 // parts
            source = subprocess.run([SIM, 'fleet', '1', str(first), str(count * 64 // parts)], capture_output=True, check=True)
            return merge(path, ['--tar=-'], '-j1', '--dumps=sum', stdin=source.stdout).err.splitlines()
        for parts in (8, 64):
            if faults := t.in_parallel(make, [(parts, i) for i in range(parts)]):
                return faults
            made = sorted(pathlib.Path(folder).glob(f'{parts}.*.hpa'))
            takes[parts] = min(peak('merge', '-q', '-j1', '-o', pathlib.Path(folder, f'{parts}-out.hpa'), *made)
                               for _ in range(3))  # these differ by some per cent
        told = ', '.join(f'{size:.1f} MiB of {parts}' for parts, size in takes.items())
        outs = [pathlib.Path(folder, f'{parts}-out.hpa').read_bytes() for parts in takes]
        return [told] if outs[0] != outs[1] or takes[64] > 1.5 * takes[8] else told


def of_one_dump(count):
    """Merging many partials of one dump each takes little more memory than their result."""
    with scratch() as folder:
        paths = unlike(folder, count, 30)
        lists = [[path, pathlib.Path(folder, f'{i}.hpa')] for i, path in enumerate(paths)]
        t.in_parallel(lambda pair: merged(pair[1], pair[:1], '-j1') and [], lists)
        out, whole = pathlib.Path(folder, 'out.hpa'), merged(pathlib.Path(folder, 'whole.hpa'), paths)
        takes = peak('merge', '-q', '-o', out, *(part for _, part in lists))
        faults = [] if out.read_bytes() == whole.read_bytes() else ['other bytes']
        if takes > 200:
            faults.append(f'{takes:.0f} MiB')
        return faults or f'{takes:.0f} MiB'


LIMIT = '64MiB' if DUMPS > 100 else '40MiB'
t.check(f'{3000 * DUMPS} stacks are merged in {LIMIT}', lambda: spilled(DUMPS, 3000, LIMIT))
t.check(f'120000 stacks of {HISTORY + 44} dumps are merged in 40MiB', lambda: spilled(HISTORY + 44, 400, '40MiB'))
t.check('shards are joined in little memory', lambda: joined(HISTORY - 16, 500, '40MiB'))
t.check('shards of more dumps are joined in little memory', lambda: joined(HISTORY + 144, 300, '40MiB'))
t.check('stacks that occur in many runs are merged', lambda: shared(600, '24MiB'))
t.check('a full disk ends with status 6 and leaves no file', lambda: without_room('32MiB'))
t.check('dumps that are not used in the end leave nothing in the output', lambda: chosen_again('24MiB'))
t.check('64 aggregate files take as much memory as 8 of the same dumps', lambda: reduces(HISTORY + 16))
t.check('64 aggregate files of individually listed dumps take as much memory as 8', lambda: reduces(160))
MANY = 1000 if IS_FULL else 300
t.check(f'{MANY} aggregate files of one dump each are merged', lambda: of_one_dump(MANY))
t.done()

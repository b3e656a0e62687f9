#!/usr/bin/env python3
"""Measures the cost of each further dump: the peak memory of reports and merges of few and of many dumps of the same
stacks, read from an archive; the size of the data on individual dumps in a partial, and the part that --no-input-ids
removes.

usage: many_dumps.py BINARY TESTDATA [DUMPS [SERIES]]

DUMPS (20000) of as many processes and a series of SERIES (6000) are compared with a third as many; with fewer, the
memory of the starting process would hide the difference.  Prints the figures.
"""
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tarfile

from harness import Tests, scratch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'interop'))
import hpa_reader  # noqa: E402

t = Tests()
READ = (0, 3)  # 3: a part of a truncated dump is used
HERE = pathlib.Path(__file__).resolve().parent
DUMPS = int(sys.argv[3]) if len(sys.argv) > 3 else 20000
SERIES = int(sys.argv[4]) if len(sys.argv) > 4 else 6000
HISTORY = 256
ALONE = '--no-input-ids --dumps=sum --on-duplicate=count'
SIZES = (16, 48, 96, 224, 512, 4096, 20480, 1 << 20)
MAP = """MAPPED_LIBRARIES:
00400000-00900000 r-xp 00000000 fe:01 77                         /srv/app
{0:012x}-{1:012x} r-xp 00000000 00:00 0                          [vdso]
{2:012x}-{3:012x} rw-p 00000000 00:00 0                          [stack]
"""


def memory_map(number):
    base = 0x7f0000000000 + (number << 16)
    return MAP.format(base, base + 0x2000, base + 0x8000, base + 0xc000)


class Heap:
    """Stacks; a fifth of them change from one dump to the next; some grow."""

    def __init__(self, stacks, seed=1):
        self.r = random.Random(seed)
        functions = [0x400000 + 16 * i for i in range(20000)]
        self.stacks = []
        for i in range(stacks):
            callers = random.Random(i // 7)  # some stacks have the same callers
            frames = [self.r.choice(functions)] + [callers.choice(functions) for _ in range(20)]
            self.stacks.append('@ ' + ' '.join(map(hex, frames)))
        self.sizes = [self.r.choice(SIZES) for _ in range(stacks)]
        self.live = [self.r.randint(1, 30) for _ in range(stacks)]
        self.ever = list(self.live)

    def step(self):
        for i in self.r.sample(range(len(self.live)), len(self.live) // 5):
            change = max(-self.live[i], self.r.randint(-2, 2) + (i < 5))
            self.live[i] += change
            self.ever[i] += max(change, 0) + self.r.randint(0, 1)

    def dump(self, number):
        rows = [(now, now * size, ever, ever * size) for now, size, ever in zip(self.live, self.sizes, self.ever)]
        texts = ['%d: %d [%d: %d]' % row for row in rows]
        head = '%d: %d [%d: %d]' % tuple(map(sum, zip(*rows)))
        body = ''.join(f'{stack}\n  t*: {text}\n' for stack, text in zip(self.stacks, texts))
        return f'heap_v2/524288\n  t*: {head}\n{body}{memory_map(number)}'.encode()


def write_tar(path, dumps):
    """Write a tar archive of (name, bytes)."""
    with open(path, 'wb') as out:
        for i, (name, content) in enumerate(dumps):
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(content), 1700000000 + 60 * i
            out.write(info.tobuf(tarfile.USTAR_FORMAT) + content + b'\0' * (-len(content) % 512))
        out.write(b'\0' * 1024)


def processes(path, count):
    """Write dumps of processes with the same stacks, each with a different memory map."""
    head, _, _ = Heap(20).dump(0).partition(b'MAPPED')
    write_tar(path, ((f'h{i:07}/app.{1000 + i}.0.i0.heap', head + memory_map(i).encode()) for i in range(count)))


def series(path, count, stacks=60):
    heap = Heap(stacks)

    def dumps():
        for i in range(count):
            heap.step()
            yield f'p.77.{i}.i{i}.heap', heap.dump(0)
    write_tar(path, dumps())


def measure(folder, *args):
    """KiB of memory, and CPU seconds."""
    report = pathlib.Path(folder, 'report')
    environment = {name: value for name, value in os.environ.items() if name != 'MALLOC_PERTURB_'}
    done = subprocess.run([sys.executable, '-S', HERE / 'peak_memory.py', report, t.binary, *args, '--no-symbols', '-q',
                           '-j1'], stdin=subprocess.DEVNULL, capture_output=True, env=environment, check=False)
    code, memory, seconds = report.read_text().split()
    if int(code) != 0:
        raise AssertionError(f'{args} ended with {code}: {done.stderr[:300]}')
    return int(memory), float(seconds)


def cost(make, few, many, commands):
    """[(command, KiB of a dump, at most)]: from few dumps to many."""
    faults, told = [], []
    with scratch() as folder:
        paths = []
        for count in (few, many):
            paths.append(pathlib.Path(folder, f'{count}.tar'))
            make(paths[-1], count)
        for command, most in commands:
            args = [word.replace('FOLDER', folder) for word in command.split()]
            (a, first), (b, second) = (measure(folder, *args, f'--tar={path}') for path in paths)
            each = (b - a) / (many - few)
            told.append(f'{command} {each:.2f} KiB a dump ({a / 1024:.1f} to {b / 1024:.1f} MiB, '
                        f'{first:.2f} to {second:.2f} s)')
            if each > most:
                faults.append(f'{command}: {each:.2f} KiB for each further dump, more than {most}')
    return faults or '; '.join(told)


def many_processes():
    return cost(processes, DUMPS // 3, DUMPS, (
        ('top -n5', 0.2), ('merge -o FOLDER/x.pb.gz', 1.5), ('merge -o FOLDER/x.hpa', 0.45),
        ('merge --no-input-ids -o FOLDER/x.hpa', 0.2), (f'top -n5 {ALONE}', 0.2),
        (f'merge {ALONE} -o FOLDER/x.hpa', 0.2)))


def long_series():
    """A dump has 4 KiB of cumulative counts, by which a reset is seen, and 3 KiB for lines and onsets."""
    return cost(series, SERIES // 3, SERIES, (
        ('trend', 9), ('trend --cum', 9), ('merge --by=input -o FOLDER/x.pb.gz', 2.5)))


# --- partials -------------------------------------------------------------------------------


def partial(folder, *args):
    path = pathlib.Path(folder, 'x.hpa')
    t.ok('merge', '-q', '-o', path, *args)
    return hpa_reader.Partial(path.read_bytes())


def history():
    """At most HISTORY dumps are listed individually, even if other inputs that are not used are read as well."""
    faults = []
    with scratch() as folder:
        heap, paths = Heap(5), []
        for i in range(HISTORY + 1):
            heap.step()
            paths.append(pathlib.Path(folder, f'app.{1000 + i}.0.i0.heap'))
            paths[-1].write_bytes(heap.dump(i))
        copies = []
        for i, path in enumerate(paths):  # the same dumps again: by name, by a link, by a name without information
            copies += [path, pathlib.Path(folder, f'app.{5000 + i}.0.i0.heap'), pathlib.Path(folder, f'copy-{i}')]
            os.link(path, copies[-2])
            copies[-1].write_bytes(path.read_bytes())
        for inputs, want in ((paths[:HISTORY], HISTORY), (paths, 0), (copies[:3 * HISTORY], HISTORY), (copies, 0)):
            read = partial(folder, '--on-duplicate=skip', *inputs)
            used = sum(group[2] for group in read.groups)
            if len(read.dumps) != want or len(read.history) != want:
                faults.append(f'of {len(inputs)} inputs {len(read.dumps)} are told of, not {want}')
            if used != (want or HISTORY + 1):
                faults.append(f'of {len(inputs)} inputs {used} are used')
    return faults


def identities():
    """Without identities the totals are the same; merging gives one content in any order, and says what cannot be
    known."""
    faults, sentence = [], 'repeated dumps go unnoticed'
    with scratch() as folder:
        paths = []
        for i in range(6):
            paths.append(pathlib.Path(folder, f'app.{1000 + i}.0.i0.heap'))
            paths[-1].write_bytes(Heap(5 + i).dump(i))
        a, b, c, d, e, f = (pathlib.Path(folder, f'{name}.hpa') for name in 'abcdef')
        t.ok('merge', '-q', '-o', a, *paths)
        for out, inputs in ((b, paths), (c, paths[:3]), (d, paths[3:])):
            t.ok('merge', '-q', '--no-input-ids', '-o', out, *inputs)
        t.ok('merge', '-q', '-o', e, d, c)
        read = hpa_reader.Partial(b.read_bytes())
        if read.identities or read.dumps or read.names or b'.heap' in b.read_bytes():
            faults.append('identities are in it')
        if read.sums() != hpa_reader.Partial(a.read_bytes()).sums():
            faults.append('its sums are others')
        for out, inputs in ((e, (d, c)), (f, (c, *paths[3:])), (f, (*paths[3:], c))):
            result = t.ok('merge', '-o', out, *inputs)
            if sentence not in result.err or result.err.count(sentence) != 1:
                faults.append(f'{inputs}: {result.err}')
            if t.ok('digest', out).out.split()[0] != t.ok('digest', b).out.split()[0]:
                faults.append(f'{inputs}: another content')
        if sentence in t.ok('top', '--no-symbols', b).err + t.ok('top', '--no-symbols', b).out:
            faults.append('told of one alone')
        heads = [[line for line in t.ok('top', '-v', '--no-symbols', x).out.splitlines()
                  if line.startswith(('in use', 'alloc', '6 in'))] for x in (a, b)]
        counts = [t.ok('top', '--no-symbols', '-fjson', '-n1', x).out.partition('"processes"')[2].partition('"forks"')[0]
                  for x in (a, b)]
        if heads[0] != heads[1] or len(heads[0]) < 3 or counts[0] != counts[1]:
            faults.append(f'{heads} {counts}')
        if t.run('merge', '-q', '-o', f, a, paths[0]).code != 4:
            faults.append('with identities a dump counts twice')
        for args in (('top',), ('merge', '-fpprof'), ('merge', '-ffolded', *ALONE.split()), ('diff', *paths[:2])):
            if t.run(*args, '--no-input-ids', *paths).code != 2:
                faults.append(f'it goes with {args}')
    return faults


def groups():
    """Inputs that are only counted give the same sums and counts; those with something to report are named."""
    faults = []
    alone = ALONE.split()
    with scratch() as folder:
        paths = sorted((t.formats / 'procs').glob('*.heap')) + sorted((t.formats / 'series').glob('*.heap'))
        for i in range(30):
            paths.append(pathlib.Path(folder, f'app.{1000 + i}.0.i0.heap'))
            dump = Heap(3 + i % 3).dump(i)
            if i % 5 == 0:
                dump = dump.replace(b'heap_v2/524288', b'heap_v2/65536')
            if i == 7:
                dump = dump.replace(b'  t*: ', b'  t?: ', 1)
            if i == 9:
                dump = dump.replace(b'\n@ ', b'\n  x\n@ ', 1)
            paths[-1].write_bytes(dump)
        random.Random(1).shuffle(paths)
        for command in (('top', '-v', '-n0'), ('top', '-fjson', '-n0'), ('tree', '-v'), ('stacks', '-ftsv'), ('top', '--by=size', '-fjson')):
            whole, grouped = (t.run(command[0], '--no-symbols', *command[1:], '--dumps=sum', '--on-duplicate=count',
                                    '--damaged=use', *more, *paths) for more in ((), alone[:1]))
            heads = [[line for line in re.sub(r'(?s) "warnings": \[.*', '', result.out).splitlines()
                      if not line.startswith(('warning', ' "processes'))] for result in (whole, grouped)]
            if whole.code != grouped.code or whole.code not in READ or heads[0] != heads[1]:
                faults.append(f'{command}: {grouped.code} {grouped.err} '
                              f'{[pair for pair in zip(*heads) if pair[0] != pair[1]][:2]}')
        results = [t.run('merge', '--damaged=use', '--dumps=sum', '--on-duplicate=count', '--no-input-ids', '-o',
                         pathlib.Path(folder, f'{jobs}.hpa'), f'-j{jobs}', *order)
                   for jobs, order in ((1, paths), (3, paths[::-1]))]
        whole = pathlib.Path(folder, 'whole.hpa')
        t.run('merge', '--damaged=use', '--dumps=sum', '--on-duplicate=count', '-q', '-o', whole, *paths)
        one, other, all_ = (hpa_reader.Partial(pathlib.Path(folder, name).read_bytes()) for name in ('1.hpa', '3.hpa', 'whole.hpa'))
        if one.groups != all_.groups or other.groups != all_.groups or one.sums() != all_.sums() or len(one.groups) < 3:
            faults.append(f'groups {len(one.groups)} {len(all_.groups)}')
        if len({t.ok('digest', pathlib.Path(folder, f'{jobs}.hpa')).out.split()[0] for jobs in (1, 3)}) != 1:
            faults.append('another content in another order')
        if any('malformed lines' not in result.err or result.code not in READ for result in results):
            faults.append(f'no diagnostic: {results[0].code} {results[0].err}')
    return faults


def lone_fleet(folder, count=300):
    """The paths of a fleet: most dumps are of separate processes, some have something in common, and some cause a
    message."""
    heap, paths = Heap(5), []

    def write(name, dump):
        paths.append(pathlib.Path(folder, name))
        paths[-1].write_bytes(dump)

    for i in range(count):
        if i % 50:  # otherwise the same samples, in another process
            heap.step()
        write(f'app.{1000 + i}.0.i0.heap', heap.dump(i))
        dump = paths[-1].read_bytes()
        if i % 60 == 7:  # given twice, and by another name of the file
            write(f'copy-{i}.heap', dump)
            os.link(paths[-2], pathlib.Path(folder, f'link-{i}'))
            paths.append(pathlib.Path(folder, f'link-{i}'))
        elif i % 60 == 13:  # a fork, and an idle one
            heap.step()
            write(f'app.{7000 + i}.0.i0.heap', heap.dump(i))
            write(f'app.{8000 + i}.0.i0.heap', paths[-1].read_bytes())
        elif i % 60 == 21:
            write(f'bad.{i}.0.i0.heap', dump.replace(b'  t*: ', b'  t?: ', 1))
            write(f'cut.{i}.0.i0.heap', dump[:200])
    return paths


def moments_of(paths, count=40):
    """Further dumps of some of the processes, with names without information."""
    heap, more = Heap(5, seed=2), []
    for i in range(0, count, 3):
        for k in range(2):
            heap.step()
            more.append(paths[0].parent / f'later-{i}-{k}')
            more[-1].write_bytes(heap.dump(i))
    return more


def sections(path):
    read = hpa_reader.Partial(path.read_bytes())
    return {name: value for name, value in vars(read).items() if name != 'parameters'}


def estimates(*args):
    """The name and the estimates of each row, and the information about processes."""
    read = json.loads(t.run('top', '-fjson', '-n0', '--no-symbols', '--confidence=none', *args).out)
    rows = [(row['name'], [each['estimate'] for each in row['flat'].values()]) for row in read['rows']]
    return sorted(rows), read['processes']


def processes_of(words):
    read = json.loads(t.run('info', '-fjson', '--no-symbols', *words).out)
    return len(read['processes']), sum(process['dumps'] for process in read['processes'])


def lone():
    """Inputs that have nothing in common with others are reported as if each had a record of its own, as is the case
    if paths are searched for labels."""
    faults, records = [], '--label-from=(?<none>^nowhere)'
    with scratch() as folder:
        paths = lone_fleet(folder)
        more = moments_of(paths)
        stranger = pathlib.Path(folder, 'no-map.heap')
        stranger.write_bytes(Heap(5, seed=3).dump(0).partition(b'MAPPED')[0])
        fleets = {'forks': paths, 'moments': paths + more, 'no map': paths + [stranger]}
        archive = pathlib.Path(folder, 'all.tar')
        write_tar(archive, ((path.name, path.read_bytes()) for path in fleets['moments']))
        fleets['archive'] = [f'--tar={archive}']
        for name, inputs in fleets.items():
            for more_words in (['--on-duplicate=skip'], ['--on-duplicate=count', '--dumps=sum'],
                               ['--on-duplicate=skip', '--dumps=peak', '-j4'], []):
                words = ['--damaged=use', *more_words, *random.Random(1).sample(inputs, len(inputs))]
                if '-j4' not in words:
                    words.append('-j1')
                outs = [pathlib.Path(folder, f'{i}.hpa') for i in range(2)]
                a, b = (t.run('merge', '-o', out, *extra, *words) for out, extra in zip(outs, ([], [records])))
                said = [result.err.replace(str(out), 'OUT') for result, out in zip((a, b), outs)]
                if a.code != b.code or said[0] != said[1] or (a.code in READ and sections(outs[0]) != sections(outs[1])):
                    faults.append(f'{name} merge {more_words}: {a.code} {b.code} {said}')
                elif a.code in READ:
                    rows, said = estimates(*words)
                    if rows != estimates(outs[1], *more_words[1:2])[0]:
                        faults.append(f'{name} top {more_words}')
                    if (said['count'], said['dumps']) != processes_of(words):
                        faults.append(f'{name} top {more_words}: {said}, not {processes_of(words)}')
                if a.code not in (READ if more_words else (4,)):
                    faults.append(f'{name} merge {more_words}: {a.code} {a.err}')
    return faults


t.check('inputs that are counted together have the same sums, and problems are named', groups)
t.check('inputs without anything in common are reported as if each had its own record', lone)
t.check('memory for a further dump of another process is bounded', many_processes)
t.check('memory for a further dump of a series is bounded', long_series)
t.check('the contribution of each dump is known for at most 256 dumps', history)
t.check('an aggregate file without identities has the same totals in any order', identities)
t.done()

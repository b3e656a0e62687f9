#!/usr/bin/env python3
"""Processes of one program and one folder that ran one after the other, by the times of their files, are recognized
if each has two or more dumps over at least a minute.  The order of inputs and the number of threads have no effect;
in archives the times of the members count.  They are not recognized if the times show something else, or too little."""
import io
import json
import os
import pathlib
import random
import tarfile

from harness import Tests, scratch

t = Tests(is_coded=True)
START = 1700000000
RUNS, DUMPS = 6, 3


def text(pid, number, program='/srv/app'):
    objects = 100 * pid + 10 * number
    total = f'{objects}: {4096 * objects} [0: 0]'
    return (f'heap_v2/524288\n  t*: {total}\n@ 0x400100 0x400900\n  t*: {total}\n\nMAPPED_LIBRARIES:\n'
            f'00400000-00500000 r-xp 00000000 fe:00 1 {program}\n'
            f'7fc{pid:03x}000000-7fd{pid:03x}000000 rw-p 00000000 00:00 0 [stack]\n')


def fleet(time, runs=RUNS, dumps=DUMPS, first=10, folder=lambda run: 'ci', program=lambda run: '/srv/app'):
    """{name: (text, time)} of the dumps of `runs` processes; `time` is a function of the process and the number of
    the dump."""
    return {f'{folder(run)}/app.{first + run}.{i}.m{i}.heap': (text(first + run, i, program(run)), START + time(run, i))
            for run in range(runs) for i in range(dumps)}


def written(folder, files):
    paths = []
    for name, (content, time) in files.items():
        path = pathlib.Path(folder, name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
        os.utime(path, (time, time))
        paths.append(path)
    return paths


def archived(folder, files):
    path = pathlib.Path(folder, 'dumps.tar')
    with tarfile.open(path, 'w') as archive:
        for name, (content, time) in files.items():
            member = tarfile.TarInfo(name)
            member.size, member.mtime = len(content), time
            archive.addfile(member, io.BytesIO(content.encode()))
    return f'--tar={path}'


def in_turn(run, i):
    return (DUMPS * run + i) * 60


def found(*inputs, command='top', side='inputs', **options):
    return json.loads(t.ok(command, '--format=json', '--no-symbols', *inputs, **options).out)[side].get('consecutive')


def said():
    """The result is the same in any order, with any number of threads, for files and for members, and so is the sum."""
    faults, files = [], fleet(in_turn)
    with scratch() as folder:
        paths = written(folder, files)
        newest = json.loads(t.ok('top', '--format=json', '--no-symbols', paths[-1]).out)['total']['inuse-space']
        outputs = set()
        for seed, threads in enumerate((1, 1, 4, 4)):
            shuffled = random.Random(seed).sample(paths, len(paths))
            outputs.add(t.ok('top', '--no-symbols', f'-j{threads}', *shuffled).out)
            got = found(f'-j{threads}', *shuffled)
            wanted = {'runs': RUNS, 'newest': str(paths[-1]), 'bytes': newest['estimate']}
            faults += [f'{threads} threads: {got}, not {wanted}'] * (got != wanted)
        faults += [f'{len(outputs)} outputs'] * (len(outputs) != 1 or 'runs-by-file-time:  6 ' not in outputs.pop())
        member = found(archived(folder, files))
        faults += [f'members: {member}'] * (not member or member['runs'] != RUNS)
    return faults


def not_said():
    cases = {
        'as copies, within seconds': fleet(lambda run, i: (DUMPS * run + i) / 6),
        'at one time': fleet(lambda run, i: 0),
        'each within seconds': fleet(lambda run, i: 600 * run + i),
        'two at once': fleet(lambda run, i: (DUMPS * (run - (run == 5)) + i) * 60),
        'one ends as another begins': fleet(lambda run, i: (2 * run + i) * 60),
        'against the numbers': fleet(lambda run, i: (DUMPS * run + (2 - i if run == 3 else i)) * 60),
        'one dump a process': fleet(lambda run, i: 600 * run, runs=10, dumps=1),
        'one of them with one dump': {name: file for name, file in fleet(in_turn).items()
                                      if '.10.' not in name or '.0.m0' in name},
        'a folder each': fleet(in_turn, folder=lambda run: f'host{run}'),
        'two programs': fleet(in_turn, program=lambda run: f'/srv/app{run % 2}'),
        'one process': fleet(in_turn, runs=1),
    }
    faults = []
    for name, files in cases.items():
        with scratch() as folder:
            faults += [f'{name}: {got}' for got in (found(*written(folder, files)), found(archived(folder, files))) if got]
    return faults


def elsewhere():
    """Each side of a comparison; not of all dumps, nor by times from elsewhere, nor of a merged profile."""
    with scratch() as folder:
        old = written(folder, fleet(in_turn, folder=lambda run: 'old'))
        new = written(folder, fleet(lambda run, i: 0, first=50, folder=lambda run: 'new'))
        sides = [found(*old, '--to', *new, command='diff', side=side) for side in ('base', 'new')]
        merged = pathlib.Path(folder, 'all.hpa')
        t.ok('merge', '-o', merged, *old)
        others = [found('--dumps=sum', *old), found('--by=input', '--dumps=each', *old), found(merged)]
        return [f'sides: {sides}'] * (not sides[0] or sides[0]['runs'] != RUNS or sides[1] is not None) + \
            [f'others: {others}'] * any(others)


t.check('six consecutive runs are reported as consecutive', said)
t.check('V9, V10: no other runs are reported as consecutive', not_said)
t.check('consecutive runs are reported by side, not for all dumps or an aggregate file', elsewhere)
t.done()

#!/usr/bin/env python3
"""Programs under libhprof-capture.so and with the vendored file: they leave sets that hprof-agg reads, whatever happens
to them, and behave as they do without.

usage: capture.py BINARY TESTDATA CAPTURE_LIBRARY SAMPLER_LIBRARY RECORD

A group with a limit of memory is made where the machine lets us; otherwise RLIMIT_AS is the limit, and this is said.
"""
import contextlib
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

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'properties'))
import jemalloc  # noqa: E402
from harness import Tests, scratch  # noqa: E402

CAPTURE, SAMPLER, RECORD = (os.path.abspath(path) for path in sys.argv[3:6])
SOURCE = HERE.parents[1] / 'sampler' / 'capture'
CLEAN = {k: v for k, v in os.environ.items()
         if not k.startswith(('MALLOC_', 'HPROF_', 'LD_', 'ASAN_', 'UBSAN_'))}
MIB = 1 << 20
PROFILE = 'prof:true,lg_prof_sample:14'
NAME = re.compile(r'[\w+-]+\.\d+\.\d{8}T\d{6}-\d{3}Z\.\d+M$')


# --- running ----------------------------------------------------------------------------


def environment(folder, conf=PROFILE, before=(), more='', library=None):
    return {**CLEAN, 'MALLOC_CONF': conf, 'HPROF_CAPTURE': f'folder:{folder}{more and "," + more}',
            'LD_PRELOAD': ':'.join([*before, CAPTURE, library or jemalloc.shared_object()])}


def start(folder, *words, program=None, preexec_fn=None, **more):
    return subprocess.Popen([str(program or PROGRAM), *map(str, words)], env=environment(folder, **more), text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=preexec_fn, cwd=FOLDER)


def run(folder, *words, **more):
    with start(folder, *words, **more) as process:
        out, errors = process.communicate(timeout=100)
    return process.returncode, out, errors


def sets(folder):
    """Complete sets, the oldest first."""
    found = [path for path in folder.glob('*') if NAME.match(path.name)] if folder.is_dir() else []
    return sorted(found, key=lambda path: path.name.split('.')[2])


def facts(path):
    return json.loads((path / 'facts.json').read_text())


def halves(folder):
    """Faults of sets: parts that are missing or empty, and files that are no sets."""
    faults = [f'{path.name} is no set' for path in folder.glob('[!.]*') if not NAME.match(path.name)]
    for path in sets(folder):
        names = sorted(one.name for one in path.iterdir())
        missing = {'facts.json', 'maps', 'status'} - set(names)
        dumps = list(path.glob('*.heap'))
        if missing or len(dumps) != 1 or b'MAPPED_LIBRARIES' not in dumps[0].read_bytes():
            faults.append(f'{path.name} has {names}')
        if not 0 <= time.monotonic_ns() - facts(path)['monotonic_ns'] < 10 ** 12:
            faults.append(f'{path.name} has no time of its dump, by the clock of jitdumps')
    return faults


def left_overs(folder):
    return [f'{path.name} is left' for path in folder.glob('.tmp-*')]


def leaks(path):
    """Faults, if hprof-agg's first row of a set is not the leak."""
    got = t.run('top', '--format=json', '-n', '1', *path.glob('*.heap'), is_rooted=False)
    rows = json.loads(got.out)['rows'] if got.code == 0 else []
    name = rows[0]['name'] if rows else got.err
    return [] if 'leak' in str(name) else [f'{path.name}: {name}']


def until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return ['nothing came']
        time.sleep(.01)
    return []


def place(name):
    path = FOLDER / name
    shutil.rmtree(path, ignore_errors=True)
    return path


def expect(seen, wanted):
    return [] if seen == wanted else [f'{seen} and not {wanted}']


@contextlib.contextmanager
def group(mib):
    """The file to which a process writes to enter a new group with a limit, or None."""
    for top, limit in (('/sys/fs/cgroup/memory', 'memory.limit_in_bytes'), ('/sys/fs/cgroup', 'memory.max')):
        path = pathlib.Path(top) / f'hprof-capture-{os.getpid()}'
        try:
            path.mkdir()
        except OSError:
            continue
        try:
            (path / limit).write_text(str(mib * MIB))
            yield path / 'cgroup.procs'
        except OSError:
            yield None
        finally:
            with contextlib.suppress(OSError):
                path.rmdir()
        return
    yield None


# --- tests ------------------------------------------------------------------------------


def address_space():
    folder = place('space')

    def limited():
        resource.setrlimit(resource.RLIMIT_AS, (400 * MIB, 400 * MIB))
    code, out, _ = run(folder, 'grow', 500, 280, 'grow', 60, 1000, preexec_fn=limited)
    known = [facts(path) for path in sets(folder)]
    faults = expect((code, 'out of memory' in out), (3, True)) + halves(folder)
    near = [one for one in known if one['reason'] == 'limit' and one['limit_kind'] == 'RLIMIT_AS']
    if not near or near[-1]['used'] < .9 * 400 * MIB:
        faults.append(f'{known}')
    return faults or leaks(sets(folder)[-1])


def killed_in_group():
    folder = place('group')
    with group(200) as tasks:
        if not tasks:
            return 'skipped: no group can be made here'
        code, _, _ = run(folder, 'grow', 500, 140, 'grow', 40, 100, preexec_fn=lambda: tasks.write_text('0'))
        time.sleep(.1)
    known = [facts(path) for path in sets(folder)]
    faults = expect(code, -signal.SIGKILL) + halves(folder)
    if not known or known[-1]['used'] < .9 * 200 * MIB or len(known) > 4:
        faults.append(f'{known}')
    return faults or leaks(sets(folder)[-1]) or f'the newest set is at {known[-1]["used"] / 2 / MIB:.0f} %'


def six_workers():
    folder = place('workers')
    with group(300) as tasks:
        if not tasks:
            return 'skipped: no group can be made here'
        running = [start(folder, 'grow', 30, 300, preexec_fn=lambda: tasks.write_text('0')) for _ in range(6)]
        for process in running:
            if process.wait(timeout=60) == -signal.SIGKILL:
                break
        pids = {facts(path)['pid'] for path in sets(folder) if facts(path)['reason'] == 'limit'}
        for process in running:
            process.kill()
            process.communicate()
        time.sleep(.1)
    return expect(len(pids), 6)


def pages_of_files():
    folder, file = place('cache'), FOLDER / 'large'
    with group(100) as tasks:
        if not tasks:
            return 'skipped: no group can be made here'
        subprocess.run(['sh', '-c', f'echo 0 >{tasks}; head -c 150M /dev/zero >{file}; cat {file} {file} >{FOLDER}/other'],
                       check=True)
        code, _, _ = run(folder, 'grow', 100, 4, 'sleep', .5, preexec_fn=lambda: tasks.write_text('0'))
        time.sleep(.1)
    return expect((code, [facts(path)['reason'] for path in sets(folder)]), (0, ['exit']))


def children():
    folder = place('children')
    code, out, _ = run(folder, 'fork', 'say', 'grow', 400, 150, 'sleep', .6)
    pid = int(out.split()[1])
    known = [facts(path) for path in sets(folder) if path.name.split('.')[1] == str(pid)]
    faults = expect(code, 0) + halves(folder)
    return faults + expect([one['reason'] for one in known][:1], ['growth']) + expect(
        {one['parent'] > 0 for one in known}, {True})


def daemons():
    folder = place('daemon')
    _, out, _ = run(folder, 'daemon', 'say', 'grow', 400, 100, 'sleep', .6)
    pid = out.split()[1]
    return [f'{out}'] * (not any(path.name.split('.')[1] == pid for path in sets(folder))) + halves(folder)


def one_thread():
    words = 'unshare', 'grow', 1000, 20, 'now', 'asked'
    with_thread = run(place('threads'), *words)
    folder = place('thread')
    without = run(folder, *words, more='thread:false,exit:false')
    faults = expect([facts(path)['reason'] for path in sets(folder)], ['asked']) + halves(folder)
    if os.geteuid() == 0 or without[1].startswith('unshare 0'):
        faults += expect([with_thread[1].split()[:2], without[1].split()], [
            ['unshare', '22'], ['unshare', '0', 'now', '0']])
    return faults


def linked_in():
    folder = place('static')
    code, _, errors = run(folder, 'grow', 500, 100, program=STATIC, library=SAMPLER)
    faults = expect((code, errors), (0, '')) + halves(folder) + expect({facts(path)['profiler'] for path in sets(folder)},
                                                                      {'jemalloc'})
    stripped = FOLDER / 'stripped'
    subprocess.run(['strip', '-o', stripped, STATIC], check=True)
    folder = place('stripped-sets')
    code, _, errors = run(folder, 'grow', 500, 20, program=stripped, library='libdl.so.2')
    return faults + expect((code, folder.exists(), errors.count('\n')), (0, False, 1))


def vendored():
    folder = place('vendored')
    program = FOLDER / 'vendored-program'
    subprocess.run(['strip', program], check=True)
    got = subprocess.run([program, 'start', folder, 'grow', '500', '100', 'now', 'asked'], capture_output=True, text=True,
                         env={**CLEAN, 'MALLOC_CONF': PROFILE}, check=False)
    faults = expect((got.returncode, got.stdout.split(), got.stderr), (0, ['start', '0', 'now', '0'], ''))
    reasons = {facts(path)['reason'] for path in sets(folder)}
    return faults + halves(folder) + expect(reasons >= {'asked', 'exit'}, True)


def by_gperftools():
    folder = place('gperftools')
    program = FOLDER / 'with-gperftools'
    subprocess.run([*COMPILE, '-DGPERFTOOLS', '-rdynamic', '-o', program], check=True)
    code, out, errors = run(folder, 'now', 'a', 'now', 'b', 'descriptors', program=program, library='libdl.so.2')
    return expect((code, out.split(), errors), (0, ['now', '0', 'now', '0', 'descriptors', '5'], '')) + halves(folder) + \
        expect({facts(path)['profiler'] for path in sets(folder)}, {'gperftools'})


def by_sampler():
    folder = place('sampled')
    with_sampler = environment(folder, library=SAMPLER)
    with_sampler['HPROF_SAMPLER'] = f'final:false,lg_sample:14,name:{FOLDER}/never'
    got = subprocess.run([PROGRAM, 'grow', '500', '100'], env=with_sampler, capture_output=True, text=True, check=False)
    faults = expect((got.returncode, got.stderr), (0, '')) + halves(folder)
    found = sets(folder)
    return faults + expect({facts(path)['profiler'] for path in found}, {'sampler'}) + leaks(found[-1])


def wrapped():
    """The sampler in a program that another one starts, with one name for both."""
    name = FOLDER / 'one-name'
    for _ in range(2):  # a later run replaces the dump of an earlier one
        subprocess.run(['timeout', '60', PROGRAM, 'grow', '500', '30'], check=True,
                       env={**CLEAN, 'LD_PRELOAD': SAMPLER, 'HPROF_SAMPLER': f'name:{name},lg_sample:14'})
    got = json.loads(t.run('top', '--format=json', f'{name}.heap', is_rooted=False).out)
    return expect('leak' in got['rows'][0]['name'], True)


def any_time():
    """The program asks for one set after the other, and is killed during the first ones."""
    folder, left = place('killed'), 0
    random.seed(1)
    for i in range(100):
        if i >= 25 and left and sets(folder):  # a busy machine needs more time, and more kills
            break
        with start(folder, 'say', 'grow', 2000, 10, *['now', 'a'] * 1000) as process:
            process.stdout.readline()
            time.sleep(random.uniform(.02, .1 + i * .005))
            process.kill()
        left += len(left_overs(folder))
    faults = halves(folder) + ['no process was killed during a set'] * (not left or not sets(folder))
    run(folder, 'sleep', .2)
    return faults + left_overs(folder) or f'{len(sets(folder))} sets, {left} left-overs'


def names():
    found = {}
    for name, words, more in (('shell', ['sh', '-c', f'{PROGRAM} grow 500 5; true'], ''),
                              ('timeout', ['timeout', '9', PROGRAM, 'grow', '500', '5'], ''),
                              ('other', [PROGRAM, 'grow', '500', '5'], 'programs:nginx|mysqld'),
                              ('named', [PROGRAM, 'grow', '500', '5'], f'programs:nginx|{PROGRAM.name}')):
        folder = place(name)
        subprocess.run(list(map(str, words)), env=environment(folder, more=more), check=True)
        found[name] = [path.name.split('.')[0] for path in sets(folder)]
    return expect(found, {'shell': ['grower'], 'timeout': ['grower'], 'other': [], 'named': ['grower']})


def off():
    faults = []
    for conf, library in (('prof:false', None), ('', None), ('', 'libdl.so.2')):
        folder = place('off')
        code, out, errors = run(folder, 'say', 'grow', 500, 70, conf=conf, library=library)
        faults += expect((code, out[:4], errors.count('\n'), folder.exists()), (0, 'pid ', 1, False))
    return faults


def slow():
    folder = place('slow')
    code, out, errors = run(folder, 'grow', 1000, 70, 'longest', 4, before=[SLOW], more='exit:false')
    faults = expect((code, errors), (0, '')) + halves(folder)
    longest = int(out.split()[1])
    done = [facts(path)['dump_ns'] / 1e9 for path in sets(folder)]
    if not done or done[0] < .3:
        faults.append(f'the file was not slow: {done}')
    # The bound is generous: other tests run on this machine.
    return faults + [f'malloc waited {longest} ms'] * (longest > 700)


def kept():
    folder = place('kept')
    run(folder, 'now', 'a', 'grow', 1000, 50, *['now', 'b'] * 6, more='exit:false,keep:2')
    mine = [facts(path) for path in sets(folder)]
    faults = expect([one['number'] for one in mine][-2:], [5, 6]) + expect(len(mine), 3)
    faults += expect(max(one['rss'] for one in mine) == mine[0]['rss'], True)
    few = place('few')
    for _ in range(12):
        run(few, 'now', 'a', more='exit:false,most_sets:5')
    return faults + halves(few) + expect(len(sets(few)), 5)


def folders():
    faults = []
    folder = place('all-write')
    folder.mkdir()
    folder.chmod(0o777)
    code, _, errors = run(folder, 'grow', 1000, 70)
    faults += expect((code, list(folder.iterdir()), errors.count('\n')), (0, [], 1))
    if os.geteuid() == 0:
        folder.chmod(0o755)
        os.chown(folder, 12345, 12345)
        code, _, errors = run(folder, 'grow', 1000, 70)
        faults += expect((code, list(folder.iterdir()), errors.count('\n')), (0, [], 1))
    folder = place('hostile')
    folder.mkdir(0o700)
    outside = FOLDER / 'outside'
    outside.mkdir(exist_ok=True)
    (outside / 'kept').write_text('kept')
    for i, name in enumerate(['.tmp-x', 'a.1.20200101T000000-000Z.1M']):
        (folder / name).symlink_to(outside)
    os.mkfifo(folder / '.tmp-fifo')
    os.mkfifo(folder / 'b.1.20200101T000000-000Z.1M')
    run(folder, 'grow', 1000, 10, 'now', 'a', more='most_sets:1,exit:false')
    faults += expect((outside / 'kept').exists(), True)
    # Modes.
    folder = place('modes')
    run(folder, 'grow', 1000, 10)
    modes = {oct(path.stat().st_mode & 0o7777) for path in (folder, *sets(folder))}
    files = {oct(path.stat().st_mode & 0o7777) for one in sets(folder) for path in one.iterdir()}
    shared = place('shared')
    run(shared, 'grow', 1000, 10, more='shared:true')
    return faults + expect((modes, files, oct(shared.stat().st_mode & 0o7777)), ({'0o700'}, {'0o600'}, '0o1777'))


def full_disk():
    """A file system of 16 KiB, where one can be mounted; and a limit of file sizes, which the statistics exceed."""
    folder = place('few-bytes')

    def limited():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
    code, out, _ = run(folder, 'grow', 500, 10, 'now', 'a', preexec_fn=limited)
    faults = expect((code, out.split()[:2], bool(sets(folder))), (0, ['now', '0'], True)) + halves(folder)
    faults += [f'{path} has a part' for path in folder.glob('*/*.json') if path.name != 'facts.json']
    full = place('full')
    full.mkdir()
    mount = 'mount -t tmpfs -o size=16k,mode=700 tmpfs "$1" 2>/dev/null || exit 77; shift; exec "$@"'
    with open(FOLDER / 'errors', 'w', encoding='utf-8') as errors:
        done = subprocess.run(['unshare', '-m', 'sh', '-c', mount, 'sh', full, PROGRAM, 'now', 'a', 'now', 'b', 'say'],
                              env=environment(full / 'sets'), stdout=subprocess.PIPE, stderr=errors, text=True, check=False)
    if done.returncode in (1, 77):
        return faults or 'without a mounted file system, which this machine does not allow'
    lines = (FOLDER / 'errors').read_text().splitlines()
    return faults + expect((done.returncode, done.stdout.split()[:4], len(lines)), (0, ['now', '28', 'now', '28'], 1))


def guest():
    folder = place('guest')
    code, out, errors = run(folder, 'grow', 1000, 70, 'sleep', .2, 'descriptors', 'close', 'grow', 500, 40, 'now', 'a')
    faults = expect((code, out.split(), errors), (0, ['descriptors', '3', 'now', '0'], ''))
    with start(folder, 'say', 'sleep', 5, more='signal:USR2,exit:false') as process:
        pid = process.stdout.readline().split()[1]
        process.send_signal(signal.SIGUSR2)
        faults += until(lambda: any(path.name.split('.')[1] == pid for path in sets(folder)))
        process.kill()
    return faults + halves(folder)


def maps_of_names():
    folder = place('names')
    with start(folder, 'say', 'sleep', 1, 'now', 'a') as process:
        pid = process.stdout.readline().split()[1]
        path = pathlib.Path(f'/tmp/perf-{pid}.map')
        path.write_text('1000 10 jitted\n')
        process.communicate()
    path.unlink()
    faults = expect({(one / path.name).read_text() for one in sets(folder)}, {'1000 10 jitted\n'})
    folder, made = place('jitdumps'), place('jit made')
    made.mkdir()
    run(folder, 'say', 'jit', made, 'fork', 'jit', made, 'sleep', .1, 'now', 'a')
    pids = {path.name.split('.')[0][4:] for path in made.iterdir()}
    for one in sets(folder):
        copied = {path.name[4:-5]: path.read_text() for path in one.glob('jit-*.dump')}
        known = facts(one)
        if known['parent']:
            faults += expect(copied, dict.fromkeys({str(known['pid']), str(known['parent'])} & pids, 'jitted'))
    return faults + expect([len(pids), any(facts(one)['parent'] for one in sets(folder))], [2, True])


def exported():
    symbols = subprocess.run(['nm', '-D', '--defined-only', CAPTURE], check=True, capture_output=True, text=True).stdout
    faults = expect(sorted(line.split()[-1] for line in symbols.splitlines()), ['hprof_capture_now', 'hprof_capture_start'])
    for compiler in ('gcc -std=c11', 'clang -std=c11', 'g++ -x c++ -std=c++17', 'clang++ -x c++ -std=c++17'):
        if shutil.which(compiler.split()[0]):
            got = subprocess.run([*compiler.split(), '-O1', '-Wall', '-Wextra', '-Wconversion', '-Werror', '-fsyntax-only',
                                  SOURCE / 'hprof_capture.c'], check=False, capture_output=True, text=True)
            faults += got.stderr.splitlines()[:3]
    return faults


# --- hprof-record -----------------------------------------------------------------------


def record(*words, **more):
    return subprocess.run([RECORD, *map(str, words)], env={**CLEAN, **more}, capture_output=True, text=True, cwd=FOLDER,
                          check=False, timeout=100)


def planned(*words, **more):
    """The variables that hprof-record would set."""
    got = record('--dry-run', *words, **more)
    return dict(line.split('=', 1) for line in got.stdout.splitlines()) if got.returncode == 0 else got.stderr


def recorded():
    faults = []
    for which, profiler in (('auto', 'sampler'), ('jemalloc', 'jemalloc')):
        folder = place(f'recorded-{which}')
        got = record('-o', folder, f'--with={which}', '--lg-sample=14', '--', PROGRAM, 'grow', 500, 100)
        faults += expect((got.returncode, got.stdout, got.stderr.count('\n'), str(folder) in got.stderr), (0, '', 1, True))
        faults += halves(folder) + expect({facts(path)['profiler'] for path in sets(folder)}, {profiler})
        faults += leaks(sets(folder)[-1])
    got = record('-o', place('of-static'), STATIC, 'grow', 500, 20)
    return faults + expect((got.returncode, [facts(path)['profiler'] for path in sets(FOLDER / 'of-static')]),
                           (0, ['jemalloc']))


def becomes():
    """It is the program: process id, status and signals."""
    folder = place('becomes')
    faults = expect(record('-o', folder, 'sh', '-c', 'exit 7').returncode, 7)
    faults += expect(record('-o', folder, 'sh', '-c', 'kill -TERM $$').returncode, -signal.SIGTERM)
    with subprocess.Popen([RECORD, '-o', folder, PROGRAM, 'say'], env=CLEAN, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as process:
        faults += expect(process.communicate()[0], f'pid {process.pid}\n')
    return faults + expect(record('-o', folder, 'no-such-program').returncode, 127)


def of_user():
    """Variables of the user stay, and come after ours."""
    got = planned(STATIC, LD_PRELOAD='/x/mine.so', MALLOC_CONF='narenas:1', _RJEM_MALLOC_CONF='')
    faults = expect((got['MALLOC_CONF'], got['_RJEM_MALLOC_CONF'], got['LD_PRELOAD']),
                    ('prof:true,narenas:1', 'prof:true', f'{CAPTURE}:/x/mine.so'))
    got = planned('--every=5', '--signal=USR1', '--program=a', '--program=b', PROGRAM, HPROF_SAMPLER='accum:true')
    faults += expect(got['HPROF_CAPTURE'].split(',')[1:], ['every:5', 'signal:USR1', 'programs:a|b'])
    return faults + expect((got['HPROF_SAMPLER'][-11:], '%p' in got['HPROF_SAMPLER'], got['LD_PRELOAD']),
                           (',accum:true', True, f'{CAPTURE}:{SAMPLER}'))


def scripts():
    chain = [FOLDER / f'script{i}' for i in range(7)]
    for i, path in enumerate(chain):
        path.write_text(f'#!{chain[i - 1]}\n' if i else f'#!/usr/bin/env -S {PROGRAM} say\n')
        path.chmod(0o755)
    faults = expect(isinstance(planned(chain[2]), dict), True) + expect(record(chain[6]).returncode, 126)
    folder = place('of-script')
    script = FOLDER / 'starter'
    script.write_text(f'#!/bin/sh\n{PROGRAM} grow 500 70\n')
    script.chmod(0o755)
    got = record('-o', folder, script)
    return faults + expect((got.returncode, {path.name.split('.')[0] for path in sets(folder)}), (0, {'grower'}))


def refused():
    source = FOLDER / 'static.c'
    source.write_text('int main(void) { return 0; }\n')
    static, suid, other, own = (FOLDER / name for name in ('all-static', 'suid', 'other-libc', 'own-malloc'))
    compiler = (os.environ.get('CC') or 'cc').split()
    subprocess.run([*compiler, '-static', '-o', static, source], check=True)
    subprocess.run([*compiler, '-Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1', '-o', other, source], check=True)
    source.write_text('#include <stddef.h>\nvoid *malloc(size_t size) { return (void *)(size & 0); }\n'
                      'void free(void *o) { (void)o; }\nint main(void) { return 0; }\n')
    subprocess.run([*compiler, '-fno-builtin', '-o', own, source], check=True)
    shutil.copy(PROGRAM, suid)
    suid.chmod(0o4755)
    text = FOLDER / 'text'
    text.write_text('no program\n')
    text.chmod(0o755)
    damaged = FOLDER / 'damaged'
    whole = bytearray(PROGRAM.read_bytes())
    for at in range(64, 64 + 56 * 13, 56):  # headers of parts
        if whole[at:at + 4] == b'\2\0\0\0':  # PT_DYNAMIC, of 2^60 entries
            whole[at + 32:at + 40] = b'\xff' * 8
    endless = FOLDER / 'endless'
    endless.write_bytes(whole)
    damaged.write_bytes(PROGRAM.read_bytes()[:700])
    damaged.chmod(0o755)
    faults = expect(isinstance(planned(endless), dict), True)  # it ends
    hidden = FOLDER / 'hidden'
    subprocess.run(['strip', '-o', hidden, STATIC], check=True)
    for path, word in ((hidden, 'symbols'), (static, 'static'), (suid, 'setuid'), (other, 'loader'), (own, 'malloc'), (text, 'script'),
                       (damaged, '')):
        got = record('-o', place('refused'), path)
        faults += expect((path.name, got.returncode, word in got.stderr), (path.name, 126, True))
    return faults


def of_python():
    folder = place('of-python')
    program = FOLDER / 'leaks.py'
    program.write_text('kept = [str(i) * 3 for i in range(400000)]\n')
    got = record('-o', folder, '--lg-sample=14', os.path.realpath(sys.executable), program)
    faults = expect(got.returncode, 0) + halves(folder)
    sizes = [json.loads(t.run('top', '--format=json', path, is_rooted=False).out)['total'] for path in sets(folder)[-1:]]
    return faults + expect(bool(sizes), True)


def read_as_folder():
    """A folder of sets is an input: the newest dump of each process, and what explains it."""
    folder = place('read')
    run(folder, 'now', 'a', 'grow', 500, 30, 'now', 'b', 'grow', 500, 30, 'now', 'c', more='exit:false')
    run(folder, 'grow', 500, 20, 'now', 'd', more='exit:false')
    info = json.loads(t.run('info', '--format=json', folder, is_rooted=False).out)
    faults = expect(len(info['inputs']), 4)
    used = t.run('info', '--used', folder, is_rooted=False).out.splitlines()
    faults += expect(sorted(re.sub(r'.*\.m', '', path) for path in used), ['0.heap', '2.heap'])
    faults += expect(t.run('trend', sets(folder)[0].parent, is_rooted=False).code != 2, True)
    account = t.run('account', '--format=json', sets(folder)[2], is_rooted=False)
    faults += expect(account.code, 0)
    outside = FOLDER / 'other-set'
    shutil.copytree(sets(folder)[0], outside)
    (folder / 'z.1.20200101T000000-000Z.1M').symlink_to(outside)
    (folder / '.tmp-y').mkdir()
    shutil.copytree(outside, folder / '.tmp-x')
    info = json.loads(t.run('info', '--format=json', folder, is_rooted=False).out)
    return faults + expect(len(info['inputs']), 4)


t = Tests(is_of_machine=True)
with scratch() as scratched:
    FOLDER = pathlib.Path(scratched)
    COMPILE = [*(os.environ.get('CC') or 'cc').split(), '-std=gnu11', '-O1', '-g', HERE / 'capture_program.c']
    PROGRAM, STATIC, SLOW = FOLDER / 'grower', FOLDER / 'static-program', str(FOLDER / 'slow.so')
    ARCHIVE = jemalloc.shared_object().replace('.so.2', '.a')
    subprocess.run([*COMPILE, '-o', PROGRAM], check=True)
    subprocess.run([*COMPILE, '-o', STATIC, ARCHIVE, '-lm', '-lpthread', '-ldl'], check=True)
    subprocess.run([*COMPILE, '-DVENDORED', f'-I{SOURCE}', SOURCE / 'hprof_capture.c', '-o', FOLDER / 'vendored-program',
                    ARCHIVE, '-lm', '-lpthread', '-ldl'], check=True)
    subprocess.run([*COMPILE[:-3], '-O1', '-shared', '-fPIC', '-o', SLOW, HERE / 'capture_slow.c'], check=True)
    t.check('a program that reaches RLIMIT_AS leaves a set at 90 % of it or later', address_space)
    t.check('a program that the kernel kills in its group leaves a set at 90 % of the limit or later', killed_in_group)
    t.check('six workers in one group all leave a set when the group is near its limit', six_workers)
    t.check('pages of files in the group are no reason for a set', pages_of_files)
    t.check('a child of fork() has sets of its own', children)
    t.check('a daemon has sets', daemons)
    t.check('with thread:false a program can make a user namespace, and asks for sets', one_thread)
    t.check('jemalloc that is linked into the program is found in its symbol table', linked_in)
    t.check('the vendored file dumps by a function of a stripped program', vendored)
    t.check('the sampler makes the dump where jemalloc does not', by_sampler)
    t.check('gperftools makes the dump, with descriptors of the program', by_gperftools)
    t.check('the dump of a wrapper does not replace that of the program', wrapped)
    t.check('a set is complete or absent, whenever the process is killed', any_time)
    t.check('shells and wrappers have no sets, and a program can be named', names)
    t.check('where nothing profiles there is one line, and the program runs on', off)
    t.check('no thread waits in malloc for a slow disk', slow)
    t.check('the newest sets and the largest stay, and the folder has a limit', kept)
    t.check('folders that others may change are refused, links are not followed, modes are right', folders)
    t.check('on a full disk there is no set but one line', full_disk)
    t.check('no descriptor is kept, and a signal asks for a set', guest)
    t.check('names from a just-in-time compiler are in the set, those of the parent too', maps_of_names)
    t.check('the library exports two functions, and the vendored file compiles as C and C++', exported)
    t.check('hprof-record starts a program with the profiler that works', recorded)
    t.check('hprof-record becomes the program: status, signals and process id', becomes)
    t.check('variables of the user come after those of hprof-record', of_user)
    t.check('scripts are followed to their program, at most five', scripts)
    t.check('programs into which nothing can be loaded are refused', refused)
    t.check('Python allocates by malloc under hprof-record', of_python)
    t.check('a folder of sets is an input', read_as_folder)
t.done()

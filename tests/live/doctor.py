#!/usr/bin/env python3
"""Set-ups that give no profile, each as programs and processes have them: doctor finds the cause.  Healthy ones, of which
it says nothing bad.  And hostile ones.

usage: doctor.py BINARY TESTDATA CAPTURE_LIBRARY
"""
import contextlib
import gzip
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'properties'))
import jemalloc  # noqa: E402
from harness import HOSTILE, Tests, scratch  # noqa: E402

CAPTURE = os.path.abspath(sys.argv[3])
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(('MALLOC_', 'HPROF_', 'LD_', 'ASAN_', 'UBSAN_'))}


def doctor(subject, **more):
    """{code: evidence} and {code: level} of a subject."""
    got = t.run('doctor', '--format=json', subject, is_rooted=False, **more)
    if got.code != 0:
        return {}, {'status': got.err}
    findings = json.loads(got.out)['findings']
    return ({one['code'].removeprefix('doctor-'): one['evidence'] for one in findings},
            {one['code'].removeprefix('doctor-'): one['level'] for one in findings})


@contextlib.contextmanager
def process(program=None, user=None, first=(), **environment):
    with subprocess.Popen([str(program or PROGRAM), *first, 'say', 'sleep', '60'], env={**CLEAN, **environment}, text=True, cwd=FOLDER,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, user=user) as running:
        running.stdout.readline()
        try:
            yield running.pid
        finally:
            running.kill()


def under_jemalloc(conf, **more):
    return {'LD_PRELOAD': jemalloc.shared_object(), 'MALLOC_CONF': conf, **more}


def compare(what, got, wanted):
    """Faults, if a code of `wanted` is missing or, for a code with a level, has another."""
    found, levels = got
    return [f'{what}: {wanted} is not in {levels} {found}'] * (levels.get(wanted) is None)


def healthy(what, got):
    return [f'{what}: {code}: {got[0].get(code, level)}' for code, level in got[1].items() if level in ('problem', 'status')] or (
        [f'{what}: nothing found'] * (not got[1]))


# --- causes -----------------------------------------------------------------------------


def processes():
    faults = []
    for wanted, environment in (
            ('prof-off', under_jemalloc('')),
            ('prof-off', under_jemalloc('prof:false')),
            ('prof-off', {'LD_PRELOAD': jemalloc.shared_object(), '_RJEM_MALLOC_CONF': 'prof:true'}),
            ('wrong-variable', {'LD_PRELOAD': jemalloc.shared_object(), '_RJEM_MALLOC_CONF': 'prof:true'}),
            ('prof-inactive', under_jemalloc('prof:true,prof_active:false')),
            ('unknown-key', under_jemalloc('prof:true,prof_finall:true')),
            ('no-pair', under_jemalloc('prof:true, prof_final:true')),
            ('no-dumps', under_jemalloc('prof:true')),
            ('only-final', under_jemalloc('prof:true,prof_final:true')),
            ('no-folder', under_jemalloc(f'prof:true,prof_gdump:true,prof_prefix:{FOLDER}/missing/x')),
            ('other-malloc', {})):
        with process(**environment) as pid:
            faults += compare(environment, doctor(pid), wanted)
    if os.geteuid() == 0:
        locked = FOLDER / 'locked'
        locked.mkdir(mode=0o755, exist_ok=True)
        with process(user=65534, **under_jemalloc(f'prof:true,prof_gdump:true,prof_prefix:{locked}/x')) as pid:
            faults += compare('locked', doctor(pid), 'not-writable')
    return faults


def programs():
    faults = []
    source = FOLDER / 'source.c'
    compiler = (os.environ.get('CC') or 'cc').split()

    def build(name, text, *flags):
        source.write_text(text)
        subprocess.run([*compiler, '-fno-builtin', '-o', FOLDER / name, source, *flags], check=True)
        return FOLDER / name
    main = 'int main(void) { return 0; }\n'
    static = build('static', main, '-static')
    suid = FOLDER / 'suid'
    shutil.copy(PROGRAM, suid)
    suid.chmod(0o4755)
    stripped = FOLDER / 'stripped'
    subprocess.run(['strip', '-o', stripped, STATIC], check=True)
    for wanted, path in (
            ('static', static),
            ('secure', suid),
            ('other-libc', build('other', main, '-Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1')),
            ('own-malloc', build('own', '#include <stddef.h>\nvoid *malloc(size_t s) { return (void *)(s & 0); }\n'
                                        'void free(void *o) { (void)o; }\n' + main)),
            ('no-profiling', build('without', 'int mallctl(void) { return 0; }\n' + main)),
            ('stripped-jemalloc', stripped),
            ('no-names', stripped),
            ('jemalloc', STATIC),
            ('build-id', STATIC),
            ('no-build-id', build('without-id', main, '-Wl,--build-id=none')),
            ('setting', build('setting', 'const char *malloc_conf = "prof:true";\n' + main, '-no-pie')),
            ('jemalloc', build('needing', 'int mallctl(void);\nint main(void) { return mallctl(); }\n',
                               jemalloc.shared_object())),
            ('no-program', SCRIPT)):
        faults += compare(path.name, doctor(path), wanted)
    found, _ = doctor(stripped)
    faults += [f'{found}'] * (not found['no-names'].endswith(' debuginfod-find debuginfo ' + found['build-id']))
    return faults


def packages():
    """The package with the names is found in the lists below the root of the process."""
    if os.geteuid() != 0:
        return 'skipped: only root can give a process another root'
    root = FOLDER / 'root'
    for folder in ('usr/bin', 'bin', 'var/lib/dpkg/info', 'lib/apk/db', 'usr/lib/debug/.build-id'):
        (root / folder).mkdir(parents=True)
    subprocess.run([*COMPILE, '-static', '-Wl,--build-id=0xabcdef', '-s', '-o', root / 'usr/bin/app'], check=True)
    for outside in ('b.list', 'c.list'):
        (root / 'var/lib/dpkg/info' / outside).symlink_to('/etc/passwd')
    os.mkfifo(root / 'var/lib/dpkg/info/fifo.list')
    lists = root / 'var/lib/dpkg/info'

    def below_root(program):
        with subprocess.Popen([program, 'say', 'sleep', '60'], preexec_fn=lambda: (os.chroot(root), os.chdir('/')),
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={}) as running:
            running.stdout.readline()
            found = doctor(running.pid)
            running.kill()
        return found

    def finds():
        found = below_root('/usr/bin/app')[0]
        return found.get('debug-file') or found.get('no-names', str(found)).split('; ')[1]
    (root / 'etc').mkdir()
    (root / 'etc/malloc.conf').symlink_to('prof_actve:true')
    subprocess.run([*COMPILE, '-static', '-o', root / 'usr/bin/own', jemalloc.shared_object().replace('.so.2', '.a'), '-lm',
                    '-lpthread', '-lstdc++'], check=True)
    faults = compare('/etc/malloc.conf', below_root('/usr/bin/own'), 'unknown-key')
    for file, text, wanted in (
            (lists / 'a.list', '/usr/bin/application\n/bin/ap\n', 'debuginfod-find debuginfo abcdef'),
            (root / 'lib/apk/db/installed', 'P:other\nF:bin\nR:app\n\nP:tool\nF:usr/bin\nR:ap\nR:app\n', 'Alpine package tool-dbg'),
            (lists / 'tools:amd64.list', '/.\n/usr/bin/app\n', 'Debian package tools-dbgsym'),
            (root / 'usr/lib/debug/.build-id/ab', '', '/usr/lib/debug/.build-id/ab/cdef.debug')):
        if text:
            file.write_text(text)
        else:
            file.mkdir()
            (file / 'cdef.debug').write_text('')
        found = finds()
        faults += [f'{found} and not {wanted}'] * (found != wanted)
    return faults


def dumps():
    faults = []
    real = (t.testdata / 'died').glob('*.heap')
    text = max(real, key=lambda path: path.stat().st_size).read_text()
    head = 'heap_v2/524288\n  t*: {0}: {1} [0: 0]\n  t0: {0}: {1} [0: 0]\n'
    deep = '@' + ' 0x1' * 127 + '\n  t*: 1: 1 [0: 0]\n'
    end = '\nMAPPED_LIBRARIES:\n'
    for wanted, content in (
            ('empty-file', ''),
            ('nothing-sampled', head.format(0, 0) + end),
            ('cut-stacks', head.format(1, 1) + deep + end),
            ('no-map', head.format(1, 1) + '@ 0x1 0x2\n  t*: 1: 1 [0: 0]\n'),
            ('other-dump', 'something else\n'),
            ('dump', text)):
        path = FOLDER / 'one.heap'
        path.write_text(content)
        faults += compare(wanted, doctor(path), wanted)
        if content:
            packed = FOLDER / 'packed' / 'one.heap.gz'
            packed.parent.mkdir(exist_ok=True)
            packed.write_bytes(gzip.compress(content.encode()))
            for subject in (packed, packed.parent):
                faults += compare(f'{wanted} of {subject.name}', doctor(subject), wanted)
    for samples, finer in ((96, 262144), (25, 131072), (1, 4096), (97, None)):
        path.write_text(head.format(samples, samples) + '@ 0x1 0x2\n  t*: 1: 1 [0: 0]\n' + end)
        found = doctor(path)[0].get('few-samples')
        faults += [f'{samples}: {found}'] * (
            found is not None if finer is None else f'; {finer} or finer' not in (found or ''))
    return faults


def folders():
    faults = []
    empty, sets = FOLDER / 'empty', FOLDER / 'sets'
    empty.mkdir()
    faults += compare('empty', doctor(empty), 'no-sets')
    for conf, wanted in (('prof:true,prof_active:false', 'set-inactive'), ('prof:true,lg_prof_sample:12', 'dump')):
        subprocess.run([PROGRAM, 'grow', '500', '5', 'now', 'a'], check=True, stdout=subprocess.DEVNULL, env={
            **CLEAN, 'MALLOC_CONF': conf, 'HPROF_CAPTURE': f'folder:{sets},exit:false',
            'LD_PRELOAD': f'{CAPTURE}:{jemalloc.shared_object()}'})
        faults += compare(conf, doctor(sets), wanted)
        faults += compare(conf, doctor(max(sets.iterdir(), key=lambda path: path.name.split('.')[2])), wanted)
    (sets / '.tmp-x').mkdir()
    return faults + compare('left', doctor(sets), 'left-overs')


# --- no alarm ---------------------------------------------------------------------------


def no_alarm():
    faults = []
    for environment in (under_jemalloc('prof:true,prof_gdump:true'), under_jemalloc('prof:true,lg_prof_interval:30'),
                        under_jemalloc('prof:true,lg_prof_interval:30,prof_final:true,lg_prof_sample:12'),
                        under_jemalloc(f'prof:true,prof_gdump:true,prof_prefix:{FOLDER}/x'),
                        under_jemalloc('prof:false,prof:true,prof_gdump:true'),
                        under_jemalloc('prof:true,prof_active:false,prof_active:true,prof_gdump:true'),
                        under_jemalloc('narenas:2,background_thread:true,prof:true,prof_accum:true,prof_gdump:true'),
                        under_jemalloc('prof:true,metadata_thp:auto,dirty_decay_ms:0,muzzy_decay_ms:0,prof_gdump:true'),
                        {'LD_PRELOAD': f'{CAPTURE}:{jemalloc.shared_object()}', 'MALLOC_CONF': 'prof:true',
                         '_RJEM_MALLOC_CONF': 'prof:true', 'HPROF_CAPTURE': f'folder:{FOLDER}/captured'},
                        {}):
        with process(**environment) as pid:
            faults += healthy(environment, doctor(pid))
    with process(first=['title'], **under_jemalloc('prof:true')) as pid:
        got = doctor(pid)
        faults += healthy('title', got) + compare('title', got, 'no-environment')
    with process(STATIC, MALLOC_CONF='prof:true,prof_gdump:true') as pid:
        faults += healthy('static jemalloc', doctor(pid))
    for path in (PROGRAM, STATIC, jemalloc.shared_object(), os.path.realpath(sys.executable), os.path.realpath('/bin/sh')):
        faults += healthy(path, doctor(path))
    for path in sorted(t.real.glob('*.heap*'))[:3]:
        faults += healthy(path, doctor(path))
    return faults


# --- hostile ----------------------------------------------------------------------------


def hostile_files():
    faults = []
    whole = bytearray(STATIC.read_bytes())
    sections = struct.unpack_from('<Q', whole, 40)[0]
    damaged = FOLDER / 'damaged'
    count = struct.unpack_from('<H', whole, 60)[0]
    places = [16, 18, 32, 40, 48, 54, 56, 58, 60, 62, *range(sections, sections + 64 * 40, 8)]
    claims = [(place, 2 ** 64 - 1) for place in places[::1 if len(sys.argv) > 4 else 9]]
    claims += [(sections + 64 * i + 32, 2 ** 40) for i in range(count)]  # sizes
    for place, claim in claims:
        changed = bytearray(whole)
        struct.pack_into('<Q', changed, place, claim)
        damaged.write_bytes(changed)
        got = t.run('doctor', '--format=json', damaged, is_rooted=False)
        json.loads(got.out)
        faults += [f'{place}: {got.code}'] * (got.code != 0)
    for size in (0, 3, 63, 64, 4096, len(whole) // 2):
        damaged.write_bytes(whole[:size])
        got = t.run('doctor', damaged, is_rooted=False)
        faults += [f'{size} bytes: {got.code}'] * (got.code != 0)
    fifo = FOLDER / 'fifo'
    os.mkfifo(fifo)
    faults += [] if t.run('doctor', fifo, timeout=20, is_rooted=False).code == 5 else ['a FIFO is read']
    folder = FOLDER / 'hostile'
    folder.mkdir()
    os.mkfifo(folder / 'a.heap')
    (folder / 'b.1.2.3M').symlink_to('/')
    (folder / 'c.1.3.3M').mkdir()
    os.mkfifo(folder / 'c.1.3.3M' / 'facts.json')
    os.mkfifo(folder / 'c.1.3.3M' / 'd.heap')
    return faults + ([] if t.run('doctor', folder, timeout=20, is_rooted=False).code == 0 else ['the folder is not read'])


def hostile_processes():
    """What /proc shows of a process is what that process wants."""
    name = HOSTILE.replace(b'/', b'_').decode('utf-8', 'surrogateescape')
    program = FOLDER / name
    shutil.copy(PROGRAM, program)
    environment = under_jemalloc(os.fsdecode(HOSTILE), LONG='x' * 100000)
    faults = []
    with process(program, **environment) as pid:
        for form in ('text', 'json'):
            got = t.run('doctor', f'--format={form}', pid, is_rooted=False)
            bad = [hex(ord(c)) for c in got.out if c != '\n' and (ord(c) < 32 or ord(c) == 127 or ord(c) in (0x202e, 0xfffd))]
            faults += bad or [f'{form}: {got.code}'] * (got.code != 0)
            if form == 'json':
                json.loads(got.out)
    return faults


def others():
    faults = compare('ended', doctor(2 ** 22 - 1), 'ended')
    if os.geteuid() == 0:
        copy = FOLDER / 'doctor-of-all'
        shutil.copy(t.binary, copy)
        copy.chmod(0o755)
        with process(**under_jemalloc('prof:true')) as pid:
            got = subprocess.run([copy, 'doctor', '--format=json', str(pid)], user=65534, check=False, capture_output=True,
                                 text=True)
        codes = {one['code'] for one in json.loads(got.stdout)['findings']}
        faults += [f'{codes}'] * (codes != {'doctor-not-readable'})
        without = subprocess.run(['unshare', '-m', 'sh', '-c', 'mount -t tmpfs none /proc && exec "$@"', 'sh', copy, 'doctor',
                                  '--format=json', '1'], check=False, capture_output=True, text=True)
        if without.returncode == 0:  # else nothing can be mounted here
            faults += [without.stdout] * ('"doctor-no-proc"' not in without.stdout or without.stdout.count('"level"') != 1)
    with process() as pid:
        pass
    return faults + compare('ended', doctor(pid), 'ended')


t = Tests(is_of_machine=True)
with scratch() as scratched:
    FOLDER = pathlib.Path(scratched)
    FOLDER.chmod(0o755)
    PROGRAM, STATIC, SCRIPT = FOLDER / 'program', FOLDER / 'static-jemalloc', FOLDER / 'script'
    COMPILE = [*(os.environ.get('CC') or 'cc').split(), '-std=gnu11', '-O1', '-g', HERE / 'capture_program.c']
    subprocess.run([*COMPILE, '-o', PROGRAM], check=True)
    subprocess.run([*COMPILE, '-o', STATIC, jemalloc.shared_object().replace('.so.2', '.a'), '-lm', '-lpthread', '-ldl'],
                   check=True)
    SCRIPT.write_text('#!/bin/sh\n')
    t.check('what is wrong with a process is found', processes)
    t.check('what is wrong with a program is found', programs)
    t.check('the package with the names of a program is found', packages)
    t.check('what is wrong with a dump is found', dumps)
    t.check('what is wrong in a folder is found', folders)
    t.check('healthy processes, programs and dumps give no alarm', no_alarm)
    t.check('R41: damaged and hostile files end in findings', hostile_files)
    t.check('R42: what a process shows of itself is escaped', hostile_processes)
    t.check('processes that ended or belong to others give findings', others)
t.done()

#!/usr/bin/env python3
"""Tests the sandbox of the process that reads binaries: it refuses the forbidden calls, costs no name, and its
absence is reported.  Run by root, it is also tested as an unprivileged user and as root of a user namespace.

    usage: sandbox.py BINARY TESTDATA instrumented|whole [DUMPS-OR-FOLDERS...]

With dumps, by hand: compares reports, and measures the cost of the sandbox.
"""
import ctypes
import errno
import os
import pathlib
import platform
import resource
import shutil
import struct
import subprocess
import sys
import time

from harness import Tests, scratch, without_next
from rooted import rooted

# Each by a call that would do something.
REFUSED = '''openat openat2 open_by_handle_at newfstatat socket connect execve execveat clone ptrace kill
process_vm_readv prlimit64 io_uring_setup bpf userfaultfd memfd_create'''.split()
REFUSED += ['fcntl F_SETOWN', 'mmap PROT_EXEC', 'mprotect PROT_EXEC']
LET_BY = '''brk clock_gettime close exit exit_group fstat futex madvise mmap mprotect mremap munmap pread64 recvfrom
recvmsg rseq rt_sigaction rt_sigprocmask rt_sigreturn sendmsg sendto set_robust_list'''.split()
LANDLOCK, SECCOMP, OPENAT2 = 444, {'x86_64': 317}.get(platform.machine(), 277), 437


def without(number, error):
    """A function for a child process: the system call of this number fails from now on, as with a filter from
    outside."""
    libc = ctypes.CDLL(None, use_errno=True)
    code = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (6, 0, 0, 0x50000 | error), (6, 0, 0, 0x7fff0000)]
    filters = ctypes.create_string_buffer(b''.join(struct.pack('HBBI', *each) for each in code))
    program = struct.pack('HxxxxxxP', len(code), ctypes.addressof(filters))

    def install():
        none, _ = ctypes.c_ulong(0), filters  # the filters still have to exist
        if libc.prctl(38, ctypes.c_ulong(1), none, none, none) != 0 or \
                libc.prctl(22, ctypes.c_ulong(2), program, none, none) != 0:
            os._exit(99)
    return install


def run(*args, **options):
    return subprocess.run([str(arg) for arg in args], capture_output=True, timeout=120, check=False, **options)


def selftest():
    done = run(t.binary, '--selftest-sandbox')
    text = done.stdout.decode()
    if instrumented:
        return [] if done.returncode == 0 and text.startswith('no filter: ') else [text]
    lines = text.splitlines()
    faults = [line for line in lines if not line.startswith('ok ')]
    faults += [f'{call} is not refused' for call in REFUSED if f'ok {call}: refused' not in lines]
    passed = sorted(line.split()[1] for line in lines if line.endswith('let by') and not line.startswith('ok ? '))
    faults += [] if passed == LET_BY else [f'let by: {passed}']
    if platform.machine() == 'x86_64':
        faults += [f'{way} lets calls by' for way in ('by int 0x80', 'of x32') if f'ok getpid {way}: killed' not in lines]
        faults += [f'{call} is not refused' for call in ('open', 'fork', 'vfork') if f'ok {call}: refused' not in lines]
    return faults + ([] if done.returncode == 0 else [f'status {done.returncode}'])


def files(folders):
    paths = [path for top in folders for path in (sorted(top.rglob('*')) if top.is_dir() else [top])]
    return [path for path in paths if path.is_file() and path.suffix[1:] in ('heap', 'gz', 'zst', 'hpa')]


def same(paths, prefix=(), **options):
    """The outputs with the sandbox and without it are the same."""
    faults = []
    for path in paths:
        for command in (['top', '-n0', '--by=line', '--frames=all'], ['merge', '-fpprof']):
            told = [run(*prefix, binary, *rooted([*command, f'--symbol-dir={data / "root"}', f'--sandbox={mode}', path]), **options)
                    for mode in (confined, 'off')]
            if len({(each.returncode, without_next(each.stdout), each.stderr) for each in told}) != 1 or told[0].returncode == 2:
                faults.append(f'{command[0]} {path.name}: {[(each.returncode, each.stderr[:300]) for each in told]}')
    return faults


def same_in_namespace(paths):
    enter = ('unshare', '-r')
    return 'not tried, as none may be made here' if run(*enter, 'true').returncode else same(paths, prefix=enter)


def missing(number, error, word):
    """With `require` the program ends before it reads or writes anything; with `auto` a missing sandbox is shown by
    `info`."""
    target = folder / 'out'
    install = without(number, error)
    dump = t.formats / 'jemalloc-cxx.heap'
    more = {'preexec_fn': install}
    required = run(*t.command('top', '--sandbox=require', '-o', target, dump, folder / 'nowhere'), **more)
    faults = []
    if required.returncode != 2 or word not in required.stderr.decode() or target.exists() or \
            b'nowhere' in required.stderr or required.stdout:
        faults.append(f'require: {required.returncode} {required.stderr}')
    want = run(*t.command('top', f'--symbol-dir={t.root}', '--sandbox=off', dump))
    auto = run(*t.command('top', f'--symbol-dir={t.root}', dump), **more)
    walks = number != OPENAT2 or error == errno.ENOSYS
    if walks and (without_next(want.stdout), want.stderr, 0) != (without_next(auto.stdout), auto.stderr, auto.returncode):
        faults.append(f'auto: {auto.returncode} {auto.stderr}')
    info = run(*t.command('info', '-v', f'--symbol-dir={t.root}', dump), **more).stdout.decode()
    features = run(t.binary, 'version', '--build-options', **more).stdout.decode()
    faults += [f'info: {info}'] if f'the sandbox for reading binaries lacks {word}' not in info else []
    faults += [f'features: {features}'] if f'sandbox lacks {word}' not in features else []
    return faults


def told():
    dump = t.formats / 'jemalloc-cxx.heap'
    infos = {mode: t.ok('info', '-v', f'--symbol-dir={t.root}', f'--sandbox={mode}', dump).out for mode in ('auto', confined, 'off')}
    sentence = 'warning: binaries are read without a sandbox (--sandbox=off)\n'
    faults = [] if infos['off'].replace(sentence, '') == infos['auto'] == infos[confined] != infos['off'] else [str(infos)]
    faults += [] if 'sandbox' not in t.ok('top', '--sandbox=off', dump).err else ['top tells, too']
    features = t.ok('version', '--build-options').out
    wanted = 'sandbox lacks seccomp and Landlock (built for sanitizers)\n' if instrumented else 'sandbox yes\n'
    return faults + ([] if features.endswith(wanted) else [features])


def cost(path):
    """CPU and time of the least of some runs, with the sandbox and without."""
    least = {}
    for _ in range(15):
        for mode in ('require', 'off'):
            start, before = time.monotonic(), sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
            run(binary, 'top', f'--sandbox={mode}', path)
            took = (sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - before, time.monotonic() - start)
            least[mode] = tuple(map(min, least.get(mode, took), took))
    return '; '.join(f'{mode}: {cpu * 1e3:.1f} ms of CPU, {wall * 1e3:.1f} ms' for mode, (cpu, wall) in least.items())


t = Tests()
instrumented = sys.argv[3] == 'instrumented'
confined = 'auto' if instrumented else 'require'
with scratch() as name:
    folder = pathlib.Path(name)
    folder.chmod(0o755)
    binary, data = folder / 'hprof-agg', folder / 'testdata'
    shutil.copy(t.binary, binary)
    for part in ('formats', 'root'):
        shutil.copytree(t.testdata / part, data / part, symlinks=True)
    ours, others = files([data / 'formats']), files([pathlib.Path(each) for each in sys.argv[4:]])
    nobody = {'user': 65534, 'group': 65534, 'extra_groups': []}
    t.check('R08: the sandbox allows only the system calls that reading needs', selftest)
    t.check('R08: reports are the same with the sandbox and without', lambda: same(ours))
    if os.getuid() == 0:
        t.check('R39: reports are the same as the user nobody', lambda: same(ours[::4], **nobody))
    t.check('R39: reports are the same as root of a user namespace', lambda: same_in_namespace(ours[::4]))
    if others:
        t.check(f'R08: reports of {len(others)} other inputs are the same', lambda: same(others))
        for path in others[:3]:
            t.check(f'the cost of the sandbox for {path.name}', cost(path))
    t.check('info reports that the sandbox is off, and other reports do not', told)
    if not instrumented:
        for error in (errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL, errno.EPERM):
            for number, word in ((LANDLOCK, 'Landlock'), (SECCOMP, 'seccomp'), (OPENAT2, 'openat2')):
                t.check(f'R08: if {word} fails with {errno.errorcode[error]}, the sandbox is incomplete',
                        lambda n=number, e=error, w=word: missing(n, e, w))
t.done()

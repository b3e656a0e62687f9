#!/usr/bin/env python3
"""System calls that fail, or that a signal interrupts, are tried again or reported with their cause.

usage: faults.py BINARY TESTDATA FAIL_CALLS_LIBRARY
"""
import errno
import os
import pathlib
import re
import struct
import sys

from harness import Tests, scratch

t = Tests()
LIBRARY = os.path.abspath(sys.argv[3])
DUMP = t.testdata / 'golden' / 'procs1.heap'
MODULE = '/srv/corpus/formats/alloc_c'


def run(*args, fails='', **more):
    return t.run(*args, env={'LD_PRELOAD': LIBRARY, 'FAIL_CALLS': fails}, **more)


def info(fails=''):
    return run('info', '-v', f'--symbol-dir={t.root}', DUMP, fails=fails)


def interrupted():
    whole = info().out
    outs = {call: info(f'{call}={errno.EINTR}*5').out for call in ('pread', 'fstatfs')}
    return [f'{call}: {out[:500]}' for call, out in outs.items() if out != whole]


def reasons():
    faults = []
    for call, number in (('fstatfs', errno.ENOSYS), ('fstatfs', errno.EACCES), ('fstatfs', errno.EINTR),
                         ('pread', errno.EIO)):
        fails = f'{call}={number}*1000'
        block = info(fails).out.partition(f'\nmodule {MODULE}\n')[2].partition('\nmodule ')[0]
        top = run('top', '-v', f'--symbol-dir={t.root}', DUMP, fails=fails)
        status, note = (re.search(rf'^  {key} +(.*)$', block, re.M) for key in ('symbols', 'note'))
        good = status[1] == 'file cannot be read' and note[1] == f'{t.root}{MODULE}: {os.strerror(number)}' and \
            top.code == 0 and f'no symbols for {MODULE} (99.3% of memory): file cannot be read' in top.out
        faults += [] if good else [f'{fails}: {block} {top.out[:1000]}']
    return faults


def written():
    """A file is synchronized again after a signal, and is not renamed into place after an error."""
    faults = []
    for number, wanted in ((errno.EINTR, 0), (errno.EIO, 6)):
        with scratch() as folder:
            path = pathlib.Path(folder, 'out')
            path.write_text('old\n')
            done = run('top', '--no-symbols', '-o', path, DUMP, fails=f'fsync={number}')
            is_old = path.read_text() == 'old\n'
            if done.code != wanted or is_old != (wanted != 0) or os.listdir(folder) != ['out'] or \
                    (wanted and os.strerror(number) not in done.err):
                faults.append(f'fsync={number}: {done.code}, old: {is_old}, {os.listdir(folder)}: {done.err}')
    return faults


def acl_of(path):
    try:
        return os.getxattr(path, 'system.posix_acl_access')
    except OSError:
        return b''


def ways():
    """The result of writing an output: bytes, mode, group and access list, for a new file and for one that is
    replaced."""
    found = {}
    # rwx for the owner and user 1234, r-x for the group, as binaries of acl(5) are kept
    acl = struct.pack('<I', 2) + b''.join(struct.pack('<HHI', *entry) for entry in (
        (1, 7, 2**32 - 1), (2, 7, 1234), (4, 5, 2**32 - 1), (16, 7, 2**32 - 1), (32, 4, 2**32 - 1)))
    for fails in ('', f'tmpfile={errno.EOPNOTSUPP}', f'linkat={errno.EPERM}'):
        for has_acl in (False, True):
            with scratch() as folder:
                os.chmod(folder, 0o2777)
                try:
                    if has_acl:
                        os.setxattr(folder, 'system.posix_acl_default', acl)
                except OSError:
                    continue  # not supported by this file system
                old, new = pathlib.Path(folder, 'old'), pathlib.Path(folder, 'new')
                old.write_text('old\n')
                old.chmod(0o604)
                for path in (old, new):
                    done = run('top', '-q', '--no-symbols', '-o', path, DUMP, fails=fails, preexec_fn=lambda: os.umask(0o027))
                    info = path.stat()
                    found.setdefault((has_acl, path.name), {})[fails] = (
                        done.code, path.read_bytes(), oct(info.st_mode), info.st_uid, info.st_gid, acl_of(path))
                if sorted(os.listdir(folder)) != ['new', 'old']:
                    return [f'{fails}: {os.listdir(folder)}']
    same = all(len(set(each.values())) == 1 for each in found.values())
    good = found[False, 'old'][''][2] == '0o100604' and found[False, 'new'][''][2] == '0o100640'
    return f'{len(found)} cases' if same and good else [str(found)[:5000]]


def few_threads():
    """Threads that cannot be started leave their dumps to the others."""
    faults, dumps = [], sorted((t.testdata / 'golden').glob('procs*.heap'))
    for command in ('merge', '-o{}/out.hpa'), ('rows', '-o{}/out'):
        found = {}
        for fails in ('', f'thread={errno.EAGAIN}*2', f'thread={errno.EAGAIN}*99'):
            with scratch() as folder:
                done = run(*(word.format(folder) for word in command), '-q', '-j4', *dumps, fails=fails)
                files = {str(path.relative_to(folder)): path.read_bytes()
                         for path in pathlib.Path(folder).rglob('*') if path.is_file()}
            found[fails] = done.code, files
            faults += [] if done.code == 0 and files else [f'{command} {fails}: {done.err}']
        faults += [] if all(one == found[''] for one in found.values()) else [f'{command}: other output']
    return faults


def without_room():
    """Stacks that do not fit in memory cannot be written."""
    with scratch() as folder:
        dumps = []
        for i in range(12):
            dumps.append(pathlib.Path(folder, f'app.{i + 1}.0.i0.heap'))
            stacks = ''.join(f'@ {" ".join(hex(0x400000 + 16 * (k * 7 + i * j)) for j in range(8))}\n  t*: 1: 4096 [0: 0]\n'
                             for k in range(3000))
            dumps[-1].write_text(f'heap_v2/524288\n  t*: 0: 0 [0: 0]\n{stacks}\nMAPPED_LIBRARIES:\n'
                                 '400000-600000 r-xp 00000000 08:01 77 /opt/app\n')
        done = run('merge', '-q', '--max-memory=16MiB', '-o', f'{folder}/out.hpa', *dumps, fails=f'pwrite={errno.ENOSPC}*99')
        wanted = f'hprof-agg: {folder}/: cannot write the temporary file of stacks: {os.strerror(errno.ENOSPC)}\n'
        return [] if (done.code, done.err) == (6, wanted) else [f'{done.code}: {done.err}']


t.check('H11: a signal that interrupts the reading of a binary changes nothing', interrupted)
t.check('H11: a binary that the system cannot read is reported with the reason', reasons)
t.check('H11: an output is synchronized again after a signal', written)
t.check('an output is the same whether or not a nameless file can be linked', ways)
t.check('dumps are merged, and written as rows, by the threads that can be started', few_threads)
t.check('H14: if spilled stacks cannot be written, the message names the directory', without_room)
t.done()

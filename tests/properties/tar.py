#!/usr/bin/env python3
"""--tar: the files in an archive are inputs like any other, for archives of any program and compression; truncated or
wrong parts are reported, and nothing is silently missing.  Also tests every format through a file, a pipe, a list and
an archive."""
import gzip
import io
import json
import os
import pathlib
import random
import shutil
import re
import subprocess
import tarfile

from harness import Tests, scratch

t = Tests(is_coded=True)
FORMATS = {'ustar': tarfile.USTAR_FORMAT, 'gnu': tarfile.GNU_FORMAT, 'pax': tarfile.PAX_FORMAT}
PROCS = sorted((t.formats / 'procs').glob('*.heap'))
PERL = sorted(t.real.glob('perl*.gz'))


def zstd(content):
    return subprocess.run(['zstd', '-qc'], input=content, check=True, capture_output=True).stdout


PACKERS = {'plain': bytes, 'gzip': gzip.compress, 'zstd': zstd}


def member(name, size=0, kind=tarfile.REGTYPE, time=1700000000):
    info = tarfile.TarInfo(name)
    info.size, info.type, info.mtime = size, kind, time
    return info


def archive(files, form='ustar', extra=()):
    """An archive of {name: bytes}, with members between them that are no inputs."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w', format=FORMATS[form]) as tar:
        for i, (name, content) in enumerate(files.items()):
            tar.addfile(member(name, len(content), time=1700000000 + i), io.BytesIO(content))
            for info in extra:
                tar.addfile(info)
    return out.getvalue()


def contents(paths):
    return {path.name: path.read_bytes() for path in paths}


def read(content, *args, command='info', ok=True, folder=None, is_coded=False):
    with scratch() as directory:
        path = pathlib.Path(folder or directory, 'all.tar')
        path.write_bytes(content)
        run = t.ok if ok else t.run
        return run(command, *['-v'] * (command == 'info'), '--no-symbols', *args, f'--tar={path}', cwd=folder or directory,
                   is_coded=is_coded)


def in_files(files, *args, command='info'):
    with scratch() as directory:
        for i, (name, content) in enumerate(files.items()):
            path = pathlib.Path(directory, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            os.utime(path, (0, 1700000000 + i))
        return t.ok(command, *['-v'] * (command == 'info'), '--no-symbols', *args, *files, cwd=directory).out


# --- what is read ------------------------------------------------------------------------

LINKS = []
for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE,
             tarfile.CHRTYPE, tarfile.BLKTYPE):
    LINKS.append(member(f'other-{kind.decode()}', kind=kind))
    LINKS[-1].linkname = 'jp.1.heap'


def every_archive():
    """Links, folders and devices between files; files that are compressed themselves."""
    files = contents(PROCS[:2] + PERL)
    files['z.heap.zst'] = zstd(PROCS[2].read_bytes())
    want, faults = in_files(files), []
    for form in FORMATS:
        for name, pack in PACKERS.items():
            got = read(pack(archive(files, form, LINKS))).out
            faults += [] if got == want else [f'{form}, {name}: {got[:300]}']
    return faults


def gnu_tar():
    """Archives that the tar program makes of a folder."""
    faults = []
    with scratch() as directory:
        folder = pathlib.Path(directory, 'dumps', 'deep')
        folder.mkdir(parents=True)
        for path in PROCS:
            (folder / path.name).write_bytes(path.read_bytes())
        (folder / 'link.heap').symlink_to(PROCS[0].name)
        os.link(folder / PROCS[0].name, folder / 'hard.heap')
        want = t.ok('info', '-v', '--no-symbols', *(f'dumps/deep/{path.name}' for path in PROCS),
                    cwd=directory).out.replace(PROCS[0].name, 'FIRST')
        for form in ('v7', 'oldgnu', 'gnu', 'ustar', 'posix'):
            subprocess.run(['tar', 'cf', f'{directory}/{form}.tar', f'--format={form}', 'dumps'],
                           cwd=directory, check=True)
            # If a file has two names, either may be stored as the link.
            got = t.ok('info', '-v', '--no-symbols', f'--tar={form}.tar', cwd=directory).out
            got = got.replace('hard.heap', 'FIRST').replace(PROCS[0].name, 'FIRST')
            if sorted(got.splitlines()) != sorted(want.splitlines()):
                faults.append(f'{form}: {got[:300]}')
    return faults


def names():
    """Long ones, ones with spaces, UTF-8, or up a folder: they are names and nothing else."""
    faults = []
    long = '/'.join(['a' * 60] * 3) + '/b.heap'
    for name, forms in ((long, FORMATS), ('d' * 99, FORMATS), ('d' * 100, FORMATS),
                        ('x' * 300 + '/' + 'y' * 200, ('gnu', 'pax')),
                        ('a b/\u00e9 c.heap', FORMATS), ('../../up.heap', FORMATS),
                        ('/abs/olute.heap', FORMATS), ('new\nline.heap', FORMATS)):
        for form in forms:
            out = read(archive({name: PROCS[0].read_bytes(), 'z': PROCS[1].read_bytes()},
                               form)).out
            want = 'input ' + name.replace('\n', '\\x0A') + '\n'
            faults += [] if want in out else [f'{form}: {name!r}: {out[:200]}']
    return faults


def labels_and_times():
    files = {f'host{i}/jp.{i}.{i}.heap': path.read_bytes() for i, path in enumerate(PROCS[:3])}
    rows = read(archive(files), '--by=label:host', '--label-from=(?<host>host[0-9])', '--unit=B',
                '--confidence=none', command='top').rows()
    faults = [] if {name for _, _, name in rows} == {'host0', 'host1', 'host2'} else [f'{rows}']
    series = sorted((t.formats / 'series').glob('*.heap'))
    plain = contents(series)
    for times in (r'--time-from=\.(\d+)\.[if]\d*\.heap', '--time-from=mtime'):
        want = in_files(plain, times, '-fjson', command='trend')
        for form in FORMATS:
            got = read(archive(plain, form), times, '-fjson', command='trend').out
            faults += [] if got == want else [f'{times} {form}: {got[:300]}']
    return faults


def repeated_file():
    """The member with the first name is used, with its own time, even if a file of the same content was read before
    it."""
    first, second = (path.read_bytes() for path in PROCS[:2])
    with scratch() as folder:
        for name, content, time in (('z1.heap', first, 0), ('z2.heap', second, 1700007200)):
            path = pathlib.Path(folder, name)
            path.write_bytes(content)
            os.utime(path, (time, time))
        got = read(archive({'a.heap': first}), '-j1', '-fjson', '--on-duplicate=skip',
                   '--time-from=mtime', 'z1.heap', 'z2.heap', command='trend', folder=folder)
    hours = json.loads(got.out)['hours']
    return [] if hours == 2 else [f'{hours} hours']


def piped():
    files = contents(PROCS)
    content = gzip.compress(archive(files))
    want = in_files(files)
    process = subprocess.Popen(t.command('info', '-v', '--no-symbols', '--tar=-', is_rooted=False),
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for at in range(0, len(content), 511):
        os.write(process.stdin.fileno(), content[at:at + 511])
    got = process.communicate()[0].decode()
    return [] if got == want else [got[:300]]


def sides_of_a_diff():
    files = contents(PROCS[1:3])
    with scratch() as directory:
        pathlib.Path(directory, 'base.heap').write_bytes(PROCS[0].read_bytes())
        got = read(archive(files), 'base.heap', '--to', '-fjson', command='diff',
                   folder=directory).out
    want = in_files({'base.heap': PROCS[0].read_bytes(), '--to': b'', **files}, '-fjson',
                    command='diff')
    return [] if got == want else [got[:300]]


def same_bytes():
    files = contents([*PERL, *PROCS])

    def rows(content, jobs):  # "next:" names the archive
        return read(content, f'-j{jobs}', '-n0', command='top').out.partition('\nnext: ')[0]
    want = rows(archive(files), 1)
    shuffled = list(files.items())
    random.Random(4).shuffle(shuffled)
    other = archive(dict(shuffled), 'gnu')
    return [f'-j{jobs}: other bytes' for jobs in (1, 2, 3, 8)
            if rows(other, jobs) != want]


def one_after_the_other():
    """Archives that are concatenated, as by `cat`."""
    first, second = (archive(contents(paths)) for paths in (PROCS[:1], PROCS[1:]))
    want = in_files(contents(PROCS))
    return [] if read(first + second).out == want else ['other']


def several():
    """Each --tar adds its members, whichever is given first, also where they have the same names;
    a broken archive hides no other, and one that is given twice is found out."""
    halves = [archive(contents(paths)) for paths in (PROCS[:2], PROCS[2:])]
    same_names = [archive({'a.heap': path.read_bytes()}) for path in PROCS[:3]]
    faults = []
    with scratch() as directory:
        def run(archives, *args, command='info', is_coded=False):
            names = [pathlib.Path(directory, f'{i}.tar') for i in range(len(archives))]
            for name, content in zip(names, archives):
                name.write_bytes(content)
            return [t.run(command, *['-v'] * (command == 'info'), '--no-symbols', *(f'--tar={name}' for name in order), *args, is_coded=is_coded)
                    for order in (names, names[::-1])]
        want = in_files(contents(PROCS))
        faults += ['in halves: other' for got in run(halves) if got.out != want]
        for jobs in ('-j1', '-j3'):
            first, second = run(same_names, jobs, '-fjson', command='trend')
            inputs = json.loads(first.out)['inputs']['used']
            if first.out != second.out or inputs != 3:
                faults.append(f'members of one name, {jobs}: {inputs} inputs, {first.err}')
        for got in run([halves[0], b'Hello' * 300, halves[1]], '--max-skipped=1'):
            if got.code != 3 or got.totals() != t.totals(*PROCS):
                faults.append(f'one is broken: {got.code}: {got.err}')
        for got in run([halves[0], halves[0]], is_coded=True):
            if got.code != 4 or 'same-dump: ' not in got.err:
                faults.append(f'twice: {got.code}: {got.err}')
    return faults


def patched(content, at, change):
    """The header at `at` with other bytes, and the right sum again."""
    header = bytearray(content[at:at + 512])
    for place, value in change.items():
        header[place:place + len(value)] = value
    header[148:156] = b' ' * 8
    header[148:156] = b'%06o\0 ' % sum(header)
    return content[:at] + bytes(header) + content[at + 512:]


def forms_of_numbers():
    files = contents(PROCS[:2])
    content, want = archive(files), in_files(files)
    size = len(PROCS[0].read_bytes())
    faults = []
    for what, field in (('base 256', b'\x80' + size.to_bytes(11, 'big')),
                        ('spaces', b'%11o ' % size), ('no end', b'%012o' % size)):
        got = read(patched(content, 0, {124: field})).out
        faults += [] if got == want else [f'{what}: {got[:200]}']
    pax = io.BytesIO()
    with tarfile.open(fileobj=pax, mode='w', format=tarfile.PAX_FORMAT) as tar:
        for name, data in files.items():
            info = member(name, len(data))
            info.pax_headers = {'size': str(len(data)), 'comment': 'a=b\nc', 'mtime': '-1.5'}
            tar.addfile(info, io.BytesIO(data))
    faults += [] if read(pax.getvalue()).out == want else ['pax size']
    signed = patched(content, 0, {300: b'\xff\xfe'})
    header = bytearray(signed[:512])
    header[148:156] = b' ' * 8
    low = sum(byte - 256 if byte > 127 else byte for byte in header)
    header[148:156] = b'%06o\0 ' % low
    faults += [] if read(bytes(header) + signed[512:]).out == want else ['signed sum']
    return faults


# --- what is not -------------------------------------------------------------------------


def failing(content, message, *args, code=5):
    result = read(content, *args, command='top', ok=False, is_coded=True)
    good = result.code == code and message in result.err and result.out == ''
    return [] if good else [f'{message}: ended with {result.code}: {result.err[:300]}']


def cut():
    """If an archive is truncated anywhere, the message names the archive, the member and the byte."""
    content = archive(contents(PROCS[:2]), 'gnu')
    names = [path.name for path in PROCS[:2]]
    end = len(content.rstrip(b'\0')) + 511 & ~511
    places = sorted({*range(0, end, 512), *(p + d for p in range(0, end, 512) for d in (1, 511)),
                     *random.Random(9).sample(range(end), 60)})

    def check(at):
        result = read(content[:at], command='top', ok=False, is_coded=True)
        what = re.search(r'all\.tar: tar-damaged: cut (in member  (\S+)|in its headers ) (\d+)\n',
                         result.err)
        if result.code != 5 or result.out or not what or int(what[3]) > at:
            return [f'cut at {at}: {result.code}: {result.err[:200]}']
        return [] if not what[2] or what[2] in names else [f'{at}: {what[2]}']

    return t.in_parallel(check, places)


def used_until_the_cut():
    content = archive(contents(PROCS[:3]))
    at = 512 + len(PROCS[0].read_bytes()) + 1024
    result = read(content[:at], '--max-skipped=1', ok=False, is_coded=True)
    alone = t.totals(PROCS[0])
    return [] if result.code == 3 and result.totals() == alone and \
        'inputs-skipped: 1 2\n' in result.out else [f'{result.code}: {result.out[:300]}']


def lying_sizes():
    """A size that a header claims takes no memory before the bytes are read."""
    content = archive(contents(PROCS[:1]))
    faults = []
    for field in (b'\x80' + (1 << 62).to_bytes(11, 'big'), b'77777777777\0'):
        for kind in (b'0', b'L', b'x', b'g', b'5'):
            with scratch() as directory:
                path = pathlib.Path(directory, 'all.tar')
                path.write_bytes(patched(content, 0, {124: field, 156: kind}))
                process = subprocess.Popen(t.command('top', '-j1', f'--tar={path}'),
                                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                out, err = process.stdout.read(), process.stderr.read()
                _, status, used = os.wait4(process.pid, 0)
                code = os.waitstatus_to_exitcode(status)
                if code != 5 or out or used.ru_maxrss > 300 << 10:
                    faults.append(f'{field!r} {kind}: {code}, {used.ru_maxrss} KiB: {err[:200]}')
    return faults


def limits():
    """The limits of a member, and of the unpacked size of a compressed archive, which is absent if members have no
    limit."""
    big, small = PERL[0].read_bytes(), PROCS[0].read_bytes()
    result = read(archive({'big': big, 'small': small}), '--max-input-size=8192',
                  '--max-skipped=1', ok=False)
    faults = [] if result.code == 3 and 'tar-member-too-large: 8192\n' in result.out and \
        result.totals() == t.totals(PROCS[0]) else [f'{result.code}: {result.out[:300]}']
    bomb = gzip.compress(archive({'small': small, 'zeros': bytes(64 << 20)}))
    faults += failing(bomb, 'all.tar: input-too-large: 33554432\n', code=7)
    result = read(bomb, '--max-input-size=100000', '--max-skipped=1', ok=False)
    return faults + ([] if result.code == 3 and result.totals() == t.totals(PROCS[0])
                     else [f'{result.code}: {result.out[:300]}'])


def wrong():
    good = archive(contents(PROCS[:1]))
    size = good[512:]
    link = patched(good, 0, {156: b'1'})
    long_name = member('././@LongLink', 1 << 21, b'L').tobuf(tarfile.GNU_FORMAT)
    bad_pax = [archive({'x': record}) for record in (b'9 path=ab\n', b'10path=ab\n', b'99 path=a\n')]
    return (failing(b'no archive at all', 'tar-damaged: cut ') +
            failing(b'x' * 5000, 'tar-not\n') +
            failing(bytes(10240), 'archive-empty') +
            failing(b'', 'tar-damaged: cut ') +
            failing(good[:100] + b'?' + good[101:], 'tar-not\n') +
            failing(good + b'?' * 512 + size, 'tar-no-header: 10240') +
            failing(patched(good, 0, {124: b'12x45678901\0'}), 'tar-damaged: tar-no-size in member') +
            failing(patched(good, 0, {124: b'\x80' + b'\xff' * 11}), 'tar-damaged: tar-no-size in member') +
            failing(link, 'tar-damaged: tar-link-with-data in member') +
            failing(long_name + bytes(1 << 21) + good, 'tar-damaged: tar-name-too-long') +
            sum((failing(patched(each, 0, {156: b'x'}), 'tar-damaged: tar-no-pax-record') for each in bad_pax), []))


def sparse_files():
    """Sparse files are reported, and the others are read."""
    good = archive(contents(PROCS[:1]))
    faults = []
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w', format=tarfile.PAX_FORMAT) as tar:
        info = member('holes', 512)
        info.pax_headers = {'GNU.sparse.major': '1', 'GNU.sparse.minor': '0'}
        tar.addfile(info, io.BytesIO(bytes(512)))
    for first in (out.getvalue(), patched(archive({'holes': bytes(512)}), 0, {156: b'S'})):
        result = read(first + good, '--max-skipped=1', ok=False, is_coded=True)
        if result.code != 3 or 'holes: tar-sparse' not in result.err + result.out or \
                result.totals() != t.totals(PROCS[0]):
            faults.append(f'{result.code}: {result.err} {result.out[:200]}')
    return faults


def many_holes():
    """Old GNU archives with more holes than the header has room for, in blocks after it."""
    with scratch() as directory:
        with open(pathlib.Path(directory, 'a'), 'wb') as file:
            for i in range(60):
                file.seek(i << 16)
                file.write(bytes(4095) + b'!')
        pathlib.Path(directory, 'b').write_bytes(PROCS[0].read_bytes())
        packed = subprocess.run(['tar', 'c', '--sparse', '--format=gnu', 'a', 'b'],
                                cwd=directory, check=True, capture_output=True).stdout
        if packed[156:157] != b'S' or packed[482] == 0:
            return ['tar made no map behind the header']
        result = read(packed, '--max-skipped=1', ok=False)
    return [] if result.code == 3 and result.totals() == t.totals(PROCS[0]) else [
        f'{result.code}: {result.err} {result.out[:200]}']


def as_any_input():
    """A file that is in it twice, files that are no dumps, an archive that only its name or its content shows, and an
    archive in an archive."""
    twice = archive({'a.heap': PROCS[0].read_bytes(), 'b.heap': PROCS[0].read_bytes()})
    other = archive({'a.heap': PROCS[0].read_bytes(), 'README': b'Hello'})
    faults = failing(twice, 'b.heap: same-dump: a.heap ', code=4)
    faults += failing(other, 'README: not-a-profile')
    faults += failing(archive({'in.tar': twice}), 'in.tar: file-tar')
    with scratch() as directory:
        path = pathlib.Path(directory, 'x.tar')
        path.write_bytes(twice)
        for args, code, sentence in (
                ([path], 4, 'b.heap: same-dump: a.heap '),
                ([shutil.copy(path, pathlib.Path(directory, 'x.dat'))], 5, 'file-tar'),
                (['--tar=/nowhere/x.tar'], 5, '/nowhere/x.tar: file-not-opened'),
                ([f'--tar={path}', '--format=text', f'--output={path}'], 2, 'output-is-input: --output= '),
                ([f'--tar={path}', '--tar=/nowhere/x.tar', '--format=text', f'--output={path}'], 2,
                 'output-is-input: --output= '),
                (['--tar=-', '--tar=-'], 2, 'stdin-twice'),
                (['--tar=-', '-'], 2, 'stdin-twice')):
            result = t.run('top', *args, is_coded=True)
            if result.code != code or sentence not in result.err:
                faults.append(f'{args}: {result.code}: {result.err}')
        if path.read_bytes() != twice:
            faults.append('the archive was replaced')
    return faults


def every_format():
    """The result is the same from a file, a pipe, a list and an archive."""
    paths = [path for path in sorted([*t.formats.glob('*.heap*'), *t.formats.glob('*.pb.gz')])]

    def check(path):
        want = t.run('info', '-v', '--no-symbols', '--damaged=use', path)
        content = path.read_bytes()
        faults = []
        for what, result in (
                ('pipe', t.run('info', '-v', '--no-symbols', '--damaged=use', '-', stdin=content)),
                ('list', t.run('info', '-v', '--no-symbols', '--damaged=use', '--files-from=-',
                               stdin=str(path).encode())),
                ('archive', read(archive({path.name: content}), '--damaged=use', ok=False))):
            if result.code != want.code or result.totals() != want.totals():
                faults.append(f'{path.name}, {what}: {result.code}: {result.err}')
        return faults

    return t.in_parallel(check, paths) or f'{len(paths)} files'


t.check('every kind of archive gives the report of its files', every_archive)
t.check("archives of the tar program are read", gnu_tar)
t.check('members have their names', names)
t.check('members have their labels and times', labels_and_times)
t.check('a member with the content of an earlier file keeps its own time', repeated_file)
t.check('an archive is read through a pipe', piped)
t.check('an archive can be the new side of a diff', sides_of_a_diff)
t.check('any order and number of threads gives the same bytes', same_bytes)
t.check('archives in one file are all read', one_after_the_other)
t.check('several archives are read', several)
t.check('numbers in every form are read', forms_of_numbers)
t.check('an archive truncated anywhere is reported', cut)
t.check('members before the truncation are used on request', used_until_the_cut)
t.check('a false size in a header takes no memory', lying_sizes)
t.check('members and archives keep their limits of size', limits)
t.check('faults of archives are reported', wrong)
t.check('sparse files are reported, and other members are read', sparse_files)
t.check('sparse files with many holes are reported, and other members are read', many_holes)
t.check('members are treated like any other input', as_any_input)
t.check('every format gives one result from a file, a pipe, a list and an archive', every_format)
t.done()

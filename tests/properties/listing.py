#!/usr/bin/env python3
"""Listings have the values that tables have for functions and lines, and read no other source than the right one."""
import collections
import gzip
import json
import os
import pathlib
import re

from harness import Tests, scratch
from profile_writer import Profile

t = Tests(is_coded=True)
PROCS = sorted((t.testdata / 'golden').glob('procs*.heap'))
CXX = [t.testdata / 'golden' / 'cxx.heap']
SYMBOLS = f'--symbol-dir={t.root}'
SOURCE = t.formats / 'alloc_c.c'  # its path was /srv/corpus/formats/alloc_c.c when it was compiled


def listing(pattern, inputs, *more):
    return json.loads(t.ok('list', '-q', '-fjson', '-n0', '--frames=all', SYMBOLS, *more, pattern,
                           *inputs).out)


def table(by, inputs):
    rows = json.loads(t.ok('top', '-q', '-fjson', '-n0', '--frames=all', f'--by={by}', SYMBOLS,
                           *inputs).out)['rows']
    return {row['name']: (row['flat']['inuse-space']['estimate'], row['cum']['inuse-space'])
            for row in rows}


def lines(inputs, pattern):
    """Each line of a listing is a row of top --by=line, with its interval."""
    want, faults, seen = table('line', inputs), [], 0
    for row in listing(pattern, inputs)['rows']:
        for line in row['lines']:
            name = f'{row["name"]} {row["file"]}:{line["line"]}'
            seen += 1
            if (line['flat'], line['cum']) != want.get(name):
                faults.append(f'{name}: {line} instead of {want.get(name)}')
    return faults + ([] if seen > 3 else ['nothing to compare'])


def functions(inputs, pattern):
    """The rows of functions that are in a single file equal the rows of top, and all rows are in order."""
    want = table('function', inputs)
    rows = listing(pattern, inputs)['rows']
    files = collections.Counter(row['name'] for row in rows)
    order = [(-row['flat'], -row['cum']['estimate'], row['name']) for row in rows]
    return [f'{row["name"]}: {row["flat"]} {row["cum"]} instead of {want[row["name"]]}'
            for row in rows if files[row['name']] == 1 and
            (row['flat'], row['cum']) != want[row['name']]] + (
                [] if order == sorted(order) and rows else [f'{order}'])


def texts(folder, *more):
    """{line: source text} of the listing of leaf_ functions."""
    report = listing('^leaf_', PROCS, f'--source-dir={folder}', *more)
    return {line['line']: line['text'] for row in report['rows'] for line in row['lines']}


def source_lines():
    text = SOURCE.read_text(encoding='utf-8').splitlines()
    return {number: text[number - 1] for number in texts('/')}


def place(folder, path, content=None):
    path = pathlib.Path(folder) / path
    path.parent.mkdir(parents=True, exist_ok=True)
    if content is None:
        content = SOURCE.read_bytes()
    path.write_bytes(content)
    return path


def found_by_its_end(folder):
    """A source is found by the longest end of its path first, at any depth, folder by folder."""
    want, faults = source_lines(), []
    for number, path in enumerate(('alloc_c.c', 'formats/alloc_c.c', 'srv/corpus/formats/alloc_c.c')):
        below = f'{folder}/{number}'
        place(below, path)
        if texts(below) != want:
            faults.append(path)
    place(folder, 'both/alloc_c.c', b'wrong\n' * 100)
    place(folder, 'both/formats/alloc_c.c')
    place(folder, 'empty/other.c')
    faults += [] if texts(f'{folder}/both') == want else ['not the longest']
    faults += [] if texts(f'{folder}/empty', f'--source-dir={folder}/both') == want else [
        'not the second']
    faults += [] if set(texts(f'{folder}/0', f'--source-dir={folder}/both').values()) == set(
        want.values()) else ['not the first']
    return faults


def missing():
    """A source that is not where a binary says it is, is reported once, with a way to find it."""
    report = listing('^leaf_', PROCS)
    found = [line['text'] for row in report['rows'] for line in row['lines']]
    shown = t.ok('list', SYMBOLS, '^leaf_', *PROCS).out
    return [] if found and not any(found) and shown.count(
        '\nno-source: not found; --source-dir=DIR looks below DIR\n') == 1 else [
            shown]


def nothing_from_outside(folder):
    """Neither links nor special files lead to a file outside."""
    secret = place(folder, 'secret.c', b'secret\n' * 100)
    faults = []
    for number, make in enumerate((
            lambda path: path.symlink_to(secret),
            lambda path: path.symlink_to('../../secret.c'),
            os.mkfifo,
            lambda path: path.mkdir(),
            lambda path: path.symlink_to('/dev/zero'),
            lambda path: path.symlink_to(path))):
        path = pathlib.Path(folder) / f'jail{number}' / 'alloc_c.c'
        path.parent.mkdir()
        make(path)
        if any(texts(path.parent).values()):
            faults.append(f'{number}: {texts(path.parent)}')
        if 'no-source: not found, nor below --source-dir' not in t.ok(
                'list', SYMBOLS, f'--source-dir={path.parent}', '^leaf_', *PROCS).out:
            faults.append(f'{number}: no reason')
    return faults


def too_large(folder):
    path = place(folder, 'large/alloc_c.c')
    os.truncate(path, (16 << 20) + 1)
    shown = t.ok('list', SYMBOLS, f'--source-dir={path.parent}', '^leaf_', *PROCS).out
    faults = [] if 'no-source: source-too-large' in shown else [shown]
    os.truncate(path, 16 << 20)
    return faults + ([] if texts(path.parent) == source_lines() else ['16 MiB are too much'])


def harmless(folder):
    """No line of a source steers a terminal, nor is it without end."""
    text = SOURCE.read_bytes().splitlines()
    number = min(texts('/'))
    text[number - 1] = b'\ta\tb\x1b[31m\x07\xff\xe2\x80\xae' + b'x' * 100000
    path = place(folder, 'harm/alloc_c.c', b'\r\n'.join(text))
    shown = t.ok('list', SYMBOLS, f'--source-dir={path.parent}', '^leaf_', *PROCS)
    line = next(line for line in shown.out.splitlines() if 'x' * 50 in line)
    faults = [] if '          a       b\\x1B[31m\\x07\\xFF\\u{202E}xxx' in line else [line[:200]]
    faults += [] if len(line) < 600 and '\r' not in shown.out else [f'{len(line)} characters']
    if any(byte < 32 and byte != 10 for byte in shown.out_bytes):
        faults.append('control characters')
    return faults


def other_version(folder):
    """Lines after the end of a source still have their values."""
    path = place(folder, 'short/alloc_c.c', b'one\ntwo\n')
    shown = t.ok('list', '--unit=B', SYMBOLS, f'--source-dir={path.parent}', '^leaf_big', *PROCS)
    wanted = listing('^leaf_big', PROCS)['rows'][0]['lines'][0]
    value = f'{round(wanted["flat"])} B'
    return [] if value in shown.out and 'two' not in shown.out else [shown.out]


# --- paths that a profile names ----------------------------------------------------------

HINT = '; --source-dir=DIR looks below DIR'
SHOWN, LINK, OTHER, MISSING = None, f'a symbolic link{HINT}', f'not called like a source{HINT}', f'not found{HINT}'


def made_up(folder):
    """Write sources and other files, some of which must not be shown: ({path in a profile: why it is not shown}, the
    profile)."""
    top = pathlib.Path(folder)
    place(folder, 'data/src/x.c', b'public\n')
    place(folder, 'gcc-12/include/c++/12/vector', b'public\n')
    secret = place(folder, 'private/secret', b'secret\n')
    for link, target in (('src', 'data/src'), ('gcc', 'gcc-12'), ('link.c', secret), ('other.c', 'data/src/x.c'), ('passwd.c', '/etc/passwd')):
        (top / link).symlink_to(target)
    (top / 'fake/include').mkdir(parents=True)
    (top / 'fake/include/c++').symlink_to(secret.parent)
    os.mkfifo(top / 'fifo.c')
    (top / 'folder.c').mkdir()
    paths = {f'{top}/data/src/x.c': SHOWN, f'{top}/src/x.c': SHOWN, f'{top}/src/../src/x.c': SHOWN, f'{top}/gcc/include/c++/12/vector': SHOWN,
             f'{top}/link.c': LINK, f'{top}/other.c': LINK, f'{top}/src/../../passwd.c': LINK, f'{top}/fake/include/c++/secret': OTHER,
             f'{secret}': OTHER, f'{top}/src/../../private/secret': OTHER, f'{top}/gcc/include/c++/../../../private/secret': OTHER,
             '/etc/passwd': OTHER, '/etc/../etc/passwd': OTHER, '/proc/self/root/etc/passwd': OTHER, f'/proc/self/root{secret}': OTHER,
             '../../../../etc/passwd': f'a relative path{HINT}', f'..{secret}': f'a relative path{HINT}', f'{secret}/.c': OTHER, f'{secret}/': OTHER,
             f'{secret}/x.c': MISSING, '/proc/self/environ.c': MISSING, f'{top}/fifo.c': MISSING, f'{top}/folder.c': MISSING, '/dev/zero.c': MISSING}
    p, path = Profile(), top / 'paths.pb.gz'
    for i, name in enumerate(paths):
        p.sample([p.location(0x1000 + i, 0, [(f'f{i}', name, 1)])], [1, 4096], 4096)
    path.write_bytes(gzip.compress(p.bytes()))
    return paths, path


def list_by_command(pattern, *more):
    return t.ok('list', '-q', '--frames=all', *more[:-1], pattern, more[-1], is_rooted=False).out


def list_by_jeprof(pattern, *more):
    return t.ok('jeprof', f'--list={pattern}', *more).out


def list_in_shell(pattern, *more):
    return t.ok('jeprof', '--interactive', *more, stdin=f'list {pattern}\n'.encode()).out


def judge(out, path, why):
    """Whether it shows the public file, or why not; and no other in any case."""
    secrets = ['secret\n', pathlib.Path('/etc/passwd').read_text(encoding='utf-8').partition('\n')[0]]
    is_good = out.count(' public\n') == 1 if why is SHOWN else ' public\n' not in out and re.search(rf' in {re.escape(str(path))}: .*\nno-source: {re.escape(why)}\n', out)
    return [] if is_good and not any(text in out for text in secrets) else [f'{path}, {why}: {out}']


def only_sources(folder, make_list):
    """The file that was opened is called like a source, and no link is in the last part of its path."""
    paths, profile = made_up(folder)
    return [fault for i, (path, why) in enumerate(paths.items()) for fault in judge(make_list(f'^f{i}$', profile), path, why)]


def held_inside(folder):
    """A link is refused also with --source-dir, below which links stay inside."""
    paths, profile = made_up(folder)
    place(folder, 'inside/private/secret', b'public\n')
    inside = pathlib.Path(folder, 'inside')
    (inside / 'other.c').symlink_to(pathlib.Path(folder, 'private/secret'))
    (inside / 'link.c').symlink_to('/private/secret')  # as chroot would have it
    wanted = {'link.c': SHOWN, 'other.c': 'a symbolic link, and not found below --source-dir', 'private/secret/x.c': 'not found, nor below --source-dir'}
    return [fault for make_list in (list_by_command, list_by_jeprof) for i, path in enumerate(paths) for name, why in wanted.items()
            if path == f'{folder}/{name}' for fault in judge(make_list(f'^f{i}$', f'--source-dir={inside}', profile), path, why)]


for data, picked in ((PROCS, '^leaf|worker|recurse|main'), (CXX, 'over|rec|main|push_back')):
    name = data[0].name
    t.check(f'{name}: lines are those of tables', lambda: lines(data, picked))
    t.check(f'{name}: functions are those of tables', lambda: functions(data, picked))
with scratch() as scratch_folder:
    t.check('a source is found by the end of its path', lambda: found_by_its_end(scratch_folder))
    t.check('a missing source is reported once', missing)
    t.check('neither links nor special files lead to a file outside', lambda: nothing_from_outside(scratch_folder))
    t.check('a source larger than 16 MiB is not read', lambda: too_large(scratch_folder))
    t.check('source lines are escaped', lambda: harmless(scratch_folder))
    t.check('lines after the end of another version of a source keep their values',
            lambda: other_version(scratch_folder))
for title, ways in (('H7: list', list_by_command), ('H2: jeprof --list', list_by_jeprof), ("H2: list of jeprof's shell", list_in_shell)):
    with scratch() as scratch_folder:
        t.check(f'{title} shows only files named like a source, and follows no link',
                lambda: only_sources(scratch_folder, ways))
with scratch() as scratch_folder:
    t.check('H7: below --source-dir links stay inside', lambda: held_inside(scratch_folder))
t.done()

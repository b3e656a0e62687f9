#!/usr/bin/env python3
"""Listings say of functions and lines what tables say, and read no other source than is meant."""
import collections
import json
import os
import pathlib

from harness import Tests, scratch

t = Tests()
PROCS = sorted((t.testdata / 'golden').glob('procs*.heap'))
CXX = [t.testdata / 'golden' / 'cxx.heap']
SYMBOLS = f'--symbol-dir={t.root}'
SOURCE = t.formats / 'alloc_c.c'  # /srv/corpus/formats/alloc_c.c for those who compiled it


def listing(pattern, inputs, *more):
    return json.loads(t.ok('list', '-q', '-fjson', '-n0', '--frames=raw', SYMBOLS, *more, pattern,
                           *inputs).out)


def table(by, inputs):
    rows = json.loads(t.ok('top', '-q', '-fjson', '-n0', '--frames=raw', f'--by={by}', SYMBOLS,
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
    """Whose functions are in one file only are rows of top."""
    want = table('function', inputs)
    rows = listing(pattern, inputs)['rows']
    files = collections.Counter(row['name'] for row in rows)
    order = [(-row['flat'], -row['cum']['estimate'], row['name']) for row in rows]
    return [f'{row["name"]}: {row["flat"]} {row["cum"]} instead of {want[row["name"]]}'
            for row in rows if files[row['name']] == 1 and
            (row['flat'], row['cum']) != want[row['name']]] + (
                [] if order == sorted(order) and rows else [f'{order}'])


def texts(folder, *more):
    """{line: text} of what is listed of leaf_ functions."""
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
    """At any depth, the longest end of its path first, folder by folder."""
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
    """What is not where a binary says is said once, and what else could be done."""
    report = listing('^leaf_', PROCS)
    found = [line['text'] for row in report['rows'] for line in row['lines']]
    shown = t.ok('list', SYMBOLS, '^leaf_', *PROCS).out
    return [] if found and not any(found) and shown.count(
        'no source: /srv/corpus/formats/alloc_c.c: not found; --source-dir=DIR looks below DIR') == 1 else [
            shown]


def nothing_from_outside(folder):
    """Neither links nor what is no plain file leads anywhere."""
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
        if ': not found, nor below --source-dir' not in t.ok(
                'list', SYMBOLS, f'--source-dir={path.parent}', '^leaf_', *PROCS).out:
            faults.append(f'{number}: no reason')
    return faults


def too_large(folder):
    path = place(folder, 'large/alloc_c.c')
    os.truncate(path, (16 << 20) + 1)
    shown = t.ok('list', SYMBOLS, f'--source-dir={path.parent}', '^leaf_', *PROCS).out
    faults = [] if 'alloc_c.c: the file is larger than 16 MiB' in shown else [shown]
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
    """Lines behind the end of a source still have their values."""
    path = place(folder, 'short/alloc_c.c', b'one\ntwo\n')
    shown = t.ok('list', '--unit=B', SYMBOLS, f'--source-dir={path.parent}', '^leaf_big', *PROCS)
    wanted = listing('^leaf_big', PROCS)['rows'][0]['lines'][0]
    value = f'{round(wanted["flat"])} B'
    return [] if value in shown.out and 'two' not in shown.out else [shown.out]


for data, picked in ((PROCS, '^leaf|worker|recurse|main'), (CXX, 'over|rec|main|push_back')):
    name = data[0].name
    t.check(f'{name}: lines are those of tables', lambda: lines(data, picked))
    t.check(f'{name}: functions are those of tables', lambda: functions(data, picked))
with scratch() as scratch_folder:
    t.check('a source is found by the end of its path', lambda: found_by_its_end(scratch_folder))
    t.check('a source that is missing is said once', missing)
    t.check('nothing is read from outside', lambda: nothing_from_outside(scratch_folder))
    t.check('no source is too large', lambda: too_large(scratch_folder))
    t.check('source lines are harmless', lambda: harmless(scratch_folder))
    t.check('a source of another version is no fault', lambda: other_version(scratch_folder))
t.done()

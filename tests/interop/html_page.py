#!/usr/bin/env python3
"""The page of an HTML report: its numbers are those of the command line, and Chromium and an unmodified Firefox show
it: with the mouse, with the keyboard only, without a script, in all themes, and with any names.

usage: html_page.py BINARY TESTDATA PEERS QUANTILES [--all]

PEERS is the folder that ./check --peers makes, QUANTILES the program beside this file's folder.  With --all every
filter is tried in every view, and the page is measured with 125,000 and 1,100,000 frames, and with 100 dumps of 10,000 stacks.
"""
import base64
import collections
import csv
import gzip
import io
import json
import os
import pathlib
import random
import re
import shlex
import subprocess
import sys
import unicodedata
import xml.etree.ElementTree

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
import pprof_tool  # noqa: E402
from harness import Tests, scratch  # noqa: E402
from peers import Node  # noqa: E402
from pprof_tool import pprof, top_of  # noqa: E402
from profile_reader import fields  # noqa: E402
from profile_writer import Profile, number  # noqa: E402
from svg_reader import HOSTILE, escaped  # noqa: E402

READS = {'html': 'Chromium and Firefox'}
HERE = pathlib.Path(__file__).resolve().parent / 'html'
t = Tests()
PEERS = pathlib.Path(sys.argv[3]).resolve()
pprof_tool.PPROF = [str(PEERS / 'pprof' / 'pprof')]
NODE = next((PEERS / 'node_modules').glob('node-linux-*/bin/node'))


def hostile(folder):
    """Every name as function, file and module; those that may be, as thread, label and name of an input."""
    profile = Profile()
    for i, name in enumerate(HOSTILE):
        mapping = profile.mapping(f'/{name}', 0x10000 * (i + 1), 0x10000 * (i + 2))
        stack = [profile.location(0x10000 * (i + 1), mapping, [(name, f'{name}.c', 1)])]
        profile.sample(stack, [i + 1, (i + 1) << 20], 1 << 20, labels=[(name, name), ('thread', name)])
    path = pathlib.Path(folder) / '<img src=x onerror=alert(1)>"\'&.pb.gz'
    path.write_bytes(gzip.compress(profile.bytes()))
    return path


def again(path):
    """The same dump, made at another time."""
    other = path.with_name('again.pb.gz')
    other.write_bytes(gzip.compress(gzip.decompress(path.read_bytes()) + number(9, 10 ** 18)))
    return other


def random_names(folder):
    """A profile of ten thousand functions, files and modules, whose names are of words with a special meaning."""
    chance, profile = random.Random(21), Profile()
    words = [*'<>&"\'`\\/=;{}()[]$#%\0\n\u2028\u202e\u2066\ufeff\x1b\x85', '<!--', '-->', ']]>', '</script>', '<script>', '${', '{{',
             'javascript:', 'onerror=', '<svg/onload=', 'alert(1)', '\U0001f4a3', '&lt;', '\\u003c', 'std::', 'operator', '__proto__']
    known = dict.fromkeys(''.join(chance.choices(words, k=chance.randrange(1, 9))) for _ in range(14000))
    for i, name in enumerate(list(known)[:10000]):
        stack = [profile.location(0, 0, [(name, name[::-1], i + 1)])]
        profile.sample(stack, [1, 1 << 20], 1 << 20)
    path = pathlib.Path(folder) / 'random.pb.gz'
    path.write_bytes(gzip.compress(profile.bytes()))
    return path


# --- what pages save --------------------------------------------------------------------------------

SVG = '{http://www.w3.org/2000/svg}'
SERVER = [str(t.testdata / 'frames' / 'server.pb.gz')]
ROCKSDB = ['--no-symbols', *(str(t.testdata / 'real' / f'dbbench_lg15.18185.{n}.i{n}.heap.gz') for n in (3, 12))]
DIFFERENCE = ['--no-symbols', str(t.testdata / 'differences' / 'leak.pb.gz')]
# The views that were copied: the command that has the same rows, and the totals of stacks; a function has its own
# totals.
ASKED = {'table': ['top', *SERVER], 'selection': ['top', '--focus=handle', '--frames=no-libs', '--cum', *SERVER],
         'function': ['top', *SERVER], 'changes': ['diff', *ROCKSDB], 'changes by cum': ['diff', '--cum', *ROCKSDB], 'difference': ['diff', *DIFFERENCE]}


def sides_of(asked):
    """The names of both sides of a diff, or of a difference of two profiles."""
    return ('shrank', 'grew') if DIFFERENCE[-1] in asked else ('base', 'new')


def close(text, number):
    return (text == '' and number is None) or (text != '' and number is not None and
                                               abs(float(text) - number) <= 1e-6 * abs(number) + 1e-3)


def csv_holds(text, asked):
    """The text has every row of the command line with its numbers, in the same order if the order is defined."""
    rows = list(csv.DictReader(io.StringIO(text)))
    theirs = json.loads(t.ok(*asked, '-q', '-fjson', '-n0', '--names=full').out_bytes)
    keys = (*sides_of(asked), 'change') if asked[0] == 'diff' else ('flat', 'cum')
    known = {(row['name'], row['class']): row for row in theirs['rows']}
    faults = [] if {(row['name'], row['class']) for row in rows} == known.keys() else ['other rows']
    for row in rows:
        wanted = known.get((row['name'], row['class']), {})
        for key in keys:
            cell = wanted.get('delta' if key == 'change' else key, {})
            cell = cell.get('inuse-space', cell)
            faults += [f'{row["name"]}: {key}{end}: {row[key + end]}, not {cell}' for end, of in
                       (('', 'estimate'), ('_low', 'low'), ('_high', 'high')) if not close(row[key + end], cell.get(of))]
        if asked[0] == 'diff' and row['status'] != wanted.get('status'):
            faults.append(f'{row["name"]}: {row["status"]}')
    return faults or f'{len(rows)} rows'


def folded_holds(what, text, asked):
    """The stacks add up to the rounded totals, and those with the same leaf to its rounded value."""
    lines = [re.fullmatch(r'(.*?) (-?\d+)(?: (-?\d+))?', line).groups() for line in text.splitlines()]
    theirs = json.loads(t.ok(*asked, '-q', '-fjson', '-n0', '--names=full').out_bytes)
    is_diff = asked[0] == 'diff'
    sides = [[int(line[1 + side]) for line in lines] for side in range(1 + is_diff)]
    if what == 'function':
        totals = [max(theirs['rows'], key=lambda row: row['flat']['inuse-space']['estimate'])['cum']['inuse-space']['estimate']]
    elif is_diff:
        totals = [theirs['total'][side]['estimate'] for side in sides_of(asked)]
    else:
        totals = [sum(row['flat']['inuse-space']['estimate'] for row in theirs['rows'])]
    faults = [f'{sum(side)}, not {total}' for side, total in zip(sides, totals) if abs(sum(side) - total) > 0.51]
    if what not in ('function', 'changes by cum'):
        held = {}
        for stack, *numbers in lines:
            name = stack.split(';')[-1]
            held[name] = held.get(name, 0) + int(numbers[-1] if is_diff else numbers[0])
        for row in theirs['rows']:
            value = (row[sides_of(asked)[1]] if is_diff else row['flat']['inuse-space'])['estimate']
            name = row['name'].replace(';', ':')
            faults += [] if abs(held.get(name, 0) - value) <= len(lines) else [f'{name}: {held.get(name)}, not {value}']
    return faults or f'{len(lines)} stacks'


def speedscope_stacks(text):
    """{names from the root: values}, one of each profile; as an export has them."""
    file, stacks = json.loads(text), collections.defaultdict(list)
    names = [frame['name'] for frame in file['shared']['frames']]
    for profile in file['profiles']:
        if sum(profile['weights']) != profile['endValue']:
            raise AssertionError(f'{profile["name"]}: another total')
        for sample, weight in zip(profile['samples'], profile['weights'], strict=True):
            stacks[tuple(names[frame] for frame in sample)].append(weight)
    return stacks


def speedscope_holds(text, folded):
    """The stacks of the folded ones; and its schema allows it."""
    clean = {' '.join([';'.join(re.sub(r' (?=\d+$)', '_', name.replace(';', ':')) for name in stack), *map(str, values)])
             for stack, values in speedscope_stacks(text).items()}
    path = pathlib.Path(scratch_folder) / 'schema.speedscope.json'
    path.write_text(text, encoding='utf-8')
    Node(PEERS).run('schema.js', PEERS / 'node_modules' / 'speedscope' / 'dist' / 'release' / 'file-format-schema.json', path)
    faults = [f'{line} is in one alone' for line in clean ^ set(folded.splitlines())]
    return faults or f'{len(clean)} stacks'


def pprof_holds(data, speedscope):
    """The newest pprof reads the same functions and totals; so do we."""
    stacks, path = speedscope_stacks(speedscope), pathlib.Path(scratch_folder) / 'saved.pb.gz'
    path.write_bytes(base64.b64decode(data))
    types, faults = [profile['name'] for profile in json.loads(speedscope)['profiles']], []
    for i, kind in enumerate(types):
        theirs, total = top_of(pprof('-top', '-unit=bytes', f'-sample_index={kind}', path, folder=scratch_folder))
        flat, cum = collections.Counter(), collections.Counter()
        for stack, values in stacks.items():
            flat[stack[-1]] += values[i]
            cum.update(dict.fromkeys(stack, values[i]))
        faults += [] if total == flat.total() else [f'{kind}: {total}, not {flat.total()}']
        faults += [f'{kind}, {name}: {theirs.get(name)}, not {flat[name], cum[name]}' for name in cum
                   if cum[name] and theirs.get(name) != (flat[name], cum[name])]
    ours = json.loads(t.ok('top', '-q', '-fjson', '-n0', '--frames=all', f'--metric={types[-1]}', path).out_bytes)
    found = {(row['name'], *(round(row[side][ours['metric']]['estimate']) for side in ('flat', 'cum'))) for row in ours['rows']}
    wanted = {(name, flat[name], cum[name]) for name in cum if cum[name]}
    return faults + [f'ours: {row} is in one alone' for row in found ^ wanted] or f'{len(cum)} functions, {len(types)} types'


def pprof_is_hostile(data, names):
    """Names that do something elsewhere are texts of the profile."""
    texts = {value.decode() for field, value in fields(gzip.decompress(base64.b64decode(data))) if field == 6}
    return [f'{name!r} is lost' for name in names if name not in texts]


def inferno_reads(text, is_diff):
    program = PEERS / 'inferno' / 'bin' / 'inferno-flamegraph'
    done = subprocess.run([program, '--minwidth=0'], input=text.encode(), capture_output=True, check=False)
    faults = [done.stderr.decode()[:300]] if done.returncode or b'WARN' in done.stderr else []
    total = sum(int(line.rsplit(' ', 1)[1]) for line in text.splitlines())
    return faults + ([] if is_diff or f'{total:,} samples'.encode() in done.stdout else [f'not {total} in all'])


def svg_holds(text):
    tree = xml.etree.ElementTree.fromstring(text)
    boxes = tree.findall(f'{SVG}g')
    widths = [float(box.find(f'{SVG}rect').get('width')) for box in boxes]
    faults = [f'{element.tag}' for element in tree.iter() if element.tag not in {SVG + tag for tag in ('svg', 'g', 'title', 'rect', 'text')}]
    faults += [name for element in tree.iter() for name in element.keys() if name.startswith('on') or 'href' in name]
    return faults + ([] if boxes and max(widths) <= float(tree.get('width')) + 0.01 else ['too wide'])


def command_holds(what, command, asked):
    """A shell accepts the command, and its report has the numbers of the page."""
    words = shlex.split(command)
    inputs = [word for word in asked[1:] if word.startswith('/') or word == '--no-symbols']
    if words[0] != 'hprof-agg' or words[-1] != 'NEW...' and words[-1] != 'INPUT...':
        return [command]
    words = words[1:words.index('BASE...') if 'BASE...' in words else -1]
    got = json.loads(t.ok(*words, '-q', '-fjson', '-n0', *inputs).out_bytes)
    if what == 'function':
        first = max(json.loads(t.ok(*asked, '-q', '-fjson').out_bytes)['rows'], key=lambda row: row['flat']['inuse-space']['estimate'])
        return [] if got['command'] == 'peek' and [row['name'] for row in got['rows']] == [first['name']] else [command]
    wanted = json.loads(t.ok(*asked, '-q', '-fjson', '-n0').out_bytes)
    return [] if got['rows'] == wanted['rows'] else [f'{command} has other rows']


def saved(folder, browser):
    path = folder / f'{browser}.json'
    if not path.exists():
        t.check(f'{browser} saves files', ['nothing is saved'])
        return
    files = json.loads(path.read_text(encoding='utf-8'))
    for what, asked in ASKED.items():
        one = files[what]
        t.check(f'{browser}, {what}: CSV has the rows of the page', lambda: csv_holds(one['heap.csv'], asked))
        t.check(f'{browser}, {what}: saved folded stacks are right',
                lambda: folded_holds(what, one['heap.folded'], asked))
        t.check(f'{browser}, {what}: speedscope\'s stacks', lambda: speedscope_holds(one['heap.speedscope.json'], one['heap.folded']))
        t.check(f'{browser}, {what}: pprof reads them', lambda: pprof_holds(one['heap.pb.gz'], one['heap.speedscope.json']))
        t.check(f'{browser}, {what}: inferno reads them', lambda: inferno_reads(one['heap.folded'], asked[0] == 'diff'))
        t.check(f'{browser}, {what}: the saved SVG is right', lambda: svg_holds(one['heap.svg']))
        t.check(f'{browser}, {what}: the copied command gives the same report',
                lambda: command_holds(what, one['command'], asked))
    t.check(f'{browser}: hostile names are inert in CSV and SVG', lambda: hostile_holds(files['hostile']))
    t.check(f'{browser}: H6: saved and copied texts do not control a terminal',
            lambda: is_clean(files['hostile'], files['hostile function']))
    t.check(f'{browser}: hostile names are texts for pprof',
            lambda: pprof_is_hostile(files['hostile']['heap.pb.gz'], map(escaped, HOSTILE)))


def hostile_holds(files):
    rows = list(csv.reader(io.StringIO(files['heap.csv'])))
    faults = svg_holds(files['heap.svg']) + [f'{len(row)} cells' for row in rows if len(row) != 8]
    faults += [cell for row in rows for cell in row[:1] if re.match(r'[=+@\t\r-]', cell)]
    shown = {text for row in rows for text in (row[0], row[0].removeprefix("'"))}
    return faults + [f'{name!r} is lost' for name in map(escaped, HOSTILE) if name not in shown]


def is_clean(*saved_files):
    texts = [(name, text) for files in saved_files for name, text in files.items() if name not in ('heap.pb.gz', 'page')]
    return [f'{name}: {c!r}' for name, text in texts for c in set(text.replace('\r\n', '\n')) if c != '\n' and unicodedata.category(c) in ('Cc', 'Cf', 'Zl', 'Zp')] + [
        f'{name}: more than one line' for name, text in texts if name == 'command' and '\n' in text]


def run(script, **environment):
    """Tests of node's, each as one of ours."""
    done = subprocess.run(
        [NODE, '--test', '--test-reporter=tap', HERE / script], capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL, timeout=1700,
        env={**os.environ, 'BINARY': t.binary, 'TESTDATA': str(t.testdata), 'PEERS': str(PEERS),
             'QUANTILES': sys.argv[4], 'ALL': '1' if '--all' in sys.argv[5:] else '', **environment})
    parts = re.split(r'^(?:    )?(not )?ok \d+ - (.*)$', done.stdout, flags=re.M)
    found = list(zip(parts[1::3], parts[2::3], parts[3::3]))
    for failed, name, text in found:
        t.check(name, text.splitlines()[:40] if failed else [])
    figures = re.findall(r'^\s*# (.*\d.*)$', done.stdout, re.M)
    print(*(f'# {figure}' for figure in figures if not re.match(r'(tests|suites|pass|fail|cancelled|skipped|todo|dur)', figure)), sep='\n')
    t.check(f'{script} runs to its end', [] if found and (done.returncode == 0) == (not any(f for f, _, _ in found))
            else [done.stdout[-2000:], done.stderr[-2000:]])


with scratch() as scratch_folder:
    shown = [escaped(name) for name in HOSTILE]
    run('numbers.js')
    run('screens.js')
    made = hostile(scratch_folder)
    run('pages.js', HOSTILE=str(made), HOSTILE_AGAIN=str(again(made)), HOSTILE_NAMES=json.dumps(shown),
        RANDOM=str(random_names(scratch_folder)), SAVED=scratch_folder)
    for name in ('Chromium', 'Firefox'):
        saved(pathlib.Path(scratch_folder), name)
t.done()

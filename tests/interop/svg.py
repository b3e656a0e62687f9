#!/usr/bin/env python3
"""Chromium opens our pictures from a file: it draws every text at the right place and width, shows the titles, and
finds the names by its search; nothing in a name is executed or loads anything.

usage: svg.py BINARY TESTDATA PEERS

PEERS is the folder that ./check --peers makes.
"""
import json
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from harness import Tests, scratch  # noqa: E402
from peers import Node  # noqa: E402
from svg_reader import HOSTILE, boxes_of, escaped, hostile_profile, parse, texts_of  # noqa: E402

READS = {'svg': 'Chromium'}
t = Tests()
node = Node(sys.argv[3])
SYMBOLS = f'--symbol-dir={t.root}'


def write(folder, name, *args):
    path = pathlib.Path(folder) / f'{name}.svg'
    t.ok(*args, '-q', '--names=full', '-o', path)
    return path


def shows(path, page):
    root = parse(path.read_bytes())
    texts, boxes = texts_of(root), boxes_of(root)
    faults = [] if [text.text for text in texts] == [text['text'] for text in page['texts']] else ['other texts']
    faults += [f'{text}: shown from {shown["left"]} to {shown["right"]}'
               for text, shown in zip(texts, page['texts'])
               if abs(shown['left'] - text.x) > 1 or abs(shown['right'] - text.x - text.width) > 1]
    titles = ['\n'.join((box.name, *box.lines)) for box in boxes]
    faults += [f'{title} is not shown' for title in set(titles) - set(page['titles'])]
    faults += [f'{text} is not found' for text, found in page['found'].items() if not found]
    return faults if faults else f'{len(texts)} texts, {len(titles)} titles, {len(page["found"])} found'


def inert(page):
    """R12: thirty hostile names are all found as plain text."""
    shown = {text['text'] for text in page['texts']}
    return [f'{name} is not there' for name in map(escaped, HOSTILE) if name not in shown]


with scratch() as scratch_folder:
    files = {'golden': write(scratch_folder, 'g', 'top', SYMBOLS, t.testdata / 'golden' / 'cxx.heap'),
             'python': write(scratch_folder, 'p', 'top', '--no-symbols', t.real / 'python_lg12.26874.0.f.heap.gz'),
             'a diff': write(scratch_folder, 'd', 'diff', SYMBOLS, t.testdata / 'golden' / 'procs1.heap',
                             t.testdata / 'golden' / 'procs4.heap'),
             'a difference': write(scratch_folder, 's', 'top', '--no-symbols', t.testdata / 'differences' / 'leak.pb.gz'),
             'hostile': write(scratch_folder, 'h', 'top', hostile_profile(scratch_folder))}
    pages = json.loads(node.run('browser.js', 'svg', *files.values()))
    for (what, file), shown_page in zip(files.items(), pages, strict=True):
        t.check(f'{what}: Chromium shows and finds all texts', lambda: shows(file, shown_page))
    t.check('R12: thirty hostile names are shown as text', lambda: inert(pages[-1]))
t.done()

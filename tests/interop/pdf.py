#!/usr/bin/env python3
"""qpdf finds no fault in our pages; poppler finds the texts at the same places as in the SVG, as wide as we measured
them, by its own character widths; and the same boxes are drawn.

usage: pdf.py BINARY TESTDATA
"""
import collections
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from harness import Tests, scratch  # noqa: E402
from svg_reader import NS, boxes_of, hostile_profile, parse, texts_of  # noqa: E402

READS = {'pdf': 'poppler'}
t = Tests()
HTML = '{http://www.w3.org/1999/xhtml}'
Word = collections.namedtuple('Word', 'text left right')


def tool(*args):
    done = subprocess.run(list(map(str, args)), capture_output=True, check=False)
    if done.returncode != 0 or done.stderr:
        raise AssertionError(f'{args[0]}: {done.returncode}, {done.stdout[-500:]}{done.stderr[-500:]}')
    return done.stdout


def write(folder, *args):
    """Write both pictures of a report: (root of the SVG, path of the PDF)."""
    path = pathlib.Path(folder) / 'x.pdf'
    t.ok(*args, '-q', '-o', path)
    return parse(t.ok(*args, '-q', '-fsvg').out_bytes), path


def words_in(path):
    """The words of a page; characters that XML does not allow, but poppler writes, are removed."""
    text = tool('pdftotext', '-bbox', path, '-').decode('utf-8', 'replace')
    page = xml.etree.ElementTree.fromstring(re.sub(r'<!DOCTYPE[^>]*>', '', text)).find(f'.//{HTML}page')
    words = collections.defaultdict(list)
    for word in page.iter(f'{HTML}word'):
        words[word.text].append(Word(word.text, float(word.get('xMin')), float(word.get('xMax'))))
    return words, float(page.get('width')), float(page.get('height'))


def texts(folder, *args):
    root, path = write(folder, *args)
    tool('qpdf', '--check', path)
    words, width, height = words_in(path)
    faults, seen = [], 0
    if [width, height] != [float(root.get('width')), float(root.get('height'))]:
        faults.append(f'{width} x {height}')
    for text in texts_of(root):
        first, *_, last = [''] + text.text.split(' ')
        if not text.text.split(' ')[0]:
            continue
        begins = [word for word in words[text.text.split(' ')[0]] if abs(word.left - text.x) < 0.02]
        ends = [word for word in words[last] if abs(word.right - text.x - text.width) < 0.02]
        seen += 1
        if not begins or not ends:
            faults.append(f'{text}: begins {begins}, ends {ends}')
    return faults if faults else f'{seen} texts'


def boxes(folder, *args):
    root, path = write(folder, *args)
    drawn = tool('qpdf', '--qdf', '--stream-data=uncompress', path, '-').decode('latin-1')
    height = float(root.get('height'))
    plain, hatchings = re.subn(r'/Pattern cs /H scn\n[^\n]* re\nf\n', '', drawn)
    found = collections.Counter(tuple(map(float, match)) for match in re.findall(
        r'([\d.]+) ([\d.]+) ([\d.]+) 16 re\n(?:b|f)\n', plain))
    wanted = collections.Counter((box.left, round(height - box.top - 16, 2), round(box.right - box.left, 2))
                                 for box in boxes_of(root))
    hatched = hatchings - sum(path.get('fill') == 'url(#hatch)' for path in root.iter(f'{NS}path'))
    return [f'{box}: {found[box]} times, not {wanted[box]}' for box in found.keys() | wanted.keys()
            if found[box] != wanted[box]] + ([f'{hatched} hatched too many'] if hatched else [])


def hostile(folder):
    """R12: no name ends its string; characters that are not in the font become question marks, with a note."""
    path = pathlib.Path(folder) / 'h.pdf'
    t.ok('top', '-q', '--names=full', '-o', path, hostile_profile(folder))
    tool('qpdf', '--check', path)
    lines = tool('pdftotext', '-raw', path, '-').decode().splitlines()
    drawn = tool('qpdf', '--qdf', '--stream-data=uncompress', path, '-').decode('latin-1')
    wanted = (') Tj ET Q (', '\\) /JS (app.alert(1)) \\', '<script>alert(1)</script>', '\\x1B]0;title\\x07',
              'a\\x0Ab\\x0Dc\\x09d', '\\u{202E}gpj.exe', '???', '? stands for what is not in Latin-1')
    faults = [f'{text} is not in {lines}' for text in wanted if not any(text in line for line in lines)]
    # Between the strings are numbers, names of ours and operators.
    code = re.sub(r'\((?:[^()\\]|\\.)*\) Tj', '', drawn[drawn.index('cm\n'):drawn.index('endstream', drawn.index('cm\n'))])
    strange = set(re.findall(r'[A-Za-z/*]+', code)) - set('cm rg RG re f b BT ET Tf Td w d l m s S n /F /H /Pattern cs scn'.split())
    return faults + [f'operator {word}' for word in strange]


SYMBOLS = f'--symbol-dir={t.root}'
with scratch() as scratch_folder:
    for what, *arguments in (
            ('golden', 'top', SYMBOLS, t.testdata / 'golden' / 'cxx.heap'),
            ('python', 'top', '--no-symbols', t.real / 'python_lg12.26874.0.f.heap.gz'),
            ('a difference of two profiles', 'top', '--no-symbols', t.testdata / 'differences' / 'leak.pb.gz'),
            ('a diff', 'diff', '--no-symbols', t.real / 'dbbench_lg15.18185.3.i3.heap.gz',
             t.real / 'dbbench_lg15.18185.12.i12.heap.gz')):
        t.check(f'{what}: texts are at their measured places', lambda: texts(scratch_folder, *arguments))
        t.check(f'{what}: boxes are those of the SVG', lambda: boxes(scratch_folder, *arguments))
    t.check('R12: hostile names are shown as text', lambda: hostile(scratch_folder))
t.done()

#!/usr/bin/env python3
"""Markdown is read by cmark-gfm, which is GitHub's, and with PEERS by markdown-it and marked: tables are tables, with
our values and names, and no name contains markup that takes effect.  The same holds for the input of
github-action-benchmark, and for the comments that it writes.

usage: markdown.py BINARY TESTDATA [PEERS]

PEERS is the folder that ./check --peers makes.
"""
import gzip
import html.parser
import json
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from harness import Tests, scratch  # noqa: E402
from peers import Node  # noqa: E402
from profile_writer import Profile  # noqa: E402
from svg_reader import HOSTILE, escaped  # noqa: E402

READS = {'markdown': 'cmark-gfm', 'benchmark': 'cmark-gfm, of the tables that github-action-benchmark makes'}
t = Tests()
node = Node(sys.argv[3]) if len(sys.argv) > 3 else None
GOLDEN = t.testdata / 'golden'
SYMBOLS = f'--symbol-dir={t.root}'
# GitHub's settings, except that HTML is passed through, since there must be none.
CMARK = ['cmark-gfm', '--unsafe', *(word for name in ('table', 'autolink', 'strikethrough', 'tasklist')
                                    for word in ('-e', name))]
ALLOWED = {'table': '', 'thead': '', 'tbody': '', 'tr': '', 'th': 'align style', 'td': 'align style',
           'code': 'class', 'pre': 'lang'}
# Names that mean something in Markdown or to GitHub, in addition to those that mean something in HTML.
NAMES = HOSTILE + [
    '|', 'a|b', '||', 'a\\|b', 'a\\\\|b', '\\|', 'a\\', '`', '``', '`a', 'a`', 'a``b`c', '`|`', '``` js', '~~~',
    ' a ', 'a  b', '@user', '@org/team', '#1', 'user/repo#1', 'GH-1', 'https://127.0.0.1/x', 'www.example.com',
    'a@example.com', '**bold**', '_x_ *y*', '~~x~~', '[x](javascript:alert(1))', '![x](http://127.0.0.1/x)', '[ ]',
    '&amp; &#35;1', '$x$ $`y`$', ':smile:', '# x', '- x', '| a | b |', '|---|---|', '</code></td>', '\n\n# x\n',
    '[^1]', '<@U123>', '0123456789abcdef0123456789abcdef01234567', 'std::vector<int, a<b>>::operator[](f&&) const']


class Page(html.parser.HTMLParser):
    """The tables of a page as rows of (text, whether all of it is code), and elements that must not be in it."""

    def __init__(self, source):
        super().__init__(convert_charrefs=True)
        self.tables, self.blocks, self.faults, self.open = [], [], [], []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag, attrs):
        strange = [name for name, _ in attrs if name not in ALLOWED.get(tag, '').split()]
        if tag not in ALLOWED or strange:
            self.faults.append(f'<{tag} {attrs}> inside {self.open}')
        if tag == 'table':
            self.tables.append([])
        elif tag == 'tr':
            self.tables[-1].append([])
        elif tag in ('td', 'th'):
            self.tables[-1][-1].append(['', ''])
        elif tag == 'pre':
            self.blocks.append('')
        self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f'</{tag}> that was not open')

    def handle_comment(self, data):
        self.faults.append(f'<!--{data}-->')

    handle_decl = handle_pi = unknown_decl = handle_comment

    def handle_data(self, data):
        if 'pre' in self.open:
            self.blocks[-1] += data
        elif 'td' in self.open or 'th' in self.open:
            self.tables[-1][-1][-1]['code' not in self.open] += data
        elif data.strip():
            self.faults.append(f'{data!r} beside tables and blocks')

    def rows(self):
        """The rows of all tables: {title: cell}; the name is only its code."""
        found = []
        for titles, *rows in self.tables:
            names = [plain for _, plain in titles]
            for row in rows:
                self.faults += [] if len(row) == len(names) else [f'{len(row)} cells: {row}']
                self.faults += [f'{row[-1]} is not all code'] if row[-1][1] and row[-1][0] else []
                found.append({'name': row[-1][0], **dict(zip(names, (plain for _, plain in row)))})
        return found


def pages_of(folder, texts):
    """{name: [page of each reader]} of {name: Markdown}."""
    files = {}
    for i, (name, text) in enumerate(texts.items()):
        files[name] = pathlib.Path(folder) / f'{i}.md'
        files[name].write_bytes(text.encode() if isinstance(text, str) else text)
    pages = {name: [Page(subprocess.run([*CMARK, path], capture_output=True, check=True, text=True).stdout)]
             for name, path in files.items()}
    rendered = json.loads(node.run('markdown.mjs', *files.values())) if node else {}
    for name, path in files.items():
        pages[name] += [Page(text) for text in rendered.get(str(path), [])]
    return pages


def write(*args):
    return t.ok(*args, '-q', '-fmarkdown').out_bytes


def hostile(folder, names=NAMES):
    """A profile with a stack of two calls for each name, called by the first of all."""
    p, path = Profile(), pathlib.Path(folder) / f'`@user <img src=x> |{len(names)}.pb.gz'
    root = p.location(0x10, 0, [('main', 'm.c', 1)])
    for i, name in enumerate(names):
        at = p.location(0x1000 + i, 0, [(name, f'{i}`|<b>.c', 1)])
        p.sample([at, root], [1, 1 << 20], (len(names) - i) << 20)
    path.write_bytes(gzip.compress(p.bytes()))
    return path


def as_shown(name):
    return escaped(name).replace('\\|', '\\x5C|')


# --- values -------------------------------------------------------------------------------


def same_rows(page, args):
    """The rows of a table as tab-separated ones have them."""
    titles, *lines = [line.split('\t') for line in t.ok(*args, '-q', '--names=full', '-ftsv').out.splitlines()]
    wanted = [dict(zip(titles, line)) for line in lines]
    rows = page.rows()
    faults = page.faults + ([] if len(rows) == len(wanted) else [f'{len(rows)} rows instead of {len(wanted)}'])
    for row, other in zip(rows, wanted):
        name = row['name'].removeprefix('new: ').removeprefix('gone: ')
        for key in ('flat', 'new', 'grew', 'shrank'):
            value = float(other.get(key, 0))
            shown = float(re.sub('[ B,]', '', row.get(key, '0')).replace('-', '0') or 0)
            if abs(shown - value) > 0.501 or name != other['name']:
                faults.append(f'{row} instead of {value} {other["name"]}')
    return faults or f'{len(rows)} rows'


TABLES = {
    'top': ('top', '-n0', SYMBOLS, GOLDEN / 'cxx.heap'),
    'top by line, by cum': ('top', '-n0', '--cum', '--by=line', SYMBOLS, GOLDEN / 'procs1.heap'),
    'diff': ('diff', '-n0', SYMBOLS, GOLDEN / 'procs1.heap', GOLDEN / 'procs4.heap'),
    'a difference of two profiles': ('top', '-n0', '--no-symbols', '--frames=all', t.testdata / 'differences' / 'leak.pb.gz'),
    'hundreds of rows': ('top', '-n0', '--no-symbols', t.real / 'python_lg12.26874.0.f.heap.gz'),
}
REPORTS = {'top': (), 'tree': (), 'peek': ('.',), 'stacks': (), 'list': ('.',), 'info': ()}


def inert(page):
    """Every name is in the tables, as plain text."""
    rows = page.rows()
    shown = {row['name'].replace('\u00a0', ' ').strip() for row in rows}
    return page.faults + [f'{name!r} is not there' for name in NAMES
                          if as_shown(name).strip() not in shown]


with scratch() as folder:
    sheets = {what: write(*args, '--names=full', '--unit=B') for what, args in TABLES.items()}
    for what, readers in pages_of(folder, sheets).items():
        for page in readers:
            t.check(f'{what}: names and values are ours', lambda: same_rows(page, TABLES[what]))

    source = hostile(folder)
    sheets = {what: write(what, *args, source, '-n0', '--names=full') if what != 'info' else write(what, source)
              for what, args in REPORTS.items()}
    sheets['diff'] = write('diff', '-n0', '--names=full', '--frames=all', hostile(folder, ['x']), '--to', source)
    sheets['raw'] = write('top', '-n0', '--names=full', '--frames=all', source)
    for what, readers in pages_of(folder, sheets).items():
        for page in readers:
            if what == 'raw':
                t.check(f'{len(NAMES)} hostile names are unchanged in code', lambda: inert(page))
            t.check(f'{what}: names make no HTML, link or mark', lambda: page.rows() is None or page.faults)
            t.check(f'{what}: {len(page.tables)} tables, {len(page.blocks)} blocks',
                    [] if (page.tables != []) == (what not in ('stacks', 'list')) and page.blocks else
                    ['none of one'])

    # --- benchmark ------------------------------------------------------------------------

    # The fields that its README documents, and the ranges that it recognizes.
    KEYS = {'name': str, 'unit': str, 'value': (int, float), 'range': str, 'extra': str}
    RANGE = re.compile(r'(\+-|±)\s*(\d.+)')

    def benchmark(*args):
        return json.loads(t.ok('top', '-q', '-fbenchmark', *args).out_bytes)

    def is_read(*args):
        entries = benchmark(*args)
        faults = [f'{entry}' for entry in entries
                  if not {'name', 'unit', 'value'} <= set(entry) <= set(KEYS)
                  or not all(isinstance(value, KEYS[key]) for key, value in entry.items())]
        names = [entry['name'] for entry in entries]
        faults += [] if len(names) == len(set(names)) else ['two of one name']
        halves = [RANGE.match(entry.get('range', '')) for entry in entries]
        return faults + [f'no number: {half[0]}' for half in halves if half and not half[2].isdigit()]

    def same_values(*args):
        report = json.loads(t.ok('top', '-q', '-fjson', *args).out_bytes)
        metric, (total, *entries) = report['metric'], benchmark('--names=full', *args)
        rows = [(metric, report['total'][metric])]
        rows += [(f'{metric}: {row["name"]}', row['flat'][metric]) for row in report['rows']]
        faults = [] if len(rows) == 1 + len(entries) else ['another number of rows']
        for entry, (name, wanted) in zip([total, *entries], rows):
            half = RANGE.match(entry.get('range', ''))
            ends = [entry['value'] - int(half[2]), entry['value'] + int(half[2])] if half else \
                [int(end) for end in re.findall(r'\d+', entry.get('range', ''))]
            low, high = ends if len(ends) == 2 else (wanted['estimate'] - 1, wanted['estimate'] + 1)
            if (entry['name'] != name or abs(entry['value'] - wanted['estimate']) > 0.501 or
                    (len(ends) == 2 and (low > wanted['low'] + 1 or high < wanted['high'] - 1))):
                faults.append(f'{entry} instead of {name} {wanted}')
        return faults or f'{len(rows)} measurements'

    def comment(entries):
        """The table of a comment, as it puts it together."""
        rows = [f"| `{e['name']}` | `{e['value']}` {e['unit']}" +
                (f" (`{e['range']}`)" if 'range' in e else '') + ' | `1.00` |' for e in entries]
        return '\n'.join(['| Benchmark suite | Current: 1 | Ratio |', '|-|-|-|', *rows, ''])

    for what, args in {'bytes': ('-n0', SYMBOLS, GOLDEN / 'cxx.heap'),
                       'objects': ('-n0', SYMBOLS, '--metric=inuse-objects', GOLDEN / 'procs1.heap'),
                       'no error': ('-n0', SYMBOLS, '--confidence=none', GOLDEN / 'procs1.heap')}.items():
        t.check(f'benchmark, {what}: keys and types are what the action reads', lambda: is_read(*args))
        if what == 'bytes':
            t.check(f'benchmark, {what}: values and intervals are those of JSON', lambda: same_values(*args))
    moments = benchmark('--dumps=each', SYMBOLS, *sorted((GOLDEN / 'series').glob('*.heap')))
    t.check('benchmark: dumps of a series have no shares of a total',
            [f'{entry}' for entry in moments if 'extra' in entry])
    measured = benchmark('-n0', '--frames=all', source)
    names_shown = {f'inuse-space: {escaped(name)}'.replace('|', '\\x7C').replace('`', '\\x60') for name in NAMES}
    t.check('benchmark: hostile names are unchanged, except characters that end a cell or code',
            [f'{name} is not there' for name in names_shown - {entry['name'] for entry in measured}])
    for page in pages_of(folder, {'': comment(measured)})['']:
        bad = page.faults + [f'{len(row)} cells: {row}' for row in page.tables[0] if len(row) != 3]
        t.check('benchmark: names are inert in its comments', bad)
t.done()

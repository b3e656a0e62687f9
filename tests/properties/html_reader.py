"""A second reader of HTML reports, in Python, after schema/html.md; it begins with the element of the data."""
import base64
import collections
import functools
import gzip
import html.parser
import json
import re

from intervals import gamma_quantile

VOID = {'meta', 'br', 'link', 'img', 'input', 'hr'}
KEYS = 'bytes objects variance objects_variance observed hidden excess samples period weight flags'.split()


class Document(html.parser.HTMLParser):
    """The elements of a page in the order of their beginnings; syntax errors are in `faults`."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.open, self.faults, self.comments = [], [], [], 0
        self.feed(text)
        self.close()
        for element in self.elements:
            element['text'] = ''.join(element['text'])
        self.faults += [f'<{element["tag"]}> is not closed' for element in self.open]

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        if len(set(names)) != len(names):
            self.faults.append(f'<{tag}> has an attribute twice')
        element = {'tag': tag, 'attrs': dict(attrs), 'text': [], 'depth': len(self.open)}
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag):
        if not self.open or self.open[-1]['tag'] != tag:
            self.faults.append(f'</{tag}> closes nothing')
        else:
            self.open.pop()

    def handle_data(self, data):
        for element in self.open:
            element['text'].append(data)

    def handle_comment(self, data):
        self.comments += 1

    def all(self, tag):
        return [element for element in self.elements if element['tag'] == tag]

    def by_id(self, name):
        found = [element for element in self.elements if element['attrs'].get('id') == name]
        return found[0] if found else None


def data_of(page):
    """The JSON of a report, which is bytes."""
    found = re.search(rb'<script id="data" type="application/json" data-encoding="([a-z0-9+]+)">(.*?)</script>', page, re.S)
    encoding, text = found.groups()
    if encoding == b'gzip+base64':
        text = gzip.decompress(base64.b64decode(text))
    return json.loads(text.decode('utf-8'))


def running(numbers):
    total, out = 0, []
    for number in numbers:
        total += number
        out.append(total)
    return out


class Sum:
    """The sum of stacks in one column."""
    __slots__ = ('of',)

    def __init__(self):
        self.of = [0] * len(KEYS)

    def add(self, other):
        mine = self.of
        for i in (0, 1, 2, 3, 4, 5, 6, 7):
            mine[i] += other[i]
        mine[8], mine[9] = max(mine[8], other[8]), max(mine[9], other[9])
        mine[10] |= int(other[10])


@functools.lru_cache(maxsize=200000)
def quantile(shape, lower=None, upper=None):
    return gamma_quantile(shape, lower=lower, upper=upper)


def interval(data, column, total, kind, among=1):
    """(low, high) of a Sum's numbers; None where nothing is known."""
    sums = dict(zip(KEYS, total))
    value = sums[kind]
    if column['intervals'] == 'none':
        return None, None
    if column['intervals'] == 'exact':
        return value, value
    period = sums['period'] if sums['samples'] else column['period']
    is_bytes = kind == 'bytes'
    known = is_bytes or (sums['flags'] == 0 and (sums['samples'] > 0 or period == 0))
    if not known and not (sums['samples'] > 0 and not int(sums['flags']) & 4):
        return None, None
    variance, seen, weight, hidden, excess = (
        (sums['variance'], sums['observed'], period, sums['hidden'], sums['excess']) if is_bytes else
        (sums['objects_variance'], sums['samples'], sums['weight'], 0, 0))
    alpha = 1 - data['confidence']
    lowest, highest = max(value - excess, 0), value + hidden
    if lowest <= 0 or variance <= 0:
        low = max(lowest, seen)
    else:
        low = max(variance / lowest * quantile(lowest ** 2 / variance, lower=alpha / 2 / among), seen)
    if variance <= 0 and weight <= 0:
        high = highest
    else:
        certain = max(min(seen, highest), 0)
        mean, variance = highest - certain + weight, variance + weight ** 2
        high = max(certain + variance / mean * quantile(mean ** 2 / variance, upper=alpha / 2), highest)
    return min(low, high), high if known else None


def side_interval(data, column, total, kind, flags):
    """The interval of one side of a comparison, with the flags of both sides."""
    sums = dict(zip(KEYS, total))
    if column['intervals'] == 'none' or (kind == 'objects' and flags):
        return None, None
    seen = sums['samples'] > 0
    sums['period'] = sums['period'] if seen else column['period']
    sums['weight'] = sums['weight'] if seen else column['weight']
    sums['samples'] = sums['samples'] or (1e-300 if kind == 'objects' else 0)  # known, although nothing was seen
    return interval(data, column, [sums[key] for key in KEYS], kind)


class Report:
    def __init__(self, data):
        self.data = data
        self.columns = data['columns']
        self.values = [list(zip(*(column['values'][key] for key in KEYS))) for column in self.columns]
        self.ends = running(data['ends']['node'])
        self.sums_of = dict(zip(self.ends, zip(*data['ends']['sums'])))
        self.matched = {}

    def string(self, number):
        return self.data['strings'][number]

    def short_names(self):
        return [self.string(number) for number in self.data['names']['short']]

    def key(self, name):
        """(name, class) of a number of names."""
        names = self.data['names']
        return self.string(names['text'][name]), (self.data['classes'] + [None])[names['class'][name]]

    def numbers(self):
        return {self.key(name): name for name in range(len(self.data['names']['text']))}

    def frame(self, number, key):
        return self.data['frames'][key][number]

    def stacks(self):
        """(frames from the root, numbers of sums) of each end."""
        path = []
        depth = 0
        for node, (step, frame) in enumerate(zip(self.data['nodes']['depth'], self.data['nodes']['frame'])):
            depth += step
            del path[depth - 1:]
            path.append(frame)
            if node in self.sums_of:
                yield path, self.sums_of[node]

    def matches(self, pattern, frame):
        key = pattern, frame
        if key not in self.matched:
            functions = self.data['functions']
            function = self.frame(frame, 'function')
            texts = [self.string(functions['match'][function]), self.string(functions['short'][function]),
                     self.string(self.frame(frame, 'file')), self.string(self.frame(frame, 'module'))]
            name = self.string(self.data['names']['text'][self.frame(frame, 'name')])
            texts += [name] if name in ('[truncated]', '[empty stack]') else []
            self.matched[key] = any(text and re.search(pattern, text) for text in texts)
        return self.matched[key]

    def shown(self, path, folds):
        """Frames that are shown, from the leaf on."""
        classes, hidden = self.data['frames']['class'], self.data['frames']['hidden']
        frames = [frame for frame in reversed(path) if frame != self.data['truncated']]
        folded = [folds >> classes[frame] & 1 for frame in frames]
        count = range(len(frames))
        nearest = next((i for i in count if not folded[i]), None)
        allocating = next((i for i in count if not (folded[i] and classes[frames[i]] == 1)), len(frames) - 1)
        kept = None
        if (nearest is None or classes[frames[nearest]] == 0) and folded[allocating]:
            kept = allocating
        return [frames[i] for i in count if (not folded[i] or i == kept) and not hidden[frames[i]]]

    def rows(self, view=None, focus=None, ignore=None):
        """{name: (flat sums, cum sums)}, sums one of each column; and the sums of all that is left."""
        folds = self.data['views'][view or self.data['view']]
        names = self.data['frames']['name']
        rows = collections.defaultdict(lambda: ([Sum() for _ in self.columns], [Sum() for _ in self.columns]))
        total = [Sum() for _ in self.columns]
        for path, sums in self.stacks():
            if ignore and any(self.matches(ignore, frame) for frame in path):
                continue
            if focus and not any(self.matches(focus, frame) for frame in path):
                continue
            shown = self.shown(path, folds)
            if not shown:
                continue
            for column, number in enumerate(sums):
                values = self.values[column][number]
                rows[names[shown[0]]][0][column].add(values)
                for name in {names[frame] for frame in shown}:
                    rows[name][1][column].add(values)
                total[column].add(values)
        return rows, total

    def among(self, rows, column, by_cum):
        found = [0, 0, 0, 0]
        for sums in rows.values():
            found[min(int(sums[by_cum][column].of[KEYS.index('samples')]), 3)] += 1
        return sum(found[1:]) + found[1] * (found[1] - 1) / (2 * (found[2] + 1))

    def table(self, view=None, focus=None, ignore=None, sort='flat'):
        """{(name, class): {metric: ((flat, low, high), (cum, low, high))}} of rows that hold anything."""
        rows, _ = self.rows(view, focus, ignore)
        names, classes = self.data['names'], self.data['classes'] + [None]
        among = [self.among(rows, i, sort == 'cum') if column['chosen'] and sort != 'name' else 1
                 for i, column in enumerate(self.columns)]
        table = {}
        for name, sums in rows.items():
            cells = {}
            for metric in self.data['metrics']:
                i, kind = metric['column'], metric['kind']
                values = [side[i].of[KEYS.index(kind)] for side in sums]
                ends = []
                for cum, side in enumerate(sums):
                    is_chosen = (cum == (sort == 'cum')) or math_equal(values[0], values[1])
                    m = (among[i] if is_chosen else 1) * self.data['choices']
                    ends.append((values[cum], *interval(self.data, self.columns[i], side[i].of, kind, m)))
                cells[metric['name']] = tuple(ends)
            if any(end[0] for cell in cells.values() for end in cell):
                table[self.string(names['text'][name]), classes[names['class'][name]]] = cells
        return table


    def changes(self, view=None, focus=None, ignore=None, sort='flat'):
        """{(name, class): {metric: (base, new)}}, each with its ends, of rows that hold anything of it; of a diff."""
        rows, _ = self.rows(view, focus, ignore)
        names, classes = self.data['names'], self.data['classes'] + [None]
        table = collections.defaultdict(dict)
        for name, sums in rows.items():
            side = sums[sort == 'cum']
            for metric in self.data['metrics']:
                kind, both = metric['kind'], (metric['base'], metric['column'])
                totals = [side[i].of for i in both]
                flags = int(totals[0][-1]) | int(totals[1][-1])
                cells = tuple((total[KEYS.index(kind)], *side_interval(self.data, self.columns[i], total, kind, flags))
                              for i, total in zip(both, totals))
                if cells[0][0] or cells[1][0]:
                    table[self.string(names['text'][name]), classes[names['class'][name]]][metric['name']] = cells
        return dict(table)

    def tested(self, sort):
        """{(name, class): (low, high, p, q, significant)} as the command has found them."""
        names, classes, found = self.data['names'], self.data['classes'] + [None], self.data['comparison'][sort]
        return {(self.string(names['text'][name]), classes[names['class'][name]]): numbers
                for name, *numbers in zip(*(found[key] for key in ('name', 'low', 'high', 'p', 'q', 'significant')))}

    def dumps(self):
        """A Report of each dump of a series."""
        held = [sums[0] for sums in self.sums_of.values()]
        for number in range(len(self.data['series']['dumps']['name'])):
            changes = self.data['series']['changes'][number - 1] if number else {'stack': [], 'sum': []}
            for end, value in zip(running(changes['stack']), changes['sum']):
                held[end] = value
            self.sums_of = {end: (value,) for end, value in zip(self.ends, held)}
            yield self

    def boxes(self):
        """{names from the root: (low, high, p)}"""
        boxes, paths = self.data['comparison']['boxes'], []
        for name, parent in zip(boxes['name'], boxes['parent']):
            paths.append((paths[parent] if parent >= 0 else ()) + (name,))
        return dict(zip(paths, zip(boxes['low'], boxes['high'], boxes['p'])))


def math_equal(a, b):
    """Whether two sums agree that were added up in different orders."""
    return abs(a - b) <= 1e-11 * max(abs(a), abs(b))

#!/usr/bin/env python3
"""Graphs of calls as pictures: faults that a reader would see are looked for in the SVG; the numbers have to be those
of --dot; and at most half more lines may cross than in Graphviz's picture of the same graph.

By hand, any dumps, with crossings and sizes of both: graphs.py BINARY TESTDATA DUMPS..."""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time
import xml.etree.ElementTree

from harness import Tests, scratch
from rooted import gone
from svg_reader import HOSTILE, escaped, hostile_profile, parse, strange

t = Tests()
SVG = '{http://www.w3.org/2000/svg}'
CLOSE = .03         # points: three roundings
ASCENT, DESCENT = .72, .21  # heights of letters, as shares of their size
PROGRAMS = ('clang_json', 'dbbench_lg15.18185.12', 'gdb', 'git_gc', 'mariadbd_lg14.15432.12', 'node',
            'perl_lg12.12936', 'postgres', 'python', 'redis_lg13.27533.11')
DUMPS = [t.formats / 'jemalloc-cxx.heap', t.formats / 'jemalloc-clickhouse.heap',
         t.formats / 'gperftools-heapprofile.heap', t.formats / 'go-protobuf.pb.gz',
         *(path for name in PROGRAMS for path in sorted(t.real.glob(f'{name}*.heap.gz')))]

# --- geometry ---------------------------------------------------------------------------


def overlap(a, b):
    """Whether two areas (left, top, right, bottom) have more than a border in common."""
    return (a[0] + CLOSE < b[2] and b[0] + CLOSE < a[2] and
            a[1] + CLOSE < b[3] and b[1] + CLOSE < a[3])


def passes(line, area):
    """Whether a part of the line is inside of the area (Liang and Barsky)."""
    left, top, right, bottom = area
    left, top, right, bottom = left + CLOSE, top + CLOSE, right - CLOSE, bottom - CLOSE
    for (ax, ay), (bx, by) in zip(line, line[1:]):
        first, last = 0, 1
        for step, room in ((ax - bx, ax - left), (bx - ax, right - ax),
                           (ay - by, ay - top), (by - ay, bottom - ay)):
            if step == 0:
                last = last if room > 0 else -1
            elif step < 0:
                first = max(first, room / step)
            else:
                last = min(last, room / step)
        if first < last:
            return True
    return False


def side(a, b, c):
    area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    return (area > 1e-9) - (area < -1e-9)


def crossings(lines):
    """The number of crossings between the lines."""
    count, parts = 0, []
    for number, line in enumerate(lines):
        parts += [(min(a[1], b[1]), max(a[1], b[1]), number, a, b) for a, b in zip(line, line[1:])]
    parts.sort()
    for i, (_, bottom, number, a, b) in enumerate(parts):
        for top, _, other, c, d in parts[i + 1:]:
            if top > bottom:
                break
            count += (other != number and side(a, b, c) * side(a, b, d) < 0 and
                      side(c, d, a) * side(c, d, b) < 0)
    return count


# --- pictures ---------------------------------------------------------------------------


def points(path):
    """The points of a path such as "M1 2L3 4z", or of a box "M1 2h3v4h-3z"."""
    return [(float(x), float(y)) for x, y in re.findall(r'[ML](-?[\d.]+) (-?[\d.]+)', path)]


def box_of(path):
    x, y, width, height = map(float, re.match(r'M(\S+) (\S+)h(\S+)v(\S+)h', path).groups())
    return x, y, x + width, y + height


def area_of(text):
    """The area that the letters of a <text> cover."""
    x, y, size, width = (float(text.get(key)) for key in ('x', 'y', 'font-size', 'textLength'))
    x -= {'middle': width / 2, 'end': width}.get(text.get('text-anchor'), 0)
    return x, y - ASCENT * size, x + width, y + DESCENT * size


class Picture:
    """The nodes and edges of an SVG of ours."""

    def __init__(self, svg):
        root = xml.etree.ElementTree.fromstring(svg)
        self.width, self.height = (float(root.get(key)) for key in ('width', 'height'))
        self.nodes, self.edges = [], []
        self.head = [area_of(text) for text in root.findall(f'{SVG}text')]
        for group in root.iter(f'{SVG}g'):
            paths = [path.get('d') for path in group.findall(f'{SVG}path')]
            texts = group.findall(f'{SVG}text')
            title = group.find(f'{SVG}title').text.split('\n')
            thing = {'title': title, 'texts': [area_of(text) for text in texts],
                     'text': [text.text for text in texts]}
            if group.get('class') == 'node':
                self.nodes.append({**thing, 'box': box_of(paths[0]), 'name': title[0],
                                   'size': float(texts[0].get('font-size')),
                                   'border': float(group.find(f'{SVG}path').get('stroke-width'))})
            else:
                head = points(paths[1])
                x, y = zip(*head)
                self.edges.append({**thing, 'from': title[0], 'to': title[-2],
                                   'line': points(paths[0])[:-1] + head[:1],
                                   'head': (min(x), min(y), max(x), max(y))})

    def crossings(self):
        return crossings([edge['line'] for edge in self.edges])


def faults_of(picture):
    """The faults of a picture that a reader would notice."""
    boxes = [node['box'] for node in picture.nodes]
    labels = [area for edge in picture.edges for area in edge['texts']]
    for i, box in enumerate(boxes):
        name = picture.nodes[i]['name']
        if not (0 <= box[0] and 0 <= box[1] and box[2] <= picture.width and
                box[3] <= picture.height):
            yield f'{name}: its box is outside'
        for k in range(i):
            if overlap(box, boxes[k]):
                yield f'{name}: its box is on that of {picture.nodes[k]["name"]}'
        for edge in picture.edges:
            if passes(edge['line'], box):
                yield f'{edge["from"]} -> {edge["to"]} passes the box of {name}'
        for area in picture.nodes[i]['texts']:
            if not (box[0] <= area[0] and box[1] <= area[1] and area[2] <= box[2] and
                    area[3] <= box[3]):
                yield f'{name}: text is outside of its box: {area}, {box}'
        for label in labels + picture.head:
            if overlap(label, box):
                yield f'{name}: a label is on its box'
    for i, label in enumerate(labels):
        for k in range(i):
            if overlap(label, labels[k]):
                yield f'two labels are on each other, at {label[:2]}'
        for edge in picture.edges:
            if passes(edge['line'], label):
                yield f'{edge["from"]} -> {edge["to"]} passes the label at {label[:2]}'
            if overlap(edge['head'], label):
                yield f'{edge["from"]} -> {edge["to"]} has its head on the label at {label[:2]}'


def circles_of(picture):
    """Edges that are part of a cycle of calls."""
    calls = {}
    for edge in picture.edges:
        calls.setdefault(edge['from'], set()).add(edge['to'])

    def reach(start):
        found, todo = set(), [start]
        while todo:
            for name in calls.get(todo.pop(), ()):
                if name not in found:
                    found.add(name)
                    todo.append(name)
        return found
    reached = {edge['to']: reach(edge['to']) for edge in picture.edges}
    return [edge for edge in picture.edges if edge['from'] in reached[edge['to']]]


def order_faults(picture):
    """Callers are above their callees, except in a cycle of calls."""
    circles = circles_of(picture)
    names = [node['name'] for node in picture.nodes]
    for edge in picture.edges:
        if edge['line'][0][1] >= edge['line'][-1][1] and edge not in circles and \
                names.count(edge['from']) == names.count(edge['to']) == 1:
            yield f'{edge["from"]} is not above {edge["to"]}, which never calls it'


# --- Graphviz ---------------------------------------------------------------------------


def flat(curve, parts=8):
    """A line instead of Bezier curves."""
    line = [curve[0]]
    for i in range(0, len(curve) - 3, 3):
        a, b, c, d = curve[i:i + 4]
        for step in range(1, parts + 1):
            s, r = step / parts, 1 - step / parts
            line.append(tuple(r ** 3 * a[k] + 3 * r * r * s * b[k] + 3 * r * s * s * c[k] +
                              s ** 3 * d[k] for k in (0, 1)))
    return line


def plain_of(dot):
    """The size (width, height) in points of Graphviz's picture, and the lines of its edges."""
    done = subprocess.run(['dot', '-Tplain'], input=dot, capture_output=True, check=True, timeout=300)
    size, lines = None, []
    for row in done.stdout.decode().replace('\\\n', '').splitlines():
        words = shlex.split(row)
        if words[0] == 'graph':
            size = tuple(round(72 * float(word)) for word in words[2:4])
        elif words[0] == 'edge':
            numbers = [72 * float(word) for word in words[4:4 + 2 * int(words[3])]]
            lines.append(flat(list(zip(numbers[::2], numbers[1::2]))))
    return size, lines


# --- what is tested ---------------------------------------------------------------------


def draw(dump, *options):
    return t.ok('jeprof', '--svg', *options, dump, timeout=60).out


def is_fit(dump):
    return [f'{dump.name}: {fault}' for dump in [dump] for picture in [Picture(draw(dump))]
            for fault in [*faults_of(picture), *order_faults(picture)]]


def is_the_same_graph(dump):
    """The picture has the nodes and edges that --dot has, with the same numbers."""
    dot, picture = t.ok('jeprof', '--dot', dump).out, Picture(draw(dump))
    nodes = re.findall(r'^N\d+ \[label="(.*)\\r",', dot, re.M)
    edges = re.findall(r'^N\d+ -> N\d+ \[label=([^,]*),', dot, re.M)
    want = sorted(re.findall(r'\\n([-\d.]+ \([^)]*\))', node)[-1] for node in nodes)
    got = sorted(node['title'][1] for node in picture.nodes)
    faults = [] if want == got else [f'{dump.name}: nodes {want} and {got}']
    got = sorted(edge['text'][0] for edge in picture.edges)
    return faults if sorted(edges) == got else [*faults, f'{dump.name}: edges']


def compare(dump):
    """Crossings of ours and of Graphviz's, and the size of both."""
    picture = Picture(draw(dump))
    size, lines = plain_of(t.ok('jeprof', '--dot', dump).out.encode())
    return (picture.crossings(), crossings(lines), (round(picture.width), round(picture.height)),
            size, len(picture.nodes), len(picture.edges))


def crosses_little(dumps):
    rows = {dump: compare(dump) for dump in dumps}
    faults = [f'{dump.name}: {row[0]} crossings, Graphviz has {row[1]}'
              for dump, row in rows.items() if row[0] > 1.5 * row[1] + 1]
    ours, theirs = (sum(row[i] for row in rows.values()) for i in (0, 1))
    if ours > 1.5 * theirs:
        faults.append(f'{ours} crossings, Graphviz has {theirs}')
    return faults or f'{ours}, Graphviz has {theirs}'


def grows_with_bytes():
    """The more a function holds, the larger its letters."""
    nodes = Picture(draw(gone(DUMPS[0]))).nodes
    rows = [(float(node['title'][1].split()[0]), node['size']) for node in nodes]
    return [f'{a} and {b}' for a in rows for b in rows if a[0] > b[0] and a[1] < b[1]]


def is_around_the_match():
    """Nodes and their sums are those of stacks with a match, and matches have wide borders."""
    inputs = (f'--symbol-dir={t.root}', '-q', t.testdata / 'golden' / 'procs1.heap')
    faults = []
    for pattern in ('leaf_small', 'recurse|leaf_big', '^main$'):
        svg = t.ok('peek', '-fsvg', '--unit=B', pattern, *inputs).out
        picture, sums, total = Picture(svg), {}, 0
        for frames, value in t.ok('folded', '--frames=no-std', *inputs).folded():
            if any(re.search(pattern, frame) for frame in frames):
                total += value
                for frame in set(frames):
                    sums[frame] = sums.get(frame, 0) + value
        want = {name: value for name, value in sums.items() if 200 * value >= total}
        got = {node['name']: int(re.search(r'cum ([\d,]+) B', node['title'][2])[1].replace(',', ''))
               for node in picture.nodes}
        faults += faults_of(picture)
        faults += [f'{pattern}: {got} instead of {want}'] if got.keys() != want.keys() else [
            f'{pattern}: {name} has {got[name]}, not {value}' for name, value in want.items()
            if abs(got[name] - value) > len(sums) + value / 500]
        faults += [f'{pattern}: the border of {node["name"]} is {node["border"]}'
                   for node in picture.nodes
                   if (node['border'] > 2) != bool(re.search(pattern, node['name']))]
    return faults


def is_safe():
    """Names that mean something elsewhere are names in a graph, too."""
    with scratch() as folder:
        path = hostile_profile(folder)
        graphs = {'peek': t.ok('peek', '-q', '-fsvg', '.', '--frames=all', '--names=full', path).out,
                  'jeprof': draw(path)}
    faults = [f'{name}: {fault}' for name, svg in graphs.items()
              for fault in [*strange(parse(svg)), *faults_of(Picture(svg))]]
    names = {node['name'] for node in Picture(graphs['peek']).nodes}
    return faults + [f'{name!r} is not among {names}' for name in HOSTILE if escaped(name) not in names]


def circle(count):
    """Stacks in which each function calls the next, and the last calls the first, in pprof's old text format."""
    lines = [f'heap profile: {count}: {count * 1000} [{count}: {count * 1000}] @ heapprofile']
    lines += [f'1: 1000 [1: 1000] @ 0x{0x1000 + 16 * ((i + 1) % count):x} 0x{0x1000 + 16 * i:x}'
              for i in range(count)]
    return '\n'.join(lines) + '\n'


def is_soon_done():
    """The time of the complete program is only printed; the test fails if the time has no bound."""
    with scratch() as folder:
        path = pathlib.Path(folder, 'circle.heap')
        path.write_text(circle(10000))
        begin = time.monotonic()
        svg = draw(path, '--nodecount=10000', '--nodefraction=0', '--edgefraction=0')
        seconds = time.monotonic() - begin
        groups = svg.count('<g class="node">'), svg.count('<g class="edge">')
        faults = [] if groups == (10000, 10000) else [f'{groups} instead of 10000']
        return faults or (f'{seconds:.1f} s' if seconds < 20 else [f'{seconds} s'])


def main():
    dumps = [gone(dump.resolve()) for dump in DUMPS]
    for dump in dumps:
        t.check(f'nothing overlaps, and callers are above: {dump.name}',
                lambda dump=dump: is_fit(dump))
    t.check('a picture has the nodes and edges of --dot', lambda: [
        fault for dump in dumps for fault in is_the_same_graph(dump)])
    t.check('lines cross at most half as often again as in Graphviz\'s pictures',
            lambda: crosses_little(dumps))
    t.check('letters grow with the bytes of a function', grows_with_bytes)
    t.check('the graph of peek has the stacks with a match', is_around_the_match)
    t.check('hostile names are only names', is_safe)
    t.check('a circle of 10,000 functions is drawn', is_soon_done)
    t.done()


def by_hand(paths):
    for path in paths:
        row = compare(path)
        faults = [*faults_of(Picture(draw(path))), *order_faults(Picture(draw(path)))]
        print(f'{os.path.basename(path):40} {row[4]:3} nodes {row[5]:3} edges, crossings {row[0]:4} '
              f'and {row[1]:4}, size {row[2]} and {row[3]}, {len(faults)} faults')
        print(*faults[:10], sep='\n', end='\n' if faults else '')


if __name__ == '__main__':
    if len(sys.argv) > 3:
        by_hand(sys.argv[3:])
    else:
        main()

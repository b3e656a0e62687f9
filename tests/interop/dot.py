#!/usr/bin/env python3
"""Graphviz has to draw our call graphs without complaint: nodes and edges with our values, and a line that says how
much is not shown.

usage: dot.py BINARY TESTDATA
"""
import collections
import html
import json
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from harness import Tests, hostile_dump, scratch  # noqa: E402
from reports import cases, reference  # noqa: E402

READS = {'dot': 'Graphviz'}
t = Tests()
SVG = '{http://www.w3.org/2000/svg}'
VALUE = r'([\d,]+)(?: B)?'


def graphviz(kind, text, engine='dot'):
    done = subprocess.run(['dot', f'-T{kind}', f'-K{engine}'], input=text, capture_output=True,
                          check=True)
    if done.stderr:
        raise AssertionError(f'dot complains: {done.stderr.decode()[:500]}')
    return done.stdout.decode()


def number(text):
    return int(text.replace(',', ''))


def plain(text):
    """The characters that Graphviz shows for an escaped text."""
    return html.unescape(re.sub(r'\\(.)', r'\1', text))


def parts_of(lines):
    """(the name, the values below it); a value is flat, the other that it is of."""
    values = [match[1] for match in (re.fullmatch(rf'(?:of )?{VALUE} \([\d.]+%\)', line)
                                     for line in lines[-2:]) if match]
    return ''.join(lines[:-len(values)]), values


def shown_by(text):
    """The root of the drawing, and the lines of each node."""
    root = xml.etree.ElementTree.fromstring(graphviz('svg', text))
    return root, [[line.text for line in node.iter(f'{SVG}text')]
                  for node in root.findall(f'.//{SVG}g[@class="node"]')]


def drawn(text):
    """({name: (flat, cum)}, {(caller, callee): (value, is dotted)}, the graph's own label)."""
    graph = json.loads(graphviz('json0', text, 'osage'))  # which takes little time
    nodes, by_id = {}, {}
    for node in graph['objects']:
        name, values = parts_of(node['label'].split('\\n'))
        name = plain(name)
        nodes[name] = (number(values[0]), number(values[-1]))
        by_id[node['_gvid']] = name
    edges = {(by_id[edge['tail']], by_id[edge['head']]):
             (number(re.fullmatch(rf' {VALUE}', edge['label'])[1]), edge.get('style') == 'dotted')
             for edge in graph.get('edges', [])}
    return nodes, edges, graph['label']


def wanted_edges(metric, shown, *args):
    """The expected edges: the value of each call, counted once in a stack and across hidden frames; the number of
    stacks; and whether the call is direct."""
    report = json.loads(t.ok('stacks', '-q', '-n0', '-fjson', *args).out_bytes)
    values, rows, direct = collections.Counter(), collections.Counter(), set()
    for row in report['rows']:
        calls, caller, at = set(), None, 0
        for place, name in enumerate(reversed(row['frames'])):
            if name in shown:
                if caller is not None:
                    calls.add((caller, name))
                    if at == place - 1:
                        direct.add((caller, name))
                caller, at = name, place
        for call in calls:
            values[call] += row['value'][metric]['estimate']
            rows[call] += 1
    return values, rows, direct


def draws(metric, *args):
    text = t.ok('top', '-q', '-n0', '-fdot', '--names=full', '--unit=B', f'--metric={metric}', *args).out_bytes
    nodes, edges, label = drawn(text)
    wanted = reference(t, *args)[metric]
    shown = {name for name, cum in wanted.cum.items() if cum > 0 and cum * 200 >= wanted.total}
    faults = [] if set(nodes) == shown else [f'nodes: {set(nodes) ^ shown}']
    faults += [f'{name}: {values} instead of {wanted.flat[name]}, {wanted.cum[name]}'
               for name, values in nodes.items() if abs(values[0] - wanted.flat[name]) > 0.501
               or abs(values[1] - wanted.cum[name]) > 0.501]
    calls, rows, direct = wanted_edges(metric, shown, *args)
    large = {call for call, value in calls.items() if value > 0 and value * 1000 >= wanted.total}
    faults += [f'{call}: an edge too many or too few' for call in large ^ set(edges)]
    faults += [f'{call}: {value} instead of {calls[call]}' for call, value in edges.items()
               if value[1] != (call not in direct) or abs(value[0] - calls[call]) > 0.501 + rows[call] / 1000]
    left = sum(flat for name, flat in wanted.flat.items() if name not in shown)
    told = re.search(rf'l(\d+) of (\d+) nodes; the other (\d+) hold {VALUE} .*'
                     r'l(\d+) of (\d+) edges', label)
    nodes = sum(1 for name, cum in wanted.cum.items() if cum or wanted.flat[name])
    counts = [len(shown), nodes, nodes - len(shown)]
    if list(map(int, told.groups()[:3])) != counts or abs(number(told[4]) - left) > 0.501 or \
            [int(told[5]), int(told[6])] != [len(large), len(calls)]:
        faults.append(f'{label}: not {counts}, {left}, {len(large)}, {len(calls)}')
    return faults


def limited():
    """The 80 largest are drawn, or as many as are asked for."""
    path, faults = t.real / 'postgres_lg13.17969.0.f.heap.gz', []
    for wanted, *options in ((80,), (5, '-n5'), (300, '-n300', '--by=address')):
        nodes, _, label = drawn(t.ok('top', '-q', '-fdot', '--names=full', '--unit=B', '--no-symbols', *options,
                                     path).out_bytes)
        graphviz('svg', t.ok('top', '-q', '-fdot', '--names=full', '--no-symbols', *options[:1], path).out_bytes)
        if len(nodes) > wanted or f'l{len(nodes)} of ' not in label or \
                (wanted < 100 and len(nodes) != wanted):
            faults.append(f'{wanted}: {len(nodes)}, {label}')
    return faults


def filtered():
    """Filters make nodes visible that have less than 1/200 of the whole total."""
    args = (f'--symbol-dir={t.root}', '--focus=vector', t.testdata / 'golden' / 'cxx.heap')
    metric = 'inuse-objects'
    left = reference(t, *args)[metric].total
    total = reference(t, *args[:1], *args[2:])[metric].total
    label = drawn(t.ok('top', '-q', '-fdot', '--names=full', f'--metric={metric}', *args).out_bytes)[2]
    faults = [] if 0 < left * 200 < total else [f'{left} of {total} is not little']
    if not re.search(rf': {round(total):,}, of which filters leave {round(left):,} \(', label):
        faults.append(label)
    return faults + draws(metric, *args)


def svg():
    """Graphviz makes an SVG that shows every name."""
    args = (f'--symbol-dir={t.root}', t.testdata / 'golden' / 'cxx.heap')
    _, nodes = shown_by(t.ok('top', '-q', '-fdot', '--names=full', '--unit=B', *args).out_bytes)
    wanted = reference(t, *args)['inuse-space']
    shown = sorted(name for name, cum in wanted.cum.items() if cum * 200 >= wanted.total)
    names = sorted(parts_of(lines)[0] for lines in nodes)
    return [] if names == shown else [f'{names} instead of {shown}']


def hostile(folder):
    """R13: a name is no other attribute, no other node, and no entity."""
    name = b'/srv/x"];N9 [label=\\\\N\\l&lt;<script>alert(1)\t\x1b\xff'
    root, nodes = shown_by(t.ok('top', '-q', '-fdot', '--names=full', '--unit=B', '--no-symbols',
                                hostile_dump(t, folder, name)).out_bytes)
    wanted = 'x"];N9 [label=\\\\N\\l&lt;<script>alert(1)\\x09\\x1B\\xFF+0x1300'
    names = [parts_of(lines)[0] for lines in nodes]
    faults = [] if wanted in names else [f'{names}']
    return faults + [f'{element.tag}' for element in root.iter() if 'script' in str(element.tag)]


SHOWN = ('C', 'every', 'clang_json', 'redis_lg13.27533.13', 'postgres', 'mt64')
for what, options, inputs in cases(t):
    if what.startswith(SHOWN):
        for shown_metric in reference(t, *options, *inputs):
            t.check(f'{what}, {shown_metric}: Graphviz draws our values',
                    lambda: draws(shown_metric, *options, *inputs))
t.check('filters: the large nodes of the remaining stacks are shown', filtered)
t.check('the graph has no more nodes than Graphviz can place or the option allows', limited)
t.check('a drawing has all nodes', svg)
with scratch() as scratch_folder:
    t.check('R13: a hostile name is shown as text', lambda: hostile(scratch_folder))
t.done()

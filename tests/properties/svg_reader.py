"""Shared by the tests of pictures: reading one of our SVGs, and names that have a meaning in other languages."""
import collections
import gzip
import pathlib
import re
import xml.etree.ElementTree

from profile_writer import Profile

NS = '{http://www.w3.org/2000/svg}'
# The elements that the writer may use, and their attributes: no script, style, event, nor external reference.
ELEMENTS = {'svg': 'width height viewBox font-family', 'title': '', 'g': 'class', 'defs': '',
            'pattern': 'id width height patternUnits patternTransform',
            'path': 'd fill stroke stroke-width stroke-dasharray',
            'text': 'x y font-size textLength text-anchor fill lengthAdjust'}
# Lengths are in points, `top` is that of a box.
Box = collections.namedtuple('Box', 'name lines left right top fill is_hatched texts')
Text = collections.namedtuple('Text', 'text x y width anchor')


def strange(root):
    """Elements and attributes that are not of ours."""
    for element in root.iter():
        tag = element.tag.removeprefix(NS)
        allowed = ELEMENTS.get(tag)
        if allowed is None:
            yield f'<{tag}>'
            continue
        for name, value in element.attrib.items():
            if name != '{http://www.w3.org/XML/1998/namespace}space' and name not in allowed.split():
                yield f'<{tag} {name}="{value}">'
            if 'url(' in value and value != 'url(#hatch)':
                yield f'<{tag} {name}="{value}">'


def boxes_of(root):
    """The boxes of a flame graph, from the lowest on."""
    boxes = []
    for group in root.findall(f'{NS}g'):
        title = group.find(f'{NS}title').text.split('\n')
        paths = group.findall(f'{NS}path')
        left, top, width = map(float, re.match(r'M([\d.]+) ([\d.]+)h([\d.]+)v16h', paths[0].get('d')).groups())
        boxes.append(Box(title[0], title[1:], left, left + width, top, paths[0].get('fill'),
                         len(paths) > 1, [text.text for text in group.findall(f'{NS}text')]))
    return sorted(boxes, key=lambda box: (-box.top, box.left))


def texts_of(root):
    return [Text(text.text, float(text.get('x')), float(text.get('y')), float(text.get('textLength')),
                 text.get('text-anchor', 'start')) for text in root.iter(f'{NS}text')]


def parse(out):
    return xml.etree.ElementTree.fromstring(out)


# --- names --------------------------------------------------------------------------------

HOSTILE = [
    '<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', "'onload='alert(1)", ']]><script>alert(2)</script>',
    '&lt;script&gt;', '&#60;script&#62;', '<![CDATA[x]]>', '<!--', '-->', '<?xml version="1.0"?>',
    '<!DOCTYPE x [<!ENTITY y "z">]>', '</title></g></svg><script>', '</text><a href="javascript:alert(1)">x</a>',
    '<foreignObject><body onload=alert(1)>', '<animate onbegin=alert(1)>', '<use href="http://127.0.0.1:1/x#y"/>',
    '<image href="http://127.0.0.1:1/x"/>', '<style>*{fill:url(http://127.0.0.1:1/)}</style>',
    'javascript:alert(1)', 'url(#hatch)', '\x1b]0;title\x07', 'a\nb\rc\td', '\x01\x02\x08\x0b\x0c\x1f\x7f',
    '\u202egpj.exe', '\u2066isolated\u2069', '\ufffe\uffff', '\u0085\u2028\u2029', '\U0001f4a3\u6f22\u5b57',
    ') Tj ET Q (', '\\) /JS (app.alert(1)) \\']


def hostile_profile(folder):
    """A profile with one stack of all the names: each has a box, with all of its name in it."""
    p, path = Profile(), pathlib.Path(folder) / 'hostile.pb.gz'
    p.sample([p.location(0x1000 + i, 0, [(name, 'x.c', 1)]) for i, name in enumerate(HOSTILE)], [1, 1 << 20], 1 << 20)
    path.write_bytes(gzip.compress(p.bytes()))
    return path


def escaped(name):
    """The name as it is drawn."""
    return re.sub('[\x00-\x1f\x7f\x80-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]',
                  lambda match: (f'\\x{ord(match[0]):02X}' if ord(match[0]) < 0x80 else f'\\u{{{ord(match[0]):04X}}}'),
                  name)

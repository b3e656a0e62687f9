#!/usr/bin/env python3
"""Every format has an independent reader: a test in this folder gives files of the format to a program that others
wrote, which has to find our values.  The test declares the formats and the program:

    READS = {'dot': 'Graphviz'}

usage: readers.py BINARY TESTDATA
"""
import ast
import pathlib
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from harness import Tests  # noqa: E402

t = Tests()
TESTS = pathlib.Path(__file__).resolve().parent.parent
# Formats of our own, which are for no particular program.  These tests read json and tsv with modules of Python,
# text, which is for people, with code that we wrote for it, and hpa with a second reader of ours.
OURS = {'text': 'properties/agreement.py', 'json': 'properties/json_schema.py',
        'tsv': 'properties/tables.py', 'hpa': 'properties/hpa.py'}


def declared(path):
    """READS of a test, without running it."""
    for node in ast.parse(path.read_text(encoding='utf-8')).body:
        if isinstance(node, ast.Assign) and [ast.unparse(to) for to in node.targets] == ['READS']:
            return ast.literal_eval(node.value)
    return {}


FORMATS = t.formats_of()
READERS = [(path, name, program) for path in sorted(TESTS.glob('interop/*.py'))
           for name, program in declared(path).items()]


def reader_of(name):
    if name in OURS:
        return f'{OURS[name]}, for it is ours alone'
    found = {program for _, known, program in READERS if known == name}
    return ', '.join(sorted(found)) or [f'format {name} has no independent reader in tests/interop']


def false():
    """Formats that there are not, and tests that are not run."""
    run = re.findall(r"'(interop/\w+\.py)'", (TESTS / 'meson.build').read_text(encoding='utf-8'))
    faults = [f'{path.name} reads {name}, which is no format' for path, name, _ in READERS
              if name not in FORMATS]
    faults += [f'{path.name} is not in tests/meson.build' for path, _, _ in READERS
               if f'interop/{path.name}' not in run]
    faults += [f'{name} is no format' for name in OURS if name not in FORMATS]
    return faults + [f'there is no {path}' for path in OURS.values() if not (TESTS / path).is_file()]


for each in FORMATS:
    t.check(f'{each} is read by an independent program', lambda: reader_of(each))
t.check('each reader is of an existing format, in a test that runs', false)
t.done()

"""A program that allocates much and in many places, in every run the same: its last act is
a dump by jemalloc.

usage: PYTHONMALLOC=malloc PYTHONHASHSEED=0 python3 -s -S -B holdout_workload.py DUMP
"""
import argparse
import ast
import collections
import ctypes
import decimal
import fractions
import json
import random
import re
import string
import sys
import textwrap
import zlib

numbers = random.Random(3)
keep = [argparse, decimal, fractions, re, textwrap]


def word():
    return ''.join(numbers.choices(string.ascii_letters, k=numbers.randrange(3, 40)))


def record(depth):
    return {'name': word(), 'values': [numbers.random() for _ in range(numbers.randrange(12))],
            'notes': {word(): numbers.getrandbits(80) for _ in range(numbers.randrange(6))},
            'more': [record(depth - 1) for _ in range(2)] if depth else None}


class Node:
    def __init__(self, depth):
        self.label = word()
        self.data = bytes(numbers.randrange(1, 3000))
        self.children = [Node(depth - 1) for _ in range(3)] if depth else ()


def main():
    document = json.dumps([record(4) for _ in range(60)], indent=1)
    keep.extend((json.loads(document), zlib.compress(document.encode()), document.split('"')))
    keep.append(Node(6))
    source = '\n'.join(f'def f{i}(a, b={i}):\n    return [a + {i} * b, "{word()}", (a, b)]'
                       for i in range(400))
    keep.extend((ast.parse(source), compile(source, 'source', 'exec')))
    keep.append([zlib.compressobj() for _ in range(8)])
    keep.append([re.compile(f'({word()}|{word()})+[a-z]{{{i}}}') for i in range(1, 60)])
    keep.append([decimal.Decimal(i).sqrt() for i in range(2000)])
    keep.append([fractions.Fraction(i, 7) for i in range(2000)])
    keep.append(collections.OrderedDict((word(), i) for i in range(3000)))
    keep.append({frozenset((i, i + 1)) for i in range(3000)})
    keep.append([bytearray(1 << i) for i in range(4, 22)])
    keep.append([textwrap.fill(document[i:i + 900], 60) for i in range(0, 90000, 900)])
    keep.append(set(map(str, range(20000))))


main()
path = ctypes.c_char_p(sys.argv[1].encode())
sys.exit(ctypes.CDLL(None).mallctl(b'prof.dump', None, None, ctypes.byref(path),
                                   ctypes.c_size_t(ctypes.sizeof(path))))

"""What the tests of output formats share: inputs, what `top` says of each function exactly, and
how the sums of a format are held against it."""
import collections
import json

from harness import METRICS, hostile_dump

__all__ = ['Sums', 'cases', 'compare', 'hostile_dump', 'reference', 'stack_sums']


def cases(t):
    """(what, options, inputs): every real dump, and corpus programs with symbols."""
    symbols = f'--symbol-dir={t.root}'
    programs = [('C with inlined calls, four processes', sorted((t.testdata / 'golden').glob('procs*.heap'))),
                ('C++', [t.testdata / 'golden' / 'cxx.heap']),
                ('C++ with an operator new of its own', [t.formats / 'jemalloc-opnew.heap']),
                ('every allocation', [t.formats / 'jemalloc-lg0-accum.heap'])]
    for what, inputs in programs:
        yield what, (symbols,), inputs
    for path in sorted(t.real.glob('*.heap.gz')):
        yield path.name.removesuffix('.heap.gz'), ('--no-symbols',), [path]


class Sums:
    """Of one metric: {name: number} flat and cum, the total, and how many numbers were rounded."""

    def __init__(self):
        self.flat, self.cum = collections.Counter(), collections.Counter()
        self.total = self.parts = 0

    def add(self, stack, value):
        """`stack` from the root."""
        self.flat[stack[-1]] += value
        for name in set(stack):
            self.cum[name] += value
        self.total += value
        self.parts += 1


def stack_sums(stacks):
    sums = Sums()
    for stack, value in stacks:
        sums.add([name for name in stack if name != '[truncated]'] or stack, value)
    return sums


def reference(t, *args):
    """{metric: Sums}: what `top` says, unrounded; only of metrics that the inputs tell."""
    report = json.loads(t.ok('top', '-q', '-n0', '-fjson', *args).out_bytes)
    found = {}
    for metric in METRICS:
        if report['total'][metric] is None:
            continue
        sums = found[metric] = Sums()
        sums.total = report['total'][metric]['estimate']
        for row in report['rows']:
            sums.flat[row['name']] = row['flat'][metric]['estimate']
            sums.cum[row['name']] = row['cum'][metric]['estimate']
    return found


def compare(got, wanted, only=None):
    """Sentences on what is not `wanted`.  Each of got.parts numbers is off by less than one, and
    their sum is the rounded total.  With `only`, cum is compared of these names alone."""
    faults = []
    if abs(got.total - wanted.total) > 0.501 or sum(got.flat.values()) != got.total:
        faults.append(f'total {got.total}, of parts {sum(got.flat.values())}, '
                      f'instead of {wanted.total}')
    faults += [f'{name}: we have no such function' for name in got.cum if name not in wanted.cum]
    for name, cum in wanted.cum.items():
        if abs(got.flat[name] - wanted.flat[name]) > got.parts:
            faults.append(f'{name}: flat {got.flat[name]} instead of {wanted.flat[name]}')
        if (only is None or name in only) and abs(got.cum[name] - cum) > got.parts:
            faults.append(f'{name}: cum {got.cum[name]} instead of {cum}')
        if got.cum[name] > got.total:
            faults.append(f'{name}: more than the total')
    return faults

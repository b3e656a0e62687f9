"""Shared by the tests of output formats: inputs, the exact numbers of `top` for each function, and the comparison of
a format's sums with them."""
import collections
import json
import re

from harness import hostile_dump

__all__ = ['Callgrind', 'Sums', 'cases', 'compare', 'difference', 'firefox_stacks', 'hostile_dump',
           'reference', 'stack_sums']


def cases(t):
    """(what, options, inputs): every real dump, and corpus programs with symbols."""
    symbols = f'--symbol-dir={t.root}'
    programs = [('C with inlined calls, four processes', sorted((t.testdata / 'golden').glob('procs*.heap'))),
                ('C++', [t.testdata / 'golden' / 'cxx.heap']),
                ('C++ with an operator new of its own', [t.formats / 'jemalloc-opnew.heap']),
                ('every allocation', [t.formats / 'jemalloc-lg0-accum.heap'])]
    for what, inputs in programs:
        yield what, (symbols,), inputs
    yield 'C++, filtered', (symbols, '--focus=vector', '--hide=^std::'), [t.testdata / 'golden' / 'cxx.heap']
    for path in sorted(t.real.glob('*.heap.gz')):
        yield path.name.removesuffix('.heap.gz'), ('--no-symbols',), [path]


class Sums:
    """The numbers of one metric: {name: number} flat and cum, the number of stacks in each, and the total."""

    def __init__(self):
        self.flat, self.cum = collections.Counter(), collections.Counter()
        self.flat_stacks, self.cum_stacks = collections.Counter(), collections.Counter()
        self.total = 0

    def add(self, stack, value):
        """`stack` from the root."""
        stack = [name for name in stack if name != '[truncated]'] or stack
        self.flat[stack[-1]] += value
        self.flat_stacks[stack[-1]] += 1
        for name in set(stack):
            self.cum[name] += value
            self.cum_stacks[name] += 1
        self.total += value


def stack_sums(stacks):
    sums = Sums()
    for stack, value in stacks:
        sums.add(stack, value)
    return sums


def firefox_stacks(profile, thread):
    """(names from the root, value) of each sample."""
    shared = profile['shared']
    names = [shared['stringArray'][shared['funcTable']['name'][function]]
             for function in shared['frameTable']['func']]
    stacks = []
    for frame, prefix in zip(shared['stackTable']['frame'], shared['stackTable']['prefix']):
        stacks.append((stacks[prefix] if prefix is not None else []) + [names[frame]])
    for stack, value in zip(thread['samples']['stack'], thread['samples']['weight']):
        yield stacks[stack], value


def sum_of(report):
    """What rows add up to: not the total, if that is by headers of dumps."""
    return next(report[key] for key in ('filtered', 'stacks_total', 'total') if key in report)


def reference(t, *args):
    """{metric: Sums}: the unrounded numbers of `top`, for the metrics that the inputs have.  The numbers of stacks
    with different addresses come from a Firefox profile."""
    report = json.loads(t.ok('top', '-q', '-n0', '-fjson', '--frames=no-alloc', *args).out_bytes)
    profile = json.loads(t.ok('firefox', '-q', *args).out_bytes)
    found = {}
    for thread in profile['threads']:
        metric = thread['name']
        sums = found[metric] = stack_sums(firefox_stacks(profile, thread))
        sums.total = sum_of(report)[metric]['estimate']
        for numbers, kind in ((sums.flat, 'flat'), (sums.cum, 'cum')):
            numbers.clear()
            for row in report['rows']:
                numbers[row['name']] = row[kind][metric]['estimate']
    return found


def difference(t, options, base, new):
    """(Sums of the base, Sums of the new side): the unrounded numbers of `diff`."""
    def rows(*more):
        return json.loads(t.ok('diff', '-q', '-n0', '-fjson', '--frames=no-alloc', *options, *more, *base,
                               '--to', *new).out_bytes)

    profile = json.loads(t.ok('firefox', '-q', *options, *base, *new).out_bytes)
    sides, flat, cum = [], rows(), rows('--cum')
    for side in ('base', 'new'):
        sums = stack_sums(firefox_stacks(profile, profile['threads'][0]))
        total = sum_of(flat)[side]
        sums.total = total if isinstance(total, float) else total['estimate']
        for numbers, report in ((sums.flat, flat), (sums.cum, cum)):
            numbers.clear()
            for row in report['rows']:
                numbers[row['name']] = row[side]['estimate']
        sides.append(sums)
    return sides


def compare(got, wanted, only=None):
    """Yield a sentence for each difference from `wanted`.  A stack may be off by less than one; all together equal
    the rounded total.  With `only`, cum is compared for these names only."""
    faults = []
    if abs(got.total - wanted.total) > 0.501 or sum(got.flat.values()) != got.total:
        faults.append(f'total {got.total}, of parts {sum(got.flat.values())}, '
                      f'instead of {wanted.total}')
    faults += [f'{name}: we have no such function' for name in got.cum
               if name not in wanted.cum and name != '[truncated]']
    for name, cum in wanted.cum.items():
        if abs(got.flat[name] - wanted.flat[name]) > wanted.flat_stacks[name]:
            faults.append(f'{name}: flat {got.flat[name]} instead of {wanted.flat[name]}')
        if (only is None or name in only) and abs(got.cum[name] - cum) > wanted.cum_stacks[name]:
            faults.append(f'{name}: cum {got.cum[name]} instead of {cum}')
        if got.cum[name] > got.total:
            faults.append(f'{name}: more than the total')
    return faults


class Callgrind:
    """A file of Callgrind's format, read by its rules: every cost, and every name by its number."""

    COST = re.compile(r'\d+(?: \d+)+$')
    NAME = re.compile(r'(c?(?:ob|fl|fn))=\((\d+)\)(?: (.*))?$')

    def __init__(self, text):
        self.names = {'ob': {}, 'fl': {}, 'fn': {}}
        self.keys = {}    # function number -> (object, file, name)
        self.self = collections.defaultdict(collections.Counter)   # event -> function -> cost
        self.calls = collections.defaultdict(collections.Counter)  # event -> caller -> cost
        self.faults = []
        lines = iter(text.split('\n'))
        if next(lines) != '# callgrind format' or text[-1] != '\n':
            self.faults.append('not the first or the last line that it should be')
        self.here, self.called = {}, {}
        for line in lines:
            self.read(line, lines)

    def read(self, line, lines):
        name = self.NAME.match(line)
        if name:
            self.mention(*name.groups())
        elif line.startswith('calls='):
            self.cost(next(lines), self.calls, 'cfn')
        elif self.COST.match(line):
            self.cost(line, self.self, 'fn')
        elif line.startswith('events: '):
            self.events = line.split()[1:]
        elif line.startswith('summary: '):
            self.summary = dict(zip(self.events, map(int, line.split()[1:]), strict=True))
        elif not re.match(r'(?:version|creator|cmd|desc|positions|event): |$', line):
            self.faults.append(f'not a line of the format: {line!r}')

    def mention(self, key, number, name):
        table = self.names[key[-2:]]
        if (number in table) == (name is not None):
            self.faults.append(f'{key}=({number}) {name}: named twice, or not at all')
        table.setdefault(number, name)
        place = self.called if key[0] == 'c' else self.here
        place[key[-2:]] = number
        if key[-2:] == 'fn':
            self.bind(number, place)

    def bind(self, number, place):
        function = tuple(self.names[kind][place[kind]] for kind in ('ob', 'fl', 'fn'))
        if self.keys.setdefault(number, function) != function:
            self.faults.append(f'{function} and {self.keys[number]} have one number')

    def cost(self, line, costs, kind):
        if not self.COST.match(line):
            self.faults.append(f'no cost line: {line!r}')
        for event, cost in zip(self.events, map(int, line.split()[1:]), strict=True):
            costs[event][self.here['fn']] += cost
        if kind == 'cfn':
            self.called = {}

    def sums(self, event):
        """The Sums by name, and the names that one function has."""
        sums, count = Sums(), collections.Counter()
        sums.total = self.summary[event]
        for number, (_, _, name) in self.keys.items():
            plain = re.sub(r"'\d+$", '', name)
            own = self.self[event][number]
            sums.flat[plain] += own
            if plain == name:
                sums.cum[plain] += own + self.calls[event][number]
                count[plain] += 1
        return sums, {name for name in count if count[name] == 1}

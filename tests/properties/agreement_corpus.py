"""The cases of agreement.py: the dumps, the command lines for each of them, and the written reports.

The rows, the metric, the filter, the unit and other options of a report advance like the wheels of a clock from case
to case, so that every combination of kind, rows, metric and filter is used with some dump.
"""
import collections
import dataclasses
import itertools
import re
from dataclasses import dataclass

from agreeing import CELLS, TIME_PATTERN, Shown, load
from harness import METRICS, Tests

t = Tests(is_coded=True)

# --- the corpus -----------------------------------------------------------------------------------


def is_dump(path):
    """Whether it is a dump to compare.  The dumps in processes/ differ from others in their maps only; bytes that are
    no UTF-8 become U+FFFD in JSON only."""
    is_left_out = path.is_relative_to(t.testdata / 'processes') or path == t.testdata / 'hostile' / 'names.pb.gz'
    return not is_left_out and re.search(r'\.heap(\.gz|\.zst)?$|\.pb\.gz$', path.name) and path.is_file()


def dumps():
    """All dumps, relative to testdata, except those whose report changes beside others of their process, and those of
    the tutorial, which are like those in golden/; links are not followed."""
    found = [path for path in t.testdata.rglob('*') if is_dump(path) and path.parent.name not in ('addresses', 'died', 'differences', 'healthy', 'tutorial')]
    return sorted(found, key=lambda path: (path.suffix == '.zst', str(path)))


def without_libraries(paths, folder):
    """{dump: replacement} for dumps of the programs in testdata: paths of programs and libraries that may exist on
    this machine are changed."""
    found = {}
    for number, path in enumerate(paths):
        if path.is_relative_to(t.testdata / 'golden'):
            found[path] = path
        elif path.is_relative_to(t.root) and path.suffix == '.heap':
            found[path] = folder / str(number) / path.name
            found[path].parent.mkdir()
            found[path].write_bytes(re.sub(rb' /(usr|opt)/', rb' /gone/\1/', path.read_bytes()))
    return found


NAMED = {}
SINGLE = ('top', 'stacks', 'tree', 'peek', 'list')


VERBOSE = ("top", "stacks", "tree", "peek", "list")  # their facts follow with --verbose


@dataclass
class Inputs:
    """The inputs of one command."""
    paths: tuple
    new: tuple = ()
    series: bool = False
    told: tuple = ()      # metrics that all of the inputs have
    format: str = ''
    stacks: int = 0
    is_jemalloc: bool = False  # all inputs are dumps of jemalloc

    def __str__(self):
        return ' '.join(str(path.relative_to(t.testdata)) for path in self.paths + self.new)

    def kinds(self):
        return ('diff',) if self.new else ('trend',) if self.series else SINGLE

    def is_big(self):
        return self.stacks > 400

    def has_programs(self):
        return all(path in NAMED for path in self.paths + self.new)

    def args(self, named=False):
        base, new = ([NAMED.get(path, path) if named else path for path in paths]
                     for paths in (self.paths, self.new))
        return [*base, *(['--to', *new] if new else [])]


def facts(path):
    """Facts about one dump: its metrics, its format, the number of its stacks, its process."""
    report = load(t.ok('info', '-q', '-j1', '--no-symbols', '-fjson', path).out)
    row = report['inputs'][0]
    told = tuple(m for m in METRICS if report['total'][m] is not None)
    process = report['processes'][0]['key'] or str(path)
    return told if row['stacks'] != '0' else (), row['format'], int(row['stacks']), process


def apart(paths, processes):
    """Groups of four dumps, each of another process; the rest of one process is one group."""
    left = list(paths)
    while left:
        found = list({processes[path]: path for path in reversed(left)}.values())[:4]
        others = [path for path in paths if processes[path] != processes[left[0]]]
        if len(found) < 2 and len(left) < 2 and not others:
            return  # it is the only one
        found = found if len(found) > 1 else left[:4] if len(left) > 1 else [left[0], others[0]]
        left = [path for path in left if path not in found]
        yield tuple(found)


def windows(paths, size, step):
    """Groups of `size` consecutive paths, cyclically, one at every `step`."""
    ring = paths + paths
    return [tuple(ring[i:i + size]) for i in range(0, len(paths), step)]


def every_inputs(pool):
    """Each dump alone, some together, each with the next, and series."""
    paths = dumps()
    known = dict(zip(paths, pool.map(facts, paths)))
    processes = {path: facts[3] for path, facts in known.items()}
    by_told = collections.defaultdict(list)
    for path in paths:
        by_told[known[path][0]].append(path)
    golden, real = t.testdata / 'golden', sorted(t.real.glob('*'))
    procs = tuple(sorted(golden.glob('procs*')))
    mixed = tuple(t.formats.resolve() / f'jemalloc-{name}.heap'
                  for name in ('lg0', 'default-lg19', 'nounbias', 'clickhouse'))
    series = {tuple(sorted((path for path in real if path.name.startswith(name)),
                           key=lambda path: int(path.name.split('.')[2])))
              for name in ('redis', 'mariadbd', 'dbbench')}
    told = [group for group in by_told if group]
    sets = [Inputs((path,)) for path in paths]
    sets += [Inputs(procs), Inputs(mixed), Inputs(tuple(real[-2:]))]
    sets += [Inputs(pair[:1], pair[1:]) for group in told for pair in windows(by_told[group], 2, 1)]
    sets += [Inputs(procs[:2], procs[2:]), Inputs(procs[:1], procs[1:]), Inputs(procs[1:], procs[:1])]
    sets += [Inputs(four, series=True) for group in told for four in apart(by_told[group], processes)]
    sets += [Inputs(paths, series=True) for paths in sorted(series)]
    sets += [Inputs(tuple(sorted((t.formats.resolve() / 'series').glob('*'))), series=True)]
    for inputs in sets:
        all_told, formats, stacks, _ = zip(*(known[path] for path in inputs.paths + inputs.new))
        inputs.told = tuple(m for m in METRICS if all(m in told for told in all_told))
        inputs.format = formats[0] if len(set(formats)) == 1 else 'several formats'
        inputs.is_jemalloc = all(name.startswith('jemalloc') for name in formats)
        inputs.stacks = max(stacks)
    return sets


# --- the wheels -----------------------------------------------------------------------------------

PLACES = ('function', 'line', 'file', 'module', 'address')
BY = {'top': PLACES + ('input', 'thread', 'label:dump'), 'list': (None,)}
LABELS = r'--label-from=/(?<dump>[A-Za-z]+)[^/]*$'
FILTERS = ('none', 'focus', 'ignore', 'hide', 'show', 'show-from', 'thread')
UNITS = ('auto', 'B', 'KiB', 'MiB', 'GiB')
VARIATIONS = {
    'top': ('', '--cum', '--columns=spread', '--confidence=80', '--sort=name', '--cum --columns=spread',
            '--confidence=none', '--cum --confidence=99', '--frames=all', '--frames=no-alloc', '--frames=no-libs',
            '--frames=all --sort=name', '--frames=no-alloc --confidence=80', '--estimator=none',
            '--estimator=jeprof'),
    'stacks': ('', '--confidence=99.5', '--frames=all', '--confidence=none', '--estimator=none'),
    'tree': ('', '--invert', '--min-share=1', '--confidence=80', '--confidence=none'),
    'peek': ('', '--cum', '--confidence=99', '--sort=name', '--confidence=none'),
    'list': ('', f'--source-dir={t.root}', '--confidence=80', '--confidence=none'),
    'diff': ('', '--cum', '--confidence=80', '--confidence=none', '--estimator=jeprof'),
    'trend': ('', '--cum', f'--time-from={TIME_PATTERN}', '--confidence=80',
              '--confidence=none'),
}


@dataclass(frozen=True)
class Case:
    kind: str
    by: str = None
    metric: str = 'inuse-space'
    filter: str = 'none'
    unit: str = 'auto'
    variation: str = ''
    limit: int = 0          # rows of the text report
    json_limit: int = 0


def cases(inputs, d):
    """The d-th inputs, or more exactly: their wheels begin with the d-th tooth."""
    for kind in inputs.kinds() if inputs.told else ():
        by, more = BY.get(kind, PLACES), VARIATIONS[kind]
        count = 8 if not inputs.is_big() or kind == 'top' else 3
        for i in range(count):
            at = d + i + (0 if count == 8 else 3 * (len(kind) + i))
            limit = 40 if inputs.is_big() else (0, 0, 5)[(d + i) % 3]
            yield Case(kind, by[(i if count == 8 else at) % len(by)],
                       inputs.told[at % len(inputs.told)], FILTERS[at % 7],
                       UNITS[(d // 2 + 2 * i) % 5], more[(d // 3 + 3 * i) % len(more)], limit,
                       limit if inputs.is_big() or kind == 'tree' else 0)


def frames_of(inputs, symbols):
    """Two frames that some stacks have and some do not, as patterns."""
    named = symbols != ['--no-symbols']
    report = load(t.ok('top', '-q', '-j1', '--cum', '-n200', '-fjson', *symbols,
                       *inputs.args(named)[:len(inputs.paths)]).out)
    total = float(report['total']['inuse-space']['estimate'])
    shares = {row['name']: float(row['cum']['inuse-space']['estimate']) / (total or 1)
              for row in report['rows']}
    names = [min(shares, key=lambda name: (abs(shares[name] - wanted), name))
             for wanted in (.5, .2)] if shares else ['nothing'] * 2

    def pattern(name):
        offset = re.search(r'\+(0x[0-9a-f]+)$', name)
        return f'{offset[1]}$' if offset else f'^{re.escape(name)}$'
    return list(map(pattern, names))


def thread_of(inputs):
    """A thread by name or number, the second if there is one."""
    done = t.run('top', '-q', '-j1', '--by=thread', '--no-symbols', '-fjson', inputs.paths[0])
    names = [row['name'] for row in load(done.out)['rows']] if done.code == 0 else []
    name = (names[1:2] or names or ['worker'])[0]
    return name[1:] if re.fullmatch(r't\d+', name) else name


class Runner:
    """The commands on some inputs."""

    def __init__(self, inputs):
        self.inputs, self.frames, self.counts = inputs, {}, {}
        self.thread = thread_of(inputs)

    def filter(self, case, symbols):
        if case.filter in ('none', 'thread'):
            return [f'--thread={self.thread}'] if case.filter == 'thread' else []
        key = tuple(symbols)
        if key not in self.frames:
            self.frames[key] = frames_of(self.inputs, symbols)
        one, other = self.frames[key]
        return [f'--{case.filter}={one}'] + [f'--show={other}'] * (case.filter == 'show')

    def is_named(self, case):
        return case.by in ('function', 'line', 'file', None) and self.inputs.has_programs()

    def args(self, case):
        """The arguments of a case except the format; with symbols only if the rows show them."""
        named = self.is_named(case)
        symbols = [f'--symbol-dir={t.root}'] if named else ['--no-symbols']
        is_grouped = case.by in BY['top'][5:]
        more = [word for word in case.variation.split(' ')
                if word and not (word == '--columns=spread' and is_grouped)]
        by = [f'--by={case.by}'] * bool(case.by) + [LABELS] * (case.by == 'label:dump')
        if case.kind != 'info':
            more.append('--names=short' if case.unit in ('auto', 'MiB') else '--names=full')
        what = ['.'] if case.kind in ('peek', 'list') else []
        return [case.kind, *what, '-q', '-j1', f'--metric={case.metric}', *by, *more, *symbols,
                *self.filter(case, symbols), *self.inputs.args(named)]

    def used(self, case):
        """The dumps that a report uses; the last dump of a process is no point of a trend of memory in use."""
        paths = [path for path in self.inputs.args(self.is_named(case)) if path != '--to']
        if case.kind == 'trend' and case.metric.startswith('inuse'):
            paths = [path for path in paths if not is_exit_of_series(path, paths)]
        return paths

    def stacks(self, case):
        """The number of stacks in a series, which its own JSON does not contain."""
        read = (f'--thread={self.thread}',) if case.filter == 'thread' else ()
        read += ('--keep-unmapped',) if case.by == 'address' else ()
        paths = self.used(case)
        key = (read, *paths)
        if key not in self.counts:
            report = load(t.ok('top', '-q', '-j1', '-n1', '--no-symbols', '-fjson', *read, '--dumps=sum',
                               *paths).out)
            self.counts[key] = report['inputs']['stacks']
        return self.counts[key]


def is_exit_of_series(path, paths):
    """Whether it is an exit dump beside others of its process, which is no point of a trend."""
    process = re.match(r'(.*\.\d+)\.\d+\.f\.heap', str(path))
    return bool(process) and sum(str(other).startswith(f'{process[1]}.') for other in paths) > 1


def nameless(value):
    if isinstance(value, dict):
        return {key: nameless(part) for key, part in value.items() if key not in ('name', 'frames')}
    return [nameless(part) for part in value] if isinstance(value, list) else value


def wholes_of(short, full, found=None):
    """{short name: its whole ones} of rows of two reports that differ in that alone, and in the order of
    rows that hold the same."""
    found = collections.defaultdict(set) if found is None else found
    groups = collections.defaultdict(lambda: ([], []))
    for side, rows in enumerate((short, full)):
        for row in rows:
            groups[str(nameless(row))][side].append(row)
    for ours, theirs in groups.values():
        for row, other in itertools.product(ours, theirs) if 'frames' not in ours[0] else zip(ours, theirs):
            names = zip(row.get('frames') or [row.get('name')], other.get('frames') or [other.get('name')])
            for name, whole in names:
                found[name].add(whole)
            for key, value in row.items():
                if isinstance(value, list) and value and isinstance(value[0], dict) and 'name' in value[0]:
                    wholes_of(value, other[key], found)
    return found


@dataclass
class Reports:
    """The reports of one case in all formats."""
    json: dict
    tsv: str
    text: str
    shown: Shown

    def with_json(self, report):
        return dataclasses.replace(self, json=report)


def write(runner, case):
    """The Reports of a case, or the message of all formats if there are none."""
    args = runner.args(case)

    def run(*more):
        return t.run(*args, *more)

    limit = f'-n{case.json_limit}'
    first = run('-fjson', limit)
    names = [] if '--names=full' in args else ['--names=short']
    verbose = ['-v', *names] if case.kind in VERBOSE else []
    text = run(f'-n{case.limit}', f'--unit={case.unit}', *verbose)
    tsv = run('-ftsv', limit) if case.kind in CELLS else None
    if first.code != 0:
        said = {(r.code, r.out, r.err) for r in (first, text, tsv) if r}
        if len(said) > 1 or first.code not in (2, 5):
            raise AssertionError(f'{first} and others: {said}')
        return first.err
    if text.code or tsv and tsv.code:
        raise AssertionError(f'{text}: {text.code} {text.err}, but not so with -fjson')
    report = load(first.out)
    by_cum = case.kind in ('tree', 'peek', 'list') or '--cum' in case.variation
    surer = load(run('-fjson', limit, '--confidence=50').out) if (
        by_cum and case.kind not in ('diff', 'trend') and '--confidence=none' not in args) else None
    whole = load(run('-fjson', limit, '--names=full').out) if '--names=short' in args else report
    shown = Shown(case.unit, case.limit, case.json_limit, '--cum' in args, '--sort=name' in args, '--columns=spread' in args,
                  runner.inputs.format, surer=surer, is_jemalloc=runner.inputs.is_jemalloc)
    shown.dumps = list(map(str, runner.used(case)))
    shown.wholes = wholes_of(report.get('rows', []), whole.get('rows', []))
    shown.stacks = report['inputs']['stacks'] if 'stacks' in report.get('inputs', {}) else (
        runner.stacks(case))
    return Reports(report, tsv.out if tsv else '', text.out, shown)

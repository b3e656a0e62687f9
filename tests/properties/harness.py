"""Shared by the property tests: running hprof-agg, reading its reports back, independent arithmetic to compare with,
and TAP output.  Python 3 standard library only.

    usage of every test: SCRIPT BINARY TESTDATA [--sample | --full]
"""
import concurrent.futures
import csv
import gzip
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import traceback

from program import Program, without_next  # noqa: F401  other tests take without_next() from here
from rooted import gone

METRICS = ('inuse-objects', 'inuse-space', 'alloc-objects', 'alloc-space')
JOBS = max(2, os.cpu_count() or 2)
IS_SAMPLE = '--sample' in sys.argv  # only some of many runs of one kind, as under the sanitizers
IS_FULL = '--full' in sys.argv      # each of many runs of one kind, which takes minutes

def every(nth, items, first=0):
    """Each nth of the items; with --full all of them."""
    return list(items) if IS_FULL else list(items)[first % nth::nth]


# --- tests ------------------------------------------------------------------------------


class Tests(Program):
    """Collects tests, runs them, reports each as one TAP line.  Runs of the binary look for binaries in folders of the
    test only, unless the test `is_of_machine`: about programs that it runs there.  `is_coded`: messages of all runs
    have codes and values in place of sentences."""

    def __init__(self, is_of_machine=False, is_coded=False):
        binary, testdata = sys.argv[1:3]
        super().__init__(os.path.abspath(binary))
        self.is_rooted, self.is_coded = not is_of_machine, is_coded
        self.testdata = pathlib.Path(testdata).resolve()
        self.formats = self.testdata / 'formats'
        self.real = self.testdata / 'real'
        self.root = self.testdata / 'root'
        self.count = self.failures = 0

    def check(self, what, faults):
        """Run one test.  `faults` is a list of sentences, or a function that returns one; it may also return a
        sentence on what was proved."""
        self.count += 1
        try:
            faults = faults() if callable(faults) else faults
        except Exception:
            faults = traceback.format_exc().splitlines()
        if isinstance(faults, str):
            what, faults = f'{what}: {faults}', []
        faults = list(faults or [])
        self.failures += bool(faults)
        print(f'{"not " if faults else ""}ok {self.count} - {what}', flush=True)
        if faults:
            # Printed where meson shows it if the test fails.
            more = [f'... and {len(faults) - 20} more'] if len(faults) > 20 else []
            print(what, *faults[:20], *more, sep='\n    ', file=sys.stderr, flush=True)

    def done(self):
        print(f'1..{self.count}')
        sys.exit(1 if self.failures else 0)

    def run(self, *args, stdin=None, env=None, cwd=None, timeout=300, preexec_fn=None,
            is_rooted=True, is_coded=False):
        """Run the binary; a Result.  Every run is also checked for dying by a signal.  `is_coded`: messages have codes
        and values in place of sentences."""
        environment = {k: v for k, v in os.environ.items()
                       if k != 'COLUMNS'}
        environment.update(env or {})
        done = subprocess.run(self.command(*args, is_rooted=is_rooted, is_coded=is_coded), input=stdin or b'',
                              capture_output=True, env=environment, cwd=cwd,
                              timeout=timeout, check=False, preexec_fn=preexec_fn)
        result = Result(args, done)
        if done.returncode < 0:
            raise AssertionError(f'{result} died by signal {-done.returncode}')
        return result

    def ok(self, *args, **options):
        """Run the binary, which has to succeed."""
        result = self.run(*args, **options)
        if result.code != 0:
            raise AssertionError(f'{result} ended with {result.code}: {result.err.strip()}')
        return result

    def codes(self, *args, **options):
        """Run the binary, which has to succeed, with codes and values of messages in place of sentences."""
        return self.ok(*args, is_coded=True, **options)

    def help(self, *topic):
        return self.ok('help', *topic, env={'COLUMNS': '250'}).out

    def formats_of(self, *command):
        """The names of the formats that a command writes; without one of all that there are."""
        return list(self.patterns_of(*command))

    def merge(self, out, inputs, *options, **more):
        return self.run('merge', '-q', '-o', out, *options, *inputs, **more)

    def merged(self, out, inputs, *options):
        """`out`, which the inputs have been merged into."""
        self.ok('merge', '-q', '-o', out, *options, *inputs)
        return out

    def digest(self, partial):
        return self.ok('digest', partial).out.split()[0]

    def totals(self, *args, **options):
        return self.ok('info', '-v', '--no-symbols', *args, **options).totals()

    def table(self, *args, **options):
        """A `top` whose rows() can be read; it folds the same frames as formats for other tools."""
        return self.ok('top', '-n0', '--unit=B', '--confidence=none', '--frames=no-alloc', *args, **options)

    def in_parallel(self, function, items):
        """Call function(item) for each item, in parallel; returns all faults in the order of the items."""
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            return [fault for faults in pool.map(function, items) for fault in faults or []]


class Result:
    def __init__(self, args, done):
        self.args, self.code = args, done.returncode
        self.out_bytes = done.stdout
        self.out = done.stdout.decode('utf-8', 'replace')
        self.err = done.stderr.decode('utf-8', 'replace')

    def __str__(self):
        shown = ' '.join(os.path.basename(str(a)) if '/' in str(a) else str(a)
                         for a in self.args)
        return 'hprof-agg ' + (shown if len(shown) < 200 else shown[:200] + '…')

    def totals(self, lines='total|stacks'):
        """{metric: number or None} from the `total METRIC VALUE` lines of info, or from the later `stacks METRIC VALUE`
        where headers show the total better: other formats add up to the sum of stacks."""
        found = {}
        for metric, value in re.findall(rf'^\s*(?:{lines}) ([a-z-]+) +(\S+)$', self.out, re.M):
            if metric in METRICS:  # not a sample type of the inputs
                found[metric] = None if value == '-' else float(value)
        if set(found) != set(METRICS):
            raise AssertionError(f'{self}: no totals in: {self.out[-500:]}')
        return found

    ROW = re.compile(r'^\s*(?P<flat>-?[\d,]+)(?: B)?\s+(?P<flat_share>[\d.]+)%\s+'
                     r'(?P<sum_share>[\d.]+)%\s+(?P<cum>-?[\d,]+)(?: B)?\s+'
                     r'(?P<cum_share>[\d.]+)%\s+(?P<name>.*)$')

    def rows(self):
        """The rows of a table() as (flat, cum, name)."""
        head, _, body = self.out.partition('\n\n')
        lines = body.splitlines()
        if not lines or 'flat%' not in lines[0]:
            raise AssertionError(f'{self}: no table in: {self.out[:500]!r}')
        rows = []
        for line in lines[1:]:
            if not line.startswith(' ') and not self.ROW.match(line):  # a note below the table
                break
            row = self.ROW.match(line)
            if not row:
                raise AssertionError(f'{self}: not a row: {line!r}')
            rows.append((int(row['flat'].replace(',', '')), int(row['cum'].replace(',', '')),
                         row['name'].strip()))
        return rows

    def folded(self):
        """[(frames from the root, value)] of a folded report."""
        stacks = []
        for line in self.out.splitlines():
            stack, _, value = line.rpartition(' ')
            stacks.append((stack.split(';'), int(value)))
        return stacks


def scratch():
    return tempfile.TemporaryDirectory(prefix='hprof-agg-')


def near(a, b, relative=1e-9, absolute=0.0):
    if a is None or b is None:
        return a == b
    return math.isclose(a, b, rel_tol=relative, abs_tol=absolute)


HOSTILE = b'/srv/"\\</script>;\x1b[31m\x07\xff\xe2\x80\xae\'#'


def hostile_dump(t, folder, name=HOSTILE):
    """A dump whose program is called that."""
    path = pathlib.Path(folder) / 'hostile.heap'
    text = gone(t.testdata / 'golden' / 'procs1.heap').read_bytes()
    path.write_bytes(text.replace(b'/srv/corpus/formats/alloc_c', name))
    return path


# --- dumps, read by other means ---------------------------------------------------------


def unpacked(content):
    """The uncompressed content, since another library may compress differently."""
    return gzip.decompress(content) if content.startswith(b'\x1f\x8b') else content


def read_text(path):
    raw = pathlib.Path(path).read_bytes()
    if raw[:2] == b'\x1f\x8b':
        raw = gzip.decompress(raw)
    return raw.decode('utf-8', 'surrogateescape')


COUNTS = re.compile(r'\s*t(\*|\d+): (\d+): (\d+) \[(\d+): (\d+)\]\s*$')


class Dump:
    """A jemalloc heap_v2 dump: period, header totals and the four counts of each stack."""

    def __init__(self, path):
        lines = read_text(path).split('\n')
        start = next(i for i, line in enumerate(lines) if line.startswith('heap_v2/'))
        self.period = int(lines[start].split('/')[1])
        self.stacks = []   # [inuse objects, bytes, alloc objects, bytes] of the t* lines
        self.threads = []  # for each stack: the same for each of its tN lines
        self.header = None
        for line in lines[start + 1:]:
            if line.startswith('MAPPED_LIBRARIES:'):
                break
            counts = COUNTS.match(line)
            values = list(map(int, counts.groups()[1:])) if counts else None
            if line.startswith('@'):
                self.stacks.append([0, 0, 0, 0])
                self.threads.append([])
            elif counts and self.stacks:
                if counts[1] == '*':
                    self.stacks[-1] = values
                else:
                    self.threads[-1].append(values)
            elif counts and counts[1] == '*':
                self.header = values
        raw = [sum(stack[i] for stack in self.stacks) for i in range(4)]
        self.unbiased_when_written = self.header[:2] != raw[:2]

    def jeprof_totals(self):
        """The totals of jeprof, which unbiases each stack by its mean object size."""
        parts = {metric: [] for metric in METRICS}
        for stack in self.stacks:
            for offset in (0, 2):
                objects, size = unbias(stack[offset], stack[offset + 1], self.period)
                parts[METRICS[offset]].append(objects)
                parts[METRICS[offset + 1]].append(size)
        return {metric: math.fsum(values) for metric, values in parts.items()}


def unbias(objects, size, period):
    """jeprof's formula: (objects, bytes)."""
    if objects == 0:
        return 0.0, 0.0
    factor = -math.expm1(-(size / objects) / period)
    return (objects / factor, size / factor) if factor else (float(objects), float(size))


def expected_totals(formats):
    """The rows of expected-totals.tsv, with the four totals as numbers."""
    with open(formats / 'expected-totals.tsv', encoding='utf-8') as table:
        for row in csv.DictReader(table, delimiter='\t'):
            row['totals'] = {
                'inuse-objects': float(row['inuse_objects']),
                'inuse-space': float(row['inuse_bytes']),
                'alloc-objects': float(row['alloc_objects']),
                'alloc-space': float(row['alloc_bytes'])}
            yield row

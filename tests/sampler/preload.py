#!/usr/bin/env python3
"""Real programs under the preloaded sampler: they behave as without it, and the intervals of hprof-agg for the
sampled dump contain the exact dump of the same process as often as
docs/explanation/statistics.md promises.

usage: preload.py BINARY TESTDATA PRELOAD_LIBRARY [--full]

With --full twice as many seeds.
"""
import collections
import functools
import glob
import math
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'properties'))
from harness import IS_FULL, Dump, Tests, scratch  # noqa: E402
from intervals import certain, interval, variance_of  # noqa: E402

LG = 12
R = 1 << LG
LIBRARY = os.path.abspath(sys.argv[3])
# Environment without the build's own sanitizers and MALLOC_PERTURB_, which are not tested here.
CLEAN = {k: v for k, v in os.environ.items()
         if not k.startswith(('MALLOC_', 'HPROF_', 'LD_', 'ASAN_', 'UBSAN_'))}
CLEAN['LC_ALL'] = 'C'

# --- running programs -------------------------------------------------------------------


def settings(name, **more):
    more = {'lg_sample': LG, **more}
    return ','.join([f'name:{name}', *(f'{k}:{v}' for k, v in more.items())])


def run(command, conf=None, env=None, timeout=100, **options):
    environment = {**CLEAN, **(env or {})}
    if conf is not None:
        environment.update(LD_PRELOAD=LIBRARY, HPROF_SAMPLER=conf)
    return subprocess.run([str(word) for word in command], env=environment, timeout=timeout,
                          check=False, **{'capture_output': True, **options})


def differences(plain, ours, errors=True):
    """Faults, if a program behaved otherwise with the sampler than without."""
    faults = []
    for what in ('returncode', 'stdout', *(['stderr'] if errors else [])):
        a, b = getattr(plain, what), getattr(ours, what)
        if a != b:
            faults.append(f'{what} is {str(b)[:500]} instead of {str(a)[:500]}')
    return faults


def build(directory, name, *flags):
    """A test program next to this script, compiled; its path."""
    source = next(HERE.glob(name + '.c*'))
    compiler = os.environ.get('CC') or 'cc'
    standard = 'gnu11'
    if source.suffix == '.cc':
        compiler, standard = os.environ.get('CXX') or 'c++', 'c++17'
    program = directory / (name + ''.join(flags))
    subprocess.run([*compiler.split(), f'-std={standard}', '-O1', '-g', '-pthread', '-fno-builtin',
                    '-fno-optimize-sibling-calls', *flags, '-o', program, source], check=True)
    return program


def compare(command, name, errors=True, **more):
    """Faults of a program's behaviour under the sampler."""
    return differences(run(command), run(command, settings(name, **more)), errors)


# --- dumps ------------------------------------------------------------------------------


def usize(request):
    """jemalloc's size class of a request: 8, multiples of 16 to 128, then 4 a doubling."""
    if request <= 8:
        return 8
    step = 16
    while request > 8 * step:
        step *= 2
    return -(-request // step) * step


def raw_stacks(path):
    """{frames from the root, as text: [objects, bytes] as sampled}."""
    text = pathlib.Path(path).read_text()
    rows = re.findall(r'^@(.*)\n  t\*: (\d+): (\d+) ', text, re.M)
    return {';'.join(reversed(frames.split())): (int(n), int(b)) for frames, n, b in rows}


def estimates(path):
    """{frames: bytes} by hprof-agg; without a map, addresses stay unchanged."""
    bare = pathlib.Path(f'{path}.bare')
    text, mark, _ = pathlib.Path(path).read_text().partition('MAPPED_LIBRARIES:\n')
    bare.write_text(text + mark)
    report = t.ok('merge', '--format=folded', '--frames=all', '--by=address', '--no-symbols',
                  '--metric=inuse-space', bare)
    bare.unlink()
    # hprof-agg marks a stack of 128 frames, which may be truncated.
    return {';'.join(frames).removeprefix('[truncated];'): value
            for frames, value in report.folded()}


def is_class(size):
    """Whether a mean size can be that of objects that are all equal."""
    return math.isclose(size, usize(round(size)), rel_tol=2e-3)


@functools.lru_cache(maxsize=None)
def bounds(total, variance):
    return interval(total, variance, R, 0.05)


def stack_interval(total, objects, size):
    """[L, U] and V of a stack, from the total of hprof-agg and the numbers of the dump."""
    mean = size / objects
    variance = variance_of(total, mean, R)
    sure = size
    if not is_class(mean):
        variance += R * R / 12
        sure = certain(objects, size, R)
    low, high = bounds(total, variance)
    return max(low, sure * 0.99) if objects == 1 else low, high, variance


class Coverage:
    """The coverage over all stacks of all programs."""

    def __init__(self):
        self.stacks = self.covered = self.processes = self.totals = 0
        self.estimate = self.truth = 0

    def add(self, name):
        """Faults of one process's two dumps."""
        sampled, exact = f'{name}.heap', f'{name}.truth.heap'
        seen, truth = estimates(sampled), estimates(exact)
        raw, raw_truth = raw_stacks(sampled), raw_stacks(exact)
        faults = [f'{name}: a sampled stack that no live object has: {stack}'
                  for stack in seen if not truth.get(stack)]
        faults += [f'{name}: {truth.get(stack)} bytes instead of exactly {size}: {stack}'
                   for stack, (_, size) in raw_truth.items() if truth.get(stack) != size]
        sum_variance = 0
        for stack, size in truth.items():
            low, high = 0, -R * math.log(0.025)
            if stack in seen:
                low, high, variance = stack_interval(seen[stack], *raw[stack])
                sum_variance += variance
            self.stacks += 1
            self.covered += low - 1 <= size <= high + 1
        total, total_truth = sum(seen.values()), sum(truth.values())
        low, high = interval(total, sum_variance, R, 0.05)
        self.processes += 1
        self.totals += low <= total_truth <= high
        self.estimate += total
        self.truth += total_truth
        if len(truth) < 5 or total_truth < 20 * R:
            faults.append(f'{name}: only {len(truth)} stacks with {total_truth} bytes')
        return faults

    def judge(self):
        def least(n):
            return 0.95 - 6 * math.sqrt(0.95 * 0.05 / n)
        share, totals = self.covered / self.stacks, self.totals / self.processes
        said = (f'{self.covered} of {self.stacks} stacks ({100 * share:.2f} %), '
                f'{self.totals} of {self.processes} totals, all in all '
                f'{100 * (self.estimate / self.truth - 1):+.2f} % of {self.truth} bytes')
        good = share >= least(self.stacks) and totals >= least(self.processes)
        return said if good and self.stacks >= 2000 else [said]


def by_function(path, metric='inuse-space'):
    rows = t.table('--by=function', f'--metric={metric}', path).rows()
    return {name: flat for flat, _, name in rows if flat}


def largest(pattern):
    """NAME of the process with the largest exact dump."""
    found = sorted(glob.glob(f'{pattern}.truth.heap'), key=os.path.getsize)
    if not found:
        raise AssertionError(f'no dump {pattern}')
    return found[-1].removesuffix('.truth.heap')


# --- programs that know their own memory -------------------------------------------------


def threads(directory):
    program = build(directory, 'threads')
    names = ('by_malloc', 'by_calloc', 'by_realloc', 'by_reallocarray', 'by_memalign',
             'by_aligned_alloc', 'by_posix_memalign', 'by_valloc')

    def truth_of(done):
        truth = collections.Counter()
        for name, size in re.findall(r'^live (\w+) (\d+)$', done.stdout.decode(), re.M):
            truth[name] += usize(int(size))
        return truth

    def exactly(seed):
        name = directory / f'threads{seed}'
        done = run([program, 64, 400, seed, 3], settings(name, truth='true'))
        faults = [f'ended with {done.returncode}: {done.stderr}'] if done.returncode else []
        truth, seen = truth_of(done), by_function(f'{name}.truth.heap')
        faults += [f'{site}: {seen.get(site)} bytes, truth {truth[site]}'
                   for site in names if seen.get(site) != truth[site]]
        return faults + coverage.add(name)

    def sampled_only(seed):
        """The same without truth mode, which has a different gate."""
        name = directory / f'sampled{seed}'
        done = run([program, 64, 400, seed, 3], settings(name))
        truth, seen = truth_of(done), by_function(f'{name}.heap')
        faults = [f'ended with {done.returncode}: {done.stderr}'] if done.returncode else []
        for site in names:
            # A function's objects have many sizes: the largest variance they can have.
            low, high = interval(seen.get(site, 0), seen.get(site, 0) * R, R, 1e-6)
            if not low <= truth[site] <= high:
                faults.append(f'{site}: {seen.get(site)}, [{low:.0f}, {high:.0f}], '
                              f'truth {truth[site]}')
        return faults

    for seed in range(1, 5 if IS_FULL else 3):
        t.check(f'64 threads, seed {seed}: the exact dump has the numbers of the program',
                lambda: exactly(seed))
    for seed in range(5, 8 if IS_FULL else 6):
        t.check(f'64 threads without truth mode, seed {seed}: intervals contain the truth of each function',
                lambda: sampled_only(seed))


def forks(directory):
    program = build(directory, 'forks')
    name = directory / 'forks'

    def behaves():
        done = run([program], settings(f'{name}.%p', truth='true'))
        statuses = done.stdout.split()
        faults = [] if done.returncode == 0 and len(statuses) == 48 else [str(done)]
        return faults + [f'children ended with {set(statuses)}: {done.stderr}'
                         for _ in [0] if set(statuses) != {b'10', b'11', b'0'}]

    def dumps():
        faults = []
        final = glob.glob(f'{name}.[0-9]*.truth.heap')
        asked = [path for path in final if re.search(r'\.\d+\.0\.truth\.heap$', path)]
        final = [path for path in final if path not in asked]
        # There are 16 children of each kind; those that start `true` have a dump of that program.
        if (len(asked), len(final)) != (16, 33):
            faults.append(f'{len(asked)} dumps on request and {len(final)} final ones')
        with_children = 0
        for path in asked + final:
            seen = by_function(path)
            with_children += 'child_keeps' in seen
            if 'child_keeps' in seen and (seen['child_keeps'] != 50 * 2048 or
                                          seen.get('parent_keeps') != 25 * 1024):
                faults.append(f'{path}: {seen}')
        if with_children != 32:
            faults.append(f'{with_children} dumps of children')
        parents = [seen for seen in map(by_function, final) if 'parent_keeps' in seen and 'child_keeps' not in seen]
        if [seen['parent_keeps'] for seen in parents] != [50 * 1024]:
            faults.append(f'the parent lost objects: {parents}')
        return faults

    def seeds():
        counts = collections.Counter(
            by_function(path).get('child_keeps', 0)
            for path in glob.glob(f'{name}.[0-9]*.0.heap'))
        return [] if len(counts) > 4 else [f'children sampled alike: {counts}']

    t.check('fork() from threads while others allocate does no harm', behaves)
    t.check('each child has its own dump, with the inherited memory that it did not free', dumps)
    t.check('children draw independent random numbers', seeds)


def signals(directory):
    program = build(directory, 'signals')
    name = directory / 'signals'

    def behaves():
        command = [program, int(signal.SIGUSR2), 2500]
        done = run(command, settings(name, truth='true', signal='SIGUSR2'))
        return [] if (done.returncode, done.stdout) == (0, b'done\n') else [str(done)]

    def complete():
        dumps = glob.glob(f'{name}.*.heap')
        if len(dumps) < 100:  # signals that wait for a busy thread become one
            return [f'only {len(dumps)} dumps']
        faults = [f'{path} is left' for path in glob.glob(f'{name}*.tmp')]
        for path in dumps:
            dump = Dump(path)
            sums = [sum(stack[i] for stack in dump.stacks) for i in range(2)]
            if '.truth.' in path and dump.header[:2] != sums:
                faults.append(f'{path}: {dump.header} is not the sum {sums}')
            if not pathlib.Path(path).read_text().rstrip().endswith('[vsyscall]'):
                faults.append(f'{path} has no whole map')
        numbers = sorted(int(path.split('.')[-2]) for path in dumps if '.truth.' not in path
                         and path.split('.')[-2].isdigit())
        if numbers != list(range(len(numbers))):
            faults.append(f'numbers are missing in {numbers}')
        return faults or f'{len(dumps)} dumps'

    t.check('5000 signals to threads that allocate do no harm', behaves)
    t.check('every dump on a signal is complete', complete)


def frees(directory):
    program = build(directory, 'frees')

    def stays(mode, **more):
        name = directory / f'frees-{mode}'
        done = run([program, 4000], settings(name, **more))
        grown = re.search(rb'grown by (-?\d+)', done.stderr)
        faults = [str(done)] if done.returncode or not grown else []
        faults += [f'grown by {int(grown[1])}'] if int(grown[1]) > 1 << 18 else []
        kind = 'truth.heap' if 'truth' in more else 'heap'
        left = by_function(f'{name}.{kind}')
        return faults + [f'{function} has {left[function]} bytes'
                         for function in ('leaf', 'round_of') if function in left]

    def accumulates():
        name = directory / 'accum'
        run([program, 100], settings(name, truth='true', accum='true'))
        seen = by_function(f'{name}.truth.heap', 'alloc-objects')
        return [] if seen.get('leaf') == 25600 else [str(seen)]

    t.check('a program that frees everything has nothing left and does not grow',
            lambda: stays('sampled'))
    t.check('in truth mode, such a program has nothing left and does not grow', lambda: stays('exact', truth='true'))
    t.check('accum:true counts freed memory', accumulates)


# --- promises of malloc() and operator new ------------------------------------------------


def promises(directory):
    edges, operators = build(directory, 'edges'), build(directory, 'operators')
    replaced = build(directory, 'replaced', '-Wno-free-nonheap-object')
    modes = {'all sampled': {'lg_sample': 0}, 'few sampled': {'lg_sample': 19},
             'truth': {'truth': 'true'}}
    for mode, more in modes.items():
        for program in (edges, operators, replaced):
            t.check(f'{program.name} behaves as without the library: {mode}',
                    lambda: compare([program], directory / 'promises', **more))

    def none_says_no():
        said = run([edges], settings(directory / 'edges', truth='true')).stdout
        said += run([operators], settings(directory / 'operators', truth='true')).stdout
        return [line for line in said.decode().splitlines() if ': NO' in line]

    def found():
        seen = by_function(directory / 'operators.truth.heap')
        expected = {'kept_by_new': 112000, 'kept_by_new_array': 224000,
                    'kept_by_nothrow': 320000, 'kept_by_aligned': 448000}
        return [f'{name}: {size} instead of {expected[name.partition("(")[0]]}'
                for name, size in seen.items()
                if expected.pop(name.partition('(')[0], size) != size] + list(expected)

    def goes_on():
        seen = by_function(directory / 'promises.heap')
        return [str(seen)] if seen.get('after_all', 0) < 1000 * 16384 else []

    t.check('all promises are kept', none_says_no)
    t.check('each operator new is attributed to its caller', found)
    t.check('sampling continues after requests that no memory can satisfy',
            lambda: compare([edges], directory / 'promises', lg_sample=0) or goes_on())


# --- settings -----------------------------------------------------------------------------


def configuration(directory):
    program = build(directory, 'calls', '-fno-omit-frame-pointer')
    without = build(directory, 'calls', '-O2', '-fomit-frame-pointer')
    plain = run([program])

    def malformed():
        name = directory / 'malformed'
        wrong = ('lg_sample:banana', 'lg_sample:64', 'truth:maybe', 'nonsense:1', 'signal:KILL',
                 'signal:WINK', 'unwind:', 'seed:-1', 'final', 'x' * 5000)
        done = run([program], ','.join([f'name:{name}', *wrong]))
        lines = done.stderr.decode().splitlines()
        faults = differences(plain, done, errors=False)
        faults += [f'{line[:200]!r} does not name {text[:100]}' for line, text in zip(lines, wrong)
                   if f"'{text[:4000]}" not in line or not line.startswith('hprof-sampler: ')]
        if len(lines) != len(wrong) or Dump(f'{name}.heap').period != 1 << 19:
            faults.append(f'{len(lines)} lines')
        return faults

    def unwritable():
        done = run([program], settings(directory / 'nowhere' / 'x'))
        said = f"hprof-sampler: cannot write '{directory}/nowhere/x.heap': No such file or directory\n"
        return differences(plain, done, errors=False) + (
            [done.stderr] if done.stderr.decode() != said else [])

    def counts(name):
        return sorted(raw_stacks(f'{name}.heap').values())

    def seeds():
        def sample(name, **more):
            run([program], settings(directory / name, **more))
            return counts(directory / name)
        first = sample('seed1', seed=1)
        return [what for what, wrong in {
            'the same seed gives other samples': first != sample('seed1b', seed=1),
            'another seed gives the same samples': first == sample('seed2', seed=2),
            'truth mode gives other samples': first != sample('seed1t', seed=1, truth='true'),
        }.items() if wrong]

    def requested():
        name = directory / 'requested'
        run([program, name], settings(directory / 'other', truth='true', final='false'))
        faults = [] if by_function(f'{name}.truth.heap').get('third') == 2999 * 320 else ['truth']
        return faults + [path for path in glob.glob(f'{directory}/other*')]

    def named():
        name = directory / 'named.%p'
        run([program], settings(name, thread_name='true'))
        found = glob.glob(f'{directory}/named.[0-9]*.heap')
        return [] if len(found) == 1 and re.search(
            r'^  t0: .*\] calls', pathlib.Path(found[0]).read_text(), re.M) else found or ['none']

    def chain(unwind):
        name = directory / f'chain-{unwind}'
        run([program], settings(name, truth='true', unwind=unwind))
        stacks = t.ok('merge', '--format=folded', f'{name}.truth.heap').folded()
        good = [value for stack, value in stacks if stack[-4:] == ['main', 'first', 'second', 'third']]
        depths = [len(stack.split(';')) for stack in raw_stacks(f'{name}.truth.heap')]
        faults = [] if good == [2999 * 320] else [f'main;first;second;third has {good}']
        return faults + ([] if max(depths) == 128 else [f'the deepest has {max(depths)} frames'])

    t.check('each malformed setting is reported, and has its default', malformed)
    t.check('a dump that cannot be written is reported in one sentence', unwritable)
    t.check('the seed determines the samples, in truth mode and without it', seeds)
    t.check('a dump on request has the requested name, and final:false writes no other', requested)
    t.check('%p is the process, and thread_name:true writes names', named)
    for unwind in ('unwinder', 'frame-pointer'):
        t.check(f'unwind:{unwind} finds the callers, up to 128', lambda: chain(unwind))
    t.check('unwind:frame-pointer does no harm without frame pointers',
            lambda: compare([without], directory / 'harm', lg_sample=0, unwind='frame-pointer') +
            compare([sys.executable, '-c', PYTHON, '3'], directory / 'harm',
                    unwind='frame-pointer', truth='true'))


# --- other people's programs --------------------------------------------------------------

PYTHON = '''
import json, re, sys
n = 400 * int(sys.argv[1])
class Node:
    def __init__(self, i):
        self.name, self.next = "node %d" % i, None
nodes = {i: Node(i) for i in range(n)}
words = [("word %d " % i) * (i % 40) for i in range(n)]
text = json.dumps({str(i): [w, len(w), {"a": i}] for i, w in enumerate(words)})
back = json.loads(text)
found = re.findall(r"word (\\d+)", text)
table = [[x * y for x in range(i % 60)] for i, y in enumerate(range(n))]
blocks = [bytearray(100 + (i * 7919) % 9000) for i in range(n // 4)]
del words
print(len(text), len(back), len(found), sum(map(sum, table)), sum(map(len, blocks)))
import os
sys.stdout.flush()
'''

CPLUSPLUS = '''
#include <algorithm>
#include <map>
#include <string>
#include <vector>
template <int N> struct counter {
    std::map<std::string, std::vector<int>> table;
    int add(const std::string &key, int value) {
        auto &row = table[key + std::to_string(N)];
        row.push_back(value);
        std::sort(row.begin(), row.end(), [](int a, int b) { return a > b; });
        return *std::max_element(row.begin(), row.end()) + counter<N - 1>().add(key, value);
    }
};
template <> struct counter<0> {
    int add(const std::string &, int value) { return value; }
};
int count(const std::string &key) { return counter<12>().add(key, 5); }
'''


def cpython(directory):
    def agrees(scale, seed):
        name = directory / f'python{scale}-{seed}'
        command = [sys.executable, '-S', '-c', PYTHON, scale]
        env = {'PYTHONMALLOC': 'malloc', 'PYTHONHASHSEED': '0'}
        # Without the cleanup at exit, which would leave few live objects.
        command[3] += 'import ctypes\nctypes.CDLL(None).exit(7)\n'
        plain = run(command, env=env)
        ours = run(command, settings(name, truth='true', seed=seed), env=env)
        return differences(plain, ours) + coverage.add(name)
    for seed in range(1, 5 if IS_FULL else 3):
        t.check(f'CPython, seed {seed}', lambda: agrees(2 + seed, seed))


def compiler(directory):
    source = directory / 'source.cc'
    source.write_text(CPLUSPLUS)
    command = [os.environ.get('CXX') or 'g++', '-O1', '-c', source, '-o']

    def agrees():
        name = directory / 'cxx'
        plain = run([*command, directory / 'plain.o'])
        ours = run([*command, directory / 'ours.o'], settings(f'{name}.%p', truth='true'))
        faults = differences(plain, ours)
        if (directory / 'plain.o').read_bytes() != (directory / 'ours.o').read_bytes():
            faults.append('the object files differ')
        return faults + coverage.add(largest(f'{name}.[0-9]*'))
    t.check('a C++ compiler makes the same object file', agrees)


def git(directory):
    repository = directory / 'repository'
    env = {'HOME': str(directory), 'GIT_CONFIG_NOSYSTEM': '1', 'GIT_PAGER': 'cat'}

    def commits():
        for n in range(150):
            yield (f'commit refs/heads/main\nmark :{n + 1}\ncommitter A <a@b> {n + 1} +0000\n'
                   f'data 5\nnew {n % 10}\n')
            for name in ('one', f'folder{n % 9}/two'):
                lines = ''.join(f'line {i} of {(i * n) // 40}\n' for i in range(100 + n % 50))
                yield f'M 100644 inline {name}\ndata {len(lines)}\n{lines}\n'

    def make():
        run(['git', 'init', '-q', repository], env=env)
        done = run(['git', '-C', repository, 'fast-import', '--quiet'], env=env,
                   input=''.join(commits()).encode())
        return [str(done)] if done.returncode else []

    def agrees(*command):
        name = directory / f'git-{command[0]}'
        command = ['git', '-C', repository, *command]
        plain = run(command, env=env)
        ours = run(command, settings(f'{name}.%p', truth='true'), env=env)
        return differences(plain, ours) + coverage.add(largest(f'{name}.[0-9]*'))

    def packs():
        ours = run(['git', '-C', repository, 'gc', '-q', '--aggressive'], env=env,
                   conf=settings(directory / 'git-gc.%p', truth='true'))
        check = run(['git', '-C', repository, 'fsck', '--full', '--strict'], env=env)
        return [str(done) for done in (ours, check) if done.returncode or done.stdout]

    t.check('git makes a repository under the sampler', make)
    t.check('git log works under the sampler', lambda: agrees('log', '--stat', '-p', 'main'))
    t.check('git gc leaves a repository without faults under the sampler', packs)
    t.check('git blame works under the sampler', lambda: agrees('blame', 'main', '--', 'one'))


class Redis:
    def __init__(self, directory, conf):
        self.path = str(directory / 'redis.sock')
        environment = {**CLEAN, 'LD_PRELOAD': LIBRARY, 'HPROF_SAMPLER': conf}
        self.server = subprocess.Popen(
            ['redis-server', '--port', '0', '--unixsocket', self.path, '--save', '', '--dir',
             str(directory)], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        deadline = time.time() + 30
        while not os.path.exists(self.path):
            if self.server.poll() is not None or time.time() > deadline:
                raise AssertionError(f'redis-server: {self.server.stderr.read()}')
            time.sleep(0.05)
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(self.path)
        self.replies = self.socket.makefile('rb')

    def ask(self, *words):
        words = [str(word).encode() for word in words]
        self.socket.sendall(b'*%d\r\n' % len(words) +
                            b''.join(b'$%d\r\n%s\r\n' % (len(word), word) for word in words))
        reply = self.replies.readline().strip()
        if reply.startswith(b'$') and reply != b'$-1':
            return self.replies.read(int(reply[1:]) + 2)[:-2]
        return reply

    def load(self, keys):
        faults = []
        for n in range(keys):
            self.ask('SET', f'key{n}', f'value{n} ' * (n % 50))
            self.ask('HSET', f'hash{n % 100}', f'field{n}', n)
        self.ask('BGSAVE')
        done = run(['redis-benchmark', '-s', self.path, '-n', 10000, '-P', 16, '-r', 3000, '-q',
                    '-t', 'set,get,lpush,rpop,hset,sadd,zadd,mset'])
        faults += [str(done)] if done.returncode else []
        for n in range(0, keys, 2):
            self.ask('DEL', f'key{n}')
        for n in range(keys):
            expected = f'value{n} '.encode() * (n % 50) if n % 2 else b'$-1'
            if self.ask('GET', f'key{n}') != expected:
                faults.append(f'key{n} is lost')
        return faults

    def stop(self):
        self.socket.sendall(b'SHUTDOWN NOSAVE\r\n')
        code = self.server.wait(timeout=60)
        said = self.server.stderr.read()
        return [f'redis-server ended with {code}: {said}'] if code or said else []


def redis(directory):
    def serves():
        name = directory / 'redis'
        server = Redis(directory, settings(f'{name}.%p', truth='true'))
        try:
            return server.load(3000) + server.stop() + coverage.add(largest(f'{name}.[0-9]*'))
        finally:
            server.server.kill()
            server.server.wait()
    t.check('redis-server under load loses no key', serves)


def main():
    with scratch() as name:
        directory = pathlib.Path(name)
        for part in (threads, forks, signals, frees, promises, configuration, cpython, compiler,
                     git, redis):
            folder = directory / part.__name__
            folder.mkdir()
            start = time.time()
            part(folder)
            if os.environ.get('TIMES'):
                print(f'# {part.__name__}: {time.time() - start:.1f} s', flush=True)
    t.check('the intervals cover the exact dumps', coverage.judge)
    t.done()


missing = [tool for tool in ('git', 'redis-server', 'redis-benchmark') if not shutil.which(tool)]
if missing:
    sys.exit(f'missing: {missing} (Debian: git, redis-server, redis-tools)')
t = Tests(is_of_machine=True)
coverage = Coverage()
main()

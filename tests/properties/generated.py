"""Programs that are generated, built again after an edit, and run under a sampler.

A program has 64 functions in five files.  A process walks from main() through them.  Its number decides the path, not
the arithmetic in the functions, so that an edited program allocates the same.  Each step is a call, a call through a
pointer, or a tail call.
"""
import bisect
import gzip
import json
import os
import pathlib
import random
import re
import subprocess

import binaries
from harness import unbias
from profile_reader import fields

PATH = '/srv/app/bin/app'  # the path in dumps
FILES = 5
FUNCTIONS = 64
EDITS = ('constant', 'more', 'less', 'function', 'call', 'frame', 'options', 'order')
ALLOCATES_MORE = 'call'  # of these the one

MAIN = '''
#include <stdlib.h>
struct kept { struct kept *next; } *all;
void keep(size_t size) {
    struct kept *kept = malloc(size);
    kept->next = all;
    all = kept;
}
typedef long function(unsigned long n, long sum);
%(prototypes)s
function *const volatile table[] = {%(names)s};
int main(int argc, char **argv) {
    unsigned long n = strtoul(argv[1], NULL, 10) * 2654435761u + 12345;
    long sum = 0;
    for (int round = atoi(argv[2]); round > 0; round--) {
        n = n * 6364136223846793005u + 1442695040888963407u;
        sum += table[(n >> 32) %% (sizeof table / sizeof *table)](n, sum);
    }
    return sum == 42;
}
'''

HEAD = '''
#include <stddef.h>
void keep(size_t size);
typedef long function(unsigned long n, long sum);
extern function *const volatile table[];
extern volatile long sink;
%s
'''

BODY = '''
long %(name)s(unsigned long n, long sum) {
%(edit)s%(arithmetic)s%(kept)s    n = n * 6364136223846793005u + %(odd)d;
    switch (n >> 62) {
    case 0: sum += %(first)s(n, sum) * 3; break;
    case 1: sum ^= table[%(second)d](n, sum) + 1; break;
    case 2: return %(third)s(n, sum);
    }
    return sum + %(odd)d;
}
'''


def name_of(number):
    return f'step_{number:02}'


class Source:
    """The files of a program of a seed, as one edit leaves them."""

    def __init__(self, seed):
        self.seed = seed
        chance = random.Random(seed)
        self.constants = [[chance.randrange(3, 120) for _ in range(chance.randrange(1, 5))] for _ in range(FUNCTIONS)]
        self.kept = [chance.choice((0, 0, 1, 2)) * chance.randrange(24, 700) for _ in range(FUNCTIONS)]
        self.callees = [[min(i + chance.randrange(1, 9), FUNCTIONS + 3) for _ in range(3)] for i in range(FUNCTIONS)]
        self.odd = [chance.randrange(1 << 20) * 2 + 1 for _ in range(FUNCTIONS)]
        self.order = list(range(FUNCTIONS))
        self.edits = {}     # of functions: text
        self.before = {}    # functions: text before them
        self.options = '-O2'

    def edited(self, kind):
        """The source after an edit of this kind; the seed and the kind choose the function that is edited."""
        other = Source(self.seed)
        chance = random.Random(f'{self.seed} {kind}')
        at = chance.randrange(FUNCTIONS - 8)
        if kind == 'constant':
            other.constants[at][0] = chance.choice((other.constants[at][0] ^ 2, 70001))
        elif kind == 'more':
            other.edits[at] = '    sum = sum * 31 ^ (sum >> 3); sink = sum;\n'
        elif kind == 'less':
            at = next(i % FUNCTIONS for i in range(at, at + FUNCTIONS) if len(self.constants[i % FUNCTIONS]) > 1)
            other.constants[at].pop()
        elif kind == 'function':
            other.before[at] = 'long added(long a) { sink = a * 11; keep(a & 127); return sink ^ 5; }\n'
        elif kind == 'call':
            other.edits[at] = f'    if (n % 3 == 0) sum += {name_of(at + chance.randrange(1, 8))}(n * 5 + 1, sum);\n'
        elif kind == 'frame':
            other.edits[at] = '    volatile char room[1000]; room[n % 999] = (char)sum; sum += room[n % 7];\n'
        elif kind == 'options':
            other.options = chance.choice(('-O1', '-O3', '-Os'))
        elif kind == 'order':
            mine = [i for i in range(FUNCTIONS) if i * FILES // FUNCTIONS == at * FILES // FUNCTIONS]
            shuffled = mine[:]
            while shuffled == mine:
                chance.shuffle(shuffled)
            other.order[mine[0]:mine[-1] + 1] = shuffled
        return other

    def function(self, i):
        last = FUNCTIONS
        called = [name_of(callee) if callee < last else 'last_step' for callee in self.callees[i]]
        return self.before.get(i, '') + BODY % {
            'name': name_of(i), 'edit': self.edits.get(i, ''), 'odd': self.odd[i],
            'arithmetic': ''.join(f'    sum = (sum ^ {constant}) * {constant | 1}; sink = sum;\n' for constant in self.constants[i]),
            'kept': f'    keep({self.kept[i]});\n' if self.kept[i] else '',
            'first': called[0], 'second': min(self.callees[i][1], last), 'third': called[2]}

    def files(self):
        """{name: text}"""
        names = [*map(name_of, range(FUNCTIONS)), 'last_step']
        prototypes = ' '.join(f'function {name};' for name in names) if names else ''
        texts = {'main': MAIN % {'prototypes': prototypes, 'names': ', '.join(names)} + 'volatile long sink;\n'
                 'long last_step(unsigned long n, long sum) { keep(n >> 59 | 32); return sum + 1; }\n'}
        for k in range(FILES):
            own = [i for i in self.order if i * FILES // FUNCTIONS == k]
            texts[f'part{k}'] = HEAD % prototypes + ''.join(map(self.function, own))
        return texts


class Builder:
    """Compiles sources to programs in a folder; an unchanged source is compiled once."""

    def __init__(self, folder, compiler=None, flags=()):
        self.folder, self.compiler, self.flags = pathlib.Path(folder), [compiler or binaries.compiler('CC')], flags
        self.objects = {}

    def object_of(self, text, options):
        if (text, options) not in self.objects:
            path = self.folder / f'object{len(self.objects)}.c'
            path.write_text(text)
            binaries.run(*self.compiler, *self.flags, options, '-w', '-fPIE', '-c', '-o', path.with_suffix('.o'), path)
            self.objects[text, options] = path.with_suffix('.o')
        return self.objects[text, options]

    def program(self, source, place):
        """The program of a source, where files below `place` are looked for by PATH's name."""
        path = pathlib.Path(place) / pathlib.PurePath(PATH).name
        path.parent.mkdir(parents=True)
        objects = [self.object_of(text, source.options) for text in source.files().values()]
        binaries.run(*self.compiler, *self.flags, '-pie', '-o', path, *objects)
        return path


class Functions:
    """The functions of a program, as printed by nm with the given options."""

    def __init__(self, program, *options):
        out = subprocess.run(['nm', '-S', '--defined-only', *options, str(program)], check=False, capture_output=True, text=True).stdout
        rows = [line.split() for line in out.splitlines()]
        self.all = sorted((int(row[0], 16), int(row[0], 16) + int(row[1], 16), row[3].partition('@')[0]) for row in rows
                          if len(row) == 4 and row[2] in 'tTwWi')
        self.starts = [start for start, _, _ in self.all]

    def at(self, address):
        """The name of the one that holds an address, or None."""
        i = bisect.bisect_right(self.starts, address) - 1
        return self.all[i][2] if i >= 0 and address < self.all[i][1] else None


# --- running ---------------------------------------------------------------------------------


ADDRESSES = re.compile(r'(?<![0-9a-f])[0-9a-f]{10,12}(?![0-9a-f])')


def moved(text, chance):
    """A dump as of a process that was loaded elsewhere."""
    between, addresses = ADDRESSES.split(text), ADDRESSES.findall(text)
    shift = chance.randrange(1 << 24) << 12
    new = [f'{int(address, 16) + shift:x}' for address in addresses]
    return ''.join(part for pair in zip(between, [*new, '']) for part in pair)


class Sampler:
    """Runs programs under libhprof-sampler.so, by qemu if it is of another machine."""

    def __init__(self, library, prefix=(), period=10):
        self.library, self.prefix, self.period = library, list(prefix), period

    def environment(self, path, seed):
        return {'LD_PRELOAD': str(self.library),
                'HPROF_SAMPLER': f'name:{path},lg_sample:{self.period},seed:{seed}'}

    def written(self, path):
        return pathlib.Path(f'{path}.heap')

    def run(self, program, path, seed, rounds):
        """The dump of a process, which is written to `path` and names PATH."""
        environment = {'PATH': os.environ['PATH'], **self.environment(path, seed)}
        passed = ['-E', f'LD_PRELOAD={environment.pop("LD_PRELOAD")}'] if self.prefix else []
        subprocess.run([*self.prefix, *passed, str(program), str(seed), str(rounds)], stdin=subprocess.DEVNULL, check=False, env=environment)
        text = self.written(path).read_text()
        self.written(path).unlink()
        path = pathlib.Path(path)
        text = text.replace(str(program), PATH)
        path.write_text(moved(text, random.Random(seed)) if self.prefix else text)  # qemu loads all at one place
        return path


class Jemalloc(Sampler):
    """Runs them under jemalloc's own sampler."""

    def environment(self, path, seed):
        return {'LD_PRELOAD': str(self.library),
                'MALLOC_CONF': f'prof:true,prof_final:true,lg_prof_sample:{self.period},prof_prefix:{path}'}

    def written(self, path):
        return next(pathlib.Path(path).parent.glob(pathlib.Path(path).name + '.*.f.heap'))


def rounds_of(seed):
    return random.Random(seed).randrange(250, 350)


# --- dumps and what names them ----------------------------------------------------------------


def start_of(text, path=PATH):
    """The start address of a program in the map of a dump."""
    rows = text.partition('MAPPED_LIBRARIES:')[2].splitlines()
    return next(int(row.partition('-')[0], 16) for row in rows if row.endswith(path) and row.split()[2] == '00000000')


def with_symbols(dump, functions, out, path):
    """The dump with a section of symbols, as jeprof --raw writes it, of a program at another path."""
    text = dump.read_text()
    start = start_of(text)
    addresses = {int(word, 16) - 1 for word in re.findall(r'0x[0-9a-f]+', text.partition('MAPPED_LIBRARIES:')[0])}
    names = {address: functions.at(address - start) for address in sorted(addresses)}
    out.write_text(f'--- symbol\nbinary={path}\n' + ''.join(f'{address:#018x} {name}\n' for address, name in names.items() if name) +
                   '---\n--- heap\n' + text.replace(PATH, path))
    return out


STACK = re.compile(r'^@ (.*)\n((?: +t.*\n)+)', re.M)


def scaled(dump, out, times, does_grow):
    """Write a copy of the dump in which stacks whose addresses fulfil `does_grow` have `times` as many objects."""
    def grow(match):
        if not does_grow([int(word, 16) for word in match[1].split()]):
            return match[0]
        return f'@ {match[1]}\n' + re.sub(r'(\d+): (\d+) \[', lambda m: f'{round(int(m[1]) * times)}: {round(int(m[2]) * times)} [', match[2])

    out.write_text(STACK.sub(grow, dump.read_text()))
    return out


def bytes_of(dump, chosen=lambda frames: True):
    """The bytes in use of the stacks whose addresses fulfil `chosen`."""
    text = dump.read_text()
    period = int(re.search(r'heap_v2/(\d+)', text)[1])
    return sum(unbias(*map(int, re.search(r't\*: (\d+): (\d+)', match[2]).groups()), period)[1] for match in STACK.finditer(text)
               if chosen([int(word, 16) for word in match[1].split()]))


def shortened(dump, out, count, chance):
    """Write a copy of the dump with only `count` of its stacks."""
    text = dump.read_text()
    stacks = list(STACK.finditer(text))
    kept = chance.sample(stacks, min(count, len(stacks)))
    out.write_text(text[:stacks[0].start()] + ''.join(match[0] for match in kept) + text[stacks[-1].end():])
    return out


def varints(data):
    value = shift = 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value
            value = shift = 0


class Names:
    """The names of the program's frames in each input, from a pprof profile made with --by=input."""

    def __init__(self, packed, path=PATH, are_mangled=False):
        parts = {}
        for number, value in fields(gzip.decompress(packed)):
            parts.setdefault(number, []).append(value)
        texts = [text.decode() for text in parts[6]]
        functions = {row[1]: texts[are_mangled and row.get(3) or row.get(2, 0)] for row in (dict(fields(part)) for part in parts.get(5, []))}
        mappings = {row[1] for row in (dict(fields(part)) for part in parts[3]) if texts[row.get(5, 0)] == path}
        self.places = {}  # id: (address, name or None)
        for part in parts[4]:
            row = dict(fields(part))
            if row.get(2) in mappings:
                self.places[row[1]] = row.get(3, 0), functions[dict(fields(row[4]))[1]] if 4 in row else None
        self.samples = []  # (input, bytes, places)
        for part in parts[2]:
            rows = list(fields(part))
            values = [value for number, value in rows if number == 2]
            labels = [dict(fields(value)) for number, value in rows if number == 3]
            of = next((texts[label[2]] for label in labels if texts[label[1]] == 'input'), '')
            ids = varints(b''.join(value for number, value in rows if number == 1))
            self.samples.append((of, list(varints(values[0]))[1], [self.places[each] for each in ids if each in self.places]))

    def count(self, functions_of_input):
        """Bytes of frames of the program: (all, those with a name, those with a wrong one); and the wrong ones."""
        every = named = wrong = 0
        false = set()
        for of, value, places in self.samples:
            for address, name in places:
                every += value
                named += value if name else 0
                truth = bare(functions_of_input(of).at(address) or '')
                if name and bare(name) != truth:
                    wrong += value
                    false.add((of, hex(address), name, truth))
        return every, named, wrong, false


    def count_mixed(self, inputs, functions_of_input):
        """As count(), of a profile without inputs; `inputs` is one of the same dumps made with --by=input, which shows the
        inputs that have the addresses of a stack.  A name is wrong if it is wrong for one of them."""
        every = named = wrong = 0
        false, owners = set(), {}
        for of, _, places in inputs.samples:
            owners.setdefault(tuple(address for address, _ in places), set()).add(functions_of_input(of))
        for _, value, places in self.samples:
            for address, name in places:
                truths = {bare(functions.at(address) or '') for functions in owners[tuple(each for each, _ in places)]}
                every += value
                named += value if name else 0
                if name and truths != {bare(name)}:
                    wrong += value
                    false.add((hex(address), name, *sorted(truths)))
        return every, named, wrong, false


SUFFIX = re.compile(r'\.(cold|part|constprop|isra|lto_priv|llvm|localalias)(\.\d+)*')


def bare(name):
    return SUFFIX.sub('', name)


# --- a program with its rebuilds ----------------------------------------------------------------

GATE = ('--fail-if=growth>5%,p<0.05', '--cum', '-n0', '-fjson', '-q')
PROCESSES = 6  # of a side


def rows_of(path):
    """The layout that dumps show of a program."""
    return [row.split(' ', 1)[1:] + [row.split(' ', 1)[0]] for row in binaries.rows(path, PATH, 0)[0]]


class Program:
    """A program, its variants by each edit, and dumps of processes of each: `base` and the names of edits."""

    def __init__(self, folder, seed, sampler, builder, edits=EDITS, processes=PROCESSES, make=Source):
        self.folder, self.seed = pathlib.Path(folder), seed
        self.programs, self.dumps, self.functions, self.truth = {}, {}, {}, {}
        self.kind_of = {}  # of each dump
        for kind in ('base', *edits):
            source = make(seed) if kind == 'base' else make(seed).edited(kind)
            self.programs[kind] = builder.program(source, self.folder / 'files' / kind)
            self.functions[kind] = Functions(self.programs[kind])
            self.dumps[kind] = [self.process(sampler, kind, number) for number in range(processes)]
            # With the names of all functions, of a path of its own.
            self.truth[kind] = self.add(kind, f'{kind} named', lambda dump, out, kind=kind: with_symbols(
                dump, self.functions[kind], out, f'/srv/{kind}/app'))

    def process(self, sampler, kind, number):
        path = self.folder / 'dumps' / kind / f'{number}.heap'
        path.parent.mkdir(parents=True, exist_ok=True)
        seed = f'{self.seed} {kind} {number}'
        walk = random.Random(seed).randrange(1 << 30)
        self.kind_of[str(path)] = kind
        return sampler.run(self.programs[kind], path, walk, rounds_of(seed))

    def add(self, kind, name, make):
        """Dumps that `make(dump, out)` makes of those of a kind."""
        made = []
        for number, dump in enumerate(self.dumps[kind]):
            out = self.folder / 'dumps' / name / f'{number}.heap'
            out.parent.mkdir(parents=True, exist_ok=True)
            made.append(make(dump, out))
            self.kind_of[str(out)] = self.kind_of[str(dump)]
        return made

    def files(self, *kinds):
        return [f'--symbol-dir={self.programs[kind].parent}' for kind in kinds]

    def has_layout(self, kind):
        """Whether dumps show the same of an edit as of the base."""
        return rows_of(self.programs[kind]) == rows_of(self.programs['base'])

    def passes(self, dump, function):
        """Whether a stack of a dump of this program, given its addresses, goes through a function."""
        functions, start = self.functions[self.kind_of[str(dump)]], start_of(dump.read_text())
        return lambda frames: any(bare(functions.at(frame - 1 - start) or '') == function for frame in frames)

    def names(self, t, options, dumps, of=''):
        """(bytes of frames of the program, named, named falsely, the false names)"""
        out = self.folder / f'names{of}.pb.gz'
        t.ok('merge', '-q', '--by=input', '-o', out, *options, *dumps)
        return Names(out.read_bytes()).count(lambda path: self.functions[self.kind_of[path]])


class Tool:
    """Runs the binary as Tests of the harness do, for programs that are no tests."""

    def __init__(self, binary):
        self.binary = os.path.abspath(binary)

    def run(self, *args):
        done = subprocess.run([self.binary, *map(str, args)], capture_output=True, check=False)
        done.out, done.err, done.code = done.stdout, done.stderr.decode(), done.returncode
        return done

    def ok(self, *args):
        done = self.run(*args)
        if done.code != 0:
            raise AssertionError(f'{args[:3]}: {done.code} {done.err}')
        return done


class Comparison:
    """A diff: its exit status, and rows {name: (significant, p)}; `claimed` are the rows that claim a change of a
    function."""

    def __init__(self, t, options, base, new):
        done = t.run('diff', *GATE, *options, *base, '--to', *new)
        if not done.out:
            raise AssertionError(f'{done.args} {done.code} {done.err}')
        self.report = json.loads(done.out)
        self.status = done.code
        self.rows = {row['name']: (row['significant'], row['p']) for row in self.report['rows']}
        self.marked = {row['name'] for row in self.report['rows'] if row['significant']}
        self.claimed = {name for name in self.marked if not name.endswith('(all code)')}

    def false_claims(self, truth, *functions):
        """Rows that claim a change which the other comparison does not have, and which are none of the changed
        functions."""
        def are_true(name):
            offset = re.fullmatch(r'app\+0x([0-9a-f]+)', name)
            return any(bare(each.at(int(offset[1], 16)) or '') in truth.marked for each in functions) if offset else name in truth.marked

        return {name for name in self.claimed if not are_true(name)}

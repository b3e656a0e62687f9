#!/usr/bin/env python3
"""Make or check the seeds of the fuzz target of reports: one for each report in each of its formats, which the
program can write.

usage: reports_seeds.py BINARY TESTDATA [--update]

With --update they are written, which is necessary after a report or a format is added.
"""
import gzip
import pathlib
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / 'properties')]
from harness import Tests, scratch  # noqa: E402
from profile_writer import Profile  # noqa: E402

SEEDS = HERE / 'seeds' / 'reports'
SEPARATOR = b'\n=====\n'
MOST = 16000  # bytes: libFuzzer truncates inputs to 16,384
# Option letters; each seed uses the next entry.  reports.c describes the letters.
LETTERS = ['', 'r', 'rf', 'wnc', 'a', 'rB', 'C', 'D', 'E', 'Fr', 'G', 'rH', 'I', 'Jr', 'K', 'rL', 'dt', 'hu', 'sz', 'xy',
           'ie', 'b', 'mr', 'kg']


def text(i, more=''):
    """A dump of a process that grows, with names of its own, and warnings."""
    values = [(n * (i + 2), n * (i + 2) * size) for n, size in ((3, 64), (2, 4096), (1 + i, 700000), (5, 96))]
    stacks = [f'@ {where}\n  t*: {a}: {b} [{a * 9}: {b * 9}]\n  t{k}: {a}: {b} [{a * 9}: {b * 9}]\n'
              for k, ((a, b), where) in enumerate(zip(values, ('0x1010 0x1020 0x1030', '0x1015 0x1030', '0x7f18', '0x9')))]
    total = ': '.join(str(sum(each)) for each in zip(*values))
    gone = ': '.join(str(9 * sum(each)) for each in zip(*values))
    return (f'{more}heap_v2/{4096 << i % 2}\n  t*: {total} [{gone}]\n  t0: {total} [{gone}] main\n{"".join(stacks)}'
            '\nMAPPED_LIBRARIES:\n1000-2000 r-xp 00000000 08:01 77 /srv/a <program> (deleted)\n'
            f'7f00-8f00 r-xp 00000000 08:01 78 /lib/libc.so.6\n').encode()


def symbolized(i):
    names = ('std::vector<int, std::allocator<int> >::push_back(int const&)', 'a::run<b>()--inlined()', 'main', '"<x>" & y')
    lines = ''.join(f'0x{where:016x} {name}\n' for where, name in zip((0x1010, 0x1020, 0x1030, 0x7f18), names))
    return b'--- symbol\nbinary=/srv/a program\n' + lines.encode() + b'---\n--- heap\n' + text(i)


def named(i):
    """A pprof profile with inlined functions, sources, labels and a sample type of its own."""
    p = Profile(types=(('inuse_objects', 'count'), ('inuse_space', 'bytes'), ('resident_space', 'bytes')))
    module = p.mapping('/opt/app', 0x1000, 0x9000, build_id='0123456789abcdef')
    inner = p.location(0x1100, module, [('operator new(unsigned long)', 'new.cc', 1), ('f<int, "x">(int&)', '/src/a b.c', 7)])
    outer = p.location(0x1200, module, [('core::ops::Fn::call', '/src/lib.rs', 70, '_RNv')])
    root = p.location(0x1300, module, [('main', '/src/main.c', 5)])
    other = p.location(0x4)
    for n, stack in enumerate(([inner, outer, root], [outer, root], [inner, root], [other], [inner, outer, outer, root])):
        p.sample(stack, [n + 1, 4096 << n + i % 3, 5000 * n], size=64 << n,
                 labels=[('k', f'<v{n % 2}>'), ('thread', 'worker'), ('thread_id', n)])
    return p.bytes()


def inputs_of(command, number):
    """The inputs of one of the seeds of a report, and its own option letters."""
    account = HERE / 'seeds' / 'account'
    heap = (t.testdata / 'account' / 'frag.heap').read_bytes()
    if command == 'account':
        rollup = (t.testdata / 'account' / 'frag.smaps_rollup').read_bytes()
        return [heap, (account / 'frag.json').read_bytes(), rollup], 'q' * (number % 2)
    if command == 'lifetime' and number % 2:
        return [heap, (account / 'recent.json').read_bytes()], 'p'
    if command in ('lifetime', 'trend', 'timeline'):
        return [symbolized(2 * i) if number % 2 else text(2 * i) for i in range(4)], ''  # of one sample period
    if command == 'list':
        return [named(number)], ''
    pairs = [[named(number), named(number + 1)], [text(0, '%warn a \x1b[31m\n'), text(5)],
             [symbolized(number), text(number + 1, '%warn b\n')[:-90]],
             [(HERE / 'seeds/partial/packed.hpa').read_bytes(), text(1)],
             [(HERE / 'seeds/jemalloc/dialects.heap').read_bytes(), (HERE / 'seeds/classic/go.heap').read_bytes()]]
    return pairs[number % len(pairs)], ''


def names():
    """Each report in each format."""
    found = [(command, name) for command in [*t.reports(), 'account'] if command not in ('manifest', 'digest')
             for name in t.formats_of(command)]
    return [*found, ('timeline', 'firefox')]


def made():
    """The expected seeds: {name: bytes}."""
    found = {}
    for number, (command, name) in enumerate(names()):
        inputs, letters = inputs_of(command, number)
        found[f'{command}-{name}'] = f'{command} {name} {letters}{LETTERS[number % len(LETTERS)]}\n'.encode() + \
            SEPARATOR.join(inputs)
    return found


def command_line(command, name, letters, paths):
    """The command line that makes the report of a seed, with few of its option letters."""
    first, *others = paths
    words = {
        'account': [first, *(f'{option}={path}' for option, path in zip(('--stats', '--smaps'), others))],
        'diff': [first, '--to', *others],
        'lifetime': [first, f'--recent={others[0]}'] if 'p' in letters else paths,
        'timeline': ['--timeline', '--time-from=mtime', *paths],
    }.get(command, paths)
    pattern = ['.'] if command in ('list', 'peek') else []
    return ['merge' if command == 'timeline' else command, f'-f{name}', '-q', '--damaged=use', *pattern, *words]


def is_made(which):
    path = SEEDS / '-'.join(which)
    if not path.exists():
        return [f'there is no {path.name}: --update makes it']
    head, _, rest = path.read_bytes().partition(b'\n')
    with scratch() as folder:
        paths = [pathlib.Path(folder, f'{i}.heap') for i in range(4)][:rest.count(SEPARATOR) + 1]
        for each, content in zip(paths, rest.split(SEPARATOR)):
            each.write_bytes(content)
        result = t.run(*command_line(*which, head.decode().split(' ')[2], paths))
    faults = [f'{path.name}: {result.code} {result.err.strip()}'] if result.code not in (0, 3) else []
    return faults + ([f'{path.name} is too long'] if path.stat().st_size > MOST else [])


t = Tests()
if '--update' in sys.argv:
    SEEDS.mkdir(exist_ok=True)
    for old in SEEDS.iterdir():
        old.unlink()
    for seed, content in made().items():
        (SEEDS / seed).write_bytes(content)
t.check('each report has a seed in each of its formats, which the program makes', lambda: t.in_parallel(is_made, names()))
t.done()

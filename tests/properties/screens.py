#!/usr/bin/env python3
"""Screens keep their budget: at most two lines above a table, three below, and three warnings of two lines each; at 80
and 120 columns, for fixed screens and for others that a seed draws.  A headline names no function by chance.

usage: screens.py BINARY TESTDATA [SEED [COUNT]]
"""
import gzip
import json
import pathlib
import random
import re
import shlex
import sys

from harness import Tests, scratch
from profile_writer import Profile

t = Tests()
NUMBERS = [int(word) for word in sys.argv[3:] if word.isdigit()] + [None, None]
SEED, COUNT = NUMBERS[0] or 56, NUMBERS[1] or 20
WIDTHS = (80, 120)
ABOVE, BELOW, WARNINGS, LINES = 2, 3, 3, 2
REAL = t.testdata / 'real'


def dumps(pattern):
    return sorted(map(str, t.testdata.glob(pattern)))


FIXED = [
    ('top', *dumps('real/redis_lg13*')), ('top', *dumps('real/mariadbd*')), ('top', *dumps('real/clang*')),
    ('top', *dumps('real/node*')), ('top', *dumps('real/postgres*')), ('top', *dumps('real/rep_python*')),
    ('top', *dumps('golden/procs?.heap')), ('top', *dumps('golden/series/*.heap')), ('top', *dumps('formats/go-*')),
    ('tree', *dumps('real/clang*')), ('peek', '.', '-n1', *dumps('real/postgres*')), ('info', *dumps('real/redis_lg13*')),
    ('account', *dumps('account/jemalloc-5.3.0.*')),
]
KINDS = [('top',), ('top', '--cum'), ('top', '--by=module'), ('top', '--by=thread'), ('top', '--metric=inuse-objects'),
         ('top', '--focus=a'), ('tree',), ('tree', '--invert'), ('peek', '.', '-n2'), ('stacks', '-n2'), ('info',)]
SOURCES = ('real/*.heap.gz', 'formats/*', 'golden/*.heap', 'processes/*', 'pprof/*.pb*', 'frames/*.pb.gz', 'died/*')


def drawn():
    """Screens that the seed draws, of one file or of two."""
    files = [file for pattern in SOURCES for file in dumps(pattern) if pathlib.Path(file).is_file()]
    r = random.Random(SEED)
    while True:
        yield (*r.choice(KINDS), *r.sample(files, r.choice((1, 1, 2))))


def parts_of(text, kind):
    """(lines above the table, warnings with their numbers of lines, lines below it)"""
    head, _, body = text.partition('\n\n')
    above, warnings = 0, []
    for line in head.split('\n'):
        if re.match(r'(warning|note): ', line):
            warnings.append(1)
        elif warnings and not re.fullmatch(r'\d+ more warnings?: -v', line):
            warnings[-1] += 1
        elif not warnings:
            above += 1
    lines = body.rstrip('\n').split('\n')
    last = max((i for i, line in enumerate(lines) if line.startswith(' ')), default=-1)
    return above, warnings, len([line for line in lines[last + 1:] if line])


def faults_of(words, width):
    result = t.run(words[0], '--no-symbols', f'--width={width}', *words[1:])
    if result.code not in (0, 3):
        return None
    above, warnings, below = parts_of(result.out, words[0])
    faults = [f'{what}: {found}, not {most}' for what, found, most in (
        ('above', above, ABOVE), ('warnings', len(warnings), WARNINGS), ('lines of a warning', max(warnings, default=0), LINES),
        ('below', below, BELOW)) if found > most]
    faults += [f'wider than {width}: {line}' for line in result.out.split('\n') if len(line) > width and '/' not in line and not line.startswith('next: ')]
    return [f'{" ".join(words)} --width={width}: {fault}\n{result.out[:2000]}' for fault in faults]


def fixed():
    for words in FIXED:
        for width in WIDTHS:
            faults = faults_of(words, width)
            yield from [f'{words} was refused'] if faults is None else faults


def by_seed():
    count = 0
    for words in drawn():
        found = [faults_of(words, width) for width in WIDTHS]
        if None in found:
            continue  # this file has no such report
        yield from found[0] + found[1]
        count += 1
        if count == COUNT:
            return


def large_sizes():
    """jemalloc 5.3.0 wrote all real dumps: its large sizes need no warning."""
    for file in dumps('real/*.heap.gz'):
        out = t.ok('top', '--no-symbols', file).out
        yield from [f'{file}: {line}' for line in out.split('\n') if 'large-sizes' in line]


def no_legend_without_mark():
    for words in FIXED[:9]:
        out = t.codes(*words, '--no-symbols').out
        rows = [line for line in out.split('\n') if line.startswith(' ')]
        for mark, legend in (('*', 'legend-few'), ('@0x', 'legend-offset')):
            if (legend in out) != any(mark in row for row in rows):
                yield f'{words}: {legend!r} in {out}'


# --- headlines ------------------------------------------------------------------------------------


def pair(r, path):
    """A dump of two functions that hold equally much: each object of 4 KiB is sampled with probability 1/32."""
    period, size, objects = 131072, 4096, 4000
    counts = [sum(r.random() < 1 - 2.718281828459045 ** (-size / period) for _ in range(objects)) for _ in range(2)]
    lines = ''.join(f'@ 0x{0x401000 + i * 0x1000:x} 0x400100\n  t*: {n}: {n * size} [0: 0]\n' for i, n in enumerate(counts))
    total = sum(counts)
    path.write_text(f'heap_v2/{period}\n  t*: {total}: {total * size} [0: 0]\n{lines}\nMAPPED_LIBRARIES:\n'
                    '00400000-00600000 r-xp 00000000 08:01 7 /srv/app\n')
    return path


def equals_are_not_named():
    r, named, count = random.Random(SEED), 0, 200
    with scratch() as folder:
        for i in range(count):
            out = t.codes('top', '-q', '--no-symbols', pair(r, pathlib.Path(folder) / f'{i}.heap')).out
            headline = out.split('\n', maxsplit=1)[0]
            named += headline.count(' in app') == 1
            if ' in app' not in headline and 'headline-none' not in headline:
                yield headline
    if named > count * .05:
        yield f'one of two equal functions is named alone in {named} of {count} headlines'


def one_that_is_larger_is_named():
    with scratch() as folder:
        path = pathlib.Path(folder) / 'one.heap'
        path.write_text('heap_v2/1\n  t*: 3: 300 [0: 0]\n@ 0x401000\n  t*: 1: 200 [0: 0]\n@ 0x402000\n  t*: 2: 100 [0: 0]\n'
                        '\nMAPPED_LIBRARIES:\n00400000-00600000 r-xp 00000000 08:01 7 /srv/app\n')
        for more in ((), ('-n1',)):
            out = t.ok('top', '-q', '--no-symbols', *more, path).out
            if not re.match(r'300 B in use; 67% in \S+', out):
                yield out
    # too much was not sampled: no share
    out = t.ok('top', '-q', '--no-symbols', *dumps('real/clang*')).out.split('\n', maxsplit=1)[0]
    if '%' in out:
        yield out


def next_command():
    """list if the source can be read, else peek; the command runs as it is written, and finds the function."""
    with scratch() as folder:
        source = pathlib.Path(folder) / 'a.cc'
        for name in ('leak', 'ns::Box<int>::grow(int)', "it's(char)", 'a b', 'f::operator()(int)'):
            for exists in (True, False):
                source.unlink(missing_ok=True)
                if exists:
                    source.write_text('a\n' * 9)
                p = Profile()
                app = p.mapping('/srv/app', 0x400000, 0x800000)
                p.sample([p.location(0x401000, app, [(name, str(source), 3)]),
                          p.location(0x402000, app, [('main', str(source), 7)])], [9, 9 << 20], 1)
                path = pathlib.Path(folder) / 'a.pb'
                path.write_bytes(p.bytes())
                out = t.ok('top', '-q', '--no-symbols', path).out
                command = re.search(r'^next: hprof-agg (.*)$', out, re.M)
                words = shlex.split(command[1]) if command else ['none']
                if words[0] != ('list' if exists else 'peek') or str(path) not in words or '--no-symbols' not in words:
                    yield f'{name}, {exists}: {words}'
                    continue
                rows = json.loads(t.ok(*words, '-q', '-fjson').out)['rows']
                if [row['name'] for row in rows] != [name]:
                    yield f'{words}: {rows}'


def warnings_in_order():
    """What is not in the numbers comes first, then missing names by their shares; others are counted."""
    with scratch() as folder:
        folder = pathlib.Path(folder)
        text = gzip.decompress((REAL / 'mariadbd_lg14.15432.12.i12.heap.gz').read_bytes()).decode()
        cut = folder / 'cut.heap'
        cut.write_text(text[:len(text) // 2])
        (folder / 'gone').mkdir()
        out = t.run('top', f'--symbol-dir={folder / "gone"}', '--symbol-dir-only', cut, '--damaged=use', is_coded=True).out
        found = re.findall(r'^(?:warning|note): (.*)$', out, re.M)
        if not found or 'input-damaged' not in found[0] or 'headline-truncated' not in out.partition('\n')[0]:
            yield f'{found}: not first'
        if len(found) > WARNINGS:
            yield f'{found}: too many'
        if str(folder) in out.partition('\n\n')[0]:
            yield f'a folder in {found}'
        full = t.run('top', '-v', f'--symbol-dir={folder / "gone"}', '--symbol-dir-only', cut, '--damaged=use').out
        if str(cut) not in full:
            yield f'no {cut} in {full[:500]}'



def main():
    t.check('13 screens keep the budget at 80 and 120 columns', fixed)
    t.check(f'{COUNT} screens that seed {SEED} draws keep the budget', by_seed)
    t.check('no real dump has a warning about large sizes', large_sizes)
    t.check('a legend is there if, and only if, its mark is', no_legend_without_mark)
    t.check('of two equal functions one is named alone in at most 5 % of 200 headlines', equals_are_not_named)
    t.check('a function that is larger is named, with any limit; without a share where much was not sampled',
            one_that_is_larger_is_named)
    t.check('the next command is list or peek, runs, and finds the function of the first row', next_command)
    t.check('warnings come in the order of their importance, without folders', warnings_in_order)
    t.done()


if __name__ == '__main__':
    main()

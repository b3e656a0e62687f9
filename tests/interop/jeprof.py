#!/usr/bin/env python3
"""hprof-jeprof --exact-jeprof writes the same bytes as Debian's jeprof, where both know the names.  The dumps are of
programs with symbols; their stacks are reduced to the frames of the program, below a malloc of a library that is
built here.  Lines whose order jeprof leaves to a hash are sorted in both outputs.  For whole dumps the totals are
equal. jeprof's own sums, differences and threads are compared, too.

    usage: jeprof.py BINARY TESTDATA [JEPROF] [--full]

JEPROF is another copy of jeprof.  With --full the totals of large dumps are compared, too.
"""
import gzip
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'properties'))
import generated_code  # noqa: E402
from harness import IS_FULL, Tests, every, scratch  # noqa: E402

JEPROF = next((word for word in sys.argv[3:] if word != '--full'), 'jeprof')
t = Tests()
FRAME = 'char *malloc(unsigned long n) { static char b[8]; return b + n % 8; }\n'
LIBRARY_AT = 0x700000000000
PROGRAMS = {'alloc_c': ['jemalloc-lg0.heap', 'jemalloc-default-lg19.heap', 'jemalloc-lg0-accum.heap',
                        'jemalloc-leak.heap', 'gperftools-heapprofile.heap',
                        'jemalloc36-lg14-accum_false.heap'],
            'tcsample': ['gperftools-heap_v2.heap', 'gperftools-growth.heap'],
            'opnew': ['jemalloc-opnew.heap'], 'alloc_cxx': ['jemalloc-cxx.heap']}
# The known differences of names, and their causes: (pattern, replacement in both outputs).
CAUSES = [
    (r' \(discriminator \d+\)', ''),  # notes of addr2line after a line
    (r' \[clone [^]]*\]', ''),        # parts of functions, by nm only
    (r'@[0-9a-f]+\b', ''),            # the start of one of several of the name
    (r'<[0-9a-f]{16}>', ''),          # the same for full names
]


# --- both programs ------------------------------------------------------------------------------


def run(command, cwd):
    done = subprocess.run(command, cwd=cwd, capture_output=True, check=False,
                          stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise AssertionError(f'{command} ended with {done.returncode}: {done.stderr.decode()}')
    return done.stdout.decode('utf-8', 'replace')


def both(folder, *words):
    words = list(map(str, words))
    return run([JEPROF, *words], folder), run([t.binary, 'jeprof', '--exact-jeprof', *words], folder)


def differ(theirs, ours, what):
    if theirs != ours:
        lines = [line for pair in zip(theirs.splitlines(), ours.splitlines()) if pair[0] != pair[1]
                 for line in pair]
        yield f'{what}: ' + ' <> '.join(lines[:2] or [f'{len(theirs)} and {len(ours)} bytes'])


def clean(text):
    for pattern, instead in CAUSES:
        text = re.sub(pattern, instead, text)
    return text


# --- dumps --------------------------------------------------------------------------------------


def make_library(folder):
    """The path of a library with a malloc, and where in the file a call in it returns to."""
    (folder / 'm.c').write_text(FRAME)
    run(['cc', '-O0', '-fPIC', '-shared', '-nostdlib', '-o', 'libmalloc.so', 'm.c'], folder)
    table = run(['nm', 'libmalloc.so'], folder)
    start = int(re.search(r'^([0-9a-f]+) T malloc$', table, re.M)[1], 16)
    return folder / 'libmalloc.so', start + 8


def cut(text, program, library, offset):
    """The dump with only the frames of the program, called from the malloc."""
    lines, ranges = [], []
    for line in text.splitlines():
        found = re.match(r'([0-9a-f]+)-([0-9a-f]+) ..x. .* (\S+)$', line)
        if found and found[3].endswith('/' + program.name):
            ranges.append((int(found[1], 16), int(found[2], 16)))
    for line in text.partition('MAPPED_LIBRARIES:')[0].splitlines():
        head, mark, stack = line.partition('@ ')
        if mark and re.search(r'\[|^$', head) and '0x' in stack:
            kept = [word for word in stack.split()
                    if any(low < int(word, 16) <= high for low, high in ranges)]
            line = f'{head}@ ' + ' '.join([hex(LIBRARY_AT + offset), *kept])
        lines.append(line)
    mapped = [re.sub(r'\S+$', str(program), line) for line in
              text.partition('MAPPED_LIBRARIES:')[2].splitlines()
              if line.endswith('/' + program.name)]
    end = LIBRARY_AT + 0x10000
    return '\n'.join([*lines, '', 'MAPPED_LIBRARIES:', *mapped, f'{LIBRARY_AT:x}-{end:x} r-xp '
                      f'00000000 08:01 77 {library}', ''])


def prepare(folder):
    """{program: its reduced dumps}, which are written next to it."""
    library, offset = make_library(folder)
    prepared = {}
    for name, dumps in PROGRAMS.items():
        program = folder / name
        program.write_bytes((t.formats / name).read_bytes())
        program.chmod(0o755)
        for dump in dumps:
            text = (t.formats / dump).read_text(encoding='utf-8', errors='replace')
            (folder / dump).write_text(cut(text, program, library, offset))
            prepared.setdefault(program, []).append(dump)
    series = sorted((t.formats / 'series').glob('*.heap'))
    for path in series:
        (folder / path.name).write_text(
            cut(path.read_text(errors='replace'), folder / 'alloc_c', library, offset))
    return prepared, [path.name for path in series]


# --- checks -------------------------------------------------------------------------------------


def in_turn(names, options):
    """(name, its options): all options with the first name, then one half of them in turn with the other."""
    for i, name in enumerate(names):
        for option in options if i == 0 else options[i % 2::2]:
            yield name, option


def check_text(folder, prepared, *options):
    """Compare every dump without options, else the first dump of a program and every second one after it."""
    for program, dumps in prepared.items():
        if program.name == 'alloc_cxx':
            continue
        for dump in dumps[::2] if options[1:] else dumps:
            theirs, ours = both(folder, *options, program, dump)
            yield from differ(theirs, ours, f'{program.name} {dump}')


def by_name(text):
    """{name: ([flat], [cum])}, a number for each row of the name."""
    found = {}
    for line in text.splitlines()[1:]:
        flat, cum = line.split()[0:4:3]
        rows = found.setdefault(clean(' '.join(line.split()[5:])), ([], []))
        rows[0].append(int(flat))
        rows[1].append(int(cum))
    return found


def check_lines(folder, prepared, *options):
    """jeprof has a separate row for each note of addr2line after a line number; together these rows equal ours."""
    program = folder / 'alloc_c'
    for dump in prepared[program]:
        theirs, ours = map(by_name, both(folder, *options, program, dump))
        yield from (f'{dump}: {name} is not both\'s' for name in theirs.keys() ^ ours.keys())
        for name in theirs.keys() & ours.keys():
            rows = len(theirs[name][0])
            if abs(sum(theirs[name][0]) - ours[name][0][0]) >= rows or \
                    (rows == 1 and theirs[name] != ours[name]):
                yield f'{dump}: {name} {theirs[name]} {ours[name]}'


def check_base(folder, program, series):
    for new, more in in_turn(series[1:], ((), ('--cum',), ('--show_bytes',), ('--drop_negative',))):
        theirs, ours = both(folder, '--text', *more, f'--base={series[0]}', program, new)
        yield from differ(theirs, ours, f'{new} {more}')


def check_summed(folder, program, series):
    """Sums over dumps of one process: a dump and its copy.  For two processes only the total is equal, since jeprof
    maps the frames of both by the map of one."""
    copy = folder / 'copy.heap'
    copy.write_bytes((folder / series[0]).read_bytes())
    many = [f'many.{i}.heap' for i in range(17)]
    for i, name in enumerate(many):
        (folder / name).write_text(multiplied((folder / series[-1]).read_text(), i + 1))
    alone = total_of(run([JEPROF, '--text', '--show_bytes', program, series[-1]], folder))
    for dumps in (series, series[::-1], many,
                  [series[-1], series[-1]], [series[0], copy.name, series[-1]]):
        for more in ((), ('--cum', '--show_bytes'), ('--inuse_objects',)):
            theirs, ours = both(folder, '--text', *more, program, *dumps)
            yield from differ(theirs, ours, f'{dumps} {more}')
    theirs, ours = map(total_of, both(folder, '--text', '--show_bytes', program, series[-1],
                                      'jemalloc-lg0.heap'))
    if abs(theirs - ours) > 1:
        yield f'of two processes: {theirs} <> {ours}'
    twice = both(folder, '--text', '--show_bytes', program, series[-1], series[-1])
    yield from (f'given twice: {total_of(text)}, once: {alone}' for text in twice
                if abs(total_of(text) - 2 * alone) > 1)


def multiplied(text, by):
    """The dump, with all its numbers of samples multiplied."""
    return re.sub(r'^( +t[0-9*]+: )(\d+): (\d+)', lambda found: f'{found[1]}{int(found[2]) * by}: '
                  f'{int(found[3]) * by}', text, flags=re.M)


def total_of(text):
    return int(re.match(r'Total: (\d+) B\n', text)[1])


def summed(text):
    values = {}
    for line in text.splitlines():
        stack, _, value = line.rpartition(' ')
        values[clean(stack)] = values.get(clean(stack), 0) + int(value)
    return values


def check_collapsed(folder, prepared):
    for program, dumps in prepared.items():
        for dump in dumps if program.name != 'alloc_cxx' else []:
            theirs, ours = map(summed, both(folder, '--collapsed', program, dump))
            for stack in theirs.keys() | ours.keys():
                # jeprof truncates the number of each address, not the sum of those with one name.
                if abs(theirs.get(stack, 0) - ours.get(stack, 0)) > 8:
                    yield f'{dump}: {stack} {theirs.get(stack)} {ours.get(stack)}'


def blocks(text):
    """{text of a block without its size: its size}, for any order and numbering."""
    known, found = {}, {}
    for block in text.partition('\n\n')[2].strip().split('\n\n'):
        parts = []
        for line in block.splitlines():
            key, mark, value = line.partition('=')
            number, _, name = value.partition(' ')
            if mark and key != 'calls' and number.startswith('('):
                value = known[key[-2:], number] = name or known[key[-2:], number]
            if mark:
                parts.append((key, value if key != 'calls' else name))
        line, size = block.splitlines()[-1].rsplit(' ', 1)
        found[(*parts, ('line', line))] = int(size)
    return found


def check_callgrind(folder, prepared):
    """A line with a note of addr2line's is no line to jeprof, which then has no name, or that of
    another: calls without are compared."""
    program, counts = folder / 'alloc_c', [0, 0]
    for dump in prepared[program]:
        theirs, ours = map(blocks, both(folder, '--callgrind', program, dump))
        noted = set(re.findall(r'(\w+) [^ ]*:(\d+) \(discr', run(
            [JEPROF, '--text', '--lines', program, dump], folder)))
        for key, size in theirs.items():
            block = dict(key)
            is_call = 'cfn' in block
            lines = {(block['fn'], block['line']), (block.get('cfn'), block.get('calls'))}
            if '' in block.values() or lines & noted or '->' in block['fl'] or \
                    (not is_call and block['fn'] != 'unknown'):
                continue
            counts[is_call] += 1
            if ours.get(key) != size:
                yield f'{dump}: {key} {size} {ours.get(key)}'
    if counts[0] < 3 or counts[1] < 5:
        yield f'only {counts} blocks are compared'


def check_dot(folder, prepared):
    for program, dumps in prepared.items():
        for dump, more in in_turn(dumps if program.name != 'alloc_cxx' else [],
                                  ((), ('--show_bytes',), ('--nodecount=4', '--maxdegree=2'), ('--heapcheck',))):
            theirs, ours = (text.splitlines() for text in
                            both(folder, '--dot', *more, program, dump))
            edges = [[re.sub(r'^N\d+ -> N\d+', '', line) for line in text if '->' in line]
                     for text in (theirs, ours)]
            if [line for line in theirs if '->' not in line] != \
                    [line for line in ours if '->' not in line]:
                yield f'{dump} {more}: nodes differ'
            if '--maxdegree=2' not in more and sorted(edges[0]) != sorted(edges[1]):
                yield f'{dump} {more}: edges differ'


def check_names(folder, prepared):
    """In a C++ program, rows of the same name have the same numbers."""
    rows = (lambda text: {clean(' '.join(line.split()[5:])): line.split()[0:4:3]
                          for line in text.splitlines()[1:] if not re.search('@[0-9a-f]+$', line)})
    program = folder / 'alloc_cxx'
    theirs, ours = map(rows, both(folder, '--text', '--show_bytes', program, *prepared[program]))
    shared = theirs.keys() & ours.keys()
    yield from (f'{name}: {theirs[name]} {ours[name]}' for name in shared
                if theirs[name] != ours[name])
    if len(shared) < 12:
        yield f'only {len(shared)} names of {len(theirs)} are both\'s'
    return f'{len(shared)} of {len(theirs)} rows'


def check_totals(folder):
    """jeprof takes seconds for a large dump, which has one metric only."""
    count, metrics = 0, ('--inuse_space', '--inuse_objects', '--alloc_space')
    for i, path in enumerate(every(2, sorted(t.real.glob('*.heap.gz'))[::9], 1)):
        (folder / 'real.heap').write_bytes(gzip.decompress(path.read_bytes()))
        for metric in metrics if path.stat().st_size < 40000 else metrics[i % 3:][:1]:
            theirs, ours = (text.partition('\n')[0] for text in both(
                folder, '--text', '--show_bytes', metric, '/bin/true', 'real.heap'))
            count += 1
            numbers = [int(re.search(r'-?\d+', text)[0]) if text else 0 for text in (theirs, ours)]
            if abs(numbers[0] - numbers[1]) > 1:
                yield f'{path.name} {metric}: {theirs} <> {ours}'
    if count < (11 if IS_FULL else 6):
        yield f'only {count} totals'


def names_of(text):
    return {line.split(None, 5)[5] for line in text.splitlines()[1:]}


def main(folder):
    prepared, series = prepare(folder)
    for options in (['--text'], ['--text', '--cum'], ['--text', '--show_bytes'],
                    ['--text', '--inuse_objects'], ['--text', '--alloc_space'],
                    ['--text', '--focus=main', '--ignore=leaf_big'],
                    ['--text', '--exclude=leaf_small', '--cum']):
        t.check(f'{" ".join(options)} writes the bytes of jeprof',
                check_text(folder, prepared, *options))
    for options in (['--text', '--lines', '--show_bytes'],
                    ['--text', '--lines', '--cum', '--show_bytes']):
        t.check(f'{" ".join(options)} has the lines of addr2line',
                check_lines(folder, prepared, *options))
    t.check('--base writes the bytes of jeprof for two dumps of a process',
            check_base(folder, folder / 'alloc_c', series))
    t.check('several dumps are summed as in jeprof, and a repeated dump is counted twice',
            check_summed(folder, folder / 'alloc_c', series))
    t.check('--collapsed has the stacks of jeprof', check_collapsed(folder, prepared))
    t.check('--callgrind has the calls of jeprof', check_callgrind(folder, prepared))
    t.check('--dot has the nodes and edges of jeprof', check_dot(folder, prepared))
    t.check('rows of C++ functions that both tools name are equal', check_names(folder, prepared))
    t.check('jeprof names no generated code, whose perf map is beside the dump', generated_code.named_by(
        t, folder, lambda path: names_of(run([JEPROF, '--text', '/bin/true', str(path)], folder))))
    t.check('totals of real dumps are equal', check_totals(folder))
    t.done()


with scratch() as scratch_folder:
    main(pathlib.Path(scratch_folder))

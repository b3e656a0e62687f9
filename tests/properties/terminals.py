#!/usr/bin/env python3
"""Text on terminals of 40 to 200 columns: no line is wider, no two rows look alike, and piped output is not
truncated.

    usage: terminals.py BINARY TESTDATA [--symbol-dir=/] [--path-map=OLD=NEW] [DUMP|FOLDER...]

For DUMPs, or all dumps of a FOLDER, in addition to those of TESTDATA, each report is examined by each granularity.
"""
import fcntl
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import termios
import unicodedata

from harness import Tests, scratch
from profile_writer import Profile

t = Tests()
MORE = [a for a in sys.argv[3:] if not a.startswith('--')]
MAPS = [a for a in sys.argv[3:] if a.startswith('--')]
SYMBOLS = [f'--symbol-dir={t.root}', *MAPS]
KINDS = ('function', 'line', 'file', 'module', 'build', 'address', 'input', 'thread', 'process', 'program')
WIDTHS = (40, 80, 120, 200)
EDGES = r'[│├└┌ ]*'  # lines of a tree


# --- terminals ------------------------------------------------------------------------------------


def on_terminal(width, *args, locale='C.UTF-8', lines=24, **more):
    """The output that is sent to a terminal of `width` columns."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', lines, width, 0, 0))
    environment = {k: v for k, v in os.environ.items() if k != 'COLUMNS'}
    environment.update(LC_ALL=locale, TERM='xterm', NO_COLOR='1', **more)
    with subprocess.Popen(t.command(*args), stdin=subprocess.DEVNULL, stdout=slave,
                          stderr=subprocess.PIPE, env=environment) as process:
        os.close(slave)
        sent = b''
        while True:
            try:
                piece = os.read(master, 1 << 16)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            sent += piece
        error = process.stderr.read().decode()
    os.close(master)
    if process.returncode != 0:
        raise AssertionError(f'{args} ended with {process.returncode}: {error}')
    return sent.decode().replace('\r\n', '\n')


def cells(text):
    """The number of cells by Unicode; unassigned characters take one."""
    count = 0
    for char in text:
        is_mark = unicodedata.category(char) in ('Mn', 'Me', 'Cf') and char != '\xad'
        is_joining = 0x1160 <= ord(char) <= 0x11ff
        count += 0 if is_mark or is_joining else 2 if unicodedata.east_asian_width(char) in 'WF' else 1
    return count


def is_exempt(line, report, args):
    """A path that has a line of its own; source text; paths of the user; a command, which a break would cut when it is
    pasted."""
    words = line.split()
    return ((len(words) == 1 and '/' in line) or line.startswith('next: ')
            or (report == 'list' and re.match(r'[-\d., …±KMGTiB*!]* +(\d+|\?)  ', line))
            or '--by=input' in args or '--by=process' in args)


# --- rows -----------------------------------------------------------------------------------------


def is_title(line):
    return re.search(r'(^| )(flat|cum|change|per \w+)( |$)', line) and (
        re.match(r' |(base|new|change|last|first|per) ', line) and line.split()[-1] in KINDS)


def names_of(report, text):
    """The names in a table, in the order of its rows."""
    if report == 'stacks':
        indents = [len(line) - len(line.lstrip()) for line in text.splitlines()]
        indent = max(indents)
        return [line[indent:] for line in text.splitlines()
                if line[:indent].isspace() and line[indent:indent + 1].strip()]
    lines = text.splitlines()
    head = next((i for i, line in enumerate(lines) if is_title(line)), None)
    if head is None:
        return []
    at = lines[head].rindex('  ') + 2
    rows = [line for line in lines[head + 1:]
            if re.match(r'[ \d+-]', line) and line[at:].strip() and line[at - 2:at] == '  ' and
            not line.lstrip().startswith('…') and not re.search(r'[ ,…] ?\d+ frames$', line)]
    return [re.sub(f'^({EDGES}|\\[\\d+\\] (├ )?)', '', line[at:]) for line in rows]


def check_names(report, shown, whole, where):
    """Truncated rows are as distinguishable as complete ones."""
    faults = []
    if len(shown) != len(whole):
        return [f'{where}: {len(shown)} names instead of {len(whole)}']
    for a, b in ((dict(zip(shown, whole)), zip(shown, whole)),
                 (dict(zip(whole, shown)), zip(whole, shown))):
        for one, other in b:
            if a[one] != other:
                faults.append(f'{where}: {one} is {other} and {a[one]}')
    if report in ('top', 'diff', 'trend') and len(set(shown)) < len(shown):
        faults.append(f'{where}: alike are {sorted(n for n in shown if shown.count(n) > 1)}')
    return faults


def check_whole(names, where):
    """Parts may be omitted from names that are not truncated only in brackets, or between two parts."""
    left = [re.sub(r'[<(\[{, ]…(?=[]>)}, ])|…::', '', name) for name in names]
    return [f'{where}: {name} is cut' for name in left if '…' in name]


# --- all reports ----------------------------------------------------------------------------------


def check_report(report, *args, widths=WIDTHS):
    piped = t.run(report, *SYMBOLS, *args, env={'COLUMNS': '40', 'LC_ALL': 'C.UTF-8'})
    if piped.code == 5:  # there is nothing to show
        return []
    if piped.code != 0:
        return [f'{piped}: {piped.err}']
    wide = t.ok(report, '--width=100000', *SYMBOLS, *args, env={'LC_ALL': 'C.UTF-8'}).out  # columns that fit
    whole = names_of(report, wide) if report not in ('list', 'info') else []
    faults = check_whole(whole, f'{piped}') if '--by=line' not in args else []
    for width in widths:
        where = f'{piped} in {width} columns'
        text = on_terminal(width, report, *SYMBOLS, *args)
        faults += [f'{where}: {cells(line)} cells: {line}' for line in text.splitlines()
                   if cells(line) > width and not is_exempt(line, report, args)]
        if report not in ('list', 'info'):
            faults += check_names(report, names_of(report, text), whole, where)
    return faults


def reports(dump, *more):
    yield 'top', dump, *more
    yield 'top', '--cum', '--frames=all', '-n0', dump, *more
    yield 'tree', '--frames=no-alloc', dump, *more
    yield 'tree', '--invert', dump, *more
    yield 'tree', dump, *more
    yield 'peek', '.', '-n20', dump, *more
    yield 'list', '.', '-n5', dump, *more
    yield 'stacks', '-n20', dump, *more
    yield 'info', dump, *more


def check_dump(dump, *more):
    return [fault for args in reports(dump, *more) for fault in check_report(*args)]


def check_by(dump):
    return [fault for by in KINDS[1:]
            for fault in check_report('top', f'--by={by}', '--confidence=none', dump)]


def check_series(dumps):
    return [fault for args in (('diff', dumps[0], dumps[-1]), ('trend', *dumps),
                               ('diff', '--frames=all', '-n0', dumps[0], dumps[-1]),
                               ('trend', '--frames=all', '-n0', *dumps))
            for fault in check_report(*args)]


# --- generated names ------------------------------------------------------------------------------

BRACKETS = 10000
NAMES = [
    '名前空間::型<整数>::関数', '名前空間::別の型<整数>::関数', 'デ\u3099' * 30, 'e\u0301\u0302\u0303' * 40,
    '\u202eesrever\u202c' * 6, '\x1b[31mred\x1b[0m' * 5, '\U0001F600' * 40, '\U0001F600' * 41,
    'f' * 300, 'f' * 150 + 'g' + 'f' * 149,
    'a<' * BRACKETS + 'b' + '>' * BRACKETS, 'a<' * BRACKETS + 'c' + '>' * BRACKETS,
    '(' * BRACKETS, '>' * BRACKETS, 'x::' * BRACKETS + 'f', 'y::' * BRACKETS + 'f',
    'Leaky<Req>::make()', 'Leaky<Session>::make()', 'Leaky<std::vector<Req> >::make()',
    'Leaky<std::vector<Session> >::make()', 'Leaky<Req, 1>::make()', 'Leaky<Req, 2>::make()',
    'over(int)', 'over(char const*)', 'over(std::vector<int>)', 'over(std::vector<char>)',
    'void over<int>(int)', 'void over<long>(long)', 'same ~1', 'one::Class::method', 'two::Class::method',
    *(f'namespace_{i}::a::rather::long::name::of::Class::method_of_it' for i in range(200)),
    *(f'Class<{i}, {i % 7}>::of(int)' for i in range(50)),
]


def generated(folder):
    """Each as a function of its own, two of one name in two files and two modules."""
    profile = Profile()
    modules = [profile.mapping(f'/srv/lib{n}.so', 0x1000000 * (i + 1), 0x1000000 * (i + 1) + 0x800000)
               for i, n in enumerate(('one', 'two'))]
    root = profile.location(0x1000001, modules[0], [('main', '/srv/main.cc', 1)])
    places = [(name, f'/srv/deep/er/than/other/folders/{"名" * 20}{i}.cc', modules[0])
              for i, name in enumerate(NAMES)]
    places += [('static_one', f'/srv/{n}/static.c', modules[0]) for n in 'ab']
    places += [('[anonymous]', '/usr/include/c++/12/x.h', module) for module in modules]
    for i, (name, file, module) in enumerate(places):
        base = 0x1000000 * (modules.index(module) + 1)
        leaf = profile.location(base + 16 * i + 16, module, [(name, file, 7 + i)])
        profile.sample([leaf, root], [1, 4096 + 64 * (len(places) - i)])
    path = pathlib.Path(folder) / 'names.pb'
    path.write_bytes(profile.bytes())
    return path


def check_generated():
    with scratch() as folder:
        path = generated(folder)
        return [fault for args in (
            ('top', '-n0', path), ('top', '-n0', '--by=line', path), ('top', '-n0', '--by=file', path),
            ('tree', '-n0', path), ('stacks', '-n0', path), ('peek', 'main', '-n0', path),
            ('diff', path, path), ('info', path))
                for fault in check_report(*args)]


def exact(folder, size):
    """Stacks of large objects, with little uncertainty; each calls several libraries in turn, so that the frames have
    no common function name and module."""
    ends = range(0x500000, 0x900000, 0x100000)
    stacks = [(size >> i, ' '.join(f'{end + 0x10 * (k + 20 * i):#x}' for k in range(9) for end in ends))
              for i in range(5)]
    text = f'heap_v2/16384\n  t*: 5: {sum(size for size, _ in stacks)} [0: 0]\n'
    text += ''.join(f'@ {frames} 0x400010\n  t*: 1: {size} [0: 0]\n' for size, frames in stacks)
    modules = ('/srv/program', *(f'/usr/lib/{"lib" * i}name{i}.so.1' for i in range(1, 5)))
    text += '\nMAPPED_LIBRARIES:\n' + ''.join(
        f'{at:x}-{at + 0x100000:x} r-xp 00000000 00:00 0 {module}\n'
        for at, module in zip(range(0x400000, 0x900000, 0x100000), modules))
    path = pathlib.Path(folder) / f'{size}.heap'
    path.write_text(text, encoding='ascii')
    return path


def check_exact():
    """Intervals of many digits, amounts of 12 cells, and runs in trees."""
    with scratch() as folder:
        path, longest = exact(folder, 999 << 20), exact(folder, 1023 << 20)
        tree = on_terminal(40, 'tree', '-n0', path)
        faults = [] if tree.count(' frames\n') == 5 else [f'no five runs: {tree}']
        faults += [] if '999.000 … 999.058 MiB' in t.ok('top', path).out else ['intervals are short']
        for args in reports(path):
            faults += check_report(*args)
        for args in (args for args in reports(longest) if args[0] != 'list'):
            for width in WIDTHS:
                faults += [f'{args} in {width} columns: {line}'
                           for line in on_terminal(width, *args).splitlines()
                           if cells(line) > width and not is_exempt(line, args[0], args)]
        return faults


def check_ascii():
    """Without UTF-8 there is no such character, and no line is wider because of that."""
    faults = []
    with scratch() as folder:
        for args in (*reports(DUMPS[0]), ('diff', *SERIES[:2]), ('top', '-n0', generated(folder))):
            for width in (40, 80):
                text = on_terminal(width, args[0], *SYMBOLS, *args[1:], locale='C')
                faults += [f'{args} in {width} columns: {line}' for line in text.splitlines()
                           if not line.isascii()
                           or (len(line) > width and not is_exempt(line, args[0], args))]
    text = on_terminal(120, 'top', *SYMBOLS, DUMPS[0], locale='C')
    return faults + [f'no {sign} in {text}' for sign in ('+- ', ' ... ', '<...>') if sign not in text]


# --- the width ------------------------------------------------------------------------------------


def widest(text):
    return max(map(cells, text.splitlines()))


def check_choice():
    """The width is that of --width, else that of the terminal, which $COLUMNS may override; a pipe has none."""
    top = ['top', *SYMBOLS, DUMPS[0]]
    whole = t.ok(*top).out
    expected = {
        'a pipe with --width': (t.ok(*top, '--width=60').out, on_terminal(60, *top)),
        'a terminal with --width=0': (on_terminal(60, *top, '--width=0'), whole),
        'a terminal with --width': (on_terminal(60, *top, '--width=90'), on_terminal(90, *top)),
        'a terminal with COLUMNS': (on_terminal(60, *top, COLUMNS='90'), on_terminal(90, *top)),
        'a pipe with COLUMNS': (t.ok(*top, env={'COLUMNS': '50'}).out, whole),
        'less than 40': (t.ok(*top, '--width=7').out, t.ok(*top, '--width=40').out),
        'a terminal of 20': (on_terminal(20, *top), on_terminal(40, *top)),
    }
    faults = [f'{what}: {widest(got)} cells, not {widest(want)}'
              for what, (got, want) in expected.items() if got != want]
    full = names_of('top', t.ok(*top, '--names=full').out)
    faults += [] if names_of('top', on_terminal(80, *top, '-v')) == full else ['full names are cut']
    with scratch() as folder:
        path = pathlib.Path(folder) / 'x.txt'
        on_terminal(60, *top, f'--output={path}')
        faults += [] if path.read_text(encoding='utf-8') == whole else ['a file is cut']
    return faults


def title_at(width, *args):
    text = on_terminal(width, *args)
    return next(line for line in text.splitlines() if is_title(line)).split()


def check_columns():
    """Columns disappear before names have fewer than 28 or 20 cells: sum%, cum%, the interval, cum."""
    top = ['top', *SYMBOLS, DUMPS[0]]
    want = {
        40: 'flat flat% function', 60: 'flat flat% cum function',
        80: 'flat flat% cum 95% CI function',
        90: 'flat flat% cum cum% 95% CI function',
        120: 'flat flat% sum% cum cum% 95% CI function',
    }
    return [f'{width}: {title_at(width, *top)}' for width, title in want.items()
            if title_at(width, *top) != title.split()]


def check_running():
    """The shares of sum% are those of flat%, added up from the first row on, and the rest is what remains of 100 %."""
    faults = []
    for by, option in ((by, option) for by in KINDS for option in ('--confidence=none', '--confidence=95')):
        text = on_terminal(200, '--message-codes', 'top', '-n5', f'--by={by}', option, *SYMBOLS, DUMPS[0])
        rows = re.findall(r'^ *[\d.]+ \w+ +([\d.]+)% +([\d.]+)% ', text, re.M)
        total = 0
        for number, (share, running) in enumerate(rows, 1):
            total += float(share)
            if abs(total - float(running)) > 0.05 * (number + 1):
                faults.append(f'{by} {option}: {running}% is not the sum of {number} rows, {total:.1f}%')
        rest = re.search(r'^rows-left: \d+ [^%(]*? ([-\d.]+)%', text, re.M)
        if rest and abs(total + float(rest[1]) - 100) > 0.05 * (len(rows) + 1):
            faults.append(f'{by} {option}: {rest[0]} after {total:.1f}%')
        faults += [] if rows and (rest or len(rows) < 5) else [f'{by} {option}: {text}']
    return faults


def check_screen():
    """The command's line, the header, ten rows and the notes."""
    faults = []
    for dump in DUMPS[1:]:
        text = on_terminal(80, 'top', *SYMBOLS, '-n10', dump)
        whole = t.ok('top', *SYMBOLS, '-n10', dump).out
        lines, rows = 1 + len(text.splitlines()), len(names_of('top', text))
        if lines > 24 or rows != len(names_of('top', whole)):
            faults.append(f'{dump.name}: {lines} lines, {rows} rows')
    return faults


def all_dumps(words):
    for word in map(pathlib.Path, words):
        for path in sorted(word.rglob('*')) if word.is_dir() else [word]:
            is_dump = path.is_file() and t.run('info', '-q', '--no-symbols', path).code == 0
            yield from [path] * is_dump


DUMPS = [t.testdata / 'golden' / 'cxx.heap', t.testdata / 'processes' / 'cx.9.heap.gz',
         t.testdata / 'frames' / 'server.pb.gz']
SERIES = sorted((t.testdata / 'golden' / 'series').glob('*.heap'))

t.check('no line is wider than a terminal, and no two rows of it look alike',
        lambda: [fault for dump in DUMPS for fault in check_dump(dump)])
t.check('rows of all kinds fit, and no two look alike', lambda: check_by(DUMPS[0]))
t.check('rows of changes and of series fit, and no two look alike', lambda: check_series(SERIES))
t.check('names that are hard to shorten fit, and no two look alike', check_generated)
t.check('numbers with many digits and runs fit, and no two look alike', check_exact)
t.check('a terminal without UTF-8 gets ASCII only', check_ascii)
t.check('the width is that of --width, else that of the terminal', check_choice)
t.check('columns are dropped before names lack room', check_columns)
t.check('running shares add up', check_running)
t.check('a screen holds a command and ten rows', check_screen)
for more in all_dumps(MORE):
    t.check(f'{more}: all reports fit', lambda more=more: check_dump(more) + check_by(more))
if MORE:
    t.check('series of all given folders fit', lambda: [
        fault for folder in map(pathlib.Path, MORE) if folder.is_dir()
        for series in [sorted(folder.glob('cx.*.heap'))] if len(series) > 2
        for fault in check_series(series)])
t.done()

#!/usr/bin/env python3
"""Tests are hermetic: what is installed on a machine changes none of their results.  A sample of suites is run twice:
as it is, and in a mount namespace where the modules and sources in the maps of testdata's dumps are decoys.  A decoy has
the layout that the map shows and one function, `decoy`, so that a suite that looks for files of the machine gets names
that are wrong.

In any case each command line of the suites has to say where the program looks.  Where no such namespace may be made,
this is all that is tested, and the test says so.

These tests are about binaries of the machine, or of its compilers, and read them where they are:
    tests/live/*                                 programs that they start, with the libraries these load
    sampler/preload, properties/rebuilds         the same, with the sampler of this project
    statistics/holdout, pairs                    programs that they compile and run
    properties/listing                           sources at the paths that a profile has, /etc/passwd among them
    interop/builds, calls, stores, stripped      files that they compile; --path-map says where; the paths of dumps are
    properties/rebuilt, cases_builds of tests/cli    below /srv and /gone, and no machine has their build ids
    interop/test_symbols_*                       files that they compile; they run no hprof-agg
"""
import collections
import concurrent.futures
import gzip
import os
import pathlib
import re
import shlex
import struct
import subprocess
import sys

from harness import JOBS, Tests, scratch

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent.parent
PRINT = '--used'  # print the results of dumps with modules that machines have, for comparison
# All tests of a suite, or those of the arguments; each takes two seconds at most.
SUITES = [('properties', name) for name in ('allocator_frames', 'charges', 'firefox', 'groups', 'healthy', 'names', 'next_commands',
                                            'tables', 'threads', 'totals')]
SUITES += [('properties', 'hermetic', PRINT), ('properties', 'frames', 'real/dbbench_lg15.18185.0.i0.heap.gz'), ('golden',), (
    'cli', 'views_fold_more_and_more', 'functions_named_by_peek_and_list_are_shown', 'peek_finds_each_row_of_top_by_its_name',
    'a_table_shows_enough_rows_and_no_more', 'rows_without_bytes_are_not_shown', 'an_allocating_function_has_its_own_line_in_a_tree')]
MAPPING = re.compile(rb'^([0-9a-f]+)-([0-9a-f]+) (....) ([0-9a-f]+) \S+ \d+ +(/[^\n]*)$', re.M)
FILLED_MAX = 4 << 20  # bytes of code of a decoy; of the rest, which is a hole, no address is called
CALL = b'\xe8'        # of x86: with only this byte around, each address follows a call
PAGE = 4096

# --- decoys -----------------------------------------------------------------------------


def maps():
    """{path of a module: [(start, end, permissions, offset)]} of the first dump of each."""
    found = {}
    for dump in sorted(t.testdata.rglob('*.heap*')):
        content = dump.read_bytes()
        try:
            content = gzip.decompress(content) if content.startswith(b'\x1f\x8b') else content
        except (EOFError, OSError):
            continue  # one of the damaged dumps
        modules = collections.defaultdict(list)
        for start, end, permissions, offset, path in MAPPING.findall(content):
            modules[os.fsdecode(path)].append((int(start, 16), int(end, 16), permissions, int(offset, 16)))
        for path, lines in modules.items():
            found.setdefault(path, sorted(lines))
    return {path: lines for path, lines in found.items() if '..' not in path and not path.endswith(' (deleted)')}


def write_decoy(path, lines):
    """An ELF file of the layout, with one function in all that is executable."""
    base, last = lines[0][0] - lines[0][3], max(offset + end - start for start, end, _, offset in lines)
    flags = {ord('r'): 4, ord('w'): 2, ord('x'): 1}
    loads = [struct.pack('<IIQQQQQQ', 1, sum(flags.get(c, 0) for c in permissions), offset, start - base, start - base, end - start,
                         end - start, PAGE) for start, end, permissions, offset in lines]
    code = [(offset, start - base, end - start) for start, end, permissions, offset in lines if b'x' in permissions]
    names, strings = b'\0.text\0.symtab\0.strtab\0', b'\0decoy\0'
    symbols = bytes(24) + b''.join(struct.pack('<IBBHQQ', 1, 0x12, 0, 1, at, size) for _, at, size in code[:1])
    offset, at, size = code[0] if code else (PAGE, PAGE, 0)
    sections = [(0,) * 10, (1, 1, 6, at, offset, size, 0, 0, 16, 0),
                (7, 2, 0, 0, last, len(symbols), 3, 1, 8, 24), (15, 3, 0, 0, last + len(symbols), len(strings + names), 0, 0, 1, 0)]
    names_at = last + len(symbols) + len(strings)
    sections += [(15, 3, 0, 0, names_at, len(names), 0, 0, 1, 0)]
    table = b''.join(struct.pack('<IIQQQQIIQQ', *section) for section in sections)
    head = b'\x7fELF\2\1\1' + bytes(9) + struct.pack('<HHIQQQIHHHHHH', 3, 62, 1, 0, 64, names_at + len(names), 0, 64, 56,
                                                    len(loads), 64, len(sections), 4)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, 'wb') as file:
        for offset, _, size in code:
            file.seek(offset)
            file.write(CALL * min(size, FILLED_MAX))
        file.seek(0)
        file.write(head + b''.join(loads))
        file.seek(last)
        file.write(symbols + strings + names + table)


def is_needed(path):
    """Whether the suites themselves run or load the file: the interpreter, its modules, and the dynamic linker."""
    real = os.path.realpath(path)
    return 'lib-dynload' in path or os.path.basename(path).startswith('ld-linux') or real == os.path.realpath(sys.executable) or (
        '/bin/' in path and os.path.exists(path))


def make_decoys(folder, modules):
    """Write decoys below the folder: {first component of their paths: number}."""
    made = collections.Counter()
    for path, lines in modules.items():
        top = path.split('/')[1]
        inside = any(str(place).startswith(f'/{top}/') for place in (TOP, t.testdata, t.binary, folder))
        if os.path.isdir(f'/{top}') and not inside and top not in ('dev', 'proc', 'sys') and not is_needed(path):
            write_decoy(folder / path[1:], lines)
            made[top] += 1
    return made


# --- runs -------------------------------------------------------------------------------


def namespace(folder, tops):
    """The words that run a command with decoys over the folders; the loader takes the real libraries from elsewhere."""
    script = ['set -e', f'mount --rbind /usr {folder}/usr.real',
              f'export LD_LIBRARY_PATH="$(echo {folder}/usr.real/lib/*-linux-gnu):$LD_LIBRARY_PATH"']
    script += [f'mount -t overlay overlay -o lowerdir={folder}/{top}:/{top} /{top}' for top in tops]
    return ['unshare', '-m' if os.getuid() == 0 else '-rm', 'sh', '-c', '\n'.join([*script, 'exec "$@"']), 'sh']


def command(suite, binary):
    kind, *rest = suite
    if kind == 'golden':
        return [TOP / 'scripts/run-golden', binary, TOP]
    if kind == 'cli':
        return [sys.executable, '-B', TOP / 'tests/cli/test_cli.py', binary, t.formats, *rest]
    return [sys.executable, '-B', HERE / f'{rest[0]}.py', binary, t.testdata, *(name if name == PRINT else t.testdata / name for name in rest[1:])]


def results(prefix, binary):
    """[(status, lines)] of the suites."""
    def run(suite):
        done = subprocess.run([*prefix, *map(str, command(suite, binary))], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=300, check=False)
        # The program names its empty folder, which is another one in each run.
        return done.returncode, re.sub(r'hprof-agg-root-\w+', 'hprof-agg-root', done.stdout).splitlines(), done.stderr
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        return list(pool.map(run, SUITES))


def logging_binary(folder):
    """A program that writes its arguments to a file of a folder, then runs as the binary."""
    path, logs = folder / 'hprof-agg', folder / 'logs'
    logs.mkdir()
    path.write_text(f'#!/bin/sh\nprintf "%s\\0" "$@" >{shlex.quote(str(logs))}/$$.$(date +%s%N)\nexec {shlex.quote(t.binary)} "$@"\n')
    path.chmod(0o755)
    return path


def lacks_root(words):
    """Whether the program may look at the machine."""
    is_said = any(word.startswith(('--no-symbols', '--symbol-dir-only', '--path-map=')) for word in words)
    is_said &= words[0] != 'list' or '--symbol-dir-only' in words  # list looks for sources
    return not is_said and words[0] not in ('help', 'version', 'manifest', 'digest') and not words[0].startswith('-')


# --- tests ------------------------------------------------------------------------------


def suites_pass(found):
    return [line for suite, (status, lines, err) in zip(SUITES, found) if status or not lines or '0 passed, 0 failed' in lines
            for line in (f'{" ".join(suite)}: status {status}', *lines[-3:], *err.splitlines()[-5:])]


def are_rooted(folder):
    commands = [path.read_text('utf-8', 'surrogateescape').split('\0')[:-1] for path in (folder / 'logs').iterdir()]
    faults = sorted({' '.join(words)[:300] for words in commands if words and lacks_root(words)})
    return faults or f'{len(commands)} commands' if commands else ['no command was seen']


def same_with_decoys(plain, decoyed):
    faults = []
    for suite, (status, lines, _), (other_status, other_lines, err) in zip(SUITES, plain, decoyed):
        if (status, lines) != (other_status, other_lines):
            changed = [line for line in other_lines if line not in lines]
            faults += [f'{" ".join(suite)}: status {status}, with decoys {other_status}', *changed[:5], *err.splitlines()[:5]]
    return faults


def are_seen(prefix):
    """That the namespace works: a command that looks at the machine gets the names of decoys."""
    dump = t.real / 'dbbench_lg15.18185.0.i0.heap.gz'
    words = [*prefix, t.binary, 'folded', '--frames=all', str(dump)]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return f'{done.stdout.count("decoy")} times' if 'decoy' in done.stdout else [done.stdout[:500] + done.stderr[:2000]]


def print_reports():
    dumps = [t.real / 'dbbench_lg15.18185.0.i0.heap.gz', t.formats / 'jemalloc-cxx.heap']
    for dump in dumps:
        for options in ((), (f'--symbol-dir={t.root}',)):
            print(t.ok('folded', '-q', '--frames=all', *options, dump).out, t.ok('info', *options, dump).out)


t = Tests()
if PRINT in sys.argv:
    print_reports()
    sys.exit()
with scratch() as name:
    place = pathlib.Path(name)
    (place / 'usr.real').mkdir()
    decoys = make_decoys(place, maps())
    words = namespace(place, decoys)
    permitted = subprocess.run([*words, 'true'], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    without = results([], logging_binary(place))
    t.check(f'{len(SUITES)} suites pass', lambda: suites_pass(without))
    t.check('each command of the suites names a root directory', lambda: are_rooted(place))
    if permitted.returncode:
        reason = permitted.stderr.strip().partition('\n')[0]
        t.check('decoys are not tried, as no overlay can be mounted in a namespace here', lambda: reason)
    else:
        t.check(f'a command without a root finds the decoys, {dict(decoys)}', lambda: are_seen(words))
        t.check('the suites print the same lines with decoys',
                lambda: same_with_decoys(without, results(words, t.binary)))
t.done()

#!/usr/bin/env python3
"""A C++ program that allocates through lambdas, threads, containers and wrappers: the bytes that --frames=no-std
attributes to each of its functions are known exactly, with DWARF, with symbols only, with neither, and from its pprof
profile.

usage: frames.py BINARY TESTDATA
"""
import glob
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import time

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'properties'))
from harness import Result, Tests, scratch  # noqa: E402

# Bytes that functions have allocated, by patterns of their names.  Lambdas stay as rows, with the function that
# passed them, or the thread, above them.
OWN = {
    r'^call_back\b.*lambda.*operator\(\)': 1024,
    r'^in_function\b.*lambda.*operator\(\)': 2048,
    r'^worker\b': 4096,
    r'^in_threads\b.*lambda.*operator\(\)': 8192,
    r'^duplicate\b': 16384,
    r'^use_xmalloc\b': 131072,
    r'^grab\b': 262144,
    r'^create_buffer\b': 524288,
    r'^own_string\b': 1048576,
    r'^Cache<int>::fill\b': 32768,
}
# A specialization in the program's own file is its own, and a container by its path is not:
# without files names decide.
DWARF = OWN | {r'^std::hash<Key>::operator\(\)': 448, r'^fill_box\b': 65536}
SYMBOLS = OWN | {r'^look_up\b': 448, r'^boost::container::box<int>::grow\b': 65536}
# The rows of 448 bytes and more that text shows, without the pool of libstdc++.
SHOWN = ['own_string', 'create_buffer', 'grab', 'use_xmalloc', 'fill_box', 'Cache<…>::fill',
         'duplicate', 'in_threads::{lambda#1}::operator()', 'worker',
         'in_function::{lambda#1}::operator()', 'call_back::{lambda#1}::operator()',
         'std::hash<…>::operator()']
SHOWN_OF_SYMBOLS = [{'fill_box': 'boost::container::box<…>::grow',
                     'std::hash<…>::operator()': 'look_up'}.get(name, name) for name in SHOWN]
STANDARD = re.compile(r'^(void )?(std|__gnu_cxx)::(?!hash<Key>)|malloc$|strdup|libc\.so')


def compile_program(folder):
    source = folder / 'source'
    shutil.copytree(HERE / 'frames', source)
    (folder / 'dwarf').mkdir()
    program = folder / 'dwarf' / 'program'
    subprocess.run([os.environ.get('CXX') or 'c++', '-std=c++14', '-O0', '-g', '-pthread',
                    f'-I{source}', '-o', program, source / 'program.cc'], check=True)
    for kind, option in (('symbols', '--strip-debug'), ('stripped', '--strip-all')):
        (folder / kind).mkdir()
        subprocess.run(['strip', option, '-o', folder / kind / 'program', program], check=True)
    return program


def dump_of(folder, program):
    prefix = folder / 'program.heap'
    subprocess.run([program], check=True, env={
        'LD_PRELOAD': JEMALLOC,
        'MALLOC_CONF': f'prof:true,prof_final:true,lg_prof_sample:0,prof_prefix:{prefix}'})
    return glob.glob(f'{glob.escape(str(prefix))}.*.f.heap')[0]


def rows(*args):
    report = json.loads(t.ok('top', '-q', '-fjson', '-n0', '--frames=no-std', *args).out)
    return {row['name']: (row['flat']['inuse-space']['estimate'], row['class'])
            for row in report['rows']}


def compare(wanted, *args):
    found = rows(*args)
    faults = []
    for pattern, size in wanted.items():
        flats = [flat for name, (flat, _) in found.items() if re.search(pattern, name)]
        if [flat for flat in flats if flat] != [size]:
            faults.append(f'{pattern}: {flats} instead of {size}')
    faults += [f'{name} holds {flat}' for name, (flat, _) in found.items()
               if flat >= 256 and STANDARD.search(name)]
    return faults + ([f'shown: {found}'] if faults else [])


def seen(*args):
    lines = t.ok('top', '-q', '-n0', '--confidence=none', '--unit=B', *args).out.splitlines()
    rows = [row for row in map(Result.ROW.match, lines) if row]
    return [row['name'].strip() for row in rows if int(row['flat'].replace(',', '')) >= 448]


def shown(wanted, *args):
    """The table that a person sees, first row first."""
    names = [name for name in seen(*args) if 'libstdc++' not in name]
    return [] if names == wanted else [f'{names}']


def stripped(*args):
    """Without any names the sizes are still there, attributed to nameless frames of the program."""
    found = rows(*args)
    mine = [(flat, kind) for name, (flat, kind) in found.items() if name.startswith('program+0x')]
    faults = [f'{kind}, nameless' for _, kind in mine if kind != 'own']
    flats = {flat for flat, _ in mine}
    faults += [f'{size} is missing: {found}' for size in
               {*SYMBOLS.values()} - {1048576}
               if size not in flats]
    return faults


def wrapped(*args):
    """A wrapper that no rule knows is visible as the first row; an option attributes it to its caller."""
    found = {re.sub(r'\(.*', '', name): flat for name, (flat, _) in
             rows('--wrapper=^grab', '--own=^xmalloc', *args).items()}
    return [] if found.get('use_grab') == 262144 and found.get('xmalloc') == 131072 and \
        'grab' not in found else [str(found)]


# --- other programs -------------------------------------------------------------------------------

JSON = """
#[inline(never)] pub fn write(n: usize) -> Vec<u8> { let mut v = Vec::with_capacity(n); v.push(1); v }
#[inline(never)] pub fn insert(n: usize) -> String { let mut s = String::new(); s.reserve_exact(n); s }
"""
LEAKY = """
#[inline(never)] fn serve(which: usize) {
    let keep = |n: usize| std::mem::forget(json::write(n));
    let index = |n: usize| std::mem::forget(json::insert(n));
    if which > 0 { keep(1048576 * which); index(524288 * which); }
}
fn main() { serve(std::env::args().count()); }
"""


def rust():
    """Two closures call a crate, which calls functions of Rust's library."""
    folder = FOLDER / 'rust'
    folder.mkdir()
    (folder / 'json.rs').write_text(JSON)
    (folder / 'leaky.rs').write_text(LEAKY)
    subprocess.run(['rustc', '-g', '-O', '--edition=2021', '--crate-type=rlib', '-o', 'libjson.rlib',
                    f'--remap-path-prefix={folder}=/root/.cargo/registry/src/index/json-1.0.0',
                    f'{folder}/json.rs'], check=True, cwd=folder)
    subprocess.run(['rustc', '-g', '-O', '--edition=2021', '--extern', 'json=libjson.rlib', '-o', 'leaky',
                    'leaky.rs'], check=True, cwd=folder)
    dump, faults = dump_of(folder, folder / 'leaky'), []
    for view, pattern in (('no-std', r'json::{}'), ('no-libs', r'leaky::serve::{{{{closure}}}}')):
        text = t.ok('top', '-q', '-ftsv', f'--frames={view}', dump).out.splitlines()
        table = [dict(zip(text[0].split('\t'), line.split('\t'))) for line in text[1:]]
        found = {(row['name'], float(row['flat'])) for row in table}
        for name, size in (('write', 1048576), ('insert', 524288)):
            sizes = [flat for row, flat in found if re.search(pattern.format(name), row)]
            faults += [] if sum(sizes) in (size, 1572864) else [f'{view}: {name}: {found}']
        faults += [f'{view}: {row["name"]} is {row["class"]}' for row in table
                   if float(row['flat']) > 400000 and
                   row['class'] != ('library' if view == 'no-std' else 'own')]
    return faults


def connected(path):
    """A connection to a server that may still be starting."""
    deadline = time.time() + 60
    while True:
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(path)
            return connection
        except OSError:
            connection.close()
            if time.time() > deadline:
                raise
            time.sleep(0.05)


def redis():
    """Wrappers of malloc in redis are not among the first rows, with any names."""
    folder = FOLDER / 'redis'
    folder.mkdir()
    server = subprocess.Popen(
        ['redis-server', '--port', '0', '--unixsocket', f'{folder}/socket', '--save', '', '--dir', folder],
        stdout=subprocess.DEVNULL, env={
            'PATH': os.environ['PATH'], 'LD_PRELOAD': JEMALLOC,
            'MALLOC_CONF': f'prof:true,prof_final:true,lg_prof_sample:15,prof_prefix:{folder}/redis'})
    with connected(f'{folder}/socket') as connection:
        replies = connection.makefile('rb')
        for _ in range(200):
            connection.sendall(b''.join(b'SET key:%d:%d %s\r\nRPUSH list:%d %s\r\n' % (
                _, i, b'x' * 300, i, b'y' * 100) for i in range(100)))
            for _reply in range(200):
                replies.readline()
        connection.sendall(b'SHUTDOWN NOSAVE\r\n')
        server.wait(60)
    text = t.ok('top', '-q', '-ftsv', '-n6', glob.glob(f'{folder}/redis.*.f.heap')[0]).out.splitlines()
    column = text[0].split('\t').index('name')
    names = [line.split('\t')[column] for line in text[1:]]
    faults = [] if 'lpInsert' in names[:3] and any('sds' in name for name in names[:3]) else [
        f'{names}']
    return faults + [name for name in names if re.match(r'z\w*alloc', name)]


def path_map(kind):
    return f'--path-map={FOLDER}/dwarf={FOLDER}/{kind}'


JEMALLOC = next(iter(glob.glob('/usr/lib/*/libjemalloc.so.2') +
                     glob.glob('/usr/lib*/libjemalloc.so.2')), None)
t = Tests(is_of_machine=True)
if not JEMALLOC:
    print('1..0 # SKIP libjemalloc.so.2 is not installed')
    sys.exit(0)
with scratch() as scratched:
    FOLDER = pathlib.Path(scratched)
    DUMP = dump_of(FOLDER, compile_program(FOLDER))
    (FOLDER / 'dwarf').rename(FOLDER / 'whole')  # a file at the path of the program would be looked at, too
    WHOLE = path_map('whole')
    MERGED = FOLDER / 'x.pb.gz'
    t.check('with DWARF, bytes are attributed to the function that allocated them',
            lambda: compare(DWARF, WHOLE, DUMP))
    t.check('with DWARF, the table shows the expected functions', lambda: shown(SHOWN, WHOLE, DUMP))
    t.check('with symbols only, the table shows the expected functions',
            lambda: shown(SHOWN_OF_SYMBOLS, path_map('symbols'), DUMP))
    t.check('rows of a stripped program are offsets in its files', lambda: [
        name for name in seen(path_map('stripped'), DUMP)
        if not re.match(r'(program|libstdc\+\+\.so\.6[\d.]*)\+0x[\da-f]+$|\[emergency-pool-of-libstdc\+\+\]$', name)])
    t.check('with symbols only, names decide about folding', lambda: compare(SYMBOLS, path_map('symbols'), DUMP))
    t.check('all bytes of a stripped program are attributed to it', lambda: stripped(path_map('stripped'), DUMP))
    t.ok('merge', '-q', WHOLE, '-o', MERGED, DUMP)
    t.check('its pprof profile has the same bytes per function', lambda: compare(DWARF, '--no-symbols', MERGED))
    t.check('its pprof profile shows the same table', lambda: shown(SHOWN, '--no-symbols', MERGED))
    t.ok('merge', '-q', path_map('symbols'), '-o', MERGED, DUMP)
    t.check('its pprof profile with symbols only has the same bytes per function',
            lambda: compare(SYMBOLS, '--no-symbols', MERGED))
    t.check('its pprof profile with symbols only shows the same table',
            lambda: shown(SHOWN_OF_SYMBOLS, '--no-symbols', MERGED))
    t.check('--wrapper and --own change the attribution', lambda: wrapped(WHOLE, DUMP))
    t.check('Rust: bytes of a crate are attributed to the closures that call it', rust if shutil.which('rustc') else [])
    t.check('redis: bytes are attributed to the callers of its malloc wrappers',
            redis if shutil.which('redis-server') else [])
t.done()

#!/usr/bin/env python3
"""Tests the builds of pprof profiles and programs: two builds of one layout stay separate, addresses of calls are
compared with the file as return addresses are, and every format names what a file promises but does not contain.

usage: builds.py BINARY TESTDATA
"""
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
import binaries  # noqa: E402
from harness import Tests, scratch  # noqa: E402
from profile_reader import fields  # noqa: E402
from profile_writer import Profile  # noqa: E402

t = Tests()
BASE = 0x555500000000
PROGRAM = '''
__attribute__((noinline)) int work(int n) { __asm__ volatile(""); return n * 3; }
static inline __attribute__((always_inline)) int inner(int n) { return work(n) + work(n + 1); }
%s
int main(int argc, char **argv) { (void)argv; return %s; }
'''
SOURCE = PROGRAM % (''.join(f'''
__attribute__((noinline)) int f{i}(int n) {{ return n ? inner(n) * {i + 3} + work(n >> 1) : 0; }}
''' for i in range(30)), ' + '.join(f'f{i}(argc)' for i in range(30)))


COPY = '''
extern int work(int), other(int);
#line %d "h.h"
static inline __attribute__((always_inline)) int both(int n) { return work(n) + work(n * 2); }
#line 60 "app.c"
int %s(int n) { return both(n) + 1; }
'''


def build(folder, name, *flags, text=SOURCE):
    folder = pathlib.Path(folder, name)
    folder.mkdir()
    (folder / 'app.c').write_text(text)
    subprocess.run([binaries.compiler('CC'), '-O1', '-g', '-w', *flags, '-o', 'app', 'app.c'],
                   cwd=folder, check=True, stdin=subprocess.DEVNULL)
    return folder / 'app'


def mapping_of(program):
    """(start, limit, offset) of its code, and where offset 0 would be."""
    rows, start = binaries.rows(program, '/srv/app', BASE)
    row = next(row.split() for row in rows if 'x' in row.split()[1])
    first, last = (int(word, 16) for word in row[0].split('-'))
    return (first, last, int(row[2], 16)), start


def profile(program, build_id, size, offset=0, calls=()):
    """A pprof profile with stacks of three calls."""
    p = Profile()
    (start, limit, at), base = mapping_of(program)
    app = p.mapping('/srv/app', start, limit, at, build_id)
    found = [base + call - 1 + offset for call in sorted(set(binaries.returns(program)))][:60]
    for i in range(0, len(found) - 2, 3):
        stack = [p.location(address, app, calls) for address in found[i:i + 3]]
        p.sample(stack, [1, size], size)
    return p.bytes()


def write(folder, name, data):
    path = pathlib.Path(folder, name)
    path.write_bytes(data)
    return path


def info(*arguments):
    return json.loads(t.ok('info', '-q', '-fjson', *arguments).out)


def addresses_of_calls(folder, program):
    """Each address is that of a call: all must match the file, and none once the addresses are shifted."""
    right = info(f'--path-map=/srv={program.parent}', write(folder, 'r.pb', profile(program, '', 64)))
    wrong = info(f'--path-map=/srv={program.parent}', write(folder, 'w.pb', profile(program, '', 64, -2)))
    rows = [report['modules'][0] for report in (right, wrong)]
    faults = [] if rows[0]['return_addresses']['not_after_call'] == 0 and \
        rows[0]['symbols'] == 'functions and lines' and not [one['text'] for one in right['warnings']] else [f'{right}']
    return faults + ([] if 'another build' in rows[1]['symbols'] else [f'{wrong}'])


def build_id_of(program):
    out = subprocess.run(['readelf', '-n', str(program)], check=True, capture_output=True, text=True)
    return re.search(r'Build ID: (\w+)', out.stdout)[1]


def told_id(folder, program):
    """A matching build id decides, in upper or lower case; another build id excludes the file."""
    known, faults = build_id_of(program), []
    for told, names in ((known, True), (known.upper(), True), (known[::-1], False), ('go/Xy-_1', False)):
        path = write(folder, 'told.pb', profile(program, told, 64, -2))
        report = info(f'--path-map=/srv={program.parent}', path)
        row = report['modules'][0]
        if row['return_addresses'] is not None or ('another' not in row['symbols']) != names or \
                bool([one['text'] for one in report['warnings']]) == names or row['build_id'].lower() != told.lower():
            faults.append(f'{told}: {row} {report["warnings"]}')
    return faults


def two_builds(folder, program):
    """Two builds of one layout keep two stacks for each call, with any source and order of inputs."""
    ids = ['a' * 40, 'b' * 40]
    paths = [write(folder, f'{i}.pb', profile(program, each, 4096 << i, calls=[('same', 'x.c', 1)]))
             for i, each in enumerate(ids)]
    one = info('--no-symbols', paths[0])['inputs'][0]['stacks']
    faults, seen = [], set()
    for options in ([*paths], [*paths[::-1]], ['-j2', *paths]):
        merged = pathlib.Path(folder, 'merged.pb.gz')
        merged.write_bytes(t.ok('merge', '--no-symbols', *options).out_bytes)
        seen.add(merged.read_bytes())
        for inputs in (options, [merged]):
            report = info('--no-symbols', *inputs)
            if [row['build_id'] for row in report['modules']] != ids:
                faults.append(f'{inputs}: {report["modules"]}')
        if info('--no-symbols', merged)['inputs'][0]['stacks'] != 2 * one:
            faults.append(f'{one} stacks in each, and merged {info(merged)["inputs"]}')
    data = [list(fields(value)) for number, value in fields(gzip.decompress(seen.pop())) if number == 3]
    if len(data) != 2 or seen:
        faults.append(f'{data}, {len(seen)} other results')
    return faults + go_agrees(folder, merged, ids, 2 * one)


def go_agrees(folder, merged, ids, stacks):
    done = subprocess.run(['go', 'tool', 'pprof', '-symbolize=none', '-raw', str(merged)], check=True,
                          capture_output=True, text=True, cwd=folder,
                          env={**os.environ, 'PPROF_TMPDIR': str(folder)}, timeout=120).stdout
    samples = re.findall(r'^ +\d+ +\d+: [\d ]+$', done.partition('Locations')[0], re.M)
    mappings = re.findall(r'^\d+: 0x.* /srv/app (\w+)', done.partition('Mappings')[2], re.M)
    return [] if len(samples) == stacks and mappings == ids else [f'pprof: {len(samples)} {mappings} {done[-500:]}']


def flags_of(data):
    """has_functions and its kin of the first mapping."""
    mapping = next(dict(fields(value)) for number, value in fields(data) if number == 3)
    return tuple(bool(mapping.get(field)) for field in (7, 8, 9, 10))


def flags(folder, program, split):
    stripped = build(folder, 'stripped', '-s', '-rdynamic')
    plain = build(folder, 'plain', '-g0')
    faults = []
    for what, built, names, wanted in (
            ('all', program, [], (1, 1, 1, 1)), ('symbols', plain, [], (1, 0, 0, 0)),
            ('split', split, [], (1, 1, 1, 0)), ('exported', stripped, [], (1, 0, 0, 0)),
            ('told', pathlib.Path('/nowhere/x/app'), [('f', 'x.c', 3)], (1, 1, 1, 0)),
            ('told, inlined', pathlib.Path('/nowhere/x/app'), [('f', '', 0), ('g', '', 0)], (1, 0, 0, 1)),
            ('nothing', pathlib.Path('/nowhere/x/app'), [], (0, 0, 0, 0))):
        made = built if built.exists() else program
        path = write(folder, 'flags.pb', profile(made, '', 64, calls=names))
        out = t.ok('merge', '-fpprof', '-q', f'--path-map=/srv={built.parent}', path).out_bytes
        got = flags_of(gzip.decompress(out))
        if got != tuple(map(bool, wanted)):
            faults.append(f'{what}: {got}')
    return faults


def begins(folder, program):
    """The address where each function begins, by the debug information; the smallest of several copies in one file."""
    def starts(data):
        found = {}
        strings = [value for number, value in fields(data) if number == 6]
        for function in (dict(fields(value)) for number, value in fields(data) if number == 5):
            name, file = strings[function[2]].decode(), strings[function.get(4, 0)].decode()
            found.setdefault((name, os.path.basename(file)), []).append(function.get(5, 0))
        return found

    def merged(*arguments):
        return starts(gzip.decompress(t.ok('merge', '-fpprof', '-q', *arguments).out_bytes))

    lines = {match[1]: SOURCE[:match.start()].count('\n') + 1
             for match in re.finditer(r'\bint (\w+)\(int n(?:, | ?\))|\bint (?=main)', SOURCE) if match[1]}
    found = merged(f'--path-map=/srv={program.parent}', heap_of(folder, program))
    faults = [f'{name}: {found.get((name, "app.c"))}, not {line}' for name, line in lines.items()
              if name != 'work' and found.get((name, 'app.c')) != [line]]
    second = write(folder, 'second.c', (COPY % (30, 'other')).encode())
    copies = build(folder, 'copies', str(second), text=PROGRAM % (COPY % (40, 'first'), 'first(argc) + other(argc)'))
    option, dump = f'--path-map=/srv={copies.parent}', heap_of(folder, copies)
    want = {name: found for name, found in merged(option, dump).items() if name == ('both', 'h.h')}
    faults += [] if want == {('both', 'h.h'): [30]} and len(lines) > 30 else [f'{want} {len(lines)}']
    path = pathlib.Path(folder, 'known.pb.gz')
    t.ok('merge', '-fpprof', '-q', option, '-o', path, dump)
    p = Profile()
    at = p.location(0x4001, p.mapping('/srv/x', 0x4000, 0x5000, 0, ''), [('both', str(copies.parent / 'h.h'), 31)])
    p.sample([at], [1, 64], 64)
    older = write(folder, 'older.pb', p.bytes())
    both = merged('--no-symbols', path, older)
    return faults + ([] if both['both', 'h.h'] == [30] else [f'merged with one that tells none: {both}'])


def heap_of(folder, program, name='a.heap', calls=None, size=64):
    maps, _ = binaries.rows(program, '/srv/app', BASE)
    found = [BASE + call for call in (calls or sorted(set(binaries.returns(program))))]
    path = pathlib.Path(folder, name)
    path.write_text(binaries.heap([found[i:i + 3] for i in range(0, len(found), 3)], maps, size))
    return path


def everywhere(folder, program, wanted):
    """Each format with a place for it contains the message; for others it is on standard error."""
    dump, faults = heap_of(folder, program), []
    merged = [name for name in t.formats_of('merge') if name != 'hpa']
    for name in merged + ['json', 'tsv', 'text']:
        command = 'merge' if name in merged else 'top'
        run = t.ok(command, f'--format={name}', *['-v'] * (name == 'text'), f'--path-map=/srv={program.parent}', dump)
        out = gzip.decompress(run.out_bytes).decode('utf-8', 'replace') if name == 'pprof' else run.out
        has_room = name in ('json', 'text', 'pprof')
        if not re.search(wanted, out if has_room else run.err):
            faults.append(f'{name}: {run.err} {out[:300]}')
    return faults


def exported(folder):
    """In a stripped daemon, exported functions have names; the others are identified by their bytes."""
    daemon = build(folder, 'daemon', '-rdynamic', '-s', '-Wl,--build-id=0x0123456789abcdef0123',
                   text=SOURCE.replace('int f1(', 'static int f1('))
    calls = sorted(set(binaries.returns(build(folder, 'whole', '-rdynamic', '-Wl,--build-id=0x0123456789abcdef0123',
                                              text=SOURCE.replace('int f1(', 'static int f1(')))))
    dump = heap_of(folder, daemon, calls=calls)
    option = f'--path-map=/srv={daemon.parent}'
    rows = json.loads(t.ok('top', '-q', '-n0', '-fjson', '--frames=no-alloc', option, dump).out)['rows']
    nameless = [row for row in rows if row['name'].startswith('app+0x')]
    share = 100 * sum(row['flat']['inuse-space']['estimate'] for row in nameless) / \
        sum(row['flat']['inuse-space']['estimate'] for row in rows)
    text = t.ok('top', '-v', option, dump).out
    said = re.search(r'warning: ([\d.]+)% of memory in use is in stripped code: ([\d.]+)% in '
                     r'/srv/app\. Install debug packages', text)
    faults = [] if said and nameless and said[1] == said[2] and abs(float(said[1]) - share) < .06 else \
        [f'{share} {text}']
    # Hardly any of it is nameless: nothing is said.
    big = heap_of(folder, daemon, 'big.heap', calls=calls[-6:], size=1 << 30)
    few = t.ok('top', option, dump, big).out
    return faults + ([few] if 'in stripped code' in few else [])


def main():
    with scratch() as folder:
        program = build(folder, 'program')
        split = build(folder, 'split', '-gsplit-dwarf')
        for left in split.parent.glob('*.dwo'):
            left.unlink()
        t.check('addresses of calls are compared with the file', lambda: addresses_of_calls(folder, program))
        t.check('a build id of a profile selects the file', lambda: told_id(folder, program))
        t.check('two builds of one layout stay separate, also for pprof', lambda: two_builds(folder, program))
        t.check('has_functions and similar flags are right', lambda: flags(folder, program, split))
        t.check('the first line of each function is that of the source', lambda: begins(folder, program))
        t.check('missing split DWARF is reported', lambda: everywhere(
            folder, split, r'/srv/app: inlined calls or lines are missing for 100.0% of the bytes: a file of split debug'))
        t.check('exported functions of a stripped daemon have names', lambda: exported(folder))
    t.done()


main()

#!/usr/bin/env python3
"""Programs that were rebuilt after an edit: no dump gets names from a file that did not run, and diff claims no
change that did not happen, with any files available.

usage: rebuilds.py BINARY TESTDATA SAMPLER

5 programs, 8 edits of each, 6 processes a side, compared with nm on the program that ran; bench/builds uses more of
them, and counts.
"""
import json
import pathlib
import random
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import binaries  # noqa: E402
import generated  # noqa: E402
from generated import Comparison  # noqa: E402
from harness import Tests, scratch  # noqa: E402

t = Tests(is_of_machine=True, is_coded=True)
SEEDS = range(1, 6)
CHANCE = 1e-4  # share of the bytes of frames that a wrong file may name by chance


def made(folder, seed):
    own = pathlib.Path(folder, f'{seed}')
    (own / 'objects').mkdir(parents=True)
    sampler = generated.Sampler(sys.argv[3], period=12)
    program = generated.Program(own, seed, sampler, generated.Builder(own / 'objects', flags=['-g']))
    for kind, path in program.programs.items():  # names are those of the symbol table, as nm's are
        whole = own / 'whole' / kind / path.name
        whole.parent.mkdir(parents=True)
        shutil.copy(path, whole)
        binaries.run('strip', '-g', path)
    return program


def of_all(look):
    """The faults that look(program, kind) finds for each program and each edit."""
    pairs = [(program, kind) for program in PROGRAMS for kind in generated.EDITS]
    return t.in_parallel(lambda pair: [f'program {pair[0].seed}, {pair[1]}: {fault}' for fault in look(*pair) or []], pairs)


def both_files(program, kind):
    """The rows and the verdict of the gate are the same as with the names of nm."""
    got = Comparison(t, program.files('base', kind), program.dumps['base'], program.dumps[kind])
    wanted = Comparison(t, [], program.truth['base'], program.truth[kind])
    other = {name for name in {*got.rows, *wanted.rows} if got.rows.get(name) != wanted.rows.get(name)}
    return [f'{got.status} {wanted.status} {sorted(other)[:5]}'] if other or got.status != wanted.status else []


def base_file(program, kind):
    """The file of one side names no function of the other side falsely, and nothing is claimed about nameless
    functions."""
    got = Comparison(t, program.files('base'), program.dumps['base'], program.dumps[kind])
    wanted = Comparison(t, [], program.truth['base'], program.truth[kind])
    false = got.false_claims(wanted, program.functions['base'], program.functions[kind])
    return [f'{got.status} {wanted.status} {sorted(false)[:5]}'] if false or got.status not in {8, wanted.status} else []


def no_file(program, kind):
    """Without names on either side, and if the dumps do not show the difference of the builds, diff claims nothing
    false; nor if both sides ran both builds.  A function that grew may be several rows by address without significant
    growth: status 0 is right as well."""
    if not program.has_layout(kind):
        return []
    faults = []
    for mix in (lambda old, new: (old, new), lambda old, new: ([*old[1:], new[0]], [old[0], *new[1:]])):
        got = Comparison(t, [], *mix(program.dumps['base'], program.dumps[kind]))
        wanted = Comparison(t, [], *mix(program.truth['base'], program.truth[kind]))
        if got.claimed or got.status not in {0, 8, wanted.status}:
            faults.append(f'{got.status} {wanted.status} {sorted(got.claimed)[:5]}')
    return faults


def names(files_of, dumps_of, least=0, most=0):
    """Checks for all edits: the share of bytes in frames with a name is at least `least`, with another name than nm's
    at most `most`."""
    def look(program, kind):
        sums.append(program.names(t, files_of(program, kind), dumps_of(program, kind), kind))

    sums = []
    of_all(look)
    every, named, wrong = (sum(row[i] for row in sums) for i in range(3))
    said = f'{100 * named / every:.4g} % of the bytes have names, {100 * wrong / every:.2g} % a wrong one'
    return said if named >= least * every and wrong <= most * every else [said, *sorted(set().union(*(row[3] for row in sums)))]


def few_stacks(program, kind):
    chance = random.Random(f'{program.seed} {kind}')
    return [dump for count in (1, 2, 3) for dump in program.add(
        kind, f'{kind} {count}', lambda dump, out: generated.shortened(dump, out, count, chance))]


def debug_files(program, *kinds):
    """Debug files in place of the programs: they have no code."""
    options = []
    for kind in kinds:
        path = program.folder / 'debug' / kind / program.programs[kind].name
        if not path.exists():
            path.parent.mkdir(parents=True)
            whole = program.folder / 'whole' / kind / path.name
            binaries.run('objcopy', '--only-keep-debug', whole, path)
        options.append(f'--symbol-dir={path.parent}')
    return options


def own_debug_file(program, kind):
    """A debug file is compared by the calls that it lists, and a message says so."""
    row = json.loads(t.ok('info', '-q', '-fjson', *debug_files(program, kind), program.dumps[kind][0]).out)
    found = next(row for row in row['modules'] if row['path'] == generated.PATH)
    good = found['return_addresses'] and found['return_addresses']['checked'] >= 5 and 'signs-debug-file' in found['note']
    return [] if good else [str(found)]


def of_another_layout(dump, out):
    """Write the dump as if the program had been mapped with larger pages: no row ends at the end in the file."""
    text = dump.read_text()
    rows = [row for row in text.splitlines() if row.endswith(generated.PATH)]
    begin, end = rows[1].split()[0].split('-')
    if rows[1].split()[1] != 'r-xp' or not rows[2].startswith(end):
        raise AssertionError(rows)
    more = f'{int(end, 16) + 4096:x}'
    out.write_text(text.replace(f'{begin}-{end}', f'{begin}-{more}').replace(rows[2], rows[2].replace(end, more, 1)))
    return out


def mixed_names(program, files):
    """As Program.names(), of a partial of nine builds with more dumps than it records individually."""
    dumps = [dump for kind in program.programs for dump in program.dumps[kind]]
    path = t.merged(program.folder / 'many.hpa', dumps * 5, '--on-duplicate=count')
    packed = [pathlib.Path(program.folder, name) for name in ('many.pb.gz', 'inputs.pb.gz')]
    t.ok('merge', '-q', '-o', packed[0], *files, path)
    t.ok('merge', '-q', '--by=input', '--no-symbols', '-o', packed[1], *dumps)
    many, inputs = (generated.Names(each.read_bytes()) for each in packed)
    return many.count_mixed(inputs, lambda path: program.functions[program.kind_of[path]])


def many_dumps(files_of, least):
    """An aggregate file of many dumps of nine builds, which are not recorded individually: at least this share of bytes has
    names, and none is wrong."""
    sums = t.in_parallel(lambda program: [mixed_names(program, files_of(program))], PROGRAMS)
    every, named, wrong = (sum(row[i] for row in sums) for i in range(3))
    said = f'{100 * named / every:.4g} % of the bytes have names, {100 * wrong / every:.2g} % a wrong one'
    return said if named >= least * every and wrong == 0 else [said, *map(str, sorted(set().union(*(row[3] for row in sums))))]


def many_in_shards():
    """The shards of an aggregate file of 270 dumps have the names that the aggregate file has."""
    program, faults = PROGRAMS[0], []
    dumps = [dump for kind in program.programs for dump in program.dumps[kind]] * 5
    shards = [t.merged(program.folder / f'shard{i}.hpa', dumps, '--on-duplicate=count', f'--shard={i}/3') for i in range(3)]
    for files in (program.files(*program.programs), program.files('base')):
        whole, parts = (t.ok('folded', '-q', *files, *inputs).out for inputs in ([program.folder / 'many.hpa'], shards))
        faults += [] if whole == parts and 'step_' in whole else [f'{whole.count("step_")} {parts.count("step_")}']
    return faults


def nine_builds(program, kind):
    """The stacks of a partial of dumps of nine builds are those of its dumps, with all files and without the one of this
    edit; for one edit of four."""
    if [*generated.EDITS].index(kind) % 4 != program.seed % 4:
        return []
    dumps = [dump for each in program.programs for dump in program.dumps[each][:2]]
    path = t.merged(program.folder / f'nine {kind}.hpa', dumps)
    others = [each for each in program.programs if each != kind]
    return [f'{len(files)} files' for files in (program.files(*program.programs), program.files(*others))
            if t.ok('folded', '-q', *files, path).out != t.ok('folded', '-q', *files, *dumps).out]


with scratch() as scratched:
    PROGRAMS = []
    t.check('programs are built and run', lambda: t.in_parallel(lambda seed: PROGRAMS.append(made(scratched, seed)), SEEDS))
    t.check('B11: both files: the changed functions are those of nm', lambda: of_all(both_files))
    t.check('both files: names are those of nm', lambda: names(
        lambda program, kind: program.files('base', kind), lambda program, kind: [*program.dumps['base'], *program.dumps[kind]], 1))
    t.check('B12: a layout that no file has: names are right', lambda: names(
        lambda program, kind: program.files('base', kind), lambda program, kind: program.add(kind, f'{kind} hole', of_another_layout), 1))
    t.check('the file of the base: no change is claimed', lambda: of_all(base_file))
    t.check('the file of the base: names are right', lambda: names(
        lambda program, kind: program.files('base'), lambda program, kind: program.dumps[kind], 0, CHANCE))
    t.check('no file: no change is claimed', lambda: of_all(no_file))
    t.check('processes of few stacks: the right file among nine is found', lambda: names(
        lambda program, kind: program.files(*program.programs), few_stacks))
    t.check('B43: an aggregate file of nine builds has the stacks of its dumps', lambda: of_all(nine_builds))
    t.check('B44: an aggregate file of 270 dumps of nine builds has no wrong names',
            lambda: many_dumps(lambda program: program.files(*program.programs), .5))
    t.check('B44: with the file of one build, such an aggregate file has no wrong names',
            lambda: many_dumps(lambda program: program.files('base'), .01))
    t.check('B44: shards of such an aggregate file have its names', many_in_shards)
    if 'clang' in binaries.compiler('CC'):  # its lists of calls are incomplete
        t.done()
    t.in_parallel(lambda program: debug_files(program, *program.programs), PROGRAMS)
    t.check('B37: the debug file of the base names no other build', lambda: names(
        lambda program, kind: debug_files(program, 'base'), lambda program, kind: program.dumps[kind], 0, CHANCE))
    t.check('debug files instead of both programs: names are right', lambda: names(
        lambda program, kind: debug_files(program, 'base', kind), lambda program, kind: [*program.dumps['base'], *program.dumps[kind]], .99))
    t.check('a debug file is compared with the dumps', lambda: of_all(own_debug_file))
t.done()

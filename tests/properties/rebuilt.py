#!/usr/bin/env python3
"""No name comes from the wrong build without a warning.  Tests programs that were rebuilt after a small edit, at the
path of the one that ran, and right builds, which cause no warning.

usage: rebuilt.py BINARY TESTDATA
"""
import json
import os
import pathlib
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import binaries  # noqa: E402
import generated  # noqa: E402
from harness import Tests, scratch  # noqa: E402

t = Tests()
ADDRESSES = 1500  # addresses of a dump, ten to a stack
CHECKED = ADDRESSES * 9 // 10  # the last frame of a stack is not compared
FUNCTIONS = 165   # functions in each of two files, with five calls each
BASE = 0x555500000000
COMPLAINTS = re.compile(r'not the binary that was profiled|may not be the binary|another build|replaced while')

HEAD = 'extern "C" int work(int), (*hook)(int); int number_%(first)d(int);\n'
FUNCTION = '''
int %(name)s(int n) {
    int sum = work(n) + %(i)d;
%(more)s%(edit)s
    for (int i = 0; i < n; i++) sum += hook(sum * 3 + i) ^ work(i);
    sum -= work(sum) * hook(n);
    return sum > 100 ? number_%(next)d(sum / 2) : sum;
}
'''


MORE = '    sum = sum * %(i)d ^ (n >> %(i)d %% 29) * 0x10%(i)d;\n'  # so that no two are alike


def source(first, edits):
    """FUNCTIONS functions; edits are {number: text}, of the body, None to leave it out."""
    text = HEAD % {'first': first} + ''.join(
        f'int number_{i}(int);\n' for i in range(first, first + FUNCTIONS))
    text += edits.get('before', '')
    for i in range(first, first + FUNCTIONS):
        edit = edits.get(i, '    sum ^= sum * 7;' if i == first + 20 else '')
        if edit is None:
            continue
        following = i + 1 if i + 1 < first + FUNCTIONS and edits.get(i + 1, '') is not None else first
        text += FUNCTION % {'name': edits.get('name', {}).get(i, f'number_{i}'), 'i': i, 'edit': edit,
                            'more': MORE % {'i': i} * (i * i // 7 % 5), 'next': following}
    return text


def second(**edits):
    return source(FUNCTIONS, {(int(key[1:]) + FUNCTIONS if key[0] == 'f' else key): value
                              for key, value in edits.items()})


LAMBDA = '    auto body = [](int a) { return %s; }; sum += body(hook(sum));'
# Typical edits of a file: (name, the file, flags of its compiler).
EDITS = [
    ('none', second(f60=LAMBDA % 'a + 1'), ()),
    ('a constant', second(f20='    sum ^= sum * 5;', f60=LAMBDA % 'a + 1'), ()),
    ('a statement more', second(f20='    sum ^= sum * 7; sum += work(sum);', f60=LAMBDA % 'a + 1'), ()),
    ('a new function', second(before='int added(int n) { return work(n) * hook(n) + 3; }',
                              f60=LAMBDA % 'a + 1'), ()),
    ('a branch more', second(f150='    if (sum % 11 == 3) sum += 17;', f60=LAMBDA % 'a + 1'), ()),
    ('a function removed', second(f30=None, f60=LAMBDA % 'a + 1'), ()),
    ('the body of a lambda', second(f60=LAMBDA % 'a % 5 ? hook(a) : work(a)'), ()),
    ('a static table', second(before='struct T { int of[9]; T() { for (int i = 0; i < 9; i++) '
                                     'of[i] = work(i); } }; static T table;',
                              f20='    sum ^= sum * 7 + table.of[sum % 9];', f60=LAMBDA % 'a + 1'), ()),
    ('-O2', second(f60=LAMBDA % 'a + 1'), ('-O2',)),
]
RENAME = ('a rename', second(name={FUNCTIONS + 40: 'renamed'}, f60=LAMBDA % 'a + 1') +
          f'int number_{FUNCTIONS + 40}(int n) __attribute__((alias("_Z7renamedi")));\n', ())
MAIN = '''
extern "C" __attribute__((noinline)) int work(int n) { return n * 17 %% 23; }
extern "C" { int (*hook)(int) = work; }
int number_0(int); int number_%d(int);
int main(int argc, char **) { return number_0(argc) + number_%d(argc); }
''' % (FUNCTIONS, FUNCTIONS)


def compile_one(folder, name, text, *flags):
    path = pathlib.Path(folder, f'{name}.cc')
    path.write_text(text)
    binaries.run(binaries.compiler('CXX'), '-O1', '-fPIE', '-w', *flags, '-c', '-o',
                 path.with_suffix('.o'), path)
    return path.with_suffix('.o')


def link(folder, name, objects):
    """A program, at the path that a --path-map of its folder finds it at."""
    path = pathlib.Path(folder, name, 'app')
    path.parent.mkdir()
    binaries.run(binaries.compiler('CXX'), '-pie', '-Wl,--build-id=none', '-o', path, *objects)
    return path


def dump_of(program, path, count=ADDRESSES, start=0):
    """Write a dump of calls from all over the program, ten in each stack."""
    maps, _ = binaries.rows(program, '/srv/app', BASE)
    calls = sorted(set(binaries.returns(program)))[start:]
    if len(calls) < count:
        raise AssertionError(f'{program} has {len(calls)} calls')
    chosen = [BASE + calls[i * len(calls) // count] for i in range(count)]
    path.write_text(binaries.heap([chosen[i:i + 10] for i in range(0, count, 10)], maps))
    return path


def look(dump, folder, *options):
    """The result of the check: (checked, failed, whether there are names, warnings)."""
    run = t.ok('info', '-q', '-fjson', f'--path-map=/srv={folder}', *options, dump)
    report = json.loads(run.out)
    module = next(row for row in report['modules'] if row['path'] == '/srv/app')
    counts = module['return_addresses'] or {'checked': 0, 'not_after_call': 0}
    return (counts['checked'], counts['not_after_call'], 'build' not in module['symbols'],
            [text for text in [one['text'] for one in report['warnings']] if COMPLAINTS.search(text)])


def verdict(checked, failed):
    """The verdict by the counts only: whether there are names, and whether there is a warning."""
    named = failed == 0 or (failed == 1 and checked >= 20)
    return named, not named


# --- the tests ------------------------------------------------------------------------------


def rebuilds(folder):
    """{(order, edit): program}"""
    fixed = compile_one(folder, 'a', source(0, {}))
    main = compile_one(folder, 'main', MAIN)
    made = {}
    for i, (what, text, flags) in enumerate([*EDITS, RENAME]):
        changed = compile_one(folder, f'b{i}', text, *flags)
        for order, objects in (('AB', (fixed, changed)), ('BA', (changed, fixed))):
            made[order, what] = link(folder, f'{order}{i}', [*objects, main])
    return made


def other_rebuilds(folder):
    """Twelve of one more program, a line more in another function each."""
    fixed, main = pathlib.Path(folder, 'a.o'), pathlib.Path(folder, 'main.o')
    made = {}
    for i in range(13):
        edits = {} if i == 0 else {f'f{(i - 1) * 13}': '    sum -= hook(sum | 1);'}
        changed = compile_one(folder, f'c{i}', second(**edits), '-Og')
        made['none' if i == 0 else f'function {(i - 1) * 13}'] = \
            link(folder, f'C{i}', [changed, fixed, main])
    return made


def judge(dump, program, what):
    checked, failed, named, complaints = look(dump, program.parent)
    if checked == 0 and not named and complaints:
        return CHECKED, []  # its segments are not the mapped ones
    wanted = verdict(checked, failed)
    faults = [] if checked >= 0.99 * CHECKED else [f'{what}: {checked} addresses']
    if (named, bool(complaints)) != wanted:
        faults.append(f'{what}: {failed} of {checked} fail, names: {named}, {complaints}')
    return failed, faults


def small_edits(folder, programs, right, silent):
    """All programs except `silent` ones are distinguished from the right one."""
    dump = dump_of(programs[right], pathlib.Path(folder, 'right.heap'))
    faults, shares = [], []
    for what, program in programs.items():
        failed, more = judge(dump, program, what)
        faults += more
        if (failed == 0) != (what == right or what in silent):
            faults.append(f'{what}: {failed} addresses behind no call')
        if failed:
            shares.append(failed / CHECKED)
    return faults or (f'{len(shares)} edits, of whose addresses {100 * min(shares):.1f} % to '
                      f'{100 * max(shares):.1f} % fail')


def few_addresses(folder, programs):
    """One, two or three addresses of a module are enough to recognize another build."""
    right, wrong = programs['BA', 'none'], programs['BA', 'a statement more']
    faults = []
    calls = sorted(set(binaries.returns(right)))
    others = set(binaries.returns(wrong))
    maps, _ = binaries.rows(right, '/srv/app', BASE)
    moved = [BASE + call for call in calls if call not in others and call > calls[400]][::50]
    for count in (1, 2, 3):
        dump = pathlib.Path(folder, f'few{count}.heap')
        dump.write_text(binaries.heap([moved[:count + 1]], maps))
        checked, failed, named, complaints = look(dump, wrong.parent)
        if (checked, failed, named) != (count, count, False) or 'another build' not in ''.join(complaints):
            faults.append(f'{count}: {failed} of {checked}, names: {named}, {complaints}')
        if look(dump, right.parent)[1:] != (0, True, []):
            faults.append(f'{count}, the right build: {look(dump, right.parent)}')
    return faults


def one_of_few(folder, programs):
    """If one file fits, another may still be the one that ran if only one of fewer than four addresses contradicts
    it: only names that both have are shown.  With four addresses, one is enough to exclude it."""
    right, wrong = programs['BA', 'none'], programs['BA', 'a function removed']
    calls, others = sorted(set(binaries.returns(right))), set(binaries.returns(wrong))
    functions = generated.Functions(right), generated.Functions(wrong)
    maps, _ = binaries.rows(right, '/srv/app', BASE)
    is_named_alike = [functions[0].at(call - 1) == functions[1].at(call - 1) for call in calls]
    common = [BASE + call for call, is_alike in zip(calls, is_named_alike) if call in others and is_alike]
    moved = [BASE + call for call, is_alike in zip(calls, is_named_alike) if call not in others and not is_alike]
    files = [f'--path-map=/srv={right.parent}', f'--symbol-dir={pathlib.Path(folder, "one")}']
    place = pathlib.Path(folder, 'one', 'srv')
    place.mkdir(parents=True)
    os.link(wrong, place / 'app')
    faults = []
    for stack, wanted in (([*common[:2], moved[0]], 2), ([*common[:3], moved[0]], 4), ([common[0], *moved[:2]], 3)):
        dump = pathlib.Path(folder, 'one.heap')
        dump.write_text(binaries.heap([[*stack, common[0]]], maps))
        shown = json.loads(t.ok('stacks', '-q', '-fjson', *files, dump).out)
        named = sum('+0x' not in frame for frame in shown['rows'][0]['frames'])
        if named != wanted + 1:  # the last is not checked, and the same in both
            faults.append(f'{len(stack)} addresses: {named} names, not {wanted + 1}: {shown["rows"][0]}')
    return faults


def changed(program, path, function, *symbols):
    """A copy of a program with a byte of a function changed, and symbols renamed."""
    path.parent.mkdir(parents=True)
    binaries.run('objcopy', *(f'--redefine-sym={old}={new}' for old, new in symbols), program, path)
    start = next(start for start, _, name in generated.Functions(program).all if name == function)
    segments = binaries.loads(path)
    offset = next(offset + start - address for _, offset, address, size in segments if address <= start < address + size)
    data = bytearray(path.read_bytes())
    data[offset] ^= 1
    path.write_bytes(data)
    return path.parents[1]


def renamed(folder, programs):
    """If files that fit have different names, that of the first is shown, provided that the code of the function is
    equal."""
    program = programs['BA', 'none']
    functions = generated.Functions(program)
    start, end, name = next(row for row in functions.all if row[2] == f'_Z10number_{FUNCTIONS + 40}i')
    maps, _ = binaries.rows(program, '/srv/app', BASE)
    calls = sorted(set(binaries.returns(program)))
    within = [call for call in calls if start < call < end]
    dump = pathlib.Path(folder, 'renamed.heap')
    dump.write_text(binaries.heap([[BASE + call for call in (*within, *calls[500:505])]], maps))
    places = [changed(program, pathlib.Path(folder, place, 'srv', 'app'), *how) for place, how in (
        ('old', ('main',)), ('new', ('_Z8number_0i', (name, '_Z7renamedi'))), ('other', (name, (name, '_Z7renamedi'))))]
    faults = []
    for order, wanted in (((0, 1), f'number_{FUNCTIONS + 40}(int)'), ((1, 0), 'renamed(int)'), ((0, 2), None), ((2, 0), None),
                          ((0, 1, 2), None), ((2, 1, 0), None)):
        files = [f'--symbol-dir={places[i]}' for i in order]
        shown = json.loads(t.ok('stacks', '-q', '-fjson', '--symbol-dir-only', *files, dump).out)['rows'][0]['frames']
        names = {frame for frame in shown if frame in ('renamed(int)', f'number_{FUNCTIONS + 40}(int)')}
        nameless = sum('+0x' in frame for frame in shown)
        if names != ({wanted} if wanted else set()) or (nameless > 0) != (wanted is None):
            faults.append(f'{order}: {shown}')
    return faults


def corpus(testdata):
    """A C++ server and two builds of it that were made after a dump."""
    faults = []
    for build, fits in (('right', True), ('edit1', False), ('edit12', False)):
        folder = testdata / 'rebuilt' / build
        dump = testdata / 'rebuilt' / 'a.1.heap'
        shown = t.ok('info', '-fjson', f'--path-map=/srv/rebuilt={folder}', dump)
        report = json.loads(shown.out)
        module = next(row for row in report['modules'] if row['path'] == '/srv/rebuilt/app')
        said = [text for text in [one['text'] for one in report['warnings']] if COMPLAINTS.search(text)]
        names = t.ok('folded', f'--path-map=/srv/rebuilt={folder}', dump).out
        if (module['return_addresses']['not_after_call'] == 0) != fits or bool(said) == fits or \
                ('build_table' in names or 'edit0' in names) and not fits:
            faults.append(f'{build}: {module} {said}')
    return faults


def right_builds(testdata):
    """Real dumps that are stored with their programs."""
    faults, checked = [], 0
    for dump in sorted(testdata.glob('formats/**/*.heap')):
        report = json.loads(t.ok('info', '-q', '-fjson', f'--symbol-dir={testdata}/root', '--symbol-dir-only', dump).out)
        for row in report['modules']:
            if row['path'].startswith('/srv/corpus') and row['return_addresses']:
                checked += row['return_addresses']['checked']
                if row['return_addresses']['not_after_call']:
                    faults.append(f'{dump.name}: {row}')
        faults += [f'{dump.name}: {text}' for text in [one['text'] for one in report['warnings']] if COMPLAINTS.search(text)]
    return faults or ([] if checked > 100 else [f'{checked} addresses']) or f'{checked} addresses'


def one_call(folder, programs):
    """An address is counted once, even if several inputs and stacks have it."""
    dump = dump_of(programs['BA', 'none'], pathlib.Path(folder, 'once.heap'), count=100)
    again = pathlib.Path(folder, 'again.heap')
    again.write_text(re.sub('(?<=: )64(?= )', '96', dump.read_text()).replace(' 6400 ', ' 960 '))
    both = [look(dump, programs['BA', what].parent, again)[:2] for what in ('none', 'a branch more')]
    one = [look(dump, programs['BA', what].parent)[:2] for what in ('none', 'a branch more')]
    return [] if one == both and one[0] == (90, 0) else [f'{one} {both}']


def places(folder, programs):
    """If several files are candidates, the one that fits is used, in any order of search."""
    right, wrong = programs['BA', 'none'], programs['BA', 'a statement more']
    dump = dump_of(right, pathlib.Path(folder, 'places.heap'))
    roots = []
    for i, program in enumerate((wrong, right)):
        roots.append(pathlib.Path(folder, f'root{i}'))
        (roots[i] / 'srv').mkdir(parents=True)
        os.link(program, roots[i] / 'srv' / 'app')
    faults = []
    for order in (roots, roots[::-1]):
        got = look(dump, wrong.parent, *(f'--symbol-dir={root}' for root in order))
        if got != (CHECKED, 0, True, []):
            faults.append(f'{order}: {got}')
    if look(dump, wrong.parent, f'--symbol-dir={roots[0]}')[2]:
        faults.append('a wrong one, and a wrong one')
    return faults


def main():
    t.check('two later builds of a server are recognized as other builds', lambda: corpus(t.testdata))
    t.check('programs of real dumps are recognized as the right builds', lambda: right_builds(t.testdata))
    with scratch() as folder:
        programs = rebuilds(folder)
        for order in 'AB', 'BA':
            mine = {what: path for (of, what), path in programs.items() if of == order}
            t.check(f'small edits of the {"second" if order == "AB" else "first"} of two files make another build',
                    lambda: small_edits(folder, mine, 'none', ['a rename']))
        t.check('one more line in a function makes another build',
                lambda: small_edits(folder, other_rebuilds(folder), 'none', []))
        t.check('one, two or three addresses of a module are enough to recognize another build',
                lambda: few_addresses(folder, programs))
        t.check('B41: one of fewer than four addresses does not exclude a file', lambda: one_of_few(folder, programs))
        t.check('B42: a renamed function has the name of the first file that fits', lambda: renamed(folder, programs))
        t.check('the file that fits is used from several places', lambda: places(folder, programs))
        t.check('an address in two inputs is counted once', lambda: one_call(folder, programs))
    t.done()


main()

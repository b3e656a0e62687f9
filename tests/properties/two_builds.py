#!/usr/bin/env python3
"""Two builds of one program in one command: each dump gets its names from the file that ran, in any place; without a
file nothing is claimed about functions.

usage: two_builds.py BINARY TESTDATA

testdata/builds has 6 dumps each of cartd 1.4.1 and 1.4.1b, which allocate the same, with both programs; and a dump
each of two builds of gateway.
"""
import gzip
import json
import os
import pathlib
import random
import re
import shutil
import sys
import tarfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import generated  # noqa: E402
from harness import IS_SAMPLE, Tests, scratch  # noqa: E402
from profile_writer import Profile  # noqa: E402


class OneThread(Tests):
    """Runs with one thread.  AddressSanitizer's allocator is not safe in the child of fork(): if another thread holds
    its lock, the symbol child waits until its time is over, and names are missing."""

    def command(self, command, *args, **more):
        return super().command(command, *['-j1'] * (command != 'digest'), *args, **more)


t = OneThread(is_coded=True) if IS_SAMPLE else Tests(is_coded=True)
GATE = '--fail-if=growth>5%,p<0.05'
PATH = '/srv/cartd/bin/cartd'
MIB = 1 << 20


def unpacked(folder, name):
    with tarfile.open(t.testdata / 'builds' / f'{name}.tgz') as archive:
        archive.extractall(folder)
    return pathlib.Path(folder, name)


def of_build(version):
    return sorted((TWO / 'dumps' / version).glob('*.heap'))


def compare(options, base, new, *more):
    """(exit status, report)"""
    done = t.run('diff', '-q', '-fjson', '-n0', '--symbol-dir-only', GATE, *options, *more, *base, '--to', *new)
    return done.code, json.loads(done.out) if done.out else {}


def folders(*names):
    return [f'--symbol-dir={TWO / name}' for name in names]


def own(report):
    return [row for row in report['rows'] if row['class'] == 'own']


def is_named(report):
    return all('cartd+0x' not in row['name'] for row in report['rows'])


def open_modules(report):
    return [module['module'] for module in report.get('not_compared', [])]


# --- both files -----------------------------------------------------------------------------


def placed(folder, *places):
    """A folder with the program of each build at a place."""
    root = pathlib.Path(folder, f'root{len(list(pathlib.Path(folder).iterdir()))}')
    for version, place in zip(('1.4.1', '1.4.1b'), places):
        (root / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(TWO / version / 'cartd', root / place)
    return [f'--symbol-dir={root}']


def stored(folder):
    """The programs stored by build id, as debuginfod and packages do."""
    ids = [re.search(rf'^module {PATH}\n(?:  .*\n)*?  build id +(\w+)', t.ok(
        'info', '-q', '-v', '--symbol-dir-only', *folders(version), *of_build(version)).out, re.M)[1] for version in ('1.4.1', '1.4.1b')]
    return placed(folder, *(f'.build-id/{each[:2]}/{each[2:]}' for each in ids))


def no_change(options, base=None, new=None):
    status, report = compare(options, base or of_build('1.4.1'), new or of_build('1.4.1b'))
    marked = [row['name'] for row in report['rows'] if row['significant']]
    delta = report['total']['delta']['estimate']
    good = status == 0 and not marked and is_named(report) and report['gate'] == 'none' and PATH not in open_modules(report) and \
        abs(delta + 473.26 * 1024) < 100 and abs(report['total']['p'] - 0.5448) < 0.001
    return [] if good else [f'{status} {marked} {delta} {report.get("gate")} {report["warnings"]}']


def everywhere(folder):
    return [fault for options in (folders('1.4.1', '1.4.1b'), folders('1.4.1b', '1.4.1'), placed(folder, '1/cartd', '2/cartd'),
                                  placed(folder, 'cartd-1.4.1', 'cartd-1.4.1b'), stored(folder))
            for fault in no_change(options)]


def partial(folder, name, dumps):
    return t.merged(pathlib.Path(folder, f'{name}.hpa'), dumps)


def stored_base(folder):
    """A base that was merged, and a new side that was; each has the builds of its dumps."""
    base, new = partial(folder, 'base', of_build('1.4.1')), partial(folder, 'new', of_build('1.4.1b'))
    both = folders('1.4.1', '1.4.1b')
    return [fault for a, b in (([base], None), ([base], [new]), (None, [new])) for fault in no_change(both, a, b)]


# --- what a partial keeps ---------------------------------------------------------------------


def named(folder, name, inputs, *more):
    return t.merged(pathlib.Path(folder, f'{name}.hpa'), inputs, '--with-names', '--symbol-dir-only', *folders('1.4.1'), *more)


def kept_names(folder):
    """A base that was merged with names, in any steps, replaces the file of its build."""
    dumps = of_build('1.4.1')
    whole = named(folder, 'whole', dumps)
    parts = [named(folder, f'part{i}', dumps[2 * i:2 * i + 2]) for i in range(3)]
    joined = t.merged(pathlib.Path(folder, 'joined.hpa'), [parts[2], parts[0], parts[1]])
    shards = [named(folder, f'shard{i}', dumps, f'--shard={i}/3') for i in range(3)]
    again = t.merged(pathlib.Path(folder, 'again.hpa'), shards)
    faults = [] if whole.read_bytes() == joined.read_bytes() == again.read_bytes() else ['other bytes in other steps']
    _, both = compare(folders('1.4.1', '1.4.1b'), dumps, of_build('1.4.1b'))
    for base in ([whole], parts[::-1], shards):
        faults += no_change(folders('1.4.1b'), base)
        _, report = compare(folders('1.4.1b'), base, of_build('1.4.1b'))
        faults += [] if own(report) == own(both) else [f'{own(report)} {own(both)}']
    leaked = pathlib.Path(folder, 'leaked')
    leaked.mkdir()
    status, _ = compare(folders('1.4.1b'), [whole], grown(of_build('1.4.1b'), leaked, 10))
    return faults + ([] if status == 1 else [f'{status} with a leak'])


def stored_build_on_both_sides(folder):
    """A file that a stamp names is also compared with dumps, which are read after the partial."""
    base = [named(folder, 'base', of_build('1.4.1'))]
    dumps = [shutil.copy(path, pathlib.Path(folder, f'{i}.heap')) for i, path in enumerate(of_build('1.4.1'))]  # read last
    status, report = compare(folders('1.4.1'), base, dumps, '--on-duplicate=count', '-j1')
    return [] if status == 0 and is_named(report) and PATH not in open_modules(report) else [f'{status} {report.get("not_compared")}']


def kept_names_of_one_side(folder):
    """If only the base has names, nothing is claimed, and the file of the base is not requested."""
    base = [named(folder, 'base', of_build('1.4.1'))]
    empty = pathlib.Path(folder, 'empty')
    empty.mkdir()
    return refuses_verdict([f'--symbol-dir={empty}'], base)


def stamps(folder):
    """Without the options the bytes do not depend on files; a partial with builds and one without are not merged."""
    dumps = of_build('1.4.1')
    plain = t.merged(pathlib.Path(folder, 'plain.hpa'), dumps)
    bare = t.merged(pathlib.Path(folder, 'bare.hpa'), dumps, *folders('1.4.1'))
    names = named(folder, 'names', dumps)
    with_builds = t.merged(pathlib.Path(folder, 'builds.hpa'), dumps, '--with-builds', '--symbol-dir-only', *folders('1.4.1'))
    faults = [] if plain.read_bytes() == bare.read_bytes() else ['the bytes depend on files']
    faults += [] if t.digest(names) == t.digest(with_builds) != t.digest(plain) else ['names are in the digest']
    for inputs in ([plain, names], [names, of_build('1.4.1b')[0]]):
        done = t.run('merge', '-q', '-o', pathlib.Path(folder, 'no.hpa'), *inputs)
        faults += [] if done.code == 4 and 'partials-differ: builds ' in done.err else [f'{done.code} {done.err}']
    done = t.run('merge', '-q', '--with-builds', '-o', pathlib.Path(folder, 'no.hpa'), plain)
    return faults + ([] if done.code == 2 and 'partial-without-builds' in done.err else [f'{done.code} {done.err}'])


REPORTS = (('folded',), ('top', '-ftsv', '-n0'), ('top', '-ftsv', '-n0', '--by=build'), ('top', '-ftsv', '-n0', '--columns=spread'),
           ('trend', '-ftsv', '-n0'), ('tree', '-fjson'))


def builds_of(info):
    return [row for row in info['modules'] if row['path'] == PATH]


def both_builds(folder):
    """A partial of dumps of two builds, however it was merged, has the names and numbers of its dumps, with the files of
    both or of one."""
    dumps = [*of_build('1.4.1'), *of_build('1.4.1b')]
    whole = partial(folder, 'both', dumps)
    parts = partial(folder, 'joined', [partial(folder, f'part{i}', dumps[i::3]) for i in range(3)])
    shards = [t.merged(pathlib.Path(folder, f'shard{i}.hpa'), dumps, f'--shard={i}/2') for i in range(2)]
    faults = [] if t.digest(whole) == t.digest(parts) else ['other bytes in other steps']
    for names in (('1.4.1', '1.4.1b'), ('1.4.1',), ('1.4.1b',)):
        options = ['-q', '--symbol-dir-only', *folders(*names)]
        wanted = [t.ok(*report, *options, *dumps).out for report in REPORTS]
        if 'shop::' not in wanted[0] or ('cartd+0x' in wanted[0]) != (len(names) == 1):
            faults.append(wanted[0])
        for inputs in ([whole], shards):
            got = [t.ok(*report, *options, *inputs).out for report in REPORTS]
            faults += [f'{names} {report}' for report, one, other in zip(REPORTS, got, wanted) if one != other]
            found, right = (builds_of(json.loads(t.ok('info', '-fjson', *options, *each).out)) for each in (inputs, dumps))
            faults += [] if found == right else [f'{names} {found} {right}']
    return faults


ROW = re.compile(r'^(\w+)-(\w+) r-xp (\w+) \S+ \d+ +(/\S+)$', re.M)


def with_type(dump, out):
    """The dump as a pprof profile that has a further sample type, without build ids."""
    text = dump.read_text()
    profile = Profile([*Profile.TYPES, ('resident_space', 'bytes')])
    rows = [(int(start, 16), int(end, 16), profile.mapping(path, int(start, 16), int(end, 16), int(offset, 16)))
            for start, end, offset, path in ROW.findall(text)]
    places = {}
    for stack in generated.STACK.finditer(text):
        addresses = [int(word, 16) for word in stack[1].split()]
        for at in set(addresses) - places.keys():
            places[at] = profile.location(at - 1, next((row for start, end, row in rows if start <= at < end), 0))
        count, size = map(int, re.search(r't\*: (\d+): (\d+)', stack[2]).groups())
        if count:
            profile.sample([places[at] for at in addresses], [count, size, size * 2])
    out.write_bytes(gzip.compress(profile.bytes(), mtime=0))
    return out


def both_builds_with_types(folder):
    """The same for profiles with a further sample type, whose values are of each dump, too."""
    inputs = [*of_build('1.4.1')[:4], *of_build('1.4.1b')[:4]]
    dumps = [with_type(dump, pathlib.Path(folder, f'{i}.pb.gz')) for i, dump in enumerate(inputs)]
    whole = partial(folder, 'both', dumps)
    shards = [t.merged(pathlib.Path(folder, f'shard{i}.hpa'), dumps, f'--shard={i}/2') for i in range(2)]
    faults = []
    for names in (('1.4.1', '1.4.1b'), ('1.4.1',)):
        options = ['-q', '--symbol-dir-only', *folders(*names)]
        for report in (('folded',), ('folded', '--metric=resident_space'), ('top', '-ftsv', '-n0', '--metric=resident_space'),
                       ('trend', '-ftsv', '-n0')):
            wanted = t.ok(*report, *options, *dumps).out
            good = 'shop::' in wanted and all(t.ok(*report, *options, *each).out == wanted for each in ([whole], shards))
            faults += [] if good else [f'{names} {report}']
    return faults


def counted_stamps(folder):
    """For each path, info counts the dumps with a known build, and those without."""
    path = t.merged(pathlib.Path(folder, 'seven.hpa'), [*of_build('1.4.1'), of_build('1.4.1b')[0]], '--with-names', '--symbol-dir-only',
                    *folders('1.4.1'))
    empty = pathlib.Path(folder, 'empty')
    empty.mkdir()
    faults = []
    for options, wanted in (([f'--symbol-dir={empty}'], [('no-file', 1), ('stamped', 6)]), (folders('1.4.1'), [('fits', 6), ('open', 1)])):
        report = json.loads(t.ok('info', '-q', '-fjson', '--symbol-dir-only', *options, path).out)
        got = sorted((row['build']['proof'], row['build']['dumps']) for row in report['modules'] if row['path'] == PATH)
        faults += [] if got == wanted else [f'{got}']
    return faults


def damaged_names(folder):
    """If a bit is changed in the section of names of a partial, nothing of the partial is read."""
    whole = named(folder, 'sound', of_build('1.4.1'))
    bare = t.merged(pathlib.Path(folder, 'none.hpa'), of_build('1.4.1'), '--with-builds', '--symbol-dir-only', *folders('1.4.1'))
    data, chance, faults = whole.read_bytes(), random.Random(7), []
    first = len(os.path.commonprefix([data, bare.read_bytes()]))
    for i in range(60):
        at = chance.randrange(first, len(data))
        broken = bytearray(data)
        broken[at] ^= 1 << chance.randrange(8)
        path = pathlib.Path(folder, 'broken.hpa')
        path.write_bytes(broken if i % 3 else data[:at])
        done = t.run('top', '-q', '--no-symbols', path)
        faults += [] if done.code == 5 else [f'byte {at}: {done.code}']
    return faults


def merged_pprof(folder):
    """A merged profile of six processes is compared as their mean."""
    path = t.merged(pathlib.Path(folder, 'merged.pb.gz'), of_build('1.4.1'), '--format=pprof', '--symbol-dir-only', *folders('1.4.1'))
    faults = []
    for base, new, wanted in ((of_build('1.4.1'), [path], (21.92, 21.92)), ([path], of_build('1.4.1b'), (21.92, 21.46))):
        status, report = compare(folders('1.4.1', '1.4.1b'), base, new)
        got = tuple(report['total'][side]['estimate'] / MIB for side in ('base', 'new'))
        good = status == 0 and all(abs(a - b) < 0.01 for a, b in zip(got, wanted)) and not report['total']['significant']
        faults += [] if good else [f'{status} {got}']
    return faults


# --- one file ------------------------------------------------------------------------------


def refuses_verdict(options, base=None, new=None):
    """No function of the program is claimed to have changed, appeared or gone, and the gate says that it cannot
    decide."""
    status, report = compare(options, base or of_build('1.4.1'), new or of_build('1.4.1b'))
    claimed = [row['name'] for row in own(report) if row['significant'] or row['status'] not in ('untested', 'same')]
    module = [each for each in report.get('not_compared', []) if each['module'] == PATH]
    said = [one for one in report['warnings'] if one['code'] == 'open-module' and re.search(r'open-in-some: \d+ 1$', one['text'])]
    good = status == 8 and not claimed and len(module) == 1 and module[0]['own'] and len(said) == 1 and report['gate'] == 'open'
    return [] if good else [f'{status} {claimed} {module} {report["warnings"]}']


def one_file(folder):
    base, new = partial(folder, 'base', of_build('1.4.1')), partial(folder, 'new', of_build('1.4.1b'))
    return [fault for name in ('1.4.1', '1.4.1b') for a, b in ((None, None), ([base], None), (None, [new]))
            for fault in refuses_verdict(folders(name), a, b)]


def quiet_gate():
    """The messages name the program, the number of dumps, and the file that would decide it."""
    done = t.run('diff', '-q', '--symbol-dir-only', GATE, *folders('1.4.1'), *of_build('1.4.1'), '--to', *of_build('1.4.1b'))
    good = done.code == 8 and re.search(r'open-module: cartd .* 6 12 .*open-in-some: 2 1$', done.err, re.M)
    return [] if good else [f'{done.code} {done.err}']


def grown(paths, folder, times):
    """Dumps in which the stack with most samples has `times` as many."""
    made = []
    for path in paths:
        head, mark, rest = path.read_text().partition('@ ')
        stacks = (mark + rest).split('\n@ ')
        sizes = [int(re.search(r't\*: (\d+):', stack)[1]) for stack in stacks]
        most = sizes.index(max(sizes))
        stacks[most] = re.sub(r'(\d+): (\d+) \[', lambda m: f'{int(m[1]) * times}: {int(m[2]) * times} [', stacks[most])
        made.append(pathlib.Path(folder, path.name))
        made[-1].write_text(head + '\n@ '.join(stacks))
    return made


def few_open(folder):
    """On each side one process of four is another build: rows are compared for the others."""
    a, b = of_build('1.4.1'), of_build('1.4.1b')
    base, new = [*a[:3], b[0]], [*a[3:], b[1]]
    status, report = compare(folders('1.4.1'), base, new)
    tested = [row['name'] for row in own(report) if row['p'] is not None]
    faults = [] if status == 8 and len(tested) >= 2 and not any(row['significant'] for row in own(report)) else [f'{status} {tested}']
    leaked = pathlib.Path(folder, 'leaked')
    leaked.mkdir()
    status, report = compare(folders('1.4.1'), base, [*grown(a[3:], leaked, 10), b[1]])
    marked = [row['name'] for row in own(report) if row['significant']]
    return faults + ([] if status == 1 and marked and report['gate'] == 'grown' and is_named({'rows': [
        row for row in report['rows'] if row['significant']]}) else [f'{status} {marked}'])


def total_alone(folder):
    """The total is compared even without names; status 8 has priority over 3, for skipped inputs."""
    made = []
    for path in of_build('1.4.1b'):
        made.append(pathlib.Path(folder, path.name))
        made[-1].write_text(re.sub(r'(\d+): (\d+) \[', lambda m: f'{int(m[1]) * 3}: {int(m[2]) * 3} [', path.read_text()))
    status, report = compare(folders('1.4.1'), of_build('1.4.1'), made)
    text = pathlib.Path(folder, 'text')
    text.write_text('no dump')
    skipped, _ = compare([*folders('1.4.1'), '--max-skipped=1'], [*of_build('1.4.1'), text], of_build('1.4.1b'))
    return [] if (status, report['gate'], skipped) == (1, 'grown', 8) else [f'{status} {report["gate"]} {skipped}']


def library(folder):
    """A library of the system that was updated on one side: its functions are not compared, and the gate takes no notice."""
    place = '/usr/lib/x86_64-linux-gnu/libcart.so.1'
    root = pathlib.Path(folder, 'root')
    (root / place[1:]).parent.mkdir(parents=True)
    shutil.copy(TWO / '1.4.1' / 'cartd', root / place[1:])
    sides = []
    for version in ('1.4.1', '1.4.1b'):
        pathlib.Path(folder, version).mkdir()
        sides.append([pathlib.Path(folder, version, path.name) for path in of_build(version)])
        for path, made in zip(of_build(version), sides[-1]):
            made.write_text(path.read_text().replace(PATH, place))
    status, report = compare([f'--symbol-dir={root}'], *sides)
    claimed = [row['name'] for row in report['rows'] if row['significant']]
    said = [one['text'] for one in report['warnings'] if re.match('open-module: libcart.so.1 .*open-in-some: 2 ', one['text'])]
    return [] if status == 0 and not claimed and len(said) == 1 and report['gate'] == 'none' else [f'{status} {claimed} {report["warnings"]}']


def most_open():
    """Two of three processes of a side are another build: nothing is claimed."""
    a, b = of_build('1.4.1'), of_build('1.4.1b')
    return refuses_verdict(folders('1.4.1'), a[:4], [a[4], *b[:2]])


# --- no file ----------------------------------------------------------------------------------


def compare_addresses(base, new, *more):
    done = t.run('diff', '-q', '-fjson', '-n0', '--no-symbols', GATE, *more, *base, '--to', *new)
    return done.code, json.loads(done.out)


def without_files():
    """An address is compared if most processes of both sides have it; memory at other addresses may be in any
    function."""
    a, b = of_build('1.4.1'), of_build('1.4.1b')
    faults = []
    for base, new in ((a, b), ([*a[:5], b[0]], [a[5], *b[1:]]), ([*a[:3], *b[:3]], [*a[3:], *b[3:]])):
        for more in ((), ('--cum',), ('--by=address',), ('--by=line', '--cum')):
            status, report = compare_addresses(base, new, *more)
            claimed = [row['name'] for row in own(report) if row['significant'] or row['status'] in ('new', 'gone')]
            module = next((each for each in report['not_compared'] if each['module'] == PATH), {})
            good = status in (0, 8) and not claimed and module.get('own') and module.get('builds') == 0
            faults += [] if good else [f'{more} {status} {claimed} {module}']
    status, report = compare_addresses(a, b)
    return faults + ([] if (status, report['gate']) == (8, 'open') else [f'{status} {report["gate"]}'])


def leak_without_files(folder):
    """With one build, growth is found at an address that most processes have, and for a module that leaks at other
    addresses."""
    a = of_build('1.4.1')
    status, report = compare_addresses(a[:3], grown(a[3:], folder, 10))
    marked = [row['name'] for row in own(report) if row['significant']]
    faults = [] if status == 1 and marked and report['gate'] == 'grown' else [f'{status} {marked}']
    b = of_build('1.4.1b')
    status, report = compare_addresses(a, grown(b, folder, 10), '--frames=no-libs')
    module = next(each for each in report['not_compared'] if each['module'] == PATH)
    return faults + ([] if status == 1 and module['p'] < 0.05 and module['change'] > 0 else [f'{status} {module}'])


def same_processes(folder):
    """Two dumps of the same processes have the same builds, so that each address is compared; for other processes
    rare ones are not."""
    dumps = of_build('1.4.1')
    _, others = compare_addresses(dumps[:3], dumps[3:])
    status, same = compare_addresses(dumps, grown(dumps, folder, 10))
    good = open_modules(others) and not open_modules(same) and status == 1
    return [] if good else [f'{open_modules(others)} {open_modules(same)} {status}']


# --- lines and addresses of two builds ----------------------------------------------------------


def places(folder):
    """A line or an address that only one build has is not tested: the gate tests functions instead."""
    faults = []
    for by in ('line', 'address'):
        status, report = compare(folders('1.4.1', '1.4.1b'), of_build('1.4.1'), of_build('1.4.1b'), f'--by={by}')
        claimed = [row['name'] for row in own(report) if row['significant'] or row['status'] in ('new', 'gone')]
        faults += [] if (status, claimed, report['gate']) == (0, [], 'none') else [f'{by} {status} {claimed}']
        status, report = compare(folders('1.4.1', '1.4.1b'), of_build('1.4.1'), grown(of_build('1.4.1b'), folder, 10), f'--by={by}')
        faults += [] if (status, report['gate']) == (1, 'grown') else [f'{by} {status}']
    return faults


# --- one dump of each -------------------------------------------------------------------------


def gateways(folder):
    mixed = unpacked(folder, 'mixed')
    dumps = [mixed / 'base.heap', mixed / 'other-build.heap']

    def handle(*names):
        done = t.run('diff', '-q', '-fjson', '-n0', '--frames=no-alloc', '--cum', '--symbol-dir-only', *(
            f'--symbol-dir={mixed / name}' for name in names), dumps[0], '--to', dumps[1])
        rows = json.loads(done.out)['rows']
        return rows, next(row for row in rows if row['name'].startswith('shop::Gateway::handle'))

    _, both = handle('a', 'b')
    rows, one = handle('a')
    low, high = one['delta']['low'] / MIB, one['delta']['high'] / MIB
    faults = [] if abs(both['delta']['estimate'] / MIB + 55.6) < 0.1 else [f'{both}']
    faults += [] if one['status'] == 'untested' and low <= -84.4 and high >= -55.6 else [f'{one}']
    own_rows = [row for row in rows if row['class'] == 'own']
    return faults + [f'{row}' for row in own_rows if row['status'] in ('new', 'gone') or row['significant']]


# --- other reports ----------------------------------------------------------------------------


def one_odd_dump():
    """The names of six dumps stay where a seventh is of another build."""
    six = t.ok('folded', '-q', '--symbol-dir-only', *folders('1.4.1'), *of_build('1.4.1')).out.splitlines()
    seven = t.ok('folded', '-q', '--symbol-dir-only', *folders('1.4.1'), *of_build('1.4.1'), of_build('1.4.1b')[0])
    said = t.ok('top', '--symbol-dir-only', *folders('1.4.1'), *of_build('1.4.1'), of_build('1.4.1b')[0]).out
    stacks = [{line.rsplit(' ', 1)[0] for line in lines} for lines in (six, seven.out.splitlines())]
    return [] if stacks[0] <= stacks[1] and 'builds-without-names: 1 of 7 ' in said else [f'{stacks[0] - stacks[1]} {said}']


def info_lists_builds():
    """A module is listed once for each build: of how many dumps it is, and the file that fits."""
    report = json.loads(t.ok('info', '-q', '-fjson', '--symbol-dir-only', *folders('1.4.1'), *of_build('1.4.1'), *of_build('1.4.1b')[:2]).out)
    got = sorted((row['build']['proof'], row['build']['dumps'], row['symbols_from']) for row in report['modules'] if row['path'] == PATH)
    return [] if got == [('fits', 6, f'{TWO}/1.4.1/cartd'), ('open', 2, None)] else [f'{got}']


def missing_is_not_zero():
    """A process without names of a program is excluded for its functions: --columns=spread compares the others, trend tests
    none."""
    a, b = of_build('1.4.1'), of_build('1.4.1b')

    def rows(command, *dumps, **more):
        done = t.run(command, '-q', '-fjson', '-n0', '--symbol-dir-only', *folders('1.4.1'), *dumps)
        report = json.loads(done.out)
        return {row['name']: row for row in report['rows']}, report

    six, _ = rows('top', '--columns=spread', *a)
    eight, report = rows('top', '--columns=spread', *a, *b[:2])
    named = [name for name in six if name.startswith('shop::') and six[name]['spread']['p'] is not None]
    faults = [] if len(named) >= 2 and all(eight[name]['spread'] == six[name]['spread'] for name in named) else [f'{named}']
    faults += [row['name'] for row in eight.values() if row['name'].startswith('cartd+') and row['spread']['p'] is not None]
    faults += [] if PATH in open_modules(report) else [f'{report["warnings"]}']
    few, _ = rows('top', '--columns=spread', *a[:2], *b[:2])
    faults += [name for name in named if few[name]['spread']['p'] is not None]
    trend, report = rows('trend', *a, *b[:2])
    faults += [row['name'] for row in own({'rows': trend.values()}) if row['p'] is not None or row['significant']]
    return faults + ([] if PATH in open_modules(report) else [f'{report["warnings"]}'])


def any_order():
    chance, wanted, faults = random.Random(3), None, []
    dumps = [of_build('1.4.1'), of_build('1.4.1b')]
    for names, jobs in ((('1.4.1',), 1), (('1.4.1',), 8), (('1.4.1',), 3)):
        for side in dumps:
            chance.shuffle(side)
        out = t.run('diff', '-q', '-fjson', '-n0', '--symbol-dir-only', GATE, f'-j{jobs}', *folders(*names), *dumps[0], '--to', *dumps[1]).out
        wanted = wanted or out
        faults += [] if out == wanted else [f'-j{jobs}: {out[:300]}']
    return faults


def rows_of_builds():
    """A row for each build of a program, which add up to that of the program.  Only an unknown one of several is named."""
    dumps = [*of_build('1.4.1'), *of_build('1.4.1b')]

    def held(by, *names):
        out = t.ok('top', '-q', '-fjson', '-n0', '--names=full', f'--by={by}', '--symbol-dir-only', *folders(*names), *dumps).out
        return {row['name']: row['flat']['inuse-space']['estimate'] for row in json.loads(out)['rows'] if row['name'].startswith(PATH)}
    both, one, whole = held('build', '1.4.1', '1.4.1b'), held('build', '1.4.1'), held('module', '1.4.1')
    faults = [] if len(both) == len(one) == 2 and all(re.fullmatch(PATH + r' \(build [0-9a-f]{12}\)', name) for name in both) else [f'{both} {one}']
    faults += [] if f'{PATH} (build not known)' in one and len(both.keys() & one.keys()) == 1 else [f'{both} {one}']
    return faults + [f'{rows} {whole}' for rows in (both, one) if abs(sum(rows.values()) - sum(whole.values())) > 1]


def builds_that_may_be_one(folder):
    """Without files, a build that only the base names is not reported as gone."""
    base, empty = named(folder, 'base', of_build('1.4.1')), pathlib.Path(folder, 'empty')
    empty.mkdir()
    _, report = compare([f'--symbol-dir={empty}', '--by=build'], [base], of_build('1.4.1'), '--on-duplicate=count')
    rows = [row for row in report['rows'] if row['name'].startswith(PATH)]
    return [f'{row}' for row in rows if row['status'] in ('new', 'gone') or row['significant']] or ([] if rows else ['no row'])


with scratch() as scratched:
    TWO = unpacked(scratched, 'two')
    for title, walk in (('B1: both files are found in any directory', everywhere),
                        ('a stored base has the build of its dumps', stored_base),
                        ('B43: an aggregate file of both builds has the names of its dumps', both_builds),
                        ('B43: an aggregate file of both builds has the sample types of its dumps', both_builds_with_types),
                        ('a stored build is also compared with dumps', stored_build_on_both_sides),
                        ('B27: names in an aggregate file are used', kept_names),
                        ('B28: names in the base only are used', kept_names_of_one_side),
                        ('B29: aggregate files with and without builds are not merged', stamps),
                        ('dumps of aggregate files with and without builds are counted', counted_stamps),
                        ('an aggregate file with damaged names is rejected', damaged_names),
                        ('B32: a build that may be another one is not reported as gone', builds_that_may_be_one),
                        ('B30: processes of a merged profile are compared by their mean', merged_pprof),
                        ('B3: without the file of a side no change is claimed', one_file),
                        ('B4: a process in four without a file is excluded from the comparison', few_open),
                        ('the total is compared without names', total_alone),
                        ('B6: a library without names on one side is not compared', library),
                        ('one dump of each of two builds has names', gateways),
                        ('B7: a leak is found without files', leak_without_files),
                        ('a line or an address of only one build is not tested', places),
                        ('B10: the same processes have the same builds', same_processes)):
        with scratch() as folder_of_walk:
            t.check(title, lambda: walk(folder_of_walk))
    t.check('messages of the gate name the program and the missing file', quiet_gate)
    t.check('no verdict is claimed if most processes of a side have no file', most_open)
    t.check('B2: one odd dump does not affect the names of others', one_odd_dump)
    t.check('B8: without files no address is claimed', without_files)
    t.check('B9: a process without names is missing, not zero', missing_is_not_zero)
    t.check('info lists builds', info_lists_builds)
    t.check('rows by build add up to the row of the program', rows_of_builds)
    t.check('any order and number of threads gives the same bytes', any_order)
t.done()

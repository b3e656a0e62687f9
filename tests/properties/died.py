#!/usr/bin/env python3
"""Dumps of processes that were killed while they dumped: a complete dump is used instead of a truncated one, and that
is reported.  Dumps made at exit."""
import json
import pathlib
import random
import re
import shutil

from harness import IS_SAMPLE, Tests, scratch

t = Tests(is_coded=True)
DIED = t.testdata / 'died'
WHOLE = DIED / 'cartd.30494.7799.u7771.heap'
CUT = DIED / 'cartd.30494.7803.u7775.heap'
TEXT = WHOLE.read_bytes()
TOTAL = t.totals(WHOLE)
SAYS = 'replaced-total: 56.9 MiB'


def runs(folder, *options, command='top'):
    return t.run(command, '--format=json', '--no-symbols', *options, *sorted(pathlib.Path(folder).glob('*.heap')))


def one_process(folder, wanted_says, *options):
    """The report of one process has the contents of its complete dump, with status 3."""
    result = runs(folder, *options)
    if result.code != 3:
        return [f'{options}: {result.code} {result.err.strip()[:300]}']
    found = json.loads(result.out)
    faults = []
    estimate = found['total']['inuse-space']['estimate']
    if found['processes']['count'] != 1 or abs(estimate - TOTAL['inuse-space']) > 1:
        faults.append(f'{found["processes"]["count"]} processes of {estimate}')
    told = [text for text in [one['text'] for one in found['warnings']] if 'replaced-by' in text]
    if len(told) != 1 or (SAYS in told[0]) != wanted_says:
        faults.append(f'told: {found["warnings"]}')
    return [f'{options}: {fault}' for fault in faults]


def pieces():
    """Every 500 bytes, and every line from the last stack's on."""
    lines = [0]
    for line in TEXT.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    sizes = list(range(0, len(TEXT), 500)) + lines[370:-1]
    return sizes[::7] if IS_SAMPLE else sizes


def cut_anywhere():
    total = TEXT.index(b'\n', TEXT.index(b'\n') + 1)
    def check(size):
        with scratch() as folder:
            shutil.copy(WHOLE, folder)
            pathlib.Path(folder, 'cartd.30494.7801.u7773.heap').write_bytes(TEXT[:size])
            return [f'{size} bytes: {fault}' for options in ((), ('--damaged=use',))
                    for fault in one_process(folder, size > total, *options)]
    return t.in_parallel(check, pieces())


def other_reports():
    """The same for diff, trend and merge; if each dump is used, a truncated one is refused as usual."""
    faults = []
    with scratch() as folder:
        for number in (7797, 7798):
            text = TEXT.replace(b'910: 91683', b'911: 91733').replace(b'0x', b'0x', number)
            pathlib.Path(folder, f'cartd.30494.{number}.u1.heap').write_bytes(text)
        shutil.copy(WHOLE, folder)
        trend = runs(folder, command='trend')
        shutil.copy(CUT, folder)
        with_cut = runs(folder, command='trend')
        if (trend.code, with_cut.code) != (0, 3):
            faults.append(f'trend: {trend.code}, {with_cut.code} {with_cut.err}')
        elif json.loads(trend.out)['rows'] != json.loads(with_cut.out)['rows']:
            faults.append('trend: a cut dump changes it')
        diff = t.run('diff', '--no-symbols', WHOLE, '--to', WHOLE.parent / WHOLE.name, CUT, '--on-duplicate=count')
        if diff.code != 3 or 'replaced-by' not in diff.out + diff.err:
            faults.append(f'diff: {diff.code} {diff.err}')
        for snapshots in ('each', 'sum'):
            result = runs(folder, f'--dumps={snapshots}')
            if result.code != 5 or 'option-max-skipped' not in result.err or 'option-keep-damaged' not in result.err:
                faults.append(f'{snapshots}: {result.code} {result.err}')
        first, second = f'{folder}/a.hpa', f'{folder}/b.hpa'
        for path, inputs in ((first, [WHOLE, CUT]), (second, [CUT, WHOLE])):
            if t.run('merge', '-q', '--no-symbols', '-o', path, *inputs).code != 3:
                faults.append('merge does not end with 3')
        if t.digest(first) != t.digest(second):
            faults.append('two digests of one set of dumps')
    return faults


def all_cut():
    faults = []
    with scratch() as folder:
        for number, size in ((1, 9000), (2, 4000), (3, 60)):
            pathlib.Path(folder, f'cartd.30494.{number}.u{number}.heap').write_bytes(TEXT[:size])
        alone = t.run('top', f'{folder}/cartd.30494.1.u1.heap')
        refused = runs(folder)
        for result in (alone, refused):  # --max-skipped would leave nothing
            if result.code != 5 or 'option-max-skipped' in result.err or not re.search('option-(for|keep)-damaged', result.err):
                faults.append(f'{result.code} {result.err}')
        kept = runs(folder, '--damaged=use')
        newest = t.run('top', '--format=json', '--no-symbols', '--damaged=use', f'{folder}/cartd.30494.2.u2.heap')
        if (kept.code, newest.code) != (3, 3) or json.loads(kept.out)['total'] != json.loads(newest.out)['total']:
            faults.append(f'not the newest that has stacks: {kept.code} {kept.err}')
    return faults


def newest_of_whole():
    """The newest of several complete dumps replaces a truncated one, even if an older one is larger."""
    with scratch() as folder:
        paths = [pathlib.Path(folder, f'app.77.{i}.i{i}.heap') for i in range(3)]
        for path, values in zip(paths, ([900, 100], [300, 100], [500, 100])):
            path.write_text(series_text(values, 4096))
        paths[2].write_text(paths[2].read_text()[:90])
        result = runs(folder)
        if result.code != 3:
            return [f'{result.code}: {result.err}']
        found = json.loads(result.out)
        wanted = t.ok('top', '--format=json', '--no-symbols', paths[1]).out
        told = [text for text in [one['text'] for one in found['warnings']] if 'replaced-by' in text]
        return [f'{found["total"]}'] * (found['total'] != json.loads(wanted)['total']) + \
            [f'told: {told}'] * (len(told) != 1 or f'replaced-by: {paths[1]}' not in told[0])


def two_processes():
    """Equal names do not make one process of dumps whose maps differ."""
    with scratch() as folder:
        shutil.copy(WHOLE, folder)
        other = re.sub(rb'7ff[0-9a-f]{9}', lambda found: b'7fc' + found[0][3:], TEXT)
        other = re.sub(rb'7fd7', b'7fa7', other)
        pathlib.Path(folder, 'cartd.30494.7800.u7772.heap').write_bytes(other)
        found = json.loads(runs(folder).out)
        count = found['processes']['count']
        return [f'{count} processes, not 2'] * (count != 2)


# --- dumps made at exit -------------------------------------------------------------------------------

def series_text(values, fleet):
    """A jemalloc dump with stacks of `values` objects of 4096 bytes each."""
    lines = [f'@ {0x400100 + 16 * i:#x} 0x400900\n  t*: {n}: {n * 4096} [0: 0]\n' for i, n in enumerate(values)]
    total = f'{sum(values)}: {4096 * sum(values)}'
    return (f'heap_v2/524288\n  t*: {total} [0: 0]\n' + ''.join(lines) + '\nMAPPED_LIBRARIES:\n'
            f'{0x400000:x}-{0x500000:x} r-xp 00000000 fe:00 1 /srv/app\n'
            f'7fc{fleet:09x}-7fd{fleet:09x} rw-p 00000000 00:00 0 [stack]\n')


def exits_are_no_points():
    """An exit dump does not change a trend, in 200 series."""
    rng = random.Random(10)
    def check(number):
        with scratch() as folder:
            start, slope = rng.randrange(20, 2000), rng.choice((0, 1, 5, 40))
            for i in range(10):
                values = [start + slope * i + rng.randrange(5), 100 + rng.randrange(30)]
                pathlib.Path(folder, f'app.{number + 1}.{i}.i{i}.heap').write_text(series_text(values, number * 4096))
            without = runs(folder, command='trend')
            last = [0, rng.randrange(1, 9)]
            pathlib.Path(folder, f'app.{number + 1}.10.f.heap').write_text(series_text(last, number * 4096))
            found = runs(folder, command='trend')
            if (without.code, found.code) != (0, 0):
                return [f'{number}: {without.code} {found.code} {found.err}']
            a, b = json.loads(without.out), json.loads(found.out)
            told = [s for s in b['processes']['messages'] if 'exit' in s]
            return [f'{number}: {a["rows"]} and {b["rows"]}'] * (a['rows'] != b['rows']) + \
                [f'{number}: said {b["processes"]["messages"]}'] * (len(told) != 1)
    return [fault for number in range(20 if IS_SAMPLE else 200) for fault in check(number)]


def exit_alone():
    exit_dump, other = DIED / 'pi.23994.9.f.heap.gz', DIED / 'pi.23994.7.i7.heap.gz'
    faults = []
    for inputs, wanted in (([exit_dump], 1), ([other], 0), ([exit_dump, other], 0)):
        said = json.loads(t.ok('top', '--format=json', '--no-symbols', *inputs).out)['processes']['messages']
        found = len([s for s in said if re.match('exit-dumps-hide|exits-left-out', s)])
        faults += [f'{len(inputs)}: {said}'] * (found != wanted)
    return faults


def exits_of_several():
    """Few inputs and many, which are no records of their own; sides of a comparison; a partial, which knows of some."""
    def dumps(folder, first, count, exits):
        paths = []
        for i in range(count):
            kind = 'f' if i < exits else 'm0'
            paths.append(pathlib.Path(folder, f'app.{first + i}.0.{kind}.heap'))
            paths[-1].write_text(series_text([first + i, 7], (first + i) * 4096))
        return paths

    def found(*inputs, command='top', sides=('inputs',)):
        report = json.loads(t.ok(command, '--format=json', '--no-symbols', *inputs).out)
        said = [s for s in report['processes']['messages'] if re.match('exit-dumps-hide|exits-left-out', s)]
        told = [report[side].get('made_at_exit') for side in sides]
        return told if len(said) == sum(number is not None for number in told) else [*told, *said]

    with scratch() as folder:
        five, other, many = dumps(folder, 10, 5, 3), dumps(folder, 100, 3, 0), dumps(folder, 1000, 600, 70)
        partial = t.merged(pathlib.Path(folder, 'many.hpa'), many)
        got = {'five': found(*five), 'none': found(*other), 'all': found(*five[:3]), 'many': found(*many),
               'a side': found(*five, '--to', *other, command='diff', sides=('base', 'new')),
               'both': found(*five, '--to', *many[:4], command='diff', sides=('base', 'new')),
               'beside a partial': found(*five, partial)[:1]}
        want = {'five': [3], 'none': [None], 'all': [3], 'many': [70], 'a side': [3, None], 'both': [3, 4],
                'beside a partial': [3]}
        return [f'{name}: {got[name]}, not {want[name]}' for name in want if got[name] != want[name]]


t.check('the complete dump of a process is used instead of a truncated one, and the loss is reported', cut_anywhere)
t.check('diff, trend and merge use complete dumps; each and sum reject truncated ones', other_reports)
t.check('a process with truncated dumps only is rejected; --damaged=use uses its newest with stacks', all_cut)
t.check('V13: the newest of several complete dumps is used, not the largest', newest_of_whole)
t.check('dumps of two processes under one name are two', two_processes)
t.check('an exit dump is excluded from a trend, and this is reported', exits_are_no_points)
t.check('an exit dump that is used is reported as such', exit_alone)
t.check('V12: exit dumps of several processes are counted once for each side', exits_of_several)
t.done()

#!/usr/bin/env python3
"""Tests plan: widths of dumps made at the planned period, what it refuses, order, scale and layout."""
import json
import math
import pathlib
import random
import re

from harness import IS_SAMPLE, Tests, near, scratch

t = Tests()
SIZES = (48, 512, 4096, 65536, 1 << 20)
REDIS = [t.real / f'redis_lg13.27533.{i}.i{i}.heap.gz' for i in range(3, 13)]


def sampled(heap, period, rng):
    """The samples of a heap {(stack, size): objects}, each a line of gperftools."""
    lines = []
    for (stack, size), objects in heap.items():
        p = -math.expm1(-size / period)
        mean, spread = objects * p, math.sqrt(objects * p * (1 - p))
        drawn = sum(rng.random() < p for _ in range(objects)) if objects < 2000 else max(0, round(rng.gauss(mean, spread)))
        lines += [f'{1:6d}: {size:8d} [{1:6d}: {size:8d}] @ {0x401000 + 16 * stack:#x} 0x402000'] * drawn
    total = sum(int(line.split()[1]) for line in lines)
    return f'heap profile: {len(lines):6d}: {total:8d} [{len(lines):6d}: {total:8d}] @ heap_v2/{period}\n' + ''.join(
        line + '\n' for line in lines) + '\nMAPPED_LIBRARIES:\n00400000-00500000 r-xp 00000000 08:01 7 /srv/app\n'


def heap_of(rng, scale=1):
    """Six stacks, each of two sizes."""
    return {(stack, size): scale * max(1, int((2 << 20) * rng.uniform(0.5, 8) / size))
            for stack in range(6) for size in rng.sample(SIZES, 2)}


def planned(*words):
    return json.loads(t.ok('plan', '-q', '--no-symbols', '-fjson', *words).out)


def by_period(report):
    return {row['period']: row for row in report['rows']}


def half_of(path):
    total = json.loads(t.ok('top', '-q', '--no-symbols', '-fjson', path).out)['total']['inuse-space']
    return (total['high'] - total['low']) / 2 / total['estimate']


def widths():
    """The width that a dump plans for another period is that of dumps made at that period."""
    rng, faults, ratios = random.Random(1), [], []
    with scratch() as name:
        folder = pathlib.Path(name)
        for number in range(4 if IS_SAMPLE else 8):
            heap = heap_of(rng)
            path = folder / f'fine{number}.heap'
            path.write_text(sampled(heap, 1 << 14, rng))
            plan = by_period(planned(path))
            for log in (16, 18):
                other = folder / f'other{number}.{log}.heap'
                other.write_text(sampled(heap, 1 << log, rng))
                ratio = plan[1 << log]['total']['half_width'] / half_of(other)
                ratios.append(ratio)
                faults += [f'{number}: 2^{log}: {ratio:.3f}'] * (not 0.75 < ratio < 1.33)
    middle = sorted(ratios)[len(ratios) // 2]
    return faults + [f'median {middle:.3f}'] * (not 0.97 < middle < 1.03)


def own_period():
    """At the period of the dump itself the plan has the width that top shows."""
    with scratch() as name:
        folder = pathlib.Path(name)
        path = folder / 'a.heap'
        path.write_text(sampled(heap_of(random.Random(2)), 1 << 16, random.Random(3)))
        row = by_period(planned(path))[1 << 16]
        return [] if near(row['total']['half_width'], half_of(path), 0.01) else [f'{row} {half_of(path)}']


def shape():
    """Widths and changes rise with the period, and samples fall; four times the memory halves the width."""
    faults = []
    with scratch() as name:
        folder = pathlib.Path(name)
        paths = []
        for scale in (1, 4):
            paths.append(folder / f'{scale}.heap')
            paths[-1].write_text(sampled(heap_of(random.Random(4), scale), 1, random.Random(5)))
        one, four = planned(paths[0]), planned(paths[1])
        for a, b in zip(one['rows'], four['rows']):
            ratio = a['total']['half_width'] / b['total']['half_width']
            few = a['live_samples'] < 1000
            faults += [f'{a["period"]}: {ratio}'] * (not few and not 1.9 < ratio < 2.1)
        fleet = [t.testdata / 'golden' / f'procs{i}.heap' for i in (1, 2, 3, 4)]
        few = [planned(t.formats / 'jemalloc-cxx.heap'), planned(t.testdata / 'golden' / 'raw-mixed.heap')]
        for report in (one, *few, planned(*fleet), planned(r'--time-from=27533\.(\d+)\.', *REDIS)):
            for a, b in zip(report['rows'], report['rows'][1:]):
                pairs = [(a['total']['half_width'], b['total']['half_width']), (a['change_given'], b['change_given']),
                         (-a['live_samples'], -b['live_samples']), *zip(a['total']['changes'], b['total']['changes']),
                         *zip(a['first'][0]['changes'], b['first'][0]['changes']),
                         *zip(a['trends'] or [], b['trends'] or []),
                         *((x['half_width'], y['half_width']) for x, y in zip(a['first'], b['first']))]
                faults += [f'{a["period"]}: {x} {y}' for x, y in pairs if x > y * 1.001]
    return faults


def order():
    """The same bytes for any order of the inputs and any number of threads."""
    fleet = [str(t.testdata / 'golden' / f'procs{i}.heap') for i in (1, 2, 3, 4)]
    outs = {t.ok('plan', '--no-symbols', *way, f'-f{form}').out
            for form in ('text',) for way in (fleet, fleet[::-1], ['-j2', *fleet[2:], *fleet[:2]])}
    return [] if len(outs) == 1 else ['outputs differ']


def mixed_periods():
    """Each dump of a fleet is planned from its own period: the two halves of a fleet give the plan of the whole."""
    rng = random.Random(6)
    with scratch() as name:
        folder = pathlib.Path(name)
        heap, paths = heap_of(rng, 4), []
        for i, period in enumerate([1 << 12] * 3 + [1 << 15] * 3):
            paths.append(folder / f'{i}.heap')
            text = sampled(heap, period, rng).replace('00400000', f'0040{i}000')
            paths[-1].write_text(text)
        fine, both = planned(*paths[:3])['rows'][5], planned(*paths)['rows'][5]
        ratio = both['live_samples'] / fine['live_samples']
        return [] if 0.95 < ratio < 1.05 else [f'{ratio}']


def answers():
    """Every kind of input has a plan, or a sentence that says what is missing."""
    faults = []
    with scratch() as name:
        folder = pathlib.Path(name)
        one = folder / 'one.heap'
        one.write_text(sampled({(0, 1 << 30): 1}, 1 << 19, random.Random(1)))
        partial = folder / 'a.hpa'
        t.ok('merge', '--no-symbols', '-o', partial, t.testdata / 'golden' / 'procs1.heap')
        for path, setting in ((t.formats / 'go-text.heap', 'runtime.MemProfileRate = '),
                              (t.formats / 'go-protobuf.pb.gz', 'runtime.MemProfileRate = '),
                              (t.formats / 'gperftools-heap_v2.heap', 'TCMALLOC_SAMPLE_PARAMETER='),
                              (t.formats / 'tcmalloc.pb.gz', 'TCMALLOC_SAMPLE_PARAMETER='),
                              (t.formats / 'jemalloc-default-lg19.heap', 'lg_prof_sample:'),
                              (t.formats / 'gperftools-growth.heap', 'sample period '),
                              (one, 'TCMALLOC_SAMPLE_PARAMETER='), (partial, 'lg_prof_sample:')):
            report = planned(path)
            shown = report['rows'][0]['setting'].startswith(setting) and len(report['rows']) == 13
            faults += [f'{path.name}: {report["rows"][0]}'] * (not shown)
            faults += [f'{path.name}: {report["lacks"]}'] * (report['lacks'] not in ('counts', 'dumps'))
        nothing, empty = folder / 'nothing.heap', folder / 'empty.heap'
        nothing.write_text('heap_v2/524288\n  t*: 0: 0 [0: 0]\n\nMAPPED_LIBRARIES:\n')
        empty.write_text('')
        for words, code in (((t.formats / 'gperftools-heap_v2-nosampling.heap',), 'plan-nothing-sampled'),
                            ((nothing,), 'plan-nothing-sampled'), ((empty,), 'file-empty'),
                            ((t.testdata / 'pprof' / 'rust.pb',), 'plan-no-period'),
                            ((t.testdata / 'differences' / 'delta.pb.gz',), 'plan-of-difference'),
                            (('--by=thread', t.testdata / 'golden' / 'procs1.heap'), 'rows-not-of-')):
            ended = t.run('--message-codes', 'plan', '--no-symbols', *words)
            faults += [f'{words}: {ended.code} {ended.err}'] * (ended.code == 0 or code not in ended.err)
    return faults


def cost():
    """--sample-cost replaces the table; the rate is that of the allocations between the dumps."""
    words = (r'--time-from=27533\.(\d+)\.', *REDIS)
    report, table = planned('--sample-cost=5', *words), planned(*words)
    faults = []
    for row, other in zip(report['rows'], table['rows']):
        faults += [f'{row}'] * (not near(row['cpu_at_most'], row['samples_per_second'] * 5e-6, 1e-3))
        faults += [f'{other}'] * (not near(other['cpu_at_most'],
                                           other['samples_per_second'] * 3e-6 * table['sample_microseconds'], 1e-3))
    return faults + [f'{report["lacks"]}'] * (report['lacks'] is not None)


def cost_of_one():
    """Statistics give one dump its rate: the samples ever counted by the dump, over the time that the process has run."""
    heap, stats = (t.testdata / 'account' / f'frag.{end}' for end in ('heap', 'json'))
    made = sum(map(int, re.findall(r'@.*\n  t\*: \d+: \d+ \[(\d+):', heap.read_text())))
    uptime = json.loads(stats.read_text())['jemalloc']['stats.arenas']['0']['uptime_ns'] * 1e-9
    report, alone = planned(heap, f'--stats={stats}'), planned(heap)
    faults = [f'{report["lacks"]} {alone["lacks"]}'] * (report['lacks'] is not None or alone['lacks'] != 'dumps')
    rate = by_period(report)[1 << 12]['samples_per_second']
    faults += [f'{rate} {made / uptime}'] * (not near(rate, made / uptime, 0.01))
    ended = t.run('--message-codes', 'plan', heap, *REDIS, f'--stats={stats}')
    return faults + [f'{ended.err}'] * (ended.code == 0 or 'stats-of-one-dump' not in ended.err)


def headline():
    """The headline is the coarsest period whose change is at most that of --see."""
    faults = []
    for see in (2, 5, 20, 70):
        report = planned(f'--see={see}%', *REDIS)
        shows = [row['period'] for row in report['rows'] if row['change_given'] <= see / 100]
        faults += [f'{see}: {report["choose"]}'] * (report['choose'] != (max(shows) if shows else None))
    fleet = [t.testdata / 'golden' / f'procs{i}.heap' for i in (1, 2, 3, 4)]
    needed = planned(*fleet)
    faults += ['no number of processes'] * (needed['choose'] is not None or not needed['processes_needed'])
    return faults


def limited():
    """A period at which the profiler takes more memory than the program is not advised, and a line says so."""
    faults = []
    with scratch() as name:
        path = pathlib.Path(name) / 'small.heap'
        path.write_text(f'heap_v2/65536\n  t*: 200: 12800 [0: 0]\n@ 0x401000 0x402000\n  t*: 200: 12800 [0: 0]\n'
                        '\nMAPPED_LIBRARIES:\n00400000-00500000 r-xp 00000000 08:01 7 /srv/app\n')
        for see, limit in (('0.1%', True), ('50%', False)):
            report = planned(f'--see={see}', path)
            dear = [row['period'] for row in report['rows'] if row['memory'] > report['total']['inuse-space']['estimate']]
            faults += [f'{see}: {report["limited_by_memory"]} {dear}'] * (report['limited_by_memory'] != limit or dear != [4096])
            faults += [f'{see}: {report["choose"]}'] * ((report['choose'] is None) != limit)
            out = t.ok('--message-codes', 'plan', '-q', '--no-symbols', f'--see={see}', path).out
            faults += [f'{see}: {out}'] * (('plan-dear' in out) != limit)
        text = t.ok('plan', '-q', '--no-symbols', '--see=0.1%', path).out
        return faults + [text] * (not re.search(r'lg_prof_sample:13.*\n(.*\n)+4 KiB.*\n(.*\n)+.* 8 KiB \(use\)', text))


def layout():
    """100 columns hold the table of a fleet and of a series."""
    faults = []
    for words in ([t.testdata / 'golden' / f'procs{i}.heap' for i in (1, 2, 3, 4)], REDIS):
        lines = t.ok('plan', '--no-symbols', '--width=100', *words).out.splitlines()
        rows = [line for line in lines if re.search(r'%.* \d+ [KM]iB( \((now|use|keep)\))?$| period$', line)]
        faults += [f'{len(line)}: {line}' for line in lines if len(line) > 100]
        faults += [f'{len(rows)} rows'] * (len(rows) != 14)
    return faults


def marks():
    """The row of the dumps' own period and the one to use are marked, and the first line says the same."""
    faults = []
    fleet = [t.testdata / 'golden' / f'procs{i}.heap' for i in (1, 2, 3, 4)]
    for words, marked, code in ((['--see=20%', *REDIS], {'now': '8 KiB', 'use': '128 KiB'}, 'plan-choose'),
                                (['--see=4%', *REDIS], {'keep': '8 KiB'}, 'plan-choose'),
                                (['--see=0.1%', *REDIS], {'use': '4 KiB', 'now': '8 KiB'}, 'plan-finest'),
                                (fleet, {'keep': '128 KiB'}, 'plan-needed')):
        out = t.ok('--message-codes', 'plan', '-q', '--no-symbols', '--width=100', *words).out
        text = t.ok('plan', '-q', '--no-symbols', '--width=100', *words).out
        found = {mark: period for period, mark in re.findall(r'(\d+ [KM]iB) \((now|use|keep)\)\n', text)}
        faults += [f'{words[0]}: {found}\n{text}'] * (found != marked or code not in out)
        log = {'8 KiB': 13, '4 KiB': 12, '128 KiB': 17}[marked.get('use', marked.get('keep'))]
        faults += [f'{words[0]}: {text}'] * (f'lg_prof_sample:{log}' not in text.split('\n', 1)[0])
    return faults


def by_line():
    """A diff that finds nothing says what it could have found: less with a stricter level, more with --fail-if; one that
    finds something says nothing."""
    series = [t.testdata / 'golden' / 'series' / f'jp.10978.{i}.i{i}.heap' for i in (1, 2)]
    changed = [t.testdata / 'golden' / f'procs{i}.heap' for i in (1, 2)]

    def said(*words):
        return json.loads(t.run('diff', '-q', '--no-symbols', '-fjson', *words).out).get('detectable')

    usual, sure, gate = said(*series), said('--confidence=99', *series), said('--fail-if=growth>500%,p<0.05', *series)
    passed = said('--fail-if=growth>50%,p<0.01', *changed)
    faults = ['a finding'] * (said(*changed) is not None)
    faults += [f'{usual} {sure}'] * (not usual['change'] < sure['change'] or not usual['is_at_most'])
    faults += [f'{gate}'] * (not gate['share'] > 5)
    faults += [f'{passed}'] * (not passed['share'] > 0.5 or not passed['sampling_error_only'])
    trend = json.loads(t.ok('trend', '-q', '--no-symbols', '-fjson', *REDIS).out)
    total = trend['total']
    return faults + [f'{trend}'[:200]] * (('detectable' in trend) == (total['significant'] or any(
        row['significant'] for row in trend['rows'])))


def finer_period():
    """info names the finer period in text and JSON if the total is uncertain, and only then."""
    faults = []
    for path, wide in ((t.testdata / 'pprof' / 'tcmalloc-heap.pb', True), (t.formats / 'jemalloc-cxx.heap', False)):
        found = json.loads(t.ok('info', '-q', '--no-symbols', '-fjson', path).out).get('finer_period')
        text = 'info-finer-period' in t.ok('--message-codes', 'info', '-q', '--no-symbols', path).out
        half = half_of(path)
        faults += [f'{path.name}: {half} {found} {text}'] * (not wide == (half > 0.2) == text == (found is not None))
        faults += [f'{path.name}: {half} {found}'] * (wide and not near(found['half_width'], half, 1e-3))
    return faults


t.check('info names a finer period if the total is uncertain', finer_period)
t.check('what could have been found is said if nothing was', by_line)
t.check('widths at other periods are those of dumps made there', widths)
t.check('the width at the period of the dump is that of top', own_period)
t.check('widths, changes and samples follow the period and the memory', shape)
t.check('the order of inputs and threads change nothing', order)
t.check('a fleet of mixed periods is planned from each own period', mixed_periods)
t.check('every kind of input has a plan, or a reason', answers)
t.check('CPU is the rate times the cost', cost)
t.check('the statistics of one dump give its rate', cost_of_one)
t.check('the headline follows --see', headline)
t.check('no period is advised at which the profiler takes more than the program', limited)
t.check('the period of the dumps and the one to use are marked', marks)
t.check('the table fits 100 columns', layout)
t.done()

#!/usr/bin/env python3
"""JSON, TSV and text agree: for all kinds of reports, rows, metrics and filters, on all dumps here; and planted
disagreements are found.

    usage: agreement.py BINARY TESTDATA [--sample]

With --sample only every sixth dump, pair and series is compared.
"""
import collections
import itertools
import multiprocessing
import pathlib

import planted
from agreement_corpus import (BY, FILTERS, NAMED, PLACES, SINGLE, UNITS, VARIATIONS, Case,
                              Reports, Runner, cases, dumps, every_inputs, t, without_libraries,
                              write)
from agreeing import CELLS, Shown, check_flags, compare_tsv, load
from harness import IS_SAMPLE, JOBS, METRICS, scratch
from text_lines import is_short_for
from text_series import compare_text

STEP = 6 if IS_SAMPLE else 1


def compare(reports):
    """The sheets of all comparisons."""
    sheets = {'text': compare_text(reports.json, reports.text, reports.shown)}
    if reports.json['command'] in CELLS:
        sheets['tsv'] = compare_tsv(reports.json, reports.tsv, reports.shown)
    if reports.json['command'] in ('top', 'stacks'):
        sheets['json'] = check_flags(reports.json)
    return sheets


# --- all of it ------------------------------------------------------------------------------------

COUNTED = ('numbers', 'few', 'near')


class Outcome:
    """The results of many cases."""

    def __init__(self):
        self.faults, self.met = collections.defaultdict(list), collections.Counter()
        self.sums, self.refused = collections.Counter(), collections.Counter()
        self.near = collections.defaultdict(list)  # kind: where four to five samples are

    def add(self, other):
        for kind, faults in other.faults.items():
            self.faults[kind] += faults
        for kind, near in other.near.items():
            self.near[kind] += near
        for mine, its in ((self.met, other.met), (self.sums, other.sums),
                          (self.refused, other.refused)):
            mine.update(its)


def try_case(outcome, runner, case):
    try:
        reports = write(runner, case)
        sheets = compare(reports) if isinstance(reports, Reports) else {}
    except Exception as error:
        outcome.faults[case.kind].append(f'{runner.inputs}, {case}: {error!r}')
        return
    if not sheets:
        outcome.refused[case.kind, reports.rpartition(': ')[2].strip()] += 1
        return
    outcome.met[runner.inputs.paths + runner.inputs.new, case] += 1
    outcome.sums[case.kind, 'reports'] += 1
    if all(sheets[name].near for name in ('text', 'json') if name in sheets):
        outcome.near[case.kind].append((runner.inputs, case))
    for name, sheet in sheets.items():
        for what in COUNTED:
            outcome.sums[case.kind, name, what] += getattr(sheet, what)
        if sheet.faults:
            command = ' '.join(map(str, runner.args(case)))
            outcome.faults[case.kind].append(f'{command} --unit={case.unit} -n{case.limit}: '
                                             f'{name}: {sheet.faults[0]} '
                                             f'and {len(sheet.faults) - 1} more')


def info_of(outcome, inputs):
    """Compare the totals and counts of info."""
    for more in ((), ('--estimator=none',), ('--estimator=jeprof',)):
        args = ['info', '-q', '-j1', '--no-symbols', *more, *inputs.paths]
        report, text = (t.ok(*args, *f).out for f in (('-fjson',), ('-v',)))
        sheet = compare_text(load(report), text, Shown())
        outcome.sums['info', 'reports'] += 1
        outcome.sums['info', 'text', 'numbers'] += sheet.numbers
        outcome.faults['info'] += [f'{inputs} {more}: {fault}' for fault in sheet.faults]


def try_inputs(task):
    d, inputs = task
    outcome, runner = Outcome(), Runner(inputs)
    for case in cases(inputs, d):
        try_case(outcome, runner, case)
    if not inputs.new and not inputs.series:
        info_of(outcome, inputs)
    return outcome


def try_all(sets, pool):
    """Inputs of the same kinds and metrics are numbered; the number decides where their wheels begin."""
    counters, tasks = collections.defaultdict(itertools.count), []
    for inputs in sets:
        tasks.append((next(counters[inputs.kinds(), inputs.told]), inputs))
    outcome = Outcome()
    for part in pool.imap_unordered(try_inputs, tasks[::STEP]):
        outcome.add(part)
    return outcome


# --- what has to come up --------------------------------------------------------------------------

WHEELS = (('by', 'metric', 'filter'), ('variation', 'metric'), ('variation', 'filter'),
          ('variation', 'by'), ('unit', 'metric'), ('unit', 'filter'), ('unit', 'by'),
          ('unit', 'variation'))
# Options that not every dump supports: few have names without their programs, and not all have threads.
UNABLE = {('kind', 'list'), ('by', 'thread'), ('filter', 'thread')}


def teeth_of(kind, wheel):
    return {'by': BY.get(kind, PLACES), 'metric': METRICS, 'filter': FILTERS, 'unit': UNITS,
            'variation': VARIATIONS[kind]}[wheel]


def unmet(met):
    """The combinations that no case covered: each kind with rows, metric and filter; each kind and other option with
    metric, filter and rows."""
    got = {(case.kind, wheels, *(getattr(case, wheel) for wheel in wheels))
           for _, case in met for wheels in WHEELS}
    for kind in VARIATIONS:
        for wheels in WHEELS:
            for teeth in itertools.product(*(teeth_of(kind, wheel) for wheel in wheels)):
                if (kind, wheels, *teeth) not in got:
                    yield Case(kind, **({'by': BY.get(kind, PLACES)[0]} |
                                        dict(zip(wheels, teeth))))


def unmet_of(met, sets):
    """[(inputs, (wheel, tooth))]: the values of options that no case of a dump had."""
    got = collections.defaultdict(set)
    for paths, case in met:
        for path in paths:
            got[path] |= set(vars(case).items())
    for inputs in sets:
        wanted = {('kind', kind) for kind in VARIATIONS} | {('unit', unit) for unit in UNITS}
        wanted |= {('by', by) for by in BY['top']} | {('filter', name) for name in FILTERS}
        wanted |= {('metric', metric) for metric in inputs.told}
        if len(inputs.paths) == 1 and not inputs.new and inputs.told:
            for lack in sorted(wanted - got[inputs.paths[0]]):
                yield inputs, lack


def able(sets, kind, small=False):
    """Inputs that can do all that there is of a kind."""
    if kind == 'trend':
        return next(i for i in reversed(sets) if i.series and
                    ('series' if small else 'redis') in str(i))
    return next(i for i in sets if i.kinds() == (('diff',) if kind == 'diff' else SINGLE) and
                'procs1' in str(i) and len(i.paths + i.new) == 4)


def fill(outcome, sets):
    """Try the combinations that the wheels did not reach, with inputs that support all options, and with the dump
    itself."""
    runners = {kind: Runner(able(sets, kind)) for kind in VARIATIONS}
    for case in list(unmet(outcome.met)):
        try_case(outcome, runners[case.kind], case)
    for inputs, (wheel, tooth) in [] if IS_SAMPLE else list(unmet_of(outcome.met, sets)):
        if wheel != 'kind':
            case = Case('top', **({'by': 'function', 'metric': inputs.told[0]} | {wheel: tooth}))
            try_case(outcome, Runner(inputs), case)


def missing(met, sets):
    """Sentences on combinations that no case covered."""
    faults = [str(case) for case in unmet(met)]
    if IS_SAMPLE:
        return faults
    lacks = list(unmet_of(met, sets))
    faults += [f'{inputs}: {lack}' for inputs, lack in lacks if lack not in UNABLE]
    dumps = sum(len(i.paths) == 1 and not i.new and bool(i.told) for i in sets)
    for lack in UNABLE:
        able = dumps - sum(other == lack for _, other in lacks)
        faults += [] if able >= 30 else [f'only {able} dumps have met {lack}']
    return faults


# --- more tests -----------------------------------------------------------------------------------


def numbers_by_row(report):
    """{row: its numbers of all metrics}, and the totals."""
    found = {str(row.get('frames', row.get('name'))): [row[key] for key in ('flat', 'cum', 'value')
                                                       if key in row]
             for row in report['rows']}
    return found | {'total': [report['total']]}


def seen_once(report):
    """{row: whether exactly one object was sampled}, as far as the flags show it."""
    return {str(row.get('frames', row.get('name'))): 'seen-once' in row['flags']
            for row in report['rows'] if 'mixed-sizes' not in row['flags']}


def differences(one, other):
    return [f'{row}: {one[row]} and {other[row]}' for row in one
            if row in other and one[row] != other[row]]


def whichever_metric(task):
    """Faults, and the number of compared numbers, in several reports of each metric; bytes and objects must have
    equal numbers of samples."""
    d, inputs = task
    faults, count = [], 0
    for kind in ('top', 'stacks'):
        reports = {metric: load(t.ok(kind, '-q', '-j1', '--no-symbols', '-fjson', '-n150',
                                     f'--metric={metric}', f'--by={PLACES[d % len(PLACES)]}',
                                     *inputs.paths).out) for metric in inputs.told}
        numbers = {metric: numbers_by_row(report) for metric, report in reports.items()}
        for metric in inputs.told:
            of_space = metric.replace('objects', 'space')
            faults += [f'{kind} {inputs} by {metric}: {fault}' for fault in
                       differences(numbers[metric], numbers[inputs.told[0]]) +
                       differences(seen_once(reports[metric]), seen_once(reports[of_space]))]
            count += sum(3 * len(inputs.told) * len(row) for row in numbers[metric].values())
    return faults, count


PLANTED = (
    Case('top', 'function', 'inuse-space', 'focus', limit=5),
    Case('top', 'module', 'inuse-space', unit='KiB', variation='--cum --columns=spread'),
    Case('top', 'address', 'alloc-objects', variation='--confidence=80', limit=8),
    Case('stacks', 'line', 'inuse-space', 'ignore', 'MiB', limit=3),
    Case('stacks', 'function', 'inuse-objects', 'thread'),
    Case('tree', 'function', 'alloc-space', 'hide'),
    Case('tree', 'module', 'inuse-objects', variation='--invert'),
    Case('peek', 'file', 'inuse-space'),
    Case('list', None, 'inuse-space', unit='KiB', variation=VARIATIONS['list'][1]),
    Case('diff', 'function', 'inuse-space', 'focus', limit=3),
    Case('diff', 'module', 'alloc-objects', unit='B'),
    Case('trend', 'function', 'inuse-objects', 'ignore'),
    Case('trend', 'address', 'inuse-space', variation=VARIATIONS['trend'][2], limit=2),
)


def plant(task):
    """The number of planted disagreements, and those that were not found."""
    inputs, case = task
    try:
        return planted.survivors(write(Runner(inputs), case))
    except Exception as error:
        return 0, [repr(error)]


def found(count, missed):
    if missed or count < 50:
        return [f'{len(missed)} of {count}: {missed[:9]}']
    return f'all of {count}'


def plant_names():
    """Test the rules by which a text in a table may represent a name or may not."""
    make = 'Req* Leaky<Req, 4>::make<int>(int, std::vector<int, A<int> >) const'
    good = {make: ('Leaky<…>::make', 'Leaky<Req, …>::make', 'Leaky<…, 4>::make', 'Leaky<Req, 4>::make',
                   'Leaky<…>::make<int>', 'Leaky::make(int, std::vector<…>) const', 'Leaky<…>::make [a.cc:15]',
                   'Leaky<…>::make [libone.so]', 'Leaky<…>::make ~2', 'Leaky<…>::make(int, std::vector<…>) ~1'),
            'f(char)': ('f', 'f(char)'), 'operator<(A, B)': ('operator<', 'operator<(A, B)')}
    short = {make: 'Leaky<…>::make', 'f(char)': 'f', 'operator<(A, B)': 'operator<'}
    bad = {make: ('Leaky<Res, …>::make', 'Leaky<4, …>::make', 'Leaky<Req, 4, …>::make', 'Leaky<…>::made',
                  'Leaky<…>::make<long>', 'Leaky<…>::make(long)', 'Leaky<…>::make [15]', 'Leaky<…>::make [Req]',
                  'Leaky<…, int>::make<…>', 'make'), 'f(char)': ('f(int)', 'f()', 'f<…>')}
    return [f'{text} is for {name}' for name, texts in bad.items() for text in texts if is_short_for(text, short[name], name)] + [
        f'{text} is not for {name}' for name, texts in good.items() for text in texts if not is_short_for(text, short[name], name)]


def plant_info(inputs):
    args = ['info', '-q', '-j1', '--no-symbols', *inputs.paths[:1]]
    report, text = (t.ok(*args, *more).out for more in (('-fjson',), ('-v',)))
    return found(*planted.survivors(Reports(load(report), '', text, Shown())))


def plant_threshold(near):
    """Planted: a writer that does not call four effective samples few."""
    faults = []
    for kind in ('top', 'stacks'):
        inputs, case = min(near[kind], key=str)
        reports = write(Runner(inputs), case)
        four, shown = planted.of_threshold(reports.json), reports.shown
        for what, sheet in (('JSON alone', check_flags(four)),
                            ('TSV', compare_tsv(four, reports.tsv, shown)),
                            ('text', compare_text(four, reports.text, shown))):
            faults += [] if sheet.faults else [f'{kind}, {what}: {inputs}, {case}']
    return faults


def few_and_not_few(sums):
    """The comparison of marks is effective: each kind of report has numbers of four to five samples."""
    kinds = set(SINGLE) - {'list'} if IS_SAMPLE else SINGLE  # few of the dumps have sources to list
    return [f'{kind}, {name}: no number of four to five samples'
            for kind in sorted(kinds) for name in ('text', *['json'] * (kind in ('top', 'stacks')))
            if not sums[kind, name, 'near']]


def agree(outcome, kind):
    """The faults of a kind, or how much was compared."""
    numbers = sum(count for key, count in outcome.sums.items()
                  if key[0] == kind and key[-1] == 'numbers')
    if outcome.faults[kind] or not numbers:
        return outcome.faults[kind] or ['nothing was compared']
    return f'{numbers:,} numbers in {outcome.sums[kind, "reports"]:,} reports'


def four_metrics(parts):
    """The faults of parts, or how many numbers they have."""
    faults = [fault for some, _ in parts for fault in some]
    return faults or f'{sum(count for _, count in parts):,} numbers'


def main(pool, sets):
    outcome = try_all(sets, pool)
    fill(outcome, sets)
    alone = [(d, inputs) for d, inputs in enumerate(sets) if inputs.kinds() == SINGLE]
    parts = pool.map(whichever_metric, alone[::STEP])
    plants = pool.imap(plant, [(able(sets, case.kind, small=True), case) for case in PLANTED])
    for kind in (*VARIATIONS, 'info'):
        t.check(f'{kind}: JSON, TSV and text have the same numbers', lambda: agree(outcome, kind))
    t.check('JSON has the same numbers with each metric', lambda: four_metrics(parts))
    each = '' if IS_SAMPLE else ', and each dump with each of them'
    t.check(f'every combination of kinds, rows, metrics and filters was tested{each}',
            lambda: missing(outcome.met, sets))
    t.check('four samples and five have different marks in each kind of report',
            lambda: few_and_not_few(outcome.sums))
    t.check('a threshold of four samples in one writer is found',
            lambda: plant_threshold(outcome.near))
    for case, (count, missed) in zip(PLANTED, plants, strict=True):
        by = f' by {case.by}' if case.by else ''
        t.check(f'{case.kind}{by}: planted digits, marks, flags and bounds are found',
                lambda: found(count, missed))
    t.check('planted changes of names are found', plant_names)
    t.check('planted digits in info are found', lambda: plant_info(able(sets, 'top')))
    numbers = sum(count for key, count in outcome.sums.items() if key[-1] == 'numbers')
    reports = sum(count for key, count in outcome.sums.items() if key[-1] == 'reports')
    print(f'# {numbers:,} numbers were compared in {reports:,} reports')
    for (kind, why), count in sorted(outcome.refused.items()):
        print(f'# {kind}: {count} times all formats said: {why}')


if __name__ == '__main__':
    with scratch() as folder:
        NAMED.update(without_libraries(dumps(), pathlib.Path(folder)))
        with multiprocessing.Pool(JOBS) as workers:
            main(workers, every_inputs(workers))
    t.done()

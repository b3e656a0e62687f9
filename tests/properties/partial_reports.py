#!/usr/bin/env python3
"""A partial of up to 256 dumps gives the reports of the dumps, byte for byte: each report in each format, with each
option, for inputs of each kind; or the report is refused with a reason.

usage: partial_reports.py BINARY TESTDATA
"""
import pathlib
import random
import re

from fleets import Process
from harness import Tests, scratch, without_next

t = Tests()
PROCS = sorted((t.formats / 'procs').glob('*.heap'))
REDIS = sorted(t.real.glob('redis*.heap.gz'))[:4]
NO_MOMENTS = 'merge used another dump of its process'  # of a series without --dumps=each
USAGES = {name: usage for name, usage in t.reports().items() if name not in ('manifest', 'digest')}
FORMATS = {name: [each for each in t.formats_of(name) if each != 'hpa'] for name in USAGES}

# The values with which each option is tried, if the option concerns the report only; lists are options used together.
OPTIONS = {
    'time-from': ['mtime', r'(\d+)\.f'], 'metric': ['inuse-objects', 'alloc-space', 'alloc-objects', 'resident_space'],
    'inuse_space': [], 'inuse_objects': [], 'alloc_space': [], 'alloc_objects': [],
    'by': ['line', 'file', 'module', 'build', 'address', 'input', 'size', 'program', 'process', 'label:x'], 'no-inlines': [],
    'names': ['short', 'full'], 'timeline': [], 'focus': ['alloc', 'nothing'], 'ignore': ['libc'], 'hide': ['libc'],
    'show': ['alloc'], 'show-from': ['libc'], 'frames': ['no-std', 'no-libs', 'no-alloc', 'all'], 'wrapper': ['alloc'], 'own': ['libc'],
    'limit': ['0', '1'], 'max-bytes': ['4000'], 'sort': ['flat', 'cum', 'name'], 'cum': [], 'unit': ['KiB'],
    'confidence': ['99', 'none'], 'width': ['60'], 'invert': [], 'min-share': ['5'], 'columns': ['spread', 'sizes', 'sizes,spread'],
    'path-map': ['/srv=/nowhere'], 'symbol-dir': [t.root], 'source-dir': [t.testdata], 'no-symbols': [], 'symbol-dir-only': [f'--symbol-dir={t.root}'],
    'only': ['grown'], 'used': [], 'flavor': ['pprof', 'pyroscope', 'parca', 'datadog'], 'with-error': [], 'max-samples': ['3'], 'max-depth': ['2'],
    'color': ['always'], 'quiet': [], 'verbose': [], 'sandbox': ['off'], 'jobs': ['3'], 'max-memory': ['1GiB'], 'null': [],
}
# Options that change the partial itself, which are tested below, and options that are not for its reports.
OF_INPUTS = set('''files-from tar to base dumps on-duplicate keep-unmapped damaged max-skipped min-age
    max-input-size wait folded-unit large-sizes estimator label-from thread'''.split())
OTHERS = set('all groups add-names redact redact-key frame-rules fail-if format output shard no-input-ids tasks progress help version licenses build-options stats smaps recent waste older-than pairs maps perf-map see sample-cost with-builds with-names'.split())


def series(folder, jit):
    """Write dumps of processes in which half of the stacks begin in, or contain, code of a JIT compiler."""
    r, paths = random.Random(4), []
    for number in range(3):
        process = Process(r, 50 + number)
        lines = process.dump(r).split('\n')
        for i in [i for i, line in enumerate(lines) if line.startswith('@ ')][::1 + (not jit)]:
            made = 0x3a0000000000 + (number << 20) + i * 64
            lines[i] = lines[i].replace('@ ', f'@ {made:#x} {made + 0x1000:#x} ' if i % 3 else f'@ {made:#x} ')
        paths.append(pathlib.Path(folder, f'jit.{50 + number}.0.i0.heap'))
        paths[-1].write_text('\n'.join(lines))
    return paths


def damaged(folder):
    """Write a truncated dump, and one with a malformed line."""
    text, paths = PROCS[0].read_text(), []
    for name, content in (('cut', text[:3000]), ('torn', text[:-2000].replace('\n@ 0x', '\n@ 0y', 3))):
        paths.append(pathlib.Path(folder, f'{name}.9.0.i0.heap'))
        paths[-1].write_text(content)
    return paths


def compare(partial, inputs, command, options):
    """A fault, or none, or why it is refused."""
    args = [command, *options, *(['.'] if 'REGEX' in USAGES[command] else [])]
    want, got = t.run(*args, *inputs), t.run(*args, partial)
    if got.code == 2 and (want.code == 2 or NO_MOMENTS in got.err):
        return None, got.err
    if want.code == 5 and 'prof.reset' in want.err:
        return None, None  # counts that show it are not kept
    if (want.code, without_next(want.out_bytes), want.err) == (got.code, without_next(got.out_bytes), got.err):
        return None, None
    differ = [pair for pair in zip(want.out.splitlines(), got.out.splitlines()) if pair[0] != pair[1]]
    return f'{" ".join(map(str, args))}: {want.code} {got.code}; {want.err[:99]} | {got.err[:99]}; {differ[:1]}', None


def reports_of(inputs, of_both=(), of_partial=(), of_report=('--no-symbols',)):
    """Compare all reports in all formats for these inputs, with options of the partial, of the reports, or of both."""
    with scratch() as folder:
        inputs = inputs(folder) if callable(inputs) else inputs
        partial = pathlib.Path(folder, 'all.hpa')
        t.run('merge', '-q', '-o', partial, *of_both, *of_partial, *inputs)
        shared = [option for option in of_both if not option.startswith('--max-skipped')]
        refused = []

        def one(job):
            command, each = job
            fault, why = compare(partial, inputs, command, ['-f', each, *of_report, *(of_both if 'skipped' in str(of_both) else shared)])
            refused.extend([command] if why else [])
            return [fault] if fault else []

        jobs = [(command, each) for command, usage in USAGES.items() if 'BASE' not in usage for each in FORMATS[command]]
        faults = t.in_parallel(one, jobs)
        if refused.count('top') == len(FORMATS['top']):
            faults.append('all of top are refused')
        return faults or f'{len(jobs) - len(refused)} reports, {len(refused)} refused'


def each_option():
    """Test all options of the tool one by one; a new option has to be added to a table above."""
    told = set(re.findall(r'^ +(?:-\w, |    )--([\w-]+)', t.ok('help', '--all').out, re.M))
    known = OPTIONS.keys() | OF_INPUTS | OTHERS
    faults = [f'--{name} is in no table' for name in sorted(told - known)]
    with scratch() as folder:
        partials = []
        for name, inputs in (('procs', PROCS), ('redis', REDIS), ('types', [t.testdata / 'pprof' / 'rust.pb'])):
            partial = pathlib.Path(folder, f'{name}.hpa')
            t.ok('merge', '-q', '-o', partial, *inputs)
            partials.append((partial, inputs))
        words = [[f'--{name}{f"={value}" if value else ""}'] for name, values in OPTIONS.items() for value in values or ['']]
        jobs = [(partial, inputs, command, ['-f', each, '--no-symbols', *word]) for partial, inputs in partials
                for word in words for command, each in (('top', 'tsv'), ('top', 'text'), ('stacks', 'json'), ('merge', 'pprof'),
                                                        ('merge', 'firefox'), ('info', 'json'), ('tree', 'text'), ('trend', 'tsv'))]
        refused = []

        def one(job):
            if job[1] is REDIS and job[2] == 'info':
                return []  # it contains nothing about older dumps
            fault, why = compare(*job)
            refused.extend([job] if why else [])
            return [fault] if fault else []

        faults += t.in_parallel(one, jobs)
        return faults or f'{len(jobs) - len(refused)} reports, {len(refused)} refused'


def differences():
    """Compare reports of two sides, where each is a partial, or one consists of dumps."""
    before, after = PROCS[:2], PROCS[2:]
    with scratch() as folder:
        parts = [pathlib.Path(folder, f'{i}.hpa') for i in range(2)]
        for part, inputs in zip(parts, (before, after)):
            t.ok('merge', '-q', '-o', part, *inputs)
        jobs = [(['diff', '--no-symbols', '-f', each, *options], sides) for each in FORMATS['diff']
                for options in ((), ('--metric=inuse-objects',), ('--by=module',), ('--cum',), ('--focus=alloc',), ('-n1', '--confidence=90'))
                for sides in ((parts[:1], parts[1:]), (before, parts[1:]), (parts[:1], after))]
        jobs += [(['diff', '--no-symbols', '-f', each, '--metric=alloc-space'], (parts[:1], parts[1:])) for each in FORMATS['diff']]

        def one(job):
            args, (base, new) = job
            want, got = t.run(*args, *before, '--to', *after), t.run(*args, *base, '--to', *new)
            same = (want.code, want.out_bytes, want.err) == (got.code, got.out_bytes, got.err)
            return [] if same else [f'{args}: {want.code} {got.code} {got.err[:200]}']

        return t.in_parallel(one, jobs) or f'{len(jobs)} reports'


CXX = [t.formats / 'jemalloc-cxx.heap']
MIXED = [t.formats / 'go-protobuf.pb.gz', *CXX, t.formats / 'gperftools-heap_v2.heap', t.formats / 'tcmalloc.pb.gz',
         t.formats / 'jeprof-raw-symbolized.heap', t.testdata / 'processes' / 't.1.pb.gz']
MANY_THREADS = [t.formats / 'jemalloc-threadname.heap', t.real / 'mt64_lg12.13793.0.f.heap.gz']
SKIPS = ('--max-skipped=3',)

t.check('an aggregate file of one process with JIT frames gives the reports of its dumps',
        lambda: reports_of(lambda folder: series(folder, True)[:1]))
t.check('an aggregate file of processes with some JIT frames gives the reports of its dumps',
        lambda: reports_of(lambda folder: series(folder, False)))
t.check('an aggregate file with addresses of JIT frames gives the reports of its dumps',
        lambda: reports_of(lambda folder: series(folder, False), ['--keep-unmapped']))
t.check('an aggregate file merged by address gives the reports of its dumps', lambda: reports_of(
    lambda folder: series(folder, True), of_partial=['--by=address'], of_report=['--no-symbols', '--keep-unmapped']))
# A partial keeps what the files say of large sizes, if it was merged with the files.
t.check('an aggregate file with available binaries gives the reports of its dumps', lambda: reports_of(
    CXX, ['--large-sizes=classes'], of_report=[f'--symbol-dir={t.root}']))
t.check('an aggregate file of six formats gives the reports of its inputs', lambda: reports_of(MIXED))
t.check('an aggregate file of other sample types gives the reports of its inputs',
        lambda: reports_of([t.testdata / 'pprof' / 'rust.pb'], of_report=['--no-symbols', '--metric=resident_space']))
t.check('an aggregate file by thread gives the reports of its dumps', lambda: reports_of(MANY_THREADS, ['--by=thread']))
t.check('an aggregate file of one thread gives the reports of its dumps',
        lambda: reports_of(MANY_THREADS, ['--thread=1']))
t.check('an aggregate file with labels gives the reports of its dumps',
        lambda: reports_of(PROCS, ['--label-from=(?<x>procs)/(?<y>[a-z]*)'], of_report=['--no-symbols', '--by=label:x']))
t.check('an aggregate file without damaged inputs gives the reports of its dumps',
        lambda: reports_of(lambda folder: PROCS + damaged(folder), SKIPS))
t.check('an aggregate file with damaged inputs gives the reports of its dumps',
        lambda: reports_of(lambda folder: PROCS + damaged(folder), [*SKIPS, '--damaged=use']))
t.check('an aggregate file of raw numbers gives the reports of its dumps', lambda: reports_of(PROCS, ['--estimator=none']))
t.check('an aggregate file of estimates like jeprof gives the reports of its dumps',
        lambda: reports_of(PROCS, ['--estimator=jeprof']))
t.check('an aggregate file with sizes of pages gives the reports of its dumps',
        lambda: reports_of(CXX, ['--large-sizes=pages']))
t.check('an aggregate file with each option gives the reports of its dumps', each_option)
t.check('two aggregate files give the diff of their dumps', differences)
t.done()

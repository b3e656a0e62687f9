#!/usr/bin/env python3
"""Inputs that are damaged, or no dumps at all, get one clear sentence and the right exit status."""
import gzip
import pathlib
import re

from harness import Tests, near, scratch

t = Tests(is_coded=True)
GOOD = t.formats / 'jemalloc-lg0-accum.heap'
TEXT = GOOD.read_bytes()
TOTALS = t.totals(GOOD)
ZSTD = GOOD.with_suffix('.heap.zst')
EXACT = {'inuse-objects': 143525, 'inuse-space': 46627456}


def sentences(result, name):
    """The lines on stderr that speak of a file."""
    return [line for line in result.err.splitlines() if name in line]


def refused(name, content, says, code=5, directory=None):
    """The file alone is refused; with a good one it is skipped, if that is allowed."""
    with scratch() as scratch_directory:
        path = pathlib.Path(directory or scratch_directory, name)
        if content is not None:
            path.write_bytes(content)
        result = t.run('top', '--no-symbols', path)
        faults = []
        if result.code != code:
            faults.append(f'ended with {result.code}, not {code}: {result.err.strip()[:300]}')
        if result.out:
            faults.append(f'wrote a report: {result.out[:100]!r}')
        told = sentences(result, name)
        if len(told) != 1:
            faults.append(f'{len(told)} sentences about it: {result.err.strip()[:300]!r}')
        elif not re.search(says, told[0], re.I):
            faults.append(f'does not say {says!r}: {told[0]}')
        faults += [f'not a sentence of ours: {line!r}' for line in result.err.splitlines()
                   if len(line) > 700 or not line.isprintable()]
        beside = t.run('info', '-v', '--no-symbols', '--max-skipped=1', GOOD, path)
        if beside.code != 3 or beside.totals() != TOTALS:
            faults.append(f'beside a good dump: ended with {beside.code}, {beside.err[:200]!r}')
        strict = t.run('info', '-v', '--no-symbols', GOOD, path)
        if strict.code != code:
            faults.append(f'beside a good dump, nothing to be skipped: {strict.code}')
        return faults


def used(content, says=None, options=(), code=0, totals=None):
    """The file is used.  With `says` there has to be this warning, otherwise none."""
    with scratch() as directory:
        path = pathlib.Path(directory, 'dump')
        path.write_bytes(content)
        result = t.run('info', '-v', '--no-symbols', *options, path)
    faults = []
    if result.code != code:
        return [f'ended with {result.code}, not {code}: {result.err.strip()[:300]}']
    if code == 0 and totals:
        got = result.totals()
        faults += [f'{metric} {got[metric]}, not {value}' for metric, value in totals.items()
                   if not near(got[metric], value)]
    told = result.err + result.out
    if says and not re.search(says, told, re.I):
        faults.append(f'does not say {says!r}: {told[:600]!r}')
    if not says and result.err:
        faults.append(f'says {result.err!r}')
    return faults


def varied(old, new, count=1):
    if old not in TEXT:
        raise AssertionError(f'{old!r} is not in the dump')
    return TEXT.replace(old, new, count)


def elf():
    """A program argument (jeprof's habit) is not needed, and is no error."""
    program = t.formats / 'alloc_c'
    result = t.run('info', '-v', '--no-symbols', program, GOOD)
    faults = [] if result.code == 0 and result.totals() == TOTALS else [f'{result.code}: {result.err}']
    if not 'program-ignored: ' in result.err:
        faults.append(f'does not say that no program is needed: {result.err!r}')
    alone = t.run('top', program)
    return faults + ([] if alone.code == 5 else [f'alone: {alone.code}: {alone.err}'])


def directory():
    with scratch() as parent:
        pathlib.Path(parent, 'folder').mkdir()
        return refused('folder', None, 'folder-without-dumps', directory=parent)


def same_twice():
    with scratch() as folder:
        copy = pathlib.Path(folder, 'copy')
        copy.write_bytes(gzip.compress(TEXT))
        faults = []
        for pair in ([GOOD, GOOD], [GOOD, copy], [GOOD, ZSTD], [copy, ZSTD]):
            result = t.run('top', '--no-symbols', *pair)
            if result.code != 4 or not re.search('same|twice|duplicate', result.err, re.I):
                faults.append(f'{pair[1].name}: ended with {result.code}: {result.err!r}')
            skipping = t.run('info', '-v', '--no-symbols', '--on-duplicate=skip', *pair)
            if skipping.code != 0 or skipping.totals() != TOTALS:
                faults.append(f'{pair[1].name}: --on-duplicate=skip: {skipping.code}: '
                              f'{skipping.err!r}')
    return faults


def one_process_twice():
    series = sorted((t.formats / 'series').glob('*.heap'))
    result = t.run('top', '--no-symbols', *series[3:5])
    said = result.err + result.out
    if result.code != 0 or 'latest 2 source-of-process' not in said:
        return [f'ended with {result.code}: {said[:500]!r}']
    return []


def same_stacks_twice():
    """Two files with equal stack sections count as one sample."""
    with scratch() as folder:
        other = pathlib.Path(folder, 'jp.4711.0.f.heap')
        other.write_bytes(TEXT + b'ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0  [x]\n')
        result = t.run('top', '--no-symbols', '--dumps=sum', GOOD, other)
    said = result.err + result.out
    if result.code not in (0, 4) or not re.search('pair-warning: .* sample-twice', said):
        return [f'ended with {result.code}: {said[:500]!r}']
    return []


def carriage_returns():
    content = TEXT.replace(b'\n', b'\r\n')
    with scratch() as folder:
        path = pathlib.Path(folder, 'crlf')
        path.write_bytes(content)
        accepted = t.run('info', '-v', '--no-symbols', path)
    if accepted.code == 0:
        return [] if accepted.totals() == TOTALS else [f'other totals: {accepted.totals()}']
    return refused('crlf', content, 'line|carriage|CR')


def two_layers():
    return (refused('twice.gz', gzip.compress(gzip.compress(TEXT)), 'file-packed-twice') +
            refused('zst.gz', gzip.compress(ZSTD.read_bytes()), 'file-packed-twice'))


def zstd():
    inputs = ((ZSTD, b''), ('-', ZSTD.read_bytes()))
    return [f'{name}: {run.code} {run.err}' for name, run in
            ((name, t.run('info', '-v', '--no-symbols', name, stdin=text)) for name, text in inputs)
            if run.code != 0 or run.totals() != TOTALS]


STACK = TEXT[TEXT.index(b'\n@ ') + 1:TEXT.index(b'\n', TEXT.index(b'\n@ ') + 1) + 1]

# Files that are no dumps at all.
t.check('a Java HPROF file is rejected', lambda: refused(
    'java', b'JAVA PROFILE 1.0.2\0\0\0\0\x08' + bytes(40), 'Java'))
t.check('a gzipped Java HPROF file is rejected', lambda: refused(
    'java.gz', gzip.compress(b'JAVA PROFILE 1.0.2\0\0\0\0\x08' + bytes(40)), 'Java'))
t.check('R29: an ELF file is ignored next to a dump, and is nothing to report without one', elf)
t.check('a CPU profile is rejected', lambda: refused(
    'cpu', b''.join(n.to_bytes(8, 'little') for n in (0, 3, 0, 10000, 0, 1, 1, 0x4711)), 'CPU'))
t.check('JSON of prof_log is rejected', lambda: refused(
    'log.json', b'{\n\t"info": {\n\t\t"version": "1"\n\t},\n\t"allocations": []\n}\n', 'JSON'))
t.check('an empty file is rejected', lambda: refused('empty', b'', 'empty'))
t.check('an empty gzip file is rejected', lambda: refused('empty.gz', gzip.compress(b''), 'empty'))
t.check('a file of one newline is rejected', lambda: refused('newline', b'\n', 'dump|profile|format|header|heap'))
t.check('a directory without dumps is rejected', directory)
t.check('a missing file is rejected', lambda: refused('missing', None, 'no such file'))
t.check('English text is rejected', lambda: refused('text', b'It was a dark and stormy night.\n' * 9,
                                       'dump|profile|format|header|heap'))
t.check('a file of zeros is rejected', lambda: refused('zeros', bytes(5000), 'dump|profile|format|header|heap'))
t.check('gzip in gzip, zstd in gzip: one layer only', two_layers)
t.check('zstd, as a file and on standard input: the same totals', zstd)
t.check('truncated zstd is rejected', lambda: refused('cut.zst', ZSTD.read_bytes()[:-9], 'damaged-zstd-ends-early'))
t.check('gzip with garbage inside is rejected', lambda: refused(
    'flipped.gz', gzip.compress(TEXT)[:300] + b'\x55' * 40 + gzip.compress(TEXT)[340:], 'gzip|damage|corrupt|compress'))

# Dumps with something wrong.
t.check('a dump without a map section is used if its totals are complete', lambda: used(
    TEXT[:TEXT.index(b'MAPPED_LIBRARIES:')], 'no-map', totals=EXACT))
t.check('a dump without a map section and its last stack is rejected', lambda: refused(
    'mapless', TEXT[:TEXT.rindex(b'\n@ ') + 1], 'MAPPED_LIBRARIES|map|cut|short|truncat'))
t.check('a dump without the final newline is rejected',
        lambda: refused('cut', TEXT[:-1], 'newline|cut|end|truncat|short'))
t.check('a dump whose last stack has no counts is rejected', lambda: refused(
    'countless', varied(b'MAPPED_LIBRARIES:', STACK + b'MAPPED_LIBRARIES:'), 'count|stack|cut|truncat'))
t.check('R28: a malformed line is reported and counted, and changes nothing else', lambda: used(
    varied(b'\n@ ', b'\nnonsense\n@ '), 'nonsense|malformed|line 7|:7|1 line', totals=EXACT))
t.check('R28: a malformed line is an error with --damaged=reject', lambda: used(
    varied(b'\n@ ', b'\nnonsense\n@ '), 'nonsense|malformed|:7|line', ['--damaged=reject'], code=5))
t.check('unknown indented lines of a newer version are ignored', lambda: used(
    varied(b'MAPPED_LIBRARIES:', b'  frag_util: 0 1 16 4096 256 1 3 700 1\nMAPPED_LIBRARIES:')
    .replace(b'\n@ ', b'\n  q: 1 2 3\n@ ', 3), '.', totals=EXACT))
t.check('a dump with an address of 17 digits is used', lambda: used(
    varied(b'\n@ 0x', b'\n@ 0x1234567890', 1), '.'))
t.check('a dump with carriage returns has the same totals or is rejected', carriage_returns)
t.check('R25: counts that wrapped around are reported', lambda: used(
    varied(b'  t*: 1: 1048576 [99: 55037952]',
           b'  t*: 18446744073709551615: 18446744073708503040 [99: 55037952]'),
    'wrap|overflow|2\\^64|impossible|negative|header|range|large'))
t.check('R25: a number above 2^64 is rejected', lambda: refused(
    'big', varied(b'  t*: 1: 1048576 [99: 55037952]', b'  t*: 99999999999999999999: 5 [0: 0]'),
    '2.?64|number|large'))
t.check('R21: a header that disagrees with its stacks is reported', lambda: used(
    varied(b't*: 143525: 46627456 ', b't*: 243525: 96627456 '), 'input-total-contradicts',
    totals=EXACT))
for header in ('5: 0', '0: 500', '5: 320', '200: 1056578'):
    t.check(f'a header of {header} above stacks that jemalloc rewrote is reported', lambda: used(
        f'heap_v2/524288\n  t*: {header} [0: 0]\n@ 0x400010\n  t*: 100: 528289 [0: 0]\n\n'
        'MAPPED_LIBRARIES:\n00400000-00401000 r-xp 00000000 00:00 1 /bin/x\n'.encode(),
        'input-total-contradicts'))
t.check('a dump without stacks has totals of zero', lambda: used(
    b'heap_v2/524288\n  t*: 0: 0 [0: 0]\n\nMAPPED_LIBRARIES:\n'
    b'00400000-00401000 r-xp 00000000 00:00 1 /bin/x\n', '.',
    totals={'inuse-space': 0, 'inuse-objects': 0}))
t.check('a zero or missing period is rejected', lambda: refused(
    'period', varied(b'heap_v2/1\n', b'heap_v2/x\n'), 'period|header|number|heap_v2|expected'))
t.check('a dump that is given twice is rejected, or counted once', same_twice)
t.check('two dumps of one process are reported', one_process_twice)
t.check('equal stacks in two files are reported', same_stacks_twice)
t.done()

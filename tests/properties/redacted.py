#!/usr/bin/env python3
"""R40: what --redact writes, of every command in every format, holds no name of the program's own, packed
or not; the same key gives the same names, and rows are in the same classes with the same numbers.

With --sample inputs with warnings, damage and duplicates are tried in each format once, and the corpus.
"""
import gzip
import io
import json
import pathlib
import re
import shutil
import tarfile
import zlib

from harness import IS_SAMPLE, Tests, scratch
from profile_writer import Profile

t = Tests()
GOLDEN = t.testdata / 'golden'
SECRET = b'sEcReT'
COMMANDS = [(name, *['.'] * takes.startswith('REGEX ')) for name, takes in t.reports().items()
            if name not in ('manifest', 'digest')]
FORMATS = [name for name in t.formats_of() if name != 'hpa']
# Mappings that a program has named, and its own files where those of the system are.
OWN = ['[sEcReT]', '[anon:sEcReT]', '/memfd:sEcReT', '/dev/shm/sEcReT', '/usr/lib/sEcReT/libz.so.1',
       '/usr/lib/libm-sEcReT.so', '/usr/lib/libc.so.sEcReT']
LARGEST_OF_CORPUS = 40_000  # bytes of a file
SHOWN = dict.fromkeys(FORMATS, 0)


def secret(what):
    return f'{SECRET.decode()}{what}'


def inputs(folder):
    """Inputs in two formats, with secrets in functions, files, modules, threads, labels, comments and their own
    paths."""
    place = folder / secret('host')
    place.mkdir()
    p = Profile()
    for i in range(4):
        where = p.location(0x1000 + i, p.mapping(f'/opt/{secret("module")}', 0x1000, 0x9000),
                           [(secret(f'::function<int>({i})'), f'/src/{secret("file")}{i}.c', 7 + i)])
        p.sample([where], [1, 4096 << i], 4096, labels=[('host', secret('label'))])
    for i, where in enumerate(OWN):
        start = (i + 1) << 20
        p.sample([p.location(start + 1, p.mapping(where, start, start + 0x9000))], [1, 4096], 4096)
    profile = place / f'{secret("profile")}.pb.gz'
    profile.write_bytes(gzip.compress(p.bytes()))
    binary = folder / 'root/srv/corpus/formats' / secret('program')
    binary.parent.mkdir(parents=True)
    content = (t.root / 'srv/corpus/formats/alloc_c').read_bytes()
    binary.write_bytes(content.replace(b'leaf_mixed', SECRET + b'leaf'))
    shutil.copymode(t.root / 'srv/corpus/formats/alloc_c', binary)
    dumps = []
    for number in (1, 4):
        text = (GOLDEN / f'procs{number}.heap').read_bytes().replace(b'alloc_c', SECRET + b'program')
        dumps.append(place / f'{secret("dump")}.{number}.heap')
        dumps[-1].write_bytes(re.sub(rb'^(  t\d+: .*\]) worker \d$', rb'\1 ' + SECRET, text, flags=re.M))
    return profile, dumps


def unpacked(out):
    """The bytes, and those of all that is packed in them: gzip, and streams of a page."""
    parts = [out, gzip.decompress(out) if out[:2] == b'\x1f\x8b' else b'']
    for at in re.finditer(rb'stream\r?\n', out):
        try:
            parts.append(zlib.decompressobj().decompress(out[at.end():]))
        except zlib.error:
            pass
    return b'\n'.join(parts)


def holds(out):
    """Whether the output contains the secret; pages also contain names in hexadecimal, and divided into parts."""
    text = unpacked(out)
    return SECRET in text or SECRET.hex().encode() in text.lower() or b''.join(
        re.findall(rb'\(((?:\\.|[^()\\])*)\)', text)).count(SECRET) > 0


def every_report(folder, profile, dumps):
    faults = []
    options = [f'--symbol-dir={folder}/root']
    more = [[], ['--by=line'], ['--by=file'], ['--by=module'], ['--by=build'], ['--by=address'], ['--by=input'],
            ['--by=thread'], ['--by=label:host'], ['--by=program'], ['--by=process'], ['--names=full'],
            ['--label-from=/(?<host>sEcReT[^/]*)/', '--by=label:host'], ['-v']]

    def one(job):
        command, name, files, extra = job
        args = [command[0], *command[1:], f'-f{name}', *options, *extra, *files]
        plain, hidden = t.run(*args), t.run(*args, '--redact')
        SHOWN[name] += plain.code == 0 and holds(plain.out_bytes)
        if plain.code != hidden.code:
            return [f'{hidden} ended with {hidden.code}, not {plain.code}: {hidden.err}']
        return [f'{hidden}: {unpacked(hidden.out_bytes)[:20000]!r}'[:300]] if holds(hidden.out_bytes) else []

    jobs = [(command, name, files, extra) for command in COMMANDS for name in FORMATS
            for files in ([profile], dumps, [*dumps, profile]) for extra in more
            if not extra or command[0] in ('top', 'merge', 'info') and (not extra[0].startswith('--by=l')
                                                                      or name in ('text', 'json', 'pprof', 'tsv'))]
    faults = t.in_parallel(one, jobs)
    return faults or f'{len(jobs)} reports'


def troubled(folder):
    """Four dumps of one process, each with a warning of its producer: one is truncated, one is in an archive, one is given
    twice.  A file that is no dump.  A dump of another process, for account."""
    place = folder / secret('troubled')
    place.mkdir()
    warning = b'%warn about sEcReT\n'
    dumps = [warning + re.sub(rb'(\d+: \d+) \[0: 0\]', rb'\1 [\1]', path.read_bytes())
             for path in sorted((t.formats / 'series').glob('*.heap'))[:4]]
    names = [secret(f'.77.{i}.i{i}.heap') for i in range(len(dumps))]
    archived = names.pop(), dumps.pop()
    dumps[-1] = dumps[-1][:dumps[-1].index(b'MAPPED') - 40]
    for name, content in [*zip(names, dumps), (secret('-again.heap'), dumps[0]), (secret('-none.heap'), SECRET),
                          ('account.heap', warning + (t.testdata / 'account' / 'frag.heap').read_bytes())]:
        (place / name).write_bytes(content)
    with tarfile.open(place / secret('.tar'), 'w') as tar:
        member = tarfile.TarInfo(archived[0])
        member.size = len(archived[1])
        tar.addfile(member, io.BytesIO(archived[1]))
    return place


def troubled_report(place, command, name):
    """The words that make a report of these dumps."""
    if command == 'account':
        account = t.testdata / 'account'
        return [command, f'-f{name}', place / 'account.heap', f'--stats={account}/frag.json',
                f'--smaps={account}/frag.smaps_rollup']
    files = sorted(place.glob('sEcReT*.heap'))
    words = {'list': ['.', f'--symbol-dir={t.root}'], 'peek': ['.', '--no-symbols']}.get(command, ['--no-symbols'])
    base = [files.pop(0), '--to'] if command == 'diff' else []
    return [command, f'-f{name}', *words, *base, *files, f'--tar={place}/sEcReT.tar', '--damaged=use',
            '--max-skipped=1', '--on-duplicate=skip']


def jobs_of_all():
    """Each command in each format that it has."""
    return [(command, name) for command in [*(words[0] for words in COMMANDS), 'account'] for name in t.formats_of(command)
            if name != 'hpa']


def corpus_reports():
    """Each file and the next one, by one command in one format after the other."""
    files = sorted(path for path in t.testdata.rglob('*') if path.suffix in ('.heap', '.gz', '.pb', '.zst')
                   and path.is_file() and path.stat().st_size < LARGEST_OF_CORPUS)
    reports = jobs_of_all()

    def one(i):
        command, name = reports[i % len(reports)]
        pattern = ['.'] if command in ('list', 'peek') else []
        result = t.run(command, f'-f{name}', '--redact', '--no-symbols', '-q', '--max-skipped=2', '--on-duplicate=count',
                       *pattern, files[i - 1], *['--to'] * (command == 'diff'), files[i])
        return [f'{result} ended with {result.code}: {result.err}'] if result.code not in (0, 2, 3, 5) else []

    return t.in_parallel(one, range(len(files))) or f'{len(files)} files'


def troubled_reports(folder):
    """Each run ends well, with the status that it has without --redact."""
    place = troubled(folder)
    jobs = jobs_of_all()

    def one(job):
        args = troubled_report(place, *job)
        plain, hidden = (None if IS_SAMPLE else t.run(*args)), t.run(*args, '--redact')
        if hidden.code not in (0, 3) or plain and plain.code != hidden.code:
            return [f'{hidden} ended with {hidden.code}: {hidden.err}']
        return [f'{hidden} says {SECRET}'] if holds(hidden.out_bytes) else []

    return t.in_parallel(one, jobs) or f'{len(jobs)} reports'


def kept_names(folder, dumps):
    """Names that a partial keeps are redacted like those of binaries.  Without --redact they are shown, and control
    characters in them are not."""
    binary = folder / 'kept/srv/corpus/formats' / secret('program')
    binary.parent.mkdir(parents=True)
    binary.write_bytes((t.root / 'srv/corpus/formats/alloc_c').read_bytes().replace(b'leaf_mixed', SECRET + b'\33[2m'))
    (folder / 'empty').mkdir()
    partial = t.merged(folder / 'kept.hpa', dumps, '--with-names', f'--symbol-dir={folder}/kept')
    binary.unlink()

    def one(job):
        args = [job[0][0], *job[0][1:], f'-f{job[1]}', '-n0' if job[0][0] == 'top' else '-q', f'--symbol-dir={folder}/empty', partial]
        plain, hidden = t.run(*args), t.run(*args, '--redact')
        shown.append(b'[2m' in unpacked(plain.out_bytes))
        is_safe = job[1] not in ('text', 'tsv', 'markdown', 'folded') or b'\33' not in plain.out_bytes
        return [f'{hidden} ended with {hidden.code}, {plain.code} without: {hidden.err}'] * (plain.code != hidden.code) + [
            f'{hidden}: {unpacked(hidden.out_bytes)[:300]!r}'] * holds(hidden.out_bytes) + [f'{plain}: an escape'] * (not is_safe)

    shown = []
    faults = t.in_parallel(one, [(command, name) for command in COMMANDS for name in FORMATS if command[0] != 'diff'])
    return faults or (f'{sum(shown)} of {len(shown)} reports show the names' if sum(shown) > 20 else ['no report shows the names'])


def keys(folder, profile, dumps):
    """The same key gives the same names, independent of the rest of the report; another key gives others."""
    one, two = folder / 'key1', folder / 'key2'
    one.write_bytes(b'0123456789abcdef')
    two.write_bytes(b'0123456789abcdeg')
    short = folder / 'short'
    short.write_bytes(b'0123456789abcde')

    def names(key, *files):
        out = t.ok('top', '-fjson', '-n0', f'--redact-key={key}', f'--symbol-dir={folder}/root', *files).out
        return {row['name'] for row in json.loads(out)['rows']}
    faults = []
    if not names(one, dumps[0]) <= names(one, *dumps) or names(one, *dumps) & names(two, *dumps) - {'[other]'}:
        faults.append(f'{names(one, *dumps)}, {names(two, *dumps)}')
    args = ('merge', '-fpprof', f'--symbol-dir={folder}/root', *dumps, profile)
    if t.ok(*args, f'--redact-key={one}').out_bytes != t.ok(*args, f'--redact-key={one}').out_bytes:
        faults.append('other bytes with the same key')
    if t.ok(*args, '--redact').out_bytes == t.ok(*args, '--redact').out_bytes:
        faults.append('the same bytes with random keys')
    for key, code in (short, 2), (folder / 'none', 5):
        if t.run(*args, f'--redact-key={key}').code != code:
            faults.append(f'{key.name}: not {code}')
    if b'0123456789abcdef' in unpacked(t.ok(*args, f'--redact-key={one}').out_bytes):
        faults.append('the key is in the report')
    if t.run('merge', '-o', folder / 'x.hpa', '--redact', *dumps).code != 2:
        faults.append('a partial is not refused')
    return faults


def numbers(folder, dumps):
    """Rows, their order, and the folded frames are the same as without --redact; libraries of the system keep their
    names."""
    faults = []
    system = folder / 'system.heap'
    text = dumps[0].read_bytes().replace(b'/gone/usr/lib', b'/usr/lib')
    system.write_bytes(text)
    for report in ('top', 'tree', 'stacks', 'peek .'):
        args = [*report.split(), '-fjson', '-n0', f'--symbol-dir={folder}/root', system]

        def of(*more):
            rows = json.loads(t.ok(*args, *more).out).get('rows', [])
            return sorted(json.dumps([row[key] for key in sorted(row) if key in ('flat', 'cum', 'inuse-space')])
                          for row in rows)
        if of() != of('--redact'):
            faults.append(f'{report}: other numbers')
    modules = t.ok('top', '--by=module', '--frames=all', '-n0', '--redact', '--no-symbols', system).out
    return faults + ([] if 'libc.so.6' in modules and 'libstdc++.so.6' in modules else [modules])


def series(folder):
    """A series is in the order of the original names of its dumps: the new names contain no time.  Rows with equal
    changes are in the order of their new names; any other order would reveal something of the old ones."""
    faults, ties = [], 0
    key = folder / 'series key'
    dumps = [t.testdata / f'real/redis_lg13.27533.{i}.i{i}.heap.gz' for i in (0, 1, 2, 3, 4, 9, 10, 12)]
    args = ('trend', '-fjson', '-n0', '--no-symbols', '--by=address')

    def rows(*more):
        return json.loads(t.ok(*args, *more, *dumps).out)['rows']
    expected = sorted(map(str, (row['values'] for row in rows())))
    for number in range(4):
        key.write_bytes(b'%016d' % number)
        found = rows(f'--redact-key={key}')
        if sorted(map(str, (row['values'] for row in found))) != expected:
            faults.append(f'key {number}: other values in time')
        for a, b in zip(found, found[1:]):
            is_tied = a['significant'] == b['significant'] and abs(
                abs(a['last'] - a['first']) - abs(b['last'] - b['first'])) == 0
            ties += is_tied
            faults += [f'{a["name"]} before {b["name"]}'] if is_tied and a['name'] > b['name'] else []
    return faults or ([] if ties else ['no row changed as much as another'])


with scratch() as scratch_folder:
    root = pathlib.Path(scratch_folder)
    t.check('R40, H1: no crash and no name if inputs have warnings, or are damaged, archived or repeated',
            lambda: troubled_reports(root))
    t.check('H1: a warning of the producer is freed once', lambda: [
        f'{result}' for result in [t.run('top', '--redact', t.testdata / 'hostile' / 'warning.heap')] if result.code])
    t.check('R40, H1: no crash on any file of the corpus', corpus_reports)
    if not IS_SAMPLE:
        packed, texts = inputs(root)
        t.check('R40: no name is in any report', lambda: every_report(root, packed, texts))
        t.check('R40: every format has names without --redact',
                [f'{name} never does' for name, count in SHOWN.items() if not count])
        t.check('R40: no name in an aggregate file is shown', lambda: kept_names(root, texts))
        t.check('R40: the same key gives the same names', lambda: keys(root, packed, texts))
        t.check('R40: rows and numbers are the same', lambda: numbers(root, texts))
        t.check('R40: a series stays in order', lambda: series(root))
t.done()

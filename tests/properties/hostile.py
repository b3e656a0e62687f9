#!/usr/bin/env python3
"""Hostile names, of functions in a binary, of modules, threads and files, come out of every command
in every format as names: in UTF-8, without control characters or those that turn text around."""
import gzip
import pathlib
import re
import shutil
import unicodedata

from harness import HOSTILE, Tests, hostile_dump, scratch
from profile_reader import fields
from profile_writer import Profile

t = Tests()
GOLDEN = t.testdata / 'golden'
PROGRAM = pathlib.Path('srv/corpus/formats/alloc_c')
FUNCTION = b'\x1b[m"<;\\\n\xff\x07'  # as long as what it stands for, leaf_mixed
THREAD = b'\xe2\x80\xaew\x1b]0;x'
# Those whose texts reports write; what is in a page is packed: tests/interop/pdf.py.
FORMATS = [name for name in t.formats_of() if name not in ('hpa', 'pdf')]
TABLES = [name for name in t.formats_of('trend') if name != 'html']  # a page has rows of functions alone
COMMANDS = [(name, *['.'] * takes.startswith('REGEX ')) for name, takes in t.reports().items()]


def later(text):
    """A dump of the same process, with twice of all."""
    return re.sub(rb'(\d+): (\d+) \[(\d+): (\d+)\]', lambda found: b'%d: %d [%d: %d]' % tuple(
        2 * int(number) for number in found.groups()), text)


def make_inputs(folder):
    """(options, dumps of one process, hostile in every part)."""
    root = pathlib.Path(folder)
    binary = root / PROGRAM
    binary.parent.mkdir(parents=True)
    content = (t.root / PROGRAM).read_bytes()
    if content.count(b'leaf_mixed') == 0 or len(FUNCTION) != len(b'leaf_mixed'):
        raise AssertionError('no function to rename')
    binary.write_bytes(content.replace(b'leaf_mixed', FUNCTION))
    shutil.copymode(t.root / PROGRAM, binary)
    first, paths = (GOLDEN / 'procs1.heap').read_bytes(), []
    for number, text in ((1, first), (4, later(first))):
        paths.append(root / f'\x1b[31m\n{number}.heap')
        paths[-1].write_bytes(re.sub(rb'^(  t\d+: .*\]) worker \d$', rb'\1 ' + THREAD, text, flags=re.M))
    return [f'--symbol-dir={root}'], paths


def strings_of(profile):
    """The string table of a pprof profile."""
    return [value for number, value in fields(gzip.decompress(profile)) if number == 6]


def unsafe(out, allowed):
    """Characters that are none of text, whichever of two ways its lines end in."""
    text = out.decode('utf-8', 'strict').replace('\r\n', '\n')
    return [f'{character!r} in ...{text[max(0, text.index(character) - 40):][:60]!r}'
            for character in sorted(set(text)) if character not in allowed and
            (unicodedata.category(character) in ('Cc', 'Cf', 'Zl', 'Zp', 'Cs') or
             0xfdd0 <= ord(character) <= 0xfdef or ord(character) & 0xfffe == 0xfffe)]


def faults_of(format_name, command, *args):
    done = t.run(*command, f'-f{format_name}', *args)
    if done.code == 2 or 'no function has a name' in done.err:
        return None
    if done.code != 0:
        return [f'{done} ended with {done.code}: {done.err}']
    faults = [f'{command}: {fault}' for fault in unsafe(done.err.encode(), '\n')]
    if format_name == 'pprof':  # which is no text: names are what they were, in UTF-8
        for text in strings_of(done.out_bytes):
            text.decode('utf-8', 'strict')
        return faults
    allowed = '\n\t' if format_name == 'tsv' else '\n'
    return faults + [f'{command}: {fault}' for fault in unsafe(done.out_bytes, allowed)]


def every_command(format_name, options, paths, *more):
    found = [faults_of(format_name, command, *options, *more, *paths) for command in COMMANDS]
    written = [faults for faults in found if faults is not None]
    return [fault for faults in written for fault in faults] if written else ['no command writes it']


def is_there(options, paths):
    """What is looked for is in the reports: escaped, in each its own way."""
    faults = []
    for format_name, name in (('text', '\\x1B[m"<;\\\\x0A\\xFF\\x07'), ('folded', ' [m"<:\\ \\xFF ')):
        out = t.ok('top', '-q', f'-f{format_name}', *options, *paths).out
        faults += [] if name in out else [f'{format_name}: {out}']
    out = t.ok('top', '-q', '--by=thread', *options, *paths).out
    return faults + ([] if '\\u{202E}w\\x1B]0;x' in out else [out])


def modules():
    with scratch() as folder:
        path = hostile_dump(t, folder)
        second = path.with_name('second.heap')
        second.write_bytes(later(path.read_bytes()))
        faults = [every_command(name, ['--no-symbols'], [path, second]) for name in FORMATS]
    return [f'{HOSTILE}: {fault}' for found in faults for fault in found]


def labels_of_samples():
    """Keys and values of a pprof profile's own labels."""
    key, value = 'k\x1b]0;e"', '\u202ev\n<;\\\x07'
    p = Profile()
    p.sample([p.location(0x1000, 0, [('f', 'f.c', 1)])], [1, 4096], 4096, labels=[(key, value)])
    with scratch() as folder:
        path = pathlib.Path(folder) / 'x.pb.gz'
        path.write_bytes(gzip.compress(p.bytes()))
        faults = [fault for name in FORMATS
                  for fault in faults_of(name, ('top',), f'--by=label:{key}', path) or []]
        faults += faults_of('pprof', ('merge',), path)
        out = t.ok('top', '-q', f'--by=label:{key}', path).out
        texts = strings_of(t.ok('merge', '-q', '-fpprof', path).out_bytes)
    shown = '\\u{202E}v\\x0A<;\\\\x07'
    return faults + ([] if shown in out else [out]) + (
        [] if key.encode() in texts and value.encode() in texts else [f'{texts}'])


INVISIBLE = [0x07, 0x1b, 0x7f, 0x85, 0x9b, 0xad, 0x600, 0x61c, 0x180e, *range(0x200b, 0x2010),
             *range(0x2028, 0x202f), *range(0x2060, 0x2070), 0xfdd0, 0xfeff, 0xfff9, 0xfffb, 0xfffe,
             0xffff, 0x1d173, 0x1fffe, 0xe0001, 0xe0021, 0xe007f, 0x10ffff]


def invisible():
    """What nobody sees comes out of no format; merge to pprof, and to a partial, keeps it."""
    names = [f'f{chr(code)}{code:x}' for code in INVISIBLE]
    p = Profile()
    for i, name in enumerate(names):
        p.sample([p.location(0x1000 + i, 0, [(name, f'{name}.c', 1)])], [1, 4096], 4096)
    with scratch() as folder:
        path, partial = pathlib.Path(folder) / 'x.pb.gz', pathlib.Path(folder) / 'x.hpa'
        path.write_bytes(gzip.compress(p.bytes()))
        faults = [fault for name in FORMATS if name != 'pprof'
                  for command in COMMANDS if command not in (('trend',), ('lifetime',))
                  for fault in faults_of(name, command, path) or []]
        partial = t.merged(partial, [path])
        for source in path, partial:
            texts = strings_of(t.ok('merge', '-q', '-fpprof', source).out_bytes)
            faults += [f'{source.name}: {name!r} is gone' for name in names if name.encode() not in texts]
    return faults


with scratch() as scratch_folder:
    hostile_options, hostile_paths = make_inputs(scratch_folder)
    for name in FORMATS:
        t.check(f'R11, R13: {name}, functions in a binary',
                lambda: every_command(name, hostile_options, hostile_paths))
    for name in TABLES:
        for by in ('input', 'thread'):
            t.check(f'R11, R13: {name} by {by}',
                    lambda: every_command(name, hostile_options, hostile_paths, f'--by={by}'))
    for name in (*TABLES, 'pprof'):
        t.check(f'R11, R13: {name} by label', lambda: every_command(
            name, hostile_options, hostile_paths, '--label-from=(?<name>.[^/]*)$',
            '--by=label:name'))
    t.check('R11, R13: labels of samples', labels_of_samples)
    t.check('they are there', lambda: is_there(hostile_options, hostile_paths))
t.check(f'R11, R13, F13: {len(INVISIBLE)} characters that nobody sees, in every format', invisible)
t.check('R11, R13: modules, in every format', modules)
t.done()

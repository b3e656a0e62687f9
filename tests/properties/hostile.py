#!/usr/bin/env python3
"""Hostile names are written as names, in UTF-8, without characters that control a terminal, reverse text or are
invisible. These are names of functions in a binary, modules, threads, labels, files, and words of the command line.
They are looked for in every format of every command, in the output of jeprof and its shell, in messages, in suggested
commands, and in texts that a page copies to the clipboard.  The test prints how many texts of each kind it saw.

usage: hostile.py BINARY TESTDATA [PEERS] [--sample]

Texts for the clipboard are found by node, from PEERS, the folder that ./check --peers makes, or an installed one.
Without node they are skipped, and the test says so.  --sample takes every fifth of many similar runs.
"""
import collections
import gzip
import io
import json
import os
import pathlib
import pty
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import threading
import unicodedata
import zlib

import svg_reader
from harness import HOSTILE, Tests, hostile_dump, scratch
from rooted import gone
from profile_reader import fields
from profile_writer import Profile, message, number

t = Tests()
GOLDEN = t.testdata / 'golden'
PROGRAM = pathlib.Path('srv/corpus/formats/alloc_c')
FUNCTION = b'\x1b[m"<;\\\n\xff\x07'  # as long as the name that it replaces, leaf_mixed
THREAD = b'\xe2\x80\xaew\x1b]0;x'
FORMATS = t.formats_of()
TABLES = [name for name in t.formats_of('trend') if name != 'html']  # a page has only rows of functions
COMMANDS = [(name, *['.'] * takes.startswith('REGEX ')) for name, takes in t.reports().items()]
DATA = {'pprof', 'hpa'}  # names are unchanged in these, because they are for programs
INVISIBLE = [0x07, 0x1b, 0x7f, 0x85, 0x9b, 0xad, 0x600, 0x61c, 0x180e, *range(0x200b, 0x2010),
             *range(0x2028, 0x202f), *range(0x2060, 0x2070), 0xfdd0, 0xfeff, 0xfff9, 0xfffb, 0xfffe,
             0xffff, 0x1d173, 0x1fffe, 0xe0001, 0xe0021, 0xe007f, 0x10ffff]
# A word that reports itself to a terminal, begins a line, turns it round and is not UTF-8.
WORD = os.fsdecode('\x1b]0;pwn\x07\nhprof-agg: forged\r\u202e\x9b31m\x7f\u200b'.encode() + b'\xff')
STEP = 5 if '--sample' in sys.argv else 1
COMMANDS_OF_SHELL = {'top', 'list', 'peek', 'callgrind', 'dot', 'svg', 'pdf', 'help', 'quit'}


# --- what is read -------------------------------------------------------------------------


def strings_of(profile):
    """The string table of a pprof profile."""
    return [value for number, value in fields(gzip.decompress(profile)) if number == 6]


def lines_of(out):
    return re.split(r'\r?\n', out.decode('utf-8', 'strict'))


def drawn(code):
    """The strings that are shown by operators of a page."""
    return [re.sub(rb'\\(.)', rb'\1', text).decode('cp1252') for text in re.findall(rb'\(((?:[^()\\]|\\.)*)\) Tj', code, re.S)]


def pdf_texts(out):
    streams = [zlib.decompress(found) for found in re.findall(rb'/FlateDecode[^>]*>>\s*stream\r?\n(.*?)endstream', out, re.S)]
    title, = re.findall(rb'/Title <FEFF([0-9A-Fa-f]*)>', out)
    return [bytes.fromhex(title.decode()).decode('utf-16-be')] + [text for code in streams for text in drawn(code)]


def hpa_texts(out):
    with scratch() as folder:
        path = pathlib.Path(folder, 'x.hpa')
        path.write_bytes(out)
        return pprof_texts(t.ok('merge', '-q', '-fpprof', path).out_bytes)


def pprof_texts(out):
    return [text.decode('utf-8', 'strict') for text in strings_of(out)]


# How the texts of each output format, and of each report of jeprof, are found.  A missing format is a fault.
READERS = {**dict.fromkeys(('text', 'markdown', 'json', 'tsv', 'benchmark', 'folded', 'difffolded', 'callgrind', 'speedscope',
                            'dhat', 'dot', 'svg', 'firefox', 'html', 'collapsed', 'list', 'interactive'), lines_of),
           'pdf': pdf_texts, 'ps': drawn, 'pprof': pprof_texts, 'hpa': hpa_texts}
SEEN, LOCK = collections.Counter(), threading.Lock()


def is_unsafe(character):
    return (unicodedata.category(character) in ('Cc', 'Cf', 'Zl', 'Zp', 'Cs') or
            0xfdd0 <= ord(character) <= 0xfdef or ord(character) & 0xfffe == 0xfffe)


def look(kind, texts, what, allowed=''):
    """Faults of texts of that kind, which are counted."""
    texts = [text for text in texts if text]
    with LOCK:
        SEEN[kind] += len(texts)
    return [f'{what}: {sorted(set(found))} in {text[:200]!r}' for text in texts
            if (found := [c for c in text if c not in allowed and is_unsafe(c)])]


def look_at(kind, reader, out, what):
    """Check all texts of an output."""
    try:
        texts = READERS[reader](out)
    except UnicodeDecodeError as error:
        return [f'{what}: {error}']
    return look(kind, ['data'] * len(texts) if reader in DATA else texts, what, '\t' if reader == 'tsv' else '')


def messages(done, of='hprof-agg'):
    err = os.fsencode(done.err) if isinstance(done.err, str) else done.err
    return look(f'messages of {of}', lines_of(err), f'{done}')


# --- inputs -------------------------------------------------------------------------------


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


def all_names():
    """Names that mean something to a terminal, a shell, a browser or a reader of a format: those of a study, and more."""
    content = gzip.decompress((t.testdata / 'hostile' / 'names.pb.gz').read_bytes())
    texts = [value for field, value in fields(content) if field == 6]
    functions = [texts[dict(fields(value))[2]] for field, value in fields(content) if field == 5]
    more = [*svg_reader.HOSTILE, ' ', '()', '(x) y', 'x\x03\ntouch PWN\n#y', 'x\x1b[201~\ntouch PWN\n', '-x', '--focus=x', '\\E']
    return list(dict.fromkeys([*functions, *(name.encode() for name in more)]))


class AnyProfile(Profile):
    """A profile whose texts may be invalid UTF-8."""

    def of(self, names):
        """Each name is that of a function, a file, a module, a label, a thread and a comment."""
        for i, name in enumerate(names):
            mapping = self.mapping(b'/' + name[:250], 0x10000 * (i + 1), 0x10000 * (i + 2), build_id=name)
            place = self.location(0x10000 * (i + 1), mapping, [(name, b'/' + name + b'.c', 1)])
            self.head.append(number(13, self.text(name)))
            self.parts.append(message(2, self.numbers(1, [place]), self.numbers(2, [i + 1, i + 1 << 20]), *(
                message(3, number(1, self.text(key)), number(2, self.text(name))) for key in (name, 'thread'))))
        return self

    def write(self, path):
        path.write_bytes(gzip.compress(self.bytes()))
        return path


# --- every format of every command ----------------------------------------------------------


def faults_of(format_name, command, *args):
    done = t.run(*command, f'-f{format_name}', *args)
    if done.code == 2 or done.code == 5 and command[0] == 'list':  # no function has a name
        return None
    if done.code != 0:
        return [f'{done} ended with {done.code}: {done.err}']
    return messages(done) + look_at(format_name, format_name, done.out_bytes, f'{done}')


def every_command(format_name, options, paths, *more):
    found = [faults_of(format_name, command, *options, *more, *paths) for command in COMMANDS]
    written = [faults for faults in found if faults is not None]
    return [fault for faults in written for fault in faults] if written else ['no command writes it']


def is_there(options, paths):
    """Each report contains the hostile names, escaped as its format requires."""
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


def invisible():
    """No format writes invisible characters; only merge to pprof and to a partial keeps them."""
    names = [f'f{chr(code)}{code:x}' for code in INVISIBLE]
    p = Profile()
    for i, name in enumerate(names):
        p.sample([p.location(0x1000 + i, 0, [(name, f'{name}.c', 1)])], [1, 4096], 4096)
    with scratch() as folder:
        path, partial = pathlib.Path(folder) / 'x.pb.gz', pathlib.Path(folder) / 'x.hpa'
        path.write_bytes(gzip.compress(p.bytes()))
        faults = [fault for name in FORMATS if name not in DATA
                  for command in COMMANDS if command not in (('trend',), ('lifetime',))
                  for fault in faults_of(name, command, path) or []]
        partial = t.merged(partial, [path])
        for source in path, partial:
            texts = strings_of(t.ok('merge', '-q', '-fpprof', source).out_bytes)
            faults += [f'{source.name}: {name!r} is gone' for name in names if name.encode() not in texts]
    return faults


def all_of_them(folder):
    """Every name at once, in every row."""
    path = AnyProfile().of(all_names()).write(pathlib.Path(folder, f'{WORD}.pb.gz'))
    more = [(), ('-n0',), *(('-n0', f'--by={by}') for by in ('module', 'file', 'label:thread'))]
    jobs = [(name, command, *options) for name in FORMATS for command in COMMANDS if command[0] not in ('trend', 'lifetime')
            for options in (more if name in ('text', 'markdown', 'tsv', 'dot') else more[:2])]
    return t.in_parallel(lambda job: faults_of(*job, *[path] * (1 + (job[1] == ('diff',)))), jobs[::STEP])


# --- messages -------------------------------------------------------------------------------


def options_with_values(*command):
    return re.findall(r'--([\w-]+)=', t.ok(*command).out)


def hostile_files(folder):
    """Files of such a name: a dump, garbage, a list, an archive, a folder, one that is missing."""
    folder = pathlib.Path(folder, WORD)
    folder.mkdir()
    files = {name: folder / f'{name}{WORD}' for name in ('dump', 'garbage', 'list', 'archive', 'missing', 'folder')}
    shutil.copyfile(gone(t.formats / 'jemalloc-lg0.heap'), files['dump'])
    files['garbage'].write_bytes(b'heap_v2/x\n@ \x1b[31m\n')
    files['list'].write_bytes(b'\0'.join(os.fsencode(files[name]) for name in ('missing', 'garbage')))
    files['folder'].mkdir()
    with tarfile.open(files['archive'], 'w') as archive:
        member = tarfile.TarInfo(f'member{WORD}')
        member.size = 9
        archive.addfile(member, io.BytesIO(b'heap_v2/x'))
    return files


def messages_of_hprof_agg(folder):
    files = hostile_files(folder)
    dump, missing, garbage = files['dump'], files['missing'], files['garbage']
    commands = re.findall(r'^  (\w+) ', t.ok('help', '--all').out.partition('\nCommands:\n')[2].partition('\n\n')[0], re.M)
    taken = {option: command for command in commands for option in options_with_values('help', '--all', command) if command != 'jeprof'}
    jobs = [(command, f'--{option}={word}', *(['.'] if command in ('list', 'peek') else []), dump)
            for option, command in taken.items() for word in (WORD, missing)]
    jobs += [(command, *words) for command in commands for words in ((missing,), (garbage,), (f'--{WORD}',), ('-v', dump, dump, garbage))
             if command != 'jeprof']
    jobs += [('top', f'--files-from={files["list"]}', '--null'), ('top', f'--tar={files["archive"]}'), ('top', files['folder']),
             ('top', f'--focus={WORD}(', dump), ('top', '-o', dump, dump), ('top', f'--focus={WORD}', dump), (WORD, dump), ('help', WORD),
             ('diff', dump, '--to', missing), ('top', '-o', missing / 'x', dump), ('top', '--damaged=reject', dump, garbage), (f'{dump}',),
             ('manifest', '--tasks=2', '-o', files['folder'] / 'x', dump, missing)]
    return t.in_parallel(lambda job: messages(t.run(*job, cwd=folder)), jobs[::STEP])


def terminal(*args):
    """The bytes that a terminal is sent."""
    master, slave = pty.openpty()
    process = subprocess.Popen(t.command(*args), stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, close_fds=True)
    os.close(slave)
    out = b''
    try:
        while part := os.read(master, 65536):
            out += part
    except OSError:  # it is closed
        pass
    os.close(master)
    if process.wait() != 0:
        raise AssertionError(f'{args}: {out}')
    return out


def paths_on_terminals(folder):
    """Paths are data where a program reads them, and texts where a person does."""
    name = WORD.replace('\n', '')
    dump, partial = pathlib.Path(folder, f'{name}.heap'), pathlib.Path(folder, f'{name}.hpa')
    shutil.copyfile(t.formats / 'jemalloc-lg0.heap', dump)
    t.merged(partial, [dump])
    faults = []
    for words in (('digest', partial), ('info', '--used', dump)):
        faults += look('paths on a terminal', lines_of(terminal(*words)), words[0])
        piped = t.ok(*words).out_bytes
        faults += [] if os.fsencode(words[-1]) in piped else [f'{words[0]}: {piped}']
    return faults


# --- jeprof -----------------------------------------------------------------------------------


def jeprof_modes(dump):
    """The reports of jeprof: no two of these options can be combined.

    The value "." sets no memory limit: the sanitizers cannot work under one.
    """
    options = re.findall(r'^  --([\w-]+)(=?)', t.ok('jeprof', '--help').out, re.M)
    return ['text'] + [name for name, has_value in options if 'jeprof-exclusive' in t.run(
        'jeprof', '--text', f'--{name}' + ('=.' if has_value else ''), dump, is_coded=True).err]


def jeprof_writes(folder):
    """Each mode, by each kind of row, of hostile names and of files that are called so, a program and a base among them."""
    path = AnyProfile().of(all_names()).write(pathlib.Path(folder, f'{WORD}.pb.gz'))
    base = AnyProfile().of(all_names()[:3]).write(pathlib.Path(folder, f'base{WORD}.pb.gz'))
    program = shutil.copyfile(t.root / PROGRAM, pathlib.Path(folder, f'program{WORD}'))
    dump, modes = hostile_dump(t, folder), jeprof_modes(path)
    jobs = [(mode, *more, *inputs) for mode in modes for inputs in ([path], [dump], [program, path, f'--base={base}'])
            for more in ((), ('--lines',), ('--addresses',), ('--files',), (f'--thread={WORD}',), (f'--focus={WORD}',))]

    def one(job):
        mode, *words = job
        done = t.run('jeprof', f'--{mode}' + ('=.' if mode == 'list' else ''), '--nodecount=1000', '--nodefraction=0', *words, stdin=b'top99\n')
        return messages(done, 'hprof-jeprof') + (look_at(f'jeprof --{mode}', mode, done.out_bytes, f'{done}') if done.code == 0 else [])

    return t.in_parallel(one, jobs[::STEP]) or f'{len(modes)} modes'


def messages_of_jeprof(folder):
    files = hostile_files(folder)
    dump, missing = files['dump'], files['missing']
    jobs = [('--text', f'--{option}={WORD}', dump) for option in options_with_values('jeprof', '--help')]
    jobs += [('--text', *words) for words in ((dump,), (missing,), (missing, dump), (files['garbage'],), (files['folder'], dump), (dump, dump),
                                              (f'--{WORD}', dump), (f'--cum={WORD}', dump), (f'--focus={WORD}(', dump))]
    jobs += [(url,) for url in (f'http://{WORD}', f'host:80/{WORD}', f'http://h/{WORD}\';x;\'')]
    return t.in_parallel(lambda job: messages(t.run('jeprof', *job, cwd=folder), 'hprof-jeprof'), jobs)


def shell(folder):
    """Each command of jeprof's shell, and the files that they write."""
    path = AnyProfile().of(all_names()).write(pathlib.Path(folder, f'{WORD}.pb.gz'))
    word = re.sub(r'[\s]', '', WORD)
    told = set(re.findall(r'^  (?=\w)(\w+)|[;,] (\w+)(?= FILE|$)', t.run('jeprof', '--interactive', path, stdin=b'help\n').err, re.M))
    commands = {name for names in told for name in names if name}
    written = {name: pathlib.Path(folder, f'{name}{word}') for name in commands & READERS.keys() - {'list'}}
    typed = '\n'.join(['top999', f'top {word}', f'top {word} -{word}', 'list .', f'list {word}', 'peek .', f'peek {word}', 'help', word,
                       *(f'{name} {file}' for name, file in written.items()), 'quit', ''])
    done = t.run('jeprof', '--interactive', path, stdin=os.fsencode(typed), cwd=folder)
    faults = [] if commands == COMMANDS_OF_SHELL and done.code == 0 else [f'{commands}', f'{done.code}']
    faults += look('shell', lines_of(done.out_bytes) + lines_of(os.fsencode(done.err)), 'shell')
    for name, file in written.items():
        faults += look_at(f'{name} of the shell', name, file.read_bytes(), name)
    return faults or f'{len(commands)} commands'


# --- what is to be pasted ---------------------------------------------------------------------


def next_of(report, inputs, what):
    """Each command that a report suggests runs, and does nothing else where it is pasted."""
    faults = []
    for ask in json.loads(report.out_bytes)['next']:
        faults += look('next', ask['argv'], what)
        done = t.run(*ask['argv'][1:], *inputs)
        faults += [] if done.code == 0 else [f'{what}: {ask["argv"]}: {done.code}: {done.err}']
    return faults


def suggestions(folder):
    def of_name(job):
        i, name = job
        p, path = AnyProfile(), pathlib.Path(folder, f'next{i}.pb.gz')
        p.of([b'other', name]).write(path)
        reports = (('top',), ('top', '--by=file'), ('top', '--by=module'), ('stacks',), ('tree',), ('diff',))
        return [fault for words in reports[:6 if i % 8 == 0 else 1] for inputs in [[path] * (1 + (words == ('diff',)))]
                for fault in next_of(t.ok(*words, '-q', '-fjson', *inputs), inputs, f'{name} {words[0]}')]

    inputs = [GOLDEN / 'cxx.heap']
    with_filter = t.ok('top', '-q', '-fjson', '--ignore=\x1b]0;x', *inputs)
    return t.in_parallel(of_name, list(enumerate([b' ', *all_names()]))[::STEP]) + next_of(with_filter, inputs, 'a filter')


def node():
    """The path of node, or None.  The folder of the peers contains it."""
    peers = [pathlib.Path(folder) for folder in sys.argv[3:4] if os.path.isdir(folder)]
    return sorted(peers[0].glob('node_modules/node-linux-*/bin/node'))[0] if peers else shutil.which('node')


def clipboard(folder):
    """The command that a page copies to the clipboard for each function is one line, which a shell splits into the
    right words."""
    path = AnyProfile().of(all_names()).write(pathlib.Path(folder, 'x.pb.gz'))
    pages = []
    for command in ('top', 'diff'):
        pages.append(pathlib.Path(folder, f'{command}.html'))
        t.ok(command, '-q', '-o', pages[-1], f'--ignore={WORD[:9]}', *[path] * (1 + (command == 'diff')))
    script = pathlib.Path(__file__).resolve().parent.parent / 'interop' / 'html' / 'clipboard.js'
    done = subprocess.run([node(), script, *pages], capture_output=True, check=True)
    texts = json.loads(done.stdout)
    faults = look('clipboard', texts, 'clipboard')
    whole = [text for text in texts if shlex.split(text)[:1] == ['hprof-agg'] and re.search(r'(INPUT|NEW)\.\.\.$', text)]
    names = [text for text in texts if ' peek ' in text and '\ufffd' not in text]  # no bytes of other metrics
    for text in names[::STEP]:
        done = t.run(*shlex.split(text)[1:-1], path)
        faults += [] if done.code == 0 else [f'{text}: {done.code}: {done.err}']
    return faults + ([] if len(whole) == len(texts) and len(names) > 50 else [f'{len(whole)} of {len(texts)}, {len(names)}'])


with scratch() as scratch_folder:
    hostile_options, hostile_paths = make_inputs(scratch_folder)
    for name in FORMATS:
        t.check(f'R11, R13: {name}: functions in a binary are escaped',
                lambda: every_command(name, hostile_options, hostile_paths))
    for name in TABLES:
        for by in ('input', 'thread'):
            t.check(f'R11, R13: {name}: rows by {by} are escaped',
                    lambda: every_command(name, hostile_options, hostile_paths, f'--by={by}'))
    for name in (*TABLES, 'pprof'):
        t.check(f'R11, R13: {name}: rows by label are escaped', lambda: every_command(
            name, hostile_options, hostile_paths, '--label-from=(?<name>.[^/]*)$',
            '--by=label:name'))
    t.check('R11, R13: labels of samples are escaped', labels_of_samples)
    t.check('the reports contain the hostile names', lambda: is_there(hostile_options, hostile_paths))
t.check(f'R11, R13, F13: {len(INVISIBLE)} invisible characters are escaped in every format', invisible)
t.check('R11, R13: modules are escaped in every format', modules)
for title, walk in ((f'{len(all_names())} names are escaped in every format', all_of_them),
                    ('messages escape words of the command line and names of files', messages_of_hprof_agg),
                    ('paths are escaped on a terminal', paths_on_terminals),
                    ('H5: reports of jeprof are escaped in each of its modes', jeprof_writes),
                    ('H5: messages of jeprof are escaped', messages_of_jeprof),
                    ('H5: the shell of jeprof escapes names, also in its files', shell),
                    ('H14: commands that a report suggests run', suggestions)):
    with scratch() as scratch_folder:
        t.check(title, lambda: walk(scratch_folder))
KINDS = {*FORMATS, 'messages of hprof-agg', 'messages of hprof-jeprof', 'shell', 'paths on a terminal', 'next'}
if node():
    KINDS.add('clipboard')
    with scratch() as scratch_folder:
        t.check('H6: commands that a page copies are one line, with the right words in a shell',
                lambda: clipboard(scratch_folder))
t.check('each output format is tested here', [name for name in FORMATS if name not in READERS])
t.check('texts of each kind were tested', [kind for kind in KINDS if not SEEN[kind]])
print(*(f'# {kind}: {count:,} texts' for kind, count in sorted(SEEN.items())), sep='\n')
print('' if node() else '# clipboard: not looked at, as there is no node\n', end='')
t.done()

#!/usr/bin/env python3
"""Links and anchors of all documents resolve, each document keeps its limit of lines, and each command that is shown
with its output prints that output.

usage: documents.py BINARY ROOT [--update]

Commands are lines "$ hprof-agg ..." and "$ hprof-jeprof ..." in blocks ```console.  They run in a new folder that has
testdata/, those of one document in the same folder.  Below each is what it prints, on standard output and standard
error; a line "..." replaces any number of lines.  The exit status is 0, unless "$ echo $?" follows and shows another.
--update writes the outputs anew, with as many lines before and after "..." as there were.
"""
import difflib
import fnmatch
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / 'properties'))
from rooted import OTHERS, nothing  # noqa: E402

# The most lines of each document.
LIMITS = {'README.md': 150, 'INSTALL.md': 100, 'CHANGELOG.md': 60, 'CONTRIBUTING.md': 150, 'SECURITY.md': 80,
          'docs/tutorial.md': 200, 'docs/glossary.md': 60, 'docs/howto/*': 80, 'docs/explanation/*': 150, 'man/hprof-agg.1': 300}
# The sentences of each document: words on average, in the longest, and the share that may have more than 30.
MEAN_WORDS, MOST_WORDS, LONG_SHARE = 18, 40, .03
CUT = '...'
STATUS = '$ echo $?'
# The machine's own binaries are not looked at, so that the output is the same everywhere.
WRAPPER = '''#!/bin/sh
case ${{1-}} in
'' | {others}) ;;
*) set -- "$@" --symbol-dir={nothing} --symbol-dir-only ;;
esac
exec {binary} "$@"
'''


def documents(root):
    """All documents of the tree, without those of builds."""
    folders = [path for path in root.iterdir() if path.is_dir() and not path.name.startswith(('.', 'build'))]
    return sorted([*root.glob('*.md'), *(path for folder in folders for path in folder.rglob('*.md'))])


# --- links ----------------------------------------------------------------------------------------


def without_code(text):
    """The text without blocks and spans of code."""
    text = re.sub(r'^(```+).*?^\1$', '', text, flags=re.M | re.S)
    return re.sub(r'(?m)^(    |\t).*$', '', re.sub(r'(`+)(?!`).+?(?<!`)\1(?!`)', '', text))


def anchors(text):
    """The anchors of the headings, as GitHub names them."""
    found = {}
    for heading in re.findall(r'^#+ +(.*?) *#*$', re.sub(r'^(```+).*?^\1$', '', text, flags=re.M | re.S), re.M):
        heading = re.sub(r'\[([^]]*)\]\([^)]*\)', r'\1', heading)
        name = re.sub(r'[^\w\- ]', '', heading.lower()).replace(' ', '-')
        count = found.setdefault(name, 0)
        found[name] += 1
        if count:
            found[f'{name}-{count}'] = 1
    return set(found)


def broken_links(path):
    """The relative links of a document that lead nowhere."""
    for link in re.findall(r'\]\(([^)\s]+)\)', without_code(path.read_text(encoding='utf-8'))):
        if re.match(r'[a-z]+:', link):
            continue
        name, _, anchor = link.partition('#')
        target = path.parent / name if name else path
        if not target.exists():
            yield f'{link}: no such file'
        elif anchor and anchor not in anchors(target.read_text(encoding='utf-8')):
            yield f'{link}: no such heading'


def sentences(text):
    """The numbers of words of sentences, without those of code, tables and headings."""
    text = re.sub(r'\]\([^)]*\)', ']', re.sub(r'^(```+).*?^\1$', '\n', text, flags=re.M | re.S))
    text = re.sub(r'(?m)^( {4}|\t|\||#|@|\$ ).*$', '\n', text)
    for part in re.split(r'\n\s*\n|\n(?=\s*(?:[*+-]|\d+\.)\s)', text):
        for sentence in re.split(r'(?<=[.!?])\s+(?=[A-Z`*"])', ' '.join(part.split())):
            words = len(re.findall(r"[A-Za-z'][A-Za-z'-]*", sentence))
            if words >= 3:
                yield words


def faults_of_sentences(text):
    words = list(sentences(text))
    if words and sum(words) > MEAN_WORDS * len(words):
        yield f'{sum(words) / len(words):.1f} words a sentence, of at most {MEAN_WORDS} on average'
    if words and max(words) > MOST_WORDS:
        yield f'a sentence of {max(words)} words'
    if sum(count > 30 for count in words) > LONG_SHARE * len(words):
        yield f'{sum(count > 30 for count in words)} of {len(words)} sentences have more than 30 words'


def build_dependencies(root):
    """INSTALL.md names the packages that the Debian package is built with."""
    control = (root / 'debian/control').read_text(encoding='utf-8')
    wanted = re.search(r'^Build-Depends:(.*?)^\S', control, re.M | re.S)[1]
    install = (root / 'INSTALL.md').read_text(encoding='utf-8')
    shown = re.search(r'built with:\n\n((?:    .*\n)+)', install)[1].split()
    for package in re.findall(r'([a-z][a-z0-9+.-]+)(?:-compat)?(?::any)?\s*(?:\([^)]*\))?\s*(?:<!nocheck>)?\s*(?:,|$)', wanted):
        if package.removesuffix('-compat') not in shown:
            yield f'INSTALL.md: {package} is not among the packages of the build'


def faults_of_text(root):
    yield from build_dependencies(root)
    for name, most in LIMITS.items():
        if name.startswith('man/') and len((root / name).read_text(encoding='utf-8').splitlines()) > most:
            yield f'{name}: more than {most} lines'
    for path in documents(root):
        name = path.relative_to(root).as_posix()
        yield from (f'{name}: {fault}' for fault in broken_links(path))
        if not name.startswith(('tests/', 'contrib/', 'testdata/root/')):
            yield from (f'{name}: {fault}' for fault in faults_of_sentences(path.read_text(encoding='utf-8')))
        lines = len(path.read_text(encoding='utf-8').splitlines())
        for pattern, most in LIMITS.items():
            if fnmatch.fnmatch(name, pattern) and lines > most:
                yield f'{name}: {lines} lines, of at most {most}'


# --- commands -------------------------------------------------------------------------------------


def entries(block):
    """[command, output] of each command of a block, as lists of lines; text before the first has no command."""
    found, goes_on = [[[], []]], False
    for line in block.splitlines():
        if line.startswith('$ ') and not goes_on:
            found.append([[], []])
        is_command = goes_on or line.startswith('$ ')
        found[-1][0 if is_command else 1].append(line)
        goes_on = is_command and line.endswith('\\')
    return found


def abridged(lines, example):
    """The lines, cut where the example is cut."""
    if CUT not in example:
        return lines
    before, after = example.index(CUT), len(example) - example.index(CUT) - 1
    return lines[:before] + [CUT] + lines[len(lines) - after:] if len(lines) > before + after else lines


class Session:
    """A folder in which the commands of one document run."""

    def __init__(self, binary, root, folder):
        self.folder, self.status = folder, 0
        (folder / 'bin').mkdir()
        (folder / 'testdata').symlink_to(root / 'testdata')
        (folder / 'bin/hprof-jeprof').symlink_to(binary)
        script = folder / 'bin/hprof-agg'
        script.write_text(WRAPPER.format(others=' | '.join(OTHERS), nothing=nothing(), binary=binary))
        script.chmod(0o755)
        kept = {name: value for name, value in os.environ.items() if name != 'HPROF_AGG_FRAME_RULES'}
        self.environment = {**kept, 'PATH': f'{folder / "bin"}:{os.environ["PATH"]}', 'LC_ALL': 'C.UTF-8'}

    def run(self, command):
        """The lines that it prints; the status is kept."""
        done = subprocess.run(['bash', '-o', 'pipefail', '-c', command], cwd=self.folder, env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        self.status = done.returncode
        added = f' --symbol-dir={nothing()} --symbol-dir-only'  # by WRAPPER; "next:" repeats it
        return done.stdout.decode().replace(added, '').splitlines()


def run_again(session, block):
    """The block with what its commands print now, the number of commands, and what is wrong with their status."""
    lines, faults, count = [], [], 0
    found = entries(block)
    for i, (command, output) in enumerate(found):
        if command and re.match(r'\$ hprof-(agg|jeprof)\b', command[0]):
            output = abridged(session.run('\n'.join(command)[2:]), output)
            count += 1
            is_shown = i + 1 < len(found) and found[i + 1][0] == [STATUS]
            if session.status != 0 and not is_shown:
                faults.append(f'{command[0]}: exit status {session.status}')
        elif command == [STATUS]:
            output = [str(session.status)]
        lines += command + output
    return ''.join(f'{line}\n' for line in lines), count, faults


def check_commands(binary, root, path, update):
    """The number of commands of a document, and what is wrong."""
    text = path.read_text(encoding='utf-8')
    name, total, faults = path.relative_to(root).as_posix(), 0, []
    with tempfile.TemporaryDirectory() as folder:
        session = Session(binary, root, pathlib.Path(folder))

        def rewritten(match):
            nonlocal total
            block, count, wrong = run_again(session, match[2])
            total += count
            faults.extend(f'{name}: {fault}' for fault in wrong)
            return match[1] + block + match[3]

        now = re.sub(r'(?ms)(^```console\n)(.*?)(^```$)', rewritten, text)
    if update:
        path.write_text(now, encoding='utf-8')
    elif now != text:
        faults.append(f'{name} does not show what its commands print:\n' + ''.join(
            difflib.unified_diff(text.splitlines(True), now.splitlines(True), 'shown', 'printed', n=1)))
    return total, faults


def main(binary, root, *options):
    binary, root = pathlib.Path(binary).resolve(), pathlib.Path(root).resolve()
    faults, total = list(faults_of_text(root)), 0
    for path in documents(root):
        count, wrong = check_commands(binary, root, path, '--update' in options)
        total += count
        faults += wrong
    print(*(f'FAIL {fault}' for fault in faults), f'{total} commands, {len(faults)} faults', sep='\n')
    return 1 if faults or not total else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

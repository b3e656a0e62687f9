#!/usr/bin/env python3
"""The page of an HTML report: its numbers are the command line's, and Chromium and a stock Firefox show it as
people use it: with the mouse, with the keyboard alone, without a script, in all themes, whatever is in a name.

usage: html_page.py BINARY TESTDATA PEERS QUANTILES [--all]

PEERS is the folder that ./check --peers makes, QUANTILES the program beside this file's folder.  With --all every
filter is tried in every view, and the page is measured with 125,000 and 1,100,000 frames.
"""
import gzip
import json
import os
import pathlib
import random
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from harness import Tests, scratch  # noqa: E402
from profile_writer import Profile  # noqa: E402
from svg_reader import HOSTILE, escaped  # noqa: E402

READS = {'html': 'Chromium and Firefox'}
HERE = pathlib.Path(__file__).resolve().parent / 'html'
t = Tests()
PEERS = pathlib.Path(sys.argv[3]).resolve()
NODE = next((PEERS / 'node_modules').glob('node-linux-*/bin/node'))


def hostile(folder):
    """Every name as function, file and module; those that may be, as thread, label and name of an input."""
    profile = Profile()
    for i, name in enumerate(HOSTILE):
        mapping = profile.mapping(f'/{name}', 0x10000 * (i + 1), 0x10000 * (i + 2))
        stack = [profile.location(0x10000 * (i + 1), mapping, [(name, f'{name}.c', 1)])]
        profile.sample(stack, [i + 1, (i + 1) << 20], 1 << 20, labels=[(name, name), ('thread', name)])
    path = pathlib.Path(folder) / '<img src=x onerror=alert(1)>"\'&.pb.gz'
    path.write_bytes(gzip.compress(profile.bytes()))
    return path


class QuickProfile(Profile):
    """One with many texts."""

    def __init__(self):
        self.known = {'': 0}
        super().__init__()

    def text(self, text):
        if text not in self.known:
            self.known[text] = len(self.texts)
            self.texts.append(text)
        return self.known[text]


def random_names(folder):
    """Ten thousand functions, files and modules of what means something somewhere."""
    chance, profile = random.Random(21), QuickProfile()
    words = [*'<>&"\'`\\/=;{}()[]$#%\0\n\u2028\u202e\u2066\ufeff\x1b\x85', '<!--', '-->', ']]>', '</script>', '<script>', '${', '{{',
             'javascript:', 'onerror=', '<svg/onload=', 'alert(1)', '\U0001f4a3', '&lt;', '\\u003c', 'std::', 'operator', '__proto__']
    known = dict.fromkeys(''.join(chance.choices(words, k=chance.randrange(1, 9))) for _ in range(14000))
    for i, name in enumerate(list(known)[:10000]):
        stack = [profile.location(0, 0, [(name, name[::-1], i + 1)])]
        profile.sample(stack, [1, 1 << 20], 1 << 20)
    path = pathlib.Path(folder) / 'random.pb.gz'
    path.write_bytes(gzip.compress(profile.bytes()))
    return path


def run(script, **environment):
    """Tests of node's, each as one of ours."""
    done = subprocess.run(
        [NODE, '--test', '--test-reporter=tap', HERE / script], capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL, timeout=1700,
        env={**os.environ, 'BINARY': t.binary, 'TESTDATA': str(t.testdata), 'PEERS': str(PEERS),
             'QUANTILES': sys.argv[4], 'ALL': '1' if '--all' in sys.argv[5:] else '', **environment})
    parts = re.split(r'^(?:    )?(not )?ok \d+ - (.*)$', done.stdout, flags=re.M)
    found = list(zip(parts[1::3], parts[2::3], parts[3::3]))
    for failed, name, text in found:
        t.check(name, text.splitlines()[:40] if failed else [])
    figures = re.findall(r'^\s*# (.*\d.*)$', done.stdout, re.M)
    print(*(f'# {figure}' for figure in figures if not re.match(r'(tests|suites|pass|fail|cancelled|skipped|todo|dur)', figure)), sep='\n')
    t.check(f'{script} is through', [] if found and (done.returncode == 0) == (not any(f for f, _, _ in found))
            else [done.stdout[-2000:], done.stderr[-2000:]])


with scratch() as scratch_folder:
    shown = [escaped(name) for name in HOSTILE]
    run('numbers.js')
    run('pages.js', HOSTILE=str(hostile(scratch_folder)), HOSTILE_NAMES=json.dumps(shown),
        RANDOM=str(random_names(scratch_folder)))
t.done()

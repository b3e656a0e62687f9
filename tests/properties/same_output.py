#!/usr/bin/env python3
"""scripts/same-output finds no difference between a build and itself, and finds each change that is put into one."""
import os
import pathlib
import subprocess
import tempfile

from harness import Tests

t = Tests()
SCRIPT = pathlib.Path(__file__).resolve().parent.parent.parent / 'scripts/same-output'
SAMPLE = '--sample=211'
# Each changed build does one thing otherwise than the real one, whose output it passes on.
CHANGES = {'a changed byte': 'sed "s/0/1/"', 'a changed message': 'cat; echo "hprof-agg: warning: more" >&2',
           'a changed status': 'cat; exit 9'}


def compare(new):
    return subprocess.run([SCRIPT, t.binary, new, SAMPLE], capture_output=True, text=True, check=False)


def changed(folder, change):
    path = pathlib.Path(folder, 'hprof-agg')
    path.write_text(f'''#!/bin/sh
case $1 in
help) exec '{t.binary}' "$@" ;;
esac
out=$(mktemp)
'{t.binary}' "$@" >"$out"
status=$?
(cat "$out" | {{ {change}; }})
changed=$?
rm "$out"
[ $status -ne 0 ] || status=$changed
exit $status
''', encoding='utf-8')
    os.chmod(path, 0o755)
    return path


def silent():
    done = compare(t.binary)
    return [] if done.returncode == 0 and done.stdout.endswith(' 0 differences\n') else [done.stdout + done.stderr]


def found(change):
    with tempfile.TemporaryDirectory() as folder:
        done = compare(changed(folder, change))
    return [] if done.returncode == 1 and 'hprof-agg' in done.stdout else [done.stdout + done.stderr]


t.check('a build and itself write the same', silent)
for what, change in CHANGES.items():
    t.check(f'{what} is found', lambda change=change: found(change))
t.done()

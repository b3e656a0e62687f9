#!/usr/bin/env python3
"""A dump that is truncated, damaged or too deep exactly where a window of the reader ends, or a byte before or after,
is reported with the same sentence and line as elsewhere, with any compression.  Lines are counted here.

The same is tested for the builds of HPROF_AGG_BUILDS, which may unpack with another library.
"""
import gzip
import os
import pathlib
import random
import re
import subprocess

from harness import Tests, scratch

t = Tests()
WINDOW = 256 << 10  # HP_INPUT_STREAM_WINDOW
WINDOWS = (1, 17)  # up to 16 windows of gzip are unpacked at once
TOO_DEEP = 65537  # frames
BINARIES = [t.binary, *filter(os.path.exists, filter(None, os.environ.get('HPROF_AGG_BUILDS', '').split(':')))]


def dump():
    rng = random.Random(1)
    frames = [b' 0x%x' % (0x55d1c3a00000 + 16 * i) for i in range(3000)]
    stacks = []
    while sum(map(len, stacks)) < (WINDOWS[-1] + 1) * WINDOW:
        stacks += [b'@%s\n  t*: 1: 1024 [0: 0]\n  t1: 1: 1024 [0: 0]\n' %
                   b''.join(rng.choices(frames, k=rng.randrange(1, 60))) for _ in range(1000)]
    sums = b'%d: %d [0: 0]' % (len(stacks), 1024 * len(stacks))
    return (b'heap_v2/524288\n  t*: %s\n  t1: %s NAME\n' % (sums, sums) + b''.join(stacks) +
            b'\nMAPPED_LIBRARIES:\n55d1c3a00000-55d1c3b00000 r-xp 00000000 fe:00 1 /srv/app\n')


def with_an_end_at(content, boundary):
    """The same content with the name of a thread so long that a line ends just before the boundary."""
    last = content.rindex(b'\n', 0, boundary)
    return content.replace(b'NAME', b'NAME' + b'x' * (boundary - 1 - last), 1)


def line_at(content, offset):
    return content.count(b'\n', 0, offset) + 1


def is_in(content, offset, begin):
    """Whether the byte is in a line that begins with `begin`, after this beginning."""
    start = content.rfind(b'\n', 0, offset) + 1
    return content[offset:offset + 1] != b'\n' and content.startswith(begin, start) and offset > start + len(begin)


def cut(content, at):
    """The content truncated at a place, in a line or after one, and the expected message and status."""
    where = 'in-line' if content[at - 1:at] != b'\n' else 'before-map'
    return content[:at], f':{line_at(content, at)}: damaged-dump: ends-{where}', 5


def damaged(content, at):
    """The content with a byte changed that is in no number; None if the place is after a line."""
    if not is_in(content, at, b'@') and not is_in(content, at, b'  t'):
        return None
    return content[:at] + b'~' + content[at + 1:], f':{line_at(content, at)} input-malformed: ', 0


def too_deep(content, at):
    """The stack that begins before the offset goes on for far more than a window."""
    end = content.index(b'\n', content.rindex(b'\n@', 0, at) + 1)
    says = f':{line_at(content, end)}: stack-too-deep'
    return content[:end] + b' 0x10' * TOO_DEEP + content[end:], says, 7


def variants(folder, content):
    """(compression, path or None for a pipe, bytes for the pipe)"""
    plain, packed = pathlib.Path(folder, 'dump'), pathlib.Path(folder, 'dump.gz')
    plain.write_bytes(content)
    packed.write_bytes(gzip.compress(content, 1, mtime=0))
    zstd = subprocess.run(['zstd', '-qcf', plain], check=True, capture_output=True).stdout
    pathlib.Path(folder, 'dump.zst').write_bytes(zstd)
    return [('plain', plain, None), ('gzip', packed, None), ('zstd', pathlib.Path(folder, 'dump.zst'), None),
            ('pipe', None, content)]


def sentences(text, name):
    """The messages about the file, without its name."""
    return [line.split(name, 1)[1].strip() for line in text.splitlines() if re.search(re.escape(name) + ' ?:', line)]


def faults_of(content, says, code):
    with scratch() as folder:
        faults, first = [], None
        for how, path, fed in variants(folder, content):
            for binary in BINARIES:
                done = subprocess.run([binary, '--message-codes', 'info', '-v', '--no-symbols', path or '-'], input=fed or b'',
                                      capture_output=True, check=False)
                told = sentences((done.stderr + done.stdout).decode(), str(path or 'standard input'))
                first = first or told
                if not any(sentence.startswith(says) for sentence in told) or told != first or \
                        done.returncode != code:
                    faults.append(f'{how}, {binary}: {done.returncode} {told}, not {says}; plain: {first}')
    return faults


def at_each(change, is_aligned):
    """The changes at each boundary, a byte before and a byte after it; a line ends there, or not."""
    changed = []
    for boundary in (WINDOW * number for number in WINDOWS):
        content = with_an_end_at(CONTENT, boundary) if is_aligned else CONTENT
        changed += [change(content, boundary + by) for by in (-1, 0, 1)]
    changed = [case for case in changed if case]
    return t.in_parallel(lambda case: faults_of(*case), changed) or (f'{len(changed)} of them' if changed else ['none'])


CONTENT = dump()
for change, is_aligned in ((cut, False), (cut, True), (damaged, False), (too_deep, False), (too_deep, True)):
    t.check(f'{change.__name__.replace("_", " ")} where a window ends{" with a line" * is_aligned}: one sentence '
            'that names the line', lambda change=change, is_aligned=is_aligned: at_each(change, is_aligned))
t.done()

#!/usr/bin/env python3
"""Return addresses of aarch64, from programs that run there: under qemu, sampled by our own library,
both built by clang.  Handlers of signals return to an anonymous page here, not to libc.

usage: aarch64.py BINARY TESTDATA
"""
import json
import os
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'properties'))
from harness import Tests, scratch  # noqa: E402

SAMPLER = HERE.parent.parent / 'sampler'
CROSS = '/usr/aarch64-linux-gnu'
COMPILER = ['clang', '--target=aarch64-linux-gnu', '-fuse-ld=lld', '-O1', '-g', '-w', '-D_GNU_SOURCE']


def build(folder):
    sampler = [*(SAMPLER / 'core').glob('*.c'), *(SAMPLER / 'preload').glob('*.c')]
    subprocess.run([*COMPILER, '-shared', '-fPIC', '-fvisibility=hidden', f'-I{SAMPLER}', '-o',
                    folder / 'libsampler.so', *sorted(sampler), '-lm', '-ldl'], check=True)
    for name, flags in (('right_builds', ()), ('edited', ('-DEDITED',))):
        subprocess.run([*COMPILER, *flags, '-Wl,--build-id=none', '-o', folder / name,
                        HERE / 'right_builds.c', '-ldl'], check=True)


def sample(folder, what):
    """A dump of a program, at another path than its own."""
    environment = {'PATH': os.environ['PATH'], 'HPROF_SAMPLER': f'name:{folder}/{what},lg_sample:0'}
    subprocess.run(['qemu-aarch64', '-L', CROSS, '-E', f'LD_PRELOAD={folder}/libsampler.so',
                    folder / 'right_builds', what], check=True, env=environment, timeout=300)
    return folder / f'{what}.heap'


def look(dump, *options):
    """(counts of the program's frames, the report)"""
    report = json.loads(t.ok('info', '-q', '-fjson', *options, dump).out)
    row = next(row for row in report['modules'] if row['path'].endswith('/right_builds'))
    return row, report


def follow(folder, what, least, exempt, said):
    row, report = look(sample(folder, what))
    counts = row['return_addresses']
    wrong = counts['not_after_call'] != bool(said) or counts['checked'] < least or \
        row['frames'] - counts['checked'] < exempt or row['symbols'] != 'functions and lines'
    others = [other for other in report['modules'] if other is not row and
              (other['return_addresses'] or {}).get('not_after_call')]
    texts = [text for text in [one['text'] for one in report['warnings']] if 'ran' in text or 'build' in text]
    return [f'{row} {others} {texts}'] if wrong or others or len(texts) != bool(said) or \
        said not in ''.join(texts) else f'{counts["checked"]} of {row["frames"]} frames are counted'


def by_hand(folder):
    """The unwinder continues after the pushed address, so that it is checked; with so few addresses, the names are
    not used."""
    row, report = look(sample(folder, 'fiber'))
    texts = [text for text in [one['text'] for one in report['warnings']] if 'build' in text]
    return [] if row['return_addresses']['not_after_call'] == 1 and len(texts) == 1 and 'another build' in texts[0] else \
        [f'{row} {texts}']


def another_build(folder):
    os.replace(folder / 'edited', folder / 'right_builds')
    row, report = look(folder / 'signals.heap')
    return [] if row['return_addresses']['not_after_call'] >= 2 and any(
        'another build' in text or 'not the binary that was profiled' in text for text in [one['text'] for one in report['warnings']]) else [f'{row}']


def main():
    with scratch() as folder:
        folder = pathlib.Path(folder)
        build(folder)
        t.check('every return address follows a call while a timer sends signals',
                lambda: follow(folder, 'signals', 6, 2, ''))
        t.check('every return address follows a call on stacks of contexts',
                lambda: follow(folder, 'contexts', 1, 0, ''))
        t.check('a hand-made return address is reported as another build', lambda: by_hand(folder))
        t.check('a file of another build is reported', lambda: another_build(folder))
    t.done()


t = Tests(is_of_machine=True)
main()

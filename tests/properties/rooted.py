"""Where hprof-agg looks for binaries and sources in a test: below folders of the test, never in those of the machine,
so that a result does not depend on what is installed.  The harnesses and scripts/run-golden pass each command line
through rooted().

The command jeprof takes no such options: its tests read dumps that are gone(), whose maps name no path of a machine.

A test of programs that it runs is Tests(is_of_machine=True).  A test of files that it makes at the paths in its dump
passes --path-map, or is_rooted=False.  tests/properties/hermetic.py names them, and tests the others.
"""
import atexit
import functools
import gzip
import pathlib
import shutil
import tempfile

# Commands that open no binaries, or take other options.
OTHERS = ('help', 'version', 'manifest', 'digest', 'jeprof', 'doctor')


def until_exit():
    """A new folder, which is removed when the test ends."""
    folder = tempfile.mkdtemp(prefix='hprof-agg-root-')
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@functools.lru_cache(None)
def nothing():
    """An empty folder."""
    return until_exit()


@functools.lru_cache(None)
def gone(source):
    """A copy of a dump, or of a folder with all its files, in which /usr of the maps of dumps is /gone/usr."""
    source = pathlib.Path(source)
    target = pathlib.Path(until_exit(), source.name)
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copy(source, target)
    for path in [target, *target.rglob('*')]:
        content = path.read_bytes() if path.is_file() and '.heap' in path.name else b''
        unpack, pack = (gzip.decompress, gzip.compress) if content.startswith(b'\x1f\x8b') else (bytes, bytes)
        if content:
            dump, title, mapped = unpack(content).partition(b'MAPPED_LIBRARIES:')
            path.write_bytes(pack(dump + title + mapped.replace(b' /usr/', b' /gone/usr/')))
    return target


def rooted(args):
    """The arguments as words; the program looks only below each --symbol-dir, or in an empty folder."""
    words = [str(arg) for arg in args]
    options = words[:words.index('--')] if '--' in words else words
    is_asked = any(word.startswith(('--symbol-dir-', '--path-map')) for word in options)
    opens_none = any(word.startswith('--no-sym') for word in options) and words[0] != 'list'  # list opens sources
    if not words or words[0].startswith('-') or words[0] in OTHERS or is_asked or opens_none:
        return words
    folder = [] if any(word.startswith('--symbol-dir') for word in options) else [f'--symbol-dir={nothing()}']
    return [words[0], *folder, '--symbol-dir-only', *words[1:]]

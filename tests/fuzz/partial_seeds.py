#!/usr/bin/env python3
"""Make or check the seeds of the fuzz target of partials: the program reads them, and they have all kinds of
sections.

usage: partial_seeds.py BINARY TESTDATA [--update]

With --update they are written, which is necessary after a change of the format.
"""
import ctypes
import hashlib
import pathlib
import struct
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / 'properties'), str(HERE.parent / 'interop')]
import hpa_reader  # noqa: E402
from harness import Tests, scratch  # noqa: E402

SEEDS = HERE / 'seeds' / 'partial'
MAGIC = b'\x89HPA\r\n\x1a\n'
VERSION = b'\2\0\0\0'  # major and minor, as the fuzz target writes them
MOST = 16000  # bytes: libFuzzer truncates inputs to 16,384


def unpacked(partial):
    """The blocks of a partial in the form that partial.c reads: section, flags, size in 16 bits, and the bytes."""
    out = b''
    for section, flags, raw in hpa_reader.blocks(partial):
        if section > 0:
            out += struct.pack('<BBH', section, flags, len(raw)) + raw
    return out


def packed(seed):
    out, sha, count, at = bytearray(MAGIC + VERSION), hashlib.sha256(), 0, 0

    def put(section, flags, raw):
        room = ctypes.create_string_buffer(len(raw) + 1000)
        size = hpa_reader.zstd.ZSTD_compress(room, ctypes.c_size_t(len(room)), raw, ctypes.c_size_t(len(raw)), 1)
        head, frame = struct.pack('<HHII', section, flags, len(raw), size), room.raw[:size]
        out.extend(head + frame + struct.pack('<Q', hpa_reader.checksum(head, frame)))

    while at < len(seed):
        section, flags, size = struct.unpack_from('<BBH', seed, at)
        raw, at, count = seed[at + 4:at + 4 + size], at + 4 + size, count + 1
        put(section, flags, raw)
        sha.update(b'' if flags & 2 else struct.pack('<H', section) + raw)
    put(0, 3, struct.pack('<QQ', count, len(out)) + sha.digest() + VERSION)
    return bytes(out)


def sections(seed):
    return {section for section, _, _ in hpa_reader.blocks(packed(seed) if seed[:4] != MAGIC[:4] else seed)}


def many(folder):
    """Write more dumps than are listed individually, as small as possible."""
    for i in range(260):
        path = pathlib.Path(folder, f'{i}.heap')
        path.write_text(f'heap_v2/1\n  t*: 1: {i + 1} [0: 0]\n@ 0x1234\n  t*: 1: {i + 1} [0: 0]\n'
                        f'\nMAPPED_LIBRARIES:\n1000-2000 r-xp 00000000 08:01 77 /a\n{7 + i:x}0000-{7 + i:x}1000 rw-p 0 0:0 0\n')
        yield path


def relative(path, folder):
    """A seed has no path of this machine."""
    return path.relative_to(t.testdata if t.testdata in path.parents else folder)


def made():
    """The expected seeds: {name: bytes}."""
    procs, pprof = t.testdata / 'formats' / 'procs', t.testdata / 'pprof'
    kinds = {
        'processes': [*sorted(procs.glob('*.heap'))[:2], '--label-from=(?<x>procs)/(?<y>[a-z]*)'],
        'series': [*sorted((t.testdata / 'golden' / 'series').glob('*.heap'))[:3], '--dumps=each', '--keep-unmapped'],
        'pprof': [pprof / 'tcmalloc-heap.pb', pprof / 'tcmalloc-lifetimes.pb', pprof / 'rust.pb'],
        'skipped': [pprof / 'node.pb', pprof / 'tcmalloc-heap.txt', '--max-skipped=9'],
        'merged': [t.testdata / 'processes' / 't.1.pb.gz'],
        'threads': [t.testdata / 'golden' / 'procs1.heap', '--by=thread'],
    }
    found = {}
    with scratch() as folder:
        kinds['groups'] = [*many(folder), '--dumps=sum']
        path = pathlib.Path(folder, 'x.hpa')
        for name, words in kinds.items():
            words = [relative(word, folder) if isinstance(word, pathlib.Path) else word for word in words]
            code = t.run('merge', '-q', '-o', path, *words, cwd=folder if name == 'groups' else t.testdata).code
            if code not in (0, 3):
                raise AssertionError(f'{name}: {code}')
            found[name] = unpacked(path.read_bytes())
            if name == 'threads':
                found['packed.hpa'] = path.read_bytes()
    return found


def are_read():
    faults, wanted, had = [], set(), set()
    with scratch() as folder:
        for seed in made().values():
            wanted |= sections(seed)
        for path in sorted(SEEDS.iterdir()):
            seed = path.read_bytes()
            partial = pathlib.Path(folder, 'x.hpa')
            partial.write_bytes(seed if path.suffix == '.hpa' else packed(seed))
            result = t.run('merge', '-q', '-fhpa', '--max-skipped=9', '-o', pathlib.Path(folder, 'y.hpa'), partial)
            if result.code not in (0, 3):
                faults.append(f'{path.name}: {result.code} {result.err.strip()}; --update makes them anew')
            had |= sections(seed)
            faults += [f'{path.name} has {len(seed)} bytes'] if len(seed) > MOST else []
    return faults + [f'none has section {number}' for number in sorted(wanted - had)]


t = Tests()
if '--update' in sys.argv:
    for old in SEEDS.iterdir():
        old.unlink()
    for which, content in made().items():
        (SEEDS / which).write_bytes(content)
t.check('the program reads the seeds of partials, which have all sections', are_read)
t.done()

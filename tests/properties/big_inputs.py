"""Inputs that ask for much: each function gives a dump in pieces, `scale` times as large as
the one that the tests read."""
import gzip
import io
import random
import tarfile

HEAD = b'heap_v2/524288\n  t*: 1: 64 [0: 0]\n'
STACK = b'@ 0x5510\n  t*: 1: 64 [0: 0]\n'
MAPS = b'\nMAPPED_LIBRARIES:\n5000-6000 r-xp 00000000 fe:00 1 /bin/x\n'
PIECE = 1 << 20


def repeated(unit, size):
    """About `size` bytes, in pieces of about a megabyte."""
    piece = unit * max(1, PIECE // len(unit))
    for _ in range(0, size, len(piece)):
        yield piece


def endless_lines():
    """Contexts in which a line of 1 GiB may occur: {name: (text before it, piece that is repeated)}."""
    classic = b'heap profile: 1: 64 [1: 64] @ heap_v2/524288\n'
    return {
        'stack': (HEAD + b'@', b' 0x7fc9268a2630'),
        'counts': (HEAD + b'@ 0x10\n  t*: 1: 64 [0: 0]', b' '),
        'thread name': (HEAD + b'  t1: 1: 64 [0: 0] ', b'name'),
        'unknown': (HEAD + STACK + b'  f:', b' 1'),
        'row of the map': (HEAD + STACK + MAPS + b'7000-8000 r-xp 0 0:0 0 ', b'/path'),
        'period': (b'heap_v2/', b'1'),
        'classic stack': (classic + b'1: 64 [1: 64] @', b' 0x10'),
        'comment': (classic + b'#\t0x10\t', b'name'),
        'name': (b'--- symbol\n0x10 ', b'name'),
    }


def stacks(count):
    """A dump of `count` distinct stacks of 30 frames, half a kilobyte each."""
    r = random.Random(count)
    base = 0x7f0000000000
    tails = [b''.join(b' 0x%x' % (base + r.randrange(1 << 27)) for _ in range(29))
             for _ in range(1000)]
    yield HEAD
    for first in range(0, count, 1000):
        yield b''.join(b'@ 0x%x%s\n  t*: 1: 64 [0: 0]\n' % (base + 16 * (first + i), tail)
                       for i, tail in enumerate(tails))
    yield b'\nMAPPED_LIBRARIES:\n%x-%x r-xp 00000000 fe:00 1 /bin/x\n' % (base, base + (1 << 28))


def maps(scale=1):
    yield HEAD + STACK + b'\nMAPPED_LIBRARIES:\n'
    for first in range(0, 1000000 * scale, 10000):
        yield b''.join(b'%x-%x r-xp 00000000 fe:00 %d /srv/lib/l%d.so\n' %
                       (0x1000 + i * 0x2000, 0x2000 + i * 0x2000, i, i % 5000)
                       for i in range(first, first + 10000))


def maps_backwards(scale=1):
    yield HEAD + STACK + b'\nMAPPED_LIBRARIES:\n'
    for i in range(1000000 * scale, 0, -1):
        yield b'%x-%x r-xp 00000000 fe:00 %d /srv/l.so\n' % (i * 0x2000, (i + 2) * 0x2000, i)


def one_path(scale=1):
    """Many mappings of one path; each offset is smaller than the one before, so that each counts as a separate file."""
    count = 100000 * scale
    yield b'heap_v2/524288\n  t*: %d: %d [0: 0]\n' % (count, 64 * count)
    for first in range(0, count, 10000):
        yield b''.join(b'@ 0x%x\n  t*: 1: 64 [0: 0]\n' % (0x2010 + i * 0x2000)
                       for i in range(first, first + 10000))
    yield b'\nMAPPED_LIBRARIES:\n'
    for first in range(0, count, 10000):
        yield b''.join(b'%x-%x r-xp %x000 fe:00 1 /srv/l.so\n' %
                       (0x2000 + i * 0x2000, 0x3000 + i * 0x2000, count - i)
                       for i in range(first, first + 10000))


def threads(scale=1):
    count = 1000000 * scale
    yield HEAD + b''.join(b'  t%d: 1: 64 [0: 0] worker %d\n' % (i, i) for i in range(count))
    yield b'@ 0x5510\n  t*: %d: %d [0: 0]\n' % (count, 64 * count)
    yield b''.join(b'  t%d: 1: 64 [0: 0]\n' % i for i in range(count))
    yield MAPS


def deep(frames, scale=1):
    """Ten stacks of `frames` frames each, and one of a single frame."""
    r = random.Random(1)
    yield HEAD
    for _ in range(10 * scale):
        yield b'@' + b''.join(b' 0x%x' % r.randrange(1 << 47) for _ in range(frames))
        yield b'\n  t*: 1: 64 [0: 0]\n'
    yield STACK + MAPS


def hashed_alike(scale=1):
    """10^6 addresses, equal in all low bits."""
    yield HEAD
    for i in range(0, 1000000 * scale, 100):
        yield b'@' + b''.join(b' 0x%x' % (j << 40 | 0x551000) for j in range(i, i + 100))
        yield b'\n  t*: 1: 64 [0: 0]\n'
    yield MAPS


def hashed_apart(scale=1):
    r = random.Random(1)
    yield HEAD
    for _ in range(0, 1000000 * scale, 100):
        yield b'@' + b''.join(b' 0x%x' % r.randrange(1 << 60) for _ in range(100))
        yield b'\n  t*: 1: 64 [0: 0]\n'
    yield MAPS


def comments(scale=1):
    """A deep stack of Go's, and a million comments that name none of its frames."""
    yield b'heap profile: 1: 64 [1: 64] @ heap/2\n1: 64 [1: 64] @' + b' 0x1' * 65000 + b'\n'
    yield from repeated(b'#\t0x5\tmain.f+0x1\t/f.go:1\n', 25000000 * scale)


def archive_of_equals(count=800):
    """A tar.gz of dumps that hardly differ, which gzip makes one in 300 of."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode='w') as archive:
        for i in range(count):
            dump = HEAD + b'@ 0x5510\n  t*: 1: %d [0: 0]\n' % (64 + i) + b'\n' * 60000 + MAPS
            member = tarfile.TarInfo(f'{i}.heap')
            member.size = len(dump)
            archive.addfile(member, io.BytesIO(dump))
    return content.getvalue()


def archive_bomb():
    """The start of a tar.gz of one file of 3 GiB."""
    member = tarfile.TarInfo('bomb.heap')
    member.size = 3 << 30
    head = member.tobuf(tarfile.USTAR_FORMAT) + HEAD
    return gzip.compress(head, mtime=0) + gzip.compress(b'\n' * PIECE, 9, mtime=0) * 3072


# --- bombs ------------------------------------------------------------------------------

RATIO = 230  # 3 GiB in 13 MiB


def member(same, other):
    """About a megabyte of `same` with some of other() in it, and what gzip makes of it."""
    lines, text, packed = [], b'', b''
    while len(packed) * RATIO < max(len(text), PIECE):
        lines += [other() for _ in range(5)]
        text = b''.join(lines) + same * (PIECE // len(same))
        packed = gzip.compress(text, 9, mtime=0)
    return text, packed


def bombs():
    """{name: (bytes of a gzip file, how many it holds)}, 3 GiB each and valid so far."""
    r = random.Random(1)

    def stack():
        return b'@%s\n  t*: 1: 64 [0: 0]\n' % b''.join(
            b' 0x%x' % r.randrange(1 << 47) for _ in range(10))

    def row():
        start = r.randrange(1 << 47)
        return b'%x-%x r-xp 00000000 fe:00 1 /bin/x\n' % (start, start + 4096)

    def sample():
        return b'\x12\x0e\x0a\x0a%s\x10\x40' % r.randbytes(10).replace(b'\xff', b'\x01')

    parts = {
        'stacks': (HEAD, STACK, stack),
        'empty lines': (HEAD + STACK, b'\n', stack),
        'rows of the map': (HEAD + STACK + MAPS, row(), row),
        'protobuf': (b'\x0a\x04\x08\x01\x10\x02', b'\x12\x04\x08\x01\x10\x40', sample),
    }
    for name, (head, same, other) in parts.items():
        text, packed = member(same, other)
        count = (3 << 30) // len(text)
        yield name, gzip.compress(head, mtime=0) + packed * count, len(text) * count


# --- worst cases ----------------------------------------------------------------------------

MIXED_PERIODS = (524288, 65536, 4096, 1000003)
USUAL = [0x55d1c3a00000 + 16 * i for i in range(400)]


def dump_of(stacks, depth, draw, period=524288, rows=None):
    body = ''.join(f'@ {" ".join(hex(draw()) for _ in range(depth))}\n  t*: 1: 1024 [0: 0]\n' for _ in range(stacks))
    rows = rows or ['400000-7f0000000000 r-xp 00000000 fe:00 4711   /srv/app']
    return (f'heap_v2/{period}\n  t*: {stacks}: {stacks * 1024} [0: 0]\n{body}\nMAPPED_LIBRARIES:\n' +
            '\n'.join(rows) + '\n')


def worst_cases(scale=1):
    """{name: a dump of some 200 KB}, the usual one among them."""
    rng = random.Random(1)
    lengths = [(1 << 4 * digits) + 0x400000 + 16 * i for digits in range(6, 12) for i in range(70)]
    fresh = iter(range(0x55d1c3a00000, 1 << 60, 16))
    rows = [f'{0x10000000 + i * 0x3000:x}-{0x10000000 + i * 0x3000 + 0x2000:x} r-xp 00000000 fe:00 {i} '
            f'/srv/l{i % 50}.so' for i in range(4000 * scale)]
    return {
        'usual': dump_of(400 * scale, 30, lambda: rng.choice(USUAL)),
        'tokens of other lengths': dump_of(400 * scale, 30, lambda: rng.choice(lengths)),
        'stacks of 1,000 frames': dump_of(12 * scale, 1000, lambda: rng.choice(USUAL)),
        'rows of the map alone': dump_of(1, 30, lambda: rng.choice(USUAL), rows=rows),
        'no frame twice': dump_of(400 * scale, 30, lambda: next(fresh)),
    }


def worst_dumps(count, periods, stacks=20):
    rng = random.Random(2)
    return [dump_of(stacks, 30, lambda: rng.choice(USUAL), period=periods[i % len(periods)]) for i in range(count)]

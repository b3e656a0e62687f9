"""The inputs of bench/run.  Each is made once in its directory, and is the same every time."""
import gzip
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SMALL, STACKS_OF_SMALL, PACKED = 1000, 27, 300  # number of dumps, stacks of each, and number of packed dumps
PROFILES, STACKS_OF_PROFILE = 200, 5000
COPIES = 10              # of each real dump, of as many processes
DEEP, DEPTH = 500, 1000  # stacks, and frames of each
TINY = 80                # stacks of some 50 KB


def aside(make, *arguments):
    """Call a function in a child process: the peak memory of measured commands would otherwise begin at that of this
    one."""
    child = os.fork()
    if child == 0:
        make(*arguments)
        os._exit(0)
    if os.waitpid(child, 0)[1] != 0:
        sys.exit('the inputs could not be made')


def pack(path):
    packed = path.with_name(path.name + '.gz')
    if not packed.exists():
        with open(path, 'rb') as source, gzip.open(packed, 'wb', 6) as target:
            shutil.copyfileobj(source, target)
    return packed


def make_dump(directory, stacks):
    """The dump, and the same packed."""
    dump = directory / 'dump.heap'
    if not dump.exists():
        subprocess.run([sys.executable, HERE / 'make_dump.py', directory, str(stacks)], check=True)
    return dump, pack(dump)


# --- parts of the dump ----------------------------------------------------------------------


def taken_apart(dump):
    """(first line, stacks, memory map)"""
    text = dump.read_text(encoding='ascii')
    body, end = text.index('\n@') + 1, text.index('\nMAPPED_LIBRARIES')
    stacks = re.split(r'\n(?=@)', text[body:end].rstrip('\n'))
    return text[:text.index('\n') + 1], stacks, text[end:]


def moved(text, by):
    """The text with all addresses moved, as if every file had been loaded at another address."""
    return re.sub(r'(?<![0-9a-f])(?:0x)?(5[5-6][0-9a-f]{10}|7f[0-9a-f]{10})(?![0-9a-f])',
                  lambda m: m[0][:-len(m[1])] + f'{int(m[1], 16) + by:x}', text)


def parts(dump, rng, count, stacks_of_each, by_chance):
    first, stacks, maps = taken_apart(dump)
    stacks_of_each = min(stacks_of_each, len(stacks))
    for _ in range(count):
        at = rng.randrange(len(stacks) - stacks_of_each + 1)
        chosen = sorted(rng.sample(range(len(stacks)), stacks_of_each)) if by_chance else \
            range(at, at + stacks_of_each)
        body = '\n'.join(stacks[i] for i in chosen)
        counts = [[int(n) for n in re.findall(r'\d+', line)] for line in re.findall(r'\n  t\*: (.*)', '\n' + body)]
        n, b, m, a = (sum(column) for column in zip(*counts))
        text = f'{first}  t*: {n}: {b} [{m}: {a}]\n  t0: {n}: {b} [{m}: {a}]\n{body}\n{maps}'
        yield moved(text, rng.randrange(1 << 20) << 12)


def fill(folder, make, *arguments):
    """The files of a folder, by name.  A folder that was only partly written is written anew."""
    if not folder.exists():
        half = folder.with_name(folder.name + '.half')
        shutil.rmtree(half, ignore_errors=True)
        half.mkdir()
        aside(make, half, *arguments)
        half.rename(folder)
    return sorted(folder.iterdir())


def make_small(folder, dump):
    for i, text in enumerate(parts(dump, random.Random(3), SMALL, STACKS_OF_SMALL, False)):
        (folder / f'{i:04}.heap').write_text(text, encoding='ascii')


def make_real(folder):
    """The real dumps of the tests, as processes that were loaded elsewhere would have written them."""
    rng = random.Random(7)
    for path in sorted((HERE.parent / 'testdata/real').glob('*.heap.gz')):
        text = gzip.decompress(path.read_bytes()).decode('ascii')
        for i in range(COPIES):
            (folder / f'{path.name[:-len(".heap.gz")]}.{i}.heap').write_text(
                moved(text, rng.randrange(1 << 20) << 12), encoding='ascii')


def pack_some(folder, files):
    for path in files[:PACKED]:
        with open(path, 'rb') as source, gzip.open(folder / f'{path.name}.gz', 'wb', 6) as target:
            shutil.copyfileobj(source, target)


def make_profiles(folder, dump, binary):
    for i, text in enumerate(parts(dump, random.Random(4), PROFILES, STACKS_OF_PROFILE, True)):
        (folder / 'dump').write_text(text, encoding='ascii')
        subprocess.run([binary, 'merge', '--no-symbols', '-q', '-j1', '-o', folder / f'{i:03}.pb.gz', folder / 'dump'],
                       check=True)
    (folder / 'dump').unlink()


def make_single(folder, dump):
    """Write dumps of 50 KB, of deep stacks that have nothing in common, and of a tenth and two tenths of the
    stacks."""
    for name, stacks in (('tiny', TINY), ('tenth', 10000), ('two-tenths', 20000)):
        for text in parts(dump, random.Random(5), 1, stacks, False):
            (folder / name).write_text(text, encoding='ascii')
    rng = random.Random(6)
    with open(folder / 'deep', 'w', encoding='ascii') as file:
        file.write(f'heap_v2/524288\n  t*: {DEEP}: {1024 * DEEP} [0: 0]\n')
        for _ in range(DEEP):
            file.write(f'@ {" ".join(hex(0x400000 + 16 * rng.randrange(100000)) for _ in range(DEPTH))}\n'
                       '  t*: 1: 1024 [0: 0]\n')
        file.write('\nMAPPED_LIBRARIES:\n00400000-40000000 r-xp 00000000 fe:00 4711   /srv/app\n')


# --- the least that it takes ------------------------------------------------------------------


def compiled(directory, name, *flags):
    """A program of this folder; None if it cannot be compiled."""
    program = directory / name
    command = [os.environ.get('CC') or 'cc', '-O2', '-o', program, HERE / f'{name}.c', *flags]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return program if done.returncode == 0 else None


def unpackers(directory):
    """{name: the beginning of its command}"""
    both = compiled(directory, 'inflate', '-DHAS_LIBDEFLATE', '-ldeflate', '-lz')
    if both:
        return {'zlib alone': [both], 'libdeflate alone': [both, '-l']}
    alone = compiled(directory, 'inflate', '-lz')
    return {'zlib alone': [alone]} if alone else {}

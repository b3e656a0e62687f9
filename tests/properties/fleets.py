"""A fleet whose processes are known, for tests of merging: dumps as text."""
import pathlib
import random


class Process:
    """Placed at random, as Linux does it."""

    def __init__(self, r, pid, folder='.', prefix='app'):
        self.pid, self.folder, self.prefix = pid, folder, prefix
        self.program = 0x550000000000 + (r.getrandbits(28) << 12)
        self.shared = 0x7f0000000000 + (r.getrandbits(24) << 12)
        self.stack = 0x7ffc00000000 + (r.getrandbits(20) << 12)

    def fork(self, pid):
        child = Process(random.Random(0), pid, self.folder, self.prefix)
        child.program, child.shared, child.stack = self.program, self.shared, self.stack
        return child

    def dump(self, r, period=1):
        """A dump of the process at a moment, with up to twelve stacks."""
        stacks, total = [], [0, 0]
        for offset in sorted(r.sample(range(0x100, 0x900, 16), r.randint(3, 12))):
            objects, size = r.randint(1, 40), r.choice((16, 48, 4096, 40960, 1 << 20))
            counts = f'{objects}: {objects * size} [{objects + 3}: {(objects + 3) * size}]'
            total = [total[0] + objects, total[1] + objects * size]
            stacks.append(f'@ {self.shared + 0x40 + offset:#x} {self.program + offset:#x}\n'
                          f'  t*: {counts}\n  t0: {counts}\n')
        rows = [(self.program, '/opt/app'), (self.shared, '/lib/libc.so.6'),
                (self.stack + 0x100000, '[vdso]')]
        maps = ''.join(f'{start:x}-{start + 0x1000:x} r-xp 00000000 08:01 77 {path}\n' for start, path in rows)
        maps += f'{self.stack - 0x21000:x}-{self.stack:x} rw-p 00000000 00:00 0 [stack]\n'
        head = f'heap_v2/{period}\n  t*: {total[0]}: {total[1]} [0: 0]\n  t0: {total[0]}: {total[1]} [0: 0]\n'
        return head + ''.join(stacks) + '\nMAPPED_LIBRARIES:\n' + maps

    def name(self, sequence, kind):
        return f'{self.folder}/{self.prefix}.{self.pid}.{sequence}.{kind}.heap'


def fleet(folder, seed, period=1):
    """Write 40 dumps of 8 processes: some are forked, some have pid 1, and one has lost its names; some have an exit
    dump.  Returns the paths by process."""
    r = random.Random(seed)
    first = Process(r, 4711)
    processes = [first, first.fork(4712), first.fork(4713), Process(r, 1, 'a'), Process(r, 1, 'b'),
                 Process(r, 77), Process(r, 77, prefix='other'), Process(r, 0, prefix='renamed')]
    paths = []
    for process in processes:
        own = []
        for i in range(5):
            kind = 'f' if i == 4 and process.pid % 2 else f'i{i}'
            name = process.name(i, kind) if process.pid else f'./{process.prefix}-{i}.txt'
            path = pathlib.Path(folder, name)
            path.parent.mkdir(exist_ok=True)
            path.write_text(process.dump(r, period))
            own.append(path)
        paths.append(own)
    return paths

#!/usr/bin/env python3
"""Dumps of every shape have the totals that this script knows, whatever window of the file
their stacks, threads, thread names and memory maps begin and end in; also through a pipe that
delivers them in pieces."""
import os
import random
import re
import subprocess
import threading

from harness import Tests

t = Tests(is_coded=True)
ROUNDS = 40


def choose(random_, *shapes):
    return random_.choice(shapes)


def make(seed):
    """A dump, the bytes in use, and the number of stacks."""
    r = random.Random(seed)
    stacks = choose(r, 1, 2, 3, 10, 300, 2000, 4000)
    depth = choose(r, 1, 5, 40, 2000 if stacks < 400 else 60)
    threads = 20000 if stacks <= 10 and r.random() < .2 else choose(r, 1, 1, 3, 30)
    rows = choose(r, 1, 10, 3000, 20000)
    names = choose(r, 0, 1, 10, 30000)
    objects = size = 0
    body = []
    for _ in range(stacks):
        frames = (f'0x{0x10000000 + r.randrange(10**6):x}' for _ in range(r.randint(0, depth)))
        lines = [(n, n * 16 * r.randint(1, 4))
                 for n in (r.randint(1, 9) for _ in range(r.randint(1, threads)))]
        total = (sum(n for n, _ in lines), sum(b for _, b in lines))
        objects, size = objects + total[0], size + total[1]
        body.append('@ ' + ' '.join(frames))
        body.append('  t*: %d: %d [0: 0]' % total)
        body += ['  t%d: %d: %d [0: 0]' % (i, *line) for i, line in enumerate(lines)]
    head = ['heap_v2/524288', f'  t*: {objects}: {size} [0: 0]']
    head += [f'  t{i}: 1: 16 [0: 0] thread @ {i}' for i in range(names)]
    maps = ['', 'MAPPED_LIBRARIES:']
    maps += [f'{0x10000000 + i * 0x2000:x}-{0x10001000 + i * 0x2000:x} r-xp 00000000 08:01 5 '
             f'/srv/lib/app{i}' for i in range(rows)]
    return '\n'.join(head + body + maps) + '\n', size, stacks


def run_slowly(content, seed):
    """`info -` fed by a pipe in pieces of odd sizes."""
    r = random.Random(seed)
    process = subprocess.Popen([t.binary, 'info', '-v', '--no-symbols', '--estimator=none', '-'],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)

    def feed():
        at = 0
        while at < len(content):
            piece = r.choice([1, 7, 511, 65537, 300001])
            os.write(process.stdin.fileno(), content[at:at + piece])
            at += piece
        process.stdin.close()
    feeder = threading.Thread(target=feed)
    feeder.start()
    out = process.stdout.read().decode()
    feeder.join()
    return process.wait(), out


def check(seed):
    text, size, stacks = make(seed)
    if seed % 2:
        code, out = run_slowly(text.encode(), seed)
    else:
        result = t.run('info', '-v', '--no-symbols', '--estimator=none', '-', stdin=text.encode())
        code, out = result.code, result.out
    faults = []
    if code != 0:
        faults.append(f'seed {seed}: ended with {code}')
    if f'total inuse-space {size}.000\n' not in out:
        faults.append(f'seed {seed}: {len(text)} bytes, {stacks} stacks: not {size} but '
                      f'{[line for line in out.splitlines() if "total" in line]}')
    if not re.search(rf'^  contents     {stacks} stack{"" if stacks == 1 else "s"}, ', out, re.M):
        faults.append(f'seed {seed}: not {stacks} stacks')
    if 'malformed' in out or 'contradicts' in out:
        faults.append(f'seed {seed}: a sound dump is called faulty')
    return faults


t.check(f'{ROUNDS} dumps of all shapes have their totals',
        lambda: t.in_parallel(check, range(ROUNDS)))


def longest_line():
    """A line may have 16 MiB, but not one byte more: anywhere, and with any division of the text into windows."""
    text = ['heap_v2/524288', '  t*: 1: 16 [0: 0]', '  t1: 1: 16 [0: 0] name', '@ 0x5010',
            '  t*: 1: 16 [0: 0]', '  x:', '', 'MAPPED_LIBRARIES:', '5000-6000: /p', '7000-8000: /p']
    faults = []
    for number in (3, 4, 6, 10):
        for more in (0, 1):
            lines = text[:]
            lines[number - 1] = lines[number - 1].ljust((16 << 20) + more, ' 'if number == 4 else 'x')
            result = t.run('info', '-v', '--no-symbols', '-', stdin='\n'.join(lines + ['']).encode())
            says = f'standard input:{number}: line-too-long\n'
            if result.code != 7 * more or (says in result.err) != bool(more):
                faults.append(f'line {number}, {more} more: ended with {result.code}: {result.err}')
    return faults


t.check('a line of 16 MiB is read, and a longer one is rejected', longest_line)
t.done()

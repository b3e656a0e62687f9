"""pprof, as the tests run it: the third argument of the script, or `go tool pprof`."""
import os
import pathlib
import re
import subprocess
import sys

PPROF = sys.argv[3:4] or ['go', 'tool', 'pprof']


def pprof(*args, folder):
    done = subprocess.run(
        [*PPROF, '-symbolize=none', '-nodecount=1000000', '-nodefraction=0',
         '-edgefraction=0', *map(str, args)], capture_output=True, check=False,
        env={**os.environ, 'PPROF_TMPDIR': folder}, cwd=folder, timeout=120)
    if done.returncode != 0:
        raise AssertionError(f'pprof {args}: {done.stderr.decode()}')
    return done.stdout.decode()


TOP_ROW = re.compile(r'^ *(\d+)(?:B|KiB\^2)? +[\d.]+% +[\d.]+% +(\d+)(?:B|KiB\^2)? +[\d.]+%  (.*?)( \((partial-)?inline\))?$')


def top_of(text):
    """{function: (flat, cum)} and the total that pprof prints."""
    total = int(re.search(r' of (\d+)(?:B|KiB\^2)? total', text)[1])
    rows = [TOP_ROW.match(line) for line in text.split('flat%')[1].splitlines()[1:]]
    return {row[3]: (int(row[1]), int(row[2])) for row in rows}, total


def write_with(tests):
    def write(folder, name, *args, command='merge'):
        path = pathlib.Path(folder) / f'{name}.pb.gz'
        tests.ok(command, '-q', '-o', path, *args)
        return path
    return write

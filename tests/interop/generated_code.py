"""Dumps of generated code, whose functions only perf maps name."""
import gzip
import json
import re

DUMPS = {'python.heap': 'python.map.gz', 'java.heap.gz': 'java.map.gz', 'node.heap.gz': 'node.map'}


def bytes_of(path):
    return gzip.decompress(path.read_bytes()) if path.suffix == '.gz' else path.read_bytes()


def dumps(t, folder):
    """(a dump in the folder, with its perf map beside it; the names that the map gives to its rows)"""
    for pid, (dump, perf) in enumerate(DUMPS.items(), 4711):
        path, beside = folder / f'jeprof.{pid}.0.m0.heap', folder / f'perf-{pid}.map'
        path.write_bytes(bytes_of(t.testdata / 'generated' / dump))
        beside.write_bytes(bytes_of(t.testdata / 'generated' / perf))
        rows = [{row['name'].removesuffix(' [2 names]') for row in json.loads(t.ok('top', '-q', '-n0', '-fjson', '--frames=all', '--no-symbols', *more,
                                                        path).out)['rows']} for more in ([f'--perf-map={beside}'], [])]
        yield path, rows[0] - rows[1]


def named_by(t, folder, read):
    """Faults of another program: functions that it names, too.  read(path) is the set of the names in its rows."""
    for path, names in dumps(t, folder):
        found = read(path)
        if names & found or len(names) < 2 or not found:
            yield f'{path.name}: {sorted(names & found)[:3]} of {len(names)} names, {len(found)} rows'


def as_classic(path):
    """The dump as gperftools would write it, which pprof reads; jemalloc's own form it does not."""
    head, _, maps = path.read_text(errors='replace').partition('\nMAPPED_LIBRARIES:\n')
    stacks = re.findall(r'^@(.*)\n  t\*: (\d+): (\d+) \[', head, re.M)
    count, size = (sum(int(stack[i]) for stack in stacks) for i in (1, 2))
    lines = [f'{n}: {size} [{n}: {size}] @{stack}' for stack, n, size in stacks]
    other = path.with_suffix('.classic')
    other.write_text('\n'.join([f'heap profile: {count}: {size} [{count}: {size}] @ heap_v2/65536', *lines, '',
                                'MAPPED_LIBRARIES:', maps]))
    return other

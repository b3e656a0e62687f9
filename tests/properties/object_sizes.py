#!/usr/bin/env python3
"""Tests the sizes of objects: the parts of a stack add up to it, and rows by size to the total, in all formats, in
any order, with any number of threads.  Sizes that are called certain are true, which is known for objects that are
sampled here, and for those that dumps list individually."""
import collections
import gzip
import itertools
import json
import math
import pathlib
import random
import re
import sys

from harness import METRICS, Tests, near, scratch
from profile_reader import fields

t = Tests()
FILES = [*sorted(t.real.glob('*.gz'))[::3], *sorted((t.testdata / 'golden').glob('*.heap')),
         *(t.formats / name for name in ('go-protobuf.pb.gz', 'go-text.heap', 'jemalloc-clickhouse.heap',
                                         'gperftools-heap_v2.heap', 'gperftools-heapprofile.heap',
                                         'jemalloc-lg0-accum.heap', 'tcmalloc.pb.gz'))]
CLASSES = [16, 48, 96, 224, 512, 1280, 5120, 20480]
PERIOD = 16384
DUMPS = int(sys.argv[3]) if len(sys.argv) > 3 else 150  # sampled, of known truth
MAPS = '\nMAPPED_LIBRARIES:\n10000000-20000000 r-xp 00000000 08:01 5 /srv/lib/app\n'


def report(kind, *args):
    return json.loads(t.ok(kind, '--no-symbols', '-n0', '--format=json', *args).out)


def metrics_of(path):
    """The metrics of memory in use, and those of allocated memory if the input has them."""
    total = report('top', path)['total']
    return [pair for pair in (('inuse-space', 'inuse-objects'), ('alloc-space', 'alloc-objects'))
            if total[pair[0]] is not None and total[pair[1]] is not None]


# --- sums ---------------------------------------------------------------------------------


def parts_of(row):
    return [(part['size'], part['is_likely'], part['objects'], part['bytes']) for part in row['sizes']]


def by_size(rows):
    sums = collections.defaultdict(lambda: [0, 0, False])
    for row in rows:
        for size, likely, objects, space in parts_of(row):
            sums[size][0] += objects
            sums[size][1] += space
            sums[size][2] |= likely and size is not None
    return sums


def tsv_of(path, metric):
    for line in t.ok('stacks', '--no-symbols', '-n0', '-ftsv', f'--metric={metric}', path).out.splitlines()[1:]:
        yield [(None if size == 'mixed' else int(size.lstrip('~')), size == 'mixed' or size[0] == '~',
                float(objects)) for size, objects in
               (part.split(':') for part in line.split('\t')[5].split(',') if part)]


def stacks_add_up(path, space, objects):
    rows = [row for row in report('stacks', f'--metric={space}', path)['rows']
            if row['value'][space]['estimate']]
    for row, tsv in itertools.zip_longest(rows, tsv_of(path, space)):
        parts = parts_of(row)
        for metric, of in ((objects, 2), (space, 3)):
            whole, total = row['value'][metric]['estimate'], sum(part[of] for part in parts)
            if not near(total, whole, 1e-9, .002 * len(parts)):
                yield f'{path.name}: {metric} {whole}, its sizes give {total}: {row["sizes"]}'
        for size, _, n, in_all in parts:
            if size and not near(n * size, in_all, 1e-6, .002 * size):
                if not path.name.startswith('go-'):  # their writer rounds both
                    yield f'{path.name}: {n} x {size} is not {in_all}'
        if [(part[0], part[1], part[2]) for part in parts] != tsv:
            yield f'{path.name}: tsv has {tsv}, json {parts}'


def rows_add_up(path, space, objects):
    told = report('top', '--by=size', f'--metric={space}', path)
    stacks = report('stacks', f'--metric={space}', path)['rows']
    sums, rounding = by_size(stacks), .0006 * len(stacks) + .001
    if {row['size'] for row in told['rows'] if row['flat'][space]['estimate']} != {
            size for size, sum_ in sums.items() if sum_[1]}:
        yield f'{path.name}: rows {[row["size"] for row in told["rows"]]}, stacks have {sorted(map(str, sums))}'
    for row in told['rows']:
        n, in_all, likely = sums[row['size']]
        flat = row['flat']
        if not near(flat[space]['estimate'], in_all, 1e-9, rounding) or (
                not near(row['objects'], n, 1e-8, rounding)):
            yield f'{path.name}: {row["name"]}: {flat[space]}, {row["objects"]}; stacks have {in_all}, {n}'
        if in_all and likely != row['is_likely']:
            yield f'{path.name}: {row["name"]}: is_likely {row["is_likely"]}, of stacks {likely}'
        read = row['sizes']  # as lines were decoded, if they were
        if any(read.values()) and in_all and row['size'] and (
                row['is_likely'] != (read['several'] + read['none'] > 0)):
            yield f'{path.name}: {row["name"]}: is_likely {row["is_likely"]}, read {read}'
        if flat != row['cum']:
            yield f'{path.name}: {row["name"]}: cum is not flat'
    for metric in (space, objects):
        total = math.fsum(row['flat'][metric]['estimate'] for row in told['rows'])
        stacks = told.get('stacks_total', told['total'])[metric]['estimate']
        if not near(total, stacks, 1e-9, rounding):
            yield f'{path.name}: rows give {total} {metric}, the stacks {stacks}'


def text_agrees(path):
    """The rows of text are those of JSON, with ~ where the size is uncertain."""
    rows = report('top', '--by=size', path)['rows']
    text = t.ok('top', '--no-symbols', '--by=size', '-n0', '-q', '--unit=B', path).out.partition('%\n')[0]
    names = re.findall(r'^ .*?([\d,]+)  (~?)([\d,.]+ [KMG]?i?B|\[mixed sizes\])$', text, re.M)
    want = [(f'{math.floor(row["objects"] + .5):,}', '~' * row['is_likely'], row['name']) for row in rows
            if row['flat']['inuse-space']['estimate']]  # others were allocated only
    return [f'{path.name}: text {a}, json {b}' for a, b in itertools.zip_longest(names, want) if a != b]


def sums(path):
    return [fault for pair in metrics_of(path) for kind in (stacks_add_up, rows_add_up)
            for fault in kind(path, *pair)] + text_agrees(path)


BARS = ' ▁▂▃▄▅▆▇█'


def histogram_of(parts, of):
    """The histogram that --columns=sizes draws; both variants of a bar that may be rounded either way."""
    sums, mixed = collections.Counter(), 0
    for part in parts:
        if part[0] is None:
            mixed += part[of]
        else:
            sums[max(0, (part[0] - 1).bit_length() - 3)] += part[of]
    most = max(sums.values(), default=0)
    levels = [8 * sums[power] / most for power in range(min(sums), max(sums) + 1)] if most else []
    return [{BARS[math.ceil(max(0, min(8, level + shift)))] for shift in (-1e-6, 1e-6)} for level in levels], mixed


def lines_of_sizes(path):
    """The sizes of each leaf are the same as those of the stacks with this leaf."""
    for space, objects in metrics_of(path):
        for metric, of in ((space, 3), (objects, 2)):
            told = collections.defaultdict(list)
            for row in report('stacks', '--by=address', '--frames=all', f'--metric={metric}', path)['rows']:
                told[row['frames'][0]] += [part for part in parts_of(row) if part[of] or part[0]]
            for row in report('top', '--by=address', '--frames=all', '--columns=sizes', f'--metric={metric}', path)['rows']:
                parts = told.pop(row['name'], [])
                sizes = {part[0] for part in parts if part[0]}
                bars, mixed = histogram_of(parts, of)
                text, all_ = row['size_histogram'], row['flat'][metric]['estimate']
                if (row['size_least'], row['size_most']) != (min(sizes, default=None), max(sizes, default=None)):
                    yield f'{path.name}: {row["name"]}: {row["size_least"]} to {row["size_most"]}, not {sorted(sizes)}'
                if len(sizes) > 1:
                    drawn = re.sub(r'^~?[^B]*B ', '', text)[:len(bars)]
                    if len(drawn) != len(bars) or not all(a in b for a, b in zip(drawn, bars)):
                        yield f'{path.name}: {row["name"]}: {text}, not {bars}'
                if text.startswith('~') != any(part[1] for part in parts if part[0]):
                    yield f'{path.name}: {row["name"]}: {text} of {parts}'
                if parts and not near((row['size_mixed'] or 0) * all_, mixed, 1e-3, .01):
                    yield f'{path.name}: {row["name"]}: {row["size_mixed"]} of {all_}, not {mixed}'
            if any(part[of] for parts in told.values() for part in parts):
                yield f'{path.name}: no rows of {dict(told)}'


# --- order --------------------------------------------------------------------------------


def same_bytes():
    files = [path for path in FILES if path.suffix == '.heap' or 'redis' in path.name]
    want = {}
    for seed in range(12):
        given = files[:]
        random.Random(seed).shuffle(given)
        for command in (('top', '--by=size'), ('top', '--by=size', '-fjson'), ('stacks', '-fjson')):
            out = t.ok(*command, '--no-symbols', '-n0', '-q', f'-j{1 + seed % 3}', *given).out
            if want.setdefault(command, out) != out:
                yield f'{" ".join(command)}: order {seed} gives another report'


def dump(path, stacks, head='1: 1'):
    lines = ''.join(f'@ {0x10000100 + 16 * leaf:#x} 0x10000010\n  t*: {n}: {space} [0: 0]\n'
                    for leaf, (n, space) in enumerate(stacks))
    path.write_text(f'heap_v2/{PERIOD}\n  t*: {head} [0: 0]\n{lines}{MAPS}')
    return path


def classes():
    for power in range(7, 30):
        yield from ((4 + k) << (power - 2) for k in range(4))


def too_many_sizes_are_mixed():
    """32 sizes are kept separately, but 33 are not, in any order of inputs; the sum stays the same."""
    sizes = list(itertools.islice(classes(), 33))
    with scratch() as folder:
        paths = [dump(pathlib.Path(folder) / f'{i}.heap', [printed([size])])
                 for i, size in enumerate(sizes)]
        for seed in range(6):
            given = paths[:]
            random.Random(seed).shuffle(given)
            less = report('stacks', f'-j{1 + seed % 2}', *given[:32])['rows'][0]
            more = report('stacks', f'-j{1 + seed % 2}', *given)['rows'][0]
            if {part[0] for part in parts_of(less)} != {sizes[int(path.stem)] for path in given[:32]}:
                yield f'32 sizes: {less["sizes"]}'
            if [part[0] for part in parts_of(more)] != [None] or (
                    not near(more['sizes'][0]['bytes'], more['value']['inuse-space']['estimate'], 1e-9)):
                yield f'33 sizes: {more["sizes"]}'


# --- known truth --------------------------------------------------------------------------


def chance(size):
    return -math.expm1(size * math.log1p(-1 / PERIOD))


def printed(sizes):
    """The numbers that jemalloc prints with prof_unbias:true (prof_data.c)."""
    usual = [1 - math.exp(-size / PERIOD) for size in sizes]
    objects = sum(round(8 / p) for p in usual) / 8
    space = sum(round(size / p) for size, p in zip(sizes, usual))
    q = 1 - math.exp(-space / objects / PERIOD)
    return math.floor(objects * q + .5), math.floor(space * q + .5)


def sure_sizes_are_true():
    """Sizes that are called certain are true, for few objects of any sizes, in unbiased and raw numbers."""
    rng, sure = random.Random(16), collections.Counter()
    near_period = [size for size in classes() if size >= PERIOD // 2][:16]
    stacks = [[rng.choice(near_period if i % 2 else list(classes())[:60]) for _ in range(rng.randint(1, 5))]
              for i in range(3000)]
    with scratch() as folder:
        for kind, lines in (('rewritten', [printed(sizes) for sizes in stacks]),
                            ('raw', [(len(sizes), sum(sizes)) for sizes in stacks])):
            head = '1: 1' if kind == 'rewritten' else ': '.join(str(sum(column)) for column in zip(*lines))
            path = dump(pathlib.Path(folder) / f'{kind}.heap', lines, head)
            yield from stacks_add_up(path, 'inuse-space', 'inuse-objects')
            rows = report('stacks', '--by=address', path)['rows']
            if len(rows) != len(stacks):
                yield f'{kind}: {len(rows)} stacks'
            for row in rows:
                sizes = stacks[(int(row['frames'][0].partition('0x')[2], 16) - 0x100) // 16]
                parts = parts_of(row)
                if any(likely for _, likely, _, _ in parts):
                    continue
                sure[kind] += 1
                told = {size: n * chance(size) for size, _, n, _ in parts}
                if set(told) != set(sizes) or any(
                        not near(told[size], sizes.count(size), 1e-4, .002) for size in told):
                    yield f'{kind}: {sizes} is said to be {told}'
    if not (sure['rewritten'] > 1200 and sure['raw'] > 900):
        yield f'only {dict(sure)} of {len(stacks)} are sure'


def listed_sizes_are_true():
    """ClickHouse's dumps list the sampled objects in use with their sizes."""
    path = t.formats / 'jemalloc-clickhouse.heap'
    text = path.read_text(errors='replace')
    period = int(re.match(r'heap_v2/(\d+)', text)[1])
    truth = collections.Counter(int(size) for size in re.findall(r'^  f: \d+ \d+ (\d+)', text, re.M))
    rows = {row['size']: row for row in report('top', '--by=size', path)['rows']}
    if set(rows) != set(truth):
        yield f'rows {sorted(map(str, rows))}, listed {sorted(truth)}'
    for size, n in truth.items():
        objects = n / -math.expm1(size * math.log1p(-1 / period))
        if not near(rows[size]['objects'], objects, 1e-6) or rows[size]['is_likely']:
            yield f'{n} of {size} B are {objects}, told {rows[size]}'


def numbers(packed):
    value = shift = 0
    for byte in packed:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value
            value = shift = 0


def labels_are_sizes():
    """Go's samples have the size of their objects as a label."""
    path = t.formats / 'go-protobuf.pb.gz'
    profile = list(fields(gzip.decompress(path.read_bytes())))
    strings = [value for number, value in profile if number == 6]
    truth = collections.Counter()
    for sample in (list(fields(value)) for number, value in profile if number == 2):
        values = [v for number, value in sample if number == 2
                  for v in ([value] if isinstance(value, int) else numbers(value))]
        for label in (dict(fields(value)) for number, value in sample if number == 3):
            assert strings[label[1]] == b'bytes', label
            truth[label[3]] += values[3]  # inuse_space
    rows = report('top', '--by=size', path)['rows']
    told = {row['size']: round(row['flat']['inuse-space']['estimate']) for row in rows}
    if told != dict(truth) or len(truth) < 3:
        yield f'rows {told}, labels {dict(truth)}'
    if any(row['is_likely'] for row in rows):
        yield 'some are not sure'


def samples_of(path):
    """The locations of each sample, its size or None, and its values."""
    profile = list(fields(gzip.decompress(path.read_bytes())))
    strings = [value for number, value in profile if number == 6]
    for sample in (list(fields(value)) for number, value in profile if number == 2):
        lists = {of: [v for number, value in sample if number == of
                      for v in ([value] if isinstance(value, int) else numbers(value))] for of in (1, 2)}
        labels = {strings[label[1]]: label.get(3) for label in (dict(fields(value)) for number, value in sample if number == 3)}
        yield tuple(lists[1]), labels.get(b'bytes'), [v - (1 << 64) * (v >> 63) for v in lists[2]]


def merged_by_size(path):
    """Samples have a label for each size, with the values of the rows; the stacks are the same as without labels."""
    with scratch() as folder:
        plain, split = pathlib.Path(folder, 'a.pb.gz'), pathlib.Path(folder, 'b.pb.gz')
        t.ok('merge', '-q', '--no-symbols', '-o', plain, path)
        t.ok('merge', '-q', '--no-symbols', '--by=size', '-o', split, path)
        stacks, sizes = [collections.defaultdict(collections.Counter) for _ in range(2)], collections.defaultdict(collections.Counter)
        for at, sums in ((plain, stacks[0]), (split, stacks[1])):
            for places, size, values in samples_of(at):
                sums[places].update(dict(enumerate(values)))
                if at == split:
                    sizes[size].update(dict(enumerate(values)))
    if stacks[0] != stacks[1]:
        yield f'{path.name}: stacks are others'
    rows = {row['size']: row for row in report('top', '--by=size', path)['rows']}
    for size, row in rows.items():
        told = sum(row['flat'][metric]['estimate'] for metric in METRICS if row['flat'][metric])
        if not near(sum(sizes[size].values()), told, 1e-9, 2.5 * len(stacks[0])):
            yield f'{path.name}: {size}: {sum(sizes[size].values())}, not {told}'
    if set(rows) != {size for size, values in sizes.items() if any(values.values())} | ({None} & set(rows)):
        small = {size for size in set(rows) ^ set(sizes) if size in rows and all(
            (rows[size]['flat'][metric] or {'estimate': 0})['estimate'] < len(stacks[0]) for metric in METRICS)}
        if (set(rows) ^ set(sizes)) - small - {None}:
            yield f'{path.name}: rows {sorted(map(str, rows))}, labels {sorted(map(str, sizes))}'


def intervals_hold():
    """Heaps of known objects are sampled here: the interval of each row contains the true value."""
    rng = random.Random(1616)
    held = collections.Counter()
    with scratch() as folder:
        for number in range(DUMPS):
            truth, lines = collections.Counter(), []
            for leaf in range(48):
                size = CLASSES[leaf % len(CLASSES)]
                objects = rng.randint(1, 6 * PERIOD // size + 2)
                truth[size] += objects
                n = sum(rng.random() < chance(size) for _ in range(objects))
                lines += [printed([size] * n)] if n else []
            path = dump(pathlib.Path(folder) / f'{number}.heap', lines)
            rows = {row['size']: row for row in report('top', '--by=size', path)['rows']}
            for size, objects in truth.items():
                flat = rows[size]['flat'] if size in rows else None
                for metric, value in (('inuse-space', size * objects), ('inuse-objects', objects)):
                    inside = flat and flat[metric]['low'] <= value <= flat[metric]['high']
                    held[metric, bool(inside)] += 1
    shares = {metric: held[metric, True] / (held[metric, True] + held[metric, False])
              for metric in METRICS[:2]}
    if any(share < .95 - 2 * (.95 * .05 / (DUMPS * len(CLASSES))) ** .5 for share in shares.values()):
        return [f'95 % intervals hold the truth in {shares}']
    return 'in ' + ', '.join(f'{share:.3f} ({metric})' for metric, share in shares.items())


t.check(f'{len(FILES)} files: sizes add up to their stacks, rows by size to the total, the same in tsv and text',
        lambda: t.in_parallel(sums, FILES))
t.check('--columns=sizes draws the sizes of the stacks of each leaf', lambda: t.in_parallel(lines_of_sizes, FILES))
t.check('merge --by=size labels samples with them', lambda: t.in_parallel(merged_by_size, FILES))
t.check('12 orders on 1 to 3 threads give the same bytes', same_bytes)
t.check('more than 32 sizes of a stack are mixed in any order', too_many_sizes_are_mixed)
t.check('6,000 stacks of 1 to 5 sampled objects: certain sizes are true', sure_sizes_are_true)
t.check('sizes of a dump with a list are those of the list', listed_sizes_are_true)
t.check('sizes of pprof are those of its labels', labels_are_sizes)
t.check(f'{DUMPS} sampled heaps of {len(CLASSES)} sizes: 95 % intervals contain the truth', intervals_hold)
t.done()

#!/usr/bin/env python3
"""Tests pprof profiles: those of Go, those that a writer of our own makes for every rule of the format, and invalid
ones that break a rule."""
import gzip
import json
import pathlib
import random
import re
import subprocess

from harness import Tests, scratch, unpacked
from profile_reader import fields
from profile_writer import Profile, message, number, varint

t = Tests()
GO = t.formats / 'go-protobuf.pb.gz'
GO_TEXT = t.formats / 'go-text.heap'


def small(packed=True):
    p = Profile(packed=packed)
    app = p.mapping('/srv/none/app', 0x400000, 0x500000)
    main = p.location(0x400100, app, [('main', 'main.c', 7)])
    leaf = p.location(0x400200, app, [('inner', 'leaf.h', 3), ('outer', 'leaf.c', 9)])
    bare = p.location(0x400300, app)
    p.sample([leaf, main], [3, 300], 100)
    p.sample([bare, main], [1, 1 << 33], 1 << 33)
    p.sample([leaf, main], [2, 200], 100)
    return p


def with_bytes(content, function):
    with scratch() as directory:
        path = f'{directory}/input'
        with open(path, 'wb') as file:
            file.write(content)
        return function(path)


def folded(content):
    return with_bytes(content, lambda path: t.ok('folded', '--no-symbols', path).folded())


def run(content, *args, **options):
    return with_bytes(content, lambda path: t.run(*args, *['-v'] * ('info' in args), '--no-symbols', path, **options))


# --- what is read ------------------------------------------------------------------------

WANTED = [(['main', 'app@0x301'], 1 << 33), (['main', 'outer', 'inner'], 500)]


def every_form():
    faults = []
    for packed in (True, False):
        for seed in (None, 1, 2, 3):
            plain = small(packed).bytes(seed)
            for content in (plain, gzip.compress(plain), plain + number(99, 5) + message(98, 'x')):
                if sorted(folded(content)) != WANTED:
                    faults.append(f'packed {packed}, order {seed}: {folded(content)}')
    return faults


def samples_first(p):
    """The order of Datadog's libraries: first the samples, then the tables."""
    samples = [part for part in p.parts if part[0] == 2 << 3 | 2]
    rest = [part for part in p.parts if part[0] != 2 << 3 | 2]
    return b''.join(samples + rest + p.head + [message(6, text) for text in p.texts])


def types_far_behind():
    """The types come after more samples than are examined to recognize the format."""
    p = small()
    p.parts += p.parts[-3:] * 20000
    wanted = [(stack, value * 20001) for stack, value in WANTED]
    content = samples_first(p)
    faults = [] if content.index(p.head[0]) > 1 << 20 else ['the types are near']
    for each in content, gzip.compress(content):
        if sorted(folded(each)) != wanted:
            faults.append(f'{folded(each)}')
    if sorted(folded(samples_first(small(packed=False)))) != WANTED:
        faults.append('not packed')
    return faults


def only_samples():
    """A file of samples only is a truncated profile, or none."""
    p = small()
    faults = []
    for content, sentence in (
            (p.parts[-1] * 3 + message(6, ''), 'damaged-pprof-no-types'),
            (samples_first(p)[:len(p.parts[-1]) + 5], 'damaged-pprof: '),
            (message(2, number(1, 7)) * 9, 'not-a-profile'),
            (message(2, number(2, 7), number(4, 7)) * 9, 'not-a-profile'),
            (message(2, number(2, 7), message(1, b'\xff')) * 9, 'not-a-profile'),
            (message(2, number(2, 7), number(3, 7)) * 9, 'not-a-profile')):
        result = with_bytes(content, lambda path: t.run('top', path, is_coded=True))
        if result.code != 5 or sentence not in result.err:
            faults.append(f'{result.code} {result.err!r}, not {sentence!r}')
    return faults


def go_totals():
    """The totals of `go tool pprof -raw` for the file: it truncates the objects of the four samples to integers;
    bytes by sizes are a little more."""
    wanted = {'alloc-objects': 28379, 'alloc-space': 23654246, 'inuse-objects': 27208,
              'inuse-space': 23523062}
    got = t.totals(GO)
    return [f'{metric}: {got[metric]}' for metric, number in wanted.items()
            if not 0 <= got[metric] - number < (4 if metric.endswith('objects') else 1e-9)]


def go_as_text():
    """The same profile as text has the same functions and lines; Go truncates fractions in each line."""
    text, proto = t.totals(GO_TEXT), t.totals(GO)
    faults = [f'{metric}: {text[metric]}, {proto[metric]}' for metric in text
              if not 0 <= text[metric] - proto[metric] < 5]
    tables = []
    for path in (GO_TEXT, GO):
        out = t.ok('top', '--no-symbols', '--by=line', path).out.split('function')[-1]
        tables.append(re.findall(r'^ +[1-9].* ([\d.]+ \w?i?B[*!]?) +(\S+ \S+:\d+)$', out, re.M))
    if tables[0] != tables[1] or len(tables[0]) < 2:
        faults.append(f'intervals and lines: {tables}')
    return faults


def other_types():
    p = Profile((('space', 'bytes'), ('color', 'rgb'), ('objects', 'count')))
    p.sample([p.location(0, 0, [('f', '', 0)])], [640, 0xff, 10])
    got = with_bytes(p.bytes(), t.totals)
    wanted = {'inuse-objects': 10, 'inuse-space': 640, 'alloc-objects': None, 'alloc-space': None}
    return [] if got == wanted else [str(got)]


def other_names():
    """Datadog's names of sample types; the first of two names for one column is used."""
    p = Profile((('alloc-samples', 'count'), ('alloc-space', 'bytes'), ('inuse-objects', 'count'),
                 ('inuse-space', 'bytes'), ('heap-space', 'bytes'), ('resident_space', 'bytes')))
    p.sample([p.location(0, 0, [('f', '', 0)])], [20, 1280, 10, 640, 5, 7])
    q = Profile((('alloc-size', 'bytes'), ('heap-live-samples', 'count'),
                 ('heap-live-size', 'bytes'), ('alloc-samples', 'count')))
    q.sample([q.location(0, 0, [('f', '', 0)])], [1280, 10, 640, 20])
    wanted = {'inuse-objects': 10, 'inuse-space': 640, 'alloc-objects': 20, 'alloc-space': 1280}
    return [f'{got}' for got in (with_bytes(x.bytes(), t.totals) for x in (p, q)) if got != wanted]


def allocations():
    """tcmalloc's profile of allocations differs from that of memory in use only by its default type."""
    both = (('objects', 'count'), ('space', 'bytes'))
    faults = []
    for sign, default, metric in (('TCMallocInternalNew', 'objects', 'alloc'),
                                  ('TCMallocInternalNew', 'space', 'inuse'),
                                  ('TCMallocInternalNew', '', 'inuse'), ('x', 'objects', 'inuse')):
        p = Profile(both)
        p.text(sign)
        p.head.append(number(14, p.text(default)))
        p.sample([p.location(0, 0, [('f', '', 0)])], [10, 1 << 20])
        got = with_bytes(p.bytes(), t.totals)
        if (got[f'{metric}-objects'], got[f'{metric}-space']) != (10, 1 << 20):
            faults.append(f'{sign}, {default}: {got}')
        code = run(p.bytes(), 'top').code
        if code != (5 if metric == 'alloc' else 0):
            faults.append(f'{sign}, {default}: ended with {code}')
    return faults


def columns():
    """Two places in one line stay separate, if only names distinguish them."""
    p = Profile((('inuse_space', 'bytes'),))
    function = p.new_id()
    p.parts.append(message(5, number(1, function), number(2, p.text('f')), number(5, 17)))
    for column, value in ((0, 1), (5, 2), (9, 4)):
        place = p.new_id()
        p.parts.append(message(4, number(1, place), message(
            4, number(1, function), number(2, 3), number(3, column))))
        p.sample([place], [value])
    with scratch() as directory:
        path, out = (pathlib.Path(directory, name) for name in ('x.pb', 'y.pb.gz'))
        path.write_bytes(p.bytes())
        t.ok('merge', '-q', '-o', out, path)
        parts = list(fields(gzip.decompress(out.read_bytes())))
    places = {}
    for field, value in parts:
        if field == 4:
            place = dict(fields(value))
            line = dict(fields(place[4]))
            places[place[1]] = line[2], line.get(3, 0), place.get(3, 0)
    starts = [dict(fields(value)).get(5) for field, value in parts if field == 5]
    found = sorted((places[dict(fields(value))[1][0]], dict(fields(value))[2][0])
                   for field, value in parts if field == 2)
    wanted = [((3, 0, 0), 1), ((3, 5, 0), 2), ((3, 9, 0), 4)]
    return [] if (found, starts) == (wanted, [17]) else [f'{found}, {starts}']


def units():
    """The units that pprof knows."""
    faults = []
    for unit, size in (('byte', 1), ('B', 1), ('kB', 1024), ('KILOBYTES', 1024),
                       ('mbyte', 1 << 20), ('Gigabyte', 1 << 30), ('tb', 1 << 40),
                       ('petabytes', 1 << 50)):
        p = Profile((('inuse_space', unit), ('inuse_objects', 'count')))
        p.head[-2] = message(11, number(1, p.text('space')), number(2, p.text(unit)))
        p.sample([p.location(0, 0, [('f', '', 0)])], [3, 2])
        p.sample([p.location(0, 0, [('g', '', 0)])], [-1, -1])
        got = with_bytes(p.bytes(), t.totals)
        if (got['inuse-space'], got['inuse-objects']) != (2 * size, 1):
            faults.append(f'{unit}: {got}')
        if (size < 1 << 50) != ('no sample period' not in run(p.bytes(), 'info').out):
            faults.append(f'{unit}: the period')
    p = Profile((('inuse_space', 'kB'),))
    p.sample([p.location(0, 0, [('f', '', 0)])], [1 << 53])
    faults += refused(p.bytes(), 'damaged-pprof: sample-value-too-large ')
    for unit in ('bs', 'kilo', 'kilobytess', 'pages', ''):
        p = Profile((('inuse_space', unit),))
        p.sample([p.location(0, 0, [('f', '', 0)])], [1])
        faults += refused(p.bytes(), f'pprof-not-heap: inuse_space {unit}')
    return faults


def columns_that_differ():
    """Metrics that only one of two inputs has cause a warning, but the inputs are not refused."""
    both = (('alloc_objects', 'count'), ('alloc_space', 'bytes'), ('objects', 'count'),
            ('space', 'bytes'))
    with scratch() as directory:
        def write(name, types, values):
            p = Profile(types)
            p.sample([p.location(0, 0, [(name, '', 0)])], values)
            path = f'{directory}/{name}'
            with open(path, 'wb') as file:
                file.write(p.bytes())
            return path

        a = write('a', both, [4, 400, 1, 100])
        b = write('b', both[:2], [8, 800])
        c = write('c', (('inuse_space', 'bytes'),), [16])
        faults = []
        for paths, wanted, sentences in (
                ((a, b), (12, 1200, 1, 100), ['some-without-in-use: 1 2\n']),
                ((a, c), (4, 400, 1, 116), ['some-without-allocated: 1 2 ', 'c  input-without-objects']),
                ((b, c), (8, 800, None, 16), ['some-without-in-use: 1 2\n', 'some-without-allocated: 1 2 '])):
            result = t.codes('info', '-v', '--no-symbols', *paths)
            got = result.totals()
            order = ('alloc-objects', 'alloc-space', 'inuse-objects', 'inuse-space')
            if tuple(got[metric] for metric in order) != wanted:
                faults.append(f'{paths}: {got}')
            faults += [f'{paths}: no {text!r}' for text in sentences if text not in result.out]
        alone = t.run('top', '--no-symbols', b, is_coded=True)
        if alone.code != 5 or 'in-use-not-there' not in alone.err:
            faults.append(f'{alone.code}: {alone.err}')
        shown = t.table('--no-symbols', '--metric=alloc-space', b).rows()
        faults += [] if shown == [(800, 800, 'b')] else [f'{shown}']
        return faults + [fault for path, metrics in ((b, ('alloc-space', 'alloc-objects')),
                                                     (c, ('inuse-space',)))
                         for fault in tells_only(path, metrics)]


def told_by_formats(path, metrics):
    """Formats of all metrics have those, and formats of one are not written of another."""
    value = json.loads(t.ok('speedscope', '-q', '--no-symbols', path).out)
    got = {profile['name'] for profile in value['profiles']}
    faults = [] if got == set(metrics) else [f'speedscope: {got}']
    value = json.loads(t.ok('firefox', '-q', '--no-symbols', path).out)
    faults += [] if len(value['threads']) == len(metrics) else ['firefox']
    out = t.ok('callgrind', '-q', '--no-symbols', path).out
    faults += [] if len(re.search('^events: (.*)', out, re.M)[1].split()) == len(metrics) else [out]
    for name in ('folded', 'dot'):
        result = t.run(name, '-q', '--no-symbols', path, is_coded=True)
        told = result.code == 0 if 'inuse-space' in metrics else \
            result.code == 5 and not result.out and 'in-use-not-there' in result.err
        faults += [] if told else [f'{result}: {result.code}, {result.err}']
    return faults


def tells_only(path, metrics):
    """Metrics that an input does not have are unknown, and not 0."""
    option = f'--metric={metrics[0]}'
    faults = []
    for report in (('info',), ('top', '--confidence=none', option)):
        value = json.loads(t.ok(*report, '-fjson', '--no-symbols', path).out)
        totals = [part['total'] for part in (value, *value.get('rows', ()), *(
            value['inputs'] if report[0] == 'info' else ())) if 'total' in part]
        faults += [f'{report}: {total}' for total in totals
                   if [metric for metric in total if total[metric] is not None] !=
                   sorted(metrics, reverse=True)]
        out = t.ok(*report, '-v', '--no-symbols', path).out
        faults += [f'{out}' for label, metric in (('in use ', 'inuse-space'),
                                                  ('allocated ', 'alloc-space'),
                                                  (' objects\n', metrics[0].replace('space', 'objects')))
                   if (label in out) != (metric in metrics)]
        faults += [out] if 'only 0 of 1' in out else []
    faults += told_by_formats(path, metrics)
    objects = t.run('top', '--no-symbols', option.replace('space', 'objects'), path)
    if (objects.code != 5) != (len(metrics) > 1):
        faults.append(f'{objects}: {objects.code}, {objects.err}')
    return faults


def columns_of(path):
    """The names of its sample types, and that of the default."""
    message = list(fields(gzip.decompress(pathlib.Path(path).read_bytes())))
    strings = [value.decode() for number, value in message if number == 6]
    types = [strings[dict(fields(value))[1]] for number, value in message if number == 1]
    return types, strings[dict(message)[14]]


def columns_kept():
    """A merge has the columns that any input has, so that unknown values stay unknown."""
    names = {'o': ('inuse_objects', 'count'), 'b': ('inuse_space', 'bytes'),
             'O': ('alloc_objects', 'count'), 'B': ('alloc_space', 'bytes')}
    faults = []
    with scratch() as directory:
        def write(columns):
            p = Profile([names[c] for c in columns])
            p.sample([p.location(0, 0, [(columns, '', 0)])], range(8, 8 + len(columns)))
            path = f'{directory}/{columns}'
            pathlib.Path(path).write_bytes(p.bytes())
            return path

        for inputs, wanted in (('OB', 'OB'), ('b', 'b'), ('B', 'B'), ('ob', 'ob'),
                               ('OBb', 'OBb'), ('OB b', 'OBb'), ('B ob', 'Bob'),
                               ('OBob b', 'OBob')):
            paths, merged = [write(name) for name in inputs.split()], f'{directory}/merged'
            t.ok('merge', '-q', '--no-symbols', '--format=pprof', '-o', merged, *paths)
            types, default = columns_of(merged)
            if types != [names[c][0] for c in wanted] or default != names[wanted[-1]][0]:
                faults.append(f'{inputs}: {types}, {default}')
            before, after = (t.run('top', '--no-symbols', *x) for x in (paths, [merged]))
            if before.code != after.code or len(paths) == 1 and (
                    'how many objects' in before.err) != ('how many objects' in after.err):
                faults.append(f'{inputs}: {after.code} {after.err}')
            if t.totals(merged) != t.totals(*paths):
                faults.append(f'{inputs}: {t.totals(merged)}')
        t.ok('merge', '-q', '--with-error', '--format=pprof', '-o', merged, write('OB'))
        if any(name.startswith('inuse') for name in columns_of(merged)[0]):
            faults.append(f'{columns_of(merged)}')
    return faults


def bytes_only():
    """The form of jemalloc_pprof: every mapping covers all memory, and addresses are offsets."""
    p = Profile((('inuse_space', 'bytes'),), period=0)
    a = p.mapping('/srv/none/a', 0, (1 << 64) - 1)
    b = p.mapping('/srv/none/b', 0, (1 << 64) - 1)
    p.sample([p.location(0x1000, a)], [640])
    p.sample([p.location(0x1000, b)], [320])
    result = run(p.bytes(), 'folded', is_coded=True)
    faults = [] if sorted(result.folded()) == [(['a+0x1001'], 640), (['b+0x1001'], 320)] \
        else [str(result.folded())]
    for code in ('input-without-objects', 'input-without-period'):
        faults += [] if code in result.err else [f'no warning: {code}: {result.err}']
    return faults


def untold_objects():
    """If it is unknown which stacks were sampled once, no number for unsampled stacks is shown."""
    p = Profile((('inuse_space', 'bytes'),))
    for i in range(5):
        p.sample([p.location(0x1000 + 16 * i)], [100 << 20])
    faults = []
    for profile, tells in ((p, False), (small(), True)):
        texts = [with_bytes(profile.bytes(), lambda path: t.codes(
            command, '--no-symbols', *more, path).out)
            for command, more in (('top', ['-v']), ('top', ['--format=json']), ('stacks', ()),
                                  ('stacks', ['--format=json']))]
        found = ['not-shown: ' in texts[0], '"unsampled": null' not in texts[1],
                 'seen once' in texts[2], 'seen-once' in texts[3]]
        if found != [tells] * 4:
            faults.append(f'{tells}: {found}')
    return faults


def no_addresses():
    """Without addresses, code is identified by its names, with any ids."""
    one, two = Profile(), Profile()
    for p, first in ((one, 'g'), (two, 'h')):
        p.location(0, 0, [(first, '', 0)])
        p.sample([p.location(0, 0, [('f', 'f.go', 3)])], [1, 100], 100)
    with scratch() as directory:
        for name, p in (('a', one), ('b', two)):
            with open(f'{directory}/{name}', 'wb') as file:
                file.write(p.bytes())
        got = t.ok('stacks', '--no-symbols', '--unit=B', f'{directory}/a', f'{directory}/b').out
    return [] if '200 B' in got and ' f\n' in got else [got]


def unknown_calls():
    """Four locations have no information on the call; a fifth is an address in no mapping, a sixth one in a mapping."""
    p = Profile()
    app = p.mapping('/srv/none/app', 0x400000, 0x500000)
    calls = [p.location(), p.location(calls=[('', '', 0)]), p.location(calls=[('', 'f.c', 3)]),
             p.location(0, app, [('', '', 0)]), p.location(0xdead0000), p.location(0x400300, app, [('', '', 0)])]
    for call in calls:
        p.sample([call, p.location(0x400100, app, [('main', 'main.c', 7)])], [1, 100], 100)
    wanted = [(['main', '[unknown]'], 400), (['main', '[unmapped]'], 100), (['main', 'app@0x301'], 100)]
    faults = []
    with scratch() as directory:
        path, again = pathlib.Path(directory, 'input.pb'), pathlib.Path(directory, 'again.pb.gz')
        path.write_bytes(p.bytes())
        t.ok('merge', '--no-symbols', '-o', again, path)
        for source in (path, again):
            got = t.ok('folded', '--no-symbols', source).folded()
            faults += [] if sorted(got) == sorted(wanted) else [f'{source.name}: {got}']
        for command, by in (('top', 'function'), ('top', 'line'), ('top', 'address'), ('merge', 'function')):
            for name in set(t.formats_of(command)) - {'hpa'}:
                for source in (path, again):
                    out = t.ok(command, f'-f{name}', '--no-symbols', f'--by={by}', source).out_bytes
                    text = unpacked(out).decode('utf-8', 'replace')
                    invented = re.findall(r'\b0x[89a-f][0-9a-f]{15}\b' + r'|\b0x[01]\b' * (name != 'dhat'), text)
                    is_shown = '[unknown]' in text or name in ('pdf', 'html')
                    faults += [] if is_shown and not invented else [f'{command} {name} {by}: {invented} {text[:500]}']
        redacted = t.ok('folded', '--no-symbols', '--redact', again).folded()
        faults += [] if {stack[1] for stack, _ in redacted} >= {'[unknown]', '[unmapped]'} else [f'{redacted}']
    return faults


def names_without_stacks():
    """Names in a profile without stacks are ignored, in any order of the inputs."""
    named, bare = Profile(), Profile()
    for p, calls, values in ((named, [('f', 'f.c', 3)], [0, 0]), (bare, [], [3, 300])):
        app = p.mapping('/srv/none/app', 0x400000, 0x500000)
        p.sample([p.location(0x400100, app, calls)], values, 100)
    with scratch() as directory:
        paths = [f'{directory}/a', f'{directory}/b']
        for path, p in zip(paths, (named, bare)):
            with open(path, 'wb') as file:
                file.write(p.bytes())
        found = [t.ok('folded', '-j1', '--no-symbols', *order).folded()
                 for order in (paths, paths[::-1])]
    return [] if found == [[(['app@0x101'], 300)]] * 2 else [f'{found}']


def names_at_one_address():
    """Locations with different names stay separate, in one file and in two, at any address."""
    def tree(*profiles):
        with scratch() as directory:
            for i, p in enumerate(profiles):
                pathlib.Path(directory, str(i)).write_bytes(p.bytes())
            result = t.table('--no-symbols', '--by=line', '--names=full',
                             *(f'{directory}/{i}' for i in range(len(profiles))))
            return sorted((name, flat) for flat, _, name in result.rows()), result.out

    def of(places, mapped):
        """Samples of 100, 200, ... bytes at (address, names)."""
        p = Profile()
        app = p.mapping('/srv/none/app', 0x400000, 0x500000) if mapped else 0
        for i, (address, calls) in enumerate(places, 1):
            p.sample([p.location(address, app, calls)], [1, 100 * i])
        return p

    f, g, other = [('f', 'f.c', 1)], [('g', '', 0)], [('f', 'f.c', 2)]
    mangled = [('f', 'f.c', 1, '_Z1fi')]
    faults = []
    for profiles, wanted in (
            ([of([(0x400100, f), (0x400100, g), (0x400100, f), (0x400100, other)], mapped)
              for mapped in (False, True)],
             [('f f.c:1', 800), ('f f.c:2', 800), ('g', 400)]),
            ([of([(1, f), (2, g)], False), of([(1, g), (2, f)], False)],
             [('f f.c:1', 300), ('g', 300)]),
            ([of([(0x400100, f), (0x400100, mangled)], True)],
             [('f f.c:1', 100), ('f(int) f.c:1', 200)]),
            # Locations without names are identified by their place, and get the names that others give to the place.
            ([of([(0x400100, f), (0x400100, []), (0x400200, [])], True)],
             [('app@0x201', 300), ('f f.c:1', 300)]),
            ([of([(0x400100, []), (0x400200, [('', '', 0)])], False)],
             [('0x400101', 100), ('0x400201', 200)])):
        rows, out = tree(*profiles)
        if rows != wanted or 'different names' in out:
            faults.append(f'{wanted}, not {rows}: {out}')
    return faults


def binary_of(program):
    notes = subprocess.run(['readelf', '-n', program], check=True, capture_output=True, text=True)
    return re.search(r'Build ID: (\w+)', notes.stdout)[1]


def executable_rows_alone():
    """A profile does not need all rows of a map: those of code are enough to recognize the build."""
    dump, symbols = t.testdata / 'golden' / 'procs1.heap', f'--symbol-dir={t.root}'
    wanted = [name for _, _, name in t.table(symbols, dump).rows() if '+0x' not in name]
    with scratch() as folder:
        path = f'{folder}/x.pb.gz'
        t.ok('merge', '-q', '--no-symbols', '-o', path, dump)
        found = [name for _, _, name in t.table(symbols, path).rows() if '+0x' not in name]
    return [] if found == wanted and 'leaf_mixed' in found else [f'{found}, not {wanted}']


def build_ids():
    """The one of the binary: its names; another: those of the profile."""
    build_id = binary_of(t.formats / 'alloc_c')
    dump = (t.formats / 'jemalloc-default-lg19.heap').read_text()
    start = int(re.search(r'^(\w+)-\w+ r-xp .*/alloc_c$', dump, re.M)[1], 16)
    faults = []
    for known, wanted in ((build_id, r' leaf_big /\S+/alloc_c\.c:\d+$'),
                          (build_id[::-1], r' told x\.c:1$'), ('../../../etc', r' told x\.c:1$')):
        p = Profile()
        app = p.mapping('/srv/corpus/formats/alloc_c', start, start + 0x1000, 0x1000, known)
        p.sample([p.location(start + 0x29d, app, [('told', 'x.c', 1)])], [1, 1 << 20], 1 << 20)
        got = with_bytes(p.bytes(), lambda path: t.ok('top', '--by=line', path,
                                                      f'--symbol-dir={t.root}').out)
        if not re.search(wanted, got, re.M):
            faults.append(f'{known}: {got}')
    return faults


def go_symbols():
    info = t.ok('info', '-v', '--no-symbols', GO).out
    return [] if 'build id     874161b8d7fc45503a3d0a0d1e5706c87101359c' in info else [info]


def writer():
    """The producer is recognized, as far as the profile shows it."""
    def known_by(sign, profile=None):
        p = profile or small()
        p.text(sign)
        out = run(p.bytes(), 'info').out
        return re.search(r'written by +(.*)', out)[1] if 'written by' in out else None

    jemalloc = Profile((('inuse_space', 'bytes'),))
    jemalloc.mapping('/srv/none/a', 0, (1 << 64) - 1)
    jemalloc.sample([jemalloc.location(0x1000)], [640])
    go = small()
    go.sample([go.location(0, 0, [('runtime.main', '', 0)])], [1, 8])
    got = [known_by('none'), known_by('made by hprof-agg 0.1'), known_by('TCMallocInternalNew'),
           known_by('x', jemalloc), known_by('x', go)]
    want = [None, 'hprof-agg', 'tcmalloc', 'jemalloc_pprof', 'Go']
    return [] if got == want else [f'{got}']


# --- what is not ---------------------------------------------------------------------------


def refused(content, message):
    result = run(content, 'top', is_coded=True)
    if result.code != 5 or result.out or message not in result.err:
        return [f'{message}: ended with {result.code}: {result.err}']
    return []


def broken():
    def profile(change):
        p = small()
        change(p)
        return p.bytes()

    def missing_string(p):
        p.parts.append(message(3, number(1, 77), number(5, 1000)))

    def missing_mapping(p):
        p.location(1, 1000)

    def twice(p):
        p.parts.append(p.parts[0])

    def no_id(p):
        p.parts.append(message(4, number(3, 5)))

    def missing_function(p):
        p.parts.append(message(4, number(1, 78), message(4, number(1, 1000))))

    def times(p):
        p.parts += [number(9, 5), number(9, 6)]

    faults = []
    for change, sentence in (
            (lambda p: p.sample([1000], [1, 8]), 'sample-location-missing'),
            (lambda p: p.sample([], [1]), 'sample-few-values'),
            (lambda p: p.sample([], [1, 8, 3]), 'sample-many-values'),
            (missing_string, 'string-missing'),
            (missing_mapping, 'mapping-missing'), (twice, 'entry-id-twice'),
            (no_id, 'entry-without-id'), (missing_function, 'function-missing'),
            (lambda p: p.parts.append(number(14, 1000)), 'string-missing'),
            (times, 'two-profiles'),
            (lambda p: p.texts.__setitem__(0, 'x'), 'first-string-not-empty'),
            (lambda p: p.parts.append(b'\x0b'), 'proto-type-unknown'),
            (lambda p: p.parts.append(varint(1 << 40)), 'proto-field-without-number'),
            (lambda p: p.parts.append(number(2, 5)), 'proto-bytes-expected'),
            (lambda p: p.parts.append(message(12, 'abc')), 'proto-number-expected'),
            (lambda p: p.parts.append(b'\x60' + b'\xff' * 9 + b'\x7f'), 'proto-number-too-large'),
            (lambda p: p.parts.append(message(4, number(1, 79), b'\x22\x7f')),
             'proto-field-too-long')):
        faults += refused(profile(change), sentence)
    cpu = Profile((('samples', 'count'), ('cpu', 'nanoseconds')))
    cpu.sample([], [1, 10])
    faults += refused(cpu.bytes(), 'pprof-not-heap: cpu nanoseconds')
    return faults


def cut():
    """A profile that is truncated anywhere is refused: names come after their uses."""
    whole = small().bytes()
    def check(size):
        result = run(whole[:size], 'info')
        return [] if result.code == 5 else [f'cut at {size}: {result.code}']
    return t.in_parallel(check, range(len(whole)))


def flipped():
    """No crash, and a report only with numbers that the file then holds."""
    whole, rng = gzip.decompress(GO.read_bytes()), random.Random(33)
    def check(seed):
        content = bytearray(whole)
        for _ in range(1 + seed % 3):
            content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        result = run(bytes(content), 'top')
        return [] if result.code in (0, 5, 7) else [f'{seed}: {result.code} {result.err}']
    return t.in_parallel(check, range(300))


t.check("Go's profile has the totals of pprof", go_totals)
t.check("Go's profile has the functions, lines and intervals of the same profile as text", go_as_text)
t.check("Go's profile names the build of the program", go_symbols)
t.check('the program that wrote a profile is recognized', writer)
t.check('packed, reordered and compressed profiles give one report', every_form)
t.check('samples before their types are read', types_far_behind)
t.check('samples without types are rejected', only_samples)
t.check('objects and space are found in any order, among other types', other_types)
t.check('columns with other names are found', other_names)
t.check("a profile of allocations of tcmalloc is read", allocations)
t.check('bytes are found by their unit', units)
t.check('places that only columns distinguish stay separate', columns)
t.check('inputs with different columns are merged', columns_that_differ)
t.check('a merged profile has only columns of its inputs', columns_kept)
t.check('bytes without objects and mappings of all memory are read', bytes_only)
t.check('bytes without objects give no number for unsampled stacks', untold_objects)
t.check('locations without addresses are identified by their names', no_addresses)
t.check('H13: a call without address, name and file is [unknown] in every format', unknown_calls)
t.check('names of a profile without stacks are ignored in any order of inputs', names_without_stacks)
t.check('locations with one address and several names stay separate', names_at_one_address)
t.check('only a binary of the recorded build is used', build_ids)
t.check('a binary is recognized by the rows of its code', executable_rows_alone)
t.check('R33: a profile that breaks a rule is rejected with a message', broken)
t.check('R33: a profile truncated at any byte is rejected', cut)
t.check('R33: a profile with flipped bits ends in a report or a message', flipped)
t.done()

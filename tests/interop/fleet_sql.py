#!/usr/bin/env python3
"""DuckDB reads the tables of hprof-agg rows through share/fleet/duckdb.sql: each dump once, however often it was
written, the numbers and intervals of the reports, and the texts as they are.

usage: fleet_sql.py BINARY TESTDATA PEERS HPROF_SIM [--full]

PEERS is the folder that ./check --peers makes. --full tries the test for regressions on 20 and 400 fleets; it takes
some minutes.
"""
import json
import math
import pathlib
import random
import shutil
import subprocess
import sys
import tarfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'properties'))
sys.path.insert(0, str(pathlib.Path(sys.argv[3]).resolve() / 'python'))
import duckdb  # noqa: E402
from harness import Tests, hostile_dump, scratch  # noqa: E402

t = Tests()
SQL = (HERE.parents[1] / 'share' / 'fleet' / 'duckdb.sql').read_text()
LABELS = r'(?<zone>zone-\d+)/(?<service>[a-z]+)/(?<version>[0-9.]+)/(?<host>h\d+)'
IS_FULL = '--full' in sys.argv


def load(folder):
    engine = duckdb.connect()
    engine.execute('SET threads = 1')
    engine.execute(f"SET VARIABLE fleet = '{folder}'")
    engine.execute(SQL)
    return engine


def ask(engine, query, *values):
    return engine.execute(query, list(values)).fetchall()


def one(engine, query, *values):
    return ask(engine, query, *values)[0]


def write(folder, inputs, *options):
    t.ok('rows', '-q', '-o', folder, *options, *inputs)


def fleet(folder, seed=3, hosts=300):
    """Dumps of a simulated fleet; their folder."""
    with subprocess.Popen([sys.argv[4], 'fleet', str(seed), '0', str(hosts)], stdout=subprocess.PIPE) as process:
        with tarfile.open(fileobj=process.stdout, mode='r|') as tar:
            tar.extractall(folder, filter='data') if hasattr(tarfile, 'data_filter') else tar.extractall(folder)
    return folder


def report(*args):
    return json.loads(t.ok(*args, '-q', '-f', 'json', '--no-symbols', '-n0').out)


# --- the numbers of the reports ----------------------------------------------------------


def close(ends, true, samples):
    """Whether both ends of an interval are those of a report, but for the closed form of the quantile."""
    width = true['high'] - true['low']
    most = .001 if samples >= 10 else .01
    return width == 0 or all(abs(end - true[key]) <= most * width for end, key in zip(ends, ('low', 'high')))


def numbers():
    faults, intervals = [], 0
    with scratch() as folder:
        inputs = fleet(f'{folder}/dumps')
        write(f'{folder}/fleet', [inputs], f'--label-from={LABELS}')
        engine = load(f'{folder}/fleet')
        total = report('top', inputs)
        dumps, whole, *ends = one(engine, "SELECT dumps, bytes, low, high FROM totals WHERE key = ''")
        if abs(whole - total['total']['inuse-space']['estimate']) > .5 * dumps or not close(
                ends, total['total']['inuse-space'], 100):
            faults.append(f'total {whole} {ends}, not {total["total"]["inuse-space"]}')
        stacks, = one(engine, 'SELECT count(DISTINCT stack) FROM rows SEMI JOIN latest USING (dump)')
        if stacks != total['inputs']['stacks']:
            faults.append(f'{stacks} stacks, not {total["inputs"]["stacks"]}')
        for key in ('service', 'version', 'zone', 'host'):
            # Rows of reports are sums of stacks: the total of a dump, by its header, is in `dumps` only.
            found = {value: rest for value, *rest in ask(engine, '''
                SELECT labels[?], count(*), sum(r.inuse_bytes),
                    hp_low(sum(r.inuse_bytes), sum(r.inuse_variance), sum(r.inuse_excess), sum(r.inuse_certain)),
                    hp_high(sum(r.inuse_bytes), sum(r.inuse_variance), sum(r.inuse_hidden), sum(r.inuse_certain),
                            max(r.period))
                FROM rows AS r JOIN latest USING (dump) GROUP BY 1''', key)}
            for row in report('top', f'--by=label:{key}', f'--label-from={LABELS}', inputs)['rows']:
                true, (count, bytes_, *ends) = row['flat']['inuse-space'], found[row['name']]
                intervals += 2
                if abs(bytes_ - true['estimate']) > .5 * count or not close(ends, true, row['effective_samples']):
                    faults.append(f'{key} {row["name"]}: {bytes_} {ends}, not {true}')
        found = {name: rest for name, *rest in ask(engine, 'SELECT function, flat, flat_low, flat_high, cum FROM by_function')}
        counts = dict(ask(engine, '''SELECT f, count(*) FROM rows JOIN latest USING (dump) JOIN stacks USING (stack),
                                     unnest(list_distinct(functions)) AS u(f) GROUP BY f'''))
        for row in total['rows']:
            flat, *ends, cum = found[row['name']]
            true = row['flat']['inuse-space']
            if abs((flat or 0) - true['estimate']) > .5 * counts[row['name']]:
                faults.append(f'{row["name"]}: {flat}, not {true}')
            if flat and true['estimate'] and not close(ends, true, row['effective_samples']):
                faults.append(f'{row["name"]}: {ends}, not {true}')
            intervals += 2 if flat else 0
        for row in report('top', '--frames=all', inputs)['rows']:
            cum = found[row['name']][3]
            if abs(cum - row['cum']['inuse-space']['estimate']) > .5 * counts[row['name']]:
                faults.append(f'cum of {row["name"]}: {cum}')
    return faults or f'{intervals} ends of intervals, {stacks} stacks'


# --- each dump once ----------------------------------------------------------------------


def once():
    faults = []
    with scratch() as folder:
        inputs = sorted(pathlib.Path(fleet(f'{folder}/dumps', 4, 60)).rglob('*.heap'))
        write(f'{folder}/whole', inputs)
        query = ('SELECT count(*), count(DISTINCT dump), count(DISTINCT stack), sum(inuse_bytes), sum(inuse_samples) '
                 'FROM rows JOIN stacks USING (stack)')
        whole, function = load(f'{folder}/whole'), 'SELECT function, flat, cum FROM by_function ORDER BY ALL'
        split = f'{folder}/split'
        for count in (4, 16):
            for i in range(count):
                write(split, inputs[i::count])
        for _ in range(2):
            write(split, inputs[::4])
        killed = f'{folder}/killed'
        write(killed, inputs)
        for name in ('rows', 'stacks'):
            for path in pathlib.Path(killed, name).iterdir():
                shutil.copy(path, pathlib.Path(split, name, f'00{path.name[2:]}'))
        engine = load(split)
        for what in (query, function, 'SELECT count(*), sum(inuse_bytes) FROM latest',
                     'SELECT path, inuse_bytes FROM latest ORDER BY ALL'):
            if ask(whole, what) != ask(engine, what):
                faults.append(f'{what}: {ask(engine, what)[:3]}, not {ask(whole, what)[:3]}')
        plain, = one(engine, f"SELECT count(*) FROM read_json('{split}/rows/*', format = 'newline_delimited', "
                             "columns = {'dump': 'VARCHAR'})")
        if plain <= 2 * one(whole, 'SELECT count(*) FROM rows')[0]:
            faults.append(f'nothing was there twice: {plain} rows')
        chosen = {row[0] for row in ask(whole, 'SELECT path FROM latest')}
        used = set(t.ok('info', '-q', '--used', *inputs).out.splitlines())
        if chosen != used:
            faults.append(f'{len(chosen - used)} other dumps are the latest ones')
    return faults


# --- traps of engines --------------------------------------------------------------------


def traps():
    faults = []
    with scratch() as folder:
        out = pathlib.Path(folder, 'out')
        inputs = [t.formats / 'jemalloc-lg0-accum.heap', t.formats / 'jemalloc-default-lg19.heap']
        odd = pathlib.Path(folder, "order by 1; --'x")
        odd.mkdir()
        path = hostile_dump(t, odd, b'/srv/a\tb"c\\d,[e]\xff\xfe{f}\x01')
        inputs.append(path)
        write(out, inputs, '--format=ndjson', r'--label-from=/(?<select>[^/]+)/[^/]+$')
        # A batch of another version of this program, which has one more column, and in which 30,000 whole
        # numbers come before the first fraction.
        dump = json.loads(next((out / 'dumps').iterdir()).read_text().splitlines()[0])
        row = json.loads(next((out / 'rows').iterdir()).read_text().splitlines()[0])
        other = dump | {'dump': '0' * 16, 'process': '0' * 16, 'later': [1]}
        (out / 'dumps' / f'{"0" * 16}.ndjson').write_text(json.dumps(other) + '\n')
        with open(out / 'rows' / f'{"0" * 16}.ndjson', 'w') as file:
            for i in range(30001):
                file.write(json.dumps(row | {'dump': '0' * 16, 'stack': f'{i:016x}', 'later': 'x', 'inuse_bytes': 1,
                                             'inuse_objects': 1.5 if i == 30000 else 1.0}) + '\n')
        engine = load(out)
        if one(engine, 'SELECT count(*), sum(inuse_objects) FROM rows WHERE dump = ?', '0' * 16) != (30001, 30001.5):
            faults.append('fractions after whole numbers')
        known = [count for count, in ask(engine, 'SELECT count(alloc_bytes) FROM rows GROUP BY dump')]
        if known.count(0) != 1 or len(known) != 4:
            faults.append(f'rows with allocated bytes: {known}')
        texts = {json.dumps(row['modules']) for path in (out / 'stacks').iterdir()
                 for row in map(json.loads, path.read_text().splitlines())}
        read = {json.dumps(modules) for modules, in ask(engine, 'SELECT modules FROM stacks')}
        if texts != read or not any('\\t' in text and 'xff' in text for text in texts):
            faults.append('names of modules')
        if (odd.name,) not in ask(engine, "SELECT labels['select'] FROM dumps"):
            faults.append('labels with SQL in them')
        if one(engine, 'SELECT count(*) FROM totals WHERE key = ? AND value = ?', 'select', odd.name) != (1,):
            faults.append('totals by such a label')
    return faults


# --- the ten questions -------------------------------------------------------------------


def questions():
    """Every query of the how-to has an answer."""
    faults, text = [], (HERE.parents[1] / 'docs' / 'howto' / 'fleet-sql.md').read_text()
    queries = [part.partition('```')[0] for part in text.split('```sql\n')[1:]]
    with scratch() as folder:
        write(f'{folder}/fleet', [fleet(f'{folder}/dumps')], f'--label-from={LABELS}')
        engine = load(f'{folder}/fleet')
        for query in queries:
            try:
                rows = ask(engine, query)
            except duckdb.Error as err:
                faults.append(f'{query}: {err}')
                continue
            if not rows and not any(word in query for word in ('outliers', 'regressions', 'since')):
                faults.append(f'{query}: nothing')
    return faults or f'{len(queries)} queries'


# --- regressions -------------------------------------------------------------------------

FUNCTIONS, SAMPLES, PERIOD = 200, 20, 524288


def poisson(r, mean):
    """A Poisson number; by the normal distribution if it is large."""
    if mean > 60:
        return max(0, round(r.gauss(mean, math.sqrt(mean))))
    count, product, limit = 0, r.random(), math.exp(-mean)
    while product > limit:
        count, product = count + 1, product * r.random()
    return count


def found(engine, seed, sizes, factor):
    """The functions that are named in a fleet of processes that differ by a third, with one function changed."""
    r = random.Random(seed)
    dumps, rows = [], []
    for side, count in enumerate(sizes):
        for i in range(count):
            dump, scale = f'{side}{i:015x}', r.lognormvariate(0, .3)
            dumps.append((dump, ('old', 'new')[side]))
            for f in range(FUNCTIONS):
                mean = SAMPLES * scale * r.lognormvariate(0, .2) * (factor if side and f == 7 else 1)
                samples = poisson(r, mean)
                rows += [(dump, f'{f:016x}', samples * PERIOD)] if samples else []
    text = ','.join(f"('{dump}',MAP{{'version':'{version}'}})" for dump, version in dumps)
    engine.execute(f'''CREATE OR REPLACE VIEW latest AS SELECT *, {PERIOD} AS period FROM (VALUES {text}) AS v(dump, labels)''')
    rows = ','.join(f"('{dump}','{stack}',{bytes_})" for dump, stack, bytes_ in rows)
    engine.execute(f'CREATE OR REPLACE TABLE rows AS SELECT * FROM (VALUES {rows}) AS v(dump, stack, inuse_bytes)')
    return {name for name, in ask(engine, "SELECT function FROM regressions('version', 'old', 'new') WHERE q < .05")}


def regressions():
    faults = []
    with scratch() as folder:
        write(f'{folder}/o', [t.formats / 'jemalloc-lg0-accum.heap'])
        engine = load(f'{folder}/o')
        values = ','.join(f"('{f:016x}','f{f}')" for f in range(FUNCTIONS))
        engine.execute(f'CREATE OR REPLACE TABLE stacks AS SELECT * FROM (VALUES {values}) AS v(stack, leaf)')
        seeds = 20 if IS_FULL else 3
        named = sum('f7' in found(engine, seed, (20, 20), 3) for seed in range(seeds))
        if named < (seeds * 19 + 19) // 20:
            faults.append(f'a tripled function is named in {named} of {seeds} fleets')
        wrong = {}
        for sizes in ((10, 10), (5, 20)):
            fleets = 200 if IS_FULL else 4
            wrong[sizes] = sum(bool(found(engine, 1000 + seed, sizes, 1)) for seed in range(fleets))
            if wrong[sizes] > max(fleets // 20, 2):
                faults.append(f'{wrong[sizes]} of {fleets} fleets of {sizes} without a change')
        found(engine, 1, (4, 20), 3)
        if ask(engine, "SELECT count(p) FROM regressions('version', 'old', 'new')") != [(0,)]:
            faults.append('p with 4 processes on a side')
    return faults or f'{named} of {seeds} changes named, without a change {wrong}'


t.check('sums and intervals are those of reports', numbers)
t.check('each dump is loaded once', once)
t.check('traps of database engines', traps)
t.check('the questions of the how-to have answers', questions)
t.check('regressions are found where there are any', regressions)
t.done()

#!/usr/bin/env python3
"""The recipes of contrib/fleet, for real: GNU parallel, and the functions of the Spark script, run by
stand-ins for Spark's.  However a fleet is cut, and whatever fails on the way, the partial has the bytes
that one command writes, or there is none and the status says why.

usage: fleet.py BINARY TESTDATA HPROF_SIM [DUMPS]
"""
import functools
import importlib.util
import itertools
import os
import pathlib
import re
import stat
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'properties'))
from harness import Tests, scratch  # noqa: E402

CONTRIB = pathlib.Path(__file__).resolve().parents[2] / 'contrib' / 'fleet'
SEED = 5


def load_spark():
    found = importlib.util.spec_from_file_location('hprof_agg_spark', CONTRIB / 'spark' / 'hprof_agg_spark.py')
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


# --- a fleet ------------------------------------------------------------------------------------

def furnish():
    """Dumps, the list of them, and what one command makes of it."""
    tar = subprocess.run([sys.argv[3], 'fleet', str(SEED), '0', str(DUMPS)], check=True,
                         capture_output=True).stdout
    (FOLDER / 'dumps').mkdir()
    subprocess.run(['tar', 'x', '-C', FOLDER / 'dumps'], input=tar, check=True)
    paths = sorted(str(path.relative_to(FOLDER)) for path in (FOLDER / 'dumps').rglob('*.heap'))
    (FOLDER / 'all').write_text('\n'.join(paths))
    t.ok('manifest', '-q', '--shards=1', '--files-from=all', '-o', 'one.', cwd=FOLDER)
    t.ok('merge', '-q', '--no-symbols', '--files-from=one.0', '-o', 'one.hpa', cwd=FOLDER)
    t.ok('merge', '-q', '--no-symbols', '--files-from=all', '-o', 'whole.hpa', cwd=FOLDER)
    return paths


def other_list(name, change):
    """A list that is all of them but for what `change` does to the paths."""
    (FOLDER / name).write_text('\n'.join(change(list(PATHS))))
    return name


def damaged(paths):
    """The last dump that counts, cut."""
    listed = (FOLDER / 'one.0').read_text().splitlines()
    victim = FOLDER / listed[-1]
    copy = FOLDER / ('cut.' + victim.name)
    copy.write_bytes(victim.read_bytes()[:-100].replace(b'\n@ 0x', b'\n@ 0y'))
    return paths + [str(copy.relative_to(FOLDER))]


def digest(path):
    return t.ok('digest', path, cwd=FOLDER).out.split()[0]


def same(name, wanted='one.hpa'):
    """Bytes of a file are those of the content, and of names outside the digest, which are the same here."""
    faults = [] if digest(name) == digest(wanted) else [f'{name} has another digest than {wanted}']
    if (FOLDER / name).read_bytes() != (FOLDER / wanted).read_bytes():
        faults.append(f'{name} has other bytes than {wanted}')
    return faults


# --- GNU parallel ---------------------------------------------------------------------------------

def program(name, script):
    """A stand-in for hprof-agg, which notes each merge of a list in NAME.log; $n is which one of it."""
    path = FOLDER / name
    path.write_text(f'''#!/bin/sh
case "$*" in *.hpa.work/lists/*) ;; *) exec {t.binary} "$@" ;; esac
echo "$*" >>{path}.log
n=$(grep -cxF -e "$*" {path}.log)
{script}
exec {t.binary} "$@"
''')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def runs(name):
    """How often each list was read."""
    lines = (FOLDER / f'{name}.log').read_text().splitlines()
    return sorted(len(list(group)) for _, group in itertools.groupby(sorted(lines)))


def parallel(listed, output, *options, shards=5, agg=None, merge='--no-symbols -q'):
    """The status and what was said.  A home of its own: parallel keeps things there."""
    env = {**os.environ, 'SHARDS': str(shards), 'MERGE': merge, 'HOME': str(FOLDER),
           'HPROF_AGG': str(agg or t.binary), 'TMPDIR': str(FOLDER)}
    done = subprocess.run([CONTRIB / 'parallel' / 'merge-fleet', listed, output, *options], cwd=FOLDER, env=env,
                          capture_output=True, text=True, check=False, timeout=120)
    return done.returncode, done.stderr + done.stdout


def any_number_of_tasks():
    faults = []
    for shards in (1, 3, 40):
        status, text = parallel('all', f'p{shards}.hpa', '-j2', shards=shards)
        faults += [f'status {status}: {text}'] if status else same(f'p{shards}.hpa')
    return faults


def other_machines():
    """By a stand-in for ssh, which begins in another folder, as ssh does."""
    ssh = FOLDER / 'ssh'
    ssh.write_text(f'#!/bin/sh\necho "$*" >>{ssh}.log\nwhile [ "$1" != -- ]; do shift; done; shift\n'
                   'cd / && exec sh -c "$*"\n')
    ssh.chmod(0o755)
    os.environ['PARALLEL_SSH'] = str(ssh)
    try:
        status, text = parallel('all', 'far.hpa', '--sshlogin', '1/n1,1/n2')
    finally:
        del os.environ['PARALLEL_SSH']
    faults = [f'status {status}: {text}'] if status else same('far.hpa')
    log = ssh.with_name('ssh.log')
    used = sorted(set(re.findall(r'\bn[12]\b', log.read_text() if log.exists() else '')))
    return faults + ([f'machines in use: {used}'] if used != ['n1', 'n2'] else [])


def is_refused(name, done, status, word):
    found, text = done
    faults = [f'{name}: status {found}, not {status}: {text}'] if found != status else []
    faults += [f'{name}: not said: {word}: {text}'] if word not in text else []
    return faults + ([f'{name}: something was merged'] if (FOLDER / name).exists() else [])


def permanent():
    """A damaged dump: its task runs once, the others too, and a second call says it again."""
    other_list('hurt', damaged)
    agg = program('hurting', '')
    faults = is_refused('hurt.hpa', parallel('hurt', 'hurt.hpa', agg=agg), 5, 'status 5, which is permanent')
    faults += is_refused('hurt.hpa', parallel('hurt', 'hurt.hpa', agg=agg), 5, 'nothing is merged')
    if runs('hurting') != [1] * 5:
        faults.append(f'lists were read {runs("hurting")} times')
    status, text = parallel('hurt', 'kept.hpa', merge='--no-symbols -q --max-skipped=1')
    return faults + ([f'with --max-skipped: {status}: {text}'] if status != 3 else [])


def transient():
    """Killed, out of memory, out of disk: tried again at once, or by the next call, and no others."""
    agg = program('killed', 'case $n in 1) kill -9 $$ ;; 2) exit 6 ;; esac')
    status, text = parallel('all', 'killed.hpa', agg=agg)
    faults = [f'status {status}: {text}'] if status else same('killed.hpa')
    faults += [f'tries: {runs("killed")}'] if runs('killed') != [3] * 5 else []
    agg = program('full', 'case "$*" in *part.2*) [ -e mended ] || exit 7 ;; esac')
    faults += is_refused('full.hpa', parallel('all', 'full.hpa', agg=agg), 1, 'call it again')
    (FOLDER / 'mended').write_text('')
    status, text = parallel('all', 'full.hpa', agg=agg)
    faults += [f'status {status}: {text}'] if status else same('full.hpa')
    return faults + ([f'tries: {runs("full")}'] if runs('full') != [1, 1, 1, 1, 4] else [])


def half_done():
    """A controller that dies: what is done stays, the rest is done by the next call."""
    agg = program('halted', 'case "$*" in *part.3*) [ -e again ] || { kill -9 $PPID; sleep 1; } ;; esac')
    status, _ = parallel('all', 'halted.hpa', '-j1', agg=agg)
    faults = [] if status else ['nothing was halted']
    (FOLDER / 'again').write_text('')
    status, text = parallel('all', 'halted.hpa', '-j1', agg=agg)
    return faults + ([f'status {status}: {text}'] if status else same('halted.hpa'))


def liars():
    """A task that ends with 0 and wrote nothing, or half of it."""
    agg = program('nothing', 'case "$*" in *part.1*) exit 0 ;; esac')
    faults = is_refused('nothing.hpa', parallel('all', 'nothing.hpa', agg=agg), 1, 'no nothing.hpa.work/lists/part.1.hpa')
    agg = program('half', f'for out; do :; done; {t.binary} "$@"; case $out in *part.1.hpa) truncate -s-9 $out;; esac; exit 0')
    return faults + is_refused('half.hpa', parallel('all', 'half.hpa', agg=agg), 5, 'part.1.hpa')


def twice():
    """A path twice; a process in two lists; and a partial with itself."""
    other_list('doubled', lambda paths: paths + [f'./{paths[3]}'])
    faults = is_refused('doubled.hpa', parallel('doubled', 'doubled.hpa'), 4, 'given twice')
    copied = FOLDER / 'elsewhere'
    copied.mkdir()
    listed = (FOLDER / 'one.0').read_text().splitlines()
    path = copied / pathlib.Path(listed[0]).name
    path.write_bytes((FOLDER / listed[0]).read_bytes())
    other_list('moved', lambda paths: paths + [str(path.relative_to(FOLDER))])
    faults += is_refused('moved.hpa', parallel('moved', 'moved.hpa', shards=50), 4, '')
    done = t.run('merge', '-q', '--no-symbols', 'one.hpa', 'one.hpa', '-o', 'self.hpa', cwd=FOLDER)
    return faults + is_refused('self.hpa', (done.code, done.err), 4, 'one.hpa')


# --- Spark ----------------------------------------------------------------------------------------

class Local:
    """As much of an RDD as the script takes: partitions, and a reduction in a tree, whose tasks are
    tried four times."""

    def __init__(self, partitions):
        self.partitions = [list(partition) for partition in partitions]

    def keyBy(self, function):
        return Local([[(function(item), item) for item in part] for part in self.partitions])

    def partitionBy(self, count, function):
        parts = [[] for _ in range(count)]
        for key, value in itertools.chain(*self.partitions):
            parts[function(key) % count].append((key, value))
        return Local(parts)

    def values(self):
        return Local([[value for _, value in part] for part in self.partitions])

    def mapPartitions(self, function):
        return Local([tried(lambda part=part: list(function(iter(part)))) for part in self.partitions])

    def treeReduce(self, function):
        parts = [functools.reduce(function, part) for part in self.partitions if part]
        while len(parts) > 1:
            parts = [tried(lambda pair=parts[i:i + 2]: functools.reduce(function, pair))
                     for i in range(0, len(parts), 2)]
        return parts[0]


def tried(task):
    for left in (3, 2, 1, 0):
        try:
            return task()
        except Exception:
            if left == 0:
                raise


class LocalContext:
    def parallelize(self, items, count):
        return Local([items[i::count] for i in range(count)])

    def binaryFiles(self, folder):
        """One partition, and names as URIs, as Spark has them."""
        found = sorted(pathlib.Path(folder).rglob('*.heap'))
        return Local([[(f'file:{path}', path.read_bytes()) for path in found]])


def spark(source, output, *options, shards=6, agg=None):
    """Run it as the driver would."""
    SPARK.binary = lambda: str(agg or t.binary)
    here = os.getcwd()
    os.chdir(FOLDER)
    try:
        SPARK.run(LocalContext(), shards, str(source), str(FOLDER / output), options)
    finally:
        os.chdir(here)


def spark_lists():
    faults = []
    for shards in (1, 7):
        spark('all', f's{shards}.hpa', shards=shards)
        faults += same(f's{shards}.hpa')
    return faults


def spark_files():
    """Whose tasks choose by what is in the dumps: as one command that reads them all."""
    spark(FOLDER / 'dumps', 'files.hpa')
    return [] if digest('files.hpa') == digest('whole.hpa') else ['another digest than that of one command']


def spark_permanent():
    other_list('hurt', damaged)
    agg = FOLDER / 'counting'
    agg.write_text(f'#!/bin/sh\ncase $1 in merge) echo >>{agg}.log ;; esac\nexec {t.binary} "$@"\n')
    agg.chmod(0o755)
    try:
        spark('hurt', 'never.hpa', agg=agg)
        return ['nothing was raised']
    except SPARK.Permanent as failure:
        faults = [] if 'status 5' in str(failure) else [f'raised: {failure}']
    maps = len((FOLDER / 'counting.log').read_text().splitlines())
    # Five maps that succeed, one that does not; the reduce has no need of children where one failed.
    faults += [f'{maps} children'] if not 6 <= maps <= 10 else []
    return faults + (['something was written'] if (FOLDER / 'never.hpa').exists() else [])


def spark_transient():
    agg = FOLDER / 'flaky'
    agg.write_text(f'#!/bin/sh\ncase $1 in merge) echo >>{agg}.log; [ $(wc -l <{agg}.log) -gt 2 ] || kill -9 $$ ;; esac\n'
                   f'exec {t.binary} "$@"\n')
    agg.chmod(0o755)
    spark('all', 'flaky.hpa', agg=agg)
    return same('flaky.hpa')


def spark_children():
    """A child that ends before it has read, one that says much before it reads, a source that fails."""
    agg = FOLDER / 'loud'
    agg.write_text('#!/bin/sh\nhead -c 3000000 /dev/zero >&2; cat >/dev/null; head -c 3000000 /dev/zero\n')
    agg.chmod(0o755)
    SPARK.binary = lambda: str(agg)
    faults = [] if len(SPARK.merge(lambda stream: stream.write(b'x' * 3000000))) == 3000000 else ['cut']
    agg.write_text('#!/bin/sh\nexec 0<&-; sleep .1; exit 4\n')
    ended = SPARK.merge(lambda stream: stream.write(b'x' * 3000000))
    faults += [] if isinstance(ended, SPARK.Permanent) else [f'ended: {ended}']
    agg.write_text('#!/bin/sh\ncat >/dev/null; exit 5\n')

    def source():
        yield 'a.1.0.i0.heap', b'heap_v2/1'
        raise OSError('the store is gone')
    try:
        list(SPARK.map_files(source()))
        faults.append('half an archive was taken for a damaged one')
    except OSError as failure:
        faults += [] if 'gone' in str(failure) else [str(failure)]
    return faults + (['an empty partition has a child'] if list(SPARK.map_files(iter([]))) else [])


t = Tests()
SPARK = load_spark()
DUMPS = int(sys.argv[4]) if len(sys.argv) > 4 else 200
with scratch() as HERE:
    FOLDER = pathlib.Path(HERE)
    PATHS = furnish()
    t.check('parallel: any number of tasks comes to the bytes of one command', any_number_of_tasks)
    t.check('parallel: tasks on other machines begin in the same folder', other_machines)
    t.check('parallel: a damaged dump is read once, and nothing is merged', permanent)
    t.check('parallel: what is killed or finds no room is tried again, and nothing else', transient)
    t.check('parallel: a controller that dies goes on where it was', half_done)
    t.check('parallel: a task that lies about its output is found out', liars)
    t.check('parallel: what would count twice is refused', twice)
    t.check('Spark: lists come to the bytes of one command', spark_lists)
    t.check('Spark: files in one partition come to what one command makes of them', spark_files)
    t.check('Spark: a damaged dump is raised by the driver, and not tried again', spark_permanent)
    t.check('Spark: a child that is killed is tried again', spark_transient)
    t.check('Spark: no child hangs, and no half of an input is taken for a damaged one', spark_children)
t.done()

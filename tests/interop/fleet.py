#!/usr/bin/env python3
"""The recipes of contrib/fleet, for real: GNU parallel, and the functions of the Spark script, run by stand-ins for
Spark's.  With any division of the fleet into lists, and after any failure, the partial has the bytes that one command
writes, or there is none and the status shows the reason.

usage: fleet.py BINARY TESTDATA HPROF_SIM [DUMPS] [--ssh] [--spark=PYTHON] [--orders=N]

Lists are in N random orders (3) for as many numbers of tasks.  With --ssh all tasks of GNU parallel go through a real sshd on this machine, and connections are lost.  With
--spark the script is run by a standalone master and two workers of PySpark as PYTHON has it (3.5, Java 17).
"""
import contextlib
import functools
import importlib.util
import itertools
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time

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
    """Make the dumps, the list of them, and the partial that one command makes of them."""
    tar = subprocess.run([sys.argv[3], 'fleet', str(SEED), '0', str(DUMPS)], check=True,
                         capture_output=True).stdout
    (FOLDER / 'dumps').mkdir()
    subprocess.run(['tar', 'x', '-C', FOLDER / 'dumps'], input=tar, check=True)
    paths = sorted(str(path.relative_to(FOLDER)) for path in (FOLDER / 'dumps').rglob('*.heap'))
    (FOLDER / 'all').write_text('\n'.join(paths))
    t.ok('manifest', '-q', '--tasks=1', '--files-from=all', '-o', 'one.', cwd=FOLDER)
    t.ok('merge', '-q', '--no-symbols', '--files-from=one.0', '-o', 'one.hpa', cwd=FOLDER)
    t.ok('merge', '-q', '--no-symbols', '--files-from=all', '-o', 'whole.hpa', cwd=FOLDER)
    return paths


def other_list(name, change):
    """Write a list of all dumps, after `change` was applied to their paths."""
    (FOLDER / name).write_text('\n'.join(change(list(PATHS))))
    return name


def damaged(paths):
    """A list in which the last used dump is truncated."""
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
    """The number of times that each list was read."""
    lines = (FOLDER / f'{name}.log').read_text().splitlines()
    return sorted(len(list(group)) for _, group in itertools.groupby(sorted(lines)))


def parallel(listed, output, *options, shards=5, agg=None, merge='--no-symbols -q'):
    """(status, messages) of GNU parallel.  It has a separate home folder, in which parallel keeps files."""
    env = {**os.environ, 'SHARDS': str(shards), 'MERGE': merge, 'HOME': str(FOLDER),
           'HPROF_AGG': str(agg or t.binary), 'TMPDIR': str(FOLDER), **MACHINES}
    options = (*options, '--sshlogin', '2/n1,2/n2') if MACHINES else options
    done = subprocess.run([CONTRIB / 'parallel' / 'merge-fleet', listed, output, *options], cwd=FOLDER, env=env,
                          capture_output=True, text=True, check=False, timeout=120)
    return done.returncode, done.stderr + done.stdout


@contextlib.contextmanager
def environment(**names):
    """Set environment variables for the code in the context."""
    os.environ.update(names)
    try:
        yield
    finally:
        for name in names:
            del os.environ[name]


def parent(name):
    """Shell text by which a task finds, as $p, its nearest ancestor process of this name."""
    return f'p=$PPID; while [ "$(cat /proc/$p/comm)" != {name} ]; do p=$(awk \'{{print $4}}\' /proc/$p/stat); done'


def in_orders():
    """(name of a list, number of tasks): any order of the dumps, first few tasks and many."""
    r = random.Random(SEED)
    for i in range(ORDERS):
        yield other_list(f'order{i}', lambda paths: r.sample(paths, len(paths))), (1, 3, 40)[i] if i < 3 else r.randint(1, 64)


def any_number_of_tasks():
    faults = []
    for listed, shards in in_orders():
        status, text = parallel(listed, f'p{listed}.hpa', '-j2', shards=shards)
        faults += [f'{listed}, {shards} tasks: status {status}: {text}'] if status else same(f'p{listed}.hpa')
        shutil.rmtree(FOLDER / f'p{listed}.hpa.work')
    return faults or f'{ORDERS} orders'


def other_machines():
    """Tests another machine through a stand-in for ssh, which begins in another folder and has a login shell of its
    own that prints messages, or none."""
    ssh, faults = FOLDER / 'ssh', []
    damaged_list = other_list('far.hurt', damaged)
    for shell in ('unset SHELL', 'export SHELL=/bin/false', 'export SHELL=/bin/sh'):
        log = FOLDER / 'ssh.log'
        log.unlink(missing_ok=True)
        ssh.write_text(f'#!/bin/sh\nwhile [ "$1" != -- ]; do echo "$1" >>{log}; shift; done; shift\n'
                       f'{shell}; echo Welcome; cd / && exec sh -c "$*"\n')
        ssh.chmod(0o755)
        shutil.rmtree(FOLDER / 'far.hpa.work', ignore_errors=True)
        with environment(PARALLEL_SSH=str(ssh)):
            status, text = parallel('all', 'far.hpa', '--sshlogin', '1/n1,1/n2')
        faults += [f'{shell}: status {status}: {text}'] if status else same('far.hpa')
        used = sorted(set(log.read_text().split())) if log.exists() else []
        faults += [f'{shell}: machines in use: {used}'] if used != ['n1', 'n2'] else []
    with environment(PARALLEL_SSH=str(ssh)):
        done = parallel(damaged_list, 'afar.hpa', '--sshlogin', '1/n1,1/n2')
    return faults + is_refused('afar.hpa', done, 5, 'status 5, which is permanent')


def is_refused(name, done, status, word):
    found, text = done
    faults = [f'{name}: status {found}, not {status}: {text}'] if found != status else []
    faults += [f'{name}: not said: {word}: {text}'] if word not in text else []
    return faults + ([f'{name}: something was merged'] if (FOLDER / name).exists() else [])


def permanent():
    """For a damaged dump, its task runs once, the others run too, and a second call reports it again."""
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


def lost():
    """Connections that end, or fall silent: tasks are run again."""
    faults = []
    for name, kind in (('ended', 'KILL'), ('silent', 'STOP')):
        agg = program(name, f'case $n in 1) {parent("sshd")}; kill -{kind} $p; sleep 9; exit 9 ;; esac')
        status, text = parallel('all', f'{name}.hpa', '--timeout', '30', agg=agg)
        faults += [f'{name}: status {status}: {text[-500:]}'] if status else same(f'{name}.hpa')
        faults += [f'{name}: tries: {runs(name)}'] if runs(name) != [2] * 5 else []
    return faults


def killed_controller():
    """After the controller is killed, tasks that have finished are not run again."""
    agg = program('orphaned', 'sleep .3')
    env = {**os.environ, 'SHARDS': '12', 'MERGE': '--no-symbols -q', 'HOME': str(FOLDER), 'HPROF_AGG': str(agg),
           'TMPDIR': str(FOLDER), **MACHINES}
    work = FOLDER / 'orphaned.hpa.work' / 'log'
    with subprocess.Popen([CONTRIB / 'parallel' / 'merge-fleet', 'all', 'orphaned.hpa', '--sshlogin', '1/n1,1/n2'], cwd=FOLDER,
                          env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as controller:
        for _ in range(600):
            done = work.read_text().splitlines()[1:] if work.exists() else []
            if len(done) > 2:
                break
            time.sleep(.05)
        os.killpg(controller.pid, 9)
    time.sleep(2)  # for processes that continue without their parent
    ended = [line.split('\t')[-1] for line in work.read_text().splitlines()[1:]]
    before = (FOLDER / 'orphaned.log').read_text().splitlines()
    status, text = parallel('all', 'orphaned.hpa', shards=12, agg=agg)
    after = (FOLDER / 'orphaned.log').read_text().splitlines()[len(before):]
    again = [words for words in after if any(words in line for line in ended)]
    faults = [f'status {status}: {text}'] if status else same('orphaned.hpa')
    return faults + ([f'{len(ended)} had ended, {len(again)} of them ran again'] if again or not 2 < len(ended) < 12 else [])


def scarce():
    """Too little memory is a failure; a full disk is tried again, and no file remains."""
    faults = is_refused('small.hpa', parallel('all', 'small.hpa', merge='--no-symbols -q --max-memory=1MiB'), 1, 'call it again')
    agg = program('limited', "case $n in 1) trap '' XFSZ; ulimit -f 1 ;; esac")
    status, text = parallel('all', 'limited.hpa', agg=agg)
    faults += [f'status {status}: {text}'] if status else same('limited.hpa')
    left = [path.name for path in FOLDER.glob('limited.hpa.work/lists/*') if not re.fullmatch(r'list|part\.\d+(\.hpa)?', path.name)]
    return faults + [f'left behind: {left}'] * bool(left) + ([f'{runs("limited")}'] if runs('limited') != [2] * 5 else [])


def some_damaged():
    """1 % of the dumps: they are counted, and the sums are those of the others."""
    listed = (FOLDER / 'one.0').read_text().splitlines()
    victims, good = listed[::100], [path for i, path in enumerate(listed) if i % 100]
    hurt = []
    for number, path in enumerate(victims):
        copy = FOLDER / f'torn.{900 + number}.0.i0.heap'
        copy.write_bytes((FOLDER / path).read_bytes()[:-200])
        hurt.append(copy.name)
    (FOLDER / 'some').write_text('\n'.join(good + hurt))
    (FOLDER / 'good').write_text('\n'.join(good))
    t.ok('merge', '-q', '--no-symbols', '--files-from=good', '-o', 'good.hpa', cwd=FOLDER)
    status, text = parallel('some', 'some.hpa', merge=f'--no-symbols -q --max-skipped={len(hurt)}')
    if status != 3:
        return [f'status {status}: {text}']
    heads = [json.loads(t.run('top', '-q', '--no-symbols', '-fjson', '--max-skipped=9', name, cwd=FOLDER).out)
             for name in ('some.hpa', 'good.hpa')]
    faults = [] if heads[0]['total'] == heads[1]['total'] else ['the sums are not those of the others']
    return faults + ([] if heads[0]['inputs']['skipped'] == len(hurt) else [f'{heads[0]["inputs"]}, {len(hurt)} damaged'])


def another_list():
    """A list that has grown is refused, and not taken for the one that the work was made of."""
    (FOLDER / 'grows').write_text('\n'.join(PATHS[:-9]))
    status, text = parallel('grows', 'grown.hpa')
    faults = [f'status {status}: {text}'] if status else []
    (FOLDER / 'grows').write_text('\n'.join(reversed(PATHS[:-9])))
    status, text = parallel('grows', 'grown.hpa')
    faults += [f'another order: status {status}: {text}'] if status else []
    (FOLDER / 'grows').write_text('\n'.join(PATHS))
    status, text = parallel('grows', 'grown.hpa')
    return faults + ([] if status == 2 and 'is not the list' in text else [f'grown: status {status}: {text}'])


def share():
    """A share of damaged dumps is judged by the last merge over all dumps, and tasks are quiet."""
    other_list('share', damaged)
    status, text = parallel('share', 'share.hpa', shards=20, merge=f'--no-symbols --max-skipped={300 / DUMPS}%')
    faults = [] if status == 3 and len(text.splitlines()) < 12 else [f'status {status}: {text}']
    status, text = parallel('share', 'little.hpa', shards=20, merge=f'--no-symbols --max-skipped={10 / DUMPS}%')
    faults += [] if status == 5 and not (FOLDER / 'little.hpa').exists() else [f'too many: status {status}: {text}']
    report = t.run('top', '-q', '--no-symbols', 'share.hpa', cwd=FOLDER)
    return faults + ([] if report.code == 3 else [f'{report}'])


def half_done():
    """If the controller dies, finished tasks are kept, and the next call does the rest."""
    agg = program('halted', f'case "$*" in *part.3*) [ -e again ] || {{ {parent("parallel")}; kill -9 $p; exit 9; }} ;; esac')
    status, text = parallel('all', 'halted.hpa', '-j1', agg=agg)
    faults = [] if status == 1 and 'call it again' in text else [f'killed: status {status}: {text}']
    (FOLDER / 'again').write_text('')
    status, text = parallel('all', 'halted.hpa', '-j1', agg=agg)
    faults += [f'tries: {runs("halted")}'] if runs('halted') != [1, 1, 1, 1, 2] else []
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
    """The part of Spark's RDD that the script uses: partitions, and a reduction in a tree, whose tasks are tried four
    times."""

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
        """One partition, with names as URIs, as in Spark."""
        found = sorted(pathlib.Path(folder).rglob('*.heap'))
        return Local([[(f'file:{path}', path.read_bytes()) for path in found]])


def spark(source, output, *options, shards=6, agg=None):
    """Run the script as Spark's driver would; a list gets absolute paths."""
    SPARK.binary = lambda: str(agg or t.binary)
    here = os.getcwd()
    if (FOLDER / source).is_file():
        source = absolute(f'{source}.absolute', (FOLDER / source).read_text().splitlines())
    os.chdir(FOLDER)
    try:
        SPARK.run(LocalContext(), shards, str(source), str(FOLDER / output), options)
    finally:
        os.chdir(here)


def spark_lists():
    faults = []
    for listed, shards in in_orders():
        spark(listed, f's{listed}.hpa', shards=shards)
        faults += [] if digest(f's{listed}.hpa') == digest('one.hpa') else [f's{listed}.hpa has another digest']
    try:
        SPARK.run(LocalContext(), 2, str(FOLDER / 'all'), str(FOLDER / 'never.hpa'))
        faults += ['relative paths are not refused']
    except ValueError as failure:
        faults += [] if f'{FOLDER / "all"}:1: ' in str(failure) else [str(failure)]
    return faults or f'{ORDERS} orders'


def spark_shipped():
    """The driver finds the program that --files has put into Spark's folder, not into its own."""
    shipped = FOLDER / 'shipped'
    shipped.mkdir()
    (shipped / 'hprof-agg').symlink_to(t.binary)
    (shipped / 'pyspark.py').write_text(f'class SparkFiles:\n    get = staticmethod(lambda name: {str(shipped)!r} + "/" + name)\n')
    sys.path.insert(0, str(shipped))
    try:
        found = load_spark().binary()
    finally:
        sys.path.remove(str(shipped))
        sys.modules.pop('pyspark', None)
    return [] if found == str(shipped / 'hprof-agg') else [found]


def spark_share():
    """A share of damaged dumps is judged over all dumps, not in each task."""
    other_list('one-hurt', damaged)
    few, many = (f'--max-skipped={share}%' for share in (10 / DUMPS, 300 / DUMPS))
    spark('one-hurt', 'share.hpa', many)
    try:
        spark('one-hurt', 'never.hpa', few)
        return ['nothing was raised']
    except SPARK.Permanent as failure:
        return [] if 'status 5' in str(failure) else [str(failure)]


def spark_files():
    """Tasks that choose dumps by their contents give the same as one command that reads all dumps."""
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
    # Five maps succeed and one fails; the reduce step starts no child processes after a failure.
    faults += [f'{maps} children'] if not 6 <= maps <= 10 else []
    return faults + (['something was written'] if (FOLDER / 'never.hpa').exists() else [])


def spark_transient():
    agg = FOLDER / 'flaky'
    agg.write_text(f'#!/bin/sh\ncase $1 in merge) echo >>{agg}.log; [ $(wc -l <{agg}.log) -gt 2 ] || kill -9 $$ ;; esac\n'
                   f'exec {t.binary} "$@"\n')
    agg.chmod(0o755)
    spark('all', 'flaky.hpa', agg=agg)
    return [] if digest('flaky.hpa') == digest('one.hpa') else ['another digest']


def spark_children():
    """A child that ends before it has read its input, one that prints much before it reads, and a source that fails."""
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


# --- real machines ------------------------------------------------------------------------------

@contextlib.contextmanager
def machines():
    """Make n1 and n2, both this machine through our own sshd; returns variables for the environment of parallel."""
    with scratch() as folder, socket.socket() as free:
        free.bind(('127.0.0.1', 0))
        port, here = free.getsockname()[1], pathlib.Path(folder)
        free.close()
        for key in ('host', 'own'):
            subprocess.run(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', here / key], check=True)
        (here / 'sshd_config').write_text(
            f'Port {port}\nListenAddress 127.0.0.1\nHostKey {here}/host\nAuthorizedKeysFile {here}/own.pub\nStrictModes no\n'
            f'PidFile {here}/pid\nUsePAM no\nPermitRootLogin yes\nMaxStartups 100\nMaxSessions 100\n')
        (here / 'ssh_config').write_text(
            f'Host n1 n2\n HostName 127.0.0.1\n Port {port}\n IdentityFile {here}/own\n IdentitiesOnly yes\n'
            f' UserKnownHostsFile /dev/null\n StrictHostKeyChecking no\n LogLevel ERROR\n'
            f' ServerAliveInterval 1\n ServerAliveCountMax 3\n')
        os.makedirs('/run/sshd', exist_ok=True)
        with subprocess.Popen(['/usr/sbin/sshd', '-D', '-f', here / 'sshd_config']) as server:
            time.sleep(1)
            try:
                yield {'PARALLEL_SSH': f'ssh -F {here}/ssh_config'}
            finally:
                server.terminate()


# Read the subfolders of a folder, too.
RECURSIVE = 'spark.hadoop.mapreduce.input.fileinputformat.input.dir.recursive=true'


@contextlib.contextmanager
def cluster(python):
    """A standalone master and two workers; a function that runs the script there."""
    home = pathlib.Path(subprocess.run([python, '-c', 'import pyspark; print(pyspark.__path__[0])'], check=True,
                                       capture_output=True, text=True).stdout.strip())
    folder = FOLDER / 'spark'
    (folder / 'bin').mkdir(parents=True)
    env = {**os.environ, 'SPARK_HOME': str(home), 'PYSPARK_PYTHON': python, 'PYSPARK_DRIVER_PYTHON': python,
           'SPARK_LOCAL_IP': '127.0.0.1', 'SPARK_LOCAL_DIRS': str(folder), 'PATH': f'{folder}/bin:{os.environ["PATH"]}'}
    with socket.socket() as free:
        free.bind(('127.0.0.1', 0))
        port = free.getsockname()[1]
    master = f'spark://127.0.0.1:{port}'
    log = open(folder / 'log', 'wb')

    def start(*words):
        return subprocess.Popen([home / 'bin' / 'spark-class', *map(str, words)], env=env, cwd=FOLDER, stdout=log, stderr=log)
    servers = [start('org.apache.spark.deploy.master.Master', '-h', '127.0.0.1', '-p', port, '--webui-port', 0)]
    time.sleep(6)
    # With two hosts, no task is tried again on a host where it has failed.
    servers += [start('org.apache.spark.deploy.worker.Worker', '-h', f'127.0.0.{i + 1}', '-c', 1, '-m', '900M', '--webui-port', 0, '-d',
                      folder / f'w{i}', master) for i in range(2)]

    def submit(agg, source, output, *options, shards=6, conf=()):
        link = folder / 'bin' / 'hprof-agg'
        link.unlink(missing_ok=True)
        link.symlink_to(agg)
        done = subprocess.run([home / 'bin' / 'spark-submit', '--master', master, '--conf', 'spark.executor.memory=600m',
                               '--conf', 'spark.ui.enabled=false', '--conf', 'spark.log.level=ERROR', '--conf', RECURSIVE, *conf, CONTRIB / 'spark' / 'hprof_agg_spark.py', str(shards),
                               str(source), str(FOLDER / output), *options], env=env, cwd=FOLDER, capture_output=True, text=True,
                              check=False, timeout=600)
        return done.returncode, (done.stdout + done.stderr)[-3000:]  # Python's errors are on standard output
    try:
        yield submit
    finally:
        for server in servers:
            server.terminate()
        log.close()


def script(name, text):
    path = FOLDER / f'{name}.sh'
    path.write_text(f'#!/bin/sh\n{text}\nexec {t.binary} "$@"\n')
    path.chmod(0o755)
    return path


def absolute(name, paths):
    """A list: executors begin in folders of their own."""
    return other_list(name, lambda _: [str(FOLDER / path) for path in paths])


def cluster_same(submit):
    """Lists, and files that Spark divides by itself; children are killed at random, and their Python with them."""
    faults = []
    everything = absolute('everything', PATHS)
    note = f'case $1 in merge) echo >>{FOLDER}/NAME.log; n=$(wc -l <{FOLDER}/NAME.log) ;; *) n=0 ;; esac\n'
    for name, source, wanted, text in (
            ('k1', everything, 'one.hpa', ''), ('k2', FOLDER / 'dumps', 'whole.hpa', ''),
            ('k3', everything, 'one.hpa', note + '[ $n -ne 2 ] || kill -9 $$'),
            ('k4', everything, 'one.hpa', note + '[ $n -ne 3 ] || kill -9 $PPID'),
            ('k5', everything, 'one.hpa', note + '[ $n -ne 2 ] || { echo half; exit 6; }')):
        status, text = submit(script(name, text.replace('NAME', name)), source, f'{name}.hpa')
        faults += [f'{name}: {status}: {text}'] if status else [] if digest(f'{name}.hpa') == digest(wanted) else [f'{name}: another digest']
    return faults


def cluster_permanent(submit):
    """A damaged dump, and a path twice: the driver fails with its status, and no child runs twice."""
    absolute('hurt', damaged(list(PATHS)))
    agg = script('p1', f'case "$1 $*" in "merge "*files-from*) echo >>{FOLDER}/p1.log ;; esac')
    status, text = submit(agg, 'hurt', 'p1.hpa')
    maps = len((FOLDER / 'p1.log').read_text().splitlines())
    faults = [] if status and 'Permanent: hprof-agg: status 5' in text and '1 of ' in text else [f'{status}: {text}']
    faults += [f'{maps} children'] if maps != 6 else []
    return faults + (['something was written'] if (FOLDER / 'p1.hpa').exists() else [])


def cluster_lost(submit):
    """An executor that is killed, once."""
    agg = script('x1', f'case $1 in merge) if mkdir {FOLDER}/x1.once 2>/dev/null; then '
                       f'{parent("java")}; kill -9 $p; sleep 1; exit 9; fi ;; esac')
    status, text = submit(agg, absolute('everything', PATHS), 'x1.hpa')
    faults = [] if (FOLDER / 'x1.once').exists() else ['no executor was killed']
    return [f'{status}: {text}'] if status else faults + ([] if digest('x1.hpa') == digest('one.hpa') else ['another digest'])


def cluster_without(submit):
    """First the daemon that starts Python's workers is killed once, then the daemon of a machine, the parent of its
    executor: the remaining ones finish the work."""
    faults = []
    for name, of in (('d1', '$PPID'), ('d2', '$p')):
        agg = script(name, f'case $1 in merge) if mkdir {FOLDER}/{name}.once 2>/dev/null; then {parent("java")}; '
                           f'd=$(awk \'{{print $4}}\' /proc/{of}/stat); tr "\\0" " " </proc/$d/cmdline >{FOLDER}/{name}.killed; '
                           'kill -9 $d; sleep 1; fi ;; esac')
        status, text = submit(agg, absolute('everything', PATHS), f'{name}.hpa')
        killed = (FOLDER / f'{name}.killed').read_text()
        faults += [] if {'d1': 'pyspark.daemon', 'd2': 'deploy.worker.Worker'}[name] in killed else [f'killed was {killed}']
        faults += [f'{name}: {status}: {text}'] if status else [] if digest(f'{name}.hpa') == digest('one.hpa') else [f'{name}: another digest']
    return faults


# A stopped executor is soon considered lost, and slow tasks are run a second time on another one.
SPECULATION = [word for name, value in (('speculation', 'true'), ('speculation.quantile', '0.5'), ('speculation.multiplier', '1.1'),
                                        ('speculation.minTaskRuntime', '100ms'), ('eventLog.enabled', 'true'))
               for word in ('--conf', f'spark.{name}={value}')]
SILENCE = [word for name, value in (('network.timeout', '20s'), ('network.timeoutInterval', '5s'), ('executor.heartbeatInterval', '5s'))
           for word in ('--conf', f'spark.{name}={value}')]


def cluster_slow(submit):
    """A worker stops and continues: its task is run twice, and finishes twice."""
    events = FOLDER / 'events'
    events.mkdir()
    agg = script('slow', f'case $1 in merge) if mkdir {FOLDER}/slow.once 2>/dev/null; then {parent("java")}; '
                         '{ sleep 15; kill -CONT $p; } >/dev/null 2>&1 </dev/null & kill -STOP $p; fi ;; esac')
    status, text = submit(agg, absolute('everything', PATHS), 'slow.hpa',
                          conf=[*SPECULATION, '--conf', f'spark.eventLog.dir=file:{events}'])
    log = ''.join(path.read_text() for path in events.rglob('*') if path.is_file())
    faults = [] if '"Speculative":true' in log else ['no task was run twice']
    return [f'{status}: {text}'] if status else faults + ([] if digest('slow.hpa') == digest('one.hpa') else ['another digest'])


def cluster_silent(submit):
    """A machine is cut off: its worker and executor send nothing any more."""
    agg = script('cut', f'case $1 in merge) if mkdir {FOLDER}/cut.once 2>/dev/null; then {parent("java")}; '
                        f'w=$(awk \'{{print $4}}\' /proc/$p/stat); echo $p $w >{FOLDER}/cut.pids; kill -STOP $w $p; fi ;; esac')
    try:
        status, text = submit(agg, absolute('everything', PATHS), 'cut.hpa', conf=SILENCE)
    finally:
        for pid in (FOLDER / 'cut.pids').read_text().split():
            os.kill(int(pid), signal.SIGCONT)
    if status:
        return ['something was written'] if (FOLDER / 'cut.hpa').exists() else f'status {status}, and no output'
    return [] if digest('cut.hpa') == digest('one.hpa') else ['another digest']


t = Tests()
SPARK = load_spark()
WORDS = [word for word in sys.argv[4:] if not word.startswith('--')]
DUMPS = int(WORDS[0]) if WORDS else 200
ENGINES = {word.partition('=')[0]: word.partition('=')[2] for word in sys.argv[4:] if word.startswith('--')}
ORDERS = int(ENGINES.get('--orders', 3))
MACHINES = {}
with scratch() as HERE, machines() if '--ssh' in ENGINES else contextlib.nullcontext({}) as MACHINES:
    FOLDER = pathlib.Path(HERE)
    PATHS = furnish()
    t.check('parallel: 1 % damaged dumps are counted, and the sums are those of the other dumps', some_damaged)
    t.check('parallel: another list is refused', another_list)
    t.check('parallel: the last merge judges a share of damaged dumps', share)
    t.check('parallel: a task without memory fails, and a task without disk space is retried', scarce)
    if MACHINES:
        t.check('ssh: tasks survive connections that end or fall silent', lost)
        t.check('ssh: a killed controller resumes its work', killed_controller)
    if '--spark' in ENGINES:
        with cluster(ENGINES['--spark']) as submitted:
            t.check('a cluster: any division and any killed process give the digest of one command',
                    lambda: cluster_same(submitted))
            t.check('a cluster: a task with a permanent failure runs once', lambda: cluster_permanent(submitted))
            t.check('a cluster: tasks of a killed executor are retried', lambda: cluster_lost(submitted))
            t.check('a cluster: a task that runs and ends twice is counted once', lambda: cluster_slow(submitted))
            t.check('a cluster: tasks of a silent machine are retried', lambda: cluster_silent(submitted))
            t.check('a cluster: the result survives killed daemons',
                    lambda: cluster_without(submitted))  # the last: one machine is left
    t.check('parallel: any number of tasks gives the bytes of one command', any_number_of_tasks)
    if not MACHINES:
        t.check('parallel: tasks on other machines start in the same folder', other_machines)
    t.check('parallel: a damaged dump is read once, and nothing is merged', permanent)
    t.check('parallel: only killed tasks and those without disk space are retried', transient)
    if not MACHINES:
        t.check('parallel: a controller that dies resumes its work', half_done)
    t.check('parallel: a task with false output is detected', liars)
    t.check('parallel: dumps that would be counted twice are rejected', twice)
    t.check('Spark: lists give the bytes of one command', spark_lists)
    t.check('Spark: the driver finds the shipped program', spark_shipped)
    t.check('Spark: a share of damaged dumps is judged at the end', spark_share)
    t.check('Spark: files in one partition give the bytes of one command', spark_files)
    t.check('Spark: the driver reports a damaged dump, and does not retry it', spark_permanent)
    t.check('Spark: a killed child is retried', spark_transient)
    t.check('Spark: no child hangs, and half an input is not taken for a damaged one', spark_children)
t.done()

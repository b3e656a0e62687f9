#!/usr/bin/env python3
"""Binaries that ran cause no warning: every return address of real programs follows a call, however they handle
signals, switch stacks, throw or call back.  A binary that was replaced while it ran is reported.

usage: right_builds.py BINARY TESTDATA
"""
import glob
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'properties'))
import jemalloc  # noqa: E402
from harness import Tests, scratch  # noqa: E402

SOURCE = HERE / 'right_builds.c'
COMPLAINTS = re.compile(r'not the binary that was profiled|may not be the binary|another build|replaced while')
BASH = '''
trap 'x=$(echo trap)' USR1
f() { local y=$(printf %s "$1"); declare -A m; m[$y]=$y; [ "$1" -gt 0 ] && f $(($1 - 1)); }
for i in 1 2 3 4 5 6 7 8; do f 6; kill -USR1 $$; done; sort <<<"$x" >/dev/null
'''
PYTHON = '''
import collections, ctypes, json, re, signal, threading
libc = ctypes.CDLL(None)
seen = []
kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
def compare(a, b):
    seen.append([a[0]] * 50)
    return a[0] - b[0]
numbers = (ctypes.c_int * 200)(*[i * 7919 % 211 for i in range(200)])
libc.qsort(numbers, 200, 4, kind(compare))
signal.signal(signal.SIGALRM, lambda *_: seen.append(bytearray(2000)))
signal.setitimer(signal.ITIMER_REAL, .002, .002)
while len(seen) < 2000:
    seen.append(json.loads(json.dumps({str(i): [i] * 20 for i in range(30)})))
    re.compile('a+' * (len(seen) % 50 + 1))
signal.setitimer(signal.ITIMER_REAL, 0)
threads = [threading.Thread(target=lambda: seen.extend(bytearray(300) for _ in range(300))) for _ in range(3)]
[t.start() for t in threads], [t.join() for t in threads]
'''
PERL = '''
$SIG{ALRM} = sub { push @k, "x" x 3000 }; my (%h, @k);
for my $i (1 .. 3000) { $h{"key$i"} = [1 .. 20]; push @k, sort { $b <=> $a } map { $_ * 3 % 17 } 1 .. 30;
    alarm 1 if $i == 1; kill ALRM => $$ if $i % 500 == 0; eval { die {a => "x" x 500} }; }
'''
CXX = '''
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
struct Base { virtual ~Base() {} virtual std::string name(int n) = 0; };
struct One : Base { std::string name(int n) override { return std::string(n % 90 + 20, 'x'); } };
static std::map<int, std::vector<std::string>> kept;
static thread_local std::vector<std::string> mine;
static void thrower(int n) { if (n % 3 == 0) throw std::runtime_error(std::string(n, 'e')); mine.emplace_back(n, 'y'); }
static void descend(int n, const std::function<void(int)> &f) { if (n) descend(n - 1, f); else f(n); }
int main() {
    std::unique_ptr<Base> base(new One);
    for (int i = 0; i < 3000; i++) {
        kept[i % 50].push_back(base->name(i));
        try { thrower(i % 500 + 30); } catch (const std::exception &e) { mine.push_back(e.what()); }
        descend(i % 9, [&](int) { mine.push_back(base->name(i)); });
    }
    std::vector<std::thread> threads;
    for (int k = 0; k < 3; k++) threads.emplace_back([] { for (int i = 1; i < 900; i++) { try { thrower(i); } catch (...) {} } });
    for (auto &thread : threads) thread.join();
    std::sort(mine.begin(), mine.end(), [](const std::string &a, const std::string &b) { return a + "x" < b + "x"; });
    std::vector<void *> raw;
    auto compare = [](const void *a, const void *b) -> int { kept[99].push_back(std::string(40, 'q')); return *(const int *)a - *(const int *)b; };
    int numbers[64]; for (int i = 0; i < 64; i++) numbers[i] = i * 37 % 64;
    qsort(numbers, 64, sizeof *numbers, compare);
}
'''
RUST = '''
use std::collections::HashMap;
fn deep(n: u32, f: &dyn Fn(u32) -> Vec<u8>) -> Vec<u8> { if n == 0 { f(n) } else { let mut v = deep(n - 1, f); v.push(1); v } }
fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let mut kept: HashMap<u32, Vec<u8>> = HashMap::new();
    for i in 0..2000u32 {
        kept.insert(i, deep(i % 8, &|n| vec![n as u8; 100]));
        let _ = std::panic::catch_unwind(|| { if i % 10 == 0 { panic!("{}", "x".repeat(200)) } });
    }
    let all: Vec<_> = (0..4).map(|k| std::thread::spawn(move || (0..500).map(|i| format!("{k} {i}")).collect::<Vec<_>>())).collect();
    for thread in all { println!("{}", thread.join().unwrap().len() + kept.len()); }
}
'''
FLAVORS = {'plain': ('-O1',), 'O3': ('-O3', '-flto', '-fno-plt'), 'size': ('-Os', '-no-pie'),
           'checked': ('-O2', '-fcf-protection=full', '-fstack-protector-all')}


def run(command, prefix, environment=None, **options):
    """The dumps of a program and of the processes it started."""
    jemalloc.run([str(word) for word in command],
                 {'PATH': os.environ['PATH'], 'HOME': str(pathlib.Path(prefix).parent), **(environment or {})},
                 prof_prefix=prefix, prof_final=True, lg_prof_sample=options.pop('lg', 10), **options)
    dumps = glob.glob(glob.escape(str(prefix)) + '.*.heap')
    if not dumps:
        raise AssertionError(f'{command[0]} has written no dump')
    return dumps


def info(dumps, *options):
    return json.loads(t.ok('info', '-q', '-fjson', *options, *dumps).out)


def complaints(report):
    return [text for text in [one['text'] for one in report['warnings']] if COMPLAINTS.search(text)]


def all_follow(dumps, least):
    report = info(dumps)
    counts = [(row['path'], row['return_addresses']) for row in report['modules'] if row['return_addresses']]
    faults = [f'{path}: {returns}' for path, returns in counts if returns['not_after_call']]
    checked = sum(returns['checked'] for _, returns in counts)
    faults += complaints(report)
    return faults or ([] if checked >= least else [f'only {checked} addresses']) or \
        f'{checked} addresses of {len(counts)} files'


def repository(folder):
    """Runs git, which starts itself."""
    script = ('git init -q . && for i in 1 2 3; do seq $i 400 >f$i && git add . && '
              'git -c user.name=a -c user.email=a@b commit -qm "$i"; done && git log -p --stat >/dev/null && '
              'git gc -q && git grep -n 39 >/dev/null && git blame f1 >/dev/null')
    work = folder / 'work'
    work.mkdir()
    return run(['sh', '-c', f'cd {work} && {script}'], folder / 'git')


def redis(folder):
    script = ('redis-server --port 0 --unixsocket S --save "" & n=0; until [ -S S ] || [ $n -gt 200 ]; do '
              'n=$((n+1)); sleep .05; done; redis-cli -s S --raw eval "for i=1,20000 do '
              'redis.call(\'set\', i, string.rep(\'x\', 100)); redis.call(\'lpush\', \'l\', i) end" 0; '
              'redis-cli -s S shutdown nosave; wait')
    return run(['sh', '-c', f'cd {folder} && {{ {script.replace("S", str(folder / "s"), 1)}; }} >/dev/null'
                .replace(' S ', f' {folder}/s ')], folder / 'redis', lg=12)


def compiled(folder, name, text, *command):
    source = folder / name
    source.write_text(text)
    program = folder / name.partition('.')[0]
    subprocess.run([*command, '-o', program, source], check=True, stdin=subprocess.DEVNULL)
    return program


def cxx(folder, name):
    compiler = os.environ.get('CXX') or 'c++'
    program = compiled(folder, f'cxx_{name}.cc', CXX, compiler, '-g', '-pthread', *FLAVORS[name])
    return run([program], folder / f'cxx_{name}', lg=5)


def ours(folder, *words):
    return run([folder / 'right_builds', *words], folder / f'ours_{words[0]}', lg=0)


def interrupted(folder):
    """Addresses that the timer interrupted are among the frames, but they are not checked."""
    dumps = ours(folder, 'signals')
    report = info(dumps)
    row = next(row for row in report['modules'] if row['path'].endswith('/right_builds'))
    exempt = row['frames'] - row['return_addresses']['checked']
    faults = [] if exempt >= 4 else [f'only {exempt} of {row["frames"]} frames were interrupted: {row}']
    said = all_follow(dumps, 5)
    return faults + said if isinstance(said, list) else faults or f'{said}, {exempt} frames were interrupted'


def by_hand(folder):
    """A fiber's last return address was never called from: it is not compared."""
    dumps = ours(folder, 'fiber')
    report = info(dumps)
    row = next(row for row in report['modules'] if row['path'].endswith('/right_builds'))
    names = t.ok('folded', '--frames=all', *dumps).out
    said = complaints(report)
    return [] if row['return_addresses']['not_after_call'] == 0 and not said and 'in_fiber' in names else \
        [f'{row} {said} {names}']


def replaced(folder, what):
    """The file was replaced while the program ran, by another build or by the same one."""
    program, dump = folder / f'replaced_{what}', folder / f'replaced_{what}.heap'
    shutil.copy(folder / 'right_builds', program)
    environment = {'LD_PRELOAD': jemalloc.shared_object(), 'PATH': '/bin',
                   'MALLOC_CONF': 'prof:true,lg_prof_sample:0'}
    process = subprocess.Popen([program, 'replaced', dump], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               env=environment)
    if process.stdout.readline() != b'ready\n':
        raise AssertionError('it does not run')
    shutil.copy(folder / ('edited' if what == 'other' else 'right_builds'), folder / 'new')
    os.replace(folder / 'new', program)
    process.communicate(b'go\n', timeout=60)
    report = info([dump])
    row = next(row for row in report['modules'] if row['path'] == str(program))
    said = complaints(report)
    is_other = what == 'other'
    return [] if process.returncode == 0 and row['deleted'] and ['another build' in text for text in said] == [True] * is_other and \
        ('functions' in row['symbols']) != is_other else [f'{row} {said}']


def copied(folder):
    """Another file with the same bytes, made after the dump, is as good as the original: its code is compared."""
    faults = []
    for what in ('moved', 'touched'):
        program = folder / f'copied_{what}'
        shutil.copy(folder / 'right_builds', program)
        dumps = run([program, 'contexts'], folder / f'dump_{what}', lg=0)
        before = next(row['note'] for row in info(dumps)['modules'] if row['path'] == str(program))
        if what == 'moved':
            shutil.copy(program, folder / 'copy')
            os.replace(folder / 'copy', program)
        else:
            for dump in dumps:
                os.utime(dump, (1.6e9, 1.6e9))
        report = info(dumps)
        row = next(row for row in report['modules'] if row['path'] == str(program))
        elsewhere = folder / f'elsewhere_{what}' / program.name
        elsewhere.parent.mkdir()
        shutil.copy(program, elsewhere)
        other = next(row for row in info(dumps, f'--path-map={folder}={elsewhere.parent}')['modules']
                     if row['path'] == str(program))
        if before or row['note'] or complaints(report) or other['note'] or \
                other['return_addresses'] != row['return_addresses']:
            faults.append(f'{what}: {before} {row} {other}')
    return faults


def programs(folder):
    """(name, function that returns dumps, least number of addresses); programs that may be missing come last."""
    yield 'bash with traps', lambda: run(['bash', '-c', BASH], folder / 'bash'), 100
    yield 'python with callbacks, signals, threads', lambda: run(
        [os.path.realpath(sys.executable), '-S', '-c', PYTHON], folder / 'python',
        {'PYTHONMALLOC': 'malloc'}), 200
    yield 'perl with signals', lambda: run(['perl', '-e', PERL], folder / 'perl'), 50
    yield 'git', lambda: repository(folder), 80
    yield 'redis', lambda: redis(folder), 50
    for name in FLAVORS:
        yield f'C++ with exceptions, {name}', lambda name=name: cxx(folder, name), 15
    yield 'Rust with panics and threads', lambda: run([compiled(
        folder, 'rust.rs', RUST, 'rustc', '-g', '-O', '-Cprefer-dynamic=no')], folder / 'rust', lg=5), 15
    if shutil.which('node'):
        yield 'node', lambda: run(['node', '-e', 'let a = []; for (let i = 0; i < 3e4; i++) a.push(JSON.parse('
                                   'JSON.stringify({i, s: "x".repeat(i % 99)}))); require("zlib").gzipSync('
                                   'a.join("").repeat(9))'], folder / 'node'), 20
    yield 'contexts', lambda: ours(folder, 'contexts'), 3


def main():
    with scratch() as folder:
        folder = pathlib.Path(folder)
        compiler = os.environ.get('CC') or 'cc'
        for name, flags in (('right_builds', ()), ('edited', ('-DEDITED',))):
            subprocess.run([compiler, '-O1', '-g', '-w', *flags, '-o', folder / name, SOURCE, '-ldl'], check=True)
        for what, make, least in programs(folder):
            t.check(what, lambda: all_follow(make(), least))
        t.check('every return address follows a call while a timer sends signals', lambda: interrupted(folder))
        if platform.machine() in ('x86_64', 'aarch64'):
            t.check('a hand-made return address at the end of a stack is not compared', lambda: by_hand(folder))
        t.check('a binary replaced by another build during the run is reported', lambda: replaced(folder, 'other'))
        t.check('a binary replaced by its own copy during the run is not reported', lambda: replaced(folder, 'itself'))
        t.check('a binary replaced by its own copy after the run is not reported', lambda: copied(folder))
    t.done()


t = Tests(is_of_machine=True)
jemalloc.shared_object()
main()

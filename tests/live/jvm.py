#!/usr/bin/env python3
"""A Java program that leaks through JNI: a recording of async-profiler, by contrib/jfr/jfr-native-memory --live, and
our sampler with a perf map name the same Java method first.

usage: jvm.py BINARY TESTDATA LIBHPROF_SAMPLER LIBASYNCPROFILER
It needs a JDK 17 and a C compiler.  LIBASYNCPROFILER is libasyncProfiler.so of the package
tools.profiler:async-profiler:4.1.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'properties'))
from harness import Tests, scratch  # noqa: E402

SCRIPT = HERE.parents[1] / 'contrib/jfr/jfr-native-memory'
EVENTS = 'profiler.Malloc,profiler.Free,datadog.NativeMemoryAllocation,jdk.ActiveSetting'

C = r'''
#include <jni.h>
#include <stdlib.h>
JNIEXPORT jlong JNICALL Java_Leak_take(JNIEnv *env, jclass class, jint size) {
    return (jlong)(size_t)calloc(1, (size_t)size);
}
JNIEXPORT void JNICALL Java_Leak_give(JNIEnv *env, jclass class, jlong address) {
    free((void *)(size_t)address);
}
'''

# Most memory is allocated by `churn`, which frees it; `leak` keeps less, `hold` still less.
JAVA = '''
public class Leak {
    static native long take(int size);
    static native void give(long address);
    static void churn(int i) { for (int k = 0; k < 10; k++) { give(take(1000 + i % 7)); } }
    static long leak(int i) { return take(900 + i % 100); }
    static long hold(int i) { return i % 5 == 0 ? take(700) : 0; }
    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        for (int i = 0; i < 200000; i++) { churn(i); leak(i); hold(i); }
        if (args.length > 1) {
            String pid = Long.toString(ProcessHandle.current().pid());
            new ProcessBuilder("jcmd", pid, "Compiler.perfmap").inheritIO().start().waitFor();
        }
    }
}
'''


def shell(*command, **more):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, **more)


def build(folder):
    (folder / 'Leak.java').write_text(JAVA)
    (folder / 'leak.c').write_text(C)
    shell('javac', 'Leak.java', cwd=folder)
    home = pathlib.Path(os.path.realpath(shell('which', 'javac').stdout.decode().strip())).parents[1]
    shell('cc', '-shared', '-fPIC', '-O1', '-fno-omit-frame-pointer', f'-I{home}/include', f'-I{home}/include/linux',
          '-o', 'libleak.so', 'leak.c', cwd=folder)


def record(folder, profiler):
    """The folded stacks of a recording."""
    shell('java', f'-agentpath:{profiler}=start,nativemem=64k,jfr,file=leak.jfr', '-cp', '.', 'Leak',
          folder / 'libleak.so', cwd=folder)
    text = shell('jfr', 'print', '--json', '--stack-depth', '512', '--events', EVENTS, 'leak.jfr', cwd=folder,
                 env={**os.environ, 'TZ': 'UTC'}).stdout
    (folder / 'leak.folded').write_bytes(shell(SCRIPT, '--live', '--interval=65536', input=text).stdout)
    return [folder / 'leak.folded']


def sample(folder, sampler):
    """A dump, and the option with its perf map."""
    settings = f'name:{folder}/app.%p,lg_sample:16,unwind:frame-pointer'
    with subprocess.Popen(['java', '-XX:+PreserveFramePointer', '-cp', '.', 'Leak', folder / 'libleak.so', 'map'],
                          cwd=folder, env={**os.environ, 'LD_PRELOAD': sampler, 'HPROF_SAMPLER': settings}) as java:
        assert java.wait() == 0
    names = pathlib.Path(f'/tmp/perf-{java.pid}.map')
    (folder / names.name).write_bytes(names.read_bytes())
    names.unlink()
    return [f'--perf-map={folder / names.name}', folder / f'app.{java.pid}.heap']


def first_methods(*inputs):
    """The Java methods of the first rows, with their shares."""
    report = json.loads(t.ok('top', '-fjson', '--cum', '--show=Leak[.](churn|leak|hold)', *inputs).out)
    return [(re.search(r'Leak\.(\w+)', row['name'])[1], row['cum']['inuse-space']['estimate'] / 2**20)
            for row in report['rows']]


t = Tests(is_of_machine=True)
with scratch() as scratch_folder:
    place = pathlib.Path(scratch_folder)
    build(place)
    recorded, sampled = (first_methods(*way) for way in (
            record(place, os.path.realpath(sys.argv[4])), sample(place, os.path.realpath(sys.argv[3]))))
    t.check(f'both name one method first: {recorded}, {sampled}',
            [] if recorded[0][0] == sampled[0][0] == 'leak' else ['they differ'])
t.done()

"""Programs of the tests under real jemalloc: Debian's libjemalloc2."""
import glob
import os
import pathlib
import subprocess
import sys


def shared_object():
    """The path of jemalloc.  Without it nothing can be tested."""
    found = glob.glob('/usr/lib/*/libjemalloc.so.2') + glob.glob('/usr/lib*/libjemalloc.so.2')
    if not found:
        print('1..0 # SKIP no libjemalloc.so.2 (Debian: libjemalloc2)')
        sys.exit(0)
    return found[0]


def compile_program(source, directory, *flags):
    program = os.path.join(directory, pathlib.Path(source).stem)
    subprocess.run([os.environ.get('CC') or 'cc', '-std=gnu11', '-O1', '-g', '-pthread',
                    *flags, '-o', program, str(source)], check=True)
    return program


def run(command, environment=None, **options):
    """Run a program with profiling; returns its standard output.  The options are those of MALLOC_CONF, with True and
    False as jemalloc spells them."""
    conf = ','.join(f'{name}:{str(value).lower() if isinstance(value, bool) else value}'
                    for name, value in {'prof': True, **options}.items())
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=300,
                          env={'LD_PRELOAD': shared_object(), 'MALLOC_CONF': conf, 'PATH': '/bin',
                               **(environment or {})})
    return done.stdout

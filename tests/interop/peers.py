"""Programs of npm, in the folder that ./check --peers makes."""
import json
import os
import pathlib
import subprocess
import time

HERE = pathlib.Path(__file__).resolve().parent


class Node:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        self.modules = self.folder / 'node_modules'

    def start(self, *args, **options):
        """Run a program, with these variables in its environment."""
        node = next(self.modules.glob('node-linux-*/bin/node'))
        return subprocess.run([node, *map(str, args)], capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL, timeout=240,
                              env={**os.environ, **options,
                                   'PATH': f'{node.parent}:{os.environ["PATH"]}'})

    def run(self, script, *args):
        """The output of a script in the folder of this file."""
        done = self.start(HERE / script, self.folder, *args)
        if done.returncode != 0:
            raise AssertionError(f'{script} {args}: {done.stdout[:2000]}{done.stderr[:2000]}')
        return done.stdout


class FirefoxProfiler:
    """A file that is open in profiler-cli."""

    def __init__(self, node, path):
        self.node, self.folder = node, str(pathlib.Path(path).parent)
        self.run('load', path)
        for _ in range(60):  # it may still be loading after that
            if self.run('thread', 'info').returncode == 0:
                break
            time.sleep(0.5)

    def run(self, *args):
        return self.node.start(self.node.modules / '.bin' / 'profiler-cli', *args,
                               '--session', 'test', PROFILER_CLI_SESSION_DIR=self.folder)

    def ask(self, *args):
        done = self.run(*args)
        if done.returncode != 0:
            raise AssertionError(f'profiler-cli {args}: {done.stderr}')
        return done.stdout

    def rows(self, thread):
        """(name, self, total) of each function; there may be several of one name."""
        self.ask('thread', 'select', thread)
        return [(row['name'], row['selfSamples'], row['totalSamples'])
                for row in json.loads(self.ask('thread', 'functions', '--json'))['functions']]

    def functions(self, thread):
        """{name: (self, total)}"""
        return {name: numbers for name, *numbers in self.rows(thread)}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.run('stop')

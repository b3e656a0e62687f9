"""Programs of npm, in the folder that ./check --peers makes."""
import os
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent


class Node:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        self.modules = self.folder / 'node_modules'

    def run(self, script, *args, **options):
        """Its output, read as text; `script` stands beside this file."""
        node = next(self.modules.glob('node-linux-*/bin/node'))
        done = subprocess.run([node, HERE / script, self.folder, *map(str, args)],
                              capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL, timeout=240,
                              env={**os.environ, **options})
        if done.returncode != 0:
            raise AssertionError(f'{script} {args}: {done.stdout[:2000]}{done.stderr[:2000]}')
        return done.stdout

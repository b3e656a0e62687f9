"""Shared by the tests of hprof-sim: running it, and TAP output.

    usage of every test: SCRIPT HPROF_SIM
"""
import os
import subprocess
import sys
import traceback


class Tests:
    def __init__(self):
        self.binary = os.path.abspath(sys.argv[1])
        self.count = self.failures = 0

    def check(self, what, faults):
        """One test: `faults` gives a sentence for each thing that is wrong."""
        self.count += 1
        try:
            faults = list(faults())
        except Exception:
            faults = traceback.format_exc().splitlines()
        self.failures += bool(faults)
        print(f'{"not " if faults else ""}ok {self.count} - {what}', flush=True)
        if faults:
            print(what, *faults, sep='\n    ', file=sys.stderr, flush=True)

    def done(self):
        print(f'1..{self.count}')
        sys.exit(1 if self.failures else 0)

    def run(self, *args, status=0):
        """Run hprof-sim, which has to end with that status (None: any)."""
        done = subprocess.run([self.binary, *args], capture_output=True, text=True,
                              timeout=600, check=False)
        if status is not None and done.returncode != status:
            raise AssertionError(f'{args} ended with {done.returncode}, not {status}: '
                                 f'{done.stderr.strip()}')
        return done

#!/usr/bin/env python3
"""The command line, seen from outside.

usage: test_cli.py BINARY TESTDATA [--sample | CASE...]

With --sample every other case.
"""
import sys

sys.dont_write_bytecode = True

import cases_account  # noqa: E402,F401
import cases_arguments  # noqa: E402,F401
import cases_builds  # noqa: E402,F401
import cases_comparison  # noqa: E402,F401
import cases_completions  # noqa: E402,F401
import cases_errors  # noqa: E402,F401
import cases_examples  # noqa: E402,F401
import cases_filters  # noqa: E402,F401
import cases_folded  # noqa: E402,F401
import cases_frames  # noqa: E402,F401
import cases_generated  # noqa: E402,F401
import cases_groups  # noqa: E402,F401
import cases_habits  # noqa: E402,F401
import cases_inputs  # noqa: E402,F401
import cases_jeprof  # noqa: E402,F401
import cases_manifest  # noqa: E402,F401
import cases_output  # noqa: E402,F401
import cases_partials  # noqa: E402,F401
import cases_rows  # noqa: E402,F401
import cases_series  # noqa: E402,F401
import cases_sizes  # noqa: E402,F401
import cases_terminal  # noqa: E402,F401
import cases_totals  # noqa: E402,F401
import harness  # noqa: E402

if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    if sys.argv[3:] == ["--sample"]:
        sys.argv[3:] = [case.__name__ for case in harness.CASES[::2]]
    sys.exit(harness.run_all(sys.argv[1], sys.argv[2], sys.argv[3:]))

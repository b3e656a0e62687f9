#!/usr/bin/env python3
"""A base that was kept as a partial with names replaces its dumps and the file of its build, for programs in C++ that
compilers have inlined.

usage: kept_names.py BINARY TESTDATA SAMPLER

One program and four rebuilds; bench/builds kept uses more, of several compilers.
"""
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import generated  # noqa: E402
import generated_cxx  # noqa: E402
from harness import Tests, scratch  # noqa: E402

t = Tests(is_of_machine=True)


def kept(folder):
    program = generated_cxx.made(pathlib.Path(folder, 'program'), 0, generated.Sampler(sys.argv[3], period=12))

    def one(kind):
        false, is_same, (every, named, _), both = generated_cxx.compare_kept(t, program, kind)
        marked.extend(both.marked)
        return [f'{kind}: {fault}' for fault in (*sorted(false)[:3], *['other rows are significant'] * (not is_same),
                                                 *[f'{named} of {every} bytes have names'] * (named < .999 * every))]

    marked = []
    return t.in_parallel(one, generated_cxx.EDITS) or ([] if marked else ['no row is significant'])


with scratch() as scratched:
    t.check('a base with names and the file of the new build: names and rows as with both files', lambda: kept(scratched))
t.done()

#!/usr/bin/env python3
"""The manual pages, the completions and the page of options agree with the option table.

usage: test_generated.py GENERATOR [--update]
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = {
    "bash": "completions/hprof-agg.bash",
    "zsh": "completions/_hprof-agg",
    "fish": "completions/hprof-agg.fish",
    "options": "docs/reference/options.md",
}
PROSE = {"options": "docs/reference/options.md"}


def scopes_without_command(manual):
    """The number of options that are documented "only with" or "not with" commands without naming a command."""
    return len(re.findall(rb"^(?:Only|Not) with\n(?!\.Cm )", manual, re.MULTILINE))


def main():
    generator, update = sys.argv[1], "--update" in sys.argv
    failed = 0
    for what, name in FILES.items():
        prose = (ROOT / PROSE[what]).read_bytes() if what in PROSE else b""
        made = subprocess.run([generator, what], input=prose, check=True,
                              capture_output=True).stdout
        if update:
            (ROOT / name).write_bytes(made)
        elif (ROOT / name).read_bytes() != made:
            print(f"FAIL {name}: make it again with {sys.argv[0]} GENERATOR --update")
            failed += 1
    pages = subprocess.run([sys.executable, "-B", ROOT / "scripts/manual-pages", generator, *["--update"] * update], check=False)
    failed += pages.returncode != 0
    if scopes_without_command((ROOT / "man/hprof-agg-options.7").read_bytes()) > 0:
        print("FAIL man/hprof-agg-options.7: an option is for commands that are not named")
        failed += 1
    print(f"{len(FILES) + 2 - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""What is to be in one place of the sources is in no other: numbers in LEB128, the list of the members of hp_error, the
last part of a path, joined lists, and the rule whether an input is used.  Each check is also shown a text that breaks
its rule.

usage: test_once.py ROOT
"""
import pathlib
import re
import sys

# What is looked for, the files that may have it, and a text that a check has to find.
RULES = [
    ('numbers in LEB128', r'>= (0x80|\w*MORE); \w+ >>= |& (0x7f|\(\w*MORE - 1\))\)+ << \w+', {'base/varint.h'},
     'for (; n >= 0x80; n >>= 7) {'),
    ('the last part of a path', r"strrchr\([^;]*'/'\)[^;]*;\s*[^;]*slash[^;]*\? slash \+ 1 : path\b",
     {'cli/jeprof/jeprof_stacks.c'},  # cli includes no folder of the library
     "const char *slash = strrchr(path, '/');\n    return slash ? slash + 1 : path;"),
    ('joined lists', r'\? ", "\s*:[^;]*" and "', set(), 'put(i < last ? ", " : i == last ? " and " : "");'),
    ('joined lists', r'\? last : ", "', {'base/span.c'}, 'i == count - 1 ? last : ", "'),
    ('whether an input is used', r'status\s*(<=|<|>)\s*HP_INPUT_', {'inputs/input.h', 'cli/job.c'},
     'input->public.status <= HP_INPUT_KEPT_DAMAGED'),
]
MEMBERS = ('objects_variance', 'observed_bytes', 'hidden_bytes_max', 'excess_bytes_max', 'max_weight', 'period', 'flags',
           'read[')
LIST = 'base/error.h'


def lists_members(text):
    """Whether a text has all members of struct hp_error within 25 lines, as a list of them has."""
    lines = text.splitlines()
    return any(all(any(member in line for line in lines[i:i + 25]) for member in MEMBERS) for i in range(len(lines)))


def faults(name, text):
    """What a file has that is to be elsewhere."""
    found = [what for what, pattern, files, _ in RULES if name not in files and re.search(pattern, text)]
    return found + (['a list of the members of hp_error'] if name != LIST and lists_members(text) else [])


def main(root):
    folder = pathlib.Path(root) / 'src'
    bad = [f'{path.relative_to(folder)}: {what} once more'
           for path in sorted(folder.rglob('*.[ch]'))
           for what in faults(path.relative_to(folder).as_posix(), path.read_text(encoding='utf-8'))]
    bad += [f'the check of {what} does not find {text!r}' for what, _, _, text in RULES
            if what not in faults('toy.c', text)]
    bad += [f'{name} has no {what}' for what, pattern, files, _ in RULES for name in sorted(files)
            if not re.search(pattern, (folder / name).read_text(encoding='utf-8'))]
    if not lists_members('\n'.join(MEMBERS)):
        bad.append('the check of the members of hp_error does not find a list of them')
    print(*bad, f'{len(bad)} faults', sep='\n')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))

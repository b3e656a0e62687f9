#!/usr/bin/env python3
"""What the sources must do in one place only, or not at all.  Each pattern is also tried on a text that it must find.

usage: one_place.py SOURCE_ROOT
"""
import pathlib
import re
import sys

# What no line of a folder may have: a title, the folder, a pattern, and a line that it finds.
FORBIDDEN = (
    ('formats ask what a report is, not which one it is', 'src/report', r'[!=]= HP_REPORT_',
     'if (view->options.kind == HP_REPORT_DIFF) {'),
    ('commas of JSON are written by struct hp_json', 'src/report/json', r'\? ",',
     'hp_sink_text(out, i > 0 ? ", " : "");'),
    ('tables have no control bytes between cells', 'src', r'\\03[67]', '#define MARK "\\037"'),
)
# What only some files may have: a title, a pattern, these files, and a text that the pattern finds.
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


def lines_with(root, folder, pattern):
    for path in sorted((root / folder).rglob('*.[ch]')):
        for number, line in enumerate(path.read_text(encoding='utf-8').splitlines(), 1):
            if re.search(pattern, line):
                yield f'{path.relative_to(root)}:{number}: {line.strip()}'


def forbidden(root):
    for title, folder, pattern, example in FORBIDDEN:
        found = list(lines_with(root, folder, pattern))
        yield title, found + ([] if re.search(pattern, example) else [f'the pattern does not find: {example}'])


def elsewhere(root):
    texts = {path.relative_to(root / 'src').as_posix(): path.read_text(encoding='utf-8')
             for path in sorted((root / 'src').rglob('*.[ch]'))}
    for title, pattern, files, example in RULES:
        found = [f'{name} has it, too' for name, text in texts.items() if name not in files and re.search(pattern, text)]
        found += [f'{name} does not have it' for name in sorted(files) if not re.search(pattern, texts[name])]
        yield f'in one place: {title}', found + ([] if re.search(pattern, example) else [f'the pattern does not find: {example}'])
    found = [f'{name} has it, too' for name, text in texts.items() if name != LIST and lists_members(text)]
    yield 'in one place: the list of the members of hp_error', found + (
        [] if lists_members('\n'.join(MEMBERS)) else ['the check does not find a list'])


def main(root):
    failed, number = 0, 0
    for number, (title, found) in enumerate([*forbidden(pathlib.Path(root)), *elsewhere(pathlib.Path(root))], 1):
        print(*(f'# {fault}' for fault in found), f'{"not " if found else ""}ok {number} - {title}', sep='\n')
        failed += bool(found)
    print(f'1..{number}')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

#!/usr/bin/env python3
"""What the sources must do in one place only, or not at all.

usage: one_place.py SOURCE_ROOT

Each row of FORBIDDEN is a pattern that no line of a folder may have, with a line that has it: the test fails if
the pattern does not find that line.
"""
import pathlib
import re
import sys

FORBIDDEN = (
    ('formats ask what a report is, not which one it is', 'src/report', r'[!=]= HP_REPORT_',
     'if (view->options.kind == HP_REPORT_DIFF) {'),
    ('commas of JSON are written by struct hp_json', 'src/report/json', r'\? ",',
     'hp_sink_text(out, i > 0 ? ", " : "");'),
    ('tables have no control bytes between cells', 'src', r'\\03[67]', '#define MARK "\\037"'),
)


def faults(root, folder, pattern):
    for path in sorted((root / folder).rglob('*.[ch]')):
        for number, line in enumerate(path.read_text(encoding='utf-8').splitlines(), 1):
            if re.search(pattern, line):
                yield f'{path.relative_to(root)}:{number}: {line.strip()}'


def main(root):
    failed = 0
    print(f'1..{len(FORBIDDEN)}')
    for number, (title, folder, pattern, example) in enumerate(FORBIDDEN, 1):
        found = list(faults(pathlib.Path(root), folder, pattern))
        if not re.search(pattern, example):
            found.append(f'the pattern does not find: {example}')
        print(*(f'# {fault}' for fault in found), f'{"not " if found else ""}ok {number} - {title}', sep='\n')
        failed += bool(found)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

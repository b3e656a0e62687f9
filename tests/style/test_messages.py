#!/usr/bin/env python3
"""Each message has a code next to its sentence, no other place of the program has this code, and the sentence is short.

    usage: test_messages.py ROOT
"""
import pathlib
import re
import sys

# The functions that take a sentence, or words of one, and the number of that argument.
TAKES = {
    'hp_fail': 2, 'hp_fail_errno': 1, 'hp_cli_fail': 2, 'hp_cli_fail_errno': 3, 'hp_cli_message': 0, 'hp_cli_say': 0,
    'hp_profile_warn': 1, 'hp_profile_warn_as': 2, 'hp_sym_diagnose': 2, 'hp_message_print': 2, 'hp_cursor_fail': 1,
    'hp_cursor_expect': 2, 'hp_dump_malformed': 1, 'hp_numbers_fail': 1, 'hp_proto_fail': 1, 'hp_scan_damaged': 1,
    'hp_scan_fail': 1,
}
CODE = r'[a-z0-9]+(-[a-z0-9]+)*(: %?)?'  # a value may follow a code of words
STRING = r'"(?:[^"\\]|\\.)*"'
VALUE = re.compile(r'%[-+ #.*0-9hlzjt]*[a-zA-Z%]')
LONGEST = 100  # letters of a sentence without its values
# What a screen says of its columns and methods is measured where screens are.
SCREENS = re.compile(r'src/report/|src/view/.*:note-')
TOKEN = re.compile(STRING + r"|'(?:[^'\\]|\\.)+'|//[^\n]*|[(),]", re.S)


def arguments(text, start):
    """The arguments of the call whose parenthesis is before `start`."""
    depth, begin, found = 0, start, []
    for token in TOKEN.finditer(text, start):
        if token[0] in ',)' and depth == 0:
            found.append(text[begin:token.start()])
            begin = token.end()
            if token[0] == ')':
                return found
        depth += {'(': 1, ')': -1}.get(token[0], 0)
    raise ValueError(f'a call without an end: {text[start:start + 40]}')


def coded(text):
    """(start, code, sentence) of each message, and of each part of one."""
    for macro in re.finditer(r'(?<!define )\bHP_(?:MESSAGE|WORDS)\(', text):
        code, *rest = arguments(text, macro.end())
        strings = re.findall(STRING, ','.join(rest))
        yield macro.start(), code.strip()[1:-1], ''.join(string[1:-1] for string in strings)


def is_bare(argument):
    """Whether the argument has words without a code. A warning that is printed as it is has its own."""
    rest = re.sub(r'\bHP_(?:MESSAGE|WORDS)\((?:[^()"]|' + STRING + r')*\)', '', argument)
    words = ' '.join(re.sub(r'%[-+ #.*0-9hlzjt]*[a-zA-Z]', '', string[1:-1]) for string in re.findall(STRING, rest))
    return re.search('[a-z]', re.sub(r'^warning: $', '', words)) is not None


def faults_of(sources):
    places = {}
    for path, text in sources:
        for start, code, sentence in coded(text):
            place = f'{path}:{text.count(chr(10), 0, start) + 1}'
            if not re.fullmatch(CODE, code):
                yield f'{place}: {code} is no code: lower case, digits and hyphens'
            if code in places:
                yield f'{place}: {code} is also the code at {places[code]}'
            if sentence.startswith('damaged') != code.startswith('damaged'):
                yield f'{place}: the sentence or the code, and not both, begin with "damaged": {code}'
            if len(VALUE.sub('', sentence)) > LONGEST and not SCREENS.match(f'{path}:{code}'):
                yield f'{place}: {code} has more than {LONGEST} letters: {sentence}'
            places[code] = place
        for call in re.finditer(r'\b(' + '|'.join(TAKES) + r')\(', text):
            given = arguments(text, call.end())
            if len(given) > TAKES[call[1]] and is_bare(given[TAKES[call[1]]]):
                line = text.count('\n', 0, call.start()) + 1
                yield f'{path}:{line}: {call[1]} takes a sentence without a code'
    if not places:
        yield 'no code at all'


PLANTED = {
    'hp_fail(err, HP_E_IO, "cannot read %s", name);': 'without a code',
    'hp_fail(err, HP_E_IO, is ? HP_MESSAGE("a-b", "a, (b") : "cannot");': 'without a code',
    'hp_cursor_expect(c, 39, HP_WORDS("a b", "c"));': 'is no code',
    'f(HP_WORDS("a", "c"), HP_MESSAGE("a", "d"));': 'also the code',
    'f(HP_MESSAGE("a", "damaged: %s"));': 'begin with',
    'f(HP_MESSAGE("a", "%s' + 101 * 'x' + '"));': 'more than 100',
}


def main(root):
    sources = [(path.relative_to(root), re.sub(r'(?m)^( *)//.*', r'\1//', path.read_text(encoding='utf-8')))
               for path in sorted(pathlib.Path(root, 'src').rglob('*.[ch]'))]
    faults = list(faults_of(sources))
    for text, fault in PLANTED.items():
        if not any(fault in found for found in faults_of([('planted.c', text)])):
            faults.append(f'not found in {text}')
    print(*faults, sep='\n')
    print(f'{len(sources)} files, {len(faults)} faults')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

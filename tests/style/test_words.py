#!/usr/bin/env python3
"""check-words finds words in each kind of text, leaves code and comments alone, and its list can only shrink.

usage: test_words.py CHECK_WORDS
"""
import pathlib
import subprocess
import sys
import tempfile

CHECK = pathlib.Path(sys.argv[1]).resolve()
GUIDE = '# Guide\n\nText.\n\n| never | use |\n|---|---|\n| tell, told | say |\n| so many | N |\n\n| judge | use |\n|---|---|\n| whole | complete |\n'
TREE = {
    'docs/design/style.md': GUIDE,
    'README.md': 'The whole dump.\n\n    hprof-agg told\n\n```\ntold\n```\nA key is `identified_by`, a value `told`.\n',
    'man/pages/hprof-agg.md': '# NAME\nA retold story.\n',
    'src/a.c': '#include "told.h"\n// It is told. "told"\n/* told */\nint c = \'"\'; // "told"\nconst char *s = "key_told";\n',
    'src/report/html/page/a.js': "// told\nput('ages');\n",
    'tests/style/words.tsv': '# files\n',
}
# Name of the case, file, text that is put at its end, and words of a line of the answer.
PLANTED = [
    ('a document', 'README.md', 'It is Told.\n', 'README.md:9: "Told"'),
    ('a table of a document', 'README.md', '| told |\n', 'README.md:9: "told"'),
    ('the prose of the guide', 'docs/design/style.md', '\nTell it.\n', 'style.md:14: "Tell"'),
    ('a phrase of two lines', 'man/pages/hprof-agg.md', 'there are so\nmany dumps\n', '.md:3: "so many"'),
    ('a string', 'src/a.c', 'const char *t = "is told";\n', 'src/a.c:6: "told"'),
    ('a phrase of two strings', 'src/a.c', 'const char *t = "so "\n    "many";\n', 'src/a.c:6: "so many"'),
    ('a string after an escaped quote', 'src/a.c', 'const char *t = "\\"told";\n', 'src/a.c:6: "told"'),
    ('JavaScript', 'src/report/html/page/a.js', "put('told', `x`);\n", 'a.js:3: "told"'),
]


def check(root, *options):
    return subprocess.run([CHECK, *options, root], capture_output=True, text=True)


def write(root, tree):
    for name, text in tree.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding='utf-8')


def cases():
    """(name, whether it holds, what the program printed)."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        write(root, TREE)
        ran = check(root)
        yield 'nothing is found in code, comments and other words', ran.returncode == 0, ran.stdout
        for name, path, text, answer in PLANTED:
            write(root, {path: TREE[path] + text})
            ran = check(root)
            yield name, ran.returncode == 1 and answer in ran.stdout, ran.stdout
            write(root, {path: TREE[path]})
        listed = {'README.md': 'told\n', 'tests/style/words.tsv': '# files\nREADME.md\t1\n'}
        write(root, listed)
        yield 'a listed word is allowed', check(root).returncode == 0, ''
        write(root, {'README.md': 'told told\n'})
        ran = check(root, '--update')
        yield 'the list cannot grow', ran.returncode == 1 and 'may have 1' in ran.stdout, ran.stdout
        write(root, {'README.md': 'said\n'})
        ran = check(root)
        yield 'a file with fewer words has to leave the list', ran.returncode == 1, ran.stdout
        ran = check(root, '--update')
        rest = (root / 'tests/style/words.tsv').read_text(encoding='utf-8')
        yield '--update lowers the list', ran.returncode == 0 and rest == '# files\n', rest
        write(root, {'docs/design/style.md': '# Guide\n'})
        yield 'a guide without a table is an error', check(root).returncode == 1, ''


def main():
    results = list(cases())
    print(f'1..{len(results)}')
    for number, (name, holds, printed) in enumerate(results, 1):
        print(f'{"ok" if holds else "not ok"} {number} - {name}')
        if not holds:
            print('#', *printed.splitlines(), sep='\n# ')


if __name__ == '__main__':
    main()

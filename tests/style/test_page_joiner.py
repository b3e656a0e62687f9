#!/usr/bin/env python3
"""The joiner of a page's files removes whole-line comments and indentation, and nothing else, computes the digest of
the result, and refuses files that this would change in meaning.

    usage: test_page_joiner.py PAGE_JOINER
"""
import base64
import hashlib
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

JOINER = sys.argv.pop(1)


class Joiner(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='hprof-agg-')
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def join(self, *texts, kind='js'):
        """The contents of the C source, {'script': (bytes, digest), 'style': ...}, or the error message."""
        paths = [self.folder / f'{i}.{kind}' for i in range(len(texts))]
        for path, text in zip(paths, texts):
            path.write_text(text, encoding='utf-8')
        out = self.folder / 'out.c'
        done = subprocess.run([JOINER, out, *paths], capture_output=True, text=True, check=False)
        if done.returncode:
            return done.stderr
        found = {}
        source = out.read_text(encoding='utf-8')
        for name, numbers in re.findall(r'hp_html_(\w+)\[\] = \{([^}]*)\}', source):
            text = bytes(map(int, numbers.split(',')))[:-1]
            self.assertEqual(int(re.search(rf'{name}_size = (\d+)', source)[1]), len(text))
            found[name] = text, re.search(rf'{name}_sha256\[\] = "(.*)"', source)[1]
        return found

    def test_comments_and_indentation_go_and_files_keep_their_order(self):
        found = self.join("// one\n'use strict';\n\n  // two\n  let a = 'b  // c'; // d\n", 'a();\n')
        self.assertEqual(found['script'][0], b"'use strict';\nlet a = 'b  // c'; // d\na();\n")
        self.assertEqual(found['style'][0], b'')

    def test_digests_are_those_of_what_is_left(self):
        for text in ('a();\n', '// b\n' + 'c();\n' * 1000):
            script, digest = self.join(text)['script']
            self.assertEqual(base64.b64encode(hashlib.sha256(script).digest()).decode(), digest)

    def test_styles_lose_comments_of_a_line(self):
        found = self.join('/* one */\na {\n  b: c; /* two */\n}\n/* d */ e {\n}\n', kind='css')
        self.assertEqual(found['style'][0], b'a {\nb: c; /* two */\n}\n/* d */ e {\n}\n')

    def test_what_would_be_harmed_is_refused(self):
        for text, why in (('a = `b\n  // c`;\n', '0.js:1: a template goes over lines'),
                          ("a = 'it`s';\nb = `c\\`\n`;\n", '0.js:2: a template'),
                          ('/* a\n b */\n', '0.js:1: a comment goes over lines'),
                          ("a = '</ScRiPt>';\n", '0.js:1: would be taken for HTML'),
                          ("a = '<!--';\n", '0.js:1: would be taken'),
                          ("a = 'é';\n", '0.js:1: is not printable'),
                          ('a();\tb();\n', '0.js:1: is not printable'),
                          ('a();', '0.js:1: a line is too long, or does not end'),
                          ('a' * 5000 + '\n', '0.js:1: a line is too long')):
            self.assertIn(why, self.join(text), text)
        self.assertIn('would be taken', self.join('a::after { content: "</style>"; }\n', kind='css'))

    def test_what_only_looks_so_is_not(self):
        for line in ("a = '`';", 'a = `b`;', "a = '\\\\'; b = `c`;", 'a = b /* c */ + d;', "a = 'it\\'s `'; // `",
                     'a = "/* b";'):
            self.assertEqual(self.join(line + '\n')['script'][0].decode(), line + '\n')


unittest.main()

#!/usr/bin/env python3
"""check-layers finds each fault that is put into a small tree, and none in the tree itself.

usage: test_layers.py CHECK_LAYERS
"""
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

CC = shlex.split(os.environ.get('CC') or 'cc')
FLAGS = ['-O0', '-fsanitize=address,undefined']  # as where the tests run
CHECK = pathlib.Path(sys.argv[1]).resolve()

TREE = {
    'base/sum.h': 'int hp_sum(int a, int b);\n',
    'base/sum.c': '#include "base/sum.h"\nint hp_sum(int a, int b) { return a + b; }\n',
    'model/mean.h': 'int hp_mean(int a, int b);\nextern const int hp_two;\n',
    'model/mean.c': '#include "model/mean.h"\n#include "base/sum.h"\n'
                    'const int hp_two = 2;\n'
                    'int hp_mean(int a, int b) { return hp_sum(a, b) / hp_two; }\n',
    'report/line.c': '#include "model/mean.h"\n'
                     'int hp_line(void);\nint hp_line(void) { return hp_mean(1, 3); }\n',
    'cli/main.c': 'int main(void) { return 0; }\n',
    'cli/generator.c': 'int main(void) { return 1; }\n',
}
LIBRARY = {name: 'lib.a.p' for name in TREE if not name.startswith('cli/')}
PROGRAMS = {'cli/main.c': 'main.p', 'cli/generator.c': 'generator.p'}


SAMPLER = {
    'sampler/core/gap.h': 'int hps_gap(int period);\n',
    'sampler/core/gap.c': '#include "core/gap.h"\nint hps_gap(int period) { return period; }\n',
    'sampler/sim/plan.c': '#include "core/gap.h"\nint hps_plan(void);\nint hps_plan(void) { return hps_gap(9); }\n',
}


def path_of(name):
    return name if name.startswith('sampler/') else f'src/{name}'


def compile_tree(root, targets):
    """Compile the objects, and write the lists that meson would write."""
    build = root / 'build'
    commands = []
    for name in sorted(name for name in targets if name.endswith('.c')):
        out = f'{targets[name]}/{name.replace("/", "_")}.o'
        (build / out).parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([*CC, *FLAGS, '-I../src', '-I../sampler', '-c', f'../{path_of(name)}', '-o', out],
                       cwd=build, check=True)
        commands.append({'directory': str(build), 'file': f'../{path_of(name)}', 'output': out})
    (build / 'compile_commands.json').write_text(json.dumps(commands), encoding='utf-8')
    return build


def write_tree(root, tree):
    for name, text in tree.items():
        path = root / path_of(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding='utf-8')


def look(planted=None, targets=None, rule=None):
    """(status, messages) of check-layers for the tree with some files added."""
    planted = planted or {}
    with tempfile.TemporaryDirectory(prefix='hprof-agg-') as scratch:
        root = pathlib.Path(scratch)
        write_tree(root, {**TREE, **planted})
        built = {**LIBRARY, **PROGRAMS, **dict.fromkeys(planted, 'lib.a.p'), **(targets or {})}
        build = compile_tree(root, built)
        check = CHECK
        if rule:
            check = root / 'check-layers'
            text = CHECK.read_text(encoding='utf-8')
            check.write_text(text.replace('FORBIDDEN = [\n', f'FORBIDDEN = [\n    {rule},\n'),
                             encoding='utf-8')
        done = subprocess.run([sys.executable, '-B', check, root, build], check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout


# (title, the change of the tree, the expected message of check-layers; empty: no fault)
CASES = (
    ('a tree without a fault passes, sanitized, with two programs', {}, ()),
    ('an include of a folder above fails',
     {'planted': {'base/sum.c': '#include "base/sum.h"\n#include "model/mean.h"\n'
                                'int hp_sum(int a, int b) { return a + b; }\n'}},
     ('base/sum.c: must not include model/mean.h', 'a circle of modules: base/sum -> model/mean -> base/sum')),
    ('headers that include each other in a circle fail',
     {'planted': {'base/one.h': '#pragma once\n#include "base/two.h"\n',
                  'base/two.h': '#pragma once\n#include "base/one.h"\n'}},
     ('a circle of includes: base/one.h -> base/two.h -> base/one.h',
      'a circle of modules: base/one -> base/two -> base/one')),
    ('a header and a source that include what leads back to them fail',
     {'planted': {'base/one.h': '#pragma once\n', 'base/one.c': '#include "base/two.h"\nint hp_one;\n',
                  'base/two.h': '#pragma once\n#include "base/one.h"\n'}},
     ('a circle of modules: base/one -> base/two -> base/one',)),
    ('two objects that link to each other fail, though no include shows it',
     {'planted': {'base/even.c': 'int hp_odd(int n);\nint hp_even(int n);\n'
                                 'int hp_even(int n) { return !n || hp_odd(n - 1); }\n',
                  'base/odd.c': 'int hp_even(int n);\nint hp_odd(int n);\n'
                                'int hp_odd(int n) { return n && hp_even(n - 1); }\n'}},
     ('a circle of links: base/even.c -> base/odd.c (hp_odd) -> base/even.c (hp_even)',)),
    ('three objects that link in a circle through data fail',
     {'planted': {'report/line.c': '#include "model/mean.h"\nint (*const hp_line)(int, int);\n'
                                   'int (*const hp_line)(int, int) = hp_mean;\n',
                  'base/sum.c': 'extern int (*const hp_line)(int, int);\n'
                                'int hp_sum(int a, int b);\n'
                                'int hp_sum(int a, int b) { return hp_line(a, b); }\n'}},
     ('a circle of links: base/sum.c -> report/line.c (hp_line) -> model/mean.c (hp_mean) '
      '-> base/sum.c (hp_sum)',)),
    ('two circles apart are two faults',
     {'planted': {'base/a.c': 'void hp_b(void); void hp_a(void); void hp_a(void) { hp_b(); }\n',
                  'base/b.c': 'void hp_a(void); void hp_b(void); void hp_b(void) { hp_a(); }\n',
                  'base/c.c': 'void hp_d(void); void hp_c(void); void hp_c(void) { hp_d(); }\n',
                  'base/d.c': 'void hp_c(void); void hp_d(void); void hp_d(void) { hp_c(); }\n'}},
     ('base/a.c -> base/b.c (hp_b) -> base/a.c (hp_a)',
      'base/c.c -> base/d.c (hp_d) -> base/c.c (hp_c)')),
    ('the sampler passes, whose files name each other from its own folder', {'planted': SAMPLER}, ()),
    ('an include of src/ in the sampler fails',
     {'planted': {**SAMPLER, 'sampler/core/near.c': '#include "base/sum.h"\n'}},
     ('sampler/core/near.c: must not include base/sum.h',)),
    ('an include of the sampler in src/ fails',
     {'planted': {**SAMPLER, 'base/near.c': '#include "core/gap.h"\n'}},
     ('base/near.c: must not include core/gap.h',)),
    ('an include of a room above in the sampler fails, and a circle',
     {'planted': {**SAMPLER, 'sampler/core/gap.h': '#pragma once\n#include "sim/plan.h"\nint hps_gap(int period);\n',
                  'sampler/sim/plan.h': '#pragma once\n#include "core/gap.h"\n'}},
     ('sampler/core/gap.h: must not include sim/plan.h',
      'a circle of includes: sampler/core/gap.h -> sampler/sim/plan.h -> sampler/core/gap.h',
      'a circle of modules: sampler/core/gap -> sampler/sim/plan -> sampler/core/gap')),
    ('two files of the sampler that link to each other fail',
     {'planted': {'sampler/core/a.c': 'void hps_b(void); void hps_a(void); void hps_a(void) { hps_b(); }\n',
                  'sampler/sim/b.c': 'void hps_a(void); void hps_b(void); void hps_b(void) { hps_a(); }\n'}},
     ('sampler/core/a.c -> sampler/sim/b.c (hps_b) -> sampler/core/a.c (hps_a)',)),
    ("another program's malloc() closes no circle",
     {'planted': {'base/sum.c': 'void *malloc(unsigned long);\nint hp_sum(int a, int b);\n'
                                'int hp_sum(int a, int b) { return a + b + !malloc(1); }\n',
                  'cli/wrapper.c': 'int hp_sum(int a, int b);\nvoid *malloc(unsigned long n);\n'
                                   'void *malloc(unsigned long n) {\n'
                                   '    return hp_sum(0, (int)n) ? 0 : &malloc;\n}\n'},
      'targets': {'cli/wrapper.c': 'wrapper.p'}},
     ()),
    ('two sources of one name fail',
     {'planted': {'report/sum.c': 'int hp_report;\n'}},
     ('more than one sum.c: base/sum.c, report/sum.c',)),
    ('two headers of one name fail, deep in folders as well',
     {'planted': {'report/text/mean.h': '#pragma once\n'}},
     ('more than one mean.h: model/mean.h, report/text/mean.h',)),
    ('a rule on words is one line, and holds in all of its folder and nowhere else',
     {'planted': {'report/text/row.c': 'int hp_row;\n\nint hp_secret; // secret->inputs\n',
                  'base/secret.h': 'struct hp_secret;\n'},
      'rule': r"('report', r'\bhp_secret\b|\bsecret->')"},
     ('report/text/row.c:3: must not contain hp_secret',
      'report/text/row.c:3: must not contain secret->')),
)


def main():
    failed = 0
    print(f'1..{len(CASES)}')
    for number, (what, tree, expected) in enumerate(CASES, 1):
        status, said = look(**tree)
        good = (status == (1 if expected else 0) and f', {len(expected)} faults\n' in said
                and all(line in said for line in expected))
        failed += not good
        print(f'{"" if good else "not "}ok {number} - {what}', flush=True)
        if not good:
            print(f'{what}: it ended with {status} and said\n{said}', file=sys.stderr)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())

#!/usr/bin/env python3
"""tests/areas.tsv names tests that are there, an area for each file, and a reason for each suite; and of each folder
of src/ whose threats have mutants the tests of its area see one at least.

usage: test_areas.py AFFECTED_TESTS ROOT BUILD
"""
import collections
import importlib.machinery
import importlib.util
import json
import pathlib
import subprocess
import sys


def loaded(path):
    """The script as a module."""
    loader = importlib.machinery.SourceFileLoader('affected_tests', path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def test_of(title):
    """The name in meson of the test that a row of threats names."""
    first, _, rest = title.partition(':')
    return {'cli': 'cli', 'unit': rest.partition(':')[0]}.get(first, pathlib.Path(first).stem)


def unseen_rooms(affected, threats):
    """Folders of src/ whose mutants no test of their area notices."""
    seen = collections.defaultdict(list)
    for line in threats.read_text(encoding='utf-8').splitlines():
        row = line.split('\t')
        if len(row) == 5 and not line.startswith('#') and row[2] != 'none':
            names = [name.replace('-', '_') for name in affected([f'src/{row[2]}'])[0]]
            seen[row[2].partition('/')[0]].append(test_of(row[1]).replace('-', '_') in names)
    return [room for room, found in seen.items() if not any(found)]


def main(script, root, build):
    scripts, root = loaded(script), pathlib.Path(root)
    tests = json.loads(subprocess.run(['meson', 'introspect', '--tests', build], check=True,
                                      stdout=subprocess.PIPE).stdout)
    names = {test['name'] for test in tests}
    suites = {suite.split(':')[-1] for test in tests for suite in test['suite']}
    faults = [f'{pattern}: there is no test {name}' for pattern, listed, _ in scripts.areas()
              for name in listed if name not in names]
    lines = (root / 'tests/areas.tsv').read_text(encoding='utf-8').splitlines()
    reasons = {line.split('\t')[0].removeprefix('suite ') for line in lines if line.startswith('suite ')}
    faults += [f'{suite}: a suite without a reason, or a reason without a suite' for suite in suites ^ reasons]
    for folder in ('src', 'sampler', 'include', 'man', 'schema'):
        faults += [f'{path} is in no area' for path in sorted((root / folder).rglob('*'))
                   if path.is_file() and not scripts.affected([str(path.relative_to(root))])[0]]
    faults += [f'{room}: none of its mutants is seen by the tests of its area'
               for room in unseen_rooms(scripts.affected, root / 'tests/threats.tsv')]
    print(*faults, f'{len(names)} tests, {len(suites)} suites, {len(faults)} faults', sep='\n')
    return 1 if faults or not names else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

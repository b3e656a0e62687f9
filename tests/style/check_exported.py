#!/usr/bin/env python3
"""The shared library exports exactly the functions in exported.txt, which the public headers mark as its interface;
its soname contains a version number.

    usage: check_exported.py LIBRARY LIST HEADERS
"""
import pathlib
import re
import subprocess
import sys


def exported(library):
    told = subprocess.run(['nm', '-D', '--defined-only', '-P', library], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    return {line.split()[0] for line in told.splitlines()}


def soname(library):
    told = subprocess.run(['readelf', '-d', library], check=True, stdout=subprocess.PIPE,
                          text=True).stdout
    found = re.search(r'SONAME.*\[(.*)\]', told)
    return found[1] if found else 'none'


def declared(headers):
    text = ''.join(re.sub(r'//.*', '', header.read_text(encoding='utf-8'))
                   for header in sorted(headers.glob('*.h')))
    return set(re.findall(r'^HP_API\s[^;{]*?\b(hp_\w+)\(', text, re.M))


def main(library, listed, headers):
    wanted = set(pathlib.Path(listed).read_text(encoding='utf-8').split())
    faults = [f'{library} exports {name}, which {listed} does not list'
              for name in sorted(exported(library) - wanted)]
    faults += [f'{library} does not export {name}' for name in sorted(wanted - exported(library))]
    faults += [f'{name} is either in {headers} or in {listed}'
               for name in sorted(declared(pathlib.Path(headers)) ^ wanted)]
    if soname(library) != 'libhprof-agg.so.0':
        faults.append(f'{library} is asked for as {soname(library)}')
    print(*faults, sep='\n')
    print(f'{len(wanted)} names, {len(faults)} faults')
    return 1 if faults or not wanted else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

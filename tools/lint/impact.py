#!/usr/bin/python3
"""Number of compile units of build/ that an edit of a file compiles again, by ninja's data from the last build. Without
a file, holds the limits of what configuration and control must not see: the engines of the data plane.

usage: impact.py [FILE...]   also: tools/build --impact FILE...
"""
import json
import os
import subprocess
import sys

from common import ROOT

BUILD = os.path.join(ROOT, 'build')
LIMITS = {
    'dataplane/rlc/am_entity.h': 50,
    'dataplane/aqm/codel.h': 50,
    'dataplane/link/cell.h': 37,
}


def units_of(deps):
    """By compile unit, the files that it was compiled from; `deps` is the output of `ninja -t deps`."""
    units, sources = {}, None
    for line in deps.splitlines():
        if line.startswith(' '):
            if sources is not None:
                sources.add(os.path.normpath(os.path.join('build', line.strip())))
        elif ': #deps ' in line:
            name = line.split(':')[0]
            sources = units.setdefault(name, set()) if name.endswith('.o') else None
    return units


def impact(path, units):
    return sum(path in sources for sources in units.values())


def findings(units):
    for path, limit in LIMITS.items():
        if not os.path.exists(os.path.join(ROOT, path)):
            yield f'{path}: is not there; mend the table in tools/lint/impact.py'
        elif (number := impact(path, units)) > limit:
            yield f'{path}: an edit compiles {number} units again, expected at most {limit}; find out who includes it'


def built():
    """The units of the last build but those that `tools/build --usual` leaves out. It must have been a whole one, or a
    number would say too little."""
    if not os.path.exists(os.path.join(BUILD, 'build.ninja')):
        sys.exit('no build; run tools/build')
    deps = subprocess.run(['ninja', '-C', BUILD, '-t', 'deps'], check=True, capture_output=True, text=True).stdout
    with open(os.path.join(BUILD, 'meson-info', 'intro-targets.json'), encoding='utf-8') as file:
        left_out = tuple(os.path.relpath(program, os.path.realpath(BUILD)) + '.p/' for target in json.load(file)
                         if target['type'] == 'executable' and not target['build_by_default']
                         for program in target['filename'])
    units = {name: sources for name, sources in units_of(deps).items() if not name.startswith(left_out)}
    with open(os.path.join(BUILD, 'compile_commands.json'), encoding='utf-8') as file:
        outputs = [command['output'] for command in json.load(file)]
    wanted = {name for name in outputs if name.endswith('.o') and not name.startswith(left_out)}
    if missing := wanted - set(units):
        sys.exit(f'{len(missing)} of {len(wanted)} units have not been compiled; run tools/build')
    return units


EXAMPLE = """a.p/one.cc.o: #deps 2, deps mtime 1 (VALID)
    ../dataplane/one.cc
    ../dataplane/one.h

a.p/pch.hh.gch: #deps 1, deps mtime 1 (VALID)
    ../dataplane/one.h

b.p/two.cc.o: #deps 2, deps mtime 1 (STALE)
    ../two.cc
    /usr/include/stdio.h
"""


def main(paths):
    if impact('dataplane/one.h', units_of(EXAMPLE)) != 1 or len(units_of(EXAMPLE)) != 2:
        sys.exit(f'{sys.argv[0]}: self-test: misreads its example')
    units = built()
    for path in paths:
        known = os.path.relpath(os.path.join(ROOT, path), ROOT)
        if not os.path.exists(os.path.join(ROOT, known)):
            sys.exit(f'{path}: no such file below {ROOT}')
        print(f'{known}: {impact(known, units)} of {len(units)} units')
    if paths:
        return
    found = list(findings(units))
    print('\n'.join(found) if found else f'{len(LIMITS)} files, {len(units)} units')
    sys.exit(1 if found else 0)


if __name__ == '__main__':
    main(sys.argv[1:])

#!/usr/bin/python3
"""Every header with functions names its tests. A header of dataplane/, control/ or config/ has a test file of its
name in the folder of tests/unit that mirrors its own, or its head comment ends with lines such as

// Tests: tests/unit/worker/short_way_test.cc, tests/contract/spine_contract_test.cc

A file that such a line names exists, and it includes the header, uses a name that the header declares, or cites the
header or its folder. A header without functions needs no test. The others are listed in tests.txt, which only shrinks.

tests.py --shrink writes the list anew: headers that have tests now leave it, moved ones stay. It may not grow.
"""
import os
import re
import sys

from common import ROOT, read, tracked, without_comments
from sizes import functions_of_c

LIST = 'tools/lint/tests.txt'
HOUSES = ('dataplane/', 'control/', 'config/')
LINE = re.compile(r'^// Tests: (.*)$', re.MULTILINE)
DECLARED = re.compile(r'\b(?:class|struct|union|enum(?: class)?|concept|using)\s+(\w+)')
# A function or a constant that is declared at the start of a line, outside of classes.
FREE = re.compile(r'^(?!\s|#|//|using\b|namespace\b|template\b|extern\b)[^\n;{}()=]*?\b(\w+)(?:\(|\{|\s=)', re.MULTILINE)
DECLARATION = re.compile(r'\b(?!static_assert)\w+\s*\([^()]*\)[^;{}()]*;')


def mirror(header):
    return f'tests/unit/{header.removeprefix("dataplane/")[:-2]}_test.cc'


def head(text):
    """The comment that a header opens with."""
    lines = text.split('\n')
    return '\n'.join(lines[:next((n for n, line in enumerate(lines) if not line.startswith('//')), len(lines))])


def has_functions(path, text):
    return bool(DECLARATION.search(without_comments(text)) or next(functions_of_c(text), None))


def names(text):
    code = without_comments(text)
    return set(DECLARED.findall(code)) | set(FREE.findall(code))


def speaks_of(header, text, test):
    """True if `test`, a text, includes or cites the header, cites its folder, or uses a name that it declares."""
    cited = re.search(rf'\b{re.escape(os.path.dirname(header))}\b(?!/\w)', test)
    return bool(header in test or cited or any(re.search(rf'\b{name}\b', test) for name in names(text) if len(name) > 2))


def tests_of(text):
    return [name.strip() for line in LINE.findall(head(text)) for name in line.split(',')]


def has_tests(path, text, tests):
    return bool(tests_of(text)) or mirror(path) in tests or not has_functions(path, text)


def check(path, text, tests, listed=()):
    """Yields the faults of a header; `tests` has the text of each test file by its path."""
    named = tests_of(text)
    if len(LINE.findall(text)) > len(LINE.findall(head(text))):
        yield 'a line `// Tests:` belongs into the head comment'
    for name in named:
        if name not in tests:
            yield f'{name}: no such test'
        elif not speaks_of(path, text, tests[name]):
            yield f'{name}: neither includes this header nor uses a name of it'
        elif name == mirror(path):
            yield f'{name}: bears the name of the header; no line `// Tests:` is needed'
    covered = has_tests(path, text, tests)
    if not covered and path not in listed:
        yield f'found neither {mirror(path)} nor a line `// Tests: FILE` in the head comment'
    if covered and path in listed:
        yield f'is in {LIST} without need; run tools/lint/tests.py --shrink'


def listing():
    return [line for line in read(LIST).splitlines() if line and not line.startswith('#')]


def untested(headers, tests):
    return sorted(path for path, text in headers.items() if not has_tests(path, text, tests))


def run(words):
    headers = {path: read(path) for path in tracked('.h') if path.startswith(HOUSES)}
    tests = {path: read(path) for path in tracked('.cc', '.py') if path.startswith('tests/')
             and re.search(r'(?:_test\.cc|/test_\w+\.py)$', path)}
    known = listing()
    if words == ['--shrink']:
        if len(found := untested(headers, tests)) > len(known):
            sys.exit(f'{len(found)} headers without tests of their own, expected at most {len(known)}')
        known = found
        with open(os.path.join(ROOT, LIST), 'w', encoding='utf-8') as file:
            file.write('# Headers without tests of their own. The list only shrinks: tools/lint/tests.py --shrink\n')
            file.writelines(f'{path}\n' for path in known)
    faults = [f'{path}:1: {why}' for path, text in headers.items() for why in check(path, text, tests, known)]
    faults += [f'{LIST}: {path} is gone; run tools/lint/tests.py --shrink' for path in known if path not in headers]
    print('\n'.join(faults) if faults else f'{len(headers)} headers, {len(known)} of them without tests of their own')
    sys.exit(1 if faults else 0)


BODY = '#pragma once\nclass Leg {\n  int size() const { return 1; }\n};\n'
TESTS = {
    'tests/unit/bearer/leg_fast_test.cc': '#include "dataplane/bearer/parts.h"\nTEST(A, b) { Leg leg; }\n',
    'tests/unit/bearer/parts_test.cc': '#include "dataplane/bearer/parts.h"\n',
    'tests/system/test_wire.py': '"""The wire: dataplane/xdp/wire.h."""\n',
    'tests/unit/worker/mesh_test.cc': '// Several workers (dataplane/mesh).\n#include "dataplane/bearer/parts.h"\n',
}
PATH = 'dataplane/bearer/leg.h'
BAD = [
    (PATH, '// A leg.\n' + BODY),
    (PATH, '// A leg.\n#pragma once\nint size_of(int leg);\n'),
    (PATH, '// A leg.\n// Tests: tests/unit/bearer/no_test.cc\n' + BODY),
    (PATH, '// A leg.\n// Tests: tests/unit/bearer/parts_test.cc\n' + BODY),
    (PATH, '// A leg.\n// Tests: tests/unit/bearer/leg_fast_test.cc, tests/system/test_wire.py\n' + BODY),
    (PATH, '// A leg.\n// Tests: tests/unit/worker/mesh_test.cc\n' + BODY),
    (PATH, '// A leg.\n\n// Tests: tests/unit/bearer/leg_fast_test.cc\n' + BODY),
    ('dataplane/bearer/parts.h', '// Parts.\n// Tests: tests/unit/bearer/parts_test.cc\n' + BODY),
]
GOOD = [
    (PATH, '// A leg.\n// Tests: tests/unit/bearer/leg_fast_test.cc\n' + BODY),
    (PATH, '// A leg.\n#pragma once\nstruct Leg {\n  int size = 0;\n};\nstatic_assert(sizeof(Leg) == 4);\n'),
    ('dataplane/bearer/parts.h', '// Parts.\n' + BODY),
    ('dataplane/xdp/wire.h', '// The wire.\n// Tests: tests/system/test_wire.py\n#pragma once\nint open_wire(int port);\n'),
    ('dataplane/mesh/peers.h', '// The other workers.\n// Tests: tests/unit/worker/mesh_test.cc\n' + BODY),
]


def prove():
    for path, text in BAD:
        if not list(check(path, text, TESTS)):
            sys.exit(f'{sys.argv[0]}: self-test: says nothing about {path}:\n{text}')
    for path, text in GOOD:
        if found := list(check(path, text, TESTS)):
            sys.exit(f'{sys.argv[0]}: self-test: complains about {path}: {found}\n{text}')
    bare, good = BAD[0][1], GOOD[0][1]
    if list(check(PATH, bare, TESTS, [PATH])) or not list(check(PATH, good, TESTS, [PATH])):
        sys.exit(f'{sys.argv[0]}: self-test: does not hold its list')
    if untested({PATH: bare, 'dataplane/a.h': good}, TESTS) != [PATH]:
        sys.exit(f'{sys.argv[0]}: self-test: lists a header that has tests, or misses one that has none')


if __name__ == '__main__':
    prove()
    run(sys.argv[1:])

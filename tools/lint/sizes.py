#!/usr/bin/python3
"""Files of at most 300 lines, functions of at most 40, folders of at most 40 files, pages aside. Breaches
stand in sizes.txt with their figures. A figure can only go down, and the list has to follow when it does.

A function's lines are those from its head, template line and all, to its closing brace; a test is a function.

sizes.py --shrink writes lower figures, and takes out entries that keep the limits or are gone.
"""
import ast
import collections
import os
import re
import sys

from common import ROOT, prove, read, tracked, without_comments

LIST = 'tools/lint/sizes.txt'
LIMITS = {'file': 300, 'function': 40, 'folder': 40}
UNITS = {'file': 'lines', 'function': 'lines', 'folder': 'files'}
C = ('.h', '.cc', '.c')
DIRECTIVE = re.compile(r'^[ \t]*#(?:\\\n|[^\n])*', re.MULTILINE)
BRACE = re.compile(r'[{}();]|\b(?:public|protected|private)\s*:(?!:)')
NO_FUNCTION = re.compile(r'(?:typedef |inline |static |constexpr |const )*'
                         r'(?:namespace|class|struct|union|enum|extern|concept)\b')
# Between a function's parameters and its body.
BEFORE_BODY = re.compile(r'\)\s*(?:(?:const|noexcept|override|final|mutable|&&?)\s*(?:\([^()]*\)\s*)?)*'
                         r'(?:->.*|requires\b.*|:(?!:).*|try\s*)?$', re.DOTALL)
TEST = re.compile(r'(?:TYPED_)?TEST(?:_[FP])?\s*\(([^)]*)')
NAME = re.compile(r'(operator\b[^(]*(?:\(\))?|(?:\w+(?:<[^<>()]*>)?::)*~?\w+)\s*$')


def without_template(head):
    """A declaration without the template lines before it."""
    while match := re.match(r'\s*template\s*<', head):
        depth, at = 1, match.end()
        while depth and at < len(head):
            depth += {'<': 1, '>': -1}.get(head[at], 0)
            at += 1
        head = head[at:]
    return head.strip()


def name_of(head):
    if match := TEST.match(head):
        return '.'.join(word.strip() for word in match[1].split(','))
    at = head.find('(', head.find('operator()') + len('operator()') if 'operator()' in head else 0)
    match = NAME.search(head[:at])
    return match[1].strip() if match else head[:at].split()[-1]


def functions_of_c(text):
    """(name, first line, lines) of each function with a body, from the braces; what is within one is part of it."""
    text = DIRECTIVE.sub(lambda match: re.sub(r'[^\n]', ' ', match[0]), without_comments(text))
    head, opened, depth, body = 0, [], 0, None  # `body`: how many braces were open before the function's
    for match in BRACE.finditer(text):
        sign, end = match[0], match.end()
        follows = text[end:end + 200].lstrip()[:1] if sign == '}' else ''
        if sign == '{':
            before = without_template(text[head:match.start()]) if body is None and depth == 0 else ''
            if NO_FUNCTION.match(before):
                head = end
            elif '(' in before and BEFORE_BODY.search(before):
                body, name = len(opened), name_of(before)
                first = head + len(text[head:]) - len(text[head:].lstrip())
            opened.append(depth)
            depth = 0
        elif sign == '}':
            depth = opened.pop() if opened else 0
            if body is None and depth == 0 and follows not in (',', '{', ';', '(', '.'):
                head = end
            elif body == len(opened):
                if follows not in (',', '{'):  # else it was a member's initial value
                    yield name, text.count('\n', 0, first) + 1, text.count('\n', first, end) + 1
                    head = end
                body = None
        elif sign in '()':
            depth += 1 if sign == '(' else -1
        elif body is None and depth == 0:
            head = end


def functions_of_python(text):
    def inside(node, outer):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield outer + child.name, child.lineno, child.end_lineno - child.lineno + 1
            elif isinstance(child, ast.ClassDef):
                yield from inside(child, outer + child.name + '.')
    yield from inside(ast.parse(text), '')


def sizes_of(path, text):
    """(kind, name, line, size) of a file and of its functions; of functions of one name the longest."""
    yield 'file', path, 1, len(text.splitlines())
    longest = {}
    for name, line, lines in functions_of_c(text) if path.endswith(C) else functions_of_python(text):
        longest[name] = max(longest.get(name, (0, 0)), (lines, line))
    for name, (lines, line) in longest.items():
        yield 'function', f'{path} {name}', line, lines


def breaches(path, text):
    return [size for size in sizes_of(path, text) if size[3] > LIMITS[size[0]]]


def listed():
    """By kind and name, the figures of the list."""
    rows = [line.split(' ', 2) for line in read(LIST).splitlines() if line and not line.startswith('#')]
    return {(kind, name): int(size) for kind, size, name in rows}


def judged(kind, name, size, known):
    """The message about a breach, or None if it is in the list with its figure."""
    allowed, what = known.get((kind, name)), name.partition(' ')[2] or kind
    if allowed is None:
        return f'{what} has {size} {UNITS[kind]}, expected at most {LIMITS[kind]}'
    if size > allowed:
        return f'{what} grew from {allowed} to {size} {UNITS[kind]}; {LIST} can only shrink'
    if size < allowed:
        return f'{what} shrank from {allowed} to {size} {UNITS[kind]}; run tools/lint/sizes.py --shrink'
    return None


def folders(paths):
    numbers = collections.Counter(os.path.dirname(path) for path in paths if not path.endswith('.md'))
    return [('folder', folder, 1, number) for folder, number in numbers.items() if number > LIMITS['folder']]


def check(path, text):
    for kind, name, line, size in breaches(path, text):
        if why := judged(kind, name, size, {}):
            yield line, why


def shrunk(known, found):
    """The list with what went down; nothing new gets into it."""
    return {key: min(size, found[key]) for key, size in known.items() if key in found}


def write(known):
    lines = [f'{kind} {size} {name}\n' for (kind, name), size in sorted(known.items())]
    with open(os.path.join(ROOT, LIST), 'w', encoding='utf-8') as file:
        file.write('# Breaches of tools/lint/sizes.py. The list only shrinks: tools/lint/sizes.py --shrink\n')
        file.writelines(lines)


def run(argv):
    paths = tracked(*C, '.py')
    rows = [row for path in paths for row in breaches(path, read(path))] + folders(tracked())
    found, known = {(kind, name): size for kind, name, _, size in rows}, listed()
    if argv == ['--shrink']:
        write(known := shrunk(known, found))
    complaints = [f'{name.split(" ")[0]}:{line}: {why}' for kind, name, line, size in rows
                  if (why := judged(kind, name, size, known))]
    complaints += [f'{name}: {kind} keeps the limit or is gone; run tools/lint/sizes.py --shrink'
                   for kind, name in known if (kind, name) not in found]
    print('\n'.join(complaints) if complaints else f'{len(paths)} files, {len(known)} sizes that only shrink')
    sys.exit(1 if complaints else 0)


LINES = '  f();\n' * 38
ROWS = '  {f(1), "{"},\n' * 50
BAD = [
    ('dataplane/a.h', '// line\n' * 301),
    ('dataplane/a.cc', 'template <class T>\nvoid a(T x) noexcept {\n' + LINES + '}\n'),
    ('dataplane/a.cc', 'struct A {\n public:\n  A(int a) : a_{a}, b_{a} {\n' + LINES + 'f();\n  }\n  int a_{3};\n};\n'),
    ('dataplane/a.cc', 'TEST(A, b) {\n  auto s = R"(" } " {)";\n  auto g = [] { f(); };\n' + LINES + '}\n'),
    ('tools/a.py', 'class A:\n    def b(self):\n' + '        f()\n' * 40),
]
GOOD = [
    ('dataplane/a.h', '// line\n' * 300),
    ('dataplane/a.cc', 'namespace n {\n\n// About a.\nvoid a() {\n' + LINES + '}\nvoid b() {\n' + LINES + '}\n}\n'),
    ('dataplane/a.h', 'class A {\n  A() : a_{1} {}\n' + '  int f() const { return 1; }\n' * 50 + '};\n'),
    ('dataplane/a.h', 'constexpr Rows kRows{\n' + ROWS + '};\nenum class E {\n' + '  kA,\n' * 50 + '};\n'),
    ('dataplane/a.h', 'template <class T>\nconcept C = requires(T t) {\n' + '  { t.f() } -> A<int>;\n' * 50 + '};\n'),
]


def prove_list():
    """The list's rules on an example."""
    known = {('file', 'a.h'): 310, ('file', 'b.h'): 320, ('file', 'gone.h'): 330}
    words = [judged('file', name, size, known) for name, size in
             [('a.h', 310), ('a.h', 311), ('a.h', 309), ('c.h', 301)]]
    if [word and word.split()[1] for word in words] != [None, 'grew', 'shrank', 'has']:
        sys.exit(f'{sys.argv[0]}: self-test: judges its example as {words}')
    left = shrunk(known, {('file', 'a.h'): 305, ('file', 'b.h'): 321, ('file', 'c.h'): 301})
    if left != {('file', 'a.h'): 305, ('file', 'b.h'): 320}:
        sys.exit(f'{sys.argv[0]}: self-test: shrinks its list to {left}')
    if folders([f'a/{n}.h' for n in range(40)] + [f'a/{n}.md' for n in range(60)]):
        sys.exit(f'{sys.argv[0]}: self-test: counts pages as files of a folder')
    if not folders([f'a/{n}.h' for n in range(41)]):
        sys.exit(f'{sys.argv[0]}: self-test: says nothing about a folder of 41 files')


if __name__ == '__main__':
    prove(check, BAD, GOOD)
    prove_list()
    run(sys.argv[1:])

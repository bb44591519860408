#!/usr/bin/python3
"""Comments that open with a subject, and prose of at most 120 columns. The breaches of each folder are counted in
words.txt. A count may only go down, and has to be written down when it does.

An opening with "of", "the same", "so many", "what", "whether", "who", "where", "how" or "as" begins a clause in place
of a noun. Prose is what stands in comments and in Markdown outside of tables and code.

words.py --list [FOLDER] prints every breach, words.py --shrink writes the counts that went down. Files that move take
their breaches along: --shrink asks only that no total grows.
"""
import ast
import collections
import io
import os
import re
import sys
import tokenize

from common import ROOT, read, tracked

LIST = 'tools/lint/words.txt'
COLUMNS = 120
GENERATED = ('dataplane/decisions/README.md',)  # an index with a link a line
CPP = ('.h', '.cc', '.c')
HASH = ('.build', '.yaml', '.yml', '.sh', '.txt', '.gp', 'Dockerfile')
OPENING = re.compile(r'(?:of(?! course\b)|the same|so (?:many|much|long)|what|whether|who|where|how(?! to\b)'
                     r'|as(?! (?:of|in|for|above|below|usual|root|a rule|(?-i:[A-Z]{2,})\w*)\b| [a-z]+(?:ed|wn|en)(?:[.,;:]|$)))\s',
                     re.IGNORECASE)
QUESTION = re.compile(r'[^.;:]*\?')
# A raw string, a comment in group 2, a literal; no apostrophe within a number.
C_TOKEN = re.compile(r'R"([^\s()\\]*)\(.*?\)\1"|(//[^\n]*)|/\*.*?\*/|"(?:\\.|[^"\\\n])*"'
                     r'|(?<![0-9A-Za-z])\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
HASH_TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|(?:^|(?<=\s))(#[^\n]*)', re.MULTILINE)


def places(text, pattern, group):
    """(line, column, comment) of each comment that `pattern` finds as its group."""
    line, counted = 1, 0
    for match in pattern.finditer(text):
        if match[group] is not None:
            start = match.start(group)
            line, counted = line + text.count('\n', counted, start), start
            yield line, start - text.rfind('\n', 0, start) - 1, match[group]


def python_places(text):
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield *token.start, token.string


def comment_places(path, text):
    if path.endswith(CPP):
        return places(text, C_TOKEN, 2)
    if path.endswith('.py') or re.match(r'#!.*python', text):
        return python_places(text)
    if path.endswith(HASH) or text.startswith('#!'):
        return places(text, HASH_TOKEN, 1)
    return ()


def docstrings(path, text):
    """(line, docstring) of each."""
    if not path.endswith('.py') and not re.match(r'#!.*python', text):
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            yield node.body[0].lineno, node.body[0].value.value


def openings(path, text):
    """(line, text) of the first line of each paragraph of a comment."""
    before = None
    for line, column, comment in comment_places(path, text):
        words = comment.lstrip('/#').lstrip('< ')
        if words and before != (line - 1, column):
            yield line, words
        before = (line, column) if words and not comment.startswith('#!') else None
    yield from docstrings(path, text)


def prose_lines(path, text):
    """Lines with a comment, or of a text."""
    lines = text.split('\n')
    if path in GENERATED:
        return
    if path.endswith('.md'):
        code = False
        for number, line in enumerate(lines, 1):
            code ^= line.lstrip().startswith('```')
            if not code and not line.lstrip().startswith('|'):
                yield number, line
        return
    numbers = {line for line, _, _ in comment_places(path, text)}
    for first, words in docstrings(path, text):
        numbers |= set(range(first, first + words.count('\n') + 1))
    for number in sorted(numbers):
        yield number, lines[number - 1]


def check(path, text):
    """Yields (line, kind, what is wrong)."""
    for line, words in openings(path, text):
        if OPENING.match(words) and not QUESTION.match(words):
            yield line, 'opening', words.split('\n')[0]
    for number, line in prose_lines(path, text):
        # A line without a space cannot be broken: a link.
        if len(line) > COLUMNS and ' ' in line[:COLUMNS].strip('-*# /'):
            yield number, 'columns', f'{len(line)} columns'


def judged(room, kind, count, known):
    """The message about the count of a folder, None if the count is right."""
    limit = known.get((room, kind), 0)
    if count > limit:
        return f'{room}: {kind} grew from {limit} to {count}; words.py --list {room} prints them'
    if count < limit:
        return f'{room}: {kind} shrank from {limit} to {count}; write it down with words.py --shrink'
    return None


def grown(known, counts):
    """Kinds of which there are more in all."""
    def total(of, kind):
        return sum(count for (_, k), count in of.items() if k == kind)
    return sorted({kind for _, kind in counts if total(counts, kind) > total(known, kind)})


def parsed(text):
    rows = [row.split() for row in text.splitlines() if row and not row.startswith('#')]
    return {(room, kind): int(count) for room, kind, count in rows}


def written(counts):
    rows = [f'{room} {kind} {count}' for (room, kind), count in sorted(counts.items()) if count]
    return '\n'.join(['# Breaches of words.py by folder: opening or columns, and how many.', *rows]) + '\n'


def is_ours(path):
    return not path.startswith('tests/fuzz/corpus/') and not path.endswith(('.png', '.pcap', '.gz', '.bin', '.json'))


def run(words):
    found = [(path, *breach) for path in tracked() if is_ours(path) for breach in check(path, read(path))]
    if words[:1] == ['--list']:
        inside = tuple(word.rstrip('/') + '/' for word in words[1:])
        print('\n'.join(f'{path}:{line}: {kind}: {text}' for path, line, kind, text in found
                        if not inside or path.startswith(inside)))
        return
    counts = collections.Counter((os.path.dirname(path) or '.', kind) for path, _, kind, _ in found)
    known = parsed(read(LIST))
    if words == ['--shrink']:
        if more := grown(known, counts):
            sys.exit(f'{" and ".join(more)}: more than {LIST} has')
        with open(os.path.join(ROOT, LIST), 'w', encoding='utf-8') as file:
            file.write(written(counts))
        return
    wrong = [word for room, kind in sorted(known.keys() | counts.keys())
             if (word := judged(room, kind, counts[room, kind], known))]
    print('\n'.join(wrong) if wrong else f'{len(found)} known breaches')
    sys.exit(1 if wrong else 0)


BAD = [
    ('a.h', '// Of an uplink: Bearer::answered.\n'),
    ('a.h', 'int a = 1\'000;  // what is left\n'),
    ('a.cc', '// A link.\n//\n// The same of an uplink.\n'),
    ('a.h', 'int a;  // frames\n// So many of them wait.\n'),
    ('a.cc', '// Whether it fits.\n'),
    ('a.cc', '// As it was written.\n'),
    ('a.h', 'const char* a = "// x";  // ' + 'words ' * 20 + '\n'),
    ('a.py', 'def a():\n    """Who sends, reads."""\n'),
    ('a.py', 'a = 1  # how many\n'),
    ('tools/a', '#!/bin/bash\n# Where the sources are.\n'),
    ('meson.build', "a = 'b'  # what is built\n"),
    ('a.yaml', 'a: 1  # of the link\n'),
    ('a.md', 'words ' * 21),
]
GOOD = [
    ('a.h', '// Bytes that wait.\n// Of these, none is old.\n'),
    ('a.h', 'int a;  // bytes, and\n        // what is left\n'),
    ('a.h', '// What if none is left? Then it waits.\n// Offsets.\n'),
    ('a.h', 'const char* a = "x // of y";  // as configured\n'),
    ('a.cc', 'const auto a = R"(\n// of y\n)";  // As in RFC 9293.\n'),
    ('a.py', 'a = "# of b"\n"""What is no docstring."""\n# How to run it: b.\n'),
    ('meson.build', "a = 'b # of c'\n"),
    ('a.md', '# What is new\n\nOf these.\n\n```\n' + 'code ' * 30 + '\n```\n| ' + 'cell ' * 30 + '|\n- ' + 'x' * 130 + '\n'),
    ('a.txt', 'what is not a comment\n'),
]


def prove():
    for path, text in BAD:
        if not list(check(path, text)):
            sys.exit(f'{sys.argv[0]}: self-test: says nothing about {path}:\n{text}')
    for path, text in GOOD:
        if found := list(check(path, text)):
            sys.exit(f'{sys.argv[0]}: self-test: complains about {path}: {found}\n{text}')
    known = {('a', 'opening'): 3, ('b', 'opening'): 2}
    words = [judged('a', 'opening', count, known) for count in (3, 4, 2)] + [judged('c', 'opening', 1, known)]
    if [word and word.split()[2] for word in words] != [None, 'grew', 'shrank', 'grew']:
        sys.exit(f'{sys.argv[0]}: self-test: judges its example as {words}')
    if parsed(written(known)) != known:
        sys.exit(f'{sys.argv[0]}: self-test: reads its list as {parsed(written(known))}')
    moved, more = {('c', 'opening'): 5}, {('a', 'opening'): 3, ('b', 'opening'): 3}
    if grown(known, moved) or grown(known, more) != ['opening']:
        sys.exit(f'{sys.argv[0]}: self-test: takes a move for growth, or growth for none')


if __name__ == '__main__':
    prove()
    run(sys.argv[1:])

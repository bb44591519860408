#!/usr/bin/python3
"""Decisions have a head, fit on a screen and name only identifiers that exist; their index is made from the heads.
Sources cite decisions that exist, as dataplane/decisions/063.

decisions.py --write writes the index, dataplane/decisions/README.md, anew. An identifier in backticks that the tree
no longer has is followed by the word (gone).
"""
import functools
import os
import re
import sys

from common import ROOT, main, read, tracked

FOLDER = 'dataplane/decisions/'
INDEX = FOLDER + 'README.md'
FILE = re.compile(re.escape(FOLDER) + r'(?P<number>\d{3})-[a-z0-9-]+\.md')
HEAD = re.compile(r'# (?P<number>\d+)\. (?P<title>.+)\n\n- Status: (?P<status>(?:accepted|superseded by)\b.*)\n'
                  r'- Date: (?P<date>\d{4}-\d\d-\d\d)\n- Subject: (?P<subject>.+)\n')
PARTS = ['Context', 'Choice', 'Price']
SCREEN = 60  # lines
QUOTED = re.compile(r'`(?P<name>[^`]+)`(?P<gone> \(gone\))?')
NAME = re.compile(r'[\w:.]+(?:\(\))?')
PATH = re.compile(r'[\w.-]+(?:/[\w.-]+)+/?')
CITED = re.compile(re.escape(FOLDER) + r'(\d{3})(?![\d-])')
UNREAD = ('.md', '.png', '.pcap', '.gz', '.bin', 'lint/decisions.py')


@functools.cache
def decisions():
    return sorted(path for path in tracked('.md') if FILE.fullmatch(path))


@functools.cache
def tree():
    """The paths of the tree, with folders, and every word of what is not a page."""
    paths, words = set(), set()
    for path in tracked():
        paths.add(path)
        while path := os.path.dirname(path):
            paths.add(path)
    for path in tracked():
        if not path.endswith(UNREAD) and not path.startswith('tests/fuzz/corpus/'):
            words.update(re.findall(r'\w+', read(path)))
    return paths, words


def exists(name):
    """True if the tree has the path or identifier of a quoted name; any other name counts as found."""
    paths, words = tree()
    if PATH.fullmatch(name):
        name = name.rstrip('/')
        return any(path == name or path.endswith('/' + name) for path in paths)
    if not NAME.fullmatch(name):
        return True
    if any(path.endswith('/' + name) for path in paths):
        return True
    return all(not word or word.isdigit() or word in words for word in re.split(r'::|\.|\(\)', name))


def citations(text):
    numbers = {FILE.fullmatch(path)['number'] for path in decisions()}
    for number, line in enumerate(text.splitlines(), 1):
        for cited in CITED.finditer(line):
            if cited[1] not in numbers:
                yield number, f'{cited[0]}: no such decision'


def check(path, text):
    if not path.startswith(FOLDER):
        yield from citations(text)
        return
    if path == INDEX:
        if text != index():
            yield 1, 'not what the heads say; run: tools/lint/decisions.py --write'
        return
    head, file = HEAD.match(text), FILE.fullmatch(path)
    if not head:
        yield 1, 'its head is not: # N. Title, an empty line, and - Status: accepted or superseded by, - Date:, - Subject:'
    elif not file or int(file['number']) != int(head['number']):
        yield 1, f'not called {FOLDER}{int(head["number"]):03}-title.md'
    if (parts := re.findall(r'^## (.+)$', text, re.MULTILINE)) != PARTS:
        yield 1, f'has the parts {parts} in place of {PARTS}'
    if (lines := text.count('\n')) > SCREEN:
        yield SCREEN, f'{lines} lines, more than a screen of {SCREEN}; figures go to tools/bench/diary'
    for number, line in enumerate(text.splitlines(), 1):
        for quoted in QUOTED.finditer(line):
            if not quoted['gone'] and not exists(quoted['name']):
                yield number, f'{quoted["name"]}: the tree has no such name; if it is gone, write `{quoted["name"]}` (gone)'


def index():
    subjects = {}
    for path in decisions():
        if head := HEAD.match(read(path)):
            status = '' if head['status'] == 'accepted' else f' ({head["status"]})'
            line = f'- [{int(head["number"]):03}]({os.path.basename(path)}) {head["title"]}{status}'
            subjects.setdefault(head['subject'], []).append(line)
    text = """# Decisions

Choices that others must live with: one file each, with its context, the choice and its price. This index is made from their
heads by `tools/lint/decisions.py --write`. A new decision takes the next free number; one that replaces another says so in the status of
that one. Figures, and what was tried and left, are in the [diary](../../tools/bench/diary/README.md).
"""
    for subject in sorted(subjects, key=str.lower):
        text += f'\n## {subject[0].upper()}{subject[1:]}\n\n' + '\n'.join(subjects[subject]) + '\n'
    return text


def example(body, head='# 7. Title\n\n- Status: accepted\n- Date: 2026-11-20\n- Subject: wire\n'):
    return head + '\n## Context\n\n' + body + '\n\n## Choice\n\nx\n\n## Price\n\nx\n'


SEVEN = FOLDER + '007-title.md'
BAD = [
    (SEVEN, example('x', '# Title\n')),
    (SEVEN, example('x', '# 7. Title\n\n- Status: open\n- Date: 2026-11-20\n- Subject: wire\n')),
    (FOLDER + '008-title.md', example('x')),
    (SEVEN, example('x').replace('## Price', '## Cost')),
    (SEVEN, example('x\n' * SCREEN)),
    (SEVEN, example('`Calendar::no_such_function()`')),
    (SEVEN, example('`tools/lint/no_such_file.py`')),
    (INDEX, '# Decisions\n'),
    ('dataplane/base/a.h', '// A wheel: ' + FOLDER + '999.'),
]
GOOD = [
    ('dataplane/base/a.h', '// A wheel: dataplane/decisions/003.'),
    (SEVEN, example('`tools/lint/common.py`, `lint/common.py`, `common.py`, `tools/lint/`, `unknown: pass`, `INCLUDE`')),
    (SEVEN, example('`Calendar::no_such_function()` (gone)')),
    (SEVEN, example('x', '# 7. Title\n\n- Status: superseded by [008](008-x.md)\n- Date: 2026-11-20\n- Subject: wire\n')),
]

if __name__ == '__main__':
    if sys.argv[1:] == ['--write']:
        with open(os.path.join(ROOT, INDEX), 'w', encoding='utf-8') as file:
            file.write(index())
        sys.exit()
    sources = [path for path in tracked() if not path.startswith(FOLDER) and not path.endswith(UNREAD)]
    main(check, [*decisions(), INDEX, *sources], BAD, GOOD)

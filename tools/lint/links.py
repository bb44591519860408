#!/usr/bin/python3
"""Every relative link of a Markdown page leads to a tracked file or folder, and its anchor to a heading there."""
import collections
import functools
import os
import re

from common import main, read, tracked

FENCE = re.compile(r'^(?P<mark>```+|~~~+).*?^(?P=mark)[`~]*$', re.MULTILINE | re.DOTALL)
CODE = re.compile(r'(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)', re.DOTALL)
LINK = re.compile(r'\[(?:[^][]|\[[^][]*\])*\]\(\s*<?(?P<target>[^)\s>]*)>?(?:\s+"[^"]*")?\s*\)')
DEFINITION = re.compile(r'^\[[^]]+\]:\s*<?(?P<target>[^\s>]+)', re.MULTILINE)
HEADING = re.compile(r'^#{1,6}\s+(?P<title>.*?)\s*#*$', re.MULTILINE)
NAMED = re.compile(r'<a\s+(?:id|name)="(?P<name>[^"]+)"')
ABROAD = re.compile(r'[a-z][a-z0-9+.-]*:', re.IGNORECASE)


def blank(match):
    return re.sub(r'[^\n]', ' ', match[0])


def prose(text):
    """The text with code blanked; lines stay where they are."""
    return CODE.sub(blank, FENCE.sub(blank, text))


def slug(title):
    """The anchor that GitHub makes of a heading."""
    title = re.sub(r'\[([^]]*)\]\([^)]*\)', r'\1', title)
    return re.sub(r'[^\w\- ]', '', title.lower()).replace(' ', '-')


def anchors(text):
    seen, found = collections.Counter(), set()
    for heading in HEADING.finditer(FENCE.sub(blank, text)):
        name = slug(heading['title'])
        found.add(f'{name}-{seen[name]}' if seen[name] else name)
        seen[name] += 1
    return found | {match['name'] for match in NAMED.finditer(text)}


@functools.cache
def places():
    """Every tracked file, and every folder of one."""
    found = set(tracked())
    for path in list(found):
        while path := os.path.dirname(path):
            found.add(path)
    return found


def complaint(path, text, target):
    """Why the link `target` of the page `path` leads nowhere, or None."""
    name, _, anchor = target.partition('#')
    where = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
    if name and where not in places():
        return 'no such file'
    if not anchor:
        return None
    if not where.endswith('.md'):
        return 'an anchor of a file that is no page'
    return None if anchor in anchors(read(where) if name else text) else f'{where} has no heading of that name'


def check(path, text):
    plain = prose(text)
    for pattern in (LINK, DEFINITION):
        for link in pattern.finditer(plain):
            target = link['target']
            if not ABROAD.match(target) and (why := complaint(path, text, target)):
                yield text.count('\n', 0, link.start()) + 1, f'{target}: {why}'


BAD = [
    ('README.md', '[x](nowhere.md)'),
    ('tools/README.md', 'as [told](LICENSE) there'),
    ('README.md', '# Here\n[x](#there)'),
    ('README.md', '[wrapped\ntext](tools/README.md#no-such-heading)'),
    ('README.md', '[x]: nowhere.md\n'),
    ('README.md', '[`code`](nowhere.md)'),
    ('README.md', '```\n# Comment\n```\n[x](#comment)'),
    ('README.md', '# Twice\n# Twice\n[x](#twice-2)'),
    ('README.md', '[x](LICENSE#rights)'),
]
GOOD = [
    ('README.md', '# A `b`, and (c)\n# Twice\n# Twice\n[x](#a-b-and-c) [y](#twice-1)'),
    ('tools/README.md', '[file](../LICENSE) [folder](lint) [other](../tools/lint/) [page](../tests/README.md#tests)'),
    ('README.md', '[x](https://example.org/nowhere.md) [y](mailto:a@example.org)'),
    ('README.md', '`[x](nowhere.md)`\n```\n[x](nowhere.md)\n```\n'),
    ('README.md', '<a id="spot"></a> [x](#spot)'),
]

if __name__ == '__main__':
    main(check, tracked('.md'), BAD, GOOD)

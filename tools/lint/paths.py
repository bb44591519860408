#!/usr/bin/python3
"""No file of the repository names a path on one particular machine."""
import re

from common import main, tracked

PLACES = ('work', 'home', 'root', 'tmp', 'var/tmp', 'Users', 'farm')
PATH = re.compile(r'(?<![\w.~/)}$*>-])/(' + '|'.join(PLACES) + r')/[\w.]')
BINARY = ('.png', '.pcap', '.gz', '.bin')


def check(path, text):
    if path.startswith('tests/fuzz/corpus/'):
        return
    for number, line in enumerate(text.splitlines(), 1):
        if match := PATH.search(line):
            yield number, f'{match[0]}...: a path outside the repository'


BAD = [('README.md', 'see ' + '/home' + '/someone/notes'), ('a.py', 'open("' + '/tmp' + '/x")')]
GOOD = [('README.md', 'https://example.org/home/page and /run/rncd/rncd.sock and dataplane/root/x')]

if __name__ == '__main__':
    main(check, [path for path in tracked() if not path.endswith(BINARY)], BAD, GOOD)

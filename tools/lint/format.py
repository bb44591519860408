#!/usr/bin/python3
"""C++ is written as clang-format 14 writes it with .clang-format; `clang-format -i FILE` mends it."""
import subprocess
import sys

from common import CPP, ROOT, main, tracked

TOOL = 'clang-format-14'


def check(path, text):
    """Compares with what clang-format makes of the text; the first line that differs is enough."""
    formatted = subprocess.run([TOOL, '--assume-filename', path], input=text, cwd=ROOT, check=True,
                               capture_output=True, text=True).stdout
    if formatted == text:
        return
    pairs = zip((text + '\n').split('\n'), (formatted + '\n').split('\n'))
    line = next((n for n, (have, want) in enumerate(pairs, 1) if have != want), 1)
    yield line, f'not formatted; run: {TOOL} -i {path}'


BAD = [('dataplane/base/a.h', 'int  x ;\n')]
GOOD = [('dataplane/base/a.h', 'int x;\n')]

if __name__ == '__main__':
    try:
        main(check, tracked(*CPP), BAD, GOOD)
    except FileNotFoundError:
        sys.exit(f'{TOOL} is missing; run tools/setup')

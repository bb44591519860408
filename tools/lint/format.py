#!/usr/bin/python3
"""C++ is written as clang-format 14 writes it with .clang-format; `clang-format -i FILE` mends it."""
import concurrent.futures
import os
import re
import subprocess
import sys

from common import CPP, ROOT, main, tracked

TOOL = 'clang-format-14'
AT_ONCE = 50  # files of a process: to start one takes as long as to format a file
COMPLAINT = re.compile(r'^(.+?):(\d+):\d+: error: code should be clang-formatted', re.M)


def first_lines(paths):
    """By path, the first line that clang-format would write differently; none for a file that is well."""
    def of_some(some):
        done = subprocess.run([TOOL, '--dry-run', '-Werror', *some], cwd=ROOT, check=False, capture_output=True, text=True)
        found = {}
        for path, line in COMPLAINT.findall(done.stderr):
            found[path] = min(int(line), found.get(path, int(line)))
        if done.returncode != (1 if found else 0):
            sys.exit(f'{TOOL} failed: {done.stderr}')
        return found
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        parts = pool.map(of_some, (paths[at:at + AT_ONCE] for at in range(0, len(paths), AT_ONCE)))
        return {path: line for part in parts for path, line in part.items()}


def check(path, text):
    """An example is no file: it is compared with what clang-format makes of it."""
    if path in TRACKED:
        line = FOUND.get(path)
    else:
        done = subprocess.run([TOOL, '--assume-filename', path], input=text, cwd=ROOT, check=True, capture_output=True,
                              text=True)
        line = None if done.stdout == text else 1
    if line:
        yield line, f'not formatted; run: {TOOL} -i {path}'


BAD = [('dataplane/base/a.h', 'int  x ;\n')]
GOOD = [('dataplane/base/a.h', 'int x;\n')]

if __name__ == '__main__':
    try:
        TRACKED = tracked(*CPP)
        FOUND = first_lines(TRACKED)
        main(check, TRACKED, BAD, GOOD)
    except FileNotFoundError:
        sys.exit(f'{TOOL} is missing; run tools/setup')

"""Common code of the lints: the tracked files, and a main() that first proves the lint on bad examples.

A lint is a function check(path, text) that yields (line, message); path is relative to the root.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CPP = ('.h', '.cc')
# A raw string, a comment, a literal; no apostrophe within a number.
NO_CODE = re.compile(r'R"([^\s()\\]*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|(?<![0-9A-Za-z])\'(?:\\.|[^\'\\])*\'',
                     re.DOTALL)
INCLUDE = re.compile(r'^\s*#\s*include\s*(<[^>]+>|"[^"]+")')


def tracked(*suffixes):
    """Tracked files, by suffix if there are any suffixes; outside a git checkout all but what was built."""
    found = [path for path in listed() if os.path.isfile(os.path.join(ROOT, path))]
    if not found:
        sys.exit(f'no source files below {ROOT}')
    return [path for path in found if not suffixes or path.endswith(suffixes)]


def git(*words):
    return subprocess.run(['git', '-c', 'safe.directory=*', *words], cwd=ROOT, check=False, capture_output=True,
                          text=True).stdout


def listed():
    if os.path.realpath(git('rev-parse', '--show-toplevel').strip() or '/') == os.path.realpath(ROOT):
        return [path for path in git('ls-files', '-z').split('\0') if path]
    paths = []
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [f for f in folders if not f.startswith(('build', '.git', '__pycache__'))]
        paths += [os.path.relpath(os.path.join(folder, name), ROOT) for name in files]
    return paths


def read(path):
    with open(os.path.join(ROOT, path), encoding='utf-8', errors='replace') as file:
        return file.read()


def includes(text):
    """(line, name) of each include; the name has its quotes: "dataplane/base/time.h", <string>."""
    for number, line in enumerate(text.splitlines(), 1):
        if match := INCLUDE.match(line):
            yield number, match[1]


def without_comments(text):
    """C++ with comments and the contents of literals blanked; lines stay where they are."""
    def blank(match):
        found = match[0]
        if found.startswith('/'):
            return re.sub(r'[^\n]', ' ', found)
        first = found.index(found[-1]) + 1
        return found[:first] + re.sub(r'[^\n]', ' ', found[first:-1]) + found[-1]
    return NO_CODE.sub(blank, text)


def prove(check, bad, good=()):
    """`bad`: (path, text) that check must complain about; `good`: that it must not."""
    for path, text in bad:
        if not list(check(path, text)):
            sys.exit(f'{sys.argv[0]}: self-test: says nothing about {path}:\n{text}')
    for path, text in good:
        if found := list(check(path, text)):
            sys.exit(f'{sys.argv[0]}: self-test: complains about {path}: {found}\n{text}')


def main(check, files, bad, good=()):
    """Proves the lint, then applies it."""
    prove(check, bad, good)
    findings = [f'{path}:{line}: {message}' for path in files for line, message in check(path, read(path))]
    print('\n'.join(findings) if findings else f'{len(files)} files')
    sys.exit(1 if findings else 0)

"""Runs the tests for tools/check, which has set up and built, and counts them."""
import os
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, 'build')
LOGS = os.path.join(BUILD, 'check')
LINTS = ('layers', 'clock', 'headers', 'format', 'paths')
FUZZ_SECONDS = '20'
PYTHON = '/usr/bin/python3'


class Count:
    def __init__(self):
        self.passed, self.failed, self.skipped = 0, [], []

    def add(self, name, good):
        if good:
            self.passed += 1
        else:
            self.failed.append(name)

    def line(self):
        text = f'{self.passed} passed, {len(self.failed)} failed'
        return text + (f', {len(self.skipped)} skipped' if self.skipped else '')


def run(name, command, limit, show=False):
    """Runs a command with its output in a log; True if it ended well and in time."""
    log = os.path.join(LOGS, name + '.log')
    env = dict(os.environ, PATH='/usr/bin:/bin:/usr/sbin:/sbin:' + os.environ.get('PATH', ''), PYTHONUNBUFFERED='1',
               PYTHONDONTWRITEBYTECODE='1')
    with subprocess.Popen(command, cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors='replace') as process:
        timer = threading.Timer(limit, process.terminate)
        timer.start()
        try:
            with open(log, 'w', encoding='utf-8') as file:
                for line in process.stdout:
                    file.write(line)
                    if show:
                        print('  ' + line.rstrip(), flush=True)
            status = process.wait()
        except BaseException:
            process.terminate()
            raise
        finally:
            timer.cancel()
    return status == 0


def tail(name, lines=25):
    path = os.path.join(LOGS, name + '.log')
    with open(path, encoding='utf-8') as file:
        last = file.readlines()[-lines:]
    print(''.join('    ' + line.rstrip() + '\n' for line in last) + f'    (all of it: {path})', flush=True)


def count_junit(path, count, what):
    """Adds the cases of a JUnit file; False when there are none to read."""
    try:
        cases = list(ElementTree.parse(path).iter('testcase'))
    except (OSError, ElementTree.ParseError):
        cases = []
    for case in cases:
        name = f'{what} {case.get("classname")}.{case.get("name")}'
        if (skipped := case.find('skipped')) is not None:
            count.skipped.append(f'{name}: {skipped.get("message") or "no reason given"}')
        else:
            count.add(name, case.find('failure') is None and case.find('error') is None)
    return bool(cases)


def lint(count):
    for name in LINTS:
        good = run('lint-' + name, [PYTHON, f'tools/lint/{name}.py'], 1200)
        count.add('lint ' + name, good)
        print(f'  {name}: {"ok" if good else "FAILED"}', flush=True)
        if not good:
            tail('lint-' + name)


def suite(count, name, command, junit, limit, show):
    """A group of tests that writes a JUnit file. It counts as one more failure when it failed and no case did:
    it did not begin, or not end."""
    if os.path.exists(junit):
        os.remove(junit)
    before = len(count.failed)
    good = run(name, command, limit, show)
    found = count_junit(junit, count, name)
    if not found or (not good and len(count.failed) == before):
        count.add(f'{name}: {"no results" if not found else "did not end well"}', False)
    if not show and len(count.failed) > before:
        tail(name, 60)


def unit(count):
    before = count.passed
    suite(count, 'unit', ['/usr/bin/meson', 'test', '-C', 'build', '--no-rebuild', '--print-errorlogs'],
          os.path.join(BUILD, 'meson-logs', 'testlog.junit.xml'), 600, show=False)
    print(f'  {count.passed - before} passed', flush=True)


def fuzz(count):
    good = run('fuzz', ['tests/fuzz/run', FUZZ_SECONDS], 300, show=True)
    count.add('fuzz', good)


def system(count):
    junit = os.path.join(LOGS, 'system.xml')
    suite(count, 'system', [PYTHON, '-m', 'pytest', '-v', '--tb=short', '-p', 'no:cacheprovider', f'--junitxml={junit}',
                            'tests/system'], junit, 1500, show=True)


PARTS = {'lint': lint, 'unit': unit, 'fuzz': fuzz, 'system': system}


def main():
    chosen = sys.argv[1:] or list(PARTS)
    if unknown := set(chosen) - set(PARTS):
        sys.exit(f'check: no such part: {", ".join(sorted(unknown))}; there are {", ".join(PARTS)}')
    os.makedirs(LOGS, exist_ok=True)
    count = Count()
    start = time.monotonic()
    for name in chosen:
        print(f'check: {name}', flush=True)
        PARTS[name](count)
    print(f'check: {time.monotonic() - start:.0f} s, logs in {LOGS}')
    for name in count.skipped:
        print('skipped: ' + name)
    for name in count.failed:
        print('FAILED: ' + name)
    print(count.line())
    sys.exit(1 if count.failed else 0)


if __name__ == '__main__':
    main()

"""Runs meson's suites for tools/check, which has set up and built, and counts their cases.

With --each-commit RANGE it proves of each commit of a branch that it builds and passes by itself.
"""
import glob
import os
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, 'build')
LOGS = os.path.join(BUILD, 'check')
PYTHON = '/usr/bin/python3'
# The suites in their order, with the seconds that each may take; `unit` is every test that is in none of the others.
SUITES = {'lint': 2400, 'unit': 1500, 'fuzz': 900, 'sanitize': 2500, 'system': 3000}
REASON_LINES = 12


class Count:
    def __init__(self):
        self.passed, self.failed, self.skipped = 0, [], []

    def add(self, name, good, why=''):
        if good:
            self.passed += 1
        else:
            self.failed.append((name, why))

    def line(self):
        text = f'{self.passed} passed, {len(self.failed)} failed'
        return text + (f', {len(self.skipped)} skipped' if self.skipped else '')


def run(name, command, limit, show=False):
    """Runs a command with its output in a log; True if it ended well and in time."""
    log = log_of(name)
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


def log_of(name):
    return os.path.join(LOGS, name + '.log')


def written(name):
    with open(log_of(name), encoding='utf-8') as file:
        return file.read()


def tail(name, lines):
    last = written(name).splitlines()[-lines:]
    print(''.join(f'    {line}\n' for line in last) + f'    (all of it: {log_of(name)})', flush=True)


def reason(case, log):
    """The last lines that a case wrote, or else its suite: they are repeated at the end, where whoever sees only the end
    of the output sees why a case failed."""
    texts = [case.findtext(part) or '' for part in ('failure', 'error', 'system-err', 'system-out')]
    texts.append(log.split('\nSummary of Failures')[0])
    lines = [line for line in next(filter(str.strip, texts), '').splitlines() if line.strip()]
    return ''.join(f'    {line[:200]}\n' for line in lines[-REASON_LINES:])


def count_junit(path, count, what, log):
    """Adds the cases of a JUnit file; False when there are none to read. `log` is what the suite wrote."""
    try:
        cases = list(ElementTree.parse(path).iter('testcase'))
    except (OSError, ElementTree.ParseError):
        cases = []
    for case in cases:
        name = f'{what} {case.get("classname")}.{case.get("name")}'
        if (skipped := case.find('skipped')) is not None:
            count.skipped.append(f'{name}: {skipped.get("message") or "no reason given"}')
        else:
            good = case.find('failure') is None and case.find('error') is None
            count.add(name, good, '' if good else reason(case, log))
    return bool(cases)


def words_for(name):
    """What selects a suite."""
    others = [other for other in SUITES if other != 'unit']
    chosen = ['--suite', name] if name in others else [word for other in others for word in ('--no-suite', other)]
    return chosen + (['--verbose'] if name in ('fuzz', 'sanitize', 'system') else ['--print-errorlogs'])


def suite(count, name):
    """It counts as one more failure when it failed and no case did: it did not begin, or not end."""
    junit = os.path.join(BUILD, 'meson-logs', 'testlog.junit.xml')
    cases = os.path.join(LOGS, name + '*.xml')  # of a suite whose tests for meson are many cases each, and write their own
    for path in (junit, *glob.glob(cases)):
        if os.path.exists(path):
            os.remove(path)
    passed, failed = count.passed, len(count.failed)
    show = name in ('fuzz', 'sanitize', 'system')
    good = run(name, ['/usr/bin/meson', 'test', '-C', 'build', '--no-rebuild', *words_for(name)], SUITES[name], show)
    found = all([count_junit(path, count, name, written(name)) for path in sorted(glob.glob(cases)) or [junit]])
    if not found or (not good and len(count.failed) == failed):
        count.add(f'{name}: {"no results" if not found else "did not end well"}', False)
    if not show and len(count.failed) > failed:
        tail(name, 60)
    print(f'  {count.passed - passed} passed', flush=True)


def each_commit(commits):
    """Builds every commit in a tree of its own and runs its unit suite and its short lints."""
    tree = os.path.join(BUILD, 'each', 'tree')
    listed = subprocess.run(['git', '-C', ROOT, 'rev-list', '--reverse', commits], check=True, capture_output=True,
                            text=True).stdout.split()
    if not os.path.isdir(tree):
        os.makedirs(os.path.dirname(tree), exist_ok=True)
        subprocess.run(['git', '-C', ROOT, 'worktree', 'add', '--detach', '--force', tree], check=True, capture_output=True)
    bad = []
    for number, commit in enumerate(listed, 1):
        def git(*words):
            return subprocess.run(['git', '-C', tree, *words], check=True, capture_output=True, text=True).stdout.strip()
        git('checkout', '--detach', '--force', commit)
        subject = git('log', '-1', '--format=%h %s')
        print(f'each-commit: {number} of {len(listed)}: {subject}', flush=True)
        steps = [['tools/build'], ['/usr/bin/meson', 'test', '-C', 'build', '--no-rebuild', '--print-errorlogs',
                                   *(word for word in words_for('unit') if word != '--print-errorlogs')]]
        steps += [[PYTHON, '-B', f'tools/lint/{lint}.py'] for lint in ('layers', 'clock', 'format', 'paths')]
        for step in steps:
            done = subprocess.run(step, cwd=tree, capture_output=True, text=True, errors='replace', check=False)
            if done.returncode != 0:
                bad.append(f'{subject}: {" ".join(step[:2])}')
                print((done.stdout + done.stderr)[-3000:], flush=True)
                break
    for text in bad:
        print('FAILED: ' + text)
    print(f'{len(listed) - len(bad)} passed, {len(bad)} failed')
    return 1 if bad else 0


def main():
    if sys.argv[1:2] == ['--each-commit']:
        if len(sys.argv) != 3:
            sys.exit('check: --each-commit takes a range of commits, as in: tools/check --each-commit main..')
        sys.exit(each_commit(sys.argv[2]))
    chosen = sys.argv[1:] or list(SUITES)
    if unknown := set(chosen) - set(SUITES):
        sys.exit(f'check: no such part: {", ".join(sorted(unknown))}; there are {", ".join(SUITES)}')
    os.makedirs(LOGS, exist_ok=True)
    count = Count()
    start = time.monotonic()
    for name in chosen:
        print(f'check: {name}', flush=True)
        begun = time.monotonic()
        suite(count, name)
        print(f'  {time.monotonic() - begun:.0f} s', flush=True)
    print(f'check: {time.monotonic() - start:.0f} s, logs in {LOGS}')
    for name in count.skipped:
        print('skipped: ' + name)
    for name, why in count.failed:
        print('FAILED: ' + name + '\n' + why, end='')
    print(count.line())
    sys.exit(1 if count.failed else 0)


if __name__ == '__main__':
    main()

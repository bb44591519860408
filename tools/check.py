"""Runs meson's suites for tools/check, which has set up and built, and counts their cases.

With --each-commit RANGE it proves of each commit of a branch that it builds and passes by itself.
"""
import contextlib
import dataclasses
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, 'build')
LOGS = os.path.join(BUILD, 'check')
PYTHON = '/usr/bin/python3'
# The parts in their order, with their steps, and the seconds that each step may take. `unit` is every test that is in no
# suite of another part.
PARTS = {'lint': {'lint': 2400}, 'unit': {'unit': 1500}, 'fuzz': {'fuzz': 1700}, 'sanitize': {'sanitize': 2500},
         'system': {'system-beside': 1900, 'system-paired': 1900, 'system-alone': 1900}}
# While system tests that do not mind wait, what these parts need is compiled: the kinds of tests/sanitize.
BESIDE = 'system-beside'
MEANWHILE = {'fuzz': ['fuzz'], 'sanitize': ['address', 'thread']}
REASON_LINES = 12
# The lints that take seconds, for each commit.
LINTS = ('layers', 'clock', 'format', 'paths', 'links', 'decisions', 'sizes', 'words', 'tests', 'dashboard')
SLOWEST = 10
# Tests of the system suite that failed run once more, alone: an answer to whether they fail each time. More than a few
# that fail are no accident.
AGAIN, AGAIN_LIMIT = 5, 1800
CACHE = os.path.join(LOGS, 'pytest')


@dataclasses.dataclass
class Case:
    name: str
    seconds: float
    why: str | None = None  # it failed
    skipped: str | None = None  # why it did not run


class Count:
    def __init__(self):
        self.cases = []
        self.flaky = []  # (name, why it failed first) of those that passed when they ran again

    @property
    def passed(self):
        return sum(case.why is None and case.skipped is None for case in self.cases)

    @property
    def failed(self):
        return [case for case in self.cases if case.why is not None]

    @property
    def skipped(self):
        return [case for case in self.cases if case.skipped is not None]

    def line(self):
        text = f'{self.passed} passed, {len(self.failed)} failed'
        return text + (f', {len(self.skipped)} skipped' if self.skipped else '')

    def report(self):
        """What the output ends with."""
        for case in sorted(self.cases, key=lambda case: case.seconds, reverse=True)[:SLOWEST]:
            print(f'slowest: {case.seconds:.0f} s, {case.name}')
        for case in self.skipped:
            print(f'skipped: {case.name}: {case.skipped}')
        for name, why in self.flaky:
            print(f'FLAKY: {name}: it passed when it ran again, alone; it failed first with\n{why}', end='')
        for case in self.failed:
            print(f'FAILED: {case.name}\n{case.why}', end='')
        print(self.line())


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


def cases_of(path, suite_name, log):
    """The cases of a JUnit file; none when it cannot be read. `log` is what the suite wrote. A test that failed and could
    not clean up either is twice in its suite; suites of several programs may have cases of one name."""
    try:
        suites = list(ElementTree.parse(path).iter('testsuite'))
    except (OSError, ElementTree.ParseError):
        suites = []
    cases = {}
    for program, one in ((number, one) for number, suite in enumerate(suites) for one in suite.findall('testcase')):
        case = Case(f'{suite_name} {one.get("classname")}.{one.get("name")}', float(one.get('time') or 0))
        if (skipped := one.find('skipped')) is not None:
            case.skipped = skipped.get('message') or 'no reason given'
        elif one.find('failure') is not None or one.find('error') is not None:
            case.why = reason(one, log)
        if (program, case.name) not in cases or cases[program, case.name].why is None:
            cases[program, case.name] = case
    return list(cases.values())


def is_shown(step):
    return step in ('fuzz', 'sanitize', *PARTS['system'])


def words_for(step):
    """What selects a step."""
    if step in PARTS['system']:
        chosen = [step]
    elif step != 'unit':
        chosen = ['--suite', step]
    else:
        chosen = [word for part in PARTS if part != 'unit' for word in ('--no-suite', part)]
    return chosen + (['--verbose'] if is_shown(step) else ['--print-errorlogs'])


def run_again(count):
    """The system tests that failed get a second verdict, which counts. pytest knows which they are."""
    failed = [case for case in count.failed if case.name.startswith('system ')]
    if not 0 < len(failed) <= AGAIN:
        return
    print(f'check: {len(failed)} system tests again, alone', flush=True)
    junit = os.path.join(LOGS, 'again.xml')
    if os.path.exists(junit):
        os.remove(junit)
    run('again', [PYTHON, '-B', '-m', 'pytest', '-v', '--tb=short', '-o', f'cache_dir={CACHE}', '--lf', '--lfnf=none',
                  f'--junitxml={junit}', os.path.join(ROOT, 'tests', 'system')], AGAIN_LIMIT, show=True)
    second = {case.name: case for case in cases_of(junit, 'system', written('again'))}
    for case in failed:
        if (now := second.get(case.name)) and now.why is None and now.skipped is None:
            count.flaky.append((case.name, case.why))
            case.why = None
        else:
            case.why += f'  and when it ran again\n{now.why}' if now and now.why else '  and did not run again\n'


def run_step(count, step, limit):
    """It counts as one more failure when it failed and no case did: it did not begin, or not end."""
    # `own` is the file of a step whose one test for meson is many cases; the step writes it itself.
    junit, own = os.path.join(BUILD, 'meson-logs', 'testlog.junit.xml'), os.path.join(LOGS, step + '.xml')
    for path in (junit, own):
        if os.path.exists(path):
            os.remove(path)
    good = run(step, ['/usr/bin/meson', 'test', '-C', 'build', '--no-rebuild', *words_for(step)], limit, is_shown(step))
    cases = cases_of(own if os.path.exists(own) else junit, step.split('-')[0], written(step))
    failed = sum(case.why is not None for case in cases)
    if not cases or (not good and not failed):
        cases.append(Case(f'{step}: {"did not end well" if cases else "no results"}', 0, why=''))
    count.cases += cases
    if not is_shown(step) and failed:
        tail(step, 60)
    print(f'  {sum(case.why is None and case.skipped is None for case in cases)} passed', flush=True)


@contextlib.contextmanager
def compiling(kinds):
    """The programs of these kinds of tests/sanitize are compiled meanwhile, where nobody else needs the CPU; how it ended
    tells the part itself, which compiles what is missing."""
    if not kinds:
        yield
        return
    with open(log_of('sanitize-build'), 'w', encoding='utf-8') as log, \
            subprocess.Popen(['nice', '-n', '19', 'tests/sanitize', '--short', '--build', *kinds], cwd=ROOT,
                             stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True) as process:
        try:
            yield
            process.wait()
        except BaseException:
            os.killpg(process.pid, signal.SIGTERM)  # it, and its compilers
            raise


def steps_of(parts):
    """(step, its limit) in their order: what is compiled meanwhile runs behind what it was compiled beside."""
    steps = [(step, limit) for part in parts for step, limit in PARTS[part].items()]
    if 'system' not in parts:
        return steps
    later = [step for step in steps if step[0] in MEANWHILE]
    steps = [step for step in steps if step not in later]
    behind = [step for step, _ in steps].index(BESIDE) + 1
    return steps[:behind] + later + steps[behind:]


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
        steps += [[PYTHON, '-B', f'tools/lint/{lint}.py'] for lint in LINTS]
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
    chosen = sys.argv[1:] or list(PARTS)
    if unknown := set(chosen) - set(PARTS):
        sys.exit(f'check: no such part: {", ".join(sorted(unknown))}; there are {", ".join(PARTS)}')
    os.makedirs(LOGS, exist_ok=True)
    shutil.rmtree(CACHE, ignore_errors=True)
    count = Count()
    start = time.monotonic()
    for step, limit in steps_of(chosen):
        print(f'check: {step}', flush=True)
        begun = time.monotonic()
        with compiling([kind for part in chosen for kind in MEANWHILE.get(part, [])] if step == BESIDE else None):
            run_step(count, step, limit)
        print(f'  {time.monotonic() - begun:.0f} s', flush=True)
    run_again(count)
    print(f'check: {time.monotonic() - start:.0f} s, logs in {LOGS}')
    count.report()
    sys.exit(1 if count.failed else 0)


if __name__ == '__main__':
    main()

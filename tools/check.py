"""Builds and runs meson's suites for tools/check, which has set up, and counts their cases."""
import contextlib
import dataclasses
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as ElementTree

from ahead import Ahead

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, 'build')
LOGS = os.path.join(BUILD, 'check')
PYTHON = '/usr/bin/python3'
# The parts in their order, with their steps and the seconds that each may take. `unit`: what no other part has.
PARTS = {'lint': {'lint': 2400}, 'unit': {'unit': 1500}, 'fuzz': {'fuzz': 1700}, 'sanitize': {'sanitize': 2500},
         'system': {'system-beside': 1900, 'system-paired': 1900, 'system-alone': 1900}}
# By part, the kinds of tests/sanitize that begin ahead, on CPUs that other parts leave idle.
AHEAD = {'fuzz': ['fuzz'], 'sanitize': ['address', 'thread']}
# The suite of programs that run under sanitizers only (tests/unit/meson.build).
SANITIZED = 'sanitized'
# A line of tests/sanitize about a program that passed: its kind and its name.
JUDGED = re.compile(r'sanitize (address|thread): (\w+), \d')
# The last steps. Nothing runs beside `system-alone`.
LAST = (*AHEAD, 'system-alone')
# Meson's limits of a test catch what hangs; a slow machine may take this much longer.
PATIENCE = 4
REASON_LINES = 12
SLOWEST = 10
# Tests of the system suite that failed run once more, alone. More than a few that fail are no accident.
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
        self.steps = []  # (step, the seconds that it took, those of CPU in it)

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
        """Prints what the output ends with."""
        print('steps: ' + ', '.join(f'{step} {seconds:.0f} s (CPU {cpu:.0f} s)' for step, seconds, cpu in self.steps))
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
    env = dict(os.environ, PATH='/usr/bin:/bin:/usr/sbin:/sbin:' + os.environ.get('PATH', ''), PYTHONUNBUFFERED='1',
               PYTHONDONTWRITEBYTECODE='1')
    with subprocess.Popen(command, cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors='replace') as process:
        timer = threading.Timer(limit, process.terminate)
        timer.start()
        try:
            with open(log_of(name), 'w', encoding='utf-8') as file:
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
    """The last lines that a case wrote, or else its suite, for the end of the output."""
    texts = [case.findtext(part) or '' for part in ('failure', 'error', 'system-err', 'system-out')]
    texts.append(log.split('\nSummary of Failures')[0])
    return last_lines(next(filter(str.strip, texts), ''))


def last_lines(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return ''.join(f'    {line[:200]}\n' for line in lines[-REASON_LINES:])


def cases_of(path, suite_name, log):
    """The cases of a JUnit file; none when it cannot be read. `log` is what the suite wrote. A test that failed and
    could not clean up either is twice in its suite; suites of several programs may have cases of one name."""
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


def unfinished():
    """The programs of meson's last run that did not end by themselves: name, reason. Its JUnit file does not tell them
    from those that passed."""
    with contextlib.suppress(OSError), open(os.path.join(BUILD, 'meson-logs', 'testlog.json'), encoding='utf-8') as file:
        for program in map(json.loads, file):
            if program['result'] in ('TIMEOUT', 'INTERRUPT', 'ERROR'):
                how = f'    {program["result"]} after {program["duration"]:.0f} s\n'
                yield program['name'].split(' / ')[-1], how + last_lines(program.get('stdout') or '')


def sanitized_cases():
    """The cases of the programs that tests/sanitize ran without a finding."""
    for kind, program in JUDGED.findall(written('sanitize')):
        yield from cases_of(os.path.join(BUILD, f'sanitize-short-{kind}', program + '.xml'), f'sanitize {kind}', '')


def is_shown(step):
    return step in ('fuzz', 'sanitize', *PARTS['system'])


def words_for(step, parts=('unit',)):
    """The words that select a step of these parts. `unit` has the programs of SANITIZED unless `sanitize` runs."""
    if step in PARTS['system']:
        chosen = [step]
    elif step != 'unit':
        chosen = ['--suite', step]
    else:
        others = [*(part for part in PARTS if part != 'unit'), *([SANITIZED] if 'sanitize' in parts else [])]
        chosen = [word for suite in others for word in ('--no-suite', suite)]
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


def run_step(count, step, limit, parts):
    """It counts as one more failure when it failed and no case did: it did not begin, or not end."""
    # `own` is the file of a step whose one test for meson is many cases; the step writes it itself.
    junit, own = os.path.join(BUILD, 'meson-logs', 'testlog.junit.xml'), os.path.join(LOGS, step + '.xml')
    for path in (junit, own, os.path.join(BUILD, 'meson-logs', 'testlog.json')):
        if os.path.exists(path):
            os.remove(path)
    # build() has made everything but the programs of SANITIZED.
    made = [] if step == 'unit' and 'sanitize' not in parts else ['--no-rebuild']
    good = run(step, ['/usr/bin/meson', 'test', '-C', 'build', *made, '--timeout-multiplier', str(PATIENCE),
                      *words_for(step, parts)], limit, is_shown(step))
    cases = cases_of(own if os.path.exists(own) else junit, step.split('-')[0], written(step))
    if not is_shown(step):
        for program, why in unfinished():
            cases = [case for case in cases if case.name.rsplit('.', 1)[-1] != program]
            cases.append(Case(f'{step} {program}', 0, why=why))
    if step == 'sanitize':
        cases += sanitized_cases()
    failed = sum(case.why is not None for case in cases)
    if not cases or (not good and not failed):
        cases.append(Case(f'{step}: {"did not end well" if cases else "no results"}', 0, why=''))
    count.cases += cases
    if not is_shown(step) and failed:
        tail(step, 60)
    print(f'  {sum(case.why is None and case.skipped is None for case in cases)} passed', flush=True)


def build():
    if subprocess.run([os.path.join(ROOT, 'tools', 'build'), '--usual'], cwd=ROOT, check=False).returncode:
        print('0 passed, 1 failed')
        sys.exit(1)


def steps_of(parts):
    """(step, its limit) in their order."""
    steps = [(step, limit) for part in parts for step, limit in PARTS[part].items()]
    return sorted(steps, key=lambda step: (step[0] in LAST, step[0] in PARTS['system']))


def cpu_seconds():
    """CPU seconds of the programs that were started here and have ended."""
    times = os.times()
    return times.children_user + times.children_system


@contextlib.contextmanager
def timed(count, step):
    print(f'check: {step}', flush=True)
    begun, spent = time.monotonic(), cpu_seconds()
    yield
    count.steps.append((step, time.monotonic() - begun, cpu_seconds() - spent))
    print(f'  {count.steps[-1][1]:.0f} s', flush=True)


def main():
    chosen = sys.argv[1:] or list(PARTS)
    if unknown := set(chosen) - set(PARTS):
        sys.exit(f'check: no such part: {", ".join(sorted(unknown))}; there are {", ".join(PARTS)}')
    os.makedirs(LOGS, exist_ok=True)
    shutil.rmtree(CACHE, ignore_errors=True)
    count = Count()
    start = time.monotonic()
    kinds = [kind for part in chosen for kind in AHEAD.get(part, [])]
    with contextlib.ExitStack() as at_end:
        steps = steps_of(chosen)
        ahead = at_end.enter_context(Ahead(kinds, log_of('ahead'))) if kinds and steps[0][0] not in LAST else None
        with timed(count, 'build'):
            build()
        for step, limit in steps:
            if ahead and step in LAST:
                with timed(count, 'ahead'):
                    ahead.wait()
                ahead = None
            with timed(count, step):
                run_step(count, step, limit, chosen)
    run_again(count)
    print(f'check: {time.monotonic() - start:.0f} s, logs in {LOGS}')
    count.report()
    sys.exit(1 if count.failed else 0)


if __name__ == '__main__':
    main()

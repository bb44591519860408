"""tools/check.py: what it counts and repeats of the cases that the suites have written. tests/sanitize: what it does
ahead."""
import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from box import ROOT

sys.path.append(os.path.join(ROOT, 'tools'))

import ahead  # noqa: E402
import check  # noqa: E402


def junit(path, *cases):
    """Writes a file of cases: (name, kind of its ending or None for one that passed, message)."""
    path.parent.mkdir(exist_ok=True)
    lines = [f'<testcase classname="test_x" name="{name}" time="{number}.5">'
             + (f'<{ending} message="{said}">{said}</{ending}>' if ending else '') + '</testcase>'
             for number, (name, ending, said) in enumerate(cases)]
    path.write_text('<testsuites><testsuite>' + ''.join(lines) + '</testsuite></testsuites>', encoding='utf-8')


@pytest.fixture(name='count_of')
def fixture_count_of(tmp_path, monkeypatch):
    """count_of(step, ended, first, second, programs): the count of a step that writes the cases `first`, and `second`
    when the failed ones run again; meson's log has the `programs` (name, result, output)."""
    logs = tmp_path / 'check'
    logs.mkdir()
    monkeypatch.setattr(check, 'BUILD', str(tmp_path))
    monkeypatch.setattr(check, 'LOGS', str(logs))
    monkeypatch.setattr(check, 'CACHE', str(logs / 'pytest'))

    def counted(step, ended, first, second=None, programs=()):
        def run(log, *_, **_more):
            (logs / f'{log}.log').write_text('what was written', encoding='utf-8')
            if log == 'again':
                assert second is not None, 'nothing is to run again'
                junit(logs / 'again.xml', *second)
            elif first:
                junit(logs / f'{step}.xml' if step == 'system-beside' else tmp_path / 'meson-logs' / 'testlog.junit.xml', *first)
            if programs:
                lines = [json.dumps({'name': f'rncd:suite / {name}', 'result': result, 'duration': 120.4, 'stdout': said})
                         for name, result, said in programs]
                (tmp_path / 'meson-logs' / 'testlog.json').write_text('\n'.join(lines), encoding='utf-8')
            return ended
        monkeypatch.setattr(check, 'run', run)
        count = check.Count()
        check.run_step(count, step, 1, list(check.PARTS))
        check.run_again(count)
        return count
    return counted


PASSED, FAILED = ('sound', None, ''), ('frail', 'failure', 'too late')


def test_a_case_that_passes_when_it_runs_again_has_passed_and_is_listed_with_why_it_failed_first(count_of, capsys):
    count = count_of('system-beside', False, [PASSED, FAILED], [('frail', None, '')])
    count.report()
    said = capsys.readouterr().out
    assert count.line() == '2 passed, 0 failed' and said.endswith('\n2 passed, 0 failed\n')
    assert 'FLAKY: system test_x.frail: ' in said and 'too late' in said and 'FAILED' not in said


def test_a_case_that_fails_twice_has_failed_and_says_both_times_why(count_of, capsys):
    count = count_of('system-beside', False, [PASSED, FAILED], [('frail', 'error', 'too late once more')])
    count.report()
    said = capsys.readouterr().out
    assert count.line() == '1 passed, 1 failed' and not count.flaky
    assert 'FAILED: system test_x.frail\n    too late\n' in said and 'when it ran again\n    too late once more\n' in said


@pytest.mark.parametrize('second', [[], [PASSED], [('frail', 'skipped', 'no reason')]], ids=['none', 'another', 'skipped'])
def test_a_case_that_does_not_run_again_has_failed(count_of, second):
    count = count_of('system-beside', False, [PASSED, FAILED], second)
    assert count.line() == '1 passed, 1 failed' and 'did not run again' in count.failed[0].why


def test_when_more_than_a_few_fail_nothing_runs_again(count_of):
    many = [(f'frail {number}', 'failure', 'too late') for number in range(check.AGAIN + 1)]
    assert count_of('system-beside', False, [PASSED, *many]).line() == f'1 passed, {len(many)} failed'


def test_no_other_part_runs_anything_again(count_of):
    assert count_of('unit', False, [PASSED, FAILED]).line() == '1 passed, 1 failed'


def test_a_step_that_ends_badly_while_all_its_cases_passed_is_one_failure(count_of):
    assert count_of('system-beside', False, [PASSED]).line() == '1 passed, 1 failed'


def test_a_step_without_results_is_one_failure(count_of):
    assert count_of('system-beside', True, []).line() == '0 passed, 1 failed'


def test_a_program_that_ran_out_of_time_has_failed_with_what_it_wrote_last(count_of):
    # Meson's JUnit file has such a program as a case without a failure.
    count = count_of('unit', False, [PASSED, ('worker', None, '')],
                     programs=[('unit', 'OK', ''), ('worker', 'TIMEOUT', 'RUN Worker.Waits\n')])
    assert count.line() == '1 passed, 1 failed' and count.failed[0].name == 'unit worker'
    assert count.failed[0].why == '    TIMEOUT after 120 s\n    RUN Worker.Waits\n'


def test_a_case_that_failed_and_could_not_clean_up_counts_once(count_of):
    failed_twice = [PASSED, FAILED, ('frail', 'error', 'a process is left')]
    assert count_of('unit', False, failed_twice).line() == '1 passed, 1 failed'


def test_cases_of_one_name_in_the_suites_of_two_programs_are_two(tmp_path):
    path = tmp_path / 'testlog.junit.xml'
    suite = '<testsuite><testcase classname="Aqm" name="Keeps"/></testsuite>'
    path.write_text(f'<testsuites>{suite}{suite}</testsuites>', encoding='utf-8')
    assert len(check.cases_of(str(path), 'unit', '')) == 2


def test_the_slowest_cases_are_listed_longest_first_and_the_skipped_ones_with_why(count_of, capsys):
    cases = [(f'case {number}', None, '') for number in range(check.SLOWEST + 2)]
    count = count_of('unit', True, [*cases, ('left out', 'skipped', 'no such kernel')])
    count.report()
    lines = capsys.readouterr().out.splitlines()
    slowest = [line for line in lines if line.startswith('slowest: ')]
    assert slowest[1] == f'slowest: {len(cases) - 0.5:.0f} s, unit test_x.case {len(cases) - 1}' and len(slowest) == check.SLOWEST
    assert 'skipped: unit test_x.left out: no such kernel' in lines
    assert lines[-1] == f'{len(cases)} passed, 0 failed, 1 skipped'


def test_the_cases_of_programs_under_sanitizers_count(count_of, tmp_path, monkeypatch):
    monkeypatch.setattr(check, 'JUDGED', re.compile('(what) was (written)'))
    (tmp_path / 'sanitize-short-what').mkdir()
    junit(tmp_path / 'sanitize-short-what' / 'written.xml', PASSED, ('left out', 'skipped', 'no such kernel'))
    count = count_of('sanitize', True, [PASSED])
    assert count.line() == '2 passed, 0 failed, 1 skipped'
    assert [case.name for case in count.cases] == [
        'sanitize test_x.sound', 'sanitize what test_x.sound', 'sanitize what test_x.left out']


def test_each_line_of_a_program_that_passed_names_its_kind_and_itself():
    said = 'sanitize address: unit_tests, 1 test from 1 test suite ran, no finding\n' \
           'sanitize fuzz: rpc_fuzz, corpus of 96 inputs, no finding\n'
    assert check.JUDGED.findall(said) == [('address', 'unit_tests')]


def test_what_sanitizers_change_of_a_test_runs_without_them_too():
    with open(os.path.join(ROOT, 'tests', 'unit', 'meson.build'), encoding='utf-8') as file:
        programs = {name: (set(re.findall(r"'([^']*_test\.cc)'", body)), 'build_by_default: false' in body)
                    for name, body in re.findall(r"executable\('(\w+)',(.*?)\n\n?test\(", file.read(), re.DOTALL)}
    with open(os.path.join(ROOT, 'tests', 'sanitize'), encoding='utf-8') as file:
        suites = [pattern.split('.')[0] for line in re.findall(r'^long\+?=:?(.*)$', file.read(), re.MULTILINE)
                  for pattern in line.split(':')]
    changes = re.compile(r'\b(?:runs_of|step_of)\(|DP_SANITIZE_|TEST\w*\((?:%s)\w*,' % '|'.join(suites))
    sanitized = {source for sources, apart in programs.values() if apart for source in sources}
    assert len(sanitized) > 100 and 'ClosedForms' in suites
    for source in sorted(sanitized - programs['plain_tests'][0]):
        with open(os.path.join(ROOT, 'tests', 'unit', source), encoding='utf-8') as file:
            assert not changes.search(file.read()), f'{source} belongs into plain_tests as well (tests/unit/meson.build)'


def test_a_build_that_fails_is_the_one_failure(tmp_path, monkeypatch, capsys):
    (tmp_path / 'tools').mkdir()
    script = tmp_path / 'tools' / 'build'
    script.write_text('#!/bin/sh\ntest "$*" != --usual\n', encoding='utf-8')
    script.chmod(0o755)
    monkeypatch.setattr(check, 'ROOT', str(tmp_path))
    with pytest.raises(SystemExit) as ended:
        check.build()
    assert ended.value.code == 1
    assert capsys.readouterr().out.splitlines()[-1] == '0 passed, 1 failed'


@pytest.mark.parametrize('parts, left_out', [(['unit', 'sanitize'], True), (['unit'], False)])
def test_programs_run_without_sanitizers_when_they_do_not_run_under_them(parts, left_out):
    assert (check.SANITIZED in check.words_for('unit', parts)) == left_out


@pytest.mark.parametrize('parts, steps', [
    (['lint', 'unit', 'fuzz', 'sanitize', 'system'],
     ['lint', 'unit', 'system-beside', 'system-paired', 'fuzz', 'sanitize', 'system-alone']),
    (['system'], ['system-beside', 'system-paired', 'system-alone']),
    (['sanitize'], ['sanitize']),
    (['system', 'unit'], ['unit', 'system-beside', 'system-paired', 'system-alone'])], ids='-'.join)
def test_what_has_begun_ahead_ends_before_the_system_tests_that_run_alone(parts, steps):
    assert [step for step, _ in check.steps_of(parts)] == steps


@pytest.fixture(name='sanitize')
def fixture_sanitize(tmp_path):
    """sanitize(words...): the lines and the exit code of tests/sanitize in a tree whose programs are scripts, and how
    often each of them has run in all."""
    build = tmp_path / 'build' / 'sanitize-short-address'
    for folder in ('contract', 'unit'):
        (build / 'tests' / folder).mkdir(parents=True)
    (tmp_path / 'tests').mkdir()
    shutil.copy(os.path.join(ROOT, 'tests', 'sanitize'), tmp_path / 'tests')
    names = ['contract/contract', 'contract/told_contract', 'contract/work', *(f'unit/{name}' for name in (
        'unit', 'plain', 'worker', 'threads', 'ack', 'split', 'control', 'told', 'told_pfcp', 'told_sink', 'told_daemon'))]
    for name in names:
        program = build / 'tests' / f'{name}_tests'
        program.write_text(f"""#!/bin/sh
echo {name} >>{tmp_path}/ran
echo "[==========] 1 test from 1 test suite ran."
test ! -e {tmp_path}/{os.path.basename(name)}-fails
""", encoding='utf-8')
        program.chmod(0o755)
    (build / 'build.ninja').write_text(''.join(f'build tests/{name}_tests: phony\n' for name in names), encoding='utf-8')

    def run(*words):
        ended = subprocess.run([tmp_path / 'tests' / 'sanitize', '--short', *words, 'address'], capture_output=True, text=True)
        ran = (tmp_path / 'ran').read_text(encoding='utf-8').split()
        return ended.stdout.splitlines(), ended.returncode, {name: ran.count(name) for name in names}
    run.fail = lambda name: (tmp_path / f'{name}-fails').touch()
    run.mend = lambda name: (tmp_path / f'{name}-fails').unlink()
    return run


def test_what_ran_ahead_is_taken_over_once(sanitize):
    said, code, ran = sanitize('--ahead')
    assert not said and code == 0 and ran['unit/unit'] == 1 and ran['unit/control'] == ran['unit/threads'] == 0
    said, code, ran = sanitize()
    assert code == 0 and len(said) == len(ran) and set(ran.values()) == {1}
    assert 'sanitize address: unit_tests, 1 test from 1 test suite ran, no finding' in said
    _, _, ran = sanitize()
    assert set(ran.values()) == {2}, 'a run by hand runs everything'


def test_what_failed_ahead_runs_again_and_says_so(sanitize):
    sanitize.fail('ack')
    assert sanitize('--ahead')[1] != 0
    said, code, ran = sanitize()
    assert code != 0 and ran['unit/ack'] == 2 and not any('ack_tests' in line for line in said)
    sanitize.mend('ack')
    assert sanitize()[1] == 0


def test_what_runs_ahead_gets_what_others_leave_of_the_cpus(tmp_path, monkeypatch):
    (tmp_path / 'tests').mkdir()
    script = tmp_path / 'tests' / 'sanitize'
    script.write_text("""#!/bin/sh
chrt -p $$
for i in $(seq 50); do
  grep -qs -e ' nice 19$' /proc/self/autogroup && break
  sleep 0.1
done
cat /proc/self/autogroup
""", encoding='utf-8')
    script.chmod(0o755)
    monkeypatch.setattr(ahead, 'ROOT', str(tmp_path))
    with ahead.Ahead(['address'], str(tmp_path / 'ahead.log')) as begun:
        begun.wait()
    said = (tmp_path / 'ahead.log').read_text(encoding='utf-8')
    assert 'SCHED_IDLE' in said
    if os.path.exists('/proc/self/autogroup'):
        assert said.endswith(' nice 19\n'), 'in a session of its own the class would count for nothing'

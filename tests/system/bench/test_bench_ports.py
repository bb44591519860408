"""rncbench ports --latency: all rows of its table, its refusals, and Ctrl-C. No time is judged."""
import json
import os
import signal
import subprocess

import pytest

from box import BUILD, ROOT
from rig import PATIENCE, heed_interrupts, sh
from steady import until

PORTS = ('/usr/bin/python3', '-B', os.path.join(ROOT, 'tools', 'bench', 'live', 'main.py'), 'ports', '--latency')
ENV = {**os.environ, 'TESTED_BUILD': BUILD}
# One driver is enough: the other one only means other interfaces to rncd and testpmd.
SUBJECTS = 'cable', 'bridge', 'testpmd af_packet', 'rncd af_packet poll', 'rncd af_packet adaptive'
TRAFFIC = ('bare', 'gtp-u')
# Beside the share of the probes that may be lost: a subject that waits for a CPU loses what its rings do not hold.
LOADS = {'at rest': 0.1, 'half load': 0.5}


def ports(*words, **options):
    return sh(*PORTS, *words, check=False, timeout=10 * PATIENCE, **{'env': ENV, **options})


@pytest.mark.longest(10 * PATIENCE)
def test_each_subject_has_its_figures_bare_and_in_tunnels_at_rest_and_at_half_load(tmp_path):
    done = ports('--seconds', '0.5', '--rounds', '1', '--drivers', 'af_packet', '--json', str(tmp_path / 'json'))
    assert done.returncode == 0, done.stderr
    told = json.loads((tmp_path / 'json').read_text())
    assert told['complete'] and not told['faults']
    values = {figure['name']: figure['value'] for figure in told['figures']}
    names = [(subject, traffic, load) for subject in SUBJECTS for traffic in TRAFFIC for load in LOADS]
    lines = [line.split('  ')[0] for line in done.stdout.splitlines()]
    assert lines == ['SUBJECT', *(subject for subject, _, _ in names)]
    for subject, traffic, load in names:
        of = {what: values[f'{subject}, {traffic}, {load}: {what}']
              for what in ('load', 'probes', 'lost', 'p50', 'p99', 'p99.9', 'max')}
        assert 0 < of['p50'] <= of['p99'] <= of['p99.9'] <= of['max'], (subject, traffic, load, of)
        assert of['probes'] > 0 and 0 <= of['lost'] <= LOADS[load] * of['probes'], (subject, traffic, load, of)
        assert (of['load'] > 0) == (load == 'half load'), (subject, traffic, load, of)


def test_ctrl_c_prints_what_was_measured_and_removes_the_namespaces(tmp_path):
    with subprocess.Popen([*PORTS, '--seconds', '1', '--json', str(tmp_path / 'json')], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, preexec_fn=heed_interrupts, env=ENV) as process:
        next(line for line in process.stderr if 'half load' in line)
        assert until(lambda: f'rncd-{process.pid}-' in sh('ip', 'netns', 'list').stdout)
        process.send_signal(signal.SIGINT)
        table, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, said
    assert f'rncd-{process.pid}-' not in sh('ip', 'netns', 'list').stdout
    assert 'half load' in table
    assert not json.loads((tmp_path / 'json').read_text())['complete']


def test_without_testpmd_or_root_it_says_what_is_missing(tmp_path):
    none = ports(env={**ENV, 'PATH': str(tmp_path)})
    assert none.returncode == 2 and 'no dpdk-testpmd' in none.stderr and 'tools/setup check' in none.stderr
    user = sh('setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', *PORTS, check=False, env=ENV)
    assert user.returncode == 2 and 'need root' in user.stderr, user.stderr


@pytest.mark.parametrize('words', [('--rounds', '0'), ('--probes', '0'), ('--probes', '20000'), ('--seconds', '0'),
                                   ('--drivers', 'pcap')])
def test_wrong_options_are_refused(words):
    done = ports(*words)
    assert done.returncode == 2 and 'expected' in done.stderr, done.stderr

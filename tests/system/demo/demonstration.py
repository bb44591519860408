"""Runs tools/demo for the tests of its demonstrations."""
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from box import BUILD, ROOT
from rig import PATIENCE, heed_interrupts, sh

sys.path.append(os.path.join(ROOT, 'tools', 'demo_lib'))

import options  # noqa: E402
from around import ATTEMPTS  # noqa: E402

DEMO = ('/usr/bin/python3', '-B', os.path.join(ROOT, 'tools', 'demo_lib', 'main.py'))
# Several at once: none looks for a socket where another lives.
ENV = {**os.environ, 'TESTED_BUILD': BUILD, 'TESTED_SOCKET': f'/run/rncd-demo-{os.getpid()}/rncd.sock'}
LONGEST = ATTEMPTS * 2 * PATIENCE  # seconds; an attempt takes at most one PATIENCE on a machine that has time
MAY_TAKE_LONG = pytest.mark.longest(LONGEST + PATIENCE)
VERDICT = re.compile(r'^demo: to be seen was that .*: it was (?:NOT )?seen \(.*\)\n\Z', re.M)


def demo(*words, check=True):
    done = sh(*DEMO, *words, timeout=LONGEST, check=check, cwd=ROOT, env=ENV)
    assert not check or VERDICT.search(done.stdout), done.stdout
    return done


def refusal(monkeypatch, capsys, *words):
    """The words in which it refuses options. This process reads them: starting the program takes far longer."""
    monkeypatch.setattr(sys, 'argv', [DEMO[-1], *words])
    with pytest.raises(SystemExit) as left:
        options.parse()
    assert left.value.code == 2
    return capsys.readouterr().err


def interrupted(words, sign):
    """The output of a demonstration that gets Ctrl-C soon after a line with `sign`."""
    said = ''
    with subprocess.Popen([*DEMO, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          preexec_fn=heed_interrupts, env=ENV) as process:
        for line in process.stdout:
            said += line
            if sign in line:
                break
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        said += process.stdout.read()
    assert process.returncode == 130 and 'interrupted, everything is taken down' in said, said
    assert f'rncd-{process.pid}-' not in sh('ip', 'netns', 'list').stdout
    return said


def rncd_of(demo_pid):
    """The process id of the rncd that a demonstration runs."""
    with open(f'/proc/{demo_pid}/task/{demo_pid}/children', encoding='ascii') as file:
        for child in map(int, file.read().split()):
            with open(f'/proc/{child}/comm', encoding='ascii') as name:
                if name.read().strip() == 'rncd':
                    return child
    raise AssertionError('the demonstration runs no rncd')

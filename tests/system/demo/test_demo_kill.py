"""tools/demo --kill: the wire outlives rncd."""
import os
import re
import signal
import subprocess
import time

import pytest

from demonstration import DEMO, ENV, MAY_TAKE_LONG, demo, rncd_of
from rig import heed_interrupts

pytestmark = MAY_TAKE_LONG


def test_a_pause_of_the_wire_in_which_frames_went_around_is_repeated_before_its_goodput_is_judged(tmp_path):
    said = ''
    with subprocess.Popen([*DEMO, '--kill', '--out', str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, preexec_fn=heed_interrupts, env=ENV) as process:
        for line in process.stdout:
            said += line
            if 'a ping each 10 ms' in line:
                time.sleep(1)
                rncd = rncd_of(process.pid)
                os.kill(rncd, signal.SIGSTOP)
                time.sleep(0.5)
                os.kill(rncd, signal.SIGCONT)
            if 'went around' in line or 'kill -9' in line:
                break
        process.send_signal(signal.SIGINT)
        said += process.stdout.read()
    assert re.search(r"^demo: \d+ frames went around rncd, .*; measuring again, attempt 2 of 5$", said, re.M), said


@pytest.mark.paired
def test_the_wire_outlives_a_kill_a_hang_a_restart_and_an_upgrade(tmp_path):
    said = demo('--kill', '--out', str(tmp_path)).stdout
    assert len(re.findall(r'as promised$', said, re.M)) == 7 and 'NOT SO' not in said, said
    assert re.search(r'while rncd is dead:\n(?:.*\n){2,4}? +core +d0 +bypass ', said), said
    assert 'unaccounted frames of the rncd that runs: 0' in said, said
    assert (tmp_path / 'outage.png').read_bytes()[:8] == b'\x89PNG\r\n\x1a\n'
    assert 'goodput_mbit' in (tmp_path / 'outage.csv').read_text(encoding='utf-8')

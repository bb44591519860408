"""tools/demo --ack: TCP with and without ACK stages, under every kind of TCP, and what is measured again."""
import itertools
import os
import re
import signal
import subprocess
import time

import pytest

from demonstration import DEMO, ENV, MAY_TAKE_LONG, VERDICT, demo, interrupted, rncd_of

pytestmark = MAY_TAKE_LONG
FIGURES = r' +([\d.]+) kbit/s +[\d.]+%(?: +[\d.]+%)?(?: +[\d.]+ ms){3}'


@pytest.mark.parametrize('words, titles, agreed', [
    (('wrb',), ('wrb', 'wrb, target 300 ms'), 'SACK, timestamps, window scale '),
    (('ack-rate', '--cc', 'cubic', '--no-sack', '--link', 'shaper'), ('ack-rate',),
     'no SACK, timestamps, window scale 0'),
    (('combined', '--cc', 'bbr', '--no-timestamps', '--window-scale', '14'), ('pdpc + ack-rate',),
     'SACK, no timestamps, window scale 14')], ids=lambda words: words[0] if isinstance(words, tuple) else '')
def test_acks_with_and_without_a_stage_are_a_table_and_claims_and_no_frame_is_lost_sight_of(words, titles, agreed):
    said = demo('--ack', *words, '--seconds', '10').stdout
    assert f'The ends agreed on: {agreed}' in said and 'unaccounted frames: 0' in said, said
    for title in ('drop-tail', *titles):
        match = re.search(rf'^  {re.escape(title)}{FIGURES}', said, re.M)
        assert match and float(match[1]) > 0, said
    for title in titles:
        for claim in ('goodput at least 95% of that without', 'fewer SDUs dropped', 'less time in the buffer'):
            assert re.search(rf'^  {re.escape(title)}: {claim} +(yes|no|-) +(yes|no) ', said, re.M), said
    shown = re.findall(r'^  rncctl show flows 10\.45\.0\.\d\n +UE .*\n.* established ', said, re.M)
    assert len(shown) == len(titles), said


def test_the_matrix_of_acks_has_a_row_for_every_kind_of_tcp_and_ctrl_c_ends_it_after_those_that_are_there():
    said = interrupted(('--ack', 'wrb', '--matrix', '--seconds', '6'), 'part 2 of 4')
    with open('/proc/sys/net/ipv4/tcp_available_congestion_control', encoding='ascii') as file:
        there = file.read().split()
    controls = [name for name in ('reno', 'cubic', 'bbr') if name in there]
    rows = re.findall(r'^ +(\w+) +(yes|no) +(yes|no) +(\d+)((?: +[\d.]+){10})$', said, re.M)
    kinds = itertools.product(controls, ('0', '7', '14'))
    assert [row[:4] for row in rows] == [(control, 'yes', 'yes', shift) for control, shift in kinds], said
    assert all(float(figure) > 0 for row in rows for figure in row[4].split()[:4]), said


def test_what_went_around_a_worker_that_got_no_cpu_is_not_judged_but_measured_again():
    said = ''
    with subprocess.Popen([*DEMO, '--ack', 'ack-rate', '--link', 'shaper', '--rate', '2M', '--seconds', '6'], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=ENV) as process:
        for line in process.stdout:
            said += line
            if 's of 6: smoothed round trips' in line and '(ack-rate)' in line:
                break
        rncd = rncd_of(process.pid)
        os.kill(rncd, signal.SIGSTOP)
        time.sleep(2.5)  # with pings and repeats of TCP meanwhile
        os.kill(rncd, signal.SIGCONT)
        said += process.stdout.read()
    assert process.returncode == 0, said
    assert re.search(r"^demo: \d+ frames went around rncd, .* measuring again, attempt 2 of 3$", said, re.M), said
    assert said.count('srtt, mean') == 1 and VERDICT.search(said), said
    shares = re.findall(r'^  (?:drop-tail|ack-rate) +\d+ kbit/s +([\d.]+)%', said, re.M)
    assert len(shares) == 2 and all(float(share) < 105 for share in shares), said

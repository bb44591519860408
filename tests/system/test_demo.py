"""tools/demo --aqm, --ack, --proxy, --cell and --kill: the rate switch under every policy, its picture, TCP with and
without ACK stages or a split proxy, short fetches in a cell, and how it refuses and ends."""
import csv
import itertools
import os
import re
import signal
import struct
import subprocess
import sys
import time

import pytest

from box import BUILD, ROOT
from rig import PATIENCE, heed_interrupts, sh

sys.path.append(os.path.join(ROOT, 'tools', 'demo_lib'))

from around import ATTEMPTS  # noqa: E402

DEMO = ('/usr/bin/python3', '-B', os.path.join(ROOT, 'tools', 'demo_lib', 'main.py'))
SECONDS = 12
LONGEST = ATTEMPTS * 2 * PATIENCE  # seconds; an attempt takes at most one on a machine that has time
LANES = ('reconfigured', 'kept', 'drop-tail')


pytestmark = pytest.mark.longest(LONGEST + PATIENCE)
VERDICT = re.compile(r'^demo: to be seen was that .*: it was (?:NOT )?seen \(.*\)\n\Z', re.M)


def demo(*words, check=True):
    done = sh(*DEMO, *words, timeout=LONGEST, check=check, cwd=ROOT, env={**os.environ, 'TESTED_BUILD': BUILD})
    assert not check or VERDICT.search(done.stdout), done.stdout
    return done


@pytest.fixture(scope='module')
def shown(tmp_path_factory):
    """What it said, and the folder of its picture."""
    folder = tmp_path_factory.mktemp('demo')
    return demo('--aqm', 'sbd', '--seconds', str(SECONDS), '--out', str(folder)).stdout, folder


def test_the_switch_of_rates_prints_its_table_and_accounts_for_every_frame(shown):
    said, _ = shown
    assert re.search(r'RRC switches 384 kbit/s -> 128 kbit/s: 3 bearers in [\d.]+ ms, 0 frames lost by it', said), said
    assert 'unaccounted frames: 0' in said, said
    for title in ('sbd, reconfigured', 'sbd, not reconfigured', 'drop-tail'):
        cells = r'((?: +[\d.]+){5,}) kbit/s +(?:\d+|nan) ms'
        rows = rf'^  {title} +before{cells}\n +after{cells}$'
        match = re.search(rows, said, re.M)
        assert match, said
        for half in match.groups():
            assert 0 < float(half.split()[0]) <= float(half.split()[1]) <= 40, said
        assert re.search(rf'^  {title} overflows at the switch +(yes|no|-) +(yes|no) ', said, re.M), said


def test_parameters_follow_the_rate_where_they_are_by_rate_and_stay_where_they_are_numbers(shown):
    said, _ = shown
    assert re.search(r'sbd, reconfigured: .*minth 20sdu -> 15sdu.*t_r 0.2s -> 1.3s', said), said
    assert 'sbd, not reconfigured: its parameters stay' in said, said


def test_the_picture_is_drawn_from_samples_of_every_run_on_both_sides_of_the_switch(shown):
    said, folder = shown
    picture = (folder / 'sbd.png').read_bytes()
    assert picture[:8] == b'\x89PNG\r\n\x1a\n' and len(picture) > 20_000
    width, height = struct.unpack('>II', picture[16:24])
    assert width >= 1000 and height >= 600
    assert str(os.path.relpath(folder / 'sbd.png', ROOT)) in said, said
    with open(folder / 'sbd.csv', encoding='utf-8') as file:
        rows = list(csv.DictReader(file))
    for lane in LANES:
        moments = [float(row['time_s']) for row in rows if row['run'] == lane and int(row['bo_sdu']) > 0]
        for start, end in ((0, SECONDS / 2), (SECONDS / 2, SECONDS)):
            assert sum(start <= at < end for at in moments) > SECONDS, f'{lane}: {moments}'


def test_a_policy_without_parameters_by_rate_runs_beside_drop_tail_alone(tmp_path):
    said = demo('--aqm', 'fq-codel', '--seconds', '8', '--tcp', 'cubic', '--out', str(tmp_path)).stdout
    assert 'unaccounted frames: 0' in said and 'not reconfigured' not in said, said
    with open(tmp_path / 'fq-codel.csv', encoding='utf-8') as file:
        assert {row['run'] for row in csv.DictReader(file)} == {'fq-codel', 'drop-tail'}


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


@pytest.mark.parametrize('words, rows, claimed', [
    (('snoop', '--loss', '5%'), 6, ['reno, snoop: goodput at least 1.2 times that without, no SACK, no timestamps, 5.0% lost',
                                    'reno, snoop: a bypass stalls it for no longer than a timeout']),
    (('fda',), 4, ['reno, fda, snoop: BO at most 0.7 times that of drop-tail'])], ids=['snoop', 'fda'])
def test_repair_and_notices_are_a_table_and_claims_and_no_frame_is_lost_sight_of(words, rows, claimed):
    said = demo('--ack', *words, '--seconds', '8').stdout
    figures = re.findall(r'^  reno, [\w, -]+?(?: +([\d.]+)){2}% +[\d.]+ +\d+ +[\d.]+(?: +\d+){6} +[\d.]+$', said, re.M)
    assert len(figures) == rows, said
    for claim in claimed:
        assert re.search(rf'^  {re.escape(claim)} +yes +(yes|no) ', said, re.M), said
    assert 'unaccounted frames: 0' in said and re.search(r'^ +UE .* KEPT  REPAIRED  HIDDEN .*\n.* established ', said, re.M), said


def test_files_with_and_without_a_split_proxy_are_a_table_and_right_also_through_a_bypass():
    """So few files tell nothing of the gains."""
    said = demo('--proxy', 'split', '--seconds', '6', '--files', '8').stdout
    assert re.search(r'^    CLASS +SPLIT .*\n    iw3 .*\n    iw10 ', said, re.M), said
    rows = re.findall(r'^  (no proxy|split, IW \d+) +(\d+)(?: +[\d.]+ s){3} +\d+ kbit/s(?: +[+-]\d+% +\d+% +\+\d+%)?$', said, re.M)
    assert [row[0] for row in rows] == ['no proxy', 'split, IW 3', 'split, IW 10'], said
    assert all(int(files) >= 4 for _, files in rows), said
    for claim in ('every file is right, by SHA-256', 'a bypass loses nothing of what was at risk',
                  'files are under way meanwhile', 'every frame is accounted for'):
        assert re.search(rf'^  {re.escape(claim)} +yes +yes ', said, re.M), said
    assert re.search(r'at least half of the gain of 003 +- +(yes|no) ', said) and 'unaccounted frames: 0' in said, said


def test_a_cell_goes_through_its_schedulers_and_queues_under_tcp(tmp_path):
    said = demo('--cell', '--seconds', '7', '--users', '4', '--scheduler', 'pf,pf-rp', '--out', str(tmp_path)).stdout
    assert 'unaccounted frames: 0' in said and 'fetches that failed: 0' in said, said
    rows = re.findall(r'^  ((?:sfp|fifo) \+ [\w-]+(?:, all)?) +(\d+)(?: +\d+ ms| +-){2} +(?:\d+|-)(?: +\d+ ms| +-){2}'
                      r' +(\d+) kbit +(\d+) +(\d+) +(\d+)$', said, re.M)
    assert [row[0] for row in rows] == ['sfp + pf', 'sfp + pf-rp', 'sfp + pf', 'fifo + pf, all', 'sfp + pf, all'], said
    for title, *_, rate, of_short, of_long, _ in rows:
        assert int(rate) > 0 and int(of_long) > 0, said
        assert (int(of_short) > 0) == title.startswith('sfp'), said
    assert re.search('short flows first helps who downloads, too +yes +(yes|no) ', said), said
    with open(tmp_path / 'cell.csv', encoding='utf-8') as file:
        assert {row['phase'] for row in csv.DictReader(file)} <= {row[0] for row in rows}
    assert (tmp_path / 'cell.png').read_bytes()[:8] == b'\x89PNG\r\n\x1a\n'


@pytest.mark.parametrize('words, said', [
    (('--cell', '--aqm', 'sbd'), '--cell is a demonstration of its own; leave out: --aqm'),
    (('--cell', '--link', 'am'), '--cell is a demonstration of its own; leave out: --link'),
    (('--users', '4'), '--users is of the cell; add: --cell'),
    (('--cell', '--scheduler', 'pf,pg'), "rncd has no scheduler 'pg'; it has pf, pf-sp, pf-rp, round-robin, max-rate"),
    (('--aqm', 'sdb'), "rncd has no policy 'sdb'; it has drop-tail, red, "),
    (('--seconds', '20'), '--seconds is of the switch of rates or the ACK stages or the cell or losses on the radio or the split proxy; add: --aqm sbd or --ack wrb or --cell or --ack snoop or --proxy split'),
    (('--to', '64k', '--ack', 'wrb'), '--to is of the switch of rates; add: --aqm sbd'),
    (('--no-sack', '--aqm', 'sbd'), '--no-sack is of the ACK stages or losses on the radio or the split proxy; add: --ack wrb or --ack snoop or --proxy split'),
    (('--iw', '3'), '--iw is of the split proxy; add: --proxy split'),
    (('--proxy', 'split', '--iw', '3,3'), "'3,3' is no list of at most 8 different numbers of segments"),
    (('--proxy', 'split', '--link', 'am'), '--proxy is a demonstration of its own; leave out: --link'),
    (('--proxy', 'split', '--doppler', '0.1'), '--doppler is of the air link; add: --link am'),
    (('--ack', 'wrb', '--aqm', 'sbd'), 'leave one of them out'),
    (('--ack', 'wbr'), "invalid choice: 'wbr' (choose from 'wrb', 'ack-rate', 'combined', "),
    (('--ack', 'wrb', '--window-scale', '15'), "'15' is no window scale: 0 to 14, or none"),
    (('--ack', 'wrb', '--cc', 'none'), "this kernel has no 'none'; it has "),
    (('--ack', 'wrb', '--matrix', '--cc', 'reno'), '--matrix goes through all that --tcp can say'),
    (('--ack', 'wrb', '--link', 'shaper', '--fer', '5%'), '--fer is of the air link; add: --link am'),
    (('--matrix',), '--matrix is of the ACK stages or losses on the radio; add: --ack wrb or --ack snoop'),
    (('--fer', '5%'), '--fer is of the air link; add: --link am'),
    (('--aqm', 'sbd', '--link', 'shaper'), 'leave out: --link shaper'),
    (('--aqm', 'sbd', '--tcp', 'none'), "this kernel has no 'none'"),
    (('--aqm', 'sbd', '--seconds', '1'), "'1' is no number of seconds from 6 to 3600")])
def test_an_option_without_effect_or_meaning_is_refused_with_what_would_do(words, said):
    refused = demo(*words, check=False)
    assert refused.returncode == 2 and said in refused.stderr, refused.stderr


def interrupted(words, sign):
    """What it said, when Ctrl-C came soon after a line that has the sign."""
    said = ''
    with subprocess.Popen([*DEMO, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          preexec_fn=heed_interrupts, env={**os.environ, 'TESTED_BUILD': BUILD}) as process:
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


def test_ctrl_c_takes_everything_down(tmp_path):
    interrupted(('--aqm', 'sbd', '--out', str(tmp_path)), 'BO in SDUs')


def test_the_matrix_of_acks_has_a_row_for_every_kind_of_tcp_and_ctrl_c_ends_it_after_those_that_are_there():
    said = interrupted(('--ack', 'wrb', '--matrix', '--seconds', '6'), 'part 2 of 4')
    with open('/proc/sys/net/ipv4/tcp_available_congestion_control', encoding='ascii') as file:
        there = file.read().split()
    controls = [name for name in ('reno', 'cubic', 'bbr') if name in there]
    rows = re.findall(r'^ +(\w+) +(yes|no) +(yes|no) +(\d+)((?: +[\d.]+){10})$', said, re.M)
    kinds = itertools.product(controls, ('0', '7', '14'))
    assert [row[:4] for row in rows] == [(control, 'yes', 'yes', shift) for control, shift in kinds], said
    assert all(float(figure) > 0 for row in rows for figure in row[4].split()[:4]), said


def rncd_of(demo_pid):
    """The process id of the rncd that a demonstration runs."""
    with open(f'/proc/{demo_pid}/task/{demo_pid}/children', encoding='ascii') as file:
        for child in map(int, file.read().split()):
            with open(f'/proc/{child}/comm', encoding='ascii') as name:
                if name.read().strip() == 'rncd':
                    return child
    raise AssertionError('the demonstration runs no rncd')


def test_what_went_around_a_worker_that_got_no_cpu_is_not_judged_but_measured_again():
    said = ''
    with subprocess.Popen([*DEMO, '--ack', 'ack-rate', '--link', 'shaper', '--rate', '2M', '--seconds', '6'], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, 'TESTED_BUILD': BUILD}) as process:
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


def test_a_pause_of_the_wire_in_which_frames_went_around_is_repeated_before_its_goodput_is_judged(tmp_path):
    said = ''
    with subprocess.Popen([*DEMO, '--kill', '--out', str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, preexec_fn=heed_interrupts, env={**os.environ, 'TESTED_BUILD': BUILD}) as process:
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


@pytest.mark.alone
def test_the_wire_outlives_a_kill_a_hang_a_restart_and_an_upgrade(tmp_path):
    said = demo('--kill', '--out', str(tmp_path)).stdout
    assert len(re.findall(r'as promised$', said, re.M)) == 7 and 'NOT SO' not in said, said
    assert re.search(r'while rncd is dead:\n.*\n.*\n +core +d0 +bypass ', said), said
    assert 'unaccounted frames of the rncd that runs: 0' in said, said
    assert (tmp_path / 'outage.png').read_bytes()[:8] == b'\x89PNG\r\n\x1a\n'
    assert 'goodput_mbit' in (tmp_path / 'outage.csv').read_text(encoding='utf-8')

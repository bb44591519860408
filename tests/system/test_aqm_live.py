"""The live table of every AQM, in short: some points for seconds."""
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from box import ROOT
from rig import PATIENCE, heed_interrupts, sh
from steady import Load

LIVE = os.path.join(ROOT, 'tools', 'live')
sys.path.insert(0, LIVE)

import cells  # noqa: E402
import taps  # noqa: E402

TOOL = os.path.join(LIVE, 'aqm_table.py')
AQMS = {'drop-tail', 'red', 'pdpc', 'sbd', 'codel', 'pie', 'fq-codel'}
LIKE_RNCLAB = ('goodput_kbit_s', 'goodput_1460_kbit_s', 'delay_s', 'delay_p95_s', 'retransmissions', 'jain',
               'utilisation')
WIRE = 0.04


def begin(*arguments):
    return subprocess.Popen([sys.executable, '-B', TOOL, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, preexec_fn=heed_interrupts)


def namespaces(process):
    return [line for line in sh('ip', 'netns', 'list').stdout.splitlines() if line.startswith(f'rncd-{process.pid}-')]


@pytest.fixture(scope='module')
def table(tmp_path_factory):
    """All AQMs at once, at 2 Mbit/s and over the air."""
    folder = tmp_path_factory.mktemp('live')
    ran = begin('--link', 'shaper 2M,am 384k', '--seconds', '12', '--warm-up', '5', '--json',
                str(folder / 'table.json'), '--plot', str(folder))
    with Load() as load:
        out, said = ran.communicate(timeout=5 * PATIENCE)
    assert ran.returncode == 0, out + said
    with open(folder / 'table.json', encoding='utf-8') as file:
        return json.load(file), out, folder, ran, load


def rows_of(table, **chosen):
    return {row['set']['aqm']: row for row in table[0]['rows'] if chosen.items() <= row['set'].items()}


def test_every_aqm_has_a_row_with_rnclabs_members(table):
    assert not table[0]['partial'] and not table[0]['left_out']
    for congestion in ('cubic', 'bbr'):
        for flows in (1, 4):
            rows = rows_of(table, link='shaper 2M', flows=flows, congestion=congestion)
            assert rows.keys() == AQMS
            for row in rows.values():
                assert all(row[name].keys() == {'mean', 'ci90'} for name in LIKE_RNCLAB)
    assert rows_of(table, link='am 384k', flows=1, congestion='cubic').keys() == AQMS | {'sbd by-rate', 'red by-rate'}


def test_goodput_is_below_the_rate_and_delay_above_the_wires_and_below_a_full_buffers(table):
    for row in table[0]['rows']:
        rate, on_air = row['set']['rate'], row['set']['link'].startswith('am')
        assert 0.2 < row['goodput_kbit_s']['mean'] * 1000 / rate < 1.02, row
        assert WIRE <= row['delay_s']['mean'] <= row['delay_p95_s']['mean'] * 1.2, row
        full = 50 * 12_000 / rate
        assert row['delay_s']['mean'] < WIRE + full * (2.5 if on_air else 1) + 0.05, row
        assert row['packets_timed'] > 50, row


def test_a_drop_tail_buffer_is_full_and_codels_is_not(table):
    rows = rows_of(table, link='shaper 2M', flows=4, congestion='cubic')
    assert rows['drop-tail']['utilisation']['mean'] > 0.95
    for aqm in ('codel', 'fq-codel', 'pie'):
        assert rows[aqm]['delay_s']['mean'] - WIRE < 0.6 * (rows['drop-tail']['delay_s']['mean'] - WIRE)
    load = table[4]  # seven seconds of senders that had no CPU are not shared evenly by anybody
    assert rows['fq-codel']['jain']['mean'] > (0.85 if load.busy else 0.95), load


def test_text_tells_points_the_best_and_the_limits_and_there_is_a_picture(table):
    _, out, folder, ran, _ = table
    for text in ('shaper 2M, count=4, congestion=bbr, fq-codel', 'least delay within 5 %', 'Limits: '):
        assert text in out
    for name in ('aqm-table-live.png', 'aqm-table-live.svg', 'aqm-table-live.csv', 'aqm-table-live.gp'):
        assert (folder / name).stat().st_size > 200
    assert not namespaces(ran)


def test_an_interrupt_takes_everything_down_and_leaves_with_130():
    ran = begin('--link', 'shaper 64k', '--aqm', 'codel', '--flows', '1', '--seconds', '60', '--warm-up', '5')
    assert 'points of shaper 64k' in ran.stderr.readline()
    time.sleep(2)
    assert namespaces(ran)
    ran.send_signal(signal.SIGINT)
    said = ran.communicate(timeout=PATIENCE)[1]
    assert (ran.returncode, namespaces(ran)) == (130, []), said
    assert 'interrupted' in said


@pytest.mark.parametrize('arguments, says', [
    (['--link', 'shaper 3M'], "found the link 'shaper 3M', expected of: shaper 64k, "),
    (['--aqm', 'tail'], "found the AQM 'tail', expected of: drop-tail, "),
    (['--seconds', '5', '--warm-up', '5'], 'give --warm-up')], ids=['link', 'aqm', 'warm-up'])
def test_what_is_not_in_the_table_is_refused_with_what_is(arguments, says):
    ran = begin(*arguments)
    said = ran.communicate(timeout=PATIENCE)[1]
    assert ran.returncode == 1 and says in said, said


def test_batches_have_every_cell_once_and_no_more_than_the_load():
    table = cells.Table()
    aqms = table.aqms(AQMS)
    made = cells.make_cells(table.links(), {name: aqms[name] for name in cells.usual(aqms)}, table.flows(), ('cubic', 'bbr'))
    together = cells.batches(made, 200_000_000)
    assert sorted(cell.id for batch in together for cell in batch) == sorted(cell.id for cell in made)
    assert len({cell.ue for cell in made}) == len(made) == 9 * 4 * 7 + 6 * 4 * 2
    for batch in together:
        assert sum(cell.link.rate for cell in batch) <= 200_000_000
        assert len({(cell.link.seconds, cell.link.warm_up) for cell in batch}) == 1


def test_delays_are_of_packets_seen_at_both_ends_that_came_in_the_measured_time():
    def packet(number, port):
        return number.to_bytes(12, 'big') + bytes((10, 45, 1, 9)) + port.to_bytes(2, 'big') + bytes(6)

    sent = [(10_000_000 + 1000 * i, packet(i, 7 + i % 2)) for i in range(6)]
    received = [(at + 50_000, name) for at, name in sent if name != sent[3][1]]  # the fourth was dropped
    received.append((11_000_000, packet(99, 7)))  # and this was sent before the capture began
    found = taps.delays(sent, received, 10.051, 10.0545)
    assert found.keys() == {'10.45.1.9'}
    assert {len(values) for values in found['10.45.1.9'].values()} == {1, 2}  # the second, third and fifth
    assert taps.mean_and_p95(found['10.45.1.9']) == pytest.approx((0.05, 0.05))
    assert taps.mean_and_p95({}) == (None, None)

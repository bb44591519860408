"""tools/demo --aqm: the rate switch under every policy, and its picture; how a demonstration refuses and ends."""
import csv
import os
import re
import struct

import pytest

from box import ROOT
from demonstration import MAY_TAKE_LONG, demo, interrupted, refusal

SECONDS = 12
LANES = ('reconfigured', 'kept', 'drop-tail')
pytestmark = MAY_TAKE_LONG


@pytest.fixture(scope='module')
def shown(tmp_path_factory):
    """The output, and the folder of its picture."""
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


@pytest.mark.parametrize('words, said', [
    (('--cell', '--aqm', 'sbd'), '--cell is a demonstration of its own; leave out: --aqm'),
    (('--cell', '--link', 'am'), '--cell is a demonstration of its own; leave out: --link'),
    (('--users', '4'), '--users is of the cell; add: --cell'),
    (('--cell', '--scheduler', 'pf,pg'), "rncd has no scheduler 'pg'; it has pf, pf-sp, pf-rp, round-robin, max-rate"),
    (('--aqm', 'sdb'), "rncd has no policy 'sdb'; it has drop-tail, red, "),
    (('--seconds', '20'), '--seconds is of the switch of rates or the ACK stages or the cell or losses on the radio or the split proxy or the tunnels or the rates that the core tells; add: --aqm sbd or --ack wrb or --cell or --ack snoop or --proxy split or --gtp-u or --told'),
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
def test_an_option_without_effect_or_meaning_is_refused_with_what_would_do(monkeypatch, capsys, words, said):
    refused = refusal(monkeypatch, capsys, *words)
    assert said in refused, refused


def test_ctrl_c_takes_everything_down(tmp_path):
    interrupted(('--aqm', 'sbd', '--out', str(tmp_path)), 'BO in SDUs')

"""tools/demo --ack snoop and fda, --proxy and --cell: losses on the radio, files through a split proxy, a cell."""
import csv
import re

import pytest

from demonstration import MAY_TAKE_LONG, demo

pytestmark = MAY_TAKE_LONG


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

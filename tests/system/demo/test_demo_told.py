"""tools/demo --told: rates that a core tells by PFCP and RADIUS."""
import csv
import re

import pytest

from demonstration import MAY_TAKE_LONG, demo, interrupted
from steady import within

pytestmark = MAY_TAKE_LONG
CLAIM = re.compile(r'^  (\S.{51}) *(yes|NO) +\S', re.M)
OWNERS = 'each bearer is kept by who told it last'


@pytest.mark.paired
def test_each_ue_gets_the_rate_that_the_core_has_told_last(tmp_path):
    said = []

    def unseen_figures():
        done = demo('--told', '--seconds', '6', '--device', 'af_packet', '--out', str(tmp_path), check=False)
        said.append(done.stdout + done.stderr)
        claims = {claim.strip(): seen == 'yes' for claim, seen in CLAIM.findall(said[-1])}
        assert len(claims) == 7 and claims[OWNERS], said[-1]
        return sum(not seen for seen in claims.values())
    within(unseen_figures, 0, 0)
    assert re.search(r'^    10\.60\.1\.2 +radius +127\.0\.0\.3 +5M +20M +5M +20M$', said[-1], re.M), said[-1]
    assert re.search(r'^  unaccounted frames: 0$', said[-1], re.M), said[-1]
    assert (tmp_path / 'told.png').read_bytes()[:8] == b'\x89PNG\r\n\x1a\n'
    with open(tmp_path / 'told.csv', encoding='utf-8') as file:
        what = {row['what'] for row in csv.DictReader(file)}
    assert what == {f'10.60.{n}.2 {kind}' for n in (1, 2, 3) for kind in ('told', 'carried')}, what


def test_ctrl_c_takes_everything_down():
    interrupted(('--told', '--seconds', '6', '--device', 'af_packet'), 'rncd-told killed')

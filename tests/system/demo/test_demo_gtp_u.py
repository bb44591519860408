"""tools/demo --gtp-u: kernel TCP in the tunnels of osmo-ggsn and sgsnemu."""
import csv
import re

import pytest

from demonstration import MAY_TAKE_LONG, demo, interrupted
from steady import within

pytestmark = MAY_TAKE_LONG
CLAIM = re.compile(r'^  (\S.{51}) *(yes|NO) +\S', re.M)
# Claims of the demonstration that need the machine's time.
FIGURES = {'without a bearer its tunnels cross unshaped', 'with a bearer TCP has its rate', 'the RRC changes the rate',
           'SBD shortens the queue', 'the regulator shortens it further', 'and TCP keeps its rate'}


@pytest.mark.paired
def test_a_ue_of_a_ggsn_keeps_its_connection_through_a_change_of_rate_and_two_handovers(tmp_path):
    said = []

    def unseen_figures():
        done = demo('--gtp-u', '--seconds', '6', '--out', str(tmp_path), check=False)
        said.append(done.stdout + done.stderr)
        claims = {claim.strip(): seen == 'yes' for claim, seen in CLAIM.findall(said[-1])}
        assert FIGURES < set(claims), said[-1]
        wrong = [claim for claim, seen in claims.items() if not seen and claim not in FIGURES]
        assert not wrong, said[-1]
        return sum(not claims[claim] for claim in FIGURES)
    within(unseen_figures, 0, 0)
    assert re.search(r'^    tunnel, to +10\.45\.0\.\d +10\.45\.0\.1$', said[-1], re.M), said[-1]
    assert re.search(r'^demo: to be seen was that in tunnels .*: it was seen \(.*\)\n\Z', said[-1], re.M), said[-1]
    assert (tmp_path / 'gtp-u.png').read_bytes()[:8] == b'\x89PNG\r\n\x1a\n'
    with open(tmp_path / 'gtp-u.csv', encoding='utf-8') as file:
        what = {row['what'] for row in csv.DictReader(file)}
    assert {'no bearer', 'rtt_ms'} < what and len(what - {'no bearer', 'rtt_ms'}) >= 3, what


def test_ctrl_c_in_a_handover_takes_everything_down():
    interrupted(('--gtp-u', '--seconds', '6'), 'handover: keep')


@pytest.mark.parametrize('words, said', [
    (('--gtp-u', '--kill'), '--gtp-u is a demonstration of its own; leave out: --kill'),
    (('--gtp-u', '--link', 'am'), '--gtp-u is a demonstration of its own; leave out: --link'),
    (('--gtp-u', '--to', '1M'), '--to is of the switch of rates; add: --aqm sbd')])
def test_an_option_of_another_demonstration_is_refused(words, said):
    refused = demo(*words, check=False)
    assert refused.returncode == 2 and said in refused.stderr, refused.stderr

"""RRC: the rate of a live bearer changes under kernel TCP, its AQM's parameters with it, and nothing is lost by it."""
import re

import pytest

from box import Box
from rig import CORE, UE_V4
from steady import until

COUNT = 10_000


@pytest.fixture(scope='module')
def box(rig):
    with Box(rig, rate='384k, aqm: {sbd: {profile: by-rate}}', bearers=f'bearers:\n  - {{ue: {UE_V4}, class: internet}}\n',
             dataplane='  max_bearers: 16384\n', name='rrc') as made:
        yield made


def metric(box, name):
    return float(re.search(rf'^{name} (\S+)$', box.metrics(), re.M)[1])


def test_the_aqm_follows_the_rate_of_a_live_bearer_at_once_and_nothing_is_lost(rig, box):
    transfer = rig.iperf(CORE, 10)
    assert until(lambda: box.downlink(UE_V4)['queued_sdus'] > 0)
    timed = metric(box, 'rncd_reconfigure_seconds_count')
    assert '384 kbit/s' in box.ctl('rrc', UE_V4, '--rate', '128k').stdout
    shown = box.ctl('show', 'bearer', UE_V4).stdout
    for row in (r'aqm profile\s+by-rate', r'aqm t_r\s+1\.3s', r'aqm minth\s+15sdu', r'rate\s+128 kbit/s'):
        assert re.search(row, shown), shown
    transfer.finish()
    assert metric(box, 'rncd_reconfigure_seconds_count') == timed + 1
    assert metric(box, 'rncd_reconfigure_lost_frames_total') == 0


def test_ten_thousand_bearers_change_in_one_request(box):
    many = [{'ue': f'10.46.{i // 250}.{i % 250 + 1}', 'class': 'internet'} for i in range(COUNT)]
    assert box.call('bearer.set', bearers=many)['created'] == COUNT
    timed = metric(box, 'rncd_reconfigure_seconds_count')
    told = box.call('rrc.reconfigure', bearers=[one['ue'] for one in many], rate='128k')
    print(f'{COUNT} bearers: {told["seconds"] * 1000:.0f} ms')
    assert (told['changed'], told['unchanged'], told['lost']) == (COUNT, 0, 0)
    assert metric(box, 'rncd_reconfigure_seconds_count') == timed + COUNT
    last = box.downlink(many[-1]['ue'])
    assert (last['rate'], last['aqm_settings']['t_r']) == (128_000, '1.3s')
    assert metric(box, 'rncd_reconfigure_lost_frames_total') == 0


def test_a_profile_is_shown_with_its_values_at_a_rate(box):
    shown = box.ctl('show', 'profile', 'by-rate', '--policy', 'sbd', '--rate', '768k').stdout
    assert '002 Table 3' in shown and re.search(r'32sdu\s+at 768 kbit/s', shown), shown

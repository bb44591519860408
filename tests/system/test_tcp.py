"""Kernel TCP through the box: every congestion control, each way, over both kinds of ports."""
import pytest

from box import Box
from rig import CORE, RADIO, UE_V4, UE_V6_PREFIX, goodput, promised
from steady import within

DOWN, UP = 20_000_000, 10_000_000
DRIVERS = {'af_xdp': 'af_xdp', 'af_packet': 'net_af_packet'}


@pytest.fixture(scope='module', params=['af_xdp', 'af_packet'])
def box(request, rig):
    with Box(rig, device=request.param, rate=DOWN, uplink=f'{{rate: {UP}, buffer: {{sdus: 50}}}}',
             bearers=f'bearers:\n  - {{ue: {UE_V4}, class: internet}}\n  - {{ue: "{UE_V6_PREFIX}", class: internet}}\n',
             name=f'tcp-{request.param}') as made:
        assert made.drivers() == {DRIVERS[request.param]}
        yield made


@pytest.mark.parametrize('sender, rate', [(CORE, DOWN), (RADIO, UP)], ids=['downlink', 'uplink'])
@pytest.mark.parametrize('control', ['reno', 'cubic', 'bbr'])
def test_tcp_fills_the_bearer(rig, box, control, sender, rate):
    within(lambda: goodput(rig.iperf(sender, 4, control).finish(), 1, 4) / promised(rate), 0.85, 1.05)
    assert not box.driver_losses()


@pytest.mark.parametrize('sender, rate', [(CORE, DOWN), (RADIO, UP)], ids=['downlink', 'uplink'])
def test_tcp_over_ipv6_fills_the_bearer_of_its_64(rig, box, sender, rate):
    leg = {CORE: box.downlink, RADIO: box.uplink}[sender]
    before = leg(UE_V6_PREFIX)['delivered_sdus']
    within(lambda: goodput(rig.iperf(sender, 4, v6=True).finish(), 1, 4) / promised(rate, v6=True), 0.85, 1.05)
    assert leg(UE_V6_PREFIX)['delivered_sdus'] > before


def test_both_ways_at_once_each_leg_has_its_own_rate(rig, box):
    def worst_share():
        down, up = rig.iperf(CORE, 4), rig.iperf(RADIO, 4, port=5202)
        shares = goodput(down.finish(), 1, 4) / promised(DOWN), goodput(up.finish(), 1, 4) / promised(UP)
        return max(shares) if max(shares) > 1.05 else min(shares)
    within(worst_share, 0.5, 1.05)

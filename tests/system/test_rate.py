"""The rate is what was configured, as iperf3's receiver sees it while the buffer is never empty. The buffer
holds more than TCP's window, the given one or that of the kernel's autotuning: a loss would shift in-order
bytes from one interval to a later one."""
import time

import pytest

from box import Box
from rig import CORE, RADIO, UE_V4, goodput, promised
from steady import near

ROOM = {'sdus': 8000, 'bytes': '10MB'}


@pytest.fixture(scope='module')
def box(rig):
    with Box(rig, device='af_xdp', name='rate') as made:
        assert made.drivers() == {'af_xdp'}
        yield made


@pytest.mark.parametrize('direction, sender, rate, window', [
    ('downlink', CORE, 1_000_000, '200K'), ('downlink', CORE, 8_000_000, '200K'), ('downlink', CORE, 50_000_000, None),
    ('uplink', RADIO, 8_000_000, '200K')], ids=['downlink-1M', 'downlink-8M', 'downlink-50M', 'uplink-8M'])
def test_goodput_is_the_rates_within_one_percent(rig, box, rate, window, direction, sender):
    box.set_bearer(UE_V4, **{direction: {'rate': rate, 'link': 'shaper', 'buffer': ROOM}})

    def undropped():
        measured = goodput(rig.iperf(sender, 8, window=window).finish(), 2, 8)
        assert not box.dropped(), 'the interval was not free of losses'
        return measured
    near(undropped, promised(rate), 0.01)
    box.call('bearer.remove', ue=UE_V4)


def test_a_rate_changed_half_way_holds_within_one_percent_before_and_after(rig, box):
    def farthest_off():
        """The goodput before or after the change that is farther from the promised one, as a share of it."""
        box.set_bearer(UE_V4, downlink={'rate': '20M', 'buffer': ROOM})
        transfer = rig.iperf(CORE, 13, window='200K')
        time.sleep(6)
        answer = box.call('rrc.reconfigure', bearer=UE_V4, rate='5M')
        assert (answer['rate'], answer['was']) == (5_000_000, 20_000_000)
        intervals = transfer.finish()
        box.call('bearer.remove', ue=UE_V4)
        shares = (goodput(intervals, 1.5, 5.5) / promised(20_000_000), goodput(intervals, 8, 13) / promised(5_000_000))
        return max(shares, key=lambda share: abs(share - 1))
    near(farthest_off, 1, 0.01, tries=3)

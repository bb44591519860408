"""Modes, and that what is queued survives their switches and the end of the process."""
import time

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Raw

from frames import Tap, marked
from rig import CORE, CORE_V4, PATIENCE, RADIO, UE_V4, goodput, promised
from steady import near, until

SLOW = f'bearers:\n  - {{ue: {UE_V4}, class: internet}}\n'
COUNT = 60


@pytest.fixture
def taps(rig):
    with Tap(rig, CORE) as core, Tap(rig, RADIO) as radio:
        yield {CORE: core, RADIO: radio}


@pytest.fixture(params=['af_xdp', 'af_packet'])
def slow_box(request, make_box):
    """A bearer so slow that a burst stays queued for a long time: 60 frames take 180 s, and a frame 3 s."""
    return make_box(device=request.param, rate='4k', sdus=100, bearers=SLOW, name=f'modes-{request.param}')


def numbered(taps, numbers):
    """Without a checksum of UDP, so that they differ by the number alone: scapy would take a millisecond for each."""
    one = bytes(Ether(src=taps[CORE].mac, dst=taps[RADIO].mac) / IP(src=CORE_V4, dst=UE_V4) / UDP(dport=7, chksum=0)
                / Raw(b'number 00000' + b'.' * 1400))
    return [one.replace(b'number 00000', b'number %05d' % n) for n in numbers]


def arrived(taps, count, seconds=PATIENCE / 2):
    frames = taps[RADIO].take(marked(b'number '), count, seconds)
    return [int(frame[frame.index(b'number ') + 7:][:5]) for frame in frames]


def queue(box, taps, numbers):
    """Sends a burst and waits until the bearer holds most of it."""
    before = box.downlink(UE_V4)['queued_sdus']
    taps[CORE].send(*numbered(taps, numbers))
    assert until(lambda: box.downlink(UE_V4)['queued_sdus'] >= before + len(numbers) - 5, seconds=15)


@pytest.mark.parametrize('mode', ['tap', 'bypass'])
def test_leaving_inline_sends_what_is_queued_at_once_and_in_order(slow_box, taps, mode):
    queue(slow_box, taps, range(COUNT))
    assert slow_box.call('mode.set', mode=mode) == {'mode': mode, 'was': 'inline', 'drained': None}
    taps[CORE].send(*numbered(taps, range(COUNT, COUNT + 10)))
    assert arrived(taps, COUNT + 10) == list(range(COUNT + 10))
    assert not slow_box.dropped()


def test_block_keeps_the_queue_and_drops_what_arrives(slow_box, taps):
    queue(slow_box, taps, range(COUNT))
    slow_box.call('mode.set', mode='block')
    taps[CORE].send(*numbered(taps, range(COUNT, COUNT + 10)))
    early = arrived(taps, COUNT, seconds=1)
    assert early == list(range(len(early))) and len(early) < 5
    assert slow_box.dropped('core') == {'blocked': 10}  # at the other the UE answers what came early
    slow_box.call('mode.set', mode='tap')
    assert early + arrived(taps, COUNT - len(early)) == list(range(COUNT))
    assert slow_box.dropped('core') == {'blocked': 10}


def test_removing_a_bearer_sends_what_it_holds(slow_box, taps):
    queue(slow_box, taps, range(COUNT))
    assert slow_box.call('bearer.remove', ue=UE_V4) == {'removed': 1}
    assert arrived(taps, COUNT) == list(range(COUNT))
    assert not slow_box.dropped()


def test_sigterm_drains_and_ends_well(slow_box, taps):
    queue(slow_box, taps, range(COUNT))
    assert slow_box.stop() == 0, slow_box.tail()
    assert arrived(taps, COUNT) == list(range(COUNT))


@pytest.mark.paired
def test_switching_modes_under_load_loses_nothing_but_what_block_drops(rig, make_box):
    box = make_box(rate='20M', bearers=SLOW, name='modes-load')
    transfer = rig.iperf(CORE, 8)
    for mode in ('tap', 'inline', 'bypass', 'inline', 'block', 'inline') * 8:
        box.call('mode.set', mode=mode)
        time.sleep(0.05)
    assert set(box.dropped()) <= {'blocked', 'buffer_sdus'}
    assert box.stats()['residue'] == 0
    transfer.finish()
    assert not box.driver_losses()
    near(lambda: goodput(rig.iperf(CORE, 3).finish(), 1, 3), promised(20_000_000), 0.05)

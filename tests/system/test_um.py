"""A link that loses and does not repair, live: frames through it, what operators see of it, and changes in place."""
import math
import re
import time

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Raw

from box import Box
from frames import Tap
from rig import CORE, CORE_V4, PATIENCE, RADIO, UE_V4
from samples import samples, total
from steady import TRIES, until, within
from streams import Streams

MARK = b'um frame '
DELAY = 0.15


@pytest.fixture(scope='module')
def box(rig):
    bearers = f'bearers:\n  - {{ue: {UE_V4}, class: internet}}\n'
    with Box(rig, device='af_packet', name='um', bearers=bearers) as made:
        yield made


@pytest.fixture
def taps(rig):
    with Tap(rig, CORE) as core, Tap(rig, RADIO) as radio:
        yield {CORE: core, RADIO: radio}


def um(box, **settings):
    """Both legs of the UE's bearer are over `um` from here on."""
    link = {'um': {'delay': f'{DELAY * 1000:.0f}ms', **settings}}
    leg = {'rate': '8M', 'buffer': {'sdus': 2000}, 'link': link}
    box.set_bearer(UE_V4, downlink=leg, uplink=leg)


def numbered(taps, side, numbers):
    """IP packets of 228 bytes: 0.228 ms each at 8 Mbit/s. Their checksum is wrong, so that no kernel answers them."""
    ends = {'src': CORE_V4, 'dst': UE_V4} if side == CORE else {'src': UE_V4, 'dst': CORE_V4}
    other = RADIO if side == CORE else CORE
    one = bytes(Ether(src=taps[side].mac, dst=taps[other].mac) / IP(**ends) / UDP(sport=9, dport=9, chksum=1)
                / Raw(MARK + b'000000' + bytes(185)))
    return [one.replace(MARK + b'000000', MARK + b'%06d' % n) for n in numbers]


def on_the_way(box):
    """SDUs of the downlink that are on their way, and those that wait."""
    leg = box.downlink(UE_V4)
    return leg['um']['sdus_on_the_way'], leg['queued_sdus']


def numbers_of(frames):
    return [int(re.search(MARK + rb'(\d{6})', frame).group(1)) for frame in frames]


def crossed(taps, side, count, seconds=PATIENCE / 2):
    """Numbers of the frames that come out on the other side than `side`, in their order."""
    return numbers_of(taps[RADIO if side == CORE else CORE].take(lambda frame: MARK in frame, count, seconds))


@pytest.mark.parametrize('side, leg', [(CORE, 'downlink'), (RADIO, 'uplink')])
def test_a_share_of_the_frames_is_lost_and_the_others_come_in_order(box, taps, side, leg):
    um(box, loss=0.2, seed=5)
    before, dropped = box.call('bearer.get', ue=UE_V4)[leg], box.dropped().get('radio', 0)
    for first in range(0, 1000, 50):
        taps[side].send(*numbered(taps, side, range(first, first + 50)))
        time.sleep(0.02)
    def fate():
        now = box.call('bearer.get', ue=UE_V4)[leg]['um']
        return now['sdus_sent'] - before['um']['sdus_sent'], now['sdus_on_the_way']
    assert until(lambda: fate() == (1000, 0)), fate()
    came = crossed(taps, side, 1000, seconds=1)
    assert came == sorted(set(came))
    assert abs(len(came) - 800) < 5 * math.sqrt(1000 * 0.2 * 0.8)
    after = box.call('bearer.get', ue=UE_V4)[leg]
    lost = after['um']['sdus_lost'] - before['um']['sdus_lost']
    assert lost == 1000 - len(came) == after['dropped_sdus'] - before['dropped_sdus']
    assert box.dropped()['radio'] - dropped == lost
    assert after['delivered_sdus'] - before['delivered_sdus'] == len(came)
    text = box.metrics()
    assert total(samples(text), 'rncd_dropped_sdus_total', 'reason="radio"', f'direction="{leg}"') >= lost
    assert total(samples(text), 'rncd_unaccounted_frames') == 0


def test_a_frame_takes_the_delay_each_way(rig, box, taps):
    um(box, loss=0)
    began = time.monotonic()
    taps[CORE].send(*numbered(taps, CORE, [7]))
    assert crossed(taps, CORE, 1) == [7]
    # The box has a clock of its own, and ping rounds to whole milliseconds.
    assert time.monotonic() - began > 0.97 * DELAY
    within(lambda: min(rig.ping(CORE, count=5), default=0) / 1000, 0.97 * 2 * DELAY, 3 * DELAY)


def all_on_the_way(box, taps, count):
    """Sends frames; true if all were seen on their way at once, which lasts a second. Otherwise they have come."""
    taps[CORE].send(*numbered(taps, CORE, range(count)))
    # Frames go on while the one number is read and then the other.
    if until(lambda: on_the_way(box) == (count, 0), seconds=0.9):
        return True
    assert crossed(taps, CORE, count) == list(range(count))
    return False


def test_what_is_on_its_way_is_told_and_arrives_whatever_the_loss_becomes(box, taps):
    um(box, loss=0, delay='1s')
    assert any(all_on_the_way(box, taps, 40) for _ in range(TRIES)), on_the_way(box)
    um(box, loss=1, delay='1s')
    taps[CORE].send(*numbered(taps, CORE, range(100, 120)))
    assert crossed(taps, CORE, 40) == list(range(40))
    shown = box.ctl('show', 'bearer', UE_V4).stdout
    assert re.search(r'lost on the radio, share +\d+\.\d %', shown), shown
    um(box, loss=0)
    taps[CORE].send(*numbered(taps, CORE, [200]))
    assert crossed(taps, CORE, 1) == [200], 'none of those that are lost'


@pytest.mark.parametrize('leave', ['bypass', 'removal'])
def test_what_is_on_its_way_leaves_first_when_the_box_steps_aside(box, taps, leave):
    def seconds_to_come():
        um(box, loss=0, delay='1s')
        began = time.monotonic()
        if not all_on_the_way(box, taps, 30):
            return 1
        if leave == 'bypass':
            box.call('mode.set', mode='bypass')
        else:
            box.call('bearer.remove', ue=UE_V4)
        assert crossed(taps, CORE, 30) == list(range(30))
        took = time.monotonic() - began
        box.call('mode.set', mode='inline')
        return took
    within(seconds_to_come, 0, 0.9)
    um(box, loss=0)


def test_what_it_loses_of_a_download_is_repaired_by_snoop(rig, box):
    um(box)
    radio = {'um': {'delay': '10ms', 'loss': 0.03, 'seed': 1}}
    box.set_bearer(UE_V4, downlink={'rate': '8M', 'buffer': {'sdus': 100}, 'link': radio},
                   uplink={'rate': '8M', 'link': {'um': {'delay': '10ms'}}, 'ack': ['snoop']})
    before = box.dropped().get('radio', 0)
    Streams(rig, UE_V4, 5480, down=4_000_000).finish()
    lost = box.dropped()['radio'] - before
    repaired = total(samples(box.metrics()), 'rncd_ack_events_total', 'event="resent"', 'stage="snoop"')
    assert lost > 50 and repaired > 0.6 * lost, (lost, repaired)
    assert until(lambda: total(samples(box.metrics()), 'rncd_kept_segments') == 0)

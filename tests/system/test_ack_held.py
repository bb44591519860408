"""Held ACKs leave when something ends or changes: the mode, the stage, the program, the UE, the route of the data."""
import json
import re
import time

import pytest
from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether
from scapy.packet import Raw

from box import Box, RpcError
from frames import Tap
from rig import CORE, CORE_V4, RADIO, UE_V4, Rig, sh
from samples import samples, total
from steady import until
from streams import Streams

RATE = 2_000_000
STALL = 40  # seconds without a byte; a few retransmission timeouts in a row are none
AWHILE = {'ack-rate': {'mode': 'hold', 'maxd': '2s', 'minth': '0sdu'}}
HOLD = {'ack-rate': {'mode': 'hold', 'maxd': '10s', 'minth': '2sdu'}}
# Addresses of no host: no kernel answers for them.
FAKE_UE, FAKE_SOURCE = '10.45.0.77', '10.45.99.1'
LOST_UE, BYPASS_UE = '10.45.0.200', '10.45.0.3'
UES = (UE_V4, BYPASS_UE, FAKE_UE, LOST_UE)


@pytest.fixture(scope='module')
def rig():
    with Rig(ues=2) as made:
        yield made


@pytest.fixture(scope='module')
def only_box(rig):
    with Box(rig, rate=RATE, uplink=f'{{ack: {json.dumps([HOLD])}}}', name='ack-held',
             bearers=f'bearers:\n  - {{ue: {UE_V4}, class: internet}}\n') as made:
        yield made


@pytest.fixture
def box(rig, only_box):
    """The box in its state after a start: inline, its bearers new."""
    if only_box.rpc is None:
        only_box.start()
        rig.wait_for_wire()
    only_box.call('mode.set', mode='inline')
    only_box.call('bearer.remove', ues=list(UES))
    only_box.call('bearer.set', bearers=[{'ue': ue, 'class': 'internet'} for ue in UES])
    return only_box


def held_of(box, ue):
    return box.uplink(ue)['ack'][0]['held']


def flows_of(box, ue):
    return [flow for flow in box.call('flow.list', ue=ue)['items'] if flow['handshake_seen']]


def outstanding_of(box, ue):
    return sum(flow['outstanding_bytes'] for flow in flows_of(box, ue))


def held(box):
    return sum(worker['held'] for worker in box.stats()['workers'])


def acks(box, stage, event):
    return total(samples(box.metrics()), 'rncd_ack_events_total', f'stage="{stage}"', f'event="{event}"')


def stood_aside(box):
    return acks(box, 'ack-rate', 'stood_aside')


@pytest.mark.parametrize('leave', [
    lambda box: box.call('mode.set', mode='bypass'), lambda box: box.call('mode.set', mode='tap'),
    lambda box: box.call('rrc.reconfigure', bearer=UE_V4, ack=[]),
    lambda box: box.call('bearer.remove', ue=UE_V4)], ids=['bypass', 'tap', 'stage', 'bearer'])
def test_a_download_lives_on_when_the_mode_the_stage_or_the_bearer_goes_with_its_acks_held(box, begin, leave):
    fetched = begin(UE_V4, 5410, down=1_000_000)
    assert until(lambda: held_of(box, UE_V4) > 0)
    leave(box)
    assert until(lambda: held(box) == 0)
    assert fetched.finish() < STALL


def test_stages_take_up_their_work_again_each_time_the_mode_has_been_bypass_for_a_while(box, begin):
    brief = {'ack-rate': {'mode': 'hold', 'maxd': '100ms', 'minth': '0sdu'}}
    box.call('rrc.reconfigure', bearer=UE_V4, ack=[brief, 'window-regulator'])
    fetched = begin(UE_V4, 5411, down=2_500_000, pace=RATE // 4)  # twice the bearer's rate
    for _ in range(4):
        assert until(lambda: held_of(box, UE_V4) > 0)
        box.call('mode.set', mode='bypass')
        assert until(lambda: held(box) == 0)
        time.sleep(0.3)
        before = acks(box, 'window-regulator', 'edited')
        box.call('mode.set', mode='inline')
        assert until(lambda before=before: acks(box, 'window-regulator', 'edited') > before)
        assert fetched.running()
    assert fetched.finish() < STALL
    flow = box.call('flow.list', ue=UE_V4)['items'][0]
    assert flow['handshake_seen'] and not flow['asymmetric'], flow


class Sides:
    """A connection made of frames, without a host at either end."""

    def __init__(self, core, radio):
        self.core, self.radio = core, radio

    def down(self, flags, seq, ack, **more):
        self.core.send(self.frame(CORE, flags, seq, ack, **more))

    def up(self, flags, seq, ack, **more):
        frame = self.frame(RADIO, flags, seq, ack, **more)
        self.radio.send(frame)
        return frame

    def frame(self, side, flags, seq, ack, data=b'', **options):
        here, there, mac = (FAKE_SOURCE, FAKE_UE, 1) if side == CORE else (FAKE_UE, FAKE_SOURCE, 2)
        ports = {'sport': 80, 'dport': 4000} if side == CORE else {'sport': 4000, 'dport': 80}
        head = Ether(src=f'02:00:00:00:00:0{mac}', dst=f'02:00:00:00:00:0{3 - mac}') / IP(src=here, dst=there)
        return bytes(head / TCP(flags=flags, seq=seq, ack=ack, **ports, **options) / Raw(data))

    def shake_hands(self):
        self.down('S', 1000, 0, options=[('MSS', 1460), ('WScale', 7)])
        self.up('SA', 5000, 1001, options=[('MSS', 1460), ('WScale', 7)])
        self.down('A', 1001, 5001)

    def arrived(self, count):
        return self.core.take(lambda frame: FAKE_UE in _source(frame), count)


def _source(frame):
    packet = Ether(frame)
    return packet[IP].src if IP in packet else ''


@pytest.fixture
def sides(rig):
    with Tap(rig, CORE) as core, Tap(rig, RADIO) as radio:
        yield Sides(core, radio)


def hold_ten(box, sides):
    """Ten ACKs of data that the UE was sent, and what they look like."""
    box.call('rrc.reconfigure', bearer=FAKE_UE, ack=[{'ack-rate': {'mode': 'hold', 'maxd': '10s', 'minth': '0sdu'}}])
    sides.shake_hands()
    assert len(sides.arrived(1)) == 1  # the SYN-ACK
    for i in range(10):
        sides.down('A', 1001 + 100 * i, 5001, data=b'%0100d' % i)
    assert until(lambda: box.downlink(FAKE_UE)['delivered_sdus'] >= 12)
    sent = [sides.up('A', 5001, 1101 + 100 * i, window=500 + i) for i in range(10)]
    assert until(lambda: held_of(box, FAKE_UE) == 10)
    return sent


@pytest.mark.parametrize('end', [
    lambda box: box.stop() == 0, lambda box: box.call('mode.set', mode='bypass'),
    lambda box: box.call('bearer.remove', ue=FAKE_UE)], ids=['shutdown', 'bypass', 'bearer'])
def test_held_acks_leave_in_order_and_unedited_at_the_end_of_what_holds_them(box, sides, end):
    sent = hold_ten(box, sides)
    assert end(box), box.tail()
    assert sides.arrived(10) == sent


def test_show_flows_tells_of_held_acks_and_a_reset_lets_them_go_before_it(box, sides):
    sent = hold_ten(box, sides)
    shown = box.ctl('show', 'flows', FAKE_UE, '--wide').stdout
    row = next(line for line in shown.splitlines() if f'{FAKE_SOURCE}:80' in line)
    assert re.search(r'\s10(?:\s+0){3}\s+7\s+1460\s', row), shown
    reset = sides.up('R', 5001, 0)
    assert sides.arrived(11) == [*sent, reset]
    assert until(lambda: held(box) == 0)


@pytest.fixture
def begin(rig):
    """Transfers that end with the test, complete or not."""
    begun = []

    def one(*what, **more):
        begun.append(Streams(rig, *what, **more))
        return begun[-1]
    yield one
    for each in begun:
        each.abandon()


@pytest.fixture
def own_ue(rig):
    """A namespace with a UE of its own behind the radio's wire."""
    side = 'ue'
    sh('ip', 'netns', 'add', rig.name(side))
    try:
        rig.run(RADIO, 'ip', 'link', 'add', 'link', 'r0', 'name', 'm0', 'type', 'macvlan', 'mode', 'bridge')
        rig.run(RADIO, 'ip', 'link', 'set', 'm0', 'netns', rig.name(side))
        rig.run(side, 'ip', 'address', 'add', f'{LOST_UE}/16', 'dev', 'm0')
        rig.run(side, 'ip', 'link', 'set', 'm0', 'up')
        yield side
    finally:
        sh('ip', 'netns', 'delete', rig.name(side))


def test_of_a_ue_that_vanishes_held_acks_leave_others_go_on_and_its_bearer_can_be_removed(rig, box, begin, own_ue):
    for port, stages in ((5420, [AWHILE]), (5423, ['window-regulator'])):
        box.call('bearer.set', ue=LOST_UE, **{'class': 'internet', 'uplink': {'ack': stages}})
        box.call('rrc.reconfigure', bearer=UE_V4, ack=stages[:1] if 'window-regulator' in stages else [])
        rig.run(own_ue, 'ip', 'link', 'set', 'm0', 'up')
        lost = begin(LOST_UE, port, down=2_000_000, count=8, side=own_ue)
        other = begin(UE_V4, port + 1, down=1_500_000)
        # A server that has sent this number of bytes has its request and has more to send: handshakes and requests
        # alone are far less.
        assert until(lambda: held_of(box, LOST_UE) > 0 and box.downlink(LOST_UE)['delivered_bytes'] > 10_000)
        rig.run(own_ue, 'ip', 'link', 'set', 'm0', 'down')
        assert until(lambda: held_of(box, LOST_UE) == 0)
        assert until(lambda: outstanding_of(box, LOST_UE) > 0)  # segments that the last ACKs released
        assert until(lambda: box.downlink(LOST_UE)['queued_sdus'] == 0)
        flows = flows_of(box, LOST_UE)
        assert not any(flow['state'] == 'over' or flow['held_acks'] for flow in flows), flows
        assert other.finish() < STALL
        assert box.call('bearer.remove', ue=LOST_UE) == {'removed': 1}
        with pytest.raises(RpcError):
            box.uplink(LOST_UE)
        assert (held(box), box.stats()['residue']) == (0, 0)
        lost.abandon()  # its farewell finds no bearer


def test_its_bearer_is_removed_while_its_acks_are_held(rig, box, begin, own_ue):
    begin(LOST_UE, 5422, down=20_000_000, side=own_ue)
    assert until(lambda: held_of(box, LOST_UE) > 0)
    rig.run(own_ue, 'ip', 'link', 'set', 'm0', 'down')
    assert box.call('bearer.remove', ue=LOST_UE) == {'removed': 1}
    assert (held(box), box.stats()['residue']) == (0, 0)


@pytest.fixture
def way_around(rig):
    """A wire from the core to the radio past the box; take(True) sends the second UE's data over it."""
    sh('ip', 'link', 'add', 'c1', 'netns', rig.name(CORE), 'type', 'veth',
       'peer', 'name', 'r1', 'netns', rig.name(RADIO))
    for side, interface in ((CORE, 'c1'), (RADIO, 'r1')):
        for name in (interface, 'all'):
            rig.run(side, 'sysctl', '-qw', f'net.ipv4.conf.{name}.rp_filter=0')
        rig.run(side, 'ip', 'link', 'set', interface, 'up')

    def take(around):
        rig.run(CORE, 'ip', 'route', 'add' if around else 'delete', f'{BYPASS_UE}/32', 'dev', 'c1', 'src', CORE_V4)
    yield take
    rig.run(CORE, 'ip', 'link', 'delete', 'c1')


def test_data_that_come_another_way_from_the_start_are_left_alone_and_it_is_counted(box, begin, way_around):
    way_around(True)
    before, delivered = stood_aside(box), box.downlink(BYPASS_UE)['delivered_sdus']
    assert begin(BYPASS_UE, 5430, down=5_000_000).finish() < STALL
    assert box.downlink(BYPASS_UE)['delivered_sdus'] == delivered
    assert until(lambda: held(box) == 0)
    assert stood_aside(box) > before + 10
    assert 'no handshake seen, asymmetric' in box.ctl('show', 'flows', BYPASS_UE, '--wide').stdout


def test_data_that_take_another_way_half_way_set_the_held_acks_free(box, begin, way_around):
    """ACKs of data that did not come here must go on for a second before they are believed: it lasts for longer."""
    fetched = begin(BYPASS_UE, 5431, down=4_000_000, pace=RATE // 4)  # twice the bearer's rate
    assert until(lambda: held_of(box, BYPASS_UE) > 5)
    before = stood_aside(box)
    way_around(True)
    assert fetched.finish() < STALL and held(box) == 0
    assert stood_aside(box) > before
    flow = box.call('flow.list', ue=BYPASS_UE)['items'][0]
    assert flow['asymmetric'] and flow['handshake_seen'], flow

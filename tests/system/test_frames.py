"""Single frames through the box: tags, fragments, neighbours, frames that are not for it, and ICMP for packets that are
too big (dataplane/packet/too_big.h)."""
import pytest
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import ICMPv6ND_NS, IPv6
from scapy.layers.l2 import ARP, Dot1AD, Dot1Q, Ether
from scapy.packet import Raw

from box import Box
from frames import Tap, marked
from rig import CORE, CORE_V4, CORE_V6, RADIO, UE_V4, UE_V6, UE_V6_PREFIX
from steady import until

DEVICES = ['af_xdp', 'af_packet']


@pytest.fixture(scope='module', params=DEVICES)
def box(request, rig):
    with Box(rig, device=request.param, rate='8M', dataplane='  unknown: drop\n', name=f'frames-{request.param}',
             bearers=f'bearers:\n  - {{ue: {UE_V4}, class: internet}}\n'
                     f'  - {{ue: "{UE_V6_PREFIX}", class: internet}}\n') as made:
        yield made


@pytest.fixture
def taps(rig):
    with Tap(rig, CORE) as core, Tap(rig, RADIO) as radio:
        yield {CORE: core, RADIO: radio}


def crosses_unchanged(taps, side, frame, mark):
    """Sends on one side; the very same bytes come out of the other."""
    frame = bytes(frame)
    other = RADIO if side == CORE else CORE
    taps[side].send(frame)
    return taps[other].take(marked(mark), 1) == [frame]


def ether(taps, side=CORE, **fields):
    other = RADIO if side == CORE else CORE
    return Ether(**{'src': taps[side].mac, 'dst': taps[other].mac, **fields})


def dropped(box, reason):
    return box.dropped().get(reason, 0)


@pytest.mark.parametrize('tags', [Dot1Q(vlan=7, prio=3), Dot1Q(vlan=7) / Dot1Q(vlan=9)], ids=['one', 'two'])
@pytest.mark.parametrize('side', [CORE, RADIO])
def test_a_vlan_tagged_frame_crosses_unchanged_through_its_bearer(box, taps, side, tags):
    addresses = {'src': CORE_V4, 'dst': UE_V4} if side == CORE else {'src': UE_V4, 'dst': CORE_V4}
    before = box.downlink(UE_V4)['delivered_sdus']
    frame = ether(taps, side) / tags / IP(**addresses) / UDP(sport=9, dport=9) / Raw(b'vlan tagged frame')
    assert crosses_unchanged(taps, side, frame, b'vlan tagged frame')
    assert box.downlink(UE_V4)['delivered_sdus'] - before == (1 if side == CORE else 0)


def test_a_provider_tag_crosses_unchanged_over_af_xdp(rig, box, taps):
    frame = ether(taps) / Dot1AD(vlan=5) / Dot1Q(vlan=7) / IP(src=CORE_V4, dst=UE_V4) / UDP() / Raw(b'provider tag')
    before = box.downlink(UE_V4)['delivered_sdus']
    same = crosses_unchanged(taps, CORE, frame, b'provider tag')
    assert box.downlink(UE_V4)['delivered_sdus'] == before + 1
    # The af_packet driver rewrites an outer 0x88a8 to 0x8100 in receiving.
    assert same or box.drivers() == {'net_af_packet'}


def test_ipv6_fragments_cross_both_ways_and_reassemble_at_the_end(rig, box):
    before = box.downlink(UE_V6_PREFIX)['delivered_sdus']
    assert len(rig.ping(CORE, count=5, v6=True, size=4000)) == 5
    assert box.downlink(UE_V6_PREFIX)['delivered_sdus'] - before >= 15  # three fragments each


def test_ipv4_fragments_cross_both_ways_and_reassemble_at_the_end(rig, box):
    before, lost = box.downlink(UE_V4)['delivered_sdus'], dropped(box, 'truncated')
    answers = len(rig.ping(CORE, count=5, size=4000))
    if box.drivers() == {'net_af_packet'}:
        # The driver joins a fanout group with PACKET_FANOUT_FLAG_DEFRAG: the kernel reassembles, and hands over
        # datagrams larger than a frame. They are counted, not cut.
        assert (answers, dropped(box, 'truncated')) == (0, lost + 5)
    else:
        assert answers == 5
        assert box.downlink(UE_V4)['delivered_sdus'] - before >= 15


def test_a_later_fragment_belongs_to_the_bearer_of_its_address(box, taps):
    before = box.downlink(UE_V4)
    frame = ether(taps) / IP(src=CORE_V4, dst=UE_V4, frag=185, proto=17) / Raw(b'later fragment')
    behind = ether(taps) / IP(src=CORE_V4, dst=UE_V4) / UDP(sport=9, dport=9) / Raw(b'behind a later fragment')
    # Under the af_packet driver the kernel keeps it to reassemble, see above.
    sent = [bytes(frame), bytes(behind)]
    through = sent if box.drivers() != {'net_af_packet'} else sent[1:]
    taps[CORE].send(*sent)
    assert taps[RADIO].take(marked(b'later fragment'), len(through)) == through
    delivered = box.downlink(UE_V4)['delivered_bytes'] - before['delivered_bytes']
    assert delivered == sum(len(one) - 14 for one in through)


def test_arp_finds_its_way(rig, box):
    for side, interface in ((CORE, 'c0'), (RADIO, 'r0')):
        rig.run(side, 'ip', 'neigh', 'flush', 'dev', interface)
    assert len(rig.ping(CORE, count=2)) == 2
    assert UE_V4 in rig.run(CORE, 'ip', '-4', 'neigh', 'show', 'dev', 'c0').stdout


def test_neighbour_discovery_finds_its_way(rig, box):
    for side, interface in ((CORE, 'c0'), (RADIO, 'r0')):
        rig.run(side, 'ip', '-6', 'neigh', 'flush', 'dev', interface)
    assert len(rig.ping(RADIO, count=2, v6=True)) == 2
    assert CORE_V6 in rig.run(RADIO, 'ip', '-6', 'neigh', 'show', 'dev', 'r0').stdout


def ipv4(destination, **fields):
    return IP(src=CORE_V4, dst=destination, **fields)


FOREIGN = {
    'ARP': lambda: Ether(dst='ff:ff:ff:ff:ff:ff', type=0x0806) / ARP(psrc=CORE_V4, pdst='10.45.77.77') / Raw(b'arp mark'),
    'ND': lambda: Ether(dst='33:33:ff:00:00:02') / IPv6(src=CORE_V6, dst='ff02::1:ff00:2') / ICMPv6ND_NS(tgt=UE_V6)
          / Raw(b'nd mark'),
    'LLDP': lambda: Ether(dst='01:80:c2:00:00:0e', type=0x88cc) / Raw(b'lldp mark'.ljust(46, b'.')),
    'STP': lambda: Ether(dst='01:80:c2:00:00:00', type=38) / Raw(b'\x42\x42\x03stp mark'.ljust(46, b'.')),
    'OSPF': lambda: Ether(dst='01:00:5e:00:00:05') / ipv4('224.0.0.5', proto=89, ttl=1) / Raw(b'ospf mark'),
    'BFD': lambda: Ether() / ipv4('10.45.0.99', ttl=255) / UDP(sport=49152, dport=3784) / Raw(b'bfd mark'),
    'multicast': lambda: Ether(dst='01:00:5e:01:02:03') / ipv4('239.1.2.3') / UDP() / Raw(b'multicast mark'),
    'an unknown ethertype': lambda: Ether(type=0x88b5) / Raw(b'unknown mark'.ljust(46, b'.')),
    'MPLS': lambda: Ether(type=0x8847) / Raw(b'\x00\x01\x01\x40mpls mark'.ljust(46, b'.')),
}


@pytest.mark.parametrize('kind', FOREIGN)
def test_what_is_not_for_bearers_passes_even_where_unknown_frames_are_dropped(box, taps, kind):
    frame = FOREIGN[kind]()
    frame.src = taps[CORE].mac
    if frame.dst is None or frame.dst == 'ff:ff:ff:ff:ff:ff' and kind != 'ARP':
        frame.dst = taps[RADIO].mac
    mark = bytes(frame[Raw].load)
    mark = mark[mark.index(b' mark') - 3:mark.index(b' mark') + 5]
    assert crosses_unchanged(taps, CORE, frame, mark)


def test_a_frame_of_no_bearer_is_dropped_with_its_reason(box, taps):
    before = dropped(box, 'unknown_bearer')
    taps[CORE].send(ether(taps) / IP(src=CORE_V4, dst='10.45.99.99') / UDP() / Raw(b'nobody'))
    assert taps[RADIO].take(marked(b'nobody'), 1, seconds=0.5) == []
    assert dropped(box, 'unknown_bearer') == before + 1


def test_an_ip_length_beyond_the_frame_is_dropped_as_truncated(box, taps):
    before = dropped(box, 'truncated')
    taps[CORE].send(ether(taps) / IP(src=CORE_V4, dst=UE_V4, len=1400) / UDP() / Raw(b'too short for that'))
    assert taps[RADIO].take(marked(b'too short for that'), 1, seconds=0.5) == []
    assert dropped(box, 'truncated') == before + 1


def test_the_largest_frame_and_the_smallest_cross_whole(box, taps):
    for size in (1500 - 28, 1):
        payload = bytes((b'%d bytes ' % size * 200))[:size]
        frame = ether(taps) / IP(src=CORE_V4, dst=UE_V4) / UDP(sport=1, dport=2) / Raw(payload)
        assert crosses_unchanged(taps, CORE, frame, payload)


def test_a_frame_padded_to_the_ethernet_minimum_counts_its_ip_bytes(box, taps):
    before = box.downlink(UE_V4)['delivered_bytes']
    frame = bytes(ether(taps) / IP(src=CORE_V4, dst=UE_V4) / UDP() / Raw(b'padded')).ljust(60, b'\0')
    assert crosses_unchanged(taps, CORE, frame, b'padded')
    assert box.downlink(UE_V4)['delivered_bytes'] - before == 20 + 8 + len(b'padded')


def test_traffic_between_two_ues_passes(box, taps):
    frame = ether(taps, RADIO) / IP(src=UE_V4, dst='10.45.0.3') / ICMP() / Raw(b'between two UEs')
    assert crosses_unchanged(taps, RADIO, frame, b'between two UEs')


def test_broken_headers_disturb_nobody(box, taps, rig):
    good = bytes(ether(taps) / IP(src=CORE_V4, dst=UE_V4) / TCP() / Raw(b'x' * 20))
    for at in range(14, 54):
        for value in (0, 0xff):
            taps[CORE].send(good[:at] + bytes([value]) + good[at + 1:])
    for length in range(15, len(good)):
        taps[CORE].send(good[:length])
    assert until(lambda: len(rig.ping(CORE, count=2)) == 2)

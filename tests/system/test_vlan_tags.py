"""VLAN tags that the kernel keeps beside a frame cross AF_XDP ports, with rncd and without it
(dataplane/xdp/vlan_tags.h)."""
import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Dot1AD, Dot1Q, Ether
from scapy.packet import Raw

from box import RNCCTL, RNCD, Box
from frames import Tap
from rig import CORE, CORE_V4, DUT, RADIO, UE_V4, Rig, sh
from test_port_return import until_state
from test_wire import kill, wires

STRANGER = '10.45.0.3'
BEARERS = f'bearers:\n  - {{ue: {UE_V4}, class: internet}}\n'
# Tags from the outermost on. The kernel takes the outer one out of the frame.
TAGS = {
    'untagged': [],
    'first': [Dot1Q(vlan=100)],
    'second': [Dot1Q(vlan=200, prio=5, id=1)],
    'provider': [Dot1AD(vlan=300)],
    'two': [Dot1Q(vlan=100), Dot1Q(vlan=7)],
    'provider and customer': [Dot1AD(vlan=300), Dot1Q(vlan=100)],
}


def trunk(rig, side, outer, address):
    """A bridge with a side's interface and a host's: it forwards what the host sends tagged with the tag beside it."""
    for command in ('link add h0 type veth peer name h1', 'link add b0 type bridge', 'link set h1 master b0',
                    f'link set {outer} master b0', f'address flush dev {outer}', f'address add {address}/16 dev b0',
                    'link set h0 up', 'link set h1 up', 'link set b0 up'):
        rig.run(side, 'ip', *command.split())


@pytest.fixture(name='rig')
def fixture_rig():
    with Rig() as made:
        trunk(made, CORE, 'c0', CORE_V4)
        trunk(made, RADIO, 'r0', UE_V4)
        yield made


@pytest.fixture(name='hosts')
def fixture_hosts(rig):
    with Tap(rig, CORE, 'h0') as core, Tap(rig, RADIO, 'h0') as radio:
        yield {CORE: core, RADIO: radio}


def tags_of(frame):
    packet, found = Ether(frame), []
    while isinstance(packet := packet.payload, Dot1Q):  # Dot1AD is one, too
        found.append((type(packet).__name__, packet.vlan, packet.prio, packet.id))
    return found


def wrapped(hosts, side, name, ue):
    """A packet between the same two addresses, in the VLANs of that name."""
    frame = Ether(src=hosts[side].mac, dst=hosts[RADIO if side == CORE else CORE].mac)
    for tag in TAGS[name]:
        frame /= tag.copy()
    source, destination = (CORE_V4, ue) if side == CORE else (ue, CORE_V4)
    return bytes(frame / IP(src=source, dst=destination) / UDP(sport=9, dport=9) / Raw(f'vlan tags {name};'.encode()))


def cross_with_their_tags(rig, hosts, ue=UE_V4):
    for side in (CORE, RADIO):
        sent = {name: wrapped(hosts, side, name, ue) for name in TAGS}
        hosts[side].send(*sent.values())
        source = hosts[side].mac  # the namespace answers with errors that quote the packets
        came = hosts[RADIO if side == CORE else CORE].take(
            lambda frame, source=source: b'vlan tags' in frame and frame[6:12] == source, len(sent))
        found = {name: [tags_of(frame) for frame in came if f'vlan tags {name};'.encode() in frame] for name in sent}
        assert found == {name: [tags_of(frame)] for name, frame in sent.items()}, side
    return True


def restored(rig):
    return [port['restored_vlan_tags'] for port in wires(rig)[0]['ports'].values()]


def test_each_vlan_of_a_trunk_keeps_its_frames_while_rncd_lives_after_a_kill_and_through_the_next_start(rig, hosts):
    with Box(rig, device='af_xdp', name='vlan-tags', bearers=BEARERS, dataplane='  wire: {stale_after: 3s}\n') as box:
        before = box.downlink(UE_V4)['delivered_sdus'], restored(rig)
        assert cross_with_their_tags(rig, hosts)
        assert box.downlink(UE_V4)['delivered_sdus'] >= before[0] + len(TAGS), 'they were the bearer\'s'
        assert all(now >= was + len(TAGS) - 1 for was, now in zip(before[1], restored(rig)))
        assert 'rncd_wire_restored_vlan_tags_total{port="core"}' in box.metrics()
        sh(*rig.within(DUT, RNCCTL, 'wire', 'mode', 'bypass'))
        assert cross_with_their_tags(rig, hosts)
        sh(*rig.within(DUT, RNCCTL, 'wire', 'mode', 'normal'))
        kill(box)
        assert cross_with_their_tags(rig, hosts)
        box.start()
        assert cross_with_their_tags(rig, hosts)
        assert box.stop() == 0
        assert cross_with_their_tags(rig, hosts)


def test_tags_cross_by_the_shortcut_and_after_the_interface_came_back(rig, hosts):
    with Box(rig, device='af_xdp', name='vlan-tags-shortcut', bearers=BEARERS,
             dataplane='  wire: {shortcut: strangers, stale_after: 3s}\n') as box:
        before = wires(rig)[0]['ports']['core']['frames']['shortcut']
        assert cross_with_their_tags(rig, hosts, STRANGER)
        assert wires(rig)[0]['ports']['core']['frames']['shortcut'] >= before + len(TAGS)
        rig.cut(RADIO)
        rig.restore(RADIO)
        rig.run(RADIO, 'ip', 'link', 'set', 'r0', 'master', 'b0')
        until_state(box, 'up', 'radio')
        assert cross_with_their_tags(rig, hosts) and cross_with_their_tags(rig, hosts, STRANGER)


@pytest.mark.parametrize('kind', [('link', 'd0', 'type', 'macvlan', 'mode', 'passthru'), ('type', 'bridge')],
                         ids=['macvlan', 'bridge'])
def test_an_interface_to_which_frames_come_without_their_tags_is_refused_with_what_to_use_instead(rig, kind):
    rig.run(DUT, 'ip', 'link', 'add', 'x0', *kind)
    if 'bridge' in kind:
        rig.run(DUT, 'ip', 'link', 'set', 'd0', 'master', 'x0')
    rig.run(DUT, 'ip', 'link', 'set', 'x0', 'up')
    box = Box(rig, device='af_xdp', name='vlan-tags-upon', bearers=BEARERS)
    try:
        with open(box.config, encoding='utf-8') as file:
            text = file.read()
        assert 'af_xdp:d0' in text
        with open(box.config, 'w', encoding='utf-8') as file:
            file.write(text.replace('af_xdp:d0', 'af_xdp:x0'))
        for words in (['--preflight'], []):
            done = rig.run(DUT, RNCD, '--config', box.config, *words, check=False)
            assert done.returncode == 4, done.stderr
            assert 'port core (af_xdp:x0): found an interface upon others' in done.stderr
            assert 'or use af_packet:x0' in done.stderr
    finally:
        box.close()

"""The kinds of ports beside af_xdp and af_packet: taps, captures, and the null device."""
import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Raw
from scapy.utils import rdpcap, wrpcap

from box import Box
from rig import CORE, CORE_V4, DUT, UE_V4, goodput, promised
from steady import until, within

BEARERS = f'bearers:\n  - {{ue: {UE_V4}, class: internet}}\n'


@pytest.fixture
def started(rig):
    """started(**options): a box that runs, without a wire to wait for."""
    made = []

    def start(**options):
        made.append(Box(rig, bearers=BEARERS, **options))
        made[-1].start()
        return made[-1]
    yield start
    for one in made:
        one.close()


def test_a_capture_is_replayed_into_another_through_its_bearer_unchanged_and_in_order(started, tmp_path):
    frames = [bytes(Ether() / IP(src=CORE_V4, dst=UE_V4) / UDP() / Raw(b'%04d' % n + b'.' * 500)) for n in range(300)]
    names = {name: str(tmp_path / name) for name in ('core-in', 'core-out', 'radio-in', 'radio-out')}
    wrpcap(names['core-in'], [Ether(frame) for frame in frames])
    wrpcap(names['radio-in'], [Ether(frames[0])])
    box = started(devices=(f'pcap:{names["core-in"]},{names["core-out"]}',
                           f'pcap:{names["radio-in"]},{names["radio-out"]}'), rate='20M', sdus=1000, name='pcap')
    assert until(lambda: box.stats()['ports']['radio']['sent']['frames'] == 300)
    assert box.downlink(UE_V4)['delivered_sdus'] == 300
    assert box.stop() == 0
    assert [bytes(frame) for frame in rdpcap(names['radio-out'])] == frames


def test_a_capture_port_may_only_read_or_only_write(started, tmp_path):
    frames = [bytes(Ether() / IP(src=CORE_V4, dst=UE_V4) / UDP() / Raw(b'%04d' % n)) for n in range(50)]
    names = {name: str(tmp_path / name) for name in ('in', 'out')}
    wrpcap(names['in'], [Ether(frame) for frame in frames])
    box = started(devices=(f'pcap:{names["in"]},', f'pcap:,{names["out"]}'), rate='20M', sdus=100, name='pcap-half')
    assert until(lambda: box.stats()['ports']['radio']['sent']['frames'] == 50)
    assert box.stop() == 0
    assert [bytes(frame) for frame in rdpcap(names['out'])] == frames


def test_null_ports_start_idle_and_stop(started):
    box = started(devices=('null', 'null'), name='null')
    assert box.drivers() == {'net_null'}
    assert box.stop() == 0


@pytest.mark.paired
def test_taps_carry_tcp_where_bridges_join_them_to_the_wire(rig, started):
    box = started(devices=('tap:t0', 'tap:t1'), name='tap')
    for bridge, inner, tap in (('b0', 'd0', 't0'), ('b1', 'd1', 't1')):
        rig.run(DUT, 'ip', 'link', 'add', bridge, 'type', 'bridge')
        for port in (inner, tap):
            rig.run(DUT, 'ip', 'link', 'set', port, 'master', bridge, 'up')
        rig.run(DUT, 'ip', 'link', 'set', bridge, 'up')
    rig.wait_for_wire()
    try:
        within(lambda: goodput(rig.iperf(CORE, 4).finish(), 1, 4) / promised(8_000_000), 0.9, 1.05)
    finally:
        for bridge in ('b0', 'b1'):
            rig.run(DUT, 'ip', 'link', 'delete', bridge)
    assert box.downlink(UE_V4)['delivered_sdus'] > 1000

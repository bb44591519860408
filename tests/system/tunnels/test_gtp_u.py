"""rncd between the two ends of GTP-U tunnels: bearers are found by the packets within, and what holds none crosses."""
import os
import signal
import subprocess
import sys

import pytest
from scapy.layers.inet import ICMP, IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Raw

from box import ROOT, Box
from frames import Tap, marked
from rig import CORE, CORE_V4, CORE_V6, RADIO, UE_V4, UE_V6, Rig, goodput, promised
from steady import near, until
from test_lifecycle import edit
import tunnel

TUNNEL = os.path.join(ROOT, 'tools', 'rig', 'tunnel.py')
SERVER, UE, STRANGER, MARKED = '10.60.0.1', '10.60.0.2', '10.60.0.9', '10.60.0.7'  # within the tunnels
MARKED_V6, MARKED_V6_PREFIX, SERVER_V6 = '2001:db8:60:7::1', '2001:db8:60:7::/64', '2001:db8:60::1'
ENDS = {CORE: CORE_V4, RADIO: UE_V4}
LATER_PEER = '10.45.77.1'
LATER_END = '10.45.0.99'  # an end of tunnels, without a host
RATE, UPLINK = 8_000_000, 2_000_000
MTU = 1600  # for packets of 1500 bytes in tunnels
CLASSES = f'''\
  internet:
    downlink: {{rate: {RATE}, buffer: {{sdus: 50}}}}
    uplink: {{rate: {UPLINK}, buffer: {{sdus: 50}}}}
  marked: {{downlink: {{rate: 1M, buffer: {{sdus: 400}}, aqm: {{codel: {{ecn: yes, target: 5ms, interval: 10ms}}}}}}}}
'''
BEARERS = f'''\
bearers:
  - {{ue: {UE}, class: internet}}
  - {{ue: {MARKED}, class: marked}}
  - {{ue: "{MARKED_V6_PREFIX}", class: marked}}
'''
PEERS = '10.45.0.0/24, "2001:db8::/48"'


@pytest.fixture(scope='module')
def rig():
    with Rig(mtu=MTU) as made:
        yield made


@pytest.fixture(scope='module', params=['af_xdp', 'af_packet'])
def box(request, rig):
    with Box(rig, device=request.param, classes=CLASSES, bearers=BEARERS,
             dataplane=f'  gtp_u: {{peers: [{PEERS}]}}\n', name=f'gtp-u-{request.param}') as made:
        yield made


@pytest.fixture
def ends(rig):
    """Kernel interfaces at either side whose packets travel in tunnels."""
    started = []

    def start(**more):
        for side, address, teid in ((CORE, SERVER, 0x11), (RADIO, UE, 0x21)):
            other = ENDS[rig.other(side)]
            options = [text for key, value in more.items() for text in (f'--{key}', str(value))]
            options += ['--uplink'] if side == RADIO else []
            end = rig.start(side, sys.executable, '-B', TUNNEL, '--address', f'{address}/24', '--local', ENDS[side],
                            '--remote', other, '--teid', hex(teid), *options, stdout=subprocess.PIPE)
            started.append(end)
            assert end.stdout.readline() == 'ready\n'
    yield start
    for end in started:
        rig.stop(end)


@pytest.fixture
def taps(rig):
    with Tap(rig, CORE) as core, Tap(rig, RADIO) as radio:
        yield {CORE: core, RADIO: radio}


def datagram(taps, content, source=CORE_V4, to=UE_V4, port=tunnel.PORT, **ip):
    """A frame from the core's end of a tunnel, with right checksums."""
    outer = IPv6(src=source, dst=to) if ':' in source else IP(src=source, dst=to, **ip)
    return bytes(Ether(src=taps[CORE].mac, dst=taps[RADIO].mac) / outer / UDP(sport=port, dport=port) / Raw(content))


def packet(mark, to=UE, **fields):
    return bytes(IP(src=SERVER, dst=to, **fields) / UDP(sport=9, dport=9) / Raw(mark))


def passed(box, reason):
    return box.stats()['ports']['core']['passed'][reason]['frames']


def folded(data):
    """The Internet checksum's sum (RFC 1071): 0xffff over what has a right checksum."""
    total = sum(int.from_bytes(data[i:i + 2].ljust(2, b'\0'), 'big') for i in range(0, len(data), 2))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total


def right_checksums(frame):
    """True if those of the outer headers are right, in a frame without tags."""
    ipv6 = frame[12:14] == b'\x86\xdd'
    udp = frame[14 + (40 if ipv6 else 20):]
    addresses = frame[22:54] if ipv6 else frame[26:34]
    length = int.from_bytes(udp[4:6], 'big')
    pseudo = addresses + (17).to_bytes(2, 'big') + udp[4:6]
    return (ipv6 or folded(frame[14:34]) == 0xffff) and folded(pseudo + udp[:length]) == 0xffff


@pytest.mark.paired
@pytest.mark.parametrize('options', [{}, {'qfi': 9}], ids=['4G', '5G'])
def test_kernel_tcp_in_tunnels_has_the_rate_of_its_bearer(rig, box, ends, options):
    ends(**options)
    near(lambda: goodput(rig.iperf(CORE, 4, to=UE).finish(), 1, 4), promised(RATE), 0.05)
    near(lambda: goodput(rig.iperf(RADIO, 4, to=SERVER).finish(), 1, 4), promised(UPLINK), 0.05)
    for leg in (box.downlink(UE), box.uplink(UE)):
        assert leg['delivered_sdus'] > 200


def test_tunnels_with_sequence_numbers_pass_unshaped_unless_these_are_ignored(rig, box, ends):
    ends(sequence=0xfff0)
    before, delivered = passed(box, 'gtp_u_sequence'), box.downlink(UE)['delivered_sdus']
    rig.run(CORE, 'ping', '-n', '-c', '3', '-i', '0.2', UE)
    assert until(lambda: passed(box, 'gtp_u_sequence') >= before + 3)
    assert box.downlink(UE)['delivered_sdus'] == delivered
    peers = f'peers: [{PEERS}]'
    edit(box, (peers, f'{peers}, sequence: ignore'))
    box.ctl('apply', box.config)
    rig.run(CORE, 'ping', '-n', '-c', '3', '-i', '0.2', UE)
    assert box.downlink(UE)['delivered_sdus'] >= delivered + 3
    edit(box, (f'{peers}, sequence: ignore', peers))
    box.ctl('apply', box.config)


@pytest.mark.parametrize('outer', [(CORE_V4, UE_V4), (CORE_V6, UE_V6)], ids=['over-v4', 'over-v6'])
@pytest.mark.parametrize('inner', ['v4', 'v6'])
def test_ecn_is_marked_within_and_outer_checksums_stay_right(box, taps, outer, inner):
    ue = MARKED if inner == 'v4' else MARKED_V6_PREFIX
    header = (IP(src=SERVER, dst=MARKED, tos=2) if inner == 'v4'
              else IPv6(src=SERVER_V6, dst=MARKED_V6, tc=2))
    name = f'ecn {outer[0]} {inner} '.encode()
    packets = [bytes(header / UDP(sport=9, dport=9) / Raw(name + bytes([i]) * 900)) for i in range(120)]
    sent = [datagram(taps, tunnel.message(0x11, one, qfi=9), *outer) for one in packets]
    taps[CORE].send(*sent)
    came = taps[RADIO].take(marked(name), len(sent))
    assert len(came) == len(sent), 'nothing is dropped where it can be marked'
    assert box.downlink(ue)['delivered_sdus'] >= len(sent)
    changed = [(was, now) for was, now in zip(sent, came) if was != now]
    assert changed
    at = len(sent[0]) - 900 - len(name) - 8 - (20 if inner == 'v4' else 40)  # the inner packet's
    udp = 14 + (40 if ':' in outer[0] else 20)
    for was, now in changed:
        assert right_checksums(now)
        mark = now[at + 1] & 3 if inner == 'v4' else now[at + 1] >> 4 & 3
        assert mark == 3
        different = {i for i, (a, b) in enumerate(zip(was, now)) if a != b}
        allowed = {at + 1, at + 10, at + 11} if inner == 'v4' else {at + 1, udp + 6, udp + 7}
        assert different <= allowed and len(was) == len(now)


def broken():
    """(reason, content of the datagram, fields of its IP header)"""
    inner = packet(b'broken tunnel')
    whole = tunnel.message(0x11, inner)
    chain = b'\0\0\0\x85' + b'\0\0\0\0'  # an extension header of length 0
    endless = b'\x34\xff' + (len(chain + inner)).to_bytes(2, 'big') + whole[4:8] + chain + inner
    yield 'gtp_u_version', b'\x50' + whole[1:], {}
    yield 'gtp_u_length', whole[:2] + b'\x40\0' + whole[4:], {}
    yield 'gtp_u_chain', endless, {}
    yield 'gtp_u_inner', tunnel.message(0x11, inner[:2] + b'\x05\0' + inner[4:]), {}
    yield 'gtp_u_not_ip', tunnel.message(0x11, b'\0\1' + inner), {}
    yield 'gtp_u_fragment', whole, {'flags': 'MF'}
    yield 'gtp_u_sequence', tunnel.message(0x11, inner, sequence=7), {}
    yield 'gtp_u_message', tunnel.message(0, b'broken tunnel', tunnel.END_MARKER), {}


@pytest.mark.parametrize('reason, content, fields', broken(), ids=[one[0] for one in broken()])
def test_what_holds_no_readable_packet_crosses_unchanged_and_is_counted(box, taps, reason, content, fields):
    if fields and box.drivers() == {'net_af_packet'}:
        return  # its driver lets the kernel wait for the other fragments
    before, delivered = passed(box, reason), box.downlink(UE)['delivered_sdus']
    frame = datagram(taps, content, **fields)
    taps[CORE].send(frame)
    assert taps[RADIO].take(marked(b'broken tunnel'), 1) == [frame]
    assert until(lambda: passed(box, reason) == before + 1)
    assert box.downlink(UE)['delivered_sdus'] == delivered
    short = reason.removeprefix('gtp_u_')
    line = f'rncd_gtp_u_unparsed_total{{port="core",reason="{short}"}} '
    assert short == 'message' or until(lambda: line + str(before + 1) in box.metrics())


def test_a_stranger_and_a_tunnel_of_others_cross_unchanged(box, taps):
    for frame in (datagram(taps, tunnel.message(0x11, packet(b'a stranger', to=STRANGER))),
                  datagram(taps, tunnel.message(0x11, packet(b'a stranger')), source='198.51.100.1'),
                  datagram(taps, tunnel.message(0x11, packet(b'a stranger')), port=2153)):
        before, delivered = passed(box, 'unknown_bearer'), box.downlink(UE)['delivered_sdus']
        taps[CORE].send(frame)
        assert taps[RADIO].take(marked(b'a stranger'), 1) == [frame]
        assert until(lambda: passed(box, 'unknown_bearer') == before + 1)
        assert box.downlink(UE)['delivered_sdus'] == delivered


def test_a_reload_adds_a_peer(box, taps):
    def reaches_the_bearer():
        before = box.downlink(UE)['delivered_sdus']
        frame = datagram(taps, tunnel.message(0x11, packet(b'another gateway')), source=LATER_PEER)
        taps[CORE].send(frame)
        assert taps[RADIO].take(marked(b'another gateway'), 1) == [frame]
        return box.downlink(UE)['delivered_sdus'] == before + 1
    assert not reaches_the_bearer()
    edit(box, (f'peers: [{PEERS}]', f'peers: [{PEERS}, {LATER_PEER}/32]'))
    box.process.send_signal(signal.SIGHUP)
    assert until(reaches_the_bearer)


def test_an_icmp_error_about_a_packet_in_a_tunnel_crosses(box, taps):
    quoted = datagram(taps, tunnel.message(0x11, packet(b'too big', id=7)), source=UE_V4, to=CORE_V4)[14:]
    frame = bytes(Ether(src=taps[CORE].mac, dst=taps[RADIO].mac) / IP(src=CORE_V4, dst=UE_V4)
                  / ICMP(type=3, code=4, nexthopmtu=1400) / Raw(quoted))
    taps[CORE].send(frame)
    assert taps[RADIO].take(marked(b'too big'), 1) == [frame]


def test_a_tunnel_that_is_told_takes_what_waits_and_is_listed(box, taps):
    old, new, count = 0x31, 0x32, 30
    box.call('bearer.set', ue=UE, downlink={'rate': 100_000})
    try:
        sent = [datagram(taps, tunnel.message(old, packet(b'told %02d' % i + bytes(900), to=UE), qfi=9))
                for i in range(count)]
        taps[CORE].send(*sent)
        assert until(lambda: box.downlink(UE)['queued_sdus'] >= count - 5)
        done = box.ctl('bearer', 'set', UE, '--tunnel', f'{LATER_END},{new:#x},5')
        assert done.stdout.splitlines()[-1] == 'tunnels: 1 rewritten'
    finally:
        box.call('bearer.set', ue=UE, downlink={'rate': RATE})
    came = taps[RADIO].take(marked(b'told '), count)
    udp = 14 + 20
    marks = [frame[frame.index(b'told ') + 5:][:2] for frame in came]
    assert marks == [b'%02d' % i for i in range(count)], 'none is lost, none overtakes'
    teids = [int.from_bytes(frame[udp + 12:udp + 16], 'big') for frame in came]
    assert teids == sorted(teids) and teids[-1] == new
    for frame in came:
        assert right_checksums(frame)
        if int.from_bytes(frame[udp + 12:udp + 16], 'big') == new:
            assert frame[30:34] == bytes(map(int, LATER_END.split('.'))) and frame[udp + 22] == 5
    shown = box.ctl('show', 'tunnels', UE).stdout
    assert LATER_END in shown and f'{new:#010x}' in shown
    rows = box.ctl('show', 'tunnels', '--peer', LATER_END).stdout.splitlines()[1:]
    assert [LATER_END in row and f'{new:#010x}' in row for row in rows] == [True]
    refused = box.ctl('bearer', 'set', UE, '--tunnel', '203.0.113.1,1', check=False)
    assert refused.returncode == 1 and 'in no prefix of dataplane.gtp_u.peers' in refused.stderr


def test_the_round_trip_of_an_echo_is_a_metric_and_its_loss_too(box, ends, taps):
    def echo(sequence, to=UE_V4):
        taps[CORE].send(datagram(taps, tunnel.message(0, b'', tunnel.ECHO_REQUEST, sequence=sequence), to=to))

    def metric(name, to=UE_V4):
        line = f'rncd_gtp_u_echo_{name}{{requester="{CORE_V4}",responder="{to}"}} '
        return [float(text.removeprefix(line)) for text in box.metrics().splitlines() if text.startswith(line)]
    ends()
    echo(5)
    assert until(lambda: metric('round_trip_seconds_count') == [1])
    assert 0 < metric('round_trip_seconds_sum')[0] < 60
    assert metric('unanswered') == [0]
    for sequence in (1, 2, 3):
        echo(sequence, LATER_END)
    assert until(lambda: metric('unanswered', LATER_END) == [3])


def test_a_peer_that_is_a_ue_is_refused_before_the_start(box):
    edit(box, (f'ue: {UE}, class', f'ue: {CORE_V4}, class'))
    try:
        done = box.ctl('apply', box.config, check=False)
        assert done.returncode == 1
        assert f'which has addresses of UEs, {CORE_V4}/32' in done.stderr
    finally:
        edit(box, (f'ue: {CORE_V4}, class', f'ue: {UE}, class'))

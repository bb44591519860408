"""The goodput of a UE beside a flood of small segments: SYNs that its host does not answer, and duplicate ACKs to a
stage that keeps many segments. The hosts under the floods are made by hand."""
import contextlib
import struct
import threading

import pytest
from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether

from box import Box
from frames import Tap
from rig import CORE, RADIO, UE_V4, Rig, goodput, promised
from steady import Load, judge, until
from test_proxy import proxies
from test_snoop import ANSWER, BUFFER, FIRST, SEGMENT, UE as BY_HAND, Hosts, kept, seq

RATE = 8_000_000
SYNS, CONNECTIONS = 640, 20
AT_ONCE = 64  # frames, which every queue on the way has room for
CACHE = 4096  # segments
CLASSES = f'''\
  split:
    downlink: {{rate: 20M, buffer: {{sdus: 100}}}}
    proxy: {{split: {{window: 16384}}}}
  honest:
    downlink: {{rate: {RATE}, buffer: {{sdus: 50}}}}
'''


@pytest.fixture(scope='module')
def rig():
    with Rig() as made:
        yield made


@pytest.fixture(scope='module')
def box(rig):
    with Box(rig, name='floods', classes=CLASSES, dataplane='  workers: 1\n  memory: 110MiB\n  huge_pages: no\n',
             bearers=f'bearers:\n  - {{ue: {UE_V4}, class: honest}}\n') as made:
        yield made


@contextlib.contextmanager
def flood(tap, frame):
    """Sends it as fast as it can; gives how many it has sent so far."""
    sent, over = [0], threading.Event()

    def send():
        while not over.is_set():
            tap.send(frame)
            sent[0] += 1
    sending = threading.Thread(target=send)
    sending.start()
    try:
        yield lambda: sent[0]
    finally:
        over.set()
        sending.join()


def unanswered_syns(core, radio):
    """SYNs, each from another address, to the UE that answers none of them."""
    frame = bytes(Ether(src=core.mac, dst=radio.mac) / IP(src='198.18.0.1', dst=BY_HAND)
                  / TCP(sport=80, dport=1, flags='S', seq=1, options=[('MSS', 1460)]))
    for number in range(SYNS):
        packet = Ether(frame[:26] + struct.pack('!I', 0xc6120001 + number) + frame[30:])
        del packet[IP].chksum, packet[TCP].chksum
        yield bytes(packet)


def test_connections_that_a_ue_opens_while_hundreds_of_syns_from_elsewhere_come_are_split(rig, box):
    box.call('bearer.set', ue=BY_HAND, **{'class': 'split'})
    before = proxies(box)['unsplit']
    with Tap(rig, CORE) as core, Tap(rig, RADIO) as radio:
        hosts, syns = Hosts(box, core, radio), list(unanswered_syns(core, radio))

        def flooded():
            for at in range(0, SYNS, AT_ONCE):
                core.send(*syns[at:at + AT_ONCE])
                assert len(radio.take(lambda frame: frame[26:28] == b'\xc6\x12', AT_ONCE)) == AT_ONCE
        for port in range(4000, 4000 + CONNECTIONS):
            hosts.up('S', ANSWER - 1, 0, port, options=[('MSS', 1460)])
            assert len(hosts.at_source(1, port)) == 1
            flooded()  # in the round trip to the server
            hosts.down('SA', FIRST - 1, ANSWER, port, options=[('MSS', 1460)])
            assert len(hosts.at_ue(1, port)) == 1
            flooded()  # in the round trip to the UE
            hosts.up('A', ANSWER, FIRST, port)
            assert len(hosts.at_source(1, port)) == 1
            hosts.down('A', FIRST, ANSWER, port, data=bytes(SEGMENT))
            assert [one.ack for one in hosts.at_source(1, port)] == [FIRST + SEGMENT], 'the proxy answers'
            hosts.up('A', ANSWER, FIRST + SEGMENT, port)
    unsplit = {why: count - before[why] for why, count in proxies(box)['unsplit'].items()}
    print(f'beside {2 * SYNS} SYNs each, {CONNECTIONS} connections; not split: {unsplit}')
    assert not any(unsplit.values())
    assert until(lambda: proxies(box)['stored_bytes'] == 0)


@pytest.mark.parametrize('stages', [['new-snoop'], ['snoop'], [{'fda': {'threshold': '2sdu', 'minsize': '1sdu'}}, 'new-snoop']],
                         ids=['new-snoop', 'snoop', 'fda'])
def test_a_ue_keeps_its_rate_beside_another_that_repeats_one_ack_as_fast_as_it_can(rig, box, stages):
    keeping = [{stage: {'cache': CACHE}} if isinstance(stage, str) else stage for stage in stages]
    box.call('bearer.set', ue=BY_HAND, **{'class': 'honest'}, downlink={'rate': '200M', 'buffer': BUFFER},
             uplink={'ack': keeping})
    with Tap(rig, CORE) as core, Tap(rig, RADIO) as radio:
        hosts = Hosts(box, core, radio)
        hosts.connect(4000)
        for at in range(0, CACHE // 2, AT_ONCE):
            for segment in range(at, at + AT_ONCE):
                hosts.down('A', seq(segment), ANSWER, 4000, data=bytes(SEGMENT))
            assert len(hosts.at_ue(AT_ONCE, 4000)) == AT_ONCE
        assert kept(box) >= CACHE // 2
        again = hosts.frame(False, 'A', ANSWER, seq(0), 4000)
        with Load() as load, flood(radio, again) as sent:
            got = goodput(rig.iperf(CORE, 4).finish(), 1, 4)
    box.call('bearer.remove', ues=[BY_HAND])
    print(f'beside {sent()} ACKs in more than 4 s: {got / 1e6:.2f} of {promised(RATE) / 1e6:.2f} Mbit/s')
    judge(got / promised(RATE), 0.5, 1.05, load)

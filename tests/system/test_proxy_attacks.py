"""Forged segments in split connections: a FIN among pieces out of order ends one stream and nothing else, and a RST
ends a connection only with the exact number (RFC 5961 section 3.2)."""
import pytest
from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether

from box import Box
from frames import Tap
from rig import CORE, RADIO, Rig
from steady import until
from test_proxy import connection, port_of, proxies, read_all, saying, split_of
from test_snoop import ANSWER, FIRST, UE as BY_HAND, Hosts

SPLIT, STAGES = '10.45.0.2', '10.45.0.3'
CLASSES = '''\
  split:
    downlink: {rate: 3M, buffer: {sdus: 10}}
    proxy: {split: {window: 65536, store: 2MB, min_rto: 300ms}}
  stages:
    downlink: {rate: 3M, buffer: {sdus: 50}}
    uplink: {ack: [snoop, ack-rate]}
'''
DATA = bytes(range(256)) * 1200  # at 3 Mbit/s: most of a second
OFFSETS = (1, 2, 7, 101, 1009, 5003, 10007, 20011, 30011, 50021, 60013, -1, -1009, 1 << 20, 1 << 31)


@pytest.fixture(scope='module')
def rig():
    with Rig(ues=2) as made:
        yield made


@pytest.fixture(scope='module')
def running(rig):
    lines = ''.join(f'  - {{ue: {ue}, class: {cls}}}\n' for ue, cls in
                    ((SPLIT, 'split'), (BY_HAND, 'split'), (STAGES, 'stages')))
    with Box(rig, name='proxy-attacks', classes=CLASSES, bearers='bearers:\n' + lines) as made:
        yield made


@pytest.fixture
def box(running):
    yield running
    assert until(lambda: proxies(running)['stored_bytes'] == 0), running.ctl('proxy', 'show').stdout
    assert running.stats()['residue'] == 0, running.stats()


@pytest.fixture
def taps(rig):
    with Tap(rig, CORE) as core, Tap(rig, RADIO) as radio:
        yield {CORE: core, RADIO: radio}


def test_a_fin_out_of_order_with_data_behind_it_ends_its_stream_while_another_connection_goes_on(rig, box, taps):
    hosts = Hosts(box, taps[CORE], taps[RADIO])
    with connection(rig, SPLIT) as (ue, server), saying(server, DATA):
        for port, octets in ((4000, 1460), (4001, 1000)):
            hosts.connect(port)
            fin = FIRST + 1000 + octets
            hosts.down('FA', FIRST + 1000, ANSWER, port, data=b'a' * octets)
            hosts.down('A', fin + 1, ANSWER, port, data=b'b' * 100)
            hosts.down('A', FIRST, ANSWER, port, data=b'c' * 1000)
            came = [(one.seq, len(one.payload), 'F' in one.flags) for one in hosts.at_ue(50, port, 0.5)]
            data = [one for one in came if one[1:] != (0, False)]
            # A busy machine may take longer than the first timeout: what comes then is the first segment again.
            assert list(dict.fromkeys(data)) == [(FIRST, 1000, False), (FIRST + 1000, octets, True)]
            told = [one.ack for one in hosts.at_source(50, port, 0.3)]
            assert told and max(told) == fin, 'the FIN before the UE has it'
            hosts.up('A', ANSWER, fin + 1, port)
            assert [one.ack for one in hosts.at_source(1, port)] == [fin + 1]
        assert read_all(ue) == DATA


class Forger:
    """Sends RSTs of one connection from either side, by the last segment that the server has had of it."""

    def __init__(self, taps, port):
        self.taps, self.port = taps, port

    def _last(self):
        def ours(frame):
            packet = Ether(frame)
            return TCP in packet and packet[TCP].dport == self.port
        return Ether(self.taps[CORE].take(ours, 10 ** 6, 0.15)[-1])

    def send(self, side, offsets):
        last = self._last()
        ip, tcp = last[IP], last[TCP]
        after = tcp.seq + ip.len - 4 * (ip.ihl + tcp.dataofs)
        for offset in offsets:
            for flags in 'R', 'RA':
                if side == CORE:
                    frame = (Ether(src=last.dst, dst=last.src) / IP(src=ip.dst, dst=ip.src)
                             / TCP(sport=tcp.dport, dport=tcp.sport, flags=flags, seq=(tcp.ack + offset) % 2**32,
                                   ack=after))
                else:
                    frame = (Ether(src=last.src, dst=last.dst) / IP(src=ip.src, dst=ip.dst)
                             / TCP(sport=tcp.sport, dport=tcp.dport, flags=flags, seq=(after + offset) % 2**32,
                                   ack=tcp.ack))
                self.taps[side].send(frame)


def states(box, ue, port):
    return [one['state'] for one in box.call('flow.list', ue=ue, limit=256)['items'] if one['peer_port'] == port]


def carries(sender, receiver, data=b'and this' * 500):
    sender.sendall(data)
    got = b''
    while len(got) < len(data):
        got += receiver.recv(65536)
    assert got == data


@pytest.mark.parametrize('address', [SPLIT, STAGES], ids=['split', 'stages'])
@pytest.mark.parametrize('side', [CORE, RADIO])
def test_forged_resets_anywhere_in_the_window_end_nothing(rig, box, taps, address, side):
    with connection(rig, address) as (ue, server):
        forger = Forger(taps, port_of(server))
        carries(server, ue)
        forger.send(side, OFFSETS)  # nothing is on its way
        # New data of an end would make its RST forgotten.
        carries(*((ue, server) if side == CORE else (server, ue)))
        assert states(box, address, port_of(server)) == ['established']
        assert split_of(box, address, port_of(server)) == (['split'] if address == SPLIT else [])
        carries(*((server, ue) if side == CORE else (ue, server)))
        with saying(server, DATA):
            assert until(lambda: address == STAGES or proxies(box)['at_risk_bytes'] > 0)
            forger.send(side, OFFSETS)
            assert read_all(ue) == DATA
        carries(ue, server)


@pytest.mark.parametrize('address', [SPLIT, STAGES], ids=['split', 'stages'])
@pytest.mark.parametrize('side', [CORE, RADIO])
def test_a_reset_with_the_exact_number_ends_both_ends(rig, box, taps, address, side):
    with connection(rig, address) as (ue, server):
        carries(server, ue)
        carries(ue, server)
        assert until(lambda: proxies(box)['at_risk_bytes'] == 0)
        Forger(taps, port_of(server)).send(side, [0])
        believes, other = (ue, server) if side == CORE else (server, ue)
        with pytest.raises(ConnectionResetError):
            believes.recv(1)
        assert states(box, address, port_of(server)) == ['over']
        assert 'split' not in split_of(box, address, port_of(server))
        other.sendall(b'is anybody there?')
        with pytest.raises(ConnectionResetError):
            other.recv(1)

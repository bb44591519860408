"""Segments that `snoop` and `new-snoop` keep: one that the UE leaves out is sent to it again, and their memory comes
home at every kind of end. The hosts are made by hand: no kernel answers for them."""
import functools
import socket
import struct

import pytest
from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether
from scapy.utils import checksum

from box import Box
from frames import Tap
from rig import CORE, PATIENCE, RADIO, UE_V4, Rig
from samples import samples, total
from steady import until

UE, SOURCE = '10.45.0.77', '10.45.99.1'
FIRST, ANSWER = 1001, 5001  # the first octets of the two streams
SEGMENT = 1000
BUFFER = {'sdus': 8000, 'bytes': '32MB'}
FLOWS = 64


@pytest.fixture(scope='module')
def rig():
    with Rig() as made:
        yield made


@pytest.fixture(scope='module')
def both_workers(rig):
    """A pool that one bearer's cache can take."""
    with Box(rig, name='snoop', dataplane='  workers: 2\n  memory: 110MiB\n  huge_pages: no\n',
             bearers=f'bearers:\n  - {{ue: {UE_V4}, class: internet}}\n') as made:
        yield made


@pytest.fixture
def box(both_workers):
    both_workers.call('mode.set', mode='inline')
    both_workers.call('bearer.remove', ues=[UE])
    assert until(lambda: kept(both_workers) == 0)
    return both_workers


def serve(box, stages, rate='200M'):
    box.set_bearer(UE, downlink={'rate': rate, 'buffer': BUFFER}, uplink={'ack': stages, 'flows': {'max': FLOWS}})


@functools.lru_cache(maxsize=None)
def head(ue, down, flags, port, options):
    """The headers of a segment, but for its numbers, its length and checksums."""
    here, there, mac = (SOURCE, ue, 1) if down else (ue, SOURCE, 2)
    ports = {'sport': 80, 'dport': port} if down else {'sport': port, 'dport': 80}
    return bytes(Ether(src=f'02:00:00:00:00:0{mac}', dst=f'02:00:00:00:00:0{3 - mac}') / IP(src=here, dst=there)
                 / TCP(flags=flags, options=list(options), **ports))


def filled(headers, number, ack, data):
    """A segment with these headers. scapy would take a hundred times as long for each of thousands."""
    ip, tcp = headers[14:34], headers[34:]
    segment = tcp[:4] + struct.pack('!II', number, ack) + tcp[12:16] + b'\0\0' + tcp[18:] + data
    ip = ip[:2] + struct.pack('!H', len(ip) + len(segment)) + ip[4:10] + b'\0\0' + ip[12:]
    sums = checksum(ip), checksum(ip[12:] + struct.pack('!HH', 6, len(segment)) + segment)
    return b''.join((headers[:14], ip[:10], struct.pack('!H', sums[0]), ip[12:], segment[:16], struct.pack('!H', sums[1]),
                     segment[18:]))


class Hosts:
    """A source and a UE, by frames; connections differ by the UE's port."""

    def __init__(self, box, core, radio):
        self.box, self.core, self.radio = box, core, radio

    def frame(self, down, flags, seq, ack, port, data=b'', options=(), ue=UE):
        return filled(head(ue, down, flags, port, tuple(options)), seq, ack, data)

    def down(self, *what, **more):
        self.core.send(self.frame(True, *what, **more))

    def up(self, *what, **more):
        self.radio.send(self.frame(False, *what, **more))

    def connect(self, port):
        """Each step is there before the next one: the two sides have rings of their own."""
        self.down('S', FIRST - 1, 0, port, options=[('MSS', 1460)])
        assert len(self.at_ue(1, port)) == 1
        self.up('SA', ANSWER - 1, FIRST, port, options=[('MSS', 1460)])
        assert len(self.at_source(1, port)) == 1
        self.down('A', FIRST, ANSWER, port)
        assert len(self.at_ue(1, port)) == 1

    def send(self, port, count):
        for k in range(count):
            self.down('A', seq(k), ANSWER, port, data=b'%04d' % k * (SEGMENT // 4))

    def at_ue(self, count, port, seconds=PATIENCE / 2):
        return self._take(self.radio, count, SOURCE, port, seconds)

    def at_source(self, count, port, seconds=PATIENCE / 2):
        return self._take(self.core, count, UE, port, seconds)

    @staticmethod
    def _take(tap, count, source, port, seconds):
        def ours(frame):
            return (frame[12:14] + frame[23:24] + frame[26:30] == b'\x08\0\x06' + socket.inet_aton(source)
                    and port in struct.unpack('!HH', frame[34:38]))
        return [Ether(frame)[TCP] for frame in tap.take(ours, count, seconds)]


def seq(segment):
    return FIRST + SEGMENT * segment


@pytest.fixture
def hosts(rig, box):
    with Tap(rig, CORE) as core, Tap(rig, RADIO) as radio:
        yield Hosts(box, core, radio)


def kept(box):
    return total(samples(box.metrics()), 'rncd_kept_segments')


def events(box, event):
    return total(samples(box.metrics()), 'rncd_ack_events_total', f'event="{event}"')


def came_home(box):
    stats = box.stats()
    return (kept(box) == 0 and stats['residue'] == 0
            and all(worker['buffered'] == worker['held'] == 0 for worker in stats['workers']))


@pytest.mark.parametrize('stage, heard', [('new-snoop', 0), ('snoop', 1)])
def test_a_segment_that_the_ue_leaves_out_comes_again_and_its_source_hears_of_it_as_the_stage_says(box, hosts, stage, heard):
    serve(box, [stage])
    hosts.connect(4000)
    hosts.send(4000, 6)
    assert [one.seq for one in hosts.at_ue(6, 4000)] == [seq(k) for k in range(6)]
    assert kept(box) == 6
    hosts.up('A', ANSWER, seq(2), 4000)
    assert [one.ack for one in hosts.at_source(1, 4000)] == [seq(2)]
    for _ in range(3):
        hosts.up('A', ANSWER, seq(2), 4000)
    assert [one.seq for one in hosts.at_ue(1, 4000)] == [seq(2)]
    assert [one.ack for one in hosts.at_source(3, 4000, 0.5)] == [seq(2)] * heard
    hosts.up('A', ANSWER, seq(6), 4000)
    assert [one.ack for one in hosts.at_source(1, 4000)] == [seq(6)]
    flow, = box.call('flow.list', ue=UE)['items']
    assert (flow['kept_segments'], flow['hidden_losses']) == (0, 1)
    assert flow['local_retransmissions'] >= 1  # the local timer did not wait for this test
    assert came_home(box)


def test_what_the_source_repeats_while_it_is_repaired_here_does_not_reach_the_ue_twice(box, hosts):
    serve(box, ['new-snoop'])
    hosts.connect(4001)
    hosts.send(4001, 4)
    assert len(hosts.at_ue(4, 4001)) == 4
    hosts.up('A', ANSWER, seq(1), 4001)
    hosts.up('A', ANSWER, seq(1), 4001)
    assert [one.seq for one in hosts.at_ue(1, 4001)] == [seq(1)]
    before = box.dropped(CORE).get('repeated', 0)
    hosts.down('A', seq(1), ANSWER, 4001, data=b'0001' * (SEGMENT // 4))
    assert until(lambda: box.dropped(CORE).get('repeated', 0) == before + 1)
    hosts.up('A', ANSWER, seq(4), 4001)
    assert until(lambda: came_home(box))


def silent_ue(box, hosts, flows=FLOWS, segments=8, **settings):
    """A UE that acknowledges nothing on `flows` connections."""
    serve(box, [{'new-snoop': {'cache': 4096, **settings}}])
    ports = range(4100, 4100 + flows)
    for port in ports:
        hosts.connect(port)
        hosts.send(port, segments)
    assert until(lambda: kept(box) == flows * segments), kept(box)
    assert until(lambda: box.downlink(UE)['delivered_sdus'] == flows * (segments + 2))
    return ports


def reset_all(box, hosts):
    for port in range(4100, 4100 + FLOWS):
        hosts.up('R', ANSWER, 0, port)


def acknowledge_all(box, hosts):
    for port in range(4100, 4100 + FLOWS):
        hosts.up('A', ANSWER, seq(8), port)


@pytest.mark.parametrize('end', [
    lambda box, _: box.call('bearer.remove', ue=UE), lambda box, _: box.call('mode.set', mode='bypass'),
    lambda box, _: box.call('mode.set', mode='tap'),
    lambda box, _: box.call('rrc.reconfigure', bearer=UE, ack=[]),
    lambda box, _: box.call('rrc.reconfigure', bearer=UE, ack=['new-snoop']), reset_all, acknowledge_all],
    ids=['bearer', 'bypass', 'tap', 'stage', 'smaller-cache', 'reset', 'acknowledged'])
def test_what_is_kept_for_a_ue_that_acknowledges_nothing_on_64_connections_comes_home(box, hosts, end):
    silent_ue(box, hosts)
    end(box, hosts)
    assert until(lambda: came_home(box)), (kept(box), box.stats())


def test_a_ue_that_is_silent_is_given_up_in_time(box, hosts):
    silent_ue(box, hosts, flows=4, give_up='6s')
    assert until(lambda: came_home(box)), (kept(box), box.stats())


def test_what_is_kept_goes_with_its_bearer_from_worker_to_worker(box, hosts):
    serve(box, ['new-snoop'])
    hosts.connect(4300)
    hosts.send(4300, 5)
    assert len(hosts.at_ue(5, 4300)) == 5
    for _ in range(3):
        now = box.call('bearer.get', ue=UE)['worker']
        box.call('bearer.move', ue=UE, worker=1 - now)
        assert kept(box) == 5
    for _ in range(2):
        hosts.up('A', ANSWER, seq(0), 4300)
    assert [one.seq for one in hosts.at_ue(1, 4300)] == [seq(0)]
    hosts.up('A', ANSWER, seq(5), 4300)
    assert until(lambda: came_home(box)), (kept(box), box.stats())


def test_a_pool_that_is_used_up_by_what_is_kept_loses_no_frame_unseen_and_is_free_again(box, hosts):
    """Segments go through caches that would take all of the pool, until each worker keeps the most that it may; the UEs
    acknowledge nothing."""
    ues = [f'10.45.0.{k}' for k in range(100, 104)]
    for ue in ues:
        box.set_bearer(ue, downlink={'rate': '2G', 'buffer': BUFFER},
                       uplink={'ack': [{'snoop': {'cache': 4096, 'give_up': '1h'}}], 'flows': {'max': 1}})

    def frame(ue, down, flags, number, ack, **more):
        return hosts.frame(down, flags, number, ack, 4400, ue=ue, **more)

    def arrives(tap, whole, reading):
        """Sent until it is delivered, since a ring before the box may be full."""
        before = reading()['delivered_sdus']
        def once():
            tap.send(whole)
            return until(lambda: reading()['delivered_sdus'] > before, seconds=1)
        return until(once)

    try:
        for number, ue in enumerate(ues):
            box.call('bearer.move', ue=ue, worker=number % 2)
            options = [('MSS', 1460), ('WScale', 10)]
            assert arrives(hosts.core, frame(ue, True, 'S', FIRST - 1, 0, options=options),
                           lambda ue=ue: box.downlink(ue))
            assert arrives(hosts.radio, frame(ue, False, 'SA', ANSWER - 1, FIRST, options=options),
                           lambda ue=ue: box.uplink(ue))
        cap = box.stats()['pool']['buffer_cap']
        for start in range(0, 1600, 100):
            for ue in ues:
                hosts.core.send(*(frame(ue, True, 'A', seq(k), ANSWER, data=b'.' * SEGMENT)
                                  for k in range(start, start + 100)))
        # A quarter stays for what arrives.
        assert until(lambda: kept(box) == pytest.approx(cap * 3 / 4, abs=4)), (kept(box), cap)
        assert not box.dropped().get('pool')
        assert rig_still_answers(box)
    finally:
        box.call('bearer.remove', ues=ues)
    assert until(lambda: came_home(box)), (kept(box), box.stats())


def rig_still_answers(box):
    return box.rig.ping(CORE, count=3)

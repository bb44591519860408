"""Split proxies over paths that change: links that take smaller packets, marks of congestion, windows that close, and
UEs that vanish. Every byte comes in any case, or both ends get an error.

A UE `far` is behind the radio side, which forwards to it as a kernel's router; a server `beyond` is behind a relay,
which may mark what it sends."""
import contextlib
import os
import random
import signal
import socket
import struct
import threading
import time

import pytest
from scapy.layers.inet import ICMP, IP, TCP
from scapy.layers.inet6 import ICMPv6PacketTooBig, IPv6
from scapy.layers.l2 import Ether

from box import Box
from frames import Tap
from rig import CORE, CORE_V4, CORE_V6, HAS_IPV6, RADIO, UE_V4, UE_V6, UE_V6_PREFIX, Rig, RigError, sh
from steady import until
from test_proxy import connection, of, port_of, proxies, rows_of, split_of

FAR, BEYOND = 'far', 'beyond'
BEYOND_V4 = '10.45.0.50'
FAR_V4 = [f'10.48.0.{host}' for host in (2, 3, 4)]  # a server remembers what the way to each of them takes
FAR_V6, FAR_V6_NET = '2001:db8:0:2:1::2', '2001:db8:0:2:1::/80'  # in its router's prefix
FRAIL = '10.48.0.9'
MARKED, SMALL = '10.45.0.3', '10.45.0.4'
WINDOW = 65536
CLASSES = f'''\
  path:
    downlink: {{rate: 4M, buffer: {{sdus: 50}}}}
    proxy: {{split: {{window: {WINDOW}, store: 2MB, min_rto: 300ms}}}}
  marking:
    downlink: {{rate: 4M, buffer: {{sdus: 100}}, aqm: {{codel: {{ecn: yes}}}}}}
    proxy: {{split: {{window: {WINDOW}, store: 2MB, min_rto: 300ms}}}}
  frail:
    downlink: {{rate: 4M, buffer: {{sdus: 50}}}}
    proxy: {{split: {{window: {WINDOW}, store: 2MB, min_rto: 200ms, retries: 3, idle: 1s}}}}
'''
CE, ECE, CWR, SYN = 3, 0x40, 0x80, 0x02
NARROW = 1300


@pytest.fixture(scope='module')
def rig():
    with Rig(ues=3) as made, contextlib.ExitStack() as ends:
        for name in FAR, BEYOND:
            sh('ip', 'netns', 'add', made.name(name))
            ends.callback(sh, 'ip', 'netns', 'delete', made.name(name), check=False)
            made.run(name, 'ip', 'link', 'set', 'lo', 'up')
        join(made, RADIO, 'w0', FAR, 'w1')
        join(made, CORE, 's1', BEYOND, 's0')
        made.run(RADIO, 'sysctl', '-qw', 'net.ipv4.ip_forward=1', 'net.ipv4.conf.all.send_redirects=0')
        made.run(RADIO, 'ip', 'address', 'add', '10.48.0.1/24', 'dev', 'w0')
        for address in (*FAR_V4, FRAIL):
            made.run(FAR, 'ip', 'address', 'add', f'{address}/24', 'dev', 'w1')
        made.run(FAR, 'ip', 'route', 'add', 'default', 'via', '10.48.0.1')
        made.run(CORE, 'ip', 'route', 'add', '10.48.0.0/24', 'via', UE_V4)
        for name in RADIO, BEYOND:
            made.run(name, 'sysctl', '-qw', 'net.ipv4.tcp_ecn=1')
        made.run(BEYOND, 'ip', 'address', 'add', f'{BEYOND_V4}/16', 'dev', 's0')
        if HAS_IPV6:
            made.run(RADIO, 'sysctl', '-qw', 'net.ipv6.conf.all.forwarding=1')
            made.run(RADIO, 'ip', 'address', 'add', '2001:db8:0:2:1::1/80', 'dev', 'w0', 'nodad')
            made.run(FAR, 'ip', 'address', 'add', f'{FAR_V6}/80', 'dev', 'w1', 'nodad')
            made.run(FAR, 'ip', 'route', 'add', 'default', 'via', '2001:db8:0:2:1::1')
            made.run(CORE, 'ip', 'route', 'add', FAR_V6_NET, 'via', UE_V6)
            # The radio side has no link-local address to ask from on behalf of others.
            address = made.run(CORE, 'cat', '/sys/class/net/c0/address').stdout.strip()
            made.run(RADIO, 'ip', 'neighbour', 'replace', CORE_V6, 'lladdr', address, 'dev', 'r0', 'nud', 'permanent')
        yield made


def join(rig, side, outer, there, inner):
    sh('ip', 'link', 'add', outer, 'netns', rig.name(side), 'type', 'veth', 'peer', 'name', inner, 'netns',
       rig.name(there))
    for name, link in ((side, outer), (there, inner)):
        rig.run(name, 'ethtool', '-K', link, 'tx', 'off')
        rig.run(name, 'ip', 'link', 'set', link, 'up')


@pytest.fixture(scope='module')
def running(rig):
    lines = [f'  - {{ue: "{ue}", class: path}}\n' for ue in (*FAR_V4, UE_V6_PREFIX, SMALL)]
    lines += [f'  - {{ue: {MARKED}, class: marking}}\n', f'  - {{ue: {FRAIL}, class: frail}}\n']
    # One of the two workers has the routers' addresses, and the other some of the UEs.
    with Box(rig, name='proxy-path', classes=CLASSES, dataplane='  workers: 2\n',
             bearers='bearers:\n' + ''.join(lines), more='modes: {drain_timeout: 9s}\n') as made:
        yield made


@pytest.fixture
def box(running):
    """At the end of a test nothing of its connections is left."""
    running.call('mode.set', mode='inline')
    yield running
    assert until(lambda: proxies(running)['stored_bytes'] == 0), running.ctl('proxy', 'show').stdout
    assert proxies(running)['at_risk_bytes'] == 0
    assert running.stats()['residue'] == 0, running.stats()


@contextlib.contextmanager
def reading(end):
    """The octets that have come to an end so far, and the error that ended it."""
    came = {'bytes': b'', 'error': None}

    def read():
        try:
            while some := end.recv(65536):
                came['bytes'] += some
        except OSError as error:
            came['error'] = error
    thread = threading.Thread(target=read)
    thread.start()
    try:
        yield came
    except BaseException:
        end.shutdown(socket.SHUT_RDWR)
        raise
    finally:
        thread.join()


class Source:
    """A server's end that sends data that do not repeat."""

    def __init__(self, end):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 128 << 10)
        self.end, self.sent, self.random = end, b'', random.Random(end.getsockname()[1])

    def send(self, octets):
        some = self.random.randbytes(octets)
        self.end.sendall(some)
        self.sent += some

    def fill(self):
        """Sends until the kernel takes no more."""
        self.end.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while True:
                some = self.random.randbytes(16384)
                self.sent += some[:self.end.send(some)]
        self.end.settimeout(30)

    def is_held(self):
        """True if no octet is taken while the proxy and the server probe the window. A probe may make a UE's kernel
        find room once more, which it gains by keeping its octets in fewer buffers."""
        self.fill()
        before = len(self.sent)
        until(self.fill, 0.7)
        return len(self.sent) == before

    def fill_until(self, condition):
        """Something is on its way all the time."""
        return until(lambda: self.fill() or condition())


def rest_of(tap, wanted):
    """All that has come and is wanted."""
    found = []
    while some := tap.take(wanted, 1, 0.3):
        found += some
    return found


def is_too_big(frame):
    """A router's word that the next link takes no more than NARROW."""
    packet = Ether(frame)
    if ICMPv6PacketTooBig in packet:
        return packet[ICMPv6PacketTooBig].mtu == NARROW
    return ICMP in packet and (packet[ICMP].type, packet[ICMP].code, packet[ICMP].nexthopmtu) == (3, 4, NARROW)


def lengths(frames, server):
    """(place in the server's stream, bytes of the IP packet) of each segment that a server sent to the UE."""
    begin, out = None, []
    for frame in frames:
        packet = Ether(frame)
        if TCP not in packet or packet[TCP].sport != port_of(server):
            continue
        if packet[TCP].flags & SYN:
            begin = packet[TCP].seq + 1
        elif begin is not None:
            size = packet[IPv6].plen + 40 if IPv6 in packet else packet[IP].len
            out.append(((packet[TCP].seq - begin) % 2**32, size))
    return out


def bearer_of(ue):
    return UE_V6_PREFIX if ':' in ue else ue


@contextlib.contextmanager
def uncombined(rig):
    """A router that puts frames together would hide how long they are."""
    rig.run(RADIO, 'ethtool', '-K', 'r0', 'gro', 'off')
    yield
    rig.run(RADIO, 'ethtool', '-K', 'r0', 'gro', 'on')


@contextlib.contextmanager
def narrowed(rig, box, ue):
    """A connection during which a router announces that it takes smaller packets from here on: its source, the octets
    that have come to the UE, and a tap of the radio side."""
    v6 = ':' in ue
    with uncombined(rig), Tap(rig, CORE) as core, Tap(rig, RADIO) as radio, \
            connection(rig, ue, FAR, CORE_V6 if v6 else CORE_V4) as (near, server), reading(near) as came:
        source = Source(server)
        assert source.fill_until(lambda: proxies(box)['at_risk_bytes'] > 30_000), proxies(box)
        assert split_of(box, bearer_of(ue), port_of(server)) == ['split']
        rig.run(RADIO, 'ip', 'link', 'set', 'w0', 'mtu', str(NARROW))
        try:
            assert source.fill_until(lambda: core.take(is_too_big, 1, 0.01)), 'the server hears of it, too'
            yield source, came, radio
            server.shutdown(socket.SHUT_WR)
        finally:
            rig.run(RADIO, 'ip', 'link', 'set', 'w0', 'mtu', '1500')
    assert came == {'bytes': source.sent, 'error': None}


# The sender of the ICMP message: a router that is no UE, one that is a UE, one with an address from the UE's prefix.
ROUTERS = {'stranger': FAR_V4[0], 'bearer': FAR_V4[1], 'same-bearer': FAR_V6}


@contextlib.contextmanager
def router_of(box, kind):
    if kind == 'bearer':
        box.set_bearer(UE_V4, **{'class': 'path'})
    yield
    if kind == 'bearer':
        box.call('bearer.remove', ues=[UE_V4])


@pytest.mark.parametrize('router', ROUTERS)
def test_what_is_sent_is_cut_to_what_a_router_behind_takes(rig, box, router):
    if router == 'same-bearer' and not HAS_IPV6:
        pytest.skip('no IPv6 here')
    ue, before = ROUTERS[router], proxies(box)
    with router_of(box, router), narrowed(rig, box, ue) as (source, came, radio):
        told = len(source.sent)
        source.send(400_000)
        assert until(lambda: len(came['bytes']) == len(source.sent)), rows_of(box, bearer_of(ue), port_of(source.end))
        assert split_of(box, bearer_of(ue), port_of(source.end)) == ['split']
        sizes = lengths(rest_of(radio, lambda _: True), source.end)
        assert max(size for _, size in sizes) == 1500
        assert max(size for place, size in sizes if place >= told) <= NARROW
    assert proxies(box)['resets'] == before['resets']


def test_a_connection_let_go_behind_a_smaller_link_goes_on_as_the_server_learns_of_it(rig, box):
    with narrowed(rig, box, FAR_V4[2]) as (source, came, _):
        source.send(200_000)
        drained = box.call('mode.set', mode='bypass')['drained']
        assert (drained['at_risk_after'], drained['reset']) == (0, 0), drained
        source.send(200_000)
        assert until(lambda: len(came['bytes']) == len(source.sent)), len(came['bytes'])


def is_tcp(frame):
    """Over IPv4."""
    return frame[12:14] == b'\x08\x00' and frame[23] == socket.IPPROTO_TCP


class Relay:
    """Takes frames from the server beyond to the box and back, as they are, but for marks."""

    def __init__(self, rig):
        self.rig, self.marks, self.ends = rig, False, []
        self.up, self.down = [], []  # TCP flags of what went each way, but for SYNs

    def __enter__(self):
        self.outer, self.inner = Tap(self.rig, CORE), Tap(self.rig, CORE, 's1')
        self.stopped = threading.Event()
        self.threads = [threading.Thread(target=self._carry, args=way)
                        for way in ((self.outer, self.inner, self._note_up), (self.inner, self.outer, self._mark))]
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        for thread in self.threads:
            thread.join()
        self.outer.socket.close()
        self.inner.socket.close()

    def _carry(self, source, sink, looks):
        while not self.stopped.is_set():
            for frame in source.take(lambda _: True, 1, 0.1):
                sink.send(looks(frame))

    def _note_up(self, frame):
        self._note(frame, self.up)
        return frame

    def _mark(self, frame):
        self._note(frame, self.down)
        if not self.marks or not is_tcp(frame) or frame[15] & 3 not in (1, 2) or len(self.down) % 10:
            return frame
        header = bytearray(frame[14:34])
        header[1] |= CE
        header[10:12] = b'\0\0'
        total = sum(struct.unpack('!10H', header))
        while total >> 16:
            total = (total & 0xffff) + (total >> 16)
        header[10:12] = struct.pack('!H', ~total & 0xffff)
        return frame[:14] + bytes(header) + frame[34:]

    @staticmethod
    def _note(frame, where):
        if is_tcp(frame) and not frame[47] & SYN:
            where.append(frame[47])


def kernel(rig, side, name):
    """A counter of a kernel's TCP/IP."""
    lines = rig.run(side, 'cat', '/proc/net/netstat').stdout.splitlines()
    for names, values in zip(lines[::2], lines[1::2]):
        if name in names.split():
            return int(values.split()[names.split().index(name)])
    raise RigError(f'the kernel does not count {name}')


def tells_cwr(frame):
    return is_tcp(frame) and frame[47] & (CWR | SYN) == CWR


@contextlib.contextmanager
def download(rig, ue, side=RADIO, server=CORE_V4, core=CORE):
    """The server's stream and the octets of it that have come to the UE; at the end these are all."""
    with connection(rig, ue, side, server, core) as (near, far), reading(near) as came:
        source = Source(far)
        yield source, came
        far.shutdown(socket.SHUT_WR)
    assert came == {'bytes': source.sent, 'error': None}


def test_marks_of_the_bearers_queue_are_the_proxys_to_answer_and_the_server_hears_nothing_of_them(rig, box):
    marked = kernel(rig, RADIO, 'InCEPkts')
    with Relay(rig) as relay, Tap(rig, RADIO) as radio:
        with download(rig, MARKED, RADIO, BEYOND_V4, BEYOND) as (source, _):
            assert source.fill_until(lambda: kernel(rig, RADIO, 'InCEPkts') > marked)
            assert source.fill_until(lambda: radio.take(tells_cwr, 1, 0.01)), 'it says that it has slowed down'
            row, = rows_of(box, MARKED, port_of(source.end))
            assert row['ecn'] and row['proxy']['state'] == 'split', row
        assert relay.up and not any(flags & ECE for flags in relay.up)
    assert kernel(rig, BEYOND, 'TCPDeliveredCE') == 0


def test_marks_before_the_box_are_the_servers_to_answer_and_the_ue_hears_nothing_of_them(rig, box):
    marked, delivered = kernel(rig, RADIO, 'InCEPkts'), kernel(rig, BEYOND, 'TCPDeliveredCE')
    with Relay(rig) as relay, Tap(rig, RADIO) as radio:
        with download(rig, SMALL, RADIO, BEYOND_V4, BEYOND) as (source, _):
            relay.marks = True
            assert source.fill_until(lambda: any(flags & ECE for flags in relay.up)
                                     and any(flags & CWR for flags in relay.down))
            row, = rows_of(box, SMALL, port_of(source.end))
            assert row['ecn'] and row['proxy']['state'] == 'split', row
            relay.marks = False
            before = len(relay.up)
            assert source.fill_until(lambda: len(relay.up) > before + 20
                                     and not any(flags & ECE for flags in relay.up[-20:])), 'it has reacted'
        assert not rest_of(radio, tells_cwr)
    assert kernel(rig, BEYOND, 'TCPDeliveredCE') > delivered
    assert kernel(rig, RADIO, 'InCEPkts') == marked


def shown(box, cls):
    row, = (one for one in box.call('proxy.show')['items'] if one['name'] == cls)
    return row


def most_stored(row):
    """The most octets stored: the window is advertised in units, and may exceed the free room by two of them."""
    return WINDOW + (2 << row['scale'])


def closed_at_both(box, server):
    """True if both windows are closed; less than a unit, which no window can express, may be left to the server."""
    row, = rows_of(box, SMALL, port_of(server))
    return row['window_bytes']['ue'] == 0 and row['window_bytes']['told'] < 1 << row['scale']


def take(end, octets):
    got = b''
    while len(got) < octets and (some := end.recv(octets - len(got))):
        got += some
    return got


def test_a_ue_that_does_not_read_holds_the_server_and_both_go_on_when_it_does(rig, box):
    closed = shown(box, 'path')['window_closed']
    with connection(rig, SMALL) as (near, far):
        source = Source(far)
        for _ in range(3):
            held = source.fill_until(lambda: closed_at_both(box, far) and source.is_held())
            row, = rows_of(box, SMALL, port_of(far))
            assert held, row
            assert row['proxy']['stored_bytes'] <= most_stored(row), row
            for octets in 1000, 150_000:
                assert take(near, octets) == source.sent[:octets]
                source.sent = source.sent[octets:]
        with reading(near) as came:
            far.shutdown(socket.SHUT_WR)
        assert came == {'bytes': source.sent, 'error': None}
    assert shown(box, 'path')['window_closed'] >= closed + 3


@contextlib.contextmanager
def vanished(rig, ue):
    """The UE receives nothing meanwhile, and sends nothing."""
    rig.run(RADIO, 'ip', 'route', 'add', 'blackhole', f'{ue}/32')
    try:
        yield
    finally:
        rig.run(RADIO, 'ip', 'route', 'delete', 'blackhole', f'{ue}/32')


def timed(box, ue, server):
    """The proxy knows how long the way to the UE is, so that its timeouts begin with `min_rto` or little more."""
    row, = rows_of(box, ue, port_of(server))
    return row['proxy']['ue_rtt_seconds'] is not None


def test_a_ue_that_comes_back_in_the_middle_of_a_download_gets_the_rest(rig, box):
    before = shown(box, 'path')
    with download(rig, FAR_V4[0], FAR) as (source, came):
        assert source.fill_until(lambda: timed(box, FAR_V4[0], source.end) and proxies(box)['at_risk_bytes'] > 30_000)
        with vanished(rig, FAR_V4[0]):
            assert source.fill_until(lambda: shown(box, 'path')['timeouts'] >= before['timeouts'] + 2
                                     and shown(box, 'path')['window_closed'] > before['window_closed'])
            held, had = len(source.sent), len(came['bytes'])
            source.fill()
            assert len(source.sent) == held and len(came['bytes']) == had, 'the server waits'
            row, = rows_of(box, FAR_V4[0], port_of(source.end))
            assert had < held and row['proxy']['state'] == 'split', row
            assert 30_000 < row['proxy']['at_risk_bytes'] <= row['proxy']['stored_bytes'] <= most_stored(row), row
        source.send(200_000)
    assert shown(box, 'path')['resets'] == before['resets']


def test_a_ue_that_stays_away_is_given_up_and_the_server_hears_of_it(rig, box):
    """After four timeouts, each twice as long as the one before: 200 ms and more."""
    before, most = shown(box, 'frail'), 0
    with connection(rig, FRAIL, FAR) as (near, far), reading(near) as came:
        source = Source(far)
        assert source.fill_until(lambda: timed(box, FRAIL, far) and proxies(box)['at_risk_bytes'] > 30_000)
        limit = most_stored(rows_of(box, FRAIL, port_of(far))[0])
        with vanished(rig, FRAIL):
            began = time.monotonic()

            def given_up():
                nonlocal most
                now = shown(box, 'frail')
                most = max(most, now['stored_bytes'])
                return now['resets']['ue_silent'] > before['resets']['ue_silent']
            assert until(given_up), rows_of(box, FRAIL, port_of(far))
            assert time.monotonic() - began > 2, 'so soon without backing off only'
            assert 30_000 < most <= limit
            with pytest.raises(ConnectionResetError):
                far.recv(1)
            now = shown(box, 'frail')
            assert now['timeouts'] == before['timeouts'] + 4, (before, now)
            assert now['window_closed'] > before['window_closed'], (before, now)
            assert (now['stored_bytes'], now['at_risk_bytes'], now['flows']['split']) == (0, 0, 0), now
            assert sum(one['retained'] for one in box.stats()['workers']) == 0
        near.send(b'are you there?')
    assert isinstance(came['error'], ConnectionResetError), came['error']
    assert source.sent.startswith(came['bytes'])


def test_a_ue_that_is_away_with_nothing_at_risk_is_let_go_and_finds_its_connection_as_it_was(rig, box):
    """Its class's `idle` is a second."""
    before = shown(box, 'frail')
    with download(rig, FRAIL, FAR) as (source, came):
        source.send(100_000)
        assert until(lambda: len(came['bytes']) == 100_000)
        assert split_of(box, FRAIL, port_of(source.end)) == ['split']
        with vanished(rig, FRAIL):
            assert until(lambda: split_of(box, FRAIL, port_of(source.end)) == ['unsplit'])
            now = shown(box, 'frail')
            assert (now['stored_bytes'], now['at_risk_bytes'], now['flows']['split']) == (0, 0, 0), now
        assert source.fill_until(lambda: split_of(box, FRAIL, port_of(source.end)) == ['split']), 'data come again'
    now = shown(box, 'frail')
    assert (now['resets'], now['unsplit']) == (before['resets'], before['unsplit'])


@contextlib.contextmanager
def stopped(box):
    """None of its threads does anything."""
    def states():
        for thread in os.listdir(f'/proc/{box.process.pid}/task'):
            with open(f'/proc/{box.process.pid}/task/{thread}/stat', encoding='ascii') as file:
                yield file.read().rpartition(')')[2].split()[0]
    os.kill(box.process.pid, signal.SIGSTOP)
    try:
        assert until(lambda: set(states()) == {'T'})
        yield
    finally:
        os.kill(box.process.pid, signal.SIGCONT)


def test_connections_outlive_a_box_that_hangs_and_around_which_frames_go_meanwhile(rig, box):
    """Segments that the kernel hands from port to port in that time are known to both ends and not to the proxy. A
    connection with data at risk waits for the box, one without goes on."""
    before = proxies(box)['resets']
    with download(rig, FAR_V4[0], FAR) as (busy, busy_came), download(rig, FAR_V4[1], FAR) as (calm, calm_came):
        def goes_on():
            calm.send(50_000)
            return until(lambda: len(calm_came['bytes']) == len(calm.sent))
        for _ in range(3):
            assert goes_on()
            assert busy.fill_until(lambda: proxies(box)['at_risk_bytes'] > 30_000)
            with stopped(box):
                assert goes_on()
            assert goes_on()
            had = len(busy_came['bytes'])
            assert busy.fill_until(lambda had=had: len(busy_came['bytes']) > had + 200_000)
    assert proxies(box)['resets'] == before

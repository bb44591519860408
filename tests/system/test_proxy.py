"""Kernel TCP through split proxies: every byte comes, ends and refusals are those of the hosts, and all connections are
let go in the middle of a download, when the mode changes, on request, and at the end of the process."""
import contextlib
import errno
import json
import random
import re
import socket
import struct
import threading
import time

import pytest

import box as box_module
from box import RNCCTL, Box
from frames import inside
from rig import CORE, CORE_V4, CORE_V6, DUT, HAS_IPV6, PATIENCE, RADIO, UE_V6, UE_V6_PREFIX, Rig, sh
from samples import samples, total
from steady import until
from streams import Streams

# The UEs' SACK and timestamps are set by namespace, the scale of their windows by the route from an address.
UE_OF_SCALE = {0: '10.45.0.2', 7: '10.45.0.3', 14: '10.45.0.6'}
SLOW = '10.45.0.4'  # so slow that windows are full of what is at risk
AIR = '10.45.0.5'  # over RLC acknowledged mode
FAST = '10.45.0.7'
CLASSES = '''\
  lossy:
    downlink: {rate: 30M, buffer: {sdus: 100}, link: {um: {loss: 1%, burst: 1, delay: 5ms}}}
    proxy: {split: {initial_window: 10, window: 65536, store: 3MB, min_rto: 300ms}}
  fast:
    downlink: {rate: 20M, buffer: {sdus: 100}}
    proxy: {split: {initial_window: 10, window: 65536, store: 2MB, min_rto: 300ms}}
  air:
    downlink: {rate: 1M, buffer: {sdus: 50}, link: {am: {channel: bernoulli, errors: pdu, fer: 5%, delay: 15ms}}}
    proxy: {split: {initial_window: 10, window: 32768, store: 2MB}}
  slow:
    downlink: {rate: 3M, buffer: {sdus: 50}}
    proxy: {split: {window: 65536, store: 2MB, min_rto: 300ms}}
'''
PORTS = iter(range(5400, 5600))
DOWNLOADS = {'down': 300_000, 'count': 4}  # at 3 Mbit/s: three seconds and more


@pytest.fixture(scope='module')
def rig():
    with Rig(ues=6) as made:
        for scale, ue in [*UE_OF_SCALE.items(), *((7, ue) for ue in (SLOW, AIR, FAST))]:
            made.run(RADIO, 'ip', 'route', 'replace', '10.45.0.0/16', 'dev', 'r0', 'window', str(0xffff << scale),
                     'table', str(100 + scale))
            made.run(RADIO, 'ip', 'rule', 'add', 'from', ue, 'lookup', str(100 + scale))
        made.run(RADIO, 'sysctl', '-qw', f'net.ipv4.tcp_rmem=4096 131072 {0xffff << 14}')
        yield made


@pytest.fixture(scope='module')
def running(rig):
    bearers = ''.join(f'  - {{ue: "{ue}", class: lossy}}\n' for ue in (*UE_OF_SCALE.values(), UE_V6_PREFIX))
    bearers += f'  - {{ue: {SLOW}, class: slow}}\n  - {{ue: {AIR}, class: air}}\n  - {{ue: {FAST}, class: fast}}\n'
    with Box(rig, name='proxy', classes=CLASSES, bearers='bearers:\n' + bearers,
             more='modes: {drain_timeout: 9s}\n') as made:
        yield made


@pytest.fixture
def box(running):
    """In the mode `inline`, with no connection but those of the test, and at the end nothing of them is left."""
    running.call('mode.set', mode='inline')
    running.call('proxy.drain', all=True, off=True)
    yield running
    if running.rpc:
        assert until(lambda: proxies(running)['stored_bytes'] == 0), running.ctl('proxy', 'show').stdout
        assert running.stats()['residue'] == 0, running.stats()


def controls():
    with open('/proc/sys/net/ipv4/tcp_available_congestion_control', encoding='ascii') as file:
        there = file.read().split()
    return [name for name in ('reno', 'cubic', 'bbr') if name in there]


def streams(rig, ue, **asked):
    """Streams of a UE; the kernel chooses a UE's address that has a route of its own."""
    return Streams(rig, ue, next(PORTS), **asked)


def proxies(box, cls=None):
    """Sums of `proxy.show` over the classes, or the figures of one."""
    rows = [one for one in box.call('proxy.show')['items'] if cls in (None, one['name'])]
    sums = {key: sum(one[key] for one in rows) for key in ('stored_bytes', 'at_risk_bytes', 'acked_bytes')}
    for key in ('flows', 'unsplit', 'resets'):
        sums[key] = {name: sum(one[key][name] for one in rows) for name in rows[0][key]}
    return sums


def rows_of(box, ue, port):
    """Rows of the UE's connections with a port of the server's; the box may have others from tests before."""
    flows = box.call('flow.list', ue=ue, limit=256)['items']
    return [one for one in flows if one['peer_port'] == port and one['proxy']]


def split_of(box, ue, port):
    """Their states, by what the proxy has of them."""
    return [one['proxy']['state'] for one in rows_of(box, ue, port)]


@contextlib.contextmanager
def all_split(box):
    """In here every connection with data is split, at least until a drain, and none is reset."""
    before = proxies(box)
    yield
    after = proxies(box)
    assert after['acked_bytes'] > before['acked_bytes'], (before, after)
    for one in before, after:
        del one['unsplit']['draining']
    assert (after['unsplit'], after['resets']) == (before['unsplit'], before['resets'])


def finish_all(*many):
    for one in many:
        one.finish()


def test_files_are_whole_over_every_kind_of_kernel_tcp_and_all_connections_are_split(rig, box):
    """A hundred and more. What two ends agree on stays theirs, so all go on at once."""
    begun, scales = [], {}
    with all_split(box):
        for sack in (1, 0):
            for stamps in (1, 0):
                rig.run(RADIO, 'sysctl', '-qw', f'net.ipv4.tcp_sack={sack}', f'net.ipv4.tcp_timestamps={stamps}')
                part = {scale: streams(rig, ue, down=200_000, up=2_000, count=9, controls=controls())
                        for scale, ue in UE_OF_SCALE.items()}
                assert until(lambda part=part: all(connected(one) for one in part.values()))
                for scale, one in part.items():
                    rows = box.call('flow.list', ue=UE_OF_SCALE[scale], limit=256)['items']
                    scales.setdefault(scale, set()).update(row['scale'] for row in rows if row['peer_port'] == one.port)
                begun += part.values()
        rig.run(RADIO, 'sysctl', '-qw', 'net.ipv4.tcp_sack=1', 'net.ipv4.tcp_timestamps=1')
        finish_all(*begun)
    assert scales == {scale: {scale} for scale in UE_OF_SCALE}
    rows = box.ctl('proxy', 'show').stdout
    assert re.search(r'^lossy ', rows, re.M) and re.search(r'^slow ', rows, re.M), rows
    metrics = samples(box.metrics())
    assert total(metrics, 'rncd_proxy_acked_bytes_total', 'class="lossy"') == proxies(box, 'lossy')['acked_bytes']
    assert total(metrics, 'rncd_proxy_retransmissions_total', 'class="lossy"') > 0  # they repair the radio's losses


def connected(one):
    """All of them, or they have ended already."""
    return not one.running() or one.client.poll() is not None or len(one.sockets(RADIO).split('\n\t')) > one.count


def test_uploads_go_on_beside_downloads_of_the_same_connections(rig, box):
    with all_split(box):
        finish_all(*(streams(rig, ue, down=500_000, up=500_000, count=3, controls=controls())
                     for ue in UE_OF_SCALE.values()))


def test_files_are_whole_over_an_air_that_loses_and_repeats(rig, box):
    """Its uplink delivers several ACKs at once."""
    with all_split(box):
        finish_all(streams(rig, AIR, down=60_000, up=2_000, count=3, controls=controls()))


@pytest.mark.skipif(not HAS_IPV6, reason='no IPv6 here')
def test_files_are_whole_over_ipv6(rig, box):
    with all_split(box):
        both = streams(rig, UE_V6, down=400_000, up=20_000, count=4, server=CORE_V6, controls=controls())
        finish_all(both)


def of(rig, side, v6=False):
    """A TCP socket of one side."""
    with inside(rig.name(side)):
        made = socket.socket(socket.AF_INET6 if v6 else socket.AF_INET)
    made.settimeout(30)
    return made


@contextlib.contextmanager
def connection(rig, ue=SLOW, side=RADIO, server=CORE_V4, core=CORE, port=None):
    """A connection of a UE in the namespace `side` to a server in `core`: (the UE's end, the server's)."""
    v6 = ':' in ue
    with of(rig, core, v6) as listening, of(rig, side, v6) as near:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((server, port or next(PORTS)))
        listening.listen()
        near.bind((ue, 0))
        near.connect(listening.getsockname()[:2])
        far, _ = listening.accept()
        far.settimeout(30)
        with far:
            yield near, far


def port_of(server):
    return server.getsockname()[1]


@contextlib.contextmanager
def saying(end, data):
    """It sends while something else is done, and then its FIN."""
    def say():
        end.sendall(data)
        end.shutdown(socket.SHUT_WR)
    talking = threading.Thread(target=say)
    talking.start()
    yield
    talking.join()


def read_all(end):
    got = b''
    while some := end.recv(65536):
        got += some
    return got


def test_a_ue_that_has_said_all_goes_on_reading_and_the_server_hears_of_its_end_meanwhile(rig, box):
    data = bytes(range(256)) * 2000
    with connection(rig) as (ue, server), saying(server, data):
        assert until(lambda: proxies(box)['at_risk_bytes'] > 0)
        ue.sendall(b'that is all')
        ue.shutdown(socket.SHUT_WR)
        assert read_all(server) == b'that is all'
        assert split_of(box, SLOW, port_of(server)) == ['split']
        assert read_all(ue) == data


def test_a_server_that_has_said_all_goes_on_reading(rig, box):
    data = bytes(range(256)) * 400
    with connection(rig) as (ue, server), saying(server, data):
        assert read_all(ue) == data
        with saying(ue, data * 20):
            assert read_all(server) == data * 20


@pytest.mark.parametrize('resets', [0, 1], ids=['ue', 'server'])
def test_a_reset_of_one_end_in_the_middle_of_a_download_reaches_the_other(rig, box, resets):
    with connection(rig) as ends:
        ends[1].setblocking(False)

        def in_the_middle():
            with contextlib.suppress(BlockingIOError):
                ends[1].send(bytes(500_000))
            return ends[0].recv(20_000) and proxies(box)['at_risk_bytes'] > 0
        assert until(in_the_middle)
        ends[resets].setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        ends[resets].close()
        other = ends[1 - resets]
        other.settimeout(30)
        with pytest.raises(ConnectionError):
            while other.recv(65536):
                pass
            raise AssertionError('it ended like one that is whole')


def test_a_connection_to_a_closed_port_is_refused_and_never_looks_open(rig, box):
    for ue in (*UE_OF_SCALE.values(), SLOW):
        with of(rig, RADIO) as end:
            end.bind((ue, 0))
            with pytest.raises(ConnectionRefusedError):
                end.connect((CORE_V4, 5399))


def test_a_server_that_does_not_answer_is_not_answered_for(rig, box):
    with of(rig, RADIO) as end:
        end.settimeout(2.5)  # the second SYN, too, after a second
        end.bind((SLOW, 0))
        rig.run(CORE, 'ip', 'route', 'add', 'blackhole', '10.46.0.0/16')
        rig.run(RADIO, 'ip', 'route', 'add', '10.46.0.0/16', 'via', CORE_V4, 'dev', 'r0')
        with pytest.raises(TimeoutError):
            end.connect(('10.46.0.1', 80))


def test_a_ue_hears_from_a_router_that_there_is_no_way_to_a_server(rig, box):
    rig.run(CORE, 'sysctl', '-qw', 'net.ipv4.ip_forward=1')
    rig.run(CORE, 'ip', 'route', 'add', 'unreachable', '10.47.0.0/16')
    rig.run(RADIO, 'ip', 'route', 'add', '10.47.0.0/16', 'via', CORE_V4, 'dev', 'r0')
    with of(rig, RADIO) as end:
        end.bind((SLOW, 0))
        with pytest.raises(OSError) as failed:
            end.connect(('10.47.0.1', 80))
        assert failed.value.errno == errno.EHOSTUNREACH


def downloads(rig, box, **more):
    """Downloads of the slow UE, once all are split and the proxy has acknowledged octets that the UE has not."""
    begun = streams(rig, SLOW, **{**DOWNLOADS, **more})
    assert until(lambda: split_of(box, SLOW, begun.port) == ['split'] * begun.count
                 and proxies(box)['at_risk_bytes'] > 100_000), (split_of(box, SLOW, begun.port), proxies(box))
    return begun


def mode(box, *words):
    return json.loads(box.ctl('--json', 'mode', *words).stdout)


@pytest.mark.parametrize('where', ['bypass', 'tap'])
def test_a_mode_without_proxies_in_the_middle_of_downloads_loses_nothing(rig, box, where):
    with all_split(box):
        begun = downloads(rig, box)
        drained = mode(box, where)['drained']
        assert drained['at_risk_before'] > 0 and (drained['at_risk_after'], drained['reset']) == (0, 0), drained
        assert proxies(box)['at_risk_bytes'] == 0
        begun.finish()


class Lane:
    """One connection of the UE FAST after another, of each of which every byte is checked."""

    def __init__(self, rig):
        self.rig, self.port, self.whole, self.failed = rig, next(PORTS), 0, []
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self._run)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.thread.join()

    def _run(self):
        numbers = random.Random(self.port)
        while not self.stopped.is_set() and not self.failed:
            data = numbers.randbytes(numbers.randrange(20_000, 150_000))
            try:
                with connection(self.rig, FAST, port=self.port) as (ue, server), saying(server, data):
                    got = read_all(ue)
                if got != data:
                    self.failed.append((len(got), len(data)))
                self.whole += 1
            except OSError as error:
                self.failed.append(error)


@pytest.mark.paired  # frames that go around a worker without a CPU begin connections that are not split
def test_a_hundred_drains_at_any_instant_are_noticed_by_nobody(rig, box):
    instants, at_risk, before = random.Random(100), [], proxies(box)['resets']
    with contextlib.ExitStack() as all_of_them:
        lanes = [all_of_them.enter_context(Lane(rig)) for _ in range(4)]
        for number in range(100):
            assert until(lambda: proxies(box)['at_risk_bytes'] > 0 or any(lane.failed for lane in lanes))
            time.sleep(instants.uniform(0, 0.03))
            drained = box.call('mode.set', mode=('bypass', 'tap')[number % 2])['drained']
            box.call('mode.set', mode='inline')
            assert (drained['at_risk_after'], drained['reset']) == (0, 0), drained
            at_risk.append(drained['at_risk_before'])
    assert not any(lane.failed for lane in lanes), [lane.failed for lane in lanes]
    assert all(lane.whole for lane in lanes) and proxies(box)['resets'] == before
    assert sum(octets > 0 for octets in at_risk) > 50, at_risk


def test_after_a_drain_connections_are_split_again_in_the_mode_inline(rig, box):
    begun = downloads(rig, box)
    mode(box, 'bypass')
    mode(box, 'inline')
    begun.finish()
    with all_split(box):
        streams(rig, SLOW, down=100_000).finish()


def test_a_class_is_drained_while_others_go_on_and_splits_again_when_that_is_over(rig, box):
    with all_split(box):
        begun = downloads(rig, box)
        other = streams(rig, UE_OF_SCALE[7], down=1_000_000, pace=300_000)
        assert 'slow: draining' in box.ctl('proxy', 'drain', 'slow').stdout
        assert until(lambda: proxies(box, 'slow')['at_risk_bytes'] == 0
                     and set(split_of(box, SLOW, begun.port)) == {'unsplit'}), split_of(box, SLOW, begun.port)
        assert begun.running()
        assert until(lambda: 'split' in split_of(box, UE_OF_SCALE[7], other.port) or not other.running())
        finish_all(begun, other)
    assert 'slow: splits again' in box.ctl('proxy', 'drain', 'slow', '--off').stdout
    with all_split(box):
        streams(rig, SLOW, down=100_000).finish()


def ends_of(begun):
    """The reports of both ends of each connection: (the UE's, the server's)."""
    said = {}
    for role, process in (('client', begun.client), ('server', begun.server)):
        out, _ = process.communicate(timeout=PATIENCE)
        said[role] = json.loads(out)
    return list(zip(said['client'], said['server']))


def test_a_mode_that_does_not_wait_resets_what_is_at_risk_at_both_ends_and_nothing_else(rig, box):
    before = proxies(box)['resets']['removed']
    begun = downloads(rig, box, down=600_000, up=600_000, pace=200_000)  # so that servers are still there for the reset
    drained = mode(box, 'bypass', '--now')['drained']
    ends = ends_of(begun)
    failed = [('error' in ue, 'error' in server) for ue, server in ends].count((True, True))
    for ue, server in ends:
        if 'error' in ue or 'error' in server:
            assert all(re.search('reset|Broken pipe', end['error']) for end in (ue, server)), (ue, server)
        else:
            assert (ue['got_sha256'], server['got_sha256']) == (server['sent_sha256'], ue['sent_sha256'])
    assert failed == drained['reset'] == proxies(box)['resets']['removed'] - before > 0, (drained, ends)


def test_sigterm_in_the_middle_of_downloads_lets_all_go_first(rig, box):
    """The last of these: the box is gone."""
    begun = downloads(rig, box)
    try:
        assert box.stop(30) == 0, box.tail()
        told = re.search(r'event=proxies_drained at_risk_before=(\d+) at_risk_after=(\d+) reset=(\d+)',
                         box.log_with('event=stopped'))
        assert told and int(told[1]) > 0 and (told[2], told[3]) == ('0', '0'), box.tail()
        assert 'residue=0' in box.log_with('event=stopped')
    finally:
        begun.abandon()


def test_connections_with_nothing_at_risk_live_on_when_it_is_killed(rig, running):
    """By the wire that rncd leaves, and by the next rncd, to which they are strangers."""
    if running.rpc is None:
        running.start()
    rig.wait_for_wire()
    with connection(rig) as (ue, server):
        def both_ways(size):
            data = bytes(range(256)) * (size // 256)
            for sender, receiver in ((server, ue), (ue, server)):
                sender.sendall(data)
                got = b''
                while len(got) < len(data):
                    got += receiver.recv(65536)
                assert got == data
        both_ways(51_200)
        assert split_of(running, SLOW, port_of(server)) == ['split']
        assert until(lambda: proxies(running)['at_risk_bytes'] == 0)
        box_module.RUNNING.remove(running)
        running.process.kill()
        running.process.wait(PATIENCE)
        running.rpc.close()
        running.rpc = None
        both_ways(51_200)
        running.start()
        both_ways(512_000)
        assert split_of(running, SLOW, port_of(server)) == ['unsplit'] and proxies(running)['at_risk_bytes'] == 0


def test_what_was_at_risk_in_a_crash_is_told_by_the_wire_and_the_next_start(rig, running):
    if running.rpc is None:
        running.start()
    rig.wait_for_wire()

    def at_risk():
        shown, = json.loads(sh(*rig.within(DUT, RNCCTL, '--json', 'wire', 'show')).stdout)['items']
        return shown['at_risk_bytes']
    begun = downloads(rig, running)
    try:
        assert at_risk() == 0
        box_module.RUNNING.remove(running)
        running.process.kill()
        running.process.wait(PATIENCE)
        running.rpc.close()
        running.rpc = None
        assert until(lambda: at_risk() > 0)
        left = at_risk()
    finally:
        begun.abandon()
    running.start()
    assert f'at_risk_before={left}' in running.log_with('event=wire_taken')
    assert f'rncd_wire_inherited_at_risk_bytes {left}' in running.metrics() and at_risk() == 0
    assert running.stop() == 0 and at_risk() == 0

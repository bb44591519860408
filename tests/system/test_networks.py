"""One UE address, and one connection, on each of two VLANs of a trunk: with `networks` each has its bearer, its rate
and its proxy, without `networks` they share one (config/README.md, Networks).

Each VLAN has a host at either end of the wire, in a network namespace of its own. The hosts of an end reach the wire by
a switch, which puts the VLAN's tag into what they send."""
import contextlib
import re
import signal
import socket
import struct
import threading

import pytest

from box import Box
from frames import Tap, inside
from rig import CORE, RADIO, Rig, sh
from steady import until
from test_proxy import proxies
from test_proxy_path import Source, join, reading

UE, UE_PORT, SERVER_PORT = '10.46.0.2', 40_000, 5000
SERVER = '10.46.0.1'
VLANS = {'east': 100, 'west': 200}
CLASSES = '''\
  fast: {downlink: {rate: 8M, buffer: {sdus: 100}}, proxy: {split: {window: 65536, store: 2MB, min_rto: 300ms}}}
  slow: {downlink: {rate: 2M, buffer: {sdus: 100}}, proxy: {split: {window: 65536, store: 2MB, min_rto: 300ms}}}
'''
NETWORKS = 'networks: {east: {vlans: [100, 101-110]}, west: {vlans: [200]}}\n'
BEARERS = f'''\
bearers:
  - {{ue: {UE}, class: fast, network: east}}
  - {{ue: {UE}, class: slow, network: west}}
'''
ALL_OF_ONE = f'bearers:\n  - {{ue: {UE}, class: fast}}\n'
FIRST, MORE = 100_000, 400_000  # octets


def host(side, name):
    return f'{name}{side}'


class Switch:
    """At one end of the wire: tags what the hosts there send, and gives each host what comes with its tag."""

    def __init__(self, rig, side):
        self.trunk = Tap(rig, side)
        self.hosts = {vlan: Tap(rig, side, f'h{vlan}') for vlan in VLANS.values()}
        self.ended = threading.Event()
        self.threads = [threading.Thread(target=self.pass_on, args=(self.trunk, self.to_host))]
        for vlan, tap in self.hosts.items():
            tag = struct.pack('!HH', 0x8100, vlan)
            self.threads.append(threading.Thread(target=self.pass_on, args=(
                tap, lambda frame, tag=tag: self.trunk.send(frame[:12] + tag + frame[12:]))))

    def pass_on(self, tap, give):
        while not self.ended.is_set():
            for frame in tap.take(lambda _: True, 1, 0.2):
                give(frame)

    def to_host(self, frame):
        tpid, tci = struct.unpack('!HH', frame[12:16])
        if tpid == 0x8100 and tci & 0xfff in self.hosts:
            self.hosts[tci & 0xfff].send(frame[:12] + frame[16:])

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        for thread in self.threads:
            thread.join()
        for tap in (self.trunk, *self.hosts.values()):
            tap.__exit__()


@pytest.fixture(scope='module')
def rig():
    with Rig() as made, contextlib.ExitStack() as ends:
        for side, address in ((CORE, SERVER), (RADIO, UE)):
            for name, vlan in VLANS.items():
                there = host(side, name)
                sh('ip', 'netns', 'add', made.name(there))
                ends.callback(sh, 'ip', 'netns', 'delete', made.name(there), check=False)
                join(made, side, f'h{vlan}', there, 'h0')
                made.run(there, 'ip', 'address', 'add', f'{address}/24', 'dev', 'h0')
            ends.enter_context(Switch(made, side))
        yield made


def tcp(rig, side, name):
    with inside(rig.name(host(side, name))):
        made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.settimeout(30)
    return made


@contextlib.contextmanager
def connection(rig, name):
    """(the UE's end, the server's) in that network, always of the same addresses and ports."""
    with tcp(rig, CORE, name) as listening, tcp(rig, RADIO, name) as near:
        listening.bind((SERVER, SERVER_PORT))
        listening.listen()
        near.bind((UE, UE_PORT))
        near.connect((SERVER, SERVER_PORT))
        far, _ = listening.accept()
        far.settimeout(30)
        with far:
            yield near, far


class Download:
    """From a network's server to its UE, which reads all the time."""

    def __init__(self, rig, name, ends):
        near, self.server = ends.enter_context(connection(rig, name))
        self.came = ends.enter_context(reading(near))
        self.source = Source(self.server)

    def begin(self):
        assert self.source.fill_until(lambda: len(self.came['bytes']) >= FIRST), len(self.came['bytes'])

    def goes_on(self):
        before = len(self.came['bytes'])
        return self.source.fill_until(lambda: len(self.came['bytes']) >= before + MORE)

    def finish(self):
        self.server.shutdown(socket.SHUT_WR)
        assert until(lambda: self.came['bytes'] == self.source.sent), (len(self.came['bytes']), self.came['error'])

    def fails(self):
        """The connection fails at both ends."""
        def server_hears():
            try:
                self.source.fill()
            except OSError:
                return True
            return False
        return until(lambda: self.came['error'] is not None and server_hears())


def of_network(name):
    return f'{UE}@{name}'


def flows(box, ue):
    return [(one['ue'], one['ue_port'], one['peer_port'], one['proxy']['state'])
            for one in box.call('flow.list', ue=ue)['items'] if one['state'] == 'established']


def at_risk(box, ue):
    return sum(one['proxy']['at_risk_bytes'] for one in box.call('flow.list', ue=ue)['items'])


def ping(rig, name, count=3):
    said = rig.run(host(CORE, name), 'ping', '-n', '-c', str(count), '-i', '0.2', '-W', '2', UE, check=False).stdout
    return len(re.findall(r'time=', said))


def rewrite(box, *changes):
    with open(box.config, encoding='utf-8') as file:
        text = file.read()
    for was, now in changes:
        assert was in text, text
        text = text.replace(was, now, 1)
    with open(box.config, 'w', encoding='utf-8') as file:
        file.write(text)


@pytest.mark.parametrize('device', ['af_xdp', 'af_packet'])
@pytest.mark.parametrize('workers', [1, 2])
def test_one_address_and_one_connection_in_two_networks_are_two(rig, device, workers):
    with Box(rig, device=device, name='networks', classes=CLASSES, bearers=NETWORKS + BEARERS,
             dataplane=f'  workers: {workers}\n') as box, contextlib.ExitStack() as ends:
        both = [Download(rig, name, ends) for name in VLANS]
        threads = [threading.Thread(target=one.begin) for one in both]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for name in VLANS:
            assert flows(box, of_network(name)) == [(UE, UE_PORT, SERVER_PORT, 'split')]
            assert box.downlink(of_network(name))['delivered_bytes'] > FIRST
        assert box.downlink(of_network('east'))['rate'] == 8_000_000
        assert box.call('rrc.reconfigure', bearer=of_network('west'), rate='3M')['was'] == 2_000_000
        assert box.downlink(of_network('east'))['rate'] == 8_000_000
        assert re.search(rf'{UE}@east .*\n.*{UE}@west', box.ctl('show', 'bearers').stdout)
        # The end of one is nothing to the other.
        both[0].finish()
        assert both[1].goes_on()
        both[1].finish()
        assert not any(proxies(box)['resets'].values()), proxies(box)


def test_without_networks_an_address_has_one_bearer_in_all_vlans_and_a_connection_of_its_own_in_none(rig):
    with Box(rig, name='networks-none', classes=CLASSES, bearers=ALL_OF_ONE) as box:
        before = box.downlink(UE)['delivered_sdus']
        assert [ping(rig, name) for name in VLANS] == [3, 3]
        assert box.downlink(UE)['delivered_sdus'] >= before + 6
        with contextlib.ExitStack() as ends:
            first = Download(rig, 'east', ends)
            first.begin()
            assert flows(box, UE) == [(UE, UE_PORT, SERVER_PORT, 'split')]
            first.finish()


def test_frames_of_other_vlans_and_without_a_tag_have_no_part_in_a_network(rig):
    bearers = f'bearers:\n  - {{ue: {UE}, class: fast, network: east}}\n  - {{ue: {UE}, class: slow}}\n'
    with Box(rig, name='networks-others', classes=CLASSES, bearers=NETWORKS + bearers) as box:
        def delivered():
            return [box.downlink(ue)['delivered_sdus'] for ue in (of_network('east'), UE)]
        before = delivered()
        assert ping(rig, 'west') == 3
        assert delivered()[0] == before[0], 'the network west is not east, and that UE has no bearer there'
        assert ping(rig, 'east') == 3
        assert delivered()[0] >= before[0] + 3 and delivered()[1] == before[1]


def test_a_reload_that_moves_a_vlan_ends_its_connections_at_both_ends_and_no_other(rig):
    with Box(rig, name='networks-reload', classes=CLASSES, bearers=NETWORKS + BEARERS) as box:
        with contextlib.ExitStack() as ends:
            both = {name: Download(rig, name, ends) for name in VLANS}
            for one in both.values():
                one.begin()
            rewrite(box, ('[200]', '[201]'))
            # At its rate what the server has written takes half a second: something is at risk all the time.
            assert both['west'].source.fill_until(lambda: at_risk(box, of_network('west')) > 0)
            box.process.send_signal(signal.SIGHUP)
            assert both['west'].fails(), box.ctl('show', 'flows', of_network('west')).stdout
            assert proxies(box)['resets']['removed'] == 1
            assert both['east'].goes_on()
            both['east'].finish()
        before = box.downlink(of_network('west'))['delivered_sdus']
        with contextlib.ExitStack() as ends:
            again = Download(rig, 'west', ends)
            again.begin()
            again.finish()
        assert box.downlink(of_network('west'))['delivered_sdus'] == before, 'VLAN 200 is of no network now'
        assert until(lambda: box.stats()['residue'] == 0)


def test_a_learning_rule_learns_in_its_network_only_and_the_metrics_name_the_network(rig):
    learn = '  - {ue: 10.46.0.0/24, class: slow, network: west, learn: uplink}\n'
    with Box(rig, name='networks-learn', classes=CLASSES, bearers=NETWORKS + 'bearers:\n' + learn,
             more='metrics: {per_bearer: {top: 10}}\n') as box:
        assert ping(rig, 'east') == 3 and ping(rig, 'west') == 3
        assert until(lambda: [one['ue'] for one in box.call('bearer.list')['items']] == [of_network('west')])
        assert until(lambda: f'ue="{of_network("west")}"' in box.metrics())
        assert box.call('bearer.remove', ue=of_network('west'))['removed'] == 1

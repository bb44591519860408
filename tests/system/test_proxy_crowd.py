"""The store that all split proxies share, when some UEs take all of it and do not read, or close their window and
vanish: the goodput of another UE beside them, and the resets that the ends of those connections receive."""
import contextlib
import errno
import re
import socket
import time

import pytest

from box import Box
from rig import CORE, CORE_V4, PATIENCE, RADIO, Rig
from steady import until
from test_proxy import of, proxies

HOGS = [f'10.45.0.{host}' for host in (2, 3, 4)]
HONEST, FRAIL = '10.45.0.5', '10.45.0.6'
GIVE_WAY = 1  # seconds
CLASSES = '''\
  hogs:
    downlink: {rate: 20M, buffer: {sdus: 100}}
    proxy: {split: {window: 16KiB, store: 1MiB, give_way: 1s}}
  honest:
    downlink: {rate: 20M, buffer: {sdus: 100}}
    proxy: {split: {window: 16KiB, store: 1MiB, give_way: 1s}}
  frail:
    downlink: {rate: 20M, buffer: {sdus: 100}}
    proxy: {split: {window: 16KiB, store: 1MiB, min_rto: 100ms, retries: 2}}
'''
FILE = bytes(range(256)) * 400


@pytest.fixture(scope='module')
def rig():
    with Rig(ues=5) as made:
        yield made


@pytest.fixture(scope='module')
def box(rig):
    bearers = ''.join(f'  - {{ue: {ue}, class: hogs}}\n' for ue in HOGS)
    bearers += f'  - {{ue: {HONEST}, class: honest}}\n  - {{ue: {FRAIL}, class: frail}}\n'
    with Box(rig, name='proxy-crowd', classes=CLASSES, bearers='bearers:\n' + bearers,
             dataplane='  memory: 64MiB\n  workers: 1\n  proxy_store: 5%\n') as made:
        yield made


@contextlib.contextmanager
def listening(rig):
    with of(rig, CORE) as server:
        server.bind((CORE_V4, 0))
        server.listen(128)
        yield server


def stalled(rig, server, ue, ends):
    """A connection of which the UE reads nothing, with more on its way than its window and the proxy's: both ends."""
    near = ends.enter_context(of(rig, RADIO))
    near.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    near.bind((ue, 0))
    near.connect(server.getsockname())
    far = ends.enter_context(server.accept()[0])
    far.setblocking(False)
    far.send(FILE)
    return near, far


def downloads(rig, server, ue, count):
    """Seconds that each of `count` files at once takes."""
    began, took = time.monotonic(), []
    with contextlib.ExitStack() as ends:
        nears = []
        for _ in range(count):
            nears.append(ends.enter_context(of(rig, RADIO)))
            nears[-1].bind((ue, 0))
            nears[-1].connect(server.getsockname())
            with server.accept()[0] as far:
                far.sendall(FILE)
        for near in nears:
            came = b''
            while some := near.recv(65536):
                came += some
            assert came == FILE
            took.append(time.monotonic() - began)
    return took


class Reset:
    """True if an end has received a reset; a call before may have read it."""

    def __init__(self, end):
        self.end, self.heard = end, False

    def __call__(self):
        self.heard = self.heard or self.end.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == errno.ECONNRESET
        return self.heard


def gave_way(box):
    """Connections of the hogs."""
    return int(re.search(r'^rncd_proxy_gave_way_total\{class="hogs"\} (\d+)$', box.metrics(), re.M)[1])


def test_a_ue_beside_others_that_fill_the_store_and_do_not_read_gets_its_share_of_it(rig, box):
    with listening(rig) as server, contextlib.ExitStack() as ends:
        pairs = []
        while not proxies(box, 'hogs')['unsplit']['store']:
            pairs += [stalled(rig, server, ue, ends) for ue in HOGS]
            assert len(pairs) < 300, proxies(box)
        full = proxies(box, 'hogs')
        assert full['flows']['split'] >= 2 * len(HOGS), full
        time.sleep(GIVE_WAY)
        took = downloads(rig, server, HONEST, 2)  # its share
        honest, hogs = proxies(box, 'honest'), proxies(box, 'hogs')
        print(f'{full["flows"]["split"]} connections of {len(HOGS)} UEs fill the store; beside them {len(took)} files of '
              f'{len(FILE)} octets take {" ".join(f"{one:.2f}" for one in took)} s, {honest["acked_bytes"]} octets split; '
              f'{gave_way(box)} connections gave way')
        assert honest['unsplit']['store'] == 0, honest
        assert honest['acked_bytes'] > len(took) * len(FILE) * 0.9, honest
        assert 1 <= gave_way(box) <= len(took), hogs
        # Ends are reset only where octets were at risk.
        for side in zip(*pairs):
            resets = [Reset(end) for end in side]
            assert until(lambda resets=resets: sum(reset() for reset in resets) == hogs['resets']['gave_way'])
    assert until(lambda: proxies(box)['stored_bytes'] == 0), proxies(box)
    assert box.stats()['residue'] == 0


def test_a_ue_that_closed_its_window_and_vanished_is_given_up_and_the_server_hears_of_it(rig, box):
    with listening(rig) as server, contextlib.ExitStack() as ends:
        near, far = stalled(rig, server, FRAIL, ends)
        assert until(lambda: proxies(box, 'frail')['at_risk_bytes'] > 0)
        rig.run(RADIO, 'ip', 'route', 'add', 'blackhole', f'{CORE_V4}/32')
        try:
            assert until(lambda: proxies(box, 'frail')['resets']['ue_silent'] == 1, 2 * PATIENCE), proxies(box, 'frail')
            assert until(Reset(far))
        finally:
            rig.run(RADIO, 'ip', 'route', 'delete', 'blackhole', f'{CORE_V4}/32')
        assert proxies(box, 'frail')['stored_bytes'] == 0

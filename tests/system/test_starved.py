"""Packets flow while control is starved: of memory, by a client that reads nothing, by a disk that is full."""
import contextlib
import json
import resource
import socket

import pytest

from box import RNCD, RUNNING, Box, Rpc, RpcError
from rig import CORE, DUT, PATIENCE, UE_V4, Rig, RigError, sh
from steady import until
from test_wire import BEARERS, Pings

MANY = 2000


@pytest.fixture(name='rig')
def fixture_rig():
    with Rig() as made:
        yield made


@pytest.fixture(name='box')
def fixture_box(rig):
    with Box(rig, name='starved', bearers=BEARERS) as made:
        yield made


def bearers(first, count):
    return [{'ue': f'10.46.{(first + n) // 256}.{(first + n) % 256}', 'class': 'internet'} for n in range(count)]


def worker_received(box):
    return box.stats()['ports']['core']['received']['frames']


@pytest.mark.parametrize('left', (0, 1, 5, 29))  # MiB: it does not always end at the same place
def test_without_memory_control_ends_and_the_kernel_carries_what_comes(rig, box, left):
    """Half a change would be worse than a start with what was saved."""
    pings = Pings(rig)
    with open(f'/proc/{box.process.pid}/statm', encoding='ascii') as file:
        limit = int(file.read().split()[0]) * resource.getpagesize() + (left << 20)
    resource.prlimit(box.process.pid, resource.RLIMIT_AS, (limit, limit))
    with contextlib.suppress(OSError, RigError, RpcError), Rpc(box.socket) as rpc:
        for first in range(0, 30 * MANY, MANY):
            rpc.call('bearer.set', bearers=bearers(first, MANY))
    assert box.process.wait(PATIENCE) == 1, box.tail()
    RUNNING.remove(box)
    sent, lost = pings.end()
    assert sent > 20 and len(lost) <= pings.load.allows(3), lost
    assert 'no more memory for control' in box.tail()
    assert rig.ping(CORE, count=3)


def test_a_client_that_reads_nothing_holds_nobody_up(rig, box):
    box.call('bearer.set', bearers=bearers(0, MANY))
    before = worker_received(box)
    pings = Pings(rig)
    stuck = socket.socket(socket.AF_UNIX)
    stuck.connect(box.socket)
    stuck.settimeout(1)
    request = json.dumps({'jsonrpc': '2.0', 'id': 1, 'method': 'bearer.list', 'params': {}}).encode() + b'\n'
    with contextlib.suppress(OSError):  # it may be cut off, or have its own socket full
        for _ in range(500):
            stuck.sendall(request)
    assert box.downlink(UE_V4)['rate'] == 8_000_000
    sent, lost = pings.end()
    stuck.close()
    assert sent > 20 and len(lost) <= (5 if pings.load.busy else 0), lost
    assert worker_received(box) > before + sent / 2  # if CPUs are scarce, some go by the kernel


def test_a_log_on_a_full_disk_stops_nobody(rig, tmp_path):
    folder = tmp_path / 'small'
    folder.mkdir()
    sh('mount', '-t', 'tmpfs', '-o', 'size=16k', 'rncd-test', str(folder))
    box = Box(rig, name='starved-log', bearers=BEARERS)
    try:
        with open(folder / 'log', 'w', encoding='utf-8') as log:
            box.process = rig.start(DUT, RNCD, '--config', box.config, stdout=log, stderr=log)
        box.connect()
        rig.wait_for_wire()
        pings = Pings(rig)
        # Each is a line of the log.
        for n in range(MANY):
            box.call('rrc.reconfigure', bearer=UE_V4, rate=f'{8 + n % 2}M')
        sent, lost = pings.end()
        assert (folder / 'log').stat().st_size <= 16384
        assert until(lambda: box.downlink(UE_V4)['rate'] == 9_000_000)
        assert sent > 20 and len(lost) <= (5 if pings.load.busy else 0), lost
        assert box.stop() == 0
    finally:
        box.close()
        sh('umount', str(folder))

"""rncctl bearer move: a bearer goes from worker to worker under traffic, and only the counters show it."""
import re
import threading
import time

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Raw

from box import Box, RpcError
from frames import Tap, marked
from rig import CORE, CORE_V4, RADIO, UE_V4, Rig, goodput, promised
from steady import near, until

ROOM = {'sdus': 4000, 'bytes': '8MB'}
LEG = {'rate': '8M', 'link': 'shaper', 'buffer': ROOM}


@pytest.fixture(scope='module', name='two', params=['af_xdp', 'af_packet'])
def fixture_two(request):
    with Rig() as rig, Box(rig, device=request.param, name='move', dataplane='  workers: 2\n') as box:
        box.set_bearer(UE_V4, downlink=LEG, uplink=LEG)
        yield rig, box


def worker(box):
    return box.call('bearer.get', ue=UE_V4)['worker']


class Mover(threading.Thread):
    """Moves the bearer there and back for as long as the block runs."""

    def __init__(self, box):
        super().__init__()
        self.box, self.stopped, self.moves, self.fault = box, threading.Event(), 0, None

    def run(self):
        try:
            to = 1 - worker(self.box)
            while not self.stopped.wait(0.02):
                assert self.box.call('bearer.move', ue=UE_V4, worker=to)['was'] == 1 - to
                to = 1 - to
                self.moves += 1
        except (AssertionError, RpcError, OSError) as fault:
            self.fault = fault

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.join()
        assert self.fault is None, self.fault


def numbered(taps, numbers):
    """Without a checksum of UDP, so that they differ by the number alone: scapy would take a millisecond for each."""
    one = bytes(Ether(src=taps[CORE].mac, dst=taps[RADIO].mac) / IP(src=CORE_V4, dst=UE_V4) / UDP(dport=7, chksum=0)
                / Raw(b'number 00000' + b'.' * 400))
    return [one.replace(b'number 00000', b'number %05d' % n) for n in numbers]


def test_frames_of_a_bearer_that_moves_all_the_time_arrive_once_and_in_order(two):
    rig, box = two
    count, batch = 3000, 50
    with Tap(rig, CORE) as core, Tap(rig, RADIO) as radio, Mover(box) as mover:
        taps = {CORE: core, RADIO: radio}
        for first in range(0, count, batch):  # about the bearer's rate, so that some of it is always queued
            core.send(*numbered(taps, range(first, first + batch)))
            time.sleep(0.02)
        frames = radio.take(marked(b'number '), count)
        seen = [int(frame[frame.index(b'number ') + 7:][:5]) for frame in frames]
    assert mover.moves > 10
    assert seen == list(range(count))
    stats = box.stats()
    assert stats['residue'] == 0 and not box.dropped()


@pytest.mark.paired
def test_tcp_gets_the_bearers_rate_while_it_moves(two):
    rig, box = two

    def measured():
        with Mover(box):
            return goodput(rig.iperf(CORE, 6, window='200K').finish(), 2, 6)
    near(measured, promised(8_000_000), 0.05)
    assert box.stats()['residue'] == 0


def test_rncctl_moves_a_bearer_and_says_where_it_was(two):
    _, box = two
    was = worker(box)
    before = [one['bearers'] for one in box.stats()['workers']]
    said = box.ctl('bearer', 'move', UE_V4, '--worker', str(1 - was)).stdout
    assert re.search(rf'was +{was}\b', said) and re.search(rf'worker +{1 - was}\b', said), said
    assert worker(box) == 1 - was
    assert until(lambda: [one['bearers'] for one in box.stats()['workers']][was] == before[was] - 1)
    assert until(lambda: re.search(r'rncd_moved_bearers_total\{cause="request"\} [1-9]', box.metrics()))
    text = box.metrics()
    assert 'rncd_moved_bearers_total{cause="load"} 0' in text
    assert 'rncd_worker_imbalance_ratio ' in text
    assert 'bearer.move' in box.tail(40)
    for words, told in ((dict(ue=UE_V4, worker=2), 'no worker 2: there are 2, 0 to 1'),
                        (dict(ue='10.99.0.1', worker=0), 'no bearer 10.99.0.1'),
                        (dict(ue=UE_V4), 'worker')):
        with pytest.raises(RpcError, match=told):
            box.call('bearer.move', **words)
    # It is changed where it is.
    box.call('rrc.reconfigure', bearer=UE_V4, rate='2M')
    assert box.call('bearer.get', ue=UE_V4)['downlink']['rate'] in ('2M', 2_000_000)
    # A bearer made in the place of one that was removed away from home is at home.
    def make_anew():
        box.call('bearer.remove', ue=UE_V4)
        box.set_bearer(UE_V4, downlink=LEG, uplink=LEG)
        return worker(box)
    home = make_anew()
    box.call('bearer.move', ue=UE_V4, worker=1 - home)
    assert make_anew() == home

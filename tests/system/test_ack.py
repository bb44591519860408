"""ACK stages on live kernel TCP: put on, changed and taken off in the middle of a download. Nothing stalls, nothing is
lost, and what the stages follow is shown."""
import json
import re
import subprocess
import time

import pytest

from box import Box
from rig import CORE, CORE_V4, RADIO, UE_V4
from test_metrics import samples, total

RATE = 2_000_000
STALL = 3  # seconds without a byte; a retransmission timeout or two are none
SPACED = {'ack-rate': {'maxd': '200ms', 'maxth': '40sdu'}}
STEEP = {'ack-rate': {'maxd': '400ms', 'minth': '5sdu', 'maxth': '30sdu'}}
# The source, which the UE connects to.
SERVER = '''
import hashlib, socket, sys
peer = socket.create_server((sys.argv[1], int(sys.argv[2]))).accept()[0]
peer.settimeout(60)
data = hashlib.shake_256(b'download').digest(int(sys.argv[3]))
peer.sendall(data)
peer.shutdown(socket.SHUT_WR)
peer.recv(1)
print(hashlib.sha256(data).hexdigest())
'''
# The UE: what came, what it hashes to, and the longest time in which nothing did.
CLIENT = '''
import hashlib, json, socket, sys, time
peer = socket.create_connection((sys.argv[1], int(sys.argv[2])), 20)
peer.settimeout(60)
received, count, last, gap = hashlib.sha256(), 0, time.monotonic(), 0
while some := peer.recv(65536):
    now = time.monotonic()
    gap, last = max(gap, now - last), now
    received.update(some)
    count += len(some)
print(json.dumps({'bytes': count, 'sha256': received.hexdigest(), 'gap': gap}))
'''


class Download:
    """A UE fetches so many seconds' worth of bytes from the core's side."""

    def __init__(self, rig, seconds, port=5400):
        self.rig, self.port, self.size = rig, port, int(seconds * RATE / 8)
        self.server = self._start(CORE, SERVER, str(self.size))
        for _ in range(100):
            if str(port) in rig.run(CORE, 'ss', '-Hltn', f'sport = :{port}').stdout:
                break
            time.sleep(0.05)
        self.client = self._start(RADIO, CLIENT)

    def _start(self, side, program, *more):
        return self.rig.start(side, '/usr/bin/python3', '-c', program, CORE_V4, str(self.port), *more,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def running(self):
        return self.client.poll() is None

    def socket(self):
        """The UE's own view: `ss -ti`."""
        return self.rig.run(RADIO, 'ss', '-Htin', f'dport = :{self.port}').stdout

    def finish(self):
        """The longest silence, once all has come and is what was sent."""
        said, _ = self.client.communicate(timeout=90)
        sent, _ = self.server.communicate(timeout=20)
        assert self.client.returncode == 0 and self.server.returncode == 0, said + sent
        got = json.loads(said)
        assert (got['bytes'], got['sha256']) == (self.size, sent.strip())
        return got['gap']


@pytest.fixture(scope='module')
def box(rig):
    ack = json.dumps([SPACED])
    with Box(rig, rate=RATE, uplink=f'{{ack: {ack}}}', bearers=f'bearers:\n  - {{ue: {UE_V4}, class: internet}}\n',
             name='ack') as made:
        yield made


def put_on(box, *stages):
    told = box.call('rrc.reconfigure', bearer=UE_V4, ack=list(stages))
    assert told['lost'] == 0
    return [stage['stage'] for stage in box.uplink(UE_V4)['ack']]


def flow_of(box, port):
    found = [flow for flow in box.call('flow.list', ue=UE_V4)['flows'] if flow['peer_port'] == port]
    assert len(found) == 1, found
    return found[0]


def until(true, seconds=10):
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, f'not within {seconds} s'
        time.sleep(0.05)


def held(box):
    return sum(worker['held'] for worker in box.stats()['workers'])


def test_a_download_is_shown_with_the_scale_and_the_times_that_its_ends_see(rig, box):
    put_on(box, SPACED)
    download = Download(rig, 5)
    time.sleep(2.5)
    flow, kernel = flow_of(box, 5400), download.socket()
    shown = box.ctl('show', 'flows', UE_V4).stdout
    bearer = box.ctl('show', 'bearer', UE_V4).stdout
    assert download.finish() < STALL
    assert flow['state'] == 'established' and flow['handshake_seen'] and not flow['asymmetric'], flow
    own = re.search(r'wscale:(\d+),(\d+)', kernel)
    assert flow['scale'] == int(own[2]), (flow, kernel)
    assert flow['sack'] and flow['timestamps'] and flow['mss'] == 1460
    # The buffer of 50 SDUs takes 0.3 s to empty, and what the UE delays is a part of it.
    assert 0 < flow['rtt_seconds']['radio'] < 1 and 0 < flow['rtt_seconds']['core'] < 2, flow
    assert flow['window_bytes']['ue'] >= 1 << 14 and flow['window_bytes']['told'] >= 1 << 14
    row = next(line for line in shown.splitlines() if f'{CORE_V4}:5400' in line)
    assert re.search(r'established\s+[1-9]\d*\s', row) and f' {own[2]} ' in row, shown
    assert re.search(r'ack-rate\s+\d+\s.*maxd 0\.2s', bearer), bearer


def test_stages_come_change_and_go_during_a_download_without_a_stall(rig, box):
    put_on(box)
    download = Download(rig, 8)
    steps = [[SPACED], [STEEP], [], [STEEP], ['ack-rate'], [SPACED], []]
    seen = 0
    while download.running():
        stages = steps[seen % len(steps)]
        assert put_on(box, *stages) == ['ack-rate'] * len(stages)
        assert box.stats()['residue'] == 0
        seen += 1
        time.sleep(0.4)
    assert seen >= 2 * len(steps)
    assert download.finish() < STALL
    put_on(box)
    assert held(box) == 0
    lost = {reason for reason in box.dropped() if reason not in ('buffer_sdus', 'buffer_bytes')}
    assert not lost, box.dropped()


@pytest.mark.parametrize('leave', [lambda box: box.call('mode.set', mode='bypass'), put_on], ids=['mode', 'stages'])
def test_what_is_held_leaves_with_the_mode_and_with_the_stages(rig, box, leave):
    put_on(box, {'ack-rate': {'mode': 'hold', 'maxd': '10s', 'minth': '2sdu'}})
    download = Download(rig, 2)
    until(lambda: held(box) > 0 and box.uplink(UE_V4)['ack'][0]['held'] > 0)
    leave(box)
    assert held(box) == 0
    assert download.finish() < STALL
    box.call('mode.set', mode='inline')


def test_the_metrics_count_what_the_stages_did(box):
    metrics = samples(box.metrics())
    for event in ('held', 'released'):
        assert total(metrics, 'rncd_ack_events_total', 'stage="ack-rate"', f'event="{event}"') > 0
    assert total(metrics, 'rncd_held_acks') == 0
    assert total(metrics, 'rncd_unfollowed_segments_total') == 0


def test_without_stages_no_flow_is_followed_and_it_is_said(box):
    put_on(box)
    assert 'no ACK stages' in box.ctl('show', 'flows', UE_V4).stdout
    assert not box.call('flow.list', ue=UE_V4)['followed']
    refused = box.ctl('rrc', UE_V4, '--ack', 'ack-rate,ack-rate', check=False)
    assert refused.returncode == 1 and 'twice' in refused.stderr, refused

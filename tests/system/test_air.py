"""RLC acknowledged mode over an emulated air link, live: kernel TCP over it both ways at once, what operators
see of it, and what is done to it while it is full."""
import hashlib
import json
import subprocess
import time

import pytest

from box import Box
from netns import listens
from rig import CORE, PATIENCE, RADIO, UE_V4, RigError
from samples import samples, total
from steady import until

CONFIG = {'rate': '1M', 'sdus': 60, 'bearers': f'bearers:\n  - {{ue: {UE_V4}, class: internet}}\n',
          'more': 'metrics: {per_bearer: {top: 1}}\n'}
LEGS = ('downlink', 'uplink')
# One end of a connection: sends its bytes while it receives the other's, and prints what they hash to.
PEER = '''
import hashlib, socket, sys, threading
role, address, port, size = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
if role == 'server':
    peer = socket.create_server((address, port)).accept()[0]
else:
    peer = socket.create_connection((address, port), 20)
peer.settimeout(20)

def send():
    peer.sendall(hashlib.shake_256(role.encode()).digest(size))
    peer.shutdown(socket.SHUT_WR)

sending = threading.Thread(target=send)
sending.start()
received, count = hashlib.sha256(), 0
while some := peer.recv(65536):
    received.update(some)
    count += len(some)
sending.join()
print(count, received.hexdigest())
'''


class Exchange:
    """Both ends send `size` bytes at once over one connection."""

    def __init__(self, rig, size, port=5300):
        self.rig, self.size = rig, size
        self.ends = {'client': self._end(RADIO, 'server', port)}
        for _ in range(100):
            if listens(rig.name(RADIO), port):
                break
            time.sleep(0.05)
        self.ends['server'] = self._end(CORE, 'client', port)

    def _end(self, side, role, port):
        return self.rig.start(side, '/usr/bin/python3', '-c', PEER, role, UE_V4, str(port), str(self.size),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def running(self):
        return any(end.poll() is None for end in self.ends.values())

    def finish(self, seconds=PATIENCE):
        """Everything has arrived, as it was sent."""
        for sender, end in self.ends.items():
            try:
                out, _ = end.communicate(timeout=seconds)
            except subprocess.TimeoutExpired as late:
                raise RigError(f'what the {sender} sends has not arrived after {seconds} s') from late
            finally:
                self.rig.stop(end)
            expected = hashlib.sha256(hashlib.shake_256(sender.encode()).digest(self.size)).hexdigest()
            assert out.split() == [str(self.size), expected], out


@pytest.fixture(scope='module')
def box(rig):
    with Box(rig, link='{am: {fer: 10%, doppler: 0.1}}', name='air', **CONFIG) as made:
        yield made


@pytest.fixture(autouse=True)
def quiet(box):
    """Each test begins with the class's bearer, and ends with nothing left in the air: the books balance."""
    box.set_bearer(UE_V4)
    yield
    wait_for(lambda: held(box) == 0, 'frames stay in the air')


def wait_for(condition, otherwise):
    assert until(condition), otherwise


def held(box):
    worker = box.stats()['workers'][0]
    return worker['buffered'] + worker['retained'] + worker['egress']


def air(box, leg):
    return box.call('bearer.get', ue=UE_V4)[leg]['air']


def fill(rig, box, size):
    """An exchange that has both directions of the air full."""
    exchange = Exchange(rig, size)
    wait_for(lambda: all(air(box, leg)['sdus_in_transmission'] > 3 for leg in LEGS), 'the air does not fill')
    return exchange


def test_files_cross_both_ways_at_once_and_operators_see_the_air_at_work(rig, box):
    exchange = fill(rig, box, 300_000)
    shown = json.loads(box.ctl('--json', 'show', 'bearer', UE_V4).stdout)
    metrics = samples(box.metrics())
    exchange.finish()
    for leg in LEGS:
        assert shown[leg]['queued_sdus'] >= shown[leg]['air']['sdus_in_transmission'] > 0
        assert total(metrics, 'rncd_buffer_sdus', f'direction="{leg}"') > 0
        after = air(box, leg)
        assert after['pdus']['new'] >= 300_000 / 40
        assert 0.03 < after['frame_error_ratio'] < 0.25
        assert 0.02 < after['retransmission_ratio'] < 0.3
        assert after['pdus']['status'] > 0 and after['settings']['fer'] == '10%'
    text = box.ctl('show', 'bearer', UE_V4).stdout
    assert 'PDUs retransmitted, share' in text and 'am fer' in text


def test_metrics_count_the_air_by_class_and_for_the_fullest_bearers(rig, box):
    Exchange(rig, 30_000).finish()
    wait_for(lambda: held(box) == 0, 'frames stay in the air')
    time.sleep(1.2)  # the fullest bearers are looked for once a second
    metrics, classes = samples(box.metrics()), box.stats()['classes'][0]
    for leg in LEGS:
        rlc, direction = classes[leg]['rlc'], f'direction="{leg}"'
        for kind, count in rlc['pdus'].items():
            assert count > 0
            assert total(metrics, 'rncd_rlc_pdus_total', direction, f'kind="{kind}"') == count
        assert total(metrics, 'rncd_rlc_frames_total', direction) == rlc['frames']['sent']
        assert total(metrics, 'rncd_rlc_frames_total', direction, 'outcome="lost"') == rlc['frames']['lost']
        new = total(metrics, 'rncd_bearer_rlc_pdus_total', UE_V4, direction, 'kind="new"')
        assert new == air(box, leg)['pdus']['new']
    assert total(metrics, 'rncd_retained_frames') == 0


def test_a_bypass_and_back_in_mid_transfer_sends_what_is_in_the_air_and_tcp_goes_on(rig, box):
    exchange = fill(rig, box, 400_000)
    for _ in range(3):
        box.call('mode.set', mode='bypass')
        wait_for(lambda: held(box) == 0, 'frames stay in the air')
        box.call('mode.set', mode='inline')
        time.sleep(0.5)
    exchange.finish()
    assert box.dropped().keys() <= {'buffer_sdus', 'rlc'}


def test_a_bearer_goes_with_its_air_full_and_its_connection_goes_on_without_it(rig, box):
    exchange = fill(rig, box, 1_000_000)
    assert box.call('bearer.remove', ue=UE_V4) == {'removed': 1}
    wait_for(lambda: held(box) == 0, 'frames stay in the air')
    exchange.finish()
    assert box.dropped().keys() <= {'buffer_sdus', 'rlc'}


def test_frame_errors_and_rlc_settings_change_under_a_transfer(rig, box):
    exchange = fill(rig, box, 700_000)
    box.call('bearer.set', ue=UE_V4, downlink={'link': {'am': {'fer': '0%'}}})
    before = {leg: air(box, leg) for leg in LEGS}
    time.sleep(1)
    for leg in LEGS:
        now = air(box, leg)
        assert now['settings']['fer'] == '0' and now['frames']['sent'] > before[leg]['frames']['sent'] > 0
        assert now['frames']['lost'] == before[leg]['frames']['lost']
    box.call('bearer.set', ue=UE_V4, downlink={'link': {'am': {'fer': '5%', 'pdu_size': 82, 'tx_window': 512}}})
    assert exchange.running(), 'the transfer was too short to be changed twice'
    exchange.finish()
    for leg in LEGS:
        now = air(box, leg)
        assert (now['settings']['pdu_size'], now['settings']['tx_window']) == ('82B', 512)
        assert now['frames']['sent'] > 0


def test_a_new_rate_is_that_of_both_directions_and_one_too_high_is_refused_with_the_reason(rig, box):
    said = box.ctl('rrc', UE_V4, '--rate', '512k').stdout
    assert said == f'{UE_V4} both 512 kbit/s, was 1 Mbit/s down, 1 Mbit/s up\n'
    box.ctl('rrc', UE_V4, '--rate', '256k', '--direction', 'uplink')
    refused = box.ctl('rrc', UE_V4, '--rate', '8M', check=False)
    assert refused.returncode == 1 and 'an `am` link carries at most 64 PDUs a TTI: 2048k' in refused.stderr
    assert (box.downlink(UE_V4)['rate'], box.uplink(UE_V4)['rate']) == (512_000, 256_000)
    Exchange(rig, 30_000).finish()


def test_sigterm_sends_what_is_in_the_air_and_ends_well(rig, box):
    exchange = fill(rig, box, 300_000)
    code, log = box.stop(), box.tail()
    for end in exchange.ends.values():
        rig.stop(end)
    box.start()
    assert code == 0 and 'left_behind=0 residue=0' in log, log

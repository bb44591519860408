"""Learning under attack: scans from the core and from the radio, while UEs talk and others come."""
import socket
import struct
import time

import pytest

from attack import Bystander
from box import Box
from frames import Tap
from rig import CORE, CORE_V4, RADIO, Rig, goodput, promised
from steady import judge, until, within

RATE = 5_000_000
TALKER, NEWCOMER, LATER = '10.45.0.2', '10.45.0.3', '10.45.0.4'
SILENT = '10.45.0.99'  # no host has it, so none answers
SCANNED = [f'10.45.{128 + n // 256}.{n % 256}' for n in range(4096)]
LIMIT = 200


def rules(listed=(), **keys):
    said = ', '.join(f'{key}: {value}' for key, value in {'learn': 'uplink', 'limit': LIMIT, **keys}.items())
    return ('bearers:\n' + ''.join(f'  - {{ue: {ue}, class: internet}}\n' for ue in listed)
            + f'  - {{ue: 10.45.0.0/16, class: internet, {said}}}\n')


@pytest.fixture(scope='module')
def rig():
    with Rig(ues=3) as made:
        yield made


@pytest.fixture
def learner(make_box):
    return lambda name, dataplane='', **keys: make_box(rate='5M', bearers=rules(**keys), dataplane=dataplane,
                                                       name=f'learning-{name}')


def packets(tap, other, source, destinations):
    """UDP datagrams from one address to many, or from many to one: either end may be a list."""
    if isinstance(source, str):
        pairs = [(source, one) for one in destinations]
    else:
        pairs = [(one, destinations) for one in source]
    for src, dst in pairs:
        ends = socket.inet_aton(src) + socket.inet_aton(dst)
        header = struct.pack('!BBHHHBBH', 0x45, 0, 48, 0, 0, 64, 17, 0) + ends
        total = sum(struct.unpack('!10H', header))
        total = (total & 0xffff) + (total >> 16)
        checksum = ~(total + (total >> 16)) & 0xffff
        yield (other.mac + tap.mac + b'\x08\x00' + header[:10] + struct.pack('!H', checksum) + header[12:]
               + struct.pack('!HHHH', 9, 9, 28, 0) + b'address scan........')


def scan_from_core(rig):
    with Tap(rig, CORE) as core, Tap(rig, RADIO) as radio:
        core.send(*packets(core, radio, CORE_V4, SCANNED))


def scan_from_radio(rig):
    """Datagrams from made-up addresses to one that does not answer."""
    with Tap(rig, CORE) as core, Tap(rig, RADIO) as radio:
        radio.send(*packets(radio, core, SCANNED, '192.0.2.1'))


def ping_from(rig, address, count=3):
    done = rig.run(RADIO, 'ping', '-n', '-c', str(count), '-i', '0.2', '-W', '2', '-I', address, CORE_V4, check=False)
    return done.stdout.count('time=')


def bearers(box):
    listed = box.call('bearer.list', limit=1000)['items']
    return {one['ue']: one for one in listed}


def refused(box):
    """Frames that `limit` sent the way of unknown ones: passed, dropped."""
    ports = box.stats()['ports'].values()
    return tuple(sum(port[what]['learn_limit']['frames'] for port in ports) for what in ('passed', 'dropped'))


def test_a_scan_from_the_core_makes_no_bearers_and_new_ues_get_their_rate(rig, learner):
    box = learner('core')
    assert ping_from(rig, TALKER)
    with Bystander(box.socket) as bystander:
        transfer = rig.iperf(CORE, 6, to=TALKER)
        for _ in range(3):
            scan_from_core(rig)
            time.sleep(0.5)
        talked = goodput(transfer.finish(), 2, 6)
    print(bystander)
    assert set(bearers(box)) <= {TALKER, NEWCOMER, LATER}
    assert refused(box) == (0, 0)
    judge(talked / promised(RATE), 0.5, 1.1, bystander.load)
    assert ping_from(rig, NEWCOMER)
    within(lambda: goodput(rig.iperf(CORE, 4, to=NEWCOMER).finish(), 2, 4) / promised(RATE), 0.5, 1.1)
    bystander.judge(p99=0.2)


def test_a_scan_from_the_radio_takes_no_bearer_from_a_ue_that_talks(rig, learner):
    box = learner('radio')
    assert ping_from(rig, TALKER)
    with Bystander(box.socket) as bystander:
        transfer = rig.iperf(CORE, 8, to=TALKER)
        time.sleep(0.5)
        delivered = bearers(box)[TALKER]['downlink']['delivered_sdus']
        for _ in range(6):
            scan_from_radio(rig)
            time.sleep(0.3)
        assert box.stats()['bearers']['learnt'] <= LIMIT
        talked = goodput(transfer.finish(), 2, 8)
    print(bystander)
    after = bearers(box)[TALKER]
    assert after['answered'] and after['downlink']['delivered_sdus'] > delivered, 'the same bearer, all the time'
    judge(talked / promised(RATE), 0.5, 1.1, bystander.load)
    assert refused(box)[0] > 1000
    bystander.judge(p99=0.2)

    assert until(lambda: box.stats()['bearers']['learnt'] < LIMIT), 'room comes when the scan is over'
    assert box.stats()['bearers']['aged']['displaced'] > 0
    assert ping_from(rig, NEWCOMER)
    assert NEWCOMER in bearers(box)
    within(lambda: goodput(rig.iperf(CORE, 4, to=NEWCOMER).finish(), 2, 4) / promised(RATE), 0.5, 1.1)
    assert 'ues_not_learnt' in box.tail(40)
    metrics = box.metrics()
    assert 'rncd_unlearnt_frames_total{reason="limit"}' in metrics
    assert 'rncd_aged_bearers_total{cause="displaced"}' in metrics


def test_at_the_limit_a_new_ue_is_dropped_where_unknown_ones_are(rig, learner):
    box = learner('drop', dataplane='  unknown: drop\n', listed=[TALKER], limit=1)
    assert ping_from(rig, NEWCOMER)
    assert bearers(box)[NEWCOMER]['answered']
    assert not ping_from(rig, LATER)
    passed, dropped = refused(box)
    assert passed == 0 and dropped >= 3
    assert set(bearers(box)) == {TALKER, NEWCOMER}
    box.call('bearer.remove', ue=NEWCOMER)
    assert ping_from(rig, LATER)


def test_a_bearer_goes_when_its_ue_is_silent_and_comes_back_with_it(rig, learner):
    box = learner('idle', idle='2s')
    assert ping_from(rig, TALKER)
    assert 'SILENT' in box.ctl('show', 'bearers', '--wide').stdout
    assert TALKER in bearers(box)
    assert until(lambda: TALKER not in bearers(box))
    assert box.stats()['bearers']['aged']['idle'] == 1
    assert ping_from(rig, TALKER)
    assert TALKER in bearers(box)
    events = box.call('event.list', about=TALKER)['items']
    assert [event['event'] for event in events] == ['bearer_learnt', 'bearer_gone', 'bearer_learnt']
    assert events[0]['fields']['class'] == 'internet' and events[1]['fields']['why'] == 'idle'


def test_a_ue_that_is_spoken_to_first_is_unknown_until_it_speaks(rig, learner):
    box = learner('first')
    with Tap(rig, CORE) as core, Tap(rig, RADIO) as radio:
        core.send(*packets(core, radio, CORE_V4, [SILENT]))
        assert radio.take(lambda frame: frame[30:34] == socket.inet_aton(SILENT), 1), '`unknown: pass` is the default'
    assert SILENT not in bearers(box)
    assert ping_from(rig, LATER)
    assert LATER in bearers(box)

"""Dedicated bearers on the wire: a UE's voice has a buffer and a rate of its own beside its internet, by the QFI in one
tunnel (5G) or by tunnels of its own (4G), by rncctl, a reload and a saved state."""
import json
import time

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Raw

from box import Box
from frames import Tap, marked
from rig import CORE, CORE_V4, RADIO, UE_V4, Rig
from steady import near, until
from test_lifecycle import edit
import tunnel

SERVER, UE, LATER = '10.60.0.1', '10.60.0.2', '10.60.0.3'  # within the tunnels
DEFAULT, VOICE, VIDEO = 2_000_000, 500_000, 1_000_000
CLASSES = f'''\
  internet: {{downlink: {{rate: {DEFAULT}, buffer: {{sdus: 1000}}}}}}
  voice: {{downlink: {{rate: {VOICE}, buffer: {{sdus: 1000}}}}}}
  video: {{downlink: {{rate: {VIDEO}, buffer: {{sdus: 1000}}}}}}
'''
DEDICATED = '{qfi: 1, class: voice}, {teid: {downlink: 0x12, uplink: 0x22}, class: video}'
BEARERS = f'''\
bearers:
  - {{ue: {UE}, class: internet, dedicated: [{DEDICATED}]}}
'''
GTP_U = '  gtp_u: {peers: [10.45.0.0/24]}\n'
INTERNET_TUNNEL, VIDEO_TUNNEL = 0x11, 0x12  # downlink
NAMES = [{}, {'qfi': 1}, {'teid': 0x22}]  # bearers of the UE


@pytest.fixture(scope='module')
def rig():
    with Rig(mtu=1600) as made:
        yield made


@pytest.fixture
def state(tmp_path):
    return str(tmp_path / 'state')


@pytest.fixture
def box(rig, state):
    made = Box(rig, device='af_packet', classes=CLASSES, bearers=BEARERS, dataplane=GTP_U, name='dedicated',
               arguments=('--restore',))
    edit(made, ('control: {', f'control: {{state: "{state}", '))
    with made:
        yield made


@pytest.fixture
def taps(rig):
    with Tap(rig, CORE) as core, Tap(rig, RADIO) as radio:
        yield {CORE: core, RADIO: radio}


def packet(side, mark, ue=UE, size=1000):
    source, to = (SERVER, ue) if side == CORE else (ue, SERVER)
    return bytes(IP(src=source, dst=to) / UDP(sport=9, dport=9) / Raw(mark.ljust(size, b'.')))


def frame(taps, rig, side, content, port=tunnel.PORT):
    """A frame from one end of the tunnels to the other, with this content or, without a port, packet."""
    ether = Ether(src=taps[side].mac, dst=taps[rig.other(side)].mac)
    if port is None:
        return bytes(ether / Raw(content))[:12] + b'\x08\0' + content
    ends = {CORE: (CORE_V4, UE_V4), RADIO: (UE_V4, CORE_V4)}[side]
    return bytes(ether / IP(src=ends[0], dst=ends[1]) / UDP(sport=port, dport=port) / Raw(content))


def offer(taps, rig, side, mark, *messages, port=tunnel.PORT):
    """Sends them, and waits until as many have crossed."""
    taps[side].send(*[frame(taps, rig, side, one, port) for one in messages])
    assert len(taps[rig.other(side)].take(marked(mark), len(messages))) == len(messages)


def legs(box, direction, ue=UE):
    """SDUs delivered by each of the UE's bearers."""
    return [box.call('bearer.get', ue=ue, **name)[direction]['delivered_sdus'] for name in NAMES]


def gained(box, direction, act):
    before = legs(box, direction)
    act()
    assert until(lambda: sum(legs(box, direction)) > sum(before))
    return [now - was for was, now in zip(before, legs(box, direction))]


def rate_of(box, name, seconds=1.0):
    """bit/s that the bearer's downlink delivers, of which SDUs wait all the time."""
    def delivered():
        return box.call('bearer.get', ue=UE, **name)['downlink']['delivered_bytes'], time.monotonic()
    before, began = delivered()
    time.sleep(seconds)
    after, ended = delivered()
    return (after - before) * 8 / (ended - began)


def names(box):
    return [' '.join([one['ue'], *(f'{key} {one[key]}' for key in ('qfi', 'teid') if key in one)])
            for one in box.call('bearer.list')['items']]


ALL = [UE, f'{UE} qfi 1', f'{UE} teid {0x22}']


@pytest.mark.parametrize('side, direction, teids', [(CORE, 'downlink', (0x11, 0x12)), (RADIO, 'uplink', (0x21, 0x22))])
def test_each_bearer_takes_the_packets_of_its_qfi_or_tunnel_and_the_default_one_all_others(
        rig, box, taps, side, direction, teids):
    def of(mark, teid=None, qfi=None):
        """The packets that each bearer took, of one in that tunnel or in none."""
        content = packet(side, mark)
        if teid is None:
            sent = frame(taps, rig, side, content, None)
        else:
            sent = frame(taps, rig, side, tunnel.message(teid, content, qfi=qfi, uplink=side == RADIO))

        def send():
            taps[side].send(sent)
            assert taps[rig.other(side)].take(marked(mark), 1) == [sent]
        return gained(box, direction, send)
    assert of(b'no container', teids[0]) == [1, 0, 0]
    assert of(b'another qfi', teids[0], 9) == [1, 0, 0]
    assert of(b'the voice qfi', teids[0], 1) == [0, 1, 0]
    assert of(b'the video tunnel', teids[1]) == [0, 0, 1]
    assert of(b'no tunnel') == [1, 0, 0]


@pytest.mark.paired
def test_bearers_of_one_ue_have_each_its_own_rate(rig, box, taps):
    content = packet(CORE, b'busy')

    def fill():
        for teid, qfi, count in ((INTERNET_TUNNEL, 9, 600), (INTERNET_TUNNEL, 1, 300), (VIDEO_TUNNEL, None, 400)):
            one = frame(taps, rig, CORE, tunnel.message(teid, content, qfi=qfi))
            taps[CORE].send(*[one] * count)
    for name, rate in zip(NAMES, (DEFAULT, VOICE, VIDEO)):
        def measured(name=name):
            fill()
            return rate_of(box, name)
        near(measured, rate, 0.1)
    box.ctl('rrc', UE, '--qfi', '1', '--rate', '1500k')

    def measured_after():
        fill()
        return rate_of(box, {'qfi': 1})
    near(measured_after, 1_500_000, 0.1)
    assert [box.call('bearer.get', ue=UE, **name)['downlink']['rate'] for name in NAMES] == [DEFAULT, 1_500_000, VIDEO]


def test_rncctl_names_a_dedicated_bearer_by_its_qfi_or_teid(box):
    assert names(box) == ALL
    box.ctl('bearer', 'set', LATER, '--qfi', '5', '--class', 'voice')
    box.ctl('bearer', 'set', LATER, '--teid', '0x33', '--downlink-teid', '0x13', '--class', 'video')
    listed = [line.split('  ')[0] for line in box.ctl('show', 'bearers').stdout.splitlines()[1:]]
    assert listed == [UE, f'{UE} qfi 1', f'{UE} teid 0x22', f'{LATER} qfi 5', f'{LATER} teid 0x33']
    shown = box.ctl('show', 'bearer', LATER, '--teid', '0x33').stdout
    assert f'UE {LATER} teid 0x33, class video, kept by operator, downlink TEID 0x00000013\n' in shown
    unknown = box.ctl('show', 'bearer', UE, '--qfi', '7', check=False)
    assert unknown.returncode != 0
    assert f'no bearer {UE} qfi 7; the dedicated bearers of {UE} are qfi 1 or teid 0x22' in unknown.stderr
    box.ctl('bearer', 'remove', LATER, '--qfi', '5')
    assert names(box) == [*ALL, f'{LATER} teid {0x33}']
    box.ctl('bearer', 'remove', UE)
    assert names(box) == [f'{LATER} teid {0x33}']


def test_a_tunnel_that_is_told_is_that_of_the_bearers_by_qfi_too(rig, box, taps):
    box.ctl('bearer', 'set', UE, '--tunnel', f'{UE_V4},0x31,9')
    assert json.loads(box.ctl('--json', 'show', 'tunnels', UE, '--qfi', '1').stdout)['items'][0]['teid'] == 0x31
    box.ctl('bearer', 'set', UE, '--teid', '0x22', '--tunnel', f'{UE_V4},0x32')
    assert box.call('bearer.get', ue=UE, teid=0x22)['downlink_teid'] == 0x32
    content = packet(CORE, b'told')
    assert gained(box, 'downlink', lambda: offer(taps, rig, CORE, b'told', tunnel.message(0x32, content))) == [0, 0, 1]
    refused = box.ctl('bearer', 'set', UE, '--qfi', '1', '--tunnel', f'{UE_V4},0x33', check=False)
    assert refused.returncode != 0 and f'give it for {UE} without a QFI' in refused.stderr


def test_a_reload_adds_and_removes_them_beside_traffic(rig, box, taps):
    edit(box, (DEDICATED, '{qfi: 2, class: video}'))
    assert box.ctl('apply', box.config).returncode == 0
    assert names(box) == [UE, f'{UE} qfi 2']
    before = box.downlink(UE)['delivered_sdus']
    offer(taps, rig, CORE, b'after', tunnel.message(INTERNET_TUNNEL, packet(CORE, b'after'), qfi=1))
    assert until(lambda: box.downlink(UE)['delivered_sdus'] == before + 1)
    offer(taps, rig, CORE, b'video', tunnel.message(INTERNET_TUNNEL, packet(CORE, b'video'), qfi=2))
    assert until(lambda: box.call('bearer.get', ue=UE, qfi=2)['downlink']['delivered_sdus'] == 1)
    edit(box, (', dedicated: [{qfi: 2, class: video}]', ', dedicated: [{qfi: 64, class: video}]'))
    refused = box.ctl('apply', box.config, check=False)
    assert refused.returncode != 0 and 'expected a whole number from 0 to 63' in refused.stderr + refused.stdout
    edit(box, (', dedicated: [{qfi: 64, class: video}]', f', dedicated: [{DEDICATED}]'))
    box.ctl('apply', box.config)
    assert names(box) == ALL


def test_a_restart_with_a_saved_state_brings_them_back(rig, box, taps, state):
    box.ctl('bearer', 'set', UE, '--qfi', '7', '--class', 'voice', '--rate', '700k')
    box.ctl('bearer', 'set', UE, '--teid', '0x44', '--downlink-teid', '0x14', '--class', 'video')
    box.ctl('bearer', 'set', UE, '--teid', '0x22', '--tunnel', f'{UE_V4},0x32')
    box.ctl('save')
    before = names(box)
    assert len(before) == 5
    assert box.stop() == 0
    with open(state, encoding='utf-8') as file:
        assert f'"{UE} teid 0x22"' in file.read()
    box.start()
    rig.wait_for_wire()
    box.log_with('event=state_restored')
    assert names(box) == before
    assert box.call('bearer.get', ue=UE, qfi=7)['downlink']['rate'] == 700_000
    assert box.call('bearer.get', ue=UE, teid=0x22)['downlink_teid'] == 0x32
    offer(taps, rig, CORE, b'again', tunnel.message(0x14, packet(CORE, b'again')))
    assert until(lambda: box.call('bearer.get', ue=UE, teid=0x44)['downlink']['delivered_sdus'] == 1)
    offer(taps, rig, CORE, b'told', tunnel.message(0x32, packet(CORE, b'told')))
    assert until(lambda: box.call('bearer.get', ue=UE, teid=0x22)['downlink']['delivered_sdus'] == 1)


def test_a_default_bearer_is_learnt_beside_dedicated_ones_and_ages_alone(rig, box, taps):
    edit(box, (f'ue: {UE}, class: internet, dedicated: [{DEDICATED}]', f'ue: {UE}, dedicated: [{DEDICATED}]'),
         ('bearers:\n', 'bearers:\n  - {ue: 10.60.0.0/24, class: internet, learn: uplink, idle: 2s}\n'))
    box.ctl('apply', box.config)
    assert names(box) == ALL[1:]
    content = packet(RADIO, b'learnt')
    taps[RADIO].send(frame(taps, rig, RADIO, tunnel.message(0x22, content)))
    assert until(lambda: box.call('bearer.get', ue=UE, teid=0x22)['uplink']['delivered_sdus'] == 1)
    assert names(box) == ALL[1:], 'a packet of a dedicated bearer makes no default one'
    taps[RADIO].send(frame(taps, rig, RADIO, tunnel.message(0x21, content, qfi=9, uplink=True)))
    assert until(lambda: names(box) == ALL)
    assert until(lambda: names(box) == ALL[1:])

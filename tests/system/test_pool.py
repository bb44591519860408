"""The pool of frames almost used up by one bearer: receive goes on, what is over is counted, and what was
queued leaves whole, from the last mbuf too."""
import json

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Raw

from frames import Tap
from rig import CORE, CORE_V4, RADIO, UE_V4, Rig, sh

PAGES = '/proc/sys/vm/nr_hugepages'
MEMORY = 60  # MiB for frames
OTHER = '10.45.0.3'


@pytest.fixture(scope='module')
def rig():
    with Rig(ues=2) as made:
        yield made


@pytest.fixture(params=['no', 'yes'], ids=['small-pages', 'huge-pages'])
def huge_pages(request):
    with open(PAGES, encoding='ascii') as file:
        before = file.read()
    if request.param == 'yes':
        write(PAGES, str(int(before) + 256))
    yield request.param
    write(PAGES, before)


def write(path, text):
    with open(path, 'w', encoding='ascii') as file:
        file.write(text)


def received(rig):
    link = json.loads(rig.run(RADIO, 'ip', '-s', '-j', 'link', 'show', 'r0').stdout)[0]
    return link['stats64']['rx']['packets']


@pytest.mark.parametrize('device', ['af_xdp', 'af_packet'])
def test_an_exhausted_pool_neither_stops_receive_nor_loses_what_it_queued(rig, make_box, huge_pages, device):
    slow = {'rate': '1k', 'buffer': {'sdus': 1_000_000, 'bytes': '1GiB'}}
    box = make_box(device=device, dataplane=f'  memory: {MEMORY}MiB\n  huge_pages: {huge_pages}\n',
                   name=f'pool-{device}-{huge_pages}')
    box.set_bearer(UE_V4, downlink=slow)
    with Tap(rig, CORE) as core, Tap(rig, RADIO) as radio:
        frame = bytes(Ether(src=core.mac, dst=radio.mac) / IP(src=CORE_V4, dst=UE_V4) / UDP() / Raw(b'.' * 1400))
        cap = box.stats()['pool']['buffer_cap']
        sent = 0
        while not box.dropped().get('pool') and sent < 2 * cap + 1000:
            core.send(*[frame] * 200)
            sent += 200
    stats = box.stats()
    assert stats['workers'][0]['buffered'] == cap
    assert set(box.dropped()) == {'pool'}
    assert sh(*rig.within(CORE, 'ping', '-n', '-c', '5', '-i', '0.2', OTHER)).returncode == 0
    queued = box.downlink(UE_V4)['queued_sdus']
    before = received(rig)
    box.call('mode.set', mode='tap')
    assert rig.ping(CORE, count=2)
    assert received(rig) - before >= queued
    assert not any(count for what, count in box.driver_losses().items() if 'transmit' in what or 'mbuf' in what)

"""Connections with signed segments (TCP-MD5, RFC 2385), which BGP may use: they open and carry data through the
profile `low-delay`, every ACK stage and a split proxy, none of which may write a header that the digest covers."""
import contextlib
import socket
import struct
import threading

import pytest

from box import Box
from frames import inside
from rig import CORE, CORE_V4, RADIO, Rig
from steady import until

WAYS = {'low-delay': None, 'ack-rate': ['ack-rate'], 'window-regulator': ['window-regulator'],
        'ack-regulator': ['ack-regulator'], 'snoop': ['snoop'], 'new-snoop': ['new-snoop'],
        'fda': [{'fda': {'threshold': '2sdu', 'minsize': '1sdu', 'plain_syn': True}}, 'new-snoop'], 'split': None}
UES = {way: f'10.45.0.{number}' for number, way in enumerate(WAYS, 2)}
LEG = '{rate: 4M, buffer: {sdus: 100}}'
CLASSES = f'''\
  low-delay: {{profile: low-delay, downlink: {LEG}}}
  split: {{downlink: {LEG}, proxy: {{split: {{window: 16384}}}}}}
  staged: {{downlink: {LEG}}}
'''
TCP_MD5SIG, KEY = 14, b'between neighbours'
DOWN, UP = 400_000, 50_000


@pytest.fixture(scope='module')
def rig():
    with Rig(ues=len(WAYS)) as made:
        yield made


@pytest.fixture(scope='module')
def box(rig):
    lines = ''.join(f'  - {{ue: {ue}, class: {way if way in ("low-delay", "split") else "staged"}}}\n'
                    for way, ue in UES.items())
    with Box(rig, name='signed', classes=CLASSES, bearers='bearers:\n' + lines) as made:
        for way, stages in WAYS.items():
            if stages:
                made.call('rrc.reconfigure', bearer=UES[way], ack=stages)
        yield made


def signed_socket(rig, side, peer):
    """The kernel signs what it sends to the peer, and drops what comes from it with another digest or none."""
    with inside(rig.name(side)):
        made = socket.socket()
    address = struct.pack('=HH4s', socket.AF_INET, 0, socket.inet_aton(peer)).ljust(128, b'\0')
    made.setsockopt(socket.IPPROTO_TCP, TCP_MD5SIG, address + struct.pack('=BBHI80s', 0, 0, len(KEY), 0, KEY))
    made.settimeout(20)
    return made


@contextlib.contextmanager
def signed_connection(rig, ue):
    with signed_socket(rig, CORE, ue) as listening, signed_socket(rig, RADIO, CORE_V4) as near:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((CORE_V4, 179))
        listening.listen()
        near.bind((ue, 0))
        near.connect((CORE_V4, 179))
        far, _ = listening.accept()
        far.settimeout(20)
        with far:
            yield near, far


def read(end, count):
    got = 0
    while got < count:
        some = len(end.recv(65536))
        assert some, f'it ended after {got} octets'
        got += some


@pytest.mark.parametrize('way', WAYS)
def test_a_signed_connection_opens_and_carries_data_both_ways(rig, box, way):
    before = box.downlink(UES[way])['delivered_sdus']
    with signed_connection(rig, UES[way]) as (near, far):
        talking = threading.Thread(target=far.sendall, args=(bytes(DOWN),))
        talking.start()
        near.sendall(bytes(UP))
        read(near, DOWN)
        read(far, UP)
        talking.join()
    assert box.downlink(UES[way])['delivered_sdus'] > before + DOWN // 1500
    assert until(lambda: box.stats()['residue'] == 0)

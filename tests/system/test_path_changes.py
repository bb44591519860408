"""The path to a UE changes in the middle of a download: its next hop gets another link address, and takes smaller
packets only. Stages and proxies send the segments that they keep in the form that the path now needs, and the download
goes on.

A UE `far` is behind the radio side, which forwards to it as a kernel's router."""
import contextlib
import itertools
import socket

import pytest

from box import Box
from rig import CORE, CORE_V4, RADIO, UE_V4, Rig, sh
from steady import until
from test_proxy import connection
from test_proxy_path import FAR, NARROW, Source, join, reading, uncombined

STAGES = {'snoop': ['snoop'], 'new-snoop': ['new-snoop'], 'fda': ['fda', 'new-snoop'], 'window-regulator': ['window-regulator']}
UES = {way: f'10.48.0.{number}' for number, way in enumerate([*STAGES, 'split'], 2)}
LEG = '{rate: 4M, buffer: {sdus: 100}}'
CLASSES = f'''\
  split: {{downlink: {LEG}, proxy: {{split: {{window: 65536, store: 2MB, min_rto: 300ms}}}}}}
  staged: {{downlink: {LEG}}}
'''
MACS = (f'02:00:00:00:aa:{number:02x}' for number in itertools.count(1))
FIRST, MORE, SOON = 300_000, 600_000, 10  # octets before and after the change; seconds for the latter


@pytest.fixture(scope='module')
def rig():
    with Rig() as made, contextlib.ExitStack() as ends:
        sh('ip', 'netns', 'add', made.name(FAR))
        ends.callback(sh, 'ip', 'netns', 'delete', made.name(FAR), check=False)
        join(made, RADIO, 'w0', FAR, 'w1')
        made.run(RADIO, 'sysctl', '-qw', 'net.ipv4.ip_forward=1', 'net.ipv4.conf.all.send_redirects=0')
        made.run(RADIO, 'ip', 'address', 'add', '10.48.0.1/24', 'dev', 'w0')
        for ue in UES.values():
            made.run(FAR, 'ip', 'address', 'add', f'{ue}/24', 'dev', 'w1')
        made.run(FAR, 'ip', 'route', 'add', 'default', 'via', '10.48.0.1')
        made.run(CORE, 'ip', 'route', 'add', '10.48.0.0/24', 'via', UE_V4)
        yield made


@pytest.fixture(scope='module')
def box(rig):
    lines = ''.join(f'  - {{ue: {ue}, class: {"split" if way == "split" else "staged"}}}\n' for way, ue in UES.items())
    with Box(rig, name='path-changes', classes=CLASSES, bearers='bearers:\n' + lines) as made:
        for way, stages in STAGES.items():
            made.call('rrc.reconfigure', bearer=UES[way], ack=stages)
        yield made


@contextlib.contextmanager
def download(rig, ue):
    """Yields in the middle of it a function: true if a number of further octets comes in time."""
    with connection(rig, ue, FAR, CORE_V4) as (near, server), reading(near) as came:
        source = Source(server)
        assert source.fill_until(lambda: len(came['bytes']) >= FIRST), len(came['bytes'])

        def goes_on():
            before = len(came['bytes'])
            source.end.setblocking(False)

            def more():
                source.fill()
                return len(came['bytes']) >= before + MORE
            return until(more, SOON)
        yield goes_on
        server.shutdown(socket.SHUT_WR)
    assert came == {'bytes': source.sent, 'error': None}


@pytest.mark.parametrize('way', UES)
def test_a_download_goes_on_when_the_next_hop_gets_another_address(rig, box, way):
    with download(rig, UES[way]) as goes_on:
        mac = next(MACS)
        rig.run(RADIO, 'ip', 'link', 'set', 'r0', 'address', mac)
        rig.run(CORE, 'ip', 'neighbour', 'replace', UE_V4, 'lladdr', mac, 'dev', 'c0', 'nud', 'reachable')
        assert goes_on(), box.ctl('show', 'flows', UES[way]).stdout
    assert until(lambda: box.stats()['residue'] == 0)


@pytest.mark.parametrize('way', UES)
def test_a_download_goes_on_when_the_path_behind_takes_smaller_packets(rig, box, way):
    with uncombined(rig), download(rig, UES[way]) as goes_on:
        rig.run(RADIO, 'ip', 'link', 'set', 'w0', 'mtu', str(NARROW))
        try:
            assert goes_on(), box.ctl('show', 'flows', UES[way]).stdout
        finally:
            rig.run(RADIO, 'ip', 'link', 'set', 'w0', 'mtu', '1500')
    assert until(lambda: box.stats()['residue'] == 0)

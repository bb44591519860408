"""What a stranger's segments do to split connections: a FIN among pieces out of order ends one stream and nothing else."""
import pytest

from box import Box
from frames import Tap
from rig import CORE, RADIO, Rig
from steady import until
from test_proxy import connection, proxies, read_all, saying
from test_snoop import ANSWER, FIRST, UE as BY_HAND, Hosts

SPLIT = '10.45.0.2'
CLASSES = '''\
  split:
    downlink: {rate: 3M, buffer: {sdus: 10}}
    proxy: {split: {window: 65536, store: 2MB, min_rto: 300ms}}
'''
DATA = bytes(range(256)) * 1200  # at 3 Mbit/s: most of a second


@pytest.fixture(scope='module')
def rig():
    with Rig() as made:
        yield made


@pytest.fixture(scope='module')
def running(rig):
    lines = ''.join(f'  - {{ue: {ue}, class: split}}\n' for ue in (SPLIT, BY_HAND))
    with Box(rig, name='proxy-attacks', classes=CLASSES, bearers='bearers:\n' + lines) as made:
        yield made


@pytest.fixture
def box(running):
    yield running
    assert until(lambda: proxies(running)['stored_bytes'] == 0), running.ctl('proxy', 'show').stdout
    assert running.stats()['residue'] == 0, running.stats()


@pytest.fixture
def taps(rig):
    with Tap(rig, CORE) as core, Tap(rig, RADIO) as radio:
        yield {CORE: core, RADIO: radio}


def test_a_fin_out_of_order_with_data_behind_it_ends_its_stream_while_another_connection_goes_on(rig, box, taps):
    hosts = Hosts(box, taps[CORE], taps[RADIO])
    with connection(rig, SPLIT) as (ue, server), saying(server, DATA):
        for port, octets in ((4000, 1460), (4001, 1000)):
            hosts.connect(port)
            fin = FIRST + 1000 + octets
            hosts.down('FA', FIRST + 1000, ANSWER, port, data=b'a' * octets)
            hosts.down('A', fin + 1, ANSWER, port, data=b'b' * 100)
            hosts.down('A', FIRST, ANSWER, port, data=b'c' * 1000)
            came = [(one.seq, len(one.payload), 'F' in one.flags) for one in hosts.at_ue(50, port, 0.5)]
            assert [one for one in came if one[1:] != (0, False)] == [
                (FIRST, 1000, False), (FIRST + 1000, octets, True)]
            told = [one.ack for one in hosts.at_source(50, port, 0.3)]
            assert told and max(told) == fin, 'the FIN before the UE has it'
            hosts.up('A', ANSWER, fin + 1, port)
            assert [one.ack for one in hosts.at_source(1, port)] == [fin + 1]
        assert read_all(ue) == DATA

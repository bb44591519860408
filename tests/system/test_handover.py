"""A UE of an IPv6 prefix gets a bearer of its own in the middle of kernel TCP connections, and loses it again: those
with octets at risk at the split proxy are reset at both ends, the others go on, and none hangs."""
import contextlib
import signal

import pytest

from box import Box
from rig import CORE_V6, UE_V6, UE_V6_PREFIX, Rig
from steady import until
from test_proxy import connection, proxies

CLASSES = '''\
  slow:
    downlink: {rate: 3M, buffer: {sdus: 50}}
    proxy: {split: {window: 65536, store: 2MB, min_rto: 300ms}}
'''
LISTED = f'bearers:\n  - {{ue: "{UE_V6_PREFIX}", class: slow}}\n'
OWN = f'  - {{ue: "{UE_V6}", class: slow}}\n'


@pytest.fixture(scope='module')
def rig():
    with Rig() as made:
        yield made


@pytest.fixture(scope='module')
def box(rig):
    with Box(rig, name='handover', classes=CLASSES, bearers=LISTED) as made:
        yield made


def own(box):
    """The UE has a bearer of its own."""
    return UE_V6 in [one['ue'].split('/')[0] for one in box.call('bearer.list')['items']]


def by_socket(box, there):
    if there:
        box.call('bearer.set', ue=UE_V6, **{'class': 'slow'})
    else:
        box.call('bearer.remove', ues=[UE_V6])


def by_reload(box, there):
    with open(box.config, encoding='utf-8') as file:
        text = file.read()
    with open(box.config, 'w', encoding='utf-8') as file:
        file.write(text.replace(LISTED, LISTED + OWN) if there else text.replace(OWN, ''))
    box.process.send_signal(signal.SIGHUP)
    assert until(lambda: own(box) == there)


def expect_reset(end):
    end.settimeout(10)
    with pytest.raises(ConnectionError):
        while end.recv(65536):
            pass
        raise AssertionError('it ended like one that is whole')


def say(speaker, hearer, text):
    """Sends a text from one end to the other, within the timeout of its socket."""
    speaker.sendall(text)
    got = b''
    while len(got) < len(text):
        got += hearer.recv(len(text) - len(got))
    assert got == text


def put_at_risk(box, server):
    """Makes the proxy acknowledge more to the server than the UE, which reads nothing, has."""
    server.setblocking(False)

    def at_risk():
        with contextlib.suppress(BlockingIOError):
            server.send(bytes(500_000))
        return proxies(box)['at_risk_bytes'] > 20_000
    assert until(at_risk), proxies(box)


@pytest.mark.parametrize('change', [by_socket, by_reload])
def test_a_ue_that_gets_or_loses_a_bearer_of_its_own_has_no_connection_that_hangs(rig, box, change):
    for there in (True, False):
        before = proxies(box)['resets']['removed']
        with connection(rig, UE_V6, server=CORE_V6) as (quiet_ue, quiet_server), \
                connection(rig, UE_V6, server=CORE_V6) as (ue, server):
            say(quiet_server, quiet_ue, b'before' * 200)
            assert until(lambda: proxies(box)['at_risk_bytes'] == 0)
            put_at_risk(box, server)
            change(box, there)
            expect_reset(server)
            expect_reset(ue)
            assert proxies(box)['resets']['removed'] == before + 1
            say(quiet_server, quiet_ue, b'behind' * 20_000)
            say(quiet_ue, quiet_server, b'up' * 1000)
        with connection(rig, UE_V6, server=CORE_V6) as (ue, server):
            acked = proxies(box)['acked_bytes']
            say(server, ue, b'anew' * 20_000)
            assert proxies(box)['acked_bytes'] - acked >= 80_000 - 2 * 1500, 'the bearer that it has now splits it'
    assert until(lambda: proxies(box)['stored_bytes'] == 0)
    assert box.stats()['residue'] == 0

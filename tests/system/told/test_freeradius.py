"""FreeRADIUS as the accounting server of a NAS, which sends copies to rncd-told."""
import re
import signal

import pytest

from box import Box
from freeradius import FreeRadius
from rig import DUT, PATIENCE
from steady import until
from told import SERVER, Told

CLASSES = '  internet: {downlink: {rate: 8M}, uplink: {rate: 1M}}\n'
UE = '10.50.0.2'


@pytest.fixture(scope='module')
def box(rig):
    with Box(rig, device='af_packet', classes=CLASSES, name='freeradius') as made:
        yield made


@pytest.fixture
def told(rig, box, tmp_path):
    with Told(rig, box, tmp_path) as made:
        yield made
    ues = [one['ue'] for one in box.call('bearer.list')['items']]
    if ues:
        box.call('bearer.remove', ues=ues)


@pytest.fixture
def server(rig, told, tmp_path):
    folder = tmp_path / 'raddb'
    folder.mkdir(mode=0o700)
    with FreeRadius(rig, folder) as made:
        yield made


def account(server, status, uplink=0, downlink=0, session='a', ue=UE):
    rates = {'WISPr_Bandwidth_Max_Up': uplink, 'WISPr_Bandwidth_Max_Down': downlink} if downlink else {}
    server.account(Acct_Status_Type=status, Acct_Session_Id=session, User_Name='anna', Framed_IP_Address=ue, **rates)


def rates(box):
    """Downlink and uplink rate by UE."""
    return {one['ue']: (one['downlink']['rate'], one['uplink']['rate']) for one in box.call('bearer.list')['items']}


def test_copies_make_a_bearer_change_it_and_end_it(box, told, server):
    account(server, 'Start', 2_000_000, 4_000_000)
    assert until(lambda: rates(box) == {UE: (4_000_000, 2_000_000)}, PATIENCE), server.said()
    assert told.sessions()[UE]['peer'] == '127.0.0.1'
    account(server, 'Interim-Update', 1_000_000, 3_000_000)
    assert until(lambda: rates(box) == {UE: (3_000_000, 1_000_000)}, PATIENCE)
    account(server, 'Stop')
    assert until(lambda: rates(box) == {}, PATIENCE)
    assert until(lambda: not server.waiting(), PATIENCE)


def applied(told):
    """Requests applied, by kind."""
    return {kind: int(count) for kind, count in
            re.findall(r'rncd_told_messages_total{source="radius",kind="(\w+)",result="applied"} (\d+)', told.metrics())}


def test_requests_wait_for_rncd_told_and_a_restart_of_freeradius_sends_each_once(box, told, server):
    told.kill()
    account(server, 'Start', 2_000_000, 4_000_000)
    account(server, 'Start', 2_000_000, 5_000_000, 'b', '10.50.0.3')
    account(server, 'Interim-Update', 1_000_000, 3_000_000)
    account(server, 'Stop', session='b', ue='10.50.0.3')
    assert until(lambda: server.waiting().count('Acct-Status-Type') == 4, PATIENCE)
    server.stop()
    told.start()
    server.start()
    assert until(lambda: rates(box) == {UE: (3_000_000, 1_000_000)} and not server.waiting(), PATIENCE), server.said()
    assert until(lambda: applied(told) == {'start': 2, 'interim': 1, 'stop': 1}, PATIENCE)


def test_requests_wait_for_rncd_told_without_a_restart_of_freeradius(box, told, server):
    account(server, 'Start', 2_000_000, 4_000_000)
    assert until(lambda: UE in rates(box), PATIENCE)
    told.kill()
    account(server, 'Interim-Update', 1_000_000, 3_000_000)
    assert until(lambda: 'Marking home server 127.0.0.1 port 1813 as zombie' in server.said(), PATIENCE), server.said()
    told.start()
    assert until(lambda: rates(box) == {UE: (3_000_000, 1_000_000)}, PATIENCE), server.said()
    assert until(lambda: not server.waiting(), PATIENCE)


def unread(rig):
    """Octets that wait in the socket of rncd-told."""
    return int(rig.run(DUT, 'ss', '-Hlun', 'src', f'{SERVER[0]}:{SERVER[1]}').stdout.split()[1])


def test_a_request_sent_again_after_a_crash_of_freeradius_changes_nothing(rig, box, told, server):
    """rncd-told reads the copy of a FreeRADIUS that has died before the answer; the next one sends it again."""
    ue = '10.50.0.7'
    told.process.send_signal(signal.SIGSTOP)
    account(server, 'Start', 2_000_000, 4_000_000, ue=ue)
    assert until(lambda: unread(rig) > 0, PATIENCE), server.said()
    server.kill()
    told.process.send_signal(signal.SIGCONT)
    assert until(lambda: rates(box) == {ue: (4_000_000, 2_000_000)}, PATIENCE)
    assert server.waiting()
    server.start()
    assert until(lambda: applied(told) == {'start': 2} and not server.waiting(), PATIENCE), server.said()
    assert list(told.sessions()) == [ue] and rates(box) == {ue: (4_000_000, 2_000_000)}
    changes = [one['fields'] for one in box.call('event.list', about=ue)['items']]
    assert [one['created'] for one in changes] == [1], changes

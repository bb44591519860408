"""rncd-told: what a core tells by RADIUS and PFCP becomes bearers of rncd, whichever of the two restarts."""
import subprocess

import pytest

from box import Box
from rig import CORE, DUT, PATIENCE, RADIO, UE_V4, Rig
from steady import until
from told import RNCD_TOLD, Told, nas_of, smf_of
import pfcp
import radius

CLASSES = '''\
  internet: {downlink: {rate: 8M}, uplink: {rate: 1M}}
  gold: {downlink: {rate: 20M}, uplink: {rate: 5M}}
'''
GNB = '192.0.2.21'
GTP_U = '  gtp_u: {peers: [192.0.2.0/24]}\n'
MORE = '  classes: [{match: {class_attribute: "gold-*"}, class: gold}]\n  default_class: internet\n'


@pytest.fixture(scope='module')
def rig():
    with Rig() as made:
        yield made


@pytest.fixture(scope='module')
def box(rig):
    with Box(rig, device='af_packet', classes=CLASSES, dataplane=GTP_U, name='told') as made:
        yield made


@pytest.fixture
def told(rig, box, tmp_path):
    with Told(rig, box, tmp_path, MORE) as made:
        yield made
    ues = [one['ue'] for one in box.call('bearer.list', limit=1000)['items']]
    if ues:
        box.call('bearer.remove', ues=ues)


@pytest.fixture
def nas(rig):
    with nas_of(rig) as made:
        yield made


@pytest.fixture
def smf(rig):
    with smf_of(rig) as made:
        yield made


def bearers(box):
    """By UE: owner, class, downlink and uplink rate."""
    return {one['ue']: (one['owner'], one['class'], one['downlink']['rate'], one['uplink']['rate'])
            for one in box.call('bearer.list', limit=1000)['items']}


def session_of(number, uplink, downlink):
    """In kbit/s."""
    return pfcp.Session(f'10.60.0.{number}', uplink, downlink, (GNB, 0x100 + number), ('192.0.2.1', 0x200 + number))


def session_of_the_ue(smf):
    """A session of the UE that is a host of the rig."""
    smf.associate()
    one = pfcp.Session(UE_V4, 1000, 2000, (GNB, 0x102), ('192.0.2.1', 0x202))
    smf.establish(one)
    return one


def idle_session(box, smf):
    """session_of_the_ue(), once its downlink is held."""
    one = session_of_the_ue(smf)
    smf.act(one, pfcp.BUFFER)
    assert until(lambda: UE_V4 in bearers(box) and box.downlink(UE_V4)['gate'] == 'hold', PATIENCE)
    return one


def test_a_start_makes_a_bearer_an_interim_changes_it_and_a_stop_ends_it(box, told, nas):
    nas.account(radius.START, '10.50.0.2', 'a', radius.rates(2_000_000, 4_000_000))
    nas.account(radius.START, '10.50.0.3', 'b', radius.attribute(25, b'gold-east'))
    nas.account(radius.START, '10.50.0.4', 'c')
    assert until(lambda: bearers(box) == {'10.50.0.2': ('radius', 'internet', 4_000_000, 2_000_000),
                                   '10.50.0.3': ('radius', 'gold', 20_000_000, 5_000_000),
                                   '10.50.0.4': ('radius', 'internet', 8_000_000, 1_000_000)}, PATIENCE)
    nas.account(radius.INTERIM, '10.50.0.2', 'a', radius.rates(1_000_000, 3_000_000))
    assert until(lambda: bearers(box)['10.50.0.2'][2:] == (3_000_000, 1_000_000), PATIENCE)
    assert told.sessions()['10.50.0.2']['why'] is None
    box.log_with('for=10.50.0.2 owner=radius changes=')
    nas.account(radius.STOP, '10.50.0.2', 'a')
    assert until(lambda: sorted(bearers(box)) == ['10.50.0.3', '10.50.0.4'], PATIENCE)


def test_what_an_operator_has_set_stays_until_he_gives_it_back(box, told, nas):
    nas.account(radius.START, '10.50.0.2', 'a', radius.rates(2_000_000, 4_000_000))
    assert until(lambda: '10.50.0.2' in bearers(box), PATIENCE)
    box.ctl('bearer', 'set', '10.50.0.2', '--rate', '9M')
    nas.account(radius.INTERIM, '10.50.0.2', 'a', radius.rates(1_000_000, 3_000_000))
    assert until(lambda: told.sessions()['10.50.0.2']['state'] == 'kept', PATIENCE)
    assert bearers(box)['10.50.0.2'] == ('operator', 'internet', 9_000_000, 2_000_000)
    box.ctl('bearer', 'release', '10.50.0.2')
    nas.account(radius.INTERIM, '10.50.0.2', 'a', radius.rates(1_000_000, 2_000_000))
    assert until(lambda: bearers(box)['10.50.0.2'] == ('radius', 'internet', 2_000_000, 1_000_000), PATIENCE)


def test_a_pdu_session_has_its_ambr_and_its_tunnels_and_a_modification_changes_them(box, told, smf):
    smf.associate()
    sessions = [session_of(number, 1000 * number, 2000 * number) for number in (2, 3, 4)]
    for one in sessions:
        smf.establish(one)
    assert until(lambda: bearers(box) == {one.ue: ('pfcp', 'internet', one.downlink * 1000, one.uplink * 1000)
                                   for one in sessions}, PATIENCE)
    tunnel = box.downlink('10.60.0.2')['tunnel']
    assert (tunnel['endpoint'], tunnel['teid']) == (GNB, 0x102)
    assert told.sessions()['10.60.0.2']['source'] == 'pfcp'
    smf.change_rates(sessions[0], 500, 700)
    assert until(lambda: bearers(box)['10.60.0.2'][2:] == (700_000, 500_000), PATIENCE)
    smf.delete(sessions[1])
    assert until(lambda: sorted(bearers(box)) == ['10.60.0.2', '10.60.0.4'], PATIENCE)


def test_an_idle_ue_gets_what_was_held_when_the_core_forwards_again(rig, box, told, smf):
    one = idle_session(box, smf)
    ping = rig.start(CORE, 'ping', '-n', '-q', '-c', '5', '-i', '0.2', '-W', str(PATIENCE), UE_V4, stdout=subprocess.PIPE)
    assert until(lambda: box.downlink(UE_V4)['queued_sdus'] >= 5, PATIENCE)
    smf.act(one, pfcp.FORWARD)
    said, _ = ping.communicate(timeout=2 * PATIENCE)
    assert '5 received' in said
    assert box.downlink(UE_V4)['gate'] == 'open' and box.downlink(UE_V4)['dropped_sdus'] == 0


def test_a_ue_that_sends_is_not_held_though_the_message_was_lost(rig, box, told, smf):
    idle_session(box, smf)

    def answered():
        rig.ping(RADIO, count=1)
        return box.downlink(UE_V4)['gate'] == 'open'
    assert until(answered, 40 + PATIENCE)
    assert rig.ping(RADIO, count=2)


def test_a_closed_gate_lets_nothing_through_until_it_opens(rig, box, told, smf):
    one = session_of_the_ue(smf)
    smf.set_gates(one, uplink=False, downlink=True)
    assert until(lambda: UE_V4 in bearers(box) and box.uplink(UE_V4)['gate'] == 'closed', PATIENCE)
    assert told.sessions()[UE_V4]['told']['uplink_gate'] == 'closed'
    assert not rig.ping(CORE, count=3)
    assert until(lambda: box.dropped().get('gate', 0) >= 3, PATIENCE)
    assert 'limited by gate' in box.ctl('why', UE_V4).stdout
    smf.set_gates(one, uplink=True, downlink=True)
    assert until(lambda: box.uplink(UE_V4)['gate'] == 'open', PATIENCE)
    assert len(rig.ping(CORE, count=3)) == 3


def test_bearers_outlive_rncd_told_and_its_sessions_are_taken_up_by_what_comes_next(box, told, smf, nas):
    smf.associate()
    one = session_of(2, 1000, 2000)
    smf.establish(one)
    nas.account(radius.START, '10.50.0.2', 'a', radius.rates(2_000_000, 4_000_000))
    assert until(lambda: len(bearers(box)) == 2, PATIENCE)
    before = bearers(box)
    told.kill()
    told.start()
    nas.account(radius.INTERIM, '10.50.0.2', 'a', radius.rates(2_000_000, 4_000_000))
    assert until(lambda: '10.50.0.2' in told.sessions(), PATIENCE)
    assert bearers(box) == before


def test_an_rncd_that_begins_anew_gets_all_bearers_again(rig, told, nas, box):
    for number in range(2, 200):
        nas.account(radius.START, f'10.50.0.{number}', str(number), radius.rates(1_000_000, 10_000 * number))
    assert until(lambda: len(bearers(box)) == 198, PATIENCE)
    before = bearers(box)
    box.stop()
    box.start()
    assert until(lambda: bearers(box) == before, PATIENCE)


def test_preflight_names_what_this_host_and_rncd_do_not_have(rig, box, told, tmp_path):
    file = tmp_path / 'other.yaml'
    file.write_text(f'''\
version: 1
told:
  rncd: {box.socket}
  pfcp: {{interface: none0}}
  classes: [{{qfi: 1, class: voice}}]
  default_class: internet
  metrics: {{listen: off}}
''')
    done = rig.run(DUT, RNCD_TOLD, '--config', str(file), '--preflight', check=False)
    assert done.returncode == 4, done.stderr
    assert 'told.pfcp.interface: cannot capture on none0: there is no such interface' in done.stderr
    assert 'rncd has no class "voice", so that it refuses the bearers; it has gold, internet' in done.stderr
    file.write_text(file.read_text().replace('none0', 'lo').replace('voice', 'gold'))
    done = rig.run(DUT, RNCD_TOLD, '--config', str(file), '--preflight')
    assert (done.stdout, done.stderr) == (f'{file}: this host can run it\n', '')


def test_a_stranger_makes_no_bearer(rig, box, told):
    with nas_of(rig, 'another secret', timeout=0.5) as stranger:
        with pytest.raises(TimeoutError):
            stranger.account(radius.START, '10.50.0.9', 'x', radius.rates(1, 1))
    assert told.sessions() == {} and bearers(box) == {}

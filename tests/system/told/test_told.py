"""rncd-told: what a core tells by RADIUS and PFCP becomes bearers of rncd, whichever of the two restarts."""
import os
import signal
import subprocess
import sys

import pytest

from box import BUILD, Box, Rpc
from frames import inside
from rig import DUT, PATIENCE, Rig
from steady import until
import pfcp
import radius

CLASSES = '''\
  internet: {downlink: {rate: 8M}, uplink: {rate: 1M}}
  gold: {downlink: {rate: 20M}, uplink: {rate: 5M}}
'''
SECRET = 'a secret of both'
NAS, SERVER = '127.0.0.3', ('127.0.0.1', 1813)
SMF, UPF, GNB = '127.0.0.11', '127.0.0.12', '192.0.2.21'
GTP_U = '  gtp_u: {peers: [192.0.2.0/24]}\n'


class Told:
    """rncd-told beside a box, in its namespace."""

    def __init__(self, rig, box, folder):
        self.rig, self.box, self.folder = rig, box, folder
        self.socket = str(folder / 'told.sock')
        secret = folder / 'secret'
        secret.write_text(SECRET + '\n', encoding='utf-8')
        secret.chmod(0o600)
        self.config = folder / 'told.yaml'
        self.config.write_text(f'''\
version: 1
told:
  rncd: {box.socket}
  pfcp: {{interface: lo}}
  radius: {{listen: "{SERVER[0]}:{SERVER[1]}", clients: [{{network: 127.0.0.0/8, secret_file: {secret}}}]}}
  classes: [{{match: {{class_attribute: "gold-*"}}, class: gold}}]
  default_class: internet
  control: {{socket: {self.socket}}}
  metrics: {{listen: off}}
''', encoding='utf-8')
        self.process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.rig.stop(self.process)

    def start(self):
        with open(self.folder / 'told.log', 'a', encoding='utf-8') as log:
            self.process = self.rig.start(DUT, os.path.join(BUILD, 'rncd-told'), '--config', str(self.config), stderr=log)
        assert until(lambda: self.process.poll() is not None or self.sessions() is not None, PATIENCE)
        assert self.process.poll() is None, (self.folder / "told.log").read_text(encoding="utf-8")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(PATIENCE)

    def sessions(self):
        try:
            with Rpc(self.socket) as rpc:
                return {row['ue']: row for row in rpc.call('session.list', limit=1000)['items']}
        except OSError:
            return None


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
    with Told(rig, box, tmp_path) as made:
        yield made
    ues = [one['ue'] for one in box.call('bearer.list', limit=1000)['items']]
    if ues:
        box.call('bearer.remove', ues=ues)


@pytest.fixture
def nas(rig):
    with inside(rig.name(DUT)), radius.Nas(NAS, SERVER, SECRET) as made:
        yield made


@pytest.fixture
def smf(rig):
    upf = rig.start(DUT, sys.executable, os.path.join(os.path.dirname(pfcp.__file__), 'pfcp.py'), 'upf', UPF,
                    stdout=subprocess.PIPE)
    upf.stdout.readline()
    with inside(rig.name(DUT)), pfcp.Smf(SMF, UPF) as made:
        yield made
    rig.stop(upf)


def bearers(box):
    """By UE: owner, class, downlink and uplink rate."""
    return {one['ue']: (one['owner'], one['class'], one['downlink']['rate'], one['uplink']['rate'])
            for one in box.call('bearer.list', limit=1000)['items']}


def session_of(number, uplink, downlink):
    """In kbit/s."""
    return pfcp.Session(f'10.60.0.{number}', uplink, downlink, (GNB, 0x100 + number), ('192.0.2.1', 0x200 + number))


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


def test_a_stranger_makes_no_bearer(rig, box, told):
    with inside(rig.name(DUT)), radius.Nas(NAS, SERVER, 'another secret', timeout=0.5) as stranger:
        with pytest.raises(TimeoutError):
            stranger.account(radius.START, '10.50.0.9', 'x', radius.rates(1, 1))
    assert told.sessions() == {} and bearers(box) == {}

"""rncd between a GGSN and SGSNs that are not ours: osmo-ggsn and sgsnemu."""
import os
import re
import socket
import sys

import pytest

from box import ROOT, Box
from frames import inside
from rig import CORE, CORE_V4, PATIENCE, RADIO, Rig
from steady import until
from test_lifecycle import edit
import gsn
import tunnel

sys.path.append(os.path.join(ROOT, 'tools', 'demo_lib'))

import crossing as cross  # noqa: E402

FIRST, SECOND = '10.45.0.2', '10.45.0.3'  # SGSNs
GTP_U = '{peers: [10.45.0.0/24], on_handover: send}'
LEARNT = f'bearers:\n  - {{ue: {gsn.UES}, class: internet, learn: uplink}}\n'


@pytest.fixture(scope='module')
def rig():
    with Rig(ues=2, mtu=gsn.MTU) as made:
        gsn.let_addresses_move(made)
        yield made


@pytest.fixture(scope='module')
def box(rig):
    with Box(rig, rate='2M', bearers=LEARNT, dataplane=f'  gtp_u: {GTP_U}\n', name='ggsn') as made:
        yield made


@pytest.fixture
def network(rig, box, tmp_path):
    """Starts a GGSN, and gives a function that starts an SGSN; the UE's bearer ends with them."""
    made = []

    def start(numbered=False):
        made.append(gsn.Ggsn(rig, str(tmp_path), numbered))

        def attach(address):
            made.append(gsn.Sgsn(rig, str(tmp_path), address, numbered))
            return made[-1]
        return attach
    yield start
    for one in reversed(made):
        one.kill()
    for one in {one.ue for one in made if isinstance(one, gsn.Sgsn)}:
        box.ctl('bearer', 'remove', one)


def answered(rig, count=3):
    """Number of pings from the UE that the GGSN's side answers."""
    said = rig.run(RADIO, 'ping', '-n', '-c', str(count), '-i', '0.2', '-W', '2', gsn.SERVER, check=False).stdout
    return len(re.findall(r'time=', said))


def errors(box):
    """Number of error indications from the GGSN."""
    found = re.search(r'^rncd_gtp_u_messages_total\{port="core",message="error_indication"\} (\S+)$', box.metrics(), re.M)
    return int(float(found[1])) if found else 0


def tunnels(box, ue):
    return {direction: leg['tunnel'] for direction, leg in (('downlink', box.downlink(ue)), ('uplink', box.uplink(ue)))}


def test_a_ue_gets_its_bearer_and_both_tunnels_with_its_first_packets(rig, box, network):
    ue = network()(FIRST).ue
    assert answered(rig) == 3
    learnt = tunnels(box, ue)
    assert (learnt['downlink']['endpoint'], learnt['uplink']['endpoint']) == (FIRST, CORE_V4)
    assert box.downlink(ue)['delivered_sdus'] >= 3


def test_a_gsn_that_numbers_its_packets_is_shaped_only_where_numbers_are_ignored(rig, box, network):
    ue = network(numbered=True)(FIRST).ue

    def shaped():
        listed = [one for one in box.call('bearer.list')['items'] if one['ue'] == ue]
        return listed[0]['downlink']['delivered_sdus'] if listed else 0
    before = box.stats()['ports']['core']['passed']['gtp_u_sequence']['frames']
    assert answered(rig) == 3 and shaped() == 0
    assert box.stats()['ports']['core']['passed']['gtp_u_sequence']['frames'] >= before + 3
    ignoring = GTP_U.replace('peers', 'sequence: ignore, peers')
    edit(box, (GTP_U, ignoring))
    box.ctl('apply', box.config)
    assert answered(rig) == 3 and shaped() >= 3
    edit(box, (ignoring, GTP_U))
    box.ctl('apply', box.config)


def test_an_error_indication_of_the_ggsn_crosses_and_marks_the_tunnel_until_it_carries_again(rig, box, network):
    attach = network()
    old, new = attach(FIRST), attach(SECOND)
    assert answered(rig) == 3 and tunnels(box, new.ue)['downlink']['endpoint'] == SECOND
    before = errors(box)
    old.take_uplink()  # the GGSN no longer knows that SGSN
    assert answered(rig, count=1) == 0
    assert until(lambda: errors(box) > before)
    assert tunnels(box, new.ue)['uplink']['stale'] and not tunnels(box, new.ue)['downlink']['stale']
    assert until(lambda: 'Received Error Indication' in old.tail(lines=100))
    new.take_uplink()
    assert answered(rig) == 3
    assert not tunnels(box, new.ue)['uplink']['stale']


def test_a_handover_that_sends_what_waits_loses_and_reorders_nothing(rig, box, network):
    """Some SDUs wait throughout a download, which goes on until the UE has moved."""
    attach = network()
    ue = attach(FIRST).ue
    assert answered(rig, count=1) == 1
    dropped = box.downlink(ue)['dropped_sdus']
    with cross.Crossing(rig) as crossing:
        transfer = rig.iperf(CORE, 2 * PATIENCE, to=ue)
        assert until(lambda: box.downlink(ue)['queued_sdus'] > 20)
        box.ctl('rrc', ue, '--rate', '200k')  # the queue is to outlast the GGSN's change
        teid, begin = box.downlink(ue)['tunnel']['teid'], len(crossing.entered.frames)
        attach(SECOND)
        at = crossing.wait_for(SECOND, begin, 30)
        assert at is not None
        with inside(rig.name(CORE)), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ggsn:
            ggsn.sendto(tunnel.message(teid, kind=tunnel.END_MARKER), (FIRST, tunnel.PORT))
        box.ctl('rrc', ue, '--rate', '2M')
        transfer.end()
        assert until(lambda: box.downlink(ue)['queued_sdus'] == 0)
    fate = cross.handover(crossing, FIRST, SECOND, at - 1, at + 60)
    assert fate.waited_old > 0 and fate.waited_new == 0 and fate.old_behind_new == 0
    assert (fate.markers, fate.behind_marker) == (1, 0)
    assert len(crossing.missing()) == box.downlink(ue)['dropped_sdus'] - dropped
    assert crossing.overtaken() == 0 and crossing.strange() == 0
    assert tunnels(box, ue)['downlink']['changes'] == 1

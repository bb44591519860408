"""The promises of rncd-told as they are measured live, in short: what does not depend on the machine's speed."""
import json
import os
import signal
import subprocess
import sys

import pytest

from box import ROOT
from rig import PATIENCE, heed_interrupts, sh

LIVE = os.path.join(ROOT, 'tools', 'live')
sys.path.insert(0, LIVE)

from told_parts import quantile  # noqa: E402
from told_signalling import Datagram, Known, as_a_bad_mirror  # noqa: E402
import pfcp  # noqa: E402

TOOL = os.path.join(LIVE, 'told_promises.py')


def begin(*arguments):
    return subprocess.Popen([sys.executable, '-B', TOOL, '--quick', *arguments], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, preexec_fn=heed_interrupts)


def namespaces(process):
    return [line for line in sh('ip', 'netns', 'list').stdout.splitlines() if line.startswith(f'rncd-{process.pid}-')]


@pytest.fixture(scope='module')
def measured(tmp_path_factory):
    path = tmp_path_factory.mktemp('promises') / 'promises.json'
    ran = begin('--json', str(path))
    out, said = ran.communicate(timeout=4 * PATIENCE)
    assert ran.returncode == 0 and not namespaces(ran), out + said
    with open(path, encoding='utf-8') as file:
        return json.load(file), out


def test_no_message_is_lost_and_each_session_has_its_bearer(measured):
    for one in measured[0]['establishments']:
        assert (one['known'], one['lost_messages'], one['dropped_by_kernel']) == (one['sessions'], 0, 0), one
        assert one['in_force_s'] is not None


def test_each_change_comes_into_force(measured):
    changes = measured[0]['changes']
    assert changes['applied'] == changes['sent'] == 100
    assert 0 < changes['p50_s'] <= changes['p99_s']


def test_load_comes_to_each_of_the_ues(measured):
    flows = measured[0]['goodput']['flows']
    assert len({flow['ue'] for flow in flows}) == 3
    assert all(flow['goodput'] > 0 for flow in flows), flows


def test_drift_ends_and_bearers_of_others_stay_as_they_were(measured):
    drift = measured[0]['drift']
    assert len(drift) == 5
    for one in drift:
        assert (one['drift'], one['wrong'], one['touched']) == (0, 0, 0), one
    assert drift[-1]['lost'] and drift[-1]['overtaken']


def test_the_table_has_a_line_for_each_promise(measured):
    document, out = measured
    assert not document['partial'] and len(document['rows']) == 9
    for row in document['rows']:
        assert row['promise'] in out and row['measured'] in out


def test_an_interrupt_takes_everything_down_and_leaves_with_130():
    ran = begin()
    assert '1 of 4: establishments' in ran.stderr.readline()
    assert namespaces(ran)
    ran.send_signal(signal.SIGINT)
    said = ran.communicate(timeout=PATIENCE)[1]
    assert (ran.returncode, namespaces(ran)) == (130, []), said


def told_of(kind, ue, seid, downlink=0):
    return Datagram(b'', True, kind, pfcp.Session(ue, 1, downlink, ('', 1), ('', 2), up_seid=seid))


def test_a_session_is_as_the_requests_that_were_seen():
    known = Known()
    known.see([told_of(pfcp.ESTABLISHMENT, 'a', 1, 5), told_of(pfcp.MODIFICATION, 'a', 1, 6),
               told_of(pfcp.ESTABLISHMENT, 'a', 2, 7), told_of(pfcp.MODIFICATION, 'a', 1, 8),
               told_of(pfcp.DELETION, 'a', 1), told_of(pfcp.MODIFICATION, 'b', 3, 9), Datagram(b'', False)])
    assert known.bearers(()) == {'a': (7000, 1000, 1)}
    assert known.bearers(('a',)) == {}
    known.see([told_of(pfcp.DELETION, 'a', 2)])
    assert known.bearers(()) == {}


def test_a_bad_mirror_loses_and_swaps_a_share_by_its_seed():
    sent = list(range(10_000))
    seen, lost, overtaken = as_a_bad_mirror(sent, 1, 0.01)
    assert (seen, lost, overtaken) == as_a_bad_mirror(sent, 1, 0.01) != as_a_bad_mirror(sent, 2, 0.01)
    assert len(seen) == 10_000 - lost and 50 < lost < 200
    assert sum(here > there for here, there in zip(seen, seen[1:])) == overtaken and 50 < overtaken < 200
    assert as_a_bad_mirror(sent, 1, 0) == (sent, 0, 0)


def test_quantiles_are_estimated_within_their_bucket():
    buckets = [(0.01, 0), (0.02, 50), (0.05, 100), (float('inf'), 100)]
    assert quantile(buckets, 0.25) == pytest.approx(0.015)
    assert quantile(buckets, 0.75) == pytest.approx(0.035)
    assert quantile([(1.0, 0), (float('inf'), 4)], 0.5) == 1.0

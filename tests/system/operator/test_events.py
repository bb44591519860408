"""Events that are asked for afterwards: event.list and rncctl events."""
import json
import os
import signal
import subprocess
import time

import pytest

from box import RNCCTL, Box, Rpc, RpcError, sh
from rig import PATIENCE, UE_V4

BEARERS = f'bearers:\n  - {{ue: {UE_V4}, class: internet}}\n'


@pytest.fixture(scope='module')
def box(rig, tmp_path_factory):
    public = str(tmp_path_factory.mktemp('events') / 'public.sock')
    with Box(rig, bearers=BEARERS, name='events', arguments=('--set', f'control.read_only={public}')) as made:
        made.public = public
        yield made


def events(box, *words):
    return json.loads(sh(RNCCTL, '-s', box.socket, '--json', 'events', *words).stdout)['items']


def test_a_change_and_its_refusal_are_events_with_who_and_what(box):
    before = box.call('event.list', limit=1)['last']
    box.call('rrc.reconfigure', bearer=UE_V4, rate='3M')
    with pytest.raises(RpcError):
        box.call('rrc.reconfigure', bearer=UE_V4, rate='fast')
    answer = box.call('event.list', after=before)
    done, refused = answer['items']
    assert answer['forgotten'] == 0 and answer['last'] == refused['number'] == before + 2
    assert (done['event'], done['level']) == ('rrc.reconfigure', 'info')
    assert done['fields']['pid'] == os.getpid() and done['fields']['for'] == UE_V4
    assert 'downlink.rate' in done['fields']['changes']
    assert (refused['event'], refused['level']) == ('rrc.reconfigure', 'warning')
    assert 'fast' in refused['fields']['refused']
    assert abs(done['time'] - time.time()) < PATIENCE
    assert box.call('event.list', after=answer['last']) == {
        'items': [], 'next': None, 'last': answer['last'], 'earlier': 0, 'forgotten': 0}
    page = box.call('event.list', after=before, limit=1)
    assert page['items'] == [done] and page['next'] == done['number']
    assert box.call('event.list', cursor=page['next'], limit=1)['items'] == [refused]
    with pytest.raises(RpcError, match='one of the two'):
        box.call('event.list', cursor=before, after=before)


def test_events_are_chosen_by_code_level_and_what_they_name(box):
    box.call('bearer.set', ue='10.50.0.9', **{'class': 'internet'})
    box.call('bearer.remove', ue='10.50.0.9')
    assert [e['event'] for e in events(box, '10.50.0.9')] == ['bearer.set', 'bearer.remove']
    assert events(box, '10.50.0') == []
    assert {e['event'] for e in events(box, '--event', 'bearer.remove')} == {'bearer.remove'}
    assert {e['level'] for e in events(box, '--level', 'warning')} <= {'warning', 'error'}
    assert [e['event'] for e in events(box, '--event', 'started', '--since', '1h')] == ['started']
    assert len(events(box, '--limit', '2')) == 2
    newest = json.loads(sh(RNCCTL, '-s', box.socket, '--json', 'events', '--limit', '1').stdout)
    assert len(newest['items']) == 1 and newest['next'] is None and newest['earlier'] >= 2
    assert 'earlier events' in sh(RNCCTL, '-s', box.socket, 'events', '--limit', '2').stderr
    line = sh(RNCCTL, '-s', box.socket, 'events', '10.50.0.9', '--event', 'bearer.remove').stdout
    assert line.count('\n') == 1 and '  info  bearer.remove  ' in line and 'for=10.50.0.9' in line


@pytest.mark.parametrize('given, named', [({'event': 'port_stat'}, 'port_state'), ({'level': 'loud'}, 'warning'),
                                          ({'limit': 0}, '1 to 1000'), ({'after': -1}, 'after')])
def test_what_no_event_can_have_is_refused(box, given, named):
    with pytest.raises(RpcError) as refused:
        box.call('event.list', **given)
    assert named in str(refused.value)


def test_followed_events_come_as_they_happen(box):
    with subprocess.Popen([RNCCTL, '-s', box.socket, '--json', 'events', '--follow', '--limit', '1'],
                          stdout=subprocess.PIPE, text=True) as following:
        try:
            first = json.loads(following.stdout.readline())
            box.call('rrc.reconfigure', bearer=UE_V4, rate='4M')
            second = json.loads(following.stdout.readline())
            assert second['number'] == first['number'] + 1 and '4M' in second['fields']['changes']
        finally:
            following.send_signal(signal.SIGINT)


def test_a_bearer_is_watched(box):
    done = sh(RNCCTL, '-s', box.socket, '--json', 'watch', UE_V4, '--interval', '0.2', '--count', '2')
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line['direction'] for line in lines] == ['downlink', 'uplink'] * 2
    assert lines[0]['delivered_rate'] == 0 and lines[0]['rate'] == 4e6 and lines[0]['queue_seconds'] == 0
    gone = sh(RNCCTL, '-s', box.socket, 'watch', '10.50.0.77', check=False)
    assert gone.returncode == 1 and '10.50.0.77' in gone.stderr


def test_the_read_only_socket_has_events_without_paths_of_this_host(box):
    with Rpc(box.public) as curious:
        shown = json.dumps(curious.call('event.list', limit=1000))
        assert 'started' in shown and box.folder not in shown and '"/' not in shown

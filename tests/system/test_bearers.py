"""Bearers by the thousand, learnt, and removed."""

import pytest

from box import Box, RpcError
from rig import CORE, UE_V4, goodput, promised
from steady import near

LEARN = 'bearers:\n  - {ue: 10.45.0.0/24, class: internet, learn: true}\n'


@pytest.fixture(scope='module')
def box(rig):
    with Box(rig, rate='5M', bearers=LEARN, dataplane='  max_bearers: 4096\n', name='bearers') as made:
        yield made


def many(count=1000, **legs):
    return [{'ue': f'10.46.{i // 250}.{i % 250 + 1}', 'class': 'internet', **legs} for i in range(count)]


def listed(box, **filters):
    found, cursor = [], {}
    while True:
        page = box.call('bearer.list', limit=300, **cursor, **filters)
        found += page['items']
        if page['next'] is None:
            return found
        cursor = {'cursor': page['next']}


def test_a_bearer_is_learnt_from_its_first_frame_and_shaped(rig, box):
    assert rig.ping(CORE, count=2)
    learnt = box.call('bearer.get', ue=UE_V4)
    assert (learnt['learnt'], learnt['class']) == (True, 'internet')
    near(lambda: goodput(rig.iperf(CORE, 5).finish(), 2, 5), promised(5_000_000), 0.03)


def test_a_thousand_bearers_are_set_in_one_batch_and_once_more_changes_nothing(box):
    assert box.call('bearer.set', bearers=many()) == {'created': 1000, 'changed': 0, 'unchanged': 0}
    assert box.call('bearer.set', bearers=many()) == {'created': 0, 'changed': 0, 'unchanged': 1000}
    assert box.call('bearer.set', bearers=many(10, downlink={'rate': '1M'}))['changed'] == 10
    ues = [one['ue'] for one in listed(box) if one['ue'].startswith('10.46.')]
    assert len(ues) == len(set(ues)) == 1000
    assert box.stats()['bearers']['count'] >= 1000


def test_a_batch_with_one_mistake_changes_nothing(box):
    before = box.stats()['bearers']['count']
    wrong = many(5)
    wrong.append({'ue': '10.47.0.1', 'class': 'intrenet'})
    wrong[0]['ue'] = '10.47.0.2'
    with pytest.raises(RpcError, match='internet') as refused:
        box.call('bearer.set', bearers=wrong)
    assert refused.value.code == -32602
    assert box.stats()['bearers']['count'] == before


def test_bearers_are_removed_in_one_batch(box):
    box.call('bearer.set', bearers=many())
    assert box.call('bearer.remove', ues=[one['ue'] for one in many()]) == {'removed': 1000}
    assert not [one for one in listed(box) if one['ue'].startswith('10.46.')]


def test_setting_bearers_disturbs_no_traffic(rig, box):
    def while_they_are_set():
        transfer = rig.iperf(CORE, 5)
        for _ in range(8):
            box.call('bearer.set', bearers=many())
            box.call('bearer.remove', ues=[one['ue'] for one in many()])
        return goodput(transfer.finish(), 2, 5)
    near(while_they_are_set, promised(5_000_000), 0.03)


def test_more_bearers_than_there_is_room_for_are_refused(box):
    room = box.stats()['bearers']['capacity']
    with pytest.raises(RpcError) as refused:
        box.call('bearer.set', bearers=many(room + 1))
    assert refused.value.code == -32002
    box.call('bearer.remove', ues=[one['ue'] for one in many(room + 1)])

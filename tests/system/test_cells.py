"""Cells under kernel TCP: UEs share slots, enter, leave and are handed over while they transfer; the scheduler changes
live, a full cell is an answer, reports grow old, and every frame is accounted for."""
import random
import re
import signal
import time

import pytest

from box import Box, RpcError
from rig import CORE, PATIENCE, Rig, goodput, promised
from steady import Load, judge, near, until, within

FIRST, SECOND, THIRD, LEARNT = '10.45.0.2', '10.45.0.3', '10.45.0.4', '10.45.0.5'
RATE = 12_000_000  # for either cell, whichever UE has the slot
OPERATIONS = 1000
CLASSES = f'''\
  web:
    downlink: {{rate: 50M, buffer: {{sdus: 100}}, queue: sfp, link: {{cell: {{radio: {{constant: {{rate: {RATE}}}}}}}}}}}
  told:
    downlink: {{rate: 50M, link: {{cell: {{radio: {{reported: {{initial: 2M, valid: 300ms}}}}}}}}}}
  plain:
    downlink: {{rate: 20M, buffer: {{sdus: 100}}}}
'''
CELLS = '''\
cells:
  sector-1: {slots: 1000, members: 4}
  sector-2: {slots: 500, members: 3}
  tiny: {members: 1}
'''
BEARERS = f'''\
bearers:
  - {{ue: {FIRST}, class: web, cell: sector-1}}
  - {{ue: {SECOND}, class: web, cell: sector-1}}
  - {{ue: {THIRD}, class: plain}}
  - {{ue: {LEARNT}/32, class: web, cell: tiny, learn: both}}
'''


@pytest.fixture(scope='module', name='rig')
def fixture_rig():
    with Rig(ues=4) as made:
        yield made


@pytest.fixture(scope='module', name='box', params=[1, 2], ids=['one-worker', 'two-workers'])
def fixture_box(request, rig):
    with Box(rig, classes=CLASSES, bearers=BEARERS, more=CELLS, dataplane=f'  workers: {request.param}\n',
             name=f'cells-{request.param}') as made:
        yield made


@pytest.fixture(autouse=True)
def as_listed(box):
    """Each test begins with the bearers and cells of the file."""
    box.call('bearer.set', bearers=[{'ue': FIRST, 'class': 'web', 'cell': 'sector-1'},
                                    {'ue': SECOND, 'class': 'web', 'cell': 'sector-1'},
                                    {'ue': THIRD, 'class': 'plain'}])
    box.call('cell.set', cell='sector-1', scheduler='pf', share='100%')
    yield
    assert lost(box) == 0


def metric(box, name, **labels):
    labelled = ','.join(f'{key}="{value}"' for key, value in labels.items())
    found = re.search(rf'^{name}{{{labelled}}} (\S+)$' if labels else rf'^{name} (\S+)$', box.metrics(), re.M)
    return float(found[1])


def lost(box):
    return metric(box, 'rncd_reconfigure_lost_frames_total')


def cell(box, name):
    return box.call('cell.get', cell=name)


def slots(box, name):
    return sum(cell(box, name)['slots'].values())


def members(box):
    """Bearers by cell, as bearer.list has them."""
    found = {}
    for one in box.call('bearer.list', limit=1000)['items']:
        if one['cell']:
            found[one['cell']['name']] = found.get(one['cell']['name'], 0) + 1
    return found


@pytest.mark.paired
def test_two_bearers_share_what_the_cell_carries(rig, box):
    def together():
        transfers = [rig.iperf(CORE, 5, to=ue, port=5201 + i) for i, ue in enumerate((FIRST, SECOND))]
        return sum(goodput(one.finish(), 2, 5) for one in transfers)
    near(together, promised(RATE), 0.05)
    shown = box.ctl('show', 'cells').stdout
    assert re.search(r'sector-1\s+pf\s+2\s+4', shown), shown
    assert 'only while it carries less than its sector' in shown
    bearer = box.call('bearer.get', ue=FIRST)['cell']
    assert bearer['name'] == 'sector-1' and bearer['slots'] > 100
    assert 'cell sector-1' in box.ctl('show', 'bearer', FIRST).stdout


@pytest.mark.paired
def test_half_the_slots_carry_half(rig, box):
    box.ctl('cell', 'set', 'sector-1', 'share=50%')
    near(lambda: goodput(rig.iperf(CORE, 5, to=FIRST).finish(), 2, 5), promised(RATE / 2), 0.05)


def test_a_scheduler_is_swapped_under_transfers_and_nothing_is_lost(rig, box):
    transfers = [rig.iperf(CORE, PATIENCE, to=ue, port=5201 + i) for i, ue in enumerate((FIRST, SECOND))]
    time.sleep(1)
    given = []
    for scheduler in ('pf-sp', 'pf-rp', 'round-robin', 'max-rate', 'pf'):
        told = box.ctl('cell', 'set', 'sector-1', f'scheduler={scheduler}').stdout
        assert told.startswith('sector-1: scheduler') and f'"{scheduler}"' in told.split(' to ')[-1], told
        time.sleep(1)
        given.append(slots(box, 'sector-1'))
    for one in transfers:
        assert sum(count for _, _, count in one.end()) > 0
    assert all(after > before for before, after in zip(given, given[1:])), given
    assert until(lambda: metric(box, 'rncd_cell_slots_total', cell='sector-1', to='long') > 0)
    assert metric(box, 'rncd_cell_members', cell='sector-1') == 2


@pytest.mark.paired
def test_a_bearer_is_handed_over_in_the_middle_of_a_transfer(rig, box):
    with Load() as load:
        transfer = rig.iperf(CORE, 6, to=FIRST)
        time.sleep(2)
        before = slots(box, 'sector-2')
        said = box.ctl('relocate', FIRST, 'sector-2').stdout
        assert 'sector-1' in said and 'sector-2' in said
        intervals = transfer.finish()
    judge(goodput(intervals, 3, 6) / promised(RATE), 0.5, 1.05, load)
    assert slots(box, 'sector-2') > before + 1000
    assert box.call('rrc.relocate', ue=FIRST, cell='sector-1')['was'] == 'sector-2'


def test_a_thousand_operations_under_traffic_close_the_books(rig, box):
    chance = random.Random(1)
    others = [f'10.45.7.{n}' for n in range(1, 7)]
    transfer = rig.iperf(CORE, 20, to=FIRST, control='cubic')
    full = 0
    for number in range(OPERATIONS):
        ue = chance.choice([FIRST, SECOND, THIRD, *others])
        where = chance.choice(['sector-1', 'sector-2'])
        what = chance.randrange(5)
        try:
            if what == 0:
                box.call('bearer.remove', ue=chance.choice([SECOND, THIRD, *others]))
            elif what == 1:
                box.call('bearer.set', ue=ue, **{'class': 'plain'})
            else:
                box.call('bearer.set', ue=ue, cell=where, **{'class': 'web'})
        except RpcError as refused:
            assert refused.code == -32006 and 'place' in str(refused), refused
            full += 1
        if number % 100 == 50:
            box.call('cell.set', cell=where, scheduler=chance.choice(['pf', 'pf-sp', 'pf-rp']))
        if number % 250 == 125:
            box.call('mode.set', mode='block')
            time.sleep(0.05)
            box.call('mode.set', mode='inline')
    assert transfer.client.poll() is None, 'the traffic ended before the operations'
    rig.stop(transfer.client)
    rig.stop(transfer.server)
    assert 0 < full < OPERATIONS / 2
    assert {name: cell(box, name)['members'] for name in members(box)} == members(box)
    box.call('bearer.remove', ues=others)


def test_a_full_cell_is_an_answer_and_a_ue_that_would_be_learnt_passes(rig, box):
    assert rig.run(CORE, 'ping', '-c', '2', '-i', '0.2', '-W', '2', LEARNT).returncode == 0
    assert box.call('bearer.get', ue=LEARNT)['cell']['name'] == 'tiny'
    with pytest.raises(RpcError, match='the cell tiny has 1 place, 1 taken') as refused:
        box.call('rrc.relocate', ue=FIRST, cell='tiny')
    assert refused.value.code == -32006
    box.call('bearer.remove', ue=LEARNT)
    box.call('rrc.relocate', ue=FIRST, cell='tiny')
    before = cell(box, 'tiny')['refused']
    assert rig.run(CORE, 'ping', '-c', '3', '-i', '0.2', '-W', '2', LEARNT).returncode == 0
    assert cell(box, 'tiny')['refused'] > before
    assert until(lambda: metric(box, 'rncd_cell_refused_total', cell='tiny') > before)
    passed = [port['passed']['cell_full']['frames'] for port in box.stats()['ports'].values()]
    assert all(passed), passed


@pytest.mark.paired
def test_a_report_counts_until_it_is_too_old(rig, box):
    box.set_bearer(THIRD, cell='sector-2', **{'class': 'told'})
    stale = cell(box, 'sector-2')['stale_reports']

    def share_while_told():
        transfer = rig.iperf(CORE, 7, to=THIRD)
        end = time.monotonic() + 3.5
        while time.monotonic() < end:
            said = box.call('cell.report', cell='sector-2',
                            rates=[{'ue': THIRD, 'rate': '8M'}, {'ue': FIRST, 'rate': 1000}])
            assert said == {'reported': 1, 'unknown': 1}
            time.sleep(0.05)
        intervals = transfer.finish()
        assert goodput(intervals, 5, 7) < 1.2 * promised(2_000_000)
        return goodput(intervals, 1.5, 3) / promised(2_000_000)
    within(share_while_told, 1.3, 1.1 * 8_000_000 / 2_000_000)  # at most what is reported
    assert until(lambda: cell(box, 'sector-2')['stale_reports'] > stale)
    assert until(lambda: metric(box, 'rncd_cell_stale_reports_total', cell='sector-2') > stale)
    assert '4 s' not in box.ctl('cell', 'report', 'sector-2', f'{THIRD}=8M').stdout


def test_a_cell_is_made_filled_and_removed_and_bearer_move_says_where_its_members_stay(rig, box):
    box.ctl('cell', 'add', 'festival', 'members=2', 'scheduler=round-robin')
    box.ctl('relocate', FIRST, 'festival')
    transfer = rig.iperf(CORE, 3, to=FIRST)
    refused = box.ctl('cell', 'remove', 'festival', check=False)
    assert refused.returncode == 1 and 'the cell festival holds 1 bearer' in refused.stderr, refused
    with pytest.raises(RpcError, match=f'{FIRST} is in the cell festival'):
        box.call('bearer.move', ue=FIRST, worker=0)
    transfer.finish()
    box.ctl('relocate', FIRST, 'sector-1')
    box.ctl('cell', 'remove', 'festival')
    assert 'festival' not in box.ctl('show', 'cells').stdout


def test_block_keeps_what_waits_and_a_reload_brings_the_cells_of_the_file(rig, box):
    box.call('mode.set', mode='block')
    time.sleep(0.5)
    box.call('mode.set', mode='inline')
    assert rig.run(CORE, 'ping', '-c', '2', '-i', '0.2', '-W', '2', FIRST).returncode == 0
    with open(box.config, encoding='utf-8') as file:
        text = file.read()
    changed = text.replace('slots: 500, members: 3', 'slots: 600, members: 3').replace(
        f'{{ue: {SECOND}, class: web, cell: sector-1}}', f'{{ue: {SECOND}, class: web, cell: sector-3}}')
    transfer = rig.iperf(CORE, 4, to=SECOND)
    for said in (changed + '  sector-3: {members: 2}\n', text):
        with open(box.log, encoding='utf-8') as log:
            before = log.read().count('event=reloaded ')
        with open(box.config, 'w', encoding='utf-8') as file:
            file.write(said)
        time.sleep(1)
        box.process.send_signal(signal.SIGHUP)

        def reloaded(count=before):
            with open(box.log, encoding='utf-8') as log:
                return log.read().count('event=reloaded ') > count
        assert until(reloaded), box.tail()
        third = 'sector-3' in said
        names = [one['cell'] for one in box.call('cell.list')['items']]
        assert ('sector-3' in names) == third, names
        assert box.call('bearer.get', ue=SECOND)['cell']['name'] == ('sector-3' if third else 'sector-1')
        assert cell(box, 'sector-2')['settings']['slots'] == (600 if third else 500)
    transfer.finish()


def test_rncd_ends_whole_with_cells_that_hold_frames(rig, box):
    transfer = rig.iperf(CORE, 4, to=FIRST)
    assert until(lambda: box.downlink(FIRST)['queued_sdus'] > 0)
    assert box.stop() == 0, box.tail()
    rig.stop(transfer.client)
    rig.stop(transfer.server)
    box.start()
    rig.wait_for_wire()

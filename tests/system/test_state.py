"""Running settings survive a crash, a restart and an upgrade; an unconfirmed change is taken back (control/state)."""
import json
import os
import shutil
import time

import pytest

import box as box_module
from box import RNCD, Box, RpcError
from rig import CORE, UE_V4, Rig, sh
from steady import until
from test_wire import Pings, kill

OTHER = '10.45.9.9'
LEARN = 'bearers:\n  - {ue: 10.45.0.0/16, class: internet, learn: both, limit: 100}\n'


@pytest.fixture(name='rig')
def fixture_rig():
    with Rig() as made:
        yield made


@pytest.fixture(name='state')
def fixture_state(tmp_path):
    return str(tmp_path / 'state')


def box_with(rig, state, arguments=('--restore',), device='null', name='state', **options):
    devices = ('null', 'null') if device == 'null' else None
    return Box(rig, device=device, devices=devices, name=name, arguments=arguments, state=state, **options)


def rates(box):
    return {bearer['ue']: bearer['downlink']['rate'] for bearer in box.call('bearer.list')['items']}


def lines(state):
    with open(state, encoding='utf-8') as file:
        return [json.loads(line) for line in file]


def test_a_kill_loses_nothing_that_was_saved(rig, state):
    box = box_with(rig, state, bearers=LEARN + f'  - {{ue: {OTHER}, class: internet}}\n')
    try:
        box.start()
        box.set_bearer('10.46.0.1', downlink={'rate': '3M', 'aqm': {'codel': {'target': '9ms'}}})
        box.call('rrc.reconfigure', bearer=OTHER, rate='1M')
        box.call('mode.set', mode='tap')
        saved = box.call('state.save')
        assert saved['file'] == state and saved['bytes'] == os.path.getsize(state)
        before = box.call('bearer.get', ue='10.46.0.1')
        kill(box)
        box.start()
        assert rates(box) == {OTHER: 1_000_000, '10.46.0.1': 3_000_000}
        after = box.call('bearer.get', ue='10.46.0.1')
        assert after['downlink']['aqm_settings'] == before['downlink']['aqm_settings']
        assert box.stats()['mode'] == 'tap'
        box.log_with('event=state_restored')
    finally:
        box.close()


def test_what_runs_is_saved_by_itself_and_at_the_end(rig, state):
    box = box_with(rig, state)
    try:
        box.start()
        box.set_bearer('10.46.0.1', downlink={'rate': '3M'})
        assert until(lambda: os.path.exists(state))
        assert [line['ue'] for line in lines(state)[1:-1]] == ['10.46.0.1']
        box.set_bearer('10.46.0.2')
        assert box.stop() == 0
        assert [line['ue'] for line in lines(state)[1:-1]] == ['10.46.0.1', '10.46.0.2']
        assert lines(state)[-1] == {'bearers': 2} and os.stat(state).st_mode & 0o777 == 0o600
    finally:
        box.close()


def test_a_file_that_has_changed_meanwhile_is_taken_over(rig, state):
    box = box_with(rig, state, bearers=f'bearers:\n  - {{ue: {OTHER}, class: internet}}\n')
    try:
        box.start()
        box.set_bearer('10.46.0.1', downlink={'rate': '3M'})
        assert box.stop() == 0
        with open(box.config, encoding='utf-8') as file:
            text = file.read()
        with open(box.config, 'w', encoding='utf-8') as file:
            file.write(text.replace(OTHER, '10.45.9.8'))
        box.start()
        assert rates(box) == {'10.45.9.8': 8_000_000, '10.46.0.1': 3_000_000}
    finally:
        box.close()


@pytest.mark.parametrize('broken', ['cut', 'garbage', 'future'])
def test_a_state_that_is_broken_keeps_nobody_from_starting(rig, state, broken):
    box = box_with(rig, state, name=f'state-{broken}')
    try:
        box.start()
        box.set_bearer('10.46.0.1')
        assert box.stop() == 0
        with open(state, encoding='utf-8') as file:
            text = file.read()
        with open(state, 'w', encoding='utf-8') as file:
            file.write({'cut': text[:-15], 'garbage': 'no JSON\n',
                        'future': text.replace('"rncd_state":1', '"rncd_state":99')}[broken])
        box.start()
        said = box.log_with('event=state_not_restored')
        assert f'kept={state}.unread' in said, said
        with open(f'{state}.unread', encoding='utf-8') as file:
            assert file.read() != text
        assert not rates(box)
    finally:
        box.close()


def test_a_full_disk_is_told_and_the_file_before_stays(rig, tmp_path):
    folder = tmp_path / 'small'
    folder.mkdir()
    sh('mount', '-t', 'tmpfs', '-o', 'size=16k', 'rncd-test', str(folder))
    state = str(folder / 'state')
    box = box_with(rig, state, name='state-full')
    try:
        box.start()
        box.set_bearer('10.46.0.1')
        box.call('state.save')
        whole = lines(state)
        for n in range(200):
            box.set_bearer(f'10.46.1.{n}')
        with pytest.raises(RpcError) as refused:
            box.call('state.save')
        assert refused.value.code == -32010 and 'No space left' in str(refused.value)
        assert lines(state) == whole and os.listdir(folder) == ['state']
        box.log_with('event=state_not_saved')
        assert until(lambda: 'rncd_state_last_save_successful 0' in box.metrics())
    finally:
        box.close()
        sh('umount', str(folder))


def file_of(tmp_path, box, old, new):
    with open(box.config, encoding='utf-8') as file:
        text = file.read()
    assert old in text
    path = tmp_path / 'candidate.yaml'
    path.write_text(text.replace(old, new), encoding='utf-8')
    return str(path)


def test_a_change_that_is_not_confirmed_takes_itself_back(rig, state, tmp_path):
    box = box_with(rig, state, bearers=f'bearers:\n  - {{ue: {OTHER}, class: internet}}\n')
    try:
        box.start()
        box.set_bearer('10.46.0.1', downlink={'rate': '3M'})
        box.call('rrc.reconfigure', bearer=OTHER, rate='2M')
        before = rates(box)
        candidate = file_of(tmp_path, box, 'rate: 8M', 'rate: 2M')
        said = box.ctl('apply', candidate, '--confirm', '2').stdout
        assert 'comes back in 2 s' in said
        refused = box.ctl('apply', candidate, check=False)
        assert refused.returncode != 0 and 'waits to be confirmed' in refused.stderr
        assert box.ctl('save', check=False).returncode != 0
        assert box.call('config.get')['classes']['internet']['downlink']['rate'] == '2M'
        box.log_with('event=change_rolled_back')
        assert box.call('config.get')['classes']['internet']['downlink']['rate'] == '8M'
        assert rates(box) == before
    finally:
        box.close()


def everything(box):
    return box.call('bearer.list')['items'], box.call('config.get'), [
        (cell['cell'], cell['settings']) for cell in box.call('cell.list')['items']]


@pytest.mark.parametrize('by', ['rollback', 'time'])
def test_what_is_set_over_the_socket_while_a_change_waits_is_taken_back_with_it(rig, state, tmp_path, by):
    box = box_with(rig, state, bearers=f'bearers:\n  - {{ue: {OTHER}, class: internet}}\n'
                                       '  - {ue: 10.45.9.8, class: internet}\n', more='cells: {north: {}}\n')
    try:
        box.start()
        box.set_bearer('10.46.0.1', downlink={'rate': '3M'})
        box.set_bearer('10.46.0.2')
        before = everything(box)
        box.ctl('apply', file_of(tmp_path, box, 'rate: 8M', 'rate: 2M'), '--confirm', '60' if by == 'rollback' else '2')
        box.call('rrc.reconfigure', bearer=OTHER, rate='1M')
        box.call('rrc.reconfigure', bearer='10.46.0.1', rate='1M')
        box.set_bearer('10.45.9.8', downlink={'rate': '5M'})
        box.set_bearer('10.46.0.3')
        box.call('bearer.remove', ue='10.46.0.2')
        box.call('mode.set', mode='tap')
        box.call('cell.add', cell='south')
        box.call('cell.set', cell='north', share=0.5)
        assert everything(box) != before
        if by == 'rollback':
            box.ctl('rollback')
        box.log_with('event=change_rolled_back')
        assert everything(box) == before
    finally:
        box.close()


def test_a_change_that_is_confirmed_stays(rig, state, tmp_path):
    box = box_with(rig, state, bearers=f'bearers:\n  - {{ue: {OTHER}, class: internet}}\n')
    try:
        box.start()
        box.ctl('apply', file_of(tmp_path, box, 'rate: 8M', 'rate: 2M'), '--confirm', '2')
        box.ctl('confirm')
        time.sleep(3)
        assert rates(box) == {OTHER: 2_000_000}
        assert 'no change waits' in box.ctl('rollback', check=False).stderr
        assert box.stop() == 0
        box.start()
        assert rates(box) == {OTHER: 2_000_000}
    finally:
        box.close()


def test_a_configuration_that_is_not_valid_changes_nothing(rig, state, tmp_path):
    box = box_with(rig, state)
    try:
        box.start()
        before = box.call('config.get')
        refused = box.ctl('apply', file_of(tmp_path, box, 'rate: 8M', 'rate: fast'), '--confirm', '5', check=False)
        assert refused.returncode != 0 and 'rate' in refused.stderr
        assert box.call('config.get') == before
        assert 'no change waits' in box.ctl('confirm', check=False).stderr
    finally:
        box.close()


@pytest.fixture(name='box')
def fixture_box(rig, state):
    made = box_with(rig, state, device='af_xdp', name='upgrade', bearers=f'bearers:\n  - {{ue: {UE_V4}, class: internet}}\n')
    made.start()
    rig.wait_for_wire()
    yield made
    made.close()


def upgrade(box, program):
    box_module.RUNNING.remove(box)  # its counts begin anew
    box.rpc.close()
    box.rpc = None
    return box.ctl('upgrade', '--binary', program, check=False)


def again(box):
    box.rpc = box_module.Rpc(box.socket)
    box_module.RUNNING.append(box)


def copied(tmp_path):
    other = str(tmp_path / 'rncd-new')
    shutil.copy2(RNCD, other)
    return other


def cpus_of(pid):
    return set.union(*(os.sched_getaffinity(int(thread)) for thread in os.listdir(f'/proc/{pid}/task')))


@pytest.mark.paired
def test_an_upgrade_keeps_bearers_and_the_process_and_costs_three_pings_at_most(rig, box, tmp_path):
    other = copied(tmp_path)
    box.set_bearer('10.46.0.1', downlink={'rate': '3M'})
    pid = box.process.pid
    cpus = cpus_of(pid)
    pings = Pings(rig)
    said = upgrade(box, other)
    again(box)
    time.sleep(1)
    sent, lost = pings.end()
    assert said.returncode == 0 and str(pid) in said.stdout, said.stderr
    assert os.path.samefile(f'/proc/{pid}/exe', other) and box.process.poll() is None
    assert sent > 20 and len(lost) <= pings.load.allows(3), lost
    assert rates(box)['10.46.0.1'] == 3_000_000
    assert cpus_of(pid) == cpus
    left_open = [os.readlink(f'/proc/{pid}/fd/{fd}') for fd in os.listdir(f'/proc/{pid}/fd')]
    assert not [name for name in left_open if 'rncd_state' in name], left_open


def test_connections_outlive_an_upgrade(rig, box, tmp_path):
    other = copied(tmp_path)
    transfer = rig.iperf(CORE, 6)
    time.sleep(1.5)
    said = upgrade(box, other)
    again(box)
    assert said.returncode == 0, said.stderr
    intervals = transfer.finish()
    assert all(count > 0 for _, _, count in intervals[-3:]), intervals


def test_an_upgrade_to_what_is_no_rncd_is_refused(rig, box, tmp_path):
    broken = tmp_path / 'rncd-broken'
    broken.write_text('#!/bin/sh\necho rncd 9\n[ "$1" = --version ] || { echo no such key >&2; exit 3; }\n')
    broken.chmod(0o755)
    for program, why in (('/bin/true', 'expected the name of an rncd'), (str(broken), 'no such key'),
                         ('/nowhere', 'No such file'), ('rncd', 'begins with /')):
        refused = box.ctl('upgrade', '--binary', program, check=False)
        assert refused.returncode != 0 and why in refused.stderr, refused.stderr
    assert rig.ping(CORE, count=2) and box.stats()['mode'] == 'inline'


def test_an_upgrade_that_the_kernel_refuses_leaves_the_program_before_with_what_runs(rig, state, tmp_path):
    other, hook = copied(tmp_path), tmp_path / 'hook'
    hook.write_text(f'#!/bin/sh\n[ "$1" = bypass ] && chmod -x {other}\nexit 0\n')  # between check and exec
    hook.chmod(0o755)
    box = box_with(rig, state, device='af_xdp', name='upgrade-refused', dataplane=f'  bypass_hook: {hook}\n',
                   bearers=f'bearers:\n  - {{ue: {UE_V4}, class: internet}}\n')
    try:
        box.start()
        rig.wait_for_wire()
        box.set_bearer('10.46.0.1', downlink={'rate': '3M'})
        pid = box.process.pid
        refused = upgrade(box, other)
        again(box)
        assert refused.returncode == 1 and 'did not execute' in refused.stderr, refused
        assert os.path.samefile(f'/proc/{pid}/exe', RNCD) and box.process.poll() is None
        assert 'Permission denied' in box.log_with('event=upgrade_failed')
        assert rates(box)['10.46.0.1'] == 3_000_000 and rig.ping(CORE, count=2)
    finally:
        box.close()


def test_what_is_queued_leaves_at_its_rate_before_the_end(rig, box):
    box.call('rrc.reconfigure', bearer=UE_V4, rate='256k')
    transfer = rig.iperf(CORE, 5)
    assert until(lambda: box.downlink(UE_V4)['queued_sdus'] > 10)
    began = time.monotonic()
    assert box.stop() == 0
    took = time.monotonic() - began
    said = box.log_with('event=stopped')
    assert 'left_behind=0' in said and took > 0.3, took  # 10 frames of 1500 octets take 0.47 s
    transfer.finish()


def test_a_change_on_trial_is_not_made_for_good_by_an_upgrade(rig, state, tmp_path):
    box = box_with(rig, state, bearers=f'bearers:\n  - {{ue: {OTHER}, class: internet}}\n')
    try:
        box.start()
        box.ctl('apply', file_of(tmp_path, box, 'rate: 8M', 'rate: 2M'), '--confirm', '60')
        refused = box.ctl('upgrade', '--binary', RNCD, check=False)
        assert refused.returncode != 0 and 'waits to be confirmed' in refused.stderr
        assert until(lambda: 'rncd_config_on_trial 1' in box.metrics())
        box.ctl('rollback')
        assert until(lambda: 'rncd_config_on_trial 0' in box.metrics())
        assert rates(box) == {OTHER: 8_000_000}
    finally:
        box.close()

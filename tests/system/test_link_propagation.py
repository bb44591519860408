"""An interface that loses its carrier takes the other side's down: dataplane.link_propagation."""
import json
import os
import signal
import time

import pytest

from box import Box
from rig import CORE, DUT, INNER, OUTER, RADIO, UE_V4, Rig
from steady import until
from test_port_return import logged, ports
from test_state import upgrade, again, copied
from test_wire import kill

BEARERS = f'bearers:\n  - {{ue: {UE_V4}, class: internet}}\n'
ON = '  link_propagation: yes\n'


@pytest.fixture(name='rig')
def fixture_rig():
    with Rig() as made:
        yield made


@pytest.fixture(name='started')
def fixture_started(rig):
    made = []

    def start(kind='af_xdp', **options):
        options.setdefault('dataplane', ON)
        box = Box(rig, device=kind, name=f'propagation-{kind}', bearers=BEARERS, **options)
        made.append(box)
        box.start()
        rig.wait_for_wire()
        return box
    yield start
    for box in made:
        box.close()


def is_up(rig, side):
    shown, = json.loads(rig.run(DUT, 'ip', '-json', 'link', 'show', INNER[side]).stdout)
    return 'UP' in shown['flags']


def set_far_end(rig, side, state):
    rig.run(side, 'ip', 'link', 'set', OUTER[side], state)


def cut(rig, box, side=CORE):
    """Its far end goes down, and with it the other side."""
    set_far_end(rig, side, 'down')
    other = rig.other(side)
    assert until(lambda: not is_up(rig, other))
    box.log_with('event=link_propagated')


@pytest.mark.parametrize('kind', ['af_xdp', 'af_packet'])
def test_a_lost_carrier_takes_the_other_side_down_until_it_is_back(rig, started, kind):
    box = started(kind)
    for side in (CORE, RADIO):
        other = rig.other(side)
        cut(rig, box, side)
        reason = f'port {other}: rncd has taken its interface down'
        assert until(lambda: ports(box)[other]['reason'].startswith(reason))
        assert ports(box)[other]['state'] == ports(box)[side]['state'] == 'no_carrier'
        assert reason in box.ctl('show', 'ports').stdout and ports(box)[side]['reason'] == ''
        time.sleep(2)
        assert not is_up(rig, other) and is_up(rig, side)
        set_far_end(rig, side, 'up')
        rig.wait_for_wire()
        assert is_up(rig, other) and until(lambda: ports(box)[other]['reason'] == '')
        assert not os.path.exists(box.socket + '.links')
    assert logged(box, 'event=link_propagated', 'port=radio', 'change=down', 'other=core')
    assert logged(box, 'event=link_propagated', 'port=radio', 'change=up')
    assert ports(box)['core']['rebinds'] == ports(box)['radio']['rebinds'] == 0


def test_a_deleted_interface_takes_the_other_down_and_one_that_is_made_anew_brings_it_up(rig, started):
    box = started()
    rig.cut(CORE)
    assert until(lambda: not is_up(rig, RADIO))
    rig.restore(CORE)
    assert until(lambda: is_up(rig, RADIO))
    rig.wait_for_wire()
    assert ports(box)['core']['rebinds'] == 1


def test_flaps_change_the_other_side_once_a_second_at_most(rig, started):
    box = started()
    time.sleep(1)
    began = time.monotonic()
    for _ in range(12):
        for state in ('down', 'up'):
            set_far_end(rig, CORE, state)
            time.sleep(0.15)
    rig.wait_for_wire()
    with open(box.log, encoding='utf-8') as log:
        changes = sum('event=link_propagated' in line for line in log)
    seconds = time.monotonic() - began  # behind the log, which may have grown meanwhile
    assert 2 <= changes <= seconds + 1, (changes, seconds)


def test_what_was_killed_while_it_held_an_interface_down_brings_it_up_when_it_starts(rig, started):
    box = started()
    cut(rig, box)
    kill(box)
    assert not is_up(rig, RADIO) and os.path.exists(box.socket + '.links')
    set_far_end(rig, CORE, 'up')
    box.start()
    assert is_up(rig, RADIO) and not os.path.exists(box.socket + '.links')
    assert logged(box, 'event=link_propagated', 'change=up', 'killed')
    rig.wait_for_wire()


def test_what_somebody_else_took_down_stays_down(rig, started):
    box = started()
    rig.run(DUT, 'ip', 'link', 'set', 'd0', 'down')
    assert until(lambda: not is_up(rig, RADIO))
    time.sleep(2)
    assert not is_up(rig, CORE)
    assert box.stop() == 0
    assert is_up(rig, RADIO) and not is_up(rig, CORE)


def test_the_end_and_turning_it_off_bring_it_up(rig, started):
    box = started()
    cut(rig, box)
    with open(box.config, encoding='utf-8') as file:
        text = file.read()
    with open(box.config, 'w', encoding='utf-8') as file:
        file.write(text.replace(ON, ''))
    box.process.send_signal(signal.SIGHUP)
    assert until(lambda: is_up(rig, RADIO))
    with open(box.config, 'w', encoding='utf-8') as file:
        file.write(text)
    box.process.send_signal(signal.SIGHUP)
    assert until(lambda: not is_up(rig, RADIO))
    assert box.stop() == 0
    assert is_up(rig, RADIO) and not os.path.exists(box.socket + '.links')


def test_an_upgrade_brings_it_up(rig, started, tmp_path):
    box = started()
    cut(rig, box)
    said = upgrade(box, copied(tmp_path))
    again(box)
    assert said.returncode == 0, said.stderr
    assert is_up(rig, RADIO) and not os.path.exists(box.socket + '.links')
    assert until(lambda: not is_up(rig, RADIO)), 'the carrier has not come back'
    set_far_end(rig, CORE, 'up')
    rig.wait_for_wire()


def test_without_the_key_no_interface_is_touched(rig, started):
    box = started(dataplane='')
    set_far_end(rig, CORE, 'down')
    assert until(lambda: ports(box)['core']['state'] == 'no_carrier')
    time.sleep(2)
    assert is_up(rig, RADIO) and ports(box)['radio']['reason'] == ''

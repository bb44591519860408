"""Ports whose interface or XDP program goes away and comes back while rncd runs."""
import json
import time

import pytest

from box import Box
from rig import CORE, DUT, PATIENCE, RADIO, UE_V4, Rig
from steady import until

BEARERS = f'bearers:\n  - {{ue: {UE_V4}, class: internet}}\n'
KINDS = ['af_xdp', 'af_packet']

# A program that passes every frame to the kernel: two instructions, loaded and attached by libbpf.
FOREIGN = '''
import ctypes, socket, sys
bpf = ctypes.CDLL('libbpf.so.1', use_errno=True)
code = bytes.fromhex('b700000002000000' '9500000000000000')
program = bpf.bpf_prog_load(6, b'foreign', b'GPL', code, ctypes.c_size_t(2), None)
sys.exit(program < 0 or bpf.bpf_xdp_attach(socket.if_nametoindex(sys.argv[1]), program, 0, None) != 0)
'''


@pytest.fixture
def rig():
    """One for each test: they end with other interfaces than they began with."""
    with Rig() as made:
        yield made


@pytest.fixture
def started(rig):
    """started(kind): rncd on interfaces of that kind, with a wire that works."""
    made = []

    def start(kind='af_xdp', wire=True, **options):
        box = Box(rig, device=kind, name=f'port-return-{kind}', bearers=BEARERS, **options)
        made.append(box)
        box.start()
        if wire:
            rig.wait_for_wire()
        return box
    yield start
    for box in made:
        box.close()


def ports(box):
    return {one['port']: one for one in json.loads(box.ctl('--json', 'show', 'ports').stdout)['items']}


def state(box, side='core'):
    return ports(box)[side]['state']


def until_state(box, wanted, side='core'):
    assert until(lambda: state(box, side) == wanted), f'{ports(box)[side]}\n{box.tail(30)}'


def wait_for_wire(rig):
    assert until(lambda: rig.ping(CORE, count=1)), 'no ping goes through'


def logged(box, *words):
    with open(box.log, encoding='utf-8') as log:
        return any(all(word in line for word in words) for line in log)


def program_on(rig, interface):
    """The id of its XDP program, None without one."""
    shown = json.loads(rig.run(DUT, 'ip', '-json', '-details', 'link', 'show', interface).stdout)[0]
    return shown.get('xdp', {}).get('prog', {}).get('id')


def put_foreign_program(rig, interface):
    rig.run(DUT, '/usr/bin/python3', '-c', FOREIGN, interface)
    return program_on(rig, interface)


@pytest.mark.parametrize('kind', KINDS)
def test_an_interface_made_anew_carries_frames_again_and_what_happened_is_told(rig, started, kind):
    box = started(kind)
    first = ports(box)['core']['interface']['index']
    rig.cut(CORE)
    until_state(box, 'gone')
    assert state(box, 'radio') == 'up'
    assert until(lambda: 'rncd_port_up{port="core"} 0' in box.metrics())
    assert 'rncd_port_state{port="core",state="gone"} 1' in box.metrics()
    rig.restore(CORE)
    until_state(box, 'up')
    wait_for_wire(rig)
    core = ports(box)['core']
    assert core['interface']['index'] != first and core['rebinds'] == 1 and core['reason'] == ''
    assert until(lambda: 'rncd_port_rebinds_total{port="core"} 1' in box.metrics())
    assert 'rncd_port_up{port="core"} 1' in box.metrics()
    assert logged(box, 'event=port_state', 'state=gone') and logged(box, 'event=port_bound', 'port=core')
    assert logged(box, 'event=port_state', 'state=up')


def test_show_ports_tells_while_an_interface_goes_and_comes_back_under_traffic(rig, started):
    box = started()
    rig.start(RADIO, 'ping', '-n', '-q', '-i', '0.01', rig.address(CORE))
    seen, before = [], ports(box)
    rig.cut(CORE)
    until_state(box, 'gone')
    lost = ports(box)
    # The other port goes on: what comes in there is counted, and dropped with its own reason.
    assert until(lambda: ports(box)['radio']['dropped']['port_down']['frames'] > 0)
    rig.restore(CORE)
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and (not seen or seen[-1]['core']['state'] != 'up'):
        seen.append(ports(box))
    wait_for_wire(rig)
    seen = [before, lost, *seen, ports(box)]
    for earlier, later in zip(seen, seen[1:]):
        for side in ('core', 'radio'):
            for what in ('received', 'sent'):
                assert later[side][what]['frames'] >= earlier[side][what]['frames']
            for what, count in later[side]['losses'].items():
                assert count >= earlier[side]['losses'][what], 'counters go on where they were'
    assert seen[-1]['core']['received']['frames'] > lost['core']['received']['frames']
    assert seen[-1]['radio']['rebinds'] == 0


def test_twenty_returns_keep_no_mbuf(rig, started):
    box = started()
    used = []
    for cycle in range(1, 21):
        side = CORE if cycle % 2 else RADIO
        name = 'core' if side == CORE else 'radio'
        rig.cut(side)
        until_state(box, 'gone', name)
        rig.restore(side)
        until_state(box, 'up', name)
        wait_for_wire(rig)
        used.append(box.stats()['pool']['in_use'])
    # One port's rings alone hold thousands; caches and frames under way a few hundred.
    assert max(used) - min(used) < 1500, used
    assert {side: port['rebinds'] for side, port in ports(box).items()} == {'core': 10, 'radio': 10}


def test_a_program_that_was_taken_off_is_put_back(rig, started):
    box = started()
    for times in (1, 2, 3):
        rig.run(DUT, 'ip', 'link', 'set', 'dev', 'd1', 'xdp', 'off')
        assert until(lambda wanted=times: ports(box)['radio']['rebinds'] == wanted), box.tail(30)
        until_state(box, 'up', 'radio')
        wait_for_wire(rig)
        assert program_on(rig, 'd1')
    assert logged(box, 'event=port_state', 'state=program_lost')


def test_the_program_of_somebody_else_is_left_alone_and_followed_by_ours_when_it_goes(rig, started):
    box = started()
    foreign = put_foreign_program(rig, 'd1')
    assert foreign
    until_state(box, 'program_foreign', 'radio')
    assert logged(box, 'event=port_state', 'state=program_foreign', f'xdp_program={foreign}')
    time.sleep(3)
    assert program_on(rig, 'd1') == foreign and ports(box)['radio']['rebinds'] == 0
    rig.run(DUT, 'ip', 'link', 'set', 'dev', 'd1', 'xdp', 'off')
    until_state(box, 'up', 'radio')
    wait_for_wire(rig)
    assert program_on(rig, 'd1') not in (None, foreign)


def test_an_interface_that_comes_back_with_the_program_of_somebody_else_is_not_bound(rig, started):
    box = started()
    rig.cut(CORE)
    until_state(box, 'gone')
    box.process.send_signal(19)  # so that the program is there before rncd looks
    rig.restore(CORE)
    foreign = put_foreign_program(rig, 'd0')
    box.process.send_signal(18)
    until_state(box, 'program_foreign')
    assert until(lambda: str(foreign) in ports(box)['core']['reason'])
    assert program_on(rig, 'd0') == foreign
    rig.run(DUT, 'ip', 'link', 'set', 'dev', 'd0', 'xdp', 'off')
    until_state(box, 'up')
    wait_for_wire(rig)


def test_the_end_of_rncd_leaves_the_program_of_somebody_else(rig, started):
    box = started()
    foreign = put_foreign_program(rig, 'd1')
    until_state(box, 'program_foreign', 'radio')
    assert box.stop() == 0
    assert program_on(rig, 'd1') == foreign and program_on(rig, 'd0') not in (None, foreign)


@pytest.mark.parametrize('kind', KINDS)
def test_a_lost_carrier_is_told_and_needs_no_binding(rig, started, kind):
    box = started(kind)
    rig.run(CORE, 'ip', 'link', 'set', 'c0', 'down')
    until_state(box, 'no_carrier')
    dropped = ports(box)['radio']['dropped']['port_down']['frames']
    rig.ping(RADIO, count=2)
    assert until(lambda: ports(box)['radio']['dropped']['port_down']['frames'] > dropped)
    rig.run(CORE, 'ip', 'link', 'set', 'c0', 'up')
    until_state(box, 'up')
    wait_for_wire(rig)
    assert ports(box)['core']['rebinds'] == 0


@pytest.mark.parametrize('kind', KINDS)
def test_an_interface_with_another_name_is_still_the_same(rig, started, kind):
    box = started(kind)
    for command in ('set d0 down', 'set d0 name dx', 'set dx up'):
        rig.run(DUT, 'ip', 'link', *command.split())
    assert until(lambda: ports(box)['core']['interface']['name'] == 'dx')
    until_state(box, 'up')
    wait_for_wire(rig)
    assert ports(box)['core']['rebinds'] == 0 and logged(box, 'event=port_changed', 'interface=dx')


@pytest.mark.parametrize('kind', KINDS)
def test_an_interface_moved_away_is_gone_until_it_is_moved_back(rig, started, kind):
    box = started(kind)
    rig.run(DUT, 'ip', 'link', 'set', 'd0', 'netns', rig.name(RADIO))
    until_state(box, 'gone')
    rig.run(RADIO, 'ip', 'link', 'set', 'd0', 'netns', rig.name(DUT))
    rig.run(DUT, 'ip', 'link', 'set', 'd0', 'up')
    until_state(box, 'up')
    wait_for_wire(rig)
    assert ports(box)['core']['rebinds'] == 1


def test_a_tap_is_made_anew_when_it_was_deleted_and_kept_when_it_was_moved(rig, started):
    box = started(wire=False, devices=('tap:t0', 'tap:t1'))
    until_state(box, 'up')
    rig.run(DUT, 'ip', 'link', 'delete', 't0')
    assert until(lambda: ports(box)['core']['rebinds'] == 1), box.tail(30)
    until_state(box, 'up')
    rig.run(DUT, 'ip', 'link', 'show', 't0')
    rig.run(DUT, 'ip', 'link', 'set', 't1', 'netns', rig.name(RADIO))
    time.sleep(3)
    assert state(box, 'radio') == 'up' and ports(box)['radio']['rebinds'] == 0
    rig.run(RADIO, 'ip', 'link', 'show', 't1')


def test_a_frame_that_is_too_long_for_the_memory_keeps_the_port_unbound_and_says_so(rig, started):
    box = started()
    rig.cut(CORE)
    until_state(box, 'gone')
    rig.restore(CORE, mtu=3000)
    assert until(lambda: '3000' in ports(box)['core']['reason']), box.tail(30)
    assert state(box) == 'unbound' and logged(box, 'event=port_not_bound', '3000')
    rig.run(CORE, 'ip', 'link', 'set', 'c0', 'mtu', '1500')
    rig.run(DUT, 'ip', 'link', 'set', 'd0', 'mtu', '1500')
    until_state(box, 'up')
    wait_for_wire(rig)


def test_a_larger_mtu_than_the_memory_was_laid_out_for_is_told_while_the_port_is_bound(rig, started):
    box = started('af_packet')
    rig.run(DUT, 'ip', 'link', 'set', 'd0', 'mtu', '9000')
    assert until(lambda: logged(box, 'event=port_unfit', 'port=core', 'found MTU 9000', 'restart rncd'))
    assert state(box) == 'up' and 'found MTU 9000' in ports(box)['core']['reason']
    assert 'rncd_port_unfit{port="core"} 1' in box.metrics()
    rig.run(DUT, 'ip', 'link', 'set', 'd0', 'mtu', '1500')
    assert until(lambda: logged(box, 'event=port_fit', 'port=core'))
    assert ports(box)['core']['reason'] == '' and 'rncd_port_unfit{port="core"} 0' in box.metrics()


def test_a_change_that_does_no_harm_is_no_complaint(rig, started):
    box = started('af_xdp')
    for word in ('1400', '1500'):
        rig.run(DUT, 'ip', 'link', 'set', 'd0', 'mtu', word)
        time.sleep(2.5)  # two looks of control
    assert not logged(box, 'event=port_unfit'), box.tail(30)
    assert ports(box)['core']['reason'] == '' and state(box) == 'up'


def test_an_offload_that_preflight_refuses_is_told_while_the_port_is_bound_and_so_is_its_end(rig, started):
    box = started('af_packet')
    rig.run(DUT, 'ethtool', '-K', 'd0', 'gro', 'on')
    assert until(lambda: logged(box, 'event=port_unfit', 'port=core', 'run: ethtool -K d0 gro off'))
    assert state(box) == 'up' and not logged(box, 'event=port_unfit', 'port=radio')
    rig.run(DUT, 'ethtool', '-K', 'd0', 'gro', 'off')
    assert until(lambda: logged(box, 'event=port_fit', 'port=core'))

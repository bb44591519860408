"""Every documented exit code of rncd, with a message that helps."""
import socket

import pytest

from box import RNCD, Box
from netns import inside
from rig import CORE, DUT, PATIENCE, Rig, sh

CODES = {0: 'ok', 1: 'running', 2: 'usage', 3: 'configuration', 4: 'hardware', 5: 'permission', 6: 'already running',
         7: 'EAL'}


@pytest.fixture
def box(rig):
    """Not started: its configuration is what these tests need."""
    made = Box(rig, name='exit-codes')
    yield made
    made.close()


def edit(box, old, new):
    with open(box.config, encoding='utf-8') as file:
        text = file.read()
    assert old in text
    with open(box.config, 'w', encoding='utf-8') as file:
        file.write(text.replace(old, new))


def leaves(rig, *words, user=()):
    """Exit code and output of a start that is expected to fail or to end by itself."""
    done = rig.run(DUT, *user, RNCD, *words, check=False)
    return done.returncode, done.stdout + done.stderr


def test_help_lists_the_codes(rig):
    code, said = leaves(rig, '--help')
    assert code == 0
    for number, word in CODES.items():
        assert any(line.split()[:1] == [str(number)] and word in line for line in said.splitlines()), (number, word)


def test_0_a_good_configuration_and_a_good_end(rig, box):
    assert leaves(rig, '--config', box.config, '--check')[0] == 0
    assert leaves(rig, '--config', box.config, '--preflight')[0] == 0
    box.start()
    assert box.stop() == 0


def test_0_with_a_hint_where_the_far_end_would_drop_what_goes_across_and_a_note_where_it_is_out_of_sight():
    with Rig() as rig:
        box = Box(rig, name='exit-codes-far-end')
        look = ('--config', box.config, '--preflight')
        try:
            code, said = leaves(rig, *look)
            assert code == 0 and said.count('veth peer is in another network namespace') == 2 and 'GRO off' not in said
            rig.run(CORE, 'ip', 'link', 'set', 'c0', 'netns', rig.name(DUT))
            rig.run(DUT, 'ip', 'link', 'set', 'c0', 'up')
            rig.run(DUT, 'ethtool', '-K', 'c0', 'gro', 'off')
            code, said = leaves(rig, *look)
            assert code == 0 and 'hint: port core' in said and 'run: ethtool -K c0 gro on' in said
            box.start()
            assert 'event=far_end_drops port=core' in box.log_with('event=started')
            assert box.stop() == 0
            rig.run(DUT, 'ethtool', '-K', 'c0', 'gro', 'on')
            code, said = leaves(rig, *look)
            assert code == 0 and 'ethtool -K c0' not in said and said.count('veth peer is in another') == 1
        finally:
            box.close()


@pytest.mark.parametrize('name', ['SIGTERM', 'SIGINT'])
def test_0_after_a_signal_to_stop(box, name):
    import signal
    box.start()
    box.process.send_signal(getattr(signal, name))
    assert box.process.wait(PATIENCE) == 0


def test_1_when_the_metrics_address_is_taken(rig, box):
    with inside(rig.name(DUT)):
        taken = socket.create_server(('127.0.0.1', 9464))
    with taken:
        code, said = leaves(rig, '--config', box.config)
    assert code == 1
    assert '9464' in said


@pytest.mark.parametrize('words', [['--cofnig', 'x'], ['--set', 'dataplane.mode'], ['stray'],
                                   ['--help-config', 'nonsense']])
def test_2_wrong_usage(rig, words):
    code, said = leaves(rig, *words)
    assert code == 2
    assert said.strip()


BROKEN = [
    ('version: 1', 'version: 2', 'version'),
    ('version: 1', 'versoin: 1', 'version'),
    ('rate: 8M', 'rate: fast', 'rate'),
    ('rate: 8M', 'raet: 8M', 'rate'),
    ('rate: 8M', 'rate: 8M, link: shapper', 'shaper'),
    ('sdus: 50', 'sdus: 0', 'sdus'),
    ('sdus: 50', 'sdus: 50, aqm: x', 'aqm'),
    ('device: "af_xdp:d0"', 'device: "af_xpd:d0"', 'af_xdp'),
    ('core:', 'croe:', 'core'),
    ('dataplane:', 'dataplane: [', ''),
    ('classes:', 'bearers: [{ue: 10.45.0.300, class: internet}]\nclasses:', '10.45.0.300'),
    ('classes:', 'bearers: [{ue: 10.45.0.3, class: intrenet}]\nclasses:', 'internet'),
]


@pytest.mark.parametrize('old, new, helpful', BROKEN, ids=[new.replace('\n', ' ') for _, new, _ in BROKEN])
def test_3_a_broken_configuration_is_named_with_line_and_remedy(rig, box, old, new, helpful):
    edit(box, old, new)
    code, said = leaves(rig, '--config', box.config, '--check')
    assert code == 3
    assert f'{box.config}:' in said and helpful in said
    assert leaves(rig, '--config', box.config)[0] == 3


def test_3_a_file_that_is_not_there(rig):
    assert leaves(rig, '--config', '/nonexistent.yaml', '--check')[0] == 3


@pytest.mark.parametrize('change, helpful', [(('af_xdp:d0', 'af_xdp:nowhere'), 'nowhere'),
                                             (('af_xdp:d0', 'af_packet:nowhere'), 'nowhere'),
                                             (('af_xdp:d1', 'af_xdp:d0'), 'd0')])
def test_4_a_port_that_is_not_there(rig, box, change, helpful):
    edit(box, *change)
    code, said = leaves(rig, '--config', box.config)
    assert code in (3, 4) and helpful in said
    assert code == 4 or change[1] == 'af_xdp:d0'


def test_4_an_interface_that_is_down_with_the_command_that_mends_it(rig, box):
    rig.run(DUT, 'ip', 'link', 'set', 'd0', 'down')
    code, said = leaves(rig, '--config', box.config)
    rig.run(DUT, 'ip', 'link', 'set', 'd0', 'up')
    assert code == 4
    assert 'ip link set d0 up' in said or 'ip link set dev d0 up' in said


def test_4_gro_that_would_make_frames_too_large_with_the_command_that_mends_it(rig, box):
    edit(box, 'af_xdp:d0', 'af_packet:d0')
    rig.run(DUT, 'ethtool', '-K', 'd0', 'gro', 'on')
    code, said = leaves(rig, '--config', box.config)
    rig.run(DUT, 'ethtool', '-K', 'd0', 'gro', 'off')
    assert code == 4
    assert 'ethtool -K d0 gro off' in said


def test_4_more_memory_than_there_is(rig, box):
    code, said = leaves(rig, '--config', box.config, '--set', 'dataplane.memory=900GiB')
    assert code == 4
    assert 'memory' in said


def test_5_without_the_permissions_that_a_port_needs(rig, box):
    sh('chmod', '-R', 'a+rX', box.folder)
    nobody = ('setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--inh-caps=-all', '--bounding-set=-all')
    code, said = leaves(rig, '--config', box.config, user=nobody)
    assert code == 5
    assert 'CAP_' in said or 'permission' in said.lower()


def test_6_a_second_one_on_the_same_socket_leaves_the_first_alone(rig, box):
    box.start()
    code, said = leaves(rig, '--config', box.config)
    assert code == 6
    assert box.socket in said
    assert box.call('version')['api'] == 2
    rig.wait_for_wire()


def test_7_an_argument_that_eal_refuses(rig, box):
    code, said = leaves(rig, '--config', box.config, '--set', 'dataplane.eal=["--no-such-option"]')
    assert code == 7
    assert 'no-such-option' in said


def test_a_killed_box_can_be_started_again(rig, box):
    box.start()
    box.process.kill()
    box.process.wait()
    box.stop()
    again = Box(rig, name='exit-codes-again', socket_path=box.socket)
    with again:
        assert rig.ping(CORE, count=1)
    assert again.process.returncode == 0

"""`bearer set` and `rrc` of rncctl: the same words for settings, of one UE or of a file of them."""
import pytest

from box import RNCCTL, Box, sh
from rig import UE_V4

BEARERS = f'bearers:\n  - {{ue: {UE_V4}, class: internet}}\n'


@pytest.fixture(scope='module', name='box')
def fixture_box(rig):
    with Box(rig, bearers=BEARERS, name='bearer-words') as made:
        yield made


def settings(box, ue):
    bearer = box.call('bearer.get', ue=ue)
    return (bearer['downlink']['rate'], bearer['uplink']['rate'], bearer['downlink']['aqm'], bearer['downlink']['queue'],
            bearer['downlink']['gate'], bearer['uplink']['gate'],
            [stage['stage'] for stage in bearer['uplink']['ack']])


WORDS = ['--rate', '3M', '--uplink-rate', '1M', '--aqm', 'codel', '--queue', 'sfp', '--ack', 'ack-rate',
         '--gate', 'hold', '--uplink-gate', 'closed']


def test_both_commands_make_the_same_of_the_same_words(box):
    box.ctl('bearer', 'set', '10.52.0.1', '--class', 'internet', *WORDS)
    box.ctl('bearer', 'set', '10.52.0.2', '--class', 'internet')
    box.ctl('rrc', '10.52.0.2', *WORDS)
    assert settings(box, '10.52.0.1') == settings(box, '10.52.0.2') == (3_000_000, 1_000_000, 'codel', 'sfp', 'hold', 'closed',
                                                                             ['ack-rate'])
    box.ctl('bearer', 'set', '10.52.0.1', '--rate', '2M', '--direction', 'both')
    box.ctl('rrc', '10.52.0.2', '--rate', '2M', '--direction', 'both')
    assert settings(box, '10.52.0.1')[:2] == settings(box, '10.52.0.2')[:2] == (2_000_000, 2_000_000)


def test_many_bearers_are_made_and_changed_by_a_file(box, tmp_path):
    ues = [f'10.53.{i >> 8}.{i & 255}' for i in range(1000)]
    file = tmp_path / 'ues'
    file.write_text('# those of a cell\n' + ''.join(f'{ue} {i + 1}M\n' for i, ue in enumerate(ues[:3])) + '\n'.join(ues[3:]))
    made = box.ctl('bearer', 'set', '--from', str(file), '--class', 'internet', '--rate', '7M', '--aqm', 'codel')
    assert made.stdout == '1,000 created, 0 changed, 0 unchanged\n'
    assert [settings(box, ue)[0] for ue in (ues[0], ues[2], ues[3], ues[-1])] == [1_000_000, 3_000_000, 7_000_000, 7_000_000]
    assert settings(box, ues[-1])[2] == 'codel'
    assert box.ctl('bearer', 'set', '--from', str(file), '--rate', '7M').stdout.endswith(' 1,000 unchanged\n')
    changed = box.ctl('rrc', '--from', '-', input='\n'.join(ues), stdin=None, check=False)
    assert changed.returncode == 1 and 'give at least one' in changed.stderr
    assert box.ctl('rrc', '--from', str(file), '--rate', '5M').stdout.startswith('997 changed, 3 unchanged')
    assert [settings(box, ue)[0] for ue in (ues[2], ues[3])] == [3_000_000, 5_000_000]
    box.call('bearer.remove', ues=ues)


def test_a_line_that_rncd_refuses_is_named_and_nothing_is_changed(box, tmp_path):
    file = tmp_path / 'ues'
    file.write_text('10.54.0.1 1M\n\n10.54.0.2 fast\n')
    refused = box.ctl('bearer', 'set', '--from', str(file), '--class', 'internet', check=False)
    assert refused.returncode == 1 and f'{file}:3: ' in refused.stderr
    assert '10.54.0.1' not in box.ctl('show', 'bearers', '--all').stdout


def test_help_is_what_the_flag_prints_and_needs_no_rncd():
    for words in ([], ['show', 'bearers'], ['rrc']):
        assert sh(RNCCTL, 'help', *words).stdout == sh(RNCCTL, *words, '--help').stdout
    unknown = sh(RNCCTL, 'help', 'rcr', check=False)
    assert unknown.returncode == 2 and 'did you mean `rncctl rrc`?' in unknown.stderr
    script = sh(RNCCTL, '-f', '-', input='help show mode\n', stdin=None)
    assert 'inline, tap, bypass or block' in script.stdout

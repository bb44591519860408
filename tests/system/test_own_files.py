"""Files that rncd writes never replace something else, and files that it reads back never prevent a start
(control/host/own_paths.h)."""
import os
import stat

import pytest

from box import RNCD
from rig import DUT
from test_state import box_with

NOBODY = 65534


@pytest.fixture(name='state')
def fixture_state(tmp_path):
    return str(tmp_path / 'state')


def leaves(rig, box, *words):
    done = rig.run(DUT, RNCD, '--config', box.config, *words, check=False)
    return done.returncode, done.stdout + done.stderr


def text_file(path):
    with open(path, 'w', encoding='utf-8') as file:
        file.write('precious\n')


def link(path):
    os.symlink('/dev/null', path)


def node(path):
    os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 3))


def open_folder(path):
    os.chmod(os.path.dirname(path), 0o777)


FOREIGN = {'text': text_file, 'link': link, 'node': node, 'directory': os.mkdir, 'folder-of-everybody': open_folder}


@pytest.mark.parametrize('what', FOREIGN)
def test_a_state_path_that_names_something_else_is_refused_by_check_preflight_and_start_and_left_alone(rig, state, what):
    box = box_with(rig, state)
    try:
        FOREIGN[what](state)
        before = os.lstat(state) if os.path.lexists(state) else None
        for words in (['--check'], ['--preflight'], ['--check', '--restore'], ['--preflight', '--restore'], [],
                      ['--restore']):
            code, said = leaves(rig, box, *words)
            assert code == 3 and 'control.state: found' in said and os.path.dirname(state) in said, (words, said)
        after = os.lstat(state) if os.path.lexists(state) else None
        assert before == after or (before.st_ino, before.st_mode, before.st_mtime) == (
            after.st_ino, after.st_mode, after.st_mtime)
        assert set(os.listdir(os.path.dirname(state))) <= {'state'}
    finally:
        box.close()


def test_a_state_path_that_names_the_configuration_is_refused_and_the_configuration_stays(rig, state):
    box = box_with(rig, state)
    try:
        with open(box.config, encoding='utf-8') as file:
            text = file.read().replace(state, box.config)
        with open(box.config, 'w', encoding='utf-8') as file:
            file.write(text)
        os.chmod(box.config, 0o600)
        for words in (['--check'], ['--preflight'], [], ['--restore']):
            code, said = leaves(rig, box, *words)
            assert code == 3 and 'the configuration itself' in said, (words, said)
        with open(box.config, encoding='utf-8') as file:
            assert file.read() == text
    finally:
        box.close()


def test_a_file_that_comes_to_the_state_path_while_it_runs_is_left_alone(rig, state):
    box = box_with(rig, state)
    try:
        box.start()
        text_file(state)
        refused = box.ctl('save', check=False)
        assert refused.returncode != 0 and 'something else' in refused.stderr
        assert box.stop() == 0
        with open(state, encoding='utf-8') as file:
            assert file.read() == 'precious\n'
    finally:
        box.close()


@pytest.mark.parametrize('beside', ['lock', 'links'])
def test_what_stands_beside_the_socket_under_the_names_of_lock_and_mark_is_refused_or_left_alone(rig, state, beside):
    box = box_with(rig, state)
    try:
        path = f'{box.socket}.{beside}'
        text_file(path)
        code, said = leaves(rig, box, '--preflight')
        assert beside == 'links' or (code == 3 and f'found {path}, which is something else' in said), said
        assert beside == 'links' or leaves(rig, box)[0] == 3
        if beside == 'links':
            box.start()
            assert box.stop() == 0
        with open(path, encoding='utf-8') as file:
            assert file.read() == 'precious\n'
    finally:
        box.close()


@pytest.mark.parametrize('which', ['text', 'input'])
def test_the_output_of_a_port_pcap_does_not_take_the_place_of_another_file(rig, tmp_path, which):
    from scapy.utils import wrpcap
    capture, text = str(tmp_path / 'in.pcap'), str(tmp_path / 'notes')
    wrpcap(capture, [b'\0' * 60])
    text_file(text)
    before = {path: os.stat(path).st_mtime for path in (capture, text)}
    box = box_with(rig, str(tmp_path / 'state'))
    try:
        with open(box.config, encoding='utf-8') as file:
            config = file.read()
        output = text if which == 'text' else capture
        with open(box.config, 'w', encoding='utf-8') as file:
            file.write(config.replace('core:  {device: "null"}', f'core:  {{device: "pcap:{capture},{output}"}}'))
        for words in (['--preflight'], []):
            code, said = leaves(rig, box, *words)
            assert code == 3 and f'output: found {output}' in said, said
        assert before == {path: os.stat(path).st_mtime for path in (capture, text)}
    finally:
        box.close()


def nested(path):
    deep = '[' * 100_000 + ']' * 100_000
    with open(path, 'w', encoding='utf-8') as file:
        file.write('{"rncd_state":1,"running":' + deep + ',"file":{},"disk":"0"}\n')


def written_by_others(path):
    with open(path, 'w', encoding='utf-8') as file:
        file.write('{"rncd_state":1}\n')
    os.chmod(path, 0o666)


def of_another_user(path):
    with open(path, 'w', encoding='utf-8') as file:
        file.write('{"rncd_state":1}\n')
    os.chown(path, NOBODY, NOBODY)


def endless(path):
    with open(path, 'w', encoding='utf-8') as file:
        file.write('{"rncd_state":1}\n')
    os.truncate(path, 1 << 40)


UNREADABLE = {'nested': (nested, 'refused'), 'fifo': (os.mkfifo, 'no regular file'), 'endless': (endless, '1024 MiB'),
              'others-may-write': (written_by_others, 'other users may write'), 'of-another-user': (of_another_user, '65534')}


@pytest.mark.parametrize('named', [False, True], ids=['of-the-configuration', 'named'])
@pytest.mark.parametrize('what', UNREADABLE)
def test_a_state_that_cannot_be_read_is_kept_aside_and_the_start_goes_on(rig, state, what, named):
    make, why = UNREADABLE[what]
    given = state + '-given' if named else state
    box = box_with(rig, state, arguments=(f'--restore={given}',) if named else ('--restore',))
    try:
        make(given)
        assert leaves(rig, box, '--check', '--restore')[0] == 0
        box.start()
        said = box.log_with('event=state_not_restored')
        assert why in said and f'kept={given}.unread' in said, said
        assert not os.path.lexists(given) and os.path.lexists(f'{given}.unread')
        box.call('state.save')
        assert box.stop() == 0
        box.start()
        assert named or 'event=state_restored' in box.log_with('event=started')
    finally:
        box.close()


def test_a_second_start_does_not_put_aside_what_the_first_one_saves(rig, state):
    box = box_with(rig, state)
    try:
        box.start()
        box.call('state.save')
        os.chmod(state, 0o666)
        assert leaves(rig, box, '--restore')[0] == 6
        assert os.path.exists(state) and not os.path.exists(f'{state}.unread')
    finally:
        box.close()

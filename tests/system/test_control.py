"""The control socket among strangers, and rncctl against the real thing."""
import concurrent.futures
import hashlib
import json
import os
import signal
import socket
import stat
import struct
import subprocess
import sys
import time
import unicodedata

import pytest

from box import RNCCTL, RNCD, Box, Rpc, RpcError
from rig import CORE, PATIENCE, UE_V4, sh

BEARERS = f'bearers:\n  - {{ue: {UE_V4}, class: internet}}\n'
LIMIT = 4 << 20  # bytes of a request


@pytest.fixture(scope='module')
def box(rig):
    with Box(rig, bearers=BEARERS, name='control') as made:
        yield made


@pytest.fixture
def rpc(box):
    with Rpc(box.socket) as made:
        yield made


@pytest.fixture(scope='module', autouse=True)
def traffic(rig, box):
    """Whatever these tests do on the socket, every ping goes through meanwhile."""
    ping = rig.start(CORE, 'ping', '-n', '-q', '-i', '0.05', '-W', '2', UE_V4, stdout=subprocess.PIPE)
    yield
    time.sleep(1)
    ping.send_signal(signal.SIGINT)
    said, _ = ping.communicate(timeout=PATIENCE)
    assert ' 0% packet loss' in said, said


@pytest.fixture(autouse=True)
def others_are_answered(box):
    yield
    with Rpc(box.socket) as other:
        assert other.call('version')['api'] == 2


def error_of(line):
    answer = json.loads(line)
    return answer['error']['code'], answer['id']


WRONG = [
    (b'{"jsonrpc": "2.0", "id": 1, "method"', -32700),
    (b'\xff\xfe\x00', -32700),
    (b'[' * 100_000, -32600),
    (b'{"id": 1, "method": "version"}', -32600),
    (b'{"jsonrpc": "2.0", "id": 1, "method": 7}', -32600),
    (b'[]', -32600),
    (b'17', -32600),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "bearer.sett"}', -32601),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "bearer.get", "params": {"ue": 17}}', -32602),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "bearer.get", "params": {"ue": "10.45.0.2", "uee": 1}}', -32602),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "bearer.get", "params": {"ue": "10.99.0.2"}}', -32001),
]


@pytest.mark.parametrize('text, code', WRONG, ids=[repr(text[:70]) for text, _ in WRONG])
def test_a_wrong_request_gets_its_error_and_the_connection_stays(rpc, text, code):
    assert error_of(rpc.exchange(text + b'\n'))[0] == code
    assert rpc.call('version')['api'] == 2


def test_an_oversized_request_is_refused_and_cut_off(rpc):
    try:
        rpc.socket.sendall(b'{"x": "' + b'a' * (LIMIT + 100_000))
    except BrokenPipeError:
        pass
    line = rpc.reader.readline()
    assert error_of(line)[0] == -32600, line
    assert rpc.reader.readline() == ''


def test_a_half_sent_request_waits_without_holding_up_others(box):
    with Rpc(box.socket) as half, Rpc(box.socket) as other:
        half.socket.sendall(b'{"jsonrpc": "2.0", "id": 5, "meth')
        assert other.call('version')['api'] == 2
        assert json.loads(half.exchange(b'od": "version"}\n'))['id'] == 5


def test_a_client_that_vanishes_in_the_middle_disturbs_nobody(box, rpc):
    for text in (b'{"jsonrpc": "2.0", "id": 5', b'{"jsonrpc": "2.0", "id": 5, "method": "stats.get"}\n' * 200):
        rude = socket.socket(socket.AF_UNIX)
        rude.connect(box.socket)
        rude.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        rude.sendall(text)
        rude.close()
    assert rpc.call('version')['api'] == 2


def test_a_batch_is_answered_in_order_and_notifications_are_not(rpc):
    batch = [{'jsonrpc': '2.0', 'id': i, 'method': 'version'} for i in range(100)]
    batch.insert(50, {'jsonrpc': '2.0', 'method': 'version'})
    batch.insert(10, {'jsonrpc': '2.0', 'id': 'x', 'method': 'nothing'})
    answers = json.loads(rpc.exchange(json.dumps(batch).encode() + b'\n'))
    assert [answer['id'] for answer in answers if 'result' in answer] == list(range(100))
    assert [answer['error']['code'] for answer in answers if 'error' in answer] == [-32601]


def test_a_hundred_clients_at_once_are_all_answered(box):
    def talk(number):
        with Rpc(box.socket) as client:
            for _ in range(5):
                ue = f'10.48.0.{number + 1}'
                client.call('bearer.set', ue=ue, **{'class': 'internet', 'downlink': {'rate': '1M'}})
                assert client.call('bearer.get', ue=ue)['downlink']['rate'] == 1_000_000
                assert client.call('stats.get')['residue'] == 0
            return client.call('bearer.remove', ue=ue)['removed']
    with concurrent.futures.ThreadPoolExecutor(100) as pool:
        assert list(pool.map(talk, range(100))) == [1] * 100


def test_a_hundred_idle_clients_leave_room_for_one_more(box):
    idle = [Rpc(box.socket) for _ in range(100)]
    with Rpc(box.socket) as one_more:
        assert one_more.call('version')['api'] == 2
    for client in idle:
        client.close()


def test_the_socket_is_for_its_group_only(box):
    assert stat.S_IMODE(os.stat(box.socket).st_mode) == 0o660


def test_every_method_is_listed_and_listed_methods_exist(rpc):
    names = {method['name'] for method in rpc.call('rpc.methods')['items']}
    assert names >= {'version', 'rpc.methods', 'bearer.set', 'bearer.get', 'bearer.list', 'bearer.remove',
                     'rrc.reconfigure', 'profile.get', 'mode.set', 'config.get', 'config.check', 'stats.get'}
    for name in names:
        try:
            rpc.call(name)
        except RpcError as error:
            assert error.code != -32601, name


def test_who_changed_what_is_in_the_log(box, rpc):
    rpc.call('bearer.set', ue='10.48.1.1', **{'class': 'internet'})
    rpc.call('bearer.remove', ue='10.48.1.1')
    said = box.log_with('event=bearer.remove')
    lines = [line for line in said.splitlines() if 'bearer.set' in line and '10.48.1.1' in line]
    assert lines and f'pid={os.getpid()}' in lines[0] and 'uid=0' in lines[0]


# rncctl

VIEWS = ['bearers', f'bearer {UE_V4}', 'workers', 'drops', 'ports', 'classes', 'mode', 'stats', 'config', 'methods',
         'version']


@pytest.mark.parametrize('view', VIEWS)
def test_rncctl_shows_everything_to_people_and_to_machines(box, view):
    text = box.ctl('show', *view.split()).stdout
    assert text.strip()
    assert ' - ' not in text.replace('  -  ', ' - ') or view not in ('workers', 'ports', 'classes', 'mode')
    assert json.loads(box.ctl('--json', 'show', *view.split()).stdout)


def test_rncctl_json_has_the_parts_as_they_stand_in_the_protocol(box):
    bearers = json.loads(box.ctl('--json', 'show', 'bearers').stdout)['items']
    assert [one['ue'] for one in bearers] == [UE_V4]
    assert json.loads(box.ctl('--json', 'show', 'workers').stdout)['items'][0]['residue'] == 0
    ports = json.loads(box.ctl('--json', 'show', 'ports').stdout)['items']
    assert ports[0]['dropped'].keys() == box.stats()['ports']['core']['dropped'].keys()


def test_rncctl_changes_a_bearer(box):
    assert box.ctl('bearer', 'set', '10.48.2.1', '--class', 'internet', '--rate', '3M', '--sdus', '70').stdout \
        == '1 created, 0 changed, 0 unchanged\n'
    assert box.ctl('rrc', '10.48.2.1', '--rate', '1500k').stdout == '10.48.2.1 downlink 1.5 Mbit/s, was 3 Mbit/s\n'
    leg = box.downlink('10.48.2.1')
    assert (leg['rate'], leg['buffer']['sdus']) == (1_500_000, 70)
    assert box.ctl('bearer', 'remove', '10.48.2.1').stdout == 'removed 1\n'


def test_rncctl_switches_modes(box):
    assert box.ctl('mode', 'tap').stdout == 'mode tap, was inline\n'
    assert box.ctl('mode', 'inline').stdout == 'mode inline, was tap\n'


def test_rncctl_checks_a_configuration(box, tmp_path):
    assert box.ctl('config', 'check', box.config).stdout == 'the configuration is good\n'
    broken = tmp_path / 'broken.yaml'
    broken.write_text('version: 1\nclases: {}\n')
    checked = box.ctl('config', 'check', str(broken), check=False)
    assert checked.returncode == 1
    assert '2:1: ' in checked.stdout and 'classes' in checked.stdout


def test_an_rncctl_script_stops_at_its_first_error_and_names_the_line(box, tmp_path):
    script = tmp_path / 'script'
    script.write_text(f'# a comment\nshow mode\n\nrrc 10.99.0.1 --rate 1M\nrrc {UE_V4} --rate 7M\n')
    stopped = box.ctl('-f', str(script), check=False)
    assert stopped.returncode == 1
    assert f'{script}:4: refused' in stopped.stderr
    assert box.downlink(UE_V4)['rate'] == 8_000_000
    assert box.ctl('-k', '-f', str(script), check=False).returncode == 1
    assert box.downlink(UE_V4)['rate'] == 7_000_000
    assert box.ctl('-f', '-', stdin=None, input=f'rrc {UE_V4} --rate 8M\n').returncode == 0
    assert box.downlink(UE_V4)['rate'] == 8_000_000


def test_rncctl_prints_a_refusal_once_and_its_json_only_when_asked(box):
    words = ('bearer', 'set', '10.48.2.2', '--class', 'internet', '--rate', 'fast')
    plain = box.ctl(*words, check=False)
    assert (plain.returncode, plain.stdout, plain.stderr.count('fast')) == (1, '', 1), plain
    assert plain.stderr.startswith('rncctl: refused: ') and '{' not in plain.stderr
    machine = box.ctl('--json', *words, check=False)
    error = json.loads(machine.stdout)['error']
    assert (machine.returncode, error['code']) == (1, -32602)
    assert error['message'] in machine.stderr and error['data']['problems'] == [error['message']]


def test_rncctl_names_the_line_of_a_list_that_rncd_refuses(box, tmp_path):
    rates = tmp_path / 'rates'
    rates.write_text(f'# rates\n{UE_V4} 8M\n\n10.99.0.1 1M\n')
    assert f'{rates}:4: ' in box.ctl('rrc', '--from', str(rates), check=False).stderr
    rates.write_text(f'{UE_V4} fast\n')
    assert f'{rates}:1: ' in box.ctl('rrc', '--from', str(rates), check=False).stderr


READERS = [['apply'], ['config', 'check'], ['rrc', '--rate', '1M', '--from'], ['-f']]


@pytest.mark.parametrize('words', READERS, ids=[words[0] for words in READERS])
def test_rncctl_refuses_what_is_no_file_in_a_sentence(box, tmp_path, words):
    os.mkfifo(tmp_path / 'fifo')
    (tmp_path / 'empty').write_text('')
    for name, why in (('.', 'no regular file'), ('fifo', 'no regular file'), ('empty', 'is empty')):
        refused = box.ctl(*words, str(tmp_path / name), check=False)
        assert refused.returncode == 2 and why in refused.stderr, (name, refused)
    for stdin in (subprocess.DEVNULL, os.open(tmp_path, os.O_RDONLY)):
        refused = box.ctl(*words, '-', check=False, stdin=stdin)
        assert refused.returncode == 2 and 'standard input: ' in refused.stderr, refused


def test_rncctl_lists_all_bearers_to_machines(box, rpc):
    ues = [f'10.49.{i >> 8}.{i & 255}' for i in range(600)]
    rpc.call('bearer.set', bearers=[{'ue': ue, 'class': 'internet'} for ue in ues])
    try:
        assert {one['ue'] for one in json.loads(box.ctl('--json', 'show', 'bearers').stdout)['items']} >= set(ues)
        for_people = box.ctl('show', 'bearers')
        assert len(for_people.stdout.splitlines()) == 101 and 'there are more' in for_people.stderr
    finally:
        rpc.call('bearer.remove', ues=ues)


def test_a_configuration_longer_than_a_request_is_checked_compared_and_applied(box, tmp_path):
    with open(box.config, encoding='utf-8') as file:
        text = file.read()
    long = tmp_path / 'long.yaml'
    long.write_text(text + ('# ' + 97 * 'x' + '\n') * 60_000)  # 6 MB
    digest = hashlib.sha256(long.read_bytes()).hexdigest()
    assert box.ctl('config', 'check', str(long)).stdout == 'the configuration is good\n'
    assert box.ctl('apply', str(long), '--diff').stdout == 'nothing would change\n'
    box.ctl('apply', str(long))
    said = [line for line in box.log_with(digest).splitlines() if digest in line]
    assert len(said) == 1 and 'event=config.apply' in said[0] and f'for={long}' in said[0], said


def test_a_refused_configuration_is_logged_with_its_name_and_digest(box, tmp_path):
    bad = tmp_path / 'bad.yaml'
    bad.write_text('version: 7\n')
    assert box.ctl('apply', str(bad), check=False).returncode == 1
    said = box.log_with(hashlib.sha256(bad.read_bytes()).hexdigest())
    assert f'for={bad} refused=' in said, said


def test_what_a_configuration_would_change_is_listed_and_nothing_is_changed(box, tmp_path):
    with open(box.config, encoding='utf-8') as file:
        text = file.read()
    changed = tmp_path / 'changed.yaml'
    changed.write_text(text.replace('rate: 8M', 'rate: 2M').replace(UE_V4, '10.45.7.7'))
    said = box.ctl('apply', str(changed), '--dry-run').stdout
    assert 'classes.internet.downlink.rate: 8M to 2M' in said and 'bearers: 1 new, 1 removed, 0 changed' in said, said
    assert '10.45.7.7 new, class internet' in said and f'{UE_V4} removed' in said
    assert box.downlink(UE_V4)['rate'] == 8_000_000


@pytest.mark.parametrize('words, code', [
    (['show', 'mode'], 0), (['--help'], 0), (['--version'], 0),
    (['show', 'bearer', '10.99.0.1'], 1), (['call', 'nothing'], 1), (['rrc', UE_V4, '--rate', 'fast'], 1),
    ([], 2), (['show'], 2), (['shwo', 'mode'], 2), (['mode', 'sideways'], 2), (['call', 'x', '{'], 2),
    (['-f', '/nonexistent'], 2), (['--timeout', '0', 'show', 'mode'], 2)])
def test_rncctl_leaves_with_the_documented_code(box, words, code):
    assert box.ctl(*words, check=False).returncode == code


def test_no_character_that_turns_or_hides_text_reaches_the_terminal():
    every = [chr(c) for c in range(1, sys.maxunicode + 1)]
    hidden = [c for c in every if unicodedata.category(c) in ('Cc', 'Cf', 'Zl', 'Zp') and c not in '\t\n']
    for at in range(0, len(hidden), 50):
        name = ''.join(hidden[at:at + 50])  # the name of no file
        for program in ([RNCCTL, '-f', name], [RNCD, '--check', '--config', name]):
            said = sh(*program, check=False)
            assert said.returncode != 0 and '\\u' in said.stderr, said
            assert not set(said.stdout + said.stderr) & set(hidden), said


def test_rncctl_without_a_connection_leaves_with_3():
    refused = sh(RNCCTL, '-s', '/run/rncd-nobody.sock', 'show', 'mode', check=False)
    assert refused.returncode == 3
    assert '/run/rncd-nobody.sock' in refused.stderr and 'is rncd running' in refused.stderr


def test_rncctl_gives_up_in_time(tmp_path):
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(tmp_path / 'silent'))
        silent.listen(1)
        late = sh(RNCCTL, '-s', str(tmp_path / 'silent'), '--timeout', '300', 'show', 'mode', check=False)
    assert late.returncode == 3
    assert '300 ms' in late.stderr

"""Attacks of one client of the control socket on the others: each runs while a bystander requests `version`. Latencies
are printed; the bounds are generous, an order of magnitude from the fault that they would show."""
import concurrent.futures
import contextlib
import json
import os
import re
import socket
import stat
import subprocess
import sys
import time

import pytest

from attack import Bystander, seconds_used
from box import RNCCTL, RUNNING, Box, Rpc, RpcError
from rig import PATIENCE, sh

MIB = 1 << 20
NOBODY = 65534
WORST = 5.0  # seconds, of a bystander on a machine that compiles; a list of 4 MiB took half an hour


@pytest.fixture(scope='module')
def box(rig):
    """With a read-only socket beside its own, whose path is in `.public`."""
    path = f'/run/{rig.prefix}public.sock'
    with Box(rig, name='attacks', arguments=('--set', f'control.read_only={path}')) as made:
        made.public = path
        # Every user may connect, so that users can be told apart.
        os.chmod(made.folder, 0o755)
        os.chmod(made.socket, 0o666)
        yield made
    assert not os.path.exists(path) and not os.path.exists(path + '.lock')


@pytest.fixture(autouse=True)
def connections_anew():
    """An attack may have cost the boxes' own idle connections their places."""
    yield
    for one in RUNNING:
        one.rpc.close()
        one.rpc = Rpc(one.socket)


def connect(path):
    client = socket.socket(socket.AF_UNIX)
    client.connect(path)  # waits while the backlog is full, as it would not with a time limit
    client.settimeout(PATIENCE)
    return client


def send_all(client, data):
    """True if the socket took all of it."""
    try:
        client.sendall(data)
    except (BrokenPipeError, ConnectionResetError):
        return False
    return True


def last_words(client):
    """The octets that a client reads until it is cut off, or has nothing more to read."""
    said = b''
    try:
        while piece := client.recv(65536):
            said += piece
    except (BlockingIOError, ConnectionResetError, socket.timeout):
        pass
    return said.decode()


def memory_of(process):
    """Peak of resident memory in bytes since the process began."""
    with open(f'/proc/{process.pid}/status', encoding='utf-8') as status:
        return int(re.search(r'VmHWM:\s+(\d+) kB', status.read())[1]) << 10


def in_parallel(count, work):
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        return [done.result() for done in [pool.submit(work, i) for i in range(count)]]


LISTS = {'objects': b'[' + b'{},' * 1_398_000 + b'{}]', 'numbers': b'[' + b'1,' * 2_097_000 + b'1]',
         'objects within a call': b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"l":[' + b'{},' * 40_000 + b'{}]}}',
         'objects, as many as are allowed': b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"l":['
                                            + b'{},' * 262_000 + b'{}]}}',
         'one string': b'["' + b'a' * (4 * MIB - 10) + b'"]'}


@pytest.mark.parametrize('text', LISTS.values(), ids=LISTS)
def test_long_lists(box, text):
    def attack(_):
        with Rpc(box.socket) as rpc:
            for _ in range(5):
                assert 'error' in rpc.exchange(text + b'\n')
    with Bystander(box.socket) as bystander:
        in_parallel(3, attack)
    print(bystander)
    bystander.judge(worst=WORST)


def test_empty_lines(box):
    def attack(_):
        with Rpc(box.socket) as rpc:
            rpc.socket.sendall(b'\n' * (16 * MIB))
            assert rpc.call('version')
    before = seconds_used(box.process)
    with Bystander(box.socket) as bystander:
        in_parallel(2, attack)
    used = seconds_used(box.process) - before
    print(bystander, f'32 MiB of empty lines took {used:.1f} s of CPU time')
    assert used < 20, '60 where each line moves all that is behind it'
    bystander.judge(worst=WORST)


def test_many_requests_in_one_go(box):
    """Pipelined without an end, and without reading the answers."""
    line = b'{"jsonrpc":"2.0","id":1,"method":"stats.get"}\n'

    def attack(_):
        client = connect(box.socket)
        client.settimeout(3)
        try:
            client.sendall(line * 100_000)
        except OSError:
            pass
        client.close()
    with Bystander(box.socket) as bystander:
        in_parallel(8, attack)
    print(bystander)
    bystander.judge(worst=WORST)


def test_silent_clients_lock_nobody_out(box):
    with Bystander(box.socket) as bystander:
        silent = [connect(box.socket) for _ in range(600)]
        for _ in range(20):
            with Rpc(box.socket) as operator:
                assert operator.call('version')['api'] == 2
        time.sleep(0.5)
    print(bystander)
    bystander.judge(worst=WORST)
    told = json.loads(last_words(silent[0]))
    assert told['error']['code'] == -32000 and 'connect again' in told['error']['message']
    for client in silent:
        client.close()


def test_half_lines_hold_a_bounded_memory(box):
    before = memory_of(box.process)
    with Bystander(box.socket) as bystander:
        half = [connect(box.socket) for _ in range(200)]
        sent = [send_all(client, b'{"x":"' + b'a' * (4 * MIB - 100)) for client in half]
        with Rpc(box.socket) as operator:
            big = json.dumps({'jsonrpc': '2.0', 'id': 1, 'method': 'version', 'params': {'x': 'y' * (2 * MIB)}})
            assert json.loads(operator.exchange(big.encode() + b'\n'))['error']['code'] == -32602
    print(bystander)
    held = memory_of(box.process) - before
    print(f'{len(half)} half requests of 4 MiB, {sum(sent)} taken whole: rncd grew by {held / MIB:.0f} MiB')
    assert held < 250 * MIB  # 64 in buffers, the largest at work, and what the allocator keeps; it was 791
    bystander.judge(worst=WORST)
    for client in half:
        client.setblocking(False)
    words = [said for client in half if (said := last_words(client))]
    assert words and all('held more than 64 MiB' in said for said in words)
    for client in half:
        client.close()


# A user that is not the owner: opens connections and sends half a request on each, until its input ends.
STRANGER = '''
import socket, sys
clients = []
for _ in range(int(sys.argv[2])):
    client = socket.socket(socket.AF_UNIX)
    client.connect(sys.argv[1])
    client.sendall(b'{"half')
    clients.append(client)
print('done', flush=True)
sys.stdin.read()
'''


def test_one_user_takes_no_others_place(box):
    with Rpc(box.socket) as operator, Bystander(box.socket, user=1234) as bystander:
        with subprocess.Popen([sys.executable, '-c', STRANGER, box.socket, '700'], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True, user=NOBODY) as stranger:
            assert stranger.stdout.readline() == 'done\n'
            assert operator.call('version')['api'] == 2
            time.sleep(1.5)  # the metrics are of the last second
            shown = box.metrics()
            with Rpc(box.socket) as another:
                assert another.call('version')['api'] == 2
            stranger.stdin.close()
    print(bystander)
    bystander.judge(worst=WORST)
    open_then = int(re.search(r'rncd_control_connections\{socket="control"\} (\d+)', shown)[1])
    assert open_then <= 128 + 10, 'more than the stranger\'s share'
    with open(box.log, encoding='utf-8') as log:
        lines = [line for line in log if 'event=clients_cut' in line]
    assert 1 <= len(lines) < 40 and 'evicted=' in ''.join(lines)


def test_rncctl_says_that_it_was_refused(tmp_path):
    """Against a socket that refuses as rncd does."""
    with socket.socket(socket.AF_UNIX) as full:
        full.bind(str(tmp_path / 'full'))
        full.listen(1)
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            def refuse():
                client, _ = full.accept()
                client.sendall(b'{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"256 are open"}}\n')
                client.close()
            refusing = pool.submit(refuse)
            refused = sh(RNCCTL, '-s', str(tmp_path / 'full'), 'show', 'mode', check=False)
            refusing.result()
    assert refused.returncode == 3 and '256 are open' in refused.stderr


# The read-only socket

def test_the_read_only_socket_serves_what_reads(box):
    assert stat.S_IMODE(os.stat(box.public).st_mode) == 0o666
    with Rpc(box.public) as curious:
        listed = {method['name']: method['read_only'] for method in curious.call('rpc.methods')['items']}
        assert {name for name, reads in listed.items() if reads} == {
            'version', 'rpc.methods', 'bearer.get', 'bearer.list', 'bearer.top', 'bearer.why', 'cell.get', 'cell.list',
            'event.list', 'flow.list', 'profile.get', 'proxy.show', 'config.get', 'stats.get', 'tunnel.list'}
        assert curious.call('stats.get')['residue'] == 0
        assert curious.call('bearer.list')['items'] == []
        for name, reads in listed.items():
            if reads:
                continue
            with pytest.raises(RpcError) as refused:
                curious.call(name, mode='bypass')
            assert refused.value.code == -32005 and 'use control.socket' in str(refused.value)
    assert box.call('stats.get')['mode'] == 'inline'


def test_the_read_only_socket_shows_no_path_of_this_host(box):
    box.call('bearer.set', ue='10.50.0.1', **{'class': 'internet'})
    shown = ''
    with Rpc(box.public) as curious:
        for method in curious.call('rpc.methods')['items']:
            for params in ({}, {'ue': '10.50.0.1'}, {'policy': 'red'}):
                with contextlib.suppress(RpcError):
                    shown += json.dumps(curious.call(method['name'], **params))
        with pytest.raises(RpcError) as refused:
            curious.call('mode.set', mode='bypass')
    for path in (box.public, box.socket, box.folder, '"/'):
        assert path not in shown + str(refused.value)
    assert box.call('config.get')['control']['socket'] == box.socket
    box.call('bearer.remove', ue='10.50.0.1')


@pytest.mark.paired
def test_a_crowd_of_the_curious_weighs_no_more_than_one_client(box):
    """Judged by what one client of the operator's own socket costs with the same questions, on the same machine."""
    box.call('bearer.set', bearers=[{'ue': f'10.50.{i // 250}.{i % 250 + 1}', 'class': 'internet'}
                                       for i in range(500)])
    line = b'{"jsonrpc":"2.0","id":1,"method":"bearer.list","params":{"limit":1000}}\n'

    def median_beside(path, clients):
        stop = time.monotonic() + 4

        def ask(_):
            answers = 0
            try:
                with Rpc(path) as client:
                    while time.monotonic() < stop:
                        answers += '"result"' in client.exchange(line)
            except OSError:  # had no place
                pass
            return answers
        with Bystander(box.socket) as bystander:
            answers = sum(in_parallel(clients, ask))
        print(bystander, f'while {clients} had {answers} answers')
        assert answers > 0
        return bystander.p50
    one = median_beside(box.socket, 1)
    crowd = median_beside(box.public, 80)
    assert crowd < 10 * one + 0.05, 'some eighty times as much where each of the crowd has its turn'

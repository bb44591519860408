"""Starting, reloading and stopping: a request is carried out whole, and nothing that is not ours is touched."""
import json
import os
import re
import resource
import signal
import socket
import subprocess
import time

import pytest

from box import RNCCTL, RNCD, Box, Rpc
from hold import Held
from rig import CORE, DUT, PATIENCE, UE_V4
from steady import until


def many(count):
    return ''.join(f'  - {{ue: 10.{46 + n // 65536}.{n // 256 % 256}.{n % 256}, class: internet}}\n'
                   for n in range(count))


@pytest.fixture
def box(rig):
    """Not started."""
    made = Box(rig, name='lifecycle', bearers=f'bearers:\n  - {{ue: {UE_V4}, class: internet}}\n')
    yield made
    made.close()


def edit(box, *changes):
    with open(box.config, encoding='utf-8') as file:
        text = file.read()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    with open(box.config, 'w', encoding='utf-8') as file:
        file.write(text)


def until_logged(box, event, seconds=PATIENCE):
    """The log's line of the event."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with open(box.log, encoding='utf-8') as log:
            lines = [line for line in log if f'event={event} ' in line]
        if lines:
            return lines[-1]
        time.sleep(0.05)
    raise AssertionError(f'no event {event} in the log:\n{box.tail()}')


def logged(box, pattern, seconds=PATIENCE):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with open(box.log, encoding='utf-8') as log:
            if re.search(pattern, log.read()):
                return True
        time.sleep(0.05)
    return False


def blocks(pid, number):
    with open(f'/proc/{pid}/status', encoding='ascii') as file:
        mask, = (int(line.split()[1], 16) for line in file if line.startswith('SigBlk:'))
    return bool(mask >> (number - 1) & 1)


@pytest.mark.parametrize('after', [0.0, 0.05, 0.2, 0.5, 1.0])
def test_a_signal_at_any_moment_of_the_start_ends_it_cleanly(rig, after):
    box = Box(rig, name='early', bearers='bearers:\n' + many(20_000))
    try:
        with open(box.log, 'w', encoding='utf-8') as log:
            box.process = rig.start(DUT, RNCD, '--config',
                                    box.config, stdout=log, stderr=log)
        time.sleep(after)
        heard = blocks(box.process.pid, signal.SIGTERM)
        box.process.send_signal(signal.SIGTERM)
        code = box.process.wait(PATIENCE)
        # Before it listens to signals, which it blocks for that, the kernel ends it.
        assert code == 0 or (code == -signal.SIGTERM and not heard), box.tail()
    finally:
        box.close()


def test_a_file_that_the_socket_path_names_is_refused_and_left_alone(box):
    with open(box.socket, 'w', encoding='utf-8') as file:
        file.write('precious')
    done = box.rig.run(DUT, RNCD, '--config', box.config, check=False)
    assert done.returncode == 3 and box.socket in done.stdout + done.stderr
    with open(box.socket, encoding='utf-8') as file:
        assert file.read() == 'precious'


def test_hangup_applies_what_may_change_and_names_what_may_not(rig, box):
    box.start()
    rig.wait_for_wire()
    edit(box, ('rate: 8M', 'rate: 3M'), ('bearers:\n', 'bearers:\n  - {ue: 10.45.7.7, class: internet}\n'),
         ('dataplane:\n', 'dataplane:\n  max_bearers: 77\n'))
    box.process.send_signal(signal.SIGHUP)
    until_logged(box, 'reloaded')
    assert 'max_bearers' in until_logged(box, 'reload_kept')
    assert box.downlink(UE_V4)['rate'] == 3_000_000
    assert box.downlink('10.45.7.7')['rate'] == 3_000_000


def test_hangup_with_a_broken_file_changes_nothing(rig, box):
    box.start()
    rig.wait_for_wire()
    edit(box, ('rate: 8M', 'raet: 3M'))
    box.process.send_signal(signal.SIGHUP)
    assert 'raet' in until_logged(box, 'reload_refused')
    assert until(lambda: 'rncd_config_last_reload_successful 0' in box.metrics())
    assert box.downlink(UE_V4)['rate'] == 8_000_000
    assert len(rig.ping(CORE, count=3)) == 3


def test_it_ends_cleanly_when_there_is_no_memory_for_another_thread(rig, box):
    box.start()
    rig.wait_for_wire()
    with open(f'/proc/{box.process.pid}/statm', encoding='ascii') as file:
        pages = int(file.read().split()[0])
    # A thread's stack is 8 MiB; the heap has a little room yet.
    limit = pages * resource.getpagesize() + (1 << 20)
    resource.prlimit(box.process.pid, resource.RLIMIT_AS, (limit, limit))
    box.process.send_signal(signal.SIGTERM)
    assert box.process.wait(PATIENCE) == 0, box.tail()
    assert 'residue=0' in until_logged(box, 'stopped')


# Those that crashes send, and those that have no effect on a process that runs, are the kernel's.
KERNELS = {signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGTRAP, signal.SIGSYS, signal.SIGABRT,
           signal.SIGKILL, signal.SIGSTOP, signal.SIGCONT, signal.SIGCHLD, signal.SIGURG, signal.SIGWINCH}
STOPS = {signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGXCPU}


def test_a_signal_that_habit_sends_is_logged_and_ends_nothing(box):
    box.start()
    others = [number for number in (*range(1, 32), *range(34, 65)) if number not in KERNELS | STOPS]
    for number in others:
        os.kill(box.process.pid, number)
    unlogged = {signal.SIGHUP, signal.SIGPIPE}
    for number in set(others) - unlogged:
        name = re.escape(signal.strsignal(number))
        assert logged(box, rf'event=signal name="?{name}"? pid={os.getpid()} .*does=nothing'), name
    until_logged(box, 'reloaded')
    assert box.call('version')['api'] == 2 and box.process.poll() is None


@pytest.mark.parametrize('name', ['SIGQUIT', 'SIGXCPU'])
def test_a_signal_that_stops_it_drains_first(box, name):
    box.start()
    box.process.send_signal(getattr(signal, name))
    assert box.process.wait(PATIENCE) == 0, box.tail()
    assert 'residue=0' in until_logged(box, 'stopped')


def devices_of_first_three(pid):
    """By number: the name is another one where rncd and this process have different roots."""
    return {os.stat(f'/proc/{pid}/fd/{number}').st_rdev for number in (0, 1, 2)}


def test_started_with_closed_descriptors_it_keeps_their_numbers_from_what_it_opens(box):
    box.process = box.rig.start(DUT, '/bin/sh', '-c', f'exec {RNCD} --config {box.config} <&- >&- 2>&-')
    box.connect()
    assert devices_of_first_three(box.process.pid) == {os.stat('/dev/null').st_rdev}
    with open(f'{box.socket}.lock', encoding='ascii') as file:
        assert file.read() == f'{box.process.pid}\n'


def test_what_rncctl_prints_with_its_output_closed_does_not_go_to_rncd(tmp_path):
    path = str(tmp_path / 'sock')
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        client = subprocess.Popen(['/bin/sh', '-c', f'exec {RNCCTL} -s {path} save <&- >&- 2>&-'])
        listener.settimeout(PATIENCE)
        with listener.accept()[0] as served:
            served.settimeout(PATIENCE)
            request = served.makefile('r').readline()
            answer = {'jsonrpc': '2.0', 'id': json.loads(request)['id'],
                      'result': {'file': '/state', 'bytes': 1}}
            served.sendall(json.dumps(answer).encode() + b'\n')
            assert served.recv(4096) == b''
        assert client.wait(PATIENCE) == 0


def test_hangup_makes_a_socket_that_was_removed_anew(box):
    box.start()
    os.unlink(box.socket)
    os.unlink(f'{box.socket}.lock')
    box.process.send_signal(signal.SIGHUP)
    assert box.socket in until_logged(box, 'socket_made_anew')
    with Rpc(box.socket) as client:
        assert client.call('version')['api'] == 2
    assert os.path.exists(f'{box.socket}.lock')


def test_of_two_that_a_cleaner_let_share_a_path_the_end_of_one_leaves_the_other_its_socket(rig, box):
    box.start()
    os.unlink(box.socket)
    os.unlink(f'{box.socket}.lock')
    other = Box(rig, devices=('null', 'null'), name='lifecycle-other', socket_path=box.socket, more='metrics: off\n')
    try:
        other.start()
        box.process.send_signal(signal.SIGHUP)
        assert 'rncd is already running' in until_logged(box, 'socket_not_made')
        assert box.stop() == 0
        assert os.path.exists(box.socket) and os.path.exists(f'{box.socket}.lock')
        with Rpc(box.socket) as client:
            assert client.call('version')['api'] == 2
    finally:
        other.close()


def test_a_start_waits_for_one_that_was_killed_and_takes_long_to_end(rig, box):
    box.start()
    with Held(box.process.pid, at_exit=True) as holder:
        box.process.kill()
        holder.held()
        again = Box(rig, devices=('null', 'null'), name='lifecycle-again', socket_path=box.socket, more='metrics: off\n')
        try:
            with open(again.log, 'w', encoding='utf-8') as log:
                again.process = rig.start(DUT, RNCD, '--config', again.config, stdout=log, stderr=log)
            time.sleep(3)  # more than the two seconds for one that lives
            assert again.process.poll() is None, again.tail()
            holder.let_go()
            again.connect()
        finally:
            again.close()


def worker_of(pid):
    """The thread of the worker, once it is there."""
    for tid in os.listdir(f'/proc/{pid}/task'):
        with open(f'/proc/{pid}/task/{tid}/comm', encoding='utf-8') as file:
            if file.read().startswith('rncd-worker'):
                return int(tid)
    return None


def held_while_it_starts(rig, box, tries=10):
    """Starts it and holds its worker before all of its bearers are there."""
    for _ in range(tries):
        with open(box.log, 'w', encoding='utf-8') as log:
            box.process = rig.start(DUT, RNCD, '--config', box.config, stdout=log, stderr=log)
        while (tid := worker_of(box.process.pid)) is None:
            assert box.process.poll() is None, box.tail()
        holder = Held(tid)
        if not logged(box, 'event=started', seconds=0.5):
            return holder
        holder.let_go()
        assert rig.stop(box.process, PATIENCE) == 0
    raise AssertionError('it starts too fast to be held')


@pytest.mark.parametrize('end', ['goes-on', 'is-told-to-stop'])
def test_a_start_whose_worker_gets_no_cpu_says_so_each_second_and_waits(rig, tmp_path, end):
    box = Box(rig, devices=('null', 'null'), name='lifecycle-starved', bearers='bearers:\n' + many(60_000))
    notify = str(tmp_path / 'notify')
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(notify)
        manager.settimeout(PATIENCE)
        os.environ['NOTIFY_SOCKET'] = notify
        try:
            with held_while_it_starts(rig, box) as holder:
                assert logged(box, 'event=worker_awaited worker=0 seconds=6 '), box.tail()
                assert box.process.poll() is None
                with open(box.log, encoding='utf-8') as log:
                    seconds = re.findall(r'event=worker_awaited worker=0 seconds=(\d+)', log.read())
                assert len(set(seconds)) == len(seconds), seconds
                while not manager.recv(4096).startswith(b'EXTEND_TIMEOUT_USEC='):
                    pass
                if end == 'is-told-to-stop':
                    box.process.send_signal(signal.SIGTERM)
                    assert logged(box, 'event=signal'), box.tail()
                holder.let_go()
            if end == 'goes-on':
                box.connect()
                with open(box.log, encoding='utf-8') as log:
                    assert 'event=worker_silent' not in log.read()
            else:
                assert box.process.wait(PATIENCE) == 0, box.tail()
        finally:
            del os.environ['NOTIFY_SOCKET']
            box.close()

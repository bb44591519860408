"""Error traces over the control socket: names from one directory, and nothing that a client could make root open."""
import os
import signal
import subprocess
import sys

import pytest

from attack import Bystander
from box import Box, Rpc, RpcError
from rig import UE_V4
from steady import until

SECRET = 'hunter2'
# Holds a lease on the file of its argument, for which a process that opens the file would have to wait up to 45 s.
LESSEE = '''
import fcntl, os, signal, sys
signal.signal(signal.SIGIO, signal.SIG_IGN)
fd = os.open(sys.argv[1], os.O_RDWR)
fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_WRLCK)
print('leased', flush=True)
sys.stdin.read()
'''


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp('traces')
    (made / 'good.trace').write_text('0001\n' * 100)
    (made / 'secret.trace').write_text(f'0001\n00{SECRET}\n')
    os.mkfifo(made / 'fifo')
    (made / 'leased').write_text('0001\n')
    (made / 'link').symlink_to('good.trace')
    return made


@pytest.fixture(scope='module')
def box(rig, folder):
    with Box(rig, bearers=f'bearers:\n  - {{ue: {UE_V4}, class: internet}}\n', name='traces') as made:
        # control.traces may change while rncd runs.
        with open(made.config, encoding='utf-8') as file:
            text = file.read()
        made.without = text
        with open(made.config, 'w', encoding='utf-8') as file:
            file.write(text.replace('control: {', f'control: {{traces: "{folder}", '))
        yield made


@pytest.fixture(scope='module')
def traced(box):
    """The box once it knows the directory."""
    box.process.send_signal(signal.SIGHUP)
    assert until(lambda: box.call('config.get')['control']['traces'] != 'none'), box.tail()
    return box


def set_trace(rpc, name, ue='10.45.9.9'):
    am = {'am': {'channel': 'trace', 'trace': name}}
    return rpc.call('bearer.set', **{'ue': ue, 'class': 'internet', 'downlink': {'rate': '384k', 'link': am},
                                     'uplink': {'rate': '64k'}})


def refusal(rpc, name):
    with pytest.raises(RpcError) as refused:
        set_trace(rpc, name)
    assert refused.value.code == -32602
    return str(refused.value)


def test_without_a_directory_every_trace_is_refused_and_told_how_to_allow_it(box, folder):
    for name in ('good.trace', str(folder / 'good.trace'), '/etc/passwd'):
        assert 'control: {traces: DIRECTORY}' in refusal(box, name)


def test_a_name_of_the_directory_is_a_trace(traced):
    set_trace(traced, 'good.trace')
    assert "'trace': 'good.trace'" in str(traced.call('bearer.get', ue='10.45.9.9')['downlink'])


@pytest.mark.parametrize('name', ['/etc/shadow', '../good.trace', 'x/../good.trace', '.', '..', '/proc/self/mem',
                                  'good.trace\0.x', ''])
def test_nothing_else_is_named(traced, name):
    said = refusal(traced, name)
    assert 'found' in said and 'expected' in said


def test_an_error_says_where_and_not_what_stands_there(traced):
    said = refusal(traced, 'secret.trace')
    assert 'secret.trace:2:3' in said
    assert SECRET not in said


def test_a_link_out_of_the_directory_is_refused(traced):
    assert 'symbolic link' in refusal(traced, 'link')


def test_a_fifo_and_a_lease_keep_nobody_waiting(traced, folder):
    lessee = subprocess.Popen([sys.executable, '-c', LESSEE, str(folder / 'leased')], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)
    try:
        assert lessee.stdout.readline() == 'leased\n'
        with Bystander(traced.socket) as bystander, Rpc(traced.socket) as rpc:
            for _ in range(20):
                assert 'no regular file' in refusal(rpc, 'fifo')
                assert 'lease' in refusal(rpc, 'leased')
    finally:
        lessee.communicate('')
    bystander.judge(worst=5)  # a lease would hold for 45 s, a FIFO for ever


def test_a_file_that_is_swapped_all_the_time_is_a_trace_or_a_problem(traced, folder):
    (folder / 'swapped').write_text('01')
    os.mkfifo(folder / 'other')
    libc_exchange = 'import ctypes, os, sys\nlibc = ctypes.CDLL(None)\nprint("go", flush=True)\nwhile True: ' \
        'libc.renameat2(-100, sys.argv[1].encode(), -100, sys.argv[2].encode(), 2)\n'
    swapper = subprocess.Popen([sys.executable, '-c', libc_exchange, str(folder / 'swapped'), str(folder / 'other')],
                               stdout=subprocess.PIPE, text=True)
    try:
        swapper.stdout.readline()
        with Bystander(traced.socket) as bystander:
            for _ in range(200):
                try:
                    set_trace(traced, 'swapped')
                except RpcError as refused:
                    assert 'no regular file' in str(refused)
    finally:
        swapper.kill()
        swapper.communicate()
    bystander.judge(worst=5)


def test_many_bearers_share_one_trace_and_others_are_answered(traced, folder):
    (folder / 'long.trace').write_text('0' * (1 << 20))
    am = {'am': {'channel': 'trace', 'trace': 'long.trace'}}
    legs = {'downlink': {'rate': '384k', 'link': am}, 'uplink': {'rate': '64k'}}
    ues = [f'10.45.10.{n}' for n in range(1, 101)]
    before = resident(traced.process.pid)
    with Rpc(traced.socket) as rpc:
        rpc.call('bearer.set', bearers=[{'ue': ue, 'class': 'internet', **legs} for ue in ues])
        grown = resident(traced.process.pid) - before
        rpc.call('bearer.remove', ues=ues)
    assert grown < 60 << 20  # 100 traces of their own would be 100 times 128 KiB, and 100 times 1 MiB while read


def resident(pid):
    with open(f'/proc/{pid}/statm', encoding='ascii') as file:
        return int(file.read().split()[1]) * os.sysconf('SC_PAGE_SIZE')


def test_a_configuration_that_is_checked_opens_nothing(traced, folder):
    secret = folder / 'secret.trace'
    for path in (str(secret), str(folder / 'fifo'), '/etc/shadow', '/nowhere'):
        text = traced.without.replace('classes:\n', 'classes:\n  traced:\n    downlink: {rate: 384k, link: {am: '
                                      f'{{channel: trace, trace: "{path}"}}}}}}\n    uplink: {{rate: 64k}}\n')
        assert traced.call('config.check', config=text) == {'ok': True, 'errors': [], 'unopened': [path]}


def test_a_configuration_file_that_became_a_fifo_is_not_waited_for(traced):
    with open(traced.config, encoding='utf-8') as file:
        text = file.read()
    os.unlink(traced.config)
    os.mkfifo(traced.config)
    try:
        with Bystander(traced.socket) as bystander:
            traced.process.send_signal(signal.SIGHUP)
            assert until(lambda: 'reload_refused' in traced.tail(50)), traced.tail()
    finally:
        os.unlink(traced.config)
        with open(traced.config, 'w', encoding='utf-8') as file:
            file.write(text)
    bystander.judge(worst=5)

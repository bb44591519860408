"""The wire outlives rncd: frames cross while it is dead, hangs, stops or starts (dataplane/xdp)."""
import contextlib
import ctypes
import json
import os
import re
import signal
import socket
import subprocess
import time

import pytest

import box as box_module
from box import RNCCTL, Box
from bpf import count_maps
from rig import CORE, DUT, PATIENCE, UE_V4, Rig, sh
from steady import Load, until

BEARERS = f'bearers:\n  - {{ue: {UE_V4}, class: internet}}\n'
PING_MS = 10


@pytest.fixture(name='rig')
def fixture_rig():
    """One for each test: the program stays on its interfaces."""
    with Rig() as made:
        yield made


@pytest.fixture(name='box')
def fixture_box(rig):
    box = Box(rig, device='af_xdp', name='wire', dataplane='  wire: {stale_after: 25ms}\n', bearers=BEARERS)
    box.start()
    rig.wait_for_wire()
    yield box
    box.close()


class Pings:
    """A ping each 10 ms from the core to the UE while this is open; then which of them had no answer."""

    def __init__(self, rig):
        self.process = rig.start(CORE, 'ping', '-n', '-D', '-i', str(PING_MS / 1000), UE_V4,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.load = Load().__enter__()
        time.sleep(0.5)

    def end(self):
        time.sleep(0.5)
        self.load.look()
        self.process.send_signal(signal.SIGINT)
        text = self.process.communicate(timeout=PATIENCE)[0]
        sent = int(re.search(r'(\d+) packets transmitted', text)[1])
        seen = {int(number) for number in re.findall(r'icmp_seq=(\d+) ttl', text)}
        # The last may still have been on their way.
        return sent, [number for number in range(1, sent - 5) if number not in seen]


def kill(box):
    """Ends rncd like a crash: none of its code runs."""
    box.process.send_signal(signal.SIGKILL)
    box.process.wait(timeout=PATIENCE)
    box.rpc.close()
    box.rpc = None
    box_module.RUNNING.remove(box)


def program_on(rig, interface):
    said = rig.run(DUT, 'ip', '-details', 'link', 'show', interface).stdout
    found = re.search(r'prog/xdp id (\d+)', said)
    return int(found[1]) if found else None


def programs_on(rig):
    return [program_on(rig, interface) for interface in ('d0', 'd1')]


def programs_shown(rig):
    wire, = wires(rig)
    return [port['program'] for port in wire['ports'].values()]


def test_a_kill_costs_three_pings_at_most(rig, box):
    programs = programs_on(rig)
    assert all(programs)
    pings = Pings(rig)
    time.sleep(1)
    kill(box)
    time.sleep(3)
    sent, lost = pings.end()
    assert sent > 50 and len(lost) <= pings.load.allows(3), lost
    assert programs_on(rig) == programs


def test_the_next_start_takes_the_wire_back_and_costs_one_ping_at_most(rig, box):
    programs = programs_on(rig)
    assert all(programs)
    kill(box)
    pings = Pings(rig)
    box.start()
    time.sleep(1)
    sent, lost = pings.end()
    assert sent > 20 and len(lost) <= pings.load.allows(1), lost
    assert programs_on(rig) == programs
    assert box.stats()['ports']['core']['received']['frames'] > 0


def test_a_clean_stop_costs_one_ping_at_most(rig, box):
    pings = Pings(rig)
    assert box.stop() == 0
    time.sleep(1)
    sent, lost = pings.end()
    assert sent > 20 and len(lost) <= pings.load.allows(1), lost


def test_a_hang_is_bypassed_until_it_ends(rig, box):
    pings = Pings(rig)
    box.process.send_signal(signal.SIGSTOP)
    time.sleep(2)
    box.process.send_signal(signal.SIGCONT)
    assert until(lambda: box.stats()['ports']['core']['received']['frames'] > 0)
    sent, lost = pings.end()
    assert sent > 40 and len(lost) <= pings.load.allows(5), lost  # 50 ms


def test_tcp_outlives_a_kill_and_the_next_start(rig, box):
    transfer = rig.iperf(CORE, 6)
    time.sleep(1.5)
    kill(box)
    time.sleep(1.5)
    box.start()
    intervals = transfer.finish()
    assert all(count > 0 for _, _, count in intervals[-4:]), intervals


def test_the_service_manager_is_told_each_second_while_the_workers_make_progress(rig, tmp_path, monkeypatch):
    path = str(tmp_path / 'notify')
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(path)
        manager.settimeout(10)
        monkeypatch.setenv('NOTIFY_SOCKET', path)
        box = Box(rig, device='af_xdp', name='wire-notify', bearers=BEARERS)
        box.start()
        try:
            heard = [manager.recv(100) for _ in range(4)]
            assert heard.count(b'READY=1') == 1 and heard.count(b'WATCHDOG=1') == 3, heard
            box.process.send_signal(signal.SIGSTOP)
            time.sleep(0.5)
            manager.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                while True:
                    manager.recv(100)
            time.sleep(2.5)
            with pytest.raises(BlockingIOError):
                manager.recv(100)
        finally:
            box.process.send_signal(signal.SIGCONT)
            box.close()


def wires(rig):
    return json.loads(sh(*rig.within(DUT, RNCCTL, '--json', 'wire', 'show')).stdout)['items']


def test_rncctl_shows_the_wire_before_during_and_after(rig, box):
    shown, = wires(rig)
    assert shown['on_failure'] == 'open' and shown['ports']['core']['interface'] == 'd0'
    assert [port['state'] for port in shown['ports'].values()] == ['normal', 'normal']
    assert shown['ports']['core']['frames']['normal'] > 0
    kill(box)
    assert until(lambda: wires(rig)[0]['ports']['core']['state'] == 'bypass')
    assert rig.ping(CORE, count=2)
    after, = wires(rig)
    for side, port in after['ports'].items():
        assert port['frames']['bypass'] >= 2 and port['program'] == shown['ports'][side]['program']
        assert port['failovers'] == shown['ports'][side]['failovers'] + 1
    text = sh(*rig.within(DUT, RNCCTL, 'wire', 'show')).stdout
    assert 'd0' in text and 'bypass' in text and 'on failure open' in text
    assert 'removed from d0 d1' in sh(*rig.within(DUT, RNCCTL, 'wire', 'remove', 'd0', 'd1')).stdout
    assert not wires(rig) and not rig.ping(CORE, count=1)
    refused = sh(*rig.within(DUT, RNCCTL, 'wire', 'remove', 'd0', 'd1'), check=False)
    assert refused.returncode == 1 and 'd0' in refused.stderr


def test_a_wire_can_be_installed_before_any_rncd_and_is_taken_over(rig):
    sh(*rig.within(DUT, RNCCTL, 'wire', 'install', 'd0', 'd1'))
    rig.wait_for_wire()
    installed = programs_shown(rig)
    with Box(rig, device='af_xdp', name='wire-installed', bearers=BEARERS) as box:
        assert programs_shown(rig) == installed
        before = box.stats()['ports']['core']['received']['frames']
        assert rig.ping(CORE, count=2)
        assert box.stats()['ports']['core']['received']['frames'] > before
        assert 'rncd_bypass_active{port="core"} 0' in box.metrics()
        assert 'rncd_wire_frames_total{port="radio",way="bypass"}' in box.metrics()


def test_closed_on_failure_lets_nothing_through(rig):
    with Box(rig, device='af_xdp', name='wire-closed', dataplane='  wire: {on_failure: closed}\n') as box:
        assert rig.ping(CORE, count=2)
        kill(box)
    assert not rig.ping(CORE, count=2)
    assert wires(rig)[0]['ports']['core']['state'] == 'disconnect'
    assert wires(rig)[0]['ports']['core']['frames']['disconnect'] > 0


def test_a_port_of_another_kind_takes_the_program_off_its_interface(rig, box):
    kill(box)
    with Box(rig, device='af_packet', name='wire-packet', bearers=BEARERS) as other:
        assert rig.ping(CORE, count=2) and not wires(rig)
        assert other.stats()['ports']['core']['received']['frames'] > 0


@pytest.mark.alone  # it counts the maps of the whole machine
def test_many_kills_leave_the_programs_and_their_counts_go_on(rig, box):
    programs, maps, failovers = programs_shown(rig), count_maps('rncd_'), 0
    for _ in range(5):
        kill(box)
        assert rig.ping(CORE, count=1)
        before, failovers = failovers, wires(rig)[0]['ports']['core']['failovers']
        assert failovers > before
        box.start()
        assert until(lambda: wires(rig)[0]['ports']['core']['state'] == 'normal')
        assert rig.ping(CORE, count=1)
    assert programs_shown(rig) == programs and count_maps('rncd_') == maps


def test_what_an_operator_orders_holds_until_he_takes_it_back(rig, box):
    def order(word):
        return sh(*rig.within(DUT, RNCCTL, 'wire', 'mode', word)).stdout
    assert 'ordered: bypass' in order('bypass')
    before = box.stats()['ports']['core']['received']['frames']
    assert rig.ping(CORE, count=2) and box.stats()['ports']['core']['received']['frames'] == before
    assert 'rncd_bypass_active{port="core"} 1' in box.metrics()
    assert box.stop() == 0
    box.start()
    assert 'state=bypass' in box.log_with('event=wire_ordered')
    assert 'ordered: disconnect' in order('disconnect') and not rig.ping(CORE, count=1)
    assert 'ordered' not in order('normal') and rig.ping(CORE, count=2)
    assert box.stats()['ports']['core']['received']['frames'] > 0


def test_a_wire_is_not_installed_over_that_of_a_living_rncd(rig, box):
    refused = sh(*rig.within(DUT, RNCCTL, 'wire', 'install', 'd0', 'd1', '--on-failure', 'closed'), check=False)
    assert refused.returncode == 1 and 'dataplane.wire' in refused.stderr
    assert wires(rig)[0]['on_failure'] == 'open'
    kill(box)
    assert until(lambda: wires(rig)[0]['ports']['core']['state'] == 'bypass')
    assert 'on failure closed' in sh(*rig.within(DUT, RNCCTL, 'wire', 'install', 'd0', 'd1', '--on-failure', 'closed')).stdout


@pytest.mark.parametrize('ends, why', [
    (('d0', 'd0'), 'found d0 at both ends'), (('lo', 'd1'), 'found lo, '), (('d0', 'lo'), 'found lo, '),
    (('d0', 'nothing'), "found no interface 'nothing'")], ids=lambda value: '-'.join(value) if isinstance(value, tuple) else '')
def test_a_wire_between_what_cannot_be_its_ends_is_refused(rig, ends, why):
    refused = sh(*rig.within(DUT, RNCCTL, 'wire', 'install', *ends), check=False)
    assert refused.returncode == 1 and why in refused.stderr, refused
    assert not wires(rig)


def test_an_end_of_a_wire_is_not_taken_for_another(rig):
    sh(*rig.within(DUT, RNCCTL, 'wire', 'install', 'd0', 'd1'))
    rig.run(DUT, 'ip', 'link', 'add', 'd2', 'type', 'veth', 'peer', 'name', 'd3')
    refused = sh(*rig.within(DUT, RNCCTL, 'wire', 'install', 'd2', 'd1'), check=False)
    assert refused.returncode == 1 and 'rncctl wire remove d0 d1' in refused.stderr, refused
    assert [port['interface'] for port in wires(rig)[0]['ports'].values()] == ['d0', 'd1']


def test_the_wire_of_a_living_rncd_is_removed_by_force_only(rig, box):
    program = program_on(rig, 'd0')
    refused = sh(*rig.within(DUT, RNCCTL, 'wire', 'remove', 'd0', 'd1'), check=False)
    assert refused.returncode == 1 and 'cuts the wire' in refused.stderr and '--force' in refused.stderr, refused
    assert program_on(rig, 'd0') == program and rig.ping(CORE, count=2)
    assert 'removed from d0 d1' in sh(*rig.within(DUT, RNCCTL, 'wire', 'remove', 'd0', 'd1', '--force')).stdout


PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_DETACH, WALL = 0x4206, 0x4207, 17, 0x40000000


@contextlib.contextmanager
def one_thread_held(pid, name):
    """Holds a thread as if it had lost its CPU; the others of its process go on."""
    task, = (task for task in os.listdir(f'/proc/{pid}/task')
             if open(f'/proc/{pid}/task/{task}/comm', encoding='utf-8').read().strip() == name)
    ptrace = ctypes.CDLL(None, use_errno=True).ptrace
    for request in (PTRACE_SEIZE, PTRACE_INTERRUPT):
        assert ptrace(ctypes.c_long(request), ctypes.c_long(int(task)), None, None) == 0, os.strerror(ctypes.get_errno())
    os.waitpid(int(task), WALL)
    try:
        yield
    finally:
        ptrace(ctypes.c_long(PTRACE_DETACH), ctypes.c_long(int(task)), None, None)


@pytest.mark.parametrize('queues, scope, alone', [(2, 'worker', True), (2, 'wire', False), (1, 'worker', False)])
def test_a_worker_that_hangs_takes_its_ues_along_or_all(queues, scope, alone):
    ues = [f'10.45.0.{n}' for n in range(2, 14)]
    with Rig(len(ues), queues) as rig, Box(rig, device='af_xdp', name='wire-scope', dataplane=(
            f'  workers: 2\n  wire: {{failure_scope: {scope}}}\n')) as box:
        of = [[], []]
        for ue in ues:
            box.set_bearer(ue)
            of[box.call('bearer.get', ue=ue)['worker']].append(ue)

        def ways(some):
            """Frames of the core's side by their way, while UEs of a worker are pinged from there."""
            before = wires(rig)[0]['ports']['core']['frames']
            for ue in some:
                rig.run(CORE, 'ping', '-n', '-c', '3', '-i', '0.05', '-W', '2', ue)
            after = wires(rig)[0]['ports']['core']['frames']
            return {way: after[way] - before[way] for way in after}
        for worker in (0, 1):
            assert ways(of[worker])['normal'] >= 3 * len(of[worker])
        with one_thread_held(box.process.pid, 'rncd-worker1'):
            assert until(lambda: wires(rig)[0]['ports']['core']['state'] == 'bypass')
            held = ways(of[1])
            assert held['normal'] < 3 and held['bypass'] >= 3 * len(of[1]), held
            # Frames that come by the queue of the one that hangs cross as well, whichever worker has their UE.
            others = ways(of[0])
            assert (others['normal'] >= 3) == alone and others['normal'] + others['bypass'] >= 3 * len(of[0]), others
            assert wires(rig)[0]['failure_scope'] == ('worker' if alone else 'wire')
        assert until(lambda: wires(rig)[0]['ports']['core']['state'] == 'normal')
        for worker in (0, 1):
            assert ways(of[worker])['normal'] >= 3 * len(of[worker])
        assert all(port['failovers'] < 10 for port in wires(rig)[0]['ports'].values())  # and not one a frame

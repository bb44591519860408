"""Two workers, each with a share of the UEs: every frame is shaped by the one that has its UE, whichever receives it.
If the ports have one queue each, one worker receives from the core and the other from the radio side; if they have two,
each worker receives from both."""
import json
import signal
import subprocess
import time

import pytest

from box import Box
from rig import CORE, PATIENCE, RADIO, Rig, goodput, promised
from steady import near

UES = [f'10.45.0.{n}' for n in range(2, 14)]
ROOM = {'sdus': 4000, 'bytes': '8MB'}


# Numbered datagrams between 10.45.0.1 and each UE, FLOWS a UE; the receiver reports the number that came from each UE,
# and the flows in which one came after a later one.
FLOWS, DATAGRAMS = 8, 40
SEND = '''
import socket, struct, sys, time
ues, flows, count, downlink = sys.argv[1].split(','), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == 'core'
sockets = []
for ue in range(len(ues)):
    for flow in range(flows):
        one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        one.bind(('10.45.0.1' if downlink else ues[ue], 7001 + flows * ue + flow))
        one.connect((ues[ue] if downlink else '10.45.0.1', 7000))
        sockets.append((one, ue, flow))
for number in range(count):
    for one, ue, flow in sockets:
        one.send(struct.pack('!III', ue, flow, number).ljust(200))
    time.sleep(0.02)
'''
RECEIVE = '''
import collections, json, socket, struct, sys
mine = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
mine.setsockopt(socket.SOL_SOCKET, 33, 1 << 24)  # SO_RCVBUFFORCE
mine.bind(('', 7000))
print('ready', flush=True)
last, came, late = {}, collections.Counter(), []
mine.settimeout(20)
try:
    while sum(came.values()) < int(sys.argv[1]):
        ue, flow, number = struct.unpack('!III', mine.recv(300)[:12])
        if last.get((ue, flow), -1) >= number:
            late.append((ue, flow, number))
        last[ue, flow] = number
        came[ue] += 1
        mine.settimeout(3)
except socket.timeout:
    pass
print(json.dumps({'came': came, 'late': late}))
'''


# The kind of device of each port, and over how many queues of its interface.
@pytest.fixture(scope='module', name='two', params=['af_xdp', 'af_xdp-2', 'af_packet'])
def fixture_two(request):
    device, _, queues = request.param.partition('-')
    with Rig(len(UES), int(queues or 1)) as rig, Box(rig, device=device, name='workers', dataplane='  workers: 2\n') as box:
        box.queues = 2 if device == 'af_packet' else rig.queues
        for ue in UES:
            box.set_bearer(ue, downlink={'rate': '8M', 'buffer': ROOM})
        yield rig, box


def workers(box):
    return box.stats()['workers']


def ue_of(box, worker):
    return next(ue for ue in UES if box.call('bearer.get', ue=ue)['worker'] == worker)


def test_each_worker_has_the_bearers_that_bearer_get_says(two):
    _, box = two
    said = [box.call('bearer.get', ue=ue)['worker'] for ue in UES]
    assert sorted(set(said)) == [0, 1]
    assert [one['bearers'] for one in workers(box)] == [said.count(0), said.count(1)]
    text = box.metrics()
    for worker in (0, 1):
        assert f'rncd_worker_bearers{{worker="{worker}"}} {said.count(worker)}' in text
        assert f'rncd_worker_given_frames_total{{worker="{worker}"}}' in text


def check_queues(rig, box, sender):
    before, lost = workers(box), (box.dropped(), box.driver_losses())
    expected = len(UES) * FLOWS * DATAGRAMS
    receiver = rig.start(rig.other(sender), 'python3', '-c', RECEIVE, str(expected), stdout=subprocess.PIPE)
    assert receiver.stdout.readline() == 'ready\n'
    rig.run(sender, 'python3', '-c', SEND, ','.join(UES), str(FLOWS), str(DATAGRAMS), sender)
    got = json.loads(receiver.communicate(timeout=PATIENCE)[0])
    assert not got['late']
    assert got['came'] == {str(ue): FLOWS * DATAGRAMS for ue in range(len(UES))}
    assert (box.dropped(), box.driver_losses()) == lost
    for what, side in (('received', sender), ('sent', rig.other(sender))):
        carried = [now[what][side] - was[what][side] for now, was in zip(workers(box), before)]
        assert sum(share > expected / 10 for share in carried) == box.queues, f'{what} at {side}: {carried}'


@pytest.mark.paired
@pytest.mark.parametrize('sender', [CORE, RADIO], ids=['downlink', 'uplink'])
def test_ues_of_both_workers_get_their_rates_at_once(two, sender):
    rig, box = two
    ues = [ue_of(box, 0), ue_of(box, 1)]
    leg = {'rate': '8M', 'link': 'shaper', 'buffer': ROOM}
    for ue in ues:
        box.set_bearer(ue, downlink=leg, uplink=leg)

    def measured():
        before = workers(box)
        transfers = [rig.iperf(CORE, 6, port=5201 + n, window='200K', to=ue) for n, ue in enumerate(ues)] \
            if sender == CORE else [rig.iperf(RADIO, 6, window='200K')]
        rates = [goodput(transfer.finish(), 2, 6) for transfer in transfers]
        assert not box.dropped()
        if box.queues == 1:
            assert all(now['given'] > was['given'] for now, was in zip(workers(box), before))
        return min(rates)
    near(measured, promised(8_000_000), 0.05)


@pytest.mark.parametrize('sender', [CORE, RADIO], ids=['downlink', 'uplink'])
def test_every_queue_carries_frames_and_every_flow_stays_in_order(two, sender):
    check_queues(*two, sender)


def test_changes_of_mode_and_rate_lose_nothing_and_end_where_they_began(two):
    rig, box = two
    ues = [ue_of(box, 0), ue_of(box, 1)]
    transfers = [rig.iperf(CORE, 6, port=5201 + n, to=ue) for n, ue in enumerate(ues)]
    for mode in ('tap', 'inline', 'bypass', 'inline', 'block', 'inline'):
        box.call('mode.set', mode=mode)
        time.sleep(0.4)
        assert box.stats()['residue'] == 0
    for rate in ('2M', '20M', '8M'):
        for ue in ues:
            box.call('rrc.reconfigure', bearer=ue, rate=rate)
        time.sleep(0.4)
    for transfer in transfers:
        assert goodput(transfer.finish(), 0, 6) > 1_000_000
    lost = box.dropped()
    # In tap and bypass both downloads are as fast as the machine: egress_full is what a port could not take of that.
    assert set(lost) <= {'blocked', 'buffer_sdus', 'buffer_bytes', 'egress_full'}


def test_a_port_that_comes_back_has_its_queues_again(two):
    rig, box = two
    rig.cut(CORE)
    box.log_with('event=port_state port=core')
    rig.restore(CORE)
    box.log_with('event=port_bound port=core')
    rig.wait_for_wire()
    check_queues(rig, box, CORE)
    check_queues(rig, box, RADIO)


def test_ues_are_learnt_by_the_worker_that_has_them_and_the_end_is_clean(two):
    rig, box = two
    for ue in UES:
        box.call('bearer.remove', ue=ue)
    assert [one['bearers'] for one in workers(box)] == [0, 0]
    learner = box.config
    with open(learner, encoding='utf-8') as file:
        text = file.read()
    with open(learner, 'w', encoding='utf-8') as file:
        file.write(text.replace('control:', 'bearers:\n  - {ue: 10.45.0.0/16, class: internet, learn: true}\ncontrol:'))
    box.process.send_signal(signal.SIGHUP)
    box.log_with('event=reloaded ')
    for ue in UES:
        rig.run(RADIO, 'ping', '-n', '-c', '2', '-i', '0.2', '-W', '2', '-I', ue, rig.address(CORE), check=False)
    assert sum(one['bearers'] for one in workers(box)) == len(UES)
    assert all(one['bearers'] > 0 for one in workers(box))
    assert box.stop() == 0

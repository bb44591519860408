"""An operator's question about twelve subscribers who are slow each for another reason: `why` names the right one."""
import json
import os
import subprocess
import sys
import time

import pytest

from box import RNCCTL, ROOT, Box, sh
from rig import CORE, DUT, Rig
from steady import Load, until
from streams import Streams

sys.path.append(os.path.join(ROOT, 'tools', 'demo_lib'))

from radio import MAC, RADIO, RadioRig  # noqa: E402

SPAN = 13  # seconds of traffic before the question: rates are those of 10 to 12 s
OWN, CELL, CELL_TOO, LOSSY, SOURCE, SHARP, SMALL, WINDOW, CLASS, FAR, DEAD = (f'10.45.0.{n}' for n in range(2, 13))
BUFFER = 'buffer: {sdus: 200}'
CLASSES = f'''\
  gold:   {{downlink: {{rate: 5M, {BUFFER}}}}}
  basic:  {{downlink: {{rate: 1M, {BUFFER}}}}}
  lossy:  {{downlink: {{rate: 5M, {BUFFER}, link: {{um: {{delay: 10ms, loss: 0.03, seed: 5}}}}}}}}
  sharp:  {{downlink: {{rate: 5M, {BUFFER}, aqm: {{codel: {{target: 100us, interval: 1ms}}}}}}}}
  small:  {{downlink: {{rate: 5M, buffer: {{sdus: 3}}}}}}
  window: {{downlink: {{rate: 5M, {BUFFER}}}, uplink: {{ack: [{{window-regulator: {{form: static, buffer: 8kB}}}}]}}}}
  heard:  {{downlink: {{rate: 5M, {BUFFER}}}, uplink: {{ack: [snoop]}}}}
  shared: {{downlink: {{rate: 50M, {BUFFER}, link: {{cell: {{radio: {{constant: {{rate: 3M}}}}}}}}}}}}
'''
IN = {OWN: 'gold', CELL: 'shared, cell: sector', CELL_TOO: 'shared, cell: sector', LOSSY: 'lossy', SOURCE: 'gold', SHARP: 'sharp',
      SMALL: 'small', WINDOW: 'window', CLASS: 'gold', FAR: 'heard', DEAD: 'gold'}
BEARERS = 'bearers:\n' + ''.join(f'  - {{ue: {ue}, class: {cls}}}\n' for ue, cls in IN.items())
# Packets that nobody answers, 2 Mbit/s.
UNANSWERED = '''
import socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
while True:
    s.sendto(bytes(int(sys.argv[2])), (sys.argv[1], 9))
    time.sleep(float(sys.argv[3]))
'''
# Leaves other programs one part in twenty of a CPU (sched_rt_runtime_us).
SPINS = '''
import os, sys, time
os.sched_setaffinity(0, {int(sys.argv[1])})
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
end = time.monotonic() + float(sys.argv[2])
while time.monotonic() < end:
    pass
'''


def download(rig, ue, control='cubic', pace=0):
    """A download that outlasts the test; its server is on a port of its own."""
    return Streams(rig, ue, 6000 + int(ue.rsplit('.', 1)[1]), down=100_000_000, controls=(control,), pace=pace)


def unanswered(rig, ue, size=1000, pause=0.004):
    """Packets to a UE that is away: the core knows its link address, and it answers nothing."""
    rig.run(CORE, 'ip', 'neigh', 'replace', ue, 'lladdr', MAC[RADIO], 'dev', 'c0')
    return rig.start(CORE, '/usr/bin/python3', '-c', UNANSWERED, ue, str(size), str(pause))


def why(box, ue):
    return json.loads(sh(RNCCTL, '-s', box.socket, '--json', 'why', ue).stdout)


def check(box, expected):
    """The answers become those: TCP and the samples need their time. A machine that gives the worker no CPU for most of
    the time is an answer, too."""
    def differ():
        with Load() as load:
            found = {ue: why(box, ue) for ue in expected}
        starved = {ue for ue in expected if found[ue]['limit'] in ('worker', 'port') and len(expected) > 1}
        return {ue: found[ue] for ue in expected if found[ue]['limit'] != expected[ue] and not (load.busy and ue in starved)}
    until(lambda: not differ(), 3 * SPAN)
    wrong = differ()
    assert not wrong, json.dumps([(ue, expected[ue], answer) for ue, answer in wrong.items()], indent=1)


def worker_cpu(box):
    """The CPU on which the worker runs now."""
    for task in os.listdir(f'/proc/{box.process.pid}/task'):
        with open(f'/proc/{box.process.pid}/task/{task}/stat', encoding='ascii') as file:
            name, rest = file.read().rsplit(')', 1)
        if 'worker' in name:
            return int(rest.split()[36])
    raise AssertionError('no worker among the threads')


def test_nine_subscribers_side_by_side():
    with RadioRig(10, core_ms=0, radio_ms=25) as rig, \
            Box(rig, classes=CLASSES, bearers=BEARERS, more='cells: {sector: {slots: 1000}}\n', name='why') as box:
        box.call('rrc.reconfigure', bearer=OWN, rate='1M')
        box.call('bearer.set', ue=CLASS, **{'class': 'basic'})
        unanswered(rig, DEAD)
        for ue in (OWN, CELL, CELL_TOO, LOSSY, SHARP, SMALL, WINDOW, CLASS):
            download(rig, ue, control='reno' if ue == SMALL else 'cubic')
        download(rig, SOURCE, pace=100_000)
        time.sleep(SPAN)
        expected = {OWN: 'rate', CELL: 'cell', LOSSY: 'radio', SOURCE: 'source', SHARP: 'aqm', SMALL: 'full', WINDOW: 'window',
                    CLASS: 'class_rate', DEAD: 'ue_silent'}
        check(box, expected)
        assert_screens(box, expected)
        box.hurry()


def assert_screens(box, ues):
    text = sh(RNCCTL, '-s', box.socket, 'why', OWN).stdout
    assert 'overrides the 5 Mbit/s of its class gold' in text and 'rrc.reconfigure' in text, text
    assert 'the configuration gives it gold' in sh(RNCCTL, '-s', box.socket, 'why', CLASS).stdout
    for ue in ues:
        for line in sh(RNCCTL, '-s', box.socket, 'why', ue).stdout.splitlines():
            assert len(line) <= 80, line
    top = sh(RNCCTL, '-s', box.socket, 'top', '--once', '--by', 'rate').stdout
    for ue, word in ((OWN, 'rate'), (CELL, 'cell'), (WINDOW, 'window')):
        line = next(line for line in top.splitlines() if line.startswith(ue + ' '))
        assert line.split()[-1] == word and len(line) <= 80, top
    by_drops = json.loads(sh(RNCCTL, '-s', box.socket, '--json', 'top', '--by', 'drops', '--limit', '3').stdout)
    assert {row['ue'] for row in by_drops['items']} & {SMALL, SHARP, OWN, CLASS, CELL, CELL_TOO}
    rates = [row['downlink']['dropped_per_second'] for row in by_drops['items']]
    assert rates == sorted(rates, reverse=True) and by_drops['of'] == len(IN)


def test_a_far_server():
    """Losses on the way to it keep the connection slow, too."""
    with RadioRig(11, core_ms=150, radio_ms=5, core_loss=0.02) as rig, \
            Box(rig, classes=CLASSES, bearers=BEARERS, more='cells: {sector: {}}\n', name='why-far') as box:
        download(rig, FAR)
        time.sleep(SPAN)
        check(box, {FAR: 'far_side'})
        box.hurry()


def test_a_port_that_is_too_slow():
    """The kernel queues behind the radio port, and the port's ring fills."""
    with Rig() as rig, Box(rig, device='af_packet', classes='  internet: {downlink: {rate: 50M}}\n',
             bearers=f'bearers: [{{ue: {OWN}, class: internet}}]\n', name='why-port') as box:
        rig.run(DUT, 'tc', 'qdisc', 'replace', 'dev', 'd1', 'root', 'tbf', 'rate', '1mbit', 'burst', '3kb', 'limit', '100mb')
        rig.start(CORE, '/usr/bin/python3', '-c', UNANSWERED, OWN, '1400', '0.001')
        time.sleep(SPAN)
        check(box, {OWN: 'port'})
        assert 'dropped at the ports' in sh(RNCCTL, '-s', box.socket, 'why', OWN).stdout
        rig.run(DUT, 'tc', 'qdisc', 'delete', 'dev', 'd1', 'root')
        box.hurry()


@pytest.mark.alone  # it takes a CPU from the worker, and from whatever runs beside
def test_a_worker_without_its_cpu():
    with Rig() as rig, Box(rig, classes='  internet: {downlink: {rate: 50M, buffer: {sdus: 100}}}\n',
             bearers=f'bearers: [{{ue: {OWN}, class: internet}}]\n', name='why-worker') as box:
        download(rig, OWN)
        rig.start(DUT, '/usr/bin/python3', '-c', SPINS, str(worker_cpu(box)), str(4 * SPAN), stderr=subprocess.STDOUT)
        time.sleep(SPAN)
        check(box, {OWN: 'worker'})
        assert 'had no CPU for' in sh(RNCCTL, '-s', box.socket, 'why', OWN).stdout
        box.hurry()

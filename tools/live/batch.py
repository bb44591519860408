"""One batch of the live table: its bearers, downloads and captures at once, and the rows that come of it."""
import json
import os
import subprocess
import time

import taps
from bench import SERVER
from rig import CORE, RADIO, RigError

HOSTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'hosts.py')
PORT = 5300
PACKET, PAYLOAD = 1500, 1448  # IPv4, TCP with timestamps
PATIENCE = 20


def busy_time():
    """CPU seconds since the machine started: busy, and all."""
    with open('/proc/stat', encoding='utf-8') as file:
        ticks = [int(text) for text in file.readline().split()[1:9]]
    idle = ticks[3] + ticks[4]
    return sum(ticks) - idle, sum(ticks)


class Host:
    def __init__(self, rig, side, role):
        self.rig, self.role = rig, role
        self.process = rig.start(side, '/usr/bin/python3', '-B', HOSTS, role, str(PORT), stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE)
        if self.process.stdout.readline().strip() != 'ready':
            raise RigError(f'the host that is to {role} did not start')

    def plan(self, **plan):
        self.process.stdin.write(json.dumps(plan) + '\n')
        self.process.stdin.flush()

    def answer(self):
        try:
            out, _ = self.process.communicate(timeout=PATIENCE)
            return json.loads(out)
        except (subprocess.TimeoutExpired, ValueError) as error:
            raise RigError(f'the host that is to {self.role} gave no answer: {error}') from error
        finally:
            self.rig.stop(self.process)


def wait_until(moment, tick):
    while (left := moment - time.monotonic()) > 0:
        tick()
        time.sleep(min(left, 0.5))


def legs_of(box, cells):
    """The downlinks' counters by UE."""
    listed = box.call('bearer.list', limit=1000)['items']
    counted = {one['ue']: one['downlink'] for one in listed}
    return {cell.ue: counted[cell.ue] for cell in cells}


def lost_since(before, after):
    return {name: count - before.get(name, 0) for name, count in after.items() if count > before.get(name, 0)}


def run(rig, box, cells, warm_up, seconds, folder, tick=lambda: None):
    """(rows, what is to be known of the batch)"""
    links = list({cell.link.number: cell.link for cell in cells}.values())
    box.call('bearer.set', bearers=[cell.bearer() for cell in cells])
    captures = [taps.Tap(rig, CORE, SERVER, links, folder), taps.Tap(rig, RADIO, 'r0', links, folder)]
    for capture in captures:
        capture.wait_until_it_runs()
    receiver, sender = Host(rig, RADIO, 'receive'), Host(rig, CORE, 'send')
    begin = time.monotonic() + warm_up
    end = begin + seconds - warm_up
    receiver.plan(**{'from': begin, 'until': end})
    sender.plan(**{'from': begin, 'until': end, 'flows': [[cell.ue, cell.congestion, cell.flows] for cell in cells]})
    clock = time.time() - time.monotonic()
    wait_until(begin, tick)
    before, busy, losses = legs_of(box, cells), busy_time(), box.driver_losses()
    rig.wire_report()
    wait_until(end, tick)
    after, busy_end, wire = legs_of(box, cells), busy_time(), rig.wire_report()
    got, sent = receiver.answer(), sender.answer()
    missed = [capture.stop() for capture in captures]
    box.call('bearer.remove', ues=[cell.ue for cell in cells])
    found = taps.delays(captures[0].packets(), captures[1].packets(), begin + clock, end + clock)
    rows = [row(cell, got, sent, before[cell.ue], after[cell.ue], found[cell.ue]) for cell in cells]
    return rows, {'links': [link.name for link in links], 'cells': len(cells), 'rate': max(link.rate for link in links),
                  'seconds': seconds, 'warm_up_s': warm_up,
                  'cpu_busy': (busy_end[0] - busy[0]) / (busy_end[1] - busy[1]), 'wire': wire, 'capture_missed': missed,
                  'ended': sent['ended'], 'driver_losses': lost_since(losses, box.driver_losses())}


def estimate(mean):
    return {'mean': mean, 'ci90': None}


def row(cell, got, sent, before, after, found):
    flows = [count for name, count in got['bytes'].items() if name.split(':')[0] == cell.ue]
    told = sent['ues'][cell.ue]
    payload = 8 * max(sum(flows) - told['early'] * PAYLOAD, 0) / got['seconds']
    mean, p95 = taps.mean_and_p95(found)
    squares = sum(count * count for count in flows) * cell.flows
    grown = {name: after[name] - before[name] for name in ('delivered_bytes', 'dropped_sdus')}
    return {
        'id': cell.id, 'flows': cell.flows, 'runs': 1,
        'goodput_kbit_s': estimate(payload * PACKET / PAYLOAD / 1e3), 'goodput_1460_kbit_s': estimate(payload / 1e3),
        'delay_s': estimate(mean), 'delay_p95_s': estimate(p95),
        'dropped_sdus': estimate(grown['dropped_sdus']), 'retransmissions': estimate(told['resent']),
        'jain': estimate(sum(flows) ** 2 / squares if squares else None),
        'utilisation': estimate(8 * grown['delivered_bytes'] / got['seconds'] / cell.link.rate),
        'packets_timed': sum(len(ports) for ports in found.values()),
        'limited_by_host_s': told['limited'],
        'set': {'link': cell.link.name, 'rate': cell.link.rate, 'flows': cell.flows, 'congestion': cell.congestion,
                'aqm': cell.aqm},
    }

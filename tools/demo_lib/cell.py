"""tools/demo --cell: kernel TCP in one emulated cell, whose scheduler and queues are switched while it runs. Half of
the UEs have a download each; the others, and at last these too, fetch a few kilobytes now and then."""
import dataclasses
import json
import os
import subprocess
import time

import cell_verdict
from around import measured
from stage import CORE, RADIO, kbit, rncd, say, wire

CELL = 'sector-1'
SDUS = 20  # buffer of each, 001's
PORT = 7000  # port of the fetches
PAUSES = {'web': 0.7, 'bulk': 2.0}  # seconds between the fetches of a UE, exponential
SETTLE = 3  # seconds after a switch that count for nothing
FETCHES = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'fetches.py')


@dataclasses.dataclass
class Phase:
    """The cell's settings between two switches, and the observations. Moments are in seconds since 1970."""
    queue: str
    scheduler: str
    all_fetch: bool = False  # those that download, too
    began: float = 0
    ended: float = 0
    bytes: dict = dataclasses.field(default_factory=dict)  # {UE: IP bytes that the cell delivered}
    slots: dict = dataclasses.field(default_factory=dict)  # {'short' and so on: count}
    fetches: list = dataclasses.field(default_factory=list)

    def title(self):
        return f'{self.queue} + {self.scheduler}' + (', all' if self.all_fetch else '')


def phases(schedulers):
    """Short flows first under one scheduler after the other, and under the first again; then, when all fetch, without
    and with short flows first."""
    first = schedulers[0]
    return [Phase('sfp', one) for one in (*schedulers, first)] + [Phase('fifo', first, True), Phase('sfp', first, True)]


class CellShow:
    def __init__(self, options):
        self.options = options
        self.ues = options.users
        self.again = 'tools/demo --hold --cell'
        everyone = [f'10.45.0.{2 + n}' for n in range(options.users)]
        self.bulk, self.web = everyone[:options.users // 2], everyone[options.users // 2:]

    def config(self):
        leg = f'rate: 2.5M, buffer: {{sdus: {SDUS}}}, link: {{cell: {{radio: hdr, doppler: 2, snr: 1}}}}, queue: sfp'
        # As in 001 the means of those who have nothing to send decay.
        return {'classes': f'  cell:\n    downlink: {{{leg}}}\n',
                'bearers': 'bearers:\n' + ''.join(f'  - {{ue: {ue}, class: cell, cell: {CELL}}}\n'
                                                  for ue in self.bulk + self.web),
                'more': f'cells:\n  {CELL}: {{scheduler: {self.options.scheduler[0]}, members: {max(16, self.ues)}, '
                        f'share: 100%, short_share: 100%}}\n'}

    def show(self, rig, box):
        seen = measured(box, lambda: self.run(rig, box))
        outcome = cell_verdict.report(self, seen, box)
        folder = self.options.out or os.path.join(rncd.BUILD, 'demo')
        drawn = cell_verdict.draw(folder, seen, self.bulk)
        say(f'  The picture: {os.path.relpath(drawn)}, from the .csv and by the .gp beside it\n')
        return outcome

    def commands(self):
        return ['show cells', f'cell set {CELL} scheduler=pf-rp', f'cell set {CELL} share=50%']

    def run(self, rig, box):
        seen = phases(self.options.scheduler)
        length = self.options.seconds
        total = length * len(seen)
        if self.options.initial_window:
            rig.run(CORE, 'ip', 'route', 'change', '10.45.0.0/16', 'dev', 'c0', 'initcwnd',
                    str(self.options.initial_window))
        say(f'demo: one cell of HDR radios, doppler 2 Hz, mean SNR 1 dB, 600 slots a second; {self.ues} UEs, buffers of '
            f'{SDUS} SDUs')
        say(f'demo: {len(self.bulk)} of them have a {self.options.tcp} download each; the others, and in the last two phases '
            'all, fetch 5 to 15 kB now and then')
        say(f'demo: {len(seen)} phases of {length:.0f} s, switched over the control socket')
        server = self.serve(rig)
        transfers = [rig.iperf(CORE, total + 5, self.options.tcp, port=5201 + n, to=ue) for n, ue in enumerate(self.bulk)]
        asking = [self.ask(rig, self.web, 'web', total)]
        try:
            for phase in seen:
                if phase.all_fetch and len(asking) == 1:
                    asking.append(self.ask(rig, self.bulk, 'bulk', 2 * length))
                self.go_through(box, phase, length)
            # The last client may wait for an answer until its timeout.
            out = ''.join(one.communicate(timeout=60)[0] for one in asking)
        finally:
            for process in (*asking, server):
                rig.stop(process)
            for transfer in transfers:
                rig.stop(transfer.client)
                rig.stop(transfer.server)
        for fetch in map(json.loads, out.splitlines()):
            for phase in seen:
                if phase.began <= fetch['began'] < phase.ended:
                    phase.fetches.append(fetch)
        return seen

    def ask(self, rig, ues, who, seconds):
        return rig.start(RADIO, '/usr/bin/python3', '-B', FETCHES, 'ask', rig.address(CORE), str(PORT), str(seconds), who,
                         *(f'{ue}={PAUSES[who]}' for ue in ues), stdout=subprocess.PIPE)

    def serve(self, rig):
        server = rig.start(CORE, '/usr/bin/python3', '-B', FETCHES, 'serve', rig.address(CORE), str(PORT),
                           stdout=subprocess.PIPE)
        if server.stdout.readline().strip() != 'listening':
            raise wire.RigError('the server of the fetches does not listen')
        return server

    def go_through(self, box, phase, length):
        self.switch(box, phase)
        time.sleep(min(SETTLE, length / 2))
        phase.began, before, slots = time.time(), self.delivered(box), counted(box)
        time.sleep(max(0.1, length - min(SETTLE, length / 2)))
        after, slots_after = self.delivered(box), counted(box)
        phase.ended = time.time()
        phase.bytes = {ue: after[ue] - before[ue] for ue in after}
        phase.slots = {to: slots_after[to] - slots[to] for to in slots}
        rates = sum(phase.bytes[ue] for ue in self.bulk) * 8 / (phase.ended - phase.began)
        say(f'demo:   {phase.title():<14} the downloads had {kbit(rates)} together')

    def switch(self, box, phase):
        if box.call('cell.get', cell=CELL)['settings']['scheduler'] != phase.scheduler:
            box.call('cell.set', cell=CELL, scheduler=phase.scheduler)
        answer = box.call('rrc.reconfigure', bearers=self.bulk + self.web, queue=phase.queue)
        if answer['lost']:
            raise wire.RigError(f'{answer["lost"]} frames were lost by a switch of queues')

    def delivered(self, box):
        return {ue: box.call('bearer.get', ue=ue)['downlink']['delivered_bytes'] for ue in self.bulk + self.web}


def counted(box):
    return box.call('cell.get', cell=CELL)['slots']

"""tools/demo --told: three UEs in GTP-U tunnels, whose rates the core tells: by PFCP, which rncd-told reads from a
mirror, then by RADIUS accounting. Both programs are restarted while TCP goes on."""
import contextlib
import dataclasses
import os
import subprocess
import sys
import tempfile
import time

import core_picture
import core_verdict
from stage import CORE, RADIO, mbit, rncd, say, wire
from told import Told, nas_of, smf_of
import pfcp
import radius
import tunnel

MTU = 1600  # a tunnel takes 36 bytes of an interface
CLASSES = f'  internet: {{downlink: {{rate: 20M, buffer: {{sdus: {core_verdict.SDUS}}}}}}}\n'
PEERS = '10.45.0.0/16'
UPLINK = 20_000  # kbit/s
PATIENCE = 45


@dataclasses.dataclass
class Part:
    """A part of the run, from a moment in seconds since the beginning."""
    title: str
    rates: list  # told, by UE, in kbit/s
    begin: float
    end: float = 0


@dataclasses.dataclass
class Seen:
    parts: list = dataclasses.field(default_factory=list)
    intervals: list = dataclasses.field(default_factory=list)  # by UE
    owners: list = dataclasses.field(default_factory=list)  # lists of the bearers' owners, at the end of each part
    table: str = ''  # rncctl show sessions
    residue: int = 0


class ToldRates:
    again = 'tools/demo --hold --told'
    ues = ['10.60.1.2', '10.60.2.2', '10.60.3.2']

    def __init__(self, options):
        self.seconds, self.control = options.seconds, options.tcp
        self.folder = options.out or os.path.join(rncd.BUILD, 'demo')
        self.state = tempfile.TemporaryDirectory(prefix='rncd-demo-')  # removed with this object
        self.ue = self.ues[0]
        self.rates = [2000, 4000, 8000]  # told last, in kbit/s

    def rig(self):
        return wire.Rig(ues=len(self.ues), mtu=MTU)

    def config(self):
        return {'classes': CLASSES, 'dataplane': f'  gtp_u: {{peers: [{PEERS}]}}\n'}

    def prepare(self, rig):
        """A tunnel a UE, each between addresses of its own."""
        for number in range(1, len(self.ues) + 1):
            rig.run(CORE, 'ip', 'address', 'add', f'10.45.1.{number}/16', 'dev', 'c0')
            ends = {CORE: (f'10.45.1.{number}', f'10.45.0.{1 + number}', 1, 0x100 + number),
                    RADIO: (f'10.45.0.{1 + number}', f'10.45.1.{number}', 2, 0x200 + number)}
            for side, (local, remote, last, teid) in ends.items():
                one = rig.start(side, sys.executable, tunnel.__file__, '--interface', f'tun{number}', '--local', local,
                                '--address', f'10.60.{number}.{last}/24', '--remote', remote, '--teid', str(teid),
                                stdout=subprocess.PIPE)
                one.stdout.readline()

    def show(self, rig, box):
        with contextlib.ExitStack() as stack:
            told = stack.enter_context(Told(rig, box, self.state.name))
            smf, nas = stack.enter_context(smf_of(rig)), stack.enter_context(nas_of(rig))
            seen = self.run(rig, box, told, smf, nas)
        good = core_verdict.report(self.ues, seen)
        picture = core_picture.draw(self.folder, self.ues, seen)
        say(f'  The picture: {os.path.relpath(picture)}, from the .csv and by the .gp beside it\n')
        return good

    def run(self, rig, box, told, smf, nas):
        seen = Seen()
        smf.associate()
        sessions = [pfcp.Session(ue, UPLINK, rate, (f'10.45.0.{2 + n}', 0x101 + n), (f'10.45.1.{1 + n}', 0x201 + n))
                    for n, (ue, rate) in enumerate(zip(self.ues, self.rates))]
        for one in sessions:
            smf.establish(one)
        self.wait(box, 'pfcp')
        steps = [('PFCP: sessions', lambda: None), ('PFCP: modified', lambda: self.modify(smf, sessions)),
                 ('rncd-told killed', lambda: self.restart_told(told, smf, sessions)), ('rncd restarted', lambda: restart(box)),
                 ('RADIUS: starts', lambda: self.account(nas, smf, sessions)),
                 ('RADIUS: interims', lambda: self.tell(nas, radius.INTERIM, (5000, 3000, 2000)))]
        began = time.monotonic()
        transfers = [rig.iperf(CORE, len(steps) * self.seconds + 1, self.control, to=ue, port=5201 + n)
                     for n, ue in enumerate(self.ues)]
        for title, step in steps:
            begin = time.monotonic() - began
            step()
            if seen.parts:
                seen.parts[-1].end = begin
            seen.parts.append(Part(title, list(self.rates), begin))
            say(f'demo: {begin:5.1f} s  {title:<18} told: {", ".join(mbit(1000 * rate) for rate in self.rates)}')
            time.sleep(max(0.0, begin + self.seconds - (time.monotonic() - began)))
            seen.owners.append([box.call('bearer.get', ue=ue)['owner'] for ue in self.ues])
        seen.parts[-1].end = time.monotonic() - began
        seen.table = wire.sh(rncd.RNCCTL, '-s', told.socket, 'show', 'sessions').stdout
        seen.intervals = [one.finish(PATIENCE) for one in transfers]
        seen.residue = box.stats()['residue']
        return seen

    def wait(self, box, owner):
        deadline = time.monotonic() + wire.PATIENCE
        while {one['owner'] for one in box.call('bearer.list')['items']} != {owner} and time.monotonic() < deadline:
            time.sleep(0.05)

    def modify(self, smf, sessions):
        self.rates = [6000, 4000, 3000]
        for one, rate in zip(sessions, self.rates):
            smf.change_rates(one, UPLINK, rate)

    def restart_told(self, told, smf, sessions):
        """A new rncd-told knows the sessions that the core establishes from then on."""
        told.kill()
        told.start()
        self.rates = [6000, 2000, 3000]
        smf.associate(started=2)
        for one, rate in zip(sessions, self.rates):
            one.downlink = rate
            smf.establish(one)

    def account(self, nas, smf, sessions):
        """RADIUS is told after PFCP, so that it has the UEs; then the PFCP sessions end."""
        self.tell(nas, radius.START, (3000, 5000, 7000))
        for one in sessions:
            smf.delete(one)

    def tell(self, nas, status, rates):
        self.rates = list(rates)
        for number, (ue, rate) in enumerate(zip(self.ues, rates)):
            nas.account(status, ue, f'session {number}', radius.rates(1000 * UPLINK, 1000 * rate))


def restart(box):
    box.stop()
    box.start()

"""tools/demo --kill: the wire while rncd is killed, hangs, is restarted and upgraded: a ping each 10 ms to one UE, TCP to
another, and which pings had no answer when."""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import outage_picture
from stage import CORE, UE_V4, mbit, middle, rncd, say, wire
from rig import DUT

TCP_UE = '10.45.0.3'
RATE = '8M'
INTERVAL = 0.01
SECONDS = 30
# Pings of 10 ms that may have no answer, as the program's promise is: what a dead or hung process had in its hands until
# its heartbeat is old (25 ms, rncd's default), a switch-over at most one.
EVENTS = (('kill', 4, 'kill -9', 3), ('start', 8, 'start', 1), ('hang', 12, 'hang (SIGSTOP)', 5), ('move', 15, 'moves again', 1),
          ('stop', 18, 'clean stop', 1), ('again', 21, 'start', 1), ('upgrade', 25, 'upgrade', 3))


class Pings:
    """One each 10 ms; when each was sent, and its round trip."""

    def __init__(self, rig, to):
        self.said = tempfile.TemporaryFile('w+')  # a pipe that nobody reads would stop it
        self.process = rig.start(CORE, 'ping', '-n', '-D', '-i', str(INTERVAL), '-W', '5', to, stdout=self.said,
                                 stderr=subprocess.STDOUT)

    def end(self):
        """[(moment it was sent, milliseconds or None)], by interpolation between the answers for those without one."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait(timeout=20)
        self.said.seek(0)
        said = self.said.read()
        self.said.close()
        seen = {int(number): (float(at) - float(rtt) / 1000, float(rtt)) for at, number, rtt in
                re.findall(r'^\[([\d.]+)\].*icmp_seq=(\d+) .*time=([\d.]+) ms', said, re.M)}
        if not seen:
            raise wire.RigError(f'no ping was answered:\n{said}')
        known = sorted(seen)
        rows = []
        for number in range(known[0], known[-1] + 1):
            if number in seen:
                rows.append(seen[number])
                before = number
            else:
                rows.append((seen[before][0] + (number - before) * INTERVAL, None))
        return rows


class Outage:
    ues = 2
    again = 'tools/demo --kill --hold'

    def __init__(self, options):
        self.folder = options.out or os.path.join(rncd.BUILD, 'demo')
        self.device = options.device

    def config(self):
        return {'rate': RATE, 'sdus': 50, 'bearers': 'bearers:\n' + ''.join(
            f'  - {{ue: {ue}, class: internet}}\n' for ue in (UE_V4, TCP_UE))}

    def show(self, rig, box):
        if box.drivers() != {'af_xdp'}:
            raise wire.RigError('the wire outlives rncd with AF_XDP ports only; they do not work here (the reason stands above)')
        say(f'demo: a ping each 10 ms to {UE_V4}, TCP to {TCP_UE}, each with a bearer of {RATE}bit/s; {SECONDS} s')
        pings, transfer = Pings(rig, UE_V4), rig.iperf(CORE, SECONDS, to=TCP_UE)
        begun = time.time()
        shown = {'before': show_wire(rig)}
        moments = {}
        for name, at, title, _ in EVENTS:
            time.sleep(max(0.0, begun + at - time.time()))
            moments[name] = time.time() - begun
            say(f'demo: {moments[name]:5.1f} s  {title}')
            ACTIONS[name](box)
            if name == 'kill':
                time.sleep(1)
                shown['while rncd is dead'] = show_wire(rig)
        time.sleep(max(0.0, begun + SECONDS - 1 - time.time()))
        shown['after'] = show_wire(rig)
        intervals = transfer.finish()
        rows = [(at - begun, rtt) for at, rtt in pings.end()]
        for when, text in shown.items():
            say(f'\n  rncctl wire show, {when}:')
            say('\n'.join('    ' + line for line in text.splitlines()))
        good = report(rows, intervals, moments)
        say(f'\n  unaccounted frames of the rncd that runs: {box.stats()["residue"]}')
        say('  picture: ' + os.path.relpath(outage_picture.draw(self.folder, rows, intervals, moments, EVENTS), rncd.ROOT))
        if not good:
            sys.exit(1)

    def commands(self):
        return ('wire show',)


def show_wire(rig):
    return wire.sh(*rig.within(DUT, rncd.RNCCTL, 'wire', 'show')).stdout


def kill(box):
    box.process.send_signal(signal.SIGKILL)
    box.process.wait(timeout=10)
    forget(box)


def forget(box):
    """What the process before has told is over."""
    if box in rncd.RUNNING:
        rncd.RUNNING.remove(box)
    if box.rpc:
        box.rpc.close()
        box.rpc = None


def upgrade(box):
    """To a copy of the program, by its own path."""
    with tempfile.TemporaryDirectory(prefix='rncd-demo-') as folder:
        other = os.path.join(folder, 'rncd-new')
        shutil.copy2(rncd.RNCD, other)
        forget(box)
        box.ctl('upgrade', '--binary', other)
        box.connect()


ACTIONS = {'kill': kill, 'upgrade': upgrade, 'start': lambda box: box.start(), 'again': lambda box: box.start(), 'stop': lambda box: box.stop(),
           'hang': lambda box: box.process.send_signal(signal.SIGSTOP),
           'move': lambda box: box.process.send_signal(signal.SIGCONT)}


def report(rows, intervals, moments):
    """The table; whether all is as promised."""
    names = [name for name, *_ in EVENTS]
    ends = [moments[name] for name in names[1:]] + [SECONDS]
    good = True
    say(f'\n  {"at":>7}  {"event":<16}{"pings":>8}{"lost":>8}{"at most":>9}{"round trip":>12}{"TCP after it":>16}   ')
    for (name, _, title, most), end in zip(EVENTS, ends):
        begin = moments[name]
        mine = [rtt for at, rtt in rows if begin - 2 * INTERVAL <= at < end - 2 * INTERVAL]
        lost = mine.count(None)
        carried = wire.goodput(intervals, begin + 0.5, end - 0.1)
        held = lost <= most and carried > 0
        good = good and held
        say(f'  {begin:6.1f}s  {title:<16}{len(mine):>8}{lost:>8}{most:>9}'
            f'{middle([rtt for rtt in mine if rtt is not None]):>9.1f} ms{mbit(carried):>16}   {"as promised" if held else "NOT SO"}')
    say('  round trip: the median. TCP after it: goodput of the connection that was open all the time; without rncd nothing')
    say('  limits it. The hang may cost the pings of 50 ms; those that wait in rncd meanwhile are answered late.')
    return good

"""tools/demo --kill: the wire while rncd is killed, hangs, is restarted and upgraded: a ping each 10 ms to one UE, TCP
to another, and the times of the pings without an answer."""
import dataclasses
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

import around
import outage_picture
from stage import CORE, UE_V4, mbit, middle, rncd, say, wire, Verdict
from rig import DUT

TCP_UE = '10.45.0.3'
RATE, BITS = '8M', 8_000_000
INTERVAL = 0.01
PAUSE = 3.0  # s before an event, and behind the last
ATTEMPTS = 5  # pauses, one after another, until no frame went around rncd in one of them
LONGEST = 300  # s; a start may take seconds on a busy machine, and a pause may be repeated
# Pings of 10 ms that may have no answer, by the program's promise: those that a dead or hung process held until its
# heartbeat is old (25 ms, rncd's default), at a switch-over at most one.
EVENTS = (('kill', 'kill -9', 3), ('start', 'start', 1), ('hang', 'hang (SIGSTOP)', 5), ('move', 'moves again', 1),
          ('stop', 'clean stop', 1), ('again', 'start', 1), ('upgrade', 'upgrade', 3))
SHAPED = ('start', 'move', 'again', 'upgrade')  # events behind which rncd has the wire
SETTLED = 1.0  # s; until then the TCP connection, which had the whole wire, meets the bearer's buffer
MOST = 1.05  # share of the promised goodput


class Pings:
    """One each 10 ms; when each was sent, and its round trip."""

    def __init__(self, rig, to):
        self.said = tempfile.TemporaryFile('w+')  # a pipe without a reader would stop it
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


@dataclasses.dataclass
class Seen:
    """Moments are in seconds from the beginning."""
    moments: dict = dataclasses.field(default_factory=dict)  # {event: when it was}
    judged: dict = dataclasses.field(default_factory=dict)  # {event: when the pause began whose goodput is judged}
    end: float = 0
    wires: dict = dataclasses.field(default_factory=dict)  # {when: what `rncctl wire show` printed}
    rows: list = dataclasses.field(default_factory=list)  # (moment, round trip) of the pings
    intervals: list = dataclasses.field(default_factory=list)  # intervals of TCP


class Outage:
    ues = 2
    about_the_wire = True
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
        say(f'demo: a ping each 10 ms to {UE_V4}, TCP to {TCP_UE}, each with a bearer of {RATE}bit/s')
        seen = self.run(rig, box)
        for when, text in seen.wires.items():
            say(f'\n  rncctl wire show, {when}:')
            say('\n'.join('    ' + line for line in text.splitlines()))
        good, residue = report(seen), box.stats()['residue']
        say(f'\n  unaccounted frames of the rncd that runs: {residue}')
        picture = outage_picture.draw(self.folder, seen.rows, seen.intervals, seen.moments, EVENTS)
        say(f'  picture: {os.path.relpath(picture, rncd.ROOT)}')
        return Verdict('the wire outlives rncd, and rncd shapes again after each start', good and residue == 0,
                       f'{residue} frames unaccounted for')

    def run(self, rig, box):
        """All events, once."""
        seen = Seen()
        pings, transfer = Pings(rig, UE_V4), rig.iperf(CORE, LONGEST, to=TCP_UE)
        begun = time.time()
        seen.wires['before'] = show_wire(rig)
        undisturbed_pause(box)
        for name, title, _ in EVENTS:
            seen.moments[name] = time.time() - begun
            say(f'demo: {seen.moments[name]:5.1f} s  {title}')
            ACTIONS[name](box)
            if name == 'kill':
                time.sleep(1)
                seen.wires['while rncd is dead'] = show_wire(rig)
            time.sleep(SETTLED)
            if name in SHAPED:
                seen.judged[name] = undisturbed_pause(box) - begun
            else:
                seen.judged[name] = time.time() - begun
                time.sleep(PAUSE)
        seen.end = time.time() - begun
        seen.wires['after'] = show_wire(rig)
        seen.intervals = transfer.end()
        seen.rows = [(at - begun, rtt) for at, rtt in pings.end()]
        return seen

    def commands(self):
        return ('wire show',)


def show_wire(rig):
    return wire.sh(*rig.within(DUT, rncd.RNCCTL, 'wire', 'show')).stdout


def undisturbed_pause(box):
    """Waits for a pause in which no frame went around rncd; returns its beginning. A worker that gets no CPU for 25 ms
    is taken for one that hangs, and the wire then takes over: the goodput of that time is not rncd's."""
    for attempt in range(1, ATTEMPTS + 1):
        began, before = time.time(), around.frames_around(box)
        time.sleep(PAUSE)
        if not (passed := around.frames_around(box) - before):
            return began
        around.disturbed(passed, attempt, ATTEMPTS)
    raise around.too_busy(ATTEMPTS)


def kill(box):
    box.process.send_signal(signal.SIGKILL)
    box.process.wait(timeout=10)
    forget(box)


def forget(box):
    """Discards the state of the previous process."""
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


def report(seen):
    """The table; whether all is as promised."""
    names = [name for name, *_ in EVENTS]
    ends = [seen.moments[name] for name in names[1:]] + [seen.end]
    good = True
    say(f'\n  {"at":>7}  {"event":<16}{"pings":>8}{"lost":>8}{"at most":>9}{"round trip":>12}{"TCP after it":>16}   ')
    for (name, title, most), end in zip(EVENTS, ends):
        begin = seen.moments[name]
        mine = [rtt for at, rtt in seen.rows if begin - 2 * INTERVAL <= at < end - 2 * INTERVAL]
        lost = mine.count(None)
        carried = wire.goodput(seen.intervals, seen.judged[name], end - 0.1)
        shaped = name not in SHAPED or carried <= MOST * wire.promised(BITS)
        held = lost <= most and carried > 0 and shaped
        good = good and held
        say(f'  {begin:6.1f}s  {title:<16}{len(mine):>8}{lost:>8}{most:>9}'
            f'{middle([rtt for rtt in mine if rtt is not None]):>9.1f} ms{mbit(carried):>16}   '
            + ('as promised' if held else 'NOT SO' if shaped else 'NOT SHAPED'))
    say(f'  round trip: the median. TCP after it: goodput of one connection in the last {PAUSE:g} s before the next event. Without rncd nothing')
    say(f'  limits it; behind a start at most {MOST:.0%} of {mbit(wire.promised(BITS))} are promised. The hang may cost the pings of 50 ms;')
    say('  those that wait in rncd meanwhile are answered late.')
    return good

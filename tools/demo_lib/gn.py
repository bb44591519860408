"""tools/demo --gtp-u: kernel TCP through Gn. osmo-ggsn and sgsnemu are the ends of the tunnels. Between them is rncd,
first without a bearer for the UE, then with one: the RRC changes its rate, the UE moves to another SGSN twice, and the
bearer gets SBD and a window regulator."""
import dataclasses
import os
import re
import socket
import tempfile
import time

import gn_picture
import gn_verdict
from around import measured
from crossing import Crossing
from frames import inside
from stage import CORE, RADIO, bearer, mbit, rncd, round_trips, say, start_ping, wire
from gsn import MTU, Ggsn, Sgsn, let_addresses_move, wrong_checksums
import tunnel

RATE, LATER, SDUS = 8_000_000, 2_000_000, 50
SGSNS = tuple(f'10.45.0.{2 + n}' for n in range(4))
PEERS = '10.45.0.0/24'
SBD, REGULATOR = '{"sbd": {"minth": "10sdu", "maxth": "40sdu"}}', '[{"window-regulator": {"form": "ack-buffer", "target": "50ms"}}]'
PATIENCE = 45  # s; a full buffer takes a while


@dataclasses.dataclass
class Part:
    """A part of the run. Moments are in seconds from the beginning."""
    name: str
    title: str
    rate: int  # bit/s; 0 without a bearer
    begin: float
    end: float = 0
    intervals: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Handover:
    way: str  # value of dataplane.gtp_u.on_handover
    old: str  # address of the SGSN
    new: str
    at: float  # when the first packet came in the new tunnel, in seconds since 1970
    told: dict  # both tunnels of the bearer, as bearer.get had them after it


@dataclasses.dataclass
class Seen:
    began: float  # in seconds since 1970
    crossing: Crossing = None  # during all parts with a bearer
    parts: list = dataclasses.field(default_factory=list)
    handovers: list = dataclasses.field(default_factory=list)
    rows: list = dataclasses.field(default_factory=list)  # (moment, milliseconds) of the pings
    unshaped: int = 0  # packets that crossed while their UE had no bearer
    dropped: int = 0  # packets, by the bearer's downlink
    discarded: int = 0  # packets, by SBD
    edited: int = 0  # ACKs, by the window regulator
    printed: dict = dataclasses.field(default_factory=dict)  # {words of rncctl: output}
    residue: int = 0
    wrong: int = 0  # datagrams and segments that the kernels of both ends have found wrong

    def now(self):
        return time.time() - self.began

    def part(self, name):
        return next(one for one in self.parts if one.name == name)


class GtpU:
    again = 'tools/demo --hold --gtp-u'

    def __init__(self, options):
        self.seconds, self.control = options.seconds, options.tcp
        self.folder = options.out or os.path.join(rncd.BUILD, 'demo')
        self.state = tempfile.TemporaryDirectory(prefix='rncd-demo-')  # removed with this object
        self.sgsns, self.ue = [], None

    def rig(self):
        return wire.Rig(ues=len(SGSNS), mtu=MTU)

    def config(self):
        return {'rate': RATE, 'sdus': SDUS,
                'dataplane': f'  gtp_u: {{peers: [{PEERS}], on_handover: keep}}\n'}

    def commands(self):
        return 'show tunnels', f'show flows {self.ue}'

    def show(self, rig, box):
        let_addresses_move(rig)
        Ggsn(rig, self.state.name)
        self.ue = self.attach(rig).ue
        say(f'demo: osmo-ggsn at {wire.CORE_V4}, sgsnemu at {self.sgsns[-1].address}: the UE {self.ue} in tunnels between them')
        seen = measured(box, lambda: self.run(rig, box))
        good = gn_verdict.report(seen)
        picture = gn_picture.draw(self.folder, seen)
        say(f'  The picture: {os.path.relpath(picture)}, from the .csv and by the .gp beside it\n')
        return good

    def attach(self, rig):
        """The UE comes by the next SGSN. Those before the last are dead by then."""
        address = SGSNS[(SGSNS.index(self.sgsns[-1].address) + 1) % len(SGSNS)] if self.sgsns else SGSNS[0]
        for old in self.sgsns[:-1]:
            old.kill()
        self.sgsns = [*self.sgsns[-1:], Sgsn(rig, self.state.name, address)]
        return self.sgsns[-1]

    def run(self, rig, box):
        """All parts, once."""
        box.ctl('bearer', 'remove', self.ue)
        on_handover(box, 'keep')
        wrong = sum(wrong_checksums(rig, side) for side in (CORE, RADIO))
        seen = Seen(time.time())
        self.without(rig, box, seen)
        with Crossing(rig) as seen.crossing:
            pings = start_ping(rig, self.ue, '0.1')
            self.through(rig, box, seen)
            self.note(seen, pings)
            self.drain(box)
        seen.dropped = bearer(box, self.ue)['downlink']['dropped_sdus']
        seen.residue = box.stats()['residue']
        seen.wrong = sum(wrong_checksums(rig, side) for side in (CORE, RADIO)) - wrong
        return seen

    def begin(self, seen, name, title, rate):
        now = seen.now()
        if seen.parts:
            seen.parts[-1].end = now
        seen.parts.append(Part(name, title, rate, now))
        say(f'demo: {now:5.1f} s  {title}')

    def without(self, rig, box, seen):
        before = strangers(box)
        self.begin(seen, 'without', 'no bearer', 0)
        pings = start_ping(rig, self.ue, '0.1')
        transfer, begin = rig.iperf(CORE, self.seconds / 2, self.control, to=self.ue), seen.now()
        self.carried(seen, transfer, begin)
        self.note(seen, pings)
        seen.unshaped = strangers(box) - before

    @staticmethod
    def note(seen, pings):
        seen.rows += [(at - seen.began, rtt) for at, rtt in round_trips(pings)]

    def through(self, rig, box, seen):
        """One connection through everything that is done to the bearer."""
        self.begin(seen, 'rate', f'a bearer of {mbit(RATE)}', RATE)
        box.ctl('bearer', 'set', self.ue, '--class', 'internet')
        half = self.seconds / 2
        transfer, begin = rig.iperf(CORE, 3 * self.seconds + 2 * half, self.control, to=self.ue), seen.now()
        time.sleep(self.seconds)
        box.ctl('rrc', self.ue, '--rate', str(LATER))
        self.begin(seen, 'rrc', f'RRC: {mbit(LATER)}', LATER)
        time.sleep(self.seconds)
        for way in ('keep', 'rewrite'):
            on_handover(box, way)
            self.begin(seen, way, f'handover: {way}', LATER)
            seen.handovers.append(self.hand_over(rig, box, seen.crossing, way))
            time.sleep(half)
        before = discarded(box)
        box.ctl('rrc', self.ue, '--aqm', SBD)
        self.begin(seen, 'sbd', 'SBD', LATER)
        self.carried(seen, transfer, begin)
        seen.discarded = discarded(box) - before
        # The regulator leaves connections alone of which it has not seen the beginning.
        box.ctl('rrc', self.ue, '--ack', REGULATOR)
        self.begin(seen, 'regulator', 'a window regulator besides', LATER)
        transfer, begin = rig.iperf(CORE, self.seconds, self.control, to=self.ue), seen.now()
        time.sleep(self.seconds / 2)
        seen.printed = {words: box.ctl(*words.split()).stdout for words in (f'show bearer {self.ue}', *self.commands())}
        self.carried(seen, transfer, begin)
        seen.parts[-1].end = seen.now()
        seen.edited = edited(box)

    @staticmethod
    def carried(seen, transfer, begin):
        """Waits for the end of a transfer."""
        found = [(start + begin, end + begin, count) for start, end, count in transfer.finish(PATIENCE)]
        for part in seen.parts:
            part.intervals = part.intervals or found

    def hand_over(self, rig, box, crossing, way):
        """The UE's next SGSN; then the end marker that a gateway of S1-U or N3 would send, and osmo-ggsn does not."""
        last, count = self.sgsns[-1].address, len(crossing.entered.frames)
        teid = bearer(box, self.ue)['downlink']['tunnel']['teid']
        new = self.attach(rig).address
        at = crossing.wait_for(new, count, wire.PATIENCE)
        if at is None:
            raise wire.RigError(f'the GGSN sends nothing to the SGSN at {new}:\n{self.sgsns[-1].tail()}')
        with inside(rig.name(CORE)), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ggsn:
            ggsn.sendto(tunnel.message(teid, kind=tunnel.END_MARKER), (last, tunnel.PORT))
        return Handover(way, last, new, at, bearer(box, self.ue)['downlink']['tunnel'])

    def drain(self, box):
        """Until nothing waits in the bearer, so that every packet has left or was dropped."""
        deadline = time.monotonic() + PATIENCE
        while bearer(box, self.ue)['downlink']['queued_sdus'] and time.monotonic() < deadline:
            time.sleep(0.1)


def on_handover(box, way):
    with open(box.config, encoding='utf-8') as file:
        text = file.read()
    with open(box.config, 'w', encoding='utf-8') as file:
        file.write(re.sub(r'on_handover: \w+', f'on_handover: {way}', text))
    box.ctl('apply', box.config)


def strangers(box):
    return sum(port['passed']['unknown_bearer']['frames'] for port in box.stats()['ports'].values())


def discarded(box):
    return box.dropped().get('aqm', 0)


def edited(box):
    """ACKs of the bearer that the window regulator has changed; no other bearer has one."""
    found = re.findall(r'^rncd_ack_events_total\{[^}]*stage="window-regulator"[^}]*\} (\S+)$', box.metrics(), re.M)
    return sum(int(float(count)) for count in found)

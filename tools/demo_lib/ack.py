"""tools/demo --ack: kernel TCP with and without an ACK stage. A download each on bearers that are alike but for the
stage, all at once."""
import dataclasses
import time

import ack_verdict
import lanes as runs
import ue_tcp
from around import measured
from sockets import Sockets
from stage import CORE, air_link, bearer, kbit, round_trips, say, start_ping, wire
from watch import Watch

SDUS = 50  # buffer of each, 000's
POLL = 0.25
DRAIN = 10
PATIENCE = 45  # a full buffer takes seconds, and the transfer's own last words may be dropped


def lane(name, title, aqm=runs.DROP_TAIL, ack=''):
    return runs.Lane(name, title, aqm, ack=f'[{ack}]' if ack else '')


SHIFTS = {'ack-rate': 0, 'combined': 0}  # default window shifts of the UEs: 000 has 64 kB
# {stage: lanes beside one of drop-tail alone}; the stage itself is in that of its name. 001: the window takes the whole
# buffer; `target`: no more of it than a delay. 000 section 5: up to the buffer's limit, 20 ms an SDU; beside PDPC 12.5.
PACED = '{pdpc: {maxth: 40sdu}}'
STAGES = {
    'wrb': [lane('wrb', 'wrb', ack='{window-regulator: {form: ack-buffer}}'),
            lane('target', 'wrb, target 300 ms', ack='{window-regulator: {form: ack-buffer, target: 300ms}}')],
    'ack-rate': [lane('ack-rate', 'ack-rate', ack='{ack-rate: {maxd: 1s, maxth: 50sdu}}')],
    'combined': [lane('pdpc', 'pdpc', PACED),
                 lane('combined', 'pdpc + ack-rate', PACED, '{ack-rate: {maxd: 500ms, maxth: 40sdu, f2: none}}')],
}


@dataclasses.dataclass
class Seen:
    """The data of a report. Moments are in seconds from the beginning."""
    seconds: float  # duration of each download
    watch: Watch
    sockets: Sockets
    rate: int = 0  # bit/s
    began: dict = dataclasses.field(default_factory=dict)  # {lane: when its download did}
    intervals: dict = dataclasses.field(default_factory=dict)  # {lane: (start, end, bytes) of what arrived}
    flows: dict = dataclasses.field(default_factory=dict)  # {lane with a stage: rncctl show flows, half-way}
    pings: dict = dataclasses.field(default_factory=dict)  # {lane: milliseconds}, one a second
    fer: dict = dataclasses.field(default_factory=dict)  # {lane: share of its frames that were lost}, on an air
    failed: dict = dataclasses.field(default_factory=dict)  # {lane: the output of iperf3}
    events: dict = dataclasses.field(default_factory=dict)  # {(lane, stage, event): count}, if it is read
    residue: int = 0

    def span(self, name):
        """From when to when its download was."""
        return self.began[name], self.began[name] + self.seconds


def lanes_of(stage):
    return runs.placed([dataclasses.replace(one) for one in [lane('without', runs.DROP_TAIL), *STAGES[stage]]])


def link_of(link, air):
    return air_link(air) if link == 'am' else link


class Ack:
    def __init__(self, options, air):
        self.options, self.air = options, air
        self.lanes = lanes_of(options.ack)
        self.ues = len(self.lanes)
        self.again = f'tools/demo --hold --ack {options.ack}'

    def config(self):
        return runs.config(self.lanes, self.air['rate'], link_of(self.options.link, self.air), SDUS)

    def show(self, rig, box):
        shift = self.options.window_scale
        if shift is None:
            shift = SHIFTS.get(self.options.ack)
        offered = ue_tcp.Options(self.options.sack, self.options.timestamps, shift != 'none')
        ue_tcp.offer(rig, offered)
        ue_tcp.set_shifts(rig, [(lane, shift) for lane in self.lanes if isinstance(shift, int)])
        introduce(box, self.options, len(self.lanes), self.options.tcp)
        for lane in self.lanes:
            say(f'demo:   {lane.ue}  {lane.title}{": " + lane.ack if lane.ack else ""}')
        seen = measured(box, lambda: self.run(rig, box))
        if seen.failed:
            raise wire.RigError('; '.join(f'{name}: {why}' for name, why in seen.failed.items()))
        return ack_verdict.report(self.options, self.lanes, seen)

    def run(self, rig, box):
        pings = {lane.name: start_ping(rig, lane.ue, '1') for lane in self.lanes}
        seen = download(rig, box, [(lane, self.options.tcp) for lane in self.lanes], self.options.seconds,
                        Progress(box, self.lanes, self.options.seconds))
        seen.pings = {name: [rtt for _, rtt in round_trips(ping)] for name, ping in pings.items()}
        return seen


def introduce(box, options, count, control):
    leg = bearer(box)['downlink']
    air = leg['air']['settings'] if 'air' in leg else None
    link = 'shapers'
    if air:
        link = f'RLC AM on air links: FER {air["fer"]}, doppler {air["doppler"]}, delay {air["delay"]}'
    say(f'demo: {count} bearers at once of {kbit(leg["rate"])}, {options.seconds:.0f} s, over {link}; '
        f'buffers of {SDUS} SDUs')
    say(f'demo: a TCP download on each: {control}')


def download(rig, box, lanes, seconds, tell):
    """Runs a download for each of [(lane, congestion control)], returns what was seen; calls tell(seen) repeatedly."""
    only = [lane for lane, _ in lanes]
    watch = Watch(box, only)
    seen = Seen(seconds, watch, Sockets(rig, only, watch.seconds), bearer(box)['downlink']['rate'])
    transfers, before = {}, {lane.name: frames(box, lane) for lane in only}
    watch.look()
    for lane, control in lanes:
        transfers[lane.name] = rig.iperf(CORE, seconds, control, port=lane.port, to=lane.ue)
        seen.began[lane.name] = watch.seconds()
    follow(seen, tell)
    for lane in only:
        seen.intervals[lane.name] = []
        try:
            seen.intervals[lane.name] = transfers[lane.name].finish(PATIENCE)
        except wire.RigError as error:
            seen.failed[lane.name] = str(error)
    drain(watch, only)
    for lane in only:
        sent, lost = (after - former for after, former in zip(frames(box, lane), before[lane.name]))
        seen.fer[lane.name] = lost / sent if sent else 0.0
    seen.residue = box.stats()['residue']
    return seen


def frames(box, lane):
    """Sent on the air and lost there so far."""
    leg = bearer(box, lane.ue)['downlink']
    return (leg['air']['frames']['sent'], leg['air']['frames']['lost']) if 'air' in leg else (0, 0)


def drain(watch, lanes):
    """Waits until the queue of this download has drained."""
    end = watch.seconds() + DRAIN
    while True:
        watch.look()
        if watch.seconds() > end or not any(watch.readings[lane.name][-1].bo for lane in lanes):
            return
        time.sleep(POLL)


def follow(seen, tell):
    """Reads metrics and sockets until the last download ends."""
    end = max(seen.began.values()) + seen.seconds
    while (now := seen.watch.seconds()) < end:
        seen.watch.look()
        seen.sockets.look()
        tell(seen)
        time.sleep(max(0.0, min(now + POLL, end) - seen.watch.seconds()))


class Progress:
    """Prints the progress now and then, and reads the flows once."""

    def __init__(self, box, lanes, seconds):
        self.box, self.lanes, self.pause, self.due = box, lanes, max(2.0, seconds / 10), 0.0

    def __call__(self, seen):
        if not seen.flows and seen.watch.seconds() > seen.seconds / 2:
            seen.flows = {one.name: self.box.ctl('show', 'flows', one.ue).stdout for one in self.lanes if one.ack}
        if seen.watch.seconds() < self.due:
            return
        self.due = seen.watch.seconds() + self.pause
        rtts = {lane.title: seen.sockets.readings[lane.name] for lane in self.lanes}
        told = ', '.join(f'{one[-1].rtt:.0f} ms ({title})' for title, one in rtts.items() if one)
        say(f'demo: {seen.watch.seconds():3.0f} s of {seen.seconds:.0f}: smoothed round trips {told or "not yet"}')

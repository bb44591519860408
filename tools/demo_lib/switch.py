"""tools/demo --aqm: 002 section 6 on kernel TCP. Two downloads each on bearers in RLC acknowledged mode, whose rate
the RRC switches half-way: an AQM that is reconfigured with the rate, one that is not, and drop-tail, at once."""
import dataclasses
import os
import time

import lanes as runs
import picture
import verdict
from around import ATTEMPTS, measured
from keep import Keep
from stage import CORE, air_link, bearer, kbit, rncd, round_trips, say, start_ping
from watch import Watch

STREAMS = 2
NETWORK = '10.45.0.0/16'
POLL = 0.2
PATIENCE = 45  # a full buffer at the lower rate takes seconds, and the transfer's own last words may be dropped


@dataclasses.dataclass
class Seen:
    """The data of the report. Moments are in seconds from the beginning."""
    seconds: float
    watch: Watch
    rates: tuple = ()  # before and after, bit/s
    switched: float = 0
    settings: dict = dataclasses.field(default_factory=dict)  # {lane: its AQM's, before and after}
    intervals: dict = dataclasses.field(default_factory=dict)  # {lane: (start, end, bytes) of what arrived}
    rtts: dict = dataclasses.field(default_factory=dict)  # {lane: (moment, milliseconds)}
    residue: int = 0


class Switch:
    def __init__(self, policy, by_rate, options, air):
        self.policy, self.options, self.air = policy, options, air
        self.lanes = runs.lanes_of(policy, by_rate)
        self.ues = len(self.lanes)
        self.again = f'tools/demo --hold --aqm {policy}'
        self.keep = None
        self.switched = False

    def config(self):
        return runs.config(self.lanes, self.air['rate'], air_link(self.air))

    def prepare(self, rig):
        """Before rncd starts."""
        if self.options.keep:
            self.keep = Keep(rig, self.options.keep)

    def show(self, rig, box):
        if self.keep:
            self.keep.begin(box, self.lanes)
        rig.run(CORE, 'ip', 'route', 'change', NETWORK, 'dev', 'c0', 'initcwnd', str(self.options.initial_window))
        # Captures are of one run.
        seen = measured(box, lambda: self.run(rig, box), 1 if self.keep else ATTEMPTS)
        outcome = verdict.report(self.policy, self.lanes, seen)
        folder = self.options.out or os.path.join(rncd.BUILD, 'demo')
        drawn = picture.draw(folder, self.policy, self.lanes, seen)
        say(f'  The picture: {os.path.relpath(drawn)}, from the .csv and by the .gp beside it\n')
        if self.keep:
            say(f'  The same arrivals through the lab: sh {self.keep.path("replay.sh")}\n')
        return outcome

    def reconfigure(self, box, ues, **what):
        if self.keep:
            return self.keep.reconfigure(box, ues, **what)
        return box.call('rrc.reconfigure', bearers=ues, **what)

    def begin(self, box):
        """The rates of before the switch, also when it is measured again."""
        if self.switched:
            self.reconfigure(box, [one.ue for one in self.lanes], rate=self.air['rate'])
        self.pin(box)

    def pin(self, box):
        """Gives lanes that are not to be reconfigured the numbers of their profile at the present rate."""
        for lane in self.lanes:
            if lane.pinned:
                self.reconfigure(box, [lane.ue], aqm={self.policy: settings_of(box, lane)})

    def run(self, rig, box):
        self.begin(box)
        seconds = self.options.seconds
        air, rate = bearer(box)['downlink']['air']['settings'], bearer(box)['downlink']['rate']
        say(f'demo: {len(self.lanes)} bearers at once, {seconds:.0f} s, over RLC AM on air links of {kbit(rate)} '
            f'each way: FER {air["fer"]}, doppler {air["doppler"]}, delay {air["delay"]}; buffers of {runs.SDUS} SDUs')
        say(f'demo: {STREAMS} TCP downloads on each: {self.options.tcp}, initial window {self.options.initial_window}')
        for lane in self.lanes:
            say(f'demo:   {lane.ue}  {lane.title}')
        before = {lane.name: settings_of(box, lane) for lane in self.lanes}
        pings = {lane.name: start_ping(rig, lane.ue, '1') for lane in self.lanes}
        transfers = {lane.name: rig.iperf(CORE, seconds, self.options.tcp, port=lane.port, to=lane.ue, streams=STREAMS)
                     for lane in self.lanes}
        seen = Seen(seconds, Watch(box, self.lanes))
        self.follow(seen, seconds / 2)
        self.switch(box, seen, rate)
        seen.settings = {lane.name: (before[lane.name], settings_of(box, lane)) for lane in self.lanes}
        for lane in self.lanes:
            say(f'demo:   {lane.title}: {changes(*seen.settings[lane.name])}')
        self.follow(seen, seconds)
        say('demo: waiting for what is still queued')
        for lane in self.lanes:
            seen.intervals[lane.name] = transfers[lane.name].finish(PATIENCE)
            seen.rtts[lane.name] = [(at - seen.watch.began, rtt) for at, rtt in round_trips(pings[lane.name])]
        seen.residue = box.stats()['residue']
        if self.keep:
            self.keep.finish(box)
        return seen

    def follow(self, seen, until):
        """Reads the metrics up to a moment, and prints the progress now and then."""
        watch, pause = seen.watch, max(2.0, seen.seconds / 14)
        told = due = watch.seconds()
        while True:
            watch.look()
            if watch.seconds() >= told + pause:
                told += pause
                held = ', '.join(f'{watch.readings[one.name][-1].bo} ({one.title})' for one in self.lanes)
                say(f'demo: {watch.seconds():3.0f} s of {seen.seconds:.0f}: BO in SDUs {held}')
            if watch.seconds() >= until:
                return
            due = max(due + POLL, watch.seconds())
            time.sleep(max(0.0, min(due, until) - watch.seconds()))

    def switch(self, box, seen, rate):
        """One request for all bearers. Where the AQM has a profile its parameters go along."""
        answer = self.reconfigure(box, [one.ue for one in self.lanes], rate=self.options.to)
        seen.switched, self.switched = seen.watch.seconds(), True
        now = bearer(box)['downlink']['rate']
        seen.rates = rate, now
        say(f'demo: {seen.switched:3.0f} s: the RRC switches {kbit(rate)} -> {kbit(now)}: {answer["changed"]} bearers '
            f'in {answer["seconds"] * 1e3:.1f} ms, {answer["lost"]} frames lost by it')


def changes(before, after):
    """The changes of an AQM's parameters, as text."""
    told = [f'{key} {before[key]} -> {value}' for key, value in after.items() if before[key] != value]
    return ', '.join(told) or ('its parameters stay' if after else 'it has no parameters')


def settings_of(box, lane):
    return bearer(box, lane.ue)['downlink']['aqm_settings']

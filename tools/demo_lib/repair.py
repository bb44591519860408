"""tools/demo --ack snoop, new-snoop or fda: kernel TCP over a radio that loses packets, outside rncd. Downloads go on
beside each other over bearers that are alike but for their ACK stages; the UEs' TCP options and the losses of the radio
change from part to part, since the kernel has one such setting for all connections of a side."""
import dataclasses
import itertools
import re

import ack
import lanes as runs
import repair_verdict
import ue_tcp
from around import measured
from radio import RadioRig
from stage import CORE, kbit, say, wire

SDUS = 128  # 004 Table 1
CORE_MS, RADIO_MS = 20, 10  # one way
RATE = '2M'
STAGES = {'snoop': [('snoop', 'snoop', '[snoop]')],
          'new-snoop': [('new-snoop', 'new-snoop', '[new-snoop]')],
          'fda': [('snoop', 'snoop', '[snoop]'), ('fda', 'fda, snoop', '[fda, snoop]'),
                  ('fda-new', 'fda, new-snoop', '[fda, new-snoop]')]}
CONTROLS = ('reno', 'cubic', 'bbr')
EVENTS = re.compile(r'^rncd_ack_events_total\{class="([^"]+)",stage="([^"]+)",event="(\w+)"\} (\S+)$', re.M)
BYPASS = 4.0  # seconds
COLUMNS = 'ue,peer,state,radio_ms,core_ms,held,kept,repaired,hidden,pipe'


@dataclasses.dataclass
class Part:
    """The options of the UEs, and the losses of the radio, in one part of the demonstration."""
    sack: bool
    timestamps: bool
    ecn: bool
    loss: float
    what: str = ''

    def title(self):
        options = ue_tcp.Options(self.sack, self.timestamps).title() + (', ECN' if self.ecn else '')
        return f'{options}, {self.loss:.1%} lost' if self.loss else f'{options}, nothing lost'


def lanes_of(stage, controls):
    """{(control, kind): lane}; the kind '' has no stage."""
    kinds = [('', 'without', ''), *STAGES[stage]]
    return {(control, kind): runs.Lane(f'{control}-{kind or "without"}', f'{control}, {title}', runs.DROP_TAIL, ack=stages)
            for control, (kind, title, stages) in itertools.product(controls, kinds)}


class Repair:
    """One congestion control; or all of them, with every option, as a matrix."""

    def __init__(self, options, rate):
        self.options, self.rate = options, rate
        there = ue_tcp.congestion_controls(*CONTROLS)
        wanted = CONTROLS if options.matrix else [options.tcp]
        self.missing = [name for name in wanted if name not in there]
        self.controls = [name for name in wanted if name in there]
        self.kinds = [kind for kind, _, _ in STAGES[options.ack]]
        self.lane_of = lanes_of(options.ack, self.controls)
        self.lanes = runs.placed(list(self.lane_of.values()))
        self.ues = len(self.lanes)
        self.again = f'tools/demo --hold --ack {options.ack}' + (' --matrix' if options.matrix else '')

    def rig(self):
        return RadioRig(self.ues, CORE_MS, RADIO_MS)

    def config(self):
        return runs.config(self.lanes, self.rate, 'shaper', SDUS)

    def parts(self):
        options, loss = self.options, self.options.loss
        if options.matrix:
            return [Part(sack, stamps, ecn, loss) for sack, stamps, ecn in itertools.product((True, False), repeat=3)]
        if options.ack == 'fda':
            return [Part(options.sack, options.timestamps, True, loss)]
        parts = [Part(False, False, False, loss, 'bare'), Part(True, True, False, loss, 'usual')]
        return [*parts, Part(True, True, False, 0.0, 'clean')] if loss > 0 else parts

    def commands(self):
        return [f'show flows {lane.ue}' for lane in self.lanes if lane.ack][:1]

    def show(self, rig, box):
        options = self.options
        say(f'demo: {len(self.lanes)} bearers at once of {kbit(ack.bearer(box)["downlink"]["rate"])} over shapers with buffers '
            f'of {SDUS} SDUs;\n  behind them a radio of {RADIO_MS} ms each way, before them a network of {CORE_MS} ms each way')
        rows = []
        parts = self.parts()
        for number, part in enumerate(parts, 1):
            say(f'demo: part {number} of {len(parts)}, {options.seconds:.0f} s: {part.title()}')
            seen = measured(box, lambda part=part: self.download(rig, box, part, options.seconds))
            rows += [repair_verdict.Row(part, control, lanes, seen) for control, lanes in self.by_control()]
            repair_verdict.table(rows[-len(self.controls):])
        if not options.matrix:
            self.bypass = None if options.ack == 'fda' else self.through_a_bypass(rig, box)
        return repair_verdict.report(self, rows)

    def by_control(self):
        for control in self.controls:
            yield control, {kind: self.lane_of[control, kind] for kind in ('', *self.kinds)}

    def download(self, rig, box, part, seconds, tell=None):
        rig.lose(part.loss)
        ue_tcp.offer(rig, ue_tcp.Options(part.sack, part.timestamps))
        rig.run(CORE, 'sysctl', '-qw', f'net.ipv4.tcp_ecn={1 if part.ecn else 0}')
        rig.wait_for_wire()
        before = events(box)
        seen = ack.download(rig, box, [(lane, control) for (control, _), lane in self.lane_of.items()], seconds,
                            tell or Flows(box, self.lanes))
        after = events(box)
        seen.events = {key: count - before.get(key, 0) for key, count in after.items()}
        if seen.failed:
            raise wire.RigError('; '.join(f'{name}: {why}' for name, why in seen.failed.items()))
        return seen

    def through_a_bypass(self, rig, box):
        """In the middle of a download every frame passes for a time, unshaped, and what is kept is let go."""
        part, seconds = Part(True, True, False, self.options.loss), 16.0
        say(f'demo: last part, {seconds:.0f} s: {part.title()}; in the middle rncd is in the mode bypass for {BYPASS:.0f} s')
        return measured(box, lambda: self.download(rig, box, part, seconds, Bypass(box, seconds / 2)))


class Flows:
    """Asks once for the flows."""

    def __init__(self, box, lanes):
        self.box, self.lanes = box, lanes

    def __call__(self, seen):
        if not seen.flows and seen.watch.seconds() > seen.seconds / 2:
            seen.flows = {one.name: self.box.ctl('show', 'flows', one.ue, '--columns', COLUMNS).stdout for one in self.lanes if one.ack}


class Bypass:
    def __init__(self, box, at):
        self.box, self.at, self.mode = box, at, 'inline'

    def __call__(self, seen):
        now = seen.watch.seconds()
        mode = 'bypass' if self.at <= now < self.at + BYPASS else 'inline'
        if mode != self.mode:
            self.mode = mode
            self.box.call('mode.set', mode=mode)


def events(box):
    """{(class, stage, event): count}"""
    return {(cls, stage, event): int(float(count)) for cls, stage, event, count in EVENTS.findall(box.metrics())}

"""tools/demo --ack STAGE --matrix: the stage under every kind of kernel TCP, with and without it side by side. UEs that
agree on SACK and timestamps are of one part; the parts run one after the other."""
import dataclasses
import itertools

import ack
import ack_verdict as figures
import lanes as runs
import ue_tcp
from around import measured
from stage import kbit, mean, say, wire, Verdict

CONTROLS = ('reno', 'cubic', 'bbr')
SHIFTS = (0, 7, 14)
MUCH_WORSE = 0.9  # share of the goodput without the stage
HEAD = ('TCP', 'SACK', 'stamps', 'scale', 'goodput', 'with', 'srtt', 'with', 'dropped', 'with', 'resent', 'with',
        'silence', 'with')
WIDTHS = (6, 6, 8, 7, 13, 12, 10, 10, 9, 6, 8, 6, 9, 7)


@dataclasses.dataclass
class Pair:
    """Two bearers that are alike but for the stage."""
    control: str
    shift: int
    without: runs.Lane
    staged: runs.Lane

    def lanes(self):
        return self.without, self.staged


def pairs_of(stage, controls):
    kinds = [lane for lane in ack.lanes_of(stage) if lane.name in ('without', stage)]
    pairs = [Pair(control, shift, *(dataclasses.replace(lane, name=f'{control}-{shift}-{lane.name}')
                                    for lane in kinds))
             for control, shift in itertools.product(controls, SHIFTS)]
    runs.placed([lane for pair in pairs for lane in pair.lanes()])
    return pairs


class Matrix:
    def __init__(self, options, air):
        self.options, self.air = options, air
        there = ue_tcp.congestion_controls(*CONTROLS)
        self.missing = [name for name in CONTROLS if name not in there]
        self.pairs = pairs_of(options.ack, [name for name in CONTROLS if name in there])
        self.lanes = [lane for pair in self.pairs for lane in pair.lanes()]
        self.ues = len(self.lanes)
        self.again = f'tools/demo --hold --ack {options.ack} --matrix'

    def config(self):
        return runs.config(self.lanes, self.air['rate'], ack.link_of(self.options.link, self.air), ack.SDUS)

    def show(self, rig, box):
        ue_tcp.set_shifts(rig, [(lane, pair.shift) for pair in self.pairs for lane in pair.lanes()])
        ack.introduce(box, self.options, len(self.lanes), 'each with its own TCP')
        parts = [ue_tcp.Options(sack, stamps) for sack, stamps in itertools.product((True, False), repeat=2)]
        rows = []
        for number, offered in enumerate(parts, 1):
            say(f'demo: part {number} of {len(parts)}: {offered.title()}; some '
                f'{(len(parts) - number + 1) * (self.options.seconds + 10) / 60:.1f} minutes left')
            ue_tcp.offer(rig, offered)
            seen = measured(box, lambda: ack.download(
                rig, box, [(lane, pair.control) for pair in self.pairs for lane in pair.lanes()], self.options.seconds,
                lambda _: None))
            rows += [Row(pair, offered, seen) for pair in self.pairs]
            say_rows(rows[-len(self.pairs):])
        return self.report(rows)

    def report(self, rows):
        say('  scale: what the UE was seen to offer. goodput in kbit/s, srtt in ms: as without --matrix. silence: the longest '
            'time,\n  in s, in which nothing arrived in order.')
        for name in self.missing:
            say(f'  Left out: {name}; this kernel has {", ".join(ue_tcp.congestion_controls())}')
        ratios = [row.ratio() for row in rows]
        worse = [row for row in rows if row.ratio() < MUCH_WORSE]
        say(f'\n  {len(rows)} combinations. With {self.options.ack} goodput, as a share of what the air let through, is '
            f'{mean(ratios):.1%} of that\n  without in the mean, {min(ratios):.1%} at least; below {MUCH_WORSE:.0%} in '
            f'{len(worse)}')
        for row in worse:
            say(f'    {row.name()}: {row.ratio():.1%}')
        say(f'  unaccounted frames: {rows[-1].seen.residue}\n')
        failed = [f'{row.name()}: {why}' for row in rows for why in row.failures()]
        if failed:
            raise wire.RigError('downloads that did not end well: ' + '; '.join(failed))
        residue = rows[-1].seen.residue
        return Verdict(f'with {self.options.ack} no kind of TCP has less than {MUCH_WORSE:.0%} of its goodput without',
                       not worse and residue == 0, f'{len(worse)} of {len(rows)} have, {residue} frames unaccounted for',
                       required=residue != 0)


class Row:
    """One combination."""

    def __init__(self, pair, offered, seen):
        self.pair, self.offered, self.seen = pair, offered, seen

    def ratio(self):
        before, after = (figures.share(self.seen, lane.name) for lane in self.pair.lanes())
        return after / before if before else float('inf')

    def name(self):
        return f'{self.pair.control}, {self.offered.title()}, window scale {self.pair.shift}'

    def failures(self):
        return [self.seen.failed[lane.name] for lane in self.pair.lanes() if lane.name in self.seen.failed]

    def shift(self):
        shifts = {one.shift for lane in self.pair.lanes() for one in self.seen.sockets.readings[lane.name][-1:]}
        return '/'.join(sorted(map(str, shifts))) or '-'

    def cells(self):
        seen, names = self.seen, [lane.name for lane in self.pair.lanes()]
        rows = [[kbit(figures.goodput(seen, name)).split()[0] for name in names],
                [f'{mean(figures.rtts(seen, name)):.0f}' for name in names],
                [str(sum(figures.drops(seen, name).values())) for name in names],
                [str(figures.resent(seen, name)) for name in names],
                [f'{figures.silence(seen, name):.1f}' for name in names]]
        yes_no = ['yes' if on else 'no' for on in (self.offered.sack, self.offered.timestamps)]
        return [self.pair.control, *yes_no, self.shift(), *itertools.chain(*rows)]


def say_rows(rows):
    for cells in [HEAD, *(row.cells() for row in rows)]:
        say('  ' + ''.join(f'{cell:>{width}}' for cell, width in zip(cells, WIDTHS)))

"""The observations of tools/demo --ack snoop, new-snoop or fda, as a table, and its claims."""
import ack_verdict as figures
from stage import kbit, mean, say, wire
from verdict import say_claims, verdict_of

LEAST_GAIN = 1.2  # for a source without SACK and timestamps, on a lossy radio
WORST = 0.98
CLEAN = 0.99
FDA_BO, FDA_GOODPUT = 0.7, 0.97
BATCHES, LEAST_BATCH = 10, 2.0  # s: of intervals of half a second, one of which may come late
HEAD = ('goodput', '+-', 'ratio', 'srtt', 'BO', 'dropped', 'resent', 'repaired', 'kept back', 'swallowed', 'told', 'silence')


class Row:
    """One congestion control in one part: the lane without a stage, and those with."""

    def __init__(self, part, control, lanes, seen):
        self.part, self.control, self.lanes, self.seen = part, control, lanes, seen

    def name(self):
        return f'{self.control}, {self.part.title()}'

    def goodput(self, kind):
        return figures.goodput(self.seen, self.lanes[kind].name)

    def ratio(self, kind):
        return self.goodput(kind) / self.goodput('')

    def spread(self, kind):
        """Standard error of the goodput, by batch means, as a share of it."""
        count = max(2, min(BATCHES, int(self.seen.seconds / LEAST_BATCH)))
        name, length = self.lanes[kind].name, self.seen.seconds / count
        batches = [wire.goodput(self.seen.intervals[name], k * length, (k + 1) * length) for k in range(count)]
        middle = mean(batches)
        variance = sum((one - middle) ** 2 for one in batches) / (count - 1)
        return (variance / count) ** 0.5 / middle if middle else float('nan')

    def noise(self, kind):
        """Standard error of ratio()."""
        return self.ratio(kind) * (self.spread(kind) ** 2 + self.spread('') ** 2) ** 0.5

    def bo(self, kind):
        name = self.lanes[kind].name
        return mean(one.bo for one in self.seen.watch.between(name, *self.seen.span(name)))

    def count(self, kind, *wanted):
        name = self.lanes[kind].name
        return sum(n for (cls, _, event), n in self.seen.events.items() if cls == name and event in wanted)

    def cells(self, kind):
        seen, name = self.seen, self.lanes[kind].name
        dropped = {reason: n for reason, n in figures.drops(seen, name).items() if reason != 'repeated'}
        return [kbit(self.goodput(kind)).split()[0], f'{self.spread(kind):.1%}', f'{self.ratio(kind):.2f}',
                f'{mean(figures.rtts(seen, name)):.0f}', f'{self.bo(kind):.1f}', str(sum(dropped.values())),
                str(figures.resent(seen, name)), str(self.count(kind, 'resent')), str(self.count(kind, 'suppressed')),
                str(self.count(kind, 'swallowed')), str(self.count(kind, 'notified')),
                f'{figures.silence(seen, name):.1f}']


def table(rows):
    say(f'  {"":<24}' + ''.join(f'{cell:>11}' for cell in HEAD))
    for row in rows:
        for kind, lane in row.lanes.items():
            say(f'  {lane.title:<24}' + ''.join(f'{cell:>11}' for cell in row.cells(kind)))


def legend():
    say('  goodput: kbit/s that the UE received in order; +-: its standard error, by batches; ratio: to the one without.\n'
        '  srtt: ms, by ss -ti. BO: buffer occupancy, SDUs that wait or are being sent, mean. dropped: by rncd for want of room.\n'
        '  resent: segments, by the source. By rncd: repaired, segments sent again; kept back, duplicate ACKs; swallowed,\n'
        '  repeats of the source; told, times that a source was told of congestion. silence: the longest, in s.')


def claims(show, rows):
    stage = show.options.ack
    for row in rows:
        for kind in show.kinds:
            if stage == 'fda' and kind == 'snoop':
                continue
            yield from claims_of(stage, row, kind)
    residue = rows[-1].seen.residue
    yield 'every frame is accounted for', None, residue == 0, f'unaccounted frames: {residue}', ''


def claims_of(stage, row, kind):
    lane, ratio, noise, part = row.lanes[kind], row.ratio(kind), row.noise(kind), row.part
    shown = f'{ratio:.3f} +- {noise:.3f}'
    what = f'{lane.title}: goodput at least'
    if stage == 'fda':
        yield f'{what} {FDA_GOODPUT} times that without', True, ratio >= FDA_GOODPUT, shown, ''
        if part.ecn and part.loss == 0:
            share = row.bo(kind) / row.bo('')
            yield (f'{lane.title}: BO at most {FDA_BO} times that of drop-tail', True, share <= FDA_BO,
                   f'{share:.2f}: {row.bo(kind):.1f} against {row.bo(""):.1f}', '')
        return
    bare = not part.sack and not part.timestamps and row.control == 'reno' and part.loss >= 0.03
    least = LEAST_GAIN if bare else CLEAN if part.loss == 0 else WORST
    yield (f'{what} {least} times that without, {part.title()}', True, ratio >= least, shown,
           'noise may make it so: run it for longer.' if ratio + 2 * noise >= least else 'the stage does harm here.')


def stalls(show):
    """Claims about the download that bypassed rncd for a time."""
    seen = show.bypass
    for lane in show.lanes:
        if lane.ack:
            silent = figures.silence(seen, lane.name)
            allowed = max(one.rto for one in seen.sockets.readings[lane.name]) / 1000
            yield (f'{lane.title}: a bypass stalls it for no longer than a timeout', True, silent <= allowed + 0.5,
                   f'silent for {silent:.1f} s at most, in steps of 0.5 s; timeout {allowed:.1f} s', '')


def report(show, rows):
    say()
    legend()
    for name in show.missing:
        say(f'  Left out: {name}, which this kernel does not have.')
    say()
    claimed = list(claims(show, rows))
    if not show.options.matrix and show.bypass is not None:
        claimed += stalls(show)
    say_claims('expected', claimed)
    last = rows[-1].seen
    for lane in [] if show.options.matrix else show.lanes:
        if lane.name in rows[0].seen.flows:
            say(f'\n  rncctl show flows {lane.ue}, in the first part')
            say('\n'.join('    ' + line for line in rows[0].seen.flows[lane.name].splitlines()))
    say(f'\n  unaccounted frames: {last.residue}\n')
    return verdict_of(f'{show.options.ack} gains or costs TCP as much as is expected', claimed, last.residue)

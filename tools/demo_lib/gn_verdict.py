"""The observations of tools/demo --gtp-u, as a table, and compared with what is to be seen."""
import crossing as cross
from stage import mbit, middle, say, wire, Verdict

LEAST, MOST = 0.75, 1.05  # shares of the promised goodput, on a machine with other load
SETTLED, MARGIN = 2.0, 0.5  # seconds behind the beginning of a part and before its end that are not judged
PACKET = 1500  # bytes, the most within a tunnel


def span(part):
    """The time of a part that is judged. Nothing has to settle in the first, before which there was no change."""
    settled = SETTLED if part.rate else MARGIN
    return part.begin + min(settled, (part.end - part.begin) / 3), part.end - MARGIN


def goodput(part):
    return wire.goodput(part.intervals, *span(part))


def share(part):
    return goodput(part) / wire.promised(part.rate)


def ping(seen, part):
    begin, end = span(part)
    return middle([rtt for at, rtt in seen.rows if begin <= at <= end])


def table(seen):
    say(f'\n  {"":>7}  {"":<28}{"goodput":>14}{"promised":>14}{"ratio":>9}{"round trip":>12}')
    for part in seen.parts:
        promised = [mbit(wire.promised(part.rate)), f'{share(part):.1%}'] if part.rate else ['-', '-']
        say(f'  {part.begin:6.1f}s  {part.title:<28}{mbit(goodput(part)):>14}{promised[0]:>14}{promised[1]:>9}'
            f'{ping(seen, part):>9.1f} ms')
    say('  promised: rate x 1448/1500, what TCP carries of the 1500 bytes of a packet in a tunnel. round trip: median of pings\n'
        '  in the tunnel that queue behind the download.')


def handovers(seen):
    """[(handover, what became of its packets)]"""
    ends = [seen.part('rewrite').begin, seen.part('sbd').begin]
    return [(one, cross.handover(seen.crossing, one.old, one.new, one.at - 1, seen.began + end))
            for one, end in zip(seen.handovers, ends)]


def say_handovers(found):
    say(f'\n  {"handover":<12}{"from":>12}{"to":>12}{"waited, by old":>16}{"by new":>9}{"behind its marker":>20}')
    for one, fate in found:
        say(f'  {one.way:<12}{one.old:>12}{one.new:>12}{fate.waited_old:>16}{fate.waited_new:>9}{fate.behind_marker:>20}')
    say('  waited: packets that came in the old tunnel, and left after the first came in the new one: in the old tunnel (with\n'
        '  rewrite, those that were leaving at that moment), or in the new one.')
    say('  marker: osmo-ggsn sends none; this program sends it, as the gateways of S1-U and N3 do.')


def claims(seen, found):
    """(claim, whether it was seen, figures that show it)"""
    bare, parts = seen.part('without'), {part.name: part for part in seen.parts}
    least = sum(count for _, _, count in bare.intervals) // PACKET
    yield ('without a bearer its tunnels cross unshaped',
           seen.unshaped >= least and goodput(bare) > MOST * wire.promised(parts['rate'].rate),
           f'{mbit(goodput(bare))}, {seen.unshaped} frames of no bearer')
    for name, claim in (('rate', 'with a bearer TCP has its rate'), ('rrc', 'the RRC changes the rate')):
        yield claim, LEAST <= share(parts[name]) <= MOST, f'{share(parts[name]):.1%} of what is promised'
    (_, keep), (_, rewrite) = found
    yield ('keep: what waits leaves in the old tunnel', keep.waited_old > 0 and keep.waited_new == 0,
           f'{keep.waited_old} packets, {keep.waited_new} in the new one')
    yield ('rewrite: what waits leaves in the new tunnel', rewrite.waited_new > 0 and rewrite.old_behind_new == 0,
           f'{rewrite.waited_new} packets, {rewrite.old_behind_new} in the old one behind them')
    for one, fate in found:
        yield (f'{one.way}: the end marker is the last of its tunnel', fate.markers == 1 and fate.behind_marker == 0,
               f'{fate.behind_marker} packets behind it')
    missing, overtaken, strange = len(seen.crossing.missing()), seen.crossing.overtaken(), seen.crossing.strange()
    yield ('nothing is lost but what the buffer drops', missing == seen.dropped and strange == 0,
           f'{missing} of {len(seen.crossing.entered.frames)} packets are missing, {seen.dropped} were dropped')
    yield 'nothing is overtaken', overtaken == 0, f'{overtaken} packets'
    before, sbd, regulated = (ping(seen, parts[name]) for name in ('rrc', 'sbd', 'regulator'))
    yield ('SBD shortens the queue', sbd < before and seen.discarded > 0,
           f'round trip {sbd:.0f} ms against {before:.0f} ms, {seen.discarded} packets discarded')
    yield ('the regulator shortens it further', regulated < min(before, sbd) and seen.edited > 0,
           f'{regulated:.0f} ms, {seen.edited} ACKs edited')
    yield ('and TCP keeps its rate', share(parts['regulator']) >= LEAST, f'{share(parts["regulator"]):.1%}')
    yield 'checksums stay right, to both kernels', seen.wrong == 0, f'{seen.wrong} wrong'
    yield 'every frame is accounted for', seen.residue == 0, f'unaccounted frames: {seen.residue}'


def report(seen):
    table(seen)
    found = handovers(seen)
    say_handovers(found)
    for words, text in seen.printed.items():
        say(f'\n  rncctl {words}')
        say('\n'.join('    ' + line for line in text.splitlines()))
    claimed = list(claims(seen, found))
    say(f'\n  {"":<52}seen')
    for claim, good, shown in claimed:
        say(f'  {claim:<52}{"yes" if good else "NO":<6}{shown}')
    say()
    rates = [seen.part(name) for name in ('rate', 'rrc')]
    return Verdict('in tunnels between a GGSN and SGSNs TCP has what its bearer allows, through an RRC change, two handovers and '
                   'with SBD and a window regulator', all(good for _, good, _ in claimed),
                   ' and '.join(f'{share(one):.1%} of {mbit(wire.promised(one.rate))}' for one in rates)
                   + f', {len(seen.crossing.missing()) - seen.dropped} packets lost, {ping(seen, seen.part("rrc")):.0f} ms down to '
                   f'{ping(seen, seen.part("regulator")):.0f} ms')

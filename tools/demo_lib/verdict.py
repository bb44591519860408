"""The observations of tools/demo --aqm, as a table, and compared with 002 section 6."""
import lanes as runs
from stage import kbit, mean, middle, say, wire, Verdict
from watch import OVERFLOW

MARGIN = 0.5  # iperf3 counts seconds from when its connections stand
START, SWITCH = 15, 20  # seconds that count as the start, and as the switch; no more than half of the run


def halves(seen):
    return {'before': (0, seen.switched), 'after': (seen.switched, seen.seconds)}


def row(lane, seen, start, end, reasons):
    readings = seen.watch.between(lane.name, start, end)
    drops = seen.watch.dropped(lane.name, start, end)
    rtts = [rtt for at, rtt in seen.rtts[lane.name] if start <= at <= end]
    return [f'{mean(one.bo for one in readings):.1f}', str(max(one.bo for one in readings)),
            *(str(drops[reason]) for reason in reasons),
            kbit(wire.goodput(seen.intervals[lane.name], start + MARGIN, end - MARGIN)), f'{middle(rtts):.0f} ms']


def table(lanes, seen):
    ended = {reason for lane in lanes for reason, n in seen.watch.readings[lane.name][-1].drops.items() if n}
    reasons = ['buffer_sdus', 'aqm', *sorted(ended - {'buffer_sdus', 'aqm'})]
    head = ['BO, mean', 'most', *reasons, 'goodput', 'round trip']
    say(f'  {"":<24}{"switch":<8}' + ''.join(f'{cell:>12}' for cell in head))
    for lane in lanes:
        for when, (start, end) in halves(seen).items():
            cells = row(lane, seen, start, end, reasons)
            say(f'  {lane.title if when == "before" else "":<24}{when:<8}' + ''.join(f'{cell:>12}' for cell in cells))
    each = len(seen.watch.readings[lanes[0].name]) / seen.seconds
    flows = any('flows' in seen.settings[lane.name][1] for lane in lanes)
    say(f'  BO: buffer occupancy in SDUs, by the metrics {each:.1f} times a second.\n'
        f'  {", ".join(reasons)}: SDUs dropped for that reason.')
    say('  round trip: median of pings, one a second, that queue behind the downloads'
        + (' (but in a flow queue of their own)' if flows else ''))


def overflow(lane, policy, seen, start, length):
    """True if the buffer overflowed, and the evidence. RED's maxth is the buffer's limit: its drops without a draw are
    overflows, too, and its occupancy never reaches the limit itself."""
    end = min(start + length, start + seen.seconds / 2)
    dropped = sum(seen.watch.dropped(lane.name, start, end)[reason] for reason in OVERFLOW)
    most = max(one.bo for one in seen.watch.between(lane.name, start, end))
    full = policy == 'red' and lane.name != runs.DROP_TAIL and most >= runs.SDUS - 1
    return dropped > 0 or full, f'SDUs that found it full: {dropped}; BO at most {most}'


# Why a run comes out otherwise than 002 says; tools/lab/RESULTS.md has the experiments.
UNEXPECTED = {
    ('start', True): 'Linux counts acknowledged bytes (RFC 3465), 002\'s sources count ACKs, of which one comes for\n'
                     'two segments: in slow start each ACK opens the window by twice as much, and the buffer is full\n'
                     'before a drop is felt.',
    ('switch', True): 'what was under way at the old rate is more than the buffer holds at the new one; in rnclab one run\n'
                      'in ten does so with Linux\'s sources, and none with 002\'s.',
    ('start', False): 'the buffer did not fill in that time: a drop had slowed the source before, or the run is too short.',
    ('switch', False): 'little was under way when the rate fell; how much differs from run to run.',
}


def claims(policy, lanes, seen):
    """(claim, its outcome in 002, outcome seen, figures that show it, reason for a difference). 002 has SBD, RED and
    drop-tail only."""
    says = {'sbd': (False, False), 'red': (True, False), runs.DROP_TAIL: (True, True)}
    for lane in lanes:
        name = runs.DROP_TAIL if lane.name == runs.DROP_TAIL else policy
        at_start, at_switch = says.get(name, (None, None))
        paper = at_start, None if lane.pinned else at_switch
        for expected, when, at, length in zip(paper, ('start', 'switch'), (0, seen.switched), (START, SWITCH)):
            found, shown = overflow(lane, policy, seen, at, length)
            yield f'{lane.title} overflows at the {when}', expected, found, shown, UNEXPECTED[when, found]
    if any(lane.pinned for lane in lanes):
        new, old = (mean(one.bo for one in seen.watch.between(lane.name, seen.switched, seen.seconds))
                    for lane in lanes[:2])
        yield ('the new set holds less than the old one', True, new < old, f'mean BO {new:.1f} against {old:.1f}',
               'one run, and the sources lost at different moments: perhaps one of them waited for a timeout.')


def yes(value):
    return '-' if value is None else 'yes' if value else 'no'


def verdict_of(what, claimed, residue):
    """The last sentence of a demonstration that stands beside a paper. One run of a kernel's TCP may come out
    otherwise; it fails for frames that are unaccounted for."""
    stated = [(paper, found) for _, paper, found, *_ in claimed if paper is not None]
    alike = sum(paper == found for paper, found in stated)
    return Verdict(what, alike == len(stated) and residue == 0,
                   f'{alike} of {len(stated)} statements, {residue} frames unaccounted for', required=residue != 0)


def say_claims(source, claimed, width=48):
    """Prints the claims; one that differs from the paper's is followed by the reason. A long claim exceeds `width`."""
    claimed = list(claimed)
    width = max([width] + [len(claim) + 1 for claim, *_ in claimed])
    say(f'  {"":<{width}}{source:<10}{"seen":<6}')
    for claim, paper, found, shown, why in claimed:
        say(f'  {claim:<{width}}{yes(paper):<10}{yes(found):<6}{shown}')
        if paper is not None and found != paper:
            say('\n'.join('      ' + line for line in f'otherwise: {why}'.splitlines()))


def report(policy, lanes, seen):
    say()
    table(lanes, seen)
    say()
    claimed = list(claims(policy, lanes, seen))
    say_claims('002 says', claimed)
    say(f'\n  The start is {START} s, the switch {SWITCH} s, at most half of the run. It is one run, of a kernel\'s TCP\n'
        '  with SACK and no wire before rncd. 002 has plain Reno behind 1 Mbit/s and 200 ms, which rnclab simulates:\n'
        '  build/rnclab trace tools/lab/scenarios/002-fig14.yaml --plot DIR\n')
    say(f'  unaccounted frames: {seen.residue}')
    return verdict_of(f'under {policy} a switch of rates goes as 002 says', claimed, seen.residue)

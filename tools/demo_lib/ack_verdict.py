"""The observations of tools/demo --ack, as a table, and compared with the papers' statements."""
from stage import kbit, mean, middle, say, wire
from verdict import say_claims, verdict_of

LEAST = 0.95  # share of the goodput without the stage
PAPER = {'wrb': '001', 'ack-rate': '000', 'combined': '000'}


def p95(values):
    return sorted(values)[int(0.95 * len(values))] if values else float('nan')


def goodput(seen, name):
    return wire.goodput(seen.intervals[name], 0, seen.seconds) if seen.intervals[name] else 0.0


def share(seen, name):
    """Share of the rate that the radio's frame errors leave."""
    return goodput(seen, name) / (seen.rate * (1 - seen.fer[name]))


def rtts(seen, name):
    return [one.rtt for one in seen.sockets.between(name, *seen.span(name))]


def silence(seen, name):
    """The longest time in which nothing arrived, to half a second."""
    longest = now = 0.0
    for start, end, count in seen.intervals[name]:
        now = 0.0 if count else now + end - start
        longest = max(longest, now)
    return longest


def resent(seen, name):
    readings = seen.sockets.readings[name]
    return readings[-1].resent if readings else 0


def drops(seen, name):
    return {reason: n for reason, n in seen.watch.dropped(name, 0, seen.watch.seconds()).items() if n}


def row(lane, seen, reasons):
    held = [one.bo for one in seen.watch.between(lane.name, *seen.span(lane.name))]
    dropped, trips, payload = drops(seen, lane.name), rtts(seen, lane.name), goodput(seen, lane.name)
    air = [f'{seen.fer[lane.name]:.1%}'] if any(seen.fer.values()) else []
    return [kbit(payload), f'{payload / seen.rate:.1%}', *air, f'{mean(trips):.0f} ms', f'{p95(trips):.0f} ms',
            f'{middle(seen.pings[lane.name]):.0f} ms', f'{mean(held):.1f}', str(max(held, default=0)),
            *(str(dropped.get(reason, 0)) for reason in reasons), str(resent(seen, lane.name))]


def table(lanes, seen):
    ended = {reason for lane in lanes for reason in drops(seen, lane.name)}
    reasons = ['buffer_sdus', *(['aqm'] if any('pdpc' in lane.aqm for lane in lanes) else []),
               *sorted(ended - {'buffer_sdus', 'aqm'})]
    air = ['frames lost'] if any(seen.fer.values()) else []
    head = ['goodput', 'of the rate', *air, 'srtt, mean', '95 %', 'ping', 'BO, mean', 'most', *reasons, 'resent']
    say(f'  {"":<20}' + ''.join(f'{cell:>12}' for cell in head))
    for lane in lanes:
        say(f'  {lane.title:<20}' + ''.join(f'{cell:>12}' for cell in row(lane, seen, reasons)))
    say('  goodput: what the UE received in order. srtt: smoothed round trip of the source, by ss -ti; ACKs that are held '
        'wait in it, too.\n  ping: median of one a second; they queue behind the download, nothing holds their answers.\n'
        f'  BO: buffer occupancy in SDUs.\n  {", ".join(reasons)}: SDUs dropped for that reason. resent: segments, by ss -ti.')


def options_seen(lanes, seen):
    """The options that both ends negotiated."""
    said = []
    for lane in lanes:
        last = seen.sockets.readings[lane.name][-1:]
        for one in last:
            scale = 'no window scale' if one.shift is None else f'window scale {one.shift}'
            said.append(f'{"" if one.sack else "no "}SACK, {"" if one.timestamps else "no "}timestamps, {scale}')
    return '; '.join(dict.fromkeys(said)) or 'no download was seen'


def claims(stage, lanes, seen):
    """(claim, its outcome in the paper, outcome seen, figures that show it, reason for a difference)"""
    bare = lanes[0].name
    for lane in lanes:
        if lane.ack:
            say_of = lane.name == stage
            for claim, paper, found, shown, why in claims_of(stage, bare, lane.name, seen):
                yield f'{lane.title}: {claim}', paper if say_of else None, found, shown, why
    yield 'every frame is accounted for', None, seen.residue == 0, f'unaccounted frames: {seen.residue}', ''


def claims_of(stage, bare, staged, seen):
    def both(of, text):
        before, after = of(seen, bare), of(seen, staged)
        return before, after, f'{text(after)} against {text(before)}'

    before, after, shown = both(share, '{:.1%}'.format)
    what = 'what the air let through' if any(seen.fer.values()) else 'the rate'
    queue = mean(one.bo for one in seen.watch.between(staged, *seen.span(staged)))
    yield (f'goodput at least {LEAST:.0%} of that without', True, after >= LEAST * before, f'of {what} {shown}',
           f'the queue held {queue:.1f} SDUs on average, and the link idles whenever it is empty: after a loss the source\n'
           'grows again by what its ACKs allow, and ACKs that wait allow less.')
    before, after, shown = both(lambda *of: sum(drops(*of).values()), str)
    yield ('fewer SDUs dropped', True, after < before, shown,
           'the run is too short for the buffer to overflow without the stage; --seconds makes it longer.'
           if before == 0 else 'perhaps the buffer was full before the stage had slowed the source.')
    before, after, shown = both(lambda _, name: middle(seen.pings[name]), '{:.0f} ms'.format)
    yield ('less time in the buffer', None if stage == 'wrb' else True, after < before, f'ping {shown}',
           'perhaps the source\'s own losses keep the queue short without the stage, too.')
    before, after, shown = both(lambda *of: mean(rtts(*of)), '{:.0f} ms'.format)
    yield 'smoothed round trip shorter', None, after < before, shown, ''


def report(options, lanes, seen):
    say()
    table(lanes, seen)
    say(f'  The ends agreed on: {options_seen(lanes, seen)}\n')
    claimed = list(claims(options.ack, lanes, seen))
    say_claims(f'{PAPER[options.ack]} says', claimed, 60)
    for lane in lanes:
        if lane.name in seen.flows:
            say(f'\n  rncctl show flows {lane.ue}')
            say('\n'.join('    ' + line for line in seen.flows[lane.name].splitlines()))
    say()
    return verdict_of(f'{options.ack} does to TCP what {PAPER[options.ack]} says', claimed, seen.residue)

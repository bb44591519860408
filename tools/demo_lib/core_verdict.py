"""The observations of tools/demo --told, as a table, and compared with what is to be seen."""
from stage import mbit, say, wire, Verdict

LEAST, MOST = 0.75, 1.05  # shares of the promised goodput, on a machine with other load
SDUS = 50  # that a bearer's buffer holds
SETTLED, MARGIN = 0.55, 0.5  # the share of a part that is not judged, and the seconds before its end


def span(part):
    """The time of a part that is judged."""
    return part.begin + SETTLED * (part.end - part.begin), part.end - MARGIN


def share(seen, part, ue):
    return wire.goodput(seen.intervals[ue], *span(part)) / wire.promised(1000 * part.rates[ue])


def as_told(seen, part, ue):
    """TCP hands over what came behind a loss at once, when that is repaired: up to a buffer's content."""
    begin, end = span(part)
    burst = SDUS * 1500 * 8 / ((end - begin) * 1000 * part.rates[ue])
    return LEAST <= share(seen, part, ue) <= MOST + burst


def table(ues, seen):
    say(f'\n  {"":>7}  {"":<18}' + ''.join(f'{ue:>27}' for ue in ues))
    say(f'  {"":>7}  {"":<18}' + f'{"told":>13}{"carried":>14}' * len(ues))
    for part in seen.parts:
        cells = ''
        for n, rate in enumerate(part.rates):
            cells += f'{mbit(1000 * rate):>13}{share(seen, part, n):>14.1%}'
        say(f'  {part.begin:6.1f}s  {part.title:<18}{cells}')
    say('  carried: the goodput of the last part of each step, as a share of what TCP carries of the rate that was told\n'
        '  (1448 of 1500 bytes).\n')
    say(''.join(f'    {line}\n' for line in seen.table.splitlines()))


def report(ues, seen):
    table(ues, seen)
    claims = []
    for part in seen.parts:
        shares = [share(seen, part, n) for n in range(len(ues))]
        good = all(as_told(seen, part, n) for n in range(len(ues)))
        claims.append((part.title, good, ', '.join(f'{one:.1%}' for one in shares)))
    owners = [['pfcp'] * len(ues)] * 4 + [['radius'] * len(ues)] * 2
    claims.append(('each bearer is kept by who told it last', seen.owners == owners, f'{len(ues)} bearers'))
    for claim, good, shown in claims:
        say(f'  {claim:<52} {"yes" if good else "NO":<4} {shown}')
    say(f'\n  unaccounted frames: {seen.residue}')
    good = all(good for _, good, _ in claims) and seen.residue == 0
    return Verdict('each UE gets the rate that the core has told last, through changes and restarts of both programs', good,
                   f'{sum(one for _, one, _ in claims)} of {len(claims)} claims, {seen.residue} frames unaccounted for')

"""The observations of tools/demo --proxy split, as a table beside 003's gains, and its claims."""
import dataclasses

from stage import kbit, mean, say, wire, Verdict
from verdict import say_claims

PAPER_RATE = 256_000
PAPER = {3: 0.33, 10: 0.66}  # gains of a file of 50 kB
SLOW_RATE, SLOW_GAIN = 64_000, 0.15  # a rate at which the window hardly matters
ENOUGH = 40  # files of a kind; from fewer its gain is printed, but not judged


@dataclasses.dataclass
class Bypass:
    at: float  # the time of the request
    drained: dict
    bound: str  # modes.drain_timeout
    files: list

    def under_way(self):
        """Files that had begun and not ended."""
        return [one for one in self.files if one['began'] < self.at and one['began'] + one.get('whole_seconds', 0) > self.at]


@dataclasses.dataclass
class Seen:
    kinds: list  # lanes; the first has no proxy
    windows: list  # windows of the others
    rate: int
    size: int  # size of a file
    files: dict = dataclasses.field(default_factory=dict)  # {class: files}
    bypass: Bypass = None
    residue: int = 0

    def times(self, kind):
        return [one['seconds'] for one in self.files[kind.name] if 'failed' not in one]

    def throughput(self, kind):
        return 8 * self.size / mean(self.times(kind))

    def gain(self, kind):
        return self.throughput(kind) / self.throughput(self.kinds[0]) - 1

    def error(self, kind):
        """Standard error of gain(), of a ratio of two means."""
        return (1 + self.gain(kind)) * sum(spread(self.times(one)) ** 2 for one in (kind, self.kinds[0])) ** 0.5

    def enough(self):
        return all(len(self.times(kind)) >= ENOUGH for kind in self.kinds)

    def failed(self):
        every = [one for files in self.files.values() for one in files] + self.bypass.files
        return [f'{one["ue"]}: {one["failed"]}' for one in every if 'failed' in one]


def spread(values):
    """Standard error of the mean, as a share of it."""
    if len(values) < 2:
        return float('nan')
    middle = mean(values)
    return (sum((one - middle) ** 2 for one in values) / (len(values) - 1) / len(values)) ** 0.5 / middle


def median(values):
    ordered, half = sorted(values), len(values) // 2
    return mean(ordered[half - 1:half + 1]) if len(values) % 2 == 0 else ordered[half]


def paper(seen, window):
    return PAPER.get(window) if (seen.rate, seen.size) == (PAPER_RATE, 50_000) else None


def table(seen):
    heads = ('files', 'median', 'mean', 'with SYN', 'throughput', 'gain', '+-', '003')
    say(f'  {"":<16}' + ''.join(f'{head:>14}' for head in heads))
    for kind, window in zip(seen.kinds, [None, *seen.windows]):
        times = seen.times(kind)
        whole = mean(one['whole_seconds'] for one in seen.files[kind.name] if 'failed' not in one)
        says = paper(seen, window)
        gain = ['', '', ''] if window is None else [f'{seen.gain(kind):+.0%}', f'{seen.error(kind):.0%}',
                                                    '-' if says is None else f'{says:+.0%}']
        cells = [len(times), f'{median(times):.2f} s', f'{mean(times):.2f} s', f'{whole:.2f} s',
                 kbit(seen.throughput(kind)), *gain]
        say((f'  {kind.title:<16}' + ''.join(f'{cell:>14}' for cell in cells)).rstrip())
    say('  median, mean: from the first segment of the server to the last byte; with SYN: mean from the SYN on.\n'
        '  throughput: all bits over the sum of all times, as in 003; +-: standard error of the gain, two of\n'
        '  which are allowed for below.')


def claims(seen):
    """The claims. Gains that so few files cannot show are not required."""
    yield from gains(seen)
    every = sum(map(len, seen.files.values())) + len(seen.bypass.files)
    wrong = seen.failed()
    yield 'every file is right, by SHA-256', True, not wrong, f'{every - len(wrong)} of {every}', '\n'.join(wrong[:5])
    drained, under_way = seen.bypass.drained, len(seen.bypass.under_way())
    yield ('a bypass loses nothing of what was at risk', True,
           drained['at_risk_before'] > 0 and (drained['at_risk_after'], drained['reset']) == (0, 0),
           f'{drained["at_risk_before"]} bytes, then {drained["at_risk_after"]}, {drained["reset"]} resets, after '
           f'{drained["seconds"]:.2f} s of {seen.bypass.bound}', 'the UE leg was too slow for the time.')
    yield 'files are under way meanwhile', True, under_way > 0, f'{under_way}', 'they ended too early.'
    yield 'every frame is accounted for', True, seen.residue == 0, f'unaccounted frames: {seen.residue}', 'a fault.'


def gains(seen):
    """Two standard errors are allowed for."""
    required = True if seen.enough() else None
    why = 'this is more than two standard errors away.'
    rates = [seen.throughput(kind) for kind in seen.kinds]
    by_window = all(window < other for window, other in zip(seen.windows, seen.windows[1:]))
    if by_window and seen.rate == PAPER_RATE:
        yield ('throughput grows with the initial window', required, rates == sorted(rates), ' < '.join(map(kbit, rates)),
               'noise may make it so: run it for longer.')
    for kind, window in zip(seen.kinds[1:], seen.windows):
        says, shown, noise = paper(seen, window), f'{seen.gain(kind):+.1%} +- {seen.error(kind):.1%}', 2 * seen.error(kind)
        if says is not None:
            yield (f'{kind.title}: at least half of the gain of 003', required, seen.gain(kind) + noise >= says / 2, shown, why)
        if seen.rate <= SLOW_RATE:
            yield f'{kind.title}: gains less than {SLOW_GAIN:.0%}', required, seen.gain(kind) - noise < SLOW_GAIN, shown, why


def report(seen):
    say()
    table(seen)
    say()
    claimed = list(claims(seen))
    say_claims('required', claimed)
    say(f'\n  unaccounted frames: {seen.residue}\n')
    if broken := [claim for claim, required, found, *_ in claimed if required and not found]:
        raise wire.RigError(f'not as required: {"; ".join(broken)}')
    gained = ', '.join(f'{seen.gain(kind):+.0%} with {kind.title}' for kind in seen.kinds[1:])
    return Verdict('a split proxy brings files sooner where 003 says so, and a bypass loses nothing', True, gained)

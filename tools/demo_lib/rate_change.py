"""tools/demo: a download through a shaper, whose rate changes half-way."""
import time

from around import measured
from stage import CORE, UE_V4, mbit, middle, one_bearer, round_trips, say, start_ping, told, wire, Verdict

BEFORE, AFTER, SDUS = 8_000_000, 2_000_000, 20
SECONDS, CHANGE = 16, 7
LEAST, MOST = 0.75, 1.05  # shares of the promised goodput, on a machine with other load


class RateChange:
    ues = 1
    again = 'tools/demo --hold'

    def config(self):
        return one_bearer('8M', SDUS)

    def show(self, rig, box):
        return report(box, measured(box, lambda: download(rig, box)))


def download(rig, box):
    """Downloads, changes the rate half-way, and returns what was seen: intervals, round trips, moments."""
    box.call('rrc.reconfigure', bearer=UE_V4, rate='8M')
    say(f'demo: TCP download to {UE_V4}, {SECONDS} s; the bearer has {mbit(BEFORE)}')
    ping = start_ping(rig)
    started = time.time()
    transfer = rig.iperf(CORE, SECONDS)
    began = time.time()
    time.sleep(CHANGE)
    answer = box.call('rrc.reconfigure', bearer=UE_V4, rate='2M')
    changed = time.time()
    say(f'demo: rrc.reconfigure: {answer["direction"]} {mbit(answer["was"])} -> {mbit(answer["rate"])}')
    intervals = transfer.finish()
    return intervals, round_trips(ping), began if began > started else started, changed


def columns(label, *cells):
    say(f'  {label:<9}' + ''.join(f'{cell:>14}' for cell in cells))


def row(label, rate, measured, rtts):
    promise = wire.promised(rate)
    limit = SDUS * 1500 * 8 / rate * 1000
    columns(label, mbit(rate), mbit(measured), mbit(promise), f'{measured / promise:.1%}', f'{middle(rtts):.0f} ms',
            f'{limit:.0f} ms')


def report(box, seen):
    intervals, rtts, began, changed = seen
    at = changed - began
    say()
    columns('downlink', 'bearer rate', 'goodput', 'promised', 'ratio', 'round trip', 'full buffer')
    goodput = wire.goodput(intervals, 2, at - 0.5), wire.goodput(intervals, at + 2, SECONDS)
    row('before', BEFORE, goodput[0],
        [rtt for moment, rtt in rtts if began + 2 <= moment <= changed - 0.5])
    row('after', AFTER, goodput[1],
        [rtt for moment, rtt in rtts if changed + 2 <= moment <= began + SECONDS])
    say('  promised: rate x 1448/1500, what TCP carries of 1500 IP bytes. round trip: median of pings that queue')
    say(f'  behind the download. full buffer: {SDUS} SDUs of 1500 bytes at the rate.')
    say()
    residue = box.stats()['residue']
    say(f'  dropped: {told(box.dropped())}; unaccounted frames: {residue}')
    say()
    shares = [one / wire.promised(rate) for one, rate in zip(goodput, (BEFORE, AFTER))]
    return Verdict('the download has what its bearer\'s rate allows, before and after the change',
                   all(LEAST <= share <= MOST for share in shares) and residue == 0,
                   ' and '.join(f'{share:.1%}' for share in shares) + f', {residue} frames unaccounted for')

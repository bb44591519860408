"""tools/demo --link am: a download over RLC acknowledged mode on an emulated air link."""
import time

from around import measured
from stage import (CORE, UE_V4, air_link, bearer, kbit, mean, middle, one_bearer, round_trips, say, start_ping, told,
                   wire, Verdict)

SDUS = 20
SECONDS, SETTLED = 24, 6
LEAST, MOST = 0.7, 1.1  # shares of the rate that frame errors leave; errors are measured over the whole run


class Air:
    ues = 1
    again = 'tools/demo --hold --link am'

    def __init__(self, air):
        self.air = air

    def config(self):
        return one_bearer(self.air['rate'], SDUS, air_link(self.air))

    def show(self, rig, box):
        return report(box, measured(box, lambda: download(rig, box)))


def download(rig, box):
    """Downloads, and returns the intervals, the round trips, and what the buffer held from moment to moment."""
    air = bearer(box)['downlink']['air']['settings']
    say(f'demo: TCP download to {UE_V4}, {SECONDS} s, over RLC AM on an air link of '
        f'{kbit(bearer(box)["downlink"]["rate"])} each way: FER {air["fer"]}, doppler {air["doppler"]}, '
        f'delay {air["delay"]}')
    ping = start_ping(rig)
    transfer = rig.iperf(CORE, SECONDS)
    began, held = time.time(), []
    while time.time() < began + SECONDS:
        if time.time() > began + SETTLED:
            held.append(bearer(box)['downlink'])
        time.sleep(0.1)
    return transfer.finish(), [rtt for at, rtt in round_trips(ping) if at > began + SETTLED], held


def lost_of(air):
    return f'{air["frame_error_ratio"]:.1%} of {air["frames"]["sent"]}'


def report(box, seen):
    intervals, rtts, held = seen
    leg, up = (bearer(box)[direction] for direction in ('downlink', 'uplink'))
    air, pdus = leg['air'], leg['air']['pdus']
    measured_rate = wire.goodput(intervals, SETTLED, SECONDS)
    promise = wire.promised(leg['rate']) * (1 - air['frame_error_ratio'])
    rows = {
        'goodput': f'{kbit(measured_rate)}, {measured_rate / promise:.1%} of (1 - FER) x rate x 1448/1500 = {kbit(promise)}',
        'round trip': f'{middle(rtts):.0f} ms (median of pings that queue behind the download)',
        'BO': f'{mean(one["queued_sdus"] for one in held):.1f} SDUs of at most {SDUS}, '
              f'{mean(one["air"]["sdus_in_transmission"] for one in held):.1f} of them in transmission (means)',
        'PDUs': f'{pdus["new"]} new, {pdus["retransmitted"]} retransmitted ({air["retransmission_ratio"]:.1%}) down; '
                f'{up["air"]["pdus"]["status"]} status up',
        'frames lost': f'{lost_of(air)} down, {lost_of(up["air"])} up (the measured FER)',
        'given up': f'{air["discards"]} MRW and {air["resets"]} resets down, '
                    f'{up["air"]["discards"]} and {up["air"]["resets"]} up',
        'dropped': f'{told(box.dropped())}; unaccounted frames: {box.stats()["residue"]}',
    }
    say()
    for name, text in rows.items():
        say(f'  {name:<12}{text}')
    say(f'\n  rncctl show bearer {UE_V4}')
    say(''.join(f'    {line}\n' for line in box.ctl('show', 'bearer', UE_V4).stdout.splitlines()
                if not line.startswith('am ')) + '    ... and the settings of the air')
    say()
    residue = box.stats()['residue']
    return Verdict('the download has what the frame errors leave of the rate, and RLC repairs the rest',
                   LEAST <= measured_rate / promise <= MOST and residue == 0,
                   f'{measured_rate / promise:.1%}, {residue} frames unaccounted for')

"""What tools/demo shows, once everything is installed and built."""
import argparse
import contextlib
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tests', 'system'))

import box as rncd  # noqa: E402
import rig as wire  # noqa: E402
from rig import CORE, DUT, RADIO, UE_V4  # noqa: E402

DEFAULT_SOCKET = '/run/rncd/rncd.sock'
BEFORE, AFTER, SDUS = 8_000_000, 2_000_000, 20
SECONDS, CHANGE = 16, 7
AIR = {'rate': '384k', 'fer': '10%', 'doppler': '0.01', 'delay': '25ms'}
AIR_SECONDS, SETTLED = 24, 6


def say(text=''):
    print(text, flush=True)


def mbit(rate):
    return f'{rate / 1e6:.2f} Mbit/s'


def kbit(rate):
    return f'{rate / 1e3:.0f} kbit/s'


def free_socket():
    """The default path, so that rncctl needs no -s; None when an rncd of this machine lives there."""
    try:
        rncd.Rpc(DEFAULT_SOCKET).close()
        return None
    except OSError:
        return DEFAULT_SOCKET


def remove_socket_folder(was_there):
    """rncd makes it where it is missing, and leaves it."""
    if not was_there:
        with contextlib.suppress(OSError):
            os.rmdir(os.path.dirname(DEFAULT_SOCKET))


def make_box(rig, device, air):
    link = f'{{am: {{fer: {air["fer"]}, doppler: {air["doppler"]}, delay: {air["delay"]}}}}}' if air else ''
    return rncd.Box(rig, device=device, rate=air['rate'] if air else '8M', sdus=SDUS, link=link,
                    socket_path=free_socket(), name='demo',
                    bearers=f'bearers:\n  - {{ue: {UE_V4}, class: internet}}\n')


def begin(rig, wanted, air):
    """rncd on the first kind of port that works."""
    for device in [wanted] if wanted else ['af_xdp', 'af_packet']:
        box = make_box(rig, device, air)
        try:
            say(f'demo: starting rncd on {device} ports')
            return box.__enter__()
        except wire.RigError as error:
            if device == 'af_packet' or wanted:
                raise
            say(f'demo: af_xdp does not work here, falling back to af_packet. The reason:\n{error}')
            say('demo: under af_packet IPv4 fragments do not cross (README, Ports); nothing else differs here')
    raise AssertionError


def start_ping(rig):
    return rig.start(CORE, 'ping', '-n', '-D', '-i', '0.2', '-W', '5', UE_V4, stdout=subprocess.PIPE,
                     stderr=subprocess.STDOUT)


def round_trips(ping):
    """(moment, milliseconds) of each answer."""
    ping.terminate()
    out, _ = ping.communicate(timeout=10)
    return [(float(at), float(rtt)) for at, rtt in re.findall(r'^\[([\d.]+)\].*time=([\d.]+) ms', out, re.M)]


def download(rig, box):
    """Downloads, changes the rate half-way, and returns what was seen: intervals, round trips, moments."""
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


def middle(values):
    return sorted(values)[len(values) // 2] if values else float('nan')


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
    row('before', BEFORE, wire.goodput(intervals, 2, at - 0.5),
        [rtt for moment, rtt in rtts if began + 2 <= moment <= changed - 0.5])
    row('after', AFTER, wire.goodput(intervals, at + 2, SECONDS),
        [rtt for moment, rtt in rtts if changed + 2 <= moment <= began + SECONDS])
    say('  promised: rate x 1448/1500, what TCP carries of 1500 IP bytes. round trip: median of pings that queue')
    say(f'  behind the download. full buffer: {SDUS} SDUs of 1500 bytes at the rate.')
    say()
    stats = box.stats()
    say(f'  dropped: {", ".join(f"{n} {reason}" for reason, n in box.dropped().items()) or "nothing"}'
        f'; unaccounted frames: {stats["residue"]}')
    say()


def bearer(box):
    return box.call('bearer.get', ue=UE_V4)


def download_over_air(rig, box):
    """Downloads, and returns the intervals, the round trips, and what the buffer held from moment to moment."""
    air = bearer(box)['downlink']['air']['settings']
    say(f'demo: TCP download to {UE_V4}, {AIR_SECONDS} s, over RLC AM on an air link of '
        f'{kbit(bearer(box)["downlink"]["rate"])} each way: FER {air["fer"]}, doppler {air["doppler"]}, '
        f'delay {air["delay"]}')
    ping = start_ping(rig)
    transfer = rig.iperf(CORE, AIR_SECONDS)
    began, held = time.time(), []
    while time.time() < began + AIR_SECONDS:
        if time.time() > began + SETTLED:
            held.append(bearer(box)['downlink'])
        time.sleep(0.1)
    return transfer.finish(), [rtt for at, rtt in round_trips(ping) if at > began + SETTLED], held


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else float('nan')


def lost_of(air):
    return f'{air["frame_error_ratio"]:.1%} of {air["frames"]["sent"]}'


def report_air(box, seen):
    intervals, rtts, held = seen
    leg, up = (bearer(box)[direction] for direction in ('downlink', 'uplink'))
    air, pdus = leg['air'], leg['air']['pdus']
    measured = wire.goodput(intervals, SETTLED, AIR_SECONDS)
    promise = wire.promised(leg['rate']) * (1 - air['frame_error_ratio'])
    dropped = ', '.join(f'{n} {reason}' for reason, n in box.dropped().items())
    rows = {
        'goodput': f'{kbit(measured)}, {measured / promise:.1%} of (1 - FER) x rate x 1448/1500 = {kbit(promise)}',
        'round trip': f'{middle(rtts):.0f} ms (median of pings that queue behind the download)',
        'BO': f'{mean(one["queued_sdus"] for one in held):.1f} SDUs of at most {SDUS}, '
              f'{mean(one["air"]["sdus_in_transmission"] for one in held):.1f} of them in transmission (means)',
        'PDUs': f'{pdus["new"]} new, {pdus["retransmitted"]} retransmitted ({air["retransmission_ratio"]:.1%}) down; '
                f'{up["air"]["pdus"]["status"]} status up',
        'frames lost': f'{lost_of(air)} down, {lost_of(up["air"])} up (the measured FER)',
        'given up': f'{air["discards"]} MRW and {air["resets"]} resets down, '
                    f'{up["air"]["discards"]} and {up["air"]["resets"]} up',
        'dropped': f'{dropped or "nothing"}; unaccounted frames: {box.stats()["residue"]}',
    }
    say()
    for name, text in rows.items():
        say(f'  {name:<12}{text}')
    say(f'\n  rncctl show bearer {UE_V4}')
    say(''.join(f'    {line}\n' for line in box.ctl('show', 'bearer', UE_V4).stdout.splitlines()
                if not line.startswith('am ')) + '    ... and the settings of the air')
    say()


def show_commands(box):
    ctl = rncd.RNCCTL + ('' if box.socket == DEFAULT_SOCKET else f' -s {box.socket}')
    pid, rig = box.process.pid, box.rig
    rate = '128k' if 'air' in bearer(box)['downlink'] else '20M'
    say('  From another shell on this machine:')
    for words in ('show bearers', f'show bearer {UE_V4}', 'show workers', 'show drops', f'rrc {UE_V4} --rate {rate}',
                  '--json show stats'):
        say(f'    sudo {ctl} {words}')
    say(f'    sudo nsenter --net=/proc/{pid}/ns/net curl -s http://127.0.0.1:9464/metrics')
    say(f'    sudo ip netns exec {rig.name(RADIO)} iperf3 -s -D -1; '
        f'sudo ip netns exec {rig.name(CORE)} iperf3 -c {UE_V4}')


def hold(box):
    show_commands(box)
    say('\ndemo: holding until Ctrl-C')
    while box.process.poll() is None:
        time.sleep(0.2)
    raise wire.RigError(f'rncd ended with exit code {box.process.returncode}:\n{box.tail()}')


def word(text):
    """A quantity as the configuration takes it; what it means is rncd's to judge."""
    if not re.fullmatch(r'[\w.%]+', text):
        raise argparse.ArgumentTypeError(f'{text!r} is no quantity such as 384k, 10% or 25ms')
    return text


def parse():
    parser = argparse.ArgumentParser(prog='tools/demo')
    parser.add_argument('--hold', action='store_true', help='stay up until Ctrl-C')
    parser.add_argument('--device', choices=['af_xdp', 'af_packet'], help='no fallback')
    parser.add_argument('--link', choices=['shaper', 'am'], default='shaper', help='what serves the bearer')
    for name, initial in AIR.items():
        parser.add_argument('--' + name, type=word, help=f'of the air, with --link am; by default {initial}')
    options = parser.parse_args()
    given = {name: getattr(options, name) for name in AIR if getattr(options, name) is not None}
    if given and options.link != 'am':
        parser.error(f'--{next(iter(given))} is of the air link; add: --link am')
    return options, {**AIR, **given} if options.link == 'am' else None


def main():
    options, air = parse()
    wire.terminate_on_signals()
    socket_folder = os.path.isdir(os.path.dirname(DEFAULT_SOCKET))
    say('demo: three network namespaces: core c0 -- d0 rncd d1 -- r0 radio')
    with wire.Rig() as rig:
        box = begin(rig, options.device, air)
        try:
            if air:
                report_air(box, download_over_air(rig, box))
            else:
                report(box, download(rig, box))
            if options.hold:
                hold(box)
            again = 'sudo tools/demo --hold' + (' --link am' if air else '')
            say(f'  To look around while it runs: {again} (rncctl, metrics). Its log: ' + os.path.relpath(box.log))
        finally:
            box.close()
            remove_socket_folder(socket_folder)


if __name__ == '__main__':
    try:
        main()
    except KeyboardInterrupt:
        say('\ndemo: interrupted, everything is taken down')
        sys.exit(130)
    except (wire.RigError, rncd.RpcError, subprocess.SubprocessError, OSError, ValueError) as error:
        print(f'demo: {error}', file=sys.stderr)
        sys.exit(1)

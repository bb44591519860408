"""What tools/demo shows, once everything is installed and built."""
import argparse
import os
import re
import subprocess
import sys

import air as air_link
import lanes
import rate_change
import stage
import switch
from stage import rncd, say, wire

AIR = {'rate': '384k', 'fer': '10%', 'doppler': '0.01', 'delay': '25ms'}
SWITCH = {'to': '128k', 'seconds': 70.0, 'tcp': 'reno', 'initial_window': 1, 'out': None}


def word(text):
    """A quantity as the configuration takes it; what it means is rncd's to judge."""
    if not re.fullmatch(r'[\w.%]+', text):
        raise argparse.ArgumentTypeError(f'{text!r} is no quantity such as 384k, 10% or 25ms')
    return text


def duration(text):
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 6 <= seconds <= 3600:
        raise argparse.ArgumentTypeError(f'{text!r} is no number of seconds from 6 to 3600')
    return seconds


def segments(text):
    if not text.isdecimal() or not 1 <= int(text) <= 100:
        raise argparse.ArgumentTypeError(f'{text!r} is no number of segments from 1 to 100')
    return int(text)


def congestion_control(text):
    with open('/proc/sys/net/ipv4/tcp_available_congestion_control', encoding='ascii') as file:
        there = file.read().split()
    if text not in there:
        raise argparse.ArgumentTypeError(f'this kernel has no {text!r}; it has {", ".join(there)}')
    return text


def refuse_strays(parser, options, air):
    """An option of another demonstration than the one asked for would be without effect."""
    strays = [name for name in SWITCH if getattr(options, name) is not None]
    if strays and not options.aqm:
        parser.error(f'--{strays[0].replace("_", "-")} is of the switch of rates; add: --aqm sbd')
    if air and options.link != 'am':
        parser.error(f'--{next(iter(air))} is of the air link; add: --link am')


def chosen(parser, options):
    """The demonstration that the options ask for."""
    if options.aqm and options.link is None:
        options.link = 'am'
    air = {name: getattr(options, name) for name in AIR if getattr(options, name) is not None}
    refuse_strays(parser, options, air)
    if not options.aqm:
        return air_link.Air({**AIR, **air}) if options.link == 'am' else rate_change.RateChange()
    if options.link != 'am':
        parser.error('--aqm shows the switch of rates on an air link; leave out: --link shaper')
    policies = lanes.policies()
    if options.aqm not in policies:
        parser.error(f'--aqm: rncd has no policy {options.aqm!r}; it has {", ".join(policies)}')
    for name, initial in SWITCH.items():
        if getattr(options, name) is None:
            setattr(options, name, initial)
    return switch.Switch(options.aqm, policies[options.aqm], options, {**AIR, **air})


def parse():
    parser = argparse.ArgumentParser(prog='tools/demo')
    parser.add_argument('--hold', action='store_true', help='stay up until Ctrl-C')
    parser.add_argument('--device', choices=['af_xdp', 'af_packet'], help='no fallback')
    parser.add_argument('--link', choices=['shaper', 'am'], help='what serves the bearer; by default shaper')
    for name, initial in AIR.items():
        parser.add_argument('--' + name, type=word, help=f'of the air, with --link am or --aqm; by default {initial}')
    parser.add_argument('--aqm', metavar='POLICY', help='the switch of rates of 002 section 6')
    parser.add_argument('--to', type=word, help=f'with --aqm: the rate after the switch; by default {SWITCH["to"]}')
    parser.add_argument('--seconds', type=duration,
                        help=f'with --aqm: how long, the switch half-way; by default {SWITCH["seconds"]:.0f}')
    parser.add_argument('--tcp', type=congestion_control,
                        help=f'with --aqm: congestion control of the downloads; by default {SWITCH["tcp"]}')
    parser.add_argument('--initial-window', type=segments,
                        help='with --aqm: segments that they begin with; by default '
                             f'{SWITCH["initial_window"]}, as in 002 Table 1, where Linux has 10')
    parser.add_argument('--out', metavar='FOLDER',
                        help='with --aqm: of the picture; by default demo in the build directory')
    options = parser.parse_args()
    return options, chosen(parser, options)


def main():
    options, demo = parse()
    wire.terminate_on_signals()
    socket_folder = os.path.isdir(os.path.dirname(stage.DEFAULT_SOCKET))
    say('demo: three network namespaces: core c0 -- d0 rncd d1 -- r0 radio')
    with wire.Rig(demo.ues) as rig:
        box = stage.begin(rig, options.device, demo.config())
        try:
            demo.show(rig, box)
            if options.hold:
                stage.hold(box)
            say(f'  To look around while it runs: sudo {demo.again} (rncctl, metrics). Its log: '
                + os.path.relpath(box.log))
        finally:
            box.close()
            stage.remove_socket_folder(socket_folder)


if __name__ == '__main__':
    try:
        main()
    except KeyboardInterrupt:
        say('\ndemo: interrupted, everything is taken down')
        sys.exit(130)
    except (wire.RigError, rncd.RpcError, subprocess.SubprocessError, OSError, ValueError) as error:
        print(f'demo: {error}', file=sys.stderr)
        sys.exit(1)

"""The words that tools/demo takes, and the demonstration that they ask for."""
import argparse
import re

import ack
import ack_matrix
import air as air_link
import cell
import core
import gn
import lanes
import outage
import rate_change
import repair
import split
import switch
import ue_tcp

AIR = {'rate': '384k', 'fer': '10%', 'doppler': '0.01', 'delay': '25ms'}
SWITCH, ACK, MATRIX, CELL = 'the switch of rates', 'the ACK stages', 'their matrix', 'the cell'
REPAIR, SPLIT, OUTAGE = 'losses on the radio', 'the split proxy', 'the wire without rncd'
GTP_U, TOLD = 'the tunnels', 'the rates that the core tells'
HOW = {SWITCH: '--aqm sbd', ACK: '--ack wrb', CELL: '--cell', REPAIR: '--ack snoop', SPLIT: '--proxy split', OUTAGE: '--kill',
       GTP_U: '--gtp-u', TOLD: '--told'}
# Options of some demonstrations only, and what they are there without being given.
OF = {'to': {SWITCH: '128k'}, 'seconds': {SWITCH: 70.0, ACK: 60.0, MATRIX: 20.0, CELL: 30.0, REPAIR: 60.0, SPLIT: 100.0,
                  GTP_U: 10.0, TOLD: 12.0},
      'tcp': {SWITCH: 'reno', ACK: 'reno', CELL: 'cubic', REPAIR: 'reno', SPLIT: 'reno', GTP_U: 'cubic', TOLD: 'cubic'},
      'initial_window': {SWITCH: 1, CELL: None},
      'out': {SWITCH: None, CELL: None, OUTAGE: None, GTP_U: None, TOLD: None}, 'keep': {SWITCH: None}, 'users': {CELL: 8},
      'scheduler': {CELL: ['pf', 'pf-sp', 'pf-rp']},
      'sack': {ACK: True, REPAIR: True, SPLIT: True}, 'timestamps': {ACK: True, REPAIR: True, SPLIT: True},
      'iw': {SPLIT: [3, 10]}, 'files': {SPLIT: None}, 'window_scale': {ACK: None},
      'matrix': {ACK: False, MATRIX: True, REPAIR: False}, 'loss': {REPAIR: 0.03, SPLIT: 0.01}}


def word(text):
    """A quantity as the configuration takes it; what it means is rncd's to judge."""
    if not re.fullmatch(r'[\w.%]+', text):
        raise argparse.ArgumentTypeError(f'{text!r} is no quantity such as 384k, 10% or 25ms')
    return text


def share(text):
    match = re.fullmatch(r'([\d.]+)(%?)', text)
    value = float(match[1]) / (100 if match[2] else 1) if match else -1.0
    if not 0 <= value <= 0.5:
        raise argparse.ArgumentTypeError(f'{text!r} is no share from 0 to 50%, such as 3%')
    return value


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


def windows(text):
    sizes = [segments(one) for one in text.split(',')]
    if len(set(sizes)) != len(sizes) or len(sizes) > 8:
        raise argparse.ArgumentTypeError(f'{text!r} is no list of at most 8 different numbers of segments, such as 3,10')
    return sizes


def files(text):
    if not text.isdecimal() or not 1 <= int(text) <= 10_000:
        raise argparse.ArgumentTypeError(f'{text!r} is no number of files from 1 to 10000')
    return int(text)


def count(text):
    if not text.isdecimal() or not 1 <= int(text) <= 64:
        raise argparse.ArgumentTypeError(f'{text!r} is no number of workers from 1 to 64')
    return int(text)


def scale(text):
    if text != 'none' and (not text.isdecimal() or not 0 <= int(text) <= 14):
        raise argparse.ArgumentTypeError(f'{text!r} is no window scale: 0 to 14, or none to leave the option out')
    return text if text == 'none' else int(text)


def congestion_control(text):
    there = ue_tcp.congestion_controls(*re.findall(r'^\w+$', text))
    if text not in there:
        raise argparse.ArgumentTypeError(f'this kernel has no {text!r}; it has {", ".join(there)}')
    return text


def users(text):
    if not text.isdecimal() or not 2 <= int(text) <= 64:
        raise argparse.ArgumentTypeError(f'{text!r} is no number of UEs from 2 to 64')
    return int(text)


def schedulers(text):
    names = text.split(',')
    there = lanes.schedulers()
    strange = [name for name in names if name not in there]
    if strange:
        raise argparse.ArgumentTypeError(f'rncd has no scheduler {strange[0]!r}; it has {", ".join(there)}')
    return names


def flag(name):
    return '--no-' + name if name in ('sack', 'timestamps') else '--' + name.replace('_', '-')


def refuse_strays(parser, options, asked, air):
    """Refuses options of other demonstrations than the chosen one, which would be without effect."""
    for name, demos in OF.items():
        if getattr(options, name) is not None and asked not in demos:
            if asked == MATRIX and ACK in demos:
                parser.error(f'--matrix goes through all that {flag(name)} can say; leave one of them out')
            demos = [demo for demo in demos if demo != MATRIX]
            parser.error(f'{flag(name)} is of {" or ".join(demos)}; add: {" or ".join(HOW[demo] for demo in demos)}')
    known = split.AIR if asked == SPLIT else ['rate'] if asked in (ACK, MATRIX, REPAIR) else []
    strays = [name for name in air if options.link != 'am' and name not in known]
    if strays:
        parser.error(f'--{strays[0]} is of the air link; add: --link am')


def asked_for(parser, options):
    of_its_own = {'gtp_u': GTP_U, 'told': TOLD, 'kill': OUTAGE}
    for name in (name for name in of_its_own if getattr(options, name)):
        others = [other for other in (*of_its_own, 'aqm', 'ack', 'cell', 'link', 'proxy') if other != name and getattr(options, other)]
        if others:
            parser.error(f'{HOW[of_its_own[name]]} is a demonstration of its own; leave out: --{others[0].replace("_", "-")}')
        if name != 'kill':
            return of_its_own[name]
        if options.device == 'af_packet':
            parser.error('--kill needs AF_XDP ports: with others the wire does not outlive rncd; leave out: --device af_packet')
        return OUTAGE
    if options.proxy and (options.aqm or options.ack or options.cell or options.link):
        parser.error('--proxy is a demonstration of its own; leave out: '
                     + ('--aqm' if options.aqm else '--ack' if options.ack else '--cell' if options.cell else '--link'))
    if options.proxy:
        return SPLIT
    if options.aqm and options.ack:
        parser.error('--aqm and --ack are demonstrations of their own; leave one of them out')
    if options.cell and (options.aqm or options.ack or options.link):
        parser.error('--cell is a demonstration of its own; leave out: '
                     + ('--aqm' if options.aqm else '--ack' if options.ack else '--link'))
    if options.cell:
        return CELL
    if options.aqm:
        return SWITCH
    if options.ack in repair.STAGES:
        return REPAIR
    return None if not options.ack else MATRIX if options.matrix else ACK


def chosen(parser, options):
    """The demonstration that the options ask for."""
    asked = asked_for(parser, options)
    if asked == REPAIR and options.link == 'am':
        parser.error(f'--ack {options.ack} shows losses of the radio, which RLC acknowledged mode repairs itself; leave out: '
                     '--link am')
    if asked and asked not in (CELL, REPAIR, SPLIT, OUTAGE, GTP_U, TOLD) and options.link is None:
        options.link = 'am'
    air = {name: getattr(options, name) for name in AIR if getattr(options, name) is not None}
    refuse_strays(parser, options, asked, air)
    if asked == REPAIR and options.ack == 'fda' and options.loss is None:
        options.loss = 0.0  # congestion is what it is about
    given = {REPAIR: {'rate': repair.RATE}, SPLIT: split.AIR}.get(asked, {})
    air = {**AIR, **given, **air}
    for name, demos in OF.items():
        if asked in demos and getattr(options, name) is None:
            setattr(options, name, demos[asked])
    if asked == CELL:
        return cell.CellShow(options)
    if asked == REPAIR:
        return repair.Repair(options, air['rate'])
    if asked == SPLIT:
        return split.Split(options, air)
    if asked == OUTAGE:
        return outage.Outage(options)
    if asked == GTP_U:
        return gn.GtpU(options)
    if asked == TOLD:
        return core.ToldRates(options)
    if asked is None:
        return air_link.Air(air) if options.link == 'am' else rate_change.RateChange()
    if asked != SWITCH:
        return (ack.Ack if asked == ACK else ack_matrix.Matrix)(options, air)
    if options.link != 'am':
        parser.error('--aqm shows the switch of rates on an air link; leave out: --link shaper')
    policies = lanes.policies()
    if options.aqm not in policies:
        parser.error(f'--aqm: rncd has no policy {options.aqm!r}; it has {", ".join(policies)}')
    return switch.Switch(options.aqm, policies[options.aqm], options, air)


def defaults(name):
    values = dict.fromkeys(OF[name].values())
    return ', '.join(f'{value:g}' if isinstance(value, float) else str(value) for value in values)


def add_ack(parser):
    parser.add_argument('--ack', choices=[*ack.STAGES, *repair.STAGES], help='TCP with and without an ACK stage')
    parser.add_argument('--no-sack', dest='sack', action='store_false', default=None, help='with --ack or --proxy: of the UEs')
    parser.add_argument('--no-timestamps', dest='timestamps', action='store_false', default=None,
                        help='with --ack or --proxy: of the UEs')
    parser.add_argument('--window-scale', type=scale, metavar='SHIFT',
                        help='with --ack: of the UEs, 0 to 14, or none for no such option; by default the '
                             "kernel's with wrb, else 0")
    parser.add_argument('--loss', type=share, metavar='SHARE',
                        help='with --ack snoop, new-snoop or fda: of the packets that the radio loses on their way to the '
                             'UE; by default 3%%, with fda none; with --proxy: of the data that are lost before '
                             'rncd; by default 1%%')
    parser.add_argument('--matrix', action='store_true', default=None,
                        help='with --ack: every combination of congestion control, SACK, timestamps and window scale')


def add_proxy(parser):
    parser.add_argument('--proxy', choices=['split'],
                        help='files over TCP with and without a split proxy, and a bypass meanwhile')
    parser.add_argument('--iw', type=windows, metavar='N,...',
                        help='with --proxy: initial windows of the proxies, in segments; by default 3,10')
    parser.add_argument('--files', type=files, metavar='N',
                        help='with --proxy: of each kind of bearer, at most; by default as many as there is time for')


def parse():
    parser = argparse.ArgumentParser(prog='tools/demo')
    parser.add_argument('--hold', action='store_true', help='stay up until Ctrl-C')
    parser.add_argument('--device', choices=['af_xdp', 'af_packet'], help='no fallback')
    parser.add_argument('--workers', type=count, default=1, help='threads that move packets; by default 1')
    parser.add_argument('--link', choices=['shaper', 'am'],
                        help='what serves the bearer; by default shaper, with --aqm or --ack am')
    for name, initial in AIR.items():
        parser.add_argument('--' + name, type=word, help='of the air, with --link am, --aqm, --ack or --proxy; by default '
                            + initial.replace('%', '%%'))
    parser.add_argument('--kill', action='store_true', help='the wire while rncd is killed, hangs, is restarted and upgraded')
    parser.add_argument('--gtp-u', action='store_true',
                        help='TCP in GTP-U tunnels between a GGSN and SGSNs, with a change of rate and handovers')
    parser.add_argument('--told', action='store_true',
                        help='rates that a core tells by PFCP and RADIUS, while it changes them and programs are restarted')
    parser.add_argument('--aqm', metavar='POLICY', help='the switch of rates of 002 section 6')
    parser.add_argument('--to', type=word, help=f'with --aqm: the rate after the switch; by default {defaults("to")}')
    parser.add_argument('--seconds', type=duration,
                        help='how long; by default with --aqm, which switches half-way, with --ack, each part of its '
                             f'matrix, each phase of --cell, --proxy, and each part of --gtp-u and --told: {defaults("seconds")}')
    parser.add_argument('--tcp', '--cc', type=congestion_control,
                        help='with --aqm, --ack, --cell, --proxy, --gtp-u or --told: congestion control of the downloads; by default '
                             f'{defaults("tcp")}')
    parser.add_argument('--initial-window', type=segments,
                        help='with --aqm or --cell: segments that they begin with; by default 1, as in 002 Table 1, where '
                             "Linux has 10, and with --cell Linux's")
    parser.add_argument('--out', metavar='FOLDER',
                        help='with --aqm, --cell, --kill, --gtp-u or --told: of the picture; by default demo in the build directory')
    parser.add_argument('--keep', metavar='FOLDER',
                        help='with --aqm: captures of both wires, BO over time and all else that rnclab replay asks for')
    add_ack(parser)
    add_proxy(parser)
    parser.add_argument('--cell', action='store_true', default=None,
                        help='short fetches and downloads in one cell, under one scheduler after the other')
    parser.add_argument('--users', type=users, help=f'with --cell: UEs, half of them with a download; by default '
                        f'{defaults("users")}')
    parser.add_argument('--scheduler', type=schedulers, metavar='NAME,...',
                        help='with --cell: one after the other; by default pf,pf-sp,pf-rp')
    options = parser.parse_args()
    return options, chosen(parser, options)

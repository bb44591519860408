"""The common parts of all demonstrations: the rig and box, a running rncd, pings, output."""
import contextlib
import dataclasses
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'rig'))

import box as rncd  # noqa: E402
import rig as wire  # noqa: E402
from rig import CORE, RADIO, UE_V4  # noqa: E402

DEFAULT_SOCKET = os.environ.get('TESTED_SOCKET', '/run/rncd/rncd.sock')


@dataclasses.dataclass
class Verdict:
    """The outcome of a demonstration, for its last sentence."""
    what: str  # to be seen, as a clause behind "that"
    seen: bool
    detail: str = ''
    required: bool = True  # the demonstration fails when it was not seen

    def sentence(self):
        return (f'demo: to be seen was that {self.what}: {"it was seen" if self.seen else "it was NOT seen"}'
                + (f' ({self.detail})' if self.detail else ''))


def say(text=''):
    print(text, flush=True)


def mbit(rate):
    return f'{rate / 1e6:.2f} Mbit/s'


def kbit(rate):
    return f'{rate / 1e3:.0f} kbit/s'


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else float('nan')


def middle(values):
    return sorted(values)[len(values) // 2] if values else float('nan')


def told(drops):
    return ', '.join(f'{n} {reason}' for reason, n in drops.items()) or 'nothing'


def free_socket():
    """The default path, so that rncctl needs no -s; None when an rncd of this machine lives there."""
    try:
        rncd.Rpc(DEFAULT_SOCKET).close()
        return None
    except OSError:
        return DEFAULT_SOCKET


def remove_socket_folder(was_there):
    """rncd makes it where it is missing, and leaves it; one that was killed leaves its socket and lock in it."""
    if not was_there:
        for name in (DEFAULT_SOCKET, DEFAULT_SOCKET + '.lock'):
            with contextlib.suppress(OSError):
                os.unlink(name)
        with contextlib.suppress(OSError):
            os.rmdir(os.path.dirname(DEFAULT_SOCKET))


def begin(rig, wanted, config):
    """rncd with a Box's keywords, on the first kind of port that works."""
    for device in [wanted] if wanted else ['af_xdp', 'af_packet']:
        try:
            return started(rig, device, config)
        except wire.TooLate:
            raise
        except wire.RigError as error:
            if device == 'af_packet' or wanted:
                raise
            say(f'demo: af_xdp does not work here, falling back to af_packet. The reason:\n{error}')
            say('demo: under af_packet IPv4 fragments do not cross (control/manual/ports.md); nothing else differs here')
    raise AssertionError


def started(rig, device, config):
    """Tries twice: frames that come too late are most likely due to a busy machine, not to the ports."""
    for attempt in (1, 2):
        say(f'demo: starting rncd on {device} ports')
        try:
            return rncd.Box(rig, device=device, socket_path=free_socket(), name='demo', **config).__enter__()
        except wire.TooLate as late:
            if attempt == 2:
                raise
            say(f'demo: that took too long, perhaps since this machine is busy: {late}\ndemo: trying once more')
    raise AssertionError


def one_bearer(rate, sdus, link=''):
    """The configuration of a bearer for the rig's UE."""
    return {'rate': rate, 'sdus': sdus, 'link': link, 'bearers': f'bearers:\n  - {{ue: {UE_V4}, class: internet}}\n'}


def air_link(air):
    """Lanes beside each other lose the same frames, so that their figures compare like with like."""
    return f'{{am: {{fer: {air["fer"]}, doppler: {air["doppler"]}, delay: {air["delay"]}, shared_errors: yes}}}}'


def bearer(box, ue=UE_V4):
    return box.call('bearer.get', ue=ue)


def start_ping(rig, to=UE_V4, interval='0.2'):
    return rig.start(CORE, 'ping', '-n', '-D', '-i', interval, '-W', '5', to, stdout=subprocess.PIPE,
                     stderr=subprocess.STDOUT)


def round_trips(ping):
    """(moment, milliseconds) of each answer."""
    ping.terminate()
    out, _ = ping.communicate(timeout=10)
    return [(float(at), float(rtt)) for at, rtt in re.findall(r'^\[([\d.]+)\].*time=([\d.]+) ms', out, re.M)]


def show_workers(box):
    """Prints the workers' shares, and the frames passed between them."""
    say('\n  worker   bearers       busy      given      taken')
    for one in box.stats()['workers']:
        say(f'  {one["id"]:>6}{one["bearers"]:>10}{one["busy_ratio"]:>11.1%}{one["given"]:>11}{one["taken"]:>11}')
    say("  given and taken: frames handed to the worker that has their UE, or the port's queue")


def show_commands(box, commands, ue):
    ctl = rncd.RNCCTL + ('' if box.socket == DEFAULT_SOCKET else f' -s {box.socket}')
    pid, rig = box.process.pid, box.rig
    rate = '128k' if 'air' in bearer(box, ue)['downlink'] else '20M'
    say('  From another shell on this machine:')
    for words in ('show bearers', f'show bearer {ue}', 'show workers', 'show drops', f'rrc {ue} --rate {rate}',
                  '--json show stats', *commands):
        say(f'    sudo {ctl} {words}')
    say(f'    sudo nsenter --net=/proc/{pid}/ns/net curl -s http://127.0.0.1:9464/metrics')
    say(f'    sudo ip netns exec {rig.name(RADIO)} iperf3 -s -D -1; '
        f'sudo ip netns exec {rig.name(CORE)} iperf3 -c {ue}')


def hold(box, commands=(), ue=UE_V4):
    """`commands`: words of rncctl that this demonstration is about, for its bearer `ue`."""
    show_commands(box, commands, ue)
    say('\ndemo: holding until Ctrl-C')
    while box.process.poll() is None:
        time.sleep(0.2)
    raise wire.RigError(f'rncd ended with exit code {box.process.returncode}:\n{box.tail()}')

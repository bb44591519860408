"""The kernel's TCP: what congestion controls it has, which options the UEs offer, and the shift of their windows."""
import contextlib
import dataclasses
import subprocess

from stage import RADIO

NETWORK = '10.45.0.0/16'
TABLE = 100  # first routing table; a lane's UE has TABLE + its number
BUFFER = 6291456  # the kernel's usual tcp_rmem[2]


@dataclasses.dataclass
class Options:
    sack: bool = True
    timestamps: bool = True
    scaling: bool = True

    def title(self):
        return ', '.join((('' if on else 'no ') + name)
                         for name, on in (('SACK', self.sack), ('timestamps', self.timestamps))) \
            + ('' if self.scaling else ', no window scale')


def congestion_controls(*wanted):
    """All that this kernel has, with those wanted that it finds as a module."""
    for name in wanted:
        if name not in _available():
            with contextlib.suppress(OSError):
                subprocess.run(['modprobe', '-q', f'tcp_{name}'], check=False, timeout=20)
    return _available()


def _available():
    with open('/proc/sys/net/ipv4/tcp_available_congestion_control', encoding='ascii') as file:
        return file.read().split()


def offer(rig, options):
    """For all UEs: what they do not offer is not used in either direction."""
    given = {'tcp_sack': options.sack, 'tcp_timestamps': options.timestamps, 'tcp_window_scaling': options.scaling}
    rig.run(RADIO, 'sysctl', '-qw', *(f'net.ipv4.{name}={int(on)}' for name, on in given.items()))


def set_shifts(rig, shifts):
    """[(lane, shift)]. The kernel takes the smallest shift by which the largest window that it may ever give fits the
    field: the larger of tcp_rmem[2] and rmem_max, but no more than the route's `window`, which a lane's UE therefore
    has of its own."""
    if not shifts:
        return
    most = max(BUFFER, *(1 << 15 + shift for _, shift in shifts))
    rig.run(RADIO, 'sysctl', '-qw', f'net.ipv4.tcp_rmem=4096 131072 {most}')
    for lane, shift in shifts:
        table = str(TABLE + lane.place)
        rig.run(RADIO, 'ip', 'route', 'add', NETWORK, 'dev', 'r0', 'window', str(0xffff << shift), 'table', table)
        rig.run(RADIO, 'ip', 'rule', 'add', 'from', lane.ue, 'lookup', table)

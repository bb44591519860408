"""The live table's wire: core c0 and radio r0 of a Rig, with hosts some way off. `live_wire` holds each frame between
c0 and the server's interface t0 back for the one-way delay, each way."""
import contextlib
import json
import os
import signal
import subprocess

from box import BUILD
from rig import CORE, CORE_V4, HAS_IPV6, RADIO, UE_V4, Rig, RigError

WIRE = os.path.join(BUILD, 'tools', 'live_wire')
SERVER = 't0'
# The kernel's usual buffers in place of this machine's, and no memory of earlier connections to the same UE.
SYSCTLS = {'net.ipv4.tcp_rmem': '4096 131072 6291456', 'net.ipv4.tcp_wmem': '4096 16384 4194304',
           'net.ipv4.tcp_no_metrics_save': '1', 'net.ipv4.tcp_ecn': '2'}


class LiveRig(Rig):
    def __init__(self, ues, one_way):
        self.one_way, self.wire = one_way, None
        super().__init__(ues)

    def _make(self, ues, mtu):
        super()._make(0, mtu)
        self.batch(RADIO, [f'addr add {ue}/16 dev r0' for ue in [UE_V4, *ues]])
        self.run(RADIO, 'ethtool', '-K', 'r0', 'gro', 'off')  # packets come to the capture as they came in
        for side in (CORE, RADIO):
            for key, value in SYSCTLS.items():
                self.run(side, 'sysctl', '-qw', f'{key}={value}')
        self._lengthen()

    def _lengthen(self):
        if not os.path.exists(WIRE):
            raise RigError(f'no {WIRE}: run tools/build')
        if HAS_IPV6:
            self.run(CORE, 'sysctl', '-qw', 'net.ipv6.conf.c0.disable_ipv6=1')
        self.batch(CORE, ['addr flush dev c0', 'link set c0 arp off'])
        self.wire = self.start(CORE, WIRE, SERVER, 'c0', f'{self.one_way * 1000:g}', stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT)
        if (said := self.wire.stdout.readline().strip()) != 'ready':
            raise RigError(f'the wire between {SERVER} and c0: {said}')
        self.batch(CORE, [f'link set {SERVER} txqueuelen 10000 up', f'addr add {CORE_V4}/16 dev {SERVER}'])

    def batch(self, side, lines):
        done = subprocess.run(['ip', '-n', self.name(side), '-batch', '-'], input='\n'.join(lines) + '\n',
                              capture_output=True, text=True, timeout=60, check=False)
        if done.returncode:
            raise RigError(f'{lines[0]} ...: {done.stderr}')

    def start(self, side, *command, **options):
        """Ctrl-C is for this program, which ends the others in order."""
        return super().start(side, *command, start_new_session=True, **options)

    @staticmethod
    def favour(process):
        """In the field rncd's workers have CPUs of their own. Here they share, and have priority where that is allowed:
        frames that came while a worker waited would reach the buffers as a burst."""
        folder = f'/proc/{process.pid}/task'
        for task in os.listdir(folder):
            with open(f'{folder}/{task}/comm', encoding='utf-8') as file:
                if file.read().startswith('rncd-worker'):
                    with contextlib.suppress(PermissionError):
                        os.sched_setscheduler(int(task), os.SCHED_RR, os.sched_param(1))

    def wire_report(self):
        """The wire's counters since the last report: frames, lost, those later than 1 ms, the latest."""
        self.wire.send_signal(signal.SIGUSR1)
        return json.loads(self.wire.stdout.readline())

    def congestions(self, wanted):
        """Those that this kernel has, and why not the others."""
        have, without = [], {}
        for name in wanted:
            if name not in self._available():
                tried = self._load(f'tcp_{name}')
                if name not in self._available():
                    without[name] = f'the kernel has {", ".join(self._available())}; {tried}'
                    continue
            have.append(name)
        return have, without

    def _available(self):
        return self.run(CORE, 'cat', '/proc/sys/net/ipv4/tcp_available_congestion_control').stdout.split()

    @staticmethod
    def _load(module):
        try:
            done = subprocess.run(['modprobe', module], capture_output=True, text=True, check=False, timeout=20)
        except OSError as error:
            return f'modprobe {module}: {error.strerror}'
        return f'modprobe {module}: {done.stderr.strip() or "loaded, and it is still not there"}'

"""`rncbench ports`: frames a second through rncd, in mode bypass and with bearers, against those through DPDK's testpmd
on the same ports with the same driver, in turns. The two ports are the ends of one veth pair, so that frames that were
put in once go round, and no source has a share in the figures. With --latency: the time that a frame takes instead,
also beside the kernel's bridge. Needs root and testpmd."""
import os
import shutil
import statistics
import sys
import time

from box import RNCCTL, Box
from figures import say
import latency
from rig import DUT, Rig, RigError, sh, sweep
from testpmd import TESTPMD, Testpmd

SEND = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'send.py')
SUBJECTS = ('testpmd', 'bypass', 'unknown', 'bearers')
DRIVERS = ('af_packet', 'af_xdp')
TARGET = 0.95


def add_options(parser):
    parser.add_argument('--drivers', type=lambda text: text.split(','), default=list(DRIVERS), help='by default af_packet,af_xdp')
    parser.add_argument('--frames', type=int, default=512, help='that go round, each to a UE of its own; by default 512')
    parser.add_argument('--turns', type=int, default=5, help='of all subjects; by default 5')
    parser.add_argument('--seconds', type=float, default=3, help='measured in a turn; by default 3')
    parser.add_argument('--cpu', type=int, default=(os.cpu_count() or 1) - 1, help='of the worker; by default the last')
    parser.add_argument('--latency', action='store_true', help='measure how long a frame takes')
    parser.add_argument('--rounds', type=int, default=3, help='with --latency: of all subjects, in place of turns; by default 3')
    parser.add_argument('--probes', type=float, default=1000, help='with --latency: frames a second that are timed; by default 1000')


def check_options(options):
    options.others_cpu = max(options.cpu - 1, 0)  # for all but the worker
    if options.quick:
        options.turns = options.rounds = options.seconds = 1
    if shutil.which(TESTPMD) is None:
        raise RigError(f'no {TESTPMD}, which rncd is compared with: run tools/setup check (package dpdk-dev)')
    if os.geteuid() != 0:
        raise RigError('network namespaces need root; use sudo')
    if set(options.drivers) - set(DRIVERS):
        raise RigError(f'--drivers: expected {" or ".join(DRIVERS)}, separated by commas')
    if not 1 <= options.frames <= 1024 or options.turns < 1 or options.seconds <= 0:
        raise RigError('expected --frames of 1 to 1024, so that the rings hold them, and --turns and --seconds above 0')
    if options.latency:
        latency.check_options(options)


def setting(options):
    if options.latency:
        return latency.setting(options)
    return {'drivers': options.drivers, 'frames': options.frames, 'turns': options.turns, 'seconds': options.seconds,
            'cpu': options.cpu, 'frame_bytes': 60}


class Ring(Rig):
    """One namespace, in which what leaves d1 arrives at d0."""

    def _make(self, ues, mtu):
        sweep()
        sh('ip', 'netns', 'add', self.name(DUT))
        self.run(DUT, 'ip', 'link', 'add', 'd0', 'type', 'veth', 'peer', 'name', 'd1')
        for interface in ('d0', 'd1'):
            if os.path.isdir('/proc/sys/net/ipv6'):
                self.run(DUT, 'sysctl', '-qw', f'net.ipv6.conf.{interface}.disable_ipv6=1')
            self.run(DUT, 'ethtool', '-K', interface, 'tx', 'off', 'gro', 'off')
            self.run(DUT, 'ip', 'link', 'set', interface, 'up')
        # /proc/PID/net is of the namespace that the process is in.
        self.eye = self.start(DUT, 'sleep', 'infinity')

    def start(self, side, *command, **options):
        """Ctrl-C is for the benchmark, which ends the others in order."""
        return super().start(side, *command, start_new_session=True, **options)

    def wait_for_wire(self, seconds=10):
        """Nobody answers a ping here."""

    def fill(self, options):
        self.run(DUT, sys.executable, '-B', SEND, 'd1', str(options.frames))

    def received(self):
        with open(f'/proc/{self.eye.pid}/net/dev', encoding='utf-8') as file:
            return int(next(line for line in file if line.strip().startswith('d0:')).split(':')[1].split()[1])


def box(rig, driver, subject, options):
    bearers = ''
    if subject == 'bearers':
        bearers = 'bearers:\n' + ''.join(f'  - {{ue: 10.45.{(2 + i) // 256}.{(2 + i) % 256}, class: internet}}\n'
                                         for i in range(options.frames))
    mode = 'bypass' if subject == 'bypass' else 'inline'
    return Box(rig, driver, rate='10G', bearers=bearers, name='rncbench', more='metrics: off\n',
               dataplane=f'  mode: {mode}\n  power: poll\n  huge_pages: no\n  workers: 1\n'
               f'  cpus: [{options.others_cpu}, {options.cpu}]\n  {latency.PATIENT}')


def measure(rig, driver, subject, options, report):
    """Frames a second, in the first half of the time and in the second."""
    with Testpmd(rig, driver, options) if subject == 'testpmd' else box(rig, driver, subject, options) as made:
        rig.fill(options)
        time.sleep(0.3)
        halves = []
        for _ in range(2):
            begun, before = time.monotonic(), rig.received()
            time.sleep(options.seconds / 2)
            halves.append((rig.received() - before) / (time.monotonic() - begun))
        if subject != 'testpmd':
            judge(made, driver, subject, report)
    if subject != 'testpmd' and driver == 'af_xdp':
        rig.run(DUT, RNCCTL, 'wire', 'remove', 'd0', 'd1')  # frames would go round in the kernel for ever
    return halves


def judge(made, driver, subject, report):
    """Checks that rncd did what this measurement is named after, and lost nothing."""
    stats = made.stats()
    report.expect(f'{driver}: {subject}: frames dropped', made.dropped(), {})
    report.expect(f'{driver}: {subject}: frames unaccounted for', stats['residue'], 0)
    shaped = sum(one['downlink']['delivered_sdus'] for one in stats['classes']) > 0
    report.expect(f'{driver}: {subject}: bearers had the frames', shaped, subject == 'bearers')


def run(options, report):
    if options.latency:
        latency.run(options, report)
        return
    for driver in options.drivers:
        rates = {subject: [] for subject in SUBJECTS}
        try:
            with Ring() as rig:
                for turn in range(options.turns):
                    for subject in SUBJECTS:
                        rates[subject].append(measure(rig, driver, subject, options, report))
                        first, second = rates[subject][-1]
                        say(f'ports: {driver}, turn {turn + 1} of {options.turns}, {subject}: {first:,.0f}, then {second:,.0f} frames/s')
        except AssertionError as error:
            report.faults.append(f'{driver}: {error}')
        tell(driver, rates, report)


def tell(driver, rates, report):
    means = {subject: [statistics.mean(halves) for halves in found] for subject, found in rates.items() if found}
    for subject, found in means.items():
        report.add(f'{driver}: {subject}', statistics.median(found), 'frames/s')
        report.add(f'{driver}: {subject}: second half / first', 100 * statistics.median(
            second / first if first else 0 for first, second in rates[subject]), '%')
        report.expect(f'{driver}: {subject} lets frames through', min(found) > 0, True)
        if subject != 'testpmd' and min(means['testpmd']) > 0:
            ratio = statistics.median(mine / other for mine, other in zip(found, means['testpmd']))
            report.add(f'{driver}: {subject} / testpmd', 100 * ratio, '%', 100 * TARGET, at_least=True)

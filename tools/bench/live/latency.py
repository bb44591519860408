"""`rncbench ports --latency`: the time that a frame takes through rncd, DPDK's testpmd and the kernel's bridge between
the same interfaces, at rest and at half of the throughput, bare and in a GTP-U tunnel. A cable without a box has the
measurement's own share."""
import contextlib
import dataclasses
import json
import os
import statistics
import time

from box import BUILD, Box
from figures import quantile, say
from frames import inside
from rig import CORE, CORE_V4, DUT, RADIO, UE_V4, Rig, RigError, sh
import send
from testpmd import Testpmd
import tunnel

PROBE = os.path.join(BUILD, 'tools', 'live_probe')
UE, SERVER = '10.60.0.2', '10.60.0.1'
TRAFFIC = ('bare', 'gtp-u')
LOADS = ('at rest', 'half load')
SATURATED = 1e9  # frames a second: more than can be sent
SHARES = {'p50': 0.5, 'p99': 0.99, 'p99.9': 0.999}
PRIORITY = ('nice', '-n', '-20')  # above the machine's other programs, whose turns would be the tail
# The wire carries frames past a worker that it takes for hung: not while other programs have its CPU.
PATIENT = 'wire: {stale_after: 2s}\n'
OWN_SECONDS = 6  # a measurement's namespaces, start, throughput and end


def subjects(drivers):
    """Names, in the order of the table."""
    own = [name for driver in drivers for name in (f'testpmd {driver}', f'rncd {driver} poll', f'rncd {driver} adaptive')]
    return ['cable', 'bridge', *own]


def check_options(options):
    if not os.path.exists(PROBE):
        raise RigError(f'no {PROBE}: run tools/build')
    if options.rounds < 1 or not 0 < options.probes <= 10_000:
        raise RigError(f'--rounds: found {options.rounds}, expected 1 or more; --probes: found {options.probes:g}, '
                       'expected more than 0, and 10,000 at most, so that they are no load')


def setting(options):
    return {what: getattr(options, what) for what in ('drivers', 'rounds', 'probes', 'seconds', 'cpu')}


def frame(traffic):
    """A frame to the UE; a bare one is the smallest there is."""
    packet = send.datagram(SERVER, UE, 9, bytes(send.PAYLOAD))
    if traffic == 'gtp-u':
        packet = send.datagram(CORE_V4, UE_V4, tunnel.PORT, tunnel.message(0x21, packet))
    return send.frame(packet)


class Wire(Rig):
    """The interfaces c0 of the core, d0 and d1 of the box, r0 of the radio."""

    ends = 'c0', 'r0'

    def start(self, side, *command, **options):
        """Ctrl-C is for the benchmark, which ends the others in order."""
        return super().start(side, *PRIORITY, *command, start_new_session=True, **options)

    def add_cable(self):
        """A veth pair from the core to the radio, beside the box."""
        self.ends = 'c1', 'r1'
        sh('ip', 'link', 'add', 'c1', 'netns', self.name(CORE), 'type', 'veth', 'peer', 'name', 'r1', 'netns', self.name(RADIO))
        for side, interface in ((CORE, 'c1'), (RADIO, 'r1')):
            self.run(side, 'ethtool', '-K', interface, 'tx', 'off', 'gro', 'on')
            self.run(side, 'ip', 'link', 'set', interface, 'up')

    def add_bridge(self):
        self.run(DUT, 'ip', 'link', 'add', 'bridge', 'type', 'bridge', 'stp_state', '0', 'mcast_snooping', '0')
        for interface in ('d0', 'd1', 'bridge'):
            self.run(DUT, 'ip', 'link', 'set', interface, *(('master', 'bridge') if interface != 'bridge' else ()), 'up')

    def received(self):
        """Frames that have arrived at the radio's end."""
        with inside(self.name(RADIO)), open('/proc/thread-self/net/dev', encoding='ascii') as file:
            return int(next(line for line in file if line.strip().startswith(self.ends[1] + ':')).split()[2])

    def probe(self, options, traffic, rate, probes, seconds):
        """The report of live_probe, and `carried`: frames a second that arrived."""
        before = self.received()
        told = json.loads(self.run(CORE, *PRIORITY, 'taskset', '-c', str(options.others_cpu), PROBE, *self.ends,
                                   f'/run/netns/{self.name(RADIO)}', frame(traffic).hex(), f'{rate:.3f}', f'{probes:g}',
                                   f'{seconds:g}', timeout=seconds + 60).stdout)
        told['carried'] = (self.received() - before) / told['seconds']
        return told


def rncd(rig, driver, power, traffic, options):
    peers = f'  gtp_u: {{peers: [{CORE_V4}/32, {UE_V4}/32]}}\n' if traffic == 'gtp-u' else ''
    return Box(rig, driver, rate='10G', sdus=2000, bearers=f'bearers:\n  - {{ue: {UE}, class: internet}}\n', name='rncbench',
               more='metrics: off\n', dataplane=f'  power: {power}\n  huge_pages: no\n  workers: 1\n'
               f'  cpus: [{options.others_cpu}, {options.cpu}]\n  {PATIENT}{peers}')


def subject_of(rig, name, traffic, options):
    """A context in which frames pass from one end to the other."""
    kind, *words = name.split()
    if kind == 'testpmd':
        return Testpmd(rig, words[0], options, mode='io')
    if kind == 'rncd':
        return rncd(rig, *words, traffic, options)
    rig.add_cable() if kind == 'cable' else rig.add_bridge()
    return contextlib.nullcontext()


def waited(process):
    """Seconds that the worker of rncd or testpmd has waited for its CPU, by the scheduler's own account."""
    total = 0
    for task in os.scandir(f'/proc/{process.pid}/task'):
        with open(f'{task.path}/comm', encoding='ascii') as name, open(f'{task.path}/schedstat', encoding='ascii') as times:
            if 'worker' in name.read():
                total += int(times.read().split()[1])
    return total / 1e9


@dataclasses.dataclass
class Turn:
    """Delays in microseconds, the number of probes, other frames a second, the share of the time that the worker waited
    for its CPU."""
    delays: list
    sent: int
    load: float
    waited: float


def measure(name, traffic, options, report):
    """A Turn of each load."""
    with Wire() as rig, subject_of(rig, name, traffic, options) as made:
        if name != 'cable':
            rig.wait_for_wire()
        capacity = rig.probe(options, traffic, SATURATED, 0, min(1, options.seconds))['carried']
        time.sleep(0.3)
        turns = []
        for load in LOADS:
            before = waited(made.process) if made else 0
            told = rig.probe(options, traffic, capacity / 2 if load == 'half load' else 0, options.probes, options.seconds)
            seconds = told['seconds']
            turns.append(Turn([delay / 1e3 for delay in told['delays']], told['probes'], told['frames'] / seconds,
                              (waited(made.process) - before) / seconds if made else 0))
            report.expect(f'{name}, {traffic}, {load}: probes arrived', bool(told['delays']), True)
        if isinstance(made, Box):
            report.expect(f'{name}, {traffic}: frames unaccounted for', made.stats()['residue'], 0)
            report.expect(f'{name}, {traffic}: the bearer had the frames', made.downlink(UE)['delivered_sdus'] > 0, True)
    return turns


def run(options, report):
    names, found = subjects(options.drivers), {}
    one = len(LOADS) * options.seconds + OWN_SECONDS
    say(f'ports: {len(names)} subjects, {options.rounds} rounds, about {len(names) * len(TRAFFIC) * options.rounds * one / 60:.0f} minutes')
    try:
        for number in range(options.rounds):
            # The next round begins with another subject.
            for name in names[number % len(names):] + names[:number % len(names)]:
                for traffic in TRAFFIC:
                    for load, turn in zip(LOADS, measure(name, traffic, options, report)):
                        found.setdefault((name, traffic, load), []).append(turn)
                        say(f'ports: round {number + 1} of {options.rounds}, {name}, {traffic}, {load}: '
                            f'{quantile(turn.delays, 0.5) if turn.delays else 0:.1f} us at p50')
    finally:
        tell(found, names, report)


def tell(found, names, report):
    rows = [['SUBJECT', 'FRAMES', 'LOAD', 'FRAMES/S', 'PROBES', 'LOST', *(f'{name} us' for name in SHARES), 'max us', 'WAITED']]
    for name in names:
        for traffic in TRAFFIC:
            for load in LOADS:
                if turns := [turn for turn in found.get((name, traffic, load), ()) if turn.delays]:
                    rows.append([name, traffic, load, *row(f'{name}, {traffic}, {load}', turns, report)])
    report.rows = rows, (0, 1, 2)


def row(name, turns, report):
    """Cells of the table; the figures go into the report."""
    probes = sum(turn.sent for turn in turns)
    lost = probes - sum(len(turn.delays) for turn in turns)
    load, away = (statistics.median(getattr(turn, what) for turn in turns) for what in ('load', 'waited'))
    most = max(max(turn.delays) for turn in turns)
    spreads = {share: [quantile(turn.delays, part) for turn in turns] for share, part in SHARES.items()}
    for what, value, unit in (('load', load, 'frames/s'), ('probes', probes, ''), ('lost', lost, ''), ('max', most, 'us'),
                              ('worker waited', 100 * away, '%')):
        report.add(f'{name}: {what}', value, unit)
    for share, values in spreads.items():
        for what, value in (('', statistics.median(values)), (' least', min(values)), (' most', max(values))):
            report.add(f'{name}: {share}{what}', value, 'us')
    return [f'{load:,.0f}', f'{probes:,}', f'{lost:,}', *(spread(values) for values in spreads.values()), f'{most:,.0f}',
            f'{100 * away:.1f} %']


def spread(values):
    """The median of the rounds, with the least and the most."""
    return f'{statistics.median(values):,.1f}' + (f' ({min(values):,.1f} to {max(values):,.1f})' if len(values) > 1 else '')

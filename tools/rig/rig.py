"""The wire to put rncd into: three network namespaces, `core c0 -- d0 dut d1 -- r0 radio`.

A Rig owns its namespaces and every process started through it; close() (or leaving the `with` block, or the
end of the program) ends and removes them all.
"""
import atexit
import itertools
import json
import os
import re
import signal
import subprocess
import time

from netns import inside, listens

CORE, DUT, RADIO = 'core', 'dut', 'radio'
OUTER, INNER = {CORE: 'c0', RADIO: 'r0'}, {CORE: 'd0', RADIO: 'd1'}
HAS_IPV6 = os.path.isdir('/proc/sys/net/ipv6')
CORE_V4, CORE_V6 = '10.45.0.1', '2001:db8:0:1::1'
UE_V4, UE_V6, UE_V6_PREFIX = '10.45.0.2', '2001:db8:0:2::2', '2001:db8:0:2::/64'
COUNT = itertools.count()
# Programs that do not care whose interfaces /sys shows. They enter a namespace without `ip netns exec`, which mounts
# that folder anew for each program and so takes longer than most of them.
WITHOUT_SYSFS = ('ip', 'ss', 'tc', 'sysctl', 'ethtool', 'ping', 'iperf3', '/usr/bin/python3')
PATIENCE = 60  # seconds for what takes a fraction of one when the machine has time: a limit for what hangs


class RigError(Exception):
    pass


class TooLate(RigError):
    """Something did not come in time, be it for a fault or for want of a CPU."""


def sh(*command, timeout=PATIENCE, check=True, **options):
    """Runs a command; its output is in the exception when it fails."""
    options.setdefault('stdin', subprocess.DEVNULL)
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False, **options)
    if check and done.returncode:
        raise RigError(f'{" ".join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}')
    return done


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def sweep():
    """Removes what a killed run left behind: namespaces that carry the id of a process that is gone."""
    for line in sh('ip', 'netns', 'list').stdout.splitlines():
        name = line.split()[0]
        if (match := re.fullmatch(r'rncd-(\d+)-\d+-\w+', name)) and not alive(int(match[1])):
            sh('ip', 'netns', 'delete', name, check=False)


def terminate_on_signals():
    """SIGTERM and SIGHUP end the program as Ctrl-C does, so that everything is cleaned up."""
    def leave(number, _frame):
        raise SystemExit(128 + number)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, leave)


def heed_interrupts():
    """For preexec_fn: what a shell runs in the background is born ignoring Ctrl-C, and so are its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Rig:
    def __init__(self, ues=1, queues=1, mtu=1500):
        """`ues`: how many IPv4 addresses the radio side has, from 10.45.0.2 on. `queues`: of each interface, both
        ways; a sender's flows spread over them. `mtu`: of all interfaces."""
        if os.geteuid() != 0:
            raise RigError('network namespaces need root; use sudo')
        self.prefix = f'rncd-{os.getpid()}-{next(COUNT)}-'
        self.processes = []
        self.queues = queues
        atexit.register(self.close)
        try:
            self._make(ues, mtu)
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _make(self, ues, mtu):
        sweep()
        for side in (CORE, DUT, RADIO):
            sh('ip', 'netns', 'add', self.name(side))
            self.run(side, 'ip', 'link', 'set', 'lo', 'up')
        self._wire(CORE, 'c0', 'd0', mtu)
        self._wire(RADIO, 'r0', 'd1', mtu)
        self._address(CORE, 'c0', [CORE_V4], CORE_V6)
        self._address(RADIO, 'r0', [f'10.45.{(1 + i) // 256}.{(1 + i) % 256}' for i in range(1, ues + 1)], UE_V6)

    def _wire(self, side, outer, inner, mtu):
        """A veth pair between a side and the box. Both endpoints fill in checksums themselves: the box is no
        kernel and would forward those left to a NIC unfilled. GRO on its interfaces would make frames larger
        than its buffers."""
        queues = ('numtxqueues', str(self.queues), 'numrxqueues', str(self.queues))
        sh('ip', 'link', 'add', outer, 'netns', self.name(side), 'mtu', str(mtu), *queues, 'type', 'veth',
           'peer', 'name', inner, 'netns', self.name(DUT), 'mtu', str(mtu), *queues)
        if not HAS_IPV6:
            self._up(side, outer, inner)
            return
        self._ipv6(side, outer, accept_ra=0, autoconf=0, router_solicitations=0, accept_dad=0, addr_gen_mode=1)
        self._ipv6(DUT, inner, disable_ipv6=1)
        self._up(side, outer, inner)

    def _ipv6(self, side, interface, **settings):
        with inside(self.name(side)):
            for key, value in settings.items():
                with open(f'/proc/sys/net/ipv6/conf/{interface}/{key}', 'w', encoding='ascii') as file:
                    file.write(str(value))

    def _up(self, side, outer, inner):
        self.run(side, 'ethtool', '-K', outer, 'tx', 'off', 'gro', 'on')
        self.run(DUT, 'ethtool', '-K', inner, 'tx', 'off', 'gro', 'off')
        self.run(side, 'ip', 'link', 'set', outer, 'up')
        self.run(DUT, 'ip', 'link', 'set', inner, 'up')

    def _address(self, side, interface, v4, v6):
        batch = [f'addr add {address}/16 dev {interface}' for address in v4]
        if HAS_IPV6:
            batch.append(f'addr add {v6}/32 dev {interface} nodad')
        done = subprocess.run(['ip', '-n', self.name(side), '-batch', '-'], input='\n'.join(batch) + '\n',
                              capture_output=True, text=True, timeout=PATIENCE, check=False)
        if done.returncode:
            raise RigError(f'addresses of {interface}: {done.stderr}')

    def cut(self, side):
        """Deletes the interfaces between a side and the box."""
        self.run(DUT, 'ip', 'link', 'delete', INNER[side])

    def restore(self, side, mtu=1500):
        """Makes them anew, with the first address of the side."""
        self._wire(side, OUTER[side], INNER[side], mtu)
        v4, v6 = (CORE_V4, CORE_V6) if side == CORE else (UE_V4, UE_V6)
        self._address(side, OUTER[side], [v4], v6)
        # The other side would talk to the former address for half a minute.
        self.run(self.other(side), 'ip', 'neigh', 'flush', 'all')

    def name(self, side):
        return self.prefix + side

    def within(self, side, *command):
        return ('ip', 'netns', 'exec', self.name(side), *command)

    def run(self, side, *command, **options):
        if command[0] not in WITHOUT_SYSFS:
            return sh(*self.within(side, *command), **options)
        with inside(self.name(side)):
            return sh(*command, **options)

    def start(self, side, *command, **options):
        """A process in a namespace; its pid is the command's own."""
        options.setdefault('stdin', subprocess.DEVNULL)
        if command[0] in WITHOUT_SYSFS:
            with inside(self.name(side)):
                process = subprocess.Popen(command, text=True, **options)
        else:
            process = subprocess.Popen(self.within(side, *command), text=True, **options)
        self.processes.append(process)
        return process

    def stop(self, process, seconds=5):
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if process in self.processes:
            self.processes.remove(process)
        return process.returncode

    def close(self):
        for process in list(self.processes):
            self.stop(process)
        for side in (CORE, DUT, RADIO):
            if os.path.exists(f'/run/netns/{self.name(side)}'):
                sh('ip', 'netns', 'delete', self.name(side), check=False)
        atexit.unregister(self.close)

    def other(self, side):
        return RADIO if side == CORE else CORE

    def address(self, side, v6=False):
        return {CORE: (CORE_V4, CORE_V6), RADIO: (UE_V4, UE_V6)}[side][v6]

    def ping(self, side, count=3, v6=False, interval=0.2, size=56):
        """Round-trip times in milliseconds, as many as came back."""
        done = self.run(side, 'ping', '-n', '-c', str(count), '-i', str(interval), '-W', '2', '-s', str(size),
                        self.address(self.other(side), v6), check=False, timeout=count * interval + PATIENCE)
        return [float(text) for text in re.findall(r'time=([\d.]+) ms', done.stdout)]

    def wait_for_wire(self, seconds=PATIENCE):
        """Until a first ping goes through: carriers are up, ARP has been answered."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.ping(CORE, count=1):
                return
        raise TooLate(f'no ping went through the box within {seconds} s')

    def iperf(self, sender, seconds, control='cubic', v6=False, port=5201, window=None, to=None, streams=1):
        """Begins a TCP transfer from one side to the other; `to` is one of its addresses, `streams` the number of
        connections. The server receives, so that it counts the octets that arrived. A `window` smaller than the
        bearer's buffer keeps that filled without losses."""
        address = to or self.address(self.other(sender), v6)
        return Transfer(self, sender, seconds, control, address, port, window, streams)


class Transfer:
    def __init__(self, rig, sender, seconds, control, address, port, window, streams):
        self.rig, self.seconds = rig, seconds
        receiver = rig.other(sender)
        self.server = rig.start(receiver, 'iperf3', '-s', '-1', '-J', '-i', '0.5', '-p', str(port),
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self._wait_listening(receiver, port)
        limit = ['-w', window] if window else []
        self.client = rig.start(sender, 'iperf3', '-c', address, '-p', str(port), '-P', str(streams),
                                '-t', str(seconds), '-i', '0', '-C', control, *limit,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def _wait_listening(self, side, port):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if listens(self.rig.name(side), port):
                return
            time.sleep(0.01)
        raise RigError('iperf3 -s does not listen')

    def finish(self, patience=PATIENCE):
        """Waits for the end; returns the receiver's intervals as (start, end, bytes)."""
        limit = self.seconds + patience
        try:
            said, _ = self.client.communicate(timeout=limit)
            out, _ = self.server.communicate(timeout=limit)
        except subprocess.TimeoutExpired as late:
            raise RigError(f'iperf3 did not end within {limit} s') from late
        finally:
            self.rig.stop(self.client)
            self.rig.stop(self.server)
        if self.client.returncode:
            raise RigError(f'iperf3 client: {said}')
        return self._intervals(out)

    def end(self, patience=PATIENCE):
        """Ends it before its time; the intervals so far."""
        self.rig.stop(self.client)
        try:
            out, _ = self.server.communicate(timeout=patience)
        except subprocess.TimeoutExpired as late:
            raise RigError(f'iperf3 -s did not end within {patience} s of its client') from late
        finally:
            self.rig.stop(self.server)
        return self._intervals(out)

    @staticmethod
    def _intervals(out):
        sums = [interval['sum'] for interval in json.loads(out)['intervals']]
        return [(one['start'], one['end'], one['bytes']) for one in sums]


def goodput(intervals, start, end):
    """bit/s of payload over the intervals that lie between two moments, in seconds."""
    inside = [one for one in intervals if one[0] >= start - 0.05 and one[1] <= end + 0.05]
    seconds = sum(stop - begin for begin, stop, _ in inside)
    if not inside or seconds <= 0:
        raise RigError(f'no interval between {start} and {end} s in {intervals}')
    return 8 * sum(count for _, _, count in inside) / seconds


def promised(rate, v6=False):
    """The goodput that a rate of IP bytes allows: 1500-byte packets, TCP timestamps."""
    return rate * (1428 if v6 else 1448) / 1500

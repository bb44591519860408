"""DPDK's testpmd between the interfaces of a rig's box."""
import subprocess

from rig import DUT, RigError

TESTPMD = 'dpdk-testpmd'
RING = 2048
# The sizes that rncd passes to the driver (dataplane/dpdk/kinds/port_af_packet.cc), and those of its own sockets
# (dataplane/dpdk/af_xdp/xdp_socket.cc).
VDEV = {'af_packet': 'net_af_packet{number},iface={interface},blocksz=65536,framesz=2048,framecnt=2048,qdisc_bypass=0',
        'af_xdp': 'net_af_xdp{number},iface={interface},start_queue=0,queue_count=1,force_copy=1'}


class Testpmd:
    """On d0 and d1, one core polls both. `mode`: mac writes addresses, io leaves frames alone."""

    def __init__(self, rig, driver, options, mode='mac'):
        words = ['--lcores', f'0@{options.others_cpu},1@{options.cpu}', '--main-lcore', '0', '--no-huge', '-m', '512', '--no-pci',
                 '--no-shconf', '--iova-mode', 'va']
        for number, interface in enumerate(('d0', 'd1')):
            words += ['--vdev', VDEV[driver].format(number=number, interface=interface)]
        words += ['--', f'--forward-mode={mode}', '--auto-start', '--burst=64', f'--rxd={RING}', f'--txd={RING}',
                  '--total-num-mbufs=32768']
        # It ends when its input does.
        self.rig, self.log = rig, []
        self.process = rig.start(DUT, 'stdbuf', '-oL', TESTPMD, *words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT)

    def __enter__(self):
        for line in self.process.stdout:
            self.log.append(line)
            if 'packet forwarding' in line and 'start' in line.lower():
                return self
        raise RigError(f'{TESTPMD} ended:\n{"".join(self.log[-15:])}')

    def __exit__(self, *_):
        self.rig.stop(self.process, 15)

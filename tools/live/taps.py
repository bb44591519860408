"""One-way delays: the same packets captured at the server's interface and at the UEs', and matched one by one.

On slow links every packet is used, on fast ones those whose IPv4 identification, which counts the packets of a
connection, is a multiple of a number. Both captures so have the same ones. All clocks are this machine's one.
"""
import collections
import os
import re
import struct
import subprocess

DUMPCAP = 'dumpcap'
SNAP = 64
RECORD = struct.Struct('=II8x18x24s22x')  # seconds, us; from IPv4's identification to TCP's sequence number
UE, PORT = slice(12, 16), slice(16, 18)  # in those: the destination, and the connection's port at the server
FILE_HEADER = 24
ENOUGH = 50  # packets a second of a cell
PACKET_BITS = 12_000


def share(rate):
    """One packet in this many is looked at: a power of two."""
    one_in = 1
    while rate / PACKET_BITS / one_in > 2 * ENOUGH:
        one_in *= 2
    return one_in


def filter_of(links):
    """Data of the links' downloads, as tcpdump writes it."""
    wanted = []
    for link in links:
        text = f'dst net 10.45.{link.number}.0/24'
        if (one_in := share(link.rate)) > 1:
            text += f' and (ip[4:2] & {one_in - 1} = 0)'
        wanted.append(f'({text})')
    return f'tcp and greater 200 and ({" or ".join(wanted)})'


class Tap:
    """A capture by dumpcap, begun."""

    def __init__(self, rig, side, interface, links, folder):
        self.rig, self.path = rig, os.path.join(folder, f'{side}.pcap')
        self.process = rig.start(side, DUMPCAP, '-q', '-P', '-s', str(SNAP), '-B', '64', '-i', interface, '-f',
                                 filter_of(links), '-w', self.path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.said = ''

    def wait_until_it_runs(self):
        for line in self.process.stderr:
            self.said += line
            if line.startswith('File:'):
                return
        raise RuntimeError(f'{DUMPCAP}: {self.said.strip() or "ended at once"}; it comes with the package tshark')

    def stop(self):
        """The number of packets that it missed."""
        self.process.terminate()
        self.said += self.process.communicate(timeout=30)[1]
        self.rig.stop(self.process)
        found = re.search(r'received/dropped on interface.*: \d+/(\d+)', self.said)
        return int(found[1]) if found else None

    def packets(self):
        """(moment in microseconds, bytes that tell the packet from all others)

        A record is as long as any other: packets of 200 bytes and more, cut off at SNAP."""
        with open(self.path, 'rb') as file:
            data = memoryview(file.read())[FILE_HEADER:]
        os.remove(self.path)
        whole = len(data) // RECORD.size * RECORD.size
        for second, us, name in RECORD.iter_unpack(data[:whole]):
            yield second * 1_000_000 + us, name


def delays(sent, received, begin, end):
    """{UE: {port: [s, ...]}} of the packets that came between two moments, in seconds of the wall clock."""
    left = {name: at for at, name in sent}
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for at, name in received:
        began = left.pop(name, None)
        if began is not None and begin <= at / 1e6 <= end:
            found['.'.join(map(str, name[UE]))][name[PORT]].append((at - began) / 1e6)
    return found


def mean_and_p95(by_port):
    """The lab's statistics: the mean over all packets, and the mean over flows of each one's 95th percentile."""
    values = [value for ports in by_port.values() for value in ports]
    if not values:
        return None, None
    tails = [sorted(ports)[(len(ports) * 95 + 99) // 100 - 1] for ports in by_port.values()]
    return sum(values) / len(values), sum(tails) / len(tails)

"""Frames for the corpora: kernel TCP through rncd, captured in network namespaces, and what kernels do not send."""
import base64
import os
import re
import socket
import struct
import sys
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'tools', 'rig'))
import logging

logging.getLogger('scapy').setLevel(logging.ERROR)
from box import Box
from frames import INTERFACE, inside
from rig import CORE, CORE_V4, RADIO, UE_V4, Rig
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import IPv6, IPv6ExtHdrHopByHop
from scapy.layers.l2 import Dot1Q, Ether

DOWN, UP = 'down', 'up'
PORT = 5201
KEPT = 64  # octets of a segment's payload that an input has


def lingering_not(connection):
    """close() resets it."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))


def drain(connection, pause=0.0):
    time.sleep(pause)
    while connection.recv(65536):
        pass


# The server's side of a connection, and the UE's.
def download(connection):
    connection.sendall(b'd' * 40_000)
    connection.shutdown(socket.SHUT_WR)
    drain(connection)


def small_writes(connection):
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for _ in range(30):
        connection.sendall(b's' * 100)
    connection.shutdown(socket.SHUT_WR)
    drain(connection)


def reset_amid(connection):
    connection.sendall(b'r' * 20_000)
    lingering_not(connection)


def upload(connection):
    connection.sendall(b'u' * 40_000)
    connection.shutdown(socket.SHUT_WR)
    drain(connection)


def hang_up(connection):
    connection.recv(5_000)
    lingering_not(connection)


TRANSFERS = [
    (download, drain, {}),
    (download, lambda c: drain(c, 0.8), {socket.SO_RCVBUF: 4096}),  # the window closes
    (small_writes, drain, {}),
    (reset_amid, drain, {}),
    (drain, upload, {}),
    (download, hang_up, {}),
    (upload, upload, {}),
]


class Capture(threading.Thread):
    """The frames that come to an interface, in their order."""

    def __init__(self, rig, side, way, frames):
        super().__init__(daemon=True)
        with inside(rig.name(side)):
            self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        self.socket.setsockopt(263, 23, 1)  # PACKET_IGNORE_OUTGOING
        self.socket.bind((INTERFACE[side], 3))
        self.socket.settimeout(0.2)
        self.way, self.frames, self.ends = way, frames, False

    def run(self):
        while not self.ends:
            try:
                self.frames.append((self.way, self.socket.recv(65536)))
            except TimeoutError:
                pass


def transfer(rig, port, serve, use, options):
    """One connection, to both its ends."""
    with inside(rig.name(CORE)):
        listener = socket.create_server((CORE_V4, port))
    with inside(rig.name(RADIO)):
        client = socket.socket()
    for option, value in options.items():
        client.setsockopt(socket.SOL_SOCKET, option, value)

    def at_server():
        connection, _ = listener.accept()
        with connection:
            try:
                serve(connection)
            except OSError:
                pass
    server = threading.Thread(target=at_server, daemon=True)
    server.start()
    with listener, client:
        client.settimeout(20)
        client.connect((CORE_V4, port))
        try:
            use(client)
        except OSError:
            pass
        server.join(20)


def capture():
    """A list of frames, each with its way, for each connection."""
    captured = []
    with Rig() as rig, Box(rig, rate='4M', sdus=8) as box:  # a short buffer: segments are lost
        box.set_bearer(UE_V4)
        for number, (serve, use, options) in enumerate(TRANSFERS):
            frames = []
            taps = [Capture(rig, CORE, UP, frames), Capture(rig, RADIO, DOWN, frames)]
            for tap in taps:
                tap.start()
            transfer(rig, PORT + number, serve, use, options)
            time.sleep(0.3)
            for tap in taps:
                tap.ends = True
                tap.join()
            captured.append([(way, shortened(frame)) for way, frame in frames])
    return captured


def tcp_of(frame):
    packet = Ether(frame)
    return packet[TCP] if TCP in packet else None


def payload_of(frame):
    packet = Ether(frame)
    return packet[IP].len - 4 * packet[IP].ihl - 4 * packet[TCP].dataofs


def shortened(frame):
    """The packet with its payload cut so that an input stays small; its lengths and checksums are right."""
    packet = Ether(frame)
    if TCP not in packet or IP not in packet or payload_of(frame) <= KEPT:
        return frame
    tcp = packet[TCP]
    tcp.payload = type(tcp.payload)(bytes(tcp.payload)[:KEPT])
    del packet[IP].len, packet[IP].chksum, tcp.chksum
    return bytes(packet)


def first_numbers(frames, of_server):
    """The initial sequence numbers of the end that an engine stands for, and of its peer."""
    found = {}
    for way, frame in frames:
        tcp = tcp_of(frame)
        if tcp is not None and tcp.flags & 2:
            found.setdefault(way, tcp.seq)
    own, peer = (DOWN, UP) if of_server else (UP, DOWN)
    return (found[own], found[peer]) if len(found) == 2 else (None, None)


def with_numbers(frame, seq, ack):
    """The IP packet with its sequence number moved by `seq` and its acknowledgment number by `ack`."""
    packet = Ether(frame)
    if TCP not in packet or IP not in packet:
        return None
    tcp = packet[TCP]
    tcp.seq = (tcp.seq + seq) % 2**32
    tcp.ack = (tcp.ack + ack) % 2**32
    del tcp.chksum
    return bytes(packet[IP])


def tunnels():
    """The vectors of the oracle (tests/oracle/gtp_u_vectors.h)."""
    with open(os.path.join(ROOT, 'tests', 'oracle', 'gtp_u_vectors.h'), encoding='utf-8') as file:
        text = file.read()
    for pieces in re.findall(r'(?:"[A-Za-z0-9+/]{16,}=*"\s*)+', text):
        yield base64.b64decode(re.sub(r'["\s]', '', pieces))


def crafted():
    """Options, flags, fragments and messages that this kernel does not send by itself."""
    signed = [(19, b'\x5a' * 16)]
    authenticated = [(29, b'\x01\x01' + b'\x5a' * 12)]
    multipath = [(30, bytes.fromhex('00810123456789abcdef'))]
    down = IP(src='192.0.2.1', dst=UE_V4) / TCP(sport=80, dport=40000, seq=1000, ack=2000)
    up = IP(src=UE_V4, dst='192.0.2.1') / TCP(sport=40000, dport=80, seq=2000, ack=1000)
    made = []

    def add(way, packet, **link):
        made.append((way, bytes(Ether(src='02:00:00:00:00:01', dst='02:00:00:00:00:02', **link) / packet)))

    def with_tcp(base, **fields):
        packet = base.copy()
        for name, value in fields.items():
            setattr(packet[TCP], name, value)
        return packet
    for options in (signed, authenticated, multipath, [('SAckOK', b''), ('MSS', 1460), ('WScale', 14)],
                    [('SAck', (1100, 1200, 1300, 1400))], [('Timestamp', (7, 3))], [(34, b'cookie12')]):
        for flags in ('S', 'SA', 'A', 'R', 'F'):
            add(UP if flags == 'S' else DOWN, with_tcp(up if flags == 'S' else down, flags=flags, options=options))
    for flags in ('SEC', 'SAE', 'AE', 'AU', 'FPU', 'SF', 'SR'):
        add(DOWN, with_tcp(down, flags=flags) / (b'x' * 30))
        add(UP, with_tcp(up, flags=flags))
    too_big = ICMP(type=3, code=4, nexthopmtu=1300)
    add(UP, IP(src='198.51.100.1', dst='192.0.2.1') / too_big / down)
    add(DOWN, IP(src='192.0.2.1', dst=UE_V4, flags='MF') / (b'f' * 64))
    add(DOWN, IP(src='192.0.2.1', dst=UE_V4, frag=8) / (b'f' * 64))
    add(DOWN, IP(src='192.0.2.1', dst=UE_V4) / UDP(sport=53, dport=4000) / (b'u' * 40))
    add(DOWN, Dot1Q(vlan=7) / down)
    add(DOWN, Dot1Q(vlan=7) / Dot1Q(vlan=8) / down)
    add(DOWN, IPv6(dst='2001:db8:45::2') / IPv6ExtHdrHopByHop() / TCP(sport=80, dport=40000, flags='A'))
    return made

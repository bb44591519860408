"""The user plane of GTP-U (TS 29.281) in namespaces, for a kernel without it: packets of a TUN interface leave in
G-PDUs, and those within received G-PDUs come out of it. An echo request is answered.

As a program it is one end of one tunnel: tunnel.py --interface tun0 --address 10.60.0.1/24 --local 10.45.0.1
--remote 10.45.0.2 --teid 0x11. It prints `ready` once packets can cross."""
import argparse
import fcntl
import os
import select
import socket
import struct
import subprocess

PORT = 2152
ECHO_REQUEST, ECHO_RESPONSE, ERROR_INDICATION, END_MARKER, G_PDU = 1, 2, 26, 254, 255
VERSION_1, EXTENSIONS, SEQUENCE = 0x30, 4, 2  # bits of the first octet
PDU_SESSION_CONTAINER = 0x85
RECOVERY = bytes([14, 0])  # the content of an echo response (clause 7.7.1)
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454ca, 1, 0x1000


def message(teid, content=b'', kind=G_PDU, qfi=None, uplink=False, sequence=None):
    """A message with its header; a `qfi` is in a PDU session container (TS 38.415 clause 5.5.2)."""
    flags, more = VERSION_1, b''
    if qfi is not None or sequence is not None:
        flags |= (EXTENSIONS if qfi is not None else 0) | (SEQUENCE if sequence is not None else 0)
        more = struct.pack('!HBB', sequence or 0, 0, PDU_SESSION_CONTAINER if qfi is not None else 0)
    if qfi is not None:
        more += bytes([1, 0x10 if uplink else 0, qfi, 0])
    return struct.pack('!BBHI', flags, kind, len(more) + len(content), teid) + more + content


def content(received):
    """(kind, content) of a message; None for what is none."""
    if len(received) < 8 or received[0] >> 4 != VERSION_1 >> 4:
        return None
    flags, kind, length, _ = struct.unpack('!BBHI', received[:8])
    at, end, following = 8, 8 + length, 0
    if flags & 7:
        at, following = 12, received[11] if flags & EXTENSIONS and len(received) > 11 else 0
    while following and at < min(end, len(received)) and received[at]:
        size = 4 * received[at]
        following = received[at + size - 1] if at + size <= len(received) else 0
        at += size
    return (kind, received[at:end]) if at <= end <= len(received) else None


def open_tun(name):
    tun = os.open('/dev/net/tun', os.O_RDWR)
    fcntl.ioctl(tun, TUNSETIFF, struct.pack('16sH', name.encode(), IFF_TUN | IFF_NO_PI))
    return tun


def udp_socket(local, remote):
    made = socket.socket(socket.AF_INET6 if ':' in local else socket.AF_INET, socket.SOCK_DGRAM)
    made.bind((local, PORT))
    made.connect((remote, PORT))
    return made


def take(tun, udp):
    """Handles one datagram."""
    try:
        received = udp.recv(65536)
    except ConnectionRefusedError:  # the other end is not there, yet
        return
    found = content(received)
    if found and found[0] == G_PDU:
        os.write(tun, found[1])
    elif found and found[0] == ECHO_REQUEST:
        sequence = int.from_bytes(received[8:10], 'big') if received[0] & SEQUENCE else 0
        udp.send(message(0, RECOVERY, ECHO_RESPONSE, sequence=sequence))


def give(tun, udp, args):
    """Handles one packet of the interface."""
    try:
        udp.send(message(args.teid, os.read(tun, 65536), qfi=args.qfi, uplink=args.uplink, sequence=args.sequence))
    except ConnectionRefusedError:
        return
    if args.sequence is not None:
        args.sequence = (args.sequence + 1) & 0xffff


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--interface', default='tun0', help='the TUN interface, which is made')
    parser.add_argument('--address', action='append', required=True, help='of the interface, with its prefix length')
    parser.add_argument('--mtu', type=int, default=1500, help='of the interface')
    parser.add_argument('--local', required=True, help='this end of the tunnel')
    parser.add_argument('--remote', required=True, help='the other end')
    parser.add_argument('--teid', type=lambda text: int(text, 0), required=True, help='of what is sent')
    parser.add_argument('--qfi', type=int, help='in a PDU session container (5G)')
    parser.add_argument('--uplink', action='store_true', help='the direction that the container names')
    parser.add_argument('--sequence', type=int, help='the first sequence number; without it none are sent')
    args = parser.parse_args()
    udp, tun = udp_socket(args.local, args.remote), open_tun(args.interface)
    for address in args.address:
        extra = ('nodad',) if ':' in address else ()
        subprocess.run(('ip', 'address', 'add', address, 'dev', args.interface, *extra), check=True)
    subprocess.run(('ip', 'link', 'set', args.interface, 'up', 'mtu', str(args.mtu)), check=True)
    print('ready', flush=True)
    while True:
        ready, _, _ = select.select([tun, udp], [], [])
        if udp in ready:
            take(tun, udp)
        if tun in ready:
            give(tun, udp, args)


if __name__ == '__main__':
    main()

"""Sends small UDP frames out of an interface, one to each UE.   send.py INTERFACE UES"""
import errno
import ipaddress
import socket
import struct
import sys
import time

FIRST = ipaddress.ip_address('10.45.0.2')
PAYLOAD = 18  # with it a frame is the smallest there is: 60 bytes, and the four that a NIC would add


def checksum(header):
    total = sum(struct.unpack('!10H', header))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def datagram(source, to, port, payload):
    """An IPv4 packet without a UDP checksum."""
    size = 28 + len(payload)
    head = struct.pack('!BBHHHBBH4s4s', 0x45, 0, size, 0, 0, 64, socket.IPPROTO_UDP, 0, socket.inet_aton(source), socket.inet_aton(to))
    head = head[:10] + struct.pack('!H', checksum(head)) + head[12:]
    return head + struct.pack('!4H', 7, port, 8 + len(payload), 0) + payload


def frame(packet):
    """No interface has its MAC address, so that the kernel ignores it."""
    return bytes.fromhex('020000000002' '020000000001' '0800') + packet


def send(packet, data, patience=5.0):
    """Without a queue between, an interface refuses a frame while its other end is busy: it is offered again."""
    deadline = time.monotonic() + patience
    while True:
        try:
            return packet.send(data)
        except OSError as error:
            if error.errno != errno.ENOBUFS or time.monotonic() > deadline:
                raise
        time.sleep(0.001)


def main():
    interface, frames = sys.argv[1], int(sys.argv[2])
    packet = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    packet.setsockopt(263, 20, 1)  # SOL_PACKET, PACKET_QDISC_BYPASS: hidden from the other sockets of the interface
    packet.bind((interface, 0))
    for number in range(frames):
        send(packet, frame(datagram('10.45.0.1', str(FIRST + number), 9, bytes(PAYLOAD))))


if __name__ == '__main__':
    main()

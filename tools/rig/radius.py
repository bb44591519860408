"""A RADIUS client that sends accounting requests (RFC 2866), for tests and demonstrations."""
import hashlib
import ipaddress
import itertools
import socket
import struct

START, STOP, INTERIM = 1, 2, 3
WISPR, UP, DOWN = 14122, 7, 8


class RadiusError(Exception):
    pass


def attribute(kind, value):
    return bytes([kind, 2 + len(value)]) + value


def rates(uplink, downlink):
    """In bit/s, as WISPr has them."""
    return b''.join(attribute(26, struct.pack('!I', WISPR) + attribute(kind, struct.pack('!I', rate)))
                    for kind, rate in ((UP, uplink), (DOWN, downlink)))


class Nas:
    """A client at `address` of the server at `server`, (address, port)."""

    def __init__(self, address, server, secret, timeout=10):
        self.address, self.server, self.secret = address, server, secret.encode()
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((address, 0))
        self.socket.settimeout(timeout)
        self.identifiers = itertools.cycle(range(256))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def account(self, status, ue, session, more=b''):
        """Sends a request of the UE's session, and waits for its response."""
        body = (attribute(40, struct.pack('!I', status)) + attribute(44, session.encode())
                + attribute(4, ipaddress.IPv4Address(self.address).packed)
                + attribute(8, ipaddress.IPv4Address(ue).packed) + more)
        identifier = next(self.identifiers)
        head = struct.pack('!BBH', 4, identifier, 20 + len(body))
        own = hashlib.md5(head + bytes(16) + body + self.secret).digest()
        self.socket.sendto(head + own + body, self.server)
        answer = self.socket.recv(4096)
        expected = hashlib.md5(answer[:4] + own + answer[20:] + self.secret).digest()
        if answer[:2] != bytes([5, identifier]) or answer[4:20] != expected:
            raise RadiusError(f'found {answer.hex()}, expected the response to request {identifier}')

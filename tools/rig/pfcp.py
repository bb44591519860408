"""A CP function and a UP function that speak PFCP (TS 29.244), for tests and demonstrations: sessions of one UE each,
with a session AMBR, in GTP-U tunnels.

As a program, `pfcp.py upf ADDRESS`, it answers as a UP function until it is ended.
"""
import dataclasses
import ipaddress
import itertools
import socket
import struct
import sys

PORT = 8805
ACCEPTED = 1
ACCESS, CORE = 0, 1
DROP, FORWARD, BUFFER = 1, 2, 4
HEARTBEAT, ASSOCIATION, ESTABLISHMENT, MODIFICATION, DELETION = 1, 5, 50, 52, 54


class PfcpError(Exception):
    pass


def ie(kind, *parts):
    value = b''.join(parts)
    return struct.pack('!HH', kind, len(value)) + value


def v4(address):
    return ipaddress.IPv4Address(address).packed


def message(kind, sequence, body, seid=None):
    head = b'' if seid is None else struct.pack('!Q', seid)
    rest = head + sequence.to_bytes(3, 'big') + b'\0' + body
    return struct.pack('!BBH', 0x20 | (seid is not None), kind, len(rest)) + rest


def parse(datagram):
    """(type, SEID or None, sequence, {type of an IE: its value})."""
    flags, kind, length = struct.unpack_from('!BBH', datagram)
    at, seid = 4, None
    if flags & 1:
        seid, = struct.unpack_from('!Q', datagram, at)
        at += 8
    sequence = int.from_bytes(datagram[at:at + 3], 'big')
    at, end, ies = at + 4, 4 + length, {}
    while at + 4 <= end:
        number, size = struct.unpack_from('!HH', datagram, at)
        ies[number] = datagram[at + 4:at + 4 + size]
        at += 4 + size
    return kind, seid, sequence, ies


def f_seid(seid, address):
    return ie(57, b'\2', struct.pack('!Q', seid), v4(address))


def node_id(address):
    return ie(60, b'\0', v4(address))


def mbr(uplink, downlink):
    """In kbit/s."""
    return ie(26, uplink.to_bytes(5, 'big'), downlink.to_bytes(5, 'big'))


@dataclasses.dataclass
class Session:
    """A session of the UE `ue`, with rates in kbit/s; `ran` and `upf` are the ends of its tunnels, (address, TEID)."""
    ue: str
    uplink: int
    downlink: int
    ran: tuple
    upf: tuple
    cp_seid: int = 0
    up_seid: int = 0

    def rules(self):
        qer = ie(7, ie(109, struct.pack('!I', 1)), ie(25, b'\0'), mbr(self.uplink, self.downlink))
        outer = ie(84, struct.pack('!HI', 0x100, self.ran[1]), v4(self.ran[0]))
        fars = [ie(3, ie(108, struct.pack('!I', 1)), ie(44, bytes([FORWARD])), ie(4, ie(42, bytes([CORE])))),
                ie(3, ie(108, struct.pack('!I', 2)), ie(44, bytes([FORWARD])), ie(4, ie(42, bytes([ACCESS])), outer))]
        tunnel = ie(21, b'\1', struct.pack('!I', self.upf[1]), v4(self.upf[0]))
        pdis = [ie(2, ie(20, bytes([ACCESS])), tunnel), ie(2, ie(20, bytes([CORE])), ie(93, b'\6', v4(self.ue)))]
        pdrs = [ie(1, ie(56, struct.pack('!H', number)), ie(29, struct.pack('!I', 255)), pdi,
                   ie(108, struct.pack('!I', number)), ie(109, struct.pack('!I', 1)))
                for number, pdi in enumerate(pdis, 1)]
        return b''.join(pdrs + fars) + qer


class Smf:
    """A CP function at `address`, whose UP function is at `upf`. To be used in the network namespace where both are
    reached."""

    def __init__(self, address, upf, timeout=10):
        self.address, self.upf = address, upf
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((address, PORT))
        self.socket.settimeout(timeout)
        self.sequences, self.seids = itertools.count(1), itertools.count(1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def ask(self, kind, body, seid=None):
        """The IEs of the response, which has accepted the request."""
        sequence = next(self.sequences)
        self.socket.sendto(message(kind, sequence, body, seid), (self.upf, PORT))
        while True:
            answer, _, number, ies = parse(self.socket.recv(65535))
            if (answer, number) == (kind + 1, sequence):
                break
        if ies.get(19) != bytes([ACCEPTED]):
            raise PfcpError(f'message {kind}: found the cause {ies.get(19)!r}, expected {ACCEPTED}')
        return ies

    def associate(self, started=1):
        self.ask(ASSOCIATION, node_id(self.address) + ie(96, struct.pack('!I', started)))

    def establish(self, session):
        session.cp_seid = next(self.seids)
        ies = self.ask(ESTABLISHMENT, node_id(self.address) + f_seid(session.cp_seid, self.address) + session.rules(), 0)
        session.up_seid, = struct.unpack_from('!Q', ies[57], 1)

    def change_rates(self, session, uplink, downlink):
        session.uplink, session.downlink = uplink, downlink
        self.ask(MODIFICATION, ie(14, ie(109, struct.pack('!I', 1)), mbr(uplink, downlink)), session.up_seid)

    def act(self, session, action):
        """Apply Action of the downlink."""
        self.ask(MODIFICATION, ie(10, ie(108, struct.pack('!I', 2)), ie(44, bytes([action]))), session.up_seid)

    def set_gates(self, session, uplink, downlink):
        """Gate Status of the session: True is open."""
        self.ask(MODIFICATION, ie(14, ie(109, struct.pack('!I', 1)), ie(25, bytes([(not uplink) << 2 | (not downlink)]))),
                 session.up_seid)

    def delete(self, session):
        self.ask(DELETION, b'', session.up_seid)


class Upf:
    """A UP function at `address`, which accepts everything."""

    def __init__(self, address):
        self.address, self.seids, self.cp_seids = address, itertools.count(0x1000), {}

    def answer(self, datagram):
        """The response to a request; None for what is none."""
        kind, seid, sequence, ies = parse(datagram)
        body, to = ie(19, bytes([ACCEPTED])), None
        if kind == HEARTBEAT:
            body = ie(96, struct.pack('!I', 1))
        elif kind == ASSOCIATION:
            body = node_id(self.address) + body + ie(96, struct.pack('!I', 1))
        elif kind == ESTABLISHMENT:
            to, = struct.unpack_from('!Q', ies[57], 1)
            own = next(self.seids)
            self.cp_seids[own] = to
            body = node_id(self.address) + body + f_seid(own, self.address)
        elif kind in (MODIFICATION, DELETION):
            to = self.cp_seids.get(seid, 0)
        else:
            return None
        return message(kind + 1, sequence, body, to)


def answer_as_upf(address):
    upf = Upf(address)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as served:
        served.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
        served.bind((address, PORT))
        print('ready', flush=True)
        while True:
            datagram, peer = served.recvfrom(65535)
            if (answer := upf.answer(datagram)) is not None:
                served.sendto(answer, peer)


if __name__ == '__main__':
    if len(sys.argv) != 3 or sys.argv[1] != 'upf':
        sys.exit('pfcp: expected: pfcp.py upf ADDRESS')
    answer_as_upf(sys.argv[2])

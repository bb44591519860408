"""PFCP of an SMF and a UPF on the loopback interface, both directions, built beforehand and sent at a pace; and the
sessions that somebody knows who saw it."""
import dataclasses
import random
import socket
import time

import pfcp
from frames import inside
from rig import CORE_V4, DUT, UE_V4
from told import SMF, UPF

GNB, GATEWAY = UE_V4, CORE_V4  # the ends of the tunnels are the hosts of the rig
STEP = 0.001  # seconds between bursts
UPLINK = 5000  # kbit/s


@dataclasses.dataclass
class Datagram:
    content: bytes
    to_upf: bool
    kind: int = 0  # 0: a response
    session: pfcp.Session = None  # a copy, with the rates of the request


class Signalling(pfcp.Smf):
    """Keeps requests and responses in `built`, until send()."""

    def __init__(self, rig):
        self.upf_answers, self.built = pfcp.Upf(UPF), []
        with inside(rig.name(DUT)):
            super().__init__(SMF, UPF)
            self.upf_socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.upf_socket.bind((UPF, pfcp.PORT))

    def __exit__(self, *_):
        self.upf_socket.close()
        super().__exit__()

    def ask(self, kind, body, seid=None):
        request = pfcp.message(kind, next(self.sequences), body, seid)
        response = self.upf_answers.answer(request)
        self.built += [Datagram(request, True, kind), Datagram(response, False)]
        return pfcp.parse(response)[3]

    def establish(self, session):
        super().establish(session)
        self._note(session)

    def change_rates(self, session, uplink, downlink):
        super().change_rates(session, uplink, downlink)
        self._note(session)

    def delete(self, session):
        super().delete(session)
        self._note(session)

    def _note(self, session):
        self.built[-2].session = dataclasses.replace(session)

    def take(self):
        built, self.built = self.built, []
        return built

    def send(self, datagrams, pace):
        """Sends so many datagrams a second; returns the seconds that it took."""
        burst, begin = max(1, round(pace * STEP)), time.monotonic()
        for at in range(0, len(datagrams), burst):
            if (left := begin + at / pace - time.monotonic()) > 0:
                time.sleep(left)
            for one in datagrams[at:at + burst]:
                if one.to_upf:
                    self.socket.sendto(one.content, (UPF, pfcp.PORT))
                else:
                    self.upf_socket.sendto(one.content, (SMF, pfcp.PORT))
        return time.monotonic() - begin


def session_of(ue, teid, draw):
    """A session with an AMBR of 1 to 20 Mbit/s downlink."""
    return pfcp.Session(ue, UPLINK, draw.randint(1000, 20_000), (GNB, 0x100_0000 + teid), (GATEWAY, 0x200_0000 + teid))


class Known:
    """The sessions by UE that those know who have seen the datagrams. A request counts, whether or not its response was
    seen: the receiver takes it for accepted."""

    def __init__(self):
        self.sessions = {}

    def see(self, datagrams):
        for one in datagrams:
            if one.session is None:
                continue
            held = self.sessions.get(one.session.ue)
            if one.kind == pfcp.ESTABLISHMENT:
                self.sessions[one.session.ue] = one.session
            elif held is not None and held.up_seid == one.session.up_seid:
                if one.kind == pfcp.DELETION:
                    del self.sessions[one.session.ue]
                else:
                    self.sessions[one.session.ue] = one.session

    def bearers(self, without):
        """(downlink and uplink rate in bit/s, TEID of the downlink) by UE."""
        return {ue: (1000 * one.downlink, 1000 * one.uplink, one.ran[1])
                for ue, one in self.sessions.items() if ue not in without}


def as_a_bad_mirror(datagrams, seed, share):
    """The datagrams without a share that is lost, and with a share that their successors overtook: (these, lost,
    overtaken)."""
    draw = random.Random(seed)
    seen = [one for one in datagrams if draw.random() >= share]
    lost, overtaken, at = len(datagrams) - len(seen), 0, 0
    while at + 1 < len(seen):
        if draw.random() < share:
            seen[at], seen[at + 1] = seen[at + 1], seen[at]
            overtaken += 1
            at += 1
        at += 1
    return seen, lost, overtaken

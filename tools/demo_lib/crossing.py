"""The packets of the downlink that enter rncd and leave it in tunnels, read at the outer ends of both wires: the tunnel
in which each came and left, their order, and those that are missing."""
import dataclasses
import select
import socket
import struct
import threading
import time

from stage import CORE, RADIO  # before the next, which it finds
from frames import ETH_P_ALL, INTERFACE, inside
import tunnel

SO_TIMESTAMPNS = 35
OUTGOING = 4  # kind of a frame that its own machine sends (linux/if_packet.h)
ETHERNET, IPV4, UDP = 14, 20, 8
IPV4_TYPE = b'\x08\x00'


@dataclasses.dataclass(frozen=True)
class Frame:
    at: float  # seconds since 1970, the kernel's
    end: str  # address at which its tunnel ends
    kind: int  # type of the message
    packet: bytes  # identifies the packet within; empty without one
    size: int  # its IP bytes


def frame_of(frame, at):
    """None for what is in no tunnel over IPv4 without options."""
    ports = ETHERNET + IPV4
    if (len(frame) < ports + UDP or frame[12:14] != IPV4_TYPE or frame[ETHERNET] != 0x45 or frame[ETHERNET + 9] != 17
            or int.from_bytes(frame[ports + 2:ports + 4], 'big') != tunnel.PORT):
        return None
    end = socket.inet_ntoa(frame[ETHERNET + 16:ETHERNET + 20])
    kind, packet = tunnel.content(frame[ports + UDP:]) or (None, b'')
    if kind != tunnel.G_PDU or len(packet) < IPV4 + 8:
        return Frame(at, end, kind, b'', 0)
    # Its length, identification, addresses, and the beginning of its transport: no AQM and no ACK stage changes these.
    return Frame(at, end, kind, packet[2:6] + packet[12:28], int.from_bytes(packet[2:4], 'big'))


class Record(threading.Thread):
    """Reads the frames of one interface until stop()."""

    def __init__(self, rig, side):
        super().__init__(daemon=True)
        self.outgoing, self.frames, self.ends = side == CORE, [], threading.Event()
        with inside(rig.name(side)):
            self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        self.socket.setsockopt(socket.SOL_SOCKET, 33, 64 << 20)  # SO_RCVBUFFORCE
        self.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.socket.setblocking(False)
        self.socket.bind((INTERFACE[side], ETH_P_ALL))
        self.start()

    def run(self):
        while True:
            last = self.ends.is_set()
            select.select([self.socket], [], [], 0.05)
            if not self._read_all() and last:
                return

    def _read_all(self):
        """True if there was something."""
        count = 0
        while True:
            try:
                frame, extra, _, (_, _, way, _, _) = self.socket.recvmsg(2048, socket.CMSG_SPACE(16))
            except BlockingIOError:
                return count > 0
            count += 1
            seconds, nanoseconds = struct.unpack('qq', extra[0][2])
            if (way == OUTGOING) == self.outgoing and (read := frame_of(frame, seconds + nanoseconds / 1e9)):
                self.frames.append(read)

    def stop(self):
        """Once what was received is read."""
        if not self.ends.is_set():
            self.ends.set()
            self.join()
            self.socket.close()


class Crossing:
    """Both ends of the downlink."""

    def __init__(self, rig):
        self.entered, self.left = Record(rig, CORE), Record(rig, RADIO)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self.entered.stop()
        self.left.stop()

    def wait_for(self, end, after, seconds):
        """When the first packet entered, from the frame `after` on, in a tunnel to `end`; None if none does in time."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            for one in self.entered.frames[after:]:
                if one.end == end and one.packet:
                    return one.at
            time.sleep(0.002)
        return None

    def missing(self):
        """Packets that entered and did not leave."""
        left = {one.packet for one in self.left.frames}
        return [one for one in self.entered.frames if one.packet and one.packet not in left]

    def strange(self):
        """Number of packets that left and had not entered."""
        entered = {one.packet for one in self.entered.frames}
        return sum(one.packet not in entered for one in self.left.frames if one.packet)

    def overtaken(self):
        """Number of packets that left behind one that had entered later."""
        place = {one.packet: n for n, one in enumerate(self.entered.frames) if one.packet}
        last, count = -1, 0
        for one in self.left.frames:
            now = place.get(one.packet, last) if one.packet else last
            count += now < last
            last = max(last, now)
        return count


@dataclasses.dataclass
class Handover:
    """A change of the UE's tunnel, seen at both ends."""
    waited_old: int = 0  # packets of the old tunnel that left in it after the first had entered in the new one
    waited_new: int = 0  # packets of the old tunnel that left in the new one
    old_behind_new: int = 0  # packets that left in the old tunnel behind the first in the new one
    markers: int = 0  # end markers of the old tunnel that left
    behind_marker: int = 0  # packets that left in the old tunnel behind its end marker


def handover(crossing, old, new, begin, end):
    """The packets and the end marker of a change between two moments. `old`, `new`: addresses of the SGSNs."""
    entered = {one.packet: one for one in crossing.entered.frames if one.packet and begin <= one.at <= end}
    first = min((one.at for one in entered.values() if one.end == new), default=end)
    seen, changed = Handover(), False
    for one in crossing.left.frames:
        if one.at < begin:
            continue
        if one.kind == tunnel.END_MARKER:
            seen.markers += one.end == old
        elif (came := entered.get(one.packet)) and came.end == old:
            seen.waited_old += one.end == old and one.at >= first
            seen.waited_new += one.end == new
            seen.old_behind_new += one.end == old and changed
        changed |= bool(one.packet) and one.end == new
        seen.behind_marker += bool(one.packet) and one.end == old and seen.markers > 0 and one.at <= end
    return seen

"""Raw frames on the rig's outer interfaces, exactly as they are on the wire."""
import socket
import struct
import time

from netns import inside
from rig import CORE, PATIENCE, RADIO

INTERFACE = {CORE: 'c0', RADIO: 'r0'}
ETH_P_ALL, SOL_PACKET, PACKET_AUXDATA, PACKET_IGNORE_OUTGOING = 3, 263, 8, 23
VLAN_VALID, VLAN_TPID_VALID = 1 << 4, 1 << 6


class Tap:
    """Sends and receives whole frames on one side, by its outer interface or another."""

    def __init__(self, rig, side, interface=None):
        with inside(rig.name(side)):
            self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        self.socket.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
        self.socket.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, 33, 64 << 20)  # SO_RCVBUFFORCE
        self.socket.bind((interface or INTERFACE[side], ETH_P_ALL))
        self.mac = self.socket.getsockname()[4]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, *frames):
        for frame in frames:
            self.socket.send(bytes(frame))

    def take(self, wanted, count, seconds=PATIENCE / 2):
        """The first `count` frames for which wanted(frame) holds, or as many as came within `seconds`."""
        found, deadline = [], time.monotonic() + seconds
        while len(found) < count and (left := deadline - time.monotonic()) > 0:
            self.socket.settimeout(left)
            try:
                frame = self._read()
            except TimeoutError:
                break
            if wanted(frame):
                found.append(frame)
        return found

    def _read(self):
        """One frame, with the VLAN tag that the kernel took out put back."""
        frame, extra, _, _ = self.socket.recvmsg(65536, socket.CMSG_SPACE(20))
        for level, kind, data in extra:
            if (level, kind) != (SOL_PACKET, PACKET_AUXDATA):
                continue
            status, _, _, _, _, tci, tpid = struct.unpack('IIIHHHH', data[:20])
            if status & VLAN_VALID:
                tpid = tpid if status & VLAN_TPID_VALID else 0x8100
                frame = frame[:12] + struct.pack('!HH', tpid, tci) + frame[12:]
        return frame


def marked(mark):
    return lambda frame: mark in frame

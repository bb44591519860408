"""Samples of each lane's download in the server's kernel: `ss -ti` in the core's namespace."""
import dataclasses
import re

from stage import CORE

PEER = re.compile(r'^\S+ +\S+ +\S+ +\[?(?:::ffff:)?([\d.]+)\]?:\d+ +(.*)$', re.M)


@dataclasses.dataclass
class Reading:
    at: float  # seconds from the beginning
    rtt: float  # smoothed, milliseconds
    resent: int  # segments so far
    acked: int  # bytes
    sack: bool
    timestamps: bool
    shift: object  # the UE's window scale; None without the option
    rto: float  # milliseconds, doubled while it goes on


def reading(at, info):
    """None before its first round trip."""
    fields = dict(re.findall(r'(?<!\S)(\w+):(\S+)', info))
    if 'rtt' not in fields:
        return None
    options = info.split()
    shift = re.match(r'(\d+),\d+$', fields.get('wscale', ''))
    return Reading(at, float(fields['rtt'].split('/')[0]), int(fields.get('retrans', '0/0').split('/')[1]),
                   int(fields.get('bytes_acked', 0)), 'sack' in options, 'ts' in options,
                   int(shift[1]) if shift else None, float(fields.get('rto', 0)))


class Sockets:
    def __init__(self, rig, lanes, clock):
        """`clock`: seconds from the beginning."""
        self.rig, self.clock = rig, clock
        self.lane_of = {lane.ue: lane.name for lane in lanes}
        self.readings = {lane.name: [] for lane in lanes}

    def look(self):
        """Takes one sample. The connection of a UE with most bytes is the download; the other is iperf3's own."""
        at, found = self.clock(), {}
        text = self.rig.run(CORE, 'ss', '-HtinoO', 'state', 'established').stdout
        for ue, info in PEER.findall(text):
            one = reading(at, info) if ue in self.lane_of else None
            if one and one.acked > 1000 and (ue not in found or one.acked > found[ue].acked):
                found[ue] = one
        for ue, one in found.items():
            self.readings[self.lane_of[ue]].append(one)

    def between(self, name, start, end):
        return [one for one in self.readings[name] if start <= one.at <= end]

"""BO and drops of each lane from moment to moment, as the metrics of the running rncd tell them.

The series are those by class, a class holding one bearer: they are of the moment of the scrape, where those by UE
are renewed once a second, and a buffer can fill and overflow in less."""
import dataclasses
import re
import time

SERIES = re.compile(r'^rncd_(?:buffer_sdus|dropped_sdus_total)'
                    r'\{class="([^"]+)",direction="downlink"(?:,reason="(\w+)")?\} (\S+)$', re.M)
OVERFLOW = ('buffer_sdus', 'buffer_bytes')


@dataclasses.dataclass
class Reading:
    at: float  # seconds from the beginning
    bo: int
    drops: dict  # {reason: SDUs since rncd began}


class Watch:
    def __init__(self, box, lanes):
        self.box, self.began = box, time.time()
        self.readings = {lane.name: [] for lane in lanes}

    def seconds(self):
        return time.time() - self.began

    def look(self):
        """One scrape, through rncd's network namespace."""
        asked = self.seconds()
        text = self.box.metrics()
        at = (asked + self.seconds()) / 2
        found = {name: Reading(at, 0, {}) for name in self.readings}
        for name, reason, value in SERIES.findall(text):
            if name not in found:
                continue
            if reason:
                found[name].drops[reason] = int(float(value))
            else:
                found[name].bo = int(float(value))
        for name, reading in found.items():
            self.readings[name].append(reading)

    def between(self, name, start, end):
        return [one for one in self.readings[name] if start <= one.at <= end]

    def last(self, name, at):
        """The last reading by then; the first of all before it."""
        past = [one for one in self.readings[name] if one.at <= at]
        return past[-1] if past else self.readings[name][0]

    def dropped(self, name, start, end):
        """{reason: SDUs dropped in that time}"""
        first, last = self.last(name, start), self.last(name, end)
        return {reason: n - first.drops[reason] for reason, n in last.drops.items()}

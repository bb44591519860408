"""The parts of the live table: the links and AQMs of aqm-table.yaml, and the batches that run at once."""
import dataclasses
import os
import re

import yaml

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SWEEP = os.path.join(ROOT, 'tools', 'lab', 'scenarios', 'aqm-table.yaml')
CONGESTIONS = ('cubic', 'bbr')
LEGS = ('downlink', 'uplink')
PROFILES_UP_TO = 384_000  # the profiles' range; above, minth is beyond the table's buffers
UNITS = {'': 1, 'k': 10**3, 'M': 10**6, 'G': 10**9}


class CellError(Exception):
    pass


@dataclasses.dataclass
class Link:
    name: str
    number: int
    legs: dict
    warm_up: float
    seconds: float  # with the warm-up
    rate: int = 0  # bit/s, downlink


@dataclasses.dataclass
class Cell:
    link: Link
    flows: int
    congestion: str
    aqm: str
    ue: str
    downlink: dict

    @property
    def id(self):
        return f'{self.link.name}, count={self.flows}, congestion={self.congestion}, {self.aqm}'

    def bearer(self):
        return {'ue': self.ue, 'class': 'internet', 'downlink': self.downlink, 'uplink': self.link.legs['uplink']}


def bits(text):
    match = re.fullmatch(r'([\d.]+)([kMG]?)', str(text))
    if not match:
        raise CellError(f'found the rate {text!r}, expected one such as 384k or 10M')
    return int(float(match[1]) * UNITS[match[2]])


def seconds(text):
    match = re.fullmatch(r'([\d.]+)(ms|s)', str(text))
    if not match:
        raise CellError(f'found the duration {text!r}, expected one such as 40ms or 300s')
    return float(match[1]) / (1000 if match[2] == 'ms' else 1)


def put(tree, path, value):
    """A dotted key of a scenario into nested maps."""
    *folders, last = path
    for name in folders:
        tree = tree.setdefault(name, {})
    tree[last] = value


def merged(low, high):
    if not isinstance(low, dict) or not isinstance(high, dict):
        return high
    return {key: merged(low.get(key), high[key]) if key in high else low[key] for key in low | high}


class Table:
    """aqm-table.yaml and its scenario."""

    def __init__(self, path=SWEEP):
        with open(path, encoding='utf-8') as file:
            self.sweep = yaml.safe_load(file)
        with open(os.path.join(os.path.dirname(path), self.sweep['scenario']), encoding='utf-8') as file:
            self.scenario = yaml.safe_load(file)
        self.grid = self.sweep['grid']

    def one_way(self):
        """Seconds from the server to the box."""
        return seconds(self.scenario['wires']['internet']['delay'])

    def flows(self):
        return self.grid['flows.0.count']

    def links(self):
        return [self._link(number, name, settings) for number, (name, settings) in enumerate(self.grid['link'].items())]

    def _link(self, number, name, settings):
        tree = merged(self.scenario, self.sweep.get('set', {}))
        given = {}
        for key, value in settings.items():
            put(given, key.split('.'), value)
        tree = merged(tree, given)
        legs = {leg: dict(tree['classes']['bearer'][leg]) for leg in LEGS}
        return Link(name, number, legs, seconds(tree['measure_from']), seconds(tree['duration']),
                    bits(legs['downlink']['rate']))

    def aqms(self, every):
        """{name: as a bearer takes it}; `every` are those that rncd has."""
        found = {}
        for name, settings in self.grid['aqm'].items():
            value = settings['classes.bearer.downlink.aqm']
            found.update({one: one for one in every} if value == 'all' else {name: value})
        return found


def usual(aqms):
    """The cells that the table has by default."""
    return [name for name in aqms if not name.endswith('max-goodput')]


def chosen(what, names, available):
    if unknown := [name for name in names if name not in available]:
        raise CellError(f'found the {what} {unknown[0]!r}, expected of: {", ".join(map(str, available))}')
    return names


def make_cells(links, aqms, flows, congestions):
    cells = []
    for link in links:
        taken = 0
        for count in flows:
            for congestion in congestions:
                for name, aqm in aqms.items():
                    if isinstance(aqm, dict) and link.rate > PROFILES_UP_TO:
                        continue
                    # A /24 a link; .0, .1 (the server's) and .2 (the rig's own) are left out.
                    ue = f'10.45.{link.number}.{3 + taken}'
                    taken += 1
                    if taken > 250:
                        raise CellError(f'{link.name}: more than 250 cells; ask for fewer AQMs')
                    cells.append(Cell(link, count, congestion, name, ue, link.legs['downlink'] | {'aqm': aqm}))
    return cells


def batches(cells, most):
    """Cells that run at once: alike in time, and no more than `most` bit/s together."""
    made = []
    for cell in sorted(cells, key=lambda cell: (-cell.link.seconds, cell.link.rate)):
        last = made[-1] if made else None
        if (last is None or last[0].link.seconds != cell.link.seconds or last[0].link.warm_up != cell.link.warm_up
                or sum(one.link.rate for one in last) + cell.link.rate > most):
            made.append([])
        made[-1].append(cell)
    return made

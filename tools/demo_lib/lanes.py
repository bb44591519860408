"""Parallel runs of tools/demo --aqm, --ack and --proxy: a bearer, a class and a transfer each."""
import dataclasses
import re

from stage import rncd, wire

SDUS = 40  # buffer of each with --aqm, 002's
DROP_TAIL = 'drop-tail'


@dataclasses.dataclass
class Lane:
    name: str  # name of the class, which is the label of its metrics
    title: str
    aqm: str  # YAML
    pinned: bool = False  # keeps the parameters it begins with
    place: int = 0
    ack: str = ''  # YAML of its ACK stages; '' has none
    proxy: str = ''  # YAML of its proxy; '' has none

    @property
    def ue(self):
        return f'10.45.0.{2 + self.place}'

    @property
    def port(self):
        return 5201 + self.place


def policies():
    """{policy: whether it has parameters by rate}, as rncd knows them."""
    text = wire.sh(rncd.RNCD, '--help-config', 'aqm').stdout
    by_rate = set(re.findall(r'^([\w-]+) by-rate\b', text, re.M))
    return {name: name in by_rate for name in re.findall(r'^classes\.NAME\.downlink\.aqm\.([\w-]+)$', text, re.M)}


def schedulers():
    """The names of rncd's schedulers."""
    text = wire.sh(rncd.RNCD, '--help-config', 'cells').stdout
    return re.findall(r'^cells\.NAME\.scheduler\.([\w-]+)$', text, re.M)


def lanes_of(policy, by_rate):
    """The policy with and without reconfiguration, where the rate has a say in its parameters, and drop-tail."""
    if by_rate:
        aqm = f'{{{policy}: {{profile: by-rate}}}}'
        lanes = [Lane('reconfigured', f'{policy}, reconfigured', aqm),
                 Lane('kept', f'{policy}, not reconfigured', aqm, True)]
    else:
        lanes = [Lane(policy, policy, policy)] if policy != DROP_TAIL else []
    lanes.append(Lane(DROP_TAIL, DROP_TAIL, DROP_TAIL))
    return placed(lanes)


def placed(lanes):
    """Each with a UE and a port of its own."""
    for place, lane in enumerate(lanes):
        lane.place = place
    return lanes


def config(lanes, rate, link, sdus=SDUS):
    """The arguments of a Box."""
    leg = f'rate: {rate}, buffer: {{sdus: {sdus}}}, link: {link}'
    classes = ''.join(f'  {one.name}:\n    downlink: {{{leg}, aqm: {one.aqm}}}\n'
                      + (f'    uplink: {{ack: {one.ack}}}\n' if one.ack else '')
                      + (f'    proxy: {one.proxy}\n' if one.proxy else '') for one in lanes)
    return {'classes': classes,
            'bearers': 'bearers:\n' + ''.join(f'  - {{ue: {one.ue}, class: {one.name}}}\n' for one in lanes)}

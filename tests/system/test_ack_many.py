"""ACK stages on live kernel TCP, for half a minute: many connections, IPv6, half-closed ones, and stages and AQMs that
change all the while, each on a bearer of one box, at the same time. Every byte arrives with its checksum."""
import re
import time

import pytest

from box import Box, Rpc
from rig import CORE_V6, UE_V4, UE_V6, UE_V6_PREFIX, Rig
from samples import samples, total
from streams import Streams

SECONDS = 30
TOGGLED_EVERY, CHANGED_EVERY = 0.1, 0.4
STALL = 40  # seconds without a byte; the sixth retransmission timeout in a row of one flow among 64 is none
ALL = ('cubic', 'reno', 'bbr')
MANY_WINDOW, MANY_RATE, HALF, CHANGED = '10.45.0.3', '10.45.0.4', '10.45.0.5', '10.45.0.6'
TOGGLED = UE_V4
BUFFER = {'buffer': {'sdus': 200}}
WINDOW = {'window-regulator': {'form': 'ack-buffer'}}
SPACED = {'ack-rate': {'maxd': '20ms', 'maxth': '150sdu'}}
# Stages that are put on one after the other: each alone, both, none.
TOGGLES = [[WINDOW], [], [{'ack-rate': {'maxd': '100ms'}}], ['ack-rate', WINDOW], []]
LEGS = {
    TOGGLED: ({'rate': '2M'}, TOGGLES[0]),
    MANY_WINDOW: ({'rate': '8M', **BUFFER}, [WINDOW]),
    MANY_RATE: ({'rate': '8M', **BUFFER}, [SPACED]),
    HALF: ({'rate': '4M', **BUFFER}, [SPACED, WINDOW]),
    CHANGED: ({'rate': '2M', 'aqm': 'pdpc'}, ['ack-rate']),
    UE_V6_PREFIX: ({'rate': '4M', **BUFFER}, [WINDOW]),
}
# Stages and AQM, changed in one message.
CHANGES = [
    ([{'ack-rate': {'maxd': '100ms', 'maxth': '30sdu'}}], {'pdpc': {'minth': '8sdu'}}),
    ([{'ack-rate': {'maxd': '300ms', 'f2': 'formula'}}], {'pdpc': {'minth': '12sdu'}}),
    ([{'ack-rate': {'mode': 'spacing', 'maxd': '5ms'}}], 'codel'),
    ([{'window-regulator': {'form': 'static'}}], 'pdpc'),
    ([{'window-regulator': {'form': 'dynamic'}}], 'drop-tail'),
    ([WINDOW], 'pdpc'),
]


@pytest.fixture(scope='module')
def rig():
    with Rig(ues=5) as made:
        yield made


@pytest.fixture(scope='module')
def box(rig):
    with Box(rig, name='ack-many', bearers=f'bearers:\n  - {{ue: {UE_V4}, class: internet}}\n') as made:
        for ue, (downlink, stages) in LEGS.items():
            made.set_bearer(ue, downlink=downlink, uplink={'ack': stages, 'flows': {'max': 128}})
        yield made


class Seen:
    """Figures read while all transfers ran."""

    def __init__(self):
        self.most_held, self.most_flows, self.events, self.residues = {}, 0, [], set()
        self.toggles, self.changes, self.longest_call = 0, 0, 0.0

    def look(self, box):
        for ue in LEGS:
            held = sum(stage['held'] for stage in box.uplink(ue)['ack'])
            self.most_held[ue] = max(self.most_held.get(ue, 0), held)
        flows = [flow for flow in box.call('flow.list', ue=MANY_WINDOW)['items'] if flow['handshake_seen']]
        self.most_flows = max(self.most_flows, len(flows))
        assert not any(flow['asymmetric'] for flow in flows), flows
        self.residues.add(box.stats()['residue'])
        self.events.append(total(samples(box.metrics()), 'rncd_ack_events_total'))


def reconfigure(rpc, seen, ue, stages, **more):
    began = time.monotonic()
    told = rpc.call('rrc.reconfigure', bearer=ue, ack=stages, **more)
    seen.longest_call = max(seen.longest_call, time.monotonic() - began)
    assert told['lost'] == 0


def change_all_the_while(box, seen):
    """Two control connections that stay."""
    with Rpc(box.socket) as toggling, Rpc(box.socket) as changing:
        began = time.monotonic()
        while (passed := time.monotonic() - began) < SECONDS:
            if seen.toggles % 3 == 0:
                seen.look(box)
            reconfigure(toggling, seen, TOGGLED, TOGGLES[seen.toggles % len(TOGGLES)])
            seen.toggles += 1
            if passed >= seen.changes * CHANGED_EVERY:
                stages, aqm = CHANGES[seen.changes % len(CHANGES)]
                reconfigure(changing, seen, CHANGED, stages, aqm=aqm)
                seen.changes += 1
            time.sleep(max(0.0, began + seen.toggles * TOGGLED_EVERY - time.monotonic()))


@pytest.fixture(scope='module')
def ran(rig, box):
    """All transfers at once, and what was seen meanwhile; each test waits for its own."""
    streams = {
        'toggled': Streams(rig, TOGGLED, 5401, down=7_000_000),
        'many-window': Streams(rig, MANY_WINDOW, 5402, down=250_000, count=64, controls=ALL),
        'many-rate': Streams(rig, MANY_RATE, 5403, down=250_000, count=64, controls=ALL),
        'ue-half-closed': Streams(rig, HALF, 5404, down=1_000_000, count=3, controls=ALL),
        'server-half-closed': Streams(rig, HALF, 5405, up=1_000_000, count=3, controls=ALL),
        'both-ways': Streams(rig, HALF, 5406, down=1_000_000, up=1_000_000, count=3, controls=ALL),
        'ipv6': Streams(rig, UE_V6, 5407, down=1_500_000, count=3, server=CORE_V6, controls=ALL),
        'ipv6-both-ways': Streams(rig, UE_V6, 5408, down=1_000_000, up=1_000_000, count=2, server=CORE_V6,
                                  controls=ALL),
        'changed': Streams(rig, CHANGED, 5409, down=3_000_000, count=2),
    }
    seen = Seen()
    change_all_the_while(box, seen)
    yield streams, seen


GROUPS = ['many-window', 'many-rate', 'ue-half-closed', 'server-half-closed', 'both-ways', 'ipv6', 'ipv6-both-ways',
          'toggled', 'changed']


@pytest.mark.parametrize('group', GROUPS)
def test_every_byte_arrives_with_its_checksum_and_nothing_stalls(ran, group):
    silence = ran[0][group].finish()
    print(f'{group}: at most {silence:.2f} s without a byte')
    assert silence < STALL


def test_a_stage_was_toggled_every_tenth_of_a_second_and_no_change_kept_control_waiting(ran):
    seen = ran[1]
    print(f'{seen.toggles} toggles, {seen.changes} changes, the longest took {seen.longest_call:.3f} s')
    assert seen.toggles > 0.7 * SECONDS / TOGGLED_EVERY and seen.changes > 4 * len(CHANGES)
    assert seen.longest_call < SECONDS / 2


def test_stages_held_acks_on_every_bearer_and_the_account_balanced_all_the_while(ran):
    seen = ran[1]
    print(f'held at most: {seen.most_held}')
    assert min(seen.most_held.values()) > 0, seen.most_held
    assert seen.most_flows == 64
    assert seen.residues == {0}
    assert len(seen.events) > 20 and seen.events == sorted(seen.events) and seen.events[-1] > 2 * seen.events[0] > 0


def test_at_the_end_nothing_is_held_and_only_full_buffers_and_aqms_have_dropped(box, ran):
    for ue in LEGS:
        assert all(stage['held'] == 0 for stage in box.uplink(ue)['ack']), box.uplink(ue)
    metrics = samples(box.metrics())
    assert total(metrics, 'rncd_held_acks') == 0
    for stage, events in (('ack-rate', ('held', 'released')), ('window-regulator', ('held', 'released', 'edited'))):
        for event in events:
            assert total(metrics, 'rncd_ack_events_total', f'stage="{stage}"', f'event="{event}"') > 0
        held, let_go = (total(metrics, 'rncd_ack_events_total', f'stage="{stage}"', f'event="{event}"')
                        for event in ('held', 'released'))
        assert held == let_go
    assert total(metrics, 'rncd_unfollowed_segments_total') == 0
    lost = {reason for reason in box.dropped() if reason not in ('buffer_sdus', 'buffer_bytes', 'aqm')}
    assert not lost, box.dropped()
    assert re.search(r'unaccounted frames\s+0\b', box.ctl('show', 'stats').stdout)

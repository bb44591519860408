"""ACK stages on live kernel TCP: put on, changed and taken off in the middle of a download. Nothing stalls, nothing is
lost, and what the stages follow is shown."""
import json
import re
import time

import pytest

from box import Box
from rig import CORE, CORE_V4, RADIO, UE_V4
from samples import samples, total
from steady import until
from streams import Streams

RATE = 2_000_000
STALL = 40  # seconds without a byte; a few retransmission timeouts in a row are none
PORT = 5400
SPACED = {'ack-rate': {'maxd': '200ms', 'maxth': '40sdu'}}
STEEP = {'ack-rate': {'maxd': '400ms', 'minth': '5sdu', 'maxth': '30sdu'}}
WINDOW = 'window-regulator'


@pytest.fixture(scope='module')
def box(rig):
    ack = json.dumps([SPACED])
    with Box(rig, rate=RATE, uplink=f'{{ack: {ack}}}', bearers=f'bearers:\n  - {{ue: {UE_V4}, class: internet}}\n',
             name='ack') as made:
        yield made


def download(rig, seconds):
    """A download that takes the bearer this number of seconds."""
    return Streams(rig, UE_V4, PORT, down=int(seconds * RATE / 8))


def put_on(box, *stages):
    told = box.call('rrc.reconfigure', bearer=UE_V4, ack=list(stages))
    assert told['lost'] == 0
    return [stage['stage'] for stage in box.uplink(UE_V4)['ack']]


def flow_of(flows):
    found = [flow for flow in flows if flow['peer_port'] == PORT and flow['state'] != 'over']
    assert len(found) == 1, flows
    return found[0]


def in_kernel(text, pattern):
    found = re.search(pattern, text)
    assert found, text
    return [float(number) for number in found.groups()]


@pytest.mark.parametrize('stage', [SPACED, WINDOW], ids=['ack-rate', 'window-regulator'])
def test_a_download_is_shown_with_the_scale_the_windows_and_the_times_that_its_ends_see(rig, box, stage):
    put_on(box, stage)
    fetched, before = download(rig, 4), box.downlink(UE_V4)['delivered_sdus']
    assert until(lambda: box.downlink(UE_V4)['delivered_sdus'] > before + 350)
    at_source, at_ue = fetched.sockets(CORE), fetched.sockets(RADIO)
    flow = flow_of(box.call('flow.list', ue=UE_V4)['items'])
    in_json = json.loads(box.ctl('--json', 'show', 'flows', UE_V4).stdout)
    shown, bearer = box.ctl('show', 'flows', UE_V4, '--wide').stdout, box.ctl('show', 'bearer', UE_V4).stdout
    print(shown, at_source, sep='')
    assert fetched.finish() < STALL
    assert flow['state'] == 'closing', 'the UE has said all it has to say'
    assert flow['handshake_seen'] and not flow['asymmetric'], flow
    assert flow['sack'] and flow['timestamps'] and flow['mss'] == 1460
    scale = int(in_kernel(at_ue, r'wscale:\d+,(\d+)')[0])
    assert flow['scale'] == scale, (flow, at_ue)
    rtt = in_kernel(at_source, r' rtt:([\d.]+)/')[0] / 1000
    # The source's has beside the two the time for which ACKs are held.
    least = 0.3 * rtt if stage == WINDOW else 0
    assert least < flow['rtt_seconds']['radio'] < 1.5 * rtt, (flow, at_source)
    assert 0 < flow['rtt_seconds']['core'] < max(0.05, 0.5 * rtt), (flow, at_source)
    # The window that the source received last; it may have grown since.
    told = in_kernel(at_source, r'snd_wnd:(\d+)')[0]
    assert 0.5 * told <= flow['window_bytes']['told'] <= 2 * told, (flow, at_source)
    assert flow['window_bytes']['told'] <= flow['window_bytes']['ue']
    assert 0 < flow['pipe_bytes'] + flow['outstanding_bytes'] <= 60 * 1500, flow
    assert flow_of(in_json['items']).keys() == flow.keys()
    row = next(line for line in shown.splitlines() if f'{CORE_V4}:{PORT}' in line and ' over ' not in line)
    assert re.search(r'closing\s+[1-9]\d*\s', row) and f' {scale} ' in row, shown
    name = stage if isinstance(stage, str) else 'ack-rate'
    assert re.search(rf'{name}\s+\d+\s', bearer), bearer


def test_stages_come_change_and_go_during_a_download_without_a_stall(rig, box):
    put_on(box)
    fetched = download(rig, 6)
    steps = [[SPACED], [STEEP], [], [STEEP], [WINDOW], ['ack-rate', WINDOW], ['ack-rate'], [SPACED], []]
    seen = 0
    while fetched.running():
        stages = steps[seen % len(steps)]
        assert len(put_on(box, *stages)) == len(stages)
        assert box.stats()['residue'] == 0
        seen += 1
        time.sleep(0.25)
    assert seen >= 2 * len(steps)
    assert fetched.finish() < STALL
    put_on(box)
    assert total(samples(box.metrics()), 'rncd_held_acks') == 0
    lost = {reason for reason in box.dropped() if reason not in ('buffer_sdus', 'buffer_bytes')}
    assert not lost, box.dropped()


def test_without_stages_no_flow_is_followed_and_it_is_said(box):
    put_on(box)
    assert 'no ACK stages' in box.ctl('show', 'flows', UE_V4).stdout
    assert not box.call('flow.list', ue=UE_V4)['followed']
    refused = box.ctl('rrc', UE_V4, '--ack', 'ack-rate,ack-rate', check=False)
    assert refused.returncode == 1 and 'twice' in refused.stderr, refused

"""rncctl capture, read by tshark: frames in pairs, drops with what happened, PDUs of RLC, and how a capture ends."""
import json
import os
import signal
import subprocess
import time

import pytest

from box import RNCCTL, Box, Rpc, RpcError, sh
from rig import CORE, CORE_V4, PATIENCE, UE_V4, Rig
from steady import until

CLASSES = '''\
  internet: {downlink: {rate: 400k, buffer: {sdus: 5}, aqm: codel}}
  air:
    downlink: {rate: 1M, buffer: {sdus: 50}, link: am}
    uplink: {rate: 1M, buffer: {sdus: 50}, link: am}
  shared:
    downlink: {rate: 10M, buffer: {sdus: 50}, link: cell}
'''
OTHER_UE = '10.45.0.3'
BEARERS = f'''\
cells:
  sector-1: {{slots: 500, members: 2}}
bearers:
  - {{ue: {UE_V4}, class: internet}}
  - {{ue: {OTHER_UE}, class: shared, cell: sector-1}}
'''
FIELDS = ('frame.interface_name', 'frame.packet_flags_direction', 'frame.packet_id', 'frame.comment', 'frame.cap_len',
          'frame.len', 'ip.src')


@pytest.fixture(scope='module')
def rig():
    with Rig(ues=2) as made:
        yield made


@pytest.fixture(scope='module')
def box(rig, tmp_path_factory):
    public = str(tmp_path_factory.mktemp('capture') / 'public.sock')
    with Box(rig, classes=CLASSES, bearers=BEARERS, name='capture',
             arguments=('--set', f'control.read_only={public}')) as made:
        made.public = public
        yield made


def tshark(path, *options, fields=FIELDS):
    """A row a frame. Fields that occur several times are joined with semicolons."""
    names = [word for field in fields for word in ('-e', field)]
    out = sh('/usr/bin/tshark', '-n', '-r', path, *options, '-T', 'fields', '-E', 'separator=|', '-E', 'aggregator=;',
             *names, timeout=60).stdout
    return [dict(zip(fields, line.split('|'))) for line in out.splitlines()]


class Capture:
    """A running `rncctl capture`."""

    def __init__(self, box, path, *words):
        events = box.call('event.list', limit=1)['last']
        self.box, self.path = box, str(path)
        self.process = subprocess.Popen([RNCCTL, '-s', box.socket, 'capture', *words, '-w', self.path],
                                        stderr=subprocess.PIPE, text=True)
        until(lambda: box.call('event.list', after=events, event='capture.start')['items'], PATIENCE)

    def stop(self):
        """Its frames as tshark reads them."""
        self.process.send_signal(signal.SIGINT)
        self.said = self.process.communicate(timeout=PATIENCE)[1]
        assert self.process.returncode == 0, self.said
        return tshark(self.path)


def of_icmp(rows):
    return [row for row in rows if row['ip.src']]


def test_frames_of_a_ue_come_in_pairs_with_time_and_direction(rig, box, tmp_path):
    capture = Capture(box, tmp_path / 'ue.pcapng', UE_V4)
    rig.ping(CORE, count=4, interval=0.05)
    rows = of_icmp(capture.stop())
    assert '0 lost' in capture.said and 'ended: stopped' in capture.said
    points = {}
    for row in rows:
        points.setdefault(row['frame.packet_id'], []).append(row)
        assert row['frame.packet_flags_direction'] == ('0x00000001' if row['frame.interface_name'].endswith('-in')
                                                       else '0x00000002')
    pairs = [[row['frame.interface_name'] for row in copies] for copies in points.values()]
    assert sorted(pairs) == 4 * [['core-in', 'radio-out']] + 4 * [['radio-in', 'core-out']]
    waited = [row['frame.comment'] for row in rows if row['frame.interface_name'] == 'radio-out']
    assert all(comment.startswith('waited ') and comment.endswith(' ms') for comment in waited), waited


def test_the_stream_goes_to_tshark_while_it_runs(rig, box):
    with subprocess.Popen(f'{RNCCTL} -s {box.socket} capture {UE_V4} --frames 8 -w - | /usr/bin/tshark -n -l -r -',
                          shell=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as piped:
        until(lambda: any(e['event'] == 'capture.start' for e in box.call('event.list', limit=5)['items']), PATIENCE)
        time.sleep(0.2)
        rig.ping(CORE, count=2, interval=0.05)
        lines = piped.communicate(timeout=PATIENCE)[0].splitlines()
    assert len(lines) == 8 and sum('Echo (ping) request' in line for line in lines) == 4


def test_a_dropped_frame_says_why_and_everything_that_came_is_accounted_for(rig, box, tmp_path):
    capture = Capture(box, tmp_path / 'drops.pcapng', UE_V4, '--snaplen', '200')
    rig.run(CORE, 'ping', '-n', '-q', '-i', '0.005', '-c', '60', '-s', '1000', '-W', '1', UE_V4, check=False)
    time.sleep(0.5)
    rows = of_icmp(capture.stop())
    count = {}
    for row in rows:
        count[row['frame.interface_name']] = count.get(row['frame.interface_name'], 0) + 1
        assert int(row['frame.cap_len']) <= 200
    assert count['core-in'] == count['radio-out'] + count['dropped'] == 60
    assert count['radio-in'] == count['core-out']
    dropped = [row for row in rows if row['frame.interface_name'] == 'dropped']
    came = {row['frame.packet_id'] for row in rows if row['frame.interface_name'] == 'core-in'}
    left = {row['frame.packet_id'] for row in rows if row['frame.interface_name'] == 'radio-out'}
    assert {row['frame.packet_id'] for row in dropped} == came - left
    for row in dropped:
        assert row['frame.comment'].startswith(('dropped: aqm codel, ', 'dropped: buffer_sdus, ')), row
        assert ', BO ' in row['frame.comment']


def test_drops_ports_and_filters_choose_frames(rig, box, tmp_path):
    captures = [Capture(box, tmp_path / 'drops', '--drops'),
                Capture(box, tmp_path / 'port', '--port', 'core', '--filter', 'icmp[icmptype] = icmp-echoreply'),
                Capture(box, tmp_path / 'none', UE_V4, '--filter', 'tcp port 443')]
    rig.ping(CORE, count=3, interval=0.05)
    drops, port, none = (capture.stop() for capture in captures)
    assert drops == none == []
    assert [row['frame.interface_name'] for row in port] == ['core-out'] * 3
    assert {row['ip.src'] for row in port} == {UE_V4}


def test_a_cell_has_the_frames_of_its_members(rig, box, tmp_path):
    capture = Capture(box, tmp_path / 'cell', '--cell', 'sector-1')
    for ue in (UE_V4, OTHER_UE):
        rig.run(CORE, 'ping', '-n', '-q', '-i', '0.05', '-c', '2', '-W', '2', ue)
    rows = of_icmp(capture.stop())
    assert len(rows) == 2 * 4 and {row['ip.src'] for row in rows} == {OTHER_UE, CORE_V4}
    assert len({row['frame.packet_id'] for row in rows}) == 4


def test_pdus_of_rlc_are_dissected(rig, box, tmp_path):
    box.call('bearer.remove', ue=UE_V4)
    box.call('bearer.set', ue=UE_V4, **{'class': 'air'})
    try:
        capture = Capture(box, tmp_path / 'air', UE_V4)
        rig.ping(CORE, count=3, interval=0.1)
        capture.stop()
        heuristic = ('--enable-heuristic', 'rlc_udp')
        pdus = tshark(capture.path, *heuristic, '-Y', 'rlc.seq',
                      fields=('frame.interface_name', 'frame.packet_flags_direction', 'rlc.seq', '_ws.malformed'))
        assert len(pdus) >= 2 * 3 * 2 and {row['frame.interface_name'] for row in pdus} == {'rlc'}
        assert {row['frame.packet_flags_direction'] for row in pdus} == {'0x00000001', '0x00000002'}
        assert not any(row['_ws.malformed'] for row in pdus)
        numbers = [int(row['rlc.seq']) for row in pdus if row['frame.packet_flags_direction'] == '0x00000002']
        assert numbers[:4] == [0, 1, 2, 3]
        pairs = {}
        for row in tshark(capture.path):
            if row['frame.packet_id']:
                pairs.setdefault(row['frame.packet_id'], []).append(row['frame.interface_name'])
        assert sorted(pairs.values()) == 3 * [['core-in', 'radio-out']] + 3 * [['radio-in', 'core-out']]
    finally:
        box.call('bearer.remove', ue=UE_V4)
        box.call('bearer.set', ue=UE_V4, **{'class': 'internet'})


def test_a_connection_has_one_capture_and_the_read_only_socket_none(box):
    with Rpc(box.socket) as one, Rpc(box.socket) as other, Rpc(box.public) as curious:
        begun = one.call('capture.start', ue=UE_V4, seconds=60)
        assert begun['bearer'] is True and begun['snaplen'] == 128
        for asked, method, params, words in (
                (one, 'capture.start', {'drops': True}, 'a capture of this connection'),
                (other, 'capture.read', {'id': begun['id']}, 'on this connection'),
                (other, 'capture.stop', {'id': begun['id']}, 'on this connection'),
                (other, 'capture.start', {}, 'ue'),
                (other, 'capture.start', {'port': 'west'}, 'core or radio'),
                (other, 'capture.start', {'cell': 'west'}, 'no cell'),
                (other, 'capture.start', {'drops': True, 'filter': [[6, 0, 0]]}, 'instructions'),
                (other, 'capture.start', {'drops': True, 'filter': [[5, 0, 0, 4294967295], [6, 0, 0, 0]]}, 'program'),
                (other, 'capture.start', {'drops': True, 'snaplen': 1}, '64 to 65535'),
                (curious, 'capture.start', {'ue': UE_V4}, 'only methods that read'),
                (curious, 'capture.read', {'id': begun['id']}, 'only methods that read')):
            with pytest.raises(RpcError) as refused:
                asked.call(method, **params)
            assert words in str(refused.value), (method, params)


def test_a_client_that_leaves_ends_its_capture(box):
    before = box.call('event.list', limit=1)['last']

    def ended():
        return box.call('event.list', after=before, event='capture_ended')['items']
    with Rpc(box.socket) as one:
        begun = one.call('capture.start', ue='10.45.9.9', seconds=3600)
        assert begun['bearer'] is False
        assert not ended()
    until(ended, PATIENCE)
    assert ended()[0]['fields']['why'] == 'client left' and ended()[0]['fields']['for'] == '10.45.9.9'


def test_a_capture_ends_with_its_time(box, tmp_path):
    done = sh(RNCCTL, '-s', box.socket, '--json', 'capture', '--port', 'radio', '--seconds', '1', '-w',
              str(tmp_path / 'brief'))
    assert json.loads(done.stdout)['why'] == 'time'
    assert os.path.getsize(tmp_path / 'brief') > 0

"""rncctl's tables: they fit a terminal, and are sorted, filtered and cut as asked."""
import json
import re

import pytest

from box import Box
from rig import UE_V4

LONG = 'gold-plated-subscribers-of-the-northern-region-with-a-long-name'
UE_V6, LONG_UE = '2001:db8:1234:5678::/64', '2001:db8:ffff:ffff::/64'
CLASSES = f'''\
  {LONG}:
    downlink: {{rate: 1234567k, buffer: {{sdus: 1000}}, aqm: {{sbd: {{profile: by-rate}}}}}}
    uplink: {{rate: 384k, ack: [snoop, ack-rate]}}
  relayed:
    downlink: {{rate: 8M}}
    proxy: split
  air:
    downlink: {{rate: 384k, queue: sfp, link: {{am: {{}}}}}}
    uplink: {{rate: 64k, link: {{am: {{}}}}}}
  sector:
    downlink: {{rate: 50M, link: {{cell: {{radio: {{constant: {{rate: 12M}}}}}}}}}}
'''
MORE = 'cells: {a-cell-with-a-name-that-is-longer-than-its-column-can-be: {slots: 1000, members: 4}}\n'
CELL = MORE.split('{')[1].split(':', maxsplit=1)[0]
BEARERS = f'''\
bearers:
  - {{ue: {UE_V4}, class: {LONG}}}
  - {{ue: {UE_V6}, class: {LONG}}}
  - {{ue: {LONG_UE}, class: air}}
  - {{ue: 10.45.0.8, class: relayed}}
  - {{ue: 10.45.0.9, class: sector, cell: {CELL}}}
'''
VIEWS = ['bearers', *(f'bearer {ue}' for ue in (UE_V4, UE_V6, LONG_UE, '10.45.0.8', '10.45.0.9')), f'flows {UE_V4}', 'tunnels',
         'cells', f'cell {CELL}', 'workers', 'drops', 'ports', 'classes', 'mode', 'stats', 'methods', 'version', 'profile',
         'profile by-rate --policy sbd --rate 768k']
LISTS = ['bearers', f'flows {UE_V4}', 'tunnels', 'cells', 'workers', 'drops', 'ports', 'classes', 'methods', 'profile']


@pytest.fixture(scope='module', name='box')
def fixture_box(rig):
    with Box(rig, classes=CLASSES, bearers=BEARERS, more=MORE, name='tables') as made:
        yield made


@pytest.mark.parametrize('view', VIEWS)
def test_each_view_fits_a_terminal(box, view):
    lines = box.ctl('show', *view.split()).stdout.splitlines()
    assert lines and [line for line in lines if len(line) > 80] == []


def test_the_table_of_proxies_fits_a_terminal(box):
    lines = box.ctl('proxy', 'show').stdout.splitlines()
    assert len(lines) > 1 and [line for line in lines if len(line) > 80] == []


def test_a_name_that_is_cut_stands_in_full_in_the_wide_table_and_in_json(box):
    assert LONG not in box.ctl('show', 'bearers').stdout
    wide = box.ctl('show', 'bearers', '--wide').stdout
    assert LONG in wide and 'UP QUEUE MS' in wide and '1.23 Gbit/s' in wide
    assert LONG in box.ctl('--json', 'show', 'bearers').stdout
    assert box.ctl('show', 'bearers', '--columns', 'class', '--where', f'ue={UE_V4}').stdout == f'CLASS\n{LONG}\n'


@pytest.mark.parametrize('view', LISTS)
def test_each_list_has_one_shape_in_json(box, view):
    shown = json.loads(box.ctl('--json', 'show', *view.split()).stdout)
    assert isinstance(shown['items'], list) and shown['next'] is None


@pytest.mark.parametrize('method, params', [
    ('bearer.list', {}), ('flow.list', {'ue': UE_V4}), ('tunnel.list', {}), ('cell.list', {}), ('event.list', {'after': 0}),
    ('profile.get', {}), ('proxy.show', {}), ('rpc.methods', {})])
def test_each_method_that_lists_answers_in_one_shape(box, method, params):
    answer = box.call(method, **params)
    assert isinstance(answer['items'], list) and answer['next'] is None


def test_rows_are_sorted_and_filtered_by_their_values(box):
    def rates(*words):
        return box.ctl('show', 'bearers', '--columns', 'rate', *words).stdout.split('\n')[1:-1]
    assert [rate.strip() for rate in rates('--by', 'rate')] == [
        '1.23 Gbit/s', '1.23 Gbit/s', '50 Mbit/s', '8 Mbit/s', '384 kbit/s']
    assert rates('--by', 'rate', '--reverse') == rates('--by', '-rate') == rates('--by', 'rate')[::-1]
    assert [rate.strip() for rate in rates('--where', 'rate>8M', '--where', 'class=sector')] == ['50 Mbit/s']
    unknown = box.ctl('show', 'bearers', '--by', 'ratte', check=False)
    assert unknown.returncode == 2 and 'did you mean `rate`?' in unknown.stderr and 'queue_ms' in unknown.stderr


def test_a_limited_list_goes_on_at_its_cursor(box):
    first = json.loads(box.ctl('--json', 'show', 'bearers', '--limit', '3').stdout)
    rest = json.loads(box.ctl('--json', 'show', 'bearers', '--limit', '3', '--cursor', first['next']).stdout)
    assert [one['ue'] for one in first['items'] + rest['items']] == [
        UE_V4, '10.45.0.8', '10.45.0.9', UE_V6, LONG_UE]
    assert rest['next'] is None
    said = box.ctl('show', 'bearers', '--limit', '3').stderr
    assert 'there are more bearers' in said and first['next'] in said


def test_colours_are_for_terminals(box):
    assert '\x1b' not in box.ctl('show', 'bearers').stdout
    painted = box.ctl('--color', 'always', 'show', 'bearers').stdout
    assert '\x1b[1mCLASS\x1b[0m' in painted
    assert re.sub('\x1b\\[[0-9;]*m', '', painted) == box.ctl('show', 'bearers').stdout

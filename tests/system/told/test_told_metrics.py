"""The metrics of rncd-told, compared with control/REFERENCE.md, and the alerts of docker/prometheus/rules.yml."""
import os
import re

import pytest
import yaml

from box import ROOT, Box
from rig import sh
from steady import until
from told import Told, nas_of
import radius

REFERENCE = os.path.join(ROOT, 'control', 'REFERENCE.md')
RULES = os.path.join(ROOT, 'docker', 'prometheus', 'rules.yml')
HEAD = '| metric | type | labels | meaning |\n| --- | --- | --- | --- |\n'
CLASSES = '  internet: {downlink: {rate: 8M}, uplink: {rate: 1M}}\n'
UP = 'up{job="rncd-told", instance="a"}'
STRANGERS = 'rncd_told_messages_total{kind="datagram", result="unknown_source"}'


@pytest.fixture(scope='module')
def page(rig, tmp_path_factory):
    with Box(rig, device='af_packet', classes=CLASSES, name='toldmetrics') as box:
        with Told(rig, box, tmp_path_factory.mktemp('told')) as told, nas_of(rig) as nas:
            nas.account(radius.START, '10.50.0.2', 'a', radius.rates(2_000_000, 4_000_000))
            assert until(lambda: 'kind="start"' in told.metrics())
            yield told.metrics()


def labels_of(page, family):
    """The labels of its first series, but that of buckets."""
    first = re.search(rf'^{family}(?:_bucket)?(?:{{(.*?)}})? ', page, re.MULTILINE)
    return [label for label in re.findall(r'(\w+)="', first[1] or '') if label != 'le']


def test_the_reference_has_all_metrics_of_rncd_told(page):
    meanings = dict(re.findall(r'^# HELP (\w+) (.*)$', page, re.MULTILINE))
    table = HEAD + ''.join(f'| `{family}` | {kind} | {", ".join(labels_of(page, family))} | {meanings[family]} |\n'
                           for family, kind in re.findall(r'^# TYPE (\w+) (\w+)$', page, re.MULTILINE))
    with open(REFERENCE, encoding='utf-8') as file:
        before, begin, rest = file.read().partition('<!-- told_metrics: begin -->\n')
    found, end, after = rest.partition('<!-- told_metrics: end -->')
    assert begin and end
    if 'RNCD_WRITE_REFERENCE' in os.environ:
        with open(REFERENCE, 'w', encoding='utf-8') as file:
            file.write(before + begin + table + end + after)
        return
    assert found == table, 'write it anew: RNCD_WRITE_REFERENCE=1, with this test'


def test_promtool_finds_nothing_to_complain_about(page):
    done = sh('promtool', 'check', 'metrics', stdin=None, input=page, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, '')


@pytest.mark.parametrize('alert, series, values, minutes', [
    ('RncdToldDown', UP, '1x3 0x20', 10),
    (None, UP, '0x20', 10),  # a host that has never had rncd-told
    ('RncdToldNotConnected', 'rncd_told_connected', '1x3 0x20', 10),
    (None, 'rncd_told_connected', '1x3 0 1x20', 4),
    ('RncdToldDrift', 'rncd_told_drift', '0x3 7x20', 10),
    (None, 'rncd_told_drift', '0x3 7 0x20', 4),
    ('RncdToldRefused', 'rncd_told_refusals_total', '0x3 1x20', 5),
    (None, 'rncd_told_refusals_total', '5x20', 10),
    ('RncdToldStrangers', STRANGERS, '0+3x20', 10),
    (None, STRANGERS.replace('unknown_source', 'duplicate'), '0+3x20', 10),
    ('RncdToldDatagramsLost', 'rncd_told_dropped_datagrams_total{source="pfcp"}', '0x3 9x20', 5),
    ('RncdToldSessionsNotTaken', 'rncd_told_sessions_not_taken_total{source="pfcp"}', '0x3 9x20', 5)])
def test_an_alert_is_raised_by_what_it_is_about_and_only_by_that(tmp_path, alert, series, values, minutes):
    with open(RULES, encoding='utf-8') as file:
        names = [rule['alert'] for group in yaml.safe_load(file)['groups'] for rule in group['rules']]
    assert alert is None or alert in names
    samples = [{'labels': f'{{alertname="{alert}", alertstate="firing"}}', 'value': 1}] if alert else []
    test = {'rule_files': [RULES], 'tests': [{
        'interval': '1m', 'input_series': [{'series': series, 'values': values}],
        'promql_expr_test': [{'expr': 'count by (alertname, alertstate) (ALERTS{alertstate="firing"})',
                              'eval_time': f'{minutes}m', 'exp_samples': samples}]}]}
    path = tmp_path / 'alerts.yml'
    path.write_text(yaml.safe_dump(test))
    sh('promtool', 'test', 'rules', str(path))

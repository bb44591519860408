#!/usr/bin/python3
"""The dashboard is as docker/grafana/make_dashboard.py writes it, and shows every metric of control/REFERENCE.md but
those of UNSHOWN. Each panel lies in a row, under a title of its own, with a unit and a description. Queries of panels
and alerts name metrics and labels that there are; those of panels select the instance.
"""
import json
import os
import re
import sys

from common import ROOT, main, prove, read

sys.path.insert(0, os.path.join(ROOT, 'docker', 'grafana'))
from make_dashboard import text as generated

DASHBOARD, ALERTS, REFERENCE = 'docker/grafana/dashboards/rncd.json', 'docker/prometheus/rules.yml', 'control/REFERENCE.md'
TABLES = 'metrics', 'told_metrics'  # those of rncd and of rncd-told
METRIC = re.compile(r'\b((?:rncd|process)_\w+)(?:\{([^}]*)\})?')
KNOWN = re.compile(r'^\| `(\w+)` \| (\w+) \| ([\w, ]*) \|', re.MULTILINE)
SUFFIXES = {'histogram': ('_bucket', '_sum', '_count'), 'summary': ('_sum', '_count')}
ADDED = {'instance', 'le'}  # labels that Prometheus adds, and the one of buckets
UNSHOWN = dict.fromkeys(['rncd_dropped_bytes_total', 'rncd_passed_bytes_total', 'rncd_created_bytes_total',
                         'rncd_wire_bytes_total'], 'the frames of it are shown')
UNSHOWN['rncd_worker_busy_seconds_total'] = 'rncd_worker_busy_ratio is shown'
UNSHOWN['rncd_wire_changed_seconds'] = 'the curves of rncd_failovers_total and rncd_bypass_active show when'


def known():
    """{name of a series: (family, its labels)} of the reference."""
    text = read(REFERENCE)
    tables = [text.split(f'<!-- {name}: begin -->')[1].split(f'<!-- {name}: end -->')[0] for name in TABLES]
    return {family + suffix: (family, set(labels.split(', ')) - {''})
            for table in tables for family, kind, labels in KNOWN.findall(table) for suffix in SUFFIXES.get(kind, ('',))}


def selectors(text):
    return set(re.findall(r'(\w+)\s*(?:=~|!~|!=|=)\s*"', text or ''))


def of_query(query):
    """Complaints about the metrics and labels of a query."""
    there = set(ADDED)
    for name, own in METRIC.findall(query):
        if name not in SERIES:
            yield f'{REFERENCE} has no metric {name}'
            continue
        there |= SERIES[name][1]
        for label in selectors(own) - SERIES[name][1] - ADDED:
            yield f'{name} has no label {label}'
    for kept in re.findall(r'\bby \(([^)]*)\)', query):
        for label in set(kept.split(', ')) - there:
            yield f'by ({kept}): no metric of the query has the label {label}'


def of_target(target):
    query, legend = target['expr'], target['legendFormat']
    yield from of_query(query)
    named = METRIC.findall(query)
    if not named:
        yield 'a query names no metric'
    for name, own in named:
        if 'instance=~"$instance"' not in own:
            yield f'{name} lacks {{instance=~"$instance"}}'
    there = ADDED.union(*(SERIES[name][1] for name, _ in named if name in SERIES))
    for label in set(re.findall(r'{{(\w+)}}', legend)) - there:
        yield f'the legend has {{{{{label}}}}}, which no metric of the query has'
    if '{{instance}}' not in legend:
        yield 'the legend lacks {{instance}}'


def panels(dashboard):
    """(panel, True if it lies in a row). Panels of an open row follow it; a collapsed row holds its own."""
    row = None
    for panel in dashboard['panels']:
        if panel['type'] == 'row':
            row = panel
            yield from ((inner, bool(row['collapsed'])) for inner in row['panels'])
        else:
            yield panel, row is not None and not row['collapsed']


def of_dashboard(dashboard):
    titles = set()
    for panel, in_row in panels(dashboard):
        complaints = [why for target in panel['targets'] for why in of_target(target)]
        complaints += [] if in_row else ['lies in no row']
        complaints += ['there is another panel of that title'] if panel['title'] in titles else []
        complaints += [f'has no {what}' for what, there in (('description', panel.get('description')),
                                                            ('unit', panel['fieldConfig']['defaults'].get('unit')))
                       if not there]
        titles.add(panel['title'])
        yield from (f'{panel["title"]}: {why}' for why in complaints)


def check(path, text):
    if path == ALERTS:
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip().startswith('expr:'):
                yield from ((number, why) for why in of_query(line))
    else:
        yield from ((1, why) for why in of_dashboard(json.loads(text)))


def whole(path, text):
    """Complaints about a file in the tree: those of an example, and what concerns the whole file."""
    yield from check(path, text)
    if path == ALERTS:
        return
    if text != generated():
        yield 1, 'not as it is written from rows.py: run docker/grafana/make_dashboard.py'
    shown = {SERIES[name][0] for name, _ in METRIC.findall(text.replace('\\"', '"')) if name in SERIES}
    for family in sorted({family for family, _ in SERIES.values()} - shown - UNSHOWN.keys()):
        yield 1, f'no panel shows {family}: add one to docker/grafana/rows.py, or a reason to UNSHOWN'
    for family in sorted(UNSHOWN.keys() & shown):
        yield 1, f'{family} is shown, and in UNSHOWN'


def example(expr, legend='{{instance}}', row=({'type': 'row', 'collapsed': False, 'panels': []},), **other):
    panel = {'type': 'stat', 'title': 'a', 'description': 'b', 'fieldConfig': {'defaults': {'unit': 'short'}},
             'targets': [{'expr': expr, 'legendFormat': legend}]} | other
    return DASHBOARD, json.dumps({'panels': [*row, panel]})


SERIES = known()
GOOD_QUERY = 'sum by (instance, port) (rate(rncd_sent_frames_total{instance=~"$instance"}[1m]))'
BAD = [
    example('rncd_mbufs'),
    example('rncd_mbufs{instance="$instance"}'),
    example('rncd_mbufs{instance=~"$instance"} / rncd_bearers'),
    example('time()'),
    example('rncd_nothing{instance=~"$instance"}'),
    example('rncd_mbufs{port="core", instance=~"$instance"}'),
    example('rncd_sojourn_seconds{instance=~"$instance"}'),
    example(GOOD_QUERY.replace('port', 'class')),
    example(GOOD_QUERY, '{{class}} {{instance}}'),
    example(GOOD_QUERY, '{{port}}'),
    example(GOOD_QUERY, row=()),
    example(GOOD_QUERY, row=({'type': 'row', 'collapsed': True, 'panels': []},)),
    example(GOOD_QUERY, description=''),
    example(GOOD_QUERY, fieldConfig={'defaults': {}}),
    (DASHBOARD, json.dumps({'panels': json.loads(example(GOOD_QUERY)[1])['panels'] * 2})),
    (ALERTS, '        expr: rncd_nothing == 0\n'),
    (ALERTS, '        expr: sum by (class) (rncd_port_up) == 0\n'),
]
GOOD = [
    example(GOOD_QUERY, '{{port}} {{instance}}'),
    (ALERTS, '        expr: up{job="rncd"} == 0\n        expr: sum by (port) (rncd_port_up) > 0\n'),
]

if __name__ == '__main__':
    prove(check, BAD, GOOD)
    main(whole, [DASHBOARD, ALERTS], [])

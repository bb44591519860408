#!/usr/bin/python3
"""Writes dashboards/rncd.json, a panel a line, from rows.py. Change rows.py, run this, and commit both;
tools/lint/dashboard.py compares them."""
import json
import os

from panels import SOURCE
from rows import ROWS

RESULT = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'dashboards', 'rncd.json')
WIDTH = 24  # a row's, in Grafana's units


def variable(name, label, query, everything=None):
    """Values of a label to choose from. `everything`: what All stands for, if not for the values themselves."""
    made = {'name': name, 'label': label, 'type': 'query', 'datasource': SOURCE, 'query': query, 'refresh': 2,
            'sort': 1, 'multi': True, 'includeAll': True, 'current': {'text': ['All'], 'value': ['$__all']}}
    return made | ({'allValue': everything} if everything else {})


# All instances, of rncd and of rncd-told, are their names: other programs have process_start_time_seconds too.
VARIABLES = [
    {'name': 'datasource', 'label': 'Data source', 'type': 'datasource', 'query': 'prometheus'},
    variable('instance', 'Instance', 'label_values({__name__=~"rncd_build_info|rncd_told_build_info"}, instance)'),
    variable('class', 'Class', 'label_values(rncd_bearers{instance=~"$instance"}, class)', '.*'),
    variable('cell', 'Cell', 'label_values(rncd_cell_members{instance=~"$instance"}, cell)', '.*'),
]
FRAME = {'uid': 'rncd', 'title': 'rncd', 'schemaVersion': 39, 'refresh': '5s', 'time': {'from': 'now-15m', 'to': 'now'},
         'timezone': 'browser', 'templating': {'list': VARIABLES}}


def placed(panels, y):
    """The panels from left to right, and below where a line is full; and the y below them."""
    x, height, out = 0, 0, []
    for panel in panels:
        size = panel['gridPos']
        if x + size['w'] > WIDTH or height not in (0, size['h']):
            x, y, height = 0, y + height, 0
        out.append(panel | {'gridPos': {'x': x, 'y': y} | size})
        x, height = x + size['w'], size['h']
    return out, y + height


def laid_out():
    """Panels of an open row follow it; a collapsed row holds its own."""
    y, out = 0, []
    for row in ROWS:
        panels, below = placed(row.panels, y + 1)
        out.append({'type': 'row', 'title': row.title, 'collapsed': row.collapsed,
                    'gridPos': {'x': 0, 'y': y, 'w': WIDTH, 'h': 1}, 'panels': panels if row.collapsed else []})
        out += [] if row.collapsed else panels
        y = y + 1 if row.collapsed else below
    return out


def text():
    """Panels have a line each, also those in a collapsed row."""
    identity = iter(range(1, 1000))

    def line(panel):
        inner = panel.pop('panels', None)
        opened = json.dumps({'id': next(identity)} | panel)
        if inner is None:
            return opened
        return opened[:-1] + ', "panels": [' + ','.join('\n' + line(one) for one in inner) + ']}'
    panels = ',\n'.join(line(dict(panel)) for panel in laid_out())
    return json.dumps(FRAME, indent=2)[:-2] + ',\n  "panels": [\n' + panels + '\n  ]\n}\n'


if __name__ == '__main__':
    with open(RESULT, 'w', encoding='utf-8') as file:
        file.write(text())

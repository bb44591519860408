"""The words of rows.py: queries, panels and rows.

A query names metrics plainly: `rate(rncd_sent_bytes_total[])`. Each metric gets the selector of the instance, each
aggregation keeps the instance, [] becomes [$__rate_interval], and each legend ends with the instance.
"""
import dataclasses
import re

SOURCE = {'type': 'prometheus', 'uid': '${datasource}'}
METRIC = re.compile(r'\b((?:rncd|process)_\w+)(?:\{([^}]*)\})?')
KEPT = re.compile(r'\bby \(')
MOST = 10  # series of a query and an instance; the largest
# The variables of the dashboard that choose among the values of a label.
CHOSEN = {'class': 'class=~"$class"', 'cell': 'cell=~"$cell"'}
LEGENDS = {'worker': 'worker {{worker}}', 'responder': 'to {{responder}}'}


@dataclasses.dataclass
class Query:
    expr: str
    legend: str


@dataclasses.dataclass
class Row:
    title: str
    panels: list
    collapsed: bool = False


def selected(metric, labels):
    """The metric with the selectors of the variables that choose among its labels."""
    name, _, own = metric.partition('{')
    chosen = [own.rstrip('}')] if own else []
    chosen += [CHOSEN[label] for label in labels if label in CHOSEN]
    return f'{name}{{{", ".join(chosen)}}}' if chosen else name


def named(labels, *more):
    """A legend of the labels' values."""
    return ' '.join([LEGENDS.get(name, f'{{{{{name}}}}}') for name in labels] + [word for word in more if word])


def largest(expr, labels):
    return f'topk by () ({MOST}, {expr})' if labels else expr


def summed(metric, labels, over):
    return f'sum by ({", ".join(labels)}) ({over.format(selected(metric, labels))})'


def grouped(metric, labels, legend, over='{}', scale=1):
    """`labels`, separated by spaces, are kept."""
    names = labels.split()
    times = f'{scale} * ' if scale != 1 else ''
    return [Query(largest(times + summed(metric, names, over), names), named(names, legend))]


def values(metric, labels='', legend=''):
    return grouped(metric, labels, legend)


def per_second(metric, labels='', legend='', scale=1):
    return grouped(metric, labels, legend, 'rate({}[])', scale)


def counts(metric, labels='', legend=''):
    return grouped(metric, labels, legend, 'increase({}[])')


def ratio(part, whole, labels, period=''):
    """Both are rates over `period`, or else over the one that Grafana chooses."""
    names, over = labels.split(), f'rate({{}}[{period}])'
    expr = f'{summed(part, names, over)} / {summed(whole, names, over)}'
    return [Query(largest(expr, names), named(names))]


def quantiles(histogram, labels):
    names = labels.split()
    buckets = summed(histogram + '_bucket', names + ['le'], 'rate({}[])')
    return [Query(largest(f'histogram_quantile({q}, {buckets})', names), named(names, f'p{q * 100:.0f}'))
            for q in (0.5, 0.99)]


def raw(expr, legend):
    return [Query(expr, legend)]


def nonzero(queries):
    """Leaves out series that are zero."""
    return [Query(query.expr + ' > 0', query.legend) for query in queries]


def finished(query):
    """The expression as Prometheus reads it."""
    def with_instance(match):
        selectors = ([match[2]] if match[2] else []) + ['instance=~"$instance"']
        return f'{match[1]}{{{", ".join(selectors)}}}'
    expr = METRIC.sub(with_instance, query.expr).replace('[]', '[$__rate_interval]')
    return KEPT.sub('by (instance, ', expr).replace('(instance, )', '(instance)')


def drawn(kind, title, text, queries, defaults, options, size):
    queries = [query for some in queries for query in some]
    return {
        'type': kind, 'title': title, 'description': text, 'datasource': SOURCE, 'gridPos': size, 'options': options,
        'fieldConfig': {'defaults': defaults, 'overrides': []},
        'targets': [{'refId': 'ABCDEFGH'[number], 'datasource': SOURCE, 'expr': finished(query),
                     'legendFormat': f'{query.legend} {{{{instance}}}}'.strip()}
                    for number, query in enumerate(queries)],
    }


def panel(title, text, unit, *queries):
    """Curves over the time."""
    return drawn('timeseries', title, text, queries, {'unit': unit, 'min': 0},
                 {'legend': {'displayMode': 'list', 'placement': 'bottom'},
                  'tooltip': {'mode': 'multi', 'sort': 'desc'}}, {'w': 8, 'h': 8})


def stat(title, text, unit, *queries, show='auto', steps=(('green', None),)):
    """The latest value; with `show` 'name' its legend. `steps`: colours, each from a value on."""
    thresholds = {'mode': 'absolute', 'steps': [{'color': color, 'value': value} for color, value in steps]}
    return drawn('stat', title, text, queries,
                 {'unit': unit, 'color': {'mode': 'thresholds'}, 'thresholds': thresholds},
                 {'textMode': show, 'reduceOptions': {'calcs': ['lastNotNull']}}, {'w': 4, 'h': 4})

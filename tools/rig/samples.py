"""The text of a page of metrics (Prometheus), in parts."""
import re


def samples(text):
    """{name: {labels: value}}"""
    found = {}
    for line in text.splitlines():
        if match := re.match(r'^(\w+)(?:\{(.*)\})? (\S+)', line):
            found.setdefault(match[1], {})[match[2] or ''] = float(match[3])
    return found


def total(metrics, name, *labels):
    return sum(value for label, value in metrics[name].items() if all(part in label for part in labels))

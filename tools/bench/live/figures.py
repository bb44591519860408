"""The results of a benchmark: figures beside their targets, faults, a table and JSON."""
import dataclasses
import json
import os
import platform
import sys


def say(text=''):
    print(text, file=sys.stderr, flush=True)


@dataclasses.dataclass
class Figure:
    name: str
    value: float
    unit: str
    target: float | None = None
    at_least: bool = False  # else the target is the most that it may be

    @property
    def ratio(self):
        return self.value / self.target if self.target else None

    @property
    def met(self):
        if self.target is None:
            return None
        return self.value >= self.target if self.at_least else self.value <= self.target

    def row(self):
        if self.target is None:
            return [self.name, number(self.value), self.unit, '', '', '']
        sign = 'at least' if self.at_least else 'at most'
        return [self.name, number(self.value), self.unit, f'{sign} {number(self.target)}',
                '' if self.ratio is None else f'{self.ratio:.2f}', 'yes' if self.met else 'NO']

    def as_json(self):
        told = {'name': self.name, 'value': self.value, 'unit': self.unit}
        if self.target is not None:
            told.update(target=self.target, sense='at least' if self.at_least else 'at most', ratio=self.ratio, met=self.met)
        return told


def number(value):
    if value == int(value) or abs(value) >= 1000:
        return f'{value:,.0f}'
    return f'{value:.3g}'


def quantile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


class Report:
    """`faults`: books that do not balance; they are what a run can fail by, its figures are not."""

    def __init__(self, command, setting):
        self.command, self.setting, self.figures, self.faults = command, setting, [], []
        self.rows = None  # a table in place of a line a figure, and its columns of text

    def add(self, name, value, unit, target=None, at_least=False):
        self.figures.append(Figure(name, value, unit, target, at_least))

    def expect(self, what, found, expected):
        if found != expected:
            self.faults.append(f'{what}: found {found}, expected {expected}')

    def table(self):
        rows, left = self.rows or ([['FIGURE', 'VALUE', 'UNIT', 'TARGET', 'OF TARGET', 'MET'],
                                    *(figure.row() for figure in self.figures)], (0, 2, 5))
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        return '\n'.join('  '.join(cell.ljust(width) if i in left else cell.rjust(width)
                                   for i, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in rows)

    def tell(self, path, complete=True):
        """To standard output, and as JSON to `path`; - is standard output, the table then goes to standard error."""
        print(self.table(), file=sys.stderr if path == '-' else sys.stdout, flush=True)
        for fault in self.faults:
            say(f'rncbench: {fault}')
        if not path:
            return
        told = {'version': os.environ.get('RNCBENCH_VERSION'), 'command': self.command, 'complete': complete,
                'machine': {'cpus': os.cpu_count(), 'load': os.getloadavg()[0], 'kernel': platform.release()},
                'setting': self.setting, 'figures': [figure.as_json() for figure in self.figures], 'faults': self.faults}
        text = json.dumps(told, indent=2) + '\n'
        if path == '-':
            print(text, end='', flush=True)
        else:
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)

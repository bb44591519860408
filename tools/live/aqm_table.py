#!/usr/bin/python3
"""The table of every AQM, live: kernel TCP through a running rncd, on the links of tools/lab/scenarios/aqm-table.yaml.
Needs root. README.md has how it measures."""
import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', 'rig')]

import batch  # noqa: E402
import bench  # noqa: E402
import cells as table  # noqa: E402
import report  # noqa: E402
import rig as wire  # noqa: E402
import taps  # noqa: E402
from box import RNCD, Box, RpcError  # noqa: E402

LOAD = '200M'
AHEAD = -10  # other work on the machine waits for the measurement, not the other way round


def say(text=''):
    print(text, file=sys.stderr, flush=True)


def words(text):
    return [word.strip() for word in text.split(',') if word.strip()]


def parse(arguments=None):
    parser = argparse.ArgumentParser(prog='aqm_table.py', description=__doc__)
    for name, what in (('link', 'links of the table'), ('aqm', 'AQMs, by-rate profiles as "sbd by-rate"'),
                       ('congestion', 'congestion controls of the kernel')):
        parser.add_argument('--' + name, type=words, help=f'{what}, separated by commas; by default all')
    parser.add_argument('--flows', type=words, help='downloads of a UE, such as 1,4')
    parser.add_argument('--seconds', type=float, help='of a batch, warm-up included; by default as the lab has it')
    parser.add_argument('--warm-up', type=float, help='seconds left out of the figures')
    parser.add_argument('--load', type=table.bits, default=table.bits(LOAD),
                        help=f'bit/s of the bearers that run at once; by default {LOAD}')
    parser.add_argument('--json', metavar='FILE',
                        help='the figures; - is standard output, tables then go to standard error')
    parser.add_argument('--plot', metavar='DIR', help='a picture, its data and its script')
    return parser.parse_args(arguments)


def every_aqm():
    """Those that rncd has, from its own reference."""
    text = wire.sh(RNCD, '--help-config', 'aqm').stdout
    return re.split(r', | or ', re.search(r'name or map: (.+)', text)[1])


def planned(options, congestions):
    source = table.Table()
    links = {link.name: link for link in source.links()}
    names = table.chosen('link', options.link or list(links), links)
    aqms = source.aqms(every_aqm())
    wanted = table.chosen('AQM', options.aqm or table.usual(aqms), aqms)
    flows = [int(count) for count in options.flows or source.flows()]
    for link in links.values():
        link.seconds = options.seconds or link.seconds
        link.warm_up = link.warm_up if options.warm_up is None else options.warm_up
        if link.warm_up >= link.seconds:
            raise table.CellError(f'found a warm-up of {link.warm_up:g} s of {link.seconds:g} s on {link.name}, expected '
                                  'less; give --warm-up')
    return table.make_cells([links[name] for name in names], {name: aqms[name] for name in wanted}, flows,
                            congestions)


class Progress:
    """A bar on a terminal, a line a batch elsewhere."""

    def __init__(self, total):
        self.total, self.done, self.began, self.shown = total, 0, None, ''

    def begin(self, text, length):
        self.began, self.text, self.length = time.monotonic(), text, length
        if not sys.stderr.isatty():
            say(f'{text}; {self._left()} left')

    def _left(self):
        passed = time.monotonic() - self.began if self.began else 0
        left = max(self.total - self.done - passed, 0)
        return f'{int(left // 60)} min {int(left % 60)} s'

    def tick(self):
        if sys.stderr.isatty():
            part = min((self.done + time.monotonic() - self.began) / self.total, 1)
            bar = '#' * int(30 * part) + '-' * (30 - int(30 * part))
            print(f'\r\033[K[{bar}] {self.text}, {self._left()} left', end='', file=sys.stderr, flush=True)

    def end(self):
        self.done += self.length
        if sys.stderr.isatty():
            print('\r\033[K', end='', file=sys.stderr, flush=True)


class Run:
    """The results so far, so that an interrupt keeps them."""

    def __init__(self, options):
        self.options, self.rows, self.batches = options, [], []
        self.cells, self.congestions, self.without = [], [], {}
        self.version, self.partial, self.one_way = None, True, table.Table().one_way()

    def measure(self):
        self.cells = planned(self.options, self.options.congestion or list(table.CONGESTIONS))
        folder = tempfile.mkdtemp(prefix='rncd-live-')
        try:
            with bench.LiveRig([cell.ue for cell in self.cells], self.one_way) as rig:
                self.congestions, self.without = rig.congestions(self.options.congestion or list(table.CONGESTIONS))
                self.cells = [cell for cell in self.cells if cell.congestion in self.congestions]
                with Box(rig, dataplane='  max_bearers: 4096\n', name='aqm-table-live') as box:
                    self._batches(rig, box, folder)
                self.partial = False
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _batches(self, rig, box, folder):
        self.version = box.call('version')['rncd']
        rig.favour(box.process)
        made = table.batches(self.cells, self.options.load)
        progress = Progress(sum(one[0].link.seconds for one in made))
        for number, members in enumerate(made, 1):
            link = members[0].link
            names = ', '.join(dict.fromkeys(cell.link.name for cell in members))
            progress.begin(f'{number} of {len(made)}: {len(members)} points of {names}', link.seconds)
            rows, known = batch.run(rig, box, members, link.warm_up, link.seconds, folder, progress.tick)
            progress.end()
            self.rows += rows
            self.batches.append(known)

    def notes(self):
        links, wire_kept = [cell.link for cell in self.cells], report.wire_of(self.batches)
        shares = [share for link in links if (share := taps.share(link.rate)) > 1]
        return report.NOTES.format(
            one_way=self.one_way * 1000, one_in=f'{min(shares)} to {max(shares)}' if shares else '1',
            warm_up=max(link.warm_up for link in links), least=min(link.warm_up for link in links),
            seconds=max(link.seconds for link in links), fewest=min(link.seconds for link in links),
            kernel=platform.release(), congestions=' and '.join(self.congestions), cpus=os.cpu_count(),
            late=wire_kept['late_1ms'] / max(wire_kept['frames'], 1), frames=wire_kept['frames'],
            latest_ms=wire_kept['latest_us'] / 1000)

    def document(self):
        return {'version': self.version, 'scenario': os.path.basename(table.SWEEP), 'live': True, 'runs': 1,
                'partial': self.partial, 'kernel': platform.release(), 'one_way_delay_s': self.one_way,
                'left_out': self.without, 'batches': self.batches, 'rows': self.rows}

    def tell(self):
        self.rows = report.in_order(self.rows, [cell.id for cell in self.cells])
        out = sys.stderr if self.options.json == '-' else sys.stdout
        text = report.table_of(report.HEADINGS, [report.cells_of(row) for row in self.rows]) + '\n'
        text += report.best_of(self.rows) + '\n' + self.notes() + '\n'
        text += ''.join(f'Left out: {name}: {why}\n' for name, why in self.without.items())
        text += ''.join(f'DOUBTFUL: {doubt}\n' for doubt in report.doubts(self.batches))
        if self.partial:
            text += f'PARTIAL: interrupted; {len(self.rows)} of {len(self.cells)} points are there\n'
        print(text, end='', file=out, flush=True)
        if self.options.json:
            report.write_json(self.document(), self.options.json)
        if self.options.plot and self.rows:
            report.draw(self.options.plot, self.rows)


def main(arguments=None):
    options = parse(arguments)
    wire.terminate_on_signals()
    os.nice(AHEAD)
    run = Run(options)
    code = 0
    try:
        run.measure()
    except KeyboardInterrupt:
        code = 130
    if code == 0 or run.rows:
        run.tell()
    if code:
        say('aqm_table.py: interrupted, everything is taken down')
    return code


if __name__ == '__main__':
    try:
        sys.exit(main())
    except (wire.RigError, RpcError, table.CellError, subprocess.SubprocessError, OSError, RuntimeError) as error:
        print(f'aqm_table.py: {error}', file=sys.stderr)
        sys.exit(1)

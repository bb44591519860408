#!/usr/bin/python3
"""The promises of rncd-told, live: PFCP sessions of thousands of UEs become bearers of a running rncd, at a pace,
through restarts and by a bad mirror, with UDP in GTP-U tunnels to some UEs. Needs root."""
import argparse
import dataclasses
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', 'rig')]

import batch  # noqa: E402
import report  # noqa: E402
import rig as wire  # noqa: E402
import told_parts as parts  # noqa: E402
from box import RpcError  # noqa: E402
from pfcp import PfcpError  # noqa: E402
from told_stage import Stage, say  # noqa: E402

AHEAD = -10  # other work on the machine waits for the measurement, not the other way round
HEADINGS = ('PROMISE', 'bound', 'measured', 'kept')
NOTES = '''\
lost: of the requests and responses of PFCP that were on the loopback interface, those that rncd-told did not count.
in force: from the response on the wire to rncd's answer, by rncd_told_apply_seconds. goodput: payload of UDP that
came to the radio's side in GTP-U tunnels. drift: until rncd_told_drift is 0 and each bearer is as the mirror saw its
session; others: bearers of an operator and of the configuration, some of them of UEs that have a session.
CPUs: {cpus}, busy for {busy:.0%} of the time with this and everything else. Seed {seed}.'''


@dataclasses.dataclass
class Plan:
    sessions: int
    paces: list  # establishments a second, the one that stays last
    promised: int
    changes: int
    changes_s: int
    ues: int
    goodput_s: int
    missed: int  # modifications while a program is away
    bad: int  # messages by a bad mirror


# The changes take as long as the time from one comparison of all bearers to the next.
FULL = Plan(10_000, [5000, 20_000, 10_000], 10_000, 510, 30, 10, 10, 200, 2000)
QUICK = Plan(1000, [1000], 1000, 100, 2, 3, 3, 50, 400)


def parse(arguments=None):
    parser = argparse.ArgumentParser(prog='told_promises.py', description=__doc__)
    parser.add_argument('--quick', action='store_true', help='1,000 sessions at 1,000 a second, half a minute in all')
    parser.add_argument('--seed', type=int, default=1, help='of rates, of the UEs chosen, and of what is lost')
    parser.add_argument('--json', metavar='FILE',
                        help='the figures; - is standard output, the table then goes to standard error')
    return parser.parse_args(arguments)


class Run:
    """The results so far, so that an interrupt keeps them."""

    def __init__(self, options):
        self.options, self.plan = options, QUICK if options.quick else FULL
        self.rows, self.figures, self.partial, self.busy = [], {}, True, 0

    def measure(self):
        plan, seed = self.plan, self.options.seed
        steps = {'establishments': lambda stage: parts.establishments(stage, plan.paces, plan.promised),
                 'changes': lambda stage: parts.changes(stage, plan.changes, plan.changes_s),
                 'goodput': lambda stage: parts.goodput(stage, plan.ues, plan.goodput_s),
                 'drift': lambda stage: parts.drift(stage, plan.missed, plan.bad, seed)}
        before = batch.busy_time()
        try:
            with Stage(seed, plan.sessions) as stage:
                for number, (name, step) in enumerate(steps.items(), 1):
                    say(f'{number} of {len(steps)}: {name}')
                    rows, self.figures[name] = step(stage)
                    self.rows += rows
            self.partial = False
        finally:
            busy, passed = (now - then for now, then in zip(batch.busy_time(), before))
            self.busy = busy / max(passed, 1)

    def document(self):
        return {'seed': self.options.seed, 'quick': self.options.quick,
                'partial': self.partial, 'cpu_busy': self.busy, 'rows': [dataclasses.asdict(row) for row in self.rows],
                **self.figures}

    def tell(self):
        out = sys.stderr if self.options.json == '-' else sys.stdout
        text = report.table_of(HEADINGS, [[row.promise, row.bound, row.measured, 'yes' if row.kept else 'NO']
                                          for row in self.rows])
        text += '\n' + NOTES.format(cpus=os.cpu_count(), busy=self.busy, seed=self.options.seed) + '\n'
        if self.partial:
            text += 'PARTIAL: interrupted\n'
        print(text, end='', file=out, flush=True)
        if self.options.json:
            report.write_json(self.document(), self.options.json)


def main(arguments=None):
    options = parse(arguments)
    wire.terminate_on_signals()
    os.nice(AHEAD)
    run = Run(options)
    try:
        run.measure()
    except KeyboardInterrupt:
        run.tell()
        say('told_promises.py: interrupted, everything is taken down')
        return 130
    run.tell()
    return 0


if __name__ == '__main__':
    try:
        sys.exit(main())
    except (wire.RigError, RpcError, PfcpError, subprocess.SubprocessError, OSError) as error:
        print(f'told_promises.py: {error}', file=sys.stderr)
        sys.exit(1)

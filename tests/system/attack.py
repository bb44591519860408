"""Latencies of a client of a control socket while another misbehaves.

    with Bystander(box.socket) as bystander:
        ...the attack...
    print(bystander)
    bystander.judge(p99=0.2)

A Bystander is a process of its own, so that the attacker's Python does not slow it: it asks `version` on one
connection, 5 ms after the last answer. A longer answer also counts for the requests that it delayed, each from its due
time, so that one long stall weighs as much as it lasted.
"""
import json
import os
import select
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'tools', 'rig'))

from box import Rpc  # noqa: E402
from steady import Load  # noqa: E402

PERIOD = 0.005  # seconds from an answer to the next question
PATIENCE = 60  # seconds for an answer, or for the first one


def seconds_used(process):
    """CPU time of rncd's control thread, which no other load makes longer."""
    with open(f'/proc/{process.pid}/task/{process.pid}/stat', encoding='utf-8') as stat:
        fields = stat.read().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


class Bystander:
    """Latencies in seconds: p50, p99, worst. An attack that costs the bystander its connection is an error."""

    def __init__(self, socket, user=None):
        self.command = [sys.executable, '-B', __file__, socket]
        self.user = user
        self.process = None
        self.latencies = []
        self.load = Load()

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        user=self.user)
        if self.process.stdout.readline() != 'ready\n':
            self.process.kill()
            raise AssertionError('the bystander was not answered before the attack began')
        self.load.__enter__()
        return self

    def __exit__(self, kind, *_):
        self.load.__exit__()
        try:
            said, _ = self.process.communicate(timeout=PATIENCE + 10)
        except BaseException:
            self.process.kill()
            self.process.wait()
            raise
        told = json.loads(said or '{"error": "the bystander died"}')
        self.latencies = sorted(told.get('latencies', []))
        if kind is None:
            assert 'error' not in told, told['error']
            assert self.latencies, 'the bystander asked nothing'

    def quantile(self, share):
        return self.latencies[min(int(len(self.latencies) * share), len(self.latencies) - 1)]

    @property
    def p50(self):
        return self.quantile(0.5)

    @property
    def p99(self):
        return self.quantile(0.99)

    @property
    def worst(self):
        return self.latencies[-1]

    def judge(self, **limits):
        """Fails where a quantile, p99 or worst, is above its limit; five times that where the machine had no time."""
        for name, limit in limits.items():
            assert getattr(self, name) < self.load.allows(limit), f'{name} is above {self.load.allows(limit):g} s: {self}'

    def __str__(self):
        return (f'version asked {len(self.latencies)} times: p50 {self.p50 * 1e3:.1f} ms, p99 {self.p99 * 1e3:.1f} ms, '
                f'worst {self.worst * 1e3:.1f} ms; {self.load}')

    __repr__ = __str__


def stand_by(socket):
    """Asks until standard input ends, then prints the latencies."""
    told = {'latencies': []}
    try:
        with Rpc(socket, timeout=PATIENCE) as rpc:
            rpc.call('version')
            print('ready', flush=True)
            ended = False
            while not ended:  # once at least, however short the attack was
                ended = bool(select.select([sys.stdin], [], [], PERIOD)[0])
                asked = time.monotonic()
                rpc.call('version')
                took = time.monotonic() - asked
                while took > 0:
                    told['latencies'].append(took)
                    took -= PERIOD
    except Exception as error:  # pylint: disable=broad-except
        told['error'] = f'the bystander lost its connection: {error!r}'
    print(json.dumps(told))


if __name__ == '__main__':
    stand_by(sys.argv[1])

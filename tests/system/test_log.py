"""The log through a pipe without a reader: rncd does not wait, and reports the number of dropped lines."""
import contextlib
import fcntl
import json
import os
import re
import select
import signal
import time

import pytest

from attack import Bystander
from box import RNCD, Box, Rpc
from rig import CORE, DUT, PATIENCE, UE_V4
from samples import samples, total

BEARERS = f'bearers:\n  - {{ue: {UE_V4}, class: internet}}\n'
F_SETPIPE_SZ = 1031


class LogPipe:
    """rncd with a pipe of 4096 bytes as standard error, which is not read before read() is called."""

    def __init__(self, rig, box):
        self.box, self.text = box, ''
        self.reader, writer = os.pipe()
        fcntl.fcntl(writer, F_SETPIPE_SZ, 4096)
        box.process = rig.start(DUT, RNCD, '--config', box.config, stdout=writer, stderr=writer)
        os.close(writer)
        self.wait()

    def wait(self):
        deadline = time.monotonic() + PATIENCE
        while self.box.rpc is None:
            assert time.monotonic() < deadline
            with contextlib.suppress(OSError):
                self.box.rpc = Rpc(self.box.socket)
                self.box.rpc.call('version')
                return
            self.box.rpc = None
            time.sleep(0.05)

    def read(self, until, seconds=PATIENCE):
        deadline = time.monotonic() + seconds
        while not re.search(until, self.text):
            assert time.monotonic() < deadline, self.text[-500:]
            if select.select([self.reader], [], [], 0.2)[0]:
                self.text += os.read(self.reader, 65536).decode()
        return self.text

    def close(self):
        os.close(self.reader)


@pytest.fixture
def piped(rig):
    box = Box(rig, bearers=BEARERS, name='log-pipe')
    pipe = LogPipe(rig, box)
    yield pipe
    pipe.close()
    box.close()


def chatter(box, events=2500):
    """Makes events of some 150 bytes each, more than the pipe and the log's buffer hold."""
    with Rpc(box.socket) as rpc:
        for first in range(0, events, 100):
            batch = [{'jsonrpc': '2.0', 'id': n, 'method': 'rrc.reconfigure',
                      'params': {'bearer': UE_V4, 'rate': f'{8 + n % 2}M'}} for n in range(first, first + 100)]
            assert len(json.loads(rpc.exchange(json.dumps(batch).encode() + b'\n'))) == 100


def dropped_of(box):
    return total(samples(box.metrics()), 'rncd_log_dropped_lines_total')


def test_a_log_that_nobody_reads_stops_nobody_and_what_was_dropped_is_told(rig, piped):
    box = piped.box
    with Bystander(box.socket) as bystander:
        chatter(box)
    bystander.judge(worst=5)  # it would be for ever
    dropped = dropped_of(box)
    assert dropped > 0
    rig.wait_for_wire()
    assert len(rig.ping(CORE, count=3)) == 3
    piped.read('event=log_dropped lines=')
    told = 0
    while told < dropped:
        told = sum(int(n) for n in re.findall(r'event=log_dropped lines=(\d+)\n', piped.text))
        if told < dropped:
            seen = len(re.findall('event=log_dropped lines=', piped.text))
            piped.read(f'(?s)(event=log_dropped lines=\\d+\n.*){{{seen + 1}}}')
    lines = len(re.findall('event=rrc.reconfigure', piped.text))
    # Other events may have been dropped too before the pipe was read.
    assert told == dropped_of(box) >= dropped and lines + told >= 2500


def test_it_ends_with_its_log_full(piped):
    chatter(piped.box)
    piped.box.process.send_signal(signal.SIGTERM)
    assert piped.box.process.wait(PATIENCE) == 0


def test_the_last_lines_come_before_the_end(piped):
    piped.read('event=started')
    piped.box.process.send_signal(signal.SIGTERM)
    piped.read('event=stopped')
    assert piped.box.process.wait(PATIENCE) == 0

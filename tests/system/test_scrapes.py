"""The metrics among clients that never finish their requests or read no answers."""
import contextlib
import socket
import time

import pytest

from attack import Bystander
from box import Box
from frames import inside
from rig import DUT, UE_V4

BEARERS = f'bearers:\n  - {{ue: {UE_V4}, class: internet}}\n'


@pytest.fixture(scope='module')
def box(rig):
    with Box(rig, bearers=BEARERS, more='metrics: {per_bearer: {top: 1000}}\n', name='scrapes') as made:
        yield made


@contextlib.contextmanager
def clients(rig, count):
    """Connections to the metrics' port, of which nothing is read."""
    with contextlib.ExitStack() as stack, inside(rig.name(DUT)):
        made = []
        for _ in range(count):
            one = stack.enter_context(socket.socket())
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            one.settimeout(5)
            one.connect(('127.0.0.1', 9464))
            made.append(one)
        yield made


def test_a_scrape_is_answered_while_fifty_requests_are_half_sent(rig, box):
    with clients(rig, 50) as half:
        for one in half:
            one.sendall(b'GET /metrics HTTP/1.1\r\nHost: ')
        for _ in range(5):
            assert 'rncd_build_info' in box.metrics()


def test_a_scrape_is_answered_while_two_hundred_read_nothing(rig, box):
    ues = [{'ue': f'10.50.{n // 250}.{n % 250 + 1}', 'class': 'internet'} for n in range(1000)]
    box.call('bearer.set', bearers=ues)
    time.sleep(1.2)  # the fullest bearers are found once a second
    with Bystander(box.socket) as bystander, clients(rig, 200) as slow:
        for one in slow:
            with contextlib.suppress(OSError):  # the oldest have gone already
                one.sendall(b'GET /metrics HTTP/1.1\r\n\r\n')
        assert 'rncd_build_info' in box.metrics()
        assert 'rncd_build_info' in box.metrics()
    box.call('bearer.remove', ues=[one['ue'] for one in ues])
    bystander.judge(p99=1)


def test_the_end_does_not_wait_for_whoever_scrapes(rig, box):
    with clients(rig, 20) as half:
        for one in half:
            one.sendall(b'GET ')
        assert box.stop() == 0  # the last test of this box

"""The real rncd between network namespaces. Each module starts a rig and a box or more; after each test the
boxes that run must have accounted for every frame."""
import os
import signal
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'tools', 'rig'))

import box as box_module  # noqa: E402
from box import Box  # noqa: E402
from rig import Rig  # noqa: E402

LIMIT = 120  # seconds a test may take


def pytest_sessionstart(session):
    def leave(number, _frame):
        pytest.exit(f'signal {number}', returncode=128 + number)
    signal.signal(signal.SIGTERM, leave)
    if os.geteuid() != 0:
        pytest.exit('the system tests need root: sudo tools/check system', returncode=77)  # skipped, for meson
    if not os.path.exists(box_module.RNCD):
        pytest.exit(f'no {box_module.RNCD}: run tools/build', returncode=1)


@pytest.fixture(autouse=True)
def bounded(request):
    """No test hangs, whatever the box does."""
    def late(_number, _frame):
        raise TimeoutError(f'{request.node.name} took more than {LIMIT} s')
    signal.signal(signal.SIGALRM, late)
    signal.alarm(LIMIT)
    yield
    signal.alarm(0)


@pytest.fixture(autouse=True)
def conserved():
    """received + created = sent + queued + held + dropped, after every test."""
    yield
    for one in box_module.RUNNING:
        assert one.stats()['residue'] == 0, f'frames unaccounted for: {one.stats()}'


@pytest.fixture(scope='module')
def rig():
    with Rig() as made:
        yield made


@pytest.fixture
def make_box(rig):
    """Boxes of one test: make_box(device=..., rate=...) starts one; all end with the test. `device` must come
    up as asked for: nothing falls back."""
    made = []

    def make(**options):
        made.append(Box(rig, **options).__enter__())
        return made[-1]
    yield make
    for one in made:
        one.close()

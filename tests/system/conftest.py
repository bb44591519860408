"""The real rncd between network namespaces. Each module starts a rig and a box or more; after each test the
boxes that run must have accounted for every frame.

meson runs them in three parts: the files of BESIDE, four at once (`--part=beside -n 4 --dist loadfile`), then those that
judge figures, two at once (`--part=paired -n 2 --dist loadfile`), then those of ALONE (`--part=alone`). Without --part all
run, one after another."""
import os
import signal
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'tools', 'rig'))

import box as box_module  # noqa: E402
from box import Box  # noqa: E402
from rig import Rig  # noqa: E402
from steady import Load  # noqa: E402

LIMIT = 300  # seconds a test may take: for one that hangs; more with @pytest.mark.longest(SECONDS)
# The wire of AF_XDP ports takes a worker for one that hangs when it has waited for a CPU for so long, and carries frames
# past it: they are not counted, and come out of order or begin a connection that no stage has seen. No test is to
# depend on the CPU that is there; where a worker does hang, the test says itself how soon that is seen.
box_module.STALE_AFTER = '2s'
# A start clears the memory for frames, and rncd takes half a gigabyte of it unless it is told less: the kernel would
# spend more on that than on all else in a start. Demonstrations have rncd's default.
box_module.MEMORY = 128
# The files whose tests do not mind what other files do meanwhile. A new file runs beside one other at most until it is
# named here. It may be when its tests
# - judge no rate, no share, no latency and no count of lost pings, and no moment more closely than by a second or two;
# - leave the CPUs idle most of the time;
# - neither change nor count what the whole machine has: huge pages, BPF maps, the load.
# A single test of such a file that is otherwise has @pytest.mark.paired, or @pytest.mark.alone. What fails here only is
# taken out.
BESIDE = (
    'test_demo', 'test_demo_ack', 'test_demo_radio', 'test_link_propagation', 'test_holders', 'test_state', 'test_cells',
    'test_port_return', 'test_workers', 'test_ack_held', 'test_bypass_hook', 'test_proxy', 'test_proxy_path',
    'test_wire_shortcut', 'test_socket_attacks', 'test_networks', 'test_snoop', 'test_air', 'test_modes', 'test_move',
    'test_rrc', 'test_um', 'test_metrics', 'test_exit_codes', 'test_lifecycle', 'test_log', 'test_control', 'test_frames',
    'test_ports', 'test_scrapes', 'test_traces', 'test_path_changes', 'test_steady', 'test_preflight', 'test_signed',
    'test_vlan_tags', 'test_own_files', 'test_proxy_crowd', 'test_handover', 'test_check', 'test_demo_kill',
    'test_events', 'test_top', 'test_told', 'test_told_metrics', 'test_freeradius', 'test_gtp_u', 'test_dedicated',
    'test_tables', 'test_bearer_words', 'test_demo_gtp_u', 'test_demo_told', 'test_told_promises', 'test_ggsn',
    'test_capture')
# The first one takes huge pages from the machine, the second has to be served within a TTI, the third polls on two CPUs
# at the highest priority.
ALONE = ('test_pool', 'test_replay', 'test_bench_ports')
# Within a part the files that take longest come first, so that all processes end at about the same time.
LONGEST = ('test_demo_radio', 'test_demo_gtp_u', 'test_demo_ack', 'test_tcp', 'test_wire', 'test_rate', 'test_demo',
           'test_cells', 'test_workers', 'test_link_propagation', 'test_port_return', 'test_state', 'test_why',
           'test_proxy_path', 'test_demo_told', 'test_told', 'test_holders', 'test_wire_shortcut', 'test_demo_kill',
           'test_gtp_u', 'test_ack_held', 'test_learning', 'test_snoop', 'test_ack_many', 'test_told_promises',
           'test_proxy', 'test_bypass_hook', 'test_ggsn', 'test_path_changes', 'test_lifecycle', 'test_floods',
           'test_air', 'test_freeradius', 'test_networks', 'test_aqm_live')


def pytest_addoption(parser):
    parser.addoption('--part', choices=('beside', 'paired', 'alone'), help='one of the three parts')


def pytest_configure(config):
    config.addinivalue_line('markers', 'paired: of a file that runs beside others, a test that runs beside one at most')
    config.addinivalue_line('markers', 'alone: a test that runs when no other does')
    config.addinivalue_line('markers', f'longest(seconds): it may take longer than {LIMIT} s')
    # Workers of boxes spin where there are four CPUs or more: each process has its part of these.
    cpus = sorted(os.sched_getaffinity(0))
    if hasattr(config, 'workerinput') and len(cpus) >= 4:
        number, count = int(config.workerinput['workerid'][2:]), config.workerinput['workercount']
        os.sched_setaffinity(0, cpus[number::count])


def home_of(path):
    """The part of a file's tests without a mark."""
    return 'alone' if path.stem in ALONE else 'beside' if path.stem in BESIDE else 'paired'


def part_of(item):
    if item.get_closest_marker('alone'):
        return 'alone'
    home = home_of(item.path)
    return 'paired' if home == 'beside' and item.get_closest_marker('paired') else home


def pytest_ignore_collect(collection_path, config):
    """Each process imports only files with tests of its part."""
    part = config.getoption('--part')
    if not part or not collection_path.match('test_*.py') or home_of(collection_path) == part:
        return None
    return True if f'@pytest.mark.{part}' not in collection_path.read_text(encoding='utf-8') else None


def pytest_collection_modifyitems(config, items):
    part = config.getoption('--part')
    if not part:
        return
    order = {stem: place for place, stem in enumerate(LONGEST)}
    config.hook.pytest_deselected(items=[item for item in items if part_of(item) != part])
    items[:] = sorted((item for item in items if part_of(item) == part),
                      key=lambda item: order.get(item.path.stem, len(order)))


@pytest.hookimpl(hookwrapper=True)
def pytest_sessionstart(session):
    def leave(number, _frame):
        signal.signal(number, signal.SIG_IGN)  # once is enough, and cleaning up is not disturbed
        if session.config.getoption('dist', 'no') != 'no':  # each of the processes that run tests cleans up
            with open(f'/proc/self/task/{os.getpid()}/children', encoding='ascii') as file:
                for child in file.read().split():
                    os.kill(int(child), number)
        pytest.exit(f'signal {number}', returncode=128 + number)
    signal.signal(signal.SIGTERM, leave)
    if os.geteuid() != 0:
        pytest.exit('the system tests need root: sudo tools/check system', returncode=77)  # skipped, for meson
    if not os.path.exists(box_module.RNCD):
        pytest.exit(f'no {box_module.RNCD}: run tools/build', returncode=1)
    # With -v xdist would ask each of its processes for its version; if that answer was not all given when the tests are
    # ordered next, a thread would run them (execnet), and threads take no signals.
    verbose, session.config.option.verbose = session.config.option.verbose, 0
    yield
    session.config.option.verbose = verbose


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    item.load = Load().__enter__()  # looked at again only if the test fails
    yield


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    """Whoever reads of a failure sees whether the machine had time for the test."""
    outcome = yield
    report = outcome.get_result()
    if report.failed and hasattr(report.longrepr, 'addsection'):
        item.load.look()
        report.longrepr.addsection('while it ran', str(item.load))


@pytest.fixture(autouse=True)
def bounded(request):
    """No test hangs, whatever the box does."""
    marker = request.node.get_closest_marker('longest')
    limit = marker.args[0] if marker else LIMIT

    def late(_number, _frame):
        raise TimeoutError(f'{request.node.name} took more than {limit} s')
    signal.signal(signal.SIGALRM, late)
    signal.alarm(limit)
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

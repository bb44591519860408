"""`rncbench metrics`: the cost of a scrape each second for the worker and for the rest of rncd, against none, in
turns; the time that a scrape takes, and its size."""
import statistics
import time

from daemon import Daemon, fill, ues
from figures import quantile, say
from rig import RigError

TARGET = 0.01  # share of a CPU


def add_options(parser):
    parser.add_argument('--bearers', type=int, default=100_000, help='by default 100,000')
    parser.add_argument('--top', type=int, default=0, help='metrics.per_bearer.top: series for so many bearers; by default 0')
    parser.add_argument('--turns', type=int, default=12, help='with and without scrapes; by default 12 each')
    parser.add_argument('--seconds', type=float, default=4, help='of a turn; by default 4')
    parser.add_argument('--every', type=float, default=1, help='seconds from one scrape to the next; by default 1')


def check_options(options):
    if options.quick:
        options.bearers, options.turns, options.seconds = min(options.bearers, 1000), 1, 2
    for name, least, most in (('bearers', 1, 1_000_000), ('top', 0, 1000), ('turns', 1, 1000), ('seconds', 0.1, 3600),
                              ('every', 0.01, 60)):
        if not least <= getattr(options, name) <= most:
            raise RigError(f'--{name}: found {getattr(options, name)}, expected {least:,} to {most:,}')


def setting(options):
    return {'bearers': options.bearers, 'top': options.top, 'turns': options.turns, 'seconds': options.seconds,
            'every': options.every, 'ports': 'null', 'power': 'adaptive'}


def run(options, report):
    names = ues(options.bearers)
    with Daemon(options.bearers, power='adaptive', metrics=True, top=options.top) as daemon:
        _, created = fill(daemon, names, 'metrics')
        report.expect('bearers created', created, len(names))
        daemon.scrape()
        scrapes, without, scraped = [], [], []
        for turn in range(options.turns):
            say(f'metrics: turn {turn + 1} of {options.turns}, without and with a scrape each {options.every:g} s')
            without.append(shares(daemon, options, None))
            scraped.append(shares(daemon, options, scrapes))
        for index, who in enumerate(('worker', 'rest of rncd')):
            compare(who, [turn[index] for turn in without], [turn[index] for turn in scraped], report)
        report.add('a scrape: median', quantile([took for took, _ in scrapes], 0.5) * 1e3, 'ms')
        report.add('a scrape: worst', max(took for took, _ in scrapes) * 1e3, 'ms')
        report.add('a scrape: size', scrapes[-1][1] / 1024, 'KiB')
        report.expect('frames unaccounted for', daemon.call('stats.get')['residue'], 0)


def compare(who, without, scraped, report):
    """Shares of a CPU, medians over the turns. What is judged is the worker's difference, turn by turn."""
    quiet, busy = statistics.median(without), statistics.median(scraped)
    report.add(f'{who}: of a CPU without scrapes', 100 * quiet, '%')
    report.add(f'{who}: of a CPU with scrapes', 100 * busy, '%')
    report.add(f'{who}: with / without', busy / quiet if quiet else 1, '')
    report.add(f'{who}: half of the turns without lie within', 100 * (quantile(without, 0.75) - quantile(without, 0.25)), '%')
    differences = [after - before for before, after in zip(without, scraped)]
    report.add(f'{who}: scrapes take of a CPU', 100 * statistics.median(differences), '%', 100 * TARGET if who == 'worker' else None)


def shares(daemon, options, scrapes):
    """CPU shares of the worker and of the other threads in a turn; `scrapes` takes seconds and bytes of each scrape."""
    begun, before = time.monotonic(), daemon.cpu_seconds()
    due = begun
    while time.monotonic() < begun + options.seconds:
        if scrapes is not None:
            asked = time.perf_counter()
            size = len(daemon.scrape())
            scrapes.append((time.perf_counter() - asked, size))
        due += options.every
        time.sleep(max(0.0, min(due, begun + options.seconds) - time.monotonic()))
    took = time.monotonic() - begun
    return [(after - first) / took for first, after in zip(before, daemon.cpu_seconds())]

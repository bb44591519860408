"""`rncbench control`: how many bearers the control socket sets in what time and memory, the same from a file, and how
long an RRC reconfiguration of one and of ten thousand takes beside them."""
import random

from daemon import Daemon, exchange, fill, line_of, request, ues, value
from figures import quantile, say
from rig import RigError

MILLION = 1_000_000
MANY = 10_000  # bearers of a reconfiguration
BATCH = 1000   # calls in a batch
POWERS = ('adaptive', 'poll')
RATES = ('2M', '3M')


def add_options(parser):
    parser.add_argument('--bearers', type=int, default=100_000, help='bearers to set, up to 1,000,000; by default 100,000')
    parser.add_argument('--calls', type=int, default=2000, help='reconfigurations of one bearer; by default 2000')
    parser.add_argument('--turns', type=int, default=5, help='reconfigurations of many; by default 5')
    parser.add_argument('--seed', type=int, default=1, help='of the order in which bearers are reconfigured')
    parser.add_argument('--power', type=lambda text: text.split(','), default=list(POWERS),
                        help='settings of dataplane.power, one rncd after another: adaptive lets the worker sleep, for nothing '
                        'comes; poll never does; by default adaptive,poll')


def check_options(options):
    if options.quick:
        options.bearers, options.calls, options.turns = min(options.bearers, 1000), min(options.calls, 100), 2
    if not 1 <= options.bearers <= MILLION:
        raise RigError(f'--bearers: found {options.bearers}, expected 1 to 1,000,000')
    if options.calls < 1 or options.turns < 1:
        raise RigError('--calls and --turns: expected at least 1')
    if unknown := set(options.power) - set(POWERS):
        raise RigError(f'--power: found {", ".join(unknown)}, expected adaptive, poll or both')


def setting(options):
    return {'bearers': options.bearers, 'calls': options.calls, 'turns': options.turns, 'seed': options.seed,
            'power': options.power, 'ports': 'null', 'class': 'downlink shaper, 50 SDUs, drop-tail'}


def run(options, report):
    names = ues(options.bearers)
    for power in options.power:
        with Daemon(options.bearers, power=power, metrics=True) as daemon:
            set_all(daemon, names, power, report)
            reconfigure_one(daemon, names, options, power, report)
            reconfigure_many(daemon, names, options, power, report)
            reconfigure_batch(daemon, names, options, power, report)
            judge_losses(daemon, options, power, report)
    start_from_file(names, options.power[0], report)


def start_from_file(names, power, report):
    say('control: an empty file')
    with Daemon(len(names), power=power) as daemon:
        empty = daemon.seconds_to_start
    say(f'control: a file of {len(names):,} bearers')
    with Daemon(len(names), listed=names, power=power) as daemon:
        seconds, (_, others) = daemon.seconds_to_start, daemon.cpu_seconds()
        report.add('from an empty file: start until the socket answers', empty, 's')
        report.add('from a file: start until the socket answers', seconds, 's', of_million(10, names))
        report.add('from a file: CPU time of control until then', others, 's')
        report.add('from a file: a bearer', (seconds - empty) / len(names) * 1e6, 'us', 10)
        report.add('from a file: memory', daemon.memory() / 2**20, 'MiB', 4096)
        report.add('from a file: memory at most', daemon.memory('VmHWM') / 2**20, 'MiB')
        report.expect('bearers from the file', daemon.call('stats.get')['bearers']['count'], len(names))


def of_million(seconds, names):
    """Such a target is for a million; of fewer bearers only what one takes is judged."""
    return seconds if len(names) == MILLION else None


def set_all(daemon, names, power, report):
    before = daemon.memory()
    seconds, created = fill(daemon, names, f'control, {power}')
    after = daemon.memory()
    report.add(f'{power}: set all over the socket', seconds, 's', of_million(60, names))
    report.add(f'{power}: set a bearer', seconds / len(names) * 1e6, 'us', 60)
    report.add(f'{power}: memory before', before / 2**20, 'MiB')
    report.add(f'{power}: memory after', after / 2**20, 'MiB', 4096)
    report.add(f'{power}: memory at most', daemon.memory('VmHWM') / 2**20, 'MiB')
    report.add(f'{power}: memory a bearer', (after - before) / len(names), 'B')
    report.expect('bearers created', created, len(names))
    report.expect('bearers that stats.get counts', daemon.call('stats.get')['bearers']['count'], len(names))


def note(told, changed, report):
    """Checks that all of them have changed, and that no frame was lost by it."""
    report.expect('bearers changed by a reconfiguration', told['changed'], changed)
    report.expect('frames lost by a reconfiguration', told['lost'], 0)


def reconfigure_one(daemon, names, options, power, report):
    say(f'control, {power}: {options.calls:,} reconfigurations of one bearer')
    draw = random.Random(options.seed)
    last, outside, inside = {}, [], []
    for _ in range(options.calls):
        ue = draw.choice(names)
        last[ue] = RATES[last.get(ue) == RATES[0]]
        told, took = exchange(daemon, line_of(request('rrc.reconfigure', {'bearers': [ue], 'rate': last[ue]})))
        note(told['result'], 1, report)
        outside.append(took * 1e3)
        inside.append(told['result']['seconds'] * 1e3)
    for what, times, target in (('client', outside, 1), ('rncd', inside, None)):
        report.add(f'{power}: rrc of one, {what}: p50', quantile(times, 0.5), 'ms')
        report.add(f'{power}: rrc of one, {what}: p99', quantile(times, 0.99), 'ms', target)
        report.add(f'{power}: rrc of one, {what}: worst', max(times), 'ms')


def reconfigure_many(daemon, names, options, power, report):
    some = names[:MANY]
    say(f'control, {power}: {options.turns} reconfigurations of {len(some):,} bearers in one request')
    times = []
    for turn in range(options.turns):
        line = line_of(request('rrc.reconfigure', {'bearers': some, 'rate': f'{4 + turn % 2}M'}))
        told, took = exchange(daemon, line)
        note(told['result'], len(some), report)
        times.append(took)
    report.add(f'{power}: rrc of {len(some):,} in one request: median', quantile(times, 0.5), 's', 0.3 * len(some) / MANY)
    report.add(f'{power}: rrc of {len(some):,} in one request: worst', max(times), 's')


def reconfigure_batch(daemon, names, options, power, report):
    some = names[:BATCH]
    say(f'control, {power}: {options.turns} batches of {len(some):,} reconfigurations')
    times = []
    for turn in range(options.turns):
        line = line_of([request('rrc.reconfigure', {'bearers': [ue], 'rate': f'{6 + turn % 2}M'}, number)
                        for number, ue in enumerate(some)])
        told, took = exchange(daemon, line)
        for one in told:
            note(one['result'], 1, report)
        times.append(took)
    report.add(f'{power}: rrc of {len(some):,} in a batch: median', quantile(times, 0.5), 's')
    report.add(f'{power}: rrc of {len(some):,} in a batch: worst', max(times), 's')


def judge_losses(daemon, options, power, report):
    text = daemon.scrape()
    lost = value(text, 'rncd_reconfigure_lost_frames_total')
    report.add(f'{power}: frames lost by all of these', lost, '', 0)
    report.expect('rncd_reconfigure_lost_frames_total', lost, 0)
    changed = options.calls + options.turns * (min(MANY, options.bearers) + min(BATCH, options.bearers))
    report.expect('rncd_reconfigure_seconds_count', value(text, 'rncd_reconfigure_seconds_count'), changed)
    report.expect('frames unaccounted for', daemon.call('stats.get')['residue'], 0)

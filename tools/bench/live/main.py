#!/usr/bin/python3
"""Benchmarks of a whole running rncd: the one of the build directory, in processes of its own."""
import argparse
import os
import signal
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', '..', 'rig')]

import control  # noqa: E402
import metrics  # noqa: E402
import ports  # noqa: E402
from figures import Report, say  # noqa: E402
from rig import RigError  # noqa: E402

BENCHMARKS = {'control': control, 'metrics': metrics, 'ports': ports}


def parse(arguments=None):
    parser = argparse.ArgumentParser(prog='rncbench', description=__doc__)
    benchmarks = parser.add_subparsers(dest='benchmark', required=True)
    for name, module in BENCHMARKS.items():
        one = benchmarks.add_parser(name, description=module.__doc__)
        module.add_options(one)
        one.add_argument('--quick', action='store_true', help='seconds only: whether it works, not how fast')
        one.add_argument('--json', metavar='FILE', help='write the figures to this file as JSON; - is standard output')
    return parser.parse_args(arguments)


def end_in_order():
    """The first signal ends what was started, and no second one disturbs that."""
    ends = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def leave(number, _frame):
        for one in ends:
            signal.signal(one, signal.SIG_IGN)
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        raise SystemExit(128 + number)
    for one in ends:
        signal.signal(one, leave)


def main():
    options = parse()
    module = BENCHMARKS[options.benchmark]
    end_in_order()
    try:
        module.check_options(options)
    except RigError as error:
        say(f'rncbench: {error}')
        return 2
    report = Report(options.benchmark, module.setting(options))
    try:
        module.run(options, report)
    except KeyboardInterrupt:
        say('rncbench: interrupted; this is what was measured until then')
        report.tell(options.json, complete=False)
        return 130
    except (RigError, OSError) as error:
        say(f'rncbench: {error}')
        return 1
    report.tell(options.json)
    return 1 if report.faults else 0


if __name__ == '__main__':
    sys.exit(main())

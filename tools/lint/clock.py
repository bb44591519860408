#!/usr/bin/python3
"""Below the worker no code reads a clock: `now` is an argument, so that the lab can run the same code."""
import re

from common import CPP, main, tracked, without_comments

READS = re.compile(r'\bnow\s*\(\s*\)|\brdtscp?\b|\b__rdtscp?\b|\brte_rdtsc|\brte_get_(tsc|timer)_cycles|\bclock_gettime\b'
                   r'|\bgettimeofday\b|\b(std::)?time\s*\(\s*(NULL|nullptr|0|&\w+)?\s*\)|\bclock\s*\(\s*\)')
ALLOWED = ('dataplane/worker/', 'dataplane/xdp/', 'dataplane/dpdk/', 'dataplane/base/time.h')


def check(path, text):
    if not path.startswith('dataplane/') or path.startswith(ALLOWED):
        return
    for number, line in enumerate(without_comments(text).splitlines(), 1):
        if match := READS.search(line):
            yield number, f'{match[0]}: reads a clock below the worker; take `now` as an argument'


BAD = [
    ('dataplane/link/a.h', 'auto t = std::chrono::steady_clock::now();'),
    ('dataplane/aqm/a.h', 'Time t = clock.now ();'),
    ('dataplane/rlc/a.cc', 'auto c = __rdtsc();'),
    ('dataplane/rlc/a.cc', 'clock_gettime(CLOCK_MONOTONIC, &ts);'),
    ('dataplane/flow/a.cc', 'auto seed = time(nullptr);'),
]
GOOD = [
    ('dataplane/worker/a.h', 'const Time now = clock_.now();'),
    ('dataplane/link/a.h', '// never calls now() itself\nvoid serve(Time now, const char* s = "now()");'),
    ('dataplane/link/a.h', 'Duration time(Time from, Time to);'),
]

if __name__ == '__main__':
    main(check, tracked(*CPP), BAD, GOOD)

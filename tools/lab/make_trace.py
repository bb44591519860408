#!/usr/bin/python3
"""Makes a link in mahimahi's format, of no recording: make_trace.py [--seed N] [--seconds S] [--lowest M] ... > FILE

A line is the millisecond at whose end 1500 bytes may leave. The rate wanders between 0.5 and 8 Mbit/s, evenly on a
logarithmic scale, a factor of 2 up or down in about a second, as a UE's does that moves about a cell; now and then,
every 20 s on average, nothing leaves for up to 2 s. The same options give the same file.
"""
import argparse
import math
import random
import sys

LOWEST, HIGHEST = 0.5, 8  # Mbit/s
PACKET = 1500 * 8         # bit
STEP = 0.02               # s between two changes of the rate
WANDER = 0.35             # half of the range of such a change, in doublings
EACH, LONGEST = 20, 2     # s: an outage comes once in EACH, and takes up to LONGEST


def rates(rng, options):
    """The rate in bit/s of one step after the other."""
    span = math.log2(options.highest / options.lowest)
    at, outage = rng.random() * span, 0.0
    while True:
        at += (2 * rng.random() - 1) * options.wander
        at = -at if at < 0 else 2 * span - at if at > span else at  # turns back at its ends
        if outage <= 0 and rng.random() < STEP / EACH:
            outage = rng.random() * LONGEST
        yield 0 if outage > 0 else options.lowest * 1e6 * 2 ** at
        outage -= STEP


def trace(options):
    """The milliseconds, in order. The last one is the end of the time."""
    per_step = round(STEP * 1000)
    bits, out = 0.0, []
    for step, rate in zip(range(round(options.seconds / STEP)), rates(random.Random(options.seed), options)):
        for ms in range(step * per_step + 1, (step + 1) * per_step + 1):
            bits += rate / 1000
            while bits >= PACKET:
                bits -= PACKET
                out.append(ms)
    end = round(options.seconds * 1000)
    return out if out and out[-1] == end else out + [end]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--seconds', type=float, default=120)
    parser.add_argument('--lowest', type=float, default=LOWEST, help='Mbit/s')
    parser.add_argument('--highest', type=float, default=HIGHEST, help='Mbit/s')
    parser.add_argument('--wander', type=float, default=WANDER, help='doublings in 20 ms at most, up or down')
    options = parser.parse_args()
    if not (0 < options.lowest <= options.highest and options.seconds >= STEP
            and 0 <= options.wander <= math.log2(options.highest / options.lowest)):
        parser.error('expected 0 < lowest <= highest, at least 0.02 s, and a wander within their range')
    lines = trace(options)
    sys.stdout.write(''.join(f'{ms}\n' for ms in lines))
    print(f'{len(lines) * PACKET / lines[-1] * 1e-3:.3f} Mbit/s on average', file=sys.stderr)


if __name__ == '__main__':
    main()

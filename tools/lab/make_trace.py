#!/usr/bin/python3
"""Makes a link in mahimahi's format, of no recording: make_trace.py [--seed N] [--seconds S] > FILE

A line is the millisecond at whose end 1500 bytes may leave. The rate wanders between 0.5 and 8 Mbit/s, evenly on a
logarithmic scale, a factor of 2 up or down in about a second, as a UE's does that moves about a cell; now and then, every
20 s on average, nothing leaves for up to 2 s. The same seed gives the same file.
"""
import argparse
import math
import random
import sys

LOWEST, HIGHEST = 0.5e6, 8e6  # bit/s
PACKET = 1500 * 8             # bit
STEP = 0.02                   # s between two changes of the rate
WANDER = 0.35                 # half of the range of such a change, in doublings
EACH, LONGEST = 20, 2         # s: an outage comes once in EACH, and takes up to LONGEST


def rates(rng):
    """The rate in bit/s of one step after the other."""
    span = math.log2(HIGHEST / LOWEST)
    at, outage = rng.random() * span, 0.0
    while True:
        at += (2 * rng.random() - 1) * WANDER
        at = -at if at < 0 else 2 * span - at if at > span else at  # turns back at its ends
        if outage <= 0 and rng.random() < STEP / EACH:
            outage = rng.random() * LONGEST
        yield 0 if outage > 0 else LOWEST * 2 ** at
        outage -= STEP


def trace(seed, seconds):
    """The milliseconds, in order. The last one is the end of the time."""
    per_step = round(STEP * 1000)
    bits, out = 0.0, []
    for step, rate in zip(range(round(seconds / STEP)), rates(random.Random(seed))):
        for ms in range(step * per_step + 1, (step + 1) * per_step + 1):
            bits += rate / 1000
            if bits >= PACKET:
                bits -= PACKET
                out.append(ms)
    end = round(seconds * 1000)
    return out if out and out[-1] == end else out + [end]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--seconds', type=float, default=120)
    options = parser.parse_args()
    lines = trace(options.seed, options.seconds)
    sys.stdout.write(''.join(f'{ms}\n' for ms in lines))
    print(f'{len(lines) * PACKET / lines[-1] * 1e-3:.3f} Mbit/s on average', file=sys.stderr)


if __name__ == '__main__':
    main()

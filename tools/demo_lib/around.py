"""Frames that went around rncd while a demonstration measured. A worker that gets no CPU for as long as
`dataplane.wire.stale_after` is taken for one that hangs: the kernel then sends frames across without a buffer or a
rate, and the figures of that time are not rncd's."""
import re

from stage import say, wire

ATTEMPTS = 3
# stale_after of demonstrations that measure: a shared machine keeps a worker waiting for tens of milliseconds.
PATIENT = '1s'
SERIES = re.compile(r'^rncd_wire_frames_total\{port="\w+",way="bypass"\} (\S+)$', re.M)


def frames_around(box):
    """The total of both ports so far; 0 with ports whose wire does not outlive rncd."""
    return sum(int(float(count)) for count in SERIES.findall(box.metrics()))


def measured(box, measure, attempts=ATTEMPTS):
    """The result of a call of measure() during which no frame went around rncd; after another it is called again."""
    for attempt in range(1, attempts + 1):
        before = frames_around(box)
        seen = measure()
        if not (passed := frames_around(box) - before):
            return seen
        disturbed(passed, attempt, attempts)
    raise too_busy(attempts)


def disturbed(frames, attempt, attempts):
    say(f'demo: {frames} frames went around rncd, since a worker did not get its CPU: these figures are not rncd\'s'
        + (f'; measuring again, attempt {attempt + 1} of {attempts}' if attempt < attempts else ''))


def too_busy(attempts):
    return wire.RigError(f'frames went around rncd in {"the one attempt" if attempts == 1 else f"each of {attempts} attempts"}, so '
                         'nothing can be said of it; end what else computes on this machine, or use --device af_packet, '
                         'whose frames cannot go around')

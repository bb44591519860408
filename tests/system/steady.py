"""Figures that need the machine's time: a goodput that is off is measured again while something else computes.

The kernel says how long each task waited for a CPU (/proc/PID/task/TID/schedstat) and how long the hypervisor took it
away (/proc/stat, steal). Tasks of the class SCHED_IDLE do not count: they get what all others leave, and others do not
wait for them. A figure outside its bounds on a machine that had time is a failure at once. On a machine that had none
it is measured again, a few times; if none of these was undisturbed, the last one is held to bounds that are wide enough
for what disturbs it, and says so."""
import contextlib
import os
import time

from rig import PATIENCE

TRIES = 4
WAITING = 0.5  # CPUs for which tasks waited, on average; a box with iperf3 alone on two CPUs stays far below
STOLEN = 0.02
WIDER = 0.5    # factor of the bounds on a machine that never had time
LONGER = 5     # times the limit of what a machine without time makes more of: a latency, losses


def _waits():
    """By task, the nanoseconds that it has waited for a CPU since it started."""
    waits = {}
    for process in filter(str.isdecimal, os.listdir('/proc')):
        with contextlib.suppress(OSError):  # it has ended
            for task in os.listdir(f'/proc/{process}/task'):
                with contextlib.suppress(OSError, IndexError):
                    if os.sched_getscheduler(int(task)) != os.SCHED_IDLE:
                        waits[int(task)] = int(_read(f'/proc/{process}/task/{task}/schedstat').split()[1])
    return waits


def _read(path):
    """A short file, at a third of what open() takes: there are hundreds of tasks, and this is read at every test."""
    file = os.open(path, os.O_RDONLY)
    try:
        return os.read(file, 200)
    finally:
        os.close(file)


def _stolen():
    """(jiffies stolen, jiffies in all) of all CPUs."""
    with open('/proc/stat', encoding='ascii') as file:
        fields = [int(word) for word in file.readline().split()[1:9]]
    return fields[7], sum(fields)


class Load:
    """The load of the machine while the block ran."""

    def __enter__(self):
        self.began, self.waits_before, self.stolen_before = time.monotonic(), _waits(), _stolen()
        return self

    def __exit__(self, *_):
        self.look()

    def look(self):
        """Takes what there was so far."""
        elapsed = time.monotonic() - self.began
        stolen, total = (now - before for now, before in zip(_stolen(), self.stolen_before))
        self.stolen = stolen / max(total, 1)
        # A task that came meanwhile counts from its start, and one that has ended not at all.
        waits = _waits()
        if not any(waits.values()):  # a kernel without these statistics
            self.waiting = 1.0 if os.getloadavg()[0] > 1.5 * os.cpu_count() else 0.0
            return
        waited = sum(max(0, now - self.waits_before.get(task, 0)) for task, now in waits.items())
        self.waiting = waited / 1e9 / max(elapsed, 1e-6)

    @property
    def busy(self):
        return self.waiting > WAITING or self.stolen > STOLEN

    def allows(self, most):
        """The limit of a latency or a count of losses that is `most` on a machine that has time."""
        return most * LONGER if self.busy else most

    def __str__(self):
        return f'{self.waiting:.2f} tasks waited for a CPU, {self.stolen:.1%} of it was stolen'


def within(measure, low, high, tries=TRIES):
    """measure() gives a figure that must lie between `low` and `high`; returns the one that did."""
    for number in range(1, tries + 1):
        with Load() as load:
            figure = measure()
        if low <= figure <= high:
            return figure
        if not load.busy:
            raise AssertionError(f'found {figure:.6g}, expected {low:.6g} to {high:.6g}; {load}')
        print(f'steady: try {number} of {tries}: {figure:.6g} is not between {low:.6g} and {high:.6g}, but {load}')
    low, high = low * WIDER, high / WIDER
    print(f'steady: the machine had no time in {tries} tries; the last one is held to {low:.6g} to {high:.6g}')
    assert low <= figure <= high, f'found {figure:.6g}, expected {low:.6g} to {high:.6g} even now; {load}'
    return figure


def judge(figure, low, high, load):
    """For a figure that cannot be measured again: wider bounds where the machine had no time while it was measured."""
    if load.busy:
        low, high = low * WIDER, high / WIDER
    assert low <= figure <= high, f'found {figure:.6g}, expected {low:.6g} to {high:.6g}; {load}'


def near(measure, expected, rel, tries=TRIES):
    """within() for a figure that must be `expected` within the share `rel` of it."""
    return within(measure, expected * (1 - rel), expected * (1 + rel), tries)


def until(condition, seconds=PATIENCE):
    """Waits until it holds; false when it does not within the time, which is long: a limit for what hangs."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True

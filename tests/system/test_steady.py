"""Judging of figures (steady.py) on a machine that has time, and on one that has none."""
import pytest

import steady


class Machine:
    """Pretends that the machine is busy in those tries."""

    def __init__(self, monkeypatch, busy):
        self.busy, self.now = list(busy), 0.0
        monkeypatch.setattr(steady, '_waits', lambda: {1: int(self.now * 1e9)})
        monkeypatch.setattr(steady, '_stolen', lambda: (0, 100))
        monkeypatch.setattr(steady.time, 'monotonic', lambda: self.clock)
        self.clock = 0.0

    def measure(self, *figures):
        left = list(figures)

        def one():
            self.clock += 10
            self.now += 10 if self.busy.pop(0) else 0.1
            return left.pop(0)
        return one


def test_a_figure_inside_its_bounds_is_measured_once(monkeypatch):
    machine = Machine(monkeypatch, [True])
    assert steady.within(machine.measure(1.0), 0.9, 1.1) == 1.0


def test_a_figure_outside_them_fails_at_once_when_the_machine_had_time(monkeypatch):
    machine = Machine(monkeypatch, [False, False])
    with pytest.raises(AssertionError, match='found 0.8, expected 0.9 to 1.1; '):
        steady.within(machine.measure(0.8, 1.0), 0.9, 1.1)
    assert machine.busy == [False]


def test_a_disturbed_figure_is_measured_again_until_it_is_good(monkeypatch):
    machine = Machine(monkeypatch, [True, True, False])
    assert steady.within(machine.measure(0.7, 0.8, 0.95), 0.9, 1.1) == 0.95


def test_an_undisturbed_try_judges_after_disturbed_ones(monkeypatch):
    machine = Machine(monkeypatch, [True, False])
    with pytest.raises(AssertionError, match='found 0.8, expected 0.9 to 1.1; '):
        steady.within(machine.measure(0.7, 0.8), 0.9, 1.1)


def test_a_machine_that_never_has_time_is_held_to_wider_bounds_not_to_none(monkeypatch):
    assert steady.within(Machine(monkeypatch, [True] * 4).measure(0.7, 0.7, 0.7, 0.6), 0.9, 1.1) == 0.6
    with pytest.raises(AssertionError, match='even now'):
        steady.within(Machine(monkeypatch, [True] * 4).measure(0.7, 0.7, 0.7, 0.3), 0.9, 1.1)


def test_a_machine_that_works_for_nobody_else_is_not_busy():
    with steady.Load() as load:
        pass
    assert 0 <= load.stolen <= 1
    assert load.waiting >= 0

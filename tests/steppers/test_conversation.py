"""A run is a conversation: how often it is interrupted, copied or looked at changes no bit of it."""

import numpy as np
import pytest
from steppers.problems import NOTHING, fall_of_a_pendulum, pendulum, swing

from fastdyn._jit import kernel
from fastdyn.layout import CHANGED, PAUSE
from fastdyn.run import course as page
from fastdyn.run.course import Course
from fastdyn.status import INTERRUPTED, OK
from fastdyn.steppers import STEPPERS
from fastdyn.steppers.desk import GAPS, SWITCH

pytestmark = pytest.mark.kernels
every_stepper = pytest.mark.parametrize("method", STEPPERS)
T_END, WANTED = 30.0, np.linspace(0.0, 30.0, 91)
WAY = {"rtol": 1e-5, "atol": 1e-5}


@kernel(GAPS)
def wall(handle, t, y, gaps):
    gaps[0] = y[0]
    return 0


@kernel(SWITCH)
def bounce_off(handle, t, y, which, direction, sides):
    y[0] = 0.0
    y[1] = -0.9*y[1]
    sides[0] = 1
    return CHANGED


def swinging(method, **settings):
    """A pendulum that bounces off a wall where it hangs straight down"""
    return Course(fall_of_a_pendulum, NOTHING, [1.5, 0.0], method=method, gaps=wall, switch=bounce_off, watch=[-1],
                  **WAY, **settings)


def same(course, other):
    """Whether two courses stored and are the same, to the bit."""
    assert len(course.events[0]) > 4
    for ours, theirs in zip((*course.samples, *course.events, course.y), (*other.samples, *other.events, other.y)):
        assert np.array_equal(ours, theirs)
    assert course.t == other.t and course.counts == other.counts
    return True


@every_stepper
@pytest.mark.parametrize("rows", [1, 2, 3, 7])
def test_a_short_tape_is_as_good_as_a_long_one(method, rows, monkeypatch):
    long, short = swinging(method), swinging(method)
    assert long.to(T_END, wanted=WANTED, every=True) == OK
    monkeypatch.setattr(page, "EVENTS_OF_TAPE", 2)
    assert short.to(T_END, wanted=WANTED, every=True, rows=rows) == OK
    assert len(short.times) > len(long.times)
    assert same(long, short)


@every_stepper
def test_pauses_change_no_bit(method):
    def pause_again(course):
        course.stepping.setting[PAUSE] = 1.0

    straight, often = swinging(method), swinging(method)
    assert straight.to(T_END, wanted=WANTED) == OK
    pause_again(often)
    assert often.to(T_END, wanted=WANTED, look=pause_again) == OK
    assert len(often.times) > 10
    assert same(straight, often)


@every_stepper
@pytest.mark.parametrize("call", [1, 5, 11, 17, 29])
def test_a_copy_of_the_arrays_goes_on_to_the_bit(method, call):
    def stop(course):
        course.stepping.setting[PAUSE] = 1.0
        stop.calls += 1
        return INTERRUPTED if stop.calls == call else OK

    stop.calls = 0
    straight, first, second = swinging(method), swinging(method), swinging(method)
    assert straight.to(T_END, every=True) == OK
    first.stepping.setting[PAUSE] = 1.0
    assert first.to(T_END, every=True, look=stop) == INTERRUPTED
    assert (0.0 < first.t or call == 1) and first.t < T_END
    for ours, theirs in zip(second.stepping, first.stepping):
        ours[:] = theirs
    for array in first.stepping:
        array[:] = 0
    assert second.to(T_END, every=True) == OK
    rows, events = len(second.samples[0]), len(second.events[0])
    assert np.array_equal(second.samples[0], straight.samples[0][-rows:])
    assert np.array_equal(second.samples[1], straight.samples[1][-rows:])
    assert np.array_equal(second.events[0], straight.events[0][-events:])
    assert second.counts == straight.counts
    assert len(first.samples[0]) + rows == len(straight.samples[0])


@every_stepper
def test_looking_inside_steps_changes_nothing(method):
    """Neither where the path goes nor what is seen at other times."""
    blind, few, many = swinging(method), swinging(method), swinging(method)
    assert blind.to(T_END) == few.to(T_END, wanted=WANTED) == OK
    assert many.to(T_END, wanted=np.sort(np.concatenate([WANTED, WANTED[1:] - 0.01]))) == OK
    assert np.array_equal(blind.y, few.y) and np.array_equal(blind.y, many.y)
    assert np.array_equal(blind.events[0], many.events[0])
    times, states = many.samples
    assert np.array_equal(states[np.isin(times, WANTED)], few.samples[1])
    assert np.array_equal(few.samples[0], WANTED)


@every_stepper
def test_every_step_is_kept_and_an_event_twice(method):
    course = swinging(method)
    assert course.to(T_END, every=True) == OK
    times, states = course.samples
    again = np.flatnonzero(np.diff(times) == 0.0)
    assert np.array_equal(times[again], course.events[0])
    assert np.all(np.diff(times) >= 0.0) and times[0] == 0.0 and times[-1] == T_END
    assert np.array_equal(states[again + 1, 1], -0.9*states[again, 1]) and np.all(states[again, 1] < 0.0)
    assert np.all(states[again + 1, 0] == 0.0) and np.abs(states[again, 0]).max() < 1e-4
    assert len(times) == course.counts["steps"] + 1 + len(again)


@every_stepper
def test_wanted_times_at_the_ends_of_steps_and_at_events(method):
    scout = swinging(method)
    assert scout.to(T_END, every=True) == OK
    times, states = scout.samples
    event = scout.events[0][2]
    ends = np.unique(np.append(times[::3], event))
    course = swinging(method)
    assert course.to(T_END, wanted=ends) == OK
    assert np.array_equal(course.samples[0], ends)
    last = np.searchsorted(times, ends, side="right") - 1           # at an event: the state after it
    assert np.array_equal(course.samples[1], states[last])


@every_stepper
def test_wanted_times_may_come_more_than_once_and_be_none(method):
    course = pendulum(2.0, 2.0).course(method, **WAY)
    wanted = [0.0, 0.0, 0.7, 0.7, 0.7, 2.0, 2.0]
    assert course.to(2.0, wanted=wanted) == OK
    times, states = course.samples
    assert times.tolist() == wanted
    assert np.abs(states - swing(times, 2.0).T).max() < 2e-3
    course = pendulum(2.0, 2.0).course(method, **WAY)
    assert course.to(2.0) == OK and course.samples[0].tolist() == [] and course.events[0].tolist() == []

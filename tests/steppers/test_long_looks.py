"""One step may take ten thousand looks, and many functions may cross in it: pauses see the clock, looks stay few."""

import math

import numpy as np
import pytest
from steppers.problems import NOTHING, any_system

from fastdyn._jit import kernel
from fastdyn.layout import HALT, LOOKS, NODES, PAUSE, RATES, TRIED
from fastdyn.run.course import Course
from fastdyn.status import INTERRUPTED, OK, STOPPED
from fastdyn.steppers.desk import GAPS, RATE, SWITCH

pytestmark = pytest.mark.kernels
every_stepper = pytest.mark.parametrize("method", any_system)
T_END, LEVELS = 2.0, 60


@kernel(RATE)
def steady(handle, t, y, dy):
    dy[0] = 1.0
    return 0


@kernel(GAPS)
def falling_wave(handle, t, y, gaps):
    """Through zero after 1 s only, then in every wave"""
    gaps[0] = 2.0 - t + math.sin(1e3*y[0])
    return 0


@kernel(GAPS)
def teeth(handle, t, y, gaps):
    gaps[0] = math.sin(1e3*y[0])
    return 0


@kernel(GAPS)
def deep_teeth(handle, t, y, gaps):
    gaps[0] = 1.0 - 1.5*math.sin(100.0*math.pi*t)
    return 0


@kernel(GAPS)
def levels(handle, t, y, gaps):
    """Of times in no order, each of them of two functions"""
    for i in range(LEVELS):
        gaps[i] = y[0] - (1.0 + (7*i) % (LEVELS//2))/LEVELS
    return 0


@kernel(SWITCH)
def stop(handle, t, y, which, direction, sides):
    return HALT


def waved(method, look=lambda course: OK, t_end=T_END, **settings):
    course = Course(steady, NOTHING, [0.0], method=method, gaps=falling_wave, watch=[0], **settings)
    course.stepping.setting[PAUSE] = 1.0
    return course, course.to(t_end, look=look)


def often(course):
    """Always the shortest talk"""
    course.stepping.setting[PAUSE] = 1.0
    seen.append(course.stepping.count[LOOKS] + course.stepping.count[RATES])
    inside.append(course.stepping.clock[TRIED] > 0.0)
    return OK


seen, inside = [], []


@every_stepper
def test_a_step_is_looked_into_in_pieces(method):
    """Each call ends soon, most within a step, and no bit is another."""
    seen.clear(), inside.clear()
    rarely, paused = waved(method, h_max=0.7), waved(method, often, h_max=0.7)
    assert paused[1] == rarely[1] == OK and sum(inside) > 100
    root_and_piece = 40*NODES
    assert np.diff(seen).max() < root_and_piece
    a, b = rarely[0], paused[0]
    assert len(a.events[0]) > 300 and all(map(np.array_equal, a.events, b.events))
    assert np.array_equal(a.y, b.y) and a.counts == b.counts


@every_stepper
def test_a_copy_made_within_a_step_goes_on_to_the_bit(method):
    def stop(course):
        often(course)
        return INTERRUPTED if inside[-1] and len(inside) > 50 else OK

    inside.clear()
    (whole, _), (part, status) = waved(method), waved(method, stop)
    assert status == INTERRUPTED and part.stepping.clock[TRIED] > 0.0
    assert part.searching.startswith("looking for events in a step of ") and whole.searching == ""
    rest = Course(steady, NOTHING, [0.0], method=method, gaps=falling_wave, watch=[0])
    part.checkpoint().put_into(rest)
    assert rest.to(T_END) == OK
    before, after = len(part.events[0]), len(rest.events[0])
    assert before + after == len(whole.events[0]) and np.array_equal(rest.events[0], whole.events[0][before:])
    assert np.array_equal(rest.y, whole.y) and rest.counts == whole.counts


@every_stepper
def test_a_run_that_is_to_end_within_that_step_does(method):
    def stop(course):
        often(course)
        return INTERRUPTED if inside[-1] else OK

    inside.clear()
    course, status = waved(method, stop, t_end=100.0)
    assert status == INTERRUPTED
    nearer = course.t + 1e-3*T_END
    assert course.to(nearer) == OK and course.t == nearer and course.y[0] == pytest.approx(nearer, abs=1e-12)


@every_stepper
def test_many_crossings_in_a_step_are_looked_for_as_often_as_there_are(method):
    """Not as often as there are functions times that."""
    course = Course(steady, NOTHING, [0.0], method=method, gaps=levels, watch=[0]*LEVELS)
    assert course.to(1.0) == OK
    times, what = course.events
    expected = np.repeat(np.arange(1, LEVELS//2 + 1)/LEVELS, 2)
    assert len(times) == LEVELS and np.abs(times - expected).max() < 1e-8 and set(what[:, 1]) == {1}
    assert sorted(what[:, 0]) == list(range(LEVELS)) and np.all(np.diff(what[:, 0])[::2] > 0)
    assert course.stepping.count[LOOKS] < 12*(course.counts["steps"] + LEVELS)


@every_stepper
def test_thousands_of_waves_in_a_step_have_all_their_zeros(method):
    """Also where a step has whole thousands of waves, and all its places would see the same of each."""
    course = Course(steady, NOTHING, [0.0], method=method, gaps=teeth, watch=[0])
    assert course.to(7.0) == OK
    times, what = course.events
    assert len(times) == 2228 and np.abs(times - 1e-3*math.pi*np.arange(1, 2229)).max() < 1e-8
    assert np.all(what[:, 1] == np.resize([-1, 1], 2228))


@every_stepper
def test_a_first_step_of_a_thousand_waves_ends_at_the_first_zero(method):
    course = Course(steady, NOTHING, [0.0], method=method, gaps=deep_teeth, switch=stop, watch=[-1], h_min=20.0,
                    h_max=20.0, h_first=20.0)
    assert course.to(20.0) == STOPPED
    assert course.t == pytest.approx(math.asin(1/1.5)/(100.0*math.pi), abs=1e-8)

"""Events that are only logged: what rounding or the error of a path does to a function is none, everything else is."""

import math

import numpy as np
import pytest
from steppers.problems import NOTHING, any_system

from fastdyn._jit import kernel
from fastdyn.layout import LOOKS
from fastdyn.run.course import Course
from fastdyn.status import OK
from fastdyn.steppers.desk import GAPS, RATE

every_stepper = pytest.mark.parametrize("method", any_system)


@kernel(RATE)
def damped_swing(handle, t, y, dy):
    """A rod hung up, its angle from level: at rest far from zero."""
    dy[0] = y[1]
    dy[1] = -14.715*math.cos(y[0]) - 1.5*y[1]
    return 0


@kernel(GAPS)
def angle_from_hanging(handle, t, y, gaps):
    gaps[0] = y[0] + 0.5*math.pi
    return 0


@kernel(GAPS)
def speed(handle, t, y, gaps):
    gaps[0] = y[1]
    return 0


@kernel(RATE)
def swing_about(handle, t, y, dy):
    """About y[2]"""
    dy[0] = y[1]
    dy[1] = -(y[0] - y[2])
    dy[2] = 0.0
    return 0


@kernel(GAPS)
def distance(handle, t, y, gaps):
    gaps[0] = y[0] - y[2]
    return 0


@kernel(RATE)
def clock(handle, t, y, dy):
    dy[0] = 1.0
    dy[1] = dy[2] = dy[3] = 0.0
    return 0


@kernel(GAPS)
def wave_and_rounding(handle, t, y, gaps):
    """y[1] sin(y[2] t + 0.5), and what rounding makes of y[3] (sin a - 2 sin a/2 cos a/2), either way, as by chance"""
    a = y[2]*t + 1.0
    gaps[0] = y[1]*math.sin(y[2]*t + 0.5) + y[3]*(math.sin(a) - 2.0*math.sin(0.5*a)*math.cos(0.5*a))
    return 0


@every_stepper
@pytest.mark.parametrize("gaps", [angle_from_hanging, speed])
@pytest.mark.parametrize("rtol, atol", [(1e-6, 1e-8), (1e-8, 1e-10), (1e-9, 1e-12)])
def test_what_comes_to_rest_has_few_events_and_costs_few_looks(method, gaps, rtol, atol):
    """Each swing down to the tolerance has its two, then there is about one a step at most; CHATTER stops no run.

    Two at one instant: the path touched zero, for what is known of it.
    """
    course = Course(damped_swing, NOTHING, [0.0, 0.0], method=method, gaps=gaps, watch=[0], rtol=rtol, atol=atol,
                    max_steps=20000)
    assert course.to(60.0) == OK
    times, what = course.events
    swings = times[times < -math.log(30*rtol)/0.75]
    assert len(swings) >= 16 and np.abs(np.diff(swings) - np.diff(swings)[-1]).max() < 0.1
    assert np.all(what[:len(swings), 1] == what[0, 1]*(-1)**np.arange(len(swings)))
    assert len(times) < 150 and np.diff(times).min() >= 0.0
    assert course.stepping.count[LOOKS] < 60*(course.counts["steps"] + len(times))


@every_stepper
@pytest.mark.parametrize("middle, amplitude", [(0.0, 1e-250), (0.0, 1e-15), (1.0, 1e-9), (1.0, 1e-3)])
def test_swings_above_rounding_are_logged_however_small(method, middle, amplitude):
    rtol = 1e-8 if middle == 0.0 else 1e-12
    course = Course(swing_about, NOTHING, [middle + amplitude, 0.0, middle], method=method, gaps=distance, watch=[0],
                    rtol=rtol, atol=rtol*amplitude)
    assert course.to(30.0) == OK
    times, what = course.events
    assert what[:, 1].tolist() == [-1, 1]*5
    late = 1e-4 if amplitude != 1e-9 else 1.0 if method == "abm4" else 0.4      # abm4: rounding of 6e7 steps
    assert np.abs(times - math.pi*(np.arange(10) + 0.5)).max() < late


def test_a_crossing_that_takes_many_steps_is_logged_once():
    """A swing of a picometre: near zero, for fifty steps, rounding takes it to and fro."""
    course = Course(clock, NOTHING, [0.0, 1e-12, 1e3, 10.0], gaps=wave_and_rounding, watch=[0], h_max=2e-8,
                    h_first=2e-8)
    assert course.to(8e-3) == OK
    times, what = course.events
    assert what[:, 1].tolist() == [-1, 1]
    assert np.abs(times - np.array([math.pi - 0.5, 2*math.pi - 0.5])*1e-3).max() < 1e-5


@every_stepper
def test_what_is_only_logged_may_happen_as_often_as_it_does(method):
    """More often than `max_switches` allows what changes something."""
    course = Course(clock, NOTHING, [0.0, 1.0, 1e3, 0.0], method=method, gaps=wave_and_rounding, watch=[0],
                    max_switches=1)
    assert course.to(3.0) == OK
    times, _ = course.events
    expected = 1e-3*(math.pi*np.arange(1, 956) - 0.5)
    assert len(times) == 955 and np.abs(times - expected).max() < 1e-8

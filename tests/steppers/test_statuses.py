"""Every way a run can end early: the word, its sentence, and the last good state."""

import math

import numpy as np
import pytest
from steppers.problems import NOTHING, any_system, fall_of_a_pendulum, kepler, pendulum, swing

from fastdyn._jit import kernel
from fastdyn.layout import LOOKS, PAUSE
from fastdyn.run.course import Course
from fastdyn.status import (
    INTERRUPTED, NEWTON_FAILED, NOT_FINITE, OK, OUT_OF_TIME, SENTENCE, SINGULAR_INERTIA, STEP_TOO_SMALL, TOO_MANY_STEPS,
    SimulationError)
from fastdyn.steppers import STEPPERS
from fastdyn.steppers.desk import GAPS, RATE

every_stepper = pytest.mark.parametrize("method", STEPPERS)


def ended(status, expected):
    assert status == expected and SENTENCE[expected] in str(SimulationError(status))


@kernel(RATE)
def nan_after_one(handle, t, y, dy):
    dy[0] = y[1]
    dy[1] = -math.sin(y[0]) if t <= 1.0 else math.nan
    return 0


@kernel(RATE)
def infinite_below(handle, t, y, dy):
    dy[0] = y[1]
    dy[1] = -math.sin(y[0]) if y[0] > 1.0 else math.inf
    return 0


@kernel(RATE)
def singular_after_one(handle, t, y, dy):
    dy[0] = y[1]
    dy[1] = -math.sin(y[0])
    return 0 if t <= 1.0 else 1


@kernel(GAPS)
def gap_that_fails(handle, t, y, gaps):
    gaps[0] = 1.0
    return 0 if t <= 1.0 else 2


def course_of(rate, method, y=(2.0, 0.0), **more):
    return Course(rate, NOTHING, y, method=method, rtol=1e-6, atol=1e-6, **more)


@pytest.mark.kernels
@every_stepper
@pytest.mark.parametrize("rate, expected", [(nan_after_one, NOT_FINITE), (singular_after_one, SINGULAR_INERTIA)])
def test_a_rate_that_fails_midway(method, rate, expected):
    course = course_of(rate, method)
    ended(course.to(5.0, every=True), expected)
    assert 0.99 < course.t <= 1.0 and np.all(np.isfinite(course.y))
    assert np.abs(course.y - swing(course.t, 2.0)).max() < 1e-3
    times, states = course.samples
    assert times[-1] == course.t and np.array_equal(states[-1], course.y)


@every_stepper
def test_a_rate_that_is_infinite_beyond_a_place(method):
    course = course_of(infinite_below, method)
    assert course.to(5.0) in (NOT_FINITE, NEWTON_FAILED)
    assert np.all(np.isfinite(course.y)) and 0.9 < course.y[0] < 1.1


@pytest.mark.parametrize("method", any_system)
@pytest.mark.parametrize("y", [(math.nan, 0.0), (math.inf, 0.0), (0.5, math.nan)])
def test_a_start_that_is_not_finite(method, y):
    course = course_of(fall_of_a_pendulum, method, y)
    ended(course.to(5.0), NOT_FINITE)
    assert course.t == 0.0 and np.array_equal(course.y, y, equal_nan=True)


@every_stepper
def test_a_switching_function_that_fails(method):
    course = course_of(fall_of_a_pendulum, method, gaps=gap_that_fails, watch=[0])
    assert course.to(5.0) == NOT_FINITE
    assert course.t <= 1.0 and np.all(np.isfinite(course.y))


@every_stepper
def test_a_step_that_had_to_be_too_small(method):
    problem = kepler(0.9, 6.0)
    course = problem.course(method, rtol=1e-12, atol=1e-12, h_min=0.2)
    status = course.to(problem.t_end)
    assert status in (STEP_TOO_SMALL, NEWTON_FAILED)
    ended(status, status)
    assert course.t < problem.t_end and np.all(np.isfinite(course.y))


@pytest.mark.kernels
@every_stepper
def test_too_many_steps(method):
    problem = pendulum()
    course = problem.course(method, rtol=1e-6, atol=1e-6, max_steps=7)
    ended(course.to(problem.t_end), TOO_MANY_STEPS)
    assert course.counts["steps"] == 7 and 0.0 < course.t < problem.t_end
    assert np.abs(course.y - swing(course.t, 2.0)).max() < 1e-4


@kernel(GAPS)
def noise(handle, t, y, gaps):
    gaps[0] = 2.0 + math.sin(1e12*t)
    return 0


def test_the_clock_is_read_where_looks_for_an_event_take_long():
    """A function that is nothing but noise has 1e5 looks at a step: they make a pause within the first one."""
    course = Course(fall_of_a_pendulum, NOTHING, [1.5, 0.0], gaps=noise, watch=[0])
    assert course.stepping.setting[PAUSE] >= 2000.0
    ended(course.to(100.0, look=lambda course: INTERRUPTED), INTERRUPTED)
    assert course.counts["steps"] == 0 and 1900 < course.stepping.count[LOOKS] < 3000


@every_stepper
def test_out_of_time(method):
    problem = pendulum()
    course = problem.course(method, rtol=1e-6, atol=1e-6)
    course.stepping.setting[PAUSE] = 1.0
    ended(course.to(problem.t_end, seconds=0.0), OUT_OF_TIME)
    assert 0.0 <= course.t < problem.t_end
    assert course.to(problem.t_end) == OK
    assert problem.error(course.y) < 1e-3

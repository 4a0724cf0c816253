"""Sides that switches leave to the motion, states that switches spoil: nothing falls through, nothing is lost."""

import math

import numpy as np
import pytest
from steppers.problems import NOTHING, any_system

from fastdyn._jit import kernel
from fastdyn.layout import CHANGED, FAILED, HALT, JUDGED, RESTED
from fastdyn.run.course import Course
from fastdyn.status import ACTION_FAILED, AT_REST, CHATTER, OK, STOPPED
from fastdyn.steppers.desk import GAPS, RATE, SWITCH

every_stepper = pytest.mark.parametrize("method", any_system)
G = 9.81


@kernel(RATE)
def flight(handle, t, y, dy):
    """Height, speed, restitution, a pull upward"""
    dy[0] = y[1]
    dy[1] = y[3] - 9.81
    dy[2] = 0.0
    dy[3] = 0.0
    return 0


@kernel(RATE)
def timed_flight(handle, t, y, dy):
    """As `flight`, and the time"""
    dy[0] = y[1]
    dy[1] = -9.81
    dy[2] = 0.0
    dy[3] = 1.0
    return 0


@kernel(GAPS)
def floor(handle, t, y, gaps):
    """A floor at 1 m, so that heights there are rounded"""
    gaps[0] = y[0] - 1.0
    return 0


@kernel(GAPS)
def floor_that_rises(handle, t, y, gaps):
    gaps[0] = y[0] - 1.0 - 5.0*t
    return 0


@kernel(SWITCH)
def bounce(handle, t, y, which, direction, sides):
    """It ignores what it is asked and where the ball is."""
    y[1] = -y[2]*y[1]
    sides[which] = JUDGED
    return HALT if direction == RESTED else CHANGED


@kernel(SWITCH)
def bounce_off_what_rises(handle, t, y, which, direction, sides):
    y[1] = 5.0 - y[2]*(y[1] - 5.0)
    sides[which] = JUDGED
    return CHANGED


@kernel(SWITCH)
def pull(handle, t, y, which, direction, sides):
    """The ball goes on through, at first as fast as it came."""
    y[3] = 20.0
    sides[which] = JUDGED
    return CHANGED


@kernel(SWITCH)
def nothing_done(handle, t, y, which, direction, sides):
    sides[which] = JUDGED
    return HALT


@kernel(SWITCH)
def spoil(handle, t, y, which, direction, sides):
    """No number, unless the third component says otherwise"""
    y[1] = -y[1] if y[2] == 1.0 else math.nan
    sides[which] = JUDGED
    return CHANGED


@kernel(SWITCH)
def lift(handle, t, y, which, direction, sides):
    y[0] = 9.0
    sides[which] = JUDGED
    return CHANGED


@kernel(SWITCH)
def slow_down(handle, t, y, which, direction, sides):
    y[1] = 0.5*y[1]
    sides[which] = JUDGED
    return CHANGED


@kernel(SWITCH)
def give_up(handle, t, y, which, direction, sides):
    y[0] = 7.0
    return FAILED


def ball(method, gives, switch=bounce, gaps=floor, height=2.0, **settings):
    return Course(flight, NOTHING, [height, 0.0, gives, 0.0], method=method, gaps=gaps, switch=switch, watch=[-1],
                  **settings)


@pytest.mark.kernels
@every_stepper
@pytest.mark.parametrize("gives", [0.9, 0.5, 1e-3, 1e-6, 0.0])
@pytest.mark.parametrize("capture, end", [(0.0, CHATTER), (1e-7, AT_REST)])
def test_no_ball_falls_through_the_floor(method, gives, capture, end):
    course = ball(method, gives, capture=capture)
    assert course.to(10.0, every=True) == end
    rest = math.sqrt(2/G)*(1 + gives)/(1 - gives)
    assert abs(course.t - rest) < 1e-5 and abs(course.y[1]) < 1e-5
    assert course.samples[1][:, 0].min() > 1.0 - 1e-6


@every_stepper
def test_a_floor_that_rises_lets_nothing_through(method):
    course = ball(method, 0.5, bounce_off_what_rises, floor_that_rises)
    assert course.to(30.0) == CHATTER
    touch = (-5.0 + math.sqrt(25.0 + 2*G))/G
    rest = touch + 2*0.5*(5.0 + G*touch)/G/(1 - 0.5)
    assert abs(course.t - rest) < 1e-5 and abs(course.y[1] - 5.0) < 1e-5


@every_stepper
@pytest.mark.parametrize("gives", [0.5, 0.8])
def test_the_clock_and_the_state_are_of_the_same_time(method, gives):
    """Also where rounding hides how far a step is from its event: bounces of a micrometre at 9 m, 5 m/s."""
    course = Course(timed_flight, NOTHING, [2.0, 0.0, gives, 0.0], method=method, gaps=floor_that_rises,
                    switch=bounce_off_what_rises, watch=[-1])
    assert course.to(30.0, every=True) == CHATTER
    times, states = course.samples
    assert np.abs(states[:, 3] - times).max() < 2e-14*len(times)


@every_stepper
@pytest.mark.parametrize("height", [2.0, 1.0 + 1e-6])
def test_what_goes_on_through_zero_fires_once_until_it_comes_back(method, height):
    course = ball(method, 0.0, pull, height=height)
    assert course.to(4.0) == OK
    assert course.events[1].tolist() == [[0, -1]]
    fall, speed = math.sqrt(2*(height - 1.0)/G), math.sqrt(2*G*(height - 1.0))
    left = 4.0 - fall
    assert abs(course.y[0] - (1.0 - speed*left + 0.5*(20.0 - G)*left**2)) < 1e-6 and course.stepping.side[0] == 1


@every_stepper
def test_an_end_that_changes_nothing_can_be_gone_on_from(method):
    course = ball(method, 0.0, nothing_done)
    assert course.to(1.0, every=True) == STOPPED
    times = course.samples[0]
    assert len(set(times)) == len(times) and abs(course.t - math.sqrt(2/G)) < 1e-9
    assert course.to(1.0) == OK and abs(course.y[0] - (2.0 - G/2)) < 1e-9 and len(course.events[0]) == 1


@every_stepper
@pytest.mark.parametrize("switch", [spoil, give_up])
def test_a_switch_that_fails_leaves_the_state_before_it(method, switch):
    course = ball(method, 0.0, switch)
    assert course.to(2.0, every=True) == ACTION_FAILED
    fall = math.sqrt(2/G)
    assert abs(course.t - fall) < 1e-5 and np.abs(course.y - [1.0, -G*fall, 0.0, 0.0]).max() < 1e-4
    times, states = course.samples
    assert times[-1] == course.t and np.array_equal(states[-1], course.y) and len(course.events[0]) == 0


@every_stepper
def test_a_switch_that_failed_is_asked_again_when_the_run_goes_on(method):
    course = ball(method, 0.0, spoil)
    assert course.to(1.0) == ACTION_FAILED
    t = course.t
    course.stepping.y[2] = 1.0
    assert course.to(1.0) == OK
    assert course.events[0].tolist() == [t] and course.y[0] > 1.0


@every_stepper
@pytest.mark.parametrize("speed, fired", [(-1.0, [0.0]), (0.0, [0.0]), (5.0, []), (1.0, [1.0/G])])
def test_beyond_zero_fires_as_soon_as_it_does_not_come_back(method, speed, fired):
    """From half a metre below the floor; the side is given."""
    course = ball(method, 1.0, lift, height=0.5, h_max=0.05)
    course.stepping.y[1], course.stepping.side[0] = speed, 1
    assert course.to(0.4) == OK
    assert len(course.events[0]) == len(fired)
    assert np.allclose(course.events[0], fired, rtol=0, atol=0.06)


@every_stepper
@pytest.mark.parametrize("height, speed", [(1.0, -3.0), (0.7, -1.0), (1.0 - 1e-9, -3.0)])
def test_what_goes_on_from_zero_or_beyond_fires_once(method, height, speed):
    """The side is given, before zero."""
    course = ball(method, 0.0, slow_down, height=height)
    course.stepping.y[1], course.stepping.side[0] = speed, 1
    assert course.to(0.3) == OK
    assert course.events[0].tolist() == [0.0] and abs(course.y[1] - (0.5*speed - 0.3*G)) < 1e-9

"""Every stepper: its order at fixed steps, inside its steps, and errors that follow the tolerance."""

import math

import numpy as np
import pytest
from steppers.problems import NOTHING, inside_order, kepler, pendulum, swing

from fastdyn._address import handle_of
from fastdyn._jit import kernel
from fastdyn.describe.catalog import n_pendulum
from fastdyn.formulations import rates
from fastdyn.layout import LOG_ERROR, work_of
from fastdyn.run.course import Course
from fastdyn.status import NEWTON_FAILED, OK, STEP_TOO_SMALL
from fastdyn.steppers import STEPPERS, stepper
from fastdyn.steppers.adams import ORDER
from fastdyn.steppers.desk import RATE

every_stepper = pytest.mark.parametrize("method", STEPPERS)
one_order = pytest.mark.parametrize("method", [name for name in STEPPERS if stepper(name).order > 1])  # 1: it chooses
SWING = pendulum(1.0, 8.0)
FACTORS = {"bs32": 500.0, "rkf45": 200.0, "dopri5": 90.0, "esdirk4": 250.0, "gen-alpha": 90.0, "newmark": 90.0}


def fixed(problem, method, steps, **settings):
    """A run of equal steps; errors are let pass, equations solved to rounding."""
    h = problem.t_end/steps
    return problem.course(method, rtol=1e-300, atol=1.0, h_min=h, h_max=h, h_first=h, newton_tol=1e-13, **settings)


def slope(x, y, points=3):
    return np.polyfit(np.log(x[-points:]), np.log(y[-points:]), 1)[0]


def distance(states, expected):
    return float(np.max(np.sqrt(np.sum((states - expected.T)**2, axis=1))))


# -------------------------------------------------------------------------------------------------------- fixed steps

@one_order
def test_order(method):
    counts, errors = [], []
    for steps in np.round(16*2.0**(np.arange(17)/2)).astype(int):
        course = fixed(SWING, method, steps)
        if course.to(SWING.t_end, every=True) != OK:        # too long a step for an iteration
            continue
        times, states = course.samples
        assert course.counts["steps"] == steps and len(times) == steps + 1
        counts.append(steps)
        errors.append(distance(states, swing(times, 1.0)))
        if errors[-1] < 2e-12:
            break
    assert -slope(counts, errors) == pytest.approx(stepper(method).order, abs=0.1)


@kernel(RATE)
def drawn_to_a_circle(handle, t, y, dy):
    """Sine and cosine of 20 t, and what is beside them goes back to them"""
    c, s = math.cos(20.0*t), math.sin(20.0*t)
    dy[0] = 20.0*c - (y[0] - s)
    dy[1] = -20.0*s - (y[1] - c)
    return 0


def circle(t):
    """(states, rates), a row for each time"""
    s, c = np.sin(20.0*t), np.cos(20.0*t)
    return np.stack([s, c], axis=-1), 20.0*np.stack([c, -s], axis=-1)


def at_order(k, steps):
    """The largest error of Adams's steps of order k, all equal, from a past without error.

    Every step is one that was cut: order and step stay what they were.
    """
    h, climb = 2.0/steps, 16
    course = Course(drawn_to_a_circle, NOTHING, [0.0, 1.0], method="adams", rtol=1e-300, atol=1.0, h_min=h, h_max=h,
                    h_first=1.9*h, max_order=k)
    assert course.to(climb*h) == OK and course.counts["steps"] == climb
    s, past = course.stepping, circle((climb - np.arange(k))*h)
    s.y[:2], s.rate[:2], differences = past[0][0], past[1][0], past[1]
    phi = s.stage.reshape(-1, len(s.y))
    for i in range(k):
        phi[i, :2], differences = differences[0], differences[:-1] - differences[1:]
    assert course.to(2.0 + climb*h, every=True) == OK and course.counts["steps"] == steps + climb
    assert s.count[ORDER] == k
    times, states = course.samples
    return distance(states, circle(times)[0].T)


@pytest.mark.parametrize("k", range(1, 13))
def test_each_order_of_adams(k):
    """Order k is carried on as k + 1; on a path whose errors are seen before equations get unstable."""
    counts = np.round(80*2.0**(np.arange(36)/4)).astype(int)
    errors = []
    for steps in counts:
        errors.append(at_order(k, steps))
        if errors[-1] < 2e-12 or steps > 2000:
            break
    assert -slope(counts[:len(errors)], errors) == pytest.approx(k + 1, abs=0.1)


@one_order
def test_order_inside_a_step(method):
    """One step from the closed form, started at many places, looked at inside."""
    if inside_order(method) is None:
        pytest.skip("the step as a function stands on many steps before it")
    sizes, errors = 2.0**(-np.arange(3, 11)/2), []
    for h in sizes:
        worst = 0.0
        for t in np.linspace(0.1, 6.0, 8):
            start = SWING._replace(y=tuple(swing(t, 1.0)), t_end=h)
            course, x = fixed(start, method, 1), np.linspace(0.1, 0.9, 9)*h
            assert course.to(h, wanted=x) == OK
            assert course.counts["steps"] == 1
            worst = max(worst, distance(course.samples[1], swing(t + x, 1.0)))
        errors.append(worst)
        if worst < 1e-13:
            break
    assert slope(sizes[:len(errors) - 1], errors[:-1]) == pytest.approx(inside_order(method) + 1, abs=0.25)


def test_time_and_state_do_not_drift_apart():
    """Steps that are no sum of powers of two: what rounding does to time must be what it does to the step."""
    problem = kepler(0.05, 20.0)
    course = fixed(problem, "rkf45", 741_455)
    assert course.to(problem.t_end) == OK
    assert problem.error(course.y) < 1e-11


# --------------------------------------------------------------------------------------------------------- tolerances

@every_stepper
def test_errors_follow_the_tolerance(method):
    """On a path that is neither stable nor unstable; on others the ratio is what the problem makes of errors.

    Methods of order two need 14000 steps for 1e-8: so far they are followed.
    """
    problem, ratios = pendulum(2.0, 5.0), []
    tolerances = 10.0**-np.arange(4.0, 8.5 if stepper(method).order == 2 else 12.5, 0.5)
    for tolerance in tolerances:
        course = problem.course(method, rtol=tolerance, atol=tolerance)
        assert course.to(problem.t_end, every=True) == OK
        times, states = course.samples
        expected = swing(times, 2.0).T
        ratios.append(np.max(np.abs(states - expected)/(1.0 + np.abs(expected)))/tolerance)
    assert slope(tolerances, ratios*tolerances, len(ratios)) == pytest.approx(1.0, abs=0.1)
    assert 0.1 < min(ratios) and max(ratios) < 10.0


@pytest.fixture(scope="module")
def three_links():
    """Course of a chain of three links by method and tolerance, and states of it that a fine one finds."""
    chain = n_pendulum(3, length=3.0, mass=3.0, angle=0.5)
    handle, rate = handle_of(chain.model, work_of(chain.model), chain.nq), rates.rate(chain.model)
    times = np.linspace(0.0, 5.0, 101)

    def states(method, tolerance):
        course = Course(rate, handle, np.concatenate(chain.start_state()), method=method, rtol=tolerance,
                        atol=tolerance)
        assert course.to(5.0, wanted=times) == OK
        return course.samples[1]

    return states, states("dop853", 3e-15)


@every_stepper
def test_errors_of_a_chain_follow_the_tolerance(method, three_links):
    """By a factor that is the chain's and the method's, the same within a decade at every tolerance."""
    states, expected = three_links
    tolerances = 10.0**-np.arange(4.0, 8.5 if stepper(method).order == 2 else 12.5)
    errors = [np.max(np.abs(states(method, x) - expected)/(1.0 + np.abs(expected))) for x in tolerances]
    assert slope(tolerances, errors, len(errors)) == pytest.approx(1.0, abs=0.1)
    ratios = errors/tolerances
    assert max(ratios) < 10.0*min(ratios) and max(ratios) < FACTORS.get(method, 30.0)


@kernel(RATE)
def two_springs(handle, t, y, dy):
    dy[0] = y[2]
    dy[1] = y[3]
    dy[2] = -y[0]
    dy[3] = -25.0*y[1]
    return 0


@every_stepper
def test_absolute_tolerance_is_one_for_each_component(method):
    """What nobody cares for costs less: here the faster of two springs that do not know of each other."""
    def steps(atol):
        course = Course(two_springs, NOTHING, [1.0, 1.0, 0.0, 0.0], method=method, rtol=1e-14, atol=atol)
        assert course.to(10.0) == OK
        assert abs(course.y[0] - np.cos(10.0)) < (1e-4 if stepper(method).order == 2 else 1e-6)
        return course.counts["steps"]

    strict, each, loose = steps(1e-8), steps([1e-8]*4), steps([1e-8, 1e-1, 1e-8, 1e-1])
    assert strict == each and loose < 0.8*strict


@every_stepper
def test_steps_keep_within_their_limits(method):
    problem = kepler(0.6, 6.0)
    loose = 1e-2 if stepper(method).order == 2 else 1e-6
    course = problem.course(method, rtol=loose, atol=loose, h_max=0.05, h_first=1e-4)
    assert course.to(problem.t_end, every=True) == OK
    sizes = np.diff(course.samples[0])
    assert sizes[0] == 1e-4 and sizes.max() <= 0.05*1.01 + 1e-15
    assert np.count_nonzero(sizes > 0.049) > 5
    course = problem.course(method, rtol=1e-12, atol=1e-12, h_min=0.2)
    assert course.to(problem.t_end) in (STEP_TOO_SMALL, NEWTON_FAILED)


@every_stepper
def test_the_end_is_met_exactly_and_no_crumb_is_left_before_it(method):
    course = pendulum().course(method, rtol=1e-6, atol=1e-6)
    for t_end in (0.1, 0.1 + 1e-13, 1/3, 2.0):
        assert course.to(t_end, every=True) == OK
        assert course.t == t_end
    sizes = np.diff(course.samples[0])
    assert np.all(sizes > 0.0)
    off = distance(course.samples[1][-1:], swing(np.array([2.0]), 2.0))
    assert off < (2e-4 if stepper(method).order == 2 else 3e-5)
    assert -20.0 < course.stepping.clock[LOG_ERROR] <= 0.0

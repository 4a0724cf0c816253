"""Implicit steppers: published numbers, what stiffness costs, what they refuse and how they fail."""

import math

import numpy as np
import pytest
from steppers.problems import HIRES, NOTHING, ROBERTSON, VAN_DER_POL, pendulum, swing

from fastdyn._address import Handle
from fastdyn._jit import kernel
from fastdyn.layout import SAMPLE
from fastdyn.run.course import Course
from fastdyn.status import NEWTON_FAILED, NOT_FINITE, NOT_SECOND_ORDER, OK, STEP_TOO_SMALL, ModelError
from fastdyn.steppers.desk import GAPS, RATE, SWITCH

pytestmark = pytest.mark.kernels
STIFF = ("radau5", "esdirk4")
SECOND_ORDER = ("gen-alpha", "newmark")
stiff = pytest.mark.parametrize("method", STIFF)
second_order = pytest.mark.parametrize("method", SECOND_ORDER)
everyone = pytest.mark.parametrize("method", STIFF + SECOND_ORDER)


# -------------------------------------------------------------------------------------------------- published numbers

@stiff
@pytest.mark.parametrize("problem, atol", [
    (VAN_DER_POL, 1e-6), (HIRES, 1e-10), (ROBERTSON, np.array([1e-12, 1e-17, 1e-6]))],
    ids=["van der pol", "hires", "robertson"])
def test_published_numbers(method, problem, atol):
    course = problem.course(method, rtol=1e-6, atol=atol)
    assert course.to(problem.t_end) == OK
    assert problem.error(course.y) < 2e-5


# ---------------------------------------------------------------------------------------------------- cost of stiffness

@kernel(RATE)
def drawn_to_a_cosine(handle, t, y, dy):
    dy[0] = -float(handle[0])*(y[0] - math.cos(t))
    return 0


@kernel(RATE)
def springs_in_line(handle, t, y, dy):
    """Masses of a kilogram between springs of stiffness handle[0], damped, the last pulled slowly to and fro."""
    n, k = handle[1], float(handle[0])
    for i in range(n):
        left = y[i] - (y[i - 1] if i > 0 else 0.0)
        right = (y[i + 1] if i < n - 1 else y[i]) - y[i]
        dy[i] = y[n + i]
        dy[n + i] = k*(right - left) + (k*math.sin(t) if i == n - 1 else 0.0)
    return 0


@kernel(RATE)
def masses_on_springs(handle, t, y, dy):
    """Masses of a kilogram in the plane, each hung on the one before by a spring of length one, stiffness handle[0]."""
    n, k = handle[1], float(handle[0])
    for i in range(2*n):
        dy[i] = y[2*n + i]
        dy[2*n + i] = -9.81*(i % 2)
    for i in range(n):
        x, z = y[2*i], y[2*i + 1]
        if i > 0:
            x, z = x - y[2*i - 2], z - y[2*i - 1]
        length = math.sqrt(x*x + z*z)
        pull = k*(length - 1.0)/length
        dy[2*n + 2*i] -= pull*x
        dy[2*n + 2*i + 1] -= pull*z
        if i > 0:
            dy[2*n + 2*i - 2] += pull*x
            dy[2*n + 2*i - 1] += pull*z
    return 0


def with_stiffness(k, n=0):
    return np.array([k, n, 0, 0], np.int64).view(Handle)


@stiff
@pytest.mark.parametrize("rtol", [1e-4, 1e-7])
def test_a_stiffer_test_equation_costs_no_more(method, rtol):
    def run(k):
        course = Course(drawn_to_a_cosine, with_stiffness(k), [1.0], method=method, rtol=rtol, atol=rtol)
        assert course.to(10.0) == OK
        exact = (k*k*math.cos(10.0) + k*math.sin(10.0))/(k*k + 1.0)
        assert abs(course.y[0] - exact) < 30*rtol
        return course.counts

    soft, hard = run(10**3), run(10**8)
    assert hard["steps"] <= 2*soft["steps"] and hard["evaluations"] <= 2*soft["evaluations"]
    assert hard["jacobians"] <= 2


def test_a_stiffer_line_of_springs_costs_radau_no_more(method="radau5"):
    """Drawn by its end from rest, at the rate that fits: the stiff line follows as one."""
    def run(k, n=10):
        start = np.append(np.zeros(n), np.arange(1, n + 1))
        course = Course(springs_in_line, with_stiffness(k, n), start, method=method, rtol=1e-5, atol=1e-5)
        assert course.to(3.0) == OK
        return course.counts, course.y[:n]

    (soft, _), (hard, end) = run(10**3), run(10**8)
    assert end == pytest.approx(np.arange(1, 11)*math.sin(3.0), abs=1e-4)
    assert hard["steps"] <= 2*soft["steps"] and hard["evaluations"] <= 2*soft["evaluations"]


@pytest.mark.parametrize("n, rtol", [(1, 1e-4), (5, 1e-4), (5, 1e-7)])
def test_stiff_springs_that_turn_cost_radau_little_more_steps(n, rtol):
    def run(k):
        start = np.zeros(4*n)
        start[0:2*n:2] = np.arange(1, n + 1)
        course = Course(masses_on_springs, with_stiffness(k, n), start, method="radau5", rtol=rtol, atol=rtol)
        assert course.to(1.0) == OK
        return course.counts["steps"]

    assert run(10**8) <= 2.6*run(10**3)


@everyone
def test_a_mass_on_a_very_stiff_spring_is_a_pendulum(method):
    """Gravity 9.81 turns time by its root; the spring is longer by 3 g/K at most."""
    course = Course(masses_on_springs, with_stiffness(10**8, 1), [1.0, 0.0, 0.0, 0.0], method=method, rtol=1e-6,
                    atol=1e-6)
    assert course.to(1.0) == OK
    angle = swing(math.sqrt(9.81), math.pi/2)[0]
    assert course.y[:2] == pytest.approx([math.sin(angle), -math.cos(angle)], abs=2e-4)


@stiff
def test_a_linear_system_needs_one_jacobian_and_few_factors(method):
    course = Course(springs_in_line, with_stiffness(10, 4), [0.0]*8, method=method, rtol=1e-6, atol=1e-6)
    assert course.to(5.0) == OK
    counts = course.counts
    assert counts["jacobians"] == 1
    assert 1 <= counts["factorizations"] <= counts["steps"] + counts["rejected"]
    assert counts["iterations"] >= counts["steps"]
    stages = 3 if method == "radau5" else 1
    assert counts["evaluations"] >= 8 + stages*counts["iterations"] + counts["steps"]


# -------------------------------------------------------------------------------------------------------- equal steps

@kernel(RATE)
def drawn_by_sines(handle, t, y, dy):
    """From rest: neither the state nor its rate tells how far the first step goes."""
    dy[0] = y[1]
    dy[1] = math.sin(2.0*t)
    return 0


@everyone
@pytest.mark.parametrize("rtol", [1e-6, 1e-9])
def test_equal_steps_from_zero(method, rtol):
    fallen = Course(fall, NOTHING, [0.0, 0.0], method=method, rtol=rtol, atol=rtol, h_min=1e-2, h_max=1e-2)
    assert fallen.to(1.0) == OK
    assert fallen.counts["steps"] == 100
    assert fallen.y == pytest.approx([-4.905, -9.81], rel=1e-12)
    drawn = Course(drawn_by_sines, NOTHING, [0.0, 0.0], method=method, rtol=rtol, atol=rtol, h_min=1e-2, h_max=1e-2)
    assert drawn.to(10.0) == OK
    assert drawn.y == pytest.approx([5.0 - 0.25*math.sin(20.0), 0.5 - 0.5*math.cos(20.0)], abs=1e-3)


# ---------------------------------------------------------------------------------------------------- between the ends

@kernel(RATE)
def drawn_to_a_wave(handle, t, y, dy):
    """handle: stiffness, frequency; the second component lengthens the steps for itself."""
    dy[0] = -float(handle[0])*(y[0] - math.cos(float(handle[1])*t))
    dy[1] = -y[1]
    return 0


def wave(k, w, t): return (k*k*np.cos(w*t) + k*w*np.sin(w*t))/(k*k + w*w)


@stiff
@pytest.mark.parametrize("tol", [1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9])
@pytest.mark.parametrize("k, w", [(10**8, 1), (10**6, 5), (10**4, 5)])
def test_what_is_stiff_is_as_exact_between_the_ends_of_steps(method, k, w, tol):
    def errors(**wanted):
        course = Course(drawn_to_a_wave, with_stiffness(k, w), [wave(k, w, 0.0), 1.0], method=method, rtol=tol,
                        atol=tol)
        assert course.to(3.0, **wanted) == OK
        t, y = course.samples
        return np.abs(y - np.column_stack([wave(k, w, t), np.exp(-t)])).max(axis=0)/tol, course.counts["steps"]

    (at_ends, steps), (between, again) = errors(every=True), errors(wanted=np.linspace(0.0, 3.0, 301))
    assert again == steps
    if k == 10**8:
        assert between[0] < 1.0
    assert between[0] <= 2.0*max(1.0, at_ends[0])
    assert between[1] < 10.0


@stiff
@pytest.mark.parametrize("k, w", [(10**6, 5), (10**4, 5), (10**2, 5)])
def test_looks_next_to_the_ends_of_steps_are_the_ends(method, k, w):
    """What moves the polynomial of a step leaves no jump between steps."""
    def course():
        return Course(drawn_to_a_wave, with_stiffness(k, w), [1.0, 1.0], method=method, rtol=1e-7, atol=1e-7)

    steps, looked = course(), course()
    steps.to(3.0, every=True)
    t, y = steps.samples
    assert looked.to(3.0, wanted=np.sort(np.concatenate([t[:-1] + 1e-11, t[1:] - 1e-11]))) == OK
    _, near = looked.samples
    assert np.abs(near[0::2] - y[:-1]).max() < 1e-9 and np.abs(near[1::2] - y[1:]).max() < 1e-9


@kernel(GAPS)
def above_what_it_reaches(handle, t, y, gaps):
    gaps[0] = y[0] - 1.01
    gaps[1] = y[0]
    return 0


@stiff
@pytest.mark.parametrize("tol", [1e-4, 1e-6, 1e-8])
def test_events_see_where_what_is_stiff_is(method, tol):
    course = Course(drawn_to_a_wave, with_stiffness(10**6, 5), [1.0, 1.0], method=method, rtol=tol, atol=tol,
                    gaps=above_what_it_reaches, watch=[1, 0])
    assert course.to(3.0) == OK
    times, what = course.events
    assert what[:, 0].tolist() == [1]*5
    assert times == pytest.approx((np.arange(5) + 0.5)*math.pi/5 + 1e-6, abs=10*tol)


# -------------------------------------------------------------------------------------------- systems of second order

@kernel(RATE)
def spring(handle, t, y, dy):
    dy[0] = y[1]
    dy[1] = -float(handle[0])*y[0]
    return 0


def swung(method, k, h, steps, **settings):
    """Energies before and after equal steps of an oscillator with unit energy."""
    course = Course(spring, with_stiffness(k), [1.0/math.sqrt(k), 1.0], method=method, rtol=1e-300, atol=1.0, h_min=h,
                    h_max=h, h_first=h, newton_tol=1e-13, **settings)
    assert course.to(h*steps, every=True) == OK
    _, states = course.samples
    return 0.5*states[:, 1]**2 + 0.5*k*states[:, 0]**2


def test_average_acceleration_keeps_the_energy_of_an_oscillator():
    energy = swung("newmark", 4, 0.3, 200)
    assert energy == pytest.approx(energy[0], rel=1e-11)


@pytest.mark.parametrize("rho", [0.3, 0.5, 0.8])
def test_what_is_far_too_fast_is_damped_by_rho_a_step(rho):
    """rho is the spectral radius where h w is infinite: a double eigenvalue, so amplitudes go as k rho^k."""
    energy = swung("gen-alpha", 10**10, 1.0, 40, rho=rho)
    k = np.arange(41)
    assert np.sqrt(energy[40]/energy[30]) == pytest.approx(rho**10*k[40]/k[30], rel=0.1)


@second_order
def test_velocities_must_be_the_rates_of_coordinates(method):
    with pytest.raises(ModelError, match=r"a state of 3 numbers .* radau5"):
        Course(spring, NOTHING, [1.0, 0.0, 0.0], method=method)
    course = Course(turned, NOTHING, [1.0, 0.0], method=method)
    assert course.to(1.0) == NOT_SECOND_ORDER
    assert course.t == 0.0


@kernel(RATE)
def turned(handle, t, y, dy):
    dy[0] = -y[1]
    dy[1] = y[0]
    return 0


# --------------------------------------------------------------------------------------------------- the conversation

@kernel(RATE)
def fall(handle, t, y, dy):
    dy[0] = y[1]
    dy[1] = -9.81
    return 0


@kernel(GAPS)
def height(handle, t, y, gaps):
    gaps[0] = y[0]
    return 0


@kernel(SWITCH)
def bounce(handle, t, y, which, direction, sides):
    y[0], y[1] = 0.0, -0.8*y[1]
    sides[0] = 1
    return 1


@everyone
def test_events_within_long_steps(method):
    course = Course(fall, NOTHING, [1.0, 0.0], method=method, gaps=height, switch=bounce, watch=[-1])
    assert course.to(2.0) == OK
    first, rate = math.sqrt(2.0/9.81), math.sqrt(2.0*9.81)
    expected, t = [], first
    while t < 2.0:
        expected.append(t)
        rate *= 0.8
        t += 2.0*rate/9.81
    assert course.events[0] == pytest.approx(expected, abs=2e-8)


@everyone
def test_an_event_that_changes_nothing_does_not_disturb_the_steps(method):
    """The step is shortened to the event; the next one is as long as it would have been."""
    def steps(**watched):
        course = pendulum(2.0, 20.0).course(method, rtol=1e-5, atol=1e-5)
        if watched:
            p = pendulum(2.0, 20.0)
            course = Course(p.rate, NOTHING, p.y, method=method, rtol=1e-5, atol=1e-5, **watched)
        assert course.to(20.0) == OK
        return course.counts["steps"], course.counts["events"]

    (free, _), (watched, events) = steps(), steps(gaps=height, watch=[0])
    assert events > 4
    assert watched <= 1.3*free + 2*events


@everyone
def test_pauses_samples_and_copies_change_no_bits(method):
    def course():
        return pendulum(2.0, 6.0).course(method, rtol=1e-6, atol=1e-6)

    whole, looked, short, again = course(), course(), course(), course()
    assert whole.to(6.0) == OK
    assert looked.to(6.0, wanted=np.linspace(0.0, 6.0, 77)) == OK
    short.stepping.setting[:] = whole.stepping.setting
    assert short.to(6.0, every=True, rows=3) == OK
    states = []
    stop = course()

    def look(running):
        states.append([array.copy() for array in running.stepping])

    stop.to(6.0, every=True, rows=3, look=look)
    for array, copy in zip(again.stepping, states[len(states)//2]):
        array[:] = copy
    again.stepping.count[SAMPLE] = 0
    assert again.to(6.0) == OK
    for other in (looked, short, again):
        assert other.y.tobytes() == whole.y.tobytes()
        assert other.counts | {"evaluations": 0} == whole.counts | {"evaluations": 0}
        assert other is looked or other.counts == whole.counts      # looking into a step evaluates


# ------------------------------------------------------------------------------------------------------------ trouble

@kernel(RATE)
def thrown_back(handle, t, y, dy):
    """A jump that differences do not see and no iteration settles on."""
    dy[0] = 1.0 if y[0] < 0.5 else -1e6
    return 0


@stiff
def test_a_jump_that_no_iteration_settles_on(method):
    course = Course(thrown_back, NOTHING, [0.4999], method=method, h_min=1e-3, h_max=0.01)
    assert course.to(1.0) == NEWTON_FAILED
    assert course.t == 0.0 and course.y[0] == 0.4999


@kernel(RATE)
def lost(handle, t, y, dy):
    dy[0] = y[1]
    dy[1] = -y[0] if t < 1e-6 else math.nan
    return 0


@kernel(RATE)
def refuses(handle, t, y, dy):
    dy[0] = y[1]
    dy[1] = -y[0]
    return 1 if t > 1e-6 else 0


@everyone
@pytest.mark.parametrize("rate, status", [(lost, NOT_FINITE), (refuses, 1)], ids=["nan", "status"])
def test_what_the_rate_says_is_handed_on_and_the_last_state_kept(method, rate, status):
    course = Course(rate, NOTHING, [1.0, 0.0], method=method, rtol=1e-4, atol=1e-4, h_min=1e-3)
    assert course.to(2.0) == status
    assert course.t == 0.0 and tuple(course.y) == (1.0, 0.0)


@stiff
def test_a_step_that_may_not_shrink(method):
    course = pendulum().course(method, rtol=1e-12, atol=1e-12, h_min=0.2)
    assert course.to(5.0) in (STEP_TOO_SMALL, NEWTON_FAILED)

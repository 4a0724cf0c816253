"""Implicit steppers: their numbers, their linear algebra, what stiffness costs, what they refuse and how they fail."""

import math

import numpy as np
import pytest
from steppers.problems import HIRES, NOTHING, ROBERTSON, VAN_DER_POL, pendulum, swing

from fastdyn._address import Handle, door
from fastdyn._jit import c_array, float64, int64, kernel, pointer
from fastdyn.layout import SAMPLE
from fastdyn.run.course import Course
from fastdyn.status import NEWTON_FAILED, NOT_FINITE, NOT_SECOND_ORDER, OK, STEP_TOO_SMALL, ModelError
from fastdyn.steppers import esdirk4, radau_system
from fastdyn.steppers.desk import GAPS, RATE, SWITCH
from fastdyn.steppers.linear import complex_lu, complex_shift, complex_solve, lu, shift, solve, unknowns

pytestmark = pytest.mark.kernels
STIFF = ("radau5", "esdirk4")
SECOND_ORDER = ("gen-alpha", "newmark")
stiff = pytest.mark.parametrize("method", STIFF)
second_order = pytest.mark.parametrize("method", SECOND_ORDER)
everyone = pytest.mark.parametrize("method", STIFF + SECOND_ORDER)


# ------------------------------------------------------------------------------------------------------- coefficients

def test_radau_collocates_at_its_places():
    c, left = np.array(radau_system.C), np.array(radau_system.LEFT)
    A = np.linalg.inv(left)
    for k in (1, 2, 3):
        assert A @ c**(k - 1) == pytest.approx(c**k/k, abs=1e-14)
    for k in (4, 5):                                                    # the last row is a quadrature of order five
        assert A[2] @ c**(k - 1) == pytest.approx(1/k, abs=1e-14)
    assert np.array(radau_system.TWICE) == pytest.approx(left @ left, abs=1e-12)
    powers = c[:, None]**np.arange(1, 4)
    assert powers @ np.array(radau_system.P) == pytest.approx(np.eye(3), abs=1e-13)


def test_radau_transforms_to_a_real_and_a_complex_equation():
    T, TI, left = map(np.array, (radau_system.T, radau_system.TI, radau_system.LEFT))
    a, b = radau_system.ALPHA, radau_system.BETA
    assert TI @ T == pytest.approx(np.eye(3), abs=1e-14)
    assert TI @ left @ T == pytest.approx(np.array([[radau_system.REAL, 0, 0], [0, a, -b], [0, b, a]]), abs=1e-13)


def test_radau_error_is_an_embedded_formula_of_order_three():
    """g/h (new - other) = f + E.Z/h, with 'other' a quadrature of order three through the start as well"""
    c, A = np.array(radau_system.C), np.linalg.inv(np.array(radau_system.LEFT))
    weights = np.array(radau_system.E) @ A
    for k in (1, 2, 3):
        assert weights @ c**(k - 1) + (k == 1) == pytest.approx(0.0, abs=1e-13)


def test_esdirk_meets_its_order_conditions():
    A, c = esdirk4.A, esdirk4.C
    one = np.ones(6)
    trees = [(one, 1), (c, 1/2), (c**2, 1/3), (A @ c, 1/6), (c**3, 1/4), (c*(A @ c), 1/8), (A @ c**2, 1/12),
             (A @ A @ c, 1/24)]
    assert A @ one == pytest.approx(c, abs=1e-15)
    assert (A @ c)[1:] == pytest.approx(c[1:]**2/2, abs=1e-15)         # of stages: order two
    for tree, value in trees:
        assert A[5] @ tree == pytest.approx(value, abs=1e-15)
    for tree, value in trees[:4]:
        assert esdirk4.LOW @ tree == pytest.approx(value, abs=1e-15)
    x = np.linspace(0.0, 1.0, 5)
    inside = esdirk4.DENSE @ x**np.arange(1, 5)[:, None]
    assert inside[:, -1] == pytest.approx(A[5], abs=1e-13)
    for tree, value in trees[:4]:
        order = 1 if value == 1 else 2 if value == 1/2 else 3
        assert tree @ inside == pytest.approx(value*x**order, abs=1e-13)


def test_esdirk_forgets_what_is_infinitely_stiff():
    """R(z) = 1 + z b (1 - z A)^-1 1 goes to zero with 1/z"""
    for z in (-1e6, -1e9, 1e8j):
        inner = np.linalg.solve(np.eye(6) - z*esdirk4.A, np.ones(6))
        assert abs(1.0 + z*(esdirk4.A[5] @ inner)) < 40.0/abs(z) + 1e-7


# ----------------------------------------------------------------------------------------------------- linear algebra

LIST, NUMBERS = c_array(int64, 1), c_array(float64, 1)


@kernel(int64(NUMBERS, NUMBERS, NUMBERS, LIST, int64, int64, float64, float64, NUMBERS, NUMBERS))
def solved(J, E, F, pivot, n, second, a, b, x, y):
    """x + iy becomes (c 1 - J)^-1 (x + iy), c = a + ib; for b = 0 in real numbers."""
    J, E, F, pivot, x, y = pointer(J), pointer(E), pointer(F), door(pivot), pointer(x), pointer(y)
    m = unknowns(n, second != 0)
    if b == 0.0:
        shift(J, E, n, second != 0, a, 1.0/a)
        status = lu(E, pivot, m)
        if status == 0:
            solve(J, E, pivot, n, second != 0, a, x)
        return status
    complex_shift(J, E, F, n, second != 0, a, b)
    status = complex_lu(E, F, pivot, m)
    if status == 0:
        complex_solve(J, E, F, pivot, n, second != 0, a, b, x, y)
    return status


def answer(J, z, right, second=False):
    n = len(J)
    x, y = np.array(right.real), np.array(np.imag(right))
    E, F = np.zeros((2, n*n))
    status = solved(J.ravel().copy(), E, F, np.zeros(n, np.int64), n, int(second), z.real, z.imag, x, y)
    return status, x + 1j*y


@pytest.mark.parametrize("n", [1, 2, 3, 7, 8, 20, 41])
@pytest.mark.parametrize("z", [3.0 + 0.0j, -0.3 + 2.0j])
def test_systems_of_every_size(n, z):
    rng = np.random.default_rng(n)
    J, right = rng.normal(size=(n, n)), rng.normal(size=n) + (1j*rng.normal(size=n) if z.imag else 0.0)
    np.fill_diagonal(J, z.real)                                         # c 1 - J has zeros where pivots would be
    if n == 1 and z.imag == 0.0:
        J[0, 0] = 1.0
    status, x = answer(J, z, right)
    expected = np.linalg.solve(z*np.eye(n) - J, right)
    assert status == OK
    assert np.abs(x - expected).max() < 1e-11*np.abs(expected).max()


@pytest.mark.parametrize("z", [3.0 + 0.0j, 2.7 - 3.1j])
def test_half_of_the_unknowns_is_enough_where_rates_are_known(z):
    rng = np.random.default_rng(5)
    m = 9
    J = np.block([[np.zeros((m, m)), np.eye(m)], [rng.normal(size=(m, 2*m))]])
    right = rng.normal(size=2*m) + 1j*(z.imag != 0.0)*rng.normal(size=2*m)
    (one, x), (two, y) = answer(J, z, right, second=True), answer(J, z, right)
    assert one == two == OK
    assert np.abs(x - y).max() < 1e-12*np.abs(y).max()


def test_what_cannot_be_solved_is_said():
    assert answer(np.eye(3)*2.0, 2.0 + 0.0j, np.ones(3))[0] == NEWTON_FAILED
    assert answer(np.full((3, 3), math.nan), 2.0 + 0.0j, np.ones(3))[0] == NOT_FINITE
    assert answer(np.full((3, 3), math.nan), 2.0 + 1.0j, np.ones(3))[0] == NOT_FINITE


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
        assert other.counts == whole.counts


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

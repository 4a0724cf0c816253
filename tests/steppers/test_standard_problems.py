"""Standard problems against published values, series in many digits, and other people's solvers."""

import importlib.util

import mpmath
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from steppers.problems import (
    ARENSTORF, HIRES, PLEIADES, ROBERTSON, VAN_DER_POL, air_of_lorenz, any_system, implicit_ones, kepler, NOTHING)

import fastdyn as fd
from fastdyn.run.course import Course
from fastdyn.status import OK
from fastdyn.steppers import STEPPERS, stepper

WITHOUT_STIFFNESS = {"kepler 0.3": (kepler(0.3, 20.0), 2e-7), "kepler 0.9": (kepler(0.9, 20.0), 6e-7),
                     "arenstorf": (ARENSTORF, 5e-5), "pleiades": (PLEIADES, 8e-7)}
STIFF = {problem.name: problem for problem in (VAN_DER_POL, HIRES, ROBERTSON)}
LEFT = 3e-8                              # of the size of each component, at a tolerance of 1e-8


def taylor_of_lorenz(y, t_end, terms=40, step="0.02", digits=50):
    """Lorenz's equations by power series, in so many digits"""
    with mpmath.workdps(digits):
        x, y, z = map(mpmath.mpf, y)
        h, beta = mpmath.mpf(step), mpmath.mpf(8.0/3.0)
        for _ in range(round(t_end/float(h))):
            X, Y, Z = [x], [y], [z]
            for k in range(terms):
                xz = mpmath.fsum(X[i]*Z[k - i] for i in range(k + 1))
                xy = mpmath.fsum(X[i]*Y[k - i] for i in range(k + 1))
                X.append(10*(Y[k] - X[k])/(k + 1))
                Y.append((28*X[k] - xz - Y[k])/(k + 1))
                Z.append((xy - beta*Z[k])/(k + 1))
            x, y, z = (mpmath.fsum(c[k]*h**k for k in range(terms + 1)) for c in (X, Y, Z))
        return np.array([float(x), float(y), float(z)])


@pytest.mark.parametrize("name", WITHOUT_STIFFNESS)
@pytest.mark.parametrize("method", STEPPERS)
def test_without_stiffness(method, name):
    problem, bound = WITHOUT_STIFFNESS[name]
    if stepper(method).order == 2:
        pytest.skip("a method of order two needs 1e6 steps")
    course = problem.course(method, rtol=1e-10, atol=1e-10)
    assert course.to(problem.t_end) == OK
    assert problem.error(course.y) < bound


@pytest.fixture(scope="module")
def weather():
    """Where Lorenz's air is after 2 s; errors have grown hundredfold by then."""
    return taylor_of_lorenz((1.0, 1.0, 1.0), 2.0)


@pytest.mark.parametrize("method", any_system)
def test_a_short_stay_on_lorenz_s_butterfly(method, weather):
    course = Course(air_of_lorenz, NOTHING, [1.0, 1.0, 1.0], method=method, rtol=1e-10, atol=1e-10)
    assert course.to(2.0) == OK
    assert np.abs(course.y - weather).max() < 1e-7


def test_the_series_has_its_digits(weather):
    assert np.array_equal(weather, taylor_of_lorenz((1.0, 1.0, 1.0), 2.0, terms=50, step="0.01", digits=60))


@pytest.mark.parametrize("name", STIFF)
@pytest.mark.parametrize("method", [name for name in implicit_ones if name in any_system])
def test_stiff(method, name):
    problem = STIFF[name]
    course = problem.course(method, rtol=1e-8, atol=1e-8*np.min(problem.scale))
    assert course.to(problem.t_end) == OK
    assert problem.error(course.y) < LEFT
    assert course.counts["steps"] < 20_000 and course.counts["jacobians"] > 0


# ------------------------------------------------------------------------------------------------------- other judges

def plain(problem):
    """The rate in NumPy"""
    rate = getattr(problem.rate, "py_func", problem.rate)

    def f(t, y):
        dy = np.zeros(len(y))
        rate(None, t, y, dy)
        return dy

    return f


JUDGED = [PLEIADES, VAN_DER_POL, HIRES, ROBERTSON, ARENSTORF]


@pytest.mark.parametrize("problem", JUDGED, ids=lambda problem: problem.name)
def test_published_values_are_what_scipy_finds(problem):
    stiff = problem.name in STIFF
    found = solve_ivp(plain(problem), (0.0, problem.t_end), problem.y, method="Radau" if stiff else "DOP853",
                      rtol=1e-8 if stiff else 1e-12, atol=1e-11*np.min(problem.scale))
    assert found.success
    assert problem.error(found.y[:, -1]) < (5e-9 if stiff else 1e-7)


foreign_judge = pytest.mark.skipif(importlib.util.find_spec("sksundae") is None,
                                   reason="CVODE and IDA are not there to judge: pip install scikit-sundae")


@foreign_judge
@pytest.mark.parametrize("problem", JUDGED, ids=lambda problem: problem.name)
def test_published_values_are_what_cvode_finds(problem):
    from sksundae.cvode import CVODE

    rate = getattr(problem.rate, "py_func", problem.rate)
    stiff = problem.name in STIFF
    solver = CVODE(lambda t, y, dy: rate(None, t, y, dy) and None, method="BDF" if stiff else "Adams",
                   rtol=1e-9 if stiff else 1e-12, atol=1e-12*np.min(problem.scale), max_num_steps=200_000)
    found = solver.solve([0.0, problem.t_end], np.array(problem.y))
    assert found.success
    assert problem.error(found.y[-1]) < (5e-7 if stiff else 5e-6)


@foreign_judge
def test_robertson_s_reaction_is_what_ida_finds_with_its_mass_as_an_equation():
    """0 = y0 + y1 + y2 - 1 in place of the third rate: other equations, other method."""
    from sksundae.ida import IDA

    def residuals(t, y, dy, res):
        res[0] = dy[0] + 0.04*y[0] - 1e4*y[1]*y[2]
        res[1] = dy[1] - 0.04*y[0] + 1e4*y[1]*y[2] + 3e7*y[1]*y[1]
        res[2] = y[0] + y[1] + y[2] - 1.0

    t_end = 4e7                                                     # s, of the 1e11 that others are asked for
    found = IDA(residuals, algebraic_idx=[2], rtol=1e-9, atol=[1e-14, 1e-18, 1e-12], max_num_steps=200_000).solve(
        [0.0, t_end], np.array(ROBERTSON.y), np.array([-0.04, 0.04, 0.0]))
    assert found.success
    course = ROBERTSON.course("radau5", rtol=1e-10, atol=1e-16)
    assert course.to(t_end) == OK
    assert np.abs(course.y/found.y[-1] - 1.0).max() < 1e-6


FOUR_BAR, GRAVITY = (0.4, 1.2, 0.8), 9.81                           # crank, coupler, rocker, m; 1 kg/m


def of_four_bar(y):
    """(M, forces, G, dG w) of three slender bars in absolute angles that a pin joins, y = (angles, rates, ...)

    G w = 0 is the speed of the pin, crank and coupler on one side, rocker on the other.
    """
    (l1, l2, l3), angle, w = FOUR_BAR, y[:3], y[3:6]
    along, across = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    c, s = np.cos(angle[0] - angle[1]), np.sin(angle[0] - angle[1])
    M = np.diag([l1**3/3 + l2*l1*l1, l2**3/3, l3**3/3])
    M[0, 1] = M[1, 0] = l2*l1*l2/2*c
    turning = l2*l1*l2/2*s*np.array([-w[1]**2, w[0]**2, 0.0])
    weight = -GRAVITY*along[0]*[l1*l1/2 + l2*l1, l2*l2/2, l3*l3/2]
    arms = np.array([l1, l2, -l3])
    return M, turning + weight, across*arms, -along*arms @ w**2


@foreign_judge
@pytest.mark.parametrize("method", ["dop853", "radau5"])
def test_a_four_bar_linkage_moves_as_ida_says(method):
    """Redundant angles, the pin's force as an unknown: index one, all by hand."""
    from sksundae.ida import IDA

    chain = fd.catalog.four_bar()
    assert tuple(link.length for link in chain.links) == FOUR_BAR and chain.gravity == (0.0, -GRAVITY, 0.0)
    q, v = chain.start_state()

    def residuals(t, y, dy, res):
        M, forces, G, bend = of_four_bar(y)
        res[:3] = dy[:3] - y[3:6]
        res[3:6] = M @ dy[3:6] - forces - G.T @ y[6:]
        res[6:] = G @ dy[3:6] + bend

    y = np.array([q[0], q[0] + q[1], q[2], v[0], v[0] + v[1], v[2], 0.0, 0.0])
    M, forces, G, bend = of_four_bar(y)
    begun = np.linalg.solve(np.block([[M, -G.T], [G, np.zeros((2, 2))]]), np.concatenate([forces, -bend]))
    y[6:] = begun[3:]
    times = np.linspace(0.0, 1.0, 11)
    found = IDA(residuals, algebraic_idx=[6, 7], rtol=1e-11, atol=1e-11, max_num_steps=100_000).solve(
        times, y, np.concatenate([y[3:6], begun[:3], np.zeros(2)]))
    assert found.success
    run = fd.simulate(chain, t_end=1.0, samples=11, stepper=method, rtol=1e-10, atol=1e-11)
    sums = np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    assert np.ptp(found.y[:, 0]) > 0.5                              # it moves
    assert np.abs(run.q @ sums.T - found.y[:, :3]).max() < 2e-8
    assert np.abs(run.v @ sums.T - found.y[:, 3:6]).max() < 2e-7
    force = fd.closure_forces(chain, run.q[-1], run.v[-1])[0, :2]
    assert np.abs(np.abs(force) - np.abs(found.y[-1, 6:])).max() < 1e-5

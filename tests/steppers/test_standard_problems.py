"""Standard problems against published values, series in many digits, and other people's solvers."""

import importlib.util

import mpmath
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from steppers.problems import (
    ARENSTORF, HIRES, PLEIADES, ROBERTSON, VAN_DER_POL, air_of_lorenz, any_system, implicit_ones, kepler, NOTHING)

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


def slack(method):
    """A method whose result is not better than the one its error is estimated of leaves more of the tolerance."""
    return 10.0 if stepper(method).error_order > stepper(method).order > 1 else 1.0


@pytest.mark.parametrize("name", WITHOUT_STIFFNESS)
@pytest.mark.parametrize("method", STEPPERS)
def test_without_stiffness(method, name):
    problem, bound = WITHOUT_STIFFNESS[name]
    if stepper(method).order == 2:
        pytest.skip("a method of order two needs 1e6 steps")
    course = problem.course(method, rtol=1e-10, atol=1e-10)
    assert course.to(problem.t_end) == OK
    assert problem.error(course.y) < bound*slack(method)


@pytest.fixture(scope="module")
def weather():
    """Where Lorenz's air is after 2 s; errors have grown hundredfold by then."""
    return taylor_of_lorenz((1.0, 1.0, 1.0), 2.0)


@pytest.mark.parametrize("method", any_system)
def test_a_short_stay_on_lorenz_s_butterfly(method, weather):
    course = Course(air_of_lorenz, NOTHING, [1.0, 1.0, 1.0], method=method, rtol=1e-10, atol=1e-10)
    assert course.to(2.0) == OK
    assert np.abs(course.y - weather).max() < 1e-7*slack(method)


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


@pytest.mark.skipif(importlib.util.find_spec("sksundae") is None,
                    reason="CVODE is not there to judge: pip install scikit-sundae")
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

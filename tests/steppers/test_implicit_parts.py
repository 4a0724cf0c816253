"""What implicit steppers are made of: coefficients that meet their conditions, systems solved at every size."""

import math

import numpy as np
import pytest

from fastdyn._address import door
from fastdyn._jit import c_array, float64, int64, kernel, pointer
from fastdyn.status import NEWTON_FAILED, NOT_FINITE, OK
from fastdyn.steppers import esdirk4, radau_system
from fastdyn.steppers.linear import complex_lu, complex_shift, complex_solve, lu, shift, solve, unknowns

pytestmark = pytest.mark.kernels


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


@kernel(int64(NUMBERS, NUMBERS, NUMBERS, LIST, int64, int64, int64, float64, float64, NUMBERS, NUMBERS))
def solved(J, E, F, pivot, n, k, second, a, b, x, y):
    """x + iy becomes (c 1 - J)^-1 (x + iy), c = a + ib; for b = 0 in real numbers."""
    J, E, F, pivot, x, y = pointer(J), pointer(E), pointer(F), door(pivot), pointer(x), pointer(y)
    m = unknowns(k, second != 0)
    if b == 0.0:
        shift(J, E, n, k, second != 0, a, 1.0/a)
        status = lu(E, pivot, m)
        if status == 0:
            solve(J, E, pivot, n, k, second != 0, a, x)
        return status
    complex_shift(J, E, F, n, k, second != 0, a, b)
    status = complex_lu(E, F, pivot, m)
    if status == 0:
        complex_solve(J, E, F, pivot, n, k, second != 0, a, b, x, y)
    return status


def answer(J, z, right, second=False, acting=None):
    n = len(J)
    x, y = np.array(right.real), np.array(np.imag(right))
    E, F = np.zeros((2, n*n))
    status = solved(J.ravel().copy(), E, F, np.zeros(n, np.int64), n, acting or n, int(second), z.real, z.imag, x, y)
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


@pytest.mark.parametrize("z", [3.0 + 0.0j, 2.7 - 3.1j])
@pytest.mark.parametrize("second", [False, True])
def test_components_that_act_on_nobody_follow_from_the_others(z, second):
    rng = np.random.default_rng(6)
    m, works = 9, 5
    k, n = 2*m, 2*m + works
    J = np.zeros((n, n))
    J[:, :k] = rng.normal(size=(n, k))
    if second:
        J[:m, :k] = np.eye(m, k, m)
    right = rng.normal(size=n) + 1j*(z.imag != 0.0)*rng.normal(size=n)
    status, x = answer(J, z, right, second, k)
    expected = np.linalg.solve(z*np.eye(n) - J, right)
    assert status == OK and np.abs(x - expected).max() < 1e-12*np.abs(expected).max()


def one_by_one(A):
    """Elimination a column at a time, in Python: (factors, exchanges)."""
    A, m, exchanges = A.copy(), len(A), []
    for k in range(m):
        row = k + int(np.argmax(np.abs(A[k:, k].real) + np.abs(A[k:, k].imag)))
        A[[k, row]] = A[[row, k]]
        exchanges.append(row)
        A[k + 1:, k] *= 1.0/A[k, k]
        A[k + 1:, k + 1:] -= A[k + 1:, k, None]*A[k, k + 1:]
    return A, exchanges


@pytest.mark.parametrize("m", [5, 8, 9, 16, 23, 40, 61])
def test_elimination_by_panels_has_the_bits_of_one_column_at_a_time(m):
    """Nothing in it depends on how wide the registers of a machine are."""
    J = np.random.default_rng(m).normal(size=(m, m))
    E, F, pivot = np.zeros(m*m), np.zeros(m*m), np.zeros(m, np.int64)
    assert solved(J.ravel().copy(), E, F, pivot, m, m, 0, 0.5, 0.0, np.ones(m), np.zeros(m)) == OK
    factors, exchanges = one_by_one(0.5*np.eye(m) - J)
    assert np.array_equal(E.reshape(m, m), factors) and pivot.tolist() == exchanges


def test_what_cannot_be_solved_is_said():
    assert answer(np.eye(3)*2.0, 2.0 + 0.0j, np.ones(3))[0] == NEWTON_FAILED
    assert answer(np.full((3, 3), math.nan), 2.0 + 0.0j, np.ones(3))[0] == NOT_FINITE
    assert answer(np.full((3, 3), math.nan), 2.0 + 1.0j, np.ones(3))[0] == NOT_FINITE

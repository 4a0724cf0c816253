"""n x n factorizations in place: small residuals, untouched triangles, a status for whatever is singular or worse."""

import math

import numpy as np
import pytest
from algebra.common import EPS, exact, off, positive, rngs
from hypothesis import example, given
from hypothesis import strategies as st
from mpmath import mp
from numba import njit

from fastdyn.algebra import dense as page
from fastdyn.status import NOT_FINITE, OK, SINGULAR_INERTIA

pytestmark = pytest.mark.kernels
sizes = st.integers(1, 24)
ABOVE, BELOW = 1.0 + 1e-2, 1.0 - 1e-2                   # of a threshold


@njit(error_model="numpy")
def cholesky(A, b):
    answer = page.cholesky(A, np.zeros(2*b.shape[0]))
    if answer == OK:
        page.cholesky_solve(A, b)
    return answer


@njit(error_model="numpy")
def udu(A, b):
    answer = page.udu(A, np.zeros(2*b.shape[0]))
    if answer == OK:
        page.udu_solve(A, b)
    return answer


@njit(error_model="numpy")
def lu(A, rows, b, x):
    answer = page.lu(A, rows)
    if answer == OK:
        page.lu_solve(A, rows, b, x)
    return answer


def symmetric(name, A, b):
    """(status, factored array, solution)"""
    work, x = np.array(A, dtype=float), np.array(b, dtype=float)
    return {"cholesky": cholesky, "udu": udu}[name](work, x), work, x


def general(A, b):
    work, rows, x = np.array(A, dtype=float), np.zeros(len(A), dtype=np.int64), np.zeros(len(A))
    answer = lu(work, rows, np.array(b, dtype=float), x)
    return answer, work, rows, x


both = pytest.mark.parametrize("name", ["cholesky", "udu"])


@both
@given(rngs, sizes)
def test_symmetric_factors(name, rng, n):
    A = positive(rng, n)
    answer, F, _ = symmetric(name, A, np.ones(n))
    assert answer == OK
    if name == "cholesky":
        product, untouched = np.tril(F) @ np.tril(F).T, np.triu(F, 1) - np.triu(A, 1)
    else:
        U = np.triu(F, 1) + np.eye(n)
        product, untouched = U @ np.diag(np.diag(F)) @ U.T, np.tril(F, -1) - np.tril(A, -1)
    assert off(product, A) <= 2*(n + 3)*EPS and not untouched.any()


@both
@given(rngs, sizes)
def test_symmetric_solutions(name, rng, n):
    A, b = positive(rng, n, least=10.0**rng.uniform(-6, 0)), rng.normal(size=n)
    answer, _, x = symmetric(name, A, b)
    assert answer == OK and np.abs(A @ x - b).max() <= 4*(n + 3)*EPS*np.abs(A).sum(axis=1).max()*np.abs(x).max()


@both
@given(rngs)
def test_symmetric_solutions_against_mpmath(name, rng):
    A, b = positive(rng, 6, least=1e-4), rng.normal(size=6)
    _, _, x = symmetric(name, A, b)
    assert off(x, [float(v) for v in mp.lu_solve(exact(A), exact(b))]) <= 8*EPS*np.linalg.cond(A)


@given(rngs, sizes)
@example(np.random.default_rng(1), 24)
def test_lu(rng, n):
    A, b = rng.normal(size=(n, n)), rng.normal(size=n)
    answer, F, rows, x = general(A, b)
    L, U = np.tril(F, -1) + np.eye(n), np.triu(F)
    assert answer == OK and sorted(rows) == list(range(n))
    assert off(L @ U, A[rows]) <= 8*(n + 3)*EPS and np.abs(F[np.tril_indices(n, -1)]).max(initial=0.0) <= 1.0
    assert np.abs(A @ x - b).max() <= 16*(n + 3)*EPS*np.abs(A).sum(axis=1).max()*np.abs(x).max()


@given(rngs)
def test_lu_against_mpmath(rng):
    A, b = rng.normal(size=(6, 6)), rng.normal(size=6)
    assert off(general(A, b)[3], [float(v) for v in mp.lu_solve(exact(A), exact(b))]) <= 8*EPS*np.linalg.cond(A)


def test_lu_needs_its_row_exchanges():
    answer, _, _, x = general([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]], [1.0, 2.0, 3.0])
    assert answer == OK and list(x) == [3.0, 1.0, 2.0]
    assert off(general([[1e-20, 1.0], [1.0, 1.0]], [1.0, 2.0])[3], [1.0, 1.0]) <= EPS


def spectrum(rng, d):
    """Symmetric array with the eigenvalues d"""
    Q, _ = np.linalg.qr(rng.normal(size=(len(d), len(d))))
    A = Q @ np.diag(d) @ Q.T
    return (A + A.T)/2


@both
@given(rngs, st.integers(2, 12))
def test_singular_and_indefinite_are_refused(name, rng, n):
    for d in (0.0, -1e-6, -1.0):
        assert symmetric(name, spectrum(rng, [d] + [1.0]*(n - 1)), np.ones(n))[0] == SINGULAR_INERTIA


@both
def test_dependence_hidden_behind_a_small_pivot_is_refused(name):
    """Rank 2 up to rounding; the second pivot is 1e-8 and the last one rounding divided by it."""
    rng, seen = np.random.default_rng(5), []
    for _ in range(50):
        B = np.array([[1.0, 0.0], [1.0, 1e-4], [rng.normal(), rng.normal()]])
        A = B @ B.T
        work = A if name == "cholesky" else A[::-1, ::-1]
        seen.append(symmetric(name, work, np.ones(3))[0])
    assert seen == [SINGULAR_INERTIA]*50


@both
def test_diagonal_zeros_and_negatives_are_refused(name):
    for d in (0.0, -0.0, -1.0, -1e-300):
        assert symmetric(name, np.diag([1.0, d, 1.0]), np.ones(3))[0] == SINGULAR_INERTIA
    assert symmetric(name, np.zeros((2, 2)), np.ones(2))[0] == SINGULAR_INERTIA


@given(rngs, st.integers(2, 12))
def test_lu_refuses_singular(rng, n):
    A = spectrum(rng, [0.0] + [1.0]*(n - 1)) @ spectrum(rng, rng.choice([-1.0, 1.0], n))
    assert general(A, np.ones(n))[0] == SINGULAR_INERTIA
    A = rng.normal(size=(n, n))
    A[:, n//2] = 0.0
    assert general(A, np.ones(n))[0] == SINGULAR_INERTIA


@both
def test_floors_have_two_sides(name):
    for factor, answer in ((ABOVE, OK), (BELOW, SINGULAR_INERTIA)):
        own = [[1.0, 1.0], [1.0, 1.0 + factor*2*page.PIVOT_FLOOR]]      # v = (-1, 1), two terms of size 1
        A = own if name == "cholesky" else np.array(own)[::-1, ::-1]
        assert symmetric(name, A, np.ones(2))[0] == answer
        assert symmetric(name, np.diag([1.0, page.ROUNDING_FLOOR*factor]), np.ones(2))[0] == answer
        assert symmetric(name, np.diag([page.ROUNDING_FLOOR*factor, 1.0]), np.ones(2))[0] == answer


@both
@given(rngs)
def test_a_pivot_is_measured_against_all_its_terms(name, rng):
    """d = v' A v with v the last row of the inverse of the unit factor; its terms are A_jj v_j^2."""
    L = np.tril(rng.integers(-8, 9, (4, 4))/8.0, -1) + np.eye(4)
    v = np.linalg.inv(L)[-1]
    own = np.diag(L @ np.diag([1.0, 1.0, 1.0, 0.0]) @ L.T)
    for factor, answer in ((1.03, OK), (0.97, SINGULAR_INERTIA)):
        A = L @ np.diag([1.0, 1.0, 1.0, factor*page.PIVOT_FLOOR*(own @ v**2)]) @ L.T
        assert symmetric(name, A if name == "cholesky" else A[::-1, ::-1], np.ones(4))[0] == answer


def test_lu_floor_has_two_sides():
    for factor, answer in ((ABOVE, OK), (BELOW, SINGULAR_INERTIA)):
        assert general([[1.0, 1.0], [1.0, 1.0 + factor*page.PIVOT_FLOOR]], np.ones(2))[0] == answer


@both
@given(rngs, st.integers(2, 8))
def test_mixed_units_are_not_mistaken_for_singularity(name, rng, n):
    A, units, b = positive(rng, n), 2.0**np.linspace(-90, -70, n).round(), rng.normal(size=n)
    answer, _, x = symmetric(name, A*np.outer(units, units), units*b)
    assert answer == OK and np.array_equal(x*units, symmetric(name, A, b)[2])


@both
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.filterwarnings("ignore:invalid value")
def test_not_finite_has_its_own_status(name, value):
    for i, j in ((0, 0), (1, 0), (2, 1), (2, 2)):
        A = positive(np.random.default_rng(0), 3)
        A[i, j] = A[j, i] = value
        assert symmetric(name, A, np.ones(3))[0] == NOT_FINITE
        assert general(A, np.ones(3))[0] == NOT_FINITE


def test_nothing_to_factor():
    assert cholesky(np.zeros((0, 0)), np.zeros(0)) == OK and udu(np.zeros((0, 0)), np.zeros(0)) == OK
    assert lu(np.zeros((0, 0)), np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0)) == OK


def test_scratch_tells_where_udu_stopped():
    """Behind the row that failed stand the diagonal entries of those eliminated, before it what was there."""
    A = np.diag([3.0, 2.0, 0.0, 5.0, 7.0]) + np.diag([0.0, 0.0, 0.0, 1.0], 1) + np.diag([0.0, 0.0, 0.0, 1.0], -1)
    scratch = np.full(10, -1.0)
    assert page.udu(A, scratch) == SINGULAR_INERTIA
    assert scratch[5:].tolist() == [-1.0, -1.0, -1.0, 5.0, 7.0]

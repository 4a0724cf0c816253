"""Factorizations: small residuals, untouched triangles, and a status or flag for whatever is singular or worse."""

import math

import numpy as np
import pytest
from algebra.common import EPS, blocks, exact, full, nine, off, positive, rngs, rotation, six, three
from hypothesis import example, given
from hypothesis import strategies as st
from mpmath import mp
from numba import njit

from fastdyn.algebra import dense as page
from fastdyn.status import NOT_FINITE, OK, SINGULAR_INERTIA

pytestmark = pytest.mark.kernels
sizes = st.integers(1, 24)
ABOVE, BELOW = 1.0 + 1e-2, 1.0 - 1e-2                   # of a threshold


def safe(S):
    return bool(page.ldl3_safe(page.ldl3(S), S))


# 3x3 ------------------------------------------------------------------------------------------------------------------
@given(rngs)
def test_ldl3_factors(rng):
    S = positive(rng, 3)
    r0, r1, r2, l10, l20, l21 = page.ldl3(six(S))
    L = np.array([[1, 0, 0], [l10, 1, 0], [l20, l21, 1]])
    assert off(L @ np.diag([1/r0, 1/r1, 1/r2]) @ L.T, S) <= 8*EPS


@given(rngs)
def test_ldl3_solve(rng):
    """Error no larger than the conditioning allows; mpmath solves the same doubles."""
    S, b = positive(rng, 3, least=10.0**rng.uniform(-8, 0)), rng.normal(size=3)
    x = page.ldl3_solve(page.ldl3(six(S)), three(b))
    assert safe(six(S))
    assert np.abs(S @ x - b).max() <= 16*EPS*np.abs(S).max()*np.abs(x).max()
    assert off(x, [float(v) for v in mp.lu_solve(exact(S), exact(b))]) <= 16*EPS*np.linalg.cond(S)


@given(rngs)
def test_ldl3_forward_gives_quadratic_forms(rng):
    S, b, c = positive(rng, 3), rng.normal(size=3), rng.normal(size=3)
    F = page.ldl3(six(S))
    y, z = page.ldl3_forward(F, three(b)), page.ldl3_forward(F, three(c))
    form = sum(F[k]*y[k]*z[k] for k in range(3))
    assert abs(form - b @ np.linalg.solve(S, c)) <= 16*EPS*np.linalg.cond(S)*np.linalg.norm(np.linalg.inv(S))*8


@given(rngs)
def test_ldl3_schur(rng):
    A = positive(rng, 6)
    S, H, M = A[:3, :3], A[:3, 3:], A[3:, 3:]
    got = full(page.ldl3_schur(page.ldl3(six(S)), nine(H), six(M)))
    true = exact(M) - exact(H).T*mp.inverse(exact(S))*exact(H)
    assert off(got, np.array(true.tolist(), dtype=float)) <= 16*EPS*np.linalg.cond(S)


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 2, 0), (2, 0, 1)])
@pytest.mark.parametrize("size", [1e-150, 1e-9, 1.0, 1e150])
def test_pivot_floor_has_two_sides(order, size):
    diagonal = np.array([1.0, 0.5, page.PIVOT_FLOOR])[list(order)]*size
    for factor, answer in ((ABOVE, True), (BELOW, False)):
        d = np.where(diagonal == page.PIVOT_FLOOR*size, diagonal*factor, diagonal)
        assert safe(six(np.diag(d))) is answer


@pytest.mark.parametrize("excess, answer", [(1e-12, True), (1e-14, False)])
def test_pivot_floor_sees_cancellation(excess, answer):
    assert safe((1.0, 1.0, 0.0, 1.0 + excess, 0.0, 1.0)) is answer
    assert safe((1.0, 0.0, 1.0, 1.0, 0.0, 1.0 + excess)) is answer


@given(rngs, st.floats(1e-6, 1e6))
def test_a_rod_without_axial_inertia_is_refused(rng, size):
    """Exactly singular, or up to rounding of either sign in a turned frame; a wire of finite thickness is not."""
    thin = size*np.diag([0.0, 1.0, 1.0])
    assert not safe(six(thin))
    R = rotation(rng)
    S = R @ thin @ R.T
    assert not safe(six(S))
    assert safe(six(R @ (size*np.diag([1e-11, 1.0, 1.0])) @ R.T))


@given(rngs, st.floats(-3.0, 0.0), st.integers(0, 2))
def test_a_rod_almost_in_a_plane_of_its_frame_is_refused(rng, tilt, plane):
    """The pivot before the last is then tilt^2, and the last one 1e-16/tilt^2 of any sign: no small number."""
    axis = rng.normal(size=3)
    axis[plane] *= 10.0**tilt
    axis /= np.linalg.norm(axis)
    assert not safe(six(np.eye(3) - np.outer(axis, axis)))


@given(rngs)
def test_a_rod_carrying_any_outer_inertia_stays_refused(rng):
    """d x K d x' of what hangs on its end never adds inertia about the rod."""
    R, K = rotation(rng), positive(rng, 3)
    axis = R[:, 0]
    D = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    assert not safe(six(R @ np.diag([0.0, 1.0, 1.0]) @ R.T + D @ K @ D.T))


@given(rngs)
def test_indefinite_is_refused(rng):
    R = rotation(rng)
    for d in ([-1.0, 1.0, 1.0], [-1e-3, 1.0, 1.0], [-1.0, -1.0, 1.0], [-1.0, -1.0, -1.0]):
        assert not safe(six(R @ np.diag(d) @ R.T))


@pytest.mark.parametrize("place", range(6))
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.filterwarnings("ignore:invalid value")
def test_what_is_not_finite_is_refused(place, value):
    S = [1.0, 0.1, 0.1, 1.0, 0.1, 1.0]
    S[place] = value
    assert not safe(tuple(S))


def test_zero_is_refused():
    assert not safe((0.0,)*6)


# 6x6 ------------------------------------------------------------------------------------------------------------------
def split(A):
    return six(A[:3, :3]), nine(A[:3, 3:]), six(A[3:, 3:])


@given(rngs)
def test_ldl6(rng):
    A = positive(rng, 6, least=10.0**rng.uniform(-6, 0))
    J, H, M = split(A)
    b = rng.normal(size=6)
    F = page.ldl6(J, H, M)
    x = np.concatenate(page.ldl6_solve(F, three(b[:3]), three(b[3:])))
    assert page.ldl6_safe(F, J, M)
    assert off(x, [float(v) for v in mp.lu_solve(exact(blocks(J, H, M)), exact(b))]) <= 16*EPS*np.linalg.cond(A)


def free_body(mass, com, central):
    h = mass*np.asarray(com)
    H = np.array([[0, -h[2], h[1]], [h[2], 0, -h[0]], [-h[1], h[0], 0]])
    J = np.asarray(central) + mass*(np.dot(com, com)*np.eye(3) - np.outer(com, com))
    return six(J), nine(H), six(mass*np.eye(3))


@pytest.mark.parametrize("mass, com, central, answer", [
    (5.0, (1.0, 0.0, 2.0), np.eye(3), True),
    (1e3, (0.0, 0.0, 0.0), 1e-12*np.eye(3), True),      # kg and kg m^2 are never compared
    (1e-9, (0.0, 0.0, 0.0), 1e6*np.eye(3), True),
    (0.0, (0.0, 0.0, 0.0), np.eye(3), False),
    (-1.0, (0.0, 0.0, 0.0), np.eye(3), False),
    (1.0, (1.0, 0.3, 2.0), np.zeros((3, 3)), False),    # a point mass
    (1.0, (1.0, 0.3, 2.0), np.diag([0.0, 1.0, 1.0]), False),
    (1.0, (1.0, 0.3, 2.0), np.diag([-0.1, 1.0, 1.0]), False),
    (math.nan, (1.0, 0.3, 2.0), np.eye(3), False),
])
def test_free_bodies_that_can_and_cannot_be_solved(mass, com, central, answer):
    J, H, M = free_body(mass, com, central)
    assert bool(page.ldl6_safe(page.ldl6(J, H, M), J, M)) is answer


def test_free_body_obeys_newton_and_euler():
    """A force through the mass centre turns nothing: a = f/m."""
    com, f = np.array([0.3, -0.2, 0.5]), np.array([1.0, 2.0, 3.0])
    J, H, M = free_body(4.0, com, np.diag([0.5, 0.7, 0.9]))
    al, a = page.ldl6_solve(page.ldl6(J, H, M), three(np.cross(com, f)), three(f))
    assert np.abs(al).max() <= 8*EPS and off(a, f/4.0) <= 8*EPS


# n x n ----------------------------------------------------------------------------------------------------------------
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


def test_lu_floor_has_two_sides():
    for factor, answer in ((ABOVE, OK), (BELOW, SINGULAR_INERTIA)):
        assert general([[1.0, 1.0], [1.0, 1.0 + factor*page.PIVOT_FLOOR]], np.ones(2))[0] == answer


@both
@given(rngs, st.integers(2, 8))
def test_mixed_units_are_not_mistaken_for_singularity(name, rng, n):
    A, units, b = positive(rng, n), 2.0**np.linspace(-11, 11, n).round(), rng.normal(size=n)
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

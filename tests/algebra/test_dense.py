"""3x3 and 6x6 factorizations as values: small residuals, and a flag for whatever is singular or worse."""

import math

import numpy as np
import pytest
from algebra.common import EPS, blocks, exact, full, nine, off, positive, rngs, rotation, six, three
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp

from fastdyn.algebra import dense as page

pytestmark = pytest.mark.kernels
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


@pytest.mark.parametrize("plane", range(3))
@pytest.mark.parametrize("tilt", [1.0, 1e-1, 1e-2, 1e-3, 1e-4])
def test_a_rod_almost_in_a_plane_of_its_frame_is_refused(plane, tilt):
    """The pivot before the last is then tilt^2, and the last one 1e-16/tilt^2 of any sign: no small number."""
    rng = np.random.default_rng(plane)
    for _ in range(50):
        axis = rng.normal(size=3)
        axis[plane] *= tilt
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

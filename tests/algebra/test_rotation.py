"""Rotations: orthogonal to rounding, composing as quaternions do, and back; turns about one axis as full products."""

import math

import numpy as np
import pytest
from algebra.common import EPS, angles, full, mat, nine, off, quaternions, rngs, rotation, six, three, ulps, vectors
from hypothesis import assume, example, given
from hypothesis import strategies as st
from mpmath import mp, mpf

from fastdyn.algebra import rotation as page
from fastdyn.algebra.sincos import sincos

pytestmark = pytest.mark.kernels
QUARTERS = [(1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0), (0.0, 0.0, 0.0, 1.0)]
HALVES = [(w, x, y, z) for w in (0.5, -0.5) for x in (0.5, -0.5) for y in (0.5, -0.5) for z in (0.5, -0.5)]


def length(q):
    return mp.sqrt(sum(mpf(x)**2 for x in q))


def distance(p, q):
    """Between unit quaternions, sign apart"""
    return min(np.abs(np.subtract(p, q)).max(), np.abs(np.add(p, q)).max())


def conjugation(q, x):
    """q (0, x) q*/|q|^2 by Hamilton's rules ij = k, jk = i, ki = j, in mpmath"""
    (w, v), u = (mpf(q[0]), mp.matrix(q[1:])), mp.matrix(x)

    def cross(a, b):
        return mp.matrix([a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]])

    return u + (2*w*cross(v, u) + 2*cross(v, cross(v, u)))/length(q)**2


@given(vectors, vectors)
def test_cross_matrix(x, y):
    assert np.abs(mat(page.cross_matrix(x)) @ y - np.cross(x, y)).max() <= EPS


@given(quaternions, vectors)
def test_matrix_is_conjugation(q, x):
    got, true = mat(page.quaternion_matrix(q)) @ x, conjugation(q, x)
    assert max(abs(got[i] - true[i]) for i in range(3)) <= 6*EPS


@given(quaternions)
def test_matrix_is_a_rotation(q):
    A = mat(page.quaternion_matrix(q))
    assert np.abs(A @ A.T - np.eye(3)).max() <= 6*EPS and abs(np.linalg.det(A) - 1.0) <= 8*EPS


@given(quaternions, st.integers(-480, 480), st.floats(1e-3, 1e3))
def test_matrix_does_not_see_the_length(q, e, k):
    A = page.quaternion_matrix(q)
    assert page.quaternion_matrix(tuple(2.0**e*x for x in q)) == A
    assert off(page.quaternion_matrix(tuple(k*x for x in q)), A) <= 8*EPS


@given(quaternions, quaternions)
def test_products_compose(p, q):
    AB = mat(page.quaternion_matrix(p)) @ mat(page.quaternion_matrix(q))
    assert off(page.quaternion_matrix(page.quaternion_product(p, q)), AB.ravel()) <= 30*EPS


@given(quaternions)
def test_conjugate_is_the_way_back(q):
    back = page.quaternion_conjugate(q)
    assert np.array_equal(mat(page.quaternion_matrix(back)), mat(page.quaternion_matrix(q)).T)
    w, x, y, z = page.quaternion_product(q, back)
    assert abs(w - length(q)**2) <= 4*EPS*w and max(abs(x), abs(y), abs(z)) <= 4*EPS*w


@given(quaternions, vectors)
def test_rate(q, w):
    """It is half the product, keeps the length, and turns the matrix by A [w cross]: the link's own frame."""
    rate = page.quaternion_rate(q, w)
    assert off(rate, 0.5*np.array(page.quaternion_product(q, (0.0, *w)))) <= 4*EPS
    assert abs(np.dot(q, rate)) <= 4*EPS
    h = 1e-5
    ahead, behind = (mat(page.quaternion_matrix(tuple(np.add(q, k*np.array(rate)).tolist()))) for k in (h, -h))
    A = mat(page.quaternion_matrix(q))
    assert np.abs((ahead - behind)/(2*h) - A @ mat(page.cross_matrix(w))).max() <= 1e-8


@given(quaternions, st.integers(-1074, 1023))
@example((1.0, 1.0, 1.0, 1.0), 1023)
@example((1.0, 0.0, 0.0, 0.0), -1074)
@example((1.0, -1.0, 1.0, 1.0), -1074)
@example((1.0, 0.5, 0.3, 0.1), 1000)
@example((1.0, 0.5, 0.3, 0.1), 600)
@example((1.0, 0.5, 0.3, 0.1), 501)
@example((1.0, 0.5, 0.3, 0.1), 499)
@example((1.0, 0.5, 0.3, 0.1), -500)
@example((1.0, 0.5, 0.3, 0.1), -502)
@example((1.0, 0.5, 0.3, 0.1), -600)
def test_normalized(q, e):
    q = tuple(math.ldexp(x, e) for x in q)
    assume(any(q))
    got, n = page.quaternion_normalized(q), length(q)
    assert abs(length(got) - 1) <= EPS
    assert all(abs(mpf(got[i]) - mpf(q[i])/n) <= 2*EPS*abs(mpf(q[i])/n) + mpf(2)**-900 for i in range(4))


def test_zero_has_no_direction():
    assert all(math.isnan(x) for x in page.quaternion_normalized((0.0, 0.0, 0.0, 0.0)))


@given(quaternions)
def test_quaternion_of_its_matrix(q):
    q = page.quaternion_normalized(q)
    back = page.quaternion_from_matrix(page.quaternion_matrix(q))
    assert back[0] >= 0.0 and distance(back, q) <= 6*EPS and abs(length(back) - 1) <= EPS


@given(rngs)
def test_matrix_of_its_quaternion(rng):
    A = rotation(rng)
    assert off(page.quaternion_matrix(page.quaternion_from_matrix(nine(A))), A.ravel()) <= 12*EPS


@pytest.mark.parametrize("q", QUARTERS + HALVES)
def test_special_rotations_are_exact(q):
    A = page.quaternion_matrix(q)
    assert set(np.abs(A)) <= {0.0, 1.0}
    assert distance(page.quaternion_from_matrix(A), q) == 0.0


@given(vectors, st.floats(-1e-7, 1e-7))
def test_half_turns(axis, w):
    """Around w = 0 the other three components decide, whichever is largest."""
    assume(np.linalg.norm(axis) > 0.1)
    q = page.quaternion_normalized((w, *axis))
    assert distance(page.quaternion_from_matrix(page.quaternion_matrix(q)), q) <= 6*EPS


@pytest.mark.parametrize("largest", range(4))
@given(quaternions, st.floats(-9.0, 0.0))
def test_one_large_component(largest, q, size):
    q = tuple(1.0 if i == largest else 10.0**size*x for i, x in enumerate(q))
    q = page.quaternion_normalized(q)
    assert distance(page.quaternion_from_matrix(page.quaternion_matrix(q)), q) <= 6*EPS


@given(vectors, st.floats(-300.0, 1.0))
@example((1.0, 0.0, 0.0), -4.0 - 1e-12)
@example((1.0, 0.0, 0.0), -4.0 + 1e-12)
@example((0.6, 0.8, 0.0), -4.0)
@example((0.0, 0.0, 0.0), 0.0)
def test_exp(r, size):
    """Against mpmath, on both sides of the angle where the series takes over."""
    r = tuple(10.0**size*x for x in r)
    a = length(r)
    k = mp.sin(a/2)/a if a else mpf(1)/2
    got = page.quaternion_exp(r)
    assert abs(got[0] - mp.cos(a/2)) <= 4*EPS
    assert all(abs(got[i + 1] - k*r[i]) <= 4*EPS*max(1, a)*abs(r[i]) + mpf(2)**-1074 for i in range(3))


def test_exp_series_is_exact_to_rounding_where_it_ends():
    r = math.sqrt(page.SMALL_ANGLE_SQUARED)
    for x in (r*(1 - 1e-9), r*(1 + 1e-9)):
        assert ulps(page.quaternion_exp((x, 0.0, 0.0))[1], mp.sin(mpf(x)/2)) <= 3


@given(vectors, angles)
def test_axis_angle_matrix(axis, angle):
    """Rodrigues in mpmath, and the same as exp of the rotation vector."""
    assume(np.linalg.norm(axis) > 0.1)
    axis = tuple(page.quaternion_normalized((0.0, *axis))[1:])
    K = mp.matrix(mat(page.cross_matrix(axis)).tolist())
    true = mp.eye(3) + mp.sin(angle)*K + (1 - mp.cos(angle))*K*K
    got = mat(page.axis_angle_matrix(axis, angle))
    assert max(abs(got[i, j] - true[i, j]) for i in range(3) for j in range(3)) <= 4*EPS
    by_exp = page.quaternion_matrix(page.quaternion_exp(tuple(angle*x for x in axis)))
    assert off(by_exp, got.ravel()) <= 16*EPS


@given(vectors, st.floats(1e-12, 1e-9))
def test_small_angles_keep_one_minus_cosine(axis, angle):
    assume(np.linalg.norm(axis) > 0.1)
    axis = tuple(page.quaternion_normalized((0.0, *axis))[1:])
    A = page.axis_angle_matrix(axis, angle)
    assert abs((A[1] + A[3])/2 - axis[0]*axis[1]*angle**2/2) <= EPS*angle


@given(rngs)
def test_rotating_matrices(rng):
    R, H, S = rotation(rng), rng.normal(size=(3, 3)), rng.normal(size=(3, 3))
    S = S + S.T
    assert off(full(page.rotate_sym(nine(R), six(S))), R @ S @ R.T) <= 12*EPS
    assert off(mat(page.rotate_mat(nine(R), nine(H))), R @ H @ R.T) <= 12*EPS


@pytest.mark.parametrize("axis", ["x", "z"])
@given(rng=rngs, angle=angles)
def test_turns_about_one_axis(axis, rng, angle):
    s, c = sincos(angle)
    R = np.array([[1, 0, 0], [0, c, -s], [0, s, c]] if axis == "x" else [[c, -s, 0], [s, c, 0], [0, 0, 1]])
    A, S, x = rng.normal(size=(3, 3)), rng.normal(size=(3, 3)), rng.normal(size=3)
    S = S + S.T

    def turn(what, *args): return getattr(page, f"turn_{axis}{what}")(*args, s, c)

    assert off(mat(turn("", nine(A))), A @ R) <= 4*EPS
    assert off(turn("_vector", three(x)), R @ x) <= 4*EPS
    assert off(full(turn("_sym", six(S))), R @ S @ R.T) <= 8*EPS
    assert off(mat(turn("_mat", nine(A))), R @ A @ R.T) <= 8*EPS
    back = getattr(page, f"turn_{axis}_vector")(turn("_vector", three(x)), -s, c)
    assert off(back, x) <= 4*EPS


def test_positive_turns_are_counterclockwise():
    s, c = sincos(0.1)
    assert page.turn_z_vector((1.0, 0.0, 0.0), s, c) == (c, s, 0.0)
    assert page.turn_x_vector((0.0, 1.0, 0.0), s, c) == (0.0, c, s)
    assert off(page.axis_angle_matrix((0.0, 0.0, 1.0), 0.1), [c, -s, 0, s, c, 0, 0, 0, 1]) <= EPS
    assert off(page.quaternion_matrix(page.quaternion_exp((0.0, 0.0, 0.1))), [c, -s, 0, s, c, 0, 0, 0, 1]) <= EPS

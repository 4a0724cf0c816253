"""Charts of attitude: the three kinematic identities exactly differentiated, 40-digit numbers, there and back."""

import json
import math
from itertools import product

import numpy as np
import pytest
from algebra.common import mat, off, quaternions, three
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp
from references import FOLDER

from fastdyn.algebra import charts as page
from fastdyn.algebra.rotation import quaternion_matrix

pytestmark = pytest.mark.kernels
EULER = [w for w in map("".join, product("xyz", repeat=3)) if w[0] != w[1] != w[2]]
CODES = {w: int("".join(str("xyz".index(a) + 1) for a in w)) for w in EULER}
ALL = CODES | {"vector": page.ROTATION_VECTOR, "rodrigues": page.RODRIGUES}
STORED = json.loads((FOLDER/"identities_12charts.json").read_text())["cases"]
numbers = st.floats(-2.0, 2.0)
triples = st.tuples(numbers, numbers, numbers)
angle = st.floats(-math.pi, math.pi) | st.sampled_from([0.0, math.pi/2, -math.pi/2, math.pi]) | st.builds(
    lambda quarter, small: quarter*math.pi/2 + small, st.integers(-2, 2), st.floats(-1e-6, 1e-6))
attitudes = st.tuples(angle, angle, angle)


def skew(x):
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])


def C_of(chart, x):
    """Turns components of the parent into those of the link."""
    return mat(quaternion_matrix(page.chart_quaternion(chart, three(x)))).T


def D_of(chart, x):
    return np.array(page.chart_columns(chart, three(x))).T


def elementary(k, x):
    """The paper's B_k(x) and its derivative -[e_k cross] B_k"""
    e = np.eye(3)[k]
    B = np.outer(e, e) + np.cos(x)*(np.eye(3) - np.outer(e, e)) - np.sin(x)*skew(e)
    return B, -skew(e) @ B


def slopes(word, alpha):
    """dC/dalpha_k and dD/dalpha_k by the product rule."""
    (a, b, c), e = ("xyz".index(w) for w in word), np.eye(3)
    (Ba, dBa), (Bb, dBb), (Bc, dBc) = (elementary(k, x) for k, x in zip((a, b, c), alpha))
    dC = [Bc @ Bb @ dBa, Bc @ dBb @ Ba, dBc @ Bb @ Ba]
    zero = np.zeros(3)
    dD = [np.column_stack(x) for x in ((zero, zero, zero), (Bc @ dBb @ e[a], zero, zero),
                                       (dBc @ Bb @ e[a], dBc @ e[b], zero))]
    return dC, dD


@pytest.mark.parametrize("word", EULER)
@given(attitudes, triples, triples)
def test_kinematic_identities(word, alpha, rates, x):
    """(41) times D': D'[w] = Ddot' - dw/dalpha, d(Cx)/dalpha = -D'[Cx], d(C'x)/dalpha = D'[x]C; rows: derivatives."""
    C, D, rates, x = C_of(CODES[word], alpha), D_of(CODES[word], alpha), np.array(rates), np.array(x)
    dC, dD = slopes(word, alpha)
    w = D @ rates
    bound = 1e-14*(1.0 + np.linalg.norm(w))*(1.0 + np.linalg.norm(x))
    D_dot = sum(s*r for s, r in zip(dD, rates))
    assert np.abs(D.T @ skew(w) - (D_dot.T - np.array([s @ rates for s in dD]))).max() <= bound
    assert np.abs(np.array([s @ x for s in dC]) + D.T @ skew(C @ x)).max() <= bound
    assert np.abs(np.array([s.T @ x for s in dC]) - D.T @ skew(x) @ C).max() <= bound


@pytest.mark.parametrize("word", EULER)
@given(attitudes)
def test_determinant_tells_where_the_chart_is_singular(word, alpha):
    d = page.determinant(page.chart_columns(CODES[word], alpha))
    sign = 1.0 if word in ("xyz", "yzx", "zxy") else -1.0
    assert abs(d - sign*(math.sin(alpha[1]) if word[0] == word[2] else math.cos(alpha[1]))) <= 1e-15


@pytest.mark.parametrize("word", ALL)
@given(attitudes, st.sampled_from([1.0, 1e-9, 3.0, 100.0]))
def test_condition_is_that_of_singular_values(word, x, size):
    """Least over greatest, by the closed forms; rounding of D leaves the least one eps of the greatest.

    Judged by singular values in thirty digits: LAPACK's are off by 6e-15 where all three are nearly one.
    """
    x = size*np.array(x)
    with mp.workdps(30):
        values = [float(s) for s in mp.svd_r(mp.matrix(D_of(ALL[word], x).tolist()), compute_uv=False)]
    assert abs(page.chart_condition(ALL[word], three(x)) - values[-1]/values[0]) <= 2e-15 + 2e-16*np.abs(x).max()
    if word == "rodrigues":
        assert values[0] - values[-1] <= 1e-15*values[0]


@pytest.mark.parametrize("case", STORED, ids=[f"{i} {case['chart']}" for i, case in enumerate(STORED)])
def test_stored_numbers(case):
    """A third of them 1e-6 from a singular place; angles of several digits lose nothing either."""
    chart, e = CODES[case["chart"]], {name: np.array(case[name]) for name in ("alpha", "alphadot", "C", "D", "omega")}
    C, D = C_of(chart, e["alpha"]), D_of(chart, e["alpha"])
    assert np.abs(C - e["C"]).max() <= 7e-16 and np.abs(D - e["D"]).max() <= 4e-16
    assert np.abs(D @ e["alphadot"] - e["omega"]).max() <= 1e-15
    rates = page.chart_rates(chart, three(e["alpha"]), three(e["omega"]))
    assert off(rates, three(e["alphadot"])) <= 2e-15/abs(case["det_D"])


def exact_C(chart, x):
    """With mpmath: passive matrix of a rotation vector or of Rodrigues parameters"""
    t = mp.sqrt(sum(k*k for k in x))
    angle, e = (t if chart == page.ROTATION_VECTOR else 4*mp.atan(t)), [k/t for k in x]
    K = mp.matrix([[0, -e[2], e[1]], [e[2], 0, -e[0]], [-e[1], e[0], 0]])
    return mp.eye(3) - mp.sin(angle)*K + (1 - mp.cos(angle))*K*K


@pytest.mark.parametrize("chart", [page.ROTATION_VECTOR, page.RODRIGUES])
@pytest.mark.parametrize("size", [1e-8, 1e-3, 0.4, 0.999, 1.001, 2.0, 3.1, 4.5, 6.2])
def test_d_of_rotation_vectors_and_rodrigues_parameters(chart, size):
    """-[D e_k cross] = dC/dx_k C' with 40 digits; then the first identity, D's slopes by differences of D itself."""
    for direction in ((0.6, -0.48, 0.64), (1.0, 0.0, 0.0), (-0.28, 0.0, 0.96)):
        x = [size*k for k in direction]
        with mp.workdps(60):
            C, h = exact_C(chart, x), mp.mpf(10)**-25
            D = np.zeros((3, 3))
            for k in range(3):
                ahead, behind = ([a + s*h*(i == k) for i, a in enumerate(map(mp.mpf, x))] for s in (1, -1))
                W = (exact_C(chart, ahead) - exact_C(chart, behind))/(2*h)*C.T
                D[:, k] = float(-W[2, 1]), float(-W[0, 2]), float(-W[1, 0])
            true = np.array([[float(C[i, j]) for j in range(3)] for i in range(3)])
        assert np.abs(C_of(chart, x) - true).max() <= 1e-15
        assert np.abs(D_of(chart, x) - D).max() <= 2e-15*max(np.abs(D).max(), 0.1)
        rates, e = np.array([0.7, -1.3, 0.4]), 1e-5*np.eye(3)
        dD = [(D_of(chart, x + s) - D_of(chart, x - s))/2e-5 for s in e]
        D_dot = sum(s*r for s, r in zip(dD, rates))
        assert np.abs(D.T @ skew(D @ rates) - (D_dot.T - np.array([s @ rates for s in dD]))).max() <= 1e-8
        assert np.abs(np.array(page.chart_rates(chart, three(x), three(D @ rates))) - rates).max() \
            <= 1e-14*max(1.0, 1.0/abs(np.linalg.det(D)))


@pytest.mark.parametrize("word", ALL)
@given(quaternions)
def test_there_and_back(word, q):
    """Also where the chart is singular: the attitude is kept to rounding."""
    q = np.array(q)/np.linalg.norm(q)
    x = page.chart_values(ALL[word], three(q) + (float(q[3]),))
    back = np.array(page.chart_quaternion(ALL[word], x))
    assert min(np.abs(back - q).max(), np.abs(back + q).max()) <= 1e-15
    assert abs(np.linalg.norm(back) - 1.0) <= 5e-16


@pytest.mark.parametrize("word", EULER)
@given(attitudes)
def test_attitudes_near_singular_places_are_kept(word, alpha):
    chart, proper = CODES[word], word[0] == word[2]
    C, x = C_of(chart, alpha), page.chart_values(chart, page.chart_quaternion(chart, alpha))
    assert np.abs(C_of(chart, x) - C).max() <= 2e-15
    assert -math.pi <= x[0] <= math.pi and -math.pi <= x[2] <= math.pi
    assert (0.0 if proper else -math.pi/2) <= x[1] <= (math.pi if proper else math.pi/2)


@pytest.mark.parametrize("word", EULER)
@pytest.mark.parametrize("middle", [0.3, 1.2])
def test_angles_come_back_themselves(word, middle):
    for first, last in ((0.4, -2.0), (-3.0, 3.0), (2.9, 1.0)):
        x = page.chart_values(CODES[word], page.chart_quaternion(CODES[word], (first, middle, last)))
        assert np.abs(np.subtract(x, (first, middle, last))).max() <= 2e-15


@pytest.mark.parametrize("word", EULER)
def test_the_third_angle_is_zero_where_it_means_nothing(word):
    """At rest a sequence like zxz knows the sum of two angles alone."""
    first, middle, last = page.chart_values(CODES[word], (1.0, 0.0, 0.0, 0.0))
    assert last == 0.0 and abs(first) <= 1e-16 and abs(middle) <= 1e-16


def test_the_shorter_way_round():
    for word in ("vector", "rodrigues"):
        q = np.array([-0.6, 0.48, 0.0, -0.64])
        x, y = (np.array(page.chart_values(ALL[word], three(p) + (float(p[3]),))) for p in (q, -q))
        assert np.array_equal(x, y) and np.linalg.norm(x) <= (math.pi if word == "vector" else 1.0)

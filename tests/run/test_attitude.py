"""Attitudes in words: rows and single ones, what warns, what is refused; runs do not know of charts."""

import json
import math
import warnings

import mpmath
import numpy as np
import pytest
from formulations.common import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from references import FOLDER

import fastdyn as fd
from fastdyn.describe.attitude import CHARTS, EULER

pytestmark = pytest.mark.usefixtures("one_ladder")


STORED = json.loads((FOLDER/"identities_12charts.json").read_text())["cases"]
BALL = fd.Chain([fd.Link(joint=fd.Spherical(), body=fd.Body.sphere(0.1, 1.0))])


def turned_by(q):
    return fd.orientation(BALL, q, "link1")


def turn(axis, angle):
    e = np.eye(3)["xyz".index(axis)]
    return np.array([math.cos(angle/2), *(math.sin(angle/2)*e)])


def test_all_sequences_are_there():
    assert len(EULER) == 12 and len(set(EULER)) == 12 and len(CHARTS) == 14
    assert all(a != b != c and CHARTS[a + b + c] > 100 for a, b, c in EULER)


@pytest.mark.parametrize("word", EULER)
def test_turns_follow_each_other_about_the_links_own_axes(word):
    """A link on three hinges, one on the other, is turned as the sequence says."""
    axes = [tuple(np.eye(3)["xyz".index(a)]) for a in word]
    chain = fd.Chain([fd.Link(joint=fd.Revolute(axis=axis)) for axis in axes[:2]]
                     + [fd.Link(joint=fd.Revolute(axis=axes[2]), body=fd.Body.sphere(0.1, 1.0))], space="space")
    angles, rates = np.array([0.4, 0.7, -1.1]), np.array([0.3, -0.9, 0.5])
    q, w = fd.to_quaternion(angles, word), fd.to_angular_velocity(angles, rates, word)
    A = fd.orientation(chain, angles, "link3")
    assert np.abs(turned_by(q) - A).max() < 1e-15
    assert np.abs(A @ w - fd.velocity(chain, angles, rates, "link3")[1]).max() < 1e-15


@pytest.mark.parametrize("chart", CHARTS)
def test_rows_are_single_attitudes(chart):
    x = np.random.default_rng(1).uniform(0.1, 0.5, (5, 3))
    rates = np.random.default_rng(2).normal(size=(5, 3))
    q, w = fd.to_quaternion(x, chart), fd.to_angular_velocity(x, rates, chart)
    assert q.shape == (5, 4) and fd.from_quaternion(q[0], chart).shape == (3,)
    for k in range(5):
        assert np.array_equal(fd.to_quaternion(x[k].tolist(), chart), q[k])
        assert np.array_equal(fd.to_angular_velocity(x[k], rates[k], chart), w[k])
    assert np.abs(fd.from_quaternion(-2.5*q, chart) - x).max() < 4e-15
    assert np.abs(fd.from_angular_velocity(x, w, chart) - rates).max() < 1e-14
    assert fd.to_quaternion(np.empty((0, 3)), chart).shape == (0, 4)
    assert fd.from_quaternion(np.empty((0, 4)), chart).shape == (0, 3)


def test_a_singular_chart_warns_and_is_refused_only_where_rates_do_not_exist():
    near, at = [0.3, math.pi/2 - 1e-7, 0.1], [0.3, math.pi/2, 0.1]
    with pytest.warns(RuntimeWarning, match=r'chart "zyx" is nearly singular, singular values of D as '
                                            r"1 to 5e-08: .* take another sequence"):
        values = fd.from_quaternion(fd.to_quaternion(near))
    assert np.abs(np.abs(fd.to_quaternion(values) @ fd.to_quaternion(near)) - 1.0) < 1e-15
    with pytest.warns(RuntimeWarning, match="in row 1, singular values of D"):
        rates = fd.from_angular_velocity([[0.0, 0.1, 0.0], near], np.eye(3)[:2])
    assert np.abs(fd.to_angular_velocity(near, rates[1]) - [0.0, 1.0, 0.0]).max() < 1e-8
    with pytest.warns(RuntimeWarning), pytest.raises(fd.ModelError, match='chart "zyx" is singular there and has'):
        fd.from_angular_velocity(at, [0.0, 0.0, 1.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fd.to_quaternion(at)
        fd.to_angular_velocity(at, [1.0, 2.0, 3.0])
        fd.from_quaternion(fd.to_quaternion(at), "zxz")


@pytest.mark.parametrize("size", [0.3, 25.0, 440.0, 1e6, 1e30])
def test_rodrigues_parameters_are_perfect_wherever_they_are(size):
    """D is a number times a turn: there is no singular place but infinity, and no warning on the way."""
    p, w = size*np.array([0.6, 0.0, -0.8]), np.array([0.3, -0.7, 0.2])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rates = fd.from_angular_velocity(p, w, "rodrigues")
        assert np.abs(fd.to_angular_velocity(p, rates, "rodrigues") - w).max() < 1e-15
        q = fd.to_quaternion(p, "rodrigues")
        back = fd.from_quaternion(q, "rodrigues")
    assert abs(np.linalg.norm(rates)*4/(1 + size*size)/np.linalg.norm(w) - 1) < 1e-15
    assert np.abs(back - (p if size < 1 else -p/size**2)).max() < 1e-15/max(size, 1.0)
    assert abs(q[0] - (1 - size*size)/(1 + size*size)) < 1e-15


def skew(x):
    return np.cross(np.asarray(x)[..., None, :], np.eye(3)).swapaxes(-1, -2)


@pytest.mark.parametrize("case", STORED, ids=[f"{i} {case['chart']}" for i, case in enumerate(STORED)])
def test_stored_matrices_and_gradients(case):
    """A third of them 1e-6 from a singular place"""
    chart, at, rates = case["chart"], case["alpha"], case["alphadot"]
    found = fd.chart_gradients(at, rates, case["x"], chart)
    assert np.abs(fd.chart_matrix(at, chart) - case["D"]).max() <= 4e-16
    assert np.abs(fd.chart_matrix_rate(at, rates, chart) - case["Ddot"]).max() <= 2e-15
    for got, wanted in zip(found, ("grad_omega", "grad_Cx", "grad_Ctx")):
        assert np.abs(got - case[wanted]).max() <= 2e-15


amounts = st.floats(-2.0, 2.0)
near = st.builds(lambda quarter, small: quarter*math.pi/2 + small, st.integers(-2, 2), st.floats(-1e-6, 1e-6))
angles, triples = (st.tuples(*[x]*3) for x in (st.floats(-math.pi, math.pi) | near, amounts))


@pytest.mark.parametrize("chart", CHARTS)
@settings(max_examples=examples(30))
@given(angles, triples, triples)
def test_kinematic_identities(chart, at, rates, x):
    """(41) times D' in all charts, also near singular places and at them; no two functions share a derivation."""
    D, D_rate = fd.chart_matrix(at, chart), fd.chart_matrix_rate(at, rates, chart)
    C, w = turned_by(fd.to_quaternion(at, chart)).T, fd.to_angular_velocity(at, rates, chart)
    found, x = fd.chart_gradients(at, rates, x, chart), np.array(x)
    bound = 1e-14*(1.0 + np.linalg.norm(w))*(1.0 + np.linalg.norm(x))*max(1.0, np.abs(D).max())
    assert np.abs(D @ rates - w).max() <= bound
    assert np.abs(D.T @ skew(w) - (D_rate.T - found.omega)).max() <= bound
    assert np.abs(found.turned + D.T @ skew(C @ x)).max() <= bound
    assert np.abs(found.returned - D.T @ skew(x) @ C).max() <= bound


@pytest.mark.parametrize("chart", ["rotation-vector", "mrp"])
@pytest.mark.parametrize("size", [1e-9, 1e-3, 0.999, 1.001, 3.0, 6.2, 50.0])
def test_kinematic_identities_of_short_and_long_vectors(chart, size):
    at, rates, x = size*np.array([0.6, -0.48, 0.64]), np.array([0.7, -1.3, 0.4]), np.array([0.3, 1.1, -0.8])
    D, C = fd.chart_matrix(at, chart), turned_by(fd.to_quaternion(at, chart)).T
    found, w = fd.chart_gradients(at, rates, x, chart), D @ rates
    assert np.abs(D.T @ skew(w) - (fd.chart_matrix_rate(at, rates, chart).T - found.omega)).max() <= 4e-14
    assert np.abs(found.turned + D.T @ skew(C @ x)).max() <= 4e-14
    assert np.abs(found.returned - D.T @ skew(x) @ C).max() <= 4e-14


@pytest.mark.parametrize("chart", CHARTS)
def test_matrices_of_many_attitudes(chart):
    at, rates, x = np.random.default_rng(3).uniform(0.1, 0.5, (3, 4, 3))

    def ask(at, rates, x):
        return [fd.chart_matrix(at, chart), fd.chart_matrix_rate(at, rates, chart),
                *fd.chart_gradients(at, rates, x, chart)]

    rows = ask(at, rates, x)
    for k in range(4):
        assert all(np.array_equal(many[k], one) for many, one in zip(rows, ask(at[k], rates[k], x[k])))


def test_rodrigues_parameters_have_two_names():
    x = [0.3, -0.2, 0.1]
    assert np.array_equal(fd.to_quaternion(x, "mrp"), fd.to_quaternion(x, "rodrigues"))
    assert np.array_equal(fd.from_quaternion([0.8, 0.6, 0.0, 0.0], "mrp"),
                          fd.from_quaternion([0.8, 0.6, 0.0, 0.0], "rodrigues"))


NEAR_ONE = {"rotation-vector": lambda ratio: [2*math.pi/(1 + ratio), 0.0, 0.0],
            "zyx": lambda ratio: [0.3, math.pi/2 - 2*ratio, 0.1], "zxz": lambda ratio: [0.3, 2*ratio, 0.1]}


@pytest.mark.parametrize("chart", NEAR_ONE)
def test_both_sides_of_what_warns_and_of_what_is_refused(chart):
    """Singular values of D as 1 to 1e-6 warn, as 1 to 1e-14 have no rates left."""
    def ask(ratio):
        return fd.from_angular_velocity(NEAR_ONE[chart](ratio), [1.0, 2.0, 3.0], chart)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ask(1.01e-6)
    with pytest.warns(RuntimeWarning, match="as 1 to 9.9e-07"):
        ask(0.99e-6)
    with pytest.warns(RuntimeWarning, match="as 1 to 1.[0-9]+e-13"):
        ask(1.2e-13)
    with pytest.warns(RuntimeWarning), pytest.raises(fd.ModelError, match="is singular there and has no rates"):
        ask(2e-15)


@pytest.mark.parametrize("away", [1.0, 1e-2, 1e-4, 1e-6, 1e-8])
def test_rates_of_rotation_vectors_near_a_full_turn(away):
    """Against fifty digits: what is lost is what the length of the vector, rounded once, leaves of the rest to 2 pi."""
    r, w = np.array([2.0, -1.0, 2.0])/3.0*(2.0*math.pi - away), np.array([0.3, -0.7, 0.2])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rates = fd.from_angular_velocity(r, w, "rotation-vector")
    with mpmath.workdps(50):
        R, W = mpmath.matrix(r.tolist()), mpmath.matrix(w.tolist())
        t = mpmath.norm(R)
        X = mpmath.matrix([[0, -R[2], R[1]], [R[2], 0, -R[0]], [-R[1], R[0], 0]])
        D = mpmath.eye(3) - X*(1 - mpmath.cos(t))/t**2 + X*X*(t - mpmath.sin(t))/t**3
        exact = np.array([float(x) for x in mpmath.lu_solve(D, W)])
    assert np.abs(rates - exact).max() <= 4e-15*(1.0 + 1.0/away)*np.abs(exact).max()


def test_long_rotation_vectors_are_singular_at_full_turns_alone():
    """D shrinks across r as 2/t: no digit is lost by that"""
    w = np.array([0.3, -0.7, 0.2])
    for t in (2500.5, 99999.0):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            rates = fd.from_angular_velocity([0.6*t, 0.8*t, 0.0], w, "rotation-vector")
        assert np.abs(fd.to_angular_velocity([0.6*t, 0.8*t, 0.0], rates, "rotation-vector") - w).max() < 1e-15*t
    with pytest.warns(RuntimeWarning), pytest.raises(fd.ModelError, match="is singular there"):
        fd.from_angular_velocity([0.0, 2000*math.pi, 0.0], w, "rotation-vector")


def test_a_run_through_a_singular_attitude_of_a_chart_knows_nothing_of_it():
    """Pitch passes 90 degrees: the dynamics is the same as with the body turned so that it does not."""
    body = fd.Body(mass=1.0, com=(0.3, 0.0, 0.0), inertia=(0.1, 0.2, 0.25))
    chain = fd.Chain([fd.Link(joint=fd.Spherical(), body=body)], gravity=(0.0, 0.0, 0.0))
    run = fd.simulate(chain, 2.0, q=[1.0, 0.0, 0.0, 0.0], v=[0.0, 1.5, 0.0], rtol=1e-12, atol=1e-14)
    assert np.abs(run.q - [[math.cos(0.75*t), 0.0, math.sin(0.75*t), 0.0] for t in run.t]).max() < 1e-12
    pitch = fd.from_quaternion(run.q, "zyx")[:, 1]
    assert pitch.max() > math.pi/2 - 0.01 and pitch[-1] < math.pi - 2.9


@pytest.mark.parametrize("ask, said", [
    (lambda: fd.to_quaternion([0.0, 0.0, 0.0], "zzx"), "chart is 'zzx'; known are \"xyz\", \"yzx\""),
    (lambda: fd.to_quaternion([0.0, 0.0, 0.0], 321), "chart is 321; known are"),
    (lambda: fd.to_quaternion([[0.0, 0.0, 0.0], [0.0, 0.0]]), "values is not an array of numbers"),
    (lambda: fd.from_quaternion([[1.0, 0.0, 0.0, 0.0], [1.0]]), "quaternion is not an array of numbers"),
    (lambda: fd.to_quaternion([0.0, 0.0]), r"values has shape \(2,\); give shape \(3,\)"),
    (lambda: fd.to_quaternion([0.0, 0.0, math.nan]), r"values\[2\] is nan; every number must be finite"),
    (lambda: fd.to_quaternion([0.0, 0.0, 1e6]), "values holds 1000000; give angles of at most 100000 rad"),
    (lambda: fd.to_quaternion([0.0, 0.0, 1e6], "rotation-vector"), "values holds 1000000; give angles"),
    (lambda: fd.to_quaternion([1e31, 0.0, 0.0], "rodrigues"), r"values holds 1e\+31; give Rodrigues parameters of at "
     r"most 1e\+30, or those of the shorter way round"),
    (lambda: fd.from_quaternion([0.0]*4), "quaternion has no sensible length"),
    (lambda: fd.from_quaternion([1.0, 0.0, 0.0]), r"quaternion has shape \(3,\)"),
    (lambda: fd.to_angular_velocity([0.0]*3, [[0.0]*3]), r"rates has shape \(1, 3\); give shape \(3,\)"),
    (lambda: fd.from_angular_velocity([0.0]*3, [0.0]*4), r"omega has shape \(4,\)"),
])
def test_what_cannot_be_is_refused(ask, said):
    with pytest.raises(fd.ModelError, match=f"^{said}"):
        ask()

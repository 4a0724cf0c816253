"""Points that stick are chosen rightly: forces in a box, against SciPy's least squares with bounds."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import lsq_linear

from fastdyn._jit import c_array, float64, int64, kernel, ready
from fastdyn.formulations.choosing import choose
from fastdyn.formulations.sticking import Grip, equations, factor, solve

VECTOR = c_array(float64, 1)


@kernel(int64(VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, int64))
def chosen(H, b, bound, state, x, m):
    choose(H, b, bound, state, x, np.zeros(m*m), m)
    return 0


@kernel(int64(VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, VECTOR))
def held(A, wanted, limit, state, F, shared):
    """`shared`: forces that hold all points, whatever their limits."""
    m = limit.size
    weight, bound, none, index = np.empty(m), np.empty(m), np.zeros(m), np.empty(m)
    whole, room, turn, note = np.empty(m*m), np.empty(m*m), np.empty(m*m), np.zeros(3)
    for i in range(m):
        index[i] = i
    g = Grip(note, none, limit, index, weight, wanted, np.empty(m), shared, bound, state, A, turn, whole, room,
             none, none, none)
    factor(g, m)
    solve(g, 1e-13)
    equations(g, 1e-13)
    for i in range(m):
        bound[i] = limit[i]/weight[i]
    choose(whole, wanted, bound, state, F, room, m)
    for i in range(m):
        F[i] *= weight[i]
    return 0


@given(st.integers(1, 24), st.integers(1, 24), st.integers(0, 10**6), st.sampled_from([0.1, 1.0, 10.0]))
@settings(max_examples=200, deadline=None)
def test_forces_are_those_of_least_squares_in_a_box(m, rank, seed, load):
    """What accelerates, J'F - c, is unique, forces need not be; each sticks, or accelerates against its force."""
    rng, rank = np.random.default_rng(seed), min(rank, m)
    J = np.linalg.qr(rng.normal(size=(m, rank)))[0]*rng.uniform(0.3, 1.0, rank)
    c, limit = load*rng.normal(size=rank), rng.uniform(0.05, 1.0, m)
    state, F, shared = np.zeros(m), np.empty(m), np.empty(m)
    ready(held)((J @ J.T).ravel(), J @ c, limit, state, F, shared)
    size = max(1.0, load)
    assert np.all(np.abs(F) <= limit*(1.0 + 1e-15))
    acceleration = J @ (J.T @ F - c)
    assert np.abs(acceleration[state == 0.0]).max(initial=0.0) <= 1e-6*size
    assert (state*acceleration)[state != 0.0].max(initial=-1.0) <= 1e-6*size
    box = lsq_linear(J.T, c, (-limit, limit), method="bvls", tol=1e-14, max_iter=1000)
    assert np.abs(J.T @ (F - box.x)).max() <= 1e-5*size
    if np.all(np.abs(shared) < limit):
        assert np.all(state == 0.0) and np.abs(F - shared).max() <= 1e-6*size


def test_a_load_on_twins_is_shared_alike():
    """Three points of one link: A is of rank one, forces are as their limits are, and all go at once."""
    limit, ones = np.array([1.0, 2.0, 3.0]), np.ones(3)
    for load, sticks in ((0.5, True), (5.9, True), (6.1, False)):
        state, F, shared = np.zeros(3), np.empty(3), np.empty(3)
        ready(held)(np.ones(9), load*ones, limit.copy(), state, F, shared)
        assert np.abs(F/limit - min(load/6.0, 1.0)).max() < 1e-6 and np.abs(shared/limit - load/6.0).max() < 1e-12
        assert np.array_equal(state, 0.0*ones if sticks else ones)


def test_what_hardly_differs_is_told_apart_by_its_load():
    """The ends of a bar, aslant by e: one slips if it must turn, both stick if hardly."""
    for e, load, slips in ((1e-2, 1e-2, 1.0), (1e-6, 1e-6, 1.0), (1e-6, 1e-11, 0.0), (0.0, 1e-11, 0.0)):
        state, F, shared = np.zeros(2), np.empty(2), np.empty(2)
        A = np.array([1.0 + e*e, 1.0 - e*e, 1.0 - e*e, 1.0 + e*e])
        ready(held)(A, np.array([load, -load]), np.array([1.0, 0.9]), state, F, shared)
        assert np.array_equal(state, [0.0, -slips]) and (slips or np.abs(F).max() < 0.1)


def test_rounding_is_not_held():
    """What is no more than noise of the accelerations asks for no force, so not of a point without a limit either."""
    state, F, shared = np.zeros(2), np.empty(2), np.empty(2)
    ready(held)(np.array([1.0, 0.0, 0.0, 1.0]), np.array([1e-15, -1e-15]), np.zeros(2), state, F, shared)
    assert np.array_equal(state, [0.0, 0.0]) and np.array_equal(F, [0.0, 0.0]) and np.array_equal(shared, [0.0, 0.0])


def test_without_a_limit_nothing_is_held():
    state, x = np.zeros(3), np.empty(3)
    ready(chosen)(np.eye(3).ravel(), np.array([1.0, -1.0, 0.5]), np.array([0.0, 0.0, 1.0]), state, x, 3)
    assert np.array_equal(state, [1.0, -1.0, 0.0]) and np.array_equal(x, [0.0, 0.0, 0.5])


def test_what_is_at_its_limit_goes_in_any_case():
    state, x = np.array([2.0, 0.0]), np.empty(2)
    ready(chosen)(np.eye(2).ravel(), np.array([0.5, 0.5]), np.ones(2), state, x, 2)
    assert np.array_equal(state, [2.0, 0.0]) and x[0] == 1.0


def test_what_was_let_go_is_held_again():
    """Of both together the second is the more beyond its limit; with the first at its own it is drawn back to rest."""
    H, b, bound = np.array([[1.0, 0.99], [0.99, 1.0]]), np.array([1.0, 0.5]), np.array([1.0, 0.9])
    state, x = np.zeros(2), np.empty(2)
    share = np.abs(np.linalg.solve(H, b))/bound
    assert share[1] > share[0] > 1.0
    ready(chosen)(H.ravel(), b, bound, state, x, 2)
    assert np.array_equal(state, [1.0, 0.0]) and np.abs(x - [1.0, -0.49]).max() < 1e-15


def test_changes_that_go_round_in_a_circle_end_one_by_one():
    """All that are wrong changed at once come back to where they were, for ever."""
    G = np.array([[2.0, 2.0, -2.0], [-1.0, -1.0, 1.0], [-1.0, -1.0, 0.0]])
    H, b, bound = G @ G.T + 0.05*np.eye(3), np.array([1.0, -4.0, 5.0]), np.array([2.0, 1.0, 1.0])
    state, x = np.zeros(3), np.empty(3)
    ready(chosen)(H.ravel(), b, bound, state, x, 3)
    rest = H @ x - b
    assert np.all(np.abs(x) <= bound) and np.abs(rest[state == 0.0]).max(initial=0.0) < 1e-12
    assert np.all((state*rest)[state != 0.0] <= 0.0)

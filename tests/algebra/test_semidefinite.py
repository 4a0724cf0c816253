"""Symmetric matrices of any rank: rank found, and of all solutions the shortest, against NumPy's pseudoinverse."""

import numpy as np
import pytest

from fastdyn._jit import c_array, float64, int64, kernel, ready
from fastdyn.algebra.semidefinite import RANK_FLOOR, factor_semidefinite, solve_semidefinite

VECTOR = c_array(float64, 1)


@kernel(int64(VECTOR, int64, VECTOR, VECTOR))
def solved(S, m, b, x):
    L, G, rest = np.zeros(m*m), np.zeros(m*m), np.zeros(3*m)
    rank = factor_semidefinite(S, m, L, G, rest[:m], rest[m:2*m], RANK_FLOOR)
    solve_semidefinite(L, G, rest[:m], rest[m:2*m], rank, m, b, x, rest[2*m:])
    return rank


@pytest.mark.parametrize("m, rank", [(1, 1), (4, 4), (5, 3), (7, 1), (12, 9), (3, 0)])
def test_the_shortest_solution(m, rank):
    rng = np.random.default_rng(4)
    for units in (np.ones(m), 10.0**rng.integers(-6, 6, m)):
        A = units[:, None]*rng.normal(size=(m, max(rank, 1)))*(rank > 0)
        S, x = A @ A.T, np.empty(m)
        b, d = S @ (rng.normal(size=m)/units), np.sqrt(np.diag(S))
        assert ready(solved)(S.ravel(), m, b, x) == rank
        scaled = np.divide(1.0, d, out=np.zeros(m), where=d > 0)
        wanted = np.linalg.pinv(S*np.outer(scaled, scaled), rcond=1e-11) @ (b*scaled)
        assert np.abs(d*x - wanted).max() <= 1e-9*np.abs(wanted).max(initial=1e-300)


@pytest.mark.parametrize("tiny", [1e-4, 3e-5, 1e-6])
def test_solutions_next_to_a_lower_rank_do_not_blow_up(tiny):
    """Pivots on both sides of the floor: the image is right however short the way there is."""
    rng = np.random.default_rng(5)
    A = rng.normal(size=(4, 5))
    A[2], A[3] = A[0] + tiny*A[2], A[1] + 0.1*tiny*A[3]
    A /= np.linalg.norm(A, axis=1)[:, None]
    x, b = np.empty(4), A @ rng.normal(size=5)
    ready(solved)((A @ A.T).ravel(), 4, b, x)
    assert np.abs(A @ A.T @ x - b).max() < 20*max(tiny, 1e-6)


def test_entries_without_a_diagonal_take_no_part():
    x = np.empty(3)
    assert ready(solved)(np.array([2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 4.0]), 3, np.array([1.0, 0.0, 1.0]), x) == 2
    assert x == pytest.approx([0.5, 0.0, 0.25], rel=1e-15)

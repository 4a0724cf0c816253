"""Matrices whose rows begin late, against NumPy: solutions, empty equations, an order that keeps rows short."""

import numpy as np
import pytest

import fastdyn as fd
from fastdyn.algebra.skyline import factor_skyline, solve_skyline
from fastdyn.layout import DENSE_GAPS, WEB_GAP, WEB_HEAD

pytestmark = pytest.mark.kernels


def kept(A):
    """(numbers, first, start) of a symmetric matrix"""
    first = np.array([int(np.flatnonzero(row[:i + 1])[0]) for i, row in enumerate(A)])
    size = np.arange(1, len(A) + 1) - first
    start = np.cumsum(size) - size - first
    return np.concatenate([row[a:i + 1] for i, (row, a) in enumerate(zip(A, first))]), first, start


def solved(A, b, place=None):
    S, first, start = kept(A)
    m, L, size = len(A), np.zeros(len(S)), np.zeros(len(A))
    x, y = np.zeros(m), np.zeros(m)
    factor_skyline(S, m, first, start, L, size)
    solve_skyline(L, m, np.arange(m) if place is None else place, first, start, size, b, x, y)
    return x


@pytest.mark.parametrize("m, width", [(1, 1), (7, 7), (40, 3), (25, 6)])
def test_solutions_are_numpys(m, width):
    rng = np.random.default_rng(m)
    B = np.tril(rng.normal(size=(m, m)))*(np.subtract.outer(np.arange(m), np.arange(m)) < width) + 3.0*np.eye(m)
    A, b, scale = B @ B.T, rng.normal(size=m), np.exp(rng.normal(size=m)*4.0)
    A = scale[:, None]*A*scale
    assert np.allclose(solved(A, b)*scale, np.linalg.solve(A/scale[:, None]/scale, b/scale), rtol=1e-11)
    place = rng.permutation(m)
    assert np.allclose(solved(A, b, place)[place], solved(A, b[place]), rtol=1e-14)


def test_what_says_nothing_new_is_left_out():
    """The last row is the sum of two others: a solution all the same, its own number zero."""
    rng = np.random.default_rng(3)
    N = rng.normal(size=(4, 6))
    N = np.vstack([N, N[1] + N[3]])
    A, x = N @ N.T, rng.normal(size=5)
    found = solved(A, A @ x)
    assert found[4] == 0.0 and np.allclose(A @ found, A @ x, rtol=1e-12)


@pytest.mark.parametrize("n", [40, 400])
def test_windows_in_a_row_make_a_narrow_band(n):
    web, m, nv = fd.catalog.n_four_bar(n).model.web, 2*n, 2*n + 1
    assert m > DENSE_GAPS
    first = web[WEB_HEAD + 2*nv + 1 + WEB_GAP*m + m:][:m]
    assert (np.arange(m) - first).max() == 3

"""Screws and flat blocks: each short form is the full product it stands for."""

import numpy as np
import pytest
from algebra.common import EPS, full, mat, nine, off, rngs, rotation, six, three
from hypothesis import given, settings
from hypothesis import strategies as st

from fastdyn.algebra import screw

pytestmark = pytest.mark.kernels
KINDS = {"any": screw.ANY, "square": screw.SQUARE_ONE, "level": screw.LEVEL_ONE}
angles = st.floats(-7.0, 7.0)


def turns(kind, alpha, beta):
    """(E, (c, s, ca, sa)); a square screw leans by a quarter turn exactly, a level one not at all"""
    ca, sa = {"any": (np.cos(alpha), np.sin(alpha)), "square": (0.0, 1.0), "level": (1.0, 0.0)}[kind]
    c, s = np.cos(beta), np.sin(beta)
    X = np.array([[1.0, 0.0, 0.0], [0.0, ca, -sa], [0.0, sa, ca]])
    Z = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    return X @ Z, tuple(float(x) for x in (c, s, ca, sa))


def flat(rng):
    """(S, its three numbers, H, its two rows): blocks without a z row"""
    a, b, d = rng.normal(size=3)
    S, H = np.array([[a, b, 0.0], [b, d, 0.0], [0.0, 0.0, 0.0]]), rng.normal(size=(3, 3))
    H[2] = 0.0
    return S, three((a, b, d)), H, (three(H[0]), three(H[1]))


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=30)
@given(rngs, angles, angles)
def test_vectors_there_and_back(kind, rng, alpha, beta):
    E, cs = turns(kind, alpha, beta)
    x = rng.normal(size=3)
    assert off(KINDS[kind].out(three(x), *cs), E @ x) <= 4*EPS
    assert off(KINDS[kind].back(three(x), *cs), E.T @ x) <= 4*EPS


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=30)
@given(rngs, angles, angles)
def test_symmetric_matrices(kind, rng, alpha, beta):
    E, cs = turns(kind, alpha, beta)
    S = rng.normal(size=(3, 3))
    S = S + S.T
    assert off(full(KINDS[kind].sym(six(S), *cs)), E @ S @ E.T) <= 10*EPS


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=30)
@given(rngs, angles, angles)
def test_blocks_without_a_row(kind, rng, alpha, beta):
    E, cs = turns(kind, alpha, beta)
    S, B, H, (h0, h1) = flat(rng)
    assert off(full(KINDS[kind].flat_sym(B, *cs)), E @ S @ E.T) <= 10*EPS
    assert off(mat(KINDS[kind].flat_mat(h0, h1, *cs)), E @ H @ E.T) <= 10*EPS


@settings(max_examples=30)
@given(rngs)
def test_blocks_without_a_row_under_any_rotation(rng):
    E = rotation(rng)
    S, B, H, (h0, h1) = flat(rng)
    assert off(full(screw.turn_flat_sym(B, nine(E))), E @ S @ E.T) <= 10*EPS
    assert off(mat(screw.turn_flat_mat(h0, h1, nine(E))), E @ H @ E.T) <= 10*EPS


def test_traces_are_kept():
    """Where a full product would let them drift: the sum of the moments has the same size before and after."""
    rng = np.random.default_rng(1)
    for _ in range(100):
        _, cs = turns("any", *rng.uniform(-3.0, 3.0, 2))
        S = rng.normal(size=(3, 3))
        got = screw.screw_sym(six(S + S.T), *cs)
        assert abs(got[0] + got[3] + got[5] - 2.0*np.trace(S)) <= 16*EPS*np.abs(S).max()

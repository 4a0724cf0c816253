"""What the algebra tests share: tuples and arrays into each other, distances in units in the last place, strategies."""

import numpy as np
from hypothesis import strategies as st
from mpmath import mp, mpf

EPS = 2.0**-52


def full(S):
    """3x3 array of a symmetric 6-tuple"""
    return np.array([[S[0], S[1], S[2]], [S[1], S[3], S[4]], [S[2], S[4], S[5]]])


def mat(A):
    """3x3 array of a 9-tuple"""
    return np.array(A).reshape(3, 3)


def six(A):
    """6-tuple of the upper triangle of a 3x3 array"""
    return tuple(float(A[i][j]) for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))


def nine(A):
    """9-tuple of a 3x3 array"""
    return tuple(float(x) for row in A for x in row)


def three(x):
    return tuple(float(v) for v in x)


def blocks(J, H, M):
    """6x6 array of the three blocks"""
    return np.block([[full(J), mat(H)], [mat(H).T, full(M)]])


def ulps(got, true):
    """|got - true| in units in the last place of true (an mpf)"""
    return abs(mpf(float(got)) - true)/mpf(float(np.spacing(abs(float(true)))))


def off(got, expected):
    """Largest difference of two arrays relative to the largest entry of the second"""
    got, expected = np.asarray(got, dtype=float), np.asarray(expected, dtype=float)
    return np.abs(got - expected).max()/max(np.abs(expected).max(), 1e-300)


def exact(A):
    """mpmath matrix with the very entries of a float array"""
    return mp.matrix(np.asarray(A, dtype=float).tolist())


def rotation(rng):
    """Rotation matrix from the QR decomposition, so not by the code under test"""
    Q, R = np.linalg.qr(rng.normal(size=(3, 3)))
    Q = Q*np.sign(np.diag(R))
    return Q*np.linalg.det(Q).round()


def positive(rng, n, least=0.05):
    """Symmetric positive definite n x n array"""
    B = rng.normal(size=(n, n))
    A = B @ B.T/n + least*np.eye(n)
    return np.tril(A) + np.tril(A, -1).T


rngs = st.integers(0, 2**32 - 1).map(np.random.default_rng)
unit = st.floats(-1.0, 1.0)
vectors = st.tuples(unit, unit, unit)
quaternions = st.tuples(unit, unit, unit, unit).filter(lambda q: sum(x*x for x in q) > 1e-2)
angles = st.floats(-10.0, 10.0)

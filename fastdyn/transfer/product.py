"""Transfer matrices multiplied out, base to tip, as the method is taught: kept for study, with its own error estimate.

State [th, T^2 tau, 1]; x = A th + B, T th' = D th + E from the scheme (A = 1/b, B = -p/b, D = g/b, E = v - D p); k, c
are T^2 k_j, T c_j, and at the base D0 = 0, E0 = T th0':

    joint   [(k + c D0)/(k + c D), 1/(k + c D), c (E0 - E)/(k + c D)]   link   [1, 0, 0]   load   [1, 0,  0]
            [0, 1, 0]                                                          [I A, 1, I B]        [0, 1, -f]

One cell of a uniform chain has eigenvalues z, 1/z with z = 1 + m/2 + sqrt(m + m^2/4), m = I A/(k + c D). The state at
the tip is a difference of products that grow as z^n, so rounding grows as eps z^n and goes back into B and E.
Source: [Kumar & Sankar 1986].
"""

import numpy as np

from .._jit import kernel, leaf
from .riccati import ADVANCE, C, K, P, V, end_step

EPS = np.finfo(float).eps


def error_estimate(inertia, data, b, g):
    """Relative error of a state recovered from the plain product: eps times the growth of all cells."""
    m = inertia[1:]/(b*data[K, 1:] + g*data[C, 1:])             # inertia and data hold the base in place 0
    with np.errstate(over="ignore"):
        return float(EPS*np.exp(np.sum(np.log1p(m/2.0 + np.sqrt(m + m*m/4.0)))))


@leaf
def times(U, W):
    """Product of 3x3 matrices, row after row"""
    return (U[0]*W[0] + U[1]*W[3] + U[2]*W[6], U[0]*W[1] + U[1]*W[4] + U[2]*W[7], U[0]*W[2] + U[1]*W[5] + U[2]*W[8],
            U[3]*W[0] + U[4]*W[3] + U[5]*W[6], U[3]*W[1] + U[4]*W[4] + U[5]*W[7], U[3]*W[2] + U[4]*W[5] + U[5]*W[8],
            U[6]*W[0] + U[7]*W[3] + U[8]*W[6], U[6]*W[1] + U[7]*W[4] + U[8]*W[7], U[6]*W[2] + U[7]*W[5] + U[8]*W[8])


@leaf
def joint_matrix(k, c, D, D_in, E, E_in):
    d = k + c*D
    return (k + c*D_in)/d, 1.0/d, c*(E_in - E)/d, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0


@leaf
def link_matrix(I, A, B):
    return 1.0, 0.0, 0.0, I*A, 1.0, I*B, 0.0, 0.0, 1.0


@leaf
def load_matrix(f):
    return 1.0, 0.0, 0.0, 0.0, 1.0, -f, 0.0, 0.0, 1.0


@kernel(ADVANCE)
def advance_product(Y, D, numbers, F, station, base, scratch, out, steps, wait, every):
    """Steps by plain products. scratch: inertia, T^2 f, x and the first row of each partial product (3 rows)."""
    many, n, row = len(Y), Y.shape[1], 0
    b, g = numbers[many + 3, 0], numbers[many + 3, 1]
    I, f, x, old = scratch[0], scratch[1], scratch[2], scratch[6]
    A, slope = 1.0/b, g/b
    for at in range(steps):
        for j in range(n):
            f[j] = 0.0
        for load in range(len(station)):
            f[station[load]] += F[at, load]
        U = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
        slope_in, E_in = 0.0, base[at, V]
        for j in range(1, n):
            B, E = -A*Y[P, j], Y[V, j] - slope*Y[P, j]
            U = times(joint_matrix(D[K, j], D[C, j], slope, slope_in, E, E_in), U)
            U = times(load_matrix(f[j]), times(link_matrix(I[j], A, B), U))
            scratch[3, j], scratch[4, j], scratch[5, j] = U[0], U[1], U[2]
            slope_in, E_in = slope, E
        th = base[at, P]
        tau = -(U[3]*th + U[5])/U[4]
        for j in range(1, n):
            x[j] = A*(scratch[3, j]*th + scratch[4, j]*tau + scratch[5, j] - Y[P, j])
        tell = at + 1 == wait
        end_step(numbers, Y, x, 1, tell, out, row, old)
        if tell:
            row, wait = row + 1, wait + every
    return row

"""Sums over the mass of an undeformed flexible link, from which those of a bent one follow as polynomials of its modes.

All of C_ab, c_ai, Psi_0 and of the integrals with the shortening are made once, by Gauss' rule with POINTS points.
Derivation and symbols: docs/theory/spatial_flexible.md.
"""

from typing import NamedTuple

import numpy as np

from .layout import stride
from .shapes import FINE, bending, components, gauss, kinds

POINTS = 64


class Moments(NamedTuple):
    """n modes, b the larger number of bending modes of a plane, 0 without shortening.

    Rows of modes are filled up to `stride`.
    """

    straight: np.ndarray                                    # (4, 4): Psi_0, of the straight link
    first: np.ndarray                                       # (12, n): c_ai at 3 a + i, c_a1 at 9 + a
    second: np.ndarray                                      # (n, 9, n): [l][3 a + b][f], C_ab
    even: np.ndarray                                        # (n, 6, n): C_xx, C_yy, C_zz, C_xy + C_yx, xz, yz
    short: np.ndarray                                       # (b, b, 2 + nx + b): int s_ji (1, eta, axial, bending)
    short_twice: np.ndarray                                 # (b, b, b, b): [m][j][i][l], int s_ji s_lm


def moments(beam):
    """Moments of a flexible link; the section's own inertia only where its turn is linear in the modes."""
    (eta, w), n, L = gauss(max(POINTS, 12*max(beam.modes)), beam.length), len(kinds(beam)), beam.length
    nx, b = beam.modes[0], max(beam.modes[1:3])*beam.foreshortening
    shape, _ = components(beam, eta)
    place, turn, nothing = shape[:3], shape[3:], np.zeros((n, len(eta)))
    linear = beam.rotation == "linear"
    columns = [(beam.rho_A*w, place, np.array([eta, 0.0*eta, 0.0*eta, 1.0 + 0.0*eta])),
               (linear*beam.rho_Iy*w, np.array([-turn[2], nothing, turn[0]]), unit(1, eta)),
               (linear*beam.rho_Iz*w, np.array([turn[1], -turn[0], nothing]), unit(2, eta))]
    straight, first, second = np.zeros((4, 4)), np.zeros((3, 4, n)), np.zeros((n, 3, 3, n))
    for weight, mode, at in columns:
        straight += np.einsum("p,ip,jp->ij", weight, at, at)
        first += np.einsum("p,afp,ip->aif", weight, mode, at)
        second += np.einsum("p,afp,blp->labf", weight, mode, mode)
    C = second.transpose(1, 2, 3, 0)
    even = np.array([C[0, 0], C[1, 1], C[2, 2], C[0, 1] + C[1, 0], C[0, 2] + C[2, 0], C[1, 2] + C[2, 1]])
    short = drawn_in(b, L, eta)
    tested = np.array([1.0 + 0.0*eta, eta, *place[0, :nx], *(bending(j + 1, L, eta)[0] for j in range(b))])
    twice = np.einsum("p,jip,lmp->mjil", beam.rho_A*w, short, short)
    rows = np.concatenate([first[:, :3].reshape(9, n), first[:, 3]])
    return Moments(straight, filled(rows), filled(second.reshape(n, 9, n)), filled(even.transpose(1, 0, 2)),
                   np.einsum("p,jip,tp->jit", beam.rho_A*w, short, tested), twice)


def filled(x):
    """Zeros behind the last axis, up to whole registers"""
    return np.concatenate([x, np.zeros((*x.shape[:-1], stride(x.shape[-1]) - x.shape[-1]))], axis=-1)


def unit(i, eta):
    """Axis i in homogeneous numbers, at every point"""
    e = np.zeros((4, len(eta)))
    e[i] = 1.0
    return e


def drawn_in(b, L, eta):
    """(b, b, points): s_ij = int_0^eta Y_i' Y_j'"""
    x, w = gauss(max(FINE, 12*b), 1.0)
    slope = np.reshape([bending(j + 1, L, np.outer(eta, x))[1] for j in range(b)], (b, len(eta), len(x)))
    return np.einsum("p,ipx,jpx,x->ijp", eta, slope, slope, w)

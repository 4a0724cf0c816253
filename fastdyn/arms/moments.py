"""Sums over the mass of an undeformed flexible link, from which those of a bent one follow as polynomials of its modes.

All of C_ab, c_ai, Psi_0 and of the integrals with the shortening are made once, by Gauss' rule with POINTS points.
Derivation and symbols: docs/theory/spatial_flexible.md.
"""

from typing import NamedTuple

import numpy as np

from .layout import fours, stride
from .shapes import FINE, bending, components, gauss, kinds

POINTS = 64
ROUNDING = 1e-14                                            # of the terms of an integral that is 0


class Moments(NamedTuple):
    """n modes; ny, nz of bending, b the larger number of them, none without shortening; rows filled up to `stride`."""

    straight: np.ndarray                                    # (4, 4): Psi_0, of the straight link
    first: np.ndarray                                       # (12, n): c_ai at 3 a + i, c_a1 at 9 + a
    even: np.ndarray                                        # (n, 6, n): C_xx, C_yy, C_zz, C_xy + C_yx, xz, yz
    tests: np.ndarray                                       # (b, 2 + nx + b, ny + nz): [j][t][f], int s_jf t for t = 1,
    #                                                         eta, axial and bending shapes; j by fours
    twice: np.ndarray                                       # (b, b (b + 1)/2, ny + nz): [l][ji][f], int s_ji s_lf
    pairs: np.ndarray                                       # (b (b + 1)/2, 2 + nx + b): [ji][t]
    second: np.ndarray                                      # number of rows; each: ab, l, where f begins and ends, C_ab
    #                                                         of l with all f


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
    terms = np.zeros_like(second)
    for weight, mode, at in columns:
        straight += np.einsum("p,ip,jp->ij", weight, at, at)
        first += np.einsum("p,afp,ip->aif", weight, mode, at)
        second += np.einsum("p,afp,blp->labf", weight, mode, mode)
        terms += np.einsum("p,afp,blp->labf", weight, abs(mode), abs(mode))
    second[abs(second) <= ROUNDING*terms] = 0.0             # shapes that are perpendicular
    C = second.transpose(1, 2, 3, 0)
    even = np.array([C[0, 0], C[1, 1], C[2, 2], C[0, 1] + C[1, 0], C[0, 2] + C[2, 0], C[1, 2] + C[2, 1]])
    short = drawn_in(b, L, eta)
    own = np.array([i for count in beam.modes[1:3] for i in range(count*(b > 0))], int)     # each mode in its plane
    pairs = [(j, i) for j in range(b) for i in range(j, b)]
    tested = np.array([1.0 + 0.0*eta, eta, *place[0, :nx], *(bending(j + 1, L, eta)[0] for j in range(b))])
    tests = np.einsum("p,jip,tp->jti", beam.rho_A*w, short, tested)
    between = np.array([short[j, i] for j, i in pairs]).reshape(len(pairs), len(eta))
    twice = np.einsum("p,ap,lfp->laf", beam.rho_A*w, between, short)
    by_pairs = np.array([tests[j, :, i] for j, i in pairs]).reshape(-1, 2 + nx + b)
    rows = np.concatenate([first[:, :3].reshape(9, n), first[:, 3]])
    return Moments(straight, filled(rows), filled(even.transpose(1, 0, 2)), by_four(tests[:, :, own]),
                   by_four(twice[:, :, own]), filled(by_pairs), sparse(second.reshape(n, 9, n)))


def sparse(C):
    """C[l][ab][f] as `Moments.second` tells it"""
    rows = [(l, ab, np.flatnonzero(C[l, ab])) for l in range(len(C)) for ab in range(9)]
    told = [np.concatenate([[ab, l, f[0], f[-1] + 1], filled(C[l, ab])]) for l, ab, f in rows if len(f)]
    return np.concatenate([[float(len(told))], *told])


def by_four(x):
    """Zeros behind the first axis, up to a multiple of FOUR, and behind the last"""
    return filled(np.concatenate([x, np.zeros((fours(len(x)) - len(x), *x.shape[1:]))]))


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

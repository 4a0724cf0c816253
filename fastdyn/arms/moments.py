"""Sums over the mass of an undeformed flexible link, from which those of a bent one follow as polynomials of its modes.

All of C_ab, c_ai, Psi_0 and of the integrals with the shortening are made once, by Gauss' rule, or come from elsewhere.
Derivation and symbols: docs/theory/spatial_flexible.md.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..describe.check import kind_of
from ..status import ModelError
from .describe import FlexibleLink, Link
from .layout import fours, stride
from .modal_link import ModalLink
from .shapes import components, drawing, gauss, kinds, points_of, stiffness, table

ROUNDING = 1e-14                                            # of the terms of an integral that is 0


class Moments(NamedTuple):
    """n modes; ny, nz of bending; b shapes that draw the link in, none without shortening; rows filled up to `stride`.

    Pairs are of shapes. j, l: the so many of a plane, as many as the plane with more of them has, filled up by FOUR.
    """

    straight: np.ndarray                                    # (4, 4): Psi_0, of the straight link
    first: np.ndarray                                       # (12, n): c_ai at 3 a + i, c_a1 at 9 + a
    even: np.ndarray                                        # (n, 6, n): C_xx, C_yy, C_zz, C_xy + C_yx, xz, yz
    tests: np.ndarray                                       # (j, 2 + nx + b, ny + nz): [j][t][f], int s_jf t for t = 1,
    #                                                         eta, axial and bending shapes
    twice: np.ndarray                                       # (l, b (b + 1)/2, ny + nz): [l][ji][f], int s_ji s_lf
    pairs: np.ndarray                                       # (b (b + 1)/2, 2 + nx + b): [ji][t]
    second: np.ndarray                                      # number of rows; each: ab, l, where f begins and ends, C_ab
    #                                                         of l with all f


class Sums(NamedTuple):
    """The integrals themselves: n modes, b shapes; z modes have the shapes from `apart` on."""

    straight: np.ndarray                                    # (4, 4)
    first: np.ndarray                                       # (3, 4, n): c_ai
    second: np.ndarray                                      # (3, 3, n, n): C_ab of f with l
    short: np.ndarray                                       # (b, b, 2 + nx + b): int s_ji (1, eta, axial, bending)
    twice: np.ndarray                                       # (b, b, b, b): [m][j][i][l], int s_ji s_lm
    apart: int


def moments(beam):
    """Moments of a flexible link."""
    sums = imported(beam) if isinstance(beam, ModalLink) else summed(beam)
    n, C, apart = sums.second.shape[2], sums.second, sums.apart
    even = np.array([C[0, 0], C[1, 1], C[2, 2], C[0, 1] + C[1, 0], C[0, 2] + C[2, 0], C[1, 2] + C[2, 1]])
    rows = np.concatenate([sums.first[:, :3].reshape(9, n), sums.first[:, 3]])
    b, (ny, nz) = len(sums.short), np.array(beam.modes[1:3])*(len(sums.short) > 0)
    pairs = [(j, i) for j in range(b) for i in range(j, b)]
    tests, twice = np.zeros((max(ny, nz), *sums.short.shape[2:], ny + nz)), np.zeros((max(ny, nz), len(pairs), ny + nz))
    for f in range(ny + nz):
        start, count = (0, ny) if f < ny else (apart, nz)
        own = f if f < ny else apart + f - ny               # its shape
        for j in range(count):
            tests[j, :, f] = sums.short[start + j, own]
            twice[j, :, f] = [sums.twice[own, k, i, start + j] for k, i in pairs]
    by_pairs = np.array([sums.short[j, i] for j, i in pairs]).reshape(len(pairs), *sums.short.shape[2:])
    return Moments(sums.straight, filled(rows), filled(even.transpose(1, 0, 2)), by_four(tests), by_four(twice),
                   filled(by_pairs), sparse(C.transpose(3, 0, 1, 2).reshape(n, 9, n)))


def summed(beam):
    """Sums of a beam; the section's own inertia only where its turn is linear in the modes."""
    (eta, w), n, L = gauss(points_of(beam), beam.length), len(kinds(beam)), beam.length
    shapes, apart = drawing(beam) if beam.foreshortening else ([], 0)
    shape, _ = components(beam, eta)
    place, turn, nothing = shape[:3], shape[3:], np.zeros((n, len(eta)))
    linear = beam.rotation == "linear"
    columns = [(beam.rho_A*w, place, np.array([eta, 0.0*eta, 0.0*eta, 1.0 + 0.0*eta])),
               (linear*beam.rho_Iy*w, np.array([-turn[2], nothing, turn[0]]), unit(1, eta)),
               (linear*beam.rho_Iz*w, np.array([turn[1], -turn[0], nothing]), unit(2, eta))]
    straight, first, second, terms = np.zeros((4, 4)), np.zeros((3, 4, n)), *np.zeros((2, 3, 3, n, n))
    for weight, mode, at in columns:
        straight += np.einsum("p,ip,jp->ij", weight, at, at)
        first += np.einsum("p,afp,ip->aif", weight, mode, at)
        second += np.einsum("p,afp,blp->abfl", weight, mode, mode)
        terms += np.einsum("p,afp,blp->abfl", weight, abs(mode), abs(mode))
    second[abs(second) <= ROUNDING*terms] = 0.0             # shapes that are perpendicular
    short = drawn_in(shapes, L, eta, points_of(beam))
    tested = np.array([1.0 + 0.0*eta, eta, *place[0, :beam.modes[0]], *(shape(eta)[0] for shape in shapes)])
    return Sums(straight, first, second, np.einsum("p,jip,tp->jit", beam.rho_A*w, short, tested),
                np.einsum("p,jip,lmp->mjil", beam.rho_A*w, short, short), apart)


def imported(data):
    """Sums of a body of which the integrals are known."""
    short, twice = ((data.shortening, data.shortening_twice) if data.foreshortening else
                    (np.zeros((0, 0, 2 + data.modes[0])), np.zeros((0, 0, 0, 0))))
    return Sums(data.straight, data.first, data.second, short, twice, data.apart)


def modal_data(beam):
    """ModalLink with the data of a FlexibleLink, or of a Link that has one, as a reduced body would give them.

    Its sections have to turn linearly. What is imported is given back as it is.
    """
    beam = kind_of(beam.beam if isinstance(beam, Link) else beam, (FlexibleLink, ModalLink), "beam")
    if isinstance(beam, ModalLink):
        return beam
    if beam.rotation != "linear":
        raise ModelError(f'beam.rotation is "{beam.rotation}"; modal integrals are of links that turn by "linear"')
    drawn, n = replace(beam, foreshortening=True), len(kinds(beam))
    sums, end = summed(drawn), table(drawn)[-1]
    return ModalLink(beam.length, beam.modes, stiffness(beam), np.einsum("aafl->fl", sums.second), sums.straight,
                     sums.first, sums.second, end[2:2 + 6*n].reshape(6, n), end[2 + 6*n:].reshape(n, n), sums.short,
                     sums.twice, beam.foreshortening, beam.damping, None)


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


def drawn_in(shapes, L, eta, points):
    """(b, b, points): s_ij = int_0^eta Y_i' Y_j' of b shapes"""
    x, w = gauss(points, 1.0)
    slope = np.reshape([shape(np.outer(eta, x))[1] for shape in shapes], (len(shapes), len(eta), len(x)))
    return np.einsum("p,ipx,jpx,x->ijp", eta, slope, slope, w)

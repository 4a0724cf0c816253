"""A vibrating Euler-Bernoulli beam from one cross-section to the next: its transfer matrix, by series.

    y' = phi,   phi' = -m/EI,   m' = -f,   f' = -mu s^2 y          (f, m): force and moment the outer part takes

With z^4 = -mu s^2 l^4/EI the matrix over a length l is made of Krylov's functions over the power of z they start with:

    S = (cosh z + cos z)/2,  T = (sinh z + sin z)/(2 z),  U = (cosh z - cos z)/(2 z^2),  V = (sinh z - sin z)/(2 z^3)

Spans are cut so that |z^4| <= CUT: then all four are near 1, 1, 1/2, 1/6 and no span alone has a clamped frequency.
"""

import math

import numpy as np

from ..status import ModelError

CUT = 8.0
MOST = 100_000                                          # pieces of a span
TERMS = 8
COEFFICIENTS = np.array([[1.0/math.factorial(4*i + first) for i in range(TERMS)] for first in range(4)])


def krylov(z4):
    """(S, T, U, V) at a row of z^4, real or complex, |z^4| <= CUT."""
    powers = np.asarray(z4)[..., None]**np.arange(TERMS)
    return tuple(powers @ row for row in COEFFICIENTS)


def blocks(length, EI, mu, s2):
    """The matrix from (y, phi, f, m) inside to outside, in 2x2 blocks by rows: motions by motions, motions by forces,
    forces by motions; forces by forces."""
    z4 = -mu*s2*length**4/EI
    S, T, U, V = krylov(z4)
    l, h = length, length/EI
    stiff = EI*z4/l
    return ((S, l*T, z4*V/l, S), (h*l*l*V, -h*l*U, h*l*U, -h*T), (stiff*T/(l*l), stiff*U/l, -stiff*U/l, -stiff*V),
            (S, -z4*V/l, -l*T, S))


def pieces(length, EI, mu, size):
    """How many equal pieces keep |z^4| <= CUT up to |s^2| = size."""
    many = length*(mu/EI*size/CUT)**0.25
    if not many <= MOST:
        raise ModelError(f"a span of {length:.9g} m would be cut in {many:.3g} pieces for frequencies up to "
                         f"{math.sqrt(size):.3g} 1/s, more than {MOST}; ask for lower ones")
    return max(1, math.ceil(many))

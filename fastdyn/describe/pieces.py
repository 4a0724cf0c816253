"""A Fourier series of many terms as polynomials: what a kernel would sum at every instant is summed here, once.

A lap is cut into N = 2^k equal cells. About the middle c of a cell the series is its Taylor polynomial in the distance
x, in cells, |x| <= 1/2 (docs/theory/time.md, Signals). Cosines and sines come from square roots of decimals and sums
are taken term by term, so that every machine finds the same bits.
"""

import math
from decimal import Decimal, localcontext

import numpy as np

FEW, MANY = 8, 512          # terms a kernel sums by itself; terms whose polynomials would fill a cache
DEGREE = 15
NEAR = 2.0**-54             # of the largest coefficient: what the terms left out may make
DIGITS = 40


def pieces(cosine, sine, offset):
    """(cells, coefficients (cells, DEGREE + 1), rising powers of the distance from the middle in cells)."""
    k = np.arange(1, len(cosine) + 1)
    cells = count_of(np.hypot(cosine, sine), k)
    c, s = roots_of_one(cells)
    found = np.zeros((cells, DEGREE + 1))
    found[:, 0] = offset
    middle = np.arange(cells)
    for n, a, b in zip(k.tolist(), cosine, sine):
        at = middle*n % cells
        even, odd = a*c[at] + b*s[at], b*c[at] - a*s[at]            # the term, and its slope over n omega
        share, rate = 1.0, 2.0*math.pi*n/cells
        for j in range(DEGREE + 1):
            found[:, j] += share*(odd if j % 2 else even)*(-1.0 if j & 2 else 1.0)
            share *= rate/(j + 1)
    return cells, found


def count_of(size, k):
    """The fewest cells, a power of two, whose remainders sum size (pi k/cells)^16/16! are rounding."""
    cells, last = 16, DEGREE + 1
    while np.sum(size*(math.pi*k/cells)**last) > NEAR*size.max(initial=0.0)*math.factorial(last):
        cells *= 2
    return cells


def roots_of_one(n):
    """(cosines, sines) of n equal angles from 0 on, n a power of two of 4 or more, each the nearest double."""
    with localcontext() as rules:
        rules.prec = DIGITS
        c, s = Decimal(0), Decimal(1)                   # of a quarter turn, then halved
        for _ in range(n.bit_length() - 3):
            c, s = ((1 + c)/2).sqrt(), s/(2*(1 + c)).sqrt()
        x, y, quarter = Decimal(1), Decimal(0), []
        for _ in range(n//4):
            quarter.append((float(x), float(y)))
            x, y = x*c - y*s, x*s + y*c
    x, y = np.array(quarter).T
    return np.concatenate([x, -y, -x, y]), np.concatenate([y, x, -y, -x])

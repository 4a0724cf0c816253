"""Torsion chains side by side: the steps of riccati.py for chains of equal length at once, each with its own numbers.

Row i of an array holds link i of all lanes, column 0 of a state is the base: arrays are (row, (n + 1) lanes). Chains
that differ in loads and starts only share the numbers of their joints, (row, n + 1): long ones wait for memory, and
then for less of it. Bits are those of one chain alone. Why the loops look as they do: docs/theory/lanes.md.
"""

from functools import cache

import numpy as np

from .._address import shifted
from .._jit import c_array, float64, int64, kernel, lane, leaf, pointer, sweep, unknown
from .riccati import INV, MATRIX, WHOLE, C, K, R, S, fold, next2, next3

WIDE = (8, 16, 32)                                      # lanes
SHORT, LONG = 300, 3000                                 # links: up to SHORT by 32 lanes, from LONG on by 8
SHARED = 30_000                                         # links, of lanes that share their numbers: up to here by 32
U = np.uint64
BOX = c_array(float64, 3)

# (state, data, numbers of the scheme, loads (steps, stations, lanes), their stations, base (steps, 2, lanes), scratch,
#  samples out (samples, 3, links*lanes), steps, wait, every) -> samples
ADVANCE_LANES = int64(MATRIX, MATRIX, MATRIX, BOX, WHOLE, BOX, MATRIX, BOX, int64, int64, int64)


def lanes_for(n, shared=False, chains=32):
    """How many chains of n links, so many at hand, go side by side; the bits are the same with any number."""
    most = (32 if n <= SHARED else 16) if shared else 32 if n <= SHORT else 16 if n < LONG else 8
    return next(lanes for lanes in WIDE if lanes >= min(chains, most))


@cache
def build(lanes, many, shared=False):
    """The kernel for so many lanes and numbers a link, 2 or 3; `shared`: all lanes have the data of one chain."""
    L = U(lanes)
    three = many == 3

    @leaf
    def count():
        return unknown(U(1))*L

    @lane
    def put(x, at, y, start):
        for k in range(count()):
            x[at + k] = y[start + k]

    @lane
    def add(x, y, start):
        for k in range(count()):
            x[k] += y[start + k]

    @lane
    def clear(x):
        for k in range(count()):
            x[k] = 0.0

    @lane
    def fold_in(p, v, k_, c_, r_, s_, inverse, q, G, j, link):
        for k in range(count()):
            at = j + k
            o = link if shared else at
            q[at], G[k] = fold(p[at], v[at], p[at - L], v[at - L], G[k], k_[o], c_[o], r_[o], s_[o], inverse[o])

    @lane
    def carry_two(p, v, r_, q, x, a, j, link):
        for k in range(count()):
            at = j + k
            new = r_[link if shared else at]*x[k] + q[at]
            x[k] = new
            p[at], v[at] = next2(a, p[at], v[at], new)

    @lane
    def carry_three(p, v, z, r_, q, x, a, j, link):
        for k in range(count()):
            at = j + k
            new = r_[link if shared else at]*x[k] + q[at]
            x[k] = new
            p[at], v[at], z[at] = next3(a, p[at], v[at], z[at], new)

    @lane
    def carry_only(r_, q, x, j, link):
        for k in range(count()):
            x[k] = r_[link if shared else j + k]*x[k] + q[j + k]

    @lane
    def tell(numbers, y, size, x, out, what, j, o):
        """One quantity of link j in all lanes"""
        for k in range(count()):
            total = numbers[U(many + what)*U(many + 1) + U(many)]*x[k]
            for i in range(many):
                total += numbers[U(many + what)*U(many + 1) + U(i)]*y[U(i)*size + j + k]
            out[o + k] = total

    @leaf
    def own(columns, size):
        """Length of a row of data"""
        return U(columns) if shared else size

    @sweep
    def inward(y, data, q, G, columns, size, station, F, first):
        row = own(columns, size)
        p, v, k_, c_ = y, shifted(y, size), shifted(data, U(K)*row), shifted(data, U(C)*row)
        r_, s_, inverse = shifted(data, U(R)*row), shifted(data, U(S)*row), shifted(data, U(INV)*row)
        clear(G)
        load = len(station) - 1
        for back in range(columns - 1):
            j = columns - 1 - back
            while load >= 0 and station[load] == j:
                add(G, F, first + U(load)*L)
                load -= 1
            fold_in(p, v, k_, c_, r_, s_, inverse, q, G, U(j)*L, U(j))

    @sweep
    def outward(y, data, q, x, columns, size, a):
        p, v, r_ = y, shifted(y, size), shifted(data, U(R)*own(columns, size))
        clear(x)
        for j in range(1, columns):
            if three:
                carry_three(p, v, shifted(y, U(2)*size), r_, q, x, a, U(j)*L, U(j))
            else:
                carry_two(p, v, r_, q, x, a, U(j)*L, U(j))

    @sweep
    def told(numbers, y, data, q, x, columns, size, out, start):
        r_ = shifted(data, U(R)*own(columns, size))
        clear(x)
        for j in range(1, columns):
            carry_only(r_, q, x, U(j)*L, U(j))
            for what in range(3):
                tell(numbers, y, size, x, out, what, U(j)*L, start + (U(what)*U(columns - 1) + U(j - 1))*L)

    @leaf
    def coefficients(numbers):
        if three:
            return (numbers[0, 0], numbers[0, 1], numbers[0, 2], numbers[0, 3], numbers[1, 0], numbers[1, 1],
                    numbers[1, 2], numbers[1, 3], numbers[2, 0], numbers[2, 1], numbers[2, 2], numbers[2, 3])
        return numbers[0, 0], numbers[0, 1], numbers[0, 2], numbers[1, 0], numbers[1, 1], numbers[1, 2]

    @kernel(ADVANCE_LANES, variant=f"{lanes} {many}{' shared' if shared else ''}")
    def advance(Y, D, numbers, F, station, base, scratch, out, steps, wait, every):
        size, columns, row = U(Y.shape[1]), Y.shape[1]//lanes, 0
        y, data, q, loads, bases = pointer(Y), pointer(D), pointer(scratch), pointer(F), pointer(base)
        G, x = shifted(q, size), shifted(q, U(2)*size)
        a = coefficients(numbers)
        for at in range(steps):
            put(y, U(0), bases, U(2*at)*L)
            put(y, size, bases, U(2*at + 1)*L)
            inward(y, data, q, G, columns, size, station, loads, U(at*len(station))*L)
            if at + 1 == wait:
                told(pointer(numbers), y, data, q, x, columns, size, pointer(out), U(row*3*(columns - 1))*L)
                row, wait = row + 1, wait + every
            outward(y, data, q, x, columns, size, a)
        return row

    return advance

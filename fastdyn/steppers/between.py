"""Implicit steps between their ends: the polynomial, and what moves it to where the system's rate is its slope.

A stiff component follows the others at once: its step may be long, and no polynomial of a few numbers tells what it
does within. There y solves f(y) = p' + c (y - p), c that of the factors of the step; of y - p what is fast against the
step counts, and what of it the ends would have is taken off. Where stages are not on the path of a stiff component it
is done twice: what it gives at a few places makes a better polynomial, whose slope tells more. Derivation in
docs/theory/implicit.md.

Rows of Desk.dense: the step's polynomial, what is off at the start, at the end, what there is to know, then the
polynomial that is looked at. Rows of Stepping.stage are for work, and one more for each place.
"""

import math

import numpy as np

from .._address import shifted
from .._jit import kernel, leaf, sweep
from ..layout import TIME, WIDTH
from ..status import OK
from .desk import FINISH, INTERPOLATE, ask, copy, norm, open_desk
from .linear import solve
from .newton import APART, SECOND, core, jacobian_of
from .polynomial import polynomial_at

WORK = 4                            # rows of Stepping.stage besides those of places
BESIDES = 3                         # rows of Desk.dense between the two polynomials
MOVED, BEGAN, LASTED, HALVES = range(4)     # of the last one: whether it is moved, when the step began, h, SECOND
LOOKS = (0.3, 0.8)                  # where it is tried whether that matters,
MATTERS = 0.1                       # from what size on, over what is allowed of an error
DONE, MOST = 1e-2, 5                # the last increment over that; iterations


@leaf
def known(d, degree): return shifted(d.dense, (degree + BESIDES)*d.blocks*WIDTH)


@leaf
def looked_at(d, degree): return shifted(d.dense, (degree + 1 + BESIDES)*d.blocks*WIDTH)


def room(degree):
    """Rows of Stepping.stage and of Desk.dense that a method with such a polynomial needs besides its own."""
    return WORK + degree - 1, BESIDES + degree + 1


@sweep
def slope_at(d, degree, x, h, out):
    """The rate of the polynomial that is looked at."""
    size, rows = d.blocks*WIDTH, looked_at(d, degree)
    for at in range(size):
        slope = degree*rows[degree*size + at]
        for j in range(degree - 1, 0, -1):
            slope = j*rows[j*size + at] + x*slope
        out[at] = slope/h


@sweep
def filtered(d, degree, share, x):
    """x becomes (c 1 - J)^-1 x."""
    n, J, told = d.n, jacobian_of(d), known(d, degree)
    solve(J, shifted(J, n*n), d.pivot, n, core(d), told[HALVES] != 0.0, share/told[LASTED], x)


@sweep
def only_fast(d, degree, share, x, spare):
    """x becomes -J (c 1 - J)^-1 x: what is fast against the step stays, the rest goes."""
    c = share/known(d, degree)[LASTED]
    copy(x, spare, d.blocks)
    filtered(d, degree, share, spare)
    for at in range(d.n):
        x[at] -= c*spare[at]


@sweep
def moved(rate, handle, d, degree, share, work, x, out):
    """`out`: the polynomial at x, moved; by how much, over what is allowed of an error."""
    size, told = d.blocks*WIDTH, known(d, degree)
    slope, away = shifted(d.stage, work*size), shifted(d.stage, (work + 1)*size)
    by, there = shifted(d.stage, (work + 2)*size), shifted(d.stage, (work + 3)*size)
    first, last, c = shifted(d.dense, (degree + 1)*size), shifted(d.dense, (degree + 2)*size), share/told[LASTED]
    polynomial_at(looked_at(d, degree), size, degree, x, out)
    slope_at(d, degree, x, told[LASTED], slope)
    copy(out, there, d.blocks)
    before = math.inf
    for at in range(size):
        away[at] = 0.0
    for _ in range(MOST):
        if ask(rate, handle, d, told[BEGAN] + x*told[LASTED], there, by) != OK:
            return 0.0
        for at in range(d.n):
            by[at] -= slope[at] + c*away[at]
        filtered(d, degree, share, by)
        increment = norm(d, by, out)
        if not increment < before:
            return 0.0                                  # not to be had: the polynomial stays
        for at in range(d.n):
            away[at] += by[at]
            there[at] = out[at] + away[at]
        if increment <= DONE:
            break
        before = increment
    only_fast(d, degree, share, away, by)
    for at in range(d.n):
        away[at] -= (1.0 - x)*first[at] + x*last[at]
        out[at] += away[at]
    return norm(d, away, out)


@sweep
def off_at_ends(d, degree, share, at_end, work):
    """What the polynomial that is looked at would be moved by at the start and at the end."""
    size, h = d.blocks*WIDTH, known(d, degree)[LASTED]
    for end in range(2):
        off = shifted(d.dense, (degree + 1 + end)*size)
        f = d.rate if end == 0 else shifted(d.stage, at_end*size)
        slope_at(d, degree, float(end), h, off)
        for at in range(size):
            off[at] = f[at] - off[at]
        filtered(d, degree, share, off)
        only_fast(d, degree, share, off, shifted(d.stage, work*size))


def through_places(degree):
    """(j, k): what coefficient j + 1 of a polynomial that is 0 at both ends takes of its value at (k + 1)/degree"""
    places = np.arange(1, degree + 1)/degree
    return np.linalg.inv(places[:, None]**np.arange(1, degree + 1))[:, :-1].copy()


def looked_into(degree, share, at_end, work, twice):
    """(prepare, interpolate) of a method whose polynomial has that degree and whose factors are of c = share/h.

    at_end: row of Stepping.stage with the rate at the end; work: first of the rows for work; twice: whether what is
    moved makes a better polynomial first.
    """
    weights = through_places(degree)

    @leaf
    def improve(rate, handle, d):
        """The polynomial that is looked at goes through what the one there was gives at a few places."""
        size, rows, first = d.blocks*WIDTH, looked_at(d, degree), shifted(d.stage, (work + WORK)*d.blocks*WIDTH)
        for k in range(degree - 1):
            if not moved(rate, handle, d, degree, share, work, (k + 1.0)/degree, d.look) > 0.0:
                return
            copy(shifted(d.stage, (work + 1)*size), shifted(first, k*size), d.blocks)
        for j in range(degree):
            for at in range(size):
                by = 0.0
                for k in range(degree - 1):
                    by += weights[j, k]*first[k*size + at]
                rows[(j + 1)*size + at] += by
        off_at_ends(d, degree, share, at_end, work)

    @kernel(FINISH, variant=str(degree))
    def prepare(rate, handle, desk, h):
        """What is off at the ends, and whether what is between them is to be moved."""
        d = open_desk(desk)
        told = known(d, degree)
        copy(d.dense, looked_at(d, degree), (degree + 1)*d.blocks)
        told[MOVED], told[BEGAN], told[LASTED], told[HALVES] = 0.0, d.clock[TIME], h, d.count[SECOND]
        if d.forces > 0 or d.count[APART] != 0:         # springs that turn: what they pull is not slaved
            return OK
        off_at_ends(d, degree, share, at_end, work)
        for look in range(len(LOOKS)):
            x = LOOKS[0] if look == 0 else LOOKS[1]
            if moved(rate, handle, d, degree, share, work, x, d.look) > MATTERS:
                told[MOVED] = 1.0
                if twice:
                    improve(rate, handle, d)
                break
        return OK

    @kernel(INTERPOLATE, variant=f"moved {degree}")
    def interpolate(rate, handle, desk, x, out):
        d = open_desk(desk)
        if known(d, degree)[MOVED] != 0.0:
            moved(rate, handle, d, degree, share, work, x, out)
        else:
            polynomial_at(d.dense, d.blocks*WIDTH, degree, x, out)
        return OK

    return prepare, interpolate

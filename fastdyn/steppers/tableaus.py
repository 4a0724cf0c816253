"""Embedded Runge-Kutta pairs as numbers; what a dense output needs is worked out from them.

Row i of A makes stage i; the row after the stages is the step itself (its weights b), rows after that are evaluated
only for a look inside the step.
"""

from typing import NamedTuple

import numpy as np


class Tableau(NamedTuple):
    """Coefficients of an embedded pair; rows may be shorter than the number of stages, zeros follow."""

    name: str
    order: int
    error_order: int            # the error estimate of one step goes as h to this power
    A: list
    c: list
    b: list
    errors: list                # rows of weights: the error estimate, or the two of DOP853
    dense: list                 # rows F_0, F_1, ... of Hairer's nested form
    damp: float = 0.0
    shrink: float = 0.2
    grow: float = 10.0

    @property
    def stages(self):
        return len(self.b)


def nested(b, *more):
    """Rows of the nested form: F_0 = new - y, F_1 = h K_0 - F_0, F_2 = F_0 - h K_s - F_1, then `more`."""
    s = len(b)
    width = max([s + 1, *map(len, more)])
    first, start, end = np.zeros((3, width))
    first[:s], start[0], end[s] = [float(x) for x in b], 1.0, 1.0
    second = start - first
    return [first, second, first - end - second, *(np.pad(np.asarray(m, float), (0, width - len(m))) for m in more)]


def slope_of(dense, x):
    """Weights of the stages in the slope at x of the polynomial whose nested form has rows `dense`."""
    slope, inner = np.zeros((2, len(dense[0])))
    for row in reversed(range(len(dense))):
        inner = inner + dense[row]
        slope = slope*(1.0 - x if row & 1 else x) + inner*(-1.0 if row & 1 else 1.0)
        inner = inner*(1.0 - x if row & 1 else x)
    return slope


def with_quartic(tableau, place):
    """One more evaluation, at `place` on the cubic of Hermite, makes the interpolant one order better.

    F_3 = (h f(place) - p'(place))/(2 x (1 - x)(1 - 2 x)), p the cubic [Shampine 1985, "bootstrapping"].
    """
    x, (first, second, third) = place, tableau.dense
    cubic = x*(first + (1 - x)*(second + x*third))
    slope = first + (1 - 2*x)*second + (2*x - 3*x*x)*third
    rate = np.zeros(len(first) + 1)
    rate[-1] = 1.0
    last = (rate - np.append(slope, 0.0))/(2*x*(1 - x)*(1 - 2*x))
    return tableau._replace(A=[*tableau.A, list(cubic)], c=[*tableau.c, x], dense=nested(tableau.b, last))


def floats(rows):
    return [[float(x) for x in row] for row in rows]

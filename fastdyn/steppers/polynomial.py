"""What methods share that keep their step as a polynomial c_0 + c_1 x + ..., a row of Desk.dense for each c."""

from functools import cache

from .._jit import kernel, leaf
from ..layout import WIDTH
from ..status import OK
from .desk import INTERPOLATE, open_desk


@leaf
def polynomial_at(rows, size, degree, x, out):
    """By Horner's rule"""
    for at in range(size):
        y = rows[degree*size + at]
        for back in range(1, degree + 1):
            y = rows[(degree - back)*size + at] + x*y
        out[at] = y


@cache
def polynomial(degree):
    """`interpolate` of a polynomial."""
    @kernel(INTERPOLATE, variant=str(degree))
    def interpolate(rate, handle, desk, x, out):
        d = open_desk(desk)
        polynomial_at(d.dense, d.blocks*WIDTH, degree, x, out)
        return OK

    return interpolate

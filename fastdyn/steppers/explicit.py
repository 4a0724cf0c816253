"""Embedded explicit Runge-Kutta pairs: any tableau becomes a method of the driver in steppers/driver.py.

With K_0 = f(t, y) and K_i = f(t + c_i h, y + h sum_j a_ij K_j): new = y + h sum b_j K_j, K_s = f(t + h, new). Error
h sum e_j K_j; the step as a function of its fraction x in Hairer's nested form,
y + x(F_0 + (1 - x)(F_1 + x(F_2 + (1 - x)(F_3 + ...)))), F = h W K. Rows of K that only a look inside needs are in no
error estimate: of systems that are put back onto closures a slope within is compared with the rate there.
Derivations in docs/theory/time.md.
Source: [Hairer, Norsett & Wanner 1993] II.4-II.6.
"""

import math

import numpy as np

from .._address import shifted
from .._jit import kernel, leaf
from ..layout import MET, PUT_BACK, RTOL, TIME, WIDTH
from ..status import NOT_SMOOTH, OK
from .desk import ATTEMPT, COMMIT, FINISH, INTERPOLATE, U, ask, copy, open_desk, share_of, weighted, weighted_error
from .method import Method
from .tableaus import slope_of

WITHIN = 0.6                # of a step: at 0.5 no extra stage of rkf45 is in the slope
SMOOTH = 1e3                # of what is allowed of an error: 10 in smooth steps, 100 where only stability bounds them


def method(tableau):
    """The method of a tableau."""
    T, s = tableau, tableau.stages
    step = weighted(T.b)
    estimate, other = (weighted_error(T.errors[i]) for i in (0, -1))
    early = any(len(row) > s and row[s] != 0.0 for row in T.errors)
    inner = stages(T, 1, s)
    extra = stages(T, s + 1, len(T.A))
    forms = np.array([np.pad(row, (0, len(T.A) - len(row))) for row in T.dense])
    degree, last, within = len(forms), U(s), U(len(T.A))
    two, more = len(T.errors) == 2, len(T.A) > s + 1
    off_slope = weighted_error(np.append(slope_of(forms, WITHIN), -1.0))

    @leaf
    def at_the_end(rate, handle, d, h):
        """K_s: the rate at the end of the step"""
        return ask(rate, handle, d, d.clock[TIME] + h, d.new, shifted(d.stage, last*U(d.blocks)*U(WIDTH)))

    @kernel(ATTEMPT, variant=T.name)
    def attempt(rate, handle, desk, h):
        d = open_desk(desk)
        copy(d.rate, d.stage, d.blocks)
        status = inner(rate, handle, desk, h)
        if status == OK:
            step(d.stage, d.y, d.new, h, d.blocks)
            if early:
                status = at_the_end(rate, handle, d, h)
        if status != OK:
            d.count[MET] = status
            return math.nan
        rtol, share = d.setting[RTOL], share_of(d)
        error = math.sqrt(estimate(d.stage, d.y, d.new, d.atol, rtol, h, d.blocks)*share)
        if two and error > 0.0:                         # [Hairer, Norsett & Wanner 1993] II.10, (10.17)
            third = other(d.stage, d.y, d.new, d.atol, rtol, h, d.blocks)*share
            error *= error/math.sqrt(error*error + 0.01*third)
        return error

    @kernel(FINISH, variant=T.name)
    def close(rate, handle, desk, h):
        d = open_desk(desk)
        return OK if early else at_the_end(rate, handle, d, h)

    @leaf
    def polynomial(d, x, out):
        size, over = d.blocks*WIDTH, 1.0 - x
        for at in range(size):
            y = d.dense[degree*size + at]*(x if degree & 1 else over)
            for back in range(1, degree):
                row = degree - back
                y = (y + d.dense[row*size + at])*(x if row & 1 else over)
            out[at] = d.dense[at] + y

    @leaf
    def is_smooth(rate, handle, d, h):
        """Whether the rate within is the slope there"""
        there = shifted(d.stage, within*U(d.blocks)*U(WIDTH))
        polynomial(d, WITHIN, d.look)
        if ask(rate, handle, d, d.clock[TIME] + WITHIN*h, d.look, there) != OK:
            return False
        return off_slope(d.stage, d.y, d.new, d.atol, d.setting[RTOL], h, d.blocks)*share_of(d) <= SMOOTH*SMOOTH

    @kernel(FINISH, variant=T.name)
    def prepare(rate, handle, desk, h):
        d = open_desk(desk)
        size, status = d.blocks*WIDTH, extra(rate, handle, desk, h)
        copy(d.y, d.dense, d.blocks)
        for row in range(degree):
            for at in range(size):
                total = 0.0
                for r in range(forms.shape[1]):
                    if forms[row, r] != 0.0:
                        total += forms[row, r]*d.stage[r*size + at]
                d.dense[(row + 1)*size + at] = h*total
        if more and status == OK and d.count[PUT_BACK] != 0 and not is_smooth(rate, handle, d, h):
            return NOT_SMOOTH
        return status

    @kernel(INTERPOLATE, variant=T.name)
    def interpolate(rate, handle, desk, x, out):
        polynomial(open_desk(desk), x, out)
        return OK

    @kernel(COMMIT, variant=T.name)
    def commit(desk, h):
        d = open_desk(desk)
        copy(shifted(d.stage, last*U(d.blocks)*U(WIDTH)), d.rate, d.blocks)
        return OK

    return Method(name=T.name, order=T.order, error_order=T.error_order, stages=len(T.A) + 1, polynomials=degree + 1,
                  restart=no_past, attempt=attempt, close=close, prepare=prepare, interpolate=interpolate,
                  commit=commit, damp=T.damp, shrink=T.shrink, grow=T.grow)


@kernel(COMMIT)
def no_past(desk, h):
    """A method of one step has none."""
    return OK


def stages(T, first, end):
    """Leaf: the stages from `first` to before `end`, one after the other until one fails"""
    if end <= first:
        return leaf(lambda rate, handle, desk, h: OK)
    before, total, c, row = stages(T, first, end - 1), weighted(T.A[end - 1]), float(T.c[end - 1]), U(end - 1)

    @leaf
    def stages_of(rate, handle, desk, h):
        status = before(rate, handle, desk, h)
        if status != OK:
            return status
        d = open_desk(desk)
        total(d.stage, d.y, d.look, h, d.blocks)
        return ask(rate, handle, d, d.clock[TIME] + c*h, d.look, shifted(d.stage, row*U(d.blocks)*U(WIDTH)))

    return stages_of

"""Radau IIA of order 5: collocation at three places, the last one the end of the step.

The equations of a step and their solution are those of steppers/radau_system.py. The step as a function of its
fraction x is y + x(Q_1 + x(Q_2 + x Q_3)), Q = P Z. Error (g/h 1 - J)^-1 (f + E.Z/h), g the real eigenvalue of A^-1.
Source: [Hairer & Wanner 1996] IV.8, whose strategies are taken over. Derivations in docs/theory/implicit.md.
"""

from .._address import shifted
from .._jit import kernel, sweep
from ..algebra.power import power
from ..layout import SAFETY, TIME, WIDTH
from ..status import OK
from .between import looked_into, room
from .desk import ATTEMPT, COMMIT, FINISH, ask, copy, error_size, open_desk
from .forces import add_what_is_off, ask_newton
from .linear import solve
from .method import Method
from .newton import (
    CALM, H_PAST, PAST, REFUSED, SECOND, core, gave_up, judged, next_size, restart_newton, rtol_of, taken)
from .radau_system import (
    AT_END, ERROR, MOST, Q_PAST, REAL, ROWS, START, E, P, R, Z, carry_forces_on, carry_on, collocate, exchanges,
    factors, numbers, row, three)

SHRINK, GROW = 0.2, 8.0


@sweep
def estimate(rate, handle, d, h, loose):
    """The error of `new`, one where it is just allowed; what is stiff in it filtered, twice where in doubt."""
    n, size, stage, error = d.n, d.blocks*WIDTH, d.stage, row(d, ERROR)
    J, E1, _, _, one, _ = factors(d)
    rough, g = row(d, R), REAL/h
    if d.forces > 0:
        copy(row(d, START), error, d.blocks)
        add_what_is_off(d, 0, error)
    else:
        copy(d.rate, error, d.blocks)
    for at in range(n):
        rough[at] = three((E,), 0, stage[Z*size + at], stage[(Z + 1)*size + at], stage[(Z + 2)*size + at])/h
        error[at] += rough[at]
    solve(J, E1, one, n, core(d), d.count[SECOND] != 0, g, error)
    found = error_size(d, error)/loose
    if found >= 1.0 and (d.count[PAST] == 0 or d.count[REFUSED] != 0):
        for at in range(n):
            d.look[at] = d.y[at] + error[at]
        if ask_newton(rate, handle, d, d.clock[TIME], d.look, 0, error) == OK:
            for at in range(n):
                error[at] += rough[at]
            solve(J, E1, one, n, core(d), d.count[SECOND] != 0, g, error)
            found = error_size(d, error)/loose
    return max(found, 1e-10)


@kernel(ATTEMPT)
def attempt(rate, handle, desk, h):
    d = open_desk(desk)
    loose = 0.3*power(rtol_of(d), -0.2)                 # the estimate goes as h^4, what is asked of the run as h^5
    status, k, shorter = collocate(rate, handle, d, h, loose)
    if status != OK:
        return gave_up(d, h, shorter*h, status)
    z3 = row(d, Z + 2)
    for at in range(d.blocks*WIDTH):
        d.new[at] = d.y[at] + z3[at]
    error = estimate(rate, handle, d, h, loose)
    safe = d.setting[SAFETY]*min(1.0, (1 + 2*MOST)/(k + 2*MOST))
    ahead = next_size(d, h, error, 0.25, safe)
    return judged(d, h, error, ahead, 0.1*h if d.count[PAST] == 0 else min(ahead, h), CALM)


@kernel(FINISH)
def close(rate, handle, desk, h):
    """The rate at the end; the polynomial, which the next step starts from whether somebody looks or not."""
    d = open_desk(desk)
    size, stage = d.blocks*WIDTH, d.stage
    for at in range(size):
        z1, z2, z3 = stage[Z*size + at], stage[(Z + 1)*size + at], stage[(Z + 2)*size + at]
        d.dense[at] = d.y[at]
        for i in range(3):
            d.dense[(i + 1)*size + at] = three(P, i, z1, z2, z3)
    return ask(rate, handle, d, d.clock[TIME] + h, d.new, row(d, AT_END))


@kernel(COMMIT)
def commit(desk, h):
    d = open_desk(desk)
    size = d.blocks*WIDTH
    for i in range(3):
        copy(shifted(d.dense, (i + 1)*size), row(d, Q_PAST + i), d.blocks)
    copy(row(d, AT_END), d.rate, d.blocks)
    taken(d)
    carry_on(d)
    if d.forces > 0:
        carry_forces_on(d)
    d.matrix[H_PAST], d.count[PAST] = h, 1
    return OK


def method():
    (work, besides), (prepare, interpolate) = room(3), looked_into(3, REAL, AT_END, ROWS, False)
    return Method(name="radau5", order=5, error_order=4, stages=ROWS + work, polynomials=4 + besides,
                  damp=0.0, shrink=SHRINK, grow=GROW, restart=restart_newton, attempt=attempt, close=close,
                  prepare=prepare, interpolate=interpolate, commit=commit, matrices=numbers, pivots=exchanges,
                  takes_forces=True)

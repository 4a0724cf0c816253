"""Generalized-alpha and Newmark's average acceleration, for y = (q, v) with dq/dt = v.

q1 = q + h v + h^2 ((1/2 - beta) a + beta a1)    v1 = v + h ((1 - gamma) a + gamma a1)
(1 - am) a1 + am a = (1 - af) f(t + h, q1, v1) + af f(t, q, v)
a is close to the acceleration f, and its distance from it goes with the step: it is scaled when the step changes.
Sources: [Newmark 1959], [Chung & Hulbert 1993], [Arnold & Bruels 2007]. Derivations in docs/theory/implicit.md.
"""

import math

from .._address import shifted
from .._jit import kernel, leaf, sweep
from ..layout import COUNTED, FACTORINGS, ITERATIONS, MET, SPECTRAL, TIME, WIDTH
from ..status import NEWTON_FAILED, NOT_FINITE, NOT_SECOND_ORDER, OK, ModelError
from .desk import ATTEMPT, COMMIT, FINISH, INTERPOLATE, ask, copy, error_size, open_desk, scale_of, tightness
from .linear import lu, lu_solve, shift, solve
from .method import Method
from .newton import (
    BEFORE, H_FACTORS, H_PAST, HEAD, JACOBIAN, PAST, SECOND, THETA, calm, fixed, forget, goal, in_reach, jacobian_at,
    jacobian_of, restart_newton, stale)

STRICT = 1.5                                # times the root of the relative tolerance
MOST = 8                                    # iterations
A, AWAY, AT_END, X, OLD, ROWS = range(6)    # rows of Stepping.stage: a1, a - f, rates at the end, work, rates before
SCHEME = HEAD - 1                           # in Stepping.matrix: whether it is Newmark's


@leaf
def row(d, i): return shifted(d.stage, i*d.blocks*WIDTH)


@leaf
def strict(d):
    """Share of what is allowed that is asked of a step: its estimate goes as h^3, the error of the run as h^2."""
    return STRICT/math.sqrt(tightness(d))


@leaf
def weights(d):
    """am, af, beta, gamma: of order two, and highest frequencies are damped by rho a step [Chung & Hulbert 1993]"""
    rho = d.setting[SPECTRAL]
    am, af = (2.0*rho - 1.0)/(rho + 1.0), rho/(rho + 1.0)
    if d.matrix[SCHEME] != 0.0:
        am, af = 0.0, 0.0
    return am, af, 0.25*(1.0 - am + af)*(1.0 - am + af), 0.5 - am + af


@sweep
def predict(d, h):
    """a1 = a and what follows from it."""
    m, half = d.n//2, 0.5*h*h
    w = h/d.matrix[H_PAST] if d.count[PAST] != 0 else 0.0
    a, away = row(d, A), row(d, AWAY)
    for i in range(m):
        a[i] = d.rate[m + i] + w*away[i]
        d.new[i] = d.y[i] + (h*d.y[m + i] + half*a[i])
        d.new[m + i] = d.y[m + i] + h*a[i]


@sweep
def iterate(rate, handle, d, h):
    """Newton's iteration for a1 from the prediction, with the Jacobian there is; a status."""
    m, (am, af, beta, gamma) = d.n//2, weights(d)
    J, a, away, f, x = jacobian_of(d), row(d, A), row(d, AWAY), row(d, AT_END), row(d, X)
    w = h/d.matrix[H_PAST] if d.count[PAST] != 0 else 0.0
    E, over = shifted(J, d.n*d.n), 1.0/((1.0 - af)*h*gamma)
    if d.matrix[H_FACTORS] != h:
        shift(J, E, d.n, d.n, True, (1.0 - am)*over, h*beta/gamma)
        d.count[FACTORINGS] += 1
        status = lu(E, d.pivot, m)
        if status != OK:
            return status
        d.matrix[H_FACTORS] = h
    done, before = goal(d, 1e-2*strict(d)), 0.0
    d.matrix[THETA] = calm(d)
    for k in range(MOST):
        status = ask(rate, handle, d, d.clock[TIME] + h, d.new, f)
        if status != OK:
            return status
        d.count[ITERATIONS] += 1
        for i in range(m):
            start = d.rate[m + i] + w*away[i]
            x[i] = ((1.0 - af)*f[m + i] + af*d.rate[m + i] - am*start - (1.0 - am)*a[i])*over
        lu_solve(E, d.pivot, x, m)
        total = 0.0
        for i in range(m):
            dv, dq = h*gamma*x[i], h*h*beta*x[i]
            a[i] += x[i]
            d.new[i] += dq
            d.new[m + i] += dv
            dq, dv = dq/scale_of(d, i, d.y[i], d.new[i]), dv/scale_of(d, m + i, d.y[m + i], d.new[m + i])
            total += dq*dq + dv*dv
        size = math.sqrt(total/d.setting[COUNTED])
        if not size < math.inf:
            return NOT_FINITE
        enough = in_reach(d, done, d.new)
        theta = size/before if k > 0 else 1.0
        if k > 0:
            d.matrix[THETA] = theta
        if size <= enough or (theta < 1.0 and k > 0 and theta/(1.0 - theta)*size <= enough):
            return OK
        if k > 1 and theta >= 1.0:
            return NEWTON_FAILED
        before = max(size, 1e-300)
    return NEWTON_FAILED


@sweep
def end(rate, handle, d, h):
    """a1, q1, v1 and the rate there; a Jacobian of before gets a second chance, taken where the step will end."""
    status = NEWTON_FAILED
    if not stale(d):
        if d.count[SECOND] == 0:
            return NOT_SECOND_ORDER
        predict(d, h)
        status = iterate(rate, handle, d, h)
    if status == NEWTON_FAILED:
        predict(d, h)
        status = ask(rate, handle, d, d.clock[TIME] + h, d.new, row(d, AT_END))
        if status == OK:
            status = jacobian_at(rate, handle, d, d.clock[TIME] + h, d.new, 0, row(d, AT_END), row(d, X))
        if status == OK and d.count[SECOND] == 0:
            status = NOT_SECOND_ORDER
        if status == OK:
            status = iterate(rate, handle, d, h)
    d.count[JACOBIAN] = min(d.count[JACOBIAN], BEFORE)
    if status == OK:
        status = ask(rate, handle, d, d.clock[TIME] + h, d.new, row(d, AT_END))
    return status


@sweep
def estimate(d, h):
    """The distance from an update of order three through the rates at three times, what is stiff in it filtered."""
    am, af, _, gamma = weights(d)
    f, old, x = row(d, AT_END), row(d, OLD), row(d, X)
    J, c = jacobian_of(d), (1.0 - am)/((1.0 - af)*h*gamma)
    p = d.matrix[H_PAST]/h
    for at in range(d.n):
        rise = f[at] - d.rate[at]
        bend = (old[at] - d.rate[at] + p*rise)/(p*(p + 1.0)) if d.count[PAST] != 0 else 0.5*rise
        x[at] = c*(d.new[at] - d.y[at] - h*(0.5*(d.rate[at] + f[at]) - bend/6.0))
    solve(J, shifted(J, d.n*d.n), d.pivot, d.n, d.n, True, c, x)
    return error_size(d, x)/strict(d)


@kernel(ATTEMPT)
def attempt(rate, handle, desk, h):
    d = open_desk(desk)
    status = end(rate, handle, d, h)
    if status != OK:
        if status != NOT_FINITE:
            d.count[MET] = status
        return math.nan
    error = estimate(d, h)
    return min(error, 1.0) if fixed(d) and error < math.inf else error


@kernel(FINISH)
def close(rate, handle, desk, h):
    """The rate at the end is there."""
    return OK


@kernel(FINISH)
def prepare(rate, handle, desk, h):
    """The cubic of Hermite."""
    d = open_desk(desk)
    size, f = d.blocks*WIDTH, row(d, AT_END)
    for at in range(size):
        first = d.new[at] - d.y[at]
        second = h*d.rate[at] - first
        d.dense[at], d.dense[size + at] = d.y[at], first
        d.dense[2*size + at], d.dense[3*size + at] = second, first - h*f[at] - second
    return OK


@kernel(INTERPOLATE)
def interpolate(rate, handle, desk, x, out):
    d = open_desk(desk)
    size, over = d.blocks*WIDTH, 1.0 - x
    for at in range(size):
        inner = d.dense[2*size + at] + x*d.dense[3*size + at]
        out[at] = d.dense[at] + x*(d.dense[size + at] + over*inner)
    return OK


@kernel(COMMIT)
def commit(desk, h):
    d = open_desk(desk)
    m, a, away, f = d.n//2, row(d, A), row(d, AWAY), row(d, AT_END)
    for i in range(m):
        away[i] = a[i] - f[m + i]
    copy(d.rate, row(d, OLD), d.blocks)
    copy(f, d.rate, d.blocks)
    d.matrix[H_PAST], d.count[PAST] = h, 1
    return OK


@kernel(COMMIT)
def restart_newmark(desk, h):
    d = open_desk(desk)
    forget(d)
    d.matrix[SCHEME] = 1.0
    return OK


def numbers(n, forces):
    if n % 2:
        raise ModelError(f"a state of {n} numbers is not one of coordinates and as many velocities that are their "
                         "rates, as gen-alpha and newmark need it: take radau5")
    return HEAD + n*n + n*n//4


def method(newmark=False):
    return Method(name="newmark" if newmark else "gen-alpha", order=2, error_order=3, stages=ROWS, polynomials=4,
                  damp=0.08, shrink=0.2, grow=2.0, restart=restart_newmark if newmark else restart_newton,
                  attempt=attempt, close=close, prepare=prepare, interpolate=interpolate, commit=commit,
                  matrices=numbers, pivots=lambda n: n, second_order=True)

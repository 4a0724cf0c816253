"""Adams-Bashforth-Moulton of order 4 on the grid there is: predict, evaluate, correct, evaluate.

Predictor: y + the integral of the cubic through f_n ... f_(n-3); corrector: of the cubic through the rate at the
predicted state and f_n ... f_(n-2). Their difference times |c_c/(c_p - c_c)|, the constants of their errors, is the
error; above what is asked the step is halved, below a 64th of it doubled. Three steps of the classical Runge-Kutta
method start it. Derivation in docs/theory/adams.md. Source: [Shampine & Gordon 1975].
"""

import math

from .._jit import kernel, lane, leaf, sweep
from ..algebra.power import power
from ..layout import H_MAX, MET, OWN, SUGGESTED, TIME, WIDTH
from ..status import OK
from .desk import ATTEMPT, COMMIT, FINISH, U, add_scaled, ask, copy, open_desk, scale_of, tightness
from .method import Method
from .multistep import CRUMB, WHOLE, row, shorter
from .polynomial import polynomial

# rows of Stepping.stage: f_(n-1), f_(n-2), f_(n-3), the rate at the predicted state or K_2, K_3, K_4, that at the end
PREDICTED, SECOND, THIRD, FOURTH, END = 3, 3, 4, 5, 6
STAGES, POLYNOMIALS = 7, 4
KNOWN = OWN                                             # Stepping.count: rates of the past there are, at most 3
SIZES, ERROR, NUMBERS = 0, 3, 8                         # Stepping.matrix: the last three steps, the error of this one
DOUBLE = 1/64
STRICT = 2.0                                            # of the root of the relative tolerance: see `attempt`

NEAR, FAR = 0.21132486540518713, 0.7886751345948129     # Gauss: exact for cubics
LOW, HIGH = 0.1127016653792583, 0.8872983346207417      # and for degree 5, with the middle


@leaf
def cubic(at, p, q, r):
    """Integral from 0 to 1 of the cubic that is 1 at `at` and 0 at p, q and r"""
    total = (NEAR - p)*(NEAR - q)*(NEAR - r) + (FAR - p)*(FAR - q)*(FAR - r)
    return 0.5*total/((at - p)*(at - q)*(at - r))


@leaf
def quartic(p, q, r):
    """Integral from 0 to 1 of s (s - p)(s - q)(s - r), r = 1 or past"""
    low, high = LOW*(LOW - p)*(LOW - q)*(LOW - r), HIGH*(HIGH - p)*(HIGH - q)*(HIGH - r)
    return (5.0*(low + high) + 4.0*(0.5 - p)*(0.5 - q)*(0.5 - r))/18.0


@lane
def four(x, a, A, b, B, c, C, e, E, out, blocks):
    """out = x + a A + b B + c C + e E"""
    for block in range(U(blocks)):
        for k in range(U(WIDTH)):
            at = block*U(WIDTH) + k
            out[at] = x[at] + ((a*A[at] + b*B[at]) + (c*C[at] + e*E[at]))


@sweep
def runge_kutta(rate, handle, d, h):
    """The classical step; its error as the difference from order 3, with the rate at the end in place of K_4."""
    t = d.clock[TIME]
    add_scaled(d.y, 0.5*h, d.rate, d.look, d.blocks)
    status = ask(rate, handle, d, t + 0.5*h, d.look, row(d, SECOND))
    if status == OK:
        add_scaled(d.y, 0.5*h, row(d, SECOND), d.look, d.blocks)
        status = ask(rate, handle, d, t + 0.5*h, d.look, row(d, THIRD))
    if status == OK:
        add_scaled(d.y, h, row(d, THIRD), d.look, d.blocks)
        status = ask(rate, handle, d, t + h, d.look, row(d, FOURTH))
    if status == OK:
        four(d.y, h/6.0, d.rate, h/3.0, row(d, SECOND), h/3.0, row(d, THIRD), h/6.0, row(d, FOURTH), d.new, d.blocks)
        status = ask(rate, handle, d, t + h, d.new, row(d, END))
    if status == OK:
        add_scaled(row(d, FOURTH), -1.0, row(d, END), d.look, d.blocks)
    return status, h/6.0


@sweep
def predict_correct(rate, handle, d, h):
    """(status, factor): the corrected step, and what makes the difference in d.look its error."""
    a, b, c = -d.matrix[SIZES], -d.matrix[SIZES + 1], -d.matrix[SIZES + 2]
    a, b, c = a/h, (a + b)/h, (a + b + c)/h
    last, before, first = row(d, 0), row(d, 1), row(d, 2)
    four(d.y, h*cubic(0.0, a, b, c), d.rate, h*cubic(a, 0.0, b, c), last, h*cubic(b, 0.0, a, c), before,
         h*cubic(c, 0.0, a, b), first, d.look, d.blocks)
    status = ask(rate, handle, d, d.clock[TIME] + h, d.look, row(d, PREDICTED))
    four(d.y, h*cubic(1.0, 0.0, a, b), row(d, PREDICTED), h*cubic(0.0, 1.0, a, b), d.rate,
         h*cubic(a, 1.0, 0.0, b), last, h*cubic(b, 1.0, 0.0, a), before, d.new, d.blocks)
    for at in range(d.n):
        d.look[at] = d.new[at] - d.look[at]
    predictor, corrector = quartic(a, b, c), quartic(a, b, 1.0)
    return status, abs(corrector/(predictor - corrector))


@kernel(COMMIT)
def restart(desk, h):
    """No past."""
    d = open_desk(desk)
    d.count[KNOWN], d.clock[SUGGESTED] = 0, h
    return OK


@kernel(ATTEMPT)
def attempt(rate, handle, desk, h):
    """The largest error of a component over what is allowed of it."""
    d = open_desk(desk)
    share = STRICT*power(tightness(d), -0.25)           # the estimate goes as h^5, the error of the run as h^4
    if d.count[KNOWN] < 3:
        status, factor = runge_kutta(rate, handle, d, h)
    else:
        status, factor = predict_correct(rate, handle, d, h)
    error = 0.0
    for at in range(d.n):
        part = factor*abs(d.look[at])/(share*scale_of(d, at, d.y[at], d.new[at]))
        error = part if not part <= error else error
    if status != OK:
        d.count[MET], error = status, math.nan
    if not error <= 1.0:
        d.clock[SUGGESTED] = 0.5*h
    d.matrix[ERROR] = error
    return error


@kernel(FINISH)
def close(rate, handle, desk, h):
    d = open_desk(desk)
    status = OK if d.count[KNOWN] < 3 else ask(rate, handle, d, d.clock[TIME] + h, d.new, row(d, END))
    if status != OK:
        d.clock[SUGGESTED] = 0.5*h
    return status


@kernel(FINISH)
def prepare(rate, handle, desk, h):
    """The cubic through states and rates at both ends"""
    d = open_desk(desk)
    size, end = d.blocks*WIDTH, row(d, END)
    for at in range(size):
        rise, start, stop = d.new[at] - d.y[at], h*d.rate[at], h*end[at]
        d.dense[at], d.dense[size + at] = d.y[at], start
        d.dense[2*size + at] = 3.0*rise - 2.0*start - stop
        d.dense[3*size + at] = start + stop - 2.0*rise
    return OK


@kernel(COMMIT)
def commit(desk, h):
    """The step joins the past; the next one is as long, or twice as long."""
    d = open_desk(desk)
    sizes, started, crumb = d.matrix, d.count[KNOWN] == 3, shorter(d, h, CRUMB)
    if crumb:
        sizes[SIZES] += h
    else:
        copy(row(d, 1), row(d, 2), d.blocks)
        copy(row(d, 0), row(d, 1), d.blocks)
        copy(d.rate, row(d, 0), d.blocks)
        sizes[SIZES + 2], sizes[SIZES + 1], sizes[SIZES] = sizes[SIZES + 1], sizes[SIZES], h
        d.count[KNOWN] = min(d.count[KNOWN] + 1, 3)
    copy(row(d, END), d.rate, d.blocks)
    if not shorter(d, h, WHOLE):
        d.clock[SUGGESTED] = min(2.0*h if started and d.matrix[ERROR] < DOUBLE else h, d.setting[H_MAX])
    return OK


def method():
    return Method(name="abm4", order=4, error_order=5, stages=STAGES, polynomials=POLYNOMIALS,
                  restart=restart, attempt=attempt, close=close, prepare=prepare, interpolate=polynomial(3),
                  commit=commit, damp=0.0, shrink=0.5, grow=2.0, matrices=lambda n, forces: NUMBERS, own_steps=True)

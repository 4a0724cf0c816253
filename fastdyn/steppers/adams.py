"""Adams-Bashforth-Moulton of orders 1 to 12 on any grid: predict, evaluate, correct, evaluate.

The past is kept as modified divided differences phi_i = (psi_1 ... psi_(i-1)) f[t_n, ..., t_(n+1-i)], psi_i the span of
the last i steps. With s the fraction of the next step h the polynomial through the past is sum c_i(s) beta_i phi_i,
c_1 = 1, c_(i+1) = c_i (alpha_i s + 1 - alpha_i), alpha_i = h/psi_i, beta_i = products of psi after the step over psi
before it; its integral over the step has the weights g_i. The corrector adds h g_(k+1) D, D what the rate at the
predicted state differs from the polynomial's. Derivation in docs/theory/adams.md. Source: [Shampine & Gordon 1975].
"""

import math
from fractions import Fraction

import numpy as np

from .._address import shifted
from .._jit import kernel, lane, leaf, sweep
from ..algebra.power import power
from ..layout import COUNTED, H_MAX, MET, ORDER_MOST, OWN, SUGGESTED, TIME, WIDTH
from ..status import OK
from .desk import ATTEMPT, COMMIT, FINISH, INTERPOLATE, U, ask, copy, open_desk, register, scale_of
from .method import Method
from .multistep import CRUMB, WHOLE, alike, row, shorter

MOST = 12
PREDICTED, DIFFERENCE, END = MOST, MOST + 1, MOST + 2       # rows of Stepping.stage behind phi_1 ... phi_12
STAGES, POLYNOMIALS = MOST + 3, MOST + 2
CALM = 1e-2                 # errors below that speak for a lower order are noise while step and order still climb

# Stepping.count
ORDER, TRIED, EQUAL, FAILED, STARTING = range(OWN, OWN + 5)

# Stepping.matrix: the last steps, beta_i, beta_i g_i, a row to make g_i in, 1 - alpha_i, alpha_i; then single numbers
SIZES, BETA, WEIGHT, ROW, REST, ALPHA, SINGLE = range(0, 112, 16)
LAST_WEIGHT, THIS, LOWER, LOWEST = range(SINGLE, SINGLE + 4)
NUMBERS = SINGLE + 8


def weights(count, corrected):
    """Weights of backward differences on an equal grid: the predictor's g_i, or the corrector's, as fractions."""
    found = []
    for m in range(count):
        found.append((0 if corrected and m else 1) - sum(found[m - i]*Fraction(1, i + 1) for i in range(1, m + 1)))
    return found


G = np.array([float(g) for g in weights(MOST + 1, False)])
ERROR = np.array([abs(float(g)) for g in weights(MOST + 2, True)])         # of order k: ERROR[k] h |phi_(k+1)|


# Gauss's places on (0, 1) and their shares: exact for polynomials up to degree 13
GAUSS = 7
PLACE = np.array([0.025446043828620736, 0.12923440720030277, 0.2970774243113014, 0.5, 0.7029225756886985,
                  0.8707655927996972, 0.9745539561713793, 0.0])
SHARE = np.array([0.06474248308443485, 0.13985269574463832, 0.19091502525255946, 0.2089795918367347,
                  0.19091502525255946, 0.13985269574463832, 0.06474248308443485])


@sweep
def shape(X, h, k):
    """Alpha_i, 1 - alpha_i and beta_i of a step h at order k."""
    before, after, beta = 0.0, h, 1.0
    X[BETA], X[ALPHA], X[REST] = 1.0, 1.0, 0.0
    for i in range(1, k):
        before += X[SIZES + i - 1]
        beta *= after/before
        after = before + h
        part = 1.0/after
        X[BETA + i], X[ALPHA + i], X[REST + i] = beta, h*part, before*part


@sweep
def settle_weights(d, h, k):
    """Weights of the predictor, zero beyond order k, of the corrector, and (sigma_(k-1), sigma_k, sigma_(k+1))."""
    X = d.matrix
    for i in range(k, MOST):
        X[WEIGHT + i] = X[BETA + i] = 0.0
    if k == 1 or (d.count[EQUAL] >= k - 1 and alike(d, h, X[SIZES])):
        for i in range(k):
            X[WEIGHT + i], X[BETA + i] = G[i], 1.0
        X[LAST_WEIGHT] = G[k]
        return 1.0, 1.0, 1.0
    shape(X, h, k)
    for q in range(WIDTH):
        X[ROW + q] = 1.0
    lowest, lower, sigma, g = 1.0, 1.0, 1.0, 1.0
    for i in range(k):
        X[WEIGHT + i] = g*X[BETA + i]
        for q in range(WIDTH):
            X[ROW + q] *= X[ALPHA + i]*PLACE[q] + X[REST + i]
        g = 0.0
        for q in range(GAUSS):
            g += SHARE[q]*X[ROW + q]
        lowest, lower, sigma = lower, sigma, (i + 1.0)*X[ALPHA + i]*sigma
    X[LAST_WEIGHT] = g
    return lowest, lower, sigma


@lane
def predict(phi, W, B, y, h, p, e, blocks):
    """p = y + h sum W_i phi_i, e = sum B_i phi_i"""
    size = U(blocks)*U(WIDTH)
    for b in range(U(blocks)):
        for k in range(register()):
            at, total, rate = b*U(WIDTH) + k, 0.0, 0.0
            for r in range(MOST):
                past = phi[U(r)*size + at]
                total += W[U(r)]*past
                rate += B[U(r)]*past
            p[at], e[at] = y[at] + h*total, rate


@lane
def remember(phi, B, end, e, spare, total, k, blocks):
    """The differences after the step, in place; phi_(k+2) into `spare`, and into e what `end` differs from it."""
    size, top = U(blocks)*U(WIDTH), min(k, MOST - 1)
    for b in range(U(blocks)):
        for j in range(register()):
            at = b*U(WIDTH) + j
            more = end[at] - e[at]
            e[at], total[at], spare[at] = more, 0.0, more - phi[U(top)*size + at]
        for r in range(top + 1):
            i = U(top - r)
            for j in range(register()):
                at = b*U(WIDTH) + j
                found = total[at] + B[i]*phi[i*size + at]
                total[at], phi[i*size + at] = found, found + e[at]


@kernel(COMMIT)
def restart(desk, h):
    """Order 1 with the rate there is."""
    d = open_desk(desk)
    for at in range(MOST*d.blocks*WIDTH):
        d.stage[at] = 0.0
    copy(d.rate, d.stage, d.blocks)
    d.count[ORDER], d.count[EQUAL], d.count[FAILED], d.count[STARTING] = 1, 0, 0, 1
    for i in range(MOST):
        d.matrix[SIZES + i] = 0.0
    d.clock[SUGGESTED] = h
    return OK


@sweep
def retry(d, h, error):
    """After a step that was refused: half of it, at the order that fits; the first step, and any after three refusals,
    at order 1 with what fits that."""
    X, k, first, shrink = d.matrix, d.count[TRIED], d.count[EQUAL] == 0, 0.5
    d.count[FAILED] += 1
    d.count[STARTING] = d.count[STARTING] if first else 0
    if not error < math.inf:
        shrink = 0.25
    elif lowers(X, k):
        d.count[ORDER] = k - 1
    if d.count[FAILED] >= 3:
        d.count[ORDER] = 1
    if (first or d.count[FAILED] > 3) and 2.0 < X[THIS] < math.inf:
        shrink = min(shrink, math.sqrt(0.5/X[THIS]))
    d.clock[SUGGESTED] = shrink*h


@leaf
def lowers(X, k):
    """Whether the errors at lower orders speak for one less."""
    if k > 2:
        return max(X[LOWER], X[LOWEST]) <= X[THIS]
    return k == 2 and X[LOWER] <= 0.5*X[THIS]


@kernel(ATTEMPT)
def attempt(rate, handle, desk, h):
    d = open_desk(desk)
    X, k, size = d.matrix, d.count[ORDER], d.blocks*WIDTH
    d.count[TRIED] = k
    lowest, lower, sigma = settle_weights(d, h, k)
    predict(d.stage, shifted(X, WEIGHT), shifted(X, BETA), d.y, h, d.new, row(d, PREDICTED), d.blocks)
    status = ask(rate, handle, d, d.clock[TIME] + h, d.new, row(d, DIFFERENCE))
    if status != OK:
        d.count[MET] = status
        retry(d, h, math.nan)
        return math.nan
    for at in range(size):
        more = d.stage[DIFFERENCE*size + at] - d.stage[PREDICTED*size + at]
        d.stage[DIFFERENCE*size + at] = more
        d.new[at] += h*X[LAST_WEIGHT]*more
    one, two, three, last, before = 0.0, 0.0, 0.0, max(k - 1, 0), max(k - 2, 0)
    for at in range(d.n):
        allowed = 1.0/scale_of(d, at, d.y[at], d.new[at])
        x = d.stage[DIFFERENCE*size + at]
        x_one = x*allowed
        x += X[BETA + last]*d.stage[last*size + at]
        x_two = x*allowed
        x += X[BETA + before]*d.stage[before*size + at]
        x_three = x*allowed
        one += x_one*x_one
        two += x_two*x_two
        three += x_three*x_three
    plain = h*math.sqrt(one/d.setting[COUNTED])
    X[THIS] = plain*sigma*ERROR[k]
    X[LOWER] = h*math.sqrt(two/d.setting[COUNTED])*lower*ERROR[last]
    X[LOWEST] = h*math.sqrt(three/d.setting[COUNTED])*lowest*ERROR[before]
    error = plain*abs(X[WEIGHT + last]/X[BETA + last] - X[LAST_WEIGHT])
    if not error <= 1.0:
        retry(d, h, error)
    return error


@kernel(FINISH)
def close(rate, handle, desk, h):
    d = open_desk(desk)
    status = ask(rate, handle, d, d.clock[TIME] + h, d.new, row(d, END))
    if status != OK:
        d.clock[SUGGESTED] = 0.25*h
    return status


@kernel(FINISH)
def prepare(rate, handle, desk, h):
    """The corrector's own polynomial in powers of s: y at the start, `new` at the end; every coefficient is a sum of
    positive multiples of beta_i phi_i and D."""
    d = open_desk(desk)
    X, k, size = d.matrix, d.count[TRIED], d.blocks*WIDTH
    shape(X, h, k)
    copy(d.y, d.dense, d.blocks)
    for at in range(size, POLYNOMIALS*size):
        d.dense[at] = 0.0
    for j in range(16):
        X[ROW + j] = 0.0
    X[ROW + 1] = 1.0
    for i in range(k + 1):
        source, factor = (i, h*X[BETA + i]) if i < k else (DIFFERENCE, h)
        for j in range(1, i + 2):
            share = factor*X[ROW + j]/j
            for at in range(size):
                d.dense[j*size + at] += share*d.stage[source*size + at]
        if i < k:
            for j in range(i + 2, 0, -1):
                X[ROW + j] = X[ALPHA + i]*X[ROW + j - 1] + X[REST + i]*X[ROW + j]
    return OK


@kernel(INTERPOLATE)
def interpolate(rate, handle, desk, x, out):
    d = open_desk(desk)
    size = d.blocks*WIDTH
    copy(shifted(d.dense, (POLYNOMIALS - 1)*size), out, d.blocks)
    for back in range(2, POLYNOMIALS + 1):
        low = (POLYNOMIALS - back)*size
        for at in range(size):
            out[at] = d.dense[low + at] + x*out[at]
    return OK


@sweep
def forget_last(d, k, h):
    """The past without the last step's end, and `predicted` from there: (order, size) of the step from the one before.

    phi_i without f_n is (phi_i - phi_(i+1))/beta_i, the beta of the step that is forgotten.
    """
    X, size, before, after, share = d.matrix, d.blocks*WIDTH, 0.0, 0.0, 1.0
    for i in range(k - 1):
        for at in range(size):
            d.stage[i*size + at] = share*(d.stage[i*size + at] - d.stage[(i + 1)*size + at])
        after += X[SIZES + i]
        before += X[SIZES + i + 1]
        share *= before/after
    whole = X[SIZES] + h
    for i in range(MOST - 1):
        X[SIZES + i] = X[SIZES + i + 1]
    shape(X, whole, k - 1)
    for i in range(k - 1, MOST):
        X[BETA + i] = 0.0
    predict(d.stage, shifted(X, WEIGHT), shifted(X, BETA), d.y, 0.0, d.look, row(d, PREDICTED), d.blocks)
    d.count[EQUAL] = 0
    return k - 1, whole


@kernel(COMMIT)
def commit(desk, h):
    """The step joins the past; the next order and step."""
    d = open_desk(desk)
    X, k, size, crumb = d.matrix, d.count[TRIED], d.blocks*WIDTH, shorter(d, h, CRUMB)
    past, whole = forget_last(d, k, h) if crumb else (k, h)
    remember(d.stage, shifted(X, BETA), row(d, END), row(d, PREDICTED), row(d, DIFFERENCE), d.look, past,
             d.blocks)
    if past + 1 < MOST:
        copy(row(d, DIFFERENCE), row(d, past + 1), d.blocks)
    copy(row(d, END), d.rate, d.blocks)
    d.count[EQUAL] = d.count[EQUAL] + 1 if alike(d, whole, X[SIZES]) else 1
    for i in range(MOST - 1, 0, -1):
        X[SIZES + i] = X[SIZES + i - 1]
    X[SIZES], d.count[FAILED] = whole, 0
    most, starting = min(int(d.setting[ORDER_MOST]), MOST), d.count[STARTING] == 1
    lower = lowers(X, k)
    noise = starting and lower and X[THIS] < CALM
    lower = lower and not noise
    if shorter(d, h, WHOLE):
        d.count[ORDER] = k if crumb else min(k + d.count[STARTING], most)
        return OK
    d.count[STARTING] = 1 if starting and not lower and k < most else 0
    error = X[THIS]
    if lower:
        d.count[ORDER], error = k - 1, X[LOWER]
    elif d.count[STARTING] == 1:
        d.count[ORDER], error = (k if noise else k + 1), 0.0
    elif k < most and d.count[EQUAL] > k:
        total = 0.0
        for at in range(d.n):
            part = d.stage[DIFFERENCE*size + at]/scale_of(d, at, d.y[at], d.new[at])
            total += part*part
        higher = h*ERROR[k + 1]*math.sqrt(total/d.setting[COUNTED])
        if k > 1 and X[LOWER] <= min(error, higher):
            d.count[ORDER], error = k - 1, X[LOWER]
        elif higher < (0.5*error if k == 1 else error):
            d.count[ORDER], error = k + 1, higher
    d.clock[SUGGESTED] = min(h*change(error, d.count[ORDER]), d.setting[H_MAX])
    return OK


@leaf
def change(error, k):
    """What the next step is to this one: twice as much, the same, or a little less, so that past steps are equal."""
    if math.ldexp(error, int(k) + 1) <= 0.5:
        return 2.0
    if error <= 0.5:
        return 1.0
    return max(0.5, min(0.9, power(0.5/error, 1.0/(k + 1.0))))


def method():
    return Method(name="adams", order=1, error_order=2, stages=STAGES, polynomials=POLYNOMIALS,
                  restart=restart, attempt=attempt, close=close, prepare=prepare, interpolate=interpolate,
                  commit=commit, damp=0.0, shrink=0.2, grow=2.0, matrices=lambda n, forces: NUMBERS, own_steps=True)

"""Radau IIA of order 5: collocation at three places, the last one the end of the step.

With Z_i = y(t + c_i h) - y: Z = h A f. In W = T^-1 Z the system falls into a real and a complex one,
(g/h 1 - J) dW_0 = (T^-1 f)_0 - g/h W_0 and the same with the complex eigenvalue for W_1 + i W_2.
The step as a function of its fraction x is y + x(Q_1 + x(Q_2 + x Q_3)), Q = P Z.
Source: [Hairer & Wanner 1996] IV.8, whose strategies are taken over. Derivations in docs/theory/implicit.md.
"""

import math

from .._address import shifted
from .._jit import kernel, leaf, sweep
from ..algebra.power import power
from ..layout import FACTORINGS, H_MAX, ITERATIONS, MET, SAFETY, TIME, WIDTH
from ..status import NEWTON_FAILED, NOT_FINITE, OK
from .desk import ATTEMPT, COMMIT, FINISH, INTERPOLATE, ask, copy, open_desk, scale_of
from .linear import complex_lu, complex_shift, complex_solve, lu, shift, solve, unknowns
from .method import Method
from .newton import (
    CALM_THETA, CONTRACTION, ERROR_TRIED, GOOD, H_FACTORS, H_PAST, H_TAKEN, H_TRIED, HEAD, JACOBIAN, NOW, PAST, REFUSED,
    SECOND, THETA, fixed, forget, goal, jacobian, jacobian_of, next_size, rtol_of, stale, suggest, taken)

S6 = math.sqrt(6.0)
C = ((4.0 - S6)/10.0, (4.0 + S6)/10.0, 1.0)
REAL, ALPHA, BETA = 3.6378342527444957, 2.6810828736277523, 3.0504301992474105      # eigenvalues of A^-1
T = ((0.091232394870892942792, -0.14125529502095420843, -0.030029194105147424492),
     (0.24171793270710701896, 0.20412935229379993199, 0.38294211275726193779),
     (0.96604818261509293619, 1.0, 0.0))
TI = ((4.3255798900631553510, 0.33919925181580986954, 0.54177053993587487119),
      (-4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196),
      (-0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497))
E = (-(13.0 + 7.0*S6)/3.0, (-13.0 + 7.0*S6)/3.0, -1.0/3.0)                          # error: y0' and E.Z/h, filtered
P = ((13.0/3.0 + 7.0*S6/3.0, 13.0/3.0 - 7.0*S6/3.0, 1.0/3.0),
     (-23.0/3.0 - 22.0*S6/3.0, -23.0/3.0 + 22.0*S6/3.0, -8.0/3.0),
     (10.0/3.0 + 5.0*S6, 10.0/3.0 - 5.0*S6, 10.0/3.0))
MOST = 7                    # iterations
SHRINK, GROW = 0.2, 8.0
KEEP = 1.2                  # a step that may grow by less stays, and its factors with it

# rows of Stepping.stage
Z, W, R, Q_PAST, AT_END, ERROR, ROWS = 0, 3, 6, 9, 12, 13, 14


@leaf
def row(d, i): return shifted(d.stage, i*d.blocks*WIDTH)


@leaf
def factors(d):
    """Addresses: J, the real matrix, both parts of the complex one, exchanges of either"""
    J, nn = jacobian_of(d), d.n*d.n
    return J, shifted(J, nn), shifted(J, 2*nn), shifted(J, 3*nn), d.pivot, shifted(d.pivot, d.n)


@leaf
def three(A, i, x, y, z): return A[i][0]*x + A[i][1]*y + A[i][2]*z


@sweep
def factor(d, h):
    """Both matrices for a step of size h, unless they are there; a status."""
    if d.matrix[H_FACTORS] == h:
        return OK
    J, E1, E2, F2, one, two = factors(d)
    second = d.count[SECOND] != 0
    m = unknowns(d.n, second)
    shift(J, E1, d.n, second, REAL/h, h/REAL)
    complex_shift(J, E2, F2, d.n, second, ALPHA/h, BETA/h)
    d.count[FACTORINGS] += 1
    status = lu(E1, one, m)
    if status == OK:
        status = complex_lu(E2, F2, two, m)
    d.matrix[H_FACTORS] = h if status == OK else 0.0
    return status


@sweep
def guess(d, h):
    """Z and W to start from: the polynomial of the last step carried on, or nothing."""
    size, stage = d.blocks*WIDTH, d.stage
    w = h/d.matrix[H_PAST] if d.count[PAST] != 0 else 0.0
    for i in range(3):
        x = C[i]*w
        for at in range(size):
            q1, q2, q3 = stage[Q_PAST*size + at], stage[(Q_PAST + 1)*size + at], stage[(Q_PAST + 2)*size + at]
            stage[(Z + i)*size + at] = x*(q1 + ((2.0 + x)*q2 + (3.0 + x*(3.0 + x))*q3))
    for i in range(3):
        for at in range(size):
            stage[(W + i)*size + at] = three(TI, i, stage[Z*size + at], stage[(Z + 1)*size + at], stage[(Z + 2)*size + at])


@sweep
def improve(rate, handle, d, h):
    """(status, size of the increment): one iteration."""
    n, size, stage = d.n, d.blocks*WIDTH, d.stage
    for i in range(3):
        for at in range(size):
            d.look[at] = d.y[at] + stage[(Z + i)*size + at]
        status = ask(rate, handle, d, d.clock[TIME] + C[i]*h, d.look, row(d, R + i))
        if status != OK:
            return status, math.nan
    g, a, b = REAL/h, ALPHA/h, BETA/h
    for at in range(n):
        f1, f2, f3 = stage[R*size + at], stage[(R + 1)*size + at], stage[(R + 2)*size + at]
        w1, w2, w3 = stage[W*size + at], stage[(W + 1)*size + at], stage[(W + 2)*size + at]
        stage[R*size + at] = three(TI, 0, f1, f2, f3) - g*w1
        stage[(R + 1)*size + at] = three(TI, 1, f1, f2, f3) - (a*w2 - b*w3)
        stage[(R + 2)*size + at] = three(TI, 2, f1, f2, f3) - (a*w3 + b*w2)
    J, E1, E2, F2, one, two = factors(d)
    solve(J, E1, one, n, d.count[SECOND] != 0, g, row(d, R))
    complex_solve(J, E2, F2, two, n, d.count[SECOND] != 0, a, b, row(d, R + 1), row(d, R + 2))
    total = 0.0
    for at in range(n):
        r, part = 1.0/scale_of(d, at, d.y[at], d.y[at]), 0.0
        for i in range(3):
            x = stage[(R + i)*size + at]*r
            part += x*x
            stage[(W + i)*size + at] += stage[(R + i)*size + at]
        total += part
        w1, w2, w3 = stage[W*size + at], stage[(W + 1)*size + at], stage[(W + 2)*size + at]
        for i in range(3):
            stage[(Z + i)*size + at] = three(T, i, w1, w2, w3)
    return OK, math.sqrt(total/(3*n))


@sweep
def iterate(rate, handle, d, h, done):
    """(status, iterations, what the step should be multiplied with if they do not converge)."""
    d.matrix[CONTRACTION] = power(max(d.matrix[CONTRACTION], 1e-15), 0.8) if d.count[PAST] != 0 else 1.0
    d.matrix[THETA] = CALM_THETA
    before, last = 0.0, 0.0
    for k in range(1, MOST + 1):
        status, size = improve(rate, handle, d, h)
        d.count[ITERATIONS] += 1
        if status != OK or not size < math.inf:
            return (status if status != OK else NOT_FINITE), k, 0.5
        if k > 1:
            ratio = size/before
            theta = ratio if k == 2 else math.sqrt(ratio*last)
            last = ratio
            d.matrix[THETA] = theta
            if not theta < 0.99:
                return (OK if size <= done else NEWTON_FAILED), k, 0.5
            d.matrix[CONTRACTION] = theta/(1.0 - theta)
            left = d.matrix[CONTRACTION]*size*power(max(theta, 1e-30), float(MOST - 1 - k))/done
            if k < MOST and left >= 1.0:
                return NEWTON_FAILED, k, 0.8*power(min(left, 20.0), -1.0/(3 + MOST - k))
        if d.matrix[CONTRACTION]*size <= done:
            return OK, k, 1.0
        before = max(size, 1e-300)
    return NEWTON_FAILED, MOST, 0.5


@sweep
def error_norm(d, x):
    """Root mean square of an error over what is allowed"""
    total = 0.0
    for at in range(d.n):
        part = x[at]/scale_of(d, at, d.y[at], d.new[at])
        total += part*part
    return math.sqrt(total/d.n)


@sweep
def estimate(rate, handle, d, h, loose):
    """The error of `new`, one where it is just allowed; what is stiff in it filtered, twice where in doubt."""
    n, size, stage, error = d.n, d.blocks*WIDTH, d.stage, row(d, ERROR)
    J, E1, E2, F2, one, two = factors(d)
    rough, g = row(d, R), REAL/h
    for at in range(n):
        rough[at] = three((E,), 0, stage[Z*size + at], stage[(Z + 1)*size + at], stage[(Z + 2)*size + at])/h
        error[at] = d.rate[at] + rough[at]
    solve(J, E1, one, n, d.count[SECOND] != 0, g, error)
    found = error_norm(d, error)/loose
    if found >= 1.0 and (d.count[PAST] == 0 or d.count[REFUSED] != 0):
        for at in range(n):
            d.look[at] = d.y[at] + error[at]
        if ask(rate, handle, d, d.clock[TIME], d.look, error) == OK:
            for at in range(n):
                error[at] += rough[at]
            solve(J, E1, one, n, d.count[SECOND] != 0, g, error)
            found = error_norm(d, error)/loose
    return max(found, 1e-10)


@sweep
def collocate(rate, handle, d, h, loose):
    """(status, iterations, factor): W and Z for a step of size h; a Jacobian of before gets a second chance."""
    rtol = rtol_of(d)
    usual = loose*min(0.03, math.sqrt(0.1*power(rtol, 2.0/3.0)))
    done = goal(d, usual)
    status = jacobian(rate, handle, d, row(d, R)) if stale(d) else OK
    while True:
        k, shorter = 0, 0.5
        if status == OK:
            status = factor(d, h)
        if status == OK:
            guess(d, h)
            status, k, shorter = iterate(rate, handle, d, h, done)
        if status == OK or d.count[JACOBIAN] == NOW:
            return status, k, shorter
        status = jacobian(rate, handle, d, row(d, R))


@kernel(ATTEMPT)
def attempt(rate, handle, desk, h):
    d = open_desk(desk)
    loose = 0.3*power(rtol_of(d), -0.2)                 # the estimate goes as h^4, what is asked of the run as h^5
    status, k, shorter = collocate(rate, handle, d, h, loose)
    if status != OK:
        if status != NOT_FINITE:
            d.count[MET] = status
        d.count[REFUSED] = 1
        suggest(d, shorter*h, math.nan)
        return math.nan
    z3 = row(d, Z + 2)
    for at in range(d.blocks*WIDTH):
        d.new[at] = d.y[at] + z3[at]
    error = estimate(rate, handle, d, h, loose)
    safe = d.setting[SAFETY]*min(1.0, (1 + 2*MOST)/(k + 2*MOST))
    ahead = next_size(d, h, error, 0.25, GROW, SHRINK, safe)
    if not error <= 1.0 and not fixed(d):
        ahead = 0.1*h if d.count[PAST] == 0 else min(ahead, h)
        d.count[REFUSED] = 1
        suggest(d, ahead, error)
        return error
    if d.count[REFUSED] != 0:
        ahead = min(ahead, h)
    ahead = min(ahead, d.setting[H_MAX])
    if d.matrix[THETA] <= CALM_THETA and h <= ahead <= KEEP*h:
        ahead = h
    suggest(d, ahead, error)
    d.matrix[H_TRIED], d.matrix[ERROR_TRIED] = h, max(error, 1e-2)
    return min(error, 1.0)


@kernel(FINISH)
def close(rate, handle, desk, h):
    """The rate at the end; the polynomial, which is there whether somebody looks or not."""
    d = open_desk(desk)
    size, stage = d.blocks*WIDTH, d.stage
    for at in range(size):
        z1, z2, z3 = stage[Z*size + at], stage[(Z + 1)*size + at], stage[(Z + 2)*size + at]
        d.dense[at] = d.y[at]
        for i in range(3):
            d.dense[(i + 1)*size + at] = three(P, i, z1, z2, z3)
    return ask(rate, handle, d, d.clock[TIME] + h, d.new, row(d, AT_END))


@kernel(FINISH)
def prepare(rate, handle, desk, h):
    """The polynomial is there."""
    return OK


@kernel(INTERPOLATE)
def interpolate(desk, x, out):
    d = open_desk(desk)
    size = d.blocks*WIDTH
    for at in range(size):
        out[at] = d.dense[at] + x*(d.dense[size + at] + x*(d.dense[2*size + at] + x*d.dense[3*size + at]))
    return OK


@kernel(COMMIT)
def commit(desk, h):
    d = open_desk(desk)
    size = d.blocks*WIDTH
    for i in range(3):
        copy(shifted(d.dense, (i + 1)*size), row(d, Q_PAST + i), d.blocks)
    copy(row(d, AT_END), d.rate, d.blocks)
    taken(d, h)
    d.matrix[H_PAST], d.count[PAST] = h, 1
    return OK


@kernel(COMMIT)
def restart(desk, h):
    forget(open_desk(desk))
    return OK


def method():
    return Method(name="radau5", order=5, error_order=4, stages=ROWS, polynomials=4, damp=0.0, shrink=SHRINK, grow=GROW,
                  restart=restart, attempt=attempt, close=close, prepare=prepare, interpolate=interpolate, commit=commit,
                  matrices=lambda n: HEAD + 4*n*n, pivots=lambda n: 2*n)

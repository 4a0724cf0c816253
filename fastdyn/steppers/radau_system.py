"""The equations of a step of Radau IIA, order 5, and Newton's iteration for them.

With Z_i = y(t + c_i h) - y: Z = h A f. In W = T^-1 Z, with one Jacobian J for the whole step, the system falls into a
real and a complex one, (g/h 1 - J) dW_0 = (T^-1 f)_0 - g/h W_0 and the same with the complex eigenvalue for W_1 + i W_2
[Hairer & Wanner 1996, IV.8]. Where one J is too little, because stiff forces turn within the step, every stage gets its
own and the three stay together: (A^-1)_ij/h dZ_j - J_i dZ_i = f_i - (A^-1)_ij/h Z_j. docs/theory/implicit.md says more.
"""

import math

from .._address import shifted
from .._jit import leaf, sweep
from ..algebra.power import power
from ..layout import COUNTED, FACTORINGS, ITERATIONS, JACOBIANS, TIME, WIDTH
from ..status import NEWTON_FAILED, NOT_FINITE, OK
from .desk import ask, scale_of
from .forces import ask_newton, at_start, forces, pulls, slopes
from .linear import complex_lu, complex_shift, complex_solve, dot, lu, lu_solve, shift, solve, unknowns
from .newton import (
    APART, CONTRACTION, H_FACTORS, JACOBIAN, NOW, PAST, SECOND, THETA, TRIALS, calm, carried, core, goal, in_reach,
    jacobian_of, nudge, renew, rtol_of, stale)
from .newton import numbers as before_jacobian

S6 = math.sqrt(6.0)
C = ((4.0 - S6)/10.0, (4.0 + S6)/10.0, 1.0)
REAL, ALPHA, BETA = 3.6378342527444957, 2.6810828736277523, 3.0504301992474105      # eigenvalues of A^-1
T = ((0.091232394870892942792, -0.14125529502095420843, -0.030029194105147424492),
     (0.24171793270710701896, 0.20412935229379993199, 0.38294211275726193779),
     (0.96604818261509293619, 1.0, 0.0))
TI = ((4.3255798900631553510, 0.33919925181580986954, 0.54177053993587487119),
      (-4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196),
      (-0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497))
LEFT = ((2.0 + S6/2.0, -1.2 + 29.0*S6/30.0, 0.4 - 4.0*S6/15.0),                     # A^-1
        (-1.2 - 29.0*S6/30.0, 2.0 - S6/2.0, 0.4 + 4.0*S6/15.0),
        (-1.0 + 8.0*S6/3.0, -1.0 - 8.0*S6/3.0, 5.0))
A = (((88.0 - 7.0*S6)/360.0, (296.0 - 169.0*S6)/1800.0, (-2.0 + 3.0*S6)/225.0),
     ((296.0 + 169.0*S6)/1800.0, (88.0 + 7.0*S6)/360.0, (-2.0 - 3.0*S6)/225.0),
     ((16.0 - S6)/36.0, (16.0 + S6)/36.0, 1.0/9.0))
TWICE = ((-10.0/3.0 + 10.0*S6/3.0, -14.0/15.0 + 46.0*S6/15.0, 46.0/15.0 - 1.6*S6),  # A^-2
         (-14.0/15.0 - 46.0*S6/15.0, -10.0/3.0 - 10.0*S6/3.0, 46.0/15.0 + 1.6*S6),
         (53.0/3.0 + 67.0*S6/3.0, 53.0/3.0 - 67.0*S6/3.0, 47.0/3.0))
E = (-(13.0 + 7.0*S6)/3.0, (-13.0 + 7.0*S6)/3.0, -1.0/3.0)                          # error: y0' and E.Z/h, filtered
P = ((13.0/3.0 + 7.0*S6/3.0, 13.0/3.0 - 7.0*S6/3.0, 1.0/3.0),
     (-23.0/3.0 - 22.0*S6/3.0, -23.0/3.0 + 22.0*S6/3.0, -8.0/3.0),
     (10.0/3.0 + 5.0*S6, 10.0/3.0 - 5.0*S6, 10.0/3.0))
MOST = 7                    # iterations
STRETCH, LONGEST = 8, 512   # steps that are taken with three Jacobians once one was too little, at first and at most

# rows of Stepping.stage
Z, W, R, Q_PAST, AT_END, ERROR, START, ROWS = 0, 3, 6, 9, 12, 13, 14, 15
S, S_PAST = 1, 4            # rows of forces: at the stages, of the last step's polynomial


@leaf
def row(d, i): return shifted(d.stage, i*d.blocks*WIDTH)


@leaf
def factors(d):
    """Addresses: J, the real matrix, both parts of the complex one, exchanges of either"""
    J, nn = jacobian_of(d), d.n*d.n
    return J, shifted(J, nn), shifted(J, 2*nn), shifted(J, 3*nn), d.pivot, shifted(d.pivot, d.n)


@leaf
def together(d):
    """Addresses: J of the last stage, the matrix of all three stages, its exchanges, a vector for them"""
    J, nn = jacobian_of(d), d.n*d.n
    return shifted(J, 2*nn), shifted(J, 4*nn), shifted(d.pivot, d.n), shifted(J, 13*nn)


def numbers(n, forces): return before_jacobian(n, forces) + 13*n*n + 3*n


def exchanges(n): return 4*n


@leaf
def three(A, i, x, y, z): return A[i][0]*x + A[i][1]*y + A[i][2]*z


@sweep
def factor(d, h):
    """Both matrices for a step of size h, unless they are there; a status."""
    if d.matrix[H_FACTORS] == h:
        return OK
    J, _, E2, F2, _, two = factors(d)
    k, second = core(d), d.count[SECOND] != 0
    status = factor_real(d, h)
    if status == OK:
        complex_shift(J, E2, F2, d.n, k, second, ALPHA/h, BETA/h)
        status = complex_lu(E2, F2, two, unknowns(k, second))
    d.matrix[H_FACTORS] = h if status == OK else 0.0
    return status


@sweep
def factor_real(d, h):
    """The real matrix, which filters the error too; a status."""
    J, E1, _, _, one, _ = factors(d)
    k, second = core(d), d.count[SECOND] != 0
    shift(J, E1, d.n, k, second, REAL/h, h/REAL)
    d.count[FACTORINGS] += 1
    return lu(E1, one, unknowns(k, second))


@sweep
def guess(d, h):
    """Z and W to start from: the polynomial of the last step carried on, or nothing."""
    size, stage = d.blocks*WIDTH, d.stage
    w = carried(d, h)
    for i in range(3):
        x = C[i]*w
        for at in range(size):
            q1, q2, q3 = stage[Q_PAST*size + at], stage[(Q_PAST + 1)*size + at], stage[(Q_PAST + 2)*size + at]
            stage[(Z + i)*size + at] = x*(q1 + ((2.0 + x)*q2 + (3.0 + x*(3.0 + x))*q3))
    for i in range(3):
        for at in range(size):
            z1, z2, z3 = stage[Z*size + at], stage[(Z + 1)*size + at], stage[(Z + 2)*size + at]
            stage[(W + i)*size + at] = three(TI, i, z1, z2, z3)
    for i in range(3 if d.forces > 0 else 0):
        x, s, now, past = C[i]*w, forces(d, S + i), forces(d, 0), forces(d, S_PAST)
        for k in range(d.forces):
            q1, q2, q3 = past[k], past[d.forces + k], past[2*d.forces + k]
            s[k] = now[k] + x*(q1 + ((2.0 + x)*q2 + (3.0 + x*(3.0 + x))*q3))


@sweep
def rates(rate, handle, d, h):
    """The rates at the stages into the rows R; a status."""
    size, stage = d.blocks*WIDTH, d.stage
    for i in range(3):
        for at in range(size):
            d.look[at] = d.y[at] + stage[(Z + i)*size + at]
        status = ask_newton(rate, handle, d, d.clock[TIME] + C[i]*h, d.look, S + i, row(d, R + i))
        if status != OK:
            return status
    return OK


@sweep
def improve(d, h):
    """Size of the increment of one iteration with one Jacobian, the rates at the stages being in the rows R."""
    n, size, stage = d.n, d.blocks*WIDTH, d.stage
    g, a, b = REAL/h, ALPHA/h, BETA/h
    for at in range(n):
        f1, f2, f3 = stage[R*size + at], stage[(R + 1)*size + at], stage[(R + 2)*size + at]
        w1, w2, w3 = stage[W*size + at], stage[(W + 1)*size + at], stage[(W + 2)*size + at]
        stage[R*size + at] = three(TI, 0, f1, f2, f3) - g*w1
        stage[(R + 1)*size + at] = three(TI, 1, f1, f2, f3) - (a*w2 - b*w3)
        stage[(R + 2)*size + at] = three(TI, 2, f1, f2, f3) - (a*w3 + b*w2)
    k, second, (J, E1, E2, F2, one, two) = core(d), d.count[SECOND] != 0, factors(d)
    solve(J, E1, one, n, k, second, g, row(d, R))
    complex_solve(J, E2, F2, two, n, k, second, a, b, row(d, R + 1), row(d, R + 2))
    if d.forces > 0:
        follow_all(d)
    for at in range(n):
        for i in range(3):
            stage[(W + i)*size + at] += stage[(R + i)*size + at]
        w1, w2, w3 = stage[W*size + at], stage[(W + 1)*size + at], stage[(W + 2)*size + at]
        for i in range(3):
            stage[(Z + i)*size + at] = three(T, i, w1, w2, w3)
    return increment(d)


@sweep
def follow_all(d):
    """The forces at the stages behind the increments of W in the rows R."""
    n, E, (w1, w2, w3) = d.n, slopes(d), (row(d, R), row(d, R + 1), row(d, R + 2))
    for k in range(d.forces):
        x1 = x2 = x3 = 0.0
        for j in range(n):
            slope = E[k*n + j]
            x1 += slope*w1[j]
            x2 += slope*w2[j]
            x3 += slope*w3[j]
        for i in range(3):
            forces(d, S + i)[k] = pulls(d, S + i)[k] + three(T, i, x1, x2, x3)


@leaf
def increment(d):
    """Root mean square of the rows R over what is allowed of an error"""
    size, total = d.blocks*WIDTH, 0.0
    for at in range(d.n):
        r = 1.0/scale_of(d, at, d.y[at], d.y[at])
        for i in range(3):
            x = d.stage[(R + i)*size + at]*r
            total += x*x
    return math.sqrt(total/(3.0*d.setting[COUNTED]))


@sweep
def gather(rate, handle, d, h):
    """The matrix of all three stages with the Jacobian each has at its guess, factored; a status.

    Where the first half's rates are the other half v, only df/dq is new and the unknowns are the dq.
    """
    n, size, acting, second = d.n, d.blocks*WIDTH, core(d), d.count[SECOND] != 0
    m, J, (last, M, pivot, _) = unknowns(acting, second), jacobian_of(d), together(d)
    low, wide, at_guess, moved = acting - m, 3*m, row(d, R), row(d, R + 1)
    for at in range(wide*wide):
        M[at] = 0.0
    for i in range(3):
        t, corner = d.clock[TIME] + C[i]*h, i*m*wide + i*m
        for at in range(size):
            d.look[at] = d.y[at] + d.stage[(Z + i)*size + at]
        status = ask(rate, handle, d, t, d.look, at_guess)
        for j in range(m):
            y = d.look[j]
            d.look[j] = y + nudge(d, j, y)
            status = ask(rate, handle, d, t, d.look, moved) if status == OK else status
            for r in range(m):
                slope = (moved[low + r] - at_guess[low + r])/(d.look[j] - y)
                M[corner + r*wide + j] = -slope
                if i == 2:
                    last[r*m + j] = slope
            d.look[j] = y
        if status != OK:
            return status
        d.count[JACOBIANS] += 1
        for k in range(3):
            a, aa, block = LEFT[i][k]/h, TWICE[i][k]/(h*h), i*m*wide + k*m
            for r in range(m):
                M[block + r*wide + r] += aa if second else a
                if second:
                    for j in range(m):
                        M[block + r*wide + j] -= a*J[(m + r)*n + m + j]
    d.count[FACTORINGS] += 1
    return lu(M, pivot, wide)


@sweep
def improve_apart(d, h):
    """As `improve`, with the matrix of all three stages."""
    n, size, stage, second = d.n, d.blocks*WIDTH, d.stage, d.count[SECOND] != 0
    acting, J, (_, M, pivot, x) = core(d), jacobian_of(d), together(d)
    m = unknowns(acting, second)
    low = acting - m
    for at in range(n):
        z1, z2, z3 = stage[Z*size + at], stage[(Z + 1)*size + at], stage[(Z + 2)*size + at]
        for i in range(3):
            stage[(R + i)*size + at] -= three(LEFT, i, z1, z2, z3)/h
    for i in range(3):
        for r in range(m):
            total = stage[(R + i)*size + low + r]
            if second:
                total += three(LEFT, i, stage[R*size + r], stage[(R + 1)*size + r], stage[(R + 2)*size + r])/h
                total -= dot(J, (m + r)*n + m, row(d, R + i), 0, m)
            x[i*m + r] = total
    lu_solve(M, pivot, x, 3*m)
    for r in range(m):
        x1, x2, x3 = x[r], x[m + r], x[2*m + r]
        for i in range(3):
            if second:
                stage[(R + i)*size + m + r] = three(LEFT, i, x1, x2, x3)/h - stage[(R + i)*size + r]
            stage[(R + i)*size + r] = x[i*m + r]
    for at in range(acting, n):
        for i in range(3):
            stage[(R + i)*size + at] += dot(J, at*n, row(d, R + i), 0, acting)
        x1, x2, x3 = stage[R*size + at], stage[(R + 1)*size + at], stage[(R + 2)*size + at]
        for i in range(3):
            stage[(R + i)*size + at] = h*three(A, i, x1, x2, x3)
    for i in range(3):
        for at in range(n):
            stage[(Z + i)*size + at] += stage[(R + i)*size + at]
    return increment(d)


@sweep
def iterate(rate, handle, d, h, done, apart):
    """(status, iterations, what the step should be multiplied with if they do not converge)."""
    before_this = power(max(d.matrix[CONTRACTION], 1e-15), 0.8)
    d.matrix[CONTRACTION] = 1.0 if apart or d.count[PAST] == 0 else before_this
    d.matrix[THETA] = calm(d)
    before, last = 0.0, 0.0
    for k in range(1, MOST + 1):
        status, size = rates(rate, handle, d, h), math.nan
        if status == OK:
            size = improve_apart(d, h) if apart else improve(d, h)
        d.count[ITERATIONS] += 1
        if status != OK or not size < math.inf:
            return (status if status != OK else NOT_FINITE), k, 0.5
        enough = done
        for i in range(3):
            enough = in_reach(d, enough, row(d, Z + i))
        if k > 1:
            ratio = size/before
            theta = ratio if k == 2 else math.sqrt(ratio*last)
            last = ratio
            d.matrix[THETA] = theta
            if not theta < 0.99:
                return (OK if size <= enough else NEWTON_FAILED), k, 0.5
            d.matrix[CONTRACTION] = theta/(1.0 - theta)
            left = d.matrix[CONTRACTION]*size*power(max(theta, 1e-30), float(MOST - 1 - k))/enough
            if k < MOST and left >= 1.0:
                return NEWTON_FAILED, k, 0.8*power(min(left, 20.0), -1.0/(3 + MOST - k))
        if d.matrix[CONTRACTION]*size <= enough:
            return OK, k, 1.0
        before = max(size, 1e-300)
    return NEWTON_FAILED, MOST, 0.5


@sweep
def collocate(rate, handle, d, h, loose):
    """(status, iterations, factor): Z for a step of size h; one Jacobian of before, one of now, one at every stage."""
    done = goal(d, loose*min(0.03, math.sqrt(0.1*power(rtol_of(d), 2.0/3.0))))
    status, k, shorter = NEWTON_FAILED, 0, 0.5
    if d.count[APART] == 0:
        there = d.rate
        if d.forces > 0:
            there = row(d, START)
            status = at_start(handle, d, there, d.count[PAST] != 0)
        else:
            status = OK
        if status == OK and stale(d):
            status = renew(rate, handle, d, there, row(d, R))
        while True:
            if status == OK:
                status = factor(d, h)
            if status == OK:
                guess(d, h)
                status, k, shorter = iterate(rate, handle, d, h, done, False)
            if status != NEWTON_FAILED or d.count[JACOBIAN] == NOW:
                break
            status = renew(rate, handle, d, there, row(d, R))
        if status != NEWTON_FAILED or d.forces > 0:
            return status, k, shorter
        d.count[TRIALS] = min(max(2*d.count[TRIALS], STRETCH), LONGEST)
        d.count[APART] = d.count[TRIALS]
    d.matrix[H_FACTORS] = 0.0
    guess(d, h)
    status = gather(rate, handle, d, h)
    if status == OK:
        status, k, shorter = iterate(rate, handle, d, h, done, True)
    if status == OK:
        status = factor_real(d, h)
    if status != OK:
        d.count[APART] = 0
    return status, k, shorter


@sweep
def carry_on(d):
    """The step is taken: what is left of the stretch, and the Jacobian at its last stage becomes that of before."""
    n, acting, second = d.n, core(d), d.count[SECOND] != 0
    m, J, last = unknowns(acting, second), jacobian_of(d), together(d)[0]
    if d.count[APART] > 0:
        for r in range(m):
            for j in range(m):
                J[(acting - m + r)*n + j] = last[r*m + j]
        d.count[APART] -= 1
        d.matrix[THETA] = calm(d)
    else:
        d.count[TRIALS] = max(d.count[TRIALS] - 1, 0)


@sweep
def carry_forces_on(d):
    """The step is taken: the polynomial of the forces, and those at its end are those of the next start."""
    m, now, past = d.forces, forces(d, 0), forces(d, S_PAST)
    for k in range(m):
        s0, s1, s2, s3 = now[k], forces(d, S)[k], forces(d, S + 1)[k], forces(d, S + 2)[k]
        for i in range(3):
            past[i*m + k] = three(P, i, s1 - s0, s2 - s0, s3 - s0)
        now[k] = s3

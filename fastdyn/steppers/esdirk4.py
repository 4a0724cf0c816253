"""The pair ESDIRK4(3)6L[2]SA: six stages, the first explicit, the others with one diagonal coefficient, L-stable.

Y_i = y + h sum_j<i a_ij K_j + h g K_i, K_i = f(t + c_i h, Y_i), the last Y the end of the step; K_i is taken from the
first equation, so that the iteration's rest is not multiplied by what is stiff. (c 1 - J) dY = K - c (Y - base),
c = 1/(g h). A stage whose iteration fails gets a Jacobian of its own place.
Source: [Kennedy & Carpenter 2016], table 16, with its dense output. Derivations in docs/theory/implicit.md.
"""

import math

import numpy as np

from .._address import shifted
from .._jit import kernel, leaf, sweep
from ..layout import COUNTED, FACTORINGS, ITERATIONS, SAFETY, TIME, WIDTH
from ..status import NEWTON_FAILED, NOT_FINITE, OK
from .between import looked_into, room
from .desk import ATTEMPT, COMMIT, FINISH, ask, copy, error_size, open_desk, scale_of
from .forces import ask_given, ask_newton, at_start, follow, forces, turn
from .linear import lu, shift, solve, unknowns
from .method import Method
from .newton import (
    BEFORE, H_FACTORS, H_PAST, JACOBIAN, NONE, PAST, SECOND, THETA, TURNED, calm, carried, core, gave_up, goal,
    in_reach, jacobian_at, jacobian_of, judged, next_size, numbers, renew, restart_newton, rtol_of, stale, taken)

R2 = math.sqrt(2.0)
G = 0.25
C = np.array([0.0, 0.5, (2.0 - R2)/4.0, 0.625, 1.04, 1.0])


def first_columns(i, *rest):
    """A row: the first two numbers are the same and give the sum c_i."""
    both = (C[i] - sum(rest) - G)/2.0
    return [both, both, *rest, G] + [0.0]*(3 - len(rest))


A = np.array([
    [0.0]*6, [G, G, 0.0, 0.0, 0.0, 0.0],
    [(1.0 - R2)/8.0, (1.0 - R2)/8.0, G, 0.0, 0.0, 0.0],
    first_columns(3, 7.0*(1.0 + R2)/32.0),
    first_columns(4, (506605.0 + 132109.0*R2)/437500.0, 166.0*(-97.0 + 376.0*R2)/109375.0),
    first_columns(5, 47.0*(-267.0 + 1783.0*R2)/273343.0, -16.0*(-22922.0 + 3525.0*R2)/571953.0,
                  -15625.0*(97.0 + 376.0*R2)/90749876.0),
])
LOW = np.array([0.0, -480923228411.0/4982971448372.0, 6709447293961.0/12833189095359.0, 3513175791894.0/6748737351361.0,
                -498863281070.0/6042575550617.0, 2077005547802.0/8945017530137.0])
LOW[0] = 1.0 - LOW.sum()
ERRORS = A[5] - LOW
_first = [11963910384665/12483345430363, -69996760330788/18526599551455, 32473635429419/7030701510665,
          -14668528638623/8083464301755]
DENSE = np.array([_first, _first, [
    -28603264624/1970169629981, 102610171905103/26266659717953, -38866317253841/6249835826165,
    21103455885091/7774428730952], [
    -3524425447183/2683177070205, 74957623907620/12279805097313, -26705717223886/4265677133337,
    30155591475533/15293695940061], [
    -17173522440186/10195024317061, 113853199235633/9983266320290, -121105382143155/6658412667527,
    119853375102088/14336240079991], [
    27308879169709/13030500014233, -84229392543950/6077740599399, 1102028547503824/51424476870755,
    -63602213973224/6753880425717]])                    # column j: of x^(j+1)
MOST = 6                                                # iterations of a stage
SHRINK, GROW = 0.2, 6.0
K, BASE, X, AT_END, LAST, Q_PAST, START, ROWS = 0, 6, 7, 8, 9, 10, 14, 15   # rows of Stepping.stage
S, S_PAST, S_STAGE = 1, 2, 5                            # rows of forces: at the stage, of a polynomial, at two stages
NODES = C[[2, 1, 5]]                                    # where that polynomial knows them besides the start
FORCE = np.linalg.inv(NODES[:, None]**np.arange(1, 4))  # row j: of x^(j+1)


@leaf
def row(d, i): return shifted(d.stage, i*d.blocks*WIDTH)


@sweep
def factor(d, h):
    """c 1 - J for a step of size h, unless it is there; a status."""
    if d.matrix[H_FACTORS] == h:
        return OK
    J, acting, second = jacobian_of(d), core(d), d.count[SECOND] != 0
    E = shifted(J, d.n*d.n)
    shift(J, E, d.n, acting, second, 1.0/(G*h), G*h)
    d.count[FACTORINGS] += 1
    status = lu(E, d.pivot, unknowns(acting, second))
    d.matrix[H_FACTORS] = h if status == OK else 0.0
    return status


@sweep
def guess(d, h, i):
    """`new`: what the last step's polynomial says of stage i, or the base."""
    size, stage = d.blocks*WIDTH, d.stage
    w = C[i]*carried(d, h)
    for at in range(size):
        total, u, power_of_u = 0.0, 1.0, 1.0
        for j in range(4):
            power_of_u *= 1.0 + w
            total += stage[(Q_PAST + j)*size + at]*(power_of_u - u)
        d.new[at] = d.y[at] + total if w > 0.0 else stage[BASE*size + at]
    if d.forces > 0:
        m, s, now, past = d.forces, forces(d, S), forces(d, 0), forces(d, S_PAST)
        for k in range(m):
            s[k] = now[k] + w*(past[k] + (2.0 + w)*past[m + k] + (3.0 + w*(3.0 + w))*past[2*m + k])


@sweep
def iterate(rate, handle, d, h, i, done):
    """Newton's iteration for stage i from `new` on; (status, iterations)."""
    n, c, base, x, before = d.n, 1.0/(G*h), row(d, BASE), row(d, X), 0.0
    status = factor(d, h)
    if status != OK:
        return status, 0
    J = jacobian_of(d)
    E = shifted(J, n*n)
    for k in range(MOST):
        status = ask_newton(rate, handle, d, d.clock[TIME] + C[i]*h, d.new, S, x)
        if status != OK:
            return status, k
        d.count[ITERATIONS] += 1
        for at in range(n):
            x[at] -= c*(d.new[at] - base[at])
        solve(J, E, d.pivot, n, core(d), d.count[SECOND] != 0, c, x)
        if d.forces > 0:
            follow(d, S, x)
        total = 0.0
        for at in range(n):
            d.new[at] += x[at]
            part = x[at]/scale_of(d, at, d.y[at], d.y[at])
            total += part*part
        size = math.sqrt(total/d.setting[COUNTED])
        if not size < math.inf:
            return NOT_FINITE, k
        enough = in_reach(d, done, d.new)
        theta = size/before if k > 0 else 1.0
        if k > 0:
            d.matrix[THETA] = max(d.matrix[THETA], theta)
        if size <= enough or (0 < k and theta < 1.0 and theta/(1.0 - theta)*size <= enough):
            return OK, k + 1
        if k > 0 and theta >= 0.9:
            break
        before = max(size, 1e-300)
    return NEWTON_FAILED, MOST


@sweep
def stages(rate, handle, d, h):
    """(status, most iterations): all K, and `new`."""
    size, stage, c = d.blocks*WIDTH, d.stage, 1.0/(G*h)
    done, most = goal(d, min(0.03, math.sqrt(rtol_of(d)))), 1
    there, status = d.rate, OK
    if d.forces > 0:
        there = row(d, START)
        status = at_start(handle, d, there, d.count[PAST] != 0)
    if status == OK and stale(d):
        status = renew(rate, handle, d, there, row(d, X))
    copy(row(d, LAST) if carried(d, h) > 0.0 else d.rate, row(d, K), d.blocks)
    d.matrix[THETA] = calm(d)
    for i in range(1, 6):
        if status != OK:
            break
        for at in range(size):
            total = 0.0
            for j in range(i):
                total += A[i, j]*stage[(K + j)*size + at]
            stage[BASE*size + at] = d.y[at] + h*total
        guess(d, h, i)
        status, k = iterate(rate, handle, d, h, i, done)
        if status == NEWTON_FAILED:
            guess(d, h, i)
            t = d.clock[TIME] + C[i]*h
            status = ask_given(rate, handle, d, t, d.new, S, row(d, AT_END))
            if status == OK and d.forces > 0:
                d.matrix[H_FACTORS] = 0.0
                status = turn(handle, d, t, d.new, S, row(d, AT_END), jacobian_of(d), row(d, X))
            elif status == OK:
                status = jacobian_at(rate, handle, d, t, d.new, S, row(d, AT_END), row(d, X))
            d.count[JACOBIAN], d.count[TURNED] = min(d.count[JACOBIAN], BEFORE), 0
            if status == OK:
                status, k = iterate(rate, handle, d, h, i, done)
        most = max(most, k)
        for at in range(size):
            stage[(K + i)*size + at] = c*(d.new[at] - stage[BASE*size + at])
        if i < 3:
            for k in range(d.forces):
                forces(d, S_STAGE + i - 1)[k] = forces(d, S)[k]
    return status, most


@sweep
def carry_forces_on(d):
    """The step is taken: the polynomial of the forces, and those at its end are those of the next start."""
    m, now, end, past = d.forces, forces(d, 0), forces(d, S), forces(d, S_PAST)
    at_half, early = forces(d, S_STAGE), forces(d, S_STAGE + 1)
    for k in range(m):
        for j in range(3):
            past[j*m + k] = (FORCE[j, 0]*(early[k] - now[k]) + FORCE[j, 1]*(at_half[k] - now[k])
                             + FORCE[j, 2]*(end[k] - now[k]))
        now[k] = end[k]


@sweep
def estimate(d, h):
    """The difference from the solution of order three, what is stiff in it filtered; one where it is just allowed."""
    n, size, stage, x, c, J = d.n, d.blocks*WIDTH, d.stage, row(d, X), 1.0/(G*h), jacobian_of(d)
    for at in range(n):
        total = 0.0
        for j in range(6):
            total += ERRORS[j]*stage[(K + j)*size + at]
        x[at] = c*h*total
    solve(J, shifted(J, n*n), d.pivot, n, core(d), d.count[SECOND] != 0, c, x)
    return max(error_size(d, x), 1e-10)


@kernel(ATTEMPT)
def attempt(rate, handle, desk, h):
    d = open_desk(desk)
    status, k = stages(rate, handle, d, h)
    if status != OK:
        d.matrix[THETA] = 1.0
        if d.forces > 0:
            d.count[JACOBIAN] = NONE
        return gave_up(d, h, 0.4*h, status)
    error = estimate(d, h)
    ahead = next_size(d, h, error, 0.25, d.setting[SAFETY]*(1 + MOST)/(k + MOST))
    return judged(d, h, error, ahead, min(ahead, h), calm(d))


@kernel(FINISH)
def close(rate, handle, desk, h):
    """The rate at the end; the polynomial, which the next step starts from whether somebody looks or not."""
    d = open_desk(desk)
    size = d.blocks*WIDTH
    copy(d.y, d.dense, d.blocks)
    for j in range(4):
        for at in range(size):
            total = 0.0
            for i in range(6):
                total += DENSE[i, j]*d.stage[(K + i)*size + at]
            d.dense[(j + 1)*size + at] = h*total
    return ask(rate, handle, d, d.clock[TIME] + h, d.new, row(d, AT_END))


@kernel(COMMIT)
def commit(desk, h):
    d = open_desk(desk)
    size = d.blocks*WIDTH
    for j in range(4):
        copy(shifted(d.dense, (j + 1)*size), row(d, Q_PAST + j), d.blocks)
    copy(row(d, K + 5), row(d, LAST), d.blocks)
    copy(row(d, AT_END), d.rate, d.blocks)
    if d.forces > 0:
        carry_forces_on(d)
    taken(d)
    d.matrix[H_PAST], d.count[PAST] = h, 1
    return OK


def method():
    (work, besides), (prepare, interpolate) = room(4), looked_into(4, 1.0/G, AT_END, ROWS, True)
    return Method(name="esdirk4", order=4, error_order=4, stages=ROWS + work, polynomials=5 + besides,
                  damp=0.0, shrink=SHRINK, grow=GROW, restart=restart_newton, attempt=attempt, close=close,
                  prepare=prepare, interpolate=interpolate, commit=commit, takes_forces=True,
                  matrices=lambda n, forces: numbers(n, forces) + 2*n*n, pivots=lambda n: n)

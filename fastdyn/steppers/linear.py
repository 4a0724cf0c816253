"""Small dense systems of implicit methods, real and complex: elimination by rows with exchanges, on bare addresses.

A matrix of m unknowns is m*m numbers by rows; a complex one is two such matrices. One routine for every size: nothing
depends on a library, so the bits are the same everywhere. WIDTH columns are eliminated first, then what is behind them,
register by register: every number gets the same sums in the same order as one column at a time would give it. Figures
against LAPACK in docs/theory/implicit.md.

A Jacobian has n rows; the last n - k components act on no rate, and its columns are zero there: they follow from k.
"""

import math

import numpy as np

from .._address import shifted
from .._jit import leaf, pointer, sweep
from .._registers import load, store
from ..layout import WIDTH
from ..status import NEWTON_FAILED, NOT_FINITE, OK

U = np.uint64
MASK = -np.repeat([0.0, 1.0], WIDTH)


@sweep
def lu(A, pivot, m):
    """A becomes its factors, `pivot` the exchanges; NEWTON_FAILED where it is singular."""
    for first in range(0, m, WIDTH):
        end = min(first + WIDTH, m)
        for k in range(first, end):
            top, row, most = k*m, k, abs(A[k*m + k])
            for i in range(k + 1, m):
                if abs(A[i*m + k]) > most:
                    row, most = i, abs(A[i*m + k])
            pivot[k] = row
            if not 0.0 < most < math.inf:
                return NEWTON_FAILED if most == 0.0 else NOT_FINITE
            if row != k:
                for j in range(m):
                    A[top + j], A[row*m + j] = A[row*m + j], A[top + j]
            r = 1.0/A[top + k]
            if end - first < WIDTH:
                for i in range(k + 1, m):
                    at = i*m
                    x = A[at + k]*r
                    A[at + k] = x
                    for j in range(k + 1, m):
                        A[at + j] -= x*A[top + j]
            else:
                u = behind(A, top + first, k + 1 - first)
                for i in range(k + 1, m):
                    at = i*m
                    x = A[at + k]*r
                    put(A, at + first, take(A, at + first) + x*u)
                    A[at + k] = x
        if end < m:
            finish(A, first, end, m)
    return OK


@sweep
def finish(A, first, end, m):
    """What a panel of WIDTH columns does to the columns behind it."""
    for j in range(end, m, WIDTH):
        at, new = min(j, m - WIDTH), j - min(j, m - WIDTH)          # the last columns go with some that are done
        for i in range(first + 1, end):
            c = take(A, i*m + at)
            for k in range(first, i):
                c = c + A[i*m + k]*behind(A, k*m + at, new)
            put(A, i*m + at, c)
        fours = end + 4*((m - end)//4)
        for i in range(end, fours, 4):
            a, b, c, e = i*m, (i + 1)*m, (i + 2)*m, (i + 3)*m
            p, q, r, s = take(A, a + at), take(A, b + at), take(A, c + at), take(A, e + at)
            for k in range(first, end):
                u = behind(A, k*m + at, new)
                p, q, r, s = p + A[a + k]*u, q + A[b + k]*u, r + A[c + k]*u, s + A[e + k]*u
            put(A, a + at, p)
            put(A, b + at, q)
            put(A, c + at, r)
            put(A, e + at, s)
        for i in range(fours, m):
            c = take(A, i*m + at)
            for k in range(first, end):
                c = c + A[i*m + k]*behind(A, k*m + at, new)
            put(A, i*m + at, c)


@leaf
def take(A, at): return load(A, U(at))


@leaf
def put(A, at, numbers): store(A, U(at), numbers)


@leaf
def behind(A, at, done):
    """Less a register, of which the first `done` numbers do not count"""
    return take(A, at)*load(pointer(MASK), U(WIDTH - done))


@sweep
def complex_lu(A, B, pivot, m):
    """A + iB becomes its factors, `pivot` the exchanges; NEWTON_FAILED where it is singular."""
    for first in range(0, m, WIDTH):
        end = min(first + WIDTH, m)
        for k in range(first, end):
            top, row, most = k*m, k, abs(A[k*m + k]) + abs(B[k*m + k])
            for i in range(k + 1, m):
                size = abs(A[i*m + k]) + abs(B[i*m + k])
                if size > most:
                    row, most = i, size
            pivot[k] = row
            if not 0.0 < most < math.inf:
                return NEWTON_FAILED if most == 0.0 else NOT_FINITE
            if row != k:
                for j in range(m):
                    A[top + j], A[row*m + j] = A[row*m + j], A[top + j]
                    B[top + j], B[row*m + j] = B[row*m + j], B[top + j]
            ra, rb = reciprocal(A[top + k], B[top + k])
            whole = end - first == WIDTH
            for i in range(k + 1, m):
                at = i*m
                a, b = A[at + k], B[at + k]
                x, y = a*ra - b*rb, a*rb + b*ra
                if whole:
                    u, v = behind(A, top + first, k + 1 - first), behind(B, top + first, k + 1 - first)
                    put(A, at + first, take(A, at + first) + (x*u + -y*v))
                    put(B, at + first, take(B, at + first) + (x*v + y*u))
                A[at + k], B[at + k] = x, y
                for j in range(m if whole else k + 1, m):
                    u, v = A[top + j], B[top + j]
                    A[at + j] -= x*u - y*v
                    B[at + j] -= x*v + y*u
        if end < m:
            complex_finish(A, B, first, end, m)
    return OK


@sweep
def complex_finish(A, B, first, end, m):
    """What a panel of WIDTH columns does to the columns behind it."""
    for j in range(end, m, WIDTH):
        at, new = min(j, m - WIDTH), j - min(j, m - WIDTH)
        for i in range(first + 1, m):
            row, p, q = i*m, take(A, i*m + at), take(B, i*m + at)
            for k in range(first, min(i, end)):
                x, y, u, v = A[row + k], B[row + k], behind(A, k*m + at, new), behind(B, k*m + at, new)
                p, q = p + (x*u + -y*v), q + (x*v + y*u)
            put(A, row + at, p)
            put(B, row + at, q)


@leaf
def reciprocal(a, b):
    """1/(a + ib)"""
    r = 1.0/(a*a + b*b)
    return a*r, -b*r


@leaf
def dot(A, at, x, begin, end):
    """Sum of A[at + j] x[j], j from begin to before end: four sums side by side, so that they do not wait in line."""
    s0 = s1 = s2 = s3 = 0.0
    fours = begin + 4*((end - begin)//4)
    for j in range(begin, fours, 4):
        s0 += A[at + j]*x[j]
        s1 += A[at + j + 1]*x[j + 1]
        s2 += A[at + j + 2]*x[j + 2]
        s3 += A[at + j + 3]*x[j + 3]
    for j in range(fours, end):
        s0 += A[at + j]*x[j]
    return (s0 + s1) + (s2 + s3)


@sweep
def lu_solve(A, pivot, x, m):
    """x becomes the solution, from the factors."""
    for k in range(m):
        x[k], x[pivot[k]] = x[pivot[k]], x[k]
    for i in range(1, m):
        x[i] -= dot(A, i*m, x, 0, i)
    for i in range(m - 1, -1, -1):
        x[i] = (x[i] - dot(A, i*m, x, i + 1, m))/A[i*m + i]


@sweep
def complex_lu_solve(A, B, pivot, x, y, m):
    """x + iy becomes the solution, from the factors."""
    for k in range(m):
        x[k], x[pivot[k]] = x[pivot[k]], x[k]
        y[k], y[pivot[k]] = y[pivot[k]], y[k]
    for i in range(1, m):
        u, v = complex_dot(A, B, i*m, x, y, 0, i)
        x[i], y[i] = x[i] - u, y[i] - v
    for i in range(m - 1, -1, -1):
        u, v = complex_dot(A, B, i*m, x, y, i + 1, m)
        ra, rb = reciprocal(A[i*m + i], B[i*m + i])
        u, v = x[i] - u, y[i] - v
        x[i], y[i] = u*ra - v*rb, u*rb + v*ra


@leaf
def complex_dot(A, B, at, x, y, begin, end):
    """Sum of (A + iB)[at + j] (x + iy)[j], j from begin to before end"""
    p = q = r = s = 0.0
    for j in range(begin, end):
        a, b, u, v = A[at + j], B[at + j], x[j], y[j]
        p += a*u
        q += b*v
        r += a*v
        s += b*u
    return p - q, r + s


# ------------------------------------------------ c 1 - J, and its form where the first half's rates are the other half

@leaf
def unknowns(k, second):
    """Size of the system that is truly solved"""
    return k//2 if second else k


@sweep
def shift(J, E, n, k, second, c, w):
    """E = c 1 - J, or of J = (0 1; A B) what is left of it for the other half, c 1 - B - w A."""
    m = unknowns(k, second)
    for i in range(m):
        for j in range(m):
            E[i*m + j] = -J[(m + i)*n + m + j] - w*J[(m + i)*n + j] if second else -J[i*n + j]
        E[i*m + i] += c


@sweep
def complex_shift(J, E, F, n, k, second, a, b):
    """E + iF = c 1 - J, or of J = (0 1; A B) what is left of it for the other half, c 1 - B - A/c, c = a + ib."""
    m = unknowns(k, second)
    wa, wb = reciprocal(a, b)
    for i in range(m):
        for j in range(m):
            s = J[(m + i)*n + j] if second else 0.0
            E[i*m + j] = -J[(m + i)*n + m + j] - wa*s if second else -J[i*n + j]
            F[i*m + j] = -wb*s
        E[i*m + i] += a
        F[i*m + i] += b


@sweep
def solve(J, E, pivot, n, k, second, c, x):
    """x becomes (c 1 - J)^-1 x, E being factored."""
    m = unknowns(k, second)
    if second:
        for i in range(m):
            x[i] /= c
        for i in range(m):
            x[m + i] += dot(J, (m + i)*n, x, 0, m)
        lu_solve(E, pivot, shifted(x, m), m)
        for i in range(m):
            x[i] += x[m + i]/c
    else:
        lu_solve(E, pivot, x, m)
    for i in range(k, n):
        x[i] = (x[i] + dot(J, i*n, x, 0, k))/c


@sweep
def complex_solve(J, E, F, pivot, n, k, second, a, b, x, y):
    """x + iy becomes ((a + ib) 1 - J)^-1 (x + iy), E + iF being factored."""
    m = unknowns(k, second)
    wa, wb = reciprocal(a, b)
    if second:
        for i in range(m):
            x[i], y[i] = x[i]*wa - y[i]*wb, x[i]*wb + y[i]*wa
        for i in range(m):
            x[m + i] += dot(J, (m + i)*n, x, 0, m)
            y[m + i] += dot(J, (m + i)*n, y, 0, m)
        complex_lu_solve(E, F, pivot, shifted(x, m), shifted(y, m), m)
        for i in range(m):
            u, v = x[m + i], y[m + i]
            x[i] += u*wa - v*wb
            y[i] += u*wb + v*wa
    else:
        complex_lu_solve(E, F, pivot, x, y, m)
    for i in range(k, n):
        u, v = x[i] + dot(J, i*n, x, 0, k), y[i] + dot(J, i*n, y, 0, k)
        x[i], y[i] = u*wa - v*wb, u*wb + v*wa

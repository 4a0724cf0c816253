"""Exact derivatives along the values of a chart: of D, and of vectors turned into the link's components and back.

Euler angles by the product rule with dB_k/dx = -[e_k cross] B_k; D and C of rotation vectors and of Rodrigues
parameters are of one form, c0 x - c1 p x x + c2 p x (p x x) with numbers c of p.p. See docs/theory/attitude.md.
"""

from .._jit import int64, kernel, leaf
from ..status import OK
from .charts import (
    MATRIX, RODRIGUES, ROTATION_VECTOR, SMALL, axes, chart_columns, row3, turned_back, unit, vector_numbers)
from .vectors import add, cross, dot, scale, sub

ZERO = (0.0, 0.0, 0.0)


# ---- rotation vectors and Rodrigues parameters
@leaf
def number_slopes(tt, h, k):
    """d/d(t^2) of h = (1 - cos t)/t^2 and of k = (t - sin t)/t^3"""
    if tt < SMALL:
        dh, dk, up, down = 0.0, 0.0, 1.0, 24.0          # sums of (-1)^i i t^(2i - 2)/(2i + 2)! and /(2i + 3)!
        for i in range(1, 10):
            dh -= i*up/down
            dk -= i*up/(down*(2*i + 3))
            up, down = -tt*up, down*((2*i + 3)*(2*i + 4))
        return dh, dk
    return (0.5*(1.0 - tt*k) - h)/tt, 0.5*(h - 3.0*k)/tt


@leaf
def matrix_numbers(chart, pp):
    """(c0, c1, c2) of D and their d/d(p.p)"""
    if chart == ROTATION_VECTOR:
        h, k = vector_numbers(pp)
        return (1.0, h, k), (0.0,) + number_slopes(pp, h, k)
    n = 1.0/(1.0 + pp)
    return (4.0*n, 8.0*n*n, 8.0*n*n), (-4.0*n*n, -16.0*n*n*n, -16.0*n*n*n)


@leaf
def turn_numbers(chart, pp):
    """(c0, c1, c2) of C and their d/d(p.p)"""
    if chart == ROTATION_VECTOR:
        h, k = vector_numbers(pp)
        return (1.0, 1.0 - pp*k, h), (0.0, 0.5*(k - h), number_slopes(pp, h, k)[0])
    n = 1.0/(1.0 + pp)
    return (1.0, 4.0*(1.0 - pp)*n*n, 8.0*n*n), (0.0, 4.0*(pp - 3.0)*n*n*n, -16.0*n*n*n)


@leaf
def slope(c, dc, p, x, f):
    """Along f: d(c0 x - c1 p x x + c2 p x (p x x))"""
    px, fx = cross(p, x), cross(f, x)
    of_numbers = add(scale(dc[0], x), sub(scale(dc[2], cross(p, px)), scale(dc[1], px)))
    of_p = sub(scale(c[2], add(cross(f, px), cross(p, fx))), scale(c[1], fx))
    return add(scale(2.0*dot(p, f), of_numbers), of_p)


# ---- all charts
@leaf
def column_slopes(chart, x, k):
    """d/dx_k of the three columns of D"""
    f = unit(k)
    if chart == ROTATION_VECTOR or chart == RODRIGUES:
        c, dc = matrix_numbers(chart, dot(x, x))
        return slope(c, dc, x, unit(0), f) + slope(c, dc, x, unit(1), f) + slope(c, dc, x, unit(2), f)
    a, b, c = axes(chart)
    if k == 0:
        return ZERO + ZERO + ZERO
    if k == 1:
        return turned_back(c, x[2], cross(turned_back(b, x[1], unit(a)), unit(b))) + ZERO + ZERO
    first, second, _ = chart_columns(chart, x)
    return cross(first, unit(c)) + cross(second, unit(c)) + ZERO


@leaf
def turned_slope(chart, x, y, k):
    """d(C y)/dx_k"""
    if chart == ROTATION_VECTOR or chart == RODRIGUES:
        c, dc = turn_numbers(chart, dot(x, x))
        return slope(c, dc, x, y, unit(k))
    a, b, c = axes(chart)
    y = turned_back(a, x[0], y)
    if k == 0:
        y = cross(y, unit(a))
    y = turned_back(b, x[1], y)
    if k == 1:
        y = cross(y, unit(b))
    y = turned_back(c, x[2], y)
    return cross(y, unit(c)) if k == 2 else y


@leaf
def returned_slope(chart, x, y, k):
    """d(C'y)/dx_k"""
    if chart == ROTATION_VECTOR or chart == RODRIGUES:
        c, dc = turn_numbers(chart, dot(x, x))
        back, f = scale(-1.0, x), unit(k)
        return scale(-1.0, slope(c, dc, back, y, f))
    a, b, c = axes(chart)
    y = turned_back(c, -x[2], y)
    if k == 2:
        y = cross(unit(c), y)
    y = turned_back(b, -x[1], y)
    if k == 1:
        y = cross(unit(b), y)
    y = turned_back(a, -x[0], y)
    return cross(unit(a), y) if k == 0 else y


# ---- many at once: rows of matrices
@kernel(int64(int64, MATRIX, MATRIX))
def matrices(chart, x, D):
    """D[i]: the nine numbers of D at x[i], row by row"""
    for i in range(x.shape[0]):
        a, b, c = chart_columns(chart, row3(x, i))
        for k in range(3):
            put_at(D, i, 3*k, (a[k], b[k], c[k]))
    return OK


@kernel(int64(int64, MATRIX, MATRIX, MATRIX))
def matrix_rates(chart, x, rate, D_rate):
    """D_rate[i]: the nine numbers of dD/dt at x[i] of rates rate[i], row by row"""
    for i in range(x.shape[0]):
        for c in range(9):
            D_rate[i, c] = 0.0
        for k in range(3):
            s = column_slopes(chart, row3(x, i), k)
            for c in range(9):
                D_rate[i, 3*(c % 3) + c//3] += rate[i, k]*s[c]
    return OK


@kernel(int64(int64, MATRIX, MATRIX, MATRIX, MATRIX))
def gradients(chart, x, rate, y, slopes):
    """slopes[i]: dw/dx, d(C y)/dx, d(C'y)/dx at x[i], nine numbers each, a row for each value of the chart"""
    for i in range(x.shape[0]):
        at, vector = row3(x, i), row3(y, i)
        for k in range(3):
            s = column_slopes(chart, at, k)
            w = add(add(scale(rate[i, 0], (s[0], s[1], s[2])), scale(rate[i, 1], (s[3], s[4], s[5]))),
                    scale(rate[i, 2], (s[6], s[7], s[8])))
            put_at(slopes, i, 3*k, w)
            put_at(slopes, i, 9 + 3*k, turned_slope(chart, at, vector, k))
            put_at(slopes, i, 18 + 3*k, returned_slope(chart, at, vector, k))
    return OK


@leaf
def put_at(X, i, at, x):
    for c in range(len(x)):
        X[i, at + c] = x[c]

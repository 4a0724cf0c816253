"""Loops over rows of numbers that the compiler makes vectors of: every pointer is to numbers of its own."""

from .._jit import lane, leaf, unknown
from .layout import WIDE, stride

stride_of = leaf(stride)


@lane
def joined(count, a, x, out):
    """out += a x"""
    for k in range(count):
        out[k] += a*x[k]


@lane
def joined_twice(count, a, b, x, first, second):
    """first += a x, second += b x"""
    for k in range(count):
        y = x[k]
        first[k] += a*y
        second[k] += b*y


@lane
def weighted(n, m, width, G, x, out):
    """n rows of m numbers, each the sum of six by the numbers G, at every `width` of out; the rest of a row is left"""
    g0, g1, g2, g3, g4, g5 = G[0], G[1], G[2], G[3], G[4], G[5]
    for f in range(n):
        i, o = 6*m*f, width*f
        for k in range(unknown(m)):
            out[o + k] = (g0*x[i + k] + g1*x[i + m + k] + g2*x[i + 2*m + k] + g3*x[i + 3*m + k] + g4*x[i + 4*m + k]
                          + g5*x[i + 5*m + k])


@lane
def all_weighted(count, G, x, out):
    """out += sum of 21 rows of x, each `count` long, by the numbers G"""
    for k in range(count):
        t = out[k]
        for i in range(21):
            t += G[i]*x[k + i*count]
        out[k] = t


@lane
def less(y, w0, w1, w2, w3, r0, r1, r2, r3):
    """Four rows less multiples of y"""
    for c in range(unknown(WIDE)):
        t = y[c]
        r0[c] -= w0*t
        r1[c] -= w1*t
        r2[c] -= w2*t
        r3[c] -= w3*t


@lane
def moved(count, T, r0, r1, r2, r3):
    """Rows of the numbers 0 to 3 of a homogeneous vector: (r0, r1, r2) = T r, T a 3x4 transform; `count` columns"""
    a0, a1, a2, a3 = T[0], T[1], T[2], T[3]
    b0, b1, b2, b3 = T[4], T[5], T[6], T[7]
    c0, c1, c2, c3 = T[8], T[9], T[10], T[11]
    for c in range(unknown(count)):
        x, y, z, w = r0[c], r1[c], r2[c], r3[c]
        r0[c] = a0*x + a1*y + a2*z + a3*w
        r1[c] = b0*x + b1*y + b2*z + b3*w
        r2[c] = c0*x + c1*y + c2*z + c3*w


@lane
def turned_rows(s, c, r0, r1):
    """(r0, r1) = (c r0 - s r1, s r0 + c r1)"""
    for k in range(unknown(WIDE)):
        x, y = r0[k], r1[k]
        r0[k] = c*x - s*y
        r1[k] = s*x + c*y


@lane
def gathered(g, x, out):
    """out = twelve rows of x by the numbers g"""
    for k in range(unknown(WIDE)):
        t = g[0]*x[k]
        for i in range(1, 12):
            t += g[i]*x[k + i*WIDE]
        out[k] = t


@lane
def gathered_last(g, x, out):
    """The same with the last three rows only"""
    for k in range(unknown(WIDE)):
        out[k] = g[9]*x[k + 9*WIDE] + g[10]*x[k + 10*WIDE] + g[11]*x[k + 11*WIDE]


@lane
def six_joined(count, g, x, step, out):
    """out += six rows of x, `step` apart, by the numbers g"""
    g0, g1, g2, g3, g4, g5 = g
    for k in range(unknown(count)):
        out[k] += (g0*x[k] + g1*x[k + step] + g2*x[k + 2*step] + g3*x[k + 3*step] + g4*x[k + 4*step]
                   + g5*x[k + 5*step])


@lane
def four_less(count, a, b, c, d, x, step, out):
    """out less four rows of x, `step` apart"""
    for k in range(unknown(count)):
        out[k] = (((out[k] - a*x[k]) - b*x[k + step]) - c*x[k + 2*step]) - d*x[k + 3*step]

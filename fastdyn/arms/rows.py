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
def weighted(count, G, x, out):
    """out = sum of six rows of x, each `count` long, by the numbers G"""
    g0, g1, g2, g3, g4, g5 = G[0], G[1], G[2], G[3], G[4], G[5]
    for k in range(count):
        out[k] = (g0*x[k] + g1*x[k + count] + g2*x[k + 2*count] + g3*x[k + 3*count] + g4*x[k + 4*count]
                  + g5*x[k + 5*count])


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

"""A section of a flexible link in the frame of the link: where it is, how it is turned, and all derivatives.

Place r = (eta + sum d_j (x_j - 1/2 sum_f d_f s_jf), sum d_j y_j, sum d_j z_j); turn Theta(phi) = 1 + skew(phi) or
exp(skew(phi)). Derivation: docs/theory/spatial_flexible.md.
"""

import math

from .._jit import leaf, sweep
from ..algebra.vectors import add, cross, dot, scale
from .layout import AXIAL, BEND_Y, BEND_Z, FIRST, MODES

SERIES = 1.0                                                # |phi|^2 below which the series are summed
TERMS = 14
SINE = tuple((-1.0)**m/math.factorial(2*m + 1) for m in range(TERMS))
VERSINE = tuple((-1.0)**m/math.factorial(2*m + 2) for m in range(TERMS))


@leaf
def rotation_terms(x):
    """(a, b, a', b', a'', b'') of exp = 1 + a Phi + b Phi^2 at x = |phi|^2, derivatives by x"""
    if x > SERIES:
        th = math.sqrt(x)
        a, b, c = math.sin(th)/th, (1.0 - math.cos(th))/x, math.cos(th)
        da, db = 0.5*(c - a)/x, (0.5*a - b)/x
        return a, b, da, db, -(0.5*a + 3.0*da)/(2.0*x), (0.5*da - 2.0*db)/x
    a = b = da = db = dda = ddb = 0.0
    for m in range(TERMS - 1, -1, -1):                      # Horner's scheme and its derivatives
        dda, ddb = dda*x + 2.0*da, ddb*x + 2.0*db
        da, db = da*x + a, db*x + b
        a, b = a*x + SINE[m], b*x + VERSINE[m]
    return a, b, da, db, dda, ddb


@leaf
def turned(exact, t, phi, e):
    """Theta e"""
    if not exact:
        return add(e, cross(phi, e))
    u = cross(phi, e)
    return add(e, add(scale(t[0], u), scale(t[1], cross(phi, u))))


@leaf
def turning(exact, t, phi, v, e):
    """Derivative of Theta e as phi changes by v"""
    if not exact:
        return cross(v, e)
    u, w = cross(phi, e), cross(v, e)
    first = add(scale(t[0], w), scale(t[1], add(cross(v, u), cross(phi, w))))
    return add(first, scale(2.0*dot(phi, v), add(scale(t[2], u), scale(t[3], cross(phi, u)))))


@leaf
def turning_twice(exact, t, phi, v, e):
    """Second derivative of Theta e along v"""
    if not exact:
        return 0.0, 0.0, 0.0
    u, w, s, ss = cross(phi, e), cross(v, e), 2.0*dot(phi, v), 2.0*dot(v, v)
    both = add(scale(t[2]*ss + t[4]*s*s, u), scale(t[3]*ss + t[5]*s*s, cross(phi, u)))
    mixed = scale(2.0*s, add(scale(t[2], w), scale(t[3], add(cross(v, u), cross(phi, w)))))
    return add(both, add(mixed, scale(2.0*t[1], cross(v, w))))


@leaf
def drawn_with(link, f):
    """Where modes begin and end that draw the link in together with mode f: those of its plane"""
    x, y = link[AXIAL], link[AXIAL] + link[BEND_Y]
    z = y + link[BEND_Z]
    return (f, f) if f < x or f >= z else ((x, y) if f < y else (y, z))


@sweep
def place(table, at, link, q, v, sd):
    """((r, r', r''* ), (phi, phi')) of a point; `sd` takes s d of every mode."""
    n, first = link[MODES], link[FIRST]
    shape, short = at + 2, at + 2 + 6*n
    x, y, z, a, b, c = table[at], 0.0, 0.0, 0.0, 0.0, 0.0
    dx, dy, dz, da, db, dc, ddx = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for f in range(n):
        s = u = 0.0
        begin, end = drawn_with(link, f)
        for j in range(begin, end):
            s += table[short + n*f + j]*q[first + j]
            u += table[short + n*f + j]*v[first + j]
        sd[f] = s
        d, w = q[first + f], v[first + f]
        x += d*(table[shape + f] - 0.5*s)
        dx += w*(table[shape + f] - s)
        ddx -= w*u
        y, dy = y + d*table[shape + n + f], dy + w*table[shape + n + f]
        z, dz = z + d*table[shape + 2*n + f], dz + w*table[shape + 2*n + f]
        a, da = a + d*table[shape + 3*n + f], da + w*table[shape + 3*n + f]
        b, db = b + d*table[shape + 4*n + f], db + w*table[shape + 4*n + f]
        c, dc = c + d*table[shape + 5*n + f], dc + w*table[shape + 5*n + f]
    return ((x, y, z), (dx, dy, dz), (ddx, 0.0, 0.0)), ((a, b, c), (da, db, dc))


@leaf
def shape_of(table, at, n, f, s):
    """(r,f ; phi,f) of mode f at a point; s = (s d)_f there"""
    i = at + 2 + f
    return (table[i] - s, table[i + n], table[i + 2*n]), (table[i + 3*n], table[i + 4*n], table[i + 5*n])

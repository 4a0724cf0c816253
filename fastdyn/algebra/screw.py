"""Turning by E = (about x by alpha)(about z by q): two plane rotations instead of a full matrix.

ca, sa are cos and sin of alpha, c, s those of q. E turns components of the inner frame into the outer's.
Blocks with a zero z row, as they stand after a joint about z is eliminated, keep their zeros unmultiplied.
"""

from collections.abc import Callable
from typing import NamedTuple

from .._jit import leaf
from .rotation import turn_x_sym, turn_z_sym


@leaf
def screw_out(x, c, s, ca, sa):
    """E x"""
    y = s*x[0] + c*x[1]
    return c*x[0] - s*x[1], ca*y - sa*x[2], sa*y + ca*x[2]


@leaf
def screw_in(x, c, s, ca, sa):
    """E' x"""
    y = ca*x[1] + sa*x[2]
    return c*x[0] + s*y, c*y - s*x[0], ca*x[2] - sa*x[1]


@leaf
def screw_sym(S, c, s, ca, sa):
    """E S E', S symmetric"""
    return turn_x_sym(turn_z_sym(S, s, c), sa, ca)


@leaf
def screw_flat_sym(B, c, s, ca, sa):
    """E S E' for S = [[a, b, 0], [b, d, 0], [0, 0, 0]], B = (a, b, d)"""
    u = s*(B[0] - B[2]) + 2.0*c*B[1]
    b, d = c*u - B[1], B[2] + s*u
    return B[0] - s*u, ca*b, sa*b, ca*(ca*d), ca*(sa*d), sa*(sa*d)


@leaf
def screw_flat_mat(h0, h1, c, s, ca, sa):
    """E H E' for H with the rows h0, h1, 0"""
    u = s*(h0[0] - h1[1]) + c*(h0[1] + h1[0])
    b, d, e = c*u - h1[0], c*h0[2] - s*h1[2], c*u - h0[1]
    g, h = h1[1] + s*u, s*h0[2] + c*h1[2]
    v = sa*g + ca*h
    return h0[0] - s*u, ca*b - sa*d, sa*b + ca*d, ca*e, g - sa*v, ca*v, sa*e, ca*v - h, sa*v


# ---- alpha a quarter turn: (x, y, z) becomes (x, -z, y), and nothing is multiplied for it; ca, sa are not used


@leaf
def square_out(x, c, s, ca, sa):
    """E x"""
    return c*x[0] - s*x[1], -x[2], s*x[0] + c*x[1]


@leaf
def square_in(x, c, s, ca, sa):
    """E' x"""
    return c*x[0] + s*x[2], c*x[2] - s*x[0], -x[1]


@leaf
def square_sym(S, c, s, ca, sa):
    """E S E', S symmetric"""
    S = turn_z_sym(S, s, c)
    return S[0], -S[2], S[1], S[5], -S[4], S[3]


@leaf
def square_flat_sym(B, c, s, ca, sa):
    """E S E' for S = [[a, b, 0], [b, d, 0], [0, 0, 0]], B = (a, b, d)"""
    u = s*(B[0] - B[2]) + 2.0*c*B[1]
    return B[0] - s*u, 0.0, c*u - B[1], 0.0, 0.0, B[2] + s*u


@leaf
def square_flat_mat(h0, h1, c, s, ca, sa):
    """E H E' for H with the rows h0, h1, 0"""
    u = s*(h0[0] - h1[1]) + c*(h0[1] + h1[0])
    return (h0[0] - s*u, s*h1[2] - c*h0[2], c*u - h1[0], 0.0, 0.0, 0.0,
            c*u - h0[1], -(s*h0[2] + c*h1[2]), h1[1] + s*u)


# ---- alpha zero: the axes are parallel


@leaf
def level_out(x, c, s, ca, sa):
    """E x"""
    return c*x[0] - s*x[1], s*x[0] + c*x[1], x[2]


@leaf
def level_in(x, c, s, ca, sa):
    """E' x"""
    return c*x[0] + s*x[1], c*x[1] - s*x[0], x[2]


@leaf
def level_sym(S, c, s, ca, sa):
    """E S E', S symmetric"""
    return turn_z_sym(S, s, c)


@leaf
def level_flat_sym(B, c, s, ca, sa):
    """E S E' for S = [[a, b, 0], [b, d, 0], [0, 0, 0]], B = (a, b, d)"""
    u = s*(B[0] - B[2]) + 2.0*c*B[1]
    return B[0] - s*u, c*u - B[1], 0.0, B[2] + s*u, 0.0, 0.0


@leaf
def level_flat_mat(h0, h1, c, s, ca, sa):
    """E H E' for H with the rows h0, h1, 0"""
    u = s*(h0[0] - h1[1]) + c*(h0[1] + h1[0])
    return (h0[0] - s*u, c*u - h1[0], c*h0[2] - s*h1[2], c*u - h0[1], h1[1] + s*u, s*h0[2] + c*h1[2], 0.0, 0.0, 0.0)


class Screw(NamedTuple):
    """The five ways one kind of screw turns things."""

    out: Callable
    back: Callable
    sym: Callable
    flat_sym: Callable
    flat_mat: Callable


ANY = Screw(screw_out, screw_in, screw_sym, screw_flat_sym, screw_flat_mat)
SQUARE_ONE = Screw(square_out, square_in, square_sym, square_flat_sym, square_flat_mat)
LEVEL_ONE = Screw(level_out, level_in, level_sym, level_flat_sym, level_flat_mat)


# ---- any rotation


@leaf
def turn_flat_sym(B, E):
    """E S E' for S = [[a, b, 0], [b, d, 0], [0, 0, 0]] and any rotation E"""
    x0, y0 = B[0]*E[0] + B[1]*E[1], B[1]*E[0] + B[2]*E[1]
    x1, y1 = B[0]*E[3] + B[1]*E[4], B[1]*E[3] + B[2]*E[4]
    x2, y2 = B[0]*E[6] + B[1]*E[7], B[1]*E[6] + B[2]*E[7]
    return (E[0]*x0 + E[1]*y0, E[3]*x0 + E[4]*y0, E[6]*x0 + E[7]*y0, E[3]*x1 + E[4]*y1, E[6]*x1 + E[7]*y1,
            E[6]*x2 + E[7]*y2)


@leaf
def turn_flat_mat(h0, h1, E):
    """E H E' for H with the rows h0, h1, 0 and any rotation E"""
    a = (E[0]*h0[0] + E[1]*h0[1] + E[2]*h0[2], E[3]*h0[0] + E[4]*h0[1] + E[5]*h0[2],
         E[6]*h0[0] + E[7]*h0[1] + E[8]*h0[2])
    b = (E[0]*h1[0] + E[1]*h1[1] + E[2]*h1[2], E[3]*h1[0] + E[4]*h1[1] + E[5]*h1[2],
         E[6]*h1[0] + E[7]*h1[1] + E[8]*h1[2])
    return (E[0]*a[0] + E[1]*b[0], E[0]*a[1] + E[1]*b[1], E[0]*a[2] + E[1]*b[2],
            E[3]*a[0] + E[4]*b[0], E[3]*a[1] + E[4]*b[1], E[3]*a[2] + E[4]*b[2],
            E[6]*a[0] + E[7]*b[0], E[6]*a[1] + E[7]*b[1], E[6]*a[2] + E[7]*b[2])

"""Sums over the mass of one flexible link: its part of J and R_I, and what its end does.

Every section counts with three columns of its transform, weighted by sqrt(w rho I_y), sqrt(w rho I_z), sqrt(w rho A):
then all integrals tr(P,a J P,b') are plain products of such columns.
"""

import math

from .._address import shifted
from .._jit import leaf, pointer, sweep
from .beside import terms_of
from .homogeneous import point_of, times
from .layout import (
    BETA, ED_AT, EDD_AT, EXACT, FIRST, GAUSS, MODES, PHI, POINT, PSI, RHO_A, RHO_IY, RHO_IZ, STIFF, TABLE, E,
    W, WD, WDD)
from .section import place, rotation_terms, shape_of, turned, turning, turning_twice
from .view import frame_of, link_of, pose_of

SD = 3                                                      # rows of section: three of P,f, then s d


@leaf
def put(x, i, column, u):
    x[i + column], x[i + 4 + column], x[i + 8 + column] = u[0], u[1], u[2]


@sweep
def sum_link(a, k, q, v, J, R, G, wide, at, columns):
    """Pose of link k known: its sections into J, R, G, from place `at` there, and into PSI, PHI of its pose.

    a: a view; J, G: rows of `wide`; columns: 3, or 2 for the inertia of the sections about their own centres only.
    """
    link, frame, table, X, most = link_of(a, k), frame_of(a, k), a.table, pose_of(a, k), a.most
    x0, x1, x2, short = (a.section, shifted(a.section, most), shifted(a.section, 2*most), shifted(a.section, SD*most))
    n, exact = link[MODES], link[EXACT] == 1
    for f in range(n):
        R[at + f] = 0.0
        for l in range(n):
            J[(at + f)*wide + at + l] = 0.0
        for r in range(12):
            G[r*wide + at + f] = 0.0
    for p in range(link[GAUSS]):
        row = link[TABLE] + p*link[POINT]
        (r0, r1, r2), (phi, rate) = place(table, row, link, q, v, short)
        t = terms_of(exact, phi)
        for column in range(columns):
            mass = frame[RHO_IY] if column == 0 else (frame[RHO_IZ] if column == 1 else frame[RHO_A])
            if mass == 0.0:
                continue
            g = math.sqrt(table[row + 1]*mass)
            e = (0.0, 1.0 if column == 0 else 0.0, 1.0 if column == 1 else 0.0)
            if column < 2:
                d0, last = turned(exact, t, phi, e), 0.0
                d1, d2 = turning(exact, t, phi, rate, e), turning_twice(exact, t, phi, rate, e)
            else:
                d0, d1, d2, last = r0, r1, r2, 1.0
            a = point_of(X, WDD, d0[0], d0[1], d0[2], last)
            b = point_of(X, WD, d1[0], d1[1], d1[2], 0.0)
            c = point_of(X, W, d2[0], d2[1], d2[2], 0.0)
            acc = (g*(a[0] + 2.0*b[0] + c[0]), g*(a[1] + 2.0*b[1] + c[1]), g*(a[2] + 2.0*b[2] + c[2]))
            h = (g*d0[0], g*d0[1], g*d0[2], g*last)
            for i in range(4):
                for j in range(4):
                    X[PSI + 4*i + j] += h[i]*h[j]
                for j in range(3):
                    X[PHI + 3*i + j] += h[i]*acc[j]
            for f in range(n):
                shift, turn = shape_of(table, row, n, f, short[f])
                u = turning(exact, t, phi, turn, e) if column < 2 else shift
                w = point_of(X, W, g*u[0], g*u[1], g*u[2], 0.0)
                x0[f], x1[f], x2[f] = w[0], w[1], w[2]
            for r in range(3):
                y = x0 if r == 0 else (x1 if r == 1 else x2)
                for f in range(n):
                    x = y[f]
                    R[at + f] -= x*acc[r]
                    for i in range(4):
                        G[(3*i + r)*wide + at + f] += h[i]*x
                    for l in range(n):
                        J[(at + f)*wide + at + l] += x*y[l]


@sweep
def strained(arm, k, q, v, R):
    """R less what the stiffness and the damping of link k take"""
    link = arm.link[k]
    n, first, stiff = link[MODES], link[FIRST], link[STIFF]
    for f in range(n):
        for l in range(n):
            K = arm.stiffness[stiff + n*f + l]
            R[first + f] -= K*(q[first + l] + arm.frame[k, BETA]*v[first + l])


@sweep
def end_of(arm, work, k, q, v):
    """The end of link k: E, E', E''* into its pose and scratch, W M of every mode into work.mode."""
    link, table, X = arm.link[k], arm.table, work.pose[k + 1]
    short = shifted(pointer(work.section), SD*work.section.shape[1])
    n, first, exact, at = link[MODES], link[FIRST], link[EXACT] == 1, link[TABLE] + link[GAUSS]*link[POINT]
    (r0, r1, r2), (phi, rate) = place(table, at, link, q, v, short)
    t = rotation_terms(phi[0]*phi[0] + phi[1]*phi[1] + phi[2]*phi[2])
    D = work.spare
    put(X, E, 3, r0)
    put(D, ED_AT, 3, r1)
    put(D, EDD_AT, 3, r2)
    for c in range(3):
        e = (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)
        put(X, E, c, turned(exact, t, phi, e))
        put(D, ED_AT, c, turning(exact, t, phi, rate, e))
        put(D, EDD_AT, c, turning_twice(exact, t, phi, rate, e))
    for f in range(n):
        shift, turn = shape_of(table, at, n, f, short[f])
        for c in range(3):
            e = (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)
            put(D, EDD_AT + 12, c, turning(exact, t, phi, turn, e))
        put(D, EDD_AT + 12, 3, shift)
        times(X, W, D, EDD_AT + 12, 0.0, D, EDD_AT + 24, 1.0, 0.0)
        for r in range(12):
            work.mode[r, first + f] = D[EDD_AT + 24 + r]

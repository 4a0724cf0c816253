"""Outward for the production road: poses of all links with two derivatives (z'' = 0), world row by world row."""

from .._address import shifted
from .._jit import leaf, sweep
from .beside import sine_cosine, terms_of
from .lagrange import spun_up
from .layout import (
    CHAIN_MODES, ED_AT, EDD_AT, EXACT, GAUSS, HD, HDD, J_PIVOT, J_TURN, MODES, POINT, POSE, PSI, SEAT, SPIN,
    SPIN_TIME, TABLE, TIP, TURN, WD, WDD, A, E, H, N, W)
from .link_sums import SD, put
from .rows import stride_of
from .section import place, shape_of, turned, turning, turning_twice
from .view import chain_of, frame_of, link_of, pose_of


@leaf
def row_times(x, T, i):
    """Row of four times a 3x4 transform"""
    return (x[0]*T[i] + x[1]*T[i + 4] + x[2]*T[i + 8], x[0]*T[i + 1] + x[1]*T[i + 5] + x[2]*T[i + 9],
            x[0]*T[i + 2] + x[1]*T[i + 6] + x[2]*T[i + 10], x[0]*T[i + 3] + x[1]*T[i + 7] + x[2]*T[i + 11] + x[3])


@leaf
def row_onto(x, share, T, i, y):
    """y and `share` times a row of four, by the derivative of a transform"""
    return (y[0] + share*(x[0]*T[i] + x[1]*T[i + 4] + x[2]*T[i + 8]),
            y[1] + share*(x[0]*T[i + 1] + x[1]*T[i + 5] + x[2]*T[i + 9]),
            y[2] + share*(x[0]*T[i + 2] + x[1]*T[i + 6] + x[2]*T[i + 10]),
            y[3] + share*(x[0]*T[i + 3] + x[1]*T[i + 7] + x[2]*T[i + 11]))


@leaf
def four(x, i): return x[i], x[i + 1], x[i + 2], x[i + 3]


@leaf
def put_four(x, i, u): x[i] = u[0]; x[i + 1] = u[1]; x[i + 2] = u[2]; x[i + 3] = u[3]


@sweep
def poses(a, t, q, v):
    """W, What and their derivatives, A, E of every link; into the chain sine, cosine and what modes do to the end."""
    base, D = a.pose, a.spare
    for i in range(POSE):
        base[i] = 0.0
    base[H] = base[H + 5] = base[H + 10] = 1.0
    for i in range(3):
        base[HDD + 4*i + 3] = -a.gravity[i]
    for k in range(a.links):
        link, frame, X, Y = link_of(a, k), frame_of(a, k), pose_of(a, k), pose_of(a, k - 1)
        here, j = chain_of(a, k), link[TURN]
        if j >= 0:
            th, rate, acc = q[j], v[j], 0.0
        else:
            th, rate, acc = spun_up(frame[SPIN], frame[SPIN_TIME], t)
            here[J_PIVOT] = rate
        s, c = sine_cosine(th)
        here[J_TURN], here[J_TURN + 1] = s, c
        for r in range(3):
            x, y = frame[SEAT + 4*r], frame[SEAT + 4*r + 1]
            put_four(X, A + 4*r, (c*x + s*y, c*y - s*x, frame[SEAT + 4*r + 2], frame[SEAT + 4*r + 3]))
        for r in range(3):
            w, wd = row_times(four(Y, H + 4*r), X, A), row_times(four(Y, HD + 4*r), X, A)
            wdd = row_times(four(Y, HDD + 4*r), X, A)
            put_four(X, W + 4*r, w)
            put_four(X, WD + 4*r, (wd[0] + rate*w[1], wd[1] - rate*w[0], wd[2], wd[3]))
            put_four(X, WDD + 4*r, (wdd[0] + 2.0*rate*wd[1] + acc*w[1] - rate*rate*w[0],
                                    wdd[1] - 2.0*rate*wd[0] - acc*w[0] - rate*rate*w[1], wdd[2], wdd[3]))
        for i in range(28):
            X[PSI + i] = 0.0
        if link[MODES] > 0:
            bent_end(a, k, q, v)
            for r in range(3):
                w, wd, wdd = four(X, W + 4*r), four(X, WD + 4*r), four(X, WDD + 4*r)
                put_four(X, H + 4*r, row_times(w, X, E))
                put_four(X, HD + 4*r, row_onto(w, 1.0, D, ED_AT, row_times(wd, X, E)))
                put_four(X, HDD + 4*r, row_onto(w, 1.0, D, EDD_AT, row_onto(wd, 2.0, D, ED_AT, row_times(wdd, X, E))))
        else:
            for i in range(12):
                X[E + i] = frame[TIP + i]
            for r in range(3):
                put_four(X, H + 4*r, row_times(four(X, W + 4*r), X, E))
                put_four(X, HD + 4*r, row_times(four(X, WD + 4*r), X, E))
                put_four(X, HDD + 4*r, row_times(four(X, WDD + 4*r), X, E))


@sweep
def bent_end(a, k, q, v):
    """E, E', E''* of link k's end; phi at N of its pose; e, displacement and rotation of every mode there."""
    link, table, X, D, short = link_of(a, k), a.table, pose_of(a, k), a.spare, shifted(a.section, SD*a.most)
    n, exact, at = link[MODES], link[EXACT] == 1, link[TABLE] + link[GAUSS]*link[POINT]
    e, m = shifted(chain_of(a, k), CHAIN_MODES), stride_of(n)
    (r0, r1, r2), (phi, rate) = place(table, at, link, q, v, short)
    X[N], X[N + 1], X[N + 2] = phi
    put(X, E, 3, r0)
    put(D, ED_AT, 3, r1)
    put(D, EDD_AT, 3, r2)
    t = terms_of(exact, phi)
    for c in range(3):
        axis = (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)
        put(X, E, c, turned(exact, t, phi, axis))
        put(D, ED_AT, c, turning(exact, t, phi, rate, axis))
        put(D, EDD_AT, c, turning_twice(exact, t, phi, rate, axis))
    for f in range(n):
        shift, turn = shape_of(table, at, n, f, short[f])
        e[f], e[m + f], e[2*m + f] = turn
        e[3*m + f], e[4*m + f], e[5*m + f] = shift

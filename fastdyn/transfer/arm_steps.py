"""A plane arm of rigid links on springs, large angles, a step at a time: one 3x3 Riccati sweep per Newton pass.

Motion at a node e = (x'', y'', a): its acceleration and that of the link's angle. All outside of it exerts (N, V, M)
= G + S e on the inside. Angle and rate get b T^2 a and g T a (schemes.py); linear about a*, s = sin th*, c = cos th*:

    x''_out = x'' - l (dx a + ex)       dx = s + bT^2 (c a* - s w^2) + 2 gT c w      ex = s a* + c w^2 - dx a*
    y''_out = y'' + l (dy a + ey)       dy = c - bT^2 (s a* + c w^2) - 2 gT s w      ey = c a* - s w^2 - dy a*

Only angles are integrated; positions follow from them in every pass. It is the articulated-body recursion with springs
taken implicitly. Loads act at stations: station j is the outer end of link j, link 0 the hub.
Derivation: docs/theory/transfer.md. Source: [Rui et al. 2005] for the chain of transfer matrices.
"""

import math

from .._jit import int64, kernel, leaf
from ..algebra.sincos import REDUCED, sincos, sincos_any
from ..status import NOT_FINITE, OK
from .riccati import BOX, MATRIX, VECTOR, WHOLE, P, V, go_on, output

L, M, COM, I, K, C = range(6)                               # rows of the numbers of a link and the joint before it
LINK = 6
TH0, W0, A0, TORQUE = range(4)                              # columns of the table of a step; then, of every load,
LOADS, FX, FY, MOMENT = 4, 0, 1, 2                          # from column LOADS on, three
B, G, T, GX, GY, DRIVEN, TOLERANCE = range(7)               # settings
SETTINGS = 7
# rows of scratch, a column more than links: NODE_N, NODE_V are the force at the inner end of the link
STAR, NODE_N, NODE_V, DX, EX, DY, EY, AX, AY, AI, A_REST, OLD = range(12)
SCRATCH = 12
ROWS, PASSES, LOOSE, STATUS = range(4)                      # what a stretch of steps counts
COUNTS = 4
ACC, FORCE_X, FORCE_Y, TORQUE_IN = range(4)                 # what `balance` finds of every link
FOUND = 4

# (state, links, numbers of the scheme, tables, stations, settings, scratch, samples out, counts, steps, wait, every,
#  most passes)
ADVANCE_ARM = int64(MATRIX, MATRIX, MATRIX, MATRIX, WHOLE, VECTOR, MATRIX, BOX, WHOLE, int64, int64, int64, int64)
# (angles, rates, room for a state, links, tables, stations, settings, scratch, out)
BALANCE = int64(MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, WHOLE, VECTOR, MATRIX, BOX)


@leaf
def turned(th):
    return sincos(th) if abs(th) <= REDUCED else sincos_any(th)


@leaf
def tangents(s, c, a, w, Bt, Gt):
    """(dx, ex, dy, ey)"""
    ww = w*w
    dx = s + Bt*(c*a - s*ww) + 2.0*Gt*c*w
    dy = c - Bt*(s*a + c*ww) - 2.0*Gt*s*w
    return dx, s*a + c*ww - dx*a, dy, c*a - s*ww - dy*a


@leaf
def fold_link(S, g, l, m, com, inertia, s, c, t, a, pull, gx, gy):
    """(S, G) at the inner end of a link from those at its outer end; pull: bT^2 times forces along it by lever."""
    dx, ex, dy, ey = t
    Sa = (S[2] - l*S[0]*dx + l*S[1]*dy, S[5] - l*S[3]*dx + l*S[4]*dy, S[8] - l*S[6]*dx + l*S[7]*dy)
    h = (g[0] - l*S[0]*ex + l*S[1]*ey, g[1] - l*S[3]*ex + l*S[4]*ey, g[2] - l*S[6]*ex + l*S[7]*ey)
    lever = m*com
    across = s*gx - c*gy                                            # of the weight, turning
    return ((S[0] - m, S[1], Sa[0] + lever*dx, S[3], S[4] - m, Sa[1] - lever*dy,
             S[6] + l*(c*S[3] - s*S[0]) + lever*s, S[7] + l*(c*S[4] - s*S[1]) - lever*c,
             Sa[2] + l*(c*Sa[1] - s*Sa[0]) - inertia - lever*com*(c*dy + s*dx) - pull),
            (h[0] + lever*ex + m*gx, h[1] - lever*ey + m*gy,
             h[2] + l*(c*h[1] - s*h[0]) - lever*(com*(c*ey + s*ex) + across) + pull*a))


@leaf
def fold_joint(S, g, kappa, pre):
    """(S, G) inside a joint, and a = ax x'' + ay y'' + ai a_in + rest"""
    d = kappa - S[8]
    ax, ay, ai, rest = S[6]/d, S[7]/d, kappa/d, (g[2] - pre)/d
    return ((S[0] + S[2]*ax, S[1] + S[2]*ay, S[2]*ai, S[3] + S[5]*ax, S[4] + S[5]*ay, S[5]*ai,
             S[6]*ai, S[7]*ai, S[8]*ai),
            (g[0] + S[2]*rest, g[1] + S[5]*rest, g[2] + S[8]*rest), (ax, ay, ai, rest))


@leaf
def inward(Y, links, table, at, station, settings, X):
    """One pass from the tip to the base; N, V, M on the base, and what each gains by an acceleration of the hub"""
    Bt, Gt, Tt, gx, gy = settings[B], settings[G], settings[T], settings[GX], settings[GY]
    n, load = links.shape[1], len(station) - 1
    S = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    g = (0.0, 0.0, 0.0)
    for back in range(n):
        j = n - 1 - back
        fx, fy = 0.0, 0.0
        while load >= 0 and station[load] == j:
            column = LOADS + 3*load
            fx, fy = fx + table[at, column + FX], fy + table[at, column + FY]
            g = (g[0] + table[at, column + FX], g[1] + table[at, column + FY], g[2] + table[at, column + MOMENT])
            load -= 1
        a, driven = X[STAR, j], j == 0 and settings[DRIVEN] == 1.0
        th = Y[P, j] if driven else Y[P, j] + Bt*a
        w = Y[V, j]/Tt if driven else Y[V, j]/Tt + Gt*a
        Bj, Gj = (0.0, 0.0) if driven else (Bt, Gt)
        s, c = turned(th)
        t = tangents(s, c, a, w, Bj, Gj)
        X[DX, j], X[EX, j], X[DY, j], X[EY, j] = t
        l, com = links[L, j], links[COM, j]
        pull = Bj*((l - com)*(c*(X[NODE_N, j + 1] + fx) + s*(X[NODE_V, j + 1] + fy))
                   + com*(c*X[NODE_N, j] + s*X[NODE_V, j]))
        S, g = fold_link(S, g, l, links[M, j], com, links[I, j], s, c, t, a, pull, gx, gy)
        if driven:
            break
        k, damping = links[K, j], links[C, j]
        if j > 0:
            pre = k*(Y[P, j] - Y[P, j - 1]) + damping*(Y[V, j] - Y[V, j - 1])/Tt
        else:
            pre = k*(Y[P, j] - table[at, TH0]) + damping*(Y[V, j]/Tt - table[at, W0]) - table[at, TORQUE]
        base_S, base_g = S, g
        S, g, way = fold_joint(S, g, Bt*k + Gt*damping, pre)
        X[AX, j], X[AY, j], X[AI, j], X[A_REST, j] = way
        if j == 0:
            S, g = base_S, base_g
    return g[0], g[1], g[2], S[2], S[5], S[8]


@leaf
def outward(links, table, at, station, settings, X, base):
    """Accelerations from the base to the tip, forces along the way; the largest change of one"""
    n, x, y, a_in, change = links.shape[1], 0.0, 0.0, 0.0, 0.0
    N, W, load = 0.0, 0.0, 0
    for j in range(n):
        driven = j == 0 and settings[DRIVEN] == 1.0
        a = X[STAR, j] if driven else X[AX, j]*x + X[AY, j]*y + X[AI, j]*a_in + X[A_REST, j]
        if j == 0:
            N, W = base[0] + base[3]*a, base[1] + base[4]*a
            X[NODE_N, 0], X[NODE_V, 0] = N, W
        along, across = X[DX, j]*a + X[EX, j], X[DY, j]*a + X[EY, j]
        m, com = links[M, j], links[COM, j]
        N, W = N + m*(x - com*along - settings[GX]), W + m*(y + com*across - settings[GY])
        while load < len(station) and station[load] == j:
            N, W = N - table[at, LOADS + 3*load + FX], W - table[at, LOADS + 3*load + FY]
            load += 1
        X[NODE_N, j + 1], X[NODE_V, j + 1] = N, W
        x, y = x - links[L, j]*along, y + links[L, j]*across
        change = max(change, abs(a - X[STAR, j]))
        X[STAR, j], a_in = a, 0.0 if driven else a
    return change


@kernel(ADVANCE_ARM)
def advance_arm(Y, links, numbers, table, station, settings, X, out, counts, steps, wait, every, passes):
    """Steps of an arm; a sample after `wait` steps, then after `every`. Newton's method ends when neither an angle nor
    T times a rate changes any more."""
    n, Tt = links.shape[1], settings[T]
    reach = max(settings[B], settings[G]*Tt)
    first = 1 if settings[DRIVEN] == 1.0 else 0
    for at in range(steps):
        if first == 1:
            Y[P, 0], Y[V, 0], X[STAR, 0] = table[at, TH0], Tt*table[at, W0], table[at, A0]
        change = math.inf
        for _ in range(passes):
            base = inward(Y, links, table, at, station, settings, X)
            change = outward(links, table, at, station, settings, X, base)
            counts[PASSES] += 1
            if not reach*change > settings[TOLERANCE]:
                break
        if not (change < math.inf and abs(X[STAR, n - 1]) < math.inf):
            counts[STATUS] = NOT_FINITE
            return NOT_FINITE
        if reach*change > 1e4*settings[TOLERANCE]:
            counts[LOOSE] += 1
        sampled = at + 1 == wait
        for j in range(n):
            x = Tt*Tt*X[STAR, j]
            if sampled:
                for what in range(3):
                    out[counts[ROWS], what, j] = output(numbers, Y, j, x, what)
            if j >= first:
                go_on(numbers, Y, j, x, X[OLD])
        if sampled:
            counts[ROWS] += 1
            wait += every
    return OK


@kernel(BALANCE)
def balance(angles, rates, Y, links, table, station, settings, X, out):
    """Accelerations of given motions, and what the outer part exerts on the inner one at the inner end of every link.

    With b = g = 0 all is linear, and one pass is all of it.
    """
    n = links.shape[1]
    driven = settings[DRIVEN] == 1.0
    for at in range(len(angles)):
        for j in range(n):
            Y[P, j], Y[V, j], X[STAR, j] = angles[at, j], settings[T]*rates[at, j], 0.0
        if driven:
            Y[P, 0], Y[V, 0], X[STAR, 0] = table[at, TH0], settings[T]*table[at, W0], table[at, A0]
        base = inward(Y, links, table, at, station, settings, X)
        outward(links, table, at, station, settings, X, base)
        for j in range(n):
            k, c = links[K, j], links[C, j]
            if j > 0:
                M = k*(Y[P, j] - Y[P, j - 1]) + c*(Y[V, j] - Y[V, j - 1])/settings[T]
            else:
                M = base[2] + base[5]*X[STAR, 0]
            out[at, ACC, j], out[at, FORCE_X, j] = X[STAR, j], X[NODE_N, j]
            out[at, FORCE_Y, j], out[at, TORQUE_IN, j] = X[NODE_V, j], M
    return OK

"""What every sweep is written with: one number, two, three, six, nine of a lane; rows, slots and who inherits them.

Arrays are flat: column c of row i in lane k stands at (i*columns + c)*lanes + k. What makes vectors of the lane loops:
a lane count known to the compiler (but hidden from short loops), unsigned indices, arrays that do not overlap (`lane`
promises it), selects instead of branches, and running states in slots apart from the rows.
"""

from types import SimpleNamespace

import numpy as np

from .._jit import lane as apart
from .._jit import leaf, sweep, unknown
from ..algebra.sincos import REDUCED, sincos, sincos_any
from ..layout import (
    BEAM_AT, GRAVITY, LEVEL, P_OMEGA, PARENT, PLANE_ALONG, PLANE_ARM, PLANE_AXIS, PLANE_REVOLUTE, Q_AT, REVOLUTE, ROW,
    SCREW, SHARES, SLOT, SQUARE, STEP, TIP, TURN, V_AT)

U = np.uint64
FULL = U(7)                                             # one less than a power of two, the numbers of a register
TURNING = {SCREW, SQUARE, LEVEL, REVOLUTE, PLANE_REVOLUTE, PLANE_ALONG}


def accessors(lanes, variant, own, columns, slot_size, work):
    """The plumbing for `lanes` chains side by side; `own`: every lane has bodies of its own, not shared ones.

    A single chain whose rows follow each other has one slot, at a place the compiler knows: it stays in registers, if
    the arrays of a whole pass are promised not to overlap and there is but one kind of step.
    """
    L, steps, unbranched = U(lanes), variant.steps, variant.unbranched
    lane, one_pass = (leaf, apart) if lanes == 1 else (apart, sweep)
    alike = len(steps) == 1
    at_once = lanes == 1 and unbranched and TURNING.issuperset(steps)

    @leaf
    def column(c): return U(c)*L

    @leaf
    def count():
        """The number of lanes, for short loops: one that is known would be unrolled before vectors are looked for"""
        return L if lanes == 1 else unknown(U(1))*L

    # ---- numbers of lane k, `at` the first one of lane 0

    @leaf
    def get(X, at, k): return X[at + k]

    @leaf
    def get2(X, at, k): return X[at + k], X[at + L + k]

    @leaf
    def get3(X, at, k): return X[at + k], X[at + L + k], X[at + U(2)*L + k]

    @leaf
    def get4(X, at, k): return get2(X, at, k) + get2(X, at + U(2)*L, k)

    @leaf
    def get6(X, at, k): return get3(X, at, k) + get3(X, at + U(3)*L, k)

    @leaf
    def get9(X, at, k): return get3(X, at, k) + get6(X, at + U(3)*L, k)

    @leaf
    def put(X, at, k, x): X[at + k] = x

    @leaf
    def put2(X, at, k, x): X[at + k] = x[0]; X[at + L + k] = x[1]

    @leaf
    def put3(X, at, k, x): X[at + k] = x[0]; X[at + L + k] = x[1]; X[at + U(2)*L + k] = x[2]

    @leaf
    def put6(X, at, k, x): put3(X, at, k, x[0:3]); put3(X, at + U(3)*L, k, x[3:6])

    @leaf
    def put9(X, at, k, x): put3(X, at, k, x[0:3]); put6(X, at + U(3)*L, k, x[3:9])

    # ---- numbers of the body of row i, from column c

    @leaf
    def of_body(B, i, c, k): return B[(i*U(columns) + U(c))*L + k] if own else B[i*U(columns) + U(c)]

    @leaf
    def of_body2(B, i, c, k): return of_body(B, i, c, k), of_body(B, i, c + 1, k)

    @leaf
    def of_body3(B, i, c, k): return of_body(B, i, c, k), of_body(B, i, c + 1, k), of_body(B, i, c + 2, k)

    @leaf
    def of_body6(B, i, c, k): return of_body3(B, i, c, k) + of_body3(B, i, c + 3, k)

    @leaf
    def of_body9(B, i, c, k): return of_body3(B, i, c, k) + of_body6(B, i, c + 3, k)

    # ---- numbers of the beam that starts at e, from number c

    @leaf
    def of_beam(E, e, c, k): return E[(e + U(c))*L + k] if own else E[e + U(c)]

    # ---- rows and slots

    @leaf
    def beam_place(row, j):
        """Where the numbers of row j's beam start: those that are given, those of the passes"""
        e = U(of_row(row, j, BEAM_AT))
        return e, e*L

    @leaf
    def of_row(row, j, c): return row[U(j)*U(ROW) + U(c)]

    @leaf
    def place(row, j):
        """Unsigned row number, its step, and where its numbers stand: slot, work, q, v"""
        i = U(j)
        slot = U(0) if unbranched else U(of_row(row, j, SLOT))
        return (i, of_row(row, j, STEP), slot*column(slot_size), i*column(work),
                U(of_row(row, j, Q_AT))*L, U(of_row(row, j, V_AT))*L)

    @leaf
    def goes(step, kind):
        """Whether a row's step is of this kind"""
        return alike or step == kind

    @leaf
    def on_base(row, j): return j == 0 if unbranched else of_row(row, j, PARENT) < 0

    @leaf
    def at_tip(row, j, back): return back == 0 if unbranched else of_row(row, j, TIP) == 1

    @leaf
    def clear(S, z, many):
        for k in range(column(many)):
            S[z + k] = 0.0

    @leaf
    def inherit(row, j, S, z, many):
        """The slot of row j as its parent left it; zeros on the base"""
        if on_base(row, j):
            clear(S, z, many)
        elif not unbranched and of_row(row, j, SHARES) == 0:
            zp = U(of_row(row, of_row(row, j, PARENT), SLOT))*column(slot_size)
            for k in range(column(many)):
                S[z + k] = S[zp + k]

    @leaf
    def join_parent(row, j, S, z, many):
        """What came through joint j adds to the parent's slot, unless it stands there already"""
        if not unbranched and of_row(row, j, SHARES) == 0 and not on_base(row, j):
            zp = U(of_row(row, of_row(row, j, PARENT), SLOT))*column(slot_size)
            for k in range(column(many)):
                S[zp + k] += S[z + k]

    @leaf
    def withstand(S, z, many, wrench, at):
        """The outer wrench takes its part of what the joint has to give"""
        for k in range(column(many)):
            S[z + k] -= wrench[at + k]

    # ---- what both spaces share

    @leaf
    def put_cosine(W, b, q, at, k):
        """cos, sin of an angle; whether it is far out, where they have to be done again"""
        if at_once:
            return False
        x = get(q, at, k)
        s, c = sincos(x)
        put2(W, b, k, (c, s))
        return abs(x) > REDUCED

    @lane
    def far_cosines(W, b, q, at):
        """cos, sin of angles of any size"""
        for k in range(L):
            s, c = sincos_any(get(q, at, k))
            put2(W, b, k, (c, s))

    @lane
    def cosines(W, b, q, at):
        if at_once:
            return
        far = False
        for k in range(L):
            s, c = sincos(get(q, at, k))
            put2(W, b, k, (c, s))
            far = far | (abs(get(q, at, k)) > REDUCED)
        if far:
            far_cosines(W, b, q, at)

    @one_pass
    def all_cosines(n, W, q):
        """Before a pass over one chain whose joints all turn: cos, sin of its angles, a vector register at a time

        The last ones too, by a mask: there are often no others.
        """
        if not at_once:
            return
        far = False
        for j in range((U(n) + FULL) & ~FULL):
            if j < U(n):
                x, b = q[j], j*U(work)
                s, c = sincos(x)
                W[b] = c
                W[b + U(1)] = s
                far = far | (abs(x) > REDUCED)
        if far:
            for j in range(n):
                far_cosines(W, U(j)*U(work), q, U(j))

    @leaf
    def note(trouble, i, k, safe):
        """The first row in trouble, counted from one; a NaN is trouble too, and makes more of it further in"""
        trouble[k] = trouble[k] if safe | (trouble[k] > 0.0) else float(i) + 1.0

    return SimpleNamespace(**locals())


def space_accessors(a):
    """The two more that both sweeps in space need."""
    L, of_body, put3 = a.L, a.of_body, a.put3

    @leaf
    def crossing(B, i, k):
        """cos and sin of the constant turn about x of a screw"""
        return of_body(B, i, TURN + 8, k), -of_body(B, i, TURN + 5, k)

    @leaf
    def put_fall(base, S, at):
        """The base falls upward instead of everything else falling down."""
        for k in range(L):
            put3(S, at, k, (-base[GRAVITY], -base[GRAVITY + 1], -base[GRAVITY + 2]))

    return crossing, put_fall


def plane_speeds(a):
    """Outward in the plane: where joints stand, how fast links turn. Slot: the parent's w, then the link's."""
    column, get, put, put2, of_body2 = a.column, a.get, a.put, a.put2, a.of_body2
    put_cosine, far_cosines, lane, count = a.put_cosine, a.far_cosines, a.lane, a.count

    @lane
    def turning_speed(W, b, S, z, q, qa, v, va):
        far = False
        for k in range(count()):
            w = get(S, z, k) + get(v, va, k)
            put(W, b + column(P_OMEGA), k, w); put(S, z, k, w)
            far = far | put_cosine(W, b, q, qa, k)
        if far:
            far_cosines(W, b, q, qa)

    @lane
    def sliding_speed(B, i, W, b, S, z, q, qa):
        for k in range(count()):
            p, s, x = of_body2(B, i, PLANE_ARM, k), of_body2(B, i, PLANE_AXIS, k), get(q, qa, k)
            put2(W, b, k, (p[0] + x*s[0], p[1] + x*s[1])); put(W, b + column(P_OMEGA), k, get(S, z, k))

    @lane
    def fixed_speed(W, b, S, z):
        for k in range(count()):
            put(W, b + column(P_OMEGA), k, get(S, z, k))

    return turning_speed, sliding_speed, fixed_speed

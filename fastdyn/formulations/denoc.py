"""Decoupled natural orthogonal complements: N' M N acc = torque - h with N = N_l N_d, factored U D U' from the tips.

The twist t_i = (w, u) of row i is taken at its joint, in the row frame: there P_i, the columns of the joint, never
change, and a row that weighs nothing, so has no mass centre, is a row like any other.

    t_i = B_i t_p + P_i v_i,   stacked t = N_l N_d v,   B_i (w, u) = E' (w, u + w x r)                            (1)
    torque = N_d' N_l' (M_i tdot_i + Mdot_i t_i - outer wrench),   M = N_d' N_l' diag(M_i) N_l N_d                (2)

E turns row i's components into those of its parent p, r leads from the parent's origin to joint i. A wrench is (n, f),
n a moment about the joint, f a force. Source: [Angeles & Lee 1988], [Saha 1999]; derivation in docs/theory/denoc.md.
"""

import math

from .._jit import kernel, leaf, ready
from ..algebra.dense import PIVOT_FLOOR, ldl3, ldl3_safe, ldl3_schur, ldl3_solve, ldl6, ldl6_safe, ldl6_solve
from ..algebra.inertia import apply, rigid, rotate_inertia, shift
from ..algebra.vectors import add, cross, dot, mdown, mul, scale, sdown, smul, sub, tmul
from ..layout import (
    ACTING, FLOOR, GRAVITY, PARENT, PLANE_BEAM, PLANE_FLOOR, PLANE_PRISMATIC, PLANE_REVOLUTE, PRISMATIC, STEP, TROUBLED,
    V_AT)
from ..status import NOT_FINITE, OK, SINGULAR_INERTIA, ModelError
from .joints import freedoms, joint_column, joint_place, rigid_body
from .kinematics import load3, load9, store
from .recursive import finite
from .signatures import FORWARD, INVERSE, MASS

# Work.dense: the numbers of each row, then T = N_l N_d (rows, nv, 6)
TURN_OUT, ARM_OUT, COLUMN, OMEGA, RATE, WRENCH, MH, ETA, PSI = 0, 9, 12, 48, 51, 57, 63, 84, 90
PER_ROW = PSI + 36


def dense_size(model) -> int:
    """How much of Work.dense these kernels need."""
    return (PER_ROW + 6*len(model.spring))*len(model.row)


def forward_dynamics(model):
    """Kernel: acc under torque and Work.wrench at q, v; O(n)."""
    require_rigid_links(model, "denoc")
    return ready(forward)


def inverse_dynamics(model):
    """Kernel: the torque that gives acc under Work.wrench at q, v; O(n)."""
    require_rigid_links(model, "denoc")
    return ready(inverse)


def mass_matrix(model):
    """Kernel: the generalized inertia matrix M at q, from the dense N_l N_d."""
    require_rigid_links(model, "denoc")
    return ready(generalized_inertia)


def require_rigid_links(model, name):
    """Refuse a chain with elastic rows: a page that has no equations for them would take them for joints."""
    if model.row[:, STEP].max(initial=0) > PLANE_BEAM:
        raise ModelError(f'formulation "{name}" is for rigid links, and this chain has elastic ones; '
                         'take formulation="recursive"')


@kernel(MASS)
def generalized_inertia(model, work, q, M):
    """M = T' diag(M_i) T, T = N_l N_d: its column j is what a unit rate of freedom j does to every twist."""
    row, body, D, nv = model.row, model.body, work.dense, M.shape[0]
    T = PER_ROW*row.shape[0]
    M[:] = 0.0
    for i in range(row.shape[0]):
        E, r = joint_place(row, body, i, q)
        p, own = row[i, PARENT], row[i, V_AT]
        for j in range(nv):
            w, u = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
            if p >= 0:
                w, u = shifted_out(E, r, pair(D, T + 6*(p*nv + j)))
            store(D, T + 6*(i*nv + j), w + u)
        for c in range(freedoms(row[i, STEP])):
            turn, slide = joint_column(row, body, i, c)
            store(D, T + 6*(i*nv + own + c), turn + slide)
        m, h, I = rigid_body(row, body, i)
        A = rigid(I, h, m)
        for j in range(nv):
            n, f = apply_to(A, pair(D, T + 6*(i*nv + j)))
            for k in range(j + 1):
                M[j, k] += power(pair(D, T + 6*(i*nv + k)), (n, f))
                M[k, j] = M[j, k]
    return OK


@kernel(INVERSE)
def inverse(model, work, q, v, acc, torque):
    """torque = N_d' N_l' (M_i tdot_i + Mdot_i t_i - outer wrench)"""
    motion(model, work.dense, q, v, acc)
    project(model, work, torque)
    return finite(torque, torque.size)


@kernel(FORWARD)
def forward(model, work, q, v, torque, acc):
    """U D U' acc = torque - h; acc holds every stage of the answer in turn."""
    acc[:] = 0.0
    motion(model, work.dense, q, v, acc)
    project(model, work, acc)
    for j in range(acc.shape[0]):
        acc[j] = torque[j] - acc[j]
    status = reduction(model, work, acc)
    if status != OK:
        return status
    substitution(model, work.dense, acc)
    return finite(acc, acc.size)


# ---- twists t = (w, u) and wrenches (n, f): pairs of vectors


@leaf
def pair(D, at): return load3(D, at), load3(D, at + 3)


@leaf
def plus(s, t): return add(s[0], t[0]), add(s[1], t[1])


@leaf
def power(t, s): return dot(t[0], s[0]) + dot(t[1], s[1])


@leaf
def apply_to(A, t): return apply(A[0], A[1], A[2], t[0], t[1])


@leaf
def shifted_out(E, r, t):
    """B t: the parent's twist felt at the joint"""
    return tmul(E, t[0]), tmul(E, add(t[1], cross(t[0], r)))


@leaf
def shifted_in(E, r, s):
    """B' s: the joint's wrench felt at the parent's origin"""
    f = mul(E, s[1])
    return add(mul(E, s[0]), cross(r, f)), f


@leaf
def column(D, i, c): return pair(D, PER_ROW*i + COLUMN + 6*c)


@leaf
def joint_twist(row, D, i, x):
    """P x: what rates x of the joint's freedoms do to the twist"""
    t = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for c in range(freedoms(row[i, STEP])):
        (turn, slide), k = column(D, i, c), x[row[i, V_AT] + c]
        t = plus(t, (scale(k, turn), scale(k, slide)))
    return t


@leaf
def join(D, at, x):
    for c in range(len(x)):
        D[at + c] += x[c]


# ---- (2): the wrenches a motion takes, projected onto the joints


@leaf
def put_joint(row, body, D, i, q):
    """(E, r) of row i, which go to D with the columns of its joint"""
    E, r = joint_place(row, body, i, q)
    store(D, PER_ROW*i + TURN_OUT, E + r)
    for c in range(freedoms(row[i, STEP])):
        turn, slide = joint_column(row, body, i, c)
        store(D, PER_ROW*i + COLUMN + 6*c, turn + slide)
    return E, r


@leaf
def motion(model, D, q, v, acc):
    """Outward: tdot_i = B_i tdot_p + Bdot_i t_p + P_i acc_i + Pdot_i v_i, and the wrench link i takes for it.       (3)

    Joint i moves along the parent with w_p x r + E u_J: that is all of Bdot_i t_p. Its columns are fixed in row i:
    Pdot_i v_i = (w x w_J, w x u_J). The base rises with -g, so no link needs a weight.
    """
    row, body = model.row, model.body
    for i in range(row.shape[0]):
        E, r = put_joint(row, body, D, i, q)
        p = row[i, PARENT]
        wp, tp = (0.0, 0.0, 0.0), ((0.0, 0.0, 0.0), scale(-1.0, load3(model.base, GRAVITY)))
        if p >= 0:
            wp, tp = load3(D, PER_ROW*p + OMEGA), pair(D, PER_ROW*p + RATE)
        wj, uj = joint_twist(row, D, i, v)
        w = add(tmul(E, wp), wj)
        moving = tmul(E, cross(wp, add(cross(wp, r), mul(E, uj))))
        t = plus(shifted_out(E, r, tp), (cross(w, wj), add(cross(w, uj), moving)))
        t = plus(t, joint_twist(row, D, i, acc))
        s = newton_euler(row, body, i, w, t)
        store(D, PER_ROW*i + OMEGA, w + t[0] + t[1] + s[0] + s[1])


@leaf
def newton_euler(row, body, i, w, t):
    """M_i tdot + Mdot_i t about the joint: I al + h x a + w x I w, m a + al x h + w x (w x h); tdot = (al, a)"""
    m, h, I = rigid_body(row, body, i)
    return plus(apply_to(rigid(I, h, m), t), (cross(w, smul(I, w)), cross(w, cross(w, h))))


@leaf
def project(model, work, torque):
    """Inward: s_i = wrench of link i - the outer one + B_c' s_c of its children, torque_i = P_i' s_i             (4)"""
    row, D = model.row, work.dense
    for back in range(row.shape[0]):
        i = row.shape[0] - 1 - back
        at, p = PER_ROW*i, row[i, PARENT]
        n, f = pair(D, at + WRENCH)
        if work.note[ACTING] == 1:
            n, f = sub(n, load3(work.wrench, 6*i)), sub(f, load3(work.wrench, 6*i + 3))
        for c in range(freedoms(row[i, STEP])):
            torque[row[i, V_AT] + c] = power(column(D, i, c), (n, f))
        if p >= 0:
            n, f = shifted_in(load9(D, at + TURN_OUT), load3(D, at + ARM_OUT), (n, f))
            join(D, PER_ROW*p + WRENCH, n + f)


# ---- U D U': pivots from the tips inward, then the answer from the base outward


@leaf
def reduction(model, work, x):
    """Inward, the blocks of U and D [Saha 1999]; x comes as phi = torque - h and leaves as D^-1 U^-1 phi:        (5)

        psih = Mh P,  mh = P' psih,  psi = psih mh^-1,  x = mh^-1 (phi - P' eta)
        to the parent:  B' (Mh - psih psi') B joins its Mh,  B' (eta + psih x) its eta
    """
    row, body, D = model.row, model.body, work.dense
    for i in range(row.shape[0]):
        m, h, I = rigid_body(row, body, i)
        J, H, M = rigid(I, h, m)
        store(D, PER_ROW*i + MH, J + H + M)
        store(D, PER_ROW*i + ETA, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    for back in range(row.shape[0]):
        i = row.shape[0] - 1 - back
        at, p = PER_ROW*i, row[i, PARENT]
        A, eta = articulated(D, at + MH), pair(D, at + ETA)
        for c in range(freedoms(row[i, STEP])):
            x[row[i, V_AT] + c] -= power(column(D, i, c), eta)
        rest, safe = pivot(row, body, D, i, A, x)
        if not safe:
            work.note[TROUBLED] = i
            return SINGULAR_INERTIA if math.isfinite(trace(A[0]) + trace(A[2])) else NOT_FINITE
        if p >= 0:
            E, r = load9(D, at + TURN_OUT), load3(D, at + ARM_OUT)
            n, f = shifted_in(E, r, plus(eta, apply_to(A, joint_twist(row, D, i, x))))
            J, H, M = rotate_inertia(E, rest[0], rest[1], rest[2])
            J, H, M = shift(J, H, M, r)
            join(D, PER_ROW*p + MH, J + H + M)
            join(D, PER_ROW*p + ETA, n + f)
    return OK


@leaf
def pivots(model, work, q, x):
    """Status of the elimination alone, for other roads to ask before they go theirs; x (nv) is scratch."""
    for i in range(model.row.shape[0]):
        put_joint(model.row, model.body, work.dense, i, q)
    return reduction(model, work, x)


@leaf
def pivot(row, body, D, i, A, x):
    """(Mh - psih psi', whether mh is safely positive); psi goes to D, and x from phi - P' eta to mh^-1 of it."""
    many, at, j = freedoms(row[i, STEP]), PER_ROW*i + PSI, row[i, V_AT]
    rest, safe = A, True
    if many == 1:
        rest, psi, mh = pivot_axis(A, column(D, i, 0))
        x[j] /= mh
        store(D, at, psi[0] + psi[1])
        safe = mh > least_pivot(row[i, STEP], body, i, A)
    elif many == 3:
        rest, G, F = pivot_ball(A)
        store(x, j, ldl3_solve(F, load3(x, j)))
        for c in range(3):
            turn, _ = column(D, i, c)
            store(D, at + 6*c, turn + tmul(G, turn))
        safe = ldl3_safe(F, A[0], body[i, FLOOR])
    elif many == 6:                                        # P is square: psi = P, nothing is left
        F = ldl6(A[0], A[1], A[2])
        al, a = ldl6_solve(F, load3(x, j + 3), load3(x, j))
        store(x, j, a + al)
        for c in range(6):
            turn, slide = column(D, i, c)
            store(D, at + 6*c, turn + slide)
        safe = ldl6_safe(F, A[0], A[2], (body[i, FLOOR], body[i, FLOOR + 1]))
    return rest, safe


@leaf
def least_pivot(step, body, i, A):
    """What mh of one freedom has to exceed to be more than rounding, on every road: docs/theory/recursion.md"""
    J, _, M = A
    if step == PLANE_PRISMATIC:
        return max(PIVOT_FLOOR*(M[0] + M[3]), body[i, PLANE_FLOOR])
    if step >= PLANE_REVOLUTE:
        return body[i, PLANE_FLOOR]
    if step == PRISMATIC:
        return max(PIVOT_FLOOR*trace(M), body[i, FLOOR + 1])
    return max(PIVOT_FLOOR*trace(J), body[i, FLOOR])


@leaf
def pivot_axis(A, p):
    """(Mh - psih psi', psi, mh) for a joint of one freedom p: mh is a number"""
    n, f = apply_to(A, p)
    mh = power(p, (n, f))
    k = 1.0/mh
    return (sdown(A[0], k, n), mdown(A[1], k, n, f), sdown(A[2], k, f)), (scale(k, n), scale(k, f)), mh


@leaf
def pivot_ball(A):
    """(Mh - psih psi', G, factors of mh) for a joint free to turn: mh = J, psi = (1, G'), G = J^-1 H; M - H' G stays"""
    J, H, M = A
    F = ldl3(J)
    a, b, c = ldl3_solve(F, H[0:7:3]), ldl3_solve(F, H[1:8:3]), ldl3_solve(F, H[2:9:3])
    G = a[0], b[0], c[0], a[1], b[1], c[1], a[2], b[2], c[2]
    return ((0.0, 0.0, 0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), ldl3_schur(F, H, M)), G, F


@leaf
def trace(S): return S[0] + S[3] + S[5]


@leaf
def articulated(D, at): return load3(D, at) + load3(D, at + 3), load9(D, at + 6), load3(D, at + 15) + load3(D, at + 18)


@leaf
def substitution(model, D, x):
    """Outward: mu = B mu_p, x -= psi' mu, mu += P x: that solves U' acc = x                                      (6)"""
    row = model.row
    for i in range(row.shape[0]):
        at, p = PER_ROW*i, row[i, PARENT]
        mu = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if p >= 0:
            mu = shifted_out(load9(D, at + TURN_OUT), load3(D, at + ARM_OUT), pair(D, PER_ROW*p + RATE))
        for c in range(freedoms(row[i, STEP])):
            x[row[i, V_AT] + c] -= power(mu, pair(D, at + PSI + 6*c))
        n, f = plus(mu, joint_twist(row, D, i, x))
        store(D, at + RATE, n + f)

"""Decoupled natural orthogonal complements: N' M N acc = torque - h, N = N_l N_d, factored U D U' from the tips.

The twist t_i = (w, u) of row i is that of its joint, in the row frame: a row may weigh nothing and have no mass centre,
and there the joint's own columns P_i never change.

    t_i = B_i t_p + P_i v_i,   stacked t = N_l N_d v,   B_i (w, u) = E' (w, u + w x r)                             (1)
    M v' + h = N_d' N_l' (M_i t_i' + M_i' t_i - outer wrench),   M = N_d' N_l' diag(M_i) N_l N_d                   (2)

E turns row i's components into those of its parent p, r leads from the parent's origin to joint i, n is a moment about
the joint and f a force. Source: [Angeles & Lee 1988], [Saha 1999]; derivation in docs/theory/denoc.md.
"""

import math

from .._jit import kernel, leaf, ready
from ..algebra.dense import PIVOT_FLOOR, ldl3, ldl3_safe, ldl3_schur, ldl3_solve, ldl6, ldl6_safe, ldl6_solve
from ..algebra.inertia import add_inertia, apply, rigid, rotate_inertia, shift
from ..algebra.vectors import add, cross, dot, mdown, mul, scale, sdown, smul, sub, tmul
from ..layout import ACTING, GRAVITY, PARENT, PLANE_FLOOR, PLANE_PRISMATIC, PLANE_REVOLUTE, PRISMATIC, STEP, TROUBLED, V_AT
from ..status import NOT_FINITE, OK, SINGULAR_INERTIA
from .joints import freedoms, joint_column, joint_place, rigid_body
from .kinematics import load3, load9, store
from .signatures import FORWARD, INVERSE, MASS

# Work.dense: the numbers of each row, then phi (nv), then T = N_l N_d (rows, nv, 6)
PLACE, OMEGA, RATE, WRENCH, ARTICULATED, ETA, PSI, X = 0, 12, 15, 21, 27, 48, 54, 90
PER_ROW = 96


def dense_size(model) -> int:
    """How much of Work.dense these kernels need."""
    n, nv = len(model.row), len(model.spring)
    return PER_ROW*n + nv + 6*n*nv


def forward_dynamics(model):
    """Kernel: acc under torque and Work.wrench at q, v; O(n)."""
    return ready(forward)


def inverse_dynamics(model):
    """Kernel: the torque that gives acc under Work.wrench at q, v; O(n)."""
    return ready(inverse)


def mass_matrix(model):
    """Kernel: the generalized inertia matrix M at q, from the dense N_l N_d."""
    return ready(generalized_inertia)


@kernel(MASS)
def generalized_inertia(model, work, q, M):
    """M = T' diag(M_i) T with T = N_l N_d: column j of T is what a unit rate of freedom j does to every twist."""
    row, body, D, nv = model.row, model.body, work.dense, M.shape[0]
    T = PER_ROW*row.shape[0] + nv
    M[:, :] = 0.0
    for i in range(row.shape[0]):
        E, r = joint_place(row, body, i, q)
        p, own = row[i, PARENT], row[i, V_AT]
        m, h, I = rigid_body(row, body, i)
        J, H, S = rigid(I, h, m)
        for j in range(nv):
            w, u = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
            if p >= 0:
                w, u = shifted_out(E, r, twist_at(D, T + 6*(p*nv + j)))
            store(D, T + 6*(i*nv + j), w + u)
        for c in range(freedoms(row[i, STEP])):
            turn, slide = joint_column(row, body, i, c)
            store(D, T + 6*(i*nv + own + c), turn + slide)
        for j in range(nv):
            w, u = twist_at(D, T + 6*(i*nv + j))
            n, f = apply(J, H, S, w, u)
            for k in range(j + 1):
                w, u = twist_at(D, T + 6*(i*nv + k))
                M[j, k] += dot(w, n) + dot(u, f)
                M[k, j] = M[j, k]
    return OK


@kernel(INVERSE)
def inverse(model, work, q, v, acc, torque):
    """torque = N_d' N_l' (M_i t_i' + M_i' t_i - outer wrench)"""
    motion(model, work.dense, q, v, acc)
    project(model, work, torque)
    return finite(torque)


@kernel(FORWARD)
def forward(model, work, q, v, torque, acc):
    """U D U' acc = phi = torque - h"""
    D, nv = work.dense, torque.shape[0]
    at = PER_ROW*model.row.shape[0]
    phi = D[at:at + nv]
    acc[:] = 0.0
    motion(model, D, q, v, acc)
    project(model, work, phi)
    for j in range(nv):
        phi[j] = torque[j] - phi[j]
    status = reduction(model, work, phi)
    if status != OK:
        return status
    substitution(model, D, acc)
    return finite(acc)


# ---- (2): wrenches that a motion takes, projected onto the joints


@leaf
def motion(model, D, q, v, acc):
    """Outward: t_i' = B_i t_p' + B_i' t_p + P_i acc_i + P_i' v_i, and the wrench that row i takes for it.          (3)

    The joint's columns are fixed in row i: P_i' v_i = (w x w_J, w x u_J). The parent sees the joint move with
    w_p x r + E u_J: that is what B_i' t_p knows. The base rises with -g, so that no link needs a weight.
    """
    row, body = model.row, model.body
    for i in range(row.shape[0]):
        E, r = joint_place(row, body, i, q)
        p = row[i, PARENT]
        wp, al, a = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), scale(-1.0, load3(model.base, GRAVITY))
        if p >= 0:
            wp, (al, a) = load3(D, PER_ROW*p + OMEGA), twist_at(D, PER_ROW*p + RATE)
        wj, uj = joint_twist(row, body, i, v)
        w = add(tmul(E, wp), wj)
        al, a = shifted_out(E, r, (al, a))
        a = add(a, tmul(E, cross(wp, add(cross(wp, r), mul(E, uj)))))
        al, a = add(al, cross(w, wj)), add(a, cross(w, uj))
        x, y = joint_twist(row, body, i, acc)
        al, a = add(al, x), add(a, y)
        n, f = newton_euler(row, body, i, w, al, a)
        store(D, PER_ROW*i, E + r + w + al + a + n + f)


@leaf
def newton_euler(row, body, i, w, al, a):
    """M_i t_i' + M_i' t_i about the joint: I al + h x a + w x I w, m a + al x h + w x (w x h)"""
    m, h, I = rigid_body(row, body, i)
    J, H, M = rigid(I, h, m)
    n, f = apply(J, H, M, al, a)
    return add(n, cross(w, smul(I, w))), add(f, cross(w, cross(w, h)))


@leaf
def project(model, work, torque):
    """Inward: s_i = own wrench - outer wrench + sum of B_c' s_c over the children, torque_i = P_i' s_i             (4)"""
    row, body, D = model.row, model.body, work.dense
    for back in range(row.shape[0]):
        i = row.shape[0] - 1 - back
        n, f = twist_at(D, PER_ROW*i + WRENCH)
        if work.note[ACTING] == 1:
            n, f = sub(n, load3(work.wrench, 6*i)), sub(f, load3(work.wrench, 6*i + 3))
        for c in range(freedoms(row[i, STEP])):
            turn, slide = joint_column(row, body, i, c)
            torque[row[i, V_AT] + c] = dot(turn, n) + dot(slide, f)
        p = row[i, PARENT]
        if p >= 0:
            n, f = shifted_in(load9(D, PER_ROW*i + PLACE), load3(D, PER_ROW*i + PLACE + 9), (n, f))
            add_to(D, PER_ROW*p + WRENCH, n + f)


# ---- U D U': pivots from the tips inward, then the answer from the base outward


@leaf
def reduction(model, work, phi):
    """Inward, the blocks of D and U [Saha 1999], for every row with its children's shares in:                      (5)

        psih = Mh P,  mh = P' psih,  psi = psih mh^-1,   phih = phi - P' eta,  eta += psi phih
        to the parent:  B' (Mh - psih psi') B,  B' eta;   kept for the way back: psi, x = mh^-1 phih
    """
    row, body, D = model.row, model.body, work.dense
    for i in range(row.shape[0]):
        m, h, I = rigid_body(row, body, i)
        J, H, M = rigid(I, h, m)
        store(D, PER_ROW*i + ARTICULATED, J + H + M)
        store(D, PER_ROW*i + ETA, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    for back in range(row.shape[0]):
        i = row.shape[0] - 1 - back
        at, many, p = PER_ROW*i, freedoms(row[i, STEP]), row[i, PARENT]
        n, f = twist_at(D, at + ETA)
        for c in range(many):
            turn, slide = joint_column(row, body, i, c)
            D[at + X + c] = phi[row[i, V_AT] + c] - (dot(turn, n) + dot(slide, f))
        status, J, H, M = pivot(row, body, D, i)
        if status != OK:
            work.note[TROUBLED] = i
            return status
        for c in range(many):
            x, y = twist_at(D, at + PSI + 6*c)
            n, f = add(n, scale(D[at + X + c], x)), add(f, scale(D[at + X + c], y))
        solve_pivot(row, D, i)
        if p >= 0:
            E, r = load9(D, at + PLACE), load3(D, at + PLACE + 9)
            n, f = shifted_in(E, r, (n, f))
            add_to(D, PER_ROW*p + ETA, n + f)
            J, H, M = rotate_inertia(E, J, H, M)
            J, H, M = shift(J, H, M, r)
            add_to(D, PER_ROW*p + ARTICULATED, J + H + M)
    return OK

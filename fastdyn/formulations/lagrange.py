"""Lagrange's equations with a dense mass matrix and the slopes of its momenta, link by link in world axes.

    T = v' M v/2,   p = M v,   N_lj = X_l p_j at v as it is                                                       (1)
    (M acc)_j + sum of v_l N_lj - N_jl v_l/2 + [v x] p = Q_j                                                      (2)

X_l is the slope along a unit rate of freedom l; sum of v_l N_lj - N_jl v_l/2 is Christoffel's sum. Ball joints and free
bases have velocities that are no rates of coordinates: [v x] p, w x H and w x P, w x H + u x P there, is what that adds
[Hamel 1904]. A_j and a_j, partial angular velocity and velocity of a mass centre, come from axes and places in the
world; no number goes from link to link but places. Springs of closures are energy here, their forces its slopes
(`rates.py`).
Source: [Raoofian et al. 2017], [Hamel 1904]; derivation in docs/theory/loops.md.
"""

from .._jit import kernel, leaf, ready
from ..algebra.dense import udu, udu_solve
from ..algebra.rotation import rotate_sym
from ..algebra.vectors import add, cross, dot, matmul, mul, scale, smul, sub
from ..layout import ACTING, FREE, GRAVITY, PARENT, SPHERICAL, STEP, TROUBLED, TURNED_SPHERICAL, V_AT
from ..status import OK
from .denoc import require_rigid_links
from .gibbs_appell import about_center
from .joints import freedoms, joint_column, joint_place
from .kinematics import load3, load9, store
from .partials import last_zero, row_of
from .recursive import finite
from .signatures import FORWARD, INVERSE, MASS

# Work.dense: the numbers of each row (turn, step from the parent's origin, arm of the mass centre, inertia about it),
# axes of the freedoms (turn, slide), those on one link's way (number, row, A_j, a_j), p (nv), h (nv), scratch (2 nv),
# N and M (nv, nv), all of it in world axes
STEP_OUT, CENTRE, INERTIA = 9, 12, 15
PER_ROW, PER_AXIS, PER_WAY = 21, 6, 8
ZERO = (0.0, 0.0, 0.0)


def dense_size(model) -> int:
    """How much of Work.dense these kernels need."""
    n, nv = len(model.row), len(model.spring)
    return PER_ROW*n + (PER_AXIS + PER_WAY + 4)*nv + 2*nv*nv


def forward_dynamics(model):
    """Kernel: acc under torque and Work.wrench at q, v; O(n^3)."""
    require_rigid_links(model, "lagrange")
    return ready(forward)


def inverse_dynamics(model):
    """Kernel: the torque that gives acc under Work.wrench at q, v: (2) less what acts from outside."""
    require_rigid_links(model, "lagrange")
    return ready(inverse)


def mass_matrix(model):
    """Kernel: M at q."""
    require_rigid_links(model, "lagrange")
    return ready(mass)


@kernel(FORWARD)
def forward(model, work, q, v, torque, acc):
    """M acc = torque - h; what (2) at that acc still misses is solved for once more."""
    D, nv = work.dense, acc.shape[0]
    at = PER_ROW*model.row.shape[0] + (PER_AXIS + PER_WAY)*nv
    h, scratch, M = D[at + nv:at + 2*nv], D[at + 2*nv:at + 4*nv], D[at + 4*nv + nv*nv:at + 4*nv + 2*nv*nv]
    M = M.reshape((nv, nv))
    places(model, D, q)
    inertia(model, D, M)
    scratch[:] = 0.0
    status = udu(M, scratch)
    if status != OK:
        work.note[TROUBLED] = row_of(model.row, last_zero(scratch))
        return status
    bias(model, work, v, h)
    acc[:] = 0.0
    rest = scratch[:nv]
    for _ in range(2):
        momenta(model, D, acc, rest)
        for j in range(nv):
            rest[j] = torque[j] - h[j] - rest[j]
        udu_solve(M, rest)
        for j in range(nv):
            acc[j] += rest[j]
    return finite(acc, acc.size)


@kernel(INVERSE)
def inverse(model, work, q, v, acc, torque):
    """torque = M acc + h"""
    D, nv = work.dense, acc.shape[0]
    at = PER_ROW*model.row.shape[0] + (PER_AXIS + PER_WAY)*nv
    h = D[at + nv:at + 2*nv]
    places(model, D, q)
    bias(model, work, v, h)
    momenta(model, D, acc, torque)
    for j in range(nv):
        torque[j] += h[j]
    return finite(torque, torque.size)


@kernel(MASS)
def mass(model, work, q, M):
    """M_jk = sum of A_j.I A_k + m a_j.a_k"""
    places(model, work.dense, q)
    inertia(model, work.dense, M)
    return OK


# ---- where everything is


@leaf
def places(model, D, q):
    """Turns, steps, arms and inertias of the rows, axes of the freedoms, world axes"""
    row, body = model.row, model.body
    F = PER_ROW*row.shape[0]
    for i in range(row.shape[0]):
        R, r = joint_place(row, body, i, q)
        p = row[i, PARENT]
        if p >= 0:
            R_p = load9(D, PER_ROW*p)
            R, r = matmul(R_p, R), mul(R_p, r)
        _, c, I = about_center(model, i)
        store(D, PER_ROW*i, R + r + mul(R, c) + rotate_sym(R, I))
        for c in range(freedoms(row[i, STEP])):
            turn, slide = joint_column(row, body, i, c)
            store(D, F + PER_AXIS*(row[i, V_AT] + c), mul(R, turn) + mul(R, slide))


@leaf
def put_way(model, D, i):
    """The freedoms on the way from link i to the base, its own first, with A_j and a_j of its centre -> how many"""
    row, count = model.row, 0
    F = PER_ROW*row.shape[0]
    at, arm, r = F + PER_AXIS*model.spring.shape[0], load3(D, PER_ROW*i + CENTRE), i
    while r >= 0:
        for c in range(freedoms(row[r, STEP])):
            j = row[r, V_AT] + c
            A, slide = load3(D, F + PER_AXIS*j), load3(D, F + PER_AXIS*j + 3)
            D[at], D[at + 1] = j, r
            store(D, at + 2, A + add(slide, cross(A, arm)))
            at += PER_WAY
            count += 1
        arm = add(arm, load3(D, PER_ROW*r + STEP_OUT))
        r = row[r, PARENT]
    return count


@leaf
def on_way(model, D, s):
    """(number, A_j, a_j) of the s-th freedom on the way"""
    at = PER_ROW*model.row.shape[0] + PER_AXIS*model.spring.shape[0] + PER_WAY*s
    return int(D[at]), load3(D, at + 2), load3(D, at + 5)


@leaf
def slope(model, D, s, t):
    """X_l (A_j, a_j) of the s-th and the t-th on the way: what is further out turns along                          (3)

        l at or before j:  A_l x A_j, A_l x a_j          l behind j:  0, A_j x a_l
    """
    at = PER_ROW*model.row.shape[0] + PER_AXIS*model.spring.shape[0] + 1
    _, A_l, a_l = on_way(model, D, s)
    _, A_j, a_j = on_way(model, D, t)
    if D[at + PER_WAY*s] <= D[at + PER_WAY*t]:
        return cross(A_l, A_j), cross(A_l, a_j)
    return ZERO, cross(A_j, a_l)


@leaf
def inertia_of(model, D, i):
    """(m, I) of link i about its mass centre"""
    m, _, _ = about_center(model, i)
    at = PER_ROW*i + INERTIA
    return m, load3(D, at) + load3(D, at + 3)


@leaf
def twist(model, D, count, x):
    """(w, u) that rates x of the freedoms on the way give the link"""
    w, u = ZERO, ZERO
    for s in range(count):
        j, A, a = on_way(model, D, s)
        w, u = add(w, scale(x[j], A)), add(u, scale(x[j], a))
    return w, u


# ---- sums over the links


@leaf
def inertia(model, D, M):
    """M_jk = sum of A_j.I A_k + m a_j.a_k"""
    M[:] = 0.0
    for i in range(model.row.shape[0]):
        m, I = inertia_of(model, D, i)
        count = put_way(model, D, i)
        for s in range(count):
            j, A, a = on_way(model, D, s)
            H, P = smul(I, A), scale(m, a)
            for t in range(count):
                k, A, a = on_way(model, D, t)
                if k <= j:
                    M[j, k] += dot(A, H) + dot(a, P)
    for j in range(M.shape[0]):
        for k in range(j):
            M[k, j] = M[j, k]


@leaf
def momenta(model, D, x, p):
    """p = M x"""
    for j in range(p.shape[0]):
        p[j] = 0.0
    for i in range(model.row.shape[0]):
        m, I = inertia_of(model, D, i)
        count = put_way(model, D, i)
        w, u = twist(model, D, count, x)
        H, P = smul(I, w), scale(m, u)
        for s in range(count):
            j, A, a = on_way(model, D, s)
            p[j] += dot(A, H) + dot(a, P)


@leaf
def bias(model, work, v, h):
    """h_j = sum of v_l N_lj - N_jl v_l/2 + ([v x] p)_j - Q_j: what (2) asks of torques at acc = 0"""
    D, nv = work.dense, v.shape[0]
    at = PER_ROW*model.row.shape[0] + (PER_AXIS + PER_WAY)*nv
    p, N = D[at:at + nv], D[at + 4*nv:at + 4*nv + nv*nv].reshape((nv, nv))
    momenta(model, D, v, p)
    for j in range(nv):
        h[j] = 0.0
    links(model, work, v, N, h)
    for j in range(nv):
        for l in range(nv):
            h[j] += v[l]*(N[l, j] - 0.5*N[j, l])
    turning(model.row, v, p, h)


@leaf
def links(model, work, v, N, h):
    """N_lj, and -Q_j on top of h

        X_l H = A_l x I w - I (A_l x w) + I X_l w,   X_l P = m X_l u,   N_lj = sum of X_l (A_j.H + a_j.P)
        Q_j = sum of A_j.(n - c x f) + a_j.(m g + f),   (n, f) the outer wrench about the joint, c the mass centre
    """
    D, g = work.dense, load3(model.base, GRAVITY)
    N[:] = 0.0
    for i in range(model.row.shape[0]):
        m, I = inertia_of(model, D, i)
        count = put_way(model, D, i)
        w, u = twist(model, D, count, v)
        H, P = smul(I, w), scale(m, u)
        for s in range(count):
            l, A_l, a_l = on_way(model, D, s)
            w_l, u_l = ZERO, ZERO
            for t in range(count):
                (j, _, _), (A, a) = on_way(model, D, t), slope(model, D, s, t)
                w_l, u_l = add(w_l, scale(v[j], A)), add(u_l, scale(v[j], a))
            H_l, P_l = add(cross(A_l, H), smul(I, sub(w_l, cross(A_l, w)))), scale(m, u_l)
            for t in range(count):
                (j, A_j, a_j), (A, a) = on_way(model, D, t), slope(model, D, s, t)
                N[l, j] += (dot(A, H) + dot(A_j, H_l)) + (dot(a, P) + dot(a_j, P_l))
            n, f = ZERO, scale(m, g)
            if work.note[ACTING] == 1:
                R = load9(D, PER_ROW*i)
                pull = mul(R, load3(work.wrench, 6*i + 3))
                n = sub(mul(R, load3(work.wrench, 6*i)), cross(load3(D, PER_ROW*i + CENTRE), pull))
                f = add(f, pull)
            h[l] -= dot(A_l, n) + dot(a_l, f)


@leaf
def turning(row, v, p, h):
    """[v x] p of ball joints and free bases, on top of h"""
    for i in range(row.shape[0]):
        step, j = row[i, STEP], row[i, V_AT]
        if step == FREE:
            u, w, P, H = load3(v, j), load3(v, j + 3), load3(p, j), load3(p, j + 3)
            store(h, j, add(load3(h, j), cross(w, P)) + add(load3(h, j + 3), add(cross(w, H), cross(u, P))))
        elif step == SPHERICAL or step == TURNED_SPHERICAL:
            store(h, j, add(load3(h, j), cross(load3(v, j), load3(p, j))))

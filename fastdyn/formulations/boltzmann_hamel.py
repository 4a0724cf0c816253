"""Boltzmann-Hamel: Lagrange's equations in quasi-velocities lambda, link by link, as the paper has them.

    d/dt(dT/d lambda) + [lambda x] dT/d lambda - S^-T dT/dq = Phi                                                 (49)

lambda of row i: u_i and w_i, velocity and angular velocity that its joint adds, along the row's own axes; [lambda x]
takes row u_i to w_i x P_i and row w_i to w_i x H_i + u_i x P_i, with P = dT/du, H = dT/dw. A joint with fewer freedoms
has the rows of its own columns. C turns components of the parent p into those of row i; R leads from joint i to the
mass centre, r from the parent's mass centre to joint i, l from the parent's joint to joint i. Numbers of equations are
those of the paper; where it is misprinted they are as corrected in docs/theory/boltzmann_hamel.md.
Source: [Khoshnood, Azad & Razavi 2016], [Boltzmann 1902], [Hamel 1904].
"""

from .._jit import kernel, leaf, ready
from ..algebra.dense import udu, udu_solve
from ..algebra.rotation import cross_matrix
from ..algebra.vectors import add, cross, dot, madd, matmul, mul, scale, smul, sub, tmul
from ..layout import ACTING, GRAVITY, PARENT, PLANE_BEAM, STEP, TROUBLED, V_AT
from ..status import OK, ModelError
from .gibbs_appell import about_center
from .joints import freedoms, joint_column, joint_place
from .kinematics import load3, load9, store
from .partials import last_zero, row_of
from .recursive import finite
from .signatures import FORWARD, INVERSE, MASS

# Work.dense: the numbers of each row, then dOmega_j/d alpha_i and dV_j/d alpha_i (rows, rows, 18), M (nv, nv), scratch
# (2 nv). Pairs of vectors: of the joint (u, w), of the mass centre (V, Omega); forces before moments.
TURN_OUT, ARM, JOINT, JOINT_SPEED, SPEED, SPEED_RATE, FALL, MOMENTA, MOMENTA_RATE, COORDINATE, PULL = (
    0, 9, 12, 18, 21, 27, 33, 36, 42, 48, 54)
PER_ROW, PER_PAIR = 60, 18
ZERO = (0.0, 0.0, 0.0)


def dense_size(model) -> int:
    """How much of Work.dense these kernels need."""
    n, nv = len(model.row), len(model.spring)
    return PER_ROW*n + PER_PAIR*n*n + nv*nv + 2*nv


def forward_dynamics(model):
    """Kernel: acc under torque and Work.wrench at q, v; O(n^3)."""
    return _of_rigid_links(model, forward)


def inverse_dynamics(model):
    """Kernel: the torque that gives acc under Work.wrench at q, v: (49) less what acts from outside; O(n^2)."""
    return _of_rigid_links(model, inverse)


def mass_matrix(model):
    """Kernel: M at q, with dT/d lambda = M lambda."""
    return _of_rigid_links(model, mass)


def _of_rigid_links(model, question):
    if (model.row[:, STEP] >= PLANE_BEAM).any():
        raise ModelError('formulation "boltzmann-hamel" is for trees of rigid links and this chain has an elastic one: '
                         'take formulation="recursive", or elastic.modes = 0')
    return ready(question)


@kernel(FORWARD)
def forward(model, work, q, v, torque, acc):
    """M acc = torque - (49) without acc; what (49) at that acc still misses is solved for once more."""
    D, n, nv = work.dense, model.row.shape[0], acc.shape[0]
    at = PER_ROW*n + PER_PAIR*n*n
    M, scratch = D[at:at + nv*nv].reshape((nv, nv)), D[at + nv*nv:at + nv*nv + 2*nv]
    inertia(model, D, q, M, scratch)
    scratch[:] = 0.0
    status = udu(M, scratch)
    if status != OK:
        work.note[TROUBLED] = row_of(model.row, last_zero(scratch))
        return status
    state(model, work, q, v)
    acc[:] = 0.0
    for _ in range(2):
        equation(model, D, acc, scratch)
        for j in range(nv):
            scratch[j] = torque[j] - scratch[j]
        udu_solve(M, scratch)
        for j in range(nv):
            acc[j] += scratch[j]
    return finite(acc, acc.size)


@kernel(INVERSE)
def inverse(model, work, q, v, acc, torque):
    """torque = left side of (49) - quasi-forces of what acts from outside"""
    state(model, work, q, v)
    equation(model, work.dense, acc, torque)
    return finite(torque, torque.size)


@kernel(MASS)
def mass(model, work, q, M):
    """The momenta of a unit rate of each freedom"""
    n, nv = model.row.shape[0], M.shape[0]
    at = PER_ROW*n + PER_PAIR*n*n + nv*nv
    inertia(model, work.dense, q, M, work.dense[at:at + 2*nv])
    return OK


# ---- what (49) is made of


@leaf
def state(model, work, q, v):
    """All of (49) that does not know the accelerations"""
    D = work.dense
    places(model, D, q)
    recursion(model, D, v)
    momenta(model, D)
    coordinate_partials(model, D)
    quasi_forces(model, work)


@leaf
def inertia(model, D, q, M, rate):
    """Columns of M are dT/d lambda for unit rates: it is linear in lambda. One triangle is taken for both."""
    places(model, D, q)
    rate[:] = 0.0
    for j in range(M.shape[0]):
        rate[j] = 1.0
        recursion(model, D, rate)
        rate[j] = 0.0
        momenta(model, D)
        for i in range(model.row.shape[0]):
            for c in range(freedoms(model.row[i, STEP])):
                k = model.row[i, V_AT] + c
                if k <= j:
                    M[k, j] = along(model, i, c, pair(D, PER_ROW*i + MOMENTA))
                    M[j, k] = M[k, j]


@leaf
def equation(model, D, acc, torque):
    """torque = d/dt P + w x P - dT/dp - force and d/dt H + w x H + u x P - dT/d alpha - moment, along each freedom (49)

    S^-T stands before dT/dp and dT/d alpha, and has done its work there.
    """
    momenta_rates(model, D, acc)
    for i in range(model.row.shape[0]):
        at = PER_ROW*i
        (u, w), (P, H), (P_dot, H_dot) = pair(D, at + JOINT), pair(D, at + MOMENTA), pair(D, at + MOMENTA_RATE)
        (dp, dalpha), (F, N) = pair(D, at + COORDINATE), pair(D, at + PULL)
        f = sub(sub(add(P_dot, cross(w, P)), dp), F)
        n = sub(sub(add(H_dot, add(cross(w, H), cross(u, P))), dalpha), N)
        for c in range(freedoms(model.row[i, STEP])):
            torque[model.row[i, V_AT] + c] = along(model, i, c, (f, n))


@leaf
def along(model, i, c, s):
    """The part of a force and a moment (f, n) that freedom c of row i feels"""
    turn, slide = joint_column(model.row, model.body, i, c)
    return dot(slide, s[0]) + dot(turn, s[1])


@leaf
def pair(D, at): return load3(D, at), load3(D, at + 3)


@leaf
def join(D, at, x):
    for c in range(len(x)):
        D[at + c] += x[c]


@leaf
def joint_rate(model, i, x):
    """(u, w): what rates x of the joint's freedoms add, along row i's own axes"""
    u, w = ZERO, ZERO
    for c in range(freedoms(model.row[i, STEP])):
        turn, slide = joint_column(model.row, model.body, i, c)
        k = x[model.row[i, V_AT] + c]
        u, w = add(u, scale(k, slide)), add(w, scale(k, turn))
    return u, w


# ---- outward: the recursion and its rate


@leaf
def places(model, D, q):
    """C' and l of every row, free fall along its axes"""
    for i in range(model.row.shape[0]):
        C_t, l = joint_place(model.row, model.body, i, q)
        p, fall = model.row[i, PARENT], load3(model.base, GRAVITY)
        if p >= 0:
            fall = load3(D, PER_ROW*p + FALL)
        store(D, PER_ROW*i + TURN_OUT, C_t + l)
        store(D, PER_ROW*i + FALL, tmul(C_t, fall))


@leaf
def from_center(model, D, i, p):
    """r: from the parent's mass centre to joint i, along the parent's axes"""
    l = load3(D, PER_ROW*i + ARM)
    if p < 0:
        return l
    _, R, _ = about_center(model, p)
    return sub(l, R)


@leaf
def recursion(model, D, v):
    """V_J = V_p + Omega_p x r,  Omega = C Omega_p + w,  V = C V_J + u + Omega x R                         (21), (68)"""
    for i in range(model.row.shape[0]):
        at, p = PER_ROW*i, model.row[i, PARENT]
        C_t, (u, w) = load9(D, at + TURN_OUT), joint_rate(model, i, v)
        _, R, _ = about_center(model, i)
        V_p, O_p = ZERO, ZERO
        if p >= 0:
            V_p, O_p = pair(D, PER_ROW*p + SPEED)
        V_J, O = add(V_p, cross(O_p, from_center(model, D, i, p))), add(tmul(C_t, O_p), w)
        V = add(add(tmul(C_t, V_J), u), cross(O, R))
        store(D, at + JOINT, u + w + V_J + V + O)


@leaf
def recursion_rate(model, D, acc):
    """d/dt of (21): C changes by -w x C, a slide moves joint i along its parent by C' u; into SPEED_RATE"""
    for i in range(model.row.shape[0]):
        at, p = PER_ROW*i, model.row[i, PARENT]
        C_t, (u, w), (u_dot, w_dot) = load9(D, at + TURN_OUT), pair(D, at + JOINT), joint_rate(model, i, acc)
        _, R, _ = about_center(model, i)
        O_p, V_dot, O_dot = ZERO, ZERO, ZERO
        if p >= 0:
            O_p, (V_dot, O_dot) = load3(D, PER_ROW*p + SPEED + 3), pair(D, PER_ROW*p + SPEED_RATE)
        V_dot = add(V_dot, add(cross(O_dot, from_center(model, D, i, p)), cross(O_p, mul(C_t, u))))
        V_dot = sub(tmul(C_t, V_dot), cross(w, tmul(C_t, load3(D, at + JOINT_SPEED))))
        O_dot = add(sub(tmul(C_t, O_dot), cross(w, tmul(C_t, O_p))), w_dot)
        V_dot = add(add(V_dot, u_dot), cross(O_dot, R))
        store(D, at + SPEED_RATE, V_dot + O_dot)


# ---- sums over the links outward of each joint: every link adds its term at the joints on its way to the base


@leaf
def clear(model, D, at):
    for i in range(model.row.shape[0]):
        store(D, PER_ROW*i + at, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))


@leaf
def felt_inward(model, D, at, k, f, n):
    """Add (f, n) at joint k to row k and, seen from their joints, to all rows inward; each joint adds one L(j, k)."""
    i = k
    while i >= 0:
        C_t, l = load9(D, PER_ROW*i + TURN_OUT), load3(D, PER_ROW*i + ARM)
        join(D, PER_ROW*i + at, f + n)
        f = mul(C_t, f)
        n = add(mul(C_t, n), cross(l, f))
        i = model.row[i, PARENT]


@leaf
def momenta(model, D):
    """P_i = sum of C' m V, H_i = sum of C' I Omega + (sum of C' L C') m V, over the links k outward of i  (52), (53)"""
    clear(model, D, MOMENTA)
    for k in range(model.row.shape[0]):
        m, R, I = about_center(model, k)
        V, O = pair(D, PER_ROW*k + SPEED)
        f = scale(m, V)
        felt_inward(model, D, MOMENTA, k, f, add(smul(I, O), cross(R, f)))


@leaf
def momenta_rates(model, D, acc):
    """d/dt of (52), (53): C' changes by C' [w x]                                                                (31)"""
    recursion_rate(model, D, acc)
    clear(model, D, MOMENTA_RATE)
    for k in range(model.row.shape[0]):
        m, R, I = about_center(model, k)
        (V, O), (V_dot, O_dot) = pair(D, PER_ROW*k + SPEED), pair(D, PER_ROW*k + SPEED_RATE)
        f, f_dot = scale(m, V), scale(m, V_dot)
        n, n_dot = add(smul(I, O), cross(R, f)), add(smul(I, O_dot), cross(R, f_dot))
        i = k
        while i >= 0:
            C_t, l, (u, w) = load9(D, PER_ROW*i + TURN_OUT), load3(D, PER_ROW*i + ARM), pair(D, PER_ROW*i + JOINT)
            join(D, PER_ROW*i + MOMENTA_RATE, f_dot + n_dot)
            f_dot, f = mul(C_t, add(f_dot, cross(w, f))), mul(C_t, f)
            n_dot = add(mul(C_t, add(n_dot, cross(w, n))), add(cross(l, f_dot), cross(mul(C_t, u), f)))
            n = add(mul(C_t, n), cross(l, f))
            i = model.row[i, PARENT]


@leaf
def quasi_forces(model, work):
    """Phi_p = sum of F, Phi_alpha = sum of u x F + M about joint i, of all that acts outward of it        (82), (83)"""
    D = work.dense
    clear(model, D, PULL)
    for k in range(model.row.shape[0]):
        m, R, _ = about_center(model, k)
        F = scale(m, load3(D, PER_ROW*k + FALL))
        N = cross(R, F)
        if work.note[ACTING] == 1:
            F, N = add(F, load3(work.wrench, 6*k + 3)), add(N, load3(work.wrench, 6*k))
        felt_inward(model, D, PULL, k, F, N)


# ---- what T knows of the coordinates


@leaf
def coordinate_partials(model, D):
    """S^-T dT/d alpha_i = sum of dV_j m V_j + dOmega_j I Omega_j over the links outward of i, into COORDINATE      (60)

    The D' of (62), (67) meets the D^-T of S^-T: neither is formed. Gradients have a row for each alpha:

        dOmega_i = -C [Omega_p x] C'                dV_i = -C [V_J x] C' + dOmega_i [R x]                   (62), (67)
        dOmega_j = dOmega_p C'      dV_j = dV_p C' + dOmega_p ([r x] C' + C' [R_j x])    of row j further out  (61, 66)

    Where a joint slides, p_i is its place on the parent: S^-T dV_j/dp_i = dOmega_j/d alpha_i, and T gives dOmega m V.
    """
    n = model.row.shape[0]
    clear(model, D, COORDINATE)
    for j in range(n):
        at, p = PER_ROW*j, model.row[j, PARENT]
        C_t, (V, O), V_J = load9(D, at + TURN_OUT), pair(D, at + SPEED), load3(D, at + JOINT_SPEED)
        m, R, I = about_center(model, j)
        Rx, rx = cross_matrix(R), cross_matrix(from_center(model, D, j, p))
        lever = madd(matmul(rx, C_t), matmul(C_t, Rx))
        O_p = ZERO
        if p >= 0:
            O_p = load3(D, PER_ROW*p + SPEED + 3)
        i = j
        while i >= 0:
            if i == j:                                  # C [x cross] C' = [C x cross]
                dO = cross_matrix(scale(-1.0, tmul(C_t, O_p)))
                dV = madd(cross_matrix(scale(-1.0, tmul(C_t, V_J))), matmul(dO, Rx))
            else:
                before = PER_ROW*n + PER_PAIR*(p*n + i)
                dO_p, dV_p = load9(D, before), load9(D, before + 9)
                dO, dV = matmul(dO_p, C_t), madd(matmul(dV_p, C_t), matmul(dO_p, lever))
            store(D, PER_ROW*n + PER_PAIR*(j*n + i), dO + dV)
            f = scale(m, V)
            join(D, PER_ROW*i + COORDINATE, mul(dO, f) + add(mul(dV, f), mul(dO, smul(I, O))))
            i = model.row[i, PARENT]

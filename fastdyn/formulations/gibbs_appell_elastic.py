"""Gibbs-Appell for chains with elastic links: I(Z) Z'' = R(Z, Z'), assembled link by link and solved densely.

    G = sum of G_link,  G_beam = 1/2 x.N x + x.b,   x = (al, a, dd) of the beam's root and modes                  (1)
    x = x0 + sum of X_j acc_j,   I_jk = sum of X_j.N X_k,   R_j = Phi_j - sum of X_j.(N x0 + b)                   (2)

N is the matrix of the beam in the axes of its root, b its Coriolis and centrifugal terms; strain, drag and viscosity
join R. Rigid bodies are beams without modes. Source: [Shafei & Shafei 2016]; derivation in docs/theory/gibbs_appell.md.
"""

from .._jit import float64, kernel, leaf
from ..algebra.dense import udu, udu_solve
from ..algebra.vectors import add, cross, dot, scale, smul, sub
from ..layout import ACTING, PARENT, Q_AT, TROUBLED, V_AT
from ..status import OK
from .elastic import (
    ALONG_B, MATRIX_D, MATRIX_K, MATRIX_SPIN, VECTOR_A, along, beam_body, centrifugal, crossing, flow_of_modes, is_beam,
    modes_of, of_matrix, push_along, row_times_modes, stretch_times_modes, stretches, times_modes, turning_of,
    turning_of_modes)
from .joints import rigid_body
from .kinematics import load3
from .partials import BIAS, FALL, OMEGA, PER_ROW, last_zero, partials, rates, row_of
from .recursive import finite
from .signatures import FORWARD, INVERSE, MASS, MODEL, VECTOR, WORK

GIBBS = float64(MODEL, WORK, VECTOR, VECTOR, VECTOR)
Z = (0.0, 0.0, 1.0)


def dense_size(n, nv):
    """Rows and partials, I, scratch of its elimination, a correction."""
    return (PER_ROW + 6*nv)*n + nv*nv + 3*nv


@kernel(FORWARD)
def forward(model, work, q, v, torque, acc):
    """I acc = R, and what is missing to the torque solved for once more: digits lost as cond(I) is large come back."""
    D, n, nv = work.dense, model.row.shape[0], acc.shape[0]
    at = (PER_ROW + 6*nv)*n
    M, scratch, step = D[at:at + nv*nv].reshape((nv, nv)), D[at + nv*nv:at + nv*nv + 2*nv], D[at + nv*nv + 2*nv:]
    partials(model, D, q, nv)
    rates(model, D, q, v)
    hessian(model, D, q, M)
    scratch[:] = 0.0
    status = udu(M, scratch)
    if status != OK:
        work.note[TROUBLED] = row_of(model.row, last_zero(scratch))
        return status
    acc[:] = 0.0
    for _ in range(2):
        gradient(model, work, q, v, acc, step)
        for j in range(nv):
            step[j] = torque[j] - step[j]
        udu_solve(M, step[:nv])
        for j in range(nv):
            acc[j] += step[j]
    return finite(acc, acc.size)


@kernel(INVERSE)
def inverse(model, work, q, v, acc, torque):
    """torque = dG/d(acc) + strain and drag - what acts from outside"""
    partials(model, work.dense, q, acc.shape[0])
    rates(model, work.dense, q, v)
    gradient(model, work, q, v, acc, torque)
    return finite(torque, torque.size)


@kernel(MASS)
def mass(model, work, q, M):
    """I(Z), the second derivatives of G"""
    partials(model, work.dense, q, M.shape[0])
    hessian(model, work.dense, q, M)
    return OK


@kernel(GIBBS)
def value(model, work, q, v, acc):
    """G; gravity, strain, drag and torques have no part in it. Terms without accelerations are left out."""
    D, G = work.dense, 0.0
    partials(model, D, q, acc.shape[0])
    rates(model, D, q, v)
    for i in range(model.row.shape[0]):
        o = frame_of(model, i)
        w, al, a = motion(model, D, o, acc, False)
        m, h, I = weight(model, i, q)
        n, f = add(smul(I, al), cross(h, a)), add(scale(m, a), cross(al, h))
        b_n, b_f = bias(model, i, q, v, w, m, h)
        G += 0.5*(dot(al, n) + dot(a, f)) + dot(al, b_n) + dot(a, b_f)
        if is_beam(model.row, i):
            at = model.row[i, V_AT]
            for j in range(modes_of(model.row, i)):
                coupling, own = mode_share(model, i, j, al, a, q, acc)
                G += acc[at + j]*(coupling + 0.5*own + mode_inertia(model, i, j, q, v, w))
    return G


# ---- what a link is: of a beam all is said in the frame at its root, that of its parent row


@leaf
def frame_of(model, i):
    """The row whose frame tells of body i"""
    return model.row[i, PARENT] if is_beam(model.row, i) else i


@leaf
def weight(model, i, q):
    """Mass, first moment and inertia about the frame's origin"""
    if is_beam(model.row, i):
        return beam_body(model, i, q)
    return rigid_body(model.row, model.body, i)


@leaf
def bias(model, i, q, v, w, m, h):
    """(moment, force) at al = a = dd = 0 of a body whose frame turns with w; in the plane, where w x I w = 0"""
    n, f = (0.0, 0.0, 0.0), cross(w, cross(w, h))
    if is_beam(model.row, i):
        at, coriolis, (along_it, across) = model.row[i, V_AT], 0.0, along(model, i)
        for j in range(modes_of(model.row, i)):
            coriolis += 2.0*w[2]*v[at + j]*centrifugal(model, i, j, q)
        n, f = scale(coriolis, Z), add(f, scale(2.0*times_modes(model, i, VECTOR_A, v, at), cross(w, across)))
        if stretches(model.row, i):
            f = add(f, scale(2.0*stretch_times_modes(model, i, ALONG_B, v, at), cross(w, along_it)))
    return n, f


@leaf
def mode_share(model, i, j, al, a, q, acc):
    """What mode j takes: for the motion of the root, for the modes' own accelerations"""
    root = turning_of(model, i, j, q)*al[2] + push_along(model, i, j, a)
    return root, row_times_modes(model, i, MATRIX_SPIN, j, acc, model.row[i, V_AT])


@leaf
def mode_inertia(model, i, j, q, v, w):
    """What mode j takes without accelerations: centrifugal and Coriolis forces"""
    return -dot(w, w)*centrifugal(model, i, j, q) - 2.0*w[2]*crossing(model, i, j, v)


@leaf
def mode_force(model, i, j, q, v, w):
    """The same with strain and drag"""
    a, at = model.row[i, Q_AT], model.row[i, V_AT]
    return (row_times_modes(model, i, MATRIX_K, j, q, a) + row_times_modes(model, i, MATRIX_D, j, v, at)
            + mode_inertia(model, i, j, q, v, w))


@leaf
def partial(model, D, i, j):
    """(A_j, a_j) of the origin of row i"""
    at = PER_ROW*model.row.shape[0] + 6*(i*model.spring.shape[0] + j)
    return load3(D, at), load3(D, at + 3)


@leaf
def motion(model, D, i, acc, falling):
    """(w, al, a) of the origin of row i; falling: less free fall"""
    at = PER_ROW*i
    w, al, a = load3(D, at + OMEGA), load3(D, at + BIAS), load3(D, at + BIAS + 3)
    if falling:
        a = sub(a, load3(D, at + FALL))
    for j in range(acc.shape[0]):
        Aj, aj = partial(model, D, i, j)
        al, a = add(al, scale(acc[j], Aj)), add(a, scale(acc[j], aj))
    return w, al, a


# ---- sums over the links


@leaf
def gradient(model, work, q, v, acc, torque):
    """torque_j = sum of A_j.(moment - outer) + a_j.(force - outer) + the modes' own shares                       (3)"""
    D, nv = work.dense, acc.shape[0]
    for j in range(nv):
        torque[j] = 0.0
    for i in range(model.row.shape[0]):
        o = frame_of(model, i)
        w, al, a = motion(model, D, o, acc, True)
        m, h, I = weight(model, i, q)
        b_n, b_f = bias(model, i, q, v, w, m, h)
        n, f = add(add(smul(I, al), cross(h, a)), b_n), add(add(scale(m, a), cross(al, h)), b_f)
        if is_beam(model.row, i):
            at = model.row[i, V_AT]
            n = add(n, scale(turning_of_modes(model, i, q, acc, at), Z))
            f = add(f, flow_of_modes(model, i, acc, at))
            for j in range(modes_of(model.row, i)):
                root, own = mode_share(model, i, j, al, a, q, acc)
                torque[at + j] += root + own + mode_force(model, i, j, q, v, w)
        for j in range(nv):
            Aj, aj = partial(model, D, o, j)
            torque[j] += dot(Aj, n) + dot(aj, f)
        if work.note[ACTING] == 1:
            n, f = load3(work.wrench, 6*i), load3(work.wrench, 6*i + 3)
            for j in range(nv):
                Aj, aj = partial(model, D, i, j)
                torque[j] -= dot(Aj, n) + dot(aj, f)


@leaf
def hessian(model, D, q, M):
    """I_jk = sum of X_j.N X_k"""
    M[:] = 0.0
    for i in range(model.row.shape[0]):
        o = frame_of(model, i)
        m, h, I = weight(model, i, q)
        for j in range(M.shape[0]):
            Aj, aj = partial(model, D, o, j)
            n, f = add(smul(I, Aj), cross(h, aj)), add(scale(m, aj), cross(Aj, h))
            for k in range(j + 1):
                Ak, ak = partial(model, D, o, k)
                M[j, k] += dot(Ak, n) + dot(ak, f)
        if is_beam(model.row, i):
            at = model.row[i, V_AT]
            for r in range(modes_of(model.row, i)):
                c = turning_of(model, i, r, q)
                for k in range(M.shape[0]):
                    Ak, ak = partial(model, D, o, k)
                    M[max(at + r, k), min(at + r, k)] += c*Ak[2] + push_along(model, i, r, ak)
                for s in range(r + 1):
                    M[at + r, at + s] += of_matrix(model, i, MATRIX_SPIN, r, s)
    for j in range(M.shape[0]):
        for k in range(j):
            M[k, j] = M[j, k]

"""Gibbs-Appell: the function G of the accelerations, dG/d(acc) = Phi, assembled link by link and solved densely.

    G = sum of m a.a/2 + al.I al/2 + al.(w x I w),   a acceleration of the mass centre, I about it                (1)
    al = al0 + sum of A_j acc_j,   a = a0 + sum of a_j acc_j                                                      (2)
    M_jk = sum of A_j.I A_k + m a_j.a_k,   h_j = sum of A_j.(I al0 + w x I w) + m a_j.a0,   M acc + h = Phi       (3)

A_j and a_j, the partial angular velocity and velocity [Kane & Levinson 1985] of freedom j, belong to every link from
joint j outward. All that is said of a link is in its own row frame. What pulls from outside, gravity too, is in Phi.
Source: [Gibbs 1879], [Appell 1899]; derivation in docs/theory/gibbs_appell.md.
"""

from .._jit import float64, kernel, leaf, ready
from ..algebra.dense import udu_solve
from ..algebra.inertia import parallel_axis
from ..algebra.vectors import add, cross, dot, scale, smul, sub
from ..layout import ACTING
from ..status import OK
from . import denoc
from . import gibbs_appell_elastic as elastic
from .elastic import bends
from .joints import rigid_body
from .kinematics import load3, store
from .partials import FALL, OMEGA, PER_ROW, acceleration, partial, partials, rates
from .recursive import finite
from .signatures import FORWARD, INVERSE, MASS, MODEL, VECTOR, WORK

GIBBS = float64(MODEL, WORK, VECTOR, VECTOR, VECTOR)           # (model, work, q, v, acc) -> G, W/s

# Work.dense: the numbers of each row, its partials (rows, nv, 6), M or U and D (nv, nv), a correction (nv), and for the
# elimination the partials at the mass centres (rows, nv, 6) and the wrenches of one of them (rows, 6)


def dense_size(model) -> int:
    """How much of Work.dense these kernels need."""
    n, nv = len(model.row), len(model.spring)
    if bends(model):
        return elastic.dense_size(n, nv)
    return max((PER_ROW + 12*nv + 6)*n + nv*nv + nv, denoc.PER_ROW*n)


def forward_dynamics(model):
    """Kernel: acc under torque and Work.wrench at q, v; O(n^3)."""
    return ready(elastic.forward if bends(model) else forward)


def inverse_dynamics(model):
    """Kernel: the torque that gives acc under Work.wrench at q, v: the gradient of G less what acts from outside."""
    return ready(elastic.inverse if bends(model) else inverse)


def mass_matrix(model):
    """Kernel: M at q, the second derivatives of G."""
    return ready(elastic.mass if bends(model) else mass)


def gibbs_function(model):
    """Kernel (model, work, q, v, acc) -> G in W/s; gravity, loads and torques have no part in it."""
    return ready(elastic.value if bends(model) else value)


@kernel(FORWARD)
def forward(model, work, q, v, torque, acc):
    """M acc = torque - h, where the pivots of the joints say that it may be solved, as in DeNOC and in the recursion.

    The answer is put in dG/d(acc), and what is missing to the torque is solved for once more: digits that were lost
    as cond(M) is large come back.
    """
    D, n, nv = work.dense, model.row.shape[0], acc.shape[0]
    status = denoc.pivots(model, work, q, acc)
    if status != OK:
        return status
    at = (PER_ROW + 6*nv)*n
    M, step, at = D[at:at + nv*nv].reshape((nv, nv)), D[at + nv*nv:at + nv*nv + nv], at + nv*nv + nv
    partials(model, D, q, nv)
    eliminate(model, D, M, D[at:at + 6*n*nv], D[at + 6*n*nv:at + 6*n*nv + 6*n])
    rates(model, D, q, v)
    acc[:] = 0.0
    for _ in range(2):
        gradient(model, work, acc, step)
        for j in range(nv):
            step[j] = torque[j] - step[j]
        udu_solve(M, step)
        for j in range(nv):
            acc[j] += step[j]
    return finite(acc, acc.size)


@kernel(INVERSE)
def inverse(model, work, q, v, acc, torque):
    """torque = dG/d(acc) - what acts from outside"""
    partials(model, work.dense, q, acc.shape[0])
    rates(model, work.dense, q, v)
    gradient(model, work, acc, torque)
    return finite(torque, torque.size)


@kernel(MASS)
def mass(model, work, q, M):
    """M_jk = d2G/d(acc_j)d(acc_k)"""
    partials(model, work.dense, q, M.shape[0])
    hessian(model, work.dense, M)
    return OK


@kernel(GIBBS)
def value(model, work, q, v, acc):
    """G = sum of m a.a/2 + al.I al/2 + al.(w x I w)"""
    D, G = work.dense, 0.0
    partials(model, D, q, acc.shape[0])
    rates(model, D, q, v)
    for i in range(model.row.shape[0]):
        m, c, I = about_center(model, i)
        w = load3(D, PER_ROW*i + OMEGA)
        al, a = acceleration(model, D, i, c, acc)
        G += gibbs(m, I, w, al, a)
    return G


# ---- what a rigid link is: its share of G, and that of the first and second derivatives


@leaf
def gibbs(m, I, w, al, a):
    return 0.5*m*dot(a, a) + 0.5*dot(al, smul(I, al)) + dot(al, cross(w, smul(I, w)))


@leaf
def gibbs_gradient(m, I, w, al, a):
    """(dG/d al, dG/d a): the moment about the mass centre and the force it takes [Euler, Newton]"""
    return add(smul(I, al), cross(w, smul(I, w))), scale(m, a)


@leaf
def gibbs_hessian(m, I, x, y):
    """The second derivatives times a step (x, y) of (al, a)"""
    return smul(I, x), scale(m, y)


@leaf
def about_center(model, i):
    """Mass, mass centre seen from the joint, inertia about it; without mass the joint is as good a centre as any."""
    m, h, I = rigid_body(model.row, model.body, i)
    c = scale(1.0/m if m > 0.0 else 0.0, h)
    return m, c, parallel_axis(I, -m, c)


# ---- sums over the links


@leaf
def gradient(model, work, acc, torque):
    """torque_j = sum of A_j.(dG/d al - outer moment) + a_j.(dG/d a - weight - outer force)                       (4)"""
    D, nv = work.dense, acc.shape[0]
    for j in range(nv):
        torque[j] = 0.0
    for i in range(model.row.shape[0]):
        m, c, I = about_center(model, i)
        al, a = acceleration(model, D, i, c, acc)
        n, f = gibbs_gradient(m, I, load3(D, PER_ROW*i + OMEGA), al, a)
        f = sub(f, scale(m, load3(D, PER_ROW*i + FALL)))
        if work.note[ACTING] == 1:
            n_o, f_o = load3(work.wrench, 6*i), load3(work.wrench, 6*i + 3)
            n, f = sub(n, sub(n_o, cross(c, f_o))), sub(f, f_o)
        for j in range(nv):
            Aj, aj = partial(model, D, i, j, c)
            torque[j] += dot(Aj, n) + dot(aj, f)


@leaf
def hessian(model, D, M):
    """M_jk = sum of A_j.I A_k + m a_j.a_k                                                                        (3)"""
    M[:] = 0.0
    for i in range(model.row.shape[0]):
        m, c, I = about_center(model, i)
        for j in range(M.shape[0]):
            Aj, aj = partial(model, D, i, j, c)
            n, f = gibbs_hessian(m, I, Aj, aj)
            for k in range(j + 1):
                Ak, ak = partial(model, D, i, k, c)
                M[j, k] += dot(Ak, n) + dot(ak, f)
                M[k, j] = M[j, k]


# ---- the dense solution


@leaf
def eliminate(model, D, M, X, Y):
    """M = U D U' from the last freedom inward, U and D into the upper triangle of M, which is not formed:           (5)

        x_j = (A_j, a_j) of all links,  D_k = x_k.M_i x_k,  U_jk = x_k.M_i x_j/D_k,  x_j -= U_jk x_k  for j < k

    Gram and Schmidt's way: what joints outside leave of a partial is small itself, no difference of large products.
    """
    n, nv = model.row.shape[0], M.shape[0]
    for i in range(n):
        _, c, _ = about_center(model, i)
        for j in range(nv):
            A, a = partial(model, D, i, j, c)
            store(X, 6*(i*nv + j), A + a)
    for k in range(nv - 1, -1, -1):
        d = 0.0
        for i in range(n):
            m, _, I = about_center(model, i)
            at = 6*(i*nv + k)
            n_i, f_i = gibbs_hessian(m, I, load3(X, at), load3(X, at + 3))
            store(Y, 6*i, n_i + f_i)
            d += dot(load3(X, at), n_i) + dot(load3(X, at + 3), f_i)
        for j in range(k):
            u = 0.0
            for i in range(n):
                at = 6*(i*nv + j)
                u += dot(load3(X, at), load3(Y, 6*i)) + dot(load3(X, at + 3), load3(Y, 6*i + 3))
            u /= d
            for i in range(n):
                for c in range(6):
                    X[6*(i*nv + j) + c] -= u*X[6*(i*nv + k) + c]
            M[j, k] = u
        M[k, k] = d

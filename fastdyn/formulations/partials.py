"""Partial velocities and bias accelerations of every row, outward: what pages that assemble M and h densely stand on.

A_j and a_j, the partial angular velocity and velocity [Kane & Levinson 1985] of freedom j, belong to every row from
joint j outward; biases are the accelerations at acc = 0. All that is said of a row is along its own frame's axes. An
elastic row's frame is that at the beam's tip; derivation in docs/theory/gibbs_appell.md.
"""

from .._jit import leaf
from ..algebra.vectors import add, cross, scale, tmul
from ..layout import GRAVITY, PARENT, STEP, V_AT
from .elastic import is_beam, row_column, row_place
from .joints import freedoms
from .kinematics import load3, load9, store

# Work.dense: the numbers of each row, then its partials (rows, nv, 6)
TURN_OUT, ARM_OUT, OMEGA, BIAS, FALL = 0, 9, 12, 15, 21
PER_ROW = 24


@leaf
def partials(model, D, q, nv):
    """A_j and the partial velocity of the joint, for every link and freedom; zero unless the joint carries the link."""
    row = model.row
    T = PER_ROW*row.shape[0]
    for i in range(row.shape[0]):
        E, r = row_place(model, i, q)
        store(D, PER_ROW*i + TURN_OUT, E + r)
        p = row[i, PARENT]
        for j in range(nv):
            A, u = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
            if p >= 0:
                A, u = load3(D, T + 6*(p*nv + j)), load3(D, T + 6*(p*nv + j) + 3)
                A, u = tmul(E, A), tmul(E, add(u, cross(A, r)))
            store(D, T + 6*(i*nv + j), A + u)
        for c in range(freedoms(row[i, STEP])):
            turn, slide = row_column(model, i, c, E)
            store(D, T + 6*(i*nv + row[i, V_AT] + c), turn + slide)


@leaf
def partial(model, D, i, j, c):
    """(A_j, a_j) of link i, its mass centre at c"""
    at = PER_ROW*model.row.shape[0] + 6*(i*model.spring.shape[0] + j)
    A = load3(D, at)
    return A, add(load3(D, at + 3), cross(A, c))


@leaf
def rates(model, D, q, v):
    """w, the bias accelerations al0 and that of the joint (those at acc = 0) and free fall, along each row's axes."""
    row = model.row
    for i in range(row.shape[0]):
        at, p = PER_ROW*i, row[i, PARENT]
        E, r = load9(D, at + TURN_OUT), load3(D, at + ARM_OUT)
        wp, al, a, fall = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), load3(model.base, GRAVITY)
        if p >= 0:
            at_p = PER_ROW*p
            wp, al, a = load3(D, at_p + OMEGA), load3(D, at_p + BIAS), load3(D, at_p + BIAS + 3)
            fall = load3(D, at_p + FALL)
        a = tmul(E, add(a, add(cross(al, r), cross(wp, cross(wp, r)))))
        wp, al = tmul(E, wp), tmul(E, al)
        wj, uj = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)          # of the joint; its columns are fixed in row i
        for c in range(freedoms(row[i, STEP])):
            turn, slide = row_column(model, i, c, E)
            x = v[row[i, V_AT] + c]
            wj, uj = add(wj, scale(x, turn)), add(uj, scale(x, slide))
        w = add(wp, wj)
        w_slide = wp if is_beam(row, i) else w             # what turns the direction a joint slides along
        al, a = add(al, cross(wp, wj)), add(a, add(cross(wp, uj), cross(w_slide, uj)))
        store(D, at + OMEGA, w + al + a + tmul(E, fall))


@leaf
def acceleration(model, D, i, c, acc):
    """(al, a) of link i, its mass centre at c: bias plus partials times acc"""
    at = PER_ROW*i
    w, al, a = load3(D, at + OMEGA), load3(D, at + BIAS), load3(D, at + BIAS + 3)
    a = add(a, add(cross(al, c), cross(w, cross(w, c))))
    for j in range(acc.shape[0]):
        Aj, aj = partial(model, D, i, j, c)
        al, a = add(al, scale(acc[j], Aj)), add(a, scale(acc[j], aj))
    return al, a


# ---- whose pivot failed, for pages that eliminate a dense M by `udu`


@leaf
def last_zero(scratch):
    """The freedom at which `udu` stopped: behind it stand the positive diagonals of those eliminated."""
    nv = scratch.shape[0]//2
    j = nv - 1
    while j > 0 and scratch[nv + j] > 0.0:
        j -= 1
    return j


@leaf
def row_of(row, j):
    """The row that freedom j belongs to"""
    i = 0
    while not row[i, V_AT] <= j < row[i, V_AT] + freedoms(row[i, STEP]):
        i += 1
    return i

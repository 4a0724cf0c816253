"""The joint-space mass matrix by composite rigid bodies: O(n) columns, each walked inward to the base.

Source: [Featherstone 2008] ch. 6. Composite of row i: everything from joint i outward, as one rigid body (m, h, I).
"""

from .._jit import kernel, leaf
from ..algebra.rotation import rotate_sym
from ..algebra.vectors import add, cross, dot, mul, sadd, scale, smul
from ..layout import PARENT, STEP, V_AT
from ..status import OK
from .elastic import (
    MATRIX_SPIN, VECTOR_A, Z, beam_body, deflecting, is_beam, of_matrix, row_column, row_place, turning_of)
from .joints import freedoms, rigid_body
from .kinematics import load3, load9, store
from .signatures import MASS

PER_ROW = 22  # numbers of Work.dense a row: E, r, then mass, first moment, inertia of the composite


def dense_size(model) -> int:
    """How much of Work.dense `mass_matrix` needs."""
    return PER_ROW*len(model.row)


@kernel(MASS)
def mass_matrix(model, work, q, M):
    """M (nv, nv), exactly symmetric."""
    row, body, D = model.row, model.body, work.dense
    for i in range(row.shape[0]):
        E, r = row_place(model, i, q)
        m, h, I = rigid_body(row, body, i)
        store(D, PER_ROW*i, E + r + (m,) + h + I)
    M[:, :] = 0.0
    for back in range(row.shape[0]):
        i = row.shape[0] - 1 - back
        E, r, m, h, I = composite(D, i)
        for c in range(freedoms(row[i, STEP])):
            turn, slide = row_column(model, i, c, E)
            n, f = add(smul(I, turn), cross(h, slide)), add(scale(m, slide), cross(turn, h))
            write_column(model, D, i, c, q, n, f, M)
        p = row[i, PARENT]
        if p >= 0:
            _, _, mp, hp, Ip = composite(D, p)
            h, I = seen_from_parent(E, r, m, h, I)
            if is_beam(row, i):
                mb, hb, Ib = beam_body(model, i, q)
                m, h, I = m + mb, add(h, hb), sadd(I, Ib)
            store(D, PER_ROW*p + 12, (mp + m,) + add(hp, h) + sadd(Ip, I))
    return OK


@leaf
def composite(D, i):
    """(E, r, m, h, I) of row i"""
    a = PER_ROW*i
    return load9(D, a), load3(D, a + 9), D[a + 12], load3(D, a + 13), load3(D, a + 16) + load3(D, a + 19)


@leaf
def seen_from_parent(E, r, m, h, I):
    """First moment and inertia in the parent's axes about the parent's origin."""
    a, I = mul(E, h), rotate_sym(E, I)
    d = 2.0*dot(r, a) + m*dot(r, r)
    b = add(scale(2.0, a), scale(m, r))                    # I + d 1 - sym(r b'), b = 2 a + m r
    return add(a, scale(m, r)), (
        I[0] + d - r[0]*b[0], I[1] - 0.5*(r[0]*b[1] + r[1]*b[0]), I[2] - 0.5*(r[0]*b[2] + r[2]*b[0]),
        I[3] + d - r[1]*b[1], I[4] - 0.5*(r[1]*b[2] + r[2]*b[1]), I[5] + d - r[2]*b[2])


@leaf
def write_column(model, D, i, c, q, n, f, M):
    """Entries of column (i, c): the wrench (n, f) it takes, felt by every joint from i to the base.

    A mode takes a wrench at the beam's tip, and one of the beam itself at its root.
    """
    row = model.row
    j, k = row[i, V_AT] + c, i
    while k >= 0:
        E, r, _, _, _ = composite(D, k)
        for d in range(freedoms(row[k, STEP])):
            turn, slide = row_column(model, k, d, E)
            entry = dot(turn, n) + dot(slide, f)
            if k == i and is_beam(row, i):
                entry += of_matrix(model, i, MATRIX_SPIN, d, c)
            if k != i or d <= c:
                M[row[k, V_AT] + d, j] = entry
                M[j, row[k, V_AT] + d] = entry
        f = mul(E, f)
        n = add(mul(E, n), cross(r, f))
        if k == i and is_beam(row, i):
            n, f = add(n, scale(turning_of(model, i, c, q), Z)), add(f, deflecting(model, i, VECTOR_A, c))
        k = row[k, PARENT]

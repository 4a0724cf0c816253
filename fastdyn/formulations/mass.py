"""The joint-space mass matrix by composite rigid bodies: O(n) columns, each walked inward to the base.

Source: [Featherstone 2008] ch. 6. Composite of row i: everything from joint i outward, as one rigid body (m, h, I).
"""

from .._jit import kernel, leaf
from ..algebra.rotation import rotate_sym
from ..algebra.vectors import add, cross, dot, mul, sadd, scale, smul
from ..layout import PARENT, STEP, V_AT
from ..status import OK
from .joints import freedoms, joint_column, joint_place, rigid_body
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
        E, r = joint_place(row, body, i, q)
        m, h, I = rigid_body(row, body, i)
        store(D, PER_ROW*i, E + r + (m,) + h + I)
    M[:, :] = 0.0
    for back in range(row.shape[0]):
        i = row.shape[0] - 1 - back
        E, r, m, h, I = composite(D, i)
        for c in range(freedoms(row[i, STEP])):
            turn, slide = joint_column(row, body, i, c)
            n, f = add(smul(I, turn), cross(h, slide)), add(scale(m, slide), cross(turn, h))
            write_column(row, body, D, i, c, n, f, M)
        p = row[i, PARENT]
        if p >= 0:
            _, _, mp, hp, Ip = composite(D, p)
            h, I = seen_from_parent(E, r, m, h, I)
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
def write_column(row, body, D, i, c, n, f, M):
    """Entries of column (i, c): the wrench (n, f) it takes, felt by every joint from i to the base."""
    j, k = row[i, V_AT] + c, i
    while k >= 0:
        for d in range(freedoms(row[k, STEP])):
            turn, slide = joint_column(row, body, k, d)
            entry = dot(turn, n) + dot(slide, f)
            if k != i or d <= c:
                M[row[k, V_AT] + d, j] = entry
                M[j, row[k, V_AT] + d] = entry
        E, r, _, _, _ = composite(D, k)
        f = mul(E, f)
        n = add(mul(E, n), cross(r, f))
        k = row[k, PARENT]

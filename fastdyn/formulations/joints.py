"""Where a joint puts its row, one ladder for all kinds: what the questions besides the dynamics are built on."""

from .._jit import leaf
from ..algebra.rotation import quaternion_matrix, turn_z
from ..algebra.sincos import sincos_any
from ..algebra.vectors import add, matmul, scale
from ..layout import (
    ARM, FIXED, FREE, INERTIA, LEVEL, MASS, MOMENT, PLANE_ALONG, PLANE_ARM, PLANE_AXIS, PLANE_BEAM, PLANE_FIXED,
    PLANE_INERTIA, PLANE_MASS, PLANE_MOMENT, PLANE_PRISMATIC, PLANE_REVOLUTE, PRISMATIC, Q_AT, REVOLUTE, SCREW,
    SPHERICAL, SQUARE, STEP, STRETCHING, TURN, TURNED_SPHERICAL)

STRAIGHT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@leaf
def numbers3(X, i, c): return X[i, c], X[i, c + 1], X[i, c + 2]


@leaf
def numbers6(X, i, c): return X[i, c], X[i, c + 1], X[i, c + 2], X[i, c + 3], X[i, c + 4], X[i, c + 5]


@leaf
def numbers9(X, i, c): return numbers6(X, i, c) + numbers3(X, i, c + 6)


@leaf
def unit3(c): return 1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0


@leaf
def modes_in(step):
    """Modes of a beam, by its STEP"""
    m = step - PLANE_BEAM
    return m if m < STRETCHING else m - STRETCHING


@leaf
def freedoms(step):
    """Number of velocity coordinates of a row"""
    if step == FREE:
        return 6
    if step == SPHERICAL or step == TURNED_SPHERICAL:
        return 3
    if step > PLANE_BEAM:
        return modes_in(step)
    return 0 if step == FIXED or step == PLANE_FIXED else 1


@leaf
def joint_place(row, body, i, q):
    """(E, r): turn of row i's frame to its parent's, and its origin there, at q."""
    step, a = row[i, STEP], row[i, Q_AT]
    if step >= PLANE_REVOLUTE:
        p = body[i, PLANE_ARM], body[i, PLANE_ARM + 1], 0.0
        if step == PLANE_REVOLUTE or step == PLANE_ALONG:
            s, c = sincos_any(q[a])
            return (c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0), p
        if step == PLANE_PRISMATIC:
            return STRAIGHT, add(p, scale(q[a], (body[i, PLANE_AXIS], body[i, PLANE_AXIS + 1], 0.0)))
        return STRAIGHT, p
    T, p = numbers9(body, i, TURN), numbers3(body, i, ARM)
    if step == SCREW or step == SQUARE or step == LEVEL or step == REVOLUTE:
        s, c = sincos_any(q[a])
        return turn_z(T, s, c), p
    if step == PRISMATIC:
        return T, add(p, scale(q[a], (T[2], T[5], T[8])))
    if step == SPHERICAL or step == TURNED_SPHERICAL:
        return matmul(T, quaternion_matrix((q[a], q[a + 1], q[a + 2], q[a + 3]))), p
    if step == FREE:
        E = matmul(T, quaternion_matrix((q[a + 3], q[a + 4], q[a + 5], q[a + 6])))
        x = q[a], q[a + 1], q[a + 2]
        return E, add(p, (T[0]*x[0] + T[1]*x[1] + T[2]*x[2], T[3]*x[0] + T[4]*x[1] + T[5]*x[2],
                          T[6]*x[0] + T[7]*x[1] + T[8]*x[2]))
    return T, p


@leaf
def joint_column(row, body, i, c):
    """(turn, slide): what a unit rate of the c-th freedom of row i adds to its twist, row frame."""
    step = row[i, STEP]
    if step == PLANE_PRISMATIC:
        return (0.0, 0.0, 0.0), (body[i, PLANE_AXIS], body[i, PLANE_AXIS + 1], 0.0)
    if step == PRISMATIC:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)
    if step == FREE and c < 3:
        return (0.0, 0.0, 0.0), unit3(c)
    if step == FREE or step == SPHERICAL or step == TURNED_SPHERICAL:
        return unit3(c - 3 if step == FREE else c), (0.0, 0.0, 0.0)
    return (0.0, 0.0, 1.0), (0.0, 0.0, 0.0)


@leaf
def rigid_body(row, body, i):
    """Mass, first moment and inertia about the joint of row i, row frame; a planar body weighs about z only."""
    if row[i, STEP] >= PLANE_REVOLUTE:
        return (body[i, PLANE_MASS], (body[i, PLANE_MOMENT], body[i, PLANE_MOMENT + 1], 0.0),
                (0.0, 0.0, 0.0, 0.0, 0.0, body[i, PLANE_INERTIA]))
    return body[i, MASS], numbers3(body, i, MOMENT), numbers6(body, i, INERTIA)

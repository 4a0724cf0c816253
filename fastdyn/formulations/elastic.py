"""What elastic rows are to the questions besides the dynamics: where their tip stands, what modes move and weigh.

A beam's row leads from the frame at its root, that of the parent row, to that at its tip; its modes are the freedoms.
Symbols as in formulations/plane_beam.py; numbers of a beam: layout.py, Model.beam.
"""

from .._jit import leaf
from ..algebra.sincos import sincos_any
from ..algebra.vectors import add, cross, dot, scale, tmul
from ..layout import (
    BEAM_AT, BEAM_INERTIA, BEAM_LENGTH, BEAM_MASS, BEAM_MODES, BEAM_MOMENT, BEAM_X, PLANE_BEAM, Q_AT, STEP, V_AT)
from .joints import joint_column, joint_place

Z = (0.0, 0.0, 1.0)
VECTOR_A, VECTOR_C, VECTOR_S, VECTOR_W = range(4)
MATRIX_C, MATRIX_SPIN, MATRIX_K, MATRIX_D, MATRIX_AIR = range(5)


def bends(model) -> bool:
    """Whether the chain has elastic rows."""
    return len(model.beam) > 0


@leaf
def is_beam(row, i): return row[i, STEP] > PLANE_BEAM


@leaf
def modes_of(row, i): return row[i, STEP] - PLANE_BEAM


@leaf
def of_vector(model, i, which, j):
    """Entry j of one of a beam's vectors"""
    return model.beam[model.row[i, BEAM_AT] + BEAM_MODES + which*modes_of(model.row, i) + j]


@leaf
def of_matrix(model, i, which, j, k):
    """Entry (j, k) of one of a beam's matrices"""
    m = modes_of(model.row, i)
    return model.beam[model.row[i, BEAM_AT] + BEAM_MODES + 4*m + (which*m + j)*m + k]


@leaf
def along(model, i):
    """e and n, root axes"""
    at = model.row[i, BEAM_AT] + BEAM_X
    x, y = model.beam[at], model.beam[at + 1]
    return (x, y, 0.0), (-y, x, 0.0)


@leaf
def times_modes(model, i, which, x, at):
    """One of the vectors times the modal numbers that start at x[at]"""
    total = 0.0
    for j in range(modes_of(model.row, i)):
        total += of_vector(model, i, which, j)*x[at + j]
    return total


@leaf
def row_times_modes(model, i, which, j, x, at):
    """Row j of one of the matrices times the modal numbers that start at x[at]"""
    total = 0.0
    for k in range(modes_of(model.row, i)):
        total += of_matrix(model, i, which, j, k)*x[at + k]
    return total


@leaf
def form_of_modes(model, i, which, x, y, at):
    """x' times one of the matrices times y, of the modal numbers that start at `at`"""
    total = 0.0
    for j in range(modes_of(model.row, i)):
        total += x[at + j]*row_times_modes(model, i, which, j, y, at)
    return total


@leaf
def row_place(model, i, q):
    """(E, r): turn of row i's frame to its parent's, and its origin there, at q; of a beam that at its tip."""
    if is_beam(model.row, i):
        e, n = along(model, i)
        at = model.row[i, Q_AT]
        l, w = model.beam[model.row[i, BEAM_AT] + BEAM_LENGTH], times_modes(model, i, VECTOR_W, q, at)
        s, c = sincos_any(times_modes(model, i, VECTOR_S, q, at))
        return (c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0), add(scale(l, e), scale(w, n))
    return joint_place(model.row, model.body, i, q)


@leaf
def row_column(model, i, c, E):
    """(turn, slide): what a unit rate of the c-th freedom of row i adds to its twist, row frame; E: see `row_place`."""
    if is_beam(model.row, i):
        return scale(of_vector(model, i, VECTOR_S, c), Z), tmul(E, deflecting(model, i, VECTOR_W, c))
    return joint_column(model.row, model.body, i, c)


@leaf
def deflecting(model, i, which, c):
    """n, times entry c of a vector: W(l), or a, the momentum of a mode's unit rate"""
    return scale(of_vector(model, i, which, c), along(model, i)[1])


@leaf
def beam_body(model, i, q):
    """Mass, first moment and inertia about the root of a bent beam, root axes."""
    at, e, n = model.row[i, BEAM_AT], *along(model, i)
    h = add(scale(model.beam[at + BEAM_MOMENT], e), scale(times_modes(model, i, VECTOR_A, q, model.row[i, Q_AT]), n))
    J = model.beam[at + BEAM_INERTIA] + form_of_modes(model, i, MATRIX_C, q, q, model.row[i, Q_AT])
    return model.beam[at + BEAM_MASS], h, (0.0, 0.0, 0.0, 0.0, 0.0, J)


@leaf
def beam_momenta(model, i, q, v, w, u):
    """(kinetic energy, momentum, angular momentum about the root) of a beam whose root has the twist (w, u)."""
    m, h, I = beam_body(model, i, q)
    at, n = model.row[i, V_AT], along(model, i)[1]
    flow = times_modes(model, i, VECTOR_A, v, at)
    turning = times_modes(model, i, VECTOR_C, v, at)
    p = add(add(scale(m, u), cross(w, h)), scale(flow, n))
    L = add(cross(h, u), scale(I[5]*w[2] + turning, Z))
    modal = turning*w[2] + flow*dot(n, u) + form_of_modes(model, i, MATRIX_SPIN, v, v, at)
    return 0.5*(dot(u, p) + dot(w, L) + modal), p, L


@leaf
def strain(model, q):
    """Energy of bending and shear of all beams"""
    energy = 0.0
    for i in range(model.row.shape[0]):
        if is_beam(model.row, i):
            energy += 0.5*form_of_modes(model, i, MATRIX_K, q, q, model.row[i, Q_AT])
    return energy

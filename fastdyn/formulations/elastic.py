"""What elastic rows are to the questions besides the dynamics: where their tip stands, what modes move and weigh.

A beam's row leads from the frame at its root, that of the parent row, to that at its tip; its modes are the freedoms.
Symbols as in formulations/plane_beam.py; numbers of a beam: layout.py, Model.beam. What stretching adds is asked for
only where modes stretch the beam.
"""

from .._jit import leaf
from ..algebra.sincos import sincos_any
from ..algebra.vectors import add, cross, dot, scale, tmul
from ..layout import (
    BEAM_AT, BEAM_INERTIA, BEAM_LENGTH, BEAM_MASS, BEAM_MATRICES, BEAM_MODES, BEAM_MOMENT, BEAM_VECTORS, BEAM_X,
    PLANE_BEAM, Q_AT, STEP, STRETCHING, STRETCH_VECTORS, V_AT)
from .joints import joint_column, joint_place, modes_in

Z = (0.0, 0.0, 1.0)
VECTOR_A, VECTOR_C, VECTOR_S, VECTOR_W = range(4)
MATRIX_C, MATRIX_SPIN, MATRIX_K, MATRIX_D, MATRIX_AIR = range(5)
ALONG_B, ALONG_D, ALONG_U = range(3)


def bends(model) -> bool:
    """Whether the chain has elastic rows."""
    return len(model.beam) > 0


@leaf
def is_beam(row, i): return row[i, STEP] > PLANE_BEAM


@leaf
def modes_of(row, i): return modes_in(row[i, STEP])


@leaf
def stretches(row, i): return row[i, STEP] > PLANE_BEAM + STRETCHING


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
def of_stretch(model, i, which, j):
    """Entry j of b, d or U(l); of a beam that stretches"""
    m = modes_of(model.row, i)
    return model.beam[model.row[i, BEAM_AT] + BEAM_MODES + (BEAM_VECTORS + which)*m + BEAM_MATRICES*m*m + j]


@leaf
def of_cross(model, i, j, k):
    """Entry (j, k) of B; of a beam that stretches"""
    m = modes_of(model.row, i)
    return model.beam[model.row[i, BEAM_AT] + BEAM_MODES + (BEAM_VECTORS + STRETCH_VECTORS + j)*m
                      + BEAM_MATRICES*m*m + k]


@leaf
def stretch_times_modes(model, i, which, x, at):
    """b, d or U(l) times the modal numbers that start at x[at]; 0 where nothing stretches"""
    total = 0.0
    if stretches(model.row, i):
        for j in range(modes_of(model.row, i)):
            total += of_stretch(model, i, which, j)*x[at + j]
    return total


@leaf
def turning_of(model, i, j, q):
    """c_j + (B' delta)_j: angular momentum of a unit rate of mode j about the root"""
    total, at = of_vector(model, i, VECTOR_C, j), model.row[i, Q_AT]
    if stretches(model.row, i):
        for k in range(modes_of(model.row, i)):
            total += of_cross(model, i, k, j)*q[at + k]
    return total


@leaf
def turning_of_modes(model, i, q, x, at):
    """The same, times the modal numbers that start at x[at]"""
    total = 0.0
    for j in range(modes_of(model.row, i)):
        total += turning_of(model, i, j, q)*x[at + j]
    return total


@leaf
def centrifugal(model, i, j, q):
    """d_j + (C delta)_j: what mode j feels of the square of the root's speed of turning"""
    total = row_times_modes(model, i, MATRIX_C, j, q, model.row[i, Q_AT])
    return total + of_stretch(model, i, ALONG_D, j) if stretches(model.row, i) else total


@leaf
def crossing(model, i, j, v):
    """(B delta')_j: what mode j feels of the rates of the others where the root turns; 0 where nothing stretches"""
    total, at = 0.0, model.row[i, V_AT]
    if stretches(model.row, i):
        for k in range(modes_of(model.row, i)):
            total += of_cross(model, i, j, k)*v[at + k]
    return total


@leaf
def push_along(model, i, j, a):
    """(a_j n + b_j e).a: the force on mode j where the root accelerates by a"""
    e, n = along(model, i)
    force = of_vector(model, i, VECTOR_A, j)*dot(n, a)
    return force + of_stretch(model, i, ALONG_B, j)*dot(e, a) if stretches(model.row, i) else force


@leaf
def flow_of_modes(model, i, x, at):
    """(a.x) n + (b.x) e: momentum of the modes' rates x"""
    e, n = along(model, i)
    flow = scale(times_modes(model, i, VECTOR_A, x, at), n)
    return add(flow, scale(stretch_times_modes(model, i, ALONG_B, x, at), e)) if stretches(model.row, i) else flow


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
        if stretches(model.row, i):
            l += stretch_times_modes(model, i, ALONG_U, q, at)
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
    """W_c n + U_c e, how a unit of mode c moves the tip; with VECTOR_A a_c n + b_c e, the momentum of its unit rate"""
    e, n = along(model, i)
    x = scale(of_vector(model, i, which, c), n)
    if stretches(model.row, i):
        x = add(x, scale(of_stretch(model, i, ALONG_U if which == VECTOR_W else ALONG_B, c), e))
    return x


@leaf
def beam_body(model, i, q):
    """Mass, first moment and inertia about the root of a bent beam, root axes."""
    at, e, n, first = model.row[i, BEAM_AT], *along(model, i), model.row[i, Q_AT]
    h = add(scale(model.beam[at + BEAM_MOMENT], e), scale(times_modes(model, i, VECTOR_A, q, first), n))
    J = model.beam[at + BEAM_INERTIA] + form_of_modes(model, i, MATRIX_C, q, q, first)
    if stretches(model.row, i):
        h = add(h, scale(stretch_times_modes(model, i, ALONG_B, q, first), e))
        J += 2.0*stretch_times_modes(model, i, ALONG_D, q, first)
    return model.beam[at + BEAM_MASS], h, (0.0, 0.0, 0.0, 0.0, 0.0, J)


@leaf
def beam_momenta(model, i, q, v, w, u):
    """(kinetic energy, momentum, angular momentum about the root) of a beam whose root has the twist (w, u)."""
    m, h, I = beam_body(model, i, q)
    at, e, n = model.row[i, V_AT], *along(model, i)
    flow, turning = times_modes(model, i, VECTOR_A, v, at), turning_of_modes(model, i, q, v, at)
    p = add(add(scale(m, u), cross(w, h)), scale(flow, n))
    pushed = flow*dot(n, u)
    if stretches(model.row, i):
        flow = stretch_times_modes(model, i, ALONG_B, v, at)
        p, pushed = add(p, scale(flow, e)), pushed + flow*dot(e, u)
    L = add(cross(h, u), scale(I[5]*w[2] + turning, Z))
    modal = turning*w[2] + pushed + form_of_modes(model, i, MATRIX_SPIN, v, v, at)
    return 0.5*(dot(u, p) + dot(w, L) + modal), p, L


@leaf
def strain(model, q):
    """Energy of bending, shear and stretching of all beams"""
    energy = 0.0
    for i in range(model.row.shape[0]):
        if is_beam(model.row, i):
            energy += 0.5*form_of_modes(model, i, MATRIX_K, q, q, model.row[i, Q_AT])
    return energy

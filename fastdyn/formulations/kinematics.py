"""Places, speeds and totals: poses of all rows, their twists, energy and momentum, Jacobians. All O(n)."""

from .._jit import float64, int64, kernel, leaf
from ..algebra.rotation import quaternion_log
from ..algebra.vectors import add, cross, dot, matmul, mul, scale, smul, sub, tmul
from ..layout import BASE_TURN, GRAVITY, PARENT, Q_AT, SPHERICAL, STEP, STIFFNESS, TURNED_SPHERICAL, V_AT
from ..laws.joint import spring_energy
from .elastic import (
    VECTOR_S, VECTOR_W, Z, beam_body, beam_momenta, deflecting, is_beam, of_vector, row_column, row_place, strain)
from .joints import freedoms, joint_column, rigid_body
from .signatures import MATRIX, MODEL, VECTOR
from .stretch import closure_energy

KINETIC, GRAVITATIONAL, SPRINGS, LINEAR, ANGULAR, TOTAL_MASS, CENTER, STRAIN = 0, 1, 2, 3, 6, 9, 10, 13
TOTALS = 14


@leaf
def load3(X, at): return X[at], X[at + 1], X[at + 2]


@leaf
def load9(X, at): return load3(X, at) + load3(X, at + 3) + load3(X, at + 6)


@leaf
def store(X, at, x):
    for c in range(len(x)):
        X[at + c] = x[c]


@leaf
def fill_poses(model, q, pose):
    base = (load9(model.base, BASE_TURN))
    for i in range(model.row.shape[0]):
        E, r = row_place(model, i, q)
        p = model.row[i, PARENT]
        R, x = (base, (0.0, 0.0, 0.0)) if p < 0 else (load9(pose, 12*p), load3(pose, 12*p + 9))
        store(pose, 12*i, matmul(R, E) + add(x, mul(R, r)))


@kernel(int64(MODEL, VECTOR, VECTOR))
def poses(model, q, pose):
    """pose[12 i:]: turn of row frame i to the world (9) and its origin there (3)."""
    fill_poses(model, q, pose)
    return 0


@leaf
def fill_twists(model, q, v, twist):
    for i in range(model.row.shape[0]):
        E, r = row_place(model, i, q)
        p, j = model.row[i, PARENT], model.row[i, V_AT]
        w, u = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if p >= 0:
            wp, up = load3(twist, 6*p), load3(twist, 6*p + 3)
            w, u = tmul(E, wp), tmul(E, add(up, cross(wp, r)))
        for c in range(freedoms(model.row[i, STEP])):
            turn, slide = row_column(model, i, c, E)
            w, u = add(w, scale(v[j + c], turn)), add(u, scale(v[j + c], slide))
        store(twist, 6*i, w + u)


@kernel(int64(MODEL, VECTOR, VECTOR, VECTOR))
def twists(model, q, v, twist):
    """twist[6 i:]: angular velocity of row i and velocity of its origin, row frame."""
    fill_twists(model, q, v, twist)
    return 0


@kernel(int64(MODEL, VECTOR, VECTOR, VECTOR, VECTOR, VECTOR))
def accelerations(model, q, v, acc, twist, rate):
    """rate[6 i:]: angular acceleration of row i and acceleration of its origin, row frame; twist: see `twists`.

    Joint i moves along its parent with w_p x r + u_J: this is E' (w_p x (w_p x r) + w_p x u_J). Its columns turn with
    row i, those of a beam with its root: this is w x u_J, or w_p x u_J.
    """
    fill_twists(model, q, v, twist)
    for i in range(model.row.shape[0]):
        E, r = row_place(model, i, q)
        p, j = model.row[i, PARENT], model.row[i, V_AT]
        w, wp, al, a = load3(twist, 6*i), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if p >= 0:
            wp, al, a = load3(twist, 6*p), load3(rate, 6*p), load3(rate, 6*p + 3)
        a = tmul(E, add(a, add(cross(al, r), cross(wp, cross(wp, r)))))
        wp, al, uj = tmul(E, wp), tmul(E, al), (0.0, 0.0, 0.0)
        for c in range(freedoms(model.row[i, STEP])):
            turn, slide = row_column(model, i, c, E)
            uj = add(uj, scale(v[j + c], slide))
            al, a = add(al, scale(acc[j + c], turn)), add(a, scale(acc[j + c], slide))
        turning = wp if is_beam(model.row, i) else w
        store(rate, 6*i, add(al, cross(wp, w)) + add(a, add(cross(wp, uj), cross(turning, uj))))
    return 0


@kernel(int64(MODEL, VECTOR, VECTOR, VECTOR, VECTOR, VECTOR))
def totals(model, q, v, pose, twist, total):
    """Energies, momenta about the world origin, mass and first moment of mass of the whole chain."""
    fill_poses(model, q, pose)
    fill_twists(model, q, v, twist)
    kinetic, mass, first, P, H = 0.0, 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for i in range(model.row.shape[0]):
        j = model.row[i, PARENT] if is_beam(model.row, i) else i
        w, u, R, x = load3(twist, 6*j), load3(twist, 6*j + 3), load9(pose, 12*j), load3(pose, 12*j + 9)
        if j == i:
            m, h, I = rigid_body(model.row, model.body, i)
            p, a = add(scale(m, u), cross(w, h)), add(smul(I, w), cross(h, u))
            energy = 0.5*(dot(u, p) + dot(w, a))
        else:
            m, h, I = beam_body(model, i, q)
            energy, p, a = beam_momenta(model, i, q, v, w, u)
        kinetic += energy
        p = mul(R, p)
        P, H = add(P, p), add(H, add(mul(R, a), cross(x, p)))
        mass, first = mass + m, add(first, add(scale(m, x), mul(R, h)))
    fall = mul(load9(model.base, BASE_TURN), load3(model.base, GRAVITY))
    springs = stored(model, q) + closure_energy(model, pose)
    store(total, 0, (kinetic, -dot(fall, first), springs) + P + H + (mass,) + first + (strain(model, q),))
    return 0


@leaf
def stored(model, q):
    """Energy in the springs and limits of the joints"""
    energy = 0.0
    for i in range(model.row.shape[0]):
        step, a, j = model.row[i, STEP], model.row[i, Q_AT], model.row[i, V_AT]
        if step == SPHERICAL or step == TURNED_SPHERICAL:
            r = quaternion_log((q[a], q[a + 1], q[a + 2], q[a + 3]))
            energy += 0.5*model.spring[j, STIFFNESS]*dot(r, r)
        elif freedoms(step) == 1:
            energy += spring_energy(model.spring, j, q[a])
    return energy


@kernel(int64(MODEL, VECTOR, int64, float64, float64, float64, MATRIX))
def jacobian(model, pose, target, x, y, z, J):
    """J (6, nv): velocity and angular velocity, world axes, of the world point (x, y, z) carried by a row, per rate."""
    J[:, :] = 0.0
    i = target
    while i >= 0:
        R, o, j = load9(pose, 12*i), load3(pose, 12*i + 9), model.row[i, V_AT]
        for c in range(freedoms(model.row[i, STEP])):
            if is_beam(model.row, i):
                turn = scale(of_vector(model, i, VECTOR_S, c), Z)
                slide = mul(load9(pose, 12*model.row[i, PARENT]), deflecting(model, i, VECTOR_W, c))
            else:
                turn, slide = joint_column(model.row, model.body, i, c)
                turn, slide = mul(R, turn), mul(R, slide)
            slide = add(slide, cross(turn, sub((x, y, z), o)))
            for d in range(3):
                J[d, j + c], J[3 + d, j + c] = slide[d], turn[d]
        i = model.row[i, PARENT]
    return 0

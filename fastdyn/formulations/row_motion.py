"""Motion of all rows into Work.motion: in the plane world axes, in space the rows' own beside Work.pose.

In the plane a row has (cos, sin) and place, then angular velocity and velocity, then angular acceleration and
acceleration of its origin; in space twist (angular velocity, velocity) and its rate of change (angular acceleration,
acceleration of the origin).
"""

from .._jit import leaf
from ..algebra.sincos import sincos_any
from ..algebra.vectors import add, cross, scale, tmul
from ..layout import (
    BEAM_AT, BEAM_LENGTH, MOTION, PARENT, PLANE_ALONG, PLANE_ARM, PLANE_AXIS, PLANE_PRISMATIC, PLANE_REVOLUTE, Q_AT,
    STEP, V_AT)
from .elastic import (
    ALONG_U, VECTOR_S, VECTOR_W, along, is_beam, row_column, row_place, stretch_times_modes, stretches, times_modes)
from .joints import freedoms
from .kinematics import fill_poses, load3, store

PLACES, SPEEDS, ACCELERATIONS = range(3)


@leaf
def rotated(c, s, x): return c*x[0] - s*x[1], s*x[0] + c*x[1]


@leaf
def step_in_plane(model, i, q, v, acc, depth):
    """(turn, its rate, its acceleration, arm, its rate, its acceleration) of row i in its parent's axes"""
    row, body, step, a, j = model.row, model.body, model.row[i, STEP], model.row[i, Q_AT], model.row[i, V_AT]
    turn, w, al, u, x = 0.0, 0.0, 0.0, (0.0, 0.0), (0.0, 0.0)
    if is_beam(row, i):
        e, n = along(model, i)
        l, d = model.beam[row[i, BEAM_AT] + BEAM_LENGTH], times_modes(model, i, VECTOR_W, q, a)
        if stretches(row, i):
            l += stretch_times_modes(model, i, ALONG_U, q, a)
        turn, r = times_modes(model, i, VECTOR_S, q, a), (l*e[0] + d*n[0], l*e[1] + d*n[1])
        if depth >= SPEEDS:
            rate = times_modes(model, i, VECTOR_W, v, j)
            w, u = times_modes(model, i, VECTOR_S, v, j), (rate*n[0], rate*n[1])
            if stretches(row, i):
                rate = stretch_times_modes(model, i, ALONG_U, v, j)
                u = u[0] + rate*e[0], u[1] + rate*e[1]
        if depth >= ACCELERATIONS:
            rate = times_modes(model, i, VECTOR_W, acc, j)
            al, x = times_modes(model, i, VECTOR_S, acc, j), (rate*n[0], rate*n[1])
            if stretches(row, i):
                rate = stretch_times_modes(model, i, ALONG_U, acc, j)
                x = x[0] + rate*e[0], x[1] + rate*e[1]
        return turn, w, al, r, u, x
    r, s = (body[i, PLANE_ARM], body[i, PLANE_ARM + 1]), (body[i, PLANE_AXIS], body[i, PLANE_AXIS + 1])
    if step == PLANE_REVOLUTE or step == PLANE_ALONG:
        turn = q[a]
        if depth >= SPEEDS:
            w = v[j]
        if depth >= ACCELERATIONS:
            al = acc[j]
    elif step == PLANE_PRISMATIC:
        r = r[0] + q[a]*s[0], r[1] + q[a]*s[1]
        if depth >= SPEEDS:
            u = v[j]*s[0], v[j]*s[1]
        if depth >= ACCELERATIONS:
            x = acc[j]*s[0], acc[j]*s[1]
    return turn, w, al, r, u, x


def motion_in_plane(depth):
    """Leaf: Work.motion of all rows of a planar chain, up to places, speeds or accelerations."""
    @leaf
    def fill(model, work, q, v, acc):
        M = work.motion
        for i in range(model.row.shape[0]):
            turn, w, al, r, u, x = step_in_plane(model, i, q, v, acc, depth)
            sine, cosine = sincos_any(turn)
            p, at = model.row[i, PARENT], MOTION*i
            if p >= 0:
                m = MOTION*p
                c, s = M[m], M[m + 1]
                r = rotated(c, s, r)
                store(M, at, rotated(c, s, (cosine, sine)) + (M[m + 2] + r[0], M[m + 3] + r[1]))
                if depth >= SPEEDS:
                    wp, u = M[m + 4], rotated(c, s, u)
                    store(M, at + 4, (wp + w, M[m + 5] - wp*r[1] + u[0], M[m + 6] + wp*r[0] + u[1]))
                if depth >= ACCELERATIONS:
                    ap, x = M[m + 7], rotated(c, s, x)
                    store(M, at + 7, (ap + al,
                                      M[m + 8] - ap*r[1] - wp*wp*r[0] - 2.0*wp*u[1] + x[0],
                                      M[m + 9] + ap*r[0] - wp*wp*r[1] + 2.0*wp*u[0] + x[1]))
            else:
                store(M, at, (cosine, sine) + r)
                if depth >= SPEEDS:
                    store(M, at + 4, (w,) + u)
                if depth >= ACCELERATIONS:
                    store(M, at + 7, (al,) + x)

    return fill


def motion_in_space(depth):
    """Leaf: Work.pose of all rows of a spatial chain, Work.motion up to speeds or accelerations."""
    @leaf
    def fill(model, work, q, v, acc):
        M = work.motion
        fill_poses(model, q, work.pose)
        if depth >= SPEEDS:
            for i in range(model.row.shape[0]):
                E, r = row_place(model, i, q)
                wp, u, al, a = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
                p, j = model.row[i, PARENT], model.row[i, V_AT]
                if p >= 0:
                    m = MOTION*p
                    wp, u = load3(M, m), load3(M, m + 3)
                    if depth >= ACCELERATIONS:
                        al, a = load3(M, m + 6), load3(M, m + 9)
                        a = tmul(E, add(a, add(cross(al, r), cross(wp, cross(wp, r)))))
                    wp, u, al = tmul(E, wp), tmul(E, add(u, cross(wp, r))), tmul(E, al)
                wj, uj = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
                for c in range(freedoms(model.row[i, STEP])):
                    turn, slide = row_column(model, i, c, E)
                    wj, uj = add(wj, scale(v[j + c], turn)), add(uj, scale(v[j + c], slide))
                    if depth >= ACCELERATIONS:
                        al, a = add(al, scale(acc[j + c], turn)), add(a, scale(acc[j + c], slide))
                w = add(wp, wj)
                store(M, MOTION*i, w + add(u, uj))
                if depth >= ACCELERATIONS:
                    al, a = add(al, cross(wp, wj)), add(a, add(cross(wp, uj), cross(w, uj)))
                    store(M, MOTION*i + 6, al + a)

    return fill

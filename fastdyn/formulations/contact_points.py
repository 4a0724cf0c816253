"""Points that may touch a ground, in the plane and in space: where they are, how fast, and how they are pushed.

World axes, 3-tuples; in the plane everything along z is zero.
"""

from types import SimpleNamespace

from .._jit import leaf
from ..algebra.vectors import add, cross, dot, mul, scale, sub, tmul
from ..laws.friction import creeping_friction, creeping_friction_in_space
from ..layout import CONTACT_AT, CONTACT_NORMAL, CONTACT_ROW, MOTION
from .joints import numbers3
from .kinematics import load3, load9, store
from .row_motion import ACCELERATIONS, PLACES, SPEEDS, motion_in_plane, motion_in_space, rotated


@leaf
def row_of(model, k): return int(model.contact[k, CONTACT_ROW])


@leaf
def normal_of(model, k): return numbers3(model.contact, k, CONTACT_NORMAL)


@leaf
def along_ground(n, u):
    """What of u is in the ground with the normal n"""
    return sub(u, scale(dot(n, u), n))


def points_in_plane():
    """Leaves for a planar chain; the tangent of a ground is its normal turned by a quarter against the clock hand."""
    places, speeds, accelerations = map(motion_in_plane, (PLACES, SPEEDS, ACCELERATIONS))

    @leaf
    def arm(model, M, k):
        at = MOTION*row_of(model, k)
        return rotated(M[at], M[at + 1], (model.contact[k, CONTACT_AT], model.contact[k, CONTACT_AT + 1]))

    @leaf
    def place(model, work, k):
        M, at = work.motion, MOTION*row_of(model, k)
        r = arm(model, M, k)
        return M[at + 2] + r[0], M[at + 3] + r[1], 0.0

    @leaf
    def velocity(model, work, k):
        M, at = work.motion, MOTION*row_of(model, k)
        r, w = arm(model, M, k), M[at + 4]
        return M[at + 5] - w*r[1], M[at + 6] + w*r[0], 0.0

    @leaf
    def acceleration(model, work, k):
        M, at = work.motion, MOTION*row_of(model, k)
        r, w, al = arm(model, M, k), M[at + 4], M[at + 7]
        return M[at + 8] - al*r[1] - w*w*r[0], M[at + 9] + al*r[0] - w*w*r[1], 0.0

    @leaf
    def slip(n, u):
        """Along the tangent (n_y, -n_x)"""
        return n[1]*u[0] - n[0]*u[1]

    @leaf
    def rub(law, p, N, n, u):
        """(friction, the same along the slip's tangent, N)"""
        F = creeping_friction(law, p, N, slip(n, u))
        return (F*n[1], -F*n[0], 0.0), F

    @leaf
    def push(model, work, k, f):
        """The force f on the point joins Work.wrench."""
        M, i = work.motion, row_of(model, k)
        r, c, s, at = arm(model, M, k), M[MOTION*i], M[MOTION*i + 1], 6*i + 2
        work.wrench[at] += r[0]*f[1] - r[1]*f[0]
        work.wrench[at + 1] += c*f[0] + s*f[1]
        work.wrench[at + 2] += c*f[1] - s*f[0]

    return SimpleNamespace(**locals())


def points_in_space():
    """The same for a spatial chain; there the slip is a speed, and friction along its direction counts against it."""
    places, speeds, accelerations = map(motion_in_space, (PLACES, SPEEDS, ACCELERATIONS))

    @leaf
    def arm(model, k): return numbers3(model.contact, k, CONTACT_AT)

    @leaf
    def turn(model, work, k): return load9(work.pose, 12*row_of(model, k))

    @leaf
    def place(model, work, k):
        return add(load3(work.pose, 12*row_of(model, k) + 9), mul(turn(model, work, k), arm(model, k)))

    @leaf
    def velocity(model, work, k):
        M, at = work.motion, MOTION*row_of(model, k)
        return mul(turn(model, work, k), add(load3(M, at + 3), cross(load3(M, at), arm(model, k))))

    @leaf
    def acceleration(model, work, k):
        M, at, r = work.motion, MOTION*row_of(model, k), arm(model, k)
        w = load3(M, at)
        a = add(load3(M, at + 9), add(cross(load3(M, at + 6), r), cross(w, cross(w, r))))
        return mul(turn(model, work, k), a)

    @leaf
    def slip(n, u):
        s = along_ground(n, u)
        return dot(s, s)**0.5

    @leaf
    def rub(law, p, N, n, u):
        f = creeping_friction_in_space(law, p, N, along_ground(n, u))
        s = slip(n, u)
        return f, (dot(f, u)/s if s > 0.0 else 0.0)

    @leaf
    def push(model, work, k, f):
        i = row_of(model, k)
        f = tmul(turn(model, work, k), f)
        store(work.wrench, 6*i, add(load3(work.wrench, 6*i), cross(arm(model, k), f))
              + add(load3(work.wrench, 6*i + 3), f))

    return SimpleNamespace(**locals())

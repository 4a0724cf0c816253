"""Points of a chain that touch a ground: where they are and how fast, the forces on them, and when they come and go.

A **contact** is a row of Model.contact: a point and a ground. Its part of the state is the speed it began with, 0 while
it does not touch; so forces follow from the state alone. Its switching functions: the gap (falling: it touches, rising:
it parts) and, while it touches, the slip speed less each of the two speeds where its friction law has a kink.
"""

from .._jit import int64, kernel, leaf
from ..algebra.sincos import sincos_any
from ..laws.contact import normal_force, normal_force_rate
from ..laws.friction import friction, kinks
from ..layout import (
    BEAM_AT, BEAM_LENGTH, CONTACT_AT, CONTACT_FRICTION, CONTACT_FRICTION_NUMBERS, CONTACT_LAW, CONTACT_LEVEL,
    CONTACT_NORMAL, CONTACT_NUMBERS, CONTACT_ROW, LOG, LOGGED, MOTION, PARENT, PLANE_ALONG, PLANE_ARM, PLANE_AXIS,
    PLANE_PRISMATIC, PLANE_REVOLUTE, Q_AT, STEP, V_AT)
from .elastic import VECTOR_S, VECTOR_W, along, is_beam, times_modes
from .kinematics import store
from .signatures import MATRIX, MODEL, WORK

FUNCTIONS = 3               # switching functions of a contact: the gap, the two kinks of friction
PLACES, SPEEDS, ACCELERATIONS = range(3)
LINES = 2                   # of the log a contact may need for one step
SAMPLE = 6                  # numbers of a contact in a stored state
STILL = 5e-324              # m/s: a contact that begins with no speed at all touches all the same


@leaf
def numbers5(X, i, c): return X[i, c], X[i, c + 1], X[i, c + 2], X[i, c + 3], X[i, c + 4]


@leaf
def rotated(c, s, x): return c*x[0] - s*x[1], s*x[0] + c*x[1]


# ---- motion of all rows in the plane, world axes: (cos, sin), place; w, velocity; al, acceleration


@leaf
def step_in_plane(model, i, q, v, acc, depth):
    """(turn, its rate, its acceleration, arm, its rate, its acceleration) of row i in its parent's axes"""
    row, body, step, a, j = model.row, model.body, model.row[i, STEP], model.row[i, Q_AT], model.row[i, V_AT]
    turn, w, al, u, x = 0.0, 0.0, 0.0, (0.0, 0.0), (0.0, 0.0)
    if is_beam(row, i):
        e, n = along(model, i)
        l, d = model.beam[row[i, BEAM_AT] + BEAM_LENGTH], times_modes(model, i, VECTOR_W, q, a)
        turn, r = times_modes(model, i, VECTOR_S, q, a), (l*e[0] + d*n[0], l*e[1] + d*n[1])
        if depth >= SPEEDS:
            rate = times_modes(model, i, VECTOR_W, v, j)
            w, u = times_modes(model, i, VECTOR_S, v, j), (rate*n[0], rate*n[1])
        if depth >= ACCELERATIONS:
            rate = times_modes(model, i, VECTOR_W, acc, j)
            al, x = times_modes(model, i, VECTOR_S, acc, j), (rate*n[0], rate*n[1])
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
    """Leaf: Work.motion of all rows up to places, speeds or accelerations."""
    @leaf
    def fill(model, q, v, acc, M):
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


places_in_plane, speeds_in_plane, accelerations_in_plane = map(motion_in_plane, (PLACES, SPEEDS, ACCELERATIONS))


# ---- one contact


@leaf
def ground_of(model, k):
    """Normal and tangent of the ground of contact k in the plane, world axes"""
    x, y = model.contact[k, CONTACT_NORMAL], model.contact[k, CONTACT_NORMAL + 1]
    return (x, y), (y, -x)


@leaf
def arm_of(model, k, M):
    """From the origin of the row to the point of contact k, world axes"""
    at = MOTION*int(model.contact[k, CONTACT_ROW])
    return rotated(M[at], M[at + 1], (model.contact[k, CONTACT_AT], model.contact[k, CONTACT_AT + 1]))


@leaf
def gap(model, k, M):
    """m above the ground"""
    at, n, r = MOTION*int(model.contact[k, CONTACT_ROW]), ground_of(model, k)[0], arm_of(model, k, M)
    return n[0]*(M[at + 2] + r[0]) + n[1]*(M[at + 3] + r[1]) - model.contact[k, CONTACT_LEVEL]


@leaf
def speeds(model, k, M):
    """(rate of the depth, slip), m/s"""
    at, (n, t), r = MOTION*int(model.contact[k, CONTACT_ROW]), ground_of(model, k), arm_of(model, k, M)
    w, u = M[at + 4], (M[at + 5], M[at + 6])
    u = u[0] - w*r[1], u[1] + w*r[0]
    return -(n[0]*u[0] + n[1]*u[1]), t[0]*u[0] + t[1]*u[1]


@leaf
def depth_acceleration(model, k, M):
    """m/s^2"""
    at, n, r = MOTION*int(model.contact[k, CONTACT_ROW]), ground_of(model, k)[0], arm_of(model, k, M)
    w, al, a = M[at + 4], M[at + 7], (M[at + 8], M[at + 9])
    return -(n[0]*(a[0] - al*r[1] - w*w*r[0]) + n[1]*(a[1] + al*r[0] - w*w*r[1]))


@leaf
def laws_of(model, k, depth, rate, slip, touch, hold):
    """(normal force, friction along the tangent) of contact k, N"""
    c = model.contact
    N = normal_force(int(c[k, CONTACT_LAW]), numbers5(c, k, CONTACT_NUMBERS), depth, rate, touch)
    return N, friction(int(c[k, CONTACT_FRICTION]), numbers5(c, k, CONTACT_FRICTION_NUMBERS), N, slip, hold)


@leaf
def force_of(model, k, M, touch):
    """(normal force, friction, rate of the depth, slip) of a contact that touches"""
    rate, slip = speeds(model, k, M)
    N, F = laws_of(model, k, -gap(model, k, M), rate, slip, touch, 0.0)
    return N, F, rate, slip


@leaf
def any_touch(model, touch):
    """Whether one of the contacts touches"""
    found = False
    for k in range(model.contact.shape[0]):
        found = found | (touch[k] > 0.0)
    return found


@leaf
def ground_forces(model, work, q, v, touch):
    """Forces of the grounds on top of work.wrench; (power of the normal forces, of friction)."""
    M, normal_power, friction_power = work.motion, 0.0, 0.0
    speeds_in_plane(model, q, v, v, M)
    for k in range(model.contact.shape[0]):
        if touch[k] > 0.0:
            N, F, rate, slip = force_of(model, k, M, touch[k])
            normal_power, friction_power = normal_power - N*rate, friction_power + F*slip
            i, (n, t), r = int(model.contact[k, CONTACT_ROW]), ground_of(model, k), arm_of(model, k, M)
            f = N*n[0] + F*t[0], N*n[1] + F*t[1]
            c, s, at = M[MOTION*i], M[MOTION*i + 1], 6*i + 2
            work.wrench[at] += r[0]*f[1] - r[1]*f[0]
            work.wrench[at + 1] += c*f[0] + s*f[1]
            work.wrench[at + 2] += c*f[1] - s*f[0]
    return normal_power, friction_power


# ---- when they come and go


@leaf
def kink_gap(model, k, which, slip):
    """Slip speed less the speed of a kink; where that is 0 the slip itself; 1 where there is no such kink"""
    c = model.contact
    count, first, second = kinks(int(c[k, CONTACT_FRICTION]), numbers5(c, k, CONTACT_FRICTION_NUMBERS))
    at = first if which == 0 else second
    if which >= count:
        return 1.0
    return slip if at == 0.0 else abs(slip) - at


@leaf
def gap_functions(model, work, q, v, touch, gaps):
    """FUNCTIONS numbers a contact; friction is watched only where it acts."""
    M, touching = work.motion, any_touch(model, touch)
    if touching:
        speeds_in_plane(model, q, v, v, M)
    else:
        places_in_plane(model, q, v, v, M)
    for k in range(model.contact.shape[0]):
        at = FUNCTIONS*k
        gaps[at], gaps[at + 1], gaps[at + 2] = gap(model, k, M), 1.0, 1.0
        if touch[k] > 0.0:
            slip = speeds(model, k, M)[1]
            gaps[at + 1], gaps[at + 2] = kink_gap(model, k, 0, slip), kink_gap(model, k, 1, slip)


@leaf
def write_line(work, line):
    store(work.log, LOG*work.note[LOGGED], line)
    work.note[LOGGED] += 1


@leaf
def switched(model, work, t, q, v, touch, which, direction, sides):
    """A contact begins with the speed of its point, or ends; and the sides of its kinks with it."""
    k, part = which//FUNCTIONS, which % FUNCTIONS
    if part == 0:
        speeds_in_plane(model, q, v, v, work.motion)
        rate, slip = speeds(model, k, work.motion)
        begins = direction < 0
        if begins:
            write_line(work, (t, float(k), -gap(model, k, work.motion), rate, 0.0, 0.0, 0.0, slip, 0.0))
        touch[k] = max(rate, STILL) if begins else 0.0
        for j in range(2):
            g = kink_gap(model, k, j, slip) if begins else 1.0
            sides[which + 1 + j] = 1 if g >= 0.0 else -1


# ---- what is kept of every step


@leaf
def log_touches(model, work, t, q, v, acc, touch):
    """A line of Work.log for every contact that touches; whether there is room for as many more."""
    M, contacts = work.motion, model.contact.shape[0]
    if any_touch(model, touch):
        accelerations_in_plane(model, q, v, acc, M)
        for k in range(contacts):
            if touch[k] > 0.0:
                N, F, rate, slip = force_of(model, k, M, touch[k])
                d, a = -gap(model, k, M), depth_acceleration(model, k, M)
                law, numbers = int(model.contact[k, CONTACT_LAW]), numbers5(model.contact, k, CONTACT_NUMBERS)
                slope = normal_force_rate(law, numbers, d, rate, a, touch[k])
                write_line(work, (t, float(k), d, rate, a, N, slope, slip, F))
    return LOG*(work.note[LOGGED] + LINES*contacts) <= work.log.shape[0]


# ---- states that were stored


@kernel(int64(MODEL, WORK, MATRIX, MATRIX, MATRIX, MATRIX))
def contact_samples(model, work, q, v, touch, out):
    """out[b]: for each contact in state b place (2), velocity (2), normal force, friction."""
    M, c = work.motion, model.contact
    for b in range(q.shape[0]):
        speeds_in_plane(model, q[b], v[b], v[b], M)
        for k in range(c.shape[0]):
            at, r = MOTION*int(c[k, CONTACT_ROW]), arm_of(model, k, M)
            N, F = 0.0, 0.0
            if touch[b, k] > 0.0:
                N, F, _, _ = force_of(model, k, M, touch[b, k])
            line = (M[at + 2] + r[0], M[at + 3] + r[1], M[at + 5] - M[at + 4]*r[1], M[at + 6] + M[at + 4]*r[0], N, F)
            store(out[b], SAMPLE*k, line)
    return 0

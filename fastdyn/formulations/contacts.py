"""Contacts of a chain with grounds: the forces, and when they come and go.

A **contact** is a row of Model.contact: a point and a ground. Its part of the state is the speed it began with, 0 while
it does not touch; so forces follow from the state alone. Its switching functions: the gap (falling: it touches, rising:
it parts) and, while it touches, the slip speed less each of the two speeds where its friction law has a kink, and what
tells where a clamp lets go of the normal force and takes hold of it. In the plane points may stick under laws that jump
at rest: then behind all speeds stands the mode of each contact, and two functions are those of its mode (modes.py).
Behind these stands what each contact gave: its impulse, its work, the impulse of its friction.
"""

from functools import cache
from types import SimpleNamespace

from .._jit import int64, kernel, leaf
from ..algebra.vectors import add, dot, scale
from ..laws.contact import clamp_gap, normal_force, normal_force_rate
from ..laws.friction import creeping_kinks
from ..layout import (
    CONTACT_FRICTION, CONTACT_FRICTION_NUMBERS, CONTACT_LAW, CONTACT_LEVEL, CONTACT_NUMBERS, KEPT_OF_STICKY,
    LOG, LOGGED)
from .contact_points import normal_of, points_in_plane, points_in_space
from .kinematics import store
from .modes import DRIFT, friction_in_mode, let_go, mode_gaps
from .signatures import MATRIX, MODEL, WORK
from .sticking import STICKS, holds, mode_of

FUNCTIONS = 4               # switching functions of a contact: the gap, the two kinks of friction, the clamp
LINES = 2                   # of the log a contact may need for one step
SAMPLE = 9                  # numbers of a contact in a stored state: place, velocity, force
STILL = 5e-324              # m/s: a contact that begins with no speed at all touches all the same


@leaf
def numbers5(X, i, c): return X[i, c], X[i, c + 1], X[i, c + 2], X[i, c + 3], X[i, c + 4]


@leaf
def normal_law(model, k): return int(model.contact[k, CONTACT_LAW]), numbers5(model.contact, k, CONTACT_NUMBERS)


@leaf
def friction_law(model, k):
    return int(model.contact[k, CONTACT_FRICTION]), numbers5(model.contact, k, CONTACT_FRICTION_NUMBERS)


@leaf
def any_touch(model, touch):
    """Whether one of the contacts touches"""
    found = False
    for k in range(model.contact.shape[0]):
        found = found | (touch[k] > 0.0)
    return found


@leaf
def write_line(work, line):
    """One more line of the log"""
    store(work.log, LOG*work.note[LOGGED], line)
    work.note[LOGGED] += 1


@cache
def contacts(plane, sticky=False):
    """Leaves for planar or spatial chains, and the kernel `contact_samples`; sticky: points may stick."""
    at = points_in_plane() if plane else points_in_space()
    places, speeds, accelerations = at.places, at.speeds, at.accelerations
    place, velocity, acceleration, slip_of, rub, push = (
        at.place, at.velocity, at.acceleration, at.slip, at.rub, at.push)

    @leaf
    def gap(model, work, k):
        """m above the ground"""
        return dot(normal_of(model, k), place(model, work, k)) - model.contact[k, CONTACT_LEVEL]

    @leaf
    def motion(model, work, k):
        """(normal, velocity, rate of the depth)"""
        n, u = normal_of(model, k), velocity(model, work, k)
        return n, u, -dot(n, u)

    @leaf
    def push_of_ground(model, work, k, touch):
        """N along the normal"""
        (law, p), (_, _, rate) = normal_law(model, k), motion(model, work, k)
        return normal_force(law, p, -gap(model, work, k), rate, touch[k])

    @leaf
    def forces(model, work, k, touch):
        """(normal force, friction, its part along the slip) of a contact that touches; friction is a vector"""
        n, u, _ = motion(model, work, k)
        N = push_of_ground(model, work, k, touch)
        law, p = friction_law(model, k)
        if sticky and holds(model, k):
            F = friction_in_mode(model, work, k, mode_of(model, touch, k), N, slip_of(n, u))
            return N, (F*n[1], -F*n[0], 0.0), F
        f, F = rub(law, p, N, n, u)
        return N, f, F

    @leaf
    def given_by(model, touch, k):
        """(impulse, work, impulse of friction) of a contact since the start of the run"""
        n = model.contact.shape[0]
        at = n*(KEPT_OF_STICKY if sticky else 1) + k
        return touch[at], touch[at + n], touch[at + 2*n]

    @leaf
    def ground_forces(model, work, q, v, touch, gives):
        """Forces of the grounds on top of work.wrench, what contacts give a second; (power of N, of friction)."""
        normal_power, friction_power = 0.0, 0.0
        speeds(model, work, q, v, v)
        for k in range(model.contact.shape[0]):
            if touch[k] > 0.0:
                if sticky and holds(model, k):
                    let_go(model, work, k, push_of_ground(model, work, k, touch))
                N, f, F = forces(model, work, k, touch)
                n, u, rate = motion(model, work, k)
                gives[k], gives[model.contact.shape[0] + k], gives[2*model.contact.shape[0] + k] = N, -N*rate, F
                normal_power, friction_power = normal_power - N*rate, friction_power + dot(f, u)
                push(model, work, k, add(scale(N, n), f))
        return normal_power, friction_power

    @leaf
    def held_power(model, work, q, v, touch):
        """W: of the friction of points that stick where they slip, as those do that hold nearly the same"""
        power = 0.0
        speeds(model, work, q, v, v)
        for k in range(model.contact.shape[0]):
            if holds(model, k) and mode_of(model, touch, k) == STICKS:
                slip = slip_of(normal_of(model, k), velocity(model, work, k))
                if abs(slip) > DRIFT:
                    power += friction_in_mode(model, work, k, STICKS, 0.0, slip)*slip
        return power

    # ---- when they come and go

    @leaf
    def kink_gap(model, k, which, slip):
        """Slip speed less the speed of a kink; 1 where there is no such kink"""
        law, p = friction_law(model, k)
        count, first, second = creeping_kinks(law, p)
        return abs(slip) - (first if which == 0 else second) if which < count else 1.0

    @leaf
    def kink_gaps(model, k, slip, rate, touch):
        """All functions of a contact that touches but its gap"""
        law, p = normal_law(model, k)
        return kink_gap(model, k, 0, slip), kink_gap(model, k, 1, slip), clamp_gap(law, p, rate, touch)

    @leaf
    def mode_kinks(model, work, k, n, mode, kinks):
        """The same, with the functions of the mode of a contact that has one"""
        if holds(model, k):
            first, second = mode_gaps(model, work, k, mode, slip_of(n, velocity(model, work, k)))
            return first, second, kinks[2]
        return kinks

    @leaf
    def gap_functions(model, work, q, v, touch, gaps):
        """FUNCTIONS numbers a contact; kinks are watched only where forces act."""
        if any_touch(model, touch):
            speeds(model, work, q, v, v)
        else:
            places(model, work, q, v, v)
        for k in range(model.contact.shape[0]):
            i = FUNCTIONS*k
            kinks = (1.0, 1.0, 1.0)
            if touch[k] > 0.0:
                n, u, rate = motion(model, work, k)
                kinks = kink_gaps(model, k, slip_of(n, u), rate, touch[k])
                if sticky:
                    kinks = mode_kinks(model, work, k, n, mode_of(model, touch, k), kinks)
            gaps[i], gaps[i + 1], gaps[i + 2], gaps[i + 3] = gap(model, work, k), kinks[0], kinks[1], kinks[2]

    @leaf
    def switched(model, work, t, q, v, touch, which, direction, sides):
        """A contact begins with the speed of its point, or ends; and the sides of its kinks with it."""
        k, part = which//FUNCTIONS, which % FUNCTIONS
        if part == 0:
            speeds(model, work, q, v, v)
            n, u, rate = motion(model, work, k)
            slip, begins = slip_of(n, u), direction < 0
            if begins:
                write_line(work, (t, float(k), -gap(model, work, k), rate, 0.0, 0.0, slip, 0.0)
                           + given_by(model, touch, k))
            touch[k] = max(rate, STILL) if begins else 0.0
            kinks = kink_gaps(model, k, slip, rate, touch[k]) if begins else (1.0, 1.0, 1.0)
            for j in range(FUNCTIONS - 1):
                sides[which + 1 + j] = 1 if kinks[j] >= 0.0 else -1

    # ---- what is kept of every step, and of states that were stored

    @leaf
    def log_touches(model, work, t, q, v, acc, touch):
        """A line of Work.log for every contact that touches; whether there is room for as many more."""
        if any_touch(model, touch):
            accelerations(model, work, q, v, acc)
            for k in range(model.contact.shape[0]):
                if touch[k] > 0.0:
                    N, _, F = forces(model, work, k, touch)
                    n, u, rate = motion(model, work, k)
                    depth, sinking = -gap(model, work, k), -dot(n, acceleration(model, work, k))
                    law, p = normal_law(model, k)
                    slope = normal_force_rate(law, p, depth, rate, sinking, touch[k])
                    write_line(work, (t, float(k), depth, rate, N, slope, slip_of(n, u), F)
                               + given_by(model, touch, k))
        return LOG*(work.note[LOGGED] + LINES*model.contact.shape[0]) <= work.log.shape[0]

    @leaf
    def sample(model, work, q, v, touch, out):
        """For each contact its place, velocity and force, world axes"""
        speeds(model, work, q, v, v)
        for k in range(model.contact.shape[0]):
            force = (0.0, 0.0, 0.0)
            if touch[k] > 0.0:
                N, f, _ = forces(model, work, k, touch)
                force = add(scale(N, normal_of(model, k)), f)
            store(out, SAMPLE*k, place(model, work, k) + velocity(model, work, k) + force)

    @kernel(int64(MODEL, WORK, MATRIX, MATRIX, MATRIX, MATRIX),
            variant=("plane" if plane else "space") + " sticky"*sticky)
    def contact_samples(model, work, q, v, touch, out):
        """out[b]: `sample` of state b."""
        for b in range(q.shape[0]):
            sample(model, work, q[b], v[b], touch[b], out[b])
        return 0

    return SimpleNamespace(ground_forces=ground_forces, held_power=held_power, gap_functions=gap_functions,
                           switched=switched, log_touches=log_touches, sample=sample, contact_samples=contact_samples)

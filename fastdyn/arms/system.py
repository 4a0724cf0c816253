"""A spatial arm as a stepper sees it: switching functions, switches, a line of the log for every step; Lagrange's rate.

State: z, z', the speed each contact began with (0: it does not touch), four works (layout.py). A contact has three
switching functions: its gap, and while it slides the slip speed less each kink of its friction.
"""

import math

import numpy as np

from .._address import NQ, RATE, SETTLE, SWITCH, opener, shifted, vector
from .._jit import c_array, float64, int64, kernel, leaf, sweep, typeof
from ..algebra.vectors import dot, scale, sub
from ..algebra.vectors import add as plus
from ..layout import BENT, CHANGED, HALT, NOTED
from ..status import NOT_FINITE, OK
from . import layout
from .lagrange import inward, outward, solved
from .layout import (
    BETA, C_NORMAL, C_T1, C_T2, DAMPER, DAMPING, DRIVES, FIRST, FRICTION, JOINT_C, LOG, LOGGED,
    MODES, MOTOR, NORMAL, STIFF, TURN)
from .poses import poses
from .recursive import accelerations
from .recursive import inward as without_accelerations
from .rotors import driven, power_of_prescribed
from .touching import depth_of, forces_of, kink_gap, met, motion_of, normal_slope, pushed, sliding, three, touches
from .view import view

FUNCTIONS, SLOPE = 4, 3
STILL = 5e-324                                              # m/s: a contact that begins with no speed touches too
FULL = 2
BEND = 0.5                                                  # of its length that the end of a link may go aside


def _types():
    one, two, whole = np.zeros(1), np.zeros((1, 1)), np.zeros(1, np.int64)
    arm = layout.Arm(np.zeros((1, 1), np.int64), two, one, one, two, two, one, one, two, two, two)
    work = layout.ArmWork(two, two, two, two, one, one, two, one, two, one, whole, one, one, one, one, one, one)
    return typeof(arm), typeof(work)


ARM, WORK = _types()
opened = opener(ARM, WORK)
VECTOR, MATRIX = c_array(float64, 1), c_array(float64, 2)


@sweep
def equations(arm, work, t, q, v, touch):
    """work.mass and work.force with the planes' forces; (power of normal forces, of friction)"""
    driven(arm, work.drive, t)
    outward(arm, work, t, q, v, True)
    inward(arm, work, q, v)
    return met(arm, work, q, v, touch, work.force)


@sweep
def other_powers(arm, work, v):
    """(of dampers, of drives); those of joints whose motion is prescribed stand in work.drive"""
    damping, drives = 0.0, power_of_prescribed(arm, work)
    for j in range(arm.spring.shape[0]):
        damping -= arm.spring[j, DAMPER]*v[j]*v[j]
        drives += work.drive[j]*v[j]
    for k in range(arm.link.shape[0]):
        link, frame = arm.link[k], arm.frame[k]
        if link[MOTOR] >= 0:
            slip = v[link[MOTOR]] - v[link[TURN]]
            damping -= frame[JOINT_C]*slip*slip
        n, first = link[MODES], link[FIRST]
        if frame[BETA] != 0.0:
            for i in range(n*n):
                damping -= frame[BETA]*arm.stiffness[link[STIFF] + i]*v[first + i//n]*v[first + i % n]
    return damping, drives


@kernel(int64(ARM, WORK, float64, VECTOR, VECTOR, VECTOR))
def set_equations(arm, work, t, q, v, touch):
    """J and R_I + R_C into work.mass and work.force."""
    equations(arm, work, t, q, v, touch)
    return OK


@kernel(int64(ARM, WORK, float64, VECTOR, VECTOR, VECTOR, VECTOR))
def accelerate(arm, work, t, q, v, touch, acc):
    """z'' of a state; a status."""
    equations(arm, work, t, q, v, touch)
    status = solved(work)
    for j in range(acc.shape[0]):
        acc[j] = work.force[j]
    return status


@kernel(int64(ARM, WORK, float64, VECTOR, VECTOR, VECTOR, MATRIX))
def point_motion(arm, work, t, q, v, acc, out):
    """out[c] = (place, velocity, acceleration) of every marked point, for given z''."""
    outward(arm, work, t, q, v, False)
    for c in range(arm.contact.shape[0]):
        r, u, a = motion_of(arm, work, c, q, v)
        for i in range(3):
            e = (1.0 if i == 0 else 0.0, 1.0 if i == 1 else 0.0, 1.0 if i == 2 else 0.0)
            more = pushed(arm, work, c, q, acc, e, work.force, 0.0)
            out[c, i], out[c, 3 + i], out[c, 6 + i] = r[i], u[i], a[i] + more
    return OK


# ------------------------------------------------------------------------------------------- as a stepper calls it

@leaf
def parts(handle, y):
    """(q, v, touch address)"""
    nv = handle[NQ]
    return vector(y, nv), vector(shifted(y, nv), nv), shifted(y, 2*nv)


@kernel(RATE)
def rate(handle, t, y, dy):
    """z', z'', 0, powers, by recursive Lagrange."""
    arm, work = opened(handle)
    q, v, touch = parts(handle, y)
    normal_power, friction_power = equations(arm, work, t, q, v, touch)
    status = solved(work)
    if prescribed(arm):
        for j in range(v.shape[0]):
            dy[v.shape[0] + j] = work.force[j]
        held(arm, work, t, q, v, touch)
        for j in range(v.shape[0]):
            work.force[j] = dy[v.shape[0] + j]
    return rates(arm, work, v, touch, status, normal_power, friction_power, dy)


@leaf
def prescribed(arm):
    """Whether the motion of any joint is"""
    found = False
    for k in range(arm.link.shape[0]):
        found = found | (arm.link[k, TURN] < 0)
    return found


@sweep
def held(arm, work, t, q, v, touch):
    """Powers of the drives of prescribed joints into work.drive, by the production road; work.force is overwritten"""
    a = view(arm, work)
    driven(arm, work.drive, t)
    for j in range(a.coordinates):
        a.force[j] = 0.0
    poses(a, t, q, v)
    met(arm, work, q, v, touch, work.force)
    without_accelerations(a, q, v)
    accelerations(a)


@sweep
def rates(arm, work, v, touch, status, normal_power, friction_power, dy):
    """Fill dy, z'' known; the status."""
    nv, contacts = v.shape[0], arm.contact.shape[0]
    for j in range(nv):
        dy[j], dy[nv + j] = v[j], work.force[j]
        if not abs(work.force[j]) < math.inf and status == OK:
            status = NOT_FINITE
    for c in range(contacts):
        dy[2*nv + c] = 0.0
    damping, drives = other_powers(arm, work, v)
    at = 2*nv + contacts
    dy[at + NORMAL], dy[at + FRICTION], dy[at + DAMPING], dy[at + DRIVES] = (
        normal_power, friction_power, damping, drives)
    return status


@kernel(SWITCH)
def switch(handle, t, y, which, direction, sides):
    """A contact begins with the speed of its point, or ends, or passes a kink of its friction; a link bent too far."""
    arm, work = opened(handle)
    q, v, touch = parts(handle, y)
    c = which//FUNCTIONS
    if c >= arm.contact.shape[0]:
        return HALT
    if which % FUNCTIONS == 0:
        poses(view(arm, work), t, q, v)
        r, u, _ = motion_of(arm, work, c, q, v)
        n, begins = three(arm.contact, c, C_NORMAL), direction < 0
        touch[c] = max(-dot(n, u), STILL) if begins else 0.0
        if begins:
            write(arm, work, t, c, r, u, (0.0, 0.0, 0.0), touch[c])
        for j in range(2):
            g = kink_gap(arm, c, j, n, u) if begins else 1.0
            sides[which + 1 + j] = 1 if g >= 0.0 else -1
        sides[which + SLOPE] = 1
        return CHANGED
    return NOTED if which % FUNCTIONS == SLOPE else BENT


@sweep
def write(arm, work, t, c, r, u, a, touch):
    """One more line of the log"""
    n, t1, t2 = three(arm.contact, c, C_NORMAL), three(arm.contact, c, C_T1), three(arm.contact, c, C_T2)
    N, F = forces_of(arm, c, r, u, touch)
    s, b, i = sliding(n, u), sub(a, scale(dot(n, a), n)), LOG*work.note[LOGGED]
    line = (t, float(c), depth_of(arm, c, r), -dot(n, u), N, normal_slope(arm, c, r, u, a, touch), dot(t1, s),
            dot(t2, s), dot(t1, b), dot(t2, b), math.sqrt(dot(F, F)))
    for j in range(LOG):
        work.log[i + j] = line[j]
    work.note[LOGGED] += 1


@kernel(SETTLE)
def settle(handle, t, y, dy):
    """A line of the log for every contact that touches; FULL where there is no room for as many more twice."""
    arm, work = opened(handle)
    q, v, touch = parts(handle, y)
    acc = vector(shifted(dy, handle[NQ]), handle[NQ])
    if touches(arm, touch):
        outward(arm, work, t, q, v, False)
        for c in range(arm.contact.shape[0]):
            if touch[c] > 0.0:
                r, u, a = motion_of(arm, work, c, q, v)
                more = (pushed(arm, work, c, q, acc, (1.0, 0.0, 0.0), work.force, 0.0),
                        pushed(arm, work, c, q, acc, (0.0, 1.0, 0.0), work.force, 0.0),
                        pushed(arm, work, c, q, acc, (0.0, 0.0, 1.0), work.force, 0.0))
                write(arm, work, t, c, r, u, plus(a, more), touch[c])
    return 0 if LOG*(work.note[LOGGED] + 2*arm.contact.shape[0]) <= work.log.shape[0] else FULL

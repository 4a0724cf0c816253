"""How much a joint has to move before it is safely more than rounding: a floor for the pivot of every row.

A pivot is measured against the trace of its block. That does not do when the block is rounding itself: three joints
without mass outside a fourth leave nothing else in it. Rounding comes from the bodies outside, so their masses and how
far they reach say how much of it there may be. Only bodies with at most WHOLE freedoms between count: as many joints
without mass leave nothing of a body, and a floor that grew with the length of the chain would refuse long ones.
"""

import numpy as np

from ..algebra.dense import PIVOT_FLOOR
from ..layout import (
    FIXED, FREE, PLANE_ALONG, PLANE_FIXED, PLANE_PRISMATIC, PLANE_REVOLUTE, PRISMATIC, SPHERICAL, TURNED_SPHERICAL)

WHOLE_IN_SPACE, WHOLE_IN_PLANE = 6, 3
TURN_FLOOR = 1e-14                                      # of m r^2 outside at full reach; the trace does the rest
FREEDOMS = {FIXED: 0, PLANE_FIXED: 0, SPHERICAL: 3, TURNED_SPHERICAL: 3, FREE: 6}
BALLS = {SPHERICAL, TURNED_SPHERICAL}
PLANE_TURNS = {PLANE_REVOLUTE, PLANE_ALONG}


def floors_in_space(step, parent, arm, mass, inertia):
    """(rows, 2): floors of inertia for a row that turns and of mass for one that slides; zero where it does neither."""
    trace = 0.5*np.trace(inertia, axis1=1, axis2=2)
    m, s = outside(step, parent, arm, mass, trace, WHOLE_IN_SPACE, BALLS)
    slides, free = step == PRISMATIC, step == FREE
    turns = ~slides & (step != FIXED)
    return np.column_stack([np.where(turns, TURN_FLOOR*s, 0.0), np.where(slides | free, PIVOT_FLOOR*m, 0.0)])


def floors_in_plane(step, parent, arm, mass, inertia):
    """The same: one floor a row. A turning joint in the plane has no block, and so no trace to measure it."""
    m, s = outside(step, parent, arm, mass, inertia[:, 2, 2], WHOLE_IN_PLANE, PLANE_TURNS)
    return PIVOT_FLOOR*np.where(step == PLANE_PRISMATIC, m, np.where(step == PLANE_FIXED, 0.0, s))


def outside(step, parent, arm, mass, square, whole, forgetful):
    """(sum of m, upper bound of sum of m r^2 about the joint) of each row and what is outside, `whole` freedoms far.

    Joints in `forgetful` transmit no moment: of what they carry the inside feels the mass, at the joint.
    """
    reach = np.sqrt(np.einsum("ni,ni->n", arm, arm))
    m = np.repeat(mass[:, None], whole + 1, axis=1)     # column k: no more than k freedoms between
    s = np.repeat(square[:, None], whole + 1, axis=1)
    for i in range(len(parent) - 1, -1, -1):
        p, far = parent[i], FREEDOMS.get(step[i], 1)
        if p >= 0 and far <= whole:
            near = whole + 1 - far
            held = 0.0 if step[i] in forgetful else np.sqrt(s[i, :near])
            m[p, far:] += m[i, :near]
            s[p, far:] += (held + reach[i]*np.sqrt(m[i, :near]))**2
    return m[:, whole], s[:, whole]

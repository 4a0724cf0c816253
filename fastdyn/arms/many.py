"""Accelerations of one arm in many states: WIDTH side by side by the production road, with the bits of each alone."""

import numpy as np

from .._address import CHECKED, shifted
from .._beside import registers
from .._jit import float64, int64, kernel, ready, sweep
from ..layout import WIDTH, aligned
from ..status import OK
from .layout import EXACT, work_for
from .poses import poses
from .recursive import accelerations as outward
from .recursive import inward
from .rotors import driven
from .system import ARM, MATRIX, VECTOR, WORK
from .view import view_beside

MANY = 8*WIDTH                                              # states from which on they go side by side


def side_by_side(model, q, v, t):
    """z'' of an arm that touches nothing, a row a state; None where states have to go one after the other.

    So few go, those whose sections turn by the exponential, and where one of them is in trouble.
    """
    if CHECKED or len(q) < MANY or (model.link[:, EXACT] == 1).any():
        return None
    acc, work = np.empty(q.shape), work_for(model, dense=False, lanes=WIDTH)
    q, v = np.ascontiguousarray(q), np.ascontiguousarray(v)
    status = ready(accelerate_beside)(model, work, aligned(2*q.shape[1]*WIDTH), t, q, v, acc)
    return acc if status == OK else None


@sweep
def solved_beside(arm, work, t, q, v):
    """z'' of the states in q and v into work.force; a status, OK if it is that of all."""
    a = view_beside(arm, work)
    for j in range(a.coordinates):
        a.force[j] = 0.0
    driven(arm, a.drive, t)
    poses(a, t, q, v)
    status = inward(a, q, v)
    return outward(a) if status == OK else status


@kernel(int64(ARM, WORK, VECTOR, float64, MATRIX, MATRIX, MATRIX))
def accelerate_beside(arm, work, state, t, q, v, acc):
    """z'' of every row of q and v; a status. state: room for those side by side."""
    nv, force = q.shape[1], work.force
    both = registers(state)
    for first in range(0, q.shape[0], WIDTH):
        here = min(WIDTH, q.shape[0] - first)
        for j in range(nv):
            for k in range(WIDTH):
                i = first + min(k, here - 1)                # the last one where there are no more
                state[j*WIDTH + k], state[(nv + j)*WIDTH + k] = q[i, j], v[i, j]
        status = solved_beside(arm, work, t, both, shifted(both, nv))
        if status != OK:
            return status
        for j in range(nv):
            for k in range(here):
                acc[first + k, j] = force[j*WIDTH + k]
    return OK

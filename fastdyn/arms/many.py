"""Accelerations of one arm in many states: WIDTH side by side by the production road, with the bits of each alone."""

import numpy as np

from .._address import CHECKED, shifted
from .._jit import c_array, float64, int64, kernel, ready, sweep
from ..layout import WIDTH, aligned
from ..status import OK, SENTENCE, ModelError
from .beside import registers
from .compile import compiled
from .layout import EXACT, work_for
from .poses import poses
from .recursive import accelerations as outward
from .recursive import inward
from .recursive_system import solved
from .system import ARM, MATRIX, VECTOR, WORK
from .view import view_beside

FOUND = c_array(int64, 1)
LANES = 1 if CHECKED else WIDTH


@sweep
def solved_beside(arm, work, t, q, v):
    """z'' of the states in q and v into work.force; a status, OK if it is that of all."""
    a = view_beside(arm, work)
    for j in range(a.coordinates):
        a.force[j] = 0.0
    poses(a, t, q, v)
    status = inward(a, q, v)
    return outward(a) if status == OK else status


@kernel(int64(ARM, WORK, VECTOR, float64, MATRIX, MATRIX, MATRIX))
def accelerate_beside(arm, work, state, t, q, v, acc):
    """z'' of as many states as there are lanes, in front of acc; `state`: room for them."""
    nv, force = q.shape[1], work.force
    for j in range(nv):
        for k in range(WIDTH):
            state[j*WIDTH + k], state[(nv + j)*WIDTH + k] = q[k, j], v[k, j]
    both = registers(state)
    status = solved_beside(arm, work, t, both, shifted(both, nv))
    for j in range(nv):
        for k in range(WIDTH):
            acc[k, j] = force[j*WIDTH + k]
    return status

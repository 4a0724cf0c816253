"""Switching functions and actions of the user: C functions whose addresses stand in two lists of the handle."""

from functools import cache

from .._address import ACTIONS, EVENTS, GAPS, NQ, NV, SWITCH, c_caller, shifted, vector, word_at
from .._jit import float64, int64, kernel, leaf, pointer
from ..algebra.rotation import quaternion_normalized
from ..layout import (
    CHANGED, FAILED, FREE, HALT, HELD, JUDGED, Q_AT, RESTED, SPHERICAL, STEP, TROUBLED, TURNED_SPHERICAL, UNCHANGED)
from ..status import EVENT_FAILED, OK
from .kinematics import store
from .rates import load4, opened
from .signatures import VECTOR

EVENT_CALL = float64(float64, VECTOR, VECTOR)                       # (t, q, v) -> value
ROUNDING = 1e-14
ACTION_CALL = int64(float64, VECTOR, VECTOR, int64)                 # (t, q, v in place, direction) -> answer

call_event, call_action = c_caller(EVENT_CALL), c_caller(ACTION_CALL)


@leaf
def watch(handle, t, y, gaps, count, balls):
    """The values of the first `count` functions of the list, and a status; the number of one that fails is noted

    balls: whether there are quaternions; inside a step they are off length one by its error, and functions see them
    settled.
    """
    q, v = vector(y, handle[NQ]), vector(shifted(y, handle[NQ]), handle[NV])
    if balls:
        model, work = opened(handle)
        settled = pointer(work.pose)
        for j in range(handle[NQ]):
            settled[j] = y[j]
        settle(model.row, settled)
        q = vector(settled, handle[NQ])
    for i in range(count):
        gaps[i] = call_event(word_at(handle[EVENTS], i), t, q, v)
        if gaps[i] - gaps[i] != 0.0:
            opened(handle)[1].note[TROUBLED] = i
            return EVENT_FAILED
    return OK


@leaf
def settle(row, y):
    """Quaternions that are not of length one get it"""
    for r in range(row.shape[0]):
        step = row[r, STEP]
        if step == FREE or step == SPHERICAL or step == TURNED_SPHERICAL:
            at = row[r, Q_AT] + (3 if step == FREE else 0)
            p = load4(y, at)
            if abs((p[0]*p[0] + p[1]*p[1]) + (p[2]*p[2] + p[3]*p[3]) - 1.0) > ROUNDING:
                store(y, at, quaternion_normalized(p))


@leaf
def obey(answer, direction, sides, which):
    """What an action's answer means to switching function `which`: what the run goes on with.

    What fires again within the capture interval rests, and the run ends there. HELD: the user holds what rests, or has
    no more use for the event; it is not watched any longer.
    """
    if answer == UNCHANGED and direction != RESTED:
        return UNCHANGED
    if answer == HELD:
        sides[which] = 0
        return CHANGED
    sides[which] = JUDGED
    if answer == CHANGED and direction != RESTED:
        return CHANGED
    return HALT if UNCHANGED <= answer <= HALT else FAILED


@leaf
def act(handle, t, y, i, direction, sides, which):
    """What the user wants done at event i, switching function `which`; quaternions have length one again."""
    q, v = vector(y, handle[NQ]), vector(shifted(y, handle[NQ]), handle[NV])
    answer = call_action(word_at(handle[ACTIONS], i), t, q, v, direction)
    told = obey(answer, direction, sides, which)
    if told != UNCHANGED:
        settle(opened(handle)[0].row, y)
    return told


@cache
def watching(count, balls):
    """Kernel: the values of the first `count` functions of the list."""
    @kernel(GAPS, variant=f"{count}" + " balls"*balls)
    def gaps(handle, t, y, gaps):
        return watch(handle, t, y, gaps, count, balls)

    return gaps


@kernel(SWITCH)
def acting(handle, t, y, which, direction, sides):
    """What the user wants done."""
    return act(handle, t, y, which, direction, sides, which)

"""Switching functions and actions of the user: C functions whose addresses stand in two lists of the handle."""

from functools import cache

from .._address import ACTIONS, EVENTS, GAPS, NQ, NV, SWITCH, c_caller, shifted, vector, word_at
from .._jit import float64, int64, kernel, leaf
from ..status import NOT_FINITE, OK
from .signatures import VECTOR

EVENT_CALL = float64(float64, VECTOR, VECTOR)                       # (t, q, v) -> value
ACTION_CALL = int64(float64, VECTOR, VECTOR, int64)                 # (t, q, v in place, direction) -> answer

call_event, call_action = c_caller(EVENT_CALL), c_caller(ACTION_CALL)


@leaf
def watch(handle, t, y, gaps, count):
    """The values of the first `count` functions of the list, and a status"""
    q, v = vector(y, handle[NQ]), vector(shifted(y, handle[NQ]), handle[NV])
    for i in range(count):
        gaps[i] = call_event(word_at(handle[EVENTS], i), t, q, v)
        if gaps[i] - gaps[i] != 0.0:
            return NOT_FINITE
    return OK


@leaf
def act(handle, t, y, which, direction):
    """What the user wants done; the answer of the function that does it"""
    q, v = vector(y, handle[NQ]), vector(shifted(y, handle[NQ]), handle[NV])
    return call_action(word_at(handle[ACTIONS], which), t, q, v, direction)


@cache
def watching(count):
    """Kernel: the values of the first `count` functions of the list."""
    @kernel(GAPS, variant=str(count))
    def gaps(handle, t, y, gaps):
        return watch(handle, t, y, gaps, count)

    return gaps


@kernel(SWITCH)
def acting(handle, t, y, which, direction, sides):
    """What the user wants done."""
    return act(handle, t, y, which, direction)

"""A system of the user's own: its rate, what is watched and what is done there, as C functions by their addresses.

The handle of such a system is one list: how many components, address of the rate, of the numbers it is given, of the
lists of events and of actions, and the number of an event that failed.
"""

import math
from functools import cache

from .._address import GAPS, RATE, SWITCH, c_caller, vector, word_at
from .._jit import c_array, float64, int64, kernel, void
from ..formulations.watching import obey
from ..status import EVENT_FAILED, OK

SIZE, RATE_AT, NUMBERS_AT, EVENTS_AT, ACTIONS_AT, TROUBLED_AT, WORDS = range(7)
VECTOR = c_array(float64, 1)
RATE_CALL = void(float64, VECTOR, VECTOR, int64)            # (t, y, dy to fill, address of the numbers)
RATE_IN_C = void(float64, VECTOR, VECTOR, VECTOR)           # the same as the user sees it
EVENT_CALL = float64(float64, VECTOR)                       # (t, y) -> value
ACTION_CALL = int64(float64, VECTOR, int64)                 # (t, y in place, direction) -> answer

call_rate, call_event, call_action = c_caller(RATE_CALL), c_caller(EVENT_CALL), c_caller(ACTION_CALL)


@kernel(RATE)
def rate(handle, t, y, dy):
    """What the function leaves out is no number."""
    n = handle[SIZE]
    for i in range(n):
        dy[i] = math.nan
    call_rate(handle[RATE_AT], t, vector(y, n), vector(dy, n), handle[NUMBERS_AT])
    return OK


@cache
def watching(count):
    """Kernel: the values of the first `count` functions of the list; the number of one that fails is noted."""
    @kernel(GAPS, variant=str(count))
    def gaps(handle, t, y, gaps):
        for i in range(count):
            gaps[i] = call_event(word_at(handle[EVENTS_AT], i), t, vector(y, handle[SIZE]))
            if gaps[i] - gaps[i] != 0.0:
                handle[TROUBLED_AT] = i
                return EVENT_FAILED
        return OK

    return gaps


@kernel(SWITCH)
def acting(handle, t, y, which, direction, sides):
    """What the user wants done."""
    answer = call_action(word_at(handle[ACTIONS_AT], which), t, vector(y, handle[SIZE]), direction)
    return obey(answer, direction, sides, which)

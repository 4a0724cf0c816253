"""A chain that meets grounds, as a stepper sees it: switching functions, switches, and what is kept of each step.

The functions of the contacts come first (formulations/contacts.py), behind them those of the user (watching.py).
"""

from functools import cache

from .._address import GAPS, NQ, NV, SETTLE, SWITCH, shifted, vector
from .._jit import kernel
from ..status import NOT_FINITE, OK
from .contacts import FUNCTIONS, gap_functions, log_touches, switched
from .rates import opened
from .watching import act, watch

CHANGED = 1                                             # what a switch answers when the state has another rate
FULL = 2                                                # what a settler answers when the log has no room


@cache
def gaps(count):
    """Kernel: functions of the contacts, then the first `count` functions of the user's list."""
    @kernel(GAPS, variant=str(count))
    def gaps(handle, t, y, gaps):
        model, work = opened(handle)
        nq, nv, mine = handle[NQ], handle[NV], FUNCTIONS*model.contact.shape[0]
        gap_functions(model, work, vector(y, nq), vector(shifted(y, nq), nv), shifted(y, nq + nv), gaps)
        for i in range(mine):
            if gaps[i] - gaps[i] != 0.0:
                return NOT_FINITE
        return watch(handle, t, y, shifted(gaps, mine), count) if count > 0 else OK

    return gaps


@kernel(SWITCH)
def switch(handle, t, y, which, direction, sides):
    """A contact begins, ends or passes a kink of its friction; or what the user wants done."""
    model, work = opened(handle)
    nq, nv, mine = handle[NQ], handle[NV], FUNCTIONS*model.contact.shape[0]
    if which >= mine:
        return act(handle, t, y, which - mine, direction, sides, which)
    switched(model, work, t, vector(y, nq), vector(shifted(y, nq), nv), shifted(y, nq + nv), which, direction, sides)
    return CHANGED


@kernel(SETTLE)
def settle(handle, t, y, dy):
    """A line of the log for every contact."""
    model, work = opened(handle)
    nq, nv = handle[NQ], handle[NV]
    room = log_touches(model, work, t, vector(y, nq), vector(shifted(y, nq), nv), vector(shifted(dy, nq), nv),
                       shifted(y, nq + nv))
    return 0 if room else FULL

"""A chain that meets grounds, as a stepper sees it: switching functions, switches, and what is kept of each step.

The functions of the contacts come first (formulations/contacts.py), behind them those of the user (watching.py).
"""

from functools import cache

from .._address import GAPS, NQ, NV, SETTLE, SWITCH, shifted, vector
from .._jit import kernel
from ..layout import BENT, CLOSED, OPENED, in_plane
from ..status import NOT_FINITE, OK
from .contacts import FUNCTIONS, any_touch, contacts
from .rates import opened, settle_row_quaternions
from .watching import act, watch

FULL = 2                                                # what a settler answers when the log has no room


def kernels_for(model, count):
    """(gaps, switch, settle) for a chain with grounds and `count` functions of the user."""
    plane = in_plane(model)
    return _gaps(plane, count), _switch(plane), _settle(plane)


@cache
def _gaps(plane, count):
    """Kernel: functions of the contacts, then the first `count` functions of the user's list."""
    gap_functions, space = contacts(plane).gap_functions, "plane" if plane else "space"

    @kernel(GAPS, variant=f"{space} {count}")
    def gaps(handle, t, y, gaps):
        model, work = opened(handle)
        nq, nv, mine = handle[NQ], handle[NV], FUNCTIONS*model.contact.shape[0]
        gap_functions(model, work, vector(y, nq), vector(shifted(y, nq), nv), shifted(y, nq + nv), gaps)
        for i in range(mine):
            if gaps[i] - gaps[i] != 0.0:
                return NOT_FINITE
        return watch(handle, t, y, shifted(gaps, mine), count) if count > 0 else OK

    return gaps


@cache
def _switch(plane):
    """Kernel: a contact begins, ends or passes a kink of its friction; or what the user wants done."""
    switched = contacts(plane).switched

    @kernel(SWITCH, variant="plane" if plane else "space")
    def switch(handle, t, y, which, direction, sides):
        model, work = opened(handle)
        nq, nv, mine = handle[NQ], handle[NV], FUNCTIONS*model.contact.shape[0]
        if which >= mine:
            return act(handle, t, y, which - mine, direction, sides, which)
        touch = shifted(y, nq + nv)
        switched(model, work, t, vector(y, nq), vector(shifted(y, nq), nv), touch, which, direction, sides)
        if which % FUNCTIONS != 0:
            return BENT
        return CLOSED if any_touch(model, touch) else OPENED

    return switch


@cache
def _settle(plane):
    """Kernel: quaternions of length one, and a line of the log for every contact."""
    log_touches = contacts(plane).log_touches

    @kernel(SETTLE, variant="plane" if plane else "space")
    def settle(handle, t, y, dy):
        model, work = opened(handle)
        nq, nv = handle[NQ], handle[NV]
        if not plane:
            settle_row_quaternions(model.row, y, dy)
        room = log_touches(model, work, t, vector(y, nq), vector(shifted(y, nq), nv), vector(shifted(dy, nq), nv),
                           shifted(y, nq + nv))
        return 0 if room else FULL

    return settle

"""A chain that meets grounds, as a stepper sees it: switching functions, switches, and what is kept of each step.

The functions of the contacts come first (formulations/contacts.py), behind them those of the user (watching.py).
"""

from functools import cache

from .._address import GAPS, NQ, NV, SETTLE, SWITCH, door, rate_by, shifted, vector
from .._jit import c_array, int64, kernel, leaf, pointer
from ..layout import BENT, CLOSED, FAILED, GRIPS, OPENED, UNCHANGED, in_plane
from ..status import NOT_FINITE, OK
from .contacts import FUNCTIONS, any_touch, contacts
from .gripping import gripping
from .rates import opened, settle_row_quaternions, turns_balls
from .signatures import MATRIX, VECTOR
from .sticking import asks, grip_of, grips, holds
from .watching import act, watch

FULL = 2                                                # what a settler answers when the log has no room


def kernels_for(model, count, ledger):
    """(gaps, switch, settle) for a chain with grounds and `count` functions of the user."""
    plane, sticky = in_plane(model), grips(model)
    gaps = _gaps(plane, sticky, count, turns_balls(model))
    return gaps, _switch(plane, sticky, ledger), _settle(plane, sticky, ledger)


sample_in_mode = contacts(True, True).sample


@leaf
def rate_if_asked(handle, model, work, t, y, touch):
    """Forces of the points that stick, and the rate of the state, into Work.grip; a status"""
    return rate_by(handle, t, y, pointer(grip_of(model, work).rate)) if asks(model, touch) else OK


@cache
def _gaps(plane, sticky, count, balls):
    """Kernel: functions of the contacts, then the first `count` functions of the user's list."""
    gap_functions, space = contacts(plane, sticky).gap_functions, "plane" if plane else "space"

    @kernel(GAPS, variant=f"{space} {count}" + " sticky"*sticky + " balls"*balls)
    def gaps(handle, t, y, gaps):
        model, work = opened(handle)
        nq, nv, mine = handle[NQ], handle[NV], FUNCTIONS*model.contact.shape[0]
        q, v, touch = vector(y, nq), vector(shifted(y, nq), nv), shifted(y, nq + nv)
        if sticky:
            status = rate_if_asked(handle, model, work, t, y, touch)
            if status != OK:
                return status
        gap_functions(model, work, q, v, touch, gaps)
        for i in range(mine):
            if gaps[i] - gaps[i] != 0.0:
                return NOT_FINITE
        return watch(handle, t, y, shifted(gaps, mine), count, balls) if count > 0 else OK

    return gaps


@cache
def _switch(plane, sticky, ledger):
    """Kernel: a contact begins, ends, passes a kink of its friction, sticks or slips; or what the user wants done."""
    switched, (grip_switched, kicked, _) = contacts(plane, sticky).switched, gripping(sticky and ledger, FUNCTIONS)
    space = "plane" if plane else "space"

    @kernel(SWITCH, variant=space + " sticky"*sticky + " ledger"*(sticky and ledger))
    def switch(handle, t, y, which, direction, sides):
        model, work = opened(handle)
        nq, nv, mine = handle[NQ], handle[NV], FUNCTIONS*model.contact.shape[0]
        if which >= mine:
            told = act(handle, t, y, which - mine, direction, sides, which)
            if sticky and told != UNCHANGED and told != FAILED:
                kicked(handle, model, work, t, y, sides)
            return told
        touch = shifted(y, nq + nv)
        switched(model, work, t, vector(y, nq), vector(shifted(y, nq), nv), touch, which, direction, sides)
        if sticky and holds(model, which//FUNCTIONS):
            grip_switched(handle, model, work, t, y, which, direction, sides)
            if 0 < which % FUNCTIONS < FUNCTIONS - 1:
                return GRIPS
        if which % FUNCTIONS != 0:
            return BENT
        return CLOSED if any_touch(model, touch) else OPENED

    return switch


@cache
def _settle(plane, sticky, ledger):
    """Kernel: quaternions of length one, points that stick at rest, and a line of the log for every contact."""
    log_touches, (*_, hold_still) = contacts(plane, sticky).log_touches, gripping(sticky and ledger, FUNCTIONS)
    space = "plane" if plane else "space"

    @kernel(SETTLE, variant=space + " sticky"*sticky + " ledger"*(sticky and ledger))
    def settle(handle, t, y, dy):
        model, work = opened(handle)
        nq, nv = handle[NQ], handle[NV]
        if not plane:
            settle_row_quaternions(model.row, y, dy)
        if sticky:
            hold_still(handle, model, work, t, y, dy)
        room = log_touches(model, work, t, vector(y, nq), vector(shifted(y, nq), nv), vector(shifted(dy, nq), nv),
                           shifted(y, nq + nv))
        return 0 if room else FULL

    return settle


@kernel(int64(c_array(int64, 1), VECTOR, MATRIX, MATRIX))
def samples_of_sticking(handle, t, y, out):
    """out[b]: of each contact place, velocity and force, world axes, in state b of a chain whose points may stick."""
    handle = door(handle)
    model, work = opened(handle)
    nq, nv = handle[NQ], handle[NV]
    for b in range(y.shape[0]):
        state = pointer(y[b])
        touch = shifted(state, nq + nv)
        status = rate_if_asked(handle, model, work, t[b], state, touch)
        if status != OK:
            return status
        sample_in_mode(model, work, vector(state, nq), vector(shifted(state, nq), nv), touch, out[b])
    return OK

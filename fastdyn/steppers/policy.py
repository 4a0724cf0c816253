"""Named bounds of the step beside the error: how a body that may touch something is to be followed.

`flight-contact`: while a gap is closed h = h_min; else h <= max(h_min, min(h_max, 0.1 tau)), tau = g/(-dg/dt) of the
gap that will be closed first at the speed it has; after every switch the stepper starts anew with h_min. Only the error
may make a step smaller than h_min. A gap is a switching function that is said to be one (GAP), or of which only the
falls count; it is closed on its side -1. Derivation in docs/theory/adams.md.
"""

from .._address import shifted
from .._jit import sweep
from ..layout import GAP, SUGGESTED, TIME
from ..status import OK
from .desk import add_scaled, call_gaps

NO_POLICY, FLIGHT_CONTACT = range(2)
POLICIES = {"none": NO_POLICY, "flight-contact": FLIGHT_CONTACT}
FINER = 2.0**-10           # of h_min: steps become that small where the error asks for it
SHARE = 0.1                 # of the time to the touch that a step may take


@sweep
def bounded(p, handle, d, h, least):
    """(status, h): a step by the policy, cut to no less than `least`; to the method it is what itself wished."""
    k, bound = d.switches, h
    add_scaled(d.y, least, d.rate, d.look, d.blocks)
    status = call_gaps(p.gaps, handle, d.clock[TIME], d.y, d.gap)
    if status == OK:
        status = call_gaps(p.gaps, handle, d.clock[TIME] + least, d.look, shifted(d.gap, k))
    for i in range(k):
        if d.side[i] == 0 or not (d.watch[i] == GAP or d.watch[i] < 0):
            continue
        g, fall = d.gap[i], d.gap[i] - d.gap[k + i]
        if d.side[i] < 0:
            bound = 0.0
        elif fall > 0.0:
            bound = min(bound, SHARE*least*max(g, 0.0)/fall)
    bound = min(max(bound, least), h)
    d.clock[SUGGESTED] = min(d.clock[SUGGESTED], bound)
    return status, bound

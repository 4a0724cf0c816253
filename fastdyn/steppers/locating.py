"""The step taken again to where a function crosses: nearer by slopes, and looked at again at states that steps end in.

What the polynomial of a step says of its inside is not always so: where a component is stiff, it is not. An end that is
not beyond zero is no event. Derivation in docs/theory/events.md.
"""

import math

from .._jit import leaf, sweep
from ..layout import EVENT_TOL, HEADING, LOOSE, MET, TIME
from ..status import NOT_SMOOTH, OK
from .bracketing import SOON, gaps_at, resolution
from .desk import call_attempt, call_finish, call_gaps, call_inside
from .events import meets
from .noise import EPS

TOO_LONG = 2.0              # error of a step whose inside is not as good as its end
BACK_BY = 1e-3              # of a step: between two places that tell a slope at its end


@leaf
def in_time(t, h):
    """A step as the clock can show it: its rounding would add up, 1e-8 s after 2e7 steps."""
    return (t + h) - t


@sweep
def to_event(p, handle, desk, d, h, x):
    """(status, h, error): the step tried again to end just behind the crossing at its fraction x.

    Nearer by slopes, at most four times. Where a function jumps, or is steeper at zero than a line, a slope leads to
    the wrong side of it: then the nearest end behind the crossing is taken again. One that is flat at zero is nearer by
    its slope than it is, and one that jumps may do so later than the longer step has it: ten times as far each time
    until it is behind, then back by halves.
    """
    narrow, whole, k, t = resolution(d, h), h, d.switches, d.clock[TIME]
    least, further, before = 2.0*EPS*abs(t), narrow*whole, -math.inf
    h, behind, back, trial = min(in_time(t, max(x*whole, least)), whole), math.inf, False, 0
    while True:
        status, error = again(p, handle, desk, d, h)
        if status != OK or back or not error < math.inf:
            return status, h, error
        beyond, away = crossed(p, handle, desk, d, h, x, narrow), -math.inf    # s, to the last of those that do here
        for i in range(k):
            if meets(d, i, x, narrow):
                away = max(away, seconds_away(p, handle, desk, d, h, i))
        behind = min(behind, h) if beyond else behind
        settled = -narrow*whole <= away <= 0.0 or not abs(away) <= 0.1*whole or trial >= 3
        nearer = min(max(in_time(t, h + away*(1.0 + 1e-9) + least), least), whole)
        back = not beyond and behind < math.inf and (settled or nearer >= behind)
        if settled and not back:
            if beyond or h >= whole:
                return by_halves(p, handle, desk, d, x, narrow, before, h, error) if beyond else (status, h, error)
            before, nearer, further = h, min(in_time(t, h + further + least), whole), 10.0*further
        h, trial = behind if back else nearer, trial + 1


@sweep
def by_halves(p, handle, desk, d, x, narrow, before, behind, error):
    """(status, h, error): the step that ended behind the crossing, with `error`, ends within event_tol of it.

    `before`: a size with which it does not, minus infinity where none was looked for.
    """
    h, t, status = behind, d.clock[TIME], OK
    while status == OK and d.setting[EVENT_TOL] < behind - before < math.inf:
        h = in_time(t, 0.5*(before + behind))
        status, error = again(p, handle, desk, d, h)
        if not error < math.inf:
            break
        before, behind = (before, h) if crossed(p, handle, desk, d, h, x, narrow) else (h, behind)
    if status == OK and h != behind:
        h = behind
        status, error = again(p, handle, desk, d, h)
    return status, h, error


@sweep
def crossed(p, handle, desk, d, h, x, narrow):
    """Whether all functions that cross at x are beyond zero where the step ended, by row LOOSE, or go through it there.

    One that is zero and still is soon after rests there. Writes row 0 of d.gap. narrow: of the step, as x is.
    """
    k, all_of_them, looked = d.switches, True, False
    for i in range(k):
        if meets(d, i, x, narrow):
            g = d.gap[HEADING*k + i]*d.gap[LOOSE*k + i]
            if g == 0.0:
                if not looked:
                    after = 1.0 + SOON*resolution(d, h)
                    call_inside(p.inside, p.rate, handle, desk, after, d.look)
                    call_gaps(p.gaps, handle, d.clock[TIME] + after*h, d.look, d.gap)
                    looked = True
                g = d.gap[HEADING*k + i]*d.gap[i]
            all_of_them = all_of_them and g > 0.0
    return all_of_them


@sweep
def again(p, handle, desk, d, h):
    """(status, error): the step to h tried once more; its functions in row LOOSE. NaN: it cannot be taken."""
    status, d.count[MET] = OK, OK
    error = call_attempt(p.attempt, p.rate, handle, desk, h)
    if error < math.inf:
        d.count[MET] = call_finish(p.close, p.rate, handle, desk, h)
        error = error if d.count[MET] == OK else math.nan
    if error < math.inf:
        status = call_finish(p.prepare, p.rate, handle, desk, h)
        if status == NOT_SMOOTH:
            status, error = OK, max(error, TOO_LONG)
        if status == OK:
            status = gaps_at(p, handle, desk, d, h, 1.0, LOOSE)
    return status, error


@sweep
def seconds_away(p, handle, desk, d, h, i):
    """From the end of the step on to where function i crosses, by a short look back; writes row 0 of d.gap."""
    g, w = d.gap[LOOSE*d.switches + i], BACK_BY
    gaps_at(p, handle, desk, d, h, 1.0 - w, 0)
    slope = (g - d.gap[i])/(w*h)
    return -g/slope if d.gap[HEADING*d.switches + i]*slope > 0.0 else 0.0

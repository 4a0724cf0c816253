"""What happens where functions cross: their switches are asked in order, what they leave is checked, sides are judged.

A switch that only passes a kink of the rate says BENT, one that only tells a moment NOTED: where that happens without
end the function is watched no longer. One that says GRIPS is then told so (direction RESTED) and finds another way.
One that changes nothing may be asked as often as its function truly crosses.
A switch may set the side of its function to JUDGED. Then the motion tells: on zero or just beyond, the function goes on
if it goes there no slower than a thousandth of what it did before, or at all where it is flat; else it belongs to the
side it came from, and fires again at once should it stay beyond. So nothing that bounces ever lower, or stops, is let
through. Derivation in docs/theory/events.md.
"""

import math

from .._address import shifted
from .._jit import leaf, sweep
from ..layout import (
    ABOUT, BACK, BENT, CAPTURE, CHANGED, CLOSED, CONTACT_SHARE, CROSSED, EVENT_TOL, EVENTS, FAILED, FARTHEST, FIRED,
    GRIPS, HALT, HAPPENED, HEADING, JUDGED, LAST, LOOSE, NODES, NOTED, OFTEN, OPENED, RESTED, ROUGH, SEEN, SINCE,
    STEP_NEXT, SWITCHES_MOST, T_END, TIGHTER, TIGHTEST, TIME, UNCHANGED, UNSURE, WINDOW)
from ..status import ACTION_FAILED, AT_REST, CHATTER, OK, STOPPED
from .bracketing import NEVER
from .desk import add_scaled, call_gaps, call_switch, copy
from .events import WAITING, counts, meets

WINDOWS = 500.0             # of a run, in which switches are counted: the intervals of the usual number of samples
GOING_ON = 1e-3             # of its speed before the switch: what is slower does not go on through zero
STEEPNESS = 0.5             # of the way a function makes over the time it takes: one whose speed is less is flat there
FADES = 0.5                 # a crossing may be sure by chance: how sure the last ones were stays that much
BEFORE = NODES - 1          # row of Stepping.gap for the sides before anything happens
PROBE, LEAST_PROBE = 1e-4, 100.0    # how far ahead a speed is looked for: of the next step, of event_tol


@leaf
def nothing_fired(d):
    """Before the first step; what was given a side is waited for, wherever it is, while it is on its way there."""
    k, t = d.switches, d.clock[TIME]
    d.clock[WINDOW], d.clock[SEEN] = (d.setting[T_END] - t)/WINDOWS, 0.0
    for i in range(k):
        d.gap[FIRED*k + i], d.gap[SINCE*k + i], d.gap[OFTEN*k + i] = -math.inf, -math.inf, 0.0
        d.gap[BACK*k + i] = t if d.side[i] != 0 else -math.inf
        d.gap[FARTHEST*k + i], d.gap[UNSURE*k + i], d.gap[ROUGH*k + i] = math.inf, 0.0, 0.0


@leaf
def record(d, tape, t, which, direction):
    """An event of the tape"""
    row = d.count[HAPPENED]
    tape.happened[row], tape.what[2*row], tape.what[2*row + 1] = t, which, direction
    d.count[HAPPENED] = row + 1
    d.count[EVENTS] += 1


@leaf
def flip_unwatched(d):
    """A function that went to its other side, in a direction nobody asked for, is there now."""
    for i in range(d.switches):
        if d.side[i]*d.gap[(NODES - 1)*d.switches + i] < 0.0 and d.gap[CROSSED*d.switches + i] != WAITING:
            d.side[i] = -d.side[i]


@sweep
def fire(p, handle, d, tape, x, narrow):
    """(word, changed): what happens at the end of the step, to all functions that cross there, in their order.

    Who crosses is settled before anything happens: a switch may change what the other functions are, and their sides.
    Those do not fire any more.
    """
    k, word, changed = d.switches, OK, False
    for i in range(k):
        side, at = d.side[i], d.gap[CROSSED*k + i]
        beyond = at < NEVER and at != WAITING and d.gap[HEADING*k + i]*d.gap[LOOSE*k + i] > 0.0
        if side == 0 or not (beyond or meets(d, i, x, narrow)):
            d.gap[HEADING*k + i] = 0.0
        d.gap[BEFORE*k + i] = side
    for i in range(k):
        direction = int(d.gap[HEADING*k + i])
        if direction == 0 or d.side[i] != d.gap[BEFORE*k + i]:
            continue
        d.side[i] = direction
        if not counts(d.watch[i], direction):
            continue
        said, moved = happen(p, handle, d, tape, i, direction)
        changed = changed or moved
        if said != OK and (word == OK or word == CHATTER or said == ACTION_FAILED):
            word, d.count[ABOUT] = said, i
        if word == ACTION_FAILED:
            break
    return word, changed


@sweep
def happen(p, handle, d, tape, i, direction):
    """(word, changed): an event of function i, and its rest if it changed something within the capture interval."""
    k, t, at_rest = d.switches, d.clock[TIME], False
    answer, changed = switched(p, handle, d, tape, i, direction)
    note_what_it_was(d, i, direction, answer == UNCHANGED)
    if d.side[i] == JUDGED:
        status = note_speed(p, handle, d, i, direction) if changed else OK
        d.side[i] = JUDGED if changed else direction
        if status != OK:
            return status, changed
    if answer == CHANGED:
        at_rest = d.side[i] != direction and t - d.gap[FIRED*k + i] < d.setting[CAPTURE]
        d.gap[FIRED*k + i] = t
        if at_rest:
            answer, _ = switched(p, handle, d, tape, i, RESTED)
    if answer == FAILED:
        d.side[i] = -direction                              # it is to fire again if the run goes on
        return ACTION_FAILED, changed
    too_often = often(d, i)
    if answer == BENT or answer == NOTED:
        d.side[i] = 0 if too_often else d.side[i]           # left to the error: neither is a reason to stop
        return OK, changed
    if answer == GRIPS:
        if too_often:
            switched(p, handle, d, tape, i, RESTED)         # it finds another way
        return OK, changed
    if answer == HALT:
        return (AT_REST if at_rest else STOPPED), changed
    return (CHATTER if too_often and answer != UNCHANGED else OK), changed


@leaf
def note_what_it_was(d, i, direction, only_logged):
    """Of an event of function i: from now on it is watched how far from zero it gets, and how sure its crossing was."""
    k = d.switches
    d.gap[FARTHEST*k + i], d.gap[LAST*k + i] = 0.0 if only_logged else math.inf, direction
    d.gap[UNSURE*k + i] = max(-direction*d.gap[LOOSE*k + i], FADES*d.gap[UNSURE*k + i])


@sweep
def switched(p, handle, d, tape, i, direction):
    """(answer, changed): the switch of function i asked; `new` is the state before, and y if it fails."""
    t, moved, sound = d.clock[TIME], False, True
    copy(d.y, d.new, d.blocks)
    answer = call_switch(p.switch, handle, t, d.y, i, direction, d.side)
    for at in range(d.n):
        moved = moved or d.y[at] != d.new[at]
        sound = sound and abs(d.y[at]) < math.inf
    if answer == FAILED or not sound:
        copy(d.new, d.y, d.blocks)
        return FAILED, False
    record(d, tape, t, i, direction)
    if answer == CLOSED or answer == OPENED:
        d.clock[TIGHTEST] = 1.0/d.setting[CONTACT_SHARE] - 1.0 if answer == CLOSED else 0.0
        d.clock[TIGHTER] = d.clock[TIGHTEST]
        answer = CHANGED
    return answer, moved or answer == CHANGED or answer == BENT


@leaf
def often(d, i):
    """Whether function i, that fired now, has done so too often within its window"""
    k, t = d.switches, d.clock[TIME]
    if t - d.gap[SINCE*k + i] > d.clock[WINDOW]:
        d.gap[SINCE*k + i], d.gap[OFTEN*k + i] = t, 0.0
    d.gap[OFTEN*k + i] += 1.0
    return d.gap[OFTEN*k + i] > d.setting[SWITCHES_MOST]


@leaf
def ahead(d):
    """s, how far from now a speed is looked for, not beyond the end; no less than rounding leaves something to see"""
    s = max(PROBE*min(d.clock[STEP_NEXT], 100.0*d.clock[WINDOW]), LEAST_PROBE*d.setting[EVENT_TOL])
    return -s if d.clock[TIME] + 2.0*s > d.setting[T_END] else s


@sweep
def speeds(p, handle, d, y):
    """The functions at y and at two places along its rate into the first three rows; a status."""
    s, status = ahead(d), OK
    for j in range(3):
        add_scaled(y, j*s, d.rate, d.look, d.blocks)
        status = call_gaps(p.gaps, handle, d.clock[TIME] + j*s, d.look, shifted(d.gap, j*d.switches))
        if status != OK:
            break
    return status


@leaf
def speed(d, i):
    """How fast function i rises, from the first three rows"""
    k = d.switches
    return (4.0*(d.gap[k + i] - d.gap[i]) - (d.gap[2*k + i] - d.gap[i]))/(2.0*ahead(d))


@leaf
def way(d, i):
    """How far function i rises in the time looked ahead, from the first and the third row"""
    rise = d.gap[2*d.switches + i] - d.gap[i]
    return -rise if ahead(d) < 0.0 else rise


@sweep
def note_speed(p, handle, d, i, direction):
    """The speed function i had before its switch, in the direction it went, for `judge`, 0 if it is flat; a status."""
    status = speeds(p, handle, d, d.new)
    before, steady = direction*speed(d, i), 0.5*direction*way(d, i)/abs(ahead(d))
    d.gap[CROSSED*d.switches + i] = before if before > STEEPNESS*steady else 0.0
    return status


@sweep
def judge(p, handle, d, status):
    """The status there is or a new one; sides of the functions whose switches left them to the motion."""
    k, t, asked = d.switches, d.clock[TIME], False
    for i in range(k):
        asked = asked or d.side[i] == JUDGED
    if not asked:
        return status
    if status == OK:
        status = speeds(p, handle, d, d.y)
    for i in range(k):
        if d.side[i] != JUDGED:
            continue
        direction, g = int(d.gap[HEADING*k + i]), d.gap[HEADING*k + i]*d.gap[i]
        speed_before, further = d.gap[CROSSED*k + i], g - direction*d.gap[LOOSE*k + i]
        flat = not speed_before > 0.0                   # at the start of a run: it was laid there
        back = g < 0.0 or t < d.gap[BACK*k + i] or (flat and t == d.gap[BACK*k + i])
        if not back and not further > abs(speed_before)*d.setting[EVENT_TOL]:
            back = not direction*(way(d, i) if flat else speed(d, i)) > (0.0 if flat else GOING_ON*speed_before)
            back = back and not (flat and g > 0.0 and way(d, i) == 0.0)     # it jumped to where it stays
        d.side[i] = -direction if back else direction
        d.gap[BACK*k + i] = t + 2.0*abs(ahead(d)) if back else -math.inf
    return status

"""The conversation every method has with a run: steps up to events, samples onto the tape, a word why it returned.

`advance` works until the end, a full tape, an event that ends the run, a pause, or trouble; called again with the same
arrays it goes on, to the bit as if it had not returned. System and method are called by address: it is compiled once
for all of them. Derivations in docs/theory/time.md and docs/theory/events.md.
"""

import math
from typing import NamedTuple

from .._address import door, parts_opener
from .._jit import c_array, float64, int64, kernel, leaf, pointer, sweep
from ..algebra.power import power, rough_exp2, rough_log2
from ..layout import (
    COUNTED, DAMP, ERROR_ORDER, EVERY, GROW, H_FIRST, H_MAX, H_MIN, HAPPENED, KEPT, LOG_ERROR, LOOSE, MET,
    METHOD_ORDER, PAUSE, POLICY, PUT_BACK, REJECTED, ROWS, SAFETY, SAMPLE, SHRINK, STARTED, STEP_NEXT, STEP_TAKEN,
    STEPS, STEPS_MOST, SUGGESTED, T_END, TIME, TIME_OLD, TRIED, TRIED_END, TRIED_ERROR, TRIED_MEANT, UNSTORED, WORD)
from ..status import ACTION_FAILED, NOT_FINITE, NOT_SMOOTH, OK, PAUSED, STEP_TOO_SMALL, TAPE_FULL, TOO_MANY_STEPS
from .desk import (
    FULL, VOID, add_scaled, ask, call_attempt, call_commit, call_finish, call_gaps, call_inside, call_settle, copy,
    norm, open_desk, open_reel, scale_of, worked)
from .bracketing import NEVER, gaps_at, resolution
from .events import begin_search, search
from .locating import in_time, to_event
from .noise import EPS
from .policy import FINER, NO_POLICY, bounded
from .rounding import note_rounding, tighten
from .switching import fire, flip_unwatched, judge, nothing_fired

NEAR_START = 1e-3           # share of the first step after which a function that starts on zero has left it
HOPELESS = 1e-24            # of what is left of the run: of steps so small it has no end
NEAR_END = 1.01             # a step that would leave a hundredth of itself to the end takes it along
CALM, LEAST_ERROR = 1e-4, 1e-14     # smaller ones of the last step, of this one, are not told apart
FRESH, GOING, JUMPED = range(3)     # what Stepping.count[STARTED] says; JUMPED: the rate did, between two calls


class Parts(NamedTuple):
    """What is to be integrated and how, by address: system first, then the method."""

    rate: object
    settle: object
    gaps: object
    switch: object
    restart: object
    attempt: object
    close: object
    prepare: object
    inside: object
    commit: object


open_parts = parts_opener(Parts)
LIST, VECTOR = c_array(int64, 1), c_array(float64, 1)
ADVANCE = int64(LIST, LIST, LIST, LIST)                 # (parts, handle, desk, tape) -> status


# ------------------------------------------------------------------------------------------------------------ step size

@leaf
def size_of(error): return rough_log2(max(error, LEAST_ERROR))


@leaf
def factor(d, error, size):
    """What the next step is to this one, by its error and the logarithm of that [Gustafsson 1991]"""
    if not error < math.inf:
        return d.setting[SHRINK]
    damp = d.setting[DAMP]
    before = d.clock[LOG_ERROR] if error <= 1.0 else 0.0
    change = (0.75*damp - 1.0/d.setting[ERROR_ORDER])*size + damp*before
    return min(max(d.setting[SAFETY]*rough_exp2(change), d.setting[SHRINK]), d.setting[GROW])


@sweep
def first_step(p, handle, d):
    """A step whose Euler error is a hundredth of what is allowed [Hairer, Norsett & Wanner 1993, II.4]."""
    t = d.clock[TIME]
    size, speed, most = norm(d, d.y, d.y), norm(d, d.rate, d.y), min(d.setting[H_MAX], d.setting[T_END] - t)
    h = min(1e-6 if size < 1e-5 or speed < 1e-5 else 0.01*size/speed, most)
    add_scaled(d.y, h, d.rate, d.new, d.blocks)
    status = ask(p.rate, handle, d, t + h, d.new, d.look)
    bend = 0.0
    for at in range(d.n):
        part = (d.look[at] - d.rate[at])/scale_of(d, at, d.y[at], d.y[at])
        bend += part*part
    steepest = max(speed, math.sqrt(bend/d.setting[COUNTED])/h)
    if status != OK or not steepest < math.inf:
        return h
    second = max(1e-6, 1e-3*h) if steepest <= 1e-15 else power(0.01/steepest, 1.0/(d.setting[METHOD_ORDER] + 1.0))
    return min(min(100.0*h, second), most)


@sweep
def start(p, handle, desk, d):
    """Rate and step at the time of the clock, nothing of the past."""
    status = ask(p.rate, handle, d, d.clock[TIME], d.y, d.rate)
    if status == OK:
        d.clock[LOG_ERROR], d.clock[SUGGESTED], d.clock[TRIED] = rough_log2(CALM), 0.0, 0.0
        h = d.setting[H_FIRST]
        d.clock[STEP_NEXT] = h if h > 0.0 else first_step(p, handle, d)
        call_commit(p.restart, desk, d.clock[STEP_NEXT])
    return status


# ------------------------------------------------------------------------------------------------------------- one step

@leaf
def smallest(d):
    """The size from which on no error refuses a step, for want of a smaller one"""
    t, left = d.clock[TIME], d.setting[T_END] - d.clock[TIME]
    return max(d.setting[H_MIN]*(1.0 if d.setting[POLICY] == NO_POLICY else FINER), 16.0*EPS*abs(t), HOPELESS*left)


@leaf
def shorter(d, h, error):
    """What is tried after a step of size h with too much of an error"""
    wish = d.clock[SUGGESTED] if d.clock[SUGGESTED] > 0.0 else h*factor(d, error, size_of(error))
    return max(min(wish, 0.9*h), smallest(d))


@leaf
def next_end(d, tape):
    """The time no step may pass: the end, or a stop before it, no nearer than the smallest step"""
    end, after, low, high = d.setting[T_END], d.clock[TIME] + smallest(d), 0, tape.stops
    if not d.setting[H_MIN] < d.setting[H_MAX]:         # all steps are of one size
        return end
    while low < high:
        middle = (low + high)//2
        if tape.stop[middle] > after:
            high = middle
        else:
            low = middle + 1
    return min(end, tape.stop[low]) if low < tape.stops else end


@leaf
def wants(d, tape, t):
    """Whether a wanted time comes before t"""
    return d.count[SAMPLE] < tape.wishes and tape.wanted[d.count[SAMPLE]] < t


@leaf
def accepted(p, handle, desk, d, tape, end):
    """(status, size, error, what its size would be if no stop cut it) of a step that may be taken; it shrinks until one
    is found. Where somebody looks inside, its inside is as good as its end."""
    t, left, least = d.clock[TIME], end - d.clock[TIME], smallest(d)
    h = min(max(d.clock[STEP_NEXT], least), d.setting[H_MAX])
    if d.setting[POLICY] != NO_POLICY:
        status, h = bounded(p, handle, d, h, max(d.setting[H_MIN], least))
        if status != OK:
            return status, h, math.nan, 0.0
    note_rounding(p, handle, d)
    while True:
        step = left if h*NEAR_END >= left else in_time(t, h)
        d.count[MET] = OK
        tighten(d, step)
        error = call_attempt(p.attempt, p.rate, handle, desk, step)
        if error <= 1.0:
            d.count[MET] = call_finish(p.close, p.rate, handle, desk, step)
            if d.count[MET] == OK and (d.switches > 0 or wants(d, tape, t + step)):
                d.count[MET] = call_finish(p.prepare, p.rate, handle, desk, step)
                if d.count[MET] == NOT_SMOOTH and not min(h, step) > least:
                    d.count[MET] = OK
            if d.count[MET] == OK:
                return OK, step, error, (h if step < h and end < d.setting[T_END] else 0.0)
            error = math.nan
        d.count[REJECTED] += 1
        if not min(h, step) > least:                        # h: a rounded step may be more; not: nor is a step NaN
            if d.count[MET] == OK:
                d.count[MET] = STEP_TOO_SMALL if error < math.inf else NOT_FINITE
            return d.count[MET], step, error, 0.0
        h = shorter(d, step, error)


@leaf
def go_on(p, handle, desk, d, h, end):
    """The step is taken; `end`: the time that it was not to pass."""
    t = d.clock[TIME]
    call_commit(p.commit, desk, h)
    copy(d.new, d.y, d.blocks)
    d.clock[TIME_OLD], d.clock[STEP_TAKEN] = t, h
    d.clock[TIME] = end if h == end - t else t + h
    d.count[STEPS] += 1
    d.count[UNSTORED] = 1
    settled = call_settle(p.settle, handle, d.clock[TIME], d.y, d.rate)
    d.count[KEPT] = settled
    if settled == VOID:
        d.count[PUT_BACK] = 1
    return ask(p.rate, handle, d, d.clock[TIME], d.y, d.rate) if settled == VOID else OK


@leaf
def tried(p, handle, desk, d, tape, end):
    """The answer of `accepted`, of a step that can be looked into; of the one that was being looked into, if it was."""
    if d.clock[TRIED] > 0.0 and d.clock[TRIED_END] == end:
        return OK, d.clock[TRIED], d.clock[TRIED_ERROR], d.clock[TRIED_MEANT]
    status, h, error, meant = accepted(p, handle, desk, d, tape, end)
    if status == OK and d.switches > 0:
        d.clock[TRIED], d.clock[TRIED_ERROR], d.clock[TRIED_MEANT], d.clock[TRIED_END] = h, error, meant, end
        begin_search(d, h)
    return status, h, error, meant


@leaf
def step(p, handle, desk, d, tape, began):
    """One step that is taken, up to an event if there is one in it; a word. PAUSED: it is still being looked into."""
    end = next_end(d, tape)
    status, h, error, meant = tried(p, handle, desk, d, tape, end)
    if status != OK:
        return status
    size = size_of(error)
    x, narrow, wish = NEVER, 0.0, h*factor(d, error, size)
    if d.switches > 0:
        narrow = resolution(d, h)
        status, x = search(p, handle, desk, d, h, began)
        if status == PAUSED:
            return PAUSED
        d.clock[TRIED] = 0.0
        if status == OK and x == 0.0:
            h, status = 0.0, gaps_at(p, handle, desk, d, h, 0.0, LOOSE)
        elif status == OK and x < NEVER:
            status, h, found = to_event(p, handle, desk, d, h, x)
            if not found <= 1.0 and h > smallest(d):        # shorter, but it ends on a kink of the rate: nearer first
                d.count[REJECTED] += 1
                d.clock[STEP_NEXT] = shorter(d, h, found)
                return status
            if status == OK and not found < math.inf:
                return d.count[MET] if d.count[MET] != OK else NOT_FINITE
    if status == OK and h > 0.0:
        status = go_on(p, handle, desk, d, h, end)
    if status != OK:
        return status
    d.clock[STEP_NEXT] = max(d.clock[SUGGESTED] if d.clock[SUGGESTED] > 0.0 else wish, meant)
    d.clock[LOG_ERROR] = max(size, rough_log2(CALM))
    if x == NEVER:
        flip_unwatched(d)
        return OK
    store(d, tape)
    word, changed = fire(p, handle, d, tape, x, narrow)
    if changed or d.setting[POLICY] != NO_POLICY:
        ahead = d.clock[STEP_NEXT] if d.setting[POLICY] == NO_POLICY else d.setting[H_MIN]
        status = start(p, handle, desk, d)
        d.clock[STEP_NEXT] = min(ahead, d.clock[STEP_NEXT])
    if changed:
        d.count[UNSTORED] = 1
        status = judge(p, handle, d, status)
    return word if word == ACTION_FAILED or status == OK else status


# ------------------------------------------------------------------------------------------------------------- the tape

@leaf
def keep(d, tape, t, y):
    """A row of the tape"""
    row = d.count[ROWS]
    tape.time[row] = t
    for at in range(d.n):
        tape.state[row*d.n + at] = y[at]
    d.count[ROWS] = row + 1


@leaf
def store(d, tape):
    """The state there is, if every step is to be kept and this one is not yet"""
    if d.setting[EVERY] != 0.0 and d.count[UNSTORED] != 0:
        keep(d, tape, d.clock[TIME], d.y)
        d.count[UNSTORED] = 0


@leaf
def samples(p, handle, desk, d, tape):
    """What is wanted of the step taken onto the tape; whether there is room for it and for an event's two rows."""
    rows = tape.samples
    while d.count[SAMPLE] < tape.wishes and tape.wanted[d.count[SAMPLE]] <= d.clock[TIME]:
        if d.count[ROWS] >= rows:
            return False
        t = tape.wanted[d.count[SAMPLE]]
        if t == d.clock[TIME]:
            keep(d, tape, t, d.y)
        else:
            x = (t - d.clock[TIME_OLD])/d.clock[STEP_TAKEN]
            call_inside(p.inside, p.rate, handle, desk, x, d.look)
            keep(d, tape, t, d.look)
        d.count[SAMPLE] += 1
    if d.count[ROWS] >= rows - 1 or d.count[KEPT] == FULL:
        return False
    store(d, tape)
    return tape.events - d.count[HAPPENED] >= 2*d.switches


# ------------------------------------------------------------------------------------------------------------- the talk

@sweep
def set_out(p, handle, desk, d):
    """Before the first step: the rate, the step, the sides."""
    nothing_fired(d)
    status = start(p, handle, desk, d)
    if status == OK and d.switches > 0:
        status = call_gaps(p.gaps, handle, d.clock[TIME], d.y, d.gap)
    if status != OK:
        return status
    on_zero = False
    for i in range(d.switches):
        g = d.gap[i]
        on_zero = on_zero or (d.side[i] == 0 and g == 0.0)
        d.side[i] = d.side[i] if d.side[i] != 0 else (1 if g > 0.0 else (-1 if g < 0.0 else 0))
    if on_zero:                                             # it is on the side it leaves to
        h = NEAR_START*d.clock[STEP_NEXT]
        call_attempt(p.attempt, p.rate, handle, desk, h)
        status = call_gaps(p.gaps, handle, d.clock[TIME] + h, d.new, d.gap)
        for i in range(d.switches):
            d.side[i] = d.side[i] if d.side[i] != 0 else (1 if d.gap[i] >= 0.0 else -1)
        if status != OK:
            return status
    d.count[UNSTORED], d.clock[STEP_TAKEN] = 1, 0.0
    return OK


@kernel(int64(LIST, LIST, float64, VECTOR, VECTOR))
def settle_once(parts, handle, t, y, dy):
    """Let a system settle, and keep what it keeps of a step, at a state with its rate."""
    return call_settle(open_parts(door(parts)).settle, door(handle), t, pointer(y), pointer(dy))


@kernel(ADVANCE)
def advance(parts, handle, desk, tape):
    """Go on with a run; see the top of this page for when it returns."""
    p, handle, desk = open_parts(door(parts)), door(handle), door(desk)
    d, tape = open_desk(desk), open_reel(door(tape))
    began = worked(d)
    if d.count[STARTED] != GOING:
        status = set_out(p, handle, desk, d) if d.count[STARTED] == FRESH else start(p, handle, desk, d)
        if status != OK:
            return status
        d.count[STARTED] = GOING
    while True:
        if not samples(p, handle, desk, d, tape):
            return TAPE_FULL
        if d.count[WORD] != OK:
            return d.count[WORD]
        if d.clock[TIME] >= d.setting[T_END]:
            return OK
        if d.count[STEPS] >= d.setting[STEPS_MOST]:
            return TOO_MANY_STEPS
        if worked(d) - began >= d.setting[PAUSE]:           # read anew: Ctrl-C takes it down to nothing
            return PAUSED
        word = step(p, handle, desk, d, tape, began)
        if word == PAUSED:
            return PAUSED
        d.count[WORD] = word

"""Where in a step a switching function crosses zero: signs at a few places, interior extrema, then a bracketed root.

A function is on a side of zero, +1 or -1 (0: nobody watches). It crosses where its sign becomes the other one; a graze
is two crossings between neighbouring places, found from the extremum there. What starts within rounding of zero is
judged by where it goes. A step in which a function does more than its places show is looked at piece by piece, with
pauses if that takes long. Derivation in docs/theory/events.md.
"""

import math

from .._jit import leaf, sweep
from ..layout import (
    BACK, BY_THEN, CROSSED, FARTHEST, LEAST_PIECE, GAP, HEADING, LAST, LOOSE, NODES, PAUSE, PIECE, SEARCHED, SEEN, TIME,
    UNSURE)
from ..status import OK, PAUSED
from .bracketing import NEVER, PLACES, crossed_at, dip, gaps_at, one, place, resolution, root, turn_of
from .desk import worked
from .noise import DULL, noise_of, note_noise, unknown_yet

WAITING = -1.0                                          # where in a step: nowhere yet; beyond zero, on its way back
FINE = 1e-3                                             # of a movement: what may be rounding
SMALLEST = 2.0**-16                                     # piece that is looked into, of a step or of the last resolved
TRUSTED = 0.25                                          # of the largest value: by what slopes at ends may surprise
FORGOTTEN = 0.25                                        # a step: of what a crossing was unsure by, which was one step's
NEAR_END = 1.0 - PLACES[5]
ROUNDED = 2.0/PLACES[1] + 2.0/NEAR_END + 256.0/3.0      # by what they do where each value may be off by one


@leaf
def surprise(at0, near0, at1, at2, at3, near4, at4):
    """By how much slopes at both ends differ from those of the quartic through the five places that are wide apart."""
    slope0 = (48.0*at1 - 36.0*at2 + 16.0*at3 - 3.0*at4 - 25.0*at0)/3.0
    slope1 = (25.0*at4 - 48.0*at3 + 36.0*at2 - 16.0*at1 + 3.0*at0)/3.0
    return abs((near0 - at0)/place(1) - slope0) + abs((at4 - near4)/NEAR_END - slope1)


@sweep
def resolved(d):
    """Whether the places show what every function does between them, but for rounding."""
    k, well = d.switches, True
    for i in range(k):
        if d.side[i] != 0:
            most = 0.0
            for j in range(NODES):
                most = max(most, abs(d.gap[j*k + i]))
            well = well and not surprise(d.gap[i], d.gap[k + i], d.gap[2*k + i], d.gap[3*k + i], d.gap[4*k + i],
                                         d.gap[5*k + i], d.gap[6*k + i]) > TRUSTED*most + ROUNDED*noise_of(d, i)
    return well


@sweep
def first_moments(p, handle, desk, d, h, i, width, spare):
    """Function i starts on zero or beyond: where it has truly crossed, NEVER if it is on its side soon.

    One that was sent back to its side, and is beyond but on its way, is WAITING.
    """
    side, far, g_far, first = d.side[i], width*place(1), d.gap[d.switches + i], resolution(d, h)
    if far < 2.0*first:                                     # a step so short that it has not left the start by then
        far = min(2.0*first, 1.0)
        g_far = one(p, handle, desk, d, h, far, i, spare)
    if side*g_far >= 0.0 or comes_back(d, i, side):
        return NEVER
    while far > first:
        near = 0.1*far
        g = one(p, handle, desk, d, h, near, i, spare)
        if side*g > 0.0:
            return root(p, handle, desk, d, h, i, side, near, g, far, g_far, spare)
        far, g_far = near, g
    return WAITING if d.gap[BACK*d.switches + i] > -math.inf and not recedes(d, i) else 0.0


@leaf
def comes_back(d, i, side):
    """Whether function i, a rounding beyond zero, is on its way at the second place, and on its side at the third"""
    k = d.switches
    return side*d.gap[k + i] >= side*d.gap[i] and side*d.gap[2*k + i] > 0.0


@sweep
def recedes(d, i):
    """Whether function i, beyond zero, moves further away from its side, but for rounding"""
    most, least = 0.0, 0.0
    for j in range(1, NODES):
        moved = d.side[i]*(d.gap[j*d.switches + i] - d.gap[i])
        most, least = max(most, moved), min(least, moved)
    return most < -FINE*least


@sweep
def crossing(p, handle, desk, d, h, i, start, width, side, waits, until, spare):
    """(x, direction): where function i first crosses zero in a direction that counts, in a piece of the step.

    Where it does not: (NEVER or WAITING, its side at the end of the piece). What comes later than `until` is not exact.
    """
    watch, k, narrow = d.watch[i], d.switches, resolution(d, h)
    if start == 0.0 and side*d.gap[i] > 0.0 and d.clock[TIME] > d.gap[BACK*k + i]:
        d.gap[BACK*k + i] = -math.inf                   # it arrived
    for j in range(NODES - 1):
        a, b, ga, gb = start + width*place(j), start + width*place(j + 1), d.gap[j*k + i], d.gap[(j + 1)*k + i]
        d.gap[FARTHEST*k + i] = max(d.gap[FARTHEST*k + i], abs(ga))
        if waits:
            waits = side*gb < 0.0
        elif j == 0 and start == 0.0 and side*ga <= 0.0:
            x = first_moments(p, handle, desk, d, h, i, width, spare)
            waits = x == WAITING or (x == NEVER and side*gb < 0.0)  # on its side soon: until then nothing is new
            if x != NEVER and not waits:
                if counts(watch, -side) and tells(p, handle, desk, d, h, i, -side, gb):
                    return x, -side
                side = -side
        elif side*gb < 0.0:
            if counts(watch, -side) and tells(p, handle, desk, d, h, i, -side, gb):
                return crossed_at(p, handle, desk, d, h, i, side, a, ga, b, gb, until, spare), -side
            side = -side
        elif a < until:
            m, gm, end, g_end = b, gb, b, gb
            if j < NODES - 2 and side*gb < side*ga and side*gb <= side*d.gap[(j + 2)*k + i]:
                end, g_end = start + width*place(j + 2), d.gap[(j + 2)*k + i]
            elif j == 0 or j == NODES - 2:              # a dip next to an end of the step: no place is lower than both
                other = 2 if j == 0 else NODES - 3
                v = turn_of(a, ga, b, gb, start + width*place(other), d.gap[other*k + i])
                if a < v < b:
                    m, gm = v, one(p, handle, desk, d, h, v, i, spare)
            if end == b and (m == b or side*gm >= min(side*ga, side*gb)):
                continue
            x = dip(p, handle, desk, d, h, i, side, a, m, gm, end, narrow, spare)
            g = one(p, handle, desk, d, h, x, i, spare)
            if side*g < 0.0 and tells(p, handle, desk, d, h, i, -side, g_end):
                if counts(watch, -side):
                    return crossed_at(p, handle, desk, d, h, i, side, a, ga, x, g, until, spare), -side
                return crossed_at(p, handle, desk, d, h, i, -side, x, g, end, g_end, until, spare), side
    return (WAITING if waits else NEVER), side


@sweep
def tells(p, handle, desk, d, h, i, heading, beyond):
    """Whether a crossing of function i says something: it was not only logged last, or was away from zero since, or it
    goes back, to `beyond`, which is away from zero.

    Away: by more than rounding does to it, or by more than it missed its side when it was to cross.
    """
    k = d.switches
    away, unsure = d.gap[FARTHEST*k + i], d.gap[UNSURE*k + i]
    if away == math.inf:
        return True
    away = away if heading == d.gap[LAST*k + i] else max(away, abs(beyond))
    if away > DULL*unsure:
        note_noise(p, handle, desk, d, h)
    return away > DULL*max(unsure, noise_of(d, i))


@sweep
def search(p, handle, desk, d, h, began):
    """(status, x of the first crossing that counts or NEVER); rows CROSSED and HEADING tell of every function.

    PAUSED: the rest of the step is to be looked at when the run goes on; `began`: what it had cost when it did last.
    """
    k, first, narrow, start, looked = d.switches, NEVER, resolution(d, h), d.clock[SEARCHED], False
    while start < 1.0 and first == NEVER:
        if looked and worked(d) - began >= d.setting[PAUSE]:
            d.clock[SEARCHED] = start
            return PAUSED, NEVER
        width, looked = min(d.clock[PIECE]/h, 1.0 - start), True
        for j in range(NODES):
            status = gaps_at(p, handle, desk, d, h, start + width*place(j), j)
            if status != OK:
                return status, NEVER
        well = resolved(d)
        if not well and width > least_piece(narrow):
            note_noise(p, handle, desk, d, h)
            well = resolved(d)
            if not well and width*h > d.clock[LEAST_PIECE]:
                d.clock[PIECE] = 0.5*width*h
                continue
        first = first_in_piece(p, handle, desk, d, h, start, width)
        note_width(d, h, width, well)
        start += width
    for i in range(k):
        if not 0.0 <= d.gap[CROSSED*k + i] < NEVER:
            d.gap[HEADING*k + i] = 0.0
    return OK, first


@leaf
def least_piece(narrow):
    """Fraction of a step whose places next to its ends are no time from them"""
    return 10.0*narrow/place(1)


@leaf
def begin_search(d, h):
    """Nothing is known of the step; pieces are no wider than twice what was resolved before it."""
    k, seen = d.switches, d.clock[SEEN]
    unknown_yet(d)
    d.clock[SEARCHED] = 0.0
    d.clock[PIECE] = max(2.0*seen, least_piece(resolution(d, h))*h) if seen > 0.0 else h
    d.clock[LEAST_PIECE] = SMALLEST*(min(seen, h) if seen > 0.0 else h)
    for i in range(k):
        d.gap[CROSSED*k + i], d.gap[HEADING*k + i] = NEVER, d.side[i]
        d.gap[UNSURE*k + i] *= FORGOTTEN


@leaf
def note_width(d, h, width, well):
    """Of a piece that was looked at: how wide the next one is, and if this was not resolved, that one need be less.

    One that was cut by the end of the step says nothing about wider ones.
    """
    if not well:
        d.clock[PIECE], d.clock[LEAST_PIECE] = 2.0*width*h, min(2.0*d.clock[LEAST_PIECE], SMALLEST*h)
    elif width*h >= 0.5*d.clock[PIECE]:
        d.clock[SEEN], d.clock[PIECE] = width*h, 2.0*width*h


@sweep
def first_in_piece(p, handle, desk, d, h, start, width):
    """Where in the step the first function crosses, in a piece of it, or NEVER; the likely first is asked first."""
    k, first, narrow, ahead = d.switches, NEVER, resolution(d, h), likely_first(d)
    for turn in range(k):
        i = (ahead + turn) % k
        if d.side[i] == 0:
            continue
        side, waits = int(d.gap[HEADING*k + i]), d.gap[CROSSED*k + i] == WAITING
        x, heading = crossing(p, handle, desk, d, h, i, start, width, side, waits, first + narrow, LOOSE)
        d.gap[CROSSED*k + i], d.gap[HEADING*k + i] = x, heading
        if 0.0 <= x < first:
            first = x
            gaps_at(p, handle, desk, d, h, min(first + narrow, 1.0), BY_THEN)
    return first


@leaf
def likely_first(d):
    """The function that crosses first if all are straight between their places"""
    k, first, earliest = d.switches, 0, NEVER
    for i in range(k):
        side = d.gap[HEADING*k + i]
        for j in range(NODES - 1):
            ga, gb = side*d.gap[j*k + i], side*d.gap[(j + 1)*k + i]
            x = place(j) + (place(j + 1) - place(j))*ga/(ga - gb) if gb < 0.0 < ga else NEVER
            if x < earliest:
                first, earliest = i, x
    return first


@leaf
def meets(d, i, x, narrow):
    """Whether function i crosses at x"""
    return 0.0 <= d.gap[CROSSED*d.switches + i] <= x + narrow


@leaf
def counts(watch, direction): return watch == direction or watch == 0 or watch == GAP

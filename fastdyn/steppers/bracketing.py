"""Places inside a step where switching functions are looked at, and from a bracket to a root or to a lowest place.

Root finder: [Chandrupatla 1997]. Derivation in docs/theory/events.md.
"""

import math

from .._address import shifted
from .._jit import leaf, sweep
from ..layout import BY_THEN, EVENT_TOL, LOOKS, TIME
from .desk import call_gaps, call_inside
from .noise import EPS

NEVER = math.inf                                        # where in a step: not in it
PLACES = (0.0, 9.4e-4, 0.25, 0.5, 0.75, 1.0 - 1.06e-3, 1.0)     # no wave has all its crests at them
SAME, COARSE, INSTANT = 1e-5, 1e-3, 1e-15               # shares of event_tol, and s: below them two times are one
SOON = 100.0                                            # times that: what is zero still rests there
ON_ITS_SIDE = 1e-300                                    # as what zero counts to find the end of a rest
GOLDEN = 0.3819660112501051


@leaf
def place(j):
    x = 0.0
    for i in range(len(PLACES)):
        x = PLACES[i] if j == i else x
    return x


@leaf
def resolution(d, h):
    """Fraction of a step that is no time at all"""
    tol = d.setting[EVENT_TOL]
    return (max(SAME*tol, min(COARSE*tol, INSTANT)) + 4.0*EPS*abs(d.clock[TIME]))/h


@sweep
def gaps_at(p, handle, desk, d, h, x, row):
    """Switching functions at a fraction x of the step into a row of d.gap, counted."""
    d.count[LOOKS] += 1
    into = shifted(d.gap, row*d.switches)
    if x <= 0.0:
        return call_gaps(p.gaps, handle, d.clock[TIME], d.y, into)
    if x >= 1.0:
        return call_gaps(p.gaps, handle, d.clock[TIME] + h, d.new, into)
    call_inside(p.inside, p.rate, handle, desk, x, d.look)
    return call_gaps(p.gaps, handle, d.clock[TIME] + x*h, d.look, into)


@sweep
def one(p, handle, desk, d, h, x, i, spare):
    """Function i at x; the row `spare` takes all of them"""
    gaps_at(p, handle, desk, d, h, x, spare)
    return d.gap[spare*d.switches + i]


@sweep
def root(p, handle, desk, d, h, i, side, near, g_near, far, g_far, spare):
    """Where function i, on `side` at near, is beyond zero first; where it rests on zero before, the end of its rest."""
    x, rests = near, g_near == 0.0
    if not rests:
        x, g = bracketed(p, handle, desk, d, h, i, side, near, g_near, far, g_far, 0.0, spare)
        soon = x + SOON*resolution(d, h)
        rests = g == 0.0 and soon < far and one(p, handle, desk, d, h, soon, i, spare) == 0.0
        x = soon if rests else x
    if rests:
        x, g = bracketed(p, handle, desk, d, h, i, side, x, 0.0, far, g_far, ON_ITS_SIDE, spare)
    return x


@sweep
def bracketed(p, handle, desk, d, h, i, side, near, g_near, far, g_far, zero, spare):
    """(x, g): the far end of a bracket of the crossing, no wider than no time at all; zero: what 0 counts as."""
    narrow = resolution(d, h)
    a, ga, b, gb, x = far, side*g_far, near, side*g_near if g_near != 0.0 else zero, 0.5
    for _ in range(200):
        if abs(b - a) <= narrow:
            break
        m = a + x*(b - a)
        gm = side*one(p, handle, desk, d, h, m, i, spare)
        gm = gm if gm != 0.0 else zero
        if (gm > 0.0) == (ga > 0.0):
            c, gc = a, ga
        else:
            c, gc, b, gb = b, gb, a, ga
        a, ga = m, gm
        x = inverse_quadratic(a, ga, b, gb, c, gc, narrow)
    return (b, gb) if ga > 0.0 else (a, ga)


@sweep
def crossed_at(p, handle, desk, d, h, i, side, near, g_near, far, g_far, until, spare):
    """Where function i crosses in a bracket; just its far end if that is later than `until`, by row BY_THEN.

    Another function has crossed by then, and the step ends there: so N crossings in a step are N roots, not N^2.
    """
    if near >= until:
        return far
    if far > until:
        by_then = d.gap[BY_THEN*d.switches + i]
        if side*by_then >= 0.0:
            return far
        far, g_far = until, by_then
    return root(p, handle, desk, d, h, i, side, near, g_near, far, g_far, spare)


@sweep
def dip(p, handle, desk, d, h, i, side, a, m, gm, b, narrow, spare):
    """A place between a and b where side*g is not positive, m if there is none: golden sections."""
    if side*gm <= 0.0:
        return m
    while b - a > narrow:
        x = m + GOLDEN*(b - m) if b - m > m - a else m - GOLDEN*(m - a)
        g = one(p, handle, desk, d, h, x, i, spare)
        if side*g <= 0.0:
            return x
        if side*g < side*gm:
            a, b = (m, b) if x > m else (a, m)
            m, gm = x, g
        else:
            a, b = (a, x) if x > m else (x, b)
    return m


@leaf
def turn_of(a, ga, b, gb, c, gc):
    """Where the parabola through three places has its turn"""
    u, w = (b - a)*(gb - gc), (b - c)*(gb - ga)
    return b - 0.5*((b - a)*u - (b - c)*w)/(u - w)


@leaf
def inverse_quadratic(a, ga, b, gb, c, gc, narrow):
    """Fraction of the way from a to b to look at next: inverse quadratic interpolation where it can be trusted."""
    u, w, x = (a - b)/(c - b), (ga - gb)/(gc - gb), 0.5
    if w*w < u and (1.0 - w)*(1.0 - w) < 1.0 - u:
        x = ga/(gb - ga)*gc/(gb - gc) + (c - a)/(b - a)*ga/(gc - ga)*gb/(gc - gb)
    edge = min(0.5, 0.5*narrow/abs(b - a))
    return min(max(x, edge), 1.0 - edge)

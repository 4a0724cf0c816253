"""What rounding can do to switching functions: how far they move where time and state are a few roundings beside.

Components move to either side in a few patterns, so that no two of them always go together: a difference of two would
not show. It is done at both ends of a step and, if that is much, between, and the least is taken: at the others a
function may jump, as steps end where tables do. Derivation in docs/theory/events.md.
"""

import math

from .._address import shifted
from .._jit import leaf, sweep
from ..layout import BESIDE, HERE, LOOKS, LOOSE, NODES, NOISE, ROUGH, TIME
from ..status import OK
from .desk import call_gaps, call_inside, copy

EPS = 2.220446049250313e-16
PATTERNS = 4                # each of one rounding more
SPREAD, FIRST_BIT = 2654435761, 7       # whose multiples have bits as by chance; which of them is the first pattern
BETWEEN = 0.41              # of a step: neither end, nor where functions of equal steps jump
FADES = 0.9                 # one look may find rounding by chance too small: what the last ones found stays that much
DULL = 8.0                  # times that: a function that stayed nearer to zero has not been seen on a side


@leaf
def unknown_yet(d):
    """Before a step is looked into"""
    if d.switches > 0:
        d.gap[NOISE*d.switches] = -1.0


@leaf
def noise_of(d, i):
    """Of function i, 0 as long as nobody asked in this step"""
    return d.gap[ROUGH*d.switches + i] if d.gap[NOISE*d.switches] >= 0.0 else 0.0


@sweep
def look_beside(p, handle, desk, d, h, x, pattern, by, row):
    """The functions at x of the step where t and y are off by so many times of themselves, into a row; a status"""
    if 0.0 < x < 1.0:
        call_inside(p.inside, p.rate, handle, desk, x, d.look)
    else:
        copy(d.y if x == 0.0 else d.new, d.look, d.blocks)
    for at in range(d.n):
        side = 1.0 if ((at + 1)*SPREAD >> (FIRST_BIT + pattern)) & 1 else -1.0
        word = d.y[at] == d.new[at] or not d.atol[at] < 1e300       # what does not move may be one of the user's
        d.look[at] = d.look[at] if word else d.look[at]*(1.0 + side*by)
    d.count[LOOKS] += 1
    return call_gaps(p.gaps, handle, (d.clock[TIME] + x*h)*(1.0 + by), d.look, shifted(d.gap, row*d.switches))


@sweep
def note_noise(p, handle, desk, d, h):
    """Once in a step: the least of what rounding does at three places of it; rows LOOSE and BESIDE are free here."""
    k = d.switches
    if d.gap[NOISE*k] >= 0.0:
        return
    for i in range(k):
        d.gap[NOISE*k + i] = math.inf
    for j in range(3):
        if j == 2 and not dull_anywhere(d):
            break
        for i in range(k):
            d.gap[HERE*k + i] = 0.0
        for pattern in range(PATTERNS):
            by = (pattern + 1.0)*EPS
            status = look_beside(p, handle, desk, d, h, where(j), pattern, by, BESIDE)
            if status == OK:
                status = look_beside(p, handle, desk, d, h, where(j), pattern, -by, LOOSE)
            if status == OK:
                for i in range(k):
                    d.gap[HERE*k + i] = max(d.gap[HERE*k + i], abs(d.gap[BESIDE*k + i] - d.gap[LOOSE*k + i]))
        for i in range(k):
            d.gap[NOISE*k + i] = min(d.gap[NOISE*k + i], d.gap[HERE*k + i])
    for i in range(k):
        d.gap[ROUGH*k + i] = max(d.gap[NOISE*k + i], FADES*d.gap[ROUGH*k + i])


@leaf
def dull_anywhere(d):
    """Whether what rounding does at both ends is so much of a function that it may be a jump at each"""
    k, found = d.switches, False
    for i in range(k):
        most = 0.0
        for j in range(NODES):
            most = max(most, abs(d.gap[j*k + i]))
        found = found or (d.side[i] != 0 and 2.0*DULL*d.gap[NOISE*k + i] > most)
    return found


@leaf
def where(j): return 0.0 if j == 0 else 1.0 if j == 1 else BETWEEN

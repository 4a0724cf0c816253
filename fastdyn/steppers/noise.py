"""What rounding can do to switching functions: how far they move where time and state are a few roundings beside.

Components move to either side in a few patterns, so that no two of them always go together: a difference of two would
not show. It is done at both ends of a step, and the lesser is taken: at the other a function may jump. Derivation in
docs/theory/events.md.
"""

from .._address import shifted
from .._jit import leaf, sweep
from ..layout import BESIDE, LOOKS, LOOSE, NOISE, ROUGH, TIME
from ..status import OK
from .desk import call_gaps, copy

EPS = 2.220446049250313e-16
PATTERNS = 4                # each of one rounding more
SPREAD, FIRST_BIT = 2654435761, 7       # whose multiples have bits as by chance; which of them is the first pattern
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
def look_beside(p, handle, d, t, y, pattern, by, row):
    """The functions where t and y are off by so many times of themselves, into a row; a status"""
    copy(y, d.look, d.blocks)
    for at in range(d.n):
        side = 1.0 if ((at + 1)*SPREAD >> (FIRST_BIT + pattern)) & 1 else -1.0
        word = d.y[at] == d.new[at] or not d.atol[at] < 1e300       # what does not move may be one of the user's
        d.look[at] = y[at] if word else y[at]*(1.0 + side*by)
    d.count[LOOKS] += 1
    return call_gaps(p.gaps, handle, t*(1.0 + by), d.look, shifted(d.gap, row*d.switches))


@sweep
def note_noise(p, handle, d, h):
    """Once in a step: what rounding does at its start and at its end; row LOOSE is free here."""
    k = d.switches
    if d.gap[NOISE*k] >= 0.0:
        return
    for end in range(2):
        t, y, row = d.clock[TIME] + end*h, d.y if end == 0 else d.new, NOISE + end
        for i in range(k):
            d.gap[row*k + i] = 0.0
        for pattern in range(PATTERNS):
            by = (pattern + 1.0)*EPS
            status = look_beside(p, handle, d, t, y, pattern, by, BESIDE)
            if status == OK:
                status = look_beside(p, handle, d, t, y, pattern, -by, LOOSE)
            if status == OK:
                for i in range(k):
                    d.gap[row*k + i] = max(d.gap[row*k + i], abs(d.gap[BESIDE*k + i] - d.gap[LOOSE*k + i]))
    for i in range(k):
        d.gap[ROUGH*k + i] = max(min(d.gap[NOISE*k + i], d.gap[(NOISE + 1)*k + i]), FADES*d.gap[ROUGH*k + i])

"""How much tighter tolerances are while something touches: as far as an error can be told from rounding.

Rates at y(1 + b), y and y(1 - b) lie on a line but for rounding: their second difference is sqrt(6) of it, for any b
far above eps and far below 1. s: its root mean square over what is allowed, 1/s. The estimate of a step h holds some
h s of rounding, and no shorter step is better for it. An error counts 1/contact_share times, or so often that h s
counts as SEEN, and once at least. Derivation in docs/theory/contact.md.
"""

import math

from .._jit import leaf, sweep
from ..layout import ROUNDING, STEPS, TIGHTER, TIGHTEST, TIME
from ..status import OK
from .desk import add_scaled, ask, norm

LOOK_EVERY = 16             # steps while something touches
BESIDE = 2.0**-44           # b: 256 roundings away
SEEN = 0.02                 # of what is allowed: an estimate sees up to ten times h s
FADES = 0.5                 # one look may find rounding by chance too small: what the last ones found stays that much


@sweep
def note_rounding(p, handle, d):
    """Every so often while something touches: s, nothing tightened; `new` and `dense` are free here."""
    if d.clock[TIGHTEST] == 0.0 or d.count[STEPS] % LOOK_EVERY != 0:
        return
    t = d.clock[TIME]
    add_scaled(d.y, BESIDE, d.y, d.look, d.blocks)
    status = ask(p.rate, handle, d, t, d.look, d.new)
    if status == OK:
        add_scaled(d.y, -BESIDE, d.y, d.look, d.blocks)
        status = ask(p.rate, handle, d, t, d.look, d.dense)
    if status == OK:
        for at in range(d.n):
            d.new[at] = ((d.new[at] - d.rate[at]) + (d.dense[at] - d.rate[at]))/math.sqrt(6.0)
        d.clock[TIGHTER] = 0.0
        d.clock[ROUNDING] = max(norm(d, d.new, d.y), FADES*d.clock[ROUNDING])


@leaf
def tighten(d, h):
    """By how much more than usual the error of a step of size h counts"""
    most, rounding = d.clock[TIGHTEST], abs(h)*d.clock[ROUNDING]
    d.clock[TIGHTER] = min(most, max(SEEN/rounding - 1.0, 0.0)) if rounding > 0.0 else most

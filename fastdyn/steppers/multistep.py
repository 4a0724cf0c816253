"""What methods with a past share: when steps are equal, and how they go on after one that was cut short."""

from .._address import shifted
from .._jit import leaf
from ..layout import SUGGESTED, TIME, WIDTH
from .desk import U
from .noise import EPS

WHOLE, CRUMB = 0.9, 1/16    # of what was meant: a shorter step was cut; was cut to a crumb, too short for a past
ROUNDING = 1e-6             # share of a step that may still pass for rounding


@leaf
def row(d, i):
    """Row i of Stepping.stage"""
    return shifted(d.stage, U(i)*U(d.blocks)*U(WIDTH))


@leaf
def shorter(d, h, share):
    """Whether a step is less than a share of what was meant, because an event or an end cut it.

    Its error says nothing about the size of the next step, which is what was meant, nor about the order. Among the past
    a crumb would magnify rounding: it takes the place of the step before it, longer by that crumb.
    """
    return h < share*d.clock[SUGGESTED]


@leaf
def alike(d, h, last):
    """Whether two steps are equal up to the rounding of the clock"""
    return abs(h - last) <= min(4.0*EPS*abs(d.clock[TIME]), ROUNDING*h)

"""What methods with a past share: when steps are equal, and how they go on after one that was cut short."""

from .._address import shifted
from .._jit import leaf
from ..layout import SUGGESTED, TIME, WIDTH
from .desk import U
from .events import EPS

WHOLE = 0.9         # of what was meant: a step that is not shorter was not cut
ROUNDING = 1e-6     # share of a step that may still pass for rounding
BACK = 16.0         # a step may be so much longer than one that was cut: longer, and the rounding of the past shows


@leaf
def row(d, i):
    """Row i of Stepping.stage"""
    return shifted(d.stage, U(i)*U(d.blocks)*U(WIDTH))


@leaf
def cut_short(d, awaited, h):
    """Whether an event or an end cut a step; then the next ones go back to the size that was meant, kept in d.matrix.

    Its error says nothing about the size of the next step, as it says nothing about the order.
    """
    meant = max(d.clock[SUGGESTED], d.matrix[awaited])
    cut = h < WHOLE*meant
    d.matrix[awaited] = meant if cut else 0.0
    if cut:
        d.clock[SUGGESTED] = min(meant, BACK*h)
    return cut


@leaf
def alike(d, h, last):
    """Whether two steps are equal up to the rounding of the clock"""
    return abs(h - last) <= min(4.0*EPS*abs(d.clock[TIME]), ROUNDING*h)

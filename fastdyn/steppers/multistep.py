"""What methods with a past share: how they go on after a step that was cut short."""

from .._address import shifted
from .._jit import leaf
from ..layout import SUGGESTED, WIDTH
from .desk import U

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
    d.matrix[awaited] = meant if h < meant else 0.0
    if h < meant:
        d.clock[SUGGESTED] = min(meant, BACK*h)
    return h < meant

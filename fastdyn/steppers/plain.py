"""What a run without events or coordinates that are bound hands to a stepper."""

from .._address import GAPS, SETTLE, SWITCH
from .._jit import kernel
from ..layout import UNCHANGED
from ..status import OK


@kernel(GAPS)
def no_gaps(handle, t, y, gaps):
    """Nothing is watched."""
    return OK


@kernel(SETTLE)
def settled(handle, t, y, dy):
    """No component is bound to another."""
    return 0


@kernel(SWITCH)
def only_noted(handle, t, y, which, direction, sides):
    """An event changes nothing."""
    return UNCHANGED

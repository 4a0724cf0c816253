"""What is watched during a run: a function of the state whose sign matters, and what its change of sign does."""

from collections.abc import Callable
from typing import Any

from msgspec import Struct
from msgspec.structs import force_setattr

from ..status import ModelError
from .check import one_of, shown

DIRECTIONS = {"both": 0, "rising": 1, "falling": -1}


class Event(Struct, frozen=True, kw_only=True):
    """A moment at which function(t, q, v) goes through zero, located to the run's event_tol.

    Attributes
    ----------
    function : a Python function, or a compiled one (numba.cfunc of double(double t, double *q, double *v)).
    direction : "falling", "rising" or "both".
    terminal : whether the run ends there.
    action : None or a function action(t, q, v, direction) that changes q and v in place, from then on the state;
        direction: -1 falling, 1 rising, 2 when the run's `capture` asks to bring the motion to rest. Compiled:
        numba.cfunc of int64(double, double *, double *, int64), answering 0: nothing changed, 1: changed, 2: stop.
    name : how results call it.
    """

    function: Any
    direction: str = "both"
    terminal: bool = False
    action: Any = None
    name: str = ""

    def __post_init__(self):
        one_of(self.direction, tuple(DIRECTIONS), "event.direction")
        for field in ("function", "action"):
            given = getattr(self, field)
            if not (isinstance(given, Callable) or (field == "action" and given is None)):
                raise ModelError(f"event.{field} is {shown(given)}; give a function")
        if not self.name:
            force_setattr(self, "name", getattr(self.function, "__name__", "event"))

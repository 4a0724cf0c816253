"""What is watched during a run: a function of the state whose sign matters, and what its change of sign does."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import force_setattr

from ..status import ModelError
from .check import one_of, printable, shown
from .words import Words

DIRECTIONS = {"both": 0, "rising": 1, "falling": -1}


class Event(Words, frozen=True, kw_only=True):
    """A moment at which function(t, q, v) goes through zero, located to the run's event_tol.

    Starting on zero, or beyond it, is no event, unless there is an action and one direction is watched: then it fires
    at once, or as soon as the function moves on that way. A terminal event that is beyond zero at the start is refused.

    Attributes
    ----------
    function : a Python function, or a compiled one (numba.cfunc of double(double t, double *q, double *v)). Of a number
        that is zero over a while the event is where it leaves to the other side; True and False have no zero.
    direction : "falling", "rising" or "both".
    terminal : whether the run ends there.
    action : None or a function action(t, q, v, direction) that changes q and v in place, from then on the state.
        direction is -1 falling, 1 rising, and 2 when the event fired again within the run's `capture` interval: what
        bounces there is to come to rest, and the run ends with the status AT_REST. It returns None, "stop" to end the
        run, or "held": the event is not watched any longer and the run goes on, because the action has seen to it that
        nothing moves on there (a flag for the chain's drive, which holds it) or that it does not matter. What an action
        merely stops, without holding it, fires again and again until the run ends with the status CHATTER. An action
        that raises or leaves no state ends the run; the state before it is kept. What it leaves is taken onto closures
        that are held exactly, as after a step: a blow on one link moves all of a loop.
        Compiled: numba.cfunc of int64(double, double *, double *, int64), answering 0: nothing changed, 1: changed,
        2: stop, 3: held.
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
        if not isinstance(self.terminal, bool):
            raise ModelError(f"event.terminal is {shown(self.terminal)}; give True or False")
        printable(self.name, "event.name")
        if not self.name:
            force_setattr(self, "name", getattr(self.function, "__name__", "event"))

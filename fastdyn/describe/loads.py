"""Forces and moments from outside that act on a link."""

from typing import Literal

from msgspec.structs import force_setattr

from .check import kind_of, made, numbers, one_of
from .functions import Function, is_function
from .signals import SIGNAL_WORDS, SIGNALS, Constant, Signal
from .words import Words


class Load(Words, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A force (N) through the point `at` (m, link frame) and a moment (N m), both times signal(t).

    Components are those of `frame`: "link" turns with the link (a thruster), "world" does not (a hanging weight). A
    signal may be a function of time, compiled or in Python; see `Function`.
    """

    force: tuple[float, float, float] = (0.0, 0.0, 0.0)
    moment: tuple[float, float, float] = (0.0, 0.0, 0.0)
    at: tuple[float, float, float] = (0.0, 0.0, 0.0)
    frame: Literal["link", "world"] = "link"
    signal: Signal = Constant(1.0)

    def __post_init__(self):
        force_setattr(self, "force", numbers(self.force, "load.force", 3, "N"))
        force_setattr(self, "moment", numbers(self.moment, "load.moment", 3, "N m"))
        force_setattr(self, "at", numbers(self.at, "load.at", 3, "m"))
        one_of(self.frame, ("link", "world"), "load.frame")
        signal = made(self.signal, SIGNAL_WORDS, "load.signal")
        force_setattr(self, "signal", Function(signal) if is_function(signal) else signal)
        kind_of(self.signal, (*SIGNALS, Function), "load.signal")

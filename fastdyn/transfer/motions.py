"""Numbers that change with time, as transfer chains take them: signals, functions of time, motions of a base."""

import math
from typing import Any, NamedTuple

import numpy as np

from ..describe.check import shown
from ..describe.signals import Constant, Sine, Table
from ..status import ModelError


class Motion(NamedTuple):
    """An angle (rad) with its rate and acceleration, each a signal or a function of time (s)."""

    angle: Any
    rate: Any
    acceleration: Any

    def at(self, t):
        """(angle, rate, acceleration) at one time."""
        return tuple(float(values(part, np.array([t]), "motion")[0]) for part in self)


STILL = Constant(0.0)


def values(signal, t, what="load"):
    """A signal, or a function of time, at the times t."""
    if isinstance(signal, Constant):
        found = np.full(len(t), signal.value)
    elif isinstance(signal, Sine):
        found = signal.offset + signal.amplitude*np.sin(signal.omega*t + signal.phase)
    elif isinstance(signal, Table):
        found = np.interp(t, signal.time, signal.value)
    else:
        found = np.array([float(signal(x)) for x in t.tolist()])
    if not np.all(np.isfinite(found)):
        raise ModelError(f"{what} is not finite at t = {t[np.argmin(np.isfinite(found))]:.9g} s; give finite numbers")
    return found


def signal_of(word, what):
    """A number, a signal or a function of time, checked; numbers become constant signals."""
    if isinstance(word, (int, float)) and not isinstance(word, bool):
        return Constant(word)
    if isinstance(word, (Constant, Sine, Table)) or callable(word):
        return word
    raise ModelError(f"{what} is {shown(word)}; give a number, Constant, Sine, Table or a function of time")


def motion_of(word, what="base"):
    """A motion: of nothing, a number, a Sine or three functions."""
    if isinstance(word, Motion):
        return Motion(*(signal_of(part, f"{what}.{name}") for name, part in zip(Motion._fields, word)))
    signal = signal_of(0.0 if word is None else word, what)
    if isinstance(signal, Constant):
        return Motion(signal, STILL, STILL)
    if isinstance(signal, Sine):
        a, w, phase = signal.amplitude, signal.omega, signal.phase
        return Motion(signal, Sine(a*w, w, phase + 0.5*math.pi), Sine(-a*w*w, w, phase))
    raise ModelError(f"{what} is {shown(word)}; its rate and acceleration are needed too: give a number, a Sine, or "
                     "Motion(angle, rate, acceleration), three functions of time")


def weighted(found, weight):
    """What the balance of forces sees of values at 0, T, 2T, ...: `weight` of now, the rest of before."""
    return weight*found[1:] + (1.0 - weight)*found[:-1]

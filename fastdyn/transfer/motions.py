"""Numbers that change with time, as transfer chains take them: signals, functions of time, motions of a base."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..describe.check import shown
from ..describe.signals import Constant, Sine, Table
from ..status import ModelError


class Motion(NamedTuple):
    """An angle (rad) with its rate and acceleration, three functions of time (s)."""

    angle: Callable[[float], float]
    rate: Callable[[float], float]
    acceleration: Callable[[float], float]


REST = Motion(*(lambda t: 0.0,)*3)


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
    if word is None:
        return REST
    if isinstance(word, Motion):
        return word
    signal = signal_of(word, what)
    if isinstance(signal, Constant):
        return Motion(lambda t: signal.value, lambda t: 0.0, lambda t: 0.0)
    if isinstance(signal, Sine):
        a, w, phase = signal.amplitude, signal.omega, signal.phase
        return Motion(lambda t: signal.offset + a*math.sin(w*t + phase), lambda t: a*w*math.cos(w*t + phase),
                      lambda t: -a*w*w*math.sin(w*t + phase))
    raise ModelError(f"{what} is {shown(word)}; its rate and acceleration are needed too: give a number, a Sine, or "
                     "Motion(angle, rate, acceleration), three functions of time")


def weighted(found, weight):
    """What the balance of forces sees of values at 0, T, 2T, ...: `weight` of now, the rest of before."""
    return weight*found[1:] + (1.0 - weight)*found[:-1]

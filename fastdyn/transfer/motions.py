"""Numbers that change with time, as transfer chains take them: signals, functions of time, motions of a base."""

import inspect
import math
from typing import Any, NamedTuple

import numpy as np

from ..describe.check import known, shown
from ..describe.signals import SIGNALS, Constant, Fourier, Sine, Table
from ..status import ModelError
from .rows import is_number


class _Three(NamedTuple):
    angle: Any
    rate: Any
    acceleration: Any


class Motion(_Three):
    """An angle (rad) or a deflection (m) with its rate and acceleration, each a signal or a function of time (s)."""

    __slots__ = ()

    def __new__(cls, angle=None, rate=None, acceleration=None, **words):
        for word in words:
            raise ModelError(f"motion.{word}: unknown field; {known(word, cls._fields)}")
        for name, part in zip(cls._fields, (angle, rate, acceleration)):
            if part is None:
                raise ModelError(f"motion.{name} is missing; give a number, a signal or a function of time")
        return super().__new__(cls, angle, rate, acceleration)

    def at(self, t):
        """(angle, rate, acceleration) at one time."""
        return tuple(float(values(part, np.array([t]), "motion")[0]) for part in self)


STILL = Constant(0.0)
LOOKED, NEAR = 100, 1e-3                    # times at which a rate is compared, and within what of a step
FAR, OFF = 0.02, 0.01                       # its error that is wrong: of itself, and of its usual size
SELDOM = 0.25                               # of the times at which something moves: those that may be wrong


def values(signal, t, what="load"):
    """A signal, or a function of time, at the times t."""
    if isinstance(signal, Constant):
        found = np.full(len(t), signal.value)
    elif isinstance(signal, Sine):
        found = signal.offset + signal.amplitude*np.sin(signal.omega*t + signal.phase)
    elif isinstance(signal, Table):
        found = np.interp(t, signal.time, signal.value)
    elif isinstance(signal, Fourier):
        found = np.full(len(t), signal.offset)
        for k, (a, b) in enumerate(zip(signal.cosine, signal.sine), 1):
            found += a*np.cos(k*signal.omega*t) + b*np.sin(k*signal.omega*t)
    else:
        found = np.array([_called(signal, x, what) for x in t.tolist()])
    if not np.all(np.isfinite(found)):
        raise ModelError(f"{what} is not finite at t = {t[np.argmin(np.isfinite(found))]:.9g} s; give finite numbers")
    return found


def _called(function, t, what):
    answer = function(t)
    try:
        return float(answer)
    except (TypeError, ValueError):
        raise ModelError(f"{what} at t = {t:.9g} s is {shown(answer)}; give a function of time that returns a "
                         "number") from None


def signal_of(word, what):
    """A number, a signal or a function of time, checked; numbers become constant signals."""
    if is_number(word):
        return Constant(word)
    if isinstance(word, SIGNALS):
        return word
    if callable(word):
        try:
            inspect.signature(word).bind(0.0)
        except TypeError:
            raise ModelError(f"{what} is called as {what}(t), but {getattr(word, '__name__', 'it')}"
                             f"{inspect.signature(word)} does not take that; give a function of one number, t in s"
                             ) from None
        except ValueError:                                              # of a few functions in C nothing is known
            pass
        return word
    raise ModelError(f"{what} is {shown(word)}; give a number, Constant, Sine, Table, Fourier or a function of time")


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


def check_rates(motion, t_end, dt, what):
    """Refuse a motion whose rate is not that of its angle, or acceleration not that of its rate, where it moves.

    Where it bends or jumps one of its sides is asked. Some times may be wrong: records are straight between points.
    """
    h = NEAR*dt
    for one, other in ((0, 1), (1, 2)):
        if all(isinstance(motion[i], Constant | Sine) for i in (one, other)):
            continue
        t = _looked_at(motion[one], t_end)
        before, now, after = (values(motion[one], x, what) for x in (t - h, t, t + h))
        rate = values(motion[other], t, what)
        sides = np.array([after - before, 2.0*(now - before), 2.0*(after - now)])/(2.0*h)
        slope = sides[np.argmin(np.abs(sides - rate), axis=0), np.arange(LOOKED)]
        size, blur = np.maximum(np.abs(slope), np.abs(rate)), 1e-14*np.maximum(np.abs(before), np.abs(after))/h + 1e-9
        moving = size > blur
        usual = np.median(size[moving]) if moving.any() else 0.0
        wrong = np.abs(slope - rate) > FAR*size + OFF*usual + blur
        if np.sum(wrong) > SELDOM*np.sum(moving):
            at = np.flatnonzero(wrong)[0]
            raise ModelError(f"{what}.{motion._fields[other]} is {rate[at]:.6g} at t = {t[at]:.6g} s, but "
                             f"{what}.{motion._fields[one]} changes by {slope[at]:.6g} in a second there; give the "
                             "derivative")


def _looked_at(signal, t_end):
    """Times all over a run; of a table in the middle between its points, where its slope is that of a smooth curve."""
    t = np.linspace(0.0, t_end, LOOKED + 2)[1:-1]
    if not isinstance(signal, Table):
        return t
    points = np.array(signal.time)
    after = np.searchsorted(points, t)
    between = (after > 0) & (after < len(points))
    t[between] = 0.5*(points[after[between] - 1] + points[after[between]])
    return np.clip(t, 0.0, t_end)


def weighted(found, weight):
    """What the balance of forces sees of values at 0, T, 2T, ...: `weight` of now, the rest of before."""
    return weight*found[1:] + (1.0 - weight)*found[:-1]


def at_balance(ask, t, weight):
    """ask(times) of a prescribed motion where forces balance in steps from each t to the next.

    Within a step it is the mean that the scheme takes of angles; beyond its end it is the motion's own value there: a
    straight line would be off by T^2 of its acceleration, and a stiff spring would feel that.
    """
    return ask(t[:-1] + weight*np.diff(t)) if weight > 1.0 else weighted(ask(t), weight)

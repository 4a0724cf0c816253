"""Events against closed forms, ours beside SciPy's: zeros of a pendulum, grazes of a wall, a ball that stops.

`python -m perf.instants`: the zeros by stepper, beside what the path itself is late by.
"""

import math
import sys

import numpy as np
from rich.table import Table

from fastdyn._address import GAPS, RATE, SWITCH, Handle
from fastdyn._jit import kernel
from fastdyn.layout import CHANGED, HALT, RESTED, UNCHANGED
from fastdyn.run.course import Course
from fastdyn.status import AT_REST
from fastdyn.steppers import STEPPERS

from ._timing import console
from .budget import number

RTOL, ATOL = 1e-8, 1e-12
G, GIVES = 9.81, 0.8
AMPLITUDE, LENGTH = 1.0, 1.0                            # rad, m
SPEED, DEPTH, FLIGHTS = 4.0, 1e-6, 13                   # m/s upwards, m beyond the wall
REST = math.sqrt(2/G)*(1 + GIVES)/(1 - GIVES)           # s, of a ball let go from 1 m
BOUNCES = 500                                           # after which nobody waits any longer
NOTHING = np.zeros(4, np.int64).view(Handle)            # the handle of a system that keeps no arrays


@kernel(RATE)
def swing(handle, t, y, dy):
    dy[0] = y[1]
    dy[1] = -9.81*math.sin(y[0])
    return 0


@kernel(RATE)
def flight(handle, t, y, dy):
    """Height, speed, and the height of the wall"""
    dy[0] = y[1]
    dy[1] = -9.81
    dy[2] = 0.0
    return 0


@kernel(GAPS)
def itself(handle, t, y, gaps):
    gaps[0] = y[0]
    return 0


@kernel(GAPS)
def floor_and_wall(handle, t, y, gaps):
    gaps[0] = y[0]
    gaps[1] = y[2] - y[0]
    return 0


@kernel(SWITCH)
def spring_back(handle, t, y, which, direction, sides):
    if which != 0:
        return UNCHANGED
    y[0] = 0.0
    y[1] = -y[1]
    sides[0] = 1
    return CHANGED


@kernel(SWITCH)
def bounce(handle, t, y, which, direction, sides):
    y[0] = 0.0
    y[1] = -0.8*y[1] if direction != RESTED else 0.0
    sides[0] = 1 if direction != RESTED else 0
    return HALT if direction == RESTED else CHANGED


def compared():
    """A record for us and for each of SciPy's methods that users take."""
    return [_record("fastdyn", *_our_zeros(), _our_grazes(), *_our_rest())] + [
        _record(f"SciPy {method}", *_their_zeros(method), _their_grazes(method), *_their_rest(method))
        for method in ("RK45", "DOP853")]


def _record(code, first, ninth, grazes, rest, events):
    return {"code": code, "first": first, "ninth": ninth, "grazes": grazes, "rest": rest, "events": events}


def _zeros():
    """When a pendulum let go at rest passes zero, s."""
    from scipy.special import ellipk

    return float(ellipk(math.sin(AMPLITUDE/2)**2))*math.sqrt(LENGTH/G)*(2*np.arange(9) + 1)


def _late(times):
    """(first, ninth): how far from these zeros, s."""
    late = np.abs(np.asarray(times)[:9] - _zeros())
    return float(late[0]), float(late[8])


def _our_zeros(stepper="dop853"):
    course = Course(swing, NOTHING, [AMPLITUDE, 0.0], method=stepper, gaps=itself, watch=[0], rtol=RTOL, atol=ATOL)
    course.to(10.0)
    return _late(course.events[0])


def _path(stepper, t):
    """How late the path is, s: the angle left at a true zero over its rate, by a run that knows no events."""
    course = Course(swing, NOTHING, [AMPLITUDE, 0.0], method=stepper, rtol=RTOL, atol=ATOL)
    course.to(t)
    return abs(float(course.y[0]/course.y[1]))


def by_stepper(names=tuple(STEPPERS)):
    """A record for every stepper: events and path at the first and the ninth zero."""
    first, *_, ninth = _zeros()
    return [{"stepper": name, "events": _our_zeros(name), "path": (_path(name, first), _path(name, ninth))}
            for name in names]


def _our_grazes():
    course = Course(flight, NOTHING, [0.0, SPEED, SPEED**2/2/G - DEPTH], gaps=floor_and_wall, switch=spring_back,
                    watch=[-1, -1], rtol=RTOL, atol=ATOL)
    course.to((FLIGHTS - 0.1)*2*SPEED/G)
    return int(np.count_nonzero(course.events[1][:, 0] == 1))


def _our_rest():
    """(how far from the instant of rest, s, None if it does not come to rest; events)"""
    course = Course(flight, NOTHING, [1.0, 0.0, 0.0], gaps=itself, switch=bounce, watch=[-1], rtol=RTOL, atol=ATOL,
                    capture=1e-7)
    rests = course.to(10.0) == AT_REST
    return abs(course.t - REST) if rests else None, len(course.events[0])


def _solved(method, f, t, y, *events):
    from scipy.integrate import solve_ivp

    return solve_ivp(f, (t, t + 10.0), y, method=method, rtol=RTOL, atol=ATOL, events=events)


def _floor(t, y):
    return y[0]


_floor.terminal, _floor.direction = True, -1


def _their_zeros(method):
    return _late(_solved(method, lambda t, y: (y[1], -G*math.sin(y[0])), 0.0, (AMPLITUDE, 0.0),
                         lambda t, y: y[0]).t_events[0])


def _their_grazes(method):
    def wall(t, y):
        return SPEED**2/2/G - DEPTH - y[0]

    wall.direction = -1
    t, v, found = 0.0, SPEED, 0
    for _ in range(FLIGHTS):
        flown = _solved(method, lambda t, y: (y[1], -G), t, (0.0, v), _floor, wall)
        found += len(flown.t_events[1])
        t, v = flown.t[-1], -flown.y[1, -1]
    return found


def _their_rest(method):
    """(None, since it never comes to rest; bounces until nobody waits any longer, or it fell through)"""
    t, y = 0.0, (1.0, 0.0)
    for bounces in range(BOUNCES):
        flown = _solved(method, lambda t, y: (y[1], -G), t, y, _floor)
        if flown.status != 1:
            return None, bounces
        t, y = flown.t[-1], (0.0, -GIVES*flown.y[1, -1])
    return None, BOUNCES


def show(records):
    """What was found, a row for every question."""
    table = Table(title=f"Events, rtol {RTOL:g}: ours and those of solve_ivp")
    for word in ("", *(r["code"] for r in records)):
        table.add_column(word, justify="right" if word else "left")
    rows = (("first zero of a pendulum, off by s", "first"), ("ninth zero, off by s", "ninth"),
            (f"grazes of a wall, of {FLIGHTS}", "grazes"), (f"rest of a bouncing ball, {REST:.7f} s, off by s", "rest"),
            ("events until then", "events"))
    for words, key in rows:
        table.add_row(words, *("never" if r[key] is None else number(r[key]) for r in records))
    console.print(table)


def show_steppers(records):
    """A row for every stepper."""
    table = Table(title=f"Zeros of a pendulum, rtol {RTOL:g}, atol {ATOL:g}: off by s")
    for word in ("stepper", "first", "path there", "ninth", "path there"):
        table.add_column(word, justify="left" if word == "stepper" else "right")
    for r in records:
        table.add_row(r["stepper"], *(f"{x[i]:.1e}" for i in (0, 1) for x in (r["events"], r["path"])))
    console.print(table)


if __name__ == "__main__":
    show_steppers(by_stepper(sys.argv[1:] or tuple(STEPPERS)))

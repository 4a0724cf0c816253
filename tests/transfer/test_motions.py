"""Motions as three functions of time: those whose rates and accelerations are not theirs are refused."""

import numpy as np
import pytest

from fastdyn import ModelError, Table
from fastdyn.transfer import BeamArm, Motion
from fastdyn.transfer.motions import check_rates

ZERO = lambda t: 0.0


def ramp(end, speed=1.0):
    """(angle, rate, acceleration) of a speed that is reached at a time."""
    a = speed/end
    return (lambda t: a*t*t/2 if t < end else a*end*end/2 + speed*(t - end), lambda t: a*min(t, end),
            lambda t: a if t < end else 0.0)


def slew(start, end):
    """A turn by one between two times, at rest before and behind."""
    x, T = lambda t: min(max((t - start)/(end - start), 0.0), 1.0), end - start
    return (lambda t: x(t)**3*(10.0 - 15.0*x(t) + 6.0*x(t)**2), lambda t: 30.0*x(t)**2*(1.0 - x(t))**2/T,
            lambda t: 60.0*x(t)*(1.0 - x(t))*(1.0 - 2.0*x(t))/T**2)


def recorded(points, kind):
    """A sine as somebody measured it, straight between the points."""
    t = np.linspace(0.0, 1.0, points)
    rows = [w*f(2.0*np.pi*t + 0.3) for w, f in ((1.0, np.sin), (2.0*np.pi, np.cos), (-4.0*np.pi**2, np.sin))]
    if kind == "table":
        return Motion(*(Table(tuple(t.tolist()), tuple(row.tolist())) for row in rows))
    return Motion(*(lambda x, row=row: np.interp(x, t, row) for row in rows))


@pytest.mark.parametrize("end", [0.03, 0.3, 0.9])
def test_a_speed_that_is_reached_without_acceleration_is_refused(end):
    angle, rate, _ = ramp(end)
    arm = BeamArm(n=6, EI=20.0, rotation=Motion(angle, rate, ZERO))
    with pytest.raises(ModelError, match=r"rotation.acceleration is 0 at t = .*, but rotation.rate changes by"):
        arm.simulate(1.0, 0.001)


@pytest.mark.parametrize("start, end", [(0.0, 0.05), (0.5, 0.55), (0.1, 0.9)])
@pytest.mark.parametrize("part", [1, 2])
@pytest.mark.parametrize("factor", [0.0, -1.0, 1.04])
def test_a_short_turn_is_looked_at_too(start, end, part, factor):
    parts = list(slew(start, end))
    check_rates(Motion(*parts), 1.0, 0.001, "base")
    right = parts[part]
    parts[part] = lambda t: factor*right(t)
    with pytest.raises(ModelError, match=f"base.{Motion._fields[part]} is"):
        check_rates(Motion(*parts), 1.0, 0.001, "base")


def test_bends_and_jumps_are_no_mistakes():
    """Of a speed of steps, a zigzag with a corner at every time that is looked at, and an acceleration of steps."""
    ticks = 101.0
    zigzag = Motion(lambda t: abs((ticks*t) % 2.0 - 1.0)/ticks, lambda t: -1.0 if (ticks*t) % 2.0 < 1.0 else 1.0, ZERO)
    stairs = Motion(lambda t: t if t < 0.5 else 1.5*t - 0.25, lambda t: 1.0 if t < 0.5 else 1.5, ZERO)
    for motion in (zigzag, stairs, Motion(*ramp(50.0/101.0))):
        check_rates(motion, 1.0, 0.01, "base")


@pytest.mark.parametrize("points, kind", [(30, "table"), (100, "table"), (300, "function"), (1000, "function")])
def test_records_are_taken_as_they_are(points, kind):
    check_rates(recorded(points, kind), 1.0, 0.001, "base")
    angle, rate, _ = recorded(points, kind)
    with pytest.raises(ModelError, match=r"base\.acceleration is"):
        check_rates(Motion(angle, rate, ZERO), 1.0, 0.001, "base")

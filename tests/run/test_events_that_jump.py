"""Events of functions that jump, saturate, rest on zero or hold words, of pairs that cross by turns: each once."""

import math

import numpy as np
import pytest

import fastdyn as fd
from fastdyn.status import EVENT_FAILED

STEPPERS = ("dop853", "dopri5", "rkf45", "bs32", "adams", "radau5", "esdirk4")
every_stepper = pytest.mark.parametrize("stepper", STEPPERS)
LEVEL = 0.3
TIMES = np.sort([2.0*math.pi*n + side*math.acos(LEVEL) for n in range(4) for side in (1, -1)])[1:7]
FUNCTIONS = {
    "yes and no": lambda t, y: 1.0 if y[0] > LEVEL else -1.0,
    "half a line": lambda t, y: y[0] - LEVEL if y[0] > LEVEL else -1.0,
    "steep": lambda t, y: math.tanh(1e6*(y[0] - LEVEL)), "clipped": lambda t, y: min(1e-5, max(-1e-5, y[0] - LEVEL))}

RESTING = {
    "dead band": lambda t, y: y[0] - LEVEL if y[0] > LEVEL else y[0] + LEVEL if y[0] < -LEVEL else 0.0,
    "whole numbers": lambda t, y: float(y[0] > LEVEL) - float(y[0] < -LEVEL)}
LEFT = np.sort([2.0*math.pi*n + at for n in range(3) for at in (math.acos(-LEVEL), 2.0*math.pi - math.acos(LEVEL))])


def swing(event, **words):
    """cos t"""
    return fd.integrate(lambda t, y: [y[1], -y[0]], [1.0, 0.0], 20.0, samples=2, events=event, **words)


@every_stepper
@pytest.mark.parametrize("tol", [1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("function", FUNCTIONS | RESTING)
@pytest.mark.parametrize("action", [None, lambda t, y, direction: None], ids=["logged", "acts"])
def test_each_crossing_is_one_event(stepper, tol, function, action):
    """What rests on zero crosses where it leaves on the other side."""
    run = swing(fd.Event(function=(FUNCTIONS | RESTING)[function], action=action), stepper=stepper, rtol=tol, atol=tol)
    assert run.ok and run.events["direction"].tolist() == [-1, 1]*3
    assert np.max(np.abs(run.events["time"] - (LEFT if function in RESTING else TIMES))) < max(1e3*tol, 1e-6)


@every_stepper
def test_what_goes_to_zero_and_back_has_not_crossed(stepper):
    for function in (lambda t, y: max(0.0, y[0] - LEVEL), lambda t, y: min(0.0, LEVEL - y[0])):
        run = swing(fd.Event(function=function), stepper=stepper)
        assert run.ok and len(run.events) == 0


def test_yes_and_no_are_no_numbers():
    run = swing(fd.Event(function=lambda t, y: y[0] > LEVEL, name="low"))
    assert run.status == EVENT_FAILED and 'event "low"' in run.message and "1.0 for yes" in str(run.failure)


@every_stepper
def test_one_way_is_half_of_them(stepper):
    run = swing(fd.Event(function=FUNCTIONS["yes and no"], direction="rising", action=lambda t, y, direction: None),
                stepper=stepper, rtol=1e-6, atol=1e-6)
    assert np.max(np.abs(run.events["time"] - TIMES[1::2])) < 1e-3


@every_stepper
@pytest.mark.parametrize("tol", [1e-4, 1e-9])
def test_a_run_that_ends_does_so_beyond_zero(stepper, tol):
    low = fd.Event(function=FUNCTIONS["yes and no"], direction="falling", terminal=True)
    run = swing(low, stepper=stepper, rtol=tol, atol=tol)
    assert run.y[-1, 0] <= LEVEL and abs(run.t[-1] - TIMES[0]) < max(1e3*tol, 1e-6)


@every_stepper
@pytest.mark.parametrize("levels", [(-0.189, -0.597), (-0.99, -0.999), (0.3, 0.29), (-0.9, -0.95)])
@pytest.mark.parametrize("tol", [1e-6, 1e-9])
def test_what_falls_unwatched_rises_where_it_does(stepper, levels, tol):
    """Both zeros of the upper function, and that of the lower, may be in one step."""
    upper, lower = levels
    events = [fd.Event(function=lambda t, y: y[0] - upper, direction="rising"),
              fd.Event(function=lambda t, y: y[0] - lower, direction="falling")]
    run = swing(events, stepper=stepper, rtol=tol, atol=tol)
    for number, level, side in ((0, upper, -1), (1, lower, 1)):
        known = [t for n in range(5) if 0.0 < (t := 2.0*math.pi*n + side*math.acos(level)) < 20.0]
        found = run.events["time"][run.events["event"] == number]
        assert len(found) == len(known) and np.max(np.abs(found - known)) < max(3e3*tol, 1e-6)


@every_stepper
def test_a_word_of_the_user_is_left_as_it_is(stepper):
    """A mode that is compared with its number, and one at the edge of what a function takes."""
    def at_a_mode(t, y):
        return y[0] - (LEVEL if y[2] >= 1.0 else -LEVEL)

    def at_an_edge(t, y):
        return math.acos(y[2]) + y[0] - LEVEL

    for function in (at_a_mode, at_an_edge):
        run = fd.integrate(lambda t, y: [y[1], -y[0], 0.0], [1.0, 0.0, 1.0], 20.0, events=fd.Event(function=function),
                           stepper=stepper)
        assert run.ok and len(run.events) == 6 and np.max(np.abs(run.events["time"] - TIMES)) < 1e-2


@pytest.mark.parametrize("stepper", [*STEPPERS, "abm4"])
@pytest.mark.parametrize("function", [
    lambda t, y: -1.0 if int(2.0*t) % 2 else 1.0, lambda t, y: math.tanh(1e18*math.sin(2.0*math.pi*t)),
    lambda t, y: max(-1.0, min(1.0, 1e16*math.sin(2.0*math.pi*y[0])))], ids=["even", "steep", "clipped"])
def test_what_jumps_where_every_step_ends_is_told_each_time(stepper, function):
    run = fd.integrate(lambda t, y: [1.0], [0.0], 9.8, events=fd.Event(function=function), stepper=stepper, h_min=0.5,
                       h_max=0.5)
    assert run.ok and np.abs(run.events["time"] - 0.5*np.arange(1, 20)).max() < 1e-8


@pytest.mark.parametrize("stepper", ["dop853", "dopri5", "radau5", "adams"])
def test_what_jumps_where_a_table_has_a_row_is_told_each_time(stepper):
    ramp = fd.Table(time=[0.0, 2.0, 4.0, 6.0, 8.0, 10.0], value=[0.0, 1.0, 0.0, 1.0, 0.0, 1.0])
    arm = fd.Chain([fd.Link(length=0.5, mass=1.0, joint=fd.Revolute(drive=ramp))], gravity=(0.0, 0.0, 0.0))
    run = fd.simulate(arm, 9.8, rtol=1e-6, stepper=stepper,
                      events=fd.Event(function=lambda t, q, v: -1.0 if (t//2) % 2 else 1.0))
    assert run.ok and run.events["time"] == pytest.approx([2.0, 4.0, 6.0, 8.0], abs=1e-8)


def test_the_table_of_events_says_what_it_does_not_know():
    events = swing(fd.Event(function=FUNCTIONS["clipped"])).events
    assert np.all(events["point"] == -1) and np.all(np.isnan(events["speed"]))

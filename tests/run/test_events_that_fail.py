"""Functions of the user that fail: the run keeps its last good state and names whose function it was."""

import math

import numpy as np
import pytest
from numba import cfunc, float64, int64, types

import fastdyn as fd
from fastdyn.describe.catalog import n_pendulum
from fastdyn.status import ACTION_FAILED, EVENT_FAILED, INTERRUPTED, PROGRESS_FAILED, STOPPED

NUMBERS = types.CPointer(float64)
START = {"q": [0.3, -0.2], "v": [0.1, 0.4]}


def low(t, q, v):
    return q[0] + 1.0


def passing(action, name="low", **more):
    return fd.Event(function=low, direction="falling", name=name, action=action, **more)


def no_number(t, q, v, direction):
    q[1] = math.nan


def a_huge_one(t, q, v, direction):
    v[0] = math.inf


def raising(t, q, v, direction):
    q[:], v[:] = 7.0, 7.0
    raise LookupError("no such table")


def nonsense(t, q, v, direction):
    v[:] = 0.0
    return 3


@cfunc(int64(float64, NUMBERS, NUMBERS, int64))
def compiled(t, q, v, direction):
    q[0] = math.nan
    return 1


@cfunc(int64(float64, NUMBERS, NUMBERS, int64))
def compiled_nonsense(t, q, v, direction):
    q[0] = 7.0
    return -5


@pytest.mark.parametrize("every", [False, True])
@pytest.mark.parametrize("action", [no_number, a_huge_one, raising, nonsense, compiled, compiled_nonsense])
def test_the_state_before_an_action_that_fails_is_kept_and_gone_on_from(action, every):
    chain, other = n_pendulum(2), fd.Event(function=lambda t, q, v: q[1] - 9.0, name="other")
    run = fd.simulate(chain, 3.0, **START, events=[other, passing(action)], every=every)
    assert run.status == ACTION_FAILED and not run.ok
    assert run.message.startswith('event "low", t = ') and len(run.events) == 0
    end = fd.simulate(chain, 3.0, **START, events=[other, passing(None, terminal=True)])
    assert end.status == STOPPED and end.t[-1] == run.t[-1]
    assert np.array_equal(run.q[-1], end.q[-1]) and np.array_equal(run.v[-1], end.v[-1])
    assert np.array_equal(run.checkpoint.y, np.concatenate([run.q[-1], run.v[-1]]))
    seen = []
    rest = fd.simulate(chain, 3.0, start=run.checkpoint, events=[other, passing(lambda *args: seen.append(args[0]))])
    assert rest.ok and seen[0] == run.t[-1] and rest.t[-1] == 3.0


def test_what_an_action_raised_is_told():
    run = fd.simulate(n_pendulum(2), 3.0, events=passing(raising))
    assert "no such table" in run.message and isinstance(run.failure, LookupError)
    with pytest.raises(fd.SimulationError, match='event "low"') as told:
        run.check()
    assert told.value.__cause__ is run.failure and told.value.status == ACTION_FAILED


def test_an_answer_that_means_nothing_is_told():
    run = fd.simulate(n_pendulum(2), 3.0, events=passing(nonsense))
    assert "the action answered 3; let it return None" in run.message


@pytest.mark.parametrize("turn", [(0.0, 0.0, 0.0, 0.0), (math.nan, 0.0, 0.0, 0.0)])
def test_a_quaternion_of_no_length_is_refused_one_of_another_length_is_not(turn):
    chain = fd.Chain([fd.Link(length=1.0, mass=1.0, radius=0.1, joint=fd.Spherical(damping=0.1))]*2)

    def turned(*first):
        half = fd.Event(function=lambda t, q, v: t - 0.5, name="half",
                        action=lambda t, q, v, direction: q.__setitem__(slice(4), first))
        return fd.simulate(chain, 1.0, v=np.full(6, 0.3), events=half, every=True)

    run = turned(*turn)
    assert run.status == ACTION_FAILED and 'event "half"' in run.message and abs(run.t[-1] - 0.5) < 1e-9
    assert np.allclose(np.linalg.norm(run.q[-1].reshape(2, 4), axis=1), 1.0, rtol=0, atol=1e-15)
    assert np.all(np.isfinite(run.checkpoint.y))
    long, unit = (turned(size, 0.0, 0.0, 0.0) for size in (4.0, 1.0))
    assert long.ok and np.array_equal(long.q, unit.q) and np.array_equal(long.v, unit.v)


@cfunc(float64(float64, NUMBERS, NUMBERS))
def compiled_low(t, q, v):
    return math.nan if t > 0.2 else 1.0


def failing(at):
    def function(t, q, v):
        if t >= at:
            raise LookupError("no such table")
        return 1.0

    return function


def nan_from(at):
    return lambda t, q, v: math.nan if t >= at else 1.0


@pytest.mark.parametrize("terminal", [False, True])
@pytest.mark.parametrize("function, at", [
    (failing(0.2), 0.2), (failing(0.0), 0.0), (nan_from(0.2), 0.2), (nan_from(0.0), 0.0), (compiled_low, 0.2),
    (lambda t, q, v: None, 0.0)])
def test_an_event_function_that_fails_is_named_at_the_start_as_later(function, at, terminal):
    other = fd.Event(function=lambda t, q, v: q[1] - 9.0, name="other")
    run = fd.simulate(n_pendulum(2), 1.0, events=[other, fd.Event(function=function, terminal=terminal, name="watch")])
    assert run.status == EVENT_FAILED and run.message.startswith('event "watch", t = ')
    assert run.t[-1] <= at and len(run.t) >= 1 and np.all(np.isfinite(run.q))
    if getattr(function, "__name__", "") == "function":
        with pytest.raises(fd.SimulationError) as told:
            run.check()
        assert isinstance(told.value.__cause__, LookupError)


@pytest.mark.parametrize("when", [0.0, 5.0])
@pytest.mark.parametrize("failure, status", [(LookupError, PROGRESS_FAILED), (KeyboardInterrupt, INTERRUPTED)])
def test_a_run_outlives_its_progress(when, failure, status):
    def progress(t, t_end, events):
        if t >= when:
            raise failure("no terminal")

    run = fd.simulate(n_pendulum(2), 5.0, progress=progress)
    assert run.status == status and "no terminal" in run.message and isinstance(run.failure, failure)
    assert len(run.t) > 1 and (when == 0.0 or (run.t[-1] == 5.0 and len(run.t) == 501))
    rest = fd.simulate(n_pendulum(2), 6.0, start=run.checkpoint)
    assert rest.ok

"""What bounces, rests or starts on a floor: through `simulate` nothing falls through, and every end has its name."""

import math

import numpy as np
import pytest
from numba import cfunc, float64, int64, types

import fastdyn as fd
from fastdyn.status import AT_REST, CHATTER, STOPPED

G = 9.81
NUMBERS = types.CPointer(float64)
FALL = math.sqrt(2/G)


def stone(**more):
    """A point that falls along y."""
    return fd.Chain([fd.Link(name="stone", joint=fd.Prismatic(axis=(0.0, 1.0, 0.0)), body=fd.Body.point(1.0))], **more)


def ground(action, gives=0.5, **more):
    return fd.Event(function=lambda t, q, v: q[0] + 1.0, direction="falling", name="ground", action=action, **more)


def bouncing(gives, rest=None):
    """A bounce, and what is done where the stone is to rest"""
    def action(t, q, v, direction):
        if direction == 2:
            q[0], v[0] = -1.0, 0.0
            return rest
        v[0] = -gives*v[0]

    return action


@pytest.mark.parametrize("gives", [0.8, 0.3, 0.0])
@pytest.mark.parametrize("samples", [2, 501])
def test_a_run_ends_where_its_body_comes_to_rest(gives, samples):
    run = fd.simulate(stone(), 9.0, events=ground(bouncing(gives)), capture=1e-7, samples=samples)
    assert run.status == AT_REST and run.ok and run.check() is run
    assert abs(run.t[-1] - FALL*(1 + gives)/(1 - gives)) < 2e-6
    assert run.q[-1, 0] == -1.0 and run.v[-1, 0] == 0.0 and run.q.min() > -1.0 - 1e-6
    assert run.events["direction"][-2:].tolist() == [-1, 2] and 'event "ground"' in run.message
    assert run.events["kind"][-2:].tolist() == ["falling", "rest"]
    assert len(run.t) == np.sum(np.linspace(0.0, 9.0, samples) < run.t[-1]) + 1


@pytest.mark.parametrize("gives", [0.8, 0.0])
@pytest.mark.parametrize("samples, every", [(2, False), (501, False), (5001, False), (2, True)])
def test_without_capture_the_trouble_has_a_name_however_the_run_is_sampled(gives, samples, every):
    run = fd.simulate(stone(), 9.0, events=ground(bouncing(gives)), samples=samples, every=every)
    assert run.status == CHATTER and 'event "ground"' in run.message and "capture" in run.message
    assert abs(run.t[-1] - FALL*(1 + gives)/(1 - gives)) < 2e-6 and run.q.min() > -1.0 - 1e-6


def test_an_action_that_does_not_know_of_rest_ends_there_too():
    run = fd.simulate(stone(), 9.0, events=ground(lambda t, q, v, direction: v.__setitem__(0, -0.5*v[0])), capture=1e-7)
    assert run.status == AT_REST and run.q.min() > -1.0 - 1e-6


def test_what_rests_is_held_by_a_drive_while_another_body_goes_on():
    resting = []

    def floor(t, q, v, torque, wrench):
        torque[0] += G*2.0 if resting else 0.0          # N, its weight

    def land(t, q, v, direction):
        if direction == 2:
            resting.append(t)
            q[0], v[0] = -1.0, 0.0
            return "held"
        v[0] = -0.5*v[0]

    stone = fd.Link(name="stone", joint=fd.Prismatic(axis=(0.0, 1.0, 0.0)), body=fd.Body.point(2.0))
    other = fd.Link(name="other", parent="base", at=(2.0, 0.0, 0.0), length=1.0, mass=1.0)
    run = fd.simulate(fd.Chain([stone, other], drive=floor), 3.0, events=ground(land), capture=1e-7)
    alone = fd.simulate(fd.Chain([other]), 3.0)
    assert run.ok and run.t[-1] == 3.0 and len(resting) == 1
    after = run.t > resting[0]
    assert np.all(run.q[after, 0] == -1.0) and np.all(run.v[after, 0] == 0.0)
    assert np.allclose(run.q[:, 1], alone.q[:, 0], rtol=0, atol=1e-7)


def test_an_action_may_stop_the_run():
    def action(t, q, v, direction):
        v[0] = -0.5*v[0]
        return "stop" if v[0] < 1.0 else None

    run = fd.simulate(stone(), 9.0, events=ground(action))
    assert run.status == STOPPED and run.ok and len(run.events) == 3 and 'event "ground"' in run.message


@pytest.mark.parametrize("every", [False, True])
@pytest.mark.parametrize("how", ["terminal", "stop"])
def test_a_run_that_ends_at_an_action_ends_with_the_state_after_it_and_goes_on_from_there(every, how):
    def action(t, q, v, direction):
        v[0] = -0.5*v[0]
        return "stop" if how == "stop" and t < 1.0 else None

    run = fd.simulate(stone(), 9.0, events=ground(action, terminal=how == "terminal"), every=every)
    speed = G*FALL
    assert run.status == STOPPED and abs(run.v[-1, 0] - 0.5*speed) < 1e-9
    if every:
        assert run.t[-2] == run.t[-1] and abs(run.v[-2, 0] + speed) < 1e-9
    rest = fd.simulate(stone(), 0.8, start=run.checkpoint, events=ground(action, terminal=how == "terminal"))
    late = rest.t[-1] - run.t[-1]
    assert rest.ok and rest.t[-1] == 0.8 and abs(rest.q[-1, 0] - (-1.0 + 0.5*speed*late - 0.5*G*late**2)) < 1e-9


def test_a_sample_at_an_event_is_the_state_after_it():
    first = fd.simulate(stone(), 0.6, events=ground(bouncing(0.5)))
    t = first.events["time"][0]
    run = fd.simulate(stone(), 0.6, events=ground(bouncing(0.5)), times=[0.0, t, 0.6])
    assert run.t[1] == t and run.v[1, 0] > 2.0


def test_a_compiled_action_may_do_all_that_one_in_python_may():
    @cfunc(int64(float64, NUMBERS, NUMBERS, int64))
    def compiled(t, q, v, direction):
        v[0] = 0.0 if direction == 2 else -0.5*v[0]
        return 1

    @cfunc(int64(float64, NUMBERS, NUMBERS, int64))
    def stop(t, q, v, direction):
        v[0] = -0.5*v[0]
        return 2

    @cfunc(int64(float64, NUMBERS, NUMBERS, int64))
    def let_go(t, q, v, direction):
        return 3

    fast = fd.simulate(stone(), 9.0, events=ground(compiled), capture=1e-7)
    assert fast.status == AT_REST and abs(fast.t[-1] - 3*FALL) < 2e-6
    assert fd.simulate(stone(), 9.0, events=ground(stop)).status == STOPPED
    once = fd.simulate(stone(), 9.0, events=ground(compiled, terminal=True))
    assert once.status == STOPPED and len(once.events) == 1 and once.v[-1, 0] > 0.0
    through = fd.simulate(stone(), 2.0, events=ground(let_go))
    assert through.ok and len(through.events) == 1 and through.q[-1, 0] < -10.0


def test_what_goes_on_through_the_floor_does_so():
    """An action that changes something else, at a floor that is none."""
    motor = []
    through = fd.simulate(stone(drive=lambda t, q, v, torque, wrench: torque.__iadd__(30.0*len(motor))), 3.0,
                          events=ground(lambda t, q, v, direction: motor.append(t)))
    assert through.ok and len(through.events) == len(motor) == 1
    late = 3.0 - FALL
    assert abs(through.q[-1, 0] - (-1.0 - G*FALL*late + 0.5*(30.0 - G)*late**2)) < 1e-7


# --------------------------------------------------------------------------------------------------------- at the start

@pytest.mark.parametrize("q", [-1.0, -1.3])
@pytest.mark.parametrize("v", [0.0, -2.0])
def test_an_action_fires_at_once_where_its_function_falls_from_zero_or_beyond(q, v):
    def action(t, q, v, direction):
        q[0], v[0] = 4.0, 0.0

    run = fd.simulate(stone(), 0.5, [q], [v], events=ground(action))
    assert run.ok and run.events["time"].tolist() == [0.0] and abs(run.q[-1, 0] - (4.0 - G/8)) < 1e-9


@pytest.mark.parametrize("q, v", [(-1.0, 3.0), (-1.3, 6.0)])
def test_an_action_waits_for_what_comes_back_on_its_own(q, v):
    run = fd.simulate(stone(), 2.0, [q], [v], events=ground(bouncing(0.0)), capture=1e-7)
    assert abs(run.events["time"][0] - (v + math.sqrt(v*v + 2*G*(q + 1.0)))/G) < 1e-9 and run.status == AT_REST


def test_a_stone_laid_on_the_floor_rests_there():
    run = fd.simulate(stone(), 2.0, [-1.0], [0.0], events=ground(bouncing(0.5)), capture=1e-7)
    assert run.status == AT_REST and run.t[-1] < 1e-6 and run.q[-1, 0] == -1.0


@pytest.mark.parametrize("compiled", [False, True])
def test_a_run_does_not_start_behind_its_end(compiled):
    @cfunc(float64(float64, NUMBERS, NUMBERS))
    def height(t, q, v):
        return q[0] + 1.0

    function = height if compiled else lambda t, q, v: q[0] + 1.0
    event = fd.Event(function=function, direction="falling", terminal=True, name="ground")
    with pytest.raises(fd.ModelError, match=r'event "ground" is -0\.3 at the start and would have to go through zero'):
        fd.simulate(stone(), 2.0, [-1.3], events=event)
    assert fd.simulate(stone(), 2.0, [0.0], events=event).status == STOPPED


def test_a_start_on_zero_is_no_end():
    turn = fd.Event(function=lambda t, q, v: v[0], direction="falling", terminal=True, name="highest")
    run = fd.simulate(stone(), 2.0, events=turn)
    assert run.t[-1] == 2.0 and len(run.events) == 0


def test_contacts_with_grounds_are_no_bounces_to_be_captured():
    chain = fd.catalog.falling_chain()
    usual, captured = (fd.simulate(chain, 0.5, samples=3, rtol=1e-6, capture=capture) for capture in (0.0, 1.0))
    assert len(usual.contacts) > 1 and np.array_equal(usual.q, captured.q)
    assert np.array_equal(usual.events, captured.events) and 2 not in captured.events["direction"]

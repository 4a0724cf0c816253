"""Rates of one's own: every way to write one gives the same run; events, restarts, refusals, what fails on the way."""

import math
import signal
import time

import numpy as np
import pytest
from numba import cfunc, config, float64, int64, njit, types
from steppers.problems import PLEIADES, orbit, swing

import fastdyn as fd
from fastdyn.status import EVENT_FAILED, INTERRUPTED, NOT_FINITE, OUT_OF_TIME, RATE_FAILED, STOPPED

pytestmark = pytest.mark.usefixtures("one_ladder")
NUMBERS = types.CPointer(float64)


@njit
def fills(t, y, dy):
    dy[0], dy[1] = y[1], -math.sin(y[0])


@njit
def answers(t, y):
    return np.array([y[1], -math.sin(y[0])])


@njit
def answers_in_a_pair(t, y):
    return y[1], -math.sin(y[0])


@njit
def fills_with_numbers(t, y, dy, numbers):
    dy[0], dy[1] = y[1], -numbers[0]*math.sin(y[0])


@njit
def answers_with_numbers(t, y, numbers):
    return np.array([y[1], -numbers[0]*math.sin(y[0])])


@cfunc(types.void(float64, NUMBERS, NUMBERS, NUMBERS))
def in_c(t, y, dy, numbers):
    dy[0], dy[1] = y[1], -math.sin(y[0])


def fills_in_python(t, y, dy):
    dy[:] = y[1], -math.sin(y[0])


def answers_in_python(t, y, length=1.0):
    return [y[1], -math.sin(y[0])/length]


ONE = {"numbers": [1.0]}
WAYS = {"fills": (fills, {}), "answers": (answers, {}), "a pair": (answers_in_a_pair, {}), "cfunc": (in_c, {}),
        "fills, numbers": (fills_with_numbers, ONE), "answers, numbers": (answers_with_numbers, ONE),
        "fills in Python": (fills_in_python, {}), "answers in Python": (answers_in_python, {})}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_write_a_rate_gives_the_same_bits(way):
    rate, words = WAYS[way]
    run = fd.integrate(rate, [2.0, 0.0], 5.0, samples=21, rtol=1e-10, **words).check()
    usual = fd.integrate(fills, [2.0, 0.0], 5.0, samples=21, rtol=1e-10)
    assert np.array_equal(run.y, usual.y) and run.stats == usual.stats and np.array_equal(run.t, np.linspace(0, 5, 21))
    assert np.abs(run.y - swing(run.t, 2.0).T).max() < 1e-9


def test_numbers_reach_the_rate():
    """A pendulum four times as strong is twice as quick."""
    run = fd.integrate(fills_with_numbers, [2.0, 0.0], 2.5, samples=6, numbers=np.array([4.0]), rtol=1e-10).check()
    usual = fd.integrate(fills, [2.0, 0.0], 5.0, samples=6, rtol=1e-10)
    assert np.allclose(run.y, usual.y*[1.0, 2.0], rtol=0, atol=1e-9)


def sisters(t, y):
    """Pleiades, as its own page writes it."""
    x, z, m = y[:7], y[7:14], np.arange(1.0, 8.0)
    dx, dz = x[None] - x[:, None], z[None] - z[:, None]
    r2 = dx*dx + dz*dz + np.eye(7)
    pull = m/(r2*np.sqrt(r2))
    return np.concatenate([y[14:], (pull*dx).sum(axis=1), (pull*dz).sum(axis=1)])


def test_a_published_problem():
    run = fd.integrate(sisters, PLEIADES.y, PLEIADES.t_end, times=[PLEIADES.t_end], rtol=1e-9, atol=1e-9).check()
    assert PLEIADES.error(run.y[-1]) < 1e-5


@njit
def sun(t, y):
    r3 = math.sqrt(y[0]*y[0] + y[1]*y[1])**3
    return np.array([y[2], y[3], -y[0]/r3, -y[1]/r3])


@pytest.mark.parametrize("stepper", ["dopri5", "adams", "radau5", "newmark"])
def test_every_kind_of_stepper_follows_a_planet(stepper):
    tol, late = (1e-6, 3e-4) if stepper == "newmark" else (1e-9, 1e-6)
    run = fd.integrate(sun, orbit(0.0, 0.3), 6.0, times=[6.0], stepper=stepper, rtol=tol, atol=tol).check()
    assert np.abs(run.y[-1] - orbit(6.0, 0.3)).max() < late


# --------------------------------------------------------------------------------------------------------------- events

@njit
def height(t, y):
    return y[0]


@cfunc(float64(float64, NUMBERS))
def height_in_c(t, y):
    return y[0]


@cfunc(int64(float64, NUMBERS, int64))
def bounce_in_c(t, y, direction):
    y[1] = -0.8*y[1]
    return 1


def bounce(t, y, direction):
    y[1] = 0.0 if direction == 2 else -0.8*y[1]


@njit
def falls(t, y, dy):
    dy[0], dy[1] = y[1], -9.81


@pytest.mark.parametrize("function", [height, height_in_c, lambda t, y: y[0]], ids=["njit", "cfunc", "python"])
@pytest.mark.parametrize("action", [bounce, bounce_in_c], ids=["python", "cfunc"])
def test_a_ball_bounces(function, action):
    floor = fd.Event(function=function, direction="falling", action=action, name="floor")
    run = fd.integrate(falls, [1.0, 0.0], 2.0, events=floor).check()
    first = math.sqrt(2/9.81)
    assert run.event_names == ("floor",)
    assert np.allclose(run.events["time"], first*np.array([1.0, 2.6, 3.88]), rtol=0, atol=1e-9)
    assert run.events["direction"].tolist() == [-1, -1, -1] and run.y[:, 0].min() > -1e-9


def test_a_ball_comes_to_rest():
    floor = fd.Event(function=height, direction="falling", action=bounce)
    run = fd.integrate(falls, [1.0, 0.0], 9.0, events=floor, capture=1e-7).check()
    assert abs(run.t[-1] - 4.0637128) < 1e-6 and run.message.endswith("came to rest") and len(run.events) <= 100


def test_a_terminal_event_ends_the_run():
    run = fd.integrate(falls, [1.0, 0.0], 9.0, events=fd.Event(function=height, terminal=True, name="floor"))
    assert run.status == STOPPED and abs(run.t[-1] - math.sqrt(2/9.81)) < 1e-10 and 'event "floor"' in run.message


# ------------------------------------------------------------------------------------------------- stopped and going on

STEEP = {"jump": lambda x: 1.0 if x < 0.0 else -1.0, "cube root": lambda x: -np.cbrt(x),
         "square root": lambda x: -math.copysign(math.sqrt(abs(x)), x),
         "steep": lambda x: -math.tanh(1e5*x)}


@pytest.mark.parametrize("stepper", ["dop853", "adams", "radau5"])
@pytest.mark.parametrize("name", STEEP)
def test_a_function_that_jumps_or_is_steep_at_zero_fires_once(stepper, name):
    """No line through two of its values tells where it is zero."""
    calls = []

    def look(t, y, direction):
        calls.append(t)

    event = fd.Event(function=lambda t, y: STEEP[name](t - 0.37), action=look)
    run = fd.integrate(lambda t, y: [1.0], [0.0], 1.0, events=event, stepper=stepper)
    assert run.ok and len(calls) == len(run.events) == 1
    assert abs(calls[0] - 0.37) < 1e-8 and calls[0] >= 0.37 - 1e-15


FLAT = {"cube": lambda x: x**3, "fifth power": lambda x: x**5, "square": lambda x: x*abs(x),
        "cube of a sine": lambda x: math.sin(x)**3}


@pytest.mark.parametrize("stepper", ["dop853", "dopri5", "adams", "radau5"])
@pytest.mark.parametrize("name", FLAT)
@pytest.mark.parametrize("slows", [False, True])
def test_a_function_that_is_flat_at_zero_fires_once(stepper, name, slows):
    """Its slope tells nothing, neither where it is zero nor whether it goes on."""
    calls, speed = [], [1.0]

    def look(t, y, direction):
        calls.append(y[0])
        speed[0] = 0.5 if slows else 1.0

    event = fd.Event(function=lambda t, y: FLAT[name](y[0]), action=look, direction="rising")
    run = fd.integrate(lambda t, y: [speed[0]*(1.0 + 0.1*y[0])], [-1.0], 2.0, events=event, stepper=stepper)
    assert run.ok and len(calls) == len(run.events) == 1 and 0.0 <= calls[0] < 1e-8


@pytest.mark.parametrize("power", [1, 3, 5])
@pytest.mark.parametrize("stepper", ["dop853", "adams"])
def test_what_turns_back_at_zero_fires_each_time_it_comes(power, stepper):
    """However flat: a few roundings beyond zero, and steps as short as these, are not new crossings."""
    speed = [1.0]

    def turn(t, y, direction):
        speed[0] = -speed[0]

    events = (fd.Event(function=lambda t, y: (y[0] - 1.0)**power, action=turn, direction="rising"),
              fd.Event(function=lambda t, y: y[0]**power, action=turn, direction="falling"))
    run = fd.integrate(lambda t, y: [speed[0]], [0.5], 5.0, events=events, stepper=stepper)
    assert run.ok and run.events["direction"].tolist() == [1, -1, 1, -1, 1]
    assert np.allclose(run.events["time"], [0.5, 1.5, 2.5, 3.5, 4.5], rtol=0, atol=1e-8)


def test_ctrl_c_is_heard_when_a_rate_has_become_slow():
    """Pauses count evaluations, and were set when these were a thousand times quicker."""
    pressed = []

    def slower(t, y):
        if t > 5.0:
            time.sleep(2e-3)
            if not pressed:
                pressed.append(time.monotonic())
                signal.raise_signal(signal.SIGINT)
        return [y[1], -y[0]]

    run = fd.integrate(slower, [1.0, 0.0], 1000.0, samples=2, h_max=1e-3, max_seconds=20.0)
    assert time.monotonic() - pressed[0] < 0.5
    assert run.status == INTERRUPTED and 4.9 < run.t[-1] < 5.1


@pytest.mark.parametrize("slow", ["rate", "event"])
def test_the_clock_is_seen_when_a_function_has_become_slow(slow):
    def wait(t):
        if t > 5.0:
            time.sleep(1e-2)

    def rate(t, y):
        wait(t if slow == "rate" else 0.0)
        return [y[1], -y[0]]

    def far(t, y):
        wait(t if slow == "event" else 0.0)
        return 2.0 + y[0]

    began = time.monotonic()
    run = fd.integrate(rate, [1.0, 0.0], 1000.0, samples=2, h_max=1e-2, events=fd.Event(function=far), max_seconds=1.0)
    assert time.monotonic() - began < 2.0
    assert run.status == OUT_OF_TIME and 5.0 < run.t[-1] < 20.0


def test_a_stopped_run_goes_on_to_the_bit(tmp_path):
    whole = fd.integrate(fills, [2.0, 0.0], 20.0, every=True)
    part = fd.integrate(fills, [2.0, 0.0], 20.0, every=True, max_steps=7)
    assert not part.ok and part.stats["steps"] == 7
    part.checkpoint.save(tmp_path/"stop.npz")
    rest = fd.integrate(fills, t_end=20.0, every=True, start=fd.open_checkpoint(tmp_path/"stop.npz"))
    assert rest.ok and np.array_equal(rest.y, whole.y[-len(rest.y):]) and rest.stats == whole.stats
    with pytest.raises(fd.ModelError, match="both start and y are given"):
        fd.integrate(fills, [2.0, 0.0], 20.0, start=part.checkpoint)
    with pytest.raises(fd.ModelError, match="the checkpoint is of another chain"):
        fd.simulate(fd.catalog.n_pendulum(1), 20.0, start=part.checkpoint)


def test_what_raises_midway_stops_the_run_and_is_told():
    def breaks(t, y):
        if t > 0.5:
            raise LookupError("no table for this time")
        return [1.0]

    run = fd.integrate(breaks, [0.0], 1.0, h_max=0.1)
    assert run.status == RATE_FAILED and 0.4 <= run.t[-1] <= 0.5 and "no table for this time" in run.message
    with pytest.raises(fd.SimulationError) as told:
        run.check()
    assert isinstance(told.value.__cause__, LookupError)


def test_a_rate_that_becomes_complex_midway_stops_the_run():
    run = fd.integrate(lambda t, y: [1j if t > 0.5 else 1.0], [0.0], 1.0, h_max=0.1)
    assert run.status == RATE_FAILED and 0.4 <= run.t[-1] <= 0.5 and "rate gives complex numbers at t = " in run.message


def test_a_rate_without_meaning_midway_keeps_what_was_done():
    run = fd.integrate(lambda t, y: [math.nan if t > 0.5 else 1.0], [0.0], 1.0, h_max=0.1)
    assert run.status == NOT_FINITE and 0.4 <= run.t[-1] <= 0.5 and run.y[-1, 0] == pytest.approx(run.t[-1])


def test_a_component_that_is_left_out_is_no_number():
    @njit
    def forgets(t, y, dy):
        dy[0] = 1.0

    assert fd.integrate(forgets, [0.0, 0.0], 1.0).status == NOT_FINITE


def test_an_event_that_fails_is_named():
    late = fd.Event(function=lambda t, y: math.nan if t > 0.5 else 1.0, name="late")
    run = fd.integrate(falls, [1.0, 0.0], 2.0, events=late)
    assert run.status == EVENT_FAILED and 'event "late"' in run.message


def test_a_run_is_interrupted_from_inside():
    def presses(t, y):
        if t > 0.5:
            raise KeyboardInterrupt
        return [1.0]

    assert fd.integrate(presses, [0.0], 1.0, h_max=0.1).status == INTERRUPTED


# ------------------------------------------------------------------------------------------------------------- refusals

@njit
def complex_in_numba(t, y):
    return y*1j


def fills_complex(t, y, dy):
    dy[:] = y*1j


@njit
def compiles_not(t, y):
    return y + "one"


@pytest.mark.parametrize("rate, y, words, said", [
    (3, [1.0], {}, r"rate is 3; give a function rate\(t, y\)"),
    (lambda t: 1.0, [1.0], {}, r"rate takes 1 arguments; give rate\(t, y\), which returns dy/dt, or rate\(t, y, dy\)"),
    (lambda t, y, dy, p: None, [1.0], {}, "which fills dy; one that takes numbers too wants numbers="),
    (lambda t, y: y, [1.0], {"numbers": [1.0]}, r"rate takes 2 arguments; give rate\(t, y, numbers\)"),
    (lambda t, y: 1.0, [1.0, 2.0], {}, r"rate gives 1 at the start; let it give 2 numbers in a row"),
    (lambda t, y: [1.0], [1.0, 2.0], {}, "let it give 2 numbers in a row"),
    (answers, [1.0, 0.0, 0.0], {}, "let it give 3 numbers in a row"),
    pytest.param(compiles_not, [1.0], {}, "rate does not compile for a time and arrays of float64",
                 marks=pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled")),
    (lambda t, y: 1j*y, [1.0], {}, "rate gives complex numbers at the start; give real ones, a complex comp"),
    (complex_in_numba, [1.0], {}, "rate gives complex numbers at the start; give real ones"),
    (fills_complex, [1.0], {}, "rate fills dy with complex numbers at the start; give real ones"),
    (fills, 1.0, {}, "y is 1; give the state to start from"),
    (fills, [1.0, math.nan], {}, r"y\[1\] is nan"),
    (fills, [1.0, 0.0], {"stepper": "euler"}, 'stepper "euler" is not known'),
    (fills, [1.0, 0.0], {"atol": [1.0]}, r"atol has shape \(1,\); give shape \(2,\)"),
    (fills, [1.0, 0.0], {"t": 9.0}, "give a later end"),
    (fills, [1.0, 0.0], {"numbers": [math.inf], }, r"numbers\[0\] is inf"),
    (answers_in_a_pair, [1.0, 0.0, 0.0], {"stepper": "newmark"}, "let it give 3"),
    (sun, [1.0, 0.0, 0.0, 1.0], {"start": 3}, "start is 3; give run.checkpoint"),
])
def test_what_cannot_be_integrated_is_refused_in_one_sentence(rate, y, words, said):
    with pytest.raises(fd.ModelError, match=said) as refused:
        fd.integrate(rate, y, **words)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("stepper", ["dop853", "adams", "radau5", "esdirk4"])
@pytest.mark.parametrize("raises", [False, True])
def test_a_rate_that_fails_once_anywhere_leaves_a_state_of_the_motion(stepper, raises):
    """Also in the step that is taken again to an event."""
    event, asked, all_of_them = fd.Event(function=lambda t, y: t - 0.4), [0], []

    def run(fails):
        def rate(t, y):
            asked[0] += 1
            if raises and asked[0] == fails:
                raise ValueError("no rate")
            return [y[1], math.nan if asked[0] == fails else -9.81]

        asked[0] = 0
        return fd.integrate(rate, [1.0, 0.0], 0.6, samples=2, stepper=stepper, events=event, rtol=1e-6)

    run(0)
    for fails in range(5, asked[0]):
        all_of_them.append(found := run(fails))
        y, t = found.y[-1], found.t[-1]
        assert np.abs(y - [1.0 - 9.81*t*t/2, -9.81*t]).max() < 1e-9 and not (found.ok and t != 0.6)
    assert any(found.ok for found in all_of_them) != raises


@pytest.mark.parametrize("stepper", ["radau5", "esdirk4"])
@pytest.mark.parametrize("tol", [1e-4, 1e-6])
def test_events_of_a_stiff_component_are_those_of_its_states_not_of_its_polynomial(stepper, tol):
    """Steps as long as a swing of what it follows: y is cos 5(t - 1e-6) but for 1e-11."""
    def follows(function, **more):
        rate = lambda t, y: [-1e6*(y[0] - math.cos(5*t)), -y[1]]
        return fd.integrate(rate, [1.0, 1.0], 3.0, samples=2, stepper=stepper, rtol=tol, atol=tol,
                            events=fd.Event(function=function, **more)).check()

    zeros = follows(lambda t, y: y[0]).events["time"]
    assert np.abs(zeros - (0.1*np.pi*np.arange(1, 11, 2) + 1e-6)).max() < 1e-8 + 0.1*tol
    assert follows(lambda t, y: y[0] - 1.01, direction="rising", terminal=True).t[-1] == 3.0
    falls = follows(lambda t, y: y[0], direction="falling").events["time"]
    assert np.abs(np.cos(5*(falls - 1e-6))).max() < tol and (np.sin(5*falls) > 0.9).all()

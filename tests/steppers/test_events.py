"""Events of every stepper against closed forms: where they are, that none is missed, none counted twice."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from steppers.problems import NOTHING, any_system, fall_of_a_pendulum, quarter

from fastdyn._jit import kernel
from fastdyn.layout import BENT, CHANGED, HALT, OFTEN, RESTED, UNCHANGED
from fastdyn.run.course import Course
from fastdyn.status import AT_REST, CHATTER, OK, STOPPED
from fastdyn.steppers import STEPPERS
from fastdyn.steppers.desk import GAPS, RATE, SWITCH
from perf.instants import GIVES, REST, G, bounce, flight, floor_and_wall, itself, spring_back

every_stepper = pytest.mark.parametrize("method", any_system)
LENGTHS = 9.81                                          # the pendulum of unit length in units of sqrt(length/g)


@kernel(RATE)
def clock(handle, t, y, dy):
    """y[0] is the time, the others stay."""
    dy[0] = 1.0
    for i in range(1, 8):
        dy[i] = 0.0
    return 0


@kernel(GAPS)
def three_times(handle, t, y, gaps):
    """Functions of time that cross at y[1], y[2], y[3], the first falling, the others rising"""
    gaps[0] = y[1] - t
    gaps[1] = t - y[2]
    gaps[2] = 3.0*(t - y[3])
    return 0


@kernel(GAPS)
def roots(handle, t, y, gaps):
    """A polynomial by its five roots, its sign by y[6]"""
    product = y[6]
    for i in range(1, 6):
        product *= t - y[i]
    gaps[0] = product
    return 0


@kernel(GAPS)
def wave(handle, t, y, gaps):
    """A function of time that swings y[1] rad a second about y[2], however long a step is"""
    gaps[0] = y[2] + math.sin(y[1]*t)
    return 0


@kernel(GAPS)
def sawtooth(handle, t, y, gaps):
    gaps[0] = 1e-3 - (t - y[1])
    return 0


@kernel(SWITCH)
def stop_at_the_last(handle, t, y, which, direction, sides):
    return HALT if which == 2 else UNCHANGED


@kernel(SWITCH)
def first_blinds_the_second(handle, t, y, which, direction, sides):
    if which == 0:
        sides[1] = 0
    return UNCHANGED


@kernel(SWITCH)
def wind_up(handle, t, y, which, direction, sides):
    y[1] = t
    sides[0] = 1
    return CHANGED


@kernel(SWITCH)
def bend(handle, t, y, which, direction, sides):
    return BENT


@kernel(SWITCH)
def stay_above(handle, t, y, which, direction, sides):
    sides[0] = 1
    return CHANGED


def timed(method, *times, watch=(0, 0, 0), **settings):
    """Three functions of time that cross at the given times"""
    return Course(clock, NOTHING, [0.0, *times, 0.0, 0.0, 0.0, 0.0], method=method, gaps=three_times, watch=watch,
                  **settings)


# ------------------------------------------------------------------------------------------------------ closed forms

def crossings(method, amplitude=1.0, **settings):
    """How late the first nine zeros of a pendulum of 1 m are found, s"""
    course = Course(fall_of_a_pendulum, NOTHING, [amplitude, 0.0], method=method, gaps=itself, watch=[0], **settings)
    assert course.to(17.5*quarter(amplitude)) == OK
    times, what = course.events
    assert what.tolist() == [[0, -1], [0, 1]]*4 + [[0, -1]]
    return np.abs(times - quarter(amplitude)*(2*np.arange(9) + 1))/math.sqrt(LENGTHS)


@pytest.mark.kernels
@pytest.mark.parametrize("amplitude", [0.5, 0.8, 1.0, 1.2])
def test_zeros_of_a_pendulum_at_the_usual_tolerance(amplitude):
    late = crossings("dop853", amplitude, rtol=1e-8, atol=1e-12)
    assert late[0] < 1e-10 and late.max() < 2e-8


@pytest.mark.parametrize("method", STEPPERS)
def test_who_holds_events_to_1e_8_at_the_usual_tolerance(method):
    """The first in any case, the ninth by methods whose path is as true by then; docs/theory/time.md has the table."""
    late = crossings(method, rtol=1e-8, atol=1e-12)
    assert late[0] < 1e-8 and (late.max() < 1e-8 or method not in ("dop853", "adams", "radau5"))


@pytest.mark.parametrize("method", STEPPERS)
def test_zeros_of_a_pendulum(method):
    """An event is as true as the path: here the path is, to the rounding of its many steps."""
    if method in ("newmark", "gen-alpha", "esdirk4", "abm4"):
        late = crossings(method, rtol=1e-10, atol=1e-10)
        assert late[0] < 1e-6 and late.max() < 1e-5
    else:
        late = crossings(method, rtol=1e-11, atol=1e-12)
        assert late[0] < 1e-10 and late.max() < 2e-8


@pytest.mark.kernels
@every_stepper
def test_a_bouncing_ball_comes_to_rest(method):
    course = Course(flight, NOTHING, [1.0, 0.0, 0.0], method=method, gaps=itself, switch=bounce, watch=[-1],
                    capture=1e-7)
    assert course.to(10.0) == AT_REST
    times, what = course.events
    assert abs(course.t - REST) < 1e-6 and len(times) <= 100
    assert what[-2:].tolist() == [[0, -1], [0, RESTED]] and course.y[1] == 0.0
    falls = math.sqrt(2/G)*(1 + 2*np.cumsum(GIVES**np.arange(1, 40)))
    assert abs(times[0] - math.sqrt(2/G)) < 1e-10
    assert np.abs(times[1:40] - falls).max() < 1e-8


@every_stepper
def test_a_ball_that_rests_on_the_floor_is_not_watched_there(method):
    """The switch sets the side to 0: then nobody watches, though the ball falls through."""
    course = Course(flight, NOTHING, [1.0, 0.0, 0.0], method=method, gaps=itself, switch=bounce, watch=[-1],
                    capture=1e-7)
    assert course.to(10.0) == AT_REST
    events, side = len(course.events[0]), course.stepping.side[0]
    assert side == 0
    assert course.to(12.0) == OK and course.y[0] < -1.0
    assert len(course.events[0]) == events


@pytest.mark.parametrize("depth", [1e-6, 1e-7, 1e-8, 1e-9])
@every_stepper
def test_every_graze_of_a_wall_is_found(method, depth):
    """Thirteen flights that rise above a wall for 4e-5 s to 1e-3 s, in steps as long as a flight or at odds with it."""
    rng = np.random.default_rng(7)
    for trial in range(12):
        v = rng.uniform(2.0, 8.0)
        period = 2*v/G
        course = Course(flight, NOTHING, [0.0, v, v*v/2/G - depth], method=method, gaps=floor_and_wall,
                        switch=spring_back, watch=[-1, -1],
                        h_max=np.inf if trial < 4 else rng.uniform(0.05, 1.0)*period)
        assert course.to(12.9*period) == OK
        times, what = course.events
        graze = times[what[:, 0] == 1]
        assert len(graze) == 13 and len(times) == 25
        width = math.sqrt(2*depth/G)
        assert np.abs(graze - (np.arange(13) + 0.5)*period + width).max() < 0.5*width


@pytest.mark.parametrize("place", [2e-4, 4e-4, 5e-4, 7e-4, 1 - 7e-4, 1 - 5e-4, 1 - 2e-4, 1 - 1e-4])
def test_a_graze_next_to_an_end_of_a_step(place):
    """Of one step of 0.3 s, where it is lower than at all places that are looked at."""
    v = 0.3*G*place
    course = Course(flight, NOTHING, [0.5, v, 0.5 + v*v/2/G - 1e-10], gaps=floor_and_wall, watch=[-1, 0], h_first=0.3,
                    h_max=0.3)
    assert course.to(0.3) == OK
    assert course.events[1].tolist() == [[1, -1], [1, 1]]
    assert np.abs(course.events[0] - 0.3*place - [-math.sqrt(2e-10/G), math.sqrt(2e-10/G)]).max() < 1e-8


# ------------------------------------------------------------------------------------------ several, and none twice

@pytest.mark.kernels
@every_stepper
def test_events_of_one_step_come_in_their_order(method):
    course = timed(method, 0.7, 0.3, 0.5, h_first=1.0)
    assert course.to(1.0) == OK
    times, what = course.events
    assert what.tolist() == [[1, 1], [2, 1], [0, -1]]
    assert np.abs(times - [0.3, 0.5, 0.7]).max() < 1e-9


@every_stepper
@pytest.mark.parametrize("apart", [0.0, 1e-16, -1e-16, 1e-14])
def test_mirror_events_are_reported_together_and_once(method, apart):
    course = timed(method, 0.3, 0.3*(1 + apart), 0.3*(1 - apart))
    assert course.to(1.0) == OK
    times, what = course.events
    assert sorted(what.tolist()) == [[0, -1], [1, 1], [2, 1]]
    assert len(set(times.tolist())) == 1 and abs(times[0] - 0.3) < 1e-9
    assert course.stepping.gap.reshape(-1, 3)[OFTEN].tolist() == [1.0, 1.0, 1.0]


@every_stepper
def test_events_closer_than_the_tolerance_but_apart_come_in_their_order(method):
    course = timed(method, 0.3 + 4e-9, 0.3 + 2e-9, 0.3)
    assert course.to(1.0) == OK
    assert course.events[1].tolist() == [[2, 1], [1, 1], [0, -1]]
    assert np.all(np.diff(course.events[0]) > 0.0)


@every_stepper
def test_restarts_count_nothing_twice(method):
    """Stopped at an event, just before and just after it, and gone on with."""
    course = timed(method, 0.3, 0.5, 0.5)
    for t_end in (0.3 - 1e-13, 0.3, 0.3 + 1e-13, 0.4, 0.5, 0.5 + 1e-12, 1.0):
        assert course.to(t_end) == OK
    assert sorted(course.events[1].tolist()) == [[0, -1], [1, 1], [2, 1]]


@every_stepper
def test_an_event_at_the_end_is_the_run_s_or_the_next_one_s(method):
    course = timed(method, 5.0, 0.5, 6.0)
    assert course.to(0.5) == OK
    before = len(course.events[0])
    assert course.to(0.6) == OK
    assert len(course.events[0]) == 1 and before in (0, 1)
    assert abs(course.events[0][0] - 0.5) < 1e-9


@every_stepper
def test_starting_on_zero_is_no_event_but_leaving_its_side_is(method):
    course = timed(method, 0.0, 0.0, 0.5)
    assert course.to(1.0) == OK
    assert course.events[1].tolist() == [[2, 1]]
    assert course.stepping.side.tolist() == [-1, 1, 1]


@every_stepper
def test_what_is_already_beyond_zero_and_falling_fires_at_once(method):
    course = Course(flight, NOTHING, [-1e-12, -1.0, 0.0], method=method, gaps=itself, switch=spring_back, watch=[-1])
    course.stepping.side[0] = 1
    assert course.to(0.05) == OK
    assert course.events[0].tolist() == [0.0] and course.events[1].tolist() == [[0, -1]]
    assert course.y[0] > 0.0


@every_stepper
def test_what_is_beyond_zero_and_rising_does_not(method):
    course = Course(flight, NOTHING, [-1e-12, 1.0, 0.0], method=method, gaps=itself, switch=spring_back, watch=[-1])
    course.stepping.side[0] = 1
    assert course.to(0.05) == OK
    assert len(course.events[0]) == 0


@every_stepper
@pytest.mark.parametrize("watch, found", [
    ((0, 0, 0), [[1, 1], [2, 1], [0, -1]]), ((1, 1, 1), [[1, 1], [2, 1]]), ((-1, -1, -1), [[0, -1]]),
    ((-1, -1, 1), [[2, 1], [0, -1]])])
def test_only_the_direction_asked_for_counts(method, watch, found):
    course = timed(method, 0.7, 0.3, 0.5, watch=watch)
    assert course.to(1.0) == OK
    assert course.events[1].tolist() == found
    assert course.stepping.side.tolist() == [-1, 1, 1]


@every_stepper
def test_a_switch_may_take_another_function_out_of_sight(method):
    course = Course(clock, NOTHING, [0.0, 0.3, 0.5, 0.7, 0.0, 0.0, 0.0, 0.0], method=method, gaps=three_times,
                    switch=first_blinds_the_second, watch=[0, 0, 0])
    assert course.to(1.0) == OK
    assert course.events[1].tolist() == [[0, -1], [2, 1]]


# ------------------------------------------------------------------------------------------------- words of events

@every_stepper
def test_an_event_may_end_the_run_and_the_run_may_go_on(method):
    course = Course(clock, NOTHING, [0.0, 0.7, 0.3, 0.5, 0.0, 0.0, 0.0, 0.0], method=method, gaps=three_times,
                    switch=stop_at_the_last, watch=[0, 0, 0])
    assert course.to(1.0) == STOPPED
    assert abs(course.t - 0.5) < 1e-9 and course.events[1].tolist() == [[1, 1], [2, 1]]
    assert course.to(1.0) == OK and course.t == 1.0
    assert course.events[1].tolist() == [[1, 1], [2, 1], [0, -1]]


@every_stepper
@pytest.mark.parametrize("samples", [0, 5, 601])
def test_a_hundred_switches_in_a_five_hundredth_of_the_run_are_chatter_however_it_is_sampled(method, samples):
    """A switch every millisecond: allowed where the run is short, chatter where it is long."""
    def run(t_end):
        course = Course(clock, NOTHING, [0.0]*8, method=method, gaps=sawtooth, switch=wind_up, watch=[-1])
        return course, course.to(t_end, wanted=np.linspace(0.0, t_end, samples))

    course, status = run(1.0)
    assert status == OK and abs(len(course.events[0]) - 999) <= 1
    course, status = run(60.0)
    assert status == CHATTER
    assert len(course.events[0]) == 101 and abs(course.t - 0.101) < 1e-6
    assert np.all(np.isfinite(course.y))


@every_stepper
def test_kinks_without_end_do_not_stop_a_run(method):
    """A hundred crossings are steps' ends, then the error may see to them."""
    course = Course(clock, NOTHING, [0.0, 2e3*math.pi]+[0.0]*6, method=method, gaps=wave, switch=bend, watch=[0],
                    h_max=1e-2)
    assert course.to(30.0) == OK and course.t == 30.0
    assert len(course.events[0]) == 101 and course.stepping.side[0] == 0
    assert np.abs(course.events[0] - 0.5e-3*np.arange(1, 102)).max() < 1e-8


@every_stepper
def test_a_switch_that_undoes_itself_is_chatter_not_a_run_without_end(method):
    course = Course(flight, NOTHING, [0.0, -1.0, 0.0], method=method, gaps=itself, switch=stay_above, watch=[-1])
    course.stepping.side[0] = 1
    assert course.to(1.0) == CHATTER
    assert course.t < 1e-6 and len(course.events[0]) == 101


# -------------------------------------------------------------------------------------------------------- any function

spread = st.lists(st.floats(0.02, 1.0), min_size=5, max_size=5)


@pytest.mark.kernels
@given(gaps=spread, sign=st.sampled_from((1.0, -1.0)), watch=st.sampled_from((-1, 0, 1)),
       step=st.floats(0.3, 3.5), method=st.sampled_from(("bs32", "dopri5", "dop853")))
def test_every_sign_change_is_found_once_and_in_order(gaps, sign, watch, step, method):
    """Steps up to 3.5 times the smallest distance of roots: between two places that are looked at is one at most."""
    found = 0.01 + np.cumsum(gaps)
    course = Course(clock, NOTHING, [0.0, *found, sign, 0.0], method=method, gaps=roots, watch=[watch],
                    h_max=step*min(gaps), h_first=step*min(gaps))
    assert course.to(found[-1] + 0.3) == OK
    times, what = course.events
    directions = sign*np.array([1, -1, 1, -1, 1])       # five roots: it comes from below where the sign is positive
    asked = (directions == watch) | (watch == 0)
    assert what[:, 1].tolist() == directions[asked].astype(int).tolist()
    assert np.abs(times - found[asked]).max(initial=0.0) < 1e-8


@pytest.mark.kernels
@given(rate=st.floats(0.1, 300.0), level=st.floats(-0.999, 0.999), method=st.sampled_from(any_system))
def test_what_swings_many_times_in_a_step_is_looked_at_as_often(rate, level, method):
    """Nothing bounds the steps: what moves steadily has no error, and the pin of a wheel touches all the same."""
    course = Course(clock, NOTHING, [0.0, rate, level, 0.0, 0.0, 0.0, 0.0, 0.0], method=method, gaps=wave, watch=[-1])
    assert course.to(10.0) == OK
    first = (math.pi + math.asin(level))/rate
    expected = np.arange(first, 10.0, 2*math.pi/rate)
    times, _ = course.events
    assert len(times) == len(expected) and np.abs(times - expected).max(initial=0.0) < 1e-8

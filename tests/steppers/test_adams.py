"""Multistep methods: exact for polynomials on any grid, orders, errors, cost, events, restarts; policies of contact."""

import math

import numpy as np
import pytest

from fastdyn._address import Handle, door, handle_of
from fastdyn._jit import c_array, float64, int64, kernel, ready
from fastdyn.describe.catalog import n_pendulum
from fastdyn.formulations import rates
from fastdyn.layout import CHANGED, GAP, H_MAX, H_MIN, OWN, STEPS_MOST, SUGGESTED, TIME, work_of
from fastdyn.run.course import Course
from fastdyn.status import OK, TOO_MANY_STEPS, ModelError
from fastdyn.steppers.adams import ERROR, LOWER, LOWEST, ORDER, THIS, G
from fastdyn.steppers.desk import (
    GAPS, RATE, SWITCH, call_attempt, call_commit, call_finish, call_inside, copy, open_desk)
from fastdyn.steppers.driver import open_parts

IN_PYTHON = pytest.mark.kernels    # short enough to run without the compiler too
MULTISTEP = pytest.mark.parametrize("method", ["adams", "abm4"])
GRAVITY, STIFF = 9.81, 2e4      # m/s^2; rad/s of a body on its floor
LIST = c_array(int64, 1)


def nobody():
    return np.zeros(4, np.int64).view(Handle)


@kernel(RATE)
def powers(handle, t, y, dy):
    """Component j: the integral of t^j"""
    power = 1.0
    for j in range(14):
        dy[j] = power
        power *= t
    return OK


@kernel(RATE)
def turning(handle, t, y, dy):
    dy[0], dy[1] = y[1], -y[0]
    return OK


@kernel(RATE)
def circling(handle, t, y, dy):
    """Kepler's problem"""
    r = math.sqrt(y[0]*y[0] + y[1]*y[1])
    dy[0], dy[1], dy[2], dy[3] = y[2], y[3], -y[0]/r/r/r, -y[1]/r/r/r
    return OK


@kernel(RATE)
def stepping_force(handle, t, y, dy):
    """A body pushed from 0.7 s on, with no event to tell"""
    dy[0], dy[1] = y[1], (1.0 if t > 0.7 else 0.0)
    return OK


@kernel(RATE)
def falling(handle, t, y, dy):
    """A body above a floor it can be pressed into; the first number of the handle says whether it touches."""
    dy[0], dy[1] = y[1], -GRAVITY - (STIFF*STIFF*y[0] if handle[0] == 1 else 0.0)
    return OK


@kernel(GAPS)
def height(handle, t, y, gaps):
    gaps[0] = y[0]
    return OK


@kernel(SWITCH)
def touching(handle, t, y, which, direction, sides):
    handle[0] = 1 if direction < 0 else 0
    return CHANGED


@kernel(int64(LIST, LIST, LIST, c_array(float64, 1), c_array(float64, 1), c_array(int64, 1), c_array(float64, 2)))
def stride(parts, handle, desk, sizes, meant, orders, inside):
    """Take steps of these sizes where others were meant, and orders (0: the method's own); three states of each."""
    p, handle, desk = open_parts(door(parts)), door(handle), door(desk)
    d, status = open_desk(desk), OK
    call_commit(p.restart, desk, sizes[0])
    for i in range(len(sizes)):
        if orders[i] > 0:
            d.count[ORDER] = orders[i]
        call_attempt(p.attempt, p.rate, handle, desk, sizes[i])
        status = max(status, call_finish(p.close, p.rate, handle, desk, sizes[i]))
        status = max(status, call_finish(p.prepare, p.rate, handle, desk, sizes[i]))
        for part in range(3):
            call_inside(p.inside, p.rate, handle, desk, 0.5*part, d.look)
            for at in range(d.n):
                inside[3*i + part, at] = d.look[at]
        d.clock[SUGGESTED] = meant[i]
        call_commit(p.commit, desk, sizes[i])
        copy(d.new, d.y, d.blocks)
        d.clock[TIME] += sizes[i]
    return status


def strode(course, sizes, orders, meant=None):
    """States at the start, in the middle and at the end of the steps taken"""
    inside = np.zeros((3*len(sizes), course.n))
    meant = sizes if meant is None else meant
    status = ready(stride)(course.parts, course.handle, course.desk, sizes, meant, np.array(orders), inside)
    assert status == OK
    return inside


def grid(rng, steps):
    """From 0 to 1, the longest step ten times the shortest, some equal"""
    sizes = 10.0**rng.uniform(-1, 0, steps)
    sizes = np.where(rng.random(steps) < 0.3, np.roll(sizes, 1), sizes)
    return sizes/sizes.sum()


# ---------------------------------------------------------------------------------------------------------- the weights

def test_weights_are_the_published_ones():
    assert np.allclose(G[:5], [1, 1/2, 5/12, 3/8, 251/720], rtol=1e-15)
    assert np.allclose(ERROR[1:6], [1/2, 1/12, 1/24, 19/720, 3/160], rtol=1e-15)


def exactness(sizes, orders, meant=None):
    """Errors of what is gained in half a step and in a whole one, of the integrals of t^0, t^1, ..."""
    course = Course(powers, nobody(), np.zeros(14), method="adams", atol=1.0)
    course.stepping.rate[0] = 1.0
    inside = strode(course, sizes, orders, meant)
    ends, j = np.cumsum(sizes), np.arange(14) + 1
    assert np.array_equal(course.y, course.stepping.new[:14]) and abs(inside[-1] - course.y).max() < 1e-15
    half, whole = ((ends - rest)[:, None]**j/j - (ends - sizes)[:, None]**j/j for rest in (0.5*sizes, 0.0))
    return abs(half - (inside[1::3] - inside[0::3])), abs(whole - (inside[2::3] - inside[0::3]))


@IN_PYTHON
@pytest.mark.parametrize("k", range(1, 13))
def test_adams_of_order_k_is_exact_for_polynomials_on_any_grid(k):
    sizes = grid(np.random.default_rng(k), k + 10)
    for error in exactness(sizes, [min(i + 1, k) for i in range(len(sizes))]):
        assert error[k:, :k + 1].max() < 2e-13
        assert error[k:, k + 1].max() > 1e-12


def with_crumbs(sizes, places):
    """Sizes of which three are a small part of what was meant, and what was meant"""
    cut = sizes.copy()
    cut[places] *= [1e-9, 1e-12, 1e-2]
    return cut, sizes


@IN_PYTHON
@pytest.mark.parametrize("k", range(1, 13))
def test_crumbs_of_steps_do_no_harm(k):
    sizes, meant = with_crumbs(grid(np.random.default_rng(k), k + 12), [k + 2, k + 6, k + 7])
    for error in exactness(sizes, [min(i + 1, k) for i in range(len(sizes))], meant):
        assert error[k:, :k + 1].max() < 2e-13
        assert error[k:, k + 1].max() > 1e-12


@IN_PYTHON
@pytest.mark.parametrize("k, kept, less", [(k, kept, less) for k in (1, 2, 3, 6, 12)
                                           for less, kept in enumerate((THIS, LOWER, LOWEST)) if k > less])
def test_errors_are_those_of_equal_steps_on_any_grid(k, kept, less):
    """The error of order j in the integral of t^j: j! ERROR[j] h^(j + 1), on equal steps, in closed form"""
    j = k - less
    sizes = grid(np.random.default_rng(k), k + 10)
    atol = np.full(14, 1e200)
    atol[j] = 1.0
    course = Course(powers, nobody(), np.zeros(14), method="adams", atol=atol, rtol=1e-300)
    course.stepping.rate[0] = 1.0
    strode(course, sizes, [min(i + 1, k) for i in range(len(sizes))])
    found = course.stepping.matrix[kept]*math.sqrt(14)
    assert found == pytest.approx(math.factorial(j)*ERROR[j]*sizes[-1]**(j + 1), rel=1e-4)


@IN_PYTHON
def test_abm4_is_exact_for_cubics_on_any_grid():
    course = Course(powers, nobody(), np.zeros(14), method="abm4", atol=1.0)
    course.stepping.rate[0] = 1.0
    sizes, meant = with_crumbs(grid(np.random.default_rng(4), 40), [10, 20, 21])
    inside, t = strode(course, sizes, [0]*40, meant), np.cumsum(sizes)[-1]
    error = abs(course.y - t**(np.arange(14) + 1)/(np.arange(14) + 1))
    assert error[:4].max() < 1e-15 and error[4] > 1e-10
    assert abs(inside[-1] - course.y).max() < 1e-15


@IN_PYTHON
@MULTISTEP
def test_the_look_inside_is_continuous(method):
    rng = np.random.default_rng(7)
    course = Course(circling, nobody(), [1.0, 0.0, 0.0, 1.1], method=method, atol=1.0)
    course.stepping.rate[:4] = 0.0, 1.1, -1.0, 0.0
    inside = strode(course, grid(rng, 60), [min(i + 1, 8) for i in range(60)] if method == "adams" else [0]*60)
    assert abs(inside[2:-1:3] - inside[3::3]).max() < 1e-15
    assert abs(inside[-1] - course.y).max() < 1e-15


# ------------------------------------------------------------------------------------------------------ order and error

def kepler(method, rtol, e=0.3, turns=1, **settings):
    start = [1 - e, 0.0, 0.0, math.sqrt((1 + e)/(1 - e))]
    course = Course(circling, nobody(), start, method=method, rtol=rtol, atol=rtol, **settings)
    assert course.to(turns*2*math.pi) == OK
    return course, abs(course.y - start).max()


def test_abm4_has_order_four():
    errors = [kepler("abm4", 1e9, h_min=h, h_max=h, h_first=h)[1] for h in 2*math.pi/np.array([500, 1000, 2000, 4000])]
    assert np.allclose(np.log2(errors[:-1]) - np.log2(errors[1:]), 4.0, atol=0.1)


def test_abm4_halves_and_doubles():
    course, _ = kepler("abm4", 1e-8, e=0.6, turns=5)
    assert 0 < course.counts["rejected"] < 0.03*course.counts["steps"]
    start = [0.4, 0.0, 0.0, 2.0]
    course = Course(circling, nobody(), start, method="abm4", rtol=1e-8, atol=1e-8, h_first=1e-3)
    assert course.to(5.0, every=True) == OK
    ratio = np.log2(np.diff(course.samples[0])[:-1]/1e-3)
    assert abs(ratio - np.round(ratio)).max() < 1e-6 and len(set(np.round(ratio))) > 2


@pytest.mark.parametrize("most", [1, 2, 5, 12])
def test_the_order_climbs_as_far_as_it_may_on_smooth_problems(most):
    course = Course(turning, nobody(), [1.0, 0.0], method="adams", rtol=1e-12, atol=1e-12, max_order=most)
    highest = 0
    for steps in range(1, 200):
        course.stepping.setting[STEPS_MOST] = steps
        assert course.to(100.0) == TOO_MANY_STEPS
        highest = max(highest, course.stepping.count[ORDER])
    assert highest == most




@pytest.fixture(scope="module")
def three_links():
    """Rate, handle and start of a pendulum of three links that falls from the side."""
    chain = n_pendulum(3)
    return rates.rate(chain.model), handle_of(chain.model, work_of(chain.model), chain.nq), np.zeros(6)


def fall(three_links, method, rtol):
    rate, handle, start = three_links
    course = Course(rate, handle, start, method=method, rtol=rtol, atol=rtol)
    assert course.to(2.0) == OK
    return course


@pytest.mark.parametrize("rtol, share, growth", [(1e-6, 0.8, 300), (1e-9, 0.65, 200), (1e-12, 0.55, 140)])
def test_adams_asks_less_of_a_pendulum_than_dop853(three_links, rtol, share, growth):
    adams, dop853 = fall(three_links, "adams", rtol), fall(three_links, "dop853", rtol)
    assert adams.counts["evaluations"] < share*dop853.counts["evaluations"]
    true = fall(three_links, "dop853", 1e-13).y
    assert abs(adams.y - true).max() < growth*rtol and abs(dop853.y - true).max() < 50*rtol


def test_two_roads_lead_to_one_place(three_links):
    assert abs(fall(three_links, "adams", 1e-13).y - fall(three_links, "dop853", 1e-13).y).max() < 2e-11
    assert kepler("adams", 1e-13, turns=3)[1] < 2e-10 and kepler("dop853", 1e-13, turns=3)[1] < 2e-10


def test_the_error_of_adams_follows_the_tolerance():
    for rtol in 10.0**-np.arange(4, 13):
        course = Course(turning, nobody(), [1.0, 0.0], method="adams", rtol=rtol, atol=rtol)
        assert course.to(10.0) == OK
        assert abs(course.y - [math.cos(10.0), -math.sin(10.0)]).max() < 30*rtol


@MULTISTEP
def test_a_long_run_stays_a_circle(method):
    """Thousands of turns: what is lost of the radius is no more than a local error for each unit of time."""
    course = Course(turning, nobody(), [1.0, 0.0], method=method, rtol=1e-8, atol=1e-8)
    assert course.to(1e4) == OK
    assert abs(math.hypot(*course.y) - 1.0) < 3e-4


@IN_PYTHON
@MULTISTEP
def test_a_first_step_that_is_far_too_long_and_a_jump_nobody_tells_of(method):
    course = Course(stepping_force, nobody(), [0.0, 1.0], method=method, rtol=1e-8, atol=1e-8, h_first=1.0)
    assert course.to(3.0) == OK
    assert abs(course.y - [3.0 + 2.3**2/2, 1.0 + 2.3]).max() < 1e-5
    assert course.counts["rejected"] > 3
    course = Course(turning, nobody(), [1.0, 0.0], method=method, rtol=1e-8, atol=1e-8, h_first=10.0)
    assert course.to(2.0) == OK and abs(course.y - [math.cos(2.0), -math.sin(2.0)]).max() < 1e-6


# -------------------------------------------------------------------------------------------------- events and restarts

@MULTISTEP
def test_events_inside_steps_leave_order_and_step_alone(method):
    settings = {"method": method, "rtol": 1e-9, "atol": 1e-9}
    course = Course(turning, nobody(), [1.0, 0.0], gaps=height, watch=[0], **settings)
    assert course.to(50.0, wanted=np.linspace(0.0, 50.0, 333)) == OK
    plain = Course(turning, nobody(), [1.0, 0.0], **settings)
    assert plain.to(50.0) == OK
    happened, what = course.events
    turns = np.arange(len(happened))
    assert len(happened) == 16 and np.array_equal(what[:, 1], (-1)**(turns + 1))
    late = 2e-7 if method == "adams" else 2e-6
    assert abs(happened - math.pi*(turns + 0.5)).max() < late
    times, states = course.samples
    assert abs(states[:, 0] - np.cos(times)).max() < late
    asked = course.counts["evaluations"] - plain.counts["evaluations"]
    assert 16 <= asked < (16*14 if method == "adams" else 16*22), asked


@IN_PYTHON
@MULTISTEP
def test_a_run_goes_on_from_its_arrays_to_the_bit(method):
    settings = {"gaps": height, "watch": [1], "method": method, "rtol": 1e-9, "atol": 1e-9}
    start = [1.0, 0.0, 0.0, 0.8]
    whole = Course(circling, nobody(), start, **settings)
    assert whole.to(5.0) == OK
    for steps in (1, 2, 3, 5, 8, 21, 55):
        first = Course(circling, nobody(), start, max_steps=steps, **settings)
        assert first.to(5.0) == TOO_MANY_STEPS
        second = Course(circling, nobody(), start, **settings)
        for mine, others in zip(second.stepping, first.stepping):
            mine[:] = others
        second.stepping.setting[STEPS_MOST] = 1e9
        assert second.to(5.0) == OK
        assert second.y.tobytes() == whole.y.tobytes() and second.counts == whole.counts
        assert second.stepping.count[OWN:].tolist() == whole.stepping.count[OWN:].tolist()


# ------------------------------------------------------------------------------------------------ the policy of contact

def touches(height, count):
    """When a body dropped from a height meets its floor and leaves it, the body pressed in as half a swing."""
    v, t, found = math.sqrt(2*GRAVITY*height), math.sqrt(2*height/GRAVITY), []
    for _ in range(count):
        found += [t, t + 2*(math.pi - math.atan(v*STIFF/GRAVITY))/STIFF]
        t = found[-1] + 2*v/GRAVITY
    return np.array(found)


def bounce(method, end=0.3, watch=GAP, **settings):
    handle = nobody()
    course = Course(falling, handle, [0.05, 0.0], gaps=height, switch=touching, watch=[watch], method=method,
                    policy="flight-contact", rtol=1e-9, atol=1e-12, **settings)
    return course, course.to(end, every=True)


@pytest.mark.parametrize("method", ["abm4", "adams", "dopri5", "bs32"])
def test_flight_contact(method):
    course, status = bounce(method)
    happened, what = course.events
    assert status == OK and what[:, 1].tolist() == [-1, 1]
    assert abs(happened - touches(0.05, 1)).max() < 1e-9
    times, (y, v) = course.samples[0], course.samples[1].T
    start, h = times[:-1], np.diff(times)
    moved = h > 0.0
    start, h, y, v = start[moved], h[moved], y[:-1][moved], v[:-1][moved]
    contact = (start >= happened[0]) & (start < happened[1])
    assert h[contact].max() < 1.0001e-7 and np.median(h[contact]) == pytest.approx(1e-7, rel=1e-6)
    flight = ~contact
    fast = np.where(v < 0.0, np.minimum(np.maximum(-y/np.minimum(v, -1e-300), 0.0)*0.1, 1e-3), 1e-3)
    assert np.all(h[flight] <= np.maximum(fast[flight], 1e-7)*1.02)
    assert np.sum(h[flight] > 0.9e-3) > 100
    falling_in = h[(start < happened[0]) & (start > happened[0] - 8e-3)][:-10]
    assert np.all(np.diff(falling_in) < 0.0) and falling_in[-1] < 1e-6
    after = h[start >= happened[1]]
    assert after[0] <= 1.01e-7


def test_the_step_in_contact_may_be_chosen():
    course, status = bounce("abm4", h_min=5e-7)
    assert status == OK and abs(course.events[0] - touches(0.05, 1)).max() < 1e-9
    assert course.counts["steps"] < 1000
    assert course.stepping.setting[H_MIN] == 5e-7 and course.stepping.setting[H_MAX] == 1e-3


@IN_PYTHON
def test_what_rises_or_is_watched_both_ways_is_no_gap():
    steps = {}
    for watch in (1, 0, -1, GAP):
        course, status = bounce("abm4", end=0.10096, watch=watch)
        assert status == OK and len(course.events[0]) == 0
        steps[watch] = course.counts["steps"]
    assert steps[0] == steps[1] < 120 and steps[GAP] == steps[-1] > 150


@pytest.mark.parametrize("settings, sentence", [
    ({"policy": "flight"}, 'policy "flight" is not known; choose from none, flight-contact'),
    ({"policy": "flight-contact", "h_min": 0.0}, "give a step in contact h_min > 0"),
    ({"policy": "flight-contact", "h_max": 1e-9}, "h_max that is not smaller"),
])
def test_policies_that_cannot_be(settings, sentence):
    with pytest.raises(ModelError, match=sentence):
        Course(falling, nobody(), [1.0, 0.0], **settings)

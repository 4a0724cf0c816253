"""Actions of events on closed loops: closures answer a blow at its moment, in any tolerance, stepper and road."""

import numpy as np
import pytest
from numba import cfunc, float64, int64, types

import fastdyn as fd
from fastdyn.status import ACTION_FAILED, STOPPED

NUMBERS = types.CPointer(float64)
LATE = 0.1


def strike(t, q, v, direction):
    v[0] += 1.0


@cfunc(int64(float64, NUMBERS, NUMBERS, int64))
def compiled_strike(t, q, v, direction):
    v[0] += 1.0
    return 1


def blow(action, **words):
    return fd.Event(function=lambda t, q, v: t - LATE, direction="rising", action=action, name="blow", **words)


def struck(chain, q, v):
    """Velocities of (M J'; J 0) (v_after, -P) = (M v, 0), the blow in v."""
    v = v + np.eye(len(v))[0]
    M, J = fd.mass_matrix(chain, q), fd.gap_jacobian(chain, q)
    whole = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
    return np.linalg.lstsq(whole, np.concatenate([M @ v, np.zeros(len(J))]), rcond=1e-13)[0][:len(v)]


@pytest.mark.parametrize("action", [strike, compiled_strike])
@pytest.mark.parametrize("chain", [fd.catalog.four_bar(), fd.catalog.bricard()], ids=["four-bar", "bricard"])
def test_closures_answer_with_impulses(chain, action):
    before = fd.simulate(chain, LATE, rtol=1e-11, atol=1e-13)
    v = struck(chain, before.q[-1], before.v[-1])
    assert np.max(np.abs(fd.gap_jacobian(chain, before.q[-1]) @ v)) < 1e-13
    after = fd.simulate(chain, LATE, q=before.q[-1], v=v, rtol=1e-11, atol=1e-13)
    run = fd.simulate(chain, 2.0*LATE, times=[LATE, 2.0*LATE], events=blow(action), rtol=1e-11, atol=1e-13)
    assert run.ok and np.max(np.abs(run.v[0] - v)) < 1e-10
    assert np.max(np.abs(run.v[-1] - after.v[-1])) < 1e-8 and np.max(np.abs(run.q[-1] - after.q[-1])) < 1e-9


@pytest.mark.parametrize("words", [
    {"rtol": 1e-4}, {"stepper": "dopri5"}, {"stepper": "radau5"}, {"stepper": "adams"}, {"closures": "minimal"},
    {"formulation": "denoc"}])
def test_what_a_blow_does_is_the_same_to_all_steppers_and_roads(words):
    chain = fd.catalog.four_bar()
    fine, run = (fd.simulate(chain, 2.0*LATE, events=blow(strike), **given) for given in ({"rtol": 1e-12}, words))
    assert run.ok and np.max(np.abs(run.v[-1] - fine.v[-1])) < 100.0*words.get("rtol", 1e-6)


def test_a_run_that_stops_and_a_ticker_are_struck_alike():
    chain = fd.catalog.four_bar()
    run = fd.simulate(chain, 1.0, events=blow(strike, terminal=True))
    assert run.status == STOPPED and np.array_equal(run.checkpoint.y[chain.nq:2*chain.nq], run.v[-1])
    assert np.max(np.abs(fd.gap_rates(chain, run.q[-1], run.v[-1]))) < 1e-14 and run.v[-1, 0] < 0.0
    tick = fd.ticker(chain, dt=2.0*LATE, events=blow(strike))
    tick()
    assert np.max(np.abs(tick.v - fd.simulate(chain, 2.0*LATE, events=blow(strike)).v[-1])) < 1e-6


def test_balls_are_turned_before_loops_are_closed():
    """Quaternions that an action leaves longer than one turn as much; a blow of nothing changes nothing."""
    chain = fd.catalog.stewart()

    def longer(t, q, v, direction):
        for _, part in chain.quaternions:
            q[part] *= 3.0

    plain, run = (fd.simulate(chain, 2.0*LATE, events=blow(action), rtol=1e-10) for action in (None, longer))
    assert run.ok and np.max(np.abs(run.q[-1] - plain.q[-1])) < 1e-9


def test_what_no_loop_can_answer_is_refused():
    def away(t, q, v, direction):
        q[0] += 3.0

    run = fd.simulate(fd.catalog.four_bar(), 1.0, events=blow(away))
    assert run.status == ACTION_FAILED and run.t[-1] == LATE and "closure[0] is open by" in run.message
    assert np.max(np.abs(fd.gaps(run.chain, run.q[-1]))) < 1e-12

"""Closures with springs under implicit steppers: their forces are unknowns, and stiffness costs nothing."""

from functools import cache

import numpy as np
import pytest

import fastdyn as fd
from fastdyn._address import SLOPES, address_of, caller, door
from fastdyn._jit import c_array, float64, int64, kernel, pointer, ready
from fastdyn.describe.rrr import rrr_rose
from fastdyn.formulations import recursive
from fastdyn.run.callbacks import Callbacks
from fastdyn.run.plant import Plant
from fastdyn.steppers.desk import call_pulled, call_rate

kernels = pytest.mark.kernels          # not what many steps cost or give: that is minutes without the compiler
stiff = pytest.mark.parametrize("method", ["radau5", "esdirk4"])
LIST, VECTOR = c_array(int64, 1), c_array(float64, 1)
call_slopes = caller(SLOPES)


def rose(k):
    return rrr_rose(method="lvs", ks=k, preloaded=True)


def rods(k=2e3, damping=3.0):
    """A tree in space with ball joints; one closure is held exactly, two are springs with dampers, one joint brakes."""
    links = [fd.Link(name="a", length=1.0, mass=1.0, radius=0.1, joint=fd.Spherical(damping=0.2)),
             fd.Link(name="b", length=0.8, mass=0.5, radius=0.1, joint=fd.Spherical()),
             fd.Link(name="c", parent="base", at=(0.0, 0.9, 0.0), length=1.0, mass=2.0, radius=0.1,
                     joint=fd.Spherical())]
    ties = [fd.Closure(kind="distance", a="a.tip", b="c.tip", length=0.9),
            fd.Closure(kind="distance", a="b.tip", b="c.tip", length=1.2, stiffness=k, damping=damping),
            fd.Closure(kind="ball", a=(1.8, 0.001, 0.0), b="b.tip", stiffness=k)]
    return fd.Chain(links, closures=ties, gravity=(0.0, 0.0, -9.81))


@cache
def stats(method, k, rtol):
    run = fd.simulate(rose(k), 2.0, stepper=method, rtol=rtol, atol=rtol, samples=2).check()
    return run.stats


# -------------------------------------------------------------------------------------------------------- what it costs

@pytest.mark.parametrize("method, rtol", [("radau5", 1e-5), ("radau5", 1e-7), ("esdirk4", 1e-5)])
def test_a_spring_of_any_stiffness_costs_the_same(method, rtol):
    soft = stats(method, 1e3, rtol)
    for k in (1e5, 1e8):
        hard = stats(method, k, rtol)
        assert hard["evaluations"] <= 2*soft["evaluations"] and hard["steps"] <= 2*soft["steps"]
        assert hard["jacobians"] <= 5


def test_stages_of_order_two_cost_esdirk_more_at_tight_tolerances():
    """What is lost is the order along the gaps, not the iteration: steps get shorter, none gets dearer."""
    soft, hard = stats("esdirk4", 1e3, 1e-7), stats("esdirk4", 1e8, 1e-7)
    assert hard["evaluations"] <= 5*soft["evaluations"]
    assert hard["evaluations"]/hard["steps"] <= soft["evaluations"]/soft["steps"] and hard["jacobians"] <= 5


# -------------------------------------------------------------------------------------------------------- what it gives

@stiff
def test_springs_tend_to_rigid_closures_like_the_reciprocal_of_their_stiffness(method):
    rigid = fd.simulate(rrr_rose(), 0.3, stepper="dop853", rtol=1e-11, atol=1e-11, samples=4)
    rtol = 1e-9 if method == "radau5" else 1e-7
    apart = [np.abs(fd.simulate(rose(k), 0.3, stepper=method, rtol=rtol, atol=rtol, samples=4).q - rigid.q).max()*k
             for k in (1e4, 1e5, 1e6)]
    assert max(apart) < 1.2*min(apart) and apart[0] > 10.0


@kernels
@stiff
def test_forces_as_unknowns_move_a_chain_as_an_explicit_stepper_does(method):
    """Ball joints, dampers, works, a closure that is held exactly beside the springs."""
    chain = rods()
    usual = fd.simulate(chain, 0.4, samples=5, rtol=1e-11, atol=1e-12)
    run = fd.simulate(chain, 0.4, stepper=method, samples=5, rtol=1e-8, atol=1e-8)
    assert run.ok and np.allclose(run.q, usual.q, rtol=0, atol=2e-6) and np.allclose(run.v, usual.v, rtol=0, atol=1e-4)
    assert np.abs(run.energy_error).max() < 1e-3 and np.abs(usual.energy_error).max() < 1e-6
    assert np.abs(fd.gaps(chain, run.q[-1])[0]) < 1e-12


@stiff
def test_a_stopped_run_on_springs_goes_on_to_the_bit(method):
    chain, way = rods(1e7, 1e3), {"stepper": method, "rtol": 1e-6, "atol": 1e-6}
    whole = fd.simulate(chain, 0.1, every=True, **way)
    assert whole.ok and whole.stats["steps"] > 20
    for steps in (1, 2, 13):
        part = fd.simulate(chain, 0.1, every=True, max_steps=steps, **way)
        rest = fd.simulate(chain, 0.1, every=True, start=part.checkpoint, **way)
        assert rest.stats == whole.stats
        n = len(rest.t)
        assert np.array_equal(rest.q, whole.q[-n:]) and np.array_equal(rest.v, whole.v[-n:])


@kernels
@stiff
def test_events_are_met_on_stiff_springs(method):
    """A turn of the platform back: where an explicit stepper sees it, with rigid closures."""
    back = fd.Event(function=lambda t, q, v: v[6], direction="falling", name="back")
    rigid = fd.simulate(rrr_rose(), 0.6, events=back, rtol=1e-10, atol=1e-10)
    run = fd.simulate(rose(1e8), 0.6, stepper=method, events=back, rtol=1e-7, atol=1e-7)
    assert len(run.events) == len(rigid.events) > 0
    assert np.allclose(run.events["time"], rigid.events["time"], rtol=0, atol=1e-5)


# -------------------------------------------------------------------------------------------------- what is handed over

@kernel(int64(LIST, int64, float64, VECTOR, VECTOR, VECTOR, VECTOR))
def pulled_by(handle, pulled, t, y, s, dy, e):
    return call_pulled(pulled, door(handle), t, pointer(y), pointer(s), pointer(dy), pointer(e))


@kernel(int64(LIST, int64, float64, VECTOR, VECTOR))
def rate_by(handle, rate, t, y, dy):
    return call_rate(rate, door(handle), t, pointer(y), pointer(dy))


@kernel(int64(LIST, int64, VECTOR, VECTOR))
def slopes_by(handle, slopes, y, out):
    return call_slopes(slopes, door(handle), pointer(y), len(y), pointer(out))


@kernels
@pytest.mark.parametrize("chain", [rods(), rose(1e3)], ids=["space", "plane"])
def test_a_rate_at_given_forces(chain):
    """With the forces springs have it is the rate; it is linear in them; they change as their slopes say."""
    plant = Plant(chain, "recursive", recursive.dense_size(chain.model), Callbacks(chain, ()), takes_forces=True)
    kernels, rng = plant.kernels, np.random.default_rng(3)
    m, pulled, slopes = kernels["forces"], address_of(kernels["pulled"]), address_of(kernels["slopes"])
    q, v = chain.start_state()
    y = np.concatenate([q, v + rng.uniform(-1.0, 1.0, len(v)), np.zeros(len(plant.tolerance(1.0)) - len(q) - len(v))])
    y[:len(q)] += rng.uniform(-1e-2, 1e-2, len(q))
    for _, part in chain.quaternions:
        y[part] /= np.linalg.norm(y[part])

    def at(y, s):
        dy, e = np.zeros(len(y)), np.zeros(m)
        assert ready(pulled_by)(plant.handle, pulled, 0.0, y, s, dy, e) == 0
        return dy, e

    usual = np.zeros(len(y))
    assert ready(rate_by)(plant.handle, address_of(plant.rate), 0.0, y, usual) == 0
    zero, e = at(y, np.zeros(m))
    own, same = at(y, e)
    assert np.array_equal(e, same) and own == pytest.approx(usual, rel=1e-11, abs=1e-9)
    assert at(y, 2*e)[0] - own == pytest.approx(own - zero, rel=1e-9, abs=1e-7)

    given = np.zeros((m, len(y)))
    assert ready(slopes_by)(plant.handle, slopes, y, given.reshape(-1)) == 0
    y[len(q):] = 0.0                                        # at rest, where nothing is left out
    found, h = np.empty_like(given), 1e-6
    for j, step in enumerate(np.eye(len(y))*h):
        found[:, j] = (at(y + step, e)[1] - at(y - step, e)[1])/(2*h)
    assert given == pytest.approx(found, rel=1e-6, abs=1e-3)

"""Lagrange with virtual springs: a road that shares nothing with the recursion, beside others, on all loops."""

import numpy as np
import pytest
from formulations.common import off, within
from formulations.loop_chains import chains, closed_state
from msgspec.structs import replace

import fastdyn as fd
from fastdyn.describe import rrr
from fastdyn.describe.catalog import find
from fastdyn.run.loops import moved
from fastdyn.run.simulate import simulate

CHAINS = chains()
ROADS = "recursive", "denoc", "gibbs-appell", "boltzmann-hamel", "lagrange"


def sprung(chain, stiffness, damping=0.0):
    return chain.replace(closures=[replace(c, stiffness=stiffness, damping=damping) for c in chain.closures])


@pytest.mark.parametrize("name", CHAINS)
def test_springs_as_energy_are_springs_as_wrenches(name):
    """Random states near closed ones, stiff springs with dampers; forward and inverse."""
    rng = np.random.default_rng(len(name))
    chain = sprung(CHAINS[name], 1e5, 30.0)
    q, v = closed_state(CHAINS[name], rng)
    q, v, x = moved(chain, q, 0.1*rng.normal(size=chain.nv)), rng.normal(size=chain.nv), rng.normal(size=chain.nv)
    acc = [fd.forward_dynamics(chain, q, v, x, formulation=road) for road in ROADS]
    assert all(within(off(other, acc[0]), 1e-13) for other in acc[1:])
    torque = [fd.inverse_dynamics(chain, q, v, acc[0], formulation=road) for road in ROADS]
    size = 1e5*np.abs(fd.gaps(chain, q)).max()
    assert all(within(np.abs(other - x).max()/size, 1e-13) for other in torque)


def test_closures_held_exactly_are_held_on_this_road_too():
    chain = CHAINS["two loops"]
    q, v = closed_state(chain, np.random.default_rng(3))
    acc = fd.forward_dynamics(chain, q, v, formulation="lagrange")
    assert within(off(acc, fd.forward_dynamics(chain, q, v)), 1e-11)


@pytest.mark.parametrize("ks", [1e4, 1e8])
def test_roads_along_a_rose(ks):
    """Every road at the same states of a lap, torques of the drives acting: rounding, no more."""
    chain = fd.catalog.rrr_rose("P2", method="lvs", ks=ks)
    (q, v, _), (x, u, _) = rrr.motion(np.linspace(0.0, 2.0, 21), *rrr.CASES["P2"][:1])
    rng = np.random.default_rng(2)
    for t, *state in zip(np.linspace(0.0, 2.0, 21), q.reshape(-1, 6), x, v.reshape(-1, 6), u):
        q, v = np.concatenate(state[:2]) + 1e-3*rng.normal(size=9), np.concatenate(state[2:])
        acc = [fd.forward_dynamics(chain, q, v, t=t, formulation=road) for road in ROADS]
        assert all(within(off(other, acc[0]), 1e-13) for other in acc[1:])


@pytest.mark.parametrize("stepper, ks, rtol", [("dop853", 1e4, 1e-9), ("radau5", 1e8, 1e-6)])
def test_runs_of_both_roads_are_one_motion(stepper, ks, rtol):
    """What rounding grows to in 0.5 s, which a lap multiplies by 12; implicit steps take the forces as unknowns."""
    chain = fd.catalog.rrr_rose("P0", method="lvs", ks=ks, preloaded=True)
    runs = [fd.simulate(chain, 0.5, samples=6, stepper=stepper, rtol=rtol, atol=1e-3*rtol, formulation=road).check()
            for road in ("recursive", "lagrange")]
    assert np.abs(runs[1].q - runs[0].q).max() < rtol
    assert runs[1].stats["steps"] == pytest.approx(runs[0].stats["steps"], rel=0.02)
    assert np.abs(runs[1].energy_error).max() < 100*rtol


def test_what_papers_call_it_is_told_by_what_to_write():
    """And what is to be written does it."""
    chain = fd.catalog.rrr_rose(method="lvs")
    q, v = chain.start_state()
    with pytest.raises(fd.ModelError, match='Lagrange with virtual springs is formulation="lagrange" and'):
        fd.forward_dynamics(chain, q, v, formulation="lvs")
    acc = fd.forward_dynamics(chain, q, v, formulation="lagrange")
    assert within(off(acc, fd.forward_dynamics(chain, q, v, formulation="denoc")), 1e-13)


def test_the_word_of_the_catalog_takes_the_road():
    for method, road in (("lvs", "lagrange"), ("mdenoc", None)):
        _, (words,) = find("rrr-rose", [f"method={method}"], simulate)
        assert words.get("formulation") == road
    _, (words,) = find("rrr-rose", ["method=lvs", "formulation=denoc"], simulate)
    assert words["formulation"] == "denoc"

"""Linkages in space held by multipliers, for a hundred seconds: loops stay closed, energy stays what it is."""

import numpy as np
import pytest
from msgspec.structs import replace

import fastdyn as fd


def platform_on_springs():
    """Six legs whose slides are springs that hold it; it is pushed and turned."""
    chain = fd.catalog.stewart(push=0.0)
    push, = fd.catalog.stewart().links[chain.index("rod1")].joint.drive
    spring = fd.Prismatic(stiffness=2000.0, rest=push.value/2000.0)
    chain = chain.replace(links=[replace(x, joint=spring) if x.name.startswith("rod") else x for x in chain.links])
    v = np.concatenate([np.zeros(18), [0.3, 0.2, 0.1, 0.3, -0.2, 0.5]])
    return chain, *fd.assemble(chain, v=v, hold=["platform"])


def bricard():
    """Falls from rest; one of its gaps is redundant everywhere."""
    chain = fd.catalog.bricard()
    return chain, *chain.start_state()


@pytest.mark.parametrize("rtol", [1e-10, 1e-11])
def test_what_large_steps_leave_of_the_energy_is_their_tolerance(rtol):
    """Of what was kinetic at most: each step a few rtol, to either side; no drift by loops."""
    chain, q, v = bricard()
    run = fd.simulate(chain, 100.0, q, v, every=True, rtol=rtol, atol=rtol/100.0).check()
    change = np.diff(run.energy_change)
    assert np.abs(change).max() < 3.0*rtol and np.abs(run.energy_change).max() < 30.0*rtol
    assert np.abs(change.sum()) < 0.2*np.abs(change).sum()


@pytest.mark.parametrize("system, stepper", [(bricard, "dopri5"), (platform_on_springs, "dop853")])
def test_loops_stay_closed_and_energy_what_it_is(system, stepper):
    chain, q, v = system()
    run = fd.simulate(chain, 100.0, q, v, samples=201, rtol=1e-10, atol=1e-12, stepper=stepper).check()
    assert np.abs(fd.gaps(chain, run.q)).max() < 1e-12 and np.abs(fd.gap_rates(chain, run.q, run.v)).max() < 1e-12
    assert np.abs(run.energy_change).max() < 1e-9
    moved = np.abs(run.q - q).max(axis=1)
    assert moved[150:].max() > 0.5*moved.max() > 0.01   # it has not come to rest

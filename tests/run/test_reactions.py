"""What joints give their links, against Newton and Euler for every body on its own."""

import numpy as np
import pytest
from formulations import free_bodies, zoo
from formulations.common import examples, within
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import chains_in_motion

import fastdyn as fd

pytestmark = [pytest.mark.usefixtures("one_ladder"), pytest.mark.kernels]
with_laws = st.booleans().flatmap(lambda planar: chains_in_motion(planar=planar, laws=True))


def in_link_axes(chain, q, given):
    """(links, 6) of forces and moments from (links, 2, 3) of moments and forces in world axes"""
    return np.array([np.concatenate([p.R.T @ f, p.R.T @ n]) for p, (n, f) in zip(free_bodies.places(chain, q), given)])


def check(chain, q, v, torque, t, wrench, bound):
    got = fd.reactions(chain, q, v, torque, t=t, wrench=wrench)
    acc = fd.forward_dynamics(chain, q, v, torque, t=t, wrench=wrench)
    freely = free_bodies.reactions(chain, q, v, acc, t, wrench)
    size = max(np.abs(freely).max(), 1.0)
    assert got.shape == (len(chain.links), 6)
    assert within(np.abs(got - in_link_axes(chain, q, freely)).max()/size, bound)
    felt = np.concatenate([[(p.R.T @ e) @ r[3:] + (p.R.T @ s) @ r[:3] for e, s in p.freedoms]
                           for p, r in zip(free_bodies.places(chain, q), got)])
    at_work = torque + free_bodies.joint_laws(chain, t, q, v)
    assert within(np.abs(felt - at_work).max()/size, bound)


@pytest.mark.parametrize("held", [True, False])
def test_many_states_of_a_closed_chain_each_with_its_own_closure_forces(held):
    bars = [fd.Link(name=name, length=1.0, mass=1.0) for name in ("crank", "coupler", "rocker")]
    pin = fd.Closure(kind="pin", a=(1.0, 0.0, 0.0), b="rocker.tip", stiffness=None if held else 1e4)
    chain = fd.Chain(bars, closures=[pin])
    q = np.array([fd.assemble(chain, [angle, 0.1 - angle, -1.9], hold=["crank"]) for angle in (1.0, 0.7, 1.3)])
    rates = np.array([[1.0, 0.0, 0.0], [-2.0, 0.0, 0.0], [3.0, 0.0, 0.0]])
    v = np.array([fd.assemble(chain, *state, hold=["crank"])[1] for state in zip(q, rates)])
    torque, wrench = 0.3*rates, np.random.default_rng(1).uniform(-1.0, 1.0, (3, 3, 6))*[1, 1, 0, 0, 0, 1]
    for ask in (fd.reactions, fd.closure_forces):
        got = ask(chain, q, v, torque, wrench=wrench)
        assert all(np.array_equal(got[row], ask(chain, q[row], v[row], torque[row], wrench=wrench[row]))
                   for row in range(3))
        assert not np.array_equal(got[0], got[2])


@settings(max_examples=examples(60))
@given(with_laws)
def test_each_body_on_its_own(case):
    """And along the freedoms of the joint there is what acts there: actuator, spring, damper, limit, drive."""
    check(*case, 0.4, None, 1e-13)


@pytest.mark.parametrize("planar", [False, True])
def test_every_joint_there_is(planar):
    chain = zoo.tree(planar)
    wrench = np.random.default_rng(1).uniform(-3.0, 3.0, (len(chain.links), 6))*([1, 1, 0, 0, 0, 1] if planar else 1.0)
    check(chain, *zoo.motion(chain), 0.7, wrench, 1e-13)


def test_a_hanging_rod():
    """2 kg at rest under 9.81 m/s^2: the joint holds 19.62 N up, along the link's -x; nothing else."""
    chain = fd.Chain([fd.Link(length=1.0, mass=2.0)])
    held = fd.reactions(chain, [-np.pi/2], [0.0])
    assert held[0] == pytest.approx([-19.62, 0.0, 0.0, 0.0, 0.0, 0.0], abs=1e-14)

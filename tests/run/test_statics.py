"""Forces that come from an energy: what holds a chain still is the slope of its potential energy."""

import numpy as np
import pytest
from formulations.common import examples, off, within
from formulations.described import changed, undriven
from formulations.free_bodies import moved, rate_of
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import chains_in_motion

import fastdyn as fd
from fastdyn import Body, Chain, Link, Prismatic, Revolute, Spherical, Universal

pytestmark = [pytest.mark.usefixtures("one_ladder"), pytest.mark.kernels]
with_laws = st.booleans().flatmap(lambda planar: chains_in_motion(planar=planar, laws=True))


def resting(chain):
    """The chain without loads and drives."""
    return chain.replace(links=[changed(undriven(link), loads=()) for link in chain.links])


def apart_from_kinks(chain, q):
    for link in chain.links:
        joint, a = link.joint, q[chain.q_slice(link.name)]
        if isinstance(joint, Revolute | Prismatic | Universal):
            limits = [x for pair in (joint.lower, joint.upper) if pair is not None for x in np.atleast_1d(pair)]
            if any(abs(x - limit) < 0.02 for x in a for limit in limits):
                return False
        elif isinstance(joint, Spherical) and abs(a[0]) < 0.01:
            return False
    return True


@settings(max_examples=examples(60))
@given(with_laws)
def test_static_torques_are_the_slope_of_the_potential_energy(case):
    """Gravity, springs of all kinds and limits at once."""
    chain, q, _, _ = case
    assume(apart_from_kinks(chain, q))
    chain = resting(chain)
    ways = np.eye(chain.nv)
    slope = np.array([rate_of(lambda t, e=e: fd.potential_energy(chain, moved(chain, q, e, t))) for e in ways])
    held = fd.inverse_dynamics(chain, q, np.zeros(chain.nv), np.zeros(chain.nv))
    size = max(np.abs(slope).max(), abs(fd.potential_energy(chain, q)), 1.0)
    assert within(np.abs(held - slope).max()/size, 1e-11)


def test_springs_in_numbers():
    """k (q - rest) inside the limits, and k_l (q - limit) on top beyond them; quadratic energies."""
    words = {"stiffness": 2.0, "rest": 0.5, "lower": -1.0, "upper": 1.0, "limit_stiffness": 10.0, "limit_damping": 3.0}
    chain = Chain([Link(length=1.0, mass=1.0, joint=Revolute(damping=0.25, **words))], gravity=(0.0, 0.0, 0.0))
    for q, v, torque, energy in ((0.5, 0.0, 0.0, 0.0), (0.0, 2.0, 1.0 - 0.5, 0.25), (2.0, 0.0, -3.0 - 10.0, 2.25 + 5.0),
                                 (-1.5, 1.0, 4.0 + 5.0 - 0.25 - 3.0, 4.0 + 1.25), (1.0, 1.0, -1.0 - 0.25, 0.25)):
        assert fd.inverse_dynamics(chain, [q], [v], [0.0])[0] == -torque
        assert fd.potential_energy(chain, [q]) == energy


@pytest.mark.parametrize("angle", [0.0, 1e-9, 0.3, 2.0, 3.1])
@pytest.mark.parametrize("length", [1.0, -1.0, 3.0])
def test_a_ball_joint_springs_back_the_shorter_way(angle, length):
    axis = np.array([0.6, 0.0, 0.8])
    q = length*np.array([np.cos(angle/2), *(np.sin(angle/2)*axis)])
    chain = Chain([Link(length=1.0, mass=1.0, radius=0.1, joint=Spherical(stiffness=2.0))], gravity=(0.0, 0.0, 0.0))
    held = fd.inverse_dynamics(chain, q, np.zeros(3), np.zeros(3))
    assert within(off(held, 2.0*angle*axis), 4e-15)
    assert within(off(fd.potential_energy(chain, q), angle**2), 4e-15)


def test_a_ball_joint_is_braked_in_every_direction_alike():
    body, v = Body.sphere(0.2, 1.0), np.array([1.0, -2.0, 0.5])
    chain = Chain([Link(body=body, joint=Spherical(damping=0.5))], gravity=(0.0, 0.0, 0.0), space="space")
    assert fd.inverse_dynamics(chain, [0.5, 0.5, 0.5, 0.5], v, np.zeros(3)).tolist() == (0.5*v).tolist()

"""Momenta over a run and what the base feels: Newton's and Euler's laws for the whole, for the ground, for the box."""

import numpy as np
import pytest
from formulations.common import off, within
from formulations.zoo import motion, tree
from strategies import random_chain, random_state

import fastdyn as fd
from fastdyn.describe.catalog import falling_chain, n_pendulum, space_arm
from fastdyn.results.run import Run

pytestmark = pytest.mark.usefixtures("one_ladder")
TIGHT = {"rtol": 1e-11, "atol": 1e-13}


def rates(run, links):
    """d/dt of linear momentum and of angular momentum about the world's origin of some links, by Newton and Euler"""
    chain, force, moment = run.chain, np.zeros((len(run.t), 3)), np.zeros((len(run.t), 3))
    for row, (t, q, v) in enumerate(zip(run.t, run.q, run.v)):
        acc = fd.forward_dynamics(chain, q, v, t=float(t))
        for name in links:
            body = chain.links[chain.index(name)].rigid_body
            a, al = fd.acceleration(chain, q, v, acc, name, body.com)
            _, w = fd.velocity(chain, q, v, name)
            R = fd.orientation(chain, q, name)
            I = R @ np.array(body.inertia) @ R.T
            force[row] += body.mass*a
            moment[row] += I @ al + np.cross(w, I @ w) + np.cross(fd.position(chain, q, name, body.com), body.mass*a)
    return force, moment


@pytest.fixture(scope="module")
def arm():
    return fd.simulate(space_arm(), 4.0, samples=41, **TIGHT)


@pytest.fixture(scope="module")
def hanging():
    chain = random_chain(np.random.default_rng(6), 3, "spherical", gravity=(0.0, 0.0, -9.81))
    return fd.simulate(chain, 0.5, *random_state(np.random.default_rng(7), chain), samples=51, **TIGHT)


def test_momenta_are_those_of_single_states(hanging):
    point = np.array([0.3, -0.2, 0.5])
    found = fd.momenta(hanging, point)
    for row in (0, 25, 50):
        P, H = fd.momentum(hanging.chain, hanging.q[row], hanging.v[row])
        c = fd.mass_center(hanging.chain, hanging.q[row])
        for got, expected in zip(found, (P, H - np.cross(c, P), H - np.cross(point, P), c)):
            assert np.array_equal(got[row], expected)
    assert np.array_equal(fd.momenta(hanging).about_point, fd.momentum(hanging.chain, hanging.q, hanging.v)[1])


def test_a_drive_inside_leaves_the_momenta_of_what_floats():
    """Torques of the user's own law between the links"""
    def drive(t, q, v, torque, wrench):
        torque[6:] += 3.0*np.sin(2*t) - 2.0*v[6:] + [1.0, -2.0, 0.5]*(len(v)//3 - 2)

    chain = space_arm(2, torque=0.0, stiffness=0.0, damping=0.0).replace(drive=drive)
    _, v = random_state(np.random.default_rng(3), chain, speed=0.3)
    run = fd.simulate(chain, 1.0, v=v, samples=21, **TIGHT)
    found = fd.momenta(run)
    assert np.ptp(run.kinetic) > 1.0
    for x in (found.linear, found.about_center):
        assert within(off(x, np.broadcast_to(x[0], x.shape)), 1e-11)


def test_weight_and_the_base_change_the_momenta(hanging):
    """What the ground feels is weight less the rate of momentum; its moment about the origin likewise."""
    found, felt = fd.momenta(hanging), fd.base_reaction(hanging)
    mass = sum(link.rigid_body.mass for link in hanging.chain.links)
    weight = mass*np.array([0.0, 0.0, -9.81])
    force, moment = rates(hanging, hanging.chain.link_names)
    assert within(off(felt[:, :3], weight - force), 1e-12)
    assert within(off(felt[:, 3:], np.cross(found.center, weight) - moment, least=10.0), 1e-12)
    assert within(np.abs(felt[:, 3:]).max()/np.abs(felt[:, :3]).max(), 1e-13)     # a ball joint at the origin


def test_the_box_feels_what_its_arm_does(arm):
    """Newton and Euler for the box alone, its mass centre its origin"""
    felt, (force, moment) = fd.base_reaction(arm), rates(arm, ["box"])
    places = np.array([fd.position(arm.chain, q, "box") for q in arm.q])
    assert within(off(felt[:, :3], force), 1e-11)
    assert within(off(felt[:, 3:], moment - np.cross(places, force)), 1e-11)


def test_joint_torques_are_what_turns_the_box_at_rest(arm):
    """At the start, straight and at rest: the drive about z, 80 N m, comes back from the arm to the box."""
    felt = fd.base_reaction(arm)[0]
    acc = fd.forward_dynamics(arm.chain, arm.q[0], arm.v[0], t=0.0)
    assert within(abs(felt[5] - acc[5]*100.0/6), 1e-12*80.0) and felt[5] < -1.0


def test_a_pendulum_hangs_with_its_weight():
    chain = n_pendulum(3, mass=2.0, angle=0.0)
    run = fd.simulate(chain, 0.1, samples=3)
    assert within(np.abs(fd.base_reaction(run) - [0.0, -2.0*9.81, 0.0, 0.0, 0.0, 0.0]).max(), 1e-12)


def test_branches_of_a_floating_tree_add_up():
    chain = tree(laws=False).replace(gravity=(0.0, 0.0, 0.0))
    q, v, _ = motion(chain)
    run = fd.simulate(chain, 1e-3, q, v, samples=2)
    felt = fd.base_reaction(run)[0]
    hub, acc = chain.links[0].body, fd.forward_dynamics(chain, run.q[0], run.v[0])
    u, w, a, al = run.v[0][:3], run.v[0][3:6], acc[:3], acc[3:6]
    c, I = np.array(hub.com), np.array(hub.inertia)
    force = hub.mass*(a + np.cross(w, u) + np.cross(al, c) + np.cross(w, np.cross(w, c)))
    moment = I @ al + np.cross(w, I @ w) + np.cross(c, force)
    R = fd.orientation(chain, run.q[0], "hub")
    assert within(off(felt, np.concatenate([R @ force, R @ moment])), 1e-11)


def test_chains_that_meet_grounds_are_refused():
    chain = falling_chain(m=0)
    run = Run(chain, np.zeros(1), *(x[None] for x in chain.start_state()))
    with pytest.raises(fd.ModelError, match=r"^the chain has ground\[0\]"):
        fd.base_reaction(run)

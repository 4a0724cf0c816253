"""Arms of rigid links against the rigid spatial chains of this package."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import fastdyn as fd
from fastdyn.arms import (
    Body, FlexibleLink, Joint, Link, SpatialArm, accelerations, modified_dh, recursive_system, system)
from fastdyn.arms.compile import compiled
from fastdyn.arms.layout import work_for
from fastdyn.status import ModelError


def pair(rng, n):
    """The same arm in both words: joints turned anyhow, bodies with any inertia."""
    ours, theirs, at = [], [], np.zeros(3)
    for _ in range(n):
        turn = Rotation.random(rng=rng)
        tip, com, mass = rng.normal(size=3), rng.normal(size=3), rng.uniform(0.5, 3.0)
        place, A = rng.normal(size=3), rng.normal(size=(3, 3))
        S = A @ A.T + 0.1*np.eye(3)
        I = np.trace(S)*np.eye(3) - S
        I = 0.5*(I + I.T)
        ours.append(Link(Joint(turn=tuple(map(tuple, turn.as_matrix().tolist())), place=tuple(place.tolist())),
                         tip=tuple(tip), proximal=(Body(mass, tuple(com), tuple(map(tuple, I))),)))
        x, y, z, w = turn.as_quat()
        theirs.append(fd.Link(joint=fd.Revolute(), at=tuple((at + place).tolist()), turn=(w, x, y, z),
                              body=fd.Body(mass=mass, com=tuple(com.tolist()), inertia=tuple(map(tuple, I.tolist())))))
        at = tip
    g = (0.3, -9.81, 1.2)
    return SpatialArm(tuple(ours), g), fd.Chain(theirs, gravity=g, space="space")


@pytest.mark.parametrize("road", [system, recursive_system])
@pytest.mark.parametrize("n", [1, 2, 5, 7])
def test_accelerations_are_those_of_a_rigid_chain(n, road):
    rng = np.random.default_rng(n)
    arm, chain = pair(rng, n)
    model = compiled(arm)
    work = work_for(model)
    for _ in range(5):
        q, v, acc = rng.uniform(-3, 3, n), rng.normal(size=n), np.empty(n)
        assert road.accelerate(model, work, 0.0, q, v, np.zeros(0), acc) == 0
        expected = fd.forward_dynamics(chain, q, v, np.zeros(n))
        assert np.abs(acc - expected).max() < 1e-9*np.abs(expected).max()


@pytest.mark.parametrize("formulation", ["recursive", "lagrange"])
def test_a_very_stiff_arm_is_a_rigid_chain(formulation):
    """Bent only so far as holds it in its shape, d'' = 0: some 1e-12 m."""
    rng, n, L, rho, J, modes = np.random.default_rng(3), 3, 1.2, 2.0, 5e-3, (1, 2, 2, 1)
    beam = FlexibleLink(L, rho, 1e14, 1e14, 1e14, 1e14, J, J, modes)
    C = Rotation.random(rng=rng)
    tip = Body(0.7, (0.1, -0.2, 0.05), ((0.05, 0.01, -0.02), (0.01, 0.06, 0.005), (-0.02, 0.005, 0.04)))
    g, place = (0.3, -9.81, 1.2), (0.1, 0.2, -0.1)
    arm = SpatialArm(tuple(Link(Joint(tuple(map(tuple, C.as_matrix().tolist())), place), beam, distal=(tip,))
                           for _ in range(n)), g)
    centre = rho*L*L/2.0 + tip.mass*(L + tip.com[0])
    mass, com = rho*L + tip.mass, np.array([centre, *np.multiply(tip.mass, tip.com[1:])])/(rho*L + tip.mass)
    across = J*L + rho*L**3/12.0
    I = np.diag([2.0*J*L, across, across]) + np.array(tip.inertia)
    for m, at in ((rho*L, (L/2.0, 0.0, 0.0)), (tip.mass, (L + tip.com[0], *tip.com[1:]))):
        r = np.array(at) - com
        I += m*(r @ r*np.eye(3) - np.outer(r, r))
    x, y, z, w = C.as_quat()
    chain = fd.Chain([fd.Link(joint=fd.Revolute(), at=tuple(np.add(place, (L*(k > 0), 0.0, 0.0)).tolist()),
                              turn=(w, x, y, z), body=fd.Body(mass=mass, com=tuple(com), inertia=tuple(map(tuple, I))))
                      for k in range(n)], gravity=g, space="space")
    bends = np.array([name[0] == "d" for name in arm.names])
    q, v = rng.uniform(-2.0, 2.0, len(bends))*~bends, rng.normal(size=len(bends))*~bends
    step = 1e-12

    def answer(q):
        return accelerations(arm, q, v, formulation=formulation)

    still = answer(q)
    slopes = np.array([(answer(q + step*unit) - still)[bends]/step for unit in np.eye(len(q))[bends]]).T
    for _ in range(3):
        q[bends] -= np.linalg.solve(slopes, answer(q)[bends])
    expected = fd.forward_dynamics(chain, q[~bends], v[~bends], np.zeros(n))
    found = answer(q)
    assert 0.0 < np.abs(q[bends]).max() < 1e-11
    assert np.abs(found[~bends] - expected).max() < 1e-9*np.abs(expected).max()
    assert np.abs(still[~bends] - expected).max() > 1e-3*np.abs(expected).max()


def test_denavit_and_hartenberg():
    joint = modified_dh(0.7, 0.3)
    assert np.array(joint.turn) @ [0.0, 0.0, 0.3] == pytest.approx(joint.place)
    assert np.array(joint.turn)[:, 0] == pytest.approx([1.0, 0.0, 0.0])
    with pytest.raises(ModelError, match="rotation"):
        SpatialArm((Link(Joint(turn=((1.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 1.0)))),))

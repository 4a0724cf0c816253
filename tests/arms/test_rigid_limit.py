"""Arms of rigid links against the rigid spatial chains of this package."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import fastdyn as fd
from fastdyn.arms import Body, Joint, Link, SpatialArm, modified_dh, system
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


@pytest.mark.parametrize("n", [1, 2, 5, 7])
def test_accelerations_are_those_of_a_rigid_chain(n):
    rng = np.random.default_rng(n)
    arm, chain = pair(rng, n)
    model = compiled(arm)
    work = work_for(model)
    for _ in range(5):
        q, v, acc = rng.uniform(-3, 3, n), rng.normal(size=n), np.empty(n)
        assert system.accelerate(model, work, 0.0, q, v, np.zeros(0), acc) == 0
        expected = fd.forward_dynamics(chain, q, v, np.zeros(n))
        assert np.abs(acc - expected).max() < 1e-9*np.abs(expected).max()


def test_denavit_and_hartenberg():
    joint = modified_dh(0.7, 0.3)
    assert np.array(joint.turn) @ [0.0, 0.0, 0.3] == pytest.approx(joint.place)
    assert np.array(joint.turn)[:, 0] == pytest.approx([1.0, 0.0, 0.0])
    with pytest.raises(ModelError, match="rotation"):
        SpatialArm((Link(Joint(turn=((1.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 1.0)))),))

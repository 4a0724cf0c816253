"""Driven closed loops: torques of the drives, weights, paths, singular poses, refusals."""

import numpy as np
import pytest
from msgspec.structs import replace

import fastdyn as fd
from fastdyn.describe import rrr
from fastdyn.status import ModelError

LEGS = ("I1", "II1", "III1")
PIN = {"kind": "pin", "a": (1.0, 0.0, 0.0), "b": "rocker.tip"}


@pytest.fixture(scope="module")
def robot():
    return fd.catalog.rrr_rose("P2")


@pytest.fixture(scope="module")
def window():
    """A parallelogram that lies along the ground at zero"""
    bars = [fd.Link(name=name, length=1.0, mass=1.0) for name in ("crank", "coupler", "rocker")]
    return fd.Chain([*bars[:2], fd.Link(name="rocker", parent="base", at=(1.0, 0.0, 0.0), length=1.0, mass=1.0)],
                    closures=[fd.Closure(kind="pin", a="coupler.tip", b="rocker.tip")])


def along_the_rose(t):
    (q, v, acc), platform = rrr.motion([t], 0.10)
    return [np.concatenate([legs[0].ravel(), rest[0]]) for legs, rest in zip((q, v, acc), platform)]


def without_drives(chain):
    return chain.replace(links=tuple(replace(x, joint=fd.Revolute()) if x.name in LEGS else x for x in chain.links))


def test_torques_of_the_robot(robot):
    wanted, _ = rrr.inverse_dynamics([0.3], *rrr.CASES["P2"])
    chain, (q, v, acc) = without_drives(robot), along_the_rose(0.3)
    torque = fd.drive_torques(chain, q, v, acc, LEGS)
    assert np.allclose(torque[[0, 2, 4]], wanted[0], atol=1e-11) and np.all(torque[[1, 3, 5, 6, 7, 8]] == 0.0)
    assert np.allclose(fd.forward_dynamics(chain, q, v, torque), acc, atol=1e-10)


def test_redundant_drives_share_by_their_weights(robot):
    chain, (q, v, acc) = without_drives(robot), along_the_rose(0.3)
    names, at = (*LEGS, "I2", "II2"), [0, 2, 4, 1, 3]
    weights = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    torque = fd.drive_torques(chain, q, v, acc, names, weights=weights)
    assert np.allclose(fd.forward_dynamics(chain, q, v, torque), acc, atol=1e-10)
    other = fd.drive_torques(chain, q, v, acc, LEGS)
    change = (other - torque)[at]                       # does nothing to the motion: least torques do not lean on it
    assert abs(change @ (weights*torque[at])) < 1e-10*np.linalg.norm(change)*np.linalg.norm(weights*torque[at])
    assert weights @ torque[at]**2 < weights @ other[at]**2


def test_too_few_drives_are_told(robot):
    chain, (q, v, acc) = without_drives(robot), along_the_rose(0.3)
    with pytest.raises(ModelError, match="is left that no drive moves"):
        fd.drive_torques(chain, q, v, acc, LEGS[:2])
    with pytest.raises(ModelError, match="give the names of the links"):
        fd.drive_torques(chain, q, v, acc, "I1")


def test_the_robot_follows_its_path(robot):
    t = np.linspace(0.0, 0.5, 26)
    x, _, _ = rrr.rose(t, 0.10)
    places = np.column_stack([x, np.zeros(len(t))])
    found = fd.follow(robot, "platform", places, angles=np.zeros(len(t)), q=along_the_rose(0.0)[0])
    wanted = rrr.inverse_kinematics(x).reshape(len(t), 6)
    assert np.abs(np.exp(1j*found[:, :6]) - np.exp(1j*wanted)).max() < 1e-11
    with pytest.raises(ModelError, match=r"places\[1\].*out of reach"):
        fd.follow(robot, "platform", [places[0], (3.0, 0.0, 0.0)])


def test_singular_poses(robot, window):
    q, _, _ = along_the_rose(0.3)
    inside = fd.singularity(robot, q, LEGS, "platform")
    assert inside.freedoms == 3 and inside.drives > 0.01 and inside.output > 0.1
    folded = fd.singularity(window, [1e-7, -1e-7, 1e-7], ["crank"])
    assert folded.freedoms == 1 and fd.singularity(window, np.zeros(3), ["crank"]).freedoms == 2
    assert fd.singularity(window, np.zeros(3), ["crank"]).drives == 0.0         # locked, it could still fold
    assert fd.singularity(robot, q, LEGS[:2]).drives == 0.0


def test_a_stretched_leg_is_of_type_1():
    """With its two bars nearly in line the tip of an arm hardly moves along them: the measure goes with the bend."""
    arm = fd.Chain([fd.Link(name=name, length=1.0, mass=1.0) for name in ("upper", "fore")])
    measures = [fd.singularity(arm, [0.3, bend], ["upper", "fore"], "fore", (1.0, 0.0, 0.0)) for bend in (1e-2, 1e-3)]
    assert measures[0].output == pytest.approx(10.0*measures[1].output, rel=1e-3) and measures[1].output < 1e-3
    assert measures[0].drives == pytest.approx(measures[1].drives, rel=1e-3) and measures[1].drives > 0.01


def test_assembly_takes_the_guess_and_holds_joints():
    bars = [fd.Link(name=name, length=1.0, mass=1.0) for name in ("crank", "coupler", "rocker")]
    chain = fd.Chain(bars, closures=[fd.Closure(**PIN)])
    up, down = (fd.assemble(chain, [1.0, *guess], hold=["crank"]) for guess in ((-1.1, -1.9), (2.2, -1.5)))
    assert up[0] == down[0] == 1.0 and up[1] < 0.0 < down[1]
    assert max(np.abs(fd.gaps(chain, q)).max() for q in (up, down)) < 1e-12
    q, v = fd.assemble(chain, up, [2.0, 0.0, 0.0], hold=["crank"])
    assert v[0] == 2.0 and np.abs(fd.gap_rates(chain, q, v)).max() < 1e-12


@pytest.mark.parametrize("given, said", [
    ({"a": (9.0, 0.0, 0.0)}, r"closure\[0\] cannot be closed from here: .* m is the least gap"),
    ({"name": "last pin", "a": (0.0, 9.0, 0.0)}, r'closure\[0\] "last pin" cannot be closed'),
])
def test_loops_that_cannot_close(given, said):
    bars = [fd.Link(name=name, length=1.0, mass=1.0) for name in ("crank", "coupler", "rocker")]
    with pytest.raises(ModelError, match=said):
        fd.assemble(fd.Chain(bars, closures=[fd.Closure(**PIN | given)]), [0.3, 0.2, 0.1])


def test_open_starts_are_refused():
    bars = [fd.Link(name=name, length=1.0, mass=1.0) for name in ("crank", "coupler", "rocker")]
    chain = fd.Chain(bars, closures=[fd.Closure(**PIN)])
    with pytest.raises(ModelError, match=r"closure\[0\] is open by .* at the start"):
        fd.simulate(chain, 1.0)
    q = fd.assemble(chain, [1.0, -1.1, -1.9])
    with pytest.raises(ModelError, match=r"closure\[0\] opens with .* m/s at the start"):
        fd.simulate(chain, 1.0, q, [1.0, 0.0, 0.0])

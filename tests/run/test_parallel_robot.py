"""The 3RRR robot: its symmetries, working modes, and what springs cost and err, beside runs of another program."""

import json
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

import fastdyn as fd
from fastdyn.describe import rrr
from fastdyn.reproduce.rrr import errors

REFERENCE = json.loads((Path(__file__).parents[1]/"reference"/"parallel_robot"/"errors_vs_ks.json").read_text())
DRIVEN = [0, 2, 4]


@pytest.fixture(scope="module", params=["denoc", "mdenoc"])
def robot(request):
    """Without drives, in a horizontal plane"""
    chain = fd.catalog.rrr_rose("P0", method=request.param, ks=None if request.param == "denoc" else 1e5)
    links = [replace(link, joint=fd.Revolute()) if link.name.endswith("1") else link for link in chain.links]
    return chain.replace(links=tuple(links))


@pytest.fixture(scope="module")
def moving(robot):
    """A state in which loops are closed, and torques of the drives"""
    rng = np.random.default_rng(4)
    place, turn = np.array([0.04, -0.03]), 0.2
    guess = np.concatenate([rrr.inverse_kinematics(place, turn).ravel(), place, [turn]])
    exact = robot.replace(closures=[replace(c, stiffness=None) for c in robot.closures])
    q, v = fd.assemble(exact, guess, np.concatenate([np.zeros(6), rng.normal(size=3)]), hold=["platform"])
    if robot.closures[0].stiffness is not None:
        q = q + 1e-2*rng.normal(size=9)                 # springs pull
    torque = np.zeros(9)
    torque[DRIVEN] = rng.normal(size=3)
    return q, v, torque


def turned(x, by=0.0):
    """What a turn of the whole by 120 degrees makes of coordinates or rates: legs I, II, III become II, III, I."""
    c, s = np.cos(2*np.pi/3), np.sin(2*np.pi/3)
    legs = np.roll(x[:6].reshape(3, 2), 1, axis=0) + np.array([by, 0.0])
    return np.concatenate([legs.ravel(), [c*x[6] - s*x[7], s*x[6] + c*x[7], x[8]]])


def mirrored(x, half=0.0):
    """What a mirror at the y axis makes of them: legs I and II change places, all elbows the side."""
    legs = np.array([half, 0.0]) - x[:6].reshape(3, 2)[[1, 0, 2]]
    return np.concatenate([legs.ravel(), [-x[6], x[7], -x[8]]])


@pytest.mark.parametrize("change, of_q", [(turned, 2*np.pi/3), (mirrored, np.pi)])
def test_symmetries(robot, moving, change, of_q):
    q, v, torque = moving
    acc = fd.forward_dynamics(robot, q, v, torque)
    there = fd.forward_dynamics(robot, change(q, of_q), change(v), change(torque))
    assert np.allclose(there, change(acc), rtol=0.0, atol=1e-11*np.abs(acc).max())
    size, size_there = (np.linalg.norm(fd.gaps(robot, x)) for x in (q, change(q, of_q)))
    assert size_there == pytest.approx(size, abs=1e-12)


@pytest.mark.parametrize("case, elbows", [("P0", "+-+"), ("P0", "--+"), ("P2", "---")])
def test_working_modes_follow_the_rose(case, elbows):
    chain = fd.catalog.rrr_rose(case, elbows=elbows)
    signs = [1.0 if sign == "+" else -1.0 for sign in elbows]
    assert np.all(np.sign(np.sin(chain.start_q[1:6:2])) == signs)
    t = 0.3
    (q, v, acc), platform = rrr.motion([t], rrr.CASES[case][0], signs)
    q, v, acc = (np.concatenate([legs.ravel(), rest[0]]) for legs, rest in zip((q, v, acc), platform))
    assert np.allclose(fd.forward_dynamics(chain, q, v, t=t), acc, rtol=0.0, atol=1e-10)
    found = fd.follow(chain, "platform", [[*q[6:8], 0.0]], angles=[0.0])
    assert np.abs(np.exp(1j*found[0, :6]) - np.exp(1j*q[:6])).max() < 1e-11


def test_modes_that_cannot_be():
    with pytest.raises(fd.ModelError, match=r"elbows is '\+\+'; give a \+ or - for each of the three legs"):
        fd.catalog.rrr_rose(elbows="++")
    with pytest.raises(fd.ModelError, match=r"in working mode \+-\+ the robot meets a singular pose on this rose"):
        fd.catalog.rrr_rose("P2", elbows="+-+")


def differ(case, ks, preloaded):
    """Whether greatest errors of 600 states of a run are others than those of the other program, by logarithms."""
    chain, rtol = fd.catalog.rrr_rose(case, method="mdenoc", ks=ks, preloaded=preloaded), 1e-10 if ks < 1e8 else 1e-9
    run = fd.simulate(chain, 6.0, samples=601, rtol=rtol, atol=0.01*rtol).check()
    wanted = REFERENCE[case][f"1e{round(np.log10(ks))}"]["exact_preloaded" if preloaded else "exact"]
    near = 1e-5 if ks <= 1e6 else 0.01                  # the stiffest ring through 1e5 steps of theirs
    return np.log(errors(run, rrr.CASES[case][0])) != pytest.approx([wanted["e_c"], wanted["e_p"]], abs=near)


@pytest.mark.parametrize("case, ks", [*(("P0", 10.0**n) for n in range(1, 9)), *(("P1", 10.0**n) for n in range(1, 7))])
def test_errors_are_those_of_another_program(case, ks):
    """Of a closed start, whose springs ring; soft ones let the platform go anywhere, the same way."""
    assert not differ(case, ks, False)


@pytest.mark.parametrize("case, ks", [*(("P0", ks) for ks in (1e5, 1e6, 1e7, 1e8)), ("P1", 1e5), ("P1", 1e6)])
def test_preloaded_errors_are_those_of_another_program(case, ks):
    assert not differ(case, ks, True)


def test_explicit_steps_go_with_the_root_of_the_stiffness():
    steps = [fd.simulate(fd.catalog.rrr_rose("P0", method="mdenoc", ks=ks), 1.0, samples=2, stepper="dopri5", rtol=1e-3,
                         atol=1e-6).check().stats["steps"] for ks in (1e5, 1e6, 1e7)]
    assert np.diff(np.log10(steps)) == pytest.approx([0.5, 0.5], abs=0.1)

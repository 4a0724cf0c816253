"""Closed loops against published and converged numbers: the 3RRR robot, Andrews' squeezer, the library of IFToMM."""

import json
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

import fastdyn as fd
from fastdyn.describe import rrr

FOLDER = Path(__file__).parents[1]/"reference"/"parallel_robot"
ROSE, RIGID, SPRUNG, ANDREWS, WINDOWS = (
    json.loads((FOLDER/f"{name}.json").read_text())
    for name in ("rose_inverse", "forward_rigid", "virtual_spring", "andrews", "n_four_bar"))


def joint_forces(chain, q, v, t=0.0):
    """(ground to leg, within the leg, leg to platform), each (3, 2), N, world axes"""
    turns = [fd.orientation(chain, q, link.name) for link in chain.links]
    joints = np.array([R @ w[:3] for R, w in zip(turns, fd.reactions(chain, q, v, t=t))])[:, :2]
    return joints[0:6:2], joints[1:6:2], -fd.closure_forces(chain, q, v, t=t)[:, :2]


def driven(gravity, drives):
    """The robot with other drives."""
    chain = fd.catalog.rrr_rose("P2" if gravity else "P0")
    joints = iter(drives)
    links = [replace(link, joint=fd.Revolute(drive=next(joints))) if link.name in ("I1", "II1", "III1") else link
             for link in chain.links]
    return chain.replace(links=tuple(links))


def with_platform(chain, state):
    """(q, v) of the whole from (x, y, phi and rates) of the platform."""
    q = np.concatenate([rrr.inverse_kinematics(np.array(state[:2]), state[2]).ravel(), state[:3]])
    return fd.assemble(chain, q, np.concatenate([np.zeros(6), state[3:]]), hold=["platform"])


@pytest.mark.parametrize("case", ROSE)
def test_torques_along_the_rose(case):
    chain = fd.catalog.rrr_rose(case)
    r0, gravity = rrr.CASES[case]
    for row in ROSE[case]:
        t = np.array([row["t"]])
        torque, force = rrr.inverse_dynamics(t, r0, gravity)
        assert np.abs(torque[0] - row["tau_mp"]).max() < 1e-12 and np.abs(force[0] - row["F2"]).max() < 1e-12
        (q, v, acc), (x, u, a) = (np.array(part)[:, 0] for part in rrr.motion(t, r0))
        q, v, acc = (np.concatenate([legs.ravel(), platform]) for legs, platform in zip((q, v, acc), (x, u, a)))
        assert np.allclose(fd.forward_dynamics(chain, q, v, t=row["t"]), acc, atol=1e-11)
        for found, wanted in zip(joint_forces(chain, q, v, row["t"]), ("F0", "F1", "F2")):
            assert np.abs(found - row[wanted]).max() < 1e-11


@pytest.mark.parametrize("name", RIGID)
def test_rigid_robot_in_motion(name):
    case, rows = RIGID[name]["case"], RIGID[name]["rows"]
    drives = [fd.Sine(x, case["tau_w"], 0.7*leg) if case["tau_mode"] == 2 else fd.Constant(x)
              for leg, x in enumerate(case.get("tau", ()))]
    rose = "P1" if case["r0"] == 0.1 else "P0"
    chain = driven(case["g"], drives) if drives else fd.catalog.rrr_rose(rose)
    q, v = with_platform(chain, RIGID[name]["y0"])
    run = fd.simulate(chain, rows[-1]["t"], q, v, times=[row["t"] for row in rows], rtol=1e-12, atol=1e-14).check()
    growth = {"P0": 12.1, "P1": 65.0}[rose]**(run.t/2.0) if not drives else 10.0 + 0.0*run.t    # a lap lasts 2 s
    for row, q, v, t, allowed in zip(rows, run.q, run.v, run.t, 1e-12*growth):
        assert np.abs(np.concatenate([q[6:], v[6:]]) - row["state"]).max() < allowed
        assert np.abs(fd.gaps(chain, q)).max() < 1e-14
        assert np.abs(fd.forward_dynamics(chain, q, v, t=t)[6:] - row["acc"]).max() < 100*allowed
        for found, wanted in zip(joint_forces(chain, q, v, t), ("F0", "F1", "F2")):
            assert np.abs(found - row[wanted]).max() < max(1e-9, 100*allowed)


@pytest.mark.parametrize("name", SPRUNG)
def test_robot_on_virtual_springs(name):
    ks, rows = SPRUNG[name]["ks"], SPRUNG[name]["rows"]
    rtol, close = (1e-12 if ks < 1e7 else 1e-10), (1e-9 if ks < 1e4 else 1e-11)     # at 1e8 less is rounding of forces
    chain = fd.catalog.rrr_rose(name[:2], method="mdenoc", ks=ks, preloaded=name.endswith("preloaded"))
    start = np.array(SPRUNG[name]["y0"])
    assert np.allclose(np.concatenate([chain.start_q, chain.start_v]), start, rtol=0.0, atol=3e-9)
    run = fd.simulate(chain, rows[-1]["t"], start[:9], start[9:], times=[row["t"] for row in rows], rtol=rtol,
                      atol=0.01*rtol if ks < 1e7 else 0.1*rtol).check()
    for row, q, v in zip(rows, run.q, run.v):
        assert np.abs(q - row["q"]).max() < close and np.abs(v - row["qd"]).max() < close*np.sqrt(ks)
        gaps = np.array(row["c"])
        assert np.allclose(fd.gaps(chain, q), gaps, rtol=0.0, atol=close)
        assert np.allclose(-fd.closure_forces(chain, q, v)[:, :2].ravel(), ks*gaps, rtol=0.0, atol=close*ks)


def test_three_roads_on_one_robot():
    """Wrenches into the recursion, DeNOC's matrices and Lagrange's equations in quasi-velocities agree."""
    chain = fd.catalog.rrr_rose("P1", method="mdenoc", ks=1e7, preloaded=True)
    q, v = chain.start_state()
    roads = [fd.forward_dynamics(chain, q, v, formulation=name) for name in ("recursive", "denoc", "boltzmann-hamel")]
    assert np.allclose(roads, roads[0], rtol=0.0, atol=2e-12*np.abs(roads[0]).max())


def test_andrews_squeezer():
    chain, published = fd.catalog.andrews(), ANDREWS["published"]
    order = [0, 1, 2, 4, 3, 6, 5]                       # of ours in theirs
    q, v = chain.start_state()
    assert np.allclose(fd.forward_dynamics(chain, q, v)[order], ANDREWS["acc0"], atol=2e-9)
    assert np.allclose(fd.closure_forces(chain, q, v)[:3, :2].ravel(), ANDREWS["lambda0"], atol=1e-12*100)
    times = [row["t"] for row in ANDREWS["own"]]
    run = fd.simulate(chain, 0.03, times=times, rtol=1e-12, atol=1e-14).check()
    for row, q, v in zip(ANDREWS["own"], run.q, run.v):
        scale = max(1.0, np.abs(row["qd"]).max())
        assert np.abs(q[order] - row["q"]).max() < 1e-11 and np.abs(v[order] - row["qd"]).max() < 1e-11*scale
        acc = fd.forward_dynamics(chain, q, v)[order]
        assert np.abs(acc - row["qdd"]).max() < 1e-9*np.abs(row["qdd"]).max()
        assert np.abs(fd.closure_forces(chain, q, v)[:3, :2].ravel() - row["lam_E"]).max() < 1e-8
    # beta and Theta are 1.1e-9 and 1.4e-9 off what two unrelated programs agree on to 5e-14
    assert np.abs(np.delete(run.q[-1][order] - published[:7], [0, 1])).max() < 1e-10
    assert np.abs(run.q[-1][order] - published[:7]).max() < 1.5e-9
    assert np.abs(run.v[-1][order] - published[7:14]).max() < 1e-7*1139.0


def test_andrews_of_the_library():
    chain, rows = fd.catalog.andrews(), ANDREWS["A03"]["rows"]
    start = np.array(ANDREWS["A03"]["start"])[[0, 1, 2, 4, 3, 6, 5]]
    run = fd.simulate(chain, 0.05, start, np.zeros(7), times=[row["t"] for row in rows], rtol=1e-12, atol=1e-14).check()
    for row, q, v in zip(rows, run.q, run.v):
        assert np.abs(q[[0, 1, 2, 4, 3, 6, 5]] - row["q"]).max() < 5e-11
        assert np.abs(fd.position(chain, q, "K1", (0.007, 0.0, 0.0))[:2] - row["F"]).max() < 1e-12
        assert v[0] == pytest.approx(row["betad"], rel=1e-11)
    work = run.ledger["input"]
    assert np.allclose(work, 0.033*(run.q[:, 0] - start[0]), rtol=0.0, atol=1e-9)
    assert np.abs(run.energy_defect).max() < 1e-9


@pytest.mark.parametrize("name", WINDOWS)
def test_windows_in_a_row(name):
    """All cranks stay parallel, though they might fold wherever they lie along the ground."""
    n = int(name[1:])
    chain, rows = fd.catalog.n_four_bar(n), [row for row in WINDOWS[name] if row["t"] <= (20.0 if n > 2 else 10.0)]
    run = fd.simulate(chain, rows[-1]["t"], times=[row["t"] for row in rows], rtol=1e-11, atol=1e-13).check()
    for row, q, v in zip(rows, run.q, run.v):
        tip = (1.0, 0.0, 0.0)
        found = fd.position(chain, q, "crank0", tip)[:2], fd.velocity(chain, q, v, "crank0", tip)[0][:2]
        assert np.allclose(np.concatenate(found), [row["x"], row["y"], row["xd"], row["yd"]], atol=2e-8)
        assert np.ptp(q[::2]) < 1e-9 and np.abs(fd.gaps(chain, q)).max() < 1e-12*n


def test_the_pendulum_of_the_library():
    """A01: a point mass of 1 kg on a bar of 1 m, level at the start; elliptic functions to twenty digits."""
    mass = fd.Body(mass=1.0, com=(1.0, 0.0, 0.0), inertia=(0.0, 0.0, 0.0))
    chain = fd.Chain([fd.Link(length=1.0, body=mass)], start_q=(np.pi,))
    rows = {0.5: (-0.39104879155054638769, -0.92036994878519220376),
            2.0: (-0.79356619534332174699, -0.60848393044379151463),
            9.99: (-0.31643646991303229123, -0.94861370457577651925),
            100.0: (-0.18151335142703138454, -0.98338848033405750468)}
    run = fd.simulate(chain, 100.0, times=list(rows), rtol=1e-13, atol=1e-15).check()
    for (t, place), (q,) in zip(rows.items(), run.q):
        assert np.abs(np.array([np.cos(q), np.sin(q)]) - place).max() < 2e-12*max(1.0, t)
    assert np.abs(run.energy_change).max() < 1e-12*100.0


def test_a_hundred_seconds_stay_closed_and_keep_their_energy():
    chain = fd.catalog.four_bar()
    run = fd.simulate(chain, 100.0, samples=401, rtol=1e-10, atol=1e-12).check()
    assert max(np.abs(fd.gaps(chain, q)).max() for q in run.q) < 1e-13
    assert max(np.abs(fd.gap_rates(chain, q, v)).max() for q, v in zip(run.q, run.v)) < 1e-13
    assert np.abs(run.energy_change).max() < 1e-9*max(fd.kinetic_energy(chain, q, v) for q, v in zip(run.q, run.v))


def test_bricard_moves_though_overconstrained():
    chain = fd.catalog.bricard()
    run = fd.simulate(chain, 10.0, times=[1.0, 5.0, 10.0], rtol=1e-11, atol=1e-13).check()
    third = fd.position(chain, run.q, "bar2", (1.0, 0.0, 0.0))
    assert np.allclose(third, [(0.274481319, -0.886707939, -0.462330003), (0.999932742, -0.999999998, -6.7255e-5),
                               (0.999730987, -0.999999964, -2.68977e-4)], rtol=0.0, atol=3e-9)
    assert np.abs(run.energy_change).max() < 1e-9 and np.abs(fd.gaps(chain, run.q)).max() < 1e-13
    said, = run.notes
    assert said.startswith("closure[0]: 1 of its 5 gaps says nothing that joints and other gaps do not "
                           "(rank 4 of 5 gaps)")


def test_flyball_governor():
    chain = fd.catalog.flyball()
    times = np.append(0.5*np.arange(1, 3), np.linspace(1.001, 10.0, 9000))
    run = fd.simulate(chain, 10.0, times=times, stepper="radau5", rtol=1e-10, atol=1e-12).check()
    assert np.allclose(run.q[[0, 1, -1], 1], (0.74324942479, 0.50142092238, 0.61962291706), rtol=0.0, atol=3e-9)
    assert run.v[-1, 0] == pytest.approx(5.54820362, abs=2e-8)
    assert (run.q[:, 1].min(), run.q[:, 1].max()) == pytest.approx((0.49991, 0.74357), abs=1e-5)
    assert np.abs(run.energy_defect).max() < 1e-6

"""Free motions, falls and spin-ups against stored ones, and what has to stay."""

import numpy as np
import pytest

from arms.words import arm_of, stored, tip_mark
from fastdyn._jit import ready
from fastdyn.arms import system
from fastdyn.arms.catalog import canadarm2, flexible_arm, spin_up
from fastdyn.arms.compile import compiled
from fastdyn.arms.layout import work_for
from fastdyn.arms.run import hermite, turning_point, two
from fastdyn.status import STOPPED, ModelError


def places(arm, run):
    """Places and velocities of the marked point at the samples."""
    model, out = compiled(arm), []
    work, found = work_for(model), np.empty((len(model.contact), 9))
    for q, v in zip(run.q, run.v):
        ready(system.point_motion)(model, work, 0.0, q.copy(), v.copy(), np.zeros(len(q)), found)
        out.append(found[0].copy())
    return np.array(out)


def largest_lag(run):
    """(s, m) of the deepest deflection against the turn."""
    bends = ["_y" in name for name in run.arm.names]
    u, du = -run.q[:, bends].sum(axis=1), -run.v[:, bends].sum(axis=1)
    tops = [(hermite(*two(run.t, u, du, i), s), run.t[i] + s*(run.t[i + 1] - run.t[i]))
            for i in np.flatnonzero((du[:-1] > 0.0) & (du[1:] <= 0.0)) for s in [turning_point(*two(run.t, u, du, i))]]
    return max(tops)[::-1]


@pytest.mark.parametrize("i", range(4))
def test_an_arm_released(i):
    r = stored("free1")[i]
    arm = arm_of(r["model"], r["options"], [tip_mark(0)])
    run = arm.simulate(r["samples"][-1]["t"], q=r["q0"], v=r["qd0"], samples=[s["t"] for s in r["samples"]])
    assert run.status == 0
    found = places(arm, run)[1:]
    assert np.abs(found[:, :3] - [s["point"] for s in r["samples"]]).max() < 1e-8
    assert np.abs(run.q[1:] - [s["q"] for s in r["samples"]]).max() < 1e-7
    assert np.abs(run.balance).max() < 1e-9*r["E0"]


@pytest.mark.parametrize("which", [0, 1], ids=["drawn in", "not drawn in"])
@pytest.mark.parametrize("set", ["R2", "R5"])
def test_the_fall(set, which):
    r = stored(f"flight_{set}")[which]
    arm = canadarm2(set, "II").with_beams(**r["options"])
    run = arm.simulate(r["samples"][-1]["t"], samples=[s["t"] for s in r["samples"]])
    assert run.status == 0 and arm.start[0] == pytest.approx(r["q0"], abs=1e-15)
    found = places(arm, run)[1:]
    assert np.abs(found[:, :3] - [s["point"] for s in r["samples"]]).max() < 1e-11
    assert np.abs(found[:, 3:6] - [s["velocity"] for s in r["samples"]]).max() < 1e-9
    assert np.abs(run.q[1:] - [s["q"] for s in r["samples"]]).max() < 1e-9
    assert run.energy[0].sum() == pytest.approx(r["E0"], rel=1e-12)
    assert np.abs(run.balance).max() < 1e-12*r["E0"]


@pytest.mark.parametrize("set", ["R2", "R5"])
def test_the_state_at_touch_down(set):
    ref = stored("contacts")[f"{set}_II"]
    run = canadarm2(set, "II").simulate(ref["t_start"])
    assert np.abs(run.q[-1] - ref["q_start"]).max() < 1e-9
    assert np.abs(run.v[-1] - ref["qd_start"]).max() < 1e-7


@pytest.mark.parametrize("spin", [s for s in stored("spinup") if s["max_lag"]])
def test_the_lag_of_a_beam_that_is_spun_up(spin):
    beam = {"kane": "kane", "wuhaug": "wu-haug"}[spin["beam"]]
    run = spin_up(beam, spin["Omega_s"], spin["ny"], spin["nx"], spin["foreshortening"]).simulate(
        spin["max_lag"][0] + 0.5, every=True, h_max=0.02)
    t, lag = largest_lag(run)
    assert lag == pytest.approx(-spin["max_lag"][1], rel=1e-6) and t == pytest.approx(spin["max_lag"][0], abs=1e-4)


@pytest.mark.parametrize("spin", [s for s in stored("spinup") if s["t_half_length"]], ids=lambda s: s["beam"])
def test_without_shortening_a_fast_beam_diverges_and_the_run_says_why(spin):
    run = spin_up({"kane": "kane", "wuhaug": "wu-haug"}[spin["beam"]], spin["Omega_s"],
                  foreshortening=False).simulate(15.0)
    assert run.status == STOPPED and "half its length" in run.why
    assert run.t[-1] == pytest.approx(spin["t_half_length"], abs=1e-5)


def test_energy_stays_in_an_arm_of_two_links():
    arm = flexible_arm(2)
    q = np.zeros(len(arm.names))
    q[[0, 1]] = 0.3
    run = arm.simulate(0.3, q=q, v=0.2*np.ones(len(q)), samples=[0.1, 0.2])
    assert np.abs(run.balance).max() < 1e-9*abs(run.energy).max()


def test_bad_words_are_refused():
    with pytest.raises(ModelError, match="inside it at the start"):
        arm = canadarm2()
        arm.simulate(1.0, q=-np.array(arm.start[0]))
    with pytest.raises(ModelError, match="rotor"):
        flexible_arm(1).replace(links=(flexible_arm(1).links[0].__class__(
            flexible_arm(1).links[0].joint.__class__(stiffness=1.0)),))
    with pytest.raises(ModelError, match="EIz"):
        flexible_arm(1).with_beams(EIz=-1.0)

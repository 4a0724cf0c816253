"""Runs that start on a plane or inside a contact, peaks between steps, and what stays whatever the arm."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arms.test_recursive import both
from arms.words import stored
from fastdyn.arms import Body, FlexibleLink, Joint, Link, Plane, SpatialArm, canadarm2, mass_matrix
from fastdyn.status import OK, STOPPED, TOO_MANY_STEPS, ModelError

FLOOR = Plane(0, (0.0, 0.0, 0.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), "hertz", {"stiffness": 1e5})
BEAM = FlexibleLink(1.0, 1.0, 1e5, 10.0, 10.0, 5.0, 1e-3, 1e-3, (0, 1, 0, 0), False)
ON_FLOOR = SpatialArm((Link(Joint(), BEAM),), (0.0, -9.81, 0.0), (FLOOR,))


@pytest.mark.parametrize("speed", [0.0, -1.0])
def test_a_point_on_its_plane_touches_from_the_start(speed):
    """At rest or moving in, with a gap of exactly zero: it does not fall through."""
    run = ON_FLOOR.simulate(0.05, v=(speed, 0.0), every=True, rtol=1e-7)
    assert run.status == 0 and run.contacts[0].start == 0.0 and run.contacts[0].speed == -speed
    tip = np.sin(run.q[:, 0]) + run.q[:, 1]*np.cos(run.q[:, 0])
    assert -0.01 < tip.min() < -0.001
    assert max(contact.depth for contact in run.contacts) == pytest.approx(-tip.min(), rel=0.05)
    assert np.abs(run.balance).max() < 1e-6


def test_a_point_that_leaves_its_plane_does_not_touch():
    run = ON_FLOOR.simulate(0.02, v=(1.0, 0.0))
    assert run.contacts == [] and run.q[-1, 0] > 0.0
    with pytest.raises(ModelError, match=r"0\.1 m inside"):
        ON_FLOOR.replace(planes=(replace(FLOOR, point=(0.0, 0.1, 0.0)),)).simulate(0.02)


def test_a_run_goes_on_inside_a_contact():
    arm = ON_FLOOR.replace(planes=(replace(FLOOR, point=(0.0, -0.01, 0.0), law="lankarani-nikravesh",
                                           numbers={"stiffness": 1e5, "restitution": 0.7}),))
    whole = arm.simulate(0.08, rtol=1e-9)
    contact = whole.contacts[0]
    first = arm.simulate(contact.start + 0.3*(contact.end - contact.start), rtol=1e-9)
    assert first.touch[-1, 0] == pytest.approx(contact.speed, rel=1e-9) and np.isnan(first.contacts[0].end)
    rest = arm.simulate(0.08, t=first.t[-1], q=first.q[-1], v=first.v[-1], touch=first.touch[-1], rtol=1e-9)
    assert np.abs(rest.q[-1] - whole.q[-1]).max() < 1e-7
    assert rest.contacts[0].end == pytest.approx(contact.end, abs=1e-8)
    assert rest.contacts[0].speed == first.touch[-1, 0]


def test_peaks_need_no_short_steps():
    """A run with the settings that a user gets, from touch-down on: peaks to 1e-6, found where their slope is zero."""
    ref = stored("contacts")["R2_II"]
    run = canadarm2("R2", "II").simulate(ref["t_end"] + 1e-5, t=ref["t_start"], q=ref["q_start"], v=ref["qd_start"],
                                         touch=[ref["v0_normal"]])
    (contact,) = run.contacts
    assert [p[1] for p in contact.peaks] == pytest.approx([p["FN"] for p in ref["peaks"]], rel=1e-6)
    assert [p[0] for p in contact.peaks] == pytest.approx([p["t"] for p in ref["peaks"]], abs=2e-7)
    assert run.touch[-1, 0] == 0.0


def test_peaks_of_a_long_rest_are_records_and_no_switches():
    """The force of a point that trembles on a hard plane has peaks without end: the run goes on."""
    hard = replace(FLOOR, law="lankarani-nikravesh", numbers={"stiffness": 1e9, "restitution": 0.9})
    run = ON_FLOOR.replace(planes=(hard,)).simulate(60.0, rtol=1e-6, max_steps=1500)
    assert run.status == TOO_MANY_STEPS and len(run.contacts) == 1 and run.contacts[0].start == 0.0
    assert len(run.contacts[0].peaks) > 200 and run.counts["events"] < 110


@pytest.mark.parametrize("set, start", [("R2", 0.6450176226), ("R5", 0.6449637724)])
def test_the_fall_to_touch_down_and_the_third_friction(set, start):
    run = canadarm2(set, "III").simulate(0.6455, rtol=1e-8, atol=1e-10)
    assert run.contacts[0].start == pytest.approx(start, abs=1e-8)
    assert np.abs(run.balance).max() < 1e-9*np.abs(run.energy).sum(axis=1).max()


THIRD = {                                                   # printed to ten digits: end, peaks, reversals along t2
    "R2": (0.6541275546, [(0.645984824, 47843.2951, 22831.7759), (0.649249515, 19573.2366, 9449.0071),
                          (0.652835996, 25587.0331, 10960.8240)], [0.649888078, 0.650165417, 0.653174211]),
    "R5": (0.6540213037, [(0.648404856, 105988.6146, 43698.7005)], [0.649536831, 0.651859107]),
}


@pytest.mark.parametrize("set", sorted(THIRD))
def test_reversals_tell_the_third_friction(set):
    ref, (end, peaks, reversals) = stored("contacts")[f"{set}_II"], THIRD[set]          # the fall is the same
    run = canadarm2(set, "III").simulate(end + 1e-5, t=ref["t_start"], q=ref["q_start"], v=ref["qd_start"],
                                         touch=[ref["v0_normal"]])
    (contact,) = run.contacts
    assert contact.end == pytest.approx(end, abs=1e-8)
    found = np.array(contact.peaks)
    assert found[:, 0] == pytest.approx([t for t, _, _ in peaks], abs=2e-7)
    assert found[:, 1] == pytest.approx([N for _, N, _ in peaks], rel=1e-6)
    assert found[:, 2] == pytest.approx([F for _, _, F in peaks], rel=1e-5)
    assert contact.reversals[0] == ()
    assert contact.reversals[1] == pytest.approx(reversals, abs=1e-6)


# ------------------------------------------------------------------------------------------------------- any arm

@st.composite
def arms(draw):
    """Up to three links, each rigid or flexible, with any modes, joints that are rigid, flexible or geared."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    links = []
    for _ in range(draw(st.integers(1, 3))):
        Q, R = np.linalg.qr(rng.normal(size=(3, 3)))
        Q = Q*np.sign(np.diag(R))
        Q[:, 0] *= np.linalg.det(Q)
        joint = Joint(tuple(map(tuple, Q)), tuple(rng.normal(size=3)), **draw(st.sampled_from([
            {}, {"stiffness": 200.0, "rotor": 0.2}, {"rotor": 0.02, "gear": 4.0, "gyroscopic": True},
            {"stiffness": 90.0, "rotor": 0.05, "gear": 3.0, "gyroscopic": True}])))
        modes = draw(st.sampled_from([None, (0, 1, 0, 0), (1, 2, 1, 1), (0, 0, 2, 0), (1, 1, 2, 0)]))
        body = Body(rng.uniform(0.5, 2.0), tuple(0.1*rng.normal(size=3)), (0.05, 0.06, 0.04))
        beam = modes and FlexibleLink(1.2, 2.0, 2e4, 30.0, 20.0, 15.0, 5e-3, 8e-3, modes, draw(st.booleans()),
                                      draw(st.sampled_from(["linear", "exp"])),
                                      shear=draw(st.sampled_from([None, (900.0, 700.0)])))
        links.append(Link(joint, beam, (0.0, 0.0, 0.0) if beam else tuple(rng.normal(size=3)), (body,), (body,)))
    arm = SpatialArm(tuple(links), tuple(3.0*rng.normal(size=3)))
    small = np.array([0.03 if name[0] == "d" else 1.0 for name in arm.names])
    return (arm, *(rng.uniform(-1.0, 1.0, (2, len(small)))*small))


@settings(max_examples=25)
@given(arms())
def test_two_roads_give_one_acceleration_to_any_arm(drawn):
    arm, q, v = drawn
    lagrange, found, _ = both(arm, q, v)
    assert np.abs(found - lagrange).max() < 1e-9*np.abs(lagrange).max()


@settings(max_examples=10)
@given(arms())
def test_any_arm_keeps_its_energy(drawn):
    arm, q, v = drawn
    run = arm.simulate(0.05, q=q, v=v, rtol=1e-9)
    assert run.status in (OK, STOPPED)                      # bent by half its length: until then it kept it too
    assert np.abs(run.balance).max() < 1e-7*np.abs(run.energy).sum(axis=1).max()


@settings(max_examples=10)
@given(arms())
def test_any_arm_about_a_free_axis_keeps_its_momentum(drawn):
    """Gravity along the first axis: all of the arm may turn about it, motor and link of the first joint alike."""
    arm, q, v = drawn
    arm = arm.replace(gravity=tuple(4.0*np.array(arm.links[0].joint.turn)[:, 2]))
    run = arm.simulate(0.05, q=q, v=v, samples=6, rtol=1e-9)
    first = [name.startswith("th1") for name in arm.names]
    momentum = mass_matrix(arm, run.q)[:, first] @ run.v[:, :, None]
    size = np.abs(mass_matrix(arm, run.q)[:, first]) @ np.abs(run.v[:, :, None])
    assert run.status in (OK, STOPPED) and np.ptp(momentum.sum(axis=1)) < 1e-8*size.max()


def test_an_arm_about_a_free_axis_keeps_its_momentum():
    """Gravity along the first axis: the momentum about it, dT/dv of that joint, stays as it was."""
    beam = FlexibleLink(1.2, 2.0, 2e4, 30.0, 20.0, 15.0, 5e-3, 8e-3, (1, 2, 2, 1), rotation="exp")
    across = ((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0))
    arm = SpatialArm((Link(Joint(), beam), Link(Joint(across, stiffness=90.0, rotor=0.05, gear=3.0, gyroscopic=True),
                                                beam)), (0.0, 0.0, -9.81))
    rng = np.random.default_rng(5)
    q, v = rng.uniform(-1.0, 1.0, (2, len(arm.names)))*np.array([0.03 if x[0] == "d" else 1.0 for x in arm.names])
    run = arm.simulate(0.2, q=q, v=v, samples=np.linspace(0.02, 0.18, 9), rtol=1e-9)
    momentum = np.einsum("si,si->s", mass_matrix(arm, run.q)[:, 0], run.v)
    assert np.ptp(momentum) < 1e-7*np.abs(momentum).max() and np.ptp(run.v[:, 0]) > 0.1

"""The named chains on ball joints: what they are made of, how they start, what is refused."""

import math

import numpy as np
import pytest

import fastdyn as fd
from fastdyn.describe.catalog import find, heavy_top, space_arm, two_link
from fastdyn.describe.files import parse
from fastdyn.run.wishes import start_of


BALLS = """
[[link]]
name = "raft"
joint = {kind = "free", start = {chart = "mrp", values = [0.1, 0.0, 0.2]}}
body = {mass = 1.0, inertia = [1.0, 1.0, 1.0]}

[[link]]
name = "slide"
joint = {kind = "prismatic"}

[[link]]
name = "arm"
joint = {kind = "spherical", start = {chart = "zyx", values = [0.4, -0.2, 0.1]}}
body = {mass = 1.0, inertia = [1.0, 1.0, 1.0]}
"""


def test_joints_start_from_charts_in_a_file(tmp_path):
    """The same words in Python; start_q has the rest."""
    (tmp_path/"balls.toml").write_text("start_q = [1, 2, 3, 1, 0, 0, 0, 0.5, 1, 0, 0, 0]\n" + BALLS)
    chain = fd.load(tmp_path/"balls.toml")
    raft, arm = fd.to_quaternion([0.1, 0.0, 0.2], "mrp"), fd.to_quaternion([0.4, -0.2, 0.1], "zyx")
    assert np.array_equal(chain.start_state()[0], [1.0, 2.0, 3.0, *raft, 0.5, *arm])
    chain.save(tmp_path/"again.toml")
    assert fd.load(tmp_path/"again.toml") == chain
    start = fd.Attitude("zyx", (0.4, -0.2, 0.1))
    assert chain.links[2].joint == fd.Spherical(start=start) == fd.Spherical(
        start={"chart": "zyx", "values": np.array([0.4, -0.2, 0.1])})
    bare = chain.replace(start_q=None)
    assert np.array_equal(bare.start_state()[0], [0.0, 0.0, 0.0, *raft, 0.0, *arm])


def test_joints_start_from_charts_on_the_command_line():
    start = 'links.top.joint.start={chart = "zyx", values = [0.1, 0.2, 0.0]}'
    top = find("heavy-top", ["start_q=[1, 0, 0, 0]", start])[0]
    assert np.array_equal(top.start_state()[0], fd.to_quaternion([0.1, 0.2, 0.0]))
    raft = find("space-arm", ['links.box.joint.start={chart = "xyz", values = [0.1, 0.2, 0.3]}'])[0]
    assert np.array_equal(raft.start_state()[0][3:7], fd.to_quaternion([0.1, 0.2, 0.3], "xyz"))
    with pytest.raises(fd.ModelError, match=r'^--set: .*start_q and joint.start both turn link "top"; leave its '):
        find("heavy-top", [start])


@pytest.mark.parametrize("start, said", [
    ('{chart = "zzx", values = [1, 2, 3]}', r"\$.link\[0\].joint.start.chart.*: start.chart is 'zzx'; known are"),
    ('{chart = "zyx", values = [1, 2]}', r"\$.link\[0\].joint.start.values"),
    ('{chart = "zyx", values = [1, 2, 1e6]}', r".*start.values holds 1000000; give angles of at most 100000 rad"),
    ('{chart = "zyx"}', r"\$.link\[0\].joint.start.values.*: is missing"),
    ('{chart = "zyx", values = [1, 2, 3], rates = 1}', r"\$.link\[0\].joint.start.rates.*unknown field; known are"),
])
def test_starts_that_cannot_be_are_refused(start, said):
    text = f'[[link]]\nname = "arm"\njoint = {{kind = "spherical", start = {start}}}'
    with pytest.raises(fd.ModelError, match=f"^model text: {said}"):
        parse(text)


def test_quaternions_may_be_typed_with_few_digits_wherever_a_chain_starts():
    """Three digits and more; another length is a mistake, told in one sentence."""
    body, few, exact = fd.Body.sphere(0.1, 1.0), [0.92388, 0.382683, 0.0, 0.0], math.pi/8
    ball, wanted = fd.Link(joint=fd.Spherical(), body=body), [math.cos(exact), math.sin(exact), 0.0, 0.0]
    chain = fd.Chain([ball], start_q=few)
    for q in (chain.start_q, fd.Link(turn=few).turn, start_of(chain, few, None, None, None)[0][:4]):
        assert np.abs(np.subtract(q, wanted)).max() < 1e-6 and abs(math.hypot(*q) - 1.0) < 1e-15
    for ask in (lambda: fd.Chain([ball], start_q=[2, 0, 0, 0]), lambda: fd.simulate(chain, 0.01, q=[2, 0, 0, 0])):
        with pytest.raises(fd.ModelError, match=r'q of link "link1" \(2, 0, 0, 0\) has length 2, not 1; write \(1, 0'):
            ask()
    with pytest.raises(fd.ModelError, match=r"turn \(2, 0, 0, 0\) has length 2, not 1; write \(1, 0, 0, 0\)"):
        fd.Link(turn=(2, 0, 0, 0))


@pytest.mark.parametrize("case, across", [("A", 1.0), ("B", 0.2)])
def test_the_published_pair(case, across):
    chain = two_link(case)
    assert chain.gravity == (0.0, 0.0, 0.0) and not chain.planar and chain.nv == 6
    for link in chain.links:
        assert isinstance(link.joint, fd.Spherical) and link.length == 2.0
        assert link.body == fd.Body(mass=3.0, com=(1.0, 0.0, 0.0), inertia=(0.2, across, across))
        assert link.loads == (fd.Load(force=(0.0, 0.1, 0.0), at=(2.0, 0.0, 0.0), signal=fd.Sine(1.0, 1.0)),)
    flat = two_link(case, "revolute")
    assert flat.planar and flat.nv == 2 and [link.body for link in flat.links] == [link.body for link in chain.links]


def test_numbers_of_the_pair_arrive():
    chain = two_link("A", mass=2.0, half_length=0.5, roll_inertia=0.01, force=0.3, omega=4.0)
    link = chain.links[1]
    assert link.body == fd.Body(mass=2.0, com=(0.5, 0.0, 0.0), inertia=(0.01, 0.5/3, 0.5/3)) and link.length == 1.0
    assert link.loads[0].force == (0.0, 0.3, 0.0) and link.loads[0].signal == fd.Sine(1.0, 4.0)


def test_an_arm_on_a_floating_box():
    chain = space_arm(3, base_size=0.8, mass=5.0, length=0.7, radius=0.02, stiffness=90.0, damping=45.0, torque=36.0)
    assert [link.name for link in chain.links] == ["box", "arm1", "arm2", "arm3"] and chain.nv == 6 + 9
    assert isinstance(chain.links[0].joint, fd.Free) and chain.links[0].body == fd.Body.box((0.8, 0.8, 0.8), 100.0)
    assert chain.joint_positions == ((0.0, 0.0, 0.0), (0.4, 0.0, 0.0), (0.7, 0.0, 0.0), (0.7, 0.0, 0.0))
    for share, link in zip((1.0, 4/9, 1/9), chain.links[1:]):
        joint = link.joint
        assert (joint.stiffness, joint.damping) == pytest.approx((90*share, 45*share))
        assert [s.amplitude for s in joint.drive] == pytest.approx([0.0, 36*share, 36*share])
        assert joint.drive[2].phase - joint.drive[1].phase == math.pi/2 and joint.drive[1].omega == 1.0
        assert link.body == fd.Body.rod(0.7, 5.0, 0.02)
    assert not any(chain.gravity) and not any(chain.start_state()[1])


@pytest.mark.parametrize("whole", [np.int64, np.uint8, np.array])
def test_numbers_of_rods_may_be_numpys(whole):
    assert space_arm(whole(3)) == space_arm(3)


@pytest.mark.parametrize("tilt, precession", [(0.0, 0.0), (30.0, 2.0), (110.0, -1.0)])
def test_a_top_leans_and_turns_as_said(tilt, precession):
    chain = heavy_top(mass=2.0, height=0.3, radius=0.25, spin=50.0, tilt=tilt, precession=precession, gravity=1.6)
    (q, v), lean = chain.start_state(), math.radians(tilt)
    disc = fd.position(chain, q, "top", (0.3, 0.0, 0.0))
    axis = np.array([0.0, math.sin(lean), math.cos(lean)])
    assert np.abs(disc - 0.3*axis).max() < 1e-15 and chain.gravity == (0.0, 0.0, -1.6)
    _, omega = fd.velocity(chain, q, v, "top")
    assert np.abs(omega - (50.0*axis + [0.0, 0.0, precession])).max() < 1e-13
    assert chain.links[0].body == fd.Body(mass=2.0, com=(0.3, 0.0, 0.0), inertia=(0.0625, 0.03125, 0.03125))


@pytest.mark.parametrize("build, words, said", [
    (two_link, {"case": "C"}, 'case is \'C\'; known are "A", "B"'),
    (two_link, {"joint": "ball"}, "joint is 'ball'; known are"),
    (two_link, {"mass": 0.0}, "mass is 0 kg; give a mass > 0"),
    (two_link, {"half_length": -1.0}, "half_length is -1 m"),
    (two_link, {"case": "B", "roll_inertia": 1.0}, "roll_inertia is 1 kg m.2; a link with 0.2 kg m.2 across"),
    (two_link, {"half_length": 0.3}, "roll_inertia is 0.2 kg m.2; a link with 0.09 kg m.2 across has at most twice"),
    (two_link, {"force": math.nan}, "force is nan; give a finite number in N"),
    (space_arm, {"n": 0}, "n is 0; give a whole number of rods"),
    (space_arm, {"n": True}, "n is True; give a whole number"),
    (space_arm, {"n": 2.0}, "n is 2.0; give a whole number"),
    (space_arm, {"n": np.int64(-1)}, "n is -1; give a whole number"),
    (space_arm, {"n": np.bool_(True)}, "n is .*True.*; give a whole number"),
    (space_arm, {"n": "3"}, "n is '3'; give a whole number"),
    (space_arm, {"radius": 0.0}, "radius is 0 m; give a radius > 0"),
    (space_arm, {"base_size": -1.0}, "base_size is -1 m"),
    (space_arm, {"stiffness": -1.0}, "stiffness is -1 N m/rad"),
    (space_arm, {"torque": math.inf}, "torque is inf"),
    (heavy_top, {"height": 0.0}, "height is 0 m"),
    (heavy_top, {"tilt": math.nan}, "tilt is nan; give a finite number in degrees"),
])
def test_what_cannot_be_is_refused(build, words, said):
    with pytest.raises(fd.ModelError, match=said):
        build(**words)

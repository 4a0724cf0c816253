"""URDF and MJCF that cannot be told in links and joints: refused by name, never read as another model."""

import os
import sys

import pytest

from fastdyn.describe import load_mjcf, load_urdf
from fastdyn.status import ModelError


@pytest.fixture
def mujoco():
    return pytest.importorskip("mujoco", reason="MuJoCo, which reads URDF and MJCF, is not installed")


MASS = '<geom type="box" size=".1 .2 .3"/>'
REFUSED = {
    "equality": (("<equality><joint joint1='j'/></equality>", ""), "it has 1 equality constraint"),
    "tendon": (("<tendon><fixed><joint joint='j' coef='1'/></fixed></tendon>", ""), "it has 1 tendon"),
    "position": (("<actuator><position name='p' joint='j' kp='3'/></actuator>", ""), 'actuator "p" is not a'),
    "bias": (("<actuator><general name='p' joint='j' biastype='affine'/></actuator>", ""), 'actuator "p" is not'),
    "armature": (("", "armature='.1'"), 'joint "j" has armature, which is not carried over'),
    "friction": (("", "frictionloss='.1'"), 'joint "j" has frictionloss'),
    "medium": (("<option density='1.2'/>", ""), "option density is 1.2: forces of the medium are not carried over"),
    "viscous": (("<option viscosity='1'/>", ""), "option viscosity is 1"),
    "no springs": (("<option><flag spring='disable'/></option>", ""), "option flag spring is off"),
    "no damper": (("<option><flag damper='disable'/></option>", ""), "option flag damper is off"),
    "free spring": (("", "type='free' stiffness='1'"), 'joint "j" has stiffness or damping though it is free'),
    "free damping": (("", "type='free' damping='1'"), 'joint "j" has stiffness or damping though it is free'),
    "range": (("", "type='ball' range='0 1' limited='true'"), 'joint "j" has a range though it is a ball joint'),
    "stiffness": (("", "stiffness='-1'"), 'joint "j": joint.stiffness is -1; give'),
    "polynomial": (("", "damping='1 2'"), 'joint "j" has dampingpoly'),
}


@pytest.mark.usefixtures("mujoco")
@pytest.mark.parametrize("case", REFUSED)
def test_what_would_change_the_motion_is_refused_by_name(tmp_path, case):
    (extra, words), sentence = REFUSED[case]
    path = tmp_path / "a.xml"
    path.write_text(
        f"<mujoco><worldbody><body name='b'>{MASS}<joint name='j' {words}/></body></worldbody>{extra}</mujoco>"
    )
    with pytest.raises(ModelError) as refused:
        load_mjcf(path)
    assert str(refused.value).startswith(f"{path}: {sentence}")


@pytest.mark.usefixtures("mujoco")
def test_gravcomp_mocap_and_nothing_at_all_are_refused(tmp_path):
    path = tmp_path / "a.xml"
    for body, sentence in (
        (f"<body name='b' gravcomp='1'>{MASS}<joint/></body>", 'body "b" has gravcomp'),
        (f"<body name='b' mocap='true'>{MASS}</body>", "it has 1 mocap bod"),
        ("", "it has no bodies; a chain needs at least one link"),
    ):
        path.write_text(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
        with pytest.raises(ModelError) as refused:
            load_mjcf(path)
        assert str(refused.value).startswith(f"{path}: {sentence}")


WEIGHT = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'


def urdf(extra="", mass="2", ixx="1", parent="base"):
    weight = WEIGHT.replace('value="1"', f'value="{mass}"').replace('ixx="1"', f'ixx="{ixx}"')
    joint = f'<parent link="{parent}"/><child link="upper"/><dynamics friction="0"/>'
    return (
        f'<robot name="r"><link name="base"/><link name="upper">{weight}</link>'
        f'<joint name="shoulder" type="continuous">{joint}</joint>{extra}</robot>'
    )


def hinge(name, limit):
    return (f'<link name="more">{WEIGHT}</link><joint name="{name}" type="revolute"><parent link="upper"/>'
            f'<child link="more"/><limit {limit} effort="1" velocity="1"/></joint>')


@pytest.mark.usefixtures("mujoco")
@pytest.mark.parametrize("extra, sentence", [
    (hinge("elbow", 'lower="1" upper="-1"'), 'joint "elbow": lower 1 is above upper -1; give lower < upper'),
    (hinge("elbow", 'upper="-0.5"'), 'joint "elbow": lower 0.0 is above upper -0.5'),
    (hinge("shoulder", 'lower="-1" upper="1"'), 'two joints are named "shoulder"; give each a name of its own')])
def test_joints_without_room_or_name_of_their_own(tmp_path, extra, sentence):
    path = tmp_path / "a.urdf"
    path.write_text(urdf(extra))
    with pytest.raises(ModelError) as refused:
        load_urdf(path)
    assert str(refused.value).startswith(f"{path}: {sentence}")


MIMIC = (
    f'<link name="m">{WEIGHT}</link><joint name="follower" type="TYPE"><parent link="upper"/><child link="m"/>'
    '<mimic joint="shoulder" multiplier="2"/></joint>'
)
LIGHT = f'<link name="hand">{WEIGHT}</link>'.replace('mass value="1"', 'mass value="-2"')
HELD = (
    '<joint name="grip" type="fixed"><origin xyz="1 0 0"/><parent link="upper"/><child link="hand"/></joint>'
)
BROKEN_URDF = {
    "mimic": (urdf(MIMIC.replace("TYPE", "continuous")), "it has 1 equality constraint"),
    "mimic warned": (urdf(MIMIC.replace("TYPE", "planar")), "MuJoCo reads it only with a warning: <mimic> on joint"),
    "friction": (urdf().replace('friction="0"', 'friction="1"'), 'joint "shoulder" has frictionloss'),
    "massless": (urdf(mass="0"), 'body "upper" has inertia but no mass; give a mass > 0'),
    "weightless": (urdf().replace(WEIGHT.replace("1", "2", 1), ""), "MuJoCo cannot read it: Error: mass and in"),
    "light": (urdf(mass="-2"), 'body "upper" has mass -2 kg; give a finite mass > 0'),
    "light root": (urdf().replace('<link name="base"/>', LIGHT.replace("hand", "base")), 'body "base" has mass -2 kg'),
    "light hand": (urdf(LIGHT + HELD), 'body "hand" has mass -2 kg; give a finite mass > 0'),
    "nan": (urdf(mass="nan"), 'body "upper" has mass nan kg'),
    "nan place": (urdf(LIGHT.replace("-2", "2") + HELD.replace("1 0 0", "nan 0 0")),
                  '<origin> has xyz="nan 0 0"; give finite numbers'),
    "nan damping": (urdf().replace('friction="0"', 'damping="nan"'), '<dynamics> has damping="nan"; give finite'),
    "damping": (urdf().replace('friction="0"', 'damping="-1"'), 'joint "shoulder": joint.damping is -1; give'),
    "two roots": (urdf('<link name="other"/>'), 'links "base", "other" hang on no joint; a URDF is one tree'),
    "broken off": (urdf()[:-8], "not valid XML: no element found"),
    "triangle": (urdf(ixx="3"), "MuJoCo cannot read it: Error: inertia must satisfy A + B >= C"),
    "circle": (urdf(parent="upper"), "MuJoCo cannot read it: "),
    "not XML": ("<robot", "not valid XML: "),
    "empty": ("", "not valid XML: no element found"),
    "MJCF": ("<mujoco/>", "its root is <mujoco>, not <robot>; is it a file for load_mjcf?"),
    "entity bomb": (
        '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">'
        + "".join(f'<!ENTITY {x} "{f"&{y};" * 10}">' for x, y in zip("bcdefghi", "abcdefgh"))
        + ']><robot name="&i;"/>',
        "not valid XML: ",
    ),
}


@pytest.mark.usefixtures("mujoco")
@pytest.mark.parametrize("case", BROKEN_URDF)
def test_broken_urdf_says_why(tmp_path, monkeypatch, case):
    text, sentence = BROKEN_URDF[case]
    path = tmp_path / "a.urdf"
    path.write_text(text)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelError) as refused:
        load_urdf(path)
    assert str(refused.value).startswith(f"{path}: {sentence}")
    assert os.listdir(tmp_path) == ["a.urdf"]  # MuJoCo's own log of warnings is not left behind


@pytest.mark.usefixtures("mujoco")
def test_mjcf_that_is_urdf_or_missing(tmp_path):
    path = tmp_path / "a.xml"
    path.write_text(urdf())
    with pytest.raises(ModelError, match="its root is <robot>, not <mujoco>; is it a file for load_urdf"):
        load_mjcf(path)
    with pytest.raises(ModelError, match=r"none\.xml: cannot be read: No such file"):
        load_mjcf(tmp_path / "none.xml")


@pytest.mark.usefixtures("mujoco")
@pytest.mark.parametrize("read", [load_urdf, load_mjcf])
def test_what_is_no_name_of_a_file(read):
    with pytest.raises(ModelError, match="path is None; give the name of a file"):
        read(None)


@pytest.mark.usefixtures("mujoco")
def test_masses_on_fixed_bodies_of_mjcf_are_asked_too(tmp_path):
    path = tmp_path / "a.xml"
    path.write_text(f"<mujoco><worldbody><body name='b'>{MASS}<joint/><body name='tool'>"
                    "<inertial pos='0 0 0' mass='-5' diaginertia='1 1 1'/></body></body></worldbody></mujoco>")
    with pytest.raises(ModelError, match='body "tool" has mass -5 kg; give a finite mass > 0'):
        load_mjcf(path)


@pytest.mark.parametrize("read", [load_urdf, load_mjcf])
def test_without_mujoco_the_sentence_says_what_to_install(monkeypatch, read):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(ModelError, match=r'arm\.xml: .* pip install "fastdyn\[import\]"'):
        read("arm.xml")

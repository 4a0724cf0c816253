"""URDF and MJCF: links, masses, inertias, axes and frames are where MuJoCo itself has them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastdyn.describe import Fixed, Free, Prismatic, Revolute, Spherical, load_mjcf, load_urdf

mujoco = pytest.importorskip("mujoco", reason="MuJoCo, which reads URDF and MJCF, is not installed")

INERTIAL = '<inertial pos=".1 .02 -.03" mass="{mass}" fullinertia=".02 .03 .025 .001 .002 -.003"/>'
MJCF = f"""
<mujoco model="hand">
  <option gravity="1 2 -3"/>
  <worldbody>
    <body name="torso" pos="1 2 3" euler="10 20 30"><freejoint/>{INERTIAL.format(mass=3)}
      <body name="arm" pos=".1 .2 .3" euler="-40 50 60">{INERTIAL.format(mass=1)}
        <joint name="hip" axis="1 2 -1" pos=".05 -.02 .01" ref="30" range="-90 80"
               springref="10" stiffness="2" damping="3"/>
        <joint name="slide" type="slide" axis="0 .6 .8" pos=".3 0 0" ref=".2" range="-1 1" damping=".5"/>
        <joint type="hinge" axis="0 0 2" pos="-.1 .2 0"/>
        <site name="grip" pos=".5 .6 .7"/>
        <body name="ball" pos=".5 0 .1" quat=".5 .5 -.5 .5">{INERTIAL.format(mass=2)}
          <joint type="ball" pos=".01 .02 .03" stiffness=".7" damping=".1"/>
          <body pos="0 .3 0"><geom type="box" size=".1 .2 .3" pos=".1 0 0" euler="10 20 30"/></body>
        </body>
      </body>
      <body name="base" pos="0 0 -1">{INERTIAL.format(mass=1)}<joint type="slide" axis="1 0 0" ref=".5"/></body>
    </body>
  </worldbody>
  <actuator><motor joint="hip" gear="3"/></actuator>
  <sensor><jointpos joint="hip"/></sensor>
</mujoco>"""


def urdf():
    inertial = (
        '<inertial><origin xyz=".1 .02 -.03" rpy=".1 .2 .3"/><mass value="{m}"/>'
        '<inertia ixx=".02" ixy=".001" ixz=".002" iyy=".03" iyz="-.003" izz=".025"/></inertial>'
    )
    mesh = '<collision><geometry><mesh filename="not_there.stl"/></geometry></collision>'
    return f"""
    <robot name="arm">
      <link name="base"/>
      <link name="upper">{inertial.format(m=2)}{mesh}</link>
      <link name="lower">{inertial.format(m=1)}<visual><geometry><box size="1 1 1"/></geometry></visual></link>
      <link name="tool"/>
      <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
        <origin xyz="1 2 3" rpy=".4 .5 .6"/><axis xyz="0 .6 .8"/>
        <limit lower="-1" upper="2" effort="1" velocity="1"/><dynamics damping=".5"/></joint>
      <joint name="elbow" type="prismatic"><parent link="upper"/><child link="lower"/>
        <origin xyz=".1 0 0" rpy="0 1 0"/><axis xyz="1 0 0"/>
        <limit lower="0" upper="1" effort="1" velocity="1"/></joint>
      <joint name="flange" type="fixed"><parent link="lower"/><child link="tool"/><origin xyz=".2 0 0"/></joint>
    </robot>"""


def rotation(turn):
    w, *u = turn
    cross = np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross


def about(axis, angle):
    return rotation([np.cos(angle / 2), *(np.sin(angle / 2) * np.array(axis))])


def frames(chain, q):
    """Where every link is: name -> (origin, axes as columns) in base components, and the joint frame's axes."""
    placed = {"base": (np.zeros(3), np.eye(3))}
    joint_frames = {}
    for link, at in zip(chain.links, chain.joint_positions):
        p, R = placed[link.parent]
        p, R = p + R @ at, R @ rotation(link.turn)
        joint_frames[link.name] = p, R
        x = q[chain.q_slice(link.name)]
        match link.joint:
            case Revolute(axis=axis):
                R = R @ about(axis, x[0])
            case Prismatic(axis=axis):
                p = p + R @ axis * x[0]
            case Spherical():
                R = R @ rotation(x)
            case Free():
                p, R = p + R @ x[:3], R @ rotation(x[3:])
        placed[link.name] = p, R
    return placed, joint_frames


def mujoco_at(model, q):
    data = mujoco.MjData(model)
    data.qpos[:] = q
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    return data


def assert_same_bodies(chain, model, data, q, names):
    """Mass centres, inertias about them and masses, all in base components."""
    placed, _ = frames(chain, q)
    for b, name in names.items():
        body = chain.links[chain.index(name)].rigid_body
        p, R = placed[name]
        assert (body.mass if body else 0.0) == model.body_mass[b]
        assert np.allclose(R, data.xmat[b].reshape(3, 3), atol=1e-14)
        if body is None:
            continue
        X = data.ximat[b].reshape(3, 3)
        assert np.allclose(p + R @ body.com, data.xipos[b], atol=1e-14)
        assert np.allclose(R @ body.inertia @ R.T, X @ np.diag(model.body_inertia[b]) @ X.T, atol=1e-14)


def random_q(model, rng):
    q = rng.uniform(-1, 1, model.nq)
    for j in range(model.njnt):
        start = model.jnt_qposadr[j] + {0: 3, 1: 0}.get(int(model.jnt_type[j]), 0)
        if model.jnt_type[j] <= 1:
            q[start : start + 4] /= np.linalg.norm(q[start : start + 4])
    return q


@pytest.fixture
def hand(tmp_path):
    path = tmp_path / "hand.xml"
    path.write_text(MJCF)
    return path


def test_mjcf_words(hand):
    chain = load_mjcf(hand)
    assert chain.name == "hand"
    assert chain.gravity == (1.0, 2.0, -3.0)
    assert chain.link_names == ("torso", "hip", "slide", "arm", "ball", "body4", "base_link")
    assert [link.joint.kind for link in chain.links] == [
        *("free", "revolute", "prismatic", "revolute", "spherical", "fixed", "prismatic"),
    ]
    assert [link.parent for link in chain.links] == ["base", "torso", "hip", "slide", "arm", "ball", "torso"]
    assert [link.name for link in chain.links if link.rigid_body is None] == ["hip", "slide"]
    hip, slide, ball = (chain.links[i].joint for i in (1, 2, 4))
    assert (hip.stiffness, hip.damping) == (2.0, 3.0)
    assert np.allclose((hip.rest, hip.lower, hip.upper), np.radians((10, -90, 80)))
    assert (slide.lower, slide.upper, slide.damping, slide.limit_stiffness) == (-1.0, 1.0, 0.5, 0.0)
    assert (ball.stiffness, ball.damping) == (0.7, 0.1)
    assert np.allclose(chain.links[3].points["grip"], (0.6, 0.4, 0.7))


def test_mjcf_bodies_are_where_mujoco_has_them(hand):
    chain, rng = load_mjcf(hand), np.random.default_rng(2)
    bodies = {1: "torso", 2: "arm", 3: "ball", 4: "body4", 5: "base_link"}
    model = mujoco.MjModel.from_xml_path(str(hand))
    assert [model.body(b).name for b in bodies] == ["torso", "arm", "ball", "", "base"]
    for _ in range(5):
        q = random_q(model, rng)
        assert_same_bodies(chain, model, mujoco_at(model, q), q, bodies)


def test_mjcf_axes_and_anchors_are_where_mujoco_has_them(hand):
    chain = load_mjcf(hand)
    model = mujoco.MjModel.from_xml_path(str(hand))
    q = random_q(model, np.random.default_rng(3))
    data = mujoco_at(model, q)
    placed, joint_frames = frames(chain, q)
    for j, name in {1: "hip", 2: "slide", 3: "arm", 5: "base_link"}.items():
        R = joint_frames[name][1]
        assert np.allclose(R @ chain.links[chain.index(name)].joint.axis, data.xaxis[j], atol=1e-14)
    for j, name in {1: "hip", 3: "arm", 4: "ball"}.items():
        assert np.allclose(placed[name][0], data.xanchor[j], atol=1e-14)
    grip = placed["arm"][0] + placed["arm"][1] @ chain.links[3].points["grip"]
    mujoco.mj_forward(model, data)
    assert np.allclose(grip, data.site("grip").xpos, atol=1e-14)


@pytest.mark.parametrize("free_base", [False, True])
def test_urdf_words_and_frames(tmp_path, free_base):
    path = tmp_path / "arm.urdf"
    path.write_text(urdf())
    chain = load_urdf(path, free_base=free_base)
    assert chain.name == "arm"
    assert chain.link_names == ("base_link", "upper", "lower", "tool")
    assert chain.links[0].joint == (Free() if free_base else Fixed())
    assert [link.rigid_body is None for link in chain.links] == [True, False, False, True]
    shoulder, elbow = chain.links[1].joint, chain.links[2].joint
    assert (shoulder.lower, shoulder.upper, shoulder.damping) == (-1.0, 2.0, 0.5)
    assert (elbow.kind, elbow.axis, elbow.lower, elbow.upper) == ("prismatic", (1.0, 0.0, 0.0), 0.0, 1.0)
    spec = mujoco.MjSpec.from_string(urdf().replace("<mesh", "<box size='1 1 1'").replace("filename", "name"))
    spec.compiler.fusestatic = False
    q = np.array([0.7, -0.3])
    model = spec.compile()
    names = {b: name for b, name in enumerate(["base", "base_link", "upper", "lower", "tool"]) if b}
    told = np.array([0, 0, 0, 1, 0, 0, 0, *q] if free_base else q)
    assert_same_bodies(chain, model, mujoco_at(model, q), told, names)


def test_urdf_mass_is_that_of_inertial_alone(tmp_path):
    """A link without <inertial> but with a shape is a frame; MuJoCo would weigh the shape as if it were water."""
    path = tmp_path / "arm.urdf"
    shape = '<collision><geometry><box size="1 1 1"/></geometry></collision>'
    path.write_text(urdf().replace('<link name="tool"/>', f'<link name="tool">{shape}</link>'))
    assert load_urdf(path).links[-1].rigid_body is None


def test_warnings_about_pictures_are_no_obstacle(tmp_path):
    """MuJoCo warns of two shapes with one name; no mass or joint depends on them."""
    path = tmp_path / "arm.urdf"
    shape = '<collision name="c"><geometry><box size="1 1 1"/></geometry></collision>'
    path.write_text(urdf().replace('<link name="tool"/>', f'<link name="tool">{shape}{shape}</link>'))
    assert load_urdf(path).link_names == ("base_link", "upper", "lower", "tool")


def test_urdf_floating_and_planar_joints(tmp_path):
    path = tmp_path / "a.urdf"
    path.write_text(urdf().replace('type="revolute"', 'type="floating"').replace('<dynamics damping=".5"/>', ""))
    chain = load_urdf(path)
    assert [(link.name, link.joint.kind) for link in chain.links] == [("upper", "free"), ("lower", "prismatic")]
    assert [link.rigid_body.mass for link in chain.links] == [2.0, 1.0]
    path.write_text(urdf().replace('type="prismatic"', 'type="planar"').replace('<axis xyz="1 0 0"/>', ""))
    assert [link.joint.kind for link in load_urdf(path).links][2:5] == ["prismatic", "prismatic", "revolute"]


@settings(max_examples=20)
@given(st.floats(-3.0, 3.0), st.sampled_from([0, 90, 180, 270]), st.booleans())
def test_rounding_does_not_lift_a_planar_robot_from_its_plane(tmp_path_factory, angle, roll, tilted):
    """A box rolled by right angles about x is symmetric about z = 0 but for rounding; a tilted one is not."""
    path = tmp_path_factory.mktemp("planar") / "a.xml"
    body = f'<geom type="box" size=".1 .2 .3" euler="{roll + tilted} 0 0"/><joint axis="0 0 1"/>'
    path.write_text(
        f'<mujoco><option gravity="0 -9.81 0"/><worldbody><body pos="1 2 0">{body}'
        f'<body pos="1 0 0" euler="0 0 {angle!r}">{body}</body></body></worldbody></mujoco>'
    )
    chain = load_mjcf(path)
    assert chain.planar == (not tilted)


def test_imported_chains_save_and_load(hand, tmp_path):
    from fastdyn.describe import load

    chain = load_mjcf(hand)
    chain.save(tmp_path / "hand.toml")
    assert repr(load(tmp_path / "hand.toml")) == repr(chain)


def test_switched_off_gravity_is_none(tmp_path):
    path = tmp_path / "a.xml"
    option = "<option><flag gravity='disable'/></option>"
    path.write_text(f"<mujoco>{option}<worldbody><body><geom size='.1'/><joint/></body></worldbody></mujoco>")
    assert load_mjcf(path).gravity == (0.0, 0.0, 0.0)

"""Axes that are parallel or square but for a hair: every road keeps the hair, down to where it is rounding."""

import mpmath as mp
import numpy as np
import pytest
from formulations.common import off, within
from formulations.oracle import judged

import fastdyn as fd
from fastdyn import Body, Chain, Link, Revolute

pytestmark = [pytest.mark.usefixtures("one_ladder"), pytest.mark.kernels]
ROADS = "recursive", "denoc", "gibbs-appell", "boltzmann-hamel", "lagrange"
EPS = 2.0**-52
STATE = np.array([0.3, 0.5, -0.7, 1.1]), np.array([1.0, -2.0, 0.5, 0.8]), np.array([0.2, -0.1, 0.3, 0.05])
TILTS = 1e-4, 1e-8, 3e-9, 1e-12, 1e-15, 1e-16, 1e-17


def tilted(way, t):
    """A unit vector t away from the axis that `way` says, z being its parent's."""
    s, c = float(mp.sin(t)), float(mp.cos(t))
    return {"parallel": (0.0, s, c), "against": (s, 0.0, -c), "square": (0.0, c, s)}[way]


def hairs(way, t, thin):
    """Four links, each second axis off by a hair. Thin ones lie along the axis: by the hair alone they weigh on it."""
    axes = (0.0, 0.0, 1.0), tilted(way, t), (0.0, 0.0, 1.0), tilted(way, -t)
    body = Body(mass=1.0, com=(0.0, 0.0, 0.2), inertia=(2e-2, 2e-2, 1e-9)) if thin else Body.rod(0.4, 1.0, 0.02)
    place = (0.0, 0.0, 0.4) if thin else (0.4, 0.0, 0.0)
    return Chain([Link(body=body, joint=Revolute(axis=a), at=place) for a in axes], gravity=(3.0, -9.0, -2.0),
                 space="space")


@pytest.mark.parametrize("t", TILTS)
@pytest.mark.parametrize("way, thin", [("parallel", False), ("parallel", True), ("against", False), ("against", True),
                                       ("square", False)])
def test_a_hair_off_an_aligned_axis(way, thin, t):
    """Below 4 EPS it may be left out, which moves the answer by less than the last digits of the axis do."""
    chain, (q, v, torque) = hairs(way, t, thin), STATE
    torque = 0.0*torque if thin else torque
    expected, growth = judged(chain, q, v, torque)
    for road in ROADS:
        acc = fd.forward_dynamics(chain, q, v, torque, formulation=road)
        assert within(off(acc, expected, least=1.0), max(4.0, growth)*EPS), road


URDF = """<robot name="arm"><link name="world"/>
<link name="a"><inertial><origin xyz="0 0 0.2"/><mass value="1"/>
  <inertia ixx="2e-2" iyy="2e-2" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="b"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
  <inertia ixx="1e-6" iyy="2e-2" izz="2e-2" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="c"><inertial><origin xyz="0 0 0.2"/><mass value="1"/>
  <inertia ixx="2e-2" iyy="2e-2" izz="1e-6" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="a" type="continuous"><parent link="world"/><child link="a"/><origin rpy="1.57079633 0 0"/>
  <axis xyz="0 0 1"/></joint>
<joint name="b" type="continuous"><parent link="a"/><child link="b"/><origin xyz="0 0 0.4" rpy="1.57079633 0 0"/>
  <axis xyz="0 0 1"/></joint>
<joint name="c" type="continuous"><parent link="b"/><child link="c"/>
  <origin xyz="0.4 0 0" rpy="-1.57079633 0 0"/><axis xyz="0 1e-8 1"/></joint>
</robot>"""


def test_right_angles_of_eight_digits(tmp_path):
    """As robots' files have them: 3e-9 from square is square to no digit of a cosine."""
    pytest.importorskip("mujoco", reason="URDF is read where MuJoCo is installed: pip install mujoco")
    (tmp_path/"arm.urdf").write_text(URDF)
    chain, (q, v) = fd.load_urdf(tmp_path/"arm.urdf"), (x[:3] for x in STATE[:2])
    acc, *others = (fd.forward_dynamics(chain, q, v, formulation=road) for road in ROADS)
    growth = np.linalg.cond(fd.mass_matrix(chain, q))
    assert all(within(off(acc, other), growth*EPS) for other in others)

"""MuJoCo, C through its Python binding: `mj_forward`, and inverse dynamics in pieces, all but the tree switched off.

Off are contacts, constraints, actuators and sensors; `mj_forward` is then positions, M and its sparse L'DL, velocities,
bias, solution. Inverse dynamics is called in pieces because `mj_inverse` also makes and factors M.
"""

from typing import ClassVar

import mujoco
import numpy as np

from fastdyn.describe import Spherical

from .peer import Peer


class MuJoCo(Peer):
    name = "MuJoCo"
    package = "mujoco"
    timed: ClassVar = {
        "forward": "mj_forward",
        "inverse": "mj_kinematics, mj_comPos, mj_comVel, mj_rne",
        "mass": "mj_kinematics, mj_comPos, mj_makeM (sparse)",
    }

    def __init__(self, chain, q, v, torque, acc):
        spec = mujoco.MjSpec()
        spec.option.gravity = chain.gravity
        spec.compiler.balanceinertia = False
        parent = spec.worldbody
        for link, at in zip(chain.links, chain.joint_positions):
            body, inertia = link.rigid_body, np.array(link.rigid_body.inertia)
            parent = parent.add_body(
                name=link.name, pos=at, quat=link.turn, mass=body.mass, ipos=body.com, explicitinertial=True,
                fullinertia=[*np.diag(inertia), inertia[0, 1], inertia[0, 2], inertia[1, 2]])
            if isinstance(link.joint, Spherical):
                parent.add_joint(type=mujoco.mjtJoint.mjJNT_BALL)
            else:
                parent.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=link.joint.axis)
        off = mujoco.mjtDisableBit
        spec.option.disableflags = int(
            off.mjDSBL_CONSTRAINT | off.mjDSBL_CONTACT | off.mjDSBL_ACTUATION | off.mjDSBL_SENSOR)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.data.qpos[:], self.data.qvel[:], self.data.qfrc_applied[:] = q, v, torque
        self.acc, self.result = acc, np.empty(len(v))

    def forward(self):
        mujoco.mj_forward(self.model, self.data)
        return self.data.qacc.copy()

    def inverse(self):
        self.data.qacc[:] = self.acc
        self._pieces()
        return self.result.copy()

    def loops(self):
        m, d = self.model, self.data
        return {"forward": self.looped(lambda: mujoco.mj_forward(m, d)), "inverse": self.looped(self._pieces),
                "mass": self.looped(self.mass)}

    def _pieces(self):
        m, d = self.model, self.data
        mujoco.mj_kinematics(m, d)
        mujoco.mj_comPos(m, d)
        mujoco.mj_comVel(m, d)
        mujoco.mj_rne(m, d, 1, self.result)

    def mass(self):
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        mujoco.mj_makeM(self.model, self.data)

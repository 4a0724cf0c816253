"""Pinocchio, C++ through its Python binding: articulated bodies `aba`, Newton-Euler `rnea`, composite bodies `crba`."""

from typing import ClassVar

import numpy as np
import pinocchio as pin

from fastdyn.describe import Spherical
from fastdyn.describe.compile import matrices

from .peer import AXIS_NAMES, Peer, to_scalar_last


class Pinocchio(Peer):
    name = "Pinocchio"
    package = "pin"
    most = 400                                          # its Data holds 6 nv^3 numbers: 3 GB
    timed: ClassVar = {"forward": "aba", "inverse": "rnea", "mass": "crba (upper triangle)"}

    def __init__(self, chain, q, v, torque, acc):
        self.model = pin.Model()
        self.model.gravity.linear = np.array(chain.gravity)
        parent = 0
        for link, at in zip(chain.links, chain.joint_positions):
            place = pin.SE3(matrices(np.array([link.turn]))[0], np.array(at))
            parent = self.model.addJoint(parent, _joint(link.joint), place, link.name)
            body = link.rigid_body
            inertia = pin.Inertia(body.mass, np.array(body.com), np.array(body.inertia))
            self.model.appendBodyToJoint(parent, inertia, pin.SE3.Identity())
        self.data = self.model.createData()
        self.q = to_scalar_last(chain, q)
        self.v, self.torque, self.acc = v, torque, acc

    def forward(self):
        return pin.aba(self.model, self.data, self.q, self.v, self.torque).copy()

    def inverse(self):
        return pin.rnea(self.model, self.data, self.q, self.v, self.acc).copy()

    def loops(self):
        m, d, q, v, torque, acc = self.model, self.data, self.q, self.v, self.torque, self.acc
        return {
            "forward": self.looped(lambda: pin.aba(m, d, q, v, torque)),
            "inverse": self.looped(lambda: pin.rnea(m, d, q, v, acc)),
            "mass": self.looped(lambda: pin.crba(m, d, q)),
        }


def _joint(joint):
    """Its quickest joint of that kind: the ones about x, y, z where they fit."""
    if isinstance(joint, Spherical):
        return pin.JointModelSpherical()
    aligned = {"x": pin.JointModelRX, "y": pin.JointModelRY, "z": pin.JointModelRZ}
    letter = AXIS_NAMES.get(joint.axis)
    return aligned[letter]() if letter else pin.JointModelRevoluteUnaligned(np.array(joint.axis))

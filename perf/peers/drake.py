"""Drake, C++ through its Python binding: time derivatives and inverse dynamics of a MultibodyPlant."""

from typing import ClassVar

import numpy as np
from pydrake.math import RigidTransform, RotationMatrix, RollPitchYaw
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    BallRpyJoint, FixedOffsetFrame, MultibodyForces, RevoluteJoint, RotationalInertia, SpatialInertia)

from fastdyn.describe import Spherical
from fastdyn.describe.compile import matrices

from .peer import Peer


class Drake(Peer):
    """Its ball joint has roll-pitch-yaw angles, and velocities and torques along the parent's axes: turned here."""

    name = "Drake"
    package = "drake"
    timed: ClassVar = {
        "forward": "EvalTimeDerivatives after get_mutable_continuous_state",
        "inverse": "CalcForceElementsContribution (gravity), CalcInverseDynamics, likewise",
        "mass": "CalcMassMatrix, likewise",
    }

    def __init__(self, chain, q, v, torque, acc):
        self.plant = plant = MultibodyPlant(0.0)
        plant.mutable_gravity_field().set_gravity_vector(np.array(chain.gravity))
        parent = plant.world_body()
        self.balls = isinstance(chain.links[0].joint, Spherical)
        for link, at in zip(chain.links, chain.joint_positions):
            body = plant.AddRigidBody(link.name, _inertia(link.rigid_body))
            place = RigidTransform(RotationMatrix(matrices(np.array([link.turn]))[0]), np.array(at))
            frame = plant.AddFrame(FixedOffsetFrame(f"{link.name} joint", parent.body_frame(), place))
            if self.balls:
                joint = BallRpyJoint(f"{link.name} ball", frame, body.body_frame())
            else:
                joint = RevoluteJoint(f"{link.name} hinge", frame, body.body_frame(), np.array(link.joint.axis))
            plant.AddJoint(joint)
            parent = body
        plant.Finalize()
        self.context = plant.CreateDefaultContext()
        self.turns = matrices(q.reshape(-1, 4)) if self.balls else None
        positions = np.concatenate([RollPitchYaw(RotationMatrix.ProjectToRotationMatrix(R)).vector()
                                    for R in self.turns]) if self.balls else q
        plant.SetPositionsAndVelocities(self.context, np.concatenate([positions, self._to_parent(v)]))
        plant.get_applied_generalized_force_input_port().FixValue(self.context, self._to_parent(torque))
        self.acc = self._to_parent(acc)
        self.forces = MultibodyForces(plant)

    def _to_parent(self, x):
        return np.einsum("nij,nj->ni", self.turns, x.reshape(-1, 3)).ravel() if self.balls else x

    def _to_link(self, x):
        return np.einsum("nji,nj->ni", self.turns, x.reshape(-1, 3)).ravel() if self.balls else x

    def forward(self):
        """d(E w)/dt = E dw/dt: turned back, the rate of the components along the link's axes."""
        return self._to_link(self._rates().get_generalized_velocity().CopyToVector())

    def inverse(self):
        return self._to_link(self._torques())

    def loops(self):
        return {"forward": self.looped(self._rates), "inverse": self.looped(self._torques),
                "mass": self.looped(self._mass)}

    def _rates(self):
        self.context.get_mutable_continuous_state()                    # forget what is cached
        return self.plant.EvalTimeDerivatives(self.context)

    def _torques(self):
        self.context.get_mutable_continuous_state()
        self.plant.CalcForceElementsContribution(self.context, self.forces)
        return self.plant.CalcInverseDynamics(self.context, self.acc, self.forces)

    def _mass(self):
        self.context.get_mutable_continuous_state()
        return self.plant.CalcMassMatrix(self.context)


def _inertia(body):
    I, com = np.array(body.inertia), np.array(body.com)
    about_com = RotationalInertia(I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
    return SpatialInertia.MakeFromCentralInertia(body.mass, com, about_com)

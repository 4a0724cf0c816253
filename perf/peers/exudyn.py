"""Exudyn, C++: a kinematic tree in minimal coordinates, composite-body mass matrix and a linear solver.

It has no function for forward dynamics: timed are explicit Euler steps so short that the state stays, one evaluation
of the right-hand side each, by a clock around its solver's loop. Revolute joints only: about z, links turned to suit.
"""

import time
from typing import ClassVar

import exudyn as exu
import exudyn.itemInterface as item
import numpy as np

from fastdyn.describe.compile import across, matrices

from .peer import Peer

STEP = 1e-9                                             # s: the state stays, the solver still counts its steps
ASIDE = 1e-12                                           # s: for the accelerations it answers


class Exudyn(Peer):
    name = "Exudyn"
    package = "exudyn"
    timed: ClassVar = {"forward": "an explicit Euler step of an ObjectKinematicTree"}
    families = ("aligned", "revolute", "planar")
    most = 100                                          # dense: 1 s a call at 1000

    def __init__(self, chain, q, v, torque, acc):
        self.container = exu.SystemContainer()
        self.mbs = self.container.AddSystem()
        n = len(chain.links)
        to_z = [np.eye(3), *(_turned(np.array(link.joint.axis)) for link in chain.links)]
        bodies = [link.rigid_body for link in chain.links]
        turns = matrices(np.array([link.turn for link in chain.links]))
        node = self.mbs.AddNode(item.NodeGenericODE2(
            referenceCoordinates=[0.0]*n, initialCoordinates=q.tolist(), initialCoordinates_t=v.tolist(),
            numberOfODE2Coordinates=n))
        self.mbs.AddObject(item.ObjectKinematicTree(
            nodeNumber=node, gravity=list(chain.gravity), jointTypes=[exu.JointType.RevoluteZ]*n,
            linkParents=list(range(-1, n - 1)),
            jointTransformations=exu.Matrix3DList([W.T @ R @ Z for W, R, Z in zip(to_z, turns, to_z[1:])]),
            jointOffsets=exu.Vector3DList([W.T @ np.array(p) for W, p in zip(to_z, chain.joint_positions)]),
            linkInertiasCOM=exu.Matrix3DList([Z.T @ np.array(b.inertia) @ Z for Z, b in zip(to_z[1:], bodies)]),
            linkCOMs=exu.Vector3DList([Z.T @ np.array(b.com) for Z, b in zip(to_z[1:], bodies)]),
            linkMasses=[b.mass for b in bodies], jointForceVector=torque.tolist()))
        self.mbs.Assemble()
        self.settings = exu.SimulationSettings()
        self.settings.timeIntegration.verboseMode = 0
        self.settings.displayComputationTime = False
        self.settings.solutionSettings.writeSolutionToFile = False
        self.settings.solutionSettings.sensorsWritePeriod = 1.0
        self.settings.timeIntegration.explicitIntegration.dynamicSolverType = exu.DynamicSolverType.ExplicitEuler

    def forward(self):
        self._steps(1, ASIDE)
        return np.array(self.mbs.systemData.GetODE2Coordinates_tt())

    def loops(self):
        return {"forward": self._steps}

    def _steps(self, calls, step=STEP):
        """Seconds in the solver's loop over `calls` steps."""
        self.settings.timeIntegration.numberOfSteps = calls
        self.settings.timeIntegration.endTime = calls*step
        solver = exu.MainSolverExplicit()
        solver.InitializeSolver(self.mbs, self.settings)
        started = time.perf_counter()
        solver.SolveSteps(self.mbs, self.settings)
        seconds = time.perf_counter() - started
        solver.FinalizeSolver(self.mbs, self.settings)
        if abs(self.mbs.systemData.GetTime() - calls*step) > 0.5*step:
            raise ArithmeticError("Exudyn did not take the steps it was asked for")
        return seconds


def _turned(axis):
    """A rotation whose third column is the axis."""
    x = across(axis[None])[0]
    return np.column_stack([x, np.cross(axis, x), axis])

"""The falling chain in Exudyn as its users would build it: rows of beam elements, pins, contact by springs.

Each link is a row of geometrically exact beam elements (ObjectBeamGeometricallyExact2D) with the section, mass and
damping of the published link, or of cables in absolute nodal coordinates (ObjectANCFCable2D): the same section without
shear and without rotary inertia, which that element does not have. Pins are ObjectJointRevolute2D; contact and friction
are CoordinateSpringDampers with the published laws as functions in Python. Implicit (generalized alpha) with fixed
steps: the instants of contact are not located, and the explicit solvers take no pins. The links also stretch, and bend
in all shapes their elements can take: what it converges to is not what the chain with one mode a link does.
"""

import math
import time
import warnings
from itertools import pairwise

import exudyn as exu
import exudyn.itemInterface as item
import numpy as np

from fastdyn.describe.catalog import falling_chain

EXACT, ANCF = "geometrically exact beams", "ANCF cables"     # kinds of elements
TOLERANCE = 1e-6    # of Newton's residual, relative and absolute; with the one it comes with flight does not converge


class Fall:
    """The chain at a time of its free fall; `run` goes on from there."""

    def __init__(self, elements, t, kind=EXACT):
        self.kind = kind
        chain = falling_chain()
        self.beam, self.ground, self.t = chain.links[0].elastic.beam, chain.grounds[0], t
        self.g, length = -chain.gravity[1], self.beam.length
        q = chain.start_state()[0]
        self.mbs = exu.SystemContainer().AddSystem()
        self.fixed = self._marker(item.MarkerNodeCoordinate, self.mbs.AddNode(item.NodePointGround()), coordinate=0)
        self.touched, self.force, self.points, before = {}, {}, [], None
        angle, place = 0.0, np.array([q[0], q[1] - self.g*t*t/2])
        for k in range(len(chain.links)):
            angle += q[2 + 2*k]
            along = length*np.array([math.cos(angle), math.sin(angle)])
            nodes = self._link(place, along, angle, elements)
            end = item.MarkerNodeRigid if kind == EXACT else item.MarkerNodePosition
            ends = [self._marker(end, node) for node in (nodes[0], nodes[-1])]
            if before is not None:
                self.mbs.AddObject(item.ObjectJointRevolute2D(markerNumbers=[before, ends[0]]))
            self._meet(nodes[0])
            before, place = ends[1], place + along
        self._meet(nodes[-1])
        self.mbs.Assemble()

    def _marker(self, kind, node, **words):
        return self.mbs.AddMarker(kind(nodeNumber=node, **words))

    def _link(self, place, along, angle, elements):
        """A straight row of elements that falls; its nodes."""
        mbs, beam = self.mbs, self.beam
        node, turned = ((item.NodeRigidBody2D, [angle]) if self.kind == EXACT else
                        (item.NodePoint2DSlope1, [math.cos(angle), math.sin(angle)]))
        nodes = [mbs.AddNode(node(referenceCoordinates=[*(place + along*j/elements), *turned],
                                  initialVelocities=[0.0, -self.g*self.t, *[0.0]*len(turned)]))
                 for j in range(elements + 1)]
        section = {"physicsLength": beam.length/elements, "physicsMassPerLength": beam.mu,
                   "physicsBendingStiffness": beam.E*beam.I, "physicsAxialStiffness": beam.E*beam.A,
                   "physicsBendingDamping": beam.K_v*beam.I}
        for pair in pairwise(nodes):
            body = mbs.AddObject(item.ObjectANCFCable2D(nodeNumbers=list(pair), **section) if self.kind == ANCF else
                                 item.ObjectBeamGeometricallyExact2D(
                nodeNumbers=list(pair), **section, physicsCrossSectionInertia=beam.J33,
                physicsShearStiffness=beam.k*beam.G*beam.A))
            mbs.AddLoad(item.LoadMassProportional(
                markerNumber=mbs.AddMarker(item.MarkerBodyMass(bodyNumber=body)), loadVector=[0.0, -self.g, 0.0]))
        return nodes

    def _meet(self, node):
        """Contact and friction of a node; the normal force is asked for first."""
        contact, friction, k = self.ground.contact, self.ground.friction, len(self.points)
        share = 1.5*(1.0 - contact.restitution)/contact.restitution          # Hu & Guo
        height = float(self.mbs.GetNode(node)["referenceCoordinates"][1])

        def normal(mbs, t, number, u, v, *rest):
            depth = -(u + height)
            if depth <= 0.0:
                self.touched.pop(k, None)
                self.force[k] = 0.0
            else:
                speed = self.touched.setdefault(k, max(-v, 1e-6))
                self.force[k] = contact.stiffness*depth**1.5*(1.0 - share*v/speed)
            return -self.force[k]

        def tangent(mbs, t, number, u, v, *rest):
            grown = min(max((abs(v) - friction.v0)/(friction.v1 - friction.v0), 0.0), 1.0)
            return friction.mu*self.force.get(k, 0.0)*grown*math.copysign(1.0, v)

        for law, axis in ((normal, 1), (tangent, 0)):
            marker = self._marker(item.MarkerNodeCoordinate, node, coordinate=axis)
            self.mbs.AddObject(item.CoordinateSpringDamper(markerNumbers=[self.fixed, marker],
                                                           springForceUserFunction=law))
        self.points.append(node)

    def run(self, t_end, h):
        """(seconds of the processor, places of joints and tips at the end)"""
        settings = exu.SimulationSettings()
        steps = settings.timeIntegration
        steps.startTime, steps.endTime, steps.numberOfSteps = self.t, t_end, round((t_end - self.t)/h)
        steps.newton.useModifiedNewton, steps.generalizedAlpha.spectralRadius = True, 0.8
        steps.newton.relativeTolerance = steps.newton.absoluteTolerance = TOLERANCE
        steps.verboseMode, settings.displayComputationTime = 0, False
        settings.solutionSettings.writeSolutionToFile = False
        settings.solutionSettings.sensorsWritePeriod = t_end
        settings.linearSolverType = exu.LinearSolverType.EigenSparse
        began = time.process_time()
        self.mbs.SolveDynamic(settings)
        took = time.process_time() - began
        return took, np.array([self.mbs.GetNodeOutput(node, exu.OutputVariableType.Position)[:2]
                               for node in self.points])


def fall(elements, t, t_end, h, kind=EXACT):
    """(seconds of the processor, places of joints and tips at t_end) of a chain that falls freely until t."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)         # of names that older ones want
        return Fall(elements, t, kind).run(t_end, h)

"""Published mechanisms in space with closed loops or stiff springs across: Bricard's linkage, a flyball governor."""

import math

import numpy as np

from .body import Body
from .chain import Chain
from .check import positive
from .closures import Closure
from .joints import Prismatic, Revolute
from .link import Link

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def beam_body(length, section, mass, at=0.5):
    """A bar of square section along x, its mass centre at a share of its length."""
    along, across = mass*section**2/6, mass*(length**2 + section**2)/12
    return Body(mass=mass, com=(at*length, 0.0, 0.0), inertia=(along, across, across))


def bricard() -> Chain:
    """Bricard's linkage: five bars of 1 m and 1 kg on six hinges across each other, which moves though it should not.

    Six closures of the last hinge hold five coordinates, and one of them says nothing new. It falls along -y from
    three edges of a cube.
    """
    points = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], float)
    hinges, frame, links = "yzxyz", np.eye(3), []
    for k, (a, b, hinge) in enumerate(zip(points, points[1:], hinges)):
        x = b - a
        y = np.roll(x, 1)
        own = np.column_stack([x, y, np.cross(x, y)])
        links.append(Link(name=f"bar{k + 1}", turn=_quaternion(frame.T @ own), length=1.0,
                          body=beam_body(1.0, 0.1, 1.0), joint=Revolute(axis=tuple(own.T @ AXES[hinge]))))
        frame = own
    last = Closure(kind="pin", a=tuple(points[5]), b="bar5.tip", axis=AXES["x"], turn=_quaternion(frame))
    return Chain(links, gravity=(0.0, -9.81, 0.0), closures=[last], space="space", name="bricard")


def flyball(stiffness: float = 8e5, damping: float = 4e4) -> Chain:
    """A stiff flyball governor: a shaft that turns freely, a sleeve on it, two arms with balls, springs between them.

    Parameters
    ----------
    stiffness, damping : of the springs from the sleeve to the middle of each arm, N/m and N s/m.
    """
    # arms lie in the shaft's xz plane, 30 degrees below the horizontal; links of the shaft have x upwards
    upright, half = (math.cos(math.pi/4), 0.0, -math.sin(math.pi/4), 0.0), math.radians(30.0)
    shaft = Link(name="shaft", parent="base", length=1.0, turn=upright, body=beam_body(1.0, 0.01, 0.3),
                 joint=Revolute(axis=(1.0, 0.0, 0.0)))
    sleeve = Link(name="sleeve", parent="shaft", at=(0.0, 0.0, 0.0), joint=Prismatic(),
                  points={"right": (0.0, 0.0, -0.05), "left": (0.0, 0.0, 0.05)},
                  body=Body(mass=3.0, inertia=(0.005,)*3))
    links, closures = [shaft, sleeve], []
    for name, way in (("right", -1.0), ("left", 1.0)):
        rod = beam_body(1.0, 0.01, 0.3)
        com = (0.3*0.5 + 5.0)/5.3
        about = rod.inertia[1][1] + 0.3*(com - 0.5)**2 + 5.0*(1.0 - com)**2
        angle = -way*(math.pi/2 + half)                     # from upwards to the arm, about the shaft's y
        links.append(Link(name=name, parent="shaft", at=(1.0, 0.0, 0.05*way), length=1.0,
                          turn=(math.cos(angle/2), 0.0, math.sin(angle/2), 0.0), joint=Revolute(axis=(0.0, 1.0, 0.0)),
                          points={"middle": (0.5, 0.0, 0.0)},
                          body=Body(mass=5.3, com=(com, 0.0, 0.0), inertia=(rod.inertia[0][0], about, about))))
        closures.append(Closure(kind="distance", a=f"sleeve.{name}", b=f"{name}.middle", length=0.5,
                                name=f"{name} spring", damping=damping,
                                stiffness=positive(stiffness, "stiffness", "N/m")))
    return Chain(links, closures=closures, start_q=(0.0, 0.5, 0.0, 0.0), start_v=(2*math.pi, 0.0, 0.0, 0.0),
                 space="space", name="flyball")


def _quaternion(R):
    """(w, x, y, z) of a rotation matrix."""
    K = np.array([[R[0, 0] + R[1, 1] + R[2, 2], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
                  [0.0, R[0, 0] - R[1, 1] - R[2, 2], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
                  [0.0, 0.0, R[1, 1] - R[0, 0] - R[2, 2], R[1, 2] + R[2, 1]],
                  [0.0, 0.0, 0.0, R[2, 2] - R[0, 0] - R[1, 1]]])
    p = np.linalg.eigh(K, UPLO="U")[1][:, -1]
    return tuple((p/np.linalg.norm(p)*(1.0 if p[np.argmax(np.abs(p))] > 0 else -1.0)).tolist())

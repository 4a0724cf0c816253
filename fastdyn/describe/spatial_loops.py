"""Published mechanisms in space with closed loops or stiff springs: Bricard's linkage, a flyball governor, six legs."""

import math

import numpy as np

from ..status import ModelError
from .body import Body
from .chain import EARTH, Chain
from .check import not_negative, number, positive
from .closures import Closure
from .joints import Free, Prismatic, Revolute, Universal
from .link import Link
from .signals import Constant
from .words import spelt

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def beam_body(length, section, mass, at=0.5):
    """A bar of square section along x, its mass centre at a share of its length."""
    along, across = mass*section**2/6, mass*(length**2 + section**2)/12
    return Body(mass=mass, com=(at*length, 0.0, 0.0), inertia=(along, across, across))


@spelt
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


@spelt
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


@spelt
def stewart(base_radius: float = 1.0, platform_radius: float = 0.6, spread: float = 0.25, height: float = 1.2,
            mass: float = 20.0, cylinder_mass: float = 2.0, rod_mass: float = 1.0, push: float | None = None) -> Chain:
    """A platform on six legs that slide [Gough 1957; Stewart 1965], level over the middle of its base at the start.

    A leg stands on a universal joint and carries the platform by a ball joint, which closes a loop. Coordinates: two
    angles and the stroke of each leg, zero at the start, then place and attitude of the platform.

    Parameters
    ----------
    base_radius, platform_radius : of the circles of joints, m.
    spread : half the angle of a pair of joints seen from the middle, rad; pairs above stand between pairs below.
    height : of the platform over the base at the start, m.
    mass : of the platform, a uniform disk, kg.
    cylinder_mass, rod_mass : of the lower and the upper bar of a leg, slender, 0.6 of its length at the start, kg.
    push : constant force of each slide, N; not given: what holds the platform where it starts.
    """
    base, top, height = (positive(x, what, "m") for x, what in (
        (base_radius, "base_radius"), (platform_radius, "platform_radius"), (height, "height")))
    mass, lower, upper = (positive(x, what, "kg") for x, what in (
        (mass, "mass"), (cylinder_mass, "cylinder_mass"), (rod_mass, "rod_mass")))
    if not_negative(spread, "spread", "rad") >= math.pi/3:
        raise ModelError(f"spread is {spread} rad: pairs of joints meet; give less than pi/3")
    feet, heads = _circle(base, spread), _circle(top, math.pi/3 - spread)
    legs = heads + (0.0, 0.0, height) - feet
    length = float(np.linalg.norm(legs[0]))
    push = Constant(_holding(height/length, mass, lower, upper) if push is None else number(push, "push", "N"))
    links, closures = [], []
    for k, (foot, leg) in enumerate(zip(feet, legs), 1):
        x, y = leg/length, np.cross((0.0, 0.0, 1.0), leg)
        y /= np.linalg.norm(y)
        links.append(Link(name=f"cylinder{k}", parent="base", at=tuple(foot), length=0.6*length, mass=lower,
                          turn=_quaternion(np.column_stack([x, y, np.cross(x, y)])),
                          joint=Universal(axes=(AXES["y"], AXES["z"]))))
        links.append(Link(name=f"rod{k}", at=(0.4*length, 0.0, 0.0), length=0.6*length, mass=upper,
                          joint=Prismatic(drive=push)))
        closures.append(Closure(kind="ball", a=f"rod{k}.tip", b=f"platform.head{k}", name=f"head {k}"))
    moment = mass*top*top/4
    links.append(Link(name="platform", parent="base", at=(0.0, 0.0, height), joint=Free(),
                      body=Body(mass=mass, inertia=(moment, moment, 2*moment)),
                      points={f"head{k}": tuple(head) for k, head in enumerate(heads.tolist(), 1)}))
    return Chain(links, closures=closures, space="space", name="stewart")


def _circle(radius, spread):
    """(6, 3): pairs of places on a circle about the directions 0, 120 and 240 degrees."""
    angles = np.array([way*spread + 2*math.pi/3*pair for pair in range(3) for way in (-1, 1)])
    return np.column_stack([radius*np.cos(angles), radius*np.sin(angles), np.zeros(6)])


def _holding(steep, mass, lower, upper):
    """N, of each slide at rest, by virtual work: the platform goes up by 1, the slides by `steep`, the sine of a leg.

    A leg of length 1 turns up by 1 - steep^2, and takes its bars, whose middles are 0.3 from foot and head, along.
    """
    turned = 0.3*(1.0 - steep*steep)
    return EARTH*(mass/6 + lower*turned + upper*(1.0 - turned))/steep


def _quaternion(R):
    """(w, x, y, z) of a rotation matrix."""
    K = np.array([[R[0, 0] + R[1, 1] + R[2, 2], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
                  [0.0, R[0, 0] - R[1, 1] - R[2, 2], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
                  [0.0, 0.0, R[1, 1] - R[0, 0] - R[2, 2], R[1, 2] + R[2, 1]],
                  [0.0, 0.0, 0.0, R[2, 2] - R[0, 0] - R[1, 1]]])
    p = np.linalg.eigh(K, UPLO="U")[1][:, -1]
    return tuple((p/np.linalg.norm(p)*(1.0 if p[np.argmax(np.abs(p))] > 0 else -1.0)).tolist())

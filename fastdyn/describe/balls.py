"""Chains on ball joints: the published pair of pushed links, an arm on a floating base, a heavy top."""

import math

from ..status import ModelError
from .body import Body
from .chain import EARTH, Chain
from .check import MOST_LINKS, not_negative, number, one_of, positive, shown, whole
from .joints import Free, Revolute, Spherical
from .link import Link
from .loads import Load
from .signals import Sine
from .words import spelt

PRINTED_INERTIA = 0.2                                   # kg m^2
WEIGHTLESS = (0.0, 0.0, 0.0)


@spelt
def two_link(
    case: str = "A",
    joint: str = "spherical",
    mass: float = 3.0,
    half_length: float = 1.0,
    roll_inertia: float = 0.2,
    force: float = 0.1,
    omega: float = 1.0,
) -> Chain:
    """Two equal links without weight, each pushed at its far end across itself by force*sin(omega*t).

    The published example of chains of ball joints; it stays in the plane z = 0. It starts straight along x, at rest.

    Parameters
    ----------
    case : "A", slender rods with mass*half_length^2/3 across, as the published equations have it; "B", 0.2 kg m^2
        across, as the published table has it, which is no solution of those equations.
    joint : "spherical" computes in space, "revolute" in the plane.
    mass : of a link, kg.
    half_length : m.
    roll_inertia : of a link about its own axis, kg m^2; without influence in the plane. (The published 1 kg m^2 is more
        than a body with 0.2 across can have.)
    force, omega : N, rad/s; the forces turn with their links.
    """
    one_of(case, ("A", "B"), "case")
    one_of(joint, ("spherical", "revolute"), "joint")
    m, l = positive(mass, "mass", "kg"), positive(half_length, "half_length", "m")
    across = m*l*l/3 if case == "A" else PRINTED_INERTIA
    roll = not_negative(roll_inertia, "roll_inertia", "kg m^2")
    if roll > 2*across:
        raise ModelError(f"roll_inertia is {shown(roll)} kg m^2; a link with {across:.6g} kg m^2 across has at most "
                         "twice that about its own axis: give less, or a longer half_length")
    push = Load(force=(0.0, number(force, "force", "N"), 0.0), at=(2*l, 0.0, 0.0),
                signal=Sine(1.0, number(omega, "omega", "rad/s")))
    body = Body(mass=m, com=(l, 0.0, 0.0), inertia=(roll, across, across))
    hinge = Spherical() if joint == "spherical" else Revolute()
    return Chain([Link(length=2*l, joint=hinge, body=body, loads=[push])]*2, gravity=WEIGHTLESS, name="two-link")


@spelt
def space_arm(
    n: int = 2,
    base_mass: float = 100.0,
    base_size: float = 1.0,
    mass: float = 10.0,
    length: float = 1.0,
    radius: float = 0.1,
    stiffness: float = 120.0,
    damping: float = 30.0,
    torque: float = 80.0,
    omega: float = 1.0,
) -> Chain:
    """A floating box with an arm of n rods on ball joints that circle under torques of their own.

    All starts at rest, straight along x, without weight: no torque inside changes the momenta, so both stay zero. The
    arm, sprung straight, is pulled round by joint torques about its y and z axes in quadrature, and the box turns the
    other way about.

    Parameters
    ----------
    n : rods, 1 or more.
    base_mass, base_size : of the cube the arm sits on, kg, m.
    mass, length, radius : of a rod, kg, m, m.
    stiffness, damping : of a ball joint, N m/rad, N m s/rad.
    torque, omega : amplitude, N m, and rate, rad/s, of the torques at the box. Joints further out have less of torque,
        stiffness and damping, as the square of how many rods they carry.
    """
    n = whole(n, "n", "rods", most=MOST_LINKS)
    edge, omega = positive(base_size, "base_size", "m"), number(omega, "omega", "rad/s")
    box = Body.box((edge, edge, edge), positive(base_mass, "base_mass", "kg"))
    body = Body.rod(length, mass, positive(radius, "radius", "m"))
    links = [Link(name="box", joint=Free(), body=box)]
    for i in range(n):
        share = ((n - i)/n)**2
        pull = share*number(torque, "torque", "N m")
        drive = [Sine(0.0, omega), Sine(pull, omega), Sine(pull, omega, phase=math.pi/2)]
        joint = Spherical(stiffness=share*not_negative(stiffness, "stiffness", "N m/rad"),
                          damping=share*not_negative(damping, "damping", "N m s/rad"), drive=drive)
        links.append(Link(name=f"arm{i + 1}", length=length, body=body, joint=joint,
                          at=(edge/2, 0.0, 0.0) if i == 0 else None))
    return Chain(links, gravity=WEIGHTLESS, space="space", name="space-arm")


@spelt
def heavy_top(
    mass: float = 1.0,
    height: float = 0.2,
    radius: float = 0.1,
    spin: float = 150.0,
    tilt: float = 30.0,
    precession: float = 0.0,
    gravity: float = EARTH,
) -> Chain:
    """A disc on a stick without mass whose foot is held in a ball joint; it stands up and leans.

    x of the link is the axis of symmetry, upward at joint zero.

    Parameters
    ----------
    mass, radius : of the disc, kg, m.
    height : of the disc above the foot, m.
    spin : of the disc about its axis against a frame that takes part in the precession, rad/s.
    tilt : from the vertical towards y, degrees.
    precession : of the axis about the vertical at the start, rad/s; 0 lets the axis go from rest.
    gravity : m/s^2.
    """
    m, r, h = positive(mass, "mass", "kg"), positive(radius, "radius", "m"), positive(height, "height", "m")
    lean = math.radians(number(tilt, "tilt", "degrees"))
    turning, spin = number(precession, "precession", "rad/s"), number(spin, "spin", "rad/s")
    quarter = math.sqrt(0.5)
    disc = Body(mass=m, com=(h, 0.0, 0.0), inertia=(m*r*r/2, m*r*r/4, m*r*r/4))
    top = Link(name="top", length=h, joint=Spherical(), turn=(quarter, 0.0, -quarter, 0.0), body=disc)
    return Chain([top], gravity=(0.0, 0.0, -number(gravity, "gravity", "m/s^2")), name="heavy-top",
                 start_q=(math.cos(lean/2), 0.0, 0.0, math.sin(lean/2)),
                 start_v=(spin + turning*math.cos(lean), -turning*math.sin(lean), 0.0))

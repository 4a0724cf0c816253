"""Spatial arms by name: the Canadarm2 (canadarm.py), spin-up beams, a flexible arm."""

from ..describe.check import MOST_LINKS, one_of, whole
from ..describe.words import spelt
from .canadarm import canadarm2
from .describe import Body, FlexibleLink, Joint, Link, SpatialArm

SPIN_BEAMS = {
    "kane": {"length": 10.0, "rho_A": 1.2, "EA": 2.8e7, "EIz": 1.4e4},
    "wu-haug": {"length": 8.0, "rho_A": 2766.67*7.2968e-5, "EA": 6.8952e10*7.2968e-5, "EIz": 6.8952e10*8.2189e-9},
}


@spelt
def spin_up(beam: str = "kane", speed: float = 6.0, modes: int = 3, axial: int = 0, foreshortening: bool = True,
            span: float = 15.0):
    """A beam on a hub that is brought to `speed`, rad/s, within `span`, s: dynamic stiffening.

    Parameters
    ----------
    beam : "kane", 10 m, or "wu-haug", 8 m.
    modes, axial : of bending in the plane of the turn, and along the beam.
    foreshortening : without it a fast beam goes aside without bound.
    """
    modes, axial = whole(modes, "modes", "modes"), whole(axial, "axial", "modes", 0)
    numbers = SPIN_BEAMS[one_of(beam, tuple(SPIN_BEAMS), "beam")]
    words = FlexibleLink(**numbers, modes=(axial, modes, 0, 0), foreshortening=foreshortening)
    return SpatialArm((Link(Joint(spin=(speed, span)), words),), name="spin-up")


@spelt
def flexible_arm(links: int = 2, modes=(1, 2, 2, 1), stiffness: float = 400.0, rotation: str = "linear",
                 foreshortening: bool = True):
    """An arm of equal flexible links of 2 m on flexible joints, each axis at right angles to the one before.

    Parameters
    ----------
    modes : of each link: axial, y, z, torsion. stiffness : of each joint, N m/rad.
    rotation : of sections, "linear" or "exp".
    """
    links = whole(links, "links", "links", most=MOST_LINKS)
    beam = FlexibleLink(2.0, 2.0, 2e5, 300.0, 200.0, 150.0, 5e-4, 8e-4, modes, foreshortening, rotation)
    across = ((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0))
    straight = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    return SpatialArm(tuple(Link(Joint(turn=across if k else straight, stiffness=stiffness, rotor=0.2), beam,
                                 distal=(Body(0.5),)) for k in range(links)), (0.0, -9.81, 0.0), name="flexible-arm")


CATALOG = {"canadarm2": canadarm2, "spin-up": spin_up, "flexible-arm": flexible_arm}

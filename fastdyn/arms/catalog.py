"""Spatial arms by name: the simplified Canadarm2 that falls on an oblique plane, spin-up beams, a flexible arm.

Provenance of numbers: "given" by the source, "public" data of the Shuttle arm [Nguyen & Hughes 1994], "reconstructed"
from the wording of the source, "free choice" where any other value would be as legitimate.
"""

import math

import numpy as np

from ..status import ModelError
from .describe import Body, FlexibleLink, Joint, Link, Plane, SpatialArm

FRICTIONS = {
    "I": ("ambrosio", {"mu": 0.5, "v0": 0.01, "v1": 0.1}),
    "II": ("tanh", {"mu": 0.5, "tangential": 1.0, "steepness": 20.0}),
    "III": ("step", {"mu": 0.4, "mu_static": 0.5, "v_static": 0.1, "v_sliding": 1.0}),
    "none": ("none", {}),
}
TILT = math.radians(20.0)
CANADARM2 = {
    "boom lengths 6.377 and 7.060 m": "given and public", "boom masses 139.35 and 87.42 kg": "given and public",
    "elbow offset -0.475 m": "given", "wrist masses, centres, inertias": "given and public",
    "EI, EA, GJ of the booms": "free choice", "joint stiffness 1e5 N m/rad, rotors 1 kg m^2": "free choice",
    "modes per boom": "free choice", "start at +25 and -25 degrees": "free choice",
    "plane turned about X": "given", "its angle, 20 degrees, and its place": "free choice",
    "contact exponent 1.5, restitution 0.8, stiffness": "free choice", "friction laws": "reconstructed",
    "numbers of the friction laws": "free choice", "gravity 9.81 m/s^2 along -Y": "free choice",
    "motors free": "given",
}


def canadarm2(set="R2", friction="II", restitution=0.8, bending_modes=None):
    """The simplified Canadarm2 that falls from rest onto an oblique plane with the end of its lower boom.

    Parameters
    ----------
    set : "R2", the two flexible booms; "R5", all five links.
    friction : "I" piecewise, "II" smooth, "III" Stribeck by steps, "none".
    restitution : of Lankarani and Nikravesh's law.
    bending_modes : per plane; 4 for R2 and 3 for R5 unless given.
    """
    if set not in ("R2", "R5") or friction not in FRICTIONS:
        raise ModelError(f'canadarm2: set is {set!r}, friction {friction!r}; choose "R2" or "R5", and one of '
                         + ", ".join(FRICTIONS))
    full = set == "R5"
    bending = (3 if full else 4) if bending_modes is None else bending_modes
    section = (0.2528618472636036, 0.11260623229461758)
    rows = ((6.377, 139.35, 62.029080288930345, (38.66483024913683, 38.656089461932815), 6.0e6, 3.0e8, 1.5e6),
            (7.06, 87.42, 55.06286199231195, (16.178569003844025, 16.178569003844025), 4.5e6, 2.0e8, 1.0e6))
    drive, links = {"stiffness": 1e5, "rotor": 1.0}, []
    for k, (L, mass, beam_mass, ends, EI, EA, GJ) in enumerate(rows):
        beam = FlexibleLink(L, (beam_mass if full else mass)/L, EA, EI, EI, GJ, section[k], section[k],
                            (1, bending, bending, 1))
        bodies = [(Body(m),) for m in ends] if full else [(), ()]
        links.append(Link(Joint(place=(0.0, 0.0, -0.475 if k else 0.0), **drive), beam, (0.0, 0.0, 0.0), *bodies))
    if full:
        links += wrist(drive)
    n, t1 = (0.0, math.cos(TILT), math.sin(TILT)), (1.0, 0.0, 0.0)
    law, numbers = FRICTIONS[friction]
    plane = Plane(1, (13.0, 0.405 if full else 0.562, 0.0), n, t1, "lankarani-nikravesh",
                  {"stiffness": 5.5e7 if full else 2.0e8, "restitution": restitution, "clamp": 1.0}, law, numbers)
    arm = SpatialArm(tuple(links), (0.0, -9.81, 0.0), (plane,), provenance=CANADARM2)
    names = arm.names
    q = np.zeros(len(names))
    q[[names.index("th1_1"), names.index("th1_2")]] = math.radians(25.0)
    q[[names.index("th2_1"), names.index("th2_2")]] = -math.radians(25.0)
    return arm.replace(start=(tuple(q), (0.0,)*len(q)))


def wrist(drive):
    """Links 3 to 5: pitch, yaw and roll of the wrist."""
    rest = Body(8.48, (0.2286, 0.0, 0.0), (0.0893, 0.402, 0.402))
    yaw = Body(45.94, (0.381, 0.0, 0.0), (0.408, 4.68, 4.68))
    roll = Body(45.21, (0.0, 0.0, 0.3302),
                ((2.823, -0.353, -0.966), (-0.353, 3.816, 0.385), (-0.966, 0.385, 1.903)))
    about_x, about_y = ((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)), ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0),
                                                                              (-1.0, 0.0, 0.0))
    return [Link(Joint(**drive), tip=(0.4572, 0.0, 0.0), proximal=(rest,)),
            Link(Joint(turn=about_x, **drive), tip=(0.762, 0.0, 0.0), proximal=(yaw,)),
            Link(Joint(turn=about_y, **drive), tip=(0.0, 0.0, 0.6604), proximal=(roll,))]


SPIN_BEAMS = {
    "kane": {"length": 10.0, "rho_A": 1.2, "EA": 2.8e7, "EIz": 1.4e4},
    "wu-haug": {"length": 8.0, "rho_A": 2766.67*7.2968e-5, "EA": 6.8952e10*7.2968e-5, "EIz": 6.8952e10*8.2189e-9},
}


def spin_up(beam="kane", speed=6.0, modes=3, axial=0, foreshortening=True, span=15.0):
    """A beam on a hub that is brought to `speed`, rad/s, within `span`, s: dynamic stiffening."""
    if beam not in SPIN_BEAMS:
        raise ModelError(f"spin_up: beam is {beam!r}; choose from {', '.join(SPIN_BEAMS)}")
    words = FlexibleLink(**SPIN_BEAMS[beam], modes=(axial, modes, 0, 0), foreshortening=foreshortening)
    return SpatialArm((Link(Joint(spin=(speed, span)), words),))


def flexible_arm(links=2, modes=(1, 2, 2, 1), stiffness=400.0, rotation="linear", foreshortening=True):
    """An arm of equal flexible links of 2 m on flexible joints, each axis at right angles to the one before."""
    beam = FlexibleLink(2.0, 2.0, 2e5, 300.0, 200.0, 150.0, 5e-4, 8e-4, modes, foreshortening, rotation)
    across = ((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0))
    straight = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    return SpatialArm(tuple(Link(Joint(turn=across if k else straight, stiffness=stiffness, rotor=0.2), beam,
                                 distal=(Body(0.5),)) for k in range(links)), (0.0, -9.81, 0.0))


CATALOG = {"canadarm2": canadarm2, "spin-up": spin_up, "flexible-arm": flexible_arm}

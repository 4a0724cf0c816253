"""A spatial arm in words: joints, links, bodies, planes. Units: m, kg, s, rad, N."""

import math
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ..describe.check import (
    direction, in_a_row, kind_of, made, not_negative, number, numbers, one_of, perpendicular, positive, printable,
    shown, whole, yes_or_no)
from ..describe.functions import Function, is_function
from ..describe.signals import SIGNAL_WORDS, SIGNALS
from ..describe.words import spelt_class
from ..status import ModelError
from .modal_link import ModalLink

STRAIGHT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
ROTATIONS = ("linear", "exp")                               # of sections
MOST_MODES = 100                                            # of a kind: bending asks for integrals of four shapes
TIMED = (*SIGNALS, Function)                                # torques that change with time
BELOW = 1e-9                                                # of its trace: what rounding leaves below no inertia


def settle(words, **answers):
    """Put checked answers into frozen words."""
    for name, value in answers.items():
        object.__setattr__(words, name, value)


def matrix(value, what):
    """3x3 numbers in rows"""
    if not in_a_row(value) or len(value) != 3:
        raise ModelError(f"{what} is {shown(value)}; give three rows of three numbers")
    return tuple(numbers(row, f"{what}[{i}]", 3) for i, row in enumerate(value))


def each_of(value, kind, what):
    """A tuple of words of one kind"""
    if not isinstance(value, (tuple, list)):
        raise ModelError(f"{what} is {shown(value)}; give a row of {kind.__name__}")
    return tuple(kind_of(x, kind, f"{what}[{i}]") for i, x in enumerate(value))


@spelt_class("body")
@dataclass(frozen=True)
class Body:
    """A rigid body: mass, centre and inertia about it (3x3 or its diagonal), in the frame it hangs on."""

    mass: float
    com: tuple = (0.0, 0.0, 0.0)
    inertia: tuple = (0.0, 0.0, 0.0)

    def __post_init__(self):
        rows = in_a_row(self.inertia) and len(self.inertia) == 3 and all(map(in_a_row, self.inertia))
        inertia = matrix(self.inertia, "body.inertia") if rows else numbers(self.inertia, "body.inertia", 3, "kg m^2")
        settle(self, mass=not_negative(self.mass, "body.mass", "kg"), com=numbers(self.com, "body.com", 3, "m"),
               inertia=inertia)
        I = self.tensor()
        if np.abs(I - I.T).max() > 0.0:
            raise ModelError("body.inertia is not symmetric; give the same number on both sides of the diagonal")
        least = np.linalg.eigvalsh(0.5*np.trace(I)*np.eye(3) - I)[0]
        if least < -BELOW*abs(np.trace(I)):
            raise ModelError(f"body.inertia is {shown(self.inertia)}, which no body has: of its principal moments none "
                             "may be negative, or greater than the two others together")

    def tensor(self):
        """3x3"""
        I = np.array(self.inertia)
        return np.diag(I) if I.ndim == 1 else I

    def pseudo(self):
        """4x4 pseudo-inertia about the origin of the frame."""
        I, c = self.tensor(), np.array(self.com)
        J = np.empty((4, 4))
        J[:3, :3] = 0.5*np.trace(I)*np.eye(3) - I + self.mass*np.outer(c, c)
        J[:3, 3] = J[3, :3] = self.mass*c
        J[3, 3] = self.mass
        return J


@spelt_class("beam")
@dataclass(frozen=True)
class FlexibleLink:
    """A slender link with modes (axial, y, z, torsion); rho_A kg/m, EI N m^2, EA N, GJ N m^2, rho_I kg m.

    foreshortening: bending draws the sections in (dynamic stiffening). rotation: "linear", 1 + skew(phi), or "exp".
    damping: beta of C = beta K, s. points: of Gauss' rule where sums are made by one; None: as many as the modes need.
    shear: stiffness k G A, N, in both planes or (y, z): a Timoshenko beam; None: Euler-Bernoulli.
    """

    length: float
    rho_A: float
    EA: float = 0.0
    EIy: float = 0.0
    EIz: float = 0.0
    GJ: float = 0.0
    rho_Iy: float = 0.0
    rho_Iz: float = 0.0
    modes: tuple = (0, 1, 0, 0)
    foreshortening: bool = True
    rotation: str = "linear"
    damping: float = 0.0
    points: int | None = None
    shear: tuple | None = None

    def __post_init__(self):
        if not in_a_row(self.modes) or len(self.modes) != 4:
            raise ModelError(f"beam.modes is {shown(self.modes)}; give four whole numbers: axial, y, z, torsion")
        settle(self, modes=tuple(whole(m, f"beam.modes[{i}]", "modes", 0, most=MOST_MODES)
                                 for i, m in enumerate(self.modes)),
               foreshortening=yes_or_no(self.foreshortening, "beam.foreshortening"),
               rotation=one_of(self.rotation, ROTATIONS, "beam.rotation"),
               **{name: positive(getattr(self, name), f"beam.{name}", unit)
                  for name, unit in (("length", "m"), ("rho_A", "kg/m"))},
               **{name: not_negative(getattr(self, name), f"beam.{name}", unit) for name, unit in (
                   ("EA", "N"), ("EIy", "N m^2"), ("EIz", "N m^2"), ("GJ", "N m^2"), ("rho_Iy", "kg m"),
                   ("rho_Iz", "kg m"), ("damping", "s"))})
        if not any(self.modes):
            raise ModelError("beam.modes has no mode; give one or more, or a rigid link: its tip and a Body")
        for name, count in zip(("EA", "EIz", "EIy", "GJ"), self.modes):
            if count and not getattr(self, name) > 0.0:
                raise ModelError(f"beam.{name} is {shown(getattr(self, name))}, and {count} modes stand on it; give a "
                                 "number > 0, or no such modes")
        if self.modes[3] and not self.rho_Iy + self.rho_Iz > 0.0:
            raise ModelError("beam: torsion modes have no inertia; give rho_Iy and rho_Iz")
        if self.points is not None:
            settle(self, points=whole(self.points, "beam.points", "Gauss points", 12))
        if self.shear is not None:
            shear = self.shear if in_a_row(self.shear) else (self.shear, self.shear)
            settle(self, shear=tuple(positive(x, f"beam.shear[{i}]", "N") for i, x in
                                     enumerate(numbers(shear, "beam.shear", 2, "N"))))
            for name, count in zip(("rho_Iy", "rho_Iz"), self.modes[1:3]):
                if count and not getattr(self, name) > 0.0:
                    raise ModelError(f"beam.{name} is 0, but sections of a beam with shear have an inertia; give a "
                                     "number > 0, or no shear")


@spelt_class("joint")
@dataclass(frozen=True)
class Joint:
    """A joint about z of its frame, seat (turn 3x3, place) from the end of the link before.

    stiffness: of a flexible joint, which then has an angle on the motor's side, N m/rad; 0: rigid. rotor: inertia of
    the motor about its axis, kg m^2; it turns `gear` times as far as that angle. torque: of the motor, before the
    gear, N m: a number, a signal (Table, Sine, Fourier) or a function of time, compiled or in Python, as what drives
    joints of chains (`fastdyn.Function`); no more than torque_limit either way. gyroscopic: the rotor's axis is that of
    the joint, and its momentum turns with its seat; its mass belongs to a Body of the link before.
    spin: (rad/s, s) prescribes the motion of `spin-up`; then nothing else may be given.
    """

    turn: tuple = STRAIGHT
    place: tuple = (0.0, 0.0, 0.0)
    stiffness: float = 0.0
    damping: float = 0.0
    rotor: float = 0.0
    torque: float = 0.0
    spin: tuple | None = None
    gear: float = 1.0
    gyroscopic: bool = False
    torque_limit: float | None = None

    def __post_init__(self):
        settle(self, turn=matrix(self.turn, "joint.turn"), place=numbers(self.place, "joint.place", 3, "m"),
               gyroscopic=yes_or_no(self.gyroscopic, "joint.gyroscopic"), gear=positive(self.gear, "joint.gear"),
               **{name: not_negative(getattr(self, name), f"joint.{name}", unit) for name, unit in (
                   ("stiffness", "N m/rad"), ("damping", "N m s/rad"), ("rotor", "kg m^2"))})
        turn = np.array(self.turn)
        if not np.abs(turn @ turn.T - np.eye(3)).max() < 1e-9 or np.linalg.det(turn) < 0.0:
            raise ModelError("joint.turn is no rotation; give a 3x3 matrix with right-handed orthonormal columns")
        torque = made(self.torque, SIGNAL_WORDS, "joint.torque")
        settle(self, torque=Function(torque) if is_function(torque) else torque)
        if not isinstance(self.torque, TIMED):
            settle(self, torque=number(self.torque, "joint.torque", "N m"))
        if self.torque_limit is not None:
            settle(self, torque_limit=positive(self.torque_limit, "joint.torque_limit", "N m"))
        if self.stiffness > 0.0 and not self.rotor > 0.0:
            raise ModelError(f"joint.rotor is {shown(self.rotor)}; a flexible joint needs the inertia of its rotor")
        if self.gyroscopic and not self.rotor > 0.0:
            raise ModelError("joint.gyroscopic needs a rotor, but joint.rotor is 0; give its inertia")
        if self.spin is not None:
            speed, span = numbers(self.spin, "joint.spin", 2)
            settle(self, spin=(speed, positive(span, "joint.spin[1]", "s")))
            if (self.stiffness or self.damping or self.rotor or self.torque != 0.0 or self.gear != 1.0
                    or self.torque_limit is not None):
                raise ModelError("joint.spin prescribes the motion; give no stiffness, damping, rotor, torque, "
                                 "torque_limit or gear with it")


def modified_dh(alpha, offset, **words):
    """Joint by modified Denavit-Hartenberg parameters: twist alpha (rad) about x, offset (m) along the joint's axis."""
    alpha, offset = number(alpha, "alpha", "rad"), number(offset, "offset", "m")
    c, s = np.cos(alpha), np.sin(alpha)
    turn = np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
    return Joint(turn=tuple(map(tuple, turn.tolist())), place=tuple((turn @ [0.0, 0.0, offset]).tolist()), **words)


@spelt_class("link")
@dataclass(frozen=True)
class Link:
    """A joint and what it carries: a flexible link, or a rigid one that ends at `tip`; bodies at its two frames."""

    joint: Joint = field(default_factory=Joint)
    beam: FlexibleLink | ModalLink | None = None
    tip: tuple = (0.0, 0.0, 0.0)
    proximal: tuple = ()
    distal: tuple = ()

    def __post_init__(self):
        kind_of(self.joint, Joint, "link.joint")
        if self.beam is not None:
            kind_of(self.beam, (FlexibleLink, ModalLink), "link.beam")
        settle(self, tip=numbers(self.tip, "link.tip", 3, "m"), proximal=each_of(self.proximal, Body, "link.proximal"),
               distal=each_of(self.distal, Body, "link.distal"))
        if self.beam is not None and any(self.tip):
            raise ModelError(f"link.tip is {shown(self.tip)}, but a flexible link ends at its length; leave one out")

    @property
    def length(self):
        """m, from its joint to its end"""
        return math.hypot(*self.tip) if self.beam is None else self.beam.length


@spelt_class("plane")
@dataclass(frozen=True)
class Plane:
    """A plane with what a point of `link` (0 the first) meets there; eta: where along the link, m, None its end.

    A point of a flexible link is where its modes take it; of a rigid link eta goes straight from its joint to its tip,
    and of a ModalLink only the end is known.

    law, numbers: of fastdyn.laws.contact; friction, friction_numbers: of fastdyn.laws.friction, by name.
    """

    link: int
    point: tuple
    normal: tuple
    tangent: tuple
    law: str
    numbers: dict
    friction: str = "none"
    friction_numbers: dict = field(default_factory=dict)
    eta: float | None = None

    def __post_init__(self):
        normal = direction(self.normal, "plane.normal")
        settle(self, link=whole(self.link, "plane.link", "a link", 0), point=numbers(self.point, "plane.point", 3, "m"),
               normal=normal, tangent=perpendicular(normal, direction(self.tangent, "plane.tangent"),
                                                    "plane.normal and plane.tangent"))
        for name in ("numbers", "friction_numbers"):
            given = getattr(self, name)
            if not isinstance(given, dict) or not all(isinstance(key, str) for key in given):
                raise ModelError(f"plane.{name} is {shown(given)}; give a dict, names to numbers")
            settle(self, **{name: {key: float(x) if key == "clamp" and isinstance(x, (bool, np.bool_))
                                   else number(x, f"plane.{name}.{key}") for key, x in given.items()}})
        _ = self.coded
        if self.eta is not None:
            settle(self, eta=not_negative(self.eta, "plane.eta", "m"))

    @cached_property
    def coded(self):
        """((code, five numbers) of the law, the same of the friction) as kernels take them."""
        from ..laws.contact import NORMAL_LAWS
        from ..laws.friction import FRICTION_LAWS
        from ..laws.words import coded

        return (coded(NORMAL_LAWS, self.law, "plane.law", **self.numbers),
                coded(FRICTION_LAWS, self.friction, "plane.friction", **self.friction_numbers))

    def check(self, where, links):
        """Against the links of its arm."""
        if self.link >= len(links):
            raise ModelError(f"{where}.link is {self.link}; there are links 0 to {len(links) - 1}")
        beam = links[self.link].beam
        if self.eta is not None and isinstance(beam, ModalLink):
            raise ModelError(f"{where}.eta is {shown(self.eta)} m, but of link[{self.link}], a ModalLink, only its end "
                             "is known; leave it out")
        if self.eta is not None and self.eta > links[self.link].length:
            raise ModelError(f"{where}.eta is {shown(self.eta)} m, beyond link[{self.link}]; give 0 to its length")


@spelt_class("origin")
@dataclass(frozen=True)
class Origin:
    """Where a number or a choice of an arm comes from: given, public, reconstructed, free choice."""

    name: str
    value: float | int | bool | str
    unit: str
    source: str
    about: str = ""


@spelt_class("")
@dataclass(frozen=True)
class SpatialArm:
    """Links from a fixed base, planes some of their points may meet, gravity in m/s^2, where the run starts.

    provenance: an Origin for every number and choice, of arms of the catalog. name: for tables.
    """

    instead = "ask fastdyn.arms.accelerations, mass_matrix, energies or point; arm.simulate(t_end) runs it"

    links: tuple
    gravity: tuple = (0.0, 0.0, 0.0)
    planes: tuple = ()
    start: tuple | None = None
    provenance: tuple = ()
    name: str = "spatial-arm"

    def __post_init__(self):
        settle(self, links=each_of(self.links, Link, "links"), planes=each_of(self.planes, Plane, "planes"),
               gravity=numbers(self.gravity, "gravity", 3, "m/s^2"), name=printable(self.name, "name"),
               provenance=each_of(self.provenance, Origin, "provenance"))
        if not self.links:
            raise ModelError("links is empty; give at least one")
        for k, plane in enumerate(self.planes):
            plane.check(f"planes[{k}]", self.links)
        if not self.names:
            raise ModelError("nothing can move: the arm has neither a joint that is free nor a mode")
        if self.start is not None:
            settle(self, start=tuple(numbers(x, f"start[{i}]", len(self.names)) for i, x in enumerate(
                self.start if in_a_row(self.start) and len(self.start) == 2 else (self.start, ()))))

    def replace(self, **words):
        """The same arm with other words."""
        return replace(self, **words)

    def with_beams(self, **words):
        """The same arm with other words of all its flexible links."""
        return replace(self, links=tuple(
            link if link.beam is None else replace(link, beam=replace(link.beam, **words)) for link in self.links))

    @property
    def names(self):
        """Names of the coordinates, in their order."""
        found = []
        for k, link in enumerate(self.links, 1):
            found += [f"th{k}_1"]*(link.joint.stiffness > 0.0) + [f"th{k}_2"]*(link.joint.spin is None)
            if link.beam is not None:
                found += [f"d{k}_{kind}{j + 1}" for kind, m in zip("xyzt", link.beam.modes) for j in range(m)]
        return found

    def to_toml(self):
        """The text of a model file."""
        from .files import text_of

        return text_of(self)

    def save(self, path):
        """Write a model file, which `fastdyn.load` reads back equal; whole or not at all."""
        from ..describe.writing import write_whole

        write_whole(path, self.to_toml())

    def simulate(self, t_end, **words):
        """A run from `start` (rest at zero unless given); words: see run.simulate."""
        from .run import simulate

        return simulate(self, t_end, **words)

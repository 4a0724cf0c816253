"""A spatial arm in words: joints, links, bodies, planes. Units: m, kg, s, rad, N."""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from ..status import ModelError


@dataclass(frozen=True)
class Body:
    """A rigid body: mass, centre and inertia about it (3x3 or its diagonal), in the frame it hangs on."""

    mass: float
    com: tuple = (0.0, 0.0, 0.0)
    inertia: tuple = (0.0, 0.0, 0.0)

    def pseudo(self):
        """4x4 pseudo-inertia about the origin of the frame."""
        I, c = np.array(self.inertia, float), np.array(self.com, float)
        I = np.diag(I) if I.ndim == 1 else I
        if not (np.isfinite(I).all() and np.isfinite(c).all() and self.mass >= 0.0) or np.abs(I - I.T).max() > 0.0:
            raise ModelError("body: give a mass that is not negative, a finite com and a symmetric inertia")
        J = np.empty((4, 4))
        J[:3, :3] = 0.5*np.trace(I)*np.eye(3) - I + self.mass*np.outer(c, c)
        J[:3, 3] = J[3, :3] = self.mass*c
        J[3, 3] = self.mass
        return J


@dataclass(frozen=True)
class FlexibleLink:
    """A slender link with modes (axial, y, z, torsion); rho_A kg/m, EI N m^2, EA N, GJ N m^2, rho_I kg m.

    foreshortening: bending draws the sections in (dynamic stiffening). rotation: "linear", 1 + skew(phi), or "exp".
    damping: beta of C = beta K, s. points: of Gauss' rule.
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
    points: int = 32

    def check(self, where):
        if self.rotation not in ("linear", "exp"):
            raise ModelError(f'{where}.rotation is {self.rotation!r}; choose "linear" or "exp"')
        if len(self.modes) != 4 or any(not isinstance(m, int) or m < 0 for m in self.modes):
            raise ModelError(f"{where}.modes is {self.modes!r}; give four whole numbers: axial, y, z, torsion")
        for name in ("length", "rho_A"):
            if not 0.0 < getattr(self, name) < np.inf:
                raise ModelError(f"{where}.{name} is {getattr(self, name)!r}; give a number above 0")
        for name, count in zip(("EA", "EIz", "EIy", "GJ"), self.modes):
            if count and not 0.0 < getattr(self, name) < np.inf:
                raise ModelError(f"{where}.{name} is {getattr(self, name)!r}, and {count} modes stand on it; give a "
                                 "number above 0, or no such modes")
        if self.modes[3] and not self.rho_Iy + self.rho_Iz > 0.0:
            raise ModelError(f"{where}: torsion modes have no inertia; give rho_Iy and rho_Iz")
        if self.points < 12:
            raise ModelError(f"{where}.points is {self.points}; give at least 12, 24 for accelerations to rounding")


@dataclass(frozen=True)
class Joint:
    """A joint about z of its frame, seat (turn 3x3, place) from the end of the link before.

    stiffness: of a flexible joint, which then has an angle on the motor's side, N m/rad; 0: rigid. torque: constant, of
    the motor. spin: (rad/s, s) prescribes the motion of `spin-up`; then nothing else may be given.
    """

    turn: tuple = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    place: tuple = (0.0, 0.0, 0.0)
    stiffness: float = 0.0
    damping: float = 0.0
    rotor: float = 0.0
    torque: float = 0.0
    spin: tuple | None = None

    def check(self, where):
        turn = np.array(self.turn, float)
        if turn.shape != (3, 3) or not np.abs(turn @ turn.T - np.eye(3)).max() < 1e-9 or np.linalg.det(turn) < 0.0:
            raise ModelError(f"{where}.turn is no rotation; give a 3x3 matrix with right-handed orthonormal columns")
        if not self.stiffness >= 0.0 or not self.damping >= 0.0:
            raise ModelError(f"{where}: stiffness and damping must not be negative")
        if self.stiffness > 0.0 and not self.rotor > 0.0:
            raise ModelError(f"{where}.rotor is {self.rotor!r}; a flexible joint needs the inertia of its rotor")
        if self.spin is not None and (self.stiffness or self.rotor or self.torque):
            raise ModelError(f"{where}.spin prescribes the motion: give no stiffness, rotor or torque with it")


def modified_dh(alpha, offset, **words):
    """Joint by modified Denavit-Hartenberg parameters: twist alpha (rad) about x, offset (m) along the joint's axis."""
    c, s = np.cos(alpha), np.sin(alpha)
    turn = np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
    return Joint(turn=tuple(map(tuple, turn.tolist())), place=tuple((turn @ [0.0, 0.0, offset]).tolist()), **words)


@dataclass(frozen=True)
class Link:
    """A joint and what it carries: a flexible link, or a rigid one that ends at `tip`; bodies at its two frames."""

    joint: Joint = field(default_factory=Joint)
    beam: FlexibleLink | None = None
    tip: tuple = (0.0, 0.0, 0.0)
    proximal: tuple = ()
    distal: tuple = ()


@dataclass(frozen=True)
class Plane:
    """A plane with what a point of `link` (0 the first) meets there; eta: where on the link, None its end.

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


class Origin(NamedTuple):
    """Where a number or a choice of an arm comes from: given, public, reconstructed, free choice."""

    name: str
    value: float | int | bool | str
    unit: str
    source: str
    about: str = ""


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
        if not self.links:
            raise ModelError("links is empty; give at least one")
        for i, link in enumerate(self.links):
            link.joint.check(f"link[{i}].joint")
            if link.beam is not None:
                link.beam.check(f"link[{i}].beam")
        for k, plane in enumerate(self.planes):
            if not 0 <= plane.link < len(self.links):
                raise ModelError(f"plane[{k}].link is {plane.link}; there are links 0 to {len(self.links) - 1}")

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

"""Arms in the plane, large deflections: what all have in common, and those given link by link."""

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
from msgspec.structs import force_setattr

from ..describe.check import kind_of, not_negative, number, numbers, positive, printable, shown, whole
from ..describe.words import Words, spelt
from ..status import ModelError
from .motions import motion_of, signal_of
from .rows import (
    Transfer, Unbranched, is_number, motion_of_links, pairs_of, place_of, row_of, samples_of, sensible)

Pair = tuple[float, float]
Row = tuple[float, ...]
SAME = 1e-9                                             # rad, rad/s: how far a start may be from what turns it


class Servo(Words, frozen=True):
    """A motor that holds its hub to the prescribed rotation by a spring, N m/rad, and a damper, N m s/rad."""

    stiffness: float
    damping: float = 0.0

    def __post_init__(self):
        for field in ("stiffness", "damping"):
            what = f"servo.{field}"
            force_setattr(self, field, sensible(not_negative(getattr(self, field), what), what))


class Links(NamedTuple):
    """A row per quantity, a column per link: the hub with the stub on it, then the links behind the hinges."""

    length: np.ndarray
    mass: np.ndarray
    com: np.ndarray
    inertia: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray


class Arm(Unbranched, frozen=True, kw_only=True, dict=True):
    """Links 1..n behind hinges on the hub of a motor at the origin, in the plane; `links` is what they are as arrays.

    Angles are counted from the x axis. Without torque and servo the motor turns as `rotation` says; with one of them
    the hub is free, and rotation is what the servo aims at. Station 0 is the hub's outer end, station i that of link i.

    Parameters
    ----------
    rotation : of the motor: None, a number, a Sine or a Motion, rad.
    torque : of the motor on the hub: None, a number, a signal or a function of time, N m.
    servo : None or a Servo.
    hub_inertia : kg m^2.
    loads : station -> (force x, force y) or (force x, force y, moment): numbers, signals or functions of time, N, N m;
        forces have fixed directions; station -1 is the tip.
    payloads : station -> mass, kg, or (mass, inertia), kg m^2.
    gravity : m/s^2, in x and y.
    angles, rates : of the hub and the links at the start, rad, rad/s; None is straight along the rotation's start and,
        where the motor turns as prescribed, moving with it.
    name : for tables.
    """

    rotation: Any = None
    torque: Any = None
    servo: Servo | None = None
    hub_inertia: float = 0.0
    loads: Mapping[int, Any] | tuple = ()
    payloads: Mapping[int, Any] | tuple = ()
    gravity: Pair = (0.0, 0.0)
    angles: Row | None = None
    rates: Row | None = None
    name: str = "arm"
    instead: ClassVar[str] = f"{Transfer.instead}, and system.chain() is a Chain of it"

    def _begin(self):
        """Check what is asked of every arm; `n` is known."""
        force_setattr(self, "hub_inertia", not_negative(self.hub_inertia, "hub_inertia"))
        force_setattr(self, "rotation", motion_of(self.rotation, "rotation"))
        if self.torque is not None:
            force_setattr(self, "torque", signal_of(self.torque, "torque"))
        if self.servo is not None:
            kind_of(self.servo, Servo, "servo")
        force_setattr(self, "gravity", numbers(self.gravity, "gravity", 2, "m/s^2"))
        force_setattr(self, "loads", tuple(sorted(_loads(self.loads, self.n), key=lambda row: row[0])))
        force_setattr(self, "payloads", tuple(sorted(_payloads(self.payloads, self.n))))
        printable(self.name, "name")

    def _carry(self, links, payloads):
        """Keep the links with payloads on them; check what turns with each, and the start."""
        for station, mass, inertia in payloads:
            _laden(links, station, mass, inertia)
        outside = np.append(np.cumsum(links.mass[::-1])[::-1][1:], 0.0)
        turning = links.inertia + links.mass*links.com**2 + outside*links.length**2
        if not self.driven and turning[0] == 0.0:
            raise ModelError(f"hub_inertia is 0 and {self._lean} puts nothing else on the hub, which a torque "
                             "or a servo turns; give it some")
        for j in np.flatnonzero(turning[1:] == 0.0):
            raise ModelError(f"link {j + 1}: nothing turns with it; give it or a link outside of it mass or inertia")
        self.__dict__["links"] = links
        straight, turns, _ = self.rotation.at(0.0)
        for field, usual in (("angles", straight), ("rates", turns if self.driven else 0.0)):
            given = getattr(self, field)
            given = (usual,)*(self.n + 1) if given is None else numbers(given, field, self.n + 1)
            if self.driven and abs(given[0] - usual) > SAME*(1.0 + abs(usual)):
                raise ModelError(f"{field}[0] is {shown(given[0])}, but the motor's rotation starts with "
                                 f"{shown(usual)}; give the hub that")
            force_setattr(self, field, given)

    @property
    def _lean(self):
        return "no stub"

    @property
    def driven(self) -> bool:
        """Whether the motor turns as prescribed."""
        return self.torque is None and self.servo is None

    @property
    def acting(self):
        """All loads: rows (station, force x, force y, moment), stations ascending."""
        return self.loads

    def simulate(self, t_end, dt, scheme="gen-alpha", passes=None, every=1):
        """Step the arm through time.

        Parameters
        ----------
        t_end, dt : s; t_end is a whole number of steps dt.
        scheme : a name of fastdyn.transfer.SCHEMES, or one with numbers, "newmark(0.3, 0.6)", or a scheme.
        passes : of Newton's method in every step; None: until it has converged. One keeps the order of the scheme.
        every : a sample is kept after so many steps, at the start and at the end.
        """
        from .arm_run import simulate

        return simulate(self, t_end, dt, scheme, passes, every)

    def equilibrium(self, steps=10):
        """Angles at rest under the loads at t = 0, rad, reached by loads that grow in so many steps; a stable rest."""
        from .statics import equilibrium

        return equilibrium(self, steps)

    def audit(self, dt, scheme="gen-alpha", angles=None):
        """Whether a scheme with steps dt, s, is stable for small motions about angles, None: the start's; an Audit."""
        from .audit import audit

        return audit(self, dt, scheme, angles)

    def save(self, path):
        """Write a model file (TOML), which `fastdyn run` and fastdyn.load read."""
        from .keeping import save

        save(self, path)

    def size(self, angles=None):
        """Number of coordinates of `matrices`."""
        return self.n + (not self.driven)

    def matrices(self, angles=None):
        """M, C, K of small motions about angles, the start's if None: of links, springs and dampers."""
        from .statics import matrices

        return matrices(self, self.angles if angles is None else numbers(angles, "angles", self.n + 1))

    def chain(self):
        """The same arm as a Chain, for the general recursion."""
        from .bridge import chain_of

        return chain_of(self)

    def positions(self, angles):
        """(..., n + 2, 2): the motor, the hinges, the tip, m, for rows of angles."""
        angles = samples_of(angles, "angles", self.n + 1)
        steps = self.links.length*np.array([np.cos(angles), np.sin(angles)])
        steps = np.moveaxis(steps, 0, -1)
        return np.concatenate([np.zeros_like(steps[..., :1, :]), np.cumsum(steps, axis=-2)], axis=-2)

    def tip(self, angles):
        """Position of the tip, m, for rows of angles."""
        return self.positions(angles)[..., -1, :]

    def energies(self, angles, rates, rotation):
        """Kinetic, strain, servo and gravity energy, J, of rows of angles and rates; rotation: one number a row."""
        links = self.links
        angles, rates, rotation = motion_of_links(self.n + 1, angles, rates, rotation=rotation)
        along = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
        across = np.stack([-np.sin(angles), np.cos(angles)], axis=-1)*rates[..., None]

        def places(unit):
            joints = np.cumsum(links.length[:, None]*unit, axis=-2) - links.length[:, None]*unit
            return joints + links.com[:, None]*unit

        with np.errstate(all="ignore"):
            speed = np.sum(places(across)**2, axis=-1)
            return {
                "kinetic": 0.5*(speed @ links.mass + rates**2 @ links.inertia),
                "strain": 0.5*np.diff(angles, axis=-1)**2 @ links.stiffness[1:],
                "servo": 0.5*links.stiffness[0]*(angles[..., 0] - rotation)**2,
                "gravity": -(places(along) @ np.array(self.gravity)) @ links.mass,
            }


class LinkArm(Arm, frozen=True, kw_only=True, dict=True):
    """An arm given link by link: rods, bodies, or plain pendulums where hinges have no springs.

    Parameters
    ----------
    lengths : of the links, m.
    masses : kg; here and below one number serves all links.
    inertias : about the mass centre, kg m^2; None: slender rods.
    centres : distance of the mass centre from the link's hinge, m; None: the middle.
    stiffness, damping : of the hinge before each link, N m/rad, N m s/rad.
    stub, stub_mass : length and mass of a rod that is rigid on the hub, m, kg.
    rotation, torque, servo, hub_inertia, loads, payloads, gravity, angles, rates, name : see Arm.
    """

    lengths: Row
    masses: Row | float = 0.0
    inertias: Row | float | None = None
    centres: Row | float | None = None
    stiffness: Row | float = 0.0
    damping: Row | float = 0.0
    stub: float = 0.0
    stub_mass: float = 0.0
    name: str = "link-arm"

    def __post_init__(self):
        l = row_of(self.lengths, "lengths", None, "m", ">")
        if not l:
            raise ModelError("lengths is (); give one number or more, m of each link")
        n = len(l)
        force_setattr(self, "lengths", l)
        for field in ("masses", "stiffness", "damping"):
            force_setattr(self, field, row_of(getattr(self, field), field, n, least=">="))
        m = tuple(sensible(x, f"link {j}: masses") for j, x in enumerate(self.masses, 1))
        usual = {"inertias": tuple(x*y*y/12.0 for x, y in zip(m, l)), "centres": tuple(0.5*y for y in l)}
        for field, given in usual.items():
            given = given if getattr(self, field) is None else getattr(self, field)
            force_setattr(self, field, row_of(given, field, n, least=">=" if field == "inertias" else None))
        for field in ("stub", "stub_mass"):
            force_setattr(self, field, not_negative(getattr(self, field), field))
        self._begin()
        servo = self.servo or Servo(0.0)
        rod = self.stub_mass*self.stub**2/12.0
        rows = ((self.stub, *l), (self.stub_mass, *m), (0.5*self.stub, *self.centres),
                (rod + self.hub_inertia, *self.inertias), (servo.stiffness, *self.stiffness),
                (servo.damping, *self.damping))
        self._carry(Links(*map(np.array, rows)), self.payloads)

    @property
    def n(self) -> int:
        return len(self.lengths)


@spelt
def link_arm(n: int = 3, length: float = 1.0, mass: float = 1.0, stiffness: float = 0.0, damping: float = 0.0,
             gravity: float = 9.81, angle: float = 1.5) -> LinkArm:
    """n equal rods that hang on a resting hub, let go from a straight line: a pendulum, with springs or without.

    Parameters
    ----------
    n : number of links, 1 or more.
    length, mass : of a rod, m, kg.
    stiffness, damping : of a hinge, N m/rad, N m s/rad.
    gravity : m/s^2, along the x axis, which points down.
    angle : of the links at the start, from straight down, rad.
    """
    n, angle = whole(n, "n", "links"), number(angle, "angle")
    return LinkArm(lengths=(positive(length, "length", "m"),)*n, masses=mass, stiffness=stiffness, damping=damping,
                   gravity=(gravity, 0.0), angles=(0.0, *(angle,)*n))


def _loads(given, n):
    """Rows (station, force x, force y, moment)."""
    for station, word in pairs_of(given, "loads", "{-1: (0.0, -1.0)}, N in x and y, or with N m as a third"):
        if not isinstance(word, (tuple, list)) or len(word) not in (2, 3):
            raise ModelError(f"loads[{shown(station)}] is {shown(word)}; give forces in x and y, N, or with a moment "
                             "as a third, N m")
        parts = (*word, 0.0) if len(word) == 2 else word
        where = place_of(station, "loads has station", "whole number", 0, n)
        yield where, *(signal_of(part, f"loads[{where}][{i}]") for i, part in enumerate(parts))


def _payloads(given, n):
    """Rows (station, mass, inertia)."""
    for station, word in pairs_of(given, "payloads", "{-1: 0.5}, kg, or {-1: (0.5, 0.1)}, kg and kg m^2"):
        word = (word, 0.0) if is_number(word) else word
        where = place_of(station, "payloads has station", "whole number", 0, n)
        mass, inertia = numbers(word, f"payloads[{where}]", 2)
        yield (where, not_negative(mass, f"payloads[{where}].mass"),
               not_negative(inertia, f"payloads[{where}].inertia"))


def _laden(links, j, mass, inertia):
    """Put a mass on the outer end of link j, in place."""
    m, com, l = links.mass[j], links.com[j], links.length[j]
    center = (m*com + mass*l)/(m + mass) if m + mass > 0.0 else com
    links.inertia[j] += m*(com - center)**2 + mass*(l - center)**2 + inertia
    links.mass[j], links.com[j] = m + mass, center

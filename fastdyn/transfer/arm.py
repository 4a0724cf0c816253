"""A flexible arm on a motor, large deflections: the words, what they are as arrays, positions and energies."""

from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import force_setattr

from ..describe.check import kind_of, not_negative, numbers, one_of, positive, shown
from ..status import ModelError
from .hinges import RULES, hinging
from .motions import motion_of, signal_of

Pair = tuple[float, float]


class Servo(Struct, frozen=True):
    """A motor that holds its hub to the prescribed rotation by a spring, N m/rad, and a damper, N m s/rad."""

    stiffness: float
    damping: float = 0.0

    def __post_init__(self):
        for field in ("stiffness", "damping"):
            force_setattr(self, field, not_negative(getattr(self, field), f"servo.{field}"))


class Links(NamedTuple):
    """A row per quantity, a column per link: the hub with the stub on it, then the links behind the hinges."""

    length: np.ndarray
    mass: np.ndarray
    com: np.ndarray
    inertia: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray


class BeamArm(Struct, frozen=True, kw_only=True, dict=True):
    """A uniform beam as n rigid elements and hinges, on the hub of a motor at the origin, in the plane.

    Angles are counted from the x axis. Without torque and servo the motor turns as `rotation` says; with one of them
    the hub is free, and rotation is what the servo aims at.

    Parameters
    ----------
    n : number of elements.
    length, EI, mass_per_length : m, N m^2, kg/m.
    rule : where hinges sit, see RULES.
    damping : of a hinge over its stiffness, s.
    rotation : of the motor: None, a number, a Sine or a Motion, rad.
    torque : of the motor on the hub: None, a number, a signal or a function of time, N m.
    servo : None or a Servo.
    hub_inertia : kg m^2.
    payload, payload_inertia : at the tip, kg, kg m^2.
    tip_force, tip_moment : numbers, signals or functions of time; the force has fixed directions x, y; N, N m.
    gravity : m/s^2, in x and y.
    angles, rates : of the hub and the links at the start, rad, rad/s; None is straight along the rotation's start and,
        where the motor turns as prescribed, moving with it.
    name : for tables.
    """

    n: int = 10
    length: float = 1.0
    EI: float = 1.0
    mass_per_length: float = 1.0
    rule: str = "mid"
    damping: float = 0.0
    rotation: Any = None
    torque: Any = None
    servo: Servo | None = None
    hub_inertia: float = 0.0
    payload: float = 0.0
    payload_inertia: float = 0.0
    tip_force: tuple[Any, Any] = (0.0, 0.0)
    tip_moment: Any = 0.0
    gravity: Pair = (0.0, 0.0)
    angles: tuple[float, ...] | None = None
    rates: tuple[float, ...] | None = None
    name: str = "beam-arm"

    def __post_init__(self):
        for field, unit in (("length", "m"), ("EI", "N m^2"), ("mass_per_length", "kg/m")):
            force_setattr(self, field, positive(getattr(self, field), field, unit))
        for field in ("damping", "hub_inertia", "payload", "payload_inertia"):
            force_setattr(self, field, not_negative(getattr(self, field), field))
        one_of(self.rule, tuple(RULES), "rule")
        self.__dict__["hinging"] = hinging(self.n, self.length, self.EI, self.rule)
        force_setattr(self, "rotation", motion_of(self.rotation, "rotation"))
        if self.torque is not None:
            force_setattr(self, "torque", signal_of(self.torque, "torque"))
        if self.servo is not None:
            kind_of(self.servo, Servo, "servo")
        if not isinstance(self.tip_force, (tuple, list)) or len(self.tip_force) != 2:
            raise ModelError(f"tip_force is {shown(self.tip_force)}; give two: along x and along y")
        force_setattr(self, "tip_force", tuple(signal_of(x, f"tip_force[{i}]") for i, x in enumerate(self.tip_force)))
        force_setattr(self, "tip_moment", signal_of(self.tip_moment, "tip_moment"))
        force_setattr(self, "gravity", numbers(self.gravity, "gravity", 2, "m/s^2"))
        if not self.driven and self.hub_inertia == 0.0 and self.hinging.stub == 0.0:
            raise ModelError(f'hub_inertia is 0 and rule "{self.rule}" puts nothing else on the hub, which a torque '
                             "or a servo turns; give it some")
        self._check_start()

    def _check_start(self):
        straight, turning, _ = self.rotation.at(0.0)
        turning = turning if self.driven else 0.0
        for field, usual in (("angles", straight), ("rates", turning)):
            given = getattr(self, field)
            given = (usual,)*(self.n + 1) if given is None else numbers(given, field, self.n + 1)
            force_setattr(self, field, given)

    @property
    def driven(self) -> bool:
        """Whether the motor turns as prescribed."""
        return self.torque is None and self.servo is None

    @property
    def links(self) -> Links:
        """The arm as rigid bodies; the payload is part of the last, the motor's spring is the first joint."""
        made = self.hinging
        length = np.concatenate([[made.stub], made.lengths])
        mass = self.mass_per_length*length
        com, inertia = 0.5*length, mass*length**2/12.0
        inertia[0] += self.hub_inertia
        whole, l = mass[-1] + self.payload, length[-1]
        center = (mass[-1]*com[-1] + self.payload*l)/whole
        inertia[-1] += mass[-1]*(com[-1] - center)**2 + self.payload*(l - center)**2 + self.payload_inertia
        mass[-1], com[-1] = whole, center
        servo = self.servo or Servo(0.0)
        stiffness = np.concatenate([[servo.stiffness], made.stiffness])
        return Links(length, mass, com, inertia, stiffness,
                     np.concatenate([[servo.damping], self.damping*made.stiffness]))

    def simulate(self, t_end, dt, scheme="gen-alpha", passes=None, every=1):
        """Step the arm through time.

        Parameters
        ----------
        t_end, dt : s; t_end is a whole number of steps dt.
        scheme : a name of fastdyn.transfer.SCHEMES, or a scheme.
        passes : of Newton's method in every step; None: until it has converged. One keeps the order of the scheme.
        every : a sample is kept after so many steps, and the start.
        """
        from .arm_run import simulate

        return simulate(self, t_end, dt, scheme, passes, every)

    def equilibrium(self, steps=10):
        """Angles at rest under the loads at t = 0, rad, reached by loads that grow in so many steps."""
        from .statics import equilibrium

        return equilibrium(self, steps)

    def chain(self):
        """The same arm as a Chain, for the general recursion."""
        from .bridge import chain_of

        return chain_of(self)

    def positions(self, angles):
        """(..., n + 2, 2): the motor, the hinges, the tip, m, for rows of angles."""
        steps = self.links.length*np.array([np.cos(angles), np.sin(angles)])
        steps = np.moveaxis(steps, 0, -1)
        return np.concatenate([np.zeros_like(steps[..., :1, :]), np.cumsum(steps, axis=-2)], axis=-2)

    def tip(self, angles):
        """Position of the tip, m, for rows of angles."""
        return self.positions(angles)[..., -1, :]

    def energies(self, angles, rates, rotation):
        """Kinetic, strain, servo and gravity energy, J, of rows of angles and rates; rotation: one number a row."""
        links = self.links
        along = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
        across = np.stack([-np.sin(angles), np.cos(angles)], axis=-1)*rates[..., None]
        def places(unit):
            joints = np.cumsum(links.length[:, None]*unit, axis=-2) - links.length[:, None]*unit
            return joints + links.com[:, None]*unit
        speed = np.sum(places(across)**2, axis=-1)
        stretch = np.diff(angles, axis=-1)
        return {
            "kinetic": 0.5*(speed @ links.mass + rates**2 @ links.inertia),
            "strain": 0.5*stretch**2 @ links.stiffness[1:],
            "servo": 0.5*links.stiffness[0]*(angles[..., 0] - rotation)**2,
            "gravity": -(places(along) @ np.array(self.gravity)) @ links.mass,
        }


def beam_arm(n: int = 20, length: float = 1.0, EI: float = 1.0, mass_per_length: float = 1.0, damping: float = 0.0,
             angle: float = 1.0, period: float = 4.0, payload: float = 0.0, rule: str = "mid") -> BeamArm:
    """A flexible arm whose motor swings to and fro, from rest at one end of its way.

    Parameters
    ----------
    n : number of elements.
    length, EI, mass_per_length : m, N m^2, kg/m.
    damping : of a hinge over its stiffness, s.
    angle, period : of the motor's swing, -angle cos(2 pi t/period), rad, s.
    payload : kg, at the tip.
    rule : where hinges sit.
    """
    from ..describe.signals import Sine

    swing = Sine(angle, 2.0*np.pi/positive(period, "period", "s"), phase=-0.5*np.pi)
    return BeamArm(n=n, length=length, EI=EI, mass_per_length=mass_per_length, damping=damping, rotation=swing,
                   payload=payload, rule=rule)

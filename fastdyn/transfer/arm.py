"""A flexible arm on a motor, large deflections: a uniform beam as rigid elements and hinges."""

from typing import Any

import numpy as np
from msgspec.structs import force_setattr

from ..describe.check import not_negative, one_of, positive, shown
from ..describe.words import spelt
from ..status import ModelError
from .hinges import RULES, hinging
from .linked import Arm, Links, Servo
from .motions import signal_of
from .rows import sensible


class BeamArm(Arm, frozen=True, kw_only=True, dict=True):
    """A uniform beam as n rigid elements and hinges, on the hub of a motor at the origin, in the plane.

    Parameters
    ----------
    n : number of elements.
    length, EI, mass_per_length : m, N m^2, kg/m.
    rule : where hinges sit, see RULES.
    damping : of a hinge over its stiffness, s.
    payload, payload_inertia : at the tip, kg, kg m^2.
    tip_force, tip_moment : numbers, signals or functions of time; the force has fixed directions x, y; N, N m.
    rotation, torque, servo, hub_inertia, loads, payloads, gravity, angles, rates, name : see Arm; station i is the
        outer end of element i, station 0 that of the stub on the hub.
    """

    n: int = 10
    length: float = 1.0
    EI: float = 1.0
    mass_per_length: float = 1.0
    rule: str = "mid"
    damping: float = 0.0
    payload: float = 0.0
    payload_inertia: float = 0.0
    tip_force: tuple[Any, Any] = (0.0, 0.0)
    tip_moment: Any = 0.0
    name: str = "beam-arm"

    def __post_init__(self):
        for field, unit in (("length", "m"), ("EI", "N m^2"), ("mass_per_length", "kg/m")):
            force_setattr(self, field, sensible(positive(getattr(self, field), field, unit), field))
        for field in ("damping", "payload", "payload_inertia"):
            force_setattr(self, field, sensible(not_negative(getattr(self, field), field), field))
        one_of(self.rule, tuple(RULES), "rule")
        made = self.__dict__["hinging"] = hinging(self.n, self.length, self.EI, self.rule)
        if not isinstance(self.tip_force, (tuple, list)) or len(self.tip_force) != 2:
            raise ModelError(f"tip_force is {shown(self.tip_force)}; give two: along x and along y")
        force_setattr(self, "tip_force", tuple(signal_of(x, f"tip_force[{i}]") for i, x in enumerate(self.tip_force)))
        force_setattr(self, "tip_moment", signal_of(self.tip_moment, "tip_moment"))
        self._begin()
        length, servo = np.concatenate([[made.stub], made.lengths]), self.servo or Servo(0.0)
        mass = self.mass_per_length*length
        inertia = mass*length**2/12.0
        inertia[0] += self.hub_inertia
        links = Links(length, mass, 0.5*length, inertia, np.concatenate([[servo.stiffness], made.stiffness]),
                      np.concatenate([[servo.damping], self.damping*made.stiffness]))
        self._carry(links, ((self.n, self.payload, self.payload_inertia), *self.payloads))

    @property
    def _lean(self):
        return f'rule "{self.rule}"'

    @property
    def acting(self):
        return (*self.loads, (self.n, *self.tip_force, self.tip_moment))


@spelt
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

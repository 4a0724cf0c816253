"""How a link may move against its parent: joint kinds with their springs, dampers, limits and drives.

The joint frame is the parent's link frame moved to `Link.at` and turned by `Link.turn`; it equals the link frame at
joint zero. Units per coordinate: an angle in rad, rad/s, N m; a slide in m, m/s, N.
"""

import math
from typing import ClassVar

from msgspec.structs import force_setattr

from ..status import ModelError
from .attitude import Attitude
from .check import in_a_row, kind_of, made, not_negative, number, numbers, perpendicular, shown, unit
from .functions import Function, is_function
from .signals import SIGNAL_WORDS, SIGNALS, Signal
from .words import Words

Vector = tuple[float, float, float]
Pair = tuple[float, float]
Limits = tuple[float | None, float | None]


class Joint(Words, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """What all joints share.

    `drive` gives one signal (N or N m) per velocity coordinate, or none. A signal may be a function f(t), or a law
    f(t, q, v) of the joint: q and v are its own coordinates and velocities, of a revolute joint q[0] and v[0]. See
    `Function`.
    """

    word: ClassVar = "joint"
    q_names: ClassVar[tuple[str, ...]] = ()  # one per coordinate, behind the link's name; "" for a lone one
    v_names: ClassVar[tuple[str, ...]] = ()
    q_zero: ClassVar[tuple[float, ...]] = ()
    base_only: ClassVar[bool] = False

    def __post_init__(self):
        try:
            self._check()
        except ModelError as refused:                      # a joint has no name of its own, but a kind
            raise ModelError(f"{refused} (in a {self.kind} joint)") from None

    def _check(self):
        """Refuse what cannot be; a joint without fields has nothing."""

    @property
    def kind(self) -> str:
        """The word for this joint in a model file."""
        return self.__struct_config__.tag

    @property
    def nq(self) -> int:
        return len(self.q_names)

    @property
    def nv(self) -> int:
        return len(self.v_names)

    def per_velocity(self, field: str, missing: float = 0.0) -> tuple[float, ...]:
        """The field's value for each velocity coordinate; `missing` where the joint has none."""
        value = getattr(self, field, None)
        values = value if isinstance(value, tuple) else (value,) * self.nv
        return tuple(missing if x is None else x for x in values)


class _Driven(Joint, frozen=True):
    drive: tuple[Signal, ...] = ()

    def _check(self):
        lone = isinstance(self.drive, (dict, Function, *SIGNALS)) or is_function(self.drive)
        drive = (self.drive,) if lone else self.drive
        if not isinstance(drive, (tuple, list)) or len(drive) not in (0, self.nv):
            raise ModelError(f"joint.drive is {shown(self.drive)}; give {self.nv} signal(s), or none")
        force_setattr(self, "drive", tuple(_signal(signal, f"joint.drive[{i}]") for i, signal in enumerate(drive)))


class _OneWay(_Driven, frozen=True):
    """One coordinate with a spring, a damper and limits.

    Torque on the link: -stiffness*(q - rest) - damping*v, and beyond a limit -limit_stiffness*(q - limit)
    - limit_damping*v. Limits without limit_stiffness are kept as data and do not act.
    """

    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0
    lower: float | None = None
    upper: float | None = None
    limit_stiffness: float = 0.0
    limit_damping: float = 0.0

    def _check(self):
        super()._check()
        for field in ("stiffness", "damping", "limit_stiffness", "limit_damping"):
            force_setattr(self, field, not_negative(getattr(self, field), f"joint.{field}"))
        force_setattr(self, "rest", number(self.rest, "joint.rest"))
        for field in ("lower", "upper"):
            if getattr(self, field) is not None:
                force_setattr(self, field, number(getattr(self, field), f"joint.{field}"))
        _check_limits(self, self.lower, self.upper)


class Revolute(_OneWay, frozen=True, tag="revolute"):
    """Turns about `axis` (unit vector, joint frame). q: angle, rad; v: its rate."""

    q_names: ClassVar = ("",)
    v_names: ClassVar = ("",)
    q_zero: ClassVar = (0.0,)
    axis: Vector = (0.0, 0.0, 1.0)

    def _check(self):
        super()._check()
        force_setattr(self, "axis", unit(self.axis, "joint.axis"))


class Prismatic(_OneWay, frozen=True, tag="prismatic"):
    """Slides along `axis` (unit vector, joint frame). q: distance, m; v: its rate."""

    q_names: ClassVar = ("",)
    v_names: ClassVar = ("",)
    q_zero: ClassVar = (0.0,)
    axis: Vector = (1.0, 0.0, 0.0)

    def _check(self):
        super()._check()
        force_setattr(self, "axis", unit(self.axis, "joint.axis"))


class Universal(_Driven, frozen=True, tag="universal"):
    """Turns by q[0] about axes[0], fixed to the parent, then by q[1] about axes[1], fixed to the link; v is q's rate.

    Springs, dampers and limits as in Revolute, one number for both angles or one each; a limit of None leaves its angle
    free on that side.
    """

    q_names: ClassVar = ("first", "second")
    v_names: ClassVar = ("first", "second")
    q_zero: ClassVar = (0.0, 0.0)
    axes: tuple[Vector, Vector] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    stiffness: float | Pair = (0.0, 0.0)
    damping: float | Pair = (0.0, 0.0)
    rest: float | Pair = (0.0, 0.0)
    lower: float | Limits | None = None
    upper: float | Limits | None = None
    limit_stiffness: float | Pair = (0.0, 0.0)
    limit_damping: float | Pair = (0.0, 0.0)

    def _check(self):
        super()._check()
        if not in_a_row(self.axes) or len(self.axes) != 2:
            raise ModelError(f"joint.axes is {shown(self.axes)}; give two unit vectors")
        a, b = (unit(axis, f"joint.axes[{i}]") for i, axis in enumerate(self.axes))
        force_setattr(self, "axes", (a, perpendicular(a, b, "joint.axes")))
        for field in ("stiffness", "damping", "limit_stiffness", "limit_damping"):
            pair = _pair(getattr(self, field), f"joint.{field}")
            force_setattr(self, field, tuple(not_negative(x, f"joint.{field}") for x in pair))
        force_setattr(self, "rest", _pair(self.rest, "joint.rest"))
        for field in ("lower", "upper"):
            if getattr(self, field) is not None:
                force_setattr(self, field, _limits(getattr(self, field), f"joint.{field}"))
        for i in range(2):
            _check_limits(self, self.lower and self.lower[i], self.upper and self.upper[i], self.lower or self.upper)


class Spherical(_Driven, frozen=True, tag="spherical"):
    """A ball joint. q: unit quaternion (w, x, y, z) turning link components into joint-frame components;
    v: angular velocity relative to the parent, components along the link axes, rad/s.

    stiffness (N m/rad) pulls the rotation vector of the shorter way to zero, damping (N m s/rad) brakes v; both alike
    in all directions. At half a turn the spring's torque turns about: docs/theory/attitude.md.
    start: None or the Attitude that runs start from, a table such as {chart = "zyx", values = [0.1, 0.0, 0.0]}.
    """

    q_names: ClassVar = ("qw", "qx", "qy", "qz")
    v_names: ClassVar = ("wx", "wy", "wz")
    q_zero: ClassVar = (1.0, 0.0, 0.0, 0.0)
    stiffness: float = 0.0
    damping: float = 0.0
    start: Attitude | None = None

    def _check(self):
        super()._check()
        for field in ("stiffness", "damping"):
            force_setattr(self, field, not_negative(getattr(self, field), f"joint.{field}"))
        _check_start(self)


class Fixed(Joint, frozen=True, tag="fixed"):
    """Holds the link to its parent; no coordinates."""


class Free(_Driven, frozen=True, tag="free"):
    """Floats freely; for links on the base. q: position (x, y, z) of the link origin and quaternion (w, x, y, z);
    v: velocity of the link origin and angular velocity, both along the link axes.

    start: None or the Attitude that runs start from, as in Spherical.
    """

    q_names: ClassVar = ("x", "y", "z", "qw", "qx", "qy", "qz")
    v_names: ClassVar = ("vx", "vy", "vz", "wx", "wy", "wz")
    q_zero: ClassVar = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    base_only: ClassVar = True
    start: Attitude | None = None

    def _check(self):
        super()._check()
        _check_start(self)


class FreePlanar(_Driven, frozen=True, tag="free-planar"):
    """Floats in the xy plane of the joint frame; for links on the base. q: (x, y, theta); v: their rates."""

    q_names: ClassVar = ("x", "y", "theta")
    v_names: ClassVar = ("vx", "vy", "omega")
    q_zero: ClassVar = (0.0, 0.0, 0.0)
    base_only: ClassVar = True


AnyJoint = Revolute | Prismatic | Universal | Spherical | Fixed | Free | FreePlanar
JOINTS = {j.__struct_config__.tag: j for j in (Revolute, Prismatic, Universal, Spherical, Fixed, Free, FreePlanar)}


def _signal(value, what):
    if is_function(value):
        return Function(value, laws=True)
    return kind_of(made(value, SIGNAL_WORDS, what), (*SIGNALS, Function), what)


def _check_start(joint):
    """The attitude a ball joint or a floating link starts from, if it says one"""
    if joint.start is not None:
        force_setattr(joint, "start", kind_of(made(joint.start, {"start": Attitude}, "start"), Attitude, "start"))


def _pair(value, what):
    return numbers(value, what, 2) if in_a_row(value) else (number(value, what),) * 2


def _limits(value, what):
    """A pair in which None is no limit, as an infinite one in files; None where there is none at all."""
    if not in_a_row(value):
        return (number(value, what),)*2
    if len(value) != 2:
        raise ModelError(f"{what} is {shown(value)}; give a number for both angles, or two, None for no limit")
    none = -math.inf if what.endswith("lower") else math.inf
    pair = tuple(None if x is None or x == none else number(x, f"{what}[{i}]") for i, x in enumerate(value))
    return None if pair == (None, None) else pair


def _check_limits(joint, lower, upper, others=None):
    """Of one coordinate; others: limits of the joint's other ones."""
    if lower is not None and upper is not None and lower >= upper:
        raise ModelError(f"joint.lower is {shown(lower)}, not below joint.upper {shown(upper)}; give lower < upper")
    if lower is None and upper is None and others is None:
        for field in ("limit_stiffness", "limit_damping"):
            if any(joint.per_velocity(field)):
                raise ModelError(f"joint.{field} has no limit to act at; give joint.lower, joint.upper or both")

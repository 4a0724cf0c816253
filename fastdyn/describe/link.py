"""One link: where its joint sits on the parent, how it may move, what it weighs, what pulls at it."""

import math

from msgspec import field
from msgspec.structs import force_setattr

from ..status import ModelError
from .body import Body, together
from .check import kind_of, made, not_negative, numbers, positive, printable, rotation, shown, squarable
from .elastic import Elastic
from .joints import JOINTS, AnyJoint, Revolute
from .loads import Load
from .words import Words

BASE = "base"
Vector = tuple[float, float, float]


class Link(Words, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A link and the joint that carries it. The link frame's origin is the joint, x runs along the link.

    Parameters
    ----------
    name : unique in the chain; "" becomes "link1", "link2", ... by position.
    parent : name of the link it hangs on, "base" for the ground; "" is the link listed before (the base for the first).
    joint : how it moves against its parent.
    at : joint position in the parent's link frame, m; None is the parent's tip, or the origin on the base.
    turn : unit quaternion (w, x, y, z) that turns joint-frame components into components along the parent's link axes.
    length : distance from the joint to the tip along x, m; of an elastic link that of its beam.
    mass, radius : kg, m; short for body=Body.rod(length, mass, radius).
    body : the link's mass; without mass or body the link is a frame that weighs nothing.
    loads : forces and moments from outside.
    points : name -> position in the link frame, m.
    elastic : None, or how the link bends. Its beam has the mass; a body adds to it and keeps to the link frame. Loads,
        points and other links sit at one of the beam's two ends.

    Joint, body, loads and their signals may be dicts of their words, as in a model file; what is wrong with one is then
    told with the link's name, as `Link(name="arm", joint={"kind": "revolute", "damping": 0.1})`. A joint made first is
    checked when it is made and belongs to no link yet.
    """

    name: str = ""
    parent: str = ""
    joint: AnyJoint = Revolute()
    at: Vector | None = None
    turn: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    length: float = 0.0
    mass: float | None = None
    radius: float = 0.0
    body: Body | None = None
    loads: tuple[Load, ...] = ()
    points: dict[str, Vector] = field(default_factory=dict)
    elastic: Elastic | None = None

    @classmethod
    def place_of(cls, words):
        """The link's name where it has one."""
        name = words.get("name")
        return f'link "{name}": ' if isinstance(name, str) and name.isprintable() and name else "link."

    def __post_init__(self):
        try:
            self._check()
        except ModelError as refused:
            if not isinstance(self.name, str) or not self.name.isprintable():
                raise
            told = f'link "{self.name}": {refused}' if self.name else f"{refused} ({self._without_name(str(refused))})"
            raise ModelError(told) from None

    def _without_name(self, refusal):
        """Which link that may be, by what else was said of it: its number in a chain is not known yet."""
        words = {field: shown(getattr(self, field)) for field in ("parent", "at", "turn", "length", "mass", "radius")}
        given = [f"{field} {word}" for field, word in words.items()
                 if word != shown(getattr(UNSAID, field)) and not refusal.startswith(field)]
        if isinstance(self.joint, tuple(JOINTS.values())) and not isinstance(self.joint, Revolute):
            given.append(f"a {self.joint.kind} joint")
        if isinstance(self.body, Body):
            given.append(f"a body of {shown(self.body.mass)} kg")
        return "in the link without a name that has " + ", ".join(given) if given else "in a link without a name"

    def _check(self):
        printable(self.name, "name")
        if self.name == BASE:
            raise ModelError('name "base" is the ground itself; give the link another name')
        printable(self.parent, "parent")
        force_setattr(self, "joint", made(self.joint, JOINTS, "joint"))
        kind_of(self.joint, tuple(JOINTS.values()), "joint")
        if self.at is not None:
            force_setattr(self, "at", squarable(numbers(self.at, "at", 3, "m"), "at"))
        force_setattr(self, "turn", rotation(self.turn, "turn"))
        force_setattr(self, "length", not_negative(self.length, "length", "m"))
        force_setattr(self, "radius", not_negative(self.radius, "radius", "m"))
        if self.elastic is not None:
            self._check_length()
        self._check_mass()
        if not isinstance(self.loads, (tuple, list)):
            raise ModelError(f"loads is {shown(self.loads)}; give a list of Load")
        loads = tuple(made(load, {"load": Load}, f"loads[{i}]") for i, load in enumerate(self.loads))
        force_setattr(self, "loads", tuple(kind_of(load, Load, f"loads[{i}]") for i, load in enumerate(loads)))
        if not isinstance(self.points, dict):
            raise ModelError(f"points is {shown(self.points)}; give a table of name and position")
        for point in self.points:
            if not printable(point, "points name"):
                raise ModelError('points has an empty name; give every point a name such as "grip"')
        force_setattr(self, "points", {name: numbers(p, f"points.{name}", 3, "m") for name, p in self.points.items()})
        if self.elastic is not None:
            self._check_ends()

    def _check_length(self):
        """An elastic link is as long as its beam, and heavy by it."""
        beam = kind_of(self.elastic, Elastic, "elastic").beam
        if self.length not in (0.0, beam.length):
            raise ModelError(f"length is {shown(self.length)} m but elastic.beam.length is {shown(beam.length)} m; "
                             "leave length out")
        force_setattr(self, "length", beam.length)
        if self.mass is not None or self.radius != 0.0:
            field = "mass" if self.mass is not None else "radius"
            raise ModelError(f"{field} and elastic are both given; the beam has its own mass: leave {field} out, or "
                             "give a body for what is fixed to the link besides")
        _ = self.elastic.integrals

    def _check_ends(self):
        """Nothing acts between the two ends of a beam."""
        places = [(f"loads[{i}].at", load.at) for i, load in enumerate(self.loads)]
        for what, place in places + [(f"points.{name}", place) for name, place in self.points.items()]:
            if any(place) and place != self.tip:
                raise ModelError(f"{what} {shown(place)} m is not at an end of the beam; give (0, 0, 0) or "
                                 f"{shown(self.tip)}, or cut the beam in two there with a fixed joint")

    def _check_mass(self):
        force_setattr(self, "body", made(self.body, {"body": Body}, "body"))
        if self.body is not None:
            kind_of(self.body, Body, "body")
            if self.mass is not None:
                raise ModelError("mass and body are both given; mass is short for a rod: keep one of the two")
        if self.mass is None:
            if self.radius != 0.0:
                raise ModelError(f"radius is {shown(self.radius)} m but mass is missing; the two go together")
            return
        force_setattr(self, "mass", positive(self.mass, "mass", "kg"))
        if self.length == 0.0:
            raise ModelError("length is 0 m but mass is spread along it; give length > 0, or body=Body.point(mass, at)")
        if self.mass*(3.0*self.radius*self.radius + self.length*self.length) == math.inf:
            raise ModelError(f"length is {shown(self.length)} m, with radius {shown(self.radius)} m and mass "
                             f"{shown(self.mass)} kg: mass times length squared is no finite number; give less")

    def __hash__(self):
        """Of what can be hashed; links that are equal have equal ones."""
        return hash((self.name, self.parent, self.joint, self.at, self.turn, self.length, self.mass, self.body))

    @property
    def rigid_body(self) -> Body | None:
        """What is rigid of the link, from `body` or from the short form, and a beam without modes; None is no mass."""
        if self.elastic is not None and self.modes == 0:
            return self.straight_body
        return self.body if self.mass is None else Body.rod(self.length, self.mass, self.radius)

    @property
    def straight_body(self) -> Body | None:
        """All mass of the link, as it is when the link does not bend."""
        beam = None if self.elastic is None else self.elastic.straight_body
        return self.rigid_body if beam is None else together(beam, self.body)

    @property
    def nq(self) -> int:
        """Coordinates of joint and modes."""
        return self.joint.nq + self.modes

    @property
    def nv(self) -> int:
        """Velocity coordinates of joint and modes."""
        return self.joint.nv + self.modes

    @property
    def modes(self) -> int:
        """Modes the link bends and stretches in, 0 of a rigid one."""
        return 0 if self.elastic is None else len(self.elastic.mode_shapes)

    @property
    def tip(self) -> Vector:
        return self.length, 0.0, 0.0

    @property
    def named_points(self) -> dict[str, Vector]:
        """Name -> place in the link frame: the tip, unless a point of that name is elsewhere, and `points`."""
        return {"tip": self.tip} | self.points


UNSAID = Link()

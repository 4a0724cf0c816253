"""Loop closures: what holds two places of a chain together besides its joints, said in words, checked, and as gaps."""

from typing import Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import force_setattr

from ..layout import (
    ACROSS, ALONG, CLOSURE, GAP_AT_A, GAP_AT_B, GAP_DAMPING, GAP_FIXED, GAP_KIND, GAP_LENGTH, GAP_OF, GAP_ON_A,
    GAP_ON_B, GAP_ROW_A, GAP_ROW_B, GAP_SCALE, GAP_STIFFNESS, SEPARATION)
from ..status import ModelError
from .check import kind_of, not_negative, numbers, one_of, positive, printable, rotation, shown, unit
from .lengths import loop_length, mechanism_length
from .link import BASE
from .touching import HERE, Places, place_of
from .words import Words

Vector = tuple[float, float, float]
KINDS = ("pin", "ball", "slot", "slider", "weld", "distance")
TURNING = ("pin", "slider", "weld")                     # those that say something of attitudes
AXES = {"pin": (0.0, 0.0, 1.0), "slot": (1.0, 0.0, 0.0), "slider": (1.0, 0.0, 0.0)}
NO_TURN = (1.0, 0.0, 0.0, 0.0)


class Closure(Words, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Holds place b to place a, which closes a loop.

    Parameters
    ----------
    kind : "pin": the places coincide and, in space, b turns about `axis` only; "ball": they coincide; "slot": b is on
        the line through a along `axis`; "slider": that, and b does not turn against a; "weld": b does not move against
        a; "distance": b is `length` away from a.
    a, b : "link" (its origin), "link.tip", "link.point"; or three numbers, a place on the base, m.
    axis : unit vector, axes of a's link (of the base); for a pin (0, 0, 1) if not given, else (1, 0, 0).
    turn : unit quaternion (w, x, y, z) that turns components along b's axes into components along a's, as b is held.
    length : of a distance, m.
    stiffness : None: held exactly, by forces. A number: by springs on the gaps, N/m and N m/rad, of a distance one of
        free length `length`.
    damping : of these springs, N s/m and N m s/rad.
    name : for tables and messages.
    """

    kind: Literal["pin", "ball", "slot", "slider", "weld", "distance"]
    a: str | Vector
    b: str | Vector
    axis: Vector | None = None
    turn: tuple[float, float, float, float] = NO_TURN
    length: float | None = None
    stiffness: float | None = None
    damping: float = 0.0
    name: str = ""

    def __post_init__(self):
        one_of(self.kind, KINDS, "closure.kind")
        printable(self.name, "closure.name")
        for end in ("a", "b"):
            place = getattr(self, end)
            if isinstance(place, (tuple, list)) and any(isinstance(x, str) for x in place):
                raise ModelError(f'closure.{end} is {shown(place)}; give a place on a link as "link.point", by a '
                                 "point's name, or one on the base as 3 numbers in m")
            if not isinstance(place, str):
                force_setattr(self, end, numbers(place, f"closure.{end}", 3, "m"))
        force_setattr(self, "turn", rotation(self.turn, "closure.turn"))
        self._check_numbers()

    def _check_numbers(self):
        if self.axis is not None:
            if self.kind not in AXES:
                raise ModelError(f'closure.axis is given, but "{self.kind}" has no axis; leave it out')
            force_setattr(self, "axis", unit(self.axis, "closure.axis"))
        if self.turn != NO_TURN and self.kind not in TURNING:
            raise ModelError(f'closure.turn is given, but "{self.kind}" says nothing of how b stands; leave it out')
        if (self.length is None) != (self.kind != "distance"):
            raise ModelError('closure.length goes with kind "distance" and no other; '
                             + ("give it in m" if self.length is None else "leave it out"))
        for field in ("length", "stiffness"):
            if getattr(self, field) is not None:
                force_setattr(self, field, positive(getattr(self, field), f"closure.{field}"))
        force_setattr(self, "damping", not_negative(self.damping, "closure.damping"))
        if self.damping and self.stiffness is None:
            raise ModelError("closure.damping is given without stiffness; what is held exactly has no rate: give both")

    @property
    def rigid(self) -> bool:
        """Whether forces hold it exactly, not springs."""
        return self.stiffness is None

    @property
    def line(self) -> Vector:
        """Its axis, also where it is not given."""
        return AXES[self.kind] if self.axis is None else self.axis


class Held(Struct):
    """A closure with its ends found: (number of the link, -1 the base; place in the link frame)."""

    closure: Closure
    a: tuple[int, Vector]
    b: tuple[int, Vector]


def held_places(chain) -> tuple[Held, ...]:
    """The closures of a chain with their ends; refused where nothing could move, or one link is held to itself."""
    places = Places(chain) if chain.closures else None
    found = []
    for k, closure in enumerate(chain.closures):
        kind_of(closure, Closure, what := f"closure[{k}]")
        ends = [_end(places, getattr(closure, end), f"{what}.{end}") for end in ("a", "b")]
        if ends[0][0] == ends[1][0] >= 0:
            raise ModelError(f'{what}: both ends are on link "{chain.links[ends[0][0]].name}"; name two links, or a '
                             "link and a place on the base")
        if not any(places.can_move(*end) for end in ends):
            raise ModelError(f"{what}: neither {shown(closure.a)} nor {shown(closure.b)} can move; leave it out")
        found.append(Held(closure, *ends))
    return tuple(found)


def _end(places, place, what):
    if isinstance(place, str):
        return (-1, HERE) if place == BASE else place_of(places, place, what)
    return -1, place


def first_closure_out_of_plane(closures):
    """None, or what of a closure is not about the plane z = 0, in words."""
    for k, closure in enumerate(closures):
        what = f"closure[{k}]"
        if closure.kind == "ball":
            return f'{what} is a ball (in the plane take "pin")'
        for end in ("a", "b"):
            place = getattr(closure, end)
            if not isinstance(place, str) and place[2] != 0.0:
                return f"{what}.{end} {shown(place)} m has a z component"
        if closure.kind == "pin" and closure.line[:2] != (0.0, 0.0):
            return f"{what}.axis {shown(closure.line)} is not along z"
        if closure.kind in ("slot", "slider") and closure.line[2] != 0.0:
            return f"{what}.axis {shown(closure.line)} has a z component"
        if closure.turn[1] != 0.0 or closure.turn[2] != 0.0:
            return f"{what}.turn {shown(closure.turn)} is not about z"
    return None


def closures_of(chain, carrying, frame, matrices) -> np.ndarray:
    """Model.closure: a row per gap, a number; what is held exactly first.

    Parameters
    ----------
    carrying, frame : as in `contacts_of`; matrices : rotation matrices of quaternions.
    """
    gaps = [gap for k, held in enumerate(chain.held) for gap in _gaps(k, held, chain.planar, matrices)]
    order = sorted(range(len(gaps)), key=lambda i: gaps[i][1] == np.inf, reverse=True)
    rows, mechanism = np.zeros((len(gaps), CLOSURE)), mechanism_length(chain) if gaps else 0.0
    size = [loop_length(chain, held, mechanism) for held in chain.held]
    for new, (which, stiffness, kind, on_a, on_b, length) in zip(rows, (gaps[i] for i in order)):
        held = chain.held[which]
        new[GAP_KIND], new[GAP_OF], new[GAP_STIFFNESS] = kind, which, stiffness
        new[GAP_LENGTH], new[GAP_DAMPING] = length, held.closure.damping
        new[GAP_SCALE] = 1.0 if kind == ACROSS else size[which]
        # a damper has to see the gap from a: along the world's axes it would brake what turns as a whole
        new[GAP_FIXED] = kind == ALONG and (held.closure.kind in ("slot", "slider") or held.closure.damping > 0.0)
        for (link, at), direction, row_at, place_at, on_at in (
                (held.a, on_a, GAP_ROW_A, GAP_AT_A, GAP_ON_A), (held.b, on_b, GAP_ROW_B, GAP_AT_B, GAP_ON_B)):
            row, at = (-1, at) if link < 0 else carrying(link, at)
            C = np.eye(3) if row < 0 else frame[row]
            turned = kind == ACROSS or new[GAP_FIXED]
            new[row_at], new[place_at:place_at + 3] = row, np.array(at) @ C
            new[on_at:on_at + 3] = np.array(direction) @ (C if turned else np.eye(3))
    return rows


def _gaps(which, held, planar, matrices):
    """(closure, stiffness, kind, direction on a's link, on b's, length) of each gap."""
    closure, none = held.closure, np.zeros(3)
    stiffness = np.inf if closure.rigid else closure.stiffness
    T = matrices(np.array([closure.turn]))[0]           # b's components to a's
    x, y, z = np.eye(3)
    if closure.kind == "distance":
        return [(which, stiffness, SEPARATION, none, none, closure.length)]
    line = np.array(closure.line) if closure.kind in AXES else z
    across = _across(line, planar)
    held_along = across if closure.kind in ("slot", "slider") else [x, y] if planar else [x, y, z]
    gaps = [(which, stiffness, ALONG, e, none, 0.0) for e in held_along]
    if closure.kind == "pin" and not planar:
        gaps += [(which, stiffness, ACROSS, e, T.T @ line, 0.0) for e in across]
    if closure.kind in ("slider", "weld"):
        pairs = [(y, x)] if planar else [(y, x), (z, y), (x, z)]
        gaps += [(which, stiffness, ACROSS, e, T.T @ f, 0.0) for e, f in pairs]
    return gaps


def _across(line, planar):
    """Unit vectors perpendicular to a line: one in the plane, two in space."""
    if planar:
        return [np.array([-line[1], line[0], 0.0])]
    first = np.cross(line, np.eye(3)[np.argmin(np.abs(line))])
    first /= np.linalg.norm(first)
    return [first, np.cross(line, first)]

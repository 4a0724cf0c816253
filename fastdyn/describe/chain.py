"""A chain of links, or a tree of them, on the base: the user's words, checked, from which everything else follows."""

import difflib
import inspect
from collections.abc import Callable
from functools import cached_property
from typing import Any, Literal

import numpy as np
from msgspec.structs import force_setattr, replace

from ..status import ModelError
from .check import kind_of, numbers, one_of, printable, quaternion, shown
from .closures import Closure, Held, first_closure_out_of_plane, held_places
from .functions import DRIVE, check_types
from .ground import Ground
from .joints import Revolute
from .kinship import named
from .link import BASE, Link
from .plane import first_out_of_plane
from .touching import ContactPoint, contact_points
from .words import Words

EARTH = 9.81  # m/s^2
SINGULAR = {"links": "link", "grounds": "ground", "closures": "closure"}    # what a table of a file is called


class Chain(Words, frozen=True, dict=True, forbid_unknown_fields=True, rename=SINGULAR):
    """Links joined into a chain or a tree, on a base at rest.

    Parameters
    ----------
    links : list of Link, parents before children; copied with names and parents filled in.
    gravity : acceleration of a falling body in base axes, m/s^2; None is (0, -9.81, 0) in the plane, (0, 0, -9.81)
        in space.
    space : "plane" computes in the plane z = 0 and refuses a chain that leaves it; "space" never does; "auto" looks.
        Rounding leaves no plane: of unit vectors and quaternions components up to 4 EPS (9e-16) are taken as zero, here
        and in all that follows, and z components of other vectors and products of inertia up to 4 EPS of the largest.
    name : of the model, for tables and files.
    drive : None or a function drive(t, q, v, torque, wrench) that adds in place and returns None: to torque (nv,), and
        to wrench (links, 6) force (N) and moment about the joint (N m) on each link, link axes. One compiled by Numba's
        cfunc as void(float64, p, p, p, p), p a CPointer(float64), gets the same as addresses: carray(wrench,
        (links, 6)) is the array. Runs call it with nothing in between. Not kept in files.
    grounds : list of Ground that points of the chain may hit.
    closures : list of Closure that hold places of the chain together besides its joints.
    start_q, start_v : state that runs start from, one number per coordinate; None is zero, at rest. The quaternion of a
        joint that says its `start` in a chart stays (1, 0, 0, 0) here.
    """

    links: tuple[Link, ...]
    gravity: tuple[float, float, float] | None = None
    space: Literal["auto", "plane", "space"] = "auto"
    name: str = ""
    drive: Any = None
    grounds: tuple[Ground, ...] = ()
    closures: tuple[Closure, ...] = ()
    start_q: tuple[float, ...] | None = None
    start_v: tuple[float, ...] | None = None

    def __post_init__(self):
        if not isinstance(self.links, (tuple, list)) or not self.links:
            raise ModelError(f"links is {shown(self.links)}; give a list of one Link or more")
        force_setattr(self, "links", named(self.links))
        one_of(self.space, ("auto", "plane", "space"), "space")
        printable(self.name, "name")
        if self.drive is not None:
            _check_drive(self.drive)
        if self.gravity is not None:
            force_setattr(self, "gravity", numbers(self.gravity, "gravity", 3, "m/s^2"))
        self._check_grounds()
        self._check_closures()
        out_of_plane = self._out_of_plane() if self.space != "space" else 'space is "space"'
        if self.space == "plane" and out_of_plane:
            raise ModelError(f'{out_of_plane}, but space is "plane"; change it, or take space="space"')
        self._check_bending(out_of_plane)
        if self.gravity is None:
            force_setattr(self, "gravity", (0.0, -EARTH, 0.0) if out_of_plane is None else (0.0, 0.0, -EARTH))
        self._check_start()

    def _check_grounds(self):
        if not isinstance(self.grounds, (tuple, list)):
            raise ModelError(f"grounds is {shown(self.grounds)}; give a list of Ground")
        force_setattr(self, "grounds", tuple(kind_of(g, Ground, f"ground[{i}]") for i, g in enumerate(self.grounds)))
        _ = self.contact_pairs

    def _check_closures(self):
        if not isinstance(self.closures, (tuple, list)):
            raise ModelError(f"closures is {shown(self.closures)}; give a list of Closure")
        force_setattr(self, "closures", tuple(self.closures))
        if any(held.closure.rigid for held in self.held) and self.grounds:
            raise ModelError("ground[0] and a closure that is held exactly are both given; give the closure a "
                             "stiffness: with grounds, loops are closed by springs")

    def _check_bending(self, out_of_plane):
        """Elastic links bend in the plane, and kernels of the plane turn about +z."""
        bends = next((link for link in self.links if link.elastic is not None), None)
        if bends is None:
            return
        said = f'link "{bends.name}": elastic links bend in the plane'
        if out_of_plane:
            raise ModelError(f"{said}; the chain leaves it: {out_of_plane}")
        for link in self.links:
            if isinstance(link.joint, Revolute) and link.joint.axis[2] < 0.0:
                raise ModelError(f'{said} and are seen from above; link "{link.name}": joint.axis '
                                 f"{shown(link.joint.axis)} points down: take (0, 0, 1) and angles of the other sign")

    def _check_start(self):
        for field, size in (("start_q", self.nq), ("start_v", self.nv)):
            if getattr(self, field) is not None:
                force_setattr(self, field, numbers(getattr(self, field), field, size))
        if self.start_q is not None:
            q = list(self.start_q)
            for name, part in self.quaternions:
                q[part] = quaternion(tuple(q[part]), f'start_q of link "{name}"')
                if q[part] != [1.0, 0.0, 0.0, 0.0] and self.links[self.index(name)].joint.start is not None:
                    raise ModelError(f'start_q and joint.start both turn link "{name}"; leave its quaternion in '
                                     "start_q at (1, 0, 0, 0), or take away joint.start")
            force_setattr(self, "start_q", tuple(q))

    def __hash__(self):
        """Of links, gravity and name; chains that are equal have equal ones."""
        return hash((self.links, self.gravity, self.name))

    def _out_of_plane(self):
        """None, or the sentence that names the first thing that leaves the plane z = 0."""
        tilted = (f"ground[{i}].normal {shown(ground.normal)} has a z component"
                  for i, ground in enumerate(self.grounds) if ground.normal[2] != 0.0)
        return (first_out_of_plane(self.links, self.gravity) or first_closure_out_of_plane(self.closures)
                or next(tilted, None))

    @cached_property
    def planar(self) -> bool:
        """True when the chain is computed in the plane z = 0."""
        return self.space != "space" and self._out_of_plane() is None

    @cached_property
    def link_names(self) -> tuple[str, ...]:
        return tuple(link.name for link in self.links)

    @cached_property
    def joint_positions(self) -> tuple[tuple[float, float, float], ...]:
        """Where each link's joint sits in its parent's link frame, m: `at`, or the parent's tip."""
        tips = {BASE: (0.0, 0.0, 0.0)} | {link.name: link.tip for link in self.links}
        return tuple(tips[link.parent] if link.at is None else link.at for link in self.links)

    @cached_property
    def nq(self) -> int:
        """Number of coordinates."""
        return sum(link.nq for link in self.links)

    @cached_property
    def nv(self) -> int:
        """Number of velocity coordinates: the degrees of freedom."""
        return sum(link.nv for link in self.links)

    @cached_property
    def coordinate_names(self) -> tuple[str, ...]:
        """One name per entry of q: "link1", or "link2.qw" where a joint has several; then "link2.mode1", ..."""
        return tuple(_full(link.name, part) for link in self.links for part in (*link.joint.q_names, *_modes(link)))

    @cached_property
    def velocity_names(self) -> tuple[str, ...]:
        """One name per entry of v: "link1", or "link2.wx" where a joint has several; then "link2.mode1", ..."""
        return tuple(_full(link.name, part) for link in self.links for part in (*link.joint.v_names, *_modes(link)))

    @property
    def contact_points(self) -> tuple[ContactPoint, ...]:
        """Points that may touch a ground, in the order they are first mentioned."""
        return self._touching[0]

    @property
    def contact_pairs(self) -> tuple[tuple[int, int], ...]:
        """(number of the point, number of the ground) of who may hit what."""
        return self._touching[1]

    @cached_property
    def held(self) -> tuple[Held, ...]:
        """The closures with the places they hold."""
        return held_places(self)

    def zero_state(self) -> tuple[np.ndarray, np.ndarray]:
        """(q, v) with every joint at zero (quaternions one), every beam straight, all at rest."""
        q = [x for link in self.links for x in (*link.joint.q_zero, *(0.0,)*link.modes)]
        return np.array(q, dtype=float), np.zeros(self.nv)

    def start_state(self) -> tuple[np.ndarray, np.ndarray]:
        """(q, v) that runs start from: start_q, start_v and the `start` of joints, zero where nothing is given."""
        q, v = self.zero_state()
        if self.start_q is not None:
            q[:] = self.start_q
        for name, part in self.quaternions:
            start = self.links[self.index(name)].joint.start
            if start is not None:
                q[part] = start.quaternion
        return q, v if self.start_v is None else np.array(self.start_v)

    def index(self, link: str) -> int:
        """Place of the link in `links`."""
        try:
            return self._places[link]
        except (KeyError, TypeError):
            close = difflib.get_close_matches(str(link), self.link_names, n=3) or self.link_names[:12]
            said = ", ".join(f'"{name}"' for name in close)
            raise ModelError(f'link "{link}" is not in this chain; did you mean {said}?') from None

    def q_slice(self, link: str) -> slice:
        """Where the coordinates of the link's joint stand in q, its modes behind them."""
        return self._slices[0][self.index(link)]

    def v_slice(self, link: str) -> slice:
        """Where the velocities of the link's joint stand in v, its modes behind them."""
        return self._slices[1][self.index(link)]

    def replace(self, **changes) -> "Chain":
        """A chain with some fields changed, checked anew; gravity stays the vector it is unless it is among them."""
        return replace(self, **changes)

    def to_toml(self) -> str:
        """The chain as the text of a model file."""
        from .writing import chain_text

        return chain_text(self)

    def save(self, path) -> None:
        """Write the chain to a TOML file, whole or not at all; `load` gives back an equal chain, every bit of it."""
        from .writing import write_whole

        write_whole(path, self.to_toml())

    @cached_property
    def model(self):
        """The flat arrays the kernels read."""
        from .compile import compile_chain

        return compile_chain(self)

    @cached_property
    def body_rows(self) -> dict[int, int]:
        """The row of `model` that carries each link's body and frame: the last one of its joint."""
        return {link: row for link, row, beam in self._rows if not beam}

    @cached_property
    def tip_rows(self) -> dict[int, int]:
        """The row of `model` at each link's tip: that of its beam, of a rigid link that of its body."""
        return {link: row for link, row, _ in self._rows}

    @cached_property
    def quaternions(self) -> list[tuple[str, slice]]:
        """Link names and places in q of unit quaternions."""
        found = []
        for link in self.links:
            if "qw" in link.joint.q_names:
                start = self.q_slice(link.name).start + link.joint.q_names.index("qw")
                found.append((link.name, slice(start, start + 4)))
        return found

    @cached_property
    def _rows(self):
        """(link, row, whether it is a beam) of every row of `model`."""
        from ..layout import LINK, PLANE_BEAM, STEP

        return [(int(row[LINK]), i, bool(row[STEP] >= PLANE_BEAM)) for i, row in enumerate(self.model.row)]

    @cached_property
    def _touching(self):
        return contact_points(self)

    @cached_property
    def _places(self):
        return {name: i for i, name in enumerate(self.link_names)}

    @cached_property
    def _slices(self):
        sizes = [(link.nq, link.nv) for link in self.links]
        ends = np.cumsum(np.array(sizes), axis=0).tolist()
        return tuple([slice(end[k] - size[k], end[k]) for end, size in zip(ends, sizes)] for k in (0, 1))


def _check_drive(drive):
    """A function of five arguments, as far as it tells."""
    if not isinstance(drive, Callable):
        raise ModelError(f"drive is {shown(drive)}; give a Python function drive(t, q, v, torque, wrench)")
    check_types(drive, DRIVE)
    try:
        signature = inspect.signature(drive)
    except (TypeError, ValueError):                     # of what is not written in Python
        return
    try:
        signature.bind(*range(5))
    except TypeError as wrong:
        name = getattr(drive, "__name__", "drive")
        raise ModelError(f"drive is called as drive(t, q, v, torque, wrench), but {name}{signature} does not take "
                         f"that: {wrong}") from None


def _modes(link):
    return (f"mode{k + 1}" for k in range(link.modes))


def _full(link_name, part):
    return f"{link_name}.{part}" if part else link_name

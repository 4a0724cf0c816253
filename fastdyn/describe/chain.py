"""A chain of links, or a tree of them, on the base: the user's words, checked, from which everything else follows."""

import difflib
from collections.abc import Callable
from functools import cached_property
from typing import Any, Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import force_setattr, replace

from ..status import ModelError
from .check import numbers, one_of, printable, shown
from .kinship import named
from .link import BASE, Link
from .plane import first_out_of_plane

EARTH = 9.81  # m/s^2


class Chain(Struct, frozen=True, dict=True, forbid_unknown_fields=True, rename={"links": "link"}):
    """Links joined into a chain or a tree, on a base at rest.

    Parameters
    ----------
    links : list of Link, parents before children; copied with names and parents filled in.
    gravity : acceleration of a falling body in base axes, m/s^2; None is (0, -9.81, 0) in the plane, (0, 0, -9.81)
        in space.
    space : "plane" computes in the plane z = 0 and refuses a chain that leaves it; "space" never does; "auto" looks.
    name : of the model, for tables and files.
    drive : None or a function drive(t, q, v, torque, wrench) that adds joint torques and wrenches; not kept in files.
    """

    links: tuple[Link, ...]
    gravity: tuple[float, float, float] | None = None
    space: Literal["auto", "plane", "space"] = "auto"
    name: str = ""
    drive: Any = None

    def __post_init__(self):
        if not isinstance(self.links, (tuple, list)) or not self.links:
            raise ModelError(f"links is {shown(self.links)}; give a list of one Link or more")
        force_setattr(self, "links", named(self.links))
        one_of(self.space, ("auto", "plane", "space"), "space")
        printable(self.name, "name")
        if self.drive is not None and not isinstance(self.drive, Callable):
            raise ModelError(f"drive is {shown(self.drive)}; give a Python function drive(t, q, v, torque, wrench)")
        if self.gravity is not None:
            force_setattr(self, "gravity", numbers(self.gravity, "gravity", 3, "m/s^2"))
        out_of_plane = first_out_of_plane(self.links, self.gravity) if self.space != "space" else ""
        if self.space == "plane" and out_of_plane:
            raise ModelError(f'{out_of_plane}, but space is "plane"; change it, or take space="space"')
        if self.gravity is None:
            force_setattr(self, "gravity", (0.0, -EARTH, 0.0) if out_of_plane is None else (0.0, 0.0, -EARTH))

    @cached_property
    def planar(self) -> bool:
        """True when the chain is computed in the plane z = 0."""
        return self.space != "space" and first_out_of_plane(self.links, self.gravity) is None

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
        return sum(link.joint.nq for link in self.links)

    @cached_property
    def nv(self) -> int:
        """Number of velocity coordinates: the degrees of freedom."""
        return sum(link.joint.nv for link in self.links)

    @cached_property
    def coordinate_names(self) -> tuple[str, ...]:
        """One name per entry of q: "link1", or "link2.qw" where a joint has several."""
        return tuple(_full(link.name, part) for link in self.links for part in link.joint.q_names)

    @cached_property
    def velocity_names(self) -> tuple[str, ...]:
        """One name per entry of v: "link1", or "link2.wx" where a joint has several."""
        return tuple(_full(link.name, part) for link in self.links for part in link.joint.v_names)

    def zero_state(self) -> tuple[np.ndarray, np.ndarray]:
        """(q, v) with every joint at zero (quaternions one) and at rest."""
        return np.array([x for link in self.links for x in link.joint.q_zero], dtype=float), np.zeros(self.nv)

    def index(self, link: str) -> int:
        """Place of the link in `links`."""
        try:
            return self._places[link]
        except (KeyError, TypeError):
            close = difflib.get_close_matches(str(link), self.link_names, n=3) or self.link_names[:12]
            said = ", ".join(f'"{name}"' for name in close)
            raise ModelError(f'link "{link}" is not in this chain; did you mean {said}?') from None

    def q_slice(self, link: str) -> slice:
        """Where the link's joint coordinates stand in q."""
        return self._slices[0][self.index(link)]

    def v_slice(self, link: str) -> slice:
        """Where the link's joint velocities stand in v."""
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
        """The row of `model` that carries each link's body: its last one."""
        from ..layout import LINK

        return {int(link): row for row, link in enumerate(self.model.row[:, LINK])}

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
    def _places(self):
        return {name: i for i, name in enumerate(self.link_names)}

    @cached_property
    def _slices(self):
        sizes = [(link.joint.nq, link.joint.nv) for link in self.links]
        ends = np.cumsum(np.array(sizes), axis=0).tolist()
        return tuple([slice(end[k] - size[k], end[k]) for end, size in zip(ends, sizes)] for k in (0, 1))


def _full(link_name, part):
    return f"{link_name}.{part}" if part else link_name

"""Links to rows: one row per step of the recursion, in depth-first order, with the slots of running states."""

from dataclasses import dataclass, field

import numpy as np

from ..layout import FIXED, FREE, PLANE_BEAM, PRISMATIC, REVOLUTE, SPHERICAL, STRETCHING
from .joints import Fixed, Free, FreePlanar, Prismatic, Revolute, Spherical, Universal
from .link import BASE

NO_TURN = (1.0, 0.0, 0.0, 0.0)
HERE = (0.0, 0.0, 0.0)
Z = (0.0, 0.0, 1.0)
STEPS = {Revolute: REVOLUTE, Prismatic: PRISMATIC, Spherical: SPHERICAL, Free: FREE, Fixed: FIXED}


@dataclass
class Rows:
    """What the links say about each row, a list entry a row; the last row of a link's joint carries its body.

    An elastic link has one row more, `elastic` in it: its frame is that at the tip of the beam.
    """

    link: list[int] = field(default_factory=list)
    step: list[int] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    axis: list[tuple] = field(default_factory=list)
    turn: list[tuple] = field(default_factory=list)
    at: list[tuple] = field(default_factory=list)
    q_at: list[int] = field(default_factory=list)
    v_at: list[int] = field(default_factory=list)
    body: list = field(default_factory=list)
    elastic: list = field(default_factory=list)

    def add(self, link, step, parent, axis, turn, at, q_at, v_at, body=None, elastic=None) -> int:
        """Append a row; its number."""
        for name, value in (("link", link), ("step", step), ("parent", parent), ("axis", axis), ("turn", turn),
                            ("at", at), ("q_at", q_at), ("v_at", v_at), ("body", body), ("elastic", elastic)):
            getattr(self, name).append(value)
        return len(self.link) - 1

    def carrying(self):
        """Function (link, at) -> (row that carries a place in the link's frame, the place there, link axes).

        Of an elastic link the places are its two ends: what is not the origin is the tip.
        """
        rigid = {link: row for row, (link, beam) in enumerate(zip(self.link, self.elastic)) if beam is None}
        tips = {link: row for row, (link, beam) in enumerate(zip(self.link, self.elastic)) if beam is not None}

        def carrying(link, at):
            if link not in tips:
                return rigid[link], at
            return (tips if any(at) else rigid)[link], HERE

        return carrying

    def in_order(self, order) -> "Rows":
        """The rows taken in another order, parents renumbered."""
        place = {old: new for new, old in enumerate(order)} | {-1: -1}
        taken = {name: [column[old] for old in order] for name, column in vars(self).items()}
        taken["parent"] = [place[p] for p in taken["parent"]]
        return Rows(**taken)


def rows_of(chain) -> Rows:
    """The rows of `chain`, parents before children, every subtree in one piece."""
    rows, root, tip, q_at, v_at = Rows(), {}, {BASE: -1}, 0, 0
    for i, (link, at) in enumerate(zip(chain.links, chain.joint_positions)):
        joint, parent, turn = link.joint, tip[link.parent], link.turn
        if link.parent in root:                             # of an elastic link: children hang on one of its ends
            parent, at = (tip[link.parent] if any(at) else root[link.parent]), HERE
        steps = _steps(joint)
        for k, (step, axis) in enumerate(steps):
            body = link.rigid_body if k == len(steps) - 1 else None
            parent = rows.add(i, step, parent, axis, turn, at, q_at + k, v_at + k, body)
            turn, at = NO_TURN, HERE
        q_at, v_at = q_at + joint.nq, v_at + joint.nv
        if bends(link):
            root[link.name], modes = parent, len(link.elastic.mode_shapes)
            step = PLANE_BEAM + modes + (STRETCHING if link.elastic.stretches else 0)
            parent = rows.add(i, step, parent, Z, NO_TURN, HERE, q_at, v_at, None, link.elastic)
            q_at, v_at = q_at + modes, v_at + modes
        tip[link.name] = parent
    order = depth_first(rows.parent)
    return rows if order == list(range(len(order))) else rows.in_order(order)


def bends(link) -> bool:
    """Whether the link has modes; an elastic link without any is a rigid body."""
    return link.elastic is not None and len(link.elastic.mode_shapes) > 0


def _steps(joint):
    """(step, axis) of each row of a joint."""
    if isinstance(joint, Universal):
        return [(REVOLUTE, axis) for axis in joint.axes]
    if isinstance(joint, FreePlanar):
        return [(PRISMATIC, (1.0, 0.0, 0.0)), (PRISMATIC, (0.0, 1.0, 0.0)), (REVOLUTE, (0.0, 0.0, 1.0))]
    return [(STEPS[type(joint)], getattr(joint, "axis", (0.0, 0.0, 1.0)))]


def depth_first(parent: list[int]) -> list[int]:
    """Row numbers in depth-first order, siblings as listed."""
    children: dict[int, list[int]] = {}
    for i, p in enumerate(parent):
        children.setdefault(p, []).append(i)
    order, waiting = [], children.get(-1, [])[::-1]
    while waiting:
        i = waiting.pop()
        order.append(i)
        waiting.extend(children.get(i, [])[::-1])
    return order


def last_children(parent: np.ndarray) -> np.ndarray:
    """The last child of each row, -1 for a tip; at the end the last root."""
    last = np.full(len(parent) + 1, -1)
    last[parent] = np.arange(len(parent))  # later rows win; parent -1 is the last entry
    return last


def slots_of(parent: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(slot, whether it is the parent's): a last child takes its parent's slot, all others have one of their own."""
    shares = np.zeros(len(parent), dtype=np.int64)
    last = last_children(parent)[:-1]
    shares[last[last >= 0]] = 1
    heads = np.flatnonzero(shares == 0)
    slot = np.zeros(len(parent), dtype=np.int64)
    slot[heads] = np.arange(len(heads))
    for i in np.flatnonzero(shares):
        slot[i] = slot[parent[i]]
    return slot, shares

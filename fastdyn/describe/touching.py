"""Which points of a chain may hit which ground: names to places, every place once, those that cannot move refused."""

from typing import NamedTuple

from ..status import ModelError
from .joints import Free, FreePlanar, Prismatic

HERE = (0.0, 0.0, 0.0)
CARRY_THEIR_ORIGIN = (Prismatic, Free, FreePlanar)


class ContactPoint(NamedTuple):
    """A point that may touch: number of its link, name, place in the link frame (m), whether at the link's tip."""

    link: int
    name: str
    position: tuple[float, float, float]
    at_tip: bool


def contact_points(chain):
    """(points in the order they are first mentioned, (point, ground) numbers of who may hit what)."""
    places = Places(chain) if chain.grounds else None
    points, numbers, pairs = [], {}, {}
    for g, ground in enumerate(chain.grounds):
        what = f"ground[{g}].points"
        for point in _joints(places, what) if ground.points == "joints" else _named(places, ground.points, what):
            seat = places.seat(point.link, point.position)
            if seat not in numbers:
                numbers[seat] = len(points)
                points.append(point)
            pairs[numbers[seat], g] = None
    return tuple(points), tuple(pairs)


class Places:
    """Which places of a chain are one and the same, and which of them can move."""

    def __init__(self, chain):
        self.links, self.index = chain.links, {link.name: i for i, link in enumerate(chain.links)}
        self.origin, self.moving = [], []
        for i, (link, at) in enumerate(zip(chain.links, chain.joint_positions)):
            parent = self.index.get(link.parent, -1)
            self.origin.append((i, HERE) if isinstance(link.joint, CARRY_THEIR_ORIGIN) else self.seat(parent, at))
            self.moving.append(link.nv > 0 or (parent >= 0 and self.moving[parent]))
        self.taken = set(self.origin)

    def seat(self, link, at):
        """A place by the innermost link it is fixed to, -1 the base; the same for all who name it."""
        return (link, at) if link < 0 or any(at) else self.origin[link]

    def can_move(self, link, at):
        innermost, _ = self.seat(link, at)
        return innermost >= 0 and self.moving[innermost]


def _joints(places, what):
    """Joints that can move, and tips that no joint sits on."""
    found = []
    for i, link in enumerate(places.links):
        if places.can_move(i, HERE):
            found.append(ContactPoint(i, link.name, HERE, False))
        if any(link.tip) and places.can_move(i, link.tip) and places.seat(i, link.tip) not in places.taken:
            found.append(ContactPoint(i, f"{link.name}.tip", link.tip, True))
    if not found:
        raise ModelError(f'{what} is "joints", but no joint or tip of this chain can move; name points that do')
    return found


def _named(places, names, what):
    for name in names:
        i, at = place_of(places, name, what)
        if not places.can_move(i, at):
            raise ModelError(f'{what}: "{name}" cannot move and so hits nothing; leave it out')
        yield ContactPoint(i, name, at, any(at) and at == places.links[i].tip)


def place_of(places, name, what):
    """(link, place in its frame) of "link", "link.tip" or "link.point"; names may have dots themselves."""
    if name in places.index:
        return places.index[name], HERE
    for cut in (k for k in range(len(name) - 1, 0, -1) if name[k] == "."):
        if name[:cut] in places.index:
            i, point = places.index[name[:cut]], name[cut + 1:]
            known = places.links[i].named_points
            if point in known:
                return i, known[point]
            said = ", ".join(f'"{name[:cut]}.{p}"' for p in known)
            raise ModelError(f'{what}: link "{name[:cut]}" has no point "{point}"; known are "{name[:cut]}", {said}')
    said = ", ".join(f'"{link}"' for link in list(places.index)[:12])
    raise ModelError(f'{what}: "{name}" is no point of this chain; name a link ({said}), its "link.tip" or one of its '
                     "points")

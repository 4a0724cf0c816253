"""Names and parents of a chain's links: filled in, unique, parents before children, nothing in circles."""

import copy

from msgspec.structs import force_setattr

from ..status import ModelError
from .check import kind_of, shown
from .link import BASE, Link


def named(links):
    """Copies of the links with names and parents filled in, in the order given."""
    filled, previous = [], BASE
    for i, link in enumerate(links):
        kind_of(link, Link, f"links[{i}]")
        twin = copy.copy(link)
        force_setattr(twin, "name", link.name or f"link{i + 1}")
        force_setattr(twin, "parent", link.parent or previous)
        filled.append(twin)
        previous = twin.name
    _check_names(filled)
    _check_parents(filled)
    _check_seats(filled)
    return tuple(filled)


def _check_names(links):
    place = {}
    for i, link in enumerate(links):
        first = place.setdefault(link.name, i)
        if first != i:
            raise ModelError(
                f'link "{link.name}": name is used twice, by links {first + 1} and {i + 1} of the list; '
                "give every link a name of its own"
            )


def _check_parents(links):
    everyone = {link.name: link for link in links}
    known = {BASE}
    for link in links:
        if link.parent not in known:
            raise ModelError(f'link "{link.name}": {_why_not(link, everyone)}')
        if link.joint.base_only and link.parent != BASE:
            raise ModelError(
                f'link "{link.name}": a {link.joint.kind} joint can only hang on the base, but parent is '
                f'"{link.parent}"; use a spherical or revolute joint, or parent="base"'
            )
        known.add(link.name)


def _check_seats(links):
    """What hangs on a beam hangs on one of its two ends; at its tip `at` becomes None."""
    beams = {link.name: link.tip for link in links if link.elastic is not None}
    for link in links:
        if link.parent in beams and link.at == beams[link.parent]:
            force_setattr(link, "at", None)
        elif link.parent in beams and link.at is not None and any(link.at):
            raise ModelError(
                f'link "{link.name}": at {shown(link.at)} m is not at an end of its parent "{link.parent}", which is '
                f"elastic; leave at out for the tip, give (0, 0, 0) for the joint, or cut the parent in two there"
            )


def _why_not(link, everyone):
    """Why the link's parent cannot be its parent."""
    if link.parent == link.name:
        return 'parent is the link itself; name the link it hangs on, or "base"'
    if link.parent not in everyone:
        names = [f'"{name}"' for name in (BASE, *everyone)]
        listed = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
        return f'parent "{link.parent}" is not a link of this chain; known are {listed}'
    trail, name = {}, link.name
    while name in everyone and name not in trail:
        trail[name] = len(trail)
        name = everyone[name].parent
    if name in trail:
        circle = [f'"{x}"' for x in list(trail)[trail[name] :]]
        circle = [*circle[:8], *["..."] * (len(circle) > 8), f'"{name}"']
        return f"parents run in a circle, {' under '.join(circle)}; hang one of them on the base"
    return f'parent "{link.parent}" is listed after it; list parents before their children'

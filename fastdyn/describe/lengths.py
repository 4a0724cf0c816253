"""Lengths that a chain has of its own, by which turns are compared with slides, and gaps with gaps."""

import math

from .joints import Free, FreePlanar, Prismatic
from .link import BASE
from .touching import HERE

FLOATING = Free, FreePlanar                             # where their joints are says nothing: they can be anywhere
NO_LENGTH = 1e-9            # of the length beside it: what is left of places that are to be one, told in nine digits


def mechanism_length(chain) -> float:
    """m: the longest distance that a link, or the base, keeps between its joint and its tip, other joints, closures.

    Strokes at the start and lengths of closures count too. Where all of it is zero, as of a ball that turns about one
    point, how far mass is from the joint; 1 of what has no length at all.
    """
    places = {-1: []} | {i: [HERE, link.tip] for i, link in enumerate(chain.links)}
    for link, at in zip(chain.links, chain.joint_positions):
        if not isinstance(link.joint, FLOATING):
            places[_parent(chain, link)].append(at)
    for held in chain.held:
        for link, at in (held.a, held.b):
            places[link].append(at)
    longest = max(math.dist(found[0], at) for found in places.values() for at in found)
    strokes = max(abs(_stroke(chain, i)) for i in range(len(chain.links)))
    return _of_size(max(longest, strokes, *(held.closure.length or 0.0 for held in chain.held), 0.0), _of_bodies(chain))


def loop_length(chain, held, mechanism) -> float:
    """m: the longest such distance on the way from one end of a closure to the other; if there is none, `mechanism`."""
    first, other = (_way(chain, *end) for end in (held.a, held.b))
    meeting = next(link for link in first if link in other)
    lengths = [held.closure.length or 0.0]
    if first[meeting] is not None and other[meeting] is not None:
        lengths.append(math.dist(first[meeting], other[meeting]))
    for way in (first, other):
        for link, at in way.items():
            if link == meeting:
                break
            lengths += [math.hypot(*at), abs(_stroke(chain, link))]
    return _of_size(max(lengths), mechanism)


def farthest(chain) -> float:
    """m: how far from the base's origin joints and closures on the base are, or more than that of the chain itself."""
    places = [at for link, at in zip(chain.links, chain.joint_positions) if link.parent == BASE]
    places += [at for held in chain.held for link, at in (held.a, held.b) if link < 0]
    return max(mechanism_length(chain), *(math.hypot(*at) for at in places))


def _of_size(length, otherwise):
    return length if length > NO_LENGTH*otherwise else otherwise


def _parent(chain, link):
    return -1 if link.parent == BASE else chain.index(link.parent)


def _way(chain, link, at):
    """Link -> the place where the way to the base enters it from outside; None on the base under what floats."""
    way = {link: at}
    while link >= 0:
        here = chain.links[link]
        at = None if isinstance(here.joint, FLOATING) else chain.joint_positions[link]
        link = _parent(chain, here)
        way[link] = at
    return way


def _stroke(chain, i):
    link = chain.links[i]
    if chain.start_q is None or not isinstance(link.joint, Prismatic):
        return 0.0
    return chain.start_q[chain.q_slice(link.name).start]


def _of_bodies(chain):
    """m: distance of a mass centre from its joint, or the root of an inertia over its mass."""
    bodies = [body for body in (link.rigid_body for link in chain.links) if body is not None and body.mass > 0.0]
    spread = (math.sqrt(max(body.inertia[k][k] for k in range(3))/body.mass) for body in bodies)
    return max((math.hypot(*body.com) for body in bodies), default=0.0) or max(spread, default=0.0) or 1.0

"""A chain as lines: every link from its joint to its tip or mass centre, boxes of bodies, what is between them."""

import numpy as np

from ..describe.joints import Free, FreePlanar
from ..describe.link import BASE
from .body_box import box_of
from .frames import bent, frames, modal

VIEW = np.array([[0.80, -0.60, 0.0], [0.18, 0.24, 0.954]])  # from the side and a little above: right, up on the page


def strokes(chain, q, magnify=1.0):
    """World points (n, 3) of the lines of a chain at q, rows of NaN between them; and its joints (m, 3).

    Links that bend are drawn with their deflection `magnify` times what it is.
    """
    (turns,), (origins,) = frames(chain, q)
    lines = []
    for i, (link, place) in enumerate(zip(chain.links, chain.joint_positions)):
        origin = origins[i]
        if link.modes or any(end_of(link)):
            lines.append(origin + body_line(chain, q, i, magnify) @ turns[i].T)
        lines += [origin + edge @ turns[i].T for edge in box_of(link)]
        if link.parent == BASE:
            seat = None if isinstance(link.joint, Free | FreePlanar) else np.array(place)
        else:
            k = chain.index(link.parent)
            parent = chain.links[k]
            seat = origins[k] + turns[k] @ place_on(chain, q, k, place)
            if not on_line(place, parent):
                lines.append(np.array([origins[k], seat]))
        if seat is not None and np.linalg.norm(seat - origin) > 1e-12*(1 + np.linalg.norm(origin)):
            lines.append(np.array([seat, origin]))          # how far a slider is out
    return joined(lines), origins


def free_tips(chain, q, magnify=1.0):
    """World points (k, 3) of the tips that no joint sits on."""
    (turns,), (origins,) = frames(chain, q)
    free = [chain.index(link.name) for link in with_free_tips(chain)]
    return np.array([origins[i] + turns[i] @ body_line(chain, q, i, magnify)[-1] for i in free]).reshape(-1, 3)


def with_free_tips(chain):
    """Links with a length and no joint at the tip."""
    taken = {(link.parent, tuple(place)) for link, place in zip(chain.links, chain.joint_positions)}
    return [link for link in chain.links if any(link.tip) and (link.name, tuple(link.tip)) not in taken]


def body_line(chain, q, i, magnify=1.0):
    """Places (k, 3) of the line of link i in its frame."""
    link = chain.links[i]
    return bent(link, q[modal(chain, i)], magnify) if link.modes else np.array([(0.0, 0.0, 0.0), end_of(link)])


def place_on(chain, q, i, place):
    """A place of the straight link i in its frame, moved by what the link bends; of a beam one of its ends."""
    moved = chain.links[i].modes and any(place)
    return body_line(chain, q, i)[-1] if moved else np.array(place)


def joined(lines):
    """The polylines in one array, those that go on where the last one ended without a break."""
    points = np.empty((0, 3))
    for line in lines:
        goes_on = len(points) and np.allclose(points[-1], line[0], rtol=1e-9, atol=1e-12)
        points = np.vstack([points, line[1:]] if goes_on else [points, np.full((1, 3), np.nan), line])
    return points


def end_of(link):
    """The tip of a link, or its mass centre if it has no length; link frame."""
    if link.length > 0.0:
        return link.tip
    return link.rigid_body.com if link.rigid_body else (0.0, 0.0, 0.0)


def on_line(place, link):
    """Whether a place in the link frame lies on the line that is drawn for the link."""
    x, y, z = place
    return y == z == 0.0 and 0.0 <= x <= link.length


def seats(chain):
    """Where links are held by the base, world points."""
    held = [place for link, place in zip(chain.links, chain.joint_positions)
            if link.parent == BASE and not isinstance(link.joint, Free | FreePlanar)]
    return np.array(held).reshape(-1, 3)


def on_page(chain, points):
    """World points (n, 3) as right and up on the page, m: the plane as it is, space at an angle."""
    return points[:, :2] if chain.planar else at_an_angle(points)


def at_an_angle(points):
    return points @ VIEW.T

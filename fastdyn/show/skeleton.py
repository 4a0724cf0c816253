"""A chain as lines: every link from its joint to its tip or mass centre, and what lies between it and its parent."""

import numpy as np

from ..describe.joints import Free, FreePlanar
from ..describe.link import BASE
from ..run.places import position

VIEW = np.array([[0.80, -0.60, 0.0], [0.18, 0.24, 0.954]])  # from the side and a little above: right, up on the page


def strokes(chain, q):
    """World points (n, 3) of the lines of a chain at q, rows of NaN between them; and its joints (m, 3)."""
    lines, joints = [], []
    for link, place in zip(chain.links, chain.joint_positions):
        origin = position(chain, q, link.name)
        pieces = [[origin, position(chain, q, link.name, end_of(link))]] if any(end_of(link)) else []
        if link.parent == BASE:
            seat = None if isinstance(link.joint, Free | FreePlanar) else np.array(place)
        else:
            seat = position(chain, q, link.parent, place)
            if not on_line(place, chain.links[chain.index(link.parent)]):
                pieces.append([position(chain, q, link.parent), seat])
        if seat is not None and np.linalg.norm(seat - origin) > 1e-12*(1 + np.linalg.norm(origin)):
            pieces.append([seat, origin])                   # how far a slider is out
        lines += pieces
        joints.append(origin)
    return joined(lines), np.array(joints)


def joined(lines):
    """The lines in one array, those that go on where the last one ended without a break."""
    points = []
    for start, end in lines:
        if not points or not np.allclose(points[-1], start, rtol=1e-9, atol=1e-12):
            points += [[np.nan]*3, start]
        points.append(end)
    return np.array(points).reshape(-1, 3)


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

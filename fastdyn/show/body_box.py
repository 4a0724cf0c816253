"""The box of even density with a body's mass and inertia, as edges: it shows how a body turns about its own line."""

import numpy as np

from ..describe.joints import Free, Spherical

SLENDER = 0.05                                              # two sides below this part of the third: drawn as its line
CORNERS = np.array([(x, y, z) for z in (-0.5, 0.5) for x, y in ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))])
EDGES = ((0, 1, 2, 3, 0), (4, 5, 6, 7, 4), (0, 4), (1, 5), (2, 6), (3, 7))


def box_of(link):
    """Polylines (k, 3) in the link's frame: the edges of the box of a link on a ball joint or afloat, or none."""
    body = link.rigid_body
    if not isinstance(link.joint, Free | Spherical) or link.modes or not body:
        return []
    moments, axes = np.linalg.eigh(np.array(body.inertia))
    squares = 6.0/body.mass*(moments.sum() - 2.0*moments)   # of its sides, from m (b^2 + c^2)/12
    sides = np.sqrt(np.maximum(squares, 0.0))
    if np.sort(sides)[1] <= SLENDER*sides.max():
        return []
    corners = np.array(body.com) + (CORNERS*sides) @ axes.T
    return [corners[list(edge)] for edge in EDGES]

"""The grounds of a planar chain in a panel."""

import numpy as np

from .page import Area, Stroke

EARTH = "#b9a888"


def ground_of(chain, panel):
    """A line for each ground of a planar chain, and earth below it as far as the panel goes."""
    for ground in chain.grounds if chain.planar else ():
        earth, surface = below(panel, np.array(ground.normal[:2]), np.array(ground.point[:2]))
        if len(earth) > 2:
            yield Area(panel.pixels(*earth.T), EARTH, 0.28)
        if len(surface) == 2:
            yield Stroke(panel.pixels(*surface.T), EARTH, 2.0)


def below(panel, normal, at):
    """The part of a panel below the line through `at`, as corners; and where the line crosses the panel's edge."""
    corners = [np.array([panel.xs[a], panel.ys[b]]) for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))]
    earth, surface = [], []
    for here, there in zip(corners, [*corners[1:], corners[0]]):
        depth, next_depth = (at - here) @ normal, (at - there) @ normal
        if depth >= 0.0:
            earth.append(here)
        if (depth > 0.0) != (next_depth > 0.0):
            surface.append(here + depth/(depth - next_depth)*(there - here))
            earth.append(surface[-1])
    return np.array(earth).reshape(-1, 2), np.array(surface).reshape(-1, 2)

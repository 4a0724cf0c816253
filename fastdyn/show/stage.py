"""What there is to see of a motion in three dimensions, sample by sample; world axes, m."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..run.places import position
from .frames import frames
from .player import bounds, upward
from .skeleton import free_tips, seats, strokes
from .traces import evenly

LOOKED_AT = 400                                             # samples from which the room that is needed is told


class Shape(NamedTuple):
    """Lines (n, 3), rows of NaN between them; joints and free tips; points that may touch, and the forces there, N."""

    lines: np.ndarray
    joints: np.ndarray
    points: np.ndarray
    forces: np.ndarray


class Stage(NamedTuple):
    """A motion: its times, s, and the shape of each sample; what stands still around it.

    low, high : corners of the box it stays in. up : "y" or "z". grounds : (normal, point) each. seats : where links are
    held by the base. hardest : the greatest force, N.
    """

    name: str
    t: np.ndarray
    shape: Callable[[int], Shape]
    low: np.ndarray
    high: np.ndarray
    up: str
    planar: bool
    grounds: tuple
    seats: np.ndarray
    hardest: float

    @property
    def size(self):
        """m, of the whole motion."""
        return float(np.linalg.norm(self.high - self.low)) or 1.0


def of_run(run, magnify=1.0):
    """The stage of a chain's run, deflections magnified."""
    chain, rows = run.chain, evenly(len(run.t), LOOKED_AT)

    def shape(k):
        return shape_of(chain, run.q[k], magnify, run.points[k], run.forces[k])

    return Stage(chain.name or "chain", run.t, shape, *bounds(run, *frames(chain, run.q[rows])), upward(chain),
                 chain.planar, tuple((ground.normal, ground.point) for ground in chain.grounds), seats(chain),
                 float(np.nanmax(np.linalg.norm(run.forces, axis=2), initial=0.0)))


def shape_of(chain, q, magnify=1.0, points=None, forces=None):
    """The shape of a chain at q; its points are asked for if they are not given."""
    lines, joints = strokes(chain, q, magnify)
    if points is None:
        points = np.array([position(chain, q, chain.links[point.link].name, point.position)
                           for point in chain.contact_points]).reshape(-1, 3)
    return Shape(lines, np.vstack([joints, free_tips(chain, q, magnify)]), points,
                 np.zeros_like(points) if forces is None else forces)

"""What every peer offers: its answers at one state in our order of numbers, and loops to time."""

from itertools import repeat
from typing import ClassVar

from fastdyn.describe import Spherical

AXIS_NAMES = {(1.0, 0.0, 0.0): "x", (0.0, 1.0, 0.0): "y", (0.0, 0.0, 1.0): "z"}


class Peer:
    """One code, one chain, one state: made from (chain, q, v, torque, acc); acc is what inverse dynamics is asked for.

    `forward()` gives accelerations and, if `timed` names it, `inverse()` torques, both in our order. `loops()` gives
    run(calls) for every question; a run may return the seconds it took by a clock that leaves preparations out.
    """

    name: ClassVar[str]
    package: ClassVar[str]                              # as pip calls it
    timed: ClassVar[dict[str, str]]                     # question -> what precisely is timed
    families: ClassVar[tuple[str, ...]] = ("aligned", "revolute", "spherical", "planar")
    most: ClassVar[int] = 1000                          # degrees of freedom it is asked for

    @classmethod
    def takes(cls, family, chain):
        """Whether it is asked about that chain."""
        return family in cls.families and chain.nv <= cls.most

    @staticmethod
    def looped(call):
        """The binding's overhead is in it: measured with one link and taken off in the report."""
        def run(calls):
            for _ in repeat(None, calls):
                call()
        return run


def to_scalar_last(chain, q):
    """Quaternions from (w, x, y, z) to (x, y, z, w)."""
    q = q.copy()
    if isinstance(chain.links[0].joint, Spherical):
        q = q.reshape(-1, 4)[:, [1, 2, 3, 0]].ravel()
    return q

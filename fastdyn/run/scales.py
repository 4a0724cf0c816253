"""What a chain's speeds and gaps are measured by, so that only numbers without a unit of length are compared."""

from typing import NamedTuple

import numpy as np

from ..describe.chain import Chain
from ..describe.joints import Prismatic
from ..describe.lengths import farthest, mechanism_length
from ..formulations.idle import FAR
from ..layout import ACROSS, GAP_KIND, GAP_SCALE


class Scales(NamedTuple):
    """Units of one chain.

    length : of the mechanism, m.
    turns : (nv,) whether a speed turns something; others slide or bend it.
    speeds : (nv,) 1 of those that turn, else length.
    gaps : (gaps,) 1 of angles, of others a length of their loop, m.
    closing : (gaps,) the same, no less than places can tell so far from the base's origin.
    """

    length: float
    turns: np.ndarray
    speeds: np.ndarray
    gaps: np.ndarray
    closing: np.ndarray


def scales(system: Chain) -> Scales:
    """The units of a chain, found once."""
    if "_scales" not in system.__dict__:
        system.__dict__["_scales"] = _scales(system)
    return system.__dict__["_scales"]


def _scales(system):
    length, closure = mechanism_length(system), system.model.closure
    turns = np.array([not (isinstance(link.joint, Prismatic) or name.startswith("v")) for link in system.links
                      for name in (*link.joint.v_names, *("v",)*link.modes)], bool)
    gaps = closure[:, GAP_SCALE].copy()
    closing = np.where(closure[:, GAP_KIND] == ACROSS, 1.0, np.maximum(gaps, FAR*farthest(system)))
    return Scales(length, turns, np.where(turns, 1.0, length), gaps, closing)

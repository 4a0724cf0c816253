"""Axes about which nothing turns with a link, which makes the mass matrix singular: found to be told."""

import numpy as np

from .check import shown
from .joints import Free, Spherical

NONE = 1e-12                                            # of the largest moment: less is none


def troubled(chain, link):
    """A link that was refused, in words: about which axis, where it is seen, and which others would be next."""
    idle = {k: axis for k in range(len(chain.links)) if (axis := idle_axis(chain, k)) is not None}
    said = [f'link "{chain.links[k].name}"' + (f" about {shown(idle[k])}" if k in idle else "")
            for k in [link, *(k for k in idle if k != link and link in idle)]]
    return ", ".join(said)


def idle_axis(chain, k):
    """The axis, along the link's axes, about which a link on a ball joint turns alone and has no inertia, or None.

    Like that are slender rods and point masses whose outer links hang on ball joints at places along the axis.
    """
    link = chain.links[k]
    body = link.rigid_body
    if not isinstance(link.joint, (Spherical, Free)) or body is None or link.elastic is not None:
        return None
    c = np.array(body.com)
    moments, axes = np.linalg.eigh(np.array(body.inertia) + body.mass*(c @ c*np.eye(3) - np.outer(c, c)))
    if not moments[0] <= NONE*moments[2] < moments[1]:
        return None
    e = axes[:, 0]*np.sign(axes[np.abs(axes[:, 0]).argmax(), 0])
    for outer, at in zip(chain.links, np.array(chain.joint_positions)):
        if outer.parent == link.name and not (isinstance(outer.joint, Spherical)
                                              and np.abs(np.cross(e, at)).max() <= 1e-9*np.abs(at).max()):
            return None
    return tuple(float(x) for x in np.round(e, 9) + 0.0)

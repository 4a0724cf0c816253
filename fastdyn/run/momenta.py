"""Momenta of a run, and what a robot's moving parts do to the base that carries them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..describe.link import BASE
from ..results.run import Run
from ..status import ModelError
from .asking import numbers
from .dynamics import reactions
from .places import mass_center, momentum, orientation, position

ORIGIN = (0.0, 0.0, 0.0)


class Momenta(NamedTuple):
    """A row a sample, world axes: linear momentum, kg m/s, and angular momentum, kg m^2/s, of the whole chain about its
    mass centre and about a fixed point; the mass centre, m."""

    linear: np.ndarray
    about_center: np.ndarray
    about_point: np.ndarray
    center: np.ndarray


def momenta(run: Run, point: ArrayLike = ORIGIN) -> Momenta:
    """Momenta of a chain at every sample of a run.

    Without loads, grounds and gravity, `linear` and `about_center` of a floating chain stay what they are, whatever its
    joints do; of a chain that hangs on one ball joint, `about_point` of that joint does.

    Parameters
    ----------
    run : Run.
    point : the fixed point, world axes, m.

    Examples
    --------
    >>> import fastdyn as fd
    >>> run = fd.simulate(fd.catalog.space_arm(), 1.0, samples=11)      # from rest, under torques inside
    >>> found = fd.momenta(run)
    >>> bool(abs(found.linear).max() < 1e-9), bool(abs(found.about_center).max() < 1e-9)
    (True, True)
    """
    point = numbers(point, (3,), "point")
    P, H = momentum(run.chain, run.q, run.v)
    c = mass_center(run.chain, run.q)
    return Momenta(P, H - np.cross(c, P), H - np.cross(point, P), c)


def base_reaction(run: Run) -> np.ndarray:
    """Force (N) and moment (N m) that all moving parts exert on the base at every sample of a run: (samples, 6).

    World axes. The base of a chain that hangs is the ground, and moments are about the world's origin. Of a chain that
    floats it is the floating link, which feels what hangs on it, and moments are about that link's origin.
    """
    chain = run.chain
    if chain.grounds:
        raise ModelError("the chain has ground[0], and forces of grounds are not among those of joints; take away the "
                         "grounds, or read run.forces")
    roots = [link for link in chain.links if link.parent == BASE]
    floats = len(roots) == 1 and roots[0].joint.base_only
    base = roots[0].name if floats else BASE
    felt = np.zeros((len(run.t), 6))
    hanging = [i for i, link in enumerate(chain.links) if link.parent == base and not link.joint.base_only]
    for row, (t, q, v) in enumerate(zip(run.t, run.q, run.v)):
        given = reactions(chain, q, v, t=float(t))
        about = position(chain, q, base) if floats else np.zeros(3)
        for i in hanging:
            name = chain.links[i].name
            R, arm = orientation(chain, q, name), position(chain, q, name) - about
            force = R @ given[i, :3]
            felt[row] -= np.concatenate([force, R @ given[i, 3:] + np.cross(arm, force)])
    return felt


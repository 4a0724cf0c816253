"""Momenta of a run, and what a robot's moving parts do to the base that carries them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..describe.check import shown
from ..describe.link import BASE
from ..results.run import Run
from ..results.spool import DRIVE
from ..status import ModelError
from .asking import numbers
from .dynamics import motion_and_forces, reactions
from .loops import on_ends
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
    joints do; of a chain that hangs on one ball joint, `about_point` of that joint does. Mild motion
    from rest keeps them to rounding, wild motion as well as rtol keeps all else, no better: of random chains of four
    links, 2 rad/s and 2 m/s, 5 s, they drift by 1e-12 to 4e-12 of their size at rtol 1e-12, by 5e-10 to 1e-8 at 1e-9.

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
    run, point = _run(run), numbers(point, (3,), "point")
    P, H = momentum(run.chain, run.q, run.v)
    c = mass_center(run.chain, run.q)
    return Momenta(P, H - np.cross(c, P), H - np.cross(point, P), c)


def base_reaction(run: Run) -> np.ndarray:
    """Force (N) and moment (N m) that all moving parts exert on the base at every sample of a run: (samples, 6).

    World axes. By joints and by closures, held exactly or by springs. The base of a chain that hangs is the ground, and
    moments are about the world's origin. Of a chain that floats it is the floating link, which feels what hangs on it
    and what is closed back to it (not what the ground does to it), and moments are about that link's origin.
    """
    chain = _run(run).chain
    if chain.grounds:
        raise ModelError("the chain has ground[0], and forces of grounds are not among those of joints; take away the "
                         "grounds, or read run.forces")
    if DRIVE in run.notes and chain.drive is None:
        raise ModelError("the run was read from a file, which cannot keep the drive its chain had; give it again: "
                         "run.chain = run.chain.replace(drive=...)")
    roots = [link for link in chain.links if link.parent == BASE]
    floats = len(roots) == 1 and roots[0].joint.base_only
    base = roots[0].name if floats else BASE
    felt = np.zeros((len(run.t), 6))
    hanging = [i for i, link in enumerate(chain.links) if link.parent == base and not link.joint.base_only]
    closed = _closed_to(chain, chain.index(base) if floats else -1)
    for row, (t, q, v) in enumerate(zip(run.t, run.q, run.v)):
        about = position(chain, q, base) if floats else np.zeros(3)
        given = reactions(chain, q, v, t=float(t))
        for i in hanging:
            name = chain.links[i].name
            R = orientation(chain, q, name)
            felt[row] -= _wrench(R @ given[i, :3], R @ given[i, 3:], position(chain, q, name) - about)
        given = _on_ends(chain, t, q, v) if closed else None
        for k, end, sign, (link, at) in closed:
            place = position(chain, q, chain.links[link].name, at)
            felt[row] += sign*_wrench(given[k, end, :3], given[k, end, 3:], place - about)
    return felt


def _run(run):
    """The run itself; what is none is refused."""
    if not isinstance(run, Run):
        raise ModelError(f"run is {shown(run)}; give a Run, such as fastdyn.simulate(chain, 10.0) returns")
    return run


def _closed_to(chain, base):
    """(closure, end 0 or 1, sign, (link, place)) of each closure that ends on the base.

    A floating link is pushed at its own end. Of the ground nothing moves: it gets the opposite of what the other end
    gets.
    """
    found = []
    for k, held in enumerate(chain.held):
        on = [end[0] for end in (held.a, held.b)]
        if base in on and (base < 0 or min(on) >= 0):
            end = on.index(base) if base >= 0 else 1 - on.index(base)
            found.append((k, end, 1.0 if base >= 0 else -1.0, (held.a, held.b)[end]))
    return found


def _on_ends(chain, t, q, v):
    """What closures give their two ends."""
    return on_ends(chain, q, motion_and_forces(chain, float(t), q, v, np.zeros(chain.nv), None)[1])


def _wrench(force, moment, arm):
    """(force, moment) of a force with a moment at the end of an arm."""
    return np.concatenate([force, moment + np.cross(arm, force)])

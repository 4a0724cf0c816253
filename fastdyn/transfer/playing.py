"""Runs of transfer chains as motions of chains of links, for the page that plays them.

An arm is what it is. Torsion chains lie along x, links one apart, and turn about it, each with a bar across. Bending
chains are rods between their stations; small deflections are magnified.
"""

import numpy as np

from ..describe import Chain, Fixed, Link, Prismatic, Revolute
from ..results.run import Run
from .run import bends, is_arm

SEEN = 0.2                                              # of the length: how far the largest deflection is to be seen
UP, DOWN = (0.5**0.5, 0.0, 0.0, 0.5**0.5), (0.5**0.5, 0.0, 0.0, -(0.5**0.5))    # from x to y and to -y
BAR = 0.4                                               # half the length of the bar across a turning link


def played(run, magnify=None):
    """A Run of a chain of links that moves alike; samples that are not finite are left out."""
    rows = np.all(np.isfinite(run.angles), axis=1)
    t, angles = run.t[rows], run.angles[rows]
    if bends(run):
        chain, q = _bent(run.system, run.deflections[rows], magnify)
    elif is_arm(run):
        made = run.system.links
        links = [Link(name="hub" if j == 0 else f"link{j}", joint=Revolute(), length=float(l))
                 for j, l in enumerate(made.length)]
        chain, q = Chain(links, space="plane", name=run.system.name), np.diff(angles, axis=1, prepend=0.0)
    else:
        chain, q = _turning(run.system, angles)
    return Run(chain, t, q, np.zeros_like(q), status=run.status)


def _turning(system, angles):
    """Links along x that turn about it, with bars across that are links of their own."""
    links, columns = [], []
    whole = np.column_stack([np.zeros(len(angles)), angles])
    for j, parent in enumerate(system.parents, 1):
        links.append(Link(name=f"link{j}", parent=f"link{parent}" if parent else "base", length=1.0,
                          joint=Revolute(axis=(1.0, 0.0, 0.0))))
        columns.append(whole[:, j] - whole[:, parent])
    for j in range(1, system.n + 1):
        links += [Link(name=f"bar{j}{side}", parent=f"link{j}", joint=Fixed(), length=BAR, turn=turn)
                  for side, turn in (("a", UP), ("b", DOWN))]
    return Chain(links, space="space", name=system.name), np.array(columns).T


def _bent(system, deflections, magnify):
    """Rods between stations."""
    x = np.cumsum([0.0, *(getattr(part, "length", 0.0) for part in system.parts)])
    seen = np.append(True, np.diff(x) > 0.0)
    x, y = x[seen], deflections[:, seen]
    largest = float(np.max(np.abs(y), initial=0.0))
    factor = magnify or (max(1.0, SEEN*x[-1]/largest) if largest > 0.0 else 1.0)
    slopes = np.arctan2(factor*np.diff(y, axis=1), np.diff(x))
    links = [Link(name=f"part{j}", joint=Revolute(), length=float(l)) for j, l in enumerate(np.diff(x), 1)]
    q = np.diff(slopes, axis=1, prepend=0.0)
    if np.any(y[:, 0]):                                     # a foot slides across as the base does
        links.insert(0, Link(name="foot", joint=Prismatic(axis=(0.0, 1.0, 0.0))))
        q = np.column_stack([factor*y[:, 0], q])
    return Chain(links, space="plane", name=system.name), q

"""Momenta of a run at its start and its end as rows of a table."""

import numpy as np

from ..results.run import Run
from ..run.momenta import momenta


def momenta_table(motion):
    """Rows (name, at the start, at the end), of chains in space with ball joints or a floating base and no ground."""
    chain = motion.chain
    if not chain.quaternions or chain.grounds:
        return []
    ends = [0, -1]
    found = momenta(Run(chain, motion.t[ends], motion.q[ends], motion.v[ends]))
    rows = [("momentum, world axes", "at the start", "at the end")]
    for what, values in (("linear, N s", found.linear), ("about the mass centre, N m s", found.about_center),
                         ("about the origin, N m s", found.about_point)):
        rows.append((what, *map(_vector, values)))
    return rows


def _vector(x):
    return "(" + ", ".join(f"{number:.6g}" for number in np.asarray(x) + 0.0) + ")"

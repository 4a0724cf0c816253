"""A motion as a table of comma-separated values: every number by its shortest exact digits."""

import csv
import io

import numpy as np

from ..describe.writing import write_whole

ENERGIES = ("kinetic", "potential", "energy")


def write_table(path, motion):
    """Write t (s), q, v (SI units, columns named by link) and energies (J) of a motion, whole or not at all."""
    chain = motion.chain
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    names = [f"q.{name}" for name in chain.coordinate_names] + [f"v.{name}" for name in chain.velocity_names]
    rows.writerow(["t", *names, *ENERGIES])
    numbers = np.column_stack([motion.t, motion.q, motion.v, motion.kinetic, motion.potential, motion.energy])
    rows.writerows(map(repr, row) for row in numbers.tolist())
    write_whole(path, text.getvalue())

"""A run of a transfer chain as a table of comma-separated values: every number by its shortest exact digits."""

import csv
import io

import numpy as np

from ..describe.writing import write_whole
from .run import link_names


def write_table(path, run):
    """Write t (s), angles and rates of the links (SI units) and energies (J) of a run, whole or not at all."""
    names = link_names(run)
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["t", *(f"angle.{name}" for name in names), *(f"rate.{name}" for name in names), *run.energies,
                   "energy"])
    rows.writerows(map(repr, row) for row in np.column_stack(
        [run.t, run.angles, run.velocities, *run.energies.values(), run.energy]).tolist())
    write_whole(path, text.getvalue())

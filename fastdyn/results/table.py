"""A run as a table of comma-separated values: every number by its shortest exact digits."""

import csv
import io

import numpy as np

from ..describe.writing import write_whole
from ..kinds import kind_of

ENERGIES = ("kinetic", "potential", "energy")


def write_table(path, run):
    """Write t (s), states (SI units, columns named by link) and energies (J) of a run, whole or not at all."""
    names, numbers = kind_of(run).columns(run)
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(names)
    rows.writerows(map(repr, row) for row in numbers.tolist())
    write_whole(path, text.getvalue())


def columns(run):
    """(names, array) of t, q, v and energies of a chain."""
    chain = run.chain
    names = [f"q.{name}" for name in chain.coordinate_names] + [f"v.{name}" for name in chain.velocity_names]
    return ["t", *names, *ENERGIES], np.column_stack([run.t, run.q, run.v, run.kinetic, run.potential, run.energy])

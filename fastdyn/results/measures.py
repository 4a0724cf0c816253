"""What is told of one run in a line: numbers every run has, or those that a function of the user gives."""

from collections.abc import Mapping

import numpy as np

from ..describe.check import shown
from ..kinds import kind_of


def usual(run):
    """Name -> number: where and when a run ended, what it took, what happened, its energies.

    t and the state at the end, q.NAME and v.NAME, as in tables of runs; the counts of the stepper; of chains the number
    of contacts and the largest of their forces, N, and the largest energy error, per cent.
    """
    counts = {name: count for name, count in getattr(run, "stats", {}).items() if isinstance(count, (int, float))}
    if len(run.t) == 0:
        return counts
    names, rows = kind_of(run).columns(run)
    last = dict(zip(names, rows[-1].tolist()))
    found = {"t": last.pop("t", float(run.t[-1]))} | counts
    if run.kind == "chain":
        found["contacts"] = len(run.contacts)
        found["largest_force"] = float(np.max(run.contacts["force"], initial=0.0))
        found["energy_error"] = float(np.max(np.abs(run.energy_error)))
    if "energy" in last:
        found["energy_at_start"] = float(rows[0, list(names).index("energy")])
        found |= {name: last.pop(name) for name in ("energy", "kinetic", "potential") if name in last}
    return found | last


def numbers_of(found, measure):
    """What a measure gave as name -> float, text or lists of floats; one number has the name of the function."""
    if hasattr(found, "_asdict"):
        found = found._asdict()
    if not isinstance(found, Mapping):
        name = getattr(measure, "__name__", "measure")
        found = {name if name.isidentifier() else "measure": found}
    return {str(name): _plain(name, value) for name, value in found.items()}


def _plain(name, value):
    if isinstance(value, str):
        return value
    array = np.asarray(value)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} is {shown(value)}")
    return np.where(np.isnan(array), np.nan, array.astype(np.float64)).tolist()

"""What is in a run file, as a table."""

import numpy as np

from ..kinds import kind_of
from .paper import paper

SHORT = 16      # characters of a hash that are shown


def contents(run):
    """Print what ran, how it ended, what happened, what it took, what computed it and which papers it stands on."""
    from rich.table import Table

    console = paper()
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, text in kind_of(run).contents(run):
        table.add_row(name, text)
    console.print(table)
    console.print("\n" + run.cite(), soft_wrap=True)


def rows(run):
    """(name, text) of a run of a chain."""
    chain, n = run.chain, len(run.t)
    yield "run", f"{chain.name or 'a chain'}: {_several(len(chain.links), 'link')}, {chain.nv} degrees of freedom"
    yield "time", f"{_several(n, 'sample')}, {run.t[0]:.6g} to {run.t[-1]:.9g} s" if n else "no sample"
    yield "ended", run.message
    for note in run.notes:
        yield "note", note
    yield "method", f"{run.stepper}, formulation {run.formulation}"
    if run.settings:
        yield "settings", ", ".join(f"{name} {_shown(value)}" for name, value in run.settings.items())
    counts = [f"{count} {name}" for name, count in run.stats.items() if count]
    yield "took", ", ".join([*counts, f"{run.seconds:.3g} s on the clock"])
    if run.event_names:
        yield "events", _counted(run.events["event"], run.event_names)
    if run.point_names:
        yield "contacts", _counted(run.contacts["point"], run.point_names)
    if len(run.contacts):
        yield "largest force", f"{np.max(run.contacts['force']):.6g} N"
    if n:
        yield "energy", f"{run.energy[0]:.9g} J at the start, {run.energy[-1]:.9g} J at the end"
        worst = np.max(np.abs(run.energy_error))
        yield "energy error", f"{worst:.1e} % at most" if np.isfinite(worst) else "not known: work was not counted"
    if run.checkpoint is not None:
        yield "goes on from", f"t = {run.checkpoint.t:.9g} s: fastdyn.simulate(run.chain, ..., start=run.checkpoint)"
    yield from provenance(run)


def provenance(run):
    """Rows of what computed a run."""
    for name, text in run.provenance.items():
        if name != "features":
            yield name, text[:SHORT] + "..." if name in ("model", "sources") else text


def _several(n, noun):
    return f"{n} {noun}" + "s"*(n != 1)


def _counted(which, names):
    """How often each name is there."""
    counts = np.bincount(which, minlength=len(names))
    return ": ".join([f"{len(which)}", *[", ".join(f"{n} {name}" for name, n in zip(names, counts) if n)]*any(counts)])


def _shown(value):
    return f"{value:.6g}" if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)

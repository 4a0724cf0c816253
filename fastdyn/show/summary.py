"""What a run did, as short tables: its size and cost, the contacts of each point, where its energy went."""


import numpy as np

from ..results.run import not_conserved_by
from ..results.tables import ENERGY_COLUMNS, WORK_COLUMNS
from .momenta_table import momenta_table
from .paper import paper

MOST = 12   # points whose contacts are told one by one
WORKERS = {"air": "the air", "structure": "damping in links", "joints": "dampers of joints", "contact": "normal forces",
           "friction": "friction", "input": "drives and loads"}


def summary(motion):
    """Print links, steps, evaluations, time on the clock; contacts point by point; energies, works, what is missing."""
    console = paper()
    for note in motion.notes:
        console.print(f"note: {note}", soft_wrap=True)
        console.print()
    for rows, sides in ((_cost, "lrl"), (_contacts, "lrrrrr"), (_energy, "lrrl")):
        if rows is not _contacts or len(motion.contacts):
            console.print(table(rows(motion), sides))
            console.print()
    if momenta := momenta_table(motion):
        console.print(table(momenta, "lrr"))
        console.print()


def table(rows, sides):
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False)
    for side in sides:
        table.add_column(justify={"l": "left", "r": "right"}[side], overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table


def _cost(motion):
    yield "links", f"{len(motion.chain.links)}", ""
    yield "degrees of freedom", f"{motion.chain.nv}", ""
    yield "simulated time", f"{motion.t[-1]:.6g}", "s"
    steps, evaluations = motion.stats["steps"], motion.stats["evaluations"]
    yield "steps", f"{steps}", motion.stepper
    yield "evaluations", f"{evaluations}", "of the forward dynamics"
    yield "time on the clock", f"{motion.seconds:.3g}", f"s, {1e6*motion.seconds/evaluations:.3g} us/evaluation"
    if motion.point_names and not len(motion.contacts):
        yield "contacts", "0", ""


def _contacts(motion):
    """A row a point, those that were hit most often if they are many."""
    contacts, names = motion.contacts, motion.point_names
    counts = np.bincount(contacts["point"], minlength=len(names))
    told = sorted(i for i in np.argsort(-counts, kind="stable")[:MOST] if counts[i])
    yield "contacts of", "number", "first at, s", "largest force, N", "deepest, mm", "restitution"
    for i in told:
        yield names[i], *_told(contacts[contacts["point"] == i])
    if len(told) > 1:
        more = np.count_nonzero(counts) - len(told)
        yield f"all{f', {more} more' if more else ''}", *_told(contacts)


def _told(contacts):
    first, back = contacts["start"][~np.isnan(contacts["start"])], contacts["restitution"]
    back = back[~np.isnan(back)]
    yield f"{len(contacts)}"
    yield f"{np.min(first):.9f}" if len(first) else ""
    yield f"{np.max(contacts['force']):.6g}"
    yield f"{1e3*np.max(contacts['depth']):.4g}"
    yield f"{np.min(back):.3f} to {np.max(back):.3f}" if len(back) else ""


def _energy(motion):
    """The ledger where all work was counted, else how the energy changed."""
    ledger, why = motion.ledger, not_conserved_by(motion.chain)
    counted = bool(np.all(np.isfinite(motion.energy_error)))
    yield "energy, J", "at the start", "at the end", ""
    for name in ENERGY_COLUMNS:
        if np.any(ledger[name]):
            yield name, f"{ledger[name][0] + 0.0:.9g}", f"{ledger[name][-1]:.9g}", ""
    yield "sum", f"{motion.energy[0]:.9g}", f"{motion.energy[-1]:.9g}", ""
    for name in WORK_COLUMNS if counted else ():
        if np.any(ledger[name]):
            yield f"work of {WORKERS[name]}", "", f"{ledger[name][-1]:.6g}", ""
    scale = f"of {motion.energy_scale:.4g} J, the most that was kinetic"
    if not why:
        yield "energy drift", "", f"{np.max(np.abs(motion.energy_change)):.1e}", scale
    elif counted:
        yield "energy error", "", f"{np.max(np.abs(motion.energy_error)):.1e}", "% at most: energy less the work done"
    else:
        yield "energy change", "", f"{motion.energy_change[-1]:.2g}", f"{scale}; {why}"

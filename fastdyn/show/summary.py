"""What a run did, as a short table: its size and cost, its contacts, where its energy went."""

import numpy as np

from ..results.run import not_conserved_by
from ..results.tables import WORK_COLUMNS

MOST = 8    # points whose contacts are told one by one


def summary(motion):
    """Print links, steps, evaluations, time on the clock, contacts, and how well the energy was kept."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(justify="left")
    table.add_column(justify="right")
    table.add_column(justify="left")
    for row in _rows(motion):
        table.add_row(*row)
    Console(highlight=False, markup=False).print(table)


def _rows(motion):
    yield "links", f"{len(motion.chain.links)}", ""
    yield "degrees of freedom", f"{motion.chain.nv}", ""
    yield "simulated time", f"{motion.t[-1]:.6g}", "s"
    steps, evaluations = motion.stats["steps"], motion.stats["evaluations"]
    yield "steps", f"{steps}", motion.stepper
    yield "evaluations", f"{evaluations}", "of the forward dynamics"
    yield "time on the clock", f"{motion.seconds:.3g}", f"s, {1e6*motion.seconds/evaluations:.3g} us/evaluation"
    if motion.point_names:
        yield from _contacts(motion)
    yield from _energy(motion)


def _contacts(motion):
    contacts, names = motion.contacts, motion.point_names
    counts = np.bincount(contacts["point"], minlength=len(names))
    most = [i for i in np.argsort(-counts, kind="stable")[:MOST] if counts[i]]
    told = ", ".join(f"{counts[i]} {names[i]}" for i in sorted(most))
    yield "contacts", f"{len(contacts)}", told + (", ..." if np.count_nonzero(counts) > len(most) else "")
    if len(contacts):
        hardest = contacts[np.argmax(contacts["force"])]
        yield "largest force", f"{hardest['force']:.6g}", f"N, {names[hardest['point']]} at {hardest['start']:.6g} s"


def _energy(motion):
    """The ledger where all work was counted, else how the energy changed."""
    energy, change, why = motion.energy, motion.energy_change, not_conserved_by(motion.chain)
    yield "energy at the start", f"{energy[0]:.9g}", "J"
    yield "energy at the end", f"{energy[-1]:.9g}", "J"
    scale = f"of {motion.energy_scale:.4g} J, the most that was kinetic"
    if not why:
        yield "energy drift", f"{np.max(np.abs(change)):.1e}", scale
    elif np.all(np.isfinite(motion.energy_error)):
        for name in WORK_COLUMNS:
            if np.any(motion.ledger[name]):
                yield f"work of {WORKERS.get(name, name)}", f"{motion.ledger[name][-1]:.6g}", "J"
        worst = np.max(np.abs(motion.energy_error))
        yield "energy error", f"{worst:.1e}", "% at most: energy less work, against the start"
    else:
        yield "energy change", f"{change[-1]:.2g}", f"{scale}; {why}"


WORKERS = {"air": "the air", "structure": "damping in links", "joints": "dampers of joints", "contact": "normal forces",
           "input": "drives and loads"}

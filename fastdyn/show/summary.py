"""What a run did, as a short table."""

import numpy as np

from ..results.run import not_conserved_by


def summary(motion):
    """Print links, steps, evaluations, time on the clock and how well the energy was kept."""
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
    energy, change = motion.energy, motion.energy_change
    worst = float(np.max(np.abs(change)))
    why = not_conserved_by(motion.chain)
    yield "links", f"{len(motion.chain.links)}", ""
    yield "degrees of freedom", f"{motion.chain.nv}", ""
    yield "simulated time", f"{motion.t[-1]:.6g}", "s"
    steps, evaluations = motion.stats["steps"], motion.stats["evaluations"]
    yield "steps", f"{steps}", motion.stepper
    yield "evaluations", f"{evaluations}", "of the forward dynamics"
    yield "time on the clock", f"{motion.seconds:.3g}", f"s, {1e6*motion.seconds/evaluations:.3g} us/evaluation"
    yield "energy at the start", f"{energy[0]:.9g}", "J"
    yield "energy at the end", f"{energy[-1]:.9g}", "J"
    if why:
        yield "energy change", f"{change[-1]:.2g}", f"of {motion.energy_scale:.4g} J, the most that was kinetic; {why}"
    else:
        yield "energy drift", f"{worst:.1e}", f"of {motion.energy_scale:.4g} J, the most that was kinetic"

"""The fall of the Canadarm2 on an oblique plane: its first contact by the number of modes. `report()` prints it.

Claimed by its source (docs/theory/spatial_flexible.md): a contact from 0.645 s to 0.654 s whose force has three peaks.
"""

from ..arms.catalog import canadarm2
from ..show.figures import plot
from ..show.paper import paper
from .falling_chain import table_of

MODES = (2, 3, 4, 5, 6, 7, 8)
PUBLISHED = 4                                               # modes that have the published three peaks
T_END = 0.66


def of_modes(modes):
    """The run of R2 with friction II and so many bending modes a boom in each plane."""
    return canadarm2("R2", "II", bending_modes=modes).simulate(T_END, rtol=1e-9, fine=True).check()


def first_contact(run):
    """Cells of its row: start, end, peaks, contacts in all."""
    contact = run.contacts[0]
    return (f"{contact.start:.9f}", f"{contact.end:.9f}", ", ".join(f"{N/1e3:.2f}" for _, N, _ in contact.peaks),
            f"{len(run.contacts)}")


def report(folder=None):
    """Print the table; with a folder, draw the run with the published number of modes there."""
    console = paper()
    table = table_of("Canadarm2 R2, friction II, rtol 1e-9", "bending modes", "first contact starts, s", "ends, s",
                     "its peaks, kN", f"contacts to {T_END:g} s")
    runs = {modes: of_modes(modes) for modes in MODES}
    for modes, run in runs.items():
        table.add_row(str(modes), *first_contact(run))
    console.print(table)
    console.print()
    first, last = (runs[modes].contacts[0].peaks[0][1]/1e3 for modes in (PUBLISHED, MODES[-1]))
    console.print(f"Claimed: 0.645 s, 0.654 s, three peaks, which {PUBLISHED} modes have. The first peak is "
                  f"{first:.1f} kN with {PUBLISHED} and {last:.1f} kN with {MODES[-1]}: few modes are enough for the "
                  "instant of the touch and not for the force.")
    if folder is not None:
        for name in plot(runs[PUBLISHED], folder):
            console.print(f"{folder}/{name}.svg: with {PUBLISHED} modes")

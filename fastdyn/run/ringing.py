"""What is said of runs whose steps made the springs of closures ring; docs/theory/loops.md, Held by springs."""

import numpy as np

from ..formulations import loops as k
from ..layout import GAP_STIFFNESS, held_exactly
from ..results.ledger import defect_of
from .loops import gap_list, name_of
from .scales import scales

MADE, LOOSE = 0.01, 10.0    # of the most that was kinetic, and times rtol of it: energy that is worth a word
IN_SPRINGS = 0.5            # of what springs hold at most, from which on steps have made their motion
AT_REST = 1e-10             # of a gap's scale: what rounding rings to where nothing moves, in any number of steps
NAMED = 4


def notes_on_ringing(chain, q, ledger, rtol):
    """A sentence for Run.notes where steps made more energy than rtol allows and springs of closures have no other."""
    held = held_exactly(chain.model)
    made, kinetic = np.max(defect_of(ledger)), np.max(ledger["kinetic"])
    if held == len(chain.model.closure) or not made > max(MADE, LOOSE*rtol)*kinetic:
        return ()
    stiffness = chain.model.closure[held:, GAP_STIFFNESS]
    holds = max(0.5*np.sum(stiffness*gap_list(chain, k.gap_values, row)[held:]**2) for row in q)
    rest = 0.5*np.sum(stiffness*(AT_REST*scales(chain).closing[held:])**2)
    if made < max(IN_SPRINGS*holds, rest):
        return ()
    names = [name_of(chain, i) for i, closure in enumerate(chain.closures) if not closure.rigid]
    told = ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")
    return (f"{told}: springs that hold {holds:.3g} J at most, while the steps made {made:.3g} J from nothing, "
            f"{100.0*made/kinetic:.3g} % of the most that was kinetic; their ringing grows where explicit steps are as "
            f'long as they can be and rtol is loose: give less than {rtol:g}, or stepper="radau5", which damps it '
            "(docs/theory/loops.md, Held by springs)",)

"""The energy ledger of a chain that keeps its energy, or of one whose dissipation nobody counted, from its states."""

import numpy as np

from .._jit import ready
from ..formulations import kinematics as k
from .tables import ENERGY_COLUMNS, LEDGER, WORK_COLUMNS


def defect_of(ledger):
    """What is in the chain less what came in, J, at every row, from the first on; nan where nobody counted."""
    potential = sum(ledger[name] for name in ENERGY_COLUMNS if name != "kinetic")
    with np.errstate(invalid="ignore"):                     # of what is not finite
        defect = ledger["kinetic"] + potential - sum(ledger[name] for name in WORK_COLUMNS)
        return defect - defect[0]


def ledger_of(chain, q, v, known):
    """Energies at every state; work since the start is zero if it is known to be, else nan (not counted)."""
    ledger = np.zeros(len(q), LEDGER)
    n, total, totals = len(chain.model.row), np.empty(k.TOTALS), ready(k.totals)
    pose, twist = np.empty(12*n), np.empty(6*n)
    for row, q_row, v_row in zip(ledger, q, v):
        totals(chain.model, q_row, v_row, pose, twist, total)
        row["kinetic"], row["gravity"] = total[k.KINETIC], total[k.GRAVITATIONAL]
        row["strain"], row["spring"] = total[k.STRAIN], total[k.SPRINGS]
    if not known:
        for name in WORK_COLUMNS:
            ledger[name] = np.nan
    return ledger

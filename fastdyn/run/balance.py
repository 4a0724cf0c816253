"""Forces in gaps from a motion that is known: J' f = M acc + h - torque, with no multipliers on the way to it."""

import numpy as np

from ..formulations.minimal import PIVOT_FLOOR
from ..formulations.mobility import IDLE
from ..layout import GAP_OF, GAP_SCALE


def forces_behind(model, J, M, missing):
    """The forces f in the gaps held exactly, J' f = missing; docs/theory/loops.md.

    Of many that do it the shortest, each measured by what it moves; gaps that hardly answer take no part.
    """
    L, force, of = np.linalg.cholesky(M), np.zeros(len(J)), model.closure[:len(J), GAP_OF]
    Y = np.linalg.solve(L, J.T)
    size = np.linalg.norm(Y, axis=0)
    seen = size/model.closure[:len(J), GAP_SCALE]
    most = np.array([seen[of == closure].max() for closure in of])
    answers = (size > 0.0) & (seen*seen >= IDLE*most*most)
    force[answers] = np.linalg.lstsq(Y[:, answers]/size[answers], np.linalg.solve(L, missing),
                                     rcond=PIVOT_FLOOR)[0]/size[answers]
    return force

"""Forces in gaps from a motion that is known: J' f = M acc + h - torque, with no multipliers on the way to it."""

import numpy as np

from ..layout import GAP_OF, GAP_SCALE


def forces_behind(J, M, missing, closure, counts, rank):
    """The forces f in the gaps held exactly, J' f = missing; docs/theory/loops.md.

    Of many that do it the shortest, each measured by the most that a gap of its closure moves. closure: the rows of the
    gaps in the model; counts: of each whether it is not idle; rank: how many say something new. Asked again for what
    rounding leaves where one gap moves what is light and heavy.
    """
    L, force = np.linalg.cholesky(M), np.zeros(len(J))
    Y = np.linalg.solve(L, J[counts].T)
    size = np.linalg.norm(Y, axis=0)
    left, s, right = np.linalg.svd(Y/size)
    for _ in range(2):
        seen = left[:, :rank].T @ np.linalg.solve(L, missing - J.T @ force)
        force[counts] += right[:rank].T @ (seen/s[:rank])/size
    if rank < len(size):
        nothing = right[rank:].T                        # what forces that move nothing are made of
        unit, of = closure[counts, GAP_SCALE], closure[counts, GAP_OF].astype(int)
        most = np.zeros(of.max() + 1)
        np.maximum.at(most, of, size/unit)
        measure = unit*most[of]/size
        force[counts] -= nothing @ np.linalg.lstsq(measure[:, None]*nothing, measure*size*force[counts])[0]/size
    return force

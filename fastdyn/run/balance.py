"""Forces in gaps from a motion that is known: J' f = M acc + h - torque, with no multipliers on the way to it."""

import numpy as np


def forces_behind(J, M, missing, counts, rank):
    """The forces f in the gaps held exactly, J' f = missing; docs/theory/loops.md.

    Of many that do it the shortest, each measured by what it moves. counts: of each gap whether it is not idle; rank:
    how many say something new. Asked again for what rounding leaves where one gap moves what is light and heavy.
    """
    L, force = np.linalg.cholesky(M), np.zeros(len(J))
    Y = np.linalg.solve(L, J[counts].T)
    size = np.linalg.norm(Y, axis=0)
    left, s, right = np.linalg.svd(Y/size, full_matrices=False)
    for _ in range(2):
        seen = left[:, :rank].T @ np.linalg.solve(L, missing - J.T @ force)
        force[counts] += right[:rank].T @ (seen/s[:rank])/size
    return force

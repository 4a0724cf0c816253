"""Back onto the closures after an action of the user: they answer an impulse with theirs."""

import numpy as np

from .._jit import ready
from ..formulations import projection
from ..layout import held_exactly, work_of
from .assembly import check_closed


def closing(system):
    """Function of q and v, in place: onto what closures hold exactly, or a ModelError; None where nothing is held.

    It answers whether gaps take no part there.
    """
    model = system.model
    if not held_exactly(model):
        return None
    project, work, rates = ready(projection.project_states(model)), work_of(model), np.empty((1, system.nq))

    def close(q, v):
        sizes = [np.linalg.norm(q[part]) for _, part in system.quaternions]
        if not (np.isfinite(q).all() and np.isfinite(v).all() and all(sizes)):
            return False                                        # no state: refused where all are
        for (_, part), size in zip(system.quaternions, sizes):
            q[part] /= size
        project(model, work, q[None], v[None], rates)
        check_closed(system, q, v, when=" after the action")
        return bool(projection.idle_gaps(model, work))

    return close


def closes_after(action, close, check_way):
    """An action of q, v and more that takes what it changed onto the closures before it answers.

    check_way : function of t, q, v that refuses those in a singular pose that do not say where it goes.
    """
    def closed(t, q, v, *rest):
        before = q.copy(), v.copy()
        answer = action(t, q, v, *rest)
        if not (np.array_equal(q, before[0]) and np.array_equal(v, before[1])):
            if close(q, v):
                check_way(t, q, v)
        return answer

    return closed
